//! What an operator may say (contract section 11).

use serde::{Deserialize, Serialize};

use crate::criterion::CriterionId;
use crate::harmless;
use crate::requirement::Requirement;

/// What an operator may say after a halt or a pause.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// Try again with new attempts.
    Retry,
    /// Work that measures as passed is kept, though no valid block came with it.
    Take,
    /// This criterion is taken as it is; it ends as not verified.
    Accept(CriterionId),
    /// Tests or the requirement were changed on purpose: the requirement as it reads now.
    Edited(Box<Requirement>),
    /// REFACTOR is left out from now on.
    NoRefactor,
    /// The run is given up.
    Abandon,
}

impl Decision {
    /// The same with the operator's reason, made harmless.
    pub fn words_with(&self, why: Option<&str>) -> String {
        let why = why.map(|why| format!(", because: {}", harmless::line(why)));
        self.words() + &why.unwrap_or_default()
    }

    /// For a person.
    pub fn words(&self) -> String {
        match self {
            Self::Retry => "try again with new attempts".to_owned(),
            Self::Take => "keep the work that came without a valid block".to_owned(),
            Self::Accept(id) => format!("take {id} as it is"),
            Self::Edited(_) => "code, tests or the requirement were changed on purpose".to_owned(),
            Self::NoRefactor => "leave REFACTOR out".to_owned(),
            Self::Abandon => "give the run up".to_owned(),
        }
    }
}
