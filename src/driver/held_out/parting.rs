//! The coin: which tests are shown, and which are hidden.

use std::collections::{BTreeMap, BTreeSet};

use tdd_core::attempt::CheckpointId;
use tdd_core::event::Event;
use tdd_core::evidence::evidence;
use tdd_core::finding::{CriterionRed, RedKind, Seen};
use tdd_core::held_out::{self, Held, HeldFile, HeldOut, Hidden, Parted, Parting};
use tdd_core::mapping;
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::ports::{Bench, Bring, CanaryWish, Checkpoints, Clock, TestOrder, Tests, World};
use tdd_core::test::TestId;
use tdd_core::trouble::Trouble;
use tdd_source::{Language, OuterTest};

use crate::driver::cycle::Drive;

const ONE_TEST: &str = "it has one test";
const MAY_SKIP: &str = "a test of it says itself that it may be skipped";
const STILL_ONE: &str = "it has one test, and a second test-writer has brought no other";
const INSIDE: &str = "its tests lie inside sources";
const FROM_BEFORE: &str = "its tests lie in a file from before the run";
const LISTED: &str = "its tests are listed one by one, and lie in a file with others";
const SHARED: &str = "its tests lie in a file that another criterion's tests share";
const UNTOLD: &str = "its tests can't be told apart in their source";
const DEPEND: &str = "the tests that would be shown do not fail alone as they do beside the others";
const SNAPSHOTS: &str = "its runner keeps snapshots of all of its tests in one file";
const GREEN: &str = "it was green at baseline";

/// Something that the coin is thrown for.
struct Unit {
    file: RelPath,
    /// As the source declares it; none for a whole file.
    name: Option<String>,
    tests: Vec<TestId>,
}

/// What can be hidden of a criterion's tests, and what is shown whatever the coin says.
struct Tossed {
    units: Vec<Unit>,
    shown: Vec<TestId>,
}

