//! `go test`, with the files that take no part left out by an overlay.
//!
//! ```text
//! go list ─► build, without what does not compile ─► run ─► again, what a panic took with it
//! ```
//!
//! go compiles a package's test files together, so one that does not compile hides all others, and
//! a panic ends the tests of its package. Neither may cost a test its result: the compiler says
//! which files it objects to, and the package is built again without them; what a panic kept from
//! running is run once more. The build runs no test (`-exec true`) and fills a cache of our own, which
//! begins with what the person's own holds of others' packages; results come from `-count=1` alone. vet
//! is off, since it can't read what an overlay adds, and the command that is told says so.

mod build;
mod cache;
mod canary;
mod declared;
mod facts;
mod options;
mod packages;
mod seed;
mod trial;
mod unwritten;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::place::Place;
use super::scope::Scope;
use super::verification::{Measured, Step, Verification, disk, read_capped};
use crate::command_line::{RunnerCall, typed};
use crate::test_report::{REPORT_CAP, failure};
use cache::Cache;
use canary::Birds;
use options::{Errors, Options};
use packages::Package;
use tdd_child::regular_file;
use tdd_core::path::RelPath;
use tdd_core::ports::{CanaryWish, Observer};
use tdd_core::test::{Canary, Exit, FailureKind, LoadFailure, TestReport};
use tdd_core::trouble::Trouble;
use unwritten::Unwritten;

pub(super) use facts::RUNNER;

/// Of the command that is told, and of what runs.
const VET_OFF: &str = "-vet=off";

/// What our own conclusion says when tests failed; go itself says 1 or 2.
const FAIL_CODE: i32 = 1;

#[derive(Debug)]
pub(super) struct Go {
    call: RunnerCall,
    options: Options,
    cache: Cache,
}

/// What the steps of one verification share.
struct Going<'a> {
    call: &'a RunnerCall,
    options: &'a Options,
    place: &'a Place,
    scope: &'a Scope,
    env: Vec<(OsString, Option<OsString>)>,
    /// Files that are not there for go.
    removed: BTreeSet<RelPath>,
    /// Those of them that do not compile.
    broken: BTreeMap<RelPath, LoadFailure>,
    birds: Birds,
    /// All, once the compiler broke off its list.
    errors: Errors,
    /// Of all of the project.
    names: BTreeSet<String>,
    unwritten: Unwritten,
}

/// What the steps found.
#[derive(Default)]
struct Gathered {
    report: TestReport,
    flaw: Option<String>,
    stopped: Option<Exit>,
}

impl Go {
    /// `work` is the run's private folder, where the build cache is kept.
    pub(super) fn new(call: RunnerCall, work: &Path) -> Self {
        let options = Options::read(&call.args);
        Self { call, options, cache: Cache::new(work) }
    }

    pub(super) async fn run(
        &mut self,
        (place, scope): (&Place, &Scope),
        wish: &CanaryWish,
        verification: &mut Verification,
        observer: Observer<'_>,
    ) -> Result<Measured, Trouble> {
        verification.announce(self.shown(place, scope), observer);
        let Self { call, options, cache } = self;
        let is_first = cache.is_unused();
        let folder = cache.ready()?;
        let mut gathered = Gathered::default();
        let mut going = Going::new((call, options), (place, scope), &folder);
        if is_first {
            going.sow(&folder, verification).await?;
        }
        let Some(packages) = going.list(verification, &mut gathered).await? else {
            verification.note_canary(if *wish == CanaryWish::None {
                Canary::NotAsked
            } else {
                Canary::NotRun
            });
            return Ok(conclude(gathered, Canary::NotRun));
        };
        going.birds = Birds::hatch(wish, &packages, place, verification)?;
        let code: Vec<Package> = packages.iter().filter(|package| !package.has_only_tests).cloned().collect();
        let built = going.build(packages, verification, &mut gathered).await?;
        if scope.is_unchosen() && gathered.stopped.is_none() && gathered.report.project_broken.is_none() {
            going.compile_alone(&code, verification, &mut gathered).await?;
        }
        cache.seal();
        if gathered.stopped.is_none() && gathered.report.project_broken.is_none() {
            going.run(&built, verification, &mut gathered).await?;
        }
        let canary = going.birds.seen();
        verification.note_canary(canary);
        if let Some(touched) = cache.settle() {
            let why = format!("while the tests ran, somebody changed the build cache: {}", touched.display());
            gathered.flaw = gathered.flaw.or(Some(why));
        }
        Ok(conclude(gathered, canary))
    }

