//! What git lays into the tree and commits later or not at all, and what its filters make of files.

use serde_json::json;

use super::ways_around::shell;
use super::{ID, RIGHT, SHOP, WRONG, edits, hook, project, stops};
use crate::sandbox::{Ran, Sandbox, has_pytest};

fn git(sandbox: &Sandbox, script: &str) {
    let identity = "git config user.name a; git config user.email a@b";
    let done = sandbox.command("sh").args(["-ec", &format!("{identity}; {script}")]).output().unwrap();
    assert!(done.status.success(), "{script}: {}", String::from_utf8_lossy(&done.stderr));
}

const TAXED: &str = "def tax(price):\n    return 19\n";

/// A session on `main` beside a branch `feature` that has another shop and a new file.
fn beside(own_shop: &str) -> Sandbox {
    let sandbox = project();
    git(
        &sandbox,
        "git branch -M main; git switch -qc feature; printf 'def total(prices):\\n    return sum(prices)\\n' >shop.py; \
         echo x=1 >new.py; git add -A; git commit -qm right; git switch -q main",
    );
    sandbox.write("tax.py", TAXED);
    sandbox.write("shop.py", own_shop);
    git(&sandbox, "git commit -qam own");
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    sandbox
}

#[test]
fn ac_tdd_10_37_a_merge_of_known_commits_stands_before_it_is_committed() {
    left_to_the_night!();
    for script in ["git merge -q --squash feature", "git merge -q --no-commit --no-ff feature"] {
        let sandbox = beside(SHOP);
        shell(&sandbox, script).expect(0);
        assert_eq!(
            (sandbox.read("shop.py").as_str(), sandbox.read("tax.py").as_str()),
            (RIGHT, TAXED),
            "{script}"
        );
        assert!(sandbox.path("new.py").exists(), "{script}");
        shell(&sandbox, "git -c user.name=a -c user.email=a@b commit -qm later; true").expect(0);
        stops(&sandbox).expect(0);
        // The gate holds on, from there.
        shell(&sandbox, "sed -i s/sum/max/ shop.py").expect(2);
        assert_eq!(sandbox.read("shop.py"), RIGHT, "{script}");
    }
    // A conflict is laid into the tree as well.
    for settings in ["", "git config merge.conflictStyle diff3"] {
        let sandbox = beside(WRONG);
        git(&sandbox, &format!("{settings}\ntrue"));
        shell(&sandbox, "git merge -q feature").expect(0);
        assert!(sandbox.read("shop.py").contains("<<<<<<< HEAD"), "{settings}");
        stops(&sandbox).expect(0);
        // To resolve it is no work for a red test.
        edits(&sandbox, "shop.py", RIGHT)
            .expect(2)
            .says(&["in the midst of a merge", "tdd gate refactor on --why 'resolve the merge'"]);
        sandbox.tdd(&["gate", "refactor", "on", "--why", "resolve the merge"]).expect(0);
        edits(&sandbox, "shop.py", RIGHT).expect(0);
        shell(&sandbox, "git -c user.name=a -c user.email=a@b commit -qam merged").expect(0);
        assert_eq!(sandbox.read("shop.py"), RIGHT);
    }
}