impl<W: World> Drive<'_, W> {
    pub(super) async fn part_tests(&mut self) -> Result<Vec<Event>, Trouble> {
        let whole = self.state.good.clone().ok_or_else(|| Trouble::internal("a run without a good tree"))?;
        let reds = self.state.red.as_ref().map(|red| red.criteria.clone()).unwrap_or_default();
        let mut criteria = Vec::new();
        for red in &reds {
            criteria.push(self.toss_for(red, &whole)?);
        }
        if let Some(more) = self.more_tests_wanted(&criteria) {
            return Ok(vec![more]);
        }
        for parted in criteria.iter_mut().filter(|_| self.state.more.is_some()) {
            parted.none =
                parted.none.take().map(|why| if why == ONE_TEST { STILL_ONE.to_owned() } else { why });
        }
        let mut parting = Parting { whole, criteria };
        self.hide_what_they_rest_on(&mut parting)?;
        let checked = self.unpart_what_needs_its_others(&mut parting, &reds).await;
        self.ports.tests.work_in(None);
        self.ports.bench.close();
        checked?;
        Ok(vec![Event::HeldOut { held: Box::new(Held::Parted(parting)) }])
    }

    /// A coin needs two: before it is thrown a second test-writer is asked once, for all that have one test.
    fn more_tests_wanted(&self, criteria: &[Parted]) -> Option<Event> {
        let has_one = |parted: &&Parted| parted.none.as_deref() == Some(ONE_TEST);
        let criteria: Vec<_> = criteria.iter().filter(has_one).map(|parted| parted.id.clone()).collect();
        let is_wanted = self.state.more.is_none() && !criteria.is_empty();
        is_wanted.then(|| Event::HeldOut { held: Box::new(Held::More { criteria }) })
    }

    fn toss_for(&mut self, red: &CriterionRed, whole: &CheckpointId) -> Result<Parted, Trouble> {
        let id = &red.id;
        if self.state.run.plan.already_green.contains(id) {
            return Ok(Parted::nothing(id, GREEN));
        }
        // What is shown has to run, and so has what is hidden.
        if !red.may_skip.is_empty() {
            return Ok(Parted::nothing(id, MAY_SKIP));
        }
        let Tossed { units, shown } = match self.units_of(red, whole)? {
            Ok(tossed) => tossed,
            Err(why) => return Ok(Parted::nothing(id, why)),
        };
        let random = self.ports.clock.random(units.len() + 1)?;
        let toss = if shown.is_empty() { held_out::toss } else { held_out::toss_beside_shown };
        let Some(sides) = toss(units.len(), &random) else {
            return Ok(Parted::nothing(id, if shown.is_empty() { ONE_TEST } else { DEPEND }));
        };
        let mut parted = Parted { none: None, shown, ..Parted::nothing(id, "") };
        for (unit, is_hidden) in units.into_iter().zip(sides) {
            if !is_hidden {
                parted.shown.extend(unit.tests);
                continue;
            }
            parted.hidden.extend(unit.tests);
            let how = if unit.name.is_some() { Hidden::Cut } else { Hidden::Whole };
            let file = HeldFile { path: unit.file, how };
            if !parted.files.contains(&file) {
                parted.files.push(file);
            }
        }
        self.with_snapshots(parted, whole)
    }

    /// What runners keep of hidden files, if it came with them. One that is kept of shown tests, too, can't be parted.
    fn with_snapshots(&mut self, mut parted: Parted, whole: &CheckpointId) -> Result<Parted, Trouble> {
        let Some(start) = self.state.start.clone() else { return Ok(parted) };
        let mut came: Vec<RelPath> = self.ports.checkpoints.files(whole)?;
        let is_of = |path: &RelPath, how: Hidden| {
            let mut files = parted.files.iter().filter(|file| file.how == how);
            files.any(|file| held_out::is_snapshot_of(path, &file.path))
        };
        came.retain(|path| is_of(path, Hidden::Whole) || is_of(path, Hidden::Cut));
        if came.iter().any(|path| is_of(path, Hidden::Cut)) {
            return Ok(Parted::nothing(&parted.id, SNAPSHOTS));
        }
        for path in came {
            if self.ports.checkpoints.read(&start, &path)?.is_none() {
                parted.snapshots.push(path);
            }
        }
        Ok(parted)
    }

    /// Whole files where there are several, else the tests of the one.
    fn units_of(
        &mut self,
        red: &CriterionRed,
        whole: &CheckpointId,
    ) -> Result<Result<Tossed, &'static str>, Trouble> {
        let mapping = self.mapping();
        let own = mapping.of(&red.id).cloned().unwrap_or_default();
        if own.files.is_empty() || !own.ids.is_empty() {
            let is_test = |id: &TestId| {
                self.file_of(id).is_some_and(|file| self.policy.classify(&file) == FileClass::Test)
            };
            return Ok(Err(if own.ids.iter().any(is_test) { LISTED } else { INSIDE }));
        }
        let project = self.state.run.project.clone();
        let is_in = |test: &TestId, file: &RelPath| {
            let path = mapping::in_project(file, &project);
            test.0.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
        };
        let others = mapping.owned.iter().filter(|(id, _)| **id != red.id).map(|(_, owned)| owned);
        let others: Vec<_> = others.collect();
        let start = self.state.start.clone();
        let mut by_file: BTreeMap<RelPath, Vec<TestId>> = BTreeMap::new();
        for file in &own.files {
            let is_shared = |file: &RelPath| {
                others
                    .iter()
                    .any(|own| own.files.contains(file) || own.ids.iter().any(|test| is_in(test, file)))
            };
            if is_shared(file) {
                return Ok(Err(SHARED));
            }
            if let Some(start) = &start
                && self.ports.checkpoints.read(start, file)?.is_some()
            {
                return Ok(Err(FROM_BEFORE));
            }
            let tests: Vec<TestId> =
                red.tests.iter().map(|test| test.id.clone()).filter(|test| is_in(test, file)).collect();
            if !tests.is_empty() {
                by_file.insert(file.clone(), tests);
            }
        }
        if by_file.values().map(Vec::len).sum::<usize>() != red.tests.len() {
            return Ok(Err(UNTOLD));
        }
        if by_file.len() > 1 {
            return self.units_of_files(by_file, whole, red);
        }
        let Some((file, tests)) = by_file.pop_first().filter(|_| is_told(red)) else {
            return Ok(Err(UNTOLD));
        };
        let source = self.ports.checkpoints.read(whole, &file)?.unwrap_or_default();
        let units = units_in(&file, &source, tests);
        Ok(match units {
            Some(units) if units.len() < 2 => Err(ONE_TEST),
            Some(units) => Ok(Tossed { units, shown: Vec::new() }),
            None => Err(UNTOLD),
        })
    }

    /// Whole files, but for those that others take something from. Where all are such, tests of theirs, of each file
    /// all but one: some runners refuse a file that has none.
    fn units_of_files(
        &mut self,
        by_file: BTreeMap<RelPath, Vec<TestId>>,
        whole: &CheckpointId,
        red: &CriterionRed,
    ) -> Result<Result<Tossed, &'static str>, Trouble> {
        let files: Vec<RelPath> = by_file.keys().cloned().collect();
        let named = self.named_by_others(&files, whole)?;
        let (mut units, mut shown) = (Vec::new(), Vec::new());
        for (file, tests) in by_file {
            if named.len() < files.len() && named.contains(&file) {
                shown.extend(tests);
            } else if named.len() < files.len() {
                units.push(Unit { file, name: None, tests });
            } else {
                let source = self.ports.checkpoints.read(whole, &file)?.unwrap_or_default();
                let cut = units_in(&file, &source, tests.clone());
                let Some(mut cut) = cut.filter(|cut| cut.len() > 1 && is_told(red)) else {
                    shown.extend(tests);
                    continue;
                };
                let random = self.ports.clock.random(1)?;
                let one = cut.swap_remove(usize::from(random.first().copied().unwrap_or(0)) % cut.len());
                shown.extend(one.tests);
                units.extend(cut);
            }
        }
        Ok(Ok(Tossed { units, shown }))
    }

    /// What is shown must fail as it did beside what is hidden: a helper or a fixture may lie there.
    async fn unpart_what_needs_its_others(
        &mut self,
        parting: &mut Parting,
        reds: &[CriterionRed],
    ) -> Result<(), Trouble> {
        if parting.criteria.iter().all(|parted| parted.hidden.is_empty()) {
            return Ok(());
        }
        let was: BTreeMap<TestId, RedKind> =
            reds.iter().flat_map(|red| &red.tests).map(|test| (test.id.clone(), test.kind)).collect();
        for bring in [Bring::Dependencies, Bring::Everything] {
            let held = HeldOut::new(parting.clone(), Vec::new());
            let shown = self.shown_files(&held)?;
            self.check_out(&parting.whole, bring)?;
            let order = TestOrder {
                label: "held out: the shown ones".to_owned(),
                canary: CanaryWish::None,
                ..TestOrder::default()
            };
            self.ports.bench.put(&shown)?;
            let run = self.run_unseen(&order).await?;
            let report = run.report.as_ref().filter(|_| evidence(&run).is_ok());
            let now =
                report.map(|report| self.kinds(&parting.whole, report)).transpose()?.unwrap_or_default();
            let stands = |test: &TestId| now.contains_key(test) && now.get(test) == was.get(test);
            let differs = |parted: &Parted| !parted.hidden.is_empty() && !parted.shown.iter().all(stands);
            if !parting.criteria.iter().any(differs) {
                return Ok(());
            }
            if bring == Bring::Everything {
                for parted in parting.criteria.iter_mut().filter(|parted| differs(parted)) {
                    *parted = Parted::nothing(&parted.id, DEPEND);
                }
            }
        }
        Ok(())
    }
}

