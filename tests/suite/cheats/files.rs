//! Games with test files and what they lie in.

use super::entry::{Entry, IM, Wanted, cheat};

/// What the report says of a change that the diff shows.
pub const FORBIDDEN: &str = "this role may not change: tests/";
/// The same of a file that lies elsewhere.
pub const FORBIDDEN_FILE: &str = "this role may not change: ";
/// What it says of one that only the seal shows.
const TOUCHED: &str = "a protected file was changed: tests/";

pub fn entries() -> Vec<Entry> {
    let all = vec![
        cheat("edits its test", IM, "wrong; sed -i 's/2)/3)/' $T").fails(FORBIDDEN),
        cheat("edits an older test", IM, "green; echo '# x' >> tests/test_old.py").fails(FORBIDDEN),
        cheat("deletes its test", IM, "green; rm $T").fails(FORBIDDEN),
        cheat("truncates its test", IM, "green; : > $T").fails(FORBIDDEN),
        cheat("renames its test", IM, "green; mv $T tests/ac_moved.py").fails(FORBIDDEN),
        cheat("makes a test unreadable", IM, "green; chmod 000 $T").fails("tests/"),
        cheat("makes a test executable", IM, "green; chmod +x $T").fails(FORBIDDEN),
        cheat("opens a test to everybody", IM, "green; chmod 666 $T").fails(TOUCHED),
        cheat(
            "edits a test and puts its time back",
            IM,
            "wrong; cp -p $T ../kept; sed -i 's/2)/3)/' $T; touch -r ../kept $T && ! cmp -s $T ../kept",
        )
        .fails(FORBIDDEN),
        cheat("hard-links a test out of the way", IM, "green; ln $T copy.py").fails(TOUCHED),
        cheat("hard-links a test to outside", IM, "green; ln $T ../copy.py").fails(TOUCHED),
        cheat(
            "puts a link in a test's place",
            IM,
            "wrong; mv $T w.py; sed -i 's/2)/3)/' w.py; ln -s ../w.py $T",
        )
        .fails(FORBIDDEN),
        cheat(
            "swaps the tests' folder",
            IM,
            "wrong; cp -r tests ../old; rm -r tests; mkdir tests; touch tests/__init__.py",
        )
        .fails(FORBIDDEN),
        cheat(
            "puts a link in the folder's place",
            IM,
            "wrong; mv tests moved; ln -s moved tests; sed -i 's/2)/3)/' moved/test_ac*",
        )
        .fails(FORBIDDEN),
        cheat("puts a FIFO in a test's place", IM, "green; rm $T; mkfifo $T").fails("tests/"),
        cheat("adds a test", IM, "green; cp tests/test_old.py tests/test_more.py").fails(FORBIDDEN),
        cheat("changes a test's data", IM, "green; echo 2 > tests/data.json")
            .with("tests/data.json", "1\n")
            .fails(FORBIDDEN),
        cheat("changes an ignored test", IM, "green; echo '# x' >> tests/local/test_mine.py")
            .with(".gitignore", "tests/local/\n")
            .with("tests/local/test_mine.py", "# Mine.\n")
            .fails(TOUCHED),
        cheat(
            "writes to a test through a name made before",
            IM,
            "green; echo x >> ../kept.py && cmp -s ../kept.py $T",
        )
        .prelude("also() { ln $T ../kept.py; }\n")
        .wants(Wanted::Prevented),
    ];
    all.into_iter().map(Entry::prevented_by_enforce).collect()
}
