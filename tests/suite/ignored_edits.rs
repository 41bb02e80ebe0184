//! A protected file that git ignores, `.env` above all, lies in no commit and in no checkpoint: what a person writes into
//! it while a run is at work is kept where the run puts it back, and an undo asks about the rest.

use super::isolation::has_bwrap;
use super::meanwhile::meanwhile;
use super::sandbox::{Ran, Sandbox};
use super::stops::{HONEST_AGENT, HONEST_CHECK, project};

/// The implementer's first attempt says that it is up, waits, and fails or not.
fn waiting(status: &str) -> String {
    format!(
        "case $role in
test-writer) mkdir -p tests; echo 'grep -q two src.txt || {{ echo no two; exit 1; }}' >tests/ac_ste_1_1.sh; block tests/ac_ste_1_1.sh;;
implementer) test -e ../second || {{ : >../second; echo up >../up; read line <../go; {status} }}; echo two >>src.txt; block src.txt;;
*) block '';;
esac
"
    )
}

fn with_env(agent: &str, check: &str) -> Sandbox {
    let sandbox = project(agent, check, "");
    sandbox.write("README.md", "ours\n");
    sandbox.write(".gitignore", ".env\n");
    sandbox.commit();
    sandbox.write(".env", "A=1\n");
    sandbox
}

/// Follows the command that the report gives, and says what the file is then.
#[track_caller]
fn comes_back(sandbox: &Sandbox, ran: &Ran) -> String {
    let told = ran.stdout.split("git restore --source=").nth(1).unwrap_or_else(|| panic!("{}", ran.stdout));
    let source = told.split_whitespace().next().unwrap();
    sandbox.git(&["restore", &format!("--source={source}"), "--", ":/.env"]);
    sandbox.read(".env")
}

#[test]
fn ac_tdd_9_63_an_ignored_file_that_is_edited_while_the_baseline_runs_is_kept_and_told() {
    left_to_the_night!();
    let once = "test -e ../once || { : >../once; echo B=2 >>.env; }";
    let sandbox = with_env(HONEST_AGENT, &format!("{once}\n{HONEST_CHECK}"));
    let ran = sandbox.tdd(&["STE-1"]).expect(0);
    assert_eq!(sandbox.read(".env"), "A=1\n", "no role was alive, and the run goes by what was there");
    let ran = ran.says_on_stdout(&["look at: may be somebody else's: .env; kept as "]);
    let clean = sandbox.tdd(&["clean", "--all"]);
    assert!(clean.stderr.contains("nothing else holds 1 version"), "{}", clean.stderr);
    assert_eq!(comes_back(&sandbox, &ran), "A=1\nB=2\n");
    // Then it is nobody's only copy any more.
    sandbox.tdd(&["clean", "--all"]).expect(0).says_on_stdout(&["1 run removed"]);
}

/// The twin: a file of that kind that the commands write anew each time is no matter of a person's.
#[test]
fn ac_tdd_9_63_an_ignored_file_that_the_suite_writes_is_no_false_alarm() {
    left_to_the_night!();
    let each = "echo $$ >tests/ignored.txt";
    let sandbox = with_env(HONEST_AGENT, &format!("{each}\n{HONEST_CHECK}"));
    sandbox.write(".gitignore", ".env\n/tests/ignored.txt\n");
    sandbox.commit();
    let ran = sandbox.tdd(&["STE-1"]).expect(0);
    assert!(!ran.stdout.contains("somebody else"), "{}", ran.stdout);
    sandbox.tdd(&["clean", "--all"]).expect(0).says_on_stdout(&["1 run removed"]);
}

#[test]
fn ac_tdd_9_63_where_nothing_holds_a_role_what_is_put_back_of_it_is_kept() {
    left_to_the_night!();
    let sandbox = with_env(&waiting(""), HONEST_CHECK);
    let ran = meanwhile("audit", &sandbox, || {
        sandbox.write(".env", "A=1\nB=2\n");
        sandbox.write("README.md", "staged\n");
        sandbox.git(&["add", "README.md"]);
    });
    let ran = ran.expect(0).says(&["protected file .env was changed; put back"]);
    assert_eq!(sandbox.read(".env"), "A=1\n");
    // All that would go is named before a person says that it may.
    let clean = sandbox.tdd(&["clean", "--all"]).stderr;
    let all = ["1 commit of what was found", "\nand nothing else holds 1 version", "  .env\n"];
    assert!(all.iter().all(|words| clean.contains(words)), "{clean}");
    assert_eq!(comes_back(&sandbox, &ran), "A=1\nB=2\n");
}

#[test]
fn ac_tdd_9_63_after_a_pause_for_it_an_undo_asks_about_all_that_no_block_names() {
    left_to_the_night!();
    if !has_bwrap() {
        return;
    }
    let sandbox = with_env(&waiting(""), HONEST_CHECK);
    let ran = meanwhile("enforce", &sandbox, || {
        sandbox.write(".env", "A=1\nB=2\n");
        sandbox.write("README.md", "mine\n");
    });
    let ran =
        ran.expect(3).says(&[".env: read-only to every child", "mend it by hand if it was not on purpose"]);
    assert!(!ran.stderr.contains("move it out"), "it was there before: {}", ran.stderr);
    assert_eq!(sandbox.read(".env"), "A=1\nB=2\n");
    sandbox.tdd(&["undo"]).expect(2).says(&["README.md", "--discard-changes"]);
    sandbox.tdd(&["undo", "--discard-changes"]).expect(0);
    assert_eq!((sandbox.read("README.md"), sandbox.read(".env")), ("ours\n".into(), "A=1\nB=2\n".into()));
    let clean = sandbox.tdd(&["clean", "--all"]);
    assert!(
        clean.stderr.contains("nothing else holds") && clean.stderr.contains("README.md"),
        "{}",
        clean.stderr
    );
}

/// What came with an attempt that failed and stayed in the tree is no more the run's than what came with one that passed.
#[test]
fn ac_tdd_9_64_what_came_with_a_failed_attempt_and_stayed_is_the_runs_own_only_if_a_block_names_it() {
    left_to_the_night!();
    for level in ["audit", "enforce"] {
        if level == "enforce" && !has_bwrap() {
            return;
        }
        let fails = "echo three >>src.txt; block src.txt; exit 0;";
        let sandbox = with_env(&waiting(fails), HONEST_CHECK);
        meanwhile(level, &sandbox, || sandbox.write("README.md", "mine\n")).expect(0);
        assert_eq!(sandbox.read("src.txt"), "one\nthree\ntwo\n");
        sandbox.tdd(&["undo"]).expect(2).says(&["no block names them", "README.md"]);
        sandbox.tdd(&["undo", "--discard-changes"]).expect(0);
        let clean = sandbox.tdd(&["clean", "--all"]);
        let alone = "nothing else holds 1 version";
        assert!(
            clean.stderr.contains(alone) && clean.stderr.contains("README.md"),
            "{level}: {}",
            clean.stderr
        );
    }
}