/// Whether each of its tests was seen by its own name.
fn is_told(red: &CriterionRed) -> bool {
    red.tests.iter().all(|test| test.seen != Seen::FileOnly)
}

/// The tests of one file as its source declares them, the outermost with all that is nested in them; `None` where a run
/// and the source do not tell the same, or one of them can't be cut out.
fn units_in(file: &RelPath, source: &[u8], tests: Vec<TestId>) -> Option<Vec<Unit>> {
    let language = Language::of(file.extension())?;
    let source = std::str::from_utf8(source).ok()?;
    let declared = tdd_source::outer_tests(language, source)?;
    let mut units: Vec<Unit> = Vec::new();
    for test in tests {
        let name = &declared.get(home_of(&test, &declared)?)?.name;
        match units.iter_mut().find(|unit| unit.name.as_ref() == Some(name)) {
            Some(unit) => unit.tests.push(test),
            None => units.push(Unit { file: file.clone(), name: Some(name.clone()), tests: vec![test] }),
        }
    }
    let names: BTreeSet<&str> = units.iter().filter_map(|unit| unit.name.as_deref()).collect();
    // A test that is declared and was not seen would stay where it is.
    (names.len() == declared.len()).then_some(units)
}

/// Which of the outermost tests holds the one that a run tells of.
fn home_of(test: &TestId, declared: &[OuterTest]) -> Option<usize> {
    let is_it = |outer: &OuterTest| outer.names.iter().any(|name| is_named(test, name));
    let is_of_a_table = |outer: &OuterTest| outer.names.iter().any(|name| is_filled_in(test, name));
    let mut of_tables = declared.iter().enumerate().filter(|(_, outer)| is_of_a_table(outer));
    let known = declared.iter().position(is_it);
    let known = known.or_else(|| declared.iter().position(|outer| is_within(test, &outer.name)));
    // Where two may have such a name it is not known whose it is.
    known.or_else(|| of_tables.next().filter(|_| of_tables.next().is_none()).map(|(at, _)| at))
}

