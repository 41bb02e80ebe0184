//! YAML front matter at the head of a Markdown file.
//!
//! ```text
//! file      = delimiter { yaml line } delimiter body
//! delimiter = "---" { blank } line-end             the first one at byte 0, without blanks
//! ```
//!
//! Strict about the place: a byte order mark or a blank line before the first delimiter means that
//! there is none. Who wants to forgive a mark takes it away first. `...` closes nothing.

/// A file taken apart. The parts are as they were, line ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrontMatter<'a> {
    pub yaml: &'a str,
    pub body: &'a str,
    /// The line on which the body begins, from 1. The YAML begins on line 2.
    pub body_line: usize,
}

/// Why a file has no front matter that could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrontMatterError {
    #[error("missing front matter: the file is empty")]
    Empty,
    #[error("front matter must start at byte 0 with ---")]
    NotAtStart,
    #[error("missing closing front matter delimiter: no line is `---` after the first")]
    Unclosed,
}

/// Splits the front matter off.
pub fn split(text: &str) -> Result<FrontMatter<'_>, FrontMatterError> {
    if text.is_empty() {
        return Err(FrontMatterError::Empty);
    }
    let mut lines = text.split_inclusive('\n');
    let is_opening = |line: &&str| line.trim_end_matches(['\r', '\n']) == "---";
    let first = lines.next().filter(is_opening).ok_or(FrontMatterError::NotAtStart)?;
    let mut end = first.len();
    for (at, line) in lines.enumerate() {
        if is_delimiter(line) {
            let body = &text[end + line.len()..];
            return Ok(FrontMatter { yaml: &text[first.len()..end], body, body_line: at + 3 });
        }
        end += line.len();
    }
    Err(FrontMatterError::Unclosed)
}

fn is_delimiter(line: &str) -> bool {
    line.trim_end() == "---"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_is_split_off() {
        for (text, want) in [
            ("---\na: b\n---\nx\ny", Ok(("a: b\n", "x\ny", 4))),
            ("---\r\na: b\r\n---\r\nx", Ok(("a: b\r\n", "x", 4))),
            ("---\n---\n", Ok(("", "", 3))),
            ("---\na: b\n---  ", Ok(("a: b\n", "", 4))),
            ("---  \na: b\n---\n", Err(FrontMatterError::NotAtStart)),
            ("---\na: b\n---\n---\nc: d\n---\n", Ok(("a: b\n", "---\nc: d\n---\n", 4))),
            ("---\na: b\n...\n", Err(FrontMatterError::Unclosed)),
            ("---", Err(FrontMatterError::Unclosed)),
            ("\n---\na: b\n---\n", Err(FrontMatterError::NotAtStart)),
            ("\u{feff}---\na: b\n---\n", Err(FrontMatterError::NotAtStart)),
            ("--- a\n---\n", Err(FrontMatterError::NotAtStart)),
            ("", Err(FrontMatterError::Empty)),
        ] {
            let got = split(text).map(|found| (found.yaml, found.body, found.body_line));
            assert_eq!(got, want, "{text:?}");
        }
    }
}
