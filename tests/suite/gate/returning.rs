//! Going back to what was known, and what only looks like it.

use serde_json::json;

use super::ways_around::shell;
use super::{ID, RIGHT, SHOP, TAX, WRONG, begun, claims, edits, hook, project, red, stops, types};
use crate::sandbox::{Sandbox, has_pytest};

fn git(sandbox: &Sandbox, script: &str) {
    let identity = "git config user.name a; git config user.email a@b";
    let done = sandbox.command("sh").args(["-ec", &format!("{identity}; {script}")]).output().unwrap();
    assert!(done.status.success(), "{script}: {}", String::from_utf8_lossy(&done.stderr));
}

fn person(sandbox: &Sandbox) {
    hook(sandbox, "UserPromptSubmit", "", json!({})).expect(0);
}

/// A session that has turned its red test green.
fn judged() -> Option<Sandbox> {
    let sandbox = begun()?;
    git(&sandbox, "true");
    red(&sandbox, ID);
    claims(&sandbox, ID, "shop.py");
    edits(&sandbox, "shop.py", RIGHT).expect(0);
    stops(&sandbox).expect(0);
    person(&sandbox);
    Some(sandbox)
}

#[test]
fn ac_tdd_10_45_what_a_stash_has_kept_comes_back_in_a_later_call() {
    left_to_the_night!();
    // A person's own work, from before the session.
    let sandbox = project();
    git(&sandbox, "git branch -M main");
    sandbox.write("shop.py", WRONG);
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    shell(&sandbox, "git stash -q").expect(0);
    assert_eq!(sandbox.read("shop.py"), SHOP);
    shell(&sandbox, "git stash pop -q").expect(0);
    assert_eq!(sandbox.read("shop.py"), WRONG);
    stops(&sandbox).expect(0);
    // A stash from before the session, with a file that git did not track; one that is not the newest.
    for (pop, tax) in [("git stash pop -q", TAX), ("git stash apply -q stash@{1}", WRONG)] {
        let sandbox = project();
        sandbox.write("tax.py", WRONG);
        git(&sandbox, "git stash -q");
        sandbox.write("shop.py", WRONG);
        sandbox.write("new.py", SHOP);
        git(&sandbox, "git stash -qu");
        hook(&sandbox, "SessionStart", "", json!({})).expect(0);
        shell(&sandbox, pop).expect(0);
        let shop = if tax == TAX { WRONG } else { SHOP };
        assert_eq!((sandbox.read("shop.py").as_str(), sandbox.read("tax.py").as_str()), (shop, tax), "{pop}");
        assert_eq!(sandbox.path("new.py").exists(), tax == TAX, "{pop}");
        stops(&sandbox).expect(0);
    }
    // The agent's own work, judged green; and beside other work that was judged since.
    let Some(sandbox) = judged() else { return };
    shell(&sandbox, "git stash -qu").expect(0);
    shell(&sandbox, "git stash pop -q").expect(0);
    assert_eq!(sandbox.read("shop.py"), RIGHT);
    shell(&sandbox, "git stash -qu").expect(0);
    let tax = "tests/test_tax.py::test_tax";
    red(&sandbox, tax);
    claims(&sandbox, tax, "tax.py");
    edits(&sandbox, "tax.py", "def tax(price):\n    return 19\n").expect(0);
    sandbox.tdd(&["gate", "flush"]).expect(0);
    shell(&sandbox, "git stash pop -q").expect(0);
    assert_eq!(sandbox.read("shop.py"), RIGHT);
    assert_ne!(sandbox.read("tax.py"), TAX);
    stops(&sandbox).expect(0);
}

