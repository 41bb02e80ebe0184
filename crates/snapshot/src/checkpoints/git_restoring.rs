//! What putting git's state back rests on.

use super::git::Git;
use super::git_kept::Keeper;
use super::place::GitPlace;
use super::refs::{OurRefs, Sound};
use super::specials::Clean;

/// What is needed to put things back.
pub(super) struct Restoring<'r> {
    pub(super) place: &'r GitPlace,
    /// On the folder of ours that leads to the user's refs.
    pub(super) git: &'r Git,
    pub(super) keeper: Keeper<'r>,
    /// Our own refs: a child may have deleted them.
    pub(super) ours: &'r OurRefs,
    pub(super) clean: &'r mut Clean,
    pub(super) sound: &'r mut Sound,
}
