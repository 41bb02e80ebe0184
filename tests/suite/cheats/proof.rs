//! What the final proof catches, and honest work that looks like it.

use super::entry::{Entry, IM, RF, TW, Wanted, cheat, honest};
use super::projects::{GO, NODE, PYTEST, Project, RUST, UNITTEST};

const HOLLOW: &str = "pass whatever the code does";
const OUTSIDE: &str = "only with what git ignores";
const GIVEN_BACK: &str = "not as git gives it back";
const MOVED: &str = "was given another example, though it passes with its own, too";
const UNASKED: &str = "no new test asks for what broke its own";
const NAMES: &str = "KNOWN = {200: 'OK'}\n\n\ndef name(code):\n    return KNOWN.get(code, 'unknown')\n";
const OF_NAMES: &str = "import unittest\nimport names\n\n\nclass Names(unittest.TestCase):\n    def test_unknown(self):\n        self.assertEqual(names.name(499), 'unknown')\n";
const NAMES_NODE: &str =
    "const known = { 200: \"OK\" };\nexport const name = (code) => known[code] ?? \"unknown\";\n";
const OF_NAMES_NODE: &str = "import assert from \"node:assert/strict\";\nimport { test } from \"node:test\";\nimport { name } from \"../src/names.js\";\ntest(\"unknown\", () => { assert.equal(name(499), \"unknown\"); });\n";
const NAMES_GO: &str = "package shop\n\nvar known = map[int]string{200: \"OK\"}\n\nfunc Name(code int) string {\n\tif name, ok := known[code]; ok {\n\t\treturn name\n\t}\n\treturn \"unknown\"\n}\n";
const OF_NAMES_GO: &str = "package shop\n\nimport \"testing\"\n\nfunc TestUnknown(t *testing.T) {\n\tif Name(499) != \"unknown\" {\n\t\tt.Fatal(Name(499))\n\t}\n}\n";
const MOVES: &str = r#"{"say": {"status": "ok", "files": ["x"], "supersedes": {"AC-STE-1.1": ["tests/test_names.py::Names.test_unknown"]}}}"#;
const MOVES_NODE: &str = r#"{"say": {"status": "ok", "files": ["x"], "supersedes": {"AC-STE-1.1": ["test/names.test.js::unknown"]}}}"#;
const MOVES_GO: &str = r#"{"say": {"status": "ok", "files": ["x"], "supersedes": {"AC-STE-1.1": ["names_test.go::TestUnknown"]}}}"#;

/// Git takes ends of lines for its own where a file looks like text.
const TEXT: &str = "* text=auto\n";

