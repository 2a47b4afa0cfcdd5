//! The way of many requests: beyond what one takes, and across whatever tables.
//!
//! `prepare` works out what each item is to be; `course` says, step by step, what is sent; `attempt` sends it, each item as a
//! `leg` that `place` places. What is sent, and what it says to others, is `crate::intent`'s. One try has one ticket. It is
//! decided by one write of its lane, and until then nothing of it shows. What has lost too often keeps others out first (`claim`).

mod alive;
mod attempt;
mod claim;
mod course;
mod finish;
mod leg;
mod made;
mod pages;
mod place;
mod prepare;
mod record;
mod told;

pub(super) use attempt::{Ended, LIMIT, Try};
pub(crate) use claim::{Claim, Wanted};
pub(super) use prepare::{Legs, RefusedBy, refusal};
