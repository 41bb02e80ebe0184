//! `test('…')` and `it('…')` calls, with the titles of the suites around them.

use super::{Declared, close_of, is_word, skip_blanks, word_at};

/// Suites nest this deep at most.
const DEPTH_CAP: usize = 32;

pub(super) fn find(code: &str, source: &str) -> Vec<Declared> {
    let mut found = Vec::new();
    walk(code, source, 0..code.len(), &mut Vec::new(), &mut found);
    found
}

fn walk<'a>(
    code: &str,
    source: &'a str,
    range: std::ops::Range<usize>,
    titles: &mut Vec<&'a str>,
    found: &mut Vec<Declared>,
) {
    let bytes = code.as_bytes();
    let mut at = range.start;
    while at < range.end {
        let word = word_at(code, at);
        if word.is_empty() {
            at += 1;
            continue;
        }
        let fresh = at == 0 || !(is_word(bytes[at - 1]) || matches!(bytes[at - 1], b'.' | b'$'));
        let nested = word == "test" && at > 1 && bytes[at - 1] == b'.' && bytes[at - 2] == b't';
        let is_test = matches!(word, "test" | "it") && (fresh || nested);
        let is_suite = matches!(word, "describe" | "suite") && fresh;
        let head = at;
        at += word.len();
        if !(is_test || is_suite) {
            continue;
        }
        // `.only`, `.skip`, `.todo`, `.concurrent`.
        while bytes.get(at) == Some(&b'.') {
            at += 1 + word_at(code, at + 1).len().max(1);
        }
        let open = skip_blanks(bytes, at);
        let Some((title, after)) = title(code, source, open) else { continue };
        let end = close_of(bytes, open).min(range.end);
        if is_test {
            let mut path = titles.clone();
            path.push(title);
            found.push(Declared { name: path.join(" > "), head, body: body(code, after..end) });
        }
        if titles.len() < DEPTH_CAP {
            titles.push(title);
            walk(code, source, after..end, titles, found);
            titles.pop();
        }
        at = end.max(at);
    }
}

/// The string that a call begins with, and the place after it. A template with parts is no name.
fn title<'a>(code: &str, source: &'a str, open: usize) -> Option<(&'a str, usize)> {
    let bytes = code.as_bytes();
    if bytes.get(open) != Some(&b'(') {
        return None;
    }
    let begin = skip_blanks(bytes, open + 1);
    let quote = *bytes.get(begin).filter(|byte| matches!(byte, b'"' | b'\'' | b'`'))?;
    let end = begin + 1 + bytes[begin + 1..].iter().position(|byte| *byte == quote)?;
    let title = source.get(begin + 1..end)?;
    (!title.contains("${")).then_some((title, end + 1))
}

/// The inside of the callback's braces, or its expression.
fn body(code: &str, call: std::ops::Range<usize>) -> std::ops::Range<usize> {
    let bytes = code.as_bytes();
    let end = call.end.saturating_sub(1).max(call.start);
    if let Some(arrow) = code[call.start..end].find("=>") {
        let begin = skip_blanks(bytes, call.start + arrow + 2);
        if bytes.get(begin) != Some(&b'{') {
            return begin.min(end)..end;
        }
        return begin + 1..close_of(bytes, begin).saturating_sub(1).clamp(begin + 1, end.max(begin + 1));
    }
    match code[call.start..end]
        .find("function")
        .and_then(|at| code[call.start + at..end].find(") {").map(|brace| at + brace + 2))
    {
        Some(brace) => {
            let open = call.start + brace;
            open + 1..close_of(bytes, open).saturating_sub(1).clamp(open + 1, end.max(open + 1))
        }
        None => end..end,
    }
}
