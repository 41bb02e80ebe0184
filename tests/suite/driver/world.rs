//! A world in memory.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

use tdd::driver::cycle::Drive;
use tdd::driver::flags::Flags;
use tdd::driver::setup::Setup;
use tdd::world::journal_file::JournalFile;
use tdd_core::attempt::{AgentEnd, CheckpointId, Digest};
use tdd_core::audience::{Audience, News};
use tdd_core::commands::{ProjectCommands, RunnerKind, Suite};
use tdd_core::criterion::{Criterion, CriterionId, Verify};
use tdd_core::event::{Decision, Event, Plan, RunId, RunStarted};
use tdd_core::finding::{Change, ChangeKind};
use tdd_core::isolation::{Confinement, Level};
use tdd_core::mapping::Without;
use tdd_core::mdtest::{Status, Voice};
use tdd_core::path::RelPath;
use tdd_core::policy::{FileClass, Policy};
use tdd_core::ports::{
    AgentOrder, AgentReport, Agents, Allowance, Bench, Bring, Checkpoints, Clock, Isolation, Journal, Limits,
    MdtestOrder, MdtestReport, Observer, Ports, Protection, Setters, TestOrder, Tests, World,
};
use tdd_core::requirement::{Reading, Requirement};
use tdd_core::role::{Asked, Key};
use tdd_core::state::{Phase, State};
use tdd_core::test::{Canary, Exit, Failure, FailureKind, Outcome, TestId, TestReport, TestResult, TestRun};
use tdd_core::trouble::Trouble;
use tdd_core::turns::TurnCaps;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree(BTreeMap<RelPath, String>);

impl Tree {
    pub fn write(&mut self, path: &str, text: &str) {
        self.0.insert(RelPath::new(path).unwrap(), text.to_owned());
    }

    pub fn read(&self, path: &str) -> Option<&str> {
        self.0.get(&RelPath::new(path).unwrap()).map(String::as_str)
    }
}

#[derive(Default)]
pub struct Shared {
    tree: Tree,
    snapshots: Vec<Tree>,
    sealed: Tree,
    events: Vec<Event>,
    forks: Vec<(usize, Key)>,
    prompts: Vec<(Key, String, String)>,
    /// Calls of ports until the world is cut off; `None` for a world that lasts.
    fuse: Option<usize>,
    calls: usize,
    /// The times of day that are read, over and over; 1 without any.
    stamps: Vec<u64>,
    reads: usize,
    /// A real journal beside the one in memory: what it refuses has not happened.
    disk: Option<JournalFile>,
    kept: BTreeMap<String, Vec<u8>>,
    stored: BTreeMap<String, Vec<u8>>,
    /// What the tests themselves write, whenever they are run.
    writes: Vec<(&'static str, &'static str)>,
    /// What somebody writes whenever a whole tree was put back.
    drift: Option<(&'static str, &'static str)>,
    /// Where the runner looks for tests, if it is not `tests`.
    looks_in: Option<&'static str>,
}

#[derive(Clone, Default)]
pub struct Memory(Rc<RefCell<Shared>>);

type Act = Rc<dyn Fn(&mut Tree) -> String>;

#[derive(Clone, Default)]
pub struct Script {
    acts: BTreeMap<(Key, u8), Act>,
}

impl Script {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn on(mut self, key: &Key, number: u8, act: impl Fn(&mut Tree) -> String + 'static) -> Self {
        self.acts.insert((key.clone(), number), Rc::new(act));
        self
    }

    pub fn always(mut self, key: &Key, act: impl Fn(&mut Tree) -> String + 'static) -> Self {
        let act: Act = Rc::new(act);
        for number in 1..=3 {
            self.acts.insert((key.clone(), number), Rc::clone(&act));
        }
        self
    }
}

pub fn block(role: &str, status: &str) -> String {
    format!(
        "Done.\n\n```tdd-result\nrole: {role}\nstatus: {status}\nfiles: [src/a.txt]\ncommand: t\noutput_excerpt: |2\n  x\n```\n"
    )
}

pub fn criterion(number: u64) -> CriterionId {
    CriterionId::new("X", number).unwrap()
}

pub fn tree_of(memory: &Memory) -> Tree {
    memory.0.borrow().tree.clone()
}

impl Memory {
    pub fn events(&self) -> Vec<Event> {
        self.0.borrow().events.clone()
    }

