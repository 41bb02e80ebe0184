//! What a pipeline is told of runs: JUnit reports, GitHub's annotations and summary.

use super::sandbox::{Sandbox, has_python};
use super::stops::{HONEST_AGENT, HONEST_CHECK, beside, project};

/// An agent whose implementer does not get there; what it prints would be commands to GitHub, and is no XML.
const WRONG_AGENT: &str = "case $role in
test-writer) mkdir -p tests; printf 'grep -q two src.txt || { printf \"::set-env name=X::y\\\\n]]> <b> \\\\033[1m\\\\n\"; exit 1; }\\n' >tests/ac_ste_1_1.sh
  block tests/ac_ste_1_1.sh;;
implementer) echo three >>src.txt; block src.txt;;
*) block '';;
esac
";

/// The cases of a report as a real reader of XML sees them: class, name, and what became of each.
fn cases(sandbox: &Sandbox, file: &str) -> Vec<String> {
    let script = "import sys, xml.etree.ElementTree as tree\nroot = tree.parse(sys.argv[1]).getroot()\n\
        assert root.tag == 'testsuites' and int(root.get('tests')) == len(list(root.iter('testcase')))\n\
        for case in root.iter('testcase'):\n    print(case.get('classname'), case.get('name'), *[e.tag for e in case])\n";
    let ran = sandbox.command("python3").args(["-c", script, file]).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn ac_tdd_6_16_a_run_is_written_as_a_junit_report() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = project(HONEST_AGENT, HONEST_CHECK, "");
    sandbox.tdd(&["STE-1", "--junit", "gone/report.xml"]).expect(2).says(&["can't be written", "--junit"]);
    assert!(!sandbox.path(".tdd/runs").exists(), "nothing was begun");
    let file = beside(&sandbox, "report.xml");
    let file = file.to_str().unwrap();
    sandbox.tdd(&["STE-1", "--junit", file]).expect(0);
    let told = cases(&sandbox, file);
    assert_eq!(told.last().unwrap(), "STE-1 red, green, refactor");
    assert!(told.len() > 1 && told.iter().all(|case| !case.contains("failure")), "{told:?}");

    let sandbox = project(WRONG_AGENT, HONEST_CHECK, "");
    sandbox.tdd(&["STE-1", "--junit", "../report.xml"]).expect(1);
    let file = beside(&sandbox, "report.xml");
    let file = file.to_str().unwrap();
    let of_run = cases(&sandbox, file);
    assert_eq!(of_run.last().unwrap(), "STE-1 red, green, refactor failure", "{of_run:?}");
    let text = std::fs::read_to_string(file).unwrap();
    assert!(text.contains("tdd resume") && text.contains("AC-STE-1.1"), "{text}");
    // Later the same can be had of any run, and where one goes on.
    let before = text;
    sandbox.tdd(&["matrix", "--junit", "../again.xml"]).expect(0);
    assert_eq!(std::fs::read_to_string(beside(&sandbox, "again.xml")).unwrap(), before);
    sandbox.tdd(&["resume", "--retry", "--junit", "../report.xml"]).expect(1);
    assert_ne!(std::fs::read_to_string(file).unwrap(), before);
    sandbox.tdd(&["matrix", "--junit", "a.xml", "--json"]).expect(2);
}

#[test]
fn ac_tdd_6_16_several_requirements_are_one_report() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = project(HONEST_AGENT, HONEST_CHECK, "");
    let other = sandbox.read("specs/frs/STE-1.md").replace("STE-1", "STE-2");
    sandbox.write("specs/frs/STE-2.md", &other);
    sandbox.tdd(&["STE-1", "STE-2", "--keep-going", "--junit", "../report.xml"]);
    let file = beside(&sandbox, "report.xml");
    let told = cases(&sandbox, file.to_str().unwrap());
    for class in ["STE-1 ", "STE-2 "] {
        assert!(told.iter().any(|case| case.starts_with(class)), "{told:?}");
    }
}

#[test]
fn ac_tdd_6_17_github_is_told_what_went_wrong_where_it_says_that_it_is_there() {
    left_to_the_night!();
    let with_github = |sandbox: &Sandbox, says: &str| {
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
        command.args(["STE-1", "--json"]).env("GITHUB_ACTIONS", says);
        command.env("GITHUB_STEP_SUMMARY", beside(sandbox, "summary.md"));
        super::sandbox::Ran::of(&command.output().unwrap())
    };
    let sandbox = project(WRONG_AGENT, HONEST_CHECK, "");
    let ran = with_github(&sandbox, "true").expect(1);
    let commands: Vec<&str> = ran
        .stderr
        .lines()
        .chain(ran.stdout.lines())
        .map(str::trim_start)
        .filter(|line| line.starts_with("::") || line.starts_with("##["))
        .collect();
    let [command] = commands[..] else { panic!("{commands:?}\n{}", ran.stderr) };
    assert!(command.starts_with("::error ") && command.contains("title=tdd::"), "{command}");
    let summary = std::fs::read_to_string(beside(&sandbox, "summary.md")).unwrap();
    assert!(summary.starts_with("### tdd STE-1") && summary.contains("| criterion | test |"), "{summary}");
    assert!(!summary.contains("<b>"), "{summary}");

    let sandbox = project(HONEST_AGENT, HONEST_CHECK, "");
    let ran = with_github(&sandbox, "true").expect(0);
    assert!(!ran.stderr.contains("::error"), "{}", ran.stderr);
    let summary = std::fs::read_to_string(beside(&sandbox, "summary.md")).unwrap();
    assert!(summary.contains("1/1 green") && summary.contains("AC-STE-1.1"), "{summary}");
    // Elsewhere nobody is told in its terms.
    let sandbox = project(WRONG_AGENT, HONEST_CHECK, "");
    let ran = with_github(&sandbox, "").expect(1);
    assert!(!ran.stderr.contains("::error") && !beside(&sandbox, "summary.md").exists());
}

