//! New files in packages that were there before. A package is installed as a whole; what comes into it later goes before
//! what it brought (`base/__init__.py` before `base.py`, `eq.js` before `eq/index.js`), so that whoever imports it gets
//! something else although none of its files has changed.
//!
//! ```text
//! site-packages/NAME/…        a folder in which files of it were      not NAME.dist-info
//! node_modules/[@SCOPE/]NAME/…   the same, with folders called node_modules in it
//! vendor/…                    its files alone: `go mod vendor` adds folders to a module
//! ```
//!
//! A folder of Python's in which no file lay (`google/`, which several packages share) is nobody's. A folder is listed only where its
//! time has changed.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use super::super::survey;
use super::is_for_itself;
use tdd_child::folder;

/// When a folder last changed: seconds and nanoseconds.
type Changed = (i64, i64);

/// What a program may take for code, or read as it starts.
const LOADED: [&[u8]; 12] = [
    b".py", b".pth", b".so", b".pyd", b".js", b".cjs", b".mjs", b".json", b".node", b".ts", b".go", b".wasm",
];
/// Programs that scripts of packages are run by, wherever `.bin` goes before the rest of the path.
const INTERPRETERS: [&[u8]; 5] = [b"node", b"sh", b"bash", b"env", b"npm"];
/// Folders in which packages lie.
const HOMES: [&[u8]; 4] = [b"site-packages", b"dist-packages", b"node_modules", b"vendor"];
const BIN: &[u8] = b"node_modules/.bin";

#[derive(Debug, Default)]
pub(super) struct Packages {
    folders: BTreeMap<Vec<u8>, Changed>,
}

impl Packages {
    /// This file was there before anybody forked.
    pub(super) fn know(&mut self, root: &Path, file: &[u8]) {
        let mut folder = parent(file);
        while !self.folders.contains_key(folder) && (is_of_package(folder) || folder.ends_with(BIN)) {
            let Some(changed) = changed(root, folder) else { return };
            self.folders.insert(folder.to_vec(), changed);
            if !is_in(folder, b"node_modules") {
                return;
            }
            folder = parent(folder);
        }
    }

    /// Whether a file that was not there lies in one of these packages.
    pub(super) fn counts(&self, path: &[u8]) -> bool {
        let folders = path.iter().enumerate().rev().filter(|(_, byte)| **byte == b'/');
        counts(path) && folders.map(|(at, _)| &path[..at]).any(|folder| self.folders.contains_key(folder))
    }

    /// Files that have come into packages since then. `known` are all files of then, `installed` what has come as a role
    /// installed dependencies.
    pub(super) fn new_files(
        &self,
        root: &Path,
        known: &dyn Fn(&[u8]) -> bool,
        installed: &BTreeSet<Vec<u8>>,
    ) -> BTreeSet<Vec<u8>> {
        let mut found: BTreeSet<Vec<u8>> = BTreeSet::new();
        for (folder, seen) in &self.folders {
            if changed(root, folder).is_some_and(|now| now != *seen) {
                found.extend(self.new_in(root, folder).into_iter().filter(|path| !known(path)));
            }
        }
        // Of a run that goes on in another process: when its folder was first seen, it was there.
        let is_inside = |path: &&Vec<u8>| self.folders.contains_key(parent(path)) && counts(path);
        found.extend(installed.iter().filter(is_inside).cloned());
        found
    }

    fn new_in(&self, root: &Path, folder: &[u8]) -> Vec<Vec<u8>> {
        let listed = folder::entries_if_any(&survey::full_path(root, folder)).unwrap_or_default();
        let mut found = Vec::new();
        for (path, kind) in listed.into_iter().filter_map(|entry| survey::named(folder, &entry)) {
            if is_for_itself(name(folder), name(&path)) {
                continue;
            }
            if !kind.is_dir() {
                found.push(path);
            } else if !self.holds(&path) && !is_in(folder, b"vendor") && !folder.ends_with(BIN) {
                found.extend(survey::files_below(root, &path, is_for_itself));
            }
        }
        found.retain(|path| counts(path));
        found
    }

    /// Whether files were in this folder, at any depth.
    fn holds(&self, folder: &[u8]) -> bool {
        let within = [folder, b"/"].concat();
        self.folders.contains_key(folder)
            || self.folders.range(within.clone()..).next().is_some_and(|(path, _)| path.starts_with(&within))
    }
}

fn counts(path: &[u8]) -> bool {
    if parent(path).ends_with(BIN) {
        return INTERPRETERS.contains(&name(path));
    }
    LOADED.iter().any(|end| path.ends_with(end))
}

