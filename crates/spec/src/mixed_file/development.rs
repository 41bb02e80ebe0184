//! Packages that a manifest names for development alone.
//!
//! ```text
//! package.json    "devDependencies", less what another kind of dependency names
//! pyproject.toml  groups of dependencies, extras for tests and development, less what the project depends on
//! ```
//!
//! Cargo and Go ask themselves.

use std::collections::BTreeSet;

use serde_json::Value;

use super::diff::requirement_name;

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
        for_all.extend(at(own).and_then(toml::Value::as_str).and_then(requirement_name));
    }
    found.difference(&for_all).cloned().collect()
}

/// The names of a list of requirements, or of a table of them.
fn required(value: &toml::Value) -> BTreeSet<String> {
    let listed = value.as_array().into_iter().flatten().filter_map(toml::Value::as_str);
    let named = value.as_table().into_iter().flat_map(|table| table.keys().map(String::as_str));
    listed.chain(named).filter_map(requirement_name).collect()
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
}
