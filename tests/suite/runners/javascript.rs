//! vitest, jest and bun in tiny real projects.
//!
//! `TDD_TEST_NODE_MODULES` names a `node_modules` that holds them; each project gets a link to it. What
//! holds for the newest versions holds for those in `TDD_TEST_NODE_MODULES_OLD`.

mod namesakes;

use std::fmt::Write as _;

use super::super::battery;
use super::super::sandbox::{node_modules, older_node_modules};
use super::*;

/// What differs between the three in one project that all of them can read.
struct Kit {
    kind: RunnerKind,
    test: &'static str,
    /// The extension of sources and tests.
    extension: &'static str,
    /// The head of a test file.
    head: &'static str,
    /// Where it is installed.
    modules: fn(&str) -> Option<PathBuf>,
}

const VITEST: Kit = Kit {
    kind: RunnerKind::Vitest,
    test: "npx vitest run",
    extension: "ts",
    head: "import { test, describe, it, expect, beforeAll, afterAll } from 'vitest';\n",
    modules: node_modules,
};
const JEST: Kit =
    Kit { kind: RunnerKind::Jest, test: "npx jest", extension: "js", head: "", modules: node_modules };
const BUN: Kit = Kit {
    kind: RunnerKind::Bun,
    test: "bun test",
    extension: "ts",
    head: "import { test, describe, it, expect, beforeAll, afterAll } from 'bun:test';\n",
    modules: node_modules,
};
const OLDER_VITEST: Kit = Kit { modules: older_node_modules, ..VITEST };
const OLDER_JEST: Kit = Kit { modules: older_node_modules, ..JEST };

