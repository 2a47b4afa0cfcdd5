//! What a lane has committed is seen to its end: each item that still has its intent gets what that intends.
//!
//! Only then may the lane go on to another ticket (M19): with the next one committed, an intent of this one that nobody has
//! applied would look dead.

use crate::attribute::Item;
use crate::error::shown::value;
use crate::error::{Error, ErrorKind};
use crate::exchange::{Caller, ItemRef, Repository};
use crate::transaction::record::{
    Head, Intent, Named, Participants, Ticket, Unfinished, is_of, lane, page_key, participants_of, whole,
};
use crate::transaction::resolve::{KEYS, Look, Overwritten, Settled, make, rows};
use futures_util::stream;
use futures_util::stream::StreamExt as _;
use std::collections::BTreeMap;

/// How many intents are applied at once.
pub(crate) const APPLIES: usize = 16;

/// What has become of the items of a lane's committed ticket.
#[derive(Debug, Default)]
pub(crate) struct Finished {
    /// How many intents were applied now.
    pub(crate) applied: usize,
    /// Which items another program wrote over meanwhile.
    pub(crate) overwritten: Vec<Overwritten>,
    /// Of which items it is not known that they are as they are to be, and why.
    pub(crate) open: Vec<(ItemRef, Error)>,
    /// Why it is not known which items there are, if it is not.
    pub(crate) unread: Option<Error>,
}

impl Finished {
    /// Why not all is seen to its end, if it is not.
    pub(crate) fn unfinished(self) -> Option<Error> {
        self.unread.or_else(|| self.open.into_iter().next().map(|(_, error)| error))
    }
}

/// The ticket that a head says is committed.
pub(crate) fn committed(head: &Head) -> Ticket {
    Ticket {
        lane: head.lane.clone(),
        born: head.born.clone(),
        number: head.committed.number,
        nonce: head.committed.nonce.clone(),
    }
}

/// Applies what is left of the lane's committed ticket.
pub(crate) async fn finish(repository: &Repository, caller: Caller<'_>, head: &Head) -> Result<Finished, Error> {
    let Some(Unfinished { of, named }) = &head.unfinished else { return Ok(Finished::default()) };
    if *of != head.committed.number {
        return Ok(Finished { unread: Some(unreadable(head)), ..Finished::default() });
    }
    match named {
        Named::Inline(participants) => Ok(see_to(repository, caller, &committed(head), participants.clone()).await),
        Named::Pages(count) => {
            let (pages, mut unread) = pages(repository, caller, head, *count).await?;
            let mut participants = Participants::new();
            for page in &pages {
                match page.get(lane::PARTICIPANTS).and_then(participants_of) {
                    Some(named) => participants.extend(named),
                    None => unread = Some(unreadable(head)),
                }
            }
            let finished = see_to(repository, caller, &committed(head), participants).await;
            Ok(Finished { unread, ..finished })
        }
    }
}

/// The pages of the committed ticket that are there; and an error, if there are to be others: what those named may all be to
/// do (M20).
async fn pages(
    repository: &Repository,
    caller: Caller<'_>,
    head: &Head,
    count: u64,
) -> Result<(Vec<Item>, Option<Error>), Error> {
    let Some(count) = usize::try_from(count).ok().filter(|count| *count <= MOST_PAGES) else {
        return Ok((Vec::new(), Some(unreadable(head))));
    };
    let (table, ticket) = (repository.lane_table()?, committed(head));
    let keys: Vec<Item> = (0..count).map(|at| page_key(&ticket.lane, ticket.number, &ticket.nonce, at)).collect();
    let found = rows(repository, caller, &table, &keys, Look::Consistent).await?;
    let pages: Vec<Item> = found.into_iter().flatten().collect();
    let missing = (pages.len() < count).then(|| page_missing(head));
    Ok((pages, missing))
}

/// More than any transaction has: 350 MB of keys.
const MOST_PAGES: usize = 1000;

/// Applies the intents of a committed ticket that these items still have.
pub(crate) async fn see_to(
    repository: &Repository,
    caller: Caller<'_>,
    ticket: &Ticket,
    participants: Participants,
) -> Finished {
    let mut tables: BTreeMap<String, Vec<Item>> = BTreeMap::new();
    for ItemRef { table, key } in participants {
        tables.entry(table).or_default().push(key);
    }
    let mut finished = Finished::default();
    for (table, keys) in tables {
        for keys in keys.chunks(KEYS) {
            let places = || keys.iter().map(|key| ItemRef { table: table.clone(), key: key.clone() });
            match rows(repository, caller, &table, keys, Look::Consistent).await {
                // A table that is not there now can be restored, with the intents.
                Err(error) => finished.open.extend(places().map(|place| (place, error.share()))),
                Ok(found) => {
                    let to_do = places().zip(found).filter_map(|(place, item)| Some((place, item?)));
                    let to_do = to_do.filter(|(_, item)| is_of(Some(item), ticket));
                    let applies = to_do.map(|(place, item)| apply(repository, caller, place, item));
                    let mut results = stream::iter(applies.collect::<Vec<_>>()).buffered(APPLIES);
                    while let Some((place, applied)) = results.next().await {
                        match applied {
                            Ok(Settled::Overwritten(overwritten)) => finished.overwritten.push(overwritten),
                            Ok(settled) => finished.applied += usize::from(matches!(settled, Settled::Applied(_))),
                            Err(error) => finished.open.push((place, error)),
                        }
                    }
                }
            }
        }
    }
    finished
}

/// Applies what a committed intent intends, unless another process has done so meanwhile.
async fn apply(
    repository: &Repository,
    caller: Caller<'_>,
    place: ItemRef,
    item: Item,
) -> (ItemRef, Result<Settled, Error>) {
    let applied = async {
        let Some(intent) = Intent::of(&item, &place.key)? else { return Ok(Settled::Gone) };
        let whole = whole(repository, caller, &place.key, intent).await?;
        make(repository, caller, &place, &whole, Some(item), None).await
    };
    let applied = applied.await;
    (place, applied)
}

fn page_missing(head: &Head) -> Error {
    Error::new(
        ErrorKind::LaneMissing,
        format!(
            "the lane `{}` names the items of a transaction in pages which are not there any more: sweep every table that its writers have, and then make the lane anew by hand",
            value(&head.lane)
        ),
    )
}

fn unreadable(head: &Head) -> Error {
    Error::new(
        ErrorKind::Decode,
        format!(
            "what the lane `{}` names as the items of a transaction cannot be read, so that it is left as it is: look at who has written it",
            value(&head.lane)
        ),
    )
}
