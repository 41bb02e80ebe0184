//! Files and folders that their owner may not read: a person's stay so, a child's are in nobody's way. All of
//! it as a user whom permissions hold.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::cycle::{honest_shop_cassette, shop};
use super::sandbox::{Ran, Sandbox, has_python};

fn set(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// `None` for what lies in a folder that closes us out.
fn mode(path: &Path) -> Option<u32> {
    Some(std::fs::symlink_metadata(path).ok()?.permissions().mode() & 0o7777)
}

fn tdd(sandbox: &Sandbox, args: &[&str]) -> Option<Ran> {
    let mut command = sandbox.ordinary(env!("CARGO_BIN_EXE_tdd"))?;
    Some(Ran::of(&command.args(args).output().unwrap()))
}

fn cassette(sandbox: &Sandbox, text: &str) -> String {
    let file = sandbox.beside("cassette.yaml");
    std::fs::write(&file, text).unwrap();
    file.to_str().unwrap().to_owned()
}

/// What a person has closed, the innermost first: in the tree, among the tests, and what git ignores.
const CLOSED: [(&str, u32); 11] = [
    ("secret.txt", 0),
    ("closed/inner/b.txt", 0),
    ("closed/inner", 0),
    ("closed", 0),
    ("empty", 0),
    ("listed", 0o400),
    ("ignored/test_c.py", 0o200),
    ("ignored", 0),
    ("ignored.txt", 0),
    ("tests/data/closed.json", 0),
    ("tests/closed_helper.py", 0),
];

fn closed_shop() -> (Sandbox, BTreeMap<PathBuf, u32>) {
    let sandbox = shop();
    for (path, _) in CLOSED.iter().filter(|(path, _)| path.contains('.')) {
        sandbox.write(path, "x\n");
    }
    sandbox.write("listed/seen.txt", "x\n");
    sandbox.write(".gitignore", "ignored\nignored.txt\n");
    std::fs::create_dir(sandbox.path("empty")).unwrap();
    for (path, mode) in CLOSED {
        set(&sandbox.path(path), mode);
    }
    (sandbox, CLOSED.iter().map(|(path, mode)| (PathBuf::from(path), *mode)).collect())
}

#[track_caller]
fn is_as_closed(sandbox: &Sandbox, wanted: &BTreeMap<PathBuf, u32>, when: &str) {
    let seen = wanted.keys().filter_map(|path| Some((path.clone(), mode(&sandbox.repo().join(path))?)));
    let seen: BTreeMap<PathBuf, u32> = seen.collect();
    assert!(seen.len() > 5 && seen.iter().all(|(path, mode)| wanted[path] == *mode), "{when}: {seen:?}");
}

fn open_all(sandbox: &Sandbox) {
    CLOSED.iter().rev().for_each(|(path, _)| set(&sandbox.path(path), 0o700));
}

#[test]
fn what_a_person_has_closed_is_closed_after_a_run_and_an_undo() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let (sandbox, closed) = closed_shop();
    // A role that takes a person's own file away has it put back as it was.
    let takes = honest_shop_cassette().replacen(
        "- role: implementer\n",
        "- role: implementer\n  run: [sh, -c, \"rm -f secret.txt; chmod 700 closed\"]\n",
        1,
    );
    let honest = cassette(&sandbox, &honest_shop_cassette());
    let Some(ran) = tdd(&sandbox, &["STE-1", "--cassette", &honest]) else { return };
    let ran = ran.expect(0);
    assert!(!ran.stderr.contains("the suite itself writes"), "{}", ran.stderr);
    is_as_closed(&sandbox, &closed, "after a run");
    let _ = tdd(&sandbox, &["doctor"]);
    is_as_closed(&sandbox, &closed, "after doctor");
    tdd(&sandbox, &["undo"]).unwrap().expect(0);
    is_as_closed(&sandbox, &closed, "after an undo");
    let takes = cassette(&sandbox, &takes);
    tdd(&sandbox, &["STE-1", "--cassette", &takes]).unwrap().expect(0);
    assert!(!sandbox.path("secret.txt").exists());
    tdd(&sandbox, &["undo"]).unwrap().expect(0);
    is_as_closed(&sandbox, &closed, "after the undo of a run that opened them");
    open_all(&sandbox);
    assert_eq!(sandbox.read("secret.txt"), "x\n");
    assert_eq!(sandbox.read("closed/inner/b.txt"), "x\n");
}