#[test]
fn ac_tdd_10_45_a_stash_launders_nothing() {
    left_to_the_night!();
    for make in [
        "sed -i s/0/7/ shop.py; git stash -q",
        "sed -i s/0/7/ shop.py; git stash store -m x $(git stash create); git checkout -q -- shop.py",
        "sed -i s/0/7/ shop.py; git update-ref --create-reflog refs/stash $(git stash create); git checkout -q -- shop.py",
        // Of a base of its own, by which the merge would be another.
        "sed -i s/0/7/ shop.py; t=$(git stash create); b=$(git commit-tree -p HEAD -m b $t^{tree}); \
         i=$(git commit-tree -p $b -m i HEAD^{tree}); git stash store -m x $(git commit-tree -p $b -p $i -m w HEAD^{tree}); \
         git checkout -q -- shop.py",
    ] {
        let sandbox = project();
        git(&sandbox, "true");
        hook(&sandbox, "SessionStart", "", json!({})).expect(0);
        shell(&sandbox, make).expect(0);
        // Not in the same turn, nor in a later one.
        for _ in 0..2 {
            let ran = shell(&sandbox, "git stash pop -q; sed -i s/0/7/ shop.py").expect(2);
            ran.says(&["shop.py refused", "taken back"]);
            assert_eq!(sandbox.read("shop.py"), SHOP, "{make}");
            stops(&sandbox);
            person(&sandbox);
        }
    }
    // What is taken back is not gone with its entry.
    let sandbox = project();
    git(&sandbox, "true");
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    shell(&sandbox, "sed -i s/0/7/ shop.py; echo x=1 >tests/test_x.py; git stash -qu; echo >>tax.py")
        .expect(2);
    shell(&sandbox, "sed -i s/0/7/ shop.py; git stash -q; git stash show -p >../kept; echo >notes.md")
        .expect(0);
    let sandbox = project();
    git(&sandbox, "true");
    sandbox.write("shop.py", WRONG);
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    shell(&sandbox, "git stash -q").expect(0);
    let told = shell(&sandbox, "git stash pop -q; sed -i s/7/8/ shop.py").expect(2);
    let told = told.says(&["git has dropped the stash", "refs/tdd/s-1/stash-", "git stash store -m kept "]);
    let again = told.stderr.split("lists it again: ").nth(1).unwrap().lines().next().unwrap();
    shell(&sandbox, again).expect(0);
    shell(&sandbox, "git stash pop -q").expect(0);
    assert_eq!(sandbox.read("shop.py"), WRONG);
}

/// A session on `main`, and a branch `feature` with another text in the same line.
fn with_conflict() -> Sandbox {
    let sandbox = project();
    git(
        &sandbox,
        "git branch -M main; git switch -qc feature; sed -i s/0/4/ shop.py; echo z=1 >z.py; git add -A; git commit -qm f; \
         git switch -qc clean main; echo z=1 >z.py; git add -A; git commit -qm c; git switch -q main; sed -i s/0/3/ shop.py; git commit -qam m",
    );
    sandbox
}

#[test]
fn ac_tdd_10_45_a_merge_that_is_given_up_goes_back() {
    left_to_the_night!();
    for (begin, end) in [
        ("git merge -q feature", "git merge --abort"),
        ("git merge -q feature", "git reset -q --hard"),
        ("git merge -q --squash -X ours feature", "git reset -q --hard; git clean -qfd -- z.py"),
        ("git merge -q --no-commit --no-ff clean", "git merge --abort"),
        ("git cherry-pick feature", "git cherry-pick --abort"),
        ("git revert --no-edit HEAD~1; git rebase -q feature", "git rebase --abort"),
    ] {
        let sandbox = with_conflict();
        let before = sandbox.read("shop.py");
        hook(&sandbox, "SessionStart", "", json!({})).expect(0);
        shell(&sandbox, begin);
        shell(&sandbox, end).expect(0);
        assert_eq!(
            (sandbox.read("shop.py"), sandbox.path("z.py").exists()),
            (before.clone(), false),
            "{begin}"
        );
        stops(&sandbox).expect(0);
        let sandbox = with_conflict();
        // One that the person has left.
        let begun = sandbox.command("sh").args(["-c", begin]).output();
        assert!(begun.is_ok());
        hook(&sandbox, "SessionStart", "", json!({})).expect(0);
        shell(&sandbox, end).expect(0);
        assert_eq!((sandbox.read("shop.py"), sandbox.path("z.py").exists()), (before, false), "{begin}");
        stops(&sandbox).expect(0);
    }
    // A part of it is no way back, and neither is one with more in it.
    for end in [
        "git checkout -q main~1 -- shop.py",
        "git merge --abort; sed -i s/3/7/ shop.py",
        "rm .git/MERGE_HEAD; git checkout -q HEAD -- shop.py",
    ] {
        let sandbox = with_conflict();
        hook(&sandbox, "SessionStart", "", json!({})).expect(0);
        shell(&sandbox, "git merge -q feature").expect(0);
        let conflict = sandbox.read("shop.py");
        shell(&sandbox, end).expect(2).says(&["shop.py refused"]);
        assert_eq!(sandbox.read("shop.py"), conflict, "{end}");
    }
}

