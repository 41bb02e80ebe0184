//! Versions of agent programs, and which of them a table was proven with.
//!
//! ```text
//! version = number { "." number }              2.1.330; what follows ("-beta", " (Claude Code)") is passed over
//! said    = any text with a version in it      the first one that has a dot: `codex-cli 0.169.0`
//! ```

use std::fmt;

use serde_yaml::Value;

use super::arguments;
use super::template::Argv;
use tdd_core::trouble::Trouble;
use tdd_spec::strict::{Table, missing, wrong_type};

/// Numbers of a version that are looked at.
const MOST_NUMBERS: usize = 4;

/// Compared number by number; `2.1` is older than `2.1.0`, which no table needs to tell apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(Vec<u64>);

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.0.iter().map(u64::to_string).collect();
        f.write_str(&numbers.join("."))
    }
}

/// What a table says of versions.
#[derive(Clone, Debug, PartialEq)]
pub struct Versions {
    /// At least one.
    pub proven: Vec<Version>,
    pub oldest: Version,
    /// Asks for the version; the program with `--version` if none is set.
    pub command: Option<Argv>,
}

/// What is to be said of the version that is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Support {
    /// It went through the conformance kit and whole runs.
    Tested,
    /// Not itself, but no older than what is known to work and no newer than one that was tested.
    Within,
    /// Newer than any that was tested: it may work.
    Newer,
    /// The program did not tell: it may work.
    Untold,
    TooOld,
}

impl Versions {
    /// `None`: the program did not tell.
    pub fn support(&self, found: Option<&Version>) -> Support {
        let Some(found) = found else { return Support::Untold };
        let newest = self.proven.iter().max();
        if self.proven.contains(found) {
            Support::Tested
        } else if *found < self.oldest {
            Support::TooOld
        } else if newest.is_none_or(|newest| found > newest) {
            Support::Newer
        } else {
            Support::Within
        }
    }

    /// The version that was found, and how it stands to the tested ones: `2.1.330, tested`.
    pub fn words(&self, found: Option<&Version>) -> String {
        let tested = self.proven_words();
        let version = found.map_or_else(|| "of an unknown version".to_owned(), Version::to_string);
        match self.support(found) {
            Support::Tested => format!("{version}, tested"),
            Support::Within => format!(
                "{version}, not tested, but neither older than what works nor newer than what was tested ({tested})"
            ),
            Support::Newer => format!("{version}, newer than any tested ({tested})"),
            Support::Untold => format!("{version} (tested: {tested})"),
            Support::TooOld => format!("{version}, too old (tested: {tested})"),
        }
    }

    /// `2.1.330`, or several with commas.
    pub fn proven_words(&self) -> String {
        self.proven.iter().map(Version::to_string).collect::<Vec<_>>().join(", ")
    }
}

/// The version in what a program printed.
pub fn said(text: &str) -> Option<Version> {
    let words = text.split(|letter: char| !letter.is_ascii_digit() && letter != '.');
    words.filter(|word| word.contains('.')).find_map(parse)
}

/// `None` unless it is numbers with dots between them.
fn parse(text: &str) -> Option<Version> {
    let numbers: Option<Vec<u64>> =
        text.trim_matches('.').split('.').take(MOST_NUMBERS).map(|number| number.parse().ok()).collect();
    numbers.map(Version)
}

pub(super) fn read(map: &Table<'_>) -> Result<Option<Versions>, Trouble> {
    let Some(value) = map.get("versions") else { return Ok(None) };
    let inner = Table::open(map.at("versions"), value, &["proven", "oldest", "command"])?;
    let version = |key: &str, text: &str| {
        let wanted = "a version in quotes, like \"2.1.330\"";
        parse(text).ok_or_else(|| wrong_type(&inner.at(key), &Value::from(text), wanted))
    };
    let proven: Vec<Version> = inner
        .texts("proven")?
        .unwrap_or_default()
        .iter()
        .map(|text| version("proven", text))
        .collect::<Result<_, _>>()?;
    let Some(newest) = proven.iter().max() else {
        return Err(missing(&inner.at("proven"), "a list with at least one version"));
    };
    let oldest = match inner.text("oldest")? {
        Some(text) => version("oldest", &text)?,
        None => proven.iter().min().unwrap_or(newest).clone(),
    };
    let command =
        inner.get("command").map(|value| arguments::plain(&inner.at("command"), value)).transpose()?;
    Ok(Some(Versions { proven, oldest, command }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        parse(text).unwrap()
    }

    #[test]
    fn programs_tell_their_versions_in_many_ways() {
        for (text, want) in [
            ("2.1.330 (Claude Code)\n", Some("2.1.330")),
            ("codex-cli 0.169.0\n", Some("0.169.0")),
            ("v1.18.2", Some("1.18.2")),
            ("WARNING: 3 things\n0.61.0-preview.1\n", Some("0.61.0")),
            ("gemini 0.61.", Some("0.61")),
            ("5", None),
            ("no version here.", None),
            ("99999999999999999999.1", None),
            ("", None),
        ] {
            assert_eq!(said(text).map(|found| found.to_string()).as_deref(), want, "{text:?}");
        }
    }

    #[test]
    fn versions_stand_to_the_proven_ones() {
        let versions = Versions {
            proven: vec![version("2.1.330"), version("2.1.400")],
            oldest: version("2.1.300"),
            command: None,
        };
        for (found, want) in [
            (Some("2.1.299"), Support::TooOld),
            (Some("1.99"), Support::TooOld),
            (Some("2.1.300"), Support::Within),
            (Some("2.1.330"), Support::Tested),
            (Some("2.1.350"), Support::Within),
            (Some("2.1.400"), Support::Tested),
            (Some("2.1.401"), Support::Newer),
            (Some("2.2"), Support::Newer),
            (Some("10.0"), Support::Newer),
            (None, Support::Untold),
        ] {
            assert_eq!(versions.support(found.map(version).as_ref()), want, "{found:?}");
        }
        assert_eq!(versions.proven_words(), "2.1.330, 2.1.400");
        assert_eq!(versions.words(Some(&version("2.1.400"))), "2.1.400, tested");
        assert_eq!(versions.words(Some(&version("2.2"))), "2.2, newer than any tested (2.1.330, 2.1.400)");
    }
}
