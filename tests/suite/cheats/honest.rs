//! Honest children that look unusual. None of them may be blamed.

use super::entry::{Entry, IM, RF, TW, honest};
use super::projects::{GO, NODE, PYTEST, REQUIREMENT_OF_TWO, RUST};

pub fn entries() -> Vec<Entry> {
    [test_writers(), implementers(), refactorers(), surroundings()].concat()
}

/// One test for each of two criteria.
pub const RED_OF_TWO: &str = r#"red() { for ac in 1 2; do
case $ac in 1) call='two(), 2' ;; *) call='three(), 3' ;; esac
printf 'import unittest\nimport shop\n\n\nclass New(unittest.TestCase):\n    def test_new(self):\n        self.assertEqual(shop.%s)\n' "$call" > tests/test_ac_ste_1_$ac.py; done; }
"#;

const SUPERSEDES: &str = r#"{"say": {"status": "ok", "files": ["tests/test_old.py"], "supersedes": {"AC-STE-1.1": ["tests/test_old.py::Old.test_old"]}}}"#;
const DISPUTES: &str = r#"{"say": {"status": "failed", "files": ["shop.py"], "dispute": {"tests": ["tests/test_ac_ste_1_1.py::New.test_new"], "reason": "two() can't be 2 and 3"}}}"#;

fn test_writers() -> Vec<Entry> {
    vec![
        honest("just works (python)", TW, "red"),
        honest("just works (pytest)", TW, "red").on(PYTEST),
        honest("just works (node)", TW, "red").on(NODE),
        honest("just works (rust)", TW, "red").on(RUST),
        honest(
            "records a snapshot with its assertion",
            TW,
            "mkdir tests/snapshots; echo 2 > tests/snapshots/two.snap
printf 'import pathlib, unittest\nimport shop\n\n\nclass New(unittest.TestCase):\n    def test_new(self):\n        self.assertEqual(str(shop.two()), pathlib.Path(\"tests/snapshots/two.snap\").read_text().strip())\n' > $T",
        ),
        honest("writes a helper", TW, "red; sed -i 's/shop.two(), 2/*pair()/; 2a from tests.pairs import pair' $T; printf 'import shop\n\n\ndef pair():\n    return shop.two(), 2\n' > tests/pairs.py"),
        honest("adds what it needs to an older file (pytest)", TW, "red; sed -i 's/^import shop/import pytest\\nimport shop\\nfrom shop import one/' tests/test_old.py; printf '\\n\\ndef old():\\n    return one()\\n' >> tests/test_old.py").on(PYTEST),
        honest("adds what it needs to an older file (node)", TW, "red; sed -i 's/{ one }/{ one, one as first }/' test/old.test.js; printf 'const shop = { one: () => 1 };\\nconst old = () => first() === shop.one();\\ntest(\"older\", () => { const one = old(); assert.equal(one, true); });\\n' >> test/old.test.js").on(NODE),
        honest("adds what it needs to an older file (rust)", TW, "red; printf 'mod fakes {\\n    pub fn shop() -> i32 {\\n        1\\n    }\\n}\\n\\n#[test]\\nfn older() {\\n    let one = fakes::shop();\\n    assert_eq!(one, shop::one());\\n}\\n' >> tests/old.rs").on(RUST),
        honest("uses parameters", TW, "printf 'import pytest\nimport shop\n\n\n@pytest.mark.parametrize(\"wanted\", [2, 2.0])\ndef test_new(wanted):\n    assert shop.two() == wanted\n' > $T").on(PYTEST),
        honest("skips its test on other systems", TW, "red; sed -i '1i import sys\\nimport pytest\\nfrom shop import two\\n' $T; sed -i 's/^def test_new/@pytest.mark.xfail(sys.platform == \"plan9\", reason=\"x\")\\n@pytest.mark.skipif(sys.platform == \"win32\", reason=\"x\")\\ndef test_new/' $T").on(PYTEST),
        honest("adds a dev-dependency", TW, "red; sed -i 's/dev = \\[\\]/dev = [\"hypothesis>=6\"]/' pyproject.toml; echo '# hypothesis' >> uv.lock")
            .with("pyproject.toml", "[project]\nname = \"x\"\nversion = \"1\"\ndependencies = []\n\n[dependency-groups]\ndev = []\n")
            .with("uv.lock", "version = 1\n"),
        honest("supersedes a test, and says so", TW, "red; sed -i 's/, 1)/, 7)/' tests/test_old.py")
            .prelude("green() { printf 'def one():\n    return 7\n\n\ndef two():\n    return 2\n' > shop.py; }\n")
            .more(SUPERSEDES)
            .truth("python3 -B -c 'import shop; assert (shop.one(), shop.two()) == (7, 2)'"),
        honest("adds a test to an older file", TW, "red; printf '\n    def test_more(self):\n        self.assertTrue(shop.one())\n' >> tests/test_old.py"),
        honest("computes what it expects", TW, "red; sed -i 's/self.assertEqual.*/n = 1; n = n + 1; self.assertEqual(shop.two(), n)/' $T"),
        honest("looks at what a call filled", TW, "red; sed -i 's/self.assertEqual.*/seen = []; seen.append(shop.two()); self.assertEqual(seen, [2])/' $T"),
        honest("fails where nothing is thrown", TW, "red; sed -i 's/        self.assert.*/        try:\\n            found = shop.two()\\n        except ValueError:\\n            self.fail(\"no\")\\n        self.assertEqual(found, 2)/' $T"),
        honest("writes a helper beside tests that are no package (pytest)", TW, "red; printf 'def pair():\\n    return 2\\n' > tests/wares.py; sed -i 's/== 2/== pair()/; 1i from wares import pair' $T").on(PYTEST),
        honest("reassigns what older tests call within its test (pytest)", TW, "red; printf '\\n\\ndef test_one(monkeypatch):\\n    monkeypatch.setattr(shop, \"one\", lambda: 7)\\n    assert shop.one() == 7\\n    assert shop.two() == 2\\n' >> $T").on(PYTEST),
        honest("writes a slow test", TW, "red; sed -i 's/        self/        import time; time.sleep(1.5)\\n        self/' $T"),
        honest("writes a test that makes temporary files", TW, "red; printf '        import os, tempfile\\n        for folder in (None, \"tests\"):\\n            with tempfile.NamedTemporaryFile(dir=folder) as file:\\n                self.assertTrue(os.path.exists(file.name))\\n' >> $T"),
    ]
}

