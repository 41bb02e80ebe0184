//! New files that take the place of what packages brought before: `base/__init__.py` goes before `base.py`, `eq.js` before
//! `eq/index.js`, a package in a nearer `node_modules` before one farther away. Whoever imports it gets something else, though
//! none of its files has changed. What is new beside it (a table that a package writes for itself, a whole new package,
//! one more in a shared folder) is an installation's affair.
//!
//! ```text
//! Python        NAME.py, .so, .pyd, .pyc and NAME/__init__.*, where NAME was there in another form;
//!               NAME/__init__.* where NAME was shared by several packages; entry_points.txt of a package that had none
//! node_modules  NAME, NAME.js, .cjs, .mjs, .ts, .json, .node, where NAME was there in another form; package.json in a
//!               folder that had none; a package below another one, where one of its name was farther away, unless the
//!               lock file names it there
//! vendor        a file of Go in a folder that was there
//! ```
//!
//! A folder is listed only where its time has changed.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use super::super::survey;
use super::is_for_itself;
use tdd_child::{folder, regular_file};

/// When a folder last changed: seconds and nanoseconds.
type Changed = (i64, i64);

/// What Python takes for a module.
const OF_PYTHON: [&[u8]; 4] = [b".py", b".so", b".pyd", b".pyc"];
/// What a script asks for without an ending, or a bundler takes before another.
const OF_NODE: [&[u8]; 7] = [b".js", b".cjs", b".mjs", b".ts", b".json", b".node", b".wasm"];
/// Programs that scripts of packages are run by, wherever `.bin` goes before the rest of the path.
const INTERPRETERS: [&[u8]; 5] = [b"node", b"sh", b"bash", b"env", b"npm"];
/// Folders in which packages lie.
/// The last is one in no other alone.
const HOMES: [&[u8]; 4] = [b"site-packages", b"dist-packages", b"node_modules", b"vendor"];
const BIN: &[u8] = b"node_modules/.bin";
const NODE: &[u8] = b"node_modules";
const LOCK: &[u8] = b"package-lock.json";
/// Of a package's metadata, what says which plugins it has.
const PLUGINS: &[u8] = b"entry_points.txt";
const METADATA: [&[u8]; 2] = [b".dist-info", b".egg-info"];

/// Whether this file was there before anybody forked.
type Known<'k> = &'k dyn Fn(&[u8]) -> bool;

#[derive(Debug, Default)]
pub(super) struct Packages {
    folders: BTreeMap<Vec<u8>, Changed>,
    /// Folders of Python that are no package's own: where packages lie, and what several of them share.
    shared: BTreeMap<Vec<u8>, Changed>,
}

impl Packages {
    /// This file was there before anybody forked.
    pub(super) fn know(&mut self, root: &Path, file: &[u8]) {
        let mut folder = parent(file);
        while !self.folders.contains_key(folder) && (is_of_package(folder) || folder.ends_with(BIN)) {
            let Some(changed) = changed(root, folder) else { return };
            self.folders.insert(folder.to_vec(), changed);
            self.shared.remove(folder);
            if !is_in(folder, NODE) {
                break;
            }
            folder = parent(folder);
        }
        if is_in(folder, NODE) || is_in(folder, b"vendor") {
            return;
        }
        for above in above(folder).chain([folder]).filter(|above| is_below_home(above)) {
            if self.folders.contains_key(above) || self.shared.contains_key(above) {
                continue;
            }
            let Some(changed) = changed(root, above) else { return };
            self.shared.insert(above.to_vec(), changed);
            if is_home(above) {
                self.know_metadata(root, above);
            }
        }
    }

    /// Folders of metadata hold nothing that is looked at, unless a package has plugins.
    fn know_metadata(&mut self, root: &Path, home: &[u8]) {
        let listed = folder::entries_if_any(&survey::full_path(root, home)).unwrap_or_default();
        for (path, kind) in listed.into_iter().filter_map(|entry| survey::named(home, &entry)) {
            let is_one = kind.is_dir() && METADATA.iter().any(|end| path.ends_with(end));
            if let Some(changed) = changed(root, &path).filter(|_| is_one) {
                self.folders.entry(path).or_insert(changed);
            }
        }
    }

    /// Files that have come since then in the place of others. `known` are all files of then, `installed` what has come
    /// as a role installed dependencies.
    pub(super) fn new_files(
        &self,
        root: &Path,
        known: Known<'_>,
        installed: &BTreeSet<Vec<u8>>,
    ) -> BTreeSet<Vec<u8>> {
        let mut found: BTreeSet<Vec<u8>> = BTreeSet::new();
        for (folder, seen) in self.folders.iter().chain(&self.shared) {
            if changed(root, folder).is_some_and(|now| now != *seen) {
                found.extend(self.new_in(root, folder, known));
            }
        }
        // Of a run that goes on in another process: when its folder was first seen, it was there.
        found.extend(installed.iter().cloned());
        found.retain(|path| !known(path) && self.counts(path, known) && !is_locked(root, path));
        found
    }

