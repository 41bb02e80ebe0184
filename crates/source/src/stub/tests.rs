use super::*;

fn some(from: usize, to: usize) -> Lines {
    from..to
}

fn all(source: &str) -> Vec<Lines> {
    vec![some(0, source.lines().count())]
}

fn text(language: Language, source: &str, kind: Stub) -> String {
    stubbed(language, source, &all(source), kind).unwrap().text
}

const PYTHON: &str = r#""""A shop."""
import math
from typing import overload

RATE = 0.2


class Cart:
    """What is bought."""

    size = 3

    def __init__(self, items):
        self.items = items

    @property
    def total(self):
        """The sum."""
        return sum(self.items)

    @staticmethod
    def double(n: int = 1) -> int: return n * 2

    def each(self, start):
        for item in self.items:
            yield item + start


async def fetch(url):
    def inner():
        yield 1
    return list(inner())


@overload
def f(a: int) -> int: ...
"#;

#[test]
fn python_bodies_say_that_they_are_not_implemented() {
    let stubbed = stubbed(Language::Python, PYTHON, &all(PYTHON), Stub::NotImplemented).unwrap();
    let names: Vec<&str> = stubbed.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["Cart.__init__", "Cart.total", "Cart.double", "Cart.each", "fetch"]);
    assert_eq!(stubbed.left, [], "declarations, imports and texts do nothing, constants are for other stubs");
    let says = "raise NotImplementedError(\"not implemented\")";
    for line in [
        format!(
            "    def __init__(self, items):\n        {says}; self.items = items\n\n    @property\n    def total(self):\n        {says}; \"\"\"The sum.\"\"\"\n        return sum(self.items)\n"
        ),
        format!("    def double(n: int = 1) -> int: {says}; return n * 2\n"),
        format!(
            "    def each(self, start):\n        {says}\n        for item in self.items:\n            yield item + start\n"
        ),
        format!(
            "async def fetch(url):\n    {says}\n    def inner():\n        yield 1\n    return list(inner())\n\n\n@overload\ndef f(a: int) -> int: ...\n"
        ),
        "RATE = 0.2\n".to_owned(),
    ] {
        assert!(stubbed.text.contains(&line), "{line}\n---\n{}", stubbed.text);
    }
}

#[test]
fn python_bodies_give_values() {
    for (kind, lines) in [
        (
            Stub::Nothing,
            [
                "RATE = None\n",
                "items):\n        return; self.items = items\n",
                "int: return None; return n * 2\n",
                "start):\n        return\n        for item",
            ],
        ),
        (
            Stub::Zero,
            [
                "size = 0\n",
                "items):\n        return; self",
                "int: return 0; ",
                "start):\n        yield 0; return\n",
            ],
        ),
        (
            Stub::Text,
            [
                "RATE = \"\"\n",
                "total(self):\n        return \"\"; ",
                "int: return \"\"; ",
                "yield \"\"; return\n",
            ],
        ),
        (
            Stub::List,
            ["RATE = []\n", "total(self):\n        return []; ", "int: return []; ", "yield []; return\n"],
        ),
        (
            Stub::First,
            [
                "RATE = 0.2\n",
                "total(self):\n        return None; ",
                "int: return n; ",
                "yield start; return\n",
            ],
        ),
    ] {
        let text = text(Language::Python, PYTHON, kind);
        for line in lines {
            assert!(text.contains(line), "{kind:?}: {line}\n---\n{text}");
        }
    }
}

#[test]
fn only_what_changed_is_stubbed_and_what_can_t_be_is_told() {
    let source =
        "def a():\n    return 1\n\n\ndef b():\n    return 2\n\n\nREGISTRY = build(b)\nkey = lambda x: -x\n";
    let found = stubbed(Language::Python, source, &[some(5, 6)], Stub::Zero).unwrap();
    assert_eq!(found.text, source.replace("return 2", "return 0; return 2"));
    assert_eq!((found.bodies[0].lines.clone(), found.left.len()), (4..6, 0));

    let found = stubbed(Language::Python, source, &[some(8, 10)], Stub::NotImplemented).unwrap();
    assert_eq!(found.left, [Left { lines: 8..9, what: "REGISTRY = build(b)".into() }]);
    assert!(found.text.contains("lambda x: (_ for _ in ()).throw("), "{}", found.text);

    let handed_on = "from .cart import Cart\n\n__all__ = [\"Cart\"]\n";
    let found = stubbed(Language::Python, handed_on, &all(handed_on), Stub::Nothing).unwrap();
    assert_eq!(found.left.len(), 1, "to hand on is what such a file does: {:?}", found.left);
    assert_eq!(stubbed(Language::Python, "", &[], Stub::Zero).unwrap().text, "");
}

