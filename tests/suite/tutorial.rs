//! The tutorial's pages, typed: each command of a page in an empty folder, by an agent that plays what the page
//! shows. What the page says is printed has to be printed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::documents::blocks;
use super::sandbox::{Ran, Sandbox, has, has_go, has_node, has_pytest, has_python, path_with};

const PYTHON: &str = include_str!("../../docs/src/tutorial-python.md");
const NODE: &str = include_str!("../../docs/src/tutorial-node.md");
const RUST: &str = include_str!("../../docs/src/tutorial-rust.md");
const GO: &str = include_str!("../../docs/src/tutorial-go.md");
const HUB: &str = include_str!("../../docs/src/tutorial.md");
const AGENTS: &str = include_str!("../../docs/src/agents.md");

/// Stands for any text in a line; alone on it, for any lines.
const LEFT_OUT: char = '…';

/// What is typed, and what the page says is printed then; nothing is said of most commands of others.
#[derive(Debug)]
struct Step {
    command: String,
    printed: Vec<String>,
}

fn steps(page: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for (_, lines) in blocks(page).into_iter().filter(|(info, _)| info == "console") {
        for line in lines {
            if let Some(command) = line.strip_prefix("$ ") {
                steps.push(Step { command: command.to_owned(), printed: Vec::new() });
            } else {
                steps.last_mut().expect("a command stands first").printed.push(line.to_owned());
            }
        }
    }
    steps
}

/// What a role left by the page: `The implementer of AC-SHOP-1.1 wrote `shop.js`:`, and then the file.
struct Work<'a> {
    role: &'a str,
    of: &'a str,
    path: &'a str,
    text: String,
}

fn works(page: &str) -> Vec<Work<'_>> {
    let mut works = Vec::new();
    for (at, _) in page.match_indices("\nThe ") {
        let Some((line, rest)) = page[at + "\nThe ".len()..].split_once("\n\n") else { continue };
        let Some((role, told)) = line.split_once(" of ") else { continue };
        let Some((of, path)) = told.split_once(" wrote `") else { continue };
        let path = path.strip_suffix("`:").unwrap_or_else(|| panic!("no file is named: {line}"));
        let body = rest.strip_prefix("```").and_then(|rest| rest.split_once('\n')).expect("a fence").1;
        works.push(Work { role, of, path, text: body.split("```\n").next().unwrap().to_owned() });
    }
    works
}

/// Copies what lies for its role and criterion into the folder that it was started in.
const AGENT: &str = r#"role=$1 prompt=$2
of=${3:-$(grep -o 'SHOP-[0-9]*' "$prompt" | head -n 1)}
from=$(dirname "$0")/$of/$role
mkdir -p "$from" && cp -R "$from/." .
files=$(cd "$from" && find . -type f | sed 's|^\./|  - |')
printf 'Done.\n\n```tdd-result\nrole: %s\nstatus: ok\nfiles:%s\ncommand: none\noutput_excerpt: |2\n  none\n```\n' \
    "$role" "${files:+
}${files:- []}"
"#;

