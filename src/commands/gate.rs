//! `tdd gate`: in any agent's session no edit of production code without a red test.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

use crate::cli::gate::{GateArgs, GateCommand, RefactorArgs, SessionArgs};
use crate::view::print;
use crate::world::project;
use crate::world::session_file::Depth;
use tdd_core::event::{SessionEvent, SessionId, Switch};
use tdd_core::mapping;
use tdd_core::path::RelPath;
use tdd_core::ports::Checkpoints as _;
use tdd_core::test::TestId;
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::watch::Look;

mod agents;
mod agents_environment;
mod annotation;
mod apart;
mod at_work;
mod brought;
mod call;
mod caller;
mod claim;
mod compare;
mod cut_off;
mod desk;
mod edit;
mod faces;
mod first_tests;
mod git_hooks;
mod gone_tests;
pub mod hook;
mod inner_tests;
mod input;
mod install;
mod kept;
pub mod mcp;
mod mixed;
mod moved;
mod one_by_one;
mod own_settings;
mod paths;
mod person;
mod plan;
mod ran;
mod refactoring;
mod runs;
mod see;
mod settings;
mod stands;
mod status;
mod templates;
mod turn;
mod whole;
mod within;
mod worse;

use agents::{AgentHooks, Moment};
use annotation::Names;
use compare::compare;
pub(super) use desk::NO_TESTS;
use desk::{Desk, of};
use paths::Target;
use ran::Wanted;
use refactoring::Looked;
pub(super) use settings::another_in_path;
use turn::Turned;

/// Of a test that says itself that it fails.
const HOPELESS: &str = "it fails whatever the code does";

pub fn run(args: &GateArgs) -> Result<ExitCode, Trouble> {
    match &args.command {
        GateCommand::On(args) => on(args),
        GateCommand::Off(args) => off(args),
        GateCommand::Status(args) => status::run(args),
        GateCommand::Test(args) => see::run(args),
        GateCommand::Claim(args) => claim::run(args),
        GateCommand::Flush(args) => flush(args),
        GateCommand::Refactor(args) => refactor(args),
        GateCommand::Plan(args) => plan::run(args),
        GateCommand::Look(args) => look(args),
        GateCommand::Edit(args) => edit::run(args),
        GateCommand::Install(args) => install::run(args),
        GateCommand::Hook(args) => Ok(hook::run(args)),
    }
}

/// Calls an agent's hook once with what it has to refuse and once with what it has to let pass.
pub(super) fn hooks_hold(agent: &str) -> Result<(), Trouble> {
    templates::of(agent).map_or(Ok(()), |template| install::prove(template, "tdd"))
}

/// The process that a session in this folder is for, while it lives: its agent's, or the shell in which it was begun.
pub(super) fn user_of(folder: &Path) -> Option<i32> {
    caller::user(folder).map(|process| process.pid)
}

/// The tools of an agent that change files which they name.
pub(super) fn edit_tools(agent: &str) -> Vec<&'static str> {
    agents::of(agent).map(AgentHooks::edit_tools).unwrap_or_default()
}

/// Whether an agent's event comes before or after a tool.
pub(super) fn is_of_tools(agent: &str, event: &str) -> bool {
    let moment = agents::of(agent).and_then(|agent| agent.moment(event));
    matches!(moment, Some(Moment::Before | Moment::After))
}

/// The session at hand, if no run holds the tree.
fn desk(args: &SessionArgs) -> Result<Desk, Trouble> {
    let desk = Desk::named(args.session.as_deref())?;
    if at_work::policy(&desk.place)?.is_some() {
        return Err(Trouble::user("a run of tdd is at work in this tree")
            .because("until it ends its own policy decides, and a session notes nothing")
            .advise("wait; `tdd status` tells how far it is"));
    }
    Ok(desk)
}

