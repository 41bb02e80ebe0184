//! What a project's own files tell about its test command.

use std::path::Path;
use std::process::{Command, Stdio};

use super::{NO_COMMAND, Sourced, exists, read, scripts, which_one};
use tdd_core::trouble::Trouble;

/// Test files that are looked into for what they import.
const MAX_TEST_FILES: usize = 20;

/// The one command that the project's files suggest.
pub(super) fn test_command(project: &Path) -> Result<Sourced, Trouble> {
    let mut found: Vec<Sourced> =
        [rust(project), node(project), python(project), go(project)].into_iter().flatten().collect();
    if found.is_empty() {
        found = [php(project), ruby(project), jvm(project), dotnet(project), deno(project)]
            .into_iter()
            .flatten()
            .collect();
    }
    if found.is_empty() {
        found.extend(recipe(project));
    }
    match found.len() {
        0 => Err(Trouble::user(NO_COMMAND)
            .because(
                "neither a flag nor tdd.yaml names one, CLAUDE.md and AGENTS.md have no key commands, and there is \
                 no Cargo.toml, no package.json with a test script, no Python project, no go.mod, and nothing of PHP, Ruby, the JVM, \
                 .NET or deno here, nor a Makefile, justfile or Taskfile with a target `test`",
            )
            .advise("name it: --test 'COMMAND', or `test: COMMAND` in tdd.yaml; `tdd init` writes one where it knows the language")),
        1 => Ok(found.remove(0)),
        _ => {
            let lines: Vec<String> = found.iter().map(|one| format!("{}: {}", one.source, one.command)).collect();
            Err(which_one("test", "--test", &lines))
        }
    }
}

/// What tests of their own a language brings, where its files tell it and nothing tells a command.
pub(super) fn first_of_language(project: &Path) -> Option<&'static str> {
    if exists(project, "package.json") {
        return Some("node --test");
    }
    let is_python = |name: &str| Path::new(name).extension().is_some_and(|extension| extension == "py");
    let required = ["requirements.txt", "requirements-dev.txt", "Pipfile", "tox.ini"];
    let has_python = || !files(project, &["", "src/"], &is_python).is_empty() || has_package(project);
    let is_of_python = required.iter().any(|name| exists(project, name)) || has_python();
    is_of_python.then(|| if has_pytest(project) { "python3 -m pytest" } else { "python3 -m unittest" })
}

/// Whether a folder of the project's, or of its `src`, is a package.
fn has_package(project: &Path) -> bool {
    let is_package = |name: &str| exists(project, &format!("{name}/__init__.py"));
    !files(project, &[""], &is_package).is_empty()
        || !files(&project.join("src"), &[""], &|name| is_package(&format!("src/{name}"))).is_empty()
}

/// Whether the interpreter that would run the tests has it: the project's own environment, else the one in PATH, which
/// is asked, since a `pytest` in PATH may belong to another.
#[expect(clippy::disallowed_methods, reason = "an interpreter is asked what it has")]
fn has_pytest(project: &Path) -> bool {
    if [".venv/bin/pytest", "venv/bin/pytest"].iter().any(|file| exists(project, file)) {
        return true;
    }
    let look = "import importlib.util as u, sys; sys.exit(u.find_spec('pytest') is None)";
    let mut python = Command::new("python3");
    // Not in the project, whose own modules would be asked.
    python
        .args(["-c", look])
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    python.status().is_ok_and(|status| status.success())
}

fn rust(project: &Path) -> Option<Sourced> {
    exists(project, "Cargo.toml").then(|| Sourced::new("cargo test", "found Cargo.toml"))
}

fn go(project: &Path) -> Option<Sourced> {
    if exists(project, "go.mod") {
        return Some(Sourced::new("go test ./...", "found go.mod"));
    }
    let modules = modules_of_workspace(&read(project, "go.work")?);
    let all: Vec<String> = modules.iter().map(|module| format!("./{module}/...")).collect();
    (!all.is_empty()).then(|| Sourced::new(&format!("go test {}", all.join(" ")), "found go.work"))
}

