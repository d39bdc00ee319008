//! Numbers as Python computes and prints them: integers of any size, floats by their shortest text.

use std::cmp::Ordering;
use std::fmt;

use num_bigint::BigInt;

use super::yaml::Value;

/// How Python prints a value inside a text; lists and mappings have no such form here.
pub fn python_str(value: &Value<'_>) -> String {
    match value {
        Value::Null => "None".into(),
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        Value::Int(value) => value.to_string(),
        Value::Big(value) => value.to_string(),
        Value::Float(value) => python_float(*value),
        Value::Str(text) | Value::Date(text) => text.clone().into_owned(),
        Value::List(_) | Value::Map(_) => String::new(),
    }
}

/// Python's `int()` of a text: blanks around it, a sign, single underscores between digits, any size.
pub fn python_int(text: &str) -> Option<Num> {
    let trimmed = text.trim();
    let digits = trimmed.strip_prefix(['+', '-']).unwrap_or(trimmed);
    let well_formed = !digits.is_empty()
        && digits.bytes().all(|b| b.is_ascii_digit() || b == b'_')
        && !digits.starts_with('_')
        && !digits.ends_with('_')
        && !digits.contains("__");
    let value: BigInt = well_formed.then(|| digits.replace('_', "").parse().ok()).flatten()?;
    Some(Num::from_big(if trimmed.starts_with('-') { -value } else { value }))
}

/// Python's `%g`: six significant digits, no zeros at the end, an exponent below 1e-4 and from 1e6 on.
pub fn python_general(value: f64) -> String {
    const DIGITS: i32 = 6;
    if !value.is_finite() || value == 0.0 {
        return if value == 0.0 && value.is_sign_negative() { "-0".to_owned() } else { python_float_name(value) };
    }
    // Rounding to the digits may carry into another power of ten, so the exponent is read from the rounded text.
    let scientific = format!("{value:.*e}", (DIGITS - 1) as usize);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if (-4..DIGITS).contains(&exponent) {
        return trimmed(&format!("{value:.*}", (DIGITS - 1 - exponent) as usize));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trimmed(mantissa), exponent.abs())
}

fn python_float_name(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf".to_owned() } else { "-inf".to_owned() };
    }
    "0".to_owned()
}

/// A number with Python's arithmetic: integers never overflow, and mixing in a float gives a float.
#[derive(Debug, Clone)]
pub enum Num {
    /// An integer of 64 bits.
    Int(i64),
    /// Any other integer.
    Big(BigInt),
    /// A floating point number.
    Float(f64),
}

impl Num {
    /// The number that a value is; a boolean is 0 or 1, a text is none, whatever it looks like.
    pub fn of(value: &Value<'_>) -> Option<Self> {
        match value {
            Value::Bool(value) => Some(Self::Int(i64::from(*value))),
            Value::Int(value) => Some(Self::Int(*value)),
            Value::Big(value) => Some(Self::Big((**value).clone())),
            Value::Float(value) => Some(Self::Float(*value)),
            _ => None,
        }
    }

    /// The value that prints this number.
    pub fn into_value<'d>(self) -> Value<'d> {
        match self {
            Self::Int(value) => Value::Int(value),
            Self::Big(value) => Value::Big(Box::new(value)),
            Self::Float(value) => Value::Float(value),
        }
    }

    /// The integer, if it is one.
    pub fn as_integer(&self) -> Option<BigInt> {
        match self {
            Self::Int(value) => Some(BigInt::from(*value)),
            Self::Big(value) => Some(value.clone()),
            Self::Float(_) => None,
        }
    }

    /// The nearest float.
    pub fn to_f64(&self) -> f64 {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "the nearest float is what is asked for")]
            Self::Int(value) => *value as f64,
            Self::Big(value) => value.to_string().parse().unwrap_or(f64::INFINITY),
            Self::Float(value) => *value,
        }
    }

    /// The sum.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        self.combine(other, i64::checked_add, |a, b| a + b, |a, b| a + b)
    }

    /// The product.
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        self.combine(other, i64::checked_mul, |a, b| a * b, |a, b| a * b)
    }

    fn combine(
        &self,
        other: &Self,
        small: fn(i64, i64) -> Option<i64>,
        big: fn(BigInt, BigInt) -> BigInt,
        float: fn(f64, f64) -> f64,
    ) -> Self {
        if let (Self::Int(a), Self::Int(b)) = (self, other)
            && let Some(value) = small(*a, *b)
        {
            return Self::Int(value);
        }
        match (self.as_integer(), other.as_integer()) {
            (Some(a), Some(b)) => Self::from_big(big(a, b)),
            _ => Self::Float(float(self.to_f64(), other.to_f64())),
        }
    }

    fn from_big(value: BigInt) -> Self {
        i64::try_from(&value).map_or(Self::Big(value), Self::Int)
    }

    /// Whether it is greater than zero.
    pub fn is_positive(&self) -> bool {
        self.partial_cmp(&Self::Int(0)) == Some(Ordering::Greater)
    }

    /// Whether an integer is a multiple of another; `None` unless both are integers and the divisor is not zero.
    pub fn is_multiple_of(&self, divisor: &Self) -> Option<bool> {
        let (value, divisor) = (self.as_integer()?, divisor.as_integer()?);
        let zero = BigInt::from(0);
        (divisor != zero).then(|| value % divisor == zero)
    }
}

