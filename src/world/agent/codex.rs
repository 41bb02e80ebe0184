//! Codex's own record of a session, `$CODEX_HOME/sessions/<year>/<month>/<day>/rollout-….jsonl`, read
//! while it grows.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::home::Home;
use crate::text::agent_stream::AgentStream;
use crate::text::agent_table::{AgentTable, Records};
use crate::world::regular_file;

/// Entries of the folders that are looked at; a private home has one session or two.
const MOST_ENTRIES: usize = 200;
/// Bytes of a record that are read, and at once.
const MOST: u64 = 64 << 20;
const PIECE: usize = 64 << 10;

/// The record of one child's session. The first that is found is the one: a child could make others.
#[derive(Debug)]
pub(super) struct Record {
    sessions: PathBuf,
    file: Option<File>,
    left: u64,
}

impl Record {
    /// `None` for an agent without one.
    pub(super) fn of(table: &AgentTable, home: &Home) -> Option<Self> {
        let Records::Codex = table.records?;
        Some(Self { sessions: home.base()?.join("CODEX_HOME/sessions"), file: None, left: MOST })
    }

    /// Lets the stream hear what came since the last time.
    pub(super) fn follow(&mut self, stream: &mut AgentStream) {
        if self.file.is_none() {
            self.file = newest_record(&self.sessions).and_then(|path| regular_file::open(&path).ok());
        }
        let Some(file) = &mut self.file else { return };
        let mut piece = vec![0; PIECE];
        while self.left > 0 {
            match file.read(&mut piece) {
                Ok(0) | Err(_) => return,
                Ok(count) => {
                    stream.hear_record(&piece[..count]);
                    self.left = self.left.saturating_sub(count as u64);
                }
            }
        }
    }
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
