//! What does not belong to the project: agents, the sandbox, room on the disk.

use std::path::Path;

use super::Scene;
use crate::commands::run::{brought, openings, prepare};
use crate::view::print;
use crate::world::config_file;
use crate::world::project::Place;
use crate::world::project_commands;
use tdd_agents::agent::{AgentSetup, Login, RoleAgent, RoleAgents, TableAgents};
use tdd_child::free_space;
use tdd_child::leftovers;
use tdd_child::sandbox;
use tdd_core::checkup::{Finding, Subject};
use tdd_core::isolation::{Level, Wanted};
use tdd_core::role::Role;
use tdd_core::trouble::Trouble;

/// With less room no run gets far; with less than the second a large one may not.
const FAR_TOO_LITTLE: u64 = 64 << 20;
const LITTLE: u64 = 1 << 30;

/// Each agent of a role: its program, version and log-in.
pub(super) fn agents(scene: &Scene) -> Vec<Finding> {
    let names = Role::ALL.map(|role| scene.settings.agent(role).name.clone());
    let roles = match prepare::agents(&scene.settings, &scene.environment, &names) {
        Ok(roles) => roles,
        Err(trouble) => return vec![Finding::problem(Subject::Agent, trouble)],
    };
    let mut agents: Vec<&RoleAgent> = Role::ALL.map(|role| roles.of(role)).into();
    agents.dedup_by(|a, b| a.table.name == b.table.name);
    let look = |one: &RoleAgent| {
        agent(scene, one).unwrap_or_else(|trouble| vec![Finding::problem(Subject::Agent, trouble)])
    };
    agents.into_iter().flat_map(look).collect()
}

/// The version of an agent's program, in words; `None` where it is not here or does not tell.
pub(super) fn version_of(scene: &Scene, name: &str) -> Option<String> {
    let names = Role::ALL.map(|_| name.to_owned());
    let roles = prepare::agents(&scene.settings, &scene.environment, &names).ok()?;
    let folder = leftovers::exchange_folder(&scene.cwd).ok()?;
    let program = program(scene, roles.of(Role::Implementer), folder.path()).ok()?;
    program.preflight().ok()?;
    program.installed(Role::Implementer).ok()?.map(|version| version.to_string())
}

fn program(scene: &Scene, agent: &RoleAgent, folder: &Path) -> Result<TableAgents, Trouble> {
    let tdd = std::env::current_exe()
        .map_err(|error| Trouble::environment("the path of this program can't be found").because(error))?;
    Ok(TableAgents::new(AgentSetup {
        roles: RoleAgents::all(agent),
        cwd: scene.cwd.clone(),
        tdd,
        logs: folder.join("logs"),
        exchange_root: folder.to_owned(),
        state_root: folder.join("state"),
        cassette: None,
        backoff: Vec::new(),
        stop: scene.stop.clone(),
        env: scene.environment.vars.clone(),
        operator: None,
        task: None,
    }))
}

fn agent(scene: &Scene, agent: &RoleAgent) -> Result<Vec<Finding>, Trouble> {
    let folder = leftovers::exchange_folder(&scene.cwd)?;
    let program = program(scene, agent, folder.path())?;
    program.preflight()?;
    let warnings = program.versions(&mut |line| print::message(&format!("tdd: {line}")))?;
    let version = program.installed(Role::Implementer)?;
    let name = &agent.table.name;
    let told = match (&version, &agent.table.versions) {
        (Some(_), Some(versions)) => format!("is version {}", versions.words(version.as_ref())),
        (Some(_) | None, None) => "not asked for its version: its table names no `versions`".to_owned(),
        (None, Some(_)) => "tells no version".to_owned(),
    };
    let mut findings = if warnings.is_empty() {
        vec![Finding::ok(Subject::Agent, format!("`{name}` is found and {told}"))]
    } else {
        let warn =
            |line: String| Trouble::environment(line).advise(format!("try it: tdd doctor --agent {name}"));
        warnings.into_iter().map(|line| Finding::warning(Subject::Agent, warn(line))).collect()
    };
    let lent = brought::lent(&scene.settings.agents, &agent.table).into_iter();
    findings.extend(lent.map(|path| {
        Finding::ok(
            Subject::Agent,
            format!("`{name}` is from {} and may use of your home: {path}", config_file::NAME),
        )
    }));
    findings.push(match program.login(Role::Implementer) {
        Login::Seen(sign) => {
            Finding::ok(Subject::Agent, format!("`{name}` seems to be logged in: {sign} is there"))
        }
        Login::NotTold => Finding::ok(
            Subject::Agent,
            format!("`{name}`: its table does not tell where a log-in lies, so none was looked for"),
        ),
        Login::NotSeen(missed) => Finding::warning(
            Subject::Agent,
            Trouble::environment(format!("no sign that `{name}` is logged in"))
                .because(format!("none of these is there: {}", missed.join(", ")))
                .advise(format!("start {name} once and log in, unless it keeps its log-in elsewhere")),
        ),
    });
    Ok(findings)
}

