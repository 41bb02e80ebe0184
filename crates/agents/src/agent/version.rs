//! Which version of an agent's program is installed, and what is to be said of it.
#![expect(clippy::disallowed_methods, reason = "a program is asked for its version")]

use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::call::Call;
use super::{AgentSetup, RoleAgent};
use crate::agent_table::version::{self, Support, Version};
use tdd_core::role::Role;
use tdd_core::trouble::Trouble;

/// A program that takes longer to say its version hangs.
const LONGEST: Duration = Duration::from_secs(10);
/// After so long a person is told what is waited for.
const PATIENCE: Duration = Duration::from_secs(2);
/// Bytes of what it says that are read.
const MOST: u64 = 64 << 10;

/// What a program tells of its version.
enum Told {
    Version(Version),
    Nothing,
    /// It was ended before it had said anything.
    Late,
}

/// A line of warning if the installed version was never tested; a trouble if it is too old. Nothing
/// is asked of a table that names no versions. `tell` hears of a long wait.
pub(super) fn check(
    setup: &AgentSetup,
    agent: &RoleAgent,
    tell: &mut dyn FnMut(&str),
) -> Result<Option<String>, Trouble> {
    let Some(versions) = &agent.table.versions else { return Ok(None) };
    let name = &agent.table.name;
    let (found, told) = match told(setup, agent, tell)? {
        Told::Version(found) => (Some(found.clone()), format!("version {found}")),
        Told::Nothing => (None, "an unknown version".to_owned()),
        Told::Late => (None, format!("an unknown version (it told none within {} s)", LONGEST.as_secs())),
    };
    match versions.support(found.as_ref()) {
        Support::Tested | Support::Within => Ok(None),
        Support::Newer => Ok(Some(format!(
            "the agent `{name}` is {told}, newer than any tested ({}); whether it works tells `tdd doctor --agent {name}`",
            versions.proven_words()
        ))),
        Support::Untold => Ok(Some(format!(
            "the agent `{name}` is {told} (tested: {}); whether it works tells `tdd doctor --agent {name}`",
            versions.proven_words()
        ))),
        Support::TooOld => Err(Trouble::environment(format!("the agent `{name}` is too old: {told}"))
            .because(format!("it is known to work from {} on", versions.oldest))
            .advise(format!(
                "update it (tested: {}), or name another agent with --agent",
                versions.proven_words()
            ))),
    }
}

/// The version that is installed, if the program tells one. One whose table names no versions is not asked: it may
/// be any program of a repository, which knows no `--version` and begins to work.
pub(super) fn installed(setup: &AgentSetup, agent: &RoleAgent) -> Result<Option<Version>, Trouble> {
    if agent.table.versions.is_none() {
        return Ok(None);
    }
    Ok(match told(setup, agent, &mut |_| {})? {
        Told::Version(version) => Some(version),
        Told::Nothing | Told::Late => None,
    })
}

fn told(setup: &AgentSetup, agent: &RoleAgent, tell: &mut dyn FnMut(&str)) -> Result<Told, Trouble> {
    let call = Call::sample(setup, agent, Role::Implementer, Some("id"));
    let own = agent.table.versions.as_ref().and_then(|versions| versions.command.as_ref());
    let argv: Vec<String> = if let Some(command) = own {
        call.argv(command)?
    } else {
        let program = call.argv(&agent.table.argv)?.into_iter().take(1);
        program.chain(["--version".to_owned()]).collect()
    };
    let mut late = || {
        let most = LONGEST.as_secs();
        tell(&format!("waiting for `{}`, which tells a version; {most} s at most", argv.join(" ")));
    };
    ask(&argv, &call, setup, &mut late)
}

/// What the program prints, stdout before stderr, where pi tells it.
fn ask(
    argv: &[String],
    call: &Call<'_>,
    setup: &AgentSetup,
    late: &mut dyn FnMut(),
) -> Result<Told, Trouble> {
    let Some((program, rest)) = argv.split_first() else { return Ok(Told::Nothing) };
    let mut command = Command::new(program);
    command.args(rest).current_dir(&setup.cwd).env_clear().envs(call.env()?);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let Ok(mut child) = command.spawn() else { return Ok(Told::Nothing) };
    let (stdout, stderr) = (child.stdout.take().map(listen), child.stderr.take().map(listen));
    let began = Instant::now();
    let until = |most: Duration| (began + most).saturating_duration_since(Instant::now());
    let (mut said, mut is_late) = (Vec::new(), false);
    for pipe in [stdout, stderr].into_iter().flatten() {
        let soon = pipe.recv_timeout(until(PATIENCE));
        let heard = soon.or_else(|_| {
            if !std::mem::replace(&mut is_late, true) {
                late();
            }
            pipe.recv_timeout(until(LONGEST))
        });
        said.extend(heard.unwrap_or_default());
        said.push(b'\n');
    }
    let _ = child.kill();
    let _ = child.wait();
    Ok(match version::said(&String::from_utf8_lossy(&said)) {
        Some(version) => Told::Version(version),
        None if until(LONGEST).is_zero() => Told::Late,
        None => Told::Nothing,
    })
}

/// Reads a pipe to its end. A grandchild may hold it for ever: the thread is left to itself then.
fn listen(pipe: impl Read + Send + 'static) -> mpsc::Receiver<Vec<u8>> {
    let (send, receive) = mpsc::channel();
    // Where no thread can be started, `send` is dropped, and nothing is heard.
    let _ = std::thread::Builder::new().name("tdd-listen".to_owned()).spawn(move || {
        let mut said = Vec::new();
        let _ = pipe.take(MOST).read_to_end(&mut said);
        let _ = send.send(said);
    });
    receive
}
