//! What a corpus is, how it came about and what it is good for: the page beside it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{From, Line, Repository, VERSION};
use tdd_core::harmless;

/// What was looked through, and what is not in the corpus.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sifted {
    pub runs: usize,
    pub sessions: usize,
    pub duplicates: usize,
    /// Their trees are no longer among git's objects.
    pub gone: usize,
    /// Journals that can't be read, by their runs.
    pub unreadable: Vec<String>,
}

/// Counts of the lines, as they come.
#[derive(Clone, Debug, Default)]
pub struct Counted {
    lines: usize,
    undone: usize,
    masked: usize,
    cut: usize,
    seen: Option<(u64, u64)>,
    by: BTreeMap<&'static str, BTreeMap<String, usize>>,
}

impl Counted {
    pub fn add(&mut self, line: &Line, masked: &str) {
        self.lines += 1;
        self.undone += usize::from(line.undone);
        let texts = [Some(&line.edit), line.test.as_ref()];
        self.cut += usize::from(texts.iter().flatten().any(|text| text.cut));
        self.masked += usize::from(texts.iter().flatten().any(|text| text.text.contains(masked)));
        let (first, last) = self.seen.unwrap_or((line.ts, line.ts));
        self.seen = Some((first.min(line.ts), last.max(line.ts)));
        let own = || "the agent's own choice".to_owned();
        for (what, value) in [
            ("agent", line.agent.clone().unwrap_or_else(|| "not told".to_owned())),
            ("model", line.model.clone().unwrap_or_else(own)),
            ("runner", line.runner.clone()),
            ("red kind", line.red.kind.clone()),
            ("held by", if line.from == From::Run { "run" } else { "session" }.to_owned()),
        ] {
            *self.by.entry(what).or_default().entry(value).or_default() += 1;
        }
    }

    pub fn lines(&self) -> usize {
        self.lines
    }
}

/// The page. `day` writes a moment as a day.
pub fn page(
    file: &str,
    counted: &Counted,
    (repository, sifted): (&Repository, &Sifted),
    day: &dyn Fn(u64) -> String,
) -> String {
    let mut text = String::new();
    let file = cell(file);
    let _ = writeln!(text, "# Datasheet of {file}\n");
    let _ = writeln!(
        text,
        "{} red tests, each with the edit that turned it green, one JSON object a line (version {VERSION} of the \
         format), written by `tdd corpus export`. Both ends of each were measured by tdd: it ran the test on the \
         base and saw it fail, and ran it on the result and saw it pass with a planted test failing beside it.\n",
        counted.lines
    );
    about(&mut text, counted, repository, day);
    let _ = writeln!(text, "## What is in it\n\n| | | lines |\n|---|---|---|");
    for (what, values) in &counted.by {
        for (value, count) in values {
            let _ = writeln!(text, "| {what} | {} | {count} |", cell(value));
        }
    }
    left_out(&mut text, counted, sifted);
    let _ = writeln!(
        text,
        "\n## How far it can be relied on\n\n\
         - A red of the kind `missing` was seen failing because what the test asks for did not exist; what it \
         expects was never seen failing.\n\
         - Tests, edits and words were written by agents. Agent, model and cost are as their programs and the \
         settings told them. The cost is that of the attempt, which may have turned several tests.\n\
         - Values of secret variables and known shapes of tokens are masked; other secrets and personal data are \
         not known for what they are. Look before you publish it.\n\
         - The hashes are those of the whole texts. Long texts are cut in their middle, and `cut` says so.\n\n\
         `tdd corpus verify {file}` replays each line in the repository that it comes from, without any model."
    );
    text
}

fn about(text: &mut String, counted: &Counted, repository: &Repository, day: &dyn Fn(u64) -> String) {
    let _ = writeln!(text, "## Where it comes from\n");
    let origin = repository.origin.as_deref().map_or_else(|| "no remote is named `origin`".to_owned(), cell);
    let _ = writeln!(text, "- Repository: {origin}");
    let named = |names: &[String]| names.iter().map(|name| cell(name)).collect::<Vec<_>>().join(", ");
    let licence = &repository.licence;
    if licence.declared.is_empty() && licence.files.is_empty() {
        let _ = writeln!(text, "- Licence: none is declared, so nobody else may use it");
    } else {
        let none = || "no manifest declares one".to_owned();
        let said = if licence.declared.is_empty() { none() } else { named(&licence.declared) };
        let files = if licence.files.is_empty() { "no file".to_owned() } else { named(&licence.files) };
        let _ = writeln!(text, "- Licence: {said}; told by {files}");
    }
    if let Some((first, last)) = counted.seen {
        let _ = writeln!(text, "- Kept between {} and {}", day(first), day(last));
    }
    text.push('\n');
}

fn left_out(text: &mut String, counted: &Counted, sifted: &Sifted) {
    let _ = writeln!(text, "\n## What is not in it\n");
    let _ = writeln!(text, "- Looked through: runs {}, sessions {}", sifted.runs, sifted.sessions);
    for (count, words) in [
        (sifted.duplicates, "duplicates (the same test, file and edit)"),
        (sifted.gone, "tests whose trees are no longer in git"),
        (sifted.unreadable.len(), "runs and sessions whose journals can't be read"),
    ] {
        let _ = writeln!(text, "- Left out: {count} {words}");
    }
    for (count, words) in [
        (counted.undone, "of runs that were taken back since (`undone`)"),
        (counted.masked, "with something masked in test or edit"),
        (counted.cut, "with a test or an edit that is cut"),
    ] {
        let _ = writeln!(text, "- In it, and perhaps to be left out: {count} {words}");
    }
}

/// A word in a table or a line of Markdown.
fn cell(word: &str) -> String {
    let mut plain = String::new();
    for c in harmless::line(word).chars() {
        if matches!(c, '\\' | '|' | '`' | '*' | '_' | '<' | '>' | '[' | ']' | '#' | '&') {
            plain.push('\\');
        }
        plain.push(c);
    }
    plain
}
