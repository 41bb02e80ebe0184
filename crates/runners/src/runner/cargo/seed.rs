//! What a person's own builds have made of the packages from outside of the project.
//!
//! ```text
//! <target>/<profile>/.fingerprint/<package>-<hash>/     what a unit was made of
//!                    deps/*-<hash>.*                    what came out
//!                    build/<package>-<hash>/            the same of build scripts
//! ```
//!
//! They are copied before the first role runs, so they are as trustworthy as the person's own `cargo
//! test`: what an earlier child could have put there, it could have put before that one, too. Units
//! of the project's own packages are left, because a verdict rests on them: they are compiled from
//! what the tree holds. cargo holds every copied unit against its fingerprint, and compiles what does
//! not fit; so a unit too few costs time, and one too many costs disk.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::options::Options;
use crate::test_report::cargo_metadata::Workspace;
use tdd_child::regular_file;

/// Bytes that are copied at most; the newest units first.
const MOST: u64 = 4 * 1024 * 1024 * 1024;

/// Levels below a unit's folder in `build`.
const DEEPEST: u8 = 12;

/// Where a build of the person's lies.
#[derive(Clone, Debug)]
pub(super) struct Seed {
    from: PathBuf,
    /// Of the folder that holds units: `debug`, `release`.
    profile: String,
    lock: PathBuf,
}

/// One thing that cargo has compiled or run.
struct Unit {
    /// Relative to the target directory.
    folder: PathBuf,
    name: String,
    hash: String,
    age: SystemTime,
}

impl Seed {
    /// `project` is where the person's command runs.
    pub(super) fn of(workspace: &Workspace, options: &Options, project: &Path) -> Self {
        let from = match options.own_target_dir() {
            Some(own) => project.join(own),
            None => workspace.build_dir.as_ref().unwrap_or(&workspace.target_dir).into(),
        };
        Self { from, profile: options.profile_folder(), lock: lock_of(workspace) }
    }

    /// Copies all that fits into an empty target directory. What can't be copied is compiled.
    pub(super) fn sow(&self, into: &Path) {
        let foreign = foreign_in(&self.lock);
        let mut units = self.units(&foreign);
        units.sort_by_key(|unit| std::cmp::Reverse(unit.age));
        let mut left = MOST;
        let mut deps: Option<(PathBuf, Vec<(String, PathBuf)>)> = None;
        for unit in units {
            let from = self.from.join(&unit.folder);
            if deps.as_ref().is_none_or(|(folder, _)| *folder != unit.folder) {
                deps = Some((unit.folder.clone(), outputs(&from.join("deps"))));
            }
            let made = deps.iter().flat_map(|(_, made)| made).filter(|(hash, _)| *hash == unit.hash);
            let own = format!("{}-{}", unit.name, unit.hash);
            let mut files: Vec<PathBuf> = made.map(|(_, path)| path.clone()).collect();
            let mut is_plain = true;
            for kind in [".fingerprint", "build"] {
                is_plain &= files_below(&from.join(kind).join(&own), DEEPEST, &mut files);
            }
            if !is_plain {
                continue;
            }
            let size = files.iter().filter_map(|file| file.metadata().ok()).map(|meta| meta.len()).sum();
            let Some(rest) = left.checked_sub(size) else { return };
            left = rest;
            // The fingerprint comes last, so that a unit of which a part is missing has none.
            files.sort_by_key(|file| file.components().any(|part| part.as_os_str() == ".fingerprint"));
            let copied = files.iter().all(|file| {
                file.strip_prefix(&self.from).is_ok_and(|below| copy(file, &into.join(below)).is_ok())
            });
            if !copied {
                let _ = std::fs::remove_dir_all(into.join(&unit.folder).join(".fingerprint").join(&own));
            }
        }
    }

    /// The units of these packages, for the host and for each target of the profile.
    fn units(&self, foreign: &BTreeSet<String>) -> Vec<Unit> {
        let mut folders = vec![PathBuf::from(&self.profile)];
        let entries = std::fs::read_dir(&self.from).into_iter().flatten().flatten();
        let triples = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        folders.extend(triples.map(|entry| Path::new(&entry.file_name()).join(&self.profile)));
        let mut units = Vec::new();
        for folder in folders {
            let inner = self.from.join(&folder).join(".fingerprint");
            for entry in std::fs::read_dir(inner).into_iter().flatten().flatten() {
                let own = entry.file_name().to_string_lossy().into_owned();
                let Some((name, hash)) = own.rsplit_once('-') else { continue };
                let is_unit = entry.file_type().is_ok_and(|kind| kind.is_dir()) && foreign.contains(name);
                let age = entry.metadata().and_then(|meta| meta.modified());
                let age = age.unwrap_or(SystemTime::UNIX_EPOCH);
                let unit = Unit { folder: folder.clone(), name: name.to_owned(), hash: hash.to_owned(), age };
                units.extend(is_unit.then_some(unit));
            }
        }
        units
    }
}

/// Names of packages that are none of the project's own.
pub(super) fn foreign_to(workspace: &Workspace) -> BTreeSet<String> {
    foreign_in(&lock_of(workspace))
}

fn lock_of(workspace: &Workspace) -> PathBuf {
    Path::new(&workspace.root).join("Cargo.lock")
}

