//! A person at work between two processes of a run: after a pause, a stop, a kill and a refusal (contract
//! section 11). What they wrote is theirs; a role's own work is taken back and judged as ever.

use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use super::cycle::{honest_shop_cassette, shop};
use super::isolation::has_bwrap;
use super::sandbox::{Ran, Sandbox, has_python};
use super::stops::{self, HONEST_AGENT, HONEST_CHECK, hear, listen, project};

/// Waits in its first run for which `test` holds, with a file of its own in the tree.
fn waits_if(test: &str) -> String {
    format!(
        "test -e ../held || {{ {test} && {{ : >../held; echo junk >left.txt; echo up >../up; read line <../go; }}; }}\n\
         {HONEST_CHECK}"
    )
}

/// A run that waits somewhere, ended by a signal there.
pub fn ended_by(signal: Signal, sandbox: &Sandbox) {
    let mut up = listen(sandbox, "up");
    let _go = listen(sandbox, "go");
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    command.arg("STE-1").stdout(Stdio::null()).stderr(Stdio::null());
    let mut child: Child = command.spawn().unwrap();
    assert_eq!(hear(&mut up), "up");
    kill_process(Pid::from_child(&child), signal).unwrap();
    child.wait().unwrap();
}

fn refs(sandbox: &Sandbox, kind: &str) -> Vec<String> {
    let all = sandbox.git(&["for-each-ref", "--format=%(refname)", "refs/tdd"]);
    all.lines().filter(|name| name.contains(kind)).map(ToOwned::to_owned).collect()
}

fn run_id(sandbox: &Sandbox) -> String {
    sandbox.run_dir().file_name().unwrap().to_str().unwrap().to_owned()
}

/// A run that paused after RED, a person's edit of two files, and going on with it on purpose.
fn gone_on_with() -> (Sandbox, Ran) {
    let sandbox = shop();
    sandbox.write("README.md", "ours\n");
    sandbox.commit();
    let cassette = sandbox.beside("cassette.yaml");
    std::fs::write(&cassette, honest_shop_cassette()).unwrap();
    let cassette = cassette.to_str().unwrap().to_owned();
    sandbox.tdd(&["STE-1", "--stop-after", "red", "--cassette", &cassette]).expect(3);
    sandbox.write("README.md", "mine\n");
    sandbox.write("notes.md", "mine\n");
    let ran = sandbox.tdd(&["resume", "--edited", "--cassette", &cassette]).expect(0);
    (sandbox, ran)
}

#[test]
fn ac_tdd_9_23_what_a_run_went_on_with_is_told_as_a_persons_and_stays_theirs_to_an_undo() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let (sandbox, ran) = gone_on_with();
    let before = sandbox.git(&["show", "HEAD:shop.py"]);
    let ran = ran.says(&["changed while no child of the run was at work: README.md, notes.md"]);
    let ran =
        ran.says_on_stdout(&["README.md  (changed by hand)", "that holds 2 files that somebody changed"]);
    assert!(!ran.stdout.contains("shop.py  (changed by hand)"), "that is a role's: {}", ran.stdout);
    sandbox
        .tdd(&["log"])
        .expect(0)
        .says_on_stdout(&["changed by somebody else: README.md, notes.md; kept as"]);
    assert_eq!(refs(&sandbox, "/theirs-").len(), 1);
    let undone = sandbox.tdd(&["undo"]).expect(0);
    let undone = undone.says_on_stdout(&["2 files of somebody else's", "README.md"]);
    assert!(!undone.stdout.contains("README.md (changed back)"), "{}", undone.stdout);
    assert_eq!((sandbox.read("README.md"), sandbox.read("notes.md")), ("mine\n".into(), "mine\n".into()));
    assert_eq!(sandbox.read("shop.py").trim_end(), before, "a role's work is taken back as ever");
    sandbox.tdd(&["undo"]).expect(0).says_on_stdout(&["nothing to undo", "notes.md"]);
}

