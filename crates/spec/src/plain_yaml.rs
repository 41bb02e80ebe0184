//! The part of YAML that people and agents write by hand, read leniently and in linear time.
//!
//! ```text
//! entries = [ "---" ] { key ":" value }       keys at column 0, comments and blank lines anywhere
//! value   = nothing | plain | "quoted" | 'quoted' | "|" text | ">" text | [ flow ] | { flow }
//!         | LF indented entries | LF list
//! list    = { "-" value }
//! ```
//!
//! A general parser refuses much that is plain to a reader, and takes much that nobody means:
//! - an entry's value can be taken as text ([`Entry::text`]): `command: npm test -- -t "a: b"`,
//!   `title: fix probe #26`, ``command: `bun test` `` are what they look like;
//! - a literal text's margin is what all of its lines share: cargo indents its first line more;
//! - tabs and U+2028 within text are text;
//! - anchors, aliases, tags, directives and second documents are refused, not expanded.

use std::fmt;

mod flow;
mod scalar;

/// Nothing that we read is nested deeper.
const DEPTH: usize = 16;

/// One line with its number in the file or message that it comes from, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    pub number: usize,
    pub text: &'a str,
}

/// A key with its value still unread.
#[derive(Clone, Debug)]
pub struct Entry<'l, 'a> {
    pub key: String,
    /// The key's line.
    pub line: usize,
    inline: &'a str,
    rest: &'l [Line<'a>],
}

/// A value. Numbers and booleans are text; the reader of a field knows what it wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    Null,
    Text(String),
    /// A list item such as `- a: b`: a mapping to YAML, a name with a colon to its writer.
    Pair(String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

/// Why a text can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub kind: FaultKind,
    pub line: usize,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    Syntax,
    /// An anchor or an alias.
    Alias,
}

impl Fault {
    fn syntax(line: usize, message: impl Into<String>) -> Self {
        Self { kind: FaultKind::Syntax, line, message: message.into() }
    }

    fn alias(line: usize) -> Self {
        Self { kind: FaultKind::Alias, line, message: "anchors and aliases (`&a`, `*a`) are not read".into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// Numbers the lines of `text`, the first being `first`.
pub fn lines(text: &str, first: usize) -> Vec<Line<'_>> {
    text.lines().enumerate().map(|(at, text)| Line { number: first + at, text }).collect()
}

/// The entries of a mapping whose keys stand at column 0. Repeated keys are all given.
pub fn entries<'l, 'a>(lines: &'l [Line<'a>]) -> Result<Vec<Entry<'l, 'a>>, Fault> {
    let mut found: Vec<Entry<'l, 'a>> = Vec::new();
    let mut start = 0;
    let mut has_marker = false;
    for (at, line) in lines.iter().enumerate() {
        let open = found.last().map(|entry| entry.inline);
        match role_of(line, open)? {
            LineRole::Nothing => {}
            LineRole::Marker if found.is_empty() && !has_marker => has_marker = true,
            LineRole::Marker => return Err(Fault::syntax(line.number, "a second document begins here")),
            LineRole::Continues => {
                if let Some(entry) = found.last_mut() {
                    entry.rest = &lines[start..=at];
                }
            }
            LineRole::Key(key, inline) => {
                start = at + 1;
                found.push(Entry { key, line: line.number, inline, rest: &[] });
            }
        }
    }
    Ok(found)
}

/// Reads a mapping that is written as one `{…}` over all of `lines`; `None` if it is none.
pub fn flow_mapping(lines: &[Line<'_>]) -> Option<Result<Vec<(String, Node)>, Fault>> {
    let at = lines.iter().position(|line| is_significant(line.text))?;
    let first = lines[at];
    if !first.text.starts_with('{') {
        return None;
    }
    Some(value(first.text, first.number, &lines[at + 1..], DEPTH).and_then(|node| match node {
        Node::Map(pairs) => Ok(pairs),
        Node::Null | Node::Text(_) | Node::Pair(_) | Node::List(_) => {
            Err(Fault::syntax(first.number, "expected `key: value` lines"))
        }
    }))
}

impl Entry<'_, '_> {
    /// The value with its structure.
    pub fn node(&self) -> Result<Node, Fault> {
        value(self.inline, self.line, self.rest, DEPTH)
    }

    /// The value as text: a literal, or what stands on the line to its end, with one enclosing
    /// pair of quotes removed; further lines are joined by a blank. Without trailing line ends.
    pub fn text(&self) -> Result<String, Fault> {
        scalar::text(self.inline, self.line, self.rest)
    }

    /// Whether the value is a list with one item a line.
    pub fn is_block_list(&self) -> bool {
        let first = self.rest.iter().map(|line| line.text.trim()).find(|text| is_significant(text));
        self.inline.is_empty() && first.is_some_and(|text| item(text).is_some())
    }
}

/// What a line at column 0 is to the mapping that it stands in.
enum LineRole<'a> {
    Nothing,
    Marker,
    Continues,
    Key(String, &'a str),
}

fn role_of<'a>(line: &Line<'a>, open: Option<&str>) -> Result<LineRole<'a>, Fault> {
    let text = line.text;
    let expected = || Fault::syntax(line.number, "expected `key: value`");
    let Some(first) = text.chars().next() else { return Ok(LineRole::Continues) };
    if is_document_mark(text) {
        return Ok(LineRole::Marker);
    }
    let continues = match first {
        '#' => return Ok(LineRole::Nothing),
        ' ' | '\t' if !is_significant(text) => true,
        ' ' | '\t' => open.is_some(),
        '-' if item(text).is_some() => open.is_some_and(str::is_empty),
        ']' | '}' => open.is_some_and(|inline| inline.starts_with(['[', '{'])),
        '%' | '?' => return Err(expected()),
        '&' | '*' => return Err(Fault::alias(line.number)),
        _ => {
            let (key, inline) = key(text).ok_or_else(expected)?;
            return Ok(LineRole::Key(key, inline));
        }
    };
    if continues { Ok(LineRole::Continues) } else { Err(expected()) }
}

