//! A started child with all that is needed to attend it: the same for terminal, pipe and file.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::process::Signal;

use super::SpawnOrder;
use super::leader::{Leader, Streams};
use super::reading::Reading;
use crate::exec::Terminal;
use crate::session::{Child, Happening};
use tdd_core::trouble::Trouble;

/// How often the size of a file is looked at that a child writes by itself.
const LOOK: Duration = Duration::from_millis(100);

/// A child that was started by us, on a terminal, a pipe or a file.
#[derive(Debug)]
pub struct Attended {
    // Dropped first: the reader waits for the end of the output.
    leader: Leader,
    output: Output,
    /// Where the end of a terminal loses what was not yet read, one side is kept open meanwhile.
    kept_open: Option<OwnedFd>,
}

#[derive(Debug)]
enum Output {
    Read(Reading),
    Written(Written),
}

/// Files that the child writes by itself.
#[derive(Debug)]
struct Written {
    files: Vec<File>,
    state: FileState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileState {
    Open,
    /// The leader has ended: the size is told once more, then the end.
    LastLook,
    Closing,
    Ended,
}

/// What a child's output goes through.
pub struct Channel {
    pub stdout: OwnedFd,
    pub stderr: OwnedFd,
    pub terminal: Terminal,
    pub kept_open: Option<OwnedFd>,
}

impl Attended {
    /// The leader's process id, which is also that of its group and session. For a journal that
    /// wants to find it again after a crash.
    pub fn pid(&self) -> i32 {
        self.leader.pid()
    }

    /// A child whose output is read by us from `source` and copied to `log`.
    pub fn read(order: &SpawnOrder, channel: Channel, source: File, log: File) -> Result<Self, Trouble> {
        let (leader, kept_open) = start(order, channel)?;
        let reading = Reading::start(source, log)
            .map_err(|error| Trouble::environment("a child's output can't be read").because(error))?;
        Ok(Self { leader, output: Output::Read(reading), kept_open })
    }

    /// A child that writes to `files` by itself.
    pub(super) fn written(order: &SpawnOrder, channel: Channel, files: Vec<File>) -> Result<Self, Trouble> {
        let (leader, kept_open) = start(order, channel)?;
        let written = Written { files, state: FileState::Open };
        Ok(Self { leader, output: Output::Written(written), kept_open })
    }
}

fn start(order: &SpawnOrder, channel: Channel) -> Result<(Leader, Option<OwnedFd>), Trouble> {
    let streams = Streams { stdout: channel.stdout, stderr: channel.stderr, terminal: channel.terminal };
    Ok((Leader::start(order, &streams)?, channel.kept_open))
}

impl Child for Attended {
    async fn next(&mut self) -> Happening {
        let Self { leader, output, .. } = self;
        tokio::select! {
            exit = leader.exited() => {
                output.leader_ended();
                Happening::Exited(exit)
            }
            happening = output.next() => happening,
        }
    }

    fn interrupt(&mut self) {
        self.leader.signal(Signal::INT);
    }

    fn terminate(&mut self) {
        self.leader.signal(Signal::TERM);
        self.leader.signal(Signal::CONT);
    }

    fn kill(&mut self) {
        self.leader.signal(Signal::KILL);
    }

    fn sweep(&mut self) -> usize {
        let leaked = self.leader.sweep();
        self.kept_open = None;
        leaked
    }
}

impl Output {
    async fn next(&mut self) -> Happening {
        match self {
            Self::Read(reading) => reading.next().await,
            Self::Written(written) => written.next().await,
        }
    }

    fn leader_ended(&mut self) {
        match self {
            Self::Read(_) => {}
            Self::Written(written) => written.state = FileState::LastLook,
        }
    }
}

impl Written {
    async fn next(&mut self) -> Happening {
        match self.state {
            FileState::Open => {
                tokio::time::sleep(LOOK).await;
                Happening::Written(self.size())
            }
            FileState::LastLook => {
                self.state = FileState::Closing;
                Happening::Written(self.size())
            }
            FileState::Closing => {
                self.state = FileState::Ended;
                Happening::OutputEnded
            }
            FileState::Ended => std::future::pending().await,
        }
    }

    fn size(&self) -> u64 {
        let sizes = self.files.iter().map(|file| file.metadata().map(|data| data.len()));
        sizes.filter_map(io::Result::ok).sum()
    }
}
