//! How a project has mypy called that only configures it.
//!
//! ```text
//! configured = mypy.ini | .mypy.ini | pyproject.toml with "[tool.mypy]" | setup.cfg with "[mypy]"
//! command    = ["PYTHONSAFEPATH=1"] "python3 -m mypy" ["."]
//! ```
//!
//! With `files`, `packages` or `modules` in the configuration a path on the command line would override
//! what the project checks. A plugin may be a module of the project's own, so where there are some, the
//! project's folder stays on the path; anywhere else a new `json.py` would be imported by mypy itself.

use std::path::Path;

use super::super::{Sourced, exists, read, venv};

/// The configuration files, best first, with the section that is mypy's.
const FILES: [(&str, &str); 4] = [
    ("mypy.ini", "[mypy]"),
    (".mypy.ini", "[mypy]"),
    ("pyproject.toml", "[tool.mypy]"),
    ("setup.cfg", "[mypy]"),
];

/// The command, if mypy is configured. Where it is only installed, the project may not want it.
pub(super) fn command(project: &Path) -> Option<Sourced> {
    let (name, keys) =
        FILES.into_iter().filter(|(name, _)| exists(project, name)).find_map(|(name, section)| {
            let keys = keys(&read(project, name).unwrap_or_default(), section);
            // A file of mypy's own counts without a section too.
            let keys = if name.ends_with("mypy.ini") { Some(keys.unwrap_or_default()) } else { keys };
            Some((name, keys?))
        })?;
    let has = |wanted: &[&str]| keys.iter().any(|key| wanted.contains(&key.as_str()));
    let safe = if has(&["plugins"]) { "" } else { "PYTHONSAFEPATH=1 " };
    let all = if has(&["files", "packages", "modules"]) { "" } else { " ." };
    let python = venv::python_with(project, "mypy").unwrap_or_else(|| "python3".to_owned());
    Some(Sourced::new(&format!("{safe}{python} -m mypy{all}"), format!("found mypy in {name}")))
}

/// The keys of a section; `None` if the text has no such section. A line that goes on with a value may
/// look like a key, which does no harm with the keys that are asked for.
fn keys(text: &str, section: &str) -> Option<Vec<String>> {
    let mut lines = text.lines().map(str::trim_end).skip_while(|line| *line != section);
    lines.next()?;
    let own = lines.take_while(|line| !line.starts_with('['));
    let key = |line: &str| Some(line.split_once(['=', ':'])?.0.trim().trim_matches(['"', '\'']).to_owned());
    Some(own.filter_map(key).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_project_checks_is_not_overridden() {
        const SAFE: &str = "PYTHONSAFEPATH=1 python3 -m mypy";
        for (name, text, want) in [
            ("mypy.ini", "", format!("{SAFE} .")),
            ("mypy.ini", "[mypy]\nstrict = true\n[mypy-a.*]\nfiles = x\n", format!("{SAFE} .")),
            ("mypy.ini", "[mypy]\nfiles = a.py, b.py\n", SAFE.to_owned()),
            (".mypy.ini", "[mypy]\nmodules: a\n", SAFE.to_owned()),
            ("mypy.ini", "[mypy]\nplugins = own_plugin\n", "python3 -m mypy .".to_owned()),
            ("pyproject.toml", "[tool.mypy]\nstrict = true\nfiles = [\"calc.py\"]\n", SAFE.to_owned()),
            (
                "pyproject.toml",
                "[tool.mypy]\npackages = \"a\"\nplugins = [\"p\"]\n",
                "python3 -m mypy".to_owned(),
            ),
            ("pyproject.toml", "[tool.other]\nfiles = 1\n[tool.mypy]\n", format!("{SAFE} .")),
            ("pyproject.toml", "[tool.other]\n", String::new()),
            ("setup.cfg", "[mypy]\npackages=a\n", SAFE.to_owned()),
            ("setup.cfg", "[metadata]\nfiles=a\n", String::new()),
        ] {
            let folder = tempfile::TempDir::new().unwrap();
            tdd_child::regular_file::write(folder.path().join(name), text).unwrap();
            let found = command(folder.path()).map(|found| found.command).unwrap_or_default();
            assert_eq!(found, want, "{name}: {text}");
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test makes an environment")]
    fn a_mypy_of_the_projects_own_environment_is_meant() {
        let folder = tempfile::TempDir::new().unwrap();
        let write = |name: &str| tdd_child::regular_file::write(folder.path().join(name), "").unwrap();
        std::fs::create_dir_all(folder.path().join(".venv/bin")).unwrap();
        for (name, python) in
            [("mypy.ini", "python3"), (".venv/bin/python", "python3"), (".venv/bin/mypy", ".venv/bin/python")]
        {
            write(name);
            let found = command(folder.path()).unwrap().command;
            assert_eq!(found, format!("PYTHONSAFEPATH=1 {python} -m mypy ."), "{name}");
        }
    }
}
