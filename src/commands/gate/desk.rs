//! The session that a call is about: found or begun, and held by this process alone.

use std::path::{Path, PathBuf};

use crate::cli::RunArgs;
use crate::settings::{Environment, Settings};
use crate::text::config::gate::GateSetting;
use crate::world::config_file;
use crate::world::project::{self, Place};
use crate::world::project_commands::{self, Chosen};
use crate::world::session_file::{self, Depth, SessionFile, Turn};
use tdd_child::clock::SystemClock;
use tdd_core::commands::{ProjectCommands, RunnerKind};
use tdd_core::event::{Event, RunId, SessionEvent, SessionId, SessionStarted};
use tdd_core::path::RelPath;
use tdd_core::policy::{self, Policy};
use tdd_core::ports::{Checkpoints as _, Clock as _};
use tdd_core::session::{Rules, Session};
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::watch::Look;
use tdd_snapshot::checkpoints::{self, GitCheckpoints, run_refs};

use super::super::run::wire;
use super::{caller, gone_tests, templates};

/// Why a repository without tests begins in refactor mode. Nobody else gives this reason.
pub(in crate::commands) const NO_TESTS: &str = "the repository has no tests yet";

/// The label of the tree that a session began with.
const BEGIN: &str = "begin";
/// The session at hand.
pub(super) struct Desk {
    pub(super) place: Place,
    pub(super) environment: Environment,
    pub(super) session: SessionFile,
    pub(super) rules: Rules,
}

/// Whose a session is: its name, its agent, and the model where the agent tells it.
#[derive(Clone, Copy)]
pub(super) struct Whose<'w> {
    pub(super) id: &'w SessionId,
    pub(super) agent: &'w str,
    pub(super) model: Option<&'w str>,
}

/// What a project says of itself, for those calls that run something.
pub(super) struct Project {
    pub(super) settings: Settings,
    pub(super) chosen: Chosen,
    pub(super) gate: GateSetting,
}

impl Desk {
    /// The session of this name, begun if it is new.
    pub(super) fn of(
        place: Place,
        environment: Environment,
        whose: (&SessionId, &str),
        depth: Depth,
    ) -> Result<Self, Trouble> {
        let (id, agent) = whose;
        Self::called(place, environment, Whose { id, agent, model: None }, (depth, false))?
    }

    /// The same for a call that may be `is_late`: what it is about has happened already. Within: why a session can't
    /// be begun for want of what a person has to say.
    pub(super) fn called(
        place: Place,
        environment: Environment,
        whose: Whose<'_>,
        (depth, is_late): (Depth, bool),
    ) -> Result<Result<Self, Trouble>, Trouble> {
        let mut place = place;
        let session = match Turn::take(&place.repository, whose.id)?.open(depth)? {
            Ok(session) => {
                // A session begun in a project's folder is about that project, wherever a command is typed.
                if !is_named(&place) {
                    place.project = place.repository.join(&session.state.started.project);
                }
                session
            }
            Err(turn) => {
                place.project = own_project(&place, &environment).unwrap_or(place.project);
                match begin(turn, &place, &environment, (&whose, is_late))? {
                    Ok(session) => session,
                    Err(unable) => return Ok(Err(unable)),
                }
            }
        };
        let rules = rules(&session.state)?;
        Ok(Ok(Self { place, environment, session, rules }))
    }

    /// The session that a command of a model's or a person's is about.
    pub(super) fn named(wanted: Option<&str>) -> Result<Self, Trouble> {
        let (cwd, environment) = crate::commands::given::surroundings()?;
        let place = project::locate(&cwd)?;
        let id = chosen(&place, wanted)?.ok_or_else(|| {
            Trouble::user("no session is under the gate here")
                .because("no agent's hook was called in this work tree yet")
                .advise("install the hooks (`tdd gate install AGENT`), or begin one by hand: tdd gate on")
        })?;
        Self::of(place, environment, (&id, "person"), Depth::Quick)
    }

    pub(super) fn state(&self) -> &Session {
        &self.session.state
    }