fn on(args: &SessionArgs) -> Result<ExitCode, Trouble> {
    let (cwd, environment) = super::given::surroundings()?;
    let place = project::locate(&cwd)?;
    let id = match desk::chosen(&place, args.session.as_deref()) {
        Ok(Some(id)) => id,
        Ok(None) => SessionId("person".to_owned()),
        Err(trouble) => {
            let new = args.session.as_deref().and_then(crate::world::session_file::named);
            new.ok_or(trouble)?
        }
    };
    let mut desk = Desk::of(place, environment, (&id, "person"), Depth::Quick)?;
    crate::world::session_file::note_last(&desk.place.repository, &id)?;
    if desk.state().switch == Switch::Off {
        turn::rebase(&mut desk)?;
        desk.record_one(SessionEvent::Switched { to: Switch::On })?;
    }
    caller::note_opener(&desk.session.folder);
    print::result(&format!("tdd: the gate is on, session {}\n", id.0));
    Ok(ExitCode::SUCCESS)
}

fn off(args: &SessionArgs) -> Result<ExitCode, Trouble> {
    person::asked("switches the gate off")?;
    let mut desk = desk(args)?;
    if desk.state().switch == Switch::On {
        desk.record_one(SessionEvent::Switched { to: Switch::Off })?;
    }
    print::result(&format!("tdd: the gate is off for session {}\n", desk.state().started.session.0));
    Ok(ExitCode::SUCCESS)
}

fn look(args: &SessionArgs) -> Result<ExitCode, Trouble> {
    person::asked("says that a halted test was looked at")?;
    let mut desk = desk(args)?;
    let test_ids: Vec<TestId> = desk.state().halted().into_iter().cloned().collect();
    if test_ids.is_empty() {
        print::result("tdd: nothing is halted\n");
        return Ok(ExitCode::SUCCESS);
    }
    let names: Vec<&str> = test_ids.iter().map(|id| id.0.as_str()).collect();
    let told = format!("tdd: {} may be tried again\n", names.join(", "));
    desk.record_one(SessionEvent::Looked { test_ids })?;
    print::result(&told);
    Ok(ExitCode::SUCCESS)
}

/// Ids and files as they were typed.
fn resolve(desk: &Desk, typed: &[String]) -> Result<(Vec<Wanted>, Vec<RelPath>), Trouble> {
    let mut names = Names::new(&desk.place);
    let (mut wanted, mut files, mut all) = (Vec::new(), Vec::new(), None);
    for word in typed {
        let path = inside(desk, word).filter(|path| desk.place.repository.join(path.as_str()).is_file());
        if word.contains("::") {
            wanted.push(names.wanted(&spelt(desk, word), None));
        } else if let Some(path) = path {
            files.push(path);
        } else {
            let all = match &mut all {
                Some(all) => all,
                None => all.insert(desk.checkpoints(Look::Quick)?.files(&desk.state().tree)?),
            };
            let found = names.by_slug(word, all)?.ok_or_else(|| {
                Trouble::user(format!("no test is called {word}"))
                    .because("it is no FILE::NAME, no file, and no `@tdd-test-id:` above a test")
                    .advise("name it as its runner does: tests/test_cart.py::test_total")
            })?;
            wanted.push(found);
        }
    }
    Ok((wanted, files))
}

/// A test's id as its runner gives it: its file relative to the project, however it was typed.
fn spelt(desk: &Desk, typed: &str) -> TestId {
    let runner = desk.state().started.commands.runner;
    let id = runner.spelt(TestId(typed.to_owned()));
    let Some((file, name)) = id.0.split_once("::") else { return id };
    let is_straight = !file.split('/').any(|part| matches!(part, "" | "." | ".."));
    let is_plain = is_straight && desk.place.project.join(file).exists();
    if is_plain || desk.state().tests.contains_key(&id) {
        return id;
    }
    let path = inside(desk, file).filter(|path| desk.place.repository.join(path.as_str()).is_file());
    let project = desk.place.project_in_repository();
    let in_project = |path: &RelPath| TestId(format!("{}::{name}", mapping::in_project(path, &project)));
    path.as_ref().map_or_else(|| id.clone(), in_project)
}

