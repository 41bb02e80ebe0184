//! Ways to look at two versions of a file of tests.

use tdd_core::test::TestId;
use tdd_source::{Outline, is_subsequence};

/// Two versions of a file of tests, split.
pub(super) struct View {
    pub(super) before: Outline,
    pub(super) after: Outline,
}

impl View {
    /// Whether it says of a test, or of the one whose row it is, what it expects.
    pub(super) fn declares(&self, name: &str) -> bool {
        let row_of = name.rsplit_once("::").map_or(name, |(test, _)| test);
        [name, row_of].iter().any(|name| self.before.body(name).is_some())
    }

    /// `is_told`: whether the runner calls a test by this very name, so that its body is no other one's.
    pub(super) fn is_changed(&self, name: &str, is_told: &dyn Fn(&str) -> bool) -> bool {
        let (before, after) = (&self.before, &self.after);
        let is_named = |name: &&str| before.body(name).is_some();
        let shared = TestId(name.to_owned());
        // A row of Go is its function's.
        let function = name.split('/').next().unwrap_or(name);
        let named = [name, shared.shared(), function].into_iter().find(is_named);
        if !before.keeps(after, named.unwrap_or(name)) {
            return true;
        }
        match named {
            Some(name) => !is_subsequence(&before.bodies(name), &after.bodies(name)),
            // One that its class has from another class, or a name that only a run knows: any test of the file may be
            // its own that the run does not tell by its name.
            None => match before.bodies_of_method(name) {
                inherited if inherited.is_empty() => {
                    !before.has_in_rest(name) && !before.stands_in(after, is_told)
                }
                inherited => !is_subsequence(&inherited, &after.bodies_of_method(name)),
            },
        }
    }
}