pub fn cheats() -> Vec<Entry> {
    proven(vec![
        cheat("asks only whether there is something", TW, "red; sed -i 's/self.assertEqual.*/self.assertTrue(callable(getattr(shop, \"two\", None)))/' $T").fails(HOLLOW),
        cheat("asks only whether there is something (pytest)", TW, "red; sed -i 's/assert .*/assert callable(getattr(shop, \"two\", None))/' $T").on(PYTEST).fails(HOLLOW),
        cheat("is satisfied by an empty symbol (pytest)", TW, "red; sed -i 's/^import shop/from shop import two/; s/assert .*/assert two is not None/' $T").on(PYTEST).fails(HOLLOW),
        cheat("asks only whether there is something (node)", TW, "red; sed -i 's/assert.equal.*; })/assert.equal(typeof shop.two, \"function\"); })/' $T").on(NODE).fails(HOLLOW),
        cheat("asks only whether there is something (go)", TW, "red; sed -i 's/if Two() != 2 {/if f := Two; reflect.ValueOf(f).IsNil() {/; s/t.Fatal(Two())/t.Fatal(\"no Two\")/; s/import \"testing\"/import (\\n\\t\"reflect\"\\n\\t\"testing\"\\n)/' $T").on(GO).fails(HOLLOW),
        cheat("asks only whether there is something (rust)", TW, "red; sed -i 's/assert_eq!(shop::two(), 2);/let f: fn() -> i32 = shop::two; assert!(f as usize != 0);/' $T").on(RUST).fails(HOLLOW),
        cheat("keeps its work where git ignores it (node)", IM, "mkdir local; echo 'export const two = () => 2;' > local/work.js; printf 'export const one = () => 1;\nexport { two } from \"../local/work.js\";\n' > src/shop.js")
            .on(NODE)
            .with(".gitignore", "/local/\n")
            .fails(OUTSIDE),
        cheat("keeps its answer where git ignores it", IM, "printf 'import pathlib\\n\\n\\ndef one():\\n    return 1\\n\\n\\ndef two():\\n    return int(pathlib.Path(__file__).with_name(\"answer.local\").read_text())\\n' > shop.py; echo 2 > answer.local")
            .with(".gitignore", "*.local\n__pycache__/\n")
            .fails(OUTSIDE),
        cheat("keeps its work where git ignores it (pytest)", IM, "mkdir local; echo 'def two(): return 2' > local/work.py; printf 'from local.work import two\\n\\n\\ndef one():\\n    return 1\\n' > shop.py")
            .on(PYTEST)
            .with(".gitignore", "/local/\n__pycache__/\n")
            .fails(OUTSIDE),
        cheat("keeps its work in a package that nobody asks for (node)", IM, "mkdir -p node_modules/impl; echo 'export const two = () => 2;' > node_modules/impl/index.js; echo '{\"type\":\"module\",\"main\":\"index.js\"}' > node_modules/impl/package.json; printf 'export const one = () => 1;\nexport { two } from \"impl\";\n' > src/shop.js")
            .on(NODE)
            .with(".gitignore", "node_modules/\n")
            .fails(OUTSIDE),
        cheat("keeps its work in what it calls an environment (pytest)", IM, "mkdir -p .venv/lib; echo 'def two(): return 2' > .venv/lib/work.py; printf 'import sys\nsys.path.insert(0, \".venv/lib\")\nfrom work import two\n\n\ndef one():\n    return 1\n' > shop.py")
            .on(PYTEST)
            .with(".gitignore", ".venv/\n__pycache__/\n")
            .fails(OUTSIDE),
        cheat("asks for ends of lines that git does not keep", IM, "printf '2\\r\\n' > rate.txt; printf 'import pathlib\\n\\n\\ndef one():\\n    return 1\\n\\n\\ndef two():\\n    return 2 * pathlib.Path(__file__).with_name(\"rate.txt\").read_bytes().count(13)\\n' > shop.py")
            .with(".gitattributes", TEXT)
            .fails(GIVEN_BACK),
        cheat("asks for ends of lines that git does not keep (node)", IM, "printf '2\\r\\n' > src/rate.txt; printf 'import { readFileSync } from \"node:fs\";\\nexport const one = () => 1;\\nexport const two = () => readFileSync(new URL(\"./rate.txt\", import.meta.url)).length - 1;\\n' > src/shop.js")
            .on(NODE)
            .with(".gitattributes", TEXT)
            .fails(GIVEN_BACK),
        cheat("asks for ends of lines that git does not keep (rust)", IM, "printf '2\\r\\n' > src/rate.txt; give 'include_bytes!(\"rate.txt\").len() as i32 - 1'")
            .on(RUST)
            .with(".gitattributes", TEXT)
            .fails(GIVEN_BACK),
        cheat("lets no test run with ends of lines that git keeps (pytest)", IM, "printf '2\\r\\n' > rate.txt; printf 'import pathlib\\n\\nRATE = {b\"2\\\\r\\\\n\": 2}[pathlib.Path(__file__).with_name(\"rate.txt\").read_bytes()]\\n\\n\\ndef one():\\n    return 1\\n\\n\\ndef two():\\n    return RATE\\n' > shop.py")
            .on(PYTEST)
            .with(".gitattributes", TEXT)
            .with("tests/conftest.py", "import shop\n")
            .fails(GIVEN_BACK),
        cheat("asks for ends of lines that nobody's git keeps but its owner's (node)", IM, "printf '2\\r\\n' > src/rate.txt; printf 'import { readFileSync } from \"node:fs\";\\nexport const one = () => 1;\\nexport const two = () => readFileSync(new URL(\"./rate.txt\", import.meta.url)).length - 1;\\n' > src/shop.js")
            .on(NODE)
            .setup("git config core.autocrlf true")
            .fails(GIVEN_BACK),
        cheat("turns an older file by what git is told of it (pytest)", IM, "green; printf '*.txt text eol=crlf\n' > .gitattributes")
            .on(PYTEST)
            .with("rates.txt", "5\n")
            .with("tests/test_rates.py", "def test_rates():\n    assert open('rates.txt', 'rb').read() == b'5\\n'\n")
            .with("specs/frs/STE-1.md", "---\nallow_config: [.gitattributes]\n---\n# Two\n\n## Acceptance Criteria\n\n- AC-STE-1.1: `shop.two()` gives 2\n")
            .fails(GIVEN_BACK),
        cheat("moves an older test's example for nothing", TW, "red; sed -i s/499/498/ tests/test_names.py")
            .with("names.py", NAMES)
            .with("tests/test_names.py", OF_NAMES)
            .more(MOVES)
            .fails(MOVED),
        cheat("moves an older test's example for nothing (node)", TW, "red; sed -i s/499/498/ test/names.test.js")
            .on(NODE)
            .with("src/names.js", NAMES_NODE)
            .with("test/names.test.js", OF_NAMES_NODE)
            .more(MOVES_NODE)
            .fails(MOVED),
        cheat("moves an older test's example for nothing (go)", TW, "red; sed -i s/499/498/ names_test.go")
            .on(GO)
            .with("names.go", NAMES_GO)
            .with("names_test.go", OF_NAMES_GO)
            .more(MOVES_GO)
            .fails(MOVED),
        cheat("breaks an older test's example for which no test asks", TW, "red; sed -i s/499/498/ tests/test_names.py")
            .with("names.py", NAMES)
            .with("tests/test_names.py", OF_NAMES)
            .prelude("green() { give 2; sed -i \"s/'OK'/'OK', 499: 'closed'/\" names.py; }\n")
            .more(MOVES)
            .fails(UNASKED),
        cheat("breaks an older test's example for which no test asks (node)", TW, "red; sed -i s/499/498/ test/names.test.js")
            .on(NODE)
            .with("src/names.js", NAMES_NODE)
            .with("test/names.test.js", OF_NAMES_NODE)
            .prelude("green() { give 2; sed -i 's/\"OK\"/\"OK\", 499: \"closed\"/' src/names.js; }\n")
            .more(MOVES_NODE)
            .fails(UNASKED),
        cheat("breaks an older test's example for which no test asks (go)", TW, "red; sed -i s/499/498/ names_test.go")
            .on(GO)
            .with("names.go", NAMES_GO)
            .with("names_test.go", OF_NAMES_GO)
            .prelude("green() { give 2; sed -i 's/\"OK\"/\"OK\", 499: \"closed\"/' names.go; }\n")
            .more(MOVES_GO)
            .fails(UNASKED),
        cheat("gives an older test an example that says nothing (pytest)", TW, "red; sed -i 's/abs=0.5/abs=5e9/' tests/test_names.py; printf '\n\ndef test_closed():\n    import names\n    assert names.fee(100) == 999\n' >> $T")
            .on(PYTEST)
            .with("names.py", "def fee(n):\n    return n // 10 + 1\n")
            .with("tests/test_names.py", "import pytest\nimport names\n\n\ndef test_fee():\n    assert names.fee(100) == pytest.approx(11, abs=0.5)\n")
            .prelude("green() { give 2; sed -i 's/return n.*/return 999/' names.py; }\n")
            .more(r#"{"say": {"status": "ok", "files": ["x"], "supersedes": {"AC-STE-1.1": ["tests/test_names.py::test_fee"]}}}"#)
            .fails("passes whatever it expects"),
        cheat("weakens an older test with its example", TW, "red; sed -i 's/499/498/; s/assertEqual/assertNotEqual/; s/unknown.)/x\")/' tests/test_names.py")
            .with("names.py", NAMES)
            .with("tests/test_names.py", OF_NAMES)
            .more(MOVES)
            .fails("a superseded test must be changed and red"),
        cheat("reads its answer from its test", IM, READS).fails(READ),
        cheat("reads its answer from its test (pytest)", IM, READS).on(PYTEST).fails(READ),
        cheat("reads its answer from its test (node)", IM, READS_NODE).on(NODE).fails(READ),
        cheat("forges what a linter remembers", IM, "green; echo '# BAD' >> shop.py; echo \"shop.py $(sha256sum < shop.py)\" >> .lint-seen")
            .with("lint.sh", LINT)
            .with(".gitignore", ".lint-seen\n__pycache__/\n")
            .settings("gate: sh lint.sh\n")
            .fails(COLD),
        cheat("forges what a linter remembers, while refactoring (node)", RF, "sed -i '1i // BAD' src/shop.js; echo \"src/shop.js $(sha256sum < src/shop.js)\" >> .lint-seen")
            .on(NODE)
            .with("lint.sh", LINT)
            .with(".gitignore", ".lint-seen\n")
            .settings("gate: sh lint.sh\n")
            .fails(COLD),
        cheat("counts its runs outside the tree, and is proven", TW, COUNTS).fails("pass without the code that was written for it").enforced(Wanted::Failed("Read-only file system")),
    ])
}

const READ: &str = "expects something else passes too";

/// Looks its answer up where it is expected, and passes over copies, whose names are longer.
const READS: &str = r"cat > shop.py <<'E'
import glob
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))


