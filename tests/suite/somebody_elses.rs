//! Files that somebody else writes while a run is at work, or may have: told, named in the proposed commit, and asked
//! about before an undo takes them. What the project's own suite writes is nobody else's.

use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use super::isolation::has_bwrap;
use super::meanwhile::meanwhile;
use super::sandbox::{Ran, Sandbox};
use super::stops::{HONEST_AGENT, HONEST_CHECK, hear, listen, project};

const LEVELS: [&str; 2] = ["audit", "enforce"];

const WAITING: &str = "case $role in
test-writer) mkdir -p tests; echo 'grep -q two src.txt || { echo no two; exit 1; }' >tests/ac_ste_1_1.sh; block tests/ac_ste_1_1.sh;;
implementer) echo two >>src.txt; echo three >also.txt; echo up >../up; read line <../go; block src.txt,also.txt;;
*) block '';;
esac
";

fn levels() -> impl Iterator<Item = &'static str> {
    LEVELS.into_iter().filter(|level| *level == "audit" || has_bwrap())
}

#[test]
fn ac_tdd_9_80_what_somebody_writes_beside_a_role_is_named_and_an_undo_asks_before_it_goes() {
    left_to_the_night!();
    for level in levels() {
        for (edited, told) in [(&["notes.txt", "README.md"][..], true), (&[], false)] {
            let sandbox = project(WAITING, HONEST_CHECK, "");
            sandbox.write("README.md", "ours\n");
            sandbox.commit();
            let ran =
                meanwhile(level, &sandbox, || edited.iter().for_each(|path| sandbox.write(path, "mine\n")));
            let ran = ran.expect(0);
            assert_eq!(ran.stdout.contains("no role names"), told, "{level}: {}", ran.stdout);
            assert_eq!(ran.stderr.contains("does not name it: README.md, notes.txt"), told, "{}", ran.stderr);
            for path in ["README.md", "notes.txt"] {
                assert_eq!(
                    ran.stdout.contains(&format!("  {path}  (named by no role)")),
                    told,
                    "{}",
                    ran.stdout
                );
            }
            assert!(!ran.stdout.contains("src.txt  (named"), "{}", ran.stdout);
            let undone = sandbox.tdd(&["undo"]).expect(if told { 2 } else { 0 });
            if told {
                undone.says(&["2 files would be overwritten", "README.md", "notes.txt", "--discard-changes"]);
                assert_eq!(sandbox.read("notes.txt"), "mine\n");
                sandbox.tdd(&["undo", "--discard-changes"]).expect(0);
            }
            assert_eq!(sandbox.read("src.txt"), "one\n");
            assert_eq!(sandbox.read("README.md"), "ours\n");
            assert!(!sandbox.path("also.txt").exists());
        }
    }
}

fn git_project(check: &str) -> Sandbox {
    let sandbox = project(HONEST_AGENT, check, "");
    sandbox.write("VERSION", "none\n");
    sandbox.write("README.md", "ours\n");
    sandbox.commit();
    sandbox.git(&["tag", "v1"]);
    sandbox
}

#[track_caller]
fn is_the_suites(sandbox: &Sandbox, ran: &Ran, before: &str, what: &str) {
    assert!(!ran.stdout.contains("somebody else"), "{what}: {}", ran.stdout);
    assert!(!ran.stderr.contains("no role was alive"), "{what}: {}", ran.stderr);
    sandbox.tdd(&["undo"]).expect(0);
    assert_eq!(sandbox.git(&["status", "--short"]), before, "{what}");
    let cleaned = sandbox.tdd(&["clean", "--all"]).expect(0);
    assert!(!cleaned.stderr.contains("left alone"), "{what}: {}", cleaned.stderr);
}

/// What names the place where it runs can't be written the same in a checkout.
#[test]
fn ac_tdd_9_79_what_a_suite_writes_of_the_branch_the_folder_or_the_time_is_its_own() {
    left_to_the_night!();
    for writes in [
        "v=$(git describe --tags --dirty 2>&-) && echo $v >VERSION",
        "v=$(git describe --tags) && echo $v >built-$v.txt",
        "b=$(git symbolic-ref --short HEAD) && { mkdir -p out; date +%N >out/$b.log; }",
        "date +%N >at-$(basename $PWD).txt",
        "cat /proc/sys/kernel/random/uuid >id-$(cat /proc/sys/kernel/random/uuid).txt",
        "b=$(git symbolic-ref --short HEAD) && { mkdir -p out; date +%N >out/$b-$(date +%s%N).log; }",
        "case $PWD in */repo) mkdir -p tests/out; date +%N >tests/out/here.txt;; esac",
        "test ! -e tests/ac_ste_1_1.sh || { b=$(git symbolic-ref --short HEAD) && date +%N >new-$b.txt; }",
        "n=$(ls | grep -c '^run-'); echo ran >run-$((n + 1)).txt",
    ] {
        for level in levels() {
            let sandbox = git_project(&format!("{writes}\n{HONEST_CHECK}"));
            let before = sandbox.git(&["status", "--short"]);
            let ran = sandbox.tdd(&["STE-1", "--sandbox", level]).expect(0);
            is_the_suites(&sandbox, &ran, &before, &format!("{level}: {writes}"));
        }
    }
}

