//! What a target of a Makefile, a recipe of a justfile or a task of a Taskfile runs, as far as it is
//! written out.
//!
//! ```text
//! rule   = name { name } ":" { prerequisite } [ ";" command ] newline { tab command newline }
//! recipe = name { parameter } ":" { dependency } newline { blank command newline }
//! assign = NAME ( "=" | ":=" | "?=" | "::=" ) value
//! ```
//!
//! Strict, since what is read here is run in the recipe's place: a name that is defined twice, a
//! variable that is set twice or by a function, a rule with settings of its own is not read at all.
//! A variable that is set nowhere is empty, as it is for make.

use std::collections::BTreeMap;

use serde_yaml::Value;

/// What has to be made first, by name, and then the lines that are run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recipe {
    pub needs: Vec<String>,
    pub lines: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    Make,
    Just,
}

/// The rule of a Makefile's target.
pub fn make(text: &str, target: &str) -> Option<Recipe> {
    written_out(text, target, Language::Make)
}

/// A justfile's recipe.
pub fn just(text: &str, name: &str) -> Option<Recipe> {
    // These change what a line means or what it is run with.
    let sets = |line: &str| {
        ["set dotenv", "set shell", "set working-directory"].iter().any(|set| line.starts_with(set))
    };
    if text.lines().any(sets) {
        return None;
    }
    written_out(text, name, Language::Just)
}

fn written_out(text: &str, wanted: &str, language: Language) -> Option<Recipe> {
    let text = text.replace("\\\n", " ");
    let mut variables: BTreeMap<&str, Option<&str>> = BTreeMap::new();
    let mut found: Option<(Recipe, Vec<&str>)> = None;
    let mut is_open = false;
    for line in text.lines() {
        let is_recipe = line.starts_with('\t') || (language == Language::Just && line.starts_with(' '));
        if is_recipe {
            if let (true, Some((recipe, _))) = (is_open, &mut found) {
                recipe.lines.push(line.trim().to_owned());
            }
            continue;
        }
        let line = line.split('#').next().unwrap_or_default().trim_end();
        if line.is_empty() {
            continue;
        }
        is_open = false;
        if let Some((name, value)) = assigned(line, language) {
            variables.entry(name).and_modify(|value| *value = None).or_insert(Some(value));
        } else if let Some((heads, rest)) = line.split_once(':') {
            let mut heads = heads.split_whitespace();
            let is_wanted = match language {
                Language::Make => heads.clone().any(|head| head == wanted),
                Language::Just => heads.next().map(|head| head.trim_start_matches('@')) == Some(wanted),
            };
            if !is_wanted {
                continue;
            }
            if found.is_some() || rest.starts_with(':') || rest.contains('=') {
                return None;
            }
            let parameters = if language == Language::Just { heads.collect() } else { Vec::new() };
            let (needs, line) = rest.split_once(';').unwrap_or((rest, ""));
            let lines: Vec<String> =
                [line.trim()].iter().filter(|line| !line.is_empty()).map(ToString::to_string).collect();
            let needs = needs.split_whitespace().filter(|need| !matches!(*need, "|" | "&&"));
            found = Some((Recipe { needs: needs.map(str::to_owned).collect(), lines }, parameters));
            is_open = true;
        }
    }
    let (recipe, parameters) = found?;
    let fill = |line: &String| filled_in(line, &variables, &parameters, language);
    let lines: Option<Vec<String>> =
        recipe.lines.iter().filter(|line| !line.starts_with('#')).map(fill).collect();
    // A recipe in another language than the shell's; a dependency with arguments.
    let is_script = recipe.lines.first().is_some_and(|line| line.starts_with("#!"));
    let is_plain = |need: &String| !need.contains(['$', '(', '{', '%']);
    (!is_script && recipe.needs.iter().all(is_plain)).then_some(())?;
    Some(Recipe { needs: recipe.needs, lines: lines?.into_iter().filter(|line| !line.is_empty()).collect() })
}

/// `NAME := value`, in the words of each language.
fn assigned(line: &str, language: Language) -> Option<(&str, &str)> {
    let (name, value) = match language {
        Language::Make => line.split_once('=')?,
        Language::Just => line.split_once(":=")?,
    };
    let name = name.trim_end_matches([':', '?', '+', ' ']).trim_start_matches("export ").trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
    is_name.then_some((name, value.trim()))
}

/// A line of a recipe with its variables filled in, without the marks before it.
fn filled_in(
    line: &str,
    variables: &BTreeMap<&str, Option<&str>>,
    parameters: &[&str],
    language: Language,
) -> Option<String> {
    let mut line = line.trim_start_matches(['@', '-', '+', ' ']).to_owned();
    for _ in 0..20 {
        let (open, close) = match language {
            Language::Make => (line.find("$(").or_else(|| line.find("${")), [')', '}']),
            Language::Just => (line.find("{{"), ['}', '}']),
        };
        let Some(at) = open else { break };
        let length = line[at + 2..].find(close)?;
        let name = line[at + 2..at + 2 + length].trim();
        let end = at + 2 + length + if language == Language::Just { 2 } else { 1 };
        let is_parameter =
            parameters.iter().any(|one| one.trim_start_matches(['*', '$']) == name && one.starts_with('*'));
        let value = match variables.get(name) {
            Some(value) => (*value)?.trim_matches(['"', '\'']),
            None if name == "MAKE" => "make",
            None if is_parameter || (language == Language::Make && is_variable(name)) => "",
            None => return None,
        };
        line = format!("{}{value}{}", &line[..at], line.get(end..)?);
    }
    // What is still there is the shell's own, or names more than we follow.
    (!line.contains("{{")).then(|| line.trim().to_owned())
}

