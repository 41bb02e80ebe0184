//! A child on a pseudo-terminal.
//!
//! portable-pty opens the terminal; the child is started by our own shim, which tells why a start
//! failed and makes the terminal the controlling one. Echo and output processing are off, so the
//! child's bytes come as it wrote them, and several times faster.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use portable_pty::{MasterPty, PtySize, native_pty_system};
use rustix::fs::{Mode, OFlags};
use rustix::termios::{LocalModes, OptionalActions, OutputModes, tcgetattr, tcsetattr};

use crate::exec::Terminal;
use crate::process::{Attended, Channel, Size, SpawnOrder, StdinPlan, fresh_log};
use crate::unix;
use tdd_core::trouble::{Trouble, Why};

/// A child whose stdout, stderr and controlling terminal are a PTY.
pub type PtyChild = Attended;

/// Starts a child on a terminal of its own. Its stdin is what the order says and never the
/// terminal, which would cut lines after 4,095 bytes. Errors and obligations are those of
/// [`spawn_piped`](crate::process::spawn_piped).
pub fn spawn(order: &SpawnOrder) -> Result<PtyChild, Trouble> {
    let log = fresh_log(&order.log)?;
    let Opened { ours, theirs, .. } = open(order.size)?;
    let unchanged = pass_bytes_unchanged(&theirs);
    unchanged.map_err(|error| {
        Trouble::environment("a pseudo-terminal can't be set").because(std::io::Error::from(error))
    })?;
    Attended::read(order, channel(theirs)?, ours, log)
}

/// Starts a child for a person: its stdin is the terminal too, which does what terminals do with keys
/// and lines, until the child wants something else. Also gives our side of it, to be written to.
pub fn spawn_interactive(order: &SpawnOrder) -> Result<(PtyChild, File), Trouble> {
    let log = fresh_log(&order.log)?;
    let Opened { ours, theirs, name } = open(order.size)?;
    let failed = |error| Trouble::environment("a terminal can't be shared").because(error);
    let order = SpawnOrder { stdin: StdinPlan::File(name), ..order.clone() };
    let typed = ours.try_clone().map_err(failed)?;
    Ok((Attended::read(&order, channel(theirs)?, ours, log)?, typed))
}

fn channel(theirs: OwnedFd) -> Result<Channel, Trouble> {
    let failed = |error| Trouble::environment("a terminal can't be shared").because(error);
    Ok(Channel {
        stdout: theirs.try_clone().map_err(failed)?,
        stderr: theirs.try_clone().map_err(failed)?,
        terminal: Terminal::Controlling,
        // On macOS, what was not yet read is lost when the last one closes the terminal. On Linux
        // it is not, and a copy of ours would hide the end of the output.
        kept_open: if cfg!(target_os = "macos") { Some(theirs) } else { None },
    })
}

/// A new terminal: our side, to be read from, and the child's.
struct Opened {
    ours: File,
    theirs: OwnedFd,
    name: PathBuf,
}

fn open(size: Size) -> Result<Opened, Trouble> {
    let failed = |why: Why| {
        Trouble::environment("a pseudo-terminal can't be opened")
            .because(why)
            .advise("check that /dev/pts is mounted and that not too many terminals are open")
    };
    let size = PtySize { rows: size.rows, cols: size.cols, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).map_err(|error| failed(format!("{error:#}").into()))?;
    let ours = unix::duplicate(pair.master.as_ref(), MasterPty::as_raw_fd)
        .map_err(|error| failed(error.to_string().into()))?;
    // portable-pty does not give the descriptor of the child's side away, but its name.
    let name = pair.master.tty_name().ok_or_else(|| failed("it has no name".into()))?;
    let theirs = rustix::fs::open(&name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())
        .map_err(|error| failed(Why::of(name.display(), &error.into())))?;
    Ok(Opened { ours: File::from(ours), theirs, name })
}

fn pass_bytes_unchanged(terminal: &OwnedFd) -> rustix::io::Result<()> {
    let mut modes = tcgetattr(terminal)?;
    modes.output_modes.remove(OutputModes::OPOST);
    modes.local_modes.remove(LocalModes::ECHO | LocalModes::ECHONL);
    tcsetattr(terminal, OptionalActions::Now, &modes)
}
