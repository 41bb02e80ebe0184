//! One line for each figure: what it is, the figure, its bound, and whether that is met.

use std::time::Duration;

/// One figure and its bound.
pub struct Row {
    pub what: String,
    pub figure: Figure,
    /// How it came about: repetitions, and what it was compared with.
    pub note: String,
}

pub enum Figure {
    /// Less is better.
    Time { measured: Duration, bound: Duration },
    /// Less is better.
    Growth { measured: f64, bound: f64 },
    /// More is better.
    Rate { measured: f64, bound: f64 },
    /// Less is better.
    Count { measured: usize, bound: usize },
    /// MiB; less is better.
    Memory { measured: f64, bound: f64 },
}

impl Figure {
    fn is_met(&self) -> bool {
        match self {
            Self::Time { measured, bound } => measured <= bound,
            Self::Count { measured, bound } => measured <= bound,
            Self::Growth { measured, bound } | Self::Memory { measured, bound } => measured <= bound,
            Self::Rate { measured, bound } => measured >= bound,
        }
    }

    fn words(&self) -> (String, String) {
        match self {
            Self::Count { measured, bound } => (measured.to_string(), format!("<= {bound}")),
            Self::Time { measured, bound } => (ms(*measured), format!("<= {}", ms(*bound))),
            Self::Growth { measured, bound } => (format!("{measured:.2}"), format!("<= {bound:.1}")),
            Self::Rate { measured, bound } => (format!("{measured:.2}"), format!(">= {bound:.1}")),
            Self::Memory { measured, bound } => (format!("{measured:.1} MiB"), format!("<= {bound:.0} MiB")),
        }
    }
}

pub fn head() {
    println!("{:<58} {:>11} {:>11}  {:<6}  how", "what", "figure", "bound", "");
}

pub fn print(row: &Row) {
    let (figure, bound) = row.figure.words();
    let verdict = if row.figure.is_met() { "met" } else { "missed" };
    println!("{:<58} {figure:>11} {bound:>11}  {verdict:<6}  {}", row.what, row.note);
}

pub fn ms(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1000.0)
}

pub fn median(mut times: Vec<Duration>) -> Duration {
    assert!(!times.is_empty(), "there is no median of nothing");
    times.sort_unstable();
    times[times.len() / 2]
}
