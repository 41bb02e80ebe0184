//! Canaries of vitest and jest, each a copy of its judged file.
//!
//! They run after all else, in a call of their own: both run files side by side, and what two of them
//! do at once (a port, a file) may fail though each alone would not.

use std::path::Path;

use super::results;
use crate::canary_text::{JavaScriptRunner, javascript, javascript_file};
pub(in crate::runner) use crate::runner::canary::paths;
use crate::runner::canary::{self, Judged, PlantedCanary};
use crate::runner::place::Place;
use crate::runner::python::read;
use crate::runner::scope::Scope;
use crate::runner::verification::{Measured, Step, Verification};
use tdd_core::path::RelPath;
use tdd_core::test::TestReport;
use tdd_core::trouble::Trouble;

/// Plants what is to run after this run, one for each judged file that loads; none if the run is
/// worth nothing by itself, because a canary's failure would explain its exit code.
pub(in crate::runner) fn plant_all(
    run: &Measured,
    (runner, place, scope): (JavaScriptRunner, &Place, &Scope),
    verification: &mut Verification,
) -> Result<Vec<PlantedCanary>, Trouble> {
    let Some(judged) = canary::may_follow(run, place, scope.judged.as_deref(), verification) else {
        return Ok(Vec::new());
    };
    let failures = run.report.iter().flat_map(|report| &report.load_failures);
    let unloaded: Vec<&RelPath> = failures.map(|load| &load.file).collect();
    let loads = |file: &&Judged| !unloaded.contains(&&file.path);
    judged.iter().filter(loads).map(|file| plant(runner, place, file)).collect()
}

/// Copies of the judged files, for the same call.
pub(in crate::runner) fn plant_copies(
    runner: JavaScriptRunner,
    place: &Place,
    scope: &Scope,
) -> Result<Vec<PlantedCanary>, Trouble> {
    scope.plan.plant(place, |judged, name| javascript_file(runner, judged.file_name(), name))
}

/// One canary beside its judged file.
pub(in crate::runner) fn plant(
    runner: JavaScriptRunner,
    place: &Place,
    judged: &Judged,
) -> Result<PlantedCanary, Trouble> {
    let secret = canary::secret()?;
    let script = javascript(runner, &judged.source, judged.path.extension(), &secret);
    let name = javascript_file(runner, judged.path.file_name(), &secret.name);
    let file = place.absolute(&judged.path);
    PlantedCanary::plant(place, file.parent().unwrap_or(&place.project), &name, (secret, &script))
}

/// Runs the call that names the planted files, which leaves its report in `told`.
pub(in crate::runner) async fn see(
    birds: (Measured, Vec<PlantedCanary>, Vec<PlantedCanary>),
    (step, told): (Step, &Path),
    place: &Place,
    verification: &mut Verification,
) -> Result<Measured, Trouble> {
    let report = || read(told).map_or_else(|_| TestReport::default(), |reported| results(&reported, place));
    canary::see(birds, step, verification, report).await
}

/// A person's options less these, which choose tests and have a value: no choice is about a canary.
pub(in crate::runner) fn unchosen(options: &[String], choosers: &[&str]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut options = options.iter();
    while let Some(option) = options.next() {
        let (name, inline) =
            option.split_once('=').map_or((option.as_str(), false), |(name, _)| (name, true));
        if !choosers.contains(&name) {
            kept.push(option.clone());
        } else if !inline {
            options.next();
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_chooses_tests_is_not_said_of_a_canary() {
        let options: Vec<String> =
            "-t a --project web --shard=1/2 -t=x -u".split(' ').map(str::to_owned).collect();
        assert_eq!(unchosen(&options, &["-t", "--shard"]), ["--project", "web", "-u"]);
    }
}
