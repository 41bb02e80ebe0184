//! What of git's folder comes and goes: a folder of ours leads to it while it is there.

use std::path::Path;

/// What holds refs and comes and goes while a run is under way.
const AT_TIMES: [&str; 2] = ["packed-refs", "logs"];

/// A link in a folder of ours to each of them that is there, and none to one that is not: programs that look at every file of a project
/// (`node --test`) stumble over a link that leads nowhere.
pub(super) fn lead_to_what_comes_and_goes(folder: &Path, common_dir: &Path) {
    for name in AT_TIMES {
        let (link, to) = (folder.join(name), common_dir.join(name));
        let is_link = link.symlink_metadata().is_ok_and(|about| about.is_symlink());
        // Where it can't be made or taken away, git says itself what it does not find.
        let _ = match (to.exists(), is_link) {
            (true, false) => std::os::unix::fs::symlink(&to, &link),
            (false, true) => std::fs::remove_file(&link),
            (true, true) | (false, false) => Ok(()),
        };
    }
}
