//! Checkpoint 0 and the baseline: the project before anybody forked (contract section 7).

use std::collections::BTreeSet;

use tdd_core::event::{Event, RedRule};
use tdd_core::evidence::evidence;
use tdd_core::finding::{RunRef, SuiteBaseline};
use tdd_core::isolation::Level;
use tdd_core::mapping::Without;
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::test::{Exit, Outcome, TestId, TestReport, TestRun};
use tdd_core::trouble::Trouble;

use super::apart::Found;
use super::cycle::Drive;
use super::fork::without_secrets;
use super::whose::{is_own_writing, written_beside_tests};
use tdd_core::ports::{Checkpoints, Protection, TestOrder, Tests, World};

impl<W: World> Drive<'_, W> {
    pub(super) fn take_checkpoint_zero(&mut self) -> Result<Vec<Event>, Trouble> {
        self.ports.checkpoints.record_git()?;
        let checkpoint = self.ports.checkpoints.take("0")?;
        Ok(vec![Event::CheckpointZero { checkpoint }])
    }

    pub(super) async fn measure_baseline(&mut self) -> Result<Vec<Event>, Trouble> {
        self.ports.protection.look_at_tools()?;
        // As sealed as every later run: what fails for that must not first show in a role's hands.
        self.seal_for_baseline(BTreeSet::new())?;
        let mut first = self.run_tests(&baseline_order()).await?;
        let mut found = Found::default();
        let mut written: BTreeSet<RelPath> = self.written_by_suite(&mut found)?.into_iter().collect();
        let mut second = None;
        if self.is_worth_another(&first) {
            if self.holds() {
                self.ports.protection.loosen();
            }
            second = Some(self.run_tests(&baseline_order()).await?);
            written.extend(self.written_by_suite(&mut found)?);
            self.seal_for_baseline(written.clone())?;
            if self.holds() && !written.is_empty() {
                first = self.run_tests(&baseline_order()).await?;
                written.extend(self.written_by_suite(&mut found)?);
            }
        }
        let mut test = self.read_baseline(&first)?;
        if let Some(second) = &second {
            split_flaky(&mut test, second);
        }
        self.refuse_dead(&first, &test)?;
        self.refuse_linked(&test)?;
        let gate = self.gate_baseline(&test, &mut written, &mut found).await?;
        written.extend(self.written_by_suite(&mut found)?);
        let mut events = self.learn_whose(&found, &mut written, "seen-baseline").await?;
        let known = self.files_of_zero()?;
        let policy = &self.policy;
        let is_own = |path: &RelPath| is_own_writing(policy, &known, path);
        (test.rewritten, test.rewritten_code) = written.into_iter().partition(is_own);
        test.left_in_tools = self.ports.protection.left_in_tools();
        events.extend([self.see_tree()?, Event::BaselineMeasured { test, gate: Box::new(gate) }]);
        Ok(events)
    }

    /// For what it writes alone.
    pub(super) async fn run_baseline_again(&mut self) -> Result<(), Trouble> {
        let label = "baseline, again".to_owned();
        self.run_tests(&TestOrder { label: label.clone(), ..TestOrder::default() }).await?;
        if self.state.run.commands.gate != self.state.run.commands.test {
            self.run_gate(&label, &Without::default()).await?;
        }
        Ok(())
    }

    fn holds(&self) -> bool {
        self.setup.isolation.level == Level::Enforce
    }

    fn seal_for_baseline(&mut self, written: BTreeSet<RelPath>) -> Result<(), Trouble> {
        self.ports.protection.let_rewrite(&written.into_iter().collect::<Vec<_>>());
        self.ports.protection.seal(&[FileClass::Gate, FileClass::Test], &[])
    }

    /// What is red may be flaky; and where files are read-only it may be red for that alone.
    fn is_worth_another(&self, run: &TestRun) -> bool {
        let unread = match run.exit {
            Exit::Code(code) => code != 0,
            Exit::Signal(_) => true,
            Exit::Deadline | Exit::OutputCap => false,
        };
        match &run.report {
            Some(report) if run.unreadable.is_none() => report.is_red(),
            Some(_) | None => self.holds() && unread,
        }
    }

    fn written_by_suite(&mut self, found: &mut Found) -> Result<Vec<RelPath>, Trouble> {
        self.find_beside_tests("seen-baseline", found)?;
        let known = self.files_of_zero()?;
        written_beside_tests(&mut self.ports.protection, &self.policy, &known)
    }

    fn read_baseline(&self, run: &TestRun) -> Result<SuiteBaseline, Trouble> {
        let mut suite = of_run(run);
        match readable(run) {
            Ok(Some(report)) => fill(&mut suite, report),
            Ok(None) if run.exit.is_success() => {}
            Ok(None) => self.refuse_unreadable(run, "the runner can't be read test by test")?,
            Err(why) => self.refuse_unreadable(run, &why)?,
        }
        Ok(suite)
    }

    /// A command that finds none of the project's tests, or of which nothing passes, can't tell work
    /// from nothing.
    fn refuse_dead(&mut self, run: &TestRun, test: &SuiteBaseline) -> Result<(), Trouble> {
        if run.report.is_none() || !test.greens.is_empty() {
            return Ok(());
        }
        let may_be_red = self.state.run.plan.red_baseline == RedRule::Allow;
        let found = test.reds.len() + test.skipped;
        let (what, next) = if found == 0 {
            let file = self.first_test_file()?;
            if file.is_none() && !self.is_usage_error(run) {
                return Ok(());
            }
            let where_to = file.map(|file| format!(" (tests were found in {file})")).unwrap_or_default();
            let next = format!(
                "see that it looks where the tests are{where_to}, or name another:\n\
                 tdd {} --test 'COMMAND'",
                self.state.run.requirement.id
            );
            let what = match where_to.as_str() {
                "" => "the test command can't be carried out as it is written",
                _ => "the test command finds no tests, though the project has some",
            };
            (what.to_owned(), next)
        } else if may_be_red {
            return Ok(());
        } else {
            let why = ": mostly something that it needs is missing or not installed;";
            let next = self.halted_first()
                + &self.setup.pass_first(run)
                + why
                + "\nor go on all the same with --allow-red-baseline";
            (format!("not one test is green before anything was done: 0 of {found}"), next)
        };
        let said = (self.setup.mask)(last_lines(&run.output));
        let said = if said.is_empty() { "it printed nothing".to_owned() } else { said };
        Err(Trouble::environment(what).because(format!("`{}`\n{said}", run.command)).advise(next))
    }

    /// What a halted run has left is red by its nature: a person is told of it before all else.
    fn halted_first(&self) -> String {
        self.setup.halted_beside.as_ref().map_or_else(String::new, |run| {
            format!(
                "the work of a halted run lies in the tree, its red tests with it: {run}\n\
                 see what it needs:  tdd review {run}\n\
                 or take it back:    tdd undo {run}\n\
                 Otherwise "
            )
        })
    }

    /// What a runner says of a path that is not there is no word on the tests.
    fn is_usage_error(&self, run: &TestRun) -> bool {
        let usage_error = tdd_runners::of(self.state.run.commands.runner).usage_error;
        usage_error.is_some_and(|code| run.exit == Exit::Code(code))
    }

    /// Tests that are reached through a symbolic link have two paths, and git knows the other one: a role's
    /// new file would not be known for what it is.
    fn refuse_linked(&mut self, test: &SuiteBaseline) -> Result<(), Trouble> {
        let known = self.files_of_zero()?;
        let link_above = |path: &RelPath| {
            let ends = path.as_str().match_indices('/').map(|(at, _)| at);
            let mut above = ends.filter_map(|at| RelPath::new(&path.as_str()[..at]));
            above.find(|folder| known.contains(folder))
        };
        let reported = test.greens.iter().chain(&test.reds).chain(&test.flaky);
        let files = reported.filter_map(|id| self.file_of(id)).filter(|file| !known.contains(file));
        let Some((link, file)) = files.into_iter().find_map(|file| Some((link_above(&file)?, file))) else {
            return Ok(());
        };
        Err(Trouble::environment(format!("the tests are reached through the symbolic link {link}"))
            .because(format!("`{}` told of {file}, which git knows by another path", test.command))
            .advise(format!(
                "let the test command name the folder that the link leads to:\ntdd {} --test 'COMMAND FOLDER'",
                self.state.run.requirement.id
            )))
    }

    /// A file of the project's that holds tests by its runner's own rules.
    fn first_test_file(&mut self) -> Result<Option<RelPath>, Trouble> {
        let Some(zero) = self.state.facts.zero.clone() else { return Ok(None) };
        for file in self.ports.checkpoints.files(&zero)? {
            let is_test =
                self.policy.classify(&file) == FileClass::Test && file.is_within(&self.state.run.project);
            if !is_test {
                continue;
            }
            let source = self.ports.checkpoints.read(&zero, &file)?.unwrap_or_default();
            if !self.ports.tests.declared(&file, &source).is_empty() {
                return Ok(Some(file));
            }
        }
        Ok(None)
    }

    fn refuse_unreadable(&self, run: &TestRun, why: &str) -> Result<(), Trouble> {
        match self.state.run.plan.red_baseline {
            RedRule::Allow => Ok(()),
            RedRule::Refuse => Err(Trouble::environment(unreadable_words(run))
                .because(format!("{why}\n`{}`\n{}", run.command, (self.setup.mask)(last_lines(&run.output))))
                .advise(self.setup.pass_first(run) + ",\nor go on all the same with --allow-red-baseline")),
        }
    }

    async fn gate_baseline(
        &mut self,
        test: &SuiteBaseline,
        written: &mut BTreeSet<RelPath>,
        found: &mut Found,
    ) -> Result<SuiteBaseline, Trouble> {
        let commands = &self.state.run.commands;
        if commands.gate == commands.test {
            return Ok(test.clone());
        }
        let label = "baseline of the gate";
        let mut run = self.run_gate(label, &Without::default()).await?;
        if !run.exit.is_success() && self.holds() {
            let before = written.len();
            self.ports.protection.loosen();
            let again = self.run_gate(label, &Without::default()).await?;
            written.extend(self.written_by_suite(found)?);
            self.seal_for_baseline(written.clone())?;
            if written.len() > before && again.exit.is_success() {
                run = self.run_gate(label, &Without::default()).await?;
            }
        }
        if !run.exit.is_success() && self.state.run.plan.red_gate == RedRule::Refuse {
            return Err(Trouble::environment(format!(
                "the gate command is red before anything was done ({})",
                run.exit
            ))
            .because(format!("`{}`\n{}", run.command, (self.setup.mask)(last_lines(&run.output))))
            .advise(
                self.halted_first()
                    + looked_at_ours(&run.output)
                    + &self.setup.fences_of(&run)
                    + &format!(
                        "make it pass first (all of its output: {}),\nor go on all the same with --allow-red-gate",
                        run.log
                    ),
            ));
        }
        Ok(of_run(&run))
    }

    pub(super) async fn measure_gate(&mut self) -> Result<Vec<Event>, Trouble> {
        let order = TestOrder { label: "gate before REFACTOR".to_owned(), ..TestOrder::default() };
        let is_test = self.state.run.commands.gate == self.state.run.commands.test;
        let seen = self.ports.checkpoints.take("seen")?;
        if is_test && let Some((judged, run)) = self.judged_already(&seen, &order)? {
            let (green, judged_at) = (judged.green, Some(judged.tree));
            return Ok(vec![Event::TreeSeen { tree: seen }, Event::GateMeasured { green, run, judged_at }]);
        }
        let run = self.run_gate(&order.label, &Without::default()).await?;
        let green = if is_test {
            self.is_no_worse(&run)
        } else {
            run.exit.is_success() || self.gate_misses_what_is_hidden(&seen, &order.label).await?
        };
        let run = RunRef::of(&run, &self.setup.mask);
        // What a gate leaves beside tests would else be sealed for the refactorer, and its own next run
        // would be that role's fault.
        let now = self.ports.checkpoints.take("seen")?;
        self.hold_left(&seen, &now)?;
        let put_back = self.diff().put_back_what_is_left((&seen, &now), "the gate")?;
        let mut events: Vec<Event> = put_back.into_iter().collect();
        events.extend([self.see_tree()?, Event::GateMeasured { green, run, judged_at: None }]);
        Ok(events)
    }

    pub(super) async fn run_tests(&mut self, order: &TestOrder) -> Result<TestRun, Trouble> {
        let is_whole = order.only_files.is_empty() && order.only_ids.is_empty();
        let counted = if is_whole { &mut self.runs.whole } else { &mut self.runs.narrowed };
        *counted = counted.saturating_add(1);
        let (audience, mask) = (&mut *self.audience, &self.setup.mask);
        let tell = &mut |news| audience.news(&without_secrets(news, mask));
        Ok(masked(self.ports.tests.run(order, tell).await?, mask))
    }

    /// `without`: tests of criteria that are not reached yet, which would make the gate red.
    pub(super) async fn run_gate(&mut self, label: &str, without: &Without) -> Result<TestRun, Trouble> {
        let is_test = self.state.run.commands.gate == self.state.run.commands.test;
        let counted = if is_test { &mut self.runs.whole } else { &mut self.runs.gate };
        *counted = counted.saturating_add(1);
        let (audience, mask) = (&mut *self.audience, &self.setup.mask);
        let tell = &mut |news| audience.news(&without_secrets(news, mask));
        Ok(masked(self.ports.tests.run_gate(label, without, tell).await?, mask))
    }
}

