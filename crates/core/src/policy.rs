//! What a file is, and which role may change it (contract sections 1 and 7).

use std::collections::BTreeSet;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::globs::Globs;
use crate::guard::{self, Guard};
use crate::path::RelPath;
use crate::role::Role;

mod tables;
pub mod tooling;

pub use crate::file_class::FileClass;
pub use crate::globs::BadGlob;

use tables::{ECOSYSTEMS, HELPERS, Table};

/// Whether a role may change a file of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Permission {
    Allowed,
    /// Only some keys of the file: see `spec::mixed_file`.
    ByKey,
    /// Only what adds entries to the file: see `runners::lock_file`.
    ByEntry,
    Forbidden,
}

/// Section 7: the test-writer changes tests and dev-dependencies; the others change neither
/// tests nor gate files.
pub fn permission(role: Role, class: FileClass) -> Permission {
    match (class, role) {
        (FileClass::ByProduct, _)
        | (FileClass::Test, Role::TestWriter)
        | (FileClass::Source, Role::Implementer | Role::Refactorer | Role::Fixer) => Permission::Allowed,
        (FileClass::Mixed, _) => Permission::ByKey,
        (FileClass::Lock, _) => Permission::ByEntry,
        (FileClass::Gate, _)
        | (FileClass::Source, Role::TestWriter)
        | (FileClass::Test, Role::Implementer | Role::Refactorer | Role::Fixer) => Permission::Forbidden,
    }
}

/// All that decides which class a path of one project has, as the journal keeps it: a reader of the journal
/// alone can tell with [`Policy::of`] whether a role may change a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EffectivePolicy {
    /// Globs of what running tests leaves,
    pub by_products: Vec<String>,
    /// less the globs of what nothing but a person writes there.
    pub code_among: Vec<String>,
    pub gates: Vec<String>,
    pub locks: Vec<String>,
    pub mixed: Vec<String>,
    /// Globs of test files: the settings', or else the runner's usual ones.
    pub tests: Vec<String>,
    /// Globs of what tests are helped by, wherever it lies.
    pub helpers: Vec<String>,
    /// Relative to the repository, and wholly a gate; empty for none.
    pub specs_dir: String,
    /// What holds the requirement of a run beside that: the folder that another tool keeps it in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_specs: Option<RelPath>,
    /// Files that decide how tests run in this project only.
    pub own_gates: BTreeSet<RelPath>,
    /// Gate files that the requirement lets its roles write.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub allowed_config: BTreeSet<RelPath>,
    pub learned: Learned,
}

/// What the project itself tells once it was looked at, before anybody forked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Learned {
    /// Files whose tests the runner reported, though no glob names them.
    pub tests: BTreeSet<RelPath>,
    /// What tests alone rest on: their helpers and what they expect, though no glob names them.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub support: BTreeSet<RelPath>,
    /// What the project's own commands change or leave.
    pub by_products: BTreeSet<RelPath>,
    /// Part of the project at checkpoint 0, though a glob would make a by-product of it.
    pub kept: BTreeSet<RelPath>,
    /// The requirements at checkpoint 0: what comes to them is somebody's next one. `None` where nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requirements: Option<BTreeSet<RelPath>>,
}

/// Classifies paths of one project.
#[derive(Clone, Debug)]
pub struct Policy {
    effective: EffectivePolicy,
    globs: Rc<Classes>,
}

#[derive(Debug)]
struct Classes {
    by_products: Globs,
    code_among: Globs,
    gates: Globs,
    locks: Globs,
    mixed: Globs,
    tests: Globs,
}

impl Policy {
    /// `usual` are the globs of the runner's test files; `test_files` (setting) replaces them; `specs_dir` is
    /// relative to the repository and wholly a gate.
    pub fn new(usual: &[&str], test_files: &[String], specs_dir: &str) -> Result<Self, BadGlob> {
        Self::of(EffectivePolicy {
            by_products: owned(BY_PRODUCTS),
            code_among: code_among_by_products(),
            gates: all_of(|table| table.gates),
            locks: all_of(|table| table.locks),
            mixed: all_of(|table| table.mixed),
            tests: if test_files.is_empty() { owned(usual) } else { test_files.to_vec() },
            helpers: owned(HELPERS),
            specs_dir: specs_dir.trim_matches('/').to_owned(),
            other_specs: None,
            own_gates: BTreeSet::new(),
            allowed_config: BTreeSet::new(),
            learned: Learned::default(),
        })
    }

