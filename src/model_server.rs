//! A scripted model server: what stands in for a model while everything else is real.
//!
//! The conformance kit starts it as a program of its own, `tdd __model-server`, and so do the suite and
//! whoever works on an agent's table. It is a room of its own, because it takes the other side of a proof:
//! it knows nothing of what a run, a table or an obligation is, and nothing but its subcommand knows it.
//!
//! Speaks on a loopback port of its own choice: Anthropic Messages, `OpenAI` Responses, `OpenAI` chat
//! completions and Gemini, each as a stream or whole. It keeps no conversation: which answer is due
//! follows from the messages that the agent sends along, so any number of agents and sessions may
//! talk to one server at once.
//!
//! ```text
//! tdd __model-server --script FILE [--log FILE] [--bodies DIR] [--port N] [--until-stdin-ends]
//! listening on http://127.0.0.1:40123            (the first line of stdout)
//! ```
//!
//! How real agents are pointed at it, each with any key and a fresh home:
//!
//! ```text
//! claude:   ANTHROPIC_BASE_URL={server} ANTHROPIC_API_KEY=dummy
//! codex:    KEY=dummy, -c model_provider=kit
//!           -c 'model_providers.kit={name="kit",base_url="{server}/v1",wire_api="responses",env_key="KEY"}'
//! chat:     base URL {server}/v1
//! gemini:   GOOGLE_GEMINI_BASE_URL={server} GEMINI_API_KEY=dummy
//! ```
//!
//! # The script
//!
//! YAML or JSON. The first rule that fits answers; a request that offers no tools (a title, a
//! summary) or that no rule fits gets a short plain text.
//!
//! ```yaml
//! rules:
//! - name: writer                    # for the log
//!   when:                           # all of it must hold; a text or a list of texts
//!     role: test-writer             # the role's text names it
//!     criterion: AC-PY-1.1          # a user's message names it
//!     system: ["…"]                 # the system prompt holds this
//!     prompt: ["…"]                 # the user's messages hold this
//!     last: ["re-emit"]             # the newest of the user's messages holds this
//!   turns:                          # one for each response since the user's newest message
//!   - [ { say: "text" }, { write: { path: a.py, content: "…" } } ]
//!   - { edit: { path: a.py, old: "…", new: "…" } }
//!   - { run: "python3 -m pytest" }
//!   - { read: a.py }
//!   - { tool: { name: Task, with: { prompt: "…" } } }      # as it is, offered or not
//!   - { flood: 100000 }                                    # so many bytes of text
//!   - { fault: { status: 429, retry_after: 7, times: 2 } } # then what the turn holds beside it
//!   - { fault: hang }               # hang | cut | empty | endless-text
//!   - [ { say: "bye" }, { usage: { input: 9, cached: 4, output: 2 } } ]
//!   forever: { run: "true" }        # after the turns; else a short plain text
//! ```
//!
//! `{cwd}` in a text is the folder that the agent says it works in; relative paths are made
//! absolute by it. `write`, `edit`, `run` and `read` become calls of the tools that the agent offers.
//! The answer to the first request of a turn with a fault of `times: 2` is the fault, so is the
//! second, the third is the rest of the turn. This is the only thing that is remembered.
//!
//! # The log
//!
//! One JSON object a line for each request, written before the answer: see [`log`].
#![expect(clippy::disallowed_methods, reason = "it reads its script and writes its log")]

mod answer;
mod dialect;
mod log;
mod request;
mod script;
mod serve;
mod tools;

use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a server is started with.
#[derive(Clone, Debug)]
pub struct Wish<'a> {
    /// What it answers.
    pub script: &'a Path,
    /// Where each request is noted; appended to.
    pub log: Option<&'a Path>,
    /// Where the bodies of the requests are kept, one file each, keys and all.
    pub bodies: Option<PathBuf>,
    /// Any free one if 0.
    pub port: u16,
    pub until: Until,
}

/// When a server ends by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// When stdin is closed, so that it can't outlive who started it.
    StdinEnds,
    Killed,
}

/// Serves until its end; `tell` hears the URL as soon as connections are taken. `Err` says what was in the
/// way.
pub fn serve(wish: Wish<'_>, tell: &mut dyn FnMut(&str)) -> Result<(), String> {
    let named = |error: &dyn std::fmt::Display| format!("{}: {error}", wish.script.display());
    let text = std::fs::read_to_string(wish.script).map_err(|error| named(&error))?;
    let script = script::Script::read(&text).map_err(|error| named(&error))?;
    let log = log::Log::open(wish.log, wish.bodies).map_err(|error| format!("the log: {error}"))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let served = runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", wish.port)).await;
        let listener = listener.map_err(|error| error.to_string())?;
        let address = listener.local_addr().map_err(|error| error.to_string())?;
        tell(&format!("http://{address}"));
        let server = Arc::new(serve::Server::new(script, log));
        tokio::select! {
            error = serve::accept(&listener, server) => Err(error.to_string()),
            () = stdin_ends(), if wish.until == Until::StdinEnds => Ok(()),
        }
    });
    // A read of stdin can't be cancelled, and must not keep us alive.
    runtime.shutdown_background();
    served
}

async fn stdin_ends() {
    let mut stdin = tokio::io::stdin();
    let _ = tokio::io::copy(&mut stdin, &mut tokio::io::sink()).await;
}
