//! A filled-in `tdd.yaml` for a command that can't be given a selection.

use std::path::Path;

use super::instead::quoted;
use super::taken_apart::{Found, Reader, Walk};
use super::{Sourced, detect, instead, members, read};
use tdd_core::commands::RunnerTable;
use tdd_core::trouble::Trouble;
use tdd_runners::command_line::{self, parts};
use tdd_runners::foreign::{self, REPORT, Setting};

const PLAIN: &str = "Only one plain call of `cargo test`, `cargo nextest run`, `pytest`, `python -m unittest`, `vitest`, `jest`, `bun test`, `node --test` \
     or `go test` can be told which tests to run; this is a script, a list or a runner without an adapter";

/// The trouble, with a suggestion that can be pasted as it is. `gate` is one that was named.
pub(super) fn no_selection(
    project: &Path,
    (test, gate): (&Sourced, Option<&str>),
    walk: Option<&Walk>,
    why_no_table: Option<String>,
) -> Trouble {
    let (command, source) = (test.command.as_str(), test.source.as_str());
    let what = format!("it can't be told how to run only some tests with `{command}` ({source})");
    let found = walk.and_then(|walk| Some((walk, walk.runners.first()?)));
    let setting = found.and_then(|(walk, one)| setting(project, walk, one));
    let read_by = found.zip(setting.as_ref()).map(|((_, one), setting)| read_by(one, setting));
    let why = why_no_table.or(read_by).unwrap_or_else(|| PLAIN.to_owned());
    let elsewhere = elsewhere(command)
        .or_else(|| members::elsewhere(project, command))
        .or_else(|| instead::of(project, command))
        .unwrap_or_default();
    let nowhere =
        nowhere(project, command).map(|program| format!("`{program}` is in none of the folders of PATH"));
    if let Some(why) = nowhere.as_ref().filter(|_| setting.is_none() && elsewhere.is_empty()) {
        return Trouble::user(format!("`{command}` ({source}) can't be run"))
            .because(why.as_str())
            .advise("install it, or correct the command");
    }
    // What is known of its runner is told all the same: it may be installed on another machine.
    let why = nowhere.map_or_else(|| why.clone(), |nowhere| format!("{nowhere}; and {why}"));
    let alone = found.and_then(|(walk, one)| alone(command, walk, one)).unwrap_or_default();
    let advice = match setting {
        Some(setting) => filled_in(command, &setting),
        None if elsewhere.is_empty() => {
            by_its_files(project, command).unwrap_or_default() + &to_correct(command)
        }
        None => to_correct(command),
    };
    Trouble::user(what).because(why).advise(with_gate(&format!("{elsewhere}{alone}{advice}"), gate))
}

