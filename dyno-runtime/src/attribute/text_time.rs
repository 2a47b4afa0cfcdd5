//! Times as text in another writer's form, which fixes the number of fraction digits and the notation of UTC.
//!
//! A type stores its times in one form of its own: RFC 3339 in UTC with nine digits. This module converts that text to other
//! forms. Every form can be read.

use super::kind::{Kind, Name, OrderedKind, Text};
use super::{AttributeKind, IntoField, Parents, RawValue, StoredType, Value};
use crate::attribute::time::EpochMillis;
use crate::attribute::{RatchetToken, TimeToken, WriteTime};
use crate::error::{DecodeError, EncodeError};
use aws_sdk_dynamodb::types::AttributeValue;
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// A time that is stored as text: `2024-07-23T21:11:00.000000000Z`, always in UTC with nine digits, so that the texts sort. Any
/// RFC 3339 text is read. Implemented for the instants of `chrono`, `jiff` and `time`, behind features of those names.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a time that is stored as text",
    label = "`format` is for the instants of `chrono`, `jiff` and `time`",
    note = "`EpochMillis` and `EpochSeconds` are numbers, which have one form"
)]
pub trait Rfc3339: Value<Kind = Text> {}

/// The form of the text of a [`TextTime`], or of a field with `#[attribute(format = "…")]`.
pub trait Form: 'static {
    /// The kind of its texts: [`Text`] if they sort as the times do.
    type Kind: Kind;
    /// The name of the form in `format`.
    #[doc(hidden)]
    const NAME: &'static str;
    /// The name of its texts in the schema lock.
    #[doc(hidden)]
    const STORED: &'static str;
    /// The shape that tells its texts from those of other forms.
    #[doc(hidden)]
    const SHAPE: Shape;
    /// Converts a text with nine digits and `Z` to this form.
    #[doc(hidden)]
    fn spell(text: &str) -> Option<Cow<'_, str>>;
}

/// The properties that all texts of a form share. If the form sorts, no text of another form has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub(crate) sizes: &'static [usize],
    pub(crate) end: &'static str,
    /// An example with a `9` for each digit.
    pub(crate) example: &'static str,
}

impl Shape {
    /// Returns true if a text has this shape.
    pub(crate) fn has(&self, text: &str) -> bool {
        self.sizes.contains(&text.encode_utf16().count()) && text.contains(self.end)
    }
}

/// The available forms.
pub mod form {
    use super::{Cow, Form, Name, Shape, Text};

    /// Cuts the text to this number of fraction digits, if the digits after them are 0. For none, it cuts the point as well.
    fn digits(text: &str, digits: usize) -> Option<&str> {
        let end = if digits == 0 { 19 } else { 20 + digits };
        text.get(20 + digits..29)?.bytes().all(|byte| byte == b'0').then(|| text.get(..end))?
    }

    macro_rules! forms {
        ($($(#[$doc:meta])* $form:ident $name:literal $kind:ident $sizes:expr, $end:literal, $example:literal, $spell:expr;)*) => {$(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub struct $form;

            impl Form for $form {
                type Kind = $kind;
                const NAME: &'static str = $name;
                const STORED: &'static str = concat!("RFC 3339 time in ", $name);
                const SHAPE: Shape = Shape { sizes: $sizes, end: $end, example: $example };

                fn spell(text: &str) -> Option<Cow<'_, str>> {
                    let spell: fn(&str) -> Option<String> = $spell;
                    spell(text).map(Cow::Owned)
                }
            }
        )*};
    }

