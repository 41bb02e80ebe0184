//! Checkpoints through real git: contract section 7.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test works on real files and may fail anywhere"
)]

use tdd_core::attempt::CheckpointId;
use tdd_core::finding::ChangeKind;
use tdd_core::path::RelPath;
use tdd_core::ports::Checkpoints;
use tdd_snapshot::checkpoints::run_refs;

use crate::sealed_git::{Repository, rel};

fn changes(repository: &Repository, from: &CheckpointId, to: &CheckpointId) -> Vec<(String, ChangeKind)> {
    let mut checkpoints = repository.checkpoints();
    let changes = checkpoints.diff(from, to).unwrap();
    changes.into_iter().map(|change| (change.path.as_str().to_owned(), change.kind)).collect()
}

/// Files with names and contents that filters, line ends and shells like to spoil.
fn awkward(repository: &Repository) {
    repository.write("plain.txt", "a\n");
    repository.write("crlf.txt", "a\r\nb\nc\r\n");
    repository.write("with space.txt", "x");
    repository.write("new\nline \"quoted\" \\ tab\t.txt", "x");
    repository.write(b"not-utf8-\xff\xfe.bin", [0_u8, 159, 255, 10, 13]);
    repository.write("-dash", "x");
    repository.write("a:b*c?[d]", "x");
    repository.write("empty", "");
    repository.write("deep/er/and/deeper/file.txt", "x");
    repository.write("ident.c", "$Id$ $Id: 123 $\n");
    repository.write("utf16.txt", "h\0i\0");
    repository.write("run.sh", "#!/bin/sh\n");
    repository.child(
        "chmod +x run.sh && ln -s plain.txt link && ln -s nowhere/at/all dangling && ln -s deep folder-link",
    );
}

#[test]
fn a_tree_comes_back_byte_for_byte_whatever_attributes_say() {
    left_to_the_night!();
    for attributes in [
        "",
        "* text=auto eol=crlf\n",
        "* text eol=lf ident\n",
        "* filter=lfs diff=lfs merge=lfs -text\n",
        "* filter=evil\n[attr]all text eol=crlf filter=evil\n* all\n",
        "*.txt working-tree-encoding=UTF-16LE text\n",
        "* text=maybe crlf=input\n\n# \u{feff}\n!!! ???\n",
    ] {
        let repository = Repository::unborn();
        repository.write(".gitattributes", attributes);
        awkward(&repository);
        for (name, value) in [
            ("core.autocrlf", "true"),
            ("core.safecrlf", "true"),
            ("core.eol", "crlf"),
            ("filter.evil.clean", "sed s/a/EVIL/"),
            ("filter.evil.smudge", "sed s/a/EVIL/"),
            ("filter.evil.required", "true"),
            ("filter.lfs.clean", "false"),
            ("filter.lfs.required", "true"),
            ("core.fsmonitor", "touch evil-fsmonitor; false"),
            ("core.hooksPath", "evil-hooks"),
        ] {
            repository.git(&["config", name, value]);
        }
        repository.write("evil-hooks/reference-transaction", "#!/bin/sh\ntouch evil-hook-ran\n");
        repository.child("chmod +x evil-hooks/*");
        let before = repository.tree();
        let mut checkpoints = repository.checkpoints();
        let zero = checkpoints.take("zero").unwrap();
        repository.child(
            "find . -path ./.git -prune -o -type f -print0 | xargs -0 rm; rm link dangling folder-link",
        );
        repository.write("plain.txt", "other");
        repository.write("brand/new.txt", "new");
        let one = checkpoints.take("one").unwrap();
        checkpoints.restore_all(&zero).unwrap();
        assert_eq!(repository.tree(), before, "{attributes:?}");
        checkpoints.restore_all(&one).unwrap();
        assert_eq!(repository.text("plain.txt").as_deref(), Some("other"));
        assert_eq!(repository.tree().len(), 2);
        checkpoints.restore_all(&zero).unwrap();
        assert_eq!(repository.tree(), before, "{attributes:?}");
    }
}

