//! One acceptance criterion and its id (contract section 4).

use std::fmt;

use serde::{Deserialize, Serialize};

/// `AC-<prefix>.<n>`. `.01` and `.1` are the same number, so the number is held as one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "String", into = "String")]
pub struct CriterionId {
    prefix: String,
    number: u64,
}

impl CriterionId {
    /// `None` unless `prefix` is `[A-Za-z0-9][A-Za-z0-9-]*`.
    pub fn new(prefix: &str, number: u64) -> Option<Self> {
        let first_fits = prefix.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
        let rest_fits = prefix.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        (first_fits && rest_fits).then(|| Self { prefix: prefix.to_owned(), number })
    }

    /// Reads `AC-<prefix>.<n>` and nothing around it.
    pub fn parse(text: &str) -> Option<Self> {
        let (prefix, number) = text.strip_prefix("AC-")?.rsplit_once('.')?;
        let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        if !digits {
            return None;
        }
        Self::new(prefix, number.parse().ok()?)
    }

    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    pub fn number(&self) -> u64 {
        self.number
    }

    /// The name that a file of this criterion's tests should hold: `ac_ste_12_1` (section 6).
    pub fn slug(&self) -> String {
        format!("ac_{}_{}", self.prefix.to_ascii_lowercase().replace('-', "_"), self.number)
    }
}

/// The ids of a requirement that a person means by a number alone (`1`, `AC-1`), or by the end of an id
/// (`US1.2`); `None` if the word has another form.
pub fn by_number<'i>(word: &str, known: &'i [CriterionId]) -> Option<Vec<&'i CriterionId>> {
    let short = word.strip_prefix("AC-").or_else(|| word.strip_prefix("AC")).unwrap_or(word);
    let (group, number) =
        short.rsplit_once('.').map_or((None, short), |(group, number)| (Some(group), number));
    let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let is_group = |group: &str| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !digits || !group.is_none_or(is_group) {
        return None;
    }
    let number: u64 = number.parse().ok()?;
    let ends_so = |id: &&CriterionId| {
        let last = id.prefix.rsplit('-').next().unwrap_or_default();
        id.number == number && group.is_none_or(|group| last.eq_ignore_ascii_case(group))
    };
    Some(known.iter().filter(ends_so).collect())
}

impl fmt::Display for CriterionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AC-{}.{}", self.prefix, self.number)
    }
}

impl TryFrom<String> for CriterionId {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text)
            .ok_or_else(|| format!("`{text}` is no criterion id: it must look like AC-STE-12.1"))
    }
}

impl From<CriterionId> for String {
    fn from(id: CriterionId) -> Self {
        id.to_string()
    }
}

/// How a criterion is judged: the `verify:` line under it, `test` if there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Verify {
    /// By its own tests, which must be seen red and then green.
    #[default]
    Test,
    /// By the gate command and no regression.
    Gate,
    /// By an agent that follows a Markdown test: an agent's word, so it ends as not verified.
    Mdtest(String),
    /// By the operator: it ends as not verified.
    Manual,
}

/// One acceptance criterion of a requirement.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Criterion {
    pub id: CriterionId,
    /// The line of its id in the requirement's file, from 1.
    pub line: usize,
    pub verify: Verify,
    /// All that follows the id, sub-bullets, wrapped lines and fences included.
    pub text: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_whole_and_leading_zeros_do_not_count() {
        assert_eq!(CriterionId::parse("AC-STE-12.01"), CriterionId::parse("AC-STE-12.1"));
        assert_eq!(CriterionId::parse("AC-STE-12.1").map(|id| id.slug()).as_deref(), Some("ac_ste_12_1"));
        let id = CriterionId::parse("AC-Ste-12.07").unwrap();
        assert_eq!((id.prefix(), id.number(), id.to_string().as_str()), ("Ste-12", 7, "AC-Ste-12.7"));
        for bad in ["AC-.1", "AC--a.1", "AC-a.", "AC-a.1x", "ac-a.1", "AC-a b.1", "AC-a.-1", "AC-a.+1", ""] {
            assert_eq!(CriterionId::parse(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn a_number_means_the_ids_that_end_so() {
        let known = ["AC-STE-12.1", "AC-STE-12.2", "AC-x-US1.2", "AC-x-FR.3", "AC-3.7"];
        let known: Vec<CriterionId> = known.iter().filter_map(|id| CriterionId::parse(id)).collect();
        for (word, want) in [
            ("1", Some("AC-STE-12.1")),
            ("AC-01", Some("AC-STE-12.1")),
            ("AC1", Some("AC-STE-12.1")),
            ("2", Some("AC-STE-12.2 AC-x-US1.2")),
            ("us1.2", Some("AC-x-US1.2")),
            ("FR.3", Some("AC-x-FR.3")),
            ("12.2", Some("AC-STE-12.2")),
            ("AC-3.7", Some("AC-3.7")),
            ("9", Some("")),
            ("STE-12.1", None),
            ("x", None),
            ("1x", None),
            (".1", None),
            ("", None),
        ] {
            let names =
                |ids: Vec<&CriterionId>| ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
            assert_eq!(by_number(word, &known).map(names).as_deref(), want, "{word:?}");
        }
    }

    #[test]
    fn an_id_is_journalled_as_it_is_read() {
        let id = CriterionId::parse("AC-STE-12.7").unwrap();
        assert_eq!(serde_json::to_value(&id).unwrap(), "AC-STE-12.7");
        assert_eq!(serde_json::from_str::<CriterionId>("\"AC-STE-12.07\"").unwrap(), id);
        let stranger = serde_json::from_str::<CriterionId>("\"STE-12.7\"").unwrap_err().to_string();
        assert!(stranger.contains("`STE-12.7` is no criterion id"), "{stranger}");
    }
}