/// The folders that a `go.work` uses, as far as they lie below it.
fn modules_of_workspace(text: &str) -> Vec<String> {
    let mut is_list = false;
    let mut found = Vec::new();
    for line in text.lines().map(|line| line.split("//").next().unwrap_or_default().trim()) {
        let used = match line.strip_prefix("use") {
            Some(rest) if rest.trim_start().starts_with('(') => {
                is_list = true;
                continue;
            }
            Some(rest) if rest.starts_with([' ', '\t']) => rest.trim(),
            Some(_) | None if line == ")" => {
                is_list = false;
                continue;
            }
            Some(_) | None if is_list => line,
            Some(_) | None => continue,
        };
        let path = used.trim_matches('"').trim_start_matches("./").trim_end_matches('/');
        let is_below = !path.is_empty()
            && !path.starts_with('/')
            && path.split('/').all(|part| part != ".." && part != ".");
        let is_word = path.chars().all(|c| c.is_alphanumeric() || "._-/".contains(c));
        found.extend((is_below && is_word).then(|| path.to_owned()));
    }
    found
}

fn node(project: &Path) -> Option<Sourced> {
    // What `npm init` writes is a reminder, not a test command.
    let script = scripts::script(project, "test").filter(|script| !script.contains("no test specified"));
    if script.is_some() {
        return Some(Sourced::new("npm test", "found package.json"));
    }
    let manifest = read(project, "package.json")?;
    let wants = |name: &str| scripts::depends(&manifest, name);
    if wants("vitest") {
        return Some(Sourced::new("npx vitest run", "found vitest in package.json"));
    }
    if wants("jest") {
        return Some(Sourced::new("npx jest", "found jest in package.json"));
    }
    let lock = ["bun.lock", "bun.lockb", "bunfig.toml"].into_iter().find(|name| exists(project, name));
    let imports =
        |module: &str| script_tests(project).into_iter().find(|name| mentions(project, name, module));
    if let Some(found) = lock.map(str::to_owned).or_else(|| imports("bun:test")) {
        return Some(Sourced::new("bun test", format!("found {found}")));
    }
    imports("node:test").map(|found| Sourced::new("node --test", format!("found {found}")))
}

fn php(project: &Path) -> Option<Sourced> {
    let file = ["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"]
        .into_iter()
        .find(|name| exists(project, name))?;
    let own = if exists(project, "vendor/bin/phpunit") || exists(project, "composer.json") {
        "vendor/bin/"
    } else {
        ""
    };
    Some(Sourced::new(&format!("{own}phpunit"), format!("found {file}")))
}

fn ruby(project: &Path) -> Option<Sourced> {
    let file = [".rspec", "spec/spec_helper.rb"].into_iter().find(|name| exists(project, name))?;
    let command = if exists(project, "Gemfile") { "bundle exec rspec" } else { "rspec" };
    Some(Sourced::new(command, format!("found {file}")))
}

fn jvm(project: &Path) -> Option<Sourced> {
    let by = |file: &str, wrapper: &str, program: &str| {
        let program = if exists(project, wrapper) { format!("./{wrapper}") } else { program.to_owned() };
        exists(project, file).then(|| Sourced::new(&format!("{program} test"), format!("found {file}")))
    };
    by("pom.xml", "mvnw", "mvn")
        .or_else(|| by("build.gradle", "gradlew", "gradle"))
        .or_else(|| by("build.gradle.kts", "gradlew", "gradle"))
}

fn dotnet(project: &Path) -> Option<Sourced> {
    let is_project =
        |name: &str| [".sln", ".slnx", ".csproj", ".fsproj"].iter().any(|end| name.ends_with(end));
    let file = files(project, &[""], &is_project).into_iter().next()?;
    Some(Sourced::new("dotnet test", format!("found {file}")))
}

fn deno(project: &Path) -> Option<Sourced> {
    let file = ["deno.json", "deno.jsonc"].into_iter().find(|name| exists(project, name))?;
    Some(Sourced::new("deno test", format!("found {file}")))
}

/// A target that is called `test`, where nothing else tells of tests.
fn recipe(project: &Path) -> Option<Sourced> {
    const FILES: [(&str, &str); 7] = [
        ("GNUmakefile", "make"),
        ("makefile", "make"),
        ("Makefile", "make"),
        ("justfile", "just"),
        ("Justfile", "just"),
        ("Taskfile.yml", "task"),
        ("Taskfile.yaml", "task"),
    ];
    FILES.into_iter().find_map(|(file, program)| {
        let text = read(project, file)?;
        let has_it = text.lines().any(|line| line.trim().trim_start_matches('@').starts_with("test:"));
        has_it.then(|| Sourced::new(&format!("{program} test"), format!("found {file}")))
    })
}

