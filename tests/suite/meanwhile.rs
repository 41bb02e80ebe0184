//! A person at work in the repository while a run is: what is theirs stays theirs, at both levels
//! (contract sections 11 and 12). Through the real binary, with a child that waits in mid-work.

use std::process::Stdio;

use super::isolation::has_bwrap;
use super::sandbox::{Ran, Sandbox};
use super::stops::{self, HONEST_CHECK, hear, listen, project};

const LEVELS: [&str; 2] = ["audit", "enforce"];

/// Does its work in every role; the implementer says that it is up, and waits.
const WAITING: &str = "case $role in
test-writer) mkdir -p tests; echo 'grep -q two src.txt || { echo no two; exit 1; }' >tests/ac_ste_1_1.sh; block tests/ac_ste_1_1.sh;;
implementer) echo two >>src.txt; echo up >../up; read line <../go; block src.txt;;
*) block '';;
esac
";

/// A run at this level, during which somebody else does something as soon as it says that it is up.
pub fn meanwhile(level: &str, sandbox: &Sandbox, action: impl FnOnce()) -> Ran {
    let mut up = listen(sandbox, "up");
    let _go = listen(sandbox, "go");
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    command.arg("STE-1").env("TDD_SANDBOX", level).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    assert_eq!(hear(&mut up), "up");
    action();
    std::fs::write(stops::beside(sandbox, "go"), "\n").unwrap();
    Ran::of(&child.wait_with_output().unwrap())
}

/// The next attempt says nothing and does its work.
pub fn wait_no_more(sandbox: &Sandbox) {
    let agent = format!("role=$1\n{}{}", stops::BLOCK, stops::HONEST_AGENT);
    std::fs::write(stops::beside(sandbox, "agent.sh"), agent).unwrap();
}

/// Goes on with the run at level `enforce`.
pub fn resume(sandbox: &Sandbox) -> Ran {
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    Ran::of(&command.arg("resume").env("TDD_SANDBOX", "enforce").output().unwrap())
}

pub fn sh(sandbox: &Sandbox, script: &str) {
    let mut command = sandbox.command("sh");
    command.env("GIT_AUTHOR_NAME", "p").env("GIT_AUTHOR_EMAIL", "p@p");
    command.env("GIT_COMMITTER_NAME", "p").env("GIT_COMMITTER_EMAIL", "p@p");
    let ran = Ran::of(&command.args(["-ec", script]).output().unwrap());
    ran.expect(0);
}

/// All of a person's that git holds, but for this work tree's HEAD, branch and index.
fn theirs(sandbox: &Sandbox) -> String {
    let refs = sandbox.git(&["for-each-ref", "--format=%(refname) %(objectname)"]);
    let refs: Vec<&str> = refs.lines().filter(|line| !line.starts_with("refs/tdd/")).collect();
    let more = [
        sandbox.git(&["stash", "list"]),
        sandbox.read(".git/config"),
        sandbox.git(&["worktree", "list", "--porcelain"]),
        sandbox.git(&["-C", "../side", "status"]),
    ];
    format!("{}\n{}", refs.join("\n"), more.join("\n"))
}

/// A branch made and rebased in another work tree, a tag, a stash, configuration, a hook.
const WORK: &str = "git worktree add -q -b side ../side; cd ../side
echo 1 >s; git add s; git commit -qm SIDE1; echo 2 >s; git commit -qam SIDE2; git branch theirs HEAD~1; git tag mine
GIT_SEQUENCE_EDITOR=\"sed -i 's/^pick/edit/'\" git rebase -q -i HEAD~1 2>/dev/null
echo x >s; git stash -q; git config user.name me
echo '#!/bin/sh' >../repo/.git/hooks/pre-push
";

#[test]
fn ac_tdd_9_4_what_a_person_does_in_git_meanwhile_stays() {
    left_to_the_night!();
    if !has_bwrap() {
        return;
    }
    for level in LEVELS {
        let sandbox = project(WAITING, HONEST_CHECK, "");
        let mut after = String::new();
        let ran = meanwhile(level, &sandbox, || {
            sh(&sandbox, WORK);
            after = theirs(&sandbox);
        });
        let ran = ran.expect(0);
        assert_eq!(sandbox.level(), level);
        assert_eq!(theirs(&sandbox), after, "{level}: {}", ran.stderr);
        let is_told =
            ran.stderr.contains("seen: branch side was created") && ran.stderr.contains("user.name");
        let hook = "look at, before your next git command: the hook pre-push was left behind";
        assert_eq!(ran.stdout.contains(hook), level == "audit", "{level}: {}", ran.stdout);
        assert_eq!(is_told, level == "audit", "{level}: {}", ran.stderr);
        sh(&sandbox, "cd ../side; git stash pop -q; git checkout -q -- .; git rebase --continue; git fsck");
    }
}

