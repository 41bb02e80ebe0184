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
fn test_of(language: Language, body: &str) -> (String, &'static str) {
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
    let unknown = BodyFacts {
        expectation: Expectation::Unknown,
        looks_at: std::collections::BTreeSet::new(),
        unconditional: false,
        hollow: Vec::new(),
        skipped: None,
    };
    TestFile::read(language, source).unwrap().body(test).cloned().unwrap_or(unknown)
}

/// A body, what it expects, and `f1` if an expectation looks at that.
type Row = (Language, &'static str, Expectation, &'static str);

fn weigh(rows: &[Row]) {
    for (language, body, want, looked) in rows {
        let (source, test) = test_of(*language, body);
        let facts = facts(*language, &source, test);
        let looks = if facts.looks_at.contains("f1") { "f1" } else { "" };
        assert_eq!((facts.expectation, looks), (*want, *looked), "{language:?}: {body}");
    }
}

#[test]
fn what_holds_without_the_code_is_no_expectation_in_python() {
    use Expectation::{No, Unknown, Yes};
    use Language::Python;
    weigh(&[
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
        (Python, "f1()\n    x = 1\n    assert x == 1", Yes, ""),
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
    weigh(&[
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
        (Rust, "[1].iter().for_each(|x| assert_eq!(f1(*x), 2));", Yes, "f1"),
        (Rust, "println!(\"{}\", 1); let v = vec![1];", No, ""),
        (Rust, "check![f1()]; #[allow(unused)] let (a, b) = (1, 2);", Unknown, "f1"),
    ]);
}

#[test]
fn what_holds_without_the_code_is_no_expectation_in_javascript_and_go() {
    use Expectation::{No, Unknown, Yes};
    use Language::{Go, JavaScript, Tsx};
    weigh(&[
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
        (JavaScript, "if (f1() !== 2) throw new Error('no');", Yes, "f1"),
        (JavaScript, "console.log(1)", No, ""),
        (JavaScript, "assert.equal(`${f1()}`, '2');", Yes, "f1"),
        (Tsx, "render(<f1 />); expect(screen.text).toBe('x' as string);", Yes, ""),
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
fn weakened_tests_are_found_and_moved_or_formatted_ones_are_not() {
    use Language::{JavaScript, Python, Rust};
    let inline =
        "#[cfg(test)] mod tests { #[test] fn a() { assert_eq!(f(1, 2), \"x y\"); } #[test] fn b() { g() } }";
    let python =
        "class TestA:\n    @mark(\n        1,\n    )\n    def test_a(self):\n        assert f(1) == 2\n";
    let node = "describe('s', () => { test('a', () => { assert.equal(f(), 1); }); });";
    let moved =
        "mod other {\n  #[test]\n  fn a() {\n  // why\n  assert_eq!(\n f(1, 2,),\n \"x y\",\n );\n }\n }";
    let b = |with: &str| inline.replace("#[test] fn b", with);
    for (name, language, before, after, want) in [
        ("the same", Rust, inline, vec![inline.to_owned()], ""),
        ("emptied", Rust, inline, vec![inline.replace("assert_eq!(f(1, 2), \"x y\");", "")], "tests::a"),
        ("gone", Rust, inline, vec!["fn f() {}".to_owned()], "tests::a tests::b"),
        ("file gone", Rust, inline, vec![], "tests::a tests::b"),
        (
            "moved and formatted",
            Rust,
            inline,
            vec![moved.to_owned(), "#[test]\nfn b() {\n g()\n}".to_owned()],
            "",
        ),
        ("a space in a string", Rust, inline, vec![inline.replace("x y", "xy")], "tests::a"),
        ("ignored", Rust, inline, vec![b("#[test] #[ignore] fn b")], "tests::b"),
        ("switched off", Rust, inline, vec![b("#[cfg(no)] #[test] fn b")], "tests::b"),
        ("no test any more", Rust, inline, vec![b("fn b")], "tests::b"),
        ("another before it", Rust, inline, vec![b("#[inline] fn c() {} #[test] fn b")], ""),
        ("the same", Python, python, vec![python.to_owned()], ""),
        (
            "skipped",
            Python,
            python,
            vec![python.replace("    def", "    @pytest.mark.skip\n    def")],
            "TestA::test_a",
        ),
        ("other arguments", Python, python, vec![python.replace("1,", "2,")], "TestA::test_a"),
        (
            "out of its class",
            Python,
            python,
            vec!["@mark(1)\ndef test_a(self):  # x\n  assert f(1)==2\n".to_owned()],
            "",
        ),
        ("the same", JavaScript, node, vec![node.to_owned()], ""),
        ("skipped", JavaScript, node, vec![node.replace("test(", "test.skip(")], "s > a"),
        ("weaker", JavaScript, node, vec![node.replace("f(), 1", "1, 1")], "s > a"),
        (
            "out of its suite",
            JavaScript,
            node,
            vec!["test('a', () => {\n  assert.equal(f(), 1);\n});".to_owned()],
            "",
        ),
    ] {
        let after: Vec<&str> = after.iter().map(String::as_str).collect();
        let found = weakened(language, &[("src/x", before)], &after);
        assert!(found.iter().all(|(path, _)| path == "src/x"));
        let names: Vec<String> = found.into_iter().map(|(_, test)| test).collect();
        assert_eq!(names.join(" "), want, "{language:?}: {name}");
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
                let _ = weakened(language, &[("a", &format!("{first}{second}"))], &[]);
                let (source, test) = test_of(language, &format!("assert {first} {second} (é)!"));
                let _ = TestFile::read(language, &source).map(|file| file.body(test).cloned());
            }
        }
    }
}
