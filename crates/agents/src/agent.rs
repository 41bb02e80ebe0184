//! The agents of a run: each role's program, called and read by its table.
//!
//! One attempt: a fresh exchange folder outside the repository, a child on a terminal or a pipe,
//! its output heard by [`agents::agent_stream`](crate::agent_stream) while it comes, its
//! message read when all of its processes are gone. Nothing here judges what a child says.
#![expect(clippy::disallowed_methods, reason = "an attempt takes time, which its report tells")]

use std::cell::RefCell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::agent_stream::AgentStream;
use crate::agent_table::template::Placeholder;
use crate::agent_table::version::Version;
use crate::agent_table::{AgentTable, SessionFrom, Stdio};
use tdd_child::passthrough::Operator;
use tdd_child::process::{Attended, Ended, SpawnOrder, spawn_piped};
use tdd_child::pty;
use tdd_child::sandbox::{self, Sandbox, SandboxPaths, Sealed};
use tdd_child::session;
use tdd_child::signals::StopSignal;
use tdd_core::audience::News;
use tdd_core::event::Leaked;
use tdd_core::ports::{AgentOrder, AgentReport, Agents, MdtestOrder, MdtestReport, Observer};
use tdd_core::role::{Key, Role};
use tdd_core::trouble::Trouble;
use tdd_core::usage::{ChildUse, Usage};
use tdd_snapshot::checkpoints::StandIns;

mod backoff;
mod bounds;
mod call;
mod codex;
mod exchange;
mod failure;
mod home;
mod in_person;
mod login;
mod mdtest;
mod outcome;
mod prepare;
mod program;
mod repository;
mod task;
mod transcripts;
mod version;
mod watch;

use bounds::session_limits;
use call::Call;
use codex::Record;
use failure::{Again, Setback};
pub use login::Login;
use outcome::{Over, exit_code, ran_out, report};
use prepare::Prepared;
pub use program::choose_auto;
pub use task::{Task, Tasks};
use watch::{Listener, Watch};

/// One role's agent.
#[derive(Clone, Debug)]
pub struct RoleAgent {
    pub table: AgentTable,
    /// For `{model}`; the agent's own default if there is none.
    pub model: Option<String>,
}

/// Every role has an agent; they may be the same. `tdd fix` has one, as the refactorer's.
#[derive(Clone, Debug)]
pub struct RoleAgents {
    pub test_writer: RoleAgent,
    pub implementer: RoleAgent,
    pub refactorer: RoleAgent,
}

impl RoleAgents {
    /// The same agent for all roles.
    pub fn all(agent: &RoleAgent) -> Self {
        Self { test_writer: agent.clone(), implementer: agent.clone(), refactorer: agent.clone() }
    }

    pub fn of(&self, role: Role) -> &RoleAgent {
        match role {
            Role::TestWriter => &self.test_writer,
            Role::Implementer => &self.implementer,
            Role::Refactorer | Role::Fixer => &self.refactorer,
        }
    }
}

/// All that the agents of a run need to know.
#[derive(Clone, Debug)]
pub struct AgentSetup {
    pub roles: RoleAgents,
    /// The project's folder: where children run.
    pub cwd: PathBuf,
    /// This program: `{tdd}` in a table, and the shim that starts the children.
    pub tdd: PathBuf,
    /// The run's folder for raw logs.
    pub logs: PathBuf,
    /// Where exchange folders are made; outside the repository.
    pub exchange_root: PathBuf,
    /// Where private folders of the agents' sessions are made; kept with the run.
    pub state_root: PathBuf,
    /// `{cassette}` of the scripted agent.
    pub cassette: Option<PathBuf>,
    /// How long to wait before each further try after a passing limit; as many tries as entries.
    pub backoff: Vec<Duration>,
    pub stop: StopSignal,
    /// The environment as it was captured at the start of the program.
    pub env: Vec<(OsString, OsString)>,
    /// The person who sits at the agents' screens; every table is one for a person's use then
    /// ([`AgentTable::in_person`]).
    pub operator: Option<Operator>,
    /// What `{role}` says for an [`Task`]; `None` in a run.
    pub task: Option<&'static str>,
}

