//! A person's command line as one value: the call of a runner that it is, read once, and built from.
//!
//! ```text
//! call = ["env"] assignment* program args      program: all words up to the runner's own name
//! ```

use super::launchers::{assigned, without_launchers};
use super::words::words;

/// One call of a runner, taken apart: `uv run pytest -q tests` has the program `uv run pytest`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunnerCall {
    /// Assignments before the program.
    pub env: Vec<(String, String)>,
    /// The words up to the runner's own name.
    pub program: Vec<String>,
    pub args: Vec<String>,
}

/// Quotes a word for a shell, only where it has to be.
pub fn quote(word: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || "-_./=:,+@%^".contains(character);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Words as a person would type them.
pub fn typed<'a>(words: impl IntoIterator<Item = &'a String>) -> String {
    let quoted: Vec<String> = words.into_iter().map(|word| quote(word)).collect();
    quoted.join(" ")
}

/// The length of a call up to the runner's own name, if these words, of which the first is a program, are one.
pub(crate) type Asked = fn(&[&str]) -> Option<usize>;

/// The one call that a line is, whatever starts it, if whoever is asked says that it is one of his; `None` if it is
/// none, or more than one command.
pub(crate) fn call_of(called_by: Asked, line: &str) -> Option<RunnerCall> {
    let words = words(line)?;
    let known = words.len() - without_launchers(&words).len();
    // A module of Python's that runs another one is no launcher.
    let unknown = (0..words.len()).take_while(|start| *start == 0 || words[start - 1] != "-m");
    let end = std::iter::once(known).chain(unknown).find_map(|start| ends_at(called_by, &words, start))?;
    Some(taken_apart(&words, end))
}

/// Where the program ends, in a call that begins at `start`.
fn ends_at(called_by: Asked, words: &[String], start: usize) -> Option<usize> {
    let words: Vec<&str> = words[start..].iter().map(String::as_str).collect();
    called_by(&words).map(|length| start + length)
}

fn taken_apart(words: &[String], end: usize) -> RunnerCall {
    let (env, program) = assignments(words[..end].to_vec());
    RunnerCall { env, program, args: words[end..].to_vec() }
}

fn assignments(words: Vec<String>) -> (Vec<(String, String)>, Vec<String>) {
    let mut env = Vec::new();
    let mut rest = words.into_iter().peekable();
    rest.next_if(|word| word == "env");
    while let Some(pair) = rest.next_if(|word| assigned(word).is_some()) {
        env.extend(assigned(&pair).map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
    (env, rest.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_is_split_back() {
        for word in ["a", "a b", "it's", "$x", "a\"b", "t::p[a b]"] {
            assert_eq!(words(&quote(word)), Some(vec![word.to_owned()]), "{word:?}");
        }
    }
}
