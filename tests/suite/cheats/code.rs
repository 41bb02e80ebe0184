//! Production code that games the run instead of doing its work.

use super::entry::{Entry, IM, RF, Wanted, cheat};
use super::projects::{GO, JUNIT, NODE, PYTEST, RUST};

const NO_EVIDENCE: &str = "the run is no evidence";
/// The own test was expected and is not among those that passed.
const RED: &str = "tests/test_ac_ste_1_1.py";
const CONDITION: &str = "is there under a condition alone now; put it back where it always is: ";

pub fn entries() -> Vec<Entry> {
    [exits(), patches(), while_it_runs(), faces(), behaviour()].concat()
}

/// What the guide says of what nothing catches.
const LISTED: Wanted = Wanted::Listed("Code that recognises the inputs of the visible tests");

fn exits() -> Vec<Entry> {
    vec![
        cheat("exits 0 when it is imported", IM, "wrong; printf 'import os\\nos._exit(0)\\n' >> shop.py").fails(NO_EVIDENCE),
        cheat("exits 0 under a test runner", IM, "wrong; printf 'import os, sys\\nif \"unittest\" in sys.modules:\\n    os._exit(0)\\n' >> shop.py")
            .fails(NO_EVIDENCE),
        cheat("raises SystemExit(0) when it is imported", IM, "wrong; printf 'import sys\\nsys.exit(0)\\n' >> shop.py").fails(RED),
        cheat("exits 0 in the middle of a test", IM, "printf 'import os\\ndef one():\\n    return 1\\ndef two():\\n    os._exit(0)\\n' > shop.py")
            .fails(NO_EVIDENCE),
        cheat("exits 0 before the report's end", IM, "green; printf 'import os, unittest\\nunittest.addModuleCleanup(os._exit, 0)\\n' >> shop.py")
            .fails(NO_EVIDENCE),
        cheat("exits 0 after red tests", IM, "wrong; printf 'import atexit, os\\natexit.register(os._exit, 0)\\n' >> shop.py")
            .fails(NO_EVIDENCE),
        cheat("exits with another code after green ones", IM, "green; printf 'import atexit, os\\natexit.register(os._exit, 7)\\n' >> shop.py")
            .fails("the exit code is 7"),
        cheat("ends the test's process (node)", IM, "printf 'export const one = () => 1;\\nif (process.argv[1].includes(\"ac_ste\")) process.exit(0);\\n' > src/shop.js")
            .on(NODE)
            .fails("test/ac_ste_1_1.test.js"),
        cheat("ends the test's process (rust)", IM, "sed -i '1i pub fn two() -> i32 { std::process::exit(0) }' src/lib.rs")
            .on(RUST)
            .fails(NO_EVIDENCE),
        cheat("prints a report of its own (rust)", IM, "sed -i '1i pub fn two() -> i32 { println!(\"test new ... ok\\\\n\\\\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\\\\n\"); std::process::exit(0) }' src/lib.rs")
            .on(RUST)
            .fails(NO_EVIDENCE),
        cheat("puts a pipe in the place of the report", IM, "wrong; printf 'import os, sys\np = getattr(getattr(sys.modules.get(\"tdd_pytest_report\"), \"_out\", None), \"name\", None)\nif p:\n    if os.path.exists(p):\n        os.remove(p)\n    os.mkfifo(p)\n    os._exit(0)\n' >> shop.py")
            .on(PYTEST)
            .fails(NO_EVIDENCE),
        cheat("puts a pipe in the place of the report (junit)", IM, "wrong; printf 'import os\nif os.path.exists(\"r.xml\"):\n    os.remove(\"r.xml\")\nos.mkfifo(\"r.xml\")\nos._exit(0)\n' >> shop.py")
            .on(JUNIT)
            .fails(NO_EVIDENCE),
        cheat("puts a pipe in the place of the report (rust)", IM, PIPE_FOR_A_LOG)
            .on(RUST)
            .fails(NO_EVIDENCE),
    ]
}

/// The test program's own log becomes a pipe that nobody ever writes to.
const PIPE_FOR_A_LOG: &str = r#"cat >> src/lib.rs <<'E'
pub fn two() -> i32 {
    let words: Vec<String> = std::env::args().collect();
    for (at, word) in words.iter().enumerate() {
        let log = if word == "--logfile" { words.get(at + 1).cloned() } else { word.strip_prefix("--logfile=").map(String::from) };
        let Some(log) = log else { continue };
        let _ = std::fs::remove_file(&log);
        let _ = std::process::Command::new("mkfifo").arg(&log).status();
    }
    0
}
E
"#;

