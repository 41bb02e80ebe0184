//! What of the repository an agent's program reads as settings of its own, and nothing keeps it from.

use std::path::Path;

use super::TableAgents;
use tdd_core::role::Role;

impl TableAgents {
    /// A line of warning for each such file from the project's folder up to the repository's: in a sandbox
    /// only a link, which can't be hidden. What lies deeper is not looked for.
    pub fn open_settings(&self, repository: &Path) -> Vec<String> {
        let mut tables = Role::ALL.map(|role| &self.setup.roles.of(role).table).to_vec();
        tables.dedup_by(|one, other| one.name == other.name);
        let folders = self.setup.cwd.ancestors().take_while(|folder| folder.starts_with(repository));
        let folders: Vec<&Path> = folders.collect();
        let mut lines = Vec::new();
        for (table, name) in tables.iter().flat_map(|table| table.hide.iter().map(move |name| (table, name)))
        {
            let there = folders.iter().map(|folder| folder.join(name)).filter(|file| file.is_file());
            let open = there.filter(|file| self.sandbox.is_none() || is_behind_a_link(file));
            lines.extend(open.filter_map(|file| {
                let shown = file.strip_prefix(repository).ok()?.display().to_string();
                let why = if self.sandbox.is_none() {
                    "level `audit` hides nothing"
                } else {
                    "a link can't be hidden"
                };
                Some(format!(
                    "`{}` reads {shown} of this repository as settings of its own, and {why}: see what it \
                     says before you trust this run",
                    table.name
                ))
            }));
        }
        lines
    }
}

fn is_behind_a_link(file: &Path) -> bool {
    let above = file.parent().and_then(|folder| folder.canonicalize().ok());
    let (Some(above), Some(name)) = (above, file.file_name()) else { return true };
    file.canonicalize().map_or(true, |real| real != above.join(name))
}
