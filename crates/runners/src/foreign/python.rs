//! tox, nox and `hatch test`: pytest in an environment of their own making.
//!
//! They hand on only the variables that they were told of, so no plugin of ours can be carried in; what
//! stands behind `--` goes to pytest where the project says so (`{posargs}`, `session.posargs`).

use super::{Call, REPORT, Setting, junit};
use tdd_core::commands::{RunnerKind, RunnerTable};

/// What is installed is watched, since it decides what every test says.
const INSTALLS_ANEW: &str = "installs the project anew at each run, so that no run of it counts: what is installed may not \
                             change while tests run. Run pytest itself, where the project is installed as it lies there";

const FLAGS: &str = "-o junit_family=xunit1 --junitxml=";

pub(super) fn tox(call: &Call<'_>, read: &dyn Fn(&str) -> Option<String>) -> Setting {
    let files = ["tox.ini", "tox.toml", "setup.cfg", "pyproject.toml"];
    let texts: Vec<String> = files.into_iter().filter_map(read).collect();
    let default = texts.iter().find_map(|text| tox_default(text));
    let env = call.args.iter().position(|word| matches!(*word, "-e" | "run" | "r"));
    let note = "Without `-e` every environment is run, and the report is the last one's.".to_owned();
    let mut notes = if env.is_some() { Vec::new() } else { vec![note] };
    let installs = !texts.iter().any(|text| text.contains("skip_install"));
    let instead = "`tox devenv .venv` once, and `test: .venv/bin/python -m pytest`";
    notes.extend(installs.then(|| format!("Without `skip_install` tox {INSTALLS_ANEW}: {instead}.")));
    handed_on(call, default, notes, "`{posargs}` behind pytest in the commands of tox.ini")
}

pub(super) fn nox(call: &Call<'_>, read: &dyn Fn(&str) -> Option<String>) -> Setting {
    let text = read("noxfile.py").unwrap_or_default();
    let default = text.contains("posargs").then(String::new);
    let reuses = call.args.iter().any(|word| matches!(*word, "-r" | "-R") || word.starts_with("--reuse"))
        || text.contains("reuse_venv")
        || text.contains("reuse_existing_virtualenvs");
    let instead = "`pip install -e .` in an environment of its own, and `test: .venv/bin/python -m pytest`";
    let note = (!reuses).then(|| format!("Without `-r` nox {INSTALLS_ANEW}: {instead}."));
    handed_on(call, default, note.into_iter().collect(), "`*session.posargs` behind pytest in noxfile.py")
}

/// Its own script takes whatever stands behind `--`; without it `tests` is run.
pub(super) fn hatch(call: &Call<'_>) -> Setting {
    let end = call.args.iter().position(|word| *word == "--").unwrap_or(call.args.len());
    let (own, behind) = call.args.split_at(end);
    let is_option = |word: &&&str| word.starts_with('-');
    let paths: Vec<&str> = own.iter().filter(|word| !is_option(word)).copied().collect();
    // These are hatch's own; a coverage run is slower and says nothing more.
    let measures = ["-c", "--cover", "--cover-quiet", "-a", "--all"];
    let options: Vec<&str> =
        own.iter().filter(|word| is_option(word) && !measures.contains(word)).copied().collect();
    let behind = behind.get(1..).unwrap_or_default().join(" ");
    let flags = format!("-- {FLAGS}{REPORT} {behind}");
    let all = if paths.is_empty() { "tests".to_owned() } else { paths.join(" ") };
    let line = |paths: &str| call.with(&[&options.join(" "), flags.trim_end(), paths]);
    junit(line(&all), Some(line("{files}")), Vec::new())
}

/// `tox … -- FLAGS default` if what stands behind `--` is handed on, else the exit code alone.
fn handed_on(call: &Call<'_>, default: Option<String>, mut notes: Vec<String>, what: &str) -> Setting {
    let end = call.args.iter().position(|word| *word == "--").unwrap_or(call.args.len());
    let (own, given) = call.args.split_at(end);
    let own = own.join(" ");
    let Some(default) = default else {
        notes.push(format!(
            "Nothing can be handed on to the tests: with {what} they could be read one by one."
        ));
        let all = call.with(&[&own, &given.join(" ")]);
        let table = RunnerTable { kind: RunnerKind::ExitCode, all, select: None, report: None };
        return Setting { table, notes };
    };
    let default = if given.len() > 1 { given[1..].join(" ") } else { default };
    let line = |paths: &str| call.with(&[&own, "--", &format!("{FLAGS}{REPORT}"), paths]);
    junit(line(&default), Some(line("{files}")), notes)
}

/// What pytest is given where nothing stands behind `--`; `None` if nothing is handed on to it.
fn tox_default(text: &str) -> Option<String> {
    let line = text.lines().find(|line| line.contains("pytest") && line.contains("posargs"))?;
    if let Some((_, rest)) = line.split_once("{posargs:") {
        return Some(rest.split('}').next().unwrap_or_default().trim().to_owned());
    }
    // `{ replace = "posargs", default = ["tests"], extend = true }`
    let listed = line.split_once("default").and_then(|(_, rest)| rest.split_once('[')?.1.split(']').next());
    let words = listed.unwrap_or_default().split(',').map(|word| word.trim().trim_matches(['"', '\'']));
    Some(words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" "))
}