#[test]
fn a_diff_says_what_changed_and_how() {
    let repository = Repository::with(&[
        ("same", "x"),
        ("edited", "x"),
        ("gone", "x"),
        ("executable", "x"),
        ("linked", "x"),
        ("file-to-folder", "x"),
        ("folder-to-file/a", "x"),
        ("Case", "x"),
        ("folder/a", "x"),
        ("folder/b", "x"),
    ]);
    let mut checkpoints = repository.checkpoints();
    let before = checkpoints.take("before").unwrap();
    repository.child(
        "echo y > edited; rm gone; chmod +x executable; rm linked; ln -s same linked; rm file-to-folder; \
         mkdir file-to-folder; echo x > file-to-folder/in; rm -r folder-to-file; echo y > folder-to-file; \
         mv Case case; rm -r folder; echo n > 'n e\nw'",
    );
    let tree = repository.tree();
    let after = checkpoints.take("after").unwrap();
    let want = [
        ("Case", ChangeKind::Deleted),
        ("case", ChangeKind::Added),
        ("edited", ChangeKind::Modified),
        ("executable", ChangeKind::Retyped),
        ("file-to-folder", ChangeKind::Deleted),
        ("file-to-folder/in", ChangeKind::Added),
        ("folder-to-file", ChangeKind::Added),
        ("folder-to-file/a", ChangeKind::Deleted),
        ("folder/a", ChangeKind::Deleted),
        ("folder/b", ChangeKind::Deleted),
        ("gone", ChangeKind::Deleted),
        ("linked", ChangeKind::Retyped),
        ("n e\nw", ChangeKind::Added),
    ];
    let want: Vec<_> = want.iter().map(|(path, kind)| ((*path).to_owned(), *kind)).collect();
    assert_eq!(changes(&repository, &before, &after), want);
    checkpoints.restore_all(&before).unwrap();
    let restored = checkpoints.take("restored").unwrap();
    assert_eq!(changes(&repository, &before, &restored), []);
    checkpoints.restore_all(&after).unwrap();
    assert_eq!(repository.tree(), tree);
    assert!(!repository.path("folder").exists());
}

#[test]
fn ac_tdd_9_8_what_is_no_file_and_was_there_before_a_run_stays() {
    let repository = Repository::with(&[("a", "a")]);
    repository.child("mkfifo pipe; mkdir x; mkfifo x/pipe");
    let socket = repository.path("x/server.sock");
    let listening = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let before = repository.tree();
    for again in [false, true] {
        // A process that goes on with the run knows them too.
        let mut checkpoints = repository.checkpoints();
        let zero = checkpoints.take("zero").unwrap();
        repository.child("echo b > a; mkfifo new x/new");
        if again {
            // The server was started anew.
            std::fs::remove_file(&socket).unwrap();
            drop(std::os::unix::net::UnixListener::bind(&socket).unwrap());
        }
        checkpoints.restore_all(&zero).unwrap();
        assert_eq!(repository.tree(), before);
    }
    drop(listening);
}

