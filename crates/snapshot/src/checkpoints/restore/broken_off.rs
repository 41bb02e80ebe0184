//! An undo that came to no end.

use std::collections::BTreeSet;

use super::super::census::{self, Entries};
use super::super::intent::Intent;
use super::super::listing;
use super::{Outlook, Restore};
use tdd_core::attempt::CheckpointId;

impl Restore {
    /// What is about to be done.
    pub(super) fn intent(&self, outlook: &Outlook, (label, now): (&str, &CheckpointId)) -> Intent {
        Intent {
            run: self.run.0.clone(),
            to: outlook.to.0.clone(),
            label: label.to_owned(),
            now: now.0.clone(),
        }
    }

    /// Where the disk had no room for it when the undo began: what is gone by now has made some.
    pub fn note_broken_off(&self, outlook: &Outlook, kept: (&str, &CheckpointId)) {
        let place = &self.checkpoints.place;
        if Intent::read(place).is_none() {
            // It is told that the undo came to no end, also where this can't be kept.
            let _ = self.intent(outlook, kept).note(place);
        }
    }

    /// The undo to this checkpoint that came to no end, if nobody has changed a file since: each is as it was
    /// before it, or as it is to be, or gone, as on a full disk, where what is kept makes room for what comes.
    pub(super) fn broken_off(
        &self,
        to: &CheckpointId,
        entries: &Entries,
        wanted: &Entries,
    ) -> Option<(String, CheckpointId)> {
        let intent = Intent::read(&self.checkpoints.place)?;
        let before = CheckpointId(intent.now.clone());
        let fits = intent.run == self.run.0 && intent.to == to.0 && intent.is_sound();
        let listed = listing::files(&self.checkpoints.private, &before).ok().filter(|_| fits)?;
        let was = census::entries(listed);
        let paths: BTreeSet<&Vec<u8>> = entries.keys().chain(was.keys()).chain(wanted.keys()).collect();
        let is_between = paths.iter().all(|path| {
            let is = entries.get(*path);
            let changes = was.get(*path) != wanted.get(*path);
            is == was.get(*path) || is == wanted.get(*path) || (is.is_none() && changes)
        });
        is_between.then_some((intent.label, before))
    }
}
