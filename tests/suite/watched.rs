//! A look at the tree by one process after the other: what changed since the last is seen, however it is hidden, and
//! what nobody's checkpoint holds is no change.
#![expect(clippy::disallowed_methods, reason = "a test works on real files")]

use tdd_core::attempt::CheckpointId;
use tdd_snapshot::checkpoints::GitCheckpoints;
use tdd_snapshot::checkpoints::watch::{Look, is_as_seen};

use crate::sandbox::wait_for;
use crate::sealed_git::Repository;

fn see(repository: &Repository) -> CheckpointId {
    let run = Repository::run_id();
    GitCheckpoints::watching(&repository.top, &run, &repository.scratch(), Look::Quick)
        .unwrap()
        .see()
        .unwrap()
}

fn is_same(repository: &Repository, commit: &CheckpointId) -> bool {
    is_as_seen(&repository.top, &repository.scratch(), commit).unwrap()
}

/// With so many files, a file that is tracked though ignored, and what tests leave.
fn watched(many: usize) -> (Repository, CheckpointId) {
    let repository = Repository::unborn();
    for number in 0..many {
        repository.write(format!("many/{}/f{number}.py", number % 7), "x\n");
    }
    repository.write("src/a.py", "a = 1\n");
    repository.write("src/b.py", "b = 1\n");
    repository.write("ignored/kept.txt", "kept\n");
    repository.child("git add -A && git commit -qm first && ln -s a.py src/link.py && mkdir empty");
    repository.write(".gitignore", "/ignored\n*.log\n");
    repository.write("ignored/other.txt", "x\n");
    repository.write("src/__pycache__/a.pyc", "x\n");
    repository.write("old.log", "x\n");
    let commit = see(&repository);
    (repository, commit)
}

/// Looks again, long enough after the last change for stamps to be taken for settled.
fn rest(began: std::time::Instant, all: &[(Repository, CheckpointId)]) {
    wait_for(|| began.elapsed() > std::time::Duration::from_millis(150));
    for (repository, commit) in all {
        assert_eq!(see(repository), *commit);
    }
}

/// What is done, and whether it changes what a checkpoint holds.
const DEEDS: [(&str, bool); 32] = [
    ("true", false),
    ("echo x > new.log; mkdir -p logs.log/deep; echo x > logs.log/deep/a.py", false),
    ("echo x > src/__pycache__/b.pyc", false),
    ("mkdir -p tests/__pycache__ && echo x > tests/__pycache__/b.pyc", false),
    ("echo x > src/__pycache__/b.py", true),
    ("mkdir -p new/er", false),
    ("mkdir -p new/er && echo x > new/er/a.py", true),
    ("rmdir empty", false),
    ("rmdir empty && echo x > empty", true),
    ("rm old.log && mkdir old.log && echo x > old.log/a.py", false),
    ("rm -r ignored/other.txt && echo y > ignored/new.txt", false),
    ("echo other > ignored/kept.txt", true),
    ("rm -r ignored", true),
    ("mkfifo src/pipe", false),
    ("rm src/a.py && mkfifo src/a.py", true),
    ("mkdir -p sub/.git .GIT && echo x > sub/.git/config && echo x > .GIT/x", false),
    ("mkdir -p .tdd/sessions/s .tdd/runs/r && echo x > .tdd/sessions/s/a && echo x > .tdd/runs/r/a", false),
    ("mkdir -p .tdd/skills && echo x > .tdd/skills/a", true),
    ("touch -r src/a.py kept && printf 'a = 2\\n' > src/a.py && touch -r kept src/a.py && rm kept", true),
    ("touch -r src/a.py ../kept && sed -i s/1/2/ src/a.py && touch -r ../kept src/a.py", true),
    ("rm src/b.py", true),
    ("echo x > src/c.py", true),
    ("chmod +x src/a.py", true),
    ("mv src/a.py src/c.py && mv src/b.py src/a.py && mv src/c.py src/b.py", true),
    ("rm src/b.py && ln -s a.py src/b.py", true),
    ("ln -sfn b.py src/link.py", true),
    ("mv src ../src && ln -s ../src src", true),
    ("cp -a many/0 ../zero && rm -r many/0 && ln -s ../../zero many/0", true),
    ("rm -r many/3", true),
    ("rm -r many/3 && echo x > many/3", true),
    ("printf '!*.log\\n' > .gitignore", true),
    ("echo x > 'a\nb \"c\".py'", true),
];

#[test]
fn ac_tdd_10_9_a_look_by_stamps_sees_what_a_look_at_every_file_sees() {
    left_to_the_night!();
    let all: Vec<_> = DEEDS.iter().map(|_| watched(40)).collect();
    rest(std::time::Instant::now(), &all);
    for ((deed, is_change), (repository, commit)) in DEEDS.into_iter().zip(all) {
        repository.child(deed);
        assert_eq!(is_same(&repository, &commit), !is_change, "{deed}");
        // What it has learned it knows without the rules.
        let rules = repository.scratch().join("checkpoints/rules.json");
        std::fs::rename(&rules, repository.outside("rules")).unwrap();
        assert_eq!(is_same(&repository, &commit), !is_change, "{deed}, again");
        std::fs::rename(repository.outside("rules"), &rules).unwrap();
        assert_eq!(see(&repository) == commit, !is_change, "{deed}, by git");
    }
}

#[test]
fn ac_tdd_10_9_a_file_that_rests_is_known_by_its_stamp_and_a_change_of_it_is_seen() {
    let all = [watched(1200)];
    rest(std::time::Instant::now(), &all);
    let [(repository, commit)] = all;
    assert!(is_same(&repository, &commit));
    repository
        .child("touch -r src/a.py ../kept && printf 'a = 2\\n' > src/a.py && touch -r ../kept src/a.py");
    assert!(!is_same(&repository, &commit), "size and time are as they were");
    repository.child("printf 'a = 1\\n' > src/a.py && touch -r ../kept src/a.py");
    assert!(!is_same(&repository, &commit), "its stamp is another");
    assert_eq!(see(&repository), commit, "and what it holds is the same");
    assert!(is_same(&repository, &commit));
    // A damaged note is none, and another commit's, too.
    let note = repository.scratch().join("checkpoints/seen");
    let bytes = std::fs::read(&note).unwrap();
    assert!(!is_same(&repository, &CheckpointId("0".repeat(40))));
    for cut in [0, 5, 40, 80, bytes.len() / 2, bytes.len() - 1] {
        std::fs::write(&note, &bytes[..cut]).unwrap();
        assert!(!is_same(&repository, &commit), "{cut} of {} bytes", bytes.len());
    }
    let mut turned = bytes.clone();
    turned[bytes.len() / 2] ^= 1;
    std::fs::write(&note, turned).unwrap();
    assert!(!is_same(&repository, &commit));
    assert_ne!(see(&repository), CheckpointId(String::new()));
}
