//! The driver over a world in memory: a tree of texts, a runner that reads them, scripted roles.
//!
//! A test file holds lines `name: WORD`; such a test passes if some file below `src/` holds WORD.

mod faults;
mod unclaimed;
mod world;

use tdd_core::criterion::Verify;
use tdd_core::event::{Event, Plan};
use tdd_core::halt::Ending;
use tdd_core::judge::{Reason, Verdict};
use tdd_core::machine::Machine;
use tdd_core::mode::Mode;
use tdd_core::path::RelPath;
use tdd_core::role::Key;
use tdd_core::state::{End, Phase, Progress, State};

use world::{
    Script, baseline_of, block, criterion, run, run_cut, run_first_by, run_with_suite_that_writes, tree_of,
};

fn path(text: &str) -> RelPath {
    RelPath::new(text).unwrap()
}

fn plan() -> Plan {
    Plan { criteria: vec![criterion(1), criterion(2)], ..Plan::default() }
}

/// A test-writer and two implementers and a refactorer that do what they should.
fn honest() -> Script {
    Script::new()
        .on(&Key::TestWriter, 1, |tree| {
            tree.write("tests/ac_x_1.txt", "one: ONE\n");
            tree.write("tests/ac_x_2.txt", "two: TWO\n");
            block("test-writer", "ok")
        })
        .on(&Key::Implementer(criterion(1)), 1, |tree| {
            tree.write("src/a.txt", "OLD ONE\n");
            block("implementer", "ok")
        })
        .on(&Key::Implementer(criterion(2)), 1, |tree| {
            tree.write("src/b.txt", "TWO\n");
            block("implementer", "ok")
        })
        .on(&Key::Refactorer, 1, |_| block("refactorer", "ok"))
}

fn faults(state: &State, key: &Key) -> Vec<(Mode, Vec<Reason>)> {
    let verdicts = state.ledgers[key].entries.iter().filter_map(|entry| entry.verdict.clone());
    verdicts
        .filter_map(|verdict| match verdict {
            Verdict::Failed(fault) => Some((fault.mode, fault.reasons)),
            Verdict::Passed | Verdict::Disputed(_) => None,
        })
        .collect()
}

fn ended(state: &State) -> &End {
    match &state.phase {
        Phase::Ended { end } => end,
        other => panic!("the run has not ended: {other:?}"),
    }
}

#[test]
fn an_honest_run_goes_through_with_one_fork_for_each_part() {
    let (state, world) = run(plan(), honest());
    assert_eq!(ended(&state), &End::Finished(Ending::Verified));
    assert_eq!(state.forks(), 4);
    assert!(state.progress.values().all(|progress| *progress == Progress::Green));
    assert_eq!(state.worked_on, [path("src/a.txt"), path("src/b.txt")]);
    let replayed = State::replay(&world.events()).unwrap().unwrap();
    assert_eq!(replayed, state, "the journal tells the whole state");
}

/// What the refactorer writes, and how often the whole suite is run: once for the baseline, for RED
/// and for each GREEN, and for a REFACTOR that changed something. Of some tests: for RED's second look,
/// and for what each implementer is shown.
#[test]
fn a_verdict_takes_one_whole_run_and_a_tree_that_was_judged_none() {
    let plan = || Plan { criteria: [1, 2, 3].map(criterion).to_vec(), ..Plan::default() };
    let script = |refactored: Option<&'static str>| {
        let green = |script: Script, number: u64, word: &'static str| {
            script.on(&Key::Implementer(criterion(number)), 1, move |tree| {
                tree.write(&format!("src/{number}.txt"), word);
                block("implementer", "ok")
            })
        };
        let script = Script::new().on(&Key::TestWriter, 1, |tree| {
            for (number, word) in [(1, "ONE"), (2, "TWO"), (3, "THREE")] {
                tree.write(&format!("tests/ac_x_{number}.txt"), &format!("t: {word}\n"));
            }
            block("test-writer", "ok")
        });
        let script = green(green(green(script, 1, "ONE"), 2, "TWO"), 3, "THREE");
        script.on(&Key::Refactorer, 1, move |tree| {
            if let Some(text) = refactored {
                tree.write("src/a.txt", text);
            }
            block("refactorer", "ok")
        })
    };
    for (refactored, whole) in [(None, 5), (Some("OLD, in other words\n"), 6)] {
        let (state, world) = run(plan(), script(refactored));
        assert_eq!(ended(&state), &End::Finished(Ending::Verified));
        assert_eq!((state.facts.runs.whole, state.facts.runs.narrowed), (whole, 4), "{refactored:?}");
        let gate = world.events().into_iter().find_map(|event| match event {
            Event::GateMeasured { green, judged_at, .. } => Some((green, judged_at)),
            _ => None,
        });
        let (green, judged_at) = gate.unwrap();
        assert!(green && judged_at.is_some(), "the last GREEN judged this tree by this command");
        assert_eq!(State::replay(&world.events()).unwrap().unwrap(), state);
    }
    // What breaks a test is found where something changed.
    let (state, _) =
        run(plan(), script(Some("NEW\n")).on(&Key::Refactorer, 2, |_| block("refactorer", "ok")));
    assert_eq!(ended(&state), &End::Finished(Ending::Verified), "the second one changes nothing");
    assert!(matches!(&faults(&state, &Key::Refactorer)[..], [(Mode::C, _)]));
}

