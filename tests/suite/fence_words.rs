//! What fails for the sandbox alone is told with the fence and the setting that opens it; and what git does not ignore
//! with the line that ignores it.

use super::sandbox::Sandbox;
use super::stops::project;

const AGENT: &str = "case $role in
test-writer) mkdir -p tests; echo 'grep -q two src.txt' >tests/ac_ste_1_1.sh; block tests/ac_ste_1_1.sh;;
implementer) echo two >>src.txt
  DEED
  block src.txt;;
*) block '';;
esac
";

fn with(first: &str, deed: &str, more: &str) -> Sandbox {
    let check = format!("{first}\ntest ! -e tests/ac_ste_1_1.sh || sh tests/ac_ste_1_1.sh\n");
    let sandbox =
        project(&AGENT.replace("DEED", deed), &check, &format!("budgets: {{ semantic: 1 }}\n{more}"));
    sandbox.commit();
    sandbox
}

#[test]
fn ac_tdd_9_113_a_baseline_that_a_fence_turns_red_names_the_fence() {
    left_to_the_night!();
    let home = "mkdir \"$HOME/.suite\" || exit 1; rmdir \"$HOME/.suite\"";
    let network = "echo 'curl: (6) Could not resolve host: a.test'; exit 1";
    let hidden = "cat \"$HOME/data/d\"; exit 1";
    let off = "sandbox: { network: off }\n";
    let hide = "sandbox: { hide: [\"~/data\"] }\n";
    let read_only = "it met a read-only file system";
    let looked = "it looked for the network, which is off";
    let where_green = "where it is green by hand: it ran in level enforce";
    for (level, check, more, told, untold) in [
        ("enforce", home, "", [read_only, "home: rw", "--sandbox audit"].as_slice(), "network"),
        ("enforce", network, off, &[looked, "network: on"], read_only),
        ("enforce", network, "", &[where_green], looked),
        ("enforce", hidden, hide, &["it names ~/data", "take it out there"], read_only),
        ("enforce", hidden, "", &[where_green], "it names"),
        ("enforce", "exit 1", "", &[where_green, "home read-only"], read_only),
        ("audit", network, off, &[], "enforce"),
    ] {
        let ran = with(check, "true", more).tdd(&["STE-1", "--sandbox", level]).expect(2);
        let ran = ran.says(told).says(&["make `sh ../check.sh` pass first"]);
        let advice = ran.stderr.split("next: ").nth(1).unwrap_or_default();
        assert!(!advice.is_empty() && !advice.contains(untold), "{check} {more}: {advice}");
    }
}

#[test]
fn ac_tdd_9_113_a_halt_that_a_fence_caused_names_the_fence() {
    left_to_the_night!();
    let own = "mkdir \"$HOME/.my-agent\" || exit 1";
    for (deed, told) in [(own, Some("uses_home")), ("echo it broke; exit 1", None)] {
        let ran = with("", deed, "").tdd(&["STE-1", "--sandbox", "enforce"]).expect(1);
        match told {
            Some(told) => drop(ran.says_on_stdout(&["sandbox: it met a read-only file system", told])),
            None => assert!(!ran.stdout.contains("uses_home"), "{}", ran.stdout),
        }
    }
    // Its test needs what is off, and is red for that with and without the work.
    let needs =
        "echo 'grep -q two src.txt || exit 1; echo Network is unreachable; exit 1' >tests/ac_ste_1_1.sh";
    let agent =
        AGENT.replace("DEED", "true").replace("echo 'grep -q two src.txt' >tests/ac_ste_1_1.sh", needs);
    for (more, is_told) in [("sandbox: { network: off }\n", true), ("", false)] {
        let check = "test ! -e tests/ac_ste_1_1.sh || sh tests/ac_ste_1_1.sh\n";
        let sandbox = project(&agent, check, &format!("budgets: {{ semantic: 1 }}\n{more}"));
        sandbox.commit();
        let ran = sandbox.tdd(&["STE-1", "--sandbox", "enforce"]).expect(1);
        assert_eq!(ran.stdout.contains("sandbox: it looked for the network"), is_told, "{}", ran.stdout);
    }
}

#[test]
fn ac_tdd_9_114_what_an_installation_leaves_and_git_does_not_ignore_is_told_with_the_line() {
    left_to_the_night!();
    let install = "d=.venv/lib/python3.11/site-packages/six-1.dist-info; mkdir -p $d; echo pip >$d/INSTALLER";
    for (deed, line) in [
        (install, Some(".venv/")),
        (&format!("{install}; echo x >tests/ac_x.sh"), None),
        ("echo x >tests/ac_x.sh", None),
    ] {
        let sandbox = with("", deed, "");
        let ran = sandbox.tdd(&["STE-1", "--sandbox", "audit"]).expect(1);
        let Some(line) = line else {
            assert!(!ran.stdout.contains("add what an installation leaves"), "{}", ran.stdout);
            continue;
        };
        ran.says_on_stdout(&[
            &format!("an installation leaves it, and git does not ignore it (`{line}` in .gitignore)"),
            "recommended: take the run back, add what an installation leaves to",
        ]);
        sandbox.tdd(&["undo"]).expect(0);
        sandbox.write(".gitignore", &format!("{line}\n"));
        sandbox.tdd(&["STE-1", "--sandbox", "audit"]).expect(0);
    }
}
