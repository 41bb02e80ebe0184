//! Which lines of a JSON stream count.

use serde_json::Value;

use super::pointer::Pointer;

/// One demand on a line.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    at: Pointer,
    demand: Demand,
}

#[derive(Clone, Debug, PartialEq)]
enum Demand {
    OneOf(Vec<Value>),
    Text { begins: String, contains: String },
}

impl Condition {
    /// What stands there is one of these numbers, texts, booleans or null. Null is also met by a
    /// place that is not there: some versions of an agent leave a field out where others write null.
    pub fn one_of(at: Pointer, values: Vec<Value>) -> Self {
        Self { at, demand: Demand::OneOf(values) }
    }

    /// A text stands there that begins and holds so; an empty text demands nothing.
    pub fn text(at: Pointer, begins: String, contains: String) -> Self {
        Self { at, demand: Demand::Text { begins, contains } }
    }

    fn holds(&self, line: &Value) -> bool {
        match &self.demand {
            Demand::OneOf(values) => {
                let found = self.at.any(line, &mut |value| values.contains(value));
                found.unwrap_or_else(|| values.contains(&Value::Null))
            }
            Demand::Text { begins, contains } => {
                let is_so =
                    |text: &str| text.starts_with(begins.as_str()) && text.contains(contains.as_str());
                self.at.any(line, &mut |value| value.as_str().is_some_and(is_so)).unwrap_or(false)
            }
        }
    }
}

/// Lines that meet every condition, and what to take of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Selector {
    pub filter: Vec<Condition>,
    /// The part that is meant; for a count, lines that lack it do not count.
    pub take: Option<Pointer>,
    /// Where lines do not stand alone.
    pub by: Option<By>,
}

/// Which lines belong together: one message, one turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum By {
    /// Those with the same value there.
    Value(Pointer),
    /// Those that no other line comes between; the texts of a message are pieces of one text then.
    Run,
}

impl Selector {
    pub fn fits(&self, line: &Value) -> bool {
        self.filter.iter().all(|condition| condition.holds(line))
    }

    /// The text that is meant, of a line that fits.
    pub fn text(&self, line: &Value) -> Option<String> {
        if !self.fits(line) {
            return None;
        }
        self.take.as_ref()?.text(line)
    }

    /// The parts that are meant, of a line that fits.
    pub fn parts<'v>(&self, line: &'v Value) -> Vec<&'v Value> {
        match &self.take {
            Some(take) if self.fits(line) => take.find(line),
            Some(_) | None => Vec::new(),
        }
    }

    /// What tells the group of a line; `None` if no value tells it or this one has no such part.
    pub fn group(&self, line: &Value) -> Option<String> {
        match self.by.as_ref()? {
            By::Value(by) => by.find(line).first().map(ToString::to_string),
            By::Run => None,
        }
    }

    pub fn goes_by_run(&self) -> bool {
        self.by == Some(By::Run)
    }

    /// Whether this line counts as (a part of) one of what is counted.
    pub fn counts(&self, line: &Value) -> bool {
        self.fits(line) && self.take.as_ref().is_none_or(|take| take.any(line, &mut |_| true).is_some())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn condition(at: &str, any_of: &[Value]) -> Condition {
        Condition::one_of(Pointer::parse(at).unwrap(), any_of.to_vec())
    }

    #[test]
    fn a_line_fits_when_every_condition_holds() {
        let selector = Selector {
            filter: vec![
                condition("/type", &[json!("assistant"), json!("message")]),
                condition("/parent", &[Value::Null]),
                condition("/content/*/type", &[json!("tool_use")]),
            ],
            take: None,
            by: None,
        };
        for (line, want) in [
            (json!({"type":"assistant","parent":null,"content":[{"type":"text"},{"type":"tool_use"}]}), true),
            (json!({"type":"message","content":[{"type":"tool_use"}]}), true),
            (json!({"type":"assistant","parent":"x","content":[{"type":"tool_use"}]}), false),
            (json!({"type":"assistant","parent":null,"content":[{"type":"text"}]}), false),
            (json!({"type":"user","parent":null,"content":[{"type":"tool_use"}]}), false),
            (json!([1]), false),
        ] {
            assert_eq!(selector.fits(&line), want, "{line}");
        }
    }
}
