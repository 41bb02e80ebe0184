//! What the final proof comes to.

use super::{Fault, Reason, Verdict};
use crate::criterion::CriterionId;
use crate::guard::{self, Guard};
use crate::halt::Halt;
use crate::mode::Mode;
use crate::proof::{Back, ProofFindings, Seen, Unasked};
use crate::role::Key;
use crate::test::TestId;

/// What a proof halts for; `None` if the result stands. Whose stage let it through is asked: an implementer's
/// for work that no commit holds, the test-writer's for tests that look at nothing.
pub fn proof(findings: &ProofFindings) -> Option<Halt> {
    let work = work_outside(findings);
    let mut hollow: Vec<Reason> = reasons(findings, |seen, _| *seen == Seen::Hollow, Reason::Hollow);
    hollow.extend(findings.moved_for_nothing.iter().cloned().map(Reason::MovedForNothing));
    hollow.extend(findings.moved_toothless.iter().cloned().map(Reason::MovedToothless));
    hollow.extend(
        findings.moved_unasked.iter().cloned().map(|Unasked { test, file, line }| Reason::MovedUnasked {
            test,
            file,
            line,
        }),
    );
    let blamed = work.or_else(|| {
        let reasons: Vec<Reason> = hollow.into_iter().filter(|one| guard::stands(Guard::of(one))).collect();
        (!reasons.is_empty()).then_some((Key::TestWriter, Mode::A, reasons))
    });
    let (key, mode, reasons) = blamed?;
    Some(Halt { key, verdict: Verdict::Failed(Fault { mode, reasons }) })
}

fn work_outside(findings: &ProofFindings) -> Option<(Key, Mode, Vec<Reason>)> {
    let mut all: Vec<Reason> = findings.outside.iter().cloned().map(Reason::Outside).collect();
    let given_back = findings.given_back.first();
    all.extend(given_back.into_iter().flat_map(|file| {
        let reason = |test: &TestId| Reason::GivenBack { test: test.clone(), file: file.clone() };
        findings.not_given_back.iter().map(reason)
    }));
    all.extend(findings.gate_outside.map(|_| Reason::GateOutside));
    all.extend(findings.toothless.iter().cloned().map(Reason::Toothless));
    let first =
        findings.criteria.iter().find(|proof| proof.back == Back::Green).or(findings.criteria.first());
    all.extend(reasons(findings, |_, back| *back == Back::Green, Reason::StillGreen));
    all.retain(|reason| guard::stands(Guard::of(reason)));
    let key = first.map_or(Key::TestWriter, |proof| Key::Implementer(proof.id.clone()));
    (!all.is_empty()).then_some((key, Mode::B, all))
}

fn reasons(
    findings: &ProofFindings,
    is_so: impl Fn(&Seen, &Back) -> bool,
    reason: impl Fn(CriterionId) -> Reason,
) -> Vec<Reason> {
    let found = findings.criteria.iter().filter(|proof| is_so(&proof.seen, &proof.back));
    found.map(|proof| reason(proof.id.clone())).collect()
}

