//! Work that measures as passed though no valid block came with it (contract section 9).

use tdd_core::event::{Decision, Event, MissingBlock, Plan};
use tdd_core::halt::Ending;
use tdd_core::judge::Verdict;
use tdd_core::mode::Mode;
use tdd_core::role::Key;
use tdd_core::state::{End, Entry, State};
use tdd_core::trouble::TroubleKind;

use super::world::{Memory, Script, block, criterion, decide, decide_cut, run, tree_of};
use super::{ended, plan, steady};

/// Honest roles, of which this one does its work and forgets the block.
fn mute(key: &Key) -> Script {
    match key {
        Key::TestWriter => steady().always(key, |tree| {
            tree.write("tests/ac_x_1.txt", "one: ONE\n");
            tree.write("tests/ac_x_2.txt", "two: TWO\n");
            "done!".to_owned()
        }),
        Key::Implementer(_) => steady().always(key, |tree| {
            tree.write("src/a.txt", "OLD ONE\n");
            "done!".to_owned()
        }),
        Key::Refactorer => steady().always(key, |tree| {
            tree.write("src/a.txt", "ONE OLD\n");
            "done!".to_owned()
        }),
    }
}

fn keys() -> [Key; 3] {
    [Key::TestWriter, Key::Implementer(criterion(1)), Key::Refactorer]
}

fn halted(key: &Key) -> (State, Memory) {
    let (state, world) = run(plan(), mute(key));
    let End::Halted(halt) = ended(&state) else { panic!("{:?}", state.phase) };
    assert!(matches!(&halt.verdict, Verdict::Failed(fault) if fault.mode == Mode::D), "{halt:?}");
    assert!(state.takeable(halt).is_some(), "{key}");
    (state, world)
}

fn without_claim(state: &State) -> Vec<&Key> {
    let entries = state.ledgers.iter().flat_map(|(key, ledger)| ledger.entries.iter().map(move |e| (key, e)));
    entries.filter(|(_, entry)| Entry::is_kept_without_claim(entry)).map(|(key, _)| key).collect()
}

fn measurements(world: &Memory) -> usize {
    world.events().iter().filter(|event| matches!(event, Event::AttemptMeasured { .. })).count()
}

#[test]
fn what_lacks_a_block_alone_halts_as_mode_d_and_is_offered() {
    for key in keys() {
        let (state, world) = halted(&key);
        let End::Halted(halt) = ended(&state) else { panic!() };
        let report: serde_json::Value = serde_json::from_slice(&world.kept("halt.json")).unwrap();
        let tree = &state.takeable(halt).unwrap().tree.0;
        assert_eq!(
            (&report["mode"], &report["checkpoints"]["unclaimed"]),
            (&"D".into(), &tree.as_str().into())
        );
        let page = String::from_utf8(world.kept("halt.txt")).unwrap();
        assert!(page.contains("tdd resume run --take") && page.contains(tree), "{page}");
        assert_eq!(State::replay(&world.events()).unwrap().unwrap(), state, "{key}");
    }
}

#[test]
fn the_operator_takes_it_without_a_fork_and_the_run_goes_on() {
    for key in keys() {
        let (state, world) = halted(&key);
        let (forks, measured) = (state.ledgers[&key].entries.len(), measurements(&world));
        let state = decide(&world, &mute(&key), state, Decision::Take).unwrap();
        assert_eq!(ended(&state), &End::Finished(Ending::Verified), "{key}");
        assert_eq!((state.ledgers[&key].entries.len(), without_claim(&state)), (forks, vec![&key]));
        let later = 4 - match &key {
            Key::TestWriter => 1,
            Key::Implementer(_) => 2,
            Key::Refactorer => 4,
        };
        assert_eq!(measurements(&world), measured + later, "{key}: it is not measured again");
        let text = tree_of(&world).read("src/a.txt").unwrap().to_owned();
        assert_eq!(text, if key == Key::Refactorer { "ONE OLD\n" } else { "OLD ONE\n" });
        let summary: serde_json::Value = serde_json::from_slice(&world.kept("summary.json")).unwrap();
        assert_eq!(summary["no_claim"][0]["key"], key.to_string());
        let page = String::from_utf8(world.kept("summary.txt")).unwrap();
        assert!(page.contains(&format!("no claim: {key}, attempt 2")), "{page}");
        assert_eq!(State::replay(&world.events()).unwrap().unwrap(), state);
    }
}

