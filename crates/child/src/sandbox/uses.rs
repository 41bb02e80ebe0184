//! What a project says of the programs that it is built with: by its files, and by its commands.

use std::collections::BTreeSet;

/// Asked before a folder is made for a program in the person's home.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// Names of files, without their folders.
    files: BTreeSet<String>,
    /// Words of commands, without the folders of programs.
    words: BTreeSet<String>,
    has_agent: bool,
}

impl Uses {
    pub fn of<'t>(files: impl Iterator<Item = &'t str>, commands: impl Iterator<Item = &'t str>) -> Self {
        let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        let words = commands.flat_map(str::split_whitespace);
        Self { files: files.map(name).collect(), words: words.map(name).collect(), has_agent: false }
    }

    /// An agent's program works for it, beside what the project names.
    #[must_use = "this returns what is used with an agent"]
    pub fn with_agent(self) -> Self {
        Self { has_agent: true, ..self }
    }

    pub(super) fn any_of(&self, files: &[&str]) -> bool {
        self.has_agent || self.has(files)
    }

    pub(super) fn program(&self, program: &str, files: &[&str]) -> bool {
        self.words.contains(program) || self.has(files)
    }

    fn has(&self, files: &[&str]) -> bool {
        files.iter().any(|wanted| match wanted.strip_prefix('*') {
            Some(end) => self.files.iter().any(|file| file.ends_with(end)),
            None => self.files.contains(*wanted),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_used_where_a_file_or_a_command_says_so() {
        let files = ["app/go.mod", "x.py"];
        let uses = Uses::of(files.into_iter(), ["./tools/mvn -q test"].into_iter());
        assert!(
            uses.program("go", &["go.mod"]) && uses.program("mvn", &["pom.xml"]) && uses.any_of(&["*.py"])
        );
        assert!(!uses.program("npm", &["package.json"]) && !uses.any_of(&["Cargo.toml"]));
        assert!(uses.with_agent().any_of(&["Cargo.toml"]));
    }
}
