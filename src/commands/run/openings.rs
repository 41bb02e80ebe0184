//! What stays open in the sandbox of this project though its settings close it, and what its `hide` would break
//! (contract section 12). Looked at before anything is started.

use std::path::{Path, PathBuf};

use super::brought;
use crate::settings::{Environment, Settings};
use crate::world::config_file;
use tdd_agents::agent::RoleAgents;
use tdd_child::leftovers;
use tdd_child::sandbox::{Backend, Belongings, Chosen, is_credential};
use tdd_core::commands::ProjectCommands;
use tdd_core::role::Role;
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::git_folders;
use tdd_spec::strict::{about, line::nearest_line};

/// Where it is looked.
pub struct Scene<'a> {
    pub repository: &'a Path,
    pub project: &'a Path,
    pub environment: &'a Environment,
    pub settings: &'a Settings,
    /// As far as they are known.
    pub roles: Option<&'a RoleAgents>,
    pub commands: Option<&'a ProjectCommands>,
}

impl Scene<'_> {
    /// The level as it is said of this project.
    ///
    /// # Errors
    /// A `hide` without whose places nothing could be started.
    pub fn telling(&self, chosen: Chosen) -> Result<Chosen, Trouble> {
        let Some(backend) = &chosen.backend else { return Ok(chosen) };
        let belongings = self.belongings();
        if let Some((place, program)) =
            belongings.hides_program(self.programs(backend).iter().map(String::as_str))
        {
            return Err(self.refused(&place, &program));
        }
        let mut open = belongings.open(self.repository, &self.needed());
        open.seen.extend(self.lent());
        Ok(chosen.telling(&self.settings.reach, &open))
    }

    /// What is not kept here, and what `hide` does not do, line by line.
    pub fn notices(&self) -> Vec<String> {
        self.belongings().notices(self.repository, &self.needed())
    }

    fn belongings(&self) -> Belongings {
        Belongings::of(&self.settings.reach, &self.environment.vars)
    }

    fn needed(&self) -> Vec<PathBuf> {
        let git = git_folders(self.repository).map(|folders| folders.to_vec()).unwrap_or_default();
        let real = |path: PathBuf| path.canonicalize().unwrap_or(path);
        git.into_iter().chain([leftovers::shared_folder()]).map(real).collect()
    }

    /// Places of credentials that agents of the repository's use as their own.
    fn lent(&self) -> Vec<String> {
        let mut tables: Vec<_> =
            self.roles.into_iter().flat_map(|roles| Role::ALL.map(|role| &roles.of(role).table)).collect();
        tables.sort_by(|one, other| one.name.cmp(&other.name));
        tables.dedup_by(|one, other| one.name == other.name);
        let of_table = tables.into_iter().flat_map(|table| {
            let lent = brought::lent(&self.settings.agents, table).into_iter();
            lent.map(|path| (path, table.name.clone()))
        });
        of_table
            .filter(|(path, _)| is_credential(path.trim_start_matches("~/")))
            .map(|(path, name)| format!("{path} (for the agent `{name}` of {})", config_file::NAME))
            .collect()
    }

    /// What a run starts, as it is called.
    fn programs(&self, backend: &Backend) -> Vec<String> {
        let mut programs = vec!["sh".to_owned(), "git".to_owned()];
        let program = match backend {
            Backend::Bubblewrap(bwrap) => &bwrap.program,
            Backend::Seatbelt(program) => program,
        };
        let own = std::env::current_exe().ok();
        programs.extend([program].into_iter().chain(&own).map(|path| path.to_string_lossy().into_owned()));
        let lines = self.commands.into_iter().flat_map(|commands| [&commands.test, &commands.gate]);
        programs.extend(lines.flat_map(|line| line.split_whitespace()).map(str::to_owned));
        let tables = self.roles.into_iter().flat_map(|roles| Role::ALL.map(|role| &roles.of(role).table));
        let called = tables.filter_map(|table| Some(table.argv.shown().split(' ').next()?.to_owned()));
        programs.extend(called);
        programs
    }

    fn refused(&self, place: &str, program: &Path) -> Trouble {
        let own = self.environment.config_home.as_deref().map(config_file::persons);
        let is_own = self.settings.reach.hide.own.iter().any(|own| own == place);
        let file = own.filter(|_| is_own).unwrap_or_else(|| self.project.join(config_file::NAME));
        let source = config_file::read_at(&file).ok().flatten().unwrap_or_default();
        let name = if is_own { file.display().to_string() } else { config_file::NAME.to_owned() };
        about("sandbox.hide", "can't be used")
            .because(format!("{place} holds {}, which this run starts: no child could", program.display()))
            .advise("take it out of the list, or hide a folder in it that holds no programs")
            .in_file(&name, |setting| nearest_line(&source, setting))
    }
}