    /// The policy of a run whose journal is read.
    pub fn of(effective: EffectivePolicy) -> Result<Self, BadGlob> {
        let globs = Classes {
            by_products: Globs::of(&effective.by_products)?,
            code_among: Globs::of(&effective.code_among)?,
            gates: Globs::of(&effective.gates)?,
            locks: Globs::of(&effective.locks)?,
            mixed: Globs::of(&effective.mixed)?,
            tests: Globs::of(effective.tests.iter().chain(&effective.helpers))?,
        };
        Ok(Self { effective, globs: Rc::new(globs) })
    }

    pub fn effective(&self) -> &EffectivePolicy {
        &self.effective
    }

    /// The globs of test files, for a person or a prompt to read.
    pub fn test_patterns(&self) -> &[String] {
        &self.effective.tests
    }

    /// What belongs to tests, for a role to read: the globs, and what the project itself has told, up to
    /// [`TOLD_SUPPORT`] files of it.
    pub fn test_files(&self) -> Vec<String> {
        let EffectivePolicy { tests, learned, .. } = &self.effective;
        let learned = learned.tests.iter().chain(&learned.support).take(TOLD_SUPPORT);
        tests.iter().cloned().chain(learned.map(ToString::to_string)).collect()
    }

    /// The same policy where these files are gate files too: scripts that the commands run.
    #[must_use = "this returns the policy with the files added"]
    pub fn with_gates(mut self, files: impl IntoIterator<Item = RelPath>) -> Self {
        self.effective.own_gates.extend(files);
        self
    }

    /// The same policy where these files are no gate files, whatever tool reads them.
    #[must_use = "this returns the policy with the files allowed"]
    pub fn with_allowed(mut self, files: impl IntoIterator<Item = RelPath>) -> Self {
        self.effective.allowed_config.extend(files);
        self
    }

    /// The same policy where this folder is wholly a gate too.
    #[must_use = "this returns the policy with the folder added"]
    pub fn with_other_specs(mut self, folder: Option<RelPath>) -> Self {
        self.effective.other_specs = folder;
        self
    }

    /// The same policy that knows this, and nothing that it had learned before.
    #[must_use = "this returns the policy that knows it"]
    pub fn with_learned(mut self, learned: Learned) -> Self {
        self.effective.learned = learned;
        self
    }

    /// Whether a glob alone makes a by-product of this path.
    pub fn looks_like_by_product(&self, path: &RelPath) -> bool {
        self.globs.by_products.is_match(path.as_str()) && !self.globs.code_among.is_match(path.as_str())
    }

    /// Whether this is a requirement that was not there when the run began. No test rests on it and no role has
    /// to write it: it is the next one of a person, who is at work meanwhile, and no part of the run.
    pub fn is_next_requirement(&self, path: &RelPath) -> bool {
        let EffectivePolicy { learned, .. } = &self.effective;
        learned.requirements.as_ref().is_some_and(|known| self.is_requirement(path) && !known.contains(path))
    }

    /// Whether a path is that of a requirement.
    pub fn is_requirement(&self, path: &RelPath) -> bool {
        let specs_dir = &self.effective.specs_dir;
        !specs_dir.is_empty() && path.is_within(specs_dir) && path.extension() == "md"
    }

    /// Whether tests read this file and no runner loads it as code: what it says is put back like
    /// anything that is protected, but to write it is no wish to change a test.
    pub fn is_data_of_tests(&self, path: &RelPath) -> bool {
        self.classify(path) == FileClass::Test && !CODE.contains(&path.extension()) && !names_a_test(path)
    }

    /// Whether this file fits a pattern of test files and decides how tests run.
    pub fn is_gate_among_tests(&self, path: &RelPath) -> bool {
        self.globs.tests.is_match(path.as_str()) && self.classify(path) == FileClass::Gate
    }