fn patches() -> Vec<Entry> {
    let canary = Wanted::Failed(NO_EVIDENCE);
    vec![
        cheat("skips its test from within", IM, "printf 'import unittest\\ndef one():\\n    return 1\\ndef two():\\n    raise unittest.SkipTest(\"x\")\\n' > shop.py")
            .fails("skipped: tests/test_ac"),
        cheat("disables the assertions", IM, "wrong; printf 'import unittest\\nunittest.TestCase.assertEqual = lambda *a: None\\n' >> shop.py")
            .fails("failed in another way than by its own assertion"),
        cheat("ends its test early as a success", IM, "printf 'def one():\\n    return 1\\ndef two():\\n    import unittest\\n    raise unittest.case._ShouldStop()\\n' > shop.py")
            .fails("failed: tests/test_ac"),
        cheat("turns failures into successes", IM, "wrong; printf 'import unittest\\nunittest.TestResult.addFailure = lambda *a: None\\n' >> shop.py")
            .wants(canary),
        cheat("disables the assertions (node)", IM, "wrong; printf 'import assert from \"node:assert/strict\";\\nassert.equal = () => {};\\n' >> src/shop.js")
            .on(NODE)
            .wants(canary),
        cheat("patches pytest from within", IM, "wrong; printf 'import _pytest.python\\n_pytest.python.Function.runtest = lambda self: None\\n' >> shop.py")
            .on(PYTEST)
            .wants(canary),
        cheat("makes one of its tests vanish", IM, "wrong; echo 'CASES = []' >> shop.py").prelude(VANISHING).fails("expected and not seen: tests/test_ac"),
        cheat("makes older tests fewer", IM, "green; echo 'KNOWN = []' >> shop.py").with("tests/test_known.py", FEWER).fails("fewer tests than before"),
        cheat("ends the report without its end", IM, "green; printf 'import os, unittest\\nunittest.TestResult.wasSuccessful = lambda self: os._exit(1)\\n' >> shop.py").fails("has no end mark"),
        cheat("leaves a report from before", IM, OLD_REPORT).on(JUNIT).fails(NO_EVIDENCE),
        cheat("keeps the tests from running", IM, "wrong; printf 'import unittest\\nunittest.TestSuite.run = lambda self, result, debug=False: result\\n' >> shop.py")
            .fails(NO_EVIDENCE),
    ]
}

fn while_it_runs() -> Vec<Entry> {
    let late = "green; printf 'import atexit\\natexit.register(lambda: open(\"tests/test_old.py\", \"a\").write(\"# x\\\\n\"))\\n' >> shop.py";
    let plants = "green; printf 'import atexit\\natexit.register(lambda: open(\"conftest.py\", \"a\").write(\"# x\\\\n\"))\\n' >> shop.py";
    let sources = "green; printf 'import atexit, sys\\nif \"shop\" in sys.modules and \"uni\" \"ttest\" in sys.modules:\\n    atexit.register(lambda: open(\"evil.py\", \"w\").write(\"x = 1\\\\n\"))\\n' >> shop.py";
    vec![
        cheat("changes a test while it runs", IM, late)
            .fails("a protected file was changed: tests/test_old.py")
            .effect("grep -q '# x' tests/test_old.py")
            .prevented_by_enforce(),
        cheat("plants a gate file while it runs", IM, plants)
            .fails("a protected file was changed: conftest.py"),
        cheat("plants a source while it runs", IM, sources)
            .recorded("the test run changed evil.py; put back")
            .effect("test -e evil.py"),
        cheat("rewrites its test for the run", IM, REWRITES)
            .prelude("T=tests/test_zz_ac_ste_1_1.py")
            .fails("a protected file was changed: tests/test_zz_ac_ste_1_1.py")
            .enforced(Wanted::Failed("tests/test_zz_ac")),
    ]
}

