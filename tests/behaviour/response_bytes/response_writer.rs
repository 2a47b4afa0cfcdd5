//! Responses of a scan or a batch, made from random choices: most of them as DynamoDB writes them, some with attributes of a
//! wrong type, some with an unusual spelling, some broken.
//!
//! The choice 0 is always the simplest one. If there are no more choices, 0 is chosen. So proptest, which makes the choices
//! fewer and smaller after a failure, makes the response simpler.

use std::fmt::Write as _;

/// The fields whose types are of other crates.
const OF_CRATES: [&str; 11] =
    ["chrono", "chrono_date", "decimal", "jiff", "jiff_date", "text_time", "time", "time_date", "ulid", "url", "uuid"];

/// Writes responses.
pub(super) struct Writer<'a> {
    text: String,
    choices: std::slice::Iter<'a, u8>,
    /// Whether some strings have an unusual spelling, or there is white space between the tokens.
    is_unusual: bool,
}

impl<'a> Writer<'a> {
    pub(super) fn new(choices: &'a [u8]) -> Self {
        Self { text: String::new(), choices: choices.iter(), is_unusual: false }
    }

    /// Chooses a number below `end`.
    fn below(&mut self, end: usize) -> usize {
        let mut byte = || self.choices.next().copied().map_or(0, usize::from);
        let choice = if end > 256 { byte() << 8 | byte() } else { byte() };
        choice % end
    }

    fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == times - 1
    }

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// Chooses each element with a probability of 1 in `times`.
    fn some<T: Copy>(&mut self, all: &[T], times: usize) -> Vec<T> {
        all.iter().copied().filter(|_| self.one_in(times)).collect()
    }

    fn shuffle<T>(&mut self, all: &mut [T]) {
        for at in (1..all.len()).rev() {
            let other = at - self.below(at + 1);
            all.swap(at, other);
        }
    }

    /// The response of a scan.
    pub(super) fn response(&mut self) -> Vec<u8> {
        self.is_unusual = self.one_in(4);
        let count = self.below(4);
        let mut members = vec!["Items", "Count", "ScannedCount"];
        members.extend(self.some(&["LastEvaluatedKey"], 2));
        members.extend(self.some(&["Unknown"], 20));
        members.extend(self.some(&["Items"], 50));
        self.shuffle(&mut members);
        self.between("{", "}", &members, |writer, name| {
            writer.member(name, |writer| match *name {
                "Items" if writer.one_in(100) => writer.plain("null"),
                "Items" => writer.list(count, Self::item),
                "LastEvaluatedKey" => writer.plain(r#"{"a":{"S":"k"},"b":{"N":"7"}}"#),
                "Unknown" => writer.plain(r#"[{"Items":[null]},"]}"]"#),
                _ => writer.plain(&count.to_string()),
            });
        });
        self.sometimes_broken()
    }

    /// The response to a batch of gets.
    pub(super) fn batch_response(&mut self) -> Vec<u8> {
        self.is_unusual = self.one_in(4);
        let mut members = vec!["Responses", "UnprocessedKeys"];
        self.shuffle(&mut members);
        self.between("{", "}", &members, |writer, name| {
            writer.member(name, |writer| match *name {
                "Responses" => {
                    let tables = [&["rows"][..], &["rows", "rows"], &["rows", "others"]];
                    let tables = if writer.one_in(50) { writer.pick(&tables) } else { tables[0] };
                    writer.between("{", "}", tables, |writer, table| {
                        writer.member(table, |writer| writer.list_below(3, Self::item));
                    });
                }
                _ => writer.plain("{}"),
            });
        });
        self.sometimes_broken()
    }

    /// Takes the text, and sometimes breaks it.
    fn sometimes_broken(&mut self) -> Vec<u8> {
        let mut bytes = std::mem::take(&mut self.text).into_bytes();
        if self.one_in(6) && !bytes.is_empty() {
            let at = self.below(bytes.len());
            match self.below(4) {
                0 => bytes.truncate(at),
                1 => bytes[at] = u8::try_from(self.below(256)).unwrap_or_default(),
                2 => bytes.insert(at, self.pick(b" ,:\"{}[]\\0n")),
                _ => drop(bytes.remove(at)),
            }
        }
        bytes
    }

    fn plain(&mut self, text: &str) {
        self.text.push_str(text);
        if self.is_unusual && self.one_in(200) {
            let space = self.pick(&[" ", "\n", "\t "]);
            self.text.push_str(space);
        }
    }

    fn one_of(&mut self, all: &[&str]) {
        let text = self.pick(all);
        self.plain(text);
    }

    fn between<T>(&mut self, open: &str, close: &str, all: &[T], mut each: impl FnMut(&mut Self, &T)) {
        self.plain(open);
        for (at, one) in all.iter().enumerate() {
            if at > 0 {
                self.plain(",");
            }
            each(self, one);
        }
        self.plain(close);
    }

    /// A list of fewer elements than `end`.
    fn list_below(&mut self, end: usize, each: impl FnMut(&mut Self)) {
        let count = self.below(end);
        self.list(count, each);
    }

    fn list(&mut self, count: usize, mut each: impl FnMut(&mut Self)) {
        self.between("[", "]", &vec![(); count], |writer, ()| each(writer));
    }

    fn member(&mut self, name: &str, value: impl FnOnce(&mut Self)) {
        self.string(name);
        self.plain(":");
        value(self);
    }

    /// A string of JSON, with some of its characters escaped.
    fn string(&mut self, text: &str) {
        self.text.push('"');
        for char in text.chars() {
            match char {
                '"' => self.text.push_str("\\\""),
                '\\' => self.text.push_str("\\\\"),
                '\n' => self.text.push_str("\\n"),
                '/' if self.one_in(2) => self.text.push_str("\\/"),
                char if char.is_control() || self.is_unusual && self.one_in(20) => {
                    let mut units = [0; 2];
                    for unit in char.encode_utf16(&mut units) {
                        let _ = write!(self.text, "\\u{unit:04x}");
                    }
                }
                char => self.text.push(char),
            }
        }
        if self.is_unusual && self.one_in(200) {
            let malformed = self.pick(&["\\x", "\\u12", "\\ud800", "\u{1}"]);
            self.text.push_str(malformed);
        }
        self.plain("\"");
    }

    fn item(&mut self) {
        let mut names: Vec<&str> = "a b c d e f g h i j k l m n o p q r s u".split(' ').collect();
        names.retain(|name| "ab".contains(name) || !self.one_in(60));
        if self.one_in(10) {
            names.push(self.pick(&["t", "deleted", "_type", "ttl", "extra", "a"]));
        }
        names.extend(self.some(&["PK", "_v", "_type"], 2));
        names.extend(self.some(&OF_CRATES, 4));
        if self.one_in(2) {
            self.shuffle(&mut names);
        }
        self.between("{", "}", &names, |writer, name| {
            writer.member(name, |writer| if writer.one_in(30) { writer.any(2) } else { writer.attribute(name) });
        });
    }

    fn attribute(&mut self, name: &str) {
        match name {
            "b" => self.typed("N", |writer| {
                let number = writer.below(256);
                writer.string(&number.to_string());
            }),
            "d" | "q" | "s" | "t" | "ttl" => self.typed("N", Self::whole_number),
            "e" | "decimal" => self.typed("N", Self::number),
            "f" | "deleted" => self.flag("BOOL"),
            "g" => self.typed("B", Self::base64),
            "h" => self.typed("L", |writer| writer.list_below(4, |writer| writer.typed("S", Self::text))),
            "i" => self.typed("L", |writer| {
                writer.list_below(4, |writer| {
                    if writer.one_in(3) { writer.flag("NULL") } else { writer.typed("N", Self::whole_number) }
                });
            }),
            "u" => self.typed("L", |writer| {
                writer.list_below(3, |writer| {
                    writer.typed("L", |writer| {
                        writer.list_below(5, |writer| {
                            if writer.one_in(40) { writer.any(1) } else { writer.typed("N", Self::number) }
                        });
                    });
                });
            }),
            "j" => self.typed("M", |writer| writer.map(2, |writer| writer.typed("N", Self::whole_number))),
            "k" => self.typed("SS", |writer| writer.list_below(3, Self::text)),
            "l" => self.typed("NS", |writer| writer.list_below(3, Self::whole_number)),
            "r" => self.typed("BS", |writer| writer.list_below(3, Self::base64)),
            "m" => self.typed("M", |writer| {
                let names = [("name", 0), ("count", 1), ("more", 2)];
                let count = 1 + writer.below(3);
                writer.between("{", "}", &names[..count], |writer, (name, kind)| {
                    writer.member(name, |writer| match kind {
                        0 => writer.typed("S", Self::text),
                        1 => writer.typed("N", Self::whole_number),
                        _ => writer.any(2),
                    });
                });
            }),
            "n" if self.one_in(12) => self.plain(r#"{"M":{"kind":{"N":"1"}}}"#),
            "n" => self.one_of(&[
                r#"{"M":{"kind":{"S":"Plain"}}}"#,
                r#"{"M":{"text":{"S":"x"},"kind":{"S":"Full"},"z":{"L":[{"M":{}}]}}}"#,
                r#"{"NULL":true}"#,
            ]),
            "o" if self.one_in(12) => self.plain(r#"{"M":{"One":{"S":"x"},"Two":{"S":"y"}}}"#),
            "o" => self.one_of(&[
                r#"{"S":"None"}"#,
                r#"{"M":{"One":{"S":"x"}}}"#,
                r#"{"M":{"Two":{"M":{"number":{"N":"-3"}}}}}"#,
            ]),
            "p" => self.typed("M", |writer| {
                let count = writer.below(3);
                writer.between("{", "}", &["1", "02", "300"][..count], |writer, name| {
                    writer.member(name, |writer| {
                        writer.typed("L", |writer| writer.list(2, |writer| writer.flag("BOOL")));
                    });
                });
            }),
            "chrono" | "chrono_date" | "jiff" | "jiff_date" | "text_time" | "time" | "time_date" => self.one_of(&[
                r#"{"S":"2024-07-23T21:11:00.5Z"}"#,
                r#"{"S":"2024-07-23T21:11:00Z"}"#,
                r#"{"S":"2024-07-23"}"#,
                r#"{"S":"2024-07-23T21:11:00+00:00"}"#,
                r#"{"N":"1721769060000"}"#,
                r#"{"N":"-1"}"#,
                r#"{"N":"1.5e3"}"#,
            ]),
            "ulid" => self.one_of(&[r#"{"S":"01ARZ3NDEKTSV4RRFFQ69G5FAV"}"#, r#"{"S":"u"}"#]),
            "url" => self.one_of(&[r#"{"S":"https:\/\/a.example\/\u00e9?b#c"}"#, r#"{"S":":"}"#]),
            "uuid" => {
                self.one_of(&[r#"{"S":"01900000-0000-7000-8000-0000000000ab"}"#, r#"{"S":"-"}"#]);
            }
            "PK" => {
                self.one_of(&[r#"{"S":"Kept#x"}"#, r#"{"S":"Kept#\u00e9"}"#, r#"{"S":"Other"}"#]);
            }
            "_v" => self.one_of(&[r#"{"N":"1"}"#, r#"{"N":"2"}"#, r#"{"N":"3"}"#, r#"{"S":"2"}"#]),
            "_type" => self.one_of(&[r#"{"S":"Kept"}"#, r#"{"S":"Row"}"#]),
            _ => self.typed("S", Self::text),
        }
    }

    fn any(&mut self, depth: usize) {
        match self.below(if depth > 0 { 13 } else { 9 }) {
            0 => self.typed("S", Self::text),
            1 => self.typed("N", Self::number),
            2 => self.typed("B", Self::base64),
            3 => self.flag("BOOL"),
            4 => self.flag("NULL"),
            5 => self.typed("SS", |writer| writer.list_below(3, Self::text)),
            6 => self.typed("NS", |writer| writer.list_below(3, Self::number)),
            7 => self.typed("BS", |writer| writer.list_below(3, Self::base64)),
            8 => self.one_of(&[
                r#"{"X":"1"}"#,
                "{}",
                "null",
                r#"{"S":1}"#,
                r#"{"N":7}"#,
                r#"{"S":"1","N":"2"}"#,
                r#"{"S":null}"#,
            ]),
            9 | 10 => self.typed("L", |writer| writer.list_below(3, |writer| writer.any(depth - 1))),
            _ => self.typed("M", |writer| {
                let count = writer.below(3);
                writer.map(count, |writer| writer.any(depth - 1));
            }),
        }
    }

    fn map(&mut self, count: usize, value: impl Fn(&mut Self)) {
        let names: Vec<String> = (0..count).map(|_| self.any_text()).collect();
        self.between("{", "}", &names, |writer, name| writer.member(name, &value));
    }

    fn typed(&mut self, kind: &str, value: impl FnOnce(&mut Self)) {
        self.plain("{");
        self.string(kind);
        self.plain(":");
        value(self);
        self.plain("}");
    }

    fn flag(&mut self, kind: &str) {
        self.typed(kind, |writer| writer.one_of(&["true", "false"]));
    }

    fn text(&mut self) {
        let text = self.any_text();
        self.string(&text);
    }

    fn number(&mut self) {
        const USUAL: [&str; 5] = ["0", "7", "-12.5", "1E+2", "255"];
        const UNUSUAL: [&str; 7] =
            ["256", "18446744073709551616", "123456789012345678901234567890.12345678", "1E+100", "inf", "x", ""];
        let number = if self.one_in(20) { self.pick(&UNUSUAL) } else { self.pick(&USUAL) };
        self.string(number);
    }

    /// A whole number, mostly.
    fn whole_number(&mut self) {
        if self.one_in(10) {
            return self.number();
        }
        let number = self.pick(&["0", "7", "1E+2", "255"]);
        self.string(number);
    }

    fn base64(&mut self) {
        let usual = [r#""""#, r#""AAEC""#, r#""/+8=""#, r#""aGVsbG8gd29ybGQ=""#];
        let unusual = [r#""AA""#, r#""A===""#, r#""AB==""#, r#""*""#];
        let is_unusual = self.one_in(20);
        self.one_of(if is_unusual { &unusual } else { &usual });
    }

    fn any_text(&mut self) -> String {
        let length = if self.one_in(10) { 40 } else { 6 };
        (0..self.below(length)).map(|_| self.pick(&['a', 'b', '"', '\\', '\n', '/', 'é', '😀', ' ', '}'])).collect()
    }
}
