//! What a run takes out of the tree and may be a person's is kept, named and not cleaned without a word; what a
//! role names, or a run began from, is the run's own.

use rustix::process::Signal;

use super::between::ended_by;
use super::sandbox::Sandbox;
use super::stops::{HONEST_AGENT, HONEST_CHECK, project};

/// A project with a file that no role works on.
fn with_readme(agent: &str, more: &str) -> Sandbox {
    let sandbox = project(agent, HONEST_CHECK, more);
    sandbox.write("README.md", "ours\n");
    sandbox.commit();
    sandbox
}

/// A resume looks at the tree; that alone makes nothing in it the run's own.
#[test]
fn what_a_refused_resume_has_seen_is_not_cleaned_without_a_word() {
    left_to_the_night!();
    for edited in [true, false] {
        let sandbox = with_readme(HONEST_AGENT, "");
        sandbox.tdd(&["STE-1", "--stop-after", "red"]).expect(3);
        if edited {
            sandbox.write("README.md", "mine\n");
        }
        sandbox.tdd(&["resume"]).expect(if edited { 3 } else { 0 });
        sandbox.tdd(&["undo", "--discard-changes"]).expect(0);
        assert_eq!(sandbox.read("README.md"), "ours\n");
        let ran = sandbox.tdd(&["clean", "--all"]).expect(0);
        assert_eq!(ran.stderr.contains("left alone"), edited, "{}", ran.stderr);
        assert_eq!(ran.stderr.contains("/undone-1"), edited, "{}", ran.stderr);
    }
}

/// Whoever follows the advice after a stop goes on, for a file that a role changed as well, and where HEAD's is not
/// that from before the attempt.
#[test]
fn what_is_put_away_as_a_refused_resume_advises_is_refused_no_more() {
    left_to_the_night!();
    let waits = HONEST_AGENT.replace(
        "implementer) echo two >>src.txt;",
        "implementer) echo two >>src.txt; test -e ../held || { : >../held; echo up >../up; read line <../go; };",
    );
    for dirty in [false, true] {
        let sandbox = with_readme(&waits, "");
        if dirty {
            sandbox.write("src.txt", "zero\n");
        }
        ended_by(Signal::INT, &sandbox);
        sandbox.write("src.txt", "mine\n");
        sandbox.write("README.md", "mine\n");
        let refused = sandbox.tdd(&["resume"]).expect(3).says(&["src.txt", "README.md"]);
        // One file may also be put away by itself.
        sandbox.git(&["stash", "push", "-q", "--", "README.md"]);
        let still = sandbox.tdd(&["resume"]).expect(3).says(&["src.txt"]);
        assert!(!still.stderr.contains("README.md"), "{}", still.stderr);
        let undo = refused.stderr.lines().find_map(|line| line.trim().strip_prefix("tdd undo ")).unwrap();
        let words: Vec<&str> = ["undo"].into_iter().chain(undo.split_whitespace()).collect();
        sandbox.tdd(&words).expect(0);
        sandbox.tdd(&["resume"]).expect(0);
        assert_eq!(sandbox.read("src.txt"), if dirty { "zero\ntwo\n" } else { "one\ntwo\n" });
    }
}

/// A halt of the test-writer, a person's edit, and an attempt that leaves it as it is, or does not.
#[test]
fn a_test_writer_is_not_blamed_for_what_the_run_went_on_with() {
    left_to_the_night!();
    for touches in [false, true] {
        let (more, named) = if touches { ("echo role >>README.md;", ",README.md") } else { ("", "") };
        let agent = HONEST_AGENT.replace(
            "test-writer) ",
            &format!("test-writer) test -e ../once || {{ : >../once; block ''; exit; }}; {more} "),
        );
        let agent =
            agent.replace("block tests/ac_ste_1_1.sh;;", &format!("block tests/ac_ste_1_1.sh{named};;"));
        let sandbox = with_readme(&agent, "budgets: { semantic: 1 }\n");
        sandbox.tdd(&["STE-1"]).expect(1);
        sandbox.write("README.md", "mine\n");
        let ran = sandbox.tdd(&["resume", "--edited"]).expect(i32::from(touches)).says(&["gone on with"]);
        assert_eq!(ran.stdout.contains("may not change: README.md"), touches, "{}", ran.stdout);
        if !touches {
            assert_eq!(sandbox.read("README.md"), "mine\n");
        }
    }
}

