//! Finding and reading a requirement, through the binary (contract sections 2, 3 and 4).
#![expect(clippy::disallowed_methods, reason = "a test sets up folders and runs the binary")]
#![expect(clippy::unwrap_used, reason = "what is missing fails the test")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

const GOOD: &str =
    "# Adds\n\n## Acceptance Criteria\n\n- AC-STE-1.1: adds\n- AC-STE-1.2: lints\n  - verify: gate\n";
const ULID: &str = "fr_01KPR3M74XA75GJKT4Z4HG95TH";

/// A folder with as much of a repository as `tdd criteria` looks at.
struct Sandbox(TempDir);

/// What the binary said.
struct Said {
    code: i32,
    out: String,
    err: String,
}

impl Sandbox {
    fn empty() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn repository() -> Self {
        let sandbox = Self::empty();
        sandbox.write(".git/HEAD", "ref: refs/heads/main\n");
        sandbox
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) -> &Self {
        let file = self.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
        self
    }

    fn fr(&self, name: &str, front_matter: &str) -> &Self {
        let head =
            if front_matter.is_empty() { String::new() } else { format!("---\n{front_matter}\n---\n") };
        self.write(&format!("specs/frs/{name}.md"), format!("{head}{GOOD}"))
    }

    fn tdd(&self, folder: &str, args: &[&str]) -> Said {
        let out = Command::new(env!("CARGO_BIN_EXE_tdd"))
            .args(args)
            .env_clear()
            .current_dir(self.path().join(folder))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        Said {
            code: out.status.code().unwrap(),
            out: String::from_utf8(out.stdout).unwrap(),
            err: String::from_utf8(out.stderr).unwrap(),
        }
    }

    fn criteria(&self, wanted: &str) -> Said {
        self.tdd("", &["criteria", wanted, "--json"])
    }

    #[track_caller]
    fn finds(&self, args: &[&str]) {
        let said = self.tdd("", &[&["criteria", "--json"], args].concat());
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{args:?}");
        assert_eq!(lines(&said.out).len(), 2, "{args:?}");
    }

    #[track_caller]
    fn refuses(&self, wanted: &str, words: &[&str]) {
        let said = self.criteria(wanted);
        let objects = lines(&said.out);
        let told: Vec<_> = objects.iter().map(|one| (&one["type"], &one["exit"])).collect();
        assert_eq!(
            (said.code, told.as_slice()),
            (2, [(&"error".into(), &2.into())].as_slice()),
            "{wanted}: {}",
            said.err
        );
        for word in words.iter().chain(&["next: "]) {
            assert!(said.err.contains(word), "{wanted}: no {word:?} in:\n{}", said.err);
        }
    }
}

