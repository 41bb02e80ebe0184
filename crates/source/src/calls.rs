//! What a call in a test is to it: an expectation, what may be one, or nothing.
//!
//! ```text
//! a function of this file       what its body holds
//! one of a helper's file        what that holds
//! of a library, given anything  may be one: what can't be read is no fault of the test-writer
//! anything given Go's "t"       the same
//! production code               nothing, unless its name says so
//! ```

mod shape;
mod within;

use std::collections::{BTreeMap, BTreeSet};

use self::shape::{
    around_with, asks_the_compiler, before, given, handed, is_assert_module, is_on_self, root, root_of_value,
    takes_in,
};
use super::Language;
use super::around::{Around, Holds, Home};
use super::claim::{Weight, callee, method};
use super::claims::claims;
use super::flow::Flow;
use super::go::{SuiteTest, is_handle_at, is_plain_handle_call, suite_tests};
use super::imports::{Import, imports};
use super::known_calls::{is_fixture, is_global, is_harmless, may_assert};
use super::swallowed::is_swallowed;
use super::tree::{Span, Tree};

/// A call that is, or may be, an expectation.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) holds: Holds,
    /// What it is given, and what it is called on.
    pub(super) given: Vec<Span>,
    /// Names of whoever is called, and of where they come from.
    pub(super) of: BTreeSet<String>,
}

/// All that is known of who is called in one file.
#[derive(Debug, Default)]
pub(super) struct Calls<'s> {
    around: Around,
    imports: BTreeMap<String, Vec<Import>>,
    /// Functions of the file that are more than nothing to a test.
    own: BTreeMap<&'s str, Holds>,
    defined: BTreeSet<&'s str>,
    parameters: BTreeSet<&'s str>,
    suites: Vec<SuiteTest<'s>>,
}

/// Functions that call functions that expect something.
const ROUNDS: usize = 8;

/// Variables that are made of variables.
const STEPS: usize = 6;

impl<'s> Calls<'s> {
    pub(super) fn of(tree: &Tree<'s>, flow: &Flow<'s>, around: &Around) -> Self {
        let mut by_local: BTreeMap<String, Vec<Import>> = BTreeMap::new();
        for import in imports(tree) {
            by_local.entry(import.local.clone()).or_default().push(import);
        }
        let lists = tree.all().filter(|at| {
            matches!(
                tree.kind(*at),
                "formal_parameters" | "parameters" | "parameter_list" | "closure_parameters"
            )
        });
        let parameters = lists
            .flat_map(|list| tree.span(list))
            .filter(|at| matches!(tree.kind(*at), "identifier" | "shorthand_property_identifier_pattern"));
        let parameters = parameters.map(|at| tree.text(at)).collect();
        let (around, defined) = (around.clone(), flow.functions.iter().map(|(name, _)| *name).collect());
        Self { around, imports: by_local, defined, parameters, suites: suite_tests(tree), ..Self::default() }
    }

