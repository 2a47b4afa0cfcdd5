//! Compile-time arithmetic of the load that one item can carry: its size with its idempotency keys, the write units of each
//! write, the highest rate, and the longest window.
//!
//! An item has at most 400 KB, including its attribute names. A write costs one unit for each started KB of the whole item,
//! however little of it changes. And one item, like every partition, takes 1,000 units a second. (Developer guide: "Quotas and
//! limits", "DynamoDB item sizes and formats", "DynamoDB read and write operations", "Partitions and data distribution".)
//!
//! ```
//! use dyno::capacity::{CountWindow, TimeWindow, max_rate, write_units};
//!
//! const WINDOW: TimeWindow =
//!     TimeWindow { window_secs: 60, max_skew_secs: 5, key_bytes: 16, body_bytes: 500 };
//! const _: () = assert!(WINDOW.fits(10));
//!
//! assert_eq!(WINDOW.item_bytes(10), 500 + 6 * 34 + 800 * 17); // 10 a second for 60 + 5 + 15 s
//! assert_eq!((WINDOW.write_units(10), WINDOW.max_rps()), (14, 27));
//! assert_eq!(CountWindow { keys: 600, key_bytes: 16, body_bytes: 500 }.write_units(), 11);
//! assert_eq!((write_units(1), write_units(1025), max_rate(4096)), (1, 2, 250));
//! ```
//!
//! The arithmetic saturates: a result beyond the type is the type's maximum, which is above every limit of an item.

use crate::error::text::Text;

/// The greatest size of an item, in bytes.
pub const ITEM_BYTES: u64 = 400 * 1024;

/// The bytes that one write unit pays for.
pub const UNIT_BYTES: u64 = 1024;

/// The write units that one item takes in a second.
pub const UNITS_PER_SECOND: u64 = 1000;

/// The bytes of each set or list of keys besides its elements: its name, and the overhead of a list. The documentation does not
/// state the overhead of a set, so a set counts like a list.
const CONTAINER_BYTES: u64 = 16;

/// The bytes of each element of a list, besides its value.
const ELEMENT_BYTES: u64 = 1;

/// The number of time buckets in a window. With more buckets, keys expire sooner after their window, but a write must search more
/// sets.
const BUCKETS: u64 = 4;

/// Returns the write units of a write to an item of this size. (In a transaction, a write costs twice as many.)
#[must_use]
pub const fn write_units(item_bytes: u64) -> u64 {
    if item_bytes == 0 { 1 } else { item_bytes.div_ceil(UNIT_BYTES) }
}

/// Returns the number of writes a second that an item of this size takes.
#[must_use]
pub const fn max_rate(item_bytes: u64) -> u64 {
    UNITS_PER_SECOND / write_units(item_bytes)
}

/// Evaluates to the greatest number, up to the limit, that fits, or to 0 if none does. If a number fits, so must all less than
/// it. (A macro, because a constant function cannot take a closure.)
macro_rules! greatest {
    ($limit:expr, $number:ident, $fits:expr) => {{
        let (mut low, mut high) = (0, $limit + 1);
        while low + 1 < high {
            let $number = low.midpoint(high);
            if $fits {
                low = $number;
            } else {
                high = $number;
            }
        }
        low
    }};
}

/// Idempotency keys kept by time: those of the last `window_secs` seconds, in sets of one item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeWindow {
    /// The least number of seconds for which a key is remembered.
    pub window_secs: u32,
    /// The most by which two writers' clocks may differ and a request may be late, added together; at most the window.
    pub max_skew_secs: u32,
    /// The bytes of a key.
    pub key_bytes: u32,
    /// The bytes of the rest of the item.
    pub body_bytes: u32,
}

impl TimeWindow {
    const fn window(self) -> u64 {
        self.window_secs as u64 * 1000
    }

    const fn skew(self) -> u64 {
        self.max_skew_secs as u64 * 1000
    }

    /// Returns the length of one time bucket in milliseconds: a quarter of the window.
    #[must_use]
    pub const fn bucket_millis(self) -> u64 {
        let millis = self.window().div_ceil(BUCKETS);
        if millis == 0 { 1 } else { millis }
    }

    /// Returns the number of buckets that can contain a key which must still be remembered.
    const fn buckets(self) -> u64 {
        (self.window() + 2 * self.skew()).div_ceil(self.bucket_millis()) + 1
    }

    /// Returns the number of sets, which are used in turn, one for each time bucket. Half of them can contain keys that must
    /// still be remembered. Each write empties the other half, so that a set is empty when its turn comes again.
    #[must_use]
    pub const fn sets(self) -> u64 {
        2 * self.buckets()
    }

