//! What git brings into the tree from its history, and what only looks like it.

use serde_json::json;

use super::ways_around::shell;
use super::{RIGHT, SHOP, WRONG, claims, edits, hook, project, red, stops, types};
use crate::sandbox::{Sandbox, has_pytest};

fn git(sandbox: &Sandbox, script: &str) {
    let identity = "git config user.name a; git config user.email a@b";
    let done = sandbox.command("sh").args(["-ec", &format!("{identity}; {script}")]).output().unwrap();
    assert!(done.status.success(), "{script}: {}", String::from_utf8_lossy(&done.stderr));
}

/// A session in a project that has a branch `feature`, whose shop is right, and a tag `old`, which has no shop.
fn with_branches() -> Sandbox {
    let sandbox = project();
    git(
        &sandbox,
        "git branch -M main; git switch -qc feature; printf 'def total(prices):\\n    return sum(prices)\\n' >shop.py; \
         echo x=1 >new.py; git add -A; git commit -qm right; git switch -q main; git switch -q --detach; \
         git rm -q shop.py; git commit -qm without; git tag -a -m old old; git switch -q main",
    );
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    sandbox
}

#[test]
fn ac_tdd_10_25_what_git_brings_from_its_history_is_nobodys_edit() {
    left_to_the_night!();
    for (script, shop) in [
        ("git switch -q feature", RIGHT),
        ("git merge -q feature", RIGHT),
        ("git merge -q --no-ff -m merged feature", RIGHT),
        ("git reset -q --hard feature", RIGHT),
        ("git checkout -q old; git switch -q feature", RIGHT),
        ("git switch -q feature && git switch -q -", SHOP),
    ] {
        let sandbox = with_branches();
        shell(&sandbox, script).expect(0);
        stops(&sandbox).expect(0);
        assert_eq!(sandbox.read("shop.py"), shop, "{script}");
        assert_eq!(sandbox.path("new.py").exists(), shop == RIGHT, "{script}");
        // The gate holds on, from there.
        shell(&sandbox, "sed -i s/prices/p/ shop.py").expect(2).says(&["taken back"]);
        assert_eq!(sandbox.read("shop.py"), shop, "{script}");
        sandbox.tdd(&["clean", "s-1"]);
    }
    // Files go as they come.
    let sandbox = with_branches();
    shell(&sandbox, "git checkout -q old").expect(0);
    assert!(!sandbox.path("shop.py").exists());
    // A person commits, or makes a branch, between two turns; nothing differs in the tree.
    let sandbox = with_branches();
    sandbox.write("tax.py", WRONG);
    git(&sandbox, "git commit -qam tax; git switch -q feature; git merge -q -m x main; git switch -q main");
    hook(&sandbox, "UserPromptSubmit", "", json!({})).expect(0);
    shell(&sandbox, "git switch -q feature").expect(0);
    assert_eq!((sandbox.read("shop.py").as_str(), sandbox.read("tax.py").as_str()), (RIGHT, WRONG));
    assert!(types(&sandbox).contains(&"rebased".to_owned()));
}

#[test]
fn ac_tdd_10_25_what_only_looks_like_history_is_taken_back() {
    left_to_the_night!();
    for (script, is_told) in [
        ("git checkout -q feature -- shop.py", false),
        ("git restore -q -s feature shop.py", false),
        ("sed -i s/0/7/ shop.py; git commit -qam mine", true),
        (
            "git switch -qc mine; sed -i s/0/7/ shop.py; git commit -qam mine; git tag t; git switch -q main; \
          git merge -q mine",
            true,
        ),
        (
            "git switch -qc mine; sed -i s/0/7/ shop.py; git commit -qam mine; git switch -q main; \
          git merge -q --no-ff -m x mine",
            true,
        ),
        ("git merge -q --no-ff --no-commit feature; sed -i s/sum/max/ shop.py; git commit -qam x", true),
        (
            "sed -i s/0/7/ shop.py; c=$(git commit-tree -p HEAD -p feature -m x $(git stash create)^{tree}); \
          git reset -q --hard $c; git update-ref refs/tdd/s-1/known $c",
            true,
        ),
        ("git switch -q feature; sed -i s/sum/max/ shop.py", false),
    ] {
        let sandbox = with_branches();
        let ran = shell(&sandbox, script).expect(2).says(&["shop.py refused", "taken back"]);
        assert_eq!(sandbox.read("shop.py"), SHOP, "{script}");
        let told = ran.stderr.contains("HEAD has it still, at") && ran.stderr.contains("git reset --soft");
        assert_eq!(told, is_told, "{script}: {}", ran.stderr);
    }
    // What a person has not committed is not overwritten, and neither is what holds the gate.
    let sandbox = with_branches();
    sandbox.write("shop.py", WRONG);
    hook(&sandbox, "UserPromptSubmit", "", json!({})).expect(0);
    shell(&sandbox, "git reset -q --hard feature").expect(2).says(&["shop.py refused"]);
    assert_eq!(sandbox.read("shop.py"), WRONG);
    let sandbox = with_branches();
    git(&sandbox, "git switch -q feature; rm tdd.yaml; git commit -qam ungated; git switch -q main");
    hook(&sandbox, "UserPromptSubmit", "", json!({})).expect(0);
    shell(&sandbox, "git switch -q feature").expect(2).says(&["tdd.yaml refused: it holds the gate"]);
    assert!(sandbox.path("tdd.yaml").exists());
}

