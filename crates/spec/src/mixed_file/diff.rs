//! The keys at which two tables differ.

use std::collections::{BTreeMap, BTreeSet};

use super::{Format, KeyChangeKind};

/// A value of a mixed file, from whatever notation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    Table(BTreeMap<String, Node>),
    List(Vec<Node>),
    /// Anything else, in one written form per value.
    Value(String),
}

impl From<toml::Table> for Node {
    fn from(table: toml::Table) -> Self {
        Self::Table(table.into_iter().map(|(key, value)| (key, Self::from(value))).collect())
    }
}

impl From<toml::Value> for Node {
    fn from(value: toml::Value) -> Self {
        match value {
            toml::Value::Table(table) => Self::from(table),
            toml::Value::Array(items) => Self::List(items.into_iter().map(Self::from).collect()),
            toml::Value::String(_)
            | toml::Value::Integer(_)
            | toml::Value::Float(_)
            | toml::Value::Boolean(_)
            | toml::Value::Datetime(_) => Self::Value(value.to_string()),
        }
    }
}

impl From<serde_json::Value> for Node {
    fn from(value: serde_json::Value) -> Self {
        match value {
            serde_json::Value::Object(object) => {
                Self::Table(object.into_iter().map(|(key, value)| (key, Self::from(value))).collect())
            }
            serde_json::Value::Array(items) => Self::List(items.into_iter().map(Self::from).collect()),
            serde_json::Value::Null
            | serde_json::Value::Bool(_)
            | serde_json::Value::Number(_)
            | serde_json::Value::String(_) => Self::Value(value.to_string()),
        }
    }
}

/// The keys of all values that differ, sorted.
pub(super) fn keys(format: Format, before: &Node, after: &Node) -> BTreeMap<Vec<String>, KeyChangeKind> {
    let mut keys = BTreeMap::new();
    let mut walk = Walk { format, keys: &mut keys };
    walk.compare(&mut Vec::new(), Some(before), Some(after));
    keys
}

struct Walk<'a> {
    format: Format,
    keys: &'a mut BTreeMap<Vec<String>, KeyChangeKind>,
}

impl Walk<'_> {
    fn compare(&mut self, path: &mut Vec<String>, before: Option<&Node>, after: Option<&Node>) {
        if before == after {
            return;
        }
        let kind = match (before, after) {
            (None, _) => KeyChangeKind::Added,
            (Some(_), None) => KeyChangeKind::Removed,
            (Some(_), Some(_)) => KeyChangeKind::Changed,
        };
        if is_whole(self.format, path) {
            self.keys.insert(path.clone(), kind);
            return;
        }
        let (before, after) = (self.entries(path, before), self.entries(path, after));
        match (before, after) {
            // An empty table is not nothing: `[workspace]` alone makes a workspace.
            (Entries::Some(before), Entries::Some(after)) => {
                if before.is_empty() || after.is_empty() {
                    self.keys.extend((before.is_empty() && after.is_empty()).then(|| (path.clone(), kind)));
                }
                let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
                for name in names {
                    path.push(name.clone());
                    self.compare(path, before.get(name), after.get(name));
                    path.pop();
                }
            }
            (Entries::Absent, Entries::Some(entries)) if !entries.is_empty() => {
                for (name, node) in &entries {
                    path.push(name.clone());
                    self.compare(path, None, Some(node));
                    path.pop();
                }
            }
            (Entries::Some(entries), Entries::Absent) if !entries.is_empty() => {
                for (name, node) in &entries {
                    path.push(name.clone());
                    self.compare(path, Some(node), None);
                    path.pop();
                }
            }
            _ => {
                self.keys.insert(path.clone(), kind);
            }
        }
    }

    fn entries(&self, path: &[String], node: Option<&Node>) -> Entries {
        match node {
            None => Entries::Absent,
            Some(Node::Table(table)) => Entries::Some(table.clone()),
            Some(Node::List(items)) if !items.is_empty() => named(self.format, path, items),
            Some(Node::List(_) | Node::Value(_)) => Entries::Opaque,
        }
    }
}

