//! The limit that stopped an attempt: what it was, who had set it, how often it was reached, and what raises it.
//! The same attempt under the same limit would end in the same way, so a retry has to come with more.

use super::next_step::{NextStep, step};
use super::pace::{Look, Pace};
use crate::text::config::MOST_MS;
use crate::text::usage_words::grouped;
use tdd_core::attempt::{AgentEnd, Bound, Exhaustion, SetBy};
use tdd_core::cause::{Left, Stopped};
use tdd_core::halt::Halt;
use tdd_core::judge::{Reason, Verdict};
use tdd_core::role::Role;
use tdd_core::state::{Entry, State};
use tdd_core::usage::{Caps, Usd};
use tdd_spec::strict::amount::{shown_duration, shown_size};

/// No agent does anything in less.
const LEAST_WALL_MS: u64 = 10 * 60 * 1000;
const LEAST_IDLE_MS: u64 = 2 * 60 * 1000;

/// A limit that was reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Limit {
    role: Role,
    what: Exhaustion,
    /// What it was, how much, and who had set it.
    words: String,
    /// How often it was reached since the operator's last word.
    times: usize,
    raise: Raise,
    /// What is known of the last attempt that it stopped.
    pace: Option<Pace>,
}

/// What gives the next attempt more.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Raise {
    Flag {
        flag: &'static str,
        now: String,
        then: String,
    },
    /// In `tdd.yaml`, by the keys that lead to it.
    Setting {
        keys: Vec<String>,
        now: String,
        then: String,
    },
    /// Nobody knows how much it was, or it can't be more.
    Unknown,
}

impl Limit {
    /// The limit that this halt is for.
    pub(super) fn of(state: &State, halt: &Halt) -> Option<Self> {
        let Verdict::Failed(fault) = &halt.verdict else { return None };
        let of = |reason: &Reason| if let Reason::Exhausted(what) = reason { Some(*what) } else { None };
        let what = fault.reasons.iter().find_map(of)?;
        let ledger = state.ledgers.get(&halt.key)?;
        let is_it = |entry: &&Entry| {
            let end = entry.outcome.as_ref().map(|outcome| outcome.end);
            end == Some(AgentEnd::Exhausted(what))
        };
        let reached: Vec<&Entry> = ledger.fresh().filter(is_it).collect();
        let last = reached.last()?;
        let role = halt.key.role();
        let agent = Role::ALL.iter().zip(&state.run.agents).find(|(of, _)| **of == role);
        let agent = agent.map_or("", |(_, name)| name.as_str());
        let bound = last.outcome.as_ref().and_then(|outcome| outcome.bound);
        let (words, raise) = match (what, bound) {
            (Exhaustion::Cost, _) => of_cost(&state.run.plan.caps.attempt, last),
            (_, Some(bound)) => of_bound(what, bound, (role, agent)),
            (_, None) => return None,
        }?;
        let pace =
            last.outcome.as_ref().and_then(|outcome| Pace::of(outcome)).filter(|_| what == Exhaustion::Wall);
        Some(Self { role, what, words, times: reached.len(), raise, pace })
    }

    /// For the cause of the halt.
    pub(super) fn stopped(&self, left: Left) -> Stopped {
        let times = match self.times {
            0 | 1 => String::new(),
            2 => " twice".to_owned(),
            times => format!(" {times} times"),
        };
        let role = self.role;
        let nothing = match left {
            Left::Work => "",
            Left::Remarks => " and changed nothing but comments",
            Left::Nothing => " and changed no file",
        };
        Stopped { words: format!("the {role} was stopped{times} by {}{nothing}", self.words), left }
    }

    /// The keys of `tdd.yaml` that lead to the setting which has to be raised.
    pub(super) fn keys(&self) -> Option<&[String]> {
        match &self.raise {
            Raise::Setting { keys, .. } => Some(keys),
            Raise::Flag { .. } | Raise::Unknown => None,
        }
    }

    /// What it was at when it was stopped, as far as that was heard.
    pub(super) fn pace(&self, left: Left) -> Option<String> {
        self.pace.map(|pace| pace.words(left))
    }

    fn is_hung(&self, left: Left) -> bool {
        self.pace.is_some_and(|pace| pace.look(left) == Look::Hung)
    }

