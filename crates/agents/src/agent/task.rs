//! Tasks: what an agent is asked outside of a run's stages (`tdd mdtest`, `tdd fix`).
//!
//! The same call by the same table; but no attempt, no budget and no hand-off block come of it. What
//! a task is worth is found out by whoever sent it.
#![expect(clippy::disallowed_methods, reason = "a task takes time")]

use std::path::PathBuf;
use std::time::Instant;

use super::watch::Watch;
use super::{AgentSetup, RoleAgents, TableAgents};
use tdd_child::sandbox::{Sandbox, SandboxPaths, Sealed};
use tdd_core::attempt::AttemptKind;
use tdd_core::ports::{AgentOrder, AgentReport, Limits, Observer};
use tdd_core::role::Key;
use tdd_core::trouble::Trouble;
use tdd_core::usage::Usage;

/// One thing that an agent is asked.
#[derive(Clone, Debug)]
pub struct Task {
    pub prompt: String,
    /// The system prompt.
    pub role_text: String,
    pub limits: Limits,
}

/// One agent, for errands that may run side by side.
#[derive(Debug)]
pub struct Tasks {
    setup: AgentSetup,
    sandbox: Option<Sandbox>,
    guarded: Option<(SandboxPaths, Sealed)>,
    /// Folders that it may write to besides its exchange folder.
    own: Vec<PathBuf>,
}

impl Tasks {
    /// Every role of `setup` is played by the same agent.
    pub fn new(setup: AgentSetup) -> Self {
        Self { setup, sandbox: None, guarded: None, own: Vec::new() }
    }

    /// What would keep the agent from starting, and lines of warning; see [`TableAgents`].
    pub fn preflight(&self, tell: &mut dyn FnMut(&str)) -> Result<Vec<String>, Trouble> {
        let agents = TableAgents::new(self.setup.clone());
        agents.preflight()?;
        agents.versions(tell)
    }

    /// Sends the agent; `folder` is a new one for its raw log and its private state.
    ///
    /// `Err` if it could not be started or we were stopped before that. What its program failed of
    /// once it ran, and that we stopped it, is the inner error.
    pub async fn send(
        &self,
        task: &Task,
        folder: PathBuf,
        observer: Observer<'_>,
    ) -> Result<Result<AgentReport, Trouble>, Trouble> {
        let setup = AgentSetup { state_root: folder.join("state"), logs: folder, ..self.setup.clone() };
        let order = order(task);
        let mut watch = Watch::new(order.limits.caps, order.session_used, Instant::now());
        let mut agents = TableAgents::new(setup).fenced_by(self.sandbox.clone());
        agents.guarded.clone_from(&self.guarded);
        agents.own.clone_from(&self.own);
        agents.ask(&order, &mut watch, observer).await
    }
}

impl TableAgents {
    /// Tasks in the isolation of a run, for the agent of the tests.
    pub(super) fn tasks(&self, own: PathBuf) -> Tasks {
        let roles = RoleAgents::all(&self.setup.roles.test_writer);
        Tasks {
            setup: AgentSetup { roles, task: Some("tester"), ..self.setup.clone() },
            sandbox: self.sandbox.clone(),
            guarded: self.guarded.clone(),
            own: vec![own],
        }
    }
}

/// A task has no key of its own; this one names no criterion, and nothing of it is shown.
fn order(task: &Task) -> AgentOrder {
    AgentOrder {
        asked: Key::Refactorer.into(),
        number: 1,
        kind: AttemptKind::First,
        prompt: task.prompt.clone(),
        role_text: task.role_text.clone(),
        session: None,
        session_used: Usage::default(),
        out_of_sight: Vec::new(),
        limits: task.limits,
    }
}
