//! Whether a lock file still holds all that it held (contract section 7): entries may be added with
//! a new dependency, and none may be changed or removed.
//!
//! ```text
//! file  = Cargo.lock                                 TOML: package = name, version, source, checksum
//!       | uv.lock | poetry.lock | pdm.lock           TOML: package = name, version, hashes of files
//!       | package-lock.json | npm-shrinkwrap.json    JSON: packages = path below node_modules → entry
//!       | go.sum                                     lines
//!       | yarn.lock                                  blocks: ranges ":" then version, resolved, checksum
//!       | pnpm-lock.yaml                             YAML: packages = name@version → resolution.integrity
//!       | bun.lock                                   JSON, commas at ends: packages = name → [id, …, hash]
//!       | Pipfile.lock                               JSON: default, develop = name → version, hashes
//! ```
//!
//! Packages of the project itself have no checksum and are passed over: their entries change with
//! the manifest, which is judged by key. More hashes of a package than before are none of a change,
//! because indexes gain files. Of the last four formats there are many dialects: one that could not be
//! read before is not held against whoever adds to it. `bun.lockb` is binary and not read.

use std::collections::BTreeSet;

use serde_json::Value;

/// The largest lock file that is read.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// The entries of `before` that `after` lacks, sorted; none for a file of another name.
///
/// # Errors
/// A file that is gone, too large, or not what its name says, on either side.
pub fn lost_entries(
    file_name: &str,
    before: Option<&[u8]>,
    after: Option<&[u8]>,
) -> Result<Vec<String>, String> {
    let Some(read) = reader(file_name) else { return Ok(Vec::new()) };
    let Some(before) = before else { return Ok(Vec::new()) };
    let after = after.ok_or("it was deleted")?;
    let entries = |bytes: &[u8]| {
        if bytes.len() > MAX_BYTES {
            return Err(format!("it has {} bytes", bytes.len()));
        }
        read(std::str::from_utf8(bytes).map_err(|error| error.to_string())?)
    };
    let before = match entries(before) {
        Err(_) if has_dialects(file_name) => return Ok(Vec::new()),
        before => before?,
    };
    let after = entries(after)?;
    Ok(before.into_iter().filter(|entry| !after.contains(entry)).collect())
}

type Read = fn(&str) -> Result<BTreeSet<String>, String>;

fn reader(file_name: &str) -> Option<Read> {
    match file_name.rsplit('/').next() {
        Some("Cargo.lock") => Some(cargo),
        Some("uv.lock" | "poetry.lock" | "pdm.lock") => Some(python),
        Some("package-lock.json" | "npm-shrinkwrap.json") => Some(npm),
        Some("yarn.lock") => Some(yarn),
        Some("pnpm-lock.yaml") => Some(pnpm),
        Some("bun.lock") => Some(bun),
        Some("Pipfile.lock") => Some(pipfile),
        Some("go.sum") => Some(|text| Ok(text.lines().map(|line| line.trim().to_owned()).collect())),
        Some(_) | None => None,
    }
}

fn has_dialects(file_name: &str) -> bool {
    let name = file_name.rsplit('/').next().unwrap_or(file_name);
    matches!(name, "yarn.lock" | "pnpm-lock.yaml" | "bun.lock" | "Pipfile.lock")
}

/// yarn 1 (`version "1.0.0"`) and its successors (`version: 1.0.0`). The ranges at the head of a block
/// change with whoever depends on it, so that of them only the name counts.
fn yarn(text: &str) -> Result<BTreeSet<String>, String> {
    let mut entries = BTreeSet::new();
    let mut block: Option<(String, BTreeSet<String>)> = None;
    for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        if line.starts_with([' ', '\t']) {
            let is_direct = line.starts_with("  ") && !line.starts_with("   ");
            let (key, value) = line.trim().split_once([' ', ':']).unwrap_or_default();
            let value = value.trim().trim_matches('"');
            if let Some((_, fields)) = block.as_mut().filter(|_| is_direct)
                && matches!(key, "version" | "resolved" | "resolution" | "integrity" | "checksum")
            {
                fields.insert(format!("{key} {value}"));
            }
            continue;
        }
        entries.extend(block.take().map(whole));
        let head = line.strip_suffix(':').ok_or_else(|| format!("no block begins with `{line}`"))?;
        let first = head.split(',').next().unwrap_or(head).trim().trim_matches('"');
        let name = first.rfind('@').filter(|at| *at > 0).map_or(first, |at| &first[..at]);
        let is_own = first == "__metadata" || first.contains("@workspace:");
        block = (!is_own).then(|| (name.to_owned(), BTreeSet::new()));
    }
    entries.extend(block.map(whole));
    Ok(entries)
}

