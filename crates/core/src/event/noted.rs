//! What a run's summary tells of events that change no phase, the first few of them; the journal has all.

use super::{LEFT_ALONE, Leaked};

/// In a line about what was put back in git: the command that brings a person's own back follows.
pub const BRINGS_BACK: &str = "; bring it back: ";
const MOST: usize = 20;

/// Adds processes that outlived what had started them.
pub fn note_leaked(noted: &mut Vec<Leaked>, processes: &[Leaked]) {
    let room = MOST.saturating_sub(noted.len());
    noted.extend(processes.iter().take(room).cloned());
}

/// Adds those of the lines that tell what was left, or can be brought back, each once.
pub fn note_left(noted: &mut Vec<String>, lines: &[String]) {
    for line in lines.iter().filter(|line| line.ends_with(LEFT_ALONE) || line.contains(BRINGS_BACK)) {
        if noted.len() < MOST && !noted.contains(line) {
            noted.push(line.clone());
        }
    }
}
