//! `[a, 'b', {c: d}]`, over one line or several.

use super::{Fault, Node, scalar};

/// Reads the collection that `text` begins with; nothing but a comment may follow it.
pub(super) fn read(text: &str, line: usize, depth: usize) -> Result<Node, Fault> {
    let mut reader = Reader { text, at: 0, line };
    let node = reader.node(depth)?;
    reader.skip_blanks();
    match reader.peek() {
        None => Ok(node),
        Some(_) => Err(reader.fault("something follows the closing bracket")),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self, char: char) -> bool {
        let is_next = self.peek() == Some(char);
        if is_next {
            self.at += char.len_utf8();
        }
        is_next
    }

    fn line(&self) -> usize {
        self.line + self.text[..self.at].matches('\n').count()
    }

    fn fault(&self, message: &str) -> Fault {
        Fault::syntax(self.line(), message)
    }

    /// Skips blanks, line ends and comments.
    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n']).len();
            let is_comment =
                self.rest().starts_with('#') && self.text[..self.at].ends_with([' ', '\t', '\n']);
            if !is_comment {
                return;
            }
            let rest = self.rest();
            self.at += rest.find('\n').unwrap_or(rest.len());
        }
    }

    fn node(&mut self, depth: usize) -> Result<Node, Fault> {
        self.skip_blanks();
        match self.peek() {
            Some('[' | '{') if depth == 0 => Err(self.fault("nested too deeply")),
            Some('[') => self.list(depth - 1),
            Some('{') => self.map(depth - 1),
            Some('"' | '\'') => self.quoted().map(Node::Text),
            Some('&' | '*') => Err(Fault::alias(self.line())),
            Some('!') => Err(self.fault("tags (`!a`) are not read")),
            Some('`' | '@' | '%' | '|' | '>') => Err(self.fault("this value must be quoted")),
            Some(',' | ']' | '}' | ':') => Ok(Node::Null),
            Some(_) => Ok(self.plain()),
            None => Err(self.fault("a bracket is never closed")),
        }
    }

    fn quoted(&mut self) -> Result<String, Fault> {
        let (text, used) = scalar::quoted(self.rest()).map_err(|why| self.fault(why))?;
        self.at += used;
        Ok(text)
    }

    fn list(&mut self, depth: usize) -> Result<Node, Fault> {
        self.at += 1;
        let mut nodes = Vec::new();
        loop {
            self.skip_blanks();
            if self.take(']') {
                return Ok(Node::List(nodes));
            }
            let start = self.at;
            let node = self.node(depth)?;
            self.skip_blanks();
            if self.take(':') {
                // `[a: b]` is a mapping within the list to YAML; no field of ours takes one.
                self.node(depth)?;
                nodes.push(Node::Pair(self.text[start..self.at].trim().to_owned()));
            } else {
                nodes.push(node);
            }
            self.end_of_item(']')?;
        }
    }

    fn map(&mut self, depth: usize) -> Result<Node, Fault> {
        self.at += 1;
        let mut pairs = Vec::new();
        loop {
            self.skip_blanks();
            if self.take('}') {
                return Ok(Node::Map(pairs));
            }
            let Node::Text(key) = self.node(depth)? else {
                return Err(self.fault("a key must be text"));
            };
            self.skip_blanks();
            let value = if self.take(':') { self.node(depth)? } else { Node::Null };
            pairs.push((key, value));
            self.end_of_item('}')?;
        }
    }

    fn end_of_item(&mut self, close: char) -> Result<(), Fault> {
        self.skip_blanks();
        if self.take(',') || self.peek() == Some(close) {
            return Ok(());
        }
        Err(match self.peek() {
            None => self.fault("a bracket is never closed"),
            Some(_) => self.fault("expected a comma or the closing bracket"),
        })
    }

    /// A plain text ends at a comma, a bracket, a colon with a blank behind it, or a comment.
    fn plain(&mut self) -> Node {
        let rest = self.rest();
        let bytes = rest.as_bytes();
        let ends = |at: usize| match bytes[at] {
            b',' | b'[' | b']' | b'{' | b'}' => true,
            b':' => bytes.get(at + 1).is_none_or(|byte| b" \t\n,[]{}".contains(byte)),
            b'#' => at > 0 && matches!(bytes[at - 1], b' ' | b'\t' | b'\n'),
            _ => false,
        };
        let length = (0..bytes.len()).find(|at| ends(*at)).unwrap_or(bytes.len());
        self.at += length;
        let words: Vec<&str> =
            rest[..length].lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let text = words.join(" ");
        if matches!(text.as_str(), "~" | "null" | "Null" | "NULL") { Node::Null } else { Node::Text(text) }
    }
}
