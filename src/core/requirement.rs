//! One feature requirement, as a run knows it.

use serde::{Deserialize, Serialize};

use super::criterion::{Criterion, CriterionId};
use super::path::RelPath;

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
}
