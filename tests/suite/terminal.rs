//! A terminal for the real binary: a PTY with an emulator behind it, and a person's fingers.

use std::io::{Read, Write};
use std::num::NonZero;
use std::os::fd::OwnedFd;
use std::process::{Child, Command};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{MasterPty, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::{Termios, tcgetattr};

use super::sandbox::Sandbox;

const LONG: Duration = Duration::from_mins(1);
/// Stands on the screen when all that came before is there.
const END: &str = "(the end)";

pub struct Terminal {
    master: Box<dyn MasterPty + Send>,
    keyboard: Box<dyn Write + Send>,
    child: Child,
    shown: Arc<(Mutex<vt100::Parser>, Condvar)>,
    before: Modes,
    /// The program's side. Keeps the terminal after the end of the session.
    theirs: OwnedFd,
}

/// What `stty -a` shows.
type Modes = (u32, u32, u32, u32);

fn modes(termios: &Termios) -> Modes {
    (
        termios.input_modes.bits(),
        termios.output_modes.bits(),
        termios.control_modes.bits(),
        termios.local_modes.bits(),
    )
}

impl Terminal {
    /// Starts `tdd` with these arguments, in the foreground of a terminal of its own.
    pub fn tdd(sandbox: &Sandbox, args: &[&str]) -> Self {
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
        command.args(args).env("TERM", "xterm-256color");
        Self::start(&command)
    }

    /// The same for a command.
    ///
    /// `setsid` stays between us and it: a child of ours in a session of its own would look like an
    /// orphan to the tests of this process that sweep.
    pub fn start(inner: &Command) -> Self {
        Self::of_size(inner, 24, 100)
    }

    pub fn of_size(inner: &Command, rows: u16, cols: u16) -> Self {
        let pair = native_pty_system().openpty(size(rows, cols)).unwrap();
        let side = std::fs::OpenOptions::new().read(true).write(true).open(pair.master.tty_name().unwrap());
        let theirs = OwnedFd::from(side.unwrap());
        let before = modes(&tcgetattr(&theirs).unwrap());
        let side = || theirs.try_clone().unwrap();
        let mut command = Command::new("setsid");
        command.args(["--fork", "--wait", "--ctty"]).arg(inner.get_program()).args(inner.get_args());
        command.current_dir(inner.get_current_dir().unwrap()).env_clear();
        command.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.stdin(side()).stdout(side()).stderr(side());
        let child = command.spawn().unwrap();
        let shown = Arc::new((Mutex::new(vt100::Parser::new(cells(rows), cells(cols), 0)), Condvar::new()));
        let mut reader = pair.master.try_clone_reader().unwrap();
        let screen = Arc::clone(&shown);
        std::thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut chunk) {
                // A test that failed while it looked has said what it saw.
                let Ok(mut parser) = screen.0.lock() else { break };
                parser.process(&chunk[..count]);
                drop(parser);
                screen.1.notify_all();
            }
        });
        let keyboard = pair.master.take_writer().unwrap();
        Self { master: pair.master, keyboard, child, shown, before, theirs }
    }

    pub fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
        self.keyboard.flush().unwrap();
    }

    /// Waits until the screen is so.
    #[track_caller]
    pub fn wait(&self, what: &str, is_so: impl Fn(&vt100::Screen) -> bool) {
        let end = Instant::now() + LONG;
        let mut parser = self.shown.0.lock().unwrap();
        while !is_so(parser.screen()) {
            assert!(Instant::now() < end, "never {what}:\n{}", parser.screen().contents());
            parser = self.shown.1.wait_timeout(parser, Duration::from_millis(200)).unwrap().0;
        }
    }

    #[track_caller]
    pub fn wait_for(&self, words: &str) {
        self.wait(words, |screen| screen.contents().contains(words));
    }

    pub fn shows(&self, words: &str) -> bool {
        self.contents().contains(words)
    }

    fn contents(&self) -> String {
        self.shown.0.lock().unwrap().screen().contents()
    }

    /// Tells the program of another size, and takes it only when the screen is so: what was drawn for the old
    /// size and is still under way would be broken anywhere.
    #[track_caller]
    pub fn resize_when(&self, (rows, cols): (u16, u16), is_so: impl Fn(&vt100::Screen) -> bool) {
        self.master.resize(size(rows, cols)).unwrap();
        self.wait("drawn for the new size", is_so);
        self.shown.0.lock().unwrap().screen_mut().set_size(cells(rows), cells(cols));
    }

    pub fn resize(&self, rows: u16, cols: u16) {
        self.shown.0.lock().unwrap().screen_mut().set_size(cells(rows), cells(cols));
        self.master.resize(size(rows, cols)).unwrap();
    }

    /// To `tdd` itself.
    pub fn signal(&self, signal: Signal) {
        kill_process(self.pid().unwrap(), signal).unwrap();
    }

    /// SIGKILL for the program that a shell on this terminal has started.
    pub fn kill_child(&self) {
        let child = child_of(self.pid().unwrap().as_raw_nonzero().get().cast_unsigned()).unwrap();
        kill_process(child, Signal::KILL).unwrap();
    }

    pub fn is_on_the_other_screen(&self) -> bool {
        self.shown.0.lock().unwrap().screen().alternate_screen()
    }

    /// Whether the terminal is raw now.
    pub fn is_raw(&self) -> bool {
        self.modes() != self.before
    }

    fn modes(&self) -> Modes {
        modes(&tcgetattr(&self.theirs).unwrap())
    }

    /// `tdd` itself, as long as it lives.
    fn pid(&self) -> Option<Pid> {
        child_of(self.child.id())
    }

    /// Waits for the end: the exit code, and the last screen.
    #[track_caller]
    pub fn end(mut self) -> (i32, String) {
        let end = Instant::now() + LONG;
        let code = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status.code().unwrap();
            }
            assert!(Instant::now() < end, "it does not end:\n{}", self.contents());
            std::thread::sleep(Duration::from_millis(10));
        };
        assert_eq!(self.modes(), self.before, "the terminal's modes are as before");
        rustix::io::write(&self.theirs, format!("\r\n{END}").as_bytes()).unwrap();
        self.wait_for(END);
        let parser = self.shown.0.lock().unwrap();
        let screen = parser.screen();
        let left = [
            ("the other screen", screen.alternate_screen()),
            ("no cursor", screen.hide_cursor()),
            ("marked pastes", screen.bracketed_paste()),
            ("another keypad", screen.application_keypad()),
            ("a reported mouse", screen.mouse_protocol_mode() != vt100::MouseProtocolMode::None),
        ];
        let left: Vec<_> = left.into_iter().filter(|(_, is_so)| *is_so).map(|(what, _)| what).collect();
        assert!(left.is_empty(), "left on the terminal: {left:?}\n{}", screen.contents());
        (code, screen.contents())
    }
}

impl Drop for Terminal {
    /// For a test that fails: nobody would end what still runs.
    fn drop(&mut self) {
        if let Some(pid) = self.pid() {
            let _ = kill_process(pid, Signal::TERM);
            let _ = self.child.wait();
        }
    }
}

fn child_of(pid: u32) -> Option<Pid> {
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).ok()?;
    children.split_whitespace().next()?.parse().ok().and_then(Pid::from_raw)
}

fn size(rows: u16, cols: u16) -> PtySize {
    PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }
}

fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).unwrap()
}
