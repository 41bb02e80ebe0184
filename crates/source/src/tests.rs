use super::*;

#[test]
fn rust_tests_are_found_with_their_modules() {
    let source = r##"
// #[test] fn commented() {}
/* /* #[test] */ fn nested() {} */
const S: &str = "#[test] fn in_string() {}";
const R: &str = r#"#[test] fn " raw() {}"#;
#[test]
fn plain() { let c = '"'; let l: &'static str = "}"; assert!(true); }
#[cfg(unix)] #[tokio::test(flavor = "multi_thread")] pub async fn r#match() {}
fn helper() {}
#[derive(Debug)] struct X { test: u8 }
mod outer { #[test] #[ignore = "why"] fn a() {} mod inner { #[test] fn b() -> Result<(), ()> { Ok(()) } } }
#[test] fn last() {}
"##;
    let names = declared(Language::Rust, source).join(" ");
    assert_eq!(names, "plain r#match outer::a outer::inner::b last");
}

#[test]
fn python_tests_are_found_with_their_classes() {
    let source = "
# def test_commented(): pass
'''
def test_in_string(): pass
'''
def test_plain():
    def test_inner(): pass
    assert 1
@pytest.mark.parametrize('a', [1])
async def test_async(a): assert a
class TestA:
    def test_m(self):
        assert 1
    def helper(self): pass
    class TestInner:
        def test_deep(self): assert 1
class B(unittest.TestCase):
    def test_b(self): self.fail()
class Helper:
    def test_not(self): pass
def test_last(): pass
";
    let names = declared(Language::Python, source).join(" ");
    assert_eq!(names, "test_plain test_async TestA::test_m TestA::TestInner::test_deep B::test_b test_last");
}

#[test]
fn ac_tdd_8_129_tests_of_deno_are_tests() {
    let source = "Deno.test('half', () => same(half(4), 2));\nDeno.test.ignore('later', () => {});\nDeno.test('opts', { permissions: {} }, async (t) => {});\n\
        Deno.readTextFile('no test');\n";
    assert_eq!(declared(Language::TypeScript, source).join(", "), "half, later, opts");
}

#[test]
fn ac_tdd_8_123_the_tests_of_a_suite_are_tests_of_what_runs_it() {
    let source = "package a\ntype S struct{ suite.Suite }\ntype O struct{ suite.Suite }\n\
        func (s *S) TestB() { s.Equal(2, f1()) }\nfunc (s *S) SetupTest() {}\nfunc (o *O) TestC() {}\n\
        func TestS(t *testing.T) {\n\tt.Run(\"x\", func(t *testing.T) {})\n\tsuite.Run(t, new(S))\n}\n";
    assert_eq!(declared(Language::Go, source).join(" "), "TestS/TestB TestS TestS/x");
}

#[test]
fn javascript_tests_are_found_with_their_suites() {
    let source = r#"
// test('commented', () => {});
const s = "test('in string', () => {})"; const re = /test\('x'/;
test('plain', () => { assert.ok(true) });
test.skip("skipped", async function () {});
describe('outer', () => { it('inner', () => {}); describe(`deep`, () => { test('t', () => {}) }) });
test(`made ${1}`, () => {});
contest('no', () => {}); x.test('no', () => {});
test('parent', async (t) => { await t.test('child', () => {}) });
"#;
    let names = declared(Language::JavaScript, source).join("|");
    assert_eq!(names, "plain|skipped|outer > inner|outer > deep > t|parent|parent > child");
}

#[test]
fn a_body_that_no_code_can_pass_is_known() {
    use Language::{JavaScript, Python, Rust};
    for (language, body, want) in [
        (Rust, "todo!()", true),
        (Rust, "todo!(\"later\");", true),
        (Rust, "assert!(false);", true),
        (Rust, "assert!(false, \"no\");", true),
        (Rust, "panic!(\"red\");", true),
        (Rust, "assert_eq!(1, 2);", true),
        (Rust, "assert_eq!(1, 1);", false),
        (Rust, "assert_eq!(f(1, 2), 2);", false),
        (Rust, "assert!(f());", false),
        (Rust, "", false),
        (Python, "assert False", true),
        (Python, "assert False, 'x'", true),
        (Python, "assert 1 == 2", true),
        (Python, "pytest.fail('x')", true),
        (Python, "x = 1\n    assert x == 2", true),
        (Python, "x = 1\n    y = x\n    assert y + 1 == 3, x", true),
        (Python, "f()\n    x = 1\n    assert x == 2", true),
        (Python, "x = 1\n    self.assertEqual(x, 2)", true),
        (Python, "x = 1\n    f(x)\n    assert x == 2", false),
        (Python, "x = f()\n    assert x == 2", false),
        (Python, "a, b = 'xy'\n    assert a == 'x'\n    assert f() == 2", false),
        (Python, "x = 1\n    global x\n    assert x == 2", false),
        (Rust, "let x = 1; assert_eq!(x, 2, \"{}\", x);", true),
        (Rust, "let x = 1; let x = f(x); assert_eq!(x, 2);", false),
        (Rust, "let x = 1; assert_eq!(f(x), 2);", false),
        (JavaScript, "const x = 1; expect(x).toBe(2);", true),
        (JavaScript, "let x = 1; if (x !== 2) throw new Error('no');", true),
        (JavaScript, "let x = 1; f((y) => { x = y; }); expect(x).toBe(2);", false),
        (Language::Go, "x := 1\n\tif x != 2 {\n\t\tt.Errorf(\"%d\", x)\n\t}", true),
        (Language::Go, "x := 1\n\tf(&x)\n\tif x != 2 {\n\t\tt.Fatal(x)\n\t}", false),
        (Language::Go, "x := f()\n\tif x != 2 {\n\t\tt.Fatal(x)\n\t}", false),
        (Python, "raise NotImplementedError", true),
        (Python, "assert f() == 2", false),
        (Python, "'''doc'''\n    assert 0", true),
        (JavaScript, "assert.fail('x');", true),
        (JavaScript, "throw new Error('x')", true),
        (JavaScript, "assert.equal(1, 2)", true),
        (JavaScript, "expect(1).toBe(2);", true),
        (JavaScript, "expect(f(1)).toBe(2);", false),
        (JavaScript, "assert(false)", true),
    ] {
        let (source, test) = test_of(language, body);
        assert_eq!(facts(language, &source, test).unconditional, want, "{body}");
    }
}

#[test]
fn expectations_are_seen_and_what_may_hold_one_is_unknown() {
    use Expectation::{No, Unknown, Yes};
    use Language::{Python, Rust};
    for (language, source, test, want) in [
        (Rust, "#[test] fn t() { let a = f(); assert_eq!(a, 1); }", "t", Yes),
        (Rust, "#[test] fn t() { let _ = 1; }", "t", No),
        (Rust, "#[test] fn t() { check(); }", "t", Unknown),
        (Rust, "#[test] fn t() { let s = \"assert\"; }", "t", No),
        (
            Python,
            "class TestA:\n    def test_a(self):\n        self.assertEqual(f(), 1)\n",
            "TestA::test_a",
            Yes,
        ),
        (
            Python,
            "class TestA:\n    def test_a(self):\n        self.assertEqual(f(), 1)\n",
            "TestA.test_a",
            Yes,
        ),
        (Python, "def test_a(x):\n    assert x\n", "test_a[1-2]", Yes),
        (Python, "def test_a(): assert f() == 1\n", "test_a", Yes),
        (Python, "def test_a():\n    x = 1\n", "test_a", No),
        (Python, "def test_b():\n    assert 1\n", "test_a", Unknown),
    ] {
        assert_eq!(facts(language, source, test).expectation, want, "{source}");
    }
}

/// A body as the source of a whole test.
pub(super) fn test_of(language: Language, body: &str) -> (String, &'static str) {
    match language {
        Language::Rust => (format!("#[test] fn t() {{ {body} }}"), "t"),
        Language::Python => (format!("def test_t():\n    {body}\n"), "test_t"),
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            (format!("test('t', async () => {{ {body} }});"), "t")
        }
        Language::Go => (format!("package a\n\nfunc TestT(t *testing.T) {{\n\t{body}\n}}\n"), "TestT"),
    }
}

/// What the body of one test holds; nothing is known of one that is not found.
fn facts(language: Language, source: &str, test: &str) -> BodyFacts {
    let unknown = BodyFacts { expectation: Expectation::Unknown, ..BodyFacts::default() };
    TestFile::read(language, source).unwrap().body(test).cloned().unwrap_or(unknown)
}

/// A body, what it expects, and `f1` if an expectation looks at that.
type Row = (Language, &'static str, Expectation, &'static str);

fn classify(rows: &[Row]) {
    for (language, body, want, looked) in rows {
        let (source, test) = test_of(*language, body);
        let facts = facts(*language, &source, test);
        let mut looked_at = facts.asks.iter().map(|ask| &ask.given).chain([&facts.looks_at]);
        let looks = if looked_at.any(|names| names.contains("f1")) { "f1" } else { "" };
        assert_eq!((facts.expectation, looks), (*want, *looked), "{language:?}: {body}");
    }
}

#[test]
fn what_holds_without_the_code_is_no_expectation_in_python() {
    use Expectation::{No, Unknown, Yes};
    use Language::Python;
    classify(&[
        (Python, "shop.f1()", Unknown, ""),
        (Python, "f1()  # assert f1() == 2", Unknown, ""),
        (Python, "f1(); assert True", Unknown, ""),
        (Python, "f1()\n    assert True, 'it works'", Unknown, ""),
        (Python, "f1()\n    assert 1 == 1", Unknown, ""),
        (Python, "f1()\n    assert not False", Unknown, ""),
        (Python, "f1()\n    assert (False, 'x')", Unknown, ""),
        (Python, "f1()\n    self.assertTrue(True, msg)", Unknown, ""),
        (Python, "f1()\n    self.assertEqual(1, 1)", Unknown, ""),
        (Python, "f1()\n    x = 1\n    assert x == x", Unknown, ""),
        (Python, "f1()\n    x = 1\n    assert x == 1", Unknown, ""),
        (Python, "x = 1\n    f1(x)\n    assert x == 1", Yes, "f1"),
        (Python, "x = 0\n    if f1():\n        x = 1\n    assert x == 1", Yes, ""),
        (Python, "x = []\n    for y in f1():\n        x = 1\n    assert x == 1", Yes, ""),
        (Python, "try:\n        assert f1() == 2\n    except AssertionError:\n        pass", No, ""),
        (Python, "try:\n        assert f1() == 2\n    except:\n        print('no')", No, ""),
        (
            Python,
            "try:\n        assert f1() == 2\n    except (ValueError, Exception) as e:\n        ...",
            No,
            "",
        ),
        (Python, "try:\n        assert f1() == 2\n    finally:\n        return", No, ""),
        (Python, "with contextlib.suppress(AssertionError):\n        assert f1() == 2", No, ""),
        (Python, "try:\n        assert f1() == 2\n    except AssertionError:\n        raise", Yes, "f1"),
        (
            Python,
            "try:\n        assert f1() == 2\n    except AssertionError as e:\n        self.fail(e)",
            Yes,
            "f1",
        ),
        (
            Python,
            "ok = True\n    try:\n        assert f1() == 2\n    except Exception:\n        ok = False\n    assert ok",
            Yes,
            "f1",
        ),
        (Python, "try:\n        assert f1() == 2\n    except KeyError:\n        pass", Yes, "f1"),
        (Python, "try:\n        f1()\n    except Exception as e:\n        assert e.code == 2", Yes, "f1"),
        (Python, "x = f1(); assert x", Yes, "f1"),
        (Python, "y = f1()\n    x = y.total\n    assert x == 1", Yes, "f1"),
        (Python, "assert f1() == 2", Yes, "f1"),
        (Python, "assert f'{f1()}' == '2'", Yes, "f1"),
        (Python, "self.assertEqual(\n        f1(),\n        2,\n    )", Yes, "f1"),
        (Python, "try:\n        f1()\n        assert False\n    except ValueError:\n        pass", Yes, "f1"),
        (Python, "with pytest.raises(ValueError):\n        f1()", Yes, "f1"),
        (Python, "cart = make()\n    cart.f1(2)\n    assert cart.total == 2", Yes, "f1"),
        (Python, "for case in [1, 2]:\n        assert f1(case) == case", Yes, "f1"),
        (Python, "mock.f1.assert_called_once_with(1)", Yes, "f1"),
        (Python, "print(len([f1()]))", Unknown, ""),
        (Python, "print('f1()')", No, ""),
        (Python, "def f(): pass", No, ""),
        (Python, "check(f1())", Unknown, "f1"),
        (Python, "validate_f1(1)", Unknown, ""),
        (Python, "table[0]()", Unknown, ""),
    ]);
}

#[test]
fn what_holds_without_the_code_is_no_expectation_in_rust() {
    use Expectation::{No, Unknown, Yes};
    use Language::Rust;
    classify(&[
        (Rust, "let _ = f1();", Unknown, ""),
        (Rust, "let _ = x::Shop::new(); assert!(true);", Unknown, ""),
        (Rust, "let _ = f1::<u8>(); assert_eq!(1, 1, \"{}\", 1);", Unknown, ""),
        (Rust, "f1(); assert_ne!(1, 2); debug_assert!(1 < 2);", Unknown, ""),
        (Rust, "if f1() { } else { assert!(false) }", Yes, "f1"),
        (Rust, "match f1() { Ok(_) => {} Err(e) => panic!(\"{e}\") }", Yes, "f1"),
        (Rust, "if f1() == 2 { return; } panic!(\"no\");", Yes, "f1"),
        (Rust, "assert_eq!(f1(), 2);", Yes, "f1"),
        (Rust, "let x = f1(); let y = x + 1; assert!(y == 2, \"m\");", Yes, "f1"),
        (Rust, "f1().unwrap();", Yes, "f1"),
        (Rust, "let _ = catch_unwind(|| assert_eq!(f1(), 2));", No, ""),
        (Rust, "std::panic::catch_unwind(|| { assert_eq!(f1(), 2); });", No, ""),
        (Rust, "let r = catch_unwind(|| assert_eq!(f1(), 2)); assert!(r.is_ok());", Yes, "f1"),
        (Rust, "let mut x = 1; f1(&mut x); assert_eq!(x, 2);", Yes, "f1"),
        (Rust, "let mut x = 1; let y = &mut x; *y = f1(); assert_eq!(x, 2);", Yes, ""),
        (Rust, "[1].iter().for_each(|x| assert_eq!(f1(*x), 2));", Yes, "f1"),
        (Rust, "println!(\"{}\", 1); let v = vec![1];", No, ""),
        (Rust, "check![f1()]; #[allow(unused)] let (a, b) = (1, 2);", Unknown, "f1"),
    ]);
}

#[test]
fn what_holds_without_the_code_is_no_expectation_in_javascript_and_go() {
    use Expectation::{No, Unknown, Yes};
    use Language::{Go, JavaScript, Tsx};
    classify(&[
        (JavaScript, "f1();", Unknown, ""),
        (JavaScript, "await f1(); assert.ok(true);", Unknown, ""),
        (JavaScript, "t.f1(); assert(true); assert.equal(1, 1);", Unknown, ""),
        (JavaScript, "new Shop(); expect(1).toBe(1); expect(true).toBeTruthy();", Unknown, ""),
        (JavaScript, "f1(); expect(f1());", Unknown, ""),
        (JavaScript, "expect(1).not.toBe(f1());", Yes, "f1"),
        (JavaScript, "await expect(f1()).resolves.toEqual({ a: 1 });", Yes, "f1"),
        (JavaScript, "const { a: b } = f1(); t.is(b, 1);", Yes, "f1"),
        (JavaScript, "[1, 2].forEach((n) => { expect(f1(n)).toBe(n); });", Yes, "f1"),
        (JavaScript, "f1().should.equal(2);", Yes, "f1"),
        (JavaScript, "try { expect(f1()).toBe(2); } catch {}", No, ""),
        (JavaScript, "try { assert.equal(f1(), 2); } catch (e) { console.log(e); }", No, ""),
        (JavaScript, "try { assert.equal(f1(), 2); } catch (e) { throw e; }", Yes, "f1"),
        (JavaScript, "let x = 0; on((y) => { x = y; }); f1(); expect(x).toBe(1);", Yes, "f1"),
        (JavaScript, "let x = 0; x++; expect(x).toBe(1);", Yes, ""),
        (JavaScript, "if (f1() !== 2) throw new Error('no');", Yes, "f1"),
        (JavaScript, "console.log(1)", No, ""),
        (JavaScript, "assert.equal(`${f1()}`, '2');", Yes, "f1"),
        (Tsx, "render(<f1 />); expect(screen.text).toBe('x' as string);", Yes, "f1"),
        (Go, "f1()", Unknown, ""),
        (Go, "if got := f1(1); got != 2 { t.Errorf(\"got %d\", got) }", Yes, "f1"),
        (Go, "got, err := f1()\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n\t_ = got", Yes, "f1"),
        (Go, "assert.Equal(t, 2, f1())", Yes, "f1"),
        (Go, "f1()\n\tassert.Equal(t, 1, 1)\n\trequire.True(t, true)", Unknown, ""),
        (
            Go,
            "for _, c := range cases {\n\t\tif f1(c.in) != c.out {\n\t\t\tt.Error(c)\n\t\t}\n\t}",
            Yes,
            "f1",
        ),
        (Go, "t.Log(1)", No, ""),
    ]);
}

#[test]
fn ac_tdd_8_138_what_is_called_snapshot_and_is_no_fixture_is_a_value_like_any_other() {
    use Expectation::{Snapshot, Yes};
    for (body, want) in [
        ("assert shop.snapshot() == {\"one\": 1}", Yes),
        (
            "snapshot = shop.state()\n    assert snapshot == {\"one\": 1}\n    assert snapshot[\"one\"] == 1",
            Yes,
        ),
        // inline-snapshot: what is recorded stands in the source.
        ("assert shop.two() == snapshot(2)", Yes),
        ("assert shop.two() == snapshot()", Snapshot),
    ] {
        let source = format!("def test_t():\n    {body}\n");
        assert_eq!(facts(Language::Python, &source, "test_t").expectation, want, "{body}");
    }
}

#[test]
fn ac_tdd_8_140_a_snapshot_beside_another_expectation_is_told() {
    for (body, want) in [
        ("expect(f()).toBe(2);\n  expect(g()).toMatchSnapshot();", true),
        ("expect(f()).toBe(2);\n  expect(g()).toMatchInlineSnapshot();", true),
        ("expect(f()).toBe(2);\n  expect(g()).toMatchInlineSnapshot(`\"one\"`);", false),
        ("expect(f()).toBe(2);", false),
    ] {
        let source = format!("test('t', () => {{\n  {body}\n}});\n");
        let facts = facts(Language::JavaScript, &source, "t");
        assert_eq!((facts.on_record, facts.expectation), (want, Expectation::Yes), "{body}");
    }
}

#[test]
fn an_expectation_that_is_only_a_snapshot_is_told_apart() {
    use Expectation::{Snapshot, Yes};
    use Language::{JavaScript, Python, Rust};
    for (language, body, want) in [
        (Rust, "let a = f().unwrap(); insta::assert_snapshot!(a);", Snapshot),
        (Rust, "assert_debug_snapshot!(f(), @\"\");", Snapshot),
        (Rust, "assert_debug_snapshot!(f(), @\"one\");", Yes),
        (Rust, "assert_json_snapshot!(f(), @r#\"[1]\"#);", Yes),
        (Rust, "assert_snapshot!(f()); assert_eq!(g(), 1);", Yes),
        (Python, "assert f() == snapshot", Snapshot),
        (Python, "self.assertMatchSnapshot(f())", Snapshot),
        (Python, "assert f() == snapshot\n    assert f() == 1", Yes),
        (Python, "assert f() == snapshot(name=\"one\")", Snapshot),
        (Python, "assert f(snapshot[\"one\"]) == 1", Yes),
        (Python, "assert shop.snapshot() == 1", Yes),
        (JavaScript, "expect(f()).toMatchSnapshot();", Snapshot),
        (JavaScript, "expect(f()).toMatchInlineSnapshot();", Snapshot),
        (JavaScript, "expect(f()).toMatchInlineSnapshot(`\"one\"`);", Yes),
        (JavaScript, "t.assert.snapshot(f());", Snapshot),
        (JavaScript, "expect(f()).toMatchSnapshot();\n  expect(g()).toBe(1);", Yes),
    ] {
        let (source, name) = match language {
            Rust => (format!("#[test] fn t() {{ {body} }}"), "t"),
            Python => (format!("def test_t(snapshot):\n    {body}\n"), "test_t"),
            JavaScript | Language::TypeScript | Language::Tsx | Language::Go => {
                (format!("test('t', (t) => {{\n  {body}\n}});\n"), "t")
            }
        };
        assert_eq!(facts(language, &source, name).expectation, want, "{body}");
    }
}

#[test]
fn imports_are_no_part_of_the_rest() {
    use Language::{JavaScript, Python, Rust};
    for (language, source, want) in [
        (Python, "import os\nimport a, b as c\nfrom x import y, z\nX = 1\n", "X = 1"),
        (Python, "from x import (\n    a,\n    # b (\n    c,\n)\nX = 1\n", "X = 1"),
        (Python, "from x import a, \\\n    b\nX = 1\n", "X = 1"),
        (Python, "import os; X = 1\nimportant = 2\nfrom_here()\n", "X = 1|important = 2|from_here()"),
        (Python, "try:\n    import a\nexcept ImportError:\n    a = 1\n", "try:|except ImportError:|a = 1"),
        (Python, "S = '''\nimport a\n'''\n", "S = '''|import a|'''"),
        (Python, "import a\ndef test_a():\n    import b\n    assert 1\n", "def test_a():"),
        (
            Rust,
            "use a::{\n    b,\n    c,\n};\nmod x;\nextern crate y;\npub(crate) use z; const A: u8 = 1;\n",
            "const A: u8 = 1;",
        ),
        (
            Rust,
            "mod x { fn a() {} }\nextern \"C\" { fn b(); }\nuseful!();\n",
            "mod x { fn a() {} }|extern \"C\" { fn b(); }|useful!();",
        ),
        (Rust, "#[cfg(test)]\nmod x;\n", "#[cfg(test)]"),
        (JavaScript, "import a from 'a';\nimport {\n  b,\n} from 'b'\nimport 'c'\nX = 1\n", "X = 1"),
        (
            JavaScript,
            "const a = require('a');\nconst { b,\n c } = require('b').d\nvar x = 1;\n",
            "var x = 1;",
        ),
        (
            JavaScript,
            "const a = require('a')(1);\nimport('x').then(y);\nlet b = f(c = require('x'));\n",
            "const a = require('a')(1);|import('x').then(y);|let b = f(c = require('x'));",
        ),
    ] {
        assert_eq!(outline(language, source).rest.join("|"), want, "{source}");
    }
}

#[test]
fn others_may_move_units_but_not_change_them() {
    use Language::{JavaScript, Python, Rust};
    let inline = "fn f() {}\n#[cfg(test)]\nmod tests {\n  use super::*;\n  #[test]\n  fn a() { assert_eq!(f(1, 2), \"x y\"); }\n}\n";
    let python = "class TestA:\n    @mark(\n        1,\n    )\n    def test_a(self):\n        if f(1):\n            x = 1\n        assert f(1) == 2\n";
    let vitest = "export const f = 1;\nif (import.meta.vitest) {\n  const { it } = import.meta.vitest;\n  it('a', () => { expect(f).toBe(1); });\n}\n";
    let moved = "// elsewhere\n#[cfg(test)] mod tests {\n // why\n use super::{ * };\n #[test] fn a() { assert_eq!(\n f(1, 2,),\n \"x y\",\n ); } }\nfn g() {}";
    let doc = "/// Adds.\n/// ```\n/// assert_eq!(f(), 1);\n/// ```\nfn f() {}\n";
    for (name, language, before, after, want) in [
        ("the same", Rust, inline, inline.to_owned(), ""),
        ("moved and formatted", Rust, inline, moved.to_owned(), ""),
        ("production around it", Rust, inline, inline.replace("fn f() {}", "fn f(x: u8) { g() }"), ""),
        ("emptied", Rust, inline, inline.replace("assert_eq!(f(1, 2), \"x y\");", ""), "tests"),
        ("a space in a string", Rust, inline, inline.replace("x y", "xy"), "tests"),
        ("ignored", Rust, inline, inline.replace("#[test]", "#[test] #[ignore]"), "tests"),
        ("switched off", Rust, inline, inline.replace("cfg(test)", "cfg(any())"), "tests"),
        (
            "a helper that shadows",
            Rust,
            inline,
            inline.replace("use super::*;", "use super::*; fn f() {}"),
            "tests",
        ),
        ("gone", Rust, inline, "fn f() {}".to_owned(), "tests"),
        ("only under test", Rust, "fn f() {}", "#[cfg(test)] fn f() {}".to_owned(), "f"),
        ("more tests", Rust, "fn f() {}", inline.to_owned(), ""),
        ("an example changed", Rust, doc, doc.replace(", 1", ", 2"), "assert_eq!(f(), 1);"),
        ("prose changed", Rust, doc, doc.replace("Adds.", "Sums."), ""),
        ("broken", Rust, inline, format!("{inline} }} }}"), ""),
        (
            "skipped",
            Python,
            python,
            python.replace("    def", "    @pytest.mark.skip\n    def"),
            "TestA::test_a",
        ),
        (
            "out of the condition",
            Python,
            python,
            python.replace("        assert", "            assert"),
            "TestA::test_a",
        ),
        ("formatted", Python, python, python.replace("(\n        1,\n    )", "(1)  # one"), ""),
        ("formatted", JavaScript, vitest, vitest.replace("'a'", "\"a\"").replace("(1);", "(1)"), ""),
        ("weaker", JavaScript, vitest, vitest.replace("toBe(1)", "toBe(f)"), "if (import.meta.vitest) {"),
        ("added", JavaScript, "export const f = 1;", vitest.to_owned(), "if (import.meta.vitest) {"),
    ] {
        let found = changed_units(language, &[("src/x", before)], &[("src/y", &after)]);
        let mut names: Vec<String> = found.into_iter().map(|(_, name)| name).collect();
        names.dedup();
        // A unit that was changed is gone and new at once; it is named for being gone.
        assert_eq!(names.join("|"), want, "{language:?}: {name}");
    }
}

#[test]
fn a_module_of_tests_may_grow_by_plain_tests() {
    use Language::Rust;
    let inline = "fn f() {}\n#[cfg(test)]\nmod tests {\n  use super::*;\n  #[test]\n  fn a() { assert_eq!(f(1, 2), \"x y\"); }\n}\n";
    let more = |test: &str| inline.replace("\"); }\n}", &format!("\"); }}\n{test}\n}}"));
    for (name, language, before, after, want) in [
        ("a test more", Rust, inline, more("  #[test] fn b() { assert_eq!(f(2, 3), \"z\"); }"), ""),
        (
            "a test more, in front",
            Rust,
            inline,
            inline.replace("  #[test]", "#[test] fn b() {}\n  #[test]"),
            "",
        ),
        ("a test more that hides", Rust, inline, more("#[test] fn f() {}"), "tests"),
        ("a helper more", Rust, inline, more("fn b() {}"), "tests"),
        ("a test more, one less", Rust, inline, more("#[test] fn b() {}").replace("fn a", "fn c"), "tests"),
        (
            "a test more, one ignored",
            Rust,
            inline,
            more("#[test] fn b() {}").replace("#[test]\n", "#[test] #[ignore]\n"),
            "tests",
        ),
        ("a test more for Unix", Rust, inline, more("#[cfg(unix)] #[test] fn b() {}"), "tests"),
    ] {
        let found = changed_units(language, &[("src/x", before)], &[("src/y", &after)]);
        let names: Vec<String> = found.into_iter().map(|(_, name)| name).collect();
        assert_eq!(names.join("|"), want, "{name}");
    }
}

#[test]
fn the_test_writer_adds_units_and_nothing_else() {
    use Additions::{OnlyUnits, Others};
    use Language::{JavaScript, Python, Rust};
    let source = "//! Shop.\nfn f() -> u8 { 1 }\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() {}\n}\n";
    let module =
        "#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn a() { assert!(true) }\n}\n";
    let before_it = |text: &str| module.replace("    #[test]", &format!("{text}\n\n    #[test]"));
    for (language, before, after, want) in [
        (Rust, source, source.to_owned(), OnlyUnits),
        (Rust, source, format!("{source}#[cfg(test)] mod more {{ #[test] fn b() {{}} }}"), OnlyUnits),
        (Rust, source, format!("{source}#[cfg(all(test, unix))] use std::fmt;"), OnlyUnits),
        (Rust, source, source.replace("fn f", "/// ```\n/// assert!(f() == 1);\n/// ```\nfn f"), OnlyUnits),
        (Rust, source, source.replace("u8 { 1 }", "u8 {\n    1\n}"), OnlyUnits),
        (Rust, source, source.replace("{ 1 }", "{ 2 }"), Others),
        (Rust, source, source.replace("fn a() {}", "fn a() { panic!() }"), Others),
        (Rust, source, format!("{source}#[cfg(not(test))] fn g() {{}}"), Others),
        (Rust, source, format!("{source}#[cfg(any(test, unix))] fn g() {{}}"), Others),
        (Rust, source, format!("{source}fn g() {{}}"), Others),
        (Rust, source, format!("#![cfg(test)]\n{source}"), Others),
        (Rust, source, format!("{source}#[cfg(test)] mod more {{"), Others),
        (Rust, module, before_it("    #[test]\n    fn b() {}"), OnlyUnits),
        (Rust, module, before_it("    #[test]\n    fn b() {}").replace("true", "false"), Others),
        (Rust, module, module.replace("fn a() { assert!(true) }", "fn b() {}"), Others),
        (Rust, module, module.replace("true", "1 == 1"), Others),
        (Rust, module, before_it("    fn helper() {}"), Others),
        (Rust, "", "#![cfg(test)]\nfn helper() {}\n#[test] fn a() {}".to_owned(), OnlyUnits),
        (Rust, "", "fn helper() {}\n#[test] fn a() {}".to_owned(), Others),
        (JavaScript, "let a = 1;", "let a = 1\nif (import.meta.vitest) { it('a') }".to_owned(), OnlyUnits),
        (JavaScript, "let a = 1;", "let a = 2\nif (import.meta.vitest) { it('a') }".to_owned(), Others),
        (JavaScript, "", "if (import.meta.vitest) { it('a') } else { b() }".to_owned(), Others),
        (Python, "x = 1\n", "x = 1\ndef test_x(): assert x\n".to_owned(), Others),
        (JavaScript, "let a = 1;", "let a = 1; test('a', () => {});".to_owned(), Others),
    ] {
        assert_eq!(additions(language, before, &after), Ok(want), "{after}");
    }
}

#[test]
fn assertions_that_are_gone_are_named() {
    let before = "def test_a():\n    assert f() == 1\n    assert g()\n    assert g()\n";
    for (after, want) in [
        (before.to_owned(), ""),
        (before.replace("f() == 1", "f( )==1"), ""),
        (before.replace("    assert g()\n    assert g()\n", "    assert g()\n"), "assert g()"),
        (before.replace("== 1", "is not None"), "assert f() == 1"),
    ] {
        assert_eq!(lost_assertions(Language::Python, before, &after).join("|"), want, "{after}");
    }
}

#[test]
fn what_a_source_declares_for_others_is_known() {
    use Language::{Go, JavaScript, Python, Rust, TypeScript};
    let rust = "pub mod c2;\npub use a::b as total;\nfn own() { let inner = 1; fn deep() {} }\nstruct S { a: u8 }\nimpl S { fn add() {} }\nenum E { One }\n";
    let python = "from x import y\nA = 1\ndef f(): z = 1\nclass C:\n    def m(self): pass\n";
    let script = "export const a = () => 1; function b() { const c = 1; }\nexport { b as d };\nmodule.exports = { e, f: 1 };\nexports.g = 2;\nclass K { m() {} }";
    let go =
        "package a\nvar V = 1\ntype T struct{ A int }\nfunc (t *T) Add() {}\nfunc F() { x := 1; _ = x }\n";
    for (language, source, owner, name, want) in [
        (Rust, rust, None, "c2", true),
        (Rust, rust, None, "total", true),
        (Rust, rust, None, "own", true),
        (Rust, rust, None, "inner", false),
        (Rust, rust, None, "deep", false),
        (Rust, rust, None, "add", false),
        (Rust, rust, Some("S"), "add", true),
        (Rust, rust, Some("S"), "a", true),
        (Rust, rust, Some("E"), "One", true),
        (Python, python, None, "y", true),
        (Python, python, None, "A", true),
        (Python, python, None, "f", true),
        (Python, python, None, "z", false),
        (Python, python, None, "m", false),
        (Python, python, Some("C"), "m", true),
        (JavaScript, script, None, "a", true),
        (JavaScript, script, None, "b", true),
        (JavaScript, script, None, "c", false),
        (JavaScript, script, None, "d", true),
        (JavaScript, script, None, "e", true),
        (JavaScript, script, None, "f", true),
        (JavaScript, script, None, "g", true),
        (JavaScript, script, Some("K"), "m", true),
        (TypeScript, "export interface I { a: 1 }\nexport enum E { A }", None, "I", true),
        (Go, go, None, "F", true),
        (Go, go, None, "V", true),
        (Go, go, None, "x", false),
        (Go, go, Some("T"), "Add", true),
        (Go, go, Some("T"), "A", true),
        (Go, go, None, "Add", false),
    ] {
        assert_eq!(declares(language, source, owner, name), Ok(want), "{language:?} {owner:?} {name}");
    }
}

#[test]
fn no_source_makes_it_panic() {
    let hostile = [
        "\"",
        "'",
        "r#\"",
        "/*",
        "#[test",
        "#[test] fn",
        "mod m {",
        "test('",
        "test(",
        "'''",
        "def test_",
        "\\",
        "é'é'",
        "class T(",
        "@a(",
        "assert!(",
        "expect(1).",
        "use ",
        "const a = require",
        "?.(",
        "::<>(",
    ];
    for language in [
        Language::Rust,
        Language::Python,
        Language::JavaScript,
        Language::TypeScript,
        Language::Tsx,
        Language::Go,
    ] {
        for first in hostile {
            for second in hostile {
                let _ = declared(language, &format!("{first}{second}"));
                let _ = TestFile::read(language, &format!("{first} {second}\n"));
                let _ = outline(language, &format!("{first} {second}\nimport {first}"));
                let _ = changed_units(language, &[("a", &format!("{first}{second}"))], &[("a", first)]);
                let _ = additions(language, first, second);
                let (source, test) = test_of(language, &format!("assert {first} {second} (é)!"));
                let _ = TestFile::read(language, &source).map(|file| file.body(test).cloned());
            }
        }
    }
}

#[test]
fn go_tests_are_found_with_their_subtests() {
    let source = "package a\n// func TestCommented(t *testing.T) {}\nvar s = `func TestInString(t *testing.T) {}`\n\
        func TestA(t *testing.T) {\n\tt.Run(\"sub a\", func(t *testing.T) { t.Run(`deep`, func(t *testing.T) {}) })\n\
        \tt.Run(name, func(t *testing.T) {})\n}\nfunc Testify() {}\nfunc TestMain(m *testing.M) {}\n\
        func (s *Suite) TestMethod() {}\nfunc ExampleF() {\n\tfmt.Println(1)\n\t// Output: 1\n}\nfunc ExampleG() {}\n\
        func Test日本(t *testing.T) {}\n";
    let names = declared(Language::Go, source).join(" ");
    assert_eq!(names, "TestA TestA/sub_a TestA/sub_a/deep ExampleF Test日本");
}

#[test]
fn strange_but_honest_sources_are_read() {
    use Language::{JavaScript, Python, Rust, Tsx, TypeScript};
    for (language, source, want) in [
        (Rust, "#[test]\r\nfn a() {\r\n    assert!(f());\r\n}\r\n", "a"),
        (Rust, "proptest! {\n  #[test]\n  fn p(a in 0..1u8) { prop_assert!(f(a)); }\n}", "p"),
        (Rust, "#[rstest]\n#[case(1)]\nfn größe(#[case] a: u8) { assert_eq!(f(a), 1); }", "größe"),
        (Rust, "macro_rules! t { ($n:ident) => { #[test] fn $n() {} } }\n#[test] fn x() {}", "x"),
        (Python, "if True:\n    def test_a():\n        assert f()\n", "test_a"),
        (Python, "\u{feff}def test_a():\n\tassert f()\n", "test_a"),
        (
            Python,
            "class Base(unittest.TestCase):\r\n    def test_a(self):\r\n        pass\r\n",
            "Base::test_a",
        ),
        (JavaScript, "it.each([[1], [2]])('adds %i', (n) => { expect(f(n)).toBe(n); });", "adds %i"),
        (JavaScript, "describe.only('d', function () { it('i', function () {}); });", "d > i"),
        (
            TypeScript,
            "test<X>('typed', async ({ page }: Fix): Promise<void> => { expect(page!.x).toBe(1); });",
            "typed",
        ),
        (Tsx, "it('shows', () => { render(<A b={1}>it('no')</A>); });", "shows"),
    ] {
        let names = declared(language, source).join(" ");
        assert!(names.split(' ').eq(want.split(' ')) || names.ends_with(want), "{source}: {names}");
    }
    let table =
        TestFile::read(JavaScript, "it.each([[1]])('adds %i to $b', (n) => { expect(f(n)).toBe(n); });");
    let table = table.unwrap();
    assert!(table.body("adds 1 to 2").is_some_and(|body| body.looks_at.contains("f")));
    assert!(table.body("adds 1").is_none());
}

#[test]
fn what_flows_through_helpers_fixtures_and_imports_is_looked_at() {
    use Language::{JavaScript, Python, Rust};
    let python = "from shop.cart import total as t, other\nfrom shop import cart\n\
        @pytest.fixture\ndef full():\n    return t([1])\n\
        def check(value):\n    assert value == 1\n\
        def quiet(value):\n    return value\n\
        def test_alias():\n    assert t([1]) == 1\n\
        def test_fixture(full):\n    assert full == 1\n\
        def test_helper():\n    check(t([1]))\n\
        def test_quiet():\n    quiet(t([1]))\n\
        def test_module():\n    assert cart.total() == 1\n\
        def test_other():\n    t([1])\n    assert other() == 1\n";
    let file = TestFile::read(Python, python).unwrap();
    for (test, want, looks) in [
        ("test_alias", Expectation::Yes, true),
        ("test_fixture", Expectation::Yes, true),
        ("test_helper", Expectation::Yes, true),
        ("test_quiet", Expectation::Unknown, false),
        ("test_module", Expectation::Yes, true),
        ("test_other", Expectation::Yes, false),
    ] {
        let body = file.body(test).unwrap();
        assert_eq!((body.expectation, body.looks_at.contains("total")), (want, looks), "{test}");
    }
    let rust = "use shop::cart::{self, total as t, other};\nuse shop::c2::*;\n\
        fn setup() -> u8 { t(1) }\n\
        #[test] fn a() { let x = setup(); assert_eq!(x, 1); }\n\
        #[test] fn b() { t(1); assert_eq!(other(), 1); }\n\
        #[test] #[should_panic] fn c() { t(1); }\n";
    let file = TestFile::read(Rust, rust).unwrap();
    for (test, looks) in [("a", true), ("b", false), ("c", true)] {
        assert_eq!(file.body(test).unwrap().looks_at.contains("total"), looks, "{test}");
    }
    let script = "import def, { total as t, other } from '../src/cart.js';\nconst { late } = require('../src/late');\n\
        test('a', () => { expect(t()).toBe(1); });\n\
        test('b', () => { t(); expect(other()).toBe(1); });\n\
        test('c', async () => { const m = await import('../src/lazy.js'); expect(m.x).toBe(1); });\n\
        test('d', () => { expect(late()).toBe(1); });\n";
    let file = TestFile::read(JavaScript, script).unwrap();
    for (test, name, looks) in [
        ("a", "total", true),
        ("a", "cart", true),
        ("b", "total", false),
        ("c", "lazy", true),
        ("d", "late", true),
    ] {
        assert_eq!(file.body(test).unwrap().looks_at.contains(name), looks, "{test} {name}");
    }
}

#[test]
fn vacuous_and_thin_assertions_are_quoted() {
    use Language::{Go, JavaScript, Python, Rust};
    for (language, body, want) in [
        (Python, "assert True\n    assert f() == 1", "assert True"),
        (Python, "x = f()\n    assert x == x", "assert x == x"),
        (Python, "assert f() == 1 or True", "assert f() == 1 or True"),
        (Python, "assert (f(), 1)", "assert (f(), 1)"),
        (Python, "assert (f() == 1)", ""),
        (Python, "assert f() == (1 or True)", ""),
        (Rust, "assert!(f() == 1 || true);", "assert!(f() == 1 || true)"),
        (Python, "assert f() is not None", "assert f() is not None"),
        (Python, "assert f() is not None\n    assert f() == 1", ""),
        (Rust, "let x = f(); assert_eq!(x, x); assert!(x > 1);", "assert_eq!(x, x)"),
        (JavaScript, "expect(true).toBe(true); expect(f()).toBe(1);", "expect(true).toBe(true)"),
        (JavaScript, "expect(f()).toBeDefined();", "expect(f()).toBeDefined()"),
        (Python, "assert f(1) == f(1)", "assert f(1) == f(1)"),
        (Python, "assert f(1) == f(2)", ""),
        (Python, "assert isinstance(f(), object)", "assert isinstance(f(), object)"),
        (Python, "r = f()\n    assert r is not None or r is None", "assert r is not None or r is None"),
        (Python, "r = f()\n    assert r is not None or r == 1", ""),
        (Python, "def inner():\n        assert f() == 1\n    f()", "assert f() == 1"),
        (Python, "def inner():\n        assert f() == 1\n    inner()", ""),
        (Python, "@hook\n    def inner():\n        assert f() == 1\n    f()", ""),
        (Python, "assert callable(f)", "assert callable(f)"),
        (JavaScript, "expect(f(1)).toBe(f(1));", "expect(f(1)).toBe(f(1))"),
        (JavaScript, "[1].forEach((n) => expect(f(n)).toBe(1));", ""),
        (Rust, "assert_eq!(f(1), f(1));", "assert_eq!(f(1), f(1))"),
        (Go, "assert.True(t, true)\n\tassert.Equal(t, 1, F())", "assert.True(t, true)"),
        (Go, "is := assert.New(t)\n\tis.Equal(1, F())", ""),
    ] {
        let (source, test) = test_of(language, body);
        assert_eq!(facts(language, &source, test).vacuous.join("|"), want, "{body}");
    }
    let example =
        "package a\nfunc ExampleF() {\n\tfmt.Println(F(\"P\"), F(\"q\"))\n\t// Output: true false\n}\n";
    assert_eq!(facts(Go, example, "ExampleF").vacuous, [""; 0]);
}

/// Nesting, repetition and nonsense must neither panic nor take for ever. The time is linear, or this would take minutes.
#[test]
fn much_nonsense_is_refused_or_read() {
    let (megabyte, much) = (1 << 20, 1 << 17);
    for (language, part) in [
        (Language::Rust, "("),
        (Language::Rust, "#[test] fn a() { "),
        (Language::Python, "if x:"),
        (Language::JavaScript, "describe('a', () => {"),
        (Language::Go, "{"),
    ] {
        let source = part.repeat(much / part.len());
        if let Ok(file) = TestFile::read(language, &source) {
            assert!(file.body("a").is_none_or(|body| body.expectation != Expectation::Yes), "{part}");
        }
    }
    // Recovery from these takes more with each one.
    assert_eq!(TestFile::read(Language::Rust, &"\"".repeat(megabyte / 16)).unwrap_err(), Unread::TooTangled);
    assert_eq!(TestFile::read(Language::Rust, &" ".repeat(3 * megabyte)).unwrap_err(), Unread::TooLong);
}

#[test]
fn what_a_macro_s_statements_bind_is_followed() {
    let source =
        |body: &str| format!("proptest! {{\n  #[test]\n  fn p(n in 0..9u32) {{\n    {body}\n  }}\n}}\n");
    for (body, looks) in [
        ("prop_assert_eq!(twice(n), n + n);", true),
        ("let two = twice(n); prop_assert_eq!(half(two), n);", true),
        ("let (two, _) = (twice(n), 1); let text = format!(\"{two}\"); assert!(!text.is_empty());", false),
        ("let (two, _) = (twice(n), 1); let half = two / 2; assert_eq!(half, n);", true),
        ("let mut cart = Cart::new(); cart.add(1); cart.twice(n); prop_assert_eq!(cart.total(), n);", true),
        ("for two in [twice(n)] { prop_assert_eq!(half(two), n); }", true),
        ("let two = twice(n); prop_assert_eq!(half(n), n);", false),
        ("let three = n; twice(n); prop_assert_eq!(three, n);", false),
    ] {
        let (source, test) = (source(body), "p");
        let file = TestFile::read(Language::Rust, &source).unwrap();
        assert_eq!(file.body(test).unwrap().looks_at.contains("twice"), looks, "{body}");
    }
}

#[test]
fn a_matcher_of_the_files_own_looks_at_what_it_calls() {
    let source = |name: &str| {
        format!(
            "import {{ shout }} from '../src/text.js';\nexpect.extend({{ {name}(s, word) {{ return {{ pass: shout(word) === s }}; }} }});\n\
             test('a', () => {{ expect('A!').toShout('a'); }});\n"
        )
    };
    for (name, looks) in [("toShout", true), ("toWhisper", false)] {
        let source = source(name);
        let file = TestFile::read(Language::JavaScript, &source).unwrap();
        let body = file.body("a").unwrap();
        assert_eq!(
            (body.looks_at.contains("shout"), body.looks_at.contains("text")),
            (looks, looks),
            "{name}"
        );
        assert_eq!(body.expectation == Expectation::Yes, looks, "{name}");
    }
}

#[test]
fn tests_of_a_module_change_alone_where_it_stands_as_it_did() {
    let of = |tests: &str| {
        format!("pub fn f() -> u8 {{ 1 }}\n\n/// ```\n/// f();\n/// ```\npub fn g() {{}}\n\n{tests}\n")
    };
    let inside = |tests: &str| of(&format!("#[cfg(test)]\nmod tests {{\n    use super::*;\n\n{tests}}}"));
    let old = inside(
        "    #[test]\n    fn a() { assert_eq!(f(), 1); }\n\n    #[test]\n    fn b() { assert!(f() > 0); }\n",
    );
    for (new, alone) in [
        (
            inside(
                "    #[test]\n    fn a() { assert_eq!(f(), 2); }\n\n    #[test]\n    fn b() { assert!(f() > 0); }\n",
            ),
            true,
        ),
        (inside("    #[test]\n    fn a() { assert_eq!(f(), 2); }\n"), true),
        (inside("    fn f() -> u8 { 2 }\n\n    #[test]\n    fn a() { assert_eq!(f(), 2); }\n"), false),
        // Imports and helpers of what is new.
        (old.replace("use super::*;", "use super::{f, g};\n    use std::fmt;"), true),
        (old.replace("use super::*;\n", "use super::*;\n\n    fn g() -> u8 {\n        f()\n    }\n"), true),
        (old.replace("use super::*;\n", "use super::*;\n\n    impl Fake for u8 {}\n"), false),
        (old.replace("use super::*;\n", "use super::*;\n\n    macro_rules! g { () => {} }\n"), false),
        (of("#[cfg(test)]\nmod tests;"), false),
        (of("#[cfg(test)]\n#[path = \"x.rs\"]\nmod tests;"), false),
        (old.replace("{ 1 }", "{ 2 }"), false),
        // An example of documentation is a test, too.
        (old.replace("f();", "g();"), true),
        (old.replace("mod tests {", "mod checks {"), false),
    ] {
        assert_eq!(changes_tests_alone(Language::Rust, &old, &new), Ok(alone), "{new}");
    }
    let outside = of("#[cfg(test)]\nmod tests;");
    for new in [old.clone(), of("#[cfg(test)]\n#[path = \"x.rs\"]\nmod tests;")] {
        assert_eq!(changes_tests_alone(Language::Rust, &outside, &new), Ok(false), "{new}");
    }
}

#[test]
fn ac_tdd_8_164_what_changes_in_a_block_for_vitest_alone_is_tests_and_what_serves_them() {
    let old = "export const f = () => 1;\n\nif (import.meta.vitest) {\n  const { expect, it } = import.meta.vitest;\n  \
               const one = 1;\n  it('a', () => { expect(f()).toBe(one); });\n}\n";
    let start = "  const { expect, it } = import.meta.vitest;\n";
    let beside = |more: &str| old.replace("  it('a'", &format!("  {more}\n  it('a'"));
    for (new, alone) in [
        (old.replace("toBe(one)", "toBe(2)"), true),
        (beside("it('b', () => { expect(f()).toBe(2); });"), true),
        (beside("describe('more', () => { it('b', () => { expect(f()).toBe(2); }); });"), true),
        (old.replace("{ expect, it }", "{ describe, expect, it }"), true),
        (beside("const two = make(2);"), true),
        (beside("function two() { return f(); }"), true),
        // What the tests look at, or how they do.
        (old.replace("= () => 1", "= () => 2"), false),
        (old.replace("const one = 1", "const one = 2"), false),
        (old.replace(start, ""), true),
        (old.replace(start, &start.replace("it }", "it: expect }")), false),
        (old.replace("import.meta.vitest;", "other;"), false),
        (beside("const f = () => 2;"), false),
        (beside("const { f } = shop;"), false),
        (beside("class expect {}"), false),
        (beside("vi.mock('./shop');"), false),
        (beside("beforeEach(() => { clear(); });"), false),
        (old.replace("(import.meta.vitest)", "(import.meta.vitest && 1)"), false),
    ] {
        assert_eq!(changes_tests_alone(Language::TypeScript, old, &new), Ok(alone), "{new}");
    }
    let code = "export const f = () => 1;\n";
    let last = old.replace("  const one = 1;\n", "");
    assert_eq!(changes_tests_alone(Language::JavaScript, &last, code), Ok(true));
    assert_eq!(changes_tests_alone(Language::JavaScript, old, code), Ok(false), "a helper goes, too");
    let plain = format!("{code}it('a', check);\n");
    assert_eq!(
        changes_tests_alone(Language::JavaScript, &plain, code),
        Ok(false),
        "that is part of the program"
    );
}

#[test]
fn ac_tdd_8_113_a_source_with_blocks_of_tests_is_no_test_file() {
    let block = "export const one = () => 1;\nif (import.meta.vitest) {\n  const { test, expect } = import.meta.vitest;\n  \
                 test('one', () => { expect(one()).toBe(1); });\n}\n";
    assert!(!holds_plain_tests(Language::TypeScript, block));
    assert!(holds_plain_tests(
        Language::TypeScript,
        &format!("{block}test('two', () => {{ expect(1).toBe(1); }});\n")
    ));
    assert!(holds_plain_tests(Language::Python, "def test_one():\n    assert one() == 1\n"));
    assert!(!holds_plain_tests(Language::Python, "def one():\n    return 1\n"));
}

#[test]
fn ac_tdd_8_152_a_test_inside_a_source_is_what_stands_in_its_place() {
    let one = |gives: u8| format!("pub fn one() -> u32 {{ {gives} }}\n");
    let tests =
        |says: &str| format!("#[cfg(test)]\nmod tests {{\n    #[test]\n    fn is_one() {{ {says} }}\n}}\n");
    let doc = |fence: &str, says: &str| format!("/// ```{fence}\n/// {says}\n/// ```\n{}", one(1));
    let (strict, weak) = ("assert_eq!(super::one(), 1);", "assert!(super::one() > 0);");
    let lib = format!("{}{}", one(1), tests(strict));
    let weaker = format!("{}{}", one(5), tests(weak));
    let changed = |before: &[(&str, &str)], after: &[(&str, &str)]| {
        changed_units(Language::Rust, before, after).into_iter().map(|(path, _)| path).collect::<Vec<_>>()
    };
    // What it said stands where nobody looks, in another file or beside.
    assert_eq!(
        changed(&[("src/lib.rs", &lib)], &[("src/lib.rs", &weaker), ("src/old.rs", &lib)]),
        ["src/lib.rs"]
    );
    let parked = format!("{weaker}#[cfg(any())]\nmod parked {{\n{lib}}}\n");
    assert_eq!(changed(&[("src/lib.rs", &lib)], &[("src/lib.rs", &parked)]), ["src/lib.rs"]);
    let (old, new) = (doc("", "one();"), doc("", "assert!(one() > 0);"));
    assert_eq!(
        changed(&[("src/lib.rs", &old)], &[("src/lib.rs", &new), ("src/old.rs", &old)]),
        ["src/lib.rs"]
    );
    for fence in ["should_panic", "no_run", "compile_fail"] {
        assert_eq!(
            changed(&[("src/lib.rs", &old)], &[("src/lib.rs", &doc(fence, "one();"))]),
            ["src/lib.rs"]
        );
    }
    assert!(changed(&[("src/lib.rs", &old)], &[("src/lib.rs", &doc("rust", "one();"))]).is_empty());
    // Moved with its code, one more beside it, and one of several of its name moved.
    let hands_on = "mod kept;\npub use kept::one;\n";
    assert!(changed(&[("src/lib.rs", &lib)], &[("src/lib.rs", hands_on), ("src/kept.rs", &lib)]).is_empty());
    let new = format!("{hands_on}{}", tests("assert_eq!(super::two(), 2);").replace("is_one", "is_two"));
    assert!(changed(&[("src/lib.rs", &lib)], &[("src/lib.rs", &new), ("src/kept.rs", &lib)]).is_empty());
    let grown = lib.replace("    #[test]", "    #[test]\n    fn more() { assert!(true); }\n    #[test]");
    assert!(changed(&[("src/lib.rs", &lib)], &[("src/lib.rs", &grown)]).is_empty());
    let other = "mod b {\n    #[cfg(test)]\n    mod tests {\n        #[test]\n        fn b() {}\n    }\n}\n";
    let both = format!("{other}mod a {{\n{lib}}}\n");
    assert!(changed(&[("src/lib.rs", &both)], &[("src/lib.rs", other), ("src/a.rs", &lib)]).is_empty());
}

#[test]
fn ac_tdd_8_152_code_that_is_another_one_for_examples_is_built_in_another_way_for_tests() {
    let two = "#[cfg(not(doctest))]\npub fn one() -> u32 { 5 }\n#[cfg(doctest)]\npub fn one() -> u32 { 1 }\n";
    let told = |source: &str| {
        let all = new_test_aware(Language::Rust, &[("a", "")], &[("a", source)]);
        all.into_iter().any(|(_, sign, _)| sign == TestAwareSign::UnderTest)
    };
    assert!(told(two));
    assert!(!told("#[cfg(doctest)]\n#[doc = include_str!(\"../README.md\")]\npub struct Readme;\n"));
}

#[test]
fn ac_tdd_8_153_what_a_test_looks_at_is_seen_through_the_shapes_that_people_write() {
    use Expectation::Yes;
    use Language::{Go, JavaScript, Python, Rust, Tsx};
    let shapes = [
        (Python, "@f1\n    def g():\n        return 1\n    assert g() == 2"),
        (Python, "@f1(times=3)\n    def g():\n        return 1\n    assert g() == 2"),
        (Python, "@f1\n    class A:\n        pass\n    assert A().run() == 2"),
        (Python, "class A(f1):\n        pass\n    assert A().run() == 2"),
        (Python, "with f1():\n        x = 1\n    assert os.environ['A'] == '1'"),
        (JavaScript, "class A extends f1 { } expect(new A().run()).toBe(2);"),
        (Tsx, "render(<f1 />); expect(screen.getByText('a')).toBeInTheDocument();"),
        (Rust, "let Some(x) = f1() else { panic!(\"none\") }; let _ = x;"),
        (Rust, "let Ok(x) = f1() else { panic!(\"none\") }; assert_eq!(x, 2);"),
        (Rust, "struct T; impl f1 for T { fn g(&self) -> u8 { 2 } } assert_eq!(T.run(), 3);"),
        (Rust, "#[derive(f1)] struct A { x: u8 } assert_eq!(A { x: 1 }.describe(), \"a\");"),
        (
            Go,
            "defer func() {\n\t\tif r := recover(); r == nil {\n\t\t\tt.Fatal(\"no panic\")\n\t\t}\n\t}()\n\tf1()",
        ),
        (Go, "defer func() { _ = recover() }()\n\tf1()\n\tt.Fatal(\"no panic\")"),
        (
            Go,
            "ch := make(chan int, 1)\n\tgo func() { ch <- f1() }()\n\tselect {\n\tcase got := <-ch:\n\t\tif got != 2 \
             {\n\t\t\tt.Fatal(got)\n\t\t}\n\tcase <-time.After(time.Second):\n\t\tt.Fatal(\"late\")\n\t}",
        ),
    ];
    classify(&shapes.map(|(language, body)| (language, body, Yes, "f1")));
    for (language, body) in shapes {
        let (source, test) = test_of(language, body);
        assert!(!facts(language, &source, test).unconditional, "{body}");
    }
    // What nothing of that leads to is not seen.
    classify(&[
        (Python, "@f1\n    def g():\n        return 1\n    assert h() == 2", Yes, ""),
        (Go, "defer func() { _ = recover() }()\n\tif h() != 2 {\n\t\tt.Fatal()\n\t}", Yes, ""),
    ]);
    let doomed = test_of(Rust, "let Some(x) = Some(1) else { return }; panic!(\"{x}\");");
    assert!(!facts(Rust, &doomed.0, doomed.1).unconditional);
}
