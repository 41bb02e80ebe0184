//! `tdd undo` over many kinds of tree: byte for byte and with permissions, whatever lies there.
//! (`undo` tells what becomes of other people's work, `kills` of an undo that is killed.)

use super::battery;
use super::sandbox::{Ran, Sandbox};
use super::stops::{self, BLOCK, HONEST_CHECK, project};
use super::undo::{git_state, tree};

/// A name, and how the tree comes about; the last word says whether what a run does shows in git's own state.
type Kind = (&'static str, &'static str);

/// All that an implementer may do to the files of `k`.
const HAVOC: &str = r#"
find k -name .git -prune -o -type f -print0 | xargs -0 -r -n1 sh -c 'chmod u+w "$0"; echo changed >>"$0"'
find k -name .git -prune -o -name '*d*' -type f -print0 | xargs -0 -r rm -f
find k -name .git -prune -o -type l -print0 | xargs -0 -r rm -f
find k -name .git -prune -o -name '*x*' -type f -print0 | xargs -0 -r chmod a+x
mkdir -p k/new/deep; echo new >k/new/deep/file; ln -s nowhere k/new/link
"#;

const KINDS: [Kind; 14] = [
    ("plain files", "echo 1 >k/a; echo 2 >k/d; : >k/empty; printf 'no end' >k/end"),
    (
        "links",
        "ln -s nowhere k/dangling; ln -s / k/root; mkdir k/f; echo 1 >k/f/a; ln -s f k/folder; ln -s ../src.txt k/up",
    ),
    (
        "permissions",
        "for m in 600 640 644 664 700 711 750 755 400 444 500; do echo $m >k/x$m; cp k/x$m k/d$m; chmod $m k/x$m k/d$m; done",
    ),
    ("a hard link", "echo 1 >k/a; ln k/a k/b; ln k/a ../outside"),
    (
        "odd names",
        "echo 1 >'k/ leading'; echo 2 >'k/tra iling '; echo 3 >\"k/q\\\"uote\"; printf 4 >\"k/$(printf 'li\\nne')\"; printf 5 >\"k/$(printf '\\377d')\"; echo 6 >k/-rf; echo 7 >'k/*'; echo 8 >'k/:(top)d'",
    ),
    ("deep folders", "mkdir -p k/1/2/3/4/5/6/7/8/9/d; echo 1 >k/1/2/3/4/5/6/7/8/9/d/f; echo 2 >k/1/2/d"),
    (
        "line ends and an attribute",
        "printf 'a\\r\\nb\\n' >k/crlf; printf 'a\\r\\n' >k/d; echo '* text=auto eol=lf' >.gitattributes; git config core.autocrlf true",
    ),
    (
        "a filter",
        "echo secret >k/d; echo plain >k/a; echo 'k/* filter=rot' >.gitattributes; git config filter.rot.clean 'tr a-z b-za'; git config filter.rot.smudge 'tr b-za a-z'; git config filter.rot.required true",
    ),
    (
        "staged, unstaged, deleted, renamed",
        "echo 1 >k/a; echo 2 >k/d; echo 3 >k/g; git add -A; git commit -qm k; echo 4 >>k/a; git add k/a; echo 5 >>k/a; git mv k/d k/e; rm k/g; echo 6 >k/u; git add -N k/u",
    ),
    (
        "tracked and ignored",
        "echo 1 >k/forced.log; echo '*.log' >>.git/info/exclude; git add -f k; git commit -qm k",
    ),
    (
        "assume-unchanged and skip-worktree",
        "echo 1 >k/a; echo 2 >k/b; git add -A; git commit -qm k; git update-index --assume-unchanged k/a; git update-index --skip-worktree k/b; echo 3 >k/a",
    ),
    ("big files", "head -c 20000000 /dev/urandom >k/d; head -c 20000000 /dev/zero >k/a"),
    ("specials", "echo 1 >k/a; mkfifo k/fifo; mkdir k/f; mkfifo k/f/fifo"),
    (
        "a folder of links and a file of its name elsewhere",
        "mkdir k/d; ln -s ../../src.txt k/d/l; echo 1 >k/d/f",
    ),
];