#[test]
fn every_state_of_a_repository_can_be_checkpointed() {
    left_to_the_night!();
    let cases: [(&str, &str); 9] = [
        ("dirty tree", "echo x >> a; git add a; echo y >> a; echo n > new; git rm -q --cached b"),
        ("detached HEAD", "git checkout -q --detach"),
        ("index.lock", "touch .git/index.lock"),
        (
            "conflicted merge",
            "git checkout -q -b o; echo o > a; git commit -qam o; git checkout -q main; echo m > a; git commit -qam m; git merge o; test -f .git/MERGE_HEAD",
        ),
        (
            "nested repository",
            "git init -q nested; echo n > nested/file; cd nested; git add -A; git commit -qm n",
        ),
        ("nested repository without a commit", "git init -q nested; echo n > nested/file"),
        ("fifo and socket-like things", "mkfifo pipe deep-pipe; mkdir -p x; mkfifo x/pipe"),
        (
            "sparse checkout",
            "mkdir in out; echo i > in/i; echo o > out/o; git add -A; git commit -qm s; git sparse-checkout set in; test ! -e out/o",
        ),
        ("broken attributes in info", "echo '* filter=missing text eol=crlf' > .git/info/attributes"),
    ];
    for (name, prepare) in cases {
        let repository = Repository::with(&[("a", "a\n"), ("b", "b\n")]);
        repository.child(prepare);
        let is_file = |entry: &(Vec<u8>, u32, Vec<u8>)| entry.1 <= 0o100;
        let before: Vec<_> = repository.tree().into_iter().filter(is_file).collect();
        let status = repository.git(&["status", "--porcelain"]);
        let mut checkpoints = repository.checkpoints();
        let zero = checkpoints.take("zero").unwrap_or_else(|trouble| panic!("{name}: {trouble}"));
        repository
            .child("rm -f a; echo c > b; mkdir -p z; echo z > z/z; test ! -d nested || echo z > nested/z");
        checkpoints.take("one").unwrap();
        checkpoints.restore_all(&zero).unwrap();
        assert_eq!(repository.tree().into_iter().filter(is_file).collect::<Vec<_>>(), before, "{name}");
        if !name.contains("fifo") {
            assert_eq!(repository.git(&["status", "--porcelain"]), status, "{name}");
        }
    }
}

#[test]
fn an_unborn_repository_a_linked_work_tree_and_a_submodule_work() {
    let unborn = Repository::unborn();
    let mut checkpoints = unborn.checkpoints();
    let empty = checkpoints.take("empty").unwrap();
    unborn.write("a", "a");
    let one = checkpoints.take("one").unwrap();
    assert_eq!(changes(&unborn, &empty, &one), [("a".to_owned(), ChangeKind::Added)]);
    checkpoints.restore_all(&empty).unwrap();
    assert_eq!(unborn.tree(), []);

    let main = Repository::with(&[("a", "a")]);
    let linked = main.outside("linked");
    main.git(&["worktree", "add", "-q", linked.to_str().unwrap()]);
    let mut checkpoints =
        tdd_snapshot::checkpoints::GitCheckpoints::open(&linked, &Repository::run_id(), &main.scratch())
            .unwrap();
    let zero = checkpoints.take("zero").unwrap();
    std::fs::write(linked.join("a"), "b").unwrap();
    checkpoints.restore_all(&zero).unwrap();
    assert_eq!(std::fs::read(linked.join("a")).unwrap(), b"a");
    tdd_snapshot::checkpoints::exclude_runs(&linked).unwrap();
    std::fs::create_dir_all(linked.join(".tdd/runs/x")).unwrap();
    std::fs::write(linked.join(".tdd/runs/x/events.jsonl"), "").unwrap();
    assert_eq!(main.git_in(&linked, &["status", "--porcelain"]), "");

    let outer = Repository::with(&[("a", "a")]);
    outer.git(&["submodule", "--quiet", "add", main.top.to_str().unwrap(), "sub"]);
    outer.commit("sub");
    let mut checkpoints = outer.checkpoints();
    let zero = checkpoints.take("zero").unwrap();
    outer.write("sub/a", "changed");
    outer.write("sub/b", "new");
    let one = checkpoints.take("one").unwrap();
    assert_eq!(changes(&outer, &zero, &one), [("sub".to_owned(), ChangeKind::Submodule)]);
    checkpoints.restore_all(&zero).unwrap();
    assert_eq!(outer.git(&["status", "--porcelain"]), "");
}

