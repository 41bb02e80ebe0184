//! What `tdd explain WORD` says: modes, exit codes, red kinds, and the words of the glossary.

use std::fmt::Write as _;

use tdd_core::finding::RedKind;
use tdd_core::mode::{BudgetKind, Mode};

mod in_json;
mod tables;

/// One thing that can be explained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topic {
    /// What it can be asked for by, the first as it is shown.
    pub names: Vec<String>,
    /// The heading it is listed under.
    pub kind: &'static str,
    pub text: String,
}

impl Topic {
    fn is_called(&self, word: &str) -> bool {
        self.names.iter().any(|name| name.to_lowercase() == word)
    }
}

const GLOSSARY: &str = include_str!("../../specs/glossary.md");

/// Exit codes of a run: what happened, and what a person does.
const EXITS: [(&str, &str, &str); 7] = [
    ("0", "every criterion is green, as measured", "the summary proposes the commit"),
    (
        "1",
        "halted: a budget is spent, or a test is disputed",
        "read the report: `tdd show`, or judge it: `tdd review`",
    ),
    (
        "2",
        "the set-up or the command line is wrong; nothing was changed",
        "do what the message says; `tdd doctor` looks at all of it",
    ),
    ("3", "paused: a limit, a cap, a full disk, or somebody else's change", "`tdd resume` goes on"),
    ("4", "finished, but some criteria are not verified", "the summary lists them: look at those yourself"),
    ("70", "a bug in tdd", "report it, with the run's journal: `tdd log`"),
    ("129, 130, 131, 143", "stopped by SIGHUP, SIGINT, SIGQUIT or SIGTERM", "`tdd resume` goes on"),
];

const MODES: [(Mode, &str); 5] = [
    (
        Mode::A,
        "The test-writer's tests pass at once, do not load, or belong to no criterion. The report names each; what passes at once may be there already (`--already-green`).",
    ),
    (
        Mode::B,
        "The implementer's tests are not all green, something else turned red, or a protected file was changed.",
    ),
    (
        Mode::C,
        "The refactorer's tree is red, or a protected file was changed. The tree is back at the last GREEN.",
    ),
    (
        Mode::D,
        "The agent's last message holds no `tdd-result` block, two, or one with a bad field. Work that measures as passed is kept: `tdd resume --take`.",
    ),
    (Mode::E, "It is counted as A, B or C by its role. What was done till then is measured all the same."),
];

/// Words that people use for others.
const SAME: [(&str, &str); 8] = [
    ("false-red", "a"),
    ("false red", "a"),
    ("dispute", "1"),
    ("halt", "1"),
    ("halted", "1"),
    ("pause", "3"),
    ("paused", "3"),
    ("turn cap", "e"),
];

/// Words that stand for a whole list.
const WHOLE: [(&str, &str); 6] = [
    ("exit", "Exit codes of a run"),
    ("exit code", "Exit codes of a run"),
    ("exit codes", "Exit codes of a run"),
    ("mode", "Failure modes"),
    ("modes", "Failure modes"),
    ("red kinds", "Why a test is red at RED"),
];

/// All of them, in the order in which they are listed.
pub fn topics() -> Vec<Topic> {
    let modes = MODES.map(|(mode, more)| {
        let budget = match mode.budget() {
            BudgetKind::Semantic => "semantic",
            BudgetKind::Format => "format",
        };
        Topic {
            names: vec![mode.to_string(), format!("mode {mode}")],
            kind: "Failure modes",
            text: format!("{}. {more} An attempt of the {budget} budget is spent.", mode.description()),
        }
    });
    let exits = EXITS.map(|(codes, what, then)| Topic {
        names: codes.split(", ").map(str::to_owned).collect(),
        kind: "Exit codes of a run",
        text: format!("{what}; {then}"),
    });
    let reds = RedKind::ALL.map(|kind| {
        let counts = if kind.is_accepted() { "counts as RED" } else { "does not count as RED (mode A)" };
        let advice = kind.advice().map(|advice| format!("; {advice}")).unwrap_or_default();
        Topic {
            names: vec![kind.name().to_owned()],
            kind: "Why a test is red at RED",
            text: format!("{}; {counts}{advice}", kind.meaning()),
        }
    });
    let printed = tables::ALL.iter().flat_map(|(kind, rows)| rows.iter().map(|row| (*kind, row)));
    let printed = printed.map(|(kind, (names, text))| Topic {
        names: names.split("; ").map(str::to_owned).collect(),
        kind,
        text: (*text).to_owned(),
    });
    modes.into_iter().chain(exits).chain(reds).chain(printed).chain(glossary()).collect()
}