    /// Returns the number of keys at a steady rate: those of the window, of the skew, and of one bucket.
    #[must_use]
    pub const fn keys(self, rps: u64) -> u64 {
        rps.saturating_mul(self.window() + self.skew() + self.bucket_millis()).div_ceil(1000)
    }

    /// Returns the greatest number of keys: after an idle time, sets can still contain keys of an earlier turn.
    #[must_use]
    pub const fn most_keys(self, rps: u64) -> u64 {
        rps.saturating_mul(self.buckets() * self.bucket_millis()).div_ceil(1000)
    }

    /// Returns the bytes of the element that marks a set's turn: more than those of any key, and enough for a number.
    pub(crate) const fn turn_bytes(self) -> u32 {
        if self.key_bytes < 8 { 9 } else { self.key_bytes.saturating_add(1) }
    }

    const fn bytes(self, keys: u64) -> u64 {
        let sets = self.buckets().saturating_mul(CONTAINER_BYTES + self.turn_bytes() as u64 + ELEMENT_BYTES);
        let keys = keys.saturating_mul(self.key_bytes as u64 + ELEMENT_BYTES);
        sets.saturating_add(keys).saturating_add(self.body_bytes as u64)
    }

    /// Returns the size of the item at a steady rate.
    #[must_use]
    pub const fn item_bytes(self, rps: u64) -> u64 {
        self.bytes(self.keys(rps))
    }

    /// Returns the greatest size of the item, after an idle time.
    #[must_use]
    pub const fn most_item_bytes(self, rps: u64) -> u64 {
        self.bytes(self.most_keys(rps))
    }

    /// Returns the write units of each write at a steady rate.
    #[must_use]
    pub const fn write_units(self, rps: u64) -> u64 {
        write_units(self.item_bytes(rps))
    }

    /// Returns true if one item carries this rate: its greatest size is within the limit, and its writes take no more than the
    /// units of one item.
    #[must_use]
    pub const fn fits(self, rps: u64) -> bool {
        self.most_item_bytes(rps) <= ITEM_BYTES && rps.saturating_mul(self.write_units(rps)) <= UNITS_PER_SECOND
    }

    /// Returns the highest rate that one item carries, or 0 if it carries none.
    #[must_use]
    pub const fn max_rps(self) -> u64 {
        greatest!(UNITS_PER_SECOND, rps, self.fits(rps))
    }

    /// Returns the longest window at this rate, in seconds, or 0 if there is none. The skew stays the same, but at most as long
    /// as the window.
    #[must_use]
    pub const fn longest_window_secs(self, rps: u64) -> u32 {
        greatest!(u32::MAX / 4 - 1, window_secs, self.with_window(window_secs).fits(rps))
    }

    const fn with_window(self, window_secs: u32) -> Self {
        let max_skew_secs = if self.max_skew_secs < window_secs { self.max_skew_secs } else { window_secs };
        Self { window_secs, max_skew_secs, ..self }
    }
}

/// Idempotency keys kept by count: the last `keys` of them, in a list of one item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountWindow {
    /// The number of keys that are remembered.
    pub keys: u32,
    /// The bytes of a key.
    pub key_bytes: u32,
    /// The bytes of the rest of the item.
    pub body_bytes: u32,
}

impl CountWindow {
    /// Returns the size of the item.
    #[must_use]
    pub const fn item_bytes(self) -> u64 {
        // Cannot overflow, even with the greatest `u32`s.
        let keys = self.keys as u64 * (self.key_bytes as u64 + ELEMENT_BYTES);
        keys.saturating_add(self.body_bytes as u64 + CONTAINER_BYTES)
    }

    /// Returns the write units of each write.
    #[must_use]
    pub const fn write_units(self) -> u64 {
        write_units(self.item_bytes())
    }

    /// Returns true if one item carries this rate.
    #[must_use]
    pub const fn fits(self, rps: u64) -> bool {
        self.item_bytes() <= ITEM_BYTES && rps.saturating_mul(self.write_units()) <= UNITS_PER_SECOND
    }

    /// Returns the highest rate that one item carries, or 0 if it carries none.
    #[must_use]
    pub const fn max_rps(self) -> u64 {
        if self.item_bytes() > ITEM_BYTES { 0 } else { max_rate(self.item_bytes()) }
    }

