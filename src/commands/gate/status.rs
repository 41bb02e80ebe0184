//! `tdd gate status`.

use std::fmt::Write as _;
use std::process::ExitCode;

use serde_json::json;

use super::desk::Desk;
use crate::cli::gate::StatusArgs;
use crate::view::print;
use tdd_core::event::{GateMode, Switch};
use tdd_core::path::RelPath;
use tdd_core::session::Dot;
use tdd_core::trouble::Trouble;

pub(super) fn run(args: &StatusArgs) -> Result<ExitCode, Trouble> {
    let desk = Desk::named(args.which.session.as_deref())?;
    print::result(&if args.json { as_json(&desk) } else { in_words(&desk) });
    Ok(ExitCode::SUCCESS)
}

fn as_json(desk: &Desk) -> String {
    let state = desk.state();
    let plan: Vec<_> = state
        .plan
        .iter()
        .map(|step| json!({ "step": step.step, "test_id": step.test_id, "dot": dot(state.dot(step)) }))
        .collect();
    let told = json!({
        "session": state.started.session,
        "agent": state.started.agent,
        "switch": state.switch,
        "mode": state.started.mode,
        "refactor": state.refactor,
        "tests": state.tests,
        "claims": state.claims,
        "halted": state.halted(),
        "plan": plan,
        "journal": desk.session.folder.join(tdd_child::run_folder::EVENTS),
    });
    format!("{told}\n")
}

fn dot(dot: Dot) -> &'static str {
    match dot {
        Dot::NotRun => "not run",
        Dot::Red => "red",
        Dot::Green => "green",
        Dot::Refactor => "refactor",
    }
}

fn in_words(desk: &Desk) -> String {
    let state = desk.state();
    let mut text = String::new();
    let switch = match (state.switch, state.started.mode) {
        (Switch::Off, _) => "off",
        (Switch::On, GateMode::Strict) => "on",
        (Switch::On, GateMode::Warn) => "on, and only warns",
    };
    let _ =
        writeln!(text, "session {} ({}): the gate is {switch}", state.started.session.0, state.started.agent);
    text += super::settings::another_program().trim_start();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    if let Some(refactor) = &state.refactor {
        let files =
            if refactor.files.is_empty() { "all files".to_owned() } else { refactor.files.join(", ") };
        let had_none = desk.is_without_tests() && !state.tests.is_empty();
        let why = if had_none { "there were no tests when the session began" } else { &refactor.why };
        let _ = writeln!(text, "refactor mode is on for {files}: {why}");
        let _ = writeln!(text, "  it ends with: tdd gate refactor off");
        let changed = super::kept::changed_tests(desk);
        if !changed.is_empty() {
            let names: Vec<&str> = changed.iter().map(RelPath::as_str).collect();
            let _ = writeln!(text, "  tests were changed in it: {}", names.join(", "));
        }
    }
    for (id, last) in &state.tests {
        text += &super::see::line(id, last);
    }
    for claim in &state.claims {
        let stands = if state.stands(claim) { "" } else { " (stands no more)" };
        let _ = writeln!(text, "claim {} for {}{stands}", claim.edit_target, claim.test_id);
    }
    for id in state.halted() {
        let _ = writeln!(text, "halted: {id} failed two turns; a person says when to go on: tdd gate look");
    }
    for step in &state.plan {
        let (sign, id) = (sign(state.dot(step)), step.test_id.as_ref());
        let _ = writeln!(text, "{sign} {}{}", step.step, id.map(|id| format!("  {id}")).unwrap_or_default());
    }
    text
}

fn sign(dot: Dot) -> &'static str {
    match dot {
        Dot::NotRun => "○",
        Dot::Red => "● red  ",
        Dot::Green => "● green",
        Dot::Refactor => "◇",
    }
}
