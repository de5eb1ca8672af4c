//! Where something is: the RDATA of LOC (RFC 1876).

use super::octets::Malformed;
use super::token::{Fault, Token, next};
use crate::rtype::Rtype;

/// A version octet, three sizes, three coordinates.
const LENGTH: usize = 16;
/// The equator and the prime meridian.
const MIDDLE: u32 = 1 << 31;
/// Thousandths of a second of arc in a degree.
const DEGREE: u32 = 3_600_000;
/// The base of altitudes: centimetres below the WGS 84 spheroid.
const BASE: i64 = 10_000_000;
/// Size, horizontal and vertical precision where they are left out (section 3): 1 m, 10 km, 10 m.
const DEFAULTS: [u8; 3] = [0x12, 0x16, 0x13];

/// `d1 [m1 [s1]] {N|S} d2 [m2 [s2]] {E|W} alt[m] [size[m] [hp[m] [vp[m]]]]` (section 3).
pub(super) fn parse(tokens: &mut &[Token<'_>], out: &mut Vec<u8>) -> Result<(), Fault> {
    let latitude = angle(tokens, 90, [b"N", b"S"])?;
    let longitude = angle(tokens, 180, [b"E", b"W"])?;
    let token = next(tokens, Rtype::LOC)?;
    let altitude = centimetres(&token, -BASE, i64::from(u32::MAX) - BASE)? + BASE;
    let mut sizes = DEFAULTS;
    for size in &mut sizes {
        if tokens.is_empty() {
            break;
        }
        let token = next(tokens, Rtype::LOC)?;
        *size = packed(centimetres(&token, 0, 9_000_000_000)? as u64);
    }
    out.push(0);
    out.extend_from_slice(&sizes);
    for number in [latitude, longitude, altitude as u32] {
        out.extend_from_slice(&number.to_be_bytes());
    }
    Ok(())
}

/// Degrees up to `most`, minutes, seconds with up to three decimals, and the direction.
fn angle(tokens: &mut &[Token<'_>], most: u32, directions: [&[u8]; 2]) -> Result<u32, Fault> {
    let mut total = 0;
    for (at, unit) in [DEGREE, 60_000, 1_000].into_iter().enumerate() {
        let token = next(tokens, Rtype::LOC)?;
        if at > 0
            && let Some(angle) = signed(&token, directions, total)
        {
            return Ok(angle);
        }
        let limit = if at == 0 { most } else { 59 };
        let thousandths = decimal(token.text, if at == 2 { 3 } else { 0 })
            .filter(|value| *value < (u64::from(limit) + 1) * if at == 2 { 1000 } else { 1 })
            .ok_or_else(|| token.not(["degrees", "minutes up to 59", "seconds below 60"][at]))?;
        total += thousandths as u32 * if at == 2 { 1 } else { unit };
        if total > most * DEGREE {
            return Err(token.not(&format!("part of an angle of at most {most} degrees")));
        }
    }
    let token = next(tokens, Rtype::LOC)?;
    signed(&token, directions, total).ok_or_else(|| token.not("N, S, E or W"))
}

fn signed(token: &Token<'_>, [plus, minus]: [&[u8]; 2], angle: u32) -> Option<u32> {
    if token.text.eq_ignore_ascii_case(plus) {
        Some(MIDDLE + angle)
    } else if token.text.eq_ignore_ascii_case(minus) {
        Some(MIDDLE - angle)
    } else {
        None
    }
}

/// Metres with up to two decimals; the `m` may be missing.
fn centimetres(token: &Token<'_>, least: i64, most: i64) -> Result<i64, Fault> {
    let text = token.text.strip_suffix(b"m").or(token.text.strip_suffix(b"M")).unwrap_or(token.text);
    let (sign, digits) = match text {
        [b'-', digits @ ..] => (-1, digits),
        digits => (1, digits),
    };
    let value = decimal(digits, 2).and_then(|value| i64::try_from(value).ok()).map(|value| sign * value);
    value
        .filter(|value| (least..=most).contains(value))
        .ok_or_else(|| token.not(&format!("a length from {} to {} metres", least / 100, most / 100)))
}

/// A number with at most so many decimals, in units of the last one.
fn decimal(text: &[u8], places: usize) -> Option<u64> {
    let (whole, part) = match text.iter().position(|octet| *octet == b'.') {
        Some(dot) => (&text[..dot], &text[dot + 1..]),
        None => (text, &[][..]),
    };
    if whole.is_empty() || whole.len() > 12 || part.len() > places {
        return None;
    }
    let zeros = [b'0'; 3];
    whole
        .iter()
        .chain(part)
        .chain(&zeros[..places - part.len()])
        .try_fold(0u64, |value, digit| digit.is_ascii_digit().then(|| value * 10 + u64::from(digit - b'0')))
}

/// A size as a digit and a power of ten, in centimetres (section 2); further digits are cut off, as in BIND.
fn packed(centimetres: u64) -> u8 {
    let (mut digit, mut power) = (centimetres, 0);
    while digit > 9 {
        (digit, power) = (digit / 10, power + 1);
    }
    (digit as u8) << 4 | power
}

/// Whether this is RDATA of version 0 within all limits, or of a later version.
pub(super) fn fits(rest: &[u8]) -> bool {
    match rest {
        [0, sizes @ ..] if rest.len() == LENGTH => {
            let size = |size: &u8| *size == 0 || (1..=9).contains(&(size >> 4)) && size & 15 <= 9;
            let near = |at: usize, most: u32| word(rest, at).abs_diff(MIDDLE) <= most * DEGREE;
            sizes[..3].iter().all(size) && near(4, 90) && near(8, 180)
        }
        [0, ..] | [] => false,
        _ => true,
    }
}

/// Appends RDATA of version 0 as text.
pub(super) fn push_text(rest: &mut &[u8], out: &mut Vec<u8>) -> Result<(), Malformed> {
    let rdata = std::mem::take(rest);
    if !fits(rdata) || rdata[0] != 0 {
        return Err(Malformed);
    }
    for (at, [plus, minus]) in [(4, ["N", "S"]), (8, ["E", "W"])] {
        let angle = word(rdata, at).abs_diff(MIDDLE);
        let (degrees, minutes, seconds) = (angle / DEGREE, angle / 60_000 % 60, angle / 1_000 % 60);
        let direction = if word(rdata, at) >= MIDDLE { plus } else { minus };
        let text = format!("{degrees} {minutes} {seconds}.{:03} {direction} ", angle % 1_000);
        out.extend_from_slice(text.as_bytes());
    }
    let altitude = i64::from(word(rdata, 12)) - BASE;
    let sign = if altitude < 0 { "-" } else { "" };
    let metres = altitude.unsigned_abs();
    out.extend_from_slice(format!("{sign}{}.{:02}m", metres / 100, metres % 100).as_bytes());
    for size in &rdata[1..4] {
        let centimetres = u64::from(size >> 4) * 10u64.pow(u32::from(size & 15));
        out.extend_from_slice(format!(" {}.{:02}m", centimetres / 100, centimetres % 100).as_bytes());
    }
    Ok(())
}

fn word(rdata: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([rdata[at], rdata[at + 1], rdata[at + 2], rdata[at + 3]])
}
