//! Secrets by where they stand: in a URL, in a header.
//!
//! ```text
//! url    = "://" { no blank, quote or "/" } ":" hidden "@"
//! header = "authorization" [ quote ] { blank } ( ":" | "=" ) { blank | quote } [ scheme blank ] hidden
//! ```

/// Longer user information is none that a person has.
const LONGEST_USER: usize = 512;
/// A shorter word behind `Authorization:` is a word.
const SHORTEST_CREDENTIAL: usize = 6;
const HEADER: &[u8] = b"authorization";
/// What may stand before the credential. A word that is none of these is the credential.
const SCHEMES: [&str; 7] = ["bearer", "basic", "token", "digest", "negotiate", "apikey", "key"];

/// The passwords of URLs.
pub(super) fn find_urls(text: &str, hidden: &mut Vec<(usize, usize)>) {
    let bytes = text.as_bytes();
    for (at, _) in text.match_indices("://") {
        let start = at + 3;
        let rest = &bytes[start..bytes.len().min(start + LONGEST_USER)];
        let ends = |byte: &u8| {
            byte.is_ascii_whitespace() || matches!(byte, b'/' | b'"' | b'\'' | b'`' | b'<' | b'>')
        };
        let user = &rest[..rest.iter().position(ends).unwrap_or(rest.len())];
        // A password may hold an `@`, a host none.
        let Some(host) = user.iter().rposition(|byte| *byte == b'@') else { continue };
        let Some(colon) = user[..host].iter().position(|byte| *byte == b':') else { continue };
        if colon + 1 < host {
            hidden.push((start + colon + 1, start + host));
        }
    }
}

/// What stands in an `Authorization` header.
pub(super) fn find_headers(text: &str, hidden: &mut Vec<(usize, usize)>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(found) = bytes[at..].iter().position(|byte| matches!(byte, b'a' | b'A')) {
        at += found;
        let is_header =
            bytes.get(at..at + HEADER.len()).is_some_and(|word| word.eq_ignore_ascii_case(HEADER));
        if !is_header {
            at += 1;
            continue;
        }
        at += HEADER.len();
        if let Some((start, end)) = credential(bytes, at) {
            hidden.push((start, end));
            at = end;
        }
    }
}

/// How the name of a variable ends that holds a secret, as people write them for a shell or a container.
const SECRETS: [&str; 11] = [
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "SECRET",
    "SECRET_KEY",
    "ACCESS_KEY",
    "API_KEY",
    "PRIVATE_KEY",
    "ACCESS_TOKEN",
    "AUTH_TOKEN",
    "CREDENTIALS",
];

/// What is given to such a variable, in capitals and with `=`. What stands before its name says nothing.
pub(super) fn find_variables(text: &str, hidden: &mut Vec<(usize, usize)>) {
    let bytes = text.as_bytes();
    for (sign, _) in text.match_indices('=') {
        if !SECRETS.iter().any(|end| text[..sign].ends_with(end)) {
            continue;
        }
        let quotes = bytes[sign + 1..].iter().take(2).take_while(|byte| matches!(byte, b'"' | b'\'' | b'\\'));
        let start = sign + 1 + quotes.count();
        let end = word_end(bytes, start);
        if end - start >= SHORTEST_CREDENTIAL {
            hidden.push((start, end));
        }
    }
}

/// From behind the header's name: where the credential begins and ends.
fn credential(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    let skip = |from: usize, fits: fn(&u8) -> bool| {
        // A few blanks and quotes, or this is no header.
        from + bytes[from..].iter().take(8).take_while(|byte| fits(byte)).count()
    };
    let is_quote = |byte: &u8| matches!(byte, b'"' | b'\'' | b'`' | b'\\');
    let is_filler = |byte: &u8| matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b' ' | b'\t' | b'[' | b'(');
    let named = skip(skip(from, is_quote), |byte| matches!(byte, b' ' | b'\t'));
    let sign = named + usize::from(bytes.get(named).is_some_and(|byte| matches!(byte, b':' | b'=')));
    if sign == named {
        return None;
    }
    // `=>` and `:=` of some languages.
    let start = skip(skip(sign, |byte| matches!(byte, b'=' | b'>')), is_filler);
    let end = word_end(bytes, start);
    let word = bytes.get(start..end)?;
    let is_scheme = SCHEMES.iter().any(|scheme| word.eq_ignore_ascii_case(scheme.as_bytes()));
    let (start, end) = if is_scheme {
        let next = skip(end, |byte| matches!(byte, b' ' | b'\t'));
        (next, word_end(bytes, next))
    } else {
        (start, end)
    };
    (end - start >= SHORTEST_CREDENTIAL).then_some((start, end))
}

