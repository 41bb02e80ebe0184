//! The house's fences. Each check is a function from sources to complaints, run over the real
//! tree and over a small bad sample that it must complain about.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use self::source::{Mention, Source};

mod package;
mod source;

/// Lines that a file may have without its tests.
const LINE_LIMIT: usize = 400;
/// The one file that may hold `unsafe`.
const UNSAFE_HOME: &str = "crates/child/src/unix.rs";
/// Modules of std, and of tokio, that touch the world.
const EFFECTS: [&str; 4] = ["env", "fs", "net", "process"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every file below the root that git would not ignore, with its path from the root.
fn files() -> Vec<(String, Vec<u8>)> {
    let keep = |entry: &ignore::DirEntry| {
        let name = entry.file_name();
        !(name == ".git" || name == "target" || name == ".tdd")
    };
    let walk = ignore::WalkBuilder::new(root()).hidden(false).require_git(false).filter_entry(keep).build();
    let mut files = Vec::new();
    for entry in walk.map(Result::unwrap).filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
    {
        let path = entry.path().strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
        files.push((path, fs::read(entry.path()).unwrap()));
    }
    files.sort();
    files
}

fn sources(below: &str) -> Vec<Source> {
    // To take all of them apart is most of what these tests do.
    static ALL: OnceLock<Vec<Source>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let files = files().into_iter().filter(|(path, _)| is_rust(path) && !path.starts_with("fixtures/"));
        files.map(|(path, bytes)| Source::read(&path, &String::from_utf8(bytes).unwrap())).collect()
    });
    let below = || all.iter().filter(|source| source.path.starts_with(below));
    let tests: BTreeSet<String> = below().flat_map(test_files).collect();
    below().filter(|source| !tests.contains(&source.path)).cloned().collect()
}

fn is_rust(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|extension| extension == "rs")
}

/// The files of modules that are declared under `#[cfg(test)]`.
fn test_files(source: &Source) -> Vec<String> {
    let (folder, _) = source.path.rsplit_once('/').unwrap_or_default();
    source.test_files.iter().map(|file| format!("{folder}/{file}")).collect()
}

fn sample(path: &str, text: &str) -> [Source; 1] {
    [Source::read(path, text)]
}

#[track_caller]
fn none(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[track_caller]
fn caught(complaints: &[String], count: usize) {
    assert_eq!(complaints.len(), count, "\n{}", complaints.join("\n"));
}

/// One row of the table of rooms.
#[derive(Debug)]
struct Room {
    imports: BTreeSet<String>,
    effects: BTreeSet<String>,
}

/// A cell: `-`, `any`, or names in backticks. None is any.
fn names(cell: &str) -> BTreeSet<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn rooms() -> BTreeMap<String, Room> {
    let text = fs::read_to_string(root().join("specs/architecture.md")).unwrap();
    let head = "| room | what it is | may import | effects of std |";
    let (_, table) = text.split_once(head).expect("the table of rooms is in specs/architecture.md");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let read = |row: &str| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [name, _, imports, effects] = cells[..] else { panic!("four cells, not {row}") };
        (name.trim_matches('`').to_owned(), Room { imports: names(imports), effects: names(effects) })
    };
    rows.map(read).collect()
}

/// The folders of the packages, and for each the crates that its code may name.
fn packages() -> Vec<(String, BTreeSet<String>)> {
    let manifests =
        files().into_iter().filter(|(path, _)| path.starts_with("crates/") && path.ends_with("/Cargo.toml"));
    let folders = manifests.map(|(path, _)| path.trim_end_matches("Cargo.toml").to_owned());
    std::iter::once(String::new()).chain(folders).map(|folder| (folder.clone(), crates(&folder))).collect()
}

/// The dependencies of a package as code names them.
fn crates(folder: &str) -> BTreeSet<String> {
    let manifest = fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
    let manifest: toml::Table = toml::from_str(&manifest).unwrap();
    manifest["dependencies"].as_table().unwrap().keys().map(|name| name.replace('-', "_")).collect()
}

