//! The job for GitLab that the guide tells.

use std::collections::BTreeSet;

use serde_yaml::Value;

use super::super::sandbox::{Ran, has, path_with};
use super::super::stops::{HONEST_AGENT, HONEST_CHECK, project};
use super::{release_of, root, script, text, yaml};

/// The words of a job that are used here, of those that GitLab's reference names.
const WORDS: [&str; 5] = ["image", "variables", "before_script", "script", "artifacts"];

fn job() -> Value {
    let guide = text("docs/src/pipelines.md");
    let (_, section) = guide.split_once("\n## GitLab\n").unwrap();
    let block = section.split("```text\n").nth(1).unwrap().split("\n```").next().unwrap();
    yaml(block)
}

fn lines(job: &Value, key: &str) -> Vec<String> {
    job[key].as_sequence().unwrap().iter().map(|line| line.as_str().unwrap().to_owned()).collect()
}

#[test]
fn ac_tdd_6_30_the_job_for_gitlab_runs_as_it_stands() {
    let all = job();
    let jobs = all.as_mapping().unwrap();
    assert_eq!(jobs.len(), 1);
    let job = &all["tdd"];
    let keys: BTreeSet<&str> = job.as_mapping().unwrap().keys().map(|key| key.as_str().unwrap()).collect();
    assert_eq!(keys, BTreeSet::from(WORDS));
    let report = job["artifacts"]["reports"]["junit"].as_str().unwrap();
    if !has("curl", &["curl", "--version"]) {
        return;
    }
    let sandbox = project(HONEST_AGENT, HONEST_CHECK, "");
    let real = format!("#!/bin/sh\nexec '{}' \"$@\"\n", env!("CARGO_BIN_EXE_tdd"));
    let folder = release_of(&sandbox, &real);
    std::fs::copy(root().join("packaging/install.sh"), folder.join("install.sh")).unwrap();
    // The agent's program is not asked for: the project's own table stands in for it.
    script(&sandbox.beside("programs/npm"), "#!/bin/sh\necho \"npm $*\"\n");
    let script: Vec<String> = ["before_script", "script"].iter().flat_map(|key| lines(job, key)).collect();
    let script = script.join("\n").replace("STE-12 --agent claude --max-usd 5", "STE-1 --agent mine");
    assert!(script.contains("--agent mine"));
    let mut command = sandbox.command("bash");
    command.args(["-c", &format!("set -eo pipefail\n{script}")]);
    command.env("TDD_RELEASE", format!("file://{}", folder.display()));
    command.env("PATH", path_with(&sandbox.beside("programs"))).env("CI", "true").env("GITLAB_CI", "true");
    let ran = Ran::of(&command.output().unwrap()).expect(0);
    assert!(
        ran.stdout.contains("is installed in") && ran.stdout.contains("npm install --global"),
        "{}",
        ran.stdout
    );
    assert!(sandbox.read(report).contains("AC-STE-1.1"));
}
