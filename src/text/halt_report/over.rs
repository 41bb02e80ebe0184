//! A child whose program ended by itself without a word for its role: it died, or had nothing to say. What it has not
//! done then is no work that failed.

use tdd_core::cause::{Left, Stopped};
use tdd_core::claim::ClaimError;
use tdd_core::halt::Halt;
use tdd_core::judge::{Reason, Verdict};
use tdd_core::role::Role;
use tdd_core::state::State;

/// How it ended, with the agent's name: the role's own says not which program is to be looked at.
pub(super) fn stopped(state: &State, halt: &Halt, left: Left) -> Option<Stopped> {
    let how = error(halt)?.ended()?;
    let words = format!("the {} (`{}`) ended{how}", halt.key.role(), agent(state, halt));
    Some(Stopped { words, left })
}

/// What comes before another attempt, of a program that has failed.
pub(super) fn first(state: &State, halt: &Halt) -> Option<String> {
    is_dead(halt).then(|| {
        let agent = agent(state, halt);
        format!(
            "see why the program of `{agent}` fails (call it by hand in this folder), then try again with new attempts"
        )
    })
}

pub(super) fn is_dead(halt: &Halt) -> bool {
    error(halt).is_some_and(ClaimError::is_of_death)
}

fn error(halt: &Halt) -> Option<&ClaimError> {
    let Verdict::Failed(fault) = &halt.verdict else { return None };
    fault
        .reasons
        .iter()
        .find_map(|reason| if let Reason::Format(error) = reason { Some(error) } else { None })
}

fn agent<'a>(state: &'a State, halt: &Halt) -> &'a str {
    let role = halt.key.role();
    let of_role = Role::ALL.iter().zip(&state.run.agents).find(|(of, _)| **of == role);
    of_role.map_or("", |(_, name)| name.as_str())
}
