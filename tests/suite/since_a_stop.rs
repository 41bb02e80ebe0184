//! What a person did after a run was stopped, or beside it, and how they come to it again: it stays where they say
//! so, and no advice leads nowhere (contract section 11).

use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use rustix::process::Signal;

use super::between::ended_by;
use super::isolation::has_bwrap;
use super::meanwhile::{meanwhile, resume, sh, wait_no_more};
use super::sandbox::{Ran, Sandbox};
use super::stops::{HONEST_AGENT, HONEST_CHECK, project};

/// Does its work in every role; the implementer writes half of it, says that it is up, and waits.
const HALF_DONE: &str = "case $role in
test-writer) mkdir -p tests; echo 'grep -q two src.txt || { echo no two; exit 1; }' >tests/ac_ste_1_1.sh; block tests/ac_ste_1_1.sh;;
implementer) echo half >>src.txt; echo up >../up; read line <../go; echo two >>src.txt; block src.txt;;
*) block '';;
esac
";

/// A run that was ended in mid-work, a commit and an edit of a person since, and an agent that waits no more.
fn ended_and_edited(signal: Signal) -> Sandbox {
    let sandbox = project(HALF_DONE, HONEST_CHECK, "");
    sandbox.write("README.md", "ours\n");
    sandbox.write("old.md", "ours\n");
    sandbox.commit();
    ended_by(signal, &sandbox);
    let edit =
        "echo mine >notes.md; git add notes.md; git commit -qm NOTES; echo mine >README.md; git rm -q old.md";
    sh(&sandbox, edit);
    wait_no_more(&sandbox);
    sandbox
}

/// The rest of the line of a message that begins so.
#[track_caller]
fn behind<'t>(text: &'t str, begins: &str) -> &'t str {
    let rest = text.split(begins).nth(1).unwrap_or_else(|| panic!("{begins:?} is not in:\n{text}"));
    rest.lines().next().unwrap().trim()
}

#[track_caller]
fn shell(sandbox: &Sandbox, line: &str) -> Ran {
    Ran::of(&sandbox.command("sh").args(["-c", line]).output().unwrap())
}

#[test]
fn ac_tdd_9_96_what_a_person_changed_since_a_stop_stays_where_they_say_that_it_is_on_purpose() {
    left_to_the_night!();
    let sandbox = ended_and_edited(Signal::INT);
    let asked = sandbox.tdd(&["resume"]).expect(3);
    let asked = asked.says(&["since the implementer was stopped", "README.md", "notes.md"]);
    let run = behind(&asked.stderr, "if it was on purpose:    tdd resume ").to_owned();
    let words: Vec<&str> = ["resume"].into_iter().chain(run.split_whitespace()).collect();
    let ran = sandbox.tdd(&words).expect(0);
    let ran = ran.says(&["README.md, notes.md, old.md; gone on with"]);
    let ran = ran.says_on_stdout(&["README.md  (changed by hand)"]);
    let proposed = ran.stdout.lines().find(|line| line.trim().starts_with("git add ")).unwrap();
    assert!(proposed.contains(" -- :/README.md :/old.md :/src.txt "), "{proposed}");
    assert_eq!(sandbox.read("src.txt"), "one\ntwo\n", "the attempt began anew");
    assert_eq!(sandbox.read("README.md") + &sandbox.read("notes.md"), "mine\nmine\n");
    sandbox.tdd(&["undo"]).expect(0);
    assert_eq!(sandbox.read("src.txt") + &sandbox.read("README.md"), "one\nmine\n");
    assert_eq!(sandbox.read("notes.md"), "mine\n");
    sandbox.tdd(&["undo", "--to", "good-refactorer-1"]).expect(0);
    sh(&sandbox, proposed);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "", "all of it is committed, staged removals, too");
}