/// On top of a role's work nobody can tell the two apart.
#[test]
fn a_persons_edit_of_a_roles_file_is_not_undone_without_a_word() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = shop();
    let before = sandbox.read("shop.py");
    let cassette = sandbox.beside("cassette.yaml");
    std::fs::write(&cassette, honest_shop_cassette()).unwrap();
    let cassette = cassette.to_str().unwrap().to_owned();
    sandbox.tdd(&["STE-1", "--stop-after", "red", "--cassette", &cassette]).expect(3);
    let tests = sandbox.git(&["ls-files", "--others", "--exclude-standard"]);
    let test = tests.lines().find(|path| path.contains("test")).unwrap().to_owned();
    let mine = format!("{}# mine\n", sandbox.read(&test));
    sandbox.write(&test, &mine);
    sandbox.tdd(&["resume", "--edited", "--cassette", &cassette]).expect(0);
    let refused = sandbox.tdd(&["undo"]).expect(2).says(&["1 file would be overwritten", &test]);
    assert!(!refused.stderr.contains("shop.py"), "{}", refused.stderr);
    assert_eq!(sandbox.read(&test), mine);
    sandbox.tdd(&["undo", "--discard-changes"]).expect(0);
    assert!(!sandbox.path(&test).exists() && sandbox.read("shop.py") == before);
}

#[test]
fn ac_tdd_9_24_a_persons_version_that_a_run_alone_holds_is_not_cleaned_without_a_word() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    // What lies in the work tree is held by nobody alone.
    for rewritten in [false, true] {
        let (sandbox, _) = gone_on_with();
        if rewritten {
            sandbox.write("notes.md", "another's\n");
        }
        let ran = sandbox.tdd(&["clean", "--all"]).expect(0);
        assert_eq!(ran.stderr.contains("left alone"), rewritten, "{}", ran.stderr);
        assert_eq!(!refs(&sandbox, "/theirs-").is_empty(), rewritten);
        if rewritten {
            let ran = ran.says(&["nothing else holds 1 version", "notes.md", "--discard-commits"]);
            let show = ran.stderr.split("keep one: git show ").nth(1).unwrap().split(" >").next().unwrap();
            assert_eq!(sandbox.git(&["show", show]), "mine");
            sandbox.tdd(&["clean", &run_id(&sandbox), "--discard-commits"]).expect(0);
            assert!(refs(&sandbox, "").is_empty());
        }
    }
}

/// Stopped while tests judged a role's work: what a person adds is shown, and judged as nobody's.
#[test]
fn what_came_since_a_stop_amid_tests_is_no_roles_work() {
    left_to_the_night!();
    for edited in [false, true] {
        let sandbox = project(HONEST_AGENT, &waits_if("test -e tests/ac_ste_1_1.sh"), "");
        sandbox.write("README.md", "ours\n");
        sandbox.commit();
        ended_by(Signal::INT, &sandbox);
        assert!(!sandbox.path("left.txt").exists(), "what the tests left is put back at once");
        if edited {
            sandbox.write("README.md", "mine\n");
            sandbox.write("mine.txt", "mine\n");
            let ran = sandbox.tdd(&["resume"]).expect(3);
            ran.says(&[
                "files were changed since the work of the test-writer",
                "README.md",
                "mine.txt",
                "--discard-changes\n          tdd resume",
            ]);
            assert_eq!(
                (sandbox.read("README.md"), sandbox.read("mine.txt")),
                ("mine\n".into(), "mine\n".into())
            );
            sandbox.git(&["stash", "push", "-q", "--include-untracked", "--", "README.md", "mine.txt"]);
        }
        sandbox.tdd(&["resume"]).expect(0);
        assert_eq!(sandbox.forks(), 3, "no attempt was spent on it");
        if edited {
            sandbox.git(&["stash", "pop", "-q"]);
            assert_eq!(sandbox.read("mine.txt"), "mine\n");
        }
    }
}