    forms! {
        /// `2024-07-23T21:11:00Z`
        Seconds "seconds" Text &[20], "Z", "9999-99-99T99:99:99Z", |text| Some(format!("{}Z", digits(text, 0)?));
        /// `2024-07-23T21:11:00.123Z`, as JavaScript's `toISOString` writes it.
        Millis "millis" Text &[24], "Z", "9999-99-99T99:99:99.999Z", |text| Some(format!("{}Z", digits(text, 3)?));
        /// `2024-07-23T21:11:00.123456Z`
        Micros "micros" Text &[27], "Z", "9999-99-99T99:99:99.999999Z", |text| Some(format!("{}Z", digits(text, 6)?));
        /// `2024-07-23T21:11:00.123456789Z`, the default form of the types.
        Nanos "nanos" Text &[30], "Z", "9999-99-99T99:99:99.999999999Z", |text| Some(text.to_owned());
        /// `2024-07-23T21:11:00.123456+00:00`, or without the fraction if it is 0, as Python's `isoformat` writes a time in
        /// UTC. It sorts, because `+` comes before the point.
        Python "python" Text &[25, 32], "+00:00", "9999-99-99T99:99:99.999999+00:00", |text| {
            let shortest = digits(text, 0).or_else(|| digits(text, 6))?;
            Some(format!("{shortest}+00:00"))
        };
        /// `2024-07-23T21:11:00.120Z`, with 0, 3, 6 or 9 digits, as few as the time needs, as Java's `Instant` writes it. It
        /// does not sort, because `…:00Z` comes after `…:00.120Z`, so only equality is available.
        Java "java" Name &[20, 24, 27, 30], "Z", "9999-99-99T99:99:99.999Z", |text| {
            let shortest = [0, 3, 6, 9].into_iter().find_map(|count| digits(text, count))?;
            Some(format!("{shortest}Z"))
        };
    }
}

/// Encodes a time in a form.
fn spell<T: Rfc3339, F: Form>(time: &T) -> Result<AttributeValue, EncodeError> {
    let AttributeValue::S(text) = time.encode()? else {
        return Err(EncodeError::new("the time is not stored as text"));
    };
    match F::spell(&text) {
        Some(text) => Ok(AttributeValue::S(text.into_owned())),
        None => {
            Err(EncodeError::new(format!("the time is more precise than the format {:?}: round it first", F::NAME))
                .of_value(text))
        }
    }
}

/// Encodes a field with a `format`.
#[doc(hidden)]
pub fn encode_in_form<T: super::Attribute<Present: Rfc3339>, F: Form>(
    field: &T,
) -> Result<Option<AttributeValue>, EncodeError> {
    field.__present().map(spell::<T::Present, F>).transpose()
}

/// A time stored as text in the form `F`. Use it where `#[attribute(format = "…")]` on a field does not help: in a key, a list
/// or a set.
///
/// ```
/// # #[cfg(feature = "jiff")] {
/// use dyno::{Entity, TextTime};
/// use dyno::value::form;
///
/// #[derive(Entity)]
/// #[entity(table = "events")]
/// struct Event {
///     #[partition_key]
///     device: String,
///     /// As JavaScript writes it.
///     #[sort_key]
///     at: TextTime<jiff::Timestamp, form::Millis>,
/// }
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextTime<T, F>(pub T, PhantomData<F>);

impl<T, F> TextTime<T, F> {
    /// Creates the time in this form.
    #[must_use]
    pub const fn new(time: T) -> Self {
        Self(time, PhantomData)
    }
}

impl<T, F> From<T> for TextTime<T, F> {
    fn from(time: T) -> Self {
        Self::new(time)
    }
}

impl<T, F> IntoField<TextTime<T, F>> for T {
    fn into_field(self) -> TextTime<T, F> {
        TextTime::new(self)
    }
}

impl<T: fmt::Display, F> fmt::Display for TextTime<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: Rfc3339, F: Form> Value for TextTime<T, F> {
    type Kind = F::Kind;

    fn encode(&self) -> Result<AttributeValue, EncodeError> {
        spell::<T, F>(&self.0)
    }

    fn decode(value: RawValue<'_>) -> Result<Self, DecodeError> {
        T::decode(value).map(Self::new)
    }

    fn __text_len(&self) -> usize {
        F::SHAPE.example.len()
    }

    fn __stored_type(_: &mut Parents) -> StoredType {
        StoredType::Form(AttributeKind::S, F::STORED)
    }
}

impl<T: Rfc3339 + RatchetToken, F: Form<Kind: OrderedKind>> RatchetToken for TextTime<T, F> {
    fn time(&self) -> Option<EpochMillis> {
        self.0.time()
    }

    const __SHAPE: Option<Shape> = Some(F::SHAPE);
}

impl<T: Rfc3339 + TimeToken, F: Form<Kind: OrderedKind>> TimeToken for TextTime<T, F> {}

impl<T: Rfc3339 + WriteTime, F: Form> WriteTime for TextTime<T, F> {
    fn at(time: EpochMillis) -> Result<Self, EncodeError> {
        let whole = EpochMillis::new(time.to_seconds_floor().get() * 1000);
        let exact = Self::new(T::at(time)?);
        if exact.encode().is_ok() { Ok(exact) } else { T::at(whole).map(Self::new) }
    }
}

