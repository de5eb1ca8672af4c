//! Sizes as they are typed and shown, and text of headers, which anybody may have written.

use anyhow::Result;

use crate::outcome::usage;

const UNITS: [(char, u32); 4] = [('K', 10), ('M', 20), ('G', 30), ('T', 40)];

/// Reads `64M`: a number of bytes, or of powers of 1024.
pub(super) fn parse_size(option: &str, text: &str) -> Result<u64> {
    let wrong = || {
        usage(format!(
            "invalid {option} '{text}': expected bytes, or a number with K, M, G or T for powers of 1024, such as 64M"
        ))
    };
    let ends_in_digit = |number: &&str| number.ends_with(|c: char| c.is_ascii_digit());
    let number = text.strip_suffix("iB").filter(|number| !ends_in_digit(number));
    let number = number.or_else(|| text.strip_suffix('B').filter(ends_in_digit)).unwrap_or(text);
    let unit = UNITS.into_iter().find(|&(letter, _)| number.ends_with([letter, letter.to_ascii_lowercase()]));
    let (digits, shift) = match unit {
        Some((_, shift)) => (number.get(..number.len() - 1).unwrap_or_default(), shift),
        None => (number, 0),
    };
    // `parse` alone would take a sign.
    let digits = Some(digits).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    let number: u64 = digits.and_then(|digits| digits.parse().ok()).ok_or_else(wrong)?;
    match number.checked_mul(1 << shift) {
        Some(0) => Err(usage(format!("invalid {option} '{text}': expected at least 1 byte, such as 64M"))),
        Some(size) => Ok(size),
        None => Err(usage(format!("invalid {option} '{text}': larger than any disk; give one such as 64M"))),
    }
}

/// A size in the largest unit of which it is a whole number, unless that number were a long one.
pub(super) fn size(bytes: u64) -> String {
    const LONGEST: u64 = 99_999;
    let units = || UNITS.into_iter().rev().filter(|&(_, shift)| bytes >> shift > 0);
    let whole = |&(_, shift): &(char, u32)| bytes.is_multiple_of(1 << shift) && bytes >> shift <= LONGEST;
    if let Some((letter, shift)) = units().find(whole) {
        return format!("{} {letter}iB", bytes >> shift);
    }
    match units().next() {
        Some((letter, shift)) if bytes > LONGEST => {
            format!("{:.1} {letter}iB", bytes as f64 / (1_u64 << shift) as f64)
        }
        _ if bytes == 1 => "1 byte".to_owned(),
        _ => format!("{bytes} bytes"),
    }
}

/// The same, or the number of bytes where that would be rounded.
pub(super) fn exact(bytes: u64) -> String {
    match size(bytes) {
        rounded if rounded.contains('.') => format!("{bytes} bytes"),
        exact => exact,
    }
}

/// Text that cannot steer the terminal.
pub(super) fn text(text: &str) -> String {
    fieldtest_frame::text::line(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        for (text, bytes) in [
            ("512", 512),
            ("1232B", 1232),
            ("64M", 64 << 20),
            ("1g", 1 << 30),
            ("3KiB", 3072),
            ("2T", 2 << 40),
        ] {
            assert_eq!(parse_size("--size", text).expect(text), bytes);
        }
        for text in ["", "M", "-1", "+1", "64MB", "1.5G", "64 M", "512iB", "99999999T", "0", "0K", "٣"] {
            assert!(parse_size("--size", text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_are_shown() {
        assert_eq!((size(1), size(1000)), ("1 byte".to_owned(), "1000 bytes".to_owned()));
        assert_eq!(size(4096), "4 KiB");
        assert_eq!(size(3 << 19), "1536 KiB");
        assert_eq!(size((16 << 20) - (32 << 10)), "16352 KiB");
        assert_eq!(size((3 << 29) + 1), "1.5 GiB");
        assert_eq!(exact((3 << 29) + 1), "1610612737 bytes");
        assert_eq!((exact(3 << 29), exact(0)), ("1536 MiB".to_owned(), "0 bytes".to_owned()));
        assert_eq!(size(4097), "4097 bytes");
        assert_eq!(size(1 << 40), "1 TiB");
    }

    #[test]
    fn text_is_harmless() {
        assert_eq!(text("a\u{1b}[2J"), "a\\x1b[2J");
        assert_eq!(text("\u{202e}b"), "\\u{202e}b");
    }
}
