//! A valid block, made from what a cassette says.

use tdd_core::claim::{ClaimStatus, Dispute};
use tdd_core::role::Role;

use super::ByCriterion;

/// What goes into the block.
#[derive(Clone, Debug, PartialEq)]
pub struct Say {
    pub role: Role,
    pub status: ClaimStatus,
    pub files: Vec<String>,
    pub command: String,
    pub output_excerpt: String,
    pub notes: Option<String>,
    pub tests: ByCriterion,
    pub supersedes: ByCriterion,
    pub dispute: Option<Dispute>,
}

impl Say {
    /// A valid `tdd-result` block with its fences, as an agent that keeps to the format writes it.
    pub fn render(&self) -> String {
        let status = match self.status {
            ClaimStatus::Ok => "ok",
            ClaimStatus::Failed => "failed",
        };
        let mut lines = vec![format!("role: {}", self.role), format!("status: {status}")];
        list(&mut lines, "files", &self.files, 0);
        // A command on one line is taken verbatim by the reader, so no quotes are added.
        lines.push(format!("command: {}", self.command.replace('\n', " ")));
        excerpt(&mut lines, &self.output_excerpt);
        lines.extend(self.notes.as_ref().map(|notes| format!("notes: {}", quoted(notes))));
        by_criterion(&mut lines, "tests", &self.tests);
        by_criterion(&mut lines, "supersedes", &self.supersedes);
        if let Some(dispute) = &self.dispute {
            lines.push("dispute:".to_owned());
            list(&mut lines, "tests", &dispute.tests, 2);
            lines.push(format!("  reason: {}", quoted(&dispute.reason)));
        }
        let body = lines.join("\n");
        let fence = "`".repeat(longest_run(&body).max(2) + 1);
        format!("{fence}tdd-result\n{body}\n{fence}\n")
    }
}

fn list(lines: &mut Vec<String>, name: &str, items: &[String], indent: usize) {
    let margin = " ".repeat(indent);
    let none = if items.is_empty() { " []" } else { "" };
    lines.push(format!("{margin}{name}:{none}"));
    lines.extend(items.iter().map(|item| format!("{margin}  - {}", quoted(item))));
}

fn by_criterion(lines: &mut Vec<String>, name: &str, map: &ByCriterion) {
    if map.is_empty() {
        return;
    }
    lines.push(format!("{name}:"));
    for (criterion, ids) in map {
        list(lines, criterion, ids, 2);
    }
}

/// A literal, so that output stays as it is. The digit says the margin: without it YAML takes the
/// first line's own indentation for the margin.
fn excerpt(lines: &mut Vec<String>, text: &str) {
    if text.trim().is_empty() {
        lines.push("output_excerpt: \"\"".to_owned());
        return;
    }
    let first = text.lines().find(|line| !line.trim().is_empty());
    let margin = if first.is_some_and(|line| line.starts_with(' ')) { "2" } else { "" };
    lines.push(format!("output_excerpt: |{margin}"));
    lines.extend(text.trim_end().lines().map(|line| format!("  {line}")));
}

/// JSON's quoting is YAML's too.
fn quoted(text: &str) -> String {
    let is_plain = !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte))
        && text.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
    if is_plain { text.to_owned() } else { serde_json::Value::from(text).to_string() }
}

fn longest_run(text: &str) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for letter in text.chars() {
        run = if letter == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}
