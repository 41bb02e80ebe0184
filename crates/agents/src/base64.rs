//! Bytes as text (RFC 4648, section 4).
//!
//! ```text
//! base64 = { four letters } ;  letter = "A".."Z" | "a".."z" | "0".."9" | "+" | "/", "=" at the end
//! ```
//!
//! One leniency: white space between letters is passed over, because YAML folds long lines.

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let at = |index: usize| u32::from(group.get(index).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for index in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * index) & 63) as usize];
            text.push(if index <= group.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

/// `None` if it is no base64.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let letters: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    if !letters.len().is_multiple_of(4) {
        return None;
    }
    let padding = letters.iter().rev().take_while(|byte| **byte == b'=').count();
    let data = letters.get(..letters.len() - padding).filter(|_| padding <= 2)?;
    let mut bytes = Vec::with_capacity(letters.len() / 4 * 3);
    let (mut bits, mut held) = (0_u32, 0);
    for letter in data {
        let value = LETTERS.iter().position(|known| known == letter)?;
        bits = bits << 6 | u32::try_from(value).ok()?;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from(bits >> held & 0xff).ok()?);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_as_they_were() {
        for (bytes, text) in
            [(&b""[..], ""), (b"f", "Zg=="), (b"fo", "Zm8="), (b"foo", "Zm9v"), (b"\xff\xfe\x00", "//4A")]
        {
            assert_eq!(encode(bytes), text);
            assert_eq!(decode(text).as_deref(), Some(bytes));
        }
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(decode(&encode(&all)), Some(all));
        assert_eq!(decode("Zm\n9v "), Some(b"foo".to_vec()));
        for bad in ["Z", "Zg=", "Z===", "Zg==Zg==", "Zm9*", "===="] {
            assert_eq!(decode(bad), None, "{bad}");
        }
    }
}
