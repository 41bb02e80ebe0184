//! `go.mod` as a table: directive, then the module that it is about.
//!
//! ```text
//! line  = directive word … ["//" comment] | directive "(" | word … | ")"
//! ```

use std::collections::BTreeMap;

use super::diff::Node;

pub(super) fn parse(text: &str) -> Result<Node, String> {
    let mut file: BTreeMap<String, BTreeMap<String, Vec<String>>> = BTreeMap::new();
    let mut block: Option<String> = None;
    for (at, raw) in text.lines().enumerate() {
        let line = raw.split("//").next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        if line == ")" {
            block.take().ok_or_else(|| format!("line {}: a `)` without its `(`", at + 1))?;
            continue;
        }
        let (directive, rest) = match &block {
            Some(directive) => (directive.clone(), line),
            None => match line.split_once(|next: char| next.is_whitespace() || next == '(') {
                Some((directive, _)) if line.ends_with('(') => {
                    block = Some(directive.to_owned());
                    continue;
                }
                Some((directive, rest)) => (directive.to_owned(), rest.trim()),
                None => return Err(format!("line {}: `{line}` names nothing", at + 1)),
            },
        };
        let subject = rest.split_whitespace().next().unwrap_or_default().to_owned();
        file.entry(directive).or_default().entry(subject).or_default().push(rest.to_owned());
    }
    if block.is_some() {
        return Err("a `(` is never closed".to_owned());
    }
    let directives = file.into_iter().map(|(directive, subjects)| {
        let subjects = subjects.into_iter().map(|(subject, lines)| (subject, Node::Value(lines.join("\n"))));
        (directive, Node::Table(subjects.collect()))
    });
    Ok(Node::Table(directives.collect()))
}
