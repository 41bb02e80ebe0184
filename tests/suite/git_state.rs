//! What a child does to HEAD, refs, index, stash, configuration and hooks is undone: contract
//! section 12.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test works on real files and may fail anywhere"
)]

use tdd::driver::ports::Checkpoints;

use crate::sealed_git::Repository;

/// All that must be as it was. Refs of ours are left out.
fn state(repository: &Repository) -> Vec<String> {
    let refs = repository.git(&["for-each-ref", "--format=%(refname) %(objectname) %(symref)"]);
    let refs: Vec<&str> = refs.lines().filter(|line| !line.starts_with("refs/tdd/")).collect();
    vec![
        refs.join("\n"),
        repository.text(".git/HEAD").unwrap(),
        repository.git(&["ls-files", "-s", "-v"]),
        repository.git(&["stash", "list"]),
        repository.text(".git/config").unwrap(),
        repository.git(&["status", "--porcelain", "-b"]),
        format!("{:?}", std::fs::read_dir(repository.path(".git/hooks")).map(Iterator::count).ok()),
    ]
}

fn prepared() -> Repository {
    let repository = Repository::with(&[("a", "a\n"), ("b", "b\n")]);
    repository.child(
        "git branch other; git branch packed; git tag v1; git pack-refs --all; git branch loose; \
         git symbolic-ref refs/remotes/origin/HEAD refs/heads/main; \
         echo s1 > a; git stash -q; echo s2 > a; git stash -q; \
         echo staged > staged; git add staged; echo dirty >> b",
    );
    repository
}

/// Commits that can be reached from the refs that `tdd` kept.
fn kept(repository: &Repository) -> String {
    repository.git(&["log", "--format=%s", "--glob=refs/tdd/*"])
}

/// What a child runs, and what must be said of it. A child's commits are called CHILD.
const ATTACKS: [(&str, &[&str]); 22] = [
    ("git status", &[]),
    ("git add -A; git reset -q; git add staged", &[]),
    (
        "echo c > c; git add -A; git commit -qm CHILD",
        &["branch main was moved from", "kept as refs/tdd/", "the index was changed"],
    ),
    (
        "git commit -qm CHILD --allow-empty; git reset -q --hard HEAD~1; git tag -f v1 HEAD@{1}",
        &["tag v1 was moved"],
    ),
    (
        "git checkout -q -b mine; git commit -qm CHILD",
        &["HEAD was moved from branch main to branch mine", "branch mine was created", "kept as"],
    ),
    ("git checkout -q --detach; git commit -qm CHILD", &["HEAD was moved from branch main to ", "kept as"]),
    (
        "git branch -D other packed loose; git tag -d v1",
        &["branch other was deleted; put back", "branch packed was deleted", "tag v1 was deleted"],
    ),
    (
        "git branch -D other; git branch other/sub",
        &["branch other was deleted", "branch other/sub was created"],
    ),
    (
        "git branch -m main renamed",
        &["branch main was deleted", "branch renamed was created", "HEAD was moved"],
    ),
    ("git stash -q; git stash list", &["the stash was moved", "the list of stashes was changed"]),
    ("git stash drop -q; git stash drop -q", &["the stash was deleted", "the list of stashes was removed"]),
    ("git stash drop -q stash@{1}", &["the list of stashes was changed"]),
    (
        "git config core.hooksPath /tmp/evil; git config alias.x '!evil'",
        &["git's config was changed; put back"],
    ),
    ("echo 'garbage [' > .git/config", &["git's config was changed"]),
    (
        "mkdir -p .git/hooks; echo '#!/bin/sh' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
        &["the hook pre-commit was left behind; removed"],
    ),
    (
        "touch .git/index.lock .git/HEAD.lock .git/refs/heads/main.lock .git/packed-refs.lock; echo x > .git/refs/heads/x; git branch -f q main 2>/dev/null; true",
        &["index.lock was left behind; removed"],
    ),
    ("rm .git/index; git rm -rq --cached . || true", &["the index was"]),
    (
        "echo nonsense > .git/HEAD; echo nonsense > .git/refs/heads/loose; rm .git/packed-refs",
        &["HEAD was moved", "branch loose was", "branch packed was deleted"],
    ),
    ("echo 'utter nonsense' > .git/packed-refs", &["packed-refs could not be read"]),
    (
        "rm -f .git/HEAD .git/refs/heads/loose .git/config; mkfifo .git/HEAD .git/refs/heads/loose .git/config",
        &["HEAD", "branch loose", "was no file; removed"],
    ),
    (
        "git stash -q; git checkout -q -b m1; echo 1 > a; git commit -qam CHILD; git checkout -q main; echo 2 > a; git commit -qam CHILD2; git merge m1; true",
        &["a merge in progress", "branch main was moved"],
    ),
    (
        "git symbolic-ref refs/remotes/origin/HEAD refs/heads/other; git update-ref --no-deref refs/heads/loose $(git commit-tree -m CHILD HEAD^{tree})",
        &["refs/remotes/origin/HEAD was moved from refs/heads/main", "branch loose was moved"],
    ),
];

