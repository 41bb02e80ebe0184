//! What the kit found, for a person, for a program, and as the page that the project keeps.

use std::fmt::Write as _;

use serde_json::json;

use super::obligation::{OBLIGATIONS, Obligation};
use super::{Finding, Verdict};
use crate::cli::DoctorArgs;
use crate::text::object::VERSION;
use tdd_core::isolation::Confinement;

/// One agent's verdicts.
pub(super) struct Column {
    pub(super) agent: String,
    /// What it says of its version.
    pub(super) version: String,
    pub(super) findings: Vec<Finding>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Table,
    /// One JSON object a line for each agent and obligation.
    Json,
    Markdown,
}

impl Shape {
    pub(super) fn of(args: &DoctorArgs) -> Self {
        if args.json {
            Self::Json
        } else if args.markdown {
            Self::Markdown
        } else {
            Self::Table
        }
    }
}

impl Verdict {
    fn word(&self) -> &'static str {
        match self {
            Self::Met(_) => "met",
            Self::NotMet(_) => "NOT MET",
            Self::NotApplicable(_) => "n/a",
        }
    }

    fn why(&self) -> &str {
        match self {
            Self::Met(why) | Self::NotMet(why) | Self::NotApplicable(why) => why,
        }
    }
}

pub(super) fn page(columns: &[Column], isolation: &Confinement, shape: Shape) -> String {
    match shape {
        Shape::Table => table(columns, isolation),
        Shape::Json => json_lines(columns, isolation),
        Shape::Markdown => markdown(columns, isolation),
    }
}

/// Of the obligations that were looked at, each with the verdict of every agent.
fn rows(columns: &[Column]) -> Vec<(&'static Obligation, Vec<&Verdict>)> {
    let row = |obligation: &'static Obligation| {
        let all = columns.iter().flat_map(|column| &column.findings);
        let own = all.filter(|one| one.obligation.name == obligation.name);
        let verdicts: Vec<&Verdict> = own.map(|one| &one.verdict).collect();
        (!verdicts.is_empty()).then_some((obligation, verdicts))
    };
    OBLIGATIONS.iter().filter_map(row).collect()
}

