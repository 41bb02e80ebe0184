//! The production part of a change, and stubs in it.

use std::collections::{BTreeMap, BTreeSet};

use tdd_core::path::RelPath;
use tdd_core::proof::Stub;
use tdd_source::{Language, Left, Lines, StubbedBody, Unread};

use crate::changed_lines;

/// Lines that are named one by one.
const MOST_LEFT: usize = 20;

/// A file of the production part, as it was and as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    pub path: RelPath,
    pub before: Option<Vec<u8>>,
    pub after: Option<Vec<u8>>,
}

/// What can be stubbed in a change: bodies, and files of data as a whole.
#[derive(Clone, Debug, Default)]
pub struct Stubs {
    sources: Vec<Source>,
    data: Vec<Changed>,
    bodies: Vec<(usize, StubbedBody)>,
    /// Of these a body was there before, by its name in the file.
    older: BTreeSet<usize>,
    left: Vec<String>,
    /// Of bodies that are stubbed, what no stub makes something else: another head, another place.
    shape: Vec<String>,
    /// What makes the words of this change's stubs unlike all others; empty if they need not be told apart.
    salt: String,
}

#[derive(Clone, Debug)]
struct Source {
    path: RelPath,
    language: Language,
    text: String,
}

impl Stubs {
    pub fn of(changes: &[Changed]) -> Self {
        let mut stubs = Self::default();
        let gone = gone(changes);
        for change in changes {
            stubs.take(change, &gone);
        }
        stubs
    }

    /// Stubs that say which one of them is not implemented: `salt` is random, of letters and digits, so that nobody who
    /// wrote the code or its tests knows it.
    #[must_use]
    pub fn told_apart(self, salt: String) -> Self {
        Self { salt, ..self }
    }

    /// The parts whose stub says in this text that it is not implemented.
    pub fn named_in(&self, text: &str) -> BTreeSet<usize> {
        let is_in = |part: &usize| !self.salt.is_empty() && text.contains(&self.mark(*part));
        (0..self.bodies.len()).filter(is_in).collect()
    }

    fn mark(&self, part: usize) -> String {
        format!("{}n{part}n", self.salt)
    }

    /// Of these stubs the parts that are the bodies of `own`, a change that came into this one: under their names in
    /// their files, or as they are where they were moved. `None` if that can't be said of each, and where `own` is more
    /// than bodies that a stub can stand in.
    pub fn parts_of(&self, own: &Self) -> Option<BTreeSet<usize>> {
        if !own.data.is_empty() || !own.left.is_empty() || !own.shape.is_empty() {
            return None;
        }
        let mut parts = BTreeSet::new();
        for (of, body) in &own.bodies {
            let path = &own.sources[*of].path;
            let all = || self.bodies.iter().enumerate();
            let at_home =
                all().filter(|(_, (at, one))| self.sources[*at].path == *path && one.name == body.name);
            let mut found: Vec<usize> = at_home.map(|(part, _)| part).collect();
            if found.is_empty() {
                found = all().filter(|(_, (_, one))| one.code == body.code).map(|(part, _)| part).collect();
            }
            if found.is_empty() {
                return None;
            }
            parts.extend(found);
        }
        (!parts.is_empty()).then_some(parts)
    }

