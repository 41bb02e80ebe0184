//! One verification: the commands that it takes, one after the other, and what they leave.

mod chosen;
mod log;

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

pub(super) use self::chosen::Chosen;
use self::log::{copy_lines, excerpt, read_tail};
pub(super) use self::log::{disk, last_number, read_capped};
use super::environment::{self, Lent};
use super::place::PYTHON_PATH;
use super::temp_pool::{Folder, Rest, TempPool};
use tdd_child::free_space;
use tdd_child::process::{self, CommandOrder, Ended, Finished};
use tdd_child::regular_file;
use tdd_child::sandbox::Sandbox;
use tdd_child::signals::StopSignal;
use tdd_core::audience::News;
use tdd_core::ports::Observer;
use tdd_core::test::{Canary, Copies, Exit, TestReport, TestResult, TestRun};
use tdd_core::trouble::{Trouble, Why};

/// Letters and digits at the end of the private folder's name.
const RANDOM: usize = 12;

/// Bytes at the end of one command's log that are looked at.
const END_BYTES: u64 = 1024 * 1024;

/// What one verification may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// For all of its commands together, less those that only build.
    pub(super) deadline: Duration,
    /// For those that only build.
    pub(super) build_deadline: Duration,
    /// Bytes that one command may print.
    pub(super) output_cap: u64,
}

/// One command of a verification.
#[derive(Clone, Debug, Default)]
pub(super) struct Step {
    pub(super) argv: Vec<OsString>,
    pub(super) cwd: PathBuf,
    pub(super) env: Vec<(OsString, Option<OsString>)>,
    /// Where stdout goes, if it is to be read; it comes into the log after the command ended.
    pub(super) stdout: Option<PathBuf>,
}

/// What an adapter found.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    pub(super) exit: Exit,
    pub(super) report: Option<TestReport>,
    pub(super) unreadable: Option<String>,
    pub(super) fail_code: i32,
}

/// What became of each copy of a judged test, in their plan's order.
pub(super) type Heard = Vec<Vec<TestResult>>;

/// Runs the steps of one verification and gathers its log.
pub(super) struct Verification {
    label: String,
    /// An empty private folder for this verification: reports and the parts of the log.
    folder: Folder,
    log: PathBuf,
    parts: Vec<PathBuf>,
    commands: Vec<String>,
    left: Duration,
    build_left: Duration,
    output_cap: u64,
    spent_ms: u64,
    build_ms: u64,
    canary: Canary,
    copies: Copies,
    /// What was heard of planted copies, until it is weighed.
    heard: Option<Heard>,
    /// A line of the log that holds one of these is of the canary alone, and no business of anybody's.
    hidden: Vec<String>,
    /// The commands' own temporary files: gone with all that they left there.
    temp: Option<Folder>,
    /// The work tree, and the root of the tree that commands run in: the same, or a copy of it.
    home: PathBuf,
    tree: PathBuf,
    /// Which environment a launcher takes in the work tree.
    chosen: Chosen,
    /// `PYTHONPATH` of every command, where it is another than ours.
    python_path: Option<OsString>,
    stop: StopSignal,
    /// The run's folder for all verifications: the only one of ours that a command may write to.
    work: PathBuf,
    fenced: Option<Sandbox>,
    /// In a checkout, what of the work tree is seen.
    seen: Option<Vec<PathBuf>>,
    /// What outlives a command is noted here.
    ended: Ended,
}

impl Verification {
    /// `work` holds the logs; the verification is the `number`th.
    pub(super) fn new(
        (work, pool): (&Path, &TempPool),
        number: u32,
        label: &str,
        bounds: Bounds,
        stop: &StopSignal,
    ) -> Result<Self, Trouble> {
        let slug: String = label
            .chars()
            .take(60)
            .map(|character| if character.is_ascii_alphanumeric() { character } else { '-' })
            .collect();
        let name = format!("{number:03}-{slug}");
        std::fs::create_dir_all(work).map_err(|error| disk(work, &error))?;
        // A name that nobody can know before, and that does not tell which stage it is of: a report can't be
        // put there in advance, and tests that read it learn nothing.
        let folder = pool.folder(work, "v", RANDOM, Rest::Stays);
        let folder = folder.map_err(|error| disk(work, &error))?;
        Ok(Self {
            label: label.to_owned(),
            log: work.join(format!("{name}.log")),
            folder,
            parts: Vec::new(),
            commands: Vec::new(),
            left: bounds.deadline,
            build_left: bounds.build_deadline,
            output_cap: bounds.output_cap,
            spent_ms: 0,
            build_ms: 0,
            canary: Canary::NotAsked,
            copies: Copies::default(),
            heard: None,
            hidden: Vec::new(),
            temp: None,
            home: PathBuf::new(),
            tree: PathBuf::new(),
            chosen: Chosen::default(),
            python_path: None,
            stop: stop.clone(),
            work: work.to_owned(),
            fenced: None,
            seen: None,
            ended: Ended::default(),
        })
    }

