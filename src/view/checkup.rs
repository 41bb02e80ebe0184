//! The findings of `tdd doctor`, for a person and as JSON lines.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::text::object::VERSION;
use tdd_core::checkup::{Finding, Grade};
use tdd_core::harmless;

/// Letters of one line: names come from the project, and a project may name things to mislead.
const WIDEST: usize = 600;

/// Grade, subject and what was found on one line; why and what to do next below it.
pub fn lines(finding: &Finding) -> String {
    let mut text = format!(
        "{:<8} {:<12} {}\n",
        finding.grade.name(),
        finding.subject.name(),
        harmless::short(&finding.what, WIDEST)
    );
    for (word, said) in [("why", &finding.why), ("next", &finding.next)] {
        let mut head = format!("{word}:");
        for line in harmless::lines(said).lines() {
            let _ = writeln!(text, "         {head:<5} {}", harmless::short(line, WIDEST));
            head.clear();
        }
    }
    text
}

/// One object on one line.
pub fn json_line(finding: &Finding) -> String {
    let mut line = json!({"type": "finding", "v": VERSION});
    if let (Value::Object(line), Ok(Value::Object(fields))) = (&mut line, serde_json::to_value(finding)) {
        line.extend(fields);
    }
    format!("{line}\n")
}

/// The last line of all.
pub fn sum(findings: &[Finding]) -> String {
    match counts(findings) {
        (0, 0) => "nothing is in the way of a run\n".to_owned(),
        (0, warnings) => format!("nothing is in the way of a run; warnings: {warnings}\n"),
        (problems, warnings) => format!("in the way of a run: {problems}; warnings: {warnings}\n"),
    }
}

/// The last object of all.
pub fn json_sum(findings: &[Finding]) -> String {
    let (problems, warnings) = counts(findings);
    format!("{}\n", json!({"type": "checkup", "v": VERSION, "problems": problems, "warnings": warnings}))
}

fn counts(findings: &[Finding]) -> (usize, usize) {
    let of = |grade: Grade| findings.iter().filter(|finding| finding.grade == grade).count();
    (of(Grade::Problem), of(Grade::Warning))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tdd_core::checkup::Subject;
    use tdd_core::trouble::Trouble;

    #[test]
    fn a_finding_says_what_why_and_what_next() {
        let trouble = Trouble::user("it\x1b[2Jbroke").because("a\nb").advise("mend it");
        let finding = Finding::problem(Subject::Gate, trouble);
        assert_eq!(
            lines(&finding),
            "problem  gate         itbroke\n         why:  a\n               b\n         next: mend it\n"
        );
        let line: Value = serde_json::from_str(&json_line(&finding)).unwrap();
        assert_eq!((&line["type"], &line["grade"]), (&json!("finding"), &json!("problem")));
        assert_eq!(json_line(&finding).lines().count(), 1);
    }

    #[test]
    fn a_warning_is_in_nobodys_way() {
        let ok = Finding::ok(Subject::Git, "x");
        let warning = Finding::warning(Subject::Disk, Trouble::user("y"));
        let problem = Finding::problem(Subject::Disk, Trouble::user("y"));
        for (findings, want) in [
            (vec![ok.clone()], "nothing is in the way of a run\n"),
            (vec![ok, warning.clone()], "nothing is in the way of a run; warnings: 1\n"),
            (vec![warning, problem], "in the way of a run: 1; warnings: 1\n"),
        ] {
            assert_eq!(sum(&findings), want);
        }
    }
}