#[test]
fn ac_tdd_10_37_what_only_looks_like_a_merge_is_taken_back() {
    left_to_the_night!();
    for script in [
        // More in it, or less.
        "git merge -q --squash feature; sed -i s/sum/max/ shop.py",
        "git merge -q --no-commit --no-ff feature; rm new.py",
        // A commit of its own.
        "git switch -qc mine; sed -i s/0/7/ shop.py; git -c user.name=a -c user.email=a@b commit -qam x; \
         git switch -q main; git merge -q --squash mine",
        // A driver of its own, which would be asked again.
        "echo 'shop.py merge=mine' >.git/info/attributes; git config merge.mine.driver 'cp ../evil %A'; \
         git merge -q --no-commit --no-ff feature",
        // A note of a merge that never was.
        "git rev-parse feature >.git/MERGE_HEAD; sed -i s/0/7/ shop.py",
    ] {
        let sandbox = beside(if script.contains("mine.driver") { WRONG } else { SHOP });
        let before = sandbox.read("shop.py");
        std::fs::write(sandbox.beside("evil"), "def total(prices):\n    return 8\n").unwrap();
        shell(&sandbox, script).expect(2).says(&["refused", "taken back"]);
        assert_eq!((sandbox.read("shop.py"), sandbox.read("tax.py").as_str()), (before, TAXED), "{script}");
    }
    // What comes besides is judged by itself.
    let sandbox = beside(SHOP);
    shell(&sandbox, "git merge -q --no-commit --no-ff feature; sed -i s/19/7/ tax.py")
        .expect(2)
        .says(&["tax.py refused"]);
    assert_eq!((sandbox.read("shop.py").as_str(), sandbox.read("tax.py").as_str()), (RIGHT, TAXED));
    // A file with a conflict is as git writes it.
    let sandbox = beside(WRONG);
    shell(&sandbox, "git merge -q feature; echo 'x = 1' >>shop.py").expect(2);
    assert_eq!(sandbox.read("shop.py"), WRONG);
}

#[test]
fn ac_tdd_10_37_a_submodule_that_follows_a_known_commit_stands() {
    left_to_the_night!();
    let sandbox = project();
    git(
        &sandbox,
        "git branch -M main; git init -q -b main ../lib; cd ../lib; git config user.name a; git config user.email a@b; \
         echo x=1 >lib.py; git add -A; git commit -qm one; cd ../repo; \
         git -c protocol.file.allow=always submodule --quiet add ../lib sub; git commit -qam sub; \
         cd sub; git config user.name a; git config user.email a@b; echo x=2 >lib.py; git commit -qam two; cd ..; \
         git switch -qc feature; git commit -qam two; git switch -q main; git submodule --quiet update",
    );
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    shell(&sandbox, "git switch -q feature && git submodule --quiet update").expect(0);
    assert_eq!(sandbox.read("sub/lib.py"), "x=2\n");
    // In a call of its own, too, and back.
    shell(&sandbox, "git switch -q main").expect(0);
    shell(&sandbox, "git submodule --quiet update").expect(0);
    assert_eq!(sandbox.read("sub/lib.py"), "x=1\n");
    // What only looks like it.
    for script in [
        "sed -i s/1/3/ sub/lib.py",
        "cd sub; git checkout -q main",
        "git -C sub checkout -q main; echo x=4 >sub/lib.py",
    ] {
        shell(&sandbox, script).expect(2).says(&["sub refused"]);
        assert_eq!(sandbox.read("sub/lib.py"), "x=1\n", "{script}");
    }
}

