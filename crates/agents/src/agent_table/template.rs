//! Arguments with placeholders.
//!
//! ```text
//! placeholder = "{" name "}" ;  name = lower-case letters and "_"
//! literal     = "{{" name "}}"            a placeholder's own text, not filled in
//! argv        = [ argument | group | case, … ] ;  group = [ argument, … ]
//! case        = see `arguments`
//! ```
//!
//! Every other brace is an ordinary character, because agents take inline TOML and JSON as
//! arguments (`features.x={enabled=true}`). A group is left out as a whole when one of its
//! placeholders has no value: `[--model, "{model}"]` goes when no model is set.

use tdd_core::harmless;
use tdd_core::trouble::Trouble;
use tdd_spec::strict::{about, did_you_mean};

/// What can be filled in. Which of them have a value depends on the attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Placeholder {
    Role,
    RoleFile,
    /// The system prompt itself.
    RoleText,
    /// The system prompt as one JSON text, which TOML reads too.
    RoleJson,
    PromptFile,
    /// The prompt itself; only with `prompt: argv`.
    Prompt,
    /// Empty for the test-writer and the refactorer.
    Criterion,
    Cwd,
    /// The same as a JSON text, which TOML reads too.
    CwdJson,
    /// The attempt's exchange folder.
    RunDir,
    /// A fresh path in the exchange folder, for agents that write their last message to a file.
    MessageFile,
    Model,
    Session,
    Number,
    MaxTurns,
    /// The least of what the attempt and the run may still spend, in dollars; no value without a cap.
    MaxUsd,
    /// The same in tokens.
    MaxTokens,
    /// The running `tdd` binary.
    Tdd,
    Cassette,
    /// What the role may not write to, in the words of the table's `protect`.
    Protected,
    /// `true` or `false`: whether the agent's own sandbox is to be on.
    OwnSandbox,
}

/// Each with its name in a text, and what stands there then, for people.
const NAMES: [(Placeholder, &str, &str); 21] = [
    (
        Placeholder::Role,
        "role",
        "the role: `test-writer`, `implementer`, `refactorer`; `fixer` for `tdd fix`, `tester` for `tdd mdtest`",
    ),
    (
        Placeholder::RoleFile,
        "role_file",
        "a file with the role's text: the rules of the role, and the form of its last message; for a system prompt",
    ),
    (Placeholder::RoleText, "role_text", "the same text as it is"),
    (Placeholder::RoleJson, "role_json", "the same as one JSON text, which TOML reads, too"),
    (
        Placeholder::PromptFile,
        "prompt_file",
        "a file with the prompt: the requirement, the criterion, what failed before",
    ),
    (Placeholder::Prompt, "prompt", "the prompt itself, only with `prompt: argv`, 128 KiB at most"),
    (
        Placeholder::Criterion,
        "criterion",
        "the id of the criterion, for example `AC-SHOP-1.2`; empty for the test-writer and the refactorer",
    ),
    (Placeholder::Cwd, "cwd", "the folder that it works in, which is the current one, too"),
    (Placeholder::CwdJson, "cwd_json", "the same as one JSON text"),
    (
        Placeholder::RunDir,
        "run_dir",
        "the attempt's folder, with `prompt.md`, `role.md` and the table's `files`; outside of the repository, gone after the attempt",
    ),
    (
        Placeholder::MessageFile,
        "message_file",
        "a path in that folder for its last message, for `message: { file: \"{message_file}\" }`",
    ),
    (Placeholder::Model, "model", "the model from `--model` or `roles:`; no value without one"),
    (
        Placeholder::Session,
        "session",
        "the id of its session, with `session:`; for a retry of the format it is the id of the session that goes on",
    ),
    (Placeholder::Number, "number", "the number of the attempt, from 1"),
    (
        Placeholder::MaxTurns,
        "max_turns",
        "one more than the turns that it may take, so that it is stopped here and not by itself",
    ),
    (
        Placeholder::MaxUsd,
        "max_usd",
        "the least of what the attempt and the run may still spend, in dollars; no value without a cap",
    ),
    (Placeholder::MaxTokens, "max_tokens", "the same in tokens"),
    (Placeholder::Tdd, "tdd", "this program"),
    (Placeholder::Cassette, "cassette", "the file of `--agent scripted --cassette FILE`"),
    (
        Placeholder::Protected,
        "protected",
        "the files that the role may not write to, each in the words of the table's `protect`",
    ),
    (
        Placeholder::OwnSandbox,
        "own_sandbox",
        "`true` or `false`: whether the agent's own sandbox is to be on",
    ),
];

