//! The real world behind the ports.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::commands::runs::status as run_status;
use crate::driver::flags::Flags;
use crate::driver::setup::Setup;
use crate::settings::{Deadlines, Environment, OutputMode, SCRIPTED_AGENT, Settings};
use crate::text::skill;
use crate::view::print;
use crate::world::config_file;
use crate::world::journal_file::JournalFile;
use crate::world::project::Place;
use crate::world::project_commands::Chosen;
use tdd_agents::agent::{AgentSetup, TableAgents};
use tdd_child::clock::SystemClock;
use tdd_child::leftovers;
use tdd_child::run_folder;
use tdd_child::sandbox::{Belongings, OutOfSight, Sandbox, SandboxPaths, Sealed, Uses};
use tdd_child::signals::StopSignal;
use tdd_core::attempt::SetBy;
use tdd_core::criterion::{Criterion, Verify};
use tdd_core::isolation::Level;
use tdd_core::path::RelPath;
use tdd_core::policy::Policy;
use tdd_core::ports::{Allowance, Limits, Ports, Setters, World};
use tdd_core::role::Role;
use tdd_core::trouble::Trouble;
use tdd_core::turns::TurnCaps;
use tdd_proof::Checkouts;
use tdd_runners::command_line::checker;
use tdd_runners::gate_files;
use tdd_runners::runner::{ProjectTests, RunnerSetup};
use tdd_snapshot::checkpoints::{GitCheckpoints, git_folders};
use tdd_snapshot::git_facts;
use tdd_snapshot::manifest::Manifest;

use super::prepare::Prepared;

/// Bounds of one attempt that neither `tdd.yaml` nor the agent's table sets.
/// With a person at the agent's screen.
const WALL_IN_PERSON: Duration = Duration::from_hours(24);
const OUTPUT: u64 = 64 << 20;

/// The world of a run on this machine.
pub struct RealWorld;

impl World for RealWorld {
    type Journal = JournalFile;
    type Checkpoints = GitCheckpoints;
    type Protection = Manifest;
    type Tests = ProjectTests;
    type Agents = TableAgents;
    type Bench = Checkouts;
    type Clock = SystemClock;
}

/// Where a run keeps its things.
pub struct Folders {
    pub run: PathBuf,
    /// Exchange folders; outside the repository.
    pub exchange: PathBuf,
}

fn agents(prepared: &Prepared, folders: &Folders, tdd: &Path, stop: &StopSignal) -> TableAgents {
    TableAgents::new(AgentSetup {
        roles: prepared.roles.clone(),
        cwd: prepared.place.project.clone(),
        tdd: tdd.to_owned(),
        logs: folders.run.join(run_folder::LOGS),
        exchange_root: folders.exchange.clone(),
        state_root: folders.run.join(run_folder::STATE),
        cassette: prepared.cassette.clone(),
        backoff: prepared.settings.backoff_ms.iter().copied().map(Duration::from_millis).collect(),
        stop: stop.clone(),
        env: prepared.environment.vars.clone(),
        operator: prepared.operator,
        task: None,
    })
}

/// What can be refused before the run has a folder.
pub struct Adapters {
    pub agents: TableAgents,
    pub tests: ProjectTests,
    /// Around every child; none in level `audit`.
    pub sandbox: Option<Sandbox>,
    /// What is sealed, as the sandbox will know it.
    sealed: Sealed,
    /// What is hidden, as the sandbox will know it.
    out_of_sight: OutOfSight,
    /// As it is before the project has told anything of itself.
    policy: Policy,
    /// Lines for a person, to be shown once.
    pub warnings: Vec<String>,
}

