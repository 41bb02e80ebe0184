//! The first screen of a review (contract section 13): what went wrong, and what can be done about it, each
//! under one key. Pure: the program that asks lies in `commands`.

use super::false_red::FalseRed;
use super::limit::Limit;
use super::next_steps::{ends_alike, false_red, is_mended_by_hand, meant};
use super::page::Page;
use super::{HaltFacts, NextStep, Report, Work, few, over};
use tdd_core::attempt::AttemptKind;
use tdd_core::cause::Left;
use tdd_core::criterion::CriterionId;
use tdd_core::excerpt;
use tdd_core::finding::RedKind;
use tdd_core::halt::Halt;
use tdd_core::harmless;
use tdd_core::judge::{Reason, Verdict};
use tdd_core::mode::Mode;
use tdd_core::role::Key;
use tdd_core::state::{State, Unclaimed};

/// Lines of output on the first screen; all of it is behind a key.
const FEW: usize = 12;

/// A halt as an operator sees it first.
pub struct Review {
    pub page: String,
    /// What can be done, in the order of its numbers from 1; the first one is recommended.
    pub steps: Vec<NextStep>,
    /// Where to look first: a file of the repository and a line.
    pub place: Option<(String, u32)>,
    /// The same in words, on one line.
    pub look_at: Option<String>,
    /// Lines of output around the failure.
    pub evidence: Vec<String>,
    /// The one of them that says what failed.
    pub evidence_from: usize,
    /// Which run, and where it halted.
    pub title: String,
    /// What went wrong, in one sentence.
    pub cause: String,
    /// Who halted in which attempt, and where its work is.
    pub who: String,
    /// Of one that a deadline has stopped what it was at, as far as that was heard.
    pub pace: Option<String>,
    /// What the criterion asks for, in one line.
    pub wanted: Option<String>,
    /// The key of what to read first: what was printed, or the test itself.
    pub opens: char,
    pub advice: Advice,
}

/// What most people would do, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Advice {
    pub words: String,
    /// The action that is recommended, from 0; none where only a person can know.
    pub step: Option<usize>,
}

/// The review of a halt.
pub fn review(state: &State, halt: &Halt, facts: &HaltFacts) -> Review {
    Report::new(state, halt, facts).review()
}

impl NextStep {
    /// Whether it only looks at something: then it has a key of its own.
    fn only_looks(&self) -> bool {
        ["tdd diff ", "tdd log ", "tdd review "].iter().any(|looks| self.command.starts_with(looks))
    }

    /// Whether it can't be taken back by the next key: then it is asked once more.
    pub fn is_final(&self) -> bool {
        let word = |word: &str| self.command.split_whitespace().any(|part| part == word);
        word("undo") || word("--abandon") || self.wants_reason()
    }

    /// Whether it sets a finding aside, so that others will ask why.
    pub fn wants_reason(&self) -> bool {
        self.command.split_whitespace().any(|part| part == "--accept")
    }

    /// How to come back from an action that is final.
    pub fn way_back(&self) -> &'static str {
        let word = |word: &str| self.command.split_whitespace().any(|part| part == word);
        if word("undo") {
            "What is there now is kept first; the command says how to come back to it."
        } else if word("--abandon") {
            "The files stay as they are; a new run can begin: tdd FR --new"
        } else {
            "The run's journal and checkpoints stay; `tdd undo` takes its work back."
        }
    }
}

