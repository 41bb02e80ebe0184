//! What keeps the program from doing its work. Not here: a failed agent, failed tests, a
//! malformed block, a spent budget; those are events and reasons to halt.

use std::fmt;
use std::io;

/// Whose doing a trouble is; mapped to an exit code in one exhaustive match (`exit.rs`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TroubleKind {
    /// The command line or the requirement is not as it must be.
    User,
    /// `tdd.yaml`, a skill or an agent table is not as it must be.
    Config,
    /// A program, the disk, the repository or the network is not there or does not work.
    Environment,
    /// A limit or an outage that passes by itself: the run is paused, never ended.
    Passing,
    /// A bug of ours.
    Internal,
    /// A signal asked us to stop; the number is the signal's.
    Stopped(i32),
}

/// What the system is out of, or what of it is broken: the same advice wherever it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Obstacle {
    DiskFull,
    DiskBroken,
    FileTooLarge,
    TooManyFiles,
    TooManyProcesses,
    NoMemory,
}

impl Obstacle {
    /// By the system's own number or the kind that std makes of it, never by words.
    pub fn of(error: &io::Error) -> Option<Self> {
        // EIO, ENFILE and EMFILE have no kind of their own; their numbers are the same on every Unix.
        match (error.raw_os_error(), error.kind()) {
            (_, io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) => Some(Self::DiskFull),
            (Some(5), _) => Some(Self::DiskBroken),
            // Of this kind are also files that we do not take in.
            (Some(_), io::ErrorKind::FileTooLarge) => Some(Self::FileTooLarge),
            (Some(23 | 24), _) => Some(Self::TooManyFiles),
            // EAGAIN: nothing that troubles are made of waits for anything else.
            (Some(_), io::ErrorKind::WouldBlock) => Some(Self::TooManyProcesses),
            (_, io::ErrorKind::OutOfMemory) => Some(Self::NoMemory),
            (None, _) => Self::of(&within(error)?),
            _ => None,
        }
    }

    /// By the last words of a line, for programs that tell it in no other way.
    pub fn told_by(line: &str) -> Option<Self> {
        let ends = |words: &[&str]| words.iter().any(|end| line.trim_end().ends_with(end));
        match () {
            // The second is git's where the system wrote less than it was given.
            () if ends(&["No space left on device", "Out of diskspace", "Disk quota exceeded"]) => {
                Some(Self::DiskFull)
            }
            () if ends(&["Input/output error"]) => Some(Self::DiskBroken),
            () if ends(&["File too large"]) => Some(Self::FileTooLarge),
            () if ends(&["Too many open files", "Too many open files in system"]) => Some(Self::TooManyFiles),
            () if ends(&["Resource temporarily unavailable"]) => Some(Self::TooManyProcesses),
            () if ends(&["Cannot allocate memory"]) => Some(Self::NoMemory),
            () => None,
        }
    }

    /// Whether it is over when room is made or a limit is raised: nothing is wrong with what was asked for, so
    /// a run waits. A disk that is broken is not.
    pub fn passes(self) -> bool {
        match self {
            Self::DiskFull
            | Self::FileTooLarge
            | Self::TooManyFiles
            | Self::TooManyProcesses
            | Self::NoMemory => true,
            Self::DiskBroken => false,
        }
    }

    pub fn what(self) -> &'static str {
        match self {
            Self::DiskFull => "the disk is full",
            Self::DiskBroken => "the disk can't be read or written",
            Self::FileTooLarge => "a file may not grow further",
            Self::TooManyFiles => "too many files are open",
            Self::TooManyProcesses => "no more processes or threads can be started",
            Self::NoMemory => "there is no memory left",
        }
    }

    /// What to do before the same is tried again.
    pub fn advice(self) -> &'static str {
        match self {
            Self::DiskFull => "make room on the disk (`df -h` shows how full each is)",
            Self::DiskBroken => "look at the disk: the system's log (`dmesg`) tells what is wrong with it",
            Self::FileTooLarge => "raise the limit on the size of files (`ulimit -f unlimited`)",
            Self::TooManyFiles => "raise the limit on open files (`ulimit -n 4096`)",
            Self::TooManyProcesses => "end other programs, or raise the limit on processes (`ulimit -u`)",
            Self::NoMemory => "end other programs, or raise the limit on memory (`ulimit -v`)",
        }
    }
}