/// The twin: what is saved while the suite runs is a person's, beside such files, too.
#[test]
fn ac_tdd_9_79_a_persons_file_saved_beside_such_files_is_still_theirs() {
    left_to_the_night!();
    let once = "test -e ../once || { : >../once; echo mine >README.md; echo mine >mine-main.txt; }";
    for level in levels() {
        let writes = "b=$(git symbolic-ref --short HEAD) && date +%N >built-$b.txt";
        let sandbox = git_project(&format!("{writes}\n{once}\n{HONEST_CHECK}"));
        let ran = sandbox.tdd(&["STE-1", "--sandbox", level]).expect(0);
        ran.says_on_stdout(&["may be somebody else's: README.md, mine-main.txt; kept as "]);
        sandbox.tdd(&["undo"]).expect(0);
        assert_eq!(
            (sandbox.read("README.md"), sandbox.read("mine-main.txt")),
            ("mine\n".into(), "mine\n".into())
        );
        assert!(!sandbox.path("built-main.txt").exists());
    }
}

/// A person's file is not taken for one of those that the suite names by the time.
#[test]
fn ac_tdd_9_81_a_persons_file_beside_those_that_the_suite_names_by_time_is_theirs() {
    left_to_the_night!();
    let writes = "date >run-$(date +%s%N).txt";
    let mine = "echo mine >run-2.txt; echo mine >run-2026.txt";
    let at_baseline = format!("test -e ../once || {{ : >../once; {mine}; }}");
    let later = format!("test ! -e tests/ac_ste_1_1.sh || test -e ../once || {{ : >../once; {mine}; }}");
    for level in levels() {
        for (edit, is_left) in [(&at_baseline, true), (&later, false)] {
            let sandbox = git_project(&format!("{writes}\n{edit}\n{HONEST_CHECK}"));
            sandbox.write("run-1.txt", "there before\n");
            sandbox.commit();
            let ran = sandbox.tdd(&["STE-1", "--sandbox", level]).expect(0);
            ran.says_on_stdout(&["may be somebody else's: run-2.txt, run-2026.txt; kept as "]);
            sandbox.tdd(&["undo"]).expect(0);
            assert_eq!(sandbox.read("run-1.txt"), "there before\n");
            if is_left {
                assert_eq!(sandbox.read("run-2.txt"), "mine\n");
                let status = sandbox.git(&["status", "--short"]);
                assert_eq!(status, "?? run-2.txt\n?? run-2026.txt", "what the suite left is gone");
            } else {
                sandbox.tdd(&["clean", "--all"]).expect(0).says(&["left alone", "run-2.txt", "run-2026.txt"]);
            }
        }
    }
}