    /// What each function of the file holds, itself or by what it calls.
    pub(super) fn learn(
        &mut self,
        tree: &Tree<'s>,
        flow: &Flow<'s>,
        is_empty: impl Fn(&super::claim::Claim) -> bool,
    ) {
        let mut own: BTreeMap<&'s str, Holds> = BTreeMap::new();
        for (name, body) in &flow.functions {
            let expects = |claim: &super::claim::Claim| claim.weight == Weight::Full && !is_empty(claim);
            // What it catches itself its callers never hear of.
            let is_heard = |claim: &super::claim::Claim| !is_swallowed(tree, &claim.whole, body);
            let holds = claims(tree, body).iter().any(|claim| expects(claim) && is_heard(claim))
                || self.is_alias_of_one(tree, body);
            if holds || asks_the_compiler(tree, body) {
                own.insert(name, Holds::Expectation);
            }
        }
        self.own = own;
        for _ in 0..ROUNDS {
            let mut found: Vec<(&'s str, Holds)> = Vec::new();
            for (name, body) in
                flow.functions.iter().filter(|(name, _)| self.own.get(name) != Some(&Holds::Expectation))
            {
                let heard = |at: usize| !is_swallowed(tree, &tree.span(at), body);
                let calls = body.clone().filter_map(|at| self.classify(tree, flow, at).filter(|_| heard(at)));
                let most = calls.filter(|call| !call.given.is_empty()).map(|call| call.holds).max();
                found.extend(most.filter(|most| self.own.get(name) < Some(most)).map(|most| (*name, most)));
            }
            if found.is_empty() {
                return;
            }
            self.own.extend(found);
        }
    }

    pub(super) fn functions(&self) -> impl Iterator<Item = (&'s str, Holds)> + '_ {
        self.defined.iter().map(|name| (*name, self.own.get(name).copied().unwrap_or(Holds::Nothing)))
    }

    /// Whether a file that this one takes classes from holds expectations, or can't be read.
    pub(super) fn inherits(&self, name: &str) -> bool {
        self.home_of(name).is_some_and(|(home, _)| match home {
            Home::Helpers(helpers) => helpers.has_expectation(),
            Home::Library => true,
            Home::Production | Home::Own => false,
        })
    }

    /// `const same = assert.equal`: the name of an assertion under another name.
    fn is_alias_of_one(&self, tree: &Tree<'s>, value: &Span) -> bool {
        if !matches!(tree.kind(value.start), "member_expression" | "attribute" | "identifier") {
            return false;
        }
        let mut names = tree.tokens(value.clone()).map(|at| tree.text(at));
        let is_assert = |name: &str| name == "expect" || name.starts_with("assert");
        let root = names.next().unwrap_or_default();
        let last = names.last().unwrap_or(root);
        is_assert(root) || is_assert(last) || self.imported(root, last) == Some(Holds::Expectation)
    }

    /// Whether what is imported as this is code under test, there or yet to be written.
    pub(super) fn is_of_production(&self, local: &str) -> bool {
        self.imports.contains_key(local)
            && self.home_of(local).is_none_or(|(home, _)| match home {
                Home::Production => true,
                Home::Own | Home::Library | Home::Helpers(_) => false,
            })
    }

    /// Whether a name of this file may come from anywhere.
    pub(super) fn brings_all_names(&self) -> bool {
        self.imports.contains_key("*")
    }

    fn home_of(&self, local: &str) -> Option<(&Home, &Import)> {
        let imports = self.imports.get(local)?;
        imports.iter().find_map(|import| Some((self.around.homes.get(&import.from)?, import)))
    }

    /// What a name of an imported file holds; `None` if that file is not known to be one of helpers.
    fn imported(&self, root: &str, last: &str) -> Option<Holds> {
        let (home, import) = self.home_of(root)?;
        match home {
            Home::Helpers(helpers) => {
                let name = if root == last && !import.name.is_empty() { &import.name } else { last };
                Some(helpers.get(name).unwrap_or(Holds::Unreadable))
            }
            Home::Own if is_assert_module(&import.from) => Some(Holds::Expectation),
            Home::Production | Home::Own | Home::Library => None,
        }
    }

    /// What needs no import, or comes with all names of a file.
    fn without_import(&self, name: &str) -> Option<Holds> {
        let all = self.imports.get("*").into_iter().flatten();
        let homes = all.filter_map(|import| self.around.homes.get(&import.from));
        let of = |home: &Home| match home {
            Home::Helpers(helpers) => helpers.get(name),
            Home::Library => Some(Holds::Unreadable),
            Home::Production | Home::Own => None,
        };
        self.around.beside.get(name).or_else(|| homes.filter_map(of).max())
    }

    /// A method by its name alone: of a class that a helper's file holds.
    fn of_any_helper(&self, name: &str) -> Option<Holds> {
        let homes = self.around.homes.values().filter_map(|home| match home {
            Home::Helpers(helpers) => helpers.get(name),
            Home::Production | Home::Own | Home::Library => None,
        });
        homes.chain(self.around.beside.get(name)).max()
    }

    /// Rust: a method that a helper's file gives to what is made elsewhere, by a trait.
    fn of_helpers_trait(&self, name: &str) -> Option<Holds> {
        let homes = self.around.homes.values().filter_map(|home| match home {
            Home::Helpers(helpers) => helpers.method(name),
            Home::Production | Home::Own | Home::Library => None,
        });
        homes.max()
    }

    /// What a call, or a function that is handed on, is to the test that it stands in.
    pub(super) fn classify(&self, tree: &Tree<'s>, flow: &Flow<'s>, at: usize) -> Option<Call> {
        if let Some(call) = self.handed_on(tree, at).or_else(|| self.in_tokens(tree, flow, at)) {
            return Some(call);
        }
        let name = callee(tree, at)?;
        if is_harmless(tree.language, &name) {
            return None;
        }
        let last = name.rsplit('.').next().unwrap_or_default();
        let root = root(tree, at).unwrap_or_default();
        let is_direct = method(tree, at).is_none();
        let origin = self.origin(tree, flow, root, at);
        let mut of: BTreeSet<String> = BTreeSet::from([root.to_owned(), origin.to_owned()]);
        of.extend(flow.imported(origin).cloned());
        let call = |holds: Holds, given: Vec<Span>| Call { holds, given, of: of.clone() };
        let whole = || vec![around_with(tree, at)];
        let holds = self.own.get(last).copied().filter(|_| self.around_allows(root));
        if let Some(holds) = holds {
            return Some(call(holds, whole()));
        }
        if is_direct && self.defined.contains(last) {
            return None;
        }
        let is_import = origin == root;
        if let Some(holds) = self.imported(origin, last).filter(|_| is_import || !is_direct) {
            let holds = if is_import { Some(holds) } else { self.of_any_helper(last) };
            if let Some(holds) = holds {
                return Some(call(holds, whole())).filter(|call| call.holds != Holds::Nothing);
            }
        }
        let given = given(tree, at);
        let unreadable =
            |given: Vec<Span>| Some(call(Holds::Unreadable, given)).filter(|c| !c.given.is_empty());
        if tree.language == Language::Go {
            return self.in_go(tree, flow, (at, root, last), call);
        }
        if matches!(self.home_of(origin), Some((Home::Library, _))) && (is_import || is_direct) {
            return unreadable(given);
        }
        if matches!(root, "self" | "cls" | "this") && is_on_self(tree, at) {
            return match self.of_any_helper(last) {
                Some(Holds::Nothing) => None,
                Some(holds) => Some(call(holds, whole())),
                None if self.has_foreign_base(tree, at) || may_assert(tree, at, last) => unreadable(given),
                None => None,
            };
        }
        match if is_direct { self.without_import(last) } else { self.of_helpers_trait(last) } {
            Some(Holds::Nothing) => return None,
            Some(holds) => return Some(call(holds, whole())),
            None => {}
        }
        if self.may_expect(tree, flow, (at, root, &name)) {
            // A recorder of a library's (`log.check(…)`) looks at what was done before it is asked.
            let is_recorder = !is_direct && self.is_of_others(origin) && may_assert(tree, at, &name);
            let before = is_recorder.then(|| before(tree, at)).flatten();
            return unreadable(given.into_iter().chain(before).collect());
        }
        None
    }

    /// Whether nobody can tell what is called, or its name says that it expects something.
    fn may_expect(&self, tree: &Tree<'s>, flow: &Flow<'s>, (at, root, name): (usize, &str, &str)) -> bool {
        let is_bare = method(tree, at).is_none() && !self.imports.contains_key(root) && !flow.binds(root);
        let is_library = match tree.language {
            Language::Python => self.is_fixture_of(tree, at, root),
            Language::JavaScript | Language::TypeScript | Language::Tsx => {
                is_bare && !self.parameters.contains(root) && !is_global(root) && self.knows_homes()
            }
            Language::Rust => self.is_crate(tree, flow, at, root),
            Language::Go => false,
        };
        is_library || may_assert(tree, at, name)
    }

    /// Whoever makes this stands in a library, or hands it in.
    fn is_of_others(&self, origin: &str) -> bool {
        let is_library = matches!(self.home_of(origin), Some((Home::Library, _)));
        is_library || (self.parameters.contains(origin) && !matches!(origin, "self" | "cls" | "this"))
    }

    /// A name of this file that stands for something of a production file too.
    fn around_allows(&self, root: &str) -> bool {
        !matches!(self.home_of(root), Some((Home::Production, _)))
    }

    fn knows_homes(&self) -> bool {
        !self.around.homes.is_empty()
    }

    /// Go: whoever is given the value by which a test fails can fail it.
    fn in_go(
        &self,
        tree: &Tree<'s>,
        flow: &Flow<'s>,
        (at, root, last): (usize, &'s str, &str),
        call: impl Fn(Holds, Vec<Span>) -> Call,
    ) -> Option<Call> {
        if is_plain_handle_call(tree, at) {
            return None;
        }
        let is_method = method(tree, at).is_some();
        let known = if is_method { self.of_any_helper(last) } else { self.without_import(last) };
        if let Some(holds) = known {
            return Some(call(holds, vec![tree.span(at)])).filter(|call| call.holds != Holds::Nothing);
        }
        let handed = handed(tree, at)?;
        let takes = |span: &Span| tree.siblings(span.clone()).any(|part| is_handle_at(tree, part));
        let holds_handle =
            is_method && (self.is_suite(tree, at, root) || flow.values(root, at).iter().any(takes_in(tree)));
        if takes(&(handed.start + 1..handed.end)) || holds_handle || may_assert(tree, at, last) {
            let given = given(tree, at);
            let names = if last == "Run" { flow.closure(tree, given.clone()) } else { BTreeSet::new() };
            let suite = || self.suites.iter().filter(|test| names.contains(test.suite));
            let held = suite().filter_map(|test| self.own.get(test.name).copied()).max();
            let given = given.into_iter().chain(suite().map(|test| test.body.clone())).collect();
            return Some(call(held.unwrap_or(Holds::Unreadable), given))
                .filter(|call| !call.given.is_empty());
        }
        None
    }

    /// `s.Equal(…)` in a method of a suite, which is no function of this file.
    fn is_suite(&self, tree: &Tree<'s>, at: usize, root: &str) -> bool {
        let around = tree.ancestors(at).find(|around| tree.kind(*around) == "method_declaration");
        let receiver = around.and_then(|around| tree.child(around, "receiver"));
        let last = method(tree, at).map(|(_, name)| name).unwrap_or_default();
        let is_receiver = receiver.is_some_and(|list| tree.span(list).any(|at| tree.text(at) == root));
        is_receiver && !self.defined.contains(last)
    }

    /// `cases.forEach(same)`: who gets a function calls it.
    fn handed_on(&self, tree: &Tree<'s>, at: usize) -> Option<Call> {
        let parent = tree.node(at).parent;
        // `t.Run(name, c.test)`: the last word of a path.
        let is_path = matches!(tree.kind(parent), "selector_expression" | "member_expression" | "attribute");
        let is_last = is_path && tree.node(parent).last == tree.node(at).last;
        let list = if is_last { tree.node(parent).parent } else { parent };
        let is_name = matches!(tree.kind(at), "identifier" | "field_identifier" | "property_identifier");
        if !is_name || (is_path && !is_last) || !matches!(tree.kind(list), "arguments" | "argument_list") {
            return None;
        }
        let name = tree.text(at);
        let own = self.own.get(name).copied().or_else(|| self.imported(name, name));
        own.filter(|holds| *holds == Holds::Expectation).map(|holds| Call {
            holds,
            given: vec![tree.span(tree.node(list).parent)],
            of: BTreeSet::from([name.to_owned()]),
        })
    }

    /// The name that a variable was made by, through variables: of `c = qt.New(t)` it is `qt`.
    fn origin(&self, tree: &Tree<'s>, flow: &Flow<'s>, name: &'s str, at: usize) -> &'s str {
        let mut name = name;
        for _ in 0..STEPS {
            if self.imports.contains_key(name) {
                return name;
            }
            let values = flow.values(name, at);
            let made_by = values.first().and_then(|span| root_of_value(tree, span.start));
            match made_by.filter(|made_by| *made_by != name) {
                Some(made_by) => name = made_by,
                None => return name,
            }
        }
        name
    }

    /// pytest: a fixture that this file does not define, and that is not pytest's own.
    fn is_fixture_of(&self, tree: &Tree<'s>, at: usize, root: &str) -> bool {
        let around = tree.ancestors(at).filter(|around| tree.kind(*around) == "function_definition");
        let mut lists = around.filter_map(|around| tree.child(around, "parameters"));
        let is_parameter = lists.any(|list| tree.tokens(tree.span(list)).any(|at| tree.text(at) == root));
        is_parameter
            && !matches!(root, "self" | "cls")
            && !self.defined.contains(root)
            && !is_fixture(root)
            && self.around.beside.get(root) != Some(Holds::Nothing)
    }

    /// `approx::check(…)`: a path that begins with a crate that is not the project's.
    fn is_crate(&self, tree: &Tree<'s>, flow: &Flow<'s>, at: usize, root: &str) -> bool {
        let function = tree.child(at, "function");
        let is_path = function.is_some_and(|function| tree.kind(function) == "scoped_identifier");
        let is_name = root.starts_with(|c: char| c.is_lowercase());
        let is_std = matches!(root, "std" | "core" | "alloc" | "crate" | "self" | "super");
        let home = self.around.homes.get(root);
        is_path && is_name && !is_std && !flow.binds(root) && matches!(home, Some(Home::Library))
    }

    fn has_foreign_base(&self, tree: &Tree<'s>, at: usize) -> bool {
        let class = tree.ancestors(at).find(|around| tree.kind(*around) == "class_definition");
        let Some(bases) = class.and_then(|class| tree.child(class, "superclasses")) else { return false };
        let names = tree.tokens(tree.span(bases)).map(|at| tree.text(at));
        names.into_iter().any(|name| matches!(self.home_of(name), Some((Home::Library, _))))
    }
}
