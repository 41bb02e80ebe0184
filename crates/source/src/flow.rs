//! What of a file flows into what: the names that an expectation looks at, however many
//! variables, helpers, fixtures and imports lie between.
//!
//! A name stands for all things of that name in the file. That is too much rather than too little:
//! a test that looks at what is absent is never taken for one that does not.

mod imports;
mod macros;

use std::cell::Cell;
use std::collections::{BTreeSet, HashMap};

use super::tree::{Span, Tree, is_function, is_name, module_stem};
use super::{Language, go, rust};

/// Names, and the spans that their values come from.
#[derive(Debug, Default)]
pub(super) struct Flow<'s> {
    sources: HashMap<(&'s str, Owner), Vec<Span>>,
    /// The outermost tests, in order: what is bound in one is nothing to the others.
    owners: Vec<Span>,
    imports: HashMap<&'s str, BTreeSet<String>>,
    /// All names that are bound anywhere.
    bound: BTreeSet<&'s str>,
    work: Cell<usize>,
    /// Functions of the file by name, for those that hold expectations.
    pub(super) functions: Vec<(&'s str, Span)>,
    /// Those of Rust that a trait or a type has.
    pub(super) methods: BTreeSet<&'s str>,
}

/// The test in which a name is bound; `None` for what all tests share.
type Owner = Option<usize>;

/// Values of one name in one test that are followed.
const VALUE_CAP: usize = 64;

/// Nodes of a call that may change what it is given; a longer one is a callback with a body.
const TOUCH_CAP: usize = 2000;

/// Functions within functions that are looked into.
const NEST_CAP: usize = 8;

/// Nodes that are looked at for all tests of a file. What lies beyond is not looked at, so that
/// its names are missed rather than waited for.
const WORK_CAP: usize = 32_000_000;

/// Names followed for one test.
const NAME_CAP: usize = 4096;

impl<'s> Flow<'s> {
    /// `tests` are the nodes of all tests, in order.
    pub(super) fn of(tree: &Tree<'s>, tests: &[usize]) -> Self {
        let mut flow = Self::default();
        for span in tests.iter().map(|at| tree.span(*at)) {
            if flow.owners.last().is_none_or(|last| last.end <= span.start) {
                flow.owners.push(span);
            }
        }
        for at in tree.all() {
            flow.take(tree, at);
        }
        flow
    }

    fn take(&mut self, tree: &Tree<'s>, at: usize) {
        let field = |name: &str| tree.child(at, name);
        let pair = match tree.kind(at) {
            "let_declaration" | "let_condition" | "for_expression" => field("pattern").zip(field("value")),
            "assignment"
            | "assignment_expression"
            | "assignment_statement"
            | "short_var_declaration"
            | "augmented_assignment"
            | "augmented_assignment_expression"
            | "for_statement"
            | "for_in_statement"
            | "range_clause"
            | "compound_assignment_expr" => field("left").zip(field("right")),
            "send_statement" => field("channel").zip(field("value")),
            "variable_declarator"
            | "named_expression"
            | "var_spec"
            | "const_spec"
            | "const_item"
            | "static_item" => field("name").zip(field("value")),
            "as_pattern" => field("alias").map(|alias| (alias, at)),
            "match_arm" => field("pattern").map(|pattern| (pattern, tree.node(tree.node(at).parent).parent)),
            "function_item"
            | "function_definition"
            | "function_declaration"
            | "method_definition"
            | "method_declaration" => {
                let around = tree.ancestors(at).filter(|at| is_function(tree.kind(*at))).count();
                if let (Some(name), Some(body), true) = (field("name"), field("body"), around < NEST_CAP) {
                    self.functions.push((tree.text(name), tree.span(body)));
                    if tree.kind(tree.node(at).parent) == "declaration_list" && takes_self(tree, at) {
                        self.methods.insert(tree.text(name));
                    }
                }
                field("name").zip(field("body"))
            }
            _ => None,
        };
        if let Some((left, right)) = pair {
            self.bind(tree, &tree.span(left), tree.span(right));
        }
        self.take_made(tree, at);
        self.take_named(tree, at);
        self.take_tokens(tree, at);
        match tree.kind(at) {
            "call_expression" | "call" | "macro_invocation" => {
                self.touch(tree, at);
                self.take_recovered(tree, at);
            }
            "use_declaration" => self.take_use(tree, at),
            "import_from_statement" | "import_statement" | "import_spec" => self.take_import(tree, at),
            _ => {}
        }
        match tree.kind(at) {
            "variable_declarator" => self.take_require(tree, at),
            "arrow_function" | "function_expression" | "closure_expression" | "func_literal" | "lambda" => {
                self.take_callback(tree, at);
            }
            _ => {}
        }
    }

    /// A class does what those do that it is made of, and so does what a decorator makes of a function.
    fn take_made(&mut self, tree: &Tree<'s>, at: usize) {
        let name_of = |at: usize| tree.child(at, "name");
        let pair = match tree.kind(at) {
            "class_definition" | "class_declaration" | "class" => {
                name_of(at).map(|name| (name, tree.node(name).last..tree.node(at).last))
            }
            "decorated_definition" => {
                let made = tree.child(at, "definition");
                made.and_then(|made| Some((name_of(made)?, at..made)))
            }
            "impl_item" => tree.child(at, "type").map(|made| (made, tree.span(at))),
            "struct_item" | "enum_item" => {
                let first = rust::attributes(tree, at).first().copied();
                first.and_then(|first| Some((name_of(at)?, first..at)))
            }
            _ => None,
        };
        if let Some((name, value)) = pair {
            self.bind(tree, &tree.span(name), value);
        }
    }

    /// Functions without a name of their own that are given one, other names of functions, macros.
    fn take_named(&mut self, tree: &Tree<'s>, at: usize) {
        let (name, value) = match tree.kind(at) {
            "variable_declarator" | "public_field_definition" | "field_definition" | "var_spec" => {
                ("name", "value")
            }
            "pair" => ("key", "value"),
            "assignment" | "assignment_expression" | "short_var_declaration" => ("left", "right"),
            "let_declaration" => ("pattern", "value"),
            "macro_definition" => {
                let name = tree.child(at, "name").map(|name| tree.text(name));
                self.functions.extend(name.map(|name| (name, tree.span(at))));
                return;
            }
            _ => return,
        };
        let (Some(left), Some(value)) = (tree.child(at, name), tree.child(at, value)) else { return };
        let single =
            |at: usize| if tree.kind(at) == "expression_list" { tree.parts(at).next() } else { Some(at) };
        let (Some(left), Some(value)) = (single(left), single(value)) else { return };
        let kind = tree.kind(value);
        let is_path = matches!(kind, "member_expression" | "attribute" | "identifier");
        if !(is_function(kind) || is_path) {
            return;
        }
        // `exports.same = …`, `self.same = …`: the last word.
        let last = tree.span(left).rfind(|at| is_name(tree.kind(*at)));
        self.functions.extend(last.map(|last| (tree.text(last), tree.span(value))));
    }

    /// `cases.forEach((c) => …)`: what a callback is given comes from the call that it is given to,
    /// unless that call is what declares the test.
    fn take_callback(&mut self, tree: &Tree<'s>, at: usize) {
        let Some(parameters) = tree.child(at, "parameters").or_else(|| tree.child(at, "parameter")) else {
            return;
        };
        let list = tree.node(at).parent;
        let call = tree.node(list).parent;
        let is_call = matches!(tree.kind(call), "call_expression" | "call");
        let declares = |owner: usize| self.owners.get(owner).is_some_and(|owner| owner.start == call);
        if is_call && self.owner(call) == self.owner(at) && !self.owner(call).is_some_and(declares) {
            self.bind(tree, &tree.span(parameters), call..at);
        }
    }

    fn bind(&mut self, tree: &Tree<'s>, names: &Span, value: Span) {
        for at in names.clone().filter(|at| is_name(tree.kind(*at))) {
            self.bound.insert(tree.text(at));
            let sources = self.sources.entry((tree.text(at), self.owner(at))).or_default();
            if sources.len() < VALUE_CAP {
                sources.push(value.clone());
            }
        }
    }

    /// Go: what `recover()` gives is decided by what the function does after the `defer` that calls it.
    fn take_recovered(&mut self, tree: &Tree<'s>, call: usize) {
        if let Some(after) = go::recovers(tree, call) {
            let sources = self.sources.entry(("recover", self.owner(call))).or_default();
            sources.push(after);
        }
    }

    fn owner(&self, at: usize) -> Owner {
        let place = self.owners.partition_point(|owner| owner.end <= at);
        self.owners.get(place).is_some_and(|owner| owner.contains(&at)).then_some(place)
    }

    /// A call may change its receiver and what it is given: `cart.add(1)` makes of `cart` what
    /// `add` does.
    fn touch(&mut self, tree: &Tree<'s>, call: usize) {
        let parent = tree.kind(tree.node(call).parent);
        let is_statement =
            matches!(parent, "expression_statement" | "await_expression" | "await" | "try_expression");
        if !is_statement || tree.span(call).len() > TOUCH_CAP {
            return;
        }
        let is_variable = |at: &usize| {
            matches!(tree.kind(*at), "identifier")
                && tree.text(*at).starts_with(|c: char| c.is_lowercase() || c == '_')
        };
        let whole = tree.span(call);
        for at in whole.clone().filter(is_variable) {
            if self.sources.contains_key(&(tree.text(at), self.owner(at))) {
                self.bind(tree, &(at..at + 1), whole.clone());
            }
        }
    }

    /// What a name stands for at this place, first things first.
    pub(super) fn values(&self, name: &'s str, at: usize) -> &[Span] {
        let own = self.sources.get(&(name, self.owner(at)));
        own.or_else(|| self.sources.get(&(name, None))).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether the file gives a name any meaning of its own.
    pub(super) fn binds(&self, name: &str) -> bool {
        self.bound.contains(name)
    }

    /// The names at home of what is imported as this.
    pub(super) fn imported(&self, name: &str) -> impl Iterator<Item = &String> {
        self.imports.get(name).into_iter().flatten()
    }

    /// What a name is bound to in the test that holds this place; empty if it may be anything else
    /// as well: an import, or a name of the whole file.
    pub(super) fn bound_in_test(&self, name: &'s str, at: usize) -> &[Span] {
        let own = self.owner(at);
        let is_shared = self.imports.contains_key(name) || self.sources.contains_key(&(name, None));
        let bound = self.sources.get(&(name, own)).filter(|_| own.is_some() && !is_shared);
        bound.map(Vec::as_slice).unwrap_or_default()
    }

    /// All names that these spans of one test look at.
    pub(super) fn closure(&self, tree: &Tree<'s>, spans: Vec<Span>) -> BTreeSet<String> {
        let own = spans.first().and_then(|span| self.owner(span.start));
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut followed: BTreeSet<(usize, usize)> = BTreeSet::new();
        let mut found: BTreeSet<String> = BTreeSet::new();
        let mut open = spans;
        while let Some(span) = open.pop() {
            if !followed.insert((span.start, span.end)) || seen.len() > NAME_CAP {
                continue;
            }
            let work = self.work.get().saturating_add(span.len());
            self.work.set(work);
            if work > WORK_CAP {
                break;
            }
            for at in span {
                let kind = tree.kind(at);
                if is_module_string(tree, at) {
                    found.insert(module_stem(tree.text(at)).to_owned());
                }
                if !is_name(kind) || !seen.insert(tree.text(at)) {
                    continue;
                }
                let name = tree.text(at);
                for owner in [None, own].into_iter().take(1 + usize::from(own.is_some())) {
                    open.extend(self.sources.get(&(name, owner)).into_iter().flatten().cloned());
                }
                found.extend(self.imports.get(name).into_iter().flatten().cloned());
            }
        }
        found.extend(seen.into_iter().map(str::to_owned));
        found
    }
}

/// Rust: what is called on something.
fn takes_self(tree: &Tree<'_>, function: usize) -> bool {
    let parameters = tree.child(function, "parameters");
    parameters.is_some_and(|list| tree.children(list).any(|at| tree.kind(at) == "self_parameter"))
}

/// What is reached whenever what stands around it is.
pub(super) fn is_plain(kind: &str) -> bool {
    matches!(
        kind,
        "expression_statement"
            | "await_expression"
            | "await"
            | "parenthesized_expression"
            | "statement_list"
            | "statement_block"
            | "block"
            | "arguments"
            | "argument_list"
            | "call"
            | "call_expression"
            | "return_statement"
            | "return_expression"
            | "try_expression"
            | "unsafe_block"
            | "let_declaration"
            | "lexical_declaration"
            | "variable_declaration"
            | "var_declaration"
            | "const_declaration"
            | "field_expression"
            | "member_expression"
            | "attribute"
            | "ERROR"
    )
}

/// `import('./shop')` in the middle of an expression.
fn is_module_string(tree: &Tree<'_>, at: usize) -> bool {
    let script = match tree.language {
        Language::JavaScript | Language::TypeScript | Language::Tsx => true,
        Language::Rust | Language::Python | Language::Go => false,
    };
    script && tree.kind(at) == "string" && tree.text(at).get(1..2) == Some(".")
}
