//! What may be a person's and is kept, for the reports at a run's end.

use serde_json::{Value, json};

use tdd_core::harmless;
use tdd_core::machine::Facts;

/// How many files of somebody else's are named in one line.
const NAMED: usize = 8;

/// What was taken out of the tree, or stands there, and may be a person's.
pub(in crate::text) fn set_aside(facts: &Facts) -> impl Iterator<Item = String> {
    facts.set_aside.iter().map(|(paths, kept)| {
        let named = paths.iter().take(NAMED).map(|path| harmless::line(path.as_str()));
        let mut named: Vec<String> = named.collect();
        named.extend((paths.len() > NAMED).then(|| format!("and {} more", paths.len() - NAMED)));
        format!(
            "look at: somebody else wrote, or may have: {}; kept as {kept}: git restore --source={kept} -- FILE",
            named.join(", ")
        )
    })
}

/// The same for a machine.
pub(in crate::text) fn set_aside_json(facts: &Facts) -> Vec<Value> {
    facts.set_aside.iter().map(|(paths, kept)| json!({ "paths": paths, "kept": kept })).collect()
}
