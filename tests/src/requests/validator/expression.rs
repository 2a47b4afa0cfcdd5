//! A parser of DynamoDB's expressions, which checks what it parses. The words of a fault are those of DynamoDB, shortened.

use serde_json::Value;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// The limits of the developer guide, "Service, account, and table quotas".
const LONGEST: usize = 4096;
const LONGEST_PLACEHOLDER: usize = 255;
const OPERATORS: usize = 300;
const OPERANDS_OF_IN: usize = 100;
const DEPTH: usize = 32;

const TYPES: [&str; 10] = ["S", "SS", "N", "NS", "B", "BS", "BOOL", "NULL", "L", "M"];

/// A step of a path: the name of an attribute or of a member, or the index of an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Name(String),
    Index(String),
}

/// A document path, with the names that its placeholders stand for.
pub(super) type Path = Vec<Step>;

/// The attribute in which a path begins.
pub(super) fn attribute(path: &Path) -> &str {
    match path.first() {
        Some(Step::Name(name)) => name,
        _ => "",
    }
}

/// What a path is compared with, or computed from.
pub(super) enum Operand {
    Path(Path),
    /// The type and the value of a placeholder.
    Value(String, Value),
    /// A size, a sum, or what a function returns.
    Computed,
}

impl Operand {
    /// The type, if the operand is a value.
    fn kind(&self) -> Option<&str> {
        match self {
            Self::Value(kind, _) => Some(kind),
            _ => None,
        }
    }
}

/// What an expression has.
#[derive(Default)]
pub(super) struct Found {
    pub(super) faults: Vec<String>,
    /// The placeholders that occur.
    pub(super) used: BTreeSet<String>,
    /// Each path that a condition reads.
    pub(super) read: Vec<Path>,
    /// Each path that an update changes, or a projection shows.
    pub(super) targets: Vec<Path>,
    /// The attributes of the comparisons, and their operators or functions.
    pub(super) compared: Vec<(String, String)>,
    /// Whether the expression is a conjunction of comparisons.
    pub(super) is_conjunction: bool,
    pub(super) operators: usize,
}

pub(super) type Parsed<T> = Result<T, String>;

pub(super) struct Parser<'a> {
    pub(super) tokens: Vec<&'a str>,
    pub(super) at: usize,
    names: &'a Value,
    values: &'a Value,
    pub(super) found: Found,
}