impl Placeholder {
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(placeholder, _, _)| *placeholder == self).map_or("", |(_, name, _)| name)
    }

    /// All of them: their names, and what stands in their place.
    pub fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
        NAMES.iter().map(|(_, name, about)| (*name, *about))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Fill(Placeholder),
}

/// One text with placeholders, all of them known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template(Vec<Piece>);

/// What has no value, so that a text can't be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing(pub Placeholder);

impl Template {
    /// `at` is for the message when a placeholder is unknown.
    pub fn read(at: &str, text: &str) -> Result<Self, Trouble> {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(brace) = rest.find('{') {
            let (before, from) = rest.split_at(brace);
            plain.push_str(before);
            if let Some(name) = literal(from) {
                plain.push_str(&from[1..name.len() + 3]);
                rest = &from[name.len() + 4..];
            } else if let Some(name) = placeholder(from) {
                let known = known(at, name)?;
                if !plain.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut plain)));
                }
                pieces.push(Piece::Fill(known));
                rest = &from[name.len() + 2..];
            } else {
                plain.push('{');
                rest = &from[1..];
            }
        }
        plain.push_str(rest);
        if !plain.is_empty() || pieces.is_empty() {
            pieces.push(Piece::Text(plain));
        }
        Ok(Self(pieces))
    }

    pub fn uses(&self, placeholder: Placeholder) -> bool {
        self.0.contains(&Piece::Fill(placeholder))
    }

    /// As the table has it, placeholders as placeholders.
    pub fn shown(&self) -> String {
        let piece = |piece: &Piece| match piece {
            Piece::Text(plain) => plain.clone(),
            Piece::Fill(placeholder) => format!("{{{}}}", placeholder.name()),
        };
        self.0.iter().map(piece).collect()
    }

    /// The text with every placeholder filled in by `value`.
    pub fn fill(&self, value: &impl Fn(Placeholder) -> Option<String>) -> Result<String, Missing> {
        let mut text = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(plain) => text.push_str(plain),
                Piece::Fill(placeholder) => {
                    text.push_str(&value(*placeholder).ok_or(Missing(*placeholder))?);
                }
            }
        }
        Ok(text)
    }
}

/// One item of an `argv`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    One(Template),
    /// Left out as a whole when one of its placeholders has no value.
    Group(Vec<Template>),
}

/// A command line without a shell: at least one item, the first of them a single one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argv(pub Vec<Argument>);

impl Argv {
    pub fn uses(&self, placeholder: Placeholder) -> bool {
        self.0.iter().any(|argument| match argument {
            Argument::One(template) => template.uses(placeholder),
            Argument::Group(templates) => templates.iter().any(|template| template.uses(placeholder)),
        })
    }

    /// The whole command line as the table has it: placeholders as placeholders, groups in brackets.
    pub fn shown(&self) -> String {
        let word = |template: &Template| {
            let text = template.shown();
            // A placeholder's braces are no reason to quote.
            let bare = text.replace(['{', '}'], "");
            if !bare.is_empty() && harmless::shell_word(&bare) == bare {
                text
            } else {
                harmless::shell_word(&text)
            }
        };
        let argument = |argument: &Argument| match argument {
            Argument::One(template) => word(template),
            Argument::Group(templates) => {
                format!("[{}]", templates.iter().map(word).collect::<Vec<_>>().join(" "))
            }
        };
        self.0.iter().map(argument).collect::<Vec<_>>().join(" ")
    }

