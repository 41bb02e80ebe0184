//! Packages that a manifest names for development alone, and those that a source can't be loaded without.
//!
//! ```text
//! package.json    "devDependencies", less what another kind of dependency names
//! pyproject.toml  groups of dependencies, extras for tests and development, less what the project depends on
//! ```
//!
//! Names are compared as they are imported: in JavaScript that is the package's own; a package of Python that is
//! imported by another name than it is installed by (`yaml` of `pyyaml`) is missed. Cargo and Go ask themselves.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Language;
use super::imports::imports;
use super::tree::Tree;

/// The packages that whoever installs the project by this manifest does not get. Empty for a file that is no such
/// manifest, or does not say what it depends on.
pub fn for_development(file_name: &str, text: &str) -> BTreeSet<String> {
    match file_name {
        "package.json" => {
            serde_json::from_str(text).map(|manifest| of_package(&manifest)).unwrap_or_default()
        }
        "pyproject.toml" => toml::from_str(text).map(|manifest| of_project(&manifest)).unwrap_or_default(),
        _ => BTreeSet::new(),
    }
}

fn of_package(manifest: &Value) -> BTreeSet<String> {
    let names = |field: &str| manifest[field].as_object().into_iter().flat_map(|table| table.keys().cloned());
    let mut found: BTreeSet<String> = names("devDependencies").collect();
    for other in ["dependencies", "peerDependencies", "optionalDependencies"] {
        for name in names(other) {
            found.remove(&name);
        }
    }
    found
}

fn of_project(manifest: &toml::Value) -> BTreeSet<String> {
    let at = |path: &[&str]| path.iter().try_fold(manifest, |table, key| table.get(key));
    let is_dynamic = at(&["project", "dynamic"])
        .and_then(toml::Value::as_array)
        .is_some_and(|all| all.iter().any(|one| one.as_str() == Some("dependencies")));
    if is_dynamic {
        return BTreeSet::new();
    }
    let (mut for_all, mut found) = (BTreeSet::new(), BTreeSet::new());
    let tables = |path: &[&str]| at(path).and_then(toml::Value::as_table).into_iter().flatten();
    for (_, group) in tables(&["dependency-groups"]).chain(tables(&["tool", "pdm", "dev-dependencies"])) {
        found.extend(required(group));
    }
    for (name, extra) in tables(&["project", "optional-dependencies"]) {
        let is_ours = matches!(name.as_str(), "dev" | "test" | "tests" | "testing" | "development");
        if is_ours { &mut found } else { &mut for_all }.extend(required(extra));
    }
    for (_, group) in tables(&["tool", "poetry", "group"]) {
        found.extend(group.get("dependencies").into_iter().flat_map(required));
    }
    for path in [["tool", "uv"], ["tool", "rye"], ["tool", "poetry"]] {
        found.extend(at(&[path[0], path[1], "dev-dependencies"]).into_iter().flat_map(required));
    }
    for path in [&["project", "dependencies"][..], &["tool", "poetry", "dependencies"]] {
        for_all.extend(at(path).into_iter().flat_map(required));
    }
    // An extra may ask for the project itself with another one of its own: `dev = ["shop[tests]"]`.
    for own in [&["project", "name"][..], &["tool", "poetry", "name"]] {
        for_all.extend(at(own).and_then(toml::Value::as_str).map(distribution));
    }
    found.difference(&for_all).cloned().collect()
}

/// The names of a list of requirements, or of a table of them.
fn required(value: &toml::Value) -> BTreeSet<String> {
    let listed = value.as_array().into_iter().flatten().filter_map(toml::Value::as_str);
    let named = value.as_table().into_iter().flat_map(|table| table.keys().map(String::as_str));
    listed.chain(named).map(distribution).collect()
}

/// `Flask[async]>=3; python_version > "3.9"` is `flask`.
fn distribution(requirement: &str) -> String {
    let is_name = |next: char| next.is_ascii_alphanumeric() || matches!(next, '-' | '_' | '.');
    let end = requirement.find(|next| !is_name(next)).unwrap_or(requirement.len());
    requirement[..end].to_ascii_lowercase().replace(['_', '.'], "-")
}