/// In this very work tree. In `audit` a role could have done it, too.
#[test]
fn a_commit_in_the_work_tree_of_a_run_is_lost_at_no_level() {
    left_to_the_night!();
    if !has_bwrap() {
        return;
    }
    for level in LEVELS {
        let sandbox = project(WAITING, HONEST_CHECK, "");
        let before = sandbox.git(&["rev-parse", "main"]);
        let mut mine = String::new();
        let ran = meanwhile(level, &sandbox, || {
            sh(
                &sandbox,
                "echo note >note.txt; git add note.txt; git commit -qm MINE; git checkout -q -b here",
            );
            mine = sandbox.git(&["rev-parse", "HEAD"]);
        });
        let ran = ran.expect(0);
        let now = [sandbox.git(&["symbolic-ref", "HEAD"]), sandbox.git(&["rev-parse", "main"])];
        if level == "audit" {
            assert_eq!(now, ["refs/heads/main".to_owned(), before]);
            assert!(
                ran.stderr.contains("HEAD was moved from branch main to branch here; put back"),
                "{}",
                ran.stderr
            );
        } else {
            assert_eq!(now, ["refs/heads/here".to_owned(), mine.clone()]);
            assert!(!ran.stderr.contains("put back"), "{}", ran.stderr);
            let told =
                "look at, before your next git command: HEAD was moved from branch main to branch here; left";
            assert_eq!(ran.stdout.matches(told).count(), 1, "{}", ran.stdout);
        }
        assert!(sandbox.git(&["rev-list", "--all"]).contains(&mine), "{level}");
    }
}

/// Where a protected file is read-only to every child, a change of it is nobody's fault. The run waits
/// until it is as it was, however often it is gone on with.
#[test]
fn ac_tdd_9_5_a_protected_file_that_an_editor_saves_pauses_a_run_without_blame() {
    left_to_the_night!();
    if !has_bwrap() {
        return;
    }
    let sandbox = project(WAITING, HONEST_CHECK, "");
    let edit = "echo '# mine' >>tests/ac_ste_1_1.sh";
    let ran = meanwhile("enforce", &sandbox, || sh(&sandbox, edit)).expect(3);
    let ran = ran.says(&["by somebody else", "tests/ac_ste_1_1.sh: read-only to every child", "tdd resume"]);
    assert!(sandbox.read("tests/ac_ste_1_1.sh").ends_with("# mine\n"), "nothing was put back");
    assert!(!ran.stderr.contains("may not change"), "{}", ran.stderr);
    let kept = ran.stderr.split("is kept as ").nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
    assert!(sandbox.git(&["for-each-ref", "refs/tdd"]).contains(&kept), "{}", ran.stderr);
    assert!(sandbox.git(&["show", &format!("{kept}:tests/ac_ste_1_1.sh")]).ends_with("# mine"));
    resume(&sandbox).expect(3).says(&["tests/ac_ste_1_1.sh"]);
    let back = ran.stderr.split("git restore ").nth(1).unwrap().lines().next().unwrap();
    let told = sandbox.tdd(&["status"]).expect(0).stdout;
    let state =
        "\nstate        paused: protected files were changed by somebody else while the run was at work\n";
    assert!(told.contains(state) && told.contains(&format!("git restore {back}\n")), "{told}");
    sh(&sandbox, &format!("git restore {back}"));
    resume(&sandbox).expect(0);
    assert_eq!(sandbox.forks(), 3, "no attempt was spent on it");
}