#[test]
fn what_the_suite_itself_writes_is_put_back_and_nobody_is_blamed() {
    let own = ("tests/examples/x.toml", "x = 1\n");
    let writes = [
        ("tests/examples/x.toml", "x = 2\n"),
        ("tests/out/gen.py", "X = 1\n"),
        ("tests/out/new.dat", "left\n"),
    ];
    // The implementer runs the tests, as it should, and so leaves what they write.
    let script = honest().on(&Key::Implementer(criterion(1)), 1, move |tree| {
        tree.write("src/a.txt", "OLD ONE\n");
        for (path, text) in &writes {
            tree.write(path, text);
        }
        // A folder of another name each time, as tests make them.
        tree.write("tests/out-7/gen.py", "X = 7\n");
        tree.write("tests/ac_x_1.proptest-regressions", "cc 123\n");
        block("implementer", "ok")
    });
    let (state, world) = run_with_suite_that_writes(plan(), script, &[own], &writes);
    assert_eq!(ended(&state), &End::Finished(Ending::Verified));
    assert_eq!(state.forks(), 4, "nobody had to try again");
    assert_eq!(state.baseline.as_ref().unwrap().test.rewritten, [own.0, writes[1].0, writes[2].0].map(path));
    let tree = tree_of(&world);
    assert_eq!(tree.read(own.0), Some(own.1));
    assert_eq!([writes[1].0, writes[2].0, "tests/out-7/gen.py"].map(|path| tree.read(path)), [None; 3]);
    // A seed that a failing property leaves is a by-product: it is no change, and it stays.
    assert_eq!(tree.read("tests/ac_x_1.proptest-regressions"), Some("cc 123\n"));
    assert_eq!(State::replay(&world.events()).unwrap().unwrap(), state);
}

#[test]
fn what_the_suite_does_not_write_is_protected_as_ever() {
    for (file, text) in [
        ("tests/examples/x.toml", "x = 2\n"),
        ("tests/old.txt", "old: ONE\n"),
        ("tests/test_more.py", "def test_more(): pass\n"),
        ("tests/helper.rb", "x\n"),
    ] {
        let script = honest().always(&Key::Implementer(criterion(1)), move |tree| {
            tree.write("src/a.txt", "OLD ONE\n");
            tree.write(file, text);
            block("implementer", "ok")
        });
        // A new folder's `test_more.py` says nothing of one beside the project's own tests.
        let writes: &[(&str, &str)] =
            if file == "tests/test_more.py" { &[("tests/made/test_more.py", "\n")] } else { &[] };
        let (state, _) =
            run_with_suite_that_writes(plan(), script, &[("tests/examples/x.toml", "x = 1\n")], writes);
        let reasons = &faults(&state, &Key::Implementer(criterion(1)))[0].1;
        assert!(reasons.contains(&Reason::Forbidden(path(file))), "{file}: {reasons:?}");
    }
}

