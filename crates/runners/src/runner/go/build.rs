//! Builds all test binaries without running one, and finds the files that keep them from it.

use std::collections::BTreeMap;
use std::ffi::OsString;

use super::options::Errors;
use super::packages::Package;
use super::{Gathered, Going};
use crate::runner::verification::Verification;
use crate::test_report::go_error::{self, BuildError};
use crate::test_report::{failure, missing};
use tdd_child::regular_file;
use tdd_core::path::RelPath;
use tdd_core::test::{Behind, Exit, Failure, FailureKind, LoadFailure};
use tdd_core::trouble::Trouble;

/// Each round takes at least one more file out; whoever has more broken files than this has none
/// that builds.
const ROUNDS: usize = 20;

impl Going<'_> {
    /// The packages that can be run, without the test files that do not compile.
    pub(super) async fn build(
        &mut self,
        listed: Vec<Package>,
        verification: &mut Verification,
        gathered: &mut Gathered,
    ) -> Result<Vec<Package>, Trouble> {
        let module = listed.first().map(|package| package.module.clone()).unwrap_or_default();
        for _ in 0..ROUNDS {
            let packages: Vec<Package> = listed
                .iter()
                .map(|package| package.without(&self.removed))
                .filter(|p| self.takes(p))
                .collect();
            if packages.is_empty() {
                return Ok(packages);
            }
            let (exit, said) = self.build_once(&packages, verification).await?;
            match exit {
                Exit::Code(0) if self.unwritten.stand_down() => continue,
                Exit::Code(0) => return Ok(packages),
                Exit::Code(_) => {}
                Exit::Signal(_) | Exit::Deadline | Exit::OutputCap => {
                    gathered.stopped = Some(exit);
                    return Ok(Vec::new());
                }
            }
            if self.errors == Errors::First
                && said.lines().any(|line| line.trim_end().ends_with("too many errors"))
            {
                self.errors = Errors::All;
                continue;
            }
            let errors = go_error::errors(&said);
            let found = self.sort_out(&errors, &listed, &module);
            if let Some(broken) = found.broken {
                gathered.report.project_broken = Some(broken);
                return Ok(Vec::new());
            }
            if found.files.is_empty()
                && self.unwritten.stand_in((&said, &self.place.project), verification)?
            {
                continue;
            }
            if found.files.is_empty() {
                let why = if said.trim().is_empty() { "go gave up without a word" } else { said.trim() };
                gathered.report.project_broken = Some(failure(FailureKind::Load, why, None));
                return Ok(Vec::new());
            }
            for load in found.files {
                self.removed.insert(load.file.clone());
                self.broken.insert(load.file.clone(), load.clone());
                if self.scope.takes_file(&load.file) {
                    gathered.report.load_failures.push(load);
                }
            }
        }
        gathered.flaw = Some("more test files than can be left out one by one do not compile".to_owned());
        Ok(Vec::new())
    }

    /// Compiles packages without their tests: those that have none are built by nobody else, and what needs its tests
    /// does not compile where others import it.
    pub(super) async fn compile_alone(
        &self,
        packages: &[Package],
        verification: &mut Verification,
        gathered: &mut Gathered,
    ) -> Result<(), Trouble> {
        let Some(module) = packages.first().map(|package| package.module.clone()) else { return Ok(()) };
        let overlay = self.overlay(verification)?;
        let mut argv: Vec<OsString> = [self.program()].to_vec();
        argv.extend(["list", "-export", "-f", "{{\"\"}}", "-overlay"].map(OsString::from));
        argv.push(overlay.into());
        argv.extend(self.options.build.iter().map(OsString::from));
        argv.extend(packages.iter().map(|package| OsString::from(&package.import)));
        let stdout = verification.fresh("list");
        let finished = verification.build(self.step(argv, stdout.clone())).await?;
        let said = verification.last_words(1);
        verification.show_instead(&stdout, "")?;
        match finished.exit {
            Exit::Code(0) => return Ok(()),
            Exit::Code(_) => {}
            Exit::Signal(_) | Exit::Deadline | Exit::OutputCap => {
                gathered.stopped = Some(finished.exit);
                return Ok(());
            }
        }
        let errors = go_error::errors(&said);
        let mut by_file: BTreeMap<RelPath, Vec<&BuildError>> = BTreeMap::new();
        for error in &errors {
            if let Some(file) = self.place.in_repository(&error.file) {
                by_file.entry(file).or_default().push(error);
            }
        }
        let own = |name: &str| self.names.contains(name);
        let failures = by_file
            .into_iter()
            .map(|(file, errors)| LoadFailure::new(file, go_error::classify(&errors, &module, &own)));
        gathered.report.load_failures.extend(failures);
        Ok(())
    }

    /// Whether a test of this package can take part.
    fn takes(&self, package: &Package) -> bool {
        package.tests.keys().any(|file| self.scope.takes_file(file)) || self.birds.plants_in(&package.dir)
    }

    async fn build_once(
        &self,
        packages: &[Package],
        verification: &mut Verification,
    ) -> Result<(Exit, String), Trouble> {
        let mut argv = self.test_call(self.overlay(verification)?);
        // What is built is handed to a program that does nothing.
        argv.extend(["-exec", "true"].map(OsString::from));
        argv.extend(packages.iter().map(|package| OsString::from(&package.import)));
        let stdout = verification.fresh("build");
        let finished = verification.build(self.step(argv, stdout.clone())).await?;
        let said = verification.last_words(1);
        verification.show_instead(&stdout, "")?;
        Ok((finished.exit, said))
    }

    fn sort_out(&self, errors: &[BuildError], listed: &[Package], module: &str) -> Found {
        let own = |name: &str| self.names.contains(name.trim_end_matches("_test"));
        let mut by_file: BTreeMap<RelPath, Vec<&BuildError>> = BTreeMap::new();
        let mut production = Vec::new();
        for error in errors {
            let file = self.place.in_repository(&error.file);
            let test = file.filter(|file| listed.iter().any(|package| package.tests.contains_key(file)));
            match test {
                Some(file) => by_file.entry(file).or_default().push(error),
                None => production.push(error),
            }
        }
        let broken = (!production.is_empty()).then(|| go_error::classify(&production, module, &own));
        let gone = self.gone_names();
        let files = by_file.into_iter().map(|(file, mut errors)| {
            self.unwritten.leave_out_unused(&mut errors);
            let source = regular_file::read(self.place.absolute(&file)).unwrap_or_default();
            let names = names_of_its_own(&String::from_utf8_lossy(&source), module);
            let told =
                go_error::classify(&errors, module, &|name| own(name) || names.iter().any(|own| own == name));
            self.needs_what_is_gone(file, told, &gone)
        });
        Found { broken, files: files.collect() }
    }

    /// What the files that do not take part declare, by folder and name, and which of them does.
    fn gone_names(&self) -> BTreeMap<(String, String), RelPath> {
        let mut names = BTreeMap::new();
        for file in &self.removed {
            let source = regular_file::read(self.place.absolute(file)).unwrap_or_default();
            for line in String::from_utf8_lossy(&source).lines() {
                let opened =
                    ["func ", "type ", "var ", "const "].iter().find_map(|word| line.strip_prefix(word));
                let name =
                    opened.unwrap_or_default().chars().take_while(|c| c.is_alphanumeric() || *c == '_');
                let name = Some(name.collect::<String>()).filter(|name| !name.is_empty());
                names.extend(name.map(|name| ((file.folder().to_owned(), name), file.clone())));
            }
        }
        names
    }

    /// Nothing still to be written mends a file that needs what another test file declares; whether that one waits for
    /// the code alone is known to whoever knows whose they are.
    fn needs_what_is_gone(
        &self,
        file: RelPath,
        told: Failure,
        gone: &BTreeMap<(String, String), RelPath>,
    ) -> LoadFailure {
        let folder = file.folder().to_owned();
        let needed: Vec<(&String, &RelPath)> = told
            .all_absent()
            .filter_map(|name| Some((name, gone.get(&(folder.clone(), name.clone()))?)))
            .collect();
        let Some((name, first)) = needed.first() else { return LoadFailure::new(file, told) };
        let why = format!("{}\n{name} is declared in {first}, which takes no part in this run", told.message);
        let mut needs: BTreeMap<&RelPath, LoadFailure> = BTreeMap::new();
        for (_, path) in &needed {
            let Some(other) = self.broken.get(*path) else {
                let left_out = failure(FailureKind::Load, "takes no part in this run", None);
                needs.insert(path, LoadFailure::new((*path).clone(), left_out));
                continue;
            };
            let in_turn = other.behind.iter().flat_map(|behind| &behind.needs);
            needs.extend(in_turn.map(|load| (&load.file, load.clone())));
            let lacks =
                other.behind.as_ref().map(|behind| missing(&other.failure.message, behind.absent.clone()));
            let own = LoadFailure::new(other.file.clone(), lacks.unwrap_or_else(|| other.failure.clone()));
            needs.insert(&other.file, own);
        }
        let absent = told.all_absent().cloned().collect();
        let behind = Behind { needs: needs.into_values().collect(), absent };
        let failure = failure(FailureKind::Load, &why, None);
        LoadFailure { behind: Some(behind), ..LoadFailure::new(file, failure) }
    }
}

