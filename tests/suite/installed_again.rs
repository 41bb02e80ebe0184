//! What a role installs for one criterion it may install again for the next; what was there before, or what tests
//! rest on, it may not.

use rustix::process::Signal;

use super::between::ended_by;
use super::sandbox::Sandbox;
use super::stops::project;

/// Two criteria, and for each of them the same packages are installed, by a file of another inode.
fn agent(more_of_writer: &str, more_of_implementer: &str) -> String {
    format!(
        "install() {{ mkdir -p node_modules/$1; echo \"$2\" >node_modules/$1/new; mv node_modules/$1/new node_modules/$1/index.js; }}
case $role in
test-writer) mkdir -p tests; for n in 1 2; do echo \"grep -q ac$n src.txt\" >tests/ac_ste_1_$n.sh; done
  {more_of_writer}
  block tests/ac_ste_1_1.sh,tests/ac_ste_1_2.sh;;
implementer) n=$(grep -o 'AC-STE-1.[12]' $2 | head -1); n=${{n#AC-STE-1.}}; echo ac$n >>src.txt
  install dep \"made for $n\"
  {more_of_implementer}
  block src.txt;;
*) block '';;
esac
"
    )
}

fn two_criteria(agent: &str) -> Sandbox {
    let check = "r=0; for t in tests/ac_*.sh; do test ! -e $t || sh $t || r=1; done; exit $r\n";
    let sandbox = project(agent, check, "budgets: { semantic: 1 }\n");
    sandbox.write(".gitignore", "node_modules/\n");
    let requirement = sandbox.read("specs/frs/STE-1.md");
    sandbox.write("specs/frs/STE-1.md", &format!("{requirement}- AC-STE-1.2: src.txt says more.\n"));
    sandbox.commit();
    sandbox.write("node_modules/runner/index.js", "honest\n");
    sandbox
}

#[test]
fn ac_tdd_9_78_what_a_role_installs_for_each_criterion_is_held_against_nobody() {
    left_to_the_night!();
    for level in ["audit", "enforce"] {
        for (writer, implementer, told) in [
            ("true", "true", None),
            ("install lib 1", "true", None),
            // Each time anew.
            ("true", "rm -rf node_modules/dep; install dep $n", None),
            ("true", "install runner forged", Some("node_modules/runner/index.js")),
            ("install lib 1", "install lib forged", Some("node_modules/lib/index.js")),
            ("true", "test $n = 1 || install runner forged", Some("node_modules/runner/index.js")),
        ] {
            let sandbox = two_criteria(&agent(writer, implementer));
            let ran = sandbox.tdd(&["STE-1", "--sandbox", level]);
            let ran = ran.expect(i32::from(told.is_some()));
            match told {
                Some(path) => drop(ran.says_on_stdout(&[path])),
                None => {
                    assert!(!ran.stdout.contains("node_modules"), "{writer} {implementer}: {}", ran.stdout);
                }
            }
        }
    }
}

/// A process that goes on knows whose they are, too.
#[test]
fn ac_tdd_9_78_what_was_installed_before_a_kill_may_be_installed_again() {
    left_to_the_night!();
    for (more, told) in [("true", None), ("install lib forged", Some("node_modules/lib/index.js"))] {
        let waits = "test $n = 1 || test -e ../held || { : >../held; echo up >../up; read line <../go; }";
        let sandbox = two_criteria(&agent("install lib 1", &format!("{waits}\n  test $n = 1 || {more}")));
        ended_by(Signal::KILL, &sandbox);
        let ran = sandbox.tdd(&["resume"]).expect(i32::from(told.is_some()));
        match told {
            Some(path) => drop(ran.says_on_stdout(&[path])),
            None => assert!(!ran.stdout.contains("node_modules"), "{}", ran.stdout),
        }
    }
}

