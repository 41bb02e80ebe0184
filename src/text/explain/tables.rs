//! Words that runs, reports and their JSON hold, by what they are said of. Names are parted by `; `.

/// A heading, and what is listed below it.
pub(super) type Table = (&'static str, &'static [(&'static str, &'static str)]);

pub(super) const ALL: [Table; 7] = [
    ("What runs print", RUNS),
    ("What became of a criterion", CRITERIA),
    ("Lines of a summary or a halt report", LINES),
    ("Where a run stands", STANDS),
    ("Findings on tests and files", FINDINGS),
    ("Settings as JSON tells them", SETTINGS),
    ("What `tdd doctor` says", CHECKUP),
];

const RUNS: &[(&str, &str)] = &[
    (
        "RED",
        "The stage in which the test-writer writes the tests of all criteria; they must fail, for a reason that code can mend.",
    ),
    (
        "GREEN",
        "The stage of one criterion: an implementer makes its tests pass, and nothing that passed may fail.",
    ),
    (
        "REFACTOR",
        "The last stage: a refactorer cleans up; tests and gate stay green, and no public name from before the run is lost.",
    ),
    (
        "gate",
        "The command that must pass after REFACTOR: tests and linters (`--gate`, `gate:` in tdd.yaml). `tdd gate` is another thing: it holds an agent's own session to red before edits.",
    ),
    (
        "baseline",
        "The run of tests and gate before any agent starts: what is red then is nobody's fault later.",
    ),
    (
        "proof",
        "Before exit 0 the result is proven once more in a fresh checkout of the proposed commit, with the code taken back and with its bodies stubbed (`--proof full|quick|off`).",
    ),
    (
        "held out; held-out",
        "With `--held-out` a coin hides some of each criterion's tests from implementers and refactorer; all of them judge the work, and they are back before the end.",
    ),
    (
        "isolation; home read-only; network open",
        "What a role can't reach: `enforce` means that a sandbox of the system prevents it, `audit` that it is found afterwards and put back.",
    ),
    (
        "semantic; format; format retries; format_retries; failed attempts; failed_attempts",
        "The two budgets of each role and criterion: attempts whose work does not hold (2), and messages without a valid block (1).",
    ),
    (
        "superseded; supersedes",
        "An existing test that the requirement changes on purpose, named by the test-writer in `supersedes:`; without that, changing it is mode A. Of a run: a later run of the same requirement took its place.",
    ),
    (
        "test; test command",
        "The command that runs all tests (`--test`, `test:` in tdd.yaml). Of a file: it is a test.",
    ),
    (
        "dry run; dry_run",
        "`tdd <FR> --dry-run` says what a run would do: commands, agent, isolation, criteria. Nothing is started or changed.",
    ),
    (
        "test-writer; implementer; refactorer; fixer",
        "The roles: one writes the tests, one for each criterion makes them pass, one cleans up. `fixer` is the role of `tdd fix`.",
    ),
    (
        "native; annotation",
        "How a test is known: by its runner's own id, or by an annotation that stands with it in its source.",
    ),
    ("finished", "The run came to its end: exit 0, or 4 where some criteria are not verified."),
    (
        "verify",
        "How a criterion is judged: `test`, `gate`, `mdtest PATH` (by an agent's word) or `manual` (by you).",
    ),
    (
        "manual",
        "A criterion that a person checks (`verify: manual`); a run with one ends with exit 4 at best.",
    ),
    (
        "mdtest",
        "A test written in Markdown that an agent carries out; what it says is shown as its word, not as a measurement.",
    ),
];

