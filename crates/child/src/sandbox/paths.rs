//! From the places of a run, and what is sealed, to the fence around one child.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::belongings::Belongings;
use super::fence::{Fence, Laid, Rule};
use super::known::{Kind, Whose};
use super::out_of_sight::OutOfSight;
use super::sealed::{Sealed, SealedNow};
use super::{Own, others};
use tdd_core::isolation::Network;
use tdd_core::path::RelPath;
use tdd_core::policy::Policy;
use tdd_core::role::Role;

/// The most single files that one fence binds: each costs a fraction of a millisecond at every start.
pub const MOST_FILES: usize = 500;
/// Entries of a folder that are looked at before it counts as too large to be one of tests alone.
const MOST_ENTRIES: usize = 20_000;
/// A name that no file has: stands for "anything in this folder".
const ANYTHING: &str = "\u{1}anything";

/// The places of a run that its children must not write to or see; all absolute and without links.
#[derive(Clone, Debug)]
pub struct SandboxPaths {
    pub repository: PathBuf,
    /// The git folders of the work tree, which may lie elsewhere.
    pub git: Vec<PathBuf>,
    /// The folders of requirements.
    pub specs: Vec<PathBuf>,
    /// Where the exchange folders of this run are.
    pub exchange: PathBuf,
    /// Where the exchange folders and temporary files of all runs of this user are. It is masked as one:
    /// a mount over a folder that another run removes meanwhile fails.
    pub shared: PathBuf,
    /// What says which programs a person's runs start, where it is there.
    pub own_settings: Vec<PathBuf>,
    /// What is the person's and not the project's.
    pub belongings: Belongings,
    /// As it is before the project has told anything of itself.
    pub policy: Policy,
    /// Objects of git's with tests that are held out, and the refs that lead to them.
    pub out_of_sight: OutOfSight,
}

/// How folders full of protected files are bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grain {
    /// As a whole, so that nothing new can be made in them either.
    Folders,
    /// File by file: tests may write beside themselves.
    Files,
}

impl SandboxPaths {
    /// The same by real paths: a link could be bound, but not seen to be below the repository.
    #[must_use = "this returns the ground by real paths"]
    pub fn without_links(self) -> Self {
        let real = |path: PathBuf| path.canonicalize().unwrap_or(path);
        Self {
            repository: real(self.repository),
            git: self.git.into_iter().map(real).collect(),
            specs: self.specs.into_iter().map(real).collect(),
            exchange: real(self.exchange),
            shared: real(self.shared),
            own_settings: self.own_settings.into_iter().map(real).collect(),
            ..self
        }
    }

    /// Around an agent: what is sealed, git's and our own folders are read-only; runs, exchange
    /// folders but its own, and the requirements are out of sight, as far as the role must not
    /// read them (contract section 12).
    pub(super) fn for_role(&self, role: Role, sealed: &Sealed, own: &Own<'_>) -> Laid {
        let mut fence = Fence::default();
        self.belongings.lay(&mut fence, &self.whose(Kind::Agent, own));
        let mut laid = self.around_role(fence, role, sealed, own.folders);
        for file in own.hidden {
            laid.fence.set(file, Rule::Emptied);
        }
        self.belongings.show_empty(&mut laid.fence, &self.repository);
        laid
    }

    /// The same within `fence`, which says what holds outside of the run.
    fn around_role(&self, fence: Fence, role: Role, sealed: &Sealed, own: &[&Path]) -> Laid {
        let mut laid = self.common(fence, sealed, Grain::Folders);
        let fence = &mut laid.fence;
        others::mask(fence, &others::inside(&self.git, &self.repository));
        for kept in [".tdd/runs", ".tdd/sessions"].map(|name| self.repository.join(name)) {
            if kept.is_dir() {
                fence.set(&kept, Rule::Masked);
            }
        }
        for specs in self.hidden_specs(role) {
            fence.set(specs, Rule::Masked);
        }
        for folder in self.exchanges() {
            fence.set(folder, Rule::Masked);
        }
        for folder in own {
            fence.set(folder, Rule::Writable);
        }
        fence.hold_parents(&self.repository);
        laid
    }

    /// What is sealed and has one of these paths, or the last part of its path: what an agent's program
    /// would read as settings of its own. What a link leads to may be somebody else's, so links stay.
    pub(super) fn settings_of(&self, hide: &[String], sealed: &Sealed) -> Vec<PathBuf> {
        let sealed = sealed.0.borrow();
        let named = sealed.files.iter().filter(|file| hide.iter().any(|name| file.ends_with(name)));
        let real = named
            .map(|file| self.repository.join(file))
            .filter(|path| path.canonicalize().is_ok_and(|real| real == *path && real.is_file()));
        real.collect()
    }

