//! Values: errors of codecs, times, capacity, and clocks.

use super::{Bill, Doc, NUMBERS, Rating, Rowed, SIGNED, SMALL, Tick, at, check_text, sane, texts};
use dyno::capacity::{self, CountWindow, TimeWindow};
use dyno::{DecodeError, EncodeError, EpochMillis, EpochSeconds, ManualClock, Transaction};
use dyno_tests::{World, s};
use std::time::Duration;

calls! { world;
    "error/codec_errors::new" => {
        for text in texts() {
            check_text(&EncodeError::new(text).to_string());
        }
    }
    "error/codec_errors::new" => {
        for text in texts() {
            check_text(&DecodeError::new(text.clone(), text).to_string());
        }
    }
    "error/codec_errors::wrong_type" => {
        for text in texts() {
            check_text(&DecodeError::wrong_type(text.clone(), &s(&text)).to_string());
        }
    }
    "error/codec_errors::at_name" => {
        for text in texts() {
            let error = (0..100).fold(EncodeError::new("bad"), |error, _| error.at_name(text.clone()));
            check_text(&error.to_string());
        }
    }
    "error/codec_errors::at_name" => {
        for text in texts() {
            let error = (0..100).fold(DecodeError::new("good", "bad"), |error, _| error.at_name(text.clone()));
            check_text(&error.to_string());
        }
    }
    "attribute/time::new" => {
        for time in SIGNED {
            let millis = EpochMillis::new(time);
            assert!(millis.to_seconds_floor() <= millis.to_seconds_ceil());
            assert_eq!(EpochSeconds::new(time).get(), time);
        }
    }
    "attribute/duration::checked_add" => {
        counted(|time, by| EpochMillis::new(time).checked_add(by).map(EpochMillis::get), 1, 1);
        counted(|time, by| EpochSeconds::new(time).checked_add(by).map(EpochSeconds::get), 1000, 1);
    }
    "attribute/duration::checked_sub" => {
        counted(|time, by| EpochMillis::new(time).checked_sub(by).map(EpochMillis::get), 1, -1);
        counted(|time, by| EpochSeconds::new(time).checked_sub(by).map(EpochSeconds::get), 1000, -1);
    }
    "attribute/duration::saturating_add" => {
        for (time, by) in SIGNED.into_iter().flat_map(|time| durations().map(|by| (time, by))) {
            let sum = EpochMillis::new(time).checked_add(by).map_or(i64::MAX, EpochMillis::get);
            assert_eq!(EpochMillis::new(time).saturating_add(by).get(), sum);
        }
    }
    "attribute/duration::saturating_sub" => {
        for (time, by) in SIGNED.into_iter().flat_map(|time| durations().map(|by| (time, by))) {
            let rest = EpochSeconds::new(time).checked_sub(by).map_or(i64::MIN, EpochSeconds::get);
            assert_eq!(EpochSeconds::new(time).saturating_sub(by).get(), rest);
        }
    }
    "capacity::write_units" => {
        assert!(NUMBERS.map(capacity::write_units).is_sorted());
    }
    "capacity::max_rate" => {
        assert!(NUMBERS.map(capacity::max_rate).iter().rev().is_sorted());
    }
    "capacity::keys" => { time_windows(TimeWindow::keys); }
    "capacity::most_keys" => { time_windows(TimeWindow::most_keys); }
    "capacity::item_bytes" => { time_windows(TimeWindow::item_bytes); }
    "capacity::most_item_bytes" => { time_windows(TimeWindow::most_item_bytes); }
    "capacity::write_units" => { time_windows(TimeWindow::write_units); }
    "capacity::fits" => { time_windows(|window, rps| u64::from(!window.fits(rps))); }
    "capacity::longest_window_secs" => {
        time_windows(|window, rps| u64::MAX - u64::from(window.longest_window_secs(rps)));
        for window in time_windows_of(u32::MAX) {
            let _ = (window.bucket_millis(), window.sets(), window.max_rps());
        }
    }
    "capacity::fits" => { count_windows(|window, rps| u64::from(!window.fits(rps))); }
    "capacity::window_secs" => { count_windows(|window, rps| u64::MAX - window.window_secs(rps)); }
    "capacity::most_keys" => {
        count_windows(|window, rps| u64::MAX - u64::from(window.most_keys(rps)));
        count_windows(|window, _| window.item_bytes().max(window.write_units()).max(window.max_rps()));
    }
    "exchange/repository/clock::new" => {
        for now in SIGNED {
            clocked(world, now).await;
        }
    }
    "exchange/repository/clock::set" => {
        for now in SIGNED {
            world.clock.set(EpochMillis::new(now));
            sane(Tick::get((1_u64, 1_i64)).send(&world.repository).await);
        }
        world.clock.set(EpochMillis::new(dyno_tests::NOW));
    }
    "exchange/repository/clock::advance" => {
        for (now, millis) in SIGNED.into_iter().flat_map(|now| SIGNED.map(|millis| (now, millis))) {
            let clock = ManualClock::new(EpochMillis::new(now));
            clock.advance(millis);
            assert_eq!(dyno::Clock::now(&clock).get(), now.saturating_add(millis));
        }
    }
}

