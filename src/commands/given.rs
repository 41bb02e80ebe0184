//! What every command is given: the current directory, the environment, the settings, and how a trouble is told.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::cli::Reader;
use crate::exit::Exit;
use crate::settings::Environment;
use crate::text::config::{self, ConfigFile};
use crate::text::mask::Mask;
use crate::text::object::{Content, Failure};
use crate::view::print;
use crate::world::config_file;
use crate::world::project::Place;
use tdd_core::trouble::Trouble;

/// The current directory and the environment: read here, once, and given on by argument.
#[expect(clippy::disallowed_methods, reason = "the one place that reads them")]
pub(in crate::commands) fn surroundings() -> Result<(PathBuf, Environment), Trouble> {
    let cwd = std::env::current_dir().map_err(|error| {
        Trouble::environment("the current directory can't be found")
            .because(error)
            .advise("change to a folder that exists and that you may read")
    })?;
    Ok((cwd, environment()))
}

#[expect(clippy::disallowed_methods, reason = "the one place that reads it")]
pub(in crate::commands) fn environment() -> Environment {
    Environment::from_vars(std::env::vars_os())
}

/// What hides this person's secrets.
pub(in crate::commands) fn mask_of(environment: &Environment) -> Mask {
    let text = |word: &std::ffi::OsString| word.to_string_lossy().into_owned();
    Mask::new(environment.vars.iter().map(|(name, value)| (text(name), text(value))))
}

/// `tdd.yaml`, if the project has one.
pub(in crate::commands) fn read_config(place: &Place) -> Result<Option<ConfigFile>, Trouble> {
    let text = config_file::read(&place.project)?;
    text.map(|text| config::read(config_file::NAME, &text)).transpose()
}

/// The person's own settings, if there are any.
pub(in crate::commands) fn read_own(environment: &Environment) -> Result<Option<ConfigFile>, Trouble> {
    let Some(path) = environment.config_home.as_deref().map(config_file::persons) else { return Ok(None) };
    let text = config_file::read_at(&path)?;
    text.map(|text| config::read_person(&path.to_string_lossy(), &text)).transpose()
}

/// The project's settings over the person's own.
pub(in crate::commands) fn read_settings(
    place: &Place,
    environment: &Environment,
) -> Result<Option<ConfigFile>, Trouble> {
    Ok(layered(read_config(place)?, read_own(environment)?))
}

pub(in crate::commands) fn layered(
    project: Option<ConfigFile>,
    own: Option<ConfigFile>,
) -> Option<ConfigFile> {
    match (project, own) {
        (project, None) => project,
        (project, Some(own)) => Some(project.unwrap_or_default().over(&own)),
    }
}

/// What is wrong may quote a command of the project's.
pub(in crate::commands) fn report(trouble: &Trouble, reader: Reader) -> ExitCode {
    let mask = mask_of(&environment());
    let trouble = &trouble.clone().map_words(&|text| mask.apply(text).into_owned());
    print::trouble(trouble);
    let code = Exit::of_trouble(trouble).code();
    if reader == Reader::Program {
        print::result(&Content::Error(Failure::of(trouble)).last(code));
    }
    ExitCode::from(code)
}
