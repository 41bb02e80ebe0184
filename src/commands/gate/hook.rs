//! `tdd gate hook`: an agent's hook, answered in its terms. What can't be read is refused.
//!
//! ```text
//! stdin JSON ─► Call (whose, when, which tool, which files) ─► Answer ─► exit code 0 or 2
//! ```
//!
//! Agents take an exit code other than 2 for a fault of the hook's and go on, so there is no other here: not for
//! a bug of ours, and not where nobody reads what we say.
#![expect(clippy::disallowed_methods, reason = "reads stdin, and the environment of the hook")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Value, json};

use super::agents::{self, Answer, Moment, Tool};
use super::call::{Call, files, inside, read, tool_of};
use super::caller::{self, Caller};
use super::compare::{compare, in_doubt, in_the_midst};
use super::cut_off::Open;
use super::desk::{self, Desk, Whose};
use super::inner_tests::{self, only_tests};
use super::turn::{self, Turned};
use super::{
    agents_environment, cut_off, first_tests, git_hooks, mixed, own_settings, refactoring, settings, within,
};
use crate::bug;
use crate::cli::gate::HookArgs;
use crate::commands::gate::at_work;
use crate::settings::Environment;
use crate::view::print;
use crate::world::project::Place;
use crate::world::session_file::{self, Depth};
use tdd_child::regular_file;
use tdd_core::event::{EditGround, GateMode, SessionEvent, Switch};
use tdd_core::path::RelPath;
use tdd_core::session::{Permit, Refusal};
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::watch::Look;

const GOES: u8 = 0;
const BLOCKED: u8 = 2;
/// A source whose edit is worked out beforehand.
const LARGEST_SOURCE: u64 = 2 << 20;

/// What the agent is told.
enum Word {
    /// Nothing; or a line of context for the model.
    Go(String),
    /// The model reads why.
    Stop(String),
}

pub fn run(args: &HookArgs) -> ExitCode {
    let how = style(args);
    blocks_by_a_bug(how, args.event.clone());
    let (word, how) = answer(args).unwrap_or_else(|trouble| (Word::Stop(in_words(&trouble)), how));
    ExitCode::from(say(&word, how, args.event.as_deref()))
}

fn blocks_by_a_bug(how: Answer, event: Option<String>) {
    let word = Word::Stop("tdd: refused: a bug in tdd's hook; tell the person".to_owned());
    bug::is_answered_by(move || say(&word, how, event.as_deref()));
}

fn style(args: &HookArgs) -> Answer {
    agents::of(&args.agent).map_or(Answer::Code, |agent| agent.answer)
}

/// In one line or two: a model reads it.
fn in_words(trouble: &Trouble) -> String {
    let mask = crate::commands::given::mask_of(&crate::commands::given::environment());
    mask.apply(&format!("tdd: refused: {trouble}")).into_owned()
}

/// The exit code. Where nobody can be told, the call is refused.
fn say(word: &Word, how: Answer, event: Option<&str>) -> u8 {
    let told = match (word, how) {
        (Word::Go(text), _) if text.is_empty() => return GOES,
        (Word::Go(text), _) => print::answer(&format!("{text}\n"), ""),
        (Word::Stop(why), Answer::Code) => print::answer("", &format!("{why}\n")),
        (Word::Stop(why), Answer::Decision) => {
            let decision = json!({
                "permissionDecision": "deny",
                "permissionDecisionReason": why,
                "decision": "block",
                "reason": why,
                "hookSpecificOutput": {
                    "hookEventName": event.unwrap_or("PreToolUse"),
                    "permissionDecision": "deny",
                    "permissionDecisionReason": why,
                },
            });
            print::answer(&format!("{decision}\n"), &format!("{why}\n"))
        }
    };
    match (word, told) {
        (Word::Go(_), Ok(())) => GOES,
        (Word::Go(_), Err(_)) | (Word::Stop(_), _) => BLOCKED,
    }
}

