use super::*;

fn cut(language: Language, source: &str, names: &[&str]) -> Option<String> {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    without_tests(language, source, &names)
}

#[test]
fn ac_tdd_8_43_a_hidden_test_is_cut_out_of_its_file_by_the_grammar() {
    for (language, source, name, want) in [
        (
            Language::Python,
            "import shop\n\n@pytest.mark.parametrize('a', [1, 2])\ndef test_a(a):\n    assert a\n\ndef test_b():\n    assert 1\n",
            "test_a",
            "import shop\n\ndef test_b():\n    assert 1\n",
        ),
        (
            Language::Python,
            "class TestX(T):\n    def setUp(self): pass\n\n    def test_a(self):\n        self.x(1)\n\n    def test_b(self):\n        self.x(2)\n",
            "TestX::test_a",
            "class TestX(T):\n    def setUp(self): pass\n\n    def test_b(self):\n        self.x(2)\n",
        ),
        (
            Language::JavaScript,
            "const one = 1;\ntest('a', () => { ok(one); });\ntest('b', () => {\n  ok(1);\n});\n",
            "b",
            "const one = 1;\ntest('a', () => { ok(one); });\n",
        ),
        (
            Language::Rust,
            "fn help() {}\n\n#[test]\nfn a() { help(); }\n\n#[test]\nfn b() { assert!(true); }\n",
            "a",
            // What served it alone goes with it.
            "#[test]\nfn b() { assert!(true); }\n",
        ),
        (
            Language::Go,
            "package x\n\nfunc TestA(t *testing.T) { t.Fatal(1) }\nfunc TestB(t *testing.T) {}\n",
            "TestA",
            "package x\n\nfunc TestB(t *testing.T) {}\n",
        ),
    ] {
        assert_eq!(cut(language, source, &[name]).as_deref(), Some(want), "{language:?}");
        assert_eq!(cut(language, source, &["other"]), None);
    }
}

#[test]
fn ac_tdd_8_132_a_name_that_a_gone_test_alone_imports_goes_with_it() {
    const JS: &str = "test('a', () => { a(); });\ntest('d', () => { d(); });\n";
    const TEST: &str = "def test_a():\n    assert a(b.x) == c\n\n\ndef test_d():\n    assert d == 1\n";
    let kept = "def test_d():\n    assert d == 1\n";
    for (imports, want) in [
        ("from x import a, d\n", "from x import d\n"),
        ("from x import d, a, c\n", "from x import d\n"),
        ("from x import (\n    a,\n    d,\n)\n", "from x import (\n    d,\n)\n"),
        ("from x import (\n    d,\n    a,\n)\n", "from x import (\n    d\n)\n"),
        ("from x import d\nfrom y import a, b\n", "from x import d\n"),
        ("from x import d\nimport b\n", "from x import d\n"),
        ("from x import d\nfrom y import z as a, w\n", "from x import d\nfrom y import w\n"),
        ("from x import *\n", "from x import *\n"),
    ] {
        let source = format!("{imports}\n\n{TEST}");
        let got = with_imports(Language::Python, &source, "test_a");
        assert_eq!(got, format!("{want}{kept}"), "{source}");
    }
    for (imports, want) in [
        ("import { a, d } from './x';\n", "import { d } from './x';\n"),
        ("import { d } from './x';\nimport { a } from './y';\n", "import { d } from './x';\n"),
        ("import d from './x';\nimport a from './y';\n", "import d from './x';\n"),
        ("import d from './x';\nimport * as a from './y';\n", "import d from './x';\n"),
        ("import d, { a } from './x';\n", "import d, {  } from './x';\n"),
    ] {
        let source = format!("{imports}{JS}");
        let want = format!("{want}test('d', () => {{ d(); }});\n");
        assert_eq!(with_imports(Language::JavaScript, &source, "a"), want, "{source}");
    }
}

/// What is left, without blank lines.
fn with_imports(language: Language, source: &str, name: &str) -> String {
    let text = without_tests_and_imports(language, source, &[name.to_owned()]).unwrap_or_default();
    text.split_inclusive('\n').filter(|line| !line.trim().is_empty()).collect()
}

