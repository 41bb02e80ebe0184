//! Rust sources as the fences see them: words and marks, without comments, literals and tests.

/// One word or mark, and its line, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) text: String,
    pub(crate) line: usize,
}

/// A source file, lexed.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// Relative to the repository: `src/core/state.rs`.
    pub(crate) path: String,
    /// Without comments, literals, and items under `#[cfg(test)]`.
    pub(crate) tokens: Vec<Token>,
    /// Lines that are not part of such an item.
    pub(crate) lines: usize,
    /// Files of modules that are declared under `#[cfg(test)]`, from this file's folder.
    pub(crate) test_files: Vec<String>,
}

/// A path as written, groups of a `use` written out: `std::{fs, io}` is two of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mention {
    pub(crate) parts: Vec<String>,
    pub(crate) line: usize,
}

impl Source {
    pub(crate) fn read(path: &str, text: &str) -> Self {
        let name = path.trim_end_matches(".rs").rsplit('/').next().unwrap_or(path);
        let (tokens, lost, test_files) = without_tests(&lex(text), name);
        Self { path: path.to_owned(), tokens, lines: text.lines().count() - lost, test_files }
    }

    /// The module that the file is: `["core", "state"]`; `["lib"]` for the root.
    pub(crate) fn module(&self) -> Vec<String> {
        let path = self.path.trim_end_matches(".rs");
        match path.split_once("/src/") {
            Some((package, inside)) => {
                std::iter::once(package).chain(inside.split('/')).map(str::to_owned).collect()
            }
            None => path.trim_start_matches("src/").split('/').map(str::to_owned).collect(),
        }
    }

    pub(crate) fn mentions(&self) -> Vec<Mention> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < self.tokens.len() {
            let continues = at > 0 && matches!(self.word(at - 1), "." | "::") && !self.is_rooted(at);
            if is_word(self.word(at)) && !continues && !BEFORE.contains(&self.word(at)) {
                at = self.path_at(at, &[], &mut found);
            } else {
                at += 1;
            }
        }
        found
    }

    /// Whether the `::` before `at` begins a path (`::std::fs`) and does not go on with one.
    fn is_rooted(&self, at: usize) -> bool {
        let before = if at < 2 { "" } else { self.word(at - 2) };
        let goes_on = before == ">" || is_word(before) && !BEFORE.contains(&before);
        self.word(at - 1) == "::" && !goes_on
    }

    fn path_at(&self, mut at: usize, before: &[String], found: &mut Vec<Mention>) -> usize {
        let line = self.tokens[at].line;
        let mut parts = before.to_vec();
        parts.push(self.word(at).to_owned());
        at += 1;
        while self.word(at) == "::" {
            let next = self.word(at + 1);
            if next == "{" {
                return self.group_at(at + 2, &parts, found);
            }
            if !is_word(next) && next != "*" {
                break;
            }
            parts.push(next.to_owned());
            at += 2;
        }
        found.push(Mention { parts, line });
        at
    }

    /// The inside of `a::{…}`, from after the brace to after its end.
    fn group_at(&self, mut at: usize, before: &[String], found: &mut Vec<Mention>) -> usize {
        while at < self.tokens.len() && self.word(at) != "}" {
            let word = self.word(at);
            at = match word {
                "as" => at + 2,
                "self" | "*" => {
                    let parts = before.iter().cloned().chain([word.to_owned()]).collect();
                    found.push(Mention { parts, line: self.tokens[at].line });
                    at + 1
                }
                word if is_word(word) => self.path_at(at, before, found),
                _ => at + 1,
            };
        }
        at + 1
    }

    pub(crate) fn word(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| &token.text)
    }

    /// Where these words follow each other.
    pub(crate) fn find(&self, words: &[&str]) -> Vec<usize> {
        let fits = |at: &usize| words.iter().enumerate().all(|(n, word)| self.word(at + n) == *word);
        (0..self.tokens.len()).filter(fits).collect()
    }
}

/// Words that a rooted path (`::std::fs`) may follow, and that begin no path themselves.
const BEFORE: [&str; 10] = ["use", "return", "in", "as", "mut", "dyn", "impl", "else", "match", "if"];

fn is_word(text: &str) -> bool {
    text.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_')
}

fn lex(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let (mut at, mut line) = (0, 1);
    while at < chars.len() {
        let end = match skipped(&chars, at) {
            // A plain text is kept, for `#[path = "…"]`; nothing takes it for a word.
            Some(end) if chars[at] == '"' => {
                tokens.push(Token { text: chars[at..end].iter().collect(), line });
                end
            }
            Some(end) => end,
            None if chars[at].is_alphabetic() || chars[at] == '_' => {
                let end = word_end(&chars, at);
                tokens.push(Token { text: chars[at..end].iter().collect(), line });
                end
            }
            None => {
                let end = if chars[at..].starts_with(&[':', ':']) { at + 2 } else { at + 1 };
                tokens.push(Token { text: chars[at..end].iter().collect(), line });
                end
            }
        };
        line += chars[at..end].iter().filter(|c| **c == '\n').count();
        at = end;
    }
    tokens
}

