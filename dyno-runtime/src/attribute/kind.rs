//! The kinds of stored values, as types. At compile time they decide which types can be a key or be in a set or a template,
//! which have an order, and which have a size. The list is closed, because DynamoDB has no other types.

use super::AttributeKind;
use super::raw_value::{Elements, RawValue};
use super::unencodable::stand_in_text;
use crate::error::{DecodeError, EncodeError, descriptor};
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::{AttributeValue, ScalarAttributeType};

mod sealed {
    pub trait Sealed {}
}

/// A kind of stored value: the type [`Value::Kind`](super::Value::Kind).
pub trait Kind: sealed::Sealed {
    /// The kind as error messages name it: "expected ...".
    #[doc(hidden)]
    const NAME: &'static str;
    /// True if NULL is a value of this kind.
    #[doc(hidden)]
    const HOLDS_NULL: bool = false;
    /// The type of the stored attribute. A set says it itself.
    #[doc(hidden)]
    const STORED: AttributeKind;
    /// True for floating-point numbers, of which two programs can store different digits.
    #[doc(hidden)]
    const IS_FLOAT: bool = false;
    /// True if equal values are stored equally, and a value that is read and written is the same.
    #[doc(hidden)]
    const IS_EMBEDDABLE: bool = Self::STORED.is_embeddable() && !Self::IS_FLOAT;
    /// The kind of a list of this kind.
    #[doc(hidden)]
    type List: Kind;
    /// The kind of a newtype around this kind.
    #[doc(hidden)]
    type Newtype: Kind;
    /// The type `T` itself: see `attribute::checked`.
    #[doc(hidden)]
    type Of<T>;

    #[doc(hidden)]
    fn cloned<T>(value: &T) -> T
    where
        Self::Of<T>: Clone;

    /// Returns the value with this text: an N for kinds of numbers. Called for a [`TextKind`] only.
    #[doc(hidden)]
    #[must_use]
    fn from_text(text: String) -> AttributeValue {
        AttributeValue::S(text)
    }
}

/// Kinds that can be a partition or sort key: strings, integers, bytes.
#[diagnostic::on_unimplemented(
    message = "this type cannot be a key",
    label = "a key is a string, an integer or bytes",
    note = "DynamoDB keys are of type S, N or B; floats are left out because two computations of one number can differ"
)]
pub trait KeyKind: Kind {
    /// The key's type in the table definition.
    #[doc(hidden)]
    const TYPE: ScalarAttributeType;
}

/// Kinds that can be unique: strings, integers, bytes.
#[diagnostic::on_unimplemented(
    message = "this type cannot be unique",
    label = "a unique value is a string, an integer or bytes",
    note = "the value is the key of a row, and two computations of one float can differ"
)]
pub trait UniqueKind: KeyKind {}

impl UniqueKind for Text {}
impl UniqueKind for Name {}
impl UniqueKind for Number {}
impl UniqueKind for Byte {}
impl UniqueKind for Decimal {}
impl UniqueKind for Binary {}

/// Kinds whose values have exactly one text, so that they can be part of a key template: strings and integers.
#[diagnostic::on_unimplemented(
    message = "this type cannot stand in a key template",
    label = "a template is made of strings and integers"
)]
pub trait TextKind: KeyKind {
    /// True if the text is that of a number.
    #[doc(hidden)]
    const IS_NUMBER: bool;
}

/// Kinds of whole numbers, which a template can pad with zeros.
#[diagnostic::on_unimplemented(
    message = "only whole numbers have a width in a key template",
    label = "this type cannot be padded with zeros"
)]
pub trait WholeKind: TextKind {}

/// Kinds whose text sorts as their values do, so that a templated sort key supports range queries.
#[diagnostic::on_unimplemented(
    message = "the text of this template hole does not sort as its values do",
    label = "a range over this sort key would be wrong",
    note = "as text, 10 comes before 9: give the hole a width, as in `{{number:020}}`",
    note = "an enum's variants are in the order of the alphabet, unless it says `#[document(order = \"declared\")]`"
)]
pub trait OrderedText: TextKind {}

/// Kinds of sort keys that allow revisions in the same table: strings.
#[diagnostic::on_unimplemented(
    message = "revisions cannot share a table with this sort key",
    label = "`layout = \"same_table\"` needs a sort key of text",
    note = "revisions are kept under sort keys of their own, which are text: leave `layout` out for a second table"
)]
pub trait SharedSortKind: KeyKind {}

