//! The bounds of one child.

use crate::attempt::{Bound, Exhaustion, SetBy};
use crate::usage::{Caps, Usd};

/// Bounds of one child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Model responses that call tools.
    pub turns: u32,
    pub wall_ms: u64,
    pub idle_ms: u64,
    pub output_bytes: u64,
    pub caps: Allowance,
    pub set_by: Setters,
}

/// Who has set each of the limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Setters {
    pub turns: SetBy,
    pub wall: SetBy,
    pub idle: SetBy,
    pub output: SetBy,
}

impl Limits {
    /// The bound that is reached when this runs out; none for tokens and cost, of which there are two.
    pub fn bound(&self, what: Exhaustion) -> Option<Bound> {
        let (amount, set_by) = match what {
            Exhaustion::Turns => (u64::from(self.turns), self.set_by.turns),
            Exhaustion::Wall => (self.wall_ms, self.set_by.wall),
            Exhaustion::Idle => (self.idle_ms, self.set_by.idle),
            Exhaustion::Output => (self.output_bytes, self.set_by.output),
            Exhaustion::Cost => return None,
        };
        Some(Bound { amount, set_by })
    }
}

/// What one child may use, and the time that it may take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allowance {
    /// Reaching one of these is mode E.
    pub attempt: Caps,
    /// What is left for the whole run; reaching one of these pauses it.
    pub run_left: Caps,
}

impl Allowance {
    /// What a program is told that it may spend.
    pub fn least_usd(&self) -> Option<Usd> {
        least(self.attempt.usd, self.run_left.usd)
    }

    pub fn least_tokens(&self) -> Option<u64> {
        least(self.attempt.tokens, self.run_left.tokens)
    }
}

fn least<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}
