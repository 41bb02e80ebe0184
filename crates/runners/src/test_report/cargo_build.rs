//! `cargo build --message-format=json`: which test binaries came out, and what kept the others.
//!
//! ```text
//! stream  = { line NL }                       lines that are no JSON object are somebody's prints
//! line    = {"reason": "compiler-artifact",     package_id, manifest_path, target, profile, executable}
//!         | {"reason": "compiler-message",      package_id, manifest_path, target, message}
//!         | {"reason": "build-script-executed", package_id, out_dir, env, linked_paths}
//!         | {"reason": "build-finished",        success}
//! target  = {name, kind: [..], src_path}
//! message = {level, message, code: {code} | null, spans: [{file_name, is_primary, label}], rendered}
//! ```
//!
//! All errors of a target are classified, not the first: rustc reports unresolved names and wrong
//! types of one file together.

use serde::Deserialize;
use serde_json::Value;

use super::{backticked, failure, missing};
use tdd_core::test::{Failure, FailureKind};

/// What one build said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Build {
    pub artifacts: Vec<Artifact>,
    pub errors: Vec<CompileError>,
    pub scripts: Vec<BuildScript>,
    /// `None` if cargo gave up before it built anything.
    pub success: Option<bool>,
}

/// One target of one package.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
pub struct Target {
    pub name: String,
    pub kind: Vec<String>,
    pub src_path: String,
}