fn is_variable(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// A task of a Taskfile. One with a folder, an environment or conditions of its own is not read.
pub fn task(text: &str, name: &str) -> Option<Recipe> {
    let file: Value = serde_yaml::from_str(text).ok()?;
    if ["dotenv", "env"].iter().any(|key| file.get(*key).is_some()) {
        return None;
    }
    let task = file.get("tasks")?.get(name)?;
    let own = ["dir", "env", "dotenv", "sources", "status", "preconditions", "platforms", "if", "requires"];
    if own.iter().any(|key| task.get(*key).is_some()) {
        return None;
    }
    let commands = task.get("cmds").or_else(|| task.get("cmd")).unwrap_or(task);
    let commands = match commands.as_sequence() {
        Some(commands) => commands.iter().map(task_line).collect::<Option<Vec<String>>>()?,
        None => vec![task_line(commands)?],
    };
    let needs = match task.get("deps") {
        None => Vec::new(),
        Some(deps) => {
            let names = deps.as_sequence()?.iter().map(|dep| dep.as_str().map(str::to_owned));
            names.collect::<Option<Vec<String>>>()?
        }
    };
    let is_plain = |line: &String| !line.replace("{{.CLI_ARGS}}", "").contains("{{");
    let lines = commands.iter().map(|line| line.replace("{{.CLI_ARGS}}", "").trim().to_owned());
    commands.iter().all(is_plain).then(|| Recipe { needs, lines: lines.collect() })
}

fn task_line(command: &Value) -> Option<String> {
    let called = || Some(format!("task {}", command.get("task")?.as_str()?));
    command.as_str().or_else(|| command.get("cmd")?.as_str()).map(str::to_owned).or_else(called)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(recipe: Option<Recipe>) -> Option<String> {
        recipe.map(|recipe| format!("{} | {}", recipe.needs.join(" "), recipe.lines.join(" ; ")))
    }

    #[test]
    fn a_target_is_read_as_it_is_written_out() {
        for (text, want) in [
            ("test:\n\tpytest -q\n", Some(" | pytest -q")),
            (
                ".PHONY: test\nPY ?= python3\ntest: lint\n\t@$(PY) -m pytest $(ARGS) tests # all\n",
                Some("lint | python3 -m pytest  tests # all"),
            ),
            ("lint test: deps | dir ; go test ./...\n", Some("deps dir | go test ./...")),
            (
                "test:\n\tcargo fmt --check\n\n\tcargo test\n\nx:\n\ty\n",
                Some(" | cargo fmt --check ; cargo test"),
            ),
            ("test:\n\t$(MAKE) unit\n", Some(" | make unit")),
            ("test:\n\ta \\\n\t  b\n", Some(" | a  \t  b")),
            ("A = 1\nA = 2\ntest:\n\tgo test $(A)\n", None),
            ("test:\n\t$(shell find .)\n", None),
            ("test: export A = 1\ntest:\n\tpytest\n", None),
            ("test::\n\tpytest\n", None),
            ("test:\n\tpytest\ntest:\n\tjest\n", None),
            ("%.o: %.c\n\tcc\n", None),
            ("", None),
        ] {
            assert_eq!(told(make(text, "test")).as_deref(), want, "{text}");
        }
    }

    #[test]
    fn a_recipe_of_just_is_read_without_its_arguments() {
        for (text, want) in [
            (
                "py := \"python3\"\n\n# all\ntest *args: lint\n    {{py}} -m pytest {{ args }}\n",
                Some("lint | python3 -m pytest"),
            ),
            ("@test:\n    cargo test\n", Some(" | cargo test")),
            ("test name:\n    pytest {{name}}\n", None),
            ("test:\n    #!/usr/bin/env python3\n    print(1)\n", None),
            ("set dotenv-load\ntest:\n    pytest\n", None),
            ("test: (build \"x\")\n    pytest\n", None),
        ] {
            assert_eq!(told(just(text, "test")).as_deref(), want, "{text}");
        }
    }

    #[test]
    fn a_task_is_read_unless_it_is_run_elsewhere() {
        for (text, want) in [
            (
                "tasks: { test: { deps: [lint], cmds: [go vet, { cmd: 'go test {{.CLI_ARGS}} ./...' }, { task: e2e }] } }",
                Some("lint | go vet ; go test  ./... ; task e2e"),
            ),
            ("tasks: { test: go test ./... }", Some(" | go test ./...")),
            ("tasks: { test: { cmd: pytest } }", Some(" | pytest")),
            ("tasks: { test: { dir: app, cmd: pytest } }", None),
            ("tasks: { test: { cmd: 'pytest {{.X}}' } }", None),
            ("env: { A: b }\ntasks: { test: pytest }", None),
            ("tasks: [", None),
        ] {
            assert_eq!(told(task(text, "test")).as_deref(), want, "{text}");
        }
    }
}