    pub fn forks_with_journal_length(&self) -> Vec<(usize, Key)> {
        self.0.borrow().forks.clone()
    }

    pub fn prompts(&self) -> Vec<(Key, String, String)> {
        self.0.borrow().prompts.clone()
    }
}

impl Memory {
    /// Every call of a port goes through here: the one at which the fuse burns out fails, and
    /// whatever it would have done is not done.
    fn call(&self) -> Result<(), Trouble> {
        let mut shared = self.0.borrow_mut();
        shared.calls += 1;
        match &mut shared.fuse {
            None => Ok(()),
            Some(0) => Err(Trouble::internal("the world was cut off")),
            Some(left) => {
                *left -= 1;
                Ok(())
            }
        }
    }

    /// From now on somebody writes this file whenever a whole tree was put back.
    pub fn drifts(&self, path: &'static str, text: &'static str) {
        self.0.borrow_mut().drift = Some((path, text));
    }

    /// Writes it at once, and never again.
    pub fn drift_now(&self) {
        let mut shared = self.0.borrow_mut();
        if let Some((path, text)) = shared.drift.take() {
            shared.tree.write(path, text);
        }
    }

    /// The bytes of a report that the run kept.
    pub fn kept(&self, name: &str) -> Vec<u8> {
        self.0.borrow().kept[name].clone()
    }

    pub fn calls(&self) -> usize {
        self.0.borrow().calls
    }
}

impl Clock for Memory {
    fn now_ms(&self) -> u64 {
        let mut shared = self.0.borrow_mut();
        shared.reads += 1;
        let turn = shared.reads.checked_rem(shared.stamps.len());
        turn.map_or(1, |turn| shared.stamps[turn])
    }

    fn monotonic_ms(&self) -> u64 {
        u64::try_from(self.calls()).unwrap()
    }
}

impl Journal for Memory {
    fn append(&mut self, ts_ms: u64, events: &[Event]) -> Result<(), Trouble> {
        self.call()?;
        if let Some(disk) = &mut self.0.borrow_mut().disk {
            disk.append(ts_ms, events)?;
        }
        self.0.borrow_mut().events.extend_from_slice(events);
        Ok(())
    }

    fn store(&mut self, bytes: &[u8]) -> Result<Digest, Trouble> {
        self.call()?;
        let digest = blake3::hash(bytes).to_hex().to_string();
        self.0.borrow_mut().stored.insert(digest.clone(), bytes.to_vec());
        Ok(Digest(digest))
    }

    fn keep(&mut self, name: &str, bytes: &[u8]) -> Result<(), Trouble> {
        self.call()?;
        self.0.borrow_mut().kept.insert(name.to_owned(), bytes.to_vec());
        Ok(())
    }

    fn fetch(&mut self, digest: &Digest) -> Result<Vec<u8>, Trouble> {
        Ok(self.0.borrow().stored.get(&digest.0).cloned().unwrap_or_default())
    }
}

impl Memory {
    fn at(&self, id: &CheckpointId) -> Tree {
        self.0.borrow().snapshots[id.0.parse::<usize>().unwrap()].clone()
    }
}

fn differences(from: &Tree, to: &Tree) -> Vec<Change> {
    let paths: std::collections::BTreeSet<&RelPath> = from.0.keys().chain(to.0.keys()).collect();
    let change = |path: &&RelPath| {
        let kind = match (from.0.get(*path), to.0.get(*path)) {
            (None, _) => ChangeKind::Added,
            (_, None) => ChangeKind::Deleted,
            (Some(a), Some(b)) if a != b => ChangeKind::Modified,
            _ => return None,
        };
        Some(Change { path: (*path).clone(), kind })
    };
    paths.iter().filter_map(change).collect()
}

impl Checkpoints for Memory {
    fn take(&mut self, _label: &str) -> Result<CheckpointId, Trouble> {
        self.call()?;
        let mut shared = self.0.borrow_mut();
        let tree = shared.tree.clone();
        // As git's adapter does: who looks twice at the same tree gets the same commit.
        if shared.snapshots.last() != Some(&tree) {
            shared.snapshots.push(tree);
        }
        Ok(CheckpointId((shared.snapshots.len() - 1).to_string()))
    }

    fn label(&mut self, _label: &str, _checkpoint: &CheckpointId) -> Result<(), Trouble> {
        self.call()
    }

    fn write_labels(&mut self) -> Result<(), Trouble> {
        self.call()
    }

