//! The characters that the text of a type can contain in a key template.
//!
//! They tell templates apart: the text of a number never contains `#`, so no `Order#{id}` can be mistaken for an
//! `Order#{order}#Line#{line}`.

/// The characters that the text of a type can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Characters {
    /// Any character.
    Any,
    /// The characters of an integer: digits, perhaps after a minus.
    Number,
    /// ASCII letters and digits, as in a ULID.
    Alphanumeric,
    /// Hexadecimal digits and `-`, as in a UUID.
    Hexadecimal,
}

impl Characters {
    /// Returns true if a text can begin with this byte.
    pub(crate) const fn begin_with(self, byte: u8) -> bool {
        self.go_on_with(byte) || matches!(self, Self::Number) && byte == b'-'
    }

    /// Returns true if this byte can occur in a text after the first one.
    pub(crate) const fn go_on_with(self, byte: u8) -> bool {
        match self {
            Self::Any => true,
            Self::Number => byte.is_ascii_digit(),
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Hexadecimal => byte.is_ascii_hexdigit() || byte == b'-',
        }
    }

    /// Returns true if a text that is not empty has only these characters.
    pub(crate) fn are_of(self, text: &str) -> bool {
        let text = match self {
            Self::Number => text.strip_prefix('-').unwrap_or(text),
            _ => text,
        };
        !text.is_empty() && text.bytes().all(|byte| self.go_on_with(byte))
    }
}