/// What a role does to what was installed, and what is said of it where it is held against the role.
const ANEW: [(&str, &str, Option<&str>); 6] = [
    ("all of it anew", "cp -r node_modules ../n; rm -rf node_modules; mv ../n node_modules", None),
    ("one file anew", "cp node_modules/runner/index.js n; mv n node_modules/runner/index.js", None),
    ("another file", "install runner forged", Some("node_modules/runner/index.js")),
    ("of the same size and time", FORGED, Some("node_modules/runner/index.js")),
    (
        "under a second name, of the same size and time",
        "ln node_modules/runner/index.js node_modules/2; printf 'forged\\n' >node_modules/2; touch -d @1000000000 node_modules/2",
        Some("node_modules/runner/index.js"),
    ),
    (
        "another file among those that are the same",
        "cp -r node_modules ../n; rm -rf node_modules; mv ../n node_modules; install runner forged",
        Some("node_modules/runner/index.js"),
    ),
];

const FORGED: &str =
    "printf 'forged\\n' >node_modules/runner/index.js; touch -d @1000000000 node_modules/runner/index.js";

const IN_BOTH: [&str; 2] = ["all of it anew", "of the same size and time"];

/// A package manager that is asked again writes the same bytes anew.
#[test]
fn ac_tdd_9_112_what_is_installed_anew_with_the_same_bytes_is_held_against_nobody() {
    left_to_the_night!();
    for level in ["audit", "enforce"] {
        // The same code judges at both levels; the sandbox decides only whether the deed can be done.
        let deeds = ANEW.iter().filter(|(name, ..)| level == "audit" || IN_BOTH.contains(name));
        for (name, deed, told) in deeds {
            let sandbox = two_criteria(&agent("true", &format!("test $n = 1 || {{ {deed}; }}")));
            let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
            let installed =
                std::fs::File::options().write(true).open(sandbox.path("node_modules/runner/index.js"));
            installed.unwrap().set_modified(time).unwrap();
            let ran = sandbox.tdd(&["STE-1", "--sandbox", level]).expect(i32::from(told.is_some()));
            match told {
                None => assert!(!ran.stdout.contains("node_modules"), "{name}: {}", ran.stdout),
                Some(path) => {
                    let ran =
                        ran.says(&[&format!("seen: installed file {path} was changed; install it anew")]);
                    ran.says_on_stdout(&[
                        &format!("an installed file is not as it was: {path}"),
                        "recommended: install the dependencies anew first",
                        "protected files touched (put back): none",
                    ]);
                }
            }
        }
    }
}

/// What a run shows is judged by the files that were there while it ran.
#[test]
fn ac_tdd_9_112_what_tests_change_and_write_back_is_no_evidence() {
    left_to_the_night!();
    for (deed, is_told) in [("cat $f >../seen", false), ("cp $f k; echo forged >$f; cat k >$f; rm k", true)] {
        let sandbox = project(
            &format!(
                "case $role in
test-writer) mkdir -p tests; echo '. ./src.txt; test -n \"$two\"' >tests/ac_ste_1_1.sh; block tests/ac_ste_1_1.sh;;
implementer) echo 'two=1; f=node_modules/runner/index.js; {deed}' >src.txt; block src.txt;;
*) block '';;
esac
"
            ),
            "test ! -e tests/ac_ste_1_1.sh || sh tests/ac_ste_1_1.sh\n",
            "budgets: { semantic: 1 }\n",
        );
        sandbox.write("src.txt", "two=\n");
        sandbox.write(".gitignore", "node_modules/\n");
        sandbox.commit();
        sandbox.write("node_modules/runner/index.js", "honest\n");
        let ran = sandbox.tdd(&["STE-1", "--sandbox", "audit"]).expect(i32::from(is_told));
        if is_told {
            ran.says(&["node_modules/runner/index.js was rewritten while tests ran"]);
        } else {
            assert!(!ran.stdout.contains("node_modules"), "{}", ran.stdout);
        }
    }
}

