//! A project's tests, run in a folder of their own beside its repository: on trees of the past, with nothing
//! of the work tree but what git ignores in it, such as `node_modules` and `.venv`.

use std::path::Path;

use super::place::Place;
use super::{ProjectTests, RunnerSetup, scratch};
use tdd_child::leftovers::{self, CopyFolder, OwnFolder};
use tdd_child::sandbox::Sandbox;
use tdd_core::path::RelPath;
use tdd_core::ports::{Observer, TestOrder, Tests as _};
use tdd_core::test::TestRun;
use tdd_core::trouble::Trouble;

/// The folder, which goes when this is dropped, and the tests in it.
pub struct Replay {
    tests: ProjectTests,
    /// The project in the repository.
    theirs: Place,
    folder: CopyFolder,
    _work: OwnFolder,
}

impl Replay {
    /// An empty folder. `setup` is that of the repository; its `work` is not used.
    pub fn new(setup: &RunnerSetup) -> Result<Self, Trouble> {
        let work = leftovers::temporary_folder(&setup.repository)?;
        let theirs = Place::new(&setup.repository, &setup.project);
        let folder = scratch::empty(&theirs)?;
        let inside = theirs.project.strip_prefix(&theirs.repository).unwrap_or(Path::new(""));
        let mut tests = ProjectTests::new(RunnerSetup {
            repository: folder.path().to_owned(),
            project: folder.path().join(inside),
            work: work.path().join("work"),
            ..setup.clone()
        })?
        .never_resumed();
        tests.owner.clone_from(&setup.repository);
        Ok(Self { tests, theirs, folder, _work: work })
    }

    /// Where the trees are to be put.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Every command is started inside this sandbox from now on.
    pub fn fence(&mut self, sandbox: Option<Sandbox>) {
        self.tests.sandbox = sandbox;
    }

    /// Brings along what git ignores at the top of the work tree and what no tree has brought.
    pub fn bring(&self, ignored: &dyn Fn(&RelPath) -> bool) -> Result<(), Trouble> {
        scratch::link_ignored(&self.theirs, self.folder.path(), ignored)
    }

    /// Runs tests on what is in the folder.
    pub async fn run(&mut self, order: &TestOrder, observer: Observer<'_>) -> Result<TestRun, Trouble> {
        self.tests.run(order, observer).await
    }
}
