//! `$GENERATE`: one line that stands for a row of records (BIND 9 Administrator Reference Manual, “The $GENERATE
//! Directive”).

use crate::rdata::{Fault, Token};

/// The longest number that a `$` may become, as in BIND.
const MOST_DIGITS: u32 = 127;
/// Records that the lines of a zone may make in all: a short file must not fill the memory.
pub(super) const MOST_RECORDS: u64 = 1 << 22;
/// And octets of names and RDATA.
pub(super) const MOST_OCTETS: u64 = 1 << 28;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Range {
    start: u32,
    stop: u32,
    step: u32,
}

impl Range {
    pub(super) fn parse(token: &Token<'_>) -> Result<Range, Fault> {
        let number = |text: &str| {
            let digits = !text.is_empty() && text.bytes().all(|octet| octet.is_ascii_digit());
            text.parse::<u32>().ok().filter(|number| digits && *number <= i32::MAX as u32)
        };
        let range = token.utf8().and_then(|text| {
            let (range, step) = text.split_once('/').unwrap_or((text, "1"));
            let (start, stop) = range.split_once('-')?;
            Some(Range { start: number(start)?, stop: number(stop)?, step: number(step)? })
        });
        range
            .filter(|range| range.start <= range.stop && range.step > 0)
            .ok_or_else(|| token.not("a range such as 1-100 or 0-100/2"))
    }

    pub(super) fn len(self) -> u64 {
        u64::from((self.stop - self.start) / self.step) + 1
    }

    pub(super) fn numbers(self) -> impl Iterator<Item = u32> {
        (self.start..=self.stop).step_by(self.step as usize)
    }
}

/// Appends a template with each `$` replaced: `$` by the number, `${OFFSET[,WIDTH[,BASE]]}` by the number plus OFFSET
/// with zeros up to WIDTH, `$$` by a dollar sign. What a backslash escapes stays as it is.
pub(super) fn expand(template: &[u8], number: u32, out: &mut Vec<u8>) -> Result<(), Fault> {
    let mut rest = template;
    while let [octet, after @ ..] = rest {
        rest = after;
        match (octet, rest) {
            (b'$', [b'$', after @ ..]) => {
                out.push(b'$');
                rest = after;
            }
            (b'$', [b'{', after @ ..]) => {
                let fault = || {
                    Token { text: template, quoted: false }
                        .not("a template; write ${OFFSET}, ${OFFSET,WIDTH} or ${OFFSET,WIDTH,BASE} with BASE d, o, x, X, n or N")
                };
                let end = after.iter().position(|octet| *octet == b'}').ok_or_else(fault)?;
                push_formatted(&after[..end], number, out).ok_or_else(fault)?;
                rest = &after[end + 1..];
            }
            (b'$', _) => out.extend_from_slice(number.to_string().as_bytes()),
            (b'\\', [escaped, after @ ..]) => {
                out.extend_from_slice(&[b'\\', *escaped]);
                rest = after;
            }
            _ => out.push(*octet),
        }
    }
    Ok(())
}

/// What stands between the braces, applied.
fn push_formatted(format: &[u8], number: u32, out: &mut Vec<u8>) -> Option<()> {
    let mut parts = std::str::from_utf8(format).ok()?.split(',');
    let offset: i32 = parts.next()?.trim_start().parse().ok()?;
    let width = parts.next().map_or(Some(0), |width| width.parse::<u32>().ok())?;
    let base = parts.next().unwrap_or("d");
    if parts.next().is_some() || width > MOST_DIGITS {
        return None;
    }
    let value = i32::try_from(i64::from(number) + i64::from(offset)).ok()?;
    // As C prints them: a sign counts into the width, and other bases show the two's complement.
    let (wide, bits) = (width as usize, value.cast_unsigned());
    let text = match base {
        "d" => format!("{value:0wide$}"),
        "o" => format!("{bits:0wide$o}"),
        "x" => format!("{bits:0wide$x}"),
        "X" => format!("{bits:0wide$X}"),
        "n" => nibbles(bits, width),
        "N" => nibbles(bits, width).to_ascii_uppercase(),
        _ => return None,
    };
    out.extend_from_slice(text.as_bytes());
    Some(())
}

/// Hexadecimal digits from the lowest on with dots between them, as `ip6.arpa.` has them; the width counts the dots.
fn nibbles(mut value: u32, mut width: u32) -> String {
    let mut text = String::new();
    loop {
        text.push(char::from_digit(value & 15, 16).unwrap_or('0'));
        value >>= 4;
        width = width.saturating_sub(1);
        if value == 0 && width == 0 {
            return text;
        }
        text.push('.');
        width = width.saturating_sub(1);
        if value == 0 && width == 0 {
            return text;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates() {
        let expanded = |template: &str, number| {
            let mut out = Vec::new();
            expand(template.as_bytes(), number, &mut out).map(|()| String::from_utf8(out).unwrap())
        };
        // As `named-compilezone` of BIND 9.18 expands them.
        for (template, number, expected) in [
            ("a$b", 7, "a7b"),
            ("$$-$", 7, "$-7"),
            (r"\$-$", 7, r"\$-7"),
            ("${3}", 7, "10"),
            ("${-10}", 7, "-3"),
            ("${0,4}", 7, "0007"),
            ("${-10,4}", 7, "-003"),
            ("${0,3,d}.${0,3,o}.${0,3,x}.${0,3,X}", 30, "030.036.01e.01E"),
            ("${0,0,x}", 255, "ff"),
            ("${-8,0,x}", 7, "ffffffff"),
            ("${0,7,n}", 1, "1.0.0.0"),
            ("${0,8,n}", 1, "1.0.0.0."),
            ("${0,0,N}", 0xab, "B.A"),
        ] {
            assert_eq!(expanded(template, number).unwrap(), expected, "{template}");
        }
        for wrong in
            ["${", "${}", "${a}", "${0,}", "${0,1,z}", "${0,1,d,2}", "${0,200}", "${2147483647}", "${0,+ 1}"]
        {
            assert!(expanded(wrong, 7).is_err(), "{wrong}");
        }
    }

    #[test]
    fn ranges() {
        let range = |text: &'static str| Range::parse(&Token { text: text.as_bytes(), quoted: false });
        assert_eq!(range("1-3").unwrap().numbers().collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(range("0-5/2").unwrap().numbers().collect::<Vec<_>>(), [0, 2, 4]);
        assert_eq!(range("0-5/2").unwrap().len(), 3);
        assert_eq!(range("0-2147483647").unwrap().len(), 1 << 31);
        for wrong in ["", "1", "3-1", "1-", "-1-2", "1-2/0", "1-2/", "0-2147483648", "+1-2", "1-2/-1"] {
            assert!(range(wrong).is_err(), "{wrong}");
        }
    }
}
