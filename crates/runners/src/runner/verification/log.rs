//! The logs of a verification's commands: how they are joined, read and cut.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead, Read, Seek, SeekFrom, Write};
use std::path::Path;

use tdd_child::regular_file;
use tdd_core::trouble::Trouble;

/// Bytes of output that a run keeps in memory, at its head and at its tail.
const HEAD_BYTES: u64 = 12 * 1024;
const TAIL_BYTES: u64 = 19 * 1024;

/// The highest number that a log in this folder begins with; 0 without any.
pub(in crate::runner) fn last_number(work: &Path) -> u32 {
    let names = std::fs::read_dir(work).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let number = |name: OsString| name.to_str()?.split_once('-')?.0.parse().ok();
    names.filter_map(number).max().unwrap_or(0)
}

/// Copies a part of a log, less the lines that hold one of `hidden`. A line without an end is bounded.
pub(super) fn copy_lines(mut part: File, to: &mut File, hidden: &[String]) -> std::io::Result<()> {
    if hidden.is_empty() {
        return std::io::copy(&mut part, to).map(drop);
    }
    let mut part = std::io::BufReader::new(part);
    let mut to = std::io::BufWriter::new(to);
    let mut line = Vec::new();
    while part.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)? > 0 {
        let is_in = |word: &String| line.windows(word.len()).any(|window| window == word.as_bytes());
        let holds = hidden.iter().any(is_in);
        if !holds {
            to.write_all(&line)?;
        }
        line.clear();
    }
    to.flush()
}

const LONGEST_LINE: u64 = 64 * 1024;

/// A file that can't be read or written, for a person.
pub(in crate::runner) fn disk(path: &Path, error: &std::io::Error) -> Trouble {
    Trouble::environment(format!("can't use {}", path.display()))
        .because(error)
        .advise("make sure that the folder is writable and the disk is not full")
}

/// Reads a whole file of at most `cap` bytes; `Ok(None)` if it is not there. Links are followed: a
/// report may lie where a person has put one.
pub(in crate::runner) fn read_capped(path: &Path, cap: u64) -> Result<Option<Vec<u8>>, String> {
    match regular_file::open_linked(path).and_then(|file| regular_file::head_of(file, cap + 1)) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("{} can't be read: {error}", path.display())),
        Ok(bytes) if bytes.len() as u64 > cap => {
            Err(format!("{} is larger than {cap} bytes", path.display()))
        }
        Ok(bytes) => Ok(Some(bytes)),
    }
}

pub(super) fn read_tail(path: &Path, bytes: u64) -> std::io::Result<String> {
    let mut file = regular_file::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(bytes)))?;
    let mut tail = Vec::new();
    file.take(bytes).read_to_end(&mut tail)?;
    Ok(String::from_utf8_lossy(&tail).into_owned())
}

/// How much of a head or tail may go, so that it is not cut inside a word.
const CUT_ROOM: usize = 4096;

/// Where the last whole line of a head ends, else its last whole word: half a secret is not known
/// for one, and would not be masked.
fn word_end(head: &str) -> usize {
    let within = |at: &usize| head.len() - at <= CUT_ROOM;
    let at = head.rfind('\n').filter(within).or_else(|| head.rfind(char::is_whitespace).filter(within));
    at.unwrap_or(head.len())
}

/// Where the first whole line of a tail begins, else its first whole word.
fn word_start(tail: &str) -> usize {
    let after = |at: usize| at + tail[at..].chars().next().map_or(0, char::len_utf8);
    let within = |at: &usize| *at <= CUT_ROOM;
    let at = tail.find('\n').filter(within).or_else(|| tail.find(char::is_whitespace).filter(within));
    at.map_or(0, after)
}

/// Head and tail of a log, at most 32 KiB, with a marker between them that gives the gap's size.
pub(super) fn excerpt(path: &Path) -> std::io::Result<String> {
    let length = std::fs::metadata(path)?.len();
    if length <= HEAD_BYTES + TAIL_BYTES {
        return read_tail(path, HEAD_BYTES + TAIL_BYTES);
    }
    let head = regular_file::head_of(regular_file::open(path)?, HEAD_BYTES)?;
    let head = String::from_utf8_lossy(&head).into_owned();
    let head = &head[..word_end(&head)];
    let tail = read_tail(path, TAIL_BYTES)?;
    let tail = &tail[word_start(&tail)..];
    let gap = length - HEAD_BYTES - TAIL_BYTES;
    let mut text = format!("{head}\n[… {gap} bytes left out …]\n{tail}");
    // Bytes that are no UTF-8 grow when they are replaced; the bound is on what is kept.
    let mut end = text.len().min(32 * 1024);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_are_numbered_on_from_those_that_are_there() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(last_number(&folder.path().join("tests")), 0, "nothing is there");
        for name in ["002-RED.log", "017-GREEN-AC-1-Ab12Cd", "cargo-9-x", "999.log", "x"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        assert_eq!(last_number(folder.path()), 17);
    }

    #[test]
    fn an_excerpt_cuts_no_word_in_two() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let head = usize::try_from(HEAD_BYTES).unwrap();
        let tail = usize::try_from(TAIL_BYTES).unwrap();
        for joint in ["\n", " "] {
            // `secret` lies across the end of the head, and across the start of the tail.
            let before = format!("{}{joint}", "a".repeat(head - 4));
            let middle = format!("{joint}{}{joint}", "b".repeat(10_000));
            let after = format!("{joint}{}", "c".repeat(tail - 4));
            std::fs::write(&path, format!("{before}secret{middle}secret{after}")).unwrap();
            let text = excerpt(&path).unwrap();
            assert!(!text.contains("se") && text.contains("bytes left out") && text.ends_with('c'), "{text}");
        }
    }
}