fn answer(args: &HookArgs) -> Result<(Word, Answer), Trouble> {
    let call = read(args)?;
    let how = call.agent.answer;
    let environment = crate::commands::given::environment();
    let cwd = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    let Some(place) = desk::place_of(&environment, (call.cwd.as_deref(), &cwd), &call.session) else {
        // Where there is no work tree there is nothing to hold, unless there was one.
        return match desk::orphaned(&environment, (call.cwd.as_deref(), &cwd), &call.session) {
            Some(folder) => Err(Trouble::user(format!("{} is held, and its .git is gone", folder.display()))
                .because("without it nothing can be compared or taken back")
                .advise("put the repository's .git back where it was")),
            None => Ok((Word::Go(String::new()), how)),
        };
    };
    // To read nobody needs a session, not even where none can be begun.
    let reads = call.moment == Moment::Before && call.agent.tool(&call.tool) == Some(Tool::Read);
    if reads || call.moment == Moment::Other {
        return Ok((Word::Go(String::new()), how));
    }
    if let Some(run) = at_work::policy(&place)? {
        return Ok((during_run(&call, &place, &cwd, &run)?, how));
    }
    Ok((in_session(&call, place, environment, &cwd)?, how))
}

/// A run holds the work tree: its policy answers, and nothing is noted.
fn during_run(call: &Call, place: &Place, cwd: &Path, run: &at_work::Run) -> Result<Word, Trouble> {
    if call.moment != Moment::Before {
        return Ok(Word::Go(String::new()));
    }
    let Some(files) = files(call, tool_of(call, None)?)? else { return Ok(Word::Go(String::new())) };
    let refused = inside(call, place, cwd, &files)?.into_iter().find_map(|path| {
        match tdd_core::session::in_run(&run.policy, run.role, &path) {
            Permit::Allowed(..) => None,
            Permit::Refused(refusal) => Some(refusal),
        }
    });
    Ok(refused.map_or_else(|| Word::Go(String::new()), |refusal| Word::Stop(refusal.to_string())))
}

fn in_session(call: &Call, place: Place, environment: Environment, cwd: &Path) -> Result<Word, Trouble> {
    let whose = Whose { id: &call.session, agent: call.agent.name, model: call.model.as_deref() };
    let depth = if call.moment == Moment::TurnEnd { Depth::Whole } else { Depth::Quick };
    let is_late = matches!(call.moment, Moment::After | Moment::SubagentEnd | Moment::TurnEnd);
    let mut desk = match Desk::called(place, environment, whose, (depth, is_late))? {
        Ok(desk) => desk,
        // Nothing can be edited yet; a person's word is not stopped by that.
        Err(unable) if matches!(call.moment, Moment::SessionStart | Moment::TurnStart | Moment::TurnEnd) => {
            return Ok(Word::Go(in_words(&unable)));
        }
        Err(unable) => return Err(unable),
    };
    session_file::note_last(&desk.place.repository, &call.session)?;
    if desk.state().switch == Switch::Off {
        return Ok(Word::Go(String::new()));
    }
    caller::note(&desk.session.folder);
    if !call.is_compacted {
        caller::hear(&desk.session.folder, call.moment);
    }
    match call.moment {
        Moment::Other => Ok(Word::Go(String::new())),
        // Nobody says whose turn it is: what has changed is judged by the next call, or is a person's if that
        // begins a turn.
        Moment::SessionStart if call.is_compacted => Ok(Word::Go(begun(&desk))),
        Moment::SessionStart | Moment::TurnStart => {
            let told = if call.moment == Moment::SessionStart {
                begun(&desk) + &settings::changed(&desk) + &settings::another_program()
            } else {
                String::new()
            };
            turn_begins(&mut desk, call, told)
        }
        Moment::Before => before(call, &desk, cwd),
        Moment::After | Moment::SubagentEnd => {
            if call.moment == Moment::After {
                cut_off::ended(&desk.session.folder, &call.use_id);
            }
            let tool = Some(call.tool.as_str()).filter(|tool| !tool.is_empty());
            let compared = compare(&mut desk, tool, Look::Quick)?;
            let (planted, held) = (git_hooks::news(&desk), own_settings::put_back(&desk));
            let is_held = !compared.told.is_empty() || !held.is_empty();
            let told = turn::in_lines([compared.told, held, compared.warned, planted]);
            Ok(if is_held { Word::Stop(told) } else { Word::Go(aside(call, &told)) })
        }
        Moment::TurnEnd => turn_ends(&mut desk, call),
    }
}

