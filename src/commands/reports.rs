//! Files that a person or a pipeline asks for, beside what a run tells: `--junit FILE`, `--sarif FILE`.
#![expect(clippy::disallowed_methods, reason = "writes the file that was named")]

use std::path::{Path, PathBuf};

use super::{junit, sarif};
use tdd_child::run_folder::RunDir;
use tdd_core::trouble::{Trouble, Why};

/// A form of report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Junit,
    Sarif,
}

impl Form {
    fn what(self) -> &'static str {
        match self {
            Self::Junit => "the JUnit report",
            Self::Sarif => "the SARIF report",
        }
    }

    fn flag(self) -> &'static str {
        match self {
            Self::Junit => "--junit",
            Self::Sarif => "--sarif",
        }
    }
}

/// A report that was asked for.
#[derive(Clone, Debug)]
pub(super) struct ReportFile {
    form: Form,
    file: PathBuf,
}

impl ReportFile {
    /// The file that was named, found out before what may take hours.
    pub(super) fn of(form: Form, file: Option<&Path>, cwd: &Path) -> Result<Option<Self>, Trouble> {
        let Some(file) = file.map(|file| cwd.join(file)) else { return Ok(None) };
        let folder = file.parent().unwrap_or(Path::new("/"));
        let is_fit = folder.is_dir() && !file.is_dir();
        let wanted = Self { form, file };
        if is_fit {
            return Ok(Some(wanted));
        }
        Err(wanted.unwritable("its folder is not there, or it is a folder itself".into()))
    }

    /// Those of a run.
    pub(super) fn all(junit: Option<&Path>, sarif: Option<&Path>, cwd: &Path) -> Result<Vec<Self>, Trouble> {
        let junit = Self::of(Form::Junit, junit, cwd)?;
        Ok(junit.into_iter().chain(Self::of(Form::Sarif, sarif, cwd)?).collect())
    }

    pub(super) fn write(&self, text: &str) -> Result<(), Trouble> {
        std::fs::write(&self.file, text).map_err(|error| self.unwritable(error.into()))
    }

    /// Writes what these runs came to.
    pub(super) fn write_runs(&self, repository: &Path, runs: &[RunDir]) -> Result<(), Trouble> {
        self.write(&match self.form {
            Form::Junit => junit::of_runs(repository, runs)?,
            Form::Sarif => sarif::of_runs(repository, runs)?,
        })
    }

    fn unwritable(&self, why: Why) -> Trouble {
        let what = self.form.what();
        Trouble::environment(format!("{what} can't be written to {}", self.file.display()))
            .because(why)
            .advise(format!("name another file with {}", self.form.flag()))
    }
}
