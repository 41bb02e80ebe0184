//! The hand-off block (contract section 8).
//!
//! ```text
//! message = { text | other fence | quote | comment } block { … }
//! block   = fence "tdd-result" { word } LF { margin field LF } fence
//! field   = "role" | "status" | "files" | "command" | "output_excerpt"
//!         | "notes" | "tests" | "supersedes" | "dispute" | any other, which is ignored
//! ```
//!
//! Lenient about what rendering adds ([`terminal_noise`], [`plain_yaml`](crate::plain_yaml)),
//! strict about what is meant. A message is read once from its start to its end; the time is
//! linear in its length whatever a child writes.

use tdd_core::claim::{Claim, ClaimError, ClaimErrorKind};
use tdd_core::role::Role;
use tdd_core::terminal_noise;

mod fence;
mod fields;
mod paths;

/// A message with more bytes is not read.
pub const MESSAGE_LIMIT: usize = 16 * 1024 * 1024;

/// A block with more bytes is not read.
pub const BLOCK_LIMIT: usize = 256 * 1024;

/// Reads the claim that a child's final message holds. `roots` are
/// spellings of the repository's absolute path, the canonical one first: absolute paths below any
/// of them are made relative. Fails if there is not exactly one valid block.
pub fn read(message: &str, role: Role, roots: &[&str]) -> Result<Claim, ClaimError> {
    if message.len() > MESSAGE_LIMIT {
        let text = format!("the message has {} bytes; at most 16 MiB are read", message.len());
        return Err(error(ClaimErrorKind::TooLarge, None, text));
    }
    let text = terminal_noise::clean_text(message);
    let block = fence::only_block(&text)?;
    if block.text.len() > BLOCK_LIMIT {
        let text = format!("the block has {} bytes; at most 256 KiB are read", block.text.len());
        return Err(error(ClaimErrorKind::TooLarge, Some(block.line), text));
    }
    fields::claim(&block, role, roots)
}

/// Whether the message opens a `tdd-result` block, be it closed, valid or single.
pub fn holds_block(message: &str) -> bool {
    // The word is looked for first because nearly all messages of a session lack it. Noise may
    // stand within the word, so it is no reason to say no.
    let may_hold = message.contains("tdd-result") || message.contains(['\u{1b}', '\0', '\r', '\u{feff}']);
    may_hold && fence::holds_block(&terminal_noise::clean_text(message))
}

fn error(kind: ClaimErrorKind, line: Option<usize>, message: impl Into<String>) -> ClaimError {
    ClaimError { kind, message: message.into(), line, meant: None }
}

#[cfg(test)]
mod tests;