    /// From now on the commands' `TMPDIR` is this folder, which goes with the verification.
    pub(super) fn use_temp(&mut self, folder: Folder) {
        self.temp = Some(folder);
    }

    /// From now on commands find modules of Python here first, and know what is a copy of this tree.
    pub(super) fn lead_python(&mut self, path: Option<OsString>, home: &Path, tree: &Path) {
        self.python_path = path;
        home.clone_into(&mut self.home);
        tree.clone_into(&mut self.tree);
    }

    /// Every command is started inside this sandbox.
    pub(super) fn fenced_by(mut self, sandbox: Option<Sandbox>, seen: Option<Vec<PathBuf>>) -> Self {
        self.fenced = sandbox;
        self.seen = seen;
        self
    }

    /// What outlives a command is added to this list.
    pub(super) fn noting_in(mut self, ended: &Ended) -> Self {
        self.ended = ended.clone();
        self
    }

    /// A path in the private folder, unused until now.
    pub(super) fn fresh(&self, name: &str) -> PathBuf {
        self.folder.path().join(format!("{}-{name}", self.parts.len()))
    }

    /// Says what is about to run, as a person would type it; it becomes part of the run's command.
    pub(super) fn announce(&mut self, command: String, observer: Observer<'_>) {
        observer(News::Running { what: self.label.clone(), command: command.clone() });
        self.commands.push(command);
    }

    /// What became of the run's canary. An adapter that can carry one says it after its run.
    pub(super) fn note_canary(&mut self, canary: Canary) {
        self.canary = canary;
    }

    /// What the runner told of copies beside the judged tests.
    pub(super) fn hear_copies(&mut self, heard: Heard) {
        self.heard = Some(heard);
    }

    pub(super) fn heard(&mut self) -> Option<Heard> {
        self.heard.take()
    }

    /// What became of copies of the judged tests.
    pub(super) fn note_copies(&mut self, copies: Copies) {
        self.copies = copies;
    }

    /// From now on lines that hold this word are left out of the log.
    pub(super) fn hide_lines(&mut self, word: &str) {
        self.hidden.push(word.to_owned());
    }

    /// Leaves these last parts out of the log: they are about the canary alone.
    pub(super) fn hide_parts(&mut self, from: usize) {
        // They keep their place, because names of further parts are made of their number.
        self.parts.iter_mut().skip(from).for_each(|part| *part = PathBuf::new());
    }

    /// How many parts the log has so far.
    pub(super) fn parts(&self) -> usize {
        self.parts.len()
    }

    /// Runs one command with what is left of the deadline. Without time left, none is started.
    pub(super) async fn run(&mut self, step: Step) -> Result<Finished, Trouble> {
        let finished = self.within(self.left, step).await?;
        self.left = self.left.saturating_sub(Duration::from_millis(finished.duration_ms));
        self.spent_ms = self.spent_ms.saturating_add(finished.duration_ms);
        Ok(finished)
    }

    /// The same for a command that runs no test: how long a first build takes says nothing about how
    /// long the tests do.
    pub(super) async fn build(&mut self, step: Step) -> Result<Finished, Trouble> {
        let finished = self.within(self.build_left, step).await?;
        self.build_left = self.build_left.saturating_sub(Duration::from_millis(finished.duration_ms));
        self.build_ms = self.build_ms.saturating_add(finished.duration_ms);
        Ok(finished)
    }

    async fn within(&mut self, left: Duration, step: Step) -> Result<Finished, Trouble> {
        if left.is_zero() {
            return Ok(Finished { exit: Exit::Deadline, duration_ms: 0, leaked: 0 });
        }
        let log = self.fresh("log");
        let chosen = self.chosen_environment(&step).await;
        // What the person's own command sets comes after it, and wins.
        let temp = self.temp.iter().map(|temp| ("TMPDIR".into(), Some(temp.path().into())));
        let python = self.python_path.iter().map(|path| (PYTHON_PATH.into(), Some(path.clone())));
        let order = CommandOrder {
            argv: step.argv,
            cwd: step.cwd.clone(),
            env: temp
                .chain(python)
                .chain(environment::of_copy(&self.home, &step.cwd))
                .chain(chosen)
                .chain(step.env)
                .collect(),
            deadline: left,
            output_cap: self.output_cap,
            log: log.clone(),
            stdout: step.stdout.clone(),
            enclosure: self.fenced.as_ref().map(|sandbox| match &self.seen {
                Some(seen) => sandbox.for_checkout(&self.work, &step.cwd, seen).enclosure,
                None => sandbox.for_commands(&self.work, &step.cwd).enclosure,
            }),
            ended: self.ended.clone(),
        };
        let began = SystemTime::now();
        let finished = process::run(&order, &self.stop).await;
        // Whatever became of the command: the person's environment names the person's tree.
        let led =
            Lent::to(&self.home, &self.tree, &step.cwd).map(|it| it.lead_back(began)).unwrap_or_default();
        let finished = finished?;
        self.parts.push(log);
        self.parts.extend(step.stdout);
        for file in led {
            self.say(&format!(
                "tdd: {} named this copy of the tree; it names the work tree now",
                file.display()
            ))?;
        }
        Ok(finished)
    }

