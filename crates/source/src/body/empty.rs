//! Claims that look at nothing that any code could change.

use super::super::claim::{Claim, Says};
use super::super::literal::{self, Worth};
use super::super::plain::Plain;
use super::super::tree::Span;
use super::Reading;

impl Reading<'_, '_> {
    /// It looks at nothing that any code could change.
    pub(super) fn is_empty(&self, claim: &Claim, plain: &Plain<'_>) -> bool {
        if claim.says == Says::Fails || !self.own_matchers(&claim.whole).is_empty() {
            return false;
        }
        let literal = |span: &Span| literal::worth(self.tree, span, plain).is_some();
        if claim.subjects.iter().all(literal) {
            // One that always fails says something where it stands, behind a condition.
            return self.forced(claim, plain) != Some(Worth::False);
        }
        if let (Says::Holds, [subject]) = (claim.says, claim.subjects.as_slice())
            && self.is_true_anyway(subject)
        {
            return true;
        }
        let sides = self.sides(claim);
        sides.is_some_and(|(left, right)| {
            let (left, right) = (self.condensed(&left), self.condensed(&right));
            left == right && !left.contains('(')
        })
    }

    /// A tuple that holds something (`assert (got, want)`), or one side of an `or` that is true.
    fn is_true_anyway(&self, subject: &Span) -> bool {
        let text = self.condensed(subject);
        let is_tuple = self.tree.kind(subject.start) == "tuple" && text.contains(',');
        let last = ["or True", "or 1", "|| true"].iter().any(|tail| text.ends_with(&format!(" {tail}")));
        let first = ["True or", "1 or", "true ||"].iter().any(|head| text.starts_with(&format!("{head} ")));
        is_tuple || last || first
    }

    pub(super) fn condensed(&self, span: &Span) -> String {
        self.tree.tokens(span.clone()).map(|at| self.tree.text(at)).collect::<Vec<_>>().join(" ")
    }

    /// The two sides that a claim compares for being equal.
    pub(super) fn sides(&self, claim: &Claim) -> Option<(Span, Span)> {
        if let (Says::Compares, [left, right, ..]) = (claim.says, claim.subjects.as_slice()) {
            return Some((left.clone(), right.clone()));
        }
        let [subject] = claim.subjects.as_slice() else { return None };
        let is_comparison =
            matches!(self.tree.kind(subject.start), "comparison_operator" | "binary_expression");
        let parts: Vec<usize> = self.tree.children(subject.start).collect();
        let in_tokens: Vec<usize> = self.tree.siblings(subject.clone()).collect();
        let sides = if is_comparison { parts } else { in_tokens };
        let sign = sides.iter().position(|at| matches!(self.tree.text(*at), "==" | "==="))?;
        let (first, last) = (*sides.first()?, *sides.last()?);
        let left = first..self.tree.node(*sides.get(sign.checked_sub(1)?)?).last;
        Some((left, *sides.get(sign + 1)?..self.tree.node(last).last))
    }

    /// What a claim about literals alone comes to.
    pub(super) fn forced(&self, claim: &Claim, plain: &Plain<'_>) -> Option<Worth> {
        let negative = ["not", "Not", "_ne", "False", "falsy", "Falsy", "isFalse"];
        let is_negative = negative.iter().any(|word| claim.name.contains(word));
        let worth = match (claim.says, claim.subjects.as_slice()) {
            (Says::Compares, [left, right, ..]) => literal::are_equal(self.tree, left, right, plain)?,
            (Says::Holds, [subject]) if !claim.name.contains("None") && !claim.name.contains("Nil") => {
                literal::worth(self.tree, subject, plain)?
            }
            _ => return None,
        };
        Some(match (worth, is_negative) {
            (Worth::True, true) => Worth::False,
            (Worth::False, true) => Worth::True,
            (worth, _) => worth,
        })
    }
}