const TYPESCRIPT: &str = r#"import { tax } from "./tax";

export interface Item { price: number }
export const RATE = 0.2;
export const total = (items: Item[]): number => items.reduce((sum, item) => sum + item.price, 0);
export function* each(start = 1) {
  yield start;
}
export class Cart extends Base {
  size = 3;
  constructor(private items: Item[]) {
    super();
  }
  get count() {
    return this.items.length;
  }
  async fetch(url: string) {
    return await get(url);
  }
}
(() => {
  function inner() { return tax(1); }
})();
export { inner };
"#;

#[test]
fn typescript_bodies_throw_and_give_values() {
    let found = stubbed(Language::TypeScript, TYPESCRIPT, &all(TYPESCRIPT), Stub::NotImplemented).unwrap();
    let names: Vec<&str> = found.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["total", "each", "Cart.constructor", "Cart.count", "Cart.fetch", "inner"]);
    assert_eq!(found.left, []);
    let says = "throw new Error(\"not implemented\");";
    for line in [
        format!(
            "(items: Item[]): number => {{ if (true) {{ {says} }} return (items.reduce((sum, item) => sum + item.price, 0)); }};\n"
        ),
        format!("each(start = 1) {{ if (true) {{ {says} }}\n  yield start;\n"),
        format!("(private items: Item[]) {{ super(...arguments); {says} }}\n"),
        format!("function inner() {{ if (true) {{ {says} }} return tax(1); }}\n"),
        "RATE = 0.2;\n".to_owned(),
    ] {
        assert!(found.text.contains(&line), "{line}\n---\n{}", found.text);
    }
    let first = text(Language::TypeScript, TYPESCRIPT, Stub::First);
    for line in [
        "number => true ? items : (items.reduce(",
        "yield start; return;",
        "return url;",
        "{ super(...arguments); }\n",
    ] {
        assert!(first.contains(line), "{line}\n---\n{first}");
    }
    let zero = text(Language::TypeScript, TYPESCRIPT, Stub::Zero);
    assert!(
        zero.contains("RATE = 0;") && zero.contains("size = 0;") && zero.contains("number => true ? 0 : ("),
        "{zero}"
    );
    let common =
        "const tax = require(\"./tax\");\nfunction two() { return tax(2); }\nmodule.exports = { two };\n";
    let found = stubbed(Language::JavaScript, common, &all(common), Stub::Nothing).unwrap();
    assert_eq!((found.bodies.len(), found.left.len()), (1, 0), "{:?}", found.left);
    let handed_on = "export { two } from \"./shop.js\";\n";
    assert_eq!(
        stubbed(Language::JavaScript, handed_on, &all(handed_on), Stub::Nothing).unwrap().left.len(),
        1
    );
}

const GO: &str = r#"package shop

import "fmt"

const Rate = 3

type Cart struct{ items []int }

func Two(a, b int) (n int, err error) {
	return a + b, fmt.Errorf("x")
}

func (c *Cart) Same(s string) string { return s }

func init() { fmt.Println() }
"#;

#[test]
fn go_bodies_panic_first_and_stay() {
    let found = stubbed(Language::Go, GO, &all(GO), Stub::NotImplemented).unwrap();
    let names: Vec<&str> = found.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!((names, found.left), (vec!["Two", "Cart.Same", "init"], vec![]));
    assert!(
        found.text.contains("{ if true { panic(\"not implemented\") }; \n\treturn a + b"),
        "{}",
        found.text
    );
    assert!(found.text.contains("func init() { if true { return };"), "{}", found.text);
    let nothing = text(Language::Go, GO, Stub::Nothing);
    assert!(nothing.contains("if true { return *new(int), *new(error) };"), "{nothing}");
    assert!(nothing.contains("const Rate = 0\n"), "{nothing}");
    let first = text(Language::Go, GO, Stub::First);
    assert!(
        first.contains("string { if true { return s };") && first.contains("(n int, err error) {\n"),
        "{first}"
    );
    assert_eq!(text(Language::Go, GO, Stub::Zero), GO, "no type takes any value");
}

