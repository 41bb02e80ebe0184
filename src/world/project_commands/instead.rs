//! Commands in the place of which another one is read without a word of settings.
//!
//! ```text
//! gotestsum -- ./...       go test ./...
//! hatch run test           hatch run pytest, where the script is "pytest …"
//! python manage.py test    pytest, with pytest-django
//! ```

use std::path::Path;

use super::read;
use tdd_runners::command_line;

/// What to write in the place of this command, and how, as the beginning of an advice.
pub(super) fn of(project: &Path, command: &str) -> Option<String> {
    if command.split_whitespace().any(|word| word.rsplit('/').next() == Some("manage.py")) {
        return django(project).map(|advice| advice + "Else:\n");
    }
    let words = command_line::words(command)?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let plain = match words.as_slice() {
        ["gotestsum", rest @ ..] => {
            let own =
                rest.iter().position(|word| *word == "--").map(|at| &rest[at + 1..]).unwrap_or_default();
            let all = if own.is_empty() { "./...".to_owned() } else { own.join(" ") };
            format!("go test {all}")
        }
        ["hatch", "run", script] => {
            let is_pytest = hatch_script(project, script)?.starts_with("pytest");
            is_pytest.then(|| "hatch run pytest".to_owned())?
        }
        _ => return None,
    };
    let plain = quoted(&plain);
    Some(format!(
        "What it runs can be read test by test. Write into tdd.yaml:\ntest: {plain}\ngate: {}\nElse:\n",
        quoted(command)
    ))
}

/// How a project of Django is set up for pytest.
pub fn django(project: &Path) -> Option<String> {
    let manage = read(project, "manage.py")?;
    let (_, rest) = manage.split_once("DJANGO_SETTINGS_MODULE")?;
    let settings = rest.split(['"', '\'']).nth(2)?;
    Some(format!(
        "The tests of Django are read one by one by way of pytest: `pip install pytest-django`, write pytest.ini:\n\
         [pytest]\nDJANGO_SETTINGS_MODULE = {settings}\npython_files = tests.py test_*.py\nand tdd.yaml:\n\
         test: \"python3 -m pytest\"\n"
    ))
}

/// A text in double quotes: valid in JSON, so in YAML too.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn hatch_script(project: &Path, name: &str) -> Option<String> {
    let manifest: toml::Table = read(project, "pyproject.toml")?.parse().ok()?;
    let environments = manifest.get("tool")?.get("hatch")?.get("envs")?.as_table()?;
    let script = environments.values().find_map(|one| one.get("scripts")?.get(name))?;
    let first = script.as_array().and_then(|list| list.first()).unwrap_or(script);
    first.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tdd_child::regular_file;

    #[test]
    fn ac_tdd_12_18_what_is_read_without_settings_is_named_in_place_of_what_is_not() {
        let project = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| regular_file::write(project.path().join(name), text).unwrap();
        write(
            "pyproject.toml",
            "[tool.hatch.envs.default.scripts]\ntest = \"pytest {args}\"\nlint = \"ruff check\"\n",
        );
        write("manage.py", "import os\nos.environ.setdefault('DJANGO_SETTINGS_MODULE', 'mysite.settings')\n");
        for (command, want) in [
            ("gotestsum --format dots -- -race ./app/...", Some("test: \"go test -race ./app/...\"")),
            ("gotestsum", Some("test: \"go test ./...\"")),
            ("hatch run test", Some("test: \"hatch run pytest\"")),
            ("hatch run lint", None),
            (
                "python manage.py test polls",
                Some("DJANGO_SETTINGS_MODULE = mysite.settings\npython_files = tests.py"),
            ),
            ("make test", None),
        ] {
            let told = of(project.path(), command);
            assert_eq!(told.is_some(), want.is_some(), "{command}");
            assert!(
                want.is_none_or(|want| told.as_ref().is_some_and(|told| told.contains(want))),
                "{told:?}"
            );
        }
    }
}
