//! Folders of other people's code: far too large to be hashed before each run, so their files are watched by what
//! `lstat` says of them, and no copies are kept of them.

use crate::path::RelPath;

const NAMES: [&str; 7] = ["node_modules", ".venv", "venv", ".tox", ".nox", "vendor", "bower_components"];

/// Whether a folder of this name is one of those.
pub fn is_tool_folder(name: &str) -> bool {
    NAMES.contains(&name)
}

/// Whether a file lies in one of those.
pub fn is_installed(path: &RelPath) -> bool {
    path.as_str().split('/').any(is_tool_folder)
}

/// The line of a `.gitignore` that this file lacks where an installation has left it: git would commit it. Folders that
/// many projects commit (`vendor`) are left out.
pub fn ignoring(path: &RelPath) -> Option<String> {
    path.as_str().split('/').find_map(|part| {
        let of_records = [".egg-info", ".dist-info"].into_iter().find(|end| part.ends_with(end));
        match of_records {
            Some(end) => Some(format!("*{end}/")),
            None => (is_tool_folder(part) && part != "vendor").then(|| format!("{part}/")),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_installation_leaves_is_told_with_the_line_that_ignores_it() {
        for (path, line) in [
            ("node_modules/a/package.json", Some("node_modules/")),
            ("sub/.venv/lib/site-packages/six-1.dist-info/INSTALLER", Some(".venv/")),
            ("src/x.egg-info/PKG-INFO", Some("*.egg-info/")),
            ("vendor/six-1.17.0.dist-info/METADATA", Some("*.dist-info/")),
            ("vendor/a/a.go", None),
            ("package.json", None),
            ("my_node_modules/x", None),
        ] {
            let found = ignoring(&RelPath::new(path).unwrap());
            assert_eq!(found.as_deref(), line, "{path}");
        }
    }
}