#[test]
fn in_typed_languages_another_value_is_one_that_is_not_the_types_own_nothing() {
    let go = |of: &str| {
        let source = format!("package shop\n\nfunc Two(a Money) {of} {{ return two(a) }}\n");
        let text = text(Language::Go, &source, Stub::Other);
        let put = text.split_once("if true { return ").and_then(|(_, rest)| rest.split_once(" };"));
        put.map(|(value, _)| value.to_owned())
    };
    for (of, value) in [
        ("int", "86"),
        ("bool", "true"),
        ("(string, bool)", "\"tdd\", true"),
        ("[]string", "make([]string, 1)"),
        ("*Cart", "new(Cart)"),
        ("map[string][]int", "map[string][]int{*new(string): *new([]int)}"),
        ("", ""),
    ] {
        assert_eq!(go(of).as_deref(), Some(value), "{of}");
    }
    assert!(go("error").unwrap().contains("recover().(error)"));
    for of in ["Money", "(int, Money)", "chan int", "map[[2]int]int"] {
        assert_eq!(go(of), None, "{of}");
    }
    let rust = |of: &str| {
        let source = format!("pub fn two(a: Money) -> {of} {{\n    make(a)\n}}\n");
        let text = text(Language::Rust, &source, Stub::Other);
        let put = text.split_once("if true { return ").and_then(|(_, rest)| rest.split_once("; }"));
        put.map(|(value, _)| value.to_owned())
    };
    for (of, value) in [
        ("u8", "86"),
        ("bool", "true"),
        ("String", "String::from(\"tdd\")"),
        ("Option<u32>", "Some(Default::default())"),
        ("Vec<String>", "vec![Default::default()]"),
        ("Result<i64, Error>", "Ok(86)"),
    ] {
        assert_eq!(rust(of).as_deref(), Some(value), "{of}");
    }
    for of in ["Money", "Result<(), Error>", "Option<Money>", "impl Iterator<Item = u8>"] {
        assert_eq!(rust(of), None, "{of}");
    }
}

const RUST: &str = r#"use std::fmt;

pub const RATE: u32 = 3;

pub struct Cart {
    items: Vec<u32>,
}

impl Cart {
    pub const fn new() -> Self {
        Self { items: Vec::new() }
    }

    fn all(&self) -> impl Iterator<Item = &u32> {
        self.items.iter()
    }
}

pub fn two(text: String) -> Result<String, fmt::Error> {
    Ok(text)
}

pub fn same(text: String) -> String {
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn works() {
        assert_eq!(super::same("a".into()), "a");
    }
}
"#;

#[test]
fn rust_bodies_panic_first_and_stay() {
    let found = stubbed(Language::Rust, RUST, &all(RUST), Stub::NotImplemented).unwrap();
    let names: Vec<&str> = found.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!((names, found.left), (vec!["Cart::new", "Cart::all", "two", "same"], vec![]));
    let says = "{ if true { panic!(\"not implemented\"); } \n        self.items.iter()";
    assert!(found.text.contains(says), "{}", found.text);
    let nothing = text(Language::Rust, RUST, Stub::Nothing);
    assert!(nothing.contains("fmt::Error> { if true { return Ok(Default::default()); }"), "{nothing}");
    assert!(nothing.contains("RATE: u32 = 0;") && nothing.contains("-> Self {\n"), "{nothing}");
    assert!(text(Language::Rust, RUST, Stub::First).contains("String { if true { return text; }"));
}

#[test]
fn ac_tdd_8_84_a_body_of_one_text_is_stubbed() {
    let stub = |body: &str| {
        let source = format!("def f(name):\n    {body}\n");
        let found = stubbed(Language::Python, &source, &all(&source), Stub::NotImplemented).unwrap();
        (found.bodies.len(), found.left.len())
    };
    for body in ["return \"x\"", "return f\"{name}!\"", "return 'a' 'b'", "yield \"x\""] {
        assert_eq!(stub(body), (1, 0), "{body}");
    }
    // What only says that it is not there yet is a declaration still.
    for body in ["raise NotImplementedError", "\"\"\"Not yet.\"\"\"\n    raise NotImplementedError(\"f\")"] {
        assert_eq!(stub(body).0, 0, "{body}");
    }
}