    /// What a role may not write to: the same as its fence says, for an agent that has rules of its
    /// own, or for a level without a fence.
    pub fn read_only(&self, role: Role, sealed: &Sealed) -> Vec<PathBuf> {
        let laid = self.around_role(Fence::default(), role, sealed, &[]);
        let read_only = laid.fence.rules().filter(|(_, rule)| *rule == Rule::ReadOnly);
        read_only.map(|(path, _)| path.to_owned()).collect()
    }

    /// Around a command of the project's: the same is read-only, the runs are masked, and `work`,
    /// where reports and private caches go, can be written.
    pub(super) fn for_commands(&self, sealed: &Sealed, work: &Path, cwd: &Path) -> Laid {
        self.around_command(sealed, (work, cwd), None)
    }

    /// The same in a checkout: of the repository only `seen` is there, read-only but for what cargo builds into.
    pub(super) fn for_checkout(&self, sealed: &Sealed, at: (&Path, &Path), seen: &[PathBuf]) -> Laid {
        self.around_command(sealed, at, Some(seen))
    }

    fn around_command(&self, sealed: &Sealed, (work, cwd): (&Path, &Path), seen: Option<&[PathBuf]>) -> Laid {
        let too_many = sealed.0.borrow().files.len() > MOST_FILES;
        let mut fence = Fence::default();
        let nobodys = Own::default();
        let mut whose = self.whose(Kind::Command, &nobodys);
        whose.needed.extend([work, cwd]);
        self.belongings.lay(&mut fence, &whose);
        if let Some(copy) = self.copy_around(cwd)
            && fence.rule(copy) == Some(Rule::ReadOnly)
        {
            fence.set(copy, Rule::Writable);
        }
        if self.belongings.network() == Network::Off {
            fence.cut_off();
        }
        if let Some(ours) = self.belongings.ours() {
            fence.set(&ours, Rule::ReadOnly);
        }
        if let Some(seen) = seen {
            fence.set(&self.repository, Rule::Masked);
            let inside = seen.iter().filter(|path| path.starts_with(&self.repository));
            for path in inside.clone() {
                // A gate builds into it, as it does in the work tree.
                let is_built_into = path.file_name() == Some(OsStr::new("target"));
                fence.set(path, if is_built_into { Rule::Writable } else { Rule::ReadOnly });
            }
            let inside: Vec<&Path> = inside.map(PathBuf::as_path).collect();
            sealed.0.borrow().in_tools.lay(&mut fence, &self.repository, &inside);
        }
        let mut laid = self.common(fence, sealed, if too_many { Grain::Folders } else { Grain::Files });
        // A test must not learn from the journal which stage it is run in.
        let runs = self.repository.join(".tdd/runs");
        if runs.is_dir() && !cwd.starts_with(&runs) {
            laid.fence.set(&runs, Rule::Masked);
        }
        if seen.is_none() {
            others::protect(&mut laid.fence, &others::inside(&self.git, &self.repository));
        }
        if work.is_dir() {
            laid.fence.set(work, Rule::Writable);
        }
        laid.fence.hold_parents(&self.repository);
        laid
    }

