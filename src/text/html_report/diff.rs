//! A patch with its lines and its words told apart. The colours follow what languages have in common, no grammar:
//! they help the eye and decide nothing.

use maud::{Markup, html};

use tdd_core::harmless;

/// Words that many languages use for their own.
const WORDS: &[&str] = &[
    "and",
    "as",
    "assert",
    "async",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "def",
    "default",
    "do",
    "elif",
    "else",
    "enum",
    "except",
    "export",
    "false",
    "finally",
    "fn",
    "for",
    "from",
    "func",
    "function",
    "if",
    "impl",
    "import",
    "in",
    "interface",
    "is",
    "let",
    "match",
    "mod",
    "mut",
    "new",
    "nil",
    "None",
    "not",
    "null",
    "or",
    "package",
    "pub",
    "raise",
    "return",
    "self",
    "static",
    "struct",
    "switch",
    "this",
    "throw",
    "trait",
    "true",
    "True",
    "False",
    "try",
    "type",
    "undefined",
    "use",
    "var",
    "while",
    "with",
    "yield",
];

/// Where in a patch a line stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    Head,
    Hunk,
}

pub(super) fn diff(patch: &str) -> Markup {
    let mut at = At::Head;
    let mut rows = Vec::new();
    for line in patch.lines() {
        let line = harmless::line(line);
        if line.starts_with("diff ") {
            at = At::Head;
        } else if line.starts_with("@@") {
            at = At::Hunk;
            rows.push(("hunk", line));
            continue;
        }
        let tone = match (at, line.as_bytes()) {
            (At::Head, [b'd' | b'-' | b'+', ..]) => "file",
            (At::Hunk, [b'+', ..]) => "add",
            (At::Hunk, [b'-', ..]) => "del",
            (At::Head, _) => "fact",
            (At::Hunk, _) => "",
        };
        rows.push((tone, line));
    }
    html! {
        pre.diff tabindex="0" {
            @for (tone, line) in &rows {
                @match *tone {
                    "add" | "del" => { span class=(tone) { (line[..1]) (words(&line[1..])) } }
                    "" => { (words(line)) }
                    tone => { span class=(tone) { (line) } }
                }
                "\n"
            }
        }
    }
}

/// What a piece of a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    Plain,
    Word,
    Text,
    Remark,
}

fn words(line: &str) -> Markup {
    html! {
        @for (piece, text) in pieces(line) {
            @match piece {
                Piece::Plain => { (text) }
                Piece::Word => { b { (text) } }
                Piece::Text => { u { (text) } }
                Piece::Remark => { i { (text) } }
            }
        }
    }
}

fn pieces(line: &str) -> Vec<(Piece, &str)> {
    let mut pieces = Vec::new();
    let (mut plain, mut at) = (0, 0);
    while let Some(c) = line[at..].chars().next() {
        let rest = &line[at..];
        let (piece, length) = match c {
            '"' | '\'' | '`' => match closed(rest, c) {
                Some(length) => (Piece::Text, length),
                None => (Piece::Plain, 1),
            },
            '/' | '#' if is_remark(&line[..at], rest) => (Piece::Remark, rest.len()),
            c if c.is_alphabetic() || c == '_' => {
                let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                (if WORDS.contains(&&rest[..length]) { Piece::Word } else { Piece::Plain }, length)
            }
            c => (Piece::Plain, c.len_utf8()),
        };
        if piece != Piece::Plain {
            pieces.extend((plain < at).then(|| (Piece::Plain, &line[plain..at])));
            pieces.push((piece, &rest[..length]));
            plain = at + length;
        }
        at += length;
    }
    pieces.extend((plain < line.len()).then(|| (Piece::Plain, &line[plain..])));
    pieces
}

/// The length of a text that begins here, with its marks, if it ends in this line.
fn closed(rest: &str, mark: char) -> Option<usize> {
    let mut is_escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        if c == mark && !is_escaped {
            return Some(at + 1);
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    None
}

/// `//` and `# `, after nothing or a space: a URL and an attribute are none.
fn is_remark(before: &str, rest: &str) -> bool {
    (rest.starts_with("//") || rest.starts_with("# "))
        && before.chars().next_back().is_none_or(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_remarks_and_words_are_told_apart() {
        use Piece::{Plain, Remark, Text, Word};
        for (line, want) in [
            (
                "return \"a \\\" b\" # so",
                vec![(Word, "return"), (Plain, " "), (Text, "\"a \\\" b\""), (Plain, " "), (Remark, "# so")],
            ),
            ("let url = x // y", vec![(Word, "let"), (Plain, " url = x "), (Remark, "// y")]),
            ("#[test] don't http://x", vec![(Plain, "#[test] don't http://x")]),
            ("letter é 'ü'", vec![(Plain, "letter é "), (Text, "'ü'")]),
            ("", vec![]),
        ] {
            assert_eq!(pieces(line), want, "{line}");
        }
    }

    #[test]
    fn a_line_of_a_hunk_is_never_taken_for_a_head() {
        let page = diff("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n--- a remark\n+++ <b>\n same\n")
            .into_string();
        assert!(page.contains("<span class=\"file\">--- a/x</span>"), "{page}");
        assert!(page.contains("<span class=\"del\">--- a remark</span>"), "{page}");
        assert!(page.contains("<span class=\"add\">+++ &lt;b&gt;</span>"), "{page}");
    }
}