impl Kit {
    fn lab(&self) -> Option<Lab> {
        let modules = (self.modules)(self.kind.name())?;
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

    /// The version's first number.
    fn major(&self, lab: &Lab) -> u32 {
        let path = lab.project().join(format!("node_modules/{}/package.json", self.kind.name()));
        let package: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        package["version"].as_str().unwrap().split('.').next().unwrap().parse().unwrap()
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
            "c1::dup #2=error",
            "c1::dup=ok",
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

/// No argument holds a NUL; a title may, where it holds what is tested. bun itself tells it without.
#[test]
fn ac_tdd_9_116_a_title_that_no_argument_can_hold_is_asked_for_like_another() {
    left_to_the_night!();
    for kit in [&VITEST, &JEST] {
        let Some(lab) = kit.lab() else { continue };
        let titles = "for (const text of ['\\0', '\\\\x00', 'b']) test(`size of ${text}`, () => { throw new Error('x'); });\n";
        kit.test(&lab, "c1", "core", titles);
        let run = lab.run();
        let mut named = words(&run);
        named.retain(|word| word.contains("size of"));
        assert_eq!(named.len(), 3, "{}", run.output);
        for word in &named {
            let id = word.strip_suffix("=error").unwrap();
            check(&lab.ids(&[id]), &[word]);
        }
    }
}

#[test]
fn vitest_tells_each_file_and_test_apart() {
    left_to_the_night!();
    tells_each_file_and_test_apart(&VITEST);
}

#[test]
fn jest_tells_each_file_and_test_apart() {
    left_to_the_night!();
    tells_each_file_and_test_apart(&JEST);
}

#[test]
fn an_older_vitest_and_jest_tell_each_file_and_test_apart() {
    left_to_the_night!();
    tells_each_file_and_test_apart(&OLDER_VITEST);
    tells_each_file_and_test_apart(&OLDER_JEST);
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
    let namesakes = ["c1::sum 1 2 #2=ok", "c1::sum 1 2=ok", "c1::sum 3 4=assertion"];
    kit.check(&kit.ids(&lab, &["c1::sum 1 2", "c1::sum 3 4"]), &namesakes);
    let none = kit.ids(&lab, &["c1::no such name"]);
    kit.check(&none, &[]);
}

#[test]
fn vitest_takes_names_as_they_are() {
    left_to_the_night!();
    takes_names_as_they_are(&VITEST);
}

#[test]
fn jest_takes_names_as_they_are() {
    left_to_the_night!();
    takes_names_as_they_are(&JEST);
}

#[test]
fn an_older_vitest_and_jest_take_names_as_they_are() {
    left_to_the_night!();
    takes_names_as_they_are(&OLDER_VITEST);
    takes_names_as_they_are(&OLDER_JEST);
}

#[test]
fn bun_takes_names_as_they_are() {
    takes_names_as_they_are(&BUN);
}

/// Files that leave early, throw outside of tests or only seem to pass: what each runner makes of
/// them, and whether the run counts.
fn says(run: &TestRun) -> String {
    let words = run.report.as_ref().map(|_| words(run).join(" ")).unwrap_or_default();
    format!("{words} | {}", if evidence(run).is_ok() { "counts" } else { "no evidence" })
}

/// What a runner alone in its project says of one more test file.
fn alone(kit: &Kit, body: &str) -> Option<String> {
    let lab = kit.lab()?;
    kit.test(&lab, "c1", "core", body);
    let said = says(&kit.only(&lab, &["c1"]));
    let names = std::fs::read_dir(lab.project().join("test")).unwrap().count();
    assert_eq!(names, 2, "no snapshot and nothing else is written: {said}");
    Some(said.replace(&kit.file("c1"), "c1"))
}

const REJECTION: &str = "test('a', () => { setTimeout(() => { throw new Error('late'); }, 0); return new Promise(r => setTimeout(r, 50)); });\n";
const EXIT: &str = "test('a', () => {});\ntest('b', () => { process.exit(0); });\n";
const EXIT_AT_IMPORT: &str = "process.exit(0);\ntest('a', () => {});\n";
const REALLY_EXIT: &str = "process.reallyExit(0);\ntest('a', () => {});\n";
const KILL: &str = "test('a', () => {});\ntest('b', () => { process.kill(process.pid, 'SIGKILL'); return new Promise(() => {}); });\n";
const ONLY: &str = "test.only('a', () => {});\ntest('b', () => { throw new Error('x'); });\n";
const SNAPSHOT: &str = "test('a', () => { expect({ a: 1 }).toMatchSnapshot(); });\n";
const SETUP: &str =
    "describe('d', () => { beforeAll(() => { core.two(); }); it('a', () => {}); });\ntest('b', () => {});\n";
const TEARDOWN: &str =
    "describe('d', () => { it('a', () => {}); });\nafterAll(() => { throw new Error('late'); });\n";
const TIMEOUT: &str = "test('a', () => new Promise(() => {}), 50);\n";
const EMPTY: &str = "\n";
const TOP: &str = "core.two();\ntest('a', () => {});\n";

/// What each is (vitest, jest, bun).
const EDGES: &[(&str, [&str; 3])] = &[
    (REJECTION, ["c1::a=ok | no evidence", "c1::a=error | counts", "c1::a=error | counts"]),
    (EXIT, ["c1::a=ok c1::b=error | counts", " | no evidence", " | no evidence"]),
    (EXIT_AT_IMPORT, ["c1!load | counts", " | no evidence", " | no evidence"]),
    // Up to vitest 3 nothing is said of the file.
    (REALLY_EXIT, ["c1!load | no evidence or  | no evidence", " | no evidence", " | no evidence"]),
    (KILL, [" | no evidence", " | no evidence", " | no evidence"]),
    (ONLY, ["c1::a=error c1::b=skip | counts", "c1::a=ok c1::b=skip | counts", "c1!load | counts"]),
    (SNAPSHOT, ["c1::a=assertion | counts", "c1::a=assertion | counts", "c1::a=error | counts"]),
    (
        SETUP,
        [
            "c1::b=ok c1::d > a=missing | counts",
            "c1::b=ok c1::d > a=missing | counts",
            "c1::b=ok c1::d > (unnamed)=missing | counts",
        ],
    ),
    (
        TEARDOWN,
        [
            "c1!load c1::d > a=ok | counts",
            "c1!load c1::d > a=ok | counts",
            "c1::(unnamed)=error c1::d > a=ok | counts",
        ],
    ),
    (TIMEOUT, ["c1::a=timeout | counts", "c1::a=timeout | counts", "c1::a=timeout | counts"]),
    (EMPTY, [" | counts", "c1!load | counts", " | counts"]),
    (TOP, ["c1!missing | counts", "c1!missing | counts", "c1!missing | counts"]),
    ("test.fails('a', () => { expect(1).toBe(2); });\n", ["c1::a=skip | counts", "", ""]),
    (
        "test.failing('a', () => { expect(1).toBe(2); });\n",
        // jest 29 does not tell that the word is turned round.
        ["", "c1::a=skip | counts or c1::a=ok | counts", "c1::a=skip | counts"],
    ),
];

fn is_not_believed_where_it_says_less_than_it_knows(kit: &Kit, column: usize) {
    for (body, want) in EDGES {
        if want[column].is_empty() {
            continue;
        }
        let Some(said) = alone(kit, body) else { return };
        assert!(want[column].split(" or ").any(|want| said == want), "{body}\n{said}\n{}", want[column]);
    }
}

#[test]
fn vitest_is_not_believed_where_it_says_less_than_it_knows() {
    left_to_the_night!();
    is_not_believed_where_it_says_less_than_it_knows(&VITEST, 0);
}

#[test]
fn jest_is_not_believed_where_it_says_less_than_it_knows() {
    left_to_the_night!();
    is_not_believed_where_it_says_less_than_it_knows(&JEST, 1);
}

#[test]
fn an_older_vitest_and_jest_are_not_believed_where_they_say_less_than_they_know() {
    left_to_the_night!();
    is_not_believed_where_it_says_less_than_it_knows(&OLDER_VITEST, 0);
    is_not_believed_where_it_says_less_than_it_knows(&OLDER_JEST, 1);
}

#[test]
fn bun_is_not_believed_where_it_says_less_than_it_knows() {
    is_not_believed_where_it_says_less_than_it_knows(&BUN, 2);
}

/// Paths that a runner would take for a pattern, or for a part of other paths.
fn takes_paths_as_they_are(kit: &Kit) {
    let Some(lab) = kit.lab() else { return };
    let text = std::fs::read_to_string(lab.project().join(kit.file("base"))).unwrap();
    let red = text.replace("toBe(1)", "toBe(2)");
    let names = ["other/test/base", "app/[id]/(x)/a b", "app/i/x/a b", "test/base.test.x"];
    for name in names {
        let depth = "../".repeat(name.matches('/').count());
        let red = red.replace("../src", &format!("{depth}src"));
        lab.write(&format!("{name}.test.{}", kit.extension), &red);
    }
    kit.check(&kit.only(&lab, &["base"]), &["base::base=ok"]);
    let odd = format!("app/[id]/(x)/a b.test.{}", kit.extension);
    check(&lab.only(&[&odd]), &[&format!("{odd}::base=assertion")]);
    let others: Vec<String> = names.iter().map(|name| format!("{name}.test.{}", kit.extension)).collect();
    let others: Vec<&str> = others.iter().map(String::as_str).collect();
    let green = lab.without(&others);
    kit.check(&green, &["base::base=ok"]);
    assert_eq!(green.exit, Exit::Code(0));
}

#[test]
fn vitest_takes_paths_as_they_are() {
    left_to_the_night!();
    takes_paths_as_they_are(&VITEST);
}

#[test]
fn jest_takes_paths_as_they_are() {
    left_to_the_night!();
    takes_paths_as_they_are(&JEST);
}

#[test]
fn an_older_vitest_and_jest_take_paths_as_they_are() {
    left_to_the_night!();
    takes_paths_as_they_are(&OLDER_VITEST);
    takes_paths_as_they_are(&OLDER_JEST);
}

#[test]
fn bun_takes_paths_as_they_are() {
    takes_paths_as_they_are(&BUN);
}

#[test]
fn a_runner_that_is_not_installed_is_a_trouble_that_names_it() {
    for (kind, line) in [
        (RunnerKind::Vitest, "npx vitest run"),
        (RunnerKind::Jest, "yarn jest"),
        (RunnerKind::Jest, "nosuchfolder/jest"),
        (RunnerKind::Bun, "npx bun test"),
    ] {
        let lab = Lab::new(kind, line);
        lab.write("test/a.test.js", "");
        let trouble = lab.order(&TestOrder::default()).unwrap_err();
        assert_eq!(trouble.kind, TroubleKind::Environment, "{trouble}");
        assert!(trouble.to_string().contains(kind.name()), "{trouble}");
    }
}

/// A test that fails before it comes to what is recorded for it is red for its own reason alone.
#[test]
fn a_snapshot_that_no_test_came_to_is_no_load_failure() {
    left_to_the_night!();
    let Some(lab) = VITEST.lab() else { return };
    VITEST.test(&lab, "snap", "core", "test('a', () => { expect(core.two()).toMatchSnapshot(); });\n");
    let recorded = "// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html\n\nexports[`a 1`] = `2`;\n";
    lab.write("test/__snapshots__/snap.test.ts.snap", recorded);
    VITEST.check(&lab.order(&TestOrder::default()).unwrap(), &["base::base=ok", "snap::a=missing"]);
    lab.write("src/core.ts", "export const one = () => 1;\nexport const two = () => 2;\n");
    VITEST.check(&lab.order(&TestOrder::default()).unwrap(), &["base::base=ok", "snap::a=ok"]);
    if VITEST.major(&lab) < 4 {
        return;
    }
    // One that nobody asks for any more is why vitest fails, and is told.
    lab.write("test/__snapshots__/snap.test.ts.snap", &format!("{recorded}\nexports[`b 1`] = `3`;\n"));
    VITEST.check(&lab.order(&TestOrder::default()).unwrap(), &["base::base=ok", "snap!load", "snap::a=ok"]);
}

#[test]
fn ac_tdd_8_92_vitest_and_jest_tell_what_they_have_loaded_beside_tests() {
    left_to_the_night!();
    const OF_VITEST: &[(&str, &str)] = &[
        (
            "odd.config.mjs",
            "import { names } from './build/names.mjs';\n\nexport default { test: { setupFiles: names, globalSetup: './build/whole.mjs' } };\n",
        ),
        ("build/names.mjs", "export const names = ['./build/near.mjs'];\n"),
        ("build/near.mjs", ""),
        ("build/whole.mjs", "export default () => {};\n"),
    ];
    const OF_JEST: &[(&str, &str)] = &[
        (
            "odd.config.js",
            "module.exports = {\n  setupFilesAfterEnv: ['./build/near.js'],\n  globalSetup: './build/whole.js',\n  \
             testEnvironment: './build/around.js',\n  transform: { '\\\\.txt$': ['./build/text.js', {}] },\n};\n",
        ),
        ("build/near.js", ""),
        ("build/whole.js", "module.exports = () => {};\n"),
        ("build/around.js", "module.exports = require('jest-environment-node').TestEnvironment;\n"),
        ("build/text.js", "exports.process = () => ({ code: '' });\n"),
    ];
    for (kit, files, unsaid) in [
        (&VITEST, OF_VITEST, ""),
        (&OLDER_VITEST, OF_VITEST, ""),
        (&JEST, OF_JEST, "odd.config.js"),
        (&OLDER_JEST, OF_JEST, "odd.config.js"),
    ] {
        let Some(mut lab) = kit.lab() else { continue };
        for (name, text) in files {
            lab.write(name, text);
        }
        lab.test = format!("{} --config {}", kit.test, files[0].0);
        let run = lab.run();
        let loaded = run.report.unwrap().loaded;
        let wanted: Vec<&str> = files.iter().map(|(name, _)| *name).filter(|name| *name != unsaid).collect();
        assert_eq!(loaded, paths(&wanted).into_iter().collect(), "{}\n{}", kit.kind, run.output);
    }
}

#[test]
fn ac_tdd_8_97_whatever_a_test_of_vitest_or_jest_throws_is_told() {
    left_to_the_night!();
    for kit in [&VITEST, &OLDER_VITEST, &JEST, &OLDER_JEST] {
        let Some(lab) = kit.lab() else { continue };
        kit.test(
            &lab,
            "odd",
            "core",
            "const held = { all: process };\n\
             test('held', () => expect(held).not.toBe(held));\n\
             test('bare', () => { throw Object.create(null); });\n\
             test('words', () => { throw 'no'; });\n\
             test('last', () => expect(core.one()).toBe(1));\n",
        );
        let run = lab.run();
        let report = run.report.as_ref().unwrap_or_else(|| panic!("{:?}\n{}", run.unreadable, run.output));
        let told = report.tests.iter().filter(|test| test.id.0.contains("odd")).count();
        assert_eq!((told, evidence(&run)), (4, Ok(())), "{}\n{}", kit.kind, run.output);
    }
}