const REPOSITORIES: [Kind; 12] = [
    (
        "a nested repository",
        "git init -q k/n; echo 1 >k/n/a; echo 2 >k/n/d; git -C k/n add -A; git -C k/n commit -qm n; echo 3 >k/n/u",
    ),
    ("a nested repository without a commit", "git init -q k/n; echo 1 >k/n/a"),
    (
        "a submodule",
        "git init -q ../sub; echo 1 >../sub/f; git -C ../sub add -A; git -C ../sub commit -qm s; git -c protocol.file.allow=always submodule --quiet add ../sub sub; git commit -qm s; echo 1 >k/d",
    ),
    (
        "a sparse checkout",
        "mkdir k/in out; echo 1 >k/in/d; echo 2 >out/f; git add -A; git commit -qm s; git sparse-checkout set --no-cone '/*' '!out'; test ! -e out/f",
    ),
    ("a detached HEAD", "echo 1 >k/d; git checkout -q --detach"),
    ("packed refs and objects", "echo 1 >k/d; git add -A; git commit -qm k; git gc -q; git pack-refs --all"),
    ("a split index", "echo 1 >k/d; git add -A; git update-index --split-index; echo 2 >k/a; git add k/a"),
    (
        "alternates",
        "git clone -q --bare . ../bare.git; rm -rf .git/objects/??; echo \"$(cd ../bare.git && pwd)/objects\" >.git/objects/info/alternates; echo 1 >k/d; git fsck",
    ),
    ("a stash", "echo 1 >k/d; git add -A; git commit -qm k; echo 2 >k/d; git stash -q; echo 3 >k/d"),
    ("a branch without a commit", "rm -rf .git; git init -q -b main; echo 1 >k/d"),
    (
        "objects named by SHA-256",
        "rm -rf .git; git init -q -b main --object-format=sha256; git add -A; git commit -qm s; echo 1 >k/d",
    ),
    (
        "refs in tables",
        "rm -rf .git; git init -q -b main --ref-format=reftable; git add -A; git commit -qm s; echo 1 >k/d",
    ),
];

