//! `tdd fix`: runs the checks, and lets an agent mend what fails. Its help tells the exit codes.

use std::path::Path;
use std::process::ExitCode;

use crate::cli::fix::FixArgs;
use crate::driver::fix::FixDrive;
use crate::driver::flags::Flags;
use crate::driver::setup::Setup;
use crate::exit::Exit;
use crate::settings::fix::FixSettings;
use crate::settings::{Environment, OutputMode, SCRIPTED_AGENT};
use crate::text::object::fix::{FixReport, Outcome};
use crate::text::object::{Content, Paused};
use crate::text::summary::set_aside;
use crate::view::{self, Stderr, print};
use crate::world::journal_file::folders;
use crate::world::project::{self, Place};
use crate::world::project_commands::Chosen;
use crate::world::project_commands::checks::{self, CheckDeadlines, FoundChecks};
use tdd_agents::agent::{RoleAgent, RoleAgents};
use tdd_child::clock::SystemClock;
use tdd_child::leftovers;
use tdd_child::run_folder;
use tdd_child::sandbox;
use tdd_core::commands::{ProjectCommands, RunnerKind};
use tdd_core::event::{Event, Plan};
use tdd_core::fix::{Check, CheckKind, FixEnd, FixPhase, FixStarted, FixState, Writes};
use tdd_core::machine::{Facts, Suspension};
use tdd_core::path::RelPath;
use tdd_core::policy;
use tdd_core::ports::Clock;
use tdd_core::requirement::{Reading, Requirement};
use tdd_core::role::Role;
use tdd_core::trouble::Trouble;
use tdd_runners::checks::{CheckSetup, ProjectChecks};
use tdd_snapshot::checkpoints;
use tdd_snapshot::git_facts;

use super::run::brought;
use super::run::earlier;
use super::run::execute::{self, Hold};
use super::run::prepare::{self, Prepared};
use super::run::wire;

mod again;

/// What a run's id is made of in place of a requirement's.
const NAME: &str = "fix";

/// Runs the checks and the loop.
pub fn run(args: &FixArgs) -> Result<ExitCode, Trouble> {
    let (cwd, environment) = super::given::surroundings()?;
    let place = project::locate(&cwd)?;
    let settings =
        FixSettings::resolve(args, super::given::read_settings(&place, &environment)?, &environment)?;
    git_facts::refuse_locked_index(&place.repository)?;
    earlier::refuse_half_undone(&place.repository)?;
    let agent = agent(&settings, &environment)?;
    if settings.writes == Writes::Documents {
        return Ok(skipped(&settings, "the role `fixer` is marked `code: false` in tdd.yaml"));
    }
    if agent.table.writes == Writes::Documents {
        let why = format!("the agent `{}` is marked `code: false`: it writes no code", agent.table.name);
        return Ok(skipped(&settings, &why));
    }
    if let Some(count) = only_documents(&place, &settings, &args.since)? {
        let why = format!("only documents differ from {} ({count} of them)", args.since);
        return Ok(skipped(&settings, &why));
    }
    let previous = args.previous.as_deref().map(|file| super::parse::message(Some(file))).transpose()?;
    let deadlines =
        CheckDeadlines { types_ms: settings.type_deadline_ms, tests_ms: settings.test_deadline_ms };
    let named = (settings.checks.as_slice(), settings.checks_from);
    let found = checks::find(&place.project, &settings.common.commands, named, deadlines)?;
    let mask = super::given::mask_of(&environment);
    for note in &found.notes {
        print::message(&format!("tdd: {}", mask.apply(note)));
    }
    let prepared = prepared((place, &cwd), environment, &settings, &agent, &found)?;
    execute(
        &prepared,
        &settings,
        found,
        (previous, again::flags(args).masked(|words| mask.apply(words).into_owned())),
    )
}

fn agent(settings: &FixSettings, environment: &Environment) -> Result<RoleAgent, Trouble> {
    // Without a retry nobody is asked: the checks are run, and that is all.
    let name = match settings.retries {
        0 => SCRIPTED_AGENT,
        _ => &settings.common.agent(Role::Fixer).name,
    };
    let mut agent = prepare::agent(&settings.common, environment, Role::Fixer, name)?;
    if settings.retries == 0 {
        // So it needs no cassette either.
        agent.table.argv.0.truncate(1);
    }
    Ok(agent)
}

