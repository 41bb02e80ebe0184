//! What is answered: texts, calls and usage, before they are put into a dialect.

use super::request::Asked;
use super::script::{Breach, Fault, Refusal, Step, Turn, Usage};
use super::tools::{self, Call};

/// One response of the model.
#[derive(Clone, Debug, Default)]
pub(super) struct Answer {
    pub parts: Vec<Part>,
    pub usage: Usage,
}

#[derive(Clone, Debug)]
pub(super) enum Part {
    Text(String),
    Call(Call),
}

impl Part {
    pub(super) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Call(_) => None,
        }
    }
}

/// How a request is served.
#[derive(Clone, Debug)]
pub(super) enum Service {
    Answered(Answer),
    Broken(Breach, Answer),
    Refused(Refusal),
}

impl Answer {
    pub(super) fn text(text: &str, asked: &Asked) -> Self {
        Self { parts: vec![Part::Text(text.to_owned())], usage: guessed(asked) }
    }

    pub(super) fn calls(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Call(_)))
    }

    pub(super) fn of(turn: &Turn, asked: &Asked) -> Self {
        let mut answer = Self { parts: Vec::new(), usage: guessed(asked) };
        for step in turn.steps() {
            match step {
                Step::Say(text) => answer.say(text.replace("{cwd}", &asked.cwd().unwrap_or_default())),
                Step::Flood(bytes) => answer.say(flood(*bytes)),
                Step::Usage(usage) => answer.usage = *usage,
                Step::Fault(_) => {}
                Step::Write { .. } | Step::Edit { .. } | Step::Run(_) | Step::Read(_) | Step::Tool { .. } => {
                    match tools::call(step, asked) {
                        Some(Ok(call)) => answer.parts.push(Part::Call(call)),
                        Some(Err(lack)) => answer.say(format!("(model-server: {lack})")),
                        None => {}
                    }
                }
            }
        }
        answer
    }

    fn say(&mut self, text: String) {
        self.parts.push(Part::Text(text));
    }
}

/// The fault of a turn, if it has one.
pub(super) fn fault(turn: &Turn) -> Option<&Fault> {
    turn.steps().iter().find_map(|step| if let Step::Fault(fault) = step { Some(fault) } else { None })
}

/// Figures that follow from the request, where the script names none.
fn guessed(asked: &Asked) -> Usage {
    let input = (asked.system.len() + asked.prompts().len()) / 4;
    Usage { input: input.try_into().unwrap_or(u64::MAX), cached: 0, output: 20 }
}

fn flood(bytes: usize) -> String {
    const LINE: &str = "This line is one of very many and says nothing at all.\n";
    LINE.chars().cycle().take(bytes).collect()
}
