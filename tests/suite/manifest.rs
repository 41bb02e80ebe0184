//! The seal on protected files: contract sections 7 and 12.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test works on real files and may fail anywhere"
)]

use std::os::unix::fs::MetadataExt;

use tdd_core::commands::RunnerKind;
use tdd_core::path::RelPath;
use tdd_core::policy::{FileClass, Policy};
use tdd_core::ports::Protection;
use tdd_snapshot::manifest::Manifest;

use crate::sealed_git::{Repository, rel};

const PROTECTED: [FileClass; 2] = [FileClass::Test, FileClass::Gate];

fn manifest(repository: &Repository) -> Manifest {
    let policy = Policy::new(tdd_runners::of(RunnerKind::Pytest).test_files, &[], "specs").unwrap();
    Manifest::new(repository.top.clone(), policy, repository.scratch().join("seal"))
}

fn sealed(repository: &Repository) -> Manifest {
    let mut manifest = manifest(repository);
    manifest.seal(&PROTECTED, &[]).unwrap();
    assert_eq!(manifest.check().unwrap(), []);
    manifest
}

fn project() -> Repository {
    let repository = Repository::with(&[
        (".gitignore", ".env\n"),
        ("tests/test_a.py", "a"),
        ("tests/deep/test_b.py", "b"),
        ("tests/data.json", "{}"),
        ("src/core.py", "core"),
        ("src/test_inner.py", "inner"),
        ("conftest.py", "gate"),
        ("Makefile", "gate"),
    ]);
    repository.write(".env", "ignored and protected");
    repository.child("chmod +x tests/test_a.py; ln -s data.json tests/link.json; mkdir ../outside; echo o > ../outside/test_a.py");
    repository
}

fn shown(paths: &[RelPath]) -> Vec<&str> {
    paths.iter().map(RelPath::as_str).collect()
}

/// What is done, how, and which paths are told.
const ATTACKS: [(&str, &str, &[&str]); 21] = [
    ("edit", "echo x > tests/test_a.py", &["tests/test_a.py"]),
    (
        "edit with forged time and size",
        "m=$(stat -c %y tests/test_a.py); printf b > tests/test_a.py; touch -d \"$m\" tests/test_a.py",
        &["tests/test_a.py"],
    ),
    ("removal", "rm tests/deep/test_b.py", &["tests/deep/test_b.py"]),
    ("new file", "echo n > tests/new.py; echo n > src/conftest.py", &["src/conftest.py", "tests/new.py"]),
    ("new ignored gate", "echo n > src/.env", &["src/.env"]),
    ("ignored gate", "echo n > .env", &[".env"]),
    ("mode", "chmod 000 tests/data.json", &["tests/data.json"]),
    ("mode of a folder", "chmod 000 tests", &[]),
    ("retarget", "ln -sf test_a.py tests/link.json", &["tests/link.json"]),
    ("link for file", "rm conftest.py; ln -s ../outside/test_a.py conftest.py", &["conftest.py"]),
    ("file for link", "rm tests/link.json; echo '{}' > tests/link.json", &["tests/link.json"]),
    ("fifo", "rm tests/test_a.py; mkfifo tests/test_a.py", &["tests/test_a.py"]),
    ("new fifo", "mkfifo tests/pipe", &["tests/pipe"]),
    ("folder for file", "rm conftest.py; mkdir -p conftest.py/x; echo y > conftest.py/x/y", &["conftest.py"]),
    ("file for folder", "rm -r tests/deep; echo x > tests/deep", &["tests/deep", "tests/deep/test_b.py"]),
    (
        "folder swapped for link",
        "mv tests/deep moved; mkdir ../outside/deep; echo b > ../outside/deep/test_b.py; ln -s ../../outside/deep tests/deep",
        &["moved/test_b.py", "tests/deep", "tests/deep/test_b.py"],
    ),
    (
        "top folder swapped for link",
        "mv tests ../outside/tests; ln -s ../outside/tests tests",
        &["tests", "tests/data.json", "tests/deep/test_b.py", "tests/link.json", "tests/test_a.py"],
    ),
    ("hard link made", "ln tests/test_a.py ../outside/other", &["tests/test_a.py"]),
    (
        "hard link from outside",
        "rm tests/test_a.py; cp -p ../outside/test_a.py x; ln x tests/test_a.py",
        &["tests/test_a.py"],
    ),
    ("rename", "mv tests/test_a.py tests/test_z.py", &["tests/test_a.py", "tests/test_z.py"]),
    (
        "all gone",
        "rm -r tests Makefile",
        &["Makefile", "tests/data.json", "tests/deep/test_b.py", "tests/link.json", "tests/test_a.py"],
    ),
];

