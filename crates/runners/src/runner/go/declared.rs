//! Which tests a Go file declares, read lexically: also one that no grammar parses has them, and
//! an id that no file declares is no evidence.
//!
//! ```text
//! test = "func " ( "Test" | "Example" | "Fuzz" ) [ rest ] "("      at the margin
//! rest = a character that is no lower-case letter { word character }
//! ```
//!
//! Comments and strings are blanked first. `TestMain` is none.

/// The names, in order, each once.
pub(super) fn names(source: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for line in blanked(source).lines() {
        let Some(rest) = line.strip_prefix("func ") else { continue };
        let name: String =
            rest.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let after = rest.trim_start()[name.len()..].trim_start();
        if is_test(&name) && after.starts_with('(') && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Whether go takes a function of this name for a test, an example or a fuzz target.
fn is_test(name: &str) -> bool {
    let rest = ["Test", "Example", "Fuzz"].iter().find_map(|kind| name.strip_prefix(kind));
    name != "TestMain" && rest.is_some_and(|rest| !rest.starts_with(char::is_lowercase))
}

/// The name in the `package` clause.
pub(super) fn package(source: &str) -> Option<String> {
    let source = blanked(source);
    let rest = source.lines().find_map(|line| line.trim_start().strip_prefix("package "))?;
    let name: String = rest.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!name.is_empty()).then_some(name)
}

/// The source with blanks for comments and the insides of strings; line ends stay.
fn blanked(source: &str) -> String {
    let mut blanked = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '/' if rest.starts_with("//") => rest.find('\n'),
            '/' if rest.starts_with("/*") => rest.find("*/").map(|at| at + 2),
            '`' => rest[1..].find('`').map(|at| at + 2),
            '"' | '\'' => Some(quoted_end(rest, first)),
            _ => {
                blanked.push(first);
                rest = &rest[first.len_utf8()..];
                continue;
            }
        };
        let end = end.unwrap_or(rest.len());
        blanked.extend(rest[..end].chars().map(|inner| if inner == '\n' { '\n' } else { ' ' }));
        rest = &rest[end..];
    }
    blanked
}

/// Where a string or rune ends: behind its closing quote, or at the line's end.
fn quoted_end(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            '\n' => return at,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            other if other == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_examples_and_fuzz_targets_are_found_where_they_are_declared() {
        let source = "// package no\npackage shop_test\n\nfunc TestA(t *testing.T) { s := \"func TestNo(\" }\n\
            func Test_b(t *testing.T) {\n}\nfunc Testify(t *testing.T) {}\nfunc TestMain(m *testing.M) {}\n\
            func Example() {}\nfunc ExampleShop_one() {}\nfunc FuzzX(f *testing.F) {}\nfunc BenchmarkX(b *testing.B) {}\n\
            /*\nfunc TestComment(t *testing.T) {}\n*/\nvar s = `\nfunc TestRaw(t *testing.T) {}\n`\n\
            func (s *Suite) TestMethod() {}\n\tfunc TestIndented(t) {}\nfunc TestÜ (t *testing.T) {}\nvar r = '\\''\nfunc TestLast(t *testing.T) {}";
        assert_eq!(
            names(source),
            ["TestA", "Test_b", "Example", "ExampleShop_one", "FuzzX", "TestÜ", "TestLast"]
        );
        assert_eq!(package(source).as_deref(), Some("shop_test"));
        for hostile in ["", "\"", "'\\", "/*", "`", "func ", "package ", "func Test"] {
            assert!(names(hostile).is_empty() && package(hostile).is_none(), "{hostile:?}");
        }
    }
}