/// A role that closes a folder of the project's hides nothing by it.
#[test]
fn what_a_role_closes_is_looked_into() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = shop();
    sandbox.write("lib/a.py", "A = 1\n");
    sandbox.commit();
    let closes = honest_shop_cassette().replacen(
        "- role: implementer\n",
        "- role: implementer\n  run: [sh, -c, \"echo B = 1 > lib/b.py; chmod 000 lib\"]\n",
        1,
    );
    let closes = cassette(&sandbox, &closes);
    let Some(ran) = tdd(&sandbox, &["STE-1", "--cassette", &closes]) else { return };
    let ran = ran.expect(0);
    assert!(ran.stdout.contains("lib/b.py"), "{}", ran.stdout);
    tdd(&sandbox, &["undo", "--discard-changes"]).unwrap().expect(0);
    assert_eq!((mode(&sandbox.path("lib")), sandbox.path("lib/b.py").exists()), (Some(0o755), false));
}

#[test]
fn folders_that_children_closed_among_temporary_files_go() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = shop();
    let leaves =
        "\nimport os, tempfile\nfolder = tempfile.mkdtemp()\nos.mkdir(folder + '/in')\nos.chmod(folder, 0)\n";
    sandbox.write("tests/test_old.py", &(sandbox.read("tests/test_old.py") + leaves));
    sandbox.commit();
    let closes = honest_shop_cassette().replacen(
        "- role: implementer\n",
        "- role: implementer\n  run: [sh, -c, \"mkdir -p $TMPDIR/x/y; chmod 000 $TMPDIR/x\"]\n",
        1,
    );
    let closes = cassette(&sandbox, &closes);
    let Some(ran) = tdd(&sandbox, &["STE-1", "--cassette", &closes]) else { return };
    ran.expect(0);
    let shared = std::fs::read_dir(sandbox.beside("")).unwrap().flatten();
    let shared = shared.filter(|entry| entry.file_name().to_string_lossy().starts_with("tdd-"));
    let left = shared.flat_map(|folder| std::fs::read_dir(folder.path()).into_iter().flatten().flatten());
    let left: Vec<PathBuf> = left.map(|entry| entry.path()).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// What can't be read is not said to be absent.
#[test]
fn requirements_that_can_not_be_read_are_told_as_that() {
    left_to_the_night!();
    let sandbox = shop();
    sandbox.write("specs/frs/STE-2.md", "# Other\n");
    let frs = sandbox.path("specs/frs");
    for (path, mode, words) in [
        ("specs/frs", 0o000, "specs/frs can't be looked into"),
        ("specs", 0o000, "specs/frs can't be looked into"),
        ("specs/frs/STE-2.md", 0o000, "can't read the requirement specs/frs/STE-2.md"),
    ] {
        set(&sandbox.path(path), mode);
        for args in [&["criteria", "STE-9"][..], &["STE-9"]] {
            let Some(ran) = tdd(&sandbox, args) else { return };
            let words =
                ["whether there is a requirement STE-9 can't be told", words, "ermission denied", "next:"];
            let ran = ran.expect(2).says(&words);
            assert!(!ran.stderr.contains("no requirement"), "{}", ran.stderr);
        }
        set(&sandbox.path(path), 0o755);
    }
    set(&frs, 0o000);
    let found = tdd(&sandbox, &["doctor"]).unwrap().stdout;
    assert!(found.contains("problem  requirements specs/frs can't be looked into"), "{found}");
    tdd(&sandbox, &[]).unwrap().expect(2).says(&["specs/frs can't be looked into"]);
    let by_path = tdd(&sandbox, &["criteria", "specs/frs/STE-1.md"]).unwrap().expect(2);
    by_path.says(&["ermission denied", "make it readable"]);
    set(&frs, 0o755);
    tdd(&sandbox, &["criteria", "STE-9"]).unwrap().expect(2).says(&["no requirement STE-9"]);
}
