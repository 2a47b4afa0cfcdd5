//! Texts of other writers as errors show them: in one line, without characters that a terminal or a log would act upon, and cut
//! to a readable length.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The limit for a value or a name.
pub(crate) const VALUE_BYTES: usize = 120;
/// The limit for a path, and for the problem there.
pub(crate) const PART_BYTES: usize = 500;
/// The limit for a whole message.
pub(crate) const MESSAGE_BYTES: usize = 1500;

/// Returns true for characters that have no shape of their own or change the shape of others.
fn is_escaped(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{E0000}'..='\u{E007F}')
}

/// Returns the text in one line, cut after `most` bytes. The full length follows the cut.
pub(crate) fn shown(text: &str, most: usize) -> Cow<'_, str> {
    // The common case, and a text that has already passed through here.
    if text.len() <= most && text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len().min(most) + 32);
    for char in text.chars() {
        if is_escaped(char) {
            shown.extend(char.escape_default());
        } else {
            shown.push(char);
        }
        if shown.len() > most {
            let _ = write!(shown, "… ({} bytes)", text.len());
            break;
        }
    }
    Cow::Owned(shown)
}

/// Returns a value of the caller's, as part of a message.
pub(crate) fn value(text: &str) -> Cow<'_, str> {
    shown(text, VALUE_BYTES)
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
        assert_eq!(shown("ääää", 3), "ää… (8 bytes)");
        let cut = value(&"x".repeat(70_000)).into_owned();
        assert!(cut.len() < 150 && cut.ends_with("x… (70000 bytes)"), "{cut}");
    }
}
