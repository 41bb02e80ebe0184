//! Errands: what an agent is asked outside of a run's stages (`tdd mdtest`, `tdd fix`).
//!
//! The same call by the same table; but no attempt, no budget and no hand-off block come of it. What
//! an errand is worth is found out by whoever sent it.
#![expect(clippy::disallowed_methods, reason = "an errand takes time")]

use std::path::PathBuf;
use std::time::Instant;

use super::watch::Watch;
use super::{AgentSetup, RoleAgent, TableAgents};
use crate::core::attempt::AttemptKind;
use crate::core::role::Key;
use crate::core::trouble::Trouble;
use crate::core::usage::Usage;
use crate::driver::ports::{AgentOrder, AgentReport, Hear, Limits};

/// One thing that an agent is asked.
#[derive(Clone, Debug)]
pub struct Errand {
    pub prompt: String,
    /// The system prompt.
    pub role_text: String,
    pub limits: Limits,
}

/// One agent, for errands that may run side by side.
#[derive(Debug)]
pub struct Errands {
    setup: AgentSetup,
}

impl Errands {
    /// Every role of `setup` is played by the same agent.
    pub fn new(setup: AgentSetup) -> Self {
        Self { setup }
    }

    pub fn agent(&self) -> &RoleAgent {
        &self.setup.roles.implementer
    }

    pub fn setup(&self) -> &AgentSetup {
        &self.setup
    }

    /// What would keep the agent from starting, and lines of warning; see [`TableAgents`].
    pub fn preflight(&self) -> Result<Vec<String>, Trouble> {
        let agents = TableAgents::new(self.setup.clone());
        agents.preflight()?;
        agents.versions()
    }

    /// Sends the agent; `folder` is a new one for its raw log and its private state.
    ///
    /// `Err` if it could not be started or we were stopped before that. What its program failed of
    /// once it ran, and that we stopped it, is the inner error.
    pub async fn send(
        &self,
        errand: &Errand,
        folder: PathBuf,
        hear: Hear<'_>,
    ) -> Result<Result<AgentReport, Trouble>, Trouble> {
        let setup = AgentSetup { state_root: folder.join("state"), logs: folder, ..self.setup.clone() };
        let order = order(errand);
        let mut watch = Watch::new(order.limits.caps, order.session_used, Instant::now());
        TableAgents::new(setup).ask(&order, &mut watch, hear).await
    }
}

/// An errand has no key of its own; this one names no criterion, and nothing of it is shown.
fn order(errand: &Errand) -> AgentOrder {
    AgentOrder {
        key: Key::Refactorer,
        number: 1,
        kind: AttemptKind::First,
        prompt: errand.prompt.clone(),
        role_text: errand.role_text.clone(),
        session: None,
        session_used: Usage::default(),
        limits: errand.limits,
    }
}
