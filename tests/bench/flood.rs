//! A child that prints 1 GiB: how much memory `tdd` takes, and how fast it reads.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use rustix::termios::{LocalModes, OptionalActions, OutputModes, tcgetattr, tcsetattr};
use tdd_core::event::Event;

use super::memory::peak_mib;
use super::project::Project;
use super::table::{Figure, Row};

const PART: usize = 64 << 20;
const PARTS: usize = 16;
const TIMES: usize = 2;

/// The test-writer floods; each child waits a little, so that the memory is seen after the flood.
const AGENT: &str = r#"
role=$1
files=
case $role in
test-writer)
    cat ../part ../part ../part ../part ../part ../part ../part ../part \
        ../part ../part ../part ../part ../part ../part ../part ../part
    echo x > checks/ac_b_1_1.t; files=checks/ac_b_1_1.t ;;
implementer) files=src/impl_1.txt; echo done > $files; sleep 0.1 ;;
esac
printf 'Done.\n```tdd-result\nrole: %s\nstatus: ok\nfiles: [%s]\ncommand: sh run.sh\noutput_excerpt: |\n  x\n```\n' "$role" "$files"
"#;

pub fn measure() -> Vec<Row> {
    let mut peak: f64 = 0.0;
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..TIMES {
        let project = Project::with_agent(1, 10, AGENT, "    output_cap: 2GiB\n");
        let mut part = std::fs::File::create(project.beside("part")).unwrap();
        let line = "A line as agents and their tools print them, 64 bytes of it all.\n";
        part.write_all(&line.as_bytes().repeat(PART / line.len())).unwrap();
        drop(part);
        let bytes = (PART / line.len() * line.len() * PARTS) as f64;
        bare.push(bytes / bare_reader(&project).as_secs_f64());
        let child = project.tdd().spawn().unwrap();
        peak = peak.max(peak_mib(child));
        ours.push(bytes / flooded(&project).as_secs_f64());
    }
    let best = |rates: Vec<f64>| rates.into_iter().fold(0.0, f64::max);
    let (ours, bare) = (best(ours), best(bare));
    let mib = |rate: f64| rate / f64::from(1 << 20);
    vec![
        Row {
            what: "child that prints 1 GiB: peak memory".to_owned(),
            figure: Figure::Memory { measured: peak, bound: 32.0 },
            note: format!("VmHWM of tdd, the most of {TIMES} runs"),
        },
        Row {
            what: "child that prints 1 GiB: rate against a bare PTY reader".to_owned(),
            figure: Figure::Rate { measured: ours / bare, bound: 0.8 },
            note: format!("best of {TIMES}: tdd {:.0} MiB/s, bare {:.0} MiB/s", mib(ours), mib(bare)),
        },
    ]
}

/// How long the flooding child lived, by the journal.
fn flooded(project: &Project) -> Duration {
    let events = project.events();
    let returned = events.iter().find_map(|(_, event)| match event {
        Event::AgentReturned { outcome, .. } => Some(outcome.duration_ms),
        _ => None,
    });
    Duration::from_millis(returned.unwrap())
}

/// The same child on a terminal of the same modes, read and thrown away.
fn bare_reader(project: &Project) -> Duration {
    let pair = native_pty_system().openpty(PtySize::default()).unwrap();
    let name = pair.master.tty_name().unwrap();
    let terminal = std::fs::OpenOptions::new().read(true).write(true).open(name).unwrap();
    let mut modes = tcgetattr(&terminal).unwrap();
    modes.output_modes.remove(OutputModes::OPOST);
    modes.local_modes.remove(LocalModes::ECHO | LocalModes::ECHONL);
    tcsetattr(&terminal, OptionalActions::Now, &modes).unwrap();
    let mut command = CommandBuilder::new("sh");
    command.arg(project.beside("agent.sh"));
    command.arg("test-writer");
    command.cwd(project.repo());
    let mut reader = pair.master.try_clone_reader().unwrap();
    let began = Instant::now();
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop((pair.slave, terminal));
    let mut bytes = vec![0_u8; 64 << 10];
    let mut total = 0;
    // EIO is how a terminal says that nobody has its other side open.
    while let Ok(count @ 1..) = reader.read(&mut bytes) {
        total += count;
    }
    assert!(total > PART * (PARTS - 1), "the bare reader saw {total} bytes only");
    let took = began.elapsed();
    assert!(child.wait().unwrap().success());
    std::fs::remove_file(project.repo().join("checks/ac_b_1_1.t")).unwrap();
    took
}
