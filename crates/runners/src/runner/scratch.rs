//! A copy of the work tree in which files can be left out, for commands that take no selection.
//!
//! Tracked and unignored files are copied; ignored folders at the top (`node_modules`, `.venv`)
//! are linked, since a build that has to fetch them again could not run; ignored files there
//! (`Cargo.lock`, `.env`) are copied. Build folders are neither: a build in the copy must not write
//! into the user's tree. A Rust file that is left out stays as an empty one: a manifest or a `mod`
//! line may name it, and then nothing would build without it.
//!
//! A copy lies where `leftovers` puts it, outside of the tree, and goes when it is dropped. From there
//! tools must find above them what they find above the tree, else there is no copy and a word why.

mod cut;
mod upward;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use ignore::WalkBuilder;

use super::place::Place;
use super::verification::disk;
use tdd_child::folder;
use tdd_child::leftovers::{self, CopyFolder};
use tdd_child::regular_file;
use tdd_core::audience::News;
use tdd_core::mapping::Without;
use tdd_core::path::RelPath;
use tdd_core::ports::Observer;
use tdd_core::trouble::{Obstacle, Trouble};

/// Ignored entries that are not linked: results of builds, and what belongs to git or to us.
const NOT_LINKED: &[&str] = &[".git", ".tdd", "target", "build", "dist", "out", "coverage"];

/// Bytes of an ignored file; a larger one (a dump, a model) is linked, which is free.
const LARGEST_COPIED: u64 = 16 * 1024 * 1024;

/// Says behind a command that it runs in a copy.
pub(super) fn note<'a>(left_out: impl IntoIterator<Item = &'a RelPath>) -> String {
    note_of(left_out.into_iter().map(RelPath::as_str))
}

/// The same of whatever is left out.
pub(super) fn note_of<'a>(left_out: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = left_out.into_iter().collect();
    format!("  # in a copy without {}", names.join(", "))
}

/// What lies in each environment of Python.
const MARK: &str = "pyvenv.cfg";

/// A copy, for as long as it is needed.
pub(super) struct Copy {
    /// The project's place in it.
    pub(super) place: Place,
    _folder: CopyFolder,
}

/// Makes a copy, and says so where that may take long.
pub(super) fn make(
    place: &Place,
    take: &dyn Fn(&RelPath) -> bool,
    observer: Observer<'_>,
) -> Result<Copy, Trouble> {
    let folder = empty(place)?;
    if folder.is_far {
        let (from, to) = (place.repository.display(), folder.path().display());
        observer(News::Note(format!("the tree is copied to another file system: from {from} to {to}")));
    }
    let place = copy(place, folder.path(), take)?;
    Ok(Copy { place, _folder: folder })
}

/// The same without these files and tests.
pub(super) fn make_without(
    place: &Place,
    without: &Without,
    observer: Observer<'_>,
) -> Result<Copy, Trouble> {
    let copy = make(place, &|file| !without.files.contains(file), observer)?;
    cut::cut(&copy.place, &without.tests)?;
    Ok(copy)
}

/// An empty folder from which tools find above them what they find above the tree.
pub(super) fn empty(place: &Place) -> Result<CopyFolder, Trouble> {
    let folder = leftovers::copy_folder(&place.repository)?;
    let home = std::env::var_os("HOME").map(PathBuf::from);
    if let Some(sought) = upward::difference(&place.repository, folder.path(), home.as_deref()) {
        return Err(Trouble::environment(
            "no copy of the tree can be made that its tools would take for the tree",
        )
        .because(format!(
            "tools look for {} upwards, and would find it from one of {} and {} alone",
            sought.display(),
            place.repository.display(),
            folder.path().display()
        ))
        .advise("make the parent folder of the repository writable, or move that file"));
    }
    Ok(folder)
}