impl Target {
    pub fn is(&self, kind: &str) -> bool {
        self.kind.iter().any(|own| own == kind)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    pub package_id: String,
    pub manifest_path: String,
    pub target: Target,
    /// Built with the test harness.
    pub test: bool,
    pub executable: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileError {
    pub package_id: String,
    pub target: Target,
    pub code: Option<String>,
    pub message: String,
    /// Of the primary span.
    pub label: String,
    /// As rustc names it: relative to the workspace, or absolute. `None` without a span.
    pub file: Option<String>,
    pub rendered: String,
}

/// What a build script left for its package: needed to run the package's tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildScript {
    pub package_id: String,
    pub out_dir: String,
    pub linked_paths: Vec<String>,
}

/// Reads the stream; never fails, a torn stream is one without `success`.
pub fn parse(bytes: &[u8]) -> Build {
    let mut build = Build::default();
    for line in bytes.split(|byte| *byte == b'\n') {
        if line.first() != Some(&b'{') {
            continue;
        }
        let Ok(value) = serde_json::from_slice::<Value>(line) else { continue };
        match value["reason"].as_str() {
            Some("compiler-artifact") => build.artifacts.extend(artifact(&value)),
            Some("compiler-message") => build.errors.extend(compile_error(&value)),
            Some("build-script-executed") => build.scripts.push(BuildScript {
                package_id: text(&value["package_id"]),
                out_dir: text(&value["out_dir"]),
                linked_paths: value["linked_paths"]
                    .as_array()
                    .map(|paths| paths.iter().map(text).collect())
                    .unwrap_or_default(),
            }),
            Some("build-finished") => build.success = value["success"].as_bool(),
            Some(_) | None => {}
        }
    }
    build
}

fn artifact(value: &Value) -> Option<Artifact> {
    Some(Artifact {
        package_id: text(&value["package_id"]),
        manifest_path: text(&value["manifest_path"]),
        target: Target::deserialize(&value["target"]).ok()?,
        test: value["profile"]["test"].as_bool()?,
        executable: value["executable"].as_str().map(str::to_owned),
    })
}

fn compile_error(value: &Value) -> Option<CompileError> {
    let message = &value["message"];
    let said = text(&message["message"]);
    if message["level"].as_str()? != "error" || said.starts_with("aborting due to") {
        return None;
    }
    let spans = message["spans"].as_array().map_or(&[][..], Vec::as_slice);
    let primary = spans.iter().find(|span| span["is_primary"] == true);
    Some(CompileError {
        package_id: text(&value["package_id"]),
        target: Target::deserialize(&value["target"]).ok()?,
        code: message["code"]["code"].as_str().map(str::to_owned),
        message: said,
        label: primary.map(|span| text(&span["label"])).unwrap_or_default(),
        file: primary.map(|span| text(&span["file_name"])),
        rendered: text(&message["rendered"]),
    })
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Judges all errors of one target (contract section 7, red kinds). `own` are the names of the
/// project's own crates, with `_` for `-`: only what is absent from one of them can still be
/// written, anything else is a fault of the test.
pub fn classify(errors: &[&CompileError], own: &[String]) -> Failure {
    let mut absent = Vec::new();
    let mut is_missing = false;
    for error in errors {
        match cause(error, own) {
            Cause::Missing(name) => {
                is_missing = true;
                absent.extend(name);
            }
            Cause::Follows => {}
            Cause::Load => return failure(FailureKind::Load, &error.rendered, None),
        }
    }
    let rendered: Vec<&str> = errors.iter().map(|error| error.rendered.trim_end()).collect();
    let message = rendered.join("\n");
    if is_missing { missing(&message, absent) } else { failure(FailureKind::Load, &message, None) }
}

enum Cause {
    Missing(Option<String>),
    /// Comes of another error of the same target.
    Follows,
    Load,
}

fn cause(error: &CompileError, own: &[String]) -> Cause {
    let Some(code) = error.code.as_deref() else {
        // A macro of the project's own is absent without a code; all else without one is syntax.
        return match error.message.strip_prefix("cannot find macro ") {
            Some(rest) => Cause::Missing(backticked(rest, 0).map(str::to_owned)),
            None => Cause::Load,
        };
    };
    match code {
        "E0432" | "E0433" => unresolved(error, own),
        "E0425" | "E0405" | "E0412" | "E0531" => scoped(error, own),
        // "struct `S` has no field named `x`"
        "E0026" | "E0559" | "E0560" => Cause::Missing(backticked(&error.message, 1).map(str::to_owned)),
        "E0599" => Cause::Missing(absent_member(error)),
        // A member of a type: field, or what a trait has not.
        "E0609" | "E0407" | "E0437" | "E0438" | "E0576" => {
            Cause::Missing(backticked(&error.message, 0).map(str::to_owned))
        }
        // What is there and has another shape: a signature, a type, a visibility. Nothing is absent.
        "E0610" | "E0615" | "E0027" | "E0063" | "E0061" | "E0050" | "E0053" | "E0107" | "E0023" | "E0308"
        | "E0277" | "E0369" | "E0600" | "E0608" | "E0614" | "E0618" | "E0423" | "E0532" | "E0533"
        | "E0574" | "E0603" | "E0616" | "E0624" | "E0451" | "E0364" | "E0365" | "E0046" | "E0220"
        | "E0271" => Cause::Missing(None),
        "E0282" | "E0283" | "E0284" => Cause::Follows,
        _ => Cause::Load,
    }
}

/// A method, function or variant that a type lacks; `None` where rustc names none, since it is a trait that is not
/// implemented ("`Cart` doesn't implement `Display`").
fn absent_member(error: &CompileError) -> Option<String> {
    let (message, own) = (error.message.as_str(), |text: &str| backticked(text, 0).map(str::to_owned));
    if let Some((_, rest)) = message.split_once(" named ") {
        return own(rest);
    }
    // Whatever an iterator has, too: rustc takes it for that. "`Cart` is not an iterator", and the name where it looked.
    if message.ends_with(" is not an iterator") || message.starts_with('`') {
        return None;
    }
    own(message)
}

/// An unresolved import or path, and the two ways in which rustc says that a whole crate is absent:
/// "unresolved import", "cannot find … in …".
fn unresolved(error: &CompileError, own: &[String]) -> Cause {
    if error.label.starts_with("use of unresolved module or unlinked crate") {
        let name = backticked(&error.label, 0).unwrap_or_default();
        return if is_own(name, own) { Cause::Missing(Some(name.to_owned())) } else { Cause::Load };
    }
    if let Some(path) = error.message.strip_prefix("unresolved import").and_then(|rest| backticked(rest, 0)) {
        let first = path.split("::").next().unwrap_or_default();
        let foreign = !is_own(first, own) && container(&error.label).is_some_and(|home| !is_own(home, own));
        return if foreign { Cause::Load } else { Cause::Missing(Some(path.to_owned())) };
    }
    scoped(error, own)
}

/// "cannot find function f in crate shop": a home that is not ours can't be added to.
fn scoped(error: &CompileError, own: &[String]) -> Cause {
    let name = backticked(&error.message, 0);
    match container(&error.message).or_else(|| container(&error.label)) {
        Some(home) if !is_own(home, own) => Cause::Load,
        Some(home) => Cause::Missing(name.map(|name| format!("{home}::{name}"))),
        None => Cause::Missing(name.map(str::to_owned)),
    }
}

/// The path in backticks that a message ends with, after "in", "in crate" or "in module".
fn container(text: &str) -> Option<&str> {
    let (_, rest) = text.rsplit_once(" in ")?;
    let rest = rest.trim_start_matches("crate ").trim_start_matches("module ");
    rest.strip_prefix('`')?.split('`').next()
}

fn is_own(path: &str, own: &[String]) -> bool {
    let first = path.split("::").next().unwrap_or_default();
    let std = ["std", "core", "alloc", "proc_macro", "test"];
    matches!(first, "crate" | "self" | "super")
        || own.iter().any(|name| name == first)
        // An enum or a module in scope, not a crate: rustc prints it without its home.
        || (path.contains(char::is_uppercase) && !std.contains(&first))
}

#[cfg(test)]
#[path = "cargo_build_tests.rs"]
mod tests;
