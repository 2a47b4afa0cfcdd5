//! Key templates: literal text and holes in braces, as in `"User#{user_id}#{n:08}"`. `{{` and `}}` are braces.

/// A piece of a template. Positions are in bytes, of the template's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Literal(String),
    Hole { name: String, width: usize },
}

/// A mistake in a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TemplateError {
    pub(crate) message: String,
    pub(crate) help: String,
}

fn error(message: impl Into<String>, help: impl Into<String>) -> TemplateError {
    TemplateError { message: message.into(), help: help.into() }
}

/// Parses a template. Two holes must not touch, because no text would show where one value ends.
pub(crate) fn parse(template: &str) -> Result<Vec<Piece>, TemplateError> {
    let mut pieces = Vec::new();
    let mut literal = String::new();
    let mut chars = template.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            // A doubled brace stands for itself.
            '{' | '}' if chars.peek() == Some(&char) => {
                chars.next();
                literal.push(char);
            }
            // A hole ends the literal before it.
            '{' => {
                if !literal.is_empty() {
                    pieces.push(Piece::Literal(std::mem::take(&mut literal)));
                }
                let mut hole = String::new();
                loop {
                    match chars.next() {
                        Some('}') => break,
                        Some(char) => hole.push(char),
                        None => {
                            return Err(error(
                                format!("the hole `{{{hole}` is not closed"),
                                "close it with `}`, or write `{{` for a brace",
                            ));
                        }
                    }
                }
                let hole = parse_hole(&hole)?;
                if let (Some(Piece::Hole { name, .. }), Piece::Hole { name: next, .. }) = (pieces.last(), &hole) {
                    return Err(error(
                        format!("the holes `{{{name}}}` and `{{{next}}}` touch"),
                        "put text between them: a key must tell where one value ends and the next begins",
                    ));
                }
                pieces.push(hole);
            }
            '}' => return Err(error("a `}` closes no hole", "write `}}` for a brace")),
            char => literal.push(char),
        }
    }
    if !literal.is_empty() {
        pieces.push(Piece::Literal(literal));
    }
    if pieces.is_empty() {
        return Err(error("the template is empty", "a key cannot be empty"));
    }
    Ok(pieces)
}

fn parse_hole(hole: &str) -> Result<Piece, TemplateError> {
    let (name, width) = match hole.split_once(':') {
        None => (hole, 0),
        Some((name, width)) => (name, parse_width(hole, width)?),
    };
    let is_name = |name: &str| {
        let mut chars = name.chars();
        chars.next().is_some_and(|char| char.is_alphabetic() || char == '_')
            && chars.all(|char| char.is_alphanumeric() || char == '_')
    };
    if !is_name(name) {
        return Err(error(
            format!("`{{{hole}}}` does not name a field"),
            "a hole is a field's name in braces, as in `{user_id}`",
        ));
    }
    Ok(Piece::Hole { name: name.to_owned(), width })
}

/// Parses a width such as `020`: a number padded with zeros to 20 digits.
fn parse_width(hole: &str, width: &str) -> Result<usize, TemplateError> {
    let digits = width.strip_prefix('0').and_then(|digits| digits.parse().ok());
    digits.filter(|digits| (1..=38).contains(digits)).ok_or_else(|| {
        error(
            format!("`{{{hole}}}` has no width that is known"),
            "a width is a zero and a number of digits from 1 to 38, as in `{number:020}`",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(text: &str) -> Piece {
        Piece::Literal(text.to_owned())
    }

    fn hole(name: &str, width: usize) -> Piece {
        Piece::Hole { name: name.to_owned(), width }
    }

    #[test]
    fn templates_are_parsed_into_text_and_holes() {
        assert_eq!(parse("User#{user_id}"), Ok(vec![literal("User#"), hole("user_id", 0)]));
        assert_eq!(parse("{a}#{b:08}"), Ok(vec![hole("a", 0), literal("#"), hole("b", 8)]));
        assert_eq!(parse("{{{a}}}"), Ok(vec![literal("{"), hole("a", 0), literal("}")]));
        assert_eq!(parse("PROFILE"), Ok(vec![literal("PROFILE")]));
        assert_eq!(parse("größe{größe}"), Ok(vec![literal("größe"), hole("größe", 0)]));
    }

    #[test]
    fn each_mistake_in_a_template_is_named() {
        for (template, message) in [
            ("", "the template is empty"),
            ("a{b", "the hole `{b` is not closed"),
            ("a}b", "a `}` closes no hole"),
            ("{a}{b}", "the holes `{a}` and `{b}` touch"),
            ("{}", "`{}` does not name a field"),
            ("{a.b}", "`{a.b}` does not name a field"),
            ("{a:8}", "`{a:8}` has no width that is known"),
            ("{a:00}", "`{a:00}` has no width that is known"),
            ("{a:099}", "`{a:099}` has no width that is known"),
        ] {
            assert_eq!(parse(template).map_err(|error| error.message), Err(message.to_owned()), "{template}");
        }
    }
}