/// Splits an expression into words and signs.
fn tokens(text: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || "#:_".contains(c);
    let (mut tokens, mut rest) = (Vec::new(), text.trim_start());
    while let Some(first) = rest.chars().next() {
        let length = match rest.get(..2) {
            _ if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            Some("<>" | "<=" | ">=") => 2,
            _ => first.len_utf8(),
        };
        tokens.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    tokens
}

impl<'a> Parser<'a> {
    /// Parses the expression of this member of a request.
    pub(super) fn parse(member: &str, text: &'a str, names: &'a Value, values: &'a Value) -> Found {
        let tokens = tokens(text);
        let used =
            tokens.iter().filter(|token| token.starts_with(['#', ':'])).map(|token| (*token).to_owned()).collect();
        let found = Found { used, is_conjunction: true, ..Found::default() };
        let mut parser = Self { tokens, at: 0, names, values, found };
        let parsed = match member {
            "UpdateExpression" => parser.update(),
            "ProjectionExpression" => parser.projection(),
            _ => parser.condition().map(|_| ()),
        };
        match (parsed, parser.tokens.get(parser.at).copied()) {
            (Err(error), _) => parser.fault(error),
            (Ok(()), Some(token)) => parser.fault(format!("Syntax error; token: {token}")),
            (Ok(()), None) => {}
        }
        if text.len() > LONGEST {
            parser.fault(format!("Expression size has exceeded the maximum allowed size: {} bytes", text.len()));
        }
        if parser.found.operators > OPERATORS {
            parser.fault(format!("too many operators: {}", parser.found.operators));
        }
        parser.overlaps();
        parser.found
    }

    pub(super) fn fault(&mut self, fault: impl Into<String>) {
        self.found.faults.push(fault.into());
    }

    pub(super) fn peek(&self) -> &'a str {
        self.tokens.get(self.at).copied().unwrap_or_default()
    }

    pub(super) fn next(&mut self) -> &'a str {
        let token = self.peek();
        self.at += 1;
        token
    }

    /// Takes the next token if it is this one. Words are compared whatever their case.
    pub(super) fn takes(&mut self, token: &str) -> bool {
        let is_it = self.peek().eq_ignore_ascii_case(token);
        self.at += usize::from(is_it);
        is_it
    }

    pub(super) fn expect(&mut self, token: &str) -> Parsed<()> {
        if self.takes(token) { Ok(()) } else { Err(format!("Syntax error; token: {}, not {token}", self.peek())) }
    }

    /// Parses terms between operators of one kind. Returns whether there is one term in parentheses, and no operator.
    fn terms(&mut self, operator: &str, term: fn(&mut Self) -> Parsed<bool>) -> Parsed<bool> {
        let mut is_in_parentheses = term(self)?;
        while self.takes(operator) {
            self.found.operators += 1;
            self.found.is_conjunction &= operator == "AND";
            term(self)?;
            is_in_parentheses = false;
        }
        Ok(is_in_parentheses)
    }

    fn condition(&mut self) -> Parsed<bool> {
        self.terms("OR", |parser| parser.terms("AND", Self::negation))
    }

    fn negation(&mut self) -> Parsed<bool> {
        if self.takes("NOT") {
            self.found.operators += 1;
            self.found.is_conjunction = false;
            self.negation()?;
            return Ok(false);
        }
        if self.takes("(") {
            if self.condition()? {
                self.fault("The expression has redundant parentheses");
            }
            self.expect(")")?;
            return Ok(true);
        }
        self.comparison()?;
        Ok(false)
    }

    /// A function, or a comparison.
    fn comparison(&mut self) -> Parsed<()> {
        let function = self.peek().to_ascii_lowercase();
        let is_call = self.tokens.get(self.at + 1) == Some(&"(");
        if is_call && function != "size" {
            return self.function(&function);
        }
        let first = self.operand()?;
        let operator = self.next().to_ascii_uppercase();
        self.found.operators += 1;
        let others = match operator.as_str() {
            "=" | "<>" | "<" | "<=" | ">" | ">=" => vec![self.operand()?],
            "BETWEEN" => {
                let low = self.operand()?;
                self.expect("AND")?;
                vec![low, self.operand()?]
            }
            "IN" => self.list(Self::operand)?,
            other => return Err(format!("Syntax error; token: {other}")),
        };
        if let [Operand::Value(kind, low), Operand::Value(other, high)] = &others[..]
            && operator == "BETWEEN"
        {
            self.bounds((kind, low), (other, high));
        }
        if operator == "IN" && others.len() > OPERANDS_OF_IN {
            self.fault(format!("Too many operands of IN: {}", others.len()));
        }
        if !matches!(operator.as_str(), "=" | "<>" | "IN") {
            self.kinds(&operator, [&first].into_iter().chain(&others), &["S", "N", "B"]);
        }
        self.compare(first, &operator, &others);
        Ok(())
    }

    /// A function that is a condition by itself.
    fn function(&mut self, function: &str) -> Parsed<()> {
        self.next();
        self.expect("(")?;
        let first = Operand::Path(self.path()?);
        let others = match function {
            "attribute_exists" | "attribute_not_exists" => Vec::new(),
            "attribute_type" | "begins_with" | "contains" => {
                self.expect(",")?;
                vec![self.operand()?]
            }
            other => return Err(format!("Invalid function name; function: {other}")),
        };
        self.expect(")")?;
        match (function, &others[..]) {
            ("attribute_type", [Operand::Value(_, kind)]) if TYPES.iter().any(|known| kind == known) => {}
            ("attribute_type", _) => self.fault("Invalid attribute type name"),
            ("begins_with", others) => self.kinds(function, others, &["S", "B"]),
            _ => {}
        }
        self.compare(first, function, &others);
        Ok(())
    }

    /// Notes a comparison.
    fn compare(&mut self, first: Operand, operator: &str, others: &[Operand]) {
        let Operand::Path(path) = first else { return };
        if others.iter().any(|other| matches!(other, Operand::Path(other) if *other == path)) {
            self.fault(format!("The first operand must be distinct from the remaining operands of {operator}"));
        }
        self.found.compared.push((attribute(&path).to_owned(), operator.to_owned()));
    }

    /// Checks the types of those operands that are values.
    pub(super) fn kinds<'b>(&mut self, of: &str, operands: impl IntoIterator<Item = &'b Operand>, allowed: &[&str]) {
        for kind in operands.into_iter().filter_map(Operand::kind).filter(|kind| !allowed.contains(kind)) {
            self.fault(format!("Incorrect operand type for operator or function; {of}, operand type: {kind}"));
        }
    }

    /// Checks the bounds of BETWEEN.
    fn bounds(&mut self, (kind, low): (&str, &Value), (other, high): (&str, &Value)) {
        let (low, high) = (low.as_str().unwrap_or_default(), high.as_str().unwrap_or_default());
        let order = match kind {
            _ if kind != other => return self.fault("The BETWEEN operator requires same data type for both bounds"),
            // A number of more digits than an `f64` has is at most rounded to the other bound.
            "N" => low.parse::<f64>().ok().partial_cmp(&high.parse().ok()),
            "S" => Some(low.cmp(high)),
            _ => None,
        };
        if order == Some(Ordering::Greater) {
            self.fault(format!(
                "The BETWEEN operator requires upper bound to be at least the lower one: {low}, {high}"
            ));
        }
    }

    /// Values in parentheses, separated by commas.
    pub(super) fn list<T>(&mut self, of: fn(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.expect("(")?;
        let mut all = vec![of(self)?];
        while self.takes(",") {
            all.push(of(self)?);
        }
        self.expect(")")?;
        Ok(all)
    }

    pub(super) fn operand(&mut self) -> Parsed<Operand> {
        if let Some(value) = self.value()? {
            return Ok(value);
        }
        if self.peek().eq_ignore_ascii_case("size") && self.tokens.get(self.at + 1) == Some(&"(") {
            self.next();
            self.list(Self::path)?;
            return Ok(Operand::Computed);
        }
        self.path().map(Operand::Path)
    }

    /// A placeholder of a value, if the next token is one.
    pub(super) fn value(&mut self) -> Parsed<Option<Operand>> {
        if !self.peek().starts_with(':') {
            return Ok(None);
        }
        let placeholder = self.placeholder();
        let value = self.values.get(&placeholder).and_then(Value::as_object).and_then(|value| value.iter().next());
        let (kind, of) = value
            .ok_or_else(|| format!("An expression attribute value used in expression is not defined: {placeholder}"))?;
        Ok(Some(Operand::Value(kind.clone(), of.clone())))
    }

    fn placeholder(&mut self) -> String {
        let placeholder = self.next().to_owned();
        if placeholder.len() > LONGEST_PLACEHOLDER {
            self.fault(format!("The placeholder is too long: {placeholder}"));
        }
        placeholder
    }

    pub(super) fn path(&mut self) -> Parsed<Path> {
        let mut path = vec![Step::Name(self.name()?)];
        loop {
            if self.takes(".") {
                path.push(Step::Name(self.name()?));
            } else if self.takes("[") {
                path.push(Step::Index(self.next().to_owned()));
                self.expect("]")?;
            } else {
                break;
            }
        }
        if path.len() > DEPTH {
            self.fault(format!("The document path has too many nesting elements: {}", path.len()));
        }
        self.found.read.push(path.clone());
        Ok(path)
    }

    fn name(&mut self) -> Parsed<String> {
        if self.peek().starts_with('#') {
            let placeholder = self.placeholder();
            let name = self.names.get(&placeholder).and_then(Value::as_str).map(str::to_owned);
            return name.ok_or_else(|| format!("An expression attribute name used is not defined: {placeholder}"));
        }
        match self.next() {
            name if name.starts_with(|c: char| c.is_alphabetic() || c == '_') => Ok(name.to_owned()),
            other => Err(format!("Syntax error; token: {other}")),
        }
    }
}
