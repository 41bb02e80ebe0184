//! Which run is meant.
#![expect(clippy::disallowed_methods, reason = "reads the current directory")]

use std::path::{Path, PathBuf};

use super::status::{self, For};
use crate::world::project;
use tdd_child::run_folder::{self, RunDir};
use tdd_core::harmless;
use tdd_core::run_name::{self, Meaning};
use tdd_core::trouble::Trouble;

/// The top of the repository that holds the current directory.
pub(in crate::commands) fn repository() -> Result<PathBuf, Trouble> {
    let here = std::env::current_dir().map_err(|error| {
        Trouble::environment("the current directory can't be told")
            .because(error)
            .advise("cd into a repository")
    })?;
    let top = here.ancestors().find(|folder| std::fs::symlink_metadata(folder.join(".git")).is_ok());
    let top = top.ok_or_else(|| {
        Trouble::user(format!("{} is in no git repository", here.display()))
            .advise("cd into the repository whose runs you want to see")
    })?;
    project::refuse_others(top)?;
    Ok(top.to_owned())
}

/// The run that `name` means; the newest without one.
pub(in crate::commands) fn chosen_run(repository: &Path, name: Option<&str>) -> Result<RunDir, Trouble> {
    let runs = run_folder::runs_of(repository)?;
    let ids: Vec<&str> = runs.iter().map(|run| run.id.0.as_str()).collect();
    let known = |ids: &[&str]| match ids.len() {
        0 => match name.filter(|name| !name.starts_with('@')) {
            Some(name) => {
                format!("if it is a requirement: tdd {}", harmless::shell_word(&harmless::line(name)))
            }
            None => "`tdd` names the requirements that one can begin with".to_owned(),
        },
        _ => format!("the runs are:\n{}", ids.iter().take(10).copied().collect::<Vec<_>>().join("\n")),
    };
    let Some(name) = name else {
        return runs.first().cloned().ok_or_else(|| Trouble::user("no runs yet").advise(known(&ids)));
    };
    match run_name::look_up(name, &ids) {
        Meaning::One(id) => runs
            .iter()
            .find(|run| run.id.0 == id)
            .cloned()
            .ok_or_else(|| Trouble::internal("a run was looked up that is not listed")),
        Meaning::Nobody => Err(status::of_another_work_tree(repository, name).unwrap_or_else(|| {
            Trouble::user(format!("no run `{}`", harmless::line(name))).advise(known(&ids))
        })),
        Meaning::Several(fits) => {
            Err(Trouble::user(format!("more than one run is meant by `{}`", harmless::line(name)))
                .advise(known(&fits)))
        }
    }
}

/// The same for whoever is about its work: without a name, the run whose work lies in the tree.
pub(in crate::commands) fn chosen_work(
    repository: &Path,
    name: Option<&str>,
    what_for: For,
) -> Result<RunDir, Trouble> {
    let found = match name {
        Some(_) => None,
        None => status::at_hand(repository, &run_folder::runs_of(repository)?, what_for),
    };
    found.map_or_else(|| chosen_run(repository, name), Ok)
}
