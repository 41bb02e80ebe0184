//! What only codex's own records tell: `$CODEX_HOME/sessions/<year>/<month>/<day>/rollout-….jsonl`.

use std::fs;
use std::path::{Path, PathBuf};

use super::home::Home;
use crate::text::agent_stream::codex;
use crate::world::regular_file;

/// Entries of the folders that are looked at; a private home has one session or two.
const MOST_ENTRIES: usize = 200;
/// Bytes of a record that are read.
const MOST: u64 = 64 << 20;

/// The paths that codex refused to patch since its last start.
pub(super) fn denied(home: &Home) -> Vec<String> {
    let sessions = home.base().map(|base| base.join("CODEX_HOME/sessions"));
    let newest = sessions.and_then(|folder| newest_record(&folder));
    newest.and_then(|path| read(&path)).map(|bytes| codex::denied(&bytes)).unwrap_or_default()
}

fn newest_record(sessions: &Path) -> Option<PathBuf> {
    let mut waiting = vec![sessions.to_owned()];
    let mut records = Vec::new();
    let mut looked_at = 0;
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            looked_at += 1;
            if looked_at > MOST_ENTRIES {
                break;
            }
            // Links are not followed: the child could have made them.
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                waiting.push(entry.path());
            } else if kind.is_file() {
                records.push((entry.metadata().and_then(|about| about.modified()).ok(), entry.path()));
            }
        }
    }
    records.into_iter().max().map(|(_, path)| path)
}

fn read(path: &Path) -> Option<Vec<u8>> {
    regular_file::head_of(regular_file::open(path).ok()?, MOST).ok()
}
