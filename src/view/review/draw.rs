//! The model as cells of a screen.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph};

use super::fitting::{cut, hung};
use super::model::{Asked, Model};
use crate::view::Ink;

impl Ink {
    fn of(self, colour: Color) -> Style {
        match self {
            Self::Colours => Style::new().fg(colour),
            Self::None => Style::new(),
        }
    }
}

const KEYS: &str = "e edit  ! shell  tab next view  ↑↓ scroll  ? keys  q leave";
const FEWER_KEYS: &str = "e edit  ! shell  ? keys  q leave";

/// Draws all of it. The model must fit the frame.
pub fn draw(frame: &mut Frame<'_>, model: &Model, ink: Ink) {
    let area = frame.area();
    let mut page = Page { area, y: 0, frame };
    let bold = Style::new().add_modifier(Modifier::BOLD);
    page.prose(&model.head.title, bold);
    for row in model.layout.who.iter().chain(&model.layout.wanted) {
        page.line(Line::styled(row.clone(), dim()));
    }
    for row in &model.layout.cause {
        page.line(Line::styled(row.clone(), ink.of(Color::Red)));
    }
    if let Some(place) = &model.head.place {
        page.prose(place, Style::new());
    }
    for row in &model.layout.tabs {
        page.line(Line::from(row.iter().flat_map(|at| tab(model, *at, ink)).collect::<Vec<_>>()));
    }
    let (before, lines, after) = model.seen();
    page.rule(&count(before, "above"));
    let colour_of = |line: &str| if model.is_diff() { of_diff(line, ink) } else { Style::new() };
    for row in lines {
        page.line(Line::styled(row.clone(), colour_of(row)));
    }
    page.y += u16::try_from(model.layout.page - lines.len()).unwrap_or(0);
    page.rule(&count(after, "below"));
    for row in &model.layout.advice {
        page.line(Line::styled(row.clone(), dim()));
    }
    for (index, step) in model.steps.iter().take(model.layout.steps).enumerate() {
        let is_first = model.head.advice.step == Some(index);
        let sign = if is_first { '*' } else { ' ' };
        let style = if is_first { bold } else { Style::new() };
        let line = |what: &str| format!("{sign}{:>2}  {what}", index + 1);
        let fits = |what: &str| cut(&line(what), usize::from(area.width)) == line(what);
        // A remark gives way as a whole.
        let what = if fits(&step.what) { step.what.as_str() } else { brief(&step.what) };
        page.prose(&line(what), style);
    }
    page.y = area.height.saturating_sub(1);
    let numbers = numbers(model.steps.len());
    let has_room = numbers.len() + KEYS.chars().count() <= usize::from(area.width);
    let keys = format!("{numbers}{}", if has_room { KEYS } else { FEWER_KEYS });
    let last = model.note.clone().unwrap_or(keys);
    page.line(Line::styled(last, Style::new().add_modifier(Modifier::REVERSED)));
    ask(frame, model);
}

/// What is done, without the remark behind it.
fn brief(what: &str) -> &str {
    what.split(" (").next().unwrap_or(what)
}

/// The keys of so many actions.
fn numbers(steps: usize) -> String {
    match steps.min(9) {
        0 => String::new(),
        1 => "1 do  ".to_owned(),
        last => format!("1-{last} do  "),
    }
}

fn count(lines: usize, place: &str) -> String {
    match lines {
        0 => String::new(),
        1 => format!(" 1 line {place} "),
        _ => format!(" {lines} lines {place} "),
    }
}

fn dim() -> Style {
    Style::new().add_modifier(Modifier::DIM)
}

fn tab(model: &Model, at: usize, ink: Ink) -> Vec<Span<'static>> {
    let Some(sheet) = model.sheets.get(at) else { return Vec::new() };
    let (open, close) = if at == model.at { ('[', ']') } else { (' ', ' ') };
    let style = if at == model.at { Style::new().add_modifier(Modifier::BOLD) } else { Style::new() };
    vec![
        Span::styled(open.to_string(), style),
        Span::styled(sheet.key.to_string(), style.patch(ink.of(Color::Cyan))),
        Span::styled(format!(" {}{close}", sheet.title), style),
    ]
}

fn of_diff(line: &str, ink: Ink) -> Style {
    match line.chars().next() {
        Some('+') => ink.of(Color::Green),
        Some('-') => ink.of(Color::Red),
        Some('@') => ink.of(Color::Cyan),
        Some(_) | None => Style::new(),
    }
}

struct Page<'p, 'f> {
    area: Rect,
    y: u16,
    frame: &'p mut Frame<'f>,
}

impl Page<'_, '_> {
    /// Prose that may be cut.
    fn prose(&mut self, text: &str, style: Style) {
        let text = cut(text, usize::from(self.area.width));
        self.line(Line::styled(text, style));
    }