#[test]
fn what_a_child_did_to_git_is_undone_and_said() {
    for (attack, wants) in ATTACKS {
        let repository = prepared();
        let before = state(&repository);
        let mut checkpoints = repository.checkpoints();
        let zero = checkpoints.take("zero").unwrap();
        checkpoints.record_git().unwrap();
        repository.child(attack);
        let said =
            checkpoints.restore_git("attempt 1").unwrap_or_else(|trouble| panic!("{attack}: {trouble}"));
        checkpoints.restore_all(&zero).unwrap();
        assert_eq!(state(&repository), before, "{attack}\n{said:#?}");
        for want in wants {
            assert!(said.iter().any(|line| line.contains(want)), "{attack}: no {want:?} in {said:#?}");
        }
        assert!(said.iter().all(|line| !line.contains('\n')), "{said:#?}");
        if wants.is_empty() {
            assert_eq!(said, Vec::<String>::new(), "{attack}");
        }
        if attack.contains("CHILD") {
            assert!(kept(&repository).contains("CHILD"), "{attack}: {said:#?}");
        }
        assert_eq!(repository.git(&["fsck", "--no-dangling"]), "", "{attack}");
        // A second look finds nothing more to put back.
        assert_eq!(checkpoints.restore_git("attempt 1").unwrap(), Vec::<String>::new(), "{attack}");
    }
}

#[test]
fn our_own_refs_are_put_back_and_new_ones_stay() {
    let repository = prepared();
    let mut checkpoints = repository.checkpoints();
    let zero = checkpoints.take("zero").unwrap();
    checkpoints.record_git().unwrap();
    repository.child("git for-each-ref --format='delete %(refname)' refs/tdd | git update-ref --stdin");
    repository.write("a", "later");
    let later = checkpoints.take("later").unwrap();
    let said = checkpoints.restore_git("x").unwrap();
    assert_eq!(said.len(), 1, "{said:?}");
    let refs = repository.git(&["for-each-ref", "--format=%(objectname) %(refname:lstrip=3)", "refs/tdd"]);
    let mut want = [format!("{later} later"), format!("{zero} zero")];
    let mut refs: Vec<&str> = refs.lines().collect();
    refs.sort_unstable();
    want.sort_unstable();
    assert_eq!(refs, want);
    // A process that goes on with the run knows them too.
    repository.child("git for-each-ref --format='delete %(refname)' refs/tdd > ../list");
    let mut again = repository.checkpoints();
    again.record_git().unwrap();
    repository.child("git update-ref --stdin < ../list");
    assert_eq!(again.restore_git("x").unwrap().len(), 2);
}

#[test]
fn a_users_own_merge_and_locks_stay() {
    let repository = Repository::with(&[("a", "a\n")]);
    repository.child(
        "git checkout -q -b o; echo o > a; git commit -qam o; git checkout -q main; echo m > a; \
         git commit -qam m; git merge -q o; touch .git/index.lock",
    );
    let mut checkpoints = repository.checkpoints();
    checkpoints.record_git().unwrap();
    repository.child("rm .git/index.lock; git merge --abort");
    let said = checkpoints.restore_git("x").unwrap();
    assert!(said.iter().any(|line| line.contains("MERGE_HEAD") && line.contains("put back")), "{said:?}");
    assert!(repository.path(".git/index.lock").exists());
    assert!(repository.git(&["status"]).contains("You have unmerged paths"));
}

#[test]
fn an_unborn_branch_is_unborn_again() {
    let repository = Repository::unborn();
    repository.write("a", "a");
    let mut checkpoints = repository.checkpoints();
    checkpoints.record_git().unwrap();
    repository.child("git add -A; git commit -qm CHILD");
    let said = checkpoints.restore_git("x").unwrap();
    assert!(said.iter().any(|line| line.contains("branch main was created")), "{said:?}");
    assert!(repository.git(&["status"]).contains("No commits yet"));
    assert!(kept(&repository).contains("CHILD"));
}

