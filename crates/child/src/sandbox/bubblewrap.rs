//! The fence as a command line of bubblewrap.
//!
//! ```text
//! words = program base [ "--unshare-net" ] { "--unsetenv" v } { bind } { stand } { remount } "--chdir" cwd
//!                                                                        the child's own words follow
//! bind  = "--bind" p p | "--bind-try" p p | "--ro-bind-try" p p | "--ro-bind" nothing p | "--perms" mode "--tmpfs" p
//! stand = "--ro-bind" ours p
//! ```
//!
//! Later words win over earlier ones, so binds are in the order of paths: a folder before what is
//! in it. A mask is made read-only last, when what shows through it has been mounted.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::fence::{Fence, Rule};
use tdd_core::isolation::Network;

/// What works on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bubblewrap {
    pub program: PathBuf,
    pub version: String,
    pub user: User,
    pub processes: Processes,
}

/// As whom we run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum User {
    Ordinary,
    /// Keeps its file permissions, and loses what could undo a mount or reach a disk around it.
    Root,
}

/// Whether a child has process ids of its own, which end with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Processes {
    /// With a `/proc` that shows them alone.
    Own,
    /// The old `/proc` stays, because a new one may not be mounted here.
    OwnWithoutProc,
    Shared,
}

/// A network with a loopback interface and nothing else.
const ALONE: &str = "--unshare-net";

/// What root keeps: a container's usual set, less the making of devices.
const ROOT_KEEPS: [&str; 13] = [
    "CAP_AUDIT_WRITE",
    "CAP_CHOWN",
    "CAP_DAC_OVERRIDE",
    "CAP_FOWNER",
    "CAP_FSETID",
    "CAP_KILL",
    "CAP_NET_BIND_SERVICE",
    "CAP_NET_RAW",
    "CAP_SETFCAP",
    "CAP_SETGID",
    "CAP_SETPCAP",
    "CAP_SETUID",
    "CAP_SYS_CHROOT",
];

impl Bubblewrap {
    /// The words before the child's own command line.
    pub fn words(&self, fence: &Fence, cwd: &Path) -> Vec<OsString> {
        let mut words = self.base();
        if fence.network() == Network::Off {
            words.push(ALONE.into());
        }
        for variable in fence.untold() {
            words.extend(["--unsetenv", variable].map(OsString::from));
        }
        let mut masks = Vec::new();
        for (path, rule) in fence.rules() {
            let mut from_to: [OsString; 2] = [path.into(), path.into()];
            match rule {
                Rule::Held => words.push("--bind".into()),
                // A cache that another run made for itself, and took along a moment ago.
                Rule::Writable => words.push("--bind-try".into()),
                // What was there a moment ago may be gone; then there is nothing to protect.
                Rule::ReadOnly => words.push("--ro-bind-try".into()),
                Rule::Emptied => {
                    words.push("--ro-bind".into());
                    from_to[0] = fence.nothing().into();
                }
                Rule::Masked | Rule::Fresh => {
                    let (mode, closed) =
                        if rule == Rule::Masked { ("0555", Some(path)) } else { ("0700", None) };
                    words.extend(["--perms", mode, "--tmpfs"].map(OsString::from));
                    words.push(path.into());
                    masks.extend(closed);
                    continue;
                }
            }
            words.extend(from_to);
        }
        for (ours, path) in fence.instead() {
            words.extend(["--ro-bind".into(), ours.into(), path.into()]);
        }
        for mask in masks {
            words.extend(["--remount-ro".into(), mask.into()]);
        }
        words.extend(["--chdir".into(), cwd.into()]);
        words
    }

    /// Everything as it is, but for the network, which is the child's alone.
    pub(super) fn alone(&self) -> Vec<OsString> {
        let mut words = self.base();
        words.push(ALONE.into());
        words
    }

    /// Everything as it is.
    pub(super) fn base(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec![self.program.clone().into()];
        let mut push = |more: &[&str]| words.extend(more.iter().map(OsString::from));
        push(&["--die-with-parent", "--bind", "/", "/"]);
        match self.user {
            User::Ordinary => push(&["--dev-bind", "/dev", "/dev"]),
            User::Root => {
                // Disks are devices too, and root could write to them around every mount.
                push(&["--dev", "/dev", "--dev-bind", "/dev/pts", "/dev/pts"]);
                for more in ["/dev/shm", "/dev/mqueue", "/dev/fuse", "/dev/kvm", "/dev/net", "/dev/dri"] {
                    push(&["--dev-bind-try", more, more]);
                }
                push(&["--cap-drop", "ALL"]);
                for capability in ROOT_KEEPS {
                    push(&["--cap-add", capability]);
                }
            }
        }
        match self.processes {
            Processes::Own => push(&["--unshare-pid", "--proc", "/proc"]),
            Processes::OwnWithoutProc => push(&["--unshare-pid"]),
            Processes::Shared => {}
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_the_persons_is_read_only_emptied_or_fresh() {
        let mut fence = Fence::default();
        fence.set(Path::new("/h"), Rule::ReadOnly);
        fence.set(Path::new("/h/.cache"), Rule::Writable);
        fence.set(Path::new("/h/.netrc"), Rule::Emptied);
        fence.set(Path::new("/run/user/7"), Rule::Fresh);
        fence.leave_untold("SSH_AUTH_SOCK");
        fence.cut_off();
        let words = |fence: &Fence| {
            let (program, version) = ("bwrap".into(), String::new());
            let bwrap = Bubblewrap { program, version, user: User::Ordinary, processes: Processes::Shared };
            let words = bwrap.words(fence, Path::new("/r"));
            words.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            words(&fence),
            "bwrap --die-with-parent --bind / / --dev-bind /dev /dev --unshare-net --unsetenv SSH_AUTH_SOCK \
             --ro-bind-try /h /h --bind-try /h/.cache /h/.cache --ro-bind /dev/null /h/.netrc \
             --perms 0700 --tmpfs /run/user/7 --chdir /r"
        );
        fence.empty_with(Path::new("/x/nothing"));
        assert!(words(&fence).contains("--ro-bind /x/nothing /h/.netrc"));
    }

    #[test]
    fn binds_come_in_the_order_of_paths_and_masks_are_closed_last() {
        let mut fence = Fence::default();
        fence.set(Path::new("/x/own"), Rule::Writable);
        fence.set(Path::new("/x"), Rule::Masked);
        fence.protect(Path::new("/r/tests"));
        fence.show_instead(Path::new("/x/index"), Path::new("/r/.git/index"));
        fence.hold_parents(Path::new("/r"));
        let bwrap = Bubblewrap {
            program: "bwrap".into(),
            version: String::new(),
            user: User::Ordinary,
            processes: Processes::Own,
        };
        let words = bwrap.words(&fence, Path::new("/r"));
        let words: Vec<&str> = words.iter().map(|word| word.to_str().unwrap()).collect();
        assert_eq!(
            words.join(" "),
            "bwrap --die-with-parent --bind / / --dev-bind /dev /dev --unshare-pid --proc /proc \
             --bind /r /r --ro-bind-try /r/tests /r/tests --perms 0555 --tmpfs /x --bind-try /x/own /x/own \
             --ro-bind /x/index /r/.git/index --remount-ro /x --chdir /r"
        );
    }
}
