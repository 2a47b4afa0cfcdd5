//! Strings of JSON: where one ends, and what its escapes stand for.

use std::borrow::Cow;

/// Returns the index of the first byte from `at` on that ends a run of plain text: a quote, a backslash or a control character.
/// Eight bytes are compared at a time.
#[inline]
pub(super) fn end_of_plain_text(bytes: &[u8], mut at: usize) -> usize {
    const ONES: u64 = u64::from_le_bytes([0x01; 8]);
    const HIGH_BITS: u64 = u64::from_le_bytes([0x80; 8]);
    // A byte's high bit is set in `zeros(x)` if the byte is 0 and no lower byte is. (Sean Eron Anderson, "Bit Twiddling Hacks".)
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word;
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let word = u64::from_le_bytes(*chunk);
        let control = word.wrapping_sub(ONES * 0x20) & !word;
        let ends = control | zeros(word ^ (ONES * u64::from(b'"'))) | zeros(word ^ (ONES * u64::from(b'\\')));
        if ends & HIGH_BITS != 0 {
            return at + (ends & HIGH_BITS).trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let is_end = |byte: &u8| matches!(byte, b'"' | b'\\' | ..0x20);
    bytes.get(at..).unwrap_or_default().iter().position(is_end).map_or(bytes.len(), |plain| at + plain)
}

/// Replaces the escapes of a JSON string, given without its quotes. Returns `None` if an escape is malformed.
pub(super) fn unescape(text: &str) -> Option<Cow<'_, str>> {
    let Some(first) = text.find('\\') else { return Some(Cow::Borrowed(text)) };
    let mut plain = String::with_capacity(text.len());
    let (before, mut rest) = text.split_at(first);
    plain.push_str(before);
    while let Some(escape) = rest.strip_prefix('\\') {
        let letter = escape.chars().next()?;
        rest = &escape[letter.len_utf8()..];
        plain.push(match letter {
            '"' | '\\' | '/' => letter,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => unicode(&mut rest)?,
            _ => return None,
        });
        let (before, after) = rest.split_at(rest.find('\\').unwrap_or(rest.len()));
        plain.push_str(before);
        rest = after;
    }
    Some(Cow::Owned(plain))
}

/// Reads the digits after `\u`, and those of a second escape if the first one is half of a surrogate pair.
fn unicode(rest: &mut &str) -> Option<char> {
    let first = code_unit(rest)?;
    if !matches!(first, 0xD800..=0xDBFF) {
        return char::from_u32(first);
    }
    *rest = rest.strip_prefix("\\u")?;
    let second = code_unit(rest)?;
    matches!(second, 0xDC00..=0xDFFF).then(|| char::from_u32(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)))?
}

fn code_unit(rest: &mut &str) -> Option<u32> {
    let digits = rest.get(..4)?;
    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    *rest = &rest[4..];
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_ends_at_the_first_quote_backslash_or_control_character() {
        for length in 0..40 {
            for end in ['"', '\\', '\n', '\u{0}', '\u{1f}'] {
                for filler in ["a", " ", "\u{7f}", "é", "\u{80}", "ÿ", "😀"] {
                    let text = filler.repeat(length);
                    assert_eq!(end_of_plain_text(text.as_bytes(), 0), text.len(), "{text:?}");
                    let ended = format!("{text}{end}{filler}\"");
                    assert_eq!(end_of_plain_text(ended.as_bytes(), 0), text.len(), "{ended:?}");
                }
            }
        }
    }

    #[test]
    fn escapes_are_replaced() {
        for (text, plain) in [
            ("", Some("")),
            ("plain", Some("plain")),
            (r#"\"\\\/\b\f\n\r\t"#, Some("\"\\/\u{8}\u{c}\n\r\t")),
            (r"a\u00e9b\u20ac", Some("aéb€")),
            (r"\ud83d\ude00", Some("😀")),
            (r"\uD83D\uDE00x", Some("😀x")),
            (r"\ud83d", None),
            (r"\ud83dx", None),
            (r"\ud83d\n", None),
            (r"\ud83d\u0041", None),
            (r"\ude00", None),
            (r"\u12", None),
            (r"\u+123", None),
            (r"\u00é9", None),
            (r"\x", None),
            ("\\", None),
        ] {
            assert_eq!(unescape(text).as_deref(), plain, "{text}");
        }
    }
}