fn is_document_mark(text: &str) -> bool {
    let mark = text.trim_end();
    mark == "---" || mark == "..." || text.starts_with("--- ")
}

/// Splits `key: value`; the value is trimmed.
fn key(text: &str) -> Option<(String, &str)> {
    let is_quoted = text.starts_with(['"', '\'']);
    let (key, after) = if is_quoted {
        let (key, used) = scalar::quoted(text).ok()?;
        (key, text[used..].trim_start().strip_prefix(':')?)
    } else {
        let colon = colon(text)?;
        (text[..colon].trim_end().to_owned(), &text[colon + 1..])
    };
    let ends = after.is_empty() || after.starts_with([' ', '\t']);
    (ends && !key.is_empty() && (is_quoted || !key.contains(" #"))).then(|| (key, after.trim()))
}

/// Where the colon stands that ends a plain key.
fn colon(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let ends = |at: usize| bytes.get(at + 1).is_none_or(|byte| matches!(byte, b' ' | b'\t'));
    text.match_indices(':').map(|(at, _)| at).find(|at| ends(*at))
}

/// What follows the dash of a list item, trimmed.
fn item(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('-')?;
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then(|| rest.trim())
}

fn is_significant(text: &str) -> bool {
    let text = text.trim_start_matches([' ', '\t']);
    !text.is_empty() && !text.starts_with('#')
}

