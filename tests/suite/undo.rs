//! `tdd undo` and `tdd clean` through the real binary: the tree byte for byte as it was before a
//! run, nothing of anybody's lost, nothing outside a run's folder and refs removed.

use std::io::Read;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::battery;
use super::cycle::{honest_shop_cassette, shop};
use super::sandbox::{Ran, Sandbox, has_python};
use super::stops::{HONEST_AGENT, HONEST_CHECK, project};

/// Path, permissions, and bytes or target.
pub type Tree = Vec<(PathBuf, u32, Vec<u8>)>;

/// Everything but git's folder, the runs, and what running Python leaves.
pub fn tree(sandbox: &Sandbox) -> Tree {
    fn collect(top: &Path, folder: &Path, found: &mut Tree) {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            let name = path.strip_prefix(top).unwrap().to_owned();
            if name == Path::new(".git") || name == Path::new(".tdd/runs") || name.ends_with("__pycache__") {
                continue;
            }
            let meta = std::fs::symlink_metadata(&path).unwrap();
            if meta.is_dir() {
                collect(top, &path, found);
            } else if meta.is_symlink() {
                let target = std::fs::read_link(&path).unwrap();
                found.push((name, 0, target.into_os_string().into_encoded_bytes()));
            } else if meta.is_file() {
                found.push((name, meta.mode() & 0o7777, std::fs::read(&path).unwrap()));
            } else {
                found.push((name, meta.mode(), Vec::new()));
            }
        }
    }
    let mut found = Tree::new();
    collect(&sandbox.repo(), &sandbox.repo(), &mut found);
    found.sort();
    found
}

/// Of a tree that is no run's beginning, no other permissions are known than git keeps.
pub fn as_git_has_it(tree: &Tree) -> Tree {
    tree.iter().map(|(path, mode, bytes)| (path.clone(), mode & 0o100, bytes.clone())).collect()
}

/// HEAD, branch, index and stash: what an undo leaves alone.
pub fn git_state(sandbox: &Sandbox) -> String {
    let refs = sandbox.git(&["for-each-ref", "refs/heads", "refs/tags", "refs/stash"]);
    let head = sandbox.command("git").args(["rev-parse", "--symbolic-full-name", "HEAD"]).output().unwrap();
    format!("{refs}\n{}\n{}", Ran::of(&head).stdout, sandbox.git(&["ls-files", "--stage", "-v"]))
}

/// A project with all that is hard to bring back: untracked, ignored, dirty, deleted and staged
/// files, line ends, modes, links.
pub fn awkward() -> Sandbox {
    let sandbox = shop();
    sandbox.write(".gitignore", "__pycache__/\n*.secret\ncache/\n");
    sandbox.write(".gitattributes", "* text=auto eol=lf\n");
    sandbox.write("crlf.txt", "one\r\ntwo\nthree\r\n");
    sandbox.write("dirty.txt", "committed\n");
    sandbox.write("gone.txt", "committed\n");
    sandbox.write("run.sh", "#!/bin/sh\n");
    sandbox.write("real/file.txt", "x");
    std::fs::set_permissions(sandbox.path("run.sh"), PermissionsExt::from_mode(0o755)).unwrap();
    symlink("crlf.txt", sandbox.path("link")).unwrap();
    sandbox.commit();
    // Permissions that git does not keep.
    for (path, mode) in [("dirty.txt", 0o600), ("real/file.txt", 0o640), ("run.sh", 0o750)] {
        std::fs::set_permissions(sandbox.path(path), PermissionsExt::from_mode(mode)).unwrap();
    }
    assert!(Command::new("mkfifo").arg(sandbox.path("real/fifo")).status().unwrap().success());
    sandbox.write("dirty.txt", "dirty\r\n");
    std::fs::remove_file(sandbox.path("gone.txt")).unwrap();
    sandbox.write("untracked.txt", "nobody has committed this\n");
    sandbox.write("staged.txt", "staged\n");
    sandbox.git(&["add", "staged.txt"]);
    sandbox.write("my.secret", "ignored\n");
    sandbox.write("cache/deep/x", "ignored\n");
    sandbox
}

/// What an implementer does to that project besides its work.
const HAVOC: &str = r#"
  delete: [untracked.txt, run.sh]
  write:
    crlf.txt: "one\n"
    dirty.txt: "the child's\n"
    gone.txt: "back again\n"
    real/new/deep.txt: "new\n"
    shop.py: "def one():\n    return 1\n\n\ndef two():\n    return VALUE\n"
  run:
    - [ln, -sfn, nowhere, link]
    - [sh, -c, "rm real/file.txt; echo other > staged.txt; chmod +x dirty.txt"]
"#;

pub const OK: &str = "  say: { status: ok, files: [], command: t, output_excerpt: x }\n";

fn test_writer() -> String {
    let all = honest_shop_cassette();
    all[..all.find("- role: implementer").unwrap()].to_owned()
}

/// The test-writer's entry, an implementer that wreaks havoc and whose `two()` gives `value`,
/// and the rest.
pub fn havoc(value: &str, rest: &str) -> String {
    format!("{}- role: implementer{}{OK}{rest}", test_writer(), HAVOC.replace("VALUE", value))
}

pub fn refactorer() -> String {
    format!("- role: refactorer\n{OK}")
}

pub fn write_cassette(sandbox: &Sandbox, cassette: &str) -> String {
    let path = sandbox.repo().parent().unwrap().join("cassette.yaml");
    std::fs::write(&path, cassette).unwrap();
    path.to_str().unwrap().to_owned()
}

