//! Goes on with a run: `tdd resume [RUN]` (contract section 11). Exit codes as for `run`.

mod commands;

use std::path::PathBuf;
use std::process::ExitCode;

use crate::cli::{ResumeArgs, RunArgs};
use crate::commands::runs::chosen;
use crate::settings::{Environment, Settings, caps, the_one};
use crate::world::project::{self, Archive, Place};
use tdd_child::detached;
use tdd_child::passthrough::Operator;
use tdd_child::run_folder::{self, RunDir};
use tdd_child::sandbox;
use tdd_core::criterion::{self, CriterionId};
use tdd_core::event::{Decision, Plan, SandboxNeed, Screens};
use tdd_core::harmless::typed_word;
use tdd_core::isolation::Wanted;
use tdd_core::requirement::Requirement;
use tdd_core::role::{Key, Role};
use tdd_core::state::{End, Phase, State};
use tdd_core::trouble::{Then, Trouble};
use tdd_snapshot::git_facts;

use super::reports::ReportFile;
use super::run::execute::{self, Hold};
use super::run::prepare::{self, Prepared};
use super::run::record;
use crate::commands::runs::journalled::{self, Journalled};
use crate::commands::runs::status::{self as run_status, RunStatus};

pub fn run(args: &ResumeArgs) -> Result<ExitCode, Trouble> {
    if args.detach.detach {
        return super::detach::start(args.output.into());
    }
    if args.detach.detached {
        detached::leave_terminal();
    }
    let (cwd, environment) = super::given::surroundings()?;
    let place = project::locate(&cwd)?;
    // Before the journal is read: another process may be writing it.
    let hold = Hold::take(&place.repository)?;
    let (run, state) = chosen(&place, args.run.as_deref())?;
    let is_given_up = matches!(state.phase, Phase::Ended { end: End::Abandoned });
    // Nothing that could be done of its work makes it one that is gone on with.
    if !args.abandon && !is_given_up {
        let told = Journalled::Cycle(Box::new(state.clone()));
        RunStatus::of(&place.repository, &run, &told).refuse_past(&run, &state.run.requirement.id)?;
    }
    let decision = decision(args, &state, (&place, &environment))?;
    refuse_without_decision(&state, &run, decision.as_ref())?;
    if matches!(decision, Some(Decision::Take)) {
        refuse_with_nothing_to_take(&state, &run)?;
    }
    if matches!(decision, Some(Decision::Abandon)) {
        // Wants no agent and no runner: a run must be given up even where those are gone.
        return execute::give_up(&place.repository, &run.path, args.output.into(), &hold);
    }
    refuse_moved(&state, (&place, &environment))?;
    let again = format!("tdd resume {}", run.id);
    let goes_on = |trouble: Trouble| trouble.then(Then::GoOn(again.clone().into()));
    // What is half merged would be taken for a person's edit, or be put back.
    git_facts::refuse_half_merged(&place.repository).map_err(goes_on)?;
    let prepared = prepared(args, place, environment, &state, &cwd).map_err(goes_on)?;
    let besides = args.no_refactor && decision != Some(Decision::NoRefactor);
    let decisions = decision.into_iter().chain(besides.then_some(Decision::NoRefactor)).collect();
    let mask = super::given::mask_of(&prepared.environment);
    let why = args.reason.as_deref().map(|why| mask.apply(why).into_owned());
    execute::go_on(&prepared, run.path, (decisions, why), &hold).map_err(goes_on)
}

