//! A default export that is not there yet, in a module that is, and helpers that export by default.

use std::path::Path;

use super::sandbox::node_modules;
use super::shared_helpers::{NODE, OF_VITEST, Shape, VITEST};

const NODE_TEST: &str = "import test from 'node:test';\nimport assert from 'node:assert';\n";
const DOUBLE: &str = "export const one = () => 1;\nexport const double = (x) => 2 * x;\n";

fn of_node<'a>(tests: &'a [(&'a str, &'a str)], code: &'a [(&'a str, &'a str)]) -> Shape<'a> {
    Shape { project: NODE, command: "node --test", tests, code, modules: None }
}

#[test]
fn ac_tdd_8_75_a_default_export_that_a_module_lacks_is_missing_to_who_expects_something_of_it() {
    left_to_the_night!();
    let code = format!("{DOUBLE}export default {{ double }};\n");
    let test = |expectation: &str| {
        format!(
            "{NODE_TEST}import shop, {{ one }} from '../src/shop.js';\n\ntest('three', () => assert.equal({expectation}));\n"
        )
    };
    let file = "test/ac-ste-1-1.test.js";
    let code = &[("src/shop.js", code.as_str())];
    of_node(&[(file, &test("shop.double(3), 6"))], code).goes_through();
    of_node(&[(file, &test("shop && 6, 6"))], code).goes_through();
    // Twin: it is imported, and nothing is expected of it.
    of_node(&[(file, &test("one(), 1"))], code).is_no_red("expects nothing of it");
}

#[test]
fn ac_tdd_8_75_so_is_what_a_helper_lacks_that_exports_by_default() {
    left_to_the_night!();
    let helper = "import { double } from '../src/double.js';\n\nexport default (x) => double(x);\n";
    let checks = "import assert from 'node:assert';\nimport { double } from '../src/double.js';\n\n\
                  export default function check(x, want) {\n  assert.equal(double(x), want);\n}\n";
    let test = |call: &str| {
        format!(
            "{NODE_TEST}import own from './helpers.js';\nimport {{ one }} from '../src/shop.js';\n\ntest('three', () => {{ {call}; }});\n"
        )
    };
    let code = &[("src/double.js", "export const double = (x) => 2 * x;\n")];
    let of = |helper, call| {
        let test = test(call);
        let tests = [("test/helpers.js", helper), ("test/ac-ste-1-1.test.js", test.as_str())];
        of_node(&tests, code).run().1
    };
    of(helper, "assert.equal(own(3), 6)").expect(0);
    of(checks, "own(3, 6)").expect(0);
    of(helper, "assert.equal(one(), 1)").expect(1).says(&["expects nothing of it"]);
}

/// Of a module that a test mocks, or imports as it runs, vite tells the path from the root.
#[test]
fn ac_tdd_8_89_a_module_beside_a_mocked_one_is_missing() {
    left_to_the_night!();
    let Some(modules) = node_modules("vitest") else { return };
    let mocked = "import { expect, test, vi } from 'vitest';\nimport { save } from '../src/todos.js';\n\n\
                  vi.mock('../src/shop.js', () => ({ one: () => 5 }));\n\n\
                  test('saves', () => expect(save(2)).toBe(7));\n";
    let late = "import { expect, test } from 'vitest';\n\n\
                test('saves', async () => {\n  const { save } = await import('../src/todos.js');\n  \
                expect(save(6)).toBe(7);\n});\n";
    let code =
        [("src/todos.js", "import { one } from './shop.js';\n\nexport const save = (x) => one() + x;\n")];
    let tests = [("test/ac-ste-1-1.mocked.test.js", mocked), ("test/ac-ste-1-1.test.js", late)];
    let command = "npx vitest run";
    let shape = |tests| Shape { project: OF_VITEST, command, tests, code: &code, modules: Some(&modules) };
    shape(&tests).goes_through();
    // Twin: a package that is not installed is no module of the project's.
    let package = late.replace("'../src/todos.js'", "'/usr/lib/todos.js'");
    shape(&[("test/ac-ste-1-1.test.js", &package)]).is_no_red("todos");
}

#[test]
fn ac_tdd_8_90_what_a_test_that_ends_by_a_callback_gives_to_it_is_an_expectation() {
    left_to_the_night!();
    let test = |body: &str| {
        format!(
            "{NODE_TEST}import {{ each }} from '../src/each.js';\n\ntest('gives', (t, done) => {{ {body}; }});\n"
        )
    };
    let code = [("src/each.js", "export const each = (give) => give(5);\n")];
    let file = "test/ac-ste-1-1.test.js";
    let chosen = test("each((value) => done(value === 5 ? undefined : new Error('no')))");
    of_node(&[(file, &chosen)], &code).goes_through();
    // Twin: it ends, whatever it is given.
    of_node(&[(file, &test("each(() => done())"))], &code).is_no_red("expects nothing");
}

#[test]
fn ac_tdd_8_75_vitest_and_jest_say_it_in_their_words() {
    left_to_the_night!();
    let test = |body: &str| {
        format!(
            "{VITEST}import double, {{ one }} from '../src/shop.js';\n\ntest('three', () => {{ {body}; }});\n"
        )
    };
    if let Some(modules) = node_modules("vitest") {
        both_ways(OF_VITEST, "npx vitest run", &test, &modules);
    }
    let old = "const { one } = require('../src/shop');\n\ntest('old', () => expect(one()).toBe(1));\n";
    let project = [
        (".gitignore", "node_modules\n"),
        ("package.json", "{ \"name\": \"shop\" }\n"),
        ("src/shop.js", "exports.one = () => 1;\n"),
        ("test/old.test.js", old),
    ];
    let test = |body: &str| {
        format!(
            "const {{ default: double, one }} = require('../src/shop');\n\ntest('three', () => {{ {body}; }});\n"
        )
    };
    if let Some(modules) = node_modules("jest") {
        both_ways(&project, "npx jest", &test, &modules);
    }
}

fn both_ways(project: &[(&str, &str)], command: &str, test: &dyn Fn(&str) -> String, modules: &Path) {
    let is_module = project.iter().any(|(_, text)| text.contains("\"module\""));
    let code = if is_module {
        "export const one = () => 1;\nexport default (x) => 2 * x;\n"
    } else {
        "exports.one = () => 1;\nexports.default = (x) => 2 * x;\n"
    };
    let of = |body| {
        let test = test(body);
        let (tests, code) = ([("test/ac-ste-1-1.test.js", test.as_str())], [("src/shop.js", code)]);
        Shape { project, command, tests: &tests, code: &code, modules: Some(modules) }.run().1
    };
    of("expect(double(3)).toBe(6)").expect(0);
    // Twin: it is called, and nothing is expected of what it gives.
    of("double(3); expect(one()).toBe(1)").expect(1).says(&["expects nothing of it"]);
}
