//! Files that `tdd init` and `tdd new` write into a project, and the note by which `tdd init --undo` takes them
//! back. The note lies in the git folder, where no child can write.
#![expect(clippy::disallowed_methods, reason = "writes files that a person asked for")]

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use tdd_child::regular_file;
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::place::GitPlace;

/// The note's name in the git folder.
const NOTE: &str = "tdd-init.json";

/// The most that is read of a file that may be replaced.
const LARGEST: usize = 1 << 20;

/// A file to write; its path is relative to the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    pub path: String,
    pub text: String,
}

/// What lies where a file is to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    New,
    /// The very text.
    Same,
    Another,
}

/// What the undo did.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct TakenBack {
    pub removed: Vec<String>,
    pub restored: Vec<String>,
    /// Changed since, so it stays.
    pub kept: Vec<String>,
    /// A requirement that was run: its tests are named after it.
    pub has_runs: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct Noted {
    path: String,
    hash: String,
    /// What it said before.
    before: Option<String>,
}

impl Planned {
    pub fn standing(&self, repository: &Path) -> Standing {
        let file = repository.join(&self.path);
        match file.symlink_metadata() {
            Err(_) => Standing::New,
            Ok(_) if text_of(&file).as_deref() == Some(&self.text) => Standing::Same,
            Ok(_) => Standing::Another,
        }
    }
}

/// Writes a file that must not be there.
pub fn write_new(repository: &Path, planned: &Planned) -> Result<(), Trouble> {
    use std::io::Write as _;
    let file = repository.join(&planned.path);
    let folder = file.parent().unwrap_or(repository);
    let wrong = |error: std::io::Error| unwritable(&planned.path, error);
    std::fs::create_dir_all(folder).map_err(wrong)?;
    let real = folder.canonicalize().map_err(wrong)?;
    if !real.starts_with(repository) {
        return Err(Trouble::user(format!("{} lies outside the repository", planned.path))
            .because(format!("its folder is {}", real.display()))
            .advise("make the folder a part of the repository, or set `specs_dir` in tdd.yaml"));
    }
    let mut open = std::fs::OpenOptions::new().write(true).create_new(true).open(&file).map_err(wrong)?;
    open.write_all(planned.text.as_bytes()).map_err(wrong)
}

/// Writes over what lies there, or removes it: what a program wrote and nobody changed.
pub fn put(repository: &Path, path: &str, text: Option<&str>) -> Result<(), Trouble> {
    let file = repository.join(path);
    let done = match text {
        Some(text) => std::fs::write(&file, text),
        None => std::fs::remove_file(&file),
    };
    done.map_err(|error| unwritable(path, error))
}

/// Writes all of them, one that is there only if it is to be replaced, and notes them first.
pub fn write(repository: &Path, files: &[Planned]) -> Result<(), Trouble> {
    let note = note(repository)?;
    let mut noted = read(&note);
    for planned in files {
        let file = repository.join(&planned.path);
        noted.retain(|one| one.path != planned.path);
        noted.push(Noted { path: planned.path.clone(), hash: hash(&planned.text), before: text_of(&file) });
    }
    let text = serde_json::to_string_pretty(&noted)
        .map_err(|error| Trouble::internal("a note can't be written").because(error.to_string()))?;
    std::fs::write(&note, text).map_err(|error| unwritable(&note.display().to_string(), error))?;
    for planned in files {
        let file = repository.join(&planned.path);
        if planned.standing(repository) == Standing::New {
            write_new(repository, planned)?;
        } else {
            std::fs::write(&file, &planned.text).map_err(|error| unwritable(&planned.path, error))?;
        }
    }
    Ok(())
}

/// Takes back what is as it was written.
pub fn undo(repository: &Path, has_runs: &dyn Fn(&str) -> bool) -> Result<TakenBack, Trouble> {
    let note = note(repository)?;
    let mut done = TakenBack::default();
    for Noted { path, hash: written, before } in read(&note) {
        let file = repository.join(&path);
        let Some(now) = text_of(&file) else { continue };
        if has_runs(&path) {
            done.has_runs.push(path);
            continue;
        }
        if hash(&now) != written {
            done.kept.push(path);
            continue;
        }
        if let Some(before) = before {
            std::fs::write(&file, before).map_err(|error| unwritable(&path, error))?;
            done.restored.push(path);
        } else {
            std::fs::remove_file(&file).map_err(|error| unwritable(&path, error))?;
            let folders = file.ancestors().skip(1).take_while(|folder| *folder != repository);
            // Only what is empty goes.
            let _ = folders.map(std::fs::remove_dir).take_while(Result::is_ok).count();
            done.removed.push(path);
        }
    }
    let _ = std::fs::remove_file(&note);
    Ok(done)
}

fn note(repository: &Path) -> Result<PathBuf, Trouble> {
    Ok(GitPlace::find(repository)?.git_dir.join(NOTE))
}

/// Nothing where there is none, or none that could be read.
fn read(note: &Path) -> Vec<Noted> {
    text_of(note).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

fn text_of(file: &Path) -> Option<String> {
    let meta = file.symlink_metadata().ok()?;
    let is_plain = meta.is_file() && meta.len() <= LARGEST as u64;
    is_plain.then(|| regular_file::read_to_string(file).ok()).flatten()
}

fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

fn unwritable(path: &str, error: std::io::Error) -> Trouble {
    Trouble::environment(format!("can't write {path}"))
        .because(error)
        .advise("see that you may write there, and that the disk has room")
}
