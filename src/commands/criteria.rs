//! Prints the criteria of a requirement (contract section 4). Exit code 0, or 2 with what to do.
#![expect(clippy::disallowed_methods, reason = "a command reads the current directory")]

use std::fmt::Write;
use std::process::ExitCode;

use serde_json::json;

use crate::cli::CriteriaArgs;
use crate::core::criterion::{Criterion, Verify};
use crate::core::requirement::Requirement;
use crate::core::trouble::Trouble;
use crate::text::terminal_noise;
use crate::view::print;
use crate::world::project::{self, Archive};

pub fn run(args: &CriteriaArgs) -> Result<ExitCode, Trouble> {
    let requirement = find(args, project::SPECS_DIR)?;
    print::result(&if args.json { as_json(&requirement) } else { for_people(&requirement) });
    Ok(ExitCode::SUCCESS)
}

fn find(args: &CriteriaArgs, specs_dir: &str) -> Result<Requirement, Trouble> {
    let cwd = std::env::current_dir().map_err(|error| {
        Trouble::environment("the current folder is gone").because(error).advise("change into your project")
    })?;
    let archived = if args.archived { Archive::Included } else { Archive::LeftOut };
    project::find_requirement(&project::locate(&cwd)?, specs_dir, &args.requirement, archived)
}

fn as_json(requirement: &Requirement) -> String {
    let object = |criterion: &Criterion| {
        json!({
            "id": criterion.id,
            "line": criterion.line,
            "verify": verify(&criterion.verify),
            "text": criterion.text,
        })
    };
    let list: Vec<serde_json::Value> = requirement.criteria.iter().map(object).collect();
    format!("{}\n", serde_json::Value::Array(list))
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
            let _ = writeln!(out, "    {line}");
        }
    }
    terminal_noise::clean_text(&out)
}

fn verify(verify: &Verify) -> String {
    match verify {
        Verify::Test => "test".to_owned(),
        Verify::Gate => "gate".to_owned(),
        Verify::Mdtest(path) => format!("mdtest {path}"),
        Verify::Manual => "manual".to_owned(),
    }
}
