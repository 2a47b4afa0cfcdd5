//! The types of stored attributes.

/// The type of a stored attribute, by DynamoDB's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "DynamoDB's names")]
pub enum AttributeKind {
    S,
    N,
    B,
    Bool,
    L,
    M,
    Ss,
    Ns,
    Bs,
    /// Any type: the field has a codec of its own, or its type holds values of several types.
    Any,
}

impl AttributeKind {
    /// Returns true for types whose values are equal exactly if they are stored equally: neither lists nor maps, in which another
    /// program can store more than the field's type knows.
    pub(crate) const fn is_embeddable(self) -> bool {
        !matches!(self, Self::L | Self::M | Self::Any)
    }

    /// Returns DynamoDB's name of the type.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::S => "S",
            Self::N => "N",
            Self::B => "B",
            Self::Bool => "BOOL",
            Self::L => "L",
            Self::M => "M",
            Self::Ss => "SS",
            Self::Ns => "NS",
            Self::Bs => "BS",
            Self::Any => "any type",
        }
    }
}