struct Found {
    /// Something that is no test file does not compile.
    broken: Option<Failure>,
    files: Vec<LoadFailure>,
}

/// By which names of its own a file calls packages of this module: `import s "module/shop"`.
fn names_of_its_own(source: &str, module: &str) -> Vec<String> {
    let named = source.lines().filter_map(|line| {
        let line = line.trim();
        let (name, path) = line.strip_prefix("import ").unwrap_or(line).trim_start().split_once('"')?;
        let path = path.split('"').next()?;
        let is_own = path == module || path.strip_prefix(module).is_some_and(|rest| rest.starts_with('/'));
        let name = name.trim();
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        (is_own && is_name && name != "_").then(|| name.to_owned())
    });
    named.take(MOST_NAMES).collect()
}

/// Imports of one file under names of its own.
const MOST_NAMES: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_the_module_are_known_by_what_a_file_calls_them() {
        let source = "package a\n\nimport s \"x.y/m/shop\"\nimport (\n\t\"fmt\"\n\tbase \"x.y/m\"\n\t. \"x.y/m/dot\"\n\t_ \"x.y/m/blank\"\n\tother \"x.y/more\"\n)\n\nvar x = \"x.y/m\"\n";
        assert_eq!(names_of_its_own(source, "x.y/m"), ["s", "base"]);
    }
}
