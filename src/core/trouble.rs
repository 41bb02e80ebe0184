//! What keeps the program from doing its work. Not here: a failed agent, failed tests, a
//! malformed block, a spent budget; those are events and reasons to halt.

use std::fmt;

/// Whose doing a trouble is; mapped to an exit code in one exhaustive match (`exit.rs`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TroubleKind {
    /// The command line or the requirement is not as it must be.
    User,
    /// `tdd.yaml`, a skill or an agent table is not as it must be.
    Config,
    /// A program, the disk, the repository or the network is not there or does not work.
    Environment,
    /// A limit or an outage that passes by itself: the run is paused, never ended.
    Passing,
    /// A bug of ours.
    Internal,
    /// A signal asked us to stop; the number is the signal's.
    Stopped(i32),
}

/// An error that a person reads: what happened, why, what to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    pub kind: TroubleKind,
    /// One sentence without a full stop: `no requirement STE-9`.
    pub what: String,
    /// The cause, as far as it is known; may be empty.
    pub why: String,
    /// What the person can do; lines; may hold a filled-in suggestion.
    pub next: String,
}

impl Trouble {
    pub fn new(kind: TroubleKind, what: impl Into<String>) -> Self {
        Self { kind, what: what.into(), why: String::new(), next: String::new() }
    }

    pub fn user(what: impl Into<String>) -> Self {
        Self::new(TroubleKind::User, what)
    }

    pub fn config(what: impl Into<String>) -> Self {
        Self::new(TroubleKind::Config, what)
    }

    pub fn environment(what: impl Into<String>) -> Self {
        Self::new(TroubleKind::Environment, what)
    }

    pub fn passing(what: impl Into<String>) -> Self {
        Self::new(TroubleKind::Passing, what)
    }

    pub fn internal(what: impl Into<String>) -> Self {
        Self::new(TroubleKind::Internal, what)
    }

    pub fn stopped(signal: i32) -> Self {
        Self::new(TroubleKind::Stopped(signal), format!("stopped by signal {signal}"))
    }

    /// The same trouble in other words: with its secrets masked, say.
    #[must_use = "this returns the trouble in other words"]
    pub fn map_words(self, words: &dyn Fn(&str) -> String) -> Self {
        let Self { kind, what, why, next } = self;
        Self { kind, what: words(&what), why: words(&why), next: words(&next) }
    }

    #[must_use = "this returns the trouble with its cause added"]
    pub fn because(mut self, why: impl fmt::Display) -> Self {
        self.why = why.to_string();
        self
    }

    #[must_use = "this returns the trouble with its advice added"]
    pub fn advise(mut self, next: impl Into<String>) -> Self {
        self.next = next.into();
        self
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if !self.why.is_empty() {
            write!(f, "\n  why: {}", self.why.replace('\n', "\n       "))?;
        }
        if !self.next.is_empty() {
            write!(f, "\n  next: {}", self.next.replace('\n', "\n        "))?;
        }
        Ok(())
    }
}

impl std::error::Error for Trouble {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trouble_says_what_why_and_what_next() {
        for (trouble, kind) in [
            (Trouble::user("it"), TroubleKind::User),
            (Trouble::config("it"), TroubleKind::Config),
            (Trouble::environment("it"), TroubleKind::Environment),
            (Trouble::passing("it"), TroubleKind::Passing),
            (Trouble::internal("it"), TroubleKind::Internal),
        ] {
            assert_eq!((trouble.kind, trouble.to_string().as_str()), (kind, "it"));
        }
        let stopped = Trouble::stopped(15);
        assert_eq!((stopped.kind, stopped.what.as_str()), (TroubleKind::Stopped(15), "stopped by signal 15"));
        let whole = Trouble::user("it broke").because("a\nb").advise("mend it\nrun it");
        assert_eq!(whole.to_string(), "it broke\n  why: a\n       b\n  next: mend it\n        run it",);
        assert_eq!(Trouble::user("a").advise("b").to_string(), "a\n  next: b");
    }
}
