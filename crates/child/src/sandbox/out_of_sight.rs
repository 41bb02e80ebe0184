//! What is hidden from all children for a while: held-out tests in git's objects.

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;

use super::fence::{Fence, Rule};

/// What no child is to see at the moment, by absolute paths; shared with whoever hides it.
#[derive(Clone, Debug, Default)]
pub struct OutOfSight(Rc<RefCell<Vec<PathBuf>>>);

impl OutOfSight {
    /// From now on these and nothing else.
    pub fn tell(&self, paths: Vec<PathBuf>) {
        *self.0.borrow_mut() = paths;
    }

    pub(super) fn lay(&self, fence: &mut Fence) {
        for path in self.0.borrow().iter() {
            let Ok(real) = path.canonicalize() else { continue };
            fence.set(&real, if real.is_dir() { Rule::Masked } else { Rule::Emptied });
        }
    }
}
