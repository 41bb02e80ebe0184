//! Finds the block in a message that has been cleaned of noise.
//!
//! A block opens with a fence whose info begins with the word `tdd-result`. It closes with a fence
//! of the same character, at least as long, with nothing behind it and indented no more than the
//! opener; deeper fences are content, so an excerpt may hold any.
//!
//! What does not count, and what is forgiven:
//! - a block within another fence is an example. But a fence that nothing closes is none, and one
//!   that only the closing fence of a block would close has itself been left open, unless the
//!   next fence after the block closes it, or all fences behind it pair up with it as the outermost:
//!   agents forget to close what they quote;
//! - a block quote's lines begin with `>`, so nothing in it is a fence;
//! - an HTML comment or block quote counts where it begins a line, and only if it ends.

use super::error;
use crate::markdown_line::{self, FenceMark};
use tdd_core::claim::{ClaimError, ClaimErrorKind};

const NAME: &str = "tdd-result";

/// So many fences behind a block are looked at, to tell whether it is quoted: the time stays linear.
const LOOKED_AT: usize = 64;

/// What stands between the fences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block<'a> {
    pub(super) text: &'a str,
    /// The line of the opening fence in the message, from 1.
    pub(super) line: usize,
}

/// The one block of the message.
pub(super) fn only_block(text: &str) -> Result<Block<'_>, ClaimError> {
    let marks = marks(text);
    let found = openers(text, &marks, usize::MAX);
    match found.as_slice() {
        [] => Err(error(
            ClaimErrorKind::NoBlock,
            None,
            "the message holds no fenced block with the info word `tdd-result`; exactly one is needed",
        )),
        [Found { opener, closer: Some(closer) }] => {
            let inside = opener.end as usize..closer.start as usize;
            Ok(Block { text: text.get(inside).unwrap_or_default(), line: opener.line as usize })
        }
        [.., Found { opener, closer: None }] => Err(error(
            ClaimErrorKind::UnclosedBlock,
            Some(opener.line as usize),
            "the block is never closed: a closing fence of the same character, at least as long and \
             indented no more than the opening one, must stand alone on its line",
        )),
        [first, second, ..] => Err(error(
            ClaimErrorKind::ManyBlocks,
            Some(second.opener.line as usize),
            format!(
                "the message holds {} `tdd-result` blocks, the first on line {}; exactly one is needed",
                found.len(),
                first.opener.line
            ),
        )),
    }
}

/// Whether some block opens in the message.
pub(super) fn holds_block(text: &str) -> bool {
    !openers(text, &marks(text), 1).is_empty()
}

/// A line that can open or close something. A message may hold millions of them, so they are
/// kept small: no position in a message of 16 MiB is beyond 32 bits.
#[derive(Clone, Copy, Debug)]
struct Mark {
    start: u32,
    /// Where the next line begins.
    end: u32,
    line: u32,
    indent: u32,
    length: u32,
    /// How long the longest bare fence of the same character is that comes later; 0 for none.
    longest_later: u32,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Aside(Aside),
    Fence(FenceMark, Info),
}

/// HTML that what it holds does not count in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aside {
    Comment,
    Quote,
}

impl Aside {
    fn begun_by(content: &[u8]) -> Option<Self> {
        if content.starts_with(b"<!--") {
            return Some(Self::Comment);
        }
        let rest = content.strip_prefix(b"<blockquote")?;
        matches!(rest.first(), None | Some(b'>' | b' ' | b'\n')).then_some(Self::Quote)
    }

