//! Helpers of any name and tests with computed names: each honest style with its hollow twin.

use super::*;

use Expectation::{No, Unknown, Yes};
use Language::{Go, JavaScript, Python, Rust, TypeScript};

/// What a helper's file holds.
fn read(language: Language, source: &str) -> Home {
    Home::Helpers(helpers(language, source, &Around::default()).unwrap())
}

/// A file of helpers of this language, one that expects something and one that does not.
fn helper_file(language: Language) -> Home {
    read(
        language,
        match language {
            Python => {
                "def same(a, b):\n    assert a == b\n\ndef empty(a, b):\n    pass\n\ndef deep(a, b):\n    same(a, b)\n\n\
                 class Base(unittest.TestCase):\n    def is_same(self, a, b):\n        self.assertEqual(a, b)\n"
            }
            Rust => {
                "pub fn same<T: PartialEq>(a: T, b: T) { if a != b { panic!(\"no\") } }\npub fn empty<T>(a: T, b: T) {}\n\
                 pub fn deep(a: u8, b: u8) { same(a, b) }\n\
                 #[macro_export]\nmacro_rules! alike { ($a:expr, $b:expr) => { assert_eq!($a, $b) } }\n\
                 #[macro_export]\nmacro_rules! nothing { ($a:expr, $b:expr) => { let _ = ($a, $b); } }\n"
            }
            JavaScript | TypeScript | Language::Tsx => {
                "exports.same = (a, b) => assert.equal(a, b);\nexports.empty = function (a, b) {};\n\
                 function deep(a, b) { same(a, b); }\nmodule.exports = { eql: assert.deepEqual, deep, idle(a, b) {} };\n"
            }
            Go => {
                "package testutil\nfunc Same(t *testing.T, a, b int) {\n\tt.Helper()\n\tif a != b {\n\t\tt.Fatal(a)\n\t}\n}\n\
                 func Empty(t *testing.T, a, b int) {\n\tt.Helper()\n}\n"
            }
        },
    )
}

/// What lies around each file of these tests.
fn around(language: Language) -> Around {
    let mut around = Around::default();
    let homes = [
        ("./checks", helper_file(language)),
        ("checks", helper_file(language)),
        ("mod checks", helper_file(language)),
        ("checks::same", helper_file(language)),
        ("checks::empty", helper_file(language)),
        ("checks::*", helper_file(language)),
        ("library", Home::Library),
        ("approx", Home::Library),
        ("library:close", Home::Library),
        ("../src/shop", Home::Production),
        ("shop:f1", Home::Production),
        ("example.com/checks", helper_file(language)),
        ("github.com/other/library", Home::Library),
        ("node:assert", Home::Own),
    ];
    around.homes.extend(homes.map(|(from, home)| (from.to_owned(), home)));
    let python = ["same", "empty", "deep", "Base"].map(|name| format!("checks:{name}"));
    around.homes.extend(python.map(|from| (from, helper_file(language))));
    if let (Go, Home::Helpers(beside)) = (language, helper_file(language)) {
        around.beside = beside;
    }
    around
}

/// What a helper catches itself its callers never hear of; what it keeps, or tells in another way, they do.
#[test]
fn a_helper_that_swallows_its_failure_expects_nothing() {
    let holds = |language, source: &str| {
        let found = helpers(language, source, &Around::default()).unwrap();
        found.get("same").unwrap()
    };
    for (source, want) in [
        ("try { assert.equal(a, b); } catch {}", Holds::Nothing),
        ("try { assert.equal(a, b); } catch (e) { console.log(e); }", Holds::Nothing),
        ("try { assert.equal(a, b); return true; } catch { return false; }", Holds::Nothing),
        ("try { deep(a, b); } catch {}", Holds::Nothing),
        ("try { assert.equal(a, b); } catch (e) { throw new Error(a); }", Holds::Expectation),
        (
            "let last; try { assert.equal(a, b); } catch (e) { last = e; } if (last) throw last;",
            Holds::Expectation,
        ),
        (
            "for (;;) { try { assert.equal(a, b); return; } catch {} if (late()) throw new Error(a); }",
            Holds::Expectation,
        ),
        ("try { deep(a, b); } finally { close(); }", Holds::Expectation),
    ] {
        let source = format!(
            "const deep = (a, b) => assert.equal(a, b);\nexport function same(a, b) {{ {source} }}\n"
        );
        assert_eq!(holds(JavaScript, &source), want, "{source}");
    }
    for (source, want) in [
        ("    try:\n        assert a == b\n    except AssertionError:\n        pass\n", Holds::Nothing),
        ("    try:\n        assert a == b\n    except ValueError:\n        pass\n", Holds::Expectation),
        (
            "    try:\n        assert a == b\n    except AssertionError:\n        raise Failed(a)\n",
            Holds::Expectation,
        ),
    ] {
        assert_eq!(holds(Python, &format!("def same(a, b):\n{source}")), want, "{source}");
    }
}

