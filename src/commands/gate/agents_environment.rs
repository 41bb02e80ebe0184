//! The environment that a session's tests run in: the agent's own, as its hooks have it. A command line can set
//! variables for one call (`PYTHONPATH=… tdd gate test`), and with them what red and green mean.
//!
//! ```text
//! hook, as a turn begins ─► .tdd/sessions/<session>/environment ─► tdd gate test|flush|refactor begins anew with it
//! ```
//!
//! What may be a secret is not kept: it stays as the command has it. While no agent lives, whoever calls is
//! believed.
#![expect(clippy::disallowed_methods, reason = "reads the environment, and begins this program anew")]

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use serde::{Deserialize, Serialize};

use super::{caller, desk};
use crate::cli::gate::SessionArgs;
use crate::text::mask::{self, Mask};
use crate::world::{project, session_file};
use tdd_child::regular_file;
use tdd_core::trouble::Trouble;

const KEPT: &str = "environment";
/// More than a system lets a program have.
const LARGEST: u64 = 4 << 20;
/// It goes with the folder.
const FOLDER: &str = "PWD";

type Variables = BTreeMap<String, String>;

/// What is kept.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Kept {
    variables: Variables,
    /// Names of those that may be secrets. The command's own values hold for these alone.
    secret: BTreeSet<String>,
}

fn own() -> Variables {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// Keeps it for the commands of this session. Where that fails they run as they are called.
pub(super) fn keep(folder: &Path) {
    let mask = crate::commands::given::mask_of(&crate::commands::given::environment());
    let kept = parted(own(), &mask);
    let Ok(bytes) = serde_json::to_vec(&kept) else { return };
    let is_same = regular_file::head(&folder.join(KEPT), LARGEST).is_ok_and(|now| now == bytes);
    if !is_same {
        let _ = regular_file::write_private(&folder.join(KEPT), &bytes);
    }
}

fn parted(variables: Variables, mask: &Mask) -> Kept {
    let mut kept = Kept::default();
    for (name, value) in variables {
        if mask::is_secret(&name) || mask.apply(&value) != value {
            kept.secret.insert(name);
        } else {
            kept.variables.insert(name, value);
        }
    }
    kept
}

/// Begins this program anew with what is kept, if it differs. Comes back where there is nothing to be done.
pub(super) fn adopt(which: &SessionArgs) -> Result<(), Trouble> {
    let (cwd, _) = crate::commands::given::surroundings()?;
    let place = project::locate(&cwd)?;
    let Some(id) = desk::chosen(&place, which.session.as_deref())? else { return Ok(()) };
    let folder = session_file::folder(&place.repository, &id);
    if caller::at_work(&folder).is_none() {
        return Ok(());
    }
    let kept = regular_file::head(&folder.join(KEPT), LARGEST).ok();
    let Some(kept) = kept.and_then(|bytes| serde_json::from_slice::<Kept>(&bytes).ok()) else {
        return Ok(());
    };
    let own = own();
    let wanted = wanted(kept, &own);
    if wanted == own {
        return Ok(());
    }
    let failed = |error: std::io::Error| {
        Trouble::environment("tests can't be run in the agent's own environment")
            .because(error)
            .advise("leave it to the end of the turn, which runs them by itself")
    };
    let tdd = std::env::current_exe().map_err(failed)?;
    let mut anew = Command::new(tdd);
    Err(failed(anew.args(std::env::args_os().skip(1)).env_clear().envs(wanted).exec()))
}

fn wanted(kept: Kept, own: &Variables) -> Variables {
    let mut wanted = kept.variables;
    wanted.extend(
        kept.secret
            .iter()
            .filter_map(|name| own.get_key_value(name))
            .map(|(name, value)| (name.clone(), value.clone())),
    );
    match own.get(FOLDER) {
        Some(folder) => wanted.insert(FOLDER.to_owned(), folder.clone()),
        None => wanted.remove(FOLDER),
    };
    wanted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(all: &[(&str, &str)]) -> Variables {
        all.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn secrets_and_the_folder_stay_and_all_else_is_the_agents() {
        let agents = variables(&[
            ("PATH", "/bin"),
            ("MY_TOKEN", "abcdefgh"),
            ("DATABASE", "db://me:abcdefgh@here"),
            ("PWD", "/there"),
        ]);
        let kept = || parted(agents.clone(), &Mask::new(agents.clone().into_iter()));
        assert_eq!(kept().variables, variables(&[("PATH", "/bin"), ("PWD", "/there")]));
        let own = variables(&[
            ("PATH", "/evil:/bin"),
            ("PYTHONPATH", "/evil-path"),
            ("EVIL_TOKEN", "/evil-path"),
            ("MY_TOKEN", "abcdefgh"),
            ("DATABASE", "db://me:abcdefgh@here"),
            ("PWD", "/here"),
        ]);
        let wanted = wanted(kept(), &own);
        let want = [
            ("PATH", "/bin"),
            ("MY_TOKEN", "abcdefgh"),
            ("DATABASE", "db://me:abcdefgh@here"),
            ("PWD", "/here"),
        ];
        assert_eq!(wanted, variables(&want));
        // Once it is so, it is so.
        assert_eq!(super::wanted(kept(), &wanted), wanted);
    }
}
