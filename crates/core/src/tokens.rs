//! Settings of package managers that name registries and may hold the tokens for them.
//!
//! ```text
//! //registry.example/:_authToken=secret      .npmrc; `_authToken[]=` is a list of one
//! registry=https://me:secret@r.example/      shown without `me:secret@`
//!     npmAuthToken: secret                   .yarnrc.yml, also as `{ npmAuthToken: secret }`
//! "//r.example/:_authToken" "secret"         .yarnrc
//! token = "secret"                           .bunfig.toml
//! ```

/// What the key of such a line ends with, in small letters.
const KEYS: [&str; 5] = ["token", "_auth", "password", "npmauthident", "_authtoken[]"];
/// Keys of settings that are written on one line with others.
const INSIDE: [&str; 2] = ["npmauthtoken", "npmauthident"];

/// The text without the lines that hold a token, and without names and passwords in addresses; `None` if
/// there are none. A token that a variable holds is not in the text.
pub fn without(text: &str) -> Option<String> {
    let mut left: Vec<String> = Vec::new();
    // Of a token that stands on the lines below its key: how far the key is indented.
    let mut below: Option<usize> = None;
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        if below.is_some_and(|key| indent > key || line.trim().is_empty()) {
            continue;
        }
        below = goes_on_below(line).then_some(indent);
        if below.is_none() && !holds_token(line) {
            left.push(without_user(line));
        }
    }
    let is_same = left.len() == text.lines().count() && left.iter().map(String::as_str).eq(text.lines());
    (!is_same).then(|| left.join("\n") + "\n")
}

/// The key, in small letters, and the value; none of a comment.
fn setting(line: &str) -> Option<(String, &str)> {
    let line = line.trim();
    if line.starts_with(['#', ';']) {
        return None;
    }
    // The key of .npmrc holds colons of its own.
    let first = ["=", ": ", "\" "].iter().filter_map(|sign| Some((line.find(sign)?, sign.len()))).min();
    let (key, value) = match first {
        Some((at, length)) => (line.get(..at)?, line.get(at + length..)?),
        None => line.strip_suffix(':').map(|key| (key, "")).or_else(|| line.split_once(' '))?,
    };
    let key = key.trim().trim_matches(['"', '\'', '{', ' ']).to_lowercase();
    Some((key, value.trim().trim_matches(['"', '\''])))
}

fn is_key(key: &str) -> bool {
    KEYS.iter().any(|end| key.ends_with(end))
}

fn holds_token(line: &str) -> bool {
    let Some((key, value)) = setting(line) else { return false };
    (is_key(&key) && is_secret(value)) || INSIDE.iter().any(|key| value.to_lowercase().contains(key))
}

fn is_secret(value: &str) -> bool {
    let is_variable = value.starts_with("${") && value.ends_with('}');
    !value.is_empty() && !is_variable
}

/// Whether the token of this key of YAML stands below it.
fn goes_on_below(line: &str) -> bool {
    let is_yaml = !line.contains('=');
    is_yaml
        && setting(line).is_some_and(|(key, value)| {
            let begins = ["", "|", ">", "|-", ">-"].contains(&value);
            begins && INSIDE.contains(&key.as_str())
        })
}

/// The line without `name:password@` of each address in it.
fn without_user(line: &str) -> String {
    let mut kept = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("://") {
        kept.push_str(before);
        kept.push_str("://");
        let end = after.find(['/', '"', '\'', ' ', '?', '#']).unwrap_or(after.len());
        let user = after.get(..end).and_then(|host| host.rsplit_once('@')).map(|(user, _)| user);
        let password = user.and_then(|user| user.split_once(':')).map(|(_, password)| password);
        rest = match (user, password) {
            (Some(user), Some(password)) if is_secret(password) => after.get(user.len() + 1..).unwrap_or(""),
            (Some(_) | None, _) => after,
        };
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_tokens_go_and_all_others_stay() {
        let npm = "registry=https://r.example/\n//r.example/:_authToken=abc\n_auth = \"eA==\"\nsave=false\n\
                   //r.example/:_password=x\n# _auth=old\n  //g.example/:_authToken  = h\n_authToken[]=g\n";
        assert_eq!(without(npm).as_deref(), Some("registry=https://r.example/\nsave=false\n# _auth=old\n"));
        let yarn =
            "npmScopes:\n  mine:\n    npmRegistryServer: \"https://r.example\"\n    npmAuthToken: abc\n";
        assert_eq!(
            without(yarn).as_deref(),
            Some("npmScopes:\n  mine:\n    npmRegistryServer: \"https://r.example\"\n")
        );
        for secret in [
            "npmScopes: {x: {npmAuthToken: abc}}\n",
            "npmAuthToken:\n  abc\n",
            "npmAuthToken: >-\n  abc\n",
            "\"//r.example/:_authToken\" \"abc\"\n",
            "token = \"abc\"\n",
            "npmAuthIdent: \"dTpwPQ==\"\n",
        ] {
            assert_eq!(without(&format!("{secret}kept=1\n")).as_deref(), Some("kept=1\n"), "{secret}");
        }
        for kept in [
            "",
            "registry=x\n",
            "//r.example/:_authToken=${NPM_TOKEN}\n",
            "_auth=\n",
            "always-auth=true\ntokenHelper=/x\n",
            "npmAlwaysAuth: true\nnpmScopes:\n  mine:\n    npmRegistryServer: x\n",
            "registry=https://r.example/@scope:x/\nemail=a@b.example\n",
            "registry=https://${USER}:${PASSWORD}@r.example/\n",
        ] {
            assert_eq!(without(kept), None, "{kept}");
        }
    }

    #[test]
    fn an_address_is_shown_without_its_password() {
        let told = |text: &str| without(text);
        assert_eq!(
            told("registry=https://me:pw@r.example/a\nproxy=http://u:p@q:80\n").as_deref(),
            Some("registry=https://r.example/a\nproxy=http://q:80\n")
        );
    }
}
