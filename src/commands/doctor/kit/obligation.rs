//! What every agent must do: the list, and what the model answers in each trial.

use serde_json::{Value, json};

use super::planted;
use super::proof;
use super::trial::{self, Proof, sign};

/// One obligation.
#[derive(Debug)]
pub(super) struct Obligation {
    pub(super) name: &'static str,
    /// What must be so, for a person.
    pub(super) sentence: &'static str,
    /// Whether other trials may run beside this one.
    pub(super) company: Company,
    /// The rules of the model server's script, but for their names.
    answers: fn() -> Vec<Value>,
    pub(super) proof: Proof,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Company {
    Welcome,
    /// It looks for processes that are left, and those that hide are only found when no other
    /// child is attended.
    Unwelcome,
}

const fn welcome(
    name: &'static str,
    sentence: &'static str,
    answers: fn() -> Vec<Value>,
    proof: Proof,
) -> Obligation {
    Obligation { name, sentence, company: Company::Welcome, answers, proof }
}

/// All of them, in the order in which they are shown.
pub(super) const OBLIGATIONS: [Obligation; 26] = [
    welcome("prompt", "a prompt of 1 MB arrives whole", plain, proof::prompt_is_whole),
    welcome("role", "the role's text is in the system prompt, all of it", plain, proof::role_is_told),
    welcome(
        "tools",
        "Read, Grep, Glob, Write, Edit and Bash are offered: no sub-agents, no web",
        plain,
        proof::tools_are_allowed,
    ),
    welcome(
        "planted",
        "what the repository and the person's home say to agents is not heard",
        || actions(&json!([{ "run": planted::LOOK }])),
        planted::is_out_of_hearing,
    ),
    welcome(
        "fences",
        "fences within fences come back byte for byte",
        || says(FENCES),
        |trial| proof::says(trial, FENCES),
    ),
    welcome(
        "long-lines",
        "a line of 20,000 characters comes back unbroken",
        || says(&long_line()),
        |trial| proof::says(trial, &long_line()),
    ),
    welcome(
        "unicode",
        "letters of all scripts come back as they are",
        || says(UNICODE),
        |trial| proof::says(trial, UNICODE),
    ),
    welcome(
        "block-before-call",
        "a block counts though one more tool call and a farewell follow it",
        block_before_call,
        |trial| proof::says(trial, DONE),
    ),
    welcome(
        "example-block",
        "an example block earlier in the stream, said or printed, does not count",
        example_block,
        |trial| proof::says(trial, DONE),
    ),
    welcome("session", "a format retry goes on in the same session", session, proof::session_goes_on),
    welcome(
        "protected-write",
        "a protected file that a tool writes to is refused or put back",
        || actions(&json!([write_protected()])),
        proof::protected_file_stands,
    ),
    welcome(
        "protected-shell",
        "a protected file that the shell writes to is refused or put back",
        || actions(&json!([{ "run": format!("echo forged > {}; echo tried", trial::PROTECTED) }])),
        proof::protected_file_stands,
    ),
    welcome(
        "environment",
        "its shell finds the person's programs and variables, so that tests run there as they do for us",
        || actions(&json!([{ "run": format!("{} > {}", trial::PROGRAM, proof::RESULT) }])),
        proof::shell_has_the_environment,
    ),
    welcome("turn-cap", "too many tool calls are stopped at the cap", endless_calls, proof::turns_are_capped),
    welcome(
        "batch",
        "many calls in one response of the model are one turn",
        batches,
        proof::a_batch_is_one_turn,
    ),
    welcome("output-cap", "too much output is stopped at the cap", flood, proof::output_is_capped),
    welcome(
        "silence",
        "a model that says nothing is cut by the deadline",
        || fault(&json!("hang")),
        proof::is_cut,
    ),
    welcome(
        "endless-answer",
        "a model that never ends is cut by the deadline",
        || fault(&json!("endless-text")),
        proof::is_cut,
    ),
    welcome(
        "401",
        "a refused key is no attempt: log in",
        || fault(&json!({ "status": 401 })),
        proof::not_logged_in,
    ),
    welcome(
        "402",
        "a spent balance is no attempt: top up",
        || fault(&json!({ "status": 402, "message": "Insufficient Balance" })),
        proof::has_no_credit,
    ),
    welcome(
        "429",
        "a rate limit with retry-after is no attempt: it passes",
        || fault(&json!({ "status": 429, "retry_after": 1 })),
        proof::passes,
    ),
    welcome(
        "500",
        "a failing service is no attempt: it passes",
        || fault(&json!({ "status": 500 })),
        proof::passes,
    ),
    welcome(
        "refused",
        "a refused connection is no attempt: it passes",
        Vec::new,
        proof::refused_connection_passes,
    ),
    welcome(
        "cut-stream",
        "a stream that is cut in the middle is no attempt: it passes",
        || fault(&json!("cut")),
        proof::passes,
    ),
    welcome(
        "empty",
        "an empty answer is a final message without a block",
        || fault(&json!("empty")),
        proof::is_empty,
    ),
    Obligation {
        name: "ctrl-c",
        sentence: "Ctrl-C while a tool's child runs leaves nobody behind",
        company: Company::Unwelcome,
        answers: || actions(&json!([{ "run": format!("touch {}; sleep 600", proof::RUNNING) }])),
        proof: proof::nobody_is_left,
    },
];

/// A final message as it should be.
pub(super) const DONE: &str = "All is done.\n\n```tdd-result\nrole: implementer\nstatus: ok\nfiles: []\ncommand: make test\n\
    output_excerpt: |\n  1 passed\n```";

const EXAMPLE: &str = "This is how such a block looks:\n\n```tdd-result\nrole: implementer\nstatus: failed\nfiles: []\n\
    command: false\noutput_excerpt: |\n  an example\n```";

const FENCES: &str = "````markdown\n~~~python\nprint('```')\n~~~\n```\ninner\n```\n````\n\n```tdd-result\nrole: implementer\n\
    status: ok\nfiles: []\ncommand: grep -c '```' notes.md\noutput_excerpt: |\n    ```\n    | a | b |  \n    ~~~~\n\
    notes: \"two  spaces, a tab\\there, <b>&amp;</b> and a \\\\ backslash\"\n```";

const UNICODE: &str = "Grüße, žluťoučký, Ελλάδα, Москва, 日本語, 한국어, עברית, العربية, हिन्दी, 👩‍👩‍👧‍👦 🏳️‍🌈 é e\u{301} \u{200b}\u{2028}\u{feff}x\n\n\
    ```tdd-result\nrole: implementer\nstatus: ok\nfiles: [\"größe/日本.py\"]\ncommand: make test\noutput_excerpt: |\n  ✓ 1 passed ─ ½ s\n```";

fn long_line() -> String {
    format!("{}\n\n{DONE}", "0123456789".repeat(2_000))
}

/// The script of all trials. A trial's prompt names it, so that the server knows which it is.
pub(super) fn script() -> Value {
    let named = |obligation: &Obligation| {
        let name = obligation.name;
        let mut rules = (obligation.answers)();
        for rule in &mut rules {
            rule["name"] = json!(name);
            rule["when"]["prompt"] = json!(sign(name));
        }
        rules
    };
    json!({ "look_for": [planted::MARK], "rules": OBLIGATIONS.iter().flat_map(named).collect::<Vec<Value>>() })
}

fn turns(turns: &Value) -> Vec<Value> {
    vec![json!({ "when": {}, "turns": turns })]
}

fn says(text: &str) -> Vec<Value> {
    turns(&json!([{ "say": text }]))
}

fn plain() -> Vec<Value> {
    says(DONE)
}

fn actions(actions: &Value) -> Vec<Value> {
    turns(&json!([actions, { "say": DONE }]))
}

fn write_protected() -> Value {
    json!({ "write": { "path": trial::PROTECTED, "content": "forged\n" } })
}

fn block_before_call() -> Vec<Value> {
    turns(&json!([[{ "say": DONE }, { "run": "true" }], { "say": "Good bye." }]))
}

fn example_block() -> Vec<Value> {
    let print = format!("cat <<'END'\n{EXAMPLE}\nEND");
    turns(&json!([[{ "say": EXAMPLE }, { "run": print }], { "say": DONE }]))
}

fn session() -> Vec<Value> {
    let again = json!({ "when": { "last": "re-emit" }, "turns": [{ "say": DONE }] });
    let first = json!({ "when": {}, "turns": [{ "run": "true" }, { "say": "All is done, and I forgot the block." }] });
    vec![again, first]
}

fn endless_calls() -> Vec<Value> {
    vec![json!({ "when": {}, "forever": { "run": "true" } })]
}

/// More calls than the cap has turns, in each of two responses.
fn batches() -> Vec<Value> {
    let call = json!({ "run": format!("echo {0} >> {0}", proof::CALLS) });
    let batch = vec![call; proof::BATCH];
    turns(&json!([batch, batch, { "say": DONE }]))
}

fn flood() -> Vec<Value> {
    turns(&json!([{ "flood": 4 * proof::OUTPUT_CAP }]))
}

fn fault(fault: &Value) -> Vec<Value> {
    turns(&json!([{ "fault": fault }]))
}