#[test]
fn a_dead_baseline_is_refused_and_a_project_without_tests_is_not() {
    use tdd_core::event::RedRule;
    let one = Plan { criteria: vec![criterion(1)], ..Plan::default() };
    let allowed = Plan { red_baseline: RedRule::Allow, ..one.clone() };
    let red = [("src/a.txt", "OLD\n"), ("tests/a.txt", "a: GONE\nb: LOST\n")];
    let green = [("src/a.txt", "OLD\n"), ("tests/a.txt", "a: GONE\nb: OLD\n")];
    for (name, plan, files, looks_in, want) in [
        (
            "nothing is green",
            &one,
            &red[..],
            "tests",
            Some("not one test is green before anything was done: 0 of 2"),
        ),
        ("no test is found", &one, &green[..], "nope", Some("the test command finds no tests")),
        (
            "the same, whatever is allowed",
            &allowed,
            &green[..],
            "nope",
            Some("the test command finds no tests"),
        ),
    ] {
        let refused = baseline_of(plan.clone(), files, looks_in);
        let trouble = refused.map(|state| state.phase).unwrap_err();
        assert!(trouble.what.starts_with(want.unwrap()), "{name}: {}", trouble.what);
        assert!(trouble.why.contains("raw output"), "what it printed: {}", trouble.why);
    }
    for (name, plan, files) in [
        ("some are green", &one, &green[..]),
        ("none is, and that is allowed", &allowed, &red[..]),
        ("there are none", &one, &red[..1]),
    ] {
        let forked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            baseline_of(plan.clone(), files, "tests").map(|state| state.phase)
        }));
        assert!(forked.is_err(), "{name}: the first role is forked, and nothing is scripted for it");
    }
}

#[test]
fn an_intent_is_journalled_before_its_child_is_forked() {
    let (_, world) = run(plan(), honest());
    for (at, fork) in world.forks_with_journal_length() {
        let events = world.events();
        let before: Vec<&Event> = events[..at].iter().collect();
        assert!(
            matches!(before.last(), Some(Event::AttemptStarted { attempt }) if attempt.key == fork.clone().into()),
            "the fork of {fork} was not journalled right before it"
        );
    }
}

#[test]
fn a_test_that_passes_at_once_is_a_false_red() {
    let script = Script::new().always(&Key::TestWriter, |tree| {
        tree.write("tests/ac_x_1.txt", "one: OLD\n");
        tree.write("tests/ac_x_2.txt", "two: TWO\n");
        block("test-writer", "ok")
    });
    let (state, _) = run(plan(), script);
    assert!(matches!(ended(&state), End::Halted(_)));
    let faults = faults(&state, &Key::TestWriter);
    assert_eq!(faults.len(), 2, "two attempts, no more");
    assert!(faults.iter().all(|(mode, reasons)| {
        *mode == Mode::A
            && matches!(&reasons[..], [Reason::NotRed { criterion: c, .. }] if *c == criterion(1))
    }));
}

#[test]
fn a_test_writer_that_writes_production_code_fails_and_its_code_goes() {
    let script = honest().on(&Key::TestWriter, 1, |tree| {
        tree.write("tests/ac_x_1.txt", "one: ONE\n");
        tree.write("tests/ac_x_2.txt", "two: TWO\n");
        tree.write("src/a.txt", "OLD ONE TWO\n");
        block("test-writer", "ok")
    });
    let script = script.on(&Key::TestWriter, 2, |tree| {
        assert_eq!(tree.read("src/a.txt"), Some("OLD\n"), "non-test files come back before the retry");
        assert_eq!(tree.read("tests/ac_x_1.txt"), Some("one: ONE\n"), "tests stay");
        block("test-writer", "ok")
    });
    let (state, _) = run(plan(), script);
    assert_eq!(faults(&state, &Key::TestWriter), [(Mode::A, vec![Reason::Forbidden(path("src/a.txt"))])]);
    assert_eq!(ended(&state), &End::Finished(Ending::Verified));
}

#[test]
fn a_missing_criterion_and_an_existing_test_changed_are_false_reds() {
    let script = Script::new().always(&Key::TestWriter, |tree| {
        tree.write("tests/ac_x_1.txt", "one: ONE\n");
        tree.write("tests/old.txt", "old: SOMETHING\n");
        block("test-writer", "ok")
    });
    let (state, _) = run(plan(), script);
    let (_, reasons) = &faults(&state, &Key::TestWriter)[0];
    assert!(reasons.contains(&Reason::NoCandidate(criterion(2))), "{reasons:?}");
    assert!(
        reasons.iter().any(|r| matches!(r, Reason::Unlisted(id) if id.0 == "tests/old.txt::old")),
        "{reasons:?}"
    );
}

const INLINE: &str = "// ONE\n#[test]\nfn inline() {\n    assert_eq!(one(), 1);\n}\n";

