//! The most memory that `tdd` itself ever takes: in a run on a suite of 20,000 tests.

use std::io::Read;
use std::process::Child;
use std::time::Duration;

use super::project::Project;
use super::table::{Figure, Row};

const TESTS: usize = 20_000;
const FILES: usize = 20;
const BOUND_MIB: f64 = 100.0;

/// Prints TAP, a point for each test: many for a file of the old ones, one for a criterion's.
const TEST: &str = r#"
[ $# -gt 0 ] || set -- checks/*.t
bad=0 number=0
for file; do
    case $file in
    */many_*)
        awk -v from=$number -v tests=PER_FILE -v file="$file" 'BEGIN { for (i = 1; i <= tests; i++)
            print "ok " from + i " - " file " a fairly long name of the test with the number " i " of this file" }'
        number=$((number + PER_FILE)) ;;
    *)
        number=$((number + 1)) of=${file##*_} of=${of%.t}
        if [ -e "src/impl_$of.txt" ]; then
            echo "ok $number - $file works"
        else
            bad=1
            printf 'not ok %s - %s works\n  ---\n  message: expected impl_%s\n  ...\n' $number "$file" "$of"
        fi ;;
    esac
done
echo "1..$number"
exit $bad
"#;

pub fn measure() -> Vec<Row> {
    let project = Project::new(1, 10);
    std::fs::write(project.beside("tap.sh"), TEST.replace("PER_FILE", &(TESTS / FILES).to_string())).unwrap();
    for number in 0..FILES {
        project.write(&format!("checks/many_{number:02}.t"), "many\n");
    }
    let run = format!("sh {}", project.beside("tap.sh").display());
    let before = project.read("tdd.yaml");
    let yaml = before.lines().map(|line| match line.split_once(':') {
        Some(("test", _)) => format!("test: {run}\n"),
        Some(("runner", _)) => {
            format!("runner: {{ kind: tap, all: \"{run}\", select: \"{run} {{files}}\" }}\n")
        }
        _ => format!("{line}\n"),
    });
    project.write("tdd.yaml", &yaml.collect::<String>());
    project.commit();
    let peak = peak_mib(project.tdd().spawn().unwrap());
    let journal = format!("{:?}", project.events());
    assert!(journal.contains(&(TESTS + 1).to_string()), "not all tests were seen");
    vec![Row {
        what: format!("a run on a suite of {TESTS} tests: peak memory"),
        figure: Figure::Memory { measured: peak, bound: BOUND_MIB },
        note: "VmHWM of tdd alone, of one run".to_owned(),
    }]
}

/// Waits for a good end and gives the most memory that the process itself ever took, in MiB. What `wait4`
/// tells would be the most of its children, too.
pub fn peak_mib(mut tdd: Child) -> f64 {
    let mut peak: f64 = 0.0;
    let status = loop {
        let about = std::fs::read_to_string(format!("/proc/{}/status", tdd.id())).unwrap_or_default();
        let line = about.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<f64>().ok());
        peak = peak.max(kib.unwrap_or(0.0) / 1024.0);
        if let Some(status) = tdd.try_wait().unwrap() {
            break status;
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let mut said = String::new();
    let _ = tdd.stderr.take().unwrap().read_to_string(&mut said);
    assert!(status.success(), "tdd: {said}");
    peak
}