#[test]
fn while_a_claim_is_open_git_brings_nothing() {
    left_to_the_night!();
    if !has_pytest() {
        return;
    }
    let sandbox = with_branches();
    red(&sandbox, super::ID);
    claims(&sandbox, super::ID, "shop.py");
    shell(&sandbox, "git switch -q feature").expect(2).says(&["no claim is open"]);
    git(&sandbox, "git switch -qf main");
    hook(&sandbox, "UserPromptSubmit", "", json!({})).expect(0);
    // The person has put the claimed file back.
    claims(&sandbox, super::ID, "shop.py");
    edits(&sandbox, "shop.py", RIGHT).expect(0);
    stops(&sandbox).expect(0);
    git(&sandbox, "git checkout -q shop.py");
    hook(&sandbox, "UserPromptSubmit", "", json!({})).expect(0);
    shell(&sandbox, "git switch -q feature").expect(0);
}

#[test]
fn ac_tdd_10_25_what_an_agent_commits_itself_is_not_known_by_the_next_turn() {
    left_to_the_night!();
    let plumbing = "b=$(sed s/0/7/ shop.py | git hash-object -w --stdin); export GIT_INDEX_FILE=.git/other; \
        git read-tree HEAD; git update-index --cacheinfo 100644,$b,shop.py; \
        c=$(git commit-tree -p HEAD -m x $(git write-tree)); unset GIT_INDEX_FILE; rm .git/other; ";
    for (first, second) in [
        (format!("{plumbing} git branch mine $c"), "git switch -q mine"),
        (format!("{plumbing} git tag mine $c"), "git merge -q mine"),
        (format!("{plumbing} git branch mine $c"), "git merge -q --no-ff -m x mine"),
        ("sed -i s/0/7/ shop.py; git stash -q".to_owned(), "git switch -q --detach stash@{0}"),
    ] {
        let sandbox = with_branches();
        shell(&sandbox, &first).expect(0);
        stops(&sandbox).expect(0);
        hook(&sandbox, "UserPromptSubmit", "", json!({})).expect(0);
        shell(&sandbox, second).expect(2).says(&["shop.py refused"]);
        assert_eq!(sandbox.read("shop.py"), SHOP, "{first}");
    }
}

/// The honest twin: it commits what its turn was judged by, and goes to and fro in the next.
#[test]
fn ac_tdd_10_25_what_was_judged_may_be_left_and_come_back_to() {
    left_to_the_night!();
    if !has_pytest() {
        return;
    }
    let sandbox = with_branches();
    red(&sandbox, super::ID);
    claims(&sandbox, super::ID, "shop.py");
    let better = "def total(prices):\n    return sum(list(prices))\n";
    edits(&sandbox, "shop.py", better).expect(0);
    shell(&sandbox, "git -c user.name=a -c user.email=a@b commit -qam green").expect(0);
    stops(&sandbox).expect(0);
    hook(&sandbox, "UserPromptSubmit", "", json!({})).expect(0);
    shell(&sandbox, "git switch -q feature").expect(0);
    assert_eq!(sandbox.read("shop.py"), RIGHT);
    shell(&sandbox, "git switch -q main").expect(0);
    assert_eq!(sandbox.read("shop.py"), better);
    stops(&sandbox).expect(0);
}

#[test]
fn ac_tdd_10_25_line_ends_that_git_makes_are_no_edit() {
    let sandbox = with_branches();
    git(&sandbox, "git config core.autocrlf true; rm shop.py; git checkout -q -- .");
    hook(&sandbox, "UserPromptSubmit", "", json!({})).expect(0);
    assert!(sandbox.read("shop.py").contains("\r\n"));
    shell(&sandbox, "git switch -q feature").expect(0);
    assert!(sandbox.read("shop.py").contains("sum"));
    shell(&sandbox, "sed -i s/sum/max/ shop.py").expect(2);
}