#[test]
fn ac_tdd_10_38_what_gits_filters_make_of_a_file_is_no_edit() {
    let sandbox = project();
    // As Git LFS does it, with the bytes beside: a pointer in the commits, the bytes in the tree.
    let filter = "git config filter.lfs.clean 'f=$(mktemp ../XXXXXX); cat >$f; h=$(sha256sum <$f | cut -c1-64); cp $f ../$h; \
         printf \"version https://git-lfs.github.com/spec/v1\\noid sha256:%s\\nsize %s\\n\" $h $(wc -c <$f)'; \
         git config filter.lfs.smudge 'cat ../$(sed -n \"s/^oid sha256://p\")'";
    git(
        &sandbox,
        &format!(
            "git branch -M main; {filter}; printf 'data.py filter=lfs\\nid.py ident\\n' >.gitattributes; echo a=1 >data.py; \
             echo '# $Id$' >id.py; git add -A; git commit -qm one; git switch -qc feature; echo a=2 >data.py; \
             echo '# $Id$ 2' >id.py; git commit -qam two; git switch -q main; rm id.py; git checkout -q -- ."
        ),
    );
    assert!(sandbox.git(&["show", "HEAD:data.py"]).contains("git-lfs") && sandbox.read("data.py") == "a=1\n");
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    shell(&sandbox, "git switch -q feature").expect(0);
    assert_eq!(sandbox.read("data.py"), "a=2\n");
    assert!(sandbox.read("id.py").contains("$Id: "), "{}", sandbox.read("id.py"));
    shell(&sandbox, "git switch -q main").expect(0);
    assert_eq!(sandbox.read("data.py"), "a=1\n");
    stops(&sandbox).expect(0);
    // A filter that says so is not believed.
    let sandbox = project();
    git(
        &sandbox,
        "git branch -M main; git switch -qc feature; echo a=2 >shop.py; git commit -qam two; git switch -q main",
    );
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    let evil = "git config filter.x.smudge 'sed s/2/3/'; git config filter.x.clean 'sed s/3/2/'; \
                echo 'shop.py filter=x' >.git/info/attributes; git switch -q feature";
    shell(&sandbox, evil).expect(2).says(&["shop.py refused"]);
    assert_eq!(sandbox.read("shop.py"), SHOP);
}

#[test]
fn ac_tdd_10_39_a_gate_that_only_warns_tells_what_a_shell_has_changed() {
    let sandbox = project();
    sandbox.write("tdd.yaml", "test: python3 -m pytest -q\nsession_gate: { mode: warn }\n");
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    let ran = shell(&sandbox, "sed -i s/0/7/ shop.py").expect(0);
    let told: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let words = "tdd: (warning) changed without a red test and a claim: shop.py";
    assert_eq!((told["systemMessage"].as_str(), sandbox.read("shop.py").as_str()), (Some(words), WRONG));
    let context = &told["hookSpecificOutput"];
    assert_eq!(
        (context["hookEventName"].as_str(), context["additionalContext"].as_str()),
        (Some("PostToolUse"), Some(words))
    );
    // What no hook saw is told at the end.
    sandbox.write("shop.py", SHOP);
    let ran = stops(&sandbox).expect(0);
    assert!(ran.stdout.contains("(warning)") && ran.stdout.contains("shop.py"), "{}", ran.stdout);
    sandbox.write("shop.py", WRONG);
    sandbox.tdd(&["gate", "flush"]).expect(0).says_on_stdout(&["(warning) changed without"]);
    // Honest work is not warned of.
    let ran = shell(&sandbox, "echo >>README.md; echo >tests/test_new.py").expect(0);
    assert_eq!((ran.stdout.as_str(), stops(&sandbox).expect(0).stdout.as_str()), ("", ""));
}

#[test]
fn ac_tdd_10_42_a_test_that_is_skipped_is_no_red_and_says_so() {
    left_to_the_night!();
    if !has_pytest() {
        return;
    }
    let sandbox = project();
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    for mark in ["skip", "xfail"] {
        let text = super::TEST.replace("def test_sum", &format!("@pytest.mark.{mark}\ndef test_sum"));
        edits(&sandbox, "tests/test_total.py", &format!("import pytest\n{text}")).expect(0);
        let ran = sandbox.tdd(&["gate", "test", ID]).expect(0);
        ran.says_on_stdout(&[&format!("skipped {ID}"), "take its mark away"]);
        sandbox.tdd(&["gate", "claim", ID, "shop.py"]).expect(2);
        edits(&sandbox, "shop.py", RIGHT).expect(2);
    }
    edits(&sandbox, "tests/test_total.py", super::TEST).expect(0);
    super::red(&sandbox, ID);
    super::claims(&sandbox, ID, "shop.py");
}

