//! Carries tests out: one agent for each, so many at a time, to the end of the suite.
#![expect(clippy::disallowed_methods, reason = "what a test took and printed is measured and tidied up")]

use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Instant;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::{JoinSet, LocalSet};

use super::discovery::Test;
use super::log_place::{LogPlace, Unread};
use crate::agent::{Task, Tasks};
use tdd_child::clock::SystemClock;
use tdd_core::attempt::AgentEnd;
use tdd_core::audience;
use tdd_core::mdtest::{Cut, Outcome, Results, Status, Unfinished, Voice};
use tdd_core::ports::{Clock, Limits};
use tdd_core::test::Exit;
use tdd_core::trouble::{Trouble, TroubleKind};
use tdd_spec::mdtest::log::Word;
use tdd_spec::mdtest::prompt;

/// What is heard while a suite is carried out.
#[derive(Clone, Debug)]
pub enum News {
    Began { index: usize, test: String },
    Ended { index: usize, outcome: Outcome },
    Note(String),
}

/// Tests and who carries them out.
#[derive(Debug)]
pub struct Suite {
    pub tests: Vec<Test>,
    pub tasks: Tasks,
    pub limits: Limits,
    /// A new folder for what the agents print; a test that passed leaves nothing there.
    pub raw: PathBuf,
    /// At most so many at a time; at least one.
    pub jobs: usize,
}

impl Suite {
    /// Carries all of them out and gives what came of each, in the order of the tests.
    /// The trouble is there if the suite was cut short: the agent can't be started, or we were stopped.
    pub async fn run(self, tell: &mut dyn FnMut(News)) -> (Results, Option<Trouble>) {
        let suite = Rc::new(self);
        let (send, receive) = unbounded_channel();
        LocalSet::new().run_until(attend(suite, send, receive, tell)).await
    }
}

async fn attend(
    suite: Rc<Suite>,
    send: UnboundedSender<News>,
    mut receive: UnboundedReceiver<News>,
    tell: &mut dyn FnMut(News),
) -> (Results, Option<Trouble>) {
    let mut outcomes: Vec<Option<Outcome>> = vec![None; suite.tests.len()];
    let (mut running, mut next) = (JoinSet::new(), 0);
    let mut trouble = None;
    loop {
        while trouble.is_none() && next < suite.tests.len() && running.len() < suite.jobs.max(1) {
            tell(News::Began { index: next, test: suite.tests[next].name.clone() });
            running.spawn_local(one(Rc::clone(&suite), next, send.clone()));
            next += 1;
        }
        let ended = tokio::select! {
            biased;
            Some(news) = receive.recv() => {
                tell(news);
                continue;
            }
            ended = running.join_next() => ended,
        };
        match ended {
            None => break,
            Some(Ok((index, Ok(outcome)))) => {
                tell(News::Ended { index, outcome: outcome.clone() });
                outcomes[index] = Some(outcome);
            }
            Some(Ok((_, Err(why)))) => {
                trouble.get_or_insert(why);
            }
            Some(Err(error)) => {
                trouble.get_or_insert(Trouble::internal("a test was lost").because(error.to_string()));
            }
        }
    }
    let why = trouble.as_ref().map_or_else(String::new, |trouble: &Trouble| trouble.what.clone());
    let mut results = Results::default();
    for (index, outcome) in outcomes.into_iter().enumerate() {
        let cut = if index < next { Cut::Interrupted(why.clone()) } else { Cut::NotRun };
        match outcome {
            Some(outcome) => results.outcomes.push(outcome),
            None => results.unfinished.push(Unfinished { test: suite.tests[index].name.clone(), how: cut }),
        }
    }
    (results, trouble)
}

async fn one(
    suite: Rc<Suite>,
    index: usize,
    send: UnboundedSender<News>,
) -> (usize, Result<Outcome, Trouble>) {
    let test = &suite.tests[index];
    let began = Instant::now();
    let folder = suite.raw.join(format!("{}-{}", index + 1, short_name(&test.path)));
    let outcome = carry_out(&suite, test, &folder, &send).await.map(|mut outcome| {
        outcome.duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        outcome.output = tidy(&folder, outcome.status);
        outcome
    });
    (index, outcome)
}

/// `Err` if the agent can't be started, or we were stopped.
async fn carry_out(
    suite: &Suite,
    test: &Test,
    folder: &Path,
    send: &UnboundedSender<News>,
) -> Result<Outcome, Trouble> {
    if let Some(obstacle) = &test.obstacle {
        return Ok(failed(test, obstacle.clone()));
    }
    if let Some(changed) = test.is_changed() {
        return Ok(failed(test, changed));
    }
    let place = match LogPlace::take(test, &timestamp(SystemClock::default().now_ms())) {
        Ok(place) => place,
        Err(why) => return Ok(failed(test, why)),
    };
    let (Some(path), Some(log)) = (test.path.to_str(), place.path().to_str()) else {
        return Ok(failed(test, "its path is no UTF-8".to_owned()));
    };
    let task =
        Task { prompt: prompt::prompt(path, log), role_text: prompt::ROLE.to_owned(), limits: suite.limits };
    let mut hear = |news| match news {
        audience::News::Note(words) => drop(send.send(News::Note(words))),
        audience::News::ChildLine { .. }
        | audience::News::Turns { .. }
        | audience::News::Running { .. }
        | audience::News::Bounds { .. }
        | audience::News::Tick { .. } => {}
    };
    let ended = match suite.tasks.send(&task, folder.to_owned(), &mut hear).await? {
        Ok(report) => match report.end {
            AgentEnd::Exited(exit) => Ended { exit: Some(exit), failure: None, cut: None },
            AgentEnd::Exhausted(what) => Ended { exit: None, failure: None, cut: Some(what.to_string()) },
        },
        Err(trouble) => match trouble.kind {
            TroubleKind::Stopped(_) => return Err(trouble),
            TroubleKind::User
            | TroubleKind::Config
            | TroubleKind::Environment
            | TroubleKind::Passing
            | TroubleKind::Internal => Ended { exit: None, failure: Some(trouble.what), cut: None },
        },
    };
    Ok(classify(test, log, ended, place.read()))
}