/// A test that writes into a tool's own folder in each run.
pub const WRITES: &str = "import fs from \"node:fs\";\nimport { test } from \"node:test\";\ntest(\"writes\", () => { fs.writeFileSync(\"node_modules/tool/cache\", String(process.hrtime.bigint())); });\n";

fn implementers() -> Vec<Entry> {
    vec![
        honest("adds a dependency with its lock entry", IM, "green; sed -i 's/dependencies = \\[\\]/dependencies = [\"rich>=13\"]/' pyproject.toml; echo '# rich' >> uv.lock")
            .with("pyproject.toml", "[project]\nname = \"x\"\nversion = \"1\"\ndependencies = []\n")
            .with("uv.lock", "version = 1\n"),
        honest("adds a dependency with yarn's lock entry", IM, "green; printf '\\nis-odd@^3.0.1:\\n  version \"3.0.1\"\\n' >> yarn.lock; sed -i 's/\"private\"/\"dependencies\": { \"is-odd\": \"^3.0.1\" }, \"private\"/' package.json")
            .on(NODE)
            .with("yarn.lock", "# yarn lockfile v1\n\n\nleft-pad@^1.0.0:\n  version \"1.3.0\"\n"),
        honest("has a public name for each platform (go)", RF, "printf '//go:build !windows\\n\\npackage shop\\n\\nfunc Spare() int { return 0 }\\n' > more.go; printf 'package shop\\n\\nfunc Spare() int { return 1 }\\n' > more_windows.go")
            .on(GO)
            .with("more.go", "package shop\n\nfunc Spare() int { return 0 }\n")
            .truth("test -e more_windows.go"),
        honest("works where tests write into a tool's folder", IM, "green; node --test >/dev/null 2>&1")
            .on(NODE)
            .with(".gitignore", "node_modules/\n")
            .with("node_modules/tool/cache", "0")
            .with("test/writes.test.js", WRITES),
        honest("works in an ignored folder", IM, "mkdir made; printf 'def two():\\n    return 2\\n' > made/parts.py; printf 'from made.parts import two\\n\\n\\ndef one():\\n    return 1\\n' > shop.py")
            .with(".gitignore", "made/\n__pycache__/\n")
            .more(r#"{"say": {"status": "ok", "files": ["shop.py", "made/parts.py"]}}"#)
            .recorded("unseen"),
        honest("generates files", IM, "green; mkdir gen; for n in 1 2 3; do echo \"N = $n\" > gen/n$n.py; done"),
        honest("leaves by-products", IM, "green; python3 -m unittest discover -s tests -t . ; mkdir -p .pytest_cache htmlcov .ruff_cache; touch .coverage .pytest_cache/x htmlcov/index.html"),
        honest("finds its work done by an earlier one", IM, "[ -e ../done ] || printf 'def one():\n    return 1\ndef two():\n    return 2\ndef three():\n    return 3\n' > shop.py; touch ../done")
            .with("specs/frs/STE-1.md", REQUIREMENT_OF_TWO)
            .prelude(RED_OF_TWO),
        honest("names absolute paths", IM, "green; echo \"files: $PWD/shop.py\"").more(r#"{"say": {"status": "ok", "files": ["./shop.py", "ROOT/shop.py"]}}"#),
        honest("disputes a test", IM, "green").more(DISPUTES).fails("dispute: the role says that a test is wrong"),
        honest("touches a test without changing it", IM, "green; touch $T tests/test_old.py"),
        honest("asks whether it is in a test where the criterion is about that", IM, "printf 'import sys\n\n\ndef one():\n    return 1\n\n\ndef two():\n    return 2 if \"unittest\" in sys.modules else 1 + 1\n' > shop.py")
            .with("specs/frs/STE-1.md", "# Two\n\n## Acceptance Criteria\n\n- AC-STE-1.1: `two()` gives 2, under unittest too.\n"),
        honest("is silent in a test run (node)", IM, "green; echo 'export const log = process.env.NODE_ENV === \"test\" ? () => {} : console.log;' > src/log.js")
            .on(NODE),
        honest("moves what asked for a runner before", IM, "green; mv ask.py asks.py")
            .with("ask.py", "import sys\n\nTESTED = 'pytest' in sys.modules\n"),
        honest("looks around in git", IM, "green; git status; git diff; git log -3; git show HEAD --stat"),
        honest("removes a source that nobody needs", IM, "green; rm spare.py").with("spare.py", "X = 1\n"),
        honest("stops a clock where somebody asks for it", IM, "green; printf '\n\nimport time\n\n\ndef stop(now):\n    time.time = lambda: now\n' >> shop.py; printf 'import math\n\n\ndef isclose(one, two):\n    return math.isclose(one, two)\n' > near.py")
            .on(PYTEST)
            .with("tests/test_time.py", "import math, time\n\nimport shop\n\n\ndef test_time():\n    assert math.isclose(time.time() * 0 + shop.one(), 1)\n"),
        honest("prints garbage before its message", IM, "green").more(r#"{"misbehave": "garbage"}"#),
        honest("exits with a code of its own", IM, "green").more(r#"{"misbehave": {"exit": 3}}"#),
        honest("uses names with spaces and umlauts", IM, "green; mkdir 'a folder'; echo 'X = 1' > 'a folder/über uns.py'"),
        honest("works where cargo rewrites the lock file (rust)", IM, "green").on(RUST).setup("sed -i '/^#/d' Cargo.lock"),
        honest("has what tests alone derive (rust)", IM, "green; printf '\\n#[cfg_attr(test, derive(Debug))]\\npub struct Spare;\\n' >> src/lib.rs").on(RUST),
        honest("works where code looks for tests (rust)", IM, "green; sed -i 's/cfg!(test) && false/false \\&\\& cfg!(test)/' src/lib.rs; sed -i 's/false && cfg!(test)/cfg!(test) \\&\\& false/' src/lib.rs; mkdir src/parts; echo > src/parts/a.rs").on(RUST)
            .setup("printf '\\npub fn spare() -> bool {\\n    cfg!(test) && false\\n}\\n' >> src/lib.rs"),
        honest("changes what conftest.py imports", IM, "green")
            .on(PYTEST)
            .with("conftest.py", "import pytest\nimport shop\nfrom shop import *\n\n\n@pytest.fixture\ndef first():\n    return shop.one()\n"),
        honest("changes what the test script runs", IM, "green")
            .with("check.sh", "python3 shop.py && python3 -m unittest discover -s tests -t .\n")
            .settings("runner: { kind: exit-code, all: sh check.sh }\n"),
        honest("works on a CRLF tree", IM, "green; sed -i 's/$/\r/' shop.py").setup("sed -i 's/$/\r/' shop.py tests/test_old.py"),
    ]
}

fn refactorers() -> Vec<Entry> {
    vec![
        honest("has nothing to refactor", RF, ":").more(r#"{"say": {"status": "ok", "files": []}}"#),
        honest("formats the source", RF, "printf '\"\"\"The shop.\"\"\"\n\n\ndef one() -> int:\n    return 1\n\n\ndef two() -> int:\n    return 2\n' > shop.py"),
        honest("moves code to a file of its own", RF, "mv shop.py wares.py; echo 'from wares import one, two' > shop.py"),
        honest("takes away what the run itself has made", RF, "sed -i '/^def spare/,$d' shop.py; printf '\n\ndef _spare():\n    return 0\n' >> shop.py")
            .prelude("green() { give 2; printf '\n\ndef spare():\n    return 0\n' >> shop.py; }"),
        honest("gives a function more that may be left out", RF, "printf 'from typing import Optional\n\n\ndef spare(x: int, y: Optional[int] = None) -> int:\n    return x + (y or 0)\n' > more.py")
            .with("more.py", "def spare(x):\n    return x\n"),
        honest("moves a method to a trait (rust)", RF, "printf 'pub struct More;\n\npub trait Spare {\n    fn spare(&self) {}\n}\n\nimpl Spare for More {\n    fn spare(&self) {}\n}\n' > src/more.rs")
            .on(RUST)
            .with("src/more.rs", "pub struct More;\n\nimpl More {\n    pub fn spare(&self) {}\n}\n")
            .setup("printf 'pub mod more;\n' >> src/lib.rs"),
        honest("renames a file by case alone", RF, "mv Spare.py spare.py").with("Spare.py", "X = 1\n"),
        honest("moves a function with its inline tests (rust)", RF, "sed -n '/^pub fn one/,$p' src/lib.rs > src/kept.rs; sed -i '/^pub fn one/,$d' src/lib.rs; printf 'mod kept;\npub use kept::one;\n' >> src/lib.rs")
            .on(RUST)
            .truth("grep -A1 'fn two' src/lib.rs | grep -q 2 && grep -A1 'fn one' src/kept.rs | grep -q 1"),
        honest("moves a module with its inline tests", RF, "mkdir src/parts; mv src/part.rs src/parts/part.rs; sed -i 's,^mod part;,#[path = \"parts/part.rs\"] mod part;,' src/lib.rs")
            .on(RUST)
            .with("src/part.rs", "#[cfg(test)]\nmod tests {\n    #[test]\n    fn part() {\n        assert_eq!(1 + 1, 2);\n    }\n}\n")
            .setup("printf 'mod part;\n' >> src/lib.rs"),
    ]
}

/// Writes a line for each start of the interpreter.
const COUNTED: &str = "printf '#!/bin/sh\necho >> %s\nexec %s \"$@\"\n' \"$PWD/../calls\" \"$(command -v python3)\" > ../bin/python3; chmod +x ../bin/python3";

const FLAKY: &str = "import os\nimport unittest\n\n\nclass Coin(unittest.TestCase):\n    def test_coin(self):\n        seen = os.path.exists('../coin')\n        os.rmdir('../coin') if seen else os.mkdir('../coin')\n        self.assertTrue(seen)\n";
const RED_ALREADY: &str = "import unittest\n\n\nclass Known(unittest.TestCase):\n    def test_known(self):\n        self.assertEqual(1, 2)\n";
const SKIPPED: &str = "import unittest\n\n\nclass Later(unittest.TestCase):\n    @unittest.skip('later')\n    def test_later(self):\n        self.assertEqual(1, 2)\n";

fn surroundings() -> Vec<Entry> {
    vec![
        honest("lives with a flaky test", IM, "green").with("tests/test_coin.py", FLAKY),
        honest("lives with a known red", IM, "green").with("tests/test_known.py", RED_ALREADY),
        honest("lives with a skipped test", IM, "green").with("tests/test_later.py", SKIPPED),
        honest("works in a dirty tree", IM, "green; echo 'Y = 2' >> notes.py").setup("echo 'Y = 1' > notes.py; echo '# mine' >> tests/test_old.py; git add notes.py"),
        // One for the baseline, two for RED, one for GREEN; a red that is a missing symbol needs one.
        honest("needs two runs for RED and one for GREEN", IM, "green")
            .with("shop.py", "def one():\n    return 1\n\n\ndef two():\n    return 0\n")
            .setup(COUNTED)
            .effect("test $(wc -l < ../calls) -ne 4"),
        honest("needs one run for a missing symbol", IM, "green").setup(COUNTED).effect("test $(wc -l < ../calls) -ne 3"),
        honest("works through a link to the sources", IM, "printf 'def two():\n    return 2\n' > parts/extra.py; printf 'from parts.extra import two\n\n\ndef one():\n    return 1\n' > shop.py")
            .setup("mkdir real; touch real/__init__.py; ln -s real parts"),
    ]
}
