//! What the checker rejects, what it accepts, and whether a search through all orders agrees.

#![allow(clippy::print_stdout, reason = "how many histories of which kind were judged")]

mod agreement;
mod anomalies;
mod large_histories;
mod malformed;
mod mistakes;
mod notation;
mod orders;
mod recording;
mod shapes;
