//! Runs, for an agent that can't wait on a command line: what is begun goes on apart from the server.

use std::time::Duration;

use rmcp::model::{CallToolResult, ContentBlock, JsonObject, ProgressNotificationParam};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};

use super::offers::{Of, wait_seconds, wants_json};
use super::{Gate, Said};
use crate::commands::runs::chosen;
use crate::commands::runs::headline;
use crate::commands::runs::journalled::Journalled;
use crate::commands::runs::status::RunStatus;
use crate::commands::wait::STILL_AT_WORK;

/// How often the journal is looked at while a run is waited for.
const LOOK: Duration = Duration::from_secs(1);
/// Looks after which a client is told that the run is still at work, though it is where it was.
const SILENT_LOOKS: u32 = 10;

/// How an answer is wanted.
#[derive(Clone, Copy)]
pub(super) struct Asked {
    form: Form,
    wait_seconds: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Words,
    Object,
}

impl Asked {
    pub(super) fn read(input: &JsonObject) -> Result<Self, String> {
        let form = if wants_json(input)? { Form::Object } else { Form::Words };
        Ok(Self { form, wait_seconds: wait_seconds(input)? })
    }
}

/// What a call comes to.
pub(super) async fn call(
    gate: &Gate,
    of: Of,
    (words, asked): (Vec<String>, Asked),
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, String> {
    let run = match of {
        Of::Session | Of::Runs => {
            return Ok(answer(&gate.ask(&words, String::new(), context).await?, asked.form));
        }
        Of::Wait => words.into_iter().next(),
        Of::Begin => {
            let begun = gate.ask(&words, String::new(), context).await?;
            match run_of(&begun) {
                Some(run) => Some(run),
                // Refused, or at its end at once.
                None => return Ok(answer(&begun, asked.form)),
            }
        }
    };
    let mut line = vec!["wait".to_owned(), format!("--timeout={}s", asked.wait_seconds)];
    line.extend((asked.form == Form::Object).then(|| "--json".to_owned()));
    line.extend(run.iter().flat_map(|run| ["--".to_owned(), run.clone()]));
    let said = tokio::select! {
        said = gate.ask(&line, String::new(), context) => said?,
        never = follow(gate, run.as_deref(), context) => match never {},
    };
    Ok(answer(&said, asked.form))
}

/// The run that goes on.
fn run_of(begun: &Said) -> Option<String> {
    let line: Value = serde_json::from_str(begun.stdout.lines().last()?).ok()?;
    (line["type"] == "detached").then(|| line["run"].as_str().map(str::to_owned)).flatten()
}

fn answer(said: &Said, form: Form) -> CallToolResult {
    if form == Form::Object
        && let Some(object) = object(&said.stdout)
    {
        return if is_answer(said.code) {
            CallToolResult::structured(object)
        } else {
            CallToolResult::structured_error(object)
        };
    }
    let text = match said.code.and_then(|code| Some((code, meaning(code)?))) {
        Some((code, meaning)) => format!("exit code {code}: {meaning}\n{}", said.whole()),
        None => said.whole(),
    };
    let blocks = vec![ContentBlock::text(text)];
    if is_answer(said.code) { CallToolResult::success(blocks) } else { CallToolResult::error(blocks) }
}

/// What it printed, as the one object that an answer may be.
fn object(stdout: &str) -> Option<Value> {
    let objects: Option<Vec<Value>> = stdout.lines().map(|line| serde_json::from_str(line).ok()).collect();
    match objects?.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        several => Some(json!({ "objects": several })),
    }
}

/// A run that halted, pauses or is still at work is an answer, and no failure of the call.
fn is_answer(code: Option<i32>) -> bool {
    code.is_some_and(|code| code == 0 || meaning(code).is_some())
}

fn meaning(code: i32) -> Option<&'static str> {
    match code {
        1 => Some("it halted: show a person the cause and what is recommended, and change nothing yourself"),
        3 => Some("it pauses: `tdd resume` goes on"),
        4 => Some("done, and not all of it is verified"),
        _ if code == i32::from(STILL_AT_WORK) => Some("it is still at work: call wait_run"),
        _ => None,
    }
}

/// Tells the client how far the run is, if it wants to know; ends with the call.
async fn follow(
    gate: &Gate,
    run: Option<&str>,
    context: &RequestContext<RoleServer>,
) -> std::convert::Infallible {
    let Some(token) = context.meta.get_progress_token() else { return std::future::pending().await };
    let (mut told, mut looks, mut silent) = (String::new(), 0_u32, 0_u32);
    loop {
        tokio::time::sleep(LOOK).await;
        looks += 1;
        silent += 1;
        let (repository, run) = (gate.place.repository.clone(), run.map(str::to_owned));
        let seen = tokio::task::spawn_blocking(move || {
            let run = chosen::chosen_run(&repository, run.as_deref()).ok()?;
            let (told, _) = Journalled::read(&run).ok()?;
            Some(headline::headline(&told, &RunStatus::of(&repository, &run, &told)))
        });
        let Ok(Some(seen)) = seen.await else { continue };
        if seen == told && silent < SILENT_LOOKS {
            continue;
        }
        silent = 0;
        told.clone_from(&seen);
        let progress = ProgressNotificationParam::new(token.clone(), f64::from(looks)).with_message(seen);
        // Whoever does not hear it still gets the answer.
        let _ = context.peer.notify_progress(progress).await;
    }
}
