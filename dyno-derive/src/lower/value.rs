//! Single values: words from a list, numbers with a minimum, names of fields, and required values.

use super::field::FieldInput;
use crate::attr::Slot;
use crate::diag::{Diagnostics, Problem};
use crate::given::{Given, Word};
use proc_macro2::Span;
use syn::{LitInt, LitStr};

/// Returns a required value, or reports that it is missing.
pub(super) fn required<'a, T>(
    slot: &'a Slot<T>,
    key: &str,
    attribute: &str,
    span: Span,
    example: &str,
    diag: &mut Diagnostics,
) -> Option<&'a T> {
    if !slot.is_set() {
        let equals = if example.starts_with('(') { "" } else { " = " };
        diag.push(
            Problem::new(span, format!("`#[{attribute}]` has no `{key}`"))
                .help(format!("add `{key}{equals}{example}`")),
        );
    }
    slot.get().map(|set| &set.value)
}

/// Returns the given text.
pub(super) fn word(slot: &Slot<LitStr>) -> Option<Word> {
    slot.get().map(|text| literal(&text.value))
}

/// Returns the given text, or its default.
pub(super) fn word_or(slot: &Slot<LitStr>, default: impl FnOnce() -> String, span: Span) -> Word {
    word(slot).unwrap_or_else(|| Given::new(default(), span))
}

pub(super) fn literal(text: &LitStr) -> Word {
    Given::new(text.value(), text.span())
}

/// Returns one of a few words; the first is the default.
pub(super) fn chosen<T: Copy>(
    slot: &Slot<LitStr>,
    key: &str,
    choices: &[(&str, T)],
    span: Span,
    diag: &mut Diagnostics,
) -> Given<T> {
    let default = choices[0].1;
    let Some(word) = word(slot) else {
        return Given::new(default, span);
    };
    let chosen = choices.iter().find(|(name, _)| *name == *word);
    let value = chosen.map_or_else(
        || {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            let message = format!("unknown {key} `{word}`");
            diag.push(Problem::new(word.span, message).suggest(&word, &names));
            default
        },
        |(_, value)| *value,
    );
    Given::new(value, word.span)
}

/// Returns a whole number of at least `least`, or the default after a mistake.
pub(super) fn at_least(number: &LitInt, name: &str, least: u32, default: u32, diag: &mut Diagnostics) -> Given<u32> {
    let value = match number.base10_parse::<u32>() {
        Ok(number) if number >= least => number,
        _ => {
            diag.push(
                Problem::new(number.span(), format!("`{name}` is a whole number, at least {least}"))
                    .help(format!("write `{name} = {default}`")),
            );
            default
        }
    };
    Given::new(value, number.span())
}

/// Returns the field of this name. In the message, `who` is the attribute that names the field.
pub(super) fn find_field(
    fields: &[FieldInput],
    name: &str,
    span: Span,
    who: &str,
    diag: &mut Diagnostics,
) -> Option<usize> {
    let found = fields.iter().position(|field| field.name == name);
    if found.is_none() {
        let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
        diag.push(Problem::new(span, format!("{who} names `{name}`, which is not a field")).suggest(name, &names));
    }
    found
}