/// What the wiring of a run wants to know. There is no requirement, so its place holds the task.
fn prepared(
    (place, cwd): (Place, &Path),
    environment: Environment,
    settings: &FixSettings,
    agent: &RoleAgent,
    found: &FoundChecks,
) -> Result<Prepared, Trouble> {
    let common = settings.common.clone();
    let roles = RoleAgents::all(agent);
    prepare::refuse_caps_without_figures(&roles, &common.caps, None)?;
    let sandbox = sandbox::choose(common.sandbox, &common.reach, environment.path.as_deref())?;
    let path = RelPath::new(NAME).ok_or_else(|| Trouble::internal("a plain word is no path"))?;
    let (id, title) = (NAME.to_owned(), Some(settings.task.clone()));
    prepare::told(Prepared {
        cassette: common.cassette.as_ref().map(|path| cwd.join(path)),
        place,
        environment,
        requirement: Requirement {
            id,
            path,
            title,
            reading: Reading::Written,
            allow_config: Vec::new(),
            criteria: Vec::new(),
        },
        chosen: chosen(found),
        roles,
        record: None,
        reports: Vec::new(),
        operator: None,
        finished: None,
        missing_agent: None,
        plan: Plan { caps: common.caps, ..Plan::default() },
        sandbox,
        settings: common,
    })
}

/// The checks as the two commands of a run: what they run is protected, and the tests' runner says
/// which files are tests.
fn chosen(found: &FoundChecks) -> Chosen {
    let runner = found.checks.iter().find_map(|check| match check.kind {
        CheckKind::Tests(runner) => Some((runner, check)),
        CheckKind::Types(_) | CheckKind::Command => None,
    });
    let all: Vec<&str> = found.checks.iter().map(|check| check.command.as_str()).collect();
    let (runner, test) = runner.map_or_else(
        || (RunnerKind::ExitCode, all.join(" && ")),
        |(runner, check)| (runner, check.command.clone()),
    );
    let commands = ProjectCommands {
        test,
        test_source: NAME.to_owned(),
        gate: all.join(" && "),
        gate_source: NAME.to_owned(),
        runner,
    };
    let table = found.table.clone().filter(|table| table.kind == runner);
    Chosen { commands, table }
}

fn execute(
    prepared: &Prepared,
    settings: &FixSettings,
    found: FoundChecks,
    (previous, again): (Option<String>, Flags),
) -> Result<ExitCode, Trouble> {
    let repository = &prepared.place.repository;
    brought::tell(prepared.settings.output, &prepared.settings.agents, &prepared.roles);
    let hold = Hold::take(repository)?;
    let now = SystemClock::default().now_ms();
    let id = execute::new_run_id(now, NAME);
    let folders = hold.folders(repository.join(".tdd/runs").join(&id.0));
    let adapters = wire::adapters(prepared, &folders, &hold.tdd, &hold.stop)?;
    execute::warn(&adapters.warnings);
    let mut setup = wire::setup(prepared, &folders, &adapters)?;
    setup.resume_with = again;
    let check_setup = CheckSetup {
        repository: repository.clone(),
        project: prepared.place.project.clone(),
        table: found.table.clone(),
        work: folders.run.join(run_folder::TESTS),
        output_cap: settings.common.output_cap,
        stop: hold.stop.clone(),
    };
    let mut checks = ProjectChecks::new(&found.checks, &check_setup, adapters.sandbox.as_ref())?;
    checkpoints::exclude_runs(repository)?;
    let event_loop = execute::event_loop()?;
    let _noting = leftovers::note_children_in(&folders.run);
    let started = FixStarted {
        run: id,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        task: (setup.mask)(&settings.task),
        checks: shown(found.checks, &setup),
        agent: prepared.roles.of(Role::Fixer).table.name.clone(),
        project: prepared.place.project_in_repository(),
        retries: settings.retries,
        test_edits: settings.test_edits,
        caps: settings.common.caps,
    };
    let first = Event::FixStarted(Box::new(started.clone()));
    let journal = folders::begin(repository, &folders.run, (now, &first))?;
    let mut ports = wire::ports(prepared, &folders, journal, adapters)?;
    let output = settings.common.output;
    let mut audience = view::fix::audience(view::mode(execute::wish(output), Stderr::look()));
    let state = FixState::open(started);
    audience.event(&state, &first, now);
    let drive = FixDrive::new((&mut ports, &mut checks), &setup, &mut *audience, state, previous);
    let ended = event_loop.block_on(drive.run())?;
    drop(ports);
    Ok(ExitCode::from(closing(&ended, &folders.run, output, &setup.resume_with)?.code()))
}