#[test]
fn a_test_inside_a_source_may_be_moved_but_not_weakened() {
    let script = honest()
        .on(&Key::Implementer(criterion(1)), 1, |tree| {
            tree.write("src/one.rs", INLINE);
            block("implementer", "ok")
        })
        .on(&Key::Implementer(criterion(2)), 1, |tree| {
            tree.write("src/one.rs", &INLINE.replace("assert_eq!(one(), 1);", "").replace("ONE", "ONE TWO"));
            block("implementer", "ok")
        })
        .on(&Key::Implementer(criterion(2)), 2, |tree| {
            assert!(!tree.read("src/one.rs").unwrap().contains("assert"), "the child's work stays");
            tree.write("src/one.rs", "// ONE\n");
            tree.write("src/two.rs", &format!("// TWO\nmod tests {{\n{INLINE}}}\n"));
            block("implementer", "ok")
        })
        .on(&Key::Refactorer, 1, |tree| {
            tree.write("src/two.rs", &INLINE.replace("#[test]", "#[test]\n#[ignore]").replace("ONE", "TWO"));
            block("refactorer", "ok")
        })
        .on(&Key::Refactorer, 2, |_| block("refactorer", "ok"));
    let (state, _) = run(plan(), script);
    let implementer = faults(&state, &Key::Implementer(criterion(2)));
    assert_eq!(implementer, [(Mode::B, vec![Reason::InlineTest(path("src/one.rs"))])]);
    assert_eq!(faults(&state, &Key::Refactorer), [(Mode::C, vec![Reason::InlineTest(path("src/two.rs"))])]);
    assert_eq!(ended(&state), &End::Finished(Ending::Verified));
}

#[test]
fn an_implementer_that_weakens_a_test_fails_and_the_test_comes_back() {
    let script = honest()
        .on(&Key::Implementer(criterion(1)), 1, |tree| {
            tree.write("tests/ac_x_1.txt", "one: OLD\n");
            block("implementer", "ok")
        })
        .on(&Key::Implementer(criterion(1)), 2, |tree| {
            assert_eq!(tree.read("tests/ac_x_1.txt"), Some("one: ONE\n"));
            tree.write("src/a.txt", "OLD ONE\n");
            block("implementer", "ok")
        });
    let (state, _) = run(plan(), script);
    let faults = faults(&state, &Key::Implementer(criterion(1)));
    assert_eq!(faults[0].0, Mode::B);
    assert!(faults[0].1.contains(&Reason::Forbidden(path("tests/ac_x_1.txt"))), "{faults:?}");
    assert_eq!(ended(&state), &End::Finished(Ending::Verified));
}

#[test]
fn an_implementer_that_breaks_an_old_test_fails() {
    let script = honest().always(&Key::Implementer(criterion(1)), |tree| {
        tree.write("src/a.txt", "ONE\n");
        block("implementer", "ok")
    });
    let (state, world) = run(plan(), script);
    let faults = faults(&state, &Key::Implementer(criterion(1)));
    assert_eq!(faults.len(), 2);
    assert!(
        matches!(&faults[0].1[..], [Reason::Regressed(id)] if id.0 == "tests/old.txt::old"),
        "{faults:?}"
    );
    assert_eq!(
        tree_of(&world).read("src/a.txt"),
        Some("OLD\n"),
        "after the halt the tree is the last good one"
    );
}

#[test]
fn a_claim_never_helps_and_can_hurt() {
    let lying = honest().always(&Key::Implementer(criterion(1)), |_| block("implementer", "ok"));
    let (state, _) = run(plan(), lying);
    assert!(matches!(ended(&state), End::Halted(halt) if halt.key == Key::Implementer(criterion(1))));

    let modest = honest()
        .on(&Key::Implementer(criterion(1)), 1, |tree| {
            tree.write("src/a.txt", "OLD ONE\n");
            block("implementer", "failed")
        })
        .on(&Key::Implementer(criterion(1)), 2, |_| block("implementer", "ok"));
    let (state, _) = run(plan(), modest);
    assert_eq!(faults(&state, &Key::Implementer(criterion(1)))[0].1, [Reason::ClaimedFailed]);
    assert_eq!(ended(&state), &End::Finished(Ending::Verified));
}

