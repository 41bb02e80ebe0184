//! A review on a whole screen. What is done, is done on the terminal's own screen, where it stays to be read.

use std::process::ExitCode;

use super::{Halted, act, editor, panes, shell};
use crate::text::halt_report::Review;
use crate::view::Ink;
use crate::view::dialog;
use crate::view::review::{Head, Heard, Model, Screen, Sheet, Wish};
use tdd_child::signals::{self, StopSignal};
use tdd_child::unix;
use tdd_core::harmless;
use tdd_core::trouble::Trouble;

/// Shows the halt until the run goes on or is left.
pub(super) fn run(halted: &mut Halted, ink: Ink) -> Result<ExitCode, Trouble> {
    loop {
        let shown = halted.review();
        let signals = signals::install()?;
        let wished = attend(halted, &shown, (&signals, ink));
        // What follows is the person's, on a terminal that is theirs again.
        signals::uninstall();
        match wished? {
            Wish::Leave => return Ok(ExitCode::from(1)),
            Wish::Edit => editor::open(halted, shown.place.as_ref())?,
            Wish::Shell => shell::open(halted)?,
            Wish::Do(step, reason) => {
                if let Some(code) = act(halted, &step, reason.as_deref())? {
                    return Ok(code);
                }
            }
        }
        if dialog::ask("Enter goes back to the review, q leaves it: ").is_none_or(|word| word == "q") {
            return Ok(ExitCode::from(1));
        }
        *halted = halted.again()?;
    }
}

/// Draws, and heeds keys, until one of them asks for something.
fn attend(halted: &Halted, shown: &Review, (stop, ink): (&StopSignal, Ink)) -> Result<Wish, Trouble> {
    let lost = |error: std::io::Error| {
        Trouble::environment("the terminal is lost")
            .because(error)
            .advise(format!("nothing was done; `tdd review {} --plain` asks line by line", halted.run.id))
    };
    let mut model = model(shown);
    let mut screen = Screen::open(ink).map_err(lost)?;
    loop {
        if let Some(key) = model.wanted() {
            let lines = panes::lines(halted, shown, key).unwrap_or_else(|trouble| {
                trouble.to_string().lines().map(|line| harmless::line(line).clone()).collect()
            });
            let begins = panes::begins(shown, key, &lines);
            model.fill(lines, begins);
        }
        match screen.next(&mut model, stop).map_err(lost)? {
            Heard::Key(key) => {
                if let Some(wish) = model.press(key) {
                    return Ok(wish);
                }
            }
            Heard::Interrupt => return Ok(Wish::Leave),
            Heard::Suspend => unix::suspend(),
            Heard::Stop(signal) => return Err(Trouble::stopped(signal)),
        }
    }
}

fn model(shown: &Review) -> Model {
    let head = Head {
        title: shown.title.clone(),
        who: shown.who.clone(),
        pace: shown.pace.clone(),
        wanted: shown.wanted.clone(),
        cause: shown.cause.clone(),
        place: shown.look_at.clone(),
        advice: shown.advice.clone(),
    };
    let sheets = panes::ALL.map(|(key, title)| Sheet { key, title, lines: None, begins: 0 });
    let mut model = Model::new(head, sheets.into(), shown.steps.clone());
    model.open(shown.opens);
    model
}