/// Nor does anything that the pause advises take it away unasked.
#[test]
fn what_an_editor_saved_before_a_pause_is_somebody_elses_to_undo_and_to_clean() {
    if !has_bwrap() {
        return;
    }
    let sandbox = project(WAITING, HONEST_CHECK, "");
    let edit = "echo '# mine' >>specs/frs/STE-1.md";
    meanwhile("enforce", &sandbox, || sh(&sandbox, edit)).expect(3).says(&["specs/frs/STE-1.md"]);
    let refused = sandbox.tdd(&["undo"]).expect(2);
    let refused = refused.says(&["1 file would be overwritten", "specs/frs/STE-1.md", "--discard-changes"]);
    assert!(!refused.stderr.contains("src.txt"), "that is the run's own: {}", refused.stderr);
    assert!(sandbox.read("specs/frs/STE-1.md").ends_with("# mine\n"));
    sandbox.tdd(&["undo", "--discard-changes"]).expect(0);
    assert!(!sandbox.read("specs/frs/STE-1.md").contains("mine"));
    sandbox.tdd(&["clean", "--all"]).expect(0).says(&["left alone", "/theirs-", "--discard-commits"]);
    assert!(!sandbox.git(&["for-each-ref", "refs/tdd"]).is_empty());
}

/// A new one is nobody's fault either, in whatever process it is looked at, and no advice takes it away.
#[test]
fn ac_tdd_9_5_a_new_protected_file_of_a_person_is_blamed_on_nobody_however_often_it_is_looked_at() {
    left_to_the_night!();
    if !has_bwrap() {
        return;
    }
    let sandbox = project(WAITING, HONEST_CHECK, "");
    let mine = || std::fs::read_to_string(sandbox.path("tests/helper.sh")).ok();
    let ran = meanwhile("enforce", &sandbox, || sandbox.write("tests/helper.sh", "mine\n")).expect(3);
    ran.says(&["by somebody else", "tests/helper.sh: read-only", "move it out of the repository"]);
    for _ in 0..2 {
        let ran = resume(&sandbox).expect(3).says(&["by somebody else", "tests/helper.sh: read-only"]);
        assert!(
            !ran.stderr.contains("may not change") && !ran.stderr.contains("git restore"),
            "{}",
            ran.stderr
        );
        assert_eq!(mine().as_deref(), Some("mine\n"));
    }
    std::fs::rename(sandbox.path("tests/helper.sh"), sandbox.beside("helper.sh")).unwrap();
    resume(&sandbox).expect(0);
    assert_eq!(sandbox.forks(), 3, "no attempt was spent on it");
}

/// Who writes the next requirement while a run is at work, or has a file open, is in nobody's way.
#[test]
fn ac_tdd_9_18_the_next_requirement_and_what_an_editor_holds_are_no_part_of_a_run() {
    left_to_the_night!();
    let bad = WAITING.replace("echo two >>src.txt; echo up", "echo three >>src.txt; echo up");
    for level in LEVELS.into_iter().filter(|level| *level == "audit" || has_bwrap()) {
        for (agent, code) in [(WAITING, 0), (bad.as_str(), 1)] {
            let sandbox = project(agent, HONEST_CHECK, "budgets: { semantic: 1 }\n");
            let all = [
                "specs/frs/STE-9.md",
                "specs/frs/.STE-1.md.swp",
                "tests/.ac_ste_1_1.sh.swp",
                ".src.txt.swp",
                "src.txt~",
                "tests/ac_ste_1_1.sh~",
                "#src.txt#",
                ".#src.txt",
                "tests/4913",
            ];
            let write = || all.iter().for_each(|path| sandbox.write(path, "mine\n"));
            let ran = meanwhile(level, &sandbox, write).expect(code);
            for word in ["STE-9", ".swp", "txt~", "sh~", "#src", "4913"] {
                assert!(!ran.stderr.contains(word), "{level}: {}", ran.stderr);
                assert!(!ran.stdout.contains(word), "{level}: {}", ran.stdout);
            }
            // Said once more, it is still nobody's business but the person's.
            sandbox.write(all[0], "mine, and more\n");
            sandbox.tdd(&["undo"]).expect(0);
            assert_eq!(sandbox.read("src.txt"), "one\n");
            sandbox.tdd(&["clean", "--all"]).expect(0);
            assert_eq!(sandbox.read(all[0]), "mine, and more\n");
            assert!(all[1..].iter().all(|path| sandbox.read(path) == "mine\n"));
        }
    }
}

