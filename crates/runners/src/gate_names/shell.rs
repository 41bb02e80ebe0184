//! Shell lines: which files they run, and from which folder.
//!
//! ```text
//! text   = simple { (";" | "|" | "&" | "(" | ")" | "{" | "}" | "`" | newline) simple }
//! simple = { before } program { word }
//! ```
//!
//! Quotes are taken off and not understood: a separator inside of them only makes more candidates.

/// Programs that run a script of the shell's.
const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh", "source", "."];
/// Programs that run the file which is their first argument.
const INTERPRETERS: &[&str] =
    &["python", "node", "ruby", "perl", "deno", "bun", "tsx", "ts-node", "php", "lua"];
/// Words before the program that change nothing about which one it is.
const BEFORE: &[&str] = &[
    "env",
    "exec",
    "time",
    "nice",
    "nohup",
    "command",
    "!",
    "then",
    "do",
    "else",
    "elif",
    "if",
    "while",
    "until",
    "cross-env",
    "npx",
    "xargs",
    "sudo",
];
/// Programs that are given what another one says, to look at it.
const FILTERS: &[&str] =
    &["grep", "egrep", "diff", "cmp", "sed", "awk", "jq", "head", "tail", "wc", "sort", "cut", "xxd", "od"];
/// Options of test runners and interpreters whose value is a file that decides how tests run.
const FILE_OPTIONS: &[&str] = &[
    "--import",
    "--require",
    "-r",
    "--loader",
    "--experimental-loader",
    "--preload",
    "--config",
    "-c",
    "--setup-files",
    "--setupFiles",
    "--globalSetup",
    "--rcfile",
    "--config-file",
];
/// How a script says where it lies.
const OWN_FOLDER: &[&str] = &[
    "$(dirname \"${BASH_SOURCE[0]}\")",
    "$(dirname \"$BASH_SOURCE\")",
    "$(dirname -- \"$0\")",
    "$(dirname \"$0\")",
    "$(dirname $0)",
    "${0%/*}",
];
/// Calls of one text that are looked at.
const MOST_CALLS: usize = 2_000;

/// What is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// A script of the shell's, which is read on.
    Shell(String),
    /// A script in another language.
    Script(String),
    /// A file by itself: what it is, is for the caller to see.
    File(String),
    /// A file that an option names.
    Option(String),
    /// `-p NAME` of pytest.
    Plugin(String),
    /// Targets of a Makefile, in this folder (`-C`); `file` is the one that `-f` names.
    Make { folder: String, file: Option<String>, targets: Vec<String> },
    /// Recipes of a justfile.
    Just(Vec<String>),
    /// A script of `package.json`.
    Package(String),
}

/// One call of a shell text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Where a `cd` before it led, from where the text is run.
    pub folder: String,
    pub program: Program,
    /// Somebody looks at what it says, or it is asked for a value: it may be what is tested.
    pub is_asked: bool,
}

/// What the lines of a shell text run.
pub fn calls(text: &str) -> Vec<Call> {
    let mut text = text.replace("\\\n", " ");
    for own in OWN_FOLDER {
        text = text.replace(own, "$HERE");
    }
    let mut calls = Vec::new();
    for line in text.lines().filter(|line| !line.trim_start().starts_with('#')) {
        if calls.len() > MOST_CALLS {
            break;
        }
        calls_of_line(line, &mut calls);
    }
    follow_folders(calls)
}

/// A call, or a `cd`.
enum Step {
    Folder(String),
    Call(Program, bool),
}

fn calls_of_line(line: &str, steps: &mut Vec<Step>) {
    let mut rest = line;
    let mut asked_depth: usize = 0;
    let mut in_backquotes = false;
    while !rest.is_empty() {
        let end = rest.find([';', '|', '&', '(', ')', '`', '{', '}']).unwrap_or(rest.len());
        let (simple, after) = rest.split_at(end);
        let is_piped = after.starts_with('|') && !after.starts_with("||");
        let is_filtered = is_piped && FILTERS.contains(&first_word(&after[1..]));
        let is_asked =
            asked_depth > 0 || in_backquotes || is_filtered || simple.trim_start().starts_with("[ ");
        steps.extend(of_simple(simple).into_iter().map(|step| match step {
            Step::Call(program, _) => Step::Call(program, is_asked),
            folder @ Step::Folder(_) => folder,
        }));
        match after.chars().next() {
            Some('(') if asked_depth > 0 || simple.ends_with('$') => asked_depth += 1,
            Some(')') => asked_depth = asked_depth.saturating_sub(1),
            Some('`') => in_backquotes = !in_backquotes,
            Some(_) | None => {}
        }
        rest = after.get(1..).unwrap_or_default();
    }
}

