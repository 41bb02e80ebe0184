//! Prints the criteria of a requirement (contract section 4). Exit code 0, or 2 with what to do.

use std::fmt::Write;
use std::process::ExitCode;

use serde::Serialize;

use crate::cli::CriteriaArgs;
use crate::settings::DEFAULT_SPECS_DIR;
use crate::view::print;
use crate::world::project::{self, Archive};
use tdd_core::criterion::{Criterion, CriterionId, Verify};
use tdd_core::requirement::Requirement;
use tdd_core::terminal_noise;
use tdd_core::trouble::Trouble;

pub fn run(args: &CriteriaArgs) -> Result<ExitCode, Trouble> {
    let requirement = find(args)?;
    print::result(&if args.json { as_json(&requirement)? } else { for_people(&requirement) });
    Ok(ExitCode::SUCCESS)
}

fn find(args: &CriteriaArgs) -> Result<Requirement, Trouble> {
    let (cwd, environment) = super::surroundings()?;
    let place = project::locate(&cwd)?;
    let config = super::read_config(&place)?;
    let specs_dir = config.and_then(|config| config.specs_dir);
    let specs_dir = specs_dir.as_deref().unwrap_or(DEFAULT_SPECS_DIR);
    let archived = if args.archived { Archive::Included } else { Archive::LeftOut };
    let found = project::find_requirement(&place, specs_dir, &args.requirement, archived)?;
    // As a run keeps, shows and tells it.
    let mask = super::mask_of(&environment);
    Ok(found.with_words(|text| mask.apply(text).into_owned()))
}

/// One criterion, its fields in the order in which they are documented.
#[derive(Serialize)]
struct Row<'a> {
    id: &'a CriterionId,
    line: usize,
    verify: String,
    text: &'a str,
}

impl<'a> Row<'a> {
    fn of(criterion: &'a Criterion) -> Self {
        let Criterion { id, line, verify: kind, text } = criterion;
        Self { id, line: *line, verify: verify(kind), text }
    }
}

fn as_json(requirement: &Requirement) -> Result<String, Trouble> {
    let line = |criterion| {
        let line = serde_json::to_string(&Row::of(criterion));
        line.map(|line| line + "\n").map_err(|error| {
            Trouble::internal("a criterion can't be written as JSON").because(error.to_string())
        })
    };
    requirement.criteria.iter().map(line).collect()
}

fn for_people(requirement: &Requirement) -> String {
    let mut out = String::new();
    let title = requirement.title.as_deref().unwrap_or_default();
    let count = requirement.criteria.len();
    let noun = if count == 1 { "criterion" } else { "criteria" };
    let _ = writeln!(out, "{}  {title}\n{}, {count} {noun}", requirement.id, requirement.path);
    for criterion in &requirement.criteria {
        let _ = write!(out, "\n{}  line {}", criterion.id, criterion.line);
        if criterion.verify != Verify::Test {
            let _ = write!(out, "  verify: {}", verify(&criterion.verify));
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
