//! Hides secrets in what is kept or shown (contract section 11).
//!
//! ```text
//! hidden = value of an environment variable with KEY, TOKEN, SECRET, PASSWORD, PASSWD or CREDENTIAL in
//!          its name, at least 8 characters; of a value of several lines also each line of at least 16
//!        | prefix tail        at no letter or digit, tail at least so long: see `PREFIXES`
//!        | "eyJ" part "." "eyJ" part "." part          a JSON web token
//!        | "-----BEGIN " … "PRIVATE KEY" … "-----" to the matching "-----END" line, or the end
//!        | a password in a URL, what stands in an `Authorization` header, and what is given to a variable whose
//!          name ends as a secret's does (`DB_PASSWD=…`): see `places`
//! tail   = letters, digits, "_" and "-"; "." too where the prefix ends in one
//! ```
//!
//! Masked text is masked again on its way (a journal that is shown, a report that quotes one), and must not
//! change. So what is masked parts a text as its end would: nothing but a private key is looked for across it.
//! Where something was cut out, a token may begin that stood behind a letter before; nothing else can be new,
//! because every other rule finds less in a shorter text.
//!
//! The time is linear in the text for a given environment.

mod places;

use std::borrow::Cow;

/// What stands in a secret's place.
pub const MASKED: &str = "[masked]";

const SHORTEST_VALUE: usize = 8;
const SHORTEST_LINE: usize = 16;
/// More values than this are not an environment of a person's.
const MOST_VALUES: usize = 4096;

/// Beginnings that the services themselves gave their secrets, so that they are found, and the shortest
/// that follows. Where one begins another, the longer one comes first.
const PREFIXES: &[(&str, usize)] = &[
    ("github_pat_", 20),
    ("ghp_", 30),
    ("gho_", 30),
    ("ghu_", 30),
    ("ghs_", 30),
    ("ghr_", 30),
    ("glpat-", 20),
    ("gldt-", 20),
    ("glrt-", 20),
    ("glptt-", 20),
    ("npm_", 30),
    ("pypi-", 40),
    ("rubygems_", 40),
    ("dckr_pat_", 20),
    ("xoxa-", 10),
    ("xoxb-", 10),
    ("xoxe-", 10),
    ("xoxo-", 10),
    ("xoxp-", 10),
    ("xoxr-", 10),
    ("xoxs-", 10),
    ("xapp-", 10),
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 30),
    ("ya29.", 20),
    ("sk_live_", 16),
    ("sk_test_", 16),
    ("rk_live_", 16),
    ("rk_test_", 16),
    ("whsec_", 20),
    ("sk-", 20),
    ("gsk_", 30),
    ("xai-", 30),
    ("hf_", 30),
    ("r8_", 30),
    ("nvapi-", 30),
    ("pplx-", 30),
    ("SG.", 40),
    ("hvs.", 20),
    ("tskey-", 16),
    ("dop_v1_", 40),
    ("shpat_", 20),
    ("shpss_", 20),
    ("sbp_", 30),
    ("lin_api_", 30),
    ("figd_", 20),
    ("ATATT3", 30),
    ("NRAK-", 20),
    ("PMAK-", 20),
    ("AGE-SECRET-KEY-1", 50),
];

/// Knows the secrets of one environment.
#[derive(Clone, Default)]
pub struct Mask {
    values: Vec<String>,
}

/// Never shows what it hides.
impl std::fmt::Debug for Mask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Mask({} values)", self.values.len())
    }
}

impl Mask {
    /// Takes the values of those variables whose names say that they are secret.
    pub fn new(env: impl Iterator<Item = (String, String)>) -> Self {
        let mut values: Vec<String> = Vec::new();
        for (name, value) in env.filter(|(name, _)| is_secret(name)) {
            let lines = value.lines().map(str::trim).filter(|line| line.len() >= SHORTEST_LINE);
            values.extend(lines.map(str::to_owned));
            if value.trim().len() >= SHORTEST_VALUE {
                values.push(value.trim().to_owned());
            }
            let _ = name;
        }
        values.retain(|value| !value.contains(MASKED));
        values.sort_unstable();
        values.dedup();
        values.truncate(MOST_VALUES);
        Self { values }
    }