/// Those of these crates that no source names.
fn unused(crates: &BTreeSet<String>, sources: &[Source]) -> Vec<String> {
    let mentioned: BTreeSet<String> = sources
        .iter()
        .flat_map(Source::mentions)
        .filter_map(|mention| mention.parts.first().cloned())
        .collect();
    crates.difference(&mentioned).cloned().collect()
}

/// The sources of the program and of every crate.
fn all_sources() -> Vec<Source> {
    sources("src/").into_iter().chain(sources("crates/")).collect()
}

#[test]
fn no_dependency_is_unused() {
    for (folder, crates) in packages() {
        none(&unused(&crates, &sources(&format!("{folder}src/"))));
    }
    let listed = BTreeSet::from(["serde".to_owned(), "rayon".to_owned()]);
    caught(&unused(&listed, &sample("src/x.rs", "use serde::Serialize; // rayon::join")), 1);
}

fn rooms_are_kept(sources: &[Source]) -> Vec<String> {
    let rooms = rooms();
    let mut complaints = Vec::new();
    for source in sources {
        let module = source.module();
        let Some(room) = rooms.get(&module[0]) else {
            complaints.push(format!("{}: `{}` is no room of specs/architecture.md", source.path, module[0]));
            continue;
        };
        let renamed = source.find(&["crate", "as"]).into_iter();
        complaints.extend(renamed.map(|_| format!("{}: gives the root another name", source.path)));
        for mention in source.mentions() {
            if let Some(why) = trespass(&module, room, &mention) {
                complaints.push(format!("{}:{}: {why}", source.path, mention.line));
            }
        }
    }
    complaints
}

fn trespass(module: &[String], room: &Room, mention: &Mention) -> Option<String> {
    let parts = &mention.parts;
    let written = parts.join("::");
    let first = parts[0].as_str();
    // Among crates the compiler keeps the walls.
    if let Some(inside) = resolve(module, parts).filter(|_| !module[0].contains('/')) {
        let target = inside.join("::");
        let own = inside.first() == module.first();
        // A bare `crate`, `self` or `super` is the visibility in `pub(crate)`.
        return match inside.first() {
            _ if parts.len() == 1 => None,
            None => Some(format!("`{written}` names the root; name a room")),
            Some(_) if own || module[0] == "lib" => None,
            Some(_) if room.imports.contains("any") => None,
            Some(of) if room.imports.contains(of) => None,
            Some(_) => Some(format!("`{}` may not import `{target}`", module[0])),
        };
    }
    if matches!(first, "std" | "tokio" | "core" | "alloc") && parts.get(1).is_some_and(|part| part == "*") {
        return Some(format!("`{written}` hides what is used"));
    }
    let effect = parts.get(1).filter(|part| EFFECTS.contains(&part.as_str()))?;
    (matches!(first, "std" | "tokio") && !room.effects.contains(effect))
        .then(|| format!("`{}` may not use `{written}`", module[0]))
}

/// Where a path of this crate leads, from its root; `None` for a path that leads elsewhere.
fn resolve(module: &[String], parts: &[String]) -> Option<Vec<String>> {
    let mut at: Vec<String> = match parts[0].as_str() {
        "crate" => Vec::new(),
        "self" | "super" if parts.len() > 1 => module.to_vec(),
        _ => return None,
    };
    for part in parts {
        match part.as_str() {
            "crate" | "self" => {}
            "super" => {
                at.pop()?;
            }
            name => at.push(name.to_owned()),
        }
    }
    Some(at)
}

