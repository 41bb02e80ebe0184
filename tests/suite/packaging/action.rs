//! The composite action: its form, and its steps run as GitHub's runner runs them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_yaml::Value;

use super::super::sandbox::{Ran, Sandbox, has, path_with};
use super::super::stops::{HONEST_AGENT, HONEST_CHECK, beside, project};
use super::{checked_shell, release, root, script, text, yaml};

/// An agent whose implementer does not get there.
const WRONG_AGENT: &str = "case $role in
test-writer) mkdir -p tests; echo 'grep -q two src.txt || { echo no two; exit 1; }' >tests/ac_ste_1_1.sh; block tests/ac_ste_1_1.sh;;
*) echo three >>src.txt; block src.txt;;
esac
";

fn keys(of: &Value) -> Vec<&str> {
    of.as_mapping().map(|map| map.keys().map(|key| key.as_str().unwrap()).collect()).unwrap_or_default()
}

fn string<'a>(of: &'a Value, key: &str) -> &'a str {
    of.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// What stands between `${{` and `}}` in a text.
fn expressions(text: &str) -> Vec<&str> {
    text.split("${{").skip(1).map(|rest| rest.split("}}").next().unwrap().trim()).collect()
}

/// What is wrong with an action of steps, by the documented form of its metadata.
fn complaints(action: &str) -> Vec<String> {
    let all = yaml(action);
    let mut found = Vec::new();
    let mut only = |of: &Value, place: &str, known: &[&str]| {
        let strange = keys(of).into_iter().filter(|key| !known.contains(key));
        found.extend(strange.map(|key| format!("{place}: `{key}` is no key")));
    };
    only(&all, "action", &["name", "author", "description", "inputs", "outputs", "runs", "branding"]);
    for name in keys(&all["inputs"]) {
        only(&all["inputs"][name], name, &["description", "required", "default", "deprecationMessage"]);
    }
    for name in keys(&all["outputs"]) {
        only(&all["outputs"][name], name, &["description", "value"]);
    }
    only(&all["runs"], "runs", &["using", "steps"]);
    let steps = all["runs"]["steps"].as_sequence().unwrap();
    let known =
        ["name", "id", "if", "shell", "run", "env", "working-directory", "continue-on-error", "uses", "with"];
    for step in steps {
        only(step, "step", &known);
    }
    let described =
        |of: &Value| keys(of).into_iter().filter(|name| string(&of[*name], "description").is_empty()).count();
    if string(&all, "name").is_empty() || described(&all["inputs"]) + described(&all["outputs"]) > 0 {
        found.push("something has no name or no description".to_owned());
    }
    if string(&all["runs"], "using") != "composite" {
        found.push("it is no action of steps".to_owned());
    }
    for step in steps {
        let script = string(step, "run");
        if step.get("run").is_some() == step.get("uses").is_some()
            || !script.is_empty() && step.get("shell").is_none()
        {
            found.push("a step has neither or both of `run` and `uses`, or no shell".to_owned());
        }
        if !expressions(script).is_empty() {
            found.push(format!("an expression becomes a part of a script: {:?}", expressions(script)));
        }
    }
    let asked: BTreeSet<&str> =
        expressions(action).into_iter().filter_map(|inner| inner.strip_prefix("inputs.")).collect();
    if asked != keys(&all["inputs"]).into_iter().collect() {
        found.push(format!("the inputs that are declared are not those that are used: {asked:?}"));
    }
    for name in keys(&all["outputs"]) {
        let value = expressions(string(&all["outputs"][name], "value"));
        let from: Vec<&str> = value.first().map(|inner| inner.split('.').collect()).unwrap_or_default();
        let is_written = steps.iter().any(|step| {
            matches!(from[..], ["steps", id, "outputs", key] if id == string(step, "id") && string(step, "run").contains(&format!("{key}=")))
        });
        if !is_written {
            found.push(format!("no step writes the output {name}"));
        }
    }
    found
}

