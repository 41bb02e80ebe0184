//! Which packages a test command takes, and which it should.
//!
//! Where the root of a workspace is a package too, a bare `cargo test` runs the root's tests and no
//! member's: what a role breaks in a member, and a criterion's test there, would never be seen. So the
//! whole workspace is taken, unless the person's own words narrow it: an option of the command, or
//! `default-members`. A workspace of which other members do not even build before anything was done
//! is taken as the command says.
//!
//! Refuses to know: what the packages' tests are (`targets`).

use std::path::Path;

use super::Cargo;
use super::environment;
use super::options::{Options, WORKSPACE};
use crate::command_line::typed;
use crate::runner::place::Place;
use crate::runner::verification::{Step, Verification, read_capped};
use crate::runner::words;
use crate::test_report::REPORT_CAP;
use crate::test_report::cargo_metadata::{self, Workspace};
use tdd_child::regular_file;
use tdd_core::audience::News;
use tdd_core::ports::Observer;
use tdd_core::trouble::Trouble;

/// How far the command reaches, decided by the first verification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Reach {
    #[default]
    Undecided,
    /// What the command says.
    AsSaid,
    /// The whole workspace, though the command does not say so; it has not been built yet.
    Tried,
    /// The same, for good.
    Whole,
}

impl Cargo {
    /// Asks cargo for the workspace; `None` if it can't be read, which the build will tell.
    pub(super) async fn look_around(
        &mut self,
        place: &Place,
        verification: &mut Verification,
        observer: Observer<'_>,
    ) -> Result<Option<Workspace>, Trouble> {
        let mut argv = self.cargo().to_vec();
        argv.extend(["metadata", "--no-deps", "--format-version", "1"].map(str::to_owned));
        argv.extend(self.options.of_workspace());
        let stdout = verification.fresh("metadata.json");
        let before = verification.parts();
        let step = Step {
            argv: words(&argv),
            cwd: place.project.clone(),
            env: environment::quiet(&self.call),
            stdout: Some(stdout.clone()),
        };
        verification.build(step).await?;
        let bytes = read_capped(&stdout, REPORT_CAP).unwrap_or_default().unwrap_or_default();
        verification.hide_parts(before);
        let workspace = cargo_metadata::parse(&bytes);
        if let (Reach::Undecided, Some(workspace)) = (self.reach, &workspace) {
            self.reach = match left_out(workspace, place, &self.options) {
                0 => Reach::AsSaid,
                others => {
                    self.options.take_workspace();
                    self.reach = Reach::Tried;
                    let command = self.whole().unwrap_or_default();
                    observer(News::Note(format!(
                        "taken: `{command}`, because the root is a package and has {others} more members, \
                         which `cargo test` alone leaves out; `default-members` or -p narrows it"
                    )));
                    Reach::Tried
                }
            };
        }
        Ok(workspace)
    }

    /// After the first build of a whole workspace: whether it was too much. `broken` are the packages
    /// that do not compile.
    pub(super) fn must_narrow(
        &mut self,
        workspace: Option<&Workspace>,
        broken: &[String],
        observer: Observer<'_>,
    ) -> bool {
        if self.reach != Reach::Tried {
            return false;
        }
        self.reach = Reach::Whole;
        let Some(workspace) = workspace.filter(|_| !broken.is_empty()) else { return false };
        if broken.iter().any(|id| workspace.defaults.contains(id)) {
            return false;
        }
        let packages = workspace.packages.iter().filter(|package| broken.contains(&package.id));
        let names: Vec<&str> = packages.map(|package| package.name.as_str()).collect();
        self.options.leave_workspace();
        self.reach = Reach::AsSaid;
        observer(News::Note(format!(
            "the root package alone is judged, because of the other members these do not build here: {}",
            names.join(", ")
        )));
        true
    }

    /// For a process that goes on with a run: as far as the first one reached, whatever builds now.
    pub(crate) fn recall(&mut self, command: &str) {
        // Where it had to be narrowed, the narrow one is the last.
        let last = command.rsplit(" && ").next().unwrap_or(command);
        let is_whole = last.split_whitespace().any(|word| word == WORKSPACE);
        self.reach = if is_whole { Reach::Whole } else { Reach::AsSaid };
        if is_whole {
            self.options.take_workspace();
        }
        self.target_dir.grow_cold();
    }

    /// The command for all tests, if it is not as it was said.
    pub(crate) fn whole(&self) -> Option<String> {
        let is_wider = matches!(self.reach, Reach::Tried | Reach::Whole)
            && !self.call.args.iter().any(|arg| arg == WORKSPACE || arg == "--all");
        is_wider.then(|| self.typed(&[WORKSPACE.to_owned()]))
    }

    /// The command for all tests, which goes on where some of them fail.
    pub(crate) fn everything(&self) -> String {
        const GOES_ON: &str = "--no-fail-fast";
        let has_it = self.call.args.iter().any(|arg| arg == GOES_ON);
        let mut more: Vec<String> = self.whole().map(|_| WORKSPACE.to_owned()).into_iter().collect();
        more.extend((!has_it).then(|| GOES_ON.to_owned()));
        self.typed(&more)
    }

    /// The person's own command, with more behind its program.
    pub(super) fn typed(&self, more: &[String]) -> String {
        typed(self.call.program.iter().chain(more).chain(&self.call.args))
    }
}

/// How many members the command leaves out without saying so.
fn left_out(workspace: &Workspace, place: &Place, options: &Options) -> usize {
    let root = Path::new(&workspace.root);
    let at_root = root.canonicalize().is_ok_and(|root| root == place.project);
    if options.names_packages() || options.names_targets() || !at_root || says_default_members(root) {
        return 0;
    }
    workspace.packages.len().saturating_sub(workspace.chosen(&options.shared).len())
}

fn says_default_members(root: &Path) -> bool {
    let text = regular_file::read_to_string(root.join("Cargo.toml")).unwrap_or_default();
    let manifest: toml::Table = text.parse().unwrap_or_default();
    manifest.get("workspace").is_some_and(|workspace| workspace.get("default-members").is_some())
}
