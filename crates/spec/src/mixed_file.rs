//! Which keys of a mixed file differ, and which role may change them (contract sections 1 and 7).
//!
//! ```text
//! file = Cargo.toml | pyproject.toml      TOML
//!      | package.json                     JSON
//!      | go.mod                           lines: directive name … , or "directive (" lines ")"
//! key  = part ("." part)*                 a part with anything but letters, digits, "-", "_" in quotes
//! ```
//!
//! Two files are compared by value, so that a moved table or a new comment is no change. A key is
//! as long as the rules need: a dependency as a whole (`dependencies.serde`), everything else down
//! to its values. Entries of `[[bin]]` and its like are told apart by name (`bin.shop.test`),
//! requirements in a list of texts by what they require (`project.dependencies.flask`).

mod development;
mod diff;
mod go;
mod key;
mod rules;

use std::collections::BTreeMap;
use std::fmt;

pub use development::for_development;
use diff::Node;
pub use key::{join, split};
use tdd_core::role::Role;

/// The largest mixed file that is read.
pub const MAX_BYTES: usize = 4 * 1024 * 1024;

/// The ecosystem of a mixed file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Cargo,
    Node,
    Python,
    Go,
}

/// A key whose value differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyChange {
    pub key: String,
    pub kind: KeyChangeKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyChangeKind {
    Added,
    Changed,
    Removed,
}

/// Why a mixed file can't be compared by key; such a change is forbidden as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MixedError {
    /// The file was there and is gone.
    Deleted,
    /// It can't be read as what its name says; the reason is the parser's.
    Unreadable(String),
    /// It has no keys that this module knows.
    NotMixed,
}

impl fmt::Display for MixedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deleted => f.write_str("it was deleted"),
            Self::Unreadable(why) => write!(f, "it can't be read: {why}"),
            Self::NotMixed => f.write_str("it is no mixed file"),
        }
    }
}

/// Whether `package.json` has come to be called as something that it depends on: the import of that name would lead to
/// the project itself, before what is installed.
pub fn takes_a_dependencys_name(file_name: &str, old: Option<&[u8]>, new: Option<&[u8]>) -> bool {
    if file_name != "package.json" {
        return false;
    }
    let read = |bytes: Option<&[u8]>| -> serde_json::Value {
        bytes.and_then(|bytes| serde_json::from_slice(bytes).ok()).unwrap_or_default()
    };
    let (old, new) = (read(old), read(new));
    let lists = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];
    let Some(name) = new["name"].as_str().filter(|name| old["name"].as_str() != Some(*name)) else {
        return false;
    };
    [&old, &new].iter().any(|manifest| lists.iter().any(|list| manifest[*list].get(name).is_some()))
}

/// The keys whose values differ, sorted. `file_name` may be a path; its last part counts.
///
/// # Errors
/// A file that is gone, not readable on either side, or not mixed. All of them are for the caller
/// to forbid.
pub fn changed_keys(
    file_name: &str,
    before: Option<&[u8]>,
    after: Option<&[u8]>,
) -> Result<Vec<KeyChange>, MixedError> {
    let format = format(file_name).ok_or(MixedError::NotMixed)?;
    let (before, after) = match (before, after) {
        (None, None) => return Ok(Vec::new()),
        (Some(_), None) => return Err(MixedError::Deleted),
        (before, Some(after)) if before == Some(after) => return Ok(Vec::new()),
        (before, Some(after)) => {
            let before = before.map(|bytes| parse(format, bytes)).transpose()?;
            (before.unwrap_or_else(|| Node::Table(BTreeMap::new())), parse(format, after)?)
        }
    };
    let changes = diff::keys(format, &before, &after);
    Ok(changes.into_iter().map(|(key, kind)| KeyChange { key: join(&key), kind }).collect())
}

/// Whether a role may make this change. A key of a file that is not mixed may not be changed, and
/// a dependency that is there may be neither changed nor removed by anybody: in its place the
/// tests would run against another.
pub fn may_change(role: Role, file_name: &str, change: &KeyChange) -> bool {
    let Some(format) = format(file_name) else { return false };
    let key = split(&change.key);
    let may_stand = match change.kind {
        KeyChangeKind::Added => true,
        // `go get` raises what others require too; the checksums in go.sum vouch for it.
        KeyChangeKind::Changed => format == Format::Go || !diff::is_dependency(format, &key),
        KeyChangeKind::Removed => !diff::is_dependency(format, &key),
    };
    may_stand && rules::may_change(format, role, (&key, change.kind))
}

/// Whether a file of this name is part settings of tests. It may be a path; its last part counts.
pub fn is_mixed(file_name: &str) -> bool {
    format(file_name).is_some()
}

/// Whether another version of a dependency may take its place, or none, where nobody's tests are fixed yet: not where it
/// is a runner.
pub fn may_be_replaced(file_name: &str, change: &KeyChange) -> bool {
    let Some(format) = format(file_name) else { return false };
    let key = split(&change.key);
    let as_added = |role| rules::may_change(format, role, (&key, KeyChangeKind::Added));
    diff::is_dependency(format, &key) && (as_added(Role::TestWriter) || as_added(Role::Implementer))
}

fn format(file_name: &str) -> Option<Format> {
    match file_name.rsplit('/').next() {
        Some("Cargo.toml") => Some(Format::Cargo),
        Some("package.json") => Some(Format::Node),
        Some("pyproject.toml") => Some(Format::Python),
        Some("go.mod") => Some(Format::Go),
        Some(_) | None => None,
    }
}

fn parse(format: Format, bytes: &[u8]) -> Result<Node, MixedError> {
    if bytes.len() > MAX_BYTES {
        return Err(MixedError::Unreadable(format!("it has {} bytes", bytes.len())));
    }
    let unreadable = |why: &dyn fmt::Display| MixedError::Unreadable(why.to_string());
    let text = std::str::from_utf8(bytes).map_err(|error| unreadable(&error))?;
    // Editors write a BOM, and the package managers skip it.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match format {
        Format::Cargo | Format::Python => {
            text.parse::<toml::Table>().map(Node::from).map_err(|error| unreadable(&error.message()))
        }
        Format::Node => match serde_json::from_str(text).map_err(|error| unreadable(&error))? {
            serde_json::Value::Object(object) => Ok(Node::from(serde_json::Value::Object(object))),
            serde_json::Value::Null
            | serde_json::Value::Bool(_)
            | serde_json::Value::Number(_)
            | serde_json::Value::String(_)
            | serde_json::Value::Array(_) => Err(unreadable(&"it is no object")),
        },
        Format::Go => go::parse(text).map_err(|why| unreadable(&why)),
    }
}

#[cfg(test)]
mod tests;