#[test]
fn by_products_are_outside_without_any_gitignore_unless_git_tracks_them() {
    let repository = Repository::with(&[("a", "a"), ("coverage/tracked.txt", "t")]);
    let mut checkpoints = repository.checkpoints();
    let zero = checkpoints.take("zero").unwrap();
    for path in ["target/debug/x", "pkg/__pycache__/m.pyc", ".pytest_cache/v", "coverage/new.html"] {
        repository.write(path, "left by a test run");
    }
    repository.write("src/coverage/model.rs", "a source");
    repository.write("coverage/tracked.txt", "changed");
    let one = checkpoints.take("one").unwrap();
    let want = [("coverage/tracked.txt", ChangeKind::Modified), ("src/coverage/model.rs", ChangeKind::Added)];
    let want: Vec<_> = want.iter().map(|(path, kind)| ((*path).to_owned(), *kind)).collect();
    assert_eq!(changes(&repository, &zero, &one), want);
    checkpoints.restore_all(&zero).unwrap();
    assert_eq!(repository.text("target/debug/x").as_deref(), Some("left by a test run"));
}

#[test]
fn what_people_keep_beside_by_products_is_inside() {
    let mine = ["coverage/notes.md", "target/plan.md", "pkg/__pycache__/impl.py", ".pytest_cache/v/impl.py"];
    let repository = Repository::with(&[("a", "a")]);
    for path in mine {
        repository.write(path, "mine, and nobody tracks it");
    }
    let mut checkpoints = repository.checkpoints();
    let zero = checkpoints.take("zero").unwrap();
    for path in mine {
        std::fs::remove_file(repository.path(path)).unwrap();
    }
    let one = checkpoints.take("one").unwrap();
    assert_eq!(changes(&repository, &zero, &one).len(), mine.len());
    checkpoints.restore_all(&zero).unwrap();
    for path in mine {
        assert_eq!(repository.text(path).as_deref(), Some("mine, and nobody tracks it"), "{path}");
    }
}

#[test]
fn a_repository_inside_is_found_above_its_files() {
    let repository = Repository::with(&[("a", "a")]);
    repository.write("sub/.git/HEAD", "ref: refs/heads/main\n");
    let checkpoints = repository.checkpoints();
    for (file, want) in [("a", None), ("other/b", None), ("sub/deep/b", Some("sub"))] {
        let found = checkpoints.inner_repository(&rel(file));
        assert_eq!(found.as_ref().map(RelPath::as_str), want, "{file}");
    }
}

#[test]
fn ignored_files_and_runs_are_outside_by_the_rules_of_the_start() {
    let repository = Repository::with(&[
        (".gitignore", "*.log\n/build/\n!keep.log\n"),
        ("sub/.gitignore", "local\n"),
        ("a", "a"),
    ]);
    repository.write("build/out", "o");
    repository.write("forced.log", "tracked though ignored");
    repository.git(&["add", "-f", "forced.log"]);
    for path in ["x.log", "keep.log", "sub/local", "sub/x.log", ".tdd/runs/r/events.jsonl", "local"] {
        repository.write(path, "0");
    }
    repository.write(".git/info/exclude", "secret\n");
    repository.write("secret", "0");
    let mut checkpoints = repository.checkpoints();
    let zero = checkpoints.take("zero").unwrap();
    let names: Vec<String> =
        checkpoints.files(&zero).unwrap().iter().map(|path| path.as_str().to_owned()).collect();
    assert_eq!(names, [".gitignore", "a", "forced.log", "keep.log", "local", "sub/.gitignore"]);

    // A child hides all by new rules, and shows what was hidden by dropping the old ones.
    repository.write(".gitignore", "*\n");
    repository.write("sub/.gitignore", "");
    repository.write("hidden/evil.py", "e");
    repository.write("hidden/.gitignore", "*\n");
    for path in ["x.log", "build/out", "build/new", "sub/local", "secret", ".tdd/runs/r/events.jsonl"] {
        repository.write(path, "1");
    }
    repository.write("forced.log", "1");
    let one = checkpoints.take("one").unwrap();
    let want = [
        (".gitignore", ChangeKind::Modified),
        ("forced.log", ChangeKind::Modified),
        ("hidden/.gitignore", ChangeKind::Added),
        ("hidden/evil.py", ChangeKind::Added),
        ("sub/.gitignore", ChangeKind::Modified),
    ];
    let want: Vec<_> = want.iter().map(|(path, kind)| ((*path).to_owned(), *kind)).collect();
    assert_eq!(changes(&repository, &zero, &one), want);
    // A process that goes on with the run has the rules of its start too.
    let again = repository.checkpoints().take("again").unwrap();
    assert_eq!(changes(&repository, &one, &again), []);
    checkpoints.restore_all(&zero).unwrap();
    for path in ["x.log", "build/out", "build/new", "sub/local", "secret", ".tdd/runs/r/events.jsonl"] {
        assert_eq!(repository.text(path).as_deref(), Some("1"), "{path} is not ours to touch");
    }
    assert_eq!(repository.text("forced.log").as_deref(), Some("tracked though ignored"));
    assert!(!repository.path("hidden").exists());
}

