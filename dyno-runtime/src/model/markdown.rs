//! Parts of Markdown.

/// Returns a name as code, also if it has backticks.
pub(super) fn code(name: &str) -> String {
    let name = name.replace(['\n', '\r'], " ");
    let longest = name.split(|letter| letter != '`').map(str::len).max().unwrap_or_default();
    if longest == 0 {
        return format!("`{name}`");
    }
    let fence = "`".repeat(longest + 1);
    format!("{fence} {name} {fence}")
}

/// Returns names as code, with commas.
pub(super) fn codes<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().map(code).collect::<Vec<_>>().join(", ")
}

/// Returns a text in one line, whose letters stand for themselves.
pub(super) fn text(text: &str) -> String {
    let is_special = |letter: char| matches!(letter, '\\' | '`' | '*' | '_' | '[' | '<');
    let letters = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter });
    letters.flat_map(|letter| is_special(letter).then_some('\\').into_iter().chain([letter])).collect()
}

/// Returns a table. Its cells are Markdown.
pub(super) fn table<const N: usize>(head: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> String {
    let row = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let head = [row(head.map(str::to_owned).into()), format!("|{}", "---|".repeat(N))];
    // GitHub's Markdown takes away this backslash, also in code.
    let rows = rows.into_iter().map(|cells| row(cells.map(|cell| cell.replace('|', "\\|")).into()));
    head.into_iter().chain(rows).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_texts_stand_for_themselves() {
        assert_eq!(code("a`b"), "`` a`b ``");
        assert_eq!(code("a``b`"), "``` a``b` ```");
        assert_eq!(code("a\nb"), "`a b`");
        assert_eq!(text("a <b> *c* d_e [f] `g` \\h\ni"), "a \\<b> \\*c\\* d\\_e \\[f] \\`g\\` \\\\h i");
        assert_eq!(table(["A"], [[code("a|b")]]), "| A |\n|---|\n| `a\\|b` |");
    }
}
