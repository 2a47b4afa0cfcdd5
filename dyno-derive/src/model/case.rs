//! Rename rules: from Rust's names to stored ones, with the names that serde gives the rules.

use crate::diag::Problem;
use proc_macro2::Span;

/// A rename rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Case {
    #[default]
    AsIs,
    Lower,
    Upper,
    Pascal,
    Camel,
    Snake,
    ScreamingSnake,
    Kebab,
    ScreamingKebab,
}

const CASES: &[(&str, Case)] = &[
    ("lowercase", Case::Lower),
    ("UPPERCASE", Case::Upper),
    ("PascalCase", Case::Pascal),
    ("camelCase", Case::Camel),
    ("snake_case", Case::Snake),
    ("SCREAMING_SNAKE_CASE", Case::ScreamingSnake),
    ("kebab-case", Case::Kebab),
    ("SCREAMING-KEBAB-CASE", Case::ScreamingKebab),
];

impl Case {
    pub(crate) fn parse(text: &str, span: Span) -> Result<Self, Problem> {
        let known = CASES.iter().find(|(name, _)| *name == text);
        known.map(|(_, case)| *case).ok_or_else(|| {
            let names: Vec<&str> = CASES.iter().map(|(name, _)| *name).collect();
            Problem::new(span, format!("unknown rename rule `{text}`")).suggest(text, &names)
        })
    }

    /// Applies the rule to the name of a field, which is in snake case.
    pub(crate) fn field(self, name: &str) -> String {
        self.join(name.split('_').filter(|word| !word.is_empty()), name)
    }

    /// Applies the rule to the name of a variant, which is in Pascal case.
    pub(crate) fn variant(self, name: &str) -> String {
        let starts = name.char_indices().filter(|(_, char)| char.is_uppercase()).map(|(start, _)| start);
        let mut starts: Vec<usize> = starts.filter(|start| *start > 0).collect();
        starts.insert(0, 0);
        starts.push(name.len());
        let words = starts.windows(2).map(|window| &name[window[0]..window[1]]);
        self.join(words, name)
    }

    fn join<'a>(self, words: impl Iterator<Item = &'a str>, name: &str) -> String {
        let lower = |word: &str| word.to_lowercase();
        let upper = |word: &str| word.to_uppercase();
        let joined = |each: fn(&str) -> String, by: &str| words.map(each).collect::<Vec<_>>().join(by);
        match self {
            Self::AsIs => name.to_owned(),
            Self::Lower => lower(name),
            Self::Upper => upper(name),
            Self::Pascal => joined(capitalized, ""),
            Self::Camel => {
                let pascal = joined(capitalized, "");
                let mut chars = pascal.chars();
                let first = chars.next().map(char::to_lowercase);
                first.into_iter().flatten().chain(chars).collect()
            }
            Self::Snake => joined(str::to_lowercase, "_"),
            Self::ScreamingSnake => joined(str::to_uppercase, "_"),
            Self::Kebab => joined(str::to_lowercase, "-"),
            Self::ScreamingKebab => joined(str::to_uppercase, "-"),
        }
    }
}

fn capitalized(word: &str) -> String {
    let mut chars = word.chars();
    let first = chars.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(chars).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_renames_fields_and_variants() {
        let expected = ["userid2", "USERID2", "UserId2", "userId2", "user_id2", "USER_ID2", "user-id2", "USER-ID2"];
        for ((name, case), expected) in CASES.iter().zip(expected) {
            let parsed = Case::parse(name, Span::call_site());
            assert!(parsed.is_ok_and(|parsed| parsed == *case), "{name}");
            let without = expected.replace(['_', '-'], "");
            let field = case.field("user_id2");
            assert!(field == expected || field.replace('_', "") == without, "{name}: {field}");
            assert_eq!(case.variant("UserId2"), expected, "{name}");
        }
        assert_eq!(Case::AsIs.field("user_id"), "user_id");
        assert_eq!(Case::Pascal.field("timestamp"), "Timestamp");
        assert_eq!(Case::Camel.field("größe_x"), "größeX");
        assert!(Case::parse("Pascalcase", Span::call_site()).is_err());
    }
}
