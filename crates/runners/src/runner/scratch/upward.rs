//! What tools find above a tree: configuration that they look for from folder to folder upwards.

use std::path::{Path, PathBuf};

use tdd_core::path::RelPath;
use tdd_core::policy::{FileClass, Policy};

/// Gate files that nothing but git and agents reads, and no tool of a project's from below.
const NOT_SOUGHT: &[&str] =
    &[".git", ".claude", ".codex", ".mcp", ".gemini", "CLAUDE", "AGENTS", "GEMINI", "opencode"];

/// A file or folder that a tool would find from one of the two and not from the other.
pub(super) fn difference(tree: &Path, copy: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let policy = Policy::new(&[], &[], "").ok()?;
    let of_one = |one: &Path, other: &Path| {
        let mut above = one.ancestors().skip(1).filter(|folder| !other.starts_with(folder));
        above.find_map(|folder| sought(folder, &policy, home))
    };
    of_one(tree, copy).or_else(|| of_one(copy, tree))
}

/// The first entry of a folder that tools look for. What a home folder holds with a dot is the person's own
/// configuration, which tools read from wherever they run.
fn sought(folder: &Path, policy: &Policy, home: Option<&Path>) -> Option<PathBuf> {
    let is_home = home == Some(folder);
    let entries = std::fs::read_dir(folder).ok()?.flatten().filter(|entry| {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { return false };
        if is_home && name.starts_with('.') {
            return false;
        }
        if entry.path().is_dir() {
            let holds_configuration =
                ["config.toml", "config"].iter().any(|file| entry.path().join(file).is_file());
            return name == "node_modules" || (name == ".cargo" && holds_configuration);
        }
        let class = RelPath::new(name).map(|name| policy.classify(&name));
        matches!(class, Some(FileClass::Gate | FileClass::Mixed))
            && !NOT_SOUGHT.iter().any(|start| name.starts_with(start))
    });
    entries.map(|entry| entry.path()).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_tool_finds_above_one_alone_is_a_difference() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for path in ["both/deep/tree", "both/far/copy"] {
            std::fs::create_dir_all(root.join(path)).unwrap();
        }
        let (tree, copy) = (root.join("both/deep/tree"), root.join("both/far/copy"));
        let told = |home: Option<&Path>| difference(&tree, &copy, home);
        for common in
            ["both/package.json", "both/deep/notes.txt", "both/deep/CLAUDE.md", "both/deep/.gitignore"]
        {
            std::fs::write(root.join(common), "").unwrap();
        }
        assert_eq!(told(None), None);
        for (beside, is_dotted) in [
            ("both/deep/package.json", false),
            ("both/deep/pytest.ini", false),
            ("both/deep/conftest.py", false),
            ("both/deep/go.work", false),
            ("both/deep/tsconfig.json", false),
            ("both/deep/Cargo.toml", false),
            ("both/deep/.eslintrc.cjs", true),
            ("both/far/pyproject.toml", false),
        ] {
            let file = root.join(beside);
            std::fs::write(&file, "").unwrap();
            assert_eq!(told(None), Some(file.clone()));
            let in_home = told(Some(&root.join("both/deep")));
            assert_eq!(in_home, (!is_dotted).then_some(file.clone()), "{beside}");
            std::fs::remove_file(file).unwrap();
        }
        for (path, file) in
            [("both/deep/.cargo", ".cargo/config.toml"), ("both/deep/node_modules", "node_modules/x")]
        {
            std::fs::create_dir_all(root.join(path)).unwrap();
            std::fs::write(root.join("both/deep").join(file), "").unwrap();
            assert_eq!(told(None), Some(root.join(path)));
            std::fs::remove_dir_all(root.join(path)).unwrap();
        }
    }
}