/// What the turn has left is judged; what it leaves in git and elsewhere is told.
fn turn_ends(desk: &mut Desk, call: &Call) -> Result<Word, Trouble> {
    cut_off::all_ended(&desk.session.folder);
    let turned = if call.is_again { refactoring::ended_again(desk)? } else { turn::flush(desk)? };
    let is_strict = desk.state().started.mode == GateMode::Strict;
    let committed = turn::committed(desk)?.filter(|_| is_strict);
    let inner = within::judged(desk)?;
    let still = committed.as_ref().map(|told| format!("\n{told}")).unwrap_or_default();
    let planted = git_hooks::of_turn(desk);
    let held = Some(own_settings::put_back(desk)).filter(|held| !held.is_empty());
    let reminder = held.or(committed).or(planted).or(inner.reminder).or_else(|| refactoring::reminder(desk));
    let reminder = reminder.filter(|_| !call.is_again);
    Ok(match (turned, reminder) {
        (Turned::Red(told), _) => Word::Stop([told, still, inner.red].concat()),
        (Turned::Green { .. } | Turned::Warned(_) | Turned::Nothing, _) if !inner.red.is_empty() => {
            Word::Stop(inner.red)
        }
        (Turned::Green { .. } | Turned::Warned(_) | Turned::Nothing, Some(reminder)) => Word::Stop(reminder),
        (Turned::Green { beside: told, .. } | Turned::Warned(told), None) => Word::Go(aside(call, &told)),
        (Turned::Nothing, None) => Word::Go(String::new()),
    })
}

/// A word beside a call that stands, for the person and the model: plain text of a hook that ends well is read by nobody.
fn aside(call: &Call, text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let mut word = json!({ "systemMessage": text });
    if call.moment == Moment::After {
        word["hookSpecificOutput"] = json!({ "hookEventName": call.event, "additionalContext": text });
    }
    word.to_string()
}

/// What changed between two turns is a person's, if it is the agent that says that one begins. What came since a
/// tool began that was cut off may be that tool's: the person is asked once.
fn turn_begins(desk: &mut Desk, call: &Call, told: String) -> Result<Word, Trouble> {
    if caller::whose(&desk.session.folder) == Caller::Agent {
        let open = cut_off::open(&desk.session.folder);
        if call.agent.asks && open != Open::Nothing {
            let (mut unsure, claimed) = in_doubt(desk)?;
            unsure.retain(|_| open == Open::Shell);
            let is_unsure = !unsure.is_empty() || !claimed.is_empty();
            if is_unsure && call.moment == Moment::SessionStart {
                // The word to come is the one that can be held.
                return Ok(Word::Go(told));
            }
            if is_unsure && !cut_off::was_asked(&desk.session.folder, &call.said) {
                return Ok(Word::Stop(cut_off::question(&unsure, &claimed)));
            }
        }
        let news = settings::news(desk).filter(|_| call.agent.asks && call.moment == Moment::TurnStart);
        if let Some(news) = &news
            && !settings::was_asked(&desk.session.folder, news, &call.said)
        {
            return Ok(Word::Stop(settings::question(news)));
        }
        cut_off::all_ended(&desk.session.folder);
        agents_environment::keep(&desk.session.folder);
        git_hooks::settle(desk);
        own_settings::settle(desk);
        turn::rebase(desk)?;
        if let Some(news) = news {
            desk.record_one(SessionEvent::Settled(news.settled))?;
        }
        return Ok(Word::Go(told));
    }
    let refused = turn::in_lines([compare(desk, None, Look::Quick)?.told, own_settings::put_back(desk)]);
    Ok(if refused.is_empty() { Word::Go(told) } else { Word::Stop(refused) })
}

/// What a model is told at the beginning: always the same words.
fn begun(desk: &Desk) -> String {
    match &desk.state().refactor {
        Some(refactor) if refactor.why == desk::NO_TESTS => {
            "tdd: this repository has no tests, so refactor mode is on: edits are free. Once there is a test and a \
             test command: tdd gate refactor off; a claim on a red test ends it, too"
                .to_owned()
        }
        None if let Some(gone) = first_tests::gone(desk) => gone,
        _ => "tdd: code is edited only for a red test. Write a failing test; tdd gate test FILE::NAME; tdd gate \
              claim FILE::NAME TARGET; edit TARGET; tdd gate flush"
            .to_owned(),
    }
}

