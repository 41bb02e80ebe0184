//! Prints the criteria of a requirement (contract section 4). Exit code 0, or 2 with what to do.

use std::fmt::Write;
use std::process::ExitCode;

use serde::Serialize;

use super::run::prepare;
use crate::cli::CriteriaArgs;
use crate::settings::DEFAULT_SPECS_DIR;
use crate::text::object::VERSION;
use crate::view::print;
use crate::world::lock;
use crate::world::project::{self, Archive, Place};
use tdd_core::criterion::{Criterion, CriterionId, Verify};
use tdd_core::requirement::{Reading, Requirement};
use tdd_core::terminal_noise;
use tdd_core::trouble::Trouble;

pub fn run(args: &CriteriaArgs) -> Result<ExitCode, Trouble> {
    let (cwd, environment) = super::given::surroundings()?;
    let place = project::locate(&cwd)?;
    let requirement = find(args, &place)?;
    if args.fix && !requirement.reading.is_written() {
        // A run would take it for somebody else's change.
        if let Some(at_work) = lock::held_by_another(&place.repository) {
            return Err(at_work);
        }
        project::write_ids(&place, &requirement)?;
    }
    let shown = if args.fix { find(args, &place)? } else { requirement };
    // As a run keeps, shows and tells it.
    let mask = super::given::mask_of(&environment);
    let shown = shown.with_words(|text| mask.apply(text).into_owned());
    print::result(&if args.json { as_json(&shown, &place)? } else { for_people(&shown, &place) });
    Ok(ExitCode::SUCCESS)
}

fn find(args: &CriteriaArgs, place: &Place) -> Result<Requirement, Trouble> {
    let config = super::given::read_config(place)?;
    let specs_dir = config.and_then(|config| config.specs_dir);
    let specs_dir = specs_dir.as_deref().unwrap_or(DEFAULT_SPECS_DIR);
    let archived = if args.archived { Archive::Included } else { Archive::LeftOut };
    project::find_requirement(place, specs_dir, &args.requirement, archived)
}

/// Where the ids come from, if the file does not hold them.
fn origin(reading: Reading) -> Option<&'static str> {
    match reading {
        Reading::Written => None,
        Reading::Short => Some("the file holds their numbers; --fix writes them in full"),
        Reading::Counted => Some("by the places of the items; --fix writes them into the file"),
        Reading::SpecKit => Some("by Spec Kit's stories and requirements"),
        Reading::OpenSpec => Some("by OpenSpec's requirements and scenarios, counted"),
        Reading::Kiro => Some("by Kiro's requirements and their criteria"),
    }
}

/// One criterion, its fields in the order in which they are documented.
#[derive(Serialize)]
struct Row<'a> {
    r#type: &'static str,
    v: u8,
    id: &'a CriterionId,
    line: usize,
    verify: String,
    /// Why a run would be refused for its `verify:` line.
    #[serde(skip_serializing_if = "Option::is_none")]
    unfit: Option<String>,
    text: &'a str,
}

impl<'a> Row<'a> {
    fn of(criterion: &'a Criterion, place: &Place) -> Self {
        let Criterion { id, line, verify: kind, text } = criterion;
        let (line, unfit) = (*line, unfit(kind, place));
        Self { r#type: "criterion", v: VERSION, id, line, verify: verify(kind), unfit, text }
    }
}

/// Said here already: a run is refused for it.
fn unfit(verify: &Verify, place: &Place) -> Option<String> {
    match verify {
        Verify::Mdtest(path) => prepare::unfit_mdtest(place, path),
        Verify::Test | Verify::Gate | Verify::Manual => None,
    }
}

fn as_json(requirement: &Requirement, place: &Place) -> Result<String, Trouble> {
    let line = |criterion| {
        let line = serde_json::to_string(&Row::of(criterion, place));
        line.map(|line| line + "\n").map_err(|error| {
            Trouble::internal("a criterion can't be written as JSON").because(error.to_string())
        })
    };
    requirement.criteria.iter().map(line).collect()
}

fn for_people(requirement: &Requirement, place: &Place) -> String {
    let mut out = String::new();
    let title = requirement.title.as_deref().unwrap_or_default();
    let count = requirement.criteria.len();
    let noun = if count == 1 { "criterion" } else { "criteria" };
    let _ = writeln!(out, "{}  {title}\n{}, {count} {noun}", requirement.id, requirement.path);
    if let Some(origin) = origin(requirement.reading) {
        let _ = writeln!(out, "ids: {origin}");
    }
    for criterion in &requirement.criteria {
        let _ = write!(out, "\n{}  line {}", criterion.id, criterion.line);
        if criterion.verify != Verify::Test {
            let _ = write!(out, "  verify: {}", verify(&criterion.verify));
        }
        if let Some(why) = unfit(&criterion.verify, place) {
            let _ = write!(
                out,
                "\n    can't be judged so: {why}; correct the line, or write the test before a run"
            );
        }
        out.push('\n');
        for line in criterion.text.lines() {
            let _ = if line.is_empty() { writeln!(out) } else { writeln!(out, "    {line}") };
        }
    }
    terminal_noise::clean_text(&out).into_owned()
}

fn verify(verify: &Verify) -> String {
    match verify {
        Verify::Test => "test".to_owned(),
        Verify::Gate => "gate".to_owned(),
        Verify::Mdtest(path) => format!("mdtest {path}"),
        Verify::Manual => "manual".to_owned(),
    }
}
