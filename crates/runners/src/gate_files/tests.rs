#![expect(clippy::disallowed_methods, reason = "makes projects on the disk")]
#![expect(clippy::too_many_lines, reason = "tables of projects")]

use super::*;
use tdd_core::commands::RunnerKind;

/// The gate files that are found in a project of these files.
fn found(files: &[(&str, &str)], lines: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let policy = Policy::new(crate::runner::of(RunnerKind::Pytest).test_files, &[], "specs").unwrap();
    let found = find(folder.path(), folder.path(), lines, &policy);
    found.iter().map(RelPath::as_str).collect::<Vec<_>>().join(" ")
}

#[test]
fn scripts_are_followed_from_the_commands() {
    let inner = ("scripts/inner.sh", "pytest \"$@\"\n");
    for (files, line, want) in [
        (vec![("t.sh", "sh scripts/inner.sh\n"), inner], "sh t.sh", "scripts/inner.sh t.sh"),
        (
            vec![
                ("Makefile", "run:\n\tpython3 tools/serve.py\ntest:\n\tsh scripts/t.sh $(ONLY)\n"),
                ("scripts/t.sh", "exec \"$(dirname \"$0\")/inner.sh\" $@\n"),
                inner,
                ("tools/serve.py", ""),
            ],
            "make test",
            "Makefile scripts/inner.sh scripts/t.sh",
        ),
        (vec![("tools/check.py", "")], "cd tools && python3 check.py", "tools/check.py"),
        (
            vec![("check.sh", "python3 tools/check.py\n"), ("tools/check.py", "")],
            "sh ./check.sh",
            "check.sh tools/check.py",
        ),
        (
            vec![
                ("package.json", "{\"scripts\":{\"pretest\":\"node tools/gen.js\",\"test\":\"sh ci/t.sh\"}}"),
                ("tools/gen.js", ""),
                ("ci/t.sh", ""),
            ],
            "npm test",
            "ci/t.sh tools/gen.js",
        ),
        (
            vec![("a/test.sh", ". ./lib-test.sh\n"), ("a/lib-test.sh", "")],
            "cd a && sh test.sh",
            "a/lib-test.sh a/test.sh",
        ),
        (vec![("conf/setup.mjs", "")], "node --import ./conf/setup.mjs --test", "conf/setup.mjs"),
        // A ring ends, and a test stays the test-writer's.
        (
            vec![
                ("a-test.sh", "sh b-test.sh\nsh tests/c.sh\n"),
                ("b-test.sh", "sh a-test.sh\n"),
                ("tests/c.sh", ""),
            ],
            "sh a-test.sh",
            "a-test.sh b-test.sh",
        ),
    ] {
        assert_eq!(found(&files, &[line]), want, "{line}");
    }
}

#[test]
fn plugins_of_pytest_are_followed() {
    let plug = "import pytest\n";
    for (files, want) in [
        (
            vec![("conftest.py", "pytest_plugins = [\"helpers.plug\"]\n"), ("helpers/plug.py", plug)],
            "helpers/plug.py",
        ),
        (
            vec![
                ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = \"-p myplug\"\n"),
                ("myplug.py", ""),
            ],
            "myplug.py",
        ),
        (
            vec![
                ("tests/conftest.py", "from support.hooks import *\n"),
                ("support/hooks.py", "import pytest\nfrom . import more\n"),
                ("support/more.py", plug),
            ],
            "support/hooks.py support/more.py",
        ),
    ] {
        assert_eq!(found(&files, &["pytest"]), want, "{files:?}");
    }
    assert_eq!(found(&[("plug.py", plug)], &["python3 -m pytest -p plug"]), "plug.py");
}

#[test]
fn configurations_are_followed() {
    for (files, want) in [
        (
            vec![
                ("tsconfig.json", "{\"extends\":\"./cfg/base.json\"}"),
                ("cfg/base.json", "{\"extends\":\"./deep\"}"),
                ("cfg/deep.json", "{}"),
            ],
            "cfg/base.json cfg/deep.json",
        ),
        (
            vec![
                ("vitest.config.ts", "import { shared } from \"./cfg/shared\";\n"),
                ("cfg/shared.ts", "import './more.js'"),
                ("cfg/more.ts", ""),
            ],
            "cfg/more.ts cfg/shared.ts",
        ),
        (
            vec![
                (
                    "vitest.config.ts",
                    "export default { test: { setupFiles: ['./prepare.ts', './src/e2e/setup.ts'], globalSetup: 'conf/g.ts' } }",
                ),
                ("prepare.ts", ""),
                ("conf/g.ts", ""),
                ("src/e2e/setup.ts", ""),
            ],
            "conf/g.ts prepare.ts src/e2e/setup.ts",
        ),
        (
            vec![
                (
                    "package.json",
                    "{\"jest\":{\"setupFilesAfterEnv\":[\"<rootDir>/after.js\"],\"preset\":\"./base\"}}",
                ),
                ("after.js", "import './shop.js'"),
                ("base/jest-preset.js", ""),
            ],
            "after.js base/jest-preset.js",
        ),
    ] {
        let files: Vec<(&str, &str)> = files.into_iter().chain([("shop.js", "")]).collect();
        assert_eq!(found(&files, &["npx vitest run"]), want, "{files:?}");
    }
}