/// Kinds that DynamoDB has sets of: strings (SS), integers (NS), bytes (BS).
#[diagnostic::on_unimplemented(
    message = "DynamoDB has no set of this type",
    label = "a set holds strings, integers or bytes",
    note = "sets are SS, NS or BS; keep other values in a `Vec`, which is a list"
)]
pub trait ElementKind: Kind {
    /// The set as error messages name it: "expected ...".
    #[doc(hidden)]
    const SET: &'static str;
    /// The type of the stored set.
    #[doc(hidden)]
    const STORED_SET: AttributeKind;
    #[doc(hidden)]
    fn encode_set(
        elements: impl ExactSizeIterator<Item = Result<AttributeValue, EncodeError>>,
    ) -> Result<AttributeValue, EncodeError>;
    #[doc(hidden)]
    fn decode_set(set: RawValue<'_>) -> Result<Elements<'_>, DecodeError>;
}

/// Kinds that `<`, `<=`, `>`, `>=` and `BETWEEN` order: strings (by bytes), numbers, bytes.
#[diagnostic::on_unimplemented(
    message = "DynamoDB does not order values of this type",
    label = "only strings, numbers and bytes have an order",
    note = "an enum is stored as the names of its variants, which DynamoDB orders by the alphabet: `#[document(order = \"declared\")]` on it demands names that sort as the variants are declared, and then there are ranges",
    note = "a time in the form `java` has as many digits as it takes, and its text does not sort"
)]
pub trait OrderedKind: Kind {}

/// Kinds of numbers, which can be incremented and decremented.
#[diagnostic::on_unimplemented(
    message = "only numbers can be counted up and down",
    label = "this field is not a number"
)]
pub trait NumericKind: Kind {}

/// Kinds that have prefixes: strings and bytes.
#[diagnostic::on_unimplemented(
    message = "values of this type have no prefix",
    label = "`begins_with` and `sort_begins_with` are for strings and bytes",
    note = "a range of numbers or times is `between`, of a sort key `sort_between`"
)]
pub trait PrefixKind: Kind {
    /// The type of a prefix: `str` or `[u8]`.
    type Prefix: ?Sized;
    #[doc(hidden)]
    fn prefix(prefix: &Self::Prefix) -> AttributeValue;
}

/// Kinds that `size` measures: everything but numbers, booleans and null.
#[diagnostic::on_unimplemented(
    message = "values of this type have no size",
    label = "`size` is for strings, bytes, sets, lists and maps"
)]
pub trait SizedKind: Kind {}

/// Kinds that can be a filter of a vector index: strings, integers, bytes.
#[diagnostic::on_unimplemented(
    message = "this type cannot be a filter of a vector index",
    label = "a filter is a string, an integer or bytes",
    note = "a search asks for filters by equality, and the table defines them as S, N or B"
)]
pub trait FilterKind: KeyKind {}

impl FilterKind for Text {}
impl FilterKind for Name {}
impl FilterKind for Number {}
impl FilterKind for Byte {}
impl FilterKind for Decimal {}
impl FilterKind for Binary {}

/// Kinds whose `Vec` is a list: all but `u8`, whose `Vec` is bytes.
#[diagnostic::on_unimplemented(
    message = "a `Vec<u8>` is bytes, which have no elements",
    label = "only lists and sets have elements"
)]
pub trait ListedKind: Kind {}

impl ListedKind for Text {}
impl ListedKind for Name {}
impl ListedKind for Number {}
impl ListedKind for Decimal {}
impl ListedKind for Float {}
impl ListedKind for Binary {}
impl ListedKind for Boolean {}
impl ListedKind for List {}
impl ListedKind for Map {}
impl ListedKind for Set {}
impl ListedKind for Any {}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $stored:ident $name:literal list $list:ident newtype $newtype:ident $(text $text:ident)? $(null $null:literal)? $(float $float:literal)?;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub enum $kind {}
        impl sealed::Sealed for $kind {}
        impl Kind for $kind {
            const NAME: &'static str = $name;
            const STORED: AttributeKind = AttributeKind::$stored;
            type List = $list;
            type Newtype = $newtype;
            type Of<T> = T;

            #[inline]
            fn cloned<T>(value: &T) -> T
            where
                Self::Of<T>: Clone,
            {
                value.clone()
            }

            $(const HOLDS_NULL: bool = $null;)?
            $(const IS_FLOAT: bool = $float;)?
            $(
                fn from_text(text: String) -> AttributeValue {
                    AttributeValue::$text(text)
                }
            )?
        }
    )*};
}

