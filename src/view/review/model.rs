//! What a review shows, and what its keys do. Pure: neither a terminal nor a run is touched.

use super::fitting::{folded, shortened, squeezed, wrapped};
use crate::text::halt_report::{Advice, NextStep};

/// The part of the height that the actions may take.
const SHARE_OF_STEPS: usize = 3;
/// Lines that the cause may take.
const MOST_OF_CAUSE: usize = 4;
/// Lines that the reason of the recommended action may take.
const MOST_OF_ADVICE: usize = 2;
/// Lines that the criterion may take; all of it is behind a key.
const MOST_OF_WANTED: usize = 4;
/// From how many rows on there is room for all of that, and for two lines of it.
const ROOMY: usize = 28;
const TIGHT: usize = 20;
/// Lines of a sheet for which the criterion gives way, down to its first line.
const LEAST_OF_SHEET: usize = 4;
/// The part of what is seen of a sheet that stands above the line where one begins to read.
const SHARE_BEFORE: usize = 3;
/// Characters of a reason.
const MOST_OF_REASON: usize = 500;

/// What stands on top of every sheet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Which run, and where it halted.
    pub title: String,
    /// Who halted in which attempt, and where its work is.
    pub who: String,
    /// Of one that a deadline has stopped what it was at.
    pub pace: Option<String>,
    /// What was asked for: the criterion.
    pub wanted: Option<String>,
    pub cause: String,
    /// What to look at first, in words.
    pub place: Option<String>,
    pub advice: Advice,
}

/// One thing to look at, behind its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sheet {
    pub key: char,
    pub title: &'static str,
    /// `None` until it is looked at for the first time.
    pub lines: Option<Vec<String>>,
    /// The line where one begins to read.
    pub begins: usize,
}

/// A key as a person means it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Char(char),
    Enter,
    Escape,
    Backspace,
    Up,
    Down,
    PageUp,
    PageDown,
    Home,
    End,
    Left,
    Right,
}

/// What a key asks of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    Leave,
    Edit,
    /// A shell in the work tree.
    Shell,
    /// An action, and the reason that the person gives for it.
    Do(NextStep, Option<String>),
}

/// What the person is asked at the moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Nothing,
    /// All keys are explained.
    Help,
    /// Whether this action is really meant.
    Sure(usize),
    /// For what reason.
    Reason(usize, String),
}

/// Everything that is on the screen.
#[derive(Clone, Debug)]
pub struct Model {
    pub(super) head: Head,
    pub(super) sheets: Vec<Sheet>,
    pub(super) at: usize,
    pub(super) steps: Vec<NextStep>,
    pub(super) asked: Asked,
    /// What came of the last key, if it is worth a word.
    pub(super) note: Option<String>,
    pub(super) layout: Layout,
    scroll: usize,
    /// Whether nobody has scrolled this sheet yet: then it is seen from where one begins to read.
    is_fresh: bool,
}

/// What fits where, in a terminal of this size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) cols: usize,
    pub(super) rows: usize,
    pub(super) cause: Vec<String>,
    pub(super) who: Vec<String>,
    pub(super) wanted: Vec<String>,
    pub(super) advice: Vec<String>,
    /// The sheets' names by lines, each with its number.
    pub(super) tabs: Vec<Vec<usize>>,
    /// The lines of the sheet at hand, wrapped.
    pub(super) lines: Vec<String>,
    /// How many of them are seen at once.
    pub(super) page: usize,
    /// How many actions are seen.
    pub(super) steps: usize,
}

impl Model {
    /// The first sheet is looked at first.
    pub fn new(head: Head, sheets: Vec<Sheet>, steps: Vec<NextStep>) -> Self {
        Self {
            head,
            sheets,
            at: 0,
            steps,
            asked: Asked::Nothing,
            note: None,
            layout: Layout::default(),
            scroll: 0,
            is_fresh: true,
        }
    }

    /// The key of the sheet whose lines are wanted and not there yet.
    pub fn wanted(&self) -> Option<char> {
        self.sheets.get(self.at).filter(|sheet| sheet.lines.is_none()).map(|sheet| sheet.key)
    }

