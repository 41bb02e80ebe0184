//! vitest, read through a reporter of our own, which alone is told of errors outside of tests.
//!
//! Arguments that name files mean every file whose path holds them, so those that are too much are
//! excluded by name. The person's configuration stays what it is.

mod facts;

use std::path::{Path, PathBuf};

use super::javascript::{self, Options, Sorted, canary};
use super::place::Place;
use super::scope::Scope;
use super::verification::words;
use super::verification::{Measured, Step, Verification};
use crate::canary_text::JavaScriptRunner;
use crate::command_line::{RunnerCall, typed};
use tdd_core::path::RelPath;
use tdd_core::ports::Observer;
use tdd_core::trouble::Trouble;

pub(super) use facts::RUNNER;

const REPORTER: &str = include_str!("reporters/tdd_vitest_report.mjs");

#[derive(Clone, Debug)]
pub(super) struct Vitest {
    call: RunnerCall,
}

impl Vitest {
    pub(super) fn new(call: RunnerCall) -> Self {
        Self { call }
    }

    pub(super) async fn run(
        &self,
        place: &Place,
        scope: &Scope,
        verification: &mut Verification,
        observer: Observer<'_>,
    ) -> Result<Measured, Trouble> {
        let sorted = sorted(&self.call.args);
        let chosen = if scope.is_unchosen() { None } else { Some(scope.chosen_files()) };
        verification.announce(self.typed(&sorted, place, chosen.as_deref()), observer);
        let places = match &chosen {
            None => sorted.places,
            Some(files) => {
                let present = javascript::present(files, place);
                if present.is_empty() {
                    return Ok(javascript::nothing());
                }
                present.iter().map(|path| path.to_string_lossy().into_owned()).collect()
            }
        };
        let (mut step, told) = self.step(&sorted.options, places, place, verification)?;
        let mut more: Vec<String> = Vec::new();
        more.extend(javascript::pattern(scope, place).map(|pattern| format!("--testNamePattern={pattern}")));
        let kept = |file: &RelPath| {
            !scope.leave_out.contains(file) && chosen.as_ref().is_none_or(|it| it.contains(file))
        };
        more.extend(excluded(place, scope, chosen.as_deref(), &kept));
        step.argv.extend(words(&more));
        let finished = verification.run(step).await?;
        let run = javascript::conclude(finished.exit, &told, place, scope);
        let planted = canary::plant_all(&run, (JavaScriptRunner::Vitest, place, scope), verification)?;
        if planted.is_empty() {
            return Ok(run);
        }
        let copies = canary::plant_copies(JavaScriptRunner::Vitest, place, scope)?;
        let options = canary::unchosen(&sorted.options, CHOOSERS);
        let paths = canary::paths(planted.iter().chain(&copies)).collect();
        let (mut step, told) = self.step(&options, paths, place, verification)?;
        // The configuration may hold a pattern of names too.
        step.argv.push("--testNamePattern=.*".into());
        canary::see((run, planted, copies), (step, &told), place, verification).await
    }

    /// A call with these options and files, and where its report will be.
    fn step(
        &self,
        options: &[String],
        places: Vec<String>,
        place: &Place,
        verification: &Verification,
    ) -> Result<(Step, PathBuf), Trouble> {
        let mut argv = javascript::program(&self.call, "vitest", place)?;
        argv.push("run".to_owned());
        argv.extend(options.iter().cloned());
        argv.extend(places);
        let told = verification.fresh("report.jsonl");
        let reporter = javascript::install(verification, "tdd_vitest_report.mjs", REPORTER, &told)?;
        argv.push("--reporter=default".to_owned());
        argv.push(format!("--reporter={}", reporter.display()));
        // A part of the tests covers too little, and then the exit code would not be about tests.
        for option in ["--bail=0", "--passWithNoTests", "--coverage.enabled=false", "--allowOnly=false"] {
            argv.push(option.to_owned());
        }
        let env = javascript::environment(&self.call, place);
        Ok((Step { argv: words(&argv), cwd: place.project.clone(), env, stdout: None }, told))
    }

    /// The command line that runs these files' tests.
    pub(super) fn selection(&self, place: &Place, files: &[RelPath]) -> String {
        self.typed(&sorted(&self.call.args), place, Some(files))
    }