/// Whether a role wrote it or a person meanwhile, nobody can tell; what the role names is the role's.
#[test]
fn ac_tdd_9_24_what_goes_with_a_failed_attempt_and_no_role_names_is_kept_and_told() {
    left_to_the_night!();
    for named in [false, true] {
        let files = if named { "src.txt,README.md,mine.txt" } else { "src.txt" };
        let agent = HONEST_AGENT.replace(
            "*) block '';;",
            &format!(
                "*) test -e ../once && block '' && exit; : >../once; echo worse >src.txt; echo mine >README.md; \
                 echo mine >mine.txt; block {files};;"
            ),
        );
        let sandbox = with_readme(&agent, "");
        let ran = sandbox.tdd(&["STE-1"]).expect(0);
        let told = "look at: may be somebody else's: README.md, mine.txt; kept as ";
        assert_eq!(ran.stdout.contains(told), !named, "{}", ran.stdout);
        assert!(!sandbox.path("mine.txt").exists() && sandbox.read("README.md") == "ours\n");
        let quiet = sandbox.tdd(&["wait"]);
        assert_eq!(quiet.stdout.contains(told), !named, "{}", quiet.stdout);
        let cleaned = sandbox.tdd(&["clean", "--all"]).expect(0);
        assert_eq!(cleaned.stderr.contains("left alone"), !named, "{}", cleaned.stderr);
        if !named {
            let kept = ran.stdout.split(told).nth(1).unwrap().split(':').next().unwrap();
            assert_eq!(sandbox.git(&["show", &format!("{kept}:README.md")]), "mine");
            assert!(!cleaned.stderr.contains("src.txt"), "that is the role's: {}", cleaned.stderr);
        }
    }
}

/// Code of tests that a person saves while the baseline runs is put back, and kept, as is data that tests do not
/// write again; data that they do is theirs.
#[test]
fn ac_tdd_9_46_a_test_that_changes_while_the_baseline_runs_is_kept_before_it_is_put_back() {
    left_to_the_night!();
    for (file, is_there, by_tests) in [
        ("tests/base.sh", true, false),
        ("tests/mine.sh", false, false),
        ("tests/data.txt", true, false),
        ("tests/mine.txt", false, false),
        ("tests/data.txt", true, true),
        ("tests/mine.txt", false, true),
    ] {
        let once = if by_tests { "true" } else { "test ! -e ../once" };
        let saves = format!("{once} && {{ : >../once; echo '# mine' >{file}; }}");
        for is_fix in [false, true] {
            let more = if is_fix { "fix: { checks: [sh ../check.sh] }\n" } else { "" };
            let sandbox = project(HONEST_AGENT, &format!("{saves}\n{HONEST_CHECK}"), more);
            sandbox.write("tests/other.sh", "true\n");
            if is_there {
                sandbox.write(file, "# ours\n");
            }
            sandbox.commit();
            let words: &[&str] = if is_fix { &["fix"] } else { &["STE-1"] };
            let ran = sandbox.tdd(&[words, &["--sandbox", "audit"]].concat()).expect(0);
            let now = std::fs::read_to_string(sandbox.path(file)).ok();
            assert_eq!(now.as_deref(), is_there.then_some("# ours\n"), "{file}: {}", ran.stderr);
            let told = format!("look at: may be somebody else's: {file}; kept as ");
            assert_eq!(ran.stdout.contains(&told), !by_tests, "{file}: {}", ran.stdout);
            if !by_tests {
                let kept = ran.stdout.split(&told).nth(1).unwrap().split(':').next().unwrap();
                assert_eq!(sandbox.git(&["show", &format!("{kept}:{file}")]), "# mine");
                assert!(!ran.stderr.contains("suite itself writes"), "{}", ran.stderr);
            }
            let cleaned = sandbox.tdd(&["clean", "--all"]).expect(0);
            assert_eq!(cleaned.stderr.contains("left alone"), !by_tests, "{file}: {}", cleaned.stderr);
        }
    }
}

/// What was said to be edited, and did not do, is the person's all the same.
#[test]
fn edits_that_a_resume_has_refused_are_not_cleaned_without_a_word() {
    left_to_the_night!();
    for edited in [true, false] {
        let sandbox = with_readme(&HONEST_AGENT.replace("echo two >>", "echo three >>"), "");
        sandbox.tdd(&["STE-1"]).expect(1);
        if edited {
            sandbox.write("tests/ac_ste_1_1.sh", "exit 0 # mine\n");
            sandbox.tdd(&["resume", "--edited"]).expect(1);
        }
        sandbox.tdd(&["undo", "--discard-changes"]).expect(0);
        let cleaned = sandbox.tdd(&["clean", "--all"]).expect(0);
        assert_eq!(cleaned.stderr.contains("left alone"), edited, "{}", cleaned.stderr);
    }
}
