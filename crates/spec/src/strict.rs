//! Settings in YAML, read key by key: what nobody asked for is refused, and each message names the way to the
//! key (`agents.mine.message.from`).
//!
//! A parsed value has lost its place, so a trouble carries that way until whoever read the file puts the line
//! before it ([`Trouble::in_file`] with [`line::nearest_line`]).
#![expect(clippy::wildcard_enum_match_arm, reason = "a YAML value has many kinds and each setting wants one")]

pub mod amount;
pub mod line;

use std::fmt::Display;
use std::ops::RangeInclusive;

use serde_yaml::{Mapping, Value};

use amount::{DAY_MS, duration_ms, size_bytes, wait_ms};
use tdd_core::trouble::Trouble;

/// A mapping with the way to it.
#[derive(Clone, Debug)]
pub struct Table<'a> {
    /// Empty for a whole file.
    at: String,
    map: &'a Mapping,
}

impl<'a> Table<'a> {
    /// A whole file; `None` if it holds nothing.
    pub fn top(file_name: &str, value: &'a Value) -> Result<Option<Self>, Trouble> {
        match value {
            Value::Null => Ok(None),
            Value::Mapping(map) => Ok(Some(Self { at: String::new(), map })),
            other => Err(Trouble::config(format!("{file_name} is no table of settings"))
                .because(format!("it holds {}", kind_of(other)))
                .advise("Write one `key: value` a line, for example `test: cargo test`.")),
        }
    }

    /// Refuses a value that is no mapping, and any key that is not in `known`, with the nearest.
    pub fn open(at: impl Into<String>, value: &'a Value, known: &[&str]) -> Result<Self, Trouble> {
        let at = at.into();
        let Value::Mapping(map) = value else { return Err(wrong_type(&at, value, A_TABLE)) };
        let table = Self { at, map };
        table.only(known)?;
        Ok(table)
    }

    /// Refuses keys that are not in `known`, naming the nearest one.
    pub fn only(&self, known: &[&str]) -> Result<(), Trouble> {
        match self.keys()?.into_iter().find(|key| !known.contains(key)) {
            None => Ok(()),
            Some(key) => Err(about(self.at(key), "is not known")
                .because("what is not known would be ignored without a word")
                .advise(did_you_mean(key, known))),
        }
    }

