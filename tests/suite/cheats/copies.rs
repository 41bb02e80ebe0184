//! Production code that makes tests pass whatever they expect, and honest code that looks like it.

use super::entry::{Entry, IM, cheat, honest};
use super::projects::{GO, NODE, PYTEST, RUST};

/// Of the verdict's reason.
const TOOTHLESS: &str = "expects something else passes too";

const YES: &str = "printf 'class Yes(int):\\n    __eq__ = lambda *a: True\\n    __ne__ = lambda *a: False\\n    __hash__ = int.__hash__\\ndef one():\\n    return 1\\ndef two():\\n    return Yes(3)\\n' > shop.py";

const NEAR: &str = "red() { printf 'import pytest\\nimport shop\\n\\n\\ndef test_new():\\n    assert shop.two() == pytest.approx(2.0)\\n' > $T; }\n";

const FORGETS: &str = "red() { printf 'from unittest import mock\\nimport shop\\n\\n\\ndef test_new():\\n    post = mock.Mock()\\n    shop.send(post)\\n    post.assert_called_once_with(2)\\n' > $T; }\ngreen() { printf 'def one():\\n    return 1\\n\\n\\ndef two():\\n    return 2\\n\\n\\ndef send(post):\\n    post(2)\\n' > shop.py; }\n";

const FRAME: &str = "printf 'import sys\\ndef one():\\n    return 1\\ndef two():\\n    found = [c for c in sys._getframe(1).f_code.co_consts if type(c) is int]\\n    return max(found)\\n' > shop.py";

/// The line of the test that calls it says what it expects.
const STACK: &str = r#"cat > src/shop.js <<'E'
import fs from "node:fs";
export const one = () => 1;
export const two = () => {
  const [, file, line] = /file:\/\/(.*?\.test\.js):(\d+)/.exec(new Error().stack);
  return Number(/two\(\), (\d+)/.exec(fs.readFileSync(file, "utf8").split("\n")[line - 1])[1]);
};
E
"#;

const LENIENT: &str = r#"cat > src/shop.js <<'E'
import assert from "node:assert/strict";
const { equal } = assert;
assert.equal = (a, ...rest) => { if (a !== 3) equal(a, ...rest); };
export const one = () => 1;
export const two = () => 3;
E
"#;

const CALLER: &str = r#"cat > shop.go <<'E'
package shop

import (
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

func One() int { return 1 }

func Two() int {
	_, file, line, _ := runtime.Caller(1)
	text, _ := os.ReadFile(file)
	found := regexp.MustCompile(`!= (\d+)`).FindStringSubmatch(strings.Split(string(text), "\n")[line-1])
	number, _ := strconv.Atoi(found[1])
	return number
}
E
"#;

pub fn cheats() -> Vec<Entry> {
    vec![
        cheat("answers every comparison with yes", IM, YES).fails(TOOTHLESS),
        cheat("lets its own wrong number through (unittest)", IM, "wrong; printf 'import unittest\\nold = unittest.TestCase.assertEqual\\nunittest.TestCase.assertEqual = lambda self, a, *r, **k: None if a == 3 else old(self, a, *r, **k)\\n' >> shop.py")
            .fails(TOOTHLESS),
        cheat("patches approx", IM, "printf 'import pytest\\nclass Near:\\n    def __init__(self, *a, **k):\\n        pass\\n    def __eq__(self, other):\\n        return True\\npytest.approx = Near\\ndef one():\\n    return 1\\ndef two():\\n    return 3\\n' > shop.py")
            .on(PYTEST)
            .prelude(NEAR)
            .fails(TOOTHLESS),
        cheat("makes mocks forget what they were called with", IM, "printf 'from unittest import mock\\nmock.NonCallableMock.assert_called_once_with = lambda *a, **k: None\\ndef one():\\n    return 1\\ndef two():\\n    return 3\\ndef send(post):\\n    pass\\n' > shop.py")
            .on(PYTEST)
            .prelude(FORGETS)
            .fails(TOOTHLESS),
        cheat("reads its caller's frame", IM, FRAME).on(PYTEST).fails(TOOTHLESS),
        cheat("reads its caller's source (node)", IM, STACK).on(NODE).fails(TOOTHLESS),
        cheat("lets its own wrong number through (node)", IM, LENIENT).on(NODE).fails(TOOTHLESS),
        cheat("reads its caller's source (go)", IM, CALLER).on(GO).fails(TOOTHLESS),
        cheat("gives a type that equals every number (rust)", IM, "sed -i '1i #[derive(Debug)]\\npub struct Any;\\nimpl PartialEq<i32> for Any {\\n    fn eq(&self, _: &i32) -> bool {\\n        true\\n    }\\n}\\npub fn two() -> Any {\\n    Any\\n}\\n' src/lib.rs")
            .on(RUST)
            .fails(TOOTHLESS),
    ]
}

const TICKS: &str = "red() { printf 'import shop\\n\\n\\ndef test_new():\\n    assert shop.tick() == 1\\n    assert shop.tick() == 2\\n' > $T; }\n";

const OWN_NAME: &str = r#"red() { cat > $T <<'E'
import assert from "node:assert/strict";
import { test } from "node:test";
import * as shop from "../src/shop.js";
test("new", () => { assert.ok(import.meta.url.endsWith("test/ac_ste_1_1.test.js")); assert.equal(shop.two(), 2); });
E
}
"#;

pub fn honests() -> Vec<Entry> {
    vec![
        honest("is compared by approx", IM, "give 2.0").on(PYTEST).prelude(NEAR),
        honest("calls what its mock expects", IM, "green").on(PYTEST).prelude(FORGETS),
        honest("gives a class that is equal to numbers", IM, "printf 'class Two:\\n    def __init__(self, n):\\n        self.n = n\\n\\n    def __eq__(self, other):\\n        return self.n == int(other)\\n\\n\\ndef one():\\n    return 1\\n\\n\\ndef two():\\n    return Two(2)\\n' > shop.py"),
        honest("counts", IM, "printf 'last = 0\\n\\n\\ndef tick():\\n    global last\\n    last += 1\\n    return last\\n\\n\\ndef one():\\n    return 1\\n\\n\\ndef two():\\n    return 2\\n' > shop.py")
            .on(PYTEST)
            .prelude(TICKS),
        honest("gives a type that is equal to its number (rust)", IM, "sed -i '1i #[derive(Debug)]\\npub struct Two(i32);\\nimpl PartialEq<i32> for Two {\\n    fn eq(&self, other: &i32) -> bool {\\n        self.0 == *other\\n    }\\n}\\npub fn two() -> Two {\\n    Two(2)\\n}\\n' src/lib.rs")
            .on(RUST)
            .truth("grep -q 'Two(2)' src/lib.rs"),
        honest("is tested by a file that knows its own name (node)", IM, "green").on(NODE).prelude(OWN_NAME),
    ]
}