#[test]
fn ac_tdd_9_118_private_packages_of_configurations_are_followed() {
    let files = vec![
        (
            "eslint.config.js",
            "import base from '@shop/eslint-config/base';\nimport { rule } from '@shop/rules';",
        ),
        ("apps/web/tsconfig.json", "{\"extends\":\"@shop/tsconfig/web.json\"}"),
        (
            "packages/eslint/package.json",
            "{\"name\":\"@shop/eslint-config\",\"private\":true,\"exports\":{\"./base\":\"./lib/base.js\"}}",
        ),
        ("packages/eslint/lib/base.js", "import './tests.js';"),
        ("packages/ts-config/package.json", "{\"name\":\"@shop/tsconfig\",\"private\":true}"),
        ("packages/ts-config/web.json", "{\"extends\":\"./base.json\"}"),
        ("packages/ts-config/base.json", "{}"),
        ("packages/rules/package.json", "{\"name\":\"@shop/rules\",\"private\":true}"),
        ("packages/rules/index.js", ""),
    ];
    let want = "packages/eslint/lib/base.js packages/ts-config/base.json packages/ts-config/web.json";
    assert_eq!(found(&files, &["npx eslint ."]), want);
    // What is given to others is the product.
    let public = |(path, text): &(&'static str, &'static str)| {
        (*path, text.replace("\"private\":true", "\"private\":false"))
    };
    let public: Vec<(&str, String)> = files.iter().map(public).collect();
    let public: Vec<(&str, &str)> = public.iter().map(|(path, text)| (*path, text.as_str())).collect();
    assert_eq!(found(&public, &["npx eslint ."]), "");
}

/// Whoever changes one of these does the work that is asked for.
#[test]
fn production_code_is_no_gate_file() {
    for (files, line) in [
        (
            vec![
                ("conftest.py", "from shop import db\nimport shop\nfrom shop.cart import *\n"),
                ("shop/__init__.py", ""),
                ("shop/db.py", ""),
                ("shop/cart.py", ""),
            ],
            "pytest",
        ),
        (
            vec![
                ("pyproject.toml", "[project]\nname = \"My-Plug\"\n"),
                ("conftest.py", "pytest_plugins = ['my_plug']\n"),
                ("my_plug.py", "import pytest\n"),
            ],
            "pytest",
        ),
        (
            vec![
                ("conftest.py", "pytest_plugins = ['shop.plugin']\n"),
                ("src/shop/plugin.py", "import pytest\n"),
            ],
            "pytest",
        ),
        (vec![("conftest.py", "import tests.fix\n"), ("tests/fix.py", "import pytest\n")], "pytest"),
        (
            vec![
                (
                    "vitest.config.ts",
                    "import plugin from './src/index';\nimport { v } from './version.ts';\nexport default { resolve: { alias: { shop: './shop.js' } }, test: { setupFiles: ['./src/polyfill.ts'] } }",
                ),
                ("src/index.ts", ""),
                ("version.ts", ""),
                ("shop.js", ""),
                ("src/polyfill.ts", ""),
            ],
            "vitest run",
        ),
        (
            vec![
                (
                    "tsconfig.json",
                    "{\"files\":[\"./app.ts\"],\"compilerOptions\":{\"paths\":{\"x\":[\"./x.json\"]}}}",
                ),
                ("app.ts", ""),
                ("x.json", ""),
            ],
            "vitest run",
        ),
    ] {
        assert_eq!(found(&files, &[line]), "", "{files:?}");
    }
    for (inner, more) in [
        ("test \"$(sh greet.sh)\" = hi", ("greet.sh", "")),
        ("sh greet.sh | grep -q hi", ("greet.sh", "")),
        ("sh greet.sh >out; python3 shop.py --self-test", ("greet.sh", "")),
        ("python3 tools/check.py", ("tools/__init__.py", "")),
        ("node src/check.js; sh scripts/say.sh | diff - want", ("scripts/say.sh", "")),
    ] {
        let files = [
            ("t.sh", inner),
            ("shop.py", ""),
            ("src/check.js", ""),
            ("tools/check.py", "import shop\n"),
            more,
        ];
        assert_eq!(found(&files, &["sh t.sh"]), "t.sh", "{inner}");
    }
}

#[test]
fn what_can_not_be_read_is_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("conftest.py");
    let (kind, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU);
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, kind, mode, 0).unwrap();
    let policy = Policy::new(crate::runner::of(RunnerKind::Pytest).test_files, &[], "specs").unwrap();
    assert!(
        find(folder.path(), folder.path(), &["sh conftest.py", "make", "sh ../../x.sh"], &policy).is_empty()
    );
}
