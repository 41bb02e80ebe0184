//! Settings of package managers that name registries and may hold the tokens for them.
//!
//! ```text
//! //registry.example/:_authToken=secret      .npmrc
//!     npmAuthToken: secret                   .yarnrc.yml
//! ```

/// What the key of such a line ends with, in small letters.
const KEYS: [&str; 6] = ["_authtoken", "_auth", "_password", "npmauthtoken", "npmauthident", "authtoken"];

/// The text without the lines that hold a token; `None` if there are none. A token that a variable holds
/// is not in the text.
pub fn without(text: &str) -> Option<String> {
    let left: Vec<&str> = text.lines().filter(|line| !holds_token(line)).collect();
    (left.len() < text.lines().count()).then(|| left.join("\n") + "\n")
}

fn holds_token(line: &str) -> bool {
    let line = line.trim();
    // The key of .npmrc holds colons of its own.
    let split = line.split_once('=').or_else(|| line.split_once(": "));
    let Some((key, value)) = split.filter(|_| !line.starts_with(['#', ';'])) else { return false };
    let key = key.trim().trim_matches(['"', '\'']).to_lowercase();
    let value = value.trim().trim_matches(['"', '\'']);
    let is_variable = value.starts_with("${") && value.ends_with('}');
    KEYS.iter().any(|end| key.ends_with(end)) && !value.is_empty() && !is_variable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_tokens_go_and_all_others_stay() {
        let npm = "registry=https://r.example/\n//r.example/:_authToken=abc\n_auth = \"eA==\"\nsave=false\n\
                   //r.example/:_password=x\n# _auth=old\n";
        assert_eq!(without(npm).as_deref(), Some("registry=https://r.example/\nsave=false\n# _auth=old\n"));
        let yarn =
            "npmScopes:\n  mine:\n    npmRegistryServer: \"https://r.example\"\n    npmAuthToken: abc\n";
        assert_eq!(
            without(yarn).as_deref(),
            Some("npmScopes:\n  mine:\n    npmRegistryServer: \"https://r.example\"\n")
        );
        for kept in ["", "registry=x\n", "//r.example/:_authToken=${NPM_TOKEN}\n", "_auth=\n"] {
            assert_eq!(without(kept), None, "{kept}");
        }
    }
}
