//! `python -m unittest`, run by a driver of our own that takes the same arguments.

mod facts;

use std::path::Path;

use super::canary::{self, Judged, PlantedCanary};
use super::installed::Installed;
use super::place::Place;
use super::python;
use super::python::Reporter;
use super::scope::Scope;
use super::verification::words;
use super::verification::{Measured, Step, Verification};
use crate::canary_text;
use crate::canary_text::PythonRunner;
use crate::command_line::{RunnerCall, typed};
use tdd_core::path::RelPath;
use tdd_core::ports::Observer;
use tdd_core::trouble::Trouble;

pub(super) use facts::RUNNER;

const DRIVER: &str = include_str!("reporters/tdd_unittest_driver.py");
const FAIL_CODE: i32 = 1;

#[derive(Debug)]
pub(super) struct Unittest {
    call: RunnerCall,
    installed: Installed,
}

impl Unittest {
    /// `work` is the run's private folder.
    pub(super) fn new(call: RunnerCall, work: &Path) -> Self {
        Self { call, installed: Installed::new(work) }
    }

    /// For a process that goes on with a run.
    pub(super) fn recall(&mut self) {
        self.installed.grow_cold();
    }

    pub(super) async fn run(
        &mut self,
        place: &Place,
        scope: &Scope,
        verification: &mut Verification,
        observer: Observer<'_>,
    ) -> Result<Measured, Trouble> {
        let files = scope.chosen_files();
        let shown = if files.is_empty() {
            typed(self.call.program.iter().chain(&self.call.args))
        } else {
            self.selection(place, &files)
        };
        verification.announce(shown, observer);
        let folder = python::install(verification, "tdd_unittest_driver.py", DRIVER)?;
        let told = verification.fresh("report.jsonl");
        let ours = Reporter { folder: &folder, report: &told, is_first: true };
        let compiled = self.installed.ready();
        let judged = canary::judged(place, scope.judged.as_deref());
        let planted = judged.as_deref().map(|judged| plant(place, judged, &folder)).transpose()?.flatten();
        let copies = scope.plan.plant(place, canary::named_like)?;
        let own = planted.iter().chain(&copies).filter_map(|planted| planted.path.as_ref());
        let scope = &scope.with_own(own);
        let given = (scope, planted.as_ref(), copies.as_slice());
        let env = python::variables((verification, &compiled), &self.call, given, place, &ours);
        let mut argv = self.python();
        argv.push(folder.join("tdd_unittest_driver.py").to_string_lossy().into_owned());
        argv.extend(self.args(place, scope));
        let step = Step { argv: words(&argv), cwd: place.project.clone(), env, stdout: None };
        let finished = verification.run(step).await?;
        if compiled.fills() {
            self.installed.seal();
        }
        Ok(match python::read(&told) {
            Err(why) => {
                Measured { exit: finished.exit, report: None, unreadable: Some(why), fail_code: FAIL_CODE }
            }
            Ok(reported) => {
                let mut results = python::results(&reported, place, scope);
                verification.hear_copies(canary::take_out_copies(&copies, &mut results));
                verification.note_canary(canary::outcome(planted.as_ref(), judged.as_deref(), &mut results));
                let unreadable = reported.flaw;
                Measured { exit: finished.exit, report: Some(results), unreadable, fail_code: FAIL_CODE }
            }
        })
    }

    /// The words before `-m unittest`.
    fn python(&self) -> Vec<String> {
        let end = self.call.program.len().saturating_sub(2);
        self.call.program[..end].to_vec()
    }

    /// A discovery stays one: the driver leaves files out of it. Names given one by one are taken
    /// as they are, unless files are chosen or one of them is left out.
    fn args(&self, place: &Place, scope: &Scope) -> Vec<String> {
        let args: Vec<String> = self.call.args.iter().filter(|arg| !is_fail_fast(arg)).cloned().collect();
        let names =
            args.iter().any(|arg| !arg.starts_with('-')) && args.first().is_none_or(|arg| arg != "discover");
        if !names {
            return args;
        }
        if scope.is_unchosen() {
            let left_out = |arg: &String| {
                let module = arg.strip_suffix(".py").map_or_else(|| arg.replace('.', "/"), str::to_owned);
                let path = format!("{module}.py");
                place.in_repository(&path).is_some_and(|path| scope.leave_out.contains(&path))
            };
            return args.into_iter().filter(|arg| !left_out(arg)).collect();
        }
        let options = args.into_iter().filter(|arg| arg.starts_with('-') && arg != "-k");
        options.chain(scope.chosen_files().iter().map(|file| place.id_path(file))).collect()
    }

    /// The command line that runs these files' tests.
    pub(super) fn selection(&self, place: &Place, files: &[RelPath]) -> String {
        let base = typed(&self.call.program);
        if self.call.args.first().is_none_or(|arg| arg != "discover") {
            let paths: Vec<String> = files.iter().map(|file| place.id_path(file)).collect();
            return format!("{base} {}", typed(&paths));
        }
        // Modules that are found by discovery may not be importable by their path.
        let one = |file: &RelPath| {
            let mut args: Vec<String> =
                self.call.args.iter().filter(|arg| !is_fail_fast(arg)).cloned().collect();
            args.extend(["-p".to_owned(), file.file_name().to_owned()]);
            format!("{base} {}", typed(&args))
        };
        files.iter().map(one).collect::<Vec<_>>().join(" && ")
    }
}

/// In the run's private folder: our driver loads it by its path, and unittest has no rules that go by
/// a folder.
fn plant(place: &Place, judged: &[Judged], folder: &Path) -> Result<Option<PlantedCanary>, Trouble> {
    let Some(first) = judged.first() else { return Ok(None) };
    let secret = canary::secret()?;
    let name = canary::named_like(&first.path, &secret.name);
    let script = canary_text::python(PythonRunner::Unittest, &first.source, &secret);
    PlantedCanary::plant(place, folder, &name, (secret, &script)).map(Some)
}

fn is_fail_fast(arg: &str) -> bool {
    arg == "-f" || arg == "--failfast"
}
