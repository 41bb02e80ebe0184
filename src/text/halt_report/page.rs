//! Lines of the report, no wider than a terminal where they can be broken.

use super::LISTED;

/// Columns of a terminal that nobody has made wider.
const WIDTH: usize = 80;

/// Lines of text that are gathered from top to bottom.
#[derive(Default)]
pub(super) struct Page(String);

impl Page {
    pub(super) fn into_text(self) -> String {
        self.0
    }

    /// Words behind a sign, in lines that fit a terminal; the sign is on each of them, or its width.
    pub(super) fn words(&mut self, sign: &str, text: &str) {
        let width = WIDTH.saturating_sub(sign.chars().count()).max(1);
        let again = if sign.trim_end().ends_with('#') { sign.to_owned() } else { " ".repeat(sign.len()) };
        for (index, line) in wrapped(text.split_whitespace(), width, "").iter().enumerate() {
            self.line(&format!("{}{line}", if index == 0 { sign } else { &again }));
        }
    }

    /// A command that can be pasted: where it is too long for a line, its lines end in a backslash.
    pub(super) fn command(&mut self, indent: &str, command: &str) {
        let lines = wrapped(
            with_values(&shell_words(command)).iter().map(String::as_str),
            WIDTH - indent.len() - 4,
            " \\",
        );
        for (index, line) in lines.iter().enumerate() {
            self.line(&format!("{indent}{}{line}", if index == 0 { "" } else { "  " }));
        }
    }

    pub(super) fn line(&mut self, text: &str) {
        self.0.push_str(text);
        self.0.push('\n');
    }

    pub(super) fn quote(&mut self, lines: &[String]) {
        for line in lines {
            self.line(format!("  | {line}").trim_end());
        }
    }

    pub(super) fn bullets(&mut self, items: &[String]) {
        for item in items.iter().take(LISTED) {
            self.line(&format!("  - {item}"));
        }
        if items.len() > LISTED {
            self.line(&format!("  - and {} more", items.len() - LISTED));
        }
    }

    pub(super) fn list(&mut self, title: &str, items: &[String]) {
        if items.is_empty() {
            self.line(&format!("{title}: none"));
            return;
        }
        self.line(&format!("{title}:"));
        self.bullets(items);
    }
}

/// Lines of at most `width` characters, where words are short enough; each but the last ends in `end`.
fn wrapped<'t>(words: impl IntoIterator<Item = &'t str>, width: usize, end: &str) -> Vec<String> {
    let (mut lines, mut line) = (Vec::new(), String::new());
    for word in words {
        let room = line.chars().count() + 1 + word.chars().count() <= width;
        if line.is_empty() {
            word.clone_into(&mut line);
        } else if room {
            line = format!("{line} {word}");
        } else {
            lines.push(format!("{line}{end}"));
            word.clone_into(&mut line);
        }
    }
    lines.push(line);
    lines
}

/// What a shell takes for words: quotes hold one together.
fn shell_words(text: &str) -> Vec<&str> {
    let (mut words, mut begin, mut is_quoted) = (Vec::new(), 0, false);
    for (at, c) in text.char_indices() {
        match c {
            '\'' => is_quoted = !is_quoted,
            ' ' if !is_quoted => {
                words.push(&text[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    words.push(&text[begin..]);
    words.retain(|word| !word.is_empty());
    words
}

/// The words with each flag and its value as one: they are read together.
fn with_values(words: &[&str]) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    let mut is_after_flag = false;
    for word in words {
        let is_flag = word.starts_with("--");
        match joined.last_mut().filter(|_| is_after_flag && !is_flag) {
            Some(flag) => *flag = format!("{flag} {word}"),
            None => joined.push((*word).to_owned()),
        }
        is_after_flag = is_flag;
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_command_is_broken_between_words_of_the_shell() {
        let mut page = Page::default();
        let command = format!("tdd resume x --retry --cassette '/a b/{}' --only AC-1", "c ".repeat(40));
        page.command("  ", &command);
        let text = page.into_text();
        let joined: Vec<&str> = text.lines().map(|line| line.trim().trim_end_matches(" \\")).collect();
        assert_eq!(joined.join(" "), command);
        assert!(text.lines().count() > 2 && text.lines().next().unwrap().ends_with('\\'), "{text}");
        let mut page = Page::default();
        page.words("  # ", &"word ".repeat(40));
        let text = page.into_text();
        assert!(text.lines().all(|line| line.starts_with("  # word") && line.len() <= 80), "{text}");
    }
}
