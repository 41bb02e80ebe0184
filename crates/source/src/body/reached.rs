//! What decides whether a place in a test is reached.

use super::super::claim::callee;
use super::super::flow::is_plain;
use super::super::javascript;
use super::super::tree::{Span, is_function};
use super::{Reading, Scene};

impl Reading<'_, '_> {
    /// Everything that decides whether this place is reached: the heads of what stands around it,
    /// and all before it if that can end the test early.
    pub(super) fn conditions(&self, place: &Span, scene: &Scene<'_, '_>) -> Vec<Span> {
        let (at, body) = (place.start, scene.body);
        let mut found = Vec::new();
        for around in self.tree.ancestors(at).take_while(|around| *around >= body.start) {
            if !is_plain(self.tree.kind(around)) || self.is_let_else(around, at) {
                found.push(around + 1..at);
            }
            found.extend(javascript::caller(self.tree, around));
        }
        if scene.leaves.is_some_and(|leaves| leaves < at) {
            found.push(body.start..at);
        }
        found
    }

    /// `let Some(x) = two() else { panic!() };`
    fn is_let_else(&self, around: usize, at: usize) -> bool {
        self.tree.child(around, "alternative").is_some_and(|other| {
            self.tree.kind(around) == "let_declaration" && self.tree.span(other).contains(&at)
        })
    }

    pub(super) fn ends_early(&self, at: usize, body: &Span) -> bool {
        let leaves = match self.tree.kind(at) {
            "return_statement" | "return_expression" | "break_expression" | "yield" => true,
            "call" | "call_expression" | "macro_invocation" => callee(self.tree, at).is_some_and(|name| {
                let last = name.rsplit('.').next().unwrap_or_default();
                matches!(
                    last,
                    "skip" | "Skip" | "Skipf" | "SkipNow" | "skipTest" | "exit" | "_exit" | "importorskip"
                )
            }),
            _ => false,
        };
        leaves
            && !self
                .tree
                .ancestors(at)
                .take_while(|around| *around >= body.start)
                .any(|around| is_function(self.tree.kind(around)))
    }
}
