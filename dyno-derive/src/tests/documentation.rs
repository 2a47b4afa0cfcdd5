//! The words that an editor shows for generated code. `snapshots/documentation.txt` has them for some kinds of entities, so that
//! a reviewer reads them in a diff. `UPDATE_EXPECT=1` writes the file.

use super::{ENTITIES, docs};
use crate::derive::ENTITY;
use expect_test::expect_file;
use quote::ToTokens as _;
use std::fmt::Write as _;
use syn::{FnArg, ImplItem, Item, ItemStruct, Signature, Visibility};

/// The most characters of a first sentence: more does not fit an editor's list of completions.
const FIRST: usize = 100;

/// The entities whose documentation is in the file, by the rules that they show.
const KINDS: [(&str, &str); 14] = [
    ("User", "no rule"),
    ("Rating", "a ratchet of the whole item, a tombstone, a key of two fields"),
    ("Review", "ratchets of groups, a tombstone"),
    ("Session", "a TTL"),
    ("Cart", "a version"),
    ("Invoice", "a version, a history, a tombstone"),
    ("Document", "a version, an ordered history, a tombstone, a ratchet"),
    ("Account", "transactional"),
    ("Report", "a fence, a group, a tombstone"),
    ("Usage", "idempotency keys in the item"),
    ("Contract", "immutable fields, a tombstone"),
    ("Parcel", "indexes"),
    ("Article", "a vector index"),
    ("Customer", "unique values"),
];

/// An entity with an atomic history, which the other snapshots do not have.
const INVOICE: &str = r#"
    #[entity(table = "invoices")]
    #[tombstone(ttl_days = 30)]
    #[history_table]
    pub struct Invoice {
        #[partition_key]
        id: String,
        #[unique]
        number: u64,
        text: String,
        #[version]
        version: u64,
    }
"#;

/// Returns the structs of a file.
fn structs(text: &str) -> Vec<ItemStruct> {
    let items = syn::parse_file(text).expect("the input is Rust").items;
    let structs = items.into_iter().filter_map(|item| if let Item::Struct(item) = item { Some(item) } else { None });
    structs.collect()
}

/// Returns a call of the function, with the names of its parameters.
fn call(owner: &str, signature: &Signature) -> String {
    let mut receiver = format!("{owner}::");
    let mut names = Vec::new();
    for input in &signature.inputs {
        match input {
            FnArg::Receiver(_) => receiver = format!("{owner}."),
            FnArg::Typed(typed) => names.push(typed.pat.to_token_stream().to_string()),
        }
    }
    let names = names.join(", ").replace("( ", "(").replace(" )", ")").replace(" ,", ",").replace("mut ", "");
    format!("{receiver}{}({})", signature.ident, names.replace("__edit", "edit"))
}

/// Returns the public functions and handles that an entity generates, each with its documentation.
fn documented(entity: &ItemStruct) -> Vec<(String, String)> {
    let file = syn::parse2::<syn::File>(ENTITY.run(entity.to_token_stream())).expect("an expansion is items");
    let is_hidden = |attributes: &[syn::Attribute]| {
        attributes.iter().any(|attribute| attribute.to_token_stream().to_string().contains("hidden"))
    };
    let mut all = Vec::new();
    for item in file.items {
        match item {
            Item::Struct(item) if !is_hidden(&item.attrs) => {
                all.push((format!("struct {}", item.ident), docs(&item.attrs)));
                let fields = item.fields.iter().filter(|field| !docs(&field.attrs).is_empty());
                all.extend(fields.map(|field| {
                    let name = field.ident.as_ref().map_or_else(String::new, ToString::to_string);
                    (format!("{}.{name}", item.ident), docs(&field.attrs))
                }));
            }
            Item::Impl(block) if block.trait_.is_none() && !is_hidden(&block.attrs) => {
                let owner = block.self_ty.to_token_stream().to_string();
                let owner = owner.split(' ').next().unwrap_or_default();
                all.extend(block.items.iter().filter_map(|item| match item {
                    ImplItem::Fn(function) if matches!(function.vis, Visibility::Public(_)) => {
                        (!is_hidden(&function.attrs)).then(|| (call(owner, &function.sig), docs(&function.attrs)))
                    }
                    _ => None,
                }));
            }
            _ => {}
        }
    }
    all
}

#[test]
fn the_documentation_of_generated_code_is_as_recorded() {
    let entities = structs(&format!("{ENTITIES}{INVOICE}"));
    let mut text = "The documentation of generated functions and handles, as an editor shows it. A test writes it: UPDATE_EXPECT=1.\n"
        .to_owned();
    for (name, rules) in KINDS {
        let entity = entities.iter().find(|entity| entity.ident == name).expect("an entity");
        let _ = write!(text, "\n# {name}: {rules}\n");
        for (item, docs) in documented(entity) {
            let docs = docs
                .lines()
                .map(str::trim)
                .map(|line| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") });
            let _ = write!(text, "\n{item}\n{}", docs.collect::<String>());
        }
    }
    expect_file!["../../snapshots/documentation.txt"].assert_eq(&text);
}

#[test]
fn each_generated_item_has_a_first_sentence_that_stands_alone() {
    let mut functions = 0;
    for entity in structs(&format!("{ENTITIES}{INVOICE}")) {
        for (item, docs) in documented(&entity) {
            let docs = docs.trim_start();
            let first = docs.lines().next().unwrap_or_else(|| panic!("{item} has no documentation"));
            assert!(first.ends_with('.') && !first.contains(". "), "{item}: `{first}` is not one sentence");
            assert!(first.chars().count() <= FIRST, "{item}: `{first}` has more than {FIRST} characters");
            let second = docs.lines().nth(1).unwrap_or_default();
            assert_eq!(second, "", "{item}: the first sentence is no paragraph of its own");
            functions += usize::from(item.contains('('));
        }
    }
    assert!(functions > 300, "{functions} functions");
}