    /// Returns the number of seconds for which a key is remembered at this rate. In a burst it is smaller.
    #[must_use]
    pub const fn window_secs(self, rps: u64) -> u64 {
        match (self.keys as u64).checked_div(rps) {
            Some(secs) => secs,
            None => u64::MAX,
        }
    }

    /// Returns the greatest number of keys at this rate, or 0 if there is none.
    #[must_use]
    pub const fn most_keys(self, rps: u64) -> u32 {
        greatest!(u32::MAX / 4 - 1, keys, (Self { keys, ..self }).fits(rps))
    }
}

/// Fails to compile if the item cannot carry the rate.
#[doc(hidden)]
pub const fn check_time_window(window: TimeWindow, rps: u64) {
    if window.fits(rps) {
        return;
    }
    let fitting = window.longest_window_secs(rps);
    let text = Text::new()
        .number(window.window_secs as u64)
        .text(" s of idempotency keys do not fit into one item at ")
        .number(rps)
        .text(" writes a second: ")
        .number(window.keys(rps))
        .text(" keys of ")
        .number(window.key_bytes as u64)
        .text(" bytes make it ")
        .number(window.item_bytes(rps).div_ceil(1024))
        .text(" KB (")
        .number(window.most_item_bytes(rps).div_ceil(1024))
        .text(" KB after an idle time) of 400 KB, and ")
        .number(rps.saturating_mul(window.write_units(rps)))
        .text(" write units a second of 1000; ");
    let text = match (fitting, window.max_rps()) {
        (0, 0) => text.text("nothing near fits"),
        (0, rate) => text.text("`max_rps = ").number(rate).text("` works with this window"),
        (window, 0) => text.text("`window_secs = ").number(window as u64).text("` works at this rate"),
        (window, rate) => text
            .text("`window_secs = ")
            .number(window as u64)
            .text("` works at this rate, `max_rps = ")
            .number(rate)
            .text("` with this window"),
    };
    text.text(", or `store = \"row\"`").panic();
}

/// Fails to compile if the item cannot hold the keys or carry the rate. If no rate is declared, `rps` is 0.
#[doc(hidden)]
pub const fn check_count_window(window: CountWindow, rps: u64) {
    if window.fits(rps) {
        return;
    }
    let text = Text::new()
        .number(window.keys as u64)
        .text(" idempotency keys of ")
        .number(window.key_bytes as u64)
        .text(" bytes do not fit into one item");
    let text = if rps > 0 { text.text(" at ").number(rps).text(" writes a second") } else { text };
    let text = text.text(": they make it ").number(window.item_bytes().div_ceil(1024)).text(" KB of 400 KB");
    let text = if rps > 0 {
        text.text(", and ").number(rps.saturating_mul(window.write_units())).text(" write units a second of 1000")
    } else {
        text
    };
    text.text("; `keys = ").number(window.most_keys(rps) as u64).text("` works, or `store = \"row\"`").panic();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sets_follow_the_window_and_the_skew() {
        let window =
            |window_secs, max_skew_secs| TimeWindow { window_secs, max_skew_secs, key_bytes: 16, body_bytes: 0 };
        assert_eq!((window(300, 300).bucket_millis(), window(300, 300).sets()), (75_000, 26));
        assert_eq!((window(300, 10).bucket_millis(), window(300, 10).sets()), (75_000, 12));
        assert_eq!((window(300, 0).bucket_millis(), window(300, 0).sets()), (75_000, 10));
        assert_eq!((window(1, 1).bucket_millis(), window(1, 1).sets()), (250, 26));
        assert_eq!((window(300, 300).keys(1), window(300, 300).most_keys(1)), (675, 975));
    }

    #[test]
    fn calculated_maxima_fit_and_one_more_does_not() {
        for key_bytes in [1, 8, 16, 64] {
            for rps in [1, 3, 10, 50, 200] {
                let time = TimeWindow { window_secs: 300, max_skew_secs: 30, key_bytes, body_bytes: 500 };
                let longest = time.longest_window_secs(rps);
                assert!(longest == 0 || time.with_window(longest).fits(rps));
                assert!(!time.with_window(longest + 1).fits(rps));
                let highest = time.max_rps();
                assert!(time.fits(highest) && !time.fits(highest + 1));
                let count = CountWindow { keys: 1000, key_bytes, body_bytes: 500 };
                let most = count.most_keys(rps);
                assert!(CountWindow { keys: most, ..count }.fits(rps));
                assert!(!CountWindow { keys: most + 1, ..count }.fits(rps));
                assert!(count.fits(count.max_rps()) && !count.fits(count.max_rps() + 1));
            }
        }
    }
}