/// How the agent's program ended.
pub(super) struct Ended {
    pub(super) exit: Option<Exit>,
    /// What its program failed of, as it told.
    pub(super) failure: Option<String>,
    /// Why we stopped it.
    pub(super) cut: Option<String>,
}

/// The log decides, unless we had to stop the agent: then it was not done.
pub(super) fn classify(test: &Test, log: &str, ended: Ended, word: Result<Word, Unread>) -> Outcome {
    let line = word.as_ref().err().and_then(|unread| unread.line);
    let (status, voice, reason) = match (ended.cut, word) {
        (Some(cut), word) => {
            let said = word.map_or(String::new(), |word| format!("; its log says {}", word.status.name()));
            (Status::Fail, Voice::Tdd, Some(format!("the agent was stopped: {cut}{said}")))
        }
        (None, Ok(Word { status: Status::Pass, .. })) => (Status::Pass, Voice::Agent, None),
        (None, Ok(Word { status: Status::Fail, reason })) => (Status::Fail, Voice::Agent, reason),
        (None, Err(unread)) => {
            let failure = ended.failure.map_or(String::new(), |failure| format!("; {failure}"));
            (Status::Fail, Voice::Tdd, Some(format!("{}{failure}", unread.why)))
        }
    };
    Outcome {
        status,
        voice,
        reason,
        line,
        exit: ended.exit,
        log: log.to_owned(),
        ..failed(test, String::new())
    }
}

fn failed(test: &Test, reason: String) -> Outcome {
    Outcome {
        test: test.name.clone(),
        log: String::new(),
        status: Status::Fail,
        voice: Voice::Tdd,
        reason: Some(reason),
        line: None,
        exit: None,
        duration_ms: 0,
        output: None,
    }
}

/// Keeps what the agent of a failed test printed, and nothing else: its private state may lead to
/// the person's log-in.
fn tidy(folder: &Path, status: Status) -> Option<String> {
    let logs = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let newest = logs
        .filter(|path| path.extension().is_some_and(|extension| extension == "log"))
        .max_by_key(|path| fs::metadata(path).and_then(|about| about.modified()).ok());
    let kept = folder.with_extension("log");
    let printed = match status {
        Status::Fail => newest.filter(|newest| fs::rename(newest, &kept).is_ok()),
        Status::Pass => None,
    };
    let _ = tdd_child::folder::remove_all(folder);
    printed.map(|_| kept.display().to_string())
}

/// A test's name as part of a file's name.
fn short_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    name.trim_end_matches(".test.md").chars().take(40).map(safe).collect()
}

/// UTC, `YYYY-MM-DDTHH-MM-SSZ`.
fn timestamp(now_ms: u64) -> String {
    let seconds = i64::try_from(now_ms / 1000).unwrap_or_default();
    let time = jiff::Timestamp::from_second(seconds).unwrap_or_default();
    time.strftime("%Y-%m-%dT%H-%M-%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timestamp_is_utc_to_the_second() {
        assert_eq!(timestamp(1_770_798_645_999), "2026-02-11T08-30-45Z");
    }

    #[test]
    fn the_log_decides_and_the_exit_code_never_does() {
        let test = Test { name: "a.test.md".into(), path: "/a.test.md".into(), obstacle: None, print: None };
        let says = |status, reason: Option<&str>| Ok(Word { status, reason: reason.map(str::to_owned) });
        let unread = || Err(Unread { why: "missing status key".into(), line: Some(1) });
        let exited = |code| Ended { exit: Some(Exit::Code(code)), failure: None, cut: None };
        let failing = || Ended { exit: None, failure: Some("it is not logged in".into()), cut: None };
        let cut = || Ended { exit: None, failure: None, cut: Some("its deadline passed".into()) };
        for (ended, word, status, reason) in [
            (exited(1), says(Status::Pass, None), Status::Pass, ""),
            (failing(), says(Status::Pass, None), Status::Pass, ""),
            (exited(0), says(Status::Fail, Some("no door")), Status::Fail, "the agent says fail: no door"),
            (exited(0), unread(), Status::Fail, "missing status key"),
            (failing(), unread(), Status::Fail, "missing status key; it is not logged in"),
            (
                cut(),
                says(Status::Pass, None),
                Status::Fail,
                "the agent was stopped: its deadline passed; its log says pass",
            ),
            (cut(), unread(), Status::Fail, "the agent was stopped: its deadline passed"),
        ] {
            let exit = ended.exit;
            let outcome = classify(&test, "/a.log.md", ended, word);
            assert_eq!((outcome.status, outcome.words().as_str()), (status, reason));
            assert_eq!(outcome.voice.is_agent(), status == Status::Pass || reason.contains("agent says"));
            assert_eq!(outcome.exit, exit, "it is recorded");
        }
    }
}
