//! A YAML mapping that is read key by key and refuses what nobody asked for.
//!
//! Positions are not known here: a parsed YAML value has lost them. So every message names the
//! whole way to the key (`agents.mine.message.from`) instead of a line.

use serde_yaml::{Mapping, Value};

use tdd_core::trouble::Trouble;

/// A mapping with its name for messages.
#[derive(Clone, Debug)]
pub struct StrictMap<'a> {
    at: String,
    map: &'a Mapping,
}

impl<'a> StrictMap<'a> {
    /// Refuses a value that is no mapping, and any key that is not in `known`, with the nearest.
    pub fn open(at: impl Into<String>, value: &'a Value, known: &[&str]) -> Result<Self, Trouble> {
        let at = at.into();
        let Value::Mapping(map) = value else {
            return Err(wrong_type(&at, value, "a mapping of keys to values"));
        };
        for key in map.keys() {
            let Value::String(name) = key else {
                return Err(wrong_type(&at, key, "a plain word as a key"));
            };
            if !known.contains(&name.as_str()) {
                return Err(unknown_key(&at, name, known));
            }
        }
        Ok(Self { at, map })
    }

    /// The way to a key of this mapping, for messages.
    pub fn at(&self, key: &str) -> String {
        format!("{}.{key}", self.at)
    }

    pub fn path(&self) -> &str {
        &self.at
    }

    /// The value of a key. A key with nothing behind it counts as absent.
    pub fn get(&self, key: &str) -> Option<&'a Value> {
        self.map.get(key).filter(|value| !matches!(value, Value::Null))
    }

    pub fn has(&self, key: &str) -> bool {
        self.map.contains_key(key)
    }

    pub fn text(&self, key: &str) -> Result<Option<String>, Trouble> {
        self.get(key).map(|value| text(&self.at(key), value)).transpose()
    }

    /// A number of at least `least`.
    pub fn number(&self, key: &str, least: u64) -> Result<Option<u64>, Trouble> {
        self.get(key)
            .map(|value| {
                value.as_u64().filter(|number| *number >= least).ok_or_else(|| {
                    wrong_type(&self.at(key), value, &format!("a whole number, at least {least}"))
                })
            })
            .transpose()
    }

    /// A list of texts.
    pub fn texts(&self, key: &str) -> Result<Option<Vec<String>>, Trouble> {
        self.get(key).map(|value| texts(&self.at(key), value)).transpose()
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
}

/// The entries of a mapping whose keys are free, in their order.
pub fn entries<'a>(at: &str, value: &'a Value) -> Result<Vec<(String, &'a Value)>, Trouble> {
    let Value::Mapping(map) = value else {
        return Err(wrong_type(at, value, "a mapping of keys to values"));
    };
    map.iter().map(|(key, value)| Ok((text(at, key)?, value))).collect()
}

/// A list, whatever its items are.
pub fn list<'a>(at: &str, value: &'a Value) -> Result<&'a [Value], Trouble> {
    value.as_sequence().map(Vec::as_slice).ok_or_else(|| wrong_type(at, value, "a list"))
}

pub fn texts(at: &str, value: &Value) -> Result<Vec<String>, Trouble> {
    list(at, value)?.iter().enumerate().map(|(index, item)| text(&format!("{at}[{index}]"), item)).collect()
}

pub fn text(at: &str, value: &Value) -> Result<String, Trouble> {
    match value.as_str() {
        Some(text) if text.contains('\0') => Err(Trouble::config(format!("`{at}` holds a NUL character"))
            .because("no argument, variable or file name can hold one")
            .advise("take it out")),
        Some(text) => Ok(text.to_owned()),
        None => Err(wrong_type(at, value, "a text (quote it if it looks like something else)")),
    }
}

/// Refuses what can be no variable's name.
pub fn variable(at: &str, name: &str) -> Result<(), Trouble> {
    if name.is_empty() || name.contains('=') {
        return Err(Trouble::config(format!("`{at}` names no variable: `{name}`"))
            .because("the name of a variable is not empty and holds no `=`")
            .advise("write the name alone"));
    }
    Ok(())
}

/// The trouble of a value of the wrong type.
pub fn wrong_type(at: &str, value: &Value, wanted: &str) -> Trouble {
    let found = match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(value) => format!("`{value}`"),
        Value::Number(value) => format!("the number {value}"),
        Value::String(value) => format!("the text `{}`", value.chars().take(60).collect::<String>()),
        Value::Sequence(_) => "a list".to_owned(),
        Value::Mapping(_) => "a mapping".to_owned(),
        Value::Tagged(_) => "a tagged value".to_owned(),
    };
    Trouble::config(format!("`{at}` can't be read"))
        .because(format!("it must be {wanted}, and {found} stands there"))
        .advise(format!("change `{at}`"))
}

/// The trouble of a word that is none of the known ones.
pub fn unknown_word(at: &str, word: &str, known: &[&str]) -> Trouble {
    Trouble::config(format!("`{at}` can't be `{}`", word.chars().take(60).collect::<String>()))
        .because(format!("it is one of {}", quoted(known)))
        .advise(nearest_advice(word, known))
}

fn unknown_key(at: &str, name: &str, known: &[&str]) -> Trouble {
    Trouble::config(format!("`{at}` has an unknown key `{}`", name.chars().take(60).collect::<String>()))
        .because(format!("the keys there are {}", quoted(known)))
        .advise(nearest_advice(name, known))
}

/// `did you mean …?`, or what can be done when nothing is near.
pub fn nearest_advice(word: &str, known: &[&str]) -> String {
    match nearest(word, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "take it out, or use one of those".to_owned(),
    }
}

/// The known word that is nearest to `word`, if one is near enough to be meant.
pub fn nearest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    let word: String = word.chars().take(60).collect();
    known
        .iter()
        .filter(|candidate| {
            let typing_errors = strsim::osa_distance(&word, candidate);
            typing_errors == 1 || strsim::jaro_winkler(&word, candidate) >= 0.75
        })
        .min_by_key(|candidate| strsim::osa_distance(&word, candidate))
        .copied()
}

fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}
