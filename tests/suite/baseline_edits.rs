//! What changes while the project's own commands run and no role is alive is nobody's of the run: what they write
//! again where nobody else can write is theirs, and all else a person's.

use rustix::process::Signal;

use super::between::ended_by;
use super::sandbox::{Ran, Sandbox};
use super::stops::{HONEST_AGENT, HONEST_CHECK, project};

/// What a person does while the baseline runs: a change, something new, and something gone.
const ONCE: &str =
    "test -e ../once || { : >../once; echo mine >README.md; echo mine >mine.rs; rm -f old.txt; }";

fn with_files(check: &str, more: &str) -> Sandbox {
    let sandbox = project(HONEST_AGENT, check, more);
    sandbox.write("README.md", "ours\n");
    sandbox.write("old.txt", "ours\n");
    sandbox.write("tests/other.sh", "true\n");
    sandbox.commit();
    sandbox
}

#[track_caller]
fn is_still_mine(sandbox: &Sandbox, ran: &Ran) {
    assert_eq!(sandbox.read("README.md"), "mine\n", "{}{}", ran.stdout, ran.stderr);
    assert_eq!(sandbox.read("mine.rs"), "mine\n", "{}{}", ran.stdout, ran.stderr);
    assert!(!sandbox.path("old.txt").exists(), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn ac_tdd_9_54_what_changes_while_the_baseline_runs_is_told_and_no_undo_takes_it_back() {
    for level in ["audit", "enforce"] {
        for is_fix in [false, true] {
            let more = if is_fix { "fix: { checks: [sh ../check.sh] }\n" } else { "" };
            let sandbox = with_files(&format!("{ONCE}\n{HONEST_CHECK}"), more);
            let words: &[&str] = if is_fix { &["fix"] } else { &["STE-1"] };
            let ran = sandbox.tdd(&[words, &["--sandbox", level]].concat()).expect(0);
            let told = "look at: somebody else wrote, or may have: README.md, mine.rs, old.txt; kept as ";
            ran.says(&["no role was alive", "README.md, mine.rs, old.txt"]).says_on_stdout(&[told]);
            let ran = sandbox.tdd(&["undo"]).expect(0);
            is_still_mine(&sandbox, &ran);
            assert_eq!(sandbox.read("src.txt"), "one\n");
            sandbox.tdd(&["clean", "--all"]).expect(0);
            is_still_mine(&sandbox, &ran);
        }
    }
}

/// The twin: what the commands write each time is theirs, under a name of its own each time, too.
#[test]
fn ac_tdd_9_55_what_a_run_apart_writes_again_is_a_by_product() {
    for writes in [
        "echo $$ >report.txt",
        "mkdir -p rep/$$; echo x >rep/$$/r",
        "mkdir -p logs; echo x >logs/at-$$.log",
        "echo made >made.rs",
        "echo changed >README.md",
        "echo $$ >tests/data.txt",
        "rm -f old.txt",
    ] {
        for level in ["audit", "enforce"] {
            let sandbox = with_files(&format!("{writes}\n{HONEST_CHECK}"), "");
            let before = sandbox.git(&["status", "--short"]);
            let ran = sandbox.tdd(&["STE-1", "--sandbox", level]).expect(0);
            assert!(!ran.stdout.contains("somebody else"), "{writes}: {}", ran.stdout);
            assert!(!ran.stderr.contains("no role was alive"), "{writes}: {}", ran.stderr);
            sandbox.tdd(&["undo"]).expect(0);
            assert_eq!(sandbox.git(&["status", "--short"]), before, "{writes}");
            let cleaned = sandbox.tdd(&["clean", "--all"]).expect(0);
            assert!(!cleaned.stderr.contains("left alone"), "{writes}: {}", cleaned.stderr);
        }
    }
}

/// Whoever is stopped amid the baseline has changed nothing, and whoever goes on neither.
#[test]
fn ac_tdd_9_54_a_stop_amid_the_baseline_makes_nothing_the_runs_own() {
    let check = format!(
        "{ONCE}\ntest -e ../held || {{ : >../held; echo up >../up; read line <../go; }}\n{HONEST_CHECK}"
    );
    for signal in [Signal::INT, Signal::KILL] {
        for goes_on in [false, true] {
            let sandbox = with_files(&check, "");
            ended_by(signal, &sandbox);
            if goes_on {
                sandbox
                    .tdd(&["resume"])
                    .expect(0)
                    .says_on_stdout(&["somebody else wrote, or may have: README.md"]);
            }
            let ran = sandbox.tdd(&["undo"]).expect(if goes_on { 0 } else { 2 });
            is_still_mine(&sandbox, &ran);
        }
    }
}

/// What was edited once is no by-product from then on.
#[test]
fn ac_tdd_9_54_what_is_edited_again_while_later_tests_run_is_kept_and_told_as_well() {
    let again = "test ! -e tests/ac_ste_1_1.sh || test -e ../again || { : >../again; echo more >README.md; }";
    let sandbox = with_files(&format!("{ONCE}\n{again}\n{HONEST_CHECK}"), "");
    let ran = sandbox.tdd(&["STE-1", "--sandbox", "audit"]).expect(0);
    let told = ran.stdout.matches("somebody else wrote, or may have").count();
    assert_eq!(told, 2, "{}", ran.stdout);
    let ran = sandbox.tdd(&["undo"]).expect(0);
    is_still_mine(&sandbox, &ran);
    sandbox.tdd(&["clean", "--all"]).expect(0).says(&["left alone", "README.md"]);
}

/// The second requirement's baseline runs on the work of the first.
#[test]
fn ac_tdd_9_54_the_baseline_of_a_second_requirement_is_no_other() {
    let once = "test -e ../first && test ! -e ../once && { : >../once; echo mine >README.md; }";
    let check = format!("{once}\nfor t in tests/ac_*.sh; do test ! -e $t || sh $t || exit 1; done\n");
    let agent = "case $role in
test-writer) mkdir -p tests; n=$(grep -o 'AC-[A-Z]*-1' $2 | head -1 | cut -d- -f2); low=$(echo $n | tr A-Z a-z)
  echo \"grep -q $n src.txt\" >tests/ac_${low}_1_1.sh; block tests/ac_${low}_1_1.sh;;
implementer) n=$(grep -o 'AC-[A-Z]*-1' $2 | head -1 | cut -d- -f2); echo $n >>src.txt; block src.txt;;
*) : >../first; block '';;
esac
";
    let sandbox = project(agent, &check, "");
    sandbox.write("README.md", "ours\n");
    sandbox
        .write("specs/frs/TWO-1.md", "# Two\n\n## Acceptance Criteria\n\n- AC-TWO-1.1: src.txt says TWO.\n");
    sandbox.commit();
    sandbox.tdd(&["--all", "--sandbox", "audit"]).expect(0);
    assert_eq!(sandbox.read("README.md"), "mine\n");
    sandbox.tdd(&["undo"]).expect(0);
    sandbox.tdd(&["undo", "STE-1"]).expect(2).says(&["README.md (changed)"]);
    assert_eq!(sandbox.read("README.md"), "mine\n");
}
