//! `tdd mcp`: the gate as tools of a server on stdin and stdout, for agents without hooks.
//!
//! ```text
//! tools/call ─► this process ─► tdd gate … --session S, a process of its own ─► its words, and its exit code
//! ```
//!
//! A call is cut off the server as a hook is off its agent: what it panics in, waits for or is stopped by is its own,
//! the session's lock orders those that come at once, and the words are the same as on a command line.
#![expect(clippy::disallowed_methods, reason = "starts a process for each call, and looks at the clock")]

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex};

use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation,
    JsonObject, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer, serve_server};
use rmcp::transport::stdio_pipes;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::signal::unix::{SignalKind, signal};

use lines::Lines;
use offers::{OFFERS, Of, Offer, Reads};

use super::agents::Moment;
use super::at_work;
use super::caller;
use super::desk::{self, Desk};
use super::within;
use crate::cli::mcp::McpArgs;
use crate::commands::run::execute::event_loop;
use crate::settings::Environment;
use crate::world::project::{self, Place};
use crate::world::session_file::{self, Depth};
use tdd_child::clock::SystemClock;
use tdd_core::event::SessionId;
use tdd_core::ports::Clock as _;
use tdd_core::trouble::Trouble;

mod lines;
mod offers;
mod runs;

/// What a call may say; its own words are bounded far below.
const MOST_SAID: u64 = 256 << 10;
const WAY: &str = "Code is edited only for a red test. Write a failing test with edit_file; run_tests; claim_edit; \
                   edit_file; flush. Or have a whole requirement built and proven by agents of its own: run.";

/// The names of its tools.
#[cfg(test)]
pub(super) fn offered() -> Vec<&'static str> {
    OFFERS.iter().map(|offer| offer.name).collect()
}

pub fn run(args: &McpArgs) -> Result<ExitCode, Trouble> {
    let (cwd, environment) = crate::commands::given::surroundings()?;
    let place = project::locate(&cwd)?;
    let id = match &args.session {
        None => SessionId(format!("mcp-{}-{}", SystemClock::default().now_ms(), std::process::id())),
        Some(typed) => desk::chosen(&place, Some(typed))?.ok_or_else(|| {
            Trouble::user(format!("no session is called {typed}")).advise("leave --session out")
        })?,
    };
    let gate = Gate { place, environment, id, at_work: Arc::default() };
    event_loop()?.block_on(serve(gate))
}

async fn serve(gate: Gate) -> Result<ExitCode, Trouble> {
    let broken = |why: String| {
        Trouble::environment("the MCP client can't be heard")
            .because(why)
            .advise("start it from the client's settings: the command is `tdd mcp`, its transport stdio")
    };
    let ended = |error: std::io::Error| broken(error.to_string());
    let mut terminated = signal(SignalKind::terminate()).map_err(ended)?;
    let mut interrupted = signal(SignalKind::interrupt()).map_err(ended)?;
    let at_work = Arc::clone(&gate.at_work);
    let (read, write) = stdio_pipes();
    let own = gate.clone();
    let talk = async {
        let service = serve_server(gate, Lines::new(read, write)).await;
        let service = service.map_err(|error| broken(error.to_string()))?;
        // One that only looks whether there is a server begins nothing.
        own.begin()?;
        service.waiting().await.map_err(|error| broken(error.to_string()))?;
        Ok(ExitCode::SUCCESS)
    };
    let said = tokio::select! {
        said = talk => said,
        _ = terminated.recv() => Ok(ExitCode::from(143)),
        _ = interrupted.recv() => Ok(ExitCode::from(130)),
    };
    // Nobody reads what they come to any more.
    for pid in at_work.lock().map(|all| all.clone()).unwrap_or_default() {
        stop(pid);
    }
    said
}

fn stop(pid: u32) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let _ = pid.map(|pid| kill_process(pid, Signal::TERM));
}

/// The session that the tools work in.
#[derive(Clone)]
struct Gate {
    place: Place,
    environment: Environment,
    id: SessionId,
    /// Processes of calls.
    at_work: Arc<Mutex<BTreeSet<u32>>>,
}

impl Gate {
    /// Begins the session, if it is not there. While a run holds the tree there is none to be.
    fn begin(&self) -> Result<(), Trouble> {
        if at_work::policy(&self.place)?.is_some() {
            return Ok(());
        }
        let desk =
            Desk::of(self.place.clone(), self.environment.clone(), (&self.id, within::SERVER), Depth::Quick)?;
        // While the client lives it is the agent, and this a chat of its own beside those that its hooks call for.
        caller::hear(&desk.session.folder, Moment::Before);
        session_file::note_last(&self.place.repository, &self.id)
    }

