//! How the caller asks for a transaction to be sent. `closure::choose_client_side` chooses where there is a choice.

use super::transaction_command::TransactionCommand;
use crate::error::Error;
use crate::exchange::row::transact::ACTIONS;
use crate::sorted;

/// How the caller asked for the transaction to be sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Strategy {
    /// Native if the transaction fits into one request, because that costs least; otherwise client-side.
    #[default]
    Auto,
    Native,
    #[cfg(feature = "transactions")]
    ClientSide,
    /// The caller asked for both, which is a mistake.
    Both,
}

impl Strategy {
    /// Combines two choices of the caller.
    pub(crate) fn and(self, other: Self) -> Self {
        if self == Self::Auto || self == other { other } else { Self::Both }
    }

    /// Refuses a transaction that is to be both.
    pub(crate) fn check(self) -> Result<(), Error> {
        if self != Self::Both {
            return Ok(());
        }
        Err(Error::invalid("the transaction is set to `native` and `client_side`: leave one of them out"))
    }
}

impl TransactionCommand {
    /// Refuses a transaction that is too large for one request but has entities that are not transactional.
    pub(crate) fn check_strategy(&self, strategy: Strategy) -> Result<(), Error> {
        strategy.check()?;
        if strategy == Strategy::Native || self.actions.len() <= ACTIONS || self.untransactional().is_empty() {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "the transaction has {} actions, but DynamoDB accepts at most {ACTIONS} in one, and `{}` is not transactional, which a larger one needs: add `#[transactional]`, or split the transaction if the parts make sense alone",
            self.actions.len(),
            self.untransactional().join("`, `"),
        )))
    }

    /// Returns the names of the entities that are not transactional.
    pub(crate) fn untransactional(&self) -> Vec<&'static str> {
        let schemas = self.actions.iter().map(|action| action.command.schema);
        sorted::names(schemas.filter(|schema| !schema.is_transactional).map(|schema| schema.entity))
    }
}