/// The rows of its table, after the head.
fn glossary() -> impl Iterator<Item = Topic> {
    let rows = GLOSSARY.lines().filter_map(|line| {
        let (words, text) = line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | ")?;
        let names: Vec<String> = words.split(", ").map(|word| word.trim_matches('`').to_owned()).collect();
        Some(Topic { names, kind: "Words", text: text.to_owned() })
    });
    rows.skip(1)
}

/// What a word means; several things may bear one name. Else the names most like it.
pub fn of(word: &str) -> Result<Vec<Topic>, Vec<String>> {
    let typed = word.trim().to_lowercase();
    let topics = topics();
    let is_name = |said: &str| topics.iter().any(|topic| topic.is_called(said));
    let code = typed.strip_prefix("exit code ").or_else(|| typed.strip_prefix("exit "));
    let word = code.filter(|_| !is_name(&typed)).unwrap_or(&typed);
    let word = SAME.iter().find(|(said, _)| *said == word).map_or(word, |(_, same)| same);
    if let Some((_, kind)) = WHOLE.iter().find(|(said, _)| *said == word) {
        return Ok(topics.into_iter().filter(|topic| topic.kind == *kind).collect());
    }
    let found: Vec<Topic> = topics.iter().filter(|topic| topic.is_called(word)).cloned().collect();
    let found = if found.is_empty() { in_json::of(word) } else { found };
    if !found.is_empty() {
        return Ok(found);
    }
    let names = topics.iter().flat_map(|topic| topic.names.iter());
    let mut near: Vec<(usize, &String)> =
        names.map(|name| (strsim::damerau_levenshtein(word, &name.to_lowercase()), name)).collect();
    near.sort();
    near.dedup_by(|a, b| a.1 == b.1);
    Err(near
        .into_iter()
        // One letter is as far from every other one.
        .filter(|(slips, name)| *slips <= 1 + name.len() / 5 && *slips < name.len().max(word.len()))
        .take(3)
        .map(|(_, name)| name.clone())
        .collect())
}

/// One a paragraph, or all as a list.
pub fn list(topics: &[Topic]) -> String {
    let mut text = String::new();
    let mut kind = "";
    for topic in topics {
        if topic.kind != kind {
            kind = topic.kind;
            let gap = if text.is_empty() { "" } else { "\n" };
            let _ = writeln!(text, "{gap}{kind}:");
        }
        let _ = writeln!(text, "  {}: {}", topic.names.join(", "), topic.text);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_word_is_explained_and_a_slip_is_named() {
        for (word, part) in [
            ("b", "not GREEN"),
            ("mode d", "--take"),
            ("70", "a bug in tdd"),
            ("143", "SIGTERM"),
            ("Missing", "counts as RED; its expectation"),
            ("load", "does not count"),
            ("canary", "planted test"),
            ("fork", "start of one"),
            ("exit 2", "set-up"),
            ("exit", "a bug in tdd"),
            ("false-red", "pass at once"),
            ("Semantic", "two budgets"),
            ("gate", "after REFACTOR"),
        ] {
            let found = of(word).unwrap();
            assert!(found.iter().any(|topic| topic.text.contains(part)), "{word}: {found:?}");
        }
        assert_eq!(of("misssing").unwrap_err(), ["missing"]);
        assert_eq!(of("zzzzzz").unwrap_err(), Vec::<String>::new());
        for mode in [Mode::A, Mode::B, Mode::C, Mode::D, Mode::E] {
            assert!(of(&mode.to_string()).is_ok());
        }
        assert!(topics().len() > 50, "the glossary is read");
    }
}