/// The run that was named, or the newest one, if it can be gone on with. An older one is never taken
/// unnamed: what came after it has changed the tree.
fn chosen(place: &Place, name: Option<&str>) -> Result<(RunDir, State), Trouble> {
    if name.is_some() {
        let run = chosen::chosen_run(&place.repository, name)?;
        return match Journalled::read(&run)?.0 {
            Journalled::Cycle(state) => Ok((run, *state)),
            Journalled::Fix(_) => Err(Trouble::user(format!("{} is a run of tdd fix", run.id))
                .because("it holds nothing that a new one would not measure again")
                .advise({
                    let undo = run_status::back_before(&place.repository, &run.id);
                    journalled::fix_advice(undo.map(|undo| format!("`{undo}`")).as_deref())
                })),
        };
    }
    let mut newer: Option<RunDir> = None;
    for run in run_folder::runs_of(&place.repository)? {
        let told = Journalled::read(&run)?.0;
        // What was taken back, or never began, has left nothing.
        if told.undone().is_some() || told.left_nothing() {
            continue;
        }
        let Journalled::Cycle(state) = told else {
            newer = newer.or(Some(run));
            continue;
        };
        if matches!(state.phase, Phase::Ended { end: End::Finished(_) | End::Abandoned | End::Refused }) {
            newer = newer.or(Some(run));
            continue;
        }
        let Some(newer) = &newer else { return Ok((run, *state)) };
        let status = RunStatus::of(&place.repository, &run, &Journalled::Cycle(state));
        if !status.is_past() {
            return Err(Trouble::user(format!("say which run to go on with: {} is not the newest", run.id))
                .because(format!("{} came after it, and may have changed the tree", newer.id))
                .advise(format!("tdd resume {}, or `tdd status` for all of them", run.id)));
        }
    }
    Err(Trouble::user("there is no run to go on with")
        .advise("`tdd status` lists the runs; `tdd` names the requirements that one can begin with"))
}

fn decision(
    args: &ResumeArgs,
    state: &State,
    surroundings: (&Place, &Environment),
) -> Result<Option<Decision>, Trouble> {
    if args.retry {
        return Ok(Some(Decision::Retry));
    }
    if args.take {
        return Ok(Some(Decision::Take));
    }
    if args.abandon {
        return Ok(Some(Decision::Abandon));
    }
    if args.edited {
        return Ok(Some(Decision::Edited(Box::new(as_it_reads_now(state, surroundings)?))));
    }
    let Some(word) = &args.accept else {
        // It goes with any other word, and is one by itself where the refactorer halted.
        return Ok(args.no_refactor.then_some(Decision::NoRefactor));
    };
    let known = &state.run.plan.criteria;
    let in_full = CriterionId::parse(word).filter(|id| known.contains(id));
    let by_number = || criterion::by_number(word, known).map(|ids| the_one("--accept", word, &ids, known));
    let id = in_full.map(Ok).or_else(by_number).unwrap_or_else(|| {
        let known: Vec<String> = known.iter().map(ToString::to_string).collect();
        Err(Trouble::user(format!("--accept: the run has no criterion `{word}`"))
            .advise(format!("its criteria are: {}", known.join(", "))))
    })?;
    Ok(Some(Decision::Accept(id)))
}

/// The requirement's file may have been edited too.
pub(super) fn as_it_reads_now(
    state: &State,
    (place, environment): (&Place, &Environment),
) -> Result<Requirement, Trouble> {
    let path = place.repository.join(state.run.requirement.path.as_str());
    let config = super::given::read_config(place)?;
    let specs_dir = config.and_then(|config| config.specs_dir);
    let specs_dir = specs_dir.as_deref().unwrap_or(crate::settings::DEFAULT_SPECS_DIR);
    if !path.exists() {
        let (file, run) = (typed_word(state.run.requirement.path.as_str()), &state.run.run);
        return Err(Trouble::user(format!("the requirement is gone: {}", state.run.requirement.path))
            .because("it was deleted since the run began")
            .advise(format!(
                "put it back:      git restore -- {file}\nor end the run:   tdd resume {run} --abandon"
            )));
    }
    let mut now = project::find_requirement(place, specs_dir, &path.to_string_lossy(), Archive::Included)?;
    now.id.clone_from(&state.run.requirement.id);
    let mask = super::given::mask_of(environment);
    Ok(now.with_words(|text| mask.apply(text).into_owned()))
}

