//! What happens beside the stages.

use super::{Line, bad, brief, dim};
use crate::text::usage_words;
use tdd_core::attempt::CheckpointId;
use tdd_core::event::{GONE, LEFT_ALONE, Leaked};
use tdd_core::usage::Usage;

/// What was not told is said once, in the summary.
pub(super) fn child_used(usage: &Usage) -> Vec<Line> {
    if *usage == Usage::default() {
        return Vec::new();
    }
    vec![dim(format!("  used {}", usage_words::usage(usage)))]
}

pub(super) fn cut_off(kept_as: &CheckpointId) -> Line {
    let kept = brief(kept_as);
    dim(format!("  the attempt was cut off and does not count; what it left is kept as {kept}"))
}

pub(super) fn left_running(one: &Leaked) -> Line {
    bad(format!("  left running, ended: {} ({})", one.command, one.pid))
}

pub(super) fn denied(what: &String) -> Line {
    dim(format!("  its own program refused the agent: {what}"))
}

pub(super) fn glimpsed(what: &String) -> Line {
    bad(format!("  it saw a part of the requirement that its role is not shown: {what}"))
}

pub(super) fn put_back(what: &String) -> Line {
    if what.ends_with(LEFT_ALONE) || what.ends_with(GONE) {
        bad(format!("  seen: {what}"))
    } else {
        bad(format!("  put back: {what}"))
    }
}