#[track_caller]
pub fn take(sandbox: &Sandbox, cassette: &str, code: i32) -> Ran {
    let cassette = write_cassette(sandbox, cassette);
    sandbox.tdd(&["STE-1", "--new", "--cassette", &cassette]).expect(code)
}

pub fn run_id(sandbox: &Sandbox) -> String {
    sandbox.run_dir().file_name().unwrap().to_str().unwrap().to_owned()
}

fn run_ids(sandbox: &Sandbox) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(sandbox.path(".tdd/runs")) else { return Vec::new() };
    let mut ids: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    ids.sort();
    ids
}

pub fn refs(sandbox: &Sandbox) -> String {
    sandbox.git(&["for-each-ref", "--format=%(refname)", "refs/tdd"])
}

/// A run that ends at once: the tests that it writes are none, so RED is false.
fn quick_halt(sandbox: &Sandbox) {
    take(sandbox, &format!("- role: test-writer\n{OK}"), 1);
}

#[test]
fn ac_tdd_9_1_a_finished_run_is_taken_back_byte_for_byte() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = awkward();
    let (before, git_before) = (tree(&sandbox), git_state(&sandbox));
    take(&sandbox, &havoc("2", &refactorer()), 0);
    let after = tree(&sandbox);
    assert_ne!(after, before);
    let ran = sandbox.tdd(&["undo"]).expect(0);
    assert_eq!(tree(&sandbox), before);
    assert_eq!(git_state(&sandbox), git_before, "branch, HEAD, index and stash are left alone");
    assert!(ran.stdout.contains("were left alone"), "{}", ran.stdout);
    let journal = || std::fs::read_to_string(sandbox.run_dir().join("events.jsonl")).unwrap();
    let told = journal();
    assert!(told.lines().last().unwrap().contains("\"type\":\"undone\""), "{told}");
    // Twice is once.
    let again = sandbox.tdd(&["undo"]).expect(0);
    assert!(again.stdout.contains("nothing to undo"), "{}", again.stdout);
    assert_eq!(tree(&sandbox), before);
    // The command that is printed takes the undo back.
    let back = ran.stdout.lines().find_map(|line| line.trim().strip_prefix("tdd ")).expect("a command");
    sandbox.tdd(&back.split(' ').collect::<Vec<_>>()).expect(0);
    assert_eq!(as_git_has_it(&tree(&sandbox)), as_git_has_it(&after));
    let more = journal().strip_prefix(&told).unwrap().to_owned();
    assert_eq!(more.matches("\"type\":\"undone\"").count(), 1, "{more}");
    assert_eq!(more.lines().count(), 1, "{more}");
}

#[test]
fn ac_tdd_9_1_a_halted_run_is_taken_back_whatever_failed() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let wrecker = "- role: refactorer\n  write: { shop.py: \"def one():\\n    return 3\\n\" }\n";
    let block = |misbehave: &str| {
        let implementer = format!("{}  misbehave: {misbehave}\n", havoc("2", ""));
        format!("{implementer}{}", refactorer())
    };
    let dispute = "  say: { status: failed, files: [], command: t, output_excerpt: x, dispute: { tests: [t], reason: wrong } }\n";
    let stories = [
        (
            "A",
            format!(
                "- role: test-writer\n  write: {{ tests/test_else.py: \"x = 1\\n\", junk.txt: j }}\n{OK}"
            ),
        ),
        ("B", havoc("3", &refactorer())),
        ("C", havoc("2", &format!("{wrecker}{OK}"))),
        ("D", block("no-block")),
        ("E", block("hang")),
        ("dispute", havoc("2", "").replace(OK, dispute)),
    ];
    for (name, cassette) in battery::part(stories, 3) {
        let sandbox = awkward();
        if name == "E" {
            let yaml = sandbox.read("tdd.yaml");
            sandbox.write("tdd.yaml", &format!("{yaml}attempt_deadline: 3s\n"));
        }
        let (before, git_before) = (tree(&sandbox), git_state(&sandbox));
        let halted = take(&sandbox, &cassette, 1);
        let word = if name == "dispute" { "dispute".to_owned() } else { format!("failure mode: {name}") };
        assert!(halted.stdout.contains(&word), "{name}: {}", halted.stdout);
        assert!(halted.stdout.contains("tdd undo"), "{name}: the report offers it\n{}", halted.stdout);
        sandbox.tdd(&["undo", &run_id(&sandbox)]).expect(0);
        assert_eq!(tree(&sandbox), before, "{name}");
        assert_eq!(git_state(&sandbox), git_before, "{name}");
    }
}

/// A run whose implementer has wreaked its havoc and works on; killed when this is dropped.
struct AtWork {
    child: Child,
}

impl AtWork {
    fn begin(sandbox: &Sandbox) -> Self {
        let fifo = sandbox.repo().parent().unwrap().join("fifo");
        assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        let tell = format!("  run:\n    - [sh, -c, \"echo > {}\"]\n", fifo.display());
        let implementer = havoc("2", "").replace("  run:\n", &tell);
        // Told last, when all the rest is done.
        let (head, actions) = implementer.split_once(&tell).unwrap();
        let (actions, say) = actions.split_at(actions.find("  say:").unwrap());
        let last = tell.strip_prefix("  run:\n").unwrap();
        let cassette =
            format!("{head}  run:\n{}\n{last}{say}  misbehave: hang\n{}", actions.trim_end(), refactorer());
        let cassette = write_cassette(sandbox, &cassette);
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
        command.args(["STE-1", "--cassette", &cassette]).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().unwrap();
        // Opening a FIFO waits for its writer, which is the child.
        std::fs::File::open(&fifo).unwrap().read_to_string(&mut String::new()).unwrap();
        Self { child }
    }