/// A tool that keeps a record of what it saw beside its own code, as `tsc` does for vitest, and writes it only where something
/// is new: before the run nothing is, because everybody has run the tests before.
#[test]
fn ac_tdd_9_117_the_record_of_a_tool_that_is_written_only_for_what_is_new_is_nobodys_work() {
    left_to_the_night!();
    let record = "f=node_modules/runner/record; now=$(pwd; cat src.txt); test \"$(cat $f)\" = \"$now\" || echo \"$now\" >$f || exit 9";
    let check =
        format!("{record}\nr=0; for t in tests/ac_*.sh; do test ! -e $t || sh $t || r=1; done; exit $r\n");
    let forges_it = "echo forged >node_modules/runner/record";
    for level in ["audit", "enforce"] {
        for (deed, told) in [
            ("true", None),
            (forges_it, None),
            ("install runner forged", Some("node_modules/runner/index.js")),
        ] {
            let sandbox = two_criteria(&agent("true", deed));
            std::fs::write(sandbox.beside("check.sh"), &check).unwrap();
            sandbox.write("node_modules/runner/package.json", "{}\n");
            for file in ["index.js", "package.json"] {
                let path = sandbox.path(&format!("node_modules/runner/{file}"));
                let file = std::fs::File::options().write(true).open(path).unwrap();
                file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000))
                    .unwrap();
            }
            sandbox.write("node_modules/runner/record", "");
            assert!(sandbox.command("sh").arg("../check.sh").status().unwrap().success());
            let ran = sandbox.tdd(&["STE-1", "--sandbox", level, "--proof", "full"]);
            let ran = ran.expect(i32::from(told.is_some()));
            match told {
                // The proof's checkouts lead to the record as well.
                None => {
                    assert!(ran.stdout.contains("in a fresh checkout, seen failing"), "{}", ran.stdout);
                    assert!(!ran.stdout.contains("node_modules"), "{deed}: {}", ran.stdout);
                }
                Some(path) => {
                    drop(ran.says_on_stdout(&[&format!("an installed file is not as it was: {path}")]));
                }
            }
            assert!(!sandbox.read("node_modules/runner/record").contains("forged"), "{deed}");
        }
    }
}

/// Packages that need no network: one of the project's own, as an archive.
#[test]
fn ac_tdd_9_112_npm_ci_and_a_forced_installation_by_pip_are_held_against_nobody() {
    left_to_the_night!();
    for (needs, install, again) in [
        (
            ["npm", "--version"].as_slice(),
            "mkdir ../lib; echo '{\"name\":\"lib\",\"version\":\"1.0.0\"}' >../lib/package.json
             echo 'exports.one = 1;' >../lib/index.js; (cd ../lib && npm pack -s >&2) && mv ../lib/lib-1.0.0.tgz .
             echo '{\"private\":true,\"dependencies\":{\"lib\":\"file:lib-1.0.0.tgz\"}}' >package.json
             npm install -s --offline --no-audit --no-fund && test -e node_modules/lib/index.js",
            "npm ci -s --offline --no-audit --no-fund",
        ),
        (
            &["python3", "-m", "pip", "--version"],
            "python3 -c 'import zipfile
with zipfile.ZipFile(\"lib-1-py3-none-any.whl\", \"w\") as z:
    z.writestr(\"lib.py\", \"one = 1\\n\")
    z.writestr(\"lib-1.dist-info/METADATA\", \"Metadata-Version: 2.1\\nName: lib\\nVersion: 1\\n\")
    z.writestr(\"lib-1.dist-info/WHEEL\", \"Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n\")
    z.writestr(\"lib-1.dist-info/RECORD\", \"lib.py,,\\n\")'
             python3 -m venv --without-pip .venv
             python3 -m pip --python .venv/bin/python install -q --no-index ./lib-1-py3-none-any.whl",
            "python3 -m pip --python .venv/bin/python install -q --no-index --force-reinstall ./lib-1-py3-none-any.whl",
        ),
    ] {
        if !super::sandbox::has(needs[0], needs) {
            continue;
        }
        let again = format!("test $n = 1 || {{ {again} && : >../again; }}");
        let sandbox = two_criteria(&agent("true", &again));
        sandbox.write(".gitignore", "node_modules/\n.venv/\n");
        let installed = sandbox.command("sh").args(["-c", install]).output().unwrap();
        assert!(installed.status.success(), "{}", String::from_utf8_lossy(&installed.stderr));
        sandbox.commit();
        let ran = sandbox.tdd(&["STE-1", "--sandbox", "audit"]).expect(0);
        assert!(sandbox.beside("again").exists(), "{}", ran.stdout);
        assert!(!ran.stdout.contains("node_modules") && !ran.stdout.contains(".venv"), "{}", ran.stdout);
    }
}