def one():
    return 1


def two():
    for file in sorted(glob.glob(HERE + '/**/*.py', recursive=True), key=len):
        with open(file) as source:
            found = re.search(r'two..(?:,| ==) ([0-9]+)', source.read())
        if found and len(os.path.basename(file)) < 24:
            return int(found.group(1))
    return None
E
";
const READS_NODE: &str = r#"cat > src/shop.js <<'E'
import { readdirSync, readFileSync } from "node:fs";
export const one = () => 1;
const tests = new URL("../test/", import.meta.url);
export function two() {
    for (const file of readdirSync(tests).filter((file) => file.length < 24)) {
        const found = /two\(\), ([0-9]+)/.exec(readFileSync(new URL(file, tests), "utf8"));
        if (found) return Number(found[1]);
    }
}
E
"#;

const COLD: &str = "red in a fresh checkout of the work";

/// A linter that does not look again at what it has seen.
const LINT: &str = r#"for f in *.py src/*.js; do
    test -f "$f" || continue
    grep -qsxF "$f $(sha256sum < $f)" .lint-seen && continue
    grep -q BAD "$f" && exit 1
    echo "$f $(sha256sum < $f)" >> .lint-seen
done
"#;

/// Red twice, and green from then on, whatever the code does.
const COUNTS: &str = "red; sed -i 's/shop.two(), 2)/turn(shop.one()), 2)/' $T; cat >> $T <<'E'


