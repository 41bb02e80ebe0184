//! Takes a requirement through the whole cycle: `tdd <FR>`.

pub mod execute;
pub mod prepare;
pub mod wire;

use std::path::Path;
use std::process::ExitCode;

use crate::cli::RunArgs;
use crate::core::trouble::Trouble;
use crate::settings::{Environment, Intent};
use crate::view::print;

use prepare::Prepared;

pub fn run(args: &RunArgs) -> Result<ExitCode, Trouble> {
    let (cwd, environment) = super::surroundings()?;
    start(args, &cwd, environment)
}

/// The same from any folder: `tdd demo` runs through here too.
pub fn start(args: &RunArgs, cwd: &Path, environment: Environment) -> Result<ExitCode, Trouble> {
    let prepared = prepare::prepare(args, cwd, environment)?;
    match prepared.settings.intent {
        Intent::Describe => {
            print::result(&describe(&prepared));
            Ok(ExitCode::SUCCESS)
        }
        Intent::Run => execute::execute(&prepared),
    }
}

/// What would be done, for `--dry-run`.
fn describe(prepared: &Prepared) -> String {
    let commands = &prepared.chosen.commands;
    let mut lines = vec![
        format!("requirement: {} ({})", prepared.requirement.id, prepared.requirement.path),
        format!(
            "test:        {} (from {}, read by {})",
            commands.test, commands.test_source, commands.runner
        ),
        format!("gate:        {} (from {})", commands.gate, commands.gate_source),
        format!("agents:      {}", prepared.agent_names().join(", ")),
        format!("isolation:   {}", wire::ISOLATION),
    ];
    for id in &prepared.plan.criteria {
        let already = if prepared.plan.already_green.contains(id) { ", already green" } else { "" };
        let text =
            prepared.requirement.criterion(id).map(|criterion| criterion.text.as_str()).unwrap_or_default();
        let first = text.lines().next().unwrap_or_default();
        lines.push(format!("criterion:   {id}{already}: {first}"));
    }
    let forks = prepared.plan.criteria.len() - prepared.plan.already_green.len() + 2;
    lines.push(format!("forks:       {forks} if nothing fails; nothing was done"));
    lines.join("\n") + "\n"
}