    pub fn classify(&self, path: &RelPath) -> FileClass {
        let text = path.as_str();
        let (globs, EffectivePolicy { learned, own_gates, allowed_config, specs_dir, other_specs, .. }) =
            (&self.globs, &self.effective);
        let is_left = learned.by_products.contains(path) || self.is_next_requirement(path);
        if is_left || (self.looks_like_by_product(path) && !learned.kept.contains(path)) {
            FileClass::ByProduct
        } else if (((globs.gates.is_match(text) && guard::stands(Guard::GateFile))
            || (own_gates.contains(path) && guard::stands(Guard::OwnGate)))
            && !allowed_config.contains(path))
            || (!specs_dir.is_empty() && path.is_within(specs_dir))
            || other_specs.as_ref().is_some_and(|other| path.is_within(other.as_str()))
        {
            FileClass::Gate
        } else if globs.locks.is_match(text) {
            FileClass::Lock
        } else if globs.mixed.is_match(text) {
            FileClass::Mixed
        } else if globs.tests.is_match(text)
            || learned.tests.contains(path)
            || (learned.support.contains(path) && guard::stands(Guard::Support))
        {
            FileClass::Test
        } else {
            FileClass::Source
        }
    }
}

/// Files that a role is told by their names.
pub const TOLD_SUPPORT: usize = 20;

/// What some runner, or a test, loads as code.
const CODE: [&str; 40] = [
    "py", "pyi", "pyx", "pth", "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "vue", "svelte", "rs",
    "go", "rb", "php", "phpt", "java", "kt", "kts", "scala", "groovy", "cs", "fs", "vb", "ex", "exs", "erl",
    "clj", "swift", "lua", "pl", "t", "c", "h", "cpp", "sh", "bats",
];

fn owned(globs: &[&str]) -> Vec<String> {
    globs.iter().map(|glob| (*glob).to_owned()).collect()
}

fn all_of(list: fn(&Table) -> &'static [&'static str]) -> Vec<String> {
    ECOSYSTEMS.iter().flat_map(|table| owned(list(table))).collect()
}

/// What running tests leaves, with or without a `.gitignore`. Written so that they mean the same as
/// globs and as lines of a `.gitignore`. A folder that a person may use for his own things, too, is
/// here with what tools write into it: nothing else is in checkpoint 0.
pub const BY_PRODUCTS: &[&str] = &[
    "**/__pycache__/**",
    "**/.pytest_cache/**",
    "**/.mypy_cache/**",
    "**/.ruff_cache/**",
    "**/.hypothesis/**",
    "**/.coverage",
    "**/.coverage.*",
    "coverage/**/*.html",
    "coverage/**/*.css",
    "coverage/**/*.png",
    "coverage/**/*.svg",
    "coverage/**/*.json",
    "coverage/**/*.xml",
    "coverage/**/*.info",
    "coverage/**/*.out",
    "coverage/**/*.cov",
    "coverage/**/*.lock",
    "coverage/**/prettify.js",
    "coverage/**/sorter.js",
    "coverage/**/block-navigation.js",
    "**/coverage/lcov-report/**",
    "**/coverage/lcov.info",
    "**/coverage/clover.xml",
    "**/coverage/coverage-final.json",
    "**/htmlcov/**",
    "**/target/**/debug/**",
    "**/target/**/release/**",
    "**/target/tmp/**",
    "**/target/nextest/**",
    "**/target/doc/**",
    "**/target/doctests/**",
    "**/target/package/**",
    "**/target/criterion/**",
    "**/target/miri/**",
    "**/target/llvm-cov/**",
    "**/target/llvm-cov-target/**",
    "**/target/tarpaulin/**",
    "**/target/cxxbridge/**",
    "**/target/rust-analyzer/**",
    "**/target/flycheck*/**",
    "**/target/wheels/**",
    "**/target/CACHEDIR.TAG",
    "**/target/.rustc_info.json",
    "**/target/.rustdoc_fingerprint.json",
    "**/target/.future-incompat-report.json",
    "**/target/.cargo-lock",
    "**/target/classes/**",
    "**/target/test-classes/**",
    "**/target/generated-sources/**",
    "**/target/generated-test-sources/**",
    "**/target/maven-status/**",
    "**/target/maven-archiver/**",
    "**/target/surefire-reports/**",
    "**/target/failsafe-reports/**",
    "**/target/*.jar",
    "**/node_modules/.vite/**",
    "**/node_modules/.cache/**",
    "**/.nyc_output/**",
    "**/*.tsbuildinfo",
    // Written anew by each run of `vitest --typecheck`, and left by one that was cut off.
    "**/tsconfig.vitest-temp.json",
    "**/*.profraw",
    // Seeds of a property that failed, and snapshots that nobody has accepted yet.
    "**/*.proptest-regressions",
    "**/proptest-regressions/**",
    "**/*.snap.new",
    "**/*.pending-snap",
    "**/.DS_Store",
    // What editors hold beside a file that is open in them, keep of it as it was, or try a folder with.
    "**/.*.sw[a-p]",
    "**/.*.kate-swp",
    "**/.~lock.*#",
    "**/*~",
    "**/#*#",
    "**/.#*",
    "**/4913",
    "**/.tdd-report.xml",
    ".tdd/runs/**",
    "**/.tdd/runs/**",
    ".tdd/sessions/**",
    "**/.tdd/sessions/**",
];

