//! A requirement that a run has finished already: nobody is forked for it again by accident.

use std::process::ExitCode;

use crate::commands::runs::status::back_before;
use crate::exit::Exit;
use crate::settings::OutputMode;
use crate::text::object::{AlreadyFinished, Content};
use crate::view::print;
use crate::world::lock::WorkTreeLock;
use crate::world::project::Place;
use tdd_child::run_folder::RunDir;
use tdd_core::criterion::CriterionId;
use tdd_core::event::RunId;
use tdd_core::halt::Ending;
use tdd_core::ports::Checkpoints;
use tdd_core::requirement::Requirement;
use tdd_core::state::{End, Phase, State};
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::GitCheckpoints;

/// The run that finished all that is in hand, on the tree as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    requirement: String,
    run: RunId,
    ending: Ending,
}

/// The label of the tree as it was seen when somebody asked again.
const SEEN: &str = "asked-again";

impl Finished {
    /// Whether `state`, the newest run of this requirement, has finished it. Where the tree is another one by
    /// now, what was verified then says nothing of it, and a test-writer would find its tests green.
    ///
    /// # Errors
    /// It has, and the tree was changed since.
    pub fn by(
        state: &State,
        run: &RunDir,
        place: &Place,
        (requirement, only): (&Requirement, &[CriterionId]),
    ) -> Result<Option<Self>, Trouble> {
        let Phase::Ended { end: End::Finished(ending) } = &state.phase else { return Ok(None) };
        let then = &state.run.requirement;
        let in_hand = |id: &CriterionId| only.is_empty() || only.contains(id);
        let was_done =
            requirement.criteria.iter().filter(|criterion| in_hand(&criterion.id)).all(|criterion| {
                let same = then.criterion(&criterion.id).is_some_and(|then| then.text == criterion.text);
                same && state.run.plan.criteria.contains(&criterion.id)
            });
        let (true, Some(good)) = (was_done, &state.good) else { return Ok(None) };
        let _lock = WorkTreeLock::acquire(&place.repository)?;
        let mut checkpoints = GitCheckpoints::open(&place.repository, &run.id, &run.path)?;
        let now = checkpoints.take(SEEN)?;
        if !checkpoints.diff(good, &now)?.is_empty() {
            let id = &requirement.id;
            return Err(Trouble::user(format!("{id} is finished already: {}", run.id))
                .because("files were changed since, so what that run verified is not what is here now")
                .advise(format!(
                    "see what was changed:        git diff {} -- :/\n\
                     {}\
                     start anew on this tree:     tdd {id} --new",
                    good.0.get(..12).unwrap_or(&good.0),
                    back_before(&place.repository, &run.id)
                        .map(|undo| format!("take that run back:          {undo}\n"))
                        .unwrap_or_default()
                )));
        }
        Ok(Some(Self { requirement: requirement.id.clone(), run: run.id.clone(), ending: *ending }))
    }

    /// Says so; the exit code is that of the run.
    pub fn tell(&self, output: OutputMode) -> ExitCode {
        let Self { requirement, run, ending } = self;
        let exit = Exit::of_ending(*ending);
        let how = match ending {
            Ending::Verified => "every criterion is green, as measured",
            Ending::PartlyUnverified => "some criteria are not verified",
        };
        print::result(&match output {
            OutputMode::Json(_) | OutputMode::Summary(_) => {
                let (run, requirement) = (run.clone(), requirement.clone());
                Content::AlreadyFinished(AlreadyFinished { run, requirement, ending: *ending })
                    .last(exit.code())
            }
            OutputMode::Progress | OutputMode::Verbose | OutputMode::Quiet => format!(
                "{requirement} is finished already, by {run}: {how}.\n\
                 The tree is as that run left it, so nobody was forked and nothing was run.\n\
                 what it did:     tdd status {run}\n\
                 do it anew:      tdd {requirement} --new\n"
            ),
        });
        ExitCode::from(exit.code())
    }
}
