//! What Python has compiled of installed modules, kept for the time of a run.
//!
//! A verification neither reads nor writes compiled files beside their sources, because a role can
//! forge those. Without any, Python would compile its own library anew in each run, which takes longer than
//! many a suite. So the first run, which no role came before, leaves at its end what it has compiled of
//! installed modules (`reporters/tdd_keep_compiled.py`) in a folder of the run's own, and later runs only
//! read there. The project's own modules are never among them.
//!
//! A role could find the folder. So its files are remembered with the system's own change times, which
//! nobody can set; after any difference all of them are thrown away, and nothing is kept any more.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::runner::stamp::{Stamp, survey};

const PREFIX: &str = "installed-";

#[derive(Debug)]
pub(super) struct Installed {
    work: PathBuf,
    /// `None` before the first run, and where nothing is kept.
    folder: Option<PathBuf>,
    /// A role may have run: nothing is kept that is not yet.
    cold: bool,
    /// `None` while the first run fills the folder.
    sealed: Option<BTreeMap<PathBuf, Stamp>>,
}

/// What one run may do with the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Fill(PathBuf),
    Read(PathBuf),
    Nothing,
}

impl Use {
    pub(super) fn folder(&self) -> Option<&Path> {
        match self {
            Self::Fill(folder) | Self::Read(folder) => Some(folder),
            Self::Nothing => None,
        }
    }

    pub(super) fn fills(&self) -> bool {
        matches!(self, Self::Fill(_))
    }
}

impl Installed {
    /// `work` is the run's private folder; nothing is made in it yet.
    pub(super) fn new(work: &Path) -> Self {
        // Python runs elsewhere, so the path must not depend on where we are.
        let work = std::path::absolute(work).unwrap_or_else(|_| work.to_owned());
        Self { work, folder: None, cold: false, sealed: None }
    }

    /// What the next run may do. Asked once before each.
    pub(super) fn ready(&mut self) -> Use {
        let first = !std::mem::replace(&mut self.cold, true);
        if let Some(folder) = &self.folder {
            // A first run that did not come to its end has sealed nothing.
            if self.sealed.as_ref() == Some(&survey(folder, &[])) {
                return Use::Read(folder.clone());
            }
            self.remove_all();
        }
        if !first {
            return Use::Nothing;
        }
        // What an earlier process of this run left behind can't be vouched for by anybody.
        self.remove_all();
        let made = tempfile::Builder::new().prefix(PREFIX).tempdir_in(&self.work);
        // Without it all is as it should be, and slower.
        let Ok(made) = made else { return Use::Nothing };
        let folder = made.keep();
        self.folder = Some(folder.clone());
        Use::Fill(folder)
    }

    /// From now on nothing is kept that is not yet.
    pub(super) fn grow_cold(&mut self) {
        self.cold = true;
    }

    /// Remembers what the run that filled the folder has left there.
    pub(super) fn seal(&mut self) {
        self.sealed = self.folder.as_deref().map(|folder| survey(folder, &[]));
    }

    fn remove_all(&mut self) {
        self.folder = None;
        self.sealed = None;
        for entry in std::fs::read_dir(&self.work).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(PREFIX) {
                let _ = tdd_child::folder::remove_all(&entry.path());
            }
        }
    }
}

impl Drop for Installed {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            let _ = tdd_child::folder::remove_all(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn filled() -> (tempfile::TempDir, Installed, PathBuf) {
        let work = tempfile::tempdir().unwrap();
        let mut installed = Installed::new(work.path());
        let Use::Fill(folder) = installed.ready() else { panic!("the first run fills it") };
        fs::create_dir(folder.join("lib")).unwrap();
        fs::write(folder.join("lib/json.pyc"), "compiled").unwrap();
        installed.seal();
        (work, installed, folder)
    }

    #[test]
    fn later_runs_read_what_the_first_has_left() {
        let (work, mut installed, folder) = filled();
        assert_eq!(
            [installed.ready(), installed.ready()],
            [const { Use::Nothing }; 2].map(|_| Use::Read(folder.clone()))
        );
        drop(installed);
        assert_eq!(fs::read_dir(work.path()).unwrap().count(), 0, "nothing is left behind");
    }

    #[test]
    fn what_somebody_has_changed_is_thrown_away() {
        type Action = fn(&Path);
        let actions: [(&str, Action); 4] = [
            ("other words", |folder| fs::write(folder.join("lib/json.pyc"), "cOmpiled").unwrap()),
            ("one more", |folder| fs::write(folder.join("lib/os.pyc"), "forged").unwrap()),
            ("one less", |folder| fs::remove_file(folder.join("lib/json.pyc")).unwrap()),
            ("another in its place", |folder| {
                let time = fs::metadata(folder.join("lib/json.pyc")).unwrap().modified().unwrap();
                fs::write(folder.join("new"), "cOmpiled").unwrap();
                fs::File::options().write(true).open(folder.join("new")).unwrap().set_modified(time).unwrap();
                fs::rename(folder.join("new"), folder.join("lib/json.pyc")).unwrap();
            }),
        ];
        for (action, does) in actions {
            let (_work, mut installed, folder) = filled();
            does(&folder);
            assert_eq!(installed.ready(), Use::Nothing, "{action}");
            assert!(!folder.exists(), "{action}");
            assert_eq!(installed.ready(), Use::Nothing, "{action}: a role may have run");
        }
    }

    #[test]
    fn only_a_first_run_that_came_to_its_end_is_believed() {
        let work = tempfile::tempdir().unwrap();
        let mut installed = Installed::new(work.path());
        let Use::Fill(folder) = installed.ready() else { panic!("the first run fills it") };
        assert_eq!(installed.ready(), Use::Nothing);
        assert!(!folder.exists());

        let mut resumed = Installed::new(work.path());
        resumed.grow_cold();
        assert_eq!(resumed.ready(), Use::Nothing, "who goes on with a run keeps nothing");
    }
}
