//! The flags that a command which goes on must repeat.

use std::fmt;

use crate::text::usage_words;
use tdd_core::harmless::shell_word;
use tdd_core::machine::Machine;
use tdd_core::usage::Cap;

/// Flags with their values, in the order in which a person types them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flags(Vec<(&'static str, Option<String>)>);

impl Flags {
    /// Adds a flag without a value.
    pub fn set(&mut self, flag: &'static str) {
        self.0.push((flag, None));
    }

    /// Adds a flag with each of these values.
    pub fn give(&mut self, flag: &'static str, values: impl IntoIterator<Item = String>) {
        self.0.extend(values.into_iter().map(|value| (flag, Some(value))));
    }

    /// The same with words put through a mask.
    #[must_use = "this returns the masked flags"]
    pub fn masked(self, mask: impl Fn(&str) -> String) -> Self {
        Self(self.0.into_iter().map(|(flag, value)| (flag, value.as_deref().map(&mask))).collect())
    }

    /// The same with a higher bound in the place of this one: what was set is what is to be set higher.
    #[must_use = "this returns the flags with that bound"]
    pub fn above(&self, state: &impl Machine, cap: Cap) -> Self {
        let mut flags = self.without(cap.flag());
        flags.give(cap.flag(), [usage_words::higher(state, cap)]);
        flags
    }

    /// The flags that a run goes on with, which would stand at the same bound again.
    #[must_use = "this returns the flags that go on"]
    pub fn past_a_cap(&self, state: &impl Machine) -> Self {
        state.cap_reached().map_or_else(|| self.clone(), |cap| self.above(state, cap))
    }

    fn without(&self, flag: &str) -> Self {
        Self(self.0.iter().filter(|(name, _)| *name != flag).cloned().collect())
    }
}

/// From a space on; nothing where there are none.
impl fmt::Display for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (flag, value) in &self.0 {
            write!(f, " {flag}")?;
            value.iter().try_for_each(|value| write!(f, " {}", shell_word(value)))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_told_as_they_are_typed() {
        let mut flags = Flags::default();
        assert_eq!(flags.to_string(), "");
        flags.give("--check", ["mypy .".to_owned(), "a --max-usd 1".to_owned()]);
        flags.give("--max-usd", ["1".to_owned()]);
        flags.set("--interactive");
        let checks = " --check 'mypy .' --check 'a --max-usd 1'";
        assert_eq!(flags.to_string(), format!("{checks} --max-usd 1 --interactive"));
        assert_eq!(flags.without("--max-usd").to_string(), format!("{checks} --interactive"));
    }
}