#[test]
fn a_take_that_is_cut_off_anywhere_comes_to_the_same_end() {
    left_to_the_night!();
    let key = Key::Implementer(criterion(1));
    let (state, world) = halted(&key);
    let whole = decide(&world, &mute(&key), state, Decision::Take).unwrap();
    let tree = tree_of(&world);
    let mut cuts = 0;
    for fuse in 0..200 {
        let (state, world) = halted(&key);
        let (state, was_cut) = decide_cut(&world, &mute(&key), state, &Decision::Take, fuse);
        cuts += usize::from(was_cut);
        assert_eq!((ended(&state), without_claim(&state)), (ended(&whole), vec![&key]), "{fuse}");
        assert!(tree_of(&world) == tree, "{fuse}");
        if !was_cut {
            break;
        }
    }
    assert!(cuts > 10, "{cuts}");
}

#[test]
fn a_tree_that_is_another_by_then_is_measured_again() {
    let key = Key::Implementer(criterion(1));
    for (text, passes) in [("OLD ONE, and more\n", true), ("OLD\n", false)] {
        let (state, world) = halted(&key);
        let measured = measurements(&world);
        world.drifts("src/a.txt", text);
        let state = decide(&world, &mute(&key), state, Decision::Take).unwrap();
        assert!(measurements(&world) > measured, "{text}");
        assert_eq!(matches!(ended(&state), End::Finished(_)), passes, "{text}: {:?}", state.phase);
        assert_eq!(without_claim(&state).len(), usize::from(passes));
    }
}

#[test]
fn what_somebody_changed_meanwhile_is_not_overwritten_by_a_take() {
    let key = Key::Implementer(criterion(1));
    let (state, world) = halted(&key);
    world.drifts("src/mine.txt", "mine\n");
    world.drift_now();
    let trouble = decide(&world, &mute(&key), state, Decision::Take).unwrap_err();
    assert!(
        trouble.kind == TroubleKind::Passing && trouble.to_string().contains("src/mine.txt"),
        "{trouble}"
    );
    assert_eq!(tree_of(&world).read("src/mine.txt"), Some("mine\n"));
    // The twin: who has brought the very work back by hand has changed nothing.
    let (state, world) = halted(&key);
    world.drifts("src/a.txt", "OLD ONE\n");
    world.drift_now();
    let state = decide(&world, &mute(&key), state, Decision::Take).unwrap();
    assert_eq!(ended(&state), &End::Finished(Ending::Verified));
}

#[test]
fn there_is_nothing_to_take_of_work_that_fails() {
    let key = Key::Implementer(criterion(1));
    let idle = || steady().always(&key, |_| "done!".to_owned());
    for then in [MissingBlock::Halt, MissingBlock::Take] {
        let (state, world) = run(Plan { on_missing_block: then, ..plan() }, idle());
        let End::Halted(halt) = ended(&state) else { panic!("{then:?}: {:?}", state.phase) };
        assert!(
            matches!(&halt.verdict, Verdict::Failed(fault) if fault.mode == Mode::D && fault.reasons.len() > 1)
        );
        let page = String::from_utf8(world.kept("halt.txt")).unwrap();
        assert!(!page.contains("--take"), "{page}");
        let trouble = decide(&world, &idle(), state, Decision::Take).unwrap_err();
        assert_eq!(trouble.kind, TroubleKind::User, "{trouble}");
    }
}