/// Durations from zero to the longest.
fn durations() -> [Duration; 5] {
    [
        Duration::ZERO,
        Duration::from_nanos(1),
        Duration::from_millis(999),
        Duration::from_millis(u64::MAX),
        Duration::MAX,
    ]
}

/// Checks the sum or the difference of every time and every duration. One unit of time has `unit` milliseconds, and `sign` is
/// 1 or -1.
fn counted(count: impl Fn(i64, Duration) -> Option<i64>, unit: u128, sign: i128) {
    for (time, by) in SIGNED.into_iter().flat_map(|time| durations().map(|by| (time, by))) {
        let by_units = i128::try_from(by.as_millis() / unit).expect("less than that");
        let expected = i64::try_from(i128::from(time) + sign * by_units).ok();
        assert_eq!(count(time, by), expected, "{time} {by:?}");
    }
}

/// Sends every command that reads the clock, at this time.
async fn clocked(world: &World, now: i64) {
    let repository = at(world, now);
    let id = format!("at {now}");
    sane_write!(Rating { id: id.clone(), at: EpochMillis::new(now) }.put(), &repository);
    sane_write!(Rating::delete(&id, EpochMillis::new(now)), &repository);
    sane(Rating::get(&id).send(&repository).await);
    for at in SIGNED {
        sane_write!(Rating { id: id.clone(), at: EpochMillis::new(at) }.put(), &repository);
    }
    sane_write!(Doc { id: id.clone(), text: "a".to_owned(), version: 0 }.put(), &repository);
    sane_write!(Doc::delete(&id, 1_u64), &repository);
    sane(Doc::revisions(&id).send(&repository).await);
    sane_write!(Bill::update(&id).upsert().with(Bill::fields().total.add(1)).idempotency_key("k"), &repository);
    sane_write!(Bill { id: id.clone(), total: 1 }.create(), &repository);
    sane_write!(Bill::update(&id).with(Bill::fields().total.add(1)).idempotency_key("k"), &repository);
    sane_write!(Bill::update(&id).with(Bill::fields().total.add(1)).idempotency_key("k"), &repository);
    sane_write!(Rowed { id: id.clone(), total: 1 }.create(), &repository);
    sane_write!(Rowed::update(&id).with(Rowed::fields().total.add(1)).idempotency_key("k"), &repository);
    let transaction = Transaction::new().put(Rating { id, at: EpochMillis::new(now) }.put());
    sane_write!(transaction, &repository);
}

/// All windows of this length, with the smallest and the largest values of the other numbers.
fn time_windows_of(window_secs: u32) -> impl Iterator<Item = TimeWindow> {
    let skews = SMALL.into_iter().flat_map(|max_skew_secs| SMALL.map(|key_bytes| (max_skew_secs, key_bytes)));
    skews.flat_map(move |(max_skew_secs, key_bytes)| {
        SMALL.map(|body_bytes| TimeWindow { window_secs, max_skew_secs, key_bytes, body_bytes })
    })
}

/// Checks that the result of `ask` never falls while the rate rises.
fn time_windows(ask: impl Fn(TimeWindow, u64) -> u64) {
    for window in SMALL.into_iter().flat_map(time_windows_of) {
        assert!(NUMBERS.map(|rps| ask(window, rps)).is_sorted(), "{window:?}");
    }
}

fn count_windows(ask: impl Fn(CountWindow, u64) -> u64) {
    let sizes = SMALL.into_iter().flat_map(|keys| SMALL.map(|key_bytes| (keys, key_bytes)));
    for (keys, key_bytes) in sizes {
        for body_bytes in SMALL {
            let window = CountWindow { keys, key_bytes, body_bytes };
            assert!(NUMBERS.map(|rps| ask(window, rps)).is_sorted(), "{window:?}");
        }
    }
}
