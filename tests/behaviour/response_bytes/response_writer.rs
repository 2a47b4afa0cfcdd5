//! Random responses of a scan: most of them as DynamoDB writes them, some with attributes of a wrong type, some with an unusual
//! spelling, some broken.

use std::fmt::Write as _;

/// The fields whose types are of other crates.
const OF_CRATES: [&str; 11] =
    ["chrono", "chrono_date", "decimal", "jiff", "jiff_date", "text_time", "time", "time_date", "ulid", "url", "uuid"];

/// Writes the response of a scan.
pub(super) struct Writer(String);

impl Writer {
    pub(super) fn response() -> Vec<u8> {
        let mut writer = Self(String::new());
        let count = fastrand::usize(0..4);
        let mut members = vec!["Items", "Count", "ScannedCount"];
        members.extend(["LastEvaluatedKey"].iter().filter(|_| fastrand::bool()));
        members.extend(["Unknown"].iter().filter(|_| one_in(20)));
        members.extend(["Items"].iter().filter(|_| one_in(50)));
        fastrand::shuffle(&mut members);
        writer.between("{", "}", &members, |writer, name| {
            writer.member(name, |writer| match *name {
                "Items" if one_in(100) => writer.plain("null"),
                "Items" => writer.list(count, Self::item),
                "LastEvaluatedKey" => writer.plain(r#"{"a":{"S":"k"},"b":{"N":"7"}}"#),
                "Unknown" => writer.plain(r#"[{"Items":[null]},"]}"]"#),
                _ => writer.plain(&count.to_string()),
            });
        });
        writer.sometimes_broken()
    }

    /// The response to a batch of gets.
    pub(super) fn batch_response() -> Vec<u8> {
        let mut writer = Self(String::new());
        let mut members = vec!["Responses", "UnprocessedKeys"];
        fastrand::shuffle(&mut members);
        writer.between("{", "}", &members, |writer, name| {
            writer.member(name, |writer| match *name {
                "Responses" => {
                    let tables = [&["rows"][..], &["rows", "rows"], &["rows", "others"]];
                    let tables = tables[if one_in(50) { fastrand::usize(..3) } else { 0 }];
                    writer.between("{", "}", tables, |writer, table| {
                        writer.member(table, |writer| writer.list(fastrand::usize(..3), Self::item));
                    });
                }
                _ => writer.plain("{}"),
            });
        });
        writer.sometimes_broken()
    }

    fn sometimes_broken(self) -> Vec<u8> {
        let mut bytes = self.0.into_bytes();
        if one_in(6) && !bytes.is_empty() {
            let at = fastrand::usize(..bytes.len());
            match fastrand::u8(0..4) {
                0 => bytes.truncate(at),
                1 => bytes[at] = fastrand::u8(..),
                2 => bytes.insert(at, b" ,:\"{}[]\\0n"[fastrand::usize(..11)]),
                _ => drop(bytes.remove(at)),
            }
        }
        bytes
    }

    fn plain(&mut self, text: &str) {
        self.0.push_str(text);
        if one_in(400) {
            self.0.push_str([" ", "\n", "\t "][fastrand::usize(..3)]);
        }
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

    fn list(&mut self, count: usize, mut each: impl FnMut(&mut Self)) {
        self.between("[", "]", &vec![(); count], |writer, ()| each(writer));
    }

    fn member(&mut self, name: &str, value: impl Fn(&mut Self)) {
        self.string(name);
        self.plain(":");
        value(self);
    }

    /// A string of JSON, with some of its characters escaped.
    fn string(&mut self, text: &str) {
        self.0.push('"');
        for char in text.chars() {
            match char {
                '"' => self.0.push_str("\\\""),
                '\\' => self.0.push_str("\\\\"),
                '\n' => self.0.push_str("\\n"),
                '/' if fastrand::bool() => self.0.push_str("\\/"),
                char if char.is_control() || one_in(60) => {
                    let mut units = [0; 2];
                    for unit in char.encode_utf16(&mut units) {
                        let _ = write!(self.0, "\\u{unit:04x}");
                    }
                }
                char => self.0.push(char),
            }
        }
        if one_in(500) {
            self.0.push_str(["\\x", "\\u12", "\\ud800", "\u{1}"][fastrand::usize(..4)]);
        }
        self.plain("\"");
    }

    fn item(&mut self) {
        let mut names: Vec<&str> = "a b c d e f g h i j k l m n o p q r s".split(' ').collect();
        names.retain(|name| "ab".contains(name) || !one_in(8));
        if one_in(10) {
            names.push(["t", "deleted", "_type", "ttl", "extra", "a"][fastrand::usize(..6)]);
        }
        names.extend(["PK", "_v", "_type"].iter().filter(|_| fastrand::bool()));
        names.extend(OF_CRATES.iter().filter(|_| one_in(4)));
        if one_in(2) {
            fastrand::shuffle(&mut names);
        }
        self.between("{", "}", &names, |writer, name| {
            writer.member(name, |writer| if one_in(30) { writer.any(2) } else { writer.attribute(name) });
        });
    }

    fn attribute(&mut self, name: &str) {
        match name {
            "b" => self.typed("N", |writer| writer.string(&fastrand::u8(..).to_string())),
            "d" | "e" | "q" | "s" | "t" | "ttl" | "decimal" => self.typed("N", Self::number),
            "f" | "deleted" => self.flag("BOOL"),
            "g" => self.typed("B", Self::base64),
            "h" => self.typed("L", |writer| writer.list(fastrand::usize(..4), |writer| writer.typed("S", Self::text))),
            "i" => self.typed("L", |writer| {
                writer.list(fastrand::usize(..4), |writer| {
                    if one_in(3) { writer.flag("NULL") } else { writer.typed("N", Self::number) }
                });
            }),
            "j" => self.typed("M", |writer| writer.map(2, |writer| writer.typed("N", Self::number))),
            "k" => self.typed("SS", |writer| writer.list(1 + fastrand::usize(..3), Self::text)),
            "l" => self.typed("NS", |writer| writer.list(1 + fastrand::usize(..3), Self::number)),
            "r" => self.typed("BS", |writer| writer.list(1 + fastrand::usize(..3), Self::base64)),
            "m" => self.typed("M", |writer| {
                let names = [("name", 0), ("count", 1), ("more", 2)];
                writer.between("{", "}", &names[..=fastrand::usize(..3)], |writer, (name, kind)| {
                    writer.member(name, |writer| match kind {
                        0 => writer.typed("S", Self::text),
                        1 => writer.typed("N", Self::number),
                        _ => writer.any(2),
                    });
                });
            }),
            "n" => self.plain(
                [
                    r#"{"M":{"kind":{"S":"Plain"}}}"#,
                    r#"{"M":{"text":{"S":"x"},"kind":{"S":"Full"},"z":{"L":[{"M":{}}]}}}"#,
                    r#"{"M":{"kind":{"N":"1"}}}"#,
                    r#"{"NULL":true}"#,
                ][fastrand::usize(..4)],
            ),
            "o" => self.plain(
                [
                    r#"{"S":"None"}"#,
                    r#"{"M":{"One":{"S":"x"}}}"#,
                    r#"{"M":{"Two":{"M":{"number":{"N":"-3"}}}}}"#,
                    r#"{"M":{"One":{"S":"x"},"Two":{"S":"y"}}}"#,
                ][fastrand::usize(..4)],
            ),
            "p" => self.typed("M", |writer| {
                writer.between("{", "}", &["1", "02", "300"][..fastrand::usize(..3)], |writer, name| {
                    writer.member(name, |writer| {
                        writer.typed("L", |writer| writer.list(2, |writer| writer.flag("BOOL")));
                    });
                });
            }),
            "chrono" | "chrono_date" | "jiff" | "jiff_date" | "text_time" | "time" | "time_date" => self.plain(
                [
                    r#"{"S":"2024-07-23T21:11:00.5Z"}"#,
                    r#"{"S":"2024-07-23T21:11:00Z"}"#,
                    r#"{"S":"2024-07-23"}"#,
                    r#"{"S":"2024-07-23T21:11:00+00:00"}"#,
                    r#"{"N":"1721769060000"}"#,
                    r#"{"N":"-1"}"#,
                    r#"{"N":"1.5e3"}"#,
                ][fastrand::usize(..7)],
            ),
            "ulid" => self.plain([r#"{"S":"01ARZ3NDEKTSV4RRFFQ69G5FAV"}"#, r#"{"S":"u"}"#][fastrand::usize(..2)]),
            "url" => self.plain([r#"{"S":"https:\/\/a.example\/\u00e9?b#c"}"#, r#"{"S":":"}"#][fastrand::usize(..2)]),
            "uuid" => {
                self.plain([r#"{"S":"01900000-0000-7000-8000-0000000000ab"}"#, r#"{"S":"-"}"#][fastrand::usize(..2)]);
            }
            "PK" => {
                self.plain([r#"{"S":"Kept#x"}"#, r#"{"S":"Kept#\u00e9"}"#, r#"{"S":"Other"}"#][fastrand::usize(..3)]);
            }
            "_v" => self.plain([r#"{"N":"1"}"#, r#"{"N":"2"}"#, r#"{"N":"3"}"#, r#"{"S":"2"}"#][fastrand::usize(..4)]),
            "_type" => self.plain([r#"{"S":"Kept"}"#, r#"{"S":"Row"}"#][fastrand::usize(..2)]),
            _ => self.typed("S", Self::text),
        }
    }

    fn any(&mut self, depth: usize) {
        match fastrand::u8(0..if depth > 0 { 13 } else { 9 }) {
            0 => self.typed("S", Self::text),
            1 => self.typed("N", Self::number),
            2 => self.typed("B", Self::base64),
            3 => self.flag("BOOL"),
            4 => self.flag("NULL"),
            5 => self.typed("SS", |writer| writer.list(fastrand::usize(..3), Self::text)),
            6 => self.typed("NS", |writer| writer.list(fastrand::usize(..3), Self::number)),
            7 => self.typed("BS", |writer| writer.list(fastrand::usize(..3), Self::base64)),
            8 => self.plain(
                [r#"{"X":"1"}"#, "{}", "null", r#"{"S":1}"#, r#"{"N":7}"#, r#"{"S":"1","N":"2"}"#, r#"{"S":null}"#]
                    [fastrand::usize(..7)],
            ),
            9 | 10 => self.typed("L", |writer| writer.list(fastrand::usize(..3), |writer| writer.any(depth - 1))),
            _ => self.typed("M", |writer| writer.map(fastrand::usize(..3), |writer| writer.any(depth - 1))),
        }
    }

    fn map(&mut self, count: usize, value: impl Fn(&mut Self)) {
        let names: Vec<String> = (0..count).map(|_| random_text()).collect();
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
        self.typed(kind, |writer| writer.plain(if fastrand::bool() { "true" } else { "false" }));
    }

    fn text(&mut self) {
        self.string(&random_text());
    }

    fn number(&mut self) {
        self.string(
            [
                "0",
                "7",
                "-12.5",
                "1E+2",
                "255",
                "256",
                "18446744073709551616",
                "123456789012345678901234567890.12345678",
                "x",
                "",
            ][fastrand::usize(..if one_in(20) { 10 } else { 5 })],
        );
    }

    fn base64(&mut self) {
        self.plain(
            [r#""""#, r#""AAEC""#, r#""/+8=""#, r#""aGVsbG8gd29ybGQ=""#, r#""AA""#, r#""A===""#, r#""AB==""#, r#""*""#]
                [fastrand::usize(..if one_in(20) { 8 } else { 4 })],
        );
    }
}

fn random_text() -> String {
    let length = if one_in(10) { 40 } else { 6 };
    (0..fastrand::usize(..length))
        .map(|_| ['a', 'b', '"', '\\', '\n', '/', 'é', '😀', ' ', '}'][fastrand::usize(..10)])
        .collect()
}

fn one_in(times: u32) -> bool {
    fastrand::u32(..times) == 0
}
