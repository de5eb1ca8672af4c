//! Numbers as they are typed with a unit: `5s`, `0.5%`, `64MiB`.

/// Units that can stand behind a number, by what they measure, each with its size. The first of each kind is the base.
/// Decimal and binary multiples are those of cryptsetup and dd: `KB` is 1000 and `K` or `KiB` 1024.
const KINDS: [&[(&str, f64)]; 5] = [
    &[
        ("s", 1.0),
        ("ms", 1e-3),
        ("us", 1e-6),
        ("µs", 1e-6),
        ("ns", 1e-9),
        ("min", 60.0),
        ("m", 60.0),
        ("h", 3600.0),
        ("d", 86_400.0),
    ],
    &[
        ("B", 1.0),
        ("K", 1024.0),
        ("M", 1_048_576.0),
        ("G", 1_073_741_824.0),
        ("T", 1_099_511_627_776.0),
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0),
        ("TiB", 1_099_511_627_776.0),
        ("kB", 1e3),
        ("KB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("TB", 1e12),
    ],
    &[("share", 1.0), ("%", 0.01)],
    &[("/s", 1.0), ("k/s", 1e3)],
    &[("bit", 1.0), ("bits", 1.0)],
];

/// The unit of a bare number, by the word that help and constraints have for it.
const WORDS: [(&str, &str); 15] = [
    ("seconds", "s"),
    ("milliseconds", "ms"),
    ("ms", "ms"),
    ("ns", "ns"),
    ("days", "d"),
    ("bytes", "B"),
    ("size", "B"),
    ("kibibytes", "KiB"),
    ("mib", "MiB"),
    ("share", "share"),
    ("percent", "%"),
    ("rate", "/s"),
    ("per-second", "/s"),
    ("bits", "bit"),
    ("minutes", "min"),
];

/// A number with a unit, in the unit that bare numbers have there: `plain("5s", "MILLISECONDS")` is 5000. `None` if the text
/// has no unit, one that measures something else, or no number.
pub fn plain(typed: &str, word: &str) -> Option<f64> {
    let (_, bare) = WORDS.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(word))?;
    let kind = KINDS.into_iter().find(|kind| kind.iter().any(|(name, _)| *name == bare))?;
    let split = typed.rfind(|c: char| c.is_ascii_digit() || c == '.')? + 1;
    let (number, unit) = typed.split_at(split);
    let size = |wanted: &str| kind.iter().find(|(name, _)| *name == wanted).map(|(_, size)| *size);
    let number: f64 = number.parse().ok().filter(|number: &f64| number.is_finite())?;
    let scaled = number * size(unit.trim_start())? / size(bare)?;
    // Rounded to 13 digits: 0.1% is 0.001, and not the neighbouring number that the product of binary
    // fractions is.
    Some(format!("{scaled:.12e}").parse().unwrap_or(scaled))
}

/// What is expected of a number of this word, with examples.
pub fn expected(word: &str) -> &'static str {
    let bare = WORDS.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(word));
    match bare.map(|(_, bare)| bare) {
        Some("s") => "a number of seconds, or with a unit, such as 500ms, 10s, 2min or 1h",
        Some("ms") => "a number of milliseconds, or with a unit, such as 500ms or 10s",
        Some("d") => "a number of days, or with a unit, such as 36h",
        Some("B") => "a number of bytes, or with a unit, such as 512B, 64KiB or 1MB",
        Some("share") => "a share, such as 0.005 or 0.5%",
        Some("%") => "a percentage, such as 5 or 0.5%",
        Some("/s") => "a rate per second, such as 500 or 2k/s",
        _ => "a number, such as 0.5",
    }
}

/// Whether bare numbers of this word have a unit that [`plain`] knows.
pub fn is_known(word: &str) -> bool {
    WORDS.iter().any(|(known, _)| known.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_become_those_of_bare_numbers() {
        for (typed, word, expected) in [
            ("5s", "SECONDS", 5.0),
            ("1.5 min", "SECONDS", 90.0),
            ("1m", "SECONDS", 60.0),
            ("300ms", "SECONDS", 0.3),
            ("2s", "MILLISECONDS", 2000.0),
            ("36h", "DAYS", 1.5),
            ("60us", "ns", 60_000.0),
            ("1232B", "BYTES", 1232.0),
            ("64KiB", "BYTES", 65_536.0),
            ("1MB", "bytes", 1e6),
            ("1GiB", "KIBIBYTES", 1_048_576.0),
            ("2G", "MIB", 2048.0),
            ("0.5%", "SHARE", 0.005),
            ("0.1%", "share", 0.001),
            ("5%", "PERCENT", 5.0),
            ("-5%", "PERCENT", -5.0),
            ("2k/s", "RATE", 2000.0),
            ("256bits", "BITS", 256.0),
        ] {
            assert_eq!(plain(typed, word), Some(expected), "{typed} {word}");
        }
    }

    #[test]
    fn other_text_has_none() {
        for (typed, word) in [
            ("5", "SECONDS"),
            ("5B", "SECONDS"),
            ("s", "SECONDS"),
            ("5sec", "SECONDS"),
            ("1e999s", "SECONDS"),
            ("nans", "SECONDS"),
            ("5%", "BYTES"),
            ("5s", "NUMBER"),
            ("", "BYTES"),
            ("5\u{661}s", "SECONDS"),
        ] {
            assert_eq!(plain(typed, word), None, "{typed} {word}");
        }
    }
}