#[test]
fn every_change_is_seen_and_undone() {
    left_to_the_night!();
    for (name, attack, want) in ATTACKS {
        let repository = project();
        let mut manifest = sealed(&repository);
        let protected = |entry: &(Vec<u8>, u32, Vec<u8>)| !entry.0.starts_with(b"moved") && entry.0 != b"x";
        let before = repository.tree();
        let mode = |path: &str| std::fs::symlink_metadata(repository.path(path)).unwrap().mode();
        let modes = [mode("tests/test_a.py"), mode("tests/data.json"), mode(".env")];
        repository.child(attack);
        let touched = manifest.check().unwrap_or_else(|trouble| panic!("{name}: {trouble}"));
        assert_eq!(shown(&touched), want, "{name}");
        assert_eq!(manifest.check().unwrap(), touched, "{name}: a check changes nothing");
        manifest.restore(&touched).unwrap_or_else(|trouble| panic!("{name}: {trouble}"));
        assert_eq!(manifest.check().unwrap(), [], "{name}");
        let after: Vec<_> = repository.tree().into_iter().filter(protected).collect();
        assert_eq!(after, before, "{name}");
        assert_eq!([mode("tests/test_a.py"), mode("tests/data.json"), mode(".env")], modes, "{name}");
        let outside = std::fs::read_to_string(repository.outside("outside/test_a.py")).unwrap();
        assert_eq!(outside, "o\n", "{name}");
    }
}

#[test]
fn what_is_not_protected_is_not_touched() {
    let repository = project();
    let mut manifest = manifest(&repository);
    manifest.seal(&PROTECTED, &[rel("tests/data.json")]).unwrap();
    repository.child(
        "echo x > src/core.py; echo x > src/new.py; echo x > tests/data.json; \
         mkdir -p tests/__pycache__ node_modules/x/test .venv/tests .tdd/runs/r/tests target/tests .git/tests; \
         for d in tests/__pycache__ node_modules/x/test .venv/tests .tdd/runs/r/tests target/tests .git/tests; \
         do echo x > $d/test_x.py; done",
    );
    assert_eq!(manifest.check().unwrap(), []);
    manifest.restore(&[rel("src/core.py"), rel("src/new.py"), rel("tests/data.json")]).unwrap();
    assert_eq!(repository.text("src/core.py").as_deref(), Some("x\n"));
    assert_eq!(repository.text("tests/data.json").as_deref(), Some("x\n"));
    assert!(repository.path("src/new.py").exists());
}

#[test]
fn only_what_is_asked_is_restored() {
    let repository = project();
    let mut manifest = sealed(&repository);
    repository.child("echo x > tests/test_a.py; echo x > Makefile; echo x > tests/new.py");
    manifest.restore(&[rel("Makefile")]).unwrap();
    assert_eq!(shown(&manifest.check().unwrap()), ["tests/new.py", "tests/test_a.py"]);
    manifest.seal(&PROTECTED, &[]).unwrap();
    assert_eq!(manifest.check().unwrap(), [], "a new seal replaces the one before it");
}

