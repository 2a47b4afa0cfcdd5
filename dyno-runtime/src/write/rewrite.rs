//! The update that turns one whole item into another: the difference of the two, and what the rules set of it.

use super::write_command::WriteCommand;
use crate::attribute::{Item, equal};
use crate::expression::{Action, RawChange};
use crate::rule::Verb;
use crate::schema::Schema;
use crate::sorted;

/// Returns the update that makes these changes, which turn `old` into `new`.
pub(crate) fn rewrite(
    schema: &'static Schema,
    key: Item,
    changes: Vec<RawChange>,
    old: &Item,
    new: &Item,
) -> WriteCommand {
    let mut command = WriteCommand::new(schema, Verb::Rewrite, Ok(key));
    // The attributes that the rules set from the tokens and the fence.
    let mut set_by_rules = Vec::new();
    let tokens = schema.ratchets.iter().map(|ratchet| {
        let token = ratchet.token_in(new);
        // An unchanged token is no token of this write, because a strict ratchet would refuse it.
        let token = token.filter(|token| Some(token) != ratchet.token_in(old).as_ref())?;
        // The same token in another spelling cannot be compared with the stored one. It is a plain change, and the image requires
        // that the stored token is as it was read.
        if old.get(ratchet.attribute).is_some_and(|stored| ratchet.respells(stored, &token.value)) {
            return None;
        }
        set_by_rules.extend(std::iter::once(ratchet.attribute).chain(ratchet.tiebreak));
        Some(token)
    });
    command.tokens = Ok(tokens.collect());
    if let Some(fence) = &schema.fence
        && changes.iter().any(|change| change.path.name() == fence.attribute)
    {
        set_by_rules.push(fence.attribute);
        command.fence = fence.of(new);
    }
    command.update.changes = changes.into_iter().filter(|change| !set_by_rules.contains(&change.path.name())).collect();
    command
}

/// Returns the changes that turn `old` into `new`, in the order of names, without the attributes that the rules set. If `new` lacks an
/// alias of a unique value, the changes set the attribute, also to the value that it had: they show that the value stays.
pub(crate) fn changes(schema: &Schema, old: &Item, new: &Item) -> Vec<RawChange> {
    let is_unique = |name: &str| schema.unique.iter().any(|unique| unique.attributes.contains(&name));
    let is_lost = |alias: &&&str| old.contains_key(**alias) && !new.contains_key(**alias);
    let loses_alias = |name: &str| is_unique(name) && schema.aliases(name).iter().any(|alias| is_lost(&alias));
    let is_changed = |name: &str, value| old.get(name).is_none_or(|old| !equal(old, value)) || loses_alias(name);
    let set = new.iter().filter(|(name, value)| is_changed(name, value)).map(|(name, _)| name.as_str());
    let removed = old.keys().map(String::as_str).filter(|name| !new.contains_key(*name));
    let names = sorted::names(set.chain(removed).filter(|name| schema.is_content(name)));
    let change = |name: &str| {
        let action = new.get(name).map_or(Action::Remove, |value| Action::Set(value.clone()));
        RawChange::new(name.to_owned(), Ok(action))
    };
    names.into_iter().map(change).collect()
}
