//! Watches what a child tells of its use, and says when it has had enough.

use std::time::{Duration, Instant};

use super::codex::Record;
use crate::agent_stream::{AgentStream, Trust};
use tdd_child::session::Heard;
use tdd_core::attempt::Exhaustion;
use tdd_core::audience::News;
use tdd_core::ports::{Allowance, Observer};
use tdd_core::usage::{Cap, Caps, ChildUse, Usage};

/// The bounds of one order, over all of its tries.
#[derive(Debug)]
pub(super) struct Watch {
    allowance: Allowance,
    began: Instant,
    /// What earlier tries of the same order used.
    before: Usage,
    /// The counts of the session that the child goes on with.
    pub(super) session: Usage,
    /// The bound of the run for which the child was stopped.
    over_run: Option<Cap>,
}

impl Watch {
    pub(super) fn new(allowance: Allowance, session: Usage, began: Instant) -> Self {
        Self { allowance, began, before: Usage::default(), session, over_run: None }
    }

    /// Looks at what the child used until now. Where a bound of the run and one of the attempt are
    /// reached at once, the run's counts: it spends no budget.
    pub(super) fn look(&mut self, used: &Usage) -> Option<Exhaustion> {
        if self.allowance.attempt.is_none() && self.allowance.run_left.is_none() {
            return None;
        }
        let told = |caps: Caps| Caps { wall_ms: None, ..caps };
        let in_run = told(self.allowance.run_left).reached(&self.before.plus(used), 0);
        if let Some(cap) = in_run {
            self.over_run = Some(cap);
            return Some(Exhaustion::Cost);
        }
        told(self.allowance.attempt).reached(used, 0).map(|_| Exhaustion::Cost)
    }

    /// The attempt's wall deadline, or what is left of the run's time if that is less.
    pub(super) fn wall(&self, own: Duration, now: Instant) -> Duration {
        self.run_wall(now).map_or(own, |left| own.min(left))
    }

    fn run_wall(&self, now: Instant) -> Option<Duration> {
        let left = Duration::from_millis(self.allowance.run_left.wall_ms?);
        Some(left.saturating_sub(now.saturating_duration_since(self.began)))
    }

    /// The bound of the run for which this end came, if it came for one.
    pub(super) fn run_cap(&self, end: Option<Exhaustion>, now: Instant) -> Option<Cap> {
        match end? {
            Exhaustion::Wall => self.run_wall(now).filter(Duration::is_zero).map(|_| Cap::Wall),
            // The program's own bound was the least of both.
            Exhaustion::Cost if self.over_run.is_none() => {
                let Allowance { attempt, run_left } = self.allowance;
                let (least, left) = (self.allowance.least_usd(), run_left.usd);
                (left.is_some() && left == least && attempt.usd != least).then_some(Cap::Usd)
            }
            Exhaustion::Cost => self.over_run,
            Exhaustion::Turns | Exhaustion::Idle | Exhaustion::Output => None,
        }
    }

    /// A try is over; the next one goes on from here.
    pub(super) fn over(&mut self, used: &ChildUse) {
        self.before = self.before.plus(&used.usage);
        self.session = used.session;
        self.over_run = None;
    }
}

/// Counts turns and tells news while a child prints.
pub(super) struct Listener<'a> {
    pub(super) most: u32,
    pub(super) told: u32,
    /// When the child last printed something.
    pub(super) heard: Instant,
    pub(super) watch: &'a mut Watch,
    /// The agent's own record, where it tells more than its stream.
    pub(super) record: Option<Record>,
}

impl Listener<'_> {
    /// Reads what the record has told since the last time.
    pub(super) fn follow(&mut self, stream: &mut AgentStream) {
        if let Some(record) = &mut self.record {
            record.follow(stream);
        }
    }

    /// An empty slice is the tick of the display: the newest line is told no more often than that.
    pub(super) fn hear(&mut self, bytes: &[u8], stream: &mut AgentStream, observer: Observer<'_>) -> Heard {
        stream.feed(bytes);
        let now = Instant::now();
        if !bytes.is_empty() {
            self.heard = now;
        }
        self.follow(stream);
        let turns = stream.turns().unwrap_or(0);
        if turns != self.told {
            self.told = turns;
            observer(News::Turns { count: turns });
        }
        if bytes.is_empty() {
            if let Some(line) = stream.news() {
                observer(News::ChildLine { line });
            }
            let silent = now.saturating_duration_since(self.heard).as_millis();
            observer(News::Tick { silent_ms: u64::try_from(silent).unwrap_or(u64::MAX) });
        }
        // Without its settings it would work on by no rule at all; the report will say so.
        if turns > self.most || stream.trust() == Trust::Lost {
            return Heard::Enough(Exhaustion::Turns);
        }
        self.watch.look(&stream.used().usage).map_or(Heard::Continue, Heard::Enough)
    }
}