#[test]
fn ac_tdd_10_45_the_whole_code_goes_back_to_what_was_known() {
    left_to_the_night!();
    for script in
        ["git checkout -q -- .", "git checkout -q -- shop.py; rm tests/test_total.py", "git reset -q --hard"]
    {
        let Some(sandbox) = judged() else { return };
        shell(&sandbox, script).expect(0);
        stops(&sandbox).expect(0);
        assert_eq!(sandbox.read("shop.py"), SHOP, "{script}");
        assert_eq!(types(&sandbox).last().map(String::as_str), Some("rebased"), "{script}");
        shell(&sandbox, "sed -i s/0/7/ shop.py").expect(2);
    }
    // Beside other work of its own a file alone is no state that anybody has judged; nor is an older text by hand.
    let Some(sandbox) = judged() else { return };
    let tax = "tests/test_tax.py::test_tax";
    red(&sandbox, tax);
    claims(&sandbox, tax, "tax.py");
    edits(&sandbox, "tax.py", "def tax(price):\n    return 19\n").expect(0);
    stops(&sandbox).expect(0);
    shell(&sandbox, "git checkout -q -- shop.py").expect(2).says(&["shop.py refused"]);
    shell(&sandbox, "git checkout -q -- tax.py").expect(0);
    // While a claim is open nothing is gone back to, and an edit that is undone is no red turn.
    red(&sandbox, tax);
    claims(&sandbox, tax, "tax.py");
    edits(&sandbox, "tax.py", WRONG).expect(0);
    shell(&sandbox, "git checkout -q -- tax.py").expect(0);
    shell(&sandbox, "git checkout -q -- shop.py").expect(2);
    stops(&sandbox).expect(0);
    assert_eq!((sandbox.read("shop.py").as_str(), sandbox.read("tax.py").as_str()), (RIGHT, TAX));
    // What a person has not committed is under the session's work, and would be lost.
    if has_pytest() {
        let sandbox = project();
        sandbox.write("shop.py", "# mine\ndef total(prices):\n    return 0\n");
        hook(&sandbox, "SessionStart", "", json!({})).expect(0);
        red(&sandbox, ID);
        claims(&sandbox, ID, "shop.py");
        edits(&sandbox, "shop.py", RIGHT).expect(0);
        stops(&sandbox).expect(0);
        shell(&sandbox, "git checkout -q -- shop.py").expect(2);
        assert_eq!(sandbox.read("shop.py"), RIGHT);
    }
}

#[test]
fn ac_tdd_10_45_a_known_commit_is_taken_out_again() {
    left_to_the_night!();
    let Some(sandbox) = judged() else { return };
    shell(&sandbox, "git add -A; git commit -qm green").expect(0);
    stops(&sandbox).expect(0);
    person(&sandbox);
    shell(&sandbox, "git revert --no-edit HEAD").expect(0);
    stops(&sandbox).expect(0);
    assert_eq!(sandbox.read("shop.py"), SHOP);
    // One under others, by what git makes of both.
    let two = || {
        let sandbox = project();
        git(
            &sandbox,
            "git branch -M main; sed -i s/0/3/ shop.py; git commit -qam three; sed -i s/0/3/ tax.py; git commit -qam tax",
        );
        hook(&sandbox, "SessionStart", "", json!({})).expect(0);
        sandbox
    };
    let sandbox = two();
    shell(&sandbox, "git revert --no-edit HEAD~1").expect(0);
    stops(&sandbox).expect(0);
    assert_eq!(sandbox.read("shop.py"), SHOP);
    assert_ne!(sandbox.read("tax.py"), TAX);
    // A known one is picked that says which it is.
    let sandbox = with_conflict();
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    shell(&sandbox, "git cherry-pick -x clean").expect(0);
    stops(&sandbox).expect(0);
    assert!(sandbox.path("z.py").exists());
    // What only says so.
    for script in [
        "sed -i s/3/7/ shop.py; git commit -qam \"$(git log -n1 --format='This reverts commit %H.' HEAD~1)\"",
        "git revert --no-edit HEAD~1; sed -i s/0/7/ shop.py; git commit -q --amend --no-edit -a",
        "git revert --no-edit HEAD~1; sed -i s/0/7/ shop.py",
    ] {
        let sandbox = two();
        shell(&sandbox, script).expect(2).says(&["shop.py refused"]);
        assert!(sandbox.read("shop.py").contains('3'), "{script}");
    }
}