    /// `gone`: what no longer stands where it stood before the change.
    fn take(&mut self, change: &Changed, gone: &BTreeSet<String>) {
        let language = Language::of(change.path.extension());
        let (Some(language), Some(after)) = (language, &change.after) else {
            match (language, &change.after) {
                (Some(_), None) => self.leave(&change.path, None, "it was removed"),
                (None, _) | (Some(_), Some(_)) => self.data.push(change.clone()),
            }
            return;
        };
        let text = String::from_utf8_lossy(after).into_owned();
        let before = change.before.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
        let changed = changed_lines(&before, &text);
        let around = changed.removed_before.iter().map(|line| line.saturating_sub(1)..line + 1);
        let lines: Vec<Lines> = changed.now.iter().cloned().chain(around).collect();
        match pieces(language, &text, &lines) {
            Ok((mut all, lines_left)) => {
                // What is there for type checkers alone declares, and is never run.
                all.retain(|body| !body.is_idle || change.path.extension() != "pyi");
                let at = self.sources.len();
                let overlaps = |one: &Lines, other: &Lines| one.start < other.end && other.start < one.end;
                let holds = |body: &Lines, line: usize| body.start < line && line < body.end;
                let is_changed = |body: &StubbedBody| {
                    changed.now.iter().any(|lines| overlaps(lines, &body.lines))
                        || changed.removed_before.iter().any(|line| holds(&body.lines, *line))
                };
                let is_within = |line: &usize| all.iter().any(|body| holds(&body.lines, *line));
                for line in changed.removed_before.iter().filter(|line| !is_within(line)) {
                    self.leave(&change.path, Some(&(*line..*line)), "lines were removed");
                }
                let heads = heads(language, &before);
                for body in all.iter().filter(|body| is_changed(body)) {
                    let old = heads.get(&body.name);
                    if old.is_some_and(|old| !old.contains(&body.head)) {
                        self.shape.push(placed(
                            &change.path,
                            &body.lines,
                            &format!("{} has another head", body.name),
                        ));
                    } else if gone.contains(&body.code) {
                        self.shape.push(placed(
                            &change.path,
                            &body.lines,
                            &format!("{} was moved here", body.name),
                        ));
                    }
                    if has_word(&before, own_name(body)) {
                        self.older.insert(self.bodies.len());
                    }
                    self.bodies.push((at, body.clone()));
                }
                let is_new = |left: &&Left| changed.now.iter().any(|lines| overlaps(lines, &left.lines));
                for left in lines_left.iter().filter(is_new) {
                    self.leave(&change.path, Some(&left.lines), &left.what);
                }
                self.sources.push(Source { path: change.path.clone(), language, text });
            }
            Err(unread) => self.leave(&change.path, None, &unread.to_string()),
        }
    }

    /// The bodies that do nothing, as they are.
    pub fn idle(&self) -> BTreeSet<usize> {
        let all = self.bodies.iter().enumerate();
        all.filter(|(_, (_, body))| body.is_idle).map(|(part, _)| part).collect()
    }

    /// Whether the change is one of code that was there before.
    pub fn changes_older(&self) -> bool {
        !self.older.is_empty()
    }

    /// What is new in the change, by its names.
    pub fn new_names(&self) -> impl Iterator<Item = &str> {
        let all = self.bodies.iter().enumerate().filter(|(part, _)| !self.older.contains(part));
        all.map(|(_, (_, body))| own_name(body)).filter(|name| !name.is_empty())
    }

    fn leave(&mut self, path: &RelPath, lines: Option<&Lines>, what: &str) {
        let at = lines.map(|lines| format!(":{}", lines.start + 1)).unwrap_or_default();
        self.left.push(format!("{path}{at}: {what}"));
    }

    /// How many parts there are, to be chosen from by their numbers.
    pub fn count(&self) -> usize {
        self.bodies.len() + self.data.len()
    }

    /// The parts of which this kind of stub makes something else.
    pub fn fitting(&self, kind: Stub) -> BTreeSet<usize> {
        let mut fitting = BTreeSet::new();
        for (at, source) in self.sources.iter().enumerate() {
            let own = self.bodies.iter().enumerate().filter(|(_, (of, _))| *of == at);
            let own: Vec<(usize, &StubbedBody)> = own.map(|(part, (_, body))| (part, body)).collect();
            let lines: Vec<Lines> = own.iter().map(|(_, body)| body.lines.clone()).collect();
            let Ok(found) = tdd_source::stubbed(source.language, &source.text, &lines, kind) else {
                continue;
            };
            fitting.extend(own.iter().filter(|(_, body)| found.bodies.contains(body)).map(|(part, _)| *part));
        }
        if kind != Stub::NotImplemented {
            fitting.extend(self.bodies.len()..self.count());
        }
        fitting
    }

    /// Whether values of more than one kind can stand in the place of each body, so that tests that pass with all of
    /// them look at none: what gives the zero value alone may be what a test expects.
    pub fn give_values(&self) -> bool {
        let bodies = self.fitting(Stub::NotImplemented);
        let kinds: Vec<BTreeSet<usize>> = Stub::values().map(|kind| self.fitting(kind)).collect();
        (0..self.count()).all(|part| {
            let many = if bodies.contains(&part) && part < self.bodies.len() { 2 } else { 1 };
            kinds.iter().filter(|fitting| fitting.contains(&part)).count() >= many
        })
    }