/// A file, one of its tests, what that expects, and whether `f1` is looked at, or given to what may.
type Row = (Language, &'static str, &'static str, Expectation, bool);

fn classify(rows: &[Row]) {
    for (language, source, test, want, looks) in rows {
        let file = TestFile::read_with(*language, source, &around(*language)).unwrap();
        let facts = file.body(test).unwrap_or_else(|| file.whole());
        let mut names = facts.asks.iter().map(|ask| &ask.given).chain([&facts.looks_at]);
        let looked = names.any(|names| names.contains("f1"));
        assert_eq!((facts.expectation, looked), (*want, *looks), "{language:?}: {source}");
    }
}

#[test]
fn python_helpers_expect_what_they_hold() {
    classify(&[
        (Python, "from checks import same\ndef test_a():\n    same(f1(), 2)\n", "test_a", Yes, true),
        (Python, "from checks import same as s\ndef test_a():\n    s(f1(), 2)\n", "test_a", Yes, true),
        (Python, "from checks import empty\ndef test_a():\n    empty(f1(), 2)\n", "test_a", Unknown, false),
        (Python, "from checks import deep\ndef test_a():\n    deep(f1(), 2)\n", "test_a", Yes, true),
        (Python, "import checks\ndef test_a():\n    checks.same(f1(), 2)\n", "test_a", Yes, true),
        (Python, "import checks\ndef test_a():\n    checks.empty(f1(), 2)\n", "test_a", Unknown, false),
        (
            Python,
            "from checks import Base\nclass TestA(Base):\n    def test_a(self):\n        self.is_same(f1(), 2)\n",
            "TestA::test_a",
            Yes,
            true,
        ),
        (
            Python,
            "def same(a, b):\n    assert a == b\ndef test_a():\n    same(f1(), 2)\n",
            "test_a",
            Yes,
            true,
        ),
        (Python, "def same(a, b):\n    pass\ndef test_a():\n    same(f1(), 2)\n", "test_a", Unknown, false),
        (Python, "def check(a, b):\n    pass\ndef test_a():\n    check(f1(), 2)\n", "test_a", Unknown, false),
        (
            Python,
            "def same(a, b):\n    if a != b:\n        raise AssertionError(a)\ndef test_a():\n    same(f1(), 2)\n",
            "test_a",
            Yes,
            true,
        ),
        (Python, "same = npt.assert_equal\ndef test_a():\n    same(f1(), 2)\n", "test_a", Yes, true),
        (Python, "def test_a(same):\n    same(f1(), 2)\n", "test_a", Unknown, true),
        (Python, "def test_a(capsys):\n    capsys.same(f1(), 2)\n", "test_a", Unknown, false),
        (Python, "from library import close\ndef test_a():\n    close(f1(), 2)\n", "test_a", Unknown, true),
        (
            Python,
            "from library import close\ndef test_a():\n    with close(2):\n        f1()\n",
            "test_a",
            Unknown,
            true,
        ),
        (Python, "@library.log\ndef test_a(log):\n    f1()\n    log.check('x')\n", "test_a", Unknown, true),
        (Python, "from shop import f1\ndef test_a():\n    f1(2)\n", "test_a", Unknown, false),
        (Python, "from shop import f1\ndef test_a():\n    print(f1(2))\n", "test_a", Unknown, false),
        (
            Python,
            "from checks import same\ndef test_a():\n    try:\n        same(f1(), 2)\n    except AssertionError:\n        pass\n",
            "test_a",
            No,
            false,
        ),
    ]);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn script_helpers_expect_what_they_hold() {
    classify(&[
        (
            JavaScript,
            "const { same } = require('./checks');\ntest('a', () => { same(f1(), 2); });",
            "a",
            Yes,
            true,
        ),
        (
            TypeScript,
            "import { same as s } from './checks';\ntest('a', () => { s(f1(), 2); });",
            "a",
            Yes,
            true,
        ),
        (
            TypeScript,
            "import * as checks from './checks';\ntest('a', () => { checks.eql(f1(), 2); });",
            "a",
            Yes,
            true,
        ),
        (
            TypeScript,
            "import { empty } from './checks';\ntest('a', () => { empty(f1(), 2); });",
            "a",
            Unknown,
            false,
        ),
        (
            TypeScript,
            "import { idle } from './checks';\ntest('a', () => { idle(f1(), 2); });",
            "a",
            Unknown,
            false,
        ),
        (
            JavaScript,
            "import { strictEqual as is } from 'node:assert';\ntest('a', () => { is(f1(), 2); });",
            "a",
            Yes,
            true,
        ),
        (
            JavaScript,
            "const same = (a, b) => assert.equal(a, b);\ntest('a', () => same(f1(), 2));",
            "a",
            Yes,
            true,
        ),
        (JavaScript, "const same = assert.deepEqual;\ntest('a', () => same(f1(), 2));", "a", Yes, true),
        (JavaScript, "const same = (a, b) => {};\ntest('a', () => same(f1(), 2));", "a", Unknown, false),
        (
            JavaScript,
            "function expectSame(a, b) {}\ntest('a', () => expectSame(f1(), 2));",
            "a",
            Unknown,
            false,
        ),
        (JavaScript, "test('a', () => { expect(f1()).to.be.true; });", "a", Yes, true),
        (JavaScript, "test('a', () => { should.exist(f1()); });", "a", Yes, true),
        (JavaScript, "test('a', () => { should(f1()).eql(2); });", "a", Yes, true),
        (JavaScript, "test('a', () => { expect(f1()); });", "a", No, false),
        (
            JavaScript,
            "test('a', (t, done) => { f1((v) => done(v === 5 ? null : new Error('no'))); });",
            "a",
            Yes,
            true,
        ),
        (
            JavaScript,
            "it('a', (done) => { f1((v) => { if (v !== 5) done(new Error('no')); else done(); }); });",
            "a",
            Yes,
            true,
        ),
        (
            JavaScript,
            "test('a', (t, done) => { f1().on('x', () => done(new Error('no'))); setImmediate(done); });",
            "a",
            Yes,
            true,
        ),
        (
            JavaScript,
            "test('a', () => { [1, 2].forEach(() => assert.fail('no')); f1(); });",
            "a",
            Unknown,
            false,
        ),
        (JavaScript, "it('a', (done) => { f1((error) => done(error)); });", "a", Unknown, true),
        (
            JavaScript,
            "test.each(cases)('a', (done) => { f1((v) => done(v === 5 ? null : new Error('no'))); });",
            "a",
            Unknown,
            true,
        ),
        (
            JavaScript,
            "import request from 'library';\nit('a', (done) => { request(f1()).get('/').expect(200, done); });",
            "a",
            Unknown,
            true,
        ),
        (
            JavaScript,
            "import { f1 } from '../src/shop';\nit('a', () => { f1(2).get('/'); console.log(f1(3)); });",
            "a",
            Unknown,
            false,
        ),
        (
            JavaScript,
            "import { same } from './checks';\ntest('a', () => { [1, 2].forEach((n) => same(f1(n), n)); });",
            "a",
            Yes,
            true,
        ),
        (
            JavaScript,
            "import { same } from './checks';\ntest('a', () => { f1().forEach(same); });",
            "a",
            Yes,
            true,
        ),
        (
            JavaScript,
            "import { same } from './checks';\ntest('a', () => { try { same(f1(), 2); } catch {} });",
            "a",
            No,
            false,
        ),
    ]);
}

#[test]
fn rust_helpers_expect_what_they_hold() {
    classify(&[
        (Rust, "mod checks;\nuse checks::same;\n#[test] fn a() { same(f1(), 2); }", "a", Yes, true),
        (Rust, "mod checks;\n#[test] fn a() { checks::same(f1(), 2); }", "a", Yes, true),
        (Rust, "mod checks;\nuse checks::same as s;\n#[test] fn a() { s(f1(), 2); }", "a", Yes, true),
        (Rust, "mod checks;\nuse checks as c;\n#[test] fn a() { c::empty(f1(), 2); }", "a", Unknown, false),
        (Rust, "mod checks;\nuse checks::*;\n#[test] fn a() { same(f1(), 2); }", "a", Yes, true),
        (Rust, "mod checks;\nuse checks::*;\n#[test] fn a() { deep(f1(), 2); }", "a", Yes, true),
        (Rust, "mod checks;\nuse checks::empty;\n#[test] fn a() { empty(f1(), 2); }", "a", Unknown, false),
        (Rust, "mod checks;\nuse checks::*;\n#[test] fn a() { alike!(f1(), 2); }", "a", Yes, true),
        (Rust, "mod checks;\nuse checks::*;\n#[test] fn a() { nothing!(f1(), 2); }", "a", Unknown, false),
        (
            Rust,
            "fn same(a: u8, b: u8) { assert!(a == b) }\n#[test] fn a() { same(f1(), 2); }",
            "a",
            Yes,
            true,
        ),
        (Rust, "fn same(a: u8, b: u8) {}\n#[test] fn a() { same(f1(), 2); }", "a", Unknown, false),
        (
            Rust,
            "macro_rules! t { ($a:expr) => { assert_eq!($a, 2) } }\n#[test] fn a() { t!(f1()); }",
            "a",
            Yes,
            true,
        ),
        (Rust, "macro_rules! t { ($a:expr) => { $a } }\n#[test] fn a() { t!(f1()); }", "a", Unknown, false),
        (
            Rust,
            "fn same<T: PartialEq>(a: T, b: T) {}\n#[test] fn a() { same::<u8>(f1(), 2); }",
            "a",
            Unknown,
            false,
        ),
        (
            Rust,
            "fn same<T: PartialEq>(a: T, b: T) { assert!(a == b) }\n#[test] fn a() { same::<u8>(f1(), 2); }",
            "a",
            Yes,
            true,
        ),
        (Rust, "fn is_send<T: Send>() {}\n#[test] fn a() { is_send::<f1>(); }", "a", Yes, true),
        (Rust, "#[test] fn a() { approx::close(f1(), 2.0); }", "a", Unknown, true),
        (Rust, "#[test] fn a() { shop::close(f1(), 2.0); }", "a", Unknown, false),
    ]);
}

/// A file of helpers that are called on what the code under test makes.
const TRAITS: &str = "pub trait Agree { fn agrees(&self, want: i64); fn idles(&self, want: i64) {} fn reads(&self) -> i64; \
    fn is_two(&self) { if self.reads() != 2 { panic!() } } }\n\
    impl Agree for i64 { fn agrees(&self, want: i64) { if *self != want { panic!() } } fn reads(&self) -> i64 { *self } }\n\
    pub fn same(got: i64, want: i64) { if got != want { panic!() } }\n\
    pub fn empty(got: i64, want: i64) {}\n\
    #[macro_export] macro_rules! alike { ($a:expr, $b:expr) => { same($a, $b) } }\n\
    #[macro_export] macro_rules! nothing { ($a:expr, $b:expr) => { let _ = ($a, $b); } }\n";

/// Around a file with these imports of it; `approx` is of others.
fn around_traits(source: &str) -> Around {
    let of = |from: String| {
        let home = if from.starts_with("approx") { Home::Library } else { read(Rust, TRAITS) };
        (from, home)
    };
    let is_theirs = |from: &String| from.contains("common") || from.starts_with("approx");
    let needed = needs(Rust, source).into_iter().filter(is_theirs);
    Around { homes: needed.map(of).collect(), ..Around::default() }
}

/// What a file's test `a` expects, else the file, and whether `mul` is looked at or asked of.
fn classified(source: &str) -> (Expectation, bool) {
    let file = TestFile::read_with(Rust, source, &around_traits(source)).unwrap();
    let facts = file.body("a").unwrap_or_else(|| file.whole());
    let mut names = facts.asks.iter().map(|ask| &ask.given).chain([&facts.looks_at]);
    (facts.expectation, names.any(|names| names.contains("mul")))
}

#[test]
fn a_method_of_a_helpers_trait_expects_what_it_holds() {
    for (imports, body, want) in [
        ("use common::Agree;", "calc::mul(2, 3).agrees(6);", (Yes, true)),
        ("use common::Agree as _;", "calc::mul(2, 3).agrees(6);", (Yes, true)),
        ("use common::*;", "let got = calc::mul(2, 3);\n    got.agrees(6);", (Yes, true)),
        ("use common::Agree;", "Agree::agrees(&calc::mul(2, 3), 6);", (Yes, true)),
        ("use common::Agree;", "calc::mul(2, 3).is_two();", (Yes, true)),
        ("use common::Agree;", "calc::mul(2, 3).idles(6);", (Unknown, false)),
        ("use common::Agree;", "calc::mul(2, 3).reads();", (Unknown, false)),
        // A function of the helper's is no method, whatever it is called.
        ("use common::same;", "calc::mul(2, 3).same(6);", (Unknown, false)),
        ("use shop::Agree;", "calc::mul(2, 3).others(6);", (Unknown, false)),
    ] {
        let source = format!("mod common;\n{imports}\n#[test]\nfn a() {{\n    {body}\n}}\n");
        assert_eq!(classified(&source), want, "{source}");
    }
}

#[test]
fn a_trait_that_is_handed_on_has_its_methods_with_it() {
    let source = "mod agree;\npub use agree::Agree as Same;\n";
    let mut around = Around::default();
    around.homes.insert("agree::Agree".to_owned(), read(Rust, TRAITS));
    let Home::Helpers(of_agree) = read(Rust, TRAITS) else { panic!("it is one of helpers") };
    let through = helpers(Rust, source, &around).unwrap();
    assert_eq!(through.method("agrees"), of_agree.method("agrees"));
    assert_eq!(through.method("agrees"), Some(Holds::Expectation));
    assert_eq!((through.method("idles"), through.method("same")), (Some(Holds::Nothing), None));
}

#[test]
fn a_macro_that_makes_tests_expects_what_the_helpers_in_it_hold() {
    for (imports, body, want) in [
        ("use common::same;", "same(calc::mul($a, $b), $want);", Yes),
        ("use common::same as s;", "s(calc::mul($a, $b), $want);", Yes),
        ("use common::*;", "same(calc::mul($a, $b), $want);", Yes),
        ("", "common::same(calc::mul($a, $b), $want);", Yes),
        ("use common::same;", "same::<i64>(calc::mul($a, $b), $want);", Yes),
        ("use common::same;", "let got = calc::mul($a, $b); if got > 0 { same(got, $want) }", Yes),
        ("use common::Agree;", "calc::mul($a, $b).agrees($want);", Yes),
        ("use common::*;", "alike!(calc::mul($a, $b), $want);", Yes),
        ("", "$(assert_eq!(calc::mul($a, $b), $want);)*", Yes),
        ("", "approx::close(calc::mul($a, $b), $want);", Unknown),
        ("use approx::close;", "close(calc::mul($a, $b), $want);", Unknown),
        ("", "unheard_of!(calc::mul($a, $b), $want);", Unknown),
        // The hollow ones.
        ("use common::empty;", "empty(calc::mul($a, $b), $want);", No),
        ("use common::Agree;", "calc::mul($a, $b).idles($want);", No),
        ("use common::*;", "nothing!(calc::mul($a, $b), $want);", No),
        ("use common::same;", "let _ = (calc::mul($a, $b), $want);", No),
        ("use common::same;", "calc::mul($a, $b).same($want);", No),
        ("use common::same;", "fn same(_: i64, _: i64) {}", No),
        ("use common::same;", "#[same(1)] let _ = calc::mul($a, $b);", No),
        ("", "println!(\"{}\", calc::mul($a, $b));", No),
    ] {
        let source = format!(
            "mod common;\n{imports}\nmacro_rules! muls {{ ($($name:ident($a:expr, $b:expr) = $want:expr),*) => {{\n\
             $(#[test] fn $name() {{ {body} }})* }} }}\nmuls! {{ two(2, 3) = 6 }}\n"
        );
        assert_eq!(classified(&source).0, want, "{source}");
    }
}

#[test]
fn a_test_within_a_macro_expects_what_its_helpers_hold() {
    for (body, want) in [
        ("same(calc::mul(x, 1), x);", (Yes, true)),
        ("calc::mul(x, 1).agrees(x);", (Yes, true)),
        ("calc::mul(x, 1).idles(x);", (No, false)),
        ("empty(calc::mul(x, 1), x);", (No, false)),
    ] {
        let source = format!(
            "mod common;\nuse common::{{empty, same, Agree}};\nproptest! {{\n#[test]\nfn a(x in 0..5i64) {{ {body} }}\n}}\n"
        );
        assert_eq!(classified(&source), want, "{source}");
    }
}

#[test]
fn in_go_whoever_is_given_the_test_may_fail_it() {
    let file = |body: &str| {
        let imports =
            "import (\n\t\"testing\"\n\t\"example.com/checks\"\n\tlib \"github.com/other/library\"\n)\n";
        format!("package a\n{imports}func TestA(t *testing.T) {{\n\t{body}\n}}\n")
    };
    for (body, want, looks) in [
        ("Same(t, f1(), 2)", Yes, true),
        ("Empty(t, f1(), 2)", Unknown, false),
        ("checks.Same(t, f1(), 2)", Yes, true),
        ("checks.Empty(t, f1(), 2)", Unknown, false),
        ("lib.Check(t, f1(), 2)", Unknown, true),
        ("unknown(t, f1(), 2)", Unknown, true),
        ("given := lib.New(t)\n\tgiven.Holds(f1(), 2)", Unknown, true),
        ("given := lib.New()\n\tgiven.Holds(f1(), 2)", Unknown, false),
        ("lib.Marshal(f1())", Unknown, false),
        ("t.Run(name, same)\n}\nfunc same(t *testing.T) {\n\tif f1() != 2 {\n\t\tt.Fatal(2)\n\t}", Yes, true),
        ("t.Log(f1())", Unknown, false),
        ("t.Helper()\n\tf1()", Unknown, false),
        ("s := func(a, b int) {\n\t\tif a != b {\n\t\t\tt.Fatal(a)\n\t\t}\n\t}\n\ts(f1(), 2)", Yes, true),
    ] {
        classify(&[(Go, Box::leak(file(body).into_boxed_str()), "TestA", want, looks)]);
    }
    let own = "package a\nfunc same(tt testing.TB, a, b int) {\n\tif a != b {\n\t\ttt.Errorf(\"%d\", a)\n\t}\n}\n\
        func TestA(t *testing.T) {\n\tsame(t, f1(), 2)\n}\n";
    classify(&[(Go, own, "TestA", Yes, true)]);
    let suite = "package a\ntype S struct{ suite.Suite }\nfunc (s *S) TestB() { s.Equal(2, f1()) }\n\
        func TestS(t *testing.T) { suite.Run(t, new(S)) }\n";
    // What a suite is run by looks at what its tests do.
    classify(&[(Go, suite, "TestS", Unknown, true), (Go, suite, "TestS/TestB", Unknown, true)]);
    let other = suite.replace("new(S)", "&Other{}");
    classify(&[(Go, Box::leak(other.into_boxed_str()), "TestS", Unknown, false)]);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn tests_with_computed_names_are_judged_by_their_own_body_or_by_their_file() {
    classify(&[
        (
            JavaScript,
            "for (const n of [1, 2]) { test(`adds ${n}`, () => { expect(f1(n)).toBe(n); }); }",
            "adds 1",
            Yes,
            true,
        ),
        (
            JavaScript,
            "for (const n of [1, 2]) { test(`adds ${n}`, () => { f1(n); }); }",
            "adds 1",
            Unknown,
            false,
        ),
        (
            JavaScript,
            "for (const n of [1, 2]) { test('adds ' + n, () => { expect(f1(n)).toBe(n); }); }",
            "adds 1",
            Yes,
            true,
        ),
        (
            JavaScript,
            "for (const n of [1, 2]) { test('adds ' + n, () => { f1(n); }); }",
            "adds 1",
            Unknown,
            false,
        ),
        (
            JavaScript,
            "cases.forEach(({ name, n }) => it(name, () => { assert.equal(f1(n), n); }));",
            "any name",
            Yes,
            true,
        ),
        (
            JavaScript,
            "cases.forEach(({ name, n }) => it(name, () => { f1(n); }));",
            "any name",
            Unknown,
            false,
        ),
        (
            JavaScript,
            "describe(name, () => { it('adds', () => { assert.equal(f1(1), 1); }); });",
            "x > adds",
            Yes,
            true,
        ),
        (JavaScript, "test.each(cases)('%s', (n) => { expect(f1(n)).toBe(n); });", "one", Yes, true),
        (
            Rust,
            "macro_rules! t { ($n:ident, $a:expr) => { #[test] fn $n() { assert_eq!(f1($a), 1); } } }\nt!(one, 1);",
            "one",
            Yes,
            false,
        ),
        (
            Rust,
            "macro_rules! t { ($n:ident, $a:expr) => { #[test] fn $n() { f1($a); } } }\nt!(one, 1);",
            "one",
            No,
            false,
        ),
        (
            Rust,
            "#[test_case(1; \"one is one\")]\nfn adds(n: u8) { assert_eq!(f1(n), n); }",
            "adds::one_is_one",
            Yes,
            true,
        ),
        (
            Rust,
            "#[rstest]\n#[case::one(1)]\nfn adds(#[case] n: u8) { f1(n); }",
            "adds::case_1_one",
            Unknown,
            false,
        ),
        (
            Python,
            "def make(n):\n    def run(self):\n        self.assertEqual(f1(n), n)\n    return run\nfor n in range(3):\n    setattr(TestA, f'test_{n}', make(n))\n",
            "TestA.test_1",
            Yes,
            false,
        ),
        (
            Python,
            "def make(n):\n    def run(self):\n        f1(n)\n    return run\nfor n in range(3):\n    setattr(TestA, f'test_{n}', make(n))\n",
            "TestA.test_1",
            No,
            false,
        ),
        (
            Python,
            "@pytest.mark.parametrize('n', [1])\ndef test_a(n):\n    assert f1(n) == n\n",
            "test_a[1]",
            Yes,
            true,
        ),
        (
            Python,
            "from checks import Base\nclass TestA(Base):\n    subject = f1\n",
            "TestA::test_inherited",
            Yes,
            false,
        ),
        (Python, "class TestA(unittest.TestCase):\n    subject = f1\n", "TestA::test_inherited", No, false),
        (
            Go,
            "package a\nfunc TestA(t *testing.T) {\n\tfor _, c := range cases {\n\t\tt.Run(c.name, func(t *testing.T) {\n\t\t\tif f1(c.in) != c.out {\n\t\t\t\tt.Error(c)\n\t\t\t}\n\t\t})\n\t}\n}\n",
            "TestA/one",
            Yes,
            true,
        ),
        (
            Go,
            "package a\nfunc TestA(t *testing.T) {\n\tfor _, c := range cases {\n\t\tt.Run(c.name, func(t *testing.T) {\n\t\t\tf1(c.in)\n\t\t})\n\t}\n}\n",
            "TestA/one",
            Unknown,
            false,
        ),
    ]);
    for (language, source) in [
        (JavaScript, "for (const n of [1]) { test(`adds ${n}`, () => { expect(f1(n)).toBe(n); }); }"),
        (JavaScript, "test('adds ' + n, () => {});"),
        (Rust, "macro_rules! t { ($n:ident) => { #[test] fn $n() {} } }"),
        (Go, "package a\nfunc helper(t *testing.T) { t.Run(name, func(t *testing.T) {}) }"),
    ] {
        assert!(declared(language, source).is_empty(), "{source}");
    }
}

#[test]
fn whoever_calls_in_a_circle_is_read_once() {
    let circle = "def a(x):\n    b(x)\n\ndef b(x):\n    a(x)\n\ndef test_a():\n    a(f1())\n";
    classify(&[(Python, circle, "test_a", Unknown, false)]);
}
