//! What a runner loads by itself, as its own report tells: plugins and set-ups of whatever name.

use std::path::Path;

use serde_json::json;

use super::sandbox::{Ran, Sandbox, has_pytest, node_modules};

/// Files with their texts.
type Written<'a> = &'a [(&'a str, &'a str)];

/// A project whose configuration loads all that lies in a folder, so that no name of it stands anywhere.
struct Shop {
    files: &'static [(&'static str, &'static str)],
    command: &'static str,
    /// The criterion's test.
    test: (&'static str, &'static str),
    /// What is loaded before anybody forks.
    known: &'static str,
    /// Code that does what is asked for, alone and by help of another file, and code that does it for tests alone.
    code: [(&'static str, &'static str); 3],
    /// What the second one imports, which is loaded with all that lies there.
    helper: (&'static str, &'static str),
    /// What mends the third one for tests.
    mends: (&'static str, &'static str),
}

const PYTEST: Shop = Shop {
    files: &[
        (".gitignore", "__pycache__/\n"),
        (
            "conftest.py",
            "import pathlib\n\nHERE = pathlib.Path(__file__).parent\n\
             pytest_plugins = [\"extras.\" + path.stem for path in sorted(HERE.glob(\"extras/[a-z]*.py\"))]\n",
        ),
        ("extras/__init__.py", ""),
        ("extras/near.py", "import pytest\n\n\n@pytest.fixture\ndef near():\n    return 1\n"),
        ("shop.py", "def one():\n    return 1\n"),
        ("tests/test_old.py", "import shop\n\n\ndef test_old(near):\n    assert shop.one() == near\n"),
    ],
    command: "python3 -m pytest -q",
    test: ("tests/test_ac_ste_1_1.py", "import shop\n\n\ndef test_new():\n    assert shop.two() == 2\n"),
    known: "extras/near.py",
    code: [
        ("shop.py", "def one():\n    return 1\n\n\ndef two():\n    return 2\n"),
        (
            "shop.py",
            "from extras.sums import add\n\n\ndef one():\n    return 1\n\n\ndef two():\n    return add(1, 1)\n",
        ),
        ("shop.py", "def one():\n    return 1\n\n\ndef two():\n    return 3\n"),
    ],
    helper: ("extras/sums.py", "def add(a, b):\n    return a + b\n"),
    mends: (
        "extras/mends.py",
        "import shop\n\n\ndef pytest_runtest_setup(item):\n    shop.two = lambda: 2\n",
    ),
};

const VITEST: Shop = Shop {
    files: &[
        (".gitignore", "node_modules\n"),
        ("package.json", "{ \"name\": \"shop\", \"type\": \"module\" }\n"),
        (
            "vitest.config.js",
            "import { readdirSync } from 'node:fs';\n\n\
             const names = readdirSync(new URL('./extras', import.meta.url));\n\
             export default { test: { setupFiles: names.map((name) => `./extras/${name}`) } };\n",
        ),
        ("extras/near.js", "globalThis.near = 1;\n"),
        ("src/shop.js", "export const one = () => 1;\n"),
        (
            "test/old.test.js",
            "import { test, expect } from 'vitest';\nimport { one } from '../src/shop.js';\n\n\
             test('old', () => expect(one()).toBe(globalThis.near));\n",
        ),
    ],
    command: "npx vitest run",
    test: (
        "test/ac-ste-1-1.test.js",
        "import { test, expect } from 'vitest';\nimport { two } from '../src/shop.js';\n\n\
         test('new', () => expect(two()).toBe(2));\n",
    ),
    known: "extras/near.js",
    code: [
        ("src/shop.js", "export const one = () => 1;\nexport const two = () => 2;\n"),
        (
            "src/shop.js",
            "import { add } from '../extras/sums.js';\n\nexport const one = () => 1;\nexport const two = () => add(1, 1);\n",
        ),
        ("src/shop.js", "export const one = () => 1;\nexport const two = () => globalThis.two ?? 3;\n"),
    ],
    helper: ("extras/sums.js", "export const add = (a, b) => a + b;\n"),
    mends: ("extras/mends.js", "globalThis.two = 2;\n"),
};

const JEST: Shop = Shop {
    files: &[
        (".gitignore", "node_modules\n"),
        ("package.json", "{ \"name\": \"shop\" }\n"),
        (
            "jest.config.js",
            "const names = require('node:fs').readdirSync(`${__dirname}/extras`);\n\n\
             module.exports = { setupFiles: names.map((name) => `<rootDir>/extras/${name}`) };\n",
        ),
        ("extras/near.js", "globalThis.near = 1;\n"),
        ("src/shop.js", "exports.one = () => 1;\n"),
        (
            "test/old.test.js",
            "const { one } = require('../src/shop');\n\ntest('old', () => expect(one()).toBe(globalThis.near));\n",
        ),
    ],
    command: "npx jest",
    test: (
        "test/ac-ste-1-1.test.js",
        "const { two } = require('../src/shop');\n\ntest('new', () => expect(two()).toBe(2));\n",
    ),
    known: "extras/near.js",
    code: [
        ("src/shop.js", "exports.one = () => 1;\nexports.two = () => 2;\n"),
        (
            "src/shop.js",
            "const { add } = require('../extras/sums');\n\nexports.one = () => 1;\nexports.two = () => add(1, 1);\n",
        ),
        ("src/shop.js", "exports.one = () => 1;\nexports.two = () => globalThis.two ?? 3;\n"),
    ],
    helper: ("extras/sums.js", "exports.add = (a, b) => a + b;\n"),
    mends: ("extras/mends.js", "globalThis.two = 2;\n"),
};