    /// Journals, and knows what follows from it.
    pub(super) fn record(&mut self, events: &[Event]) -> Result<(), Trouble> {
        self.session.record(SystemClock::default().now_ms(), events)?;
        self.rules = rules(&self.session.state)?;
        Ok(())
    }

    pub(super) fn record_one(&mut self, event: SessionEvent) -> Result<(), Trouble> {
        self.record(&[Event::Session(Box::new(event))])
    }

    /// Whether refactor mode is on for want of tests alone.
    pub(super) fn is_without_tests(&self) -> bool {
        self.state().refactor.as_ref().is_some_and(|refactor| refactor.why == NO_TESTS)
    }

    pub(super) fn checkpoints(&self, look: Look) -> Result<GitCheckpoints, Trouble> {
        watching(&self.place.repository, &self.state().started.session, &self.session.folder, look)
    }

    pub(super) fn project(&self) -> Result<Project, Trouble> {
        project_of(&self.place, &self.environment)
    }

    pub(super) fn masked(&self, text: &str) -> String {
        crate::commands::given::mask_of(&self.environment).apply(text).into_owned()
    }
}

/// An event of a session's.
pub(super) fn of(event: SessionEvent) -> Event {
    Event::Session(Box::new(event))
}

/// Which session is meant: the one that is named, else that of the agent which has started this process, else the one
/// whose hook was called last.
pub(super) fn chosen(place: &Place, wanted: Option<&str>) -> Result<Option<SessionId>, Trouble> {
    let known = session_file::list(&place.repository);
    let Some(wanted) = wanted else {
        let last = session_file::last(&place.repository);
        let own = |id: &&SessionId| caller::is_above(&session_file::folder(&place.repository, id));
        let is_own = last.as_ref().is_some_and(|last| own(&last));
        return Ok(if is_own { last } else { known.iter().find(own).cloned().or(last) });
    };
    let fitting: Vec<&SessionId> = known.iter().filter(|id| id.0.contains(wanted)).collect();
    if let [one] = fitting.as_slice() {
        return Ok(Some((*one).clone()));
    }
    let all: Vec<&str> = known.iter().map(|id| id.0.as_str()).collect();
    Err(Trouble::user(format!("`{wanted}` names no session, or more than one"))
        .because(format!("there are: {}", all.join(", ")))
        .advise("say more of its name"))
}

fn watching(repository: &Path, id: &SessionId, folder: &Path, look: Look) -> Result<GitCheckpoints, Trouble> {
    GitCheckpoints::watching(repository, &RunId(id.0.clone()), folder, look)
}

pub(super) fn rules(state: &Session) -> Result<Rules, Trouble> {
    let unreadable = |why: String| {
        Trouble::config("the session's rules can't be read")
            .because(why)
            .advise("correct `session_gate: free:` or `test_files:` in tdd.yaml, and begin a new session")
    };
    let policy = state.policy.clone().ok_or_else(|| unreadable("no policy was settled".to_owned()))?;
    let bad = |bad: policy::BadGlob| unreadable(format!("the glob `{}`: {}", bad.glob, bad.why));
    Rules::of(Policy::of(policy).map_err(bad)?, state).map_err(bad)
}

pub(super) fn project_of(place: &Place, environment: &Environment) -> Result<Project, Trouble> {
    let config = crate::commands::given::read_settings(place, environment)?;
    let gate = config.as_ref().map(|config| config.session_gate.clone()).unwrap_or_default();
    let settings = Settings::resolve(&RunArgs::default(), config, environment)?;
    let chosen = project_commands::choose(&place.project, &settings.commands)?;
    Ok(Project { settings, chosen, gate })
}

/// Whether a file says where the project is.
fn is_named(place: &Place) -> bool {
    place.project != place.repository || place.project.join(config_file::NAME).is_file()
}

/// The project whose folder the agent was begun in, where nothing names one and the repository itself is none.
fn own_project(place: &Place, environment: &Environment) -> Option<PathBuf> {
    if is_named(place) || project_of(place, environment).is_ok() {
        return None;
    }
    let mut above = place.cwd.ancestors().take_while(|folder| *folder != place.repository);
    let has_one = |folder: &&Path| {
        let inner = Place { project: folder.to_path_buf(), ..place.clone() };
        folder.starts_with(&place.repository) && project_of(&inner, environment).is_ok()
    };
    above.find(has_one).map(Path::to_owned)
}