/// One JSON object a line.
fn lines(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn criteria_are_printed_for_machines_and_people() {
    let sandbox = Sandbox::repository();
    sandbox.fr("STE-1", "");
    let said = sandbox.criteria("STE-1");
    let want = [
        json!({ "type": "criterion", "v": 1, "id": "AC-STE-1.1", "line": 5, "verify": "test", "text": "adds" }),
        json!({ "type": "criterion", "v": 1, "id": "AC-STE-1.2", "line": 6, "verify": "gate", "text": "lints" }),
    ];
    assert_eq!(lines(&said.out), want);
    let said = sandbox.tdd("specs", &["criteria", "ste-1"]);
    assert_eq!(
        said.out,
        "STE-1  Adds\nspecs/frs/STE-1.md, 2 criteria\n\nAC-STE-1.1  line 5\n    adds\n\n\
         AC-STE-1.2  line 6  verify: gate\n    lints\n"
    );
}

#[test]
fn a_requirement_is_found_by_stem_id_tracker_ulid_and_path() {
    let sandbox = Sandbox::repository();
    sandbox
        .fr("STE-1", "tracker:\n  linear: STE-1")
        .fr("HG95TH", &format!("id: {ULID}\ntracker: {{linear: STE-2, jira: {{key: ABC-7}}}}"))
        .fr("login", "id: STE-3")
        .fr("archive/STE-4", "")
        .write("docs/other.md", GOOD);
    let path = sandbox.path().join("docs/other.md");
    for wanted in [
        "STE-1",
        "ste-1",
        "STE-2",
        "ABC-7",
        "STE-3",
        ULID,
        &ULID[3..],
        "HG95TH",
        "docs/other.md",
        "./docs/../docs/other.md",
        "STE-1.md",
        path.to_str().unwrap(),
    ] {
        sandbox.finds(&[wanted]);
    }
    sandbox.finds(&["STE-4", "--archived"]);
    sandbox.finds(&["specs/frs/archive/STE-4.md", "--archived"]);
    sandbox
        .refuses("STE-4", &["no requirement STE-4", "specs/frs/archive/STE-4.md is archived", "--archived"]);
    sandbox.refuses("specs/frs/archive/STE-4.md", &["archived"]);
}

#[test]
fn the_project_is_the_folder_of_the_nearest_tdd_yaml() {
    let sandbox = Sandbox::repository();
    sandbox.write("web/tdd.yaml", "").write("web/specs/frs/STE-9.md", GOOD).write("web/src/a.rs", "");
    assert_eq!(sandbox.tdd("web/src", &["criteria", "STE-9"]).code, 0);
    sandbox.refuses("STE-9", &["looked in specs/frs"]);
    let worktree = Sandbox::empty();
    worktree.write(".git", "gitdir: /elsewhere\n").fr("STE-1", "");
    worktree.finds(&["STE-1"]);
}

#[test]
fn a_missing_requirement_is_told_with_its_neighbours() {
    let sandbox = Sandbox::repository();
    sandbox.refuses("STE-1", &["no requirement STE-1", "specs/frs (there is no such file)"]);
    sandbox.fr("STE-12", "").fr("STE-21", "").fr("ABC-1", "");
    sandbox.refuses("STE-13", &["looked in specs/frs", "did you mean STE-12"]);
    sandbox.refuses("docs/none.md", &["docs/none.md", "no such file"]);
    sandbox.refuses("", &["no requirement named"]);
}

#[test]
fn what_is_not_sure_which_requirement_it_is_is_refused() {
    let sandbox = Sandbox::repository();
    sandbox
        .fr("STE-1", "id: STE-2")
        .fr("STE-5", "tracker:\n  linear: STE-6")
        .fr("STE-7", "")
        .fr("page", "tracker: {linear: STE-7}")
        .fr("HG95TH", "title: no id");
    sandbox.refuses("STE-1", &["specs/frs/STE-1.md", "names STE-2"]);
    sandbox.refuses("STE-2", &["specs/frs/STE-1.md", "`STE-1`"]);
    sandbox.refuses("STE-5", &["STE-6"]);
    sandbox.refuses("specs/frs/STE-5.md", &["STE-6"]);
    sandbox.refuses("STE-7", &["2 requirements", "specs/frs/STE-7.md", "specs/frs/page.md"]);
    sandbox.refuses(ULID, &["specs/frs/HG95TH.md", "`id:` is none"]);
    sandbox.fr("HG95TH", "id: fr_01KPR3M74XA75GJKT4Z5HG95TH");
    sandbox.refuses(ULID, &["specs/frs/HG95TH.md", "Z5HG95TH"]);
    sandbox.fr("STE-8", "needs_technical_review: true");
    sandbox.refuses("STE-8", &["needs a technical review"]);
    sandbox.fr("STE-9", "id: [");
    sandbox.refuses("STE-10", &["not readable", "specs/frs/STE-9.md"]);
}

#[test]
fn bad_files_are_refused_with_their_lines() {
    let sandbox = Sandbox::repository();
    for (name, text, words) in [
        (
            "A-1",
            "# A\n\n- AC-1.1: stray\n\n## Acceptance Criteria\n\nnone\n",
            ["section on line 5", "outside it on line 3"],
        ),
        ("A-2", "# A\n\n- AC-1.1: stray\n", ["no `Acceptance Criteria` section", "on line 3"]),
        ("A-3", "## Acceptance Criteria\n- AC-1.1: a\n- AC-1.01: b\n", ["AC-1.1", "line 2 and on line 3"]),
        ("A-4", "## Acceptance Criteria\n- AC-1.1: a\n  verify: gates\n", ["line 3", "verify: gates"]),
        ("A-5", "---\ntitle: x\n", ["line 1", "front matter"]),
        ("A-6", "", ["no `Acceptance Criteria` section", "specs/frs/A-6.md"]),
    ] {
        sandbox.write(&format!("specs/frs/{name}.md"), text);
        sandbox.refuses(name, &words);
    }
    sandbox.write("specs/frs/A-7.md", b"## Acceptance Criteria\n- AC-1.1: \xff\n");
    sandbox.refuses("A-7", &["line 2", "UTF-8"]);
    sandbox.write("specs/frs/A-8.md", format!("\u{feff}{}", GOOD.replace('\n', "\r\n")));
    sandbox.finds(&["A-8"]);
}

#[test]
fn what_is_no_ordinary_file_of_the_repository_is_never_read() {
    let sandbox = Sandbox::repository();
    let outside = Sandbox::empty();
    outside.write("STE-1.md", GOOD);
    sandbox.write("specs/frs/folder.md/x", "").fr("STE-3", "");
    let frs = sandbox.path().join("specs/frs");

    let huge = fs::File::create(frs.join("STE-50.md")).unwrap();
    huge.set_len(50 * 1024 * 1024).unwrap();
    sandbox.refuses("STE-50", &["52428800 bytes"]);

    symlink(outside.path().join("STE-1.md"), frs.join("STE-1.md")).unwrap();
    symlink("STE-3.md", frs.join("STE-2.md")).unwrap();
    sandbox.refuses("STE-1", &["outside the repository"]);
    sandbox.refuses("specs/frs/STE-1.md", &["outside the repository"]);
    sandbox.refuses(outside.path().join("STE-1.md").to_str().unwrap(), &["outside the repository"]);
    sandbox.refuses("/dev/zero", &["outside the repository"]);
    sandbox.finds(&["STE-2"]);

    sandbox.refuses("specs/frs", &["a folder"]);
    sandbox.refuses("folder", &["a folder"]);
    let pipe = frs.join("STE-6.md");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    sandbox.refuses("STE-6", &["a named pipe"]);
    sandbox.refuses("specs/frs/STE-6.md", &["a named pipe"]);
    sandbox.finds(&["STE-3"]);

    let secret = frs.join("STE-7.md");
    fs::write(&secret, GOOD).unwrap();
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&secret).is_err() {
        // Root reads it all the same.
        sandbox.refuses("STE-7", &["specs/frs/STE-7.md", "ermission denied"]);
    }

    let linked = Sandbox::repository();
    fs::create_dir(linked.path().join("specs")).unwrap();
    symlink(outside.path(), linked.path().join("specs/frs")).unwrap();
    linked.refuses("STE-1", &["no requirement STE-1", "outside the repository"]);
}

