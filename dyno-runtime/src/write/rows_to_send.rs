//! What is sent of one write, and stays when it has gone into a request.

use crate::attribute::{Item, Packed};
use crate::exchange::{Body, RowWrite};
use crate::key::key_text;
use crate::schema::Schema;
use std::mem;

/// What is sent of one write. It stays when it has gone into a request, in case it is sent again, or refused.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    pub(crate) front: Option<RowWrite>,
    pub(crate) main: RowWrite,
    /// The item that `main` puts, once that has gone: in one piece, which takes little to make.
    packed: Option<Packed>,
}

impl Rows {
    pub(crate) fn new(front: Option<RowWrite>, main: RowWrite) -> Self {
        Self { front, main, packed: None }
    }

    /// The write's own row, for a request. Here it stays without its table, which whoever sends it knows.
    pub(crate) fn spend(&mut self) -> RowWrite {
        let RowWrite { table: _, body, condition, names, values, returns } = &self.main;
        let packed = self.main.item().and_then(Packed::new);
        let left = RowWrite {
            table: String::new(),
            body: if packed.is_some() { Body::Put(Item::new()) } else { body.clone() },
            condition: condition.clone(),
            names: names.clone(),
            values: values.clone(),
            returns: returns.clone(),
        };
        self.packed = packed;
        mem::replace(&mut self.main, left)
    }

    /// What was spent, once more.
    pub(crate) fn again(&self, table: &str) -> Option<RowWrite> {
        let mut row = self.main.clone();
        table.clone_into(&mut row.table);
        if let Some(item) = &self.packed {
            row.body = Body::Put(item.unpack()?);
        }
        Some(row)
    }

    /// Its key, for people.
    pub(crate) fn key_text(&self, schema: &Schema) -> Option<String> {
        match (&self.packed, &self.main.body) {
            (Some(item), _) => key_text(&item.unpack()?, schema),
            (None, Body::Put(item) | Body::Update(item, _) | Body::Delete(item) | Body::Check(item)) => {
                key_text(item, schema)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue};
    use std::collections::HashMap;

    #[test]
    fn a_kept_write_is_resent_unchanged() {
        let value = || AttributeValue::L(vec![AttributeValue::N("7".to_owned()), AttributeValue::Bool(true)]);
        let item = || Item::from([("id".to_owned(), AttributeValue::S("1".to_owned())), ("list".to_owned(), value())]);
        for body in [Body::Put(item()), Body::Update(item(), "SET #0 = :0".to_owned()), Body::Delete(item())] {
            let row = RowWrite {
                table: "ratings".to_owned(),
                body,
                condition: Some("#0 = :0".to_owned()),
                names: Some(HashMap::from([("#0".to_owned(), "list".to_owned())])),
                values: Some(Item::from([(":0".to_owned(), value())])),
                returns: Some(ReturnValue::AllOld),
            };
            let mut rows = Rows::new(None, row.clone());
            let sent = rows.spend();
            assert_eq!(rows.packed.is_some(), row.item().is_some(), "{row:?}");
            for _ in 0..2 {
                assert_eq!(rows.again("ratings").as_ref(), Some(&sent));
            }
            assert_eq!(sent, row);
        }
    }
}
