//! The intent: what a transaction of many requests is about to do with an item, which it keeps in the item until it is done.
//!
//! Such a transaction holds the item, and every other write keeps out of its way: the attribute is not there. It is no reason
//! against a write, since it goes by itself.

use super::Write;
use super::write::Rule;
use crate::expression::Node;
use crate::schema::names;

/// Of every transactional entity.
#[derive(Debug)]
pub(super) struct Intent;

impl Rule for Intent {
    fn condition(&self, _: &Write) -> Option<Node> {
        Some(Node::NotExists(names::INTENT.into()))
    }
}