/// Whether this criterion is what a verdict of the proof is about.
pub fn names_criterion(verdict: &Verdict, id: &CriterionId) -> bool {
    let Verdict::Failed(fault) = verdict else { return false };
    fault
        .reasons
        .iter()
        .any(|reason| matches!(reason, Reason::Hollow(named) | Reason::StillGreen(named) if named == id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attempt::CheckpointId;
    use crate::finding::RedKind;
    use crate::proof::{CriterionProof, Extent, Stub};
    use crate::test::{Exit, TestId};

    fn id(number: u64) -> CriterionId {
        CriterionId::new("X", number).unwrap()
    }

    fn found(proofs: [(Back, Seen); 2]) -> ProofFindings {
        let criteria =
            (1..).zip(proofs).map(|(number, (back, seen))| CriterionProof { id: id(number), back, seen });
        let criteria = criteria.collect();
        ProofFindings { criteria, ..ProofFindings::new(Extent::Full, CheckpointId("t".into())) }
    }

    fn seen() -> Seen {
        Seen::By { stub: Stub::NotImplemented, test: TestId("t::a".into()) }
    }

    #[test]
    fn ac_tdd_8_12_what_is_seen_or_can_be_explained_stands() {
        let red = || Back::Red(RedKind::Missing);
        let told = Seen::Not { why: "constants changed, too".into() };
        for (back, seen) in [(red(), seen()), (red(), told.clone()), (Back::Unknown, told)] {
            assert_eq!(proof(&found([(back.clone(), seen.clone()), (back, seen)])), None);
        }
    }

    #[test]
    fn ac_tdd_8_11_hollow_tests_are_the_test_writers_and_work_outside_comes_first() {
        let red = || Back::Red(RedKind::Missing);
        let hollow = proof(&found([(red(), seen()), (red(), Seen::Hollow)])).unwrap();
        assert_eq!(hollow.key, Key::TestWriter);
        let reasons = vec![Reason::Hollow(id(2))];
        assert_eq!(hollow.verdict, Verdict::Failed(Fault { mode: Mode::A, reasons }));
        assert!(names_criterion(&hollow.verdict, &id(2)) && !names_criterion(&hollow.verdict, &id(1)));

        let mut both = found([(red(), Seen::Hollow), (Back::Green, seen())]);
        assert_eq!(proof(&both).unwrap().key, Key::Implementer(id(2)));
        both.criteria[1].back = red();
        both.outside = vec![TestId("t::b".into())];
        let outside = proof(&both).unwrap();
        assert_eq!(outside.key, Key::Implementer(id(1)), "nobody knows whose it is: the first");
        assert!(!names_criterion(&outside.verdict, &id(1)), "it can't be accepted away");
        both.outside.clear();
        assert_eq!(proof(&both).unwrap().key, Key::TestWriter);
        both.gate_outside = Some(Exit::Code(2));
        let Verdict::Failed(fault) = proof(&both).unwrap().verdict else { panic!("{both:?}") };
        assert_eq!(fault.reasons, [Reason::GateOutside]);
    }

    #[test]
    fn ac_tdd_8_168_a_test_that_fails_with_a_file_as_git_gives_it_back_halts_and_names_the_file() {
        let mut read = found([(Back::Red(RedKind::Missing), seen()), (Back::Red(RedKind::Missing), seen())]);
        let file = crate::path::RelPath::new("rate.txt").unwrap();
        read.given_back = vec![file.clone()];
        assert_eq!(proof(&read), None, "its tests are green either way");
        read.not_given_back = vec![TestId("t::b".into())];
        let halt = proof(&read).unwrap();
        let reasons = vec![Reason::GivenBack { test: TestId("t::b".into()), file }];
        assert!(
            reasons[0]
                .to_string()
                .starts_with("passes with rate.txt as it lies here, and not as git gives it back")
        );
        assert_eq!(halt.verdict, Verdict::Failed(Fault { mode: Mode::B, reasons }));
    }

    #[test]
    fn ac_tdd_8_171_a_test_that_passes_with_its_old_example_too_was_moved_for_nothing() {
        let mut read = found([(Back::Red(RedKind::Missing), seen()), (Back::Red(RedKind::Missing), seen())]);
        read.moved_for_nothing = vec![TestId("t::old".into())];
        let halt = proof(&read).unwrap();
        assert_eq!(halt.key, Key::TestWriter);
        let old = TestId("t::old".into());
        let reasons = vec![Reason::MovedForNothing(old.clone())];
        assert_eq!(halt.verdict, Verdict::Failed(Fault { mode: Mode::A, reasons }));
        read.moved_for_nothing.clear();
        assert!(proof(&read).is_none() && !read.has_wrongly_moved());
        read.moved_toothless = vec![old.clone()];
        let file = crate::path::RelPath::new("fees.py").unwrap();
        read.moved_unasked = vec![Unasked { test: old.clone(), file: file.clone(), line: 7 }];
        let Verdict::Failed(fault) = proof(&read).unwrap().verdict else { panic!("{read:?}") };
        let unasked = Reason::MovedUnasked { test: old.clone(), file, line: 7 };
        assert!(unasked.to_string().contains("with fees.py:7 as it was"), "{unasked}");
        assert_eq!(fault.reasons, [Reason::MovedToothless(old), unasked]);
    }

    #[test]
    fn ac_tdd_8_110_a_test_that_passes_whatever_its_own_file_expects_halts() {
        let mut read = found([(Back::Red(RedKind::Missing), seen()), (Back::Red(RedKind::Missing), seen())]);
        assert_eq!(proof(&read), None);
        read.toothless = vec![TestId("t::b".into())];
        let halt = proof(&read).unwrap();
        let reasons = vec![Reason::Toothless(TestId("t::b".into()))];
        assert_eq!(halt.verdict, Verdict::Failed(Fault { mode: Mode::B, reasons }));
    }

    #[test]
    fn ac_tdd_8_111_who_reaches_nothing_that_it_expects_is_blamed_for_nothing_and_not_verified() {
        let idle = Seen::NeverReached { test: TestId("t::b".into()) };
        let findings = found([(Back::Red(RedKind::Missing), seen()), (Back::Red(RedKind::Missing), idle)]);
        assert_eq!(proof(&findings), None);
        assert!(findings.asserts_nothing(&id(2)) && findings.reaches_nothing(&id(2)));
        assert!(!findings.asserts_nothing(&id(1)) && !findings.is_seen(&id(2)));
    }
}