/// Ids that were counted are others' once items move, and the tests of a criterion bear its id.
fn refuse_moved(state: &State, surroundings: (&Place, &Environment)) -> Result<(), Trouble> {
    let then = &state.run.requirement;
    if !then.reading.is_by_place() {
        return Ok(());
    }
    let Some(moved) = then.moved(&as_it_reads_now(state, surroundings)?) else { return Ok(()) };
    let now = match &moved.now {
        Some(now) => format!("what was {} when the run began is {now} now", moved.id),
        None => format!("{} is not there any more", moved.id),
    };
    let path = &then.path;
    Err(Trouble::user(format!("the criteria of {path} have moved"))
        .because(format!("its criteria have no ids of their own, so their places name them: {now}"))
        .advise(format!(
            "put them back in their order; `tdd criteria {path} --fix` then writes the ids into the file, so that \
             they can move (and `tdd resume --edited` goes on); or give the run up: tdd resume {} --abandon",
            state.run.run
        )))
}

/// After a halt the operator has to say how.
fn refuse_without_decision(state: &State, run: &RunDir, decision: Option<&Decision>) -> Result<(), Trouble> {
    match (&state.phase, decision) {
        (Phase::Ended { end: End::Finished(_) }, _) => {
            Err(Trouble::user(format!("the run {} is finished", run.id))
                .advise(format!("start another one: tdd {} --new", state.run.requirement.id)))
        }
        (Phase::Ended { end: End::Refused }, _) => {
            Err(Trouble::user(format!("the run {} ended before any work was done", run.id)).advise(format!(
                "mend what kept it from starting (tdd log {} tells it), then start another one: tdd {}",
                run.id, state.run.requirement.id
            )))
        }
        (Phase::Ended { end: End::Abandoned }, _) => {
            Err(Trouble::user(format!("the run {} was given up", run.id))
                .advise(format!("start another one: tdd {}", state.run.requirement.id)))
        }
        (Phase::Ended { end: End::Halted(halt) }, None | Some(Decision::NoRefactor))
            if decision.is_none() || halt.key != Key::Refactorer =>
        {
            let take = match state.takeable(halt) {
                Some(_) => format!("keep the work without a block:      tdd resume {} --take\n", run.id),
                None => String::new(),
            };
            Err(Trouble::user(format!("the run {} halted: say how to go on", run.id)).advise(format!(
                "read the report:                    {0}\n\
                 {take}\
                 try again with new attempts:      tdd resume {1} --retry\n\
                 after you have edited files:        tdd resume {1} --edited\n\
                 take a criterion as it is:          tdd resume {1} --accept AC\n\
                 leave REFACTOR out, if it halted:   tdd resume {1} --no-refactor\n\
                 give the run up:                    tdd resume {1} --abandon",
                run.path.join("halt.txt").display(),
                run.id
            )))
        }
        (_, _) => Ok(()),
    }
}

/// Only work that measures as passed and lacks a valid block alone can be taken.
fn refuse_with_nothing_to_take(state: &State, run: &RunDir) -> Result<(), Trouble> {
    let Phase::Ended { end: End::Halted(halt) } = &state.phase else {
        return Err(Trouble::user(format!("--take: the run {} has not halted", run.id))
            .because(format!("it stands at `{}`, so there is no work to take", state.phase.name()))
            .advise(format!("go on without it: tdd resume {}", run.id)));
    };
    if state.takeable(halt).is_some() {
        return Ok(());
    }
    Err(Trouble::user(format!("--take: the run {} has no work that could be taken", run.id))
        .because(
            "only work that measures as passed can be taken, where nothing but a valid block is missing; \
             the report says what speaks against this work",
        )
        .advise(format!(
            "read the report:                    {}\n\
             try again with new attempts:      tdd resume {1} --retry\n\
             after you have edited files:        tdd resume {1} --edited",
            run.path.join("halt.txt").display(),
            run.id
        )))
}