impl Report<'_> {
    fn review(self) -> Review {
        let steps: Vec<NextStep> = self.next.iter().filter(|step| !step.only_looks()).cloned().collect();
        let evidence = self.run().map(|run| self.evidence(run).1).unwrap_or_default();
        let anchors = self.anchors();
        let mut page = Page::default();
        page.words("", &self.headline());
        if let Some(place) = &self.cause.place {
            page.line(&self.look_at(place));
        }
        page.line("");
        self.criterion(&mut page);
        page.words("", &self.who_halted());
        page.words("", &self.attempts_line());
        self.pace().iter().for_each(|line| page.words("", line));
        self.sameness().iter().for_each(|line| page.line(line));
        for line in self.state_of_work() {
            page.words("", &line);
        }
        if !evidence.is_empty() {
            page.line("");
            page.quote(&evidence[excerpt::around(&evidence, &anchors, FEW)]);
        }
        page.line("");
        let advice = self.advice(&steps);
        let opens = self.opens(&evidence);
        page.words("", &advice.words);
        for (index, step) in steps.iter().enumerate() {
            let sign = if advice.step == Some(index) { '*' } else { ' ' };
            page.words(&format!("{sign}{:>2}  ", index + 1), &step.what);
        }
        let look_at = self.cause.place.as_ref().map(|place| self.look_at(place));
        let place = self.cause.place.as_ref().map(|place| (place.file.clone(), place.line));
        let run = &self.state.run.run;
        let of = self.halt.key.criterion().map(|id| format!(" of {id}")).unwrap_or_default();
        Review {
            page: page.into_text(),
            steps,
            place,
            look_at,
            evidence_from: excerpt::focus(&evidence, &anchors).unwrap_or(0),
            evidence,
            title: harmless::line(&format!("{run} halted in {}{of}", self.halt.key.stage())),
            who: self.who_halted(),
            pace: self.pace(),
            wanted: self.wanted(),
            opens,
            cause: self.cause_line(),
            advice,
        }
    }

    /// The key of what to read first.
    fn opens(&self, evidence: &[String]) -> char {
        let left = self.facts.left();
        let is_stopped = self.halt.is_of_a_limit();
        if is_about_the_change(self.halt) && left != Left::Nothing {
            return 'd';
        }
        // What is printed of work that nothing else speaks against, or that is none, is no failure of its.
        let passes = self.unclaimed().is_some_and(Unclaimed::is_measured);
        match left {
            Left::Work if passes => 'd',
            Left::Remarks if is_stopped => 'd',
            Left::Nothing if is_stopped => 's',
            _ if evidence.is_empty() || is_about_the_test(self.state, self.halt) => 't',
            Left::Work | Left::Remarks | Left::Nothing => 'o',
        }
    }

    /// The role, its attempt, and where the failed work is.
    fn who_halted(&self) -> String {
        let [nth, of] = self.nth();
        let is_asked_again =
            self.ledger.is_some_and(|ledger| ledger.fresh().any(|it| it.attempt.kind == AttemptKind::Format));
        let again = if is_asked_again { ", asked once more for its result block" } else { "" };
        let work = match &self.facts.work {
            _ if self.facts.changed.is_empty() => "it changed no file".to_owned(),
            Work::Kept => "its work (d) is kept in git, not among your files".to_owned(),
            Work::InTree => "its work (d) is among your files again".to_owned(),
            Work::Edited(paths) => format!("its work (d) is kept in git; edited since: {}", few(paths)),
        };
        format!("{}, attempt {nth} of {of}{again}: {work}", self.halt.key.role())
    }

    fn criterion(&self, page: &mut Page) {
        if let Some(wanted) = self.wanted() {
            page.words("", &wanted);
        }
    }

    fn wanted(&self) -> Option<String> {
        let id = about(self.halt)?;
        let criterion = self.state.run.requirement.criterion(id)?;
        Some(format!("{id}: {}", harmless::short(&criterion.text, super::LINE_WIDTH)))
    }
}

/// The criterion that a halt is about: its implementer's, or the first of which the test is no RED.
pub fn about(halt: &Halt) -> Option<&CriterionId> {
    let of_reason = |reason: &'_ Reason| matches!(reason, Reason::NotRed { .. });
    let named = match &halt.verdict {
        Verdict::Failed(fault) => fault.reasons.iter().find(|reason| of_reason(reason)),
        Verdict::Disputed(_) | Verdict::Passed => None,
    };
    let named =
        named.and_then(
            |reason| if let Reason::NotRed { criterion, .. } = reason { Some(criterion) } else { None },
        );
    halt.key.criterion().or(named)
}

/// Whether code that was changed says more than an old test that fails by it.
pub(super) fn is_about_the_change(halt: &Halt) -> bool {
    let is_broken = matches!(&halt.verdict, Verdict::Failed(fault) if fault.mode == Mode::C);
    is_broken && halt.key == Key::Refactorer
}

