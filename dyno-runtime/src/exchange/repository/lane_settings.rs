//! The settings of client-side transactions.

use crate::error::Error;
use crate::exchange::Repository;
use crate::schema::check_table_name;
use std::sync::Arc;
use std::time::Duration;

#[derive(Clone)]
pub(in crate::exchange) struct LaneSettings {
    /// The name of the lane table, if it is not the default.
    table: Option<String>,
    /// The largest number of lanes.
    most: u32,
    lock_timeout: Duration,
}

impl Default for LaneSettings {
    fn default() -> Self {
        Self { table: None, most: 4096, lock_timeout: Duration::from_secs(5) }
    }
}

/// The default name of the lane table, which follows the prefix.
const LANE_TABLE: &str = "dyno-lanes";

impl Repository {
    /// Sets the name of the lane table, to which no prefix is added. The lane table holds the transaction records of client-side
    /// transactions, which say whether each was committed. By default its name is the prefix and `dyno-lanes`.
    ///
    /// All programs that write the same items must use the same lane table. All programs that use the same lane table must mean
    /// the same tables by the same names, because lane rows name items by their tables.
    #[must_use]
    pub fn with_lane_table(mut self, name: impl Into<String>) -> Self {
        Arc::make_mut(&mut self.settings).lanes.table = Some(name.into());
        self
    }

    /// Sets the largest number of lanes; the default is 4096. Each client-side transaction in progress uses one lane.
    #[must_use]
    pub fn with_lanes(mut self, lanes: u32) -> Self {
        Arc::make_mut(&mut self.settings).lanes.most = lanes;
        self
    }

    /// Sets how long a command waits for a client-side transaction that holds an item and shows no sign of life; the default is 5
    /// seconds. After that, the command aborts the transaction. This is always safe: if the process of the transaction is still
    /// alive, the transaction begins again. The closure of a transaction that has lost three attempts keeps other writers out for
    /// at most 6 times as long.
    #[must_use]
    pub fn with_lock_timeout(mut self, lock_timeout: Duration) -> Self {
        Arc::make_mut(&mut self.settings).lanes.lock_timeout = lock_timeout;
        self
    }

    /// Returns the name of the lane table.
    pub(crate) fn lane_table(&self) -> Result<String, Error> {
        let settings = &self.settings;
        let name = settings.lanes.table.clone().unwrap_or_else(|| [&settings.prefix, LANE_TABLE].concat());
        check_table_name(&name)?;
        Ok(name)
    }

    /// Returns the largest number of lanes.
    pub(crate) fn lanes(&self) -> u32 {
        self.settings.lanes.most
    }

    /// Returns how long a command waits for a transaction that shows no sign of life.
    pub(crate) fn lock_timeout(&self) -> Duration {
        self.settings.lanes.lock_timeout
    }
}
