//! A shell line as a list of calls, and a call as the words that were written.
//!
//! ```text
//! list = call { ( "&&" | ";" | "|" ) call }
//! ```
//!
//! Any other list is none that is read: in `a || b` and `a & b` nobody knows what is run, and in a
//! subshell the ends of calls are not where they seem to be. What is written is kept to the letter,
//! quotes and patterns included, so that a call can be shown and run as it stood there.

/// The calls of a list, in order; `None` if it is another kind of line.
pub fn calls(line: &str) -> Option<Vec<&str>> {
    let mut calls = Vec::new();
    let mut from = 0;
    let mut quotes: Option<char> = None;
    let mut characters = line.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        match (quotes, character) {
            (Some(open), _) if open == character => quotes = None,
            (Some('"') | None, '\\') => {
                characters.next();
            }
            (None, '\'' | '"') => quotes = Some(character),
            (None, '(' | ')' | '`' | '\n') => return None,
            (None, '&' | '|' | ';') => {
                let doubled = characters.next_if(|(_, next)| *next == character).is_some();
                // `2>&1` and `>|` are no joints; `||` and `&` are none that can be read.
                if matches!((character, doubled), ('&', false) | ('|' | ';', true)) {
                    return None;
                }
                calls.push(line[from..at].trim());
                from = at + if doubled { 2 } else { 1 };
            }
            (Some(_) | None, _) => {}
        }
    }
    calls.push(line[from..].trim());
    let ends_open = calls.last().is_some_and(|last| last.is_empty());
    if ends_open && line.trim_end().ends_with(';') {
        calls.pop();
    }
    (quotes.is_none() && calls.iter().all(|call| !call.is_empty())).then_some(calls)
}

/// The words of one call as they are written.
pub fn written(call: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut from = None;
    let mut quotes: Option<char> = None;
    let mut characters = call.char_indices();
    while let Some((at, character)) = characters.next() {
        if quotes.is_none() && matches!(character, ' ' | '\t') {
            words.extend(from.take().map(|from| &call[from..at]));
            continue;
        }
        from = from.or(Some(at));
        match (quotes, character) {
            (Some(open), _) if open == character => quotes = None,
            (Some('"') | None, '\\') => {
                characters.next();
            }
            (None, '\'' | '"') => quotes = Some(character),
            (Some(_) | None, _) => {}
        }
    }
    words.extend(from.map(|from| &call[from..]));
    words
}

/// A written word without the quotes around it.
pub fn plain(word: &str) -> &str {
    let inside = |quote: char| word.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    inside('\'').or_else(|| inside('"')).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_split_where_a_call_ends_and_nowhere_else() {
        for (line, want) in [
            ("a", Some(vec!["a"])),
            ("lint && vitest run", Some(vec!["lint", "vitest run"])),
            ("a; b ;", Some(vec!["a", "b"])),
            ("tape 't&&t/*.js' | tap-spec", Some(vec!["tape 't&&t/*.js'", "tap-spec"])),
            (r#"a "x; \" y" && b\;c"#, Some(vec![r#"a "x; \" y""#, r"b\;c"])),
            ("a || b", None),
            ("a & b", None),
            ("a &", None),
            ("(cd x && a)", None),
            ("a $(b && c)", None),
            ("a `b`", None),
            ("a &&", None),
            ("&& a", None),
            ("a;; b", None),
            ("a 'b", None),
            ("a 2>&1", None),
        ] {
            assert_eq!(calls(line), want, "{line}");
        }
    }

    #[test]
    fn words_keep_their_quotes() {
        assert_eq!(written(r#" a  'b c' d\ e "f \" g" "#), ["a", "'b c'", r"d\ e", r#""f \" g""#]);
        assert_eq!(["'a b'", "\"a\"", "a", "'a"].map(plain), ["a b", "a", "a", "'a"]);
    }
}
