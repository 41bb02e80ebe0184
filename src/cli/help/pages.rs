//! What `tdd COMMAND --help` says after the flags: what the command does with files, examples, exit codes.

mod set_up;

use std::fmt::Write as _;

use clap::Command;

/// One command's page. Its lines are short; only paragraphs are broken by the terminal.
struct Page {
    name: &'static str,
    told: &'static [&'static str],
    /// What is typed, and what it does.
    examples: &'static [(&'static str, &'static str)],
    exits: &'static [(&'static str, &'static str)],
}

const BUG: (&str, &str) = ("70", "a bug in tdd");
const SIGNAL: (&str, &str) = ("129, 130, 131, 143", "stopped by a signal");

/// What a run ends with, whoever has started it.
const RUN: &[(&str, &str)] = &[
    ("0", "every criterion is green, as measured"),
    ("1", "halted: the report says why, and what can be done"),
    ("2", "the set-up or the command line is wrong"),
    ("3", "paused: `tdd resume` goes on"),
    ("4", "finished, but not every criterion is verified"),
    BUG,
    ("129, 130, 131, 143", "stopped by a signal; `tdd resume` goes on"),
];

const LOOKS: &[(&str, &str)] = &[("0", "printed"), ("2", "no such run, or its journal is damaged"), BUG];

