//! Paths as the findings name them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A path relative to the repository's root, with `/` between its parts and no `.` or `..`.
///
/// File names that are not UTF-8 are held lossily; whole trees come back through git objects,
/// so no file is lost by that, but such a name can't be restored one by one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct RelPath(String);

impl RelPath {
    /// Normalises `text`: `\` stays as it is (it is a legal byte on Unix), `.` parts and double
    /// slashes go. `None` if the path is empty, absolute, holds a NUL or leaves the root by `..`.
    pub fn new(text: &str) -> Option<Self> {
        if text.starts_with('/') || text.contains('\0') {
            return None;
        }
        let mut parts: Vec<&str> = Vec::new();
        for part in text.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop()?;
                }
                name => parts.push(name),
            }
        }
        if parts.is_empty() {
            return None;
        }
        Some(Self(parts.join("/")))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the file may have another name than this: bytes that are no UTF-8 were replaced. A name that holds the
    /// replacement character itself is taken for such a one.
    pub fn is_lossy(&self) -> bool {
        self.0.contains(char::REPLACEMENT_CHARACTER)
    }

    /// The last part.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The folder that it lies in, without a `/` at its end; empty for the root.
    pub fn folder(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// The last part without its last extension.
    pub fn stem(&self) -> &str {
        let name = self.file_name();
        match name.rfind('.') {
            Some(at) if at > 0 => &name[..at],
            _ => name,
        }
    }

    /// The last part's extension, without the dot; empty if there is none.
    pub fn extension(&self) -> &str {
        let name = self.file_name();
        match name.rfind('.') {
            Some(at) if at > 0 => &name[at + 1..],
            _ => "",
        }
    }

    /// Whether a block that names this means the file, or a folder that it lies in: a role names files from the
    /// repository, or from the project's folder, where it runs.
    pub fn is_meant_by(&self, named: &Self, project: &str) -> bool {
        let is = |name: &str| self.as_str() == name || self.is_within(name);
        is(named.as_str()) || (!project.is_empty() && is(&format!("{project}/{named}")))
    }

    /// Whether this path is `folder` or lies below it.
    pub fn is_within(&self, folder: &str) -> bool {
        let folder = folder.trim_end_matches('/');
        folder.is_empty()
            || self.0 == folder
            || (self.0.starts_with(folder) && self.0.as_bytes().get(folder.len()) == Some(&b'/'))
    }
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_names_files_from_either_folder_and_folders_for_what_is_in_them() {
        let path = |text: &str| RelPath::new(text).unwrap();
        for (named, project, want) in [
            ("pro/src/code", "", true),
            ("pro/src/code", "pro", true),
            ("src/code", "pro", true),
            ("src", "pro", true),
            ("src/code", "", false),
            ("src/cod", "pro", false),
        ] {
            assert_eq!(path("pro/src/code").is_meant_by(&path(named), project), want, "{named} {project}");
        }
    }

    #[test]
    fn a_path_is_normalised_and_never_leaves_the_root() {
        for (text, want) in [
            ("a/b.rs", Some("a/b.rs")),
            ("./a//b.rs", Some("a/b.rs")),
            ("a/../b", Some("b")),
            ("../b", None),
            ("a/../../b", None),
            ("/a", None),
            ("", None),
            (".", None),
            ("a\0b", None),
        ] {
            assert_eq!(RelPath::new(text).as_ref().map(RelPath::as_str), want, "{text:?}");
        }
    }

    #[test]
    fn a_name_has_a_stem_and_an_extension() {
        for (text, name, stem, extension) in [
            ("a/b.rs", "b.rs", "b", "rs"),
            ("b.test.js", "b.test.js", "b.test", "js"),
            ("a.b/c", "c", "c", ""),
            ("a/.env", ".env", ".env", ""),
            ("a/.env.rs", ".env.rs", ".env", "rs"),
            ("a/b.", "b.", "b", ""),
            ("x/a.b", "a.b", "a", "b"),
        ] {
            let path = RelPath::new(text).unwrap();
            assert_eq!((path.file_name(), path.stem(), path.extension()), (name, stem, extension), "{text}");
            assert_eq!((path.as_str(), path.to_string().as_str()), (text, text));
        }
    }

    #[test]
    fn within_means_whole_parts() {
        let path = RelPath::new("tests/a.py").unwrap();
        assert!(path.is_within("tests"));
        assert!(path.is_within("tests/"));
        assert!(path.is_within("tests/a.py"));
        assert!(path.is_within(""), "the root holds all");
        for other in ["test", "tests/a", "tests/a.py/b", "a.py", "x", "tests/b.py", "longer/than/the/path"] {
            assert!(!path.is_within(other), "{other}");
        }
        assert!(!RelPath::new("abcde/f").unwrap().is_within("vwxyz"), "of the same length, and another");
    }
}
