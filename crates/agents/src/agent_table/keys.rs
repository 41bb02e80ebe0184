//! The keys of an agent's table, each with what may stand there and what it says.
//!
//! ```text
//! where   = { POINTER: value | [value, …] | {begins: TEXT, contains: TEXT}, … }    one of both is enough
//! POINTER = a JSON pointer, `/result/text`, into one line or document
//! ```
//!
//! Leniency: `message: {from: {file: PATH}}` is read like `{file: PATH}`, because the settings'
//! own comment can be read both ways.

/// One key. The shape and the words are for people; `read` holds to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    pub name: &'static str,
    pub shape: &'static str,
    pub about: &'static str,
}

/// All keys that a table may have, in the order in which they are told.
pub const KEYS: [Key; 35] = [
    key(
        "like",
        "NAME",
        "a built-in agent (`claude`, `codex`, `gemini`, `opencode`, `pi`): each key that is not here is as in its table, and so is each variable of `env: { set: … }`",
    ),
    key(
        "argv",
        "[item, …]",
        "the program and its arguments, without a shell. An item is an argument; a group `[--model, \"{model}\"]`, left out when a placeholder of it has no value; or a case: `{first: […]}` and `{resume: […]}` for a session that begins or goes on, `{own_sandbox: […]}` and `{no_own_sandbox: […]}`. The one key that must be there, unless `like` brings it",
    ),
    key(
        "resume_argv",
        "[item, …]",
        "the same for a retry of the format that goes on in `{session}`, where `argv` does not say it by cases",
    ),
    key(
        "prompt",
        "file, stdin or argv",
        "how the prompt reaches the program: `{prompt_file}` (default), its standard input, or `{prompt}`",
    ),
    key("stdio", "pty or pipe", "what it is started on: a terminal (default) or pipes"),
    key(
        "message",
        "{from: stdout}, {file: PATH}, {json: POINTER} or {jsonl: {where, take, by, session}}",
        "where its last message is: all that it prints, without the noise of a terminal (default); a file, relative to `{run_dir}`; a text in the one JSON document that it prints; a text in JSON lines, of which the last one that holds a block is it. `{file: PATH, jsonl: …}` looks at the lines where the file holds no block. A POINTER is a JSON pointer, `/result/text`",
    ),
    key(
        "session",
        "new-uuid, POINTER or {where, take}",
        "where the id of its session comes from: made here for `{session}`, or told by its lines. A retry of the format goes on in that session; without it, it begins a new one",
    ),
    key(
        "turns",
        "POINTER or {where, by}",
        "its lines of which each is one turn, a response of the model that calls tools; with `by`, lines that are alike there are one. Without it the cap on turns does not hold",
    ),
    key(
        "usage",
        "{where, by, of, input, cached, output, usd}, or a list of them",
        "its lines that tell what it used: `of: call` (added), `run` (the last one counts) or `session`; each figure is a POINTER or a list of them. Without it caps in dollars and tokens are refused",
    ),
    key(
        "started",
        "POINTER or {where}",
        "a line without which it never began: then the attempt is not counted",
    ),
    key(
        "settings_seen",
        "POINTER or {where}",
        "a line without which, before its first turn, it has not read the settings that bind it: it is stopped",
    ),
    key(
        "denied",
        "[POINTER or {where, take}, …]",
        "what its own program refused its model: shown in the report",
    ),
    key("doing", "[POINTER or {where, take}, …]", "what it does now: shown while it works"),
    key("records", "codex", "of codex alone: turns and use are read from its own records"),
    key("error", "[POINTER or {where, take}, …]", "what it says when it fails; the last one counts"),
    key(
        "resets",
        "[POINTER or {where, take}, …]",
        "when a usage limit is lifted, in seconds since the epoch",
    ),
    key(
        "env",
        "{set: {NAME: text}, pass: [NAME, PREFIX*]}",
        "variables that it gets beside those that it inherits; with `pass` it inherits these alone",
    ),
    key(
        "state_dirs",
        "{NAME: {of: PATH, carry: [PATH, …], files: {PATH: text}}}",
        "a private folder for each session, named by the variable; `carry` are links into your own one (which the variable names, else `of` below your home), `files` are made in it",
    ),
    key(
        "uses_home",
        "[PATH, …]",
        "what the program keeps in your home: the sandbox lets it read and write there",
    ),
    key(
        "hide",
        "[PATH, …]",
        "what it would read of a repository as settings of its own: the sandbox shows it an empty file there",
    ),
    key("own_sandbox", "on or off", "for `{own_sandbox}` and the cases in `argv`; default off"),
    key(
        "protect",
        "{file: TEXT, folder: TEXT}",
        "what `{protected}` says of each protected file and folder, as `{path}`, one after the other",
    ),
    key(
        "versions",
        "{proven: [VERSION, …], oldest: VERSION, command: [argument, …]}",
        "which versions were tried, and which are refused; `command` prints the version, default: the program with `--version`",
    ),
    key("files", "{NAME: text}", "made in `{run_dir}` before the start; placeholders are filled in"),
    key(
        "ok_exit",
        "[0]",
        "the exit codes of a program that has done what it can; with another one the texts of `failures` are looked for",
    ),
    key("exit_map", "{CODE: failure}", "what an exit code says"),
    key(
        "failures",
        "{failure: [where or TEXT, …]}",
        "what its lines, or else its last texts, say of why it ended without a block. A failure is one of `no-credit`, `not-logged-in`, `usage`, `usage-limit`, `rate-limit`, `overload`, `network`, `turn-cap`, `budget`: all but the last two cost the role no attempt",
    ),
    key("max_turns", "NUMBER", "the most turns of one attempt"),
    key("wall", "DURATION", "the longest that one attempt may take"),
    key("idle", "DURATION", "the longest that it may print nothing"),
    key("output_cap", "SIZE", "the most that it may print"),
    key("stop", "{interrupt: 2s, terminate: 3s}", "how long each signal is waited for before the next"),
    key("code", "true or false", "false: it writes no code, so `tdd fix` leaves out what it would judge"),
    key(
        "interactive",
        "{argv, message: {file, take, skip}, quit, transcripts, state_dirs, uses_home}",
        "how a person uses it with `--interactive`",
    ),
    key(
        "kit",
        "{api, env, args, model, home, tools}",
        "how `tdd doctor --agent` points it at a scripted model",
    ),
];

pub(super) fn names() -> [&'static str; KEYS.len()] {
    KEYS.map(|key| key.name)
}

const fn key(name: &'static str, shape: &'static str, about: &'static str) -> Key {
    Key { name, shape, about }
}
