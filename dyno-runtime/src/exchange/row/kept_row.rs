//! The copy of a write that stays when it moves into its request, so that the same request can be sent again: because it is hedged,
//! or because DynamoDB reports a conflict with a transaction.

use super::row_write::{Body, RowWrite};
use crate::attribute::{Item, Packed, Packer, Unpacker};
use aws_sdk_dynamodb::types::ReturnValue;
use std::collections::HashMap;

/// The copy of a write. It is rarely needed, so it is packed into one allocation where a clone would take dozens.
#[derive(Clone, Debug)]
pub(crate) struct KeptRow(Kept);

#[derive(Clone, Debug)]
enum Kept {
    Packed {
        body: Kind,
        parts: Packed,
        returns: Option<ReturnValue>,
        reports_indexes: bool,
    },
    /// A row with a value that cannot be packed.
    Whole(Box<RowWrite>),
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Put,
    Update,
    Delete,
    Check,
}

impl KeptRow {
    pub(crate) fn new(row: &RowWrite) -> Self {
        let RowWrite { table: _, body, condition: _, names: _, values: _, returns, reports_indexes } = row;
        let body = match body {
            Body::Put(_) => Kind::Put,
            Body::Update(..) => Kind::Update,
            Body::Delete(_) => Kind::Delete,
            Body::Check(_) => Kind::Check,
        };
        Self(match pack(row) {
            Some(parts) => Kept::Packed { body, parts, returns: returns.clone(), reports_indexes: *reports_indexes },
            None => Kept::Whole(Box::new(row.clone())),
        })
    }

    /// Returns the write once more, in this table, which is the one that it was in.
    pub(crate) fn again(&self, table: &str) -> Option<RowWrite> {
        match &self.0 {
            Kept::Packed { body, parts, returns, reports_indexes } => Some(RowWrite {
                table: table.to_owned(),
                returns: returns.clone(),
                reports_indexes: *reports_indexes,
                ..unpack(*body, parts.unpacker())?
            }),
            Kept::Whole(row) => Some(RowWrite::clone(row)),
        }
    }

    /// Returns the item of a put, or the key of another write.
    pub(crate) fn item_or_key(&self) -> Option<Item> {
        match &self.0 {
            Kept::Packed { parts, .. } => parts.unpacker().members(),
            Kept::Whole(row) => Some(row.item_or_key().clone()),
        }
    }
}

fn pack(row: &RowWrite) -> Option<Packed> {
    let mut packer = Packer::new();
    packer.members(row.item_or_key())?;
    if let Body::Update(_, changes) = &row.body {
        packer.bytes(changes.as_bytes());
    }
    packer.length(row.condition.iter().len());
    row.condition.iter().for_each(|condition| packer.bytes(condition.as_bytes()));
    // DynamoDB refuses empty maps of names and values, so an empty one stands for none.
    packer.length(row.names.as_ref().map_or(0, HashMap::len));
    for (placeholder, name) in row.names.iter().flatten() {
        packer.bytes(placeholder.as_bytes());
        packer.bytes(name.as_bytes());
    }
    match &row.values {
        Some(values) => packer.members(values)?,
        None => packer.length(0),
    }
    Some(packer.finish())
}

fn unpack(body: Kind, mut parts: Unpacker<'_>) -> Option<RowWrite> {
    let item = parts.members()?;
    let body = match body {
        Kind::Put => Body::Put(item),
        Kind::Update => Body::Update(item, parts.text()?),
        Kind::Delete => Body::Delete(item),
        Kind::Check => Body::Check(item),
    };
    let condition = if parts.length()? == 1 { Some(parts.text()?) } else { None };
    let names: HashMap<_, _> =
        (0..parts.length()?).map(|_| Some((parts.text()?, parts.text()?))).collect::<Option<_>>()?;
    let values = parts.members()?;
    let (names, values) =
        (Some(names).filter(|names| !names.is_empty()), Some(values).filter(|values| !values.is_empty()));
    Some(RowWrite { table: String::new(), body, condition, names, values, returns: None, reports_indexes: false })
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_sdk_dynamodb::types::AttributeValue;

    #[test]
    fn a_kept_write_is_resent_unchanged() {
        let value = || AttributeValue::L(vec![AttributeValue::N("7".to_owned()), AttributeValue::Bool(true)]);
        let item = || Item::from([("id".to_owned(), AttributeValue::S("1".to_owned())), ("list".to_owned(), value())]);
        let update = Body::Update(item(), "SET #0 = :0".to_owned());
        for body in [Body::Put(item()), update, Body::Delete(item()), Body::Check(item())] {
            for has_condition in [true, false] {
                let row = RowWrite {
                    table: "ratings".to_owned(),
                    body: body.clone(),
                    condition: has_condition.then(|| "#0 = :0".to_owned()),
                    names: has_condition.then(|| HashMap::from([("#0".to_owned(), "list".to_owned())])),
                    values: has_condition.then(|| Item::from([(":0".to_owned(), value())])),
                    returns: has_condition.then_some(ReturnValue::AllOld),
                    reports_indexes: has_condition,
                };
                let kept = KeptRow::new(&row);
                assert!(matches!(kept.0, Kept::Packed { .. }));
                assert_eq!(kept.item_or_key().as_ref(), Some(row.item_or_key()));
                for _ in 0..2 {
                    assert_eq!(kept.again("ratings").as_ref(), Some(&row));
                }
            }
        }
    }
}