#[test]
fn every_room_imports_only_what_the_architecture_says() {
    none(&rooms_are_kept(&all_sources()));
    let bad = [
        ("crates/core/src/x.rs", "use std::{fmt, fs::read, collections::BTreeMap};", 1),
        ("crates/core/src/x.rs", "fn f() { let _ = std::env::var(\"A\"); }", 1),
        ("crates/source/src/x.rs", "use tokio::net::TcpStream; use std::*;", 2),
        ("src/driver/x.rs", "use super::super::world::lock;", 1),
        ("src/driver/x/y.rs", "fn f() { super::super::super::view::print::go(); }", 1),
        ("src/driver/x.rs", "use crate::{self as all, text::mask, view::{json, print}};", 3),
        ("src/world/x.rs", "use crate::driver::drive::go; use crate::view::print;", 2),
        ("src/view/x.rs", "use crate::world::lock; use std::process::Command;", 2),
        ("src/driver/x.rs", "use tokio::fs::read; use tokio::time::sleep;", 1),
        ("src/text/x.rs", "use crate as root; pub(crate) fn f(x: super::y::Y) {}", 1),
        ("src/nowhere/x.rs", "", 1),
        ("crates/nowhere/src/x.rs", "", 1),
    ];
    for (path, text, count) in bad {
        caught(&rooms_are_kept(&sample(path, text)), count);
    }
    let good = "// use crate::world::lock;\n/* std::fs /* std::fs */ std::fs */\n\
                /// use std::fs\nconst A: &str = \"std::fs\"; const B: &str = r#\"\"std::fs\"#;\n\
                fn a<'a>(x: &'a str) -> char { let _ = b'\\''; '\"' } // \"\n\
                #[cfg(test)]\nmod tests { use std::fs; fn f() {} }\nuse super::path; struct S { fs: u8 }";
    none(&rooms_are_kept(&sample("crates/core/src/x.rs", good)));
}

fn files_are_short(sources: &[Source]) -> Vec<String> {
    let long = sources.iter().filter(|source| source.lines >= LINE_LIMIT);
    long.map(|source| format!("{}: {} lines without its tests", source.path, source.lines)).collect()
}

#[test]
fn no_file_is_long() {
    none(&files_are_short(&all_sources()));
    let body = "fn f() {}\n".repeat(LINE_LIMIT);
    caught(&files_are_short(&sample("crates/core/src/x.rs", &body)), 1);
    let tests = format!("fn f() {{}}\n#[cfg(test)]\nmod tests {{\n{body}}}\n");
    none(&files_are_short(&sample("crates/core/src/x.rs", &tests)));
}

fn unsafe_is_at_home(sources: &[Source]) -> Vec<String> {
    let strangers = sources.iter().filter(|source| source.path != UNSAFE_HOME);
    let found = strangers.filter(|source| !source.find(&["unsafe"]).is_empty());
    found.map(|source| format!("{}: `unsafe` belongs in {UNSAFE_HOME}", source.path)).collect()
}

#[test]
fn unsafe_has_one_home() {
    none(&unsafe_is_at_home(&all_sources()));
    none(&unsafe_is_at_home(&sources("tests/")));
    caught(&unsafe_is_at_home(&sample("src/world/pty.rs", "fn f() { unsafe { g() } }")), 1);
    none(&unsafe_is_at_home(&sample(UNSAFE_HOME, "fn f() { unsafe { g() } }")));
}

/// Files that run as somebody else's child: what they write goes to `tdd`, not to a person.
const CHILDREN: [&str; 2] = ["src/commands/agent/", "crates/child/src/exec.rs"];

/// Macros that print, and the streams themselves. Asking a stream whether it is a terminal goes
/// through `view` too, so that one room knows the streams.
fn only_view_prints(sources: &[Source]) -> Vec<String> {
    const MACROS: [&str; 5] = ["print", "println", "eprint", "eprintln", "dbg"];
    const STREAMS: [&str; 4] = ["stdout", "stderr", "Stdout", "Stderr"];
    let mut complaints = Vec::new();
    let is_child = |source: &Source| CHILDREN.iter().any(|child| source.path.starts_with(child));
    for source in sources.iter().filter(|source| source.module()[0] != "view" && !is_child(source)) {
        let stream = |mention: &Mention| {
            let pairs = mention.parts.windows(2);
            let mut pairs = pairs.map(|pair| (pair[0].as_str(), pair[1].as_str()));
            pairs.any(|(room, name)| matches!(room, "io" | "anstream") && STREAMS.contains(&name))
        };
        let found = source.mentions().into_iter().filter(stream);
        complaints.extend(found.map(|mention| format!("{}:{}: uses a stream", source.path, mention.line)));
        for name in MACROS {
            let found = source.find(&[name, "!"]).into_iter();
            complaints
                .extend(found.map(|at| format!("{}:{}: `{name}!`", source.path, source.tokens[at].line)));
        }
    }
    complaints
}

