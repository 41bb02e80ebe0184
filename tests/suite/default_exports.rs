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
