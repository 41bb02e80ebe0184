//! A source as its grammar sees it, laid out flat.
//!
//! The nodes of the tree stand in one list in the order in which they begin, each with the place
//! after its last descendant, so that no walk is ever deeper than a loop. What a hostile file can
//! cost is bounded: its size, the steps of the parser, and the number of nodes.

use std::ops::Range;

use tree_sitter::{ParseOptions, ParseState, Parser};

use super::{Language, Unread};

/// Bytes of a source that are looked at.
const SOURCE_CAP: usize = 2 * 1024 * 1024;

/// Nodes of one source: more than any text of that size has that a person wrote.
const NODE_CAP: usize = 4_000_000;

/// A grammar has some hundreds of kinds.
const MOST_NAMES: usize = 10_000;

/// Room for nodes is made in advance for a source with one for so many bytes: a usual one has more.
const BYTES_A_NODE: usize = 4;

/// The parser reports progress every hundred steps; the densest source that was met (minified
/// scripts, generated tables) took one report for 46 bytes.
const STEPS: usize = 200;
const BYTES_A_STEP: usize = 10;

/// Recovery from nonsense costs more with each step, so that counting steps is not enough. The
/// parser keeps this time itself, in microseconds: a thousand times what a short file takes, and
/// ten times what a long one does on a busy machine.
const PATIENCE: u64 = 2_000_000;
const PATIENCE_A_BYTE: u64 = 10;

/// A run of nodes that stand side by side, by their places in the list.
pub(super) type Span = Range<usize>;

#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) kind: &'static str,
    /// What it is to its parent, where the grammar names that.
    pub(super) field: &'static str,
    pub(super) begin: usize,
    pub(super) end: usize,
    pub(super) parent: usize,
    /// The sibling right before it; itself if it is the first.
    pub(super) before: usize,
    /// The place after its last descendant.
    pub(super) last: usize,
    pub(super) is_named: bool,
}

#[derive(Debug)]
pub(super) struct Tree<'s> {
    pub(super) source: &'s str,
    pub(super) language: Language,
    nodes: Vec<Node>,
    /// Where the grammar lost its way.
    pub(super) errors: Vec<usize>,
}

impl<'s> Tree<'s> {
    pub(super) fn parse(language: Language, source: &'s str) -> Result<Self, Unread> {
        if source.len() > SOURCE_CAP {
            return Err(Unread::TooLong);
        }
        let mut parser = Parser::new();
        parser.set_language(&grammar(language)).map_err(|_| Unread::NoGrammar)?;
        be_patient(&mut parser, source.len());
        let mut steps = STEPS + source.len() / BYTES_A_STEP;
        let mut watch = |_: &ParseState| {
            steps = steps.saturating_sub(1);
            steps == 0
        };
        let options = ParseOptions::new().progress_callback(&mut watch);
        let bytes = source.as_bytes();
        let mut text = |at: usize, _| bytes.get(at..).unwrap_or_default();
        let parsed = parser.parse_with_options(&mut text, None, Some(options)).ok_or(Unread::TooTangled)?;
        let mut tree = Self { source, language, nodes: Vec::new(), errors: Vec::new() };
        tree.lay_out(&parsed)?;
        Ok(tree)
    }

