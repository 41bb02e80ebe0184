//! Typed access to a YAML table, with messages that name the key, its line and what is wanted.
#![expect(clippy::wildcard_enum_match_arm, reason = "a YAML value has many kinds and each setting wants one")]

use std::fmt::Display;
use std::ops::RangeInclusive;

use serde_yaml::{Mapping, Value};

use super::duration;
use tdd_agents::agent_table::amount::size_bytes;
use tdd_core::trouble::Trouble;

/// One table of a settings file, and where it stands.
pub(super) struct Table<'a> {
    file_name: &'a str,
    source: &'a str,
    /// The keys that lead here from the top.
    path: Vec<String>,
    mapping: &'a Mapping,
}

impl<'a> Table<'a> {
    /// The whole file; `None` if it holds nothing.
    pub(super) fn top(
        file_name: &'a str,
        source: &'a str,
        value: &'a Value,
    ) -> Result<Option<Self>, Trouble> {
        match value {
            Value::Null => Ok(None),
            Value::Mapping(mapping) => Ok(Some(Self { file_name, source, path: Vec::new(), mapping })),
            other => Err(Trouble::config(format!("{file_name} is no table of settings"))
                .because(format!("it holds {}", kind_of(other)))
                .advise("Write one `key: value` a line, for example `test: cargo test`.")),
        }
    }

    /// Refuses keys that are not in `known`, naming the nearest one.
    pub(super) fn only(&self, known: &[&str]) -> Result<(), Trouble> {
        for key in self.keys()? {
            if !known.contains(&key) {
                let what = format!("{} does not know the setting `{}`", self.place(key), self.dotted(key));
                return Err(Trouble::config(what)
                    .because("a setting that is not known would be ignored without a word")
                    .advise(did_you_mean(key, known)));
            }
        }
        Ok(())
    }

    pub(super) fn keys(&self) -> Result<Vec<&'a str>, Trouble> {
        let keys = self.mapping.keys().map(|key| match key {
            Value::String(key) => Ok(key.as_str()),
            other => Err(Trouble::config(format!("{} has a key that is no text", self.file_name))
                .because(format!("a key{} is {}", self.inside(), kind_of(other)))
                .advise("Put the key in quotes.")),
        });
        keys.collect()
    }

    pub(super) fn text(&self, key: &str) -> Result<Option<String>, Trouble> {
        match self.mapping.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if !text.trim().is_empty() => Ok(Some(text.trim().to_owned())),
            Some(Value::String(_)) => {
                Err(self.wrong(key, "it is empty", "Give it a text, or leave the line out."))
            }
            Some(other) => Err(self.wrong_kind(key, "a text", other)),
        }
    }

    /// A text or a number, as it was written.
    pub(super) fn scalar(&self, key: &str) -> Result<Option<String>, Trouble> {
        match self.mapping.get(key) {
            Some(Value::Number(number)) => Ok(Some(number.to_string())),
            _ => self.text(key),
        }
    }

    /// A text that goes to the shell: no NUL, which would cut it.
    pub(super) fn command(&self, key: &str) -> Result<Option<String>, Trouble> {
        let command = self.text(key)?;
        if command.as_ref().is_some_and(|command| command.contains('\0')) {
            return Err(self.wrong(key, "it holds a NUL character", "Write a plain shell command."));
        }
        Ok(command)
    }

    pub(super) fn texts(&self, key: &str) -> Result<Vec<String>, Trouble> {
        let items = match self.mapping.get(key) {
            None | Some(Value::Null) => return Ok(Vec::new()),
            Some(Value::Sequence(items)) => items,
            Some(other) => return Err(self.wrong_kind(key, "a list of texts", other)),
        };
        let texts = items.iter().map(|item| match item {
            Value::String(text) if !text.trim().is_empty() => Ok(text.trim().to_owned()),
            other => Err(self.wrong_kind(key, "a list of texts", other)),
        });
        texts.collect()
    }

    pub(super) fn table(&self, key: &str) -> Result<Option<Table<'a>>, Trouble> {
        match self.mapping.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Mapping(mapping)) => {
                let mut path = self.path.clone();
                path.push(key.to_owned());
                Ok(Some(Table { file_name: self.file_name, source: self.source, path, mapping }))
            }
            Some(other) => Err(self.wrong_kind(key, "a table (`key: value` lines below it)", other)),
        }
    }

    pub(super) fn flag(&self, key: &str) -> Result<Option<bool>, Trouble> {
        match self.mapping.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(other) => Err(self.wrong_kind(key, "`true` or `false`", other)),
        }
    }

    pub(super) fn number<N>(&self, key: &str, range: RangeInclusive<N>) -> Result<Option<N>, Trouble>
    where
        N: TryFrom<u64> + PartialOrd + Display,
    {
        let wanted = format!("a whole number from {} to {}", range.start(), range.end());
        let value = match self.mapping.get(key) {
            None | Some(Value::Null) => return Ok(None),
            Some(value) => value,
        };
        let number = value.as_u64().and_then(|number| N::try_from(number).ok());
        match number.filter(|number| range.contains(number)) {
            Some(number) => Ok(Some(number)),
            None => Err(self.wrong_kind(key, &wanted, value)),
        }
    }

    /// In milliseconds.
    pub(super) fn duration(&self, key: &str) -> Result<Option<u64>, Trouble> {
        const WANTED: &str = "a duration of at most a day, such as `90s`, `10m` or `1h30m`";
        match self.mapping.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => match duration::read(text) {
                Some(ms) => Ok(Some(ms)),
                None => Err(self.wrong(key, &format!("`{text}` is no such duration"), &wants(WANTED))),
            },
            Some(other) => Err(self.wrong_kind(key, WANTED, other)),
        }
    }

    /// A list of waits in milliseconds, each of which may be zero; at most `most` of them.
    pub(super) fn waits(&self, key: &str, most: usize) -> Result<Option<Vec<u64>>, Trouble> {
        if matches!(self.mapping.get(key), None | Some(Value::Null)) {
            return Ok(None);
        }
        let texts = self.texts(key)?;
        if texts.len() > most {
            return Err(self.wrong(
                key,
                &format!("it has {} entries", texts.len()),
                &format!("At most {most}."),
            ));
        }
        let wait = |text: &String| {
            let why = || format!("`{text}` is no duration of at most a day");
            duration::read_wait(text).ok_or_else(|| self.wrong(key, &why(), "For example: `[5s, 20s, 60s]`."))
        };
        texts.iter().map(wait).collect::<Result<_, _>>().map(Some)
    }

    /// In bytes.
    pub(super) fn size(&self, key: &str) -> Result<Option<u64>, Trouble> {
        const NEXT: &str = "Write a number with a unit, for example `64MiB` or `1GiB`.";
        let Some(text) = self.text(key)? else { return Ok(None) };
        match size_bytes(&text) {
            Some(bytes) => Ok(Some(bytes)),
            None => Err(self.wrong(key, &format!("`{text}` is no size"), NEXT)),
        }
    }

    /// The value of `key`, whatever its kind.
    pub(super) fn get(&self, key: &str) -> Option<&'a Value> {
        self.mapping.get(key)
    }

    pub(super) fn is_table(&self, key: &str) -> bool {
        matches!(self.mapping.get(key), Some(Value::Mapping(_)))
    }

    /// Whether something stands behind `key`.
    pub(super) fn holds(&self, key: &str) -> bool {
        !matches!(self.mapping.get(key), None | Some(Value::Null))
    }

    pub(super) fn value(&self) -> Value {
        Value::Mapping(self.mapping.clone())
    }

    /// The value of `key` is wrong for a reason that its kind does not tell.
    pub(super) fn wrong(&self, key: &str, why: &str, next: &str) -> Trouble {
        let what = format!("{}: the setting `{}` can't be used", self.place(key), self.dotted(key));
        Trouble::config(what).because(why).advise(next)
    }

    /// The value of `key` is none of a list of words.
    pub(super) fn unknown_word(&self, key: &str, word: &str, known: &[&str]) -> Trouble {
        self.wrong(key, &format!("`{word}` is none of its values"), &did_you_mean(word, known))
    }

    fn wrong_kind(&self, key: &str, wanted: &str, found: &Value) -> Trouble {
        self.wrong(key, &format!("it is {}", kind_of(found)), &wants(wanted))
    }

    fn dotted(&self, key: &str) -> String {
        let mut path = self.path.clone();
        path.push(key.to_owned());
        path.join(".")
    }

    fn inside(&self) -> String {
        if self.path.is_empty() { String::new() } else { format!(" of `{}`", self.path.join(".")) }
    }

    /// `tdd.yaml:7`, or only the file's name if the line can't be told.
    fn place(&self, key: &str) -> String {
        let mut path: Vec<&str> = self.path.iter().map(String::as_str).collect();
        path.push(key);
        match line_of(self.source, &path) {
            Some(line) => format!("{}:{line}", self.file_name),
            None => self.file_name.to_owned(),
        }
    }
}