/// Returns the text with a `9` for each digit, if it could be a time. An error can show this form without showing the value.
pub(crate) fn shape_of(text: &str) -> Option<String> {
    let is_time = text.len() <= 40 && text.bytes().all(|byte| byte.is_ascii_digit() || b"-:.+TtZz ".contains(&byte));
    // Keep `+00:00` as it is, because it is part of the form and not of the value.
    let utc = "+00:00";
    let local = text.strip_suffix(utc).unwrap_or(text);
    let digits = local.chars().map(|letter| if letter.is_ascii_digit() { '9' } else { letter });
    is_time.then(|| digits.chain(text[local.len()..].chars()).collect())
}

/// Returns the name in `format` for texts of this shape, if the form is one that sorts.
pub(crate) fn format_of(shape: &str) -> Option<&'static str> {
    match shape {
        "9999-99-99T99:99:99Z" => Some(form::Seconds::NAME),
        "9999-99-99T99:99:99.999Z" => Some(form::Millis::NAME),
        "9999-99-99T99:99:99.999999Z" => Some(form::Micros::NAME),
        "9999-99-99T99:99:99.999999999Z" => Some(form::Nanos::NAME),
        "9999-99-99T99:99:99.999999+00:00" | "9999-99-99T99:99:99+00:00" => Some(form::Python::NAME),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled<F: Form>(text: &str) -> Option<String> {
        let spelled = F::spell(text).map(Cow::into_owned);
        assert!(spelled.iter().all(|text| F::SHAPE.has(text)), "{spelled:?}");
        spelled
    }

    /// The condition measures with DynamoDB's `size`, so `has` must count as DynamoDB does.
    #[test]
    fn the_size_of_a_text_is_counted_like_dynamodb() {
        let has = |text: &str| form::Seconds::SHAPE.has(text);
        assert!(has("2024-07-23T21:11:00Z") && has("2024-07-23T21:11:äöZ"));
        assert!(!has("2024-07-23T21:11:äZ"));
    }

    #[test]
    fn a_format_writes_its_digits_or_refuses_the_time() {
        let at = |fraction: &str| format!("2024-07-23T21:11:00.{fraction}Z");
        assert_eq!(spelled::<form::Seconds>(&at("000000000")).as_deref(), Some("2024-07-23T21:11:00Z"));
        assert_eq!(spelled::<form::Seconds>(&at("000000001")), None);
        assert_eq!(spelled::<form::Millis>(&at("120000000")).as_deref(), Some("2024-07-23T21:11:00.120Z"));
        assert_eq!(spelled::<form::Millis>(&at("120400000")), None);
        assert_eq!(spelled::<form::Micros>(&at("120400000")).as_deref(), Some("2024-07-23T21:11:00.120400Z"));
        assert_eq!(spelled::<form::Nanos>(&at("120400007")), Some(at("120400007")));
        assert_eq!(spelled::<form::Python>(&at("000000000")).as_deref(), Some("2024-07-23T21:11:00+00:00"));
        assert_eq!(spelled::<form::Python>(&at("000400000")).as_deref(), Some("2024-07-23T21:11:00.000400+00:00"));
        assert_eq!(spelled::<form::Python>(&at("000000400")), None);
        let java =
            ["000000000", "120000000", "120400000", "000000007"].map(|fraction| spelled::<form::Java>(&at(fraction)));
        let java = java.map(|text| text.expect("any time").len());
        assert_eq!(java, [20, 24, 27, 30]);
    }

    /// Only the forms of kind `Text` claim to sort.
    #[test]
    fn texts_of_a_sortable_format_are_in_the_order_of_their_times() {
        fn check<F: Form<Kind = Text>>() {
            let seconds = ["2024-07-23T21:11:00", "2024-07-23T21:11:01", "2024-07-24T00:00:00"];
            let fractions = ["000000000", "000001000", "001000000", "500000000", "999999000"];
            let times = seconds.iter().flat_map(|second| fractions.map(|fraction| format!("{second}.{fraction}Z")));
            let texts: Vec<String> = times.filter_map(|time| spelled::<F>(&time)).collect();
            assert!(texts.len() >= 3 && texts.is_sorted(), "{}: {texts:?}", F::NAME);
        }
        check::<form::Seconds>();
        check::<form::Millis>();
        check::<form::Micros>();
        check::<form::Nanos>();
        check::<form::Python>();
    }
}
