//! What of `sandbox:` does not do what it says where this repository lies, for a person.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::belongings::Belongings;
use super::hidden::By;
use super::known::{Kind, Known, Whose};
use super::paths::SandboxPaths;
use super::places::CREDENTIALS;
use super::probe;
use tdd_core::isolation::{Credentials, HomeAccess, Openings};

/// Whether this, below the home, is a place of credentials, lies in one or holds one.
pub fn is_credential(below: &str) -> bool {
    let below = Path::new(below);
    CREDENTIALS.iter().map(Path::new).any(|place| place.starts_with(below) || below.starts_with(place))
}

impl Belongings {
    /// What stays open though the settings close it. A run can't do without what is `needed`.
    pub fn open(&self, repository: &Path, needed: &[PathBuf]) -> Openings {
        let Some(known) = &self.known() else { return Openings::default() };
        let is_open = known.homes.iter().any(|home| !known.can_close(home, repository));
        let home = if is_open { HomeAccess::Writable } else { HomeAccess::ReadOnly };
        let mut seen = Vec::new();
        let whose = whose(repository, needed);
        for (place, by) in known.candidates(&whose) {
            let Ok(real) = place.canonicalize() else { continue };
            if by == By::List && whose.needed.iter().any(|needed| needed.starts_with(&real)) {
                seen.push(format!(
                    "{} (the repository, or what its run needs, lies in it)",
                    known.told(&place)
                ));
            }
        }
        if known.reach.hide.credentials == Credentials::Hidden {
            let logins = known
                .cloud_logins()
                .into_iter()
                .map(|place| known.homes.first().map(|home| home.spelled.join(place)));
            let there = logins.flatten().filter(|place| place.exists());
            seen.extend(there.map(|place| format!("{} (agents sign in through it)", known.told(&place))));
        }
        seen.dedup();
        Openings { home, seen }
    }

    /// What can't be kept where this repository lies, and what `hide` does not do, line by line.
    pub fn notices(&self, repository: &Path, needed: &[PathBuf]) -> Vec<String> {
        let Some(known) = &self.known() else { return Vec::new() };
        let mut notices = Vec::new();
        if known.reach.home == HomeAccess::ReadOnly {
            let open = known.homes.iter().filter(|home| !known.can_close(home, repository));
            notices.extend(open.map(|home| {
                format!(
                    "the home {} stays writable for every child: it is, or lies in, the repository or a folder for temporary files",
                    home.spelled.display()
                )
            }));
        }
        let hide = &known.reach.hide;
        let lists = [("tdd.yaml", &hide.more), ("your own settings", &hide.own)];
        for (file, places) in lists {
            notices.extend(places.iter().filter_map(|place| {
                let why = known.not_hidden(place, (file, repository), needed)?;
                Some(format!("`sandbox.hide` of {file} does nothing for {place}: {why}"))
            }));
        }
        notices.extend(
            self.open(repository, needed)
                .seen
                .into_iter()
                .map(|place| format!("credentials in sight: {place}")),
        );
        notices
    }

    /// A place of `hide` that holds one of these programs, with the program: nobody could start it.
    pub fn hides_program<'p>(
        &self,
        programs: impl IntoIterator<Item = &'p str>,
    ) -> Option<(String, PathBuf)> {
        let known = self.known()?;
        let path = known.vars.get(OsStr::new("PATH")).map(OsString::as_os_str);
        let found = programs.into_iter().filter_map(|program| {
            let spelled = Path::new(program);
            if spelled.is_absolute() { Some(spelled.to_owned()) } else { probe::in_path(program, path) }
        });
        let found: Vec<PathBuf> =
            found.flat_map(|file| file.canonicalize().ok().into_iter().chain([file])).collect();
        let hide = &known.reach.hide;
        hide.more.iter().chain(&hide.own).find_map(|place| {
            let spelled = known.expanded(place)?;
            let real = spelled.canonicalize().ok()?;
            let program = found.iter().find(|file| file.starts_with(&real) || file.starts_with(&spelled))?;
            (!known.is_shown(&spelled, &real)).then(|| (place.clone(), program.clone()))
        })
    }

    /// What `hide` takes out of sight in the repository, by real paths.
    pub(super) fn hidden_inside(&self, repository: &Path) -> Vec<PathBuf> {
        let Some(known) = &self.known() else { return Vec::new() };
        let candidates =
            known.candidates(&whose(repository, &[])).into_iter().filter(|(_, by)| *by != By::List);
        let real = candidates.filter_map(|(place, by)| Some((place.canonicalize().ok()?, place, by)));
        let hidden = real.filter(|(real, place, by)| {
            real.starts_with(repository)
                && real != repository
                && !real.starts_with(repository.join(".git"))
                && (*by == By::Person || !known.is_shown(place, real))
        });
        hidden.map(|(real, _, _)| real).collect()
    }
}

impl SandboxPaths {
    /// What can't be kept where this repository lies, and what `hide` does not do, line by line.
    pub fn notices(&self) -> Vec<String> {
        let needed: Vec<PathBuf> =
            [&self.exchange, &self.shared].into_iter().chain(&self.git).cloned().collect();
        self.belongings.notices(&self.repository, &needed)
    }
}

fn whose<'a>(repository: &'a Path, needed: &'a [PathBuf]) -> Whose<'a> {
    let needed = std::iter::once(repository).chain(needed.iter().map(PathBuf::as_path)).collect();
    Whose { repository, needed, lent: &[], kind: Kind::Command }
}

impl Known {
    /// As a person would write it.
    fn told(&self, place: &Path) -> String {
        let below = self.homes.iter().find_map(|home| place.strip_prefix(&home.spelled).ok());
        below.map_or_else(|| place.display().to_string(), |below| format!("~/{}", below.display()))
    }

    /// Why a place of `hide` stays in sight, if it does.
    fn not_hidden(
        &self,
        place: &str,
        (file, repository): (&str, &Path),
        needed: &[PathBuf],
    ) -> Option<&'static str> {
        let Some(spelled) = self.expanded(place) else { return Some("there is no home") };
        let Ok(real) = spelled.canonicalize() else {
            let is_pattern = place.contains(['*', '?', '[']);
            return Some(if is_pattern {
                "nothing has this name, and `*`, `?` and `[` stand for themselves"
            } else {
                "it is not there"
            });
        };
        if repository.starts_with(&real) {
            return Some("the repository lies in it");
        }
        if needed.iter().any(|needed| needed.starts_with(&real)) {
            return Some("the run needs what lies in it");
        }
        (file == "tdd.yaml" && self.is_shown(&spelled, &real)).then_some("`!` leaves it in sight")
    }
}
