//! The tables of `docs/combinations.md`: each attribute with each other one, and with each command. `UPDATE_EXPECT=1` writes them.
//!
//! Each cell is an entity that the derive has read. A pair is possible if the derive reports no mistake; a call is possible if
//! the entity has the function, with the capabilities that a call needs. The documentation of a generated function names its
//! requests, and `tests/hygiene/documentation.rs` compares it with what is sent.

use super::messages;
use crate::derive::ENTITY;
use crate::diag::Diagnostics;
use crate::model::{Capability, Entity, FUNCTIONS, Function, Of};
use proc_macro2::TokenStream;
use std::fmt::Write as _;
use std::fs;
use syn::{ImplItem, Item};

/// An attribute in one of its forms.
struct Rule {
    label: &'static str,
    /// Forms of one word exclude each other.
    word: &'static str,
    entity: &'static str,
    container: &'static str,
    field: &'static str,
    /// The words without which the attribute does not compile.
    needs: &'static [&'static str],
}

const fn rule(label: &'static str, word: &'static str, container: &'static str, field: &'static str) -> Rule {
    Rule { label, word, entity: "", container, field, needs: &[] }
}

const VERSION: Rule = rule("`version`", "version", "", "#[version] version: u64,");
const TOMBSTONE: Rule = rule("`tombstone`", "tombstone", "#[tombstone(ttl_days = 7)]", "");
const SORT_KEY: Rule = rule("`sort_key`", "sort_key", "", "#[sort_key] part: String,");

const RULES: [Rule; 26] = [
    SORT_KEY,
    rule("key `template`", "partition_key", "#[partition_key(name = \"PK\", template = \"Item#{id}\")]", ""),
    Rule { entity: "type_name = \"item\",", ..rule("`type_name`", "type_name", "", "") },
    Rule { entity: "schema_version = 1,", ..rule("`schema_version`", "schema_version", "", "") },
    rule("`rest`", "rest", "", "#[attribute(rest)] rest: Item,"),
    rule("`immutable`", "immutable", "", "#[attribute(immutable)] origin: String,"),
    rule("`ratchet`", "ratchet", "", "#[ratchet] at: EpochMillis,"),
    rule("`ratchet(guards(…))`", "ratchet", "", "#[ratchet(guards(GUARDED))] at: EpochMillis,"),
    rule("`ratchet(strict)`", "ratchet", "", "#[ratchet(strict)] at: EpochMillis,"),
    rule("`fence`", "fence", "", "#[fence] epoch: u64,"),
    TOMBSTONE,
    rule("`ttl`", "ttl", "", "#[ttl] expires: Option<EpochSeconds>,"),
    rule("`created`", "created", "", "#[created] made: EpochMillis,"),
    rule("`updated`", "updated", "", "#[updated] changed: EpochMillis,"),
    VERSION,
    rule("`version(write_id = false)`", "version", "", "#[version(write_id = false)] version: u64,"),
    Rule { needs: &["version"], ..rule("`history_table`", "history", "#[history_table]", "") },
    Rule {
        needs: &["version", "sort_key"],
        ..rule("`history_table(layout = \"same_table\")`", "history", "#[history_table(layout = \"same_table\")]", "")
    },
    Rule {
        needs: &["version", "tombstone"],
        ..rule("`history_table(mode = \"ordered\")`", "history", "#[history_table(mode = \"ordered\")]", "")
    },
    rule("`idempotency(window_secs = …)`", "idempotency", "#[idempotency(window_secs = 300)]", ""),
    rule("`idempotency(keys = …)`", "idempotency", "#[idempotency(keys = 100)]", ""),
    rule(
        "`idempotency(store = \"row\")`",
        "idempotency",
        "#[idempotency(store = \"row\", table = \"keys\", window_secs = 300)]",
        "",
    ),
    Rule { needs: &["version", "tombstone"], ..rule("`transactional`", "transactional", "#[transactional]", "") },
    rule("`unique`", "unique", "", "#[unique] email: String,"),
    rule("`index`", "index", "#[index(name = \"by_name\", partition = name)]", ""),
    rule(
        "`index(vector = …, of(…))`",
        "vector",
        "#[index(name = \"similar\", vector = embedding, of(name))]",
        "embedding: Option<[f32; 2]>,",
    ),
];

