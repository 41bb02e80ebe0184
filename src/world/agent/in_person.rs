//! An attempt with a person at the agent's screen.
//!
//! The message is what the agent's hook wrote, never what was on the screen; nothing else is read.
#![expect(clippy::disallowed_methods, reason = "an attempt takes time, which its report tells")]

use std::time::{Duration, Instant};

use super::failure::Setback;
use super::outcome::{Over, exit_code, ran_out, report};
use super::watch::Watch;
use super::{Prepared, RoleAgent, RoleAgents, TableAgents, session_limits};
use crate::core::trouble::Trouble;
use crate::driver::ports::{AgentReport, Limits};
use crate::driver::session::SessionLimits;
use crate::text::agent_stream::AgentStream;
use crate::text::agent_table::AgentTable;
use crate::world::passthrough::Operator;

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
        &self,
        operator: Operator,
        table: &AgentTable,
        prepared: Prepared,
        watch: &Watch,
    ) -> Result<Result<AgentReport, Setback>, Trouble> {
        let mut bounds = bounds(table, &prepared.limits);
        let began = Instant::now();
        bounds.wall = watch.wall(bounds.wall, began);
        let mut stop = self.setup.stop.clone();
        let lived = operator.attend(&prepared.spawn, &bounds, &mut stop).await.map_err(|mut trouble| {
            trouble.what = format!("the agent `{}`: {}", table.name, trouble.what);
            trouble
        })?;
        let duration_ms =
            u64::try_from(began.elapsed().saturating_sub(lived.absent).as_millis()).unwrap_or(u64::MAX);
        // Nothing is read off the screen.
        let found = AgentStream::new(table).finish(exit_code(&lived.end));
        let run_cap = watch.run_cap(ran_out(&lived.end, None), Instant::now());
        let told = report(table, Over { prepared, end: lived.end, found, run_cap, duration_ms });
        Ok(told.map(|report| {
            let written = report.message.as_deref();
            let interactive = table.interactive.as_ref();
            let message = written.and_then(|written| interactive?.message(written));
            AgentReport { message, ..report }
        }))
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