    fn diff(&mut self, from: &CheckpointId, to: &CheckpointId) -> Result<Vec<Change>, Trouble> {
        Ok(differences(&self.at(from), &self.at(to)))
    }

    fn restore_all_but(&mut self, to: &CheckpointId, left: &[RelPath]) -> Result<(), Trouble> {
        self.call()?;
        let mut tree = self.at(to);
        let mut shared = self.0.borrow_mut();
        for path in left {
            tree.0.remove(path);
            tree.0.extend(shared.tree.0.get(path).map(|text| (path.clone(), text.clone())));
        }
        shared.tree = tree;
        if let Some((path, text)) = shared.drift {
            shared.tree.write(path, text);
        }
        Ok(())
    }

    fn restore(&mut self, to: &CheckpointId, paths: &[RelPath]) -> Result<(), Trouble> {
        self.call()?;
        let tree = self.at(to);
        for path in paths {
            match tree.0.get(path) {
                Some(text) => self.0.borrow_mut().tree.0.insert(path.clone(), text.clone()),
                None => self.0.borrow_mut().tree.0.remove(path),
            };
        }
        Ok(())
    }

    fn patch(
        &mut self,
        _from: &CheckpointId,
        _to: &CheckpointId,
        paths: &[RelPath],
    ) -> Result<String, Trouble> {
        Ok(format!("diff of {paths:?}"))
    }

    fn read(&mut self, at: &CheckpointId, path: &RelPath) -> Result<Option<Vec<u8>>, Trouble> {
        Ok(self.at(at).0.get(path).map(|text| text.clone().into_bytes()))
    }

    fn files(&mut self, at: &CheckpointId) -> Result<Vec<RelPath>, Trouble> {
        Ok(self.at(at).0.into_keys().collect())
    }

    fn record_git(&mut self) -> Result<(), Trouble> {
        self.call()?;
        Ok(())
    }

    fn restore_git(&mut self, _label: &str) -> Result<Vec<String>, Trouble> {
        self.call()?;
        Ok(Vec::new())
    }
}

// Made once a thread: it takes longer than a whole run does.
thread_local!(static POLICY: Policy = policy());

fn policy() -> Policy {
    Policy::new(tdd_runners::of(RunnerKind::Pytest).test_files, &["tests/**".to_owned()], "specs/frs")
        .unwrap()
}

impl Memory {
    fn of_classes(&self, classes: &[FileClass]) -> Tree {
        let tree = self.0.borrow().tree.clone();
        let belongs = |path: &RelPath| POLICY.with(|policy| classes.contains(&policy.classify(path)));
        Tree(tree.0.into_iter().filter(|(path, _)| belongs(path)).collect())
    }
}

/// Protects what it sealed; new protected files are found too.
#[derive(Clone, Default)]
pub struct Seal {
    memory: Memory,
    classes: Vec<FileClass>,
}

impl Protection for Seal {
    fn seal(&mut self, classes: &[FileClass], _except: &[RelPath]) -> Result<(), Trouble> {
        self.classes = classes.to_vec();
        let sealed = self.memory.of_classes(classes);
        self.memory.0.borrow_mut().sealed = sealed;
        Ok(())
    }

    fn check(&mut self) -> Result<Vec<RelPath>, Trouble> {
        if self.classes.is_empty() {
            return Ok(Vec::new());
        }
        let now = self.memory.of_classes(&self.classes);
        let sealed = self.memory.0.borrow().sealed.clone();
        Ok(differences(&sealed, &now).into_iter().map(|change| change.path).collect())
    }

    fn rewritten(&mut self) -> Vec<RelPath> {
        Vec::new()
    }

    fn restore(&mut self, touched: &[RelPath]) -> Result<(), Trouble> {
        let mut shared = self.memory.0.borrow_mut();
        for path in touched {
            match shared.sealed.0.get(path).cloned() {
                Some(text) => shared.tree.0.insert(path.clone(), text),
                None => shared.tree.0.remove(path),
            };
        }
        Ok(())
    }
}

pub struct Runner(Memory);

impl Tests for Runner {
    fn isolation(&self) -> Isolation {
        Isolation::PerFile
    }