/// What a role could have written is put back as its own; it may be a person's all the same.
#[test]
fn what_a_role_could_have_written_is_cleaned_with_a_word_alone() {
    left_to_the_night!();
    // In RED nothing but gate files is read-only, and the test-writer is up then.
    let in_red = WAITING
        .replace(
            "mkdir -p tests;",
            "test -e ../once || { :>../once; echo up >../up; read line <../go; }; mkdir -p tests;",
        )
        .replace("echo two >>src.txt; echo up >../up; read line <../go;", "echo two >>src.txt;");
    for (level, agent, path) in [
        ("audit", WAITING, "tests/mine.sh"),
        ("audit", WAITING, "tests/data/mine.json"),
        ("enforce", in_red.as_str(), "README.txt"),
    ] {
        if level == "enforce" && !has_bwrap() {
            return;
        }
        let sandbox = project(agent, HONEST_CHECK, "");
        sandbox.write("README.txt", "read me\n");
        sandbox.commit();
        let write = || {
            sandbox.write(path, "mine\n");
            wait_no_more(&sandbox);
        };
        let ran = meanwhile(level, &sandbox, write).expect(0);
        assert_ne!(
            std::fs::read_to_string(sandbox.path(path)).ok().as_deref(),
            Some("mine\n"),
            "{}",
            ran.stderr
        );
        let cleaned = sandbox.tdd(&["clean", "--all"]).expect(0).says(&["left alone", "/theirs-"]);
        let kept = sandbox.git(&["for-each-ref", "--format=%(refname)", "refs/tdd"]);
        let holds = |name: &str| {
            let shown = sandbox.command("git").args(["show", &format!("{name}:{path}")]).output().unwrap();
            shown.stdout == b"mine\n"
        };
        assert!(
            kept.lines().any(|name| name.contains("/theirs-") && holds(name)),
            "{path}: {}",
            cleaned.stderr
        );
    }
}

/// A cache that was made for a run goes with it, also if whoever made it was killed; what is in use stays.
#[test]
fn a_killed_run_leaves_no_empty_folder_in_the_home() {
    left_to_the_night!();
    if !has_bwrap() {
        return;
    }
    for used in [false, true] {
        let sandbox = project(WAITING, HONEST_CHECK, "");
        sandbox.write("tool.py", "x = 1\n");
        sandbox.commit();
        let mut up = listen(&sandbox, "up");
        let _go = listen(&sandbox, "go");
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
        command.arg("STE-1").env("TDD_SANDBOX", "enforce").stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        assert_eq!(hear(&mut up), "up");
        child.kill().unwrap();
        child.wait().unwrap();
        let cache = sandbox.beside("home/.cache");
        assert!(cache.is_dir(), "nothing was made, so this shows nothing");
        if used {
            std::fs::write(cache.join("mine"), "").unwrap();
        }
        sandbox.tdd(&["doctor", "--reap"]);
        assert_eq!(cache.exists(), used);
        stops::no_exchange(&sandbox);
    }
}

/// In `audit` what git is in the midst of is put back as it was; what was found there is kept.
#[test]
fn a_rebase_or_a_merge_that_a_person_began_meanwhile_is_kept_whole() {
    left_to_the_night!();
    const HISTORY: &str = "git config user.name p; git config user.email p@p
git checkout -q -b side; echo side >other.txt; git add other.txt; git commit -qm SIDE
git checkout -q main; echo main >other.txt; git add other.txt; git commit -qm MAIN";
    // A rebase stashes what is in the tree, and a merge stops at a conflict.
    for (action, name, has_stash) in [
        (
            "echo mine >>notes.txt; git rebase -q --autostash side 2>/dev/null || true",
            "rebase-merge/onto",
            true,
        ),
        ("git merge -q side >/dev/null 2>&1 || true", "MERGE_HEAD", false),
        ("git bisect start -q; git bisect bad", "BISECT_LOG", false),
    ] {
        let sandbox = project(WAITING, HONEST_CHECK, "");
        sandbox.write("notes.txt", "notes\n");
        sandbox.commit();
        sh(&sandbox, HISTORY);
        let mut was = String::new();
        let ran = meanwhile("audit", &sandbox, || {
            sh(&sandbox, action);
            wait_no_more(&sandbox);
            was = sandbox.read(&format!(".git/{name}"));
        });
        let kept = ran
            .stderr
            .split("in the midst of is kept as ")
            .nth(1)
            .unwrap_or_else(|| panic!("{}", ran.stderr));
        let kept = kept.split(':').next().unwrap();
        assert_eq!(sandbox.git(&["show", &format!("{kept}:{name}")]), was.trim_end(), "{action}");
        assert!(!sandbox.path(".git/rebase-merge").exists() && !sandbox.path(".git/MERGE_HEAD").exists());
        if has_stash {
            let stash =
                ran.stderr.split("git stash apply ").nth(1).unwrap().split([';', '\n']).next().unwrap();
            assert!(sandbox.git(&["show", &format!("{stash}:notes.txt")]).ends_with("mine"));
            sandbox.git(&["-c", "gc.pruneExpire=now", "gc", "-q", "--prune=now"]);
            assert!(sandbox.git(&["show", &format!("{stash}:notes.txt")]).ends_with("mine"), "it is held");
        }
        sandbox.tdd(&["clean", "--all"]).expect(0).says(&["left alone"]);
    }
}

