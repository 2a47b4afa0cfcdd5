//! Tests of the derive as a function from tokens to tokens: snapshots of its expansions, and its messages about mistakes.
//!
//! `scripts/bless` rewrites the snapshots.

mod combinations;
mod documentation;

use crate::attr::{ContainerAttrs, FieldAttrs, Words as _};
use crate::derive::{DOCUMENT, ENTITY};
use crate::diag::Diagnostics;
use expect_test::expect_file;
use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};
use syn::Item;

const ENTITIES: &str = include_str!("../snapshots/entities.rs");

fn formatted(tokens: TokenStream) -> String {
    let file = syn::parse2(tokens).expect("an expansion is items");
    prettyplease::unparse(&file)
}

/// Returns the expansion of the entity with this name in the snapshots' input.
fn expanded(name: &str) -> String {
    let file = syn::parse_file(ENTITIES).expect("the input is Rust");
    let entity = file.items.into_iter().find_map(|item| match item {
        Item::Struct(entity) if entity.ident == name => Some(entity),
        _ => None,
    });
    formatted(ENTITY.run(entity.expect("an entity").into_token_stream()))
}

#[test]
fn entity_expansions_match_their_snapshots() {
    expect_file!["../snapshots/expanded/user.rs"].assert_eq(&expanded("User"));
    expect_file!["../snapshots/expanded/rating.rs"].assert_eq(&expanded("Rating"));
    expect_file!["../snapshots/expanded/lease.rs"].assert_eq(&expanded("Lease"));
    expect_file!["../snapshots/expanded/review.rs"].assert_eq(&expanded("Review"));
    expect_file!["../snapshots/expanded/session.rs"].assert_eq(&expanded("Session"));
    expect_file!["../snapshots/expanded/note.rs"].assert_eq(&expanded("Note"));
    expect_file!["../snapshots/expanded/cart.rs"].assert_eq(&expanded("Cart"));
    expect_file!["../snapshots/expanded/document.rs"].assert_eq(&expanded("Document"));
    expect_file!["../snapshots/expanded/order.rs"].assert_eq(&expanded("Order"));
    expect_file!["../snapshots/expanded/profile.rs"].assert_eq(&expanded("Profile"));
    expect_file!["../snapshots/expanded/usage.rs"].assert_eq(&expanded("Usage"));
    expect_file!["../snapshots/expanded/parcel.rs"].assert_eq(&expanded("Parcel"));
    expect_file!["../snapshots/expanded/ticket.rs"].assert_eq(&expanded("Ticket"));
    expect_file!["../snapshots/expanded/agent.rs"].assert_eq(&expanded("Agent"));
    expect_file!["../snapshots/expanded/report.rs"].assert_eq(&expanded("Report"));
    expect_file!["../snapshots/expanded/account.rs"].assert_eq(&expanded("Account"));
    expect_file!["../snapshots/expanded/contract.rs"].assert_eq(&expanded("Contract"));
    expect_file!["../snapshots/expanded/part.rs"].assert_eq(&expanded("Part"));
    expect_file!["../snapshots/expanded/vote.rs"].assert_eq(&expanded("Vote"));
    expect_file!["../snapshots/expanded/article.rs"].assert_eq(&expanded("Article"));
    expect_file!["../snapshots/expanded/customer.rs"].assert_eq(&expanded("Customer"));
}

/// Returns the page of the derive, as `lib.rs` assembles it.
fn reference() -> String {
    let files = include_str!("lib.rs").lines().filter_map(|line| {
        let file = line.strip_prefix("#[doc = include_str!(\"")?.strip_suffix("\")]")?;
        Some(format!("{}/src/{file}", env!("CARGO_MANIFEST_DIR")))
    });
    files.map(|file| std::fs::read_to_string(file).expect("a part of the page")).collect()
}

#[test]
fn every_attribute_has_a_reference_section_with_code() {
    let page = reference();
    let sections: Vec<&str> = page.split("\n# `").skip(1).collect();
    for (attribute, keys) in ContainerAttrs::declared().into_iter().chain(FieldAttrs::declared()) {
        let is_of =
            |section: &&&str| section.lines().next().is_some_and(|head| head.contains(&format!("#[{attribute}]`")));
        let section = sections.iter().find(is_of).unwrap_or_else(|| panic!("no section says what `{attribute}` is"));
        let (prose, code): (Vec<_>, Vec<_>) = section.split("\n```").enumerate().partition(|(part, _)| part % 2 == 0);
        let has = |parts: &[(usize, &str)], text: &str| parts.iter().any(|(_, part)| part.contains(text));
        assert!(has(&code, &format!("#[{attribute}")), "no code has `#[{attribute}]`");
        for key in keys {
            let used = [",", ")", " =", "("].iter().any(|end| has(&code, &format!("{key}{end}")));
            assert!(used, "no code says `{key}` in `#[{attribute}]`");
            assert!(
                has(&prose, &format!("`{key}`")) || has(&prose, &format!("`{key} =")),
                "nothing says what `{key}` is in `#[{attribute}]`"
            );
        }
    }
}

#[test]
fn a_plain_entity_of_five_fields_expands_to_at_most_300_lines() {
    let lines = expanded("User").lines().count();
    assert!(lines <= 300, "{lines} lines");
}