/// A role's own bad work is judged by its findings, however often its judgement is stopped.
#[test]
fn a_role_is_blamed_for_its_own_work_after_a_stop_as_before() {
    left_to_the_night!();
    let bad = HONEST_AGENT
        .replace("block tests/ac_ste_1_1.sh;;", "echo 3 >src.txt; block tests/ac_ste_1_1.sh,src.txt;;");
    let sandbox = project(&bad, &waits_if("test -e tests/ac_ste_1_1.sh"), "budgets: { semantic: 1 }\n");
    let clean = project(&bad, HONEST_CHECK, "budgets: { semantic: 1 }\n");
    let once = clean.tdd(&["STE-1"]).expect(1);
    ended_by(Signal::INT, &sandbox);
    let again = sandbox.tdd(&["resume"]).expect(1);
    let blamed = |ran: &Ran| ran.stdout.contains("src.txt") && ran.stdout.contains("test-writer");
    assert!(blamed(&once) && blamed(&again), "{}\n{}", once.stdout, again.stdout);
    assert_eq!(sandbox.read("src.txt"), "one\n", "{}", again.stderr);
}

#[test]
fn ac_tdd_9_125_what_is_measured_after_a_stop_is_told_as_without_it() {
    let sandbox = project(HONEST_AGENT, &waits_if("test -e tests/ac_ste_1_1.sh"), "");
    ended_by(Signal::INT, &sandbox);
    sandbox.tdd(&["resume"]).expect(0).says(&["RED: 1 new test red as it should be; attempt 1"]);
}

/// Killed there nobody can tell a person's from what tests left: put back, kept and named.
#[test]
fn what_came_since_a_kill_amid_tests_is_kept_and_named() {
    let sandbox = project(HONEST_AGENT, &waits_if("test -e tests/ac_ste_1_1.sh"), "");
    sandbox.write("README.md", "ours\n");
    sandbox.commit();
    ended_by(Signal::KILL, &sandbox);
    sandbox.write("README.md", "mine\n");
    let ran = sandbox
        .tdd(&["resume"])
        .expect(0)
        .says(&["README.md is as the child left it", "what lay there then is kept as"]);
    assert_eq!(sandbox.read("README.md"), "ours\n");
    let kept = ran.stderr.split("what lay there then is kept as ").nth(1).unwrap();
    let kept = kept.split(':').next().unwrap();
    assert_eq!(sandbox.git(&["show", &format!("{kept}:README.md")]), "mine");
    assert_eq!(sandbox.forks(), 3, "nobody is blamed");
    sandbox.tdd(&["clean", "--all"]).expect(0).says(&["left alone", "/theirs-", "--discard-commits"]);
    assert_eq!(sandbox.git(&["show", &format!("{kept}:README.md")]), "mine");
}

/// Killed with a child at work: what is put back is kept, named, and not cleaned without a word.
#[test]
fn what_came_since_a_kill_amid_a_childs_work_is_not_cleaned_without_a_word() {
    left_to_the_night!();
    let waits = HONEST_AGENT.replace(
        "implementer) echo two >>src.txt;",
        "implementer) echo two >>src.txt; test -e ../held || { : >../held; echo up >../up; read line <../go; };",
    );
    for edited in [false, true] {
        let sandbox = project(&waits, HONEST_CHECK, "");
        sandbox.write("README.md", "ours\n");
        sandbox.commit();
        ended_by(Signal::KILL, &sandbox);
        if edited {
            sandbox.write("README.md", "mine\n");
        }
        let ran = sandbox.tdd(&["resume"]).expect(0).says(&["src.txt is as before the attempt"]);
        assert_eq!(ran.stderr.contains("README.md is as before the attempt"), edited, "{}", ran.stderr);
        assert_eq!(sandbox.read("README.md"), "ours\n");
        let cleaned = sandbox.tdd(&["clean", "--all"]).expect(0);
        // What the next child wrote in just the same way lies in the work tree.
        assert_eq!(cleaned.stderr.contains("left alone"), edited, "{}", cleaned.stderr);
        let held: Vec<String> = refs(&sandbox, "/theirs-");
        assert_eq!(held.len(), usize::from(edited));
        for name in held {
            assert_eq!(sandbox.git(&["show", &format!("{name}:README.md")]), "mine");
            assert!(cleaned.stderr.contains("README.md") && !cleaned.stderr.contains("src.txt"));
        }
    }
}