    /// For a process that goes on with a run: a role may have written into the person's cache.
    pub(super) fn grow_cold(&mut self) {
        self.cache.grow_cold();
    }

    /// The command that a person would type for this; it is shown, and never run.
    fn shown(&self, place: &Place, scope: &Scope) -> String {
        if scope.is_unchosen() {
            let vet = self.options.vets.then(|| VET_OFF.to_owned());
            let all: Vec<String> = self.call.program.iter().cloned().chain(vet).collect();
            return typed(all.iter().chain(&self.call.args));
        }
        self.selection(place, &scope.chosen_files())
    }

    /// The command line that runs these files' tests.
    pub(super) fn selection(&self, place: &Place, files: &[RelPath]) -> String {
        let mut names: Vec<String> = Vec::new();
        let mut folders = BTreeSet::new();
        for file in files {
            let source = regular_file::read(place.absolute(file)).unwrap_or_default();
            names.extend(declared::names(&String::from_utf8_lossy(&source)));
            let path = place.id_path(file);
            folders.insert(
                path.rsplit_once('/').map_or_else(|| ".".to_owned(), |(folder, _)| format!("./{folder}")),
            );
        }
        let mut argv = self.call.program.clone();
        argv.extend(self.options.build.iter().chain(&self.options.run).cloned());
        if !names.is_empty() {
            argv.extend(["-run".to_owned(), pattern(names.iter().map(String::as_str))]);
        }
        argv.extend(folders);
        typed(&argv)
    }
}

/// Exactly these tests, with their subtests.
fn pattern<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.collect();
    format!("^({})$", names.join("|"))
}

impl<'a> Going<'a> {
    fn new(
        (call, options): (&'a RunnerCall, &'a Options),
        (place, scope): (&'a Place, &'a Scope),
        cache: &Path,
    ) -> Self {
        let is_go = |file: &&RelPath| file.extension() == "go";
        let removed = scope.leave_out.iter().filter(is_go).cloned().collect();
        let env = environment(call, cache);
        let (birds, names) = (Birds::default(), BTreeSet::new());
        let (broken, errors, unwritten) = (BTreeMap::new(), Errors::First, Unwritten::default());
        Self { call, options, place, scope, env, removed, broken, birds, errors, names, unwritten }
    }

    /// The packages that the command names; `None` if go can't say, and why is in `gathered`.
    async fn list(
        &mut self,
        verification: &mut Verification,
        gathered: &mut Gathered,
    ) -> Result<Option<Vec<Package>>, Trouble> {
        let mut all = self.options.packages.clone();
        let everything = "./...".to_owned();
        let asked = self.ask(&all, verification).await?;
        let listed = match asked {
            Ok(listed) => listed,
            Err((exit, said)) => {
                if let Exit::Code(_) = exit {
                    gathered.report.project_broken = Some(failure(FailureKind::Load, &said, None));
                } else {
                    gathered.stopped = Some(exit);
                }
                return Ok(None);
            }
        };
        self.know(&listed);
        if !all.contains(&everything) {
            all = vec![everything];
            let rest = self.ask(&all, verification).await?.unwrap_or_default();
            self.know(&rest);
        }
        Ok(Some(listed))
    }

    fn know(&mut self, packages: &[Package]) {
        self.names.extend(packages.iter().map(|package| package.name.clone()));
        self.unwritten.know(packages);
    }

    async fn ask(
        &self,
        patterns: &[String],
        verification: &mut Verification,
    ) -> Result<Result<Vec<Package>, (Exit, String)>, Trouble> {
        let overlay = self.overlay(verification)?;
        let mut argv = vec![self.program(), "list".into(), "-e".into(), "-find".into(), "-json".into()];
        argv.extend(["-overlay".into(), overlay.into()]);
        argv.extend(super::words(&self.options.build));
        argv.extend(super::words(patterns));
        let stdout = verification.fresh("list");
        let finished = verification.run(self.step(argv, stdout.clone())).await?;
        let said = verification.last_words(1);
        verification.show_instead(&stdout, "")?;
        if finished.exit != Exit::Code(0) {
            return Ok(Err((finished.exit, said)));
        }
        let bytes = read_capped(&stdout, REPORT_CAP).unwrap_or_default().unwrap_or_default();
        Ok(Ok(packages::parse(&bytes, self.place)))
    }