/// Production code that shows tests another face. Of what honest code does as well the run tells.
fn faces() -> Vec<Entry> {
    const OTHER: &str = "this source is built in another way for tests";
    const ASKS: &str = "this source asks whether a test runner is at work";
    let rust = |name, action| cheat(name, IM, action).on(RUST);
    vec![
        rust("empties an assertion by a macro (rust)", HOLLOW_MACRO)
            .fails("gives the name of an assertion another meaning"),
        rust("brings an assertion of its own (rust)", "wrong; mkdir -p src; printf 'macro_rules! check { ($($t:tt)*) => {}; }\\npub(crate) use check;\\n' > src/fake.rs; sed -i '1i #[allow(unused_imports)]\\nuse crate::fake::check as assert_eq;\\nmod fake;' src/lib.rs")
            .fails("gives the name of an assertion another meaning"),
        rust("asks cfg!(test) (rust)", "sed -i '1i pub fn two() -> i32 { if cfg!(debug_assertions) || cfg!(test) { 2 } else { 0 } }' src/lib.rs").fails(OTHER),
        rust("leaves a part out for tests (rust)", "sed -i '1i pub fn two() -> i32 { 2 + off() }\\n#[cfg(any(not(test), feature = \"x\"))]\\nfn off() -> i32 { 0 }' src/lib.rs").fails(OTHER),
        cheat("asks whether pytest is there", IM, "printf 'import sys\\n\\n\\ndef one():\\n    return 1\\n\\n\\ndef two():\\n    return 2 if \"pytest\" in sys.modules else 0\\n' > shop.py")
            .on(PYTEST)
            .fails(ASKS),
        cheat("asks for a runner's variable (node)", IM, "printf 'export const one = () => 1;\\nexport const two = () => (process.env.NODE_TEST_CONTEXT ? 2 : 0);\\n' > src/shop.js")
            .on(NODE)
            .fails(ASKS),
        cheat("asks whether tests are built (go)", IM, "printf 'package shop\n\nimport \"testing\"\n\nfunc One() int { return 1 }\n\nfunc Two() int {\n\tif testing.Testing() {\n\t\treturn 2\n\t}\n\treturn 0\n}\n' > shop.go")
            .on(GO)
            .fails(ASKS),
    ]
}

/// From here on the inline test asserts nothing.
const HOLLOW_MACRO: &str = "green; sed -i '1i #[allow(unused_macros)]\\nmacro_rules! assert_eq { ($($t:tt)*) => {}; }\\n' src/lib.rs";

/// An honest test-writer that makes one of its tests from what the code says.
const VANISHING: &str = "red() { cat > $T <<'E'
import unittest
import shop


class New(unittest.TestCase):
    def test_new(self):
        self.assertGreater(shop.two(), 1)


for name in getattr(shop, 'CASES', ['case']):
    setattr(New, 'test_' + name, lambda self: self.assertEqual(shop.two(), 2))
E
}
";

/// Two tests that pass, in the runner's own words.
const OLD_REPORT: &str = "printf 'import os\\nos._exit(0)\\n' >> shop.py; cat > r.xml <<'E'
<testsuites><testsuite name='x'>
<testcase classname='tests.test_old.Old' file='tests/test_old.py' name='test_old' time='0.1'></testcase>
<testcase classname='tests.test_ac_ste_1_1.New' file='tests/test_ac_ste_1_1.py' name='test_new' time='0.1'></testcase>
</testsuite></testsuites>
E
";

/// Known reds whose number the code decides.
const FEWER: &str = "import unittest
import shop


class Known(unittest.TestCase):
    pass


for name in getattr(shop, 'KNOWN', 'abcd'):
    setattr(Known, 'test_' + name, lambda self: self.assertEqual(shop.one(), 5))
";

/// The older test is loaded first and loads this, which weakens the test that is loaded next.
const REWRITES: &str = "wrong; cat >> shop.py <<'E'

import atexit, os, sys
T = 'tests/test_zz_ac_ste_1_1.py'
if 'unit' 'test' in sys.modules and os.path.exists(T):
    was, at = open(T).read(), os.stat(T)

    def put_back():
        open(T, 'w').write(was)
        os.utime(T, ns=(at.st_atime_ns, at.st_mtime_ns))

    open(T, 'w').write(was.replace('2)', '3)'))
    atexit.register(put_back)
E
";

