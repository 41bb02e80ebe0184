//! One file per subcommand; each wires the world into the driver.
//!
//! ```text
//! subcommands ─► runs (what runs there are, and where each stands) ─► given (folder, environment, settings)
//! ```

pub mod agent;
pub mod clean;
pub mod config;
pub mod corpus;
pub mod criteria;
pub mod demo;
pub mod detach;
pub mod doctor;
pub mod exec;
pub mod explain;
pub mod fix;
pub mod gate;
mod given;
pub mod init;
mod junit;
pub mod log;
pub mod look;
pub mod mdtest;
pub mod model_server;
pub mod new;
pub mod parse;
pub mod reference;
mod reports;
pub mod resume;
pub mod run;
mod runs;
mod sarif;
mod several;
pub mod status;
pub mod undo;
pub mod wait;

use std::process::ExitCode;

use crate::cli::{Cli, Command, Internal, Reader, RunArgs};
use crate::exit::Exit;
use crate::text::object::{Content, Failure};
use crate::view::print;
use tdd_child::detached;
use tdd_child::passthrough::left;
use tdd_child::signals;
#[cfg(debug_assertions)]
use tdd_core::guard::{self, Guard};
use tdd_core::trouble::Trouble;

/// Runs one subcommand and gives its exit code. The only place that prints an error.
pub fn run(cli: Cli, reader: Reader) -> ExitCode {
    #[cfg(debug_assertions)]
    switch_off_guard();
    signals::ignore_file_size();
    let purpose = purpose(&cli);
    if let Some(line) = left::put_right() {
        print::message(&format!("tdd: {line}"));
    }
    let outcome = match cli.command {
        None => reviewed(one_or_several(&cli.run), &look::review::Offer::after_run(&cli.run)),
        Some(Command::Run(args)) => reviewed(one_or_several(&args), &look::review::Offer::after_run(&args)),
        Some(Command::Resume(args)) => {
            reviewed(resume::run(&args), &look::review::Offer::after_resume(&args))
        }
        Some(Command::Wait(args)) => wait::run(&args),
        Some(Command::Fix(args)) => fix::run(&args),
        Some(Command::Criteria(args)) => criteria::run(&args),
        Some(Command::Parse(args)) => parse::run(&args),
        Some(Command::Status(args)) => status::run(&args),
        Some(Command::Log(args)) => log::run(&args),
        Some(Command::Review(args)) => look::review::run(&args),
        Some(Command::Show(args)) => look::show::run(&args),
        Some(Command::Diff(args)) => look::diff::run(&args),
        Some(Command::Matrix(args)) => look::matrix::run(&args),
        Some(Command::Report(args)) => look::report::run(&args),
        Some(Command::Why(args)) => look::why::run(&args),
        Some(Command::Corpus(args)) => corpus::run(&args),
        Some(Command::Undo(args)) => undo::run(&args),
        Some(Command::Clean(args)) => clean::run(&args),
        Some(Command::Demo(args)) => demo::run(&args),
        Some(Command::Mdtest(args)) => mdtest::run(&args),
        Some(Command::Gate(args)) => gate::run(&args),
        Some(Command::Mcp(args)) => gate::mcp::run(&args),
        Some(Command::Init(args)) => init::run(&args),
        Some(Command::New(args)) => new::run(&args),
        Some(Command::Explain(args)) => explain::run(&args),
        Some(Command::Schema(args)) => reference::schema(&args),
        Some(Command::Completions(args)) => Ok(reference::completions(&args)),
        Some(Command::Man(args)) => reference::man(&args),
        Some(Command::Config(args)) => config::run(&args),
        Some(Command::Doctor(args)) => doctor::run(&args),
    };
    let code = outcome.unwrap_or_else(|trouble| given::report(&trouble, reader));
    told_of_loss(code, purpose)
}

/// Of one requirement or of more.
fn one_or_several(args: &RunArgs) -> Result<ExitCode, Trouble> {
    if args.detach.detach {
        return detach::start(args.output.into());
    }
    if args.detach.detached {
        detached::leave_terminal();
    }
    if args.means_several() { several::run(args) } else { run::run(args) }
}

/// A run that halts before a person's eyes ends in the review; its exit code is that of the last state.
fn reviewed(
    outcome: Result<ExitCode, Trouble>,
    offer: &look::review::Offer<'_>,
) -> Result<ExitCode, Trouble> {
    let code = outcome?;
    if code != ExitCode::from(Exit::Halted.code()) {
        return Ok(code);
    }
    Ok(offer.take().transpose()?.unwrap_or(code))
}

