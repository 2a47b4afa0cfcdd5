//! Types of other crates.

use super::there_and_back;
use dyno::Entity;
use dyno_tests::{item, n, s};
use std::fmt::Debug;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "things")]
struct Others {
    #[partition_key]
    id: String,
    uuid: uuid::Uuid,
    ulid: ulid::Ulid,
    url: url::Url,
    decimal: rust_decimal::Decimal,
    jiff: jiff::Timestamp,
    jiff_date: jiff::civil::Date,
    chrono: chrono::DateTime<chrono::Utc>,
    chrono_date: chrono::NaiveDate,
    time: time::OffsetDateTime,
    time_date: time::Date,
}

#[tokio::test]
async fn types_of_other_crates_are_stored_and_read_back() {
    let uuid = uuid::Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_00AB);
    let stored = there_and_back(Others {
        id: "1".to_owned(),
        uuid,
        ulid: ulid::Ulid::from_parts(1, 2),
        url: "https://example.com/a?b".parse().expect("a URL"),
        decimal: "-12345678901234567890.1234567".parse().expect("a number"),
        jiff: "2024-07-23T21:11:00.5Z".parse().expect("a time"),
        jiff_date: "2024-07-23".parse().expect("a date"),
        chrono: "2024-07-23T21:11:00Z".parse().expect("a time"),
        chrono_date: "2024-07-23".parse().expect("a date"),
        time: time::OffsetDateTime::from_unix_timestamp_nanos(1_721_769_060_000_000_001).expect("a time"),
        time_date: time::Date::from_calendar_date(2024, time::Month::July, 3).expect("a date"),
    })
    .await;
    let expected = item([
        ("uuid", s("01900000-0000-7000-8000-0000000000ab")),
        ("ulid", s("00000000010000000000000002")),
        ("url", s("https://example.com/a?b")),
        ("decimal", n("-12345678901234567890.1234567")),
        ("jiff", s("2024-07-23T21:11:00.500000000Z")),
        ("jiff_date", s("2024-07-23")),
        ("chrono", s("2024-07-23T21:11:00.000000000Z")),
        ("chrono_date", s("2024-07-23")),
        ("time", s("2024-07-23T21:11:00.000000001Z")),
        ("time_date", s("2024-07-03")),
    ]);
    assert_eq!(stored, expected);
    let mut foreign = stored;
    foreign.insert("id".to_owned(), s("1"));
    foreign.insert("chrono".to_owned(), s("2024-07-23T23:11:00+02:00"));
    foreign.insert("time".to_owned(), s("2024-07-23T23:11:00.5+02:00"));
    foreign.insert("decimal".to_owned(), n("1.5E+3"));
    let read = Others::from_item(foreign).expect("decodes");
    assert_eq!(read.chrono.timestamp(), 1_721_769_060);
    assert_eq!(read.time.unix_timestamp(), 1_721_769_060);
    assert_eq!(read.decimal, 1500.into());
}

/// A value that a read truncates would be written back as another value, so the read fails instead.
#[test]
fn a_value_that_its_type_cannot_hold_is_refused_and_not_truncated() {
    let others = item([
        ("id", s("1")),
        ("uuid", s("01900000-0000-7000-8000-0000000000ab")),
        ("ulid", s("7ZZZZZZZZZZZZZZZZZZZZZZZZZ")),
        ("url", s("https://example.com/")),
        ("decimal", n("79228162514264337593543950335")),
        ("jiff", s("2024-07-23T21:11:00.123456789Z")),
        ("jiff_date", s("2024-07-23")),
        ("chrono", s("2024-07-23T21:11:00.1234567890Z")),
        ("chrono_date", s("2024-07-23")),
        ("time", s("2024-07-23T21:11:00.123456789Z")),
        ("time_date", s("2024-07-03")),
    ]);
    Others::from_item(others.clone()).expect("all of these fit");
    for (name, value) in [
        ("decimal", n("0.12345678901234567890123456789012345678")),
        ("decimal", n("79228162514264337593543950336")),
        ("decimal", n("1E-40")),
        ("decimal", n("1.00000000000000000000000000000000000001E+0")),
        ("ulid", s("8ZZZZZZZZZZZZZZZZZZZZZZZZZ")),
        ("ulid", s("ZZZZZZZZZZZZZZZZZZZZZZZZZZ")),
        ("ulid", s("z0000000000000000000000000")),
        ("chrono", s("2024-07-23T21:11:00.1234567891Z")),
        ("jiff", s("2024-07-23T21:11:00.1234567891Z")),
        ("time", s("2024-07-23T21:11:00.1234567891Z")),
    ] {
        let mut row = others.clone();
        row.insert(name.to_owned(), value.clone());
        let error = Others::from_item(row).expect_err("it does not fit");
        assert!(error.is_decode() && error.to_string().contains(&format!("`{name}`: expected ")), "{value:?}: {error}");
    }
}
