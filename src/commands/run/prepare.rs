//! All that can be refused before anything is done.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::cli::{RunArgs, like_a_command};
use crate::commands::runs::chosen;
use crate::commands::runs::journalled::Journalled;
use crate::commands::runs::status::RunStatus;
use crate::settings::{AUTO_AGENT, Environment, Leave, Settings};
use crate::text::prompt;
use crate::world::project::{self, Archive, Place};
use crate::world::project_commands::{self, Chosen};
use tdd_agents::agent::{RoleAgent, RoleAgents, choose_auto};
use tdd_agents::agent_table::layers::AgentSetting;
use tdd_agents::agent_table::{self, AgentTable};
use tdd_child::passthrough::Operator;
use tdd_child::run_folder::RunDir;
use tdd_child::sandbox;
use tdd_core::commands::ProjectCommands;
use tdd_core::counted::and_more;
use tdd_core::criterion::{CriterionId, Verify};
use tdd_core::event::{Plan, RedRule, SandboxNeed, Screens, SupersedeRule};
use tdd_core::isolation::Wanted;
use tdd_core::requirement::Requirement;
use tdd_core::role::Role;
use tdd_core::run_name;
use tdd_core::trouble::Trouble;
use tdd_core::usage::{Cap, CapPlan};
use tdd_snapshot::git_facts;
use tdd_spec::mdtest;

use super::earlier;
use super::finished::Finished;
use super::openings;
use super::record;
use crate::commands::reports::ReportFile;

/// A run that may begin.
pub struct Prepared {
    pub place: Place,
    pub environment: Environment,
    pub settings: Settings,
    pub requirement: Requirement,
    pub chosen: Chosen,
    pub roles: RoleAgents,
    pub cassette: Option<PathBuf>,
    /// Where the run is to be recorded.
    pub record: Option<PathBuf>,
    /// What is written at the end beside what it tells.
    pub(in crate::commands) reports: Vec<ReportFile>,
    pub plan: Plan,
    /// The level of isolation, and what keeps it.
    pub sandbox: sandbox::Chosen,
    /// Who sits at the agents' screens, with `--interactive`.
    pub operator: Option<Operator>,
    /// The run that has done all of it already.
    pub finished: Option<Finished>,
    /// Of a dry run: why no agent could be started.
    pub missing_agent: Option<Trouble>,
}

impl Prepared {
    /// The commands as they are kept and shown: without secrets.
    pub fn shown_commands(&self) -> ProjectCommands {
        let mask = crate::commands::given::mask_of(&self.environment);
        self.chosen.commands.clone().with_words(|text| mask.apply(text).into_owned())
    }

    /// The agent of each role, test-writer first.
    pub fn agent_names(&self) -> [String; 3] {
        Role::ALL.map(|role| self.roles.of(role).table.name.clone())
    }
}

/// With the level as it is said of what is prepared.
///
/// # Errors
/// As [`openings::Scene::telling`].
pub fn told(mut prepared: Prepared) -> Result<Prepared, Trouble> {
    let scene = openings::Scene {
        repository: &prepared.place.repository,
        project: &prepared.place.project,
        environment: &prepared.environment,
        settings: &prepared.settings,
        roles: Some(&prepared.roles),
        commands: Some(&prepared.chosen.commands),
    };
    prepared.sandbox = scene.telling(prepared.sandbox.clone())?;
    Ok(prepared)
}