    fn new_in(&self, root: &Path, folder: &[u8], known: Known<'_>) -> Vec<Vec<u8>> {
        let listed = folder::entries_if_any(&survey::full_path(root, folder)).unwrap_or_default();
        let mut found = Vec::new();
        for (path, kind) in listed.into_iter().filter_map(|entry| survey::named(folder, &entry)) {
            if is_skipped(name(folder), name(&path)) {
                continue;
            }
            if !kind.is_dir() {
                found.push(path);
            } else if self.shared.contains_key(folder) {
                // A whole new package.
                found.extend(OF_PYTHON.map(|end| [&path, b"/__init__".as_slice(), end].concat()));
            } else if !self.holds(&path) && !is_in(folder, b"vendor") && !folder.ends_with(BIN) {
                found.extend(survey::files_below(root, &path, is_skipped));
            }
        }
        let is_there = |path: &Vec<u8>| std::fs::symlink_metadata(survey::full_path(root, path)).is_ok();
        found.retain(|path| !known(path) && is_there(path));
        found
    }

    /// Whether a file that was not there goes before something that was.
    pub(super) fn counts(&self, path: &[u8], known: Known<'_>) -> bool {
        let (folder, file) = (parent(path), name(path));
        match home_of(folder) {
            _ if folder.ends_with(BIN) => self.folders.contains_key(folder) && INTERPRETERS.contains(&file),
            Some(NODE) => self.goes_before_in_node((folder, file), known) || self.is_nearer(folder).is_some(),
            Some(b"vendor") => file.ends_with(b".go") && self.folders.contains_key(folder),
            Some(_) => self.goes_before_in_python((folder, file), known),
            None => false,
        }
    }

    fn goes_before_in_python(&self, (folder, file): (&[u8], &[u8]), known: Known<'_>) -> bool {
        if file == PLUGINS {
            return METADATA.iter().any(|end| folder.ends_with(end)) && self.folders.contains_key(folder);
        }
        if !OF_PYTHON.iter().any(|end| file.ends_with(end)) {
            return false;
        }
        let stem = file.split(|byte| *byte == b'.').next().unwrap_or(file);
        let is_package = stem == b"__init__";
        let module = if is_package { folder.to_vec() } else { [folder, b"/", stem].concat() };
        let in_other_form = OF_PYTHON.iter().any(|end| known(&[module.as_slice(), end].concat()));
        let is_shared = is_package && self.shared.contains_key(folder) && !is_home(folder);
        in_other_form || is_shared || (!is_package && self.holds(&module))
    }

    fn goes_before_in_node(&self, (folder, file): (&[u8], &[u8]), known: Known<'_>) -> bool {
        if file == b"package.json" {
            return self.folders.contains_key(folder) && !is_root_of_package(folder);
        }
        let end = OF_NODE.iter().find(|end| file.ends_with(end));
        let stem = end.map_or(file, |end| &file[..file.len() - end.len()]);
        let module = [folder, b"/", stem].concat();
        let is_data = end.is_some_and(|end| *end == b".json");
        self.holds(&module)
            || (!is_data && OF_NODE.iter().any(|other| known(&[module.as_slice(), other].concat())))
    }

    /// The package of this folder, if it lies in another one and one of its name was farther away.
    fn is_nearer<'f>(&self, folder: &'f [u8]) -> Option<&'f [u8]> {
        let package = package_of(folder)?;
        let home = package.windows(NODE.len()).rposition(|part| part == NODE)?;
        let (owner, called) = (&package[..home.saturating_sub(1)], &package[home + NODE.len()..]);
        let farther = |outer: &[u8]| {
            let slash: &[u8] = if outer.is_empty() { b"" } else { b"/" };
            self.holds(&[outer, slash, NODE, called].concat())
        };
        let mut outer = above(owner).chain([b"".as_slice()]);
        (is_of_package(owner) && !self.holds(package) && outer.any(farther)).then_some(package)
    }

    /// Whether files were in this folder, at any depth.
    fn holds(&self, folder: &[u8]) -> bool {
        let within = [folder, b"/"].concat();
        self.folders.contains_key(folder)
            || self.folders.range(within.clone()..).next().is_some_and(|(path, _)| path.starts_with(&within))
    }
}

/// Whether npm's lock file says that this package lies there.
fn is_locked(root: &Path, path: &[u8]) -> bool {
    let Some(package) = package_of(parent(path)) else { return false };
    let Some(at) = package.windows(NODE.len()).position(|part| part == NODE) else { return false };
    let (project, inside) = package.split_at(at);
    let lock = survey::full_path(root, &[project, LOCK].concat());
    let entry = [b"\"".as_slice(), inside, b"\""].concat();
    regular_file::read(lock).is_ok_and(|text| text.windows(entry.len()).any(|part| part == entry))
}

/// `__pycache__` and what tools keep for themselves; a compiled module beside no source is a module.
fn is_skipped(above: &[u8], name: &[u8]) -> bool {
    is_for_itself(above, name) && !name.ends_with(b".pyc")
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

/// All folders around a path, the outermost first.
fn above(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| &path[..at])
}