/// Of one file that holds both nobody can tell which part is whose.
#[test]
fn an_edit_on_a_roles_half_done_work_is_not_undone_without_a_word() {
    left_to_the_night!();
    let sandbox = project(HALF_DONE, HONEST_CHECK, "");
    sandbox.write("README.md", "ours\n");
    sandbox.commit();
    ended_by(Signal::INT, &sandbox);
    sh(&sandbox, "echo mine >>src.txt; echo mine >README.md");
    wait_no_more(&sandbox);
    sandbox.tdd(&["resume", "--edited"]).expect(0);
    assert_eq!(sandbox.read("src.txt"), "one\nhalf\nmine\ntwo\n");
    let refused =
        sandbox.tdd(&["undo"]).expect(2).says(&["1 file would be overwritten", "src.txt (changed)"]);
    assert!(!refused.stderr.contains("README.md"), "{}", refused.stderr);
    sandbox.tdd(&["undo", "--discard-changes"]).expect(0);
    assert_eq!(sandbox.read("src.txt") + &sandbox.read("README.md"), "one\nmine\n");
}

/// The other way that is told: what a person committed stays in git, and what they wrote in a checkpoint.
#[test]
fn what_a_person_changed_since_a_stop_is_put_back_as_it_is_advised() {
    left_to_the_night!();
    let sandbox = ended_and_edited(Signal::INT);
    let asked = sandbox.tdd(&["resume"]).expect(3);
    let (_, advice) = asked.stderr.split_once("go on without them:\n").unwrap();
    let mut commands = advice.lines().map(|line| line.trim().trim_start_matches("tdd "));
    let (undo, resume) = (commands.next().unwrap(), commands.next().unwrap());
    let undo: Vec<&str> = undo.split_whitespace().collect();
    let resume: Vec<&str> = resume.split_whitespace().collect();
    let put_back = sandbox.tdd(&undo).expect(0);
    let put_back = put_back.says_on_stdout(&["README.md (changed back)", "to go on with it: tdd resume "]);
    sandbox.tdd(&resume).expect(0);
    assert_eq!(sandbox.read("README.md") + &sandbox.read("src.txt"), "ours\none\ntwo\n");
    assert!(!sandbox.path("notes.md").exists());
    assert_eq!(sandbox.git(&["show", "HEAD:notes.md"]), "mine");
    let kept = behind(&put_back.stdout, "is kept as ").split(';').next().unwrap();
    assert_eq!(sandbox.git(&["show", &format!("{kept}:README.md")]), "mine");
}

/// After a kill nobody can tell a person's edit from a child's, so there is none to stay.
#[test]
fn no_edit_since_a_kill_is_taken_for_one_on_purpose() {
    left_to_the_night!();
    let sandbox = ended_and_edited(Signal::KILL);
    sandbox.tdd(&["resume", "--edited"]).expect(2).says(&["the run can't take this now"]);
    let ran = sandbox.tdd(&["resume"]).expect(0);
    ran.says(&["README.md is as before the attempt"]);
    assert_eq!(sandbox.read("README.md") + &sandbox.read("src.txt"), "ours\none\ntwo\n");
}

/// Neither a criterion that nothing tests nor a test that was never seen failing is gone on from.
#[test]
fn ac_tdd_9_102_an_edit_that_does_not_stand_is_checked_again_before_an_agent_is_started() {
    left_to_the_night!();
    const REQUIREMENT: &str = "specs/frs/STE-1.md";
    const TEST: &str = "tests/ac_ste_1_1.sh";
    for hollow in [false, true] {
        let sandbox = project(HALF_DONE, HONEST_CHECK, "");
        ended_by(Signal::INT, &sandbox);
        wait_no_more(&sandbox);
        let file = if hollow { TEST } else { REQUIREMENT };
        let before = sandbox.read(file);
        let text = if hollow { "true\n".to_owned() } else { format!("{before}- AC-STE-1.2: And three.\n") };
        sandbox.write(file, &text);
        let refused = sandbox.tdd(&["resume", "--edited"]).expect(3);
        refused.says(&["the edited tests do not stand", "go on: tdd resume ", " --edited\n"]);
        for _ in 0..2 {
            sandbox.tdd(&["resume"]).expect(3).says(&["the edited tests do not stand"]);
        }
        assert_eq!(sandbox.forks(), 2, "no agent was started");
        sandbox.write(file, &before);
        sandbox.tdd(&["resume", "--edited"]).expect(0);
        assert_eq!(sandbox.read("src.txt"), "one\ntwo\n");
    }
}

