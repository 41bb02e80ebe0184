//! What pytest and unittest share: the environment of a run, the report of our own reporters, and
//! whose a module is.

pub(super) mod facts;

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::canary::PlantedCanary;
use super::installed::Use;
use super::place::{PYTHON_PATH, Place};
use super::scope::Scope;
use super::verification::{Verification, disk, read_capped};
use crate::command_line::RunnerCall;
use crate::test_report::REPORT_CAP;
use crate::test_report::jsonl::{self, Raised, Reported, Said, TestLine};
use crate::test_report::python_error::{Home, Moment, classify};
use tdd_child::regular_file;
use tdd_core::guard::{self, Guard};
use tdd_core::path::RelPath;
use tdd_core::test::{LoadFailure, Outcome, TestId, TestReport, TestResult};
use tdd_core::trouble::Trouble;

type Variables = Vec<(OsString, Option<OsString>)>;

/// Keeps what was compiled of installed modules; our reporters execute it at the end of a run.
const KEEPER: &str = include_str!("reporters/tdd_keep_compiled.py");

/// Finds what is installed as it lies in the work tree; our reporters execute it.
const ROOTS: &str = include_str!("reporters/tdd_import_roots.py");

/// Writes a reporter into the run's private folder, and gives the folder it lies in.
pub(super) fn install(verification: &Verification, name: &str, text: &str) -> Result<PathBuf, Trouble> {
    let folder = verification.fresh("reporter");
    std::fs::create_dir_all(&folder).map_err(|error| disk(&folder, &error))?;
    let files =
        [(folder.join(name), text), (keeper(&folder), KEEPER), (folder.join("tdd_import_roots.py"), ROOTS)];
    for (path, text) in files {
        regular_file::write(&path, text).map_err(|error| disk(&path, &error))?;
    }
    Ok(folder)
}

fn keeper(reporter: &Path) -> PathBuf {
    reporter.join("tdd_keep_compiled.py")
}

/// Where a test is of whose file nothing is known.
const UNKNOWN: &str = "unknown";

/// Where our reporter lies, and where it writes to.
pub(super) struct Reporter<'a> {
    pub(super) folder: &'a Path,
    pub(super) report: &'a Path,
    /// Whether it is loaded before anything of the project.
    pub(super) is_first: bool,
}

/// The variables of a run. Compiled files are neither read from the tree nor written to it: an
/// edit of the same size within the same second would run the old code.
pub(super) fn variables(
    (verification, compiled): (&Verification, &Use),
    call: &RunnerCall,
    (scope, canary, copies): (&Scope, Option<&PlantedCanary>, &[PlantedCanary]),
    place: &Place,
    reporter: &Reporter<'_>,
) -> Variables {
    let folder = || compiled.folder().map_or_else(|| verification.fresh("pycache"), Path::to_owned);
    let private_cache = guard::stands(Guard::PythonCache).then(folder);
    // No role came before the run that fills the folder: what is imported before our reporter, Python's own
    // library and the runner, may be read from where the person's own runs have compiled it.
    let late_cache = private_cache.clone().filter(|_| compiled.fills() && reporter.is_first);
    let early_cache = private_cache.filter(|_| late_cache.is_none());
    let keeper = compiled.fills().then(|| keeper(reporter.folder));
    let mut variables: Variables = vec![
        (OsString::from("PYTHONDONTWRITEBYTECODE"), Some("1".into())),
        ("PYTHONPYCACHEPREFIX".into(), early_cache.map(Into::into)),
        ("TDD_REPORT".into(), Some(reporter.report.into())),
        (
            "TDD_ORDER".into(),
            Some(
                order(call, (scope, canary, copies), place, (keeper.as_deref(), late_cache.as_deref()))
                    .into(),
            ),
        ),
    ];
    variables.extend(call.env.iter().map(|(name, value)| (name.into(), Some(value.into()))));
    if let Some((_, own)) = call.env.iter().find(|(name, _)| name == PYTHON_PATH) {
        variables.push((PYTHON_PATH.into(), place.python_path(Some(own.into()))));
    }
    variables
}