/// The packages that a source imports, whatever happens: not in `try` or a condition, and not for types alone.
pub fn needed_packages(language: Language, source: &str) -> BTreeSet<String> {
    let Ok(tree) = Tree::parse(language, source) else { return BTreeSet::new() };
    let is_sure = |at: usize| {
        let erased = ["import type", "export type"].iter().any(|erased| tree.text(at).starts_with(erased));
        !erased
            && !tree.ancestors(at).any(|around| matches!(tree.kind(around), "try_statement" | "if_statement"))
    };
    let sure = imports(&tree).into_iter().filter(|import| is_sure(import.at));
    sure.filter_map(|import| package(language, &import.from)).collect()
}

/// The package that something is imported from.
fn package(language: Language, from: &str) -> Option<String> {
    match language {
        Language::Python => {
            let root = from.split([':', '.']).next()?;
            (!root.is_empty()).then(|| root.to_ascii_lowercase().replace('_', "-"))
        }
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            let is_path = from.starts_with(['.', '/', '#']) || from.contains(':');
            let parts = if from.starts_with('@') { 2 } else { 1 };
            let name = from.split('/').take(parts).collect::<Vec<_>>().join("/");
            (!is_path && !name.is_empty()).then_some(name)
        }
        Language::Go | Language::Rust => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ac_tdd_8_169_what_is_for_development_alone_is_read_from_the_manifest() {
        for (file, text, want) in [
            (
                "package.json",
                r#"{"devDependencies":{"a":"1","@x/b":"1","c":"1"},"dependencies":{"c":"1"}}"#,
                "@x/b, a",
            ),
            ("package.json", r#"{"devDependencies":{"react":"1"},"peerDependencies":{"react":"1"}}"#, ""),
            ("package.json", "{", ""),
            (
                "pyproject.toml",
                "[project]\ndependencies=['Flask[async]>=3']\n[project.optional-dependencies]\ntest=['flask','PyTest_Cov>1']\nxml=['lxml']\n\
                 [dependency-groups]\ndev=['hypothesis', 'lxml', {include-group='x'}]\n",
                "hypothesis, pytest-cov",
            ),
            (
                "pyproject.toml",
                "[tool.poetry.dependencies]\nrich='1'\n[tool.poetry.group.qa.dependencies]\nrich='1'\nmypy='1'\n",
                "mypy",
            ),
            ("pyproject.toml", "[project]\ndynamic=['dependencies']\n[dependency-groups]\ndev=['a']\n", ""),
            (
                "pyproject.toml",
                "[project]\nname='My.Shop'\n[project.optional-dependencies]\ndev=['my-shop[tests]','ruff']\n",
                "ruff",
            ),
            ("setup.cfg", "[options]\n", ""),
        ] {
            let found: Vec<String> = for_development(file, text).into_iter().collect();
            assert_eq!(found.join(", "), want, "{text}");
        }
    }

    #[test]
    fn ac_tdd_8_169_what_a_source_needs_is_no_path_no_type_and_nothing_that_it_can_do_without() {
        use Language::{JavaScript, Python, Rust, TypeScript};
        for (language, source, want) in [
            (Python, "import os.path, my_pkg.sub as s\nfrom .own import a\n", "my-pkg, os"),
            (Python, "def f():\n    from hypothesis import settings\n", "hypothesis"),
            (Python, "try:\n    import rich\nexcept ImportError:\n    rich = None\n", ""),
            (Python, "if TYPE_CHECKING:\n    import rich\n", ""),
            (
                JavaScript,
                "import a from 'a/sub';\nimport './own.js';\nconst { b } = require('@x/b/c');\n",
                "@x/b, a",
            ),
            (JavaScript, "import fs from 'node:fs';\nimport x from '#own';\n", ""),
            (TypeScript, "import type { A } from 'a';\nimport { b } from 'b';\n", "b"),
            (Rust, "use rand::Rng;\n", ""),
        ] {
            let found: Vec<String> = needed_packages(language, source).into_iter().collect();
            assert_eq!(found.join(", "), want, "{source}");
        }
    }
}