/// Who sits at the agents' screens: as it was when the run began, unless the person says otherwise.
fn operator(args: &ResumeArgs, begun: Screens) -> Result<Option<Operator>, Trouble> {
    if args.interactive {
        return Operator::at_terminal().map(Some);
    }
    if begun == Screens::Nobody || args.headless {
        return Ok(None);
    }
    Operator::at_terminal().map(Some).map_err(|trouble| {
        Trouble::user("this run was begun with --interactive, which holds when it is gone on with")
            .because(trouble.why)
            .advise(
                "go on in a terminal, in the foreground, or without anybody at the screens: add --headless",
            )
    })
}

/// What the scripted agent played when the run began, unless somebody else is to do the work now.
fn begun_with(args: &ResumeArgs, state: &State) -> Option<PathBuf> {
    let told = state.run.plan.cassette.as_ref().filter(|_| args.agent.is_none());
    told.map(PathBuf::from).filter(|file| file.is_file())
}

/// The run as it was begun, with the agents' tables as `tdd.yaml` describes them now.
fn prepared(
    args: &ResumeArgs,
    place: Place,
    environment: Environment,
    state: &State,
    cwd: &std::path::Path,
) -> Result<Prepared, Trouble> {
    let run_args = RunArgs {
        requirement: Some(state.run.requirement.id.clone()),
        agent: args.agent.clone(),
        cassette: args.cassette.clone().or_else(|| begun_with(args, state)),
        caps: args.caps.clone(),
        isolation: args.isolation.clone(),
        detach: args.detach,
        output: args.output,
        ..RunArgs::default()
    };
    let settings =
        Settings::resolve(&run_args, super::given::read_settings(&place, &environment)?, &environment)?;
    let names = Role::ALL.map(|role| match &args.agent {
        Some(name) => name.clone(),
        None => state.run.agents[role as usize].clone(),
    });
    let operator = operator(args, state.run.plan.screens)?;
    let roles = prepare::interactive(prepare::agents(&settings, &environment, &names)?, operator)?;
    // The run's caps hold but for those that are named now; `tdd.yaml` was asked when it began.
    let caps = caps::of_flags(&args.caps)?.or(&state.run.plan.caps);
    prepare::refuse_caps_without_figures(&roles, &caps, operator)?;
    let cassette = settings.cassette.as_ref().map(|path| cwd.join(path));
    let run = Some(state.run.run.0.as_str());
    let record = args.record.as_deref();
    let record = record.map(|file| record::place(file, cwd, &place.repository, run)).transpose()?;
    let reports = ReportFile::all(args.junit.as_deref(), args.sarif.as_deref(), cwd)?;
    if args.edited && matches!(state.phase, Phase::Ended { .. }) {
        commands::refuse_edited(&state.run, &settings)?;
    }
    let chosen =
        commands::of_run(args, &state.run, (&place, &settings), &super::given::mask_of(&environment))?;
    // What the run was begun with holds, unless the operator says otherwise in so many words.
    let wanted = match (state.run.plan.sandbox, &args.isolation.sandbox) {
        (SandboxNeed::Required, None) => Wanted::Enforce,
        (SandboxNeed::LeftOut, None) => Wanted::Audit,
        (SandboxNeed::Required | SandboxNeed::AsGiven | SandboxNeed::LeftOut, _) => settings.sandbox,
    };
    let sandbox = sandbox::choose(wanted, &settings.reach, environment.path.as_deref())?;
    prepare::told(Prepared {
        place,
        environment,
        settings,
        requirement: state.run.requirement.clone(),
        chosen,
        roles,
        cassette,
        record,
        reports,
        plan: Plan { caps, ..state.run.plan.clone() },
        sandbox,
        operator,
        finished: None,
        missing_agent: None,
    })
}
