//! Writes a requirement: `tdd new STE-12 "Short links"`. Exit code 0, or 2 with what to do.

use std::process::ExitCode;

use crate::cli::set_up::{FIRST_TITLE, NewArgs};
use crate::settings::DEFAULT_SPECS_DIR;
use crate::text::first_steps;
use crate::view::print;
use crate::world::lock;
use crate::world::project::{self, Place};
use crate::world::written::{self, Planned, Standing};
use tdd_core::criterion::CriterionId;
use tdd_core::trouble::Trouble;

/// In characters.
const LONGEST_TITLE: usize = 200;

pub fn run(args: &NewArgs) -> Result<ExitCode, Trouble> {
    let (cwd, _) = super::given::surroundings()?;
    let place = project::locate(&cwd)?;
    let config = super::given::read_config(&place)?;
    let specs_dir = config.and_then(|config| config.specs_dir);
    let specs_dir = specs_dir.as_deref().unwrap_or(DEFAULT_SPECS_DIR);
    let known = project::known_requirements(&place, specs_dir)?;
    // An id that a run bears is taken, though its requirement is gone: tests are named after it.
    let numbered: Vec<String> = known.iter().cloned().chain(project::ids_of_runs(&place)).collect();
    let template = template(&place, specs_dir, &known);
    let next = || match &template {
        Some((id, _)) => id.clone(),
        None => first_steps::next_id(&numbered, &place.project_name()),
    };
    let (id, title) = match args.words.as_slice() {
        [id] if is_like_an_id(id.trim()) => {
            return Err(Trouble::user(format!("{} is an id without a title", id.trim()))
                .advise(format!("tdd new {} \"Short links\"", id.trim())));
        }
        [id, title] => (id.trim().to_owned(), title.trim()),
        [title] => (next(), title.trim()),
        _ => return Err(Trouble::user("no title was given").advise("tdd new STE-12 \"Short links\"")),
    };
    check(&id, title, &args.criteria)?;
    let path = place.in_repository(&format!("{specs_dir}/{id}.md"));
    let text = first_steps::requirement(&id, title, &args.criteria);
    let planned = Planned { path, text };
    let is_template = |stem: &str| template.as_ref().is_some_and(|(id, _)| id == stem);
    let is_known = known.iter().any(|stem| stem.eq_ignore_ascii_case(&id) && !is_template(stem));
    let is_free = is_template(&id) || planned.standing(&place.repository) == Standing::New;
    if is_known || !is_free {
        return Err(Trouble::user(format!("there is a requirement {id} already"))
            .because(format!("{} is there", planned.path))
            .advise(format!("leave the id out to get the next one: tdd new {title:?}")));
    }
    let template = template.map(|(_, template)| template);
    write(&place, &planned, template.as_ref())?;
    let path = &planned.path;
    let instead = template
        .map(|it| format!("in place of {}, which nobody had filled in\n", it.path))
        .unwrap_or_default();
    print::result(&if args.criteria.is_empty() {
        format!("{path}\n{instead}Next: write down there what must hold, then `tdd {id}`.\n")
    } else {
        format!("{path}\n{instead}Next: `tdd {id}`; `tdd {id} --dry-run` says what that would do.\n")
    });
    Ok(ExitCode::SUCCESS)
}

/// What `tdd init` left to be filled in and nobody touched: whoever names one of their own has no use for it, and
/// it is in the way of `tdd --all`. While a run is at work nothing is taken away below it.
fn template(place: &Place, specs_dir: &str, known: &[String]) -> Option<(String, Planned)> {
    if lock::held_by_another(&place.repository).is_some() {
        return None;
    }
    let run = project::ids_of_runs(place);
    let of = |id: &String| Planned {
        path: place.in_repository(&format!("{specs_dir}/{id}.md")),
        text: first_steps::requirement(id, FIRST_TITLE, &[]),
    };
    let is_untouched = |(_, it): &(String, Planned)| it.standing(&place.repository) == Standing::Same;
    known.iter().filter(|id| !run.contains(id)).map(|id| (id.clone(), of(id))).find(is_untouched)
}

/// The new one is there before the template goes.
fn write(place: &Place, planned: &Planned, template: Option<&Planned>) -> Result<(), Trouble> {
    let repository = &place.repository;
    match template {
        Some(template) if template.path == planned.path => {
            written::put(repository, &planned.path, Some(&planned.text))
        }
        Some(template) => {
            written::write_new(repository, planned)?;
            written::put(repository, &template.path, None)
        }
        None => written::write_new(repository, planned),
    }
}

/// `STE-12`, and no title of one word.
fn is_like_an_id(word: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    word.rsplit_once('-')
        .is_some_and(|(name, number)| !name.contains(char::is_whitespace) && is_number(number))
}

fn check(id: &str, title: &str, criteria: &[String]) -> Result<(), Trouble> {
    if CriterionId::new(id, 1).is_none() {
        return Err(Trouble::user(format!("`{id}` can't be the id of a requirement"))
            .because(
                "an id has letters, digits and hyphens, and its file and its criteria are named after it",
            )
            .advise("for example: tdd new STE-12 \"Short links\""));
    }
    check_words(title, criteria)
}

/// Each is one line.
pub(super) fn check_words(title: &str, criteria: &[String]) -> Result<(), Trouble> {
    let is_line = |text: &str| !text.trim().is_empty() && !text.contains(char::is_control);
    if title.chars().count() > LONGEST_TITLE {
        return Err(Trouble::user(format!("the title has more than {LONGEST_TITLE} characters"))
            .because("every line about its runs begins with it")
            .advise("name the thing in the title, and say what must hold as a criterion: -c \"…\""));
    }
    if !is_line(title) || !criteria.iter().all(|text| is_line(text)) {
        let which = if is_line(title) { "a criterion" } else { "the title" };
        return Err(Trouble::user(format!("{which} is empty, or holds more than one line"))
            .advise("for example: tdd new STE-12 \"Short links\" -c \"slug('A b') is a-b\""));
    }
    Ok(())
}
