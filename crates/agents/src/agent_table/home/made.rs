//! Files that a table makes in a private folder: settings that the program reads nowhere else.
//!
//! ```text
//! files = { PATH: text | { text: text, keep: [ POINTER, … ] }, … }     PATH relative, without ".."
//! ```
//!
//! `keep` is for a file whose format is JSON: these parts of the person's own one are put into it,
//! for how somebody logs in may be said among the settings. A pointer is RFC 6901's, of names alone.
//!
//! Leniency: the person's own file may have comments (`//` and `/* */`) and a comma after the last
//! item, because the programs that read it let it have them.

use serde_json::Value as Json;
use serde_yaml::Value;

use super::relative;
use crate::agent_table::template::Template;
use tdd_core::trouble::Trouble;
use tdd_spec::strict::{Table, about, entries, missing, text};

/// A file of a private folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// Below the folder.
    pub path: String,
    pub text: Template,
    /// JSON pointers to parts of the person's own file, which win over the text's.
    pub keep: Vec<String>,
}

impl Made {
    /// The filled-in `text` with the parts that are kept of the person's `own` file. The error says
    /// which of both is no JSON object, and why.
    pub fn with_kept(&self, text: &str, own: &str) -> Result<String, String> {
        let mut made: Json =
            serde_json::from_str(text).map_err(|error| format!("the table's text is no JSON: {error}"))?;
        let own: Json = serde_json::from_str(&without_last_commas(&without_comments(own)))
            .map_err(|error| format!("it is no JSON: {error}"))?;
        for pointer in &self.keep {
            if let Some(part) = own.pointer(pointer) {
                put(&mut made, pointer, part).ok_or("the table's text has no room for what is kept")?;
            }
        }
        Ok(made.to_string())
    }
}

/// Puts `part` to where `pointer` leads, and makes the objects on the way.
fn put(made: &mut Json, pointer: &str, part: &Json) -> Option<()> {
    let mut place = made;
    for name in pointer.split('/').skip(1) {
        let name = name.replace("~1", "/").replace("~0", "~");
        place = place.as_object_mut()?.entry(name).or_insert_with(|| Json::Object(serde_json::Map::new()));
    }
    *place = part.clone();
    Some(())
}

fn without_comments(json: &str) -> String {
    let mut kept = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => text_length(rest),
            '/' if rest.starts_with("//") => {
                rest = rest.get(rest.find('\n').unwrap_or(rest.len())..).unwrap_or("");
                continue;
            }
            '/' if rest.starts_with("/*") => {
                rest = rest.split_once("*/").map_or("", |(_, after)| after);
                continue;
            }
            _ => first.len_utf8(),
        };
        let (part, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        kept.push_str(part);
        rest = after;
    }
    kept
}

/// JSON without comments, less each comma that only a closing bracket follows.
fn without_last_commas(json: &str) -> String {
    let mut kept = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(first) = rest.chars().next() {
        let length = if first == '"' { text_length(rest) } else { first.len_utf8() };
        let (part, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        if first != ',' || !after.trim_start().starts_with([']', '}']) {
            kept.push_str(part);
        }
        rest = after;
    }
    kept
}

/// Bytes of the JSON text that begins here, with its quotes.
fn text_length(json: &str) -> usize {
    let mut is_escaped = false;
    let end = json.bytes().enumerate().skip(1).find(|(_, byte)| {
        let ends = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        ends
    });
    end.map_or(json.len(), |(at, _)| at + 1)
}

/// `carried` are the paths of links in the same folder: a file in the place of one would be taken
/// for a renewed log-in, and go to the person's own folder.
pub(super) fn read(map: &Table<'_>, carried: &[String]) -> Result<Vec<Made>, Trouble> {
    let Some(value) = map.get("files") else { return Ok(Vec::new()) };
    let at = map.at("files");
    entries(&at, value)?
        .into_iter()
        .map(|(path, value)| {
            let path = relative(&at, &path)?;
            let at = format!("{at}.{path}");
            let meets = |other: &String| {
                let below = |a: &str, b: &str| a.strip_prefix(b).is_some_and(|rest| rest.starts_with('/'));
                *other == path || below(other, &path) || below(&path, other)
            };
            if carried.iter().any(meets) {
                return Err(about(&at, "is carried over, too")
                    .because("what is made there would go to the person's own folder")
                    .advise("take it out of `carry`; `keep` takes parts of the person's own file"));
            }
            let (content, keep) = match value {
                Value::Mapping(_) => {
                    let inner = Table::open(&at, value, &["text", "keep"])?;
                    let content = inner.text("text")?;
                    let content = content.ok_or_else(|| missing(&inner.at("text"), "the file's content"))?;
                    (content, keep(&inner)?)
                }
                Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::String(_)
                | Value::Sequence(_)
                | Value::Tagged(_) => (text(&at, value)?, Vec::new()),
            };
            Ok(Made { text: Template::read(&at, &content)?, path, keep })
        })
        .collect()
}

fn keep(map: &Table<'_>) -> Result<Vec<String>, Trouble> {
    let pointers = map.texts("keep")?.unwrap_or_default();
    match pointers.iter().find(|pointer| !pointer.starts_with('/')) {
        None => Ok(pointers),
        Some(bad) => Err(about(map.at("keep"), format_args!("is no JSON pointer: `{bad}`"))
            .because("a pointer begins with `/` and has `/` between its parts")
            .advise("for example /security/auth")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(keep: &[&str]) -> Made {
        let text = Template::read("x", "").unwrap();
        Made { path: "a".to_owned(), text, keep: keep.iter().map(|&text| text.to_owned()).collect() }
    }

    #[test]
    fn parts_of_the_person_s_own_file_are_kept_and_no_others() {
        let own = "// how I log in\n{\"auth\": {\"by\": \"key // no comment \\\" \"}, /* \" */ \"tools\": [1], \"a/b\": 2}";
        for (text, keep, own, want) in [
            ("{\"tools\":[]}", &["/auth"][..], own, r#"{"auth":{"by":"key // no comment \" "},"tools":[]}"#),
            ("{}", &["/auth/by", "/auth/not"], own, r#"{"auth":{"by":"key // no comment \" "}}"#),
            ("{\"auth\":{\"x\":1}}", &["/auth/by"], "{\"auth\":{\"by\":3}}", r#"{"auth":{"by":3,"x":1}}"#),
            ("{}", &["/a~1b"], own, r#"{"a/b":2}"#),
            ("{}", &["/auth"], "{\"auth\": [\",]\", {\"a\": 1, // b\n}, ],}", r#"{"auth":[",]",{"a":1}]}"#),
            ("{}", &["/auth"], "[]", "{}"),
        ] {
            assert_eq!(made(keep).with_kept(text, own).unwrap(), want, "{keep:?}");
        }
        for (text, own, why) in [
            ("{", "{}", "the table's text"),
            ("{}", "{", "it is no JSON"),
            ("{}", "{\"a\": \"", "it is no JSON"),
            ("{}", "/*", "it is no JSON"),
            ("{}", "{,}, ", "it is no JSON"),
            ("[]", "{\"auth\": 1}", "no room"),
        ] {
            let found = made(&["/auth"]).with_kept(text, own).unwrap_err();
            assert!(found.contains(why), "{text} {own}: {found}");
        }
    }
}