    /// Gives the sheet at hand its lines, and says which of them to read first.
    pub fn fill(&mut self, lines: Vec<String>, begins: usize) {
        if let Some(sheet) = self.sheets.get_mut(self.at) {
            (sheet.lines, sheet.begins) = (Some(lines), begins);
        }
        self.is_fresh = true;
        self.layout = Layout::default();
    }

    /// Fits all into so many columns and rows.
    pub fn fit(&mut self, cols: usize, rows: usize) {
        if (self.layout.cols, self.layout.rows) == (cols, rows) {
            return;
        }
        let mut cause = folded(&self.head.cause, cols);
        cause.truncate(MOST_OF_CAUSE);
        let mut advice = folded(&self.head.advice.words, cols);
        advice.truncate(MOST_OF_ADVICE);
        let mut who = folded(&self.head.who, cols);
        who.truncate(MOST_OF_ADVICE);
        who.extend(self.head.pace.iter().flat_map(|told| folded(told, cols)).take(MOST_OF_ADVICE));
        let most = match rows {
            ROOMY.. => MOST_OF_WANTED,
            TIGHT.. => 2,
            _ => 0,
        };
        let tabs = self.tabs(cols);
        let steps = self.steps.len().min((rows / SHARE_OF_STEPS).max(1));
        let place = usize::from(self.head.place.is_some());
        // The title, two rules, and the keys.
        let taken = 4 + cause.len() + who.len() + place + tabs.len() + advice.len() + steps;
        let most = most.min(rows.saturating_sub(taken + LEAST_OF_SHEET).max(1));
        let wanted = self.head.wanted.as_ref().filter(|_| most > 0);
        let wanted = wanted.map(|wanted| shortened(folded(wanted, cols), most)).unwrap_or_default();
        let sheet = self.sheets.get(self.at);
        let is_source = sheet.is_some_and(|sheet| matches!(sheet.key, 'd' | 'a' | 't'));
        let shown = |line: &String| if is_source { line.clone() } else { squeezed(line, cols) };
        let page = rows.saturating_sub(taken + wanted.len());
        let begins = sheet.map_or(0, |sheet| sheet.begins);
        let (mut rows_of_lines, mut first) = (Vec::new(), 0);
        for (at, line) in sheet.and_then(|sheet| sheet.lines.as_ref()).into_iter().flatten().enumerate() {
            first = if at <= begins { rows_of_lines.len() } else { first };
            rows_of_lines.extend(wrapped(&shown(line), cols));
        }
        if self.is_fresh {
            // What led there stands above it.
            self.scroll = first.saturating_sub(page / SHARE_BEFORE);
        }
        let lines = rows_of_lines;
        self.layout = Layout { cols, rows, cause, who, wanted, advice, tabs, lines, page, steps };
        self.scroll = self.scroll.min(self.last_scroll());
    }

    fn tabs(&self, cols: usize) -> Vec<Vec<usize>> {
        let mut rows = vec![Vec::new()];
        let mut used = 0;
        for (index, sheet) in self.sheets.iter().enumerate() {
            let width = sheet.title.len() + 4;
            if used > 0 && used + width > cols {
                rows.push(Vec::new());
                used = 0;
            }
            used += width;
            if let Some(row) = rows.last_mut() {
                row.push(index);
            }
        }
        rows
    }

    /// The lines that are seen, and how many come before and after them.
    pub(super) fn seen(&self) -> (usize, &[String], usize) {
        let all = &self.layout.lines;
        let from = self.scroll.min(all.len());
        let to = (from + self.layout.page).min(all.len());
        (from, &all[from..to], all.len() - to)
    }

    fn last_scroll(&self) -> usize {
        self.layout.lines.len().saturating_sub(self.layout.page)
    }

