//! Packages of the repository itself that a configuration takes by their names: `@shop/eslint-config/base`.
//!
//! Only what is private and called a configuration counts: a package that is given to others is the product, and so is
//! code that a build configuration happens to import.

use serde_json::Value;
use tdd_core::path::RelPath;

/// Words of a package's name or folder that say what it is for.
const WORDS: &[&str] = &[
    "config",
    "configs",
    "eslint",
    "lint",
    "preset",
    "presets",
    "prettier",
    "tooling",
    "tsconfig",
    "tsconfigs",
];

#[derive(Debug, Default)]
pub(super) struct Packages {
    all: Vec<Package>,
}

#[derive(Debug)]
struct Package {
    name: String,
    folder: String,
    manifest: Value,
}

impl Packages {
    /// Those of these manifests, each with its text.
    pub(super) fn of(manifests: impl IntoIterator<Item = (RelPath, String)>) -> Self {
        let package = |(path, text): (RelPath, String)| {
            let manifest: Value = serde_json::from_str(&text).ok()?;
            let name = manifest.get("name")?.as_str()?.to_owned();
            let is_private = manifest.get("private").and_then(Value::as_bool) == Some(true);
            let folder = path.folder().to_owned();
            let is_one = is_private && (is_called_so(&name) || is_called_so(&folder));
            is_one.then_some(Package { name, folder, manifest })
        };
        Self { all: manifests.into_iter().filter_map(package).collect() }
    }

    /// Where what a specifier means may lie, from the repository's root, the likeliest first.
    pub(super) fn places(&self, specifier: &str) -> Vec<String> {
        let inner = |package: &Package| {
            let rest = specifier.strip_prefix(&package.name)?;
            (rest.is_empty() || rest.starts_with('/')).then(|| rest.trim_start_matches('/').to_owned())
        };
        let Some((package, inner)) = self.all.iter().find_map(|one| Some((one, inner(one)?))) else {
            return Vec::new();
        };
        let mut found = exported(&package.manifest, &inner);
        if inner.is_empty() {
            let entries =
                ["main", "module"].into_iter().filter_map(|key| package.manifest.get(key)?.as_str());
            found.extend(entries.map(str::to_owned));
        }
        found.push(inner);
        found
            .into_iter()
            .map(|path| format!("{}/{}", package.folder, path.trim_start_matches("./")))
            .collect()
    }
}

fn is_called_so(name: &str) -> bool {
    let last = name.rsplit('/').next().unwrap_or(name);
    last.split(['-', '_', '.']).any(|word| WORDS.contains(&word))
}

/// What `exports` says of a path in the package; of conditions all, because any may hold.
fn exported(manifest: &Value, inner: &str) -> Vec<String> {
    let Some(exports) = manifest.get("exports") else { return Vec::new() };
    let key = if inner.is_empty() { ".".to_owned() } else { format!("./{inner}") };
    let mut found = Vec::new();
    let paths = exports.as_object().filter(|map| map.keys().any(|key| key.starts_with('.')));
    let Some(paths) = paths else {
        if inner.is_empty() {
            texts(exports, &mut found);
        }
        return found;
    };
    for (pattern, target) in paths {
        let star = match pattern.split_once('*') {
            Some((before, after)) => key.strip_prefix(before).and_then(|rest| rest.strip_suffix(after)),
            None => (*pattern == key).then_some(""),
        };
        if let Some(star) = star {
            let mut targets = Vec::new();
            texts(target, &mut targets);
            found.extend(targets.into_iter().map(|path| path.replace('*', star)));
        }
    }
    found
}

fn texts(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(all) => all.iter().for_each(|one| texts(one, found)),
        Value::Object(map) => map.values().for_each(|one| texts(one, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(manifest: &str, specifier: &str) -> String {
        let path = RelPath::new("packages/own-config/package.json").unwrap();
        Packages::of([(path, manifest.to_owned())]).places(specifier).join(" ")
    }

    #[test]
    fn a_specifier_leads_into_the_package_as_its_manifest_says() {
        let named = "\"name\":\"@shop/own-config\",\"private\":true";
        for (rest, specifier, want) in [
            ("", "@shop/own-config", "packages/own-config/"),
            ("", "@shop/own-config/base.json", "packages/own-config/base.json"),
            (",\"main\":\"./a.js\"", "@shop/own-config", "packages/own-config/a.js packages/own-config/"),
            (",\"exports\":\"./b.js\"", "@shop/own-config", "packages/own-config/b.js packages/own-config/"),
            (
                ",\"exports\":{\"./base\":{\"import\":\"./src/base.js\"},\"./*\":\"./cfg/*.js\"}",
                "@shop/own-config/base",
                "packages/own-config/cfg/base.js packages/own-config/src/base.js packages/own-config/base",
            ),
            ("", "@shop/own-config-2", ""),
            ("", "./own-config", ""),
        ] {
            assert_eq!(places(&format!("{{{named}{rest}}}"), specifier), want, "{rest} {specifier}");
        }
    }

    #[test]
    fn what_is_given_to_others_or_called_something_else_is_the_product() {
        assert_eq!(places("{\"name\":\"@shop/own-config\"}", "@shop/own-config"), "");
        let path = RelPath::new("packages/rules/package.json").unwrap();
        let manifest = "{\"name\":\"@shop/rules\",\"private\":true}".to_owned();
        assert!(Packages::of([(path, manifest)]).places("@shop/rules").is_empty());
        assert!(Packages::of([(RelPath::new("package.json").unwrap(), "{".to_owned())]).all.is_empty());
    }
}
