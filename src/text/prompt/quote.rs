//! Foreign text in a prompt, made harmless: it can't end its fence, move the cursor, or look like
//! a result block to whoever echoes it.

use super::Mask;
use tdd_core::excerpt::head_and_tail;

/// Cleans, masks and then cuts, in this order: a secret that was cut in two is no longer known
/// for one.
pub(super) fn cut(text: &str, max_bytes: usize, mask: Mask<'_>) -> String {
    head_and_tail(&mask(&clean(text)), max_bytes)
}

/// A fence that is longer than every run of backticks inside.
pub(super) fn fenced(text: &str) -> String {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    let text = text.trim_end_matches('\n');
    format!("{fence}text\n{text}\n{fence}")
}

/// A short text as inline code on one line.
pub(super) fn code(text: &str) -> String {
    let text = one_line(text);
    let ticks = "`".repeat(longest_run(&text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

/// Every line as a block quote, in which no block counts: for a text whose fences must stay
/// readable. Cleaned, masked and cut as the others are.
pub(super) fn block_quoted(text: &str, max_bytes: usize, mask: Mask<'_>) -> String {
    let text = head_and_tail(&mask(&visible(text)), max_bytes);
    let quoted = |line: &str| if line.is_empty() { ">".to_owned() } else { format!("> {line}") };
    text.trim_end_matches('\n').split('\n').map(quoted).collect::<Vec<_>>().join("\n")
}

/// Without line breaks and control characters.
pub(super) fn one_line(text: &str) -> String {
    clean(text).split('\n').map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// What is [`visible`], with each line that would open a result block marked as a quotation.
fn clean(text: &str) -> String {
    let text = visible(text);
    let lines =
        text.split('\n').map(|line| if opens_result(line) { format!("> {line}") } else { line.to_owned() });
    lines.collect::<Vec<_>>().join("\n")
}

/// Without escape sequences and control characters; CR LF and CR become line ends.
fn visible(text: &str) -> String {
    let text = anstream::adapter::strip_str(text).to_string();
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    text.chars().filter(|next| matches!(next, '\n' | '\t') || !is_hidden(*next)).collect()
}

/// Control characters and those that turn the direction of writing.
fn is_hidden(next: char) -> bool {
    next.is_control() || matches!(next, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

fn opens_result(line: &str) -> bool {
    let text = line.trim_start();
    ["```", "~~~"].iter().any(|fence| {
        text.starts_with(fence) && text.trim_start_matches(['`', '~']).trim_start().starts_with("tdd-result")
    })
}

fn longest_run(text: &str) -> usize {
    text.split(|next| next != '`').map(str::len).max().unwrap_or(0)
}