#[test]
fn a_forged_time_does_not_hide_a_change() {
    let repository = Repository::with(&[("a", "0123456789")]);
    repository.child("touch -d '2020-01-01' a");
    let mut checkpoints = repository.checkpoints();
    let mut last = checkpoints.take("zero").unwrap();
    for digit in 1..6 {
        repository
            .child(&format!("printf '{digit}{digit}{digit}{digit}456789' > a; touch -d '2020-01-01' a"));
        let next = checkpoints.take("next").unwrap();
        let changed = checkpoints.diff(&last, &next).unwrap();
        assert_eq!(changed.len(), 1, "{digit}");
        last = next;
    }
}

#[test]
fn a_restore_is_not_led_out_of_the_tree() {
    left_to_the_night!();
    type Attack = (&'static str, &'static str);
    let cases: [Attack; 8] = [
        ("folder to link", "mv src moved; ln -s ../outside src"),
        ("file to link", "rm src/a; ln -s ../../outside/a src/a"),
        ("file to fifo", "rm src/a; mkfifo src/a"),
        ("folder to fifo", "rm -r src; mkfifo src"),
        ("folder to file", "rm -r src; echo x > src"),
        ("file to folder", "rm src/a; mkdir -p src/a/b; echo x > src/a/b/c; echo y > src/a/x.ignored"),
        ("hard link", "rm src/a; ln ../outside/a src/a"),
        ("read-only", "chmod 000 src/a; chmod 555 src/deep; rm src/b; chmod 500 src; chmod 500 ."),
    ];
    for (name, attack) in cases {
        for whole in [true, false] {
            let repository = Repository::with(&[
                (".gitignore", "*.ignored\n"),
                ("src/a", "a"),
                ("src/b", "b"),
                ("src/deep/c", "c"),
            ]);
            std::fs::create_dir(repository.outside("outside")).unwrap();
            std::fs::write(repository.outside("outside/a"), "outside").unwrap();
            let mut checkpoints = repository.checkpoints();
            let zero = checkpoints.take("zero").unwrap();
            repository.child(attack);
            checkpoints.take("attacked").unwrap_or_else(|trouble| panic!("{name}: {trouble}"));
            if whole {
                checkpoints.restore_all(&zero).unwrap_or_else(|trouble| panic!("{name}: {trouble}"));
                assert!(!repository.path("moved").exists(), "{name}");
            } else {
                let paths = ["src/a", "src/b", "src/deep/c"].map(rel);
                checkpoints.restore(&zero, &paths).unwrap_or_else(|trouble| panic!("{name}: {trouble}"));
            }
            for (path, text) in [("src/a", "a"), ("src/b", "b"), ("src/deep/c", "c")] {
                assert_eq!(repository.text(path).as_deref(), Some(text), "{name}: {path}");
                assert!(std::fs::symlink_metadata(repository.path(path)).unwrap().is_file(), "{name}");
            }
            assert_eq!(std::fs::read(repository.outside("outside/a")).unwrap(), b"outside", "{name}");
            let after = checkpoints.take("after").unwrap();
            let left = checkpoints.diff(&zero, &after).unwrap();
            assert!(left.iter().all(|change| change.path.is_within("moved")), "{name}: {left:?}");
        }
    }
}