/// The same with a deed of its own for the implementer, in place of [`HAVOC`].
type Action = (&'static str, &'static str, &'static str);

const DEEDS: [Action; 15] = [
    (
        "permissions and nothing else",
        "echo 1 >k/a; chmod 600 k/a; echo 2 >k/b; echo 3 >k/x; chmod 4750 k/x; echo 4 >k/y; chmod 755 k/y",
        "chmod 644 k/a; chmod 666 k/b; chmod 755 k/x; chmod 711 k/y",
    ),
    (
        "files that become folders, and folders that become files",
        "echo 1 >k/a; mkdir -p k/f/g; echo 2 >k/f/g/x; echo 3 >k/f/y",
        "rm k/a; mkdir -p k/a/b; echo n >k/a/b/c; rm -r k/f; echo n >k/f",
    ),
    (
        "links to folders that become folders, and the other way round",
        "mkdir k/f k/g; echo 1 >k/f/a; ln -s f k/l; echo 2 >k/g/b",
        "rm k/l; mkdir k/l; echo n >k/l/a; rm -r k/g; ln -s f k/g",
    ),
    (
        "a folder that becomes a link out of the tree",
        "mkdir k/g ../out; echo 2 >k/g/b; echo 3 >../out/b",
        "rm -r k/g; ln -s ../../out k/g",
    ),
    (
        "a name of other case",
        "echo 1 >k/Readme; git config core.ignorecase true; git add -A; git commit -qm k",
        "mv k/Readme k/README",
    ),
    (
        "names of two cases",
        "echo 1 >k/A; echo 2 >k/a; git config core.ignorecase true",
        "echo n >>k/A; rm k/a",
    ),
    (
        "five thousand files",
        "mkdir k/m; seq 1 5000 | (cd k/m && split -l 1 -a 4 -d - f)",
        "for f in k/m/*1; do echo n >>$f; done; rm k/m/*2 k/m/*3; mv k/m k/n",
    ),
    (
        "a change that keeps size and time",
        "echo one >k/a; git add -A; git commit -qm k; touch -d 2001-01-01 k/a",
        "touch -r k/a ../ref; echo two >k/a; touch -r ../ref k/a",
    ),
    (
        "times of other centuries",
        "echo 1 >k/a; echo 2 >k/d; touch -d 1960-01-01 k/a; touch -d 2106-03-01 k/d; git add -A; git commit -qm k",
        "echo n >>k/a; echo n >>k/d",
    ),
    (
        "a folder that may not be written",
        "mkdir k/f; echo 1 >k/f/a; echo 2 >k/f/b; chmod 555 k/f",
        "chmod 755 k/f; echo n >>k/f/a; rm k/f/b; echo n >k/f/c; chmod 555 k/f",
    ),
    (
        "folders with permissions",
        "mkdir k/u; echo 3 >k/u/a; mkdir -m 700 k/p; echo 1 >k/p/a; mkdir -m 2775 k/q; echo 2 >k/q/a",
        "chmod 755 k/p; rm -r k/q; chmod 777 k/u",
    ),
    (
        "ignored by rules that the run changes",
        "echo '*.log' >>.git/info/exclude; echo 1 >k/a.txt; echo 2 >k/b.txt; echo 3 >k/mine.log",
        "echo '*.txt' >>.git/info/exclude; echo n >>k/a.txt; rm k/b.txt; echo n >k/c.txt",
    ),
    (
        "empty folders",
        "mkdir -p k/void/deep k/gone/deep; chmod 700 k/gone; echo 1 >k/a",
        "echo n >>k/a; echo n >k/void/deep/file",
    ),
    (
        "hard links that the run parts",
        "echo 1 >k/a; ln k/a k/b; echo 2 >k/c; ln k/c ../outside",
        "rm k/b; echo n >k/b; echo n >>k/c",
    ),
    (
        "a fifo and a socket",
        "echo 1 >k/a; mkfifo k/fifo; python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"k/s\")'",
        "echo n >>k/a; echo n >k/c",
    ),
];

const SETTINGS: [Kind; 18] = [
    (
        "permissions of a kind that git never keeps",
        "for m in 4755 2755 1644 6711 444 222; do echo $m >k/x$m; cp k/x$m k/d$m; chmod $m k/x$m k/d$m; done",
    ),
    (
        "names in both forms of Unicode, and long ones",
        "printf 1 >\"k/$(printf 'a\\314\\210')\"; printf 2 >\"k/$(printf '\\303\\244')\"; n=$(printf '%0255d' 7); echo 3 >k/$n; mkdir -p k/${n#0}d/$n/$n; echo 4 >k/${n#0}d/$n/$n/d",
    ),
    (
        "names that look like git's own",
        "echo 1 >'k/git~1'; echo 2 >k/.gitd; mkdir k/.GITs; echo 3 >k/.GITs/config; echo 5 >k/HEAD; mkdir k/objects k/refs",
    ),
    (
        "large files by reference",
        "git config filter.lfs.process 'false'; git config filter.lfs.clean 'false'; git config filter.lfs.smudge 'false'; echo 'version https://git-lfs' >k/d; git add -A; git commit -qm k; git config filter.lfs.required true; echo 'k/* filter=lfs diff=lfs merge=lfs -text' >.gitattributes; echo real >k/a",
    ),
    (
        "idents and encodings",
        "echo 'k/a ident' >.gitattributes; echo 'k/d working-tree-encoding=UTF-16LE' >>.gitattributes; echo 'k/e export-ignore' >>.gitattributes; echo '$Id: mine $' >k/a; printf 'd\\0\\n\\0' >k/d; echo 1 >k/e; git add -A; git commit -qm k",
    ),
    (
        "line ends that git refuses",
        "git config core.autocrlf input; git config core.safecrlf true; printf 'a\\r\\n' >k/d; printf 'b\\nc\\r\\n' >k/a; echo 'k/e eol=crlf' >>.git/info/attributes; printf 'e\\n' >k/e",
    ),
    (
        "permissions that do not count",
        "git config core.fileMode false; echo 1 >k/d; chmod 755 k/d; echo 2 >k/x; git add -A; git commit -qm k",
    ),
    (
        "links that do not count",
        "ln -s ../src.txt k/l; git add -A; git commit -qm k; git config core.symlinks false; echo 1 >k/d",
    ),
    (
        "a cache of untracked files",
        "git config core.untrackedCache true; git update-index --force-untracked-cache; echo 1 >k/d; git status -s >../seen",
    ),
    (
        "a monitor that says nothing changed",
        "printf '#!/bin/sh\\nprintf token\\\\\\\\0\\n' >../m.sh; chmod +x ../m.sh; echo 1 >k/d; git add -A; git commit -qm k; git config core.fsmonitor \"$PWD/../m.sh\"; git update-index --fsmonitor; git status -s >../seen",
    ),
    ("an index of version 4", "echo 1 >k/d; git add -A; git update-index --index-version 4; echo 2 >k/a"),
    (
        "objects that are replaced",
        "echo one >k/d; echo two >k/a; git add -A; git commit -qm k; git replace $(git rev-parse HEAD:k/d) $(git rev-parse HEAD:k/a)",
    ),
    (
        "hooks that refuse everything",
        "for h in pre-commit reference-transaction post-checkout post-index-change pre-auto-gc; do printf '#!/bin/sh\\nexit 1\\n' >.git/hooks/$h; chmod +x .git/hooks/$h; done; echo 1 >k/d",
    ),
    (
        "commits that must be signed",
        "git config commit.gpgSign true; git config gpg.program false; git config user.useConfigOnly true; git config --unset user.email || true; echo 1 >k/d",
    ),
    (
        "ignored by a file elsewhere",
        "echo '*.mine' >../ignored; git config core.excludesFile \"$PWD/../ignored\"; echo 1 >k/d; echo 2 >../k.mine",
    ),
    (
        "a link to a module without its description",
        "echo 1 >k/d; mkdir k/gl; git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),k/gl; git commit -qm gl",
    ),
    ("a bare repository among the files", "git init -q --bare k/b; echo 1 >k/d"),
    ("a folder of git's elsewhere", "git init -q --separate-git-dir ../away.git; echo 1 >k/d"),
];

const CLONES: [Kind; 6] = [
    (
        "a linked work tree",
        "git clone -q --bare . ../m.git; rm -rf .git; git -C ../m.git worktree add -q --no-checkout -b w ../wt; mv ../wt/.git .git; echo \"$PWD/.git\" >../m.git/worktrees/wt/gitdir; git reset -q; echo 1 >k/d",
    ),
    (
        "a shallow clone",
        "echo 1 >k/d; git add -A; git commit -qm k; git clone -q --depth 1 \"file://$PWD\" ../sh; rm -rf .git; mv ../sh/.git .git; test -e .git/shallow; echo 2 >k/a",
    ),
    (
        "a clone without its blobs",
        "echo 1 >k/d; git add -A; git commit -qm k; echo 2 >k/d; git commit -qam k2; git clone -q --bare . ../o.git; git -C ../o.git config uploadpack.allowFilter true; git clone -q --filter=blob:none \"file://$PWD/../o.git\" ../pc; rm -rf .git; mv ../pc/.git .git; echo 3 >k/a",
    ),
    (
        "a sparse checkout of folders, with a sparse index",
        "mkdir k/in out; echo 1 >k/in/d; echo 2 >out/f; git add -A; git commit -qm s; git sparse-checkout set --cone --sparse-index k specs; test ! -e out/f",
    ),
    (
        "a bisection",
        "echo 1 >k/d; git add -A; git commit -qm 1; echo 2 >k/d; git commit -qam 2; echo 3 >k/d; git commit -qam 3; git bisect start -q HEAD HEAD~2 >../seen",
    ),
    (
        "notes, tags and work trees of others",
        "echo 1 >k/d; git add -A; git commit -qm k; git notes add -m n; git tag -am t t; git worktree add -q ../other -b other",
    ),
];

/// What a run does not begin in: there is nothing to take back, and it says what to do.
const REFUSED: [(&str, &str, &str); 5] = [
    (
        "a merge",
        "git checkout -qb o; echo o >src.txt; git commit -qam o; git checkout -q main; echo m >src.txt; git commit -qam m; git merge -q o || true",
        "midst of a merge",
    ),
    (
        "a rebase",
        "git checkout -qb o; echo o >src.txt; git commit -qam o; git checkout -q main; echo m >src.txt; git commit -qam m; git rebase -q o || true",
        "midst of a rebase",
    ),
    (
        "a cherry-pick",
        "git checkout -qb o; echo o >src.txt; git commit -qam o; git checkout -q main; echo m >src.txt; git commit -qam m; git cherry-pick o || true",
        "midst of a cherry-pick",
    ),
    (
        "a revert",
        "echo o >src.txt; git commit -qam o; echo m >src.txt; git commit -qam m; git revert --no-edit HEAD~1 || true",
        "midst of a revert",
    ),
    (
        "patches being applied",
        "git checkout -qb o; echo o >src.txt; git commit -qam o; git format-patch -q -1 --stdout >../p; git checkout -q main; echo m >src.txt; git commit -qam m; git am -q ../p || true",
        "midst of applying patches",
    ),
];

fn sh(sandbox: &Sandbox, script: &str) -> Ran {
    let mut command = sandbox.command("sh");
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "p").env(format!("GIT_{role}_EMAIL"), "p@p");
    }
    Ran::of(&command.args(["-ec", script]).output().unwrap())
}

