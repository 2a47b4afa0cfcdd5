//! The lock of a row of an older shape while it is upgraded, for entities without a version: its schema version is negative, so programs
//! of an older release do not update it.

use super::modify_loop::{Modification, ModifyCommand, ModifyOutcome};
use super::rewrite::rewrite;
use super::write_command::WriteCommand;
use crate::attribute::Item;
use crate::error::Error;
use crate::expression::{Action, RawChange};
use crate::rule::Image;
use crate::schema::SchemaVersion;
use aws_sdk_dynamodb::types::AttributeValue;
use std::sync::Arc;

impl Modification<'_> {
    /// Returns the write that keeps programs with an older schema version from updating the item while it is upgraded. An item
    /// with a version does not need it, nor does one that is locked already. The write requires no attribute but the schema
    /// version to be as it was read, so it always asks the question again.
    pub(super) fn lock_shape(&self, read: Option<&Item>) -> Result<Option<WriteCommand>, Error> {
        let ModifyCommand { schema, key, .. } = &self.command;
        let (Some(shape), Some(read)) = (&schema.schema_version, read) else { return Ok(None) };
        let from = shape.of(read).ok().filter(|from| *from < shape.current && !shape.is_held(read));
        let (Some(from), None, false) = (from, &schema.version, self.command.is_rollback()) else { return Ok(None) };
        let lock = RawChange::new(shape.attribute, Ok(Action::Set(SchemaVersion::held(from))));
        let mut command = rewrite(schema, key.clone()?, vec![lock], read, read);
        command.image = Some(Arc::new(Image::of_one(shape.attribute, read)));
        self.ask_again(&mut command, read);
        Ok(Some(command))
    }

    /// Unlocks a row of this schema version that the change has locked and cannot write. If the request fails, the row stays locked until
    /// a later change writes it.
    pub(super) async fn unlock_shape(&self, from: u32) {
        let ModifyCommand { schema, key, .. } = &self.command;
        let (Some(shape), Ok(key)) = (&schema.schema_version, key) else { return };
        let locked = Item::from([(shape.attribute.to_owned(), SchemaVersion::held(from))]);
        let unlock = RawChange::new(shape.attribute, Ok(Action::Set(AttributeValue::N(from.to_string()))));
        let mut command = rewrite(schema, key.clone(), vec![unlock], &locked, &locked);
        command.image = Some(Arc::new(Image::of_one(shape.attribute, &locked)));
        let _ = self.send(Box::new(command), None).await;
    }
}

/// Returns true if a change has ended for this item, and has not written it.
pub(super) fn is_failed(changed: &Result<ModifyOutcome, Error>) -> bool {
    match changed {
        Ok(ModifyOutcome::Refused(_) | ModifyOutcome::Contended(_)) => true,
        Ok(ModifyOutcome::Applied(_) | ModifyOutcome::Unchanged(_)) => false,
        Err(error) => error.is_of_one_item(),
    }
}