/// What a command is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// All of it is what it prints.
    ToTell,
    ToDo,
}

fn purpose(cli: &Cli) -> Purpose {
    let of_run = |args: &RunArgs| if args.dry_run { Purpose::ToTell } else { Purpose::ToDo };
    match &cli.command {
        None => of_run(&cli.run),
        Some(Command::Run(args)) => of_run(args),
        Some(
            Command::Criteria(_)
            | Command::Parse(_)
            | Command::Status(_)
            | Command::Log(_)
            | Command::Show(_)
            | Command::Diff(_)
            | Command::Matrix(_)
            | Command::Report(_)
            | Command::Why(_)
            | Command::Corpus(_)
            | Command::Config(_)
            | Command::Explain(_)
            | Command::Schema(_)
            | Command::Completions(_)
            | Command::Doctor(_),
        ) => Purpose::ToTell,
        Some(
            Command::Resume(_)
            | Command::Wait(_)
            | Command::Review(_)
            | Command::Fix(_)
            | Command::Init(_)
            | Command::New(_)
            | Command::Man(_)
            | Command::Undo(_)
            | Command::Clean(_)
            | Command::Demo(_)
            | Command::Mdtest(_)
            | Command::Gate(_)
            | Command::Mcp(_),
        ) => Purpose::ToDo,
    }
}

/// What was done stays done where stdout can't be written, and its exit code tells it.
fn told_of_loss(code: ExitCode, purpose: Purpose) -> ExitCode {
    let Some(error) = print::lost() else { return code };
    print::trouble(
        &Trouble::environment("what was printed on stdout is not whole")
            // In words: what is full may be no disk that room can be made on.
            .because(error.to_string())
            .advise(
                "let stdout lead to where it can be written; `tdd status` and `tdd log` tell of a run again",
            ),
    );
    match (purpose, code == ExitCode::SUCCESS) {
        (Purpose::ToTell, true) => ExitCode::from(Exit::SetUp.code()),
        (Purpose::ToTell, false) | (Purpose::ToDo, _) => code,
    }
}

/// A command line that can't be read, or one that asks for help.
pub fn refuse_line(error: &clap::Error, near: Option<&str>, reader: Reader) -> ExitCode {
    if let Some(line) = near {
        print::message(&format!("error: {line}\n"));
    }
    if !error.use_stderr() {
        error.exit();
    }
    let said = error.render().to_string();
    let next = next_of_line(&said);
    if reader == Reader::Program {
        let what = near.or(said.lines().next()).unwrap_or_default();
        let failure = Failure {
            what: what.trim_start_matches("error: ").to_owned(),
            why: "the command line can't be read".to_owned(),
            next: next.clone(),
        };
        print::result(&Content::Error(failure).last(Exit::SetUp.code()));
    }
    let told = said.split("\n\nFor more information").next().unwrap_or_default();
    print::message(&format!("{}\n  next: {next}", told.trim_end()));
    ExitCode::from(Exit::SetUp.code())
}

/// What to do about a command line that can't be read, of which clap says this.
fn next_of_line(said: &str) -> String {
    if said.contains("'[FR]...' cannot be used with '--detach'") {
        return "detach one requirement alone, or leave --detach out".to_owned();
    }
    let usage = said.lines().find_map(|line| line.trim_start().strip_prefix("Usage: tdd "));
    let is_command = |word: &&str| word.starts_with(|first: char| first.is_ascii_lowercase());
    match usage.and_then(|usage| usage.split_whitespace().next()).filter(is_command) {
        Some(command) => format!("tdd {command} --help"),
        None => "tdd --help".to_owned(),
    }
}

/// The same for what `tdd` starts itself as.
pub fn run_internal(internal: &Internal) -> ExitCode {
    let outcome = match internal {
        Internal::Exec(args) => exec::run(args),
        Internal::Within(args) => exec::run_within(args),
        Internal::Agent(args) => agent::run(args),
        Internal::ModelServer(args) => model_server::run(args),
        Internal::Hook(args) => Ok(gate::hook::run(args)),
    };
    outcome.unwrap_or_else(|trouble| given::report(&trouble, Reader::Person))
}

/// For the suite: the same program without one of its checks.
#[cfg(debug_assertions)]
#[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
fn switch_off_guard() {
    let named = std::env::var("TDD_SWITCH_OFF_GUARD").ok();
    if let Some(guard) = named.and_then(|name| Guard::from_name(&name)) {
        guard::switch_off(guard);
    }
}
