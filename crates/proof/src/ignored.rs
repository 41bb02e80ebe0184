//! What git ignores, and what of it a checkout needs.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tdd_core::path::RelPath;

/// Folders of what a project depends on, by the names that their tools give them, and the manifests beside which a tool
/// makes one.
const DEPENDENCIES: [(&str, &[&str]); 5] = [
    ("node_modules", &["package.json", "deno.json"]),
    ("vendor", &["composer.json", "go.mod", "Gemfile", "Cargo.toml", "package.json"]),
    ("target", &["Cargo.toml", "pom.xml", "build.sbt", "project.clj"]),
    ("bower_components", &["bower.json"]),
    (".yarn", &["package.json"]),
];
/// Environments of Python by their usual names. One has a file that says so; what merely bears the name may be anything.
const ENVIRONMENTS: [&str; 3] = [".venv", "venv", "env"];
/// What says it.
const MARKS: [&str; 2] = ["pyvenv.cfg", "conda-meta"];

/// What tools keep for the next time: in a checkout it is made anew, since anybody may have written it.
const CACHES: [&str; 21] = [
    ".git",
    ".tdd",
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".hypothesis",
    ".tox",
    ".nox",
    ".coverage",
    "htmlcov",
    "coverage",
    ".nyc_output",
    ".eslintcache",
    ".cache",
    ".parcel-cache",
    ".turbo",
    ".next",
    ".vite",
    ".gocache",
    ".DS_Store",
];

/// Files of a folder that are looked at for their age.
const MOST_FILES: usize = 20_000;

/// What an ignored file or folder is to a checkout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Dependency,
    Cache,
    /// Neither, and as it was before a moment.
    Before,
    /// Neither, and new or changed since.
    Since,
}

/// What its name tells. A folder of such a name that came since and that no tool could have made there is none.
pub(crate) fn by_name(repository: &Path, path: &RelPath, since: SystemTime) -> Option<Kind> {
    let name = path.file_name();
    let full = repository.join(path.as_str());
    let is_new = || full.metadata().and_then(|about| about.created()).is_ok_and(|made| made > since);
    let has_manifest = |manifests: &[&str]| {
        let beside = full.parent().unwrap_or(repository);
        manifests.iter().any(|manifest| beside.join(manifest).is_file())
    };
    let known = DEPENDENCIES.iter().find(|(known, _)| *known == name).filter(|_| full.is_dir());
    let is_environment = || {
        MARKS.iter().any(|mark| full.join(mark).exists())
            || (ENVIRONMENTS.contains(&name) && full.is_dir() && !is_new())
    };
    if known.is_some_and(|(_, manifests)| has_manifest(manifests) || !is_new()) || is_environment() {
        return Some(Kind::Dependency);
    }
    let is_cache = CACHES.contains(&name)
        || [".pyc", ".tsbuildinfo"].iter().any(|end| name.ends_with(end))
        || name.ends_with(".egg-info");
    is_cache.then_some(Kind::Cache)
}

/// For what is neither a dependency nor a cache.
pub(crate) fn by_age(repository: &Path, path: &RelPath, moment: SystemTime) -> Kind {
    if is_older(&repository.join(path.as_str()), moment) { Kind::Before } else { Kind::Since }
}

/// By the time that nobody can set.
pub(crate) fn is_changed_since(about: &Metadata, moment: SystemTime) -> bool {
    let since = moment.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let changed = Duration::new(
        u64::try_from(about.ctime()).unwrap_or(0),
        u32::try_from(about.ctime_nsec()).unwrap_or(0),
    );
    changed > since
}

/// Whether nothing of it was made or changed since, by the time that nobody can set.
fn is_older(path: &Path, moment: SystemTime) -> bool {
    let mut open = vec![path.to_owned()];
    let mut looked_at = 0;
    while let Some(path) = open.pop() {
        let Ok(about) = path.symlink_metadata() else { return false };
        looked_at += 1;
        if is_changed_since(&about, moment) {
            return false;
        }
        // Nobody is blamed for what nobody has looked at.
        if looked_at > MOST_FILES {
            return true;
        }
        if about.is_dir() {
            let entries = tdd_child::folder::entries_if_any(&path).unwrap_or_default();
            // What tools keep in it is none of its own.
            let own = entries
                .iter()
                .filter(|entry| !CACHES.iter().any(|cache| entry.file_name() == OsStr::new(cache)));
            open.extend(own.map(std::fs::DirEntry::path));
        }
    }
    true
}
