//! The cassette of the scripted agent: what it does for each call.
//!
//! ```text
//! cassette = [ entry, … ]                     the first entry that fits a call is it
//! entry:
//!   role:      test-writer | implementer | refactorer | fixer
//!   criterion: AC-DEMO-1.1                    optional: any
//!   number:    2                              optional: any attempt
//!   takes:     1500ms                         how long it takes, if replays keep to that
//!   prompt_has, prompt_lacks: [text, …]       else the agent complains and exits with 65
//!   delete:    [path, …]                      then, in this order, below the folder it runs in:
//!   write:     {path: content}                folders are made
//!   write_bytes: {path: base64}
//!   append:    {path: content}
//!   link:      {path: target}                 symbolic links
//!   chmod:     {path: "0644"}
//!   run:       [program, argument, …] | [[program, …], …]
//!   print:     text                           before the final message
//!   usage:     {input, cached, output, usd} | [{…}, …]     then what each call of its model used
//!   turns:     3                              and so many responses that called tools, at most 1000
//!   say:       {status, files, command, output_excerpt, notes, tests, supersedes, dispute, role}
//!   raw:       text                           instead of `say`: the final message as it is
//!   misbehave: one of the words of [`Misbehaviour`]
//! ```
//!
//! A path that is no UTF-8 is written as `base64:` and its bytes.
//!
//! In `say` only `status` is needed; what is left out gets a plain value, so that a cassette
//! stays short.

use std::collections::BTreeMap;

use serde_yaml::Value;

use tdd_core::criterion::CriterionId;
use tdd_core::role::Role;
use tdd_core::trouble::Trouble;
use tdd_core::usage::Usage;

mod read;
pub mod say;
pub mod write;

pub use say::Say;

/// How a path or target begins that is no UTF-8.
pub const BASE64_PATH: &str = "base64:";
/// The most turns of one entry.
const MOST_TURNS: u32 = 1000;

/// All entries, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Cassette {
    pub entries: Vec<Entry>,
}

/// What the agent does in one call.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub role: Role,
    pub criterion: Option<CriterionId>,
    pub number: Option<u8>,
    /// Milliseconds.
    pub takes_ms: Option<u64>,
    pub prompt_has: Vec<String>,
    pub prompt_lacks: Vec<String>,
    pub actions: Vec<Action>,
    pub print: Option<String>,
    pub usage: Vec<Usage>,
    pub turns: u32,
    pub last: LastMessage,
    pub misbehave: Misbehaviour,
}

/// One thing that it does to its folder. Paths are relative to it, as they were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    Delete(String),
    Write(String, String),
    WriteBytes(String, Vec<u8>),
    Append(String, String),
    Link(String, String),
    Chmod(String, u32),
    Run(Vec<String>),
}

/// The end of what it prints.
#[derive(Clone, Debug, PartialEq)]
pub enum LastMessage {
    Nothing,
    Say(Box<Say>),
    Raw(String),
}

/// How it fails to be a good child.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misbehaviour {
    None,
    /// Says what it would say, without a block.
    NoBlock,
    TwoBlocks,
    /// The block does not end.
    UnclosedBlock,
    WrongRole,
    /// Prints `print:` and then waits for ever.
    Hang,
    /// Prints for ever.
    Flood,
    /// Waits for ever, and neither SIGINT nor SIGTERM ends it.
    IgnoreTerm,
    /// Leaves a process in a session of its own that holds the output open.
    Daemon,
    /// Changes this file, and says nothing of it.
    TouchTest(String),
    /// Says all, then exits with this code.
    Exit(u8),
    /// Invalid UTF-8, NULs and escape codes before a valid message.
    Garbage,
    /// Ends by a signal before its final message.
    Crash,
    /// Does its actions and prints nothing at all.
    Silence,
}

impl Cassette {
    /// Reads a cassette; every key is known, and the trouble names the entry, from 1.
    pub fn read(text: &str) -> Result<Self, Trouble> {
        let yaml: Value = serde_yaml::from_str(text).map_err(|error| {
            Trouble::config("the cassette is no YAML").because(error.to_string()).advise("mend that line")
        })?;
        read::cassette(&yaml)
    }

    /// The first entry for this call.
    pub fn find(&self, role: Role, criterion: Option<&CriterionId>, number: u8) -> Option<&Entry> {
        self.entries.iter().find(|entry| {
            entry.role == role
                && entry.number.is_none_or(|wanted| wanted == number)
                && entry.criterion.as_ref().is_none_or(|wanted| Some(wanted) == criterion)
        })
    }
}

impl Entry {
    /// The final message with its misbehaviour, if it comes to one.
    pub fn message(&self) -> Option<String> {
        let good = match &self.last {
            LastMessage::Nothing => return None,
            LastMessage::Raw(text) => return Some(text.clone()),
            LastMessage::Say(say) => say,
        };
        match &self.misbehave {
            Misbehaviour::NoBlock => Some("I am done, and all is well.\n".to_owned()),
            Misbehaviour::TwoBlocks => Some(format!("{}\n{}", good.render(), good.render())),
            Misbehaviour::UnclosedBlock => {
                let block = good.render();
                Some(block.trim_end().trim_end_matches(['`', '~']).to_owned())
            }
            Misbehaviour::WrongRole => {
                let other = Role::KNOWN.into_iter().find(|role| *role != self.role).unwrap_or(self.role);
                Some(Say { role: other, ..(**good).clone() }.render())
            }
            Misbehaviour::None
            | Misbehaviour::Daemon
            | Misbehaviour::TouchTest(_)
            | Misbehaviour::Exit(_)
            | Misbehaviour::Garbage
            | Misbehaviour::Hang
            | Misbehaviour::Flood
            | Misbehaviour::IgnoreTerm
            | Misbehaviour::Crash
            | Misbehaviour::Silence => Some(good.render()),
        }
    }
}

/// A map from criteria to ids, in the order of the cassette.
pub type ByCriterion = BTreeMap<String, Vec<String>>;

#[cfg(test)]
mod tests;