/// No child can write to git's index in level `enforce`: what somebody has staged is held against none.
#[test]
fn ac_tdd_9_97_a_protected_file_that_a_person_has_staged_pauses_a_run_without_blame() {
    left_to_the_night!();
    if !has_bwrap() {
        return;
    }
    let module = "printf '[submodule \"m\"]\\n\\tpath = m\\n\\turl = ../m\\n' >.gitmodules";
    for staged in [true, false] {
        let sandbox = project(HALF_DONE, HONEST_CHECK, "");
        let more = if staged { "; git add .gitmodules" } else { "" };
        let ran = meanwhile("enforce", &sandbox, || {
            wait_no_more(&sandbox);
            sh(&sandbox, &format!("{module}{more}"));
        });
        if !staged {
            ran.expect(0).says(&["this role may not change: .gitmodules"]);
            assert!(!sandbox.path(".gitmodules").exists());
            continue;
        }
        let ran = ran.expect(3).says(&["by somebody else", ".gitmodules", "staged in git's index"]);
        assert!(!ran.stderr.contains("may not change"), "{}", ran.stderr);
        resume(&sandbox).expect(3).says(&[".gitmodules"]);
        std::fs::rename(sandbox.path(".gitmodules"), sandbox.beside("modules")).unwrap();
        resume(&sandbox).expect(0);
        assert_eq!(sandbox.forks(), 3, "no attempt was spent on it");
    }
}

/// The index that it was compared with is known to the process alone that ran the role.
#[test]
fn what_was_staged_beside_a_test_writer_is_blameless_until_it_is_moved_away() {
    left_to_the_night!();
    if !has_bwrap() {
        return;
    }
    let waits = HONEST_AGENT.replace("block tests/", "echo up >../up; read line <../go; block tests/");
    let sandbox = project(&waits, HONEST_CHECK, "");
    let ran = meanwhile("enforce", &sandbox, || {
        wait_no_more(&sandbox);
        let files = "echo '[tool.pytest.ini_options]' >pyproject.toml; echo '[submodule \"m\"]' >.gitmodules";
        sh(&sandbox, &format!("{files}; git add pyproject.toml .gitmodules"));
    });
    ran.expect(3).says(&["by somebody else", ".gitmodules", "pyproject.toml", "staged in git's index"]);
    resume(&sandbox).expect(3).says(&[".gitmodules", "pyproject.toml", "staged in git's index"]);
    std::fs::rename(sandbox.path(".gitmodules"), sandbox.beside("modules")).unwrap();
    let ran = resume(&sandbox).expect(3).says(&["pyproject.toml", "staged in git's index"]);
    assert!(!ran.stderr.contains(".gitmodules"), "{}", ran.stderr);
    std::fs::rename(sandbox.path("pyproject.toml"), sandbox.beside("pyproject")).unwrap();
    resume(&sandbox).expect(0);
    assert_eq!(sandbox.forks(), 3, "no attempt was spent on it");
}

/// What is gone then lies neither in the tree nor in the checkpoint that tells of it.
#[test]
fn a_protected_file_that_a_person_has_removed_meanwhile_is_not_brought_back_by_an_undo_without_a_word() {
    left_to_the_night!();
    if !has_bwrap() {
        return;
    }
    let sandbox = project(HALF_DONE, HONEST_CHECK, "");
    sandbox.write("tests/old.sh", "true\n");
    sandbox.commit();
    let ran = meanwhile("enforce", &sandbox, || sh(&sandbox, "git rm -q tests/old.sh")).expect(3);
    ran.says(&["by somebody else", "tests/old.sh"]);
    sandbox.tdd(&["undo"]).expect(2).says(&["1 file would be overwritten", "tests/old.sh (deleted)"]);
    assert!(!sandbox.path("tests/old.sh").exists());
    sandbox.tdd(&["undo", "--discard-changes"]).expect(0);
    assert_eq!(sandbox.read("tests/old.sh"), "true\n");
}