#[test]
fn ac_tdd_6_30_the_action_has_the_documented_form_and_no_input_is_a_part_of_a_script() {
    let action = text("action.yml");
    assert_eq!(complaints(&action), [""; 0]);
    for (from, to) in [
        ("tdd run ", "tdd run ${{ inputs.args }} "),
        ("      shell: bash\n", ""),
        ("using: composite", "using: node20"),
        ("  junit:\n", "  report-file:\n"),
        ("outputs.report", "outputs.reports"),
        ("      shell: bash\n", "      shell: bash\n      timeout-minutes: 3\n"),
        ("branding:", "brand:"),
    ] {
        let bad = action.replacen(from, to, 1);
        assert!(bad != action && !complaints(&bad).is_empty(), "{from}");
    }
    let sandbox = Sandbox::empty();
    for step in yaml(&action)["runs"]["steps"].as_sequence().unwrap() {
        checked_shell(&sandbox, "bash", string(step, "run"));
    }
}

/// A machine that runs the action on a project.
struct Runner {
    sandbox: Sandbox,
    inputs: BTreeMap<&'static str, String>,
    path: PathBuf,
}

impl Runner {
    /// With the program under test on its path.
    fn new(sandbox: Sandbox, inputs: &[(&'static str, &str)]) -> Self {
        let inputs = inputs.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        let path = Path::new(env!("CARGO_BIN_EXE_tdd")).parent().unwrap().to_owned();
        Self { sandbox, inputs, path }
    }

    fn value(&self, action: &Value, raw: &str) -> String {
        let [inner] = expressions(raw)[..] else { return raw.to_owned() };
        match inner.strip_prefix("inputs.") {
            Some(name) => match self.inputs.get(name) {
                Some(value) => value.clone(),
                None => string(&action["inputs"][name], "default").to_owned(),
            },
            None if inner == "github.action_repository" => "them/tdd".to_owned(),
            None => panic!("{inner}"),
        }
    }

    /// Runs the steps until one fails; gives its end, and the outputs by name.
    fn run(&self) -> (Ran, BTreeMap<String, String>) {
        let action = yaml(&text("action.yml"));
        let beside = |name: &str| self.sandbox.beside(name);
        for file in ["path", "output", "summary"] {
            std::fs::write(beside(file), "").unwrap();
        }
        let mut last = None;
        for step in action["runs"]["steps"].as_sequence().unwrap() {
            std::fs::write(beside("step.sh"), string(step, "run")).unwrap();
            let mut command = self.sandbox.command("bash");
            command.args(["--noprofile", "--norc", "-eo", "pipefail"]).arg(beside("step.sh"));
            command.env("GITHUB_ACTIONS", "true").env("CI", "true").env("GITHUB_ACTION_PATH", root());
            command.env("GITHUB_OUTPUT", beside("output")).env("GITHUB_PATH", beside("path"));
            command.env("GITHUB_STEP_SUMMARY", beside("summary")).env("RUNNER_TEMP", beside("temp"));
            command.env("GITHUB_SERVER_URL", format!("file://{}", beside("server").display()));
            let added = std::fs::read_to_string(beside("path")).unwrap();
            let first = added.lines().next().map_or(self.path.clone(), PathBuf::from);
            command.env("PATH", path_with(&first));
            for name in keys(&step["env"]) {
                command.env(name, self.value(&action, string(&step["env"], name)));
            }
            let folder = self.value(&action, string(step, "working-directory"));
            command.current_dir(self.sandbox.repo().join(folder));
            let ran = Ran::of(&command.output().unwrap());
            let ends = ran.code != 0;
            last = Some(ran);
            if ends {
                break;
            }
        }
        let lines = std::fs::read_to_string(beside("output")).unwrap();
        let outputs = lines.lines().filter_map(|line| line.split_once('='));
        (last.unwrap(), outputs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
    }
}

#[test]
fn ac_tdd_6_30_the_action_hands_over_how_a_run_ended() {
    left_to_the_night!();
    let inputs = [("version", "installed"), ("requirement", "STE-1"), ("junit", "../tdd report.xml")];
    let runner = Runner::new(project(HONEST_AGENT, HONEST_CHECK, ""), &inputs);
    let (ran, outputs) = runner.run();
    ran.expect(0);
    assert_eq!(outputs["exit-code"], "0");
    assert_eq!(PathBuf::from(&outputs["run"]), runner.sandbox.run_dir().file_name().unwrap());
    assert!(outputs["report"].ends_with("summary.txt") && Path::new(&outputs["report"]).is_file());
    assert!(beside(&runner.sandbox, "tdd report.xml").is_file());
    assert!(runner.sandbox.beside("summary").metadata().unwrap().len() > 0, "the summary of the job");
    // Once more: nothing is begun, and the run of before is not told as this one's.
    let (ran, outputs) = runner.run();
    ran.expect(0);
    assert_eq!((outputs["run"].as_str(), outputs["report"].as_str()), ("", ""));

    let inputs =
        [("version", "installed"), ("requirement", " STE-1\n"), ("args", "--no-refactor\n --max-wall 10m ")];
    let runner = Runner::new(project(WRONG_AGENT, HONEST_CHECK, ""), &inputs);
    let (ran, outputs) = runner.run();
    ran.expect(1);
    assert_eq!(outputs["exit-code"], "1");
    assert!(std::fs::read_to_string(&outputs["report"]).unwrap().contains("AC-STE-1.1"));
    assert!(outputs["report"].ends_with("halt.txt"));
}

#[test]
fn ac_tdd_6_30_what_a_caller_passes_is_neither_run_nor_an_option() {
    left_to_the_night!();
    let sandbox = project(HONEST_AGENT, HONEST_CHECK, "");
    let before = sandbox.everything();
    let mut runner = Runner::new(sandbox, &[("version", "installed")]);
    let touch = runner.sandbox.beside("touched");
    let touch = touch.to_str().unwrap();
    for hostile in [
        format!("STE-1\"; touch {touch}"),
        format!("$(touch {touch})"),
        format!("STE-1\n`touch {touch}`\nEOF\ntouch {touch}"),
        format!("STE-1 --test=touch${{IFS}}{touch}"),
        "--allow-red-baseline STE-1".to_owned(),
        "*".to_owned(),
    ] {
        for input in ["requirement", "junit", "args"] {
            if input == "requirement" || !hostile.contains("--") {
                runner.inputs.retain(|name, _| *name == "version");
                runner.inputs.insert(input, hostile.clone());
                let (ran, outputs) = runner.run();
                assert_eq!(
                    (ran.code, outputs["exit-code"].as_str()),
                    (2, "2"),
                    "{input} {hostile}: {}",
                    ran.stderr
                );
                assert_eq!(outputs.len(), 3, "{hostile}");
            }
        }
    }
    assert!(!Path::new(touch).exists());
    assert_eq!(runner.sandbox.everything(), before);
}

#[test]
fn ac_tdd_6_30_the_action_brings_the_version_that_is_asked_for() {
    let sandbox = Sandbox::with(&[("a", "")]);
    let calls = sandbox.beside("calls");
    // Builds the action's own checkout.
    let cargo = format!(
        "#!/bin/sh\necho \"$*\" >>'{}'\nfor root; do :; done\nmkdir -p \"$root/bin\"\nprintf '#!/bin/sh\\necho built; exit 3\\n' >\"$root/bin/tdd\"\nchmod 755 \"$root/bin/tdd\"\n",
        calls.display()
    );
    script(&sandbox.beside("programs/cargo"), &cargo);
    let mut runner = Runner::new(sandbox, &[]);
    runner.path = runner.sandbox.beside("programs");
    let (ran, outputs) = runner.run();
    assert_eq!((ran.code, ran.stdout.as_str(), outputs["exit-code"].as_str()), (3, "built\n", "3"));
    let called = std::fs::read_to_string(&calls).unwrap();
    assert!(called.starts_with("install --quiet --locked --path /"), "{called}");
    if !has("curl", &["curl", "--version"]) {
        return;
    }
    // A release of the action's own repository, by its checksums.
    let folder = release(&runner.sandbox);
    let at = runner.sandbox.beside("server/them/tdd/releases/download/v0.1.0");
    std::fs::create_dir_all(at.parent().unwrap()).unwrap();
    std::fs::rename(&folder, &at).unwrap();
    runner.inputs = BTreeMap::from([("version", "v0.1.0".to_owned()), ("requirement", "STE-1".to_owned())]);
    let (ran, _) = runner.run();
    assert_eq!((ran.code, ran.stdout.as_str()), (7, "<run><--><STE-1>"), "{}", ran.stderr);
    // A digest that is pinned holds more than what lies beside the archive.
    runner.inputs.insert("sha256", "0".repeat(64));
    let (ran, outputs) = runner.run();
    ran.expect(1).says(&["is not what it should be"]);
    assert!(outputs.is_empty(), "nothing was run");
}