    fn lay_out(&mut self, parsed: &tree_sitter::Tree) -> Result<(), Unread> {
        let mut cursor = parsed.walk();
        let mut path: Vec<usize> = Vec::new();
        let mut before = None;
        let mut names = Names::default();
        self.nodes.reserve(self.source.len() / BYTES_A_NODE);
        loop {
            let node = cursor.node();
            let at = self.nodes.len();
            if at == NODE_CAP {
                return Err(Unread::TooTangled);
            }
            if node.is_error() || node.is_missing() {
                self.errors.push(at);
            }
            self.nodes.push(Node {
                kind: names.kind(&node),
                field: names.field(&cursor),
                begin: node.start_byte(),
                end: node.end_byte().min(self.source.len()),
                parent: path.last().copied().unwrap_or(0),
                before: before.take().unwrap_or(at),
                last: at + 1,
                is_named: node.is_named(),
            });
            path.push(at);
            if cursor.goto_first_child() {
                continue;
            }
            loop {
                let Some(done) = path.pop() else { return Ok(()) };
                self.nodes[done].last = self.nodes.len();
                if cursor.goto_next_sibling() {
                    before = Some(done);
                    break;
                }
                if !cursor.goto_parent() {
                    while let Some(open) = path.pop() {
                        self.nodes[open].last = self.nodes.len();
                    }
                    return Ok(());
                }
            }
        }
    }

    pub(super) fn node(&self, at: usize) -> &Node {
        &self.nodes[at.min(self.nodes.len() - 1)]
    }

    pub(super) fn kind(&self, at: usize) -> &'static str {
        self.node(at).kind
    }

    pub(super) fn all(&self) -> Span {
        0..self.nodes.len()
    }

    /// The node and all below it.
    pub(super) fn span(&self, at: usize) -> Span {
        at..self.node(at).last
    }

    pub(super) fn bytes(&self, span: &Span) -> Range<usize> {
        if span.is_empty() {
            return 0..0;
        }
        let end = self.siblings(span.clone()).last().map_or(0, |at| self.node(at).end);
        self.node(span.start).begin..end
    }

    pub(super) fn text(&self, at: usize) -> &'s str {
        let node = self.node(at);
        self.source.get(node.begin..node.end).unwrap_or_default()
    }

    /// The number of the line on which it begins, from 1.
    pub(super) fn line(&self, at: usize) -> u32 {
        let before = self.source.get(..self.node(at).begin).unwrap_or_default();
        u32::try_from(before.matches('\n').count() + 1).unwrap_or(u32::MAX)
    }

    pub(super) fn span_text(&self, span: &Span) -> &'s str {
        self.source.get(self.bytes(span)).unwrap_or_default()
    }

    /// The children, punctuation and comments included.
    pub(super) fn children(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        self.siblings(at + 1..self.node(at).last)
    }

    /// The children that the grammar names, comments left out.
    pub(super) fn parts(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        self.children(at).filter(|child| self.node(*child).is_named && !is_comment(self.kind(*child)))
    }

    /// The nodes that a span is made of, without what is below them.
    pub(super) fn siblings(&self, span: Span) -> impl Iterator<Item = usize> + '_ {
        let first = (!span.is_empty()).then_some(span.start);
        std::iter::successors(first, move |at| Some(self.node(*at).last).filter(|next| *next < span.end))
    }

    pub(super) fn child(&self, at: usize, field: &str) -> Option<usize> {
        self.children(at).find(|child| self.node(*child).field == field)
    }

    /// The first child of this kind.
    pub(super) fn child_of_kind(&self, at: usize, kind: &str) -> Option<usize> {
        self.children(at).find(|child| self.kind(*child) == kind)
    }

    /// From the parent outwards; no deeper than anybody would write.
    pub(super) fn ancestors(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(at), |at| (*at > 0).then(|| self.node(*at).parent)).skip(1).take(256)
    }

    pub(super) fn is_leaf(&self, at: usize) -> bool {
        self.node(at).last == at + 1
    }

    /// The leaves of a span, comments left out; a string is one leaf unless code stands in it.
    pub(super) fn tokens(&self, span: Span) -> impl Iterator<Item = usize> + '_ {
        let mut at = span.start;
        std::iter::from_fn(move || {
            while at < span.end {
                let here = at;
                let node = self.node(here);
                if is_comment(node.kind) {
                    at = node.last;
                    continue;
                }
                let whole = is_string(node.kind) && !span_has_code(self, here);
                at = if whole { node.last } else { here + 1 };
                if whole || (self.is_leaf(here) && node.end > node.begin) {
                    return Some(here);
                }
            }
            None
        })
    }

    /// Whether the grammar lost its way within these nodes.
    pub(super) fn is_torn(&self, span: &Span) -> bool {
        let first = self.errors.partition_point(|at| *at < span.start);
        self.errors.get(first).is_some_and(|at| *at < span.end)
    }
}

