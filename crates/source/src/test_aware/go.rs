//! What a source of Go says of the test situation.

use super::TestAwareSign;
use super::asked;
use crate::tree::Tree;

/// Flags of a program that `go test` builds, without the `test.` before them: those that it is given always or mostly. What
/// else begins like them may be the name of a host.
const GO_FLAGS: &[&str] = &[
    "",
    "v",
    "run",
    "short",
    "count",
    "timeout",
    "paniconexit0",
    "testlogfile",
    "coverprofile",
    "gocoverdir",
    "cpu",
    "parallel",
    "failfast",
    "shuffle",
    "fullpath",
];

pub(super) fn sign(tree: &Tree<'_>, at: usize) -> Option<TestAwareSign> {
    match tree.kind(at) {
        "selector_expression" => (tree.text(at) == "testing.Testing").then_some(TestAwareSign::Asks),
        "import_spec" => tree.text(at).contains("\"testing\"").then_some(TestAwareSign::Looks),
        "interpreted_string_literal" => {
            let word = tree.text(at).trim_matches('"');
            let flag = word.trim_start_matches('-').strip_prefix("test.");
            let is_flag = flag.is_some_and(|flag| GO_FLAGS.contains(&flag));
            (is_flag || word == ".test").then_some(TestAwareSign::Asks).or_else(|| asked::in_go(tree, at))
        }
        _ => None,
    }
}
