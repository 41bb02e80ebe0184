//! A feature that needs a file by which tools are set up says so in its requirement.

use super::gate_rests::{PLAIN, run_of, shop};
use super::sandbox::{Ran, Sandbox, has_python};

/// An implementer that writes these files besides its code, for a requirement with this front matter.
fn run(header: &str, files: &[&str], level: &str) -> (Sandbox, Ran) {
    let requirement = format!("{header}# Two\n\n## Acceptance Criteria\n\n- AC-STE-1.1: two() is 2.\n");
    let sandbox = shop(&[
        ("setup.cfg", "[metadata]\nname = shop\n"),
        ("tdd.yaml", "test: python3 -m unittest -q\nbudgets: { semantic: 1, format: 0 }\n"),
        ("specs/frs/STE-1.md", &requirement),
    ]);
    let settings = files.iter().map(|file| (*file, "[mypy]\nstrict = true\n"));
    let written: Vec<(&str, &str)> = [("shop.py", PLAIN)].into_iter().chain(settings).collect();
    let ran = run_of(&sandbox, &written, &["--sandbox", level]);
    (sandbox, ran)
}

#[test]
fn ac_tdd_8_49_what_a_requirement_allows_is_written_and_told_and_nothing_else_is() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let allowing = "---\nid: STE-1\nallow_config: [mypy.ini, setup.cfg]\n---\n\n";
    for level in ["audit", "auto"] {
        let (sandbox, ran) = run(allowing, &["mypy.ini", "setup.cfg"], level);
        let told =
            "its roles change what decides how tests or the gate run, and they did: mypy.ini, setup.cfg";
        ran.expect(0).says_on_stdout(&[told]);
        assert!(sandbox.read("mypy.ini").contains("strict"));
        for (header, files) in [("", &["mypy.ini"][..]), (allowing, &["mypy.ini", ".flake8"])] {
            run(header, files, level).1.expect(1).says_on_stdout(&[files[files.len() - 1]]);
        }
    }
    let (_, ran) = run(allowing, &[], "audit");
    assert!(!ran.expect(0).stdout.contains("lets its roles"), "nothing of it was written");
}

#[test]
fn ac_tdd_9_115_a_halt_over_a_file_that_may_be_allowed_says_how() {
    if !has_python() {
        return;
    }
    let (sandbox, ran) = run("", &["mypy.ini"], "audit");
    let told = "if the feature needs it: take the run back";
    ran.expect(1).says_on_stdout(&[told]);
    sandbox.tdd(&["review"]).says_on_stdout(&[told]);
    // Twin: no requirement can allow this.
    let ran = run("", &["tdd.yaml"], "audit").1.expect(1);
    assert!(!ran.stdout.contains("allow_config"), "{}", ran.stdout);
}

#[test]
fn ac_tdd_8_49_what_judges_the_run_itself_can_t_be_allowed() {
    if !has_python() {
        return;
    }
    for (path, why) in [
        ("tdd.yaml", "says how this run is judged"),
        ("specs/frs/STE-1.md", "says how this run is judged"),
        (".tdd/skills/x/SKILL.md", "says how this run is judged"),
        ("../mypy.ini", "is no file of the project"),
        ("/etc/passwd", "is no file of the project"),
        ("*.ini", "a pattern would let in"),
    ] {
        let header = format!("---\nid: STE-1\nallow_config: [\"{path}\"]\n---\n\n");
        run(&header, &[], "audit").1.expect(2).says(&["can't be run", "allow_config", why, "for example"]);
    }
}