fn foreign_in(lock: &Path) -> BTreeSet<String> {
    foreign(&regular_file::read_to_string(lock).unwrap_or_default())
}

/// Names of packages that come from elsewhere, and of which none is the project's own.
fn foreign(lock: &str) -> BTreeSet<String> {
    let table: toml::Table = lock.parse().unwrap_or_default();
    let packages = table.get("package").and_then(toml::Value::as_array);
    let (mut foreign, mut own) = (BTreeSet::new(), BTreeSet::new());
    for package in packages.into_iter().flatten() {
        let Some(name) = package.get("name").and_then(toml::Value::as_str) else { continue };
        let names = if package.get("source").is_some() { &mut foreign } else { &mut own };
        names.insert(name.to_owned());
    }
    foreign.difference(&own).cloned().collect()
}

/// The files of a `deps` folder by the hash in their names.
fn outputs(deps: &Path) -> Vec<(String, PathBuf)> {
    let hash = |path: &Path| {
        let name = path.file_name()?.to_str()?;
        let stem = name.split('.').next()?;
        Some(stem.rsplit_once('-')?.1.to_owned())
    };
    let paths = std::fs::read_dir(deps).into_iter().flatten().flatten().map(|entry| entry.path());
    paths.filter_map(|path| Some((hash(&path)?, path))).filter(|(_, path)| path.is_file()).collect()
}

/// Whether there is nothing but files and folders: what a link leads to may be anybody's.
fn files_below(folder: &Path, deepest: u8, found: &mut Vec<PathBuf>) -> bool {
    let mut is_plain = true;
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && deepest > 0 => {
                is_plain &= files_below(&entry.path(), deepest - 1, found);
            }
            Ok(kind) if kind.is_file() => found.push(entry.path()),
            _ => is_plain = false,
        }
    }
    is_plain
}

/// With its times, by which cargo knows what is fresh. Shares the blocks where the disk can, and never
/// the file itself: the person's next build would write into ours.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to.parent().unwrap_or(to))?;
    let mode = from.metadata()?;
    let mut source = regular_file::open(from)?;
    let mut target = File::create_new(to)?;
    std::io::copy(&mut source, &mut target)?;
    target.set_permissions(mode.permissions())?;
    target.set_modified(mode.modified()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = "[[package]]\nname = 'shop'\n[[package]]\nname = 'dep'\nsource = 'registry+x'\n\
        [[package]]\nname = 'twin'\n[[package]]\nname = 'twin'\nsource = 'git+x'\n";

    #[test]
    fn what_is_the_projects_own_is_never_taken_over() {
        assert_eq!(foreign(LOCK), BTreeSet::from(["dep".to_owned()]));
        assert!(foreign("no lock").is_empty());
    }

    #[test]
    fn units_are_copied_with_their_times_and_in_whole() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str| {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "x").unwrap();
            let old = SystemTime::UNIX_EPOCH + std::time::Duration::from_hours(9);
            File::open(&path).unwrap().set_modified(old).unwrap();
        };
        std::fs::write(root.path().join("Cargo.lock"), LOCK).unwrap();
        let taken = [
            "debug/.fingerprint/dep-0a/lib-dep.json",
            "debug/deps/libdep-0a.rlib",
            "debug/deps/dep-0a.d",
            "debug/build/dep-1b/out/a/b.rs",
            "debug/.fingerprint/dep-1b/run-build-script",
            "wasm32/debug/.fingerprint/dep-2c/lib-dep",
            "wasm32/debug/deps/libdep-2c.rmeta",
        ];
        let left = [
            "debug/.fingerprint/shop-3d/lib-shop",
            "debug/deps/libshop-3d.rlib",
            "debug/deps/dep-9f",
            "debug/.fingerprint/twin-4e/lib-twin",
            "debug/incremental/dep-0a/x",
            "release/.fingerprint/dep-5f/lib-dep",
        ];
        for path in taken.iter().chain(&left) {
            write(&format!("target/{path}"));
        }
        let into = root.path().join("ours");
        let seed = Seed {
            from: root.path().join("target"),
            profile: "debug".to_owned(),
            lock: root.path().join("Cargo.lock"),
        };
        let linked = root.path().join("target/debug/build/dep-6a/out");
        std::fs::create_dir_all(&linked).unwrap();
        std::os::unix::fs::symlink("/etc", linked.join("etc")).unwrap();
        write("target/debug/.fingerprint/dep-6a/run-build-script");
        seed.sow(&into);
        let mut files = Vec::new();
        assert!(files_below(&into, DEEPEST, &mut files));
        let mut found: Vec<String> = files
            .iter()
            .map(|path| path.strip_prefix(&into).unwrap().to_string_lossy().into_owned())
            .collect();
        found.sort();
        let mut want: Vec<String> = taken.map(str::to_owned).to_vec();
        want.sort();
        assert_eq!(found, want);
        let copied = into.join("debug/deps/libdep-0a.rlib").metadata().unwrap();
        let old = root.path().join("target/debug/deps/libdep-0a.rlib").metadata().unwrap();
        assert_eq!(copied.modified().unwrap(), old.modified().unwrap());
    }
}