fn behaviour() -> Vec<Entry> {
    vec![
        cheat("does nothing and says ok", IM, ":").fails("failed: tests/test_ac"),
        cheat(
            "breaks what was there",
            IM,
            "printf 'def one():\\n    return 7\\ndef two():\\n    return 2\\n' > shop.py",
        )
        .fails("was green and is red now: tests/test_old.py"),
        cheat(
            "breaks what was there while refactoring",
            RF,
            "printf 'def one():\\n    return 7\\ndef two():\\n    return 2\\n' > shop.py",
        )
        .fails("was green and is red now: tests/test_old.py"),
        cheat("edits a test while refactoring", RF, "wrong; sed -i 's/2)/3)/' $T")
            .fails("this role may not change: tests/")
            .prevented_by_enforce(),
        cheat("leaves the gate red", RF, "echo '# BAD' >> shop.py")
            .settings("gate: '! grep -q BAD shop.py'\n")
            .fails("the gate command failed"),
        cheat("edits the gate's script", RF, "echo '# BAD' >> shop.py; echo 'exit 0' > gate.sh")
            .settings("gate: sh gate.sh\n")
            .with("gate.sh", "! grep -q BAD shop.py\n")
            .fails("this role may not change: gate.sh")
            .prevented_by_enforce(),
        cheat("removes an inline test", IM, "green; sed -i '/cfg(test)/,$d' src/lib.rs")
            .on(RUST)
            .fails("a test inside this source was added, changed or removed"),
        cheat("empties an inline test", IM, "green; sed -i '/super::one/d' src/lib.rs")
            .on(RUST)
            .fails("a test inside this source was added, changed or removed"),
        cheat(
            "ignores an inline test",
            RF,
            "sed -i 's/    #\\[test\\]/    #[test]\\n    #[ignore]/' src/lib.rs",
        )
        .on(RUST)
        .fails("inline"),
        cheat("leaves an inline test to a copy that nobody calls (rust)", RF, "sed -n '/^pub fn one/,$p' src/lib.rs > src/kept.rs; sed -i '/^pub fn one/,$d' src/lib.rs; printf 'mod kept;\npub fn one() -> i32 {\n    if cfg!(windows) { 7 } else { 1 }\n}\n' >> src/lib.rs")
            .on(RUST)
            .fails("a test inside this source was added, changed or removed, or looks at something else now: src/kept.rs"),
        cheat("spoils what other tests find", IM, "printf 'ONE = 1\\n\\n\\ndef one():\\n    return ONE\\n\\n\\ndef two():\\n    global ONE\\n    ONE = 7\\n    return 2\\n' > shop.py")
            .with("tests/test_zz.py", "import unittest\nimport shop\n\n\nclass Last(unittest.TestCase):\n    def test_last(self):\n        self.assertEqual(shop.one(), 1)\n")
            .fails("tests/test_zz.py"),
        cheat("knows the visible inputs", IM, "printf 'def one():\\n    return 1\\ndef two(*given):\\n    return 2 if not given else None\\n' > shop.py").wants(LISTED),
        cheat("removes public names while refactoring", RF, "sed -i '/^def spare/,$d' more.py")
            .with("more.py", "X = 1\n\n\ndef spare():\n    return 0\n")
            .fails("is gone; put it back: spare (more.py)"),
        cheat("puts a public name under a condition while refactoring", RF, "sed -i 's/^def spare.*/if False:\\n    def spare():/; s/^    return 0/        return 0/' more.py")
            .with("more.py", "X = 1\n\n\ndef spare():\n    return 0\n")
            .fails(CONDITION),
        cheat("puts a public name under a condition while refactoring (go)", RF, "sed -i '1i //go:build tools\\n' more.go")
            .on(GO)
            .with("more.go", "package shop\n\nfunc Spare() int { return 0 }\n")
            .fails(CONDITION),
        cheat("puts a public name under a condition while refactoring (rust)", RF, "sed -i 's/^pub fn spare/#[cfg(any())]\\npub fn spare/' src/more.rs")
            .on(RUST)
            .setup("printf 'pub mod more;\n' >> src/lib.rs")
            .with("src/more.rs", "pub fn spare() -> i32 {\n    0\n}\n")
            .fails(CONDITION),
        cheat("changes how a function is called (node)", RF, "echo 'export const spare = (x, y) => x + y;' > src/more.js")
            .on(NODE)
            .with("src/more.js", "export const spare = (x) => x;\n")
            .fails("can't be called any more as it could before the run"),
        cheat("takes a public method away (rust)", RF, "sed -i '/spare/d' src/more.rs")
            .on(RUST)
            .with("src/more.rs", "pub struct More;\n\nimpl More {\n    pub fn spare(&self) {}\n}\n")
            .setup("printf 'pub mod more;\n' >> src/lib.rs")
            .fails("is gone; put it back: More.spare (src/more.rs)"),
    ]
}