/// Before the first child a run begins with the tree as it is then.
#[test]
fn what_came_since_a_stop_amid_the_baseline_is_no_part_of_the_run() {
    left_to_the_night!();
    for signal in [Signal::INT, Signal::KILL] {
        let sandbox = project(HONEST_AGENT, &waits_if("true"), "");
        sandbox.write("README.md", "ours\n");
        sandbox.commit();
        ended_by(signal, &sandbox);
        sandbox.write("README.md", "mine\n");
        let ran = sandbox
            .tdd(&["resume"])
            .expect(0)
            .says(&["changed while no child of the run was at work", "README.md"]);
        assert!(!ran.stdout.contains(":/README.md"), "it is not proposed: {}", ran.stdout);
        sandbox.tdd(&["undo"]).expect(0).says_on_stdout(&["somebody else's", "README.md"]);
        assert_eq!((sandbox.read("README.md"), sandbox.read("src.txt")), ("mine\n".into(), "one\n".into()));
    }
}

/// A run that is refused leaves nothing of its own; what somebody else has written is named, and stays.
#[test]
fn what_was_written_during_a_baseline_that_is_refused_is_kept_and_named() {
    let check = "test -e ../held || { : >../held; echo up >../up; read line <../go; }; exit 1\n";
    let sandbox = project(HONEST_AGENT, check, "");
    let mut up = listen(&sandbox, "up");
    let _go = listen(&sandbox, "go");
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    command.arg("STE-1").stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    assert_eq!(hear(&mut up), "up");
    sandbox.write("mine.txt", "mine\n");
    let others = ["specs/frs/STE-9.md", "tests/.mine.sh.swp", ".~lock.mine.odt#"];
    for path in others {
        sandbox.write(path, "mine\n");
    }
    std::fs::write(stops::beside(&sandbox, "go"), "\n").unwrap();
    let ran = Ran::of(&child.wait_with_output().unwrap()).expect(2).says(&["mine.txt", "and kept as "]);
    let kept = ran.stderr.split("and kept as ").nth(1).unwrap().split_whitespace().next().unwrap();
    assert_eq!(sandbox.git(&["show", &format!("{kept}:mine.txt")]), "mine");
    assert!(others.iter().all(|path| sandbox.read(path) == "mine\n" && !ran.stderr.contains(path)));
    sandbox.tdd(&["clean", "--all"]).expect(0);
    assert_eq!(sandbox.read("mine.txt"), "mine\n");
}

/// A fixer that makes it worse, and waits in its work.
fn fixed_meanwhile(level: &str, action: impl FnOnce(&Sandbox)) -> (Sandbox, Ran) {
    let agent = "echo worse >src.txt; echo up >../up; read line <../go; block src.txt\n";
    // A first check that nobody mends, and a second that the fixer breaks.
    let checks = "fix: { checks: [sh ../check.sh, sh ../other.sh] }\n";
    let sandbox = project(agent, "grep -q two src.txt\n", checks);
    std::fs::write(stops::beside(&sandbox, "other.sh"), "grep -q one src.txt\n").unwrap();
    sandbox.write("tests/old.sh", "exit 0\n");
    sandbox.write("README.md", "ours\n");
    sandbox.commit();
    let mut up = listen(&sandbox, "up");
    let _go = listen(&sandbox, "go");
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    command.args(["fix", "--max-retries", "1"]).env("TDD_SANDBOX", level);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    assert_eq!(hear(&mut up), "up");
    action(&sandbox);
    std::fs::write(stops::beside(&sandbox, "go"), "\n").unwrap();
    let ran = Ran::of(&child.wait_with_output().unwrap());
    assert_eq!(sandbox.read("src.txt"), "one\n", "the fixer's own work is taken back: {}", ran.stderr);
    (sandbox, ran)
}