    /// What of the change could not be stubbed, a line each.
    pub fn left(&self) -> impl Iterator<Item = &str> {
        self.left.iter().map(String::as_str).take(MOST_LEFT)
    }

    /// What tests may look at of bodies that can be stubbed: that one takes something else than before, or came here from
    /// another place as it is. A line each.
    pub fn shape(&self) -> impl Iterator<Item = &str> {
        self.shape.iter().map(String::as_str)
    }

    /// What a part is called, for a person.
    pub fn name(&self, part: usize) -> String {
        match self.bodies.get(part) {
            Some((source, body)) => format!("{} in {}", body.name, self.sources[*source].path),
            None => {
                self.data.get(part - self.bodies.len()).map(|data| data.path.to_string()).unwrap_or_default()
            }
        }
    }

    /// The files of the change with stubs in these parts: what each is to hold, or that it is to go. The others
    /// are as the change has them. Data is as it was before the change, but for "not implemented", which says
    /// nothing of it.
    pub fn with(&self, kind: Stub, parts: &[usize]) -> Vec<(RelPath, Option<Vec<u8>>)> {
        let mut files = Vec::new();
        for (at, source) in self.sources.iter().enumerate() {
            let all = parts.iter().filter_map(|part| Some((*part, self.bodies.get(*part)?)));
            let own: Vec<(usize, &Lines)> =
                all.filter(|(_, (of, _))| *of == at).map(|(part, (_, body))| (part, &body.lines)).collect();
            let lines: Vec<Lines> = own.iter().map(|(_, lines)| (*lines).clone()).collect();
            let says = |lines: &Lines| {
                let part = own.iter().find(|(_, one)| *one == lines).filter(|_| !self.salt.is_empty());
                let mark = part.map(|(part, _)| format!(" {}", self.mark(*part))).unwrap_or_default();
                format!("not implemented{mark}")
            };
            let stubbed = tdd_source::stubbed_saying(source.language, &source.text, &lines, (kind, &says));
            let text = match stubbed {
                Ok(stubbed) if !lines.is_empty() => stubbed.text,
                Ok(_) | Err(_) => source.text.clone(),
            };
            files.push((source.path.clone(), Some(text.into_bytes())));
        }
        for (at, data) in self.data.iter().enumerate() {
            let is_stubbed = kind != Stub::NotImplemented && parts.contains(&(self.bodies.len() + at));
            let now = if is_stubbed { data.before.clone() } else { data.after.clone() };
            files.push((data.path.clone(), now));
        }
        files
    }
}

fn placed(path: &RelPath, lines: &Lines, what: &str) -> String {
    format!("{path}:{}: {what}", lines.start + 1)
}

/// What stands before the body of each function of a source, by its name: what it takes, gives and is decorated with,
/// of which no stub makes something else.
fn heads(language: Language, text: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut heads: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for body in all_pieces(language, text) {
        heads.entry(body.name).or_default().insert(body.head);
    }
    heads
}

/// Functions and constants, whole, that stood in files of the change and stand in these no more. Where one of them comes
/// to lie elsewhere as it is, nobody wrote it, and tests may ask where it lies.
fn gone(changes: &[Changed]) -> BTreeSet<String> {
    let mut gone = BTreeSet::new();
    for change in changes {
        let Some(language) = Language::of(change.path.extension()) else { continue };
        let codes = |text: &Option<Vec<u8>>| -> BTreeSet<String> {
            let text = text.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
            all_pieces(language, &text).into_iter().map(|body| body.code).collect()
        };
        let after = codes(&change.after);
        gone.extend(codes(&change.before).difference(&after).cloned());
    }
    gone
}

fn all_pieces(language: Language, text: &str) -> Vec<StubbedBody> {
    let all = 0..text.lines().count();
    pieces(language, text, std::slice::from_ref(&all)).map(|(all, _)| all).unwrap_or_default()
}

/// What any kind of stub can stand in, and what none can.
fn pieces(language: Language, text: &str, lines: &[Lines]) -> Result<(Vec<StubbedBody>, Vec<Left>), Unread> {
    let mut all: Vec<StubbedBody> = Vec::new();
    let mut left = Vec::new();
    for kind in [Stub::NotImplemented, Stub::Nothing] {
        let found = tdd_source::stubbed(language, text, lines, kind)?;
        let new: Vec<StubbedBody> = found.bodies.into_iter().filter(|body| !all.contains(body)).collect();
        all.extend(new);
        left = found.left;
    }
    all.sort_by_key(|body| body.lines.start);
    Ok((all, left))
}

