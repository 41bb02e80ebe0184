//! Which version of an agent's program is installed, and what is to be said of it.
#![expect(clippy::disallowed_methods, reason = "a program is asked for its version")]

use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::call::Call;
use super::{AgentSetup, RoleAgent};
use crate::core::role::Role;
use crate::core::trouble::Trouble;
use crate::text::agent_table::version::{self, Standing, Version};

/// A program that takes longer to say its version hangs.
const LONGEST: Duration = Duration::from_secs(20);
/// Bytes of what it says that are read.
const MOST: u64 = 64 << 10;

/// A line of warning if the installed version was never tried; a trouble if it is too old. Nothing
/// is asked of a table that names no versions.
pub(super) fn check(setup: &AgentSetup, agent: &RoleAgent) -> Result<Option<String>, Trouble> {
    let Some(versions) = &agent.table.versions else { return Ok(None) };
    let name = &agent.table.name;
    let found = installed(setup, agent)?;
    let told =
        found.as_ref().map_or_else(|| "an unknown version".to_owned(), |found| format!("version {found}"));
    match versions.standing(found.as_ref()) {
        Standing::Known => Ok(None),
        Standing::Unproven => Ok(Some(format!(
            "the agent `{name}` is {told}, with which it was never tried (it was with {}); it may work differently",
            versions.proven_words()
        ))),
        Standing::TooOld => Err(Trouble::environment(format!("the agent `{name}` is too old: {told}"))
            .because(format!("it is known to work from {} on", versions.oldest))
            .advise(format!(
                "update it (tried: {}), or name another agent with --agent",
                versions.proven_words()
            ))),
    }
}

/// The version that is installed, if the program tells one.
pub(super) fn installed(setup: &AgentSetup, agent: &RoleAgent) -> Result<Option<Version>, Trouble> {
    let call = Call::sample(setup, agent, Role::Implementer, Some("id"));
    let own = agent.table.versions.as_ref().and_then(|versions| versions.command.as_ref());
    let argv: Vec<String> = if let Some(command) = own {
        call.argv(command)?
    } else {
        let program = call.argv(&agent.table.argv)?.into_iter().take(1);
        program.chain(["--version".to_owned()]).collect()
    };
    Ok(ask(&argv, &call, setup)?.as_deref().and_then(version::said))
}

/// What the program prints, stdout before stderr, where pi tells it; `None` if it can't be started
/// or takes too long.
fn ask(argv: &[String], call: &Call<'_>, setup: &AgentSetup) -> Result<Option<String>, Trouble> {
    let Some((program, rest)) = argv.split_first() else { return Ok(None) };
    let mut command = Command::new(program);
    command.args(rest).current_dir(&setup.cwd).env_clear().envs(call.env()?);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let Ok(mut child) = command.spawn() else { return Ok(None) };
    let (stdout, stderr) = (child.stdout.take().map(listen), child.stderr.take().map(listen));
    let deadline = Instant::now() + LONGEST;
    let heard = [stdout, stderr].into_iter().flatten().map(|said| {
        said.recv_timeout(deadline.saturating_duration_since(Instant::now())).unwrap_or_default()
    });
    let said = heard.collect::<Vec<_>>().join(&b'\n');
    let _ = child.kill();
    let _ = child.wait();
    Ok(Some(String::from_utf8_lossy(&said).into_owned()))
}

/// Reads a pipe to its end. A grandchild may hold it for ever: the thread is left to itself then.
fn listen(pipe: impl Read + Send + 'static) -> mpsc::Receiver<Vec<u8>> {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut said = Vec::new();
        let _ = pipe.take(MOST).read_to_end(&mut said);
        let _ = send.send(said);
    });
    receive
}
