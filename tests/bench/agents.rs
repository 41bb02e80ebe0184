//! What the real agents' streams cost to read, and what an attempt with a real agent costs beside the
//! agent itself.

use std::path::{Path, PathBuf};
use std::time::Instant;

use tdd::text::agent_stream::AgentStream;
use tdd::text::agent_table::{builtin, read_text};

use super::table::{Figure, Row, median};

const TIMES: usize = 5;
/// As it comes from a terminal.
const CHUNK: usize = 64 << 10;
const BYTES: usize = 64 << 20;

pub fn measure() -> Vec<Row> {
    [("claude", "2.1.330"), ("codex", "0.169.0")].map(|(agent, version)| parsing(agent, version)).into()
}

/// A recorded stream, again and again, as its table says.
fn parsing(agent: &str, version: &str) -> Row {
    let table = read_text(agent, builtin(agent).unwrap()).unwrap();
    let recorded = std::fs::read(transcripts().join(agent).join(version).join("finished.jsonl")).unwrap();
    let stream = recorded.repeat(BYTES / recorded.len());
    let once = |_| {
        let mut reader = AgentStream::new(&table);
        let began = Instant::now();
        stream.chunks(CHUNK).for_each(|chunk| reader.feed(chunk));
        let found = reader.finish(Some(0));
        let took = began.elapsed();
        assert!(found.message.is_some() && found.failure.is_none());
        took
    };
    let took = median((0..TIMES).map(once).collect());
    Row {
        what: format!("a recorded stream of {agent} {version}: MB/s read"),
        figure: Figure::Rate { measured: stream.len() as f64 / 1e6 / took.as_secs_f64(), bound: 100.0 },
        note: format!("median of {TIMES}; {} MB", stream.len() / 1_000_000),
    }
}

fn transcripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/transcripts")
}
