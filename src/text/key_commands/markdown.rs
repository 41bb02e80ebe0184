//! As much Markdown as the search needs: lines with what they are.
//!
//! ```text
//! fence   = 3+ backticks or tildes, info … the same characters, at least as many, alone
//! comment = "<!--" … "-->"        over several lines
//! heading = "#"{1,6} text | text above a line of "=" or "-"
//! ```
//!
//! An unclosed fence ends at the end of the file.

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
        language: String,
        block: usize,
    },
    /// A line (or the part of it) inside an HTML comment.
    Comment,
    Prose,
}

/// One line of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// From 1.
    pub(super) number: usize,
    pub(super) kind: Kind,
    /// Without line end; the text alone for a heading.
    pub(super) text: String,
}

/// Splits a file into lines. BOM, CR LF and lone CR are normalised.
pub(super) fn lines(text: &str) -> Vec<Line> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n").replace('\r', "\n");
    let mut scanner = Scanner::default();
    let mut lines: Vec<Line> = Vec::new();
    for (at, raw) in text.split('\n').enumerate() {
        if let Some(level) = underline(raw)
            && scanner.is_outside()
            && let Some(before) = lines.last_mut()
            && before.kind == Kind::Prose
            && !before.text.trim_start().starts_with(['-', '*', '+', '|', '>'])
        {
            before.kind = Kind::Heading { level };
        }
        let (kind, text) = scanner.line(raw);
        lines.push(Line { number: at + 1, kind, text });
    }
    lines
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

#[derive(Default)]
struct Scanner {
    fence: Option<OpenFence>,
    in_comment: bool,
    blocks: usize,
}

struct OpenFence {
    mark: char,
    length: usize,
    language: String,
}

impl Scanner {
    fn is_outside(&self) -> bool {
        self.fence.is_none() && !self.in_comment
    }

    fn line(&mut self, raw: &str) -> (Kind, String) {
        if let Some(fence) = &self.fence {
            if closes(raw, fence) {
                self.fence = None;
                return (Kind::Fence, raw.to_owned());
            }
            return (Kind::Code { language: fence.language.clone(), block: self.blocks }, raw.to_owned());
        }
        if self.in_comment {
            if raw.contains("-->") {
                self.in_comment = false;
            }
            return (Kind::Comment, raw.replace("-->", ""));
        }
        if let Some(fence) = opens(raw) {
            self.fence = Some(fence);
            self.blocks += 1;
            return (Kind::Fence, raw.to_owned());
        }
        if let Some(at) = raw.find("<!--") {
            let after = &raw[at + 4..];
            if !after.contains("-->") {
                self.in_comment = true;
            }
            if raw[..at].trim().is_empty() {
                return (Kind::Comment, after.replace("-->", ""));
            }
            return (Kind::Prose, raw[..at].to_owned());
        }
        if raw.trim().is_empty() {
            return (Kind::Blank, String::new());
        }
        match heading(raw) {
            Some((level, text)) => (Kind::Heading { level }, text.to_owned()),
            None => (Kind::Prose, raw.to_owned()),
        }
    }
}

fn opens(raw: &str) -> Option<OpenFence> {
    // Lists put fences at any margin, so the margin does not count.
    let text = raw.trim_start();
    let mark = text.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let length = text.chars().take_while(|next| *next == mark).count();
    let info = text[length..].trim();
    let is_inline = mark == '`' && info.contains('`');
    let language = info.split_whitespace().next().unwrap_or_default().to_lowercase();
    (length >= 3 && !is_inline).then_some(OpenFence { mark, length, language })
}

fn closes(raw: &str, fence: &OpenFence) -> bool {
    let text = raw.trim();
    text.len() >= fence.length && text.chars().all(|next| next == fence.mark)
}

fn heading(raw: &str) -> Option<(usize, &str)> {
    let text = raw.trim_start();
    let level = text.bytes().take_while(|byte| *byte == b'#').count();
    let rest = &text[level..];
    let fits = (1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t']));
    fits.then(|| (level, rest.trim().trim_end_matches('#').trim_end()))
}

/// The level of a heading that is underlined by this line.
fn underline(raw: &str) -> Option<usize> {
    let text = raw.trim_end();
    let of = |mark: char| text.len() >= 2 && text.chars().all(|next| next == mark);
    if of('=') {
        Some(1)
    } else if of('-') {
        Some(2)
    } else {
        None
    }
}
