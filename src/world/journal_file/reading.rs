//! Reading a journal back: every line is checked to be the one that was written.

use std::io::{BufRead as _, Read};
use std::path::Path;

use super::snapshot::Mark;
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
    /// Where the last whole line ends.
    pub(super) mark: Mark,
}

pub(super) fn read_whole(run_dir: &Path, depth: Depth) -> Result<(Vec<u8>, Whole), Trouble> {
    let mut bytes = Vec::new();
    let file = regular_file::open(&run_dir.join(EVENTS)).map_err(|error| unreadable(run_dir, error))?;
    let meta = file.metadata().map_err(|error| unreadable(run_dir, error))?;
    if meta.len() > LARGEST_JOURNAL {
        return Err(unreadable(run_dir, "it is far too large"));
    }
    bytes.reserve(usize::try_from(meta.len()).unwrap_or_default() + 1);
    file.take(LARGEST_JOURNAL).read_to_end(&mut bytes).map_err(|error| unreadable(run_dir, error))?;
    let read = read_on(run_dir, &bytes, Mark::default(), depth)?;
    Ok((bytes, read))
}

pub(super) fn unreadable(run_dir: &Path, why: impl Into<Why>) -> Trouble {
    Trouble::environment(format!("the journal {} can't be read", run_dir.join(EVENTS).display()))
        .because(why)
        .advise("start a new run with `tdd run --new`; the run's checkpoints stay under refs/tdd/")
}

/// Reads the lines that come after a mark.
pub(super) fn read_on(run_dir: &Path, bytes: &[u8], from: Mark, depth: Depth) -> Result<Whole, Trouble> {
    let mut read = Whole { records: Vec::new(), mark: from };
    let mut begin = 0;
    while begin < bytes.len() {
        let rest = &bytes[begin..];
        let refused = |why: Why, lines: u64| unreadable(run_dir, why.after(format!("line {}: ", lines + 1)));
        let Some(end) = newline(rest) else {
            if lost_its_newline(rest) {
                return Err(refused(LineError::Changed.to_string().into(), read.mark.lines));
            }
            break;
        };
        let is_last = end + 1 == rest.len();
        // Nothing comes after the last line that would tell what became of it, so it is read in any case.
        let depth = if is_last { Depth::All } else { depth };
        let line = &rest[..end];
        let as_written = if is_last { as_written(line) } else { Ok(()) };
        match as_written.and_then(|()| one_line(run_dir, &mut read, line, depth)) {
            Ok(hash) => {
                read.mark.pass(&rest[..=end], &hash);
                begin += end + 1;
            }
            Err(_) if is_last && has_hole(&rest[..end]) => break,
            Err(why) => return Err(refused(why, read.mark.lines)),
        }
    }
    Ok(read)
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

/// Takes in one line and gives its hash.
fn one_line(run_dir: &Path, read: &mut Whole, line: &[u8], depth: Depth) -> Result<String, Why> {
    let text = std::str::from_utf8(line).map_err(|error| Why::from(error.to_string()))?;
    let follows = |seq: u64, prev: &str| prev == read.mark.last && seq == read.mark.lines;
    if depth == Depth::State && journal_line::inconsequential(text).is_some_and(|(seq, p)| follows(seq, p)) {
        return Ok(journal_line::hash(text));
    }
    let decoded = journal_line::decode(text).map_err(|error| Why::from(error.to_string()))?;
    if !follows(decoded.seq, &decoded.prev) {
        return Err("it does not follow the line before it; one of them was changed".into());
    }
    let place = (usize::try_from(read.mark.bytes).unwrap_or(usize::MAX), line.len());
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
            read.mark.files.push((file.0, bytes.len() as u64));
            event
        }
    };
    read.records.push(Record { seq, ts, event, place });
    Ok(journal_line::hash(text))
}