    /// What a call comes to, and whether it was refused or red.
    async fn call(
        &self,
        name: &str,
        input: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResult {
        let failed = |why: String| CallToolResult::error(vec![ContentBlock::text(why)]);
        let Some(offer) = OFFERS.iter().find(|offer| offer.name == name) else {
            let known: Vec<&str> = OFFERS.iter().map(|offer| offer.name).collect();
            return failed(format!(
                "tdd: no tool is called {name:?}\n  why: this server has {}\n  next: call one of those",
                known.join(", ")
            ));
        };
        let unread = |why: String| {
            failed(format!(
                "tdd: the call of {name} can't be read\n  why: {why}\n  next: see the tool's input schema"
            ))
        };
        let words = match offer.knows(&input).and_then(|()| (offer.words)(&input)) {
            Ok(words) => words,
            Err(why) => return unread(why),
        };
        let said = match offer.of {
            Of::Session => self.in_session(words, input, context).await,
            Of::Runs | Of::Begin | Of::Wait => match runs::Asked::read(&input) {
                Ok(asked) => runs::call(self, offer.of, (words, asked), context).await,
                Err(why) => return unread(why),
            },
        };
        said.unwrap_or_else(|why| failed(format!("tdd: {name} was cut off\n  why: {why}\n  next: try again")))
    }

    async fn in_session(
        &self,
        words: Vec<String>,
        input: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, String> {
        if let Err(trouble) = self.begin() {
            return Ok(CallToolResult::error(vec![ContentBlock::text(format!("tdd: {trouble}"))]));
        }
        let ours = ["--session".to_owned(), self.id.0.clone()];
        let mut line = vec!["gate".to_owned()];
        line.extend(words.iter().take(1).cloned());
        line.extend(ours);
        line.extend(words.into_iter().skip(1));
        let answer = self.ask(&line, Value::Object(input).to_string(), context).await?;
        let blocks = vec![ContentBlock::text(answer.whole())];
        Ok(if answer.code == Some(0) {
            CallToolResult::success(blocks)
        } else {
            CallToolResult::error(blocks)
        })
    }

    /// Runs this program, until it ends or the client does not want it any more.
    async fn ask(
        &self,
        words: &[String],
        input: String,
        context: &RequestContext<RoleServer>,
    ) -> Result<Said, String> {
        let child = self.start(words, input).map_err(|error| error.to_string())?;
        let (pid, at_work) = (child.id(), Arc::clone(&self.at_work));
        let waits = tokio::task::spawn_blocking(move || {
            let said = said(child);
            let _ = at_work.lock().map(|mut all| all.remove(&pid));
            said
        });
        tokio::pin!(waits);
        let said = tokio::select! {
            said = &mut waits => said,
            () = context.ct.cancelled() => {
                stop(pid);
                waits.await
            }
        };
        said.map_err(|error| error.to_string())?.map_err(|error| error.to_string())
    }

    fn start(&self, words: &[String], input: String) -> std::io::Result<Child> {
        let mut command = Command::new(std::env::current_exe()?);
        command
            .args(words)
            .current_dir(&self.place.cwd)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let _ = self.at_work.lock().map(|mut all| all.insert(child.id()));
        if let Some(mut stdin) = child.stdin.take() {
            // What does not read it may have ended.
            std::thread::Builder::new().spawn(move || stdin.write_all(input.as_bytes()))?;
        }
        Ok(child)
    }
}

/// What a call of this program came to.
struct Said {
    /// None for one that a signal ended.
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Said {
    /// All that it says, what it warns of first.
    fn whole(&self) -> String {
        let mut text = self.stderr.clone();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text += &self.stdout;
        text.trim_end().to_owned()
    }
}

fn said(mut child: Child) -> std::io::Result<Said> {
    let stderr = child.stderr.take();
    let warned = std::thread::Builder::new().spawn(move || read(stderr))?;
    let stdout = read(child.stdout.take());
    let code = child.wait()?.code();
    Ok(Said { code, stdout, stderr: warned.join().unwrap_or_default() })
}

fn read(from: Option<impl std::io::Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut from) = from {
        let _ = from.by_ref().take(MOST_SAID).read_to_end(&mut bytes);
        let _ = std::io::copy(&mut from, &mut std::io::sink());
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

impl ServerHandler for Gate {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::default();
        info.capabilities = ServerCapabilities::builder().enable_tools().build();
        info.server_info = Implementation::new("tdd", env!("CARGO_PKG_VERSION"));
        info.instructions = Some(WAY.to_owned());
        info
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tool = |offer: &Offer| {
            let schema = json!({
                "type": "object", "properties": (offer.input)(), "required": offer.required,
                "additionalProperties": false,
            });
            let schema = schema.as_object().cloned().unwrap_or_default();
            let hints = ToolAnnotations::new().read_only(offer.reads == Reads::Only).open_world(false);
            Tool::new(offer.name, offer.told, Arc::new(schema)).with_annotations(hints)
        };
        Ok(ListToolsResult::with_all_items(OFFERS.iter().map(tool).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let input = request.arguments.unwrap_or_default();
        Ok(self.call(&request.name, input, &context).await.into())
    }
}
