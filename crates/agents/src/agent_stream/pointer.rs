//! Ways into a JSON value.
//!
//! ```text
//! pointer = "" | { "/" segment } ;   "~1" is "/", "~0" is "~"        (RFC 6901)
//! segment "*" = every item of a list, every value of an object        (ours)
//! ```
//!
//! The `*` is there because an assistant message is a list of blocks of which any may be the text
//! or the tool call, and because figures may stand below the name of a model.

use serde_json::Value;

/// A way to the parts of a JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pointer(Vec<Segment>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Segment {
    Name(String),
    Each,
}

impl Pointer {
    /// `None` unless the text is empty or begins with `/` and every `~` is `~0` or `~1`.
    pub fn parse(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self(Vec::new()));
        }
        let rest = text.strip_prefix('/')?;
        rest.split('/').map(segment).collect::<Option<Vec<_>>>().map(Self)
    }

    /// Whether any part that the pointer leads to is as wanted; `None` if it leads nowhere. Says the
    /// same as [`Pointer::find`] without gathering the parts: this is asked of every line for every
    /// condition of a table.
    pub fn any(&self, value: &Value, wanted: &mut dyn FnMut(&Value) -> bool) -> Option<bool> {
        any_below(&self.0, value, wanted)
    }

    /// Every part that the pointer leads to, in the order of the document; none if it leads nowhere.
    pub fn find<'v>(&self, value: &'v Value) -> Vec<&'v Value> {
        let mut found = vec![value];
        for segment in &self.0 {
            let mut next = Vec::new();
            for value in found {
                step(segment, value, &mut next);
            }
            found = next;
        }
        found
    }

    /// The texts that the pointer leads to, one a line; `None` if it leads to no text.
    pub fn text(&self, value: &Value) -> Option<String> {
        let texts: Vec<&str> = self.find(value).into_iter().filter_map(Value::as_str).collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }
}

fn segment(text: &str) -> Option<Segment> {
    if text == "*" {
        return Some(Segment::Each);
    }
    let mut name = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '~' => name.push(match letters.next()? {
                '0' => '~',
                '1' => '/',
                _ => return None,
            }),
            other => name.push(other),
        }
    }
    Some(Segment::Name(name))
}

fn any_below(segments: &[Segment], value: &Value, wanted: &mut dyn FnMut(&Value) -> bool) -> Option<bool> {
    let Some((segment, rest)) = segments.split_first() else { return Some(wanted(value)) };
    match (segment, value) {
        (Segment::Name(name), Value::Object(map)) => any_below(rest, map.get(name)?, wanted),
        (Segment::Name(name), Value::Array(items)) => {
            any_below(rest, items.get(name.parse::<usize>().ok()?)?, wanted)
        }
        (Segment::Each, Value::Array(items)) => {
            let mut found = None;
            for item in items {
                match any_below(rest, item, wanted) {
                    Some(true) => return Some(true),
                    Some(false) => found = Some(false),
                    None => {}
                }
            }
            found
        }
        (Segment::Each, Value::Object(map)) => any_below(rest, map.get("*")?, wanted),
        (_, Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => None,
    }
}

fn step<'v>(segment: &Segment, value: &'v Value, next: &mut Vec<&'v Value>) {
    match (segment, value) {
        (Segment::Name(name), Value::Object(map)) => next.extend(map.get(name)),
        (Segment::Name(name), Value::Array(items)) => {
            next.extend(name.parse::<usize>().ok().and_then(|index| items.get(index)));
        }
        (Segment::Each, Value::Array(items)) => next.extend(items),
        (Segment::Each, Value::Object(map)) => next.extend(map.values()),
        (_, Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_lead_to_parts_and_stars_to_every_item() {
        let value = serde_json::json!({
            "a": [{"t": "x", "v": "1"}, {"t": "y"}, {"t": "x", "v": "2"}],
            "s/l": {"~": true},
            "": "empty"
        });
        for (pointer, want) in [
            ("/a/0/v", vec!["\"1\""]),
            ("/a/*/v", vec!["\"1\"", "\"2\""]),
            ("/a/7/v", vec![]),
            ("/a/x", vec![]),
            ("/s~1l/~0", vec!["true"]),
            ("/", vec!["\"empty\""]),
            ("/a/0/v/deeper", vec![]),
        ] {
            let found: Vec<String> =
                Pointer::parse(pointer).unwrap().find(&value).iter().map(ToString::to_string).collect();
            assert_eq!(found, want, "{pointer}");
            let pointer = Pointer::parse(pointer).unwrap();
            for sought in ["1", "2", "empty"] {
                let parts = pointer.find(&value);
                let by_parts = (!parts.is_empty()).then(|| parts.iter().any(|part| **part == *sought));
                assert_eq!(
                    pointer.any(&value, &mut |part| *part == *sought),
                    by_parts,
                    "{pointer:?} {sought}"
                );
            }
        }
        assert_eq!(Pointer::parse("").unwrap().find(&value).len(), 1);
        assert_eq!(Pointer::parse("/a/*/v").unwrap().text(&value).as_deref(), Some("1\n2"));
        for bad in ["a", "a/b", "/a~", "/a~2"] {
            assert_eq!(Pointer::parse(bad), None, "{bad}");
        }
    }
}
