//! The reference of an intent to the pages that hold its new values, if these are too large for the item.

use crate::attribute::Item;
use aws_sdk_dynamodb::types::AttributeValue;

/// The most pages of one intent, more than any item needs.
const MOST: usize = 8;

/// The names of the members.
mod member {
    pub(crate) const OF: &str = "of";
    pub(crate) const COUNT: &str = "count";
}

/// The pages of one intent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pages {
    /// The text in their keys that tells them from the pages of the attempt's other intents.
    pub(crate) of: String,
    pub(crate) count: usize,
}

impl Pages {
    pub(crate) fn read(found: &AttributeValue) -> Option<Self> {
        let members = found.as_m().ok()?;
        let of = members.get(member::OF)?.as_s().ok()?.clone();
        let count = members.get(member::COUNT)?.as_n().ok()?.parse().ok()?;
        let is_name = !of.is_empty() && of.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        (is_name && (1..=MOST).contains(&count)).then_some(Self { of, count })
    }

    pub(crate) fn value(&self) -> AttributeValue {
        AttributeValue::M(Item::from([
            (member::OF.to_owned(), AttributeValue::S(self.of.clone())),
            (member::COUNT.to_owned(), AttributeValue::N(self.count.to_string())),
        ]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(of: &str, count: &str) -> AttributeValue {
        let [of, count] = [AttributeValue::S(of.to_owned()), AttributeValue::N(count.to_owned())];
        AttributeValue::M(Item::from([("of".to_owned(), of), ("count".to_owned(), count)]))
    }

    #[test]
    fn page_names_round_trip() {
        let pages = Pages { of: "12.3".to_owned(), count: 8 };
        assert_eq!(Pages::read(&pages.value()), Some(pages));
    }

    /// A name of another form could lead to the key of another row.
    #[test]
    fn malformed_page_names_are_rejected() {
        for found in [value("", "1"), value("1/2", "1"), value("1", "0"), value("1", "9"), value("1", "1.5")] {
            assert_eq!(Pages::read(&found), None, "{found:?}");
        }
        assert_eq!(Pages::read(&AttributeValue::Bool(true)), None);
    }
}
