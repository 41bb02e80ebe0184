//! Sessions that this one's agent has begun itself, by a command of its model's. Their edits stand here because a red
//! test and a claim were asked for there, so the end of the turn has them judged, too. So it has what was claimed by
//! the tools of our own server.

use std::fmt::Write as _;

use super::caller;
use super::desk::Desk;
use super::turn::{self, Turned};
use crate::world::session_file::{self, Depth, shelf};
use tdd_core::event::{SessionId, Switch};
use tdd_core::trouble::Trouble;

/// Our own server, which the agent has started beside its hooks: it hears of no turn's end.
pub(super) const SERVER: &str = "mcp";

/// The newest sessions that are looked at.
const MOST: usize = 8;

/// What came of them.
#[derive(Debug, Default)]
pub(super) struct Inner {
    /// What was taken back, in words.
    pub(super) red: String,
    /// What a living one has still to judge.
    pub(super) reminder: Option<String>,
}

/// Judges what those have left that live no more, and what the server has. A child of the agent's own process ends its
/// turns itself.
pub(super) fn judged(desk: &Desk) -> Result<Inner, Trouble> {
    let mut inner = Inner::default();
    let repository = &desk.place.repository;
    let agent = caller::at_work(&desk.session.folder).map(|agent| (agent.pid, agent.started));
    let mut above: Vec<SessionId> = vec![desk.state().started.session.clone()];
    let mut others = shelf::newest_first(repository)?;
    others.truncate(MOST);
    // The one that began another is the older one.
    for id in others.iter().rev() {
        let folder = session_file::folder(repository, id);
        let Ok(other) = shelf::glance(&folder) else { continue };
        let own = caller::at_work(&folder).map(|own| (own.pid, own.started));
        let is_server = other.started.agent == SERVER && own.is_some() && own == agent;
        let is_within = other.started.within.as_ref().is_some_and(|outer| above.contains(outer));
        if above.contains(id) || !(is_within || is_server) {
            continue;
        }
        above.push(id.clone());
        if other.claims.is_empty() || other.switch == Switch::Off {
            continue;
        }
        match own {
            Some(_) if own == agent && !is_server => {}
            Some(_) if !is_server => {
                inner.reminder = Some(format!(
                    "tdd: session {0}, which you began, has claims that were not judged: tdd gate flush --session {0}",
                    id.0
                ));
            }
            Some(_) | None => {
                let whose = (id, other.started.agent.as_str());
                let mut other = Desk::of(desk.place.clone(), desk.environment.clone(), whose, Depth::Quick)?;
                if let Turned::Red(told) = turn::flush(&mut other)? {
                    let _ = writeln!(inner.red, "tdd: of session {}, which you began:\n{told}", id.0);
                }
            }
        }
    }
    Ok(inner)
}
