//! Parts of Markdown.

/// Returns a name as code, also if it has backticks.
pub(super) fn code(name: &str) -> String {
    if name.contains('`') { format!("`` {name} ``") } else { format!("`{name}`") }
}

/// Returns names as code, with commas.
pub(super) fn codes<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().map(code).collect::<Vec<_>>().join(", ")
}

/// Returns a table.
pub(super) fn table<const N: usize>(head: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> String {
    let row = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let head = [row(head.map(str::to_owned).into()), format!("|{}", "---|".repeat(N))];
    let rows = rows.into_iter().map(|cells| row(cells.map(|cell| escaped(&cell)).into()));
    head.into_iter().chain(rows).collect::<Vec<_>>().join("\n")
}

/// Returns a text for one line, which ends no cell.
pub(super) fn escaped(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ")
}
