//! Calls whose effect a later expectation looks at: what is printed, written to a file, told to a spy.
//!
//! ```text
//! hello()                              a call that stands alone
//! assert capsys.readouterr().out == …  an expectation after it, of what is not the code's own:
//!                                      a fixture, the language's own, a global, or what the call was given
//! ```
//!
//! An expectation of nothing but other production code (`assert older(1) == 2`) looks at no effect.

use std::collections::BTreeSet;

use super::super::Language;
use super::super::tree::Span;
use super::Reading;

/// What only says something else of what it is given.
const PURE: [&str; 30] = [
    "len",
    "str",
    "int",
    "float",
    "bool",
    "list",
    "dict",
    "set",
    "tuple",
    "sorted",
    "sum",
    "min",
    "max",
    "repr",
    "abs",
    "round",
    "isinstance",
    "type",
    "any",
    "all",
    "String",
    "Number",
    "Boolean",
    "Array",
    "Object",
    "JSON",
    "Math",
    "vec",
    "format",
    "expect",
];

/// Values that are followed for one expectation.
const MOST_FOLLOWED: usize = 256;

impl<'s> Reading<'_, 's> {
    /// Who is called for an effect that one of these expectations looks at: of each, where it stands, and the spans that
    /// decide it.
    pub(super) fn effects(&self, body: &Span, looks: &[(Span, Vec<Span>)]) -> Vec<Span> {
        let Some(last) = looks.iter().map(|(whole, _)| whole.start).max() else { return Vec::new() };
        let mut found = Vec::new();
        for at in (body.start..last.min(body.end)).filter(|at| self.stands_alone(*at, body)) {
            let call = self.tree.span(at);
            let given = self.flow.closure(self.tree, vec![call.clone()]);
            let is_looked_at = |(whole, subjects): &(Span, Vec<Span>)| {
                whole.start >= call.end && self.looks_at_an_effect(subjects, &given)
            };
            if looks.iter().any(is_looked_at) {
                // Who hands something to a library wants to see what it makes of that: `render(<Cart />)`.
                found.push(call);
            }
        }
        found
    }

    /// A call of which nothing is kept.
    fn stands_alone(&self, at: usize, body: &Span) -> bool {
        let tree = self.tree;
        let is_call = |at: usize| matches!(tree.kind(at), "call" | "call_expression");
        let mut around = tree.ancestors(at).take_while(|around| *around >= body.start);
        let statement = around.find(|around| {
            !matches!(tree.kind(*around), "await" | "await_expression" | "try_expression" | "arguments")
        });
        is_call(at)
            && statement.is_some_and(|at| matches!(tree.kind(at), "expression_statement" | "with_item"))
    }

    /// Whether what it expects is decided by more than other code of the project's.
    fn looks_at_an_effect(&self, subjects: &[Span], given: &BTreeSet<String>) -> bool {
        let mut open: Vec<Span> = subjects.to_vec();
        let mut followed: BTreeSet<(usize, usize)> = BTreeSet::new();
        while let Some(span) = open.pop() {
            if !followed.insert((span.start, span.end)) || followed.len() > MOST_FOLLOWED {
                continue;
            }
            for at in span.filter(|at| self.is_root(*at)) {
                let name = self.tree.text(at);
                let is_of_code = self.calls.is_of_production(name) || self.is_called(name, at);
                if PURE.contains(&name) || is_of_code || self.is_crate(name, at) {
                    continue;
                }
                let values = self.flow.values(name, at);
                let is_own = values.is_empty();
                if (is_own && !self.calls.brings_all_names()) || (!is_own && given.contains(name)) {
                    return true;
                }
                open.extend(values.iter().cloned());
            }
        }
        false
    }

    /// A name that stands for itself: not one of something, and not of an argument.
    fn is_root(&self, at: usize) -> bool {
        let tree = self.tree;
        let parent = tree.node(at).parent;
        let is_named_argument = tree.kind(parent) == "keyword_argument" && tree.node(at).field == "name";
        let is_last_of_path = tree.kind(parent) == "scoped_identifier" && tree.node(at).field == "name";
        let is_of_something = matches!(tree.node(at).field, "attribute" | "property");
        matches!(tree.kind(at), "identifier" | "self" | "this" | "package_identifier")
            && !(is_of_something || is_named_argument || is_last_of_path)
    }

    /// Rust, whose macros hold nothing but words: the head of a path, but that of the language's own, the parts behind
    /// it, and what is called.
    fn is_crate(&self, name: &str, at: usize) -> bool {
        if self.tree.language != Language::Rust {
            return false;
        }
        let node = self.tree.node(at);
        let before = self.tree.source.get(..node.begin).unwrap_or_default().trim_end();
        let after = self.tree.source.get(node.end..).unwrap_or_default().trim_start();
        before.ends_with("::")
            || before.ends_with('.')
            || after.starts_with(['(', '!'])
            || after.starts_with("::") && !matches!(name, "std" | "core" | "alloc")
    }

    /// Whether a function of the file or its package is called here: what it gives is code's own again.
    fn is_called(&self, name: &'s str, at: usize) -> bool {
        let parent = self.tree.node(at).parent;
        let is_call = matches!(self.tree.kind(parent), "call" | "call_expression");
        let is_of_file = || match self.tree.language {
            // Their tests see all that their package holds.
            Language::Go | Language::Rust => true,
            Language::Python | Language::JavaScript | Language::TypeScript | Language::Tsx => {
                self.flow.functions.iter().any(|(known, _)| *known == name)
            }
        };
        is_call && self.tree.node(at).field == "function" && is_of_file()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Around, Home, Language, TestFile};
    use Language::{Go, JavaScript, Python, Rust};

    /// Whether an expectation of the first test looks at this name.
    fn looks(language: Language, source: &str, name: &str) -> bool {
        let own = ["os", "unittest.mock:patch", "vitest", "bytes", "testing"];
        let homes = own.into_iter().map(|from| (from.to_owned(), Home::Own)).collect();
        let around = Around { homes, ..Around::default() };
        let read = TestFile::read_with(language, source, &around).unwrap();
        read.tests.first().unwrap().1.looks_at.contains(name)
    }

    #[test]
    fn ac_tdd_8_83_an_expectation_of_an_effect_looks_at_the_call_that_has_it() {
        let python = |body: &str, given: &str| {
            let head = "import os\nfrom unittest.mock import patch\nfrom shop import hello, older\n\n\n";
            format!("{head}def test_it({given}):\n    {}\n", body.replace("; ", "\n    "))
        };
        for (body, given) in [
            ("hello(); assert capsys.readouterr().out == 'hello'", "capsys"),
            ("hello(tmp_path); assert (tmp_path / 'x').read_text() == 'a'", "tmp_path"),
            ("hello(); assert os.environ['A'] == '1'", ""),
            ("seen = []; hello(seen.append); assert seen == [1]", ""),
            ("hello(dry=True); assert not open('x').read()", ""),
        ] {
            assert!(looks(Python, &python(body, given), "hello"), "{body}");
        }
        for body in [
            "hello(); assert older(1) == 2",
            "hello(); x = older(1); assert len(x) == 2",
            "hello(); x = [1]; assert x == [1]",
            "assert older(1) == 2; hello()",
        ] {
            assert!(!looks(Python, &python(body, ""), "hello"), "{body}");
        }
        let one =
            "with patch('time.sleep') as sleep:\n        hello(3)\n        assert sleep.call_count == 1";
        assert!(looks(Python, &python(one, ""), "hello"), "one");
        let patched =
            "    with patch('time.sleep') as sleep:\n        hello(3)\n    sleep.assert_called_once_with(3)";
        assert!(looks(Python, &python(patched.trim_start(), ""), "hello"));
    }

    #[test]
    fn ac_tdd_8_83_so_it_is_in_other_languages() {
        let script = |body: &str| {
            let head =
                "import { expect, it, vi } from 'vitest';\nimport { hello, older } from './shop.js';\n";
            format!("{head}it('a', () => {{ {body} }});\n")
        };
        let spied = "const log = vi.spyOn(console, 'log'); hello(); expect(log).toHaveBeenCalledWith('a');";
        let late =
            "const seen = []; const f = hello((x) => seen.push(x), 9); f(2); expect(seen).toEqual([2]);";
        assert!(looks(JavaScript, &script(spied), "hello") && looks(JavaScript, &script(late), "hello"));
        assert!(!looks(JavaScript, &script("hello(); expect(older(1)).toBe(2);"), "hello"));
        let go = |body: &str| {
            format!(
                "package shop\n\nimport (\n\t\"bytes\"\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestA(t *testing.T) {{\n{body}\n}}\n"
            )
        };
        let fails = |what: &str| format!("\tif {what} {{\n\t\tt.Fatal(\"no\")\n\t}}");
        let written = format!("\tvar out bytes.Buffer\n\tHello(&out)\n{}", fails("out.String() != \"a\""));
        let set = format!("\tHello()\n{}", fails("os.Getenv(\"A\") != \"1\""));
        assert!(looks(Go, &go(&written), "Hello") && looks(Go, &go(&set), "Hello"));
        assert!(!looks(Go, &go(&format!("\tHello()\n{}", fails("Older(1) != 2"))), "Hello"));
        let rust = |body: &str| format!("#[test]\nfn a() {{ {body} }}\n");
        let read =
            "shop::hello(); let text = std::fs::read_to_string(\"x\").unwrap(); assert_eq!(text, \"a\");";
        assert!(looks(Rust, &rust(read), "hello"));
        assert!(!looks(Rust, &rust("shop::hello(); assert_eq!(shop::older(1), 2);"), "hello"));
    }
}
