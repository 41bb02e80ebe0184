//! The keys of a requirement's front matter that matter to a run.

use super::{Header, RequirementError};
use crate::plain_yaml::{self, Entry, Fault, Node};

/// The front matter's first line in its file.
const FIRST_LINE: usize = 2;

/// Reads `id`, `tracker`, `title`, `depends_on`, `allow_config` and `needs_technical_review`; other keys may hold anything.
pub(super) fn read(yaml: &str) -> Result<Header, RequirementError> {
    let lines = plain_yaml::lines(yaml, FIRST_LINE);
    let entries = plain_yaml::entries(&lines).map_err(wrong)?;
    Ok(Header {
        id: word(only(&entries, "id")?)?,
        trackers: trackers(only(&entries, "tracker")?)?,
        title: text(only(&entries, "title")?)?,
        depends_on: trackers(only(&entries, "depends_on")?)?,
        allow_config: trackers(only(&entries, "allow_config")?)?,
        needs_technical_review: needs_review(only(&entries, "needs_technical_review")?)?,
    })
}

fn only<'e, 'l, 'a>(
    entries: &'e [Entry<'l, 'a>],
    key: &str,
) -> Result<Option<&'e Entry<'l, 'a>>, RequirementError> {
    let mut found = entries.iter().filter(|entry| entry.key == key);
    let first = found.next();
    match found.next() {
        None => Ok(first),
        Some(second) => Err(wrong_at(second.line, format!("`{key}` is given twice"))),
    }
}

fn text(entry: Option<&Entry<'_, '_>>) -> Result<Option<String>, RequirementError> {
    let Some(entry) = entry else { return Ok(None) };
    let text = entry.text().map_err(wrong)?;
    let text = text.trim();
    Ok((!matches!(text, "" | "~" | "null")).then(|| text.to_owned()))
}

/// One word or several, with the structure that YAML gives it: an id is no list.
fn word(entry: Option<&Entry<'_, '_>>) -> Result<Option<String>, RequirementError> {
    let Some(entry) = entry else { return Ok(None) };
    match entry.node().map_err(wrong)? {
        Node::Null => Ok(None),
        Node::Text(word) => Ok(Some(word).filter(|word| !word.is_empty())),
        Node::Pair(_) | Node::List(_) | Node::Map(_) => {
            Err(wrong_at(entry.line, format!("`{}` must be one word", entry.key)))
        }
    }
}

fn trackers(entry: Option<&Entry<'_, '_>>) -> Result<Vec<String>, RequirementError> {
    let mut values = Vec::new();
    if let Some(entry) = entry {
        gather(entry.node().map_err(wrong)?, &mut values);
    }
    Ok(values)
}

/// Every text in the value. A reader of values nests at most so deep as they were read.
fn gather(node: Node, values: &mut Vec<String>) {
    match node {
        Node::Null => {}
        Node::Text(text) | Node::Pair(text) => values.push(text),
        Node::List(nodes) => nodes.into_iter().for_each(|node| gather(node, values)),
        Node::Map(pairs) => pairs.into_iter().for_each(|(_, node)| gather(node, values)),
    }
}

/// Anything but a plain no is refused: a run must not begin on a guess.
fn needs_review(entry: Option<&Entry<'_, '_>>) -> Result<bool, RequirementError> {
    let Some(entry) = entry else { return Ok(false) };
    let word = match entry.node().map_err(wrong)? {
        Node::Null => return Ok(false),
        Node::Text(word) => word.to_ascii_lowercase(),
        Node::Pair(_) | Node::List(_) | Node::Map(_) => String::new(),
    };
    match word.as_str() {
        "true" | "yes" | "on" => Ok(true),
        "false" | "no" | "off" => Ok(false),
        _ => Err(wrong_at(entry.line, "`needs_technical_review` must be `true` or `false`".to_owned())),
    }
}

fn wrong(fault: Fault) -> RequirementError {
    wrong_at(fault.line, fault.message)
}

fn wrong_at(line: usize, why: String) -> RequirementError {
    RequirementError::FrontMatter { line, why }
}