/// The folders below `k` with their permissions.
fn folders(sandbox: &Sandbox) -> String {
    let listed = sandbox
        .command("find")
        .args(["k", "-name", ".git", "-prune", "-o", "-type", "d", "-printf", "%p %m\\n"])
        .output()
        .unwrap();
    let mut lines: Vec<String> = Ran::of(&listed).stdout.lines().map(str::to_owned).collect();
    lines.sort();
    lines.join("\n")
}

fn taken_back((name, prepare): Kind) {
    action_taken_back((name, prepare, HAVOC));
}

fn action_taken_back((name, prepare, action): Action) {
    let sandbox = project("", HONEST_CHECK, "");
    let agent = format!(
        "role=$1\n{BLOCK}case $role in\n\
         test-writer) mkdir -p tests; echo 'grep -q two src.txt || {{ echo no two; exit 1; }}' >tests/ac_ste_1_1.sh; block tests/ac_ste_1_1.sh;;\n\
         implementer) echo two >>src.txt; {action}\nblock src.txt,k;;\n*) block '';;\nesac\n"
    );
    std::fs::write(stops::beside(&sandbox, "agent.sh"), agent).unwrap();
    let prepared = sh(&sandbox, &format!("mkdir k; {prepare}"));
    if name == "refs in tables" && prepared.code != 0 {
        println!("this git has no reftable: {}", prepared.stderr);
        return;
    }
    prepared.expect(0);
    let (before, git_before) = (tree(&sandbox), git_state(&sandbox));
    let folders_before = folders(&sandbox);
    let ran = sandbox.tdd(&["STE-1"]);
    assert_eq!(ran.code, 0, "{name}\n{}\n{}", ran.stdout, ran.stderr);
    assert_ne!(tree(&sandbox), before, "{name}: nothing was done");
    let undone = sandbox.tdd(&["undo"]);
    assert_eq!(undone.code, 0, "{name}\n{}\n{}", undone.stdout, undone.stderr);
    let after = tree(&sandbox);
    let differs: Vec<_> = before.iter().filter(|one| !after.contains(one)).collect();
    let more: Vec<_> = after.iter().filter(|one| !before.contains(one)).collect();
    let brief = |all: &[&(std::path::PathBuf, u32, Vec<u8>)]| -> Vec<String> {
        all.iter().map(|(path, mode, bytes)| format!("{} {mode:o} {}", path.display(), bytes.len())).collect()
    };
    assert!(differs.is_empty() && more.is_empty(), "{name}: {:?} became {:?}", brief(&differs), brief(&more));
    assert_eq!(folders(&sandbox), folders_before, "{name}");
    assert_eq!(git_state(&sandbox), git_before, "{name}");
    sandbox.git(&["fsck"]);
}