    async fn run(&mut self, order: &TestOrder, _observer: Observer<'_>) -> Result<TestRun, Trouble> {
        self.0.call()?;
        let writes = self.0.0.borrow().writes.clone();
        for (path, text) in writes {
            self.0.0.borrow_mut().tree.write(path, text);
        }
        let tree = tree_of(&self.0);
        let source: String =
            tree.0.iter().filter(|(p, _)| p.is_within("src")).map(|(_, t)| t.as_str()).collect();
        let mut tests = Vec::new();
        let below = self.0.0.borrow().looks_in.unwrap_or("tests");
        for (file, text) in
            tree.0.iter().filter(|(p, _)| p.is_within(below) && !order.without.files.contains(p))
        {
            for (name, word) in text.lines().filter_map(|line| line.split_once(": ")) {
                let id = TestId(format!("{file}::{name}"));
                let named = order.only_ids.is_empty() && order.only_files.is_empty();
                if !(named || order.only_ids.contains(&id) || order.only_files.contains(file)) {
                    continue;
                }
                let message = format!("assert {word} in src");
                let failed =
                    Failure { kind: FailureKind::Assertion, message, absent: None, absent_too: Vec::new() };
                let outcome = if source.contains(word) { Outcome::Passed } else { Outcome::Failed(failed) };
                tests.push(TestResult { id, file: Some(file.clone()), outcome, duration_ms: 1 });
            }
        }
        let red = tests.iter().any(|test| test.outcome != Outcome::Passed);
        Ok(TestRun {
            command: "t".into(),
            exit: Exit::Code(i32::from(red)),
            duration_ms: 1,
            build_ms: 0,
            report: Some(TestReport { tests, complete: true, ..TestReport::default() }),
            unreadable: None,
            log: "log".into(),
            output: "raw output".into(),
            fail_code: 1,
            canary: Canary::NotAsked,
            copies: tdd_core::test::Copies::default(),
        })
    }

    async fn run_gate(
        &mut self,
        label: &str,
        without: &Without,
        observer: Observer<'_>,
    ) -> Result<TestRun, Trouble> {
        let order = TestOrder { label: label.to_owned(), without: without.clone(), ..TestOrder::default() };
        let run = self.run(&order, observer).await?;
        Ok(TestRun { report: None, ..run })
    }

    fn selection(&self, _suite: Suite, files: &[RelPath]) -> String {
        files.iter().fold("t".to_owned(), |line, file| format!("{line} {file}"))
    }

    fn declared(&self, file: &RelPath, source: &[u8]) -> Vec<TestId> {
        let text = String::from_utf8_lossy(source);
        let names = text.lines().filter_map(|line| line.split_once(": "));
        names.map(|(name, _)| TestId(format!("{file}::{name}"))).collect()
    }
}

pub struct Roles {
    memory: Memory,
    script: Script,
}

impl Agents for Roles {
    async fn run(&mut self, order: &AgentOrder, _observer: Observer<'_>) -> Result<AgentReport, Trouble> {
        self.memory.call()?;
        let length = self.memory.0.borrow().events.len();
        let Asked::Key(key) = &order.asked else { panic!("a cycle asked for {}", order.asked) };
        self.memory.0.borrow_mut().forks.push((length, key.clone()));
        let seen = (key.clone(), order.prompt.clone(), order.role_text.clone());
        self.memory.0.borrow_mut().prompts.push(seen);
        let act = self.script.acts.get(&(key.clone(), order.number)).cloned();
        let act = act.unwrap_or_else(|| panic!("nothing is scripted for {key} {}", order.number));
        let message = act(&mut self.memory.0.borrow_mut().tree);
        // The child may have worked, and we are cut off before it comes back.
        self.memory.call()?;
        Ok(AgentReport {
            glimpsed: Vec::new(),
            end: AgentEnd::Exited(Exit::Code(0)),
            bound: None,
            message: Some(message).filter(|message| !message.is_empty()),
            session: None,
            denied: Vec::new(),
            turns: None,
            run_cap: None,
            duration_ms: 1,
            silent_ms: None,
            log: "log".into(),
            tail: String::new(),
            died: None,
        })
    }

    async fn mdtest(
        &mut self,
        _order: &MdtestOrder,
        _observer: Observer<'_>,
    ) -> Result<MdtestReport, Trouble> {
        self.memory.call()?;
        Ok(MdtestReport { status: Status::Pass, voice: Voice::Agent, reason: None, log: None })
    }

    fn resumes(&self, _key: &Key) -> bool {
        false
    }

    fn name(&self, _key: &Key) -> String {
        "scripted".into()
    }
}

/// There is no disk to make a checkout on.
pub struct NoBench;