const CRITERIA: &[(&str, &str)] = &[
    ("green", "Its tests pass now, and were seen red before."),
    ("red", "Its tests fail, as they should before the code is written."),
    ("pending; not worked on", "Nobody has worked on it yet."),
    (
        "green, held out",
        "The coin had hidden it from the implementers; it was brought back at the end, and was green then.",
    ),
    (
        "green, early; early; early_green; green by earlier work",
        "Its tests were green before its implementer began: an earlier criterion's work turned them. They were seen red before that.",
    ),
    (
        "green, by hand; by hand; operator; green by hand",
        "A person's own code turned it green after a halt, as measured then.",
    ),
    (
        "already green; already-green; green at baseline",
        "You said that the project does this already (`--already-green AC`): its tests are recorded as green, never seen red.",
    ),
    (
        "accepted",
        "A person accepted it by their word (`tdd resume --accept AC`): nothing was measured, so exit 4.",
    ),
    (
        "unverified; not verified; partly-unverified; verified",
        "Whether all criteria were measured. `partly-unverified` (exit 4): some are for a person to check, were accepted, or have tests of which no assertion was ever seen failing; the summary lists them.",
    ),
    (
        "seen failing; not seen failing; seen-failing",
        "Whether what a test expects was ever tried on wrong code: red by an assertion, or red in the final proof. `no (symbol missing)`: it was not, so read that test.",
    ),
    (
        "not implemented; gives nothing; gives 0; gives an empty text; gives an empty list; gives back its first argument; gives another value; not-implemented; nothing; zero; text; list; first; other; stub",
        "What the final proof put in the place of the bodies that the run wrote; a test that fails then asks for something.",
    ),
    (
        "assertion never seen failing; by-error-alone",
        "Said of a criterion in the final proof: its tests pass whatever value stands in the place of what the run wrote, and are red only where that throws; no changed copy of them fails, or what they run does nothing. So exit 4: read what they expect, and have them ask for more.",
    ),
    (
        "seen failing in other code alone; by-others-alone",
        "Said of a criterion in the final proof: with every body that its implementer wrote not implemented, its tests pass; what they were red with is the code of other criteria. So exit 4: read what they expect of it, and have them ask for more.",
    ),
    (
        "assertion never reached; never-reached",
        "Said of a criterion in the final proof: nothing that its tests expect is reached with the code as it is (it stands in a branch that is not taken, in a loop over nothing, behind a promise that never settles). So exit 4: read them, and have them expect something in any case.",
    ),
    (
        "hollow",
        "Said of a criterion in the final proof: its tests pass whatever the code does, even with every body stubbed. The run halts; `tdd resume --retry` has them written anew.",
    ),
    (
        "vacuous",
        "Said of an assertion that holds whatever the code does, or hardly looks (`x == x`, `len >= 0`). The summary and the halt report name it.",
    ),
];

const LINES: &[(&str, &str)] = &[
    (
        "tdd halted; tdd disputed",
        "The first line of a halt report: where the run stands, and the cause in one sentence.",
    ),
    ("cause", "The one sentence that says why the run halted."),
    (
        "look at; look at, before your next git command",
        "Something that was noticed and blamed on nobody; a person had better see it. Before a git command: a hook or a setting was left that runs programs as you.",
    ),
    (
        "notice; notices",
        "The same in JSON: code that looks whether tests run, or ends the process; a public name that is gone or new; a file that a role names and no snapshot holds.",
    ),
    (
        "recommended; what can be done next",
        "The command that fits the cause best, and the others that are possible.",
    ),
    ("failure mode", "Why the last attempt failed: A to E; `tdd explain modes`."),
    (
        "dispute; disputed test; the role says",
        "An implementer says that a test is wrong, and why. Only a person can say who is right: `tdd review`.",
    ),
    ("criteria done; your files now", "How far the run came, and whether the failed work lies in your tree."),
    (
        "attempts; attempt",
        "How many children were started for a role and criterion, and how many of them were judged and failed.",
    ),
    (
        "exit status; command; all that it printed; all of it",
        "Of the run of your command that shows the failure: how it ended, and where its whole output lies.",
    ),
    (
        "changed since the last good checkpoint; before the run; last good work; the failed work; checkpoints",
        "Snapshots of the tree as git commits; `git diff` and `git restore --source=` take them.",
    ),
    (
        "work that measures as passed, without a valid block",
        "The work holds, and the message did not: `tdd resume --take` keeps it.",
    ),
    ("no claim", "An attempt that was kept on findings alone, because no valid block came with it."),
    (
        "evidence; exit code only; no canary",
        "What makes a result weaker than it looks: no test by test reading, a gate that was red before, a runner that carries no canary.",
    ),
    (
        "changed; took; run folder; whole runs of the suite",
        "What differs from before the run, how long it took, where its records lie, how often your commands ran.",
    ),
    ("usage", "Tokens and dollars, as the agents tell them; `unknown` where one tells none."),
    ("unknown", "Nobody has told it, and it is not guessed."),
    ("left running, ended; leaked", "A process that a child left behind; it was ended."),
    (
        "set aside; set_aside",
        "What was put back and may be somebody else's: kept in git, with the command that brings it back.",
    ),
    (
        "works only with what git ignores; not proven; not stubbed; not asked to be proven",
        "What the final proof could not show, with the reason. Nobody is blamed.",
    ),
    (
        "nothing was committed; when you are content; or take it all back",
        "The end of a summary: the commit that you may make, and the undo.",
    ),
    ("role; criterion", "Whose attempt it was, and of what."),
];