#[test]
fn without_a_work_tree_nothing_is_looked_for() {
    let sandbox = Sandbox::empty();
    sandbox.fr("STE-1", "");
    sandbox.refuses("STE-1", &["no git repository", "git init"]);
    sandbox.write("HEAD", "ref: refs/heads/main\n").write("objects/x", "").write("refs/x", "");
    sandbox.refuses("STE-1", &["no git repository with a work tree", "git worktree add"]);
}

#[test]
fn parse_prints_the_claim_or_the_kind_of_error() {
    let sandbox = Sandbox::empty();
    let root = fs::canonicalize(sandbox.path()).unwrap();
    let block = |files: &str| {
        format!(
            "```tdd-result\nrole: implementer\nstatus: ok\nfiles: [{files}]\ncommand: x\noutput_excerpt: y\n```\n"
        )
    };
    sandbox.write("good.txt", block(&format!("{}/a.rs", root.display()))).write("bad.txt", block("../a.rs"));
    let parse = |args: &[&str]| sandbox.tdd("", &[&["parse", "--role", "implementer"], args].concat());

    let said = parse(&["good.txt", "--root", root.to_str().unwrap()]);
    let want = json!({ "ok": true, "claim": {
        "role": "implementer", "status": "ok", "files": ["a.rs"], "command": "x", "output_excerpt": "y",
    }});
    assert_eq!((said.code, serde_json::from_str::<Value>(&said.out).unwrap()), (0, want));

    let said = parse(&["bad.txt"]);
    let error = serde_json::from_str::<Value>(&said.out).unwrap();
    assert_eq!((said.code, &error["ok"], &error["error"]["kind"]), (1, &json!(false), &json!("unsafe-path")));
    assert_eq!(error["error"]["line"], json!(4));

    for input in [&[][..], &["-"]] {
        let said = parse(input);
        let error = serde_json::from_str::<Value>(&said.out).unwrap();
        assert_eq!((said.code, &error["error"]["kind"]), (1, &json!("no-block")));
    }
    for unreadable in ["none.txt", "."] {
        let said = parse(&[unreadable]);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{}", said.err);
        assert!(said.err.contains("can't read"), "{}", said.err);
    }
}