#[test]
fn nothing_but_view_prints() {
    none(&only_view_prints(&all_sources()));
    let bad =
        "fn f() { println!(\"a\"); std::io::stdout().lock(); io::stderr(); } use std::io::{self, Stdout};";
    caught(&only_view_prints(&sample("src/commands/x.rs", bad)), 4);
    none(&only_view_prints(&sample("src/view/x.rs", bad)));
    none(&only_view_prints(&sample("src/world/x.rs", "fn f(c: C) { c.stdout(Stdio::piped()); }")));
}

/// The one that opens files so that nothing waits, one that reads what the system tells, and two that
/// open what a person has named.
const OPENERS: [&str; 4] = [
    "crates/child/src/regular_file.rs",
    "crates/child/src/unix/proc_table.rs",
    "src/commands/agent.rs",
    "src/commands/parse.rs",
];

/// A pipe in the file's place would hold each of these for ever. What the system names is no file of a
/// child's; an open with options of its own is not seen here.
fn opens_that_wait(sources: &[Source]) -> Vec<String> {
    const CALLS: [(&str, &[&str]); 2] =
        [("fs", &["read", "read_to_string", "copy", "write"]), ("File", &["open", "create"])];
    let mut complaints = Vec::new();
    let rooms = rooms();
    let looked_at = |source: &&Source| {
        let touches = rooms.get(&source.module()[0]).is_some_and(|room| room.effects.contains("fs"));
        touches && source.module()[0] != "model_server" && !OPENERS.contains(&source.path.as_str())
    };
    for source in sources.iter().filter(looked_at) {
        for (room, names) in CALLS {
            for at in names.iter().flat_map(|name| source.find(&[room, "::", name, "("])) {
                // A new file in a folder of ours is written before a child knows of it.
                let is_write = source.word(at + 2) == "write";
                let is_of_the_system = (at..at + 8).any(|near| {
                    ["\"/proc/", "\"/dev/"].iter().any(|place| source.word(near).starts_with(place))
                });
                let is_ours = is_write && !source.path.starts_with("crates/runners/");
                if !is_of_the_system && !is_ours {
                    complaints
                        .push(format!("{}:{}: an open that may wait", source.path, source.tokens[at].line));
                }
            }
        }
    }
    complaints
}

#[test]
fn no_file_is_opened_that_a_pipe_could_have_replaced() {
    none(&opens_that_wait(&all_sources()));
    let bad = "fn f() { fs::read(x); std::fs::read_to_string(x); File::open(x); std::fs::File::create(x); }";
    caught(&opens_that_wait(&sample("src/commands/x.rs", bad)), 4);
    none(&opens_that_wait(&sample(
        "src/world/x.rs",
        "fn f() { fs::read(\"/proc/self/stat\"); Journal::open(x); }",
    )));
}

fn exceptions_have_reasons(sources: &[Source]) -> Vec<String> {
    let mut complaints = Vec::new();
    for source in sources {
        let starts = ["allow", "expect"].into_iter().flat_map(|name| source.find(&["[", name, "("]));
        for at in starts {
            let attribute = source.tokens[at..].iter().take_while(|token| token.text != "]");
            let mut words = attribute.map(|token| token.text.as_str());
            if !words.any(|word| word == "reason") {
                complaints
                    .push(format!("{}:{}: an exception without reason", source.path, source.tokens[at].line));
            }
        }
    }
    complaints
}

#[test]
fn every_exception_from_a_lint_has_its_reason() {
    none(&exceptions_have_reasons(&sources("src/")));
    none(&exceptions_have_reasons(&sources("tests/")));
    let bad = "#![allow(dead_code)]\n#[expect(unused)]\n#[expect(x, reason = \"because\")]\nfn f() { g([a.expect(b)]) }";
    caught(&exceptions_have_reasons(&sample("src/core/x.rs", bad)), 2);
}