/// Where no fixer could have written it, what a person saves stays, whatever becomes of the attempt.
#[test]
fn ac_tdd_9_25_what_no_fixer_could_have_written_is_not_taken_back_with_its_attempt() {
    if !has_bwrap() {
        return;
    }
    let (sandbox, ran) = fixed_meanwhile("enforce", |sandbox| {
        sandbox.write("tests/mine.sh", "mine\n");
        sandbox.write("tests/old.sh", "mine\n");
    });
    ran.expect(3).says(&["by somebody else", "tests/mine.sh", "tests/old.sh", "read-only to every child"]);
    assert_eq!(sandbox.read("tests/mine.sh") + &sandbox.read("tests/old.sh"), "mine\nmine\n");
    let undo = sandbox.tdd(&["undo"]).expect(2).says(&["tests/mine.sh", "tests/old.sh"]);
    assert!(!undo.stderr.contains("src.txt"), "{}", undo.stderr);
}

/// Elsewhere nobody can tell: what the fixer does not name is kept and named, and not cleaned without a word.
#[test]
fn what_a_fixer_does_not_name_is_kept_and_named_when_its_attempt_is_taken_back() {
    left_to_the_night!();
    for (level, edited) in [("audit", true), ("audit", false), ("enforce", true), ("enforce", false)] {
        if level == "enforce" && !has_bwrap() {
            return;
        }
        let (sandbox, ran) = fixed_meanwhile(level, |sandbox| {
            if edited {
                sandbox.write("README.md", "mine\n");
                sandbox.write("mine.txt", "mine\n");
            }
        });
        let ran = ran.expect(1);
        let told = "taken back, though no fixer names it: README.md, mine.txt; what lay there is kept as ";
        assert_eq!(ran.stderr.contains(told), edited, "{level}: {}", ran.stderr);
        assert!(!sandbox.path("mine.txt").exists() && sandbox.read("README.md") == "ours\n");
        let cleaned = sandbox.tdd(&["clean", "--all"]).expect(0);
        assert_eq!(cleaned.stderr.contains("left alone"), edited, "{level}: {}", cleaned.stderr);
        if edited {
            let kept = ran.stderr.split(told).nth(1).unwrap().split(':').next().unwrap();
            assert_eq!(sandbox.git(&["show", &format!("{kept}:README.md")]), "mine");
            let cleaned = cleaned.says(&["README.md", "mine.txt", "--discard-commits"]);
            assert!(!cleaned.stderr.contains("src.txt"), "that is the fixer's: {}", cleaned.stderr);
        }
    }
}

/// So is what lies there when a fixer is cut off.
#[test]
fn what_lies_there_when_a_fixer_is_cut_off_is_kept_and_named() {
    let agent = "echo up >../up; read line <../go; block src.txt\n";
    let sandbox = project(agent, "exit 1\n", "fix: { checks: [sh ../check.sh] }\n");
    let mut up = listen(&sandbox, "up");
    let _go = listen(&sandbox, "go");
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    let child = command.arg("fix").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    assert_eq!(hear(&mut up), "up");
    sandbox.write("mine.txt", "mine\n");
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let ran =
        Ran::of(&child.wait_with_output().unwrap()).expect(130).says(&["mine.txt; what lay there is kept"]);
    assert!(!sandbox.path("mine.txt").exists());
    sandbox.tdd(&["clean", "--all"]).expect(0).says(&["left alone", "mine.txt"]);
    drop(ran);
}

/// What a fixer's cut attempt left is no person's to an undo of what was kept before.
#[test]
fn a_fix_whose_last_attempt_was_cut_off_is_undone_without_a_question() {
    let agent = "test -e ../twice && { echo three >>src.txt; echo up >../up; read line <../go; }\n\
                 : >../twice; echo two >>src.txt; block src.txt\n";
    let sandbox =
        project(agent, "grep -q two src.txt\n", "fix: { checks: [sh ../check.sh, sh ../other.sh] }\n");
    std::fs::write(stops::beside(&sandbox, "other.sh"), "grep -q four src.txt\n").unwrap();
    let mut up = listen(&sandbox, "up");
    let _go = listen(&sandbox, "go");
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    let mut child = command.arg("fix").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    assert_eq!(hear(&mut up), "up");
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    child.wait().unwrap();
    assert_eq!(sandbox.read("src.txt"), "one\ntwo\n", "the best state");
    sandbox.tdd(&["undo"]).expect(0);
    assert_eq!(sandbox.read("src.txt"), "one\n");
}