    /// What this key does; a wish if it is for the program to do.
    pub fn press(&mut self, key: Key) -> Option<Wish> {
        self.note = None;
        match std::mem::replace(&mut self.asked, Asked::Nothing) {
            Asked::Help => None,
            Asked::Sure(at) => self.sure(at, key),
            Asked::Reason(at, text) => self.reason(at, text, key),
            Asked::Nothing => self.plain(key),
        }
    }

    fn plain(&mut self, key: Key) -> Option<Wish> {
        match key {
            Key::Char('q') | Key::Escape => return Some(Wish::Leave),
            Key::Char('e') => return Some(Wish::Edit),
            Key::Char('!') => return Some(Wish::Shell),
            Key::Char('?') => self.asked = Asked::Help,
            Key::Enter => match self.head.advice.step {
                Some(at) => return self.choose(at),
                None => self.note = Some("nothing is recommended here: choose a number".to_owned()),
            },
            Key::Char(digit @ '1'..='9') => {
                return self.choose(usize::from(digit as u8 - b'1'));
            }
            Key::Char(' ') | Key::PageDown => self.scroll_by(self.layout.page.max(1).cast_signed()),
            Key::Char('b') | Key::PageUp => self.scroll_by(-self.layout.page.max(1).cast_signed()),
            Key::Down => self.scroll_by(1),
            Key::Up => self.scroll_by(-1),
            Key::Home => self.scroll_by(isize::MIN),
            Key::End => self.scroll_by(isize::MAX),
            Key::Char('\t') | Key::Right => self.turn_to((self.at + 1) % self.sheets.len().max(1)),
            Key::Left => {
                self.turn_to((self.at + self.sheets.len().saturating_sub(1)) % self.sheets.len().max(1));
            }
            Key::Char(other) => match self.sheets.iter().position(|sheet| sheet.key == other) {
                Some(at) => self.turn_to(at),
                None => self.note = Some("no such key; ? shows them all".to_owned()),
            },
            Key::Backspace => {}
        }
        None
    }

    /// The sheet of this key is the one to look at first.
    pub fn open(&mut self, key: char) {
        if let Some(at) = self.sheets.iter().position(|sheet| sheet.key == key) {
            self.turn_to(at);
        }
    }

    fn scroll_by(&mut self, lines: isize) {
        self.scroll = self.scroll.saturating_add_signed(lines).min(self.last_scroll());
        self.is_fresh = false;
    }

    fn turn_to(&mut self, at: usize) {
        self.at = at;
        self.is_fresh = true;
        self.layout = Layout::default();
    }

    fn choose(&mut self, at: usize) -> Option<Wish> {
        let Some(step) = self.steps.get(at) else {
            self.note = Some(format!("there is no action {}", at + 1));
            return None;
        };
        if step.wants_reason() {
            self.asked = Asked::Reason(at, String::new());
        } else if step.is_final() {
            self.asked = Asked::Sure(at);
        } else {
            return Some(Wish::Do(step.clone(), None));
        }
        None
    }

    fn sure(&mut self, at: usize, key: Key) -> Option<Wish> {
        if matches!(key, Key::Char('y' | 'Y')) {
            return self.steps.get(at).map(|step| Wish::Do(step.clone(), None));
        }
        self.note = Some("nothing was done".to_owned());
        None
    }

    fn reason(&mut self, at: usize, mut text: String, key: Key) -> Option<Wish> {
        match key {
            Key::Enter if !text.trim().is_empty() => {
                let reason = Some(text.trim().to_owned());
                return self.steps.get(at).map(|step| Wish::Do(step.clone(), reason));
            }
            Key::Escape => {
                self.note = Some("nothing was done".to_owned());
                return None;
            }
            Key::Backspace => drop(text.pop()),
            Key::Char(one) if !one.is_control() && text.chars().count() < MOST_OF_REASON => text.push(one),
            Key::Enter
            | Key::Char(_)
            | Key::Up
            | Key::Down
            | Key::PageUp
            | Key::PageDown
            | Key::Home
            | Key::End
            | Key::Left
            | Key::Right => {}
        }
        self.asked = Asked::Reason(at, text);
        None
    }
}
