//! Who is told what happens. A view is told; it never asks.

use crate::event::Event;
use crate::state::State;

/// What is worth showing but changes nothing, so it is not journalled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// The child printed this line (noise removed, bounded to 200 characters).
    ChildLine { line: String },
    /// The child has called tools in so many model responses.
    Turns { count: u32 },
    /// A child starts, and may take so long and be silent for so long, in milliseconds.
    Bounds { wall_ms: u64, idle_ms: u64 },
    /// A command of ours started: `what` for a person, `command` as typed.
    Running { what: String, command: String },
    /// Something that a person should read once, whole lines.
    Note(String),
    /// Time passed, and the child was silent for so long; views that show elapsed time redraw.
    Tick { silent_ms: u64 },
}

/// Told of every event after it was written, synced and applied, and of the news between.
pub trait Audience<M = State> {
    /// `state` is the state after `event`; `ts_ms` is the event's time, ms since the epoch.
    fn event(&mut self, state: &M, event: &Event, ts_ms: u64);
    fn news(&mut self, news: &News);
}
