//! Files that decide which tests run or how, and fake runners.

use super::entry::{Entry, IM, TW, cheat};
use super::honest::WRITES;
use super::projects::{NODE, PYTEST, RUST};

const FORBIDDEN: &str = "this role may not change: ";
/// What only the seal shows, because git ignores it.
/// So it is told of what an installation has left, which is put right by another one.
const INSTALLED: &str = "an installed file is not as it was: ";
const TOUCHED: &str = "a protected file was changed: ";

pub fn entries() -> Vec<Entry> {
    [gates(), mixed_files(), fake_runners()].concat()
}

fn gates() -> Vec<Entry> {
    vec![
        cheat("adds a conftest.py", IM, "wrong; printf 'def pytest_pyfunc_call(pyfuncitem):\\n    return True\\n' > conftest.py")
            .on(PYTEST)
            .fails("this role may not change: conftest.py"),
        cheat("adds a conftest.py among the tests", TW, "red; echo > tests/conftest.py").on(PYTEST).fails(FORBIDDEN),
        cheat("adds a sitecustomize.py", IM, "wrong; echo 'import unittest' > sitecustomize.py").fails(FORBIDDEN),
        cheat("adds a .pth file", IM, "green; echo 'import os' > evil.pth").fails(FORBIDDEN),
        cheat("adds a pytest.ini", IM, "wrong; printf '[pytest]\\naddopts = -k old\\n' > pytest.ini").on(PYTEST).fails(FORBIDDEN),
        cheat("adds a setup.cfg", IM, "wrong; printf '[tool:pytest]\\naddopts = -k old\\n' > setup.cfg").on(PYTEST).fails(FORBIDDEN),
        cheat("adds a plugin by egg-info", IM, "green; mkdir e.egg-info; printf '[pytest11]\\ne = e\\n' > e.egg-info/entry_points.txt")
            .on(PYTEST)
            .fails(FORBIDDEN),
        cheat("adds load_tests", IM, "wrong; printf 'def load_tests(*a):\\n    import unittest\\n    return unittest.TestSuite()\\n' > tests/__init__.py")
            .fails(FORBIDDEN).prevented_by_enforce(),
        cheat("adds a vitest config", IM, "green; echo 'export default {}' > vitest.config.js").on(NODE).fails(FORBIDDEN),
        cheat("adds an .npmrc", IM, "green; echo 'node-options=--import ./x.js' > .npmrc").on(NODE).fails(FORBIDDEN),
        cheat("adds a build.rs", IM, "green; echo 'fn main() {}' > build.rs").on(RUST).fails(FORBIDDEN),
        cheat("adds a cargo runner", IM, "wrong; mkdir .cargo; printf '[target.\"cfg(unix)\"]\\nrunner = \"true\"\\n' > .cargo/config.toml")
            .on(RUST)
            .fails(FORBIDDEN),
        cheat("changes the Makefile", IM, "green; echo 'test:;true' > Makefile").with("Makefile", "test:\n\tfalse\n").fails(FORBIDDEN).prevented_by_enforce(),
        cheat("changes tdd.yaml", IM, "wrong; echo 'test: \"true\"' > tdd.yaml").fails("this role may not change: tdd.yaml").prevented_by_enforce(),
        cheat("changes the CI", IM, "green; mkdir -p .github/workflows; echo 'on: {}' > .github/workflows/x.yml").fails(FORBIDDEN),
        cheat("changes an agent's instructions", IM, "green; echo 'do nothing' > CLAUDE.md").fails(FORBIDDEN),
        cheat("changes an agent's settings", IM, "green; mkdir .claude; echo '{}' > .claude/settings.json").fails(FORBIDDEN),
        cheat("replaces a role's prompt", IM, "green; mkdir -p .tdd/skills/tdd-refactorer; echo x > .tdd/skills/tdd-refactorer/SKILL.md")
            .fails(FORBIDDEN).prevented_by_enforce(),
        cheat("weakens the requirement", IM, "wrong; sed -i s/2/3/ specs/frs/STE-1.md")
            .fails("this role may not change: specs/").prevented_by_enforce(),
        cheat("hides files from git", IM, "green; echo '*.py' > .gitignore").fails(FORBIDDEN),
        cheat("changes the script that runs the tests", IM, "wrong; echo 'exit 0' > check.sh")
            .with("check.sh", "python3 -m unittest discover -s tests -t .\n")
            .settings("runner: { kind: exit-code, all: sh check.sh }\n")
            .fails("this role may not change: check.sh").prevented_by_enforce(),
        cheat("changes a script behind the script that runs the tests", IM, "wrong; echo 'exit 0' > scripts/inner.sh")
            .with("check.sh", "sh scripts/inner.sh\n")
            .with("scripts/inner.sh", "python3 -m unittest discover -s tests -t .\n")
            .settings("runner: { kind: exit-code, all: sh check.sh }\n")
            .fails("this role may not change: scripts/inner.sh").prevented_by_enforce(),
        cheat("changes a plugin that conftest.py names", IM, REPLACES_TESTS)
            .on(PYTEST)
            .with("conftest.py", "pytest_plugins = [\"helpers.plug\"]\n")
            .with("helpers/plug.py", "import pytest\n")
            .fails("this role may not change: helpers/plug.py").prevented_by_enforce(),
        cheat("changes a plugin that pytest's options name", IM, REPLACES_TESTS)
            .on(PYTEST)
            .with("pyproject.toml", "[tool.pytest.ini_options]\naddopts = \"-p helpers.plug\"\n")
            .with("helpers/plug.py", "")
            .fails("this role may not change: helpers/plug.py").prevented_by_enforce(),
        cheat("changes hooks that conftest.py takes over", IM, REPLACES_TESTS)
            .on(PYTEST)
            .with("tests/conftest.py", "from helpers.plug import *\n")
            .with("helpers/plug.py", "import pytest\n")
            .fails("this role may not change: helpers/plug.py").prevented_by_enforce(),
        cheat("changes an ignored gate file", IM, "green; echo X=1 >> .env")
            .with(".gitignore", ".env\n")
            .with(".env", "")
            .fails(TOUCHED).prevented_by_enforce(),
    ]
}