fn wants(wanted: &str) -> String {
    format!("It wants {wanted}.")
}

fn did_you_mean(word: &str, known: &[&str]) -> String {
    let near = known
        .iter()
        .map(|name| (strsim::damerau_levenshtein(&word.to_lowercase().replace('-', "_"), name), name))
        .min_by_key(|(distance, _)| *distance);
    let list = format!("Known are: {}.", known.join(", "));
    match near {
        Some((distance, name)) if distance <= 1 + word.len() / 4 => format!("Did you mean `{name}`? {list}"),
        _ => list,
    }
}

fn kind_of(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(value) => format!("the word `{value}`, which YAML reads as true or false: quote it"),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) if text.is_empty() => "an empty text".to_owned(),
        Value::String(text) => format!("the text `{}`", text.chars().take(60).collect::<String>()),
        Value::Sequence(_) => "a list".to_owned(),
        Value::Mapping(_) => "a table".to_owned(),
        Value::Tagged(tagged) => format!("a value with the tag {}", tagged.tag),
    }
}

/// The line of a key, from 1: a search in the text, because parsed values have no place. Each key
/// of the path is looked for from the line of the one before it; the first must begin its line.
fn line_of(source: &str, path: &[&str]) -> Option<usize> {
    let lines: Vec<&str> = source.lines().collect();
    let mut at = 0;
    for (depth, key) in path.iter().enumerate() {
        let begins_line = |line: &&str| key_places(line, key).any(str::is_empty);
        let begins_entry = |line: &&str| {
            key_places(line, key).any(|before| before.trim().is_empty() || before.ends_with(['{', ',', ' ']))
        };
        let found = if depth == 0 {
            lines[at..].iter().position(begins_line)
        } else {
            lines[at..].iter().position(begins_entry)
        }?;
        at += found;
    }
    Some(at + 1)
}

/// What stands before each place of a line where `key` is followed by a colon.
fn key_places<'l>(line: &'l str, key: &'l str) -> impl Iterator<Item = &'l str> {
    let line = line.split(" #").next().unwrap_or(line);
    line.match_indices(key).filter_map(move |(at, _)| {
        let after = line[at + key.len()..].trim_start_matches(['"', '\'']).trim_start();
        after.starts_with(':').then(|| line[..at].trim_end_matches(['"', '\'']))
    })
}