    /// The text with every secret replaced by [`MASKED`]; masked text comes back as it is.
    pub fn apply<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut hidden = self.found(text);
        if hidden.is_empty() {
            return Cow::Borrowed(text);
        }
        hidden.sort_unstable();
        let mut masked = String::with_capacity(text.len());
        let mut done = 0;
        for (at, &(start, end)) in hidden.iter().enumerate() {
            if start >= done {
                masked.push_str(&text[done..start]);
                masked.push_str(MASKED);
            }
            done = done.max(end);
            let next = hidden.get(at + 1).map_or(text.len(), |(start, _)| *start);
            if let Some(behind) = text.as_bytes().get(done..next).and_then(token) {
                masked.push_str(MASKED);
                done += behind;
            }
        }
        masked.push_str(&text[done..]);
        Cow::Owned(masked)
    }

    /// From where to where secrets stand, in no order.
    fn found(&self, text: &str) -> Vec<(usize, usize)> {
        let known: Vec<usize> = text.match_indices(MASKED).map(|(at, _)| at).collect();
        let mut hidden: Vec<(usize, usize)> = Vec::new();
        for value in &self.values {
            let places = text.match_indices(value.as_str()).map(|(at, _)| (at, at + value.len()));
            // The next one that ends behind its beginning is the only one that it can reach into.
            let is_apart = |&(start, end): &(usize, usize)| {
                let next = known.partition_point(|at| at + MASKED.len() <= start);
                known.get(next).is_none_or(|at| *at >= end)
            };
            hidden.extend(places.filter(is_apart));
        }
        find_keys(text, &mut hidden);
        let mut start = 0;
        for end in known.iter().copied().chain([text.len()]) {
            let from = hidden.len();
            let part = &text[start..end];
            find_tokens(part, &mut hidden);
            places::find_urls(part, &mut hidden);
            places::find_headers(part, &mut hidden);
            places::find_variables(part, &mut hidden);
            hidden[from..].iter_mut().for_each(|place| *place = (place.0 + start, place.1 + start));
            start = end + MASKED.len();
        }
        hidden
    }
}

/// Whether a variable of this name holds a secret.
pub fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"].iter().any(|word| name.contains(word))
}

/// Token shapes. A tail that is long enough is skipped whole and one that is not is short, so
/// no byte is looked at more than some dozens of times.
fn find_tokens(text: &str, hidden: &mut Vec<(usize, usize)>) {
    let bytes = text.as_bytes();
    let firsts = PREFIXES.iter().map(|(prefix, _)| prefix.as_bytes()[0]).chain([b'e']);
    let mut begins = [false; 256];
    for first in firsts {
        begins[usize::from(first)] = true;
    }
    let mut at = 0;
    while at < bytes.len() {
        let starts = begins[usize::from(bytes[at])] && (at == 0 || !bytes[at - 1].is_ascii_alphanumeric());
        let end = if starts { token(&bytes[at..]) } else { None };
        match end {
            Some(length) => {
                hidden.push((at, at + length));
                at += length;
            }
            None => at += 1,
        }
    }
}

/// The length of the token that these bytes begin with.
fn token(bytes: &[u8]) -> Option<usize> {
    for (prefix, least) in PREFIXES {
        if let Some(rest) = bytes.strip_prefix(prefix.as_bytes()) {
            let tail = if prefix.ends_with('.') { dotted_tail(rest) } else { tail(rest) };
            return (tail >= *least).then_some(prefix.len() + tail);
        }
    }
    web_token(bytes)
}

fn tail(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')).count()
}

fn dotted_tail(bytes: &[u8]) -> usize {
    let fits = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    bytes.iter().take_while(fits).count()
}

/// A word that begins with `eyJ` is skipped whole if it is no token, because it holds no dot
/// and so no other beginning of one.
fn web_token(bytes: &[u8]) -> Option<usize> {
    if !bytes.starts_with(b"eyJ") {
        return None;
    }
    let first = tail(bytes);
    let rest = bytes[first..].strip_prefix(b".")?;
    if first < 10 || !rest.starts_with(b"eyJ") {
        return None;
    }
    let second = tail(rest);
    let rest = rest[second..].strip_prefix(b".")?;
    Some(first + 1 + second + 1 + tail(rest))
}

