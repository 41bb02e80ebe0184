//! What `tdd init` and `tdd new` write: settings, a requirement; and the id of the next one.

use std::fmt::Write as _;

use tdd_core::commands::ProjectCommands;
use tdd_spec::requirement::PLACEHOLDER;

mod with;

pub use with::{With, for_workflow};

/// What the settings say beyond what the project tells by itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Differing<'a> {
    pub test: Option<&'a str>,
    pub gate: Option<&'a str>,
    pub agent: Option<&'a str>,
}

/// A `tdd.yaml` that sets only what differs; the rest is a comment.
///
/// `agent` is the one that holds without a line here, and who says so.
pub fn settings(found: &ProjectCommands, differing: Differing<'_>, agent: (&str, &str)) -> String {
    let mut text = String::from(
        "# Settings of tdd for this project. What is left out is found; `tdd config` prints what holds, and where\n\
         # it comes from.\n",
    );
    let mut line = |key: &str, value: Option<&str>, found: &str, from: &str, what: &str| {
        let _ = match value {
            Some(value) => writeln!(text, "\n# {what}\n{key}: {}", quoted(value)),
            None => writeln!(text, "\n# {what}. As it is ({from}):\n# {key}: {}", quoted(found)),
        };
    };
    line("test", differing.test, &found.test, &found.test_source, "Runs all tests");
    line(
        "gate",
        differing.gate,
        &found.gate,
        &found.gate_source,
        "Must be green after REFACTOR: tests and linters",
    );
    line("agent", differing.agent, agent.0, agent.1, "Who writes tests and code");
    text
}

/// A value in double quotes where YAML would take it for something else.
fn quoted(value: &str) -> String {
    let is_plain =
        |char: char| char.is_ascii_alphanumeric() || matches!(char, ' ' | '-' | '.' | '/' | '_' | '=');
    let begins = value.starts_with(|char: char| char.is_ascii_alphanumeric() || matches!(char, '.' | '/'));
    if begins && value.chars().all(is_plain) && value.trim() == value && value.parse::<f64>().is_err() {
        return value.to_owned();
    }
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A requirement with these criteria, or with one to fill in.
pub fn requirement(id: &str, title: &str, criteria: &[String]) -> String {
    let mut text = format!(
        "---\nid: {id}\n---\n\n# {title}\n\n<!-- Each criterion is one thing that can be seen from outside: a call, \
         an answer, an error. The tests of each\nare written from its words alone, and must fail before there is any \
         code. A line `verify: gate` or\n`verify: manual` below one says that no test can tell it. -->\n\n\
         ## Acceptance Criteria\n\n"
    );
    let placeholder = [PLACEHOLDER.to_owned()];
    let criteria = if criteria.is_empty() { &placeholder[..] } else { criteria };
    for (at, criterion) in criteria.iter().enumerate() {
        let _ = writeln!(text, "- AC-{id}.{}: {criterion}", at + 1);
    }
    text
}

/// The id after those that are there, or the first one of a project of this name.
pub fn next_id(known: &[String], project: &str) -> String {
    let numbered = known.iter().filter_map(|stem| {
        let (name, number) = stem.rsplit_once('-')?;
        let is_name = name.starts_with(|char: char| char.is_ascii_alphabetic());
        Some((name, number.parse::<u64>().ok()?)).filter(|_| is_name)
    });
    let newest = numbered.max_by_key(|(name, number)| (*number, *name));
    if let Some((name, number)) = newest {
        return format!("{name}-{}", number + 1);
    }
    let letters: String = project.chars().filter(char::is_ascii_alphanumeric).collect();
    let letters = letters.trim_start_matches(|char: char| char.is_ascii_digit()).to_ascii_uppercase();
    let name: String = letters.chars().take(6).collect();
    format!("{}-1", if name.is_empty() { "FR" } else { &name })
}

/// What to type where nothing tells how the project is tested, for each language.
pub const NO_PROJECT: &str = "begin one, then say `tdd init` again:\n\
     Rust:    cargo init\n\
     Go:      go mod init example.org/shop\n\
     Node:    npm init -y\n\
     Python:  uv init, or write a first file: shop.py\n\
     other:   tdd init --test 'COMMAND'";

#[cfg(test)]
mod tests {
    use super::*;
    use tdd_core::commands::RunnerKind;

    #[test]
    fn the_next_id_counts_on() {
        let known = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        for (ids, project, want) in [
            (&["STE-9", "STE-12", "login"][..], "shop", "STE-13"),
            (&["A-2", "WEB-7"], "shop", "WEB-8"),
            (&["login"], "my-shop", "MYSHOP-1"),
            (&[], "2048", "FR-1"),
            (&[], "short_links", "SHORTL-1"),
            (&["001-short"], "x", "X-1"),
        ] {
            assert_eq!(next_id(&known(ids), project), want);
        }
    }

    #[test]
    fn what_is_written_is_what_is_read() {
        let found = ProjectCommands {
            test: "cargo test".into(),
            test_source: "found Cargo.toml".into(),
            gate: "cargo test".into(),
            gate_source: "the test command".into(),
            runner: RunnerKind::Cargo,
        };
        let differing = Differing { test: Some("sh -c \"x: y\" # z"), gate: None, agent: Some("claude") };
        let text = settings(&found, differing, ("auto", "the first that is installed"));
        let read = crate::text::config::read("tdd.yaml", &text).unwrap();
        assert_eq!(
            (read.test.as_deref(), read.gate, read.agent.as_deref()),
            (differing.test, None, Some("claude"))
        );
        assert_eq!(
            crate::text::config::read(
                "tdd.yaml",
                &settings(&found, Differing::default(), ("mine", "from your own settings"))
            )
            .unwrap()
            .test,
            None
        );

        let page = requirement("STE-12", "Short: links", &["one".to_owned(), "two".to_owned()]);
        let read = tdd_spec::requirement::read(page.as_bytes(), "STE-12").unwrap();
        let ids: Vec<String> = read.criteria.iter().map(|it| format!("{} {}", it.id, it.text)).collect();
        assert_eq!(ids, ["AC-STE-12.1 one", "AC-STE-12.2 two"]);
        assert_eq!(
            (read.title.as_deref(), read.header.id.as_deref()),
            (Some("Short: links"), Some("STE-12"))
        );

        let empty = requirement("STE-12", "Short links", &[]);
        let why = tdd_spec::requirement::read(empty.as_bytes(), "STE-12").unwrap_err();
        assert!(why.to_string().contains("nobody has filled it in"), "{why}");
    }
}