/// The names of kinds and fields, each asked for once: to ask means to measure and to check a text of
/// C's, and a file has thousands of nodes of some dozens of kinds.
#[derive(Default)]
struct Names {
    /// By the number that the grammar has for each.
    kinds: Vec<Option<&'static str>>,
    fields: Vec<Option<&'static str>>,
}

impl Names {
    fn kind(&mut self, node: &tree_sitter::Node<'_>) -> &'static str {
        once(&mut self.kinds, node.kind_id(), || node.kind())
    }

    fn field(&mut self, cursor: &tree_sitter::TreeCursor<'_>) -> &'static str {
        let Some(id) = cursor.field_id() else { return "" };
        once(&mut self.fields, id.get(), || cursor.field_name().unwrap_or_default())
    }
}

fn once(known: &mut Vec<Option<&'static str>>, id: u16, ask: impl FnOnce() -> &'static str) -> &'static str {
    let at = usize::from(id);
    // What is no kind of the grammar's, an error, has the highest number.
    if at >= MOST_NAMES {
        return ask();
    }
    if known.len() <= at {
        known.resize(at + 1, None);
    }
    known[at].get_or_insert_with(ask)
}

#[expect(deprecated, reason = "what replaces it needs a clock, and this room has none")]
fn be_patient(parser: &mut Parser, bytes: usize) {
    let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
    parser.set_timeout_micros(PATIENCE.saturating_add(bytes.saturating_mul(PATIENCE_A_BYTE)));
}

fn span_has_code(tree: &Tree<'_>, at: usize) -> bool {
    tree.span(at).any(|at| matches!(tree.kind(at), "interpolation" | "template_substitution"))
}

/// A function of any of the languages.
/// A text with one blank for each run of them.
pub(super) fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(super) fn is_function(kind: &str) -> bool {
    kind.contains("function")
        || kind.contains("closure")
        || matches!(kind, "lambda" | "func_literal" | "method_declaration" | "method_definition")
}

/// What a module is called where it is imported by this path, without folders and endings.
pub(super) fn module_stem(specifier: &str) -> &str {
    let last = specifier.trim_matches(['"', '\'', '`']).rsplit('/').next().unwrap_or_default();
    last.split('.').next().unwrap_or(last)
}

pub(super) fn is_comment(kind: &str) -> bool {
    matches!(kind, "comment" | "line_comment" | "block_comment")
}

/// Literals whose text is theirs alone.
pub(super) fn is_string(kind: &str) -> bool {
    matches!(
        kind,
        "string"
            | "string_literal"
            | "raw_string_literal"
            | "char_literal"
            | "template_string"
            | "regex"
            | "interpreted_string_literal"
            | "rune_literal"
            | "concatenated_string"
    )
}

/// What a name is in any of the grammars.
pub(super) fn is_name(kind: &str) -> bool {
    matches!(
        kind,
        "identifier"
            | "type_identifier"
            | "field_identifier"
            | "property_identifier"
            | "private_property_identifier"
            | "shorthand_property_identifier"
            | "shorthand_property_identifier_pattern"
            | "shorthand_field_identifier"
            | "package_identifier"
            | "metavariable"
    )
}

fn grammar(language: Language) -> tree_sitter::Language {
    match language {
        Language::Rust => tree_sitter_rust::LANGUAGE.into(),
        Language::Python => tree_sitter_python::LANGUAGE.into(),
        Language::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
        Language::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        Language::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
        Language::Go => tree_sitter_go::LANGUAGE.into(),
    }
}