/// Where a formatter puts each test of a file, with what belongs to it; the last word is what stays.
struct Layout {
    language: Language,
    head: &'static str,
    /// Each with its name.
    tests: [(&'static str, &'static str); 3],
    between: &'static str,
    foot: &'static str,
}

const LAYOUTS: [Layout; 7] = [
    Layout {
        language: Language::Python,
        head: "# About the file.\nimport shop\n\n\n",
        tests: [
            (
                "test_a",
                "# About a.\n# More of it.\ndef test_a():\n    assert shop.one() == 1\n    # Nothing more.\n",
            ),
            ("test_b", "@mark.parametrize(\"x\", [1, 2])\ndef test_b(x):\n    assert x  # so\n"),
            ("test_c", "async def test_c():\n    assert \"\"\"\n\n\"\"\"\n"),
        ],
        between: "\n\n",
        foot: "",
    },
    Layout {
        language: Language::Python,
        head: "import shop\n\n\nclass TestX(TestCase):\n    \"\"\"About it.\"\"\"\n\n",
        tests: [
            ("TestX::test_a", "    # About a.\n    def test_a(self):\n        self.assertTrue(1)\n"),
            ("TestX::test_b", "    @skip\n    def test_b(self):\n        self.assertTrue(1)\n"),
            ("TestX::test_c", "    def test_c(self):\n        self.assertTrue(1)\n        # Done.\n"),
        ],
        between: "\n",
        foot: "\n\nif __name__ == \"__main__\":\n    main()\n",
    },
    Layout {
        language: Language::JavaScript,
        head: "// About the file.\nimport { one } from \"./shop.mjs\";\n\n",
        tests: [
            ("a", "// About a.\ntest(\"a\", () => {\n  one();\n}); // so\n"),
            (
                "b",
                "/**\n * About b.\n */\nawait test(\"b\", async (t) => {\n  await t.test(\"c\", () => {});\n});\n",
            ),
            ("d", "test.only(\"d\", () => {});\n"),
        ],
        between: "\n",
        foot: "",
    },
    Layout {
        language: Language::TypeScript,
        head: "import { one } from './shop';\n\ndescribe('s', () => {\n",
        tests: [
            ("s > a", "  it('a', () => {\n    one();\n  });\n"),
            ("s > b", "  // About b.\n  it('b', () => {});\n"),
            ("s > d", "  it('d', () => {});\n"),
        ],
        between: "\n",
        foot: "});\n",
    },
    Layout {
        language: Language::Rust,
        head: "//! About the file.\n\nuse shop::all;\n\n",
        tests: [
            ("a", "/// About a.\n#[test]\nfn a() {\n    assert_eq!(one(), 1);\n}\n"),
            ("b", "#[test]\n// Between.\n#[should_panic]\nfn b() {\n    one();\n}\n"),
            ("c", "/* About c. */\n#[test]\nfn c() {}\n"),
        ],
        between: "\n",
        foot: "",
    },
    Layout {
        language: Language::Rust,
        head: "mod doubled {\n    use shop::one;\n\n",
        tests: [
            (
                "doubled::a",
                "    /// About a.\n    #[test]\n    fn a() {\n        assert_eq!(one(), 1);\n    }\n",
            ),
            ("doubled::b", "    #[test]\n    fn b() {}\n"),
            ("doubled::c", "    #[test]\n    fn c() {}\n"),
        ],
        between: "\n",
        foot: "}\n",
    },
    Layout {
        language: Language::Go,
        head: "package shop\n\nimport \"testing\"\n\n",
        tests: [
            (
                "TestA",
                "// TestA is about a.\nfunc TestA(t *testing.T) {\n\tt.Run(\"b\", func(t *testing.T) {})\n}\n",
            ),
            ("TestB", "func TestB(t *testing.T) {\n\tone()\n} // so\n"),
            ("TestC", "/*\nAbout c.\n*/\nfunc TestC(t *testing.T) {}\n"),
        ],
        between: "\n",
        foot: "",
    },
];