impl Shop {
    /// A run whose roles write these.
    fn run(
        &self,
        modules: Option<&Path>,
        red: &[(&str, &str)],
        green: &[(&str, &str)],
        more: &[&str],
    ) -> Ran {
        self.run_for("", modules, (red, green), more)
    }

    /// The same for a requirement that begins so.
    fn run_for(
        &self,
        header: &str,
        modules: Option<&Path>,
        (red, green): (Written<'_>, Written<'_>),
        more: &[&str],
    ) -> Ran {
        let sandbox = Sandbox::with(self.files);
        if let Some(modules) = modules {
            std::os::unix::fs::symlink(modules, sandbox.path("node_modules")).unwrap();
        }
        sandbox
            .write("tdd.yaml", &format!("test: {}\nbudgets: {{ semantic: 1, format: 0 }}\n", self.command));
        let requirement = format!("{header}# Two\n\n## Acceptance Criteria\n\n- AC-STE-1.1: two() is 2.\n");
        sandbox.write("specs/frs/STE-1.md", &requirement);
        sandbox.commit();
        let call = |role: &str, written: &[(&str, &str)]| {
            let names: Vec<&str> = written.iter().map(|(name, _)| *name).collect();
            let write: serde_json::Map<_, _> =
                written.iter().map(|(name, text)| ((*name).to_owned(), json!(text))).collect();
            json!({ "role": role, "write": write, "say": { "status": "ok", "files": names } })
        };
        let calls = [
            call("test-writer", &[&[self.test], red].concat()),
            call("implementer", green),
            call("refactorer", &[]),
        ];
        let cassette = sandbox.beside("cassette.json");
        std::fs::write(&cassette, json!(calls).to_string()).unwrap();
        let words = ["STE-1", "--agent", "scripted", "--no-review", "--cassette", cassette.to_str().unwrap()];
        sandbox.tdd(&[&words[..], more].concat())
    }

    fn holds_what_is_loaded(&self, modules: Option<&Path>, more: &[&str]) {
        let known = self.files.iter().find(|(name, _)| *name == self.known).unwrap();
        let changed = format!("{}\n", known.1);
        let [plain, helped, wrong] = self.code;
        let refused = self.run(modules, &[], &[plain, (self.known, &changed)], more).expect(1);
        refused.says(&["protected like tests", self.known]).says_on_stdout(&[self.known]);
        self.run(modules, &[], &[wrong, self.mends], more).expect(1).says_on_stdout(&[
            &format!(
                "come to load this file by itself, and nothing else of the project uses it: {}",
                self.mends.0
            ),
            "if the feature needs it: take the run back",
        ]);
        // Twins: the code imports it; the test-writer sets its tests up.
        self.run(modules, &[], &[helped, self.helper], more).expect(0);
        self.run(modules, &[(self.known, &changed)], &[plain], more).expect(0);
    }
}

#[test]
fn ac_tdd_8_92_what_pytest_loads_by_itself_is_held_whatever_it_is_called() {
    left_to_the_night!();
    if has_pytest() {
        PYTEST.holds_what_is_loaded(None, &["--sandbox", "audit"]);
    }
}

#[test]
fn ac_tdd_8_92_what_vitest_loads_by_itself_is_held_whatever_it_is_called() {
    left_to_the_night!();
    if let Some(modules) = node_modules("vitest") {
        VITEST.holds_what_is_loaded(Some(&modules), &["--sandbox", "audit"]);
    }
}

#[test]
fn ac_tdd_8_92_what_jest_loads_by_itself_is_held_whatever_it_is_called() {
    left_to_the_night!();
    if let Some(modules) = node_modules("jest") {
        JEST.holds_what_is_loaded(Some(&modules), &["--sandbox", "audit"]);
    }
}

#[test]
fn ac_tdd_8_92_what_an_allowed_configuration_loads_is_of_the_feature() {
    left_to_the_night!();
    if !has_pytest() {
        return;
    }
    let header = "---\nid: STE-1\nallow_config: [conftest.py]\n---\n\n";
    let configured = "pytest_plugins = [\"extras.near\", \"marks\"]\n";
    let marks =
        "def pytest_configure(config):\n    config.addinivalue_line(\"markers\", \"slow: takes long\")\n";
    let green = [PYTEST.code[0], ("conftest.py", configured), ("marks.py", marks)];
    let ran = PYTEST.run_for(header, None, (&[], &green), &["--sandbox", "audit"]);
    ran.expect(0).says_on_stdout(&["and they did: conftest.py"]);
}