/// What is compared though git ignores it: the settings of the gate, and the file of the agent that calls it.
fn what_settles_the_gate(place: &Place, agent: &str) -> Vec<RelPath> {
    let hooks = templates::of(agent).map(|template| template.project);
    let files = ["tdd.yaml"].into_iter().chain(hooks);
    files.filter_map(|file| RelPath::new(&place.in_repository(file))).collect()
}

/// Begins a session: the tree as it is, the project's commands, what its files are.
fn begin(
    turn: Turn,
    place: &Place,
    environment: &Environment,
    (whose, is_late): (&Whose<'_>, bool),
) -> Result<Result<SessionFile, Trouble>, Trouble> {
    let Whose { id, agent, model } = *whose;
    checkpoints::exclude_sessions(&place.repository)?;
    let mut checkpoints = watching(&place.repository, id, turn.folder(), Look::Whole)?;
    checkpoints.hold_ignored(&what_settles_the_gate(place, agent))?;
    let tree = checkpoints.see()?;
    let git = checkpoints.git_seen()?;
    let seen = (git.as_ref().map(|git| git.head.clone()), tree.clone());
    let began = checkpoints.labelled(BEGIN);
    let files = checkpoints.files(&tree)?;
    let settled = settled(place, environment, &files);
    if let (Err(unable), None) = (&settled, &began) {
        return Ok(Err(unable.clone()));
    }
    match began {
        // A commit of the same files has another name a second later.
        Some(began) if !checkpoints.diff(&began, &tree)?.is_empty() => return Err(removed(id)),
        None if is_late => {
            // Until a person cleans it: the next call would begin on what this one has changed.
            if let Some(git) = &git {
                checkpoints.label(BEGIN, &git.tips)?;
                checkpoints.write_labels()?;
            }
            return Err(late(id));
        }
        Some(_) | None => {}
    }
    let (project, policy, has_tests) = settled?;
    checkpoints.label(BEGIN, &tree)?;
    checkpoints.write_labels()?;
    let mask = crate::commands::given::mask_of(environment);
    let commands = project.chosen.commands.clone().with_words(|text| mask.apply(text).into_owned());
    let started = SessionStarted {
        session: id.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        agent: agent.to_owned(),
        model: model.map(str::to_owned),
        commands,
        project: place.project_in_repository(),
        mode: project.gate.mode,
        free: project.gate.free.iter().map(|glob| place.in_repository(glob)).collect(),
        tools: project.gate.tools.clone(),
        within: caller::session_above(&place.repository, id),
        tree,
        git,
    };
    let mut events = vec![
        Event::Session(Box::new(SessionEvent::SessionStarted(Box::new(started)))),
        Event::PolicySettled { policy: Box::new(policy.effective().clone()) },
    ];
    // Tests that are gone and that nobody has committed as gone are no reason to do without.
    let is_without = !has_tests && gone_tests::since_head(&mut checkpoints, &policy, &seen)?.is_empty();
    if is_without {
        let why = NO_TESTS.to_owned();
        events.push(Event::Session(Box::new(SessionEvent::RefactorOn { files: Vec::new(), why })));
    }
    turn.begin(SystemClock::default().now_ms(), &events).map(Ok)
}

/// Its refs are there and its journal is not: whatever it did not allow would be where a new one begins.
fn removed(id: &SessionId) -> Trouble {
    let name = &id.0;
    Trouble::user("the journal of this session is gone, and files have changed since it began")
        .because("whoever removed it below .tdd/sessions has left nothing to judge the changes by")
        .advise(format!(
            "the person looks at them (git diff refs/tdd/{name}/{BEGIN}), ends the agent, and then the session: \
             tdd clean {name}"
        ))
}

/// Every agent calls before its first tool.
fn late(id: &SessionId) -> Trouble {
    let name = &id.0;
    Trouble::user("the first call of this session comes after a tool has run")
        .because(
            "its journal and its refs were removed, or its hooks were installed amid a turn: what the tool has \
             changed can't be told",
        )
        .advise(format!(
            "the person looks at the files (git status, git diff), ends the agent, and then the session: tdd clean {name}"
        ))
}

/// The project's commands, what its files are, and whether it has tests.
fn settled(
    place: &Place,
    environment: &Environment,
    files: &[RelPath],
) -> Result<(Project, Policy, bool), Trouble> {
    match project_of(place, environment) {
        Ok(project) => {
            let policy = wire::policy_of(place, &project.settings, &project.chosen)?;
            let has_tests = gone_tests::has_some(place, &policy, files);
            Ok((project, policy, has_tests))
        }
        // Where nothing could be run nothing can be red; where there are tests somebody has to say how.
        Err(trouble) => without_command(place, environment, files).ok_or(trouble),
    }
}

fn without_command(
    place: &Place,
    environment: &Environment,
    files: &[RelPath],
) -> Option<(Project, Policy, bool)> {
    let config = crate::commands::given::read_settings(place, environment).ok()?;
    let gate = config.as_ref().map(|config| config.session_gate.clone()).unwrap_or_default();
    let settings = Settings::resolve(&RunArgs::default(), config, environment).ok()?;
    let none = "none was found".to_owned();
    let commands = ProjectCommands {
        test: String::new(),
        test_source: none.clone(),
        gate: String::new(),
        gate_source: none,
        runner: RunnerKind::ExitCode,
    };
    let chosen = Chosen { commands, table: None };
    let policy = wire::policy_of(place, &settings, &chosen).ok()?;
    let is_test = |path: &&RelPath| policy::names_a_test(path) || path.as_str().contains("tests/");
    if files.iter().any(|path| is_test(&path)) {
        return None;
    }
    Some((Project { settings, chosen, gate }, policy, false))
}

/// Where the agent works: what its own variable says, else the folder of its process if the session is of that work
/// tree, since no model's command moves an agent, else the folder that its shell is in.
pub(super) fn place_of(
    environment: &Environment,
    (told, cwd): (Option<&str>, &Path),
    id: &SessionId,
) -> Option<Place> {
    let located = |folder: &PathBuf| project::locate(folder).ok();
    let named = project_folders(environment).find_map(|folder| located(&folder));
    let shells = || shell_folders(told, cwd).find_map(|folder| located(&folder));
    named.or_else(|| {
        let shells = shells();
        let own = caller::folder().and_then(|folder| located(&folder));
        let is_elsewhere = |own: &Place| shells.as_ref().is_none_or(|it| it.repository != own.repository);
        own.filter(|own| is_elsewhere(own) && is_known(&own.repository, id)).or(shells)
    })
}

fn is_known(repository: &Path, id: &SessionId) -> bool {
    session_file::folder(repository, id).is_dir() || run_refs::are_there(repository, &RunId(id.0.clone()))
}

/// The folder of this session's work tree, where there is no repository any more.
pub(super) fn orphaned(
    environment: &Environment,
    (told, cwd): (Option<&str>, &Path),
    id: &SessionId,
) -> Option<PathBuf> {
    let shells = shell_folders(told, cwd);
    let folders: Vec<PathBuf> = project_folders(environment).chain(caller::folder()).chain(shells).collect();
    let mut above = folders.iter().flat_map(|folder| folder.ancestors());
    above.find(|folder| session_file::folder(folder, id).is_dir()).map(Path::to_owned)
}

/// Where the project is whose settings had the hook.
fn project_folders(environment: &Environment) -> impl Iterator<Item = PathBuf> {
    let variables = ["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR"];
    let named = variables.into_iter().filter_map(|name| environment.var(name)).map(PathBuf::from);
    named.filter(|folder| folder.is_absolute())
}

fn shell_folders(told: Option<&str>, cwd: &Path) -> impl Iterator<Item = PathBuf> {
    let told = told.map(PathBuf::from).filter(|folder| folder.is_absolute());
    std::iter::once(cwd.to_owned()).chain(told)
}