/// From here on every test is another one.
const REPLACES_TESTS: &str = "wrong; printf 'def pytest_collection_modifyitems(items):\\n    for item in items:\\n        item.obj = lambda: None\\n' >> helpers/plug.py";

fn mixed_files() -> Vec<Entry> {
    let pytest_keys = "wrong; printf '[tool.pytest.ini_options]\\naddopts = \"-k old\"\\n' > pyproject.toml";
    vec![
        cheat(
            "turns the test harness off",
            IM,
            "wrong; printf '\\n[[test]]\\nname = \"ac_ste_1_1\"\\nharness = false\\n' >> Cargo.toml",
        )
        .on(RUST)
        .fails("this role may not change: Cargo.toml"),
        cheat("turns inline tests off", IM, "green; printf '\\n[lib]\\ntest = false\\n' >> Cargo.toml")
            .on(RUST)
            .fails("this role may not change: Cargo.toml"),
        cheat(
            "patches a dependency",
            IM,
            "green; printf '\\n[patch.crates-io]\\nx = { path = \"x\" }\\n' >> Cargo.toml",
        )
        .on(RUST)
        .fails("this role may not change: Cargo.toml"),
        cheat(
            "changes the test profile",
            IM,
            "green; printf '\\n[profile.test]\\ndebug-assertions = false\\n' >> Cargo.toml",
        )
        .on(RUST)
        .fails("this role may not change: Cargo.toml"),
        cheat("changes the package's scripts", IM, "wrong; sed -i 's/node --test/true/' package.json")
            .on(NODE)
            .fails("this role may not change: package.json"),
        cheat("adds pytest options", IM, pytest_keys)
            .on(PYTEST)
            .fails("this role may not change: pyproject.toml"),
        cheat("replaces a go module", IM, "green; printf 'replace a => ../b\\n' >> go.mod")
            .with("go.mod", "module x\n\ngo 1.22\n")
            .fails("this role may not change: go.mod"),
    ]
}

fn fake_runners() -> Vec<Entry> {
    vec![
        cheat(
            "shadows the runner's module",
            IM,
            "wrong; mkdir unittest; echo > unittest/__init__.py; echo > unittest/__main__.py",
        )
        .fails(FORBIDDEN),
        cheat("shadows pytest", IM, "wrong; echo 'def main(): pass' > pytest.py").on(PYTEST).fails(FORBIDDEN),
        cheat(
            "puts a fake runner on PATH",
            IM,
            "wrong; printf '#!/bin/sh\\nexit 0\\n' > ../bin/python3 && chmod +x ../bin/python3",
        )
        .fails("the run is no evidence"),
        cheat(
            "puts a fake runner into node_modules/.bin",
            IM,
            "green; mkdir -p node_modules/.bin; echo x > node_modules/.bin/vitest",
        )
        .on(NODE)
        .fails(FORBIDDEN),
        cheat(
            "changes an ignored runner in node_modules/.bin",
            IM,
            "green; echo x > node_modules/.bin/vitest",
        )
        .on(NODE)
        .with(".gitignore", "node_modules/\n")
        .with("node_modules/.bin/vitest", "#!/bin/sh\n")
        .fails(INSTALLED),
        cheat(
            "changes a tool beside what its tests write",
            IM,
            "green; node --test >/dev/null 2>&1; echo x >> node_modules/tool/index.js",
        )
        .on(NODE)
        .with(".gitignore", "node_modules/\n")
        .with("node_modules/tool/index.js", "export {};\n")
        .with("test/writes.test.js", WRITES)
        .fails(INSTALLED),
        cheat("forges compiled code", IM, FORGED_CODE).fails("failed: tests/test_ac"),
        cheat("forges a compiled test", IM, FORGED_TEST).fails("failed: tests/test_ac"),
        cheat("builds with another test and puts it back", IM, STALE_BUILD)
            .on(RUST)
            .fails("failed: tests/ac_ste_1_1.rs"),
    ]
}

/// A compiled file with the right code, beside a source with the wrong one: of its time and size.
const FORGED_CODE: &str =
    "green; touch -d @1700000000 shop.py; python3 -c 'import py_compile; py_compile.compile(\"shop.py\")'
wrong; touch -d @1700000000 shop.py";

/// The same with a test that expects the wrong thing; the source stays as it was.
const FORGED_TEST: &str = "wrong; cp -p $T ../kept; sed -i 's/2)/3)/' $T; touch -r ../kept $T
python3 -c 'import py_compile, sys; py_compile.compile(sys.argv[1])' $T; cp -p ../kept $T";

const STALE_BUILD: &str =
    "wrong; cp -p $T ../kept; printf '#[test]\\nfn new() {}\\n' > $T; touch -r ../kept $T
cargo test --no-run -q; cp -p ../kept $T";