const PAGES: &[Page] = &[
    Page {
        name: "run",
        told: &["Nothing is committed: when the run is through, the summary proposes the commit."],
        examples: &[
            ("tdd run STE-12", "the same as `tdd STE-12`"),
            ("tdd run STE-12 --dry-run", "say what would be done"),
            ("tdd run STE-12 --max-usd 5", "pause when it has used 5 dollars"),
            ("tdd run STE-12 --detach", "begin it, and go on without it"),
        ],
        exits: RUN,
    },
    Page {
        name: "resume",
        told: &[
            "A run that was stopped or paused goes on where it was. A run that halted needs your decision: one of \
             --retry, --take, --edited, --accept, --no-refactor, --abandon. The halt's report recommends one.",
        ],
        examples: &[
            ("tdd resume", "go on with the newest run"),
            ("tdd resume STE-12 --retry", "try again with new attempts"),
            ("tdd resume --edited", "you have changed code, a test or the FR"),
            ("tdd resume --accept AC-STE-12.1", "take a criterion as it is"),
        ],
        exits: RUN,
    },
    Page {
        name: "wait",
        told: &[
            "For runs that were begun with --detach, or in another terminal. An agent's shell ends a command after \
             some minutes: wait in pieces, until the exit code is another one than 75.",
        ],
        examples: &[
            ("tdd wait", "for the newest run"),
            ("tdd wait STE-12 --timeout 90s", "no longer than 90 seconds"),
            ("tdd wait --json", "the summary or the halt as an object"),
        ],
        exits: &[
            ("75", "still at work: wait again"),
            ("0", "every criterion is green, as measured"),
            ("1", "halted: the report says why, and what can be done"),
            ("2", "no such run, or it ended before any work was done"),
            ("3", "paused or cut off: `tdd resume` goes on"),
            ("4", "finished, but not every criterion is verified"),
            BUG,
            SIGNAL,
        ],
    },
    Page {
        name: "fix",
        told: &[
            "The checks are those that are named, else those of `fix: checks:` in tdd.yaml, else what the project's \
             own files tell: a type check (tsc --noEmit, cargo check, mypy, go vet), the test command, the gate \
             command.",
        ],
        examples: &[
            ("tdd fix", "the project's own checks, three retries"),
            ("tdd fix --check 'npm test'", "this check and no other"),
            ("tdd fix --max-retries 0", "run the checks; start no agent"),
        ],
        exits: &[
            ("0", "every check passes, as tdd ran it; or there was none"),
            ("1", "halted: the retries are spent; the best state is kept"),
            ("2", "no checks or no agent; nothing was changed"),
            ("3", "paused: a limit, a cap; run it again to go on"),
            BUG,
            ("129, 130, 131, 143", "stopped by a signal; the best state is kept"),
        ],
    },
    Page {
        name: "gate",
        told: &[
            "With its hooks installed, an agent edits production code only for a test that was seen red and that it has \
             claimed; what no hook sees is found by comparing the tree, and taken back. What is taken back is kept \
             under refs/tdd/, and named. The journal of a session lies in .tdd/sessions/.",
        ],
        examples: &[
            ("tdd gate install claude", "hooks into .claude/settings.json"),
            ("tdd gate test test_a.py::test_b", "see it red"),
            ("tdd gate claim test_a.py::test_b a.py", "say what is edited"),
            ("tdd gate flush", "end the turn; red is taken back"),
            ("tdd gate status", "where the session stands"),
        ],
        exits: &[
            ("0", "done; of `flush` and `refactor off`: green, or nothing to judge"),
            ("1", "red: taken back; or a test that is not there"),
            ("2", "refused, with the reason; of `hook`: the call is blocked"),
            BUG,
        ],
    },
    Page {
        name: "mcp",
        told: &[
            "Speaks MCP on stdin and stdout. Its tools are run_tests, claim_edit, edit_file, flush and status: what \
             `tdd gate` does, in a session that begins with the server. Each call is judged when it is made.",
            "And runs: `run` begins one as `tdd run --detach` does and waits for it, 45 seconds if nothing else is said; \
             wait_run waits on; run_status, halt_report and criteria tell what the commands tell. A run goes on when the \
             client has gone.",
        ],
        examples: &[
            ("tdd mcp", "started by the client: claude mcp add tdd -- tdd mcp"),
            ("tdd mcp --session 4f2a", "in a session that is there"),
        ],
        exits: &[("0", "the client has gone"), ("2", "nothing was begun, with the reason"), BUG],
    },
    Page {
        name: "mdtest",
        told: &[
            "A test is a Markdown file whose name ends in .test.md. The agent carries it out and writes a log, beside \
             the test in NAME.logs/, whose front matter says `status: pass` or `status: fail`. That is the agent's \
             word; its program's exit code decides nothing.",
        ],
        examples: &[
            ("tdd mdtest", "all tests below this folder"),
            ("tdd mdtest login.test.md", "one of them"),
            ("tdd mdtest list", "print which there are"),
        ],
        exits: &[
            ("0", "every test passes"),
            ("1", "a test fails, or its log breaks a rule"),
            ("2", "no tests, or the agent can't be started"),
            BUG,
            SIGNAL,
        ],
    },
    Page {
        name: "demo",
        told: &["The agent is scripted and costs nothing; tests, git and the sandbox are real."],
        examples: &[
            ("tdd demo", "a run from red to green"),
            ("tdd demo --halt B", "a run that halts, to try `tdd review`"),
        ],
        exits: RUN,
    },
    Page {
        name: "review",
        told: &[
            "It shows the cause of a halt and what can be done, each under one key, and does it; `?` shows all keys. \
             What can't be taken back by the next key is asked once more. With --plain, or in a terminal that can't \
             move its cursor, it works line by line: a key or a number, and then Enter. Where nobody is at a \
             terminal it prints the first screen and ends.",
        ],
        examples: &[("tdd review", "the newest run"), ("tdd review STE-12 --plain", "line by line")],
        exits: &[
            ("0 to 4", "as `tdd resume`, of the state that the run was left in"),
            ("2", "no such run, it has not halted, or is reviewed already"),
            BUG,
        ],
    },
    Page {
        name: "undo",
        told: &[
            "Branch, HEAD, index, stash and ignored files are left alone. The tree as it is gets a checkpoint of its \
             own before anything is changed, so an undo can be undone.",
        ],
        examples: &[
            ("tdd undo", "back to before the newest run"),
            ("tdd undo --to undone-1", "take the first undo of that run back"),
        ],
        exits: &[
            ("0", "the work tree is as the checkpoint holds it"),
            ("1", "the way back broke off; the tree as it was is kept"),
            ("2", "refused, and nothing was changed; it is said why"),
            BUG,
        ],
    },
    Page {
        name: "clean",
        told: &[
            "Only the folders .tdd/runs/<run> and the refs below refs/tdd/<run>/ are touched, and refs whose run's \
             folder is gone. What is removed can no longer be undone or resumed. A run whose refs alone hold a \
             commit that somebody made, or a tree with somebody's changes, is left alone. The same goes for sessions \
             under the gate, .tdd/sessions/<session>: one stays whose agent is at work, and one that alone holds \
             what was taken back.",
        ],
        examples: &[
            ("tdd clean --dry-run", "say what would be removed"),
            ("tdd clean", "keep the newest five, and unfinished ones"),
            ("tdd clean STE-12", "remove this run"),
        ],
        exits: &[
            ("0", "done, or nothing to do"),
            ("1", "something could not be removed; the rest was"),
            ("2", "refused, and nothing was removed"),
            BUG,
        ],
    },
    Page {
        name: "status",
        told: &["A run at work is shown with its process, a halted one with its cause."],
        examples: &[
            ("tdd status", "all runs; one is told in full"),
            ("tdd status STE-12", "the newest run of STE-12"),
            ("tdd status --watch", "again whenever it changes"),
        ],
        exits: LOOKS,
    },
    Page {
        name: "log",
        told: &["The journal has one event a line: attempts, what was measured, verdicts, what you decided."],
        examples: &[
            ("tdd log", "the newest run"),
            ("tdd log STE-12 --follow", "with what comes, until the run ends"),
            ("tdd log @- --json", "the run before the newest, for programs"),
        ],
        exits: LOOKS,
    },
    Page {
        name: "show",
        told: &[],
        examples: &[("tdd show", "the newest run"), ("tdd show STE-12 --json", "as an object")],
        exits: &[("0", "printed"), ("2", "no such run, or it has no report yet"), BUG],
    },
    Page {
        name: "report",
        told: &[
            "The file needs nothing else: it can be sent, and opened without a network. It is readable by you alone \
             and masked like all reports. It holds prompts, diffs, output and messages of agents, long ones cut in \
             the middle. Several runs stand in one file, after an index that compares them.",
        ],
        examples: &[
            ("tdd report --open", "the newest run, in a browser"),
            ("tdd report @ @- --out both.html", "the two newest, compared"),
        ],
        exits: &[
            ("0", "the file was written; its path is on stdout"),
            ("2", "no such run, or the file can't be written"),
            BUG,
        ],
    },
    Page {
        name: "diff",
        told: &[
            "What is printed is a patch, coloured on a terminal. New files are in it, ignored ones are not. `tdd diff \
             RUN | git apply -R` takes the work out of a tree.",
        ],
        examples: &[
            ("tdd diff", "all that the newest run kept"),
            ("tdd diff STE-12 AC-STE-12.1", "what one criterion took"),
            ("tdd diff --failed", "the last attempt that failed"),
        ],
        exits: &[
            ("0", "the patch was printed; it may be empty"),
            ("2", "no such run, criterion or work"),
            BUG,
        ],
    },
    Page {
        name: "matrix",
        told: &[
            "Each test of a criterion was seen failing before any code was written; the word tells how. `missing` \
             means that what the test asks for did not exist yet: the test failed, but what it expects was never \
             seen failing, so read it before you rely on it.",
        ],
        examples: &[("tdd matrix", "the newest run"), ("tdd matrix STE-12 --markdown", "for a pull request")],
        exits: LOOKS,
    },
    Page {
        name: "why",
        told: &[],
        examples: &[
            ("tdd why AC-STE-12.1", "what turned this criterion green"),
            ("tdd why test_total", "the same for a test"),
        ],
        exits: &[("0", "printed"), ("2", "no run knows of it"), BUG],
    },
    Page {
        name: "corpus",
        told: &[
            "Each line of a corpus is a test that tdd saw fail, the edit that an agent made, and the same test, which \
             tdd saw pass: with both outputs, agent, model, cost, and the trees in git that they were measured on. \
             Secrets are masked, and of lines that teach the same there is one. A datasheet beside the file says where \
             it comes from, under which licence, and how far it can be relied on.",
            "`verify` runs each test again on both trees, in a checkout of its own: red, green with the edit, and red \
             once it is taken back. Commands and trees are those of this repository's journals; whatever else a file \
             says is not done.",
        ],
        examples: &[
            ("tdd corpus export --out corpus.jsonl", "all runs, with a datasheet"),
            ("tdd corpus export --since 7d", "of the last week, on stdout"),
            ("tdd corpus verify corpus.jsonl", "replay every line"),
        ],
        exits: &[
            ("0", "written; or every line is proven"),
            ("1", "a line is not proven, or its runs differ"),
            ("2", "a file can't be written, read or replayed"),
            BUG,
            SIGNAL,
        ],
    },
];

