//! Which characters the text of a type can have where it stands in a key template.
//!
//! They tell templates apart: the text of a number never contains `#`, so no `Order#{id}` is an `Order#{order}#Line#{line}`.

/// The characters that the text of a type can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Characters {
    /// Any.
    Any,
    /// Those of a whole number: digits, perhaps behind a minus.
    Number,
    /// ASCII letters and digits, as of a ULID.
    Alphanumeric,
    /// Hexadecimal digits and `-`, as of a UUID.
    Hexadecimal,
}

impl Characters {
    /// Whether a text can begin with this byte.
    pub(crate) const fn begin_with(self, byte: u8) -> bool {
        self.go_on_with(byte) || matches!(self, Self::Number) && byte == b'-'
    }

    /// Whether this byte can follow another one in a text, or end it.
    pub(crate) const fn go_on_with(self, byte: u8) -> bool {
        match self {
            Self::Any => true,
            Self::Number => byte.is_ascii_digit(),
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Hexadecimal => byte.is_ascii_hexdigit() || byte == b'-',
        }
    }

    /// Whether a text that is not empty has only such characters.
    pub(crate) fn are_of(self, text: &str) -> bool {
        let text = match self {
            Self::Number => text.strip_prefix('-').unwrap_or(text),
            _ => text,
        };
        !text.is_empty() && text.bytes().all(|byte| self.go_on_with(byte))
    }
}