#[test]
fn ac_tdd_8_50_what_is_left_has_the_layout_that_a_formatter_leaves() {
    for layout in &LAYOUTS {
        let whole = |stay: &[usize]| {
            let texts: Vec<&str> = stay.iter().map(|at| layout.tests[*at].1).collect();
            format!("{}{}{}", layout.head, texts.join(layout.between), layout.foot)
        };
        let source = whole(&[0, 1, 2]);
        for (gone, stay) in [
            (&[0][..], &[1, 2][..]),
            (&[1], &[0, 2]),
            (&[2], &[0, 1]),
            (&[0, 1], &[2]),
            (&[0, 2], &[1]),
            (&[1, 2], &[0]),
        ] {
            let names: Vec<&str> = gone.iter().map(|at| layout.tests[*at].0).collect();
            for end in ["\n", "\r\n"] {
                let (source, want) = (source.replace('\n', end), whole(stay).replace('\n', end));
                assert_eq!(cut(layout.language, &source, &names), Some(want), "{names:?} of {source}");
            }
        }
    }
}

#[test]
fn ac_tdd_8_50_what_is_empty_without_its_tests_goes_with_them() {
    for (language, source, names, want) in [
        (
            Language::Python,
            "class TestA:\n    \"\"\"a\"\"\"\n\n    def test_a(self):\n        assert 1\n\n\n# About b.\n@mark\nclass TestB:\n    def test_b(self):\n        assert 2\n",
            &["TestB::test_b"][..],
            "class TestA:\n    \"\"\"a\"\"\"\n\n    def test_a(self):\n        assert 1\n",
        ),
        // What others may call stays.
        (
            Language::Python,
            "class TestA:\n    def setUp(self):\n        pass\n\n    def test_a(self):\n        assert 1\n\n\ndef test_b():\n    assert 2\n",
            &["TestA::test_a"],
            "class TestA:\n    def setUp(self):\n        pass\n\n\ndef test_b():\n    assert 2\n",
        ),
        (
            Language::JavaScript,
            "test('a', () => {});\n\ndescribe('s', () => {\n  beforeEach(() => {});\n\n  describe('t', () => {\n    test('b', () => {});\n  });\n});\n",
            &["s > t > b"],
            "test('a', () => {});\n",
        ),
        (
            Language::Rust,
            "mod one {\n    use super::*;\n\n    #[test]\n    fn a() {}\n}\n\n#[cfg(unix)]\nmod two {\n    use super::*;\n\n    #[test]\n    fn b() {}\n}\n",
            &["two::b"],
            "mod one {\n    use super::*;\n\n    #[test]\n    fn a() {}\n}\n",
        ),
    ] {
        assert_eq!(cut(language, source, names).as_deref(), Some(want));
    }
}

#[test]
fn ac_tdd_8_51_what_is_nested_in_a_test_is_parted_with_it() {
    let node = "test('a', async (t) => {\n  await t.test('b', () => {});\n  await t.test('c', () => {});\n});\n\ndescribe('s', () => {\n  it('d', () => {\n    it('e', () => {});\n  });\n});\n";
    let outer = |language, source| {
        let tests: Vec<OuterTest> = outer_tests(language, source).unwrap();
        tests.into_iter().map(|test| (test.name, test.names.join(", "))).collect::<Vec<_>>()
    };
    let told = |pairs: &[(&str, &str)]| {
        pairs.iter().map(|(name, names)| ((*name).to_owned(), (*names).to_owned())).collect::<Vec<_>>()
    };
    assert_eq!(
        outer(Language::JavaScript, node),
        told(&[("a", "a, a > b, a > c"), ("s > d", "s > d, s > d > e")])
    );
    assert_eq!(cut(Language::JavaScript, node, &["a > b"]), None, "half a test is none");
    assert_eq!(
        outer(
            Language::Go,
            "package x\n\nfunc TestA(t *testing.T) {\n\tt.Run(\"b c\", func(t *testing.T) {})\n\tt.Run(name, func(t *testing.T) {})\n}\n"
        ),
        told(&[("TestA", "TestA, TestA/b_c")])
    );
    let given = "const done = test('a', () => {});\ntest('b', () => {});\n";
    assert_eq!(outer_tests(Language::JavaScript, given), None, "it can't be cut out of its statement");
}