pub fn prepare(args: &RunArgs, cwd: &Path, environment: Environment) -> Result<Prepared, Trouble> {
    let operator = args.interactive.then(Operator::at_terminal).transpose()?;
    let place = project::locate(cwd)?;
    let config = crate::commands::given::read_settings(&place, &environment)?;
    let settings = Settings::resolve(args, config, &environment)?;
    let sandbox = sandbox::choose(settings.sandbox, &settings.reach, environment.path.as_deref())?;
    let archived = if settings.leaves.archived.is_granted() { Archive::Included } else { Archive::LeftOut };
    let wanted = settings.requirement.clone().unwrap_or_default();
    if wanted.is_empty() {
        return Err(no_requirement(&place, &settings));
    }
    let requirement = project::find_requirement(&place, &settings.specs_dir, &wanted, archived)
        .map_err(|trouble| or_a_command(or_a_run(trouble, &place, &wanted), &wanted))?;
    // It is journalled, reported and shown; a child reads it masked too.
    let mask = crate::commands::given::mask_of(&environment);
    let requirement = requirement.with_words(|text| mask.apply(text).into_owned());
    let known: Vec<CriterionId> = requirement.criteria.iter().map(|criterion| criterion.id.clone()).collect();
    let settings = settings.knowing(args, &known)?;
    let finished = earlier::refuse(&place, &requirement, &settings)?;
    let screens = if args.interactive { Screens::Person } else { Screens::Nobody };
    let played = settings.cassette.as_ref().map(|file| cwd.join(file));
    let played = played.map(|file| mask.apply(&file.to_string_lossy()).into_owned());
    let plan = Plan { screens, cassette: played, ..plan(&settings, &requirement)? };
    git_facts::refuse_locked_index(&place.repository)?;
    git_facts::refuse_half_merged(&place.repository)?;
    let chosen = project_commands::choose(&place.project, &settings.commands)?;
    refuse_ignored_tests(&place, &plan, &chosen)?;
    refuse_unfit_mdtests(&place, &plan, &requirement)?;
    let mut names = Role::ALL.map(|role| settings.agent(role).name.clone());
    // What would be done can be told without an agent.
    let may_lack = args.dry_run && names.iter().any(|name| name == AUTO_AGENT);
    let missing_agent = may_lack.then(|| choose_auto(environment.path.as_deref()).err()).flatten();
    if missing_agent.is_some() {
        names
            .iter_mut()
            .filter(|name| *name == AUTO_AGENT)
            .for_each(|name| agent_table::BUILTIN[0].clone_into(name));
    }
    let roles = interactive(agents(&settings, &environment, &names)?, operator)?;
    refuse_caps_without_figures(&roles, &plan.caps, operator)?;
    let cassette = settings.cassette.as_ref().map(|path| cwd.join(path));
    let record = args.record.as_deref();
    let record = record.map(|file| record::place(file, cwd, &place.repository, None)).transpose()?;
    let reports = ReportFile::all(args.junit.as_deref(), args.sarif.as_deref(), cwd)?;
    told(Prepared {
        place,
        environment,
        settings,
        requirement,
        chosen,
        roles,
        cassette,
        record,
        reports,
        plan,
        sandbox,
        operator,
        finished,
        missing_agent,
    })
}

/// A run's name is easily typed where its requirement is meant.
pub(in crate::commands) fn or_a_run(trouble: Trouble, place: &Place, typed: &str) -> Trouble {
    let is_it =
        |run: &RunDir| typed.starts_with('@') || run.id.0 == typed || run_name::short(&run.id.0) == typed;
    let run = chosen::chosen_run(&place.repository, Some(typed)).ok().filter(is_it);
    let told = run.and_then(|run| Some((Journalled::read(&run).ok()?.0, run)));
    let Some((Journalled::Cycle(state), run)) = told else { return trouble };
    let requirement = state.run.requirement.id.clone();
    let told = Journalled::Cycle(state);
    let status = RunStatus::of(&place.repository, &run, &told);
    let go_on = match status.advice(&run.id) {
        Some(advice) => advice,
        None => format!("`tdd status {}` tells how to go on with it", run.id),
    };
    Trouble::user(format!("{typed} is a run, and no requirement"))
        .because(status.words(&told.phase()))
        .advise(format!("of the run: {go_on}\nits requirement: `tdd {requirement}` works on that"))
}

/// Any word that is no command is taken for a requirement.
pub(in crate::commands) fn or_a_command(trouble: Trouble, typed: &str) -> Trouble {
    let Some(name) = like_a_command(typed) else { return trouble };
    let next = format!("did you mean the command `tdd {name}`? If a requirement was meant: {}", trouble.next);
    trouble.advise(next)
}

/// Requirements of other tools that are named.
const OTHERS_SHOWN: usize = 5;

fn no_requirement(place: &Place, settings: &Settings) -> Trouble {
    let known = match project::known_requirements(place, &settings.specs_dir) {
        Ok(known) => known,
        Err(trouble) => return trouble,
    };
    let others = project::of_other_tools(&place.project);
    let listed = if let (true, [first, ..]) = (known.is_empty(), &others[..]) {
        let shown: Vec<&str> = others.iter().take(OTHERS_SHOWN).map(String::as_str).collect();
        let more = and_more(others.len() - shown.len());
        format!("name one of {}{more}: tdd {first}", shown.join(", "))
    } else if known.is_empty() {
        format!("there is none in {}/ yet; write one: tdd new \"Short links\"", settings.specs_dir)
    } else {
        format!("name one of {}: tdd {}", known.join(", "), known[0])
    };
    Trouble::user("no requirement was named").advise(format!("{listed}\n`tdd --help` lists all commands"))
}

