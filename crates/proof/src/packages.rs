//! Packages in a folder of packages that came while a run was at work and that nobody asks for: no manifest leads to
//! them, and no lock file names them. In a commit there is nothing of such a package.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::Value;
use tdd_child::{folder, regular_file};

use crate::ignored::is_changed_since;

/// Lists of a manifest whose names are installed.
const LISTS: [&str; 5] =
    ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies", "bundledDependencies"];
const LOCKS: [&str; 5] =
    ["package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock"];
/// A lock file that is looked at.
const MOST_BYTES: u64 = 64 << 20;
const MOST_PACKAGES: usize = 20_000;

/// Those of the packages of `packages`, a folder below `repository`, that were put there since and that nothing asks for.
pub(crate) fn unasked(repository: &Path, packages: &Path, since: SystemTime) -> Vec<PathBuf> {
    let is_new = |path: &Path| path.symlink_metadata().is_ok_and(|about| is_changed_since(&about, since));
    let new: Vec<(String, PathBuf)> = named(packages).into_iter().filter(|(_, path)| is_new(path)).collect();
    if new.is_empty() {
        return Vec::new();
    }
    let above: Vec<&Path> =
        packages.ancestors().skip(1).take_while(|folder| folder.starts_with(repository)).collect();
    let asked = asked(packages, &above);
    let locks: Vec<String> =
        above.iter().flat_map(|folder| LOCKS.map(|name| folder.join(name))).filter_map(text).collect();
    let is_locked = |name: &str| locks.iter().any(|lock| names(lock, name));
    let is_unasked = |(name, _): &(String, PathBuf)| !asked.contains(name) && !is_locked(name);
    new.into_iter().filter(is_unasked).map(|(_, path)| path).collect()
}

/// Packages by their names; what tools keep there begins with a dot.
fn named(packages: &Path) -> Vec<(String, PathBuf)> {
    let entries = |of: &Path| folder::entries_if_any(of).unwrap_or_default();
    let mut found = Vec::new();
    for entry in entries(packages).into_iter().take(MOST_PACKAGES) {
        let Ok(name) = entry.file_name().into_string() else { continue };
        if name.starts_with('@') {
            let inner = entries(&entry.path()).into_iter();
            found.extend(
                inner.filter_map(|inner| {
                    Some((format!("{name}/{}", inner.file_name().to_str()?), inner.path()))
                }),
            );
        } else if !name.starts_with('.') {
            found.push((name, entry.path()));
        }
    }
    found
}

/// The names that manifests lead to: those of the folders above, of members below these, and of packages so found.
fn asked(packages: &Path, above: &[&Path]) -> BTreeSet<String> {
    let mut open: Vec<PathBuf> = above.iter().map(|folder| folder.join("package.json")).collect();
    let members = above.iter().flat_map(|folder| workspaces(folder));
    open.extend(members);
    let mut found: BTreeSet<String> = BTreeSet::new();
    while let Some(manifest) = open.pop() {
        let manifest: Option<Value> = text(manifest).and_then(|text| serde_json::from_str(&text).ok());
        let Some(manifest) = manifest else { continue };
        for name in
            LISTS.iter().filter_map(|list| manifest.get(list)?.as_object()).flat_map(|list| list.keys())
        {
            if found.len() < MOST_PACKAGES && found.insert(name.clone()) {
                open.push(packages.join(name).join("package.json"));
            }
        }
    }
    found
}

/// Manifests of the members of a workspace, each of whose folders is named or stands for a `*`.
fn workspaces(root: &Path) -> Vec<PathBuf> {
    let manifest: Value =
        text(root.join("package.json")).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let listed = manifest.get("workspaces");
    let listed = listed.and_then(|list| list.as_array().or_else(|| list.get("packages")?.as_array()));
    let mut patterns: Vec<String> =
        listed.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
    let pnpm = text(root.join("pnpm-workspace.yaml")).unwrap_or_default();
    let items = pnpm.lines().filter_map(|line| line.trim().strip_prefix("- "));
    patterns.extend(items.map(|item| item.trim_matches(['"', '\'', ' ']).to_owned()));
    let mut found = Vec::new();
    for pattern in patterns {
        match pattern.trim_end_matches('/').split_once('*') {
            None => found.push(root.join(&pattern).join("package.json")),
            Some((folder, _)) => {
                let entries = folder::entries_if_any(&root.join(folder)).unwrap_or_default();
                found.extend(entries.into_iter().map(|entry| entry.path().join("package.json")));
            }
        }
    }
    found
}

/// Whether a lock file says a name as a whole.
fn names(lock: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    lock.match_indices(name).any(|(at, _)| {
        let before = lock[..at].chars().next_back();
        let after = lock[at + name.len()..].chars().next();
        // `@scope/name` is another package than `name`, a path in `node_modules` is not.
        let scope = lock[..at].strip_suffix('/').filter(|scope| !scope.ends_with("node_modules"));
        let is_scoped = scope.is_some_and(|scope| scope.ends_with(is_part));
        !is_scoped && before.is_none_or(|c| !is_part(c)) && after.is_none_or(|c| !is_part(c) && c != '/')
    })
}

fn text(path: impl AsRef<OsStr>) -> Option<String> {
    let bytes = regular_file::head(Path::new(&path), MOST_BYTES).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "packages lie on the disk")]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    const MANIFEST: &str = "{\"dependencies\":{\"left\":\"1\"},\"devDependencies\":{\"@a/b\":\"1\"},\"workspaces\":[\"packages/*\"]}";

    fn told(files: &[(&str, &str)], since: SystemTime) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let packages = folder.path().join("node_modules");
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            regular_file::write(&path, text).unwrap();
        }
        let found = unasked(folder.path(), &packages, since);
        let mut names: Vec<String> =
            found.iter().map(|path| path.strip_prefix(&packages).unwrap().display().to_string()).collect();
        names.sort();
        names
    }

    #[test]
    fn ac_tdd_8_112_a_new_package_that_nothing_asks_for_is_none_of_a_commit() {
        let files = [
            ("package.json", MANIFEST),
            ("packages/one/package.json", "{\"dependencies\":{\"member\":\"1\"}}"),
            ("yarn.lock", "\"locked@^1\":\n  version 1\n\"@own/scoped@1\":\n"),
            ("node_modules/left/package.json", "{\"dependencies\":{\"deep\":\"1\"}}"),
            ("node_modules/deep/index.js", ""),
            ("node_modules/@a/b/index.js", ""),
            ("node_modules/@a/c/index.js", ""),
            ("node_modules/member/index.js", ""),
            ("node_modules/locked/index.js", ""),
            ("node_modules/scoped/index.js", ""),
            ("node_modules/impl/index.js", ""),
            ("node_modules/.prisma/client.js", ""),
        ];
        assert_eq!(told(&files, UNIX_EPOCH), ["@a/c", "impl", "scoped"]);
        let later = UNIX_EPOCH + Duration::from_hours(24 * 365 * 1000);
        assert_eq!(told(&files, later), Vec::<String>::new(), "all of it was there before");
    }

    #[test]
    fn a_lock_file_says_a_name_as_a_whole() {
        for (lock, name, want) in [
            ("\"node_modules/impl\": {", "impl", true),
            ("impl@^1.0.0:", "impl", true),
            ("  /impl@1.0.0:", "impl", true),
            ("'@a/impl@1'", "@a/impl", true),
            ("'@a/impl@1'", "impl", false),
            ("impl-more@1", "impl", false),
            ("node_modules/x/impl/y", "impl", false),
        ] {
            assert_eq!(names(lock, name), want, "{lock} {name}");
        }
    }
}
