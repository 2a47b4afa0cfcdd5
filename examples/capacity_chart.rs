//! Draws how long one item can remember idempotency keys: the longest window for each size of a key, at several rates, with
//! keys kept by time and by count.
//!
//! `cargo run --example capacity_chart` writes `capacity.svg`, or the file that you name.

#![allow(clippy::print_stdout, reason = "an example prints")]

use anyhow::{Result, anyhow};
use clap::Parser;
use dyno::capacity::{CountWindow, TimeWindow};
use plotters::prelude::*;
use std::path::PathBuf;

/// Draws the longest window of idempotency keys that one item can hold.
#[derive(Parser)]
struct Options {
    /// The file to write
    #[arg(default_value = "capacity.svg")]
    file: PathBuf,
    /// The largest difference between clocks, in seconds
    #[arg(long, default_value_t = 10)]
    skew: u32,
    /// The bytes of the item without its idempotency keys
    #[arg(long, default_value_t = 500)]
    body: u32,
}

const RATES: [u64; 4] = [1, 5, 20, 100];
const KEY_BYTES: [u32; 2] = [8, 128];

fn by_time(options: &Options, key_bytes: u32, rps: u64) -> f64 {
    let window = TimeWindow { window_secs: 1, max_skew_secs: options.skew, key_bytes, body_bytes: options.body };
    f64::from(window.longest_window_secs(rps))
}

fn by_count(options: &Options, key_bytes: u32, rps: u64) -> Result<f64> {
    let window = CountWindow { keys: 1, key_bytes, body_bytes: options.body };
    let keys = window.most_keys(rps);
    Ok(f64::from(keys) / f64::from(u32::try_from(rps)?))
}

fn main() -> Result<()> {
    let options = Options::parse();
    draw(&options).map_err(|error| anyhow!("{}: {error}", options.file.display()))?;
    println!("the longest window, in seconds:");
    println!("{:>10} {:>10} {:>12} {:>12}", "key bytes", "writes/s", "by time", "by count");
    for key_bytes in [8, 16, 32, 64, 128] {
        for rps in RATES {
            let count = by_count(&options, key_bytes, rps)?;
            println!("{key_bytes:>10} {rps:>10} {:>12.0} {count:>12.1}", by_time(&options, key_bytes, rps));
        }
    }
    println!("drawn in {}", options.file.display());
    Ok(())
}

fn draw(options: &Options) -> Result<()> {
    let root = SVGBackend::new(&options.file, (960, 620)).into_drawing_area();
    root.fill(&WHITE)?;
    let caption = "How long one item remembers idempotency keys";
    let mut chart = ChartBuilder::on(&root)
        .caption(caption, ("sans-serif", 22))
        .margin(16)
        .x_label_area_size(48)
        .y_label_area_size(72)
        .build_cartesian_2d(KEY_BYTES[0]..KEY_BYTES[1], (0.01f64..100_000.0).log_scale())?;
    chart
        .configure_mesh()
        .x_desc("bytes of a key")
        .y_desc("longest window, seconds")
        .axis_desc_style(("sans-serif", 15))
        .draw()?;
    for (index, rps) in RATES.into_iter().enumerate() {
        let color = Palette99::pick(index).to_rgba();
        let keys = KEY_BYTES[0]..=KEY_BYTES[1];
        let time = keys.clone().map(|key_bytes| (key_bytes, by_time(options, key_bytes, rps)));
        // A logarithmic scale has no zero.
        let time: Vec<_> = time.filter(|(_, window)| *window > 0.0).collect();
        if !time.is_empty() {
            let line = LineSeries::new(time, color.stroke_width(2));
            let legend = move |(x, y)| PathElement::new([(x, y), (x + 24, y)], color.stroke_width(2));
            chart.draw_series(line)?.label(format!("{rps}/s, by time")).legend(legend);
        }
        let count: Result<Vec<_>> = keys.map(|key_bytes| Ok((key_bytes, by_count(options, key_bytes, rps)?))).collect();
        let line = DashedLineSeries::new(count?, 6, 4, color.stroke_width(1));
        let legend = move |(x, y)| PathElement::new([(x, y), (x + 10, y)], color.stroke_width(1));
        chart.draw_series(line)?.label(format!("{rps}/s, by count")).legend(legend);
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerLeft)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.3))
        .label_font(("sans-serif", 12))
        .draw()?;
    root.present()?;
    Ok(())
}