/// Nobody can tell who wrote to a file while tests ran, or made one; what they make again is no person's.
#[test]
fn ac_tdd_9_53_a_run_that_alone_holds_what_was_edited_while_tests_ran_is_not_cleaned_without_a_word() {
    left_to_the_night!();
    for (action, is_held) in [
        ("test -e ../once || { : >../once; echo mine >>notes.txt; }", true),
        ("echo formatted >notes.txt", false),
        ("test -e ../once || { : >../once; echo mine >mine.txt; }", true),
        ("echo theirs >cache.txt", false),
    ] {
        let check = format!("test ! -e tests/ac_ste_1_1.sh || {{ {action}; sh tests/ac_ste_1_1.sh; }}\n");
        let sandbox = project(stops::HONEST_AGENT, &check, "");
        sh(&sandbox, "echo notes >notes.txt; git add notes.txt; git commit -qm notes");
        sandbox.tdd(&["STE-1"]).expect(0);
        let ran = sandbox.tdd(&["clean", "--all"]).expect(0);
        assert_eq!(ran.stderr.contains("left alone"), is_held, "{action}: {}", ran.stderr);
        let kept = sandbox.git(&["for-each-ref", "--format=%(refname)", "refs/tdd"]);
        assert_eq!(kept.is_empty(), !is_held, "{action}: {kept}");
        for name in kept.lines().filter(|name| name.contains("/theirs-")) {
            let file = if action.contains("notes") { "notes.txt" } else { "mine.txt" };
            assert!(sandbox.git(&["show", &format!("{name}:{file}")]).ends_with("mine"));
        }
    }
}

/// In `audit` nobody can tell an editor from a role, so it is put back; what was saved is kept and named.
#[test]
fn what_an_editor_saves_is_kept_and_named() {
    let sandbox = project(WAITING, HONEST_CHECK, "");
    let edit = "echo '# mine' >>tests/ac_ste_1_1.sh";
    let first = std::cell::Cell::new(true);
    let ran = meanwhile("audit", &sandbox, || {
        assert!(first.replace(false));
        sh(&sandbox, edit);
        wait_no_more(&sandbox);
    });
    let ran = ran.expect(0).says(&["protected file tests/ac_ste_1_1.sh was changed; put back"]);
    let kept = ran.stderr.split("what lay there then is kept as ").nth(1).unwrap();
    let kept = kept.split(':').next().unwrap();
    assert!(sandbox.git(&["show", &format!("{kept}:tests/ac_ste_1_1.sh")]).ends_with("# mine"));
    assert!(sandbox.git(&["for-each-ref", "refs/tdd"]).contains(kept));
    sandbox.tdd(&["clean", "--all"]).expect(0).says(&["left alone", "/theirs-", "--discard-commits"]);
    assert!(sandbox.git(&["show", &format!("{kept}:tests/ac_ste_1_1.sh")]).ends_with("# mine"));
}