/// Whether the test's own words say more than what a run of it printed: it is disputed, or no RED though it runs.
fn is_about_the_test(state: &State, halt: &Halt) -> bool {
    if meant(state, halt).is_some() {
        return true;
    }
    match &halt.verdict {
        Verdict::Disputed(_) => true,
        Verdict::Failed(fault) => {
            let says_nothing =
                |kind: &RedKind| matches!(kind, RedKind::None | RedKind::Passed | RedKind::Unconditional);
            let mut kinds = fault.reasons.iter().filter_map(|reason| {
                if let Reason::NotRed { kind, .. } = reason { Some(kind) } else { None }
            });
            kinds.clone().next().is_some() && kinds.all(says_nothing)
        }
        Verdict::Passed => false,
    }
}

impl Report<'_> {
    fn advice(&self, steps: &[NextStep]) -> Advice {
        if self.facts.work != Work::Kept && is_mended_by_hand(self.state, self.halt) {
            let words = match &self.facts.work {
                Work::Edited(_) => "recommended: 1, because you have edited what failed",
                Work::InTree | Work::Kept => {
                    "the failed work is among your files: mend it (e edits), then choose 1"
                }
            };
            return Advice { words: words.to_owned(), step: Some(0) };
        }
        if self.facts.is_edited && is_mended_by_hand(self.state, self.halt) {
            let words = "recommended: 1, because you have edited since the halt";
            return Advice { words: words.to_owned(), step: Some(0) };
        }
        if self.facts.repeats && is_mended_by_hand(self.state, self.halt) {
            let is_back = steps.first().is_some_and(NextStep::brings_back);
            let then = if is_back { "; then mend it: e edits" } else { "" };
            let words = format!(
                "recommended: 1, because another attempt would most likely leave the same again{then}"
            );
            return Advice { words, step: Some(0) };
        }
        if ends_alike(self.state, self.halt) && is_mended_by_hand(self.state, self.halt) {
            let words =
                "recommended: 1, because new attempts ended in the very same cause as those before them";
            return Advice { words: words.to_owned(), step: Some(0) };
        }
        let mut advice = advice(self.state, self.halt, (steps, self.facts.left()));
        let is_false_red = matches!(&self.halt.verdict, Verdict::Failed(fault) if fault.mode == Mode::A);
        if self.facts.repeats && is_false_red && advice.step.is_none() {
            advice.words += "; the last two attempts left the same, so mending the test (e) may be quicker";
        }
        advice
    }
}

/// Why a test passes before any code, both ways, each with the action that fits it.
fn either(steps: &[NextStep]) -> String {
    let number = |words: &str| {
        let at = steps.iter().position(|step| step.command.contains(words));
        at.map(|at| format!(" ({})", at + 1)).unwrap_or_default()
    };
    format!(
        "its tests pass before any code: read them (t). If they never call the project's code, try again{}; if \
         the project does it already, record that{}",
        number(" --retry"),
        number(" --already-green ")
    )
}

fn advice(state: &State, halt: &Halt, (steps, left): (&[NextStep], Left)) -> Advice {
    if matches!(halt.verdict, Verdict::Disputed(_)) || meant(state, halt).is_some() {
        let words = "only you can say who is right: read the test (t) and the criterion (c) first";
        return Advice { words: words.to_owned(), step: None };
    }
    let because = match &halt.verdict {
        Verdict::Disputed(_) => "because only you can say who is right",
        Verdict::Failed(fault) => match fault.mode {
            Mode::A => match false_red(state, halt, fault) {
                FalseRed::Passes => return Advice { words: either(steps), step: None },
                cause @ (FalseRed::BuiltBefore
                | FalseRed::DoesNotRun
                | FalseRed::GivenUp
                | FalseRed::Useless) => cause.because(),
            },
            Mode::B => "because its attempts are used up and nothing else is in the way",
            Mode::C => "because only the refactoring failed, and nothing needs it",
            Mode::D => match state.takeable(halt) {
                Some(work) if work.is_measured() => "because only its result block is missing",
                Some(_) => "because no tests were run on its work yet",
                None if over::is_dead(halt) => "because its program ended by itself with a failure",
                None => "because its work came without a valid result block",
            },
            Mode::E => Limit::of(state, halt)
                .map_or("because a limit stopped it before it was done", |limit| limit.because(left)),
        },
        Verdict::Passed => "because nothing is known to be wrong",
    };
    Advice { words: format!("recommended: 1, {because}"), step: Some(0) }
}