    fn line(&mut self, line: Line<'_>) {
        if self.y < self.area.height {
            let row = Rect { x: 0, y: self.y, width: self.area.width, height: 1 };
            self.frame.render_widget(line, row);
        }
        self.y += 1;
    }

    /// A line across, with a word in it.
    fn rule(&mut self, word: &str) {
        let width = usize::from(self.area.width).saturating_sub(word.chars().count() + 2);
        self.line(Line::styled(format!("──{word}{}", "─".repeat(width)), dim()));
    }
}

/// What is asked lies over the rest.
fn ask(frame: &mut Frame<'_>, model: &Model) {
    let area = frame.area();
    let inside = usize::from(area.width).saturating_sub(6).clamp(10, 72);
    let rows = usize::from(area.height).saturating_sub(2);
    let fitted =
        |lines: Vec<String>| -> Vec<String> { lines.iter().flat_map(|line| hung(line, inside)).collect() };
    let mut lines = fitted(model.question(Words::All));
    // The more is left out, the more of the screen is to stay in sight.
    for (fewer, room) in [(Words::Brief, rows), (Words::Few, rows.saturating_sub(2))] {
        if lines.len() > room {
            lines = fitted(model.question(fewer));
        }
    }
    if lines.is_empty() {
        return;
    }
    let (width, height) = (inside + 4, (lines.len() + 2).min(usize::from(area.height)));
    let cells = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
    let place = Rect {
        x: area.width.saturating_sub(cells(width)) / 2,
        y: area.height.saturating_sub(cells(height)) / 2,
        width: cells(width).min(area.width),
        height: cells(height),
    };
    frame.render_widget(Clear, place);
    let text: Vec<Line<'_>> = lines.into_iter().map(|line| Line::raw(format!(" {line}"))).collect();
    let block = Block::bordered().title(model.asked.title());
    frame.render_widget(Paragraph::new(text).block(block), place);
}

/// How much is said where there is little room.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Words {
    All,
    /// Without remarks, and on fewer lines.
    Brief,
    /// Without the commands, too.
    Few,
}

impl Asked {
    fn title(&self) -> &'static str {
        match self {
            Self::Nothing => "",
            Self::Help => " keys; any key closes this ",
            Self::Sure(_) => " really? y does it, any other key nothing ",
            Self::Reason(..) => " for what reason? Enter does it, Esc nothing ",
        }
    }
}

impl Model {
    fn is_diff(&self) -> bool {
        self.sheets.get(self.at).is_some_and(|sheet| matches!(sheet.key, 'd' | 'a'))
    }

    fn question(&self, words: Words) -> Vec<String> {
        let of = |at: &usize| self.steps.get(*at);
        match &self.asked {
            Asked::Nothing => Vec::new(),
            Asked::Help => self.help(words),
            Asked::Sure(at) => of(at).map_or_else(Vec::new, |step| {
                vec![
                    step.what.clone(),
                    format!("  {}", step.command),
                    String::new(),
                    step.way_back().to_owned(),
                ]
            }),
            Asked::Reason(at, text) => of(at).map_or_else(Vec::new, |step| {
                vec![
                    step.what.clone(),
                    format!("  {}", step.command),
                    String::new(),
                    "The reason is kept in the run's journal; no agent reads it.".to_owned(),
                    format!("> {text}_"),
                ]
            }),
        }
    }

    fn help(&self, words: Words) -> Vec<String> {
        let sheets: Vec<String> =
            self.sheets.iter().map(|sheet| format!("{} {}", sheet.key, sheet.title)).collect();
        let sheets = [format!("  {}", sheets.join(", "))];
        let steps = self.steps.iter().enumerate();
        let steps = steps.flat_map(|(index, step)| {
            let command = (words != Words::Few).then(|| format!("         {}", step.command));
            // Remarks give way where there is little room, and never the words that tell actions apart.
            let what = if words == Words::All { step.what.as_str() } else { brief(&step.what) };
            std::iter::once(format!("  {}      {what}", index + 1)).chain(command)
        });
        if words == Words::Brief {
            let last =
                "  e edit, ! shell, q leave (`tdd review` comes back); tab, arrows, space: move".to_owned();
            return sheets.into_iter().chain(steps).chain([last]).collect();
        }
        let first = ["Look".to_owned()].into_iter();
        let moves = [
            "  tab, ←→   the next view, the one before it",
            "  ↑↓, space, b, home, end   scroll",
            "",
            if self.head.advice.step.is_some() { "Do (Enter is the same as 1)" } else { "Do" },
        ];
        let last = [
            "  e      open your editor at the place of the failure",
            "  !      a shell in the work tree",
            "  q      leave; `tdd review` comes back",
        ];
        let moves = moves.into_iter().map(str::to_owned);
        first.chain(sheets).chain(moves).chain(steps).chain(last.into_iter().map(str::to_owned)).collect()
    }
}