fn whole((name, fields): (String, BTreeSet<String>)) -> String {
    format!("{name} {}", fields.into_iter().collect::<Vec<_>>().join(" "))
}

fn pnpm(text: &str) -> Result<BTreeSet<String>, String> {
    let file: serde_yaml::Value = serde_yaml::from_str(text).map_err(|error| error.to_string())?;
    let packages = file.get("packages").and_then(serde_yaml::Value::as_mapping).into_iter().flatten();
    let integrity = |entry: &serde_yaml::Value| {
        let resolution = entry.get("resolution")?;
        ["integrity", "tarball", "commit"]
            .iter()
            .find_map(|key| resolution.get(*key)?.as_str().map(str::to_owned))
    };
    let entry = |(name, entry): (&serde_yaml::Value, &serde_yaml::Value)| {
        Some(format!("{} {}", name.as_str()?, integrity(entry).unwrap_or_default()))
    };
    Ok(packages.filter_map(entry).collect())
}

/// JSON with a comma at the end of each list, which is how YAML writes lists on one line too.
fn bun(text: &str) -> Result<BTreeSet<String>, String> {
    let file: serde_yaml::Value = serde_yaml::from_str(text).map_err(|error| error.to_string())?;
    let packages = file.get("packages").and_then(serde_yaml::Value::as_mapping).into_iter().flatten();
    let entry = |(name, entry): (&serde_yaml::Value, &serde_yaml::Value)| {
        let parts: Vec<&str> = entry.as_sequence()?.iter().filter_map(serde_yaml::Value::as_str).collect();
        let (id, hash) = (parts.first()?, parts.last()?);
        (!id.contains("@workspace:")).then(|| format!("{} {id} {hash}", name.as_str().unwrap_or_default()))
    };
    Ok(packages.filter_map(entry).collect())
}

fn pipfile(text: &str) -> Result<BTreeSet<String>, String> {
    let file: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut entries = BTreeSet::new();
    let sections = ["default", "develop"].into_iter().filter_map(|name| file.get(name)?.as_object());
    for (name, package) in sections.flatten() {
        let version = package.get("version").and_then(Value::as_str).unwrap_or("-");
        let hashes = package.get("hashes").and_then(Value::as_array).into_iter().flatten();
        entries.insert(format!("{name} {version}"));
        entries.extend(hashes.filter_map(Value::as_str).map(|hash| format!("{name} {version} {hash}")));
    }
    Ok(entries)
}

fn packages(text: &str) -> Result<Vec<toml::Table>, String> {
    let mut file: toml::Table = text.parse().map_err(|error: toml::de::Error| error.message().to_owned())?;
    match file.remove("package") {
        None => Ok(Vec::new()),
        Some(packages) => packages.try_into().map_err(|error: toml::de::Error| error.message().to_owned()),
    }
}

fn field<'p>(package: &'p toml::Table, name: &str) -> &'p str {
    package.get(name).and_then(toml::Value::as_str).unwrap_or_default()
}

fn cargo(text: &str) -> Result<BTreeSet<String>, String> {
    let foreign = packages(text)?.into_iter().filter(|package| package.contains_key("source"));
    Ok(foreign
        .map(|package| ["name", "version", "source", "checksum"].map(|name| field(&package, name)).join(" "))
        .collect())
}

