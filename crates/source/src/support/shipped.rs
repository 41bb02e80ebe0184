//! What a project gives to others.

use std::collections::{BTreeMap, BTreeSet};

use tdd_core::path::RelPath;

/// Files and folders that a project gives to others, as its manifests say: `pyproject.toml`, `setup.cfg`,
/// `setup.py` and `package.json`. `files` are all of the project.
pub fn shipped(manifests: &BTreeMap<RelPath, String>, files: &BTreeSet<RelPath>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (manifest, text) in manifests {
        let folder = manifest.folder();
        let at = |path: &str| if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") };
        match manifest.file_name() {
            "package.json" => found.extend(given_by_package(text).iter().map(|path| at(path))),
            "pyproject.toml" | "setup.cfg" | "setup.py" if makes_a_distribution(manifest, text) => {
                found.insert(at("src"));
                for file in files.iter().filter(|file| file.file_name() == "__init__.py") {
                    let own = file.as_str().strip_prefix(&at("")).unwrap_or_default();
                    let mut parts = own.split('/');
                    // A package right below the manifest; what lies deeper is in one.
                    if let (Some(package), Some("__init__.py"), None) =
                        (parts.next(), parts.next(), parts.next())
                    {
                        found.insert(at(package));
                    }
                }
                let modules = files.iter().filter_map(|file| {
                    let own = file.as_str().strip_prefix(&at(""))?;
                    let name = own.strip_suffix(".py").filter(|name| !name.contains('/'))?;
                    let is_named =
                        [format!("\"{name}"), format!("'{name}")].iter().any(|name| text.contains(name));
                    is_named.then(|| at(own))
                });
                found.extend(modules);
            }
            _ => {}
        }
    }
    found
}

/// Whether a manifest of Python is one of something that is installed, and not the settings of tools alone.
fn makes_a_distribution(manifest: &RelPath, text: &str) -> bool {
    match manifest.file_name() {
        "setup.py" => true,
        "setup.cfg" => text.contains("[metadata]") || text.contains("[options"),
        _ => text.parse::<toml::Table>().is_ok_and(|table| {
            let poetry = table.get("tool").and_then(|tool| tool.get("poetry"));
            table.contains_key("project") || table.contains_key("build-system") || poetry.is_some()
        }),
    }
}

/// What `package.json` names as entry or lists as content, without what stands for any name.
fn given_by_package(text: &str) -> BTreeSet<String> {
    let Ok(manifest) = serde_json::from_str::<serde_json::Value>(text) else { return BTreeSet::new() };
    let keys = ["main", "module", "types", "typings", "browser", "exports", "imports", "bin", "files"];
    let mut left: Vec<&serde_json::Value> = keys.iter().filter_map(|key| manifest.get(key)).collect();
    let mut found = BTreeSet::new();
    while let Some(value) = left.pop() {
        match value {
            serde_json::Value::String(path) => {
                let path = path.trim_start_matches("./").split('*').next().unwrap_or_default();
                found.extend(Some(path.trim_end_matches('/').to_owned()).filter(|path| !path.is_empty()));
            }
            serde_json::Value::Array(values) => left.extend(values),
            serde_json::Value::Object(values) => {
                let entries = values.keys().filter_map(|key| key.strip_prefix("./"));
                found.extend(entries.map(str::to_owned));
                left.extend(values.values());
            }
            serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => {}
        }
    }
    found
}
