//! The OS sandbox around every child (contract section 12, level `enforce`).
//!
//! ```text
//! seal, places of the run ─► SandboxPaths ─► Fence ─► backend ─► Enclosure: words before the child's own
//! ```
//!
//! The rules are pure ([`fence`]); a backend turns them into its own language ([`bubblewrap`] on
//! Linux, [`seatbelt`] on macOS). Which one works is tried once ([`probe`]). Landlock is none of
//! them: it can only allow, and what may be made in a folder may then be made below all of it, so
//! it can't keep a test in a folder where new files are welcome.
//!
//! Prevention may leak, the verdict may not: the manifest is checked whatever the level is. What a
//! fence can't hold (a protected path that is not there yet, a link) is left to it.

mod belongings;
pub mod bubblewrap;
mod caches;
pub mod fence;
mod git_helpers;
mod hidden;
mod known;
mod notices;
mod others;
mod out_of_sight;
mod paths;
mod places;
mod probe;
mod sealed;
pub mod seatbelt;
mod sessions;
mod told;
mod uses;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

pub use belongings::Belongings;
use bubblewrap::{Bubblewrap, Processes};
use fence::Fence;
pub use fence::Laid;
pub use notices::is_credential;
pub use out_of_sight::OutOfSight;
pub use paths::{MOST_FILES, SandboxPaths};
pub use sealed::{Sealed, ToolWrites};
pub use uses::Uses;

use tdd_core::isolation::{Confinement, Level, Network, Openings, Reach, Wanted};
use tdd_core::role::Role;
use tdd_core::trouble::Trouble;

/// What keeps a fence on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Backend {
    Bubblewrap(Bubblewrap),
    /// macOS's `sandbox-exec`; written, and not tested there.
    Seatbelt(PathBuf),
}

/// A fence as words of a backend, to be put before a child's own command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Enclosure {
    /// A program that stays and is the parent of the child: see `child::exec`.
    Around(Vec<OsString>),
    /// A program that becomes the child.
    Before(Vec<OsString>),
}

/// The level of a run, and what keeps it; `None` in level `audit`.
#[derive(Clone, Debug)]
pub struct Chosen {
    pub isolation: Confinement,
    pub backend: Option<Backend>,
}

/// Chooses the level. `path` is where the backends' programs are looked for. Fails, as a trouble of
/// the environment, if the sandbox is wanted and can't be had, or can't be as closed as `reach` says.
pub fn choose(wanted: Wanted, reach: &Reach, path: Option<&OsStr>) -> Result<Chosen, Trouble> {
    if wanted == Wanted::Audit {
        return Ok(audit("as it was asked for"));
    }
    match (probe::backend(path), wanted) {
        (Ok(backend), _) => {
            if reach.network == Network::Off {
                backend.can_cut_off(path)?;
            }
            let words = backend.words(reach, &Openings::default());
            let isolation = Confinement { level: Level::Enforce, words };
            Ok(Chosen { isolation, backend: Some(backend) })
        }
        (Err(why), Wanted::Enforce) => Err(Trouble::environment(
            "there is no OS sandbox around the children",
        )
        .because(why)
        .advise(
            "install bubblewrap (Debian, Ubuntu: apt install bubblewrap) and let it use user namespaces,\n\
                 or go on in level `audit`: --sandbox audit",
        )),
        (Err(why), Wanted::Auto | Wanted::Audit) => Ok(audit(&why)),
    }
}

impl Chosen {
    /// Says what stays open, too.
    #[must_use = "this returns the level as it is said"]
    pub fn telling(mut self, reach: &Reach, open: &Openings) -> Self {
        if let Some(backend) = &self.backend {
            self.isolation.words = backend.words(reach, open);
        }
        self
    }
}

fn audit(why: &str) -> Chosen {
    let words = format!(
        "protected files are checked and put back after each child, nothing is prevented: home, credentials \
         and network are open; no sandbox: {why}"
    );
    Chosen { isolation: Confinement { level: Level::Audit, words }, backend: None }
}

impl Backend {
    /// What keeps the level, for a person.
    fn words(&self, reach: &Reach, open: &Openings) -> String {
        let reach = reach.words(open);
        match self {
            Self::Bubblewrap(bwrap) => {
                let processes = match bwrap.processes {
                    Processes::Own | Processes::OwnWithoutProc => "process ids of their own",
                    Processes::Shared => "no process ids of their own: they are not allowed here",
                };
                format!(
                    "bubblewrap {}, {processes}; {reach}; reading the requirement through git history is not prevented",
                    bwrap.version
                )
            }
            Self::Seatbelt(_) => format!("sandbox-exec, not tested on macOS; {reach}"),
        }
    }