/// Work that was committed on a branch and left there, or stashed, is not taken back from another branch.
#[test]
fn ac_tdd_9_82_an_undo_on_another_branch_says_where_the_work_lies_and_marks_nothing() {
    left_to_the_night!();
    for (leave, come_back, told) in [
        (
            "git checkout -q -b feature; git add -A; git commit -qm WORK; git checkout -q main",
            "git checkout -q feature",
            "on branch feature",
        ),
        ("git stash -q -u", "git stash pop -q", "in the stash"),
        (
            "git checkout -q -b \"it's\"; git commit -qam PART; git checkout -q main; rm -r tests",
            "git checkout -q \"it's\"",
            "on branch it's",
        ),
        (
            "git init -q --bare ../far.git; git remote add origin ../far.git; git checkout -qb feature; git add -A; \
             git commit -qm WORK; git push -q origin feature; git checkout -q main; git branch -qD feature",
            "git checkout -q --detach origin/feature",
            "in origin/feature",
        ),
        (
            "git checkout -q --detach; git add -A; git commit -qm WORK; git tag -am it v1; git checkout -q main",
            "git checkout -q --detach v1",
            "in v1",
        ),
    ] {
        let sandbox = project(HONEST_AGENT, HONEST_CHECK, "");
        sandbox.tdd(&["STE-1"]).expect(0);
        let sh = |script: &str| {
            let mut command = sandbox.command("sh");
            command.args(["-ec", &format!("git config user.name p; git config user.email p@p; {script}")]);
            Ran::of(&command.output().unwrap()).expect(0)
        };
        sh(leave);
        let ran = sandbox.tdd(&["undo"]).expect(2);
        let ran = ran.says(&[told, "nothing was changed", "not marked as undone"]);
        if told.ends_with("it's") {
            ran.says(&[r"git switch 'it'\''s'"]);
        }
        let status = sandbox.tdd(&["status"]).expect(0).stdout;
        assert!(!status.contains("undone"), "{status}");
        sh(come_back);
        let ran = sandbox.tdd(&["undo", "--committed"]).expect(0);
        assert!(ran.stdout.contains("undone:"), "{}", ran.stdout);
        assert_eq!(sandbox.read("src.txt"), "one\n");
    }
    // The twin: whose work is gone altogether has nothing to undo.
    let sandbox = project(HONEST_AGENT, HONEST_CHECK, "");
    sandbox.tdd(&["STE-1"]).expect(0);
    sandbox.git(&["branch", "other"]);
    sandbox.git(&["checkout", "-q", "--", "src.txt"]);
    std::fs::remove_dir_all(sandbox.path("tests")).unwrap();
    let ran = sandbox.tdd(&["undo"]).expect(0);
    assert!(ran.stdout.contains("nothing to undo"), "{}", ran.stdout);
    // Nor is a command told that would bring back what no undo has kept.
    let status = sandbox.tdd(&["status"]).expect(0).stdout;
    assert!(status.contains("was not in the tree") && !status.contains("--to 0"), "{status}");
    let resume = sandbox.tdd(&["resume", "STE-1"]).expect(2).says(&["is undone", "start anew"]);
    assert!(!resume.stderr.contains("--to 0"), "{}", resume.stderr);
}

