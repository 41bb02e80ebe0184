//! What a child does to HEAD, refs, index, stash, configuration and hooks is undone: contract
//! section 12.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test works on real files and may fail anywhere"
)]

use tdd_core::isolation::Level;
use tdd_core::ports::Checkpoints;

use crate::sealed_git::Repository;

/// All that must be as it was: what is this work tree's.
fn state(repository: &Repository) -> Vec<String> {
    vec![
        repository.git(&["for-each-ref", "--format=%(refname) %(objectname)", "refs/heads/main"]),
        repository.text(".git/HEAD").unwrap(),
        repository.git(&["ls-files", "-s", "-v"]),
        repository.git(&["-c", "core.fsmonitor=false", "status", "--porcelain", "-b"]),
    ]
}

/// All else that a person has in a repository. Refs of ours are left out.
fn theirs(repository: &Repository) -> Vec<String> {
    let refs = repository.git(&["for-each-ref", "--format=%(refname) %(objectname) %(symref)"]);
    let refs: Vec<&str> = refs.lines().filter(|line| !line.starts_with("refs/tdd/")).collect();
    vec![
        refs.join("\n"),
        repository.git(&["stash", "list"]),
        repository.text(".git/config").unwrap(),
        repository.git(&["worktree", "list", "--porcelain"]),
        format!("{:?}", std::fs::read_dir(repository.path(".git/hooks")).map(Iterator::count).ok()),
    ]
}