    pub fn keys(&self) -> Result<Vec<&'a str>, Trouble> {
        let keys = self.map.keys().map(|key| match key {
            Value::String(key) => Ok(key.as_str()),
            other => Err(Trouble::config(format!("{} a key that is no text", self.has_words()))
                .because(format!("it is {}", kind_of(other)))
                .advise("Put the key in quotes.")
                .of_setting(self.at.clone())),
        });
        keys.collect()
    }

    /// The way to a key of this table, for messages.
    pub fn at(&self, key: &str) -> String {
        if self.at.is_empty() { key.to_owned() } else { format!("{}.{key}", self.at) }
    }

    pub fn path(&self) -> &str {
        &self.at
    }

    /// The value of a key. A key with nothing behind it counts as absent.
    pub fn get(&self, key: &str) -> Option<&'a Value> {
        self.map.get(key).filter(|value| !matches!(value, Value::Null))
    }

    /// Whether the key is there, with something behind it or not.
    pub fn has(&self, key: &str) -> bool {
        self.map.contains_key(key)
    }

    pub fn value(&self) -> Value {
        Value::Mapping(self.map.clone())
    }

    pub fn table(&self, key: &str) -> Result<Option<Self>, Trouble> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::Mapping(map)) => Ok(Some(Self { at: self.at(key), map })),
            Some(other) => Err(wrong_type(&self.at(key), other, A_TABLE)),
        }
    }

    /// As it stands; it may be empty.
    pub fn text(&self, key: &str) -> Result<Option<String>, Trouble> {
        self.get(key).map(|value| text(&self.at(key), value)).transpose()
    }

    /// A text with something in it, without the space around it.
    pub fn word(&self, key: &str) -> Result<Option<String>, Trouble> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        match text.trim() {
            "" => Err(self.wrong(key, "it is empty", "Give it a text, or leave the line out.")),
            word => Ok(Some(word.to_owned())),
        }
    }

    /// A text or a number, as it was written.
    pub fn scalar(&self, key: &str) -> Result<Option<String>, Trouble> {
        match self.get(key) {
            Some(Value::Number(number)) => Ok(Some(number.to_string())),
            _ => self.word(key),
        }
    }

    /// A list of texts.
    pub fn texts(&self, key: &str) -> Result<Option<Vec<String>>, Trouble> {
        self.get(key).map(|value| texts(&self.at(key), value)).transpose()
    }

    /// A list of texts with something in each, without the space around them; none if the key is absent.
    pub fn words(&self, key: &str) -> Result<Vec<String>, Trouble> {
        let texts = self.texts(key)?.unwrap_or_default();
        if texts.iter().any(|text| text.trim().is_empty()) {
            return Err(self.wrong(key, "it holds an empty text", &wants("a list of texts")));
        }
        Ok(texts.iter().map(|text| text.trim().to_owned()).collect())
    }

    /// A mapping from texts to texts, in its order.
    pub fn text_map(&self, key: &str) -> Result<Vec<(String, String)>, Trouble> {
        let at = self.at(key);
        let Some(value) = self.get(key) else { return Ok(Vec::new()) };
        entries(&at, value)?
            .into_iter()
            .map(|(name, value)| Ok((name.clone(), text(&format!("{at}.{name}"), value)?)))
            .collect()
    }

    pub fn flag(&self, key: &str) -> Result<Option<bool>, Trouble> {
        let flag = |value: &Value| {
            value.as_bool().ok_or_else(|| wrong_type(&self.at(key), value, "`true` or `false`"))
        };
        self.get(key).map(flag).transpose()
    }

    pub fn number<N>(&self, key: &str, range: RangeInclusive<N>) -> Result<Option<N>, Trouble>
    where
        N: TryFrom<u64> + PartialOrd + Display,
    {
        let Some(value) = self.get(key) else { return Ok(None) };
        let number = value.as_u64().and_then(|number| N::try_from(number).ok());
        let wanted = || format!("a whole number from {} to {}", range.start(), range.end());
        let number = number.filter(|number| range.contains(number));
        number.map(Some).ok_or_else(|| wrong_type(&self.at(key), value, &wanted()))
    }

    /// In milliseconds; at most a day.
    pub fn duration(&self, key: &str) -> Result<Option<u64>, Trouble> {
        const WANTED: &str = "a duration of at most a day, such as `90s`, `10m` or `1h30m`";
        let Some(value) = self.get(key) else { return Ok(None) };
        let read = value.as_str().and_then(duration_ms).filter(|ms| *ms <= DAY_MS);
        read.map(Some).ok_or_else(|| wrong_type(&self.at(key), value, WANTED))
    }

    /// A list of waits in milliseconds, each of which may be zero; at most `most` of them.
    pub fn waits(&self, key: &str, most: usize) -> Result<Option<Vec<u64>>, Trouble> {
        if self.get(key).is_none() {
            return Ok(None);
        }
        let texts = self.words(key)?;
        if texts.len() > most {
            let why = format!("it has {} entries", texts.len());
            return Err(self.wrong(key, &why, &format!("At most {most}.")));
        }
        let wait = |text: &String| {
            let why = || format!("`{text}` is no duration of at most a day");
            let read = wait_ms(text).filter(|ms| *ms <= DAY_MS);
            read.ok_or_else(|| self.wrong(key, &why(), "For example: `[5s, 20s, 60s]`."))
        };
        texts.iter().map(wait).collect::<Result<_, _>>().map(Some)
    }

    /// In bytes.
    pub fn size(&self, key: &str) -> Result<Option<u64>, Trouble> {
        const WANTED: &str = "a number with a unit, such as `64MiB` or `1GiB`";
        let Some(value) = self.get(key) else { return Ok(None) };
        let read = value.as_str().and_then(size_bytes).or_else(|| value.as_u64().filter(|bytes| *bytes > 0));
        read.map(Some).ok_or_else(|| wrong_type(&self.at(key), value, WANTED))
    }

    /// The value that the word behind the key stands for.
    pub fn one_of<T: Copy>(&self, key: &str, words: &[(&str, T)]) -> Result<Option<T>, Trouble> {
        let Some(said) = self.word(key)? else { return Ok(None) };
        if let Some((_, value)) = words.iter().find(|(name, _)| *name == said) {
            return Ok(Some(*value));
        }
        let known: Vec<&str> = words.iter().map(|(name, _)| *name).collect();
        Err(unknown_word(&self.at(key), &said, &known))
    }

    /// The value of `key` is wrong for a reason that its kind does not tell.
    pub fn wrong(&self, key: &str, why: &str, next: &str) -> Trouble {
        unfit(&self.at(key), why, next)
    }

    fn has_words(&self) -> String {
        if self.at.is_empty() { "there is".to_owned() } else { format!("`{}` has", short(&self.at)) }
    }
}

