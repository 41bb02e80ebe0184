//! One replay: three runs of a criterion's tests on two trees, in a folder of its own. No model and no agent
//! takes part, and nothing of the work tree is written.

use std::path::Path;
use std::time::Duration;

use super::found::Found;
use crate::cli::RunArgs;
use crate::cli::corpus::VerifyArgs;
use crate::commands::run::execute;
use crate::settings::{Environment, Settings};
use crate::text::mask::{MASKED, Mask};
use crate::view::print;
use crate::world::project::{self, Place};
use crate::world::project_commands::{self, Chosen};
use tdd_child::sandbox::{self, Belongings, Sandbox, SandboxPaths, Sealed, Uses};
use tdd_child::signals::{self, StopSignal};
use tdd_child::{leftovers, unix};
use tdd_core::audience::News;
use tdd_core::commands::CommandSettings;
use tdd_core::corpus::{Proof, Replayed, Sight, sight};
use tdd_core::mapping::Without;
use tdd_core::path::RelPath;
use tdd_core::policy::Policy;
use tdd_core::ports::{CanaryWish, TestOrder};
use tdd_core::test::TestRun;
use tdd_core::trouble::{Trouble, TroubleKind};
use tdd_runners::runner::{Replay, RunnerSetup};
use tdd_snapshot::checkpoints::checkout::Checkout;
use tdd_snapshot::checkpoints::git_folders;
use tdd_snapshot::git_facts;

/// What all replays have in common.
pub(super) struct Stage {
    place: Place,
    settings: Settings,
    environment: Environment,
    mask: Mask,
    sandbox: sandbox::Chosen,
    /// With `--test`.
    named: Option<Chosen>,
    /// What git ignores in the work tree, as far as it lies at a top.
    ignored: Vec<RelPath>,
    stop: StopSignal,
}

impl Stage {
    pub(super) fn set(args: &VerifyArgs, top: &Path, environment: Environment) -> Result<Self, Trouble> {
        let place = project::locate(top)?;
        let config = crate::commands::given::read_settings(&place, &environment)?;
        let flags =
            RunArgs { isolation: args.isolation.clone(), test: args.test.clone(), ..RunArgs::default() };
        let settings = Settings::resolve(&flags, config, &environment)?;
        let named = args.test.is_some().then(|| project_commands::choose(&place.project, &settings.commands));
        let sandbox = sandbox::choose(settings.sandbox, &settings.reach, environment.path.as_deref())?;
        print::message(&format!("tdd: isolation: {}", sandbox.isolation));
        let stop = signals::install()?;
        // Descendants of children that lose their parents come to us, so that the sweep finds them.
        let _ = unix::become_subreaper();
        let ignored = git_facts::ignored(top);
        let ignored = ignored.iter().filter_map(|path| RelPath::new(path)).collect();
        let mask = crate::commands::given::mask_of(&environment);
        Ok(Self { named: named.transpose()?, place, settings, environment, mask, sandbox, ignored, stop })
    }

    /// The proof of each of these, which are of the same files and from one tree to another. Fails only if a
    /// signal stopped us.
    pub(super) fn replay(&self, all: &[&Found]) -> Result<Vec<Proof>, Trouble> {
        let Some(first) = all.first() else { return Ok(Vec::new()) };
        match execute::event_loop()?.block_on(self.runs(first, all)) {
            Ok(runs) => Ok(all.iter().map(|one| runs.proof(one)).collect()),
            Err(trouble) if matches!(trouble.kind, TroubleKind::Stopped(_)) => Err(trouble),
            Err(trouble) => Ok(all.iter().map(|_| Proof::NotProven(words(&trouble))).collect()),
        }
    }

    async fn runs(&self, one: &Found, all: &[&Found]) -> Result<Runs, Trouble> {
        let setup = self.setup(one)?;
        let mut replay = Replay::new(&setup)?;
        let fence = self.fence(&setup, replay.folder())?;
        replay.fence(fence);
        let mut checkout = Checkout::new(&self.place.repository, replay.folder())?;
        let (base, result) = (&one.line.base.commit, &one.line.result.commit);
        checkout.go(base)?;
        replay.bring(&|path| self.ignored.contains(path))?;
        let mut hear = |news: News| self.hear(&news);
        let red = replay.run(&order(one, "red", CanaryWish::None), &mut hear).await?;
        checkout.go(result)?;
        let canary = CanaryWish::Beside(one.test_files.clone());
        let green = replay.run(&order(one, "green", canary.clone()), &mut hear).await?;
        let mut runs = Runs { red: red.clone(), green, green_again: None, taken_back: red };
        if all.iter().any(|one| sight(&runs.green, &one.test, &one.test_files) != Sight::Green) {
            runs.green_again = Some(replay.run(&order(one, "green again", canary), &mut hear).await?);
        }
        checkout.go(base)?;
        runs.taken_back = replay.run(&order(one, "taken back", CanaryWish::None), &mut hear).await?;
        Ok(runs)
    }