#[test]
fn hard_links_are_broken_when_the_seal_is_set() {
    let repository = project();
    repository.child("ln tests/test_a.py ../outside/other-name; touch -d 2020-01-01 tests/test_a.py");
    let before = std::fs::metadata(repository.path("tests/test_a.py")).unwrap();
    assert_eq!(before.nlink(), 2);
    let mut manifest = sealed(&repository);
    let after = std::fs::metadata(repository.path("tests/test_a.py")).unwrap();
    assert_eq!(after.nlink(), 1);
    assert_eq!((after.mtime(), after.mode()), (before.mtime(), before.mode()));
    std::fs::write(repository.outside("outside/other-name"), "through the other name").unwrap();
    assert_eq!(manifest.check().unwrap(), []);
    assert_eq!(repository.text("tests/test_a.py").as_deref(), Some("a"));
}

#[test]
fn what_a_protected_link_leads_to_is_protected() {
    let repository =
        Repository::with(&[("real/checks/one.py", "1"), ("shared/data.txt", "d"), ("src/a.py", "a")]);
    repository.child(
        "ln -s real/checks tests; mkdir test; ln -s ../shared/data.txt test/data.txt; ln -s /etc test/etc",
    );
    let mut manifest = sealed(&repository);
    repository.write("real/checks/one.py", "2");
    repository.write("shared/data.txt", "2");
    repository.write("src/a.py", "2");
    let touched = manifest.check().unwrap();
    assert_eq!(shown(&touched), ["real/checks/one.py", "shared/data.txt"]);
    manifest.restore(&touched).unwrap();
    assert_eq!(repository.text("real/checks/one.py").as_deref(), Some("1"));
    assert_eq!(repository.text("shared/data.txt").as_deref(), Some("d"));
}

#[test]
fn names_that_are_no_utf_8_are_protected() {
    let repository = project();
    repository.write(b"tests/\xff\n.py", "raw");
    let mut manifest = sealed(&repository);
    repository.write(b"tests/\xff\n.py", "changed");
    let touched = manifest.check().unwrap();
    assert_eq!(touched.len(), 1);
    manifest.restore(&touched).unwrap();
    assert_eq!(repository.read(b"tests/\xff\n.py").as_deref(), Some(b"raw".as_slice()));
}

#[test]
fn no_child_can_find_the_copies() {
    let repository = project();
    let mut manifest = sealed(&repository);
    let scratch = repository.scratch().join("seal");
    assert_eq!(std::fs::read_dir(&scratch).unwrap().count(), 0);
    std::fs::remove_dir(&scratch).unwrap();
    repository.write("Makefile", "x");
    manifest.restore(&[rel("Makefile")]).unwrap();
    assert_eq!(repository.text("Makefile").as_deref(), Some("gate"));
}

/// Else all that half a seal lacks would be new, and go when it is put back.
#[test]
fn a_seal_that_fails_takes_nothing_for_new() {
    let repository = project();
    let mut manifest = sealed(&repository);
    let scratch = repository.scratch().join("seal");
    std::fs::remove_dir(&scratch).unwrap();
    std::fs::write(&scratch, "in the way").unwrap();
    manifest.seal(&PROTECTED, &[]).unwrap_err();
    let touched = manifest.check().unwrap();
    assert_eq!(shown(&touched), [""; 0]);
    manifest.restore(&touched).unwrap();
    assert_eq!(repository.text("Makefile").as_deref(), Some("gate"));
}