fn prepared() -> Repository {
    let repository = Repository::with(&[("a", "a\n"), ("b", "b\n")]);
    repository.child(
        "git branch other; git checkout -q -b packed; git commit -q --allow-empty -m PACKED; \
         git checkout -q main; git tag v1; git pack-refs --all; git checkout -q -b loose; \
         git commit -q --allow-empty -m LOOSE; git checkout -q main; \
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

/// Every commit that some ref or the list of stashes holds, by name.
fn commits(repository: &Repository) -> Vec<String> {
    let held = repository.git(&["rev-list", "--all"]);
    let stashes = repository.git(&["stash", "list", "--format=%H"]);
    held.lines().chain(stashes.lines()).map(str::to_owned).collect()
}

/// What a child runs, and what must be said of it. A child's commits are called CHILD.
const ATTACKS: [(&str, &[&str]); 24] = [
    ("git status", &[]),
    ("git add -A; git reset -q; git add staged", &[]),
    (
        "echo c > c; git add -A; git commit -qm CHILD",
        &[
            "branch main was moved from",
            "kept as refs/tdd/",
            "the index was changed; put back, what was staged is",
        ],
    ),
    (
        "git commit -qm CHILD --allow-empty; git reset -q --hard HEAD~1; git tag -f v1 HEAD@{1}",
        &["tag v1 was moved", "left as it is"],
    ),
    (
        "git checkout -q -b mine; git commit -qm CHILD",
        &["HEAD was moved from branch main to branch mine; put back", "branch mine was created at"],
    ),
    ("git checkout -q --detach; git commit -qm CHILD", &["HEAD was moved from branch main to ", "kept as"]),
    (
        "git branch -D other packed loose; git tag -d v1",
        &[
            "branch other, which was",
            "branch packed, which was",
            "what it was is kept as",
            "tag v1, which was",
        ],
    ),
    (
        "git branch -D other; git branch other/sub",
        &["branch other, which was", "branch other/sub was created"],
    ),
    (
        "git branch -m main renamed",
        &["branch main was deleted; put back", "branch renamed was created", "HEAD was moved"],
    ),
    (
        "git checkout -q --detach; git branch -D main; git branch main/below; git commit -qm CHILD",
        &["branch main was deleted; put back", "branch main/below was created at", "removed"],
    ),
    ("git stash -q; git stash list", &["the stash was moved", "was made; left as it is"]),
    ("git stash drop -q; git stash drop -q", &["the stash, which was", "was dropped; kept as refs/tdd/"]),
    ("git stash drop -q stash@{1}", &["was dropped; kept as refs/tdd/"]),
    (
        "git config core.hooksPath /tmp/evil; git config alias.x '!evil'",
        &[
            "git's config was changed; alias.x, core.hookspath; as it was before it is kept in",
            "left as it is",
        ],
    ),
    ("echo 'garbage [' > .git/config", &["git's config was changed; git can't read it"]),
    (
        "mkdir -p .git/hooks; echo '#!/bin/sh' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
        &["the hook pre-commit was left behind; left as it is"],
    ),
    (
        "echo /nowhere > .git/objects/info/alternates; echo '* filter=x' > .git/info/attributes",
        &[".git/objects/info/alternates was left behind; left", ".git/info/attributes was left behind; left"],
    ),
    (
        "touch .git/index.lock .git/HEAD.lock .git/refs/heads/main.lock .git/packed-refs.lock; echo x > .git/refs/heads/x; git branch -f q main 2>/dev/null; true",
        &["index.lock was left behind; removed", "refs/heads/main.lock was left behind; removed"],
    ),
    ("rm .git/index; git rm -rq --cached . || true", &["the index was"]),
    (
        "echo nonsense > .git/HEAD; echo nonsense > .git/refs/heads/loose; rm .git/packed-refs",
        &["HEAD was moved", "branch loose was deleted; put back", "branch packed, which was"],
    ),
    ("echo 'utter nonsense' > .git/packed-refs", &["packed-refs could not be read"]),
    (
        "rm -f .git/HEAD .git/refs/heads/main .git/index; mkfifo .git/HEAD .git/refs/heads/main .git/index",
        &["HEAD", "refs/heads/main was no file; removed"],
    ),
    (
        "git stash -q; git checkout -q -b m1; echo 1 > a; git commit -qam CHILD; git checkout -q main; echo 2 > a; git commit -qam CHILD2; git merge m1; true",
        &[
            "a merge in progress",
            "branch main was moved",
            "the index was changed; put back, what was staged is",
        ],
    ),
    (
        "git symbolic-ref refs/remotes/origin/HEAD refs/heads/other; git update-ref --no-deref refs/heads/loose $(git commit-tree -m CHILD HEAD^{tree})",
        &[
            "refs/remotes/origin/HEAD was moved from refs/heads/main",
            "branch loose was moved",
            "what it was is kept",
        ],
    ),
];

#[test]
fn what_a_child_did_to_git_is_undone_or_told_and_no_commit_is_lost() {
    left_to_the_night!();
    for (attack, wants) in ATTACKS {
        let repository = prepared();
        let (before, held) = (state(&repository), commits(&repository));
        let config = std::fs::read(repository.path(".git/config")).unwrap();
        let mut checkpoints = repository.checkpoints();
        let zero = checkpoints.take("zero").unwrap();
        checkpoints.record_git().unwrap();
        repository.child(attack);
        let said =
            checkpoints.restore_git("attempt 1").unwrap_or_else(|trouble| panic!("{attack}: {trouble}"));
        checkpoints.restore_all(&zero).unwrap();
        if attack.contains("garbage") {
            std::fs::write(repository.path(".git/config"), &config).unwrap();
        }
        assert_eq!(state(&repository), before, "{attack}\n{said:#?}");
        for want in wants {
            assert!(said.iter().any(|line| line.contains(want)), "{attack}: no {want:?} in {said:#?}");
        }
        assert!(said.iter().all(|line| !line.contains('\n')), "{said:#?}");
        if wants.is_empty() {
            assert_eq!(said, Vec::<String>::new(), "{attack}");
        }
        let now = commits(&repository);
        let lost: Vec<&String> = held.iter().filter(|commit| !now.contains(commit)).collect();
        assert!(lost.is_empty(), "{attack}: nothing holds {lost:?}\n{said:#?}");
        if attack.contains("CHILD") && !attack.contains("reset") {
            let all = repository.git(&["log", "--format=%s", "--all"]);
            assert!(all.contains("CHILD"), "{attack}: {said:#?}");
        }
        // A second look finds nothing more to put back, and tells nothing twice.
        if !attack.contains("garbage") {
            assert_eq!(checkpoints.restore_git("attempt 1").unwrap(), Vec::<String>::new(), "{attack}");
        }
    }
}

/// What a person does in the same repository, and not to this work tree.
const ELSEWHERE: &str = "git worktree add -q -b side ../side; cd ../side; echo 1 > s; git add s; \
     git commit -qm SIDE1; echo 2 > s; git commit -qam SIDE2; git branch theirs HEAD~1; git tag mine; \
     GIT_SEQUENCE_EDITOR=\"sed -i 's/^pick/edit/'\" git rebase -q -i HEAD~1 2>/dev/null; echo x > s; git stash -q; \
     git config user.name me; echo '#!/bin/sh' > ../repo/.git/hooks/pre-push";
/// And to this one.
const HERE: &str = "git commit -qm HERE; git checkout -q -b here; echo new > added; git add added";

#[test]
fn ac_tdd_9_4_a_persons_own_work_in_git_stays() {
    left_to_the_night!();
    for level in [Level::Audit, Level::Enforce] {
        let repository = prepared();
        let before = state(&repository);
        let mut checkpoints = repository.checkpoints().at_level(level);
        checkpoints.take("zero").unwrap();
        checkpoints.record_git().unwrap();
        repository.child(ELSEWHERE);
        let after = theirs(&repository);
        let said = checkpoints.restore_git("x").unwrap();
        assert_eq!(theirs(&repository), after, "{level:?}: {said:#?}");
        assert_eq!(state(&repository), before, "{level:?}: {said:#?}");
        for told in
            ["branch side was created", "branch theirs", "tag mine", "the stash", "user.name", "pre-push"]
        {
            let is_told = said.iter().any(|line| line.contains(told) && line.ends_with("left as it is"));
            assert_eq!(is_told, level == Level::Audit, "{level:?}, {told}: {said:#?}");
        }
        let status = repository.git_in(&repository.outside("side"), &["status"]);
        assert!(status.contains("interactive rebase in progress"), "{status}");
        repository.child(HERE);
        let here = state(&repository);
        let said = checkpoints.restore_git("y").unwrap();
        match level {
            Level::Audit => {
                assert_eq!(state(&repository)[..3], before[..3], "{said:#?}");
                let subjects = repository.git(&["log", "--format=%s", "--all"]);
                assert!(subjects.contains("HERE"), "{said:#?}");
                let staged = repository.git(&["ls-tree", "-r", "--name-only", &kept_index(&said)]);
                assert!(staged.contains("added"), "{staged}");
            }
            // Nobody but a person can have done that.
            Level::Enforce => {
                assert_eq!(state(&repository), here);
                assert_eq!(said[0], "HEAD was moved from branch main to branch here; left as it is");
                assert!(said[1].starts_with("branch main was moved from "), "{said:#?}");
                assert!(said[1].ends_with("by somebody else, since no child could; left as it is"));
                assert_eq!(said.len(), 2, "{said:#?}");
            }
        }
    }
}

/// The ref that an index was kept as.
fn kept_index(said: &[String]) -> String {
    let line = said.iter().find(|line| line.starts_with("the index")).unwrap();
    let name = line.split_whitespace().find(|word| word.starts_with("refs/tdd/")).unwrap();
    name.trim_end_matches(';').to_owned()
}

#[test]
fn where_no_child_can_write_only_refs_of_the_run_are_put_back() {
    let repository = prepared();
    let mut checkpoints = repository.checkpoints().at_level(Level::Enforce);
    let zero = checkpoints.take("zero").unwrap();
    checkpoints.record_git().unwrap();
    repository.child("git update-ref -d refs/tdd/20260101T000000Z-STE-1-abcd/zero; git branch -D other");
    let said = checkpoints.restore_git("x").unwrap();
    assert_eq!(said.len(), 1, "{said:?}");
    assert_eq!(repository.git(&["rev-parse", "refs/tdd/20260101T000000Z-STE-1-abcd/zero"]), zero.0);
    assert!(!repository.git(&["branch", "--list"]).contains("other"));
}

/// Settings and files with which a repository can have git run programs, or refuse its work.
const SETTINGS: [&str; 9] = [
    "git config core.fsmonitor 'touch ../ran; false'; git config core.fsmonitorHookVersion 2",
    "git config core.hooksPath ../hooks",
    "mkdir -p .git/hooks; cp ../hooks/* .git/hooks",
    "git config filter.x.clean 'touch ../ran; cat'; git config filter.x.smudge 'touch ../ran; cat'; git config filter.x.required true; echo '* filter=x' > .git/info/attributes",
    "git config diff.x.textconv 'touch ../ran; cat'; git config diff.x.command 'touch ../ran'; git config diff.external 'touch ../ran'; echo '* diff=x' > .git/info/attributes",
    "git config core.repositoryFormatVersion 1; git config extensions.partialClone evil; git config remote.evil.promisor true; git config remote.evil.url 'ext::sh -c \"touch ../ran\"'; git config protocol.ext.allow always; rm -f .git/objects/??/*",
    "git config core.repositoryFormatVersion 99",
    "git config core.worktree /tmp; git config core.bare true; git config core.pager 'touch ../ran'; git config core.sshCommand 'touch ../ran'; git config core.alternateRefsCommand 'touch ../ran'",
    "echo 'garbage [' > .git/config",
];

/// All that `tdd` asks of git after a child, with what the child wrote in force.
#[test]
fn no_setting_of_a_repository_runs_a_program_or_stops_a_run() {
    left_to_the_night!();
    for setting in SETTINGS {
        let repository = prepared();
        repository.child(
            "mkdir ../hooks; for h in reference-transaction post-index-change pre-auto-gc post-commit; do \
             printf '#!/bin/sh\ntouch ../ran\n' > ../hooks/$h; chmod +x ../hooks/$h; done",
        );
        let mut checkpoints = repository.checkpoints();
        let zero = checkpoints.take("zero").unwrap();
        let before = repository.tree();
        checkpoints.record_git().unwrap();
        repository.child("git checkout -q -b evil; echo x > a; echo y > n; git add n; git commit -qm CHILD");
        repository.child(setting);
        let destroys = setting.contains("rm -f");
        let restored = checkpoints.restore_git("attempt 1");
        let done = restored.and_then(|said| {
            assert!(said.iter().any(|line| line.contains("HEAD was moved")), "{setting}: {said:#?}");
            let after = checkpoints.take("after")?;
            let changed = checkpoints.diff(&zero, &after)?;
            checkpoints.patch(&zero, &after, &[crate::sealed_git::rel("a")])?;
            checkpoints.restore_all(&zero)?;
            checkpoints.record_git()?;
            checkpoints.restore_git("attempt 2")?;
            Ok(changed)
        });
        match done {
            Ok(changed) => {
                assert_eq!(changed.len(), 2, "{setting}");
                assert_eq!(repository.tree(), before, "{setting}");
            }
            Err(trouble) => assert!(destroys, "{setting}: {trouble}"),
        }
        drop(checkpoints);
        assert!(!repository.outside("ran").exists(), "{setting}: a program was run");
        if !destroys {
            assert_eq!(repository.text(".git/HEAD").unwrap(), "ref: refs/heads/main\n", "{setting}");
        }
    }
}

/// A child in level `audit` can write into the run's folder, too.
#[test]
fn our_own_git_folders_are_laid_anew_after_a_child() {
    let repository = prepared();
    let before = state(&repository);
    let mut checkpoints = repository.checkpoints();
    let zero = checkpoints.take("zero").unwrap();
    checkpoints.record_git().unwrap();
    repository.child("git commit -qm CHILD");
    repository.child(
        "cd ../scratch/checkpoints; echo 'garbage [' > git/config; echo ../../../elsewhere > git/commondir; \
         rm refs/refs; mkdir -p ../../elsewhere refs/info; ln -s ../../../elsewhere refs/refs; \
         echo x > refs/commondir",
    );
    checkpoints.restore_git("x").unwrap();
    checkpoints.restore_all(&zero).unwrap();
    assert_eq!(state(&repository), before);
    assert_eq!(std::fs::read_dir(repository.outside("elsewhere")).unwrap().count(), 0);
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
fn a_users_own_merge_stays() {
    let repository = Repository::with(&[("a", "a\n")]);
    repository.child(
        "git checkout -q -b o; echo o > a; git commit -qam o; git checkout -q main; echo m > a; \
         git commit -qam m; git merge -q o; true",
    );
    let mut checkpoints = repository.checkpoints();
    checkpoints.record_git().unwrap();
    repository.child("git merge --abort");
    let said = checkpoints.restore_git("x").unwrap();
    assert!(said.iter().any(|line| line.contains("MERGE_HEAD") && line.contains("put back")), "{said:?}");
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
        tdd_snapshot::checkpoints::GitCheckpoints::open(&linked, &run, &main.scratch()).unwrap();
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
fn a_child_that_makes_many_refs_is_told_of_in_a_few_lines() {
    left_to_the_night!();
    let repository = prepared();
    let before = state(&repository);
    let mut checkpoints = repository.checkpoints();
    checkpoints.record_git().unwrap();
    repository.child(
        "c=$(git commit-tree -m CHILD HEAD^{tree}); \
         for i in $(seq 2000); do echo \"create refs/heads/x/$i $c\"; done | git update-ref --stdin; \
         git update-ref refs/heads/main $c",
    );
    let said = checkpoints.restore_git("x").unwrap();
    assert!(said.len() < 150, "{}", said.len());
    assert_eq!(said.iter().filter(|line| line.contains("kept as")).count(), 1);
    assert_eq!(state(&repository), before);
    assert!(kept(&repository).contains("CHILD"));
}

#[test]
fn a_socket_in_the_git_folder_stays() {
    let repository = Repository::with(&[("a", "a")]);
    let mut checkpoints = repository.checkpoints();
    checkpoints.record_git().unwrap();
    let socket = repository.path(".git/fsmonitor--daemon.ipc");
    let _listening = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    assert_eq!(checkpoints.restore_git("x").unwrap(), Vec::<String>::new());
    assert!(socket.exists());
}

/// A lock belongs to a git that is at work: here a commit whose message a person is writing.
#[test]
fn the_lock_of_a_git_at_work_stays() {
    let repository = prepared();
    let mut checkpoints = repository.checkpoints();
    checkpoints.record_git().unwrap();
    repository.child("mkfifo ../up ../go");
    let mut command = repository.command(&repository.top);
    command.env("GIT_EDITOR", "sh -c 'echo > ../up; read x < ../go; echo MESSAGE > \"$0\"'");
    let mut git = command.args(["commit", "-q", "-a"]).spawn().unwrap();
    std::fs::read(repository.outside("up")).unwrap();
    let said = checkpoints.restore_git("x").unwrap();
    assert!(said.iter().any(|line| line.contains("a git is at work; left as it is")), "{said:#?}");
    assert!(repository.path(".git/index.lock").exists());
    std::fs::write(repository.outside("go"), "\n").unwrap();
    assert!(git.wait().unwrap().success());
    assert!(repository.git(&["log", "-1", "--format=%s"]).contains("MESSAGE"));
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
