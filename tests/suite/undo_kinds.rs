//! `tdd undo` over many kinds of tree: byte for byte and with permissions, whatever lies there.
//! (`undo` tells what becomes of other people's work, `kills` of an undo that is killed.)

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
    ("a big file", "head -c 5000000 /dev/urandom >k/d; head -c 3000000 /dev/zero >k/a"),
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

fn sh(sandbox: &Sandbox, script: &str) -> Ran {
    let mut command = sandbox.command("sh");
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "p").env(format!("GIT_{role}_EMAIL"), "p@p");
    }
    Ran::of(&command.args(["-ec", script]).output().unwrap())
}

fn taken_back((name, prepare): Kind) {
    let sandbox = project("", HONEST_CHECK, "");
    let agent = format!(
        "role=$1\n{BLOCK}case $role in\n\
         test-writer) mkdir -p tests; echo 'grep -q two src.txt || {{ echo no two; exit 1; }}' >tests/ac_ste_1_1.sh; block tests/ac_ste_1_1.sh;;\n\
         implementer) echo two >>src.txt; {HAVOC}\nblock src.txt;;\n*) block '';;\nesac\n"
    );
    std::fs::write(stops::beside(&sandbox, "agent.sh"), agent).unwrap();
    let prepared = sh(&sandbox, &format!("mkdir k; {prepare}"));
    if name == "refs in tables" && prepared.code != 0 {
        println!("this git has no reftable: {}", prepared.stderr);
        return;
    }
    prepared.expect(0);
    let (before, git_before) = (tree(&sandbox), git_state(&sandbox));
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
    assert_eq!(git_state(&sandbox), git_before, "{name}");
    sandbox.git(&["fsck"]);
}

#[test]
fn ac_tdd_9_1_files_of_every_kind_come_back() {
    KINDS.into_iter().for_each(taken_back);
}

#[test]
fn ac_tdd_9_1_files_in_repositories_of_every_kind_come_back() {
    REPOSITORIES.into_iter().for_each(taken_back);
}
