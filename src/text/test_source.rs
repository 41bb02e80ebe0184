//! Names of tests in the source of a test file, and what their bodies hold, read lexically.
//!
//! Comments and strings are blanked first (same length, so places stay), then:
//!
//! ```text
//! Rust        "#[" … "test" [ "(" … ")" ] "]" { attribute } [ "async" … ] "fn" NAME, inside "mod" NAME "{"
//! Python      "def test…" at the margin, or inside "class Test…" / "class …(…TestCase…)"
//! JavaScript  ("test" | "it") [ "." word ] "(" STRING, inside ("describe" | "suite") "(" STRING
//! ```
//!
//! For files that do not load: what a runner collects always counts more. Names made at run time
//! (parameters, templates, macros) are not seen.

mod blank;
mod body;
mod imports;
mod javascript;
mod python;
mod rust;

pub use self::body::{BodyFacts, Expectation};

/// Languages whose tests can be found without running them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    Rust,
    Python,
    JavaScript,
}

impl Language {
    /// By a file's extension, without the dot.
    pub fn of(extension: &str) -> Option<Self> {
        match extension {
            "rs" => Some(Self::Rust),
            "py" => Some(Self::Python),
            "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" => Some(Self::JavaScript),
            _ => None,
        }
    }
}

/// A test as its source declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Declared {
    name: String,
    /// Where it begins, with its attributes or decorators.
    head: usize,
    /// The body's bytes in the source.
    body: std::ops::Range<usize>,
}

/// The full names of the tests that a source declares, in order, as the language's runner would
/// name them within the file.
pub fn declared(language: Language, source: &str) -> Vec<String> {
    let mut names: Vec<String> = find(language, source).into_iter().map(|test| test.name).collect();
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

/// What the body of a test holds. `test` is its full name, without the file; parameters that a
/// runner adds (`test_a[1]`) are looked through. [`Expectation::Unknown`] if it is not found.
pub fn body_facts(language: Language, source: &str, test: &str) -> BodyFacts {
    let plain = test.split('[').next().unwrap_or(test);
    // pytest joins class and name by `::`, unittest by `.`.
    let same = |name: &str| name == test || name == plain || name.replace("::", ".") == plain;
    match find(language, source).into_iter().find(|declared| same(&declared.name)) {
        Some(declared) => body::facts(language, source, declared.body),
        None => BodyFacts::UNKNOWN,
    }
}

/// A source split into its tests and the rest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// Full name and body, blanks folded; comments count, because a formatter leaves them.
    tests: Vec<(String, String)>,
    /// The lines outside every test's body that hold anything but imports, blanks folded: one
    /// name more in an import makes no test another one.
    pub rest: Vec<String>,
}

impl Outline {
    /// The body of a test by its full name; parameters that a runner adds are looked through.
    pub fn body(&self, test: &str) -> Option<&str> {
        let plain = test.split('[').next().unwrap_or(test);
        let same = |name: &str| name == test || name == plain || name.replace("::", ".") == plain;
        self.tests.iter().find(|(name, _)| same(name)).map(|(_, body)| body.as_str())
    }
}

/// Splits a source, to tell what was changed in it.
pub fn outline(language: Language, source: &str) -> Outline {
    let mut outline = Outline::default();
    let mut rest = String::new();
    let mut at = 0;
    let whole = source;
    let imports = imports::spans(language, &blank::blank(language, source));
    let source = &blank::without(source, &imports);
    for test in find(language, source) {
        outline.tests.push((test.name, fold(whole.get(test.body.clone()).unwrap_or_default())));
        // Bodies may be nested (a test inside a test); what was taken once is not taken again.
        if test.body.start >= at {
            rest.push_str(source.get(at..test.body.start).unwrap_or_default());
            at = test.body.end;
        }
    }
    rest.push_str(source.get(at..).unwrap_or_default());
    outline.rest = rest.lines().map(fold).filter(|line| !matches!(line.as_str(), "" | ";")).collect();
    outline
}

/// Tests that `before` declares and that are found, by their last name, with equal text in none of
/// `after`: changed or removed, wherever they stood. Attributes and decorators are part of a test;
/// comments and how it is formatted are not. Gives the path and the full name of each.
pub fn weakened(language: Language, before: &[(&str, &str)], after: &[&str]) -> Vec<(String, String)> {
    let texts = |source: &str| {
        let tests = find(language, source).into_iter();
        let text = |test: &Declared| source.get(test.head..test.body.end).unwrap_or_default().to_owned();
        tests.map(|test| (blank::condensed(language, &text(&test)), test.name)).collect::<Vec<_>>()
    };
    let last = |name: &str| -> String {
        let parts = if language == Language::JavaScript { " > " } else { "::" };
        name.rsplit(parts).next().unwrap_or(name).to_owned()
    };
    let all = after.iter().flat_map(|source| texts(source));
    let now: std::collections::HashSet<(String, String)> =
        all.map(|(text, name)| (text, last(&name))).collect();
    let mut weakened = Vec::new();
    for (path, source) in before {
        for (text, name) in texts(source) {
            let wanted = (text, last(&name));
            if !now.contains(&wanted) {
                weakened.push(((*path).to_owned(), name));
            }
        }
    }
    weakened
}

fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn find(language: Language, source: &str) -> Vec<Declared> {
    let code = blank::blank(language, source);
    match language {
        Language::Rust => rust::find(&code),
        Language::Python => python::find(&code),
        Language::JavaScript => javascript::find(&code, source),
    }
}

/// The place after the bracket that closes the one at `open`; the end if it never closes.
fn close_of(code: &[u8], open: usize) -> usize {
    let mut depth = 0usize;
    for (at, byte) in code.iter().enumerate().skip(open) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    code.len()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// The word that begins at `at`; empty if none does.
fn word_at(code: &str, at: usize) -> &str {
    let bytes = code.as_bytes();
    let end = (at..bytes.len()).find(|end| !is_word(bytes[*end])).unwrap_or(bytes.len());
    code.get(at..end).unwrap_or_default()
}

fn skip_blanks(code: &[u8], mut at: usize) -> usize {
    while code.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests;