fn mentions(project: &Path, name: &str, module: &str) -> bool {
    read(project, name)
        .is_some_and(|text| text.contains(&format!("\"{module}\"")) || text.contains(&format!("'{module}'")))
}

/// Scripts whose names say that they hold tests, in the usual folders, sorted.
fn script_tests(project: &Path) -> Vec<String> {
    files(project, &["", "src/", "test/", "tests/", "__tests__/"], &|name| {
        let Some((stem, extension)) = name.rsplit_once('.') else { return false };
        let script = matches!(extension, "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx");
        script && [".test", ".spec", "_test", "_spec", "-test"].iter().any(|tail| stem.ends_with(tail))
    })
}

fn python(project: &Path) -> Option<Sourced> {
    const MARKS: [&str; 7] = [
        "pyproject.toml",
        "pytest.ini",
        ".pytest.ini",
        "pytest.toml",
        "setup.py",
        "setup.cfg",
        "conftest.py",
    ];
    let tests = test_files(project);
    let mark = MARKS.into_iter().find(|mark| exists(project, mark));
    let first = mark.map(str::to_owned).or_else(|| tests.first().cloned())?;
    let command = if uses_pytest(project, &tests) {
        "python3 -m pytest"
    } else if exists(project, "tests") && !exists(project, "tests/__init__.py") {
        // Without `__init__.py` plain discovery does not go into the folder.
        "python3 -m unittest discover -s tests"
    } else {
        "python3 -m unittest"
    };
    Some(Sourced::new(command, format!("found {first}")))
}

/// Whether pytest is configured, required, or needed by a test.
fn uses_pytest(project: &Path, tests: &[String]) -> bool {
    const CONFIGURED: [&str; 5] =
        ["pytest.ini", ".pytest.ini", "pytest.toml", "conftest.py", "tests/conftest.py"];
    const MENTIONED: [&str; 7] = [
        "pyproject.toml",
        "setup.cfg",
        "tox.ini",
        "requirements.txt",
        "requirements-dev.txt",
        "dev-requirements.txt",
        "requirements/dev.txt",
    ];
    CONFIGURED.iter().any(|name| exists(project, name))
        || MENTIONED.iter().any(|name| read(project, name).is_some_and(|text| mentions_pytest(&text)))
        || tests.iter().any(|name| read(project, name).is_some_and(|text| needs_pytest(&text)))
}

/// The word in any line that is no comment.
fn mentions_pytest(text: &str) -> bool {
    text.lines().any(|line| line.split('#').next().unwrap_or_default().contains("pytest"))
}

/// It imports pytest, or has test functions outside a class, which unittest does not see.
fn needs_pytest(source: &str) -> bool {
    source.lines().any(|line| {
        line.starts_with("import pytest")
            || line.starts_with("from pytest")
            || line.starts_with("def test_")
            || line.starts_with("async def test_")
    })
}

/// `test_*.py` and `*_test.py` in the project's folder, `tests/` and `test/`, sorted.
fn test_files(project: &Path) -> Vec<String> {
    files(project, &["", "tests/", "test/"], &|name| {
        name.strip_suffix(".py").is_some_and(|stem| stem.starts_with("test_") || stem.ends_with("_test"))
    })
}

/// The first files of these folders that have such a name, sorted.
fn files(project: &Path, folders: &[&str], is_wanted: &dyn Fn(&str) -> bool) -> Vec<String> {
    let mut files = Vec::new();
    for folder in folders {
        let Ok(entries) = project.join(folder).read_dir() else { continue };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        files.extend(names.filter(|name| is_wanted(name)).map(|name| format!("{folder}{name}")));
    }
    files.sort();
    files.truncate(MAX_TEST_FILES);
    files
}

#[cfg(test)]
mod tests {
    use super::modules_of_workspace;

    #[test]
    fn modules_of_a_workspace_are_those_below_it() {
        for (text, want) in [
            ("go 1.22\n\nuse (\n\t./core // the heart\n\t\"./app\"\n)\n", "core app"),
            ("go 1.22\nuse ./core\nuse ./tools/gen/\n", "core tools/gen"),
            ("use (\n\t../other\n\t/abs\n\t./a b\n\t.\n)\nreplace x => ./y\n", ""),
            ("used ./core\n", ""),
            ("", ""),
        ] {
            assert_eq!(modules_of_workspace(text).join(" "), want, "{text}");
        }
    }
}
