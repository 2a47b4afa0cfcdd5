//! The way of many requests: beyond what one takes, and across whatever tables.
//!
//! `prepare` works out what each item is to be; `course` says, step by step, what is sent; `attempt` sends it, each item as a
//! `leg` that `place` places. What is sent, and what it says to others, is `crate::intent`'s. One try has one ticket. It is
//! decided by one write of its lane, and until then nothing of it shows.

mod attempt;
mod course;
mod leg;
mod place;
mod prepare;

pub(super) use attempt::{Ended, Try};
pub(super) use leg::Leg;
pub(super) use prepare::{Legs, check_kind, refusal};
