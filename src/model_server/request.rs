//! A request, whatever its dialect: who asks what, with which tools, and how far it is.

use serde_json::Value;

/// One conversation as a request carries it along.
#[derive(Debug, Default)]
pub(super) struct Asked {
    pub model: String,
    pub streams: bool,
    pub system: String,
    pub said: Vec<Said>,
    pub tools: Vec<Tool>,
    /// A JSON answer of this schema is wanted.
    pub schema: Option<Value>,
}

/// One message, or one part of a message.
#[derive(Debug)]
pub(super) enum Said {
    User(String),
    /// What an agent's program tells of itself in the user's name.
    Context(String),
    /// It spoke, or called a tool.
    Model,
    Result(String),
}

#[derive(Clone, Debug)]
pub(super) struct Tool {
    pub name: String,
    pub namespace: Option<String>,
    pub takes: Takes,
}

/// What a tool is called with.
#[derive(Clone, Debug)]
pub(super) enum Takes {
    /// Fields, by a JSON schema.
    Fields(Value),
    Text,
    /// It is no tool of its own: JavaScript calls it, within the tool of its namespace.
    Code,
}

impl Tool {
    /// With its namespace, as it is told in the log.
    pub(super) fn full_name(&self) -> String {
        match &self.namespace {
            Some(namespace) => format!("{namespace}.{}", self.name),
            None => self.name.clone(),
        }
    }
}

/// Beginnings of user messages that no user wrote.
const CONTEXT: [&str; 8] = [
    "# Environment\n",
    "<system-reminder>",
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "<session_context>",
    "<context_window",
    "This is the Gemini CLI.",
];

impl Asked {
    /// Adds a text of the user's.
    pub(super) fn user(&mut self, text: &str) {
        let is_context = CONTEXT.iter().any(|beginning| text.trim_start().starts_with(beginning));
        let text = text.to_owned();
        self.said.push(if is_context { Said::Context(text) } else { Said::User(text) });
    }

    /// How many responses were given since the user's newest message.
    pub(super) fn turn(&self) -> usize {
        let since = self.said.iter().rposition(|said| matches!(said, Said::User(_))).unwrap_or(0);
        let mut turns = 0;
        let mut is_within = false;
        for said in &self.said[since..] {
            let is_model = matches!(said, Said::Model);
            turns += usize::from(is_model && !is_within);
            is_within = is_model || (is_within && matches!(said, Said::Context(_)));
        }
        turns
    }

    /// Whether the user's newest message goes on with an older conversation.
    pub(super) fn is_resumed(&self) -> bool {
        let newest = self.said.iter().rposition(|said| matches!(said, Said::User(_))).unwrap_or(0);
        self.said[..newest].iter().any(|said| matches!(said, Said::Model))
    }

    /// All that the user wrote.
    pub(super) fn prompts(&self) -> String {
        self.user_texts(0).join("\n")
    }

    /// What the user wrote since the model last said anything before it.
    pub(super) fn last_prompt(&self) -> String {
        self.newest_texts().join("\n")
    }

    pub(super) fn newest_texts(&self) -> Vec<&str> {
        let newest = self.said.iter().rposition(|said| matches!(said, Said::User(_))).unwrap_or(0);
        let is_of_user = |said: &Said| matches!(said, Said::User(_) | Said::Context(_));
        let before = self.said.iter().take(newest).rposition(|said| !is_of_user(said));
        self.user_texts(before.map_or(0, |at| at + 1))
    }

    fn user_texts(&self, from: usize) -> Vec<&str> {
        let said = self.said.iter().skip(from);
        said.filter_map(|said| match said {
            Said::User(text) => Some(text.as_str()),
            Said::Context(_) | Said::Model | Said::Result(_) => None,
        })
        .collect()
    }

    /// Results of tools since the model last spoke.
    pub(super) fn results(&self) -> Vec<&str> {
        let newest = self.said.iter().rev().take_while(|said| !matches!(said, Said::Model));
        let mut results: Vec<&str> = newest
            .filter_map(|said| match said {
                Said::Result(text) => Some(text.as_str()),
                Said::User(_) | Said::Context(_) | Said::Model => None,
            })
            .collect();
        results.reverse();
        results
    }

    /// The folder that the agent says it works in.
    pub(super) fn cwd(&self) -> Option<String> {
        const SIGNS: [&str; 7] = [
            "Primary working directory: ",
            "Current working directory: ",
            "Working directory: ",
            "working directory: ",
            "<cwd>",
            "in the directory: ",
            "**Workspace Directories:**\n  - ",
        ];
        let contexts = self.said.iter().filter_map(|said| match said {
            Said::Context(text) | Said::User(text) => Some(text.as_str()),
            Said::Model | Said::Result(_) => None,
        });
        std::iter::once(self.system.as_str()).chain(contexts).find_map(|text| {
            SIGNS.iter().find_map(|sign| {
                let (_, rest) = text.split_once(sign)?;
                let path = rest.lines().next()?.split("</cwd>").next()?.trim().trim_matches('`');
                path.starts_with('/').then(|| path.to_owned())
            })
        })
    }
}

/// The texts of a message whose content is a text or a list of parts.
pub(super) fn texts(content: &Value) -> Vec<&str> {
    if let Some(text) = content.as_str() {
        return vec![text];
    }
    content.as_array().into_iter().flatten().filter_map(|part| part["text"].as_str()).collect()
}

/// Anything as text: a text as it is, parts joined, else its JSON.
pub(super) fn flat(content: &Value) -> String {
    let parts = texts(content);
    if parts.is_empty() && !content.is_null() { content.to_string() } else { parts.join("\n") }
}