/// In `enforce` a role's own work is no person's, however bad it was.
#[test]
fn a_run_that_a_bad_role_halted_is_cleaned_without_a_word() {
    left_to_the_night!();
    if !has_bwrap() {
        return;
    }
    let bad = "case $role in
test-writer) mkdir -p tests; echo 'grep -q two src.txt || { echo no two; exit 1; }' >tests/ac_ste_1_1.sh; block tests/ac_ste_1_1.sh;;
implementer) echo three >src.txt; echo 'exit 0' >tests/ac_ste_1_1.sh; echo more >tests/more.sh; block src.txt;;
esac
";
    let sandbox = project(bad, HONEST_CHECK, "");
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    Ran::of(&command.arg("STE-1").env("TDD_SANDBOX", "enforce").output().unwrap()).expect(1);
    let ran = sandbox.tdd(&["clean", "--all"]).expect(0);
    assert!(!ran.stderr.contains("left alone"), "{}", ran.stderr);
    assert_eq!(sandbox.git(&["for-each-ref", "refs/tdd"]), "");
}

/// Another work tree is where the next requirement is worked on meanwhile. Whose hand it was is told by whether
/// its `tdd` was at work.
#[test]
fn ac_tdd_9_21_runs_of_another_work_tree_go_on_meanwhile_and_nobody_is_told_of_their_refs() {
    left_to_the_night!();
    let there = |sandbox: &Sandbox, words: &[&str]| {
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
        Ran::of(&command.args(words).current_dir(stops::beside(sandbox, "linked")).output().unwrap())
    };
    let sandbox = project(stops::HONEST_AGENT, HONEST_CHECK, "");
    sandbox.git(&["worktree", "add", "-q", "../linked"]);
    for _ in 0..2 {
        there(&sandbox, &["STE-1"]).expect(0);
        there(&sandbox, &["undo"]).expect(0);
    }
    let of = |at: usize| {
        let refs = sandbox.git(&["for-each-ref", "--format=%(refname)", "refs/tdd"]);
        let mut runs: Vec<String> =
            refs.lines().map(|name| name.split('/').nth(2).unwrap().to_owned()).collect();
        runs.dedup();
        runs[at].clone()
    };
    let (old, spoiled) = (of(0), of(1));
    let agent = std::fs::read_to_string(stops::beside(&sandbox, "agent.sh")).unwrap();
    std::fs::write(stops::beside(&sandbox, "agent.sh"), format!("role=$1\n{}{WAITING}", stops::BLOCK))
        .unwrap();
    let ran = meanwhile("audit", &sandbox, || {
        let waiting = std::fs::read_to_string(stops::beside(&sandbox, "agent.sh")).unwrap();
        std::fs::write(stops::beside(&sandbox, "agent.sh"), &agent).unwrap();
        there(&sandbox, &["clean", &old]).expect(0);
        there(&sandbox, &["STE-1"]).expect(0);
        std::fs::write(stops::beside(&sandbox, "agent.sh"), waiting).unwrap();
        // What no `tdd` did.
        sandbox.git(&["update-ref", "-d", &format!("refs/tdd/{spoiled}/0")]);
    });
    let ran = ran.expect(0);
    let told: Vec<&str> = ran.stderr.lines().filter(|line| line.contains("refs/tdd/")).collect();
    assert_eq!(told.len(), 1, "{}", ran.stderr);
    assert!(
        told[0].contains(&format!("refs/tdd/{spoiled}/0")) && told[0].contains("was deleted"),
        "{told:?}"
    );
    assert_eq!(ran.stdout.matches("refs/tdd/").count(), 1, "{}", ran.stdout);
}

/// What is taken off the branch in `audit` is a person's, or may be: everybody who is told of the run hears how it
/// comes back.
#[test]
fn ac_tdd_9_56_a_commit_that_is_taken_off_the_branch_is_told_with_the_command_that_brings_it_back() {
    left_to_the_night!();
    for (action, is_moved) in [
        ("git commit -qm MINE --allow-empty", true),
        ("git commit -q --amend --allow-empty -m MINE", true),
        ("git checkout -q -b here; git commit -qm MINE --allow-empty; git branch -q mine", true),
        ("git branch -q mine; git tag -m MINE mine", false),
    ] {
        let sandbox = project(WAITING, HONEST_CHECK, "");
        let mut mine = String::new();
        let ran = meanwhile("audit", &sandbox, || {
            sh(&sandbox, action);
            mine = sandbox.git(&["rev-parse", "HEAD"]);
        });
        let ran = ran.expect(0);
        let told = "; bring it back: ";
        let all = [
            ran.stdout.clone(),
            sandbox.tdd(&["status", "STE-1"]).stdout,
            sandbox.tdd(&["wait"]).stdout,
            sandbox.tdd(&["wait", "--json"]).stdout,
            sandbox.tdd(&["status", "--json", "STE-1"]).stdout,
        ];
        for said in &all {
            assert_eq!(said.contains(told), is_moved, "{action}: {said}");
        }
        if is_moved {
            let command = all[0].split(told).nth(1).unwrap().lines().next().unwrap();
            sh(&sandbox, command);
            assert_eq!(sandbox.git(&["rev-parse", "HEAD"]), mine, "{command}");
            assert_eq!(sandbox.read("src.txt"), "one\ntwo\n", "files stay");
        }
    }
}

