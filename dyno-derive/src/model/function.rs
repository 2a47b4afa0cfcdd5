//! The functions that are generated for an entity, in one table: their parameters, their commands, and which entities have
//! them. No query of an index can have one of these names. `expand::commands` generates the functions from the table,
//! `expand::stub` their stubs, and `expand::docs` their documentation.

use super::{Capability, Entity};
use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;

/// A function that makes a command.
pub(crate) struct Function {
    pub(crate) name: &'static str,
    pub(crate) command: Command,
    pub(crate) takes: &'static [Parameter],
    /// Returns whether an entity has the function.
    pub(crate) exists: fn(&Entity) -> bool,
    /// The capabilities that a call needs. If the entity lacks one, the call is an error.
    pub(crate) needs: &'static [Capability],
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
    Repair,
}

/// Emits its name as a path segment.
impl ToTokens for Command {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        Ident::new(&format!("{self:?}"), Span::call_site()).to_tokens(tokens);
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

pub(crate) const FUNCTIONS: [Function; 17] = {
    use Parameter::{Edit, Itself, Key, Keys, Number, Partition, Tokens, Tombstone, Version};
    const fn function(name: &'static str, command: Command, takes: &'static [Parameter]) -> Function {
        Function { name, command, takes, exists: |_| true, needs: &[] }
    }
    [
        function("get", Command::Get, &[Key]),
        function("check", Command::Check, &[Key]),
        function("batch_get", Command::BatchGet, &[Keys]),
        Function { exists: |entity| entity.key.sort.is_some(), ..function("query", Command::Query, &[Partition]) },
        function("scan", Command::Scan, &[]),
        Function { needs: &[Capability::Replaceable], ..function("put", Command::Put, &[Itself]) },
        function("create", Command::Create, &[Itself]),
        Function { needs: &[Capability::Replaceable], ..function("replace", Command::Replace, &[Itself]) },
        Function { exists: has_tombstone, ..function("undelete", Command::Undelete, &[Itself]) },
        Function {
            needs: &[Capability::WithoutHistory, Capability::Updatable],
            ..function("update", Command::Update, &[Key])
        },
        Function { needs: &[Capability::Deletable], ..function("delete", Command::Delete, &[Key, Tokens, Version]) },
        Function {
            exists: has_tombstone,
            needs: &[Capability::Purgeable],
            ..function("purge", Command::Purge, &[Tombstone])
        },
        Function { exists: |entity| entity.version.is_some(), ..function("modify", Command::Modify, &[Key, Edit]) },
        Function { exists: has_history, ..function("revisions", Command::Revisions, &[Key]) },
        Function { exists: has_history, ..function("revision", Command::GetRevision, &[Key, Number]) },
        Function { exists: has_history, ..function("rollback", Command::Rollback, &[Key, Number, Tokens]) },
        Function { exists: has_history, ..function("repair", Command::Repair, &[Key]) },
    ]
};

fn has_tombstone(entity: &Entity) -> bool {
    entity.tombstone.is_some()
}

fn has_history(entity: &Entity) -> bool {
    entity.history.is_some()
}

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