impl Bench for NoBench {
    fn open(&mut self) -> Result<PathBuf, Trouble> {
        Err(Trouble::environment("there is no disk").because("all is in memory"))
    }

    fn bring(&mut self, _what: Bring) -> Result<Vec<RelPath>, Trouble> {
        Ok(Vec::new())
    }

    fn leads_to(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    fn put(&mut self, _files: &[(RelPath, Option<Vec<u8>>)]) -> Result<(), Trouble> {
        Ok(())
    }

    fn close(&mut self) {}
}

pub struct InMemory;

impl World for InMemory {
    type Journal = Memory;
    type Checkpoints = Memory;
    type Protection = Seal;
    type Tests = Runner;
    type Agents = Roles;
    type Bench = NoBench;
    type Clock = Memory;
}

struct Nobody;

impl Audience for Nobody {
    fn event(&mut self, _state: &State, _event: &Event, _ts_ms: u64) {}
    fn news(&mut self, _news: &News) {}
}

fn started(plan: Plan, first: &Verify) -> RunStarted {
    let texts = [
        ("text of the first", first),
        ("text of the second", &Verify::Test),
        ("text of the third", &Verify::Test),
    ];
    let criteria = plan.criteria.iter().zip(texts).map(|(id, (text, verify))| Criterion {
        id: id.clone(),
        line: 1,
        verify: verify.clone(),
        text: text.to_owned(),
    });
    RunStarted {
        run: RunId("run".into()),
        version: "0".into(),
        requirement: Requirement {
            id: "X".into(),
            path: RelPath::new("specs/frs/X.md").unwrap(),
            title: None,
            reading: Reading::Written,
            allow_config: Vec::new(),
            criteria: criteria.collect(),
        },
        commands: ProjectCommands {
            test: "t".into(),
            test_source: "--test".into(),
            gate: "t".into(),
            gate_source: "the test command".into(),
            runner: RunnerKind::Pytest,
        },
        project: String::new(),
        agents: ["scripted".into(), "scripted".into(), "scripted".into()],
        models: <[Option<String>; 3]>::default(),
        plan,
    }
}

/// Runs a plan over a small tree to its end.
pub fn run(plan: Plan, script: Script) -> (State, Memory) {
    run_first_by(&Verify::Test, plan, script)
}

/// The same with the first criterion judged in another way.
pub fn run_first_by(first: &Verify, plan: Plan, script: Script) -> (State, Memory) {
    let memory = small_tree();
    let started = started(plan, first);
    memory.0.borrow_mut().events.push(Event::RunStarted(Box::new(started.clone())));
    let state = drive(&memory, script, tdd::driver::cycle::Drive::run, State::open(started));
    (state.unwrap(), memory)
}

/// Runs a plan over the small tree with `files`, whose tests write `writes` whenever they are run.
pub fn run_with_suite_that_writes(
    plan: Plan,
    script: Script,
    files: &[(&str, &str)],
    writes: &[(&'static str, &'static str)],
) -> (State, Memory) {
    let memory = small_tree();
    for (path, text) in files {
        memory.0.borrow_mut().tree.write(path, text);
    }
    memory.0.borrow_mut().writes = writes.to_vec();
    let started = started(plan, &Verify::Test);
    memory.0.borrow_mut().events.push(Event::RunStarted(Box::new(started.clone())));
    let state = drive(&memory, script, Drive::run, State::open(started));
    (state.unwrap(), memory)
}

/// The baseline of a tree of these files, in which only what is below `looks_in` is taken for tests.
pub fn baseline_of(plan: Plan, files: &[(&str, &str)], looks_in: &'static str) -> Result<State, Trouble> {
    let memory = Memory::default();
    for (path, text) in files {
        memory.0.borrow_mut().tree.write(path, text);
    }
    memory.0.borrow_mut().looks_in = Some(looks_in);
    let started = started(plan, &Verify::Test);
    drive(&memory, Script::new(), Drive::run, State::open(started))
}

/// Runs a plan until the world is cut off at its `fuse`th call, and goes on with what the journal
/// tells, until the end.
pub fn run_cut(plan: Plan, script: &Script, fuse: usize) -> (State, Memory) {
    let memory = small_tree();
    let opened = started(plan, &Verify::Test);
    memory.0.borrow_mut().events.push(Event::RunStarted(Box::new(opened.clone())));
    memory.0.borrow_mut().fuse = Some(fuse);
    let cut = drive(&memory, script.clone(), tdd::driver::cycle::Drive::run, State::open(opened));
    memory.0.borrow_mut().fuse = None;
    if let Ok(state) = cut {
        return (state, memory);
    }
    let state = State::replay(&memory.events()).unwrap().unwrap();
    let state =
        drive(&memory, script.clone(), |drive| drive.resume((Vec::new(), None), None), state).unwrap();
    (state, memory)
}

/// Runs a plan with these times of day and with this journal beside the one in memory.
pub fn run_beside(
    plan: Plan,
    script: &Script,
    stamps: &[u64],
    disk: Option<JournalFile>,
) -> (Result<State, Trouble>, Memory) {
    let memory = small_tree();
    let opened = started(plan, &Verify::Test);
    memory.0.borrow_mut().stamps = stamps.to_vec();
    memory.0.borrow_mut().disk = disk;
    let first = Event::RunStarted(Box::new(opened.clone()));
    if let Err(trouble) = memory.clone().append(1, &[first]) {
        return (Err(trouble), memory);
    }
    (drive(&memory, script.clone(), Drive::run, State::open(opened)), memory)
}

/// Goes on with what this journal on the disk tells.
pub fn go_on(memory: &Memory, script: &Script, (disk, state): (JournalFile, State)) -> State {
    memory.0.borrow_mut().disk = Some(disk);
    drive(memory, script.clone(), |drive| drive.resume((Vec::new(), None), None), state).unwrap()
}

/// Goes on with a halted run by the operator's word.
pub fn decide(memory: &Memory, script: &Script, state: State, word: Decision) -> Result<State, Trouble> {
    drive(memory, script.clone(), |drive| drive.resume((vec![word], None), None), state)
}

/// The same, cut off at the `fuse`th call of a port; then gone on with what the journal tells. Whether
/// it was cut off.
pub fn decide_cut(
    memory: &Memory,
    script: &Script,
    state: State,
    word: &Decision,
    fuse: usize,
) -> (State, bool) {
    memory.0.borrow_mut().fuse = Some(fuse);
    let cut = decide(memory, script, state, word.clone());
    memory.0.borrow_mut().fuse = None;
    if let Ok(state) = cut {
        return (state, false);
    }
    let state = State::replay(&memory.events()).unwrap().unwrap();
    // A word that was cut off before it was written has to be said again.
    let words = if matches!(state.phase, Phase::Ended { .. }) { vec![word.clone()] } else { Vec::new() };
    (drive(memory, script.clone(), |drive| drive.resume((words, None), None), state).unwrap(), true)
}

fn small_tree() -> Memory {
    let memory = Memory::default();
    memory.0.borrow_mut().tree.write("src/a.txt", "OLD\n");
    memory.0.borrow_mut().tree.write("tests/old.txt", "old: OLD\n");
    memory
}

fn drive<'a, F>(
    memory: &Memory,
    script: Script,
    go: impl FnOnce(Drive<'a, InMemory>) -> F,
    state: State,
) -> Result<State, Trouble>
where
    F: Future<Output = Result<State, Trouble>> + 'a,
{
    let ports: Ports<InMemory> = Ports {
        journal: memory.clone(),
        checkpoints: memory.clone(),
        protection: Seal { memory: memory.clone(), classes: Vec::new() },
        tests: Runner(memory.clone()),
        agents: Roles { memory: memory.clone(), script },
        bench: NoBench,
        clock: memory.clone(),
    };
    let setup = Setup {
        policy: POLICY.with(Policy::clone),
        skills: tdd::text::skill::embedded(),
        limits: Limits {
            turns: 8,
            wall_ms: 1000,
            idle_ms: 1000,
            output_bytes: 1 << 20,
            caps: Allowance::default(),
            set_by: Setters::default(),
        },
        turns: TurnCaps::default(),
        roots: vec!["/repository".into()],
        reports: Vec::new(),
        run_dir: "/repository/.tdd/runs/run".into(),
        settings: String::new(),
        resume_with: Flags::default(),
        later: None,
        halted_beside: None,
        isolation: Confinement { level: Level::Audit, words: "a test".to_owned() },
        fences: None,
        mask: Box::new(str::to_owned),
    };
    // A test's few worlds may live as long as the test.
    let (ports, setup, nobody) =
        (Box::leak(Box::new(ports)), Box::leak(Box::new(setup)), Box::leak(Box::new(Nobody)));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(go(Drive::new(ports, setup, nobody, state)))
}
