//! Runs what was built, and once more what a panic kept from running.
//!
//! What is reported is held against go's own count. A name stands for as many tests as files declare it,
//! and go must have begun it as often: of namesakes those that were not begun are in no report. And
//! a test that go ran, but no file declares as we read it, makes the run no evidence.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::time::Duration;

use super::packages::Package;
use super::{Gathered, Going, pattern};
use crate::runner::verification::{Verification, read_capped};
use crate::runner::words;
use crate::test_report::go_test::{self, Ran, Told, Word};
use crate::test_report::{REPORT_CAP, failure, go_error};
use tdd_core::path::RelPath;
use tdd_core::test::{Exit, Failure, FailureKind, Outcome, TestId, TestResult};
use tdd_core::trouble::Trouble;

/// So many panics are looked behind; each costs a run of its package.
const PANICS: usize = 40;

/// Which tests a call of go is asked for.
enum Asked {
    /// What the command itself chooses.
    All,
    Only(BTreeSet<String>),
}

impl Going<'_> {
    pub(super) async fn run(
        &mut self,
        packages: &[Package],
        verification: &mut Verification,
        gathered: &mut Gathered,
    ) -> Result<(), Trouble> {
        if packages.is_empty() {
            return Ok(());
        }
        let asked = self.asked(packages);
        let Some(mut told) = self.hear(packages, &asked, verification, gathered).await? else {
            return Ok(());
        };
        let filtered = matches!(asked, Asked::All) && !self.options.filters.is_empty();
        for package in packages {
            let first = told.packages.remove(&package.import).unwrap_or_default();
            gathered.flaw = gathered.flaw.take().or_else(|| first.flaw(&package.import));
            let mut ran = first.tests;
            if !filtered {
                self.behind_panics(package, &mut ran, (verification, gathered)).await?;
            }
            if let Some(name) = self.unread(package, &ran, verification).await? {
                let why = format!(
                    "go ran {name} of {}, and tdd finds it in no test file: its result would be lost (declare it \
                     at the beginning of a line)",
                    package.import
                );
                gathered.flaw.get_or_insert(why);
            }
            self.report(package, ran, gathered);
        }
        Ok(())
    }

    /// A test of the package that ran, and that none of its files declares as we read them. Where a name is
    /// unknown go is asked for it: a program under test may print that a test begins.
    async fn unread(
        &self,
        package: &Package,
        ran: &BTreeMap<String, Ran>,
        verification: &mut Verification,
    ) -> Result<Option<String>, Trouble> {
        let unknown = |(name, ran): &(&String, &Ran)| {
            ran.begun > 0
                && !name.contains('/')
                && !self.birds.is_own(name)
                && package.files_of(name).is_empty()
        };
        let unknown: BTreeSet<&str> = ran.iter().filter(unknown).map(|(name, _)| name.as_str()).collect();
        if unknown.is_empty() {
            return Ok(None);
        }
        let mut argv = self.test_call(self.overlay(verification)?);
        argv.extend(["-list".into(), ".".into(), OsString::from(&package.import)]);
        argv.extend(words(&self.options.tail));
        let before = verification.parts();
        let stdout = verification.fresh("names");
        verification.run(self.step(argv, stdout.clone())).await?;
        verification.hide_parts(before);
        let listed = read_capped(&stdout, REPORT_CAP).unwrap_or_default().unwrap_or_default();
        let listed = String::from_utf8_lossy(&listed);
        Ok(listed.lines().find(|line| unknown.contains(line)).map(str::to_owned))
    }

    fn asked(&self, packages: &[Package]) -> Asked {
        if self.scope.is_unchosen() {
            return Asked::All;
        }
        let mut names = BTreeSet::new();
        for package in packages {
            names.extend(self.wanted(package));
        }
        names.extend(self.birds.plants_any().then(|| self.birds.test()));
        Asked::Only(names)
    }

    /// Top-level names of the tests of a package that take part.
    fn wanted(&self, package: &Package) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for (file, declared) in &package.tests {
            let chosen = |name: &&String| {
                let id = self.id(file, name);
                let below = format!("{id}/");
                let by_sub = || self.scope.only_ids.iter().any(|other| other.0.starts_with(&below));
                self.scope.takes(file, &id) || (by_sub() && !self.scope.leave_out.contains(file))
            };
            names.extend(declared.iter().filter(chosen).cloned());
        }
        names
    }

    fn id(&self, file: &RelPath, test: &str) -> TestId {
        TestId(format!("{}::{test}", self.place.id_path(file)))
    }

    /// One call of go. `None` if there is nothing to be read; why is in `gathered`.
    async fn hear(
        &self,
        packages: &[Package],
        asked: &Asked,
        verification: &mut Verification,
        gathered: &mut Gathered,
    ) -> Result<Option<Told>, Trouble> {
        let mut argv = self.test_call(self.overlay(verification)?);
        argv.push("-json".into());
        let options = self.options;
        argv.extend(words(&options.run));
        match asked {
            Asked::All => argv.extend(words(&options.filters)),
            Asked::Only(names) if names.is_empty() => return Ok(Some(Told::default())),
            Asked::Only(names) => {
                argv.extend(["-run".into(), OsString::from(pattern(names.iter().map(String::as_str)))]);
            }
        }
        argv.extend(packages.iter().map(|package| OsString::from(&package.import)));
        argv.extend(words(&options.tail));
        let stdout = verification.fresh("events");
        let exit = verification.run(self.step(argv, stdout.clone())).await?.exit;
        let told = match read_capped(&stdout, REPORT_CAP) {
            Ok(bytes) => go_test::parse(&bytes.unwrap_or_default()),
            Err(why) => {
                gathered.flaw.get_or_insert(why);
                return Ok(None);
            }
        };
        verification.show_instead(&stdout, &self.birds.silenced(&told.plain))?;
        let Exit::Code(code) = exit else {
            gathered.stopped = Some(exit);
            return Ok(None);
        };
        let red = !told.unbuilt.is_empty() || told.packages.values().any(|one| one.end == Some(Word::Fail));
        if red == (code == 0) || !matches!(code, 0..=2) {
            let why = format!("go exited with {code}, which its own results do not explain");
            gathered.flaw.get_or_insert(why);
        }
        if let Some(package) = told.unbuilt.first() {
            let why = format!("the package {package} was built, and then it could not be built again");
            gathered.flaw.get_or_insert(why);
        }
        Ok(Some(told))
    }

    /// Runs what did not run because a panic ended the process before.
    async fn behind_panics(
        &self,
        package: &Package,
        ran: &mut BTreeMap<String, Ran>,
        (verification, gathered): (&mut Verification, &mut Gathered),
    ) -> Result<(), Trouble> {
        for _ in 0..PANICS {
            let mut left = self.wanted(package);
            left.extend(self.birds.plants_in(&package.dir).then(|| self.birds.test()));
            left.retain(|name| !ran.contains_key(name));
            let panicked = ran.values().any(Ran::took_the_process);
            if left.is_empty() || !panicked || gathered.stopped.is_some() {
                return Ok(());
            }
            let one = std::slice::from_ref(package);
            let Some(mut told) = self.hear(one, &Asked::Only(left), verification, gathered).await? else {
                return Ok(());
            };
            let again = told.packages.remove(&package.import).unwrap_or_default();
            gathered.flaw = gathered.flaw.take().or_else(|| again.flaw(&package.import));
            if again.tests.is_empty() {
                // Examples without output and tests behind a `TestMain` never run.
                return Ok(());
            }
            let ends_here = !again.tests.values().any(Ran::took_the_process);
            ran.extend(again.tests);
            if ends_here {
                return Ok(());
            }
        }
        Ok(())
    }

    /// A name that no file of the package declares was printed by somebody, and says nothing.
    fn report(&mut self, package: &Package, ran: BTreeMap<String, Ran>, gathered: &mut Gathered) {
        for (test, ran) in ran {
            if self.birds.hear(&package.import, &test, &ran) {
                continue;
            }
            let files = package.files_of(&test);
            // Whether a panic took the other with it is not to be known, so they fail together.
            let begun = if ran.took_the_process() { files.len() } else { ran.begun / self.options.times() };
            for file in files.into_iter().take(begun) {
                let id = self.id(file, &test);
                if self.scope.takes(file, &id) {
                    let duration = Duration::try_from_secs_f64(ran.seconds).unwrap_or_default();
                    let duration_ms = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
                    let outcome = outcome(&ran);
                    gathered.report.tests.push(TestResult {
                        id,
                        file: Some(file.clone()),
                        outcome,
                        duration_ms,
                    });
                }
            }
        }
    }
}

fn outcome(ran: &Ran) -> Outcome {
    match ran.word {
        Some(Word::Pass) => Outcome::Passed,
        Some(Word::Skip) => Outcome::Skipped,
        Some(Word::Fail) => Outcome::Failed(go_error::test_failure(&ran.output)),
        None => Outcome::Failed(unended(&ran.output)),
    }
}

/// A test that was begun and not ended: by a panic of the time limit, or with its process.
fn unended(output: &str) -> Failure {
    let told = go_error::test_failure(output);
    match told.kind {
        FailureKind::Timeout | FailureKind::Crash | FailureKind::Error => told,
        FailureKind::Assertion | FailureKind::Missing | FailureKind::Load => {
            let why = format!("its process ended before the test did\n{output}");
            failure(FailureKind::Crash, &why, None)
        }
    }
}
