//! The log that an agent wrote: its status, or which rule of the front matter it breaks.
//!
//! ```text
//! log    = front matter body                   as in `front_matter`: at byte 0, closed by `---`
//! YAML   = a mapping with the key `status`, in lower case; other keys are the agent's own
//! status = blanks ( "pass" | "fail" ) blanks   in any case
//! ```
//!
//! Only the head of the log is looked at, so that its size does not matter.

use std::fmt::Write as _;

use serde_yaml::Value;

use crate::front_matter::{self, FrontMatterError};
use tdd_core::harmless;
use tdd_core::mdtest::Status;

/// How much of a log is read, in bytes: front matter is a few lines long.
pub const HEAD: usize = 64 * 1024;
/// Characters of a wrong value, and of an agent's reason, that are shown.
const SHOWN: usize = 200;

/// What a log says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    pub status: Status,
    /// What stands under `reason:`, if it is a text: one line, harmless.
    pub reason: Option<String>,
}

/// Which rule a log breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{rule}")]
pub struct LogError {
    pub rule: Rule,
    /// From 1.
    pub line: Option<usize>,
}

/// The rules, as broken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rule {
    #[error("{0}")]
    FrontMatter(FrontMatterError),
    #[error("missing closing front matter delimiter: none in the first {} KiB", HEAD / 1024)]
    TooLong,
    #[error("parse yaml: {0}")]
    Yaml(String),
    #[error("missing status key")]
    NoStatus,
    #[error("invalid status value \"{0}\": it must be pass or fail")]
    Status(String),
}

/// Whether what was read is the whole log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    Whole,
    /// The log goes on.
    Head,
}

/// Reads the head of a log.
pub fn read(head: &[u8], extent: Extent) -> Result<Word, LogError> {
    let text = String::from_utf8_lossy(head);
    let split = front_matter::split(&text).map_err(|error| match (error, extent) {
        (FrontMatterError::Unclosed, Extent::Head) => broken(Rule::TooLong, Some(1)),
        (FrontMatterError::Empty, _) => broken(Rule::FrontMatter(error), None),
        (FrontMatterError::NotAtStart | FrontMatterError::Unclosed, _) => {
            broken(Rule::FrontMatter(error), Some(1))
        }
    })?;
    let begins = text.len() - split.body.len() - split.yaml.len();
    if let Err(error) = std::str::from_utf8(head)
        && error.valid_up_to() < begins + split.yaml.len()
    {
        let line = head[..error.valid_up_to()].split(|byte| *byte == b'\n').count();
        return Err(broken(Rule::Yaml("it is no UTF-8".to_owned()), Some(line)));
    }
    word(split.yaml)
}

fn broken(rule: Rule, line: Option<usize>) -> LogError {
    LogError { rule, line }
}

fn word(yaml: &str) -> Result<Word, LogError> {
    let value: Value = serde_yaml::from_str(yaml).map_err(|error| {
        // The YAML begins on the second line.
        let line = error.location().map_or(1, |place| place.line()) + 1;
        // Its own count of lines is another one: it does not know of the delimiter.
        let said = error.to_string();
        let said = said.rsplit_once(" at line ").map_or(said.as_str(), |(said, _)| said);
        broken(Rule::Yaml(harmless::short(said, SHOWN)), Some(line))
    })?;
    let map = match &value {
        Value::Mapping(map) => map,
        Value::Null => return Err(broken(Rule::NoStatus, Some(1))),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Sequence(_) | Value::Tagged(_) => {
            return Err(broken(Rule::Yaml("it is no mapping of keys to values".to_owned()), Some(2)));
        }
    };
    let status = map.get("status").ok_or_else(|| broken(Rule::NoStatus, Some(1)))?;
    let said = status.as_str().map(|text| text.trim().to_ascii_lowercase());
    let status = match said.as_deref() {
        Some("pass") => Status::Pass,
        Some("fail") => Status::Fail,
        Some(_) | None => {
            let mut shown = String::new();
            flow(status, &mut shown);
            let rule = Rule::Status(harmless::short(shown.trim(), SHOWN));
            return Err(broken(rule, line_of_status(yaml)));
        }
    };
    let reason =
        map.get("reason").and_then(Value::as_str).map(|reason| harmless::short(reason.trim(), SHOWN));
    Ok(Word { status, reason: reason.filter(|reason| !reason.is_empty()) })
}

