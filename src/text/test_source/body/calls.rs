//! What a body calls.

use super::super::{Language, is_word, skip_blanks};

/// The names that are called, each with the path written before it, joined by dots
/// (`Shop::new()` is `Shop.new`). A call of something without a name (`table[0]()`) is an empty
/// name. Keywords, definitions, and what never holds an expectation are left out.
pub(super) fn calls(language: Language, code: &str) -> Vec<String> {
    let bytes = code.as_bytes();
    let mut found: Vec<String> = Vec::new();
    for (at, _) in code.match_indices('(') {
        let last = bytes[..at].iter().rposition(|byte| !matches!(byte, b' ' | b'\t'));
        if let Some(name) = last.and_then(|last| callee(language, code, last + 1))
            && !found.contains(&name)
        {
            found.push(name);
        }
    }
    found.extend(braced_macros(language, code));
    found
}

/// `check! { … }` and `check![…]`.
fn braced_macros(language: Language, code: &str) -> Vec<String> {
    if language != Language::Rust {
        return Vec::new();
    }
    let bytes = code.as_bytes();
    let opens = |at: usize| matches!(bytes.get(skip_blanks(bytes, at + 1)), Some(b'{' | b'['));
    let marks = code.match_indices('!').filter(|(at, _)| opens(*at));
    marks.filter_map(|(at, _)| callee(language, code, at + 1)).collect()
}

/// The callee that ends at `end`; `None` if what stands there is no call, or a harmless one.
fn callee(language: Language, code: &str, end: usize) -> Option<String> {
    let bytes = code.as_bytes();
    let mut end = end;
    if language == Language::Rust && bytes[end - 1] == b'!' {
        end -= 1;
    }
    if language == Language::Rust && bytes[end - 1] == b'>' {
        // A turbofish; `->` and a comparison have no `::<`.
        end = code[..end].rfind("::<")?;
    }
    if code[..end].ends_with("?.") {
        end -= 2;
    }
    if end == 0 {
        return None;
    }
    if matches!(bytes[end - 1], b')' | b']') {
        return Some(String::new());
    }
    let mut parts = Vec::new();
    let mut at = end;
    loop {
        let begin = bytes[..at].iter().rposition(|byte| !is_word(*byte) && *byte != b'$');
        let begin = begin.map_or(0, |begin| begin + 1);
        if begin == at {
            break;
        }
        parts.push(&code[begin..at]);
        at = begin;
        let path = ["::", "?.", "."].into_iter().find(|join| code[..at].ends_with(join));
        let Some(path) = path else { break };
        at -= path.len();
    }
    let name = *parts.first()?;
    let before = code[..at].trim_end();
    let word_before = before.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
    let defines = matches!(&before[word_before..], "def" | "class" | "fn" | "function" | "struct" | "enum");
    let is_attribute = language == Language::Rust && before.ends_with("#[");
    if defines || is_attribute || parts.len() == 1 && KEYWORDS.contains(&name) {
        return None;
    }
    parts.reverse();
    let full = parts.join(".");
    (!is_harmless(language, &full)).then_some(full)
}

const KEYWORDS: &[&str] = &[
    "if", "elif", "else", "while", "for", "in", "match", "return", "and", "or", "not", "is", "yield",
    "await", "async", "with", "assert", "lambda", "del", "let", "const", "var", "mut", "ref", "move",
    "switch", "catch", "function", "typeof", "void", "new", "try", "as", "except", "case",
];

/// Calls of the language itself that never fail a test because of what the code did.
fn is_harmless(language: Language, name: &str) -> bool {
    let known: &[&str] = match language {
        Language::Rust => &[
            "Some",
            "Ok",
            "Err",
            "println",
            "print",
            "eprintln",
            "eprint",
            "dbg",
            "format",
            "vec",
            "drop",
            "Vec.new",
            "String.new",
            "String.from",
            "HashMap.new",
            "Default.default",
            "Box.new",
            "black_box",
            "std.hint.black_box",
        ],
        Language::Python => &[
            "print",
            "len",
            "str",
            "repr",
            "int",
            "float",
            "bool",
            "list",
            "dict",
            "tuple",
            "set",
            "range",
            "type",
            "id",
            "sorted",
            "isinstance",
            "callable",
            "hasattr",
            "asyncio.run",
        ],
        Language::JavaScript => &[
            "console.log",
            "console.error",
            "console.info",
            "console.warn",
            "console.debug",
            "String",
            "Number",
            "Boolean",
            "Array",
            "Object",
            "Symbol",
            "JSON.stringify",
            "Promise.resolve",
        ],
    };
    known.contains(&name)
}