/// Fills `to`, which is empty, and gives the project's place in it.
fn copy(place: &Place, to: &Path, take: &dyn Fn(&RelPath) -> bool) -> Result<Place, Trouble> {
    let kept = [".tdd/runs", ".tdd/sessions"].map(|name| place.repository.join(name));
    // An environment of Python may ignore itself by a word of its own, which hides no folder: it is linked.
    let tops = [place.repository.clone(), place.project.clone()];
    let is_environment =
        move |path: &Path| tops.iter().any(|top| path.parent() == Some(top)) && path.join(MARK).is_file();
    let walk = WalkBuilder::new(&place.repository)
        .hidden(false)
        .git_global(true)
        .require_git(false)
        .parents(false)
        .follow_links(false)
        .filter_entry(move |entry| {
            entry.file_name() != ".git"
                && kept.iter().all(|kept| entry.path() != kept)
                && !is_environment(entry.path())
        })
        .build();
    for entry in walk {
        let entry = match entry.map_err(ignore::Error::into_io_error) {
            Ok(entry) => entry,
            // Without it tests would fail that pass.
            Err(Some(error)) if Obstacle::of(&error).is_some() => {
                return Err(disk(&place.repository, &error));
            }
            Err(_) => continue,
        };
        let Some(path) = in_repository(place, entry.path()) else { continue };
        let kind = entry.file_type();
        let target = to.join(path.as_str());
        if kind.is_some_and(|kind| kind.is_dir()) {
            std::fs::create_dir_all(&target).map_err(|error| disk(&target, &error))?;
        } else if take(&path) {
            copy_entry(entry.path(), &target).map_err(|error| disk(&target, &error))?;
        } else if path.extension() == "rs" {
            regular_file::write(&target, "").map_err(|error| disk(&target, &error))?;
        }
    }
    link_ignored(place, to, take)?;
    let project = place.project.strip_prefix(&place.repository).unwrap_or(Path::new(""));
    Ok(Place::new(to, &to.join(project)))
}

/// The time of the last change is kept: tools like `make` decide by it.
fn copy_entry(from: &Path, to: &Path) -> std::io::Result<()> {
    let metadata = std::fs::symlink_metadata(from)?;
    if metadata.is_symlink() {
        return std::os::unix::fs::symlink(std::fs::read_link(from)?, to);
    }
    if !metadata.is_file() {
        return Ok(());
    }
    let mut copy = regular_file::create(to)?;
    match regular_file::open(from) {
        Ok(mut file) => drop(std::io::copy(&mut file, &mut copy)?),
        // What we may not read no test can: there it is as closed, with nothing in it.
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {}
        Err(error) => return Err(error),
    }
    copy.set_permissions(metadata.permissions())?;
    let changed = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
    copy.set_modified(changed).or(Ok(()))
}

fn in_repository(place: &Place, path: &Path) -> Option<RelPath> {
    path.to_str().and_then(|path| place.in_repository(path))
}

/// Links or copies what lies at the top of the tree and not in `to`, as far as `take` says.
pub(super) fn link_ignored(place: &Place, to: &Path, take: &dyn Fn(&RelPath) -> bool) -> Result<(), Trouble> {
    let mut folders = vec![(place.repository.clone(), to.to_owned())];
    if place.project != place.repository {
        let inside = place.project.strip_prefix(&place.repository).unwrap_or(Path::new(""));
        folders.push((place.project.clone(), to.join(inside)));
    }
    for (from, to) in folders {
        for entry in folder::entries_if_any(&from).map_err(|error| disk(&from, &error))? {
            let name = entry.file_name();
            let target = to.join(&name);
            let skipped = NOT_LINKED.iter().any(|skipped| name == *skipped);
            let path = in_repository(place, &entry.path());
            if skipped || std::fs::symlink_metadata(&target).is_ok() || !path.is_none_or(|path| take(&path)) {
                continue;
            }
            let Ok(kind) = entry.file_type() else { continue };
            let small = entry.metadata().is_ok_and(|metadata| metadata.len() <= LARGEST_COPIED);
            let made = if kind.is_dir() || kind.is_symlink() || !small {
                std::os::unix::fs::symlink(entry.path(), &target)
            } else {
                copy_entry(&entry.path(), &target)
            };
            made.map_err(|error| disk(&target, &error))?;
        }
    }
    Ok(())
}