/// The port's adapter for every agent that a table can describe.
#[derive(Debug)]
pub struct TableAgents {
    setup: AgentSetup,
    sandbox: Option<Sandbox>,
    /// Folders that every child may use besides its exchange folder.
    own: Vec<PathBuf>,
    /// What roles may not write to, for agents with rules of their own.
    guarded: Option<(SandboxPaths, Sealed)>,
    /// What children used, until somebody asks.
    used: Vec<ChildUse>,
    /// What outlived children, until somebody asks.
    ended: Ended,
    /// What children see in place of git's own files.
    stand_ins: RefCell<Option<Rc<StandIns>>>,
}

impl TableAgents {
    /// Relative paths are made absolute: children run elsewhere.
    pub fn new(setup: AgentSetup) -> Self {
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        Self {
            setup: AgentSetup {
                cwd: absolute(&setup.cwd),
                tdd: absolute(&setup.tdd),
                logs: absolute(&setup.logs),
                exchange_root: absolute(&setup.exchange_root),
                state_root: absolute(&setup.state_root),
                cassette: setup.cassette.as_deref().map(absolute),
                ..setup
            },
            sandbox: None,
            own: Vec::new(),
            guarded: None,
            used: Vec::new(),
            ended: Ended::default(),
            stand_ins: RefCell::default(),
        }
    }

    /// Every agent is started inside this sandbox from now on.
    #[must_use = "this returns the agents with their sandbox"]
    pub fn fenced_by(mut self, sandbox: Option<Sandbox>) -> Self {
        self.sandbox = sandbox;
        self
    }

    /// Agents that can refuse paths by themselves are told what is sealed, in every level.
    #[must_use = "this returns the agents with what they are told"]
    pub fn told_of(mut self, sandbox_paths: SandboxPaths, sealed: Sealed) -> Self {
        self.guarded = Some((sandbox_paths, sealed));
        self
    }

    /// Asks each agent's program once for its version: a line of warning for each that was never tried,
    /// a trouble if one is too old. `tell` hears what is waited for, if it takes long.
    pub fn versions(&self, tell: &mut dyn FnMut(&str)) -> Result<Vec<String>, Trouble> {
        let mut agents = Role::ALL.map(|role| self.setup.roles.of(role)).to_vec();
        agents.dedup_by(|one, other| one.table == other.table);
        let warnings = agents.into_iter().map(|agent| version::check(&self.setup, agent, tell));
        Ok(warnings.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }

    /// The version of a role's program, if it tells one.
    pub fn installed(&self, role: Role) -> Result<Option<Version>, Trouble> {
        version::installed(&self.setup, self.setup.roles.of(role))
    }

    /// Whether there are signs of a log-in for a role's program; no credential is read.
    pub fn login(&self, role: Role) -> Login {
        login::look(&self.setup, self.setup.roles.of(role))
    }

    /// Finds before the first fork what would keep an agent from starting: a program that is
    /// missing, is not executable or has a bad `#!` line, a placeholder without a value, a cassette
    /// that can't be read, an exchange folder inside the repository.
    pub fn preflight(&self) -> Result<(), Trouble> {
        exchange::check_root(&self.setup.exchange_root, &self.setup.cwd)?;
        for role in Role::ALL {
            let agent = self.setup.roles.of(role);
            let makes_session = agent.table.session == Some(SessionFrom::NewUuid);
            let first = Call::sample(&self.setup, agent, role, makes_session.then_some("id"));
            let argv = first.argv(&agent.table.argv)?;
            if let Some(resume) = &agent.table.resume_argv {
                Call::sample(&self.setup, agent, role, Some("id")).argv(resume)?;
            }
            first.table_files()?;
            for made in agent.table.state_dirs.iter().flat_map(|dir| &dir.files) {
                first.fill(&made.text)?;
            }
            let env = first.env()?;
            let program = argv.first().map(String::as_str).unwrap_or_default();
            let path = env.get(std::ffi::OsStr::new("PATH")).map(OsString::as_os_str);
            program::check(&agent.table.name, program, path, &self.setup.cwd)?;
            if let Some(cassette) = self.setup.cassette.as_deref()
                && agent.table.argv.uses(Placeholder::Cassette)
            {
                exchange::check_cassette(cassette)?;
            }
        }
        Ok(())
    }

    fn agent(&self, role: Role) -> &RoleAgent {
        self.setup.roles.of(role)
    }
}

impl Agents for TableAgents {
    /// What passes (a rate limit, an overload, the network) is waited for and tried again, each
    /// time as a new process with a new exchange folder. None of it is the role's failure.
    async fn run(&mut self, order: &AgentOrder, observer: Observer<'_>) -> Result<AgentReport, Trouble> {
        let mut watch = Watch::new(order.limits.caps, order.session_used, Instant::now());
        self.ask(order, &mut watch, observer).await?
    }

