//! The fields of a block.

mod meant;

use std::collections::{BTreeMap, HashMap};

use super::{error, fence::Block, paths};
use crate::plain_yaml::{self, Entry, Fault, FaultKind, Line, Node};
use tdd_core::claim::{Claim, ClaimError, ClaimErrorKind, ClaimStatus, Dispute};
use tdd_core::criterion::CriterionId;
use tdd_core::guard::{self, Guard};
use tdd_core::path::RelPath;
use tdd_core::role::Role;
use tdd_core::terminal_noise::{clean_text, shorten};

/// How many lines of the excerpt are kept.
const EXCERPT_LINES: usize = 40;

const KNOWN: [&str; 9] =
    ["role", "status", "files", "command", "output_excerpt", "notes", "tests", "supersedes", "dispute"];

/// Reads the claim; the first field that is wrong, in the order of [`KNOWN`], is the error.
pub(super) fn claim(block: &Block<'_>, asked: Role, roots: &[&str]) -> Result<Claim, ClaimError> {
    let lines = without_margin(plain_yaml::lines(block.text, block.line + 1));
    let fields = Fields::read(&lines, block.line)?;
    fields.claim(asked, roots).map_err(|error| {
        // The block of another role is no word of this one.
        let meant = fields.role(asked).ok().and_then(|_| fields.meant_dispute());
        ClaimError { meant, ..error }
    })
}

