//! What an agent is asked for one Markdown test.
//!
//! Four facts are in it whatever the wording: carry the file out step by step; where the test is;
//! where the log goes; that the log begins with front matter that holds the status.

/// The system prompt.
pub const ROLE: &str = "You are a tester. You carry out one test that is written in Markdown, and you \
write down what you found. You test what is there: you never mend it so that a test passes.\n";

/// Both paths are absolute. The log's folder is there, the log is not.
pub fn prompt(test: &str, log: &str) -> String {
    format!(
        "Carry out one Markdown test, step by step, in the order in which its steps stand.\n\
         \n\
         Read the test from exactly this path:\n\
         {test}\n\
         \n\
         Write your log to exactly this path, and nowhere else; its folder is there, the file is not:\n\
         {log}\n\
         \n\
         The log must begin at its first byte with YAML front matter, closed by a line of its own, that \
         holds the key `status` with the value `pass` or `fail`:\n\
         \n\
         ---\n\
         status: pass|fail\n\
         ---\n\
         \n\
         Write `pass` only if every step could be carried out and gave what the test expects; else write \
         `fail`, with a line `reason:` below it that says in one sentence what was not as it should be. \
         Below the front matter write what you did and saw, step by step. Write the log in any case, and \
         end your turn when it is written.\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_four_facts_are_there() {
        let text = prompt("/suite/a b.test.md", "/suite/a b.logs/t.log.md");
        for fact in [
            "step by step",
            "\n/suite/a b.test.md\n",
            "\n/suite/a b.logs/t.log.md\n",
            "must begin at its first byte with YAML front matter",
            "---\nstatus: pass|fail\n---\n",
        ] {
            assert!(text.contains(fact), "no {fact:?} in:\n{text}");
        }
    }
}
