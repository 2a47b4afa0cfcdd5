//! Items and texts packed into one allocation: a cheap copy for a case that is rare.
//!
//! An item has one allocation for each name and each value, and so has its clone. Here the values follow each other in one
//! buffer, each as a letter for its type, its length and its bytes. Only this process reads the buffer.

use super::Item;
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;

/// Enough for most items.
const CAPACITY: usize = 1024;

/// The packed values, in their order.
#[derive(Clone, Debug)]
pub(crate) struct Packed(Vec<u8>);

impl Packed {
    /// Returns what was packed, from the beginning.
    pub(crate) fn unpacker(&self) -> Unpacker<'_> {
        Unpacker(&self.0)
    }
}

pub(crate) struct Packer(Vec<u8>);

impl Packer {
    pub(crate) fn new() -> Self {
        Self(Vec::with_capacity(CAPACITY))
    }

    pub(crate) fn finish(self) -> Packed {
        Packed(self.0)
    }

    pub(crate) fn length(&mut self, length: usize) {
        self.0.extend_from_slice(&length.to_le_bytes());
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.length(bytes.len());
        self.0.extend_from_slice(bytes);
    }

    fn of_type(&mut self, letter: u8, bytes: &[u8]) {
        self.0.push(letter);
        self.bytes(bytes);
    }

    fn set<'a>(&mut self, letter: u8, elements: impl ExactSizeIterator<Item = &'a [u8]>) {
        self.0.push(letter);
        self.length(elements.len());
        elements.for_each(|element| self.bytes(element));
    }

    /// Packs an item. Returns `None` if a value has a type that this SDK does not know.
    pub(crate) fn members(&mut self, members: &Item) -> Option<()> {
        self.length(members.len());
        members.iter().try_for_each(|(name, value)| {
            self.bytes(name.as_bytes());
            self.value(value)
        })
    }

    fn value(&mut self, value: &AttributeValue) -> Option<()> {
        match value {
            AttributeValue::S(text) => self.of_type(b'S', text.as_bytes()),
            AttributeValue::N(text) => self.of_type(b'N', text.as_bytes()),
            AttributeValue::B(bytes) => self.of_type(b'B', bytes.as_ref()),
            AttributeValue::Bool(value) => self.of_type(b'?', &[u8::from(*value)]),
            AttributeValue::Null(value) => self.of_type(b'0', &[u8::from(*value)]),
            AttributeValue::Ss(elements) => self.set(b's', elements.iter().map(String::as_bytes)),
            AttributeValue::Ns(elements) => self.set(b'n', elements.iter().map(String::as_bytes)),
            AttributeValue::Bs(elements) => self.set(b'b', elements.iter().map(Blob::as_ref)),
            AttributeValue::L(elements) => {
                self.0.push(b'L');
                self.length(elements.len());
                return elements.iter().try_for_each(|element| self.value(element));
            }
            AttributeValue::M(members) => {
                self.0.push(b'M');
                return self.members(members);
            }
            _ => return None,
        }
        Some(())
    }
}

/// The bytes that are still to be read. Each method takes what was packed next. None of them is ever `None` if it is called in the
/// order in which the parts were packed.
pub(crate) struct Unpacker<'a>(&'a [u8]);

impl<'a> Unpacker<'a> {
    pub(crate) fn length(&mut self) -> Option<usize> {
        let (length, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(usize::from_le_bytes(*length))
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.length()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    pub(crate) fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }

    fn flag(&mut self) -> Option<bool> {
        Some(self.bytes()? == [1])
    }

    fn all<T>(&mut self, mut next: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let length = self.length()?;
        (0..length).map(|_| next(self)).collect()
    }

    pub(crate) fn members(&mut self) -> Option<Item> {
        let length = self.length()?;
        let mut members = Item::with_capacity(length);
        for _ in 0..length {
            members.insert(self.text()?, self.value()?);
        }
        Some(members)
    }

    fn value(&mut self) -> Option<AttributeValue> {
        let (letter, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(match letter {
            b'S' => AttributeValue::S(self.text()?),
            b'N' => AttributeValue::N(self.text()?),
            b'B' => AttributeValue::B(Blob::new(self.bytes()?)),
            b'?' => AttributeValue::Bool(self.flag()?),
            b'0' => AttributeValue::Null(self.flag()?),
            b's' => AttributeValue::Ss(self.all(Self::text)?),
            b'n' => AttributeValue::Ns(self.all(Self::text)?),
            b'b' => AttributeValue::Bs(self.all(|packed| Some(Blob::new(packed.bytes()?)))?),
            b'L' => AttributeValue::L(self.all(Self::value)?),
            b'M' => AttributeValue::M(self.members()?),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packed_item_is_unpacked_unchanged() {
        let (text, bytes) = (|text: &str| text.to_owned(), |bytes: &[u8]| Blob::new(bytes));
        let map = |members: Vec<(&str, AttributeValue)>| -> Item {
            members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
        };
        let values = vec![
            AttributeValue::S(text("größe")),
            AttributeValue::S(text("")),
            AttributeValue::N(text("-1.50E+7")),
            AttributeValue::B(bytes(&[0, 255, b'S'])),
            AttributeValue::B(bytes(&[])),
            AttributeValue::Bool(true),
            AttributeValue::Bool(false),
            AttributeValue::Null(true),
            AttributeValue::Ss(vec![text("a"), text("ß")]),
            AttributeValue::Ns(vec![text("7"), text("-7")]),
            AttributeValue::Bs(vec![bytes(&[1]), bytes(&[])]),
            AttributeValue::L(vec![]),
            AttributeValue::M(map(vec![])),
        ];
        let nested = AttributeValue::M(map(vec![("list", AttributeValue::L(values.clone())), ("", values[0].clone())]));
        let all = AttributeValue::L(vec![nested.clone(), AttributeValue::L(vec![nested.clone()])]);
        let item = map(vec![("all", all), ("größe", nested), ("long", AttributeValue::S("x".repeat(70_000)))]);
        let alone = values.into_iter().map(|value| map(vec![("one", value)]));
        for item in alone.chain([item, map(vec![])]) {
            let mut packer = Packer::new();
            packer.members(&item).expect("all types are known");
            assert_eq!(packer.finish().unpacker().members(), Some(item));
        }
    }
}