/// Blocks of private keys.
fn find_keys(text: &str, hidden: &mut Vec<(usize, usize)>) {
    const BEGIN: &str = "-----BEGIN ";
    const END: &str = "-----END ";
    let mut from = 0;
    while let Some(at) = text[from..].find(BEGIN).map(|at| from + at) {
        let label_start = at + BEGIN.len();
        from = label_start;
        let label: &[u8] = &text.as_bytes()[label_start..text.len().min(label_start + 64)];
        let dashes = label.windows(5).position(|window| window == b"-----");
        let Some(label) = dashes.map(|dashes| &label[..dashes]) else { continue };
        // One that was masked is another label than it was.
        if label.contains(&b'[') || !label.windows(11).any(|window| window == b"PRIVATE KEY") {
            continue;
        }
        let end = text[label_start..].find(END).map(|at| label_start + at + END.len());
        let end = end.map_or(text.len(), |end| match text[end..].find("-----") {
            Some(dashes) if dashes <= 64 => end + dashes + 5,
            Some(_) | None => end,
        });
        hidden.push((at, end));
        from = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mask() -> Mask {
        let env = [
            ("API_KEY", "s3cr3t-value"),
            ("npm_config_authtoken", "lower-case-name"),
            ("DB_PASSWORD", "short"),
            ("MY_SECRET", "s3cr3t-value-and-more"),
            ("PGPASSWD", "of-the-database"),
            ("AWS_CREDENTIALS", "of-the-cloud"),
            ("PATH", "/usr/bin:/opt/bin"),
            ("SIGNING_KEY", "first line of a long key\nshort\nsecond line of a long key"),
        ];
        Mask::new(env.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())))
    }

    #[test]
    fn secrets_are_hidden_and_nothing_else() {
        let long = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
        for (text, want) in [
            ("nothing here".to_owned(), "nothing here".to_owned()),
            ("key=s3cr3t-value!".to_owned(), "key=[masked]!".to_owned()),
            ("s3cr3t-value-and-more".to_owned(), "[masked]".to_owned()),
            ("é s3cr3t-value é".to_owned(), "é [masked] é".to_owned()),
            ("lower-case-name".to_owned(), "[masked]".to_owned()),
            ("of-the-database, of-the-cloud".to_owned(), "[masked], [masked]".to_owned()),
            (
                "git clone https://me:hunter2@host/x".to_owned(),
                "git clone https://me:[masked]@host/x".to_owned(),
            ),
            (format!("Authorization: Bearer ghp_{long}"), "Authorization: Bearer [masked]".to_owned()),
            (format!("sk_live_{long} hf_{long} SG.{long}.{long}"), "[masked] [masked] [masked]".to_owned()),
            (format!("ya29.{long}."), "[masked]".to_owned()),
            ("short is short, /usr/bin:/opt/bin".to_owned(), "short is short, /usr/bin:/opt/bin".to_owned()),
            ("a second line of a long key b".to_owned(), "a [masked] b".to_owned()),
            (format!("sk-{long}, sk-ant-api03-{long}"), "[masked], [masked]".to_owned()),
            (format!("ghp_{long} github_pat_{long}"), "[masked] [masked]".to_owned()),
            (format!("\"glpat-{long}\" npm_{long}"), "\"[masked]\" [masked]".to_owned()),
            ("xoxb-1234567890-abc AKIAIOSFODNN7EXAMPLE".to_owned(), "[masked] [masked]".to_owned()),
            (format!("AIza{long}"), "[masked]".to_owned()),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_1 x".to_owned(), "[masked] x".to_owned()),
            (
                "task-force ask-me sk-short eyJ.eyJ AKIA".to_owned(),
                "task-force ask-me sk-short eyJ.eyJ AKIA".to_owned(),
            ),
            (
                "a\n-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\nb".to_owned(),
                "a\n[masked]\nb".to_owned(),
            ),
            ("-----BEGIN PRIVATE KEY-----\nMII".to_owned(), "[masked]".to_owned()),
            ("-----BEGIN CERTIFICATE-----\nMII".to_owned(), "-----BEGIN CERTIFICATE-----\nMII".to_owned()),
        ] {
            assert_eq!(mask().apply(&text), want, "{text}");
        }
    }

    #[test]
    fn hostile_text_takes_linear_time() {
        let mask = mask();
        for piece in [
            "sk-",
            "eyJ",
            "eyJ.",
            "-----BEGIN ",
            "-----BEGIN PRIVATE KEY-----",
            "AKIA",
            "ghp_ ",
            "://",
            "://a:",
            "authorization",
            "Authorization: ",
            "SG.",
            "[masked]",
            "[masked]sk-",
        ] {
            let text = piece.repeat(500_000 / piece.len());
            // A quadratic scan of this would take minutes.
            let masked = mask.apply(&text);
            assert!(masked.len() <= text.len() + MASKED.len());
        }
    }

    /// Texts of pieces that rules begin, end or part at, in all orders that chance gives.
    #[test]
    fn masked_text_is_masked_as_it_is() {
        let long = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0";
        let (token, web) = (format!("ghp_{long}"), "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_1");
        let pieces = [
            "[masked]",
            "[mas",
            "ked]",
            "[",
            "]",
            "s3cr3t-value",
            "s3cr3t-value-and-more",
            "X",
            "9",
            " ",
            "\n",
            "Authorization: ",
            "authorization=",
            "Bearer ",
            "\"",
            "'",
            "://",
            "me:",
            ":",
            "@",
            "/",
            "é",
            ".",
            "-----BEGIN ",
            "RSA PRIVATE KEY",
            "-----",
            "-----END ",
            "sk-",
            long,
            &token,
            web,
            "SG.",
            "eyJ",
            "_",
            "first line of a long key",
            "short",
        ];
        let (mask, mut seed) = (mask(), 42_u64);
        let mut chance = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(seed >> 33).unwrap() % below
        };
        for _ in 0..20_000 {
            let text: String = (0..=chance(12)).map(|_| pieces[chance(pieces.len())]).collect();
            let once = mask.apply(&text).into_owned();
            assert_eq!(mask.apply(&once), once, "{text:?}");
        }
        for text in ["Authorization: Bearer [masked]", "a://u:[masked]@h", "[masked][masked]", "[masked]"] {
            assert_eq!(mask.apply(text), text);
        }
        assert_eq!(mask.apply(&format!("s3cr3t-value{token}")), "[masked][masked]");
    }

    #[test]
    fn a_mask_does_not_show_what_it_hides() {
        assert!(!format!("{:?}", mask()).contains("s3cr3t"));
    }
}