#[test]
fn ac_tdd_9_1_files_of_every_kind_come_back() {
    left_to_the_night!();
    battery::part(KINDS, 5).into_iter().for_each(taken_back);
}

#[test]
fn ac_tdd_9_1_files_in_repositories_of_every_kind_come_back() {
    left_to_the_night!();
    battery::part(REPOSITORIES, 4).into_iter().for_each(taken_back);
}

#[test]
fn ac_tdd_9_1_what_became_of_files_of_every_kind_is_taken_back() {
    left_to_the_night!();
    battery::part(DEEDS, 5).into_iter().for_each(action_taken_back);
}

#[test]
fn ac_tdd_9_1_no_setting_of_git_changes_what_comes_back() {
    left_to_the_night!();
    battery::part(SETTINGS, 4).into_iter().for_each(taken_back);
}

#[test]
fn ac_tdd_9_1_files_in_clones_of_every_kind_come_back() {
    left_to_the_night!();
    battery::part(CLONES, 3).into_iter().for_each(taken_back);
}

#[test]
fn what_git_has_half_done_is_no_tree_to_begin_in() {
    left_to_the_night!();
    for (name, prepare, word) in REFUSED {
        let sandbox = project("", HONEST_CHECK, "");
        sh(&sandbox, prepare).expect(0);
        let (before, git_before) = (tree(&sandbox), git_state(&sandbox));
        let ran = sandbox.tdd(&["STE-1"]);
        assert!(ran.code == 2 && ran.stderr.contains(word), "{name}: {}\n{}", ran.code, ran.stderr);
        assert_eq!((tree(&sandbox), git_state(&sandbox)), (before, git_before), "{name}");
    }
}

#[test]
fn permissions_that_a_person_set_after_the_run_stay() {
    let sandbox = project("", HONEST_CHECK, "");
    sh(&sandbox, "mkdir -p k/f; echo 1 >k/a; chmod 600 k/a; echo 2 >k/f/b").expect(0);
    std::fs::write(stops::beside(&sandbox, "agent.sh"), format!("role=$1\n{BLOCK}{}", stops::HONEST_AGENT))
        .unwrap();
    sandbox.tdd(&["STE-1"]).expect(0);
    sh(&sandbox, "chmod 640 k/a; chmod 700 k/f").expect(0);
    sandbox.tdd(&["undo"]).expect(0);
    let modes = sh(&sandbox, "stat -c %a k/a k/f").expect(0).stdout;
    assert_eq!(modes, "640\n700\n");
    assert_eq!(sandbox.tdd(&["undo"]).expect(0).stdout.lines().count(), 1, "there is nothing left to undo");
}
