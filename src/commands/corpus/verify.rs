//! `tdd corpus verify`: whether the lines of a corpus hold. What is run and on which trees is taken from this
//! repository's own journals and from flags; a line of the file only says which of them is meant.
//!
//! Exit 0 if every line is proven, 1 if one is not, 2 if it can't be found out.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read as _};
use std::path::Path;
use std::process::ExitCode;

use serde_json::json;

use super::found::{Found, Scene};
use super::replays::Stage;
use super::sessions;
use crate::cli::corpus::VerifyArgs;
use crate::commands::given::{mask_of, surroundings};
use crate::commands::runs::chosen::repository;
use crate::text::corpus::datasheet::Sifted;
use crate::text::corpus::{self, From, LONGEST_LINE, Line, Text};
use crate::text::mask::MASKED;
use crate::view::print;
use tdd_child::regular_file;
use tdd_child::run_folder::{self, RunDir};
use tdd_core::corpus::Proof;
use tdd_core::harmless;
use tdd_core::trouble::Trouble;

/// Lines of a file.
const MOST_LINES: usize = 1_000_000;
/// Letters of a name or a reason.
const WIDTH: usize = 300;

/// Replays a file.
pub(super) fn run(args: &VerifyArgs) -> Result<ExitCode, Trouble> {
    let top = repository()?;
    let asked = read(&args.file)?;
    let environment = surroundings()?.1;
    let mask = mask_of(&environment);
    let mask = |text: &str| mask.apply(text).into_owned();
    let about = super::repository(&top, &mask);
    let scene = Scene { top: &top, about: &about, mask: &mask };
    let stage = Stage::set(args, &top, environment)?;
    let mut teller = Teller { json: args.json, counts: BTreeMap::new() };
    let (runs, sessions) = (run_folder::runs_of(&top)?, sessions::list(&top));
    for ((from, run), lines) in by_run(asked, &mut teller) {
        let known = if from == From::Run { &runs } else { &sessions };
        let Some(dir) = known.iter().find(|dir| dir.id.0 == run) else {
            for line in &lines {
                teller.tell(line, &no("no run or session of this repository has this name"));
            }
            continue;
        };
        one_run(&scene, (dir, from, &lines), &stage, &mut teller)?;
    }
    Ok(teller.end())
}

/// The lines of one run, by the trees that they are about.
fn one_run(
    scene: &Scene<'_>,
    (run, from, lines): (&RunDir, From, &[Line]),
    stage: &Stage,
    teller: &mut Teller,
) -> Result<(), Trouble> {
    let mut sifted = Sifted::default();
    let one = std::slice::from_ref(run);
    let found = match from {
        From::Run => scene.found(one, &mut sifted)?,
        From::Session => scene.found_in_sessions(one, &mut sifted)?,
    };
    let lost = if sifted.unreadable.is_empty() {
        "its run turned no such test from this base to this result"
    } else {
        "the journal of its run can't be read"
    };
    let mut groups: BTreeMap<_, Vec<(&Line, &Found)>> = BTreeMap::new();
    for line in lines {
        let is_meant = |one: &&Found| {
            let own = &one.line;
            let named = (&own.test_id, &own.criterion, &own.base.commit, &own.result.commit);
            named == (&line.test_id, &line.criterion, &line.base.commit, &line.result.commit)
        };
        match found.iter().find(is_meant) {
            None => teller.tell(line, &no(lost)),
            Some(one) if !says_the_same(line, &one.line) => {
                teller.tell(line, &no("its test or its edit is not what the repository holds"));
            }
            Some(one) => {
                let key = (&one.test_files, &one.line.base.commit, &one.line.result.commit);
                groups.entry(key).or_default().push((line, one));
            }
        }
    }
    for group in groups.into_values() {
        let tests: Vec<&Found> = group.iter().map(|(_, found)| *found).collect();
        let proofs = stage.replay(&tests)?;
        for ((line, _), proof) in group.iter().zip(&proofs) {
            teller.tell(line, proof);
        }
    }
    Ok(())
}

fn no(why: &str) -> Proof {
    Proof::NotProven(why.to_owned())
}

/// Whether a line holds what the trees hold. What is masked depends on whose secrets were known.
fn says_the_same(line: &Line, own: &Line) -> bool {
    let same = |one: &Text, other: &Text| {
        let is_masked = one.text.contains(MASKED) || other.text.contains(MASKED);
        one.hash == other.hash && one.bytes == other.bytes && (is_masked || one.text == other.text)
    };
    let tests = match (&line.test, &own.test) {
        (Some(one), Some(other)) => same(one, other),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    };
    tests && line.id == own.id && same(&line.edit, &own.edit)
}