/// Takes away the margin that all lines share: a terminal or a list puts one before a block.
fn without_margin(mut lines: Vec<Line<'_>>) -> Vec<Line<'_>> {
    let indent = |text: &str| text.len() - text.trim_start().len();
    let mut with_text = lines.iter().map(|line| line.text).filter(|text| !text.trim().is_empty());
    let Some(first) = with_text.next() else { return lines };
    let margin = &first[..indent(first)];
    let shared = with_text.fold(margin, |shared, text| {
        let same = shared.char_indices().zip(text.chars()).find(|((_, a), b)| a != b);
        let same_length = same.map_or(shared.len().min(text.len()), |((at, _), _)| at);
        &shared[..same_length]
    });
    for line in &mut lines {
        line.text = line.text.strip_prefix(shared).unwrap_or_else(|| line.text.trim_start());
    }
    lines
}

enum Source<'l, 'a> {
    Entry(Entry<'l, 'a>),
    /// The block was written as one `{…}`, as JSON is.
    Node(Node),
}

struct Field<'l, 'a> {
    name: String,
    line: usize,
    source: Source<'l, 'a>,
}

impl Field<'_, '_> {
    fn node(&self) -> Result<Node, ClaimError> {
        match &self.source {
            Source::Entry(entry) => entry.node().map_err(|fault| of_fault(&fault)),
            Source::Node(node) => Ok(node.clone()),
        }
    }

    /// The field as text; `None` if it is a list or a mapping.
    fn text(&self) -> Result<Option<String>, ClaimError> {
        let text = match &self.source {
            Source::Entry(entry) if entry.is_block_list() => None,
            Source::Entry(entry) => Some(entry.text().map_err(|fault| of_fault(&fault))?),
            Source::Node(node) => text_of(node).or_else(|| (*node == Node::Null).then(String::new)),
        };
        // Escapes within quotes can bring back what was cleaned.
        Ok(text.map(|text| clean_text(&text).into_owned()))
    }

    fn wrong(&self, kind: ClaimErrorKind, message: impl Into<String>) -> ClaimError {
        error(kind, Some(self.line), message)
    }
}

struct Fields<'l, 'a> {
    known: HashMap<String, Field<'l, 'a>>,
    loose: HashMap<String, Field<'l, 'a>>,
    block_line: usize,
}

impl<'l, 'a> Fields<'l, 'a> {
    fn read(lines: &'l [Line<'a>], block_line: usize) -> Result<Self, ClaimError> {
        let all: Vec<Field<'l, 'a>> = match plain_yaml::flow_mapping(lines) {
            Some(pairs) => pairs
                .map_err(|fault| of_fault(&fault))?
                .into_iter()
                .map(|(name, node)| Field { name, line: block_line + 1, source: Source::Node(node) })
                .collect(),
            None => plain_yaml::entries(lines)
                .map_err(|fault| of_fault(&fault))?
                .into_iter()
                .map(|entry| Field {
                    name: entry.key.clone(),
                    line: entry.line,
                    source: Source::Entry(entry),
                })
                .collect(),
        };
        let (mut known, mut loose) = (HashMap::new(), HashMap::new());
        for field in all {
            if !KNOWN.contains(&field.name.as_str()) {
                refuse_aliases(&field)?;
                if meant::LOOSE.contains(&field.name.as_str()) {
                    loose.insert(field.name.clone(), field);
                }
                continue;
            }
            if known.contains_key(&field.name) {
                let message = format!("`{}` is given twice", field.name);
                return Err(field.wrong(ClaimErrorKind::DuplicateField, message));
            }
            known.insert(field.name.clone(), field);
        }
        Ok(Self { known, loose, block_line })
    }

    fn claim(&self, asked: Role, roots: &[&str]) -> Result<Claim, ClaimError> {
        Ok(Claim {
            role: self.role(asked)?,
            status: self.status()?,
            files: self.files(roots)?,
            command: self.command()?,
            output_excerpt: self.excerpt()?,
            notes: self.notes()?,
            tests: self.by_criterion("tests")?,
            supersedes: self.by_criterion("supersedes")?,
            dispute: self.dispute()?,
        })
    }

    fn get(&self, name: &str) -> Option<&Field<'l, 'a>> {
        self.known.get(name)
    }

    fn required(&self, name: &str) -> Result<&Field<'l, 'a>, ClaimError> {
        self.get(name).ok_or_else(|| missing(name, self.block_line))
    }

    /// A field that is one word, and the word.
    fn word(&self, name: &str) -> Result<(&Field<'l, 'a>, String), ClaimError> {
        let field = self.required(name)?;
        Ok((field, text_of(&field.node()?).unwrap_or_default()))
    }

    fn role(&self, asked: Role) -> Result<Role, ClaimError> {
        let (field, word) = self.word("role")?;
        let role = Role::from_name(&word).ok_or_else(|| {
            let message = format!("`role` is {:?}; it must be `{asked}`", shorten(&word, 40));
            field.wrong(ClaimErrorKind::InvalidRole, message)
        })?;
        if role == asked {
            return Ok(role);
        }
        let message = format!("the block is a {role}'s; the role asked for is {asked}");
        Err(field.wrong(ClaimErrorKind::WrongRole, message))
    }

    fn status(&self) -> Result<ClaimStatus, ClaimError> {
        let (field, word) = self.word("status")?;
        match word.as_str() {
            "ok" => Ok(ClaimStatus::Ok),
            "failed" => Ok(ClaimStatus::Failed),
            other => {
                let how = if meant::is_of_dispute(other) {
                    "; who disputes a test says `failed`, and `dispute` with `tests`, a list, and `reason`, a text"
                } else {
                    ""
                };
                let word = shorten(other, 40);
                let message = format!("`status` is {word:?}; it must be `ok` or `failed`{how}");
                Err(field.wrong(ClaimErrorKind::InvalidStatus, message))
            }
        }
    }

    fn files(&self, roots: &[&str]) -> Result<Vec<RelPath>, ClaimError> {
        let field = self.required("files")?;
        let invalid = || {
            let message = "`files` must be a list of paths, one a line after `- `, or `[]`";
            field.wrong(ClaimErrorKind::InvalidFiles, message)
        };
        let nodes = match field.node()? {
            Node::Null => Vec::new(),
            Node::List(nodes) => nodes,
            Node::Text(_) | Node::Pair(_) | Node::Map(_) => return Err(invalid()),
        };
        let mut files = Vec::with_capacity(nodes.len());
        let mut seen = std::collections::HashSet::new();
        for node in nodes {
            let Node::Text(path) = node else { return Err(invalid()) };
            let path = match paths::relative(&path, roots) {
                Err((ClaimErrorKind::UnsafePath, _)) if !guard::stands(Guard::PathEscape) => continue,
                path => path.map_err(|(kind, message)| field.wrong(kind, message))?,
            };
            if seen.insert(path.clone()) {
                files.push(path);
            }
        }
        Ok(files)
    }

    fn command(&self) -> Result<String, ClaimError> {
        let field = self.required("command")?;
        let command = field.text()?.map(|text| text.trim().to_owned());
        let names_nothing = |text: &String| matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL");
        command.filter(|text| !names_nothing(text)).ok_or_else(|| {
            let message = "`command` must name the command that was run, on one line";
            field.wrong(ClaimErrorKind::InvalidCommand, message)
        })
    }

    fn excerpt(&self) -> Result<String, ClaimError> {
        let field = self.required("output_excerpt")?;
        let text = match field.text()? {
            Some(text) => text,
            None => lines_of(&field.node()?),
        };
        Ok(text
            .split('\n')
            .take(EXCERPT_LINES)
            .collect::<Vec<_>>()
            .join("\n")
            .trim_end_matches('\n')
            .to_owned())
    }

    fn notes(&self) -> Result<Option<String>, ClaimError> {
        let Some(field) = self.get("notes") else { return Ok(None) };
        let text = match field.text()? {
            Some(text) => text,
            None => lines_of(&field.node()?),
        };
        Ok(Some(text.trim().to_owned()).filter(|text| !matches!(text.as_str(), "" | "~" | "null")))
    }

    fn by_criterion(&self, name: &str) -> Result<BTreeMap<CriterionId, Vec<String>>, ClaimError> {
        let Some(field) = self.get(name) else { return Ok(BTreeMap::new()) };
        let invalid = || {
            let message = format!("`{name}` must map criterion ids to lists of test ids or files");
            field.wrong(ClaimErrorKind::InvalidFiles, message)
        };
        let pairs = match field.node()? {
            Node::Null => Vec::new(),
            Node::Map(pairs) => pairs,
            Node::Text(_) | Node::Pair(_) | Node::List(_) => return Err(invalid()),
        };
        let mut map = BTreeMap::new();
        for (key, node) in pairs {
            let id = CriterionId::parse(&key).ok_or_else(invalid)?;
            let tests = texts_of(node).ok_or_else(invalid)?;
            let message = format!("`{name}` names {id} twice");
            if map.insert(id, tests).is_some() {
                return Err(field.wrong(ClaimErrorKind::DuplicateField, message));
            }
        }
        Ok(map)
    }

    fn dispute(&self) -> Result<Option<Dispute>, ClaimError> {
        let Some(field) = self.get("dispute") else { return Ok(None) };
        let invalid = |message: &str| field.wrong(ClaimErrorKind::InvalidFiles, message);
        let pairs = match field.node()? {
            Node::Null => return Ok(None),
            Node::Map(pairs) => pairs,
            Node::Text(_) | Node::Pair(_) | Node::List(_) => {
                return Err(invalid("`dispute` must hold `tests`, a list, and `reason`, a text"));
            }
        };
        let mut tests = None;
        let mut reason = None;
        for (key, node) in pairs {
            let is_repeated = match key.as_str() {
                "tests" => {
                    let list = texts_of(node)
                        .ok_or_else(|| invalid("`dispute.tests` must be a list of test ids"))?;
                    tests.replace(list).is_some()
                }
                "reason" => reason.replace(text_of(&node).unwrap_or_default()).is_some(),
                _ => false,
            };
            if is_repeated {
                let message = format!("`dispute` gives `{key}` twice");
                return Err(field.wrong(ClaimErrorKind::DuplicateField, message));
            }
        }
        let tests = tests.ok_or_else(|| missing("dispute.tests", field.line))?;
        let reason = reason.map(|text| clean_text(&text).trim().to_owned()).filter(|text| !text.is_empty());
        let reason = reason.ok_or_else(|| missing("dispute.reason", field.line))?;
        Ok(Some(Dispute { tests, reason }))
    }
}

