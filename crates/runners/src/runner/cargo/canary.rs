//! Where a canary lies in a package, and what it is like.
//!
//! It is a test target of its own, so it is built with all others and run as a process of its own.
//! In it the judged files are modules: their tests run first, and its own test sorts last.

use std::path::{Path, PathBuf};

use super::options::Options;
use super::targets::{self, Found};
use super::{Base, Cargo, folder_of};
use crate::canary_text::{Imitation, rust, rust_copy};
use crate::runner::canary::{self, Judged, PlantedCanary};
use crate::runner::copies::Plan;
use crate::runner::place::Place;
use crate::runner::scope::Scope;
use crate::runner::verification::{Step, Verification, read_capped};
use crate::runner::words;
use crate::test_report::cargo_build::Build;
use crate::test_report::{REPORT_CAP, libtest};
use tdd_child::regular_file;
use tdd_core::path::RelPath;
use tdd_core::test::{Canary, Exit, Outcome, TestId, TestReport, TestResult};
use tdd_core::trouble::Trouble;

/// A planted canary of a package.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) planted: PlantedCanary,
    judged: Vec<String>,
    /// Of the plan's copies those that can be built, by their numbers.
    copies: Vec<(usize, String)>,
    imitation: Imitation,
}

/// `None` where no test target is found by its place alone: no judged file lies in a `tests` folder,
/// or the manifest switches that off. Then nothing can be added without a change of the manifest.
pub(super) fn plant(
    place: &Place,
    (judged, plan): (&[Judged], &Plan),
    verification: &mut Verification,
) -> Result<Option<Target>, Trouble> {
    let Some(folder) = judged.iter().find_map(|file| tests_folder(&file.path)) else { return Ok(None) };
    let on_disk = place.repository.join(&folder);
    if !finds_targets(&on_disk) {
        return Ok(None);
    }
    let inside = |file: &Judged| {
        let below = file.path.as_str().strip_prefix(folder.as_str())?.strip_prefix('/')?;
        (file.path.extension() == "rs").then(|| below.to_owned())
    };
    let judged: Vec<String> = judged.iter().filter_map(inside).collect();
    let secret = canary::secret()?;
    let numbered = plan.copies.iter().enumerate();
    let copies: Vec<(usize, String)> = numbered
        .filter(|(_, copy)| {
            copy.judged
                .as_str()
                .strip_prefix(folder.as_str())
                .is_some_and(|rest| rest.matches('/').count() == 1)
        })
        .map(|(number, copy)| (number, homed(&copy.text, &on_disk)))
        .collect();
    let script = rust((&judged, &copies), Imitation::Copied, &secret);
    let name = format!("{}.rs", secret.name);
    verification.hide_lines(&secret.name);
    let planted = PlantedCanary::plant(place, &on_disk, &name, (secret, &script))?;
    Ok(Some(Target { planted, judged, copies, imitation: Imitation::Copied }))
}

/// The same, with modules that lie in files of their own found where they lie.
fn homed(text: &str, folder: &Path) -> String {
    let homed = |line: &str| {
        let name = line.trim().trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';')?;
        let places = [folder.join(format!("{name}.rs")), folder.join(name).join("mod.rs")];
        let place = places.into_iter().find(|place| place.is_file())?;
        Some(format!("#[path = {:?}]\n{line}", place.to_string_lossy()))
    };
    text.lines().map(|line| homed(line).unwrap_or_else(|| line.to_owned()) + "\n").collect()
}

/// A build, as far as it went.
pub(super) struct Built {
    pub(super) build: Build,
    pub(super) exit: Exit,
    pub(super) said: String,
    pub(super) found: Found,
}

impl Cargo {
    /// A build with a canary that is as much like the judged files as can be compiled.
    pub(super) async fn build_with(
        &self,
        mut canary: Option<&mut Target>,
        base: &Base<'_>,
        verification: &mut Verification,
    ) -> Result<Built, Trouble> {
        loop {
            let own = canary.as_ref().and_then(|canary| canary.file()).cloned();
            let (build, exit, said) = self.build(base, own.as_ref(), verification).await?;
            let found = targets::sort_out(&build, base.place, &self.options, own.as_ref());
            let fails = |file: &RelPath| found.failures.iter().any(|(root, _)| root == file);
            let alone = own.as_ref().is_some_and(fails)
                && !base.scope.judged.as_ref().is_some_and(|judged| judged.iter().any(fails));
            if let Some(canary) = &mut canary
                && alone
                && canary.simplify()?
            {
                continue;
            }
            return Ok(Built { build, exit, said, found });
        }
    }
}