/// What of the requirement is in hand.
fn plan(settings: &Settings, requirement: &Requirement) -> Result<Plan, Trouble> {
    let known: Vec<CriterionId> = requirement.criteria.iter().map(|criterion| criterion.id.clone()).collect();
    for (flag, ids) in [("--only", &settings.only), ("--already-green", &settings.already_green)] {
        if let Some(unknown) = ids.iter().find(|id| !known.contains(id)) {
            let all: Vec<String> = known.iter().map(ToString::to_string).collect();
            return Err(Trouble::user(format!(
                "{flag} names {unknown}, which {} does not hold",
                requirement.path
            ))
            .advise(format!("its criteria are: {}", all.join(", "))));
        }
    }
    let in_hand = |id: &CriterionId| settings.only.is_empty() || settings.only.contains(id);
    if let Some(left_out) = settings.already_green.iter().find(|id| !in_hand(id)) {
        return Err(Trouble::user(format!("--already-green names {left_out}, which --only leaves out"))
            .advise("leave it out of --already-green, or add it to --only"));
    }
    Ok(Plan {
        criteria: known.into_iter().filter(in_hand).collect(),
        already_green: settings.already_green.clone(),
        bounds: settings.bounds,
        refactor: settings.refactoring,
        stop_after: settings.stop_after,
        regression: settings.regression,
        supersede: match settings.leaves.supersede {
            Leave::Granted => SupersedeRule::AsListed,
            Leave::Refused => SupersedeRule::Refuse,
        },
        red_baseline: rule(settings.leaves.red_baseline),
        red_gate: rule(settings.leaves.red_gate),
        caps: settings.caps,
        sandbox: match settings.sandbox {
            Wanted::Enforce => SandboxNeed::Required,
            Wanted::Auto => SandboxNeed::AsGiven,
            Wanted::Audit => SandboxNeed::LeftOut,
        },
        on_missing_block: settings.on_missing_block,
        screens: Screens::default(),
        held_out: settings.held_out,
        proof: settings.proof,
        cassette: None,
    })
}

fn rule(leave: Leave) -> RedRule {
    match leave {
        Leave::Granted => RedRule::Allow,
        Leave::Refused => RedRule::Refuse,
    }
}