#[test]
fn a_message_without_a_block_gets_one_format_retry_that_keeps_the_work() {
    let script = honest()
        .on(&Key::Implementer(criterion(1)), 1, |tree| {
            tree.write("src/a.txt", "OLD ONE\n");
            "done!".to_owned()
        })
        .on(&Key::Implementer(criterion(1)), 2, |tree| {
            assert_eq!(tree.read("src/a.txt"), Some("OLD ONE\n"));
            block("implementer", "ok")
        });
    let (state, _) = run(plan(), script);
    assert_eq!(faults(&state, &Key::Implementer(criterion(1)))[0].0, Mode::D);
    assert_eq!(state.ledgers[&Key::Implementer(criterion(1))].spent.semantic, 0);
    assert_eq!(ended(&state), &End::Finished(Ending::Verified));

    let mute = honest().always(&Key::Implementer(criterion(1)), |_| "done!".to_owned());
    let (state, _) = run(plan(), mute);
    assert_eq!(faults(&state, &Key::Implementer(criterion(1))).len(), 2);
    assert!(matches!(ended(&state), End::Halted(_)));
}

/// Green work that ends with an example of a dispute, as a guide of the project or the role's text shows it.
#[test]
fn ac_tdd_1_5_a_quoted_dispute_halts_nothing() {
    let key = Key::Implementer(criterion(1));
    let quoted = "docs/how.md shows a dispute:\n\n```tdd-result\nrole: implementer\nstatus: failed\nfiles: []\n\
                  command: t\noutput_excerpt: red\ndispute: { tests: [tests/test_other.py::test_total], reason: sum }\n\
                  ```\nI have none.";
    let script = honest()
        .on(&key, 1, |tree| {
            tree.write("src/a.txt", "OLD ONE\n");
            quoted.to_owned()
        })
        .on(&key, 2, |_| block("implementer", "ok"));
    let (state, world) = run(plan(), script);
    assert_eq!(ended(&state), &End::Finished(Ending::Verified));
    assert_eq!(faults(&state, &key)[0].0, Mode::D);
    let told: Vec<String> =
        world.prompts().into_iter().filter(|(of, ..)| *of == key).map(|(_, prompt, _)| prompt).collect();
    assert!(told[1].contains("tests/test_other.py::test_total, and no such test is here"), "{}", told[1]);
}

#[test]
fn every_judgement_is_in_the_journal() {
    let script = honest()
        .on(&Key::Implementer(criterion(1)), 1, |tree| {
            tree.write("src/a.txt", "OLD ONE\n");
            "done!".to_owned()
        })
        .on(&Key::Implementer(criterion(1)), 2, |_| block("implementer", "ok"));
    let (state, world) = run(plan(), script);
    assert_eq!(ended(&state), &End::Finished(Ending::Verified));
    let judged: Vec<bool> = world
        .events()
        .iter()
        .filter_map(|event| match event {
            Event::AgentReturned { judged, .. } => Some(judged.is_some()),
            Event::AttemptMeasured { verdict, .. } => Some(verdict.is_some()),
            _ => None,
        })
        .collect();
    assert!(judged.len() > 6 && judged.iter().all(|judged| *judged), "{judged:?}");
}

#[test]
fn an_attempt_without_a_final_message_is_told_so_and_asked_to_re_emit_nothing() {
    let key = Key::Implementer(criterion(1));
    let script = honest()
        .on(&key, 1, |tree| {
            tree.write("src/a.txt", "OLD ONE\n");
            String::new()
        })
        .on(&key, 2, |_| block("implementer", "ok"));
    let (state, world) = run(plan(), script);
    assert_eq!(ended(&state), &End::Finished(Ending::Verified));
    let told: Vec<String> =
        world.prompts().into_iter().filter(|(of, ..)| *of == key).map(|(_, prompt, _)| prompt).collect();
    assert!(!told[0].contains("without a final message"), "{}", told[0]);
    assert!(told[1].starts_with(&told[0]) && told[1].contains("without a final message"), "{}", told[1]);
    assert!(told.iter().all(|prompt| !prompt.contains("re-emit")));
}

#[test]
fn a_refactorer_that_removes_what_is_needed_fails_and_the_tree_is_the_last_green() {
    let script = honest().always(&Key::Refactorer, |tree| {
        tree.write("src/b.txt", "");
        block("refactorer", "ok")
    });
    let (state, world) = run(plan(), script);
    let faults = faults(&state, &Key::Refactorer);
    assert_eq!((faults.len(), faults[0].0), (2, Mode::C));
    assert_eq!(tree_of(&world).read("src/b.txt"), Some("TWO\n"));
}

