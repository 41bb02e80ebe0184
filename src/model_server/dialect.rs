//! The dialects: how each service is asked, answers, streams and refuses.

mod anthropic;
mod chat;
mod gemini;
mod responses;

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;

use super::answer::Answer;
use super::request::Asked;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Anthropic,
    Responses,
    Chat,
    Gemini,
}

impl Dialect {
    /// By the path of a request for a response of the model.
    pub(super) fn of(path: &str) -> Option<Self> {
        match path.trim_end_matches('/') {
            path if path.ends_with("/messages") => Some(Self::Anthropic),
            path if path.ends_with("/responses") => Some(Self::Responses),
            path if path.ends_with("/chat/completions") => Some(Self::Chat),
            path if path.ends_with(":generateContent") || path.ends_with(":streamGenerateContent") => {
                Some(Self::Gemini)
            }
            _ => None,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::Responses => "responses",
            Self::Chat => "chat",
            Self::Gemini => "gemini",
        }
    }

    pub(super) fn read(self, path: &str, body: &Value) -> Asked {
        match self {
            Self::Anthropic => anthropic::read(body),
            Self::Responses => responses::read(body),
            Self::Chat => chat::read(body),
            Self::Gemini => gemini::read(path, body),
        }
    }

    /// The events of a stream.
    pub(super) fn stream(self, answer: &Answer, model: &str) -> Vec<String> {
        match self {
            Self::Anthropic => anthropic::stream(answer, model),
            Self::Responses => responses::stream(answer, model),
            Self::Chat => chat::stream(answer, model),
            Self::Gemini => gemini::stream(answer, model),
        }
    }

    pub(super) fn whole(self, answer: &Answer, model: &str) -> Value {
        match self {
            Self::Anthropic => anthropic::whole(answer, model),
            Self::Responses => responses::whole(answer, model),
            Self::Chat => chat::whole(answer, model),
            Self::Gemini => gemini::whole(answer, model),
        }
    }

    /// How an endless text begins, and the piece that is repeated.
    pub(super) fn endless(self, model: &str) -> (Vec<String>, String) {
        match self {
            Self::Anthropic => anthropic::endless(model),
            Self::Responses => responses::endless(model),
            Self::Chat => chat::endless(model),
            Self::Gemini => gemini::endless(model),
        }
    }

    /// The body of a refusal.
    pub(super) fn error(self, status: u16, code: Option<&str>, message: &str) -> Value {
        match self {
            Self::Anthropic => anthropic::error(status, code, message),
            Self::Responses | Self::Chat => chat::error(status, code, message),
            Self::Gemini => gemini::error(status, code, message),
        }
    }
}

/// A fresh id with this beginning.
fn id(beginning: &str) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("{beginning}{:024}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// An event with a name, as Anthropic and the Responses API send it.
fn named_event(data: &Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap_or_default())
}

fn event(data: &Value) -> String {
    format!("data: {data}\n\n")
}

const ENDLESS: &str = "This text goes on and on, and whoever waits for its end waits in vain. ";