fn before(call: &Call, desk: &Desk, cwd: &Path) -> Result<Word, Trouble> {
    let tool = tool_of(call, desk.state().started.tools.get(&call.tool).copied())?;
    let Some(files) = files(call, tool)? else {
        cut_off::began(&desk.session.folder, &call.use_id);
        return Ok(Word::Go(String::new()));
    };
    let mut is_claimed = false;
    let beside = desk.state().git.as_ref().map(|git| git.work_trees.as_slice()).unwrap_or_default();
    for path in inside(call, &desk.place, cwd, &files)? {
        if beside.iter().any(|folder| path.is_within(folder.as_str())) {
            continue;
        }
        let refusal = match permit(&call.input, desk, &path) {
            Permit::Refused(refusal) => refusal,
            Permit::Allowed(ground, _) => {
                is_claimed |= ground == EditGround::Claim;
                continue;
            }
        };
        if desk.state().started.mode == GateMode::Warn {
            return Ok(Word::Go(warning(&refusal)));
        }
        let is_for_a_test =
            matches!(refusal, Refusal::NoRed { .. } | Refusal::NoClaim { .. } | Refusal::NotCounted { .. });
        let midst = if is_for_a_test { in_the_midst(desk) } else { String::new() };
        return Ok(Word::Stop(refusal.to_string() + &midst));
    }
    if is_claimed {
        cut_off::began_edit(&desk.session.folder, &call.use_id);
    }
    Ok(Word::Go(String::new()))
}

/// The same where the gate warns alone.
pub(super) fn warning(refusal: &Refusal) -> String {
    refusal.to_string().replacen(" refused:", " (warning):", 1)
}

/// Whether the file may be edited; an edit that only adds tests to a source that holds some may.
pub(super) fn permit(input: &Value, desk: &Desk, path: &RelPath) -> Permit {
    let permit = desk.state().may_edit(&desk.rules, path);
    let is_for_code = matches!(permit, Permit::Allowed(EditGround::Claim | EditGround::Refactor, _));
    let is_for_a_test = matches!(
        permit,
        Permit::Refused(Refusal::NoRed { .. } | Refusal::NoClaim { .. } | Refusal::NotCounted { .. })
    );
    if !is_for_a_test && !is_for_code {
        return permit;
    }
    let old =
        regular_file::head(&desk.place.repository.join(path.as_str()), LARGEST_SOURCE).unwrap_or_default();
    if is_for_code {
        let is_claimed = matches!(permit, Permit::Allowed(EditGround::Claim, _));
        let settles = |new: &Vec<u8>| mixed::changed(path, Some(&old), Some(new)).filter(|_| is_claimed);
        let weakened = proposed(input, &old)
            .and_then(|new| settles(&new).or_else(|| inner_tests::weakens(desk, path, &old, &new)));
        return weakened.map_or(permit, Permit::Refused);
    }
    match proposed(input, &old) {
        Some(new) if only_tests(desk, path, &old, &new) => Permit::Allowed(EditGround::Test, Vec::new()),
        _ => permit,
    }
}

/// What the file would be, where the tool's input tells.
pub(super) fn proposed(input: &Value, old: &[u8]) -> Option<Vec<u8>> {
    let text = |keys: [&str; 3]| keys.into_iter().find_map(|key| input[key].as_str());
    if let Some(content) = text(["content", "file_text", "fileText"]) {
        return Some(content.as_bytes().to_vec());
    }
    let (from, to) =
        (text(["old_string", "oldString", "oldText"])?, text(["new_string", "newString", "newText"])?);
    let old = std::str::from_utf8(old).ok()?;
    // Where it stands more than once, which of them is meant decides.
    (!from.is_empty() && old.matches(from).count() == 1).then(|| old.replacen(from, to, 1).into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bug_of_ours_blocks_the_call() {
        let Some((code, said)) =
            bug::tests::of_its_own("commands::gate::hook::tests::a_bug_of_ours_blocks_the_call")
        else {
            blocks_by_a_bug(Answer::Code, None);
            panic!("as a slice out of its bounds does");
        };
        assert_eq!((code, said.as_str()), (2, "tdd: refused: a bug in tdd's hook; tell the person\n"));
        assert_eq!(say(&Word::Go(String::new()), Answer::Code, None), GOES);
    }
}
