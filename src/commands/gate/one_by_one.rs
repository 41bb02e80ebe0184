//! `test_command_for`: one command for each test, where the runner can't select. Its exit code is all it says.

use std::path::Path;

use super::desk::{Desk, Project};
use super::ran::{MOST_OUTPUT, Ran, Wanted};
use crate::commands::run::execute::event_loop;
use tdd_child::{run_folder, signals};
use tdd_core::attempt::CheckpointId;
use tdd_core::commands::{ProjectCommands, RunnerKind, RunnerTable};
use tdd_core::event::{PassFail, TestRunFact};
use tdd_core::excerpt;
use tdd_core::harmless::shell_word;
use tdd_core::ports::{TestOrder, Tests as _};
use tdd_core::test::{Exit, FailureKind};
use tdd_core::trouble::Trouble;
use tdd_runners::runner::{ProjectTests, RunnerSetup};

pub(super) fn run(
    desk: &Desk,
    project: &Project,
    template: &str,
    wanted: &[Wanted],
    tree: &CheckpointId,
) -> Result<Ran, Trouble> {
    let mut ran = Ran {
        facts: Vec::new(),
        no_evidence: None,
        gone: Vec::new(),
        unconditional: Vec::new(),
        skipped: Vec::new(),
        known: Vec::new(),
        empty: Vec::new(),
        is_red: false,
        output: String::new(),
        duration_ms: 0,
    };
    for one in wanted {
        let command = filled(template, one);
        let run = {
            let mut tests = tests(desk, project, &command)?;
            event_loop()?.block_on(
                tests.run(&TestOrder { label: "gate test".into(), ..TestOrder::default() }, &mut |_| {}),
            )?
        };
        let (status, kind) = match run.exit {
            Exit::Code(0) => (PassFail::Pass, None),
            Exit::Code(_) => (PassFail::Fail, Some(FailureKind::Error)),
            Exit::Deadline => (PassFail::Fail, Some(FailureKind::Timeout)),
            Exit::Signal(_) | Exit::OutputCap => (PassFail::Fail, Some(FailureKind::Crash)),
        };
        ran.duration_ms += run.duration_ms;
        ran.output = excerpt::head_and_tail(&(ran.output + &desk.masked(&run.output)), MOST_OUTPUT);
        ran.facts.push(TestRunFact {
            test_id: one.id.clone(),
            test_id_source: one.source,
            status,
            kind,
            command: desk.masked(&command),
            duration_ms: run.duration_ms,
            file: one.file.clone(),
            tree: Some(tree.clone()),
            output: None,
        });
    }
    Ok(ran)
}

/// Each word is quoted: an id may hold anything.
fn filled(template: &str, wanted: &Wanted) -> String {
    let (file, name) = wanted.native.0.split_once("::").unwrap_or((&wanted.native.0, ""));
    let mut command = template.to_owned();
    for (place, word) in [("{id}", wanted.native.0.as_str()), ("{file}", file), ("{name}", name)] {
        command = command.replace(place, &shell_word(word));
    }
    command
}

fn tests(desk: &Desk, project: &Project, command: &str) -> Result<ProjectTests, Trouble> {
    let work: &Path = &desk.session.folder;
    let commands = ProjectCommands {
        test: command.to_owned(),
        runner: RunnerKind::ExitCode,
        ..project.chosen.commands.clone()
    };
    let all = command.to_owned();
    ProjectTests::new(RunnerSetup {
        repository: desk.place.repository.clone(),
        project: desk.place.project.clone(),
        commands,
        table: Some(RunnerTable { kind: RunnerKind::ExitCode, all, select: None, report: None }),
        work: work.join(run_folder::TESTS),
        deadline: project.settings.deadlines.command_ms.map(std::time::Duration::from_millis),
        output_cap: project.settings.output_cap,
        stop: signals::install()?,
    })
}