/// A run whose command is kept and shown from here on.
fn masked(run: TestRun, mask: &dyn Fn(&str) -> String) -> TestRun {
    TestRun { command: mask(&run.command), ..run }
}

/// A report that is not there, or not whole, is no red test: what is wrong is said as it is.
fn unreadable_words(run: &TestRun) -> String {
    match (&run.report, run.exit.is_success()) {
        (None, true) => "the test command ends well, and its report can't be read".to_owned(),
        (None, false) if run.unreadable.is_some() => {
            format!("the test command's report can't be read ({})", run.exit)
        }
        (Some(_), true) => "the test command ends well, and its report is no evidence of it".to_owned(),
        (None | Some(_), false) => format!(
            "the test command is red before anything was done, and it can't be read which tests are ({})",
            run.exit
        ),
    }
}

fn baseline_order() -> TestOrder {
    TestOrder { label: "baseline".to_owned(), ..TestOrder::default() }
}

/// A report that may be believed, or why there is none. An empty one is a valid baseline whatever
/// the exit code, because runners differ in what "no tests" means to them.
fn readable(run: &TestRun) -> Result<Option<&TestReport>, String> {
    let Some(report) = &run.report else {
        return run.unreadable.clone().map_or(Ok(None), Err);
    };
    if let Some(broken) = &report.project_broken {
        return Err(format!("the project does not build or load: {}", broken.message));
    }
    if report.complete && report.tests.is_empty() && report.load_failures.is_empty() {
        return Ok(Some(report));
    }
    evidence(run).map(|()| Some(report))
}