    fn typed(&self, sorted: &Sorted, place: &Place, files: Option<&[RelPath]>) -> String {
        let mut argv = self.call.program.clone();
        argv.push("run".to_owned());
        argv.extend(sorted.options.iter().cloned());
        match files {
            None => argv.extend(sorted.places.iter().cloned()),
            Some(files) => argv.extend(files.iter().map(|file| place.id_path(file))),
        }
        typed(&argv)
    }
}

/// Options that keep files from being run: those left out, and those that a chosen path would mean
/// besides itself.
fn excluded(
    place: &Place,
    scope: &Scope,
    chosen: Option<&[RelPath]>,
    kept: &dyn Fn(&RelPath) -> bool,
) -> Vec<String> {
    let mut files: Vec<RelPath> = scope.leave_out.iter().cloned().collect();
    if let Some(chosen) = chosen {
        let wanted: Vec<String> = chosen.iter().map(|file| place.id_path(file).to_lowercase()).collect();
        let meant = |file: &RelPath| {
            let path = place.id_path(file).to_lowercase();
            wanted.iter().any(|wanted| path.contains(wanted.as_str()))
        };
        files.extend(place.files_below(&place.project).into_iter().filter(|file| !kept(file) && meant(file)));
    }
    files.sort();
    files.dedup();
    files.iter().map(|file| format!("--exclude={}", literal(&place.absolute(file)))).collect()
}

/// A glob for this very file, wherever the configuration takes globs from.
fn literal(path: &Path) -> String {
    let mut glob = String::new();
    for character in path.to_string_lossy().chars() {
        if "\\*?[]{}()!+@|,".contains(character) {
            glob.push('\\');
        }
        glob.push(character);
    }
    glob
}

/// Options that choose among tests.
const CHOOSERS: &[&str] = &["-t", "--testNamePattern", "--shard", "--tagsFilter"];

const OPTIONS: Options = Options {
    valued: &[
        "-c",
        "--config",
        "-r",
        "--root",
        "--dir",
        "--mode",
        "--project",
        "-t",
        "--testNamePattern",
        "--environment",
        "--pool",
        "--maxWorkers",
        "--minWorkers",
        "--testTimeout",
        "--hookTimeout",
        "--teardownTimeout",
        "--exclude",
        "--retry",
        "--shard",
        "--sequence.seed",
        "--configLoader",
        "--browser.name",
        "--tagsFilter",
    ],
    listed: &[],
    dropped: &[
        "--watch",
        "-w",
        "--no-watch",
        "--run",
        "-u",
        "--update",
        "--ui",
        "--open",
        "--standalone",
        "--changed",
        "--coverage",
        "--passWithNoTests",
        "--silent",
        "--allowOnly",
        "--no-allowOnly",
    ],
    dropped_valued: &["--reporter", "--outputFile"],
    dropped_counted: &["--bail"],
};

fn sorted(args: &[String]) -> Sorted {
    let mut sorted = OPTIONS.sort(args);
    if sorted.places.first().is_some_and(|word| matches!(word.as_str(), "run" | "watch" | "dev")) {
        sorted.places.remove(0);
    }
    sorted
        .options
        .retain(|option| !["--coverage.", "--outputFile."].iter().any(|head| option.starts_with(head)));
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_watches_stops_early_or_reports_elsewhere_goes() {
        for (line, options, places) in [
            ("run --bail=1 --reporter=dot -t x src", "-t x", "src"),
            ("--config vitest.unit.ts --watch", "--config vitest.unit.ts", ""),
            ("watch --bail 2 --coverage.enabled --reporter verbose test/a", "", "test/a"),
            ("--run -u --project web", "--project web", ""),
        ] {
            let args: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let sorted = sorted(&args);
            assert_eq!(
                (sorted.options.join(" ").as_str(), sorted.places.join(" ").as_str()),
                (options, places),
                "{line}"
            );
        }
    }

    #[test]
    fn a_path_is_a_glob_for_itself() {
        assert_eq!(literal(Path::new("/p/app/[id]/(x)/a.test.ts")), r"/p/app/\[id\]/\(x\)/a.test.ts");
    }
}