/// Git keeps nothing of a folder but the files in it.
#[test]
fn a_folder_that_is_put_back_has_the_permissions_that_it_had() {
    let repository = Repository::with(&[("a", "a")]);
    repository
        .child("mkdir -m 750 odd; mkdir -m 700 odd/priv; echo f >odd/priv/f; mkdir plain; echo f >plain/f");
    let mode = |folder: &str| std::fs::metadata(repository.top.join(folder)).unwrap().permissions();
    let modes = || ["odd", "odd/priv", "plain"].map(mode);
    let before = modes();
    let mut checkpoints = repository.checkpoints();
    let zero = checkpoints.take("zero").unwrap();
    repository.child("rm -r odd plain");
    checkpoints.restore_all(&zero).unwrap();
    assert_eq!(modes(), before);
    repository.child("rm -r odd plain");
    checkpoints.restore(&zero, &[rel("odd/priv/f"), rel("plain/f")]).unwrap();
    assert_eq!(modes(), before);
}

#[test]
fn single_paths_are_restored_and_nothing_else() {
    let repository = Repository::with(&[("a", "a"), ("b", "b"), ("c/d", "d")]);
    repository.write(b"raw-\xff", "raw");
    let mut checkpoints = repository.checkpoints();
    let zero = checkpoints.take("zero").unwrap();
    repository.child("echo 1 > a; echo 1 > b; rm -r c; echo 1 > new; echo 1 > other");
    repository.write(b"raw-\xff", "changed");
    let paths = [rel("a"), rel("c/d"), rel("new"), rel("never/there"), rel("raw-\u{fffd}")];
    checkpoints.restore(&zero, &paths).unwrap();
    assert_eq!(repository.text("a").as_deref(), Some("a"));
    assert_eq!(repository.text("b").as_deref(), Some("1\n"));
    assert_eq!(repository.text("c/d").as_deref(), Some("d"));
    assert_eq!(repository.text("new"), None);
    assert_eq!(repository.text("other").as_deref(), Some("1\n"));
    assert_eq!(repository.read(b"raw-\xff").as_deref(), Some(b"raw".as_slice()));
    let after = checkpoints.take("after").unwrap();
    let left: Vec<String> =
        checkpoints.diff(&zero, &after).unwrap().iter().map(|change| change.path.to_string()).collect();
    assert_eq!(left, ["b", "other"]);
}

#[test]
fn files_and_bytes_of_a_snapshot_can_be_read() {
    let repository = Repository::with(&[("a", "a"), ("b/c\nd", "c")]);
    repository.child("ln -s a link");
    let mut checkpoints = repository.checkpoints();
    let zero = checkpoints.take("a label: with ..odd/parts.lock").unwrap();
    repository.child("rm a; echo 2 > 'b/c\nd'");
    assert_eq!(checkpoints.read(&zero, &rel("a")).unwrap().as_deref(), Some(b"a".as_slice()));
    assert_eq!(checkpoints.read(&zero, &rel("b/c\nd")).unwrap().as_deref(), Some(b"c".as_slice()));
    assert_eq!(checkpoints.read(&zero, &rel("link")).unwrap(), None);
    assert_eq!(checkpoints.read(&zero, &rel("nothing")).unwrap(), None);
    let files: Vec<String> = checkpoints.files(&zero).unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(files, ["a", "b/c\nd", "link"]);
    let bad = CheckpointId("--output=/tmp/x".to_owned());
    assert!(checkpoints.diff(&zero, &bad).is_err());
    assert!(checkpoints.restore_all(&CheckpointId("0".repeat(40))).is_err());
    let refs = repository.git(&["for-each-ref", "--format=%(refname)", "refs/tdd"]);
    assert_eq!(refs, "refs/tdd/20260101T000000Z-STE-1-abcd/a-label--with-.odd-parts.lock-");
    assert_eq!(repository.git(&["fsck", "--strict", "--no-dangling"]), "");
}