/// Who saves a test while tests run is not the role; whoever changes one each time they run is.
#[test]
fn ac_tdd_9_57_a_test_that_is_saved_while_tests_run_is_held_against_nobody() {
    left_to_the_night!();
    let at_work = "test -e tests/ac_ste_1_1.sh && grep -q two src.txt";
    for level in LEVELS {
        for (writes, is_blamed) in [
            ("test ! -e ../once && : >../once && echo true >tests/mine.sh", false),
            ("test ! -e ../once && : >../once && echo false >tests/mine.sh", false),
            ("test ! -e ../once && : >../once && echo '# mine' >>tests/base.sh", false),
            ("echo true >tests/mine.sh", true),
            (
                "test ! -e ../once && : >../once && mkdir -p .claude && echo {} >.claude/settings.local.json",
                false,
            ),
            ("mkdir -p .claude && echo {} >.claude/settings.local.json", true),
        ] {
            if level == "enforce" && (!has_bwrap() || writes.contains("base.sh")) {
                continue;
            }
            let check = format!("{at_work} && {writes}\nfor t in tests/*.sh; do sh $t || exit 1; done\n");
            let sandbox = project(stops::HONEST_AGENT, &check, "budgets: { semantic: 1 }\n");
            sandbox.write("tests/base.sh", "true\n");
            sandbox.commit();
            let ran = sandbox.tdd(&["STE-1", "--sandbox", level]).expect(i32::from(is_blamed));
            if !is_blamed {
                let names = ["tests/mine.sh", "tests/base.sh", ".claude/settings.local.json"];
                let file = names.into_iter().find(|name| writes.contains(name)).unwrap();
                let told = format!("look at: may be somebody else's: {file}; kept as ");
                assert!(ran.stdout.contains(&told), "{level} {writes}: {}", ran.stdout);
                assert_eq!(sandbox.read("tests/base.sh"), "true\n");
            }
        }
    }
}