/// The system's own error in one that a library has put other words around: std writes its number.
fn within(error: &io::Error) -> Option<io::Error> {
    let words = error.to_string();
    let (_, rest) = words.split_once("(os error ")?;
    Some(io::Error::from_raw_os_error(rest.split_once(')')?.0.parse().ok()?))
}

/// A cause in words, with what the system is out of where that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    pub words: String,
    pub obstacle: Option<Obstacle>,
}

impl Why {
    /// Of an error of the system, with what it is about.
    pub fn of(what: impl fmt::Display, error: &io::Error) -> Self {
        Self { words: format!("{what}: {error}"), obstacle: Obstacle::of(error) }
    }

    #[must_use = "this returns the cause with the words before it"]
    pub fn after(self, before: impl fmt::Display) -> Self {
        Self { words: format!("{before}{}", self.words), ..self }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

impl From<io::Error> for Why {
    fn from(error: io::Error) -> Self {
        Self::from(&error)
    }
}

impl From<&io::Error> for Why {
    fn from(error: &io::Error) -> Self {
        Self { words: error.to_string(), obstacle: Obstacle::of(error) }
    }
}

impl From<&String> for Why {
    fn from(words: &String) -> Self {
        words.clone().into()
    }
}

impl From<String> for Why {
    fn from(words: String) -> Self {
        Self { words, obstacle: None }
    }
}

impl From<&str> for Why {
    fn from(words: &str) -> Self {
        words.to_owned().into()
    }
}

/// The command that goes on once the cause of a trouble is mended. Who meets a trouble need not know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Then {
    /// The one that was given: nobody has said another.
    Again,
    /// This one, with what was done until now.
    GoOn(Box<str>),
    /// This one, from the beginning: there is nothing to go on with.
    Anew(Box<str>),
}

impl fmt::Display for Then {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Again => f.write_str("do the same again"),
            Self::GoOn(command) => write!(f, "`{command}` goes on"),
            Self::Anew(command) => write!(f, "`{command}` starts it anew"),
        }
    }
}

/// The way to a setting from the top of its file: `roles.fixer.agent`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingPath(pub String);

/// An error that a person reads: what happened, why, what to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    pub kind: TroubleKind,
    /// One sentence without a full stop: `no requirement STE-9`.
    pub what: String,
    /// The cause, as far as it is known; may be empty.
    pub why: String,
    /// What the person can do; lines; may hold a filled-in suggestion.
    pub next: String,
    /// What follows when that is done, where a command of ours does.
    pub then: Option<Then>,
    /// What the system is out of, if that is the cause.
    pub obstacle: Option<Obstacle>,
    /// The way to the setting that it is about (`roles.fixer.agent`), until its place is told.
    pub setting: Option<Box<SettingPath>>,
}

impl Trouble {
    pub fn new(kind: TroubleKind, what: impl Into<String>) -> Self {
        let (why, next) = (String::new(), String::new());
        Self { kind, what: what.into(), why, next, then: None, obstacle: None, setting: None }
    }

    pub fn user(what: impl Into<String>) -> Self {
        Self::new(TroubleKind::User, what)
    }

    pub fn config(what: impl Into<String>) -> Self {
        Self::new(TroubleKind::Config, what)
    }

    pub fn environment(what: impl Into<String>) -> Self {
        Self::new(TroubleKind::Environment, what)
    }

    pub fn passing(what: impl Into<String>) -> Self {
        Self::new(TroubleKind::Passing, what)
    }

    pub fn internal(what: impl Into<String>) -> Self {
        Self::new(TroubleKind::Internal, what)
    }

    pub fn stopped(signal: i32) -> Self {
        Self::new(TroubleKind::Stopped(signal), format!("stopped by signal {signal}"))
    }

    /// The same trouble in other words: with its secrets masked, say.
    #[must_use = "this returns the trouble in other words"]
    pub fn map_words(self, words: &dyn Fn(&str) -> String) -> Self {
        let Self { kind, what, why, next, then, obstacle, setting } = self;
        let then = then.map(|then| match then {
            Then::Again => Then::Again,
            Then::GoOn(command) => Then::GoOn(words(&command).into()),
            Then::Anew(command) => Then::Anew(words(&command).into()),
        });
        Self { kind, what: words(&what), why: words(&why), next: words(&next), then, obstacle, setting }
    }

    /// With the way to the setting that it is about.
    #[must_use = "this returns the trouble with the setting that it is about"]
    pub fn of_setting(self, at: String) -> Self {
        Self { setting: Some(Box::new(SettingPath(at))), ..self }
    }

