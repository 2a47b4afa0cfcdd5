//! The cost of a read: a get, a page of a query or scan, or gets in a transaction.

use super::bounds::{Bounds, Cost, Span};
use super::check_stored;
use super::row::{IN_TRANSACTION, read_units};
use crate::error::Error;
use crate::exchange::Request;

/// The most bytes of a page. (API reference, `Query`.)
const PAGE_BYTES: usize = 1024 * 1024;

/// The units of an eventually consistent read, compared with those of a consistent one.
const EVENTUAL: f64 = 0.5;

/// Returns the cost of a read that finds up to this many items of up to this many bytes each.
pub(crate) fn of_read(request: &Request, items: usize, bytes: usize) -> Result<Cost, Error> {
    check_stored(bytes)?;
    let page = |limit: Option<i32>, is_consistent: Option<bool>| {
        let limit = limit.and_then(|limit| usize::try_from(limit).ok());
        let items = limit.map_or(items, |limit| items.min(limit));
        (items.saturating_mul(bytes).min(PAGE_BYTES), factor(is_consistent))
    };
    let units = match request {
        Request::Get(get) => Span::new(1.0, read_units(bytes)) * factor(*get.get_consistent_read()),
        Request::Query(query) => units(page(*query.get_limit(), *query.get_consistent_read())),
        Request::Scan(scan) => units(page(*scan.get_limit(), *scan.get_consistent_read())),
        Request::TransactGet(gets) => {
            let gets = gets.get_transact_items().iter().flatten();
            gets.map(|_| Span::new(1.0, read_units(bytes)) * IN_TRANSACTION).sum()
        }
        _ => return Err(Error::invalid("only reads in read units have this cost")),
    };
    Ok(Cost { applied: Bounds::read(units), refused: None })
}

fn units((bytes, factor): (usize, f64)) -> Span {
    Span::new(1.0, read_units(bytes)) * factor
}

pub(super) fn factor(is_consistent: Option<bool>) -> f64 {
    if is_consistent == Some(true) { 1.0 } else { EVENTUAL }
}