/// The line of the log that names the status.
fn line_of_status(yaml: &str) -> Option<usize> {
    let names = |line: &str| line.trim_start_matches(['"', '\'', '{', ' ']).starts_with("status");
    yaml.lines().position(names).map(|index| index + 2)
}

/// A value as it could be written on one line; cut where enough is said.
fn flow(value: &Value, out: &mut String) {
    if out.len() > 4 * SHOWN {
        return;
    }
    match value {
        Value::Null => {}
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => {
            let _ = write!(out, "{number}");
        }
        Value::String(text) => out.extend(text.chars().take(4 * SHOWN)),
        Value::Sequence(items) => {
            out.push('[');
            for (index, item) in items.iter().take(SHOWN).enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                flow(item, out);
            }
            out.push(']');
        }
        Value::Mapping(entries) => {
            out.push('{');
            for (index, (key, item)) in entries.iter().take(SHOWN).enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                flow(key, out);
                out.push_str(": ");
                flow(item, out);
            }
            out.push('}');
        }
        Value::Tagged(tagged) => flow(&tagged.value, out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The matrix that the source document asks for stands in `fixtures/conformance/front-matter.json`;
    /// here are the lines, and what it leaves out.
    #[test]
    fn front_matter_success_and_failure_matrix() {
        let ok = |status| Ok((status, None));
        let because = |status, reason: &str| Ok((status, Some(reason.to_owned())));
        let err = |words: &str, line| Err((words.to_owned(), line));
        for (log, want) in [
            ("---\nstatus: pass\n---\n", ok(Status::Pass)),
            ("---\nstatus: \"  FAIL  \"\n---\nbody", ok(Status::Fail)),
            ("---\nstatus: fail\nreason: it broke\n---\n", because(Status::Fail, "it broke")),
            ("---\nstatus: fail\nreason: [1]\n---\n", ok(Status::Fail)),
            ("", err("missing front matter: the file is empty", None)),
            ("\n---\nstatus: pass\n---\n", err("front matter must start at byte 0 with ---", Some(1))),
            (
                "---\nstatus: pass\n",
                err("missing closing front matter delimiter: no line is `---` after the first", Some(1)),
            ),
            ("---\na: b\n---\n", err("missing status key", Some(1))),
            ("---\n- pass\n---\n", err("parse yaml: it is no mapping of keys to values", Some(2))),
            (
                "---\na: b\nstatus: maybe\n---\n",
                err("invalid status value \"maybe\": it must be pass or fail", Some(3)),
            ),
            (
                "---\nstatus:\n  - pass\n---\n",
                err("invalid status value \"[pass]\": it must be pass or fail", Some(2)),
            ),
            (
                "---\nstatus: {a: [1, null]}\n---\n",
                err("invalid status value \"{a: [1, ]}\": it must be pass or fail", Some(2)),
            ),
        ] {
            let got = read(log.as_bytes(), Extent::Whole);
            let got = got.map(|word| (word.status, word.reason)).map_err(|e| (e.to_string(), e.line));
            assert_eq!(got, want, "{log:?}");
        }
    }

    #[test]
    fn yaml_that_can_t_be_read_names_its_line() {
        for (log, line) in [
            ("---\na: b\nstatus: [\n---\n".as_bytes(), 4),
            ("---\nstatus: pass\nstatus: fail\n---\n".as_bytes(), 2),
            (b"---\nok: 1\nstatus: \xff\n---\n".as_slice(), 3),
        ] {
            let error = read(log, Extent::Whole).unwrap_err();
            assert!(error.to_string().starts_with("parse yaml"), "{error}");
            assert_eq!(error.line, Some(line), "{error}");
        }
        // What comes after the front matter is the agent's own affair.
        assert!(read(b"---\nstatus: pass\n---\n\xff", Extent::Whole).is_ok());
    }

    #[test]
    fn front_matter_that_does_not_end_in_the_head_is_told() {
        let head = format!("---\nstatus: pass\n{}", "x: y\n".repeat(10));
        let error = read(head.as_bytes(), Extent::Head).unwrap_err();
        assert_eq!(error.rule, Rule::TooLong);
    }
}
