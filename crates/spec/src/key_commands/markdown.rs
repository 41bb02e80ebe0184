//! The lines of a file with what they are to the search. Margins do not count, and a quote is prose.

use crate::markdown;
use crate::markdown_line;

/// What one line is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Blank,
    Heading {
        level: usize,
    },
    /// An opening or closing fence.
    Fence,
    /// A line inside a fence; `block` counts fences, so that they can be told apart.
    Code {
        language: Language,
        block: usize,
    },
    /// A line (or the part of it) inside an HTML comment.
    Comment,
    Prose,
}

/// What a fence says that it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    Shell,
    Unsaid,
    Other,
}

/// One line of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// From 1.
    pub(super) number: usize,
    pub(super) kind: Kind,
    /// Without margin and line end; the text alone for a heading, and what stands before a comment.
    pub(super) text: String,
}

/// Splits a file into lines. BOM, CR LF and lone CR are normalised.
pub(super) fn lines(text: &str) -> Vec<Line> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n").replace('\r', "\n");
    // Without margins nothing is code by its indentation: lists put fences at any margin, and
    // people put lists there too.
    let flush = text.split('\n').map(str::trim_start).collect::<Vec<_>>().join("\n");
    let read = markdown::read(&flush);
    let languages: Vec<Language> =
        read.blocks.iter().map(|block| language(read.lines[block.opened].text)).collect();
    let lines = read.lines.iter().enumerate();
    lines
        .map(|(at, line)| {
            let (kind, text) = meant(line, &languages);
            Line { number: at + 1, kind, text }
        })
        .collect()
}

fn meant(line: &markdown::Line<'_>, languages: &[Language]) -> (Kind, String) {
    let whole = markdown_line::read(line.text);
    let (kind, text) = match line.kind {
        markdown::Kind::Blank => (Kind::Blank, ""),
        // What an item begins with is its text.
        markdown::Kind::Heading { level } if !whole.is_item => {
            (Kind::Heading { level }, whole.heading().map_or(line.text, |(_, text)| text))
        }
        markdown::Kind::Fence => (Kind::Fence, line.text),
        markdown::Kind::Code { block } => (Kind::Code { language: languages[block], block }, line.text),
        markdown::Kind::Comment => return (Kind::Comment, line.text.replace("<!--", "").replace("-->", "")),
        markdown::Kind::Heading { .. }
        | markdown::Kind::Text { .. }
        | markdown::Kind::Rule
        | markdown::Kind::Indented
        | markdown::Kind::Quote => {
            let text = &line.text[..line.comment.unwrap_or(line.text.len())];
            (Kind::Prose, markdown::behind_comments(text).unwrap_or(text))
        }
    };
    (kind, text.to_owned())
}

/// Fences with these languages hold commands; others hold configuration or code, unless they
/// say nothing and look like it.
fn language(opener: &str) -> Language {
    const SHELL: [&str; 7] = ["sh", "bash", "shell", "zsh", "console", "shell-session", "terminal"];
    let info = markdown_line::read(opener).fence().map_or("", |fence| fence.info);
    let word = info.split_whitespace().next().unwrap_or_default().to_lowercase();
    match word.as_str() {
        "" | "text" => Language::Unsaid,
        word if SHELL.contains(&word) => Language::Shell,
        _ => Language::Other,
    }
}

/// The lines of the section with this heading (lower case), less the heading; empty if there is
/// none. Of several, the first.
pub(super) fn section<'a>(lines: &'a [Line], title: &str) -> &'a [Line] {
    let heading = lines.iter().enumerate().find_map(|(at, line)| match line.kind {
        Kind::Heading { level } if plain(&line.text).starts_with(title) => Some((at, level)),
        Kind::Blank
        | Kind::Heading { .. }
        | Kind::Fence
        | Kind::Code { .. }
        | Kind::Comment
        | Kind::Prose => None,
    });
    let Some((start, own)) = heading else { return &[] };
    let rest = &lines[start + 1..];
    let end = rest.iter().position(|line| matches!(line.kind, Kind::Heading { level } if level <= own));
    &rest[..end.unwrap_or(rest.len())]
}

/// Lower case, without emphasis, numbering and pictograms at the start.
pub(super) fn plain(text: &str) -> String {
    let text = text.replace(['*', '_', '`'], "").to_lowercase();
    text.trim_start_matches(|first: char| !first.is_alphabetic()).trim().to_owned()
}