/// A project in a subfolder, an agent at the top, and nothing that says how its tests are run.
#[test]
fn ac_tdd_10_41_where_no_session_can_begin_a_persons_word_goes_through() {
    let sandbox = Sandbox::with(&[
        ("apps/py/shop.py", SHOP),
        ("apps/py/conftest.py", ""),
        ("apps/py/tests/test_total.py", super::TEST),
    ]);
    let says = |event: &str| -> Ran { hook(&sandbox, event, "", json!({})) };
    says("SessionStart").expect(0).says_on_stdout(&["test command", "tdd.yaml"]);
    says("UserPromptSubmit").expect(0);
    let input = json!({ "file_path": sandbox.path("apps/py/shop.py"), "content": RIGHT });
    hook(&sandbox, "PreToolUse", "Write", input).expect(2).says(&["test command"]);
    hook(&sandbox, "PreToolUse", "Read", json!({ "file_path": sandbox.path("apps/py/shop.py") })).expect(0);
    says("Stop").expect(0);
    // The person does what was asked for, and nobody speaks of a journal that is gone.
    sandbox.write("tdd.yaml", "test: python3 -m pytest -q apps/py\n");
    says("UserPromptSubmit").expect(0);
    let input = json!({ "file_path": sandbox.path("apps/py/shop.py"), "content": RIGHT });
    hook(&sandbox, "PreToolUse", "Write", input).expect(2).says(&["no red test"]);
    says("Stop").expect(0);
    // A session that is at work is held on though its settings can't be read.
    sandbox.write("tdd.yaml", "test: [\n");
    hook(&sandbox, "PostToolUse", "Bash", json!({ "command": "x" })).expect(2).says(&["tdd.yaml refused"]);
    std::fs::remove_dir_all(sandbox.path(".tdd/sessions")).unwrap();
    sandbox.write("tdd.yaml", "test: [\n");
    says("UserPromptSubmit").expect(2).says(&["the journal of this session is gone"]);
}

#[test]
fn a_removal_that_is_taken_back_is_in_gits_index_again() {
    left_to_the_night!();
    let sandbox = project();
    git(&sandbox, "git branch -M main; mkdir deep; echo 'd = 1' > deep/d.py; git add -A; git commit -qm d");
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    shell(&sandbox, "git rm -q shop.py; git rm -rq deep; git mv tax.py levy.py")
        .expect(2)
        .says(&["taken back"]);
    // A new name of a file is taken out of the tree; of the index's entries none is changed.
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "AD levy.py");
}

#[test]
fn ac_tdd_10_37_a_conflict_is_settled_by_taking_one_side_of_it() {
    left_to_the_night!();
    let merging = || {
        let sandbox = project();
        let side = "git branch -M main; git switch -qc side; sed -i s/0/4/ shop.py; git commit -qam s; git switch -q main";
        git(&sandbox, &format!("{side}; sed -i s/0/3/ shop.py; git commit -qam m"));
        git(&sandbox, "git config user.name a; git config user.email a@b");
        hook(&sandbox, "SessionStart", "", json!({})).expect(0);
        shell(&sandbox, "git merge -q side").expect(0);
        assert!(sandbox.read("shop.py").contains("<<<<<<<"));
        sandbox
    };
    for (side, text) in [("--theirs", "return 4"), ("--ours", "return 3")] {
        let sandbox = merging();
        shell(&sandbox, &format!("git checkout -q {side} shop.py; git add -A; git commit -qm merged"))
            .expect(0);
        assert!(sandbox.read("shop.py").contains(text), "{side}");
        stops(&sandbox).expect(0);
    }
    let sandbox = merging();
    shell(&sandbox, "git checkout -q --theirs shop.py").expect(0);
    shell(&sandbox, "git add -A; git commit -qm merged").expect(0);
    stops(&sandbox).expect(0);
    assert!(sandbox.read("shop.py").contains("return 4"));
    // Anything else is an edit.
    let sandbox = merging();
    shell(
        &sandbox,
        "git checkout -q --theirs shop.py; sed -i s/4/7/ shop.py; git add -A; git commit -qm merged",
    )
    .expect(2)
    .says(&["HEAD has it still", "tdd gate refactor on --why 'resolve the merge'"]);
}
