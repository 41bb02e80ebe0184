//! A plan: steps with a test each, and steps that are for refactor mode.

use std::process::ExitCode;

use serde::Deserialize;

use super::{desk, not_run};
use crate::cli::gate::PlanArgs;
use crate::view::print;
use tdd_child::regular_file;
use tdd_core::event::{SessionEvent, Step};
use tdd_core::harmless;
use tdd_core::path::RelPath;
use tdd_core::test::TestId;
use tdd_core::trouble::Trouble;

const LARGEST: u64 = 1 << 20;
const MOST_STEPS: usize = 500;
const LONGEST_STEP: usize = 200;

#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Steps { steps: Vec<WrittenStep> },
    List(Vec<WrittenStep>),
}

#[derive(Deserialize)]
struct WrittenStep {
    #[serde(alias = "title", alias = "text", alias = "description")]
    step: String,
    #[serde(default)]
    test_id: Option<String>,
    #[serde(default)]
    test_file_path: Option<String>,
}

pub(super) fn run(args: &PlanArgs) -> Result<ExitCode, Trouble> {
    let mut desk = desk(&args.which)?;
    let at = desk.place.cwd.join(&args.file);
    let unreadable = |why: String| {
        Trouble::user(format!("the plan {} can't be read", args.file.display())).because(why).advise(
            "it is a list of steps, in JSON or YAML: [{\"step\": \"…\", \"test_id\": \"…\", \"test_file_path\": \"…\"}]",
        )
    };
    let bytes = regular_file::head(&at, LARGEST).map_err(|error| unreadable(error.to_string()))?;
    let written: Written = serde_yaml::from_slice(&bytes).map_err(|error| unreadable(error.to_string()))?;
    let (Written::Steps { steps } | Written::List(steps)) = written;
    if steps.is_empty() || steps.len() > MOST_STEPS {
        return Err(unreadable(format!("it has {} steps; 1 to {MOST_STEPS} are read", steps.len())));
    }
    let steps = steps.iter().enumerate().map(step).collect::<Result<Vec<Step>, Trouble>>()?;
    let without = steps.iter().filter(|step| step.test_id.is_none()).count();
    let count = steps.len();
    desk.record_one(SessionEvent::Planned { steps })?;
    let told = match without {
        0 => String::new(),
        some => format!("; {some} without a test are for refactor mode"),
    };
    print::result(&format!("tdd: {count} steps{told}; {} tests to be written\n", not_run(&desk).len()));
    Ok(ExitCode::SUCCESS)
}

fn step((at, written): (usize, &WrittenStep)) -> Result<Step, Trouble> {
    let number = at + 1;
    let file = written.test_file_path.as_deref().map(|path| {
        RelPath::new(path).ok_or_else(|| {
            Trouble::user(format!("step {number}: {path:?} is no path of the repository"))
                .advise("name the test's file, relative to the repository")
        })
    });
    let file = file.transpose()?;
    if let (Some(id), None) = (&written.test_id, &file) {
        return Err(Trouble::user(format!("step {number} names the test {id} and no test_file_path"))
            .because("a test that is still to be written has to have a place")
            .advise("add test_file_path, or leave test_id out: then the step is for refactor mode"));
    }
    let text = harmless::short(&written.step, LONGEST_STEP);
    Ok(Step { step: text, test_id: written.test_id.clone().map(TestId), test_file_path: file })
}
