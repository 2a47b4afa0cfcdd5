//! Rows of another program, whose times have no time zone, or an offset without a colon.

use dyno::Entity;
use dyno::chrono::{DateTime, FixedOffset, TimeZone, Utc};

/// A visit that another program has recorded.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "visits")]
pub struct Visit {
    #[partition_key]
    pub id: String,
    /// As in `2024-07-23 21:11:00`. The other program means UTC.
    #[attribute(with = "utc_without_zone")]
    pub began: DateTime<Utc>,
    /// As in `2024-07-23T23:40:05+0200`.
    #[attribute(with = "plain_offset")]
    pub ended: Option<DateTime<FixedOffset>>,
}

/// Times such as `2024-07-23 21:11:00`, which are in UTC although they do not say so.
pub mod utc_without_zone {
    use dyno::aws_sdk_dynamodb::types::AttributeValue;
    use dyno::chrono::{DateTime, NaiveDateTime, Utc};

    const FORM: &str = "%Y-%m-%d %H:%M:%S";

    pub fn encode(time: &DateTime<Utc>) -> Result<AttributeValue, &'static str> {
        super::check_whole_seconds(time)?;
        Ok(AttributeValue::S(time.format(FORM).to_string()))
    }

    pub fn decode(value: AttributeValue) -> Result<DateTime<Utc>, &'static str> {
        let text = value.as_s().map_err(|_| "a time is a text (S)")?;
        let time = NaiveDateTime::parse_from_str(text, FORM);
        time.map(|time| time.and_utc()).map_err(|_| "expected YYYY-MM-DD hh:mm:ss")
    }
}

/// Times such as `2024-07-23T23:40:05+0200`. The offset is kept, so that a row is written back as it was read.
pub mod plain_offset {
    use dyno::aws_sdk_dynamodb::types::AttributeValue;
    use dyno::chrono::{DateTime, FixedOffset};

    const FORM: &str = "%Y-%m-%dT%H:%M:%S%z";

    pub fn encode(time: &DateTime<FixedOffset>) -> Result<AttributeValue, &'static str> {
        super::check_whole_seconds(time)?;
        Ok(AttributeValue::S(time.format(FORM).to_string()))
    }

    pub fn decode(value: AttributeValue) -> Result<DateTime<FixedOffset>, &'static str> {
        let text = value.as_s().map_err(|_| "a time is a text (S)")?;
        let time = DateTime::parse_from_str(text, FORM);
        time.map_err(|_| "expected YYYY-MM-DDThh:mm:ss+hhmm")
    }
}

/// Refuses a time that the text would cut off: what is written must be what is read.
fn check_whole_seconds<Z: TimeZone>(time: &DateTime<Z>) -> Result<(), &'static str> {
    let is_whole = time.timestamp_subsec_nanos() == 0;
    if is_whole { Ok(()) } else { Err("the time has a fraction of a second: round it first") }
}