/// A line that is none is told, and counts as not proven.
struct Read {
    lines: Vec<Line>,
    unfit: Vec<(usize, String)>,
}

fn read(file: &Path) -> Result<Read, Trouble> {
    let unreadable = |why: String| {
        Trouble::user(format!("{} can't be read", file.display()))
            .because(why)
            .advise("name a file that `tdd corpus export --out FILE` has written")
    };
    let open = regular_file::open_linked(file).map_err(|error| unreadable(error.to_string()))?;
    let mut from = BufReader::new(open);
    let mut read = Read { lines: Vec::new(), unfit: Vec::new() };
    for number in 1..=MOST_LINES {
        let mut line = Vec::new();
        let longest = LONGEST_LINE as u64;
        let length = from.by_ref().take(longest).read_until(b'\n', &mut line);
        if length.map_err(|error| unreadable(error.to_string()))? == 0 {
            break;
        }
        if line.len() == LONGEST_LINE && line.last() != Some(&b'\n') {
            return Err(unreadable(format!("line {number} is longer than any line of a corpus")));
        }
        match corpus::read(line.trim_ascii_end()) {
            Ok(line) => read.lines.push(line),
            Err(why) => read.unfit.push((number, why)),
        }
    }
    if read.lines.is_empty() && read.unfit.is_empty() {
        return Err(Trouble::user(format!("{} holds nothing to prove", file.display()))
            .because("it is empty, as an export is that found no test turned green")
            .advise("export again once there is one: tdd corpus export --out FILE"));
    }
    Ok(read)
}

/// Each line once, by its run or session.
fn by_run(read: Read, teller: &mut Teller) -> BTreeMap<(From, String), Vec<Line>> {
    for (number, why) in read.unfit {
        teller.unfit(number, &why);
    }
    let mut runs: BTreeMap<(From, String), Vec<Line>> = BTreeMap::new();
    let mut known = BTreeSet::new();
    for line in read.lines {
        let key = (line.run.clone(), line.id.clone(), line.base.commit.clone(), line.result.commit.clone());
        if known.insert(key) {
            runs.entry((line.from, line.run.clone())).or_default().push(line);
        }
    }
    runs
}

/// Tells each line as soon as it is known.
struct Teller {
    json: bool,
    counts: BTreeMap<&'static str, usize>,
}

impl Teller {
    fn tell(&mut self, line: &Line, proof: &Proof) {
        *self.counts.entry(proof.name()).or_default() += 1;
        let (test, run) = (harmless::short(&line.test_id, WIDTH), harmless::short(&line.run, WIDTH));
        let why = harmless::short(proof.why(), WIDTH);
        let said = if self.json {
            let id = harmless::short(&line.id, 64);
            let value = json!({
                "type": "replayed", "v": 1, "id": id, "run": run, "test_id": test, "proof": proof.name(), "why": why,
            });
            value.to_string()
        } else if why.is_empty() {
            format!("{:<11} {test}", proof.name())
        } else {
            format!("{:<11} {test}: {why}", proof.name())
        };
        print::result(&format!("{said}\n"));
    }

    fn unfit(&mut self, number: usize, why: &str) {
        *self.counts.entry("not proven").or_default() += 1;
        let why = harmless::short(why, WIDTH);
        print::result(&if self.json {
            format!(
                "{}\n",
                json!({"type": "replayed", "v": 1, "line": number, "proof": "not proven", "why": format!("it is no line of a corpus: {why}")})
            )
        } else {
            format!("{:<11} line {number} is no line of a corpus: {why}\n", "not proven")
        });
    }

    fn end(&self) -> ExitCode {
        let count = |name: &str| self.counts.get(name).copied().unwrap_or_default();
        let (proven, not, unstable) = (count("proven"), count("not proven"), count("unstable"));
        let all_hold = not + unstable == 0;
        let code = u8::from(!all_hold);
        if self.json {
            let sum = json!({
                "type": "verified", "v": 1, "proven": proven, "not_proven": not, "unstable": unstable, "exit": code,
            });
            print::result(&format!("{sum}\n"));
        } else {
            print::result(&format!("proven: {proven}, not proven: {not}, unstable: {unstable}\n"));
        }
        ExitCode::from(code)
    }
}
