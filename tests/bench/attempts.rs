//! What an attempt costs beside its child and its tests: the wall of `tdd` less that of a plain
//! script that makes the same calls in the same order.

use std::time::{Duration, Instant};

use super::project::Project;
use super::replay;
use super::table::{Figure, Row, median, ms};

const CRITERIA: usize = 10;
const FILES: usize = 200;
const TIMES: usize = 5;

pub fn measure() -> Vec<Row> {
    let mut overheads = Vec::new();
    let (mut walls, mut plains) = (Vec::new(), Vec::new());
    let mut forks = 0;
    // All are kept to the end: some file systems are slow to make files where some were just deleted.
    let projects: Vec<Project> = (0..TIMES).map(|_| Project::new(CRITERIA, FILES)).collect();
    for project in &projects {
        let began = Instant::now();
        project.run();
        let wall = began.elapsed();
        let (before, attempts) = replay::calls(project);
        forks = attempts.len();
        assert_eq!(forks, CRITERIA + 2, "one fork for each role and criterion");
        let plain = replay::time(project, before.iter().chain(attempts.iter().flatten()));
        overheads.push(wall.saturating_sub(plain) / u32::try_from(forks).unwrap());
        walls.push(wall);
        plains.push(plain);
    }
    let note = format!(
        "median of {TIMES}; {forks} attempts, tdd {}, plain script {}; a new file takes {:.2} ms",
        ms(median(walls)),
        ms(median(plains)),
        projects[0].new_file().as_secs_f64() * 1000.0
    );
    vec![Row {
        what: format!("{CRITERIA} criteria, {FILES} files: overhead per attempt"),
        figure: Figure::Time { measured: median(overheads), bound: Duration::from_millis(25) },
        note,
    }]
}