/// A method's is what stands behind its class's.
fn own_name(body: &StubbedBody) -> &str {
    body.name.rsplit(['.', ':', '#']).next().unwrap_or_default()
}

/// Whether a text has this name as a word of its own.
pub fn has_word(text: &str, name: &str) -> bool {
    let is_part = |char: char| char.is_alphanumeric() || matches!(char, '_' | '$');
    !name.is_empty() && text.split(|char| !is_part(char)).any(|word| word == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(path: &str, before: Option<&str>, after: Option<&str>) -> Changed {
        let bytes = |text: Option<&str>| text.map(|text| text.as_bytes().to_vec());
        Changed { path: RelPath::new(path).unwrap(), before: bytes(before), after: bytes(after) }
    }

    #[test]
    fn a_body_is_changed_by_what_is_gone_from_it_and_not_from_beside_it() {
        let before = "def a():\n    x = 1\n    y = 2\n    return 3\n\n\ndef old():\n    return 1\n\n\ndef b():\n    return 2\n";
        let inside = before.replace("    y = 2\n", "");
        let stubs = Stubs::of(&[changed("shop.py", Some(before), Some(&inside))]);
        assert_eq!((stubs.count(), stubs.left().count()), (1, 0));
        let beside = before.replace("def old():\n    return 1\n\n\n", "");
        let stubs = Stubs::of(&[changed("shop.py", Some(before), Some(&beside))]);
        assert_eq!((stubs.count(), stubs.left().count()), (0, 1), "{:?}", stubs.left);
    }

    #[test]
    fn values_tell_something_where_each_body_can_give_more_than_its_nothing() {
        let give = |path: &str, before: &str, after: &str| {
            Stubs::of(&[changed(path, Some(before), Some(after))]).give_values()
        };
        assert!(give("shop.js", "", "export const two = (a) => 2;\n"));
        assert!(give("shop.py", "", "RATE = 3\n\n\ndef two():\n    return 2\n"));
        let go = |of: &str| {
            give(
                "shop.go",
                "package shop\n",
                &format!("package shop\n\nfunc Two() {of} {{ return two() }}\n"),
            )
        };
        assert!(go("int") && go("error") && go("") && !go("Money"));
        let rust = |of: &str| give("lib.rs", "", &format!("pub fn two() -> {of} {{\n    make()\n}}\n"));
        assert!(rust("u8") && !rust("Money") && !rust("Result<(), Error>"));
    }

    #[test]
    fn ac_tdd_8_147_stubs_are_told_apart_and_those_of_an_earlier_change_found_again() {
        let (one, two) = ("def one():\n    return 1\n", "\n\ndef two():\n    return one() + 1\n");
        let both = format!("{one}{two}");
        let all = Stubs::of(&[changed("shop.py", None, Some(&both))]).told_apart("q7".to_owned());
        let put = all.with(Stub::NotImplemented, &[1]);
        let text = String::from_utf8(put[0].1.clone().unwrap()).unwrap();
        assert!(
            text.contains("def two():\n    raise NotImplementedError(\"not implemented q7n1n\"); return"),
            "{text}"
        );
        assert!(text.starts_with(one), "{text}");
        assert_eq!(all.named_in("NotImplementedError: not implemented q7n1n"), BTreeSet::from([1]));
        assert_eq!(all.named_in("not implemented q7n11n, not implemented"), BTreeSet::new());

        let parts = |path: &str, before: Option<&str>, after: &str| {
            all.parts_of(&Stubs::of(&[changed(path, before, Some(after))]))
        };
        assert_eq!(parts("shop.py", Some(one), &both), Some(BTreeSet::from([1])));
        let first = both.replace("one() + 1", "2");
        assert_eq!(
            parts("shop.py", Some(one), &first),
            Some(BTreeSet::from([1])),
            "written anew by a later one"
        );
        assert_eq!(parts("old.py", Some(one), &both), Some(BTreeSet::from([1])), "moved as it is");
        assert_eq!(parts("old.py", Some(one), &first), None, "moved and written anew");
        assert_eq!(parts("shop.py", Some(one), &format!("{both}\nRATES = load()\nwrite(RATES)\n")), None);
        assert_eq!(parts("shop.py", Some(&both), &both), None, "nothing of it is new");
    }

    #[test]
    fn ac_tdd_8_88_bodies_that_do_nothing_are_parts_but_those_of_a_file_for_type_checkers() {
        let source = "def a():\n    pass\n\n\ndef b():\n    return 2\n";
        let of = |path: &str| Stubs::of(&[changed(path, None, Some(source))]);
        let (stubs, declared) = (of("shop.py"), of("shop.pyi"));
        assert_eq!((stubs.count(), stubs.idle()), (2, BTreeSet::from([0])));
        assert_eq!((declared.count(), declared.idle(), declared.left().count()), (1, BTreeSet::new(), 0));
        assert!(stubs.give_values());
    }

    #[test]
    fn ac_tdd_8_91_what_was_there_before_is_told_from_what_is_new() {
        let before = "def a():\n    return 1\n";
        let of = |after: &str| Stubs::of(&[changed("shop.py", Some(before), Some(after))]);
        let both = of("def a():\n    return ab()\n\n\ndef ab():\n    return 2\n");
        assert!(both.changes_older());
        assert_eq!(both.new_names().collect::<Vec<_>>(), ["ab"]);
        let new = of("def a():\n    return 1\n\n\ndef ab():\n    return 2\n");
        assert!(!new.changes_older());
    }

    /// Shown by a run: `total` of another module, an option that is gone.
    #[test]
    fn ac_tdd_8_135_what_is_moved_and_what_has_another_head_is_left() {
        let before = "def total(prices, rebate=0):\n    return sum(prices) - rebate\n\n\nRATE = 3\n";
        let left =
            |changes: &[Changed]| -> Vec<String> { Stubs::of(changes).shape().map(str::to_owned).collect() };
        let less = before.replace(", rebate=0", "").replace(" - rebate", "");
        assert_eq!(
            left(&[changed("till.py", Some(before), Some(&less))]),
            ["till.py:1: total has another head"]
        );
        let other = before.replace(" - rebate", " - 2 * rebate").replace("= 3", "= 4");
        assert_eq!(left(&[changed("till.py", Some(before), Some(&other))]), Vec::<String>::new());
        let moved = [
            changed("till.py", Some(before), Some("from prices import total\n\nRATE = 3\n")),
            changed(
                "prices.py",
                None,
                Some("def total(prices, rebate=0):\n    return sum(prices) - rebate\n"),
            ),
        ];
        assert_eq!(left(&moved), ["prices.py:1: total was moved here"]);
        let copied = [changed("prices.py", None, Some(before))];
        assert_eq!(left(&copied), Vec::<String>::new());
        let two = before.replace("def total", "def two(a):\n    return a\n\n\ndef total");
        assert_eq!(left(&[changed("till.py", Some(before), Some(&two))]), Vec::<String>::new());
    }

    #[test]
    fn parts_are_stubbed_some_or_all() {
        let before = "def a():\n    return 1\n";
        let after = "def a():\n    return 1\n\n\ndef b():\n    return 2\n\n\ndef c():\n    return 3\n";
        let stubs = Stubs::of(&[
            changed("shop.py", Some(before), Some(after)),
            changed("rates.json", None, Some("{}")),
            changed("old.py", Some("x = 1\n"), None),
        ]);
        assert_eq!(
            (stubs.count(), stubs.name(0).as_str(), stubs.name(2).as_str()),
            (3, "b in shop.py", "rates.json")
        );
        assert_eq!(stubs.left().collect::<Vec<_>>(), ["old.py: it was removed"]);

        let text = |kind, parts: &[usize]| -> Vec<Option<String>> {
            let files = stubs.with(kind, parts).into_iter();
            files.map(|(_, text)| text.map(|bytes| String::from_utf8(bytes).unwrap())).collect()
        };
        assert_eq!(
            text(Stub::Zero, &[1]),
            [Some(after.replace("return 3", "return 0; return 3")), Some("{}".into())]
        );
        let both =
            after.replace("return 2", "return None; return 2").replace("return 3", "return None; return 3");
        assert_eq!(text(Stub::Nothing, &[0, 1, 2]), [Some(both), None]);
        assert_eq!(text(Stub::NotImplemented, &[2]), [Some(after.into()), Some("{}".into())]);
        assert_eq!(text(Stub::Zero, &[]), [Some(after.into()), Some("{}".into())]);
    }
}