fn order(
    call: &RunnerCall,
    (scope, canary, copies): (&Scope, Option<&PlantedCanary>, &[PlantedCanary]),
    place: &Place,
    (keeper, late_cache): (Option<&Path>, Option<&Path>),
) -> String {
    let paths = |files: Vec<RelPath>| -> Vec<String> {
        files.iter().map(|file| real(&place.absolute(file))).collect()
    };
    let only = scope.only_files.iter().filter(|file| !scope.leave_out.contains(*file));
    let ids = scope.only_ids.iter().filter_map(|id| match id.0.split_once("::") {
        Some((UNKNOWN, name)) => Some((None, name)),
        Some(_) | None => place.file_of_id(id).map(|(file, name)| (Some(real(&place.absolute(&file))), name)),
    });
    json!({
        "leave_out": paths(scope.leave_out.iter().cloned().collect()),
        "only_files": paths(only.cloned().collect()),
        "only_ids": ids.collect::<Vec<_>>(),
        "chosen_files": paths(scope.chosen_files()),
        "call": call.args,
        "canary": canary.map(told),
        "copies": copies.iter().map(told).collect::<Vec<_>>(),
        "keeper": keeper.map(|path| path.to_string_lossy()),
        "compiled": late_cache.map(|path| path.to_string_lossy()),
    })
    .to_string()
}

fn told(planted: &PlantedCanary) -> serde_json::Value {
    json!({ "file": real(planted.file()), "tests": planted.tests() })
}

fn real(path: &Path) -> String {
    path.canonicalize().unwrap_or_else(|_| path.to_owned()).to_string_lossy().into_owned()
}

/// Reads what a reporter left; `Err` says why there is nothing to read.
pub(super) fn read(path: &Path) -> Result<Reported, String> {
    match read_capped(path, REPORT_CAP)? {
        Some(bytes) => Ok(jsonl::parse(&bytes)),
        None => Err("the test runner left no report: it ended before its first test".to_owned()),
    }
}

/// Turns a report into results, with kinds.
pub(super) fn results(reported: &Reported, place: &Place, scope: &Scope) -> TestReport {
    let homes = Homes::new(place);
    let (complete, loaded) = (reported.flaw.is_none(), place.own_files(&reported.loaded));
    let import_roots = place.own_folders(&reported.roots);
    let hiding = place.own_files(&reported.hiding);
    let mut report = TestReport { complete, loaded, import_roots, hiding, ..TestReport::default() };
    for line in &reported.tests {
        let file = line.test.file.as_deref().and_then(|file| place.in_repository(file));
        let path = file.as_ref().map_or_else(|| UNKNOWN.to_owned(), |file| place.id_path(file));
        let id = TestId(format!("{path}::{}", line.test.name));
        if file.as_ref().is_none_or(|file| scope.takes(file, &id)) {
            let outcome = outcome(line, &homes);
            report.tests.push(TestResult { id, file, outcome, duration_ms: milliseconds(line.ms) });
        }
    }
    for load in reported.loads.iter().filter(|load| !load.skipped) {
        let dotted = || RelPath::new(&format!("{}.py", load.file.replace('.', "/")));
        let file = place.in_repository(&load.file).or_else(dotted);
        let Some(file) = file.filter(|file| scope.takes_file(file)) else { continue };
        report.load_failures.push(LoadFailure::new(file, homes.judge(&load.errors, Moment::Loading)));
    }
    report
}

fn outcome(line: &TestLine, homes: &Homes<'_>) -> Outcome {
    let moment =
        if matches!(line.phase.as_str(), "setup" | "teardown") { Moment::Around } else { Moment::Running };
    match line.outcome {
        Said::Pass => Outcome::Passed,
        Said::Skip => Outcome::Skipped,
        Said::Fail => Outcome::Failed(homes.judge(&line.errors, moment)),
    }
}

/// Whole milliseconds of a duration that a runner told, never negative.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates, NaN is 0")]
pub(super) fn milliseconds(told: f64) -> u64 {
    told.max(0.0) as u64
}