    fn end(mut self, signal: rustix::process::Signal) -> i32 {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).unwrap();
        let status = self.child.wait().unwrap();
        status.code().unwrap_or(-1)
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_stopped_run_is_taken_back_but_not_what_was_edited_since() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    for edited in [false, true] {
        let sandbox = awkward();
        let before = tree(&sandbox);
        let work = AtWork::begin(&sandbox);
        // Meanwhile nobody else may undo or clean.
        let pid = work.child.id().to_string();
        let at_work = tree(&sandbox);
        sandbox.tdd(&["undo"]).expect(2).says(&["another tdd", &pid]);
        sandbox.tdd(&["clean", "--all"]).expect(2).says(&["another tdd", &pid]);
        assert_eq!(tree(&sandbox), at_work);
        assert_eq!(work.end(rustix::process::Signal::INT), 130);
        if edited {
            sandbox.write("untracked.txt", "mine\n");
            let edit = tree(&sandbox);
            let ran = sandbox.tdd(&["undo"]).expect(2).says(&["changed since by somebody else", "untracked"]);
            assert!(!ran.stderr.contains("crlf.txt"), "the child's work is the run's own: {}", ran.stderr);
            assert_eq!(tree(&sandbox), edit);
            sandbox.tdd(&["undo", "--discard-changes"]).expect(0);
        } else {
            let ran = sandbox.tdd(&["undo"]).expect(0);
            assert!(ran.stdout.contains("unfinished"), "{}", ran.stdout);
        }
        assert_eq!(tree(&sandbox), before);
        sandbox.tdd(&["clean", "--all"]).expect(0);
        assert_eq!(run_ids(&sandbox).len(), 1, "an unfinished run stays");
        // Only one ref holds what the cut child and the person left.
        let holder = if edited { "undone-1" } else { "found-at-stop" };
        sandbox.tdd(&["clean", &run_id(&sandbox)]).expect(1).says(&[holder, "--discard-commits"]);
        assert_eq!(run_ids(&sandbox).len(), 1);
        sandbox.tdd(&["clean", &run_id(&sandbox), "--discard-commits"]).expect(0);
        assert_eq!((run_ids(&sandbox).len(), refs(&sandbox)), (0, String::new()), "unless it is named");
    }
}

#[test]
fn of_a_killed_run_nothing_is_guessed() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = awkward();
    let before = tree(&sandbox);
    AtWork::begin(&sandbox).end(rustix::process::Signal::KILL);
    let status = sandbox.tdd(&["status"]).expect(0).stdout;
    assert!(status.contains("cut off, its process is gone; it was: GREEN"), "{status}");
    // What its git had begun goes with the rest.
    for name in ["pack/tmp_pack_AbCdEf", "pack/tmp_idx_AbCdEf", "0a/tmp_obj_AbCdEf"] {
        sandbox.write(&format!(".git/objects/{name}"), "half");
    }
    let doctor = sandbox.tdd(&["doctor"]).stdout;
    assert_eq!(doctor.matches("half written by git: ").count(), 3, "{doctor}");
    let doctor = sandbox.tdd(&["doctor", "--reap"]).stdout;
    assert!(doctor.contains("what killed runs had left is gone"), "{doctor}");
    assert!(!sandbox.path(".git/objects/pack/tmp_pack_AbCdEf").exists());
    assert!(!sandbox.path(".git/objects/0a/tmp_obj_AbCdEf").exists());
    sandbox.tdd(&["undo"]).expect(2).says(&["cut off", "crlf.txt", "--discard-changes"]);
    sandbox.tdd(&["undo", "--discard-changes"]).expect(0);
    assert_eq!(tree(&sandbox), before);
}

#[test]
fn ac_tdd_9_2_what_somebody_else_changed_is_refused_and_then_kept() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = awkward();
    let before = tree(&sandbox);
    take(&sandbox, &havoc("2", &refactorer()), 0);
    sandbox.write("shop.py", "mine\n");
    sandbox.write("notes.txt", "mine too\n");
    sandbox.write("new.secret", "ignored\n");
    std::fs::remove_file(sandbox.path("crlf.txt")).unwrap();
    let edited = tree(&sandbox);
    let refs_before = refs(&sandbox);
    let ran = sandbox.tdd(&["undo", "--json"]).expect(2).says(&[
        "changed since by somebody else:",
        "crlf.txt (deleted)",
        "notes.txt",
        "shop.py (changed)",
        "--discard-changes",
    ]);
    assert!(!ran.stderr.contains("dirty.txt") && !ran.stderr.contains("secret"), "{}", ran.stderr);
    let [said, error] = [0, 1].map(|at| -> serde_json::Value {
        serde_json::from_str(ran.stdout.lines().nth(at).unwrap()).unwrap()
    });
    assert_eq!((&error["type"], &error["exit"]), (&"error".into(), &2.into()));
    assert_eq!((&said["outcome"], said["foreign"].as_array().unwrap().len()), (&"refused".into(), 3));
    assert_eq!((tree(&sandbox), refs(&sandbox)), (edited.clone(), refs_before), "nothing was changed");
    let ran = sandbox.tdd(&["undo", "--discard-changes", "--json"]).expect(0);
    let said: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let mut expected = before;
    expected.push(("new.secret".into(), 0o644, b"ignored\n".to_vec()));
    expected.sort();
    assert_eq!(tree(&sandbox), expected, "ignored files are left alone");
    let kept = format!("{}:shop.py", said["kept_as"].as_str().unwrap());
    assert_eq!(sandbox.git(&["show", &kept]), "mine", "what was discarded is kept");
    let back: Vec<&str> = said["back"].as_str().unwrap().split(' ').skip(1).collect();
    sandbox.tdd(&back).expect(0);
    assert_eq!(as_git_has_it(&tree(&sandbox)), as_git_has_it(&edited));
}