fn table(columns: &[Column], isolation: &Confinement) -> String {
    let rows = rows(columns);
    let mut text = String::new();
    for column in columns {
        let _ = writeln!(text, "{}: {}", column.agent, column.version);
    }
    let _ = writeln!(text, "isolation: {isolation}\n");
    let first = rows.iter().map(|(one, _)| one.name.len()).max().unwrap_or(0).max("obligation".len());
    let width = |column: &Column| column.agent.len().max("NOT MET".len());
    let _ = write!(text, "{:first$}", "obligation");
    for column in columns {
        let _ = write!(text, "  {:w$}", column.agent, w = width(column));
    }
    text.push('\n');
    for (obligation, verdicts) in &rows {
        let mut line = format!("{:first$}", obligation.name);
        for (column, verdict) in columns.iter().zip(verdicts) {
            let _ = write!(line, "  {:w$}", verdict.word(), w = width(column));
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    for line in explained(columns) {
        let _ = write!(text, "\n{line}\n");
    }
    text.trim_end().to_owned() + "\n"
}

/// A line for each verdict that is not plain.
fn explained(columns: &[Column]) -> Vec<String> {
    let all = columns.iter().flat_map(|column| column.findings.iter().map(move |one| (column, one)));
    let not_plain = all.filter(|(_, one)| !matches!(one.verdict, Verdict::Met(_)));
    let line = |(column, one): (&Column, &Finding)| {
        let Obligation { name, sentence, .. } = one.obligation;
        format!("{} · {name} ({sentence}): {}: {}", column.agent, one.verdict.word(), one.verdict.why())
    };
    not_plain.map(line).collect()
}

fn json_lines(columns: &[Column], isolation: &Confinement) -> String {
    let mut text = String::new();
    for column in columns {
        for Finding { obligation, verdict, took } in &column.findings {
            let word = match verdict {
                Verdict::Met(_) => "met",
                Verdict::NotMet(_) => "not-met",
                Verdict::NotApplicable(_) => "not-applicable",
            };
            let line = json!({
                "type": "obligation", "v": VERSION, "agent": column.agent, "version": column.version,
                "isolation": isolation.level, "obligation": obligation.name, "sentence": obligation.sentence,
                "verdict": word, "why": verdict.why(),
                "ms": u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            });
            let _ = writeln!(text, "{line}");
        }
    }
    text
}

fn markdown(columns: &[Column], isolation: &Confinement) -> String {
    let names: Vec<&str> = columns.iter().map(|column| column.agent.as_str()).collect();
    let asked: Vec<String> = names.iter().map(|name| format!("--agent {name}")).collect();
    let mut text = format!(
        "# Agents by obligation\n\nWritten by `tdd doctor {} --markdown`; not by hand. A scripted model server stood in \
         for the model,\nthe agents' programs were the real ones. Level of isolation: {}.\n\n",
        asked.join(" "),
        isolation.level.name(),
    );
    for column in columns {
        let _ = writeln!(text, "- {}: {}", column.agent, column.version);
    }
    let _ = writeln!(text, "\n| obligation | what must be so | {} |", names.join(" | "));
    let _ = writeln!(text, "|---|---|{}", "---|".repeat(columns.len()));
    for (obligation, verdicts) in rows(columns) {
        let cell = |verdict: &&Verdict| match verdict {
            Verdict::Met(how) => format!("met: {how}"),
            Verdict::NotMet(_) | Verdict::NotApplicable(_) => verdict.word().to_owned(),
        };
        let cells: Vec<String> = verdicts.iter().map(cell).collect();
        let _ = writeln!(text, "| `{}` | {} | {} |", obligation.name, obligation.sentence, cells.join(" | "));
    }
    for (index, line) in explained(columns).iter().enumerate() {
        let _ = writeln!(text, "{}- {line}", if index == 0 { "\n" } else { "" });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page is written by the kit over the real agents (`UPDATE_FIXTURES=1 cargo test --test suite
    /// kit::`); here it is only held against the list.
    #[test]
    fn the_page_that_is_kept_lists_these_obligations() {
        let page = include_str!("../../../../specs/agents.md");
        let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
        let kept: Vec<String> =
            rows.map(|row| row.split(" | ").take(2).collect::<Vec<_>>().join(" | ")).collect();
        let listed: Vec<String> =
            OBLIGATIONS.iter().map(|one| format!("{}` | {}", one.name, one.sentence)).collect();
        assert_eq!(kept, listed, "specs/agents.md is stale: run the kit with UPDATE_FIXTURES=1");
    }

    #[test]
    fn every_verdict_is_shown_and_told_why() {
        let finding = |name: &str, verdict| Finding {
            obligation: OBLIGATIONS.iter().find(|one| one.name == name).unwrap(),
            verdict,
            took: std::time::Duration::from_millis(7),
        };
        let columns = [Column {
            agent: "mine".to_owned(),
            version: "mine 1.2".to_owned(),
            findings: vec![
                finding("prompt", Verdict::Met("byte for byte".to_owned())),
                finding("role", Verdict::NotMet("it is not there".to_owned())),
                finding("session", Verdict::NotApplicable("no way".to_owned())),
            ],
        }];
        let isolation = Confinement { level: tdd_core::isolation::Level::Audit, words: "all".to_owned() };
        let table = page(&columns, &isolation, Shape::Table);
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines[0], "mine: mine 1.2");
        assert!(lines.contains(&"role        NOT MET"), "{table}");
        assert!(lines.contains(&"session     n/a"), "{table}");
        assert!(table.contains("mine · role (") && table.contains("NOT MET: it is not there"), "{table}");
        let json = page(&columns, &isolation, Shape::Json);
        let told: Vec<serde_json::Value> =
            json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let verdicts: Vec<&str> = told.iter().filter_map(|line| line["verdict"].as_str()).collect();
        assert_eq!(verdicts, ["met", "not-met", "not-applicable"]);
        assert_eq!(told[1]["why"], "it is not there");
        let markdown = page(&columns, &isolation, Shape::Markdown);
        assert!(
            markdown.contains("| `prompt` | a prompt of 1 MB arrives whole | met: byte for byte |\n"),
            "{markdown}"
        );
    }
}