    fn end(self) -> &'static str {
        match self {
            Self::Comment => "-->",
            Self::Quote => "</blockquote>",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Info {
    Bare,
    Result,
    Other,
}

impl Mark {
    /// Whether this line closes a fence that `opener` opened, wherever it is indented.
    fn closes(&self, opener: &Self) -> bool {
        match (self.kind, opener.kind) {
            (Kind::Fence(mark, Info::Bare), Kind::Fence(open, _)) => {
                mark == open && self.length >= opener.length
            }
            (Kind::Fence(_, Info::Result | Info::Other) | Kind::Aside(_), _) | (_, Kind::Aside(_)) => false,
        }
    }

    fn closes_block(&self, opener: &Self) -> bool {
        self.closes(opener) && self.indent <= opener.indent
    }

    fn opens_block(&self) -> bool {
        matches!(self.kind, Kind::Fence(_, Info::Result))
    }

    fn may_be_closed(&self) -> bool {
        self.longest_later >= self.length
    }
}

struct Found<'m> {
    opener: &'m Mark,
    closer: Option<&'m Mark>,
}

fn marks(text: &str) -> Vec<Mark> {
    let mut marks = Vec::new();
    // Behind the last end of one none begins.
    let until = |aside: Aside| text.rfind(aside.end()).unwrap_or(0);
    let (comments_until, quotes_until) = (until(Aside::Comment), until(Aside::Quote));
    let mut start = 0;
    for (at, line) in text.split_inclusive('\n').enumerate() {
        let end = start + line.len();
        let counts = |kind: Kind| match kind {
            Kind::Aside(Aside::Comment) => start < comments_until,
            Kind::Aside(Aside::Quote) => start < quotes_until,
            Kind::Fence(..) => true,
        };
        if let Some((kind, indent, length)) = mark(line).filter(|(kind, ..)| counts(*kind)) {
            let (start, end, line) = (small(start), small(end), small(at + 1));
            let (indent, length) = (small(indent), small(length));
            marks.push(Mark { start, end, line, indent, length, longest_later: 0, kind });
        }
        start = end;
    }
    let (mut backticks, mut tildes) = (0, 0);
    for mark in marks.iter_mut().rev() {
        let Kind::Fence(char, info) = mark.kind else { continue };
        let longest = match char {
            FenceMark::Backtick => &mut backticks,
            FenceMark::Tilde => &mut tildes,
        };
        mark.longest_later = *longest;
        if info == Info::Bare {
            *longest = mark.length.max(*longest);
        }
    }
    marks
}

fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn mark(line: &str) -> Option<(Kind, usize, usize)> {
    if line.len() < 3 {
        return None;
    }
    if let Some(plain) = plain_mark(line.as_bytes()) {
        return Some(plain);
    }
    let line = markdown_line::read(line);
    if let Some(aside) = Aside::begun_by(line.content.as_bytes()) {
        return Some((Kind::Aside(aside), line.content_indent, 0));
    }
    let fence = line.fence()?;
    let info = match fence.info.split_whitespace().next() {
        None => Info::Bare,
        Some(NAME) => Info::Result,
        Some(_) => Info::Other,
    };
    Some((Kind::Fence(fence.mark, info), line.content_indent, fence.length))
}

/// The commonest marks, told without taking the line apart: a hostile message may consist of
/// millions of them.
fn plain_mark(line: &[u8]) -> Option<(Kind, usize, usize)> {
    if let Some(aside) = Aside::begun_by(line) {
        return Some((Kind::Aside(aside), 0, 0));
    }
    let (mark, char) = match line.first()? {
        b'`' => (FenceMark::Backtick, b'`'),
        b'~' => (FenceMark::Tilde, b'~'),
        _ => return None,
    };
    let fence = line.strip_suffix(b"\n").unwrap_or(line);
    let is_bare = fence.len() >= 3 && fence.iter().all(|byte| *byte == char);
    is_bare.then_some((Kind::Fence(mark, Info::Bare), 0, fence.len()))
}

/// The blocks in order, at most `limit`. An unclosed one is the last: all after it is its content.
fn openers<'m>(text: &str, marks: &'m [Mark], limit: usize) -> Vec<Found<'m>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(mark) = marks.get(at)
        && found.len() < limit
    {
        at = match mark.kind {
            Kind::Aside(aside) => {
                let start = mark.start as usize;
                let length = text.get(start..).and_then(|rest| rest.find(aside.end())).unwrap_or_default();
                let inside = |other: &&Mark| (other.start as usize) < start + length;
                at + marks[at..].iter().take_while(inside).count().max(1)
            }
            Kind::Fence(_, Info::Result) => {
                let closer = block_end(marks, at);
                found.push(Found { opener: mark, closer: closer.map(|at| &marks[at]) });
                closer.map_or(marks.len(), |closer| closer + 1)
            }
            Kind::Fence(..) if !mark.may_be_closed() => at + 1,
            Kind::Fence(..) => match other_end(marks, at) {
                OtherEnd::Closed(next) => next,
                OtherEnd::LeftOpen(block) => block,
            },
        };
    }
    found
}

/// The closing fence of the block that opens at `at`; none if another block opens before it.
fn block_end(marks: &[Mark], at: usize) -> Option<usize> {
    let opener = &marks[at];
    let ends =
        |mark: &Mark| mark.closes_block(opener) || (mark.opens_block() && mark.indent <= opener.indent);
    let end = at + 1 + marks[at + 1..].iter().position(ends)?;
    marks[end].closes_block(opener).then_some(end)
}

enum OtherEnd {
    /// The first mark after the fence that closes it.
    Closed(usize),
    /// It was left open, and this block after it counts.
    LeftOpen(usize),
}

/// Where the fence that opens at `at`, and is no block, ends.
fn other_end(marks: &[Mark], at: usize) -> OtherEnd {
    let opener = &marks[at];
    for (next, mark) in marks.iter().enumerate().skip(at + 1) {
        if mark.closes(opener) {
            return OtherEnd::Closed(next + 1);
        }
        let shares_closer = mark.opens_block()
            && matches!((mark.kind, opener.kind), (Kind::Fence(a, _), Kind::Fence(b, _)) if a == b)
            && mark.length >= opener.length;
        if !shares_closer {
            continue;
        }
        // Only one block is ever tried: if it does not close, the fence around it may.
        let Some(end) = block_end(marks, next) else { break };
        return match marks.get(end + 1) {
            Some(after) if after.closes(opener) => OtherEnd::Closed(end + 2),
            Some(_) | None => match outermost_end(&marks[end + 1..], opener) {
                Some(close) => OtherEnd::Closed(end + 1 + close + 1),
                None => OtherEnd::LeftOpen(next),
            },
        };
    }
    let close = marks[at + 1..].iter().position(|mark| mark.closes(opener));
    OtherEnd::Closed(close.map_or(marks.len(), |close| at + 1 + close + 1))
}

/// Where `opener` ends if what follows a block in it are whole fences of its kind, and then its end.
fn outermost_end(marks: &[Mark], opener: &Mark) -> Option<usize> {
    let Kind::Fence(of, _) = opener.kind else { return None };
    let mut open = 0_usize;
    for (at, mark) in marks.iter().enumerate().take(LOOKED_AT) {
        match mark.kind {
            Kind::Fence(kind, Info::Bare) if kind == of && open == 0 => {
                return mark.closes(opener).then_some(at);
            }
            Kind::Fence(kind, Info::Bare) if kind == of => open -= 1,
            Kind::Fence(kind, Info::Result | Info::Other) if kind == of => open += 1,
            Kind::Fence(..) | Kind::Aside(_) => {}
        }
    }
    None
}
