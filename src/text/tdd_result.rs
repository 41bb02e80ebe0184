//! The `tdd-result` block. (Placeholder of the branch `agents`.)

/// Whether a message holds a block.
pub fn holds_block(message: &str) -> bool {
    message.contains("```tdd-result")
}