/// Code is no by-product of tests, though it lies where they leave theirs: no tool writes any there,
/// and a child could hide from the commit what its tests rest on. As globs and as lines of a
/// `.gitignore`.
pub fn code_among_by_products() -> Vec<String> {
    const FOLDERS: [&str; 5] = ["__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".nyc_output"];
    const CODE: [&str; 12] = ["py", "pyi", "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "rs", "go"];
    let of = |folder: &'static str| CODE.map(|code| format!("**/{folder}/**/*.{code}"));
    FOLDERS.into_iter().flat_map(of).collect()
}

/// Whether the name of a source says that it holds tests, whatever its language: `cart_test.rb`,
/// `CartSpec.scala`.
pub fn names_a_test(path: &RelPath) -> bool {
    let name = path.file_name();
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let lower = stem.to_ascii_lowercase();
    let parts: Vec<&str> = lower.split(['_', '-', '.']).collect();
    let says = |word: &&str| matches!(*word, "test" | "tests" | "spec" | "specs");
    let camel = ["Test", "Tests", "Spec"].iter().any(|tail| stem.ends_with(tail));
    let is_code = !matches!(
        extension,
        "md" | "txt" | "json" | "yaml" | "yml" | "toml" | "xml" | "csv" | "lock" | "html"
    );
    is_code && (parts.first().is_some_and(says) || parts.last().is_some_and(says) || camel)
}

/// Whether a file is read by people and by nothing that runs: prose by its extension, or a
/// requirement. What agents are told by (`CLAUDE.md`, hidden folders) is none, nor is what a program
/// fills in or compiles (templates, MDX).
pub fn is_document(path: &RelPath, specs_dir: &str) -> bool {
    const PROSE: [&str; 6] = ["md", "markdown", "rst", "adoc", "asciidoc", "org"];
    const NAMES: [&str; 6] = ["README", "LICENSE", "COPYING", "NOTICE", "AUTHORS", "CHANGELOG"];
    let tells_agents = matches!(path.file_name(), "CLAUDE.md" | "AGENTS.md" | "GEMINI.md" | "SKILL.md");
    let is_prose = PROSE.contains(&path.extension()) || NAMES.contains(&path.file_name());
    let is_spec = !specs_dir.is_empty() && path.is_within(specs_dir);
    let is_test_data = path.as_str().split('/').any(|part| {
        matches!(part, "test" | "tests" | "__tests__" | "testdata" | "fixtures" | "spec" | "snapshots")
            || matches!(part, "template" | "templates")
            || (part.starts_with('.') && part != ".github")
    });
    is_prose && !tells_agents && (is_spec || !is_test_data)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PYTHON: &[&str] = &["**/tests/**", "**/test_*.py"];
    const RUST: &[&str] = &["**/tests/**", "**/*.snap", "**/*.proptest-regressions"];

    #[test]
    fn documents_are_what_only_people_read() {
        for (path, want) in [
            ("README.md", true),
            ("docs/deep/guide.rst", true),
            ("LICENSE", true),
            ("specs/frs/STE-1.md", true),
            ("tests/data/page.md", false),
            ("CLAUDE.md", false),
            (".claude/skills/x.md", false),
            ("templates/mail.md", false),
            ("pages/index.mdx", false),
            (".github/README.md", true),
            (".tdd/skills/tdd-fix/SKILL.md", false),
            ("requirements.txt", false),
            ("src/lib.rs", false),
            ("tdd.yaml", false),
        ] {
            assert_eq!(is_document(&RelPath::new(path).unwrap(), "specs/frs"), want, "{path}");
        }
    }

    #[test]
    fn paths_are_classed_by_the_first_class_that_fits() {
        let policy = Policy::new(PYTHON, &[], "specs").unwrap();
        for (path, want) in [
            ("tests/__pycache__/test_a.cpython-311.pyc", FileClass::ByProduct),
            ("tests/conftest.py", FileClass::Gate),
            ("specs/frs/STE-1.md", FileClass::Gate),
            (".claude/settings.json", FileClass::Gate),
            ("sub/CLAUDE.md", FileClass::Gate),
            (".tdd/skills/x/SKILL.md", FileClass::Gate),
            (".tdd/runs/x/events.jsonl", FileClass::ByProduct),
            ("uv.lock", FileClass::Lock),
            ("pyproject.toml", FileClass::Mixed),
            ("tests/test_a.py", FileClass::Test),
            ("tests/data/x.json", FileClass::Test),
            ("pkg/test_b.py", FileClass::Test),
            ("shop/core.py", FileClass::Source),
            ("targets/x.py", FileClass::Source),
        ] {
            assert_eq!(policy.classify(&RelPath::new(path).unwrap()), want, "{path}");
        }
    }

    #[test]
    fn a_name_says_that_a_file_holds_tests_by_its_first_or_last_word() {
        for (path, want) in [
            ("lib/cart_test.rb", true),
            ("lib/test-cart.rb", true),
            ("lib/Test.rb", true),
            ("lib/cart.spec.coffee", true),
            ("src/CartSpec.scala", true),
            ("src/CartTests.cs", true),
            ("src/CartTest.java", true),
            ("src/Contest.java", false),
            ("src/cart.java", false),
            ("src/the_test_of_time.rb", false),
            ("docs/test.md", false),
            ("docs/CartTest.md", false),
            ("src/test", false),
        ] {
            assert_eq!(names_a_test(&RelPath::new(path).unwrap()), want, "{path}");
        }
    }

    #[test]
    fn each_role_may_change_its_own_files_and_nobody_a_gate() {
        use Permission::{Allowed, ByEntry, ByKey, Forbidden};
        for (class, want) in [
            (FileClass::ByProduct, [Allowed, Allowed, Allowed]),
            (FileClass::Gate, [Forbidden, Forbidden, Forbidden]),
            (FileClass::Lock, [ByEntry, ByEntry, ByEntry]),
            (FileClass::Mixed, [ByKey, ByKey, ByKey]),
            (FileClass::Test, [Allowed, Forbidden, Forbidden]),
            (FileClass::Source, [Forbidden, Allowed, Allowed]),
        ] {
            assert_eq!(Role::ALL.map(|role| permission(role, class)), want, "{class:?}");
        }
    }

    #[test]
    fn a_project_may_have_gates_of_its_own() {
        let path = |text: &str| RelPath::new(text).unwrap();
        let policy = Policy::new(PYTHON, &[], "/specs/").unwrap().with_gates([path("run.sh")]);
        for (file, want) in [
            ("run.sh", FileClass::Gate),
            ("sub/run.sh", FileClass::Source),
            ("specs/a.py", FileClass::Gate),
            ("specs2/a.py", FileClass::Source),
            ("shop/specs/a.py", FileClass::Source),
        ] {
            assert_eq!(policy.classify(&path(file)), want, "{file}");
        }
        let other =
            Policy::new(PYTHON, &[], "specs/frs").unwrap().with_other_specs(RelPath::new("specs/001-a"));
        for (file, want) in [
            ("specs/001-a/plan.md", FileClass::Gate),
            ("specs/frs/X.md", FileClass::Gate),
            ("specs/001-ab/plan.md", FileClass::Source),
        ] {
            assert_eq!(other.classify(&path(file)), want, "{file}");
        }
        let nowhere = Policy::new(PYTHON, &[], "").unwrap();
        assert_eq!(nowhere.classify(&path("specs/a.py")), FileClass::Source);
    }

    #[test]
    fn what_tools_write_is_a_by_product_and_what_people_write_there_is_not() {
        let policy = Policy::new(PYTHON, &[], "specs").unwrap();
        for (file, want) in [
            ("__pycache__/impl.cpython-312.pyc", true),
            ("shop/__pycache__/impl.py", false),
            (".pytest_cache/v/cache/lastfailed", true),
            (".pytest_cache/impl.py", false),
            (".pytest_cache/v/impl.py", false),
            ("coverage/index.html", true),
            ("coverage/src/calc.ts.html", true),
            ("coverage/sorter.js", true),
            ("coverage/impl.js", false),
            ("coverage/notes.md", false),
            ("target/debug/deps/x.rs", true),
            ("target/x86_64-unknown-linux-musl/release/x", true),
            ("crates/one/target/debug/x", true),
            ("target/plan.md", false),
            ("target/imp.rs", false),
            ("src/calc.proptest-regressions", true),
            ("proptest-regressions/calc.txt", true),
            ("src/snapshots/a__b.snap.new", true),
            ("tests/.it.rs.pending-snap", true),
            ("src/snapshots/a__b.snap", false),
            ("specs/frs/.STE-1.md.swp", true),
            (".shop.py.swo", true),
            ("shop.swp", false),
            (".shop.swq", false),
            ("shop.py~", true),
            ("src/#shop.py#", true),
            ("src/.#shop.py", true),
            ("src/4913", true),
            ("src/4913.txt", false),
            ("#shop.py", false),
        ] {
            assert_eq!(policy.looks_like_by_product(&RelPath::new(file).unwrap()), want, "{file}");
        }
    }

    #[test]
    fn what_the_project_tells_of_itself_is_known_to_all_clones() {
        let path = |text: &str| RelPath::new(text).unwrap();
        let policy = Policy::new(PYTHON, &[], "specs").unwrap();
        let all = |text: &str| BTreeSet::from([path(text)]);
        let learned = Learned {
            tests: all("shop/checks.py"),
            support: all("golden/a.txt"),
            by_products: all("conftest.py"),
            kept: all("htmlcov/kept.py"),
            requirements: Some(all("specs/STE-1.md")),
        };
        for (file, before, after) in [
            ("shop/checks.py", FileClass::Source, FileClass::Test),
            ("golden/a.txt", FileClass::Source, FileClass::Test),
            ("golden/b.txt", FileClass::Source, FileClass::Source),
            ("conftest.py", FileClass::Gate, FileClass::ByProduct),
            ("htmlcov/kept.py", FileClass::ByProduct, FileClass::Source),
            ("htmlcov/other.py", FileClass::ByProduct, FileClass::ByProduct),
            ("shop/core.py", FileClass::Source, FileClass::Source),
            ("specs/STE-1.md", FileClass::Gate, FileClass::Gate),
            ("specs/STE-2.md", FileClass::Gate, FileClass::ByProduct),
            ("specs/helper.py", FileClass::Gate, FileClass::Gate),
        ] {
            assert_eq!(policy.classify(&path(file)), before, "{file}");
            let taught = policy.clone().with_learned(learned.clone());
            assert_eq!(taught.classify(&path(file)), after, "{file}");
            let kept = serde_json::to_string(taught.effective()).unwrap();
            let read = Policy::of(serde_json::from_str(&kept).unwrap()).unwrap();
            assert_eq!(read.classify(&path(file)), after, "{file}, from a journal");
        }
        assert!(policy.looks_like_by_product(&path("htmlcov/kept.py")), "by its name alone");
        assert!(!policy.looks_like_by_product(&path("conftest.py")), "by its name alone");
    }

    #[test]
    fn a_seed_that_is_committed_is_a_test_and_one_that_a_run_left_is_nobodys() {
        let path = |text: &str| RelPath::new(text).unwrap();
        let kept = BTreeSet::from([path("src/a.proptest-regressions")]);
        let policy = Policy::new(RUST, &[], "specs").unwrap();
        let policy = policy.with_learned(Learned { kept, ..Learned::default() });
        for (file, want) in [
            ("src/a.proptest-regressions", FileClass::Test),
            ("src/b.proptest-regressions", FileClass::ByProduct),
            ("src/snapshots/a.snap", FileClass::Test),
            ("src/snapshots/a.snap.new", FileClass::ByProduct),
        ] {
            assert_eq!(policy.classify(&path(file)), want, "{file}");
        }
    }

    #[test]
    fn a_setting_replaces_the_globs_of_the_runner() {
        let policy = Policy::new(PYTHON, &["checks/**".to_owned()], "").unwrap();
        assert_eq!(policy.test_patterns(), ["checks/**"]);
        assert_eq!(policy.classify(&RelPath::new("checks/a.py").unwrap()), FileClass::Test);
        assert_eq!(policy.classify(&RelPath::new("tests/a.py").unwrap()), FileClass::Source);
        assert_eq!(Policy::new(PYTHON, &["a[".to_owned()], "").unwrap_err().glob, "a[");
    }
}
