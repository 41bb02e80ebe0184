//! Environments of Python that a launcher chooses by the folder in which it is started. In a copy of the tree it would choose
//! another one, make it, and leave it behind in the person's cache; so it is told which one it chose in the work tree.
//!
//! hatch can't be told: an environment of its own is made for each copy.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::{Step, Verification};
use crate::runner::environment::{Lent, keepers};
use tdd_child::process::{self, CommandOrder};
use tdd_child::regular_file;

/// A launcher, and what it is asked with.
const LAUNCHERS: [(&str, &[&str]); 2] = [("poetry", &["env", "info", "--path"]), ("pipenv", &["--venv"])];
/// It only looks into its cache.
const PATIENCE: Duration = Duration::from_mins(1);
/// Bytes of a path.
const LONGEST: u64 = 1 << 14;
/// The variable that both follow.
const ENVIRONMENT: &str = "VIRTUAL_ENV";

/// What was chosen in the work tree, once that was asked.
#[derive(Clone, Debug, Default)]
pub(in crate::runner) struct Chosen(Arc<OnceLock<Option<PathBuf>>>);

impl Verification {
    /// From now on what launchers choose is asked for once.
    pub(in crate::runner) fn choosing_by(mut self, chosen: &Chosen) -> Self {
        self.chosen = chosen.clone();
        self
    }

    /// The variable for a command in a copy of the tree.
    pub(super) async fn chosen_environment(&mut self, step: &Step) -> Option<(OsString, Option<OsString>)> {
        let home = Lent::to(&self.home, &self.tree, &step.cwd)?.folder_at_home();
        let is_activated = std::env::var_os(ENVIRONMENT).is_some();
        if is_activated || home.join(".venv").exists() {
            return None;
        }
        if self.chosen.0.get().is_none() {
            let told = match launcher(&step.argv, &home) {
                Some((name, arguments)) => self.asked(name, arguments, &home).await,
                None => return None,
            };
            let _ = self.chosen.0.set(told);
        }
        let chosen = self.chosen.0.get()?.as_ref()?;
        Some((ENVIRONMENT.into(), Some(chosen.clone().into())))
    }

    async fn asked(&mut self, name: &str, arguments: &[&str], home: &Path) -> Option<PathBuf> {
        let (told, log) = (self.fresh("chosen"), self.fresh("chosen-log"));
        let order = CommandOrder {
            argv: std::iter::once(name).chain(arguments.iter().copied()).map(OsString::from).collect(),
            cwd: home.to_owned(),
            env: Vec::new(),
            deadline: PATIENCE.min(self.left),
            output_cap: LONGEST,
            log,
            stdout: Some(told.clone()),
            enclosure: self.fenced.as_ref().map(|sandbox| sandbox.for_commands(&self.work, home).enclosure),
            ended: self.ended.clone(),
        };
        process::run(&order, &self.stop).await.ok().filter(|finished| finished.exit.is_success())?;
        let told = regular_file::head(&told, LONGEST).ok()?;
        let path = PathBuf::from(String::from_utf8(told).ok()?.trim());
        // Inside the tree it is lent like everything else.
        (path.join("pyvenv.cfg").is_file() && !path.starts_with(&self.home)).then_some(path)
    }
}

/// The launcher that a command calls, or that the project of this folder is kept by.
fn launcher(argv: &[OsString], home: &Path) -> Option<(&'static str, &'static [&'static str])> {
    let texts: Vec<String> = argv.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let is_called = |name: &str| {
        let mut words = texts.iter().flat_map(|text| text.split([' ', '\n', '\t', ';', '&', '(']));
        words.any(|word| word.rsplit('/').next() == Some(name))
    };
    // A script may call it.
    let keeps = |name: &str| keepers(home).any(|(_, launcher)| launcher == name);
    LAUNCHERS.into_iter().find(|(name, _)| is_called(name) || keeps(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ac_tdd_9_123_a_launcher_is_known_by_its_call_or_by_its_lock_file() {
        let root = tempfile::tempdir().unwrap();
        let called = |line: &str| {
            let argv: Vec<OsString> = line.split('|').map(OsString::from).collect();
            launcher(&argv, root.path()).map(|(name, _)| name)
        };
        for (line, want) in [
            ("poetry|run|pytest", Some("poetry")),
            ("sh|-c|cd api && poetry run pytest -q", Some("poetry")),
            ("/opt/bin/pipenv|run|pytest", Some("pipenv")),
            ("python3|-m|pytest|-k|poetry_run", None),
            ("make|test", None),
        ] {
            assert_eq!(called(line), want, "{line}");
        }
        std::fs::write(root.path().join("Pipfile.lock"), "{}").unwrap();
        assert_eq!(called("make|test"), Some("pipenv"));
    }
}