fn first_word(text: &str) -> &str {
    let word = text.split_whitespace().next().unwrap_or_default();
    word.rsplit('/').next().unwrap_or(word)
}

fn of_simple(simple: &str) -> Vec<Step> {
    let bare = |word: &str| word.trim_matches(['"', '\'']).to_owned();
    let is_before = |word: &String| {
        BEFORE.contains(&word.as_str()) || (word.contains('=') && !word.starts_with(['=', '-', '/', '.']))
    };
    let mut words: Vec<String> = simple.split_whitespace().map(bare).skip_while(is_before).collect();
    if words.first().is_some_and(|word| word == "timeout") {
        let is_own = |word: &&String| word.starts_with(|c: char| c == '-' || c.is_ascii_digit());
        let skipped = words.iter().skip(1).take_while(is_own).count() + 1;
        words.drain(..skipped);
    }
    let Some((program, rest)) = words.split_first() else { return Vec::new() };
    let name = program.rsplit('/').next().unwrap_or(program);
    let name =
        if name == "." { name } else { name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') };
    let file = rest.iter().find(|word| !word.starts_with('-') && *word != "run");
    let has_module = rest
        .iter()
        .take_while(|word| Some(*word) != file)
        .any(|word| word == "-m" || word == "-c" || word == "-e");
    // What `node --test` is given is tests.
    let has_module = has_module || (name == "node" && rest.iter().any(|word| word == "--test"));
    let program = match name {
        "cd" => return file.map(|folder| Step::Folder(folder.clone())).into_iter().collect(),
        "make" | "gmake" => Some(make(rest)),
        "just" => Some(Program::Just(targets(rest))),
        "npm" | "pnpm" | "yarn" => {
            let is_name =
                |word: &&String| !word.starts_with('-') && !matches!(word.as_str(), "run" | "run-script");
            rest.iter().find(is_name).cloned().map(Program::Package)
        }
        "uv" | "poetry" | "pdm" | "pipenv" | "hatch" | "rye" => {
            let inner: Vec<&str> = rest
                .iter()
                .map(String::as_str)
                .skip_while(|word| *word != "run")
                .skip(1)
                .skip_while(|word| word.starts_with('-'))
                .collect();
            return of_simple(&inner.join(" "));
        }
        _ if SHELLS.contains(&name) && !has_module => file.cloned().map(Program::Shell),
        _ if INTERPRETERS.contains(&name) && !has_module => file.cloned().map(Program::Script),
        _ => Some(Program::File(program.clone())),
    };
    program.into_iter().chain(options(&words)).map(|program| Step::Call(program, false)).collect()
}

fn make(words: &[String]) -> Program {
    let value = |names: &[&str]| {
        let at = words.iter().position(|word| names.contains(&word.as_str()))?;
        words.get(at + 1).cloned()
    };
    Program::Make {
        folder: value(&["-C", "--directory"]).unwrap_or_default(),
        file: value(&["-f", "--file", "--makefile"]),
        targets: targets(words),
    }
}

fn targets(words: &[String]) -> Vec<String> {
    let has_value = |word: &str| matches!(word, "-C" | "-f" | "-j" | "--directory" | "--file" | "--makefile");
    let follows = |at: usize| at > 0 && has_value(&words[at - 1]);
    let plain = |word: &str| !word.starts_with('-') && !word.contains('=');
    let chosen = words.iter().enumerate().filter(|(at, word)| plain(word) && !follows(*at));
    chosen.map(|(_, word)| word.clone()).collect()
}

/// Files and plugins that options of any of the words name.
fn options(words: &[String]) -> impl Iterator<Item = Program> {
    let is_pytest = words.iter().any(|word| word.ends_with("pytest") || word.ends_with("py.test"));
    words.iter().enumerate().filter_map(move |(at, word)| {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (word.as_str(), words.get(at + 1).cloned()),
        };
        if is_pytest && name == "-p" {
            return value.map(Program::Plugin);
        }
        let attached = word.strip_prefix("-p").filter(|name| is_pytest && !name.is_empty());
        match attached {
            Some(name) => Some(Program::Plugin(name.to_owned())),
            None => value.filter(|_| FILE_OPTIONS.contains(&name)).map(Program::Option),
        }
    })
}