#[test]
fn ac_tdd_10_26_another_work_tree_in_this_one_is_its_own() {
    left_to_the_night!();
    let sandbox = with_branches();
    shell(&sandbox, "git worktree add -q .claude/worktrees/b feature").expect(0);
    assert!(sandbox.path(".claude/worktrees/b/shop.py").exists());
    shell(&sandbox, "echo x=2 >.claude/worktrees/b/new.py").expect(0);
    edits(&sandbox, ".claude/worktrees/b/shop.py", WRONG).expect(0);
    edits(&sandbox, ".claude/other.py", WRONG).expect(2);
    stops(&sandbox).expect(0);
    shell(&sandbox, "git worktree remove -f .claude/worktrees/b").expect(0);
    assert!(!sandbox.path(".claude/worktrees/b").exists());
    stops(&sandbox).expect(0);
    // Together with what git brings it is noted, too.
    shell(&sandbox, "git worktree add -q --detach .claude/worktrees/c && git switch -q feature").expect(0);
    shell(&sandbox, "echo x=3 >.claude/worktrees/c/new.py").expect(0);
    git(&sandbox, "git switch -q main");
    hook(&sandbox, "UserPromptSubmit", "", json!({})).expect(0);
    // A folder of this tree's own does not become one.
    git(&sandbox, "mkdir lib; echo x=1 >lib/a.py; git add lib; git commit -qm lib");
    hook(&sandbox, "UserPromptSubmit", "", json!({})).expect(0);
    shell(&sandbox, "mv lib ../gone; git worktree add -q lib feature; echo x=2 >lib/a.py").expect(2);
    assert_eq!(sandbox.read("lib/a.py"), "x=1\n");
    // And a repository of another kind is none.
    let sandbox = with_branches();
    shell(&sandbox, "git init -q sub; echo x=1 >sub/a.py; mkdir -p .git/worktrees/x; echo $PWD/sub/.git >.git/worktrees/x/gitdir")
        .expect(2);
}

#[test]
fn what_head_is_given_past_the_tree_is_told_at_the_end_of_the_turn() {
    let sandbox = with_branches();
    let script = "b=$(sed s/0/7/ shop.py | git hash-object -w --stdin); git update-index --cacheinfo 100644,$b,shop.py; \
        git -c user.name=a -c user.email=a@b commit -qm x";
    shell(&sandbox, script).expect(0);
    stops(&sandbox).expect(2).says(&["HEAD holds other text than the files that were judged: shop.py"]);
}

#[test]
fn a_merge_that_stays_open_is_told() {
    let sandbox = with_branches();
    let script = "git merge -q --no-ff --no-commit feature; sed -i s/sum/max/ shop.py";
    shell(&sandbox, script).expect(2).says(&["in the midst of a merge", "git merge --abort"]);
}

/// A branch for each change, in one turn.
#[test]
fn ac_tdd_10_25_what_a_branch_holds_may_be_left_in_the_same_turn() {
    left_to_the_night!();
    if !has_pytest() {
        return;
    }
    let sandbox = with_branches();
    red(&sandbox, super::ID);
    claims(&sandbox, super::ID, "shop.py");
    edits(&sandbox, "shop.py", RIGHT).expect(0);
    sandbox.tdd(&["gate", "flush"]).expect(0);
    let commit = "git switch -qc new; git add -A; git -c user.name=a -c user.email=a@b commit -qm green";
    shell(&sandbox, commit).expect(0);
    shell(&sandbox, "git switch -q main").expect(0);
    assert_eq!(sandbox.read("shop.py"), SHOP);
    stops(&sandbox).expect(0);
    // What nothing holds is not thrown away, and what a stash holds may be put aside.
    sandbox.write("shop.py", WRONG);
    hook(&sandbox, "UserPromptSubmit", "", json!({})).expect(0);
    shell(&sandbox, "git checkout -q -- shop.py").expect(2);
    assert_eq!(sandbox.read("shop.py"), WRONG);
    shell(&sandbox, "git -c user.name=a -c user.email=a@b stash -q").expect(0);
    assert_eq!(sandbox.read("shop.py"), SHOP);
}

#[test]
fn ac_tdd_10_27_claims_end_with_their_turn_or_where_a_person_takes_over() {
    left_to_the_night!();
    if !has_pytest() {
        return;
    }
    // Without an edit, at the end of the turn: the test may be mended, and git may move on.
    let sandbox = with_branches();
    red(&sandbox, super::ID);
    claims(&sandbox, super::ID, "shop.py");
    edits(&sandbox, "tests/test_total.py", super::TEST).expect(2).says(&["protected"]);
    stops(&sandbox).expect(0);
    assert!(types(&sandbox).contains(&"released".to_owned()));
    edits(&sandbox, "tests/test_total.py", super::TEST).expect(0);
    edits(&sandbox, "shop.py", RIGHT).expect(2).says(&["no claim"]);
    // With an edit, in a turn that was cut off: the person goes elsewhere, or goes on with the file.
    for (person, shop) in [("git stash -q; git switch -q feature", RIGHT), ("echo '# mine' >>shop.py", "")] {
        let sandbox = with_branches();
        red(&sandbox, super::ID);
        claims(&sandbox, super::ID, "shop.py");
        edits(&sandbox, "shop.py", WRONG).expect(0);
        git(&sandbox, person);
        hook(&sandbox, "UserPromptSubmit", "", json!({})).expect(0);
        stops(&sandbox).expect(0);
        let now = sandbox.read("shop.py");
        assert!(if shop.is_empty() { now.ends_with("# mine\n") } else { now == shop }, "{person}: {now}");
    }
    // Where the person does neither, the end of the next turn judges it.
    let sandbox = with_branches();
    red(&sandbox, super::ID);
    claims(&sandbox, super::ID, "shop.py");
    edits(&sandbox, "shop.py", WRONG).expect(0);
    hook(&sandbox, "UserPromptSubmit", "", json!({})).expect(0);
    stops(&sandbox).expect(2).says(&["red"]);
    assert_eq!(sandbox.read("shop.py"), SHOP);
}
