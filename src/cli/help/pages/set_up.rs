//! Pages of the commands that set a project up, or tell what `tdd` knows of one.

use super::{BUG, Page, SIGNAL};

pub(super) const PAGES: &[Page] = &[
    Page {
        name: "doctor",
        told: &[
            "Without --agent it looks at git, ignored files, settings, agent, sandbox, commands, requirements, runs, \
             what killed runs have left, and disk space. The test and gate commands are run in a copy of the tree: \
             as they are, and with a test planted that must fail. Nothing in the tree is changed.",
            "With --agent each obligation is tried on the agent's real program, called by its table, with a scripted \
             model server in the model's place, in fresh homes and projects. No account is used and nothing leaves \
             the machine.",
        ],
        examples: &[
            ("tdd doctor", "what is in the way of a run here"),
            ("tdd doctor --reap", "remove what killed runs have left"),
            ("tdd doctor --agent claude", "prove an agent"),
        ],
        exits: &[
            ("0", "nothing is in the way; no obligation is unmet"),
            ("1", "something is; each is told with why"),
            ("2", "usage, or with --agent it can't be found out"),
            BUG,
            SIGNAL,
        ],
    },
    Page {
        name: "config",
        told: &[
            "Settings are looked for in this order; the first that says something holds:\n  \
             flags\n  \
             TDD_SANDBOX, for the sandbox\n  \
             tdd.yaml of the project\n  \
             your own: tdd/tdd.yaml in $XDG_CONFIG_HOME or ~/.config\n  \
             for the commands: CLAUDE.md, AGENTS.md, the project's own files",
            "Your own settings hold agent, roles, agents, max_… and sandbox.hide for all projects; the rest is a project's.",
        ],
        examples: &[("tdd config", "each setting, and where it comes from")],
        exits: &[("0", "printed"), ("2", "a file can't be used; it is said why"), BUG],
    },
    Page {
        name: "criteria",
        told: &[
            "Requirements of Spec Kit, OpenSpec and Kiro are read too, and lists without ids: those get ids by the \
             places of their items, until --fix writes them into the file.",
        ],
        examples: &[
            ("tdd criteria STE-12", "each criterion with its id and text"),
            ("tdd criteria STE-12 --fix", "write the ids into the file"),
            ("tdd criteria specs/001-links/spec.md", "of a Spec Kit specification"),
        ],
        exits: &[("0", "printed"), ("2", "no such requirement, or it has no criteria"), BUG],
    },
    Page {
        name: "init",
        told: &[
            "It tells what it found and what it will write, and asks; without a terminal --yes says it. Nothing that is \
             there is overwritten. At the end it looks at what a run needs, as `tdd doctor` does.",
        ],
        examples: &[
            ("tdd init", "look, tell, ask, write"),
            ("tdd init --yes --agent claude", "write unasked, and name the agent"),
            ("tdd init --with codex,github", "an agent's skills and a workflow, too"),
            ("tdd init --undo", "take back what it wrote and nobody changed"),
        ],
        exits: &[
            ("0", "written, or nothing to write; `tdd doctor` tells whether a run can begin"),
            ("2", "no test command, or a flag can't be meant; nothing was written"),
            BUG,
        ],
    },
    Page {
        name: "new",
        told: &[],
        examples: &[
            ("tdd new \"Short links\"", "the next id, to fill in"),
            ("tdd new STE-12 \"Links\" -c \"slug('A b') is a-b\"", "an id, a criterion"),
        ],
        exits: &[("0", "written"), ("2", "the id is taken, or can't be one; nothing was written"), BUG],
    },
    Page {
        name: "explain",
        told: &[],
        examples: &[
            ("tdd explain B", "a failure mode"),
            ("tdd explain 70", "an exit code"),
            ("tdd explain missing", "why a test is red"),
            ("tdd explain", "all of them"),
        ],
        exits: &[("0", "printed"), ("2", "no such word; the nearest are named"), BUG],
    },
    Page {
        name: "schema",
        told: &[
            "Each line that tdd prints with `--json` is an object with its `type` and the version of its shape, `v`. The \
             last line of a command has the exit code, `exit`. While the version is the same, fields and types are only \
             added: pass over what you do not know.",
        ],
        examples: &[
            ("tdd schema", "which there are"),
            ("tdd schema last", "the last line, whatever a run came to"),
            ("tdd schema config", "of tdd.yaml, for an editor that completes it"),
        ],
        exits: &[("0", "printed"), ("2", "no schema has this name"), BUG],
    },
    Page {
        name: "completions",
        told: &[],
        examples: &[
            ("tdd completions bash", "for bash-completion's folder, as a file `tdd`"),
            ("tdd completions fish", "for ~/.config/fish/completions/tdd.fish"),
        ],
        exits: &[("0", "printed"), ("2", "no such shell"), BUG],
    },
    Page {
        name: "man",
        told: &[],
        examples: &[("tdd man ~/.local/share/man/man1", "so that `man tdd-resume` finds it")],
        exits: &[("0", "written"), ("2", "the folder can't be written"), BUG],
    },
    Page {
        name: "parse",
        told: &["It is for whoever writes an agent's table or prompt: it reads what a run would read."],
        examples: &[("tdd parse --role implementer message.txt", "the claim in it, as JSON")],
        exits: &[
            ("0", "the message holds a valid block"),
            ("1", "it holds none; the error is on stdout as JSON"),
            ("2", "the message can't be read"),
            BUG,
        ],
    },
];
