//! Makefiles and justfiles: the recipes of some targets.
//!
//! ```text
//! rule   = name { name } ":" { prerequisite } [";" command] newline { (tab | blank) command newline }
//! assign = NAME ("=" | ":=" | "?=" | "::=") value
//! ```
//!
//! Only what is written out is followed: no patterns, no functions. A variable is filled in once.

use std::collections::{BTreeMap, BTreeSet};

/// Targets that are followed.
const MOST_TARGETS: usize = 200;

#[derive(Debug, Default)]
struct Rule {
    needs: Vec<String>,
    recipe: Vec<String>,
}

/// The lines that these targets run, and what they need, as shell text; of the first target if none
/// is named.
pub fn recipes(text: &str, targets: &[String]) -> String {
    let text = text.replace("\\\n", " ");
    let (rules, first, variables) = read(&text);
    let mut waiting: Vec<String> =
        if targets.is_empty() { first.into_iter().collect() } else { targets.to_vec() };
    let mut seen = BTreeSet::new();
    let mut lines = Vec::new();
    while let Some(target) = waiting.pop() {
        if seen.len() >= MOST_TARGETS || !seen.insert(target.clone()) {
            continue;
        }
        let Some(rule) = rules.get(&target) else { continue };
        waiting.extend(rule.needs.iter().cloned());
        lines.extend(rule.recipe.iter().map(|line| filled_in(line, &variables)));
    }
    lines.join("\n")
}

type Read<'t> = (BTreeMap<String, Rule>, Option<String>, BTreeMap<&'t str, &'t str>);

fn read(text: &str) -> Read<'_> {
    let mut rules: BTreeMap<String, Rule> = BTreeMap::new();
    let mut variables = BTreeMap::new();
    let mut first = None;
    let mut open: Vec<String> = Vec::new();
    for line in text.lines() {
        if line.starts_with(['\t', ' ']) {
            for target in &open {
                rules.entry(target.clone()).or_default().recipe.push(line.trim().to_owned());
            }
            continue;
        }
        let line = line.split('#').next().unwrap_or_default();
        if let Some((name, value)) = line.split_once('=')
            && !name.trim_end_matches([':', '?', '+', ' ']).contains([' ', ':'])
        {
            variables.insert(name.trim_end_matches([':', '?', '+', ' ']), value.trim());
            continue;
        }
        let Some((names, needs)) = line.split_once(':') else { continue };
        let (needs, command) = needs.split_once(';').unwrap_or((needs, ""));
        // A recipe of `just` may have parameters after its name; they are names of no rule.
        open = names.split_whitespace().map(|name| name.trim_start_matches('@').to_owned()).collect();
        for target in &open {
            let rule = rules.entry(target.clone()).or_default();
            rule.needs.extend(needs.split_whitespace().filter(|word| *word != "|").map(str::to_owned));
            rule.recipe.extend(Some(command.trim().to_owned()).filter(|command| !command.is_empty()));
        }
        first = first.or_else(|| open.first().filter(|name| !name.starts_with('.')).cloned());
    }
    (rules, first, variables)
}

fn filled_in(line: &str, variables: &BTreeMap<&str, &str>) -> String {
    let mut line =
        line.trim_start_matches(['@', '-', '+']).replace("$(MAKE)", "make").replace("${MAKE}", "make");
    for (name, value) in variables {
        line = line.replace(&format!("$({name})"), value).replace(&format!("${{{name}}}"), value);
    }
    line.replace("$$", "$")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_followed_to_what_it_needs() {
        let text = "SH := sh\nall: test\n\t@echo all\n.PHONY: test\ntest: lint | dir ; true\n\t-$(SH) scripts/t.sh $(ONLY)\n\
                    lint:\n\t$(MAKE) deep\nrun:\n\tpython3 app.py\n";
        let of = |targets: &[&str]| {
            let targets: Vec<String> = targets.iter().map(|name| (*name).to_owned()).collect();
            recipes(text, &targets).replace('\n', "; ")
        };
        assert_eq!(of(&["test"]), "true; sh scripts/t.sh $(ONLY); make deep");
        assert_eq!(of(&[]), "echo all; true; sh scripts/t.sh $(ONLY); make deep");
        assert_eq!(of(&["nothing"]), "");
        assert_eq!(recipes("a: b\nb: a\n\tx", &[]), "x", "a ring ends");
        assert_eq!(recipes("check arg='1': (build)\n    sh c.sh\n", &["check".to_owned()]), "sh c.sh");
    }
}
