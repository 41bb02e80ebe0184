//! What a child used that a person sat with, from what its program writes of its own sessions.
//!
//! The child can write there too, and the person's own home may hold anything: only regular files that
//! fit the table's pattern and were written since the start are read, so many and so much of them, and only
//! figures are taken. Nothing but the display and the caps looks at those.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::AgentSetup;
use super::home::{Home, folder_of};
use crate::agent_stream::AgentStream;
use crate::agent_table::AgentTable;
use crate::agent_table::interactive::{Transcripts, fits};
use tdd_child::regular_file;
use tdd_core::usage::{ChildUse, Usage};

/// Entries of folders that are looked at.
const MOST_ENTRIES: usize = 10_000;
const MOST_FILES: usize = 16;
/// Bytes of one file that are read.
const MOST: u64 = 64 << 20;
/// Clocks of file systems are coarse.
const COARSE: Duration = Duration::from_secs(2);

/// What was told since `began`; nothing where nothing is found.
pub(super) fn used(
    setup: &AgentSetup,
    table: &AgentTable,
    home: &Home,
    session: Option<&str>,
    began: SystemTime,
) -> ChildUse {
    let transcripts = table.interactive.as_ref().and_then(|interactive| interactive.transcripts.as_ref());
    let usage = transcripts.and_then(|transcripts| {
        let private = home.folder(&transcripts.variable);
        let folder = private.or_else(|| folder_of(&transcripts.variable, &transcripts.of, setup))?;
        let files = found(&folder, &transcripts.patterns(session)?, began);
        let told = files.iter().filter_map(|file| figures(transcripts, table, file));
        told.reduce(|sum, one| sum.plus(&one))
    });
    ChildUse { usage: usage.unwrap_or_default(), session: Usage::default() }
}

fn figures(transcripts: &Transcripts, table: &AgentTable, file: &Path) -> Option<Usage> {
    let bytes = regular_file::head_of(regular_file::open(file).ok()?, MOST).ok()?;
    let table = AgentTable { usage: transcripts.usage.clone(), ..table.clone() };
    let mut stream = AgentStream::new(&table);
    stream.feed(&bytes);
    Some(stream.finish(None).used.usage)
}

/// The files below `folder` whose paths fit, part by part. Links are not followed.
fn found(folder: &Path, patterns: &[String], began: SystemTime) -> Vec<PathBuf> {
    let mut places = vec![folder.to_owned()];
    let mut looked_at = 0;
    for pattern in patterns {
        let mut next = Vec::new();
        for place in places {
            if !pattern.contains('*') {
                next.push(place.join(pattern));
                continue;
            }
            for entry in fs::read_dir(place).into_iter().flatten().flatten() {
                looked_at += 1;
                if looked_at > MOST_ENTRIES {
                    break;
                }
                if entry.file_name().to_str().is_some_and(|name| fits(pattern, name)) {
                    next.push(entry.path());
                }
            }
        }
        next.retain(|path| path.symlink_metadata().is_ok_and(|about| !about.is_symlink()));
        places = next;
    }
    let is_recent = |path: &PathBuf| {
        let changed = path.symlink_metadata().and_then(|about| about.modified());
        changed.is_ok_and(|changed| changed + COARSE >= began)
    };
    places.into_iter().filter(is_recent).take(MOST_FILES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_recent_files_that_fit_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let parts = |parts: &[&str]| parts.iter().map(|part| (*part).to_owned()).collect::<Vec<_>>();
        for path in ["p/a/1.jsonl", "p/b/1.jsonl", "p/b/2.jsonl", "q/1.jsonl", "p/c/1.jsonl"] {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), "x").unwrap();
        }
        std::os::unix::fs::symlink(root.join("q"), root.join("p/link")).unwrap();
        std::os::unix::fs::symlink(root.join("q/1.jsonl"), root.join("p/a/1-link.jsonl")).unwrap();
        let old = fs::File::options().write(true).open(root.join("p/c/1.jsonl")).unwrap();
        old.set_modified(SystemTime::now() - Duration::from_mins(10)).unwrap();
        let now = SystemTime::now();
        let mut files = found(root, &parts(&["p", "*", "1*.jsonl"]), now);
        files.sort();
        assert_eq!(files, [root.join("p/a/1.jsonl"), root.join("p/b/1.jsonl")]);
        assert!(found(root, &parts(&["nowhere", "*"]), now).is_empty());
    }
}