/// A name that is not UTF-8 is known to git byte for byte and to a report by what is shown of it.
#[test]
fn ac_tdd_9_98_a_file_whose_name_is_not_utf_8_is_neither_undone_nor_cleaned_without_a_word() {
    left_to_the_night!();
    for level in ["audit", "enforce"] {
        if level == "enforce" && !has_bwrap() {
            return;
        }
        let sandbox = project(HALF_DONE, HONEST_CHECK, "");
        let name = PathBuf::from(std::ffi::OsStr::from_bytes(b"bad\xff.txt"));
        let at = sandbox.path("").join(name);
        if std::fs::write(&at, "").is_err() {
            return; // A file system that takes UTF-8 alone.
        }
        std::fs::remove_file(&at).unwrap();
        let ran = meanwhile(level, &sandbox, || {
            std::fs::write(&at, "precious\n").unwrap();
            wait_no_more(&sandbox);
        });
        let ran = ran.expect(0).says_on_stdout(&["leaves out 1 file, for a name that is not UTF-8"]);
        let commit = ran.stdout.lines().find(|line| line.trim().starts_with("git add ")).unwrap();
        assert!(!commit.contains("bad"), "{commit}");
        shell(&sandbox, commit.split(" && ").next().unwrap()).expect(0);
        sandbox.tdd(&["undo"]).expect(2).says(&["1 file would be overwritten", "bad\u{fffd}.txt"]);
        assert!(at.exists());
        sandbox.tdd(&["undo", "--discard-changes"]).expect(0);
        assert!(!at.exists());
        let cleaned = sandbox.tdd(&["clean", "--all"]).expect(0).says(&["left alone", "bad\u{fffd}.txt"]);
        let show = behind(&cleaned.stderr, "keep one: ").replace("> FILE", "");
        assert_eq!(shell(&sandbox, &show).expect(0).stdout, "precious\n");
    }
}

/// Files that git does not track are in no `git diff`.
#[test]
fn ac_tdd_9_99_a_refused_undo_shows_how_a_file_differs_from_what_the_run_left() {
    let sandbox = project(super::stops::HONEST_AGENT, HONEST_CHECK, "");
    sandbox.tdd(&["STE-1"]).expect(0);
    sh(&sandbox, "echo '# mine' >>tests/ac_ste_1_1.sh");
    let refused = sandbox.tdd(&["undo"]).expect(2).says(&["tests/ac_ste_1_1.sh"]);
    let shown = shell(&sandbox, behind(&refused.stderr, "see what was changed: "));
    assert_eq!(
        shown.stdout.lines().filter(|line| line.starts_with(['<', '>'])).collect::<Vec<_>>(),
        ["> # mine"]
    );
    sh(&sandbox, "echo mine >>src.txt");
    let refused = sandbox.tdd(&["undo"]).expect(2);
    let (_, shown) = refused.stderr.split_once("see what was changed:\n").unwrap();
    let shown = shown.lines().take(2).map(|line| shell(&sandbox, line.trim()).stdout);
    assert!(
        shown.into_iter().all(|shown| shown.contains("mine")),
        "one command for each: {}",
        refused.stderr
    );
}

/// Git takes no commit of single files then.
#[test]
fn ac_tdd_9_100_a_summary_says_what_git_is_in_the_midst_of_before_it_proposes_a_commit() {
    left_to_the_night!();
    if !has_bwrap() {
        return;
    }
    for conflict in [true, false] {
        let sandbox = project(HALF_DONE, HONEST_CHECK, "");
        sandbox.write("README.md", "ours\n");
        sandbox.commit();
        let pick = "git switch -qc other; echo theirs >README.md; git commit -qam THEIRS; git switch -q -
                    echo mine >README.md; git commit -qam MINE; git cherry-pick other >/dev/null 2>&1 || true";
        let ran = meanwhile("enforce", &sandbox, || {
            wait_no_more(&sandbox);
            if conflict {
                sh(&sandbox, pick);
            }
        });
        let told = ran.stdout.contains("look at: git is in the midst of a cherry-pick");
        assert_eq!(
            (told, ran.stdout.contains("git cherry-pick --abort")),
            (conflict, conflict),
            "{}",
            ran.stdout
        );
    }
}

