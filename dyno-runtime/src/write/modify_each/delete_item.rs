//! The delete of an item that has answered a question. It requires that the item still answers it.

use crate::attribute::Item;
use crate::error::Error;
use crate::expression::Node;
use crate::rule;
use crate::rule::{Expected, Verb};
use crate::write::WriteCommand;
use crate::write::modify_loop::{DELETE_EACH, Modification, ModifyCommand};
use std::sync::Arc;

impl Modification<'_> {
    /// Returns the delete of the item that was read, with the tokens of `new`. With a version, it is the delete of this very item;
    /// otherwise that of a live item that still answers the question, as it is then.
    pub(in crate::write) fn delete(&self, read: &Item, new: &Item) -> Result<WriteCommand, Error> {
        let ModifyCommand { schema, key, fence, .. } = &self.command;
        let mut command = WriteCommand::new(schema, Verb::Delete, Ok(key.clone()?));
        command.tokens = Ok(schema.ratchets.iter().map(|ratchet| ratchet.token_in(new)).collect());
        command.fence = *fence;
        let version = schema.version.as_ref().and_then(|version| version.of(read));
        command.expecting(Expected::Loaded(version.unwrap_or_default()));
        command.supersedes(read);
        command.loaded(DELETE_EACH, Some(Arc::new(read.clone())));
        self.ask_again(&mut command, read);
        let dead = rule::dead(schema, self.repository.now()).map(Node::not);
        let live = std::iter::once(Node::Exists(schema.partition.name.into())).chain(dead);
        if let Some(live) = Node::all(live.collect()) {
            command.and(Ok(live));
        }
        Ok(command)
    }
}
