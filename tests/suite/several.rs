//! Several requirements in one call.

use super::sandbox::Sandbox;
use super::stops::{HONEST_CHECK, beside, project};

/// Does in each role what the requirement's file says, whichever it is: the prompt names it.
const AGENT: &str = "for n in 1 2 3; do grep -q \"AC-STE-$n\\.1\" \"$2\" && break; done
word=$(printf '%s' \"one two three\" | cut -d' ' -f$n)
case $role in
test-writer) mkdir -p tests; echo \"grep -q $word$n src.txt || { echo no $word; exit 1; }\" >tests/ac_ste_${n}_1.sh; block tests/ac_ste_${n}_1.sh;;
implementer) test -e ../fails-$n || echo $word$n >>src.txt; block src.txt;;
*) block '';;
esac
";

/// The tests of all of them as TAP, so that a halt's red ones are known to the next.
const CHECK: &str = "[ $# -gt 0 ] || set -- tests/*.sh
n=0; bad=0; for file; do test -e $file || continue; n=$((n+1)); \
    if sh $file >/dev/null; then echo \"ok $n - $file holds\"; else echo \"not ok $n - $file holds\"; bad=1; fi; done; \
    echo \"1..$n\"; exit $bad\n";

fn three() -> Sandbox {
    let sandbox = project(AGENT, CHECK, "");
    let yaml =
        sandbox.read("tdd.yaml").replace("kind: exit-code", "kind: tap, select: \"sh ../check.sh {files}\"");
    sandbox.write("tdd.yaml", &yaml);
    sandbox.write("tests/base.sh", "grep -q one src.txt\n");
    for (number, more) in [(1, "depends_on: STE-3\n"), (2, ""), (3, "")] {
        let text = format!(
            "---\ntitle: n\n{more}---\n\n## Acceptance Criteria\n\n- AC-STE-{number}.1: src.txt says it.\n"
        );
        sandbox.write(&format!("specs/frs/STE-{number}.md"), &text);
    }
    sandbox.commit();
    sandbox
}

fn runs(sandbox: &Sandbox) -> Vec<String> {
    let text = sandbox.tdd(&["status"]).expect(0).stdout;
    let mut runs: Vec<String> =
        text.lines().filter_map(|line| Some(line.split("  ").next()?.to_owned())).collect();
    runs.reverse();
    runs
}

