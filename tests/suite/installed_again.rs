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
