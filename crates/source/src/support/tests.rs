#![expect(clippy::too_many_lines, reason = "a table of small projects")]

use std::collections::{BTreeMap, BTreeSet};

use tdd_core::path::RelPath;

use super::{Project, shipped, support_files};
use crate::{Files, Language};

/// Of a project of these files, those that its tests rest on. Tests are what lies below `tests` or is named so.
fn support_of(files: &[(&str, &str)]) -> Vec<String> {
    support_with(files, &[])
}

/// The same where a runner has loaded some of them by itself.
fn support_with(files: &[(&str, &str)], loaded: &[&str]) -> Vec<String> {
    let path = |path: &str| RelPath::new(path).unwrap();
    let is_manifest =
        |name: &str| matches!(name, "pyproject.toml" | "package.json" | "go.mod" | "Cargo.toml" | "setup.py");
    let (mut tests, mut sources, mut manifests) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let (mut data, mut pages) = (BTreeSet::new(), BTreeMap::new());
    for (name, text) in files {
        let file = path(name);
        let is_test = name.starts_with("tests/") || name.contains("_test.") || name.contains(".test.");
        match Language::of(file.extension()) {
            _ if is_manifest(name) => manifests.insert(file, (*text).to_owned()),
            Some(_) if is_test => tests.insert(file, (*text).to_owned()),
            Some(_) => sources.insert(file, (*text).to_owned()),
            None => {
                data.insert(file.clone());
                pages.insert(file, (*text).to_owned())
            }
        };
    }
    let all: Vec<RelPath> = files.iter().map(|(name, _)| path(name)).collect();
    let packages = manifests.iter().filter_map(|(path, text)| Files::package(path, text)).collect();
    let shipped = shipped(&manifests, &all.iter().cloned().collect());
    let files = Files::new(all, packages);
    let loaded: BTreeSet<RelPath> = loaded.iter().map(|name| path(name)).collect();
    let project = Project {
        files: &files,
        tests: &tests,
        sources: &sources,
        data: &data,
        shipped: &shipped,
        loaded: &loaded,
        pages: &pages,
    };
    support_files(&project).into_iter().map(|path| path.to_string()).collect()
}

const PY_TEST: &str = "from checks import same\nfrom shop import price\ndef test_a(): same(price(), 3)\n";
const PY_CHECKS: &str = "import pytest\ndef same(got, want):\n    if got != want: pytest.fail('no')\n";
const JS_CHECKS: &str = "import { expect } from 'vitest'\nexport const same = (a, b) => expect(a).toBe(b)\n";
const GO_CHECKS: &str =
    "package checks\nimport \"testing\"\nfunc Same(t *testing.T, a, b int) { if a != b { t.Fail() } }\n";

#[test]
fn a_helper_that_speaks_to_a_framework_and_is_imported_by_tests_alone_is_support() {
    for (name, files, want) in [
        (
            "Python",
            &[("tests/test_a.py", PY_TEST), ("checks.py", PY_CHECKS), ("shop.py", "def price(): return 3\n")]
                [..],
            &["checks.py"][..],
        ),
        (
            "a helper of a helper",
            &[
                ("tests/test_a.py", PY_TEST),
                ("checks.py", "import deep\nimport pytest\ndef same(a, b): deep.equal(a, b)\n"),
                ("deep.py", "import unittest\ndef equal(a, b): unittest.TestCase().assertEqual(a, b)\n"),
            ],
            &["checks.py", "deep.py"],
        ),
        (
            "JavaScript",
            &[
                ("src/a.test.js", "import { same } from './checks'\nimport { price } from './shop'\n"),
                ("src/checks.js", JS_CHECKS),
            ],
            &["src/checks.js"],
        ),
        (
            "a runner's globals",
            &[
                ("src/a.test.js", "const { same } = require('./checks')\n"),
                ("src/checks.js", "exports.same = (a, b) => expect(a).toBe(b)\n"),
            ],
            &["src/checks.js"],
        ),
        (
            "Go",
            &[
                ("go.mod", "module example.com/shop\n"),
                ("shop_test.go", "package shop\nimport \"example.com/shop/internal/checks\"\n"),
                ("internal/checks/checks.go", GO_CHECKS),
                ("shop.go", "package shop\n"),
            ],
            &["internal/checks/checks.go"],
        ),
        (
            "Rust",
            &[
                ("src/lib.rs", "pub mod shop;\n#[cfg(test)]\nmod checks;\n#[cfg(test)]\nmod kit;\n"),
                ("src/shop.rs", "pub fn price() -> u8 { 3 }\n"),
                ("src/checks.rs", "pub fn same(a: u8, b: u8) { assert_eq!(a, b) }\n"),
                ("src/kit/mod.rs", "mod deep;\n"),
                ("src/kit/deep.rs", "pub fn a() {}\n"),
            ],
            &["src/checks.rs", "src/kit/deep.rs", "src/kit/mod.rs"],
        ),
    ] {
        assert_eq!(support_of(files), want, "{name}");
    }
}

