//! Whether a text holds one of many words: asked of each file of a project, before it is read by its grammar.

use aho_corasick::AhoCorasick;

/// Words that are looked for together, in one walk over a text however many they are.
pub(super) struct Words(Option<AhoCorasick>);

impl Words {
    pub(super) fn new<'w>(words: impl IntoIterator<Item = &'w str>) -> Self {
        Self(AhoCorasick::new(words).ok())
    }

    /// Words that can't be looked for together may stand in each text.
    pub(super) fn are_in(&self, text: &str) -> bool {
        self.0.as_ref().is_none_or(|words| words.is_match(text))
    }
}
