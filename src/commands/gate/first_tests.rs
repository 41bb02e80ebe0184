//! The first tests of a repository that began without any: red before there is code, and no fault of the mode's.

use std::collections::BTreeSet;

use super::desk::Desk;
use super::{gone_tests, worse};
use crate::world::journal_file;
use tdd_core::counted::and_more;
use tdd_core::event::{Event, PassFail};
use tdd_core::harmless;
use tdd_core::ports::Checkpoints as _;
use tdd_core::session::LastRun;
use tdd_core::test::{FailureKind, TestId, TestRun};
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::watch::Look;

/// Files that are named one by one.
const NAMED: usize = 3;

/// What a model is told at the end of a turn that leaves such a test red.
pub(super) fn reminder(desk: &Desk) -> Option<String> {
    let (id, _) = desk.state().tests.iter().find(|(_, last)| LastRun::is_counted_red(last))?;
    Some(format!(
        "tdd: {id} is red, and refactor mode is on for want of tests. Claim a file for it: tdd gate claim {id} FILE; or end \
         the mode: tdd gate refactor off"
    ))
}

/// The reds of a run, if each is one that code can answer, and of a test that nobody has seen green.
pub(super) fn red_alone(desk: &Desk, run: &TestRun) -> Result<Option<Vec<String>>, Trouble> {
    let Some(reds) = worse::told_red(run) else { return Ok(None) };
    let answers = |kind: FailureKind| {
        matches!(kind, FailureKind::Assertion | FailureKind::Error | FailureKind::Missing)
    };
    let greens = greens(desk)?;
    let is_new = |id: &TestId| !greens.iter().any(|green| green == id || green.file() == id.0);
    let is_alone = reds.iter().all(|(id, kind)| answers(*kind) && is_new(id));
    Ok(is_alone.then(|| reds.into_iter().map(|(id, _)| id.0).collect()))
}

/// Every test that was ever green in this session.
fn greens(desk: &Desk) -> Result<BTreeSet<TestId>, Trouble> {
    let records = journal_file::read_only(&desk.session.folder)?;
    let green = |event: &Event| {
        let Event::TestRun(fact) = event else { return None };
        (fact.status == PassFail::Pass).then(|| fact.test_id.clone())
    };
    Ok(records.iter().filter_map(|record| green(&record.event)).collect())
}

/// What is told when a session begins whose tests are all gone, and not by a commit.
pub(super) fn gone(desk: &Desk) -> Option<String> {
    let state = desk.state();
    let mut checkpoints = desk.checkpoints(Look::Quick).ok()?;
    let files = checkpoints.files(&state.tree).ok()?;
    if gone_tests::has_some(&desk.place, desk.rules.policy(), &files) {
        return None;
    }
    let seen = (state.git.as_ref().map(|git| git.head.clone()), state.tree.clone());
    let gone = gone_tests::since_head(&mut checkpoints, desk.rules.policy(), &seen).ok()?;
    let names: Vec<_> = gone.iter().take(NAMED).map(|path| harmless::line(path.as_str())).collect();
    let more = and_more(gone.len().saturating_sub(NAMED));
    (!names.is_empty()).then(|| {
        format!(
            "tdd: the tests are gone that HEAD has ({}{more}), so that no refactor mode is on for want of them: put them back \
             (git checkout HEAD -- FILE), or tell the person, who commits it if it is meant so",
            names.join(", ")
        )
    })
}