/// A field that is ignored may be malformed, but no anchor hides in it.
fn refuse_aliases(field: &Field<'_, '_>) -> Result<(), ClaimError> {
    match field.node() {
        Err(error) if error.kind == ClaimErrorKind::Alias => Err(error),
        Ok(_) | Err(_) => Ok(()),
    }
}

fn text_of(node: &Node) -> Option<String> {
    match node {
        Node::Text(text) | Node::Pair(text) => Some(text.clone()),
        Node::Null | Node::List(_) | Node::Map(_) => None,
    }
}

/// A list of names. A name with a colon in it (`a.test.ts::adds: one`) is one name.
fn texts_of(node: Node) -> Option<Vec<String>> {
    match node {
        Node::Null => Some(Vec::new()),
        Node::List(nodes) => {
            nodes.iter().map(|node| text_of(node).map(|text| clean_text(&text).into_owned())).collect()
        }
        Node::Text(_) | Node::Pair(_) | Node::Map(_) => None,
    }
}

/// Whatever texts a value holds, one a line.
fn lines_of(node: &Node) -> String {
    match node {
        Node::Null | Node::Map(_) => String::new(),
        Node::Text(text) | Node::Pair(text) => clean_text(text).into_owned(),
        Node::List(nodes) => nodes.iter().map(lines_of).collect::<Vec<_>>().join("\n"),
    }
}

fn missing(field: &str, line: usize) -> ClaimError {
    let message = format!("the block has no `{field}`, which is required");
    error(ClaimErrorKind::MissingField(field.to_owned()), Some(line), message)
}

fn of_fault(fault: &Fault) -> ClaimError {
    let kind = match fault.kind {
        FaultKind::Syntax => ClaimErrorKind::NotYaml,
        FaultKind::Alias => ClaimErrorKind::Alias,
    };
    error(kind, Some(fault.line), fault.message.clone())
}