/// Says of each call where the `cd`s before it led.
fn follow_folders(steps: Vec<Step>) -> Vec<Call> {
    let mut folder = String::new();
    let mut calls = Vec::new();
    for step in steps {
        match step {
            Step::Folder(to) if to.starts_with(['$', '~']) || to == "-" => folder.clear(),
            Step::Folder(to) if folder.is_empty() || to.starts_with('/') => folder = to,
            Step::Folder(to) => folder = format!("{folder}/{to}"),
            Step::Call(program, is_asked) => calls.push(Call { folder: folder.clone(), program, is_asked }),
        }
    }
    calls
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ac_tdd_8_159_what_node_is_given_to_test_is_no_script() {
        let programs = |text: &str| calls(text).into_iter().map(|call| call.program).collect::<Vec<_>>();
        assert_eq!(programs("node --test test/a.test.js"), [Program::File("node".to_owned())]);
        assert_eq!(programs("node test/a.test.js"), [Program::Script("test/a.test.js".to_owned())]);
    }

    #[test]
    fn each_call_is_told_with_its_folder() {
        for (text, want) in [
            ("sh scripts/a.sh --all", "shell scripts/a.sh"),
            ("cd tools && python3 -u check.py x", "tools: script check.py"),
            ("cd a; cd b\n./c.sh", "a/b: file ./c.sh"),
            ("CI=1 timeout -k 1 60 bash -eu x.sh", "shell x.sh"),
            (". ./env.sh && source lib.sh", "shell ./env.sh, shell lib.sh"),
            ("# sh a.sh\nexec \"$(dirname \"$0\")/inner.sh\"", "file $HERE/inner.sh"),
            ("test \"$(sh greet.sh)\" = hi", "file test, asked shell greet.sh, file "),
            ("sh greet.sh | grep -q hi", "asked shell greet.sh, file grep"),
            ("sh inner.sh | tee log", "shell inner.sh, file tee"),
            ("make -C sub -f x.mk test A=1", "make sub/x.mk [test]"),
            ("make", "make / []"),
            ("just check", "just [check]"),
            ("python3 -m pytest -p my.plug -pother", "file python3, plugin my.plug, plugin other"),
            ("node --import ./setup.mjs --test", "file node, option ./setup.mjs"),
            ("uv run --frozen pytest -c conf/p.ini", "file pytest, option conf/p.ini"),
            ("npm run -s check", "package check"),
        ] {
            let told: Vec<String> = calls(text)
                .into_iter()
                .map(|call| {
                    let folder =
                        if call.folder.is_empty() { String::new() } else { format!("{}: ", call.folder) };
                    let asked = if call.is_asked { "asked " } else { "" };
                    let program = match call.program {
                        Program::Shell(file) => format!("shell {file}"),
                        Program::Script(file) => format!("script {file}"),
                        Program::File(file) => format!("file {file}"),
                        Program::Option(file) => format!("option {file}"),
                        Program::Plugin(name) => format!("plugin {name}"),
                        Program::Make { folder, file, targets } => {
                            format!("make {folder}/{} [{}]", file.unwrap_or_default(), targets.join(" "))
                        }
                        Program::Just(recipes) => format!("just [{}]", recipes.join(" ")),
                        Program::Package(name) => format!("package {name}"),
                    };
                    format!("{folder}{asked}{program}")
                })
                .collect();
            assert_eq!(told.join(", "), want, "{text}");
        }
    }
}