/// The checks as they are kept and shown: without secrets.
fn shown(checks: Vec<Check>, setup: &Setup) -> Vec<Check> {
    let mask = &setup.mask;
    let masked = |check: Check| Check { command: mask(&check.command), source: mask(&check.source), ..check };
    checks.into_iter().map(masked).collect()
}

/// Prints what the run kept, and gives the exit code.
pub(super) fn closing(
    state: &FixState,
    run: &Path,
    output: OutputMode,
    with: &Flags,
) -> Result<Exit, Trouble> {
    let with = &with.past_a_cap(state);
    Ok(match (&state.facts.suspension, &state.phase) {
        (Some(Suspension::Paused(reason)), _) => {
            pause(reason, run, (&state.facts, output, Exit::Paused), with)
        }
        (Some(Suspension::Stopped(signal)), _) => {
            let reason = format!("stopped by signal {signal}; children are gone");
            pause(&reason, run, (&state.facts, output, Exit::Stopped(*signal)), with)
        }
        (None, FixPhase::Ended { end: FixEnd::Fixed }) => {
            execute::show(run, "summary", output);
            Exit::Verified
        }
        (None, FixPhase::Ended { end: FixEnd::Halted(_) }) => {
            execute::show(run, "halt", output);
            Exit::Halted
        }
        (None, FixPhase::Ended { end: FixEnd::Refused }) => Exit::SetUp,
        (None, _) => return Err(Trouble::internal("a run came to no end")),
    })
}

/// There is nothing to resume: the best state is in the tree, and a new run goes on from it.
fn pause(reason: &str, run: &Path, (facts, output, exit): (&Facts, OutputMode, Exit), with: &Flags) -> Exit {
    let id = run_folder::id_of(run);
    match output {
        OutputMode::Json(_) | OutputMode::Summary(_) => {
            let paused = Paused::of(reason, run, format!("tdd fix{with}"), facts);
            print::result(&Content::Paused(paused).last(exit.code()));
        }
        OutputMode::Progress | OutputMode::Verbose | OutputMode::Quiet => {
            let aside: String = set_aside(facts).flat_map(|line| ["\n  ".to_owned(), line]).collect();
            print::message(&format!(
                "tdd: paused: {reason}{aside}\n  the best state is kept; go on from it: tdd fix{with}\n  back to before the run: tdd undo {id}\n  run folder: {}",
                run.display()
            ));
        }
    }
    exit
}

fn skipped(settings: &FixSettings, why: &str) -> ExitCode {
    match settings.common.output {
        OutputMode::Json(_) | OutputMode::Summary(_) => {
            let (why, task) = (Some(why.to_owned()), settings.task.clone());
            let skipped = FixReport { outcome: Outcome::Skipped, why, task, run: None };
            print::result(&Content::Fix(Box::new(skipped)).last(Exit::Verified.code()));
        }
        OutputMode::Progress | OutputMode::Verbose | OutputMode::Quiet => {
            print::result(&format!("tdd fix: skipped, no check was run: {why}\n"));
        }
    }
    ExitCode::SUCCESS
}

/// How many files differ from `since`, if they are documents and nothing else. A tree without any
/// difference is checked as it is.
fn only_documents(place: &Place, settings: &FixSettings, since: &str) -> Result<Option<usize>, Trouble> {
    let Some(changed) = git_facts::changed_since(&place.repository, since)? else { return Ok(None) };
    if checks::read_documents(&place.project) {
        return Ok(None);
    }
    let project = place.project_in_repository();
    let specs = format!("{project}/{}", settings.common.specs_dir);
    let specs = specs.trim_start_matches('/');
    let is_document = |path: &RelPath| policy::is_document(path, specs);
    Ok((!changed.is_empty() && changed.iter().all(is_document)).then_some(changed.len()))
}
