//! A dispute in a form that is none. It is told to a person and judged by nobody, so what can be understood is
//! taken for what was meant.

use super::{Fields, lines_of};
use crate::plain_yaml::Node;
use tdd_core::claim::Dispute;
use tdd_core::terminal_noise::shorten;

/// Fields that are read for it alone.
pub(super) const LOOSE: [&str; 4] = ["reason", "why", "test", "disputed"];
/// Words that say that nothing is disputed.
const NOTHING: [&str; 7] = ["", "no", "none", "false", "null", "n/a", "-"];
const MOST_OF_REASON: usize = 500;
const MOST_TESTS: usize = 5;

/// Whether a word in the place of the status says that something is disputed.
pub(super) fn is_of_dispute(word: &str) -> bool {
    word.to_lowercase().starts_with("disput")
}

impl Fields<'_, '_> {
    /// What is disputed in a form that is none: by the word of the status, or by a text where tests and a reason
    /// belong.
    pub(super) fn meant_dispute(&self) -> Option<Dispute> {
        let status = self.word("status").map(|(_, word)| word).unwrap_or_default();
        // Whose work is done disputes nothing.
        if status == "ok" {
            return None;
        }
        let says_so = is_of_dispute(&status);
        let of = |name: &str| self.get(name).or(self.loose.get(name))?.node().ok();
        let (mut reasons, mut tests) = (Vec::new(), Vec::new());
        let mut is_text = false;
        match of("dispute") {
            Some(Node::Map(pairs)) => {
                for (key, node) in pairs {
                    let of_key = if key.starts_with("test") { &mut tests } else { &mut reasons };
                    of_key.push(lines_of(&node));
                }
            }
            Some(node) => {
                let text = lines_of(&node);
                let word = text.trim().to_lowercase();
                is_text = !NOTHING.contains(&word.as_str());
                reasons.extend(is_text.then_some(text));
            }
            None => {}
        }
        if !says_so && !is_text && reasons.is_empty() && tests.is_empty() {
            return None;
        }
        reasons.extend(
            ["reason", "why", "notes"].iter().filter_map(|name| of(name)).map(|node| lines_of(&node)),
        );
        tests.extend(["test", "disputed"].iter().filter_map(|name| of(name)).map(|node| lines_of(&node)));
        let said = |texts: Vec<String>| {
            let lines =
                texts.iter().flat_map(|text| text.lines()).map(str::trim).filter(|line| !line.is_empty());
            lines.map(|line| shorten(line, MOST_OF_REASON)).collect::<Vec<_>>()
        };
        let mut tests = said(tests);
        tests.truncate(MOST_TESTS);
        Some(Dispute { tests, reason: shorten(&said(reasons).join(" "), MOST_OF_REASON) })
    }
}