    fn hear(&self, news: &News) {
        if let News::Running { command, .. } = news {
            let command = self.mask.apply(command).into_owned();
            print::message(&format!("tdd: in a checkout of its own: {command}"));
        }
    }

    /// The command as the run's journal has it; a secret in it is kept nowhere.
    fn setup(&self, one: &Found) -> Result<RunnerSetup, Trouble> {
        let project = self.place.repository.join(&one.project);
        let chosen = match &self.named {
            Some(named) => named.clone(),
            None if one.commands.test.contains(MASKED) => {
                return Err(Trouble::user(
                    "the test command of its run holds a secret, which is kept nowhere",
                )
                .advise("say it again: --test COMMAND"));
            }
            None => {
                let CommandSettings { runner, .. } = self.settings.commands.clone();
                Chosen { commands: one.commands.clone(), table: runner }
            }
        };
        Ok(RunnerSetup {
            repository: self.place.repository.clone(),
            project,
            commands: chosen.commands,
            table: chosen.table,
            work: self.place.repository.join(".tdd"),
            deadline: self.settings.deadlines.command_ms.map(Duration::from_millis),
            output_cap: self.settings.output_cap,
            stop: self.stop.clone(),
        })
    }

    /// Around the commands: they may write to the checkout, and the repository is read-only to them.
    fn fence(&self, setup: &RunnerSetup, checkout: &Path) -> Result<Option<Sandbox>, Trouble> {
        let Some(backend) = self.sandbox.backend.clone() else { return Ok(None) };
        let repository = &self.place.repository;
        let policy = Policy::new(&[], &[], "")
            .map_err(|bad| Trouble::internal("a glob of ours can't be read").because(bad.why))?;
        let commands = [setup.commands.test.as_str()];
        let files = git_facts::files(repository).unwrap_or_default();
        let uses = Uses::of(files.iter().map(String::as_str), commands.into_iter());
        let mut closed = git_folders(repository)?.to_vec();
        closed.push(repository.clone());
        let sandbox_paths = SandboxPaths {
            out_of_sight: tdd_child::sandbox::OutOfSight::default(),
            repository: checkout.to_owned(),
            git: closed,
            specs: vec![checkout.join(&self.settings.specs_dir)],
            exchange: leftovers::shared_folder(),
            shared: leftovers::shared_folder(),
            own_settings: Vec::new(),
            belongings: Belongings::of(&self.settings.reach, &self.environment.vars).used_by(Some(uses)),
            policy,
        };
        Ok(Some(Sandbox { backend, sandbox_paths: sandbox_paths.without_links(), sealed: Sealed::default() }))
    }
}

fn order(one: &Found, what: &str, canary: CanaryWish) -> TestOrder {
    TestOrder {
        label: what.to_owned(),
        without: Without::files(one.left_out.clone()),
        only_files: one.test_files.clone(),
        only_ids: if one.test_files.is_empty() { vec![one.test.clone()] } else { Vec::new() },
        told_apart: one.test_files.clone(),
        canary,
        ..TestOrder::default()
    }
}

fn words(trouble: &Trouble) -> String {
    let parts = [trouble.what.as_str(), &trouble.why, &trouble.next];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ")
}

/// What was run.
struct Runs {
    red: TestRun,
    green: TestRun,
    green_again: Option<TestRun>,
    taken_back: TestRun,
}

impl Runs {
    fn proof(&self, one: &Found) -> Proof {
        let seen = |run: &TestRun| sight(run, &one.test, &one.test_files);
        let replayed = Replayed {
            red: seen(&self.red),
            green: seen(&self.green),
            green_again: self.green_again.as_ref().map(seen),
            taken_back: seen(&self.taken_back),
        };
        replayed.proof()
    }
}