/// Whether a run's test is the one that a source declares so; parameters are looked through.
fn is_named(test: &TestId, name: &str) -> bool {
    let Some((_, within)) = test.shared().split_once("::") else { return false };
    let plain = within.split('[').next().unwrap_or(within);
    within == name || plain == name || plain == name.replace("::", ".")
}

/// Whether it is one that this one brings forth by a name that only a run knows.
fn is_within(test: &TestId, outer: &str) -> bool {
    let Some((_, within)) = test.shared().split_once("::") else { return false };
    let rest = within.strip_prefix(outer);
    rest.is_some_and(|rest| [" > ", "/", "::"].iter().any(|between| rest.starts_with(between)))
}

/// Whether it is one of a table, whose title has places for values: `adds %i to $with.other`.
fn is_filled_in(test: &TestId, title: &str) -> bool {
    let Some((_, within)) = test.shared().split_once("::") else { return false };
    let Some((first, rest)) = literals(title) else { return false };
    let Some(mut within) = within.strip_prefix(first.as_str()) else { return false };
    let Some((last, between)) = rest.split_last() else { return false };
    for literal in between {
        let Some((_, behind)) = within.split_once(literal.as_str()) else { return false };
        within = behind;
    }
    within.ends_with(last.as_str())
}

/// What stands before the first place for a value, and behind each; `None` where there is no such place, or nothing
/// but such.
fn literals(title: &str) -> Option<(String, Vec<String>)> {
    let mut all = vec![String::new()];
    let mut chars = title.chars().peekable();
    while let Some(char) = chars.next() {
        let next = chars.peek().copied().unwrap_or(' ');
        let is_place = match char {
            '%' => "sdifjoOpc#$".contains(next),
            '$' => next.is_alphabetic() || "_#".contains(next),
            _ => false,
        };
        if !is_place {
            all.last_mut()?.push(char);
            continue;
        }
        chars.next();
        while char == '$' && chars.next_if(|char| char.is_alphanumeric() || "_.".contains(*char)).is_some() {}
        all.push(String::new());
    }
    let first = all.remove(0);
    let has_words = first.chars().chain(all.iter().flat_map(|part| part.chars())).any(char::is_alphanumeric);
    (has_words && !all.is_empty()).then_some((first, all))
}

/// A test file without these tests.
pub(super) fn cut(file: &RelPath, source: &[u8], hidden: &[TestId]) -> Option<Vec<u8>> {
    let language = Language::of(file.extension())?;
    let source = std::str::from_utf8(source).ok()?;
    let declared = tdd_source::outer_tests(language, source)?;
    let homes: BTreeSet<usize> = hidden.iter().filter_map(|test| home_of(test, &declared)).collect();
    let names: Vec<String> =
        homes.into_iter().filter_map(|at| declared.get(at)).map(|outer| outer.name.clone()).collect();
    tdd_source::without_tests(language, source, &names).map(String::into_bytes)
}

#[cfg(test)]
mod tests;
