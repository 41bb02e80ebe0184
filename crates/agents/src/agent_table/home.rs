//! The parts of a table that speak of places: private folders, and paths that may not be written to.
//!
//! ```text
//! state_dirs = { NAME: { of: PATH, carry: [ PATH, … ], files: … }, … }    paths relative, without ".."; see `made`
//! uses_home  = [ PATH, … ]                                      below the person's home
//! hide       = [ PATH, … ]                                      below any folder of the repository
//! protect    = { file: TEXT, folder: TEXT }                     TEXT with {path} in it, one after the other
//! ```

use serde_yaml::Value;

use tdd_core::path::RelPath;
use tdd_core::trouble::Trouble;
use tdd_spec::strict::{Table, about, entries, missing, variable, wrong_type};

mod made;

pub use made::Made;

/// Bytes of `{protected}`: an argument of the system's has at most 128 KiB, and not all is ours.
const MOST_PROTECTED: usize = 64 << 10;
/// Letters that the languages of patterns take for more than themselves.
const PATTERN: &[char] = &['*', '?', '[', ']', '{', '}', '(', ')', '!', '\\'];

/// A folder of the agent's own, private to one session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateDir {
    /// The variable that names the folder.
    pub variable: String,
    /// The person's own one below HOME, where the variable is not set; `.` is HOME itself.
    pub of: String,
    /// Files of the person's own one that are linked into the private one: the log-in.
    pub carry: Vec<String>,
    /// Files that are made in the private one.
    pub files: Vec<Made>,
}

/// How the paths that a role may not write to are said to the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Protect {
    file: String,
    folder: String,
}

/// One path that a role may not write to; absolute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protected<'a> {
    File(&'a str),
    Folder(&'a str),
}

impl Protect {
    /// `{path}` becomes the path as the inside of a JSON text, which TOML reads too. Paths that a
    /// pattern could misread and what does not fit are left out: protection does not rest on this.
    pub fn words<'p>(&self, paths: impl IntoIterator<Item = Protected<'p>>) -> String {
        let mut words = String::new();
        for path in paths {
            let (template, path) = match path {
                Protected::File(path) => (&self.file, path),
                Protected::Folder(path) => (&self.folder, path),
            };
            if path.contains(PATTERN) {
                continue;
            }
            let json = Value::from(path);
            let quoted = serde_json::to_string(&json).unwrap_or_default();
            let inside = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
            let one = template.replace("{path}", inside);
            if words.len() + one.len() > MOST_PROTECTED {
                break;
            }
            words.push_str(&one);
        }
        words
    }
}

pub(super) fn state_dirs(map: &Table<'_>) -> Result<Vec<StateDir>, Trouble> {
    let at = map.at("state_dirs");
    let Some(value) = map.get("state_dirs") else { return Ok(Vec::new()) };
    entries(&at, value)?
        .into_iter()
        .map(|(name, value)| {
            let at = format!("{at}.{name}");
            variable(&at, &name)?;
            let inner = Table::open(&at, value, &["of", "carry", "files"])?;
            let of = inner
                .text("of")?
                .ok_or_else(|| missing(&inner.at("of"), "a folder below HOME, like .codex"))?;
            let of = if of == "." { of } else { relative(&inner.at("of"), &of)? };
            let carry = paths(&inner, "carry")?;
            let files = made::read(&inner, &carry)?;
            Ok(StateDir { variable: name, of, carry, files })
        })
        .collect()
}

pub(super) fn relative(at: &str, path: &str) -> Result<String, Trouble> {
    let path = RelPath::new(path).ok_or_else(|| {
        about(at, format_args!("is no path below a folder: `{path}`"))
            .because("it must be relative and must not leave the folder")
            .advise("for example .codex, or auth.json")
    })?;
    Ok(path.as_str().to_owned())
}

/// What the program keeps in the person's home and uses as its own.
pub(super) fn uses_home(map: &Table<'_>) -> Result<Vec<String>, Trouble> {
    paths(map, "uses_home")
}

/// What the program would read of a repository as settings of its own.
pub(super) fn hide(map: &Table<'_>) -> Result<Vec<String>, Trouble> {
    paths(map, "hide")
}

fn paths(map: &Table<'_>, key: &str) -> Result<Vec<String>, Trouble> {
    let at = map.at(key);
    map.texts(key)?.unwrap_or_default().iter().map(|path| relative(&at, path)).collect()
}

pub(super) fn protect(map: &Table<'_>) -> Result<Option<Protect>, Trouble> {
    let Some(value) = map.get("protect") else { return Ok(None) };
    let inner = Table::open(map.at("protect"), value, &["file", "folder"])?;
    let template = |key: &str| {
        const WANTED: &str = "a text with {path} in it";
        match inner.get(key) {
            None => Err(missing(&inner.at(key), WANTED)),
            Some(value) => {
                let text = inner.text(key)?.filter(|text| text.contains("{path}"));
                text.ok_or_else(|| wrong_type(&inner.at(key), value, WANTED))
            }
        }
    };
    Ok(Some(Protect { file: template("file")?, folder: template("folder")? }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_said_in_the_agent_s_own_words() {
        let protect =
            Protect { file: ", \"Edit(/{path})\"".to_owned(), folder: ", \"Edit(/{path}/**)\"".to_owned() };
        let (file, folder) = (Protected::File, Protected::Folder);
        for (paths, want) in [
            (vec![], ""),
            (vec![folder("/r/tests"), file("/r/a b.py")], r#", "Edit(//r/tests/**)", "Edit(//r/a b.py)""#),
            (vec![file("/r/[id].py"), file("/r/x\"y")], r#", "Edit(//r/x\"y)""#),
            (vec![file("/r/(group)/x"), file("/r/a*")], ""),
        ] {
            assert_eq!(protect.words(paths), want);
        }
        let long = format!("/r/{}", "x".repeat(1_000));
        let many = protect.words(std::iter::repeat_n(file(&long), 500));
        assert!(many.len() <= MOST_PROTECTED && many.len() > MOST_PROTECTED / 2, "{}", many.len());
    }
}