#[test]
fn a_killed_process_loses_no_checkpoint_and_no_label() {
    let repository = Repository::with(&[("a", "a")]);
    let mut killed = repository.checkpoints();
    killed.take("0").unwrap();
    repository.write("a", "1");
    let good = killed.take("after-x-1").unwrap();
    killed.label("good-x-1", &good).unwrap();
    repository.write("a", "2");
    let first = killed.take("seen").unwrap();
    std::mem::forget(killed);
    let label = |label: &str| {
        repository.git(&[
            "rev-parse",
            "--verify",
            "--quiet",
            &format!("refs/tdd/20260101T000000Z-STE-1-abcd/{label}"),
        ])
    };
    let labels = || repository.git(&["for-each-ref", "--format=%(refname:lstrip=3)", "refs/tdd"]);
    assert_eq!(labels(), "0\nafter-x-1\nseen", "a label of what is held is no ref yet");
    let mut next = repository.checkpoints();
    repository.write("a", "3");
    let second = next.take("seen").unwrap();
    assert_eq!((label("seen"), label("seen.2")), (second.0, first.0), "what only it held is kept");
    let lost = CheckpointId("1".repeat(40));
    next.label_again([("good-x-1".to_owned(), good.clone()), ("before-y-1".to_owned(), lost)].into())
        .unwrap();
    next.write_labels().unwrap();
    assert_eq!(labels(), "0\nafter-x-1\ngood-x-1\nseen\nseen.2");
    assert_eq!(label("good-x-1"), good.0);
    assert_eq!(repository.git(&["fsck", "--strict", "--no-dangling"]), "");
}

#[test]
fn a_child_that_loses_the_last_snapshot_does_not_stop_the_next() {
    let repository = Repository::with(&[("a", "a")]);
    let mut checkpoints = repository.checkpoints();
    repository.write("b", "only in the snapshot");
    checkpoints.take("zero").unwrap();
    repository.child("git for-each-ref --format='delete %(refname)' refs/tdd | git update-ref --stdin; git gc -q --prune=now");
    repository.write("b", "later");
    let next = checkpoints.take("next").unwrap();
    assert_eq!(checkpoints.read(&next, &rel("b")).unwrap().as_deref(), Some(b"later".as_slice()));
    assert_eq!(checkpoints.read(&next, &rel("a")).unwrap().as_deref(), Some(b"a".as_slice()));
}

#[test]
fn a_repository_of_another_object_format_works() {
    let repository = Repository::unborn();
    repository.child("rm -rf .git; git init -q -b main --object-format=sha256");
    repository.write("a", "a");
    let mut checkpoints = repository.checkpoints();
    let zero = checkpoints.take("zero").unwrap();
    assert_eq!(zero.0.len(), 64);
    repository.write("a", "b");
    checkpoints.restore_all(&zero).unwrap();
    assert_eq!(repository.text("a").as_deref(), Some("a"));
}

#[test]
fn what_is_no_repository_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let trouble =
        tdd_snapshot::checkpoints::GitCheckpoints::open(folder.path(), &Repository::run_id(), folder.path());
    assert!(trouble.unwrap_err().what.contains("is no git work tree"));
}

#[test]
fn runs_are_kept_out_of_git_once() {
    let repository = Repository::with(&[("a", "a")]);
    repository.write(".git/info/exclude", "no newline at the end");
    tdd_snapshot::checkpoints::exclude_runs(&repository.top).unwrap();
    tdd_snapshot::checkpoints::exclude_runs(&repository.top).unwrap();
    assert_eq!(repository.text(".git/info/exclude").unwrap(), "no newline at the end\n/.tdd/runs/\n");
    repository.child("rm -r .git/info");
    tdd_snapshot::checkpoints::exclude_runs(&repository.top).unwrap();
    assert_eq!(repository.text(".git/info/exclude").unwrap(), "/.tdd/runs/\n");
}