/// What is done in a tool folder, how, and which paths are told.
const TOOL_DEEDS: [(&str, &str, &[&str]); 16] = [
    ("nothing", "true", &[]),
    ("a dependency is installed", "mkdir node_modules/new; echo x > node_modules/new/index.js", &[]),
    (
        "the manager's records",
        "echo y > node_modules/.package-lock.json; mkdir -p node_modules/.cache; echo x > node_modules/.cache/y",
        &[],
    ),
    ("the same words anew", "cp $P/distutils.pth x; mv x $P/distutils.pth", &[]),
    ("the same link anew", "ln -sfn ../vitest/cli.js node_modules/.bin/vitest", &[]),
    (
        "another link for the runner",
        "ln -sfn ../../evil.js node_modules/.bin/vitest",
        &["node_modules/.bin/vitest"],
    ),
    (
        "a script for the runner's link",
        "rm node_modules/.bin/vitest; echo 'exit 0' > node_modules/.bin/vitest",
        &["node_modules/.bin/vitest"],
    ),
    ("the runner is rewritten", "echo x >> node_modules/vitest/cli.js", &["node_modules/vitest/cli.js"]),
    (
        "with its old time and size",
        "m=$(stat -c %y $P/_pytest/main.py); printf b > $P/_pytest/main.py; touch -d \"$m\" $P/_pytest/main.py",
        &[".venv/lib/python3.11/site-packages/_pytest/main.py"],
    ),
    ("its mode", "chmod +x node_modules/vitest/cli.js", &["node_modules/vitest/cli.js"]),
    ("it is gone", "rm -r node_modules/vitest", &["node_modules/vitest/cli.js"]),
    (
        "the folder is another",
        "mv node_modules x; mkdir node_modules; cp -r x/vitest node_modules",
        &["node_modules/.bin/vitest"],
    ),
    ("it is written anew", "cp node_modules/vitest/cli.js x; mv x node_modules/vitest/cli.js", &[]),
    (
        "under another name, of its old time and size",
        "m=$(stat -c %y $P/_pytest/main.py); ln $P/_pytest/main.py x; printf b > x; touch -d \"$m\" x",
        &[".venv/lib/python3.11/site-packages/_pytest/main.py"],
    ),
    (
        "a hook of Python",
        "echo x > $P/sitecustomize.py",
        &[".venv/lib/python3.11/site-packages/sitecustomize.py"],
    ),
    (
        "words of a hook",
        "echo 'import evil' >> $P/distutils.pth",
        &[".venv/lib/python3.11/site-packages/distutils.pth"],
    ),
];

#[test]
fn what_was_there_in_a_tool_folder_may_not_change() {
    left_to_the_night!();
    for (name, action, want) in TOOL_DEEDS {
        let repository = project();
        let child =
            |script: &str| repository.child(&format!("P=.venv/lib/python3.11/site-packages; {script}"));
        child(
            "mkdir -p node_modules/.bin node_modules/vitest $P/_pytest; echo cli > node_modules/vitest/cli.js; \
             ln -s ../vitest/cli.js node_modules/.bin/vitest; echo y > node_modules/.package-lock.json; \
             printf a > $P/_pytest/main.py; echo 'import os' > $P/distutils.pth",
        );
        let mut manifest = sealed(&repository);
        child(action);
        let touched = manifest.check().unwrap();
        assert_eq!(shown(&touched), want, "{name}");
        manifest.restore(&touched).unwrap();
        assert_eq!(shown(&manifest.check().unwrap()), want, "{name}: no copy was kept");
        manifest.seal(&PROTECTED, &[]).unwrap();
        assert_eq!(shown(&manifest.check().unwrap()), want, "{name}: a new seal forgets nothing");
    }
}

#[test]
fn what_is_written_anew_in_a_tool_folder_is_told_once() {
    let repository = project();
    repository.child("mkdir -p node_modules/a/.bin; cd node_modules/a; echo x > i.js; echo x > .bin/a");
    let mut manifest = sealed(&repository);
    let anew = "cd node_modules/a; for f in i.js .bin/a; do cp $f x; mv x $f; done";
    for (script, told) in [("true", &[] as &[&str]), (anew, &["node_modules/a/i.js"]), ("true", &[])] {
        repository.child(script);
        for told in [told, &[]] {
            assert_eq!(manifest.check().unwrap(), []);
            assert_eq!(shown(&manifest.rewritten()), told, "{script}");
        }
    }
}

