//! Takes a requirement through the whole cycle: `tdd <FR>`.

pub mod brought;
mod ci;
pub mod earlier;
mod edited;
pub mod execute;
pub mod finished;
mod given_up;
pub mod openings;
pub mod own_settings;
pub mod paused;
pub mod prepare;
pub mod record;
pub mod wire;

use std::path::Path;
use std::process::ExitCode;

use crate::cli::RunArgs;
use crate::exit::Exit;
use crate::settings::{Environment, Intent, OutputMode};
use crate::text::object::{Content, DryRun};
use crate::view::{print, tell};
use tdd_core::criterion::{CriterionId, Verify};
use tdd_core::event::Refactoring;
use tdd_core::held_out::Holding;
use tdd_core::trouble::Trouble;

use prepare::Prepared;

pub fn run(args: &RunArgs) -> Result<ExitCode, Trouble> {
    let (cwd, environment) = super::given::surroundings()?;
    start(args, &cwd, environment)
}

/// The same from any folder: `tdd demo` runs through here too.
pub fn start(args: &RunArgs, cwd: &Path, environment: Environment) -> Result<ExitCode, Trouble> {
    let prepared = prepare::prepare(args, cwd, environment)?;
    if let Some(finished) = &prepared.finished {
        return Ok(finished.tell(prepared.settings.output));
    }
    match prepared.settings.intent {
        Intent::Describe => {
            print::result(&match prepared.settings.output {
                OutputMode::Json(_) | OutputMode::Summary(_) => describe_as_json(&prepared),
                OutputMode::Progress | OutputMode::Verbose | OutputMode::Quiet => describe(&prepared),
            });
            Ok(ExitCode::SUCCESS)
        }
        Intent::Run | Intent::Detached => execute::execute(&prepared),
    }
}

/// What would be done, for `--dry-run`.
fn describe(prepared: &Prepared) -> String {
    let commands = prepared.shown_commands();
    let mut lines = vec![
        format!("requirement: {} ({})", prepared.requirement.id, prepared.requirement.path),
        format!("test:        {} ({}, read by {})", commands.test, commands.test_source, commands.runner),
        format!("gate:        {} ({})", commands.gate, commands.gate_source),
        agents(prepared),
        format!("isolation:   {}", prepared.sandbox.isolation),
    ];
    let brought = brought::lines(&prepared.settings.agents, &prepared.roles);
    lines.extend(brought.into_iter().map(|line| format!("agent call:  {line}")));
    for id in &prepared.plan.criteria {
        let already = if prepared.plan.already_green.contains(id) { ", already green" } else { "" };
        let text =
            prepared.requirement.criterion(id).map(|criterion| criterion.text.as_str()).unwrap_or_default();
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        let more = if rest.trim().is_empty() { "" } else { " …" };
        let verify = match verify_of(prepared, id) {
            Verify::Test => "",
            Verify::Gate => ", by the gate",
            Verify::Mdtest(_) | Verify::Manual => ", not verifiable by tdd",
        };
        lines.push(format!("criterion:   {id}{already}{verify}: {first}{more}"));
    }
    let plan = &prepared.plan;
    let covered = plan.criteria.iter().filter(|id| verify_of(prepared, id) == Verify::Test).count();
    let worked_on = plan.criteria.iter().filter(|id| !plan.already_green.contains(id)).count();
    let refactor = usize::from(plan.refactor == Refactoring::Once);
    let forks = usize::from(covered > 0) + worked_on + refactor;
    if prepared.settings.held_out == Holding::On {
        let of_two = "a coin hides some tests of each criterion until the end; where one has a single test, a second \
                      test-writer is asked for more";
        lines.push(format!("held out:    {of_two}"));
    }
    if plan.refactor == Refactoring::Off {
        lines.push("refactor:    left out".to_owned());
    }
    lines.push(format!("attempts:    {forks} if nothing fails; nothing was done"));
    lines.join("\n") + "\n"
}

fn agents(prepared: &Prepared) -> String {
    match &prepared.missing_agent {
        None => format!("agent:       {}", tell::of_roles(&prepared.agent_names())),
        Some(missing) => format!("agent:       {}: {}; a run needs one", missing.what, missing.why),
    }
}

fn verify_of(prepared: &Prepared, id: &CriterionId) -> Verify {
    prepared.requirement.criterion(id).map(|criterion| criterion.verify.clone()).unwrap_or_default()
}

fn describe_as_json(prepared: &Prepared) -> String {
    Content::DryRun(Box::new(DryRun {
        requirement: prepared.requirement.path.clone(),
        commands: prepared.shown_commands(),
        agents: prepared.agent_names(),
        brought_agents: brought::lines(&prepared.settings.agents, &prepared.roles),
        plan: prepared.plan.clone(),
        isolation: prepared.sandbox.isolation.to_string(),
    }))
    .last(Exit::Verified.code())
}
