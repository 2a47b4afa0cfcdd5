//! The catalogue of a module's request forms: each form once, with an id such as `put1` or `update12`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A word for the operation, and a number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Id(String, usize);

impl Id {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let digits = text.find(|c: char| c.is_ascii_digit()).filter(|digits| *digits > 0)?;
        Some(Self(text[..digits].to_owned(), text[digits..].parse().ok()?))
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.0, self.1)
    }
}

/// The word for a form's operation: `put` for `PutItem` and for the `Put` of a transaction.
pub(super) fn word(form: &str) -> String {
    let operation = form.split(' ').next().unwrap_or_default();
    operation.trim_end_matches("Items").trim_end_matches("Item").to_lowercase()
}

/// Each form and its id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Catalogue(BTreeMap<String, Id>);

impl Catalogue {
    /// Adds a form. If a merge has given two forms one id, the second form is left out, so the tests that send it fail.
    pub(super) fn insert(&mut self, id: Id, form: &str) {
        if self.0.values().all(|known| *known != id) {
            self.0.insert(form.to_owned(), id);
        }
    }

    /// The id of a form as text; `put?` for a form that is not in the catalogue.
    pub(super) fn id(&self, form: &str) -> String {
        self.0.get(form).map_or_else(|| format!("{}?", word(form)), Id::to_string)
    }

    /// The forms with their ids, in the order of the ids.
    pub(super) fn by_id(&self) -> BTreeMap<&Id, &str> {
        self.0.iter().map(|(form, id)| (id, form.as_str())).collect()
    }

    /// The catalogue of the forms that are needed now. Forms that it already has keep their ids. A new form takes the id of
    /// the vanished form that is most like it and has the same operation, so that an id survives a changed condition. All
    /// other new forms get the lowest free numbers.
    pub(super) fn renewed(&self, needed: &BTreeSet<String>) -> Self {
        let (kept, vanished): (BTreeMap<_, _>, BTreeMap<_, _>) =
            self.0.clone().into_iter().partition(|(form, _)| needed.contains(form));
        let new: Vec<_> = needed.iter().filter(|form| !kept.contains_key(*form)).collect();
        let mut pairs = Vec::new();
        for form in &new {
            for (old, id) in vanished.iter().filter(|(_, id)| id.0 == word(form)) {
                let alike = alike(form, old);
                if 2 * alike >= form.len().min(old.len()) {
                    pairs.push((Reverse(alike), id, *form));
                }
            }
        }
        pairs.sort();
        let mut forms = kept;
        let mut taken: BTreeSet<Id> = forms.values().cloned().collect();
        for (_, id, form) in pairs {
            if !forms.contains_key(form) && taken.insert(id.clone()) {
                forms.insert(form.clone(), id.clone());
            }
        }
        for form in new {
            if !forms.contains_key(form) {
                let mut id = Id(word(form), 1);
                while !taken.insert(id.clone()) {
                    id.1 += 1;
                }
                forms.insert(form.clone(), id);
            }
        }
        Self(forms)
    }
}

/// How many bytes two texts have in common at their beginnings and ends.
fn alike(one: &str, other: &str) -> usize {
    let shorter = one.len().min(other.len());
    let start = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let end = one.bytes().rev().zip(other.bytes().rev()).take_while(|(a, b)| a == b).count();
    (start + end).min(shorter)
}