/// Work that was committed since is taken out of the work tree only when that is said.
#[test]
fn ac_tdd_9_7_what_a_person_has_committed_is_not_taken_back_unasked() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = awkward();
    let before = tree(&sandbox);
    take(&sandbox, &havoc("2", &refactorer()), 0);
    let after = tree(&sandbox);
    wait_for_another_second();
    sandbox.commit();
    let head = git_state(&sandbox);
    sandbox.tdd(&["undo"]).expect(2).says(&[
        "committed since",
        "shop.py (changed back)",
        "--committed",
        // What was there before the run went with it.
        "the commit holds other work, too",
        &sandbox.git(&["rev-parse", "HEAD"])[..12],
    ]);
    assert_eq!(tree(&sandbox), after);
    let ran = sandbox.tdd(&["undo", "--committed"]).expect(0).says(&["in the work tree alone"]);
    assert_eq!((tree(&sandbox), git_state(&sandbox)), (before, head), "{}", ran.stdout);
}

/// A commit that holds more than the run's work is none to revert unasked, and what is whose is said.
#[test]
fn a_commit_that_mixes_a_runs_work_with_other_work_is_told_as_that() {
    left_to_the_night!();
    let sandbox = project(HONEST_AGENT, HONEST_CHECK, "");
    sandbox.tdd(&["STE-1"]).expect(0);
    wait_for_another_second();
    sandbox.commit();
    let commit = sandbox.git(&["rev-parse", "HEAD"]);
    let ran =
        sandbox.tdd(&["undo"]).expect(2).says(&[&format!("git revert {}, or git reset", &commit[..12])]);
    assert!(!ran.stderr.contains("other work"), "{}", ran.stderr);
    sandbox.git(&["reset", "-q", "--soft", "HEAD~1"]);
    sandbox.write("mine.txt", "mine\n");
    sandbox.write("specs/frs/STE-2.md", "# Next\n");
    sandbox.commit();
    let ran = sandbox.tdd(&["undo", "--discard-changes"]).expect(2);
    let ran = ran.says(&[
        "2 files of this run were committed since, and 1 file of somebody else's",
        "other work, too",
    ]);
    assert!(!ran.stderr.contains("git reset"), "{}", ran.stderr);
}

/// Permissions that were touched by somebody since, or of a copy, are left: that is told.
#[test]
fn permissions_that_nobody_can_tell_whose_are_left_and_told() {
    left_to_the_night!();
    let agent = HONEST_AGENT.replace("echo two >>src.txt;", "echo two >>src.txt; chmod 644 notes.txt;");
    let sandbox = project(&agent, HONEST_CHECK, "");
    sandbox.write("notes.txt", "notes\n");
    sandbox.commit();
    std::fs::set_permissions(sandbox.path("notes.txt"), PermissionsExt::from_mode(0o600)).unwrap();
    sandbox.tdd(&["STE-1"]).expect(0);
    wait_for_another_second();
    std::fs::hard_link(sandbox.path("notes.txt"), sandbox.beside("other-name")).unwrap();
    sandbox
        .tdd(&["undo"])
        .expect(0)
        .says(&["permissions of 1 file are not as before", "chmod 600 notes.txt"]);
    sandbox.tdd(&["undo"]).expect(0).says(&["notes.txt (644, was 600)"]);
}

/// There is no copy of what is no file, and nobody goes on as if it were there.
#[test]
fn ac_tdd_9_8_a_fifo_that_a_role_removes_is_told() {
    left_to_the_night!();
    let agent = HONEST_AGENT.replace("echo two >>src.txt;", "echo two >>src.txt; rm pipe; echo x >pipe;");
    let sandbox = project(&agent, HONEST_CHECK, "");
    assert!(Command::new("mkfifo").arg(sandbox.path("pipe")).status().unwrap().success());
    let ran = sandbox
        .tdd(&["STE-1"])
        .expect(0)
        .says(&["seen: pipe was no file, and is gone; there is no copy of it"]);
    assert_eq!(ran.stderr.matches("pipe was no file").count(), 1, "{}", ran.stderr);
    // One that stays is nothing to speak of.
    let sandbox = project(HONEST_AGENT, HONEST_CHECK, "");
    assert!(Command::new("mkfifo").arg(sandbox.path("pipe")).status().unwrap().success());
    let ran = sandbox.tdd(&["STE-1"]).expect(0);
    assert!(!ran.stderr.contains("pipe"), "{}", ran.stderr);
}