/// Calls that are no generated functions: the function that comes first, if it is not there for all entities, and the
/// capability that the call's bound asks for.
const CALLS: [(&str, Option<&str>, Capability); 8] = [
    ("`.include_deleted()`", None, Capability::MayExpire),
    ("`.fenced(…)`", None, Capability::Fenced),
    ("`.hedge(…)` of `put`", Some("put"), Capability::Hedgeable),
    ("`.hedge(…)` of `update`", Some("update"), Capability::HedgeableUpdate),
    ("`.idempotency_key(…)` of `update`", Some("update"), Capability::Idempotent),
    ("`get_by_…(value)`", None, Capability::WithUniqueValues),
    ("`BatchWrite`", None, Capability::Batchable),
    ("`Transaction::interactive`", None, Capability::Transactional),
];

/// Returns an entity with these attributes, and those that they need.
fn entity(rules: &[&'static Rule]) -> TokenStream {
    let mut all = rules.to_vec();
    for word in rules.iter().flat_map(|rule| rule.needs) {
        let is_missing = all.iter().all(|rule| rule.word != *word);
        all.extend(RULES.iter().find(|rule| rule.word == *word).filter(|_| is_missing));
    }
    let text = |part: fn(&Rule) -> &'static str| all.iter().map(|rule| part(rule)).collect::<String>();
    let key = if all.iter().any(|rule| rule.word == "partition_key") { "" } else { "#[partition_key]" };
    let (keys, container, fields) = (text(|rule| rule.entity), text(|rule| rule.container), text(|rule| rule.field));
    let code = format!(
        "#[entity(table = \"items\", {keys})] {container} struct X {{ {key} id: String, name: String, {fields} }}"
    );
    let with = |guarded: &str| -> TokenStream { code.replace("GUARDED", guarded).parse().expect("Rust") };
    // A group guards every field that needs a ratchet: the derive names them.
    let unguarded = |message: String| {
        let (field, _) = message.strip_prefix("no ratchet guards the field `")?.split_once('`')?;
        Some(field.to_owned())
    };
    let others: Vec<String> = messages(with("name")).into_iter().filter_map(unguarded).collect();
    with(&others.iter().fold("name".to_owned(), |guarded, other| format!("{guarded}, {other}")))
}

/// Returns the model of an entity without mistakes, and the documentation of each generated function.
fn generated(rules: &[&'static Rule]) -> (Entity, Vec<(String, String)>) {
    let mut diag = Diagnostics::default();
    let (_, model) = ENTITY.model(&syn::parse2(entity(rules)).expect("a struct"), &mut diag);
    assert_eq!(diag.messages(), [""; 0], "an attribute with all that it needs");
    let file = syn::parse2::<syn::File>(ENTITY.run(entity(rules))).expect("items");
    let impls = file.items.into_iter().filter_map(|item| match item {
        Item::Impl(block) if block.trait_.is_none() => Some(block.items),
        _ => None,
    });
    let documented = impls.flatten().filter_map(|item| match item {
        ImplItem::Fn(function) => Some((function.sig.ident.to_string(), super::docs(&function.attrs))),
        _ => None,
    });
    (model.expect("a model"), documented.filter(|(_, docs)| !docs.is_empty()).collect())
}

/// The reasons below a table, each once.
#[derive(Default)]
struct Reasons(Vec<String>);

impl Reasons {
    /// Returns the cell that refers to this reason.
    fn cell(&mut self, reason: String) -> String {
        let place = self.0.iter().position(|known| *known == reason).unwrap_or_else(|| {
            self.0.push(reason);
            self.0.len() - 1
        });
        format!("no ({})", place + 1)
    }

    fn list(&self) -> String {
        let lines = self.0.iter().enumerate().map(|(index, reason)| format!("{}. {reason}\n", index + 1));
        lines.collect::<Vec<_>>().concat()
    }
}

/// Writes the head of a table whose columns are the attributes by number.
fn head(first: &str, before: &str) -> String {
    let numbers: Vec<String> = (1..=RULES.len()).map(|number| format!(" {number} |")).collect();
    let columns = RULES.len() + before.matches('|').count();
    format!("| {first} |{before}{}\n|---|{}\n", numbers.concat(), "---|".repeat(columns))
}

fn attributes() -> String {
    let mut reasons = Reasons::default();
    let mut table = head("Attribute", "");
    for (number, row) in RULES.iter().enumerate() {
        let _ = write!(table, "| {}. {} |", number + 1, row.label);
        for column in &RULES {
            let cell = if row.word == column.word {
                "–".to_owned()
            } else {
                let found = messages(entity(&[row, column]));
                let reversed = messages(entity(&[column, row]));
                assert_eq!(found.is_empty(), reversed.is_empty(), "{} and {}", row.label, column.label);
                match found.first() {
                    None => "yes".to_owned(),
                    Some(_) => reasons.cell(found.join("; ").replace('\n', "; ")),
                }
            };
            let _ = write!(table, " {cell} |");
        }
        table.push('\n');
    }
    format!("{table}\n{}", reasons.list())
}

/// Returns the compiler's message where a capability is missing.
fn missing(capability: Capability) -> String {
    let source = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../dyno-runtime/src/entity/capability.rs"));
    let source = source.expect("the traits");
    let name = format!("pub trait {capability:?}");
    let (before, _) = source.lines().fold((String::new(), false), |(message, is_done), line| {
        let found = line.trim().strip_prefix("message = \"").and_then(|line| line.strip_suffix("\","));
        let is_trait = line.strip_prefix(&name).is_some_and(|rest| rest.starts_with([' ', ':']));
        (found.filter(|_| !is_done).map_or(message, |found| found.replace("{Self}", "X")), is_done || is_trait)
    });
    before
}

/// Returns the number of requests, as the documentation of a function describes it.
fn requests(docs: &str) -> &'static str {
    const NAMES: [&str; 8] = [
        "`GetItem`",
        "`Query`",
        "`Scan`",
        "`BatchGetItem`",
        "`PutItem`",
        "`UpdateItem`",
        "`DeleteItem`",
        "`ConditionCheck`",
    ];
    // The first paragraph is about the effect, and one is about the answers.
    let docs: Vec<&str> = docs.split("\n\n").skip(1).filter(|text| !text.contains("If the answer is lost")).collect();
    let docs = docs.join("\n\n");
    let named: usize = NAMES.iter().map(|name| docs.matches(name).count()).sum();
    let in_one = docs.contains("`TransactWriteItems`");
    let is_sometimes = ["first", "follows", "If it sets", "once more", ".idempotency_key"];
    match named {
        _ if docs.contains("for each attempt") || docs.contains("if the ") || docs.contains("those of `put`") => "more",
        _ if is_sometimes.iter().any(|word| docs.contains(word)) => "more",
        1 => "1",
        _ if in_one => "T",
        _ => "more",
    }
}

fn commands() -> String {
    let mut reasons = Reasons::default();
    let mut table = head("Command", " none |");
    let none = generated(&[]);
    let all: Vec<_> = std::iter::once(none).chain(RULES.iter().map(|rule| generated(&[rule]))).collect();
    for function in &FUNCTIONS {
        let _ = write!(table, "| `{}` |", function.name);
        for (entity, documented) in &all {
            let cell = match absent(function, entity) {
                Some(reason) => reasons.cell(reason),
                None => {
                    // The update of a group is the function of its ratchet.
                    let is_group = entity.is_grouped() && function.name == "update";
                    let name = if is_group { "at" } else { function.name };
                    let docs = documented.iter().find(|(known, _)| known == name);
                    requests(&docs.expect("a generated function").1).to_owned()
                }
            };
            let _ = write!(table, " {cell} |");
        }
        table.push('\n');
    }
    for (call, function, capability) in CALLS {
        let _ = write!(table, "| {call} |");
        for (entity, _) in &all {
            let function = FUNCTIONS.iter().find(|known| Some(known.name) == function);
            let lacks = (!capability.is_of(entity)).then(|| missing(capability));
            let reason = function.and_then(|function| absent(function, entity)).or(lacks);
            let cell = reason.map_or_else(|| "yes".to_owned(), |reason| reasons.cell(reason));
            let _ = write!(table, " {cell} |");
        }
        table.push('\n');
    }
    format!("{table}\n{}", reasons.list())
}

/// Returns why a call of the function does not compile, if it does not.
fn absent(function: &Function, entity: &Entity) -> Option<String> {
    match (function.of, function.missing(entity)) {
        (of, None) if of.has(entity) => None,
        (of, Some(capability)) if of.has(entity) => Some(missing(capability)),
        (Of::With(capability), _) => Some(missing(capability)),
        (Of::All | Of::WithSortKey, _) => Some("`X` has no sort key".to_owned()),
    }
}

#[test]
fn the_page_of_combinations_says_what_compiles() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/combinations.md");
    let mut page = fs::read_to_string(path).expect("the page");
    for (name, table) in [("attributes", attributes()), ("commands", commands())] {
        let begin = format!("<!-- {name}, written by a test: UPDATE_EXPECT=1 -->\n");
        let (before, rest) = page.split_once(&begin).expect("the beginning of a table");
        let (_, after) = rest.split_once("<!-- end -->\n").expect("the end of a table");
        page = format!("{before}{begin}{table}<!-- end -->\n{after}");
    }
    expect_test::expect_file![path].assert_eq(&page);
}
