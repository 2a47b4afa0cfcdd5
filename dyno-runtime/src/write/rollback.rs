//! The content of an earlier revision, as a new version: over a live item, or over a deletion.

use super::modify_loop::{ModifyCommand, ModifyOutcome};
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::Error;
use crate::exchange::Repository;
use crate::read::{RevisionsCommand, see};
use crate::rule;
use crate::rule::Reason;
use crate::schema::{Schema, Tables, Token};

/// Writes what the revision `to` was, with these tokens. `reread` makes of it what can be written, in the shape of today.
pub(crate) async fn roll_back(
    command: ModifyCommand,
    repository: &Repository,
    tables: Tables,
    (to, tokens): (u64, Vec<Option<Token>>),
    reread: fn(&Item) -> Result<Item, Error>,
) -> Result<ModifyOutcome, Error> {
    let schema = command.schema;
    let revisions = RevisionsCommand { schema, key: command.key.clone() };
    let revision = revisions.find(repository, tables.clone(), to).await?;
    let now = repository.now();
    let refused = |reason, item| Ok(ModifyOutcome::Refused(command.refused(now, reason, item)));
    let Some(revision) = revision.filter(|revision| !revision.deleted) else {
        return refused(Reason::NoRevision { version: to }, None);
    };
    let mut image = revision.image;
    if let Some(reason) = see(&[schema], now, &image).state.reason() {
        return refused(reason, Some(image));
    }
    // The tokens can stand in the key of an index.
    rule::set_tokens(schema, &tokens, &mut image);
    let item = reread(&image)?;
    let mut change = |there: Option<&Item>| Ok(restored(schema, repository.now(), &item, there));
    command.send(repository, &tables, &mut change).await
}

/// What the item of a revision is to be over what is there now: what the entity declares is as it was then. What it does not
/// know stays as it is; where nothing lives, it is as it was, too. The fence stays, also that of a tombstone: it says who has
/// written last.
fn restored(schema: &'static Schema, now: EpochMillis, then: &Item, there: Option<&Item>) -> Item {
    let live = there.filter(|there| rule::state(schema, now, *there).is_live());
    let mut item = then.clone();
    if let Some(live) = live.filter(|_| !schema.has_rest) {
        item.retain(|name, _| schema.declares(name));
        let others = live.iter().filter(|(name, _)| !schema.declares(name));
        item.extend(others.map(|(name, value)| (name.clone(), value.clone())));
    }
    item.retain(|name, _| !schema.is_bookkeeping(name));
    if let Some((fence, there)) = schema.fence.as_ref().zip(there) {
        fence.keep(there, &mut item);
    }
    item
}