const STANDS: &[(&str, &str)] = &[
    ("live; at work; at_work", "A process works on it: wait, or stop it with Ctrl-C or `kill`."),
    (
        "paused; given_up; halted",
        "Paused: `tdd resume` goes on. Halted: a person decides, `tdd review`. Given up: you said `--abandon`.",
    ),
    (
        "cut-off; cut off; cut_off",
        "Its process is gone and has said nothing of an end: it was killed. `tdd resume` goes on.",
    ),
    ("not-begun", "It was cut off before any agent was started, so nothing can be lost."),
    ("undone", "`tdd undo` has taken its work back; what was there is kept, and the label told."),
    (
        "half-undone",
        "An undo of it was cut off: the tree is half way. The same `tdd undo` brings it to its end.",
    ),
    ("cleaned-in-part", "A `tdd clean` of it was cut off: its checkpoints are gone. Clean it again."),
    ("already_finished", "This requirement is done by an earlier run; `--new` does it once more."),
    ("detached", "The run goes on in the background (`--detach`); `tdd wait` waits for it."),
    ("several", "The end of `tdd A B C`: what each requirement came to."),
    (
        "summary; halt_report; fix",
        "The last line of `--json`, by what the run came to; `tdd schema last` has its fields.",
    ),
    (
        "interrupted; not run; not-run; left-out",
        "Something that was asked for was not carried out, or not to its end.",
    ),
    (
        "opening; baselining; due; forked; returned; keeping; rolling-back; taking; rechecking; gate-due; proving; holding-out; halting; finishing; ended; measuring; taking-back",
        "Phases of a run, in the order of its work: from the first snapshot over each attempt (due, forked, returned, kept or rolled back) to its end.",
    ),
];

const FINDINGS: &[(&str, &str)] = &[
    (
        "ok; failed",
        "The status that a role gives itself in its block. `failed` ends its attempt badly; `ok` decides nothing.",
    ),
    ("pass; fail; fixed", "What came of a test or a check: it held, it did not, or `tdd fix` had it mended."),
    ("skipped", "A test that was not run because it says so itself; a judged test must not."),
    ("left out", "Tests that were red before the run: no verdict rests on them."),
    (
        "regression",
        "A known green test that is red. As a setting: when other tests run again, `auto`, `attempt`, `criterion` or `end`.",
    ),
    (
        "deadline; output-cap; turns; tokens; idle",
        "A bound that a child or a command ran into; its work is measured all the same.",
    ),
    (
        "added; modified; deleted; retyped; submodule",
        "What happened to a file: new, changed, gone, of another kind (a link, executable), another commit of a submodule.",
    ),
    (
        "source; by-product; lock; mixed",
        "What a file is by the policy: production code, something that tools leave, a lock file, a file that holds settings of tests and others.",
    ),
    (
        "not-asked; unsupported; errored",
        "What became of a canary: none was asked for, the runner can carry none, or it failed otherwise than by its own assertion, so that the run is no evidence.",
    ),
    (
        "nothing-to-change; no-place; budget; not-repeatable; not-reached; otherwise; canary: none",
        "Why no copy of a judged test tells anything: no literal to change, no place for it, no time, a test that can't run twice or was not reached, or one that did something else.",
    ),
    (
        "proven; unstable",
        "What `tdd corpus verify` saw of a line: red, green with the edit and red again; or two runs of one tree that differ.",
    ),
    (
        "the retries are spent; the fixer did not answer; the fixer says that a test is wrong; a person decides",
        "Why `tdd fix` stopped before all checks were green.",
    ),
];

const SETTINGS: &[(&str, &str)] = &[
    (
        "full; quick; off; on",
        "How much the final proof does (`proof:`), and whether something is switched on.",
    ),
    (
        "auto; end",
        "When other tests run again after GREEN (`regression:`): as it seems best, or at the end alone.",
    ),
    ("once", "REFACTOR is done once, at the end; `--no-refactor` leaves it out."),
    ("halt; take", "What becomes of work that passes without a valid block (`on_missing_block:`)."),
    (
        "refuse; allow; as-listed",
        "Whether a requirement may change existing tests, or tests that pass at RED may stand.",
    ),
    (
        "required; as-given",
        "Whether a run without a sandbox is refused (`--require-sandbox`), or goes on in level `audit`.",
    ),
    ("nobody; person", "Whether a person sits before the agents' screens (`--interactive`)."),
    (
        "enforce; audit",
        "The level of isolation: prevented by a sandbox of the system, or looked at afterwards and put back.",
    ),
    (
        "cargo; nextest; pytest; unittest; vitest; jest; bun; node; go; deno; junit; tap; exit-code",
        "What reads your tests: a runner by its name, a report as JUnit XML or TAP, or the exit code alone.",
    ),
    ("tsc; cargo check; mypy; go vet", "Type checkers that `tdd fix` knows, and takes before the tests."),
];

const CHECKUP: &[(&str, &str)] = &[
    (
        "warning; problem",
        "A problem is in the way of a run. With a warning a run begins all the same, and you should know.",
    ),
    (
        "git; settings; agent; sandbox; ignored; tools; requirements; runs; leftovers; disk",
        "What `tdd doctor` looks at: each line says `ok`, `warning` or `problem`, with why and what to do.",
    ),
];
