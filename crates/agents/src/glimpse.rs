//! Whether a stream holds lines that its child should not have seen.
//!
//! Compared are letters and digits alone: what a program prints of a file is escaped, numbered and wrapped in
//! ways of its own. A line counts if so much of it is left that nobody writes the same by chance.

/// Letters and digits of a line that is distinctive.
const SHORTEST: usize = 32;
/// Lines that are looked for, and letters of each.
const MOST_LINES: usize = 24;
const MOST_LETTERS: usize = 160;

/// The distinctive lines of a hidden text, less what the child is shown anyway.
pub fn lines(hidden: &str, known: &[String]) -> Vec<String> {
    let known: Vec<String> = known.iter().map(|text| letters(text.as_bytes())).collect();
    let is_own = |line: &&str| {
        let line = pattern(line);
        line.len() >= SHORTEST && !known.iter().any(|text| text.contains(&line))
    };
    hidden.lines().map(str::trim).filter(is_own).take(MOST_LINES).map(str::to_owned).collect()
}

/// Looks for lines in a stream that comes piece by piece.
#[derive(Debug)]
pub struct Search {
    /// Each with its letters, until it is found.
    wanted: Vec<(String, String)>,
    found: Vec<String>,
    /// Letters of the stream in which a line may have begun.
    tail: String,
}

impl Search {
    pub fn new(lines: &[String]) -> Self {
        let wanted = lines.iter().map(|line| (line.clone(), pattern(line))).collect();
        Self { wanted, found: Vec::new(), tail: String::new() }
    }

    /// Nothing is left to look for.
    pub fn is_over(&self) -> bool {
        self.wanted.is_empty()
    }

    pub fn feed(&mut self, bytes: &[u8]) {
        self.tail.push_str(&letters(bytes));
        let (tail, found) = (&self.tail, &mut self.found);
        self.wanted.retain(|(line, letters)| {
            let is_there = tail.contains(letters.as_str());
            if is_there {
                found.push(line.clone());
            }
            !is_there
        });
        // Only ASCII is in it.
        let done = self.tail.len().saturating_sub(MOST_LETTERS);
        self.tail.drain(..done);
    }

    pub fn found(self) -> Vec<String> {
        self.found
    }
}

fn letters(bytes: &[u8]) -> String {
    let kept = bytes.iter().filter(|byte| byte.is_ascii_alphanumeric());
    kept.map(|byte| char::from(byte.to_ascii_lowercase())).collect()
}

fn pattern(line: &str) -> String {
    let mut letters = letters(line.as_bytes());
    letters.truncate(MOST_LETTERS);
    letters
}

#[cfg(test)]
mod tests {
    use super::*;

    const HIDDEN: &str = "# Words\n\n- AC-X.1: `slug()` joins the words of a \"text\" by single hyphens.\n\
                          - AC-X.2: What the walrus leaves out of a long sentence is marked by an ellipsis.\n";

    fn found(lines: &[String], pieces: &[&str]) -> Vec<String> {
        let mut search = Search::new(lines);
        for piece in pieces {
            search.feed(piece.as_bytes());
        }
        search.found()
    }

    #[test]
    fn a_line_is_found_however_the_stream_writes_it() {
        let lines = lines(HIDDEN, &[]);
        assert_eq!(lines.len(), 2, "a title is not distinctive: {lines:?}");
        let json = serde_json::to_string(&format!("     3\u{2192}{HIDDEN}")).unwrap();
        assert_eq!(found(&lines, &[&json]), lines);
        let (one, other) = json.split_at(json.find("walrus").unwrap() + 3);
        assert_eq!(found(&lines, &[one, other]), lines, "over the edge of a piece");
        assert_eq!(found(&lines, &["The walrus leaves out of a long sentence."]), [""; 0]);
    }

    #[test]
    fn what_the_child_is_told_or_finds_in_tests_is_not_hidden() {
        let told = "`slug()` joins the words of a \"text\" by single hyphens. Meet AC-X.1.";
        let test = "# - AC-X.2: What the walrus leaves out of a long sentence is marked by an ellipsis.";
        let whole = "- AC-X.1: `slug()` joins the words of a \"text\" by single hyphens.";
        assert_eq!(lines(HIDDEN, &[whole.to_owned(), test.to_owned()]), [""; 0]);
        assert_eq!(lines(HIDDEN, &[told.to_owned(), test.to_owned()]).len(), 1, "another order of words");
    }

    #[test]
    fn a_long_stream_takes_little_room() {
        let mut search = Search::new(&lines(HIDDEN, &[]));
        for _ in 0..200 {
            search.feed(&[b'x'; 4096]);
        }
        assert!(search.tail.len() <= MOST_LETTERS && !search.is_over());
        search.feed(HIDDEN.as_bytes());
        assert!(search.is_over());
    }
}