fn changed(root: &Path, folder: &[u8]) -> Option<Changed> {
    let meta = std::fs::symlink_metadata(survey::full_path(root, folder)).ok()?;
    meta.is_dir().then(|| (meta.mtime(), meta.mtime_nsec()))
}

fn parent(path: &[u8]) -> &[u8] {
    path.iter().rposition(|byte| *byte == b'/').map_or(&[], |at| &path[..at])
}

fn name(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
}

/// Whether a folder is a package's own, or lies in one.
fn is_of_package(folder: &[u8]) -> bool {
    let parts: Vec<&[u8]> = folder.split(|byte| *byte == b'/').collect();
    let Some(at) = parts.iter().rposition(|part| HOMES.contains(part)) else { return false };
    match (parts[at], &parts[at + 1..]) {
        (_, []) => false,
        (b"node_modules", [first, ..]) if first.starts_with(b".") => false,
        (b"node_modules", [first]) => !first.starts_with(b"@"),
        (b"node_modules" | b"vendor", _) => true,
        (_, [first, ..]) => {
            ![b".dist-info".as_slice(), b".egg-info", b".data"].iter().any(|end| first.ends_with(end))
        }
    }
}

/// Whether the innermost home of packages around a folder is called so.
fn is_in(folder: &[u8], home: &[u8]) -> bool {
    let mut parts = folder.rsplit(|byte| *byte == b'/');
    parts.find(|part| HOMES.contains(part)) == Some(home)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SITE: &str = ".venv/lib/python3.11/site-packages";
    const KNOWN: [&str; 8] = [
        "node_modules/a/lib/eq/index.js",
        "node_modules/a/package.json",
        "node_modules/@s/b/index.js",
        "node_modules/.bin/jest",
        "vendor/example.com/check/check.go",
        "SITE/_pytest/python.py",
        "SITE/google/cloud/one/__init__.py",
        "SITE/single.py",
    ];
    const HONEST: [&str; 9] = [
        "node_modules/c/index.js",
        "node_modules/@s/d/index.js",
        "node_modules/a/README.md",
        "node_modules/.bin/tsc",
        "vendor/example.com/check/sub/sub.go",
        "SITE/google/cloud/two/__init__.py",
        "SITE/other/__init__.py",
        "SITE/other.py",
        "SITE/_pytest/__pycache__/x.py",
    ];
    const BAD: [&str; 5] = [
        "SITE/_pytest/python/__init__.py",
        "node_modules/.bin/node",
        "node_modules/a/lib/eq.js",
        "node_modules/a/node_modules/e/index.js",
        "vendor/example.com/check/more.go",
    ];

    fn paths(all: &[&str]) -> Vec<String> {
        all.iter().map(|path| path.replace("SITE", SITE)).collect()
    }

    fn write(root: &Path, all: &[&str]) {
        for path in paths(all) {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        }
    }

    #[test]
    fn ac_tdd_9_120_a_new_file_in_a_package_that_was_there_is_seen_and_a_new_package_is_none() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        write(root, &KNOWN);
        let known: BTreeSet<Vec<u8>> = paths(&KNOWN).into_iter().map(String::into_bytes).collect();
        // All folders are older than what comes next.
        let long_ago = std::fs::FileTimes::new().set_modified(std::time::SystemTime::UNIX_EPOCH);
        for folder in known.iter().map(|path| survey::full_path(root, parent(path))) {
            std::fs::File::open(folder).unwrap().set_times(long_ago).unwrap();
        }
        let look = || {
            let mut packages = Packages::default();
            for path in &known {
                packages.know(root, path);
            }
            packages
        };
        let packages = look();
        let seen = |packages: &Packages, installed: &BTreeSet<Vec<u8>>| -> Vec<String> {
            let found = packages.new_files(root, &|path| known.contains(path), installed);
            found.into_iter().map(|path| String::from_utf8(path).unwrap()).collect()
        };
        write(root, &HONEST);
        assert_eq!(seen(&packages, &BTreeSet::new()), Vec::<String>::new());
        write(root, &BAD);
        assert_eq!(seen(&packages, &BTreeSet::new()), paths(&BAD));
        // Where the folders are first seen when it has come already.
        let came = [BAD[2], HONEST[0]].map(|path| path.as_bytes().to_vec());
        assert_eq!(seen(&look(), &BTreeSet::from(came)), [BAD[2]]);
    }
}