    fn whose<'a>(&'a self, kind: Kind, own: &'a Own<'_>) -> Whose<'a> {
        let places = [self.repository.as_path(), &self.exchange, &self.shared];
        let git = self.git.iter().map(PathBuf::as_path);
        let needed = places.into_iter().chain(git).chain(own.folders.iter().copied()).collect();
        Whose { repository: &self.repository, needed, lent: own.lent, kind }
    }

    /// The copy of the tree that a command runs in, if it does: it lies beside the repository.
    fn copy_around<'p>(&self, cwd: &'p Path) -> Option<&'p Path> {
        if cwd.starts_with(&self.repository) {
            return None;
        }
        let beside = |above: &&Path| above.parent() == self.repository.parent();
        Some(cwd.ancestors().find(beside).unwrap_or(cwd))
    }

    fn common(&self, mut fence: Fence, sealed: &Sealed, grain: Grain) -> Laid {
        let dot_git = self.repository.join(".git");
        let ours = [&dot_git, &self.repository.join(".tdd")];
        for folder in self.git.iter().chain(ours).chain(&self.own_settings) {
            if let Ok(real) = folder.canonicalize() {
                fence.protect(&real);
            }
        }
        self.out_of_sight.lay(&mut fence);
        let left_out = self.protect_sealed(&mut fence, &sealed.0.borrow(), grain);
        Laid { fence, left_out }
    }

    /// Notes what a fence around one more child holds of what is sealed.
    pub(super) fn note_held(&self, sealed: &Sealed, fence: &Fence) {
        let is_held = |file: &Path| {
            let path = self.repository.join(file);
            let is_link = std::fs::symlink_metadata(&path).map_or(true, |about| about.is_symlink());
            // What is put into a folder that stands in the place of another goes with the child.
            !is_link && matches!(fence.rule(&path), Some(Rule::ReadOnly | Rule::Emptied | Rule::Masked))
        };
        let inside = |path: &Path| path.strip_prefix(&self.repository).ok().map(Path::to_owned);
        let folders = fence.held_folders().filter_map(inside).filter(|path| *path != Path::new("")).collect();
        sealed.note_held(is_held, folders);
    }

    /// Binds what is sealed; gives the number of files that were too many.
    fn protect_sealed(&self, fence: &mut Fence, sealed: &SealedNow, grain: Grain) -> usize {
        let mut known = BTreeMap::new();
        let (mut singles, mut left_out) = (0, 0);
        for file in &sealed.files {
            if grain == Grain::Folders
                && let Some(folder) = self.whole_folder(file, sealed, &mut known)
            {
                fence.protect(&self.repository.join(folder));
                continue;
            }
            let Some(path) = self.bindable(file) else { continue };
            if matches!(fence.rule(&path), Some(Rule::ReadOnly)) {
                continue;
            }
            if singles >= MOST_FILES {
                left_out += 1;
                continue;
            }
            singles += 1;
            fence.protect(&path);
        }
        left_out
    }

    /// Where a file can be bound. A link can't: what it leads to is bound if it is a file, and if
    /// the link itself is replaced, the manifest tells.
    fn bindable(&self, file: &Path) -> Option<PathBuf> {
        let path = self.repository.join(file);
        let meta = std::fs::symlink_metadata(&path).ok()?;
        if meta.is_symlink() {
            return path.canonicalize().ok().filter(|real| real.is_file());
        }
        Some(path)
    }

    /// The topmost folder above a file that holds nothing but what is sealed.
    fn whole_folder(
        &self,
        file: &Path,
        sealed: &SealedNow,
        known: &mut BTreeMap<PathBuf, bool>,
    ) -> Option<PathBuf> {
        let mut above: Vec<&Path> =
            file.ancestors().skip(1).filter(|up| !up.as_os_str().is_empty()).collect();
        above.reverse();
        let mut is_whole = |folder: &&&Path| {
            *known.entry(folder.to_path_buf()).or_insert_with(|| self.is_whole(folder, sealed))
        };
        above.iter().find(|folder| is_whole(folder)).map(|folder| folder.to_path_buf())
    }

    /// Whether whatever is or could be made in a folder is sealed, or left by running tests.
    fn is_whole(&self, folder: &Path, sealed: &SealedNow) -> bool {
        let inside = folder.join(ANYTHING);
        let inside = inside.to_str().and_then(RelPath::new);
        let policy = sealed.policy.as_ref().unwrap_or(&self.policy);
        if !inside.is_some_and(|inside| sealed.classes.contains(&policy.classify(&inside))) {
            return false;
        }
        if sealed.free.iter().any(|free| free.starts_with(folder)) {
            return false;
        }
        let mut waiting = vec![folder.to_owned()];
        let mut looked_at = 0;
        while let Some(folder) = waiting.pop() {
            let Ok(entries) = std::fs::read_dir(self.repository.join(&folder)) else { return false };
            for entry in entries.flatten() {
                looked_at += 1;
                let path = folder.join(entry.file_name());
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                let is_known = sealed.files.contains(&path) || self.is_plain_by_product(&path);
                if looked_at > MOST_ENTRIES || (!is_folder && !is_known) {
                    return false;
                }
                if is_folder {
                    waiting.push(path);
                }
            }
        }
        true
    }

    /// Left by any test run, such as `__pycache__`; what only this project's commands leave must
    /// stay writable for them.
    fn is_plain_by_product(&self, path: &Path) -> bool {
        let path = path.to_str().and_then(RelPath::new);
        path.is_some_and(|path| self.policy.looks_like_by_product(&path))
    }

    /// The requirements, if this role must not see them and there are any.
    pub(super) fn hidden_specs(&self, role: Role) -> impl Iterator<Item = &Path> {
        let is_hidden = match role {
            Role::TestWriter => false,
            Role::Implementer | Role::Refactorer | Role::Fixer => true,
        };
        // A folder that holds the repository can't be hidden from who works in it.
        let can_be = |specs: &&PathBuf| specs.is_dir() && !self.repository.starts_with(specs);
        self.specs.iter().filter(move |specs| is_hidden && can_be(specs)).map(PathBuf::as_path)
    }

    /// The exchange folders of this run and of all others.
    fn exchanges(&self) -> impl Iterator<Item = &Path> {
        // A folder that holds the repository can't be hidden from who works in it.
        let shared =
            (self.shared.is_dir() && !self.repository.starts_with(&self.shared)).then_some(&self.shared);
        let own = (!shared.is_some_and(|shared| self.exchange.starts_with(shared))).then_some(&self.exchange);
        shared.into_iter().chain(own).map(PathBuf::as_path)
    }
}
