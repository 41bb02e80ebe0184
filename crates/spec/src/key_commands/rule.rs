//! The gate: what a gating rule names.

use super::entry::{Span, spans};
use super::markdown::{Kind, Line, plain};
use super::shape::{is_command, is_placeholder};
use super::{MOST, Named, Pick};

/// The gate that the section, or else the whole file, names. A rule by that name goes before
/// prose that demands something.
pub(super) fn gate(section: &[Line], lines: &[Line]) -> Pick {
    let readings: [fn(&Rule) -> Option<&str>; 2] = [named_rule, demand];
    for reading in readings {
        for scope in [section, lines] {
            let rules = rules(scope);
            if let Some(pick) = pick(rules.iter().filter_map(|rule| reading(rule).map(|text| (rule, text)))) {
                return pick;
            }
        }
    }
    Pick::Nothing
}

/// The commands that a line joins by `&&`.
pub(super) fn parts(command: &str) -> Vec<String> {
    command.split("&&").map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

/// One paragraph, list item or heading, with the fence that follows it.
struct Rule {
    line: usize,
    text: String,
    fence: Vec<(String, usize)>,
}

/// The sentence of a gating rule that holds a command, or else all of it.
fn named_rule(rule: &Rule) -> Option<&str> {
    if !plain(&rule.text).contains("gating rule") {
        return None;
    }
    let holds_command = |sentence: &&str| spans(sentence).iter().any(|span| is_command(span.inner));
    Some(sentences(&rule.text).into_iter().find(holds_command).unwrap_or(&rule.text))
}

/// The sentence with "every change must pass X" or "X must be green before …". Without a command
/// of its own it counts only if it announces a fence.
fn demand(rule: &Rule) -> Option<&str> {
    const DEMANDS: [&str; 6] =
        ["must pass", "must be green", "must succeed", "has to pass", "have to pass", "needs to pass"];
    let demands = |sentence: &&str| DEMANDS.iter().any(|demand| plain(sentence).contains(demand));
    let sentence = sentences(&rule.text).into_iter().find(demands)?;
    let announces = sentence.trim_end().trim_end_matches('*').ends_with(':');
    let holds_command = spans(sentence).iter().any(|span| is_command(span.inner));
    (announces || holds_command).then_some(sentence)
}

/// Splits at a full stop or a semicolon before a blank, outside code.
fn sentences(text: &str) -> Vec<&str> {
    let spans = spans(text);
    let mut sentences = Vec::new();
    let mut start = 0;
    for (at, _) in text.match_indices(['.', ';']).filter(|(at, _)| text[at + 1..].starts_with(' ')) {
        let spans_before = spans.partition_point(|span| span.start <= at);
        let inside = spans_before.checked_sub(1).is_some_and(|last| at < spans[last].end);
        if !inside {
            sentences.push(&text[start..at]);
            start = at + 1;
        }
    }
    sentences.push(&text[start..]);
    sentences
}

fn pick<'a>(rules: impl Iterator<Item = (&'a Rule, &'a str)>) -> Option<Pick> {
    let mut found: Vec<Named> = Vec::new();
    let mut template = None;
    for (rule, text) in rules {
        let named = commands(rule, text);
        if named.is_empty() && spans(text).iter().any(|span| is_placeholder(span.inner)) {
            template.get_or_insert(rule.line);
        }
        for named in named {
            if found.len() < MOST && !found.iter().any(|known| known.command == named.command) {
                found.push(named);
            }
        }
    }
    match (found.len(), template) {
        (0, None) => None,
        (0, Some(line)) => Some(Pick::CommentedOut(line)),
        (1, _) => found.pop().map(Pick::One),
        _ => Some(Pick::Several(found)),
    }
}