/// What a person commits on top of it is not what an advice takes back.
#[test]
fn the_commit_that_holds_a_runs_work_is_named_and_not_the_one_on_top_of_it() {
    left_to_the_night!();
    let sandbox = project(HONEST_AGENT, HONEST_CHECK, "");
    sandbox.tdd(&["STE-1"]).expect(0);
    wait_for_another_second();
    sandbox.commit();
    let commit = sandbox.git(&["rev-parse", "HEAD"]);
    sandbox.write("more.txt", "more\n");
    sandbox.commit();
    let ran = sandbox.tdd(&["undo", "--discard-changes"]).expect(2).says(&["committed since"]);
    let ran = ran.says(&[&format!("git revert {}\n", &commit[..12])]);
    assert!(!ran.stderr.contains("HEAD,") && !ran.stderr.contains("git reset"), "{}", ran.stderr);
}

/// A folder that an undo had made before it was killed gets what the run has taken with it.
#[test]
fn a_folder_that_a_killed_undo_made_gets_its_permissions() {
    let agent = HONEST_AGENT.replace("echo two >>src.txt;", "echo two >>src.txt; rm -r priv;");
    let sandbox = project(&agent, HONEST_CHECK, "");
    let permissions = || std::fs::metadata(sandbox.path("priv")).unwrap().mode() & 0o777;
    sandbox.write("priv/f", "f\n");
    sandbox.commit();
    std::fs::set_permissions(sandbox.path("priv"), PermissionsExt::from_mode(0o750)).unwrap();
    sandbox.tdd(&["STE-1"]).expect(0);
    assert!(!sandbox.path("priv").exists());
    let (run, label) = (run_id(&sandbox), "good-implementer-ac_ste_1_1-1");
    let object = |label: &str| sandbox.git(&["rev-parse", &format!("refs/tdd/{run}/{label}")]);
    let (to, now) = (object("0"), object(label));
    sandbox.write("priv/f", "f\n");
    assert_ne!(permissions(), 0o750);
    let note = format!(r#"{{"run":"{run}","to":"{to}","label":"{label}","now":"{now}"}}"#);
    sandbox.write(".git/tdd-undo.json", &note);
    sandbox.tdd(&["undo"]).expect(0);
    assert_eq!((sandbox.read("src.txt").as_str(), permissions()), ("one\n", 0o750));
}

/// A folder that an undo had emptied before it was killed goes; one that a person made stays.
#[test]
fn a_folder_that_a_killed_undo_emptied_is_removed_by_the_next() {
    left_to_the_night!();
    // Killed before the last folder was removed, and before anything else was done, too.
    for is_last in [false, true] {
        let agent = HONEST_AGENT
            .replace("echo two >>src.txt;", "echo two >>src.txt; mkdir -p a/b/c; echo x >a/b/c/x;")
            .replace("block src.txt;", "block src.txt,a;");
        let sandbox = project(&agent, HONEST_CHECK, "");
        std::fs::create_dir(sandbox.path("was")).unwrap();
        sandbox.tdd(&["STE-1"]).expect(0);
        let (run, label) = (run_id(&sandbox), "good-implementer-ac_ste_1_1-1");
        let object = |label: &str| sandbox.git(&["rev-parse", &format!("refs/tdd/{run}/{label}")]);
        let (to, now) = (object("0"), object(label));
        let note = format!(r#"{{"run":"{run}","to":"{to}","label":"{label}","now":"{now}"}}"#);
        if is_last {
            sandbox.tdd(&["undo"]).expect(0);
            std::fs::create_dir_all(sandbox.path("a/b")).unwrap();
        } else {
            std::fs::remove_file(sandbox.path("a/b/c/x")).unwrap();
        }
        std::fs::create_dir(sandbox.path("mine")).unwrap();
        sandbox.write(".git/tdd-undo.json", &note);
        sandbox.tdd(&["undo"]).expect(0);
        assert!(!sandbox.path("a").exists(), "last: {is_last}");
        assert!(sandbox.path("was").is_dir() && sandbox.path("mine").is_dir());
        assert_eq!(sandbox.read("src.txt"), "one\n");
    }
}

/// What an undo has no need to touch keeps its times, and a file whose executable bit alone differs is
/// the same file.
#[test]
fn an_undo_touches_only_what_differs_and_writes_only_what_is_new() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = awkward();
    sandbox.write("big.bin", &"0123456789abcdef".repeat(200_000));
    sandbox.write("mode.sh", "#!/bin/sh\n");
    let stamp = |path: &str| {
        let about = std::fs::symlink_metadata(sandbox.path(path)).unwrap();
        (about.ino(), about.mtime(), about.mtime_nsec())
    };
    take(&sandbox, &havoc("2", &refactorer()), 0);
    std::fs::set_permissions(sandbox.path("mode.sh"), PermissionsExt::from_mode(0o755)).unwrap();
    let stamps = [stamp("mode.sh"), stamp("big.bin"), stamp("tests/test_old.py")];
    let objects = || sandbox.git(&["count-objects", "-v"]);
    let before = objects();
    sandbox.tdd(&["undo", "--discard-changes"]).expect(0);
    assert_eq!(stamps, [stamp("mode.sh"), stamp("big.bin"), stamp("tests/test_old.py")]);
    assert_eq!(std::fs::metadata(sandbox.path("mode.sh")).unwrap().mode() & 0o777, 0o644);
    // A tree and a commit that say that the bit was set; no file is written again.
    let count = |said: &str, of: &str| -> u64 {
        let line = said.lines().find_map(|line| line.strip_prefix(of)).unwrap();
        line.trim_start_matches(": ").parse().unwrap()
    };
    let after = objects();
    assert!(count(&after, "count") <= count(&before, "count") + 2, "{before}\n{after}");
    assert_eq!(count(&after, "packs"), count(&before, "packs"));
    // Where a checkpoint of the run holds the tree as it is, nothing at all is written.
    sandbox.tdd(&["undo", "--to", "0"]).expect(0);
    assert_eq!(objects(), after);
}

#[test]
fn clean_says_which_commits_nothing_else_holds() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = awkward();
    let commit = "  run:\n    - [sh, -c, \"git -c user.name=a -c user.email=a@b commit -q --allow-empty -m THEIRS\"]\n";
    take(&sandbox, &havoc("2", &refactorer()).replace("  run:\n", commit), 0);
    let run = run_id(&sandbox);
    let kept = refs(&sandbox).lines().find(|name| name.contains("/kept-")).unwrap().to_owned();
    sandbox.tdd(&["clean", "--all"]).expect(0).says(&["left alone", &kept, "THEIRS", "--discard-commits"]);
    assert_eq!(run_ids(&sandbox), [run.as_str()]);
    sandbox.git(&["branch", "mine", &kept]);
    sandbox.tdd(&["clean", "--all"]).expect(0);
    assert_eq!((run_ids(&sandbox).len(), refs(&sandbox)), (0, String::new()), "a branch holds it now");
}

