//! What runs there are and where each stands, for whoever looks and for whoever goes on.

pub(super) mod chosen;
pub(super) mod headline;
pub(super) mod journalled;
pub(super) mod phase;
pub(super) mod status;
pub(super) mod story;