/// The level that a run would have, and what it does not prevent.
pub(super) fn sandbox(scene: &Scene, place: Option<&Place>) -> Vec<Finding> {
    let Scene { settings, environment, .. } = scene;
    let names = Role::ALL.map(|role| settings.agent(role).name.clone());
    let roles = prepare::agents(settings, environment, &names).ok();
    let commands = place.and_then(|place| project_commands::choose(&place.project, &settings.commands).ok());
    let here = place.map(|place| openings::Scene {
        repository: &place.repository,
        project: &place.project,
        environment,
        settings,
        roles: roles.as_ref(),
        commands: commands.as_ref().map(|chosen| &chosen.commands),
    });
    let chosen = sandbox::choose(settings.sandbox, &settings.reach, environment.path.as_deref());
    let chosen = chosen.and_then(|chosen| match &here {
        Some(here) => here.telling(chosen),
        None => Ok(chosen),
    });
    match chosen {
        Ok(chosen) => match chosen.isolation.level {
            Level::Enforce => {
                let notices = here.iter().flat_map(openings::Scene::notices);
                let notices = notices.map(|line| Finding::warning(Subject::Sandbox, unkept(line)));
                let level = Finding::ok(Subject::Sandbox, chosen.isolation.to_string());
                std::iter::once(level).chain(notices).collect()
            }
            Level::Audit => {
                vec![Finding::warning(Subject::Sandbox, audit(settings.sandbox, &chosen.isolation.words))]
            }
        },
        Err(trouble) => vec![Finding::problem(Subject::Sandbox, trouble)],
    }
}

fn unkept(line: String) -> Trouble {
    Trouble::config(line)
        .because(
            "`home` and `hide` below `sandbox:` hold for what can be closed without closing the run's own",
        )
        .advise("correct `sandbox:`, or keep the repository elsewhere; a run says the same when it begins")
}

fn audit(wanted: Wanted, words: &str) -> Trouble {
    let more = match wanted {
        Wanted::Audit => "take `audit` out of flags, TDD_SANDBOX and tdd.yaml",
        Wanted::Auto | Wanted::Enforce => "install bubblewrap, and see that it may use user namespaces",
    };
    Trouble::environment(
        "level audit: a role can read the requirement and your credentials, and write anywhere",
    )
    .because(words)
    .advise(format!("for more {more}"))
}

/// Room where the repository and where temporary files lie.
pub(super) fn disk(repository: &Path) -> Finding {
    let temporary = std::env::temp_dir();
    let rooms = [repository, &temporary].map(|path| (path, free_space::bytes(path)));
    let known = rooms.iter().filter_map(|(path, bytes)| Some((*path, (*bytes)?)));
    let Some((path, least)) = known.min_by_key(|(_, bytes)| *bytes) else {
        return Finding::ok(Subject::Disk, "the system does not tell how much room is left");
    };
    let what = format!("{} MiB are free at {}", least >> 20, path.display());
    let little = Trouble::environment(&what)
        .because("journals, logs, snapshots and copies of the tree are written there")
        .advise("make room, or set TMPDIR to another disk; `tdd clean` removes old runs");
    match least {
        0..FAR_TOO_LITTLE => Finding::problem(Subject::Disk, little),
        FAR_TOO_LITTLE..LITTLE => Finding::warning(Subject::Disk, little),
        LITTLE.. => Finding::ok(Subject::Disk, what),
    }
}