#[test]
fn ac_tdd_10_56_what_git_replays_of_known_commits_stands() {
    left_to_the_night!();
    let scripts = [
        "git cherry-pick clean",
        "git switch -q -c own; git rebase -q clean",
        "git switch -q clean; git rebase -q main",
        "git merge -q --squash clean && git commit -qm squashed",
        "git rebase -q clean && git switch -q -c own",
    ];
    for script in scripts {
        let sandbox = with_conflict();
        git(
            &sandbox,
            "echo 'a = 1' > a.py; git add -A; git commit -qm a; echo 'b = 1' > b.py; git add -A; git commit -qm b",
        );
        hook(&sandbox, "SessionStart", "", json!({})).expect(0);
        shell(&sandbox, script).expect(0);
        stops(&sandbox).expect(0);
        assert!(sandbox.path("z.py").exists() && sandbox.path("b.py").exists(), "{script}");
        // What only looks like it has more in it.
        let sandbox = with_conflict();
        git(&sandbox, "echo 'a = 1' > a.py; git add -A; git commit -qm a");
        hook(&sandbox, "SessionStart", "", json!({})).expect(0);
        let cheat = format!("{script}; echo 'x = 7' >> z.py; git commit -qa --amend --no-edit");
        shell(&sandbox, &cheat).expect(2).says(&["z.py refused"]);
        assert!(!std::fs::read_to_string(sandbox.path("z.py")).unwrap_or_default().contains('7'), "{script}");
    }
    // The agent's own commits of judged work are replayed as well.
    let Some(sandbox) = judged() else { return };
    git(
        &sandbox,
        "git branch -M main; git switch -q -c side; echo 's = 1' > side.py; git add side.py; git commit -qm side; git switch -q main",
    );
    person(&sandbox);
    shell(&sandbox, "git commit -qam green").expect(0);
    stops(&sandbox).expect(0);
    person(&sandbox);
    shell(&sandbox, "git rebase -q side").expect(0);
    stops(&sandbox).expect(0);
    assert!(sandbox.path("side.py").exists());
    assert_eq!(sandbox.read("shop.py"), RIGHT);
}

#[test]
fn ac_tdd_10_46_what_head_holds_of_a_claimed_edit_that_is_taken_back_is_told_until_it_does_not() {
    left_to_the_night!();
    let Some(sandbox) = begun() else { return };
    git(&sandbox, "true");
    red(&sandbox, ID);
    claims(&sandbox, ID, "shop.py");
    edits(&sandbox, "shop.py", WRONG).expect(0);
    shell(&sandbox, "git commit -qam wrong").expect(0);
    let words = ["HEAD holds other text", "shop.py", "git reset --soft"];
    let ran = stops(&sandbox).expect(2).says(&["taken back: shop.py"]).says(&words);
    // In the next turn, too, and in that after it.
    for _ in 0..2 {
        person(&sandbox);
        shell(&sandbox, "git status").expect(0);
        stops(&sandbox).expect(2).says(&words);
    }
    // As it is advised; then nothing is told.
    let advice = ran.stderr.split('(').find(|part| part.starts_with("git reset")).unwrap();
    let advice = advice.split(')').next().unwrap();
    shell(&sandbox, advice).expect(0);
    stops(&sandbox).expect(0);
    person(&sandbox);
    stops(&sandbox).expect(0);
    assert_eq!(sandbox.read("shop.py"), SHOP);
    // What is judged green may be committed before the end of the turn.
    red(&sandbox, ID);
    claims(&sandbox, ID, "shop.py");
    edits(&sandbox, "shop.py", RIGHT).expect(0);
    shell(&sandbox, "git commit -qam right").expect(0);
    stops(&sandbox).expect(0);
}