#[test]
fn what_production_or_others_use_is_none() {
    let project = "[project]\nname = \"plugin\"\n";
    for (name, files) in [
        (
            "production imports it",
            &[
                ("tests/test_a.py", PY_TEST),
                ("checks.py", PY_CHECKS),
                ("shop.py", "from checks import same\ndef price(): return 3\n"),
            ][..],
        ),
        ("no test imports it", &[("tests/test_a.py", "import shop\n"), ("checks.py", PY_CHECKS)]),
        (
            "a program has the module as well, in a file that knows of no tests",
            &[
                ("src/lib.rs", "#[cfg(test)]\nmod checks;\n"),
                ("src/main.rs", "mod checks;\nfn main() { checks::same(1, 1) }\n"),
                ("src/checks.rs", "pub fn same(a: u8, b: u8) { assert_eq!(a, b) }\n"),
            ],
        ),
        (
            "the code under test, which speaks to no framework",
            &[("tests/test_a.py", PY_TEST), ("checks.py", "def same(a, b): assert a == b\n")],
        ),
        (
            "a plugin of a framework is the product",
            &[
                ("pyproject.toml", project),
                ("tests/test_a.py", "from plugin.checks import same\n"),
                ("plugin/__init__.py", ""),
                ("plugin/checks.py", PY_CHECKS),
            ],
        ),
        (
            "a product in src",
            &[
                ("pyproject.toml", project),
                ("tests/test_a.py", "from plugin.checks import same\n"),
                ("src/plugin/checks.py", PY_CHECKS),
            ],
        ),
        (
            "an entry of the package",
            &[
                ("package.json", r#"{"name": "shop", "exports": {"./testing": "./dist/testing.js"}}"#),
                ("tests/a.test.ts", "import { same } from '../src/testing'\n"),
                ("src/testing.ts", JS_CHECKS),
            ],
        ),
        (
            "Go's file systems for tests are nothing that judges",
            &[
                ("go.mod", "module example.com/shop\n"),
                ("shop_test.go", "package shop\nimport \"example.com/shop/disk\"\n"),
                ("disk/disk.go", "package disk\nimport \"testing/fstest\"\nvar D = fstest.MapFS{}\n"),
            ],
        ),
        (
            "a fake beside the interface that it follows",
            &[
                ("go.mod", "module example.com/shop\n"),
                ("a_test.go", "package shop_test\nimport \"example.com/shop\"\n"),
                ("shop.go", "package shop\ntype Till interface { Sum() int }\n"),
                (
                    "fake.go",
                    "package shop\nimport \"testing\"\nfunc NewFake(t testing.TB) Till { return nil }\n",
                ),
            ],
        ),
        (
            "a module that runs its own examples",
            &[
                ("tests/test_a.py", PY_TEST),
                ("checks.py", "import doctest\ndef same(a, b): return a\ndoctest.testmod()\n"),
            ],
        ),
        (
            "a module that is named like a framework of another language",
            &[("tests/test_a.py", PY_TEST), ("checks.py", "import testing\ndef same(a, b): return a\n")],
        ),
        (
            "a module for all beside one for tests",
            &[
                ("src/lib.rs", "#[cfg(test)]\nmod checks;\n"),
                ("src/main.rs", "#[cfg(unix)]\nmod checks;\nfn main() {}\n"),
                ("src/checks.rs", "pub fn a() {}\n"),
            ],
        ),
    ] {
        assert_eq!(support_of(files), [""; 0], "{name}");
    }
}

#[test]
fn what_tests_expect_is_support_by_its_name_and_whoever_names_it() {
    for (name, files, want) in [
        (
            "a file by its folder and name",
            &[
                ("tests/test_a.py", "open('golden/out.txt')\n"),
                ("golden/out.txt", "3"),
                ("golden/b.txt", "4"),
            ][..],
            &["golden/b.txt", "golden/out.txt"][..],
        ),
        (
            "a folder that is put together",
            &[("tests/test_a.py", "(ROOT / 'expected' / name).read_text()\n"), ("expected/a/b.json", "")],
            &["expected/a/b.json"],
        ),
        (
            "an end",
            &[("src/a.test.js", "read(`${name}.golden`)\n"), ("cases/a.golden", ""), ("cases/a.txt", "")],
            &["cases/a.golden"],
        ),
        (
            "tests inside sources",
            &[
                (
                    "src/lib.rs",
                    "pub fn a() {}\n#[cfg(test)]\nmod tests {\n #[test]\n fn a() { let x = include_str!(\"../golden/a.txt\"); }\n}\n",
                ),
                ("golden/a.txt", ""),
            ],
            &["golden/a.txt"],
        ),
        (
            "production names it as well",
            &[
                ("tests/test_a.py", "open('fixtures/seed.json')\n"),
                ("seed.py", "load('fixtures/seed.json')\n"),
                ("fixtures/seed.json", ""),
            ],
            &[],
        ),
        (
            "a page, a schema and a manual are what is tested",
            &[
                (
                    "tests/test_a.py",
                    "open('index.html'); open('schema.sql'); open('README.md'); open('data/a.json')\n",
                ),
                ("index.html", ""),
                ("schema.sql", ""),
                ("README.md", ""),
                ("data/a.json", ""),
            ],
            &[],
        ),
        (
            "a word in a message names no folder",
            &[
                ("tests/test_a.py", "open('expected/a.txt')\n"),
                ("shop.py", "raise ValueError('expected an int')\n"),
                ("expected/a.txt", ""),
            ],
            &["expected/a.txt"],
        ),
        ("nobody names it", &[("tests/test_a.py", "import shop\n"), ("snapshots/a.txt", "")], &[]),
    ] {
        assert_eq!(support_of(files), want, "{name}");
    }
}

#[test]
fn what_a_runner_loads_and_nothing_else_does_is_support() {
    let main = "import './boot'\nimport { price } from '@/shop'\n";
    for (name, files, loaded, want) in [
        (
            "a set-up among sources that speaks to no framework",
            &[
                ("src/a.test.ts", "import { price } from './shop'\n"),
                ("src/boot.ts", "globalThis.fetch = () => 1\n"),
                ("src/shop.ts", "export const price = 'boots'\n"),
            ][..],
            &["src/boot.ts"][..],
            &["src/boot.ts"][..],
        ),
        (
            "production imports it for what it does",
            &[("src/a.test.ts", ""), ("src/boot.ts", "globalThis.x = 1\n"), ("src/main.ts", main)],
            &["src/boot.ts"],
            &[],
        ),
        (
            "by a short way home that nobody here knows",
            &[
                ("src/a.test.ts", ""),
                ("src/i18n/index.ts", ""),
                ("src/main.ts", "import i18n from '@app/i18n'\n"),
            ],
            &["src/i18n/index.ts"],
            &[],
        ),
        (
            "late",
            &[("src/a.test.ts", ""), ("src/boot.ts", ""), ("src/main.ts", "await import(`~/boot.js`)\n")],
            &["src/boot.ts"],
            &[],
        ),
        (
            "from a page",
            &[
                ("src/a.test.ts", ""),
                ("src/boot.ts", ""),
                ("index.html", "<script src=\"/src/boot.ts\"></script>\n"),
            ],
            &["src/boot.ts"],
            &[],
        ),
        (
            "the tests look at it",
            &[
                ("build/svg.test.ts", "import { svg } from './svg'\n"),
                ("build/svg.ts", "export const svg = 1\n"),
            ],
            &["build/svg.ts"],
            &[],
        ),
        (
            "what the configuration imports, and what it is that imports it",
            &[
                ("src/a.test.ts", ""),
                ("build/svg.ts", "export const svg = 1\n"),
                ("build/vite.ts", "import { svg } from './svg'\n"),
            ],
            &["build/svg.ts", "build/vite.ts"],
            &["build/svg.ts", "build/vite.ts"],
        ),
        (
            "a plugin of pytest that nobody ships",
            &[
                ("tests/test_a.py", "from shop import price\n"),
                ("shop.py", "def price(): return 3\n"),
                ("plug.py", "def pytest_configure(config): pass\n"),
            ],
            &["plug.py"],
            &["plug.py"],
        ),
        (
            "a project that is a plugin",
            &[
                ("tests/test_a.py", ""),
                (
                    "pyproject.toml",
                    "[project]\nname = 'pytest-x'\n[project.entry-points.pytest11]\nx = 'pytest_x.plugin'\n\
                     [tool.setuptools]\npackages = ['pytest_x']\n",
                ),
                ("pytest_x/__init__.py", ""),
                ("pytest_x/plugin.py", "def pytest_configure(config): pass\n"),
            ],
            &["pytest_x/plugin.py"],
            &[],
        ),
        (
            "a configuration of an odd name",
            &[("tests/test_a.py", ""), ("odd.cfg", "[pytest]\n")],
            &["odd.cfg"],
            &["odd.cfg"],
        ),
    ] {
        assert_eq!(support_with(files, loaded), want, "{name}");
    }
}

#[test]
fn ac_tdd_8_156_a_source_with_tests_inside_is_no_helper() {
    let test = ("tests/a.test.ts", "import { price } from '../src/shop'\n");
    let inside = "export const price = () => 3\nif (import.meta.vitest) {\n  const { test, expect } = import.meta.vitest\n  \
                  test('price', () => { expect(price()).toBe(3) })\n}\n";
    assert_eq!(support_of(&[test, ("src/shop.ts", inside)]), [""; 0]);
    let checks = "export const price = (n) => expect(n).toBe(3)\n";
    assert_eq!(support_of(&[test, ("src/shop.ts", checks)]), ["src/shop.ts"]);
}