#[test]
fn work_of_an_earlier_criterion_may_turn_a_later_one_green() {
    let script = honest()
        .on(&Key::Implementer(criterion(1)), 1, |tree| {
            tree.write("src/a.txt", "OLD ONE TWO\n");
            block("implementer", "ok")
        })
        .on(&Key::Implementer(criterion(2)), 1, |_| block("implementer", "ok"));
    let (state, world) = run(plan(), script);
    assert_eq!(ended(&state), &End::Finished(Ending::Verified));
    assert!(world.events().iter().any(|event| match event {
        Event::AttemptMeasured { findings, .. } => {
            matches!(&**findings, tdd_core::finding::Findings::Green(green) if green.early_green)
        }
        _ => false,
    }));
}

#[test]
fn a_gate_is_judged_without_the_tests_of_later_criteria() {
    let script = honest().on(&Key::TestWriter, 1, |tree| {
        tree.write("tests/ac_x_2.txt", "two: TWO\n");
        block("test-writer", "ok")
    });
    let (state, _) = run_first_by(&Verify::Gate, plan(), script);
    assert_eq!(ended(&state), &End::Finished(Ending::Verified));
    assert_eq!(faults(&state, &Key::Implementer(criterion(1))), []);
}

#[test]
fn no_prompt_of_an_implementer_names_the_requirement_or_another_criterion() {
    let (_, world) = run(plan(), honest());
    for (key, prompt, role_text) in world.prompts() {
        let all = format!("{prompt}{role_text}");
        match &key {
            Key::Implementer(id) => {
                let other = if *id == criterion(1) { "text of the second" } else { "text of the first" };
                assert!(!all.contains("specs/frs/X.md"), "{key} sees the requirement's path");
                assert!(!all.contains(other), "{key} sees another criterion's text");
                assert!(all.contains(&id.to_string()));
            }
            Key::TestWriter => assert!(all.contains("specs/frs/X.md") && all.contains("text of the second")),
            Key::Refactorer => {
                assert!(all.contains("src/a.txt") && !all.contains("text of the"));
            }
        }
    }
}

/// An honest run whose roles do the same in every attempt, so that a cut one can be run again.
fn steady() -> Script {
    Script::new()
        .always(&Key::TestWriter, |tree| {
            tree.write("tests/ac_x_1.txt", "one: ONE\n");
            tree.write("tests/ac_x_2.txt", "two: TWO\n");
            block("test-writer", "ok")
        })
        .always(&Key::Implementer(criterion(1)), |tree| {
            tree.write("src/a.txt", "OLD ONE\n");
            block("implementer", "ok")
        })
        .always(&Key::Implementer(criterion(2)), |tree| {
            tree.write("src/b.txt", "TWO\n");
            block("implementer", "ok")
        })
        .always(&Key::Refactorer, |_| block("refactorer", "ok"))
}

/// An implementer that fails twice: the run halts.
fn hopeless() -> Script {
    steady().always(&Key::Implementer(criterion(2)), |_| block("implementer", "ok"))
}

/// What has to be the same however often a run was cut off: where it ended, the tree, the progress,
/// what was spent, and the attempts that count.
fn essence(state: &State, tree: &world::Tree) -> String {
    let ledgers: Vec<String> = state
        .ledgers
        .iter()
        .map(|(key, ledger)| {
            let counted = ledger.entries.iter().filter(|entry| !entry.cut).count();
            format!("{key}: {:?} {counted}", ledger.spent)
        })
        .collect();
    let end = match ended(state) {
        End::Finished(ending) => format!("{ending:?}"),
        End::Halted(halt) => format!("halted {}", halt.key),
        End::Abandoned | End::Refused => "abandoned or refused".to_owned(),
    };
    format!("{end} {:?} {ledgers:?} {tree:?}", state.progress)
}

#[test]
fn ac_tdd_7_1_a_run_cut_off_at_any_call_of_a_port_comes_to_the_same_end() {
    left_to_the_night!();
    for script in [steady(), hopeless()] {
        let (whole, world) = run(plan(), script.clone());
        let want = essence(&whole, &tree_of(&world));
        for fuse in 0..world.calls() {
            let (state, cut) = run_cut(plan(), &script, fuse);
            assert_eq!(essence(&state, &tree_of(&cut)), want, "cut off at call {fuse}");
            let forks = cut.forks_with_journal_length().len();
            let whole_forks = world.forks_with_journal_length().len();
            assert!(
                forks <= whole_forks + 1,
                "cut off at call {fuse}: {forks} forks instead of {whole_forks}"
            );
        }
    }
}