impl PartialEq for Num {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for Num {
    /// Exact between integers and floats, as in Python; NaN compares with nothing.
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => Some(a.cmp(b)),
            (Self::Float(a), Self::Float(b)) => a.partial_cmp(b),
            (Self::Float(a), b) => compare_float(*a, &b.as_integer()?),
            (a, Self::Float(b)) => compare_float(*b, &a.as_integer()?).map(Ordering::reverse),
            (a, b) => Some(a.as_integer()?.cmp(&b.as_integer()?)),
        }
    }
}

/// Compares a float with an integer without rounding either.
fn compare_float(float: f64, integer: &BigInt) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    if float.is_infinite() {
        return Some(if float > 0.0 { Ordering::Greater } else { Ordering::Less });
    }
    let floor = float.floor();
    // `{:.0}` prints every integral float exactly.
    let whole: BigInt = format!("{floor:.0}").parse().ok()?;
    Some(whole.cmp(integer).then(if float > floor { Ordering::Greater } else { Ordering::Equal }))
}

impl fmt::Display for Num {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(value) => write!(f, "{value}"),
            Self::Big(value) => write!(f, "{value}"),
            Self::Float(value) => f.write_str(&python_float(*value)),
        }
    }
}

/// Python's `repr` of a float: the shortest digits that read back the same, `8.0`, `1e-07`, `1e+22`.
pub fn python_float(value: f64) -> String {
    if value.is_nan() {
        return "nan".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf".into() } else { "-inf".into() };
    }
    let shortest = format!("{value:e}");
    let digits = shortest.bytes().take_while(|b| *b != b'e').filter(u8::is_ascii_digit).count();
    // Of two shortest texts that are equally near, Rust takes the greater and Python the one with an even last digit,
    // as rounding to so many digits does.
    let scientific = format!("{value:.*e}", digits.saturating_sub(1));
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        let decimals = i32::try_from(digits).map_or(0, |digits| (digits - 1 - exponent).max(0));
        return match decimals {
            0 => format!("{value:.1}"),
            decimals => format!("{value:.*}", usize::try_from(decimals).unwrap_or(1)),
        };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn general_numbers_print_as_in_python() {
        let cases = [
            (2.49, "2.49"),
            (3.0, "3"),
            (2.78 - 1.0, "1.78"),
            (0.0, "0"),
            (1e-5, "1e-05"),
            (0.0001, "0.0001"),
            (123_456.7, "123457"),
            (999_999.5, "1e+06"),
            (1_234_567.0, "1.23457e+06"),
            (-2.5, "-2.5"),
        ];
        for (value, expected) in cases {
            assert_eq!(python_general(value), expected);
        }
    }

    #[test]
    fn floats_print_as_python_prints_them() {
        for (value, text) in [
            (8.0, "8.0"),
            (0.8, "0.8"),
            (1e22, "1e+22"),
            (1e16, "1e+16"),
            (1e15, "1000000000000000.0"),
            (123_456_789_012_345_680.0, "1.2345678901234568e+17"),
            (1e-7, "1e-07"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (-0.0, "-0.0"),
            (1.5e300, "1.5e+300"),
            // Exactly …500.25 and …500.75: as near to .2 as to .3, and to .7 as to .8.
            (795_482_724_284_500.2, "795482724284500.2"),
            (-795_482_724_284_500.8, "-795482724284500.8"),
            (5e-324, "5e-324"),
            (9_007_199_254_740_993.0, "9007199254740992.0"),
            (f64::NAN, "nan"),
        ] {
            assert_eq!(python_float(value), text);
        }
    }

    #[test]
    fn integers_never_overflow() {
        let max = Num::Int(i64::MAX);
        assert_eq!(max.plus(&Num::Int(1)).to_string(), "9223372036854775808");
        assert_eq!(max.times(&max).to_string(), "85070591730234615847396907784232501249");
        assert!(matches!(Num::Int(3).times(&Num::Int(4)), Num::Int(12)));
    }

    #[test]
    fn a_float_makes_a_float() {
        assert_eq!(Num::Float(1024.0).plus(&Num::Int(1280)).to_string(), "2304.0");
        assert_eq!(Num::Int(1), Num::Float(1.0));
    }

    #[test]
    fn comparisons_are_exact() {
        let odd = Num::Int(9_007_199_254_740_993);
        assert!(odd > Num::Float(9_007_199_254_740_992.0));
        assert!(Num::Float(-1.5) < Num::Int(-1));
        assert!(Num::Float(f64::NAN).partial_cmp(&odd).is_none());
        assert!(Num::Float(f64::INFINITY) > Num::Int(1).times(&odd).times(&odd));
    }

    #[test]
    fn multiples() {
        assert_eq!(Num::Int(8).is_multiple_of(&Num::Int(4)), Some(true));
        assert_eq!(Num::Int(-8).is_multiple_of(&Num::Int(3)), Some(false));
        assert_eq!(Num::Int(8).is_multiple_of(&Num::Int(0)), None);
    }
}