/// An agent of the person's own settings that plays the page.
fn play(sandbox: &Sandbox, page: &str) {
    let folder = sandbox.beside("played");
    for Work { role, of, path, text } in works(page) {
        let file = folder.join(of).join(role).join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    let script = folder.join("agent.sh");
    std::fs::write(&script, AGENT).unwrap();
    sandbox.own_settings(&format!(
        "agent: played\nagents:\n  played: {{ argv: [sh, {}, '{{role}}', '{{prompt_file}}', ['{{criterion}}']] }}\n",
        script.display()
    ));
}

/// Types the commands in one shell, in `folder`; what each of them printed.
fn typed(sandbox: &Sandbox, folder: &Path, commands: &[&str]) -> Vec<String> {
    let printed: Vec<PathBuf> =
        (0..commands.len()).map(|number| sandbox.beside(&format!("printed-{number}"))).collect();
    let lines = commands.iter().zip(&printed);
    let lines = lines.map(|(command, to)| format!("{{ {command}\n}} >'{}' 2>&1\n", to.display()));
    let script = lines.collect::<Vec<_>>().concat();
    let mut sh: Command = sandbox.command("sh");
    sh.env("PATH", path_with(Path::new(env!("CARGO_BIN_EXE_tdd")).parent().unwrap()));
    sh.env_remove("TDD_PROOF");
    for who in ["GIT_AUTHOR", "GIT_COMMITTER"] {
        sh.env(format!("{who}_NAME"), "t").env(format!("{who}_EMAIL"), "t@t");
    }
    let ran = Ran::of(&sh.current_dir(folder).args(["-ec", &script]).output().unwrap());
    let read = |file: &PathBuf| std::fs::read_to_string(file).unwrap_or_default();
    let all: Vec<String> = printed.iter().map(read).collect();
    assert_eq!(ran.code, 0, "{commands:?}\n{}\n{}", ran.stderr, all.concat());
    all
}

/// Whether a line is as the page has it.
fn is_line(shown: &str, line: &str) -> bool {
    let mut parts = shown.split(LEFT_OUT);
    let Some(mut rest) = line.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(end) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(end)
}

/// The first line of a page that is not printed where it says; else what is printed and not told.
fn differs(shown: &[String], printed: &str) -> Option<String> {
    let mut lines = printed.lines().map(str::trim_end).peekable();
    let mut may_skip = false;
    for line in shown {
        if line.chars().eq([LEFT_OUT]) {
            may_skip = true;
            continue;
        }
        while may_skip && lines.peek().is_some_and(|next| !is_line(line, next)) {
            lines.next();
        }
        may_skip = false;
        match lines.next() {
            Some(next) if is_line(line, next) => {}
            other => return Some(format!("the page has {line:?}, printed is {other:?}")),
        }
    }
    lines.next().filter(|_| !may_skip).map(|next| format!("{next:?} is printed, and not on the page"))
}

/// Types a page in an empty folder beside all others.
fn follow(page: &str) {
    let sandbox = Sandbox::empty();
    let at = sandbox.beside("nothing");
    std::fs::create_dir(&at).unwrap();
    play(&sandbox, page);
    let steps = steps(page);
    let commands: Vec<&str> = steps.iter().map(|step| step.command.as_str()).collect();
    assert!((4..10).contains(&commands.len()), "under ten commands: {commands:?}");
    let said = ["Seven", "Eight", "Nine"][commands.len() - 7];
    assert!(page.contains(&format!("\n{said} commands.")), "the page counts its commands: {said}");
    let printed = typed(&sandbox, &at, &commands);
    for (step, printed) in steps.iter().zip(&printed).filter(|(step, _)| !step.printed.is_empty()) {
        if let Some(why) = differs(&step.printed, printed) {
            panic!("{}: {why}\n{printed}", step.command);
        }
    }
    // What the page shows last of each file is what lies there.
    let last: BTreeMap<&str, String> = works(page).into_iter().map(|work| (work.path, work.text)).collect();
    assert!(last.len() >= 4, "tests of two requirements, and code");
    for (path, text) in last {
        assert_eq!(std::fs::read_to_string(at.join("shop").join(path)).unwrap(), text, "{path}");
    }
}

#[test]
fn ac_tdd_12_1_python_from_nothing() {
    left_to_the_night!();
    if has_python() && has_pytest() {
        follow(PYTHON);
    }
}

#[test]
fn ac_tdd_12_1_node_from_nothing() {
    left_to_the_night!();
    if has_node() && has("npm", &["npm", "--version"]) {
        follow(NODE);
    }
}

/// The same with ES modules, the first of which is in the root and not there yet.
#[test]
fn ac_tdd_12_1_node_from_nothing_with_modules() {
    left_to_the_night!();
    let mut page = NODE.replace(".js", ".mjs").replace("module.exports =", "export");
    for name in ["test", "assert"] {
        page = page.replace(
            &format!("const {name} = require(\"node:{name}\")"),
            &format!("import {name} from \"node:{name}\""),
        );
    }
    for name in ["total", "receipt"] {
        page = page.replace(
            &format!("const {{ {name} }} = require(\"./shop.mjs\")"),
            &format!("import {{ {name} }} from \"./shop.mjs\""),
        );
    }
    assert!(!page.contains("require("));
    if has_node() && has("npm", &["npm", "--version"]) {
        follow(&page);
    }
}

#[test]
fn ac_tdd_12_1_rust_from_nothing() {
    left_to_the_night!();
    follow(RUST);
}

#[test]
fn ac_tdd_12_1_go_from_nothing() {
    left_to_the_night!();
    if has_go() {
        follow(GO);
    }
}

#[test]
fn ac_tdd_12_1_what_a_page_shows_is_told_from_what_is_printed() {
    let shown = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    for (page, printed) in [
        (&["a", "…", "b … d"][..], "a\nx\ny\nb c d\n"),
        (&["…", "b"], "b\n"),
        (&["a…"], "a\n"),
        (&["a", "…"], "a\nb\nc\n"),
        (&["a  …  c"], "a  b  c\n"),
    ] {
        assert_eq!(differs(&shown(page), printed), None, "{page:?}");
    }
    for (page, printed) in [
        (&["a"][..], "a\nb\n"),
        (&["a", "b"], "a\n"),
        (&["a", "b"], "a\nx\nb\n"),
        (&["…", "b", "a"], "a\nb\n"),
        (&["a … c"], "a b d\n"),
        (&["a"], "ab\n"),
    ] {
        assert!(differs(&shown(page), printed).is_some(), "{page:?}");
    }
}

/// Commands that go on from where a page ends.
#[test]
fn ac_tdd_12_1_the_tutorials_first_page_goes_on_where_each_of_the_others_ends() {
    for (name, page) in [("python", PYTHON), ("node", NODE), ("rust", RUST), ("go", GO)] {
        assert!(HUB.contains(&format!("(tutorial-{name}.md)")), "{name}");
        assert!(page.contains("(tutorial.md#what-comes-then)"), "{name}");
    }
    let sandbox = Sandbox::with(&[("Cargo.toml", "[package]\nname = \"a\"\n"), ("src/lib.rs", "")]);
    for number in ["1", "2"] {
        let title = format!("Number {number}");
        sandbox.tdd(&["new", &format!("SHOP-{number}"), &title, "-c", "a is b"]).expect(0);
    }
    let steps = steps(HUB);
    let commands: Vec<&str> = steps.iter().map(|step| step.command.as_str()).collect();
    let printed = typed(&sandbox, &sandbox.repo(), &commands);
    for (step, printed) in steps.iter().zip(&printed).filter(|(step, _)| !step.printed.is_empty()) {
        assert_eq!(differs(&step.printed, printed), None, "{}\n{printed}", step.command);
    }
}

/// The first block of a page that opens with `info`.
fn block(page: &str, info: &str) -> String {
    let (_, lines) = blocks(page).into_iter().find(|(known, _)| known == info).unwrap();
    lines.join("\n")
}

#[test]
fn ac_tdd_12_1_the_guides_own_agent_takes_a_requirement_to_its_end() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = Sandbox::empty();
    let at = sandbox.beside("nothing");
    std::fs::create_dir(&at).unwrap();
    let steps = steps(PYTHON);
    let before = steps.iter().map(|step| step.command.as_str());
    let made: Vec<&str> = before.take_while(|command| !command.starts_with("tdd SHOP-1")).collect();
    typed(&sandbox, &at, &made);
    let project = at.join("shop");
    std::fs::write(project.join("agent.py"), block(AGENTS, "python")).unwrap();
    let settings = project.join("tdd.yaml");
    let before = std::fs::read_to_string(&settings).unwrap();
    std::fs::write(&settings, format!("{before}\n{}\n", block(AGENTS, "yaml"))).unwrap();
    let page = block(AGENTS, "console");
    let page: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("$ ")).collect();
    let [dry, run] = &typed(&sandbox, &project, &page)[..] else { panic!("{page:?}") };
    for words in ["mine", "python3 agent.py {role} {role_file} {prompt_file}"] {
        assert!(dry.contains(words), "{dry}");
    }
    assert!(run.contains("git add"), "{run}");
    assert!(std::fs::read_to_string(project.join("shop.py")).unwrap().contains("def total"));
}