/// Whose a top-level module is.
struct Homes<'a> {
    place: &'a Place,
    own: BTreeSet<String>,
    declared: OnceCell<BTreeSet<String>>,
}

impl<'a> Homes<'a> {
    fn new(place: &'a Place) -> Self {
        let mut own = BTreeSet::new();
        for root in ["", "src", "lib", "python"] {
            let Ok(entries) = std::fs::read_dir(place.project.join(root)) else { continue };
            for entry in entries.flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                let module = name.strip_suffix(".py").map(str::to_owned);
                own.extend(module.or_else(|| entry.path().is_dir().then_some(name)));
            }
        }
        Self { place, own, declared: OnceCell::new() }
    }

    fn judge(&self, errors: &[Raised], moment: Moment) -> tdd_core::test::Failure {
        classify(errors, moment, &|module| self.home(module), &|file| self.is_test(file))
    }

    fn home(&self, module: &str) -> Home {
        if self.own.contains(module) {
            return Home::Project;
        }
        let name = module.to_ascii_lowercase().replace('_', "-");
        if KNOWN_FOREIGN.contains(&name.as_str()) || self.declared().contains(&name) {
            return Home::Foreign;
        }
        Home::Nowhere
    }

    /// Names of dependencies in the project's manifests: anything that looks like a name at the
    /// start of a line or of a quoted string. Too many do little harm: they are names of packages.
    fn declared(&self) -> &BTreeSet<String> {
        self.declared.get_or_init(|| {
            let mut names = BTreeSet::new();
            for file in
                ["pyproject.toml", "requirements.txt", "requirements-dev.txt", "setup.cfg", "setup.py"]
            {
                let text = regular_file::read_to_string(self.place.project.join(file)).unwrap_or_default();
                let quoted = !file.starts_with("requirements");
                let pieces: Box<dyn Iterator<Item = &str>> =
                    if quoted { Box::new(text.split(['"', '\'', '\n'])) } else { Box::new(text.lines()) };
                let versioned = pieces
                    .map(str::trim)
                    .filter(|piece| !quoted || piece.contains(['=', '>', '<', '~', '[']));
                names.extend(versioned.map(package).filter(|name| !name.is_empty()));
            }
            names
        })
    }

    fn is_test(&self, file: &str) -> bool {
        let Some(path) = self.place.in_repository(file) else { return false };
        let name = path.file_name();
        let in_folder = path.as_str().split('/').any(|part| part == "tests" || part == "test");
        in_folder || name.starts_with("test") || name.ends_with("_test.py") || name == "conftest.py"
    }
}

fn package(piece: &str) -> String {
    let end = piece.find(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c))).unwrap_or(piece.len());
    piece[..end].to_ascii_lowercase().replace('_', "-")
}

/// Modules that every Python programmer takes for somebody else's: their absence is a missing
/// dependency and not something that an implementer should write.
const KNOWN_FOREIGN: &[&str] = &[
    "aiohttp",
    "attr",
    "attrs",
    "boto3",
    "bs4",
    "celery",
    "click",
    "cryptography",
    "dateutil",
    "django",
    "docker",
    "faker",
    "fastapi",
    "flask",
    "freezegun",
    "grpc",
    "httpx",
    "hypothesis",
    "jinja2",
    "jsonschema",
    "lxml",
    "matplotlib",
    "mock",
    "moto",
    "mypy",
    "networkx",
    "nose",
    "numpy",
    "openai",
    "pandas",
    "parameterized",
    "pil",
    "playwright",
    "polars",
    "psutil",
    "psycopg2",
    "pydantic",
    "pytest",
    "pytest-asyncio",
    "pytz",
    "redis",
    "regex",
    "requests",
    "requests-mock",
    "responses",
    "respx",
    "rich",
    "scipy",
    "selenium",
    "setuptools",
    "six",
    "sklearn",
    "sqlalchemy",
    "starlette",
    "tenacity",
    "tensorflow",
    "toml",
    "torch",
    "tornado",
    "tqdm",
    "trio",
    "typer",
    "ujson",
    "urllib3",
    "uvicorn",
    "websockets",
    "werkzeug",
    "yaml",
];