kinds! {
    /// S
    Text S "a string (S)" list List newtype Text;
    /// S that supports equality but has no order of its own: the name of an enum's variant, or a time with a variable number of
    /// digits
    Name S "a string (S)" list List newtype Name;
    /// N, a whole number
    Number N "a number (N)" list List newtype Number text N;
    /// N, `u8`: a list of them is B
    Byte N "a number (N)" list Binary newtype Number text N;
    /// N, an exact decimal number
    Decimal N "a number (N)" list List newtype Decimal;
    /// N, a floating-point number
    Float N "a number (N)" list List newtype Float float true;
    /// B
    Binary B "bytes (B)" list List newtype Binary;
    /// BOOL
    Boolean Bool "a boolean (BOOL)" list List newtype Boolean;
    /// L
    List L "a list (L)" list List newtype List;
    /// M
    Map M "a map (M)" list List newtype Map;
    /// SS, NS or BS
    Set Any "a set" list List newtype Set;
    /// Any type
    Any Any "a value" list List newtype Any null true;
}

impl NumericKind for Number {}
impl NumericKind for Byte {}
impl NumericKind for Decimal {}
impl NumericKind for Float {}

impl WholeKind for Number {}
impl WholeKind for Byte {}

impl OrderedText for Text {}

impl SharedSortKind for Text {}
impl SharedSortKind for Name {}

impl OrderedKind for Text {}
impl OrderedKind for Number {}
impl OrderedKind for Byte {}
impl OrderedKind for Decimal {}
impl OrderedKind for Float {}
impl OrderedKind for Binary {}

impl SizedKind for Text {}
impl SizedKind for Binary {}
impl SizedKind for List {}
impl SizedKind for Map {}
impl SizedKind for Set {}
impl SizedKind for Any {}

impl PrefixKind for Text {
    type Prefix = str;

    fn prefix(prefix: &str) -> AttributeValue {
        AttributeValue::S(prefix.to_owned())
    }
}

impl PrefixKind for Binary {
    type Prefix = [u8];

    fn prefix(prefix: &[u8]) -> AttributeValue {
        AttributeValue::B(Blob::new(prefix))
    }
}

impl KeyKind for Text {
    const TYPE: ScalarAttributeType = ScalarAttributeType::S;
}

impl KeyKind for Name {
    const TYPE: ScalarAttributeType = ScalarAttributeType::S;
}

impl KeyKind for Number {
    const TYPE: ScalarAttributeType = ScalarAttributeType::N;
}

impl KeyKind for Decimal {
    const TYPE: ScalarAttributeType = ScalarAttributeType::N;
}

impl KeyKind for Byte {
    const TYPE: ScalarAttributeType = ScalarAttributeType::N;
}

impl KeyKind for Binary {
    const TYPE: ScalarAttributeType = ScalarAttributeType::B;
}

impl TextKind for Text {
    const IS_NUMBER: bool = false;
}

impl TextKind for Name {
    const IS_NUMBER: bool = false;
}

impl TextKind for Number {
    const IS_NUMBER: bool = true;
}

impl TextKind for Byte {
    const IS_NUMBER: bool = true;
}

macro_rules! element {
    ($($kind:ident: $set:ident $descriptor:literal of $element:ident($type:ident), $name:literal;)*) => {$(
        impl ElementKind for $kind {
            const SET: &'static str = $name;
            const STORED_SET: AttributeKind = AttributeKind::$set;

            fn encode_set(
                elements: impl ExactSizeIterator<Item = Result<AttributeValue, EncodeError>>,
            ) -> Result<AttributeValue, EncodeError> {
                let mut set: Vec<$type> = Vec::with_capacity(elements.len());
                for element in elements {
                    let stand_in = |error| stand_in_text(error).map(|text| AttributeValue::$element(element!(@ $type text)));
                    match element.or_else(stand_in)? {
                        AttributeValue::$element(element) => set.push(element),
                        other => return Err(EncodeError::new(format!(
                            "an element of {} was encoded as {}",
                            Self::SET,
                            descriptor(&other),
                        ))),
                    }
                }
                Ok(AttributeValue::$set(set))
            }

            fn decode_set(set: RawValue<'_>) -> Result<Elements<'_>, DecodeError> {
                set.into_elements($descriptor, Self::SET)
            }
        }
    )*};
    (@ String $text:ident) => { $text };
    (@ Blob $text:ident) => { Blob::new($text) };
}

element! {
    Text: Ss "SS" of S(String), "a set of strings (SS)";
    Name: Ss "SS" of S(String), "a set of strings (SS)";
    Number: Ns "NS" of N(String), "a set of numbers (NS)";
    Byte: Ns "NS" of N(String), "a set of numbers (NS)";
    Decimal: Ns "NS" of N(String), "a set of numbers (NS)";
    Binary: Bs "BS" of B(Blob), "a set of bytes (BS)";
}
