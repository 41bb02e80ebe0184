//! A setting: what becomes of work that came without a block.

use serde::{Deserialize, Serialize};

/// What becomes of work that measures as passed though no valid block came with it, when no format
/// retry is left (contract section 9).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MissingBlock {
    /// It stays as a checkpoint, and the operator may take it.
    #[default]
    Halt,
    /// It is kept.
    Take,
}

impl MissingBlock {
    pub const WORDS: [(&'static str, Self); 2] = [("halt", Self::Halt), ("take", Self::Take)];
}
