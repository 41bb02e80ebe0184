//! An attempt with a person at the agent's screen.
//!
//! The message is what the agent's hook wrote, never what was on the screen; of what the program keeps of
//! its own sessions only figures are read ([`transcripts`]).
#![expect(clippy::disallowed_methods, reason = "an attempt takes time, which its report tells")]

use std::time::{Duration, Instant, SystemTime};

use super::failure::Setback;
use super::outcome::{Over, exit_code, ran_out, report};
use super::watch::Watch;
use super::{Prepared, RoleAgent, RoleAgents, TableAgents, session_limits, transcripts};
use crate::agent_stream::AgentStream;
use crate::agent_table::AgentTable;
use tdd_child::passthrough::Operator;
use tdd_child::session::SessionLimits;
use tdd_core::attempt::AgentEnd;
use tdd_core::ports::{AgentOrder, AgentReport, Limits};
use tdd_core::role::Role;
use tdd_core::trouble::{Trouble, TroubleKind};

impl RoleAgent {
    /// The same agent for a person's use. A trouble if its table does not say how.
    pub fn in_person(self) -> Result<Self, Trouble> {
        let Some(table) = self.table.in_person() else {
            let name = &self.table.name;
            return Err(Trouble::config(format!("the agent `{name}` can't be used interactively"))
                .because(format!(
                    "agents.{name} has no `interactive:`, so its final message could not be found"
                ))
                .advise("add it to the table, name another agent, or leave --interactive out"));
        };
        Ok(Self { table, ..self })
    }
}

impl RoleAgents {
    /// All of them for a person's use.
    pub fn in_person(self) -> Result<Self, Trouble> {
        Ok(Self {
            test_writer: self.test_writer.in_person()?,
            implementer: self.implementer.in_person()?,
            refactorer: self.refactorer.in_person()?,
        })
    }
}

impl TableAgents {
    /// A person may think for as long as they like: there is no idle deadline.
    pub(super) async fn ask_in_person(
        &mut self,
        operator: Operator,
        order: &AgentOrder,
        prepared: Prepared,
        watch: &mut Watch,
    ) -> Result<Result<AgentReport, Setback>, Trouble> {
        let table = &self.agent(order.asked.role()).table.clone();
        let mut bounds = bounds(table, &prepared.limits);
        let (began, since) = (Instant::now(), SystemTime::now());
        bounds.wall = watch.wall(bounds.wall, began);
        let mut stop = self.setup.stop.clone();
        let lived = operator.attend(&prepared.spawn, &bounds, &mut stop).await.map_err(|mut trouble| {
            trouble.what = format!("the agent `{}`: {}", table.name, trouble.what);
            trouble
        })?;
        let duration_ms =
            u64::try_from(began.elapsed().saturating_sub(lived.absent).as_millis()).unwrap_or(u64::MAX);
        let used = transcripts::used(&self.setup, table, &prepared.home, prepared.session.as_deref(), since);
        // Nothing is read off the screen.
        let found = AgentStream::new(table).finish(exit_code(&lived.end));
        let run_cap = watch.run_cap(ran_out(&lived.end, None), Instant::now());
        watch.over(&used);
        self.used.push(used);
        let told =
            report(table, Over { prepared, end: lived.end, found, run_cap, duration_ms, silent_ms: None });
        Ok(told.and_then(|report| {
            let written = report.message.as_deref();
            let interactive = table.interactive.as_ref();
            let message = written.and_then(|written| interactive?.message(written));
            let is_quit = message.is_none() && matches!(report.end, AgentEnd::Exited(_));
            if is_quit && self.setup.task.is_none() {
                return Err(self.quit(table).into());
            }
            Ok(AgentReport { message, ..report })
        }))
    }

    /// What a person has to know before the agent's screen hides everything else.
    pub(super) fn instructions(&self, table: &AgentTable, role: Role) -> [String; 2] {
        let name = &table.name;
        let quit = table.interactive.as_ref().and_then(|interactive| interactive.quit.clone());
        let quit = quit.unwrap_or_else(|| "quit it as you always do".to_owned());
        let (who, done) = match self.setup.task {
            Some(who) => (who.to_owned(), "it has said that it is done"),
            None => (role.to_string(), "its last message ends with a `tdd-result` block"),
        };
        let out = match self.setup.task {
            Some(_) => "twice within a second it stops tdd",
            None => "twice within a second it stops the run, which `tdd resume --interactive` goes on with",
        };
        [
            format!("`{name}` has the screen now, as the {who}: when {done}, {quit}, and tdd goes on"),
            format!("Ctrl-C is the agent's; {out}"),
        ]
    }

    /// It was quit before it had ended a turn: nobody's failure, and nothing to be judged.
    fn quit(&self, table: &AgentTable) -> Trouble {
        // Whoever stopped us may have ended it first.
        if let Some(signal) = *self.setup.stop.borrow() {
            return Trouble::stopped(signal);
        }
        Trouble::new(
            TroubleKind::Passing,
            format!("the agent `{}` was quit before it had ended a turn", table.name),
        )
        .because("tdd goes on with what its hook tells at the end of a turn, and it has told nothing; no attempt is spent")
        .mend("let it end its turn before you quit it")
    }
}

fn bounds(table: &AgentTable, limits: &Limits) -> SessionLimits {
    SessionLimits {
        wall: Duration::from_millis(limits.wall_ms),
        idle: None,
        output_bytes: u64::MAX,
        ..session_limits(table, limits)
    }
}