    /// The trouble of a full disk, if what the commands write is on one: what they printed and reported
    /// may be cut, and what failed may have failed of that.
    fn refuse_full_disk(&self, flaw: Option<&str>) -> Result<(), Trouble> {
        let folders = [Some(self.work.as_path()), self.temp.as_ref().map(Folder::path)];
        let full = |folder: &Path| Some((folder.to_owned(), free_space::full(folder)?));
        let Some((folder, error)) = folders.into_iter().flatten().find_map(full) else { return Ok(()) };
        let besides = flaw.map(|flaw| format!("; so {flaw}")).unwrap_or_default();
        let why = Why::of(folder.display(), &error);
        Err(Trouble::environment(format!("the run of `{}` tells nothing", self.commands.join(" && ")))
            .because(Why { words: format!("{}{besides}", why.words), ..why }))
    }

    /// The log of the last step, at most 1 MiB of its end.
    pub(super) fn last_words(&self, steps_back: usize) -> String {
        let Some(path) = self.parts.iter().rev().nth(steps_back) else { return String::new() };
        read_tail(path, END_BYTES).unwrap_or_default()
    }

    /// Adds a line of ours to the log.
    pub(super) fn say(&mut self, line: &str) -> Result<(), Trouble> {
        let said = self.fresh("said");
        regular_file::write(&said, format!("{line}\n")).map_err(|error| disk(&said, &error))?;
        self.parts.push(said);
        Ok(())
    }

    /// Replaces a part of the log by what is readable of it (a stream of JSON, say).
    pub(super) fn show_instead(&mut self, part: &Path, text: &str) -> Result<(), Trouble> {
        let shown = self.fresh("shown");
        regular_file::write(&shown, text).map_err(|error| disk(&shown, &error))?;
        for kept in &mut self.parts {
            if kept == part {
                kept.clone_from(&shown);
            }
        }
        Ok(())
    }

    /// Rewrites the end (at most 1 MiB) of a part of the log, whose command has ended.
    pub(super) fn rewrite_end(&self, steps_back: usize, how: &dyn Fn(&str) -> String) -> Result<(), Trouble> {
        let Some(path) = self.parts.iter().rev().nth(steps_back) else { return Ok(()) };
        let rewrite = || {
            let mut file = regular_file::with(File::options().read(true).write(true), path)?;
            let start = file.metadata()?.len().saturating_sub(END_BYTES);
            file.seek(SeekFrom::Start(start))?;
            let mut end = Vec::new();
            (&file).take(END_BYTES).read_to_end(&mut end)?;
            let rewritten = how(&String::from_utf8_lossy(&end));
            file.set_len(start)?;
            file.seek(SeekFrom::Start(start))?;
            file.write_all(rewritten.as_bytes())
        };
        rewrite().map_err(|error| disk(path, &error))
    }

    /// Joins the log, and makes the run's record. What lies in the private folder goes.
    pub(super) fn finish(mut self, measured: Measured) -> Result<TestRun, Trouble> {
        if !measured.exit.is_success() || measured.unreadable.is_some() {
            self.refuse_full_disk(measured.unreadable.as_deref())?;
        }
        if !self.took_only_part() {
            let mut joined = regular_file::create(&self.log).map_err(|error| disk(&self.log, &error))?;
            for part in &self.parts {
                if let Ok(part) = regular_file::open(part) {
                    let copied = copy_lines(part, &mut joined, &self.hidden);
                    copied.map_err(|error| disk(&self.log, &error))?;
                }
            }
            joined.flush().map_err(|error| disk(&self.log, &error))?;
        }
        self.folder.rest = Rest::Goes;
        Ok(TestRun {
            command: self.commands.join(" && "),
            exit: measured.exit,
            duration_ms: self.spent_ms,
            build_ms: self.build_ms,
            report: measured.report,
            unreadable: measured.unreadable,
            output: excerpt(&self.log).map_err(|error| disk(&self.log, &error))?,
            log: self.log.to_string_lossy().into_owned(),
            fail_code: measured.fail_code,
            canary: self.canary,
            copies: self.copies,
        })
    }

    /// Most verifications are one command: its log becomes the log, without a copy.
    fn took_only_part(&self) -> bool {
        let [part] = self.parts.as_slice() else { return false };
        let is_file = std::fs::symlink_metadata(part).is_ok_and(|meta| meta.is_file());
        is_file && self.hidden.is_empty() && std::fs::rename(part, &self.log).is_ok()
    }
}

/// The words of a call, as a program is given them.
pub(super) fn words(argv: &[String]) -> Vec<OsString> {
    argv.iter().map(OsString::from).collect()
}
