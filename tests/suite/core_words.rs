//! Words that are written down and read back: ids, kinds of errors, exit codes.

use tdd::exit;
use tdd_core::attempt::{AgentEnd, AgentReturn, Exhaustion};
use tdd_core::claim::{ClaimError, ClaimErrorKind};
use tdd_core::criterion::CriterionId;
use tdd_core::judge::{AtReturn, Verdict, at_return};
use tdd_core::mode::Mode;
use tdd_core::path::RelPath;
use tdd_core::test::Exit;

#[test]
fn ac_tdd_1_1_a_child_that_ends_by_itself_without_a_valid_block_is_a_format_violation() {
    let outcome = |end| AgentReturn {
        end,
        bound: None,
        claim: Err(ClaimError {
            kind: ClaimErrorKind::NoBlock,
            message: String::new(),
            line: None,
            meant: None,
        }),
        session: None,
        turns: None,
        duration_ms: 1,
        silent_ms: None,
        log: String::new(),
        message: None,
    };
    for exit in [Exit::Code(0), Exit::Code(1), Exit::Signal(9)] {
        let AtReturn::Settled(Verdict::Failed(fault)) = at_return(&outcome(AgentEnd::Exited(exit))) else {
            panic!("{exit}: not settled");
        };
        assert_eq!(fault.mode, Mode::D, "{exit}");
    }
    let stopped = at_return(&outcome(AgentEnd::Exhausted(Exhaustion::Idle)));
    assert_eq!(stopped, AtReturn::Measure, "who was stopped did not end by itself: mode E");
}

#[test]
fn ac_tdd_1_2_what_is_wrong_with_a_block_has_a_fixed_name() {
    for name in [
        "no-block",
        "many-blocks",
        "unclosed-block",
        "not-yaml",
        "alias",
        "too-large",
        "missing-field:output_excerpt",
        "duplicate-field",
        "invalid-role",
        "wrong-role",
        "invalid-status",
        "invalid-files",
        "invalid-command",
        "unsafe-path",
    ] {
        let kind = ClaimErrorKind::try_from(name.to_owned()).unwrap();
        assert_eq!(kind.to_string(), name);
    }
    assert!(ClaimErrorKind::try_from("something".to_owned()).is_err());
}

#[test]
fn ac_tdd_1_3_a_path_of_a_block_never_leaves_the_repository() {
    for bad in ["../x", "a/../../x", "/etc/passwd", "", "a\0b"] {
        assert_eq!(RelPath::new(bad), None, "{bad:?}");
    }
    assert_eq!(RelPath::new("./a/./b/../c").unwrap().as_str(), "a/c");
}

#[test]
fn ac_tdd_2_1_a_criterion_has_one_number_however_it_is_written() {
    assert_eq!(CriterionId::parse("AC-STE-12.01"), CriterionId::parse("AC-STE-12.1"));
    assert_ne!(CriterionId::parse("AC-STE-12.1"), CriterionId::parse("AC-STE-12.10"));
    assert_eq!(CriterionId::parse("AC-STE-12.1").unwrap().to_string(), "AC-STE-12.1");
}

#[test]
fn ac_tdd_2_2_a_criterion_has_a_slug_that_names_its_test_file() {
    for (id, slug) in [("AC-STE-12.1", "ac_ste_12_1"), ("AC-a.7", "ac_a_7"), ("AC-Fr-01.02", "ac_fr_01_2")] {
        assert_eq!(CriterionId::parse(id).unwrap().slug(), slug);
    }
}

#[test]
fn ac_tdd_6_4_each_way_to_end_has_its_exit_code() {
    for (end, code) in [
        (exit::Exit::Verified, 0),
        (exit::Exit::Halted, 1),
        (exit::Exit::SetUp, 2),
        (exit::Exit::Paused, 3),
        (exit::Exit::PartlyUnverified, 4),
        (exit::Exit::Internal, 70),
        (exit::Exit::Stopped(1), 129),
        (exit::Exit::Stopped(2), 130),
        (exit::Exit::Stopped(15), 143),
    ] {
        assert_eq!(end.code(), code, "{end:?}");
    }
}
