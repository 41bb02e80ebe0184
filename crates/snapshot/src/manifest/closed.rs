//! Files and folders that their owner may not read, and could not before any child ran: whoever looks into
//! them closes them again. What a child has closed stays open.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use crate::checkpoints::edit::Tree;

#[derive(Debug, Default)]
pub(super) struct Closed {
    is_known: Cell<bool>,
    modes: RefCell<BTreeMap<Vec<u8>, u32>>,
}

impl Closed {
    /// Whether it had these permissions before; until all of it is known everything is told for the first time.
    pub(super) fn was_so(&self, path: &[u8], mode: u32) -> bool {
        if !self.is_known.get() {
            self.modes.borrow_mut().insert(path.to_vec(), mode);
        }
        self.modes.borrow().get(path) == Some(&mode)
    }

    /// The first look at everything has ended.
    pub(super) fn is_known(&self) {
        self.is_known.set(true);
    }
}

/// One walk over what is sealed: the tree, and the folders in it that were found to be real ones. What was
/// opened on it is closed at its end.
pub(super) struct Pass {
    pub(super) tree: Tree,
    pub(super) folders: RefCell<HashSet<Vec<u8>>>,
    pub(super) closed: Rc<Closed>,
}

impl Drop for Pass {
    fn drop(&mut self) {
        self.tree.close_again(|path, mode| self.closed.was_so(path, mode));
    }
}
