//! What a package offers to others by its manifest, beside the names in its sources.
//!
//! ```text
//! package.json    main, module, browser, types; each subpath of "exports"; each command of "bin"
//! pyproject.toml  [project.scripts], [project.gui-scripts], [project.entry-points.*]
//! Cargo.toml      [lib] and [[bin]] names, [features]
//! ```
//!
//! Which file or function it is may change: that is looked at where the sources are.

use std::collections::BTreeSet;

use serde_json::Value;

/// What the manifest of this file name offers, as paths into it (`bin shop`, `exports ./cli`). `None` for a file that
/// is no manifest, or that can't be read as one.
pub fn offered(file_name: &str, text: &str) -> Option<BTreeSet<String>> {
    match file_name {
        "package.json" => Some(of_package(&serde_json::from_str(text).ok()?)),
        "pyproject.toml" => Some(of_project(&toml::from_str(text).ok()?)),
        "Cargo.toml" => Some(of_crate(&toml::from_str(text).ok()?)),
        _ => None,
    }
}

/// The files that a manifest offers to others or starts for them, relative to it and without `./`: of Python, by the
/// name of their module.
pub fn offered_files(file_name: &str, text: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    match file_name {
        "package.json" => {
            let Ok(manifest) = serde_json::from_str::<Value>(text) else { return all };
            let fields = ["main", "module", "browser", "bin", "exports"];
            let mut open: Vec<&Value> = fields.iter().map(|field| &manifest[*field]).collect();
            while let Some(value) = open.pop() {
                match value {
                    Value::String(path) => {
                        all.insert(path.trim_start_matches("./").to_owned());
                    }
                    Value::Object(fields) => open.extend(fields.values()),
                    Value::Array(items) => open.extend(items),
                    Value::Null | Value::Bool(_) | Value::Number(_) => {}
                }
            }
        }
        "pyproject.toml" => {
            let Ok(manifest) = toml::from_str::<toml::Value>(text) else { return all };
            let tables =
                ["scripts", "gui-scripts"].map(|table| manifest.get("project")?.get(table)?.as_table());
            let calls =
                tables.into_iter().flatten().flat_map(toml::Table::values).filter_map(toml::Value::as_str);
            for module in calls.map(|call| call.split(':').next().unwrap_or(call).replace('.', "/")) {
                all.extend([format!("{module}.py"), format!("{module}/__init__.py")]);
            }
        }
        _ => {}
    }
    all
}

fn of_package(manifest: &Value) -> BTreeSet<String> {
    let fields = ["main", "module", "browser", "types", "typings"];
    let mut all: BTreeSet<String> = fields
        .iter()
        .filter(|field| manifest.get(**field).is_some())
        .map(|field| (*field).to_owned())
        .collect();
    match &manifest["exports"] {
        Value::Object(subpaths) if subpaths.keys().any(|key| key.starts_with('.')) => {
            all.extend(subpaths.keys().map(|subpath| format!("exports {subpath}")));
        }
        Value::Null => {}
        // What is given for the package itself, by whatever conditions.
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            all.extend(["exports .".to_owned()]);
        }
    }
    match &manifest["bin"] {
        Value::Object(commands) => all.extend(commands.keys().map(|command| format!("bin {command}"))),
        Value::String(_) => {
            let name = manifest["name"].as_str().unwrap_or_default();
            all.insert(format!("bin {}", name.rsplit('/').next().unwrap_or(name)));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {}
    }
    all
}

fn of_project(manifest: &toml::Value) -> BTreeSet<String> {
    let Some(project) = manifest.get("project") else { return BTreeSet::new() };
    let mut all = BTreeSet::new();
    for table in ["scripts", "gui-scripts"] {
        let keys = project.get(table).into_iter().flat_map(keys);
        all.extend(keys.map(|key| format!("project.{table} {key}")));
    }
    let groups = project.get("entry-points").and_then(toml::Value::as_table);
    for (group, table) in groups.into_iter().flatten() {
        all.extend(keys(table).map(|key| format!("project.entry-points.{group} {key}")));
    }
    all
}

fn of_crate(manifest: &toml::Value) -> BTreeSet<String> {
    let name = |table: &toml::Value| table.get("name").and_then(toml::Value::as_str).map(str::to_owned);
    let mut all: BTreeSet<String> =
        manifest.get("features").into_iter().flat_map(keys).map(|key| format!("features {key}")).collect();
    all.extend(manifest.get("lib").and_then(name).map(|name| format!("lib {name}")));
    let bins = manifest.get("bin").and_then(toml::Value::as_array).into_iter().flatten();
    all.extend(bins.filter_map(name).map(|name| format!("bin {name}")));
    all
}

fn keys(table: &toml::Value) -> impl Iterator<Item = &str> {
    table.as_table().into_iter().flat_map(|table| table.keys().map(String::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ac_tdd_8_119_what_a_package_offers_is_read_from_its_manifest() {
        for (file, text, want) in [
            (
                "package.json",
                r#"{"main":"a.js","exports":{".":"./a.js","./cli":{"import":"./b.js"}},"bin":{"shop":"c.js"}}"#,
                "bin shop, exports ., exports ./cli, main",
            ),
            (
                "package.json",
                r#"{"name":"@x/shop","exports":{"import":"./a.js"},"bin":"./c.js"}"#,
                "bin shop, exports .",
            ),
            ("package.json", r#"{"name":"shop","exports":"./a.js"}"#, "exports ."),
            ("package.json", r#"{"name":"shop","scripts":{"test":"jest"}}"#, ""),
            (
                "pyproject.toml",
                "[project]\nname='x'\n[project.scripts]\nshop='shop:main'\n[project.entry-points.pytest11]\nx='x'\n",
                "project.entry-points.pytest11 x, project.scripts shop",
            ),
            ("pyproject.toml", "[tool.ruff]\n", ""),
            (
                "Cargo.toml",
                "[lib]\nname='a'\n[[bin]]\nname='b'\npath='src/b.rs'\n[features]\ndefault=[]\n",
                "bin b, features default, lib a",
            ),
        ] {
            let all = offered(file, text).map(|all| all.into_iter().collect::<Vec<_>>().join(", "));
            assert_eq!(all.as_deref(), Some(want), "{text}");
        }
        assert_eq!((offered("package.json", "{"), offered("a.json", "{}")), (None, None));
    }
}