/// The twin: another git that is at work in the repository may be the one that writes it.
#[test]
fn a_pack_that_a_killed_import_left_half_written_is_removed_unless_a_git_is_at_work() {
    let repository = Repository::with(&[("a.txt", "a")]);
    let top = repository.top.as_path();
    let pack = top.join(".git/objects/pack/tmp_pack_Abc123");
    let place = tdd_snapshot::checkpoints::place::GitPlace::find(top).unwrap();
    let nobody = 4_000_000;
    let write = || {
        std::fs::create_dir_all(pack.parent().unwrap()).unwrap();
        std::fs::write(&pack, "PACK").unwrap();
    };
    write();
    let mut git = std::process::Command::new("git");
    git.args(["hash-object", "--stdin"]).current_dir(top).stdin(std::process::Stdio::piped());
    let mut at_work = git.stdout(std::process::Stdio::null()).spawn().unwrap();
    tdd_snapshot::checkpoints::intent::tidy(&place, nobody);
    assert!(pack.exists(), "it may be the other git's");
    drop(at_work.stdin.take());
    at_work.wait().unwrap();
    tdd_snapshot::checkpoints::intent::tidy(&place, nobody);
    assert!(!pack.exists());
}

#[test]
fn refs_of_a_run_are_found_wherever_git_keeps_them() {
    let repository = Repository::with(&[("a", "a")]);
    let run = Repository::run_id();
    let are_there = || run_refs::are_there(&repository.top, &run);
    assert!(!are_there(), "none was made");
    // Another run's, whose name begins like this one's.
    repository.git(&["update-ref", &format!("refs/tdd/{}x/0", run.0), "HEAD"]);
    repository.git(&["pack-refs", "--all"]);
    assert!(!are_there());
    repository.git(&["update-ref", &format!("refs/tdd/{}/0", run.0), "HEAD"]);
    assert!(are_there(), "a file of its own");
    repository.git(&["pack-refs", "--all"]);
    assert!(!repository.path(format!(".git/refs/tdd/{}/0", run.0)).exists());
    assert!(are_there(), "a line of the packed ones");

    let other = Repository::unborn();
    std::fs::remove_dir_all(other.path(".git")).unwrap();
    let made = other.command(&other.top).args(["init", "-q", "--ref-format=reftable"]).output().unwrap();
    if !made.status.success() {
        println!("skipped: no reftable: {}", String::from_utf8_lossy(&made.stderr));
        return;
    }
    other.commit("first");
    assert!(!run_refs::are_there(&other.top, &run));
    other.git(&["update-ref", &format!("refs/tdd/{}/0", run.0), "HEAD"]);
    assert!(run_refs::are_there(&other.top, &run), "a table");
}

/// Programs that look at every file of a project stumble over a link that leads nowhere; what is packed later is found.
#[test]
fn ac_tdd_9_60_no_link_of_a_run_leads_nowhere_and_packed_refs_are_found() {
    let repository = Repository::with(&[("a", "0")]);
    let mut checkpoints = repository.checkpoints();
    let zero = checkpoints.take("zero").unwrap();
    let links = || {
        let mut open = vec![repository.scratch()];
        let mut links = Vec::new();
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let kind = entry.file_type().unwrap();
                links.extend(kind.is_symlink().then(|| entry.path()));
                open.extend(kind.is_dir().then(|| entry.path()));
            }
        }
        links
    };
    assert!(!links().is_empty());
    assert_eq!(links().iter().filter(|link| !link.exists()).count(), 0, "{:?}", links());
    repository.child("git pack-refs --all && test -s .git/packed-refs && echo 1 > a");
    let one = checkpoints.take("one").unwrap();
    drop(checkpoints);
    let mut again = repository.checkpoints();
    // What it knows of the run it has read from the packed refs.
    assert_eq!(changes(&repository, &zero, &one), [("a".to_owned(), ChangeKind::Modified)]);
    again.restore_all(&zero).unwrap();
    assert_eq!(repository.text("a").as_deref(), Some("0"));
}