    async fn mdtest(&mut self, order: &MdtestOrder, observer: Observer<'_>) -> Result<MdtestReport, Trouble> {
        self.carry_out(order, observer).await
    }

    fn used(&mut self) -> Vec<ChildUse> {
        std::mem::take(&mut self.used)
    }

    fn leaked(&mut self) -> Vec<Leaked> {
        self.ended.take()
    }

    fn resumes(&self, key: &Key) -> bool {
        self.agent(key.role()).table.resumes()
    }

    fn name(&self, key: &Key) -> String {
        self.agent(key.role()).table.name.clone()
    }
}

impl TableAgents {
    /// `Err` if the program could not be started or we were stopped before; what it failed of itself
    /// is in the report.
    async fn ask(
        &mut self,
        order: &AgentOrder,
        watch: &mut Watch,
        observer: Observer<'_>,
    ) -> Result<Result<AgentReport, Trouble>, Trouble> {
        let waits = self.setup.backoff.clone();
        for (index, wait) in waits.iter().enumerate() {
            match self.ask_once(order, watch, &mut *observer).await? {
                Err(Setback { trouble, again: Again::Soon }) => {
                    observer(News::Note(backoff::announce(&trouble, *wait, index + 1, waits.len())));
                    backoff::wait(*wait, &self.setup.stop).await?;
                }
                outcome => return Ok(outcome.map_err(|setback| *setback.trouble)),
            }
        }
        Ok(self.ask_once(order, watch, observer).await?.map_err(|setback| *setback.trouble))
    }

    async fn ask_once(
        &mut self,
        order: &AgentOrder,
        watch: &mut Watch,
        observer: Observer<'_>,
    ) -> Result<Result<AgentReport, Setback>, Trouble> {
        if let Some(signal) = *self.setup.stop.borrow() {
            return Err(Trouble::stopped(signal));
        }
        let prepared = self.prepare(order)?;
        if prepared.left_out > 0 {
            observer(News::Note(sandbox::left_out_words(prepared.left_out)));
        }
        let table = self.agent(order.asked.role()).table.clone();
        if let Some(operator) = self.setup.operator {
            self.instructions(&table, order.asked.role())
                .into_iter()
                .for_each(|line| observer(News::Note(line)));
            return self.ask_in_person(operator, order, prepared, watch).await;
        }
        let had = if prepared.goes_on { watch.session } else { Usage::default() };
        let mut stream = AgentStream::new(&table).after(had);
        let mut child = spawn(&table, &prepared.spawn)?;
        let began = Instant::now();
        let mut stop = self.setup.stop.clone();
        let mut bounds = session_limits(&table, &prepared.limits);
        bounds.wall = watch.wall(bounds.wall, began);
        let record = Record::of(&table, &prepared.home);
        let wall_ms = u64::try_from(bounds.wall.as_millis()).unwrap_or(u64::MAX);
        observer(News::Bounds { wall_ms, idle_ms: prepared.limits.idle_ms });
        let mut listener = Listener { most: prepared.limits.turns, told: 0, heard: began, watch, record };
        let mut on_output = |bytes: &[u8]| listener.hear(bytes, &mut stream, &mut *observer);
        let lived = session::live(&mut child, &bounds, &mut stop, &mut on_output).await;
        let ended = Instant::now();
        drop(child);
        listener.follow(&mut stream);
        let since = |then: Instant| ended.saturating_duration_since(then).saturating_sub(lived.absent);
        let silent_ms = u64::try_from(since(listener.heard).as_millis()).ok();
        let found = stream.finish(exit_code(&lived.end));
        let run_cap = watch.run_cap(ran_out(&lived.end, found.failure), Instant::now());
        watch.over(&found.used);
        self.used.push(found.used);
        let duration_ms = u64::try_from(since(began).as_millis()).unwrap_or(u64::MAX);
        Ok(report(&table, Over { prepared, end: lived.end, found, run_cap, duration_ms, silent_ms }))
    }
}

fn spawn(table: &AgentTable, order: &SpawnOrder) -> Result<Attended, Trouble> {
    let child = match table.stdio {
        Stdio::Pty => pty::spawn(order),
        Stdio::Pipe => spawn_piped(order),
    };
    child.map_err(|mut trouble| {
        trouble.what = format!("the agent `{}` can't be started: {}", table.name, trouble.what);
        trouble
    })
}
