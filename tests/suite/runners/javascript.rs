//! vitest, jest and bun in tiny real projects.
//!
//! `TDD_TEST_NODE_MODULES` names a `node_modules` that holds them; each project gets a link to it.

use std::fmt::Write as _;

use super::super::sandbox::node_modules;
use super::*;

/// What differs between the three in one project that all of them can read.
struct Kit {
    kind: RunnerKind,
    test: &'static str,
    /// The extension of sources and tests.
    extension: &'static str,
    /// The head of a test file.
    head: &'static str,
}

const VITEST: Kit = Kit {
    kind: RunnerKind::Vitest,
    test: "npx vitest run",
    extension: "ts",
    head: "import { test, describe, it, expect, beforeAll } from 'vitest';\n",
};
const JEST: Kit = Kit { kind: RunnerKind::Jest, test: "npx jest", extension: "js", head: "" };
const BUN: Kit = Kit {
    kind: RunnerKind::Bun,
    test: "bun test",
    extension: "ts",
    head: "import { test, describe, it, expect, beforeAll } from 'bun:test';\n",
};

impl Kit {
    fn lab(&self) -> Option<Lab> {
        let modules = node_modules(self.kind.name())?;
        let lab = Lab::new(self.kind, self.test);
        std::os::unix::fs::symlink(modules, lab.project().join("node_modules")).unwrap();
        lab.write("package.json", "{\"name\":\"shop\",\"private\":true}\n");
        if self.kind == RunnerKind::Jest {
            // jest reads CommonJS without further packages.
            lab.write("src/core.js", "exports.one = () => 1;\n");
        } else {
            lab.write("src/core.ts", "export const one = () => 1;\n");
        }
        self.test(&lab, "base", "core", "test('base', () => expect(core.one()).toBe(1));\n");
        Some(lab)
    }

    /// A test file that imports a module of `src`.
    fn test(&self, lab: &Lab, name: &str, module: &str, body: &str) {
        let import = match self.kind {
            RunnerKind::Jest => format!("const {module} = require('../src/{module}.js');\n"),
            _ => format!("import * as {module} from '../src/{module}.ts';\n"),
        };
        lab.write(&self.file(name), &format!("{}{import}{body}", self.head));
    }

    fn file(&self, name: &str) -> String {
        format!("test/{name}.test.{}", self.extension)
    }

    /// `FILE=` stands for a test file's path.
    fn want(&self, lines: &[&str]) -> Vec<String> {
        let mut want: Vec<String> = lines
            .iter()
            .map(|line| {
                let end = line.find("::").unwrap_or_else(|| line.find('!').unwrap());
                format!("{}{}", self.file(&line[..end]), &line[end..])
            })
            .collect();
        want.sort();
        want
    }

    #[track_caller]
    fn check(&self, run: &TestRun, lines: &[&str]) {
        let want = self.want(lines);
        check(run, &want.iter().map(String::as_str).collect::<Vec<_>>());
    }