/// The commands of one rule: its code spans, joined as far as the words between them join them,
/// else the fence below it. More than one means that the words do not tell.
fn commands(rule: &Rule, text: &str) -> Vec<Named> {
    let spans = spans(text);
    let mut groups: Vec<Vec<&str>> = Vec::new();
    let mut before: Option<&Span<'_>> = None;
    for span in spans.iter().filter(|span| is_command(span.inner)) {
        let joined = before.is_some_and(|before| is_joint(&text[before.end..span.start]));
        if groups.len() > MOST || groups.iter().flatten().any(|known| *known == span.inner) {
            continue;
        }
        match groups.last_mut() {
            Some(group) if joined => group.push(span.inner),
            Some(_) | None => groups.push(vec![span.inner]),
        }
        before = Some(span);
    }
    if !groups.is_empty() {
        return groups.iter().map(|group| Named { command: group.join(" && "), line: rule.line }).collect();
    }
    let fenced: Vec<&str> = rule.fence.iter().map(|(text, _)| text.as_str()).collect();
    let first = rule.fence.first();
    first.map(|(_, line)| Named { command: fenced.join(" && "), line: *line }).into_iter().collect()
}

/// Whether the words between two commands make them one gate: `&&`, "and", a comma, or a verb of
/// the rule and then "and" ("`a` must pass and `b` must pass").
fn is_joint(between: &str) -> bool {
    const JOINTS: [&str; 10] = ["&&", "and", "then", "and then", ",", ", and", ", then", "+", "plus", "->"];
    const VERBS: [&str; 6] =
        ["must pass", "must exit 0", "must be green", "must succeed", "passes", "is green"];
    let between = between.replace(['*', '_'], "").replace('→', "->").to_lowercase();
    let between = between.trim();
    let after_verb = VERBS.iter().find_map(|verb| between.strip_prefix(verb)).unwrap_or(between).trim();
    JOINTS.contains(&after_verb)
}

/// The paragraphs and list items of a scope, headings included.
fn rules(lines: &[Line]) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let line = &lines[at];
        at += 1;
        let mut text = match line.kind {
            Kind::Prose | Kind::Heading { .. } => line.text.clone(),
            Kind::Blank | Kind::Fence | Kind::Code { .. } | Kind::Comment => continue,
        };
        // A heading "Gating rule" speaks for the paragraph below it.
        if line.kind != Kind::Prose {
            let blanks = lines[at..].iter().take_while(|next| next.kind == Kind::Blank).count();
            if !plain(&text).contains("gating rule")
                || !lines.get(at + blanks).is_some_and(|next| next.kind == Kind::Prose)
            {
                rules.push(Rule { line: line.number, text, fence: fence_after(&lines[at..]) });
                continue;
            }
            at += blanks;
            text = format!("{text}: {}", lines[at].text.trim());
            at += 1;
        }
        while let Some(next) = lines.get(at).filter(|next| continues(next)) {
            text.push(' ');
            text.push_str(next.text.trim());
            at += 1;
        }
        rules.push(Rule { line: line.number, text, fence: fence_after(&lines[at..]) });
    }
    rules
}

/// A wrapped line goes on; a new list item, table row or quote does not.
fn continues(line: &Line) -> bool {
    let text = line.text.trim_start();
    let begins_anew = text.starts_with("- ") || text.starts_with("* ") || text.starts_with(['|', '+', '>']);
    line.kind == Kind::Prose && !begins_anew
}

/// The commands of a fence right behind a rule, blank lines aside.
fn fence_after(lines: &[Line]) -> Vec<(String, usize)> {
    let mut rest = lines.iter().skip_while(|line| line.kind == Kind::Blank);
    if !rest.next().is_some_and(|line| line.kind == Kind::Fence) {
        return Vec::new();
    }
    let code = rest.take_while(|line| matches!(line.kind, Kind::Code { .. }));
    let commands = code.filter_map(|line| {
        let text = line.text.trim().trim_start_matches("$ ").trim_end_matches("&&").trim();
        (!text.is_empty() && !text.starts_with('#')).then(|| (text.to_owned(), line.number))
    });
    commands.collect()
}