/// An agent whose implementer edits the test that it was to meet.
const MEDDLING_AGENT: &str = "case $role in
test-writer) mkdir -p tests; echo 'grep -q two src.txt || { echo no two; exit 1; }' >tests/ac_ste_1_1.sh
  block tests/ac_ste_1_1.sh;;
implementer) echo true >tests/ac_ste_1_1.sh; block src.txt;;
*) block '';;
esac
";

/// Rules and places.
type Found = Vec<(String, String)>;

/// Of each run its requirement, whether it has ended, and of each result its rule, its place and whether it says
/// something. What the standard and code scanning ask for is asked for here.
fn results(sandbox: &Sandbox, file: &str) -> Vec<(String, bool, Found)> {
    let text = std::fs::read_to_string(beside(sandbox, file)).unwrap();
    let log: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let said = |value: &serde_json::Value| value.as_str().filter(|text| !text.is_empty()).unwrap().to_owned();
    let of = |run: &serde_json::Value| {
        assert_eq!(run["tool"]["driver"]["name"], "tdd");
        let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
        let results = run["results"].as_array().unwrap().iter().map(|result| {
            let rule = said(&result["ruleId"]);
            assert!(rules.iter().any(|one| one["id"] == rule.as_str()), "{rule} is explained");
            said(&result["message"]["text"]);
            let place = &result["locations"][0]["physicalLocation"];
            let line = place["region"]["startLine"].as_u64().unwrap();
            assert!(result["level"] == "error" && line > 0, "{result}");
            let file = said(&place["artifactLocation"]["uri"]);
            assert!(sandbox.path(&file).is_file(), "{file} is a file of the repository");
            (rule, format!("{file}:{line}"))
        });
        let has_ended = run["invocations"][0]["executionSuccessful"].as_bool().unwrap();
        (said(&run["automationDetails"]["id"]), has_ended, results.collect())
    };
    log["runs"].as_array().unwrap().iter().map(of).collect()
}

#[test]
fn ac_tdd_12_14_what_speaks_against_a_halt_is_written_as_sarif_with_its_place() {
    left_to_the_night!();
    let sandbox = project(WRONG_AGENT, HONEST_CHECK, "");
    sandbox.tdd(&["STE-1", "--sarif", "gone/x.sarif"]).expect(2).says(&["can't be written", "--sarif"]);
    sandbox.tdd(&["STE-1", "--sarif", "../x.sarif"]).expect(1);
    let one = |rule: &str, place: &str| vec![(rule.to_owned(), place.to_owned())];
    let of = |sandbox: &Sandbox| results(sandbox, "x.sarif");
    let id = "tdd/STE-1/".to_owned();
    assert_eq!(of(&sandbox), [(id.clone(), true, one("test-failed", "specs/frs/STE-1.md:5"))]);
    sandbox.tdd(&["resume", "--retry", "--sarif", "../y.sarif"]).expect(1);
    assert_eq!(results(&sandbox, "y.sarif"), of(&sandbox));

    let sandbox = project(MEDDLING_AGENT, HONEST_CHECK, "");
    sandbox.tdd(&["STE-1", "--sarif", "../x.sarif"]).expect(1);
    let [(_, true, found)] = &of(&sandbox)[..] else { panic!("{:?}", of(&sandbox)) };
    assert!(found.contains(&("forbidden".to_owned(), "tests/ac_ste_1_1.sh:1".to_owned())), "{found:?}");

    // A green one has none, so that an alert of an earlier one is closed, and each has an id of its own.
    let sandbox = project(HONEST_AGENT, HONEST_CHECK, "");
    let other = sandbox.read("specs/frs/STE-1.md").replace("STE-1", "STE-2");
    sandbox.write("specs/frs/STE-2.md", &other);
    sandbox.tdd(&["STE-1", "STE-2", "--stop-after", "red", "--sarif", "../x.sarif"]);
    let told = of(&sandbox);
    assert_eq!((&told[0], told.len()), (&(id.clone(), false, Vec::new()), 1), "a pause is no end");
    let sandbox = project(HONEST_AGENT, HONEST_CHECK, "");
    sandbox.tdd(&["STE-1", "--sarif", "../x.sarif"]).expect(0);
    assert_eq!(of(&sandbox), [(id, true, Vec::new())]);
}
