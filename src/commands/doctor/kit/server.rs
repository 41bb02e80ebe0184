//! The scripted model server: a program of its own, which lives as long as the kit.
#![expect(clippy::disallowed_methods, reason = "starts the server and reads what it notes")]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

use serde_json::Value;

use tdd_child::regular_file;
use tdd_core::trouble::{Trouble, Why};

/// The server while it runs. It ends with us, however we end: when its stdin is closed.
pub(super) struct ModelServer {
    child: Child,
    _stdin: Option<ChildStdin>,
    /// Its base URL.
    pub(super) url: String,
    log: PathBuf,
}

/// How a server is started: `--model-server`, else this program as one.
pub(super) struct Program {
    program: PathBuf,
    words: &'static [&'static str],
}

impl Program {
    pub(super) fn chosen(named: Option<&Path>, tdd: &Path) -> Self {
        match named {
            Some(named) => Self { program: named.to_owned(), words: &[] },
            None => Self { program: tdd.to_owned(), words: &["__model-server"] },
        }
    }
}

impl ModelServer {
    pub(super) fn start(program: &Program, folder: &Path, script: &Value) -> Result<Self, Trouble> {
        let Program { program, words } = program;
        let failed = |why: Why| {
            Trouble::environment(format!("the model server {} does not start", program.display()))
                .because(why)
                .advise(
                    "it stands in for the model, on a port of 127.0.0.1; see whether this machine has that",
                )
        };
        let (file, log) = (folder.join("script.json"), folder.join("requests.jsonl"));
        std::fs::write(&file, script.to_string()).map_err(|error| failed(error.into()))?;
        let mut command = Command::new(program);
        command.args(*words).arg("--script").arg(&file).arg("--log").arg(&log).arg("--until-stdin-ends");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| failed(error.into()))?;
        let mut line = String::new();
        let read = child.stdout.take().map(|stdout| BufReader::new(stdout).read_line(&mut line));
        let url = line.trim().strip_prefix("listening on ").map(str::to_owned);
        let stdin = child.stdin.take();
        let server = Self { child, _stdin: stdin, url: url.clone().unwrap_or_default(), log };
        match (read, url) {
            (Some(Ok(_)), Some(_)) => Ok(server),
            (_, _) => Err(failed(format!("it said: {}", line.trim()).into())),
        }
    }

    /// What the agent asked in the trial of this name, in order.
    pub(super) fn asked(&self, trial: &str) -> Vec<Value> {
        let mut entries = self.requests();
        entries.retain(|entry| entry["rule"] == trial);
        entries
    }

    pub(super) fn requests(&self) -> Vec<Value> {
        let text = regular_file::read_to_string(&self.log).unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
