//! README and guide: each link leads somewhere, each command and each setting in them can be read.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Documents that are no pages of the guide.
const BESIDE: [&str; 4] = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];

/// The documents, with their paths from the root.
fn documents() -> Vec<(PathBuf, String)> {
    let root = Path::new(ROOT);
    let guide = std::fs::read_dir(root.join("docs/src")).unwrap().map(|entry| entry.unwrap().path());
    let files = guide.filter(|path| path.extension().is_some_and(|end| end == "md"));
    let all = files.chain(BESIDE.map(|name| root.join(name)));
    all.map(|path| (path.clone(), std::fs::read_to_string(&path).unwrap())).collect()
}

/// The fenced blocks: what follows the fence, and the lines.
pub(super) fn blocks(text: &str) -> Vec<(String, Vec<&str>)> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, &str, Vec<&str>)> = None;
    for line in text.lines() {
        let mark = line.trim_start();
        let length = mark.len() - mark.trim_start_matches('`').len();
        match open.take() {
            Some((info, fence, lines)) if length >= fence.len() && mark.trim_end().len() == length => {
                blocks.push((info, lines));
            }
            Some((info, fence, mut lines)) => {
                lines.push(line);
                open = Some((info, fence, lines));
            }
            None if length >= 3 => open = Some((mark[length..].to_owned(), &mark[..length], Vec::new())),
            None => {}
        }
    }
    assert!(open.is_none(), "a fence stays open");
    blocks
}

/// The lines that stand in no fenced block.
fn prose(text: &str) -> Vec<&str> {
    let mut open: Option<usize> = None;
    let mut prose = Vec::new();
    for line in text.lines() {
        let mark = line.trim_start();
        let length = mark.len() - mark.trim_start_matches('`').len();
        match open {
            Some(fence) if length >= fence && mark.trim_end().len() == length => open = None,
            None if length >= 3 => open = Some(length),
            None => prose.push(line),
            Some(_) => {}
        }
    }
    prose
}

/// What links name the headings of a document by: GitHub and mdBook make the same of each.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    for heading in prose(text).into_iter().filter(|line| line.starts_with('#')) {
        let heading = heading.trim_start_matches('#').trim();
        let kept = heading.chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
        let slug: String = kept.collect::<String>().to_lowercase().replace(' ', "-");
        let again = (1..).map(|count| format!("{slug}-{count}"));
        let free = std::iter::once(slug.clone()).chain(again).find(|one| !anchors.contains(one)).unwrap();
        anchors.insert(free);
    }
    anchors
}

fn parse(line: &str) -> Result<(), String> {
    let line = line.split("  #").next().unwrap().split("  >").next().unwrap();
    let words = shell_words::split(line).map_err(|error| error.to_string())?;
    match tdd::cli::whole().try_get_matches_from(&words) {
        Err(error) if error.use_stderr() => Err(error.to_string()),
        _ => Ok(()),
    }
}

#[test]
fn every_command_that_is_told_can_be_typed() {
    let mut count = 0;
    for (path, text) in documents() {
        for (info, lines) in
            blocks(&text).iter().filter(|(info, _)| matches!(info.as_str(), "sh" | "console"))
        {
            for line in lines.iter().map(|line| line.strip_prefix("$ ").unwrap_or(line)) {
                if info == "console" && !lines.contains(&format!("$ {line}").as_str()) {
                    continue;
                }
                let line = line.replace("cargo run --release -- ", "tdd ");
                if line.starts_with("tdd ") {
                    count += 1;
                    assert_eq!(parse(&line), Ok(()), "{}: {line}", path.display());
                }
            }
        }
    }
    assert!(count > 25, "{count}");
    assert!(parse("tdd status --no-such-flag").is_err());
}

#[test]
fn every_command_in_a_sentence_is_there() {
    let command = tdd::cli::whole();
    let known: BTreeSet<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
    for (path, text) in documents() {
        for span in text.split('`').skip(1).step_by(2).filter_map(|span| span.strip_prefix("tdd ")) {
            let word = span.split_whitespace().next().unwrap_or_default();
            let is_command = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase());
            assert!(!is_command || known.contains(word), "{}: tdd {span}", path.display());
        }
    }
}