/// Nor is it where somebody else's changes may go: that the tree is as before the run is no undo of it.
#[test]
fn ac_tdd_9_92_an_undo_that_discards_changes_marks_no_run_undone_whose_work_is_stashed() {
    for is_paused in [false, true] {
        let sandbox = project(if is_paused { WAITING } else { HONEST_AGENT }, HONEST_CHECK, "");
        let mut up = listen(&sandbox, "up");
        let _go = listen(&sandbox, "go");
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
        let command = command.args(["STE-1", "--sandbox", "audit"]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        if is_paused {
            assert_eq!(hear(&mut up), "up");
            kill_process(Pid::from_child(&child), Signal::INT).unwrap();
        }
        Ran::of(&child.wait_with_output().unwrap()).expect(if is_paused { 130 } else { 0 });
        sandbox.git(&["-c", "user.name=p", "-c", "user.email=p@p", "stash", "-q", "-u"]);
        let words = ["undo", "--discard-changes"];
        let told = ["in the stash", "not marked as undone", "git stash pop", "tdd clean"];
        sandbox.tdd(&words).expect(2).says(&told);
        let status = sandbox.tdd(&["status"]).expect(0).stdout;
        assert!(!status.contains("undone"), "{status}");
        // What lies in the tree is somebody else's, and goes as was said.
        sandbox.write("src.txt", "mine\n");
        let ran = sandbox.tdd(&words).expect(0);
        assert!(ran.stderr.contains("in the stash, and is left there"), "{}", ran.stderr);
        assert_eq!(sandbox.read("src.txt"), "one\n");
    }
}

/// What a refused run's own tests have left goes without a word; a person's file stays where they saved it.
#[test]
fn ac_tdd_9_83_clean_asks_nothing_about_what_a_refused_run_made() {
    left_to_the_night!();
    for level in levels() {
        for writes in [
            "echo junk >junk.txt",
            "date +%N >junk.txt",
            "echo x >>README.md",
            "mkdir -p tests; date +%N >tests/data.txt",
            "date +%N >at-$(date +%s%N).txt",
            "b=$(git symbolic-ref --short HEAD) && date +%N >on-$b.txt",
        ] {
            let sandbox = git_project(&format!("{writes}; exit 1"));
            let ran = sandbox.tdd(&["STE-1", "--sandbox", level]).expect(2);
            assert!(!ran.stderr.contains("perhaps of yours"), "{level}: {writes}: {}", ran.stderr);
            assert_eq!(sandbox.git(&["status", "--short"]), "", "{level}: {writes}");
            let cleaned = sandbox.tdd(&["clean", "--all"]).expect(0);
            assert!(!cleaned.stderr.contains("left alone"), "{level}: {writes}: {}", cleaned.stderr);
        }
        let once = "test -e ../once || { : >../once; echo mine >README.md; echo mine >mine.txt; }";
        let sandbox = git_project(&format!("echo junk >junk.txt; {once}; exit 1"));
        sandbox.tdd(&["STE-1", "--sandbox", level]).expect(2).says(&["README.md, mine.txt; left as it is"]);
        assert_eq!(sandbox.git(&["status", "--short"]), "M README.md\n?? mine.txt");
        assert_eq!((sandbox.read("README.md"), sandbox.read("mine.txt")), ("mine\n".into(), "mine\n".into()));
    }
}

/// A commit on the run's own branch is nobody's fault, and is told while the run is at work.
#[test]
fn ac_tdd_9_84_a_commit_on_the_branch_of_a_run_is_told_during_it() {
    for level in levels() {
        let sandbox = project(WAITING, HONEST_CHECK, "");
        let mut mine = String::new();
        let ran = meanwhile(level, &sandbox, || {
            sandbox.write("note.txt", "note\n");
            sandbox.git(&["add", "note.txt"]);
            sandbox.git(&["-c", "user.name=p", "-c", "user.email=p@p", "commit", "-qm", "MINE"]);
            mine = sandbox.git(&["rev-parse", "HEAD"]);
        });
        let ran = ran.expect(0).says(&["branch main was moved from "]);
        assert_eq!(ran.stderr.contains("by somebody else, since no child could"), level == "enforce");
        assert_eq!(sandbox.git(&["rev-parse", "main"]) == mine, level == "enforce", "{level}");
        assert!(sandbox.git(&["rev-list", "--all"]).contains(&mine), "{level}");
    }
}

/// What is advised can be typed as it stands, whatever a file is called.
#[test]
fn ac_tdd_9_85_a_name_with_odd_letters_is_quoted_in_every_advised_command() {
    left_to_the_night!();
    for name in ["a b.txt", "it's.txt", "$(touch x).txt", "a\nb.txt", "\u{1b}[2J.txt", "-n.txt"] {
        let sandbox = project(WAITING, HONEST_CHECK, "");
        let ran = meanwhile("audit", &sandbox, || sandbox.write(name, "mine\n")).expect(0);
        assert!(!ran.stdout.contains('\u{1b}'), "{}", ran.stdout);
        let bash = |script: &str| {
            let mut command = sandbox.command("bash");
            command.env("GIT_AUTHOR_NAME", "p").env("GIT_AUTHOR_EMAIL", "p@p");
            command.env("GIT_COMMITTER_NAME", "p").env("GIT_COMMITTER_EMAIL", "p@p");
            Ran::of(&command.args(["-ec", script]).output().unwrap()).expect(0).stdout
        };
        let commit = ran.stdout.lines().find(|line| line.contains("git add ")).unwrap();
        bash(commit);
        assert!(!sandbox.git(&["-c", "core.quotePath=off", "show", "--stat", "-z", "HEAD"]).is_empty());
        assert_eq!(sandbox.git(&["status", "--short"]), "", "{name:?}");
        sandbox.git(&["reset", "-q", "HEAD~1"]);
        sandbox.tdd(&["undo", "--discard-changes"]).expect(0);
        let cleaned = sandbox.tdd(&["clean", "--all"]).expect(0).says(&["left alone"]);
        let show = cleaned.stderr.lines().find_map(|line| line.strip_prefix("keep one: ")).unwrap();
        assert_eq!(bash(show.strip_suffix(" > FILE").unwrap()), "mine\n", "{name:?}: {show}");
    }
}

/// A formatter that runs with the suite is nobody, however many criteria there are.
#[test]
fn what_a_formatter_in_the_suite_makes_of_each_criterions_work_is_nobodys() {
    left_to_the_night!();
    let agent = "case $role in
test-writer) mkdir -p tests; for n in 1 2 3; do echo \"grep -q 'ac$n x' src.txt\" >tests/ac_ste_1_$n.sh; done
  block tests;;
implementer) n=$(grep -o 'AC-STE-1.[123]' $2 | head -1); echo \"ac${n#AC-STE-1.}   x\" >>src.txt; block src.txt;;
*) block '';;
esac
";
    let check = "sed -i 's/  */ /g' src.txt\nr=0; for t in tests/ac_*.sh; do test ! -e $t || sh $t || r=1; done; exit $r\n";
    for level in levels() {
        let sandbox = project(agent, check, "");
        let requirement = sandbox.read("specs/frs/STE-1.md");
        let more = "- AC-STE-1.2: src.txt says more.\n- AC-STE-1.3: src.txt says it all.\n";
        sandbox.write("specs/frs/STE-1.md", &format!("{requirement}{more}"));
        sandbox.commit();
        let ran = sandbox.tdd(&["STE-1", "--sandbox", level]).expect(0);
        is_the_suites(&sandbox, &ran, "", level);
        assert_eq!(sandbox.read("src.txt"), "one\n");
    }
}