#[test]
fn the_settings_take_it_at_once_and_a_block_that_comes_late_is_still_a_claim() {
    for key in keys() {
        let take = || Plan { on_missing_block: MissingBlock::Take, ..plan() };
        let (state, _) = run(take(), mute(&key));
        assert_eq!(ended(&state), &End::Finished(Ending::Verified), "{key}");
        assert_eq!(without_claim(&state), [&key]);
        // The format retry comes first, and what it says counts.
        for (status, verified) in [("ok", true), ("failed", false)] {
            let role = key.role().name().to_owned();
            let late = mute(&key).on(&key, 2, move |_| block(&role, status));
            let late = late.on(&key, 3, |_| "done!".to_owned());
            let (state, _) = run(take(), late);
            assert_eq!(without_claim(&state).is_empty(), verified, "{key} {status}");
        }
    }
}

/// A first child that works and forgets its block; its format retry, and every child after it, spoils the work.
fn spoiled(first: &'static str, retry: Option<&'static str>) -> Script {
    let key = Key::Implementer(criterion(1));
    let script = steady().on(&key, 1, move |tree| {
        tree.write("src/a.txt", first);
        "done!".to_owned()
    });
    let script = script.on(&key, 2, move |tree| {
        if let Some(text) = retry {
            tree.write("src/a.txt", text);
        }
        block("implementer", "ok")
    });
    script.on(&key, 3, |_| block("implementer", "failed"))
}

#[test]
fn work_that_its_format_retry_spoiled_is_measured_and_taken() {
    let key = Key::Implementer(criterion(1));
    let script = || spoiled("OLD ONE\n", Some("OLD\n"));
    let (state, world) = run(plan(), script());
    let End::Halted(halt) = ended(&state) else { panic!("{:?}", state.phase) };
    assert!(matches!(&halt.verdict, Verdict::Failed(fault) if fault.mode == Mode::B), "{halt:?}");
    let work = state.takeable(halt).unwrap();
    assert_eq!((work.attempt.number, work.is_measured()), (1, false));
    let page = String::from_utf8(world.kept("halt.txt")).unwrap();
    for words in [
        "tdd resume run --take",
        "run the tests on what attempt 1 left",
        "that was not measured",
        &work.tree.0,
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert_eq!(State::replay(&world.events()).unwrap().unwrap(), state);
    let (forks, measured) = (state.ledgers[&key].entries.len(), measurements(&world));
    let state = decide(&world, &script(), state, Decision::Take).unwrap();
    assert_eq!(ended(&state), &End::Finished(Ending::Verified));
    assert_eq!((state.ledgers[&key].entries.len(), without_claim(&state)), (forks, vec![&key]));
    assert_eq!(measurements(&world), measured + 3, "its own, the second criterion's and the refactorer's");
    assert_eq!(State::replay(&world.events()).unwrap().unwrap(), state);
}

#[test]
fn work_before_a_format_retry_that_fails_when_it_is_measured_is_not_offered_again() {
    let script = || spoiled("OLD, almost ONe\n", Some("OLD\n"));
    let (state, world) = run(plan(), script());
    let state = decide(&world, &script(), state, Decision::Take).unwrap();
    let End::Halted(halt) = ended(&state) else { panic!("{:?}", state.phase) };
    assert!(
        matches!(&halt.verdict, Verdict::Failed(fault) if fault.mode == Mode::D && fault.reasons.len() > 1)
    );
    assert_eq!(state.takeable(halt), None);
}

/// Twins: a retry that left the work alone was measured on it; one before which nothing was done spoils nothing.
#[test]
fn work_that_a_format_retry_left_as_it_was_is_not_offered_unmeasured() {
    for (first, retry) in [("OLD\n", None), ("OLD, almost\n", None), ("OLD\n", Some("OLD, almost\n"))] {
        let (state, _) = run(plan(), spoiled(first, retry));
        let End::Halted(halt) = ended(&state) else { panic!("{:?}", state.phase) };
        assert_eq!(state.takeable(halt), None, "{first:?} {retry:?}");
    }
}
