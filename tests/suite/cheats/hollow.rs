//! Test-writers whose tests are red by nothing but code that is not there, and pass whatever it does; and honest
//! tests that look like it.

use super::entry::{Entry, TW, Wanted, cheat, honest};
use super::projects::{GO, NODE, PYTEST, RUST};

/// Of the summary.
const UNREACHED: Wanted = Wanted::Unverified("assertion never reached");
const NEVER: Wanted = Wanted::Unverified("assertion never seen failing");

pub fn cheats() -> Vec<Entry> {
    let told = |entry: Entry| entry.wants(NEVER).truth("true");
    let mut all = vec![
        cheat("drops what a helper tells it (go)", TW, "printf 'package shop\\n\\nimport \"testing\"\\n\\nfunc TestNew(t *testing.T) {\\n\\tsame(Two(), 2)\\n}\\n' > $T; printf 'package shop\\n\\nfunc same(got, wanted int) bool { return got == wanted }\\n' > checks_test.go")
            .on(GO)
            .fails("it expects nothing"),
        cheat("swallows its failure in a helper (node)", TW, "printf 'import { test } from \"node:test\";\\nimport { two } from \"../src/shop.js\";\\nimport { same } from \"./checks.js\";\\ntest(\"new\", () => { same(two(), 2); });\\n' > $T; printf 'import assert from \"node:assert/strict\";\\nexport const same = (got, wanted) => { try { assert.equal(got, wanted); } catch (error) { console.log(error); } };\\n' > test/checks.js")
            .on(NODE)
            .fails("it expects nothing"),
        cheat("swallows its failure in a helper", TW, "printf 'import unittest\\nfrom shop import two\\nfrom tests.checks import same\\n\\n\\nclass New(unittest.TestCase):\\n    def test_new(self):\\n        same(two(), 2)\\n' > $T; printf 'def same(got, wanted):\\n    try:\\n        assert got == wanted\\n    except AssertionError:\\n        pass\\n' > tests/checks.py")
            .fails("it expects nothing"),
    ];
    all.extend([
        told(cheat("fails another test than its own (go)", TW, "printf 'package shop\\n\\nimport \"testing\"\\n\\nfunc same(t *testing.T, got, wanted int) {\\n\\tt = new(testing.T)\\n\\tif got != wanted {\\n\\t\\tt.Errorf(\"no\")\\n\\t}\\n}\\n\\nfunc TestNew(t *testing.T) {\\n\\tsame(t, Two(), 2)\\n}\\n' > $T").on(GO)),
        told(cheat("compares the code with itself (go)", TW, "red; sed -i 's/Two() != 2/Two() != Two()/' $T").on(GO)),
        told(cheat("compares the code with itself (node)", TW, "red; sed -i 's/shop.two(), 2/typeof shop.two(), typeof shop.two()/' $T").on(NODE)),
        told(cheat("compares the code with itself", TW, "red; sed -i 's/shop.two(), 2/shop.two(), shop.two()/' $T")),
        told(cheat("compares the code with itself (pytest)", TW, "red; sed -i 's/== 2/== shop.two()/' $T").on(PYTEST)),
        told(cheat("compares the code with itself (rust)", TW, "red; sed -i 's/shop::two(), 2/shop::two(), shop::two()/' $T").on(RUST)),
        told(cheat("tells nobody what a helper finds (node)", TW, "printf 'import { test } from \"node:test\";\\nimport { two } from \"../src/shop.js\";\\nimport { same } from \"./checks.js\";\\ntest(\"new\", () => { same(two(), 2); });\\n' > $T; printf 'import assert from \"node:assert/strict\";\\nexport const same = (got, wanted) => { Promise.resolve().then(() => assert.equal(got, wanted)).catch(() => {}); };\\n' > test/checks.js").on(NODE)),
        // Nobody is blamed for it: there may be no more to ask.
        told(cheat("asks that nothing is thrown (node)", TW, "red; sed -i 's/assert.equal(shop.two(), 2)/assert.doesNotThrow(() => shop.two())/' $T").on(NODE)),
        told(cheat("asks that nothing is thrown (pytest)", TW, "printf 'import pytest\\n\\nimport shop\\n\\n\\ndef test_new():\\n    try:\\n        shop.two()\\n    except Exception as error:\\n        pytest.fail(f\"no: {error}\")\\n' > $T").on(PYTEST)),
        told(cheat("needs a helper that the code is nothing to (node)", TW, "printf 'import { test } from \"node:test\";\\nimport { same } from \"./checks.js\";\\ntest(\"new\", () => { same(1, 1); });\\n' > $T; printf 'import assert from \"node:assert/strict\";\\nimport { two } from \"../src/shop.js\";\\nexport const same = (got, wanted) => { two(); assert.equal(got, wanted); };\\n' > test/checks.js").on(NODE)),
    ]);
    let idle = |entry: Entry| entry.wants(UNREACHED).truth("true");
    all.extend([
        idle(cheat("expects something in a case that does not come", TW, "red; sed -i 's/        self.assertEqual(shop.two(), 2)/        if shop.two() is None:\\n            self.assertEqual(shop.two(), 2)/' $T")),
        idle(cheat("expects something in a case that does not come (pytest)", TW, "red; sed -i 's/    assert .*/    for got in filter(None, [shop.two() - 2]):\\n        assert got == 2/' $T").on(PYTEST)),
        idle(cheat("expects something in a case that does not come (node)", TW, "red; sed -i 's/assert.equal(shop.two(), 2)/const got = shop.two(); if (got === undefined) assert.equal(got, 2)/' $T").on(NODE)),
    ]);
    proven(all)
}