/// Where a blank, comment or literal that begins here ends; `None` if none begins.
fn skipped(chars: &[char], at: usize) -> Option<usize> {
    let next = chars.get(at + 1).copied().unwrap_or(' ');
    match chars[at] {
        c if c.is_whitespace() => Some(at + 1),
        '/' if next == '/' => {
            Some(chars[at..].iter().position(|c| *c == '\n').map_or(chars.len(), |length| at + length))
        }
        '/' if next == '*' => Some(comment_end(chars, at)),
        '"' => Some(string_end(chars, at)),
        '\'' => Some(quote_end(chars, at)),
        'r' | 'b' | 'c' => prefixed_end(chars, at),
        c if c.is_ascii_digit() => Some(word_end(chars, at)),
        _ => None,
    }
}

fn word_end(chars: &[char], at: usize) -> usize {
    let length = chars[at..].iter().position(|c| !(c.is_alphanumeric() || *c == '_'));
    length.map_or(chars.len(), |length| at + length)
}

fn comment_end(chars: &[char], mut at: usize) -> usize {
    let mut depth = 0;
    while at < chars.len() {
        if chars[at..].starts_with(&['/', '*']) {
            (depth, at) = (depth + 1, at + 2);
        } else if chars[at..].starts_with(&['*', '/']) {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    at
}

fn string_end(chars: &[char], at: usize) -> usize {
    let mut at = at + 1;
    while at < chars.len() && chars[at] != '"' {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(chars.len())
}

/// A char literal, or the `'` of a lifetime.
fn quote_end(chars: &[char], at: usize) -> usize {
    if chars.get(at + 1) == Some(&'\\') {
        let from = at + 3;
        return chars[from..].iter().position(|c| *c == '\'').map_or(chars.len(), |length| from + length + 1);
    }
    if chars.get(at + 2) == Some(&'\'') { at + 3 } else { at + 1 }
}

/// `r"…"`, `r#"…"#`, `b"…"`, `br"…"`, `c"…"`, `b'…'`; `None` for a word that only begins so.
fn prefixed_end(chars: &[char], at: usize) -> Option<usize> {
    let mut from = at + 1;
    let mut raw = chars[at] == 'r';
    if !raw && chars.get(from) == Some(&'r') {
        (raw, from) = (true, from + 1);
    }
    let hashes = chars[from..].iter().take_while(|c| **c == '#').count();
    match chars.get(from + hashes) {
        Some('"') if raw => {
            let end: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
            let body = from + hashes + 1;
            let length = chars[body..].windows(end.len()).position(|window| *window == end[..]);
            Some(length.map_or(chars.len(), |length| body + length + end.len()))
        }
        Some('"') if hashes == 0 => Some(string_end(chars, from)),
        Some('\'') if hashes == 0 && chars[at] == 'b' => Some(quote_end(chars, from)),
        _ => None,
    }
}

/// Drops each item under `#[cfg(test)]` of the file `name`. Gives what is left, how many lines
/// went, and the files of the modules among what went.
fn without_tests(tokens: &[Token], name: &str) -> (Vec<Token>, usize, Vec<String>) {
    const MARK: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let starts = |at: usize| (0..MARK.len()).all(|n| tokens.get(at + n).is_some_and(|t| t.text == MARK[n]));
    let (mut kept, mut lost, mut modules) = (Vec::new(), 0, Vec::new());
    let mut at = 0;
    while at < tokens.len() {
        if !starts(at) {
            kept.push(tokens[at].clone());
            at += 1;
            continue;
        }
        let end = item_end(tokens, at + MARK.len());
        modules.extend(module_file(&tokens[at..end], name));
        lost += tokens[end - 1].line - tokens[at].line + 1;
        at = end;
    }
    (kept, lost, modules)
}

/// The file of a module that is declared and not written out: `#[path = "x.rs"] mod tests;`.
fn module_file(item: &[Token], name: &str) -> Option<String> {
    let three = |first: &str| item.windows(3).find(|three| three[0].text == first);
    let module = three("mod").filter(|three| three[2].text == ";")?;
    match three("path").filter(|three| three[1].text == "=") {
        Some(path) => Some(path[2].text.trim_matches('"').to_owned()),
        None if matches!(name, "lib" | "main") => Some(format!("{}.rs", module[1].text)),
        None => Some(format!("{name}/{}.rs", module[1].text)),
    }
}

/// After the `;` or the `}` that ends the item that begins at `at`, its attributes included.
fn item_end(tokens: &[Token], mut at: usize) -> usize {
    let mut depth = 0_i32;
    while at < tokens.len() {
        match tokens[at].text.as_str() {
            "{" | "(" | "[" => depth += 1,
            ")" | "]" => depth -= 1,
            "}" => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            ";" if depth == 0 => return at + 1,
            _ => {}
        }
        at += 1;
    }
    at
}