    fn without(&self, lab: &Lab, names: &[&str]) -> TestRun {
        let files: Vec<String> = names.iter().map(|name| self.file(name)).collect();
        lab.without(&files.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn only(&self, lab: &Lab, names: &[&str]) -> TestRun {
        let files: Vec<String> = names.iter().map(|name| self.file(name)).collect();
        lab.only(&files.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn ids(&self, lab: &Lab, ids: &[&str]) -> TestRun {
        let ids: Vec<String> = ids
            .iter()
            .map(|id| {
                let (file, name) = id.split_once("::").unwrap();
                format!("{}::{name}", self.file(file))
            })
            .collect();
        lab.ids(&ids.iter().map(String::as_str).collect::<Vec<_>>())
    }
}

const KINDS: &str = "test('a', () => expect(core.one()).toBe(2));\n\
    test('m', () => { core.two(); });\n\
    test('e', () => { throw new Error('x'); });\n\
    test.skip('s', () => {});\n\
    test.todo('t');\n\
    describe('outer', () => { it('in > ner', () => {}); });\n\
    test('dup', () => {});\n\
    test('dup', () => { throw new Error('y'); });\n\
    console.log('TAP version 13\\nok 1 - a');\n";

fn tells_each_file_and_test_apart(kit: &Kit) {
    let Some(lab) = kit.lab() else { return };
    kit.check(&lab.run(), &["base::base=ok"]);
    kit.test(&lab, "c1", "core", KINDS);
    kit.test(&lab, "c2", "gone", "test('b', () => gone.x());\n");
    lab.write(&kit.file("c3"), "function f(:\n");
    let import = if kit.kind == RunnerKind::Jest {
        "require('nosuchpkg');"
    } else {
        "import * as x from 'nosuchpkg';\nx.y;"
    };
    lab.write(&kit.file("c4"), &format!("{}{import}\ntest('d', () => {{}});\n", kit.head));
    let run = lab.run();
    kit.check(
        &run,
        &[
            "base::base=ok",
            "c1::a=assertion",
            "c1::dup=error",
            "c1::e=error",
            "c1::m=missing",
            "c1::outer > in > ner=ok",
            "c1::s=skip",
            "c1::t=skip",
            "c2!missing",
            "c3!load",
            "c4!load",
        ],
    );
    assert_eq!(run.exit, Exit::Code(1));
    let green = kit.without(&lab, &["c1", "c2", "c3", "c4"]);
    kit.check(&green, &["base::base=ok"]);
    assert_eq!(green.exit, Exit::Code(0));
    kit.check(&kit.only(&lab, &["c2"]), &["c2!missing"]);
    kit.check(&kit.only(&lab, &["base", "nosuchfile"]), &["base::base=ok"]);
    kit.check(&kit.only(&lab, &["nosuchfile"]), &[]);
    kit.check(&kit.ids(&lab, &["c1::e"]), &["c1::e=error"]);
    let chosen = kit.ids(&lab, &["c1::outer > in > ner", "base::base"]);
    kit.check(&chosen, &["base::base=ok", "c1::outer > in > ner=ok"]);
    assert_eq!(chosen.exit, Exit::Code(0));
    let names = |below: &str| std::fs::read_dir(lab.project().join(below)).unwrap().count();
    assert_eq!((names(""), names("src"), names("test")), (4, 1, 5), "nothing is left in the tree");
}

#[test]
fn vitest_tells_each_file_and_test_apart() {
    tells_each_file_and_test_apart(&VITEST);
}

#[test]
fn jest_tells_each_file_and_test_apart() {
    tells_each_file_and_test_apart(&JEST);
}

#[test]
fn bun_tells_each_file_and_test_apart() {
    tells_each_file_and_test_apart(&BUN);
}

/// Names that a shell, a regular expression or a report might trip over.
const NAMES: &[&str] = &[
    "re (a|b) [c] .* $^ {1}?+ \\d /x/",
    "q \" ' ` $HOME",
    "new\nline",
    "ünï 日本 🎉",
    "a",
    "a b",
    "<x> & y",
    "-t",
    "%s %d",
];

fn takes_names_as_they_are(kit: &Kit) {
    let Some(lab) = kit.lab() else { return };
    let mut body = String::new();
    for name in NAMES {
        let quoted = serde_json::Value::from(*name);
        let _ = writeln!(body, "test({quoted}, () => {{ expect(core.one()).toBe(1); }});");
    }
    body.push_str("test('other', () => { throw new Error('not chosen'); });\n");
    body.push_str("test('x a b y', () => { throw new Error('not chosen'); });\n");
    body.push_str(
        "test.each([[1, 2], [1, 2], [3, 4]])('sum %i %i', (a, b) => { expect(a + b).toBe(3); });\n",
    );
    kit.test(&lab, "c1", "core", &body);
    let ids: Vec<String> = NAMES.iter().map(|name| format!("c1::{name}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let run = kit.ids(&lab, &ids);
    let want: Vec<String> = ids.iter().map(|id| format!("{id}=ok")).collect();
    kit.check(&run, &want.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(run.exit, Exit::Code(0));
    for id in &ids {
        kit.check(&kit.ids(&lab, &[id]), &[&format!("{id}=ok")]);
    }
    kit.check(&kit.ids(&lab, &["c1::sum 1 2", "c1::sum 3 4"]), &["c1::sum 1 2=ok", "c1::sum 3 4=assertion"]);
    let none = kit.ids(&lab, &["c1::no such name"]);
    kit.check(&none, &[]);
}

#[test]
fn vitest_takes_names_as_they_are() {
    takes_names_as_they_are(&VITEST);
}

#[test]
fn jest_takes_names_as_they_are() {
    takes_names_as_they_are(&JEST);
}

#[test]
fn bun_takes_names_as_they_are() {
    takes_names_as_they_are(&BUN);
}
