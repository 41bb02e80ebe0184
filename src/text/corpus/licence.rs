//! What a project says of its licence: the expressions of its manifests, and the names of files that tell it.
//! Nothing is guessed from what such a file says.

use serde::{Deserialize, Serialize};

use tdd_core::harmless;

/// Manifests that are asked.
pub const MANIFESTS: [&str; 3] = ["Cargo.toml", "package.json", "pyproject.toml"];
/// Letters of an expression.
const LONGEST: usize = 200;

/// As it is declared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Licence {
    /// The expression and the manifest that has it, as `MIT OR Apache-2.0 (Cargo.toml)`.
    pub declared: Vec<String>,
    /// At the top of the repository.
    pub files: Vec<String>,
}

/// What a manifest declares.
pub fn declared(manifest: &str, text: &str) -> Option<String> {
    let said = if manifest == "package.json" {
        let json: serde_json::Value = serde_json::from_str(text).ok()?;
        json.get("license")?.as_str()?.to_owned()
    } else {
        let toml: toml::Table = toml::from_str(text).ok()?;
        let tables = [&["package"][..], &["workspace", "package"], &["project"], &["tool", "poetry"]];
        tables.into_iter().find_map(|path| expression(&toml, path))?
    };
    let said = harmless::short(said.trim(), LONGEST);
    (!said.is_empty()).then(|| format!("{said} ({manifest})"))
}

fn expression(toml: &toml::Table, path: &[&str]) -> Option<String> {
    let mut table = toml;
    for name in path {
        table = table.get(*name)?.as_table()?;
    }
    match table.get("license")? {
        toml::Value::String(said) => Some(said.clone()),
        // `license = { text = "MIT" }`, as Python's projects had it.
        toml::Value::Table(said) => said.get("text")?.as_str().map(str::to_owned),
        toml::Value::Integer(_)
        | toml::Value::Float(_)
        | toml::Value::Boolean(_)
        | toml::Value::Datetime(_)
        | toml::Value::Array(_) => None,
    }
}

/// Whether a file of this name tells a licence.
pub fn is_told_by(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    ["LICENSE", "LICENCE", "COPYING", "UNLICENSE", "NOTICE"].iter().any(|word| name.starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_manifest_declares_is_told_with_its_name() {
        for (manifest, text, want) in [
            ("Cargo.toml", "[package]\nlicense = \"MIT\"\n", Some("MIT (Cargo.toml)")),
            (
                "Cargo.toml",
                "[package]\nlicense.workspace = true\n[workspace.package]\nlicense = \"MIT\"\n",
                Some("MIT (Cargo.toml)"),
            ),
            ("package.json", "{\"license\": \"ISC\"}", Some("ISC (package.json)")),
            ("package.json", "{\"license\": {\"type\": \"ISC\"}}", None),
            ("pyproject.toml", "[project]\nlicense = { text = \"BSD\" }\n", Some("BSD (pyproject.toml)")),
            ("pyproject.toml", "[tool.poetry]\nlicense = \"MIT\"\n", Some("MIT (pyproject.toml)")),
            ("Cargo.toml", "not toml [", None),
            ("Cargo.toml", "[package]\nlicense = \" \"\n", None),
            ("package.json", "{\"license\": \"a\\u001b[31mb\"}", Some("ab (package.json)")),
        ] {
            assert_eq!(declared(manifest, text).as_deref(), want, "{text}");
        }
        assert!(is_told_by("LICENSE-MIT") && is_told_by("licence.md"));
        assert!(!is_told_by("README.md"));
    }
}
