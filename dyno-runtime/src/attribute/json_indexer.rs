//! Finds the values of the items in the text of a response.

use super::json_items::{ItemsAt, JsonKind, JsonName, JsonValue};
use super::json_text::{end_of_plain_text, unescape};
use aws_smithy_types::base64;
use std::borrow::Cow;
use std::ops::Range;

/// The levels of nesting that are indexed. Items have 32 at most.
const LEVELS: usize = 40;

/// Indexes one response.
pub(super) struct Indexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    pub(super) values: Vec<JsonValue>,
    pub(super) names: Vec<JsonName>,
    pub(super) maps: Vec<u32>,
    pub(super) items: Vec<u32>,
    pub(super) tables: Vec<(String, u32)>,
    /// The names and values of maps that are not closed yet.
    open_names: Vec<JsonName>,
    open_values: Vec<u32>,
    /// The names of the last map at each level.
    maps_before: [MapBefore; LEVELS],
    /// The response without its items, and the end of the part of the response that it covers.
    pub(super) rest: String,
    pub(super) rest_from: usize,
}

/// The names of a map, in `names`.
#[derive(Clone, Copy, Default)]
struct MapBefore {
    start: usize,
    count: usize,
}

impl<'a> Indexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            // A value has at least 10 bytes, and mostly more than 16 with its name and its comma.
            values: Vec::with_capacity(text.len() / 16),
            names: Vec::new(),
            maps: Vec::with_capacity(text.len() / 16),
            items: Vec::new(),
            tables: Vec::new(),
            open_names: Vec::new(),
            open_values: Vec::new(),
            maps_before: [MapBefore::default(); LEVELS],
            rest: String::new(),
            rest_from: 0,
        }
    }

    /// The next byte.
    #[inline]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    #[inline]
    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    #[inline]
    fn expect_all(&mut self, bytes: &[u8]) -> Option<()> {
        self.bytes.get(self.at..)?.starts_with(bytes).then(|| self.at += bytes.len())
    }

    /// Elements between commas, up to the closing bracket. Returns their number.
    #[inline]
    fn elements(&mut self, close: u8, mut element: impl FnMut(&mut Self) -> Option<()>) -> Option<u32> {
        if self.peek()? == close {
            self.at += 1;
            return Some(0);
        }
        let mut count = 0;
        loop {
            element(self)?;
            count += 1;
            match self.peek()? {
                b',' => self.at += 1,
                byte if byte == close => {
                    self.at += 1;
                    return Some(count);
                }
                _ => return None,
            }
        }
    }

    /// A string. Returns where it is, without its quotes, and whether it has escapes.
    #[inline]
    fn string(&mut self) -> Option<(Range<usize>, bool)> {
        self.expect(b'"')?;
        let start = self.at;
        self.at = end_of_plain_text(self.bytes, start);
        let is_escaped = self.peek()? == b'\\';
        if is_escaped {
            while self.peek()? == b'\\' {
                self.at = end_of_plain_text(self.bytes, self.at + 2);
            }
            unescape(self.text.get(start..self.at)?)?;
        }
        let end = self.at;
        self.expect(b'"')?;
        Some((start..end, is_escaped))
    }

    /// The whole response.
    pub(super) fn response(&mut self, at: ItemsAt) -> Option<()> {
        let wanted = match at {
            ItemsAt::Items => "Items",
            ItemsAt::ByTable => "Responses",
        };
        let mut is_found = false;
        self.expect(b'{')?;
        self.elements(b'}', |this| {
            let (name, is_escaped) = this.string()?;
            this.expect(b':')?;
            // An escaped name may be the wanted one.
            if is_escaped {
                return None;
            }
            if this.text.get(name)? != wanted {
                return this.skip();
            }
            // Which of two the SDK would take, it decides itself.
            if std::mem::replace(&mut is_found, true) {
                return None;
            }
            match at {
                ItemsAt::Items => this.list_of_items().map(drop),
                ItemsAt::ByTable => this.tables(),
            }
        })?;
        (self.at == self.bytes.len()).then_some(())
    }

    /// `{table: [item, …], …}`
    fn tables(&mut self) -> Option<()> {
        self.expect(b'{')?;
        self.elements(b'}', |this| {
            let (name, is_escaped) = this.string()?;
            let name = this.text.get(name)?;
            this.expect(b':')?;
            if is_escaped || this.tables.iter().any(|(table, _)| table == name) {
                return None;
            }
            let count = this.list_of_items()?;
            this.tables.push((name.to_owned(), count));
            Some(())
        })
        .map(drop)
    }

    /// `[item, …]`, which the SDK gets without the items.
    fn list_of_items(&mut self) -> Option<u32> {
        let start = self.at;
        self.expect(b'[')?;
        let count = self.elements(b']', Self::item)?;
        self.rest.push_str(self.text.get(self.rest_from..start)?);
        self.rest.push_str("[]");
        self.rest_from = self.at;
        Some(count)
    }

    fn item(&mut self) -> Option<()> {
        self.items.push(u32::try_from(self.values.len()).ok()?);
        self.map(0)
    }

    /// Skips a value that is none of the items. The SDK judges it.
    fn skip(&mut self) -> Option<()> {
        let mut open = 0_u32;
        loop {
            match self.peek()? {
                b'"' => {
                    self.string()?;
                }
                b'{' | b'[' => {
                    open += 1;
                    self.at += 1;
                }
                b'}' | b']' if open > 0 => {
                    open -= 1;
                    self.at += 1;
                }
                b',' | b'}' | b']' if open == 0 => return Some(()),
                _ => self.at += 1,
            }
            if open == 0 && matches!(self.peek()?, b',' | b'}') {
                return Some(());
            }
        }
    }

    /// `{name: value, …}`
    fn map(&mut self, level: usize) -> Option<()> {
        let before = *self.maps_before.get(level)?;
        let (at, first_name, first_value) = (self.values.len(), self.open_names.len(), self.open_values.len());
        self.push(JsonKind::M, false, 0, 0);
        self.expect(b'{')?;
        // Maps at the same level, above all the items, mostly have the same names in the same order.
        let (mut position, mut is_alike) = (0, true);
        let count = self.elements(b'}', |this| {
            if is_alike && !this.expect_name(before, position) {
                is_alike = false;
                let names = before.start..before.start + position;
                this.open_names.extend_from_slice(this.names.get(names)?);
            }
            position += 1;
            if !is_alike {
                let (text, is_escaped) = this.string()?;
                let (start, length) = (u32::try_from(text.start).ok()?, u32::try_from(text.len()).ok()?);
                this.open_names.push(JsonName { is_escaped, start, length });
            }
            this.expect(b':')?;
            this.open_values.push(u32::try_from(this.values.len()).ok()?);
            this.value(level)
        })?;
        let names = if is_alike {
            before.start
        } else {
            if self.has_a_name_twice(first_name) {
                return None;
            }
            let start = self.names.len();
            self.names.extend(self.open_names.drain(first_name..));
            *self.maps_before.get_mut(level)? = MapBefore { start, count: position };
            start
        };
        let start = self.maps.len();
        self.maps.extend([count, u32::try_from(names).ok()?]);
        self.maps.extend(self.open_values.drain(first_value..));
        let inside = self.values.len() - at;
        let map = self.values.get_mut(at)?;
        (map.start, map.length) = (u32::try_from(start).ok()?, u32::try_from(inside).ok()?);
        Some(())
    }

    /// The name that the map before has at this position.
    #[inline]
    fn expect_name(&mut self, before: MapBefore, position: usize) -> bool {
        let same = || {
            let name = self.names.get(before.start + position).filter(|_| position < before.count)?;
            let (start, length) = (name.start as usize, name.length as usize);
            // With its quotes.
            let quoted = self.bytes.get(start - 1..start + length + 1)?;
            self.bytes.get(self.at..)?.starts_with(quoted).then_some(quoted.len())
        };
        same().is_some_and(|length| {
            self.at += length;
            true
        })
    }

    /// `{"S":"…"}`, and so on.
    fn value(&mut self, level: usize) -> Option<()> {
        if self.plain_scalar() {
            return Some(());
        }
        match self.bytes.get(self.at..)?.first_chunk()? {
            b"{\"S\":" => self.after(5, |this| this.scalar(JsonKind::S)),
            b"{\"N\":" => self.after(5, |this| this.scalar(JsonKind::N)),
            b"{\"B\":" => self.after(5, Self::binary),
            b"{\"M\":" => self.after(5, |this| this.map(level + 1)),
            b"{\"L\":" => self.after(5, |this| this.list(level + 1)),
            b"{\"BOO" => self.typed(b"{\"BOOL\":", |this| this.flag(JsonKind::True, JsonKind::False)),
            b"{\"NUL" => self.typed(b"{\"NULL\":", |this| this.flag(JsonKind::Null, JsonKind::NullFalse)),
            b"{\"SS\"" => self.typed(b"{\"SS\":", |this| this.set(JsonKind::Ss, |this| this.scalar(JsonKind::S))),
            b"{\"NS\"" => self.typed(b"{\"NS\":", |this| this.set(JsonKind::Ns, |this| this.scalar(JsonKind::N))),
            b"{\"BS\"" => self.typed(b"{\"BS\":", |this| this.set(JsonKind::Bs, Self::binary)),
            _ => None,
        }?;
        self.expect(b'}')
    }

    /// `{"S":"…"}` or `{"N":"…"}` without escapes. Returns `false` if something else is next, which [`Self::value`] reads.
    #[inline]
    fn plain_scalar(&mut self) -> bool {
        let kind = match self.bytes.get(self.at..).and_then(<[u8]>::first_chunk) {
            Some(b"{\"S\":\"") => JsonKind::S,
            Some(b"{\"N\":\"") => JsonKind::N,
            _ => return false,
        };
        let start = self.at + 6;
        let end = end_of_plain_text(self.bytes, start);
        let is_plain = self.bytes.get(end..).is_some_and(|rest| rest.starts_with(b"\"}"));
        if is_plain {
            self.push(kind, false, start, end - start);
            self.at = end + 2;
        }
        is_plain
    }

    #[inline]
    fn typed(&mut self, name: &[u8], value: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        self.expect_all(name)?;
        value(self)
    }

    #[inline]
    fn after(&mut self, bytes: usize, value: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        self.at += bytes;
        value(self)
    }

    #[inline]
    fn push(&mut self, kind: JsonKind, is_escaped: bool, start: usize, length: usize) {
        // They fit: the text has less than 4 GB.
        let [start, length] = [start, length].map(|number| u32::try_from(number).unwrap_or(u32::MAX));
        self.values.push(JsonValue { kind, is_escaped, start, length });
    }

    #[inline]
    fn scalar(&mut self, kind: JsonKind) -> Option<()> {
        let (text, is_escaped) = self.string()?;
        self.push(kind, is_escaped, text.start, text.len());
        Some(())
    }

    /// Base64. The SDK reports any other content of such a string.
    fn binary(&mut self) -> Option<()> {
        let (text, is_escaped) = self.string()?;
        if is_escaped || text.len() % 4 != 0 {
            return None;
        }
        let (groups, last) = self.text.get(text.clone())?.split_at_checked(text.len().saturating_sub(4))?;
        let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
        // Only the last group can have padding, after which bits may be left over.
        if !groups.bytes().all(is_digit) || base64::decode(last).is_err() {
            return None;
        }
        self.push(JsonKind::B, false, text.start, text.len());
        Some(())
    }

    fn flag(&mut self, yes: JsonKind, no: JsonKind) -> Option<()> {
        let kind = if self.expect_all(b"true").is_some() {
            yes
        } else {
            self.expect_all(b"false")?;
            no
        };
        self.push(kind, false, 0, 0);
        Some(())
    }

    fn list(&mut self, level: usize) -> Option<()> {
        if level >= LEVELS {
            return None;
        }
        self.set(JsonKind::L, |this| this.value(level))
    }

    /// The elements of a list or a set, in brackets.
    #[inline]
    fn set(&mut self, kind: JsonKind, element: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        let at = self.values.len();
        self.push(kind, false, 0, 0);
        self.expect(b'[')?;
        let count = self.elements(b']', element)?;
        let inside = self.values.len() - at;
        let list = self.values.get_mut(at)?;
        (list.start, list.length) = (count, u32::try_from(inside).ok()?);
        Some(())
    }

    /// Whether two of the open names from `first` on are equal.
    fn has_a_name_twice(&self, first: usize) -> bool {
        let names = self.open_names.get(first..).unwrap_or_default();
        let raw = |name: &JsonName| self.bytes.get(name.start as usize..(name.start + name.length) as usize);
        if names.len() <= 16 && names.iter().all(|name| !name.is_escaped) {
            let is_before = |at: usize, name: &JsonName| {
                names[..at].iter().any(|other| other.length == name.length && raw(other) == raw(name))
            };
            return names.iter().enumerate().any(|(at, name)| is_before(at, name));
        }
        let text = |name: &JsonName| {
            let raw = self.text.get(name.start as usize..(name.start + name.length) as usize)?;
            if name.is_escaped { unescape(raw) } else { Some(Cow::Borrowed(raw)) }
        };
        let mut sorted: Vec<_> = names.iter().map(text).collect();
        sorted.sort_unstable();
        sorted.windows(2).any(|pair| pair[0] == pair[1])
    }
}