/// What a node holds by name.
enum Entries {
    Absent,
    Some(BTreeMap<String, Node>),
    /// A value that is compared as a whole.
    Opaque,
}

/// Lists whose items have names of their own.
fn named(format: Format, path: &[String], items: &[Node]) -> Entries {
    let names = items.iter().map(|item| match item {
        Node::Table(table) if format == Format::Cargo && path.len() == 1 => match table.get("name") {
            Some(Node::Value(name)) => Some(name.trim_matches(['"', '\'']).to_owned()),
            Some(Node::Table(_) | Node::List(_)) | None => None,
        },
        Node::Value(text) if is_requirement_list(format, path) => requirement_name(text),
        Node::Table(_) | Node::List(_) | Node::Value(_) => None,
    });
    let Some(names) = names.collect::<Option<Vec<String>>>() else { return Entries::Opaque };
    // Two entries of one name (a package under two markers) are one value, in their order.
    let mut entries: BTreeMap<String, Vec<Node>> = BTreeMap::new();
    for (name, item) in names.into_iter().zip(items) {
        entries.entry(name).or_default().push(item.clone());
    }
    let one = |mut items: Vec<Node>| if items.len() == 1 { items.remove(0) } else { Node::List(items) };
    Entries::Some(entries.into_iter().map(|(name, items)| (name, one(items))).collect())
}

fn is_requirement_list(format: Format, path: &[String]) -> bool {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    format == Format::Python
        && matches!(
            path.as_slice(),
            ["project", "dependencies"]
                | ["project", "optional-dependencies", _]
                | ["dependency-groups", _]
                | ["tool", "uv" | "rye", "dev-dependencies"]
                | ["tool", "pdm", "dev-dependencies", _]
        )
}

/// The normalised name of a requirement such as `Flask[async]>=3; python_version > "3.9"`.
pub(super) fn requirement_name(text: &str) -> Option<String> {
    let text = text.trim_matches(['"', '\'']).trim();
    let end = text.find(|next: char| !(next.is_ascii_alphanumeric() || matches!(next, '-' | '_' | '.')));
    let name = text[..end.unwrap_or(text.len())].to_ascii_lowercase().replace(['_', '.'], "-");
    (!name.is_empty()).then_some(name)
}

/// Whether a key names one thing that is depended on.
pub(super) fn is_dependency(format: Format, key: &[String]) -> bool {
    let Some((_, above)) = key.split_last() else { return false };
    let last = above.last().map(String::as_str).unwrap_or_default();
    match format {
        Format::Cargo => last.ends_with("dependencies"),
        Format::Node => above.len() == 1 && last.ends_with("ependencies"),
        Format::Python => is_requirement_list(format, above) || last.ends_with("dependencies"),
        Format::Go => above.len() == 1 && last == "require",
    }
}

/// Whether a key is not looked into: a dependency is one thing.
fn is_whole(format: Format, path: &[String]) -> bool {
    let Some((_, above)) = path.split_last() else { return false };
    let above: Vec<&str> = above.iter().map(String::as_str).collect();
    match format {
        Format::Cargo => {
            matches!(above.last(), Some(last) if last.ends_with("dependencies"))
                || matches!(above.as_slice(), ["patch", _] | ["replace" | "profile"])
        }
        Format::Node => match above.as_slice() {
            [only] => {
                only.ends_with("ependencies") || matches!(*only, "scripts" | "overrides" | "resolutions")
            }
            _ => false,
        },
        Format::Python => {
            is_requirement_list(format, &path[..path.len() - 1])
                || matches!(above.as_slice(), ["tool", "poetry", .., last] if last.ends_with("dependencies"))
        }
        Format::Go => above.len() == 1,
    }
}
