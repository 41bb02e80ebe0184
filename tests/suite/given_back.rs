//! What a clone gets in place of the files that were judged, against git itself: contract section 7.
#![expect(clippy::unwrap_used, reason = "a test works on real files and may fail anywhere")]

use std::os::unix::fs::PermissionsExt as _;

use tdd_core::path::RelPath;
use tdd_core::ports::Checkpoints;

use crate::sealed_git::{Repository, rel};

const NEW: [&str; 7] = ["crlf.txt", "mixed.txt", "lf.txt", "ident.c", "run.sh", "wide.utf16", "sub/crlf.csv"];

/// What every file holds, and whether it may be run.
fn all_of(read: impl Fn(&str) -> std::path::PathBuf) -> Vec<(String, Vec<u8>, bool)> {
    let one = |name: &&str| {
        let path = read(name);
        let is_executable = path.metadata().unwrap().permissions().mode() & 0o100 != 0;
        ((*name).to_owned(), std::fs::read(&path).unwrap(), is_executable)
    };
    NEW.iter().chain(&["old.txt", "old.sh"]).map(one).collect()
}

#[test]
fn ac_tdd_8_168_files_are_given_back_as_git_itself_does() {
    for (attributes, settings) in [
        ("", &[][..]),
        ("* text=auto\n", &[][..]),
        ("* text eol=crlf\n", &[][..]),
        ("*.csv -text\n* text=auto\n", &[("core.fileMode", "false")][..]),
        ("*.c ident\n*.utf16 text working-tree-encoding=UTF-16LE\n", &[("core.autocrlf", "true")][..]),
        ("", &[("core.autocrlf", "input"), ("core.safecrlf", "true")][..]),
        ("", &[("core.autocrlf", "true")][..]),
        ("* text eol=crlf\n", &[("core.eol", "lf"), ("core.attributesFile", "attributes-of-mine")][..]),
        ("* filter=evil\n", &[("filter.evil.clean", "touch ran; cat"), ("filter.evil.required", "true")][..]),
    ] {
        let repository = Repository::unborn();
        repository.write(".gitattributes", attributes);
        repository.write("attributes-of-mine", "* -text\n");
        // Whoever runs this may have other ones.
        let own =
            [("core.autocrlf", "false"), ("core.fileMode", "true"), ("core.attributesFile", "/dev/null")];
        for (name, value) in own.iter().chain(settings) {
            repository.git(&["config", name, value]);
        }
        repository.write("old.txt", "a\r\nb\r\n");
        repository.write("old.sh", "#!/bin/sh\n");
        repository
            .child("chmod +x old.sh && git -c core.safecrlf=false add . && git commit -qm start; rm -f ran");
        let mut checkpoints = repository.checkpoints();
        checkpoints.take("zero").unwrap();
        repository.write("old.txt", "a\r\nb\r\nc\r\n");
        repository.write("old.sh", "#!/bin/sh\ntrue\n");
        repository.write("crlf.txt", "a\r\nb\r\n");
        repository.write("sub/crlf.csv", "a\r\nb\r\n");
        repository.write("mixed.txt", "a\r\nb\n");
        repository.write("lf.txt", "a\nb\n");
        repository.write("ident.c", "$Id$ $Id: 123 $\n");
        repository.write("run.sh", "#!/bin/sh\n");
        repository.write("wide.utf16", "a\0\n\0");
        repository.child("chmod +x run.sh");
        let tree = checkpoints.take("one").unwrap();
        let laid = repository.outside("laid");
        std::fs::create_dir(&laid).unwrap();
        checkpoints.lay(&tree, &laid).unwrap();
        let paths: Vec<RelPath> = NEW.iter().chain(&["old.txt", "old.sh"]).map(|path| rel(path)).collect();
        let given_back = checkpoints.give_back(&tree, &laid, &paths).unwrap();
        assert!(repository.read("ran").is_none() && !laid.join("ran").exists(), "a filter was run");
        assert_eq!(
            repository.git(&["status", "--porcelain", "--", "lf.txt"]),
            "?? lf.txt",
            "the index is as it was"
        );

        let lay_here = all_of(|name| repository.path(name));
        let is_filter = attributes.contains("filter");
        if is_filter {
            assert_eq!(given_back, [], "what a filter makes of a file is not looked at");
            continue;
        }
        repository.child("git -c core.safecrlf=false add . && git commit -qm work");
        let clone = repository.outside("clone");
        let clone_of = format!("git clone -q . '{}'", clone.display());
        repository.child(&format!("GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 {clone_of}"));
        let as_git_does = all_of(|name| clone.join(name));
        let laid_now = all_of(|name| laid.join(name));
        assert_eq!(laid_now, as_git_does, "{attributes:?} {settings:?}");
        let differing =
            lay_here.iter().zip(&laid_now).filter(|(was, now)| was != now).map(|(was, _)| rel(&was.0));
        let mut differing: Vec<RelPath> = differing.collect();
        differing.sort();
        assert_eq!(given_back, differing, "{attributes:?} {settings:?}");
        assert_eq!(
            attributes.is_empty() && settings.is_empty() || is_filter,
            given_back.is_empty(),
            "{attributes:?}"
        );
    }
}