#[test]
fn a_word_that_is_like_a_command_and_a_file_that_is_like_the_settings_are_named() {
    let sandbox = Sandbox::repository();
    sandbox.fr("STE-1", "");
    for (words, near) in [
        (&["statsu"][..], "tdd status"),
        (&["docter"], "tdd doctor"),
        (&["resme", "x"], "tdd resume"),
        (&["cleen", "--all"], "tdd clean"),
    ] {
        let said = sandbox.tdd("", words);
        assert_eq!(said.code, 2, "{words:?}: {}", said.err);
        assert!(said.err.contains(&format!("`{near}`")), "{words:?}: {}", said.err);
    }
    let said = sandbox.tdd("", &["WEB-7"]);
    assert!(
        said.err.contains("tdd new WEB-7 \"A title\"") || said.err.contains("did you mean STE-1"),
        "{}",
        said.err
    );
    assert!(!said.err.contains("command"), "an id is like no command: {}", said.err);
    for folder in ["", "specs"] {
        let other = format!("{folder}/tdd.yml").trim_start_matches('/').to_owned();
        sandbox.write(&other, "test: make\n");
        let said = sandbox.tdd(folder, &["STE-1", "--dry-run"]);
        assert_eq!(said.code, 2, "{}", said.err);
        assert!(said.err.contains("tdd.yml is not read") && said.err.contains("mv "), "{}", said.err);
        // With both of them the same advice would take the one that is read.
        sandbox.write(&other.replace("yml", "yaml"), "test: make\n");
        let said = sandbox.tdd(folder, &["STE-1", "--dry-run"]);
        assert!(said.err.contains("both are there") && !said.err.contains("mv "), "{}", said.err);
        fs::remove_file(sandbox.path().join(&other)).unwrap();
        fs::remove_file(sandbox.path().join(other.replace("yml", "yaml"))).unwrap();
    }
}

#[test]
fn ac_tdd_6_41_what_is_advised_can_be_typed_as_it_stands() {
    let sandbox = Sandbox::repository();
    sandbox.write("tdd.yaml", "test: pytest\n");
    for (words, next) in [
        (&["STE-12"][..], "next: write it: tdd new STE-12 \"A title\";"),
        (&["status"], "`tdd` names the requirements"),
        (&["show"], "next: `tdd` names the requirements"),
        (&["show", "STE-1"], "next: if it is a requirement: tdd STE-1"),
        (&["show", "@"], "next: `tdd` names the requirements"),
        (&["explain", "Z"], "next: `tdd explain` lists them"),
        (&["explain", "mising"], "did you mean missing?"),
        (&["resume", "--retry", "--edited"], "next: tdd resume --help"),
        (&["STE-1", "--junit"], "next: tdd --help"),
        (&["new"], "next: tdd new --help"),
        (&["STE-1", "STE-2", "--detach"], "next: detach one requirement alone, or leave --detach out"),
    ] {
        let said = sandbox.tdd("", words);
        let all = format!("{}{}", said.out, said.err);
        assert!(all.contains(next) && !all.contains("<FR>` starts"), "{words:?}: {all}");
    }
    let requirement = "# A\n\n## Acceptance Criteria\n\n- AC-SHOP-1.1: a\n- AC-SHOP-1.2: b\n  and c\n";
    sandbox.write("specs/frs/SHOP-1.md", requirement);
    sandbox.write("sub/tdd.yaml", "test: pytest\n");
    for (folder, words, next) in [
        ("", &["specs/frs/SHOP-1"][..], "did you mean specs/frs/SHOP-1.md?"),
        ("", &["specs/frs/SHOP-3"], "next: "),
        ("sub", &["SHOP-1"], "the project is sub/, by its tdd.yaml"),
        ("sub", &["config"], "(sub/tdd.yaml)"),
        ("", &["config"], "(tdd.yaml)"),
        ("", &["SHOP-1", "--only", "shop-1.1"], "a number alone will do, too"),
    ] {
        let said = sandbox.tdd(folder, words);
        let all = format!("{}{}", said.out, said.err);
        assert!(all.contains(next), "{folder} {words:?}: {all}");
        assert_eq!(all.contains("did you mean"), next.contains("did you mean"), "{words:?}: {all}");
    }
    for id in ["ac-shop-1.2", "AC-SHOP-1.2", "ac-Shop-1.02", "2"] {
        let said = sandbox.tdd("", &["SHOP-1", "--dry-run", "--agent", "scripted", "--only", id]);
        assert!(
            said.out.contains("AC-SHOP-1.2: b …") && !said.out.contains("AC-SHOP-1.1"),
            "{id}: {}{}",
            said.out,
            said.err
        );
    }
}