fn of_run(run: &TestRun) -> SuiteBaseline {
    SuiteBaseline {
        command: run.command.clone(),
        exit: Some(run.exit),
        duration_ms: run.duration_ms,
        build_ms: run.build_ms,
        log: run.log.clone(),
        ..SuiteBaseline::default()
    }
}

fn fill(suite: &mut SuiteBaseline, report: &TestReport) {
    suite.collected = report.tests.len();
    suite.loaded.clone_from(&report.loaded);
    suite.import_roots.clone_from(&report.import_roots);
    for test in &report.tests {
        match &test.outcome {
            Outcome::Passed => suite.greens.push(test.id.clone()),
            Outcome::Failed(_) => suite.reds.push(test.id.clone()),
            Outcome::Skipped => {
                suite.skipped += 1;
                let is_numbered = test.id.shared() != test.id.0;
                suite.skipped_namesakes.extend(is_numbered.then(|| test.id.clone()));
            }
        }
    }
    suite.reds.extend(report.load_failures.iter().map(|load| TestId(load.file.to_string())));
    suite.greens.sort();
    suite.reds.sort();
}

/// What is red once in two runs is flaky, and no later judgement rests on it.
fn split_flaky(suite: &mut SuiteBaseline, second: &TestRun) {
    let Some(report) = &second.report else { return };
    let passed: BTreeSet<&TestId> =
        report.tests.iter().filter(|test| test.outcome == Outcome::Passed).map(|test| &test.id).collect();
    let (flaky, reds): (Vec<TestId>, Vec<TestId>) = suite.reds.drain(..).partition(|id| passed.contains(id));
    let (greens, also_flaky): (Vec<TestId>, Vec<TestId>) =
        suite.greens.drain(..).partition(|id| passed.contains(id));
    (suite.reds, suite.greens) = (reds, greens);
    suite.flaky = flaky.into_iter().chain(also_flaky).collect();
}

/// The end of an output, for an error message: at most 12 lines.
fn last_lines(output: &str) -> &str {
    let from = output.trim_end().rmatch_indices('\n').nth(11).map_or(0, |(at, _)| at + 1);
    output.get(from..).unwrap_or(output).trim_end()
}

/// Some tools that look for files themselves know nothing of what git was told to leave out.
fn looked_at_ours(output: &str) -> &'static str {
    let advice = "have it pass over tdd's own folder, which it names: a line `.tdd/` in .gitignore or in its own \
                  ignore file\n(.prettierignore, …); or ";
    if output.contains(".tdd/runs/") { advice } else { "" }
}
