//! Statements that only import.
//!
//! ```text
//! Rust        [ "pub" [ "(" … ")" ] ] ( "use" … | "extern crate" … | "mod" NAME ) ";"
//! Python      "import" …, "from" … "import" …, to the line's end outside brackets
//! JavaScript  "import" …, ( "const" | "let" | "var" ) … "= require(" … ")"
//! ```

use std::ops::Range;

use super::{Language, close_of, skip_blanks, word_at};

/// Where they stand in code whose comments and strings were blanked. Only what begins a line is
/// looked at, and only up to where the statement ends: what follows on its line stays.
pub(super) fn spans(language: Language, code: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    for line in code.split_inclusive('\n') {
        let begin = at + line.len() - line.trim_start().len();
        at += line.len();
        // The lines of an import that takes several are its own.
        if found.last().is_some_and(|last| begin < last.end) {
            continue;
        }
        let end = match language {
            Language::Rust => rust(code, begin),
            Language::Python => python(code, begin),
            Language::JavaScript => javascript(code, begin),
        };
        found.extend(end.map(|end| begin..end));
    }
    found
}

fn rust(code: &str, begin: usize) -> Option<usize> {
    let bytes = code.as_bytes();
    let mut at = begin;
    if word_at(code, at) == "pub" {
        at = skip_blanks(bytes, at + "pub".len());
        if bytes.get(at) == Some(&b'(') {
            at = skip_blanks(bytes, close_of(bytes, at));
        }
    }
    let word = word_at(code, at);
    if !matches!(word, "use" | "extern" | "mod") {
        return None;
    }
    let end = at + code.get(at..)?.find(';')?;
    let inside = &code[at..end];
    let is_import = match word {
        "use" => true,
        "extern" => inside["extern".len()..].trim_start().starts_with("crate "),
        // A module with a body has a brace before the first semicolon.
        "mod" => !inside.contains('{'),
        _ => false,
    };
    is_import.then_some(end + 1)
}

fn python(code: &str, begin: usize) -> Option<usize> {
    let line = code.get(begin..)?.lines().next()?;
    let is_import = match word_at(code, begin) {
        "import" => true,
        "from" => line.split(|c: char| c == '(' || c.is_whitespace()).any(|word| word == "import"),
        _ => false,
    };
    is_import.then(|| statement_end(code, begin))
}

fn javascript(code: &str, begin: usize) -> Option<usize> {
    let bytes = code.as_bytes();
    match word_at(code, begin) {
        "import" => {
            // `import("x")` and `import.meta` are expressions.
            let next = bytes.get(skip_blanks(bytes, begin + "import".len()));
            (!matches!(next, Some(b'(' | b'.'))).then(|| statement_end(code, begin))
        }
        "const" | "let" | "var" => {
            let end = statement_end(code, begin);
            let (names, value) = code.get(begin..end)?.split_once('=')?;
            let value = value.trim_start();
            let arguments = value.strip_prefix("require")?.trim_start();
            let close = close_of(arguments.as_bytes(), 0);
            let rest = arguments.get(close..)?.trim_end_matches([';', ' ', '\r']);
            let member = rest.strip_prefix('.').unwrap_or(rest);
            let is_plain = arguments.starts_with('(') && word_at(member, 0).len() == member.len();
            (is_plain && !names.contains('(')).then_some(end)
        }
        _ => None,
    }
}

/// The end of a statement: a semicolon, or the end of a line, outside brackets and unless a
/// backslash continues it.
pub(super) fn statement_end(code: &str, begin: usize) -> usize {
    let bytes = code.as_bytes();
    let mut at = begin;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'(' | b'[' | b'{' => at = close_of(bytes, at),
            b'\\' => at += 2,
            b';' => return at + 1,
            b'\n' => return at,
            _ => at += 1,
        }
    }
    bytes.len()
}