fn python(text: &str) -> Result<BTreeSet<String>, String> {
    let mut entries = BTreeSet::new();
    for package in packages(text)? {
        let name = format!("{} {}", field(&package, "name"), field(&package, "version"));
        let sdist = package.get("sdist").into_iter();
        let lists = ["wheels", "files"].into_iter().filter_map(|list| package.get(list)?.as_array());
        let files = sdist.chain(lists.flatten());
        let hashes = files.filter_map(|file| file.get("hash")?.as_str());
        entries.extend(hashes.map(|hash| format!("{name} {hash}")));
    }
    Ok(entries)
}

fn npm(text: &str) -> Result<BTreeSet<String>, String> {
    let file: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let packages = file.get("packages").and_then(Value::as_object).into_iter().flatten();
    let text = |entry: &Value, name: &str| entry.get(name).and_then(Value::as_str).unwrap_or("-").to_owned();
    let installed = packages.filter(|(path, _)| path.contains("node_modules/"));
    Ok(installed
        .map(|(path, entry)| {
            let [version, resolved, integrity] =
                ["version", "resolved", "integrity"].map(|name| text(entry, name));
            format!("{path} {version} {resolved} {integrity}")
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CARGO: &str = "version = 4\n[[package]]\nname='app'\nversion='0.1.0'\ndependencies=['a']\n\n[[package]]\nname='a'\nversion='1.0.0'\nsource='registry+x'\nchecksum='aa'\n";
    const UV: &str = "version=1\n[[package]]\nname='app'\nversion='0'\nsource={editable='.'}\n[[package]]\nname='a'\nversion='1'\nsdist={url='u',hash='sha256:aa'}\nwheels=[{url='w',hash='sha256:bb'}]\n";
    const POETRY: &str =
        "[[package]]\nname='a'\nversion='1'\nfiles=[{file='a.whl',hash='sha256:aa'}]\n[metadata]\n";
    const NPM: &str = r#"{"packages":{"":{"name":"app","version":"1.0.0"},"node_modules/a":{"version":"1.0.0","resolved":"u","integrity":"sha512-a","dev":true}}}"#;
    const GO: &str = "a.b/c v1 h1:x=\na.b/c v1/go.mod h1:y=\n";

    const YARN: &str = "# yarn lockfile v1\n\n\na@^1.0.0:\n  version \"1.0.1\"\n  resolved \"u#aa\"\n  dependencies:\n    c \"^1\"\n";
    const BERRY: &str = "__metadata:\n  version: 8\n\n\"@s/a@npm:^1.0.0\":\n  version: 1.0.1\n  resolution: \"@s/a@npm:1.0.1\"\n  checksum: 10/aa\n\n\"app@workspace:.\":\n  version: 0.0.0-use.local\n";
    const PNPM: &str =
        "lockfileVersion: '9.0'\n\npackages:\n  a@1.0.0:\n    resolution: {integrity: sha512-a}\n";
    const BUN: &str = "{\n  \"lockfileVersion\": 1,\n  \"packages\": {\n    \"a\": [\"a@1.0.0\", \"\", {}, \"sha512-a\"],\n  },\n}\n";
    const PIPFILE: &str =
        r#"{"_meta": {}, "default": {"a": {"hashes": ["sha256:aa"], "version": "==1"}}, "develop": {}}"#;

    /// File, before, what is replaced by what, the entries that are lost.
    const EDITS: &[(&str, &str, &str, &str, &[&str])] = &[
        ("Cargo.lock", CARGO, "version = 4", "version = 4\n[[package]]\nname='b'\nversion='1'", &[]),
        ("x/Cargo.lock", CARGO, "dependencies=['a']", "dependencies=['a','b']", &[]),
        ("Cargo.lock", CARGO, "'1.0.0'", "'1.0.1'", &["a 1.0.0 registry+x aa"]),
        ("Cargo.lock", CARGO, "checksum='aa'", "checksum='bb'", &["a 1.0.0 registry+x aa"]),
        ("Cargo.lock", CARGO, "source='registry+x'\n", "", &["a 1.0.0 registry+x aa"]),
        ("uv.lock", UV, "source={editable='.'}", "source={editable='x'}", &[]),
        ("uv.lock", UV, "wheels=[", "wheels=[{url='v',hash='sha256:cc'},", &[]),
        ("uv.lock", UV, "sha256:bb", "sha256:cc", &["a 1 sha256:bb"]),
        ("poetry.lock", POETRY, "version='1'", "version='2'", &["a 1 sha256:aa"]),
        ("pdm.lock", POETRY, "sha256:aa", "sha256:ab", &["a 1 sha256:aa"]),
        ("package-lock.json", NPM, ",\"dev\":true", "", &[]),
        ("package-lock.json", NPM, "\"packages\":{", "\"packages\":{\"node_modules/b\":{},", &[]),
        ("package-lock.json", NPM, "\"name\":\"app\"", "\"name\":\"application\"", &[]),
        ("npm-shrinkwrap.json", NPM, "sha512-a", "sha512-b", &["node_modules/a 1.0.0 u sha512-a"]),
        ("package-lock.json", NPM, "\"u\"", "\"file:x\"", &["node_modules/a 1.0.0 u sha512-a"]),
        ("go.sum", GO, "a.b/c v1 h1", "b.c/d v1 h1:z=\na.b/c v1 h1", &[]),
        ("go.sum", GO, "h1:x=", "h1:z=", &["a.b/c v1 h1:x="]),
        ("yarn.lock", YARN, "a@^1.0.0:", "a@^1.0.0, a@~1.0.1:", &[]),
        ("yarn.lock", YARN, "a@^1.0.0:", "b@^2:\n  version \"2\"\n\na@^1.0.0:", &[]),
        ("yarn.lock", YARN, "#aa", "#bb", &["a resolved u#aa version 1.0.1"]),
        (
            "yarn.lock",
            BERRY,
            "checksum: 10/aa",
            "checksum: 10/bb",
            &["@s/a checksum 10/aa resolution @s/a@npm:1.0.1 version 1.0.1"],
        ),
        ("yarn.lock", BERRY, "version: 0.0.0", "version: 0.0.1", &[]),
        (
            "pnpm-lock.yaml",
            PNPM,
            "packages:",
            "packages:\n  b@2.0.0:\n    resolution: {integrity: sha512-b}\n",
            &[],
        ),
        ("pnpm-lock.yaml", PNPM, "sha512-a", "sha512-c", &["a@1.0.0 sha512-a"]),
        (
            "bun.lock",
            BUN,
            "\"packages\": {",
            "\"packages\": {\n\"b\": [\"b@2\", \"\", {}, \"sha512-b\"],",
            &[],
        ),
        ("bun.lock", BUN, "sha512-a", "sha512-c", &["a a@1.0.0 sha512-a"]),
        ("Pipfile.lock", PIPFILE, "\"develop\": {", "\"develop\": {\"b\": {\"version\": \"==2\"}", &[]),
        ("Pipfile.lock", PIPFILE, "sha256:aa", "sha256:bb", &["a ==1 sha256:aa"]),
        ("bun.lockb", "a", "a", "b", &[]),
    ];

    #[test]
    fn entries_may_be_added_and_none_may_be_lost() {
        for (file, before, from, to, want) in EDITS {
            assert!(before.contains(from), "{file}: {from}");
            let after = before.replacen(from, to, 1);
            let lost = lost_entries(file, Some(before.as_bytes()), Some(after.as_bytes())).unwrap();
            assert_eq!(&lost, want, "{file}: {from} -> {to}");
            assert_eq!(lost_entries(file, None, Some(after.as_bytes())), Ok(vec![]), "a new file");
        }
    }

    #[test]
    fn what_can_t_be_read_is_an_error() {
        for (file, before, after) in [
            ("Cargo.lock", CARGO, None),
            ("Cargo.lock", CARGO, Some("a =")),
            ("Cargo.lock", CARGO, Some("package = 3")),
            ("package-lock.json", NPM, Some("{")),
            ("uv.lock", "a =", Some(UV)),
        ] {
            let outcome = lost_entries(file, Some(before.as_bytes()), after.map(str::as_bytes));
            assert!(outcome.is_err(), "{file}: {outcome:?}");
        }
        assert!(lost_entries("go.sum", Some(GO.as_bytes()), Some(b"\xff")).is_err());
    }
}