/// Ids of runs count seconds.
pub fn wait_for_another_second() {
    let now = || std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let begun = now();
    while now() == begun {
        std::thread::yield_now();
    }
}

#[test]
fn runs_are_taken_back_from_the_newest_down() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = awkward();
    sandbox.write("specs/frs/STE-2.md", "## Acceptance Criteria\n\n- AC-STE-2.1: More.\n  verify: manual\n");
    let first = tree(&sandbox);
    take(&sandbox, &havoc("2", &refactorer()), 0);
    let older = run_id(&sandbox);
    let second = tree(&sandbox);
    wait_for_another_second();
    let implementer = "- role: implementer\n  write: { more.py: \"x = 1\\n\" }\n";
    let cassette = write_cassette(&sandbox, &format!("{implementer}{OK}{}", refactorer()));
    sandbox.tdd(&["STE-2", "--cassette", &cassette]).expect(4);
    let newer = run_id(&sandbox);
    sandbox
        .tdd(&["undo", &older])
        .expect(2)
        .says(&["more.py", &format!("tdd undo {}", tdd_core::run_name::short(&newer))]);
    sandbox.tdd(&["undo"]).expect(0);
    assert_eq!(tree(&sandbox), second);
    sandbox.tdd(&["undo", &older]).expect(0);
    assert_eq!(tree(&sandbox), first);
}

#[test]
fn runs_that_can_not_be_taken_back_say_why() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = shop();
    sandbox.tdd(&["undo"]).expect(2).says(&["no runs yet"]);
    quick_halt(&sandbox);
    let (before, run) = (tree(&sandbox), run_id(&sandbox));
    sandbox.tdd(&["undo", "nope"]).expect(2).says(&["no run `nope`", &run]);
    sandbox.tdd(&["undo", "--to", "nope"]).expect(2).says(&["no checkpoint `nope`", "0"]);
    sandbox.tdd(&["undo", &run[..18]]).expect(0);
    let journal = sandbox.run_dir().join("events.jsonl");
    let whole = std::fs::read_to_string(&journal).unwrap();
    // Cut after the first event: no checkpoint 0 yet.
    std::fs::write(&journal, whole.lines().next().unwrap().to_owned() + "\n").unwrap();
    sandbox.tdd(&["undo"]).expect(2).says(&["no checkpoint 0"]);
    // Damaged in the middle: git still knows checkpoint 0.
    std::fs::write(&journal, whole.replacen("checkpoint_zero", "checkpoint_nero", 1)).unwrap();
    sandbox.write("shop.py", "mine\n");
    sandbox.tdd(&["undo"]).expect(2).says(&["line 3", "refs/tdd/", "--discard-changes"]);
    assert_eq!(sandbox.read("shop.py"), "mine\n");
    sandbox.tdd(&["undo", "--discard-changes"]).expect(0);
    assert_eq!(tree(&sandbox), before);
    // Another checkpoint 0 than the journal's.
    std::fs::write(&journal, &whole).unwrap();
    sandbox.git(&["update-ref", &format!("refs/tdd/{run}/0"), "HEAD"]);
    sandbox.tdd(&["undo"]).expect(2).says(&["different checkpoints 0", "git diff"]);
}