/// What is half merged would be taken for a person's edit, or be put back below an open merge.
#[test]
fn ac_tdd_9_106_a_run_is_not_gone_on_with_in_the_midst_of_a_merge() {
    let sandbox = project(HALF_DONE, HONEST_CHECK, "");
    sandbox.write("README.md", "ours\n");
    sandbox.commit();
    sh(&sandbox, "git switch -qc other; echo theirs >README.md; git commit -qam THEIRS; git switch -q -");
    sh(&sandbox, "echo mine >README.md; git commit -qam MINE");
    ended_by(Signal::INT, &sandbox);
    wait_no_more(&sandbox);
    sh(&sandbox, "git merge -q other >/dev/null 2>&1 || true");
    for words in [&["resume"][..], &["resume", "--edited"]] {
        let refused = sandbox.tdd(words).expect(2);
        refused.says(&[
            "git is in the midst of a merge",
            "README.md",
            "git merge --abort",
            "tdd resume STE-1-",
        ]);
    }
    sandbox.tdd(&["undo"]).expect(2).says(&["git is in the midst of a merge"]);
    sh(&sandbox, "git merge --abort");
    sandbox.tdd(&["resume"]).expect(0);
    assert_eq!(sandbox.read("src.txt") + &sandbox.read("README.md"), "one\ntwo\nmine\n");
}

/// Git refuses a commit of nothing, and of a file that neither it nor the tree has.
#[test]
fn ac_tdd_9_103_a_proposed_commit_leaves_out_what_somebody_has_committed_meanwhile() {
    left_to_the_night!();
    if !has_bwrap() {
        return;
    }
    let sandbox = project(HALF_DONE, HONEST_CHECK, "");
    sandbox.write("old.md", "ours\n");
    sandbox.commit();
    let ran = meanwhile("enforce", &sandbox, || {
        wait_no_more(&sandbox);
        let commit = "echo mine >note.txt; git add note.txt; git rm -q old.md; git commit -qm MINE";
        sh(&sandbox, commit);
    });
    let ran = ran.expect(0).says_on_stdout(&["committed meanwhile by somebody, as it is here: 2 files"]);
    let commit = ran.stdout.lines().find(|line| line.trim().starts_with("git add ")).unwrap();
    assert!(commit.ends_with(" -- :/src.txt :/tests/ac_ste_1_1.sh"), "{commit}");
    sh(&sandbox, commit);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
}

/// Test code of ours lies in the tree while tests run, and is left there by a kill.
#[test]
fn ac_tdd_9_101_what_a_run_at_work_has_planted_is_nothing_that_a_killed_one_has_left() {
    let sandbox = project(HALF_DONE, HONEST_CHECK, "");
    let token = "a".repeat(17);
    let doctor = || {
        let ran = sandbox.tdd(&["doctor"]);
        ran.stdout.contains("killed runs have left something") && ran.stdout.contains("planted.sh")
    };
    let mut told = None;
    let ran = meanwhile("audit", &sandbox, || {
        let planted = sandbox.path("planted.sh");
        std::fs::write(&planted, format!("# {token}\n")).unwrap();
        let notes = sandbox.run_dir().join("canaries");
        std::fs::create_dir_all(&notes).unwrap();
        std::fs::write(notes.join(&token), planted.to_str().unwrap()).unwrap();
        told = Some(doctor());
        wait_no_more(&sandbox);
    });
    assert_eq!((told, ran.code), (Some(false), 0), "{}", ran.stderr);
    sandbox.write("planted.sh", &format!("# {token}\n"));
    let note = sandbox.run_dir().join("canaries").join(&token);
    std::fs::create_dir_all(note.parent().unwrap()).unwrap();
    std::fs::write(&note, sandbox.path("planted.sh").to_str().unwrap()).unwrap();
    assert!(doctor(), "nothing is at work any more");
}
