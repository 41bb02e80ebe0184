//! Whether a program can be started, found out before the first fork.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use crate::agent_table::{AUTO, BUILTIN};
use tdd_child::regular_file;
use tdd_core::trouble::Trouble;

/// The built-in agent to take when none is named: claude, else codex, whichever is in `PATH`.
pub fn choose_auto(path: Option<&OsStr>) -> Result<&'static str, Trouble> {
    let found = AUTO.into_iter().find(|name| matches!(in_path(name, path), Lookup::Found(_)));
    found.ok_or_else(|| {
        Trouble::environment("no agent program was found")
            .because(format!("neither {} is in PATH", AUTO.join(" nor ")))
            .advise(
                "install one of them, or name another agent: --agent opencode, gemini or pi, or one of your own with \
                 its table in tdd.yaml or in your own settings",
            )
    })
}

/// What is in the way of starting `program`, if anything is.
pub(super) fn check(agent: &str, program: &str, path: Option<&OsStr>, cwd: &Path) -> Result<(), Trouble> {
    let trouble = |why: String| {
        Trouble::environment(format!("the agent `{agent}` can't be started: `{program}`"))
            .because(why)
            .advise(if BUILTIN.contains(&agent) {
                // What a repository's tdd.yaml says of such a name is refused.
                format!(
                    "install it or mend it, name another agent with --agent, or set `argv` of agents.{agent} in your \
                     own settings (`tdd config` names their file)"
                )
            } else {
                format!(
                    "install it or mend it, set `argv` of agents.{agent} where its table stands, or name another agent \
                     with --agent"
                )
            })
    };
    let file = if program.contains('/') {
        let file = cwd.join(program);
        startable(&file).map_err(&trouble)?;
        file
    } else {
        match in_path(program, path) {
            Lookup::Found(file) => file,
            Lookup::NotStartable(why) => return Err(trouble(why)),
            Lookup::Nowhere => return Err(trouble("it is in none of the folders of PATH".to_owned())),
        }
    };
    check_script(&file, path).map_err(trouble)
}

enum Lookup {
    Found(PathBuf),
    /// There is something of that name, but it can't be started.
    NotStartable(String),
    Nowhere,
}

fn in_path(program: &str, path: Option<&OsStr>) -> Lookup {
    let mut near_miss = Lookup::Nowhere;
    for folder in path.map(std::env::split_paths).into_iter().flatten() {
        let file = folder.join(program);
        if !file.exists() {
            continue;
        }
        match startable(&file) {
            Ok(()) => return Lookup::Found(file),
            Err(why) => near_miss = Lookup::NotStartable(why),
        }
    }
    near_miss
}

fn startable(file: &Path) -> Result<(), String> {
    let shown = file.display();
    let about = std::fs::metadata(file).map_err(|error| format!("{shown}: {error}"))?;
    if !about.is_file() {
        return Err(format!("{shown} is no file"));
    }
    access(file, Access::EXEC_OK).map_err(|_| format!("{shown} is not executable (chmod +x)"))
}

/// A script must name an interpreter that is there. A text without `#!` is started by a shell,
/// but not by us.
fn check_script(file: &Path, path: Option<&OsStr>) -> Result<(), String> {
    let shown = file.display();
    // Programs that may be executed but not read are rare; the start itself will tell.
    let Ok(head) = regular_file::head(file, 256) else { return Ok(()) };
    let Some(line) = head.strip_prefix(b"#!") else {
        let is_text =
            !head.is_empty() && head.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace());
        return if is_text { Err(format!("{shown} is a script without a #! line")) } else { Ok(()) };
    };
    let line = String::from_utf8_lossy(line.split(|byte| *byte == b'\n').next().unwrap_or(line)).into_owned();
    if line.ends_with('\r') {
        return Err(format!("the #! line of {shown} ends with a carriage return (Windows line ends)"));
    }
    let mut words = line.split_whitespace();
    let interpreter = words.next().ok_or_else(|| format!("the #! line of {shown} names no interpreter"))?;
    startable(Path::new(interpreter)).map_err(|why| format!("the #! line of {shown}: {why}"))?;
    let by_env = Path::new(interpreter).file_name() == Some(OsStr::new("env"));
    match words.find(|word| !word.starts_with('-') && !word.contains('=')) {
        Some(name) if by_env && !name.contains('/') => match in_path(name, path) {
            Lookup::Found(_) => Ok(()),
            Lookup::NotStartable(why) => Err(format!("the #! line of {shown}: {why}")),
            Lookup::Nowhere => Err(format!("the #! line of {shown} asks for `{name}`, which is not in PATH")),
        },
        Some(_) | None => Ok(()),
    }
}
