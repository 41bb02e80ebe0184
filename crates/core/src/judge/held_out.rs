//! What held-out tests come to once they are back.

use super::{Fault, Reason, Verdict};
use crate::criterion::CriterionId;
use crate::guard::{self, Guard};
use crate::halt::Halt;
use crate::mode::Mode;
use crate::role::Key;

/// What hidden tests of these criteria, red in the work tree, halt a run for.
pub fn held_out(red: &[CriterionId]) -> Option<Halt> {
    let first = red.first().filter(|_| guard::stands(Guard::HeldOut))?;
    let reasons = red.iter().cloned().map(Reason::HeldOut).collect();
    let verdict = Verdict::Failed(Fault { mode: Mode::B, reasons });
    Some(Halt { key: Key::Implementer(first.clone()), verdict })
}