pub fn adapters(
    prepared: &Prepared,
    folders: &Folders,
    tdd: &Path,
    stop: &StopSignal,
) -> Result<Adapters, Trouble> {
    let policy = policy(prepared)?;
    let sealed = Sealed::default();
    let sandbox_paths = sandbox_paths(prepared, folders, &policy)?;
    let out_of_sight = sandbox_paths.out_of_sight.clone();
    let notices = match prepared.sandbox.backend {
        Some(_) => sandbox_paths.notices(),
        None => Vec::new(),
    };
    let sandbox = prepared.sandbox.backend.clone().map(|backend| Sandbox {
        backend,
        sandbox_paths: sandbox_paths.clone(),
        sealed: sealed.clone(),
    });
    let agents = agents(prepared, folders, tdd, stop)
        .fenced_by(sandbox.clone())
        .told_of(sandbox_paths, sealed.clone());
    agents.preflight()?;
    let mut warnings = agents.versions(&mut |line| {
        if prepared.settings.output != OutputMode::Quiet {
            print::message(&format!("tdd: {line}"));
        }
    })?;
    warnings.extend(notices);
    warnings.extend(agents.open_settings(&prepared.place.repository));
    let tests = ProjectTests::new(RunnerSetup {
        repository: prepared.place.repository.clone(),
        project: prepared.place.project.clone(),
        commands: prepared.chosen.commands.clone(),
        table: prepared.chosen.table.clone(),
        work: folders.run.join(run_folder::TESTS),
        deadline: prepared.settings.deadlines.command_ms.map(Duration::from_millis),
        output_cap: prepared.settings.output_cap,
        stop: stop.clone(),
    })?;
    Ok(Adapters {
        agents,
        tests: tests.fenced_by(sandbox.clone()),
        sandbox,
        sealed,
        out_of_sight,
        policy,
        warnings,
    })
}

pub fn ports(
    prepared: &Prepared,
    folders: &Folders,
    journal: JournalFile,
    adapters: Adapters,
) -> Result<Ports<RealWorld>, Trouble> {
    let repository = prepared.place.repository.clone();
    let run = run_folder::id_of(&folders.run);
    let sealed = folders.run.join(run_folder::SEALED);
    let protection = Manifest::new(repository.clone(), adapters.policy, sealed).telling(adapters.sealed);
    let protection = match prepared.sandbox.isolation.level {
        Level::Enforce => protection,
        Level::Audit => protection.watching_above(folders.run.join("above")),
    };
    Ok(Ports {
        journal,
        checkpoints: GitCheckpoints::open(&repository, &run, &folders.run)?
            .at_level(prepared.sandbox.isolation.level)
            .hiding(adapters.out_of_sight),
        protection,
        tests: adapters.tests,
        agents: adapters.agents,
        bench: Checkouts::new(&repository, began(&folders.run)),
        clock: SystemClock::default(),
    })
}

