use super::*;

const PY: &str = "from shop import one\nfrom checks import same\n\ndef helper():\n    return one()\n\n\
    def test_a():\n    assert one() == 1\n\ndef test_b(cart):\n    total = cart.sum()\n    assert total == 3\n\n\
    class TestC:\n    def kit(self):\n        return 1\n\n    def test_c(self):\n        assert self.kit() == abs(-1)\n";

/// `shop*` is production, `checks*` tests, anything else a library.
fn origin(from: &str) -> Origin {
    let stem = from.split([':', '.', '/']).find(|part| !part.is_empty()).unwrap_or_default();
    let files = BTreeSet::from([RelPath::new(&format!("{stem}.py")).unwrap()]);
    match stem {
        "shop" | "super" | "crate" => Origin::Production(files),
        "checks" | "mod checks" => Origin::Tests(files),
        "later" => Origin::Absent,
        _ => Origin::Library,
    }
}

/// The tests that see something else, each with the name.
fn found(language: Language, before: &str, after: &str) -> Vec<String> {
    let found = rebound(language, before, after, &origin).unwrap();
    found.into_iter().map(|it| format!("{} {}", it.test.unwrap_or_default(), it.name)).collect()
}

#[test]
fn ac_tdd_8_104_a_name_that_is_given_another_meaning_below_an_import_changes_the_tests_that_use_it() {
    let added = |text: &str| format!("{PY}\n\n{text}\n");
    for (after, want) in [
        (added("def one():\n    return 1"), vec![" one", "test_a one"]),
        (added("one = lambda: 1"), vec![" one", "test_a one"]),
        (added("for one in [lambda: 1]:\n    pass"), vec![" one", "test_a one"]),
        (added("def abs(x):\n    return 1"), vec!["TestC::test_c abs"]),
        (added("from unittest.mock import MagicMock as one"), vec![" one", "test_a one"]),
        (PY.replace("shop import one", "shop import two as one"), vec![" one", "test_a one"]),
        (PY.replace("shop import one", "checks import one"), vec![" one", "test_a one"]),
        (PY.replace("from shop import one\n", ""), vec![" one", "test_a one"]),
        (PY.replace("from shop import one", "from math import one"), vec![" one", "test_a one"]),
        (added("match (lambda: 1):\n    case one:\n        pass"), vec![" one", "test_a one"]),
        (added("def setup_module():\n    global one\n    one = lambda: 1"), vec![" one", "test_a one"]),
        // The last of two tests of one name is run.
        (added("def test_a():\n    assert True"), vec!["test_a test_a"]),
        (added("class TestC:\n    def test_d(self):\n        assert True"), vec!["TestC::test_c TestC"]),
        (
            PY.replace("    def test_c", "    def kit(self):\n        return 2\n\n    def test_c"),
            vec!["TestC::test_c kit"],
        ),
        (added("import pytest\n\n@pytest.fixture\ndef cart():\n    return Fake()"), vec!["test_b cart"]),
        (
            added("import pytest\n\n@pytest.fixture(name=\"cart\")\ndef _():\n    return Fake()"),
            vec!["test_b cart"],
        ),
    ] {
        assert_eq!(found(Language::Python, PY, &after), want, "{after}");
    }
}

#[test]
fn what_is_added_for_new_tests_alone_changes_no_old_one() {
    let added = |text: &str| format!("{PY}\n\n{text}\n");
    for after in [
        added("def two():\n    return 2\n\ndef test_two():\n    assert two() == 2"),
        // A variable of a test is its own.
        added("def total():\n    return 3"),
        added("def cart():\n    return 3"),
        added("def sum():\n    return 3"),
        added("def kit():\n    return 3"),
        added("class TestD:\n    def kit(self):\n        return 2"),
        added("def test_d():\n    one = 1\n    assert one == 1"),
        PY.replace("import one", "import one, two"),
        PY.replace("import one", "import two, one"),
        PY.replace("from shop import one", "from shop.cart import one"),
        PY.replace("from shop import one", "from later import one"),
        PY.replace("from shop import one", "from shop import *"),
        added("ALL = [one for one in range(3)]"),
        added("from typing import overload\n\n@overload\ndef helper(x: int) -> int: ..."),
        added("try:\n    import tomllib\nexcept ImportError:\n    import tomli as tomllib"),
        PY.replace("from shop import one", "from shop import one\nfrom shop import one"),
        added("from math import floor\nimport shop"),
    ] {
        assert_eq!(found(Language::Python, PY, &after), Vec::<String>::new(), "{after}");
    }
    let rows =
        "import pytest\n\n@pytest.mark.parametrize(\"cart\", [1])\ndef test_b(cart):\n    assert cart == 1\n";
    let after = format!("{rows}\n@pytest.fixture\ndef cart():\n    return 2\n");
    assert_eq!(found(Language::Python, rows, &after), Vec::<String>::new());
    let all = "from shop import *\n\ndef test_a():\n    assert one() == 1\n";
    let named = all.replace("import *", "import *\nfrom shop import one");
    assert_eq!(found(Language::Python, all, &named), Vec::<String>::new());
    let hidden = format!("{all}\n\ndef one():\n    return 1\n");
    assert_eq!(found(Language::Python, all, &hidden), ["test_a one"]);
}

