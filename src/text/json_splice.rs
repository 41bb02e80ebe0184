//! Adds to a JSON text and takes out of it, and leaves every other byte as it is: a person's settings file.
//!
//! The text is JSON as `serde_json` reads it, so what is scanned here is known to be well formed.

use std::ops::Range;

/// A member of an object, or an element of an array, by its place in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Empty for an element.
    pub key: String,
    /// With its key.
    pub whole: Range<usize>,
    pub value: Range<usize>,
}

/// The parts of the object or array that begins at `at`.
pub fn parts(text: &str, at: usize) -> Vec<Part> {
    let bytes = text.as_bytes();
    let is_object = bytes.get(at) == Some(&b'{');
    let mut parts = Vec::new();
    let mut at = blank(bytes, at + 1);
    while at < bytes.len() && !matches!(bytes[at], b'}' | b']') {
        let begin = at;
        let mut key = String::new();
        if is_object {
            let end = value_end(bytes, at);
            key = serde_json::from_str(&text[at..end]).unwrap_or_default();
            at = blank(bytes, blank(bytes, end) + 1);
        }
        let end = value_end(bytes, at);
        parts.push(Part { key, whole: begin..end, value: at..end });
        at = blank(bytes, end);
        if bytes.get(at) == Some(&b',') {
            at = blank(bytes, at + 1);
        }
    }
    parts
}

/// Where the outermost value begins.
pub fn begin(text: &str) -> usize {
    blank(text.as_bytes(), 0)
}

/// The same text with one more part at the end of the object or array at `at`. `indent` is that of its parts.
pub fn with_part(text: &str, at: usize, part: &str, indent: &str) -> String {
    let outer = indent.get(..indent.len().saturating_sub(2)).unwrap_or_default();
    if let Some(last) = parts(text, at).last() {
        let end = last.whole.end;
        return format!("{},\n{indent}{part}{}", &text[..end], &text[end..]);
    }
    let end = value_end(text.as_bytes(), at);
    let (open, close) = (&text[..=at], &text[end - 1..]);
    format!("{open}\n{indent}{part}\n{outer}{close}")
}

/// The same text without one of the parts of the object or array at `at`.
pub fn without_part(text: &str, at: usize, number: usize) -> String {
    let all = parts(text, at);
    let Some(gone) = all.get(number) else { return text.to_owned() };
    let cut = match (number.checked_sub(1).and_then(|before| all.get(before)), all.get(number + 1)) {
        (Some(before), _) => before.whole.end..gone.whole.end,
        (None, Some(after)) => gone.whole.start..after.whole.start,
        // Its only one: as it was when there was none.
        (None, None) => at + 1..value_end(text.as_bytes(), at) - 1,
    };
    format!("{}{}", &text[..cut.start], &text[cut.end..])
}

fn blank(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

fn value_end(bytes: &[u8], begin: usize) -> usize {
    let (mut at, mut depth, mut in_string) = (begin, 0_usize, false);
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if in_string => at += 1,
            b'"' => {
                in_string = !in_string;
                if !in_string && depth == 0 {
                    return at + 1;
                }
            }
            _ if in_string => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                if depth == 0 {
                    return at;
                }
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            b',' | b':' if depth == 0 => return at,
            byte if depth == 0 && byte.is_ascii_whitespace() => return at,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_can_be_taken_out_again_byte_for_byte() {
        for text in [
            "{}",
            "{\n}\n",
            "{\"a\": 1.0}",
            "{\n  \"a\": \"x,}\\\"]\",\n\t\"b\": [1, {\"c\": null}]\n}\n",
            "  { \"a\" : [ ] , \"b\":true }",
        ] {
            let at = begin(text);
            let more = with_part(text, at, "\"hooks\": {\"x\": [1]}", "  ");
            let read: serde_json::Value = serde_json::from_str(&more).unwrap();
            assert_eq!(read["hooks"]["x"][0], 1, "{more}");
            let all = parts(&more, at);
            assert_eq!(all.last().unwrap().key, "hooks", "{more}");
            let back = without_part(&more, at, all.len() - 1);
            let (want, is): (serde_json::Value, serde_json::Value) =
                (serde_json::from_str(text).unwrap(), serde_json::from_str(&back).unwrap());
            assert_eq!(is, want, "{back}");
            if want.as_object().is_some_and(|object| !object.is_empty()) {
                assert_eq!(back, text);
            }
        }
    }

    #[test]
    fn parts_are_found_whatever_stands_in_them() {
        let text = "{\"a\\\"b\":{\"}\":\"{\"}, \"c\" :-1e5 ,\"d\":[[],\"]\"]}";
        let keys: Vec<(String, &str)> =
            parts(text, 0).into_iter().map(|part| (part.key, &text[part.value])).collect();
        let want = [("a\"b", "{\"}\":\"{\"}"), ("c", "-1e5"), ("d", "[[],\"]\"]")];
        assert_eq!(keys, want.map(|(key, value)| (key.to_owned(), value)));
        let array = "[1, \"a\" ,{} ]";
        let values: Vec<&str> = parts(array, 0).into_iter().map(|part| &array[part.value]).collect();
        assert_eq!(values, ["1", "\"a\"", "{}"]);
        assert_eq!(without_part(array, 0, 0), "[\"a\" ,{} ]");
        assert_eq!(without_part(array, 0, 1), "[1 ,{} ]");
    }
}
