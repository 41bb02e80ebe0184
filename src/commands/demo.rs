//! Runs the whole cycle on a built-in project, with the scripted agent, through the very same
//! code as every run. With `--halt MODE` the agent fails in that mode until the budget is spent.
#![expect(clippy::disallowed_methods, reason = "the demo's cassette is written beside its project")]

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use crate::cli::{DemoArgs, RunArgs};
use crate::view::print;
use crate::world::scaffold;
use tdd_core::harmless;
use tdd_core::trouble::Trouble;

/// The project as it is before anybody forked.
const FILES: [(&str, &str); 7] = [
    ("Cargo.toml", include_str!("../../fixtures/projects/demo/Cargo.toml.in")),
    ("Cargo.lock", include_str!("../../fixtures/projects/demo/Cargo.lock")),
    ("CLAUDE.md", include_str!("../../fixtures/projects/demo/CLAUDE.md")),
    (".gitignore", include_str!("../../fixtures/projects/demo/.gitignore")),
    ("src/lib.rs", include_str!("../../fixtures/projects/demo/src/lib.rs")),
    ("tests/slug.rs", include_str!("../../fixtures/projects/demo/tests/slug.rs")),
    ("specs/frs/DEMO-1.md", include_str!("../../fixtures/projects/demo/specs/frs/DEMO-1.md")),
];
const CASSETTE: &str = include_str!("../../fixtures/cassettes/demo.yaml");

/// What the agent does instead, by the letter of the mode. The first entry of a cassette that fits
/// a call is played, so these stand before the good ones.
const FAILURES: [(&str, &str); 5] = [
    ("A", include_str!("../../fixtures/cassettes/demo-halt-a.yaml")),
    ("B", include_str!("../../fixtures/cassettes/demo-halt-b.yaml")),
    ("C", include_str!("../../fixtures/cassettes/demo-halt-c.yaml")),
    ("D", include_str!("../../fixtures/cassettes/demo-halt-d.yaml")),
    ("E", include_str!("../../fixtures/cassettes/demo-halt-e.yaml")),
];
/// So that mode E does not keep anybody waiting.
const IMPATIENT: (&str, &str) = ("tdd.yaml", "attempt_deadline: 3s\n");

pub fn run(args: &DemoArgs) -> Result<ExitCode, Trouble> {
    let (cwd, environment) = super::given::surroundings()?;
    refuse_without_cargo()?;
    let folder = match &args.dir {
        Some(dir) => cwd.join(dir),
        None => temporary()?,
    };
    let project = folder.join("textkit");
    let failure = FAILURES.iter().find(|(mode, _)| Some(*mode) == args.halt.as_deref());
    let mut files = FILES.to_vec();
    files.extend(failure.filter(|(mode, _)| *mode == "E").map(|_| IMPATIENT));
    scaffold::lay_out(&project, &files)?;
    let cassette = folder.join("demo-cassette.yaml");
    let entries = failure.map_or(String::new(), |(_, entries)| format!("{entries}\n")) + CASSETTE;
    std::fs::write(&cassette, entries).map_err(|error| unwritable(&folder).because(error))?;
    let shown = !(args.output.json.is_some() || args.output.quiet);
    if shown {
        let fails = failure.map_or(String::new(), |(mode, _)| {
            format!("          it fails in mode {mode} until the budget is spent\n")
        });
        print::message(&format!(
            "tdd demo: a small Rust project in {}\n          its requirement: specs/frs/DEMO-1.md, three criteria\n          \
             its agent is scripted ({}); everything else is real\n{fails}",
            project.display(),
            cassette.display()
        ));
    }
    let run = RunArgs {
        requirement: Some("DEMO-1".to_owned()),
        cassette: Some(cassette),
        output: args.output,
        ..RunArgs::default()
    };
    let code = super::run::start(&run, &project, environment)?;
    if shown {
        print::message(&format!(
            "\nwhere to look: cd {}\n  git diff                what the roles wrote\n  tdd log                 what happened, event by event\n  \
             ls .tdd/runs/*/logs     what each child printed",
            project.display()
        ));
    }
    Ok(code)
}

/// A release is installed without Rust, and the demo's project is a Rust one. rustup's `cargo` may be there and
/// have no toolchain, so it is asked.
fn refuse_without_cargo() -> Result<(), Trouble> {
    let said = match Command::new("cargo").arg("--version").output() {
        Ok(output) if output.status.success() => return Ok(()),
        Ok(output) => String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        Err(error) => error.to_string(),
    };
    Err(Trouble::environment("the demo needs cargo, and `cargo --version` fails")
        .because(harmless::line(&said))
        .advise("install Rust (https://rustup.rs), or begin with your own project: tdd init"))
}

/// A new folder that stays, so that the person can look around.
fn temporary() -> Result<PathBuf, Trouble> {
    let made = tempfile::Builder::new().prefix("tdd-demo-").tempdir();
    made.map(tempfile::TempDir::keep).map_err(|error| unwritable(&std::env::temp_dir()).because(error))
}

fn unwritable(folder: &std::path::Path) -> Trouble {
    Trouble::environment(format!("nothing can be written to {}", folder.display()))
        .advise("name another folder: tdd demo --dir DIR")
}
