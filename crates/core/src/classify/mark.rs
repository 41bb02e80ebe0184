//! Marks of tests, such as `skip`.

use std::collections::BTreeSet;

use super::absent_name;

/// What keeps a test from being run, or its failure from counting, as its source says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    #[default]
    None,
    /// Whatever the code does; as it is written.
    Always(String),
    /// Under a condition, of which the words are known.
    Under(String, BTreeSet<String>),
}

impl Mark {
    /// How the mark is written, if the test will not count once what is absent is there. Of a
    /// condition that speaks of something else nothing is known: it may be about the system.
    pub(super) fn discounts(&self, absent: Option<&str>) -> Option<&str> {
        match self {
            Self::None => None,
            Self::Always(written) => Some(written),
            Self::Under(written, words) => {
                absent.map(absent_name).is_some_and(|name| words.contains(name)).then_some(written)
            }
        }
    }
}