#[test]
fn ac_tdd_6_14_several_requirements_are_worked_on_one_after_the_other() {
    left_to_the_night!();
    let sandbox = three();
    let ran = sandbox.tdd(&["STE-1", "STE-2", "STE-3"]).expect(0);
    let table = ran.stdout.split("requirements:\n").nth(1).unwrap();
    let lines: Vec<&str> = table.lines().map(str::trim).collect();
    let want = ["STE-2  green, as measured", "STE-3  green, as measured", "STE-1  green, as measured"];
    assert_eq!(lines, want, "each after what it depends on");
    assert_eq!(sandbox.read("src.txt"), "one\ntwo2\nthree3\none1\n");
    assert_eq!(runs(&sandbox).len(), 3);
    // A dry run ends as a run does, too: with what becomes of each.
    let dry = sandbox.tdd(&["STE-1", "STE-2", "--dry-run", "--new", "--json"]).expect(0);
    let last: serde_json::Value = serde_json::from_str(dry.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(last["requirements"][1]["outcome"], "nothing was done: a dry run", "{last}");
    // What is finished is not begun again, whatever others changed since.
    let again = sandbox.tdd(&["--all", "--json=summary"]).expect(0);
    let last: serde_json::Value = serde_json::from_str(again.stdout.lines().last().unwrap()).unwrap();
    assert_eq!((&last["type"], &last["exit"]), (&"several".into(), &0.into()));
    assert!(
        last["requirements"][0]["outcome"].as_str().unwrap().starts_with("finished before, by"),
        "{last}"
    );
    assert_eq!(runs(&sandbox).len(), 3);
}

#[test]
fn one_that_halts_ends_the_call_or_only_what_depends_on_it() {
    left_to_the_night!();
    let sandbox = three();
    std::fs::write(beside(&sandbox, "fails-3"), "").unwrap();
    let ran = sandbox.tdd(&["STE-3", "STE-2", "STE-1"]).expect(1);
    assert!(
        ran.stdout.ends_with("  STE-3  halted (exit 1)\n  STE-2  not begun\n  STE-1  not begun\n"),
        "{}",
        ran.stdout
    );
    sandbox.tdd(&["undo"]).expect(0);
    let ran = sandbox.tdd(&["STE-3", "STE-2", "STE-1", "--keep-going", "--no-refactor"]).expect(1);
    let want =
        "  STE-3  halted (exit 1)\n  STE-2  green, as measured\n  STE-1  not begun: it depends on STE-3\n";
    assert!(ran.stdout.ends_with(want), "{}", ran.stdout);
}

#[test]
fn a_slip_in_the_last_one_is_told_before_the_first_begins() {
    let sandbox = three();
    for (words, says) in [
        (&["STE-2", "STE-7"][..], "STE-7"),
        (&["STE-2", "--only", "AC-STE-2.1", "AC-STE-2.2"], "no comma stands before it"),
        (&["STE-2", "STE-3", "--record", "x"], "--record goes with one requirement alone"),
        (&["--all", "STE-2"], "cannot be used with"),
        (&["STE-2", "STE-3", "--detach"], "cannot be used with"),
    ] {
        let ran = sandbox.tdd(words).expect(2);
        assert!(ran.stderr.contains(says), "{words:?}: {}", ran.stderr);
    }
    sandbox.write(
        "specs/frs/STE-3.md",
        "---\ndepends_on: [STE-1]\n---\n## Acceptance Criteria\n- AC-STE-3.1: x\n",
    );
    let ran = sandbox.tdd(&["--all"]).expect(2);
    sandbox.write(
        "specs/frs/STE-2.md",
        "---\ndepends_on: [STE-9]\n---\n## Acceptance Criteria\n- AC-STE-2.1: x\n",
    );
    let of_nothing = sandbox.tdd(&["--all"]).expect(2);
    let says = "STE-2 depends on STE-9, which is no requirement here";
    assert!(
        of_nothing.stderr.contains(says) && of_nothing.stderr.contains("depends_on"),
        "{}",
        of_nothing.stderr
    );
    assert!(ran.stderr.contains("in a circle") && ran.stderr.contains("STE-1, STE-3"), "{}", ran.stderr);
    assert!(!sandbox.path(".tdd/runs").exists());
}

#[test]
fn what_is_no_requirement_is_left_out_of_all_of_them() {
    let sandbox = project("block ''\n", HONEST_CHECK, "");
    sandbox.write("specs/frs/README.md", "# About\n");
    let ran = sandbox.tdd(&["--all", "--dry-run"]).expect(0);
    assert!(ran.stderr.contains("left out: ") && ran.stderr.contains("README.md"), "{}", ran.stderr);
    assert!(ran.stdout.contains("AC-STE-1.1"), "{}", ran.stdout);
}

#[test]
fn ac_tdd_12_12_what_all_leaves_out_is_told_where_each_is_told_and_nothing_is_built_on_it() {
    let sandbox = project("block ''\n", HONEST_CHECK, "");
    sandbox.tdd(&["new", "STE-0", "Links"]).expect(0);
    sandbox.write(
        "specs/frs/STE-2.md",
        "---\ndepends_on: STE-0\n---\n## Acceptance Criteria\n- AC-STE-2.1: x\n",
    );
    let ran = sandbox.tdd(&["--all", "--dry-run", "--keep-going"]).expect(0);
    assert!(ran.stderr.contains("STE-0.md can't be run") && ran.stderr.contains("nobody has filled it in"));
    let want = "requirements:\n  STE-1  nothing was done: a dry run\n  STE-0  left out: it can't be run, see above\n  \
                STE-2  not begun: it depends on STE-0\n";
    assert!(ran.stdout.ends_with(want), "{}", ran.stdout);
    for stem in ["STE-1", "STE-2"] {
        std::fs::remove_file(sandbox.path(&format!("specs/frs/{stem}.md"))).unwrap();
    }
    sandbox.tdd(&["--all", "--dry-run"]).expect(2).says(&["each of them was left out", "mend one of them"]);
}
