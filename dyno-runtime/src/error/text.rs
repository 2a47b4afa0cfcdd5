//! Text at compile time: its comparison, and the messages of errors that `const` evaluation reports.

/// A message that is composed at compile time.
pub(crate) struct Text {
    bytes: [u8; 600],
    length: usize,
}

impl Text {
    pub(crate) const fn new() -> Self {
        Self { bytes: [0; 600], length: 0 }
    }

    pub(crate) const fn text(mut self, text: &str) -> Self {
        let text = text.as_bytes();
        let mut index = 0;
        // A longer message is cut.
        while index < text.len() && self.length < self.bytes.len() {
            self.bytes[self.length] = text[index];
            self.length += 1;
            index += 1;
        }
        self
    }

    pub(crate) const fn number(mut self, number: u64) -> Self {
        if number > 9 {
            self = self.number(number / 10);
        }
        if self.length < self.bytes.len() {
            self.bytes[self.length] = b'0' + (number % 10) as u8;
            self.length += 1;
        }
        self
    }

    pub(crate) const fn panic(self) {
        match str::from_utf8(self.bytes.split_at(self.length).0) {
            Ok(text) => panic!("{}", text),
            Err(_) => panic!("the text of this error is not UTF-8"),
        }
    }
}

/// Returns true if `name` is one of `names`.
pub(crate) const fn contains(names: &[&str], name: &str) -> bool {
    let mut position = 0;
    while position < names.len() {
        if is_same(name, names[position]) {
            return true;
        }
        position += 1;
    }
    false
}

/// Returns true if two texts are the same.
pub(crate) const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut position = 0;
    while position < one.len() && position < other.len() {
        if one[position] != other[position] {
            return false;
        }
        position += 1;
    }
    one.len() == other.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_numbers_are_concatenated() {
        let Text { bytes, length } = Text::new().number(0).text(" and ").number(1_234_567_890);
        assert_eq!(&bytes[..length], b"0 and 1234567890");
    }
}