/// Reads the value that begins with `inline` on `line` and goes on over `rest`.
fn value(inline: &str, line: usize, rest: &[Line<'_>], depth: usize) -> Result<Node, Fault> {
    let Some(deeper) = depth.checked_sub(1) else {
        return Err(Fault::syntax(line, "nested too deeply"));
    };
    let Some(first) = inline.chars().next() else { return block(rest, line, deeper) };
    match first {
        '#' => block(rest, line, deeper),
        '&' | '*' => Err(Fault::alias(line)),
        '!' => Err(Fault::syntax(line, "tags (`!a`) are not read")),
        '`' | '@' | '%' => Err(Fault::syntax(line, format!("a value can't begin with `{first}`: quote it"))),
        '[' | '{' => flow::read(&scalar::join(inline, rest), line, deeper),
        '"' | '\'' => scalar::whole_quoted(&scalar::join(inline, rest), line).map(Node::Text),
        '-' if item(inline).is_some() => Err(Fault::syntax(line, "a list can't begin on this line")),
        _ => match scalar::block_header(inline) {
            Some(header) => Ok(Node::Text(scalar::block_text(header, rest))),
            None => Ok(scalar::plain(inline, rest)),
        },
    }
}

/// Reads a value that begins on the line after its key.
fn block(rest: &[Line<'_>], line: usize, depth: usize) -> Result<Node, Fault> {
    let Some(at) = rest.iter().position(|line| is_significant(line.text)) else {
        return Ok(Node::Null);
    };
    let first = rest[at];
    let margin = first.text.len() - first.text.trim_start_matches(' ').len();
    if first.text[margin..].starts_with('\t') {
        return Err(Fault::syntax(first.number, "a tab can't indent"));
    }
    let inner = dedented(&rest[at..], margin)?;
    let Some((head, tail)) = inner.split_first() else { return Ok(Node::Null) };
    if item(head.text).is_some() {
        return list(&inner, depth);
    }
    let is_map = !head.text.starts_with(['[', '{']) && key(head.text).is_some();
    if !is_map {
        return value(head.text.trim_end(), head.number, tail, depth);
    }
    let Some(deeper) = depth.checked_sub(1) else {
        return Err(Fault::syntax(line, "nested too deeply"));
    };
    let pairs = entries(&inner)?.into_iter().map(|entry| {
        let node = value(entry.inline, entry.line, entry.rest, deeper)?;
        Ok((entry.key, node))
    });
    pairs.collect::<Result<_, _>>().map(Node::Map)
}

fn dedented<'a>(lines: &[Line<'a>], margin: usize) -> Result<Vec<Line<'a>>, Fault> {
    let dedent = |line: &Line<'a>| {
        let blanks = line.text.len() - line.text.trim_start_matches(' ').len();
        if blanks < margin && is_significant(line.text) {
            return Err(Fault::syntax(line.number, "indented less than the lines before it"));
        }
        Ok(Line { number: line.number, text: &line.text[margin.min(blanks)..] })
    };
    lines.iter().map(dedent).collect()
}

/// Reads a list whose dashes stand at column 0.
fn list(lines: &[Line<'_>], depth: usize) -> Result<Node, Fault> {
    let mut nodes = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += 1;
        if !is_significant(line.text) {
            continue;
        }
        let Some(inline) = item(line.text) else {
            return Err(Fault::syntax(line.number, "expected `- item`"));
        };
        let belongs = |line: &&Line<'_>| line.text.starts_with([' ', '\t']) || !is_significant(line.text);
        let count = lines[at..].iter().take_while(belongs).count();
        nodes.push(list_item(inline, line.number, &lines[at..at + count], depth)?);
        at += count;
    }
    Ok(Node::List(nodes))
}