    /// The whole command line. `Err` names a placeholder outside a group that has no value.
    pub fn fill(&self, value: &impl Fn(Placeholder) -> Option<String>) -> Result<Vec<String>, Missing> {
        let mut argv = Vec::new();
        for argument in &self.0 {
            match argument {
                Argument::One(template) => argv.push(template.fill(value)?),
                Argument::Group(templates) => {
                    let group: Result<Vec<String>, Missing> =
                        templates.iter().map(|template| template.fill(value)).collect();
                    argv.extend(group.unwrap_or_default());
                }
            }
        }
        Ok(argv)
    }
}

/// The name in `{name}` at the beginning of `text`.
fn placeholder(text: &str) -> Option<&str> {
    let (name, _) = text.strip_prefix('{')?.split_once('}')?;
    let fits = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    fits.then_some(name)
}

/// The name in `{{name}}` at the beginning of `text`.
fn literal(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('{')?;
    let name = placeholder(inner)?;
    inner.get(name.len() + 2..)?.starts_with('}').then_some(name)
}

fn known(at: &str, name: &str) -> Result<Placeholder, Trouble> {
    if let Some((placeholder, _, _)) = NAMES.iter().find(|(_, known, _)| *known == name) {
        return Ok(*placeholder);
    }
    let names: Vec<&str> = NAMES.iter().map(|(_, name, _)| *name).collect();
    Err(about(at, format_args!("has an unknown placeholder `{{{name}}}`"))
        .because("nothing says what is to stand there")
        .advise(format!(
            "{} For the text `{{{name}}}` itself write `{{{{{name}}}}}`.",
            did_you_mean(name, &names)
        )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(placeholder: Placeholder) -> Option<String> {
        let has_one = ![Placeholder::Model, Placeholder::Session].contains(&placeholder);
        has_one.then(|| format!("<{}>", placeholder.name()))
    }

    #[test]
    fn placeholders_are_filled_and_other_braces_stay() {
        for (text, want) in [
            ("{role}", "<role>"),
            ("--x={cwd}/{number}.txt", "--x=<cwd>/<number>.txt"),
            ("features.x={enabled=true,y=[1]}", "features.x={enabled=true,y=[1]}"),
            ("p={fs={\":root\"=\"read\"},net={on=false}}", "p={fs={\":root\"=\"read\"},net={on=false}}"),
            ("{{role}}", "{role}"),
            ("{{{role}}}", "{{role}}"),
            ("{{foo}} {role}", "{foo} <role>"),
            ("{}", "{}"),
            ("{", "{"),
            ("", ""),
            ("ä{role}ö", "ä<role>ö"),
        ] {
            let filled = Template::read("argv", text).unwrap().fill(&value).unwrap();
            assert_eq!(filled, want, "{text:?}");
        }
    }

    #[test]
    fn an_unknown_placeholder_is_refused_with_the_nearest() {
        let trouble = Template::read("agents.mine.argv[2]", "{promt_file}").unwrap_err();
        assert!(trouble.what.contains("{promt_file}") && trouble.what.contains("argv[2]"), "{trouble}");
        assert!(trouble.next.contains("`prompt_file`"), "{trouble}");
    }

    #[test]
    fn a_group_goes_as_a_whole_when_a_value_is_missing() {
        let one = |text: &str| Template::read("argv", text).unwrap();
        let argv = Argv(vec![
            Argument::One(one("prog")),
            Argument::Group(vec![one("--model"), one("{model}")]),
            Argument::Group(vec![one("--role"), one("{role}")]),
        ]);
        assert_eq!(argv.fill(&value).unwrap(), ["prog", "--role", "<role>"]);
        let bare = Argv(vec![Argument::One(one("{model}"))]);
        assert_eq!(bare.fill(&value), Err(Missing(Placeholder::Model)));
    }
}
