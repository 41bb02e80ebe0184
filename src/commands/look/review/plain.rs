//! A review line by line: the same words and actions as on a whole screen, with numbers to type.

use std::process::ExitCode;

use super::{Halted, act, editor, panes, shell};
use crate::text::halt_report::{NextStep, Review};
use crate::view::{dialog, patch, print};
use tdd_core::trouble::Trouble;

pub(super) const KEYS: &str = "look  o output  t test  c criterion  d diff  a attempts  p prompt  s it said\n\
                               \x20     w work  j journal  r report\n\
                               do    a number  e edit  ! shell  ? again  q leave";

/// Asks until the run goes on or is left.
pub(super) fn run(halted: &mut Halted) -> Result<ExitCode, Trouble> {
    let mut shown = halted.show();
    loop {
        let Some(word) = dialog::ask("review> ") else { return Ok(ExitCode::from(1)) };
        match Key::of(&word, &shown) {
            Key::Leave => return Ok(ExitCode::from(1)),
            Key::Again => shown = halted.show(),
            Key::Unknown => print::message(&format!("no such key; {KEYS}")),
            Key::Look(pane, title) => {
                let lines = panes::lines(halted, &shown, pane)?;
                print::result(&format!("--- {title}\n"));
                patch::print(format!("{}\n", lines.join("\n")).as_bytes());
            }
            Key::Edit => editor::open(halted, shown.place.as_ref())?,
            Key::Shell => shell::open(halted)?,
            Key::Do(step) => {
                let Agreed::Yes(reason) = agreed(&step) else { continue };
                match act(halted, &step, reason.as_deref())? {
                    Some(code) => return Ok(code),
                    None => shown = halted.show(),
                }
            }
        }
    }
}

/// Whether the person means it, and for what reason, where one is asked for.
enum Agreed {
    Yes(Option<String>),
    No,
}

fn agreed(step: &NextStep) -> Agreed {
    if step.wants_reason() {
        let question = format!("{}\n  {}\nfor what reason? (nothing: leave it) ", step.what, step.command);
        let reason = dialog::ask(&question).filter(|reason| !reason.is_empty());
        return reason.map_or(Agreed::No, |reason| Agreed::Yes(Some(reason)));
    }
    let question = format!("{}\n  {}\nreally? [y/N] ", step.what, step.command);
    if !step.is_final() || dialog::agrees(&question) { Agreed::Yes(None) } else { Agreed::No }
}

/// What was typed.
enum Key {
    Leave,
    Again,
    Unknown,
    Look(char, &'static str),
    Edit,
    Shell,
    Do(NextStep),
}

impl Key {
    fn of(word: &str, shown: &Review) -> Self {
        let step = word.parse::<usize>().ok().and_then(|number| shown.steps.get(number.checked_sub(1)?));
        let mut letters = word.chars();
        let pane = letters.next().filter(|_| letters.next().is_none());
        let pane = panes::ALL.into_iter().find(|(key, _)| Some(*key) == pane);
        match (word, step, pane) {
            (_, Some(step), _) => Self::Do(step.clone()),
            ("q", None, _) => Self::Leave,
            ("?" | "", None, _) => Self::Again,
            ("e", None, _) => Self::Edit,
            ("!", None, _) => Self::Shell,
            (_, None, Some((key, title))) => Self::Look(key, title),
            (_, None, None) => Self::Unknown,
        }
    }
}
