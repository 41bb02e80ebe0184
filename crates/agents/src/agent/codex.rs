//! Codex's own record of a session, `$CODEX_HOME/sessions/<year>/<month>/<day>/rollout-….jsonl`, read
//! while it grows.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::home::Home;
use crate::agent_stream::AgentStream;
use crate::agent_table::{AgentTable, Records};
use tdd_child::regular_file;

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

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::agent_table::{builtin, read_text};

    fn call(read: u64) -> String {
        format!(
            "{{\"type\":\"response_item\",\"payload\":{{\"type\":\"custom_tool_call\"}},\
             \"metadata\":{{\"sampled_through_sequence\":{read}}}}}\n"
        )
    }

    #[test]
    fn the_record_is_followed_while_it_grows_and_no_link_in_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let day = folder.path().join("2026/11/23");
        fs::create_dir_all(&day).unwrap();
        let elsewhere = folder.path().with_extension("jsonl");
        fs::write(&elsewhere, call(1) + &call(2)).unwrap();
        symlink(&elsewhere, day.join("rollout-1.jsonl")).unwrap();
        let mut stream = AgentStream::new(&read_text("codex", builtin("codex").unwrap()).unwrap());
        let mut record = Record { sessions: folder.path().to_owned(), file: None, left: MOST };
        record.follow(&mut stream);
        assert_eq!(stream.turns(), Some(0), "there is none yet");
        let path = day.join("rollout-2.jsonl");
        let mut file = File::create(&path).unwrap();
        for (number, want) in [(5, 1), (5, 1), (7, 2)] {
            file.write_all(call(number).as_bytes()).unwrap();
            record.follow(&mut stream);
            assert_eq!(stream.turns(), Some(want));
        }
        // Another one is another session's, and a file that is gone is still the same one.
        fs::write(day.join("rollout-3.jsonl"), call(9)).unwrap();
        fs::remove_file(&path).unwrap();
        file.write_all(call(11).as_bytes()).unwrap();
        record.follow(&mut stream);
        assert_eq!(stream.turns(), Some(3));
        record.left = 1;
        record.follow(&mut stream);
        file.write_all(call(13).repeat(PIECE / 64).as_bytes()).unwrap();
        record.follow(&mut stream);
        file.write_all(call(15).as_bytes()).unwrap();
        record.follow(&mut stream);
        assert_eq!(stream.turns(), Some(4), "an endless one is left where it is");
        fs::remove_file(&elsewhere).unwrap();
    }
}
