//! Texts: plain, quoted, literal (`|`) and folded (`>`).

use super::{Fault, Line, Node, is_significant};

/// The head of a literal or folded text. How its end is chomped does not matter to any reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockHeader {
    is_folded: bool,
    /// The margin, where it is given.
    margin: Option<usize>,
}

/// A value as text, whatever it looks like; see [`Entry::text`](super::Entry::text).
pub(super) fn text(inline: &str, line: usize, rest: &[Line<'_>]) -> Result<String, Fault> {
    if let Some(header) = block_header(inline) {
        return Ok(block_text(header, rest));
    }
    if is_alias(inline) {
        return Err(Fault::alias(line));
    }
    if inline.starts_with(['"', '\'']) {
        let joined = join(inline, rest);
        if let Ok((text, used)) = quoted(joined.trim_end())
            && used == joined.trim_end().len()
        {
            return Ok(text);
        }
    }
    let more = rest.iter().map(|line| line.text.trim()).filter(|text| is_significant(text));
    let parts: Vec<&str> = std::iter::once(inline).chain(more).filter(|part| !part.is_empty()).collect();
    Ok(parts.join(" "))
}

/// `&name` or `*name` as a word of its own; `*** FAIL` is text.
fn is_alias(inline: &str) -> bool {
    let Some(name) = inline.strip_prefix(['&', '*']) else { return false };
    let word = name.split([' ', '\t']).next().unwrap_or_default();
    !word.is_empty() && word.chars().all(|char| char.is_alphanumeric() || char == '_' || char == '-')
}

/// A plain value: no comment, further lines joined by a blank.
pub(super) fn plain(inline: &str, rest: &[Line<'_>]) -> Node {
    let more = rest.iter().map(|line| line.text.trim()).filter(|text| is_significant(text));
    let parts: Vec<&str> = std::iter::once(inline).chain(more).map(without_comment).collect();
    let text = parts.join(" ");
    if matches!(text.as_str(), "~" | "null" | "Null" | "NULL") { Node::Null } else { Node::Text(text) }
}

/// The text before ` #`, trimmed.
pub(super) fn without_comment(text: &str) -> &str {
    let at = text.match_indices('#').map(|(at, _)| at).find(|at| text[..*at].ends_with([' ', '\t']));
    at.map_or(text, |at| &text[..at]).trim()
}

/// The value's lines as one text.
pub(super) fn join(inline: &str, rest: &[Line<'_>]) -> String {
    let mut joined = inline.to_owned();
    for line in rest {
        joined.push('\n');
        joined.push_str(line.text);
    }
    joined
}

pub(super) fn block_header(inline: &str) -> Option<BlockHeader> {
    let is_folded = inline.starts_with('>');
    let marks = inline.strip_prefix(['|', '>'])?;
    let (marks, comment) = marks.split_once([' ', '\t']).unwrap_or((marks, ""));
    let mut margin = None;
    for mark in marks.chars() {
        match mark {
            '+' | '-' => {}
            '1'..='9' if margin.is_none() => margin = mark.to_digit(10).map(|digit| digit as usize),
            _ => return None,
        }
    }
    let comment = comment.trim_start();
    let is_header = marks.len() <= 2 && (comment.is_empty() || comment.starts_with('#'));
    is_header.then_some(BlockHeader { is_folded, margin })
}

/// The text under a header, without trailing line ends.
pub(super) fn block_text(header: BlockHeader, rest: &[Line<'_>]) -> String {
    // A comment at column 0 is none of the text; its lines are all indented.
    let content = || rest.iter().map(|line| line.text).filter(|text| !text.starts_with('#'));
    let shared = margin(content());
    let width = header.margin.map_or(shared, |given| given.min(shared));
    let lines: Vec<&str> = content().map(|text| &text[blanks(text).min(width)..]).collect();
    let text = if header.is_folded { folded(&lines) } else { lines.join("\n") };
    text.trim_end_matches('\n').to_owned()
}

/// The indentation that all lines with text share: blanks, or tabs if the first line has them.
fn margin<'a>(lines: impl Iterator<Item = &'a str> + Clone) -> usize {
    let mut with_text = lines.filter(|text| !text.trim_matches([' ', '\t']).is_empty());
    let Some(first) = with_text.next() else { return usize::MAX };
    let indent = &first[..blanks(first)];
    let shared = |width: usize, text: &str| {
        let same = indent.bytes().zip(text.bytes()).take_while(|(a, b)| a == b).count();
        width.min(same)
    };
    with_text.fold(indent.len(), shared)
}

/// How many blanks lead the text; tabs only if a tab comes first.
fn blanks(text: &str) -> usize {
    let blank = if text.starts_with('\t') { '\t' } else { ' ' };
    text.len() - text.trim_start_matches(blank).len()
}

/// Lines of one paragraph are joined by a blank; blank and further indented lines stay.
fn folded(lines: &[&str]) -> String {
    let mut out = String::new();
    let mut empty = 0;
    let mut was_indented = false;
    for line in lines {
        if line.trim().is_empty() {
            empty += 1;
            continue;
        }
        let is_indented = line.starts_with([' ', '\t']);
        match (out.is_empty(), is_indented || was_indented, empty) {
            (false, true, _) => out.push_str(&"\n".repeat(empty + 1)),
            (false, false, 0) => out.push(' '),
            (true, _, _) | (false, false, _) => out.push_str(&"\n".repeat(empty)),
        }
        out.push_str(line);
        (empty, was_indented) = (0, is_indented);
    }
    out
}

/// A quoted text that is all there is but for a comment.
pub(super) fn whole_quoted(text: &str, line: usize) -> Result<String, Fault> {
    let (value, used) = quoted(text).map_err(|why| Fault::syntax(line, why))?;
    if text[used..].lines().any(is_significant) {
        return Err(Fault::syntax(line, "something follows the closing quote"));
    }
    Ok(value)
}

/// The quoted text at the head of `text`, and how many bytes it takes up.
pub(super) fn quoted(text: &str) -> Result<(String, usize), &'static str> {
    let mut chars = text.char_indices();
    let Some((_, quote @ ('"' | '\''))) = chars.next() else {
        return Err("expected a quote");
    };
    let mut out = String::new();
    while let Some((at, char)) = chars.next() {
        match char {
            '\'' if quote == '\'' && text[at + 1..].starts_with('\'') => {
                chars.next();
                out.push('\'');
            }
            _ if char == quote => return Ok((out, at + 1)),
            '\\' if quote == '"' => escape(&mut chars, &mut out)?,
            '\n' => {
                fold_break(&text[at + 1..], &mut chars, &mut out);
            }
            _ => out.push(char),
        }
    }
    Err("a quote is never closed")
}

/// A line end within quotes is a blank; blank lines are line ends.
fn fold_break(after: &str, chars: &mut std::str::CharIndices<'_>, out: &mut String) {
    out.truncate(out.trim_end_matches([' ', '\t']).len());
    let gap = &after[..after.len() - after.trim_start_matches([' ', '\t', '\n']).len()];
    for _ in gap.chars() {
        chars.next();
    }
    let breaks = gap.matches('\n').count();
    out.push_str(&if breaks == 0 { " ".to_owned() } else { "\n".repeat(breaks) });
}

fn escape(chars: &mut std::str::CharIndices<'_>, out: &mut String) -> Result<(), &'static str> {
    const UNKNOWN: &str = "an escape within quotes is not known";
    let (_, name) = chars.next().ok_or(UNKNOWN)?;
    let plain = match name {
        '"' | '\\' | '/' | ' ' | '\t' => name,
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        '0' => '\0',
        'a' => '\u{7}',
        'b' => '\u{8}',
        'v' => '\u{b}',
        'f' => '\u{c}',
        'e' => '\u{1b}',
        'N' => '\u{85}',
        '_' => '\u{a0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        'x' => coded(chars, 2).ok_or(UNKNOWN)?,
        'u' => pair_coded(chars).ok_or(UNKNOWN)?,
        'U' => coded(chars, 8).ok_or(UNKNOWN)?,
        '\n' => {
            let rest = chars.as_str();
            let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            for _ in 0..blanks {
                chars.next();
            }
            return Ok(());
        }
        _ => return Err(UNKNOWN),
    };
    out.push(plain);
    Ok(())
}

fn number(chars: &mut std::str::CharIndices<'_>, digits: usize) -> Option<u32> {
    let text = chars.as_str().get(..digits)?;
    let number = u32::from_str_radix(text, 16).ok().filter(|_| !text.starts_with('+'))?;
    for _ in 0..digits {
        chars.next();
    }
    Some(number)
}

fn coded(chars: &mut std::str::CharIndices<'_>, digits: usize) -> Option<char> {
    char::from_u32(number(chars, digits)?)
}

/// `\uXXXX`, or two of them as JSON writes what lies beyond the first plane.
fn pair_coded(chars: &mut std::str::CharIndices<'_>) -> Option<char> {
    let first = number(chars, 4)?;
    if !(0xd800..0xdc00).contains(&first) {
        return char::from_u32(first);
    }
    if !chars.as_str().starts_with("\\u") {
        return None;
    }
    chars.nth(1);
    let second = number(chars, 4)?.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
    char::from_u32(0x10000 + ((first - 0xd800) << 10) + second)
}
