//! How a criterion begins: an optional box, marks around the id, the id, what parts it from the
//! text.

use tdd_core::criterion::CriterionId;

/// The beginning of a criterion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Start {
    pub(super) id: CriterionId,
    /// What follows the id on its line.
    pub(super) text: String,
}

/// Reads the content of a list item, heading or paragraph; `None` if it begins with no id.
pub(super) fn of_text(content: &str) -> Option<Start> {
    let content = without_box(content);
    let is_mark = |char: char| matches!(char, '*' | '_' | '`');
    let named = content.trim_start_matches(is_mark);
    let marks = &content[..content.len() - named.len()];
    let id_length = id_length(named)?;
    let id = CriterionId::parse(&named[..id_length])?;
    let mut text = named[id_length..].to_owned();
    // The marks may close right behind the id, behind its colon, or at the end of a whole title.
    for mark in marks.chars().rev() {
        if let Some(at) = text.find(mark) {
            text.remove(at);
        }
    }
    let is_separator = |char: char| matches!(char, ':' | '—' | '–' | '-' | '.') || char.is_whitespace();
    Some(Start { id, text: text.trim_start_matches(is_separator).to_owned() })
}

/// `[ ]`, `[x]`, and as a tracker escapes them.
pub(super) fn without_box(content: &str) -> &str {
    for mark in ["[ ]", "[x]", "[X]", "\\[ \\]", "\\[x\\]", "\\[X\\]"] {
        if let Some(rest) = content.strip_prefix(mark) {
            return rest.trim_start();
        }
    }
    content
}

/// The length of the id at the head of `text`: `AC-`, a prefix, a dot, digits, and nothing behind
/// them that would make it another word or a range (`AC-1.1.2`, `AC-1.1..3`, `AC-1.1-x`).
fn id_length(text: &str) -> Option<usize> {
    let name = text.strip_prefix("AC-")?;
    let prefix = name.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'-').count();
    let digits = name[prefix..].strip_prefix('.')?.bytes().take_while(u8::is_ascii_digit).count();
    let length = "AC-".len() + prefix + 1 + digits;
    let mut after = text[length..].chars();
    let goes_on = match after.next() {
        Some('.' | '-') => after.next().is_some_and(|char| char.is_alphanumeric() || char == '.'),
        Some(char) => {
            char.is_alphanumeric() || (char == '_' && after.next().is_some_and(char::is_alphanumeric))
        }
        None => false,
    };
    (digits > 0 && !goes_on).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_criterion_begins_with_its_id() {
        for (content, want) in [
            ("AC-STE-1.2: text", Some(("AC-STE-1.2", "text"))),
            ("[x] AC-1.02 text", Some(("AC-1.2", "text"))),
            ("\\[ \\] AC-1.2 — text", Some(("AC-1.2", "text"))),
            ("**AC-1.2** — text **b**", Some(("AC-1.2", "text **b**"))),
            ("**AC-1.2:** text", Some(("AC-1.2", "text"))),
            ("**AC-1.2: A title.** text", Some(("AC-1.2", "A title. text"))),
            ("**`AC-1.2`**: text", Some(("AC-1.2", "text"))),
            ("__AC-1.2__ text", Some(("AC-1.2", "text"))),
            ("AC-1.2 (later): text", Some(("AC-1.2", "(later): text"))),
            ("AC-1.2. Text", Some(("AC-1.2", "Text"))),
            ("AC-a-b.2", Some(("AC-a-b.2", ""))),
            ("AC-1.1..3 are done", None),
            ("AC-1.1.2 text", None),
            ("AC-1.1-x text", None),
            ("AC-1.1x text", None),
            ("AC-1 text", None),
            ("AC-.1 text", None),
            ("see AC-1.1", None),
            ("ac-1.1 text", None),
            ("AC-1.99999999999999999999999 text", None),
        ] {
            let got = of_text(content).map(|start| (start.id.to_string(), start.text));
            let want = want.map(|(id, text)| (id.to_owned(), text.to_owned()));
            assert_eq!(got, want, "{content:?}");
        }
    }
}
