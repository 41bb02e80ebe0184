//! What is done and said about protected files that are not as they were sealed.

use tdd_core::attempt::CheckpointId;
use tdd_core::audience::News;
use tdd_core::event::{Event, GONE};
use tdd_core::path::RelPath;
use tdd_core::ports::{Installed, Protection, World};
use tdd_core::trouble::Trouble;
use tdd_source::Language;

use crate::driver::cycle::Drive;
use crate::driver::whose::listed;

impl<W: World> Drive<'_, W> {
    /// What the role itself has done to installed files stays, and was told before any run.
    pub(super) fn tell_touched_by_runs(
        &mut self,
        touched: &[RelPath],
        before: &[RelPath],
        found: &CheckpointId,
    ) {
        let (stays, is_back): (Vec<&RelPath>, Vec<&RelPath>) =
            touched.iter().partition(|path| self.ports.protection.installed(path).is_some());
        let mut tell = |paths: &[&RelPath], became: &str| {
            if !paths.is_empty() {
                let paths = listed(paths.iter().copied()).join(", ");
                self.audience.news(&News::Note(format!(
                    "protected files changed while tests ran ({paths}); {became}"
                )));
            }
        };
        tell(&is_back, &format!("put back, what lay there is kept as {found}"));
        let stays: Vec<&RelPath> = stays.into_iter().filter(|path| !before.contains(path)).collect();
        tell(&stays, "of what is installed no copy is kept: install it anew");
    }
}

/// Makes protected files as they were sealed: which were not, and what a person is told of it.
pub(in crate::driver) fn put_back_touched<P: Protection>(
    protection: &mut P,
) -> Result<(Vec<RelPath>, Option<Event>), Trouble> {
    let touched = protection.check()?;
    protection.restore(&touched)?;
    let mut what = protection.told_above();
    if touched.is_empty() {
        return Ok((touched, (!what.is_empty()).then_some(Event::Restored { what })));
    }
    let line = |path: &RelPath| match protection.installed(path) {
        None => format!("protected file {path} was changed; put back"),
        Some(Installed::Known) => format!("installed file {path} was changed; install it anew, {GONE}"),
        Some(Installed::Beyond) => {
            format!(
                "installed file {path} was written anew, and lies beyond what is hashed: nobody can tell whether it \
                 is as it was; install it anew, {GONE}"
            )
        }
        Some(Installed::Hook) => {
            format!("{path} came, which Python runs before any test; remove it, {GONE}")
        }
        Some(Installed::New) => {
            format!(
                "{path} came into a package that had been installed before, where it may be taken for one of its own \
                 files; remove it, {GONE}"
            )
        }
    };
    what.extend(touched.iter().map(line));
    Ok((touched, Some(Event::Restored { what })))
}

/// Whether it could have been other code for a while: code by its name, and whatever tools are made of.
pub(in crate::driver) fn decides_what_is_judged(protection: &impl Protection, path: &RelPath) -> bool {
    Language::of(path.extension()).is_some() || protection.installed(path).is_some()
}