fn list_item(inline: &str, line: usize, rest: &[Line<'_>], depth: usize) -> Result<Node, Fault> {
    let is_plain = !inline.starts_with(['[', '{', '"', '\'', '&', '*', '!', '#', '|', '>', '`', '@', '%']);
    if is_plain && key(inline).is_some() {
        let is_single = !rest.iter().any(|line| is_significant(line.text));
        return Ok(if is_single {
            Node::Pair(scalar::without_comment(inline).to_owned())
        } else {
            Node::Map(Vec::new())
        });
    }
    value(inline, line, rest, depth)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(text: &str) -> Result<Node, FaultKind> {
        let lines = lines(text, 1);
        let found = entries(&lines).map_err(|fault| fault.kind)?;
        found.first().expect("one entry").node().map_err(|fault| fault.kind)
    }

    fn texts(items: &[&str]) -> Node {
        Node::List(items.iter().map(|item| Node::Text((*item).to_owned())).collect())
    }

    #[test]
    fn values_are_read_with_their_structure() {
        for (text, want) in [
            ("a:", Node::Null),
            ("a: ~ # none", Node::Null),
            ("a: b # c", Node::Text("b".into())),
            ("a : b\n  c", Node::Text("b c".into())),
            ("'a': \"b\\n\\u0041\" # x", Node::Text("b\nA".into())),
            ("a: 'it''s'", Node::Text("it's".into())),
            (
                "a: [b, 'c, d', [e]]",
                Node::List(vec![Node::Text("b".into()), Node::Text("c, d".into()), texts(&["e"])]),
            ),
            ("a: [\n  b, # first\n  c,\n]", texts(&["b", "c"])),
            ("a:\n  [b]", texts(&["b"])),
            ("a:\n- b\n\n- c", texts(&["b", "c"])),
            ("a:\n   # x\n   - b\n   - c # y", texts(&["b", "c"])),
            ("a:\n  - b: c", Node::List(vec![Node::Pair("b: c".into())])),
            ("a:\n  - |\n    x\n    y\n  - z", texts(&["x\ny", "z"])),
            (
                "a:\n  b:\n    - c\n  d: |\n     e\n    f",
                Node::Map(vec![("b".into(), texts(&["c"])), ("d".into(), Node::Text(" e\nf".into()))]),
            ),
            (
                "a: {b: c, \"d\":[e], f}",
                Node::Map(vec![
                    ("b".into(), Node::Text("c".into())),
                    ("d".into(), texts(&["e"])),
                    ("f".into(), Node::Null),
                ]),
            ),
            ("---\na: >-\n  b\n  c\n\n  d", Node::Text("b c\nd".into())),
        ] {
            assert_eq!(node(text), Ok(want), "{text:?}");
        }
    }

    #[test]
    fn what_nobody_means_is_refused() {
        for (text, want) in [
            ("a: &b c", FaultKind::Alias),
            ("a: *b", FaultKind::Alias),
            ("a:\n  - *b", FaultKind::Alias),
            ("a: [b, *c]", FaultKind::Alias),
            ("a: {b: &c d}", FaultKind::Alias),
            ("*a : b", FaultKind::Alias),
            ("a: !!str b", FaultKind::Syntax),
            ("a: b\n---\nc: d", FaultKind::Syntax),
            ("a: b\n...", FaultKind::Syntax),
            ("%YAML 1.2\na: b", FaultKind::Syntax),
            ("a:\n\t- b", FaultKind::Syntax),
            ("a: [b", FaultKind::Syntax),
            ("a: [b] c", FaultKind::Syntax),
            ("a: \"b", FaultKind::Syntax),
            ("a: \"\\q\"", FaultKind::Syntax),
            ("a: - b", FaultKind::Syntax),
            ("a: `b`", FaultKind::Syntax),
            ("just words", FaultKind::Syntax),
            ("  a: b", FaultKind::Syntax),
            ("- a", FaultKind::Syntax),
        ] {
            assert_eq!(node(text), Err(want), "{text:?}");
        }
        assert_eq!(node(&format!("a: {}", "[".repeat(100_000))), Err(FaultKind::Syntax));
        let deep: Vec<String> = (0..200).map(|depth| " ".repeat(depth) + "a:\n").collect();
        assert_eq!(node(&deep.concat()), Err(FaultKind::Syntax));
    }

    #[test]
    fn text_is_taken_as_it_stands() {
        for (text, want) in [
            ("a: npm test -- -t \"b: c\"", "npm test -- -t \"b: c\""),
            ("a: cargo test # all", "cargo test # all"),
            ("a: `bun test`", "`bun test`"),
            ("a: \"bun\" test", "\"bun\" test"),
            ("a: \"a\" && \"b\"", "\"a\" && \"b\""),
            ("a: \"bun test\"", "bun test"),
            ("a: 'it''s'", "it's"),
            ("a: [ -f x ]", "[ -f x ]"),
            ("a: ! grep x y", "! grep x y"),
            ("a: | grep x", "| grep x"),
            ("a: *** FAIL", "*** FAIL"),
            ("a: b\n  c", "b c"),
            ("a:\n  b", "b"),
            ("a:", ""),
            ("a: |\n\n     b\n  c\n\n\n", "\n   b\nc"),
            ("a: |\n\tb\n\tc", "b\nc"),
            ("a: |\n  \tb\n  c", "\tb\nc"),
            ("a: |1\n   b\n  c", "  b\n c"),
            ("a: |+ # x\n  b\n   \n  c", "b\n \nc"),
        ] {
            let lines = lines(text, 1);
            let found = entries(&lines).unwrap();
            assert_eq!(found[0].text().as_deref(), Ok(want), "{text:?}");
        }
    }
}