    /// With the file that holds the setting which it is about, and the line where `line_of` finds it.
    #[must_use = "this returns the trouble with its place"]
    pub fn in_file(mut self, name: &str, line_of: impl FnOnce(&str) -> Option<u32>) -> Self {
        if let Some(setting) = self.setting.take() {
            let line = line_of(&setting.0).map_or(String::new(), |line| format!(":{line}"));
            self.what = format!("{name}{line}: {}", self.what);
        }
        self
    }

    #[must_use = "this returns the trouble with its cause added"]
    pub fn because(mut self, why: impl Into<Why>) -> Self {
        let Why { words, obstacle } = why.into();
        self.why = words;
        match obstacle {
            Some(obstacle) => self.for_want_of(obstacle),
            None => self,
        }
    }

    /// The same trouble, told as what the system is out of. That is what has to be mended, so advice on
    /// anything else is left out.
    #[must_use = "this returns the trouble told so"]
    pub fn for_want_of(mut self, obstacle: Obstacle) -> Self {
        if self.obstacle.is_none() {
            self.what = format!("{}: {}", obstacle.what(), self.what);
        }
        self.obstacle = Some(obstacle);
        let next = std::mem::take(&mut self.next);
        self.mend(next)
    }

    /// With the command that goes on, where there is something to be done first and nobody has named one yet.
    /// What the system is out of keeps nobody from going on with a run that is in its journal, and what passes
    /// is no fault of the set-up.
    #[must_use = "this returns the trouble with the command that goes on"]
    pub fn then(self, then: Then) -> Self {
        let passes = self.obstacle.is_some_and(Obstacle::passes) && matches!(then, Then::GoOn(_));
        let kind = if passes { TroubleKind::Passing } else { self.kind };
        let then = self.then.map(|named| if named == Then::Again { then } else { named });
        Self { kind, then, ..self }
    }

    /// All that there is to do.
    #[must_use = "this returns the trouble with its advice added"]
    pub fn advise(self, next: impl Into<String>) -> Self {
        let then = self.obstacle.map(|_| Then::Again);
        Self { then, ..self.told_to(next.into()) }
    }

    /// What there is to do before the same command, or the one that goes on, finds the cause gone.
    #[must_use = "this returns the trouble with its advice added"]
    pub fn mend(self, next: impl Into<String>) -> Self {
        Self { then: Some(Then::Again), ..self.told_to(next.into()) }
    }

    fn told_to(self, next: String) -> Self {
        let next = match self.obstacle {
            None => next,
            Some(obstacle) if next.starts_with(UNCHANGED) => format!("{UNCHANGED}; {}", obstacle.advice()),
            Some(obstacle) => obstacle.advice().to_owned(),
        };
        Self { next, ..self }
    }

    /// What to do next, as a person reads it.
    pub fn advice(&self) -> String {
        match &self.then {
            None => self.next.clone(),
            Some(then) if self.next.is_empty() => then.to_string(),
            Some(then) => format!("{}; then {then}", self.next),
        }
    }
}

/// What an advice begins with where that is so.
const UNCHANGED: &str = "nothing was changed";

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if !self.why.is_empty() {
            write!(f, "\n  why: {}", self.why.replace('\n', "\n       "))?;
        }
        let advice = self.advice();
        if !advice.is_empty() {
            write!(f, "\n  next: {}", advice.replace('\n', "\n        "))?;
        }
        Ok(())
    }
}

