//! The project's commands, tried: do they run, and do they refuse a test that fails?

use super::Scene;
use crate::commands::run::execute;
use crate::view::print;
use crate::world::project::Place;
use crate::world::project_commands;
use tdd_core::audience::News;
use tdd_core::checkup::{Finding, Grade, Refusal, Subject, Tried};
use tdd_core::commands::{ProjectCommands, Suite};
use tdd_core::trouble::{Trouble, TroubleKind};
use tdd_runners::runner::{Rehearsal, RunnerSetup, rehearse};

/// Whether somebody changes the work tree while it is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tree {
    Quiet,
    /// Another `tdd` holds its lock.
    AtWork,
}

/// Fails only if a signal stopped us.
pub(super) fn commands(place: &Place, scene: &Scene, tree: Tree) -> Result<Vec<Finding>, Trouble> {
    let chosen = match project_commands::choose(&place.project, &scene.settings.commands) {
        Ok(chosen) => chosen,
        Err(trouble) => return Ok(vec![Finding::problem(Subject::Test, trouble)]),
    };
    if tree == Tree::AtWork {
        let trouble = Trouble::environment(words(&chosen.commands, Suite::Test))
            .because("not tried, because another tdd is changing the tree")
            .advise("look again when it is done");
        return Ok(vec![Finding::warning(Subject::Test, trouble)]);
    }
    let setup = RunnerSetup {
        repository: place.repository.clone(),
        project: place.project.clone(),
        commands: chosen.commands.clone(),
        table: chosen.table,
        work: place.repository.join(".tdd"),
        deadline: scene.settings.deadlines.command_ms.map(std::time::Duration::from_millis),
        output_cap: scene.settings.output_cap,
        stop: scene.stop.clone(),
    };
    let mask = crate::commands::given::mask_of(&scene.environment);
    let mut hear = |news: News| match news {
        News::Running { command, .. } => {
            print::message(&format!("tdd: in a copy of the tree: {}", mask.apply(&command)));
        }
        News::Note(text) => print::message(&format!("tdd: {}", mask.apply(&text))),
        News::ChildLine { .. } | News::Turns { .. } | News::Bounds { .. } | News::Tick { .. } => {}
    };
    match execute::event_loop()?.block_on(rehearse(&setup, &mut hear)) {
        Ok(rehearsal) => told(&chosen.commands, rehearsal),
        Err(trouble) => Ok(vec![unless_stopped(Subject::Test, trouble)?]),
    }
}

fn told(commands: &ProjectCommands, rehearsal: Rehearsal) -> Result<Vec<Finding>, Trouble> {
    let finding = |suite: Suite, outcome: Result<Tried, Trouble>| match outcome {
        Ok(tried) => Ok(of_command(commands, suite, &tried)),
        Err(trouble) => unless_stopped(subject(suite), trouble),
    };
    let test = finding(Suite::Test, rehearsal.test)?;
    let gate = match rehearsal.gate {
        Some(outcome) => finding(Suite::Gate, outcome)?,
        None => Finding::ok(Subject::Gate, "the test command"),
    };
    Ok(vec![test, gate])
}

fn unless_stopped(subject: Subject, trouble: Trouble) -> Result<Finding, Trouble> {
    if matches!(trouble.kind, TroubleKind::Stopped(_)) {
        return Err(trouble);
    }
    Ok(Finding::problem(subject, trouble))
}

fn subject(suite: Suite) -> Subject {
    match suite {
        Suite::Test => Subject::Test,
        Suite::Gate => Subject::Gate,
    }
}

/// The command, where it comes from and who reads it.
fn words(commands: &ProjectCommands, suite: Suite) -> String {
    match suite {
        Suite::Test => {
            format!("`{}` ({}, read by {})", commands.test, commands.test_source, commands.runner)
        }
        Suite::Gate => format!("`{}` ({})", commands.gate, commands.gate_source),
    }
}

fn of_command(commands: &ProjectCommands, suite: Suite, tried: &Tried) -> Finding {
    let words = words(commands, suite);
    let counted = match tried.tests {
        Some((all, 0)) => format!("; tests: {all}, none red"),
        Some((all, red)) => format!("; tests: {all}, red: {red}"),
        None => String::new(),
    };
    let (grade, what, why, next) = graded(suite, tried);
    let finding =
        Finding { subject: subject(suite), grade, what: format!("{words}: {what}{counted}"), why, next };
    let is_red = tried.tests.is_some_and(|(_, red)| red > 0);
    if is_red && finding.grade == Grade::Ok {
        let why = "what is red before a run is left out of all its judgements".to_owned();
        return Finding { grade: Grade::Warning, why, next: "make them pass first".to_owned(), ..finding };
    }
    finding
}

const ADD_TEST: &str = "add a first test, or try it by hand";
const MAKE_GREEN: &str = "make what is red pass first, and look again";

/// Grade, what, why, what next.
fn graded(suite: Suite, tried: &Tried) -> (Grade, String, String, String) {
    if let Some(unfit) = unfit(tried) {
        let flag = match suite {
            Suite::Test => "--allow-red-baseline",
            Suite::Gate => "--allow-red-gate",
        };
        let next = format!(
            "make it pass first; where it is green in your own tree, it needs git or an ignored file below a \
             folder. A run goes on all the same with {flag}"
        );
        return (Grade::Problem, unfit, tried.said.clone(), next);
    }
    let none = String::new;
    match &tried.refusal {
        Refusal::Seen => (Grade::Ok, "refuses a planted test that fails".to_owned(), none(), none()),
        Refusal::Unnamed => (
            Grade::Warning,
            "is red with a planted test that fails, and does not name it".to_owned(),
            "another rule may have refused the file, or its output is kept quiet".to_owned(),
            "see that it runs the tests".to_owned(),
        ),
        Refusal::OfBrokenSource if suite == Suite::Gate => (
            Grade::Warning,
            "runs no tests: it refuses only what is no program".to_owned(),
            "it is green with a planted test that fails, and red with a test file that can't be read"
                .to_owned(),
            "add the tests to it; the test command is run after a refactoring in any case".to_owned(),
        ),
        Refusal::None | Refusal::OfBrokenSource => (
            Grade::Problem,
            "lets a planted test pass that fails".to_owned(),
            "so its being green says nothing".to_owned(),
            match suite {
                Suite::Test => "name a command that runs the tests: `test:` in tdd.yaml".to_owned(),
                Suite::Gate => "name a command that can fail: `gate:` in tdd.yaml".to_owned(),
            },
        ),
        Refusal::NotShown(why) => (
            Grade::Warning,
            "not shown that it refuses a test that fails".to_owned(),
            why.clone(),
            if tried.tests.is_some_and(|(_, red)| red > 0) { MAKE_GREEN } else { ADD_TEST }.to_owned(),
        ),
    }
}

/// What a run's baseline would be refused for.
fn unfit(tried: &Tried) -> Option<String> {
    if let Some(why) = &tried.unreadable {
        return Some(format!("what it reports can't be read ({why})"));
    }
    let explained = tried.tests.is_some_and(|(all, red)| red > 0 || all == 0);
    (!tried.exit.is_success() && !explained).then(|| format!("it is red as it is ({})", tried.exit))
}
