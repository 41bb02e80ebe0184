//! A filled-in `tdd.yaml` for a command that can't be given a selection.

use crate::core::trouble::Trouble;
use crate::text::command_line;

const PLAIN: &str = "Only one plain call of `cargo test`, `cargo nextest run`, `pytest`, `python -m unittest`, `vitest`, `jest`, `bun test`, `node --test` \
     or `go test` can be told which tests to run; this is a script, a list or a runner without an adapter";

/// The trouble, with a suggestion that can be pasted as it is.
pub(super) fn no_selection(command: &str, source: &str, why_no_table: Option<String>) -> Trouble {
    let why = why_no_table.unwrap_or_else(|| PLAIN.to_owned());
    let (junit, select, report) = junit(command);
    let what = format!("it can't be told how to run only some tests with `{command}` ({source})");
    let elsewhere = elsewhere(command).unwrap_or_default();
    Trouble::user(what).because(why).advise(format!(
        "{elsewhere}Say it in tdd.yaml; correct what does not fit:\n\
         test: {test}\n\
         runner:\n  \
           kind: junit   # or cargo, nextest, pytest, unittest, vitest, jest, bun, node, go, tap\n  \
           all: {all}\n  \
           select: {select}\n  \
           report: {report}\n\
         Or, if nothing can be read test by test (each criterion is then judged by the exit code only):\n\
         test: {test}\n\
         runner: {{ kind: exit-code, all: {test} }}",
        test = quoted(command),
        all = quoted(&junit),
        select = quoted(&select),
        report = quoted(report),
    ))
}

/// For `cd app && pytest`: the folder is a project of its own, and its command is plain there.
fn elsewhere(command: &str) -> Option<String> {
    let (first, call) = command.split_once("&&")?;
    let words = command_line::words(first)?;
    let [cd, folder] = words.as_slice() else { return None };
    let call = call.trim();
    let is_plain = cd == "cd" && command_line::recognise(call).is_some();
    is_plain.then(|| {
        let call = quoted(call);
        format!("If {folder} is a project of its own, put a tdd.yaml in {folder} with `test: {call}` and run tdd there. Else:\n")
    })
}

/// What makes a runner that stands somewhere in the command write JUnit XML.
fn flags(command: &str, report: &str) -> Option<String> {
    let words: Vec<&str> = command.split_whitespace().collect();
    if words.windows(2).any(|pair| pair == ["bun", "test"]) {
        return Some(format!(" --reporter=junit --reporter-outfile={report}"));
    }
    words.contains(&"vitest").then(|| format!(" --reporter=junit --outputFile={report}"))
}

/// How to run all, how to run some, and where the report lies.
fn junit(command: &str) -> (String, String, &'static str) {
    const REPORT: &str = "build/report.xml";
    if let Some(flags) = flags(command, REPORT) {
        let all = format!("{command}{flags}");
        return (all.clone(), format!("{all} {{files}}"), REPORT);
    }
    let select = if command.split_whitespace().next() == Some("make") {
        format!("{command} ONLY='{{files}}'")
    } else {
        format!("{command} {{files}}")
    };
    (command.to_owned(), select, REPORT)
}

/// A text in double quotes: valid in JSON, so in YAML too.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::config;

    #[test]
    fn both_suggestions_can_be_pasted() {
        for command in
            ["make test", "bun test", "vitest run", "go test ./...", "./t.sh \"a b\" && echo 'c: d' # x"]
        {
            let advice = no_selection(command, "--test", None).next;
            let after = |mark: &str| advice[advice.find(mark).unwrap() + mark.len()..].to_owned();
            let (first, second) = (after("fit:\n"), after("only):\n"));
            let first = first.split("Or, if").next().unwrap();
            let config = config::read("tdd.yaml", first).unwrap_or_else(|error| panic!("{error}\n{first}"));
            assert_eq!(config.test.as_deref(), Some(command));
            assert!(config.runner.unwrap().all.starts_with(command));
            let config =
                config::read("tdd.yaml", &second).unwrap_or_else(|error| panic!("{error}\n{second}"));
            assert_eq!(config.runner.unwrap().all, command);
        }
    }
}
