//! One feature requirement, as a run knows it.

use serde::{Deserialize, Serialize};

use crate::criterion::{Criterion, CriterionId};
use crate::path::RelPath;

/// A feature requirement with its criteria in order (contract sections 3 and 4).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Requirement {
    /// The name that the person used, or the file's stem for a path.
    pub id: String,
    /// Where the file lies, relative to the repository.
    pub path: RelPath,
    pub title: Option<String>,
    /// How its criteria came by their ids.
    #[serde(default, skip_serializing_if = "Reading::is_written")]
    pub reading: Reading,
    /// Files that decide how tests or the gate run and that this feature needs, relative to the repository: its
    /// roles may write them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow_config: Vec<RelPath>,
    pub criteria: Vec<Criterion>,
}

/// How the criteria of a requirement came by their ids (contract section 4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Reading {
    /// Each stands in the file: `AC-STE-12.1`.
    #[default]
    Written,
    /// The file holds the number alone: `AC-1`, `AC1`.
    Short,
    /// The file holds none: the items of its section were counted.
    Counted,
    SpecKit,
    OpenSpec,
    Kiro,
}

impl Reading {
    pub fn is_written(&self) -> bool {
        *self == Self::Written
    }

    /// Whether an id says where its text stands, so that it is another's when items move.
    pub fn is_by_place(self) -> bool {
        !matches!(self, Self::Written | Self::Short)
    }

    /// Whether the file has the form of another tool, which that tool goes on reading.
    pub fn is_of_another_tool(self) -> bool {
        matches!(self, Self::SpecKit | Self::OpenSpec | Self::Kiro)
    }
}

/// A criterion whose id is by its place, and whose text stands elsewhere now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    pub id: CriterionId,
    /// Under which id its text stands now, if it is there at all.
    pub now: Option<CriterionId>,
}

impl Requirement {
    pub fn criterion(&self, id: &CriterionId) -> Option<&Criterion> {
        self.criteria.iter().find(|criterion| criterion.id == *id)
    }

    /// The first criterion that would be taken for another, were the file read as it is `now`: one whose text
    /// went to another id, or whose id is gone. Text that was merely reworded moves nothing.
    pub fn moved(&self, now: &Self) -> Option<Moved> {
        if !self.reading.is_by_place() {
            return None;
        }
        self.criteria.iter().find_map(|then| {
            let at = now.criterion(&then.id);
            if at.is_some_and(|at| at.text == then.text) {
                return None;
            }
            let other = now.criteria.iter().find(|other| other.text == then.text);
            let is_gone = at.is_none();
            (is_gone || other.is_some())
                .then(|| Moved { id: then.id.clone(), now: other.map(|other| other.id.clone()) })
        })
    }

    /// What the requirement lies in where another tool wrote it: its plan and tasks lie there too.
    pub fn folder_of_its_tool(&self) -> Option<&str> {
        let path = self.path.as_str();
        let parent = path.rsplit_once('/')?.0;
        let up_to = |mark: &str| {
            let begins = path
                .strip_prefix(mark)
                .map(|_| 0)
                .or_else(|| path.find(&format!("/{mark}")).map(|at| at + 1));
            begins.map(|at| path[..at + mark.len()].trim_end_matches('/'))
        };
        match self.reading {
            Reading::OpenSpec => up_to("openspec/"),
            Reading::Kiro => up_to(".kiro/specs/"),
            // `specs/` itself may hold tests.
            Reading::SpecKit => up_to("specs/").filter(|specs| parent.len() > specs.len()).map(|_| parent),
            Reading::Written | Reading::Short | Reading::Counted => None,
        }
    }

    /// With its words as they may be kept and shown.
    #[must_use]
    pub fn with_words(mut self, mask: impl Fn(&str) -> String) -> Self {
        self.title = self.title.as_deref().map(&mask);
        for criterion in &mut self.criteria {
            criterion.text = mask(&criterion.text);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::criterion::Verify;

    #[test]
    fn a_criterion_is_found_by_its_id() {
        let id = |number| CriterionId::new("X", number).unwrap();
        let of = |number| Criterion { id: id(number), line: 1, verify: Verify::Test, text: String::new() };
        let criteria = vec![of(1), of(2)];
        let path = RelPath::new("specs/frs/X.md").unwrap();
        let requirement = Requirement {
            id: "X".into(),
            path,
            title: None,
            reading: Reading::Written,
            allow_config: Vec::new(),
            criteria,
        };
        for number in [1, 2, 3] {
            let found = requirement.criterion(&id(number)).map(|criterion| criterion.id.number());
            assert_eq!(found, (number < 3).then_some(number));
        }
    }

    fn of(path: &str, reading: Reading, texts: &[&str]) -> Requirement {
        let criterion = |(at, text): (usize, &&str)| Criterion {
            id: CriterionId::new("X", at as u64 + 1).unwrap(),
            line: 1,
            verify: Verify::Test,
            text: (*text).to_owned(),
        };
        let criteria = texts.iter().enumerate().map(criterion).collect();
        Requirement {
            id: "X".into(),
            path: RelPath::new(path).unwrap(),
            title: None,
            reading,
            allow_config: Vec::new(),
            criteria,
        }
    }

    #[test]
    fn what_moved_is_told_from_what_was_reworded() {
        let then = of("a.md", Reading::Counted, &["a", "b"]);
        for (now, want) in [
            (&["a", "b"][..], None),
            (&["a", "b", "c"], None),
            (&["a", "b, better"], None),
            (&["b", "a"], Some((1, Some(2)))),
            (&["new", "a", "b"], Some((1, Some(2)))),
            (&["a"], Some((2, None))),
            (&["b"], Some((2, Some(1)))),
        ] {
            let found = then.moved(&of("a.md", Reading::Counted, now));
            let found = found.map(|it| (it.id.number(), it.now.map(|now| now.number())));
            assert_eq!(found, want, "{now:?}");
        }
        let written = of("a.md", Reading::Written, &["a", "b"]);
        assert_eq!(written.moved(&of("a.md", Reading::Written, &["b", "a"])), None, "its ids moved along");
    }

    #[test]
    fn a_tool_keeps_a_requirement_in_a_folder() {
        for (path, reading, want) in [
            ("specs/001-a/spec.md", Reading::SpecKit, Some("specs/001-a")),
            ("web/specs/001-a/spec.md", Reading::SpecKit, Some("web/specs/001-a")),
            ("specs/spec.md", Reading::SpecKit, None),
            ("src/spec.md", Reading::SpecKit, None),
            ("openspec/changes/c/specs/a/spec.md", Reading::OpenSpec, Some("openspec")),
            ("web/openspec/specs/a/spec.md", Reading::OpenSpec, Some("web/openspec")),
            ("myopenspec/a/spec.md", Reading::OpenSpec, None),
            (".kiro/specs/a/requirements.md", Reading::Kiro, Some(".kiro/specs")),
            ("specs/frs/X.md", Reading::Written, None),
        ] {
            assert_eq!(of(path, reading, &["a"]).folder_of_its_tool(), want, "{path}");
        }
    }
}
