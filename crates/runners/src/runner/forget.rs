//! What runs of tests leave of a test file in the work tree: compiled copies and lists of names.
#![expect(clippy::disallowed_methods, reason = "removes what runs left")]

use std::path::{Path, PathBuf};

use tdd_core::path::RelPath;
use tdd_core::trouble::Trouble;

use super::place::Place;

/// Folders and files in which runners keep the names of tests, below the repository and the project.
const LISTS: [&str; 5] = [
    ".pytest_cache/v/cache/nodeids",
    ".pytest_cache/v/cache/lastfailed",
    ".pytest_cache/v/cache/stepwise",
    "node_modules/.vite/vitest",
    "node_modules/.vitest",
];
/// Folders that cargo builds into, below `target/<profile>`.
const BUILT: [&str; 3] = ["deps", "incremental", ".fingerprint"];

/// Removes them. What is not there is no trouble, and nothing is followed out of the tree.
pub(super) fn traces(home: &Place, files: &[RelPath]) -> Result<(), Trouble> {
    let roots = [&home.repository, &home.project];
    for root in roots {
        for list in LISTS {
            remove(&root.join(list))?;
        }
    }
    for file in files {
        let path = home.repository.join(file.as_str());
        let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
        if let Some(folder) = path.parent() {
            begins(&folder.join("__pycache__"), &format!("{stem}."))?;
        }
        for root in roots {
            for profile in entries(&root.join("target")) {
                for built in BUILT {
                    begins(&profile.join(built), &format!("{stem}-"))?;
                }
            }
        }
    }
    Ok(())
}

fn begins(folder: &Path, name: &str) -> Result<(), Trouble> {
    let has = |path: &PathBuf| {
        path.file_name().and_then(|own| own.to_str()).is_some_and(|own| own.starts_with(name))
    };
    entries(folder).into_iter().filter(has).try_for_each(|path| remove(&path))
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    if folder.symlink_metadata().is_ok_and(|about| about.is_symlink()) {
        return Vec::new();
    }
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

fn remove(path: &Path) -> Result<(), Trouble> {
    let Ok(about) = path.symlink_metadata() else { return Ok(()) };
    let gone = if about.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    gone.map_err(|error| {
        Trouble::environment(format!("{} can't be removed", path.display()))
            .because(error)
            .advise("remove it by hand: it tells of tests that are held out")
    })
}
