//! The assistant's messages: which of them is the final one.

use super::{MAX_TEXT, last_bytes};
use crate::text::{tdd_result, terminal_noise};

/// Keeps two messages at most: the last one that holds a block, and the last one.
#[derive(Debug, Default)]
pub(super) struct Messages {
    /// The one that lines may still be added to, and its group.
    open: Option<(Option<String>, String)>,
    with_block: Option<String>,
    last: Option<String>,
}

impl Messages {
    /// Adds a text; it belongs to the message before it if both have the same group.
    pub(super) fn push(&mut self, group: Option<String>, text: &str) {
        if let Some((known, message)) = &mut self.open
            && known.is_some()
            && *known == group
        {
            message.push('\n');
            message.push_str(text);
            if message.len() > MAX_TEXT {
                *message = last_bytes(message, MAX_TEXT).to_owned();
            }
            return;
        }
        self.close();
        self.open = Some((group, text.to_owned()));
    }

    pub(super) fn newest_line(&self) -> Option<String> {
        self.open.as_ref().and_then(|(_, message)| terminal_noise::last_line(message.as_bytes()))
    }

    pub(super) fn finish(mut self) -> Option<String> {
        self.close();
        self.with_block.or(self.last)
    }

    fn close(&mut self) {
        let Some((_, message)) = self.open.take() else { return };
        if tdd_result::holds_block(&message) {
            self.with_block = Some(message);
        } else if !message.trim().is_empty() {
            self.last = Some(message);
        }
    }
}