#[test]
fn a_linked_work_tree_is_put_back_and_pointed_right() {
    let main = Repository::with(&[("a", "a")]);
    let linked = main.outside("linked");
    main.git(&["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
    let run = Repository::run_id();
    let mut checkpoints =
        tdd::world::checkpoints::GitCheckpoints::open(&linked, &run, &main.scratch()).unwrap();
    checkpoints.record_git().unwrap();
    main.git_in(&linked, &["checkout", "-q", "--detach"]);
    main.git_in(&linked, &["commit", "-q", "--allow-empty", "-m", "CHILD"]);
    std::fs::write(linked.join(".git"), "gitdir: /nowhere\n").unwrap();
    let said = checkpoints.restore_git("x").unwrap();
    assert!(said[0].contains("the file .git was changed"), "{said:?}");
    assert_eq!(main.git_in(&linked, &["symbolic-ref", "HEAD"]), "refs/heads/side");
    assert!(kept(&main).contains("CHILD"));
    assert_eq!(main.git(&["symbolic-ref", "HEAD"]), "refs/heads/main");
}

#[test]
fn a_git_folder_that_was_moved_away_is_said() {
    let repository = Repository::with(&[("a", "a")]);
    let mut checkpoints = repository.checkpoints();
    checkpoints.record_git().unwrap();
    repository.child("mv .git ../git-elsewhere; ln -s ../git-elsewhere .git");
    let trouble = checkpoints.restore_git("x").unwrap_err();
    assert!(trouble.what.contains(".git folder was moved away"), "{trouble}");
    assert!(trouble.what.contains("while the child of the attempt x ran"), "{trouble}");
    assert!(trouble.next.contains("back to where it was"), "{trouble}");
}

#[test]
fn what_a_child_destroyed_is_said_with_when_and_what_is_left() {
    for (destroy, label, words) in [
        ("rm -rf .git", "after-x-1", &["attempt x-1 ran", "gone", "a copy"] as &[_]),
        ("rm -rf .git", "end", &["while the last child ran"]),
        ("rm -rf .git/objects/*; rm -rf .git/refs/tdd", "x-1", &["attempt x-1 ran", "git fsck", "--new"]),
    ] {
        let repository = Repository::with(&[("a", "a")]);
        let mut checkpoints = repository.checkpoints();
        checkpoints.take("0").unwrap();
        checkpoints.record_git().unwrap();
        repository.child(destroy);
        let said = if label.starts_with("after-") {
            // An unchanged tree needs nothing of git.
            std::fs::write(repository.path("a"), "b").unwrap();
            checkpoints.take(label).unwrap_err().to_string()
        } else {
            checkpoints.restore_git(label).unwrap_err().to_string()
        };
        for word in words {
            assert!(said.contains(word), "{destroy}, {label}: no `{word}` in {said}");
        }
    }
    let repository = Repository::with(&[("a", "a")]);
    let mut checkpoints = repository.checkpoints();
    checkpoints.record_git().unwrap();
    std::fs::remove_dir_all(repository.scratch().join("checkpoints")).unwrap();
    std::fs::write(repository.path("a"), "b").unwrap();
    let said = checkpoints.take("after-x-1").unwrap_err().to_string();
    assert!(said.contains("attempt x-1 ran") && said.contains("run's own folder is gone"), "{said}");
}

#[test]
fn a_git_folder_that_is_a_link_is_pointed_right_again() {
    let repository = Repository::with(&[("a", "a")]);
    repository.child("mv .git ../real-git; ln -s ../real-git .git; mkdir ../fake-git");
    let mut checkpoints = repository.checkpoints();
    checkpoints.record_git().unwrap();
    assert_eq!(checkpoints.restore_git("x").unwrap(), Vec::<String>::new());
    repository.child("rm .git; ln -s ../fake-git .git");
    assert_eq!(checkpoints.restore_git("x").unwrap().len(), 1);
    assert_eq!(repository.git(&["symbolic-ref", "HEAD"]), "refs/heads/main");
}

#[test]
fn a_child_that_makes_many_refs_is_cleaned_up_after() {
    let repository = prepared();
    let before = state(&repository);
    let mut checkpoints = repository.checkpoints();
    checkpoints.record_git().unwrap();
    repository.child(
        "c=$(git commit-tree -m CHILD HEAD^{tree}); \
         for i in $(seq 2000); do echo \"create refs/heads/x/$i $c\"; done | git update-ref --stdin",
    );
    let said = checkpoints.restore_git("x").unwrap();
    assert!(said.len() < 150, "{}", said.len());
    assert_eq!(said.iter().filter(|line| line.contains("kept as")).count(), 1);
    assert_eq!(state(&repository), before);
    assert!(kept(&repository).contains("CHILD"));
}

#[test]
fn a_fifo_in_the_place_of_an_object_does_not_hold_us() {
    let repository = Repository::with(&[("a", "a")]);
    let mut checkpoints = repository.checkpoints();
    let zero = checkpoints.take("zero").unwrap();
    checkpoints.record_git().unwrap();
    repository.child("o=$(git rev-parse HEAD:a); f=.git/objects/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-); rm -f $f; mkfifo $f; echo b > a");
    let said = checkpoints.restore_git("x").unwrap();
    assert!(said.iter().any(|line| line.contains("was no file; removed")), "{said:?}");
    // The child destroyed the object, so it can't come back; but that is said, not waited for.
    let restored = checkpoints.restore_all(&zero);
    if let Err(trouble) = restored {
        assert!(trouble.what.contains("missing or damaged"), "{trouble}");
    }
}