/// A cap that can never be reached would be a promise that nobody keeps. With a person at the agents'
/// screens no agent tells anything before its end.
pub fn refuse_caps_without_figures(
    roles: &RoleAgents,
    caps: &CapPlan,
    operator: Option<Operator>,
) -> Result<(), Trouble> {
    for role in Role::ALL {
        let table = &roles.of(role).table;
        let (cap, flag): (Cap, fn(Cap) -> &'static str) =
            match (table.cannot_hold(&caps.run), table.cannot_hold(&caps.attempt)) {
                (Some(cap), _) => (cap, Cap::flag),
                (None, Some(cap)) => (cap, Cap::attempt_flag),
                (None, None) => continue,
            };
        let (figure, other) = match cap {
            Cap::Usd => ("what it costs", Cap::Tokens),
            Cap::Tokens | Cap::Wall => ("how many tokens it uses", Cap::Wall),
        };
        let trouble = Trouble::user(format!("{} can't be held for the agent `{}`", flag(cap), table.name));
        if operator.is_some() {
            return Err(trouble
                .because(format!(
                    "with --interactive nothing is read off its screen; {figure} is known when it has ended, if at all"
                ))
                .advise(format!(
                    "leave one of the two out (the flag, or `max_…`: `tdd config` names the file), or use {} instead",
                    flag(Cap::Wall)
                )));
        }
        return Err(trouble
            .because(format!("it never tells {figure}: its table has no such figure under `usage:`"))
            .advise(format!(
                "take the cap out (the flag, or `max_…`: `tdd config` names the file), use {} instead,\n\
                 or say under `usage:` in the agent's table where it tells that",
                flag(other)
            )));
    }
    Ok(())
}

/// Ignored files are outside of every snapshot, so tests that git ignores could never be seen.
fn refuse_ignored_tests(place: &Place, plan: &Plan, chosen: &Chosen) -> Result<(), Trouble> {
    let file = plan
        .criteria
        .first()
        .and_then(|id| prompt::test_file(chosen.commands.runner, &prompt::Habits::default(), &id.slug()));
    let Some(file) = file else { return Ok(()) };
    let Some(rule) = git_facts::ignoring_rule(&place.repository, &place.project.join(&file)) else {
        return Ok(());
    };
    Err(Trouble::user(format!("git ignores the tests that are to be written: {file}"))
        .because(format!("the rule is {rule}; what git ignores is in no snapshot, so it could not be judged"))
        .advise("change the rule, or add an exception such as `!/tests/` below it"))
}

/// The Markdown test of a criterion is read from checkpoint 0, after everything else was paid for.
fn refuse_unfit_mdtests(place: &Place, plan: &Plan, requirement: &Requirement) -> Result<(), Trouble> {
    let in_hand = requirement.criteria.iter().filter(|criterion| plan.criteria.contains(&criterion.id));
    for criterion in in_hand {
        let Verify::Mdtest(path) = &criterion.verify else { continue };
        let Some(why) = unfit_mdtest(place, path) else { continue };
        let (id, line) = (&criterion.id, criterion.line);
        return Err(Trouble::user(format!("{id} can't be judged by the Markdown test {path}"))
            .because(format!("{why} (line {line} of {})", requirement.path))
            .advise("correct the `verify:` line, or write the test, relative to the project's folder"));
    }
    Ok(())
}

/// Why nobody can carry out the Markdown test of a criterion, if so.
pub fn unfit_mdtest(place: &Place, path: &str) -> Option<String> {
    let full = place.project.join(path);
    match full.symlink_metadata() {
        _ if !path.ends_with(mdtest::SUFFIX) => Some(format!("its name does not end in {}", mdtest::SUFFIX)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Some("there is no such file".to_owned())
        }
        Err(error) => Some(error.to_string()),
        Ok(about) if !about.is_file() => Some("it is no regular file".to_owned()),
        Ok(_) if !full.canonicalize().is_ok_and(|real| real.starts_with(&place.repository)) => {
            Some("it lies outside of the repository".to_owned())
        }
        Ok(_) => git_facts::ignoring_rule(&place.repository, &full)
            .map(|rule| format!("git ignores it, by the rule {rule}")),
    }
}

/// With a person at the agents' screens: the agents for a person's use.
pub fn interactive(roles: RoleAgents, operator: Option<Operator>) -> Result<RoleAgents, Trouble> {
    if operator.is_some() { roles.in_person() } else { Ok(roles) }
}

/// The tables of the agents with these names, one for each role; a role's model goes with the
/// agent that the settings name for it.
pub fn agents(
    settings: &Settings,
    environment: &Environment,
    names: &[String; 3],
) -> Result<RoleAgents, Trouble> {
    let agent = |role: Role| agent(settings, environment, role, &names[role as usize]);
    Ok(RoleAgents {
        test_writer: agent(Role::TestWriter)?,
        implementer: agent(Role::Implementer)?,
        refactorer: agent(Role::Refactorer)?,
    })
}

/// The table of the agent with this name, and the model that goes with it, for one role.
pub fn agent(
    settings: &Settings,
    environment: &Environment,
    role: Role,
    wanted: &str,
) -> Result<RoleAgent, Trouble> {
    let choice = settings.agent(role);
    let table = agent_table(wanted, &settings.agents, environment.path.as_deref())?;
    let model = choice.model.clone().filter(|_| choice.name == wanted || choice.name == AUTO_AGENT);
    Ok(RoleAgent { table, model })
}

/// The table of the agent with this name; `auto` is the first one that is installed.
pub fn agent_table(
    wanted: &str,
    own: &BTreeMap<String, AgentSetting>,
    path: Option<&OsStr>,
) -> Result<AgentTable, Trouble> {
    let name = if wanted == AUTO_AGENT { choose_auto(path)? } else { wanted };
    let said = own.get(name).cloned().unwrap_or_default();
    said.table(name)?.ok_or_else(|| unknown_agent(name, own))
}

fn unknown_agent(name: &str, own: &BTreeMap<String, AgentSetting>) -> Trouble {
    let mut known = vec![AUTO_AGENT];
    known.extend(agent_table::BUILTIN);
    known.extend(own.keys().map(String::as_str));
    Trouble::config(format!("no agent is named `{name}`"))
        .because(format!("known are: {}", known.join(", ")))
        .advise("name one of these, or describe it under `agents:` in tdd.yaml or in your own settings (docs/src/configuration.md shows how)")
}
