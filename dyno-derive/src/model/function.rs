//! The functions that are generated for an entity, in one table: their parameters, their commands, and which entities have
//! them. No query of an index can have one of these names. `expand::commands` generates the functions from the table,
//! `expand::stub` their stubs, and `expand::docs` their documentation.

use super::{Capability, Entity};
use crate::given::here;
use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;

/// A function that makes a command.
pub(crate) struct Function {
    pub(crate) name: &'static str,
    pub(crate) command: Command,
    pub(crate) takes: &'static [Parameter],
    /// The entities that have the function.
    pub(crate) of: Of,
    /// The capabilities that a call needs. If the entity lacks one, the call is an error.
    pub(crate) needs: &'static [Capability],
}

/// The entities that have a function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    All,
    /// Those with a capability.
    With(Capability),
    /// Those with a sort key.
    WithSortKey,
}

impl Of {
    pub(crate) fn has(self, entity: &Entity) -> bool {
        match self {
            Self::All => true,
            Self::With(capability) => capability.is_of(entity),
            Self::WithSortKey => entity.key.sort.is_some(),
        }
    }
}

/// A command, by the name of the runtime's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Get,
    Check,
    BatchGet,
    Query,
    Scan,
    Put,
    Create,
    Replace,
    Undelete,
    Update,
    Delete,
    Purge,
    Modify,
    Revisions,
    GetRevision,
    Rollback,
    Restore,
    Repair,
}

/// Emits its name as a path segment.
impl ToTokens for Command {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        Ident::new(&format!("{self:?}"), here()).to_tokens(tokens);
    }
}

/// A parameter of a function, which passes it to the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parameter {
    Itself,
    Key,
    /// Several keys.
    Keys,
    Partition,
    /// The tokens of all ratchets.
    Tokens,
    /// The expected version, if the entity has versions.
    Version,
    /// The number of a revision.
    Number,
    Tombstone,
    /// A closure that changes the item.
    Edit,
}

/// The other generated functions: the handles, and the entity's own key.
const OTHERS: [&str; 2] = ["fields", "key"];

pub(crate) const FUNCTIONS: [Function; 18] = {
    use Parameter::{Edit, Itself, Key, Keys, Number, Partition, Tokens, Tombstone, Version};
    const fn function(name: &'static str, command: Command, takes: &'static [Parameter]) -> Function {
        Function { name, command, takes, of: Of::All, needs: &[] }
    }
    [
        function("get", Command::Get, &[Key]),
        function("check", Command::Check, &[Key]),
        function("batch_get", Command::BatchGet, &[Keys]),
        Function { of: Of::WithSortKey, ..function("query", Command::Query, &[Partition]) },
        function("scan", Command::Scan, &[]),
        Function { needs: &[Capability::Replaceable], ..function("put", Command::Put, &[Itself]) },
        function("create", Command::Create, &[Itself]),
        Function { needs: &[Capability::Replaceable], ..function("replace", Command::Replace, &[Itself]) },
        Function { of: Of::With(Capability::Tombstoned), ..function("undelete", Command::Undelete, &[Itself]) },
        Function {
            needs: &[Capability::WithoutHistory, Capability::Updatable],
            ..function("update", Command::Update, &[Key])
        },
        Function { needs: &[Capability::Deletable], ..function("delete", Command::Delete, &[Key, Tokens, Version]) },
        Function {
            of: Of::With(Capability::Tombstoned),
            needs: &[Capability::Purgeable],
            ..function("purge", Command::Purge, &[Tombstone])
        },
        Function { of: Of::With(Capability::Versioned), ..function("modify", Command::Modify, &[Key, Edit]) },
        Function { of: Of::With(Capability::WithHistory), ..function("revisions", Command::Revisions, &[Key]) },
        Function {
            of: Of::With(Capability::WithHistory),
            ..function("revision", Command::GetRevision, &[Key, Number])
        },
        Function {
            of: Of::With(Capability::WithHistory),
            ..function("rollback", Command::Rollback, &[Key, Number, Tokens])
        },
        Function { of: Of::With(Capability::WithHistory), ..function("restore", Command::Restore, &[Key, Tokens]) },
        Function { of: Of::With(Capability::WithHistory), ..function("repair", Command::Repair, &[Key]) },
    ]
};

impl Function {
    /// Returns whether a function of this name may be generated.
    pub(crate) fn is_one(name: &str) -> bool {
        OTHERS.contains(&name) || FUNCTIONS.iter().any(|function| function.name == name)
    }

    /// Returns the capability that the entity lacks for a call, if any.
    pub(crate) fn missing(&self, entity: &Entity) -> Option<Capability> {
        self.needs.iter().copied().find(|capability| !capability.is_of(entity))
    }
}