#[test]
fn ac_tdd_8_59_imports_of_go_that_hidden_tests_alone_use_go_with_them() {
    let test = |name: &str, says: &str| format!("func Test{name}(t *testing.T) {{ {says} }}\n");
    let one = test("A", "t.Log(strings.ToUpper(s), yaml.Node{}, pgx.X, x.Y)");
    let other = test("B", "t.Log(errors.New(s))");
    let source = |head: &str, tests: &str| format!("package x\n\n{head}{tests}");
    let both = [one.as_str(), other.as_str()].join("\n");
    for (head, left) in [
        (
            "import (\n\t\"errors\"\n\t\"strings\"\n\t\"testing\"\n\n\tx \"a.b/c\"\n\t\"github.com/jackc/pgx/v5\"\n\t\"gopkg.in/yaml.v3\"\n)\n\n",
            "import (\n\t\"errors\"\n\t\"testing\"\n)\n\n",
        ),
        (
            "import \"strings\"\nimport \"errors\"\nimport \"testing\"\n\n",
            "import \"errors\"\nimport \"testing\"\n\n",
        ),
        // Imported for what it does, or so that its names need no other, or with a name that nobody knows.
        (
            "import (\n\t\"testing\"\n\n\t_ \"embed\"\n\t. \"fmt\"\n\t\"a.b/unknown\"\n)\n\n",
            "import (\n\t\"testing\"\n\n\t_ \"embed\"\n\t. \"fmt\"\n\t\"a.b/unknown\"\n)\n\n",
        ),
        ("import (\n\t\"strings\"\n)\n\nimport \"testing\"\n\n", "import \"testing\"\n\n"),
    ] {
        let now = cut(Language::Go, &source(head, &both), &["TestA"]);
        assert_eq!(now, Some(source(left, &other)), "{head}");
    }
    // What is used beside it stays, in a helper as in another test.
    let helper = "func help(s string) string { return strings.ToUpper(s) }\n\n";
    let head = "import (\n\t\"strings\"\n\t\"testing\"\n)\n\n";
    let both_of_them = source(head, &[helper, &both].concat());
    assert_eq!(cut(Language::Go, &both_of_them, &["TestA"]), Some(source(head, &[helper, &other].concat())));
}

#[test]
fn ac_tdd_8_105_in_rust_what_serves_the_gone_tests_alone_goes_with_them() {
    let source = "pub fn sum() {}\n\n#[cfg(test)]\nmod tests {\n    use super::{Cart, mean, sum};\n    use crate::most;\n\n    \
        const BIG: u32 = 9;\n\n    fn cart() -> Cart {\n        Cart::of(BIG)\n    }\n\n    #[test]\n    fn sums() {\n        sum();\n    }\n\n    \
        #[test]\n    fn means() {\n        mean(cart());\n    }\n\n    #[test]\n    fn mosts() {\n        most();\n    }\n}\n";
    let without = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        without_tests(Language::Rust, source, &names).unwrap()
    };
    let left = without(&["tests::means", "tests::mosts"]);
    assert_eq!(
        left,
        "pub fn sum() {}\n\n#[cfg(test)]\nmod tests {\n    use super::{sum};\n\n    \
         #[test]\n    fn sums() {\n        sum();\n    }\n}\n"
    );
    let left = without(&["tests::mosts"]);
    assert!(left.contains("use super::{Cart, mean, sum};") && left.contains("fn cart()"), "{left}");
    assert!(!left.contains("crate::most"), "{left}");
}

#[test]
fn ac_tdd_8_127_in_a_file_that_is_a_module_of_tests_too() {
    let source = "use cart::{mean, sum};\nuse cart::most;\npub use cart::all;\n\nfn cart() -> u32 {\n    most()\n}\n\npub fn kit() {\n    mean();\n}\n\n\
        #[test]\nfn sums() {\n    sum();\n}\n\n#[test]\nfn means() {\n    all(mean(cart()));\n}\n";
    assert_eq!(
        without_tests(Language::Rust, source, &["means".to_owned()]).as_deref(),
        Some(
            "use cart::{mean, sum};\npub use cart::all;\n\npub fn kit() {\n    mean();\n}\n\n#[test]\nfn sums() {\n    sum();\n}\n"
        )
    );
}