fn pages() -> impl Iterator<Item = &'static Page> {
    PAGES.iter().chain(set_up::PAGES)
}

/// The command with the pages of its commands.
pub(super) fn told(command: Command) -> Command {
    command.mut_subcommands(|one| {
        let page = pages().find(|page| page.name == one.get_name()).map(Page::text);
        page.into_iter().fold(one, Command::after_help)
    })
}

impl Page {
    fn text(&self) -> String {
        let mut text = String::new();
        for paragraph in self.told {
            let _ = writeln!(text, "{paragraph}\n");
        }
        columns(&mut text, "Examples", self.examples);
        text.push('\n');
        columns(&mut text, "Exit codes", self.exits);
        text.trim_end().to_owned()
    }
}

fn columns(text: &mut String, title: &str, rows: &[(&str, &str)]) {
    let wide = rows.iter().map(|(left, _)| left.chars().count()).max().unwrap_or_default();
    let _ = writeln!(text, "{title}:");
    for (left, right) in rows {
        let _ = writeln!(text, "  {left:<wide$}  {right}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{CommandFactory as _, Parser as _};

    #[test]
    fn every_command_has_examples_of_its_own_flags_and_its_exit_codes() {
        let command = crate::cli::Cli::command();
        for one in command.get_subcommands() {
            let page = pages().find(|page| page.name == one.get_name());
            let page = page.unwrap_or_else(|| panic!("{} has no page", one.get_name()));
            assert!(!page.examples.is_empty() && page.exits.len() > 1, "{}", page.name);
            for (typed, _) in page.examples {
                // As a shell would part them.
                let words = shell_words::split(typed).unwrap();
                let read = crate::cli::Cli::try_parse_from(words);
                assert!(read.is_ok(), "{typed}: {}", read.unwrap_err());
                assert!(typed.starts_with(&format!("tdd {}", page.name)), "{typed}");
            }
        }
        assert_eq!(pages().count(), command.get_subcommands().count());
    }

    #[test]
    fn no_line_that_stands_by_itself_is_wider_than_a_terminal() {
        for page in pages() {
            let mut text = String::new();
            columns(&mut text, "Examples", page.examples);
            columns(&mut text, "Exit codes", page.exits);
            assert!(text.lines().all(|line| line.chars().count() <= 78), "{text}");
        }
    }
}
