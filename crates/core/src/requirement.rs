//! One feature requirement, as a run knows it.

use serde::{Deserialize, Serialize};

use crate::criterion::{Criterion, CriterionId};
use crate::path::RelPath;

/// A feature requirement with its criteria in order (contract sections 3 and 4).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Requirement {
    /// The name that the person used, or the file's stem for a path.
    pub id: String,
    /// Where the file lies, relative to the repository.
    pub path: RelPath,
    pub title: Option<String>,
    pub criteria: Vec<Criterion>,
}

impl Requirement {
    pub fn criterion(&self, id: &CriterionId) -> Option<&Criterion> {
        self.criteria.iter().find(|criterion| criterion.id == *id)
    }

    /// With its words as they may be kept and shown.
    #[must_use]
    pub fn with_words(mut self, mask: impl Fn(&str) -> String) -> Self {
        self.title = self.title.as_deref().map(&mask);
        for criterion in &mut self.criteria {
            criterion.text = mask(&criterion.text);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::criterion::Verify;

    #[test]
    fn a_criterion_is_found_by_its_id() {
        let id = |number| CriterionId::new("X", number).unwrap();
        let of = |number| Criterion { id: id(number), line: 1, verify: Verify::Test, text: String::new() };
        let criteria = vec![of(1), of(2)];
        let path = RelPath::new("specs/frs/X.md").unwrap();
        let requirement = Requirement { id: "X".into(), path, title: None, criteria };
        for number in [1, 2, 3] {
            let found = requirement.criterion(&id(number)).map(|criterion| criterion.id.number());
            assert_eq!(found, (number < 3).then_some(number));
        }
    }
}
