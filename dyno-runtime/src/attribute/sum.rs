//! Sums and differences of numbers, as DynamoDB computes them: exact, or refused.
//!
//! N holds 38 significant digits. DynamoDB does not round a result with more digits. It refuses the update, with a message
//! about the number's magnitude. (`test_update_expression_plus_imprecise` of `scylladb/scylladb` records what the service
//! answers to 1E50 + 1.)

use super::Decimal;

/// The number of significant digits that N holds.
const DIGITS: usize = 38;

impl Decimal {
    /// Returns the sum, if N can hold it.
    pub(crate) fn plus(&self, other: &Self) -> Option<Self> {
        // Without this check, the number of digits between the two would be unbounded.
        if !self.in_range() || !other.in_range() {
            return None;
        }
        let high = self.exponent.max(other.exponent);
        let low = self.lowest().min(other.lowest());
        let (one, two) = (self.between(high, low)?, other.between(high, low)?);
        let (negative, digits) = if self.negative == other.negative {
            (self.negative, add(one, &two))
        } else if one >= two {
            (self.negative, subtract(one, &two))
        } else {
            (other.negative, subtract(two, &one))
        };
        let sum = Self::trimmed(negative, digits, high + 1)?;
        (sum.precision() <= DIGITS && sum.in_range()).then_some(sum)
    }

    /// Returns the difference, if N can hold it.
    pub(crate) fn minus(&self, other: &Self) -> Option<Self> {
        self.plus(&Self { negative: !other.negative, ..other.clone() })
    }

    /// Returns the power of ten of the last digit.
    fn lowest(&self) -> i64 {
        self.exponent.saturating_sub_unsigned(self.digits.len() as u64)
    }

    /// Returns all digits from 10^high down to 10^low, with one leading digit more than the number has.
    fn between(&self, high: i64, low: i64) -> Option<Vec<u8>> {
        let front = usize::try_from(high - self.exponent).ok()? + 1;
        let mut digits = vec![b'0'; front];
        digits.extend_from_slice(&self.digits);
        digits.resize(usize::try_from(high - low).ok()? + 1, b'0');
        Some(digits)
    }

    /// Returns the number as DynamoDB writes it: without an exponent and without superfluous zeros.
    pub(crate) fn spelled(&self) -> String {
        let digits: String = self.digits.iter().map(|digit| char::from(*digit)).collect();
        let zeros = |count: i64| "0".repeat(usize::try_from(count).unwrap_or_default());
        let length = i64::try_from(digits.len()).unwrap_or(i64::MAX);
        let sign = if self.negative { "-" } else { "" };
        match usize::try_from(self.exponent) {
            _ if digits.is_empty() => "0".to_owned(),
            Ok(point @ 1..) if point < digits.len() => format!("{sign}{}.{}", &digits[..point], &digits[point..]),
            Ok(1..) => format!("{sign}{digits}{}", zeros(self.exponent - length)),
            _ => format!("{sign}0.{}{digits}", zeros(-self.exponent)),
        }
    }
}

/// Returns the sum of two numbers with equally many digits. Both begin with a zero.
fn add(mut one: Vec<u8>, two: &[u8]) -> Vec<u8> {
    let mut carry = 0;
    for (digit, other) in one.iter_mut().zip(two).rev() {
        let sum = (*digit - b'0') + (*other - b'0') + carry;
        (*digit, carry) = (b'0' + sum % 10, sum / 10);
    }
    one
}

/// Returns the difference of two numbers with equally many digits. The second number is not greater than the first.
fn subtract(mut one: Vec<u8>, two: &[u8]) -> Vec<u8> {
    let mut borrowed = 0;
    for (digit, other) in one.iter_mut().zip(two).rev() {
        let (there, taken) = (*digit, (*other - b'0') + borrowed);
        let lent = u8::from(there - b'0' < taken);
        (*digit, borrowed) = (there + 10 * lent - taken, lent);
    }
    one
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Decimal {
        Decimal::parse(text).expect("a number")
    }

    fn sum(one: &str, other: &str) -> Option<String> {
        let sum = number(one).plus(&number(other)).map(|sum| sum.spelled());
        let turned = number(other).plus(&number(one)).map(|sum| sum.spelled());
        assert_eq!(sum, turned, "{one} {other}");
        sum
    }

    #[test]
    fn sums_are_exact() {
        let nines = "9".repeat(38);
        let large = format!("1{}", "0".repeat(38));
        for (one, other, expected) in [
            ("1", "2", "3"),
            ("0", "0", "0"),
            ("0", "-7.50", "-7.5"),
            ("0.1", "0.2", "0.3"),
            ("5", "-5", "0"),
            ("-5", "3", "-2"),
            ("5", "-7", "-2"),
            ("99", "1", "100"),
            ("100", "-1", "99"),
            ("1E+2", "1", "101"),
            ("999.5", "0.5", "1000"),
            ("1", "1E-37", "1.0000000000000000000000000000000000001"),
            (&nines, "1", &large),
            (&large, "-1", &nines),
            (&large, "-2", "99999999999999999999999999999999999998"),
            ("1E-130", "1E-130", &format!("0.{}2", "0".repeat(129))),
            ("9E125", "9E124", &format!("99{}", "0".repeat(124))),
        ] {
            assert_eq!(sum(one, other).as_deref(), Some(expected), "{one} + {other}");
        }
    }

    #[test]
    fn a_sum_that_dynamodb_cannot_hold_is_refused() {
        for (one, other) in [
            ("1E50", "1"),
            ("1E125", "1E-130"),
            ("1", "1E-38"),
            ("9E125", "9E125"),
            ("-9E125", "-9E125"),
            ("1.5E-130", "-1.4E-130"),
            ("1E126", "0"),
            ("1E99999", "1"),
        ] {
            assert_eq!(sum(one, other), None, "{one} + {other}");
        }
    }

    #[test]
    fn a_difference_is_the_sum_with_the_other_sign() {
        for (one, other, expected) in [("1", "2", "-1"), ("0", "3", "-3"), ("3", "0", "3"), ("-1", "-1", "0")] {
            let difference = number(one).minus(&number(other)).map(|difference| difference.spelled());
            assert_eq!(difference.as_deref(), Some(expected), "{one} - {other}");
        }
        assert_eq!(number("1E50").minus(&number("1")), None);
    }

    #[test]
    fn numbers_are_spelled_without_exponent() {
        for (text, expected) in [
            ("7E+0", "7"),
            ("1.50", "1.5"),
            ("150E-2", "1.5"),
            ("-0.050", "-0.05"),
            ("1E-3", "0.001"),
            ("12E2", "1200"),
            ("-0", "0"),
            (".5", "0.5"),
        ] {
            assert_eq!(number(text).spelled(), expected);
        }
    }
}