    /// Why the first way on is the recommended one.
    pub(super) fn because(&self, left: Left) -> &'static str {
        if self.is_hung(left) {
            return "because an agent that hangs is not mended by more time; see what it did last (s, w)";
        }
        match self.raise {
            Raise::Unknown => "because a limit stopped it before it was done",
            Raise::Flag { .. } | Raise::Setting { .. } => {
                "because under the same limit it would be stopped again"
            }
        }
    }

    /// What can be done about it, the best first. `place` is where the setting stands.
    pub(super) fn ways_on(
        &self,
        [retry, edited]: [String; 2],
        (place, left): (Option<u32>, Left),
    ) -> Option<Vec<NextStep>> {
        let noun = self.noun();
        Some(match &self.raise {
            Raise::Flag { flag, now, then } => {
                let again =
                    step(&format!("try again with new attempts, under the same {noun}"), retry.clone());
                let higher = step(
                    &format!("try again with a higher {noun}: {then}, not {now}"),
                    format!("{retry} {flag} {then}"),
                );
                let edited = step(
                    "I have edited: go on under the same limit (code, test, requirement or setting)",
                    edited,
                );
                self.is_hung(left).then_some(again).into_iter().chain([higher, edited]).collect()
            }
            Raise::Setting { keys, now, then } => {
                let line = place.map(|line| format!(", line {line}")).unwrap_or_default();
                let key = keys.join(".");
                vec![
                    step(
                        &format!(
                            "raise the {noun} from {now}: set `{key}: {then}` in tdd.yaml{line}, then go on"
                        ),
                        edited,
                    ),
                    step("try again with new attempts, under the same limit", retry),
                ]
            }
            Raise::Unknown => return None,
        })
    }

    fn noun(&self) -> &'static str {
        match self.what {
            Exhaustion::Turns => "turn cap",
            Exhaustion::Wall => "deadline",
            Exhaustion::Idle => "idle deadline",
            Exhaustion::Output => "output cap",
            Exhaustion::Cost => "cap",
        }
    }
}

fn of_bound(what: Exhaustion, bound: Bound, (role, agent): (Role, &str)) -> Option<(String, Raise)> {
    let amount = bound.amount;
    let longer = |least: u64| shown_duration(amount.saturating_mul(2).max(least).min(MOST_MS));
    let of_agent = |key: &str| vec!["agents".to_owned(), agent.to_owned(), key.to_owned()];
    let in_settings = |keys: Vec<String>, now: String, then: String| {
        let from = match bound.set_by {
            SetBy::Nobody => "the default".to_owned(),
            SetBy::Flag | SetBy::Settings => format!("`{}` in tdd.yaml", keys.join(".")),
            SetBy::Agent => format!("`{}` of the agent `{agent}`", keys.last().map_or("", String::as_str)),
        };
        (from, Raise::Setting { keys, now, then })
    };
    let by_agent = bound.set_by == SetBy::Agent;
    Some(match what {
        Exhaustion::Turns => {
            let of_role = || ["roles", &role.to_string(), "max_turns"].map(str::to_owned).to_vec();
            let keys = if by_agent { of_agent("max_turns") } else { of_role() };
            let (from, raise) = in_settings(keys, amount.to_string(), amount.saturating_mul(2).to_string());
            (format!("its turn cap of {amount} ({from})"), raise)
        }
        Exhaustion::Wall => {
            let now = shown_duration(amount);
            let from = match bound.set_by {
                SetBy::Nobody => "the default".to_owned(),
                SetBy::Flag => "--max-wall-attempt".to_owned(),
                SetBy::Settings => "`attempt_deadline` in tdd.yaml".to_owned(),
                SetBy::Agent => format!("`wall` of the agent `{agent}`"),
            };
            let flag =
                Raise::Flag { flag: "--max-wall-attempt", now: now.clone(), then: longer(LEAST_WALL_MS) };
            let raise = if amount < MOST_MS { flag } else { Raise::Unknown };
            (format!("its deadline of {now} ({from})"), raise)
        }
        Exhaustion::Idle => {
            let keys = if by_agent { of_agent("idle") } else { vec!["idle_deadline".to_owned()] };
            let now = shown_duration(amount);
            let (from, raise) = in_settings(keys, now.clone(), longer(LEAST_IDLE_MS));
            let raise = if amount < MOST_MS { raise } else { Raise::Unknown };
            (format!("its idle deadline of {now} ({from}): it was silent for longer"), raise)
        }
        Exhaustion::Output => {
            let now = shown_size(amount);
            let (from, raise) =
                in_settings(of_agent("output_cap"), now.clone(), shown_size(amount.saturating_mul(2)));
            (format!("its output cap of {now} ({from})"), raise)
        }
        Exhaustion::Cost => return None,
    })
}

/// Of an attempt's two caps the one that was reached, or that alone is set.
fn of_cost(caps: &Caps, last: &Entry) -> Option<(String, Raise)> {
    let spent = last.used.told.usd;
    let reached = caps.usd.filter(|cap| caps.tokens.is_none() || spent.is_some_and(|spent| spent >= *cap));
    if let Some(cap) = reached {
        let (now, then) = (dollars(cap), dollars(Usd(cap.0.saturating_mul(2))));
        let words = format!("its cost cap of ${now} (`max_usd_attempt`)");
        return Some((words, Raise::Flag { flag: "--max-usd-attempt", now, then }));
    }
    let cap = caps.tokens?;
    let (now, then) = (cap.to_string(), cap.saturating_mul(2).to_string());
    let words = format!("its cap of {} tokens (`max_tokens_attempt`)", grouped(cap));
    Some((words, Raise::Flag { flag: "--max-tokens-attempt", now, then }))
}

/// As a flag takes it.
fn dollars(amount: Usd) -> String {
    format!("{}", amount.dollars())
}
