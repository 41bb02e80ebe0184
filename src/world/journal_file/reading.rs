//! Reading a journal back: every line is checked to be the one that was written.

use std::io::{BufRead as _, Read};
use std::path::Path;

use super::{EVENTS, LARGEST_JOURNAL, Record, fetch};
use crate::text::journal_line::{self, Body, LineError};
use tdd_child::regular_file;
use tdd_core::trouble::{Trouble, Why};

/// Which events are wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    All,
    /// Those that a state is made of.
    State,
}

/// What could be read.
pub(super) struct Whole {
    pub(super) records: Vec<Record>,
    /// How many lines, those included that are no records because nobody wants them.
    pub(super) lines: u64,
    /// The bytes up to the end of the last whole line.
    pub(super) end: usize,
    /// The hash of the last whole line.
    pub(super) prev: String,
}

pub(super) fn read_whole(run_dir: &Path, depth: Depth) -> Result<(Vec<u8>, Whole), Trouble> {
    let at = run_dir.join(EVENTS);
    let unreadable = |why: Why| {
        Trouble::environment(format!("the journal {} can't be read", at.display()))
            .because(why)
            .advise("start a new run with `tdd run --new`; the run's checkpoints stay under refs/tdd/")
    };
    let mut bytes = Vec::new();
    let file = regular_file::open(&at).map_err(|error| unreadable(error.into()))?;
    let meta = file.metadata().map_err(|error| unreadable(error.into()))?;
    if meta.len() > LARGEST_JOURNAL {
        return Err(unreadable("it is far too large".into()));
    }
    bytes.reserve(usize::try_from(meta.len()).unwrap_or_default() + 1);
    file.take(LARGEST_JOURNAL).read_to_end(&mut bytes).map_err(|error| unreadable(error.into()))?;
    let prev = journal_line::NO_LINE.to_owned();
    let mut read = Whole { records: Vec::new(), lines: 0, end: 0, prev };
    while read.end < bytes.len() {
        let rest = &bytes[read.end..];
        let refused = |why: Why| unreadable(why.after(format!("line {}: ", read.lines + 1)));
        let Some(end) = newline(rest) else {
            if lost_its_newline(rest) {
                return Err(refused(LineError::Changed.to_string().into()));
            }
            break;
        };
        let is_last = end + 1 == rest.len();
        // Nothing comes after the last line that would tell what became of it, so it is read in any case.
        let depth = if is_last { Depth::All } else { depth };
        let line = &rest[..end];
        let as_written = if is_last { as_written(line) } else { Ok(()) };
        match as_written.and_then(|()| one_line(run_dir, &read, line, depth)) {
            Ok((record, hash)) => {
                read.records.extend(record);
                read.lines += 1;
                read.prev = hash;
                read.end += end + 1;
            }
            Err(_) if is_last && has_hole(&rest[..end]) => break,
            Err(why) => return Err(refused(why)),
        }
    }
    Ok((bytes, read))
}

/// Where the first newline is. The library's search through a reader looks at many bytes at once.
fn newline(bytes: &[u8]) -> Option<usize> {
    let mut rest = bytes;
    let passed = rest.skip_until(b'\n').ok()?;
    passed.checked_sub(1).filter(|end| bytes[*end] == b'\n')
}

/// Whether the end of a journal is a whole line with another byte in the place of its newline. One that
/// was cut short is a line less its end.
fn lost_its_newline(rest: &[u8]) -> bool {
    let Some((last, line)) = rest.split_last() else { return false };
    let is_whole = |line: &str| journal_line::decode(line).is_ok() && journal_line::check_sum(line).is_ok();
    *last != 0 && std::str::from_utf8(line).is_ok_and(is_whole)
}

/// Where the power was cut, a file may be as long as it should be, and hold zeros. No line of ours does,
/// and a flipped bit makes only one.
fn has_hole(line: &[u8]) -> bool {
    line.windows(2).any(|pair| pair == [0, 0])
}

fn as_written(line: &[u8]) -> Result<(), Why> {
    let text = std::str::from_utf8(line).map_err(|error| Why::from(error.to_string()))?;
    journal_line::check_sum(text).map_err(|error| error.to_string().into())
}

fn one_line(
    run_dir: &Path,
    read: &Whole,
    line: &[u8],
    depth: Depth,
) -> Result<(Option<Record>, String), Why> {
    let text = std::str::from_utf8(line).map_err(|error| Why::from(error.to_string()))?;
    let follows = |seq: u64, prev: &str| prev == read.prev && seq == read.lines;
    if depth == Depth::State && journal_line::inconsequential(text).is_some_and(|(seq, p)| follows(seq, p)) {
        return Ok((None, journal_line::hash(text)));
    }
    let decoded = journal_line::decode(text).map_err(|error| Why::from(error.to_string()))?;
    if !follows(decoded.seq, &decoded.prev) {
        return Err("it does not follow the line before it; one of them was changed".into());
    }
    let place = (read.end, line.len());
    let (seq, ts) = (decoded.seq, decoded.ts);
    let event = match decoded.body {
        Body::Here(event) => *event,
        Body::Spilled { name, file } => {
            let bytes = fetch(run_dir, &file)
                .map_err(|trouble| Why { words: trouble.what, obstacle: trouble.obstacle })?;
            let event =
                journal_line::decode_event(&name, &bytes).map_err(|error| Why::from(error.to_string()))?;
            if event.name() != name {
                return Err(format!("its side file holds another event than `{name}`").into());
            }
            event
        }
    };
    Ok((Some(Record { seq, ts, event, place }), journal_line::hash(text)))
}
