//! The command lines that `tdd` writes itself.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser};

use super::gate::HookArgs;
use super::{Cli, help};

/// What `tdd` starts itself as. A parser of their own reads these, because each child is started
/// through one or two of them and the whole command line takes a while to set up.
#[derive(Debug, Parser)]
#[command(name = "tdd")]
pub enum Internal {
    /// Prepare and exec a child.
    #[command(name = "__exec")]
    Exec(ExecArgs),
    /// The part of `__exec` that runs inside a sandbox.
    #[command(name = "__within")]
    Within(WithinArgs),
    /// The scripted agent.
    #[command(name = "__agent")]
    Agent(AgentArgs),
    /// The scripted model server.
    #[command(name = "__model-server")]
    ModelServer(ModelServerArgs),
    /// An agent's hook: `tdd gate hook`, which has to answer at once.
    #[command(name = "__hook")]
    Hook(HookArgs),
}

/// Who has written the command line.
#[derive(Debug)]
pub enum Line {
    Person(Box<Cli>, Reader),
    Ourselves(Internal),
    /// None of both, or a wish for help: what clap says. A word that is no command is taken for a
    /// requirement, and clap then stumbles over what follows it, so the command that it is like goes first.
    Wrong(Box<clap::Error>, Option<String>, Reader),
}

/// Who reads what is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    Person,
    /// `--json` is on the line, whether or not the line can be read.
    Program,
}

impl Reader {
    fn of(words: &[OsString]) -> Self {
        let asks = |word: &OsString| {
            let word = word.as_encoded_bytes();
            word == b"--json" || word.starts_with(b"--json=")
        };
        let mut flags = words.iter().take_while(|word| *word != "--");
        if flags.any(asks) { Self::Program } else { Self::Person }
    }
}

impl Line {
    /// An internal line that is wrong ends the process with a message.
    pub fn parse(mut words: Vec<OsString>) -> Self {
        // Without an agent it is somebody who wants to know how it is called.
        if let [_, gate, hook, agent, ..] = words.as_slice()
            && gate == "gate"
            && hook == "hook"
            && !agent.as_encoded_bytes().starts_with(b"-")
            && !words.iter().any(|word| word == "--help" || word == "-h")
        {
            words.splice(1..3, ["__hook".into()]);
        }
        let is_internal = words.get(1).is_some_and(|word| word.as_encoded_bytes().starts_with(b"__"));
        if is_internal {
            Self::Ourselves(Internal::parse_from(words))
        } else {
            let typed = words.get(1).map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
            let reader = Reader::of(&words);
            match help::parse(words) {
                Ok(cli) => Self::Person(Box::new(cli), reader),
                Err(error) => {
                    let near = like_a_command(&typed).filter(|_| error.use_stderr());
                    let near =
                        near.map(|near| format!("`{typed}` is no command; did you mean `tdd {near}`?"));
                    Self::Wrong(Box::new(error), near, reader)
                }
            }
        }
    }
}

/// The command that a word is most like, if it is like one and none itself.
pub fn like_a_command(word: &str) -> Option<String> {
    let typed = word.to_lowercase();
    let command = Cli::command();
    let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
    if names.contains(&typed.as_str()) {
        return None;
    }
    let scored = names.into_iter().map(|name| (strsim::damerau_levenshtein(&typed, name), name));
    let (distance, name) = scored.min()?;
    // One slip in a short word, two in a longer one.
    (distance <= 1 + usize::from(name.len() > 5)).then(|| name.to_owned())
}

/// Descriptor 0 is where the start, or its failure, is reported (`crates/child/src/exec.rs`).
#[derive(Clone, Debug, Args)]
pub struct ExecArgs {
    /// Where the child runs.
    #[arg(long, value_name = "DIR")]
    pub cwd: PathBuf,
    /// The process that must be this one's parent; the child dies with it.
    #[arg(long, value_name = "PID")]
    pub parent: u32,
    /// Stdout is a terminal: make it the controlling one.
    #[arg(long)]
    pub tty: bool,
    /// What the child reads; `/dev/null` if not given.
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<PathBuf>,
    /// So many words of the command line are a sandbox's, which stays around the child.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub around: usize,
    #[arg(last = true, required = true)]
    pub argv: Vec<OsString>,
}

/// The descriptors are inherited from `__exec` (`crates/child/src/exec/within.rs`).
#[derive(Clone, Debug, Args)]
pub struct WithinArgs {
    /// Where the start, or its failure, is reported.
    #[arg(long, value_name = "FD")]
    pub report: i32,
    /// Where the child's end is told.
    #[arg(long, value_name = "FD")]
    pub status: i32,
    /// What the child's stderr is.
    #[arg(long, value_name = "FD")]
    pub stderr: i32,
    #[arg(last = true, required = true)]
    pub argv: Vec<OsString>,
}

#[derive(Clone, Debug, Args)]
pub struct AgentArgs {
    #[arg(long, value_name = "FILE")]
    pub cassette: PathBuf,
    #[arg(long)]
    pub role: String,
    #[arg(long, default_value = "")]
    pub criterion: String,
    #[arg(long, default_value_t = 1)]
    pub number: u8,
    #[arg(long, value_name = "FILE")]
    pub prompt_file: PathBuf,
}

/// What they mean is told in `model_server.rs`.
#[derive(Clone, Debug, Args)]
pub struct ModelServerArgs {
    #[arg(long, value_name = "FILE")]
    pub script: PathBuf,
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    #[arg(long, value_name = "DIR")]
    pub bodies: Option<PathBuf>,
    /// Any free one if not given.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub port: u16,
    /// End when stdin is closed.
    #[arg(long)]
    pub until_stdin_ends: bool,
}
