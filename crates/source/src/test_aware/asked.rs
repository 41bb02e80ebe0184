//! Code that asks what runs it: what is loaded, how the program was called, who calls it.
//!
//! ```text
//! asks   "'test_shop' in sys.modules", "'test' in frame.f_code.co_filename", "new Error().stack.includes('.test.')"
//! looks  "'test' in sys.argv", since a program may have a command of that name; "os.environ.get('CI')" and the other
//!        variables of those who run tests, which honest code reads at times; "open('tests/test_shop.py')": what is
//!        expected stands there
//! ```
//!
//! The words of a question and what it asks have to stand in one expression: one that goes by a variable is not seen.

use super::TestAwareSign::{self, Asks, Looks};
use crate::tree::Tree;

/// What an answer is read from, and what a question of it is made of.
struct Tongue {
    questions: &'static [&'static str],
    callers: &'static [&'static str],
    arguments: &'static [&'static str],
    tests: &'static [&'static str],
}

/// How far around a word its question reaches, in nodes.
const REACH: usize = 6;

const PYTHON: Tongue = Tongue {
    questions: &["comparison_operator", "call", "subscript", "generator_expression"],
    callers: &[
        "sys.modules",
        "stack(",
        "_getframe",
        "currentframe",
        "co_filename",
        "f_globals",
        "f_back",
        "findCaller",
    ],
    arguments: &["argv"],
    tests: &["test", "tests", "conftest", "pytest", "unittest"],
};

const SCRIPT: Tongue = Tongue {
    questions: &["binary_expression", "call_expression", "subscript_expression"],
    callers: &[".stack", "require.main", "require.cache", "module.parent", "import.meta.main"],
    arguments: &["process.argv"],
    tests: &["test", "tests", "spec", "vitest", "jest", "mocha"],
};

const GO: Tongue = Tongue {
    questions: &["binary_expression", "call_expression"],
    callers: &["runtime.Caller", "runtime.FuncForPC", "debug.Stack", "debug.ReadBuildInfo"],
    arguments: &["os.Args", "os.Executable"],
    tests: &["test", "tests"],
};

const RUST: Tongue = Tongue {
    questions: &["binary_expression", "call_expression"],
    callers: &["thread::current", "Backtrace", "backtrace", "Location::caller"],
    arguments: &["env::args", "current_exe"],
    tests: &["test", "tests"],
};

pub(super) fn in_python(tree: &Tree<'_>, at: usize) -> Option<TestAwareSign> {
    asked(tree, at, &PYTHON)
}

pub(super) fn in_script(tree: &Tree<'_>, at: usize) -> Option<TestAwareSign> {
    asked(tree, at, &SCRIPT)
}

pub(super) fn in_go(tree: &Tree<'_>, at: usize) -> Option<TestAwareSign> {
    asked(tree, at, &GO)
}

pub(super) fn in_rust(tree: &Tree<'_>, at: usize) -> Option<TestAwareSign> {
    asked(tree, at, &RUST)
}

/// Variables that are set where tests run, and mostly not where a user is: by services that run tests, by vitest, and
/// by cargo for whatever it starts.
const SURROUNDINGS: &[&str] =
    &["CI", "GITHUB_ACTIONS", "GITLAB_CI", "TEST", "MODE", "CARGO_PKG_NAME", "CARGO_MANIFEST_DIR", "CARGO"];

/// By the names that the runners of the five languages look for. A pattern of such names is none, nor is a part of one.
fn names_test_file(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or_default();
    let (stem, extension) = name.rsplit_once('.').unwrap_or_default();
    let is_plain = !word.contains(['*', '{', '$', '%']);
    // A part of a name is what tools look for.
    let own = match extension {
        "py" => stem.strip_prefix("test_").or_else(|| stem.strip_suffix("_test")),
        "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" => {
            stem.strip_suffix(".test").or_else(|| stem.strip_suffix(".spec"))
        }
        "go" => stem.strip_suffix("_test"),
        "rs" => Some(stem).filter(|_| word.starts_with("tests/") || word.contains("/tests/")),
        _ => None,
    };
    is_plain && own.is_some_and(|own| !own.is_empty())
}

/// Whether this string is the name of a variable that is read while the program runs.
fn reads_variable(tree: &Tree<'_>, at: usize) -> bool {
    let around = tree.ancestors(at).take(3).find(|around| {
        matches!(tree.kind(*around), "call" | "call_expression" | "subscript" | "subscript_expression")
            || tree.kind(*around) == "comparison_operator"
    });
    let reads = ["environ", "getenv", "process.env", "import.meta.env", "Getenv", "LookupEnv", "env::var"];
    around.is_some_and(|around| reads.iter().any(|read| tree.text(around).contains(read)))
}

/// `import.meta.env.TEST`, `process.env.CI`.
pub(super) fn is_of_surroundings(tree: &Tree<'_>, at: usize) -> bool {
    let text = tree.text(at).replace("?.", ".");
    let name = text.strip_prefix("import.meta.env.").or_else(|| text.strip_prefix("process.env."));
    name.is_some_and(|name| name != "MODE" && SURROUNDINGS.contains(&name))
}

/// What is asked of lists alone: on a text it would throw.
const LISTS: &[&str] = &[
    ".stack.find(",
    ".stack.findIndex(",
    ".stack.filter(",
    ".stack.some(",
    ".stack.every(",
    ".stack.map(",
    ".stack.forEach(",
    ".stack.push(",
    ".stack.pop(",
    ".stack.unshift(",
];

/// Whether this string stands in a question about the arguments of the process.
pub(super) fn of_arguments(tree: &Tree<'_>, at: usize) -> bool {
    let words = ["argv", "os.Args", "env::args"];
    tree.ancestors(at).take(REACH).any(|around| words.iter().any(|word| tree.text(around).contains(word)))
}

/// `at` is a string.
fn asked(tree: &Tree<'_>, at: usize, tongue: &Tongue) -> Option<TestAwareSign> {
    let word = tree.text(at).trim_matches(|c: char| !c.is_alphanumeric() && !"_./-".contains(c));
    if SURROUNDINGS.contains(&word) {
        return reads_variable(tree, at).then_some(Looks);
    }
    let mut parts = word.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    if !parts.any(|part| tongue.tests.contains(&part)) {
        return None;
    }
    let is_question = |around: &usize| tongue.questions.contains(&tree.kind(*around));
    let joins = |around: &usize| {
        tree.kind(*around) == "boolean_operator"
            || tree.child(*around, "operator").is_some_and(|by| matches!(tree.text(by), "&&" | "||" | "??"))
    };
    let inside = || tree.ancestors(at).take(REACH).take_while(|around| !joins(around));
    let around = || inside().filter(is_question).map(|at| tree.text(at));
    let says = |words: &[&str]| around().any(|text| words.iter().any(|word| text.contains(word)));
    // Who calls is told by a text; a list of that name is another thing.
    let is_text = || !tree.source.contains("prepareStackTrace");
    let is_list = |text: &str| LISTS.iter().any(|of| text.contains(of)) && is_text();
    let asks =
        |word: &&str| around().any(|text| text.contains(*word) && !(*word == ".stack" && is_list(text)));
    if tongue.callers.iter().any(asks) {
        return Some(Asks);
    }
    // A file of tests, or a runner's: no command has such a name.
    let is_plain = matches!(word, "test" | "tests" | "--test" | "spec");
    let asked = says(tongue.arguments).then_some(if is_plain { Looks } else { Asks });
    asked.or_else(|| names_test_file(word).then_some(Looks))
}