#[test]
fn only_a_tombstone_with_a_rule_is_documented_to_refuse_late_writes() {
    let documented = |rule: TokenStream| {
        formatted(ENTITY.run(quote! {
            #[tombstone(ttl_days = 7)]
            struct Note {
                #[partition_key]
                id: String,
                #rule
                at: u64,
            }
        }))
    };
    let plain = documented(TokenStream::new());
    assert!(
        plain.contains("A late put or create brings the item back, because without a ratchet or a version"),
        "{plain}"
    );
    for rule in [quote!(#[ratchet]), quote!(#[version]), quote!(#[fence])] {
        let ruled = documented(rule);
        assert!(!ruled.contains("because without a ratchet"), "{ruled}");
    }
}

#[test]
fn document_expansions_match_their_snapshot() {
    let structure = quote! {
        #[document(rename_all = "camelCase")]
        struct Address<T> {
            street_name: String,
            #[attribute(default = "Vec::new")]
            notes: Vec<T>,
            #[attribute(skip)]
            cached: bool,
            #[attribute(rest)]
            others: Item,
        }
    };
    let newtype = quote!(
        struct OrderId(u64);
    );
    let untagged = quote! {
        enum Payment {
            Cash,
            Voucher(u32),
            Card { number: String, item: Option<u8> },
        }
    };
    let tagged = quote! {
        #[document(tag = "type")]
        enum Event {
            Opened,
            Moved(Address),
            Renamed { to: String },
        }
    };
    let all = [structure, newtype, untagged, tagged].map(|document| DOCUMENT.run(document));
    expect_file!["../snapshots/expanded/documents.rs"].assert_eq(&formatted(quote!(#(#all)*)));
}

#[test]
fn expansions_name_only_the_configured_crate() {
    let expansion = ENTITY.run(quote! {
        #[entity(table = "notes", crate = "::renamed")]
        #[tombstone(ttl_days = 7)]
        struct Note {
            #[partition_key]
            id: String,
            #[attribute(serde)]
            body: Body,
            #[ratchet(guards(body), tiebreak = "writer")]
            at: u64,
            writer: u8,
        }
    });
    let mistaken = ENTITY.run(quote! {
        #[entity(crate = "::renamed")]
        struct Note {
            id: String,
        }
    });
    let document = DOCUMENT.run(quote! {
        #[document(crate = "::renamed")]
        struct Body(String);
    });
    for expansion in [expansion, mistaken, document] {
        let text = formatted(expansion);
        assert!(text.contains("::renamed::") && !text.contains("::dyno::"), "{text}");
    }
}

/// Returns the lines of documentation among attributes.
fn docs(attributes: &[syn::Attribute]) -> String {
    let texts =
        attributes.iter().filter(|attribute| attribute.path().is_ident("doc")).filter_map(|attribute| match &attribute
            .meta
            .require_name_value()
            .ok()?
            .value
        {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value() + "\n"),
            _ => None,
        });
    texts.collect()
}

/// Returns the derive's messages about an entity.
fn messages(entity: TokenStream) -> Vec<String> {
    let mut diag = Diagnostics::default();
    let _model = ENTITY.model(&syn::parse2(entity).expect("a type"), &mut diag);
    diag.messages()
}

#[test]
fn a_valid_entity_has_no_errors() {
    let file = syn::parse_file(ENTITIES).expect("the input is Rust");
    for item in file.items {
        assert_eq!(messages(item.into_token_stream()), [""; 0]);
    }
}

#[test]
fn every_mistake_of_an_entity_is_reported_at_once() {
    let messages = messages(quote! {
        #[entity(tabel = "ratings", rename_all = "Pascalcase")]
        #[sort_key(name = "SK", template = "Movie#{movie}")]
        #[tombstone(ttl_days = 0, deleted = "gone", ttl = "gone")]
        struct Rating {
            #[partition_key]
            user_id: Option<String>,
            movie_id: String,
            #[ratchet(guard(movie_id))]
            timestamp: EpochMillis,
            #[ratchet]
            other: EpochMillis,
            #[ttl]
            #[attribute(with = "x")]
            first: EpochSeconds,
        }
    });
    let firsts: Vec<&str> = messages.iter().filter_map(|message| message.lines().next()).collect();
    assert_eq!(
        firsts,
        [
            "unknown key `tabel` in `#[entity]`",
            "unknown key `guard` in `#[ratchet]`",
            "unknown rename rule `Pascalcase`",
            "the key field `user_id` is optional",
            "the template names `movie`, which is not a field",
            "a tombstone that is kept for 0 days protects nothing",
        ]
    );
}

#[test]
fn an_empty_key_attribute_is_reported() {
    for key in [quote!(#[partition_key]), quote!(#[partition_key()])] {
        let messages = messages(quote! {
            #key
            struct Rating {
                user_id: String,
            }
        });
        let firsts: Vec<&str> = messages.iter().filter_map(|message| message.lines().next()).collect();
        assert_eq!(firsts, ["`#[partition_key]` on the struct needs a template"]);
    }
}

#[test]
fn a_misspelled_key_is_not_also_reported_as_missing() {
    let messages = messages(quote! {
        #[entity(schema_version = 2, upgrad = "bring_up")]
        struct Rating {
            #[partition_key]
            user_id: String,
        }
    });
    assert_eq!(messages, ["unknown key `upgrad` in `#[entity]`\nhelp: did you mean `upgrade`?"]);
}
