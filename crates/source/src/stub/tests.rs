use super::*;

fn all(source: &str) -> Vec<Lines> {
    vec![0..source.lines().count()]
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
            "    def __init__(self, items):\n        {says}\n\n    @property\n    def total(self):\n        {says}\n"
        ),
        format!("    def double(n: int = 1) -> int: {says}\n"),
        format!("    def each(self, start):\n        {says}; yield\n"),
        format!("async def fetch(url):\n    {says}\n\n\n@overload\ndef f(a: int) -> int: ...\n"),
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
                "items):\n        pass\n",
                "int: return None\n",
                "start):\n        return; yield\n",
            ],
        ),
        (
            Stub::Zero,
            ["size = 0\n", "items):\n        pass\n", "int: return 0\n", "start):\n        yield 0\n"],
        ),
        (
            Stub::Text,
            ["RATE = \"\"\n", "total(self):\n        return \"\"\n", "int: return \"\"\n", "yield \"\"\n"],
        ),
        (Stub::List, ["RATE = []\n", "total(self):\n        return []\n", "int: return []\n", "yield []\n"]),
        (
            Stub::First,
            ["RATE = 0.2\n", "total(self):\n        return None\n", "int: return n\n", "yield start\n"],
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
    let found = stubbed(Language::Python, source, &[5..6], Stub::Zero).unwrap();
    assert_eq!(found.text, source.replace("return 2", "return 0"));
    assert_eq!((found.bodies[0].lines.clone(), found.left.len()), (4..6, 0));

    let found = stubbed(Language::Python, source, &[8..10], Stub::NotImplemented).unwrap();
    assert_eq!(found.left, [Left { lines: 8..9, what: "REGISTRY = build(b)".into() }]);
    assert!(found.text.contains("lambda x: (_ for _ in ()).throw("), "{}", found.text);

    let handed_on = "from .cart import Cart\n\n__all__ = [\"Cart\"]\n";
    let found = stubbed(Language::Python, handed_on, &all(handed_on), Stub::Nothing).unwrap();
    assert_eq!(found.left.len(), 1, "to hand on is what such a file does: {:?}", found.left);
    assert_eq!(stubbed(Language::Python, "", &[], Stub::Zero).unwrap().text, "");
}
