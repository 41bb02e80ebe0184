//! Plain `tdd doctor`: what a run needs, looked at before there is one.
//!
//! Everything is found by the same code as a run finds it by; here it is only told. A finding that a
//! run would be refused for is a problem, and the others go on being looked for all the same.

mod hooks;
mod machine;
mod project;
mod trial;

use std::path::PathBuf;
use std::process::ExitCode;

use crate::cli::{DoctorArgs, RunArgs};
use crate::settings::{Environment, Settings};
use crate::text::mask::Mask;
use crate::view::{checkup as shown, print};
use crate::world::project::{self as places, Place};
use tdd_child::signals;
use tdd_child::signals::StopSignal;
use tdd_child::unix;
use tdd_core::checkup::{Finding, Grade, Subject};
use tdd_core::trouble::Trouble;

/// Where it is looked, and by which settings.
struct Scene {
    cwd: PathBuf,
    environment: Environment,
    settings: Settings,
    stop: StopSignal,
}

/// Tells each finding as soon as it is there.
struct Teller {
    json: bool,
    mask: Mask,
    told: Vec<Finding>,
}

impl Teller {
    fn tell(&mut self, finding: Finding) {
        let masked = |text: &str| self.mask.apply(text).into_owned();
        let Finding { subject, grade, what, why, next } = finding;
        let finding = Finding { subject, grade, what: masked(&what), why: masked(&why), next: masked(&next) };
        print::result(&if self.json { shown::json_line(&finding) } else { shown::lines(&finding) });
        self.told.push(finding);
    }

    fn tell_all(&mut self, findings: impl IntoIterator<Item = Finding>) {
        findings.into_iter().for_each(|finding| self.tell(finding));
    }
}

/// Exit 0 if nothing is in the way of a run, else 1.
pub(super) fn run(args: &DoctorArgs) -> Result<ExitCode, Trouble> {
    let (cwd, environment) = crate::commands::given::surroundings()?;
    let mask = crate::commands::given::mask_of(&environment);
    let mut teller = Teller { json: args.json, mask, told: Vec::new() };
    let stop = signals::install()?;
    // Descendants of children that lose their parents come to us, so that the sweep finds them.
    let _ = unix::become_subreaper();

    let place = teller.place(&cwd);
    let (settings, are_whole) = teller.settings(args, place.as_ref(), &environment)?;
    let scene = Scene { cwd, environment, settings, stop };
    // What is told of agents rests on the settings.
    if are_whole {
        teller.tell_all(machine::agents(&scene));
    }
    teller.tell_all(machine::sandbox(&scene, place.as_ref()));
    if let Some(place) = &place {
        let looked = project::look(place, &scene, args);
        let is_held = looked.iter().any(|one| one.subject == Subject::Lock && one.grade != Grade::Ok);
        let tree = if is_held { trial::Tree::AtWork } else { trial::Tree::Quiet };
        if are_whole {
            teller.tell_all(trial::commands(place, &scene, tree)?);
        }
        teller.tell_all(looked);
        teller.tell_all(hooks::look(place, &scene));
    }
    teller.tell(machine::disk(place.as_ref().map_or(&scene.cwd, |place| &place.repository)));
    let is_fit = teller.told.iter().all(|finding| finding.grade != Grade::Problem);
    print::result(&if args.json { shown::json_sum(&teller.told) } else { shown::sum(&teller.told) });
    Ok(if is_fit { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

impl Teller {
    fn place(&mut self, cwd: &std::path::Path) -> Option<Place> {
        match places::locate(cwd) {
            Ok(place) => {
                self.tell_all(project::git(&place));
                Some(place)
            }
            Err(trouble) => {
                self.tell(Finding::problem(Subject::Git, trouble));
                None
            }
        }
    }

    /// The settings, and whether `tdd.yaml` is part of them; what is wrong with it is a finding, what
    /// is wrong with a flag is a trouble.
    fn settings(
        &mut self,
        args: &DoctorArgs,
        place: Option<&Place>,
        environment: &Environment,
    ) -> Result<(Settings, bool), Trouble> {
        let flags = RunArgs { isolation: args.isolation.clone(), ..RunArgs::default() };
        let config = place.map(crate::commands::given::read_config).transpose().map(Option::flatten);
        let own = crate::commands::given::read_own(environment);
        let (config, finding) = match config.and_then(|config| own.map(|own| (config, own))) {
            Ok((project, own)) => {
                let said = match (&project, &own) {
                    (Some(_), Some(_)) => Some("tdd.yaml and your own settings can be read"),
                    (Some(_), None) => Some("tdd.yaml can be read"),
                    (None, Some(_)) => Some("your own settings can be read"),
                    (None, None) => None,
                };
                let finding = said.map(|said| Finding::ok(Subject::Settings, said));
                (crate::commands::given::layered(project, own), finding)
            }
            Err(trouble) => {
                let finding = Finding::problem(Subject::Settings, trouble);
                self.tell(finding);
                return Ok((Settings::resolve(&flags, None, environment)?, false));
            }
        };
        self.tell_all(finding);
        Ok((Settings::resolve(&flags, config, environment)?, true))
    }
}