/// What the baseline's runs write into tool folders, and what comes of it later.
#[test]
fn what_the_projects_own_commands_write_into_tool_folders_is_learned() {
    let repository = project();
    repository.child(
        "mkdir -p node_modules/tool/dist; cd node_modules/tool/dist; echo code > index.js; echo 1 > kept; \
         echo 1 > old",
    );
    let runs = "cd node_modules/tool/dist; date +%N > made; date +%N > kept; rm -f old";
    let mut manifest = manifest(&repository);
    manifest.look_at_tools().unwrap();
    repository.child(runs);
    let left = manifest.left_in_tools();
    let paths = ["node_modules/tool/dist/kept", "node_modules/tool/dist/made", "node_modules/tool/dist/old"];
    assert_eq!(shown(&left), paths);
    manifest.learn_tools(&left);
    manifest.seal(&PROTECTED, &[]).unwrap();
    let kept = std::fs::read(repository.path(paths[0])).unwrap();
    for (name, action, want) in [
        ("the same commands again", runs, &[] as &[&str]),
        ("what was learned is removed", "rm node_modules/tool/dist/made", &[]),
        (
            "what was learned is forged",
            "echo forged > node_modules/tool/dist/kept; echo x > node_modules/tool/dist/old",
            &[],
        ),
        (
            "its neighbour is changed",
            "echo evil >> node_modules/tool/dist/index.js",
            &["node_modules/tool/dist/index.js"],
        ),
    ] {
        repository.child(action);
        let touched = manifest.check().unwrap();
        assert_eq!(shown(&touched), want, "{name}");
        manifest.restore(&touched).unwrap();
        assert_eq!(std::fs::read(repository.path(paths[0])).unwrap(), kept, "{name}: as it was learned");
        assert!(repository.path(paths[1]).exists() && !repository.path(paths[2]).exists(), "{name}");
    }
}

#[test]
fn what_was_written_into_a_package_after_it_was_installed_may_be_written_again() {
    for (later, written, may) in [
        ("true", "true", false),
        ("echo 1 > record", "true", true),
        // The runs themselves tell of it.
        ("echo 1 > record", "date +%N > record", false),
        ("ln -s index.js record", "true", false),
        ("echo 1 > ../record", "true", false),
    ] {
        let repository = project();
        let tool = "mkdir -p node_modules/tool/dist; cd node_modules/tool";
        let installed = "echo {} > package.json; echo code > dist/index.js; touch -d @1000000000 package.json dist/index.js";
        repository.child(&format!("{tool}; {installed}; {later}"));
        let mut manifest = manifest(&repository);
        assert!(!manifest.may_write_in_tools(), "nobody looked before");
        manifest.look_at_tools().unwrap();
        repository.child(&format!("{tool}; {written}"));
        assert_eq!(manifest.may_write_in_tools(), may, "{later}; {written}");
    }
}

#[test]
fn nothing_is_learned_where_nobody_looked_before() {
    let repository = project();
    repository.child("mkdir -p node_modules/tool; echo code > node_modules/tool/index.js");
    let mut manifest = manifest(&repository);
    assert_eq!(manifest.left_in_tools(), []);
    manifest.look_at_tools().unwrap();
    assert_eq!(manifest.left_in_tools(), []);
}

#[test]
fn a_file_that_is_shared_by_projects_may_get_other_names() {
    let repository = project();
    repository
        .child("mkdir -p node_modules/a; echo x > ../outside/store; ln ../outside/store node_modules/a/i.js");
    let mut manifest = sealed(&repository);
    repository.child("ln ../outside/store ../outside/another-project");
    assert_eq!(manifest.check().unwrap(), []);
    repository.child("echo y > ../outside/another-project");
    assert_eq!(shown(&manifest.check().unwrap()), ["node_modules/a/i.js"]);
}

#[test]
fn a_forged_time_hides_nothing_of_a_file_that_is_known_by_its_stamp() {
    let repository = project();
    let mut manifest = sealed(&repository);
    let made = std::fs::metadata(repository.path("tests/test_a.py")).unwrap();
    // The look after the tick is the first that may be relied on.
    while made.modified().unwrap().elapsed().unwrap_or_default() < std::time::Duration::from_millis(150) {
        std::thread::yield_now();
    }
    assert_eq!(manifest.check().unwrap(), []);
    assert_eq!(manifest.check().unwrap(), []);
    let script =
        "m=$(stat -c %y tests/test_a.py); printf b > tests/test_a.py; touch -d \"$m\" tests/test_a.py";
    repository.child(script);
    assert_eq!(shown(&manifest.check().unwrap()), ["tests/test_a.py"]);
    manifest.restore(&[rel("tests/test_a.py")]).unwrap();
    assert_eq!(manifest.check().unwrap(), []);
}