/// When the run began: its folder holds nothing that is older than the rules that were frozen then.
fn began(run: &Path) -> SystemTime {
    let rules = run.join(tdd_snapshot::checkpoints::SCRATCH).join("rules.json");
    rules.metadata().and_then(|about| about.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
}

/// The places of this run, by real paths.
fn sandbox_paths(prepared: &Prepared, folders: &Folders, policy: &Policy) -> Result<SandboxPaths, Trouble> {
    let place = &prepared.place;
    let other_specs = prepared.requirement.folder_of_its_tool().map(|folder| place.repository.join(folder));
    let sandbox_paths = SandboxPaths {
        repository: place.repository.clone(),
        git: git_folders(&place.repository)?.to_vec(),
        specs: std::iter::once(place.project.join(&prepared.settings.specs_dir)).chain(other_specs).collect(),
        exchange: folders.exchange.clone(),
        shared: leftovers::shared_folder(),
        own_settings: own_settings(&prepared.environment),
        belongings: Belongings::of(&prepared.settings.reach, &prepared.environment.vars)
            .used_by(uses(prepared)),
        policy: policy.clone(),
        out_of_sight: OutOfSight::default(),
    };
    Ok(sandbox_paths.without_links())
}

/// What the project is built with, as its files and its commands say.
fn uses(prepared: &Prepared) -> Option<Uses> {
    let files = git_facts::files(&prepared.place.repository)?;
    let commands = [&prepared.chosen.commands.test, &prepared.chosen.commands.gate];
    let is_program = |name: &String| name != SCRIPTED_AGENT;
    let has_agent = prepared.agent_names().iter().any(is_program);
    let uses = Uses::of(files.iter().map(String::as_str), commands.into_iter().map(String::as_str));
    Some(if has_agent { uses.with_agent() } else { uses })
}

/// The file may be a link into a folder of its own.
fn own_settings(environment: &Environment) -> Vec<PathBuf> {
    let file = environment.config_home.as_deref().map(config_file::persons);
    let folder = file.as_ref().and_then(|file| file.parent()).map(Path::to_owned);
    folder.into_iter().chain(file).filter(|path| path.exists()).collect()
}

fn policy(prepared: &Prepared) -> Result<Policy, Trouble> {
    let policy = policy_of(&prepared.place, &prepared.settings, &prepared.chosen)?;
    let policy = policy.with_other_specs(prepared.requirement.folder_of_its_tool().and_then(RelPath::new));
    let allowed = prepared.requirement.allow_config.clone();
    Ok(policy.with_gates(markdown_tests(prepared)).with_allowed(allowed))
}

/// What files are to a project, before it has told anything of itself.
pub fn policy_of(place: &Place, settings: &Settings, chosen: &Chosen) -> Result<Policy, Trouble> {
    let specs = place.in_repository(&settings.specs_dir);
    let globs: Vec<String> = settings.test_files.iter().map(|glob| place.in_repository(glob)).collect();
    let policy =
        Policy::new(tdd_runners::of(chosen.commands.runner).test_files, &globs, &specs).map_err(|bad| {
            Trouble::config(format!("`test_files` holds the glob `{}`, which can't be read", bad.glob))
                .because(bad.why)
                .advise("correct it in tdd.yaml, for example: test_files: [\"tests/**\"]")
        })?;
    let files = gates_of_its_own(place, chosen, &policy);
    Ok(policy.with_gates(files).with_gates(in_place_of_tools(place, chosen)))
}

/// What decides how the tests of this project run, besides what the tables of `policy` know.
fn gates_of_its_own(place: &Place, chosen: &Chosen, policy: &Policy) -> BTreeSet<RelPath> {
    let table = chosen.table.iter().flat_map(|table| [Some(&table.all), table.select.as_ref()]).flatten();
    let lines = [&chosen.commands.test, &chosen.commands.gate].into_iter().chain(table);
    let lines: Vec<&str> = lines.map(String::as_str).collect();
    gate_files::find(&place.repository, &place.project, &lines, policy)
}

/// What judges a criterion by an agent's word is as much a test as any other, and nobody's to change.
fn markdown_tests(prepared: &Prepared) -> Vec<RelPath> {
    let path = |criterion: &Criterion| match &criterion.verify {
        Verify::Mdtest(path) => RelPath::new(&prepared.place.in_repository(path)),
        Verify::Test | Verify::Gate | Verify::Manual => None,
    };
    prepared.requirement.criteria.iter().filter_map(path).collect()
}

/// What Python would run in place of a tool that a command calls by its module's name. A program of
/// the project's own may lie there already.
fn in_place_of_tools(place: &Place, chosen: &Chosen) -> Vec<RelPath> {
    let commands = &chosen.commands;
    let modules = [&commands.test, &commands.gate].into_iter().flat_map(|line| checker::modules(line));
    let files = modules.flat_map(|(name, kind)| {
        let files = [format!("{name}.py"), format!("{name}/__init__.py"), format!("{name}/__main__.py")];
        let is_file = |file: &String| {
            let meta = place.project.join(file).symlink_metadata();
            meta.is_ok_and(|meta| meta.is_file())
        };
        let is_there = files.iter().any(is_file);
        if is_there && kind == checker::Module::Any { Vec::new() } else { files.to_vec() }
    });
    files.filter_map(|file| RelPath::new(&place.in_repository(&file))).collect()
}

pub fn setup(prepared: &Prepared, folders: &Folders, adapters: &Adapters) -> Result<Setup, Trouble> {
    let mask = crate::commands::given::mask_of(&prepared.environment);
    Ok(Setup {
        policy: adapters.policy.clone(),
        skills: skill::embedded(),
        limits: limits(prepared),
        turns: turns(prepared),
        roots: roots(prepared),
        reports: reports(prepared),
        run_dir: folders.run.to_string_lossy().into_owned(),
        settings: config_file::read(&prepared.place.project)?.unwrap_or_default(),
        resume_with: going_on_with(prepared),
        halted_beside: run_status::halted_beside(
            &prepared.place.repository,
            &run_folder::id_of(&folders.run),
        ),
        later: run_status::later_work(&prepared.place.repository, &run_folder::id_of(&folders.run)),
        isolation: prepared.sandbox.isolation.clone(),
        fences: (prepared.sandbox.isolation.level == Level::Enforce).then(|| prepared.settings.reach.clone()),
        mask: Box::new(move |text| mask.apply(text).into_owned()),
    })
}

/// The same for this run: whoever sat at the agents' screens will want to again.
pub fn going_on_with(prepared: &Prepared) -> Flags {
    let mut flags = super::earlier::resume_with(&prepared.settings);
    if prepared.operator.is_some() {
        flags.set("--interactive");
    }
    flags
}

fn reports(prepared: &Prepared) -> Vec<RelPath> {
    let report = prepared.chosen.table.as_ref().and_then(|table| table.report.as_deref());
    report.and_then(|path| RelPath::new(&prepared.place.in_repository(path))).into_iter().collect()
}

/// The repository's path without links, and as the person's shell spells it: an agent that was
/// told the one may write the other.
fn roots(prepared: &Prepared) -> Vec<String> {
    let Place { repository, cwd, .. } = &prepared.place;
    let mut roots = vec![repository.to_string_lossy().into_owned()];
    let pwd = prepared.environment.vars.iter().find(|(name, _)| name == "PWD");
    // The variable is only believed if it names the folder that we are in.
    let pwd = pwd.map(|(_, pwd)| Path::new(pwd)).filter(|pwd| pwd.is_absolute());
    let Some(pwd) = pwd.filter(|pwd| pwd.canonicalize().is_ok_and(|real| real == *cwd)) else { return roots };
    let is_repository = |folder: &&Path| folder.canonicalize().is_ok_and(|real| real == *repository);
    let spelled = pwd.ancestors().find(is_repository).map(|path| path.to_string_lossy().into_owned());
    roots.extend(spelled.filter(|spelled| *spelled != roots[0]));
    roots
}

/// A role's own word counts before that of its agent's table.
fn turns(prepared: &Prepared) -> TurnCaps {
    let own = |role: Role| prepared.settings.turns.get(&role).copied();
    let of = |role: Role| own(role).or(prepared.roles.of(role).table.max_turns).map(|most| (role, most));
    TurnCaps {
        set: Role::KNOWN.into_iter().filter_map(of).collect(),
        by_agent: Role::KNOWN.into_iter().filter(|role| own(*role).is_none()).collect(),
    }
}

fn limits(prepared: &Prepared) -> Limits {
    let settings = &prepared.settings;
    let wall_ms =
        if prepared.operator.is_some() { WALL_IN_PERSON.as_secs() * 1000 } else { Deadlines::ATTEMPT_MS };
    let set_by = |said: Option<u64>| if said.is_some() { SetBy::Settings } else { SetBy::Nobody };
    Limits {
        // Each child has its own.
        turns: u32::MAX,
        wall_ms: settings.deadlines.attempt_ms.unwrap_or(wall_ms),
        idle_ms: settings.deadlines.idle_ms.unwrap_or(Deadlines::IDLE_MS),
        output_bytes: OUTPUT,
        caps: Allowance::default(),
        set_by: Setters {
            wall: set_by(settings.deadlines.attempt_ms),
            idle: set_by(settings.deadlines.idle_ms),
            ..Setters::default()
        },
    }
}