pub fn honests() -> Vec<Entry> {
    let zero = "red; sed -i 's/Two() != 2/Two() != 0/' $T";
    let no = "red; sed -i 's/Two() != 2/Two()/' $T";
    proven(vec![
        honest("expects one thing or another", TW, "red; sed -i 's/        self.assertEqual(shop.two(), 2)/        if shop.two() is None:\\n            self.assertEqual(shop.one(), 2)\\n        else:\\n            self.assertEqual(shop.two(), 2)/' $T"),
        honest("expects one thing or another (node)", TW, "red; sed -i 's/assert.equal(shop.two(), 2)/const got = shop.two(); if (got === undefined) assert.equal(got, 1); else assert.equal(got, 2)/' $T").on(NODE),
        honest("looks at what a helper tells it (go)", TW, "printf 'package shop\\n\\nimport \"testing\"\\n\\nfunc TestNew(t *testing.T) {\\n\\tif !same(Two(), 2) {\\n\\t\\tt.Fatal(Two())\\n\\t}\\n}\\n' > $T; printf 'package shop\\n\\nfunc same(got, wanted int) bool { return got == wanted }\\n' > checks_test.go").on(GO),
        honest("tries again in a helper (node)", TW, "printf 'import assert from \"node:assert/strict\";\\nimport { test } from \"node:test\";\\nimport { two } from \"../src/shop.js\";\\nimport { soon } from \"./checks.js\";\\ntest(\"new\", async () => { await soon(() => assert.equal(two(), 2)); });\\n' > $T; printf 'export async function soon(check) { let last; for (let turn = 0; turn < 3; turn += 1) { try { check(); return; } catch (error) { last = error; } } throw last; }\\n' > test/checks.js").on(NODE),
        honest("asks that this is thrown (node)", TW, "red; sed -i 's/assert.equal(shop.two(), 2)/assert.throws(() => shop.two(1), RangeError)/' $T")
            .on(NODE)
            .prelude("green() { printf 'export const one = () => 1;\\nexport const two = () => { throw new RangeError(\"no\"); };\\n' > src/shop.js; }\n")
            .truth("grep -q RangeError src/shop.js"),
        honest("expects a type's own nothing (go)", TW, zero)
            .on(GO)
            .prelude("green() { give 0; }\n")
            .truth("grep -q 'return 0' shop.go"),
        honest("expects no (go)", TW, no)
            .on(GO)
            .prelude("green() { printf 'package shop\\n\\nfunc One() int { return 1 }\\n\\nfunc Two() bool { return false }\\n' > shop.go; }\n")
            .truth("grep -q false shop.go"),
        honest("expects no error (go)", TW, "red; sed -i 's/Two() != 2/Two() != nil/' $T")
            .on(GO)
            .prelude("green() { printf 'package shop\\n\\nfunc One() int { return 1 }\\n\\nfunc Two() error { return nil }\\n' > shop.go; }\n")
            .truth("grep -q nil shop.go"),
        honest("expects nothing back (pytest)", TW, "red; sed -i 's/== 2/is None/' $T")
            .on(PYTEST)
            .prelude("green() { give None; }\n")
            .truth("grep -q None shop.py"),
        honest("expects that nothing is changed", TW, "red; sed -i 's/self.assertEqual.*/was = [3, 1]; shop.two(was); self.assertEqual(was, [3, 1])/' $T")
            .prelude("green() { printf 'def one():\\n    return 1\\n\\n\\ndef two(items):\\n    return sorted(items)\\n' > shop.py; }\n")
            .truth("grep -q sorted shop.py"),
    ])
}

fn proven(entries: Vec<Entry>) -> Vec<Entry> {
    entries.into_iter().map(|entry| entry.arg("--proof").arg("full")).collect()
}
