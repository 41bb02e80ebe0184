//! Whether attempts become slower as a run goes on: 300 criteria, the last 50 against the first.

use std::time::Duration;

use tdd_core::event::Event;
use tdd_core::role::Role;

use super::project::Project;
use super::replay;
use super::table::{Figure, Row, median, ms};

const CRITERIA: usize = 300;
const FILES: usize = 20;
const END: usize = 50;

/// Runs of which the median is given: one alone says more of the file system's hour than of `tdd`.
const RUNS: usize = 3;

pub fn measure() -> Vec<Row> {
    // Kept until all are measured: where many files were just deleted, new ones take longer.
    let projects: Vec<Project> = (0..RUNS).map(|_| Project::new(CRITERIA, FILES)).collect();
    let mut runs: Vec<(f64, String)> = projects.iter().map(growth).collect();
    runs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let notes: Vec<&str> = runs.iter().map(|(_, note)| note.as_str()).collect();
    vec![Row {
        what: format!("{CRITERIA} criteria: overhead of the last {END} attempts over the first {END}"),
        figure: Figure::Growth { measured: runs[RUNS / 2].0, bound: 1.1 },
        note: format!("median of {RUNS} runs; medians, first to last: {}", notes.join(", ")),
    }]
}

/// The growth within one run, and what it is made of.
fn growth(project: &Project) -> (f64, String) {
    project.run();
    let spans = spans(project);
    let (_, attempts) = replay::calls(project);
    assert_eq!((spans.len(), attempts.len()), (CRITERIA, CRITERIA + 2), "one fork for each criterion");
    // The first attempt is the test-writer's; an implementer's span ends where the next begins.
    let overhead = |number: usize| {
        let alone = replay::time(project, attempts[number + 1].iter());
        spans[number].saturating_sub(alone)
    };
    let first = median((0..END).map(overhead).collect());
    let last = median((CRITERIA - END..CRITERIA).map(overhead).collect());
    (last.as_secs_f64() / first.as_secs_f64(), format!("{} to {}", ms(first), ms(last)))
}

/// How long each implementer's attempt took, from its start to the start of what came next.
fn spans(project: &Project) -> Vec<Duration> {
    let events = project.events();
    let starts: Vec<(u64, Option<Role>)> = events
        .iter()
        .filter_map(|(ts, event)| match event {
            Event::AttemptStarted { attempt } => Some((*ts, Some(attempt.key.role()))),
            Event::GateMeasured { .. } => Some((*ts, None)),
            _ => None,
        })
        .collect();
    let pairs = starts.windows(2);
    pairs
        .filter(|pair| pair[0].1.is_some_and(|role| role == Role::Implementer))
        .map(|pair| Duration::from_millis(pair[1].0 - pair[0].0))
        .collect()
}