/// What a hostile child may leave behind, and a person may do by accident.
#[test]
fn lost_refs_and_forged_files_lose_nothing() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = awkward();
    let before = tree(&sandbox);
    take(&sandbox, &havoc("2", &refactorer()), 0);
    let (run, dir) = (run_id(&sandbox), sandbox.run_dir());
    // All refs deleted: the journal knows the commit, and git still has it.
    for name in refs(&sandbox).lines() {
        sandbox.git(&["update-ref", "-d", name]);
    }
    // Rules that would hide nothing, and a git folder that leads to the user's.
    let rules = dir.join("checkpoints/rules.json");
    let kept = std::fs::read(&rules).unwrap();
    std::fs::remove_dir_all(dir.join("checkpoints/git")).unwrap();
    symlink(sandbox.path(".git"), dir.join("checkpoints/git")).unwrap();
    let config = sandbox.read(".git/config");
    std::fs::write(&rules, r#"{"sources":[],"general":0,"forced":[],"submodules":[]}"#).unwrap();
    sandbox.tdd(&["undo"]).expect(2).says(&["my.secret", "somebody else"]);
    // Rules that would hide everything.
    let all = r#"{"sources":[{"folder":[],"text":"*"}],"general":1,"forced":[],"submodules":[]}"#;
    std::fs::write(&rules, all).unwrap();
    sandbox.tdd(&["undo", "--discard-changes"]).expect(2).says(&["in the way", "shop.py"]);
    // Rules that point outside of themselves: today's are used.
    std::fs::write(&rules, r#"{"sources":[],"general":9,"forced":[],"submodules":[]}"#).unwrap();
    sandbox.tdd(&["undo"]).expect(0).says(&["rules"]);
    assert_eq!(as_git_has_it(&tree(&sandbox)), as_git_has_it(&before));
    assert_eq!(sandbox.read(".git/config"), config, "nothing is written through a link");
    assert!(refs(&sandbox).contains(&format!("refs/tdd/{run}/0")), "checkpoint 0 has its ref again");
    std::fs::write(&rules, kept).unwrap();
    // The run's folder is a link.
    let away = sandbox.repo().parent().unwrap().join("away");
    std::fs::rename(&dir, &away).unwrap();
    symlink(&away, &dir).unwrap();
    sandbox.tdd(&["undo"]).expect(2).says(&["it is a link"]);
    sandbox.tdd(&["clean", &run]).expect(2).says(&["it is a link"]);
    sandbox.tdd(&["clean", "--all"]).expect(0).says(&["left alone", &run]);
    assert!(away.join("events.jsonl").exists());
    assert!(refs(&sandbox).contains(&run), "the refs of what is left alone stay too");
}

#[test]
fn a_child_that_spoils_refs_and_runs_spoils_no_way_back() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    // The line that spoils; then whether the journal can still be read.
    for (spoil, sound) in [
        ("rm -rf .git/refs/tdd; git pack-refs --all", true),
        ("for f in .tdd/runs/*/checkpoints/rules.json; do echo '{}' > $f; done", true),
        ("for f in .tdd/runs/*/events.jsonl; do echo junk >> $f; done", false),
        ("rm .tdd/runs/*/events.jsonl", false),
        ("rm -rf .tdd", false),
    ] {
        let sandbox = awkward();
        let before = tree(&sandbox);
        let action = format!("  run:\n    - [sh, -c, {spoil:?}]\n");
        let cassette = havoc("2", &refactorer()).replace("  run:\n", &action);
        let cassette = write_cassette(&sandbox, &cassette);
        sandbox.tdd(&["STE-1", "--cassette", &cassette]);
        assert_ne!(tree(&sandbox), before, "{spoil}");
        let run = sandbox.git(&["for-each-ref", "--format=%(refname:lstrip=2)", "refs/tdd/**/0"]);
        let run = run.trim_end_matches("/0").to_owned();
        if sound {
            sandbox.tdd(&["undo", &run]).expect(0);
        } else {
            let refused = sandbox.tdd(&["undo", &run]).expect(2).says(&["--discard-changes"]);
            assert_ne!(tree(&sandbox), before, "{spoil}: {}", refused.stderr);
            sandbox.tdd(&["undo", &run, "--discard-changes"]).expect(0);
        }
        // Permissions are kept beside the rules.
        assert_eq!(as_git_has_it(&tree(&sandbox)), as_git_has_it(&before), "{spoil}");
        sandbox.tdd(&["clean", &run, "--discard-commits"]).expect(0);
        assert_eq!((run_ids(&sandbox).len(), refs(&sandbox)), (0, String::new()), "{spoil}");
    }
}

#[test]
fn an_ignored_file_where_a_file_comes_back_is_not_lost() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = awkward();
    take(&sandbox, &havoc("2", &refactorer()), 0);
    // The child deleted `untracked.txt`; now a folder with ignored files has its name.
    sandbox.write("untracked.txt/my.secret", "ignored\n");
    sandbox.tdd(&["undo", "--discard-changes"]).expect(2).says(&["in the way", "untracked.txt"]);
    assert_eq!(sandbox.read("untracked.txt/my.secret"), "ignored\n");
}

/// Makes a run out of the newest one, under this id.
fn copy_run(sandbox: &Sandbox, id: &str) {
    let (from, run) = (sandbox.run_dir(), run_id(sandbox));
    let to = sandbox.path(".tdd/runs").join(id);
    assert!(Command::new("cp").arg("-r").args([&from, &to]).status().unwrap().success());
    for label in ["0", "before-test-writer-1"] {
        let old = sandbox.git(&["rev-parse", &format!("refs/tdd/{run}/{label}")]);
        sandbox.git(&["update-ref", &format!("refs/tdd/{id}/{label}"), &old]);
    }
}