    /// A trouble if no command can be kept from the network here.
    fn can_cut_off(&self, path: Option<&OsStr>) -> Result<(), Trouble> {
        let Self::Bubblewrap(bwrap) = self else { return Ok(()) };
        probe::try_out(&bwrap.alone(), path).map_err(|why| {
            Trouble::environment("`network: off` can't be kept here").because(why).advise(
                "let bubblewrap make network namespaces, or take `network: off` out of `sandbox:` in tdd.yaml",
            )
        })
    }

    fn enclose(&self, fence: &Fence, cwd: &Path) -> Enclosure {
        match self {
            Self::Bubblewrap(bwrap) => Enclosure::Around(bwrap.words(fence, cwd)),
            Self::Seatbelt(program) => {
                Enclosure::Before(vec![program.clone().into(), "-p".into(), seatbelt::profile(fence).into()])
            }
        }
    }
}

/// Makes the fences of one run.
#[derive(Clone, Debug)]
pub struct Sandbox {
    pub backend: Backend,
    pub sandbox_paths: SandboxPaths,
    /// What is sealed when a child starts is what its fence protects.
    pub sealed: Sealed,
}

/// What is one child's own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Own<'a> {
    /// Folders that were made for it.
    pub folders: &'a [&'a Path],
    /// What of the person's it uses: its log-in, its own state. By real paths.
    pub lent: &'a [PathBuf],
    /// Files of the repository that are out of its sight, by real paths: see [`SandboxPaths::settings_of`].
    pub hidden: &'a [PathBuf],
}

/// An enclosure, and how many protected files it does not hold.
#[derive(Clone, Debug)]
pub struct Enclosed {
    pub enclosure: Enclosure,
    pub left_out: usize,
}

impl Sandbox {
    /// Around an agent that runs in `cwd` with what is its own, and sees the first of each pair in place
    /// of the second.
    pub fn for_role(
        &self,
        role: Role,
        own: &Own<'_>,
        instead: &[(PathBuf, PathBuf)],
        cwd: &Path,
    ) -> Enclosed {
        let mut laid = self.sandbox_paths.for_role(role, &self.sealed, own);
        for (ours, path) in instead {
            laid.fence.show_instead(ours, path);
        }
        self.enclosed(&laid, cwd)
    }

    /// What of the repository is out of a role's sight: the requirements, and what its agent would read as
    /// settings of its own, as its table says.
    pub fn out_of_sight(&self, role: Role, hide: &[String]) -> Vec<PathBuf> {
        let settings = self.settings_of(hide);
        let SandboxPaths { belongings, repository, .. } = &self.sandbox_paths;
        let more = belongings.hidden_inside(repository);
        self.sandbox_paths.hidden_specs(role).map(Path::to_owned).chain(settings).chain(more).collect()
    }

    /// What an agent that has this `hide` in its table would read of the repository as settings of its own.
    pub fn settings_of(&self, hide: &[String]) -> Vec<PathBuf> {
        self.sandbox_paths.settings_of(hide, &self.sealed)
    }

    /// Around a command of the project's that runs in `cwd` and may write to `work`.
    pub fn for_commands(&self, work: &Path, cwd: &Path) -> Enclosed {
        self.enclosed(&self.sandbox_paths.for_commands(&self.sealed, work, cwd), cwd)
    }

    /// The same in a checkout of the repository: of the work tree these alone are seen, and none can be written.
    pub fn for_checkout(&self, work: &Path, cwd: &Path, seen: &[PathBuf]) -> Enclosed {
        self.enclosed(&self.sandbox_paths.for_checkout(&self.sealed, (work, cwd), seen), cwd)
    }

    fn enclosed(&self, laid: &Laid, cwd: &Path) -> Enclosed {
        self.sandbox_paths.note_held(&self.sealed, &laid.fence);
        Enclosed { enclosure: self.backend.enclose(&laid.fence, cwd), left_out: laid.left_out }
    }
}

/// What is said when a fence does not hold everything.
pub fn left_out_words(count: usize) -> String {
    format!(
        "isolation: audit for {count} protected files beyond the first {MOST_FILES}: they are checked and put \
         back after each child, not made read-only"
    )
}