fn is_home(folder: &[u8]) -> bool {
    HOMES.contains(&name(folder))
}

/// Whether Python looks for packages in this folder or in one around it.
fn is_below_home(folder: &[u8]) -> bool {
    home_of(folder).is_some_and(|home| home != NODE && home != b"vendor")
}

/// The innermost package of node's that a folder is or lies in.
fn package_of(folder: &[u8]) -> Option<&[u8]> {
    std::iter::successors(Some(folder), |folder| Some(parent(folder)).filter(|above| !above.is_empty()))
        .find(|folder| is_root_of_package(folder))
}

fn is_root_of_package(folder: &[u8]) -> bool {
    let above = parent(folder);
    (name(above) == NODE && !name(folder).starts_with(b"@"))
        || (name(above).starts_with(b"@") && name(parent(above)) == NODE)
}

/// Whether a folder is a package's own, or lies in one.
fn is_of_package(folder: &[u8]) -> bool {
    let parts: Vec<&[u8]> = folder.split(|byte| *byte == b'/').collect();
    let Some(home) = home_of(folder) else { return false };
    let Some(at) = parts.iter().rposition(|part| *part == home) else { return false };
    match (parts[at], &parts[at + 1..]) {
        (_, []) => false,
        (NODE, [first, ..]) if first.starts_with(b".") => false,
        (NODE, [first]) => !first.starts_with(b"@"),
        (_, [..]) => true,
    }
}

/// Whether the innermost home of packages around a folder is called so.
fn is_in(folder: &[u8], home: &[u8]) -> bool {
    home_of(folder) == Some(home)
}

/// The innermost home of packages around a folder, or itself. A folder called `vendor` in a package is that package's.
fn home_of(folder: &[u8]) -> Option<&'static [u8]> {
    let innermost = |homes: &[&'static [u8]]| {
        let mut parts = folder.rsplit(|byte| *byte == b'/');
        parts.find_map(|part| homes.iter().find(|home| **home == part).copied())
    };
    innermost(&HOMES[..3]).or_else(|| innermost(&HOMES))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SITE: &str = ".venv/lib/python3.11/site-packages";
    const KNOWN: [&str; 14] = [
        "node_modules/a/lib/eq/index.js",
        "node_modules/a/package.json",
        "node_modules/@s/b/index.js",
        "node_modules/.bin/jest",
        "vendor/example.com/check/check.go",
        "SITE/_pytest/python.py",
        "SITE/google/cloud/one/__init__.py",
        "SITE/single.py",
        "SITE/single-1.dist-info/METADATA",
        "SITE/corp/__init__.py",
        "node_modules/e/index.js",
        "node_modules/f/index.js",
        "node_modules/a/lib/same.js",
        "node_modules/a/vendor/b/index.js",
    ];
    const HONEST: [&str; 14] = [
        "node_modules/c/index.js",
        "node_modules/@s/d/index.js",
        "node_modules/a/README.md",
        "node_modules/.bin/tsc",
        "vendor/example.com/check/sub/sub.go",
        "SITE/google/cloud/two/__init__.py",
        "SITE/other/__init__.py",
        "SITE/other.py",
        "SITE/_pytest/__pycache__/x.py",
        // A table that a package writes for itself, and a package in another one's folder.
        "SITE/corp/parsetab.py",
        "SITE/corp/two/__init__.py",
        "node_modules/a/lib/cache.json",
        "node_modules/a/node_modules/g/index.js",
        // As npm's lock file has it.
        "node_modules/a/node_modules/f/index.js",
    ];
    const BAD: [&str; 13] = [
        "SITE/_pytest/python/__init__.py",
        "node_modules/.bin/node",
        "node_modules/a/lib/eq.js",
        "node_modules/a/node_modules/e/index.js",
        "vendor/example.com/check/more.go",
        "SITE/google/cloud/__init__.py",
        "SITE/single/__init__.py",
        "SITE/single-1.dist-info/entry_points.txt",
        "node_modules/a/lib/eq/package.json",
        "node_modules/a/lib/same",
        "SITE/_pytest/python.cpython-311-x86_64-linux-gnu.so",
        "SITE/corp.pyc",
        "node_modules/a/vendor/b.js",
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
            // Of metadata no file is looked at.
            for path in known.iter().filter(|path| !path.ends_with(b"METADATA")) {
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
        let npm = r#"{ "packages": { "node_modules/a/node_modules/f": {} } }"#;
        std::fs::write(root.join("package-lock.json"), npm).unwrap();
        assert_eq!(seen(&packages, &BTreeSet::new()), Vec::<String>::new());
        write(root, &BAD);
        let mut all = paths(&BAD);
        all.sort();
        assert_eq!(seen(&packages, &BTreeSet::new()), all);
        // Where the folders are first seen when it has come already.
        let came = [BAD[2], HONEST[0]].map(|path| path.as_bytes().to_vec());
        assert_eq!(seen(&look(), &BTreeSet::from(came)), [BAD[2]]);
    }
}