    /// `go`, as the person calls it.
    fn program(&self) -> OsString {
        let program = &self.call.program;
        program.get(program.len().saturating_sub(2)).map_or_else(|| "go".into(), OsString::from)
    }

    /// `go test` with what stands before it.
    fn test_call(&self, overlay: PathBuf) -> Vec<OsString> {
        let mut argv = super::words(&self.call.program);
        argv.extend(["-count=1".into(), VET_OFF.into(), "-overlay".into(), overlay.into()]);
        argv.extend(super::words(&self.options.building(self.errors)));
        argv
    }

    fn step(&self, argv: Vec<OsString>, stdout: PathBuf) -> Step {
        Step { argv, cwd: self.place.project.clone(), env: self.env.clone(), stdout: Some(stdout) }
    }

    /// Writes the overlay: an empty path stands for a file that does not exist.
    fn overlay(&self, verification: &Verification) -> Result<PathBuf, Trouble> {
        let gone = self.removed.iter().map(|file| (self.place.absolute(file), String::new()));
        let added = self.birds.files().chain(self.unwritten.files());
        let replace: serde_json::Map<String, serde_json::Value> =
            gone.chain(added).map(|(path, by)| (path.to_string_lossy().into_owned(), by.into())).collect();
        let path = verification.fresh(&format!("overlay-{}.json", self.removed.len()));
        let text = serde_json::json!({ "Replace": replace }).to_string();
        regular_file::write(&path, text).map_err(|error| disk(&path, &error))?;
        Ok(path)
    }
}

/// `go env -w` writes a file in the home folder, and GOFLAGS can say `-run` and `-exec`: of both
/// only what tells go where modules are and which files it builds is kept, and only from the
/// environment that we were started in.
fn environment(call: &RunnerCall, cache: &Path) -> Vec<(OsString, Option<OsString>)> {
    let mut env = base_environment(call);
    env.push(("GOENV".into(), Some("off".into())));
    env.push(("GOCACHE".into(), Some(cache.into())));
    // go keeps an index of a folder that was not changed for two seconds: it would come into the cache
    // at any time, and it says which files a package has.
    let told = call.env.iter().find(|(name, _)| name == "GODEBUG").map(|(_, value)| value.clone());
    let debug = told.or_else(|| std::env::var("GODEBUG").ok()).filter(|debug| !debug.is_empty());
    let debug = debug.map_or_else(|| "goindex=0".to_owned(), |debug| format!("{debug},goindex=0"));
    env.push(("GODEBUG".into(), Some(debug.into())));
    env
}

/// The person's own assignments, less what GOFLAGS must not say.
fn base_environment(call: &RunnerCall) -> Vec<(OsString, Option<OsString>)> {
    let kept = ["-mod=", "-modfile=", "-modcacherw", "-tags="];
    let told = call.env.iter().find(|(name, _)| name == "GOFLAGS").map(|(_, value)| value.clone());
    let flags = told.or_else(|| std::env::var("GOFLAGS").ok()).unwrap_or_default();
    let flags = flags.split_whitespace().filter(|flag| {
        let flag = flag.trim_start_matches('-');
        kept.iter().any(|kept| flag.starts_with(kept.trim_start_matches('-')))
    });
    let flags: Vec<&str> = flags.collect();
    let own = call.env.iter().map(|(name, value)| (name.into(), Some(value.into())));
    let mut env: Vec<(OsString, Option<OsString>)> = own.collect();
    env.push(("GOFLAGS".into(), Some(flags.join(" ").into())));
    env
}

/// What `go test` would have exited with, had it run the same in one go.
fn conclude(gathered: Gathered, canary: Canary) -> Measured {
    let Gathered { mut report, flaw, stopped } = gathered;
    let red = report.is_red();
    let red = red || canary == Canary::SeenFailing;
    let exit = stopped.unwrap_or(Exit::Code(if red { FAIL_CODE } else { 0 }));
    report.complete = flaw.is_none() && matches!(exit, Exit::Code(_));
    Measured { exit, report: Some(report), unreadable: flaw, fail_code: FAIL_CODE }
}