#[test]
fn ac_tdd_8_87_what_a_body_was_stays_in_the_source() {
    for (language, source) in [
        (Language::Python, "def slug(text):\n    text.lower()\n    return text\n"),
        (Language::Python, "def slug(text): return text.lower()\n"),
        (
            Language::Python,
            "class A:\n\tasync def slug(self, text):\n\t\t# as it is\n\t\tif text.lower():\n\t\t\tyield 1\n",
        ),
        (Language::Python, "def slug(text):\n    global last\n    last = text.lower()\n"),
        (
            Language::Python,
            "def slug(text):\n    @wraps(text.lower())\n    def inner(): ...\n    return inner\n",
        ),
        (Language::Python, "slug = lambda text: text.lower()\n"),
        (Language::JavaScript, "export const slug = (text) => text.lower();\n"),
        (Language::JavaScript, "export const slug = (text) => ({ a: text.lower() });\n"),
    ] {
        for kind in Stub::ALL {
            let now = text(language, source, kind);
            assert!(now.contains("text.lower()"), "{kind:?}: {now}");
            assert_ne!(now, source, "{kind:?}");
            assert!(!Tree::parse(language, &now).unwrap().is_torn(&(0..1)), "{kind:?}: {now}");
        }
    }
    // What is given back is still given by a generator.
    let each = "def each(items):\n    for item in items:\n        yield item\n";
    assert_eq!(text(Language::Python, each, Stub::Nothing), each.replace("    for", "    return\n    for"));
}

/// How many bodies of a source can be stubbed, and how many of them do nothing.
fn idle(language: Language, source: &str) -> (usize, usize) {
    let found = stubbed(language, source, &all(source), Stub::NotImplemented).unwrap();
    assert_eq!(found.left, [], "{source}");
    (found.bodies.len(), found.bodies.iter().filter(|body| body.is_idle).count())
}

#[test]
fn ac_tdd_8_88_a_body_that_does_nothing_is_one_and_told_as_that() {
    use Language::{Go, JavaScript, Python, Rust, TypeScript};
    for body in
        ["pass", "...", "\"\"\"Not yet.\"\"\"", "\"\"\"Not yet.\"\"\"\n    ...", "return", "return None"]
    {
        assert_eq!(idle(Python, &format!("def f(name):\n    {body}\n")), (1, 1), "{body}");
        assert_eq!(idle(Python, &format!("class A:\n  @staticmethod\n  def f():\n    {body}\n")), (1, 1));
    }
    assert_eq!(text(Python, "def f(): pass\n", Stub::Zero), "def f(): return 0; pass\n");
    for (language, source) in [
        (JavaScript, "export function f(a) {}\n"),
        (JavaScript, "export const f = (a) => {};\n"),
        (TypeScript, "export class A {\n  f(a: number): void {}\n}\n"),
        (Go, "package shop\n\nfunc F(a int) {}\n"),
        (Rust, "pub fn f(a: u8) {}\n"),
    ] {
        assert_eq!(idle(language, source), (1, 1), "{source}");
    }
    for (language, source) in [
        (Python, "def f(name):\n    print(name)\n"),
        (Python, "def f(name):\n    return 0\n"),
        (JavaScript, "export const f = () => 0;\n"),
        (JavaScript, "export function f(a) { a.b(); }\n"),
    ] {
        assert_eq!(idle(language, source), (1, 0), "{source}");
    }
}

#[test]
fn ac_tdd_8_88_what_others_are_to_write_is_a_declaration() {
    for source in [
        "class A(ABC):\n    def f(self):\n        pass\n",
        "class A(metaclass=abc.ABCMeta):\n    def f(self): ...\n",
        "class A(typing.Protocol[T]):\n    def f(self) -> int: ...\n",
        "class A:\n    @abc.abstractmethod\n    def f(self): ...\n\n    def on_close(self):\n        pass\n",
        "@overload\ndef f(a: int) -> int: ...\n",
        "class E(Exception):\n    pass\n",
        "class E(Exception):\n    \"\"\"Too much.\"\"\"\n",
        "if TYPE_CHECKING:\n    def f(a): ...\n",
        "@hookspec\ndef f(a):\n    \"\"\"Called when.\"\"\"\n",
    ] {
        // The condition around a declaration is no concern of this test.
        let found = stubbed(Language::Python, source, &all(source), Stub::NotImplemented).unwrap();
        assert_eq!(found.bodies, [], "{source}");
    }
    for (language, source) in [
        (Language::TypeScript, "export class A {\n  constructor(private a: number) {}\n}\n"),
        (Language::TypeScript, "export abstract class A {\n  onClose() {}\n}\n"),
        (Language::JavaScript, "on(() => {});\n"),
        (Language::Go, "package shop\n\nfunc main() {}\n"),
        (Language::Rust, "pub trait A {\n    fn on_close(&self) {}\n}\n"),
    ] {
        assert_eq!(idle(language, source), (0, 0), "{source}");
    }
}