#[test]
fn in_scripts_the_levels_around_a_test_count() {
    const JS: &str = "import { one } from './shop';\n\ndescribe('cart', () => {\n  let cart;\n  \
        beforeEach(() => { cart = one(); });\n  it('a', () => {\n    const total = one();\n    \
        expect(total).toBe(1);\n    expect(cart).toBe(1);\n  });\n});\n";
    for (after, want) in [
        (JS.replace("  let cart", "  const one = () => 1;\n  let cart"), vec![" one", "cart > a one"]),
        (
            JS.replace("  let cart", "  function expect() { return { toBe() {} }; }\n  let cart"),
            vec!["cart > a expect"],
        ),
        (format!("{JS}\nconst expect = () => ({{ toBe() {{}} }});\n"), vec!["cart > a expect"]),
        (format!("import {{ expect }} from './checks';\n{JS}"), vec!["cart > a expect"]),
        (JS.replace("{ one }", "{ two as one }"), vec![" one", "cart > a one"]),
        // Its twins.
        (format!("import {{ expect }} from 'vitest';\n{JS}"), vec![]),
        (format!("{JS}\ndescribe('more', () => {{ const one = () => 2; it('b', () => {{}}); }});\n"), vec![]),
        (format!("{JS}\nconst total = 3;\n"), vec![]),
        (
            JS.replace(
                "import { one } from './shop';",
                "import * as shop from './shop';\nconst { one, two } = shop;",
            ),
            vec![],
        ),
        (format!("{JS}\nfor (const one of [1, 2]) {{ it(`new ${{one}}`, () => {{}}); }}\n"), vec![]),
        (JS.replace("{ one }", "{ one, two }"), vec![]),
        (JS.replace("'./shop'", "'./shop.js'"), vec![]),
        (JS.replace("import { one }", "import one"), vec![]),
    ] {
        let got = found(Language::JavaScript, JS, &after);
        let got: Vec<String> =
            got.into_iter().filter(|line| !line.starts_with("cart ") || line.contains(" a ")).collect();
        assert_eq!(got, want, "{after}");
    }
}

const GO: &str = "package shop\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {\n\tcart := Cart{total: 1}\n\t\
        if len(cart.items) != 0 {\n\t\tt.Fatal(cart)\n\t}\n}\n";

const INLINE: &str = "pub fn one() -> u8 { 1 }\n\nmod tests {\n    use super::one;\n\n    #[test]\n    fn a() { assert!(one() == 1); }\n}\n";

#[test]
fn in_rust_and_go_what_hides_a_package_s_names_counts() {
    const RS: &str = "use super::*;\nuse crate::money::sum;\n\n#[test]\nfn formats() {\n    let format = format(1);\n    \
        assert_eq!(format.total, sum(vec![1]));\n}\n";
    let added = |text: &str| format!("{RS}\n{text}\n");
    for (after, want) in [
        (added("fn format(x: i32) -> Money { Money }"), vec!["formats format"]),
        (added("macro_rules! assert_eq { ($($t:tt)*) => {} }"), vec!["formats assert_eq"]),
        (added("use checks::fake as sum;"), vec!["formats sum"]),
        (
            format!("#[macro_use]\nmod more {{ macro_rules! assert_eq {{ ($($t:tt)*) => {{}} }} }}\n{RS}"),
            vec!["formats assert_eq"],
        ),
        (added("mod more { impl super::Money { fn total(&self) -> i32 { 1 } } }"), vec!["formats total"]),
        // Its twins.
        (added("fn total() -> i32 { 1 }"), vec![]),
        (added("struct Fake;\nimpl Fake { fn sum(&self) {} fn format(&self) {} }"), vec![]),
        (added("use pretty_assertions::assert_eq;"), vec![]),
        (added("use std::collections::HashMap;"), vec![]),
        (added("mod more { fn sum() {} macro_rules! assert_eq { () => {} } }"), vec![]),
        (added("mod more { struct Fake; impl Fake { fn total(&self) -> i32 { 1 } } }"), vec![]),
        (RS.replace("use super::*;", "use super::{format, *};"), vec![]),
    ] {
        assert_eq!(found(Language::Rust, RS, &after), want, "{after}");
    }
    for (after, want) in [
        (INLINE.replace("super::one", "super::*"), vec![]),
        (INLINE.replace("use super::one;", "use super::*;\n    fn one() -> u8 { 1 }"), vec!["tests::a one"]),
    ] {
        assert_eq!(found(Language::Rust, INLINE, &after), want, "{after}");
    }
    for (after, want) in [
        (format!("{GO}\nfunc len(x []int) int {{ return 0 }}\n"), vec!["TestA len"]),
        (format!("{GO}\nfunc total() int {{ return 0 }}\n"), vec![]),
        (format!("{GO}\nfunc items() int {{ return 0 }}\n"), vec![]),
        (GO.replace("\"testing\"", "testing \"testing\""), vec![]),
        (GO.replace("\"testing\"", "(\n\t\"fmt\"\n\t\"testing\"\n)"), vec![]),
    ] {
        assert_eq!(found(Language::Go, GO, &after), want, "{after}");
    }
}

#[test]
fn ac_tdd_8_128_a_parameter_without_brackets_is_its_functions_own() {
    let old = "import test from 'ava';\n\ntest('a', t => {\n\tt.is(one(), 1);\n});\n";
    for added in ["test('b', t => {\n\tt.is(two(), 2);\n});\n", "test('b', (t) => { t.is(two(), 2); });\n"] {
        assert_eq!(
            found(Language::JavaScript, old, &format!("{old}\n{added}")),
            Vec::<String>::new(),
            "{added}"
        );
    }
    let hides = format!("{old}\nconst one = t => 1;\n");
    assert_eq!(found(Language::JavaScript, old, &hides), ["a one"]);
}
