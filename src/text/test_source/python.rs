//! Test functions and the test methods of test classes, by indentation.

use super::imports::statement_end;
use super::{Declared, word_at};

pub(super) fn find(code: &str) -> Vec<Declared> {
    let mut found: Vec<Declared> = Vec::new();
    // The classes around the line, with their margins; `None` for a class that holds no tests.
    let mut classes: Vec<(usize, Option<&str>)> = Vec::new();
    let mut open: Option<(usize, usize)> = None;
    // Where the decorators begin that stand right before the line.
    let mut decorators: Option<std::ops::Range<usize>> = None;
    let mut at = 0;
    for line in code.split_inclusive('\n') {
        let begin = at;
        at += line.len();
        let text = line.trim_start();
        if text.trim().is_empty() {
            continue;
        }
        let margin = line.len() - text.len();
        if let Some((test, own)) = open {
            // Closing brackets and quotes may stand at any margin.
            if margin > own || text.starts_with([')', ']', '}', '"', '\'']) {
                found[test].body.end = at;
                continue;
            }
            open = None;
        }
        // A decorator's arguments may take lines of their own.
        if decorators.as_ref().is_some_and(|decorators| begin < decorators.end) {
            continue;
        }
        if text.starts_with('@') {
            let first = decorators.map_or(begin, |decorators| decorators.start);
            decorators = Some(first..statement_end(code, begin));
            continue;
        }
        let head = decorators.take().map_or(begin, |decorators| decorators.start);
        while classes.last().is_some_and(|(own, _)| margin <= *own) {
            classes.pop();
        }
        if let Some(rest) = text.strip_prefix("class ") {
            let name = word_at(rest, 0);
            let bases = &rest[name.len()..];
            let tests = name.starts_with("Test") || bases.contains("TestCase");
            classes.push((margin, tests.then_some(name)));
            continue;
        }
        let Some(rest) = text.strip_prefix("def ").or_else(|| text.strip_prefix("async def ")) else {
            continue;
        };
        let name = word_at(rest, 0);
        let around = classes.iter().map(|(_, name)| *name).collect::<Option<Vec<_>>>();
        let (true, Some(mut path)) = (name.starts_with("test"), around) else { continue };
        // A function inside a function is no test.
        if margin > 0 && path.is_empty() {
            continue;
        }
        path.push(name);
        let colon = line.find(':').filter(|colon| !line[colon + 1..].trim().is_empty());
        let body = match colon.filter(|_| line.trim_end().matches(':').count() == 1) {
            Some(colon) => begin + colon + 1..at,
            None => at..at,
        };
        found.push(Declared { name: path.join("::"), head, body });
        open = Some((found.len() - 1, margin));
    }
    found
}