impl std::error::Error for Trouble {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_is_out_of_is_told_wherever_it_shows() {
        let error = |number: i32| io::Error::from_raw_os_error(number);
        for (number, obstacle, git) in [
            (28, Obstacle::DiskFull, "fatal: unable to write: No space left on device"),
            (122, Obstacle::DiskFull, "error: x: Disk quota exceeded"),
            (5, Obstacle::DiskBroken, "fatal: read error: Input/output error"),
            (27, Obstacle::FileTooLarge, "fatal: write error: File too large"),
            (24, Obstacle::TooManyFiles, "error: open('a'): Too many open files"),
            (23, Obstacle::TooManyFiles, "error: pipe: Too many open files in system"),
            (11, Obstacle::TooManyProcesses, "error: cannot fork: Resource temporarily unavailable"),
            (12, Obstacle::NoMemory, "fatal: mmap failed: Cannot allocate memory"),
        ] {
            assert_eq!(Obstacle::of(&error(number)), Some(obstacle), "{number}");
            assert_eq!(Obstacle::told_by(git), Some(obstacle), "{git}");
            let trouble = Trouble::environment("it broke").advise("mend it").because(error(number));
            assert_eq!(trouble, Trouble::environment("it broke").because(error(number)).advise("mend it"));
            assert_eq!(trouble.obstacle, Some(obstacle));
            assert_eq!(trouble.what, format!("{}: it broke", obstacle.what()));
            assert_eq!(trouble.advice(), format!("{}; then do the same again", obstacle.advice()));
        }
        let ours = io::Error::new(io::ErrorKind::FileTooLarge, "it is larger than 64 bytes");
        assert_eq!(Obstacle::of(&ours), None, "nothing that a limit has to do with");
        for number in [2, 13, 17, 32] {
            assert_eq!(Obstacle::of(&error(number)), None, "{number}");
        }
        for words in ["", "No space left on device is what it says of x", "error: x: Permission denied"] {
            assert_eq!(Obstacle::told_by(words), None, "{words}");
        }
        let unchanged = Trouble::user("it").because(error(24)).advise("nothing was changed; look at it");
        assert!(unchanged.next.starts_with("nothing was changed; raise the limit"), "{unchanged}");
        let resume = || Then::GoOn("tdd resume R".into());
        let again = Trouble::environment("it").because(Why::of("a/b", &error(28))).then(resume());
        assert_eq!((again.kind, again.why.starts_with("a/b: ")), (TroubleKind::Passing, true));
        assert!(again.to_string().ends_with("; then `tdd resume R` goes on"), "{again}");
        for number in [5, 11, 12, 23, 24, 27, 28] {
            let trouble = Trouble::environment("it").because(error(number));
            let resumable = trouble.clone().then(resume());
            let kind = if number == 5 { trouble.kind } else { TroubleKind::Passing };
            let names_it = resumable.advice().contains("`tdd resume R`");
            assert_eq!((resumable.kind, names_it), (kind, true), "{number}");
        }
    }

    #[test]
    fn the_command_that_goes_on_is_named_where_there_is_something_to_mend_first() {
        let mend = || Trouble::environment("it").because("so").mend("see that it can be read");
        for (then, want) in [
            (None, "see that it can be read; then do the same again"),
            (Some(Then::GoOn("tdd fix".into())), "see that it can be read; then `tdd fix` goes on"),
            (Some(Then::Anew("tdd X-1".into())), "see that it can be read; then `tdd X-1` starts it anew"),
        ] {
            let trouble = match then {
                Some(then) => mend().then(then),
                None => mend(),
            };
            assert_eq!(trouble.advice(), want);
            assert!(trouble.to_string().ends_with(want), "{trouble}");
        }
        let named = mend().then(Then::Anew("tdd X-1".into()));
        assert_eq!(named.clone().then(Then::GoOn("tdd resume R".into())), named);
        let plain = Trouble::environment("it").because("so").advise("begin anew");
        assert_eq!(plain.clone().then(Then::GoOn("tdd resume R".into())), plain);
        let secret = mend().then(Then::GoOn("tdd fix --task hunter2".into()));
        let masked = secret.map_words(&|text| text.chars().filter(|c| !c.is_ascii_digit()).collect());
        assert_eq!(masked.then, Some(Then::GoOn("tdd fix --task hunter".into())));
    }

    #[test]
    fn a_trouble_says_what_why_and_what_next() {
        for (trouble, kind) in [
            (Trouble::user("it"), TroubleKind::User),
            (Trouble::config("it"), TroubleKind::Config),
            (Trouble::environment("it"), TroubleKind::Environment),
            (Trouble::passing("it"), TroubleKind::Passing),
            (Trouble::internal("it"), TroubleKind::Internal),
        ] {
            assert_eq!((trouble.kind, trouble.to_string().as_str()), (kind, "it"));
        }
        let stopped = Trouble::stopped(15);
        assert_eq!((stopped.kind, stopped.what.as_str()), (TroubleKind::Stopped(15), "stopped by signal 15"));
        let whole = Trouble::user("it broke").because("a\nb").advise("mend it\nrun it");
        assert_eq!(whole.to_string(), "it broke\n  why: a\n       b\n  next: mend it\n        run it",);
        assert_eq!(Trouble::user("a").advise("b").to_string(), "a\n  next: b");
    }
}