/// What a person writes beside a fixer is told, and asked for by an undo, as beside a role of the cycle.
#[test]
fn ac_tdd_9_105_what_a_fixer_does_not_name_is_no_work_of_its_to_an_undo() {
    const CHECK: &str = "grep -q two src.txt || { echo no two; exit 1; }\n";
    for names in [true, false] {
        let block = if names { "block src.txt" } else { "echo done" };
        let agent = format!("echo two >>src.txt; echo up >../up; read line <../go; {block}\n");
        let sandbox = project(&agent, CHECK, "");
        sandbox.write("README.md", "ours\n");
        sandbox.commit();
        let mut up = listen(&sandbox, "up");
        let _go = listen(&sandbox, "go");
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
        command.args(["fix", "--check", "sh ../check.sh"]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        assert_eq!(hear(&mut up), "up");
        sh(&sandbox, "echo mine >README.md; echo mine >notes.md");
        std::fs::write(stops::beside(&sandbox, "go"), "\n").unwrap();
        let ran = Ran::of(&child.wait_with_output().unwrap()).expect(0);
        assert_eq!(ran.stdout.contains("README.md  (named by no role)"), names, "{}", ran.stdout);
        assert!(!ran.stdout.contains("src.txt  (named"), "{}", ran.stdout);
        if !names {
            // Who names nothing tells nothing of what is whose.
            sandbox.tdd(&["undo"]).expect(0);
            continue;
        }
        let undo = sandbox.tdd(&["undo"]).expect(2).says(&["2 files would be overwritten", "notes.md"]);
        assert!(!undo.stderr.contains("src.txt"), "{}", undo.stderr);
        assert_eq!(sandbox.read("README.md") + &sandbox.read("notes.md"), "mine\nmine\n");
        sandbox.tdd(&["undo", "--discard-changes"]).expect(0);
        assert_eq!(sandbox.read("README.md") + &sandbox.read("src.txt"), "ours\none\n");
    }
}

/// No command brings back what no tree holds.
#[test]
fn what_a_person_removes_beside_a_role_that_fails_is_brought_back_and_told() {
    left_to_the_night!();
    let waiting = WAITING.replace("echo two >>src.txt;", "echo half >>src.txt;");
    for level in LEVELS {
        if level == "enforce" && !has_bwrap() {
            return;
        }
        let sandbox = project(&waiting, HONEST_CHECK, "");
        sandbox.write("old.md", "ours\n");
        sandbox.commit();
        let ran = meanwhile(level, &sandbox, || {
            wait_no_more(&sandbox);
            sh(&sandbox, "rm old.md");
        });
        let ran = ran.expect(0);
        if sandbox.path("old.md").exists() {
            let told = "brought back with the attempt, though its role does not name it: old.md";
            let ran = ran.says(&[told]);
            assert!(!ran.stdout.contains("may have: old.md"), "{}", ran.stdout);
        }
    }
}

/// Says that its test is written, waits, and names nothing else.
const WAITING_WRITER: &str = "case $role in
test-writer) mkdir -p tests; echo 'grep -q two src.txt || { echo no two; exit 1; }' >tests/ac_ste_1_1.sh; echo up >../up; read line <../go; block tests/ac_ste_1_1.sh;;
implementer) echo two >>src.txt; block src.txt;;
*) block '';;
esac
";

#[test]
fn ac_tdd_9_107_what_a_person_saves_beside_a_test_writer_is_not_held_against_it() {
    left_to_the_night!();
    for level in LEVELS.iter().filter(|level| **level == "audit" || has_bwrap()) {
        let sandbox = project(WAITING_WRITER, HONEST_CHECK, "");
        sandbox.write("README.md", "ours\n");
        sandbox.commit();
        let ran = meanwhile(level, &sandbox, || {
            sh(&sandbox, "echo mine >README.md; echo mine >>src.txt; echo mine >notes.md");
        });
        let ran = ran.expect(0);
        let ran = ran.says(&[
            "README.md, notes.md, src.txt: no block names it, so it may be somebody else's, held against nobody; put back",
        ]);
        let kept = ran.stderr.split("is kept as ").nth(1).unwrap().split(':').next().unwrap();
        assert_eq!(sandbox.git(&["show", &format!("{kept}:notes.md")]).trim(), "mine", "{level}");
        assert_eq!(sandbox.read("src.txt") + &sandbox.read("README.md"), "one\ntwo\nours\n", "{level}");
    }
}

/// What its block names is its own work, and so is what its tests do not do without.
#[test]
fn ac_tdd_9_107_what_a_test_writer_names_or_needs_is_its_own() {
    left_to_the_night!();
    let named = "test-writer) mkdir -p tests; echo two >>src.txt; echo 'grep -q two src.txt || { echo no two; exit 1; }' >tests/ac_ste_1_1.sh; block 'tests/ac_ste_1_1.sh, src.txt';;";
    let needed = "test-writer) mkdir -p tests; echo 'exit 1' >lib.sh; echo '[ -e lib.sh ] || exit 0; . ./lib.sh' >tests/ac_ste_1_1.sh; block tests/ac_ste_1_1.sh;;";
    let loaded = "test-writer) mkdir -p tests; echo true >lib.sh; echo '. ./lib.sh; grep -q two src.txt || { echo no two; exit 1; }' >tests/ac_ste_1_1.sh; block tests/ac_ste_1_1.sh;;";
    for (writer, file) in [(named, "src.txt"), (needed, "lib.sh"), (loaded, "lib.sh")] {
        let sandbox = project(&format!("case $role in\n{writer}\n*) block '';;\nesac\n"), HONEST_CHECK, "");
        let ran = sandbox.tdd(&["STE-1"]).expect(1);
        assert!(ran.stderr.contains(file), "{}", ran.stderr);
        assert!(!ran.stderr.contains("held against nobody"), "{}", ran.stderr);
    }
}