impl Target {
    pub(super) fn file(&self) -> Option<&RelPath> {
        self.planted.path.as_ref()
    }

    /// Runs it after all others, one test after the other, and notes what became of it. `step` is its
    /// binary's call without arguments; `None` if it was not built.
    pub(super) async fn run(
        &self,
        step: Option<Step>,
        (judged, report, scope): (&[Judged], &TestReport, &Scope),
        verification: &mut Verification,
    ) -> Result<Canary, Trouble> {
        let seen = match step {
            _ if canary::is_pointless(judged, report) => Canary::NotAsked,
            None => Canary::NotRun,
            Some(step) => self.see(step, scope, verification).await?,
        };
        verification.note_canary(seen);
        Ok(seen)
    }

    async fn see(
        &self,
        step: Step,
        scope: &Scope,
        verification: &mut Verification,
    ) -> Result<Canary, Trouble> {
        let before = verification.parts();
        let stdout = verification.fresh("canary");
        let mut step = Step { stdout: Some(stdout.clone()), ..step };
        step.argv.extend(words(&Options::canary_args()));
        verification.run(step).await?;
        let output = read_capped(&stdout, REPORT_CAP).unwrap_or_default().unwrap_or_default();
        verification.hide_parts(before);
        let told = libtest::transcripts(&output).tests;
        if self.imitation == Imitation::Copied {
            let of_copy = |number: usize| {
                let module = format!("{}::", rust_copy(number));
                let own =
                    told.iter().filter_map(|(name, outcome)| Some((name.strip_prefix(&module)?, outcome)));
                let result = |(name, outcome): (&str, &Outcome)| TestResult {
                    id: TestId(format!("{number}::{name}")),
                    file: None,
                    outcome: outcome.clone(),
                    duration_ms: 0,
                };
                own.map(result).collect()
            };
            verification.hear_copies((0..scope.plan.copies.len()).map(of_copy).collect());
        }
        let word = |name: &String| told.iter().find(|(own, _)| own == name).map(|(_, outcome)| outcome);
        Ok(self.planted.classify(self.planted.tests().iter().map(word)))
    }

    /// After a build in which it did not compile: whether there is a simpler form of it to try.
    pub(super) fn simplify(&mut self) -> Result<bool, Trouble> {
        self.imitation = match self.imitation {
            Imitation::Copied if !self.copies.is_empty() => Imitation::Whole,
            Imitation::Copied | Imitation::Whole => Imitation::None,
            Imitation::None => return Ok(false),
        };
        let script = rust((&self.judged, &self.copies), self.imitation, self.planted.secret());
        self.planted.replace(&script)?;
        Ok(true)
    }
}

/// The folder in which a judged file is a test target, or a module of one.
fn tests_folder(file: &RelPath) -> Option<String> {
    let parts: Vec<&str> = file.as_str().split('/').collect();
    let at = parts[..parts.len() - 1].iter().rposition(|part| *part == "tests")?;
    Some(parts[..=at].join("/"))
}

/// Whether cargo looks into the `tests` folder of a package for targets.
fn finds_targets(tests: &Path) -> bool {
    let manifest: PathBuf = folder_of(&tests.to_string_lossy()).join("Cargo.toml");
    let Ok(text) = regular_file::read_to_string(manifest) else { return false };
    let table: toml::Table = text.parse().unwrap_or_default();
    let Some(package) = table.get("package").and_then(toml::Value::as_table) else { return false };
    let switched = package.get("autotests").and_then(toml::Value::as_bool);
    // Before 2018 one target that is named switches it off.
    let old = package.get("edition").is_none_or(|edition| edition.as_str() == Some("2015"));
    switched.unwrap_or(!(old && table.contains_key("test")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_canary_lies_where_targets_are_found() {
        for (file, want) in [
            ("tests/ac_1.rs", Some("tests")),
            ("crates/a/tests/suite/ac_1.rs", Some("crates/a/tests")),
            ("src/lib.rs", None),
            ("src/tests.rs", None),
        ] {
            assert_eq!(tests_folder(&RelPath::new(file).unwrap()).as_deref(), want, "{file}");
        }
        let folder = tempfile::tempdir().unwrap();
        for (manifest, want) in [
            ("[package]\nname = 'a'\nedition = '2021'\n", true),
            ("[package]\nname = 'a'\nedition = '2021'\nautotests = false\n", false),
            ("[package]\nname = 'a'\n[[test]]\nname = 'b'\n", false),
            ("[package]\nname = 'a'\n", true),
            ("[workspace]\n", false),
        ] {
            std::fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
            assert_eq!(finds_targets(&folder.path().join("tests")), want, "{manifest}");
        }
    }
}