#[test]
fn every_setting_that_is_told_can_be_read() {
    let mut count = 0;
    for (path, text) in documents() {
        for (_, lines) in blocks(&text).iter().filter(|(info, _)| info == "yaml") {
            let yaml = lines.join("\n");
            if let Err(trouble) = tdd::text::config::read("tdd.yaml", &yaml) {
                panic!("{}: {} {}\n{yaml}", path.display(), trouble.what, trouble.why);
            }
            count += 1;
        }
    }
    assert!(count >= 4, "{count}");
}

#[test]
fn every_link_leads_to_a_file_and_every_page_is_in_the_summary() {
    let summary = std::fs::read_to_string(Path::new(ROOT).join("docs/src/SUMMARY.md")).unwrap();
    for (path, text) in documents() {
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap();
            if file.is_empty() || file.contains("://") || file.contains(char::is_whitespace) {
                continue;
            }
            let to = path.parent().unwrap().join(file);
            assert!(to.exists(), "{}: {link}", path.display());
        }
        let name = path.file_name().unwrap().to_str().unwrap();
        let is_page = name != "SUMMARY.md" && !BESIDE.contains(&name);
        assert!(!is_page || summary.contains(&format!("({name})")), "{name} is not in the summary");
    }
}

/// A page that mdBook makes has nothing beside the book to lead to.
#[test]
fn ac_tdd_12_13_no_page_of_the_guide_leads_out_of_its_book() {
    let out = |text: &str| -> Vec<String> {
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        links.filter(|link| link.starts_with("../") || link.starts_with('/')).map(str::to_owned).collect()
    };
    let is_page = |path: &Path| path.parent().is_some_and(|folder| folder.ends_with("docs/src"));
    for (path, text) in documents().into_iter().filter(|(path, _)| is_page(path)) {
        assert_eq!(out(&text), Vec::<String>::new(), "{}: name the file, without a link", path.display());
    }
    assert_eq!(out("[a](a.md#b), [c](../../specs/c.md)"), ["../../specs/c.md"]);
}

#[test]
fn ac_tdd_12_6_every_fragment_of_a_link_is_a_heading_there() {
    let mut count = 0;
    let mut dead = Vec::new();
    for (path, text) in documents() {
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let Some((file, anchor)) = link.split_once('#').filter(|(file, _)| !file.contains("://")) else {
                continue;
            };
            count += 1;
            let to = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            let there = std::fs::read_to_string(&to).map(|text| anchors(&text)).unwrap_or_default();
            if !there.contains(anchor) {
                dead.push(format!("{}: {link}; there are {there:?}", path.display()));
            }
        }
    }
    assert!(dead.is_empty(), "{}", dead.join("\n"));
    assert!(count >= 8, "{count}");
}

#[test]
fn anchors_are_those_of_headings_alone() {
    let text = "# What it is, and `tdd`\n\n```sh\n# not this\n```\n\n## Limits\n\n### Limits\n#hash\n";
    let wanted = ["what-it-is-and-tdd", "limits", "limits-1", "hash"].map(str::to_owned);
    assert_eq!(anchors(text), BTreeSet::from(wanted));
}

#[test]
fn the_readme_is_a_page_and_a_half() {
    let readme = std::fs::read_to_string(Path::new(ROOT).join("README.md")).unwrap();
    assert!(readme.lines().count() <= 150, "{}", readme.lines().count());
}

/// `Keep a Changelog`: what is not released first, then the versions, newest first, each with known kinds of changes.
#[test]
fn the_changelog_names_this_version_or_is_unreleased() {
    let text = std::fs::read_to_string(Path::new(ROOT).join("CHANGELOG.md")).unwrap();
    let versions: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("## [")).collect();
    assert_eq!(versions[0], "Unreleased]");
    let this = env!("CARGO_PKG_VERSION");
    let newest = versions.get(1).map_or(this, |line| line.split(']').next().unwrap());
    assert_eq!(newest, this, "the newest release is this version, or none was made");
    let known = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"];
    let mut kinds = text.lines().filter_map(|line| line.strip_prefix("### "));
    assert!(kinds.all(|kind| known.contains(&kind)));
}
