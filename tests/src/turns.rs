//! Ratios of times within one run, for benches.
//!
//! The subjects take turns, so that a busy phase of the machine affects all of them. A ratio is the median over the turns,
//! with its middle half. All ratios are relative to the first subject. The second subject is the same code again: if its
//! ratio is not near 1, the machine is too busy for reliable ratios.

#![allow(clippy::print_stdout, reason = "a bench prints")]

use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

/// Outside this range, the first two subjects, which are the same code, differ too much in speed.
const BELIEVED: RangeInclusive<f64> = 0.97..=1.03;

/// The name of a subject, and the code that is timed.
pub type Subject<'a> = (&'a str, &'a dyn Fn());

/// Times two or more subjects in turns for about this duration, and prints the time of each as a ratio to that of the first.
pub fn print_ratios(subjects: &[Subject<'_>], duration: Duration) {
    let times = turns(subjects, duration);
    let (measure, _) = subjects[0];
    for (at, (subject, _)) in subjects.iter().enumerate().skip(1) {
        let mut ratios: Vec<_> = times[0].iter().zip(&times[at]).map(|(measure, time)| time / measure).collect();
        ratios.sort_by(f64::total_cmp);
        let quantile = |part: usize| ratios[(ratios.len() - 1) * part / 4];
        let (low, median, high) = (quantile(1), quantile(2), quantile(3));
        println!("  {subject} / {measure}: {median:.3} (middle half {low:.3} to {high:.3}, {} turns)", ratios.len());
        if at == 1 && !BELIEVED.contains(&median) {
            println!("  The machine is too busy: do not believe these ratios.");
        }
    }
}

/// The seconds of each subject in each turn.
fn turns(subjects: &[Subject<'_>], duration: Duration) -> Vec<Vec<f64>> {
    let time = |run: &dyn Fn(), times: u32| {
        let start = Instant::now();
        (0..times).for_each(|_| run());
        start.elapsed().as_secs_f64()
    };
    for (_, run) in subjects {
        time(run, 3);
    }
    // A turn takes a few milliseconds at least.
    let once = time(subjects[0].1, 3) / 3.0;
    let mut calls = 1;
    while once * f64::from(calls) < 0.004 {
        calls *= 2;
    }
    let mut times = vec![Vec::new(); subjects.len()];
    let start = Instant::now();
    let mut turn = 0;
    while start.elapsed() < duration {
        for at in 0..subjects.len() {
            let at = (at + turn) % subjects.len();
            times[at].push(time(subjects[at].1, calls));
        }
        turn += 1;
    }
    times
}