#[test]
fn ac_tdd_9_3_clean_removes_old_runs_and_nothing_else() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = awkward();
    quick_halt(&sandbox);
    let old: Vec<String> = (1..=7).map(|n| format!("2020010{n}T000000Z-STE-1-abcd")).collect();
    for id in &old {
        copy_run(&sandbox, id);
    }
    // The oldest is unfinished, the next one damaged.
    let cut = |id: &str, lines: usize| {
        let journal = sandbox.path(".tdd/runs").join(id).join("events.jsonl");
        let text = std::fs::read_to_string(&journal).unwrap();
        std::fs::write(&journal, text.split_inclusive('\n').take(lines).collect::<String>()).unwrap();
    };
    cut(&old[0], 8);
    std::fs::write(sandbox.path(".tdd/runs").join(&old[1]).join("events.jsonl"), "nonsense\nnonsense\n")
        .unwrap();
    // What is not ours.
    sandbox.write(".tdd/runs/odd name/keep", "x");
    sandbox.write(".tdd/runs/file", "x");
    sandbox.write(".tdd/note", "x");
    for name in ["refs/tdd/mine/keep", "refs/tdd/top", "refs/heads/other"] {
        sandbox.git(&["update-ref", name, "HEAD"]);
    }
    // Refs of a run whose folder is gone.
    sandbox.git(&["update-ref", "refs/tdd/20190101T000000Z-STE-9-abcd/0", "HEAD"]);
    let (before, git_before, runs) = (tree(&sandbox), git_state(&sandbox), run_ids(&sandbox));
    let all_refs = refs(&sandbox);
    let dry = sandbox.tdd(&["clean", "--dry-run"]).expect(0);
    assert_eq!((run_ids(&sandbox), refs(&sandbox)), (runs, all_refs), "a dry run removes nothing");
    assert!(dry.stdout.contains("2 runs would be removed"), "{}", dry.stdout);
    let ran = sandbox.tdd(&["clean"]).expect(0).says(&["left alone", "odd name", &old[1]]);
    assert_eq!(ran.stdout.replace("removed", "would be removed"), dry.stdout);
    let left = run_ids(&sandbox);
    // Of eight, five are new, one is unfinished and one damaged; the ninth was only refs.
    assert!(!left.contains(&old[2]) && left.contains(&old[0]) && left.contains(&old[1]), "{left:?}");
    assert!(old[3..].iter().all(|id| left.contains(id)), "{left:?}");
    assert!(!refs(&sandbox).contains(&old[2]) && !refs(&sandbox).contains("20190101"));
    assert!(
        ran.stdout.contains(tdd_core::run_name::short(&old[2]))
            && ran.stdout.contains("2 refs")
            && ran.stdout.contains("KiB")
    );
    sandbox.tdd(&["clean", "--keep", "1", "--json"]).expect(0);
    assert_eq!(run_ids(&sandbox).iter().filter(|id| id.starts_with("20")).count(), 3);
    sandbox.tdd(&["clean", "nope"]).expect(2).says(&["no run `nope`"]);
    sandbox.tdd(&["clean", "2020"]).expect(2).says(&["more than one"]);
    sandbox.tdd(&["clean", "odd name"]).expect(2).says(&["no run has such a name"]);
    sandbox.tdd(&["clean", "../.."]).expect(2).says(&["no run"]);
    sandbox.tdd(&["clean", "--all"]).expect(0);
    assert_eq!(run_ids(&sandbox), [&old[0], &old[1], "file", "odd name"]);
    sandbox.tdd(&["clean", &old[0], &old[1]]).expect(0);
    assert_eq!(run_ids(&sandbox), ["file", "odd name"]);
    assert_eq!(refs(&sandbox), "refs/tdd/mine/keep\nrefs/tdd/top");
    assert_eq!((tree(&sandbox), git_state(&sandbox)), (before, git_before));
    let nothing = sandbox.tdd(&["clean", "--all"]).expect(0);
    assert!(nothing.stdout.contains("nothing removed"), "{}", nothing.stdout);
}

#[test]
fn clean_follows_no_link() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = shop();
    quick_halt(&sandbox);
    let (dir, run) = (sandbox.run_dir(), run_id(&sandbox));
    let outside = sandbox.repo().parent().unwrap().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("precious"), "x").unwrap();
    // Links inside the run's folder go, what they lead to stays; so do locks that git left.
    symlink(&outside, dir.join("logs/out")).unwrap();
    sandbox.write(&format!(".git/refs/tdd/{run}/0.lock"), "");
    std::fs::set_permissions(dir.join("logs"), PermissionsExt::from_mode(0o500)).unwrap();
    // Refs of a run that lead to the user's branches stay.
    sandbox.git(&["branch", "feature/x"]);
    let forged = "20200101T000000Z-STE-1-abcd";
    symlink("../heads/feature", sandbox.path(".git/refs/tdd").join(forged)).unwrap();
    sandbox.tdd(&["clean", "--all"]).expect(1).says(&[forged, "link"]);
    assert_eq!(run_ids(&sandbox), Vec::<String>::new());
    assert!(outside.join("precious").exists());
    sandbox.git(&["rev-parse", "feature/x"]);
    // Nor is `.tdd/runs` itself followed.
    std::fs::remove_dir(sandbox.path(".tdd/runs")).unwrap();
    symlink(&outside, sandbox.path(".tdd/runs")).unwrap();
    sandbox.tdd(&["clean", "--all"]).expect(2).says(&[".tdd/runs", "link"]);
    assert!(outside.join("precious").exists());
}

#[test]
fn the_refs_of_another_work_trees_runs_stay() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = shop();
    let other = sandbox.repo().parent().unwrap().join("other");
    sandbox.git(&["worktree", "add", "-q", other.to_str().unwrap()]);
    quick_halt(&sandbox);
    let before = refs(&sandbox);
    let clean = || {
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
        Ran::of(&command.current_dir(&other).args(["clean", "--all"]).output().unwrap()).expect(0)
    };
    clean();
    assert_eq!(refs(&sandbox), before);
    std::fs::remove_dir_all(sandbox.path(".tdd")).unwrap();
    clean();
    assert_eq!(refs(&sandbox), "", "until the folder is gone there too");
}