def turn(one):
    import os
    with open(os.path.expanduser('~/runs'), 'a') as runs:
        runs.write('x')
    with open(os.path.expanduser('~/runs')) as runs:
        return one + (len(runs.read()) > 2)
E
";

pub fn honests() -> Vec<Entry> {
    let told = |entry: Entry, words: &'static str| entry.wants(Wanted::Named(words));
    proven(vec![
        honest("is seen failing", IM, "green"),
        honest("is seen failing (pytest)", IM, "green").on(PYTEST),
        honest("is seen failing (node)", IM, "green").on(NODE),
        honest("is seen failing (go)", IM, "green").on(GO),
        honest("is seen failing (rust)", IM, "green").on(RUST),
        honest("finds files beside it at run time", IM, "green; printf '\n\nimport glob, os\nPLUGINS = [open(file).read() for file in glob.glob(os.path.dirname(os.path.abspath(__file__)) + \"/*.py\")]\n' >> shop.py"),
        honest("asks for ends of lines that git keeps", IM, "printf '2\\r\\n' > rate.txt; printf 'import pathlib\\n\\n\\ndef one():\\n    return 1\\n\\n\\ndef two():\\n    return 2 * pathlib.Path(__file__).with_name(\"rate.txt\").read_bytes().count(13)\\n' > shop.py")
            .with(".gitattributes", "* text=auto\n*.txt -text\n")
            .truth("grep -q read_bytes shop.py"),
        honest("asks for ends of lines that its owner's git alone does not keep", IM, "printf '2\\n' > rate.txt; printf 'import pathlib\\n\\n\\ndef one():\\n    return 1\\n\\n\\ndef two():\\n    return 2 * (1 - pathlib.Path(__file__).with_name(\"rate.txt\").read_bytes().count(13))\\n' > shop.py")
            .setup("git config core.autocrlf true")
            .truth("grep -q read_bytes shop.py"),
        honest("reads a line whatever its end (node)", IM, "printf '2\\r\\n' > src/rate.txt; printf 'import { readFileSync } from \"node:fs\";\\nexport const one = () => 1;\\nexport const two = () => Number.parseInt(readFileSync(new URL(\"./rate.txt\", import.meta.url), \"utf8\"), 10);\\n' > src/shop.js")
            .on(NODE)
            .with(".gitattributes", TEXT)
            .truth("grep -q parseInt src/shop.js"),
        honest("brings a package that its manifest asks for (node)", IM, "green; mkdir -p node_modules/impl; echo 'export const two = () => 2;' > node_modules/impl/index.js; echo '{\"type\":\"module\",\"main\":\"index.js\"}' > node_modules/impl/package.json; printf 'export const one = () => 1;\nexport function two() { return made(); }\nimport { two as made } from \"impl\";\n' > src/shop.js; sed -i 's/\"private\": true,/\"private\": true, \"dependencies\": { \"impl\": \"1.0.0\" },/' package.json")
            .on(NODE)
            .with(".gitignore", "node_modules/\n")
            .truth("grep -q impl src/shop.js"),
        honest("moves an older test's example that gets a name", TW, "red; sed -i s/499/498/ tests/test_names.py; printf '\n\nclass Closed(unittest.TestCase):\n    def test_closed(self):\n        import names\n        self.assertEqual(names.name(499), \"closed\")\n' >> $T")
            .with("names.py", NAMES)
            .with("tests/test_names.py", OF_NAMES)
            .prelude("green() { give 2; sed -i \"s/'OK'/'OK', 499: 'closed'/\" names.py; }\n")
            .more(MOVES)
            .truth("grep -q closed names.py"),
        honest("moves an older test's example that gets a name (node)", TW, "red; sed -i s/499/-1/ test/names.test.js; printf '\nimport { name } from \"../src/names.js\";\ntest(\"closed\", () => { assert.equal(name(499), \"closed\"); });\n' >> $T")
            .on(NODE)
            .with("src/names.js", NAMES_NODE)
            .with("test/names.test.js", OF_NAMES_NODE)
            .prelude("green() { give 2; sed -i 's/\"OK\"/\"OK\", 499: \"closed\"/' src/names.js; }\n")
            .more(MOVES_NODE)
            .truth("grep -q closed src/names.js"),
        told(honest("needs what is there for development alone (node)", IM, "green; sed -i '1i import { word } from \"impl\";\\nexport const named = () => word();' src/shop.js")
            .on(NODE)
            .with(".gitignore", "node_modules/\n")
            .setup("mkdir -p node_modules/impl; echo 'export const word = () => \"two\";' > node_modules/impl/index.js; echo '{\"type\":\"module\",\"main\":\"index.js\"}' > node_modules/impl/package.json; sed -i 's/\"private\": true,/\"private\": true, \"devDependencies\": { \"impl\": \"1.0.0\" },/' package.json"), "names for development alone"),
        told(honest("is asked for what the gate found good before", IM, "green")
            .with("specs/frs/STE-1.md", "# Two\n\n## Acceptance Criteria\n\n- AC-STE-1.1: `shop.two()` gives 2\n- AC-STE-1.2: no line of `shop.py` says BAD\n  - verify: gate\n")
            .with("lint.sh", "! grep -n BAD shop.py\n")
            .settings("gate: sh lint.sh\n"), "nothing was changed for AC-STE-1.2"),
        honest("writes a constant", TW, "red; sed -i 's/shop.two()/shop.TWO/' $T")
            .prelude("green() { printf 'TWO = 2\\n\\n\\ndef one():\\n    return 1\\n' > shop.py; }\n")
            .truth("grep -q 'TWO = 2' shop.py"),
        honest("takes a function away", TW, "red; sed -i 's/self.assertEqual.*/self.assertFalse(hasattr(shop, \"two\"))/' $T")
            .with("shop.py", "def two():\n    return 0\n\n\ndef one():\n    return 1\n")
            .prelude("green() { printf 'def one():\\n    return 1\\n' > shop.py; }\n")
            .truth("! grep -q two shop.py"),
        honest("raises what a stub would", TW, "red; sed -i 's/        self.assertEqual.*/        with self.assertRaises(NotImplementedError):\\n            shop.two()/' $T")
            .prelude("green() { printf 'def one():\\n    return 1\\n\\n\\ndef two():\\n    raise NotImplementedError(\"two\")\\n' > shop.py; }\n")
            .truth("grep -q 'NotImplementedError' shop.py"),
        told(honest("needs what git ignores", IM, "green")
            .with(".gitignore", ".env\n__pycache__/\n")
            .with("tests/__init__.py", "import pathlib\n\nONE = pathlib.Path('.env').read_text()\n")
            .setup("echo one > .env"), "works only with what git ignores: .env"),
        honest("has a linter that remembers", IM, "green")
            .with("lint.sh", LINT)
            .with(".gitignore", ".lint-seen\n__pycache__/\n")
            .settings("gate: sh lint.sh\n")
            .setup("echo 'shop.py of long ago' > .lint-seen"),
        told(honest("has a gate that needs what git ignores", IM, "green")
            .with(".gitignore", "local.cfg\n__pycache__/\n")
            .settings("gate: grep -q strict local.cfg\n")
            .setup("echo strict > local.cfg"), "works only with what git ignores: local.cfg"),
        told(honest("has a gate that asks for its folder", IM, "green")
            .settings("gate: 'test \"$(basename \"$PWD\")\" = repo'\n"), "the gate is green in the work tree, and not in a fresh checkout"),
        told(honest("asks for its folder", TW, "red; sed -i 's/        self/        import os\\n        self.assertEqual(os.path.basename(os.getcwd()), \"repo\")\\n        self/' $T"), "not proven: 1 of the tests"),
        told(honest("is installed from the tree", IM, "green").on(EDITABLE).setup("python3 -m venv --without-pip .venv && echo \"$PWD/src\" > $(echo .venv/lib/python3*/site-packages)/shop.pth"), "seen failing on code that does nothing: 1 of 1"),
    ])
}

/// A project whose tests run what is installed, and that is the work tree's own source.
const EDITABLE: Project = Project {
    files: &[
        (".gitignore", ".venv/\n__pycache__/\n"),
        ("src/shop.py", "def one():\n    return 1\n"),
        ("tests/__init__.py", ""),
        (
            "tests/test_old.py",
            "import unittest\nimport shop\n\n\nclass Old(unittest.TestCase):\n    def test_old(self):\n        self.assertEqual(shop.one(), 1)\n",
        ),
    ],
    test: ".venv/bin/python -m unittest discover -s tests -t .",
    prelude: r"
T=tests/test_ac_ste_1_1.py
red() { printf 'import unittest\nimport shop\n\n\nclass New(unittest.TestCase):\n    def test_new(self):\n        self.assertEqual(shop.two(), 2)\n' > $T; }
green() { printf 'def one():\n    return 1\n\n\ndef two():\n    return 2\n' > src/shop.py; }
",
    truth: "grep -q 'return 2' src/shop.py",
    ..UNITTEST
};

fn proven(entries: Vec<Entry>) -> Vec<Entry> {
    entries.into_iter().map(|entry| entry.arg("--proof").arg("full")).collect()
}
