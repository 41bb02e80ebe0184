//! The lines of a corpus: red tests with the edits that turned them green, one JSON object each
//! (`tdd corpus export`).
//!
//! A child may have written anything into a test, an edit or an output: texts are masked and cut here, and no
//! line holds a control character or one that turns the direction of writing, whatever shows it.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use tdd_core::attempt::CheckpointId;
use tdd_core::excerpt;
use tdd_core::harmless;

pub mod datasheet;
pub mod licence;
pub mod since;

/// The version of the format.
pub const VERSION: u64 = 1;
/// Bytes of an output, and of a message of a runner.
pub const MOST_OUTPUT: usize = 8 * 1024;
/// Bytes of a test's file and of an edit.
pub const MOST_TEXT: usize = 128 * 1024;
const MOST_MESSAGE: usize = 1024;
/// Bytes of a line that is read: more than the texts of one of ours can have.
pub const LONGEST_LINE: usize = 4 << 20;

/// One red test, the edit, and the green test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    pub v: u64,
    /// BLAKE3 of the test's id, of its file and of the edit, each as a whole: two lines that teach the same
    /// have the same.
    pub id: String,
    pub from: From,
    /// The run or the session.
    pub run: String,
    pub requirement: Option<String>,
    pub criterion: Option<String>,
    pub criterion_text: Option<String>,
    /// The number of the fork; its cost may be that of several lines.
    pub attempt: Option<u8>,
    pub test_id: String,
    pub test_file: Option<String>,
    pub test: Option<Text>,
    /// Test files that took no part.
    pub left_out: Vec<String>,
    pub edit: Text,
    pub files: Vec<String>,
    pub red: Red,
    pub green: Green,
    pub base: Tree,
    pub result: Tree,
    pub runner: String,
    pub agent: Option<String>,
    /// `null`: the agent's own choice.
    pub model: Option<String>,
    pub cost: Cost,
    /// When it was kept, in milliseconds since the epoch.
    pub ts: u64,
    /// By which `tdd` it was judged.
    pub tdd: String,
    /// The run was taken back since.
    pub undone: bool,
    pub repository: Repository,
}

/// Who held the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum From {
    Run,
    Session,
}

/// A text, cut in its middle if it is long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text {
    pub text: String,
    /// BLAKE3 of all its bytes, before anything was masked or cut.
    pub hash: String,
    pub bytes: u64,
    pub cut: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Red {
    pub kind: String,
    /// `reported`, or how else its id is known.
    pub seen: String,
    pub message: String,
    pub output: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Green {
    pub command: Option<String>,
    pub output: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tree {
    /// A commit that `refs/tdd/` holds.
    pub commit: CheckpointId,
    pub tree: String,
}

/// Of the attempt, as its agent told it; `null` is what was not told.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    pub usd: Option<f64>,
    pub input_tokens: Option<u64>,
    pub cached_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    pub turns: Option<u32>,
    pub duration_ms: Option<u64>,
}

/// Where it comes from, and what may be done with it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repository {
    /// Without any log-in.
    pub origin: Option<String>,
    pub licence: licence::Licence,
}

impl Text {
    /// Of the first bytes of something, of which all is known by size and hash.
    pub fn new(bytes: &[u8], (size, hash): (u64, &str), mask: &dyn Fn(&str) -> String) -> Self {
        let whole = mask(&String::from_utf8_lossy(bytes));
        let text = excerpt::head_and_tail(&whole, MOST_TEXT);
        let cut = text.len() != whole.len() || size > bytes.len() as u64;
        Self { text, hash: hash.to_owned(), bytes: size, cut }
    }
}

/// An output as it stands in a line.
pub fn output(text: &str, mask: &dyn Fn(&str) -> String) -> String {
    excerpt::head_and_tail(&harmless::lines(&mask(text)), MOST_OUTPUT)
}

/// A message of a runner.
pub fn message(text: &str, mask: &dyn Fn(&str) -> String) -> String {
    excerpt::head_and_tail(&harmless::lines(&mask(text)), MOST_MESSAGE)
}

/// What two lines have in common that teach the same.
pub fn id(test: &str, file: &str, edit: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in [test, file, edit] {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

/// The line, with its newline.
pub fn write(line: &Line) -> serde_json::Result<String> {
    let json = serde_json::to_string(line)?;
    let mut text = String::with_capacity(json.len() + 1);
    for c in json.chars() {
        // JSON's own rules leave these as they are, and only strings can hold them.
        if harmless::is_tame(c) {
            text.push(c);
        } else {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        }
    }
    text.push('\n');
    Ok(text)
}

/// Reads a line, whoever has written it; why it is none.
pub fn read(line: &[u8]) -> Result<Line, String> {
    let read: Line = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    if read.v > VERSION {
        return Err(format!("a newer tdd wrote it (version {}, this one reads {VERSION})", read.v));
    }
    Ok(read)
}

#[cfg(test)]
mod tests;
