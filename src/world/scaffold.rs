//! Lays out a small project in a fresh folder: what `tdd demo` runs on.
#![expect(clippy::disallowed_methods, reason = "writes a project and makes a repository of it")]

use std::path::Path;
use std::process::{Command, Stdio};

use tdd_core::trouble::{Trouble, Why};

/// Writes `files` (relative path, text) below `folder` and makes it a git repository with one
/// commit. The folder must not exist, or be empty.
pub fn lay_out(folder: &Path, files: &[(&str, &str)]) -> Result<(), Trouble> {
    let unwritable = |error: std::io::Error| {
        Trouble::environment(format!("the demo project can't be written to {}", folder.display()))
            .because(error)
            .advise("name another folder: tdd demo --dir DIR")
    };
    std::fs::create_dir_all(folder).map_err(unwritable)?;
    if std::fs::read_dir(folder).map_err(unwritable)?.next().is_some() {
        return Err(Trouble::user(format!("{} is not empty", folder.display()))
            .because("the demo lays out a project of its own")
            .advise("name a folder that does not exist yet, or leave out --dir"));
    }
    for (path, text) in files {
        let at = folder.join(path);
        if let Some(parent) = at.parent() {
            std::fs::create_dir_all(parent).map_err(unwritable)?;
        }
        std::fs::write(at, text).map_err(unwritable)?;
    }
    for args in [
        &["init", "--quiet", "--initial-branch=main"][..],
        &["add", "--all"],
        &[
            "-c",
            "user.name=tdd demo",
            "-c",
            "user.email=demo@localhost",
            "-c",
            "commit.gpgsign=false",
            "commit",
            "--quiet",
            "--message=Start",
        ],
    ] {
        git(folder, args)?;
    }
    Ok(())
}

fn git(folder: &Path, args: &[&str]) -> Result<(), Trouble> {
    let mut command = Command::new("git");
    command.current_dir(folder).args(["-c", "core.hooksPath=/dev/null"]).args(args).stdin(Stdio::null());
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"] {
        command.env_remove(variable);
    }
    let failed = |why: Why| {
        Trouble::environment("the demo's repository can't be made")
            .because(why)
            .advise("install git 2.28 or newer")
    };
    let output = command.output().map_err(|error| failed(error.into()))?;
    if output.status.success() {
        Ok(())
    } else {
        Err(failed(
            format!("git {}: {}", args.join(" "), String::from_utf8_lossy(&output.stderr).trim()).into(),
        ))
    }
}
