//! jest, read through a reporter of our own. Chosen files are given by path, and a filter module
//! keeps out those that take no part, since an option for that would replace the person's own.

mod facts;

use std::path::PathBuf;

use super::javascript::{self, Options, Sorted, canary};
use super::place::Place;
use super::scope::Scope;
use super::verification::words;
use super::verification::{Measured, Step, Verification, disk};
use crate::canary_text::JavaScriptRunner;
use crate::command_line::{RunnerCall, typed};
use tdd_child::regular_file;
use tdd_core::path::RelPath;
use tdd_core::ports::Observer;
use tdd_core::trouble::Trouble;

pub(super) use facts::RUNNER;

const REPORTER: &str = include_str!("reporters/tdd_jest_report.cjs");

#[derive(Clone, Debug)]
pub(super) struct Jest {
    call: RunnerCall,
}

impl Jest {
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
        let mut choice: Vec<String> = Vec::new();
        choice
            .extend(javascript::pattern(scope, place).map(|pattern| format!("--testNamePattern={pattern}")));
        if !scope.leave_out.is_empty() {
            choice.push(format!("--filter={}", filter(verification, place, scope)?));
        }
        match &chosen {
            None => choice.extend(sorted.places),
            Some(files) => {
                let present = javascript::present(files, place);
                if present.is_empty() {
                    return Ok(javascript::nothing());
                }
                choice.push("--runTestsByPath".to_owned());
                choice.extend(present.iter().map(|path| path.to_string_lossy().into_owned()));
            }
        }
        let (step, told) = self.step(&sorted.options, choice, place, verification)?;
        let finished = verification.run(step).await?;
        let run = javascript::conclude(finished.exit, &told, place, scope);
        let planted = canary::plant_all(&run, (JavaScriptRunner::Jest, place, scope), verification)?;
        if planted.is_empty() {
            return Ok(run);
        }
        let copies = canary::plant_copies(JavaScriptRunner::Jest, place, scope)?;
        let options = canary::unchosen(&sorted.options, CHOOSERS);
        let mut choice = vec!["--runTestsByPath".to_owned()];
        choice.extend(canary::paths(planted.iter().chain(&copies)));
        let (step, told) = self.step(&options, choice, place, verification)?;
        canary::see((run, planted, copies), (step, &told), place, verification).await
    }

    /// A call with these options and this choice of tests, and where its report will be.
    fn step(
        &self,
        options: &[String],
        choice: Vec<String>,
        place: &Place,
        verification: &Verification,
    ) -> Result<(Step, PathBuf), Trouble> {
        let mut argv = javascript::program(&self.call, "jest", place)?;
        argv.extend(options.iter().cloned());
        let told = verification.fresh("report.jsonl");
        let reporter = javascript::install(verification, "tdd_jest_report.cjs", REPORTER, &told)?;
        argv.push("--reporters=default".to_owned());
        argv.push(format!("--reporters={}", reporter.display()));
        // A part of the tests covers too little, and then the exit code would not be about tests.
        for option in ["--ci", "--bail=0", "--passWithNoTests", "--coverage=false", "--watchAll=false"] {
            argv.push(option.to_owned());
        }
        argv.extend(choice);
        let env = javascript::environment(&self.call, place);
        Ok((Step { argv: words(&argv), cwd: place.project.clone(), env, stdout: None }, told))
    }

    /// The command line that runs these files' tests.
    pub(super) fn selection(&self, place: &Place, files: &[RelPath]) -> String {
        self.typed(&sorted(&self.call.args), place, Some(files))
    }

    fn typed(&self, sorted: &Sorted, place: &Place, files: Option<&[RelPath]>) -> String {
        let mut argv = self.call.program.clone();
        argv.extend(sorted.options.iter().cloned());
        match files {
            None => argv.extend(sorted.places.iter().cloned()),
            Some(files) => {
                argv.push("--runTestsByPath".to_owned());
                argv.extend(files.iter().map(|file| place.id_path(file)));
            }
        }
        typed(&argv)
    }
}

/// A module that jest asks which of the files it found are to run. Up to 29 it wants objects, from
/// 30 paths; its own `package.json` says which.
fn filter(verification: &Verification, place: &Place, scope: &Scope) -> Result<String, Trouble> {
    let out: Vec<String> =
        scope.leave_out.iter().map(|file| place.absolute(file).to_string_lossy().into_owned()).collect();
    let out = serde_json::Value::from(out).to_string();
    let text = format!(
        "'use strict';\nconst out = new Set({out});\n\
         const version = (() => {{\n  try {{\n    return require(require.resolve('jest/package.json', {{ paths: [process.cwd()] }})).version;\n  \
         }} catch {{\n    return '30';\n  }}\n}})();\n\
         const tell = parseInt(version, 10) < 30 ? (test) => ({{ test }}) : (test) => test;\n\
         module.exports = async (found) => ({{ filtered: found.filter((test) => !out.has(test)).map(tell) }});\n"
    );
    let path = verification.fresh("tdd_jest_filter.cjs");
    regular_file::write(&path, text).map_err(|error| disk(&path, &error))?;
    Ok(path.to_string_lossy().into_owned())
}

/// Options that choose among tests.
const CHOOSERS: &[&str] = &["-t", "--testNamePattern", "--shard"];

const OPTIONS: Options = Options {
    valued: &[
        "-c",
        "--config",
        "--rootDir",
        "-t",
        "--testNamePattern",
        "-w",
        "--maxWorkers",
        "--testTimeout",
        "--env",
        "--testEnvironment",
        "--shard",
        "--seed",
        "--preset",
        "--resolver",
        "--runner",
        "--testRunner",
        "--cacheDirectory",
        "--workerIdleMemoryLimit",
    ],
    listed: &[
        "--projects",
        "--selectProjects",
        "--ignoreProjects",
        "--roots",
        "--setupFiles",
        "--setupFilesAfterEnv",
        "--testMatch",
        "--testPathIgnorePatterns",
        "--moduleFileExtensions",
        "--coveragePathIgnorePatterns",
    ],
    dropped: &[
        "--watch",
        "--watchAll",
        "-u",
        "--updateSnapshot",
        "-o",
        "--onlyChanged",
        "--lastCommit",
        "-f",
        "--onlyFailures",
        "--coverage",
        "--collectCoverage",
        "--json",
        "--silent",
        "--verbose",
        "--ci",
        "--no-ci",
        "--passWithNoTests",
        "--runTestsByPath",
        "--notify",
    ],
    dropped_valued: &["--reporters", "--outputFile", "--changedSince"],
    dropped_counted: &["-b", "--bail"],
};

fn sorted(args: &[String]) -> Sorted {
    OPTIONS.sort(args)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stops_early_watches_or_writes_goes() {
        for (line, options, places) in [
            ("--bail --coverage -u src", "", "src"),
            ("-b 3 -c jest.unit.js --runInBand test", "-c jest.unit.js --runInBand", "test"),
            ("--watchAll=false --reporters=default --json --outputFile x.json -t name", "-t name", ""),
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
}