const A_TABLE: &str = "a table (`key: value` lines below it)";

/// The entries of a mapping whose keys are free, in their order.
pub fn entries<'a>(at: &str, value: &'a Value) -> Result<Vec<(String, &'a Value)>, Trouble> {
    let Value::Mapping(map) = value else { return Err(wrong_type(at, value, A_TABLE)) };
    map.iter().map(|(key, value)| Ok((text(at, key)?, value))).collect()
}

/// A list, whatever its items are.
pub fn list<'a>(at: &str, value: &'a Value) -> Result<&'a [Value], Trouble> {
    value.as_sequence().map(Vec::as_slice).ok_or_else(|| wrong_type(at, value, "a list"))
}

pub fn texts(at: &str, value: &Value) -> Result<Vec<String>, Trouble> {
    let items = value.as_sequence().ok_or_else(|| wrong_type(at, value, "a list of texts"))?;
    items.iter().enumerate().map(|(index, item)| text(&format!("{at}[{index}]"), item)).collect()
}

/// Of any text the system is to be given at most what it takes: no NUL, which would cut it.
pub fn text(at: &str, value: &Value) -> Result<String, Trouble> {
    match value.as_str() {
        Some(text) if text.contains('\0') => {
            Err(unfit(at, "it holds a NUL character", "Take it out: no command, path or name can hold one."))
        }
        Some(text) => Ok(text.to_owned()),
        None => Err(wrong_type(at, value, "a text")),
    }
}

/// Refuses what can be no variable's name.
pub fn variable(at: &str, name: &str) -> Result<(), Trouble> {
    if name.is_empty() || name.contains('=') {
        let why = format!("`{}` names no variable: a name is not empty and holds no `=`", short(name));
        return Err(unfit(at, &why, "Write the name alone."));
    }
    Ok(())
}

/// A trouble with what stands here.
pub fn about(at: impl AsRef<str>, what: impl Display) -> Trouble {
    let at = at.as_ref();
    Trouble::config(format!("`{}` {what}", short(at))).of_setting(at.to_owned())
}

/// What stands here can't be used.
pub fn unfit(at: &str, why: &str, next: &str) -> Trouble {
    about(at, "can't be used").because(why).advise(next)
}

/// The trouble of a value of the wrong type.
pub fn wrong_type(at: &str, value: &Value, wanted: &str) -> Trouble {
    unfit(at, &format!("it is {}", kind_of(value)), &wants(wanted))
}

/// The trouble of a key that has to be there.
pub fn missing(at: &str, wanted: &str) -> Trouble {
    unfit(at, "it is missing", &wants(wanted))
}

/// The trouble of a word that is none of the known ones.
pub fn unknown_word(at: &str, word: &str, known: &[&str]) -> Trouble {
    unfit(at, &format!("`{}` is none of its values", short(word)), &did_you_mean(word, known))
}

fn wants(wanted: &str) -> String {
    format!("It wants {wanted}.")
}

/// The nearest of the known words, if one is near enough to be meant, and all of them.
pub fn did_you_mean(word: &str, known: &[&str]) -> String {
    let list = format!("Known are: {}.", known.join(", "));
    match nearest(word, known) {
        Some(near) => format!("Did you mean `{near}`? {list}"),
        None => list,
    }
}

/// The known word that is nearest to `word`, if one is near enough to be meant.
pub fn nearest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    let word = short(word).to_lowercase().replace('-', "_");
    let plain = |candidate: &str| candidate.to_lowercase().replace('-', "_");
    known
        .iter()
        .filter(|candidate| {
            let candidate = plain(candidate);
            strsim::osa_distance(&word, &candidate) <= 1 || strsim::jaro_winkler(&word, &candidate) >= 0.75
        })
        .min_by_key(|candidate| strsim::osa_distance(&word, &plain(candidate)))
        .copied()
}

/// So much of what was written as a message has room for.
fn short(text: &str) -> String {
    text.chars().take(100).collect()
}

fn kind_of(value: &Value) -> String {
    match value {
        Value::Null => "empty".to_owned(),
        Value::Bool(value) => format!("the word `{value}`, which YAML reads as true or false: quote it"),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) if text.is_empty() => "an empty text".to_owned(),
        Value::String(text) => format!("the text `{}`", text.chars().take(60).collect::<String>()),
        Value::Sequence(_) => "a list".to_owned(),
        Value::Mapping(_) => "a table".to_owned(),
        Value::Tagged(tagged) => format!("a value with the tag {}", tagged.tag),
    }
}
