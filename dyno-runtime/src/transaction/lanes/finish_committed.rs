//! Completes what a lane has committed: rolls forward each participant that still has its intent.
//!
//! Only then may the lane go on to another attempt (M19): after the next commit, an intent of this attempt would look aborted.

use crate::attribute::Item;
use crate::error::foreign_text::value;
use crate::error::{Error, ErrorKind};
use crate::exchange::{Caller, Consistency, ItemRef, KEYS, Repository, read_rows};
use crate::transaction::record::{
    Intent, Named, Participants, TransactionId, TransactionRecord, Unfinished, is_of, lane, page_key, participants_of,
    whole,
};
use crate::transaction::resolve::{Overwritten, Resolution, roll_forward};
use futures_util::stream;
use futures_util::stream::StreamExt as _;
use std::collections::BTreeMap;

/// The number of intents that are rolled forward at once.
pub(crate) const APPLIES: usize = 16;

/// The result for the participants of a lane's committed attempt.
#[derive(Debug, Default)]
pub(crate) struct Finished {
    /// The number of intents that were rolled forward now.
    pub(crate) applied: usize,
    /// The items that another program wrote over meanwhile.
    pub(crate) overwritten: Vec<Overwritten>,
    /// The items that are not known to be rolled forward, and why.
    pub(crate) open: Vec<(ItemRef, Error)>,
    /// Why the list of participants is unknown, if it is.
    pub(crate) unread: Option<Error>,
}

impl Finished {
    /// Returns why the attempt is not completed, if it is not.
    pub(crate) fn unfinished(self) -> Option<Error> {
        self.unread.or_else(|| self.open.into_iter().next().map(|(_, error)| error))
    }
}

/// Returns the ID of the attempt that a lane row says is committed.
pub(crate) fn committed(record: &TransactionRecord) -> TransactionId {
    TransactionId {
        lane: record.lane.clone(),
        born: record.born.clone(),
        number: record.committed.number,
        nonce: record.committed.nonce.clone(),
    }
}

/// Rolls forward what is left of the lane's committed attempt.
pub(crate) async fn finish(
    repository: &Repository,
    caller: Caller<'_>,
    record: &TransactionRecord,
) -> Result<Finished, Error> {
    let Some(Unfinished { of, named }) = &record.unfinished else { return Ok(Finished::default()) };
    if *of != record.committed.number {
        return Ok(Finished { unread: Some(unreadable(record)), ..Finished::default() });
    }
    match named {
        Named::Inline(participants) => {
            Ok(roll_forward_all(repository, caller, &committed(record), participants.clone()).await)
        }
        Named::Pages(count) => {
            let (pages, mut unread) = pages(repository, caller, record, *count).await?;
            let mut participants = Participants::new();
            for page in &pages {
                match page.get(lane::PARTICIPANTS).and_then(participants_of) {
                    Some(named) => participants.extend(named),
                    None => unread = Some(unreadable(record)),
                }
            }
            let finished = roll_forward_all(repository, caller, &committed(record), participants).await;
            Ok(Finished { unread, ..finished })
        }
    }
}

/// Reads the pages of the committed attempt that exist. Returns an error, too, if some are missing: any participant that those list
/// may be left (M20).
async fn pages(
    repository: &Repository,
    caller: Caller<'_>,
    record: &TransactionRecord,
    count: u64,
) -> Result<(Vec<Item>, Option<Error>), Error> {
    let Some(count) = usize::try_from(count).ok().filter(|count| *count <= MOST_PAGES) else {
        return Ok((Vec::new(), Some(unreadable(record))));
    };
    let (table, transaction_id) = (repository.lane_table()?, committed(record));
    let keys: Vec<Item> =
        (0..count).map(|at| page_key(&transaction_id.lane, transaction_id.number, &transaction_id.nonce, at)).collect();
    let found = read_rows(repository, caller, &table, &keys, Consistency::Consistent).await?;
    let pages: Vec<Item> = found.into_iter().flatten().collect();
    let missing = (pages.len() < count).then(|| page_missing(record));
    Ok((pages, missing))
}

/// More pages than any transaction has: 350 MB of keys.
const MOST_PAGES: usize = 1000;

/// Rolls forward those of these items that still have an intent of the committed attempt.
pub(crate) async fn roll_forward_all(
    repository: &Repository,
    caller: Caller<'_>,
    transaction_id: &TransactionId,
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
            match read_rows(repository, caller, &table, keys, Consistency::Consistent).await {
                // A table that does not exist now can be restored, with its intents.
                Err(error) => finished.open.extend(places().map(|place| (place, error.share()))),
                Ok(found) => {
                    let to_do = places().zip(found).filter_map(|(place, item)| Some((place, item?)));
                    let to_do = to_do.filter(|(_, item)| is_of(Some(item), transaction_id));
                    let applies = to_do.map(|(place, item)| apply(repository, caller, place, item));
                    let mut results = stream::iter(applies.collect::<Vec<_>>()).buffered(APPLIES);
                    while let Some((place, applied)) = results.next().await {
                        match applied {
                            Ok(Resolution::Overwritten(overwritten)) => finished.overwritten.push(overwritten),
                            Ok(settled) => {
                                finished.applied += usize::from(matches!(settled, Resolution::RolledForward(_)));
                            }
                            Err(error) => finished.open.push((place, error)),
                        }
                    }
                }
            }
        }
    }
    finished
}

/// Rolls one committed intent forward, unless another process has done so meanwhile.
async fn apply(
    repository: &Repository,
    caller: Caller<'_>,
    place: ItemRef,
    item: Item,
) -> (ItemRef, Result<Resolution, Error>) {
    let applied = async {
        let Some(intent) = Intent::of(&item, &place.key)? else { return Ok(Resolution::Gone) };
        let whole = whole(repository, caller, &place.key, intent).await?;
        roll_forward(repository, caller, &place, &whole, Some(item), None).await
    };
    let applied = applied.await;
    (place, applied)
}

fn page_missing(record: &TransactionRecord) -> Error {
    Error::new(
        ErrorKind::LaneMissing,
        format!(
            "the lane `{}` names the items of a transaction in pages which are not there any more: sweep every table that its writers have, and then make the lane anew by hand",
            value(&record.lane)
        ),
    )
}

fn unreadable(record: &TransactionRecord) -> Error {
    Error::new(
        ErrorKind::Decode,
        format!(
            "what the lane `{}` names as the items of a transaction cannot be read, so that it is left as it is: look at who has written it",
            value(&record.lane)
        ),
    )
}
