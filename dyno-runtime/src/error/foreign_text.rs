//! Text from callers and stored items, as error messages quote it: in one line, without characters that a terminal or a log would
//! interpret, and cut to a readable length.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The most bytes of a value or a name.
pub(crate) const VALUE_BYTES: usize = 120;
/// The most bytes of a path, and of the problem there.
pub(crate) const PART_BYTES: usize = 500;
/// The most bytes of a whole message.
pub(crate) const MESSAGE_BYTES: usize = 1500;

/// Returns true for control characters, and for characters that are invisible or change the order of others.
fn is_escaped(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{E0000}'..='\u{E007F}')
}

/// Returns the text in one line. A text of more than `most` bytes is cut there, and its full length is appended.
pub(crate) fn one_line(text: &str, most: usize) -> Cow<'_, str> {
    // The common case. A text that this function has returned can also be passed again.
    if text.len() <= most && text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return Cow::Borrowed(text);
    }
    let mut line = String::with_capacity(text.len().min(most) + 32);
    for char in text.chars() {
        if is_escaped(char) {
            line.extend(char.escape_default());
        } else {
            line.push(char);
        }
        if line.len() > most {
            let _ = write!(line, "… ({} bytes)", text.len());
            break;
        }
    }
    Cow::Owned(line)
}

/// Returns a value or a name as messages quote it.
pub(crate) fn value(text: &str) -> Cow<'_, str> {
    one_line(text, VALUE_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_texts_are_shown_in_one_line_and_truncated() {
        for (text, expected) in [
            ("größe \"x\" é", "größe \"x\" é"),
            ("a\r\n\u{1b}[31m\0", "a\\r\\n\\u{1b}[31m\\u{0}"),
            ("\u{202e}gnp.\u{2028}", "\\u{202e}gnp.\\u{2028}"),
        ] {
            assert_eq!(value(text), expected);
        }
        assert_eq!(one_line("ääää", 3), "ää… (8 bytes)");
        let cut = value(&"x".repeat(70_000)).into_owned();
        assert!(cut.len() < 150 && cut.ends_with("x… (70000 bytes)"), "{cut}");
    }
}