fn modules_are_named(sources: &[Source], all: &BTreeSet<String>) -> Vec<String> {
    let tests: BTreeSet<String> = sources.iter().flat_map(test_files).collect();
    let is_root = |path: &String| path.ends_with("src/main.rs") || path.ends_with("src/lib.rs");
    let mut complaints = Vec::new();
    for path in all.iter().filter(|path| !is_root(path) && !tests.contains(*path)) {
        let inner = path.trim_end_matches(".rs");
        let (folder, name) = inner.rsplit_once('/').unwrap();
        let is_top = folder == "src" || folder.ends_with("/src");
        let parent = if is_top { format!("{folder}/lib.rs") } else { format!("{folder}.rs") };
        let Some(parent) = sources.iter().find(|source| source.path == parent) else {
            complaints.push(format!("{path}: there is no {parent}"));
            continue;
        };
        if parent.find(&["mod", name]).is_empty() {
            complaints.push(format!("{path}: {} does not name it, so nothing compiles it", parent.path));
        }
    }
    complaints
}

#[test]
fn every_module_is_named_by_its_parent() {
    let is_source =
        |path: &String| (path.starts_with("src/") || path.starts_with("crates/")) && is_rust(path);
    let all: BTreeSet<String> = files().into_iter().map(|(path, _)| path).filter(is_source).collect();
    none(&modules_are_named(&all_sources(), &all));
    let tree = [
        Source::read("src/lib.rs", "mod core;"),
        Source::read("src/core.rs", "pub mod a; // mod b;\n#[cfg(test)]\nmod c;"),
        Source::read("src/core/a.rs", "#[cfg(test)]\n#[path = \"a_tests.rs\"]\nmod tests;"),
    ];
    let paths =
        ["src/lib.rs", "src/core.rs", "src/core/a.rs", "src/core/b.rs", "src/core/c.rs", "src/x/d.rs"];
    caught(&modules_are_named(&tree, &paths.map(str::to_owned).into()), 2);
}

/// Paths of a machine that something was made on. They are put together here, so that this file
/// does not hold them itself.
fn forbidden() -> Vec<String> {
    ["work/", "tmp/wt", "tmp/brief", "root/"].map(|rest| format!("/{rest}")).to_vec()
}

fn machine_paths(files: &[(String, Vec<u8>)]) -> Vec<String> {
    let mut complaints = Vec::new();
    for (path, bytes) in files {
        for (number, line) in String::from_utf8_lossy(bytes).lines().enumerate() {
            let holds = |word: &String| {
                // The same name inside a longer path is some other folder.
                line.match_indices(word.as_str()).any(|(at, _)| {
                    !line[..at].ends_with(|c: char| c.is_alphanumeric() || "._-}*~".contains(c))
                })
            };
            let found = forbidden().into_iter().filter(holds);
            complaints.extend(found.map(|word| format!("{path}:{}: names {word}", number + 1)));
        }
    }
    complaints
}

#[test]
fn nothing_names_the_machine_it_was_made_on() {
    none(&machine_paths(&files()));
    let text = forbidden().join("x\nsee ");
    caught(&machine_paths(&[("README.md".to_owned(), text.into_bytes())]), forbidden().len());
    none(&machine_paths(&[("a".to_owned(), format!("src{}", forbidden()[0]).into_bytes())]));
}

#[test]
fn the_table_of_rooms_names_every_room_and_no_other() {
    let found: BTreeSet<String> = all_sources().iter().map(|source| source.module()[0].clone()).collect();
    let named: BTreeSet<String> = rooms().into_keys().collect();
    assert_eq!(named, found);
}

/// What the table says of crates is what their manifests say.
#[test]
fn crates_import_what_the_table_says() {
    let rooms = rooms();
    for (folder, crates) in packages().into_iter().filter(|(folder, _)| !folder.is_empty()) {
        let name = folder.trim_end_matches('/');
        let ours = crates.iter().filter_map(|name| name.strip_prefix("tdd_"));
        let ours: BTreeSet<String> = ours.map(|name| format!("crates/{name}")).collect();
        assert_eq!(rooms[name].imports, ours, "{name}");
    }
}