/// What was named as the gate stays the gate.
fn with_gate(advice: &str, gate: Option<&str>) -> String {
    let Some(gate) = gate else { return advice.to_owned() };
    let line = |line: &str| {
        let is_gate = line.starts_with("gate: ");
        if is_gate { format!("gate: {}", quoted(gate)) } else { line.to_owned() }
    };
    advice.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// The program of one plain call, if it is nowhere.
#[expect(clippy::disallowed_methods, reason = "whether a program is installed is a fact about the world")]
fn nowhere(project: &Path, command: &str) -> Option<String> {
    if tdd_runners::recognise(command).is_some() {
        return None;
    }
    let words = command_line::words(command)?;
    let program = words.first()?;
    let is_plain = program.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
    if !is_plain || program == "." || SHELL.contains(&program.as_str()) {
        return None;
    }
    let path = std::env::var_os("PATH").filter(|path| !path.is_empty())?;
    let own = ["node_modules/.bin", ".venv/bin", "venv/bin"].map(|folder| project.join(folder));
    let mut folders = std::env::split_paths(&path).chain(own);
    (!folders.any(|folder| folder.join(program).exists())).then(|| program.clone())
}

/// Words that a shell knows by itself.
const SHELL: [&str; 20] = [
    "cd", "source", "export", "set", "exec", "eval", "if", "for", "while", "until", "case", "test", "true",
    "false", "echo", "command", "time", "type", "ulimit", "umask",
];

/// The setting of the one runner, with what has to be done before it.
fn setting(project: &Path, walk: &Walk, one: &Found) -> Option<Setting> {
    let read = |name: &str| read(project, name);
    let command = local(project, &one.command);
    let mut setting = match one.reader {
        Reader::Foreign(_) => foreign::setting(&command, &read),
        Reader::Adapter(kind) => tdd_runners::of(kind).junit.map(|how| foreign::known_setting(&command, how)),
    }?;
    let before = walk.prepares.iter().fold(String::new(), |text, call| text + &local(project, call) + " && ");
    let table = &mut setting.table;
    table.all.insert_str(0, &before);
    if let Some(select) = &mut table.select {
        select.insert_str(0, &before);
    }
    Some(setting)
}

/// A call with a launcher before it where its program is one of the project's own packages, which a
/// package manager's scripts find by themselves and nobody else does.
fn local(project: &Path, call: &str) -> String {
    let is_assignment =
        |word: &&str| word.split_once('=').is_some_and(|(name, _)| !name.contains(['/', '-', '.']));
    let words = parts::written(call);
    let at = words.iter().take_while(|word| is_assignment(word)).count();
    let is_own = |word: &&str| {
        let is_there = || project.join("node_modules/.bin").join(word).exists();
        !word.contains('/') && (is_there() || is_asked_for(project, word))
    };
    if !words.get(at).is_some_and(is_own) {
        return call.to_owned();
    }
    let (before, program) = words.split_at(at);
    [before, &["npx", "--no-install"], program].concat().join(" ")
}

/// Whether `package.json` asks for a package of this name: it may not be installed yet.
fn is_asked_for(project: &Path, package: &str) -> bool {
    let manifest = read(project, "package.json").and_then(|text| serde_json::from_str(&text).ok());
    let asks = |manifest: &serde_json::Value| {
        let mut lists = ["dependencies", "devDependencies"].into_iter().filter_map(|list| manifest.get(list));
        lists.any(|list| list.get(package).is_some())
    };
    manifest.as_ref().is_some_and(asks)
}

fn read_by(one: &Found, setting: &Setting) -> String {
    let runner = match one.reader {
        Reader::Foreign(runner) => runner.name(),
        Reader::Adapter(kind) => kind.name(),
    };
    let how = tdd_runners::of(setting.table.kind).read_by;
    format!("its runner is `{}` ({runner}), which is read by {how}, and nothing says so", one.command)
}

/// For a runner with an adapter that something else is done before: without it, if the tests don't need it.
fn alone(command: &str, walk: &Walk, one: &Found) -> Option<String> {
    let Reader::Adapter(_) = one.reader else { return None };
    let before = walk.prepares.iter().map(|call| format!("`{call}`")).collect::<Vec<_>>().join(", ");
    (!before.is_empty() && !walk.prepares.iter().any(|call| changes_place(call))).then(|| {
        format!(
            "If the tests don't load what {before} makes, write into tdd.yaml:\ntest: {}\ngate: {}\nElse:\n",
            quoted(&one.command),
            quoted(command)
        )
    })
}

/// Whether what follows would be another call without this one.
fn changes_place(call: &str) -> bool {
    let first = call.split_whitespace().next().unwrap_or_default();
    matches!(first, "cd" | "pushd" | "source" | "." | "export" | "set")
}

/// A whole `tdd.yaml`, right as it stands.
fn filled_in(command: &str, setting: &Setting) -> String {
    let RunnerTable { kind, all, select, report } = &setting.table;
    let notes = setting.notes.iter().fold(String::new(), |text, note| text + "# " + note + "\n");
    let line = |key: &str, value: &Option<String>| {
        value.as_ref().map(|value| format!("\n  {key}: {}", quoted(value))).unwrap_or_default()
    };
    format!(
        "Write into tdd.yaml:\n{notes}test: {all}\ngate: {gate}\nrunner:\n  kind: {kind}\n  all: {all}{select}{report}{exit_code}",
        all = quoted(all),
        gate = quoted(command),
        select = line("select", select),
        report = line("report", report),
        exit_code = if report.is_none() && select.is_none() { "" } else { EXIT_CODE }
    )
    .replace("{COMMAND}", &quoted(command))
}

const EXIT_CODE: &str = "\nOr, if nothing can be read test by test (each criterion is then judged by the exit code only):\n\
     test: {COMMAND}\n\
     runner: { kind: exit-code, all: {COMMAND} }";

fn to_correct(command: &str) -> String {
    let (junit, select) = junit(command);
    format!(
        "Say it in tdd.yaml; correct what does not fit:\n\
         test: {test}\n\
         runner:\n  \
           kind: junit   # or cargo, nextest, pytest, unittest, vitest, jest, bun, node, go, tap\n  \
           all: {all}\n  \
           select: {select}\n  \
           report: {report}{EXIT_CODE}",
        test = quoted(command),
        all = quoted(&junit),
        select = quoted(&select),
        report = quoted(REPORT),
    )
    .replace("{COMMAND}", &quoted(command))
}

/// What would be taken if no command had been named, where that can be read.
fn by_its_files(project: &Path, command: &str) -> Option<String> {
    let plain = detect::test_command(project).ok()?;
    let words = command_line::words(command)?;
    let launched = match words.as_slice() {
        [launcher, run, ..] if run == "run" && plain.command == "python3 -m pytest" => {
            format!("{launcher} run pytest")
        }
        _ => plain.command.clone(),
    };
    let read = tdd_runners::recognise(&launched).is_some() && launched != command;
    read.then(|| {
        format!(
            "If `{launched}` runs the same tests ({}), write into tdd.yaml:\ntest: {}\ngate: {}\nElse:\n",
            plain.source,
            quoted(&launched),
            quoted(command)
        )
    })
}

/// For `cd app && pytest`: the folder is a project of its own, and its command is plain there.
fn elsewhere(command: &str) -> Option<String> {
    let (first, call) = command.split_once("&&")?;
    let words = command_line::words(first)?;
    let [cd, folder] = words.as_slice() else { return None };
    let call = call.trim();
    let is_plain = cd == "cd" && tdd_runners::recognise(call).is_some();
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

/// How to run all, and how to run some.
fn junit(command: &str) -> (String, String) {
    if let Some(flags) = flags(command, REPORT) {
        let all = format!("{command}{flags}");
        return (all.clone(), format!("{all} {{files}}"));
    }
    let select = if command.split_whitespace().next() == Some("make") {
        format!("{command} ONLY='{{files}}'")
    } else {
        format!("{command} {{files}}")
    };
    (command.to_owned(), select)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::config;
    use tdd_child::regular_file;

    #[test]
    fn both_suggestions_can_be_pasted() {
        for command in
            ["make test", "bun test", "vitest run", "go test ./...", "./t.sh \"a b\" && echo 'c: d' # x"]
        {
            let folder = tempfile::tempdir().unwrap();
            let test = Sourced::new(command, "--test");
            let advice = no_selection(folder.path(), (&test, None), None, None).next;
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

    #[test]
    fn a_gate_that_was_named_is_the_one_that_is_suggested() {
        let advice = "Write into tdd.yaml:\ntest: \"a\"\ngate: \"a\"\nrunner:\n  kind: junit";
        assert_eq!(with_gate(advice, None), advice);
        assert_eq!(with_gate(advice, Some("make all")), advice.replace("gate: \"a\"", "gate: \"make all\""));
    }

    #[test]
    fn ac_tdd_12_20_what_would_be_taken_without_a_command_is_named_beside_one_that_can_t_be_read() {
        let project = tempfile::tempdir().unwrap();
        let write = |name: &str| regular_file::write(project.path().join(name), "").unwrap();
        let told = |command: &str| by_its_files(project.path(), command).unwrap_or_default();
        assert_eq!(told("make test"), "", "nothing is known of this one");
        write("pytest.ini");
        assert!(told("make test").contains("test: \"python3 -m pytest\"\ngate: \"make test\"\nElse:"));
        assert!(told("pdm run test").contains("test: \"pdm run pytest\"\ngate: \"pdm run test\"\nElse:"));
        assert_eq!(told("python3 -m pytest"), "", "it is the command");
    }
}
