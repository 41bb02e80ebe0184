//! Reads a final message and prints its claim (contract section 8).
//!
//! Exit code 0 with `{"ok":true,"claim":…}`, 1 with `{"ok":false,"error":…}`, 2 if the message
//! itself can't be read.
#![expect(clippy::disallowed_methods, reason = "a command reads the current directory and its input")]

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::Serialize;

use crate::cli::ParseArgs;
use crate::view::print;
use tdd_core::claim::{Claim, ClaimError};
use tdd_core::role::Role;
use tdd_core::trouble::Trouble;
use tdd_spec::tdd_result;

/// What is printed, its fields in this order.
#[derive(Serialize)]
#[serde(untagged)]
enum Printed {
    Claim { ok: bool, claim: Claim },
    Error { ok: bool, error: ClaimError },
}

pub fn run(args: &ParseArgs) -> Result<ExitCode, Trouble> {
    let role = Role::from_name(&args.role).ok_or_else(|| {
        Trouble::user(format!("`{}` is no role", args.role)).advise("see `tdd parse --help`")
    })?;
    let root = root(args.root.as_deref())?;
    let real = root.canonicalize().unwrap_or_else(|_| root.clone());
    let roots = [real.to_string_lossy(), root.to_string_lossy()];
    let message = message(args.file.as_deref())?;
    let (printed, code) = match tdd_result::read(&message, role, &[&roots[0], &roots[1]]) {
        Ok(claim) => (serde_json::to_string(&Printed::Claim { ok: true, claim }), ExitCode::SUCCESS),
        Err(error) => (serde_json::to_string(&Printed::Error { ok: false, error }), ExitCode::FAILURE),
    };
    let printed = printed.map_err(|error| {
        Trouble::internal("the claim can't be written as JSON").because(error.to_string())
    })?;
    print::result(&(printed + "\n"));
    Ok(code)
}

fn root(given: Option<&Path>) -> Result<PathBuf, Trouble> {
    let root = given.map_or_else(std::env::current_dir, std::path::absolute);
    root.map_err(|error| {
        Trouble::environment("can't tell the repository's root").because(error).advise("name it with --root")
    })
}

/// The message, and one byte more than may be read of a longer one, so that it is refused.
/// A message out of a file, or of stdin for `-` or none; at most as much as is ever read of one.
pub(super) fn message(file: Option<&Path>) -> Result<String, Trouble> {
    let named = file.filter(|file| *file != Path::new("-"));
    let shown = named.map_or_else(|| "stdin".to_owned(), |file| file.display().to_string());
    let limit = tdd_result::MESSAGE_LIMIT as u64 + 1;
    let mut bytes = Vec::new();
    let read = match named {
        Some(file) => std::fs::File::open(file).and_then(|file| file.take(limit).read_to_end(&mut bytes)),
        None => std::io::stdin().lock().take(limit).read_to_end(&mut bytes),
    };
    read.map_err(|error| {
        Trouble::user(format!("can't read {shown}"))
            .because(error)
            .advise("name a readable file, or `-` for stdin")
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
