//! The assistant's messages: which of them is the final one.

use super::{MAX_TEXT, last_bytes};
use tdd_core::terminal_noise;
use tdd_spec::tdd_result;

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
            append(message, text);
            return;
        }
        self.close();
        self.open = Some((group, text.to_owned()));
    }

    /// Adds a piece of a text that goes on until [`Messages::close`].
    pub(super) fn piece(&mut self, text: &str) {
        match &mut self.open {
            Some((_, message)) => append(message, text),
            None => self.open = Some((None, text.to_owned())),
        }
    }

    pub(super) fn newest_line(&self) -> Option<String> {
        self.open.as_ref().and_then(|(_, message)| terminal_noise::last_line(message.as_bytes()))
    }

    pub(super) fn finish(mut self) -> Option<String> {
        self.close();
        self.with_block.or(self.last)
    }

    /// No more is added to the message that is open.
    pub(super) fn close(&mut self) {
        let Some((_, mut message)) = self.open.take() else { return };
        cut(&mut message, MAX_TEXT);
        if tdd_result::holds_block(&message) {
            self.with_block = Some(message);
        } else if !message.trim().is_empty() {
            self.last = Some(message);
        }
    }
}

/// Cuts now and then only, so that many small pieces cost no more than their length.
fn append(message: &mut String, text: &str) {
    message.push_str(text);
    if message.len() > 2 * MAX_TEXT {
        cut(message, MAX_TEXT);
    }
}

fn cut(message: &mut String, most: usize) {
    if message.len() > most {
        *message = last_bytes(message, most).to_owned();
    }
}