/// Relative to the shell's folder, or to the repository's, as refusals name files: whichever is there.
fn inside(desk: &Desk, typed: &str) -> Option<RelPath> {
    let in_folder = |folder: &Path| match paths::target(&desk.place.repository, folder, typed) {
        Ok(Target::Inside(path)) => Some(path),
        Ok(Target::Outside(_)) | Err(_) => None,
    };
    let top = desk.place.repository.as_path();
    let is_there = |path: &RelPath| top.join(path.as_str()).symlink_metadata().is_ok();
    let has_folder = |path: &RelPath| top.join(path.as_str()).parent().is_some_and(Path::is_dir);
    let own = in_folder(&desk.place.cwd);
    let of_top = in_folder(top).filter(|other| {
        own.as_ref()
            .is_none_or(|own| (is_there(other) && !is_there(own)) || (has_folder(other) && !has_folder(own)))
    });
    of_top.or(own)
}

fn flush(args: &SessionArgs) -> Result<ExitCode, Trouble> {
    agents_environment::adopt(args)?;
    let mut desk = desk(args)?;
    Ok(turned(&turn::flush(&mut desk)?))
}

fn turned(turned: &Turned) -> ExitCode {
    match turned {
        Turned::Nothing => print::result("tdd: nothing to judge\n"),
        Turned::Green { told, .. } | Turned::Warned(told) => print::result(&format!("{told}\n")),
        Turned::Red(told) => {
            print::result(&format!("{}\n", told.trim_end()));
            return ExitCode::from(1);
        }
    }
    ExitCode::SUCCESS
}

fn refactor(args: &RefactorArgs) -> Result<ExitCode, Trouble> {
    agents_environment::adopt(&args.which)?;
    let mut desk = desk(&args.which)?;
    if args.to == "off" {
        if desk.state().refactor.is_none() {
            print::result("tdd: refactor mode is off\n");
            return Ok(ExitCode::SUCCESS);
        }
        if args.looked {
            person::asked("says that changed tests were looked at")?;
        }
        let project = desk.project()?;
        let looked = if args.looked { Looked::ByPerson } else { Looked::ByNobody };
        return Ok(turned(&refactoring::end(&mut desk, &project, looked)?));
    }
    let why = args.why.clone().filter(|why| !why.trim().is_empty()).ok_or_else(|| {
        Trouble::user("refactor mode wants a reason")
            .because("it is kept in the journal, and a person reads it")
            .advise("tdd gate refactor on --why 'rename Cart to Basket'")
    })?;
    if why.trim() == NO_TESTS {
        return Err(Trouble::user("refactor mode wants a reason of its own")
            .because("this one is the gate's, for a repository without tests")
            .advise("say what is going to be done: tdd gate refactor on --why 'rename Cart to Basket'"));
    }
    if let Some(bad) = args.files.iter().find(|glob| globset::Glob::new(glob).is_err()) {
        return Err(Trouble::user(format!("`{bad}` is no glob")).advise("for example: --files 'src/**/*.py'"));
    }
    let project = desk.place.project_in_repository();
    let in_repository = |glob: &String| match project.as_str() {
        "" => glob.clone(),
        folder => Path::new(folder).join(glob).to_string_lossy().into_owned(),
    };
    let files = args.files.iter().map(in_repository).collect();
    let compared = compare(&mut desk, None, Look::Quick)?;
    let why = desk.masked(&why);
    desk.record(&[of(SessionEvent::RefactorOn { files, why })])?;
    let told = if compared.told.is_empty() { String::new() } else { compared.told + "\n" };
    print::result(&format!(
        "{told}tdd: refactor mode is on. When you are done: tdd gate refactor off. It ends if the gate is green, or red with \
         nothing that your edits made red, and the tests are no fewer\n"
    ));
    Ok(ExitCode::SUCCESS)
}

/// The tests of a plan's steps that nobody has run yet.
fn not_run(desk: &Desk) -> BTreeSet<TestId> {
    let ids = desk.state().plan.iter().filter_map(|step| step.test_id.clone());
    ids.filter(|id| !desk.state().tests.contains_key(id)).collect()
}