fn word_end(bytes: &[u8], start: usize) -> usize {
    let ends = |byte: &u8| {
        byte.is_ascii_whitespace()
            || matches!(byte, b'"' | b'\'' | b'`' | b',' | b';' | b')' | b']' | b'}' | b'\\' | b'<')
    };
    let rest = bytes.get(start..).unwrap_or_default();
    start + rest.iter().position(ends).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(text: &str) -> String {
        let mut hidden = Vec::new();
        find_urls(text, &mut hidden);
        find_headers(text, &mut hidden);
        find_variables(text, &mut hidden);
        hidden.sort_unstable();
        let mut out = text.to_owned();
        for (start, end) in hidden.into_iter().rev() {
            out.replace_range(start..end, "***");
        }
        out
    }

    #[test]
    fn what_is_given_to_a_variable_that_holds_a_secret_is_hidden() {
        for (text, want) in [
            ("DB_PASSWD=hunter22x failed", "DB_PASSWD=*** failed"),
            ("env: AWS_SECRET_ACCESS_KEY='abcdefghij', x", "env: AWS_SECRET_ACCESS_KEY='***', x"),
            ("{\"A\":\"API_KEY=\\\"abcdefghij\\\"\"}", "{\"A\":\"API_KEY=\\\"***\\\"\"}"),
            ("MAX_TOKENS=4096000000", "MAX_TOKENS=4096000000"),
            ("PASSWORD_LENGTH=1234567890", "PASSWORD_LENGTH=1234567890"),
            ("assert password == 'abcdefghij'", "assert password == 'abcdefghij'"),
            ("DB_PASSWD=x", "DB_PASSWD=x"),
        ] {
            assert_eq!(masked(text), want, "{text}");
        }
    }

    #[test]
    fn passwords_of_urls_are_hidden_and_what_looks_like_them_is_not() {
        for (text, want) in [
            ("postgres://me:hunter2@db:5432/x", "postgres://me:***@db:5432/x"),
            ("fetch https://u:p%40ss@host now", "fetch https://u:***@host now"),
            ("redis://:secret@cache", "redis://:***@cache"),
            ("amqp://a:b@c@host", "amqp://a:***@host"),
            ("(mongodb+srv://é:ü@h)", "(mongodb+srv://é:***@h)"),
            ("ssh://git@github.com:22/a", "ssh://git@github.com:22/a"),
            ("http://localhost:8080/a@b", "http://localhost:8080/a@b"),
            ("http://host:80 and me@home", "http://host:80 and me@home"),
            ("http://u:@host", "http://u:@host"),
            ("://", "://"),
        ] {
            assert_eq!(masked(text), want, "{text}");
        }
    }

    #[test]
    fn what_stands_in_an_authorization_header_is_hidden() {
        for (text, want) in [
            ("Authorization: Bearer abc.def-123", "Authorization: Bearer ***"),
            ("authorization: Basic dXNlcjpwYXNz", "authorization: Basic ***"),
            ("\"Authorization\": \"Token 0123456789\",", "\"Authorization\": \"Token ***\","),
            ("curl -H 'Authorization: 0123456789' x", "curl -H 'Authorization: ***' x"),
            ("{'Authorization' => 'Bearer 0123456789'}", "{'Authorization' => 'Bearer ***'}"),
            ("Proxy-Authorization: Digest username=x1", "Proxy-Authorization: Digest ***"),
            (
                "{\\\"Authorization\\\": \\\"Bearer 0123456789\\\"}",
                "{\\\"Authorization\\\": \\\"Bearer ***\\\"}",
            ),
            ("the authorization of a user", "the authorization of a user"),
            ("Authorization: none", "Authorization: none"),
            ("Authorization:", "Authorization:"),
            ("Authorization: Bearer", "Authorization: Bearer"),
        ] {
            assert_eq!(masked(text), want, "{text}");
        }
    }
}
