//! What children used, as their programs tell it, and what they may use.
//!
//! All figures are claims of a child. They are shown and held against caps; nothing else looks at
//! them, and no verdict does.

use std::fmt;

use serde::{Deserialize, Serialize};

/// More tokens than this for one child are no figure of a real program.
pub const MOST_TOKENS: u64 = 1_000_000_000_000;
/// More dollars than this are no figure of a real program either.
const MOST_USD: f64 = 1_000_000.0;

/// An amount of money in millionths of a US dollar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Usd(pub u64);

impl Usd {
    /// `None` for what is no amount: negative, not finite, above a million dollars.
    pub fn of_dollars(dollars: f64) -> Option<Self> {
        if !(0.0..=MOST_USD).contains(&dollars) {
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it lies between 0 and a million dollars"
        )]
        let millionths = (dollars * 1e6).round() as u64;
        Some(Self(millionths))
    }

    /// For machines.
    pub fn dollars(self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a million dollars are far below 2^53 millionths")]
        let millionths = self.0 as f64;
        millionths / 1e6
    }
}

impl fmt::Display for Usd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1..100 => f.write_str("under $0.0001"),
            0 | 100..1_000_000 => write!(f, "${:.4}", self.dollars()),
            1_000_000.. => write!(f, "${:.2}", self.dollars()),
        }
    }
}

/// Tokens and money. `None` is what was not told: never 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Usage {
    /// All tokens that the model read, those from a cache included.
    #[serde(default)]
    pub input: Option<u64>,
    /// Those of them that came from a cache.
    #[serde(default)]
    pub cached: Option<u64>,
    /// Tokens that the model wrote.
    #[serde(default)]
    pub output: Option<u64>,
    #[serde(default, rename = "micro_usd")]
    pub usd: Option<Usd>,
}

impl Usage {
    /// Read and written together; `None` if neither was told.
    pub fn tokens(&self) -> Option<u64> {
        sum(self.input, self.output)
    }

    /// Figure by figure; what only one of them tells is taken as it is.
    #[must_use = "this is the sum"]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            input: sum(self.input, other.input),
            cached: sum(self.cached, other.cached),
            output: sum(self.output, other.output),
            usd: sum(self.usd.map(|usd| usd.0), other.usd.map(|usd| usd.0)).map(Usd),
        }
    }

    /// What came on top of `before`, of a count that goes on over a session. A figure that is
    /// smaller than before belongs to a count that began anew, so it stands as it is.
    #[must_use = "this is the difference"]
    pub fn since(&self, before: &Self) -> Self {
        let step = |now: Option<u64>, before: Option<u64>| {
            now.map(|now| now.checked_sub(before.unwrap_or(0)).unwrap_or(now))
        };
        Self {
            input: step(self.input, before.input),
            cached: step(self.cached, before.cached),
            output: step(self.output, before.output),
            usd: step(self.usd.map(|usd| usd.0), before.usd.map(|usd| usd.0)).map(Usd),
        }
    }

    /// What this does not tell is taken from `other`.
    #[must_use = "this is the better one"]
    pub fn or(&self, other: &Self) -> Self {
        Self {
            input: self.input.or(other.input),
            cached: self.cached.or(other.cached),
            output: self.output.or(other.output),
            usd: self.usd.or(other.usd),
        }
    }
}

fn sum(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (None, None) => None,
        (one, other) => Some(one.unwrap_or(0).saturating_add(other.unwrap_or(0))),
    }
}

/// What one child used; the child of an attempt, or of one of its tries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChildUse {
    pub usage: Usage,
    /// The whole of its session until now, for the child that goes on with it: counts that a
    /// program does not begin anew when its session is resumed.
    #[serde(default)]
    pub session: Usage,
}

/// What several children used, and how many of them did not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tally {
    pub children: u32,
    /// The sum of all that was told.
    pub told: Usage,
    pub without_tokens: u32,
    pub without_usd: u32,
}

impl Tally {
    pub fn add(&mut self, usage: &Usage) {
        self.join(&Self {
            children: 1,
            told: *usage,
            without_tokens: u32::from(usage.tokens().is_none()),
            without_usd: u32::from(usage.usd.is_none()),
        });
    }

    pub fn join(&mut self, other: &Self) {
        self.children = self.children.saturating_add(other.children);
        self.told = self.told.plus(&other.told);
        self.without_tokens = self.without_tokens.saturating_add(other.without_tokens);
        self.without_usd = self.without_usd.saturating_add(other.without_usd);
    }
}

/// The most that may be used; `None` is no bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Caps {
    #[serde(default, rename = "micro_usd", skip_serializing_if = "Option::is_none")]
    pub usd: Option<Usd>,
    /// Read and written together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_ms: Option<u64>,
}

impl Caps {
    /// The bound that has nothing left, if there is one.
    pub fn reached(&self, used: &Usage, wall_ms: u64) -> Option<Cap> {
        let money = self.usd.filter(|cap| used.usd.is_some_and(|used| used >= *cap));
        let tokens = self.tokens.filter(|cap| used.tokens().is_some_and(|used| used >= *cap));
        let wall = self.wall_ms.filter(|cap| wall_ms >= *cap);
        let found = [money.map(|_| Cap::Usd), tokens.map(|_| Cap::Tokens), wall.map(|_| Cap::Wall)];
        found.into_iter().flatten().next()
    }

    /// What is left of each bound.
    #[must_use = "this is what is left"]
    pub fn less(&self, used: &Usage, wall_ms: u64) -> Self {
        let money = |cap: Usd| Usd(cap.0.saturating_sub(used.usd.unwrap_or_default().0));
        Self {
            usd: self.usd.map(money),
            tokens: self.tokens.map(|cap| cap.saturating_sub(used.tokens().unwrap_or(0))),
            wall_ms: self.wall_ms.map(|cap| cap.saturating_sub(wall_ms)),
        }
    }

    /// Bounds of `self`, and where it has none those of `other`.
    #[must_use = "this is what holds"]
    pub fn or(&self, other: &Self) -> Self {
        Self {
            usd: self.usd.or(other.usd),
            tokens: self.tokens.or(other.tokens),
            wall_ms: self.wall_ms.or(other.wall_ms),
        }
    }

    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// The bounds of a run and of each of its attempts (contract section 9).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CapPlan {
    /// Reaching one pauses the run.
    #[serde(default)]
    pub run: Caps,
    /// Reaching one is mode E.
    #[serde(default)]
    pub attempt: Caps,
}

impl CapPlan {
    /// Bounds of `self`, and where it has none those of `other`.
    #[must_use = "this is what holds"]
    pub fn or(&self, other: &Self) -> Self {
        Self { run: self.run.or(&other.run), attempt: self.attempt.or(&other.attempt) }
    }

    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// One of the bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cap {
    Usd,
    Tokens,
    Wall,
}

impl Cap {
    /// The flag that sets it for a run.
    pub fn flag(self) -> &'static str {
        match self {
            Self::Usd => "--max-usd",
            Self::Tokens => "--max-tokens",
            Self::Wall => "--max-wall",
        }
    }

    /// The flag that sets it for an attempt.
    pub fn attempt_flag(self) -> &'static str {
        match self {
            Self::Usd => "--max-usd-attempt",
            Self::Tokens => "--max-tokens-attempt",
            Self::Wall => "--max-wall-attempt",
        }
    }
}

#[cfg(test)]
mod tests;
