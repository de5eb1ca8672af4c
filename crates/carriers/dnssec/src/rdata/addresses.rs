//! Addresses of networks other than the Internet, and of identifiers: EUI, NSAP, ATMA, and the locators of ILNP.

use super::token::{Fault, Token};

/// `01-23-45-67-89-ab`, so many octets (RFC 7043, sections 3.2 and 4.2).
pub(super) fn parse_eui(token: &Token<'_>, octets: usize, out: &mut Vec<u8>) -> Result<(), Fault> {
    let fault = || token.not(&format!("{octets} bytes in hexadecimal with hyphens between them"));
    if token.text.len() != 3 * octets - 1 {
        return Err(fault());
    }
    for pair in token.text.chunks(3) {
        if pair.get(2).is_some_and(|hyphen| *hyphen != b'-') {
            return Err(fault());
        }
        out.push(pair_of_digits(&pair[..2]).ok_or_else(fault)?);
    }
    Ok(())
}

pub(super) fn push_eui(octets: &[u8], out: &mut Vec<u8>) {
    for (at, octet) in octets.iter().enumerate() {
        out.extend_from_slice(format!("{}{octet:02x}", if at > 0 { "-" } else { "" }).as_bytes());
    }
}

/// Four groups of one to four hexadecimal digits with colons between them (RFC 6742, section 2.1.2).
pub(super) fn parse_locator(token: &Token<'_>, out: &mut Vec<u8>) -> Result<(), Fault> {
    let fault = || token.not("four groups of hexadecimal digits with colons between them");
    let groups: Vec<&[u8]> = token.text.split(|octet| *octet == b':').collect();
    if groups.len() != 4 {
        return Err(fault());
    }
    for group in groups {
        if !(1..=4).contains(&group.len()) {
            return Err(fault());
        }
        let value = group.iter().try_fold(0u16, |value, digit| Some(value << 4 | u16::from(hex(*digit)?)));
        out.extend_from_slice(&value.ok_or_else(fault)?.to_be_bytes());
    }
    Ok(())
}

pub(super) fn push_locator(octets: &[u8], out: &mut Vec<u8>) {
    for (at, pair) in octets.chunks(2).enumerate() {
        let value = u16::from_be_bytes([pair[0], pair[1]]);
        out.extend_from_slice(format!("{}{value:04x}", if at > 0 { ":" } else { "" }).as_bytes());
    }
}

/// `0x47.0005…` with dots wherever they please (RFC 1706, section 7).
pub(super) fn parse_dotted_hex(token: &Token<'_>, out: &mut Vec<u8>) -> Result<(), Fault> {
    let fault = || token.not("an address in hexadecimal that begins with 0x");
    let [b'0', b'x' | b'X', rest @ ..] = token.text else { return Err(fault()) };
    push_pairs(rest, out).ok_or_else(fault)
}

/// Digits behind a plus sign (E.164), or hexadecimal (an ATM end system address); dots stand between digits.
pub(super) fn parse_atm(token: &Token<'_>, out: &mut Vec<u8>) -> Result<(), Fault> {
    let fault = || token.not("an ATM address: hexadecimal, or digits behind a plus sign");
    let (format, rest) = match token.text {
        [b'+', rest @ ..] => (1, rest),
        rest => (0, rest),
    };
    if rest.split(|octet| *octet == b'.').any(<[u8]>::is_empty) {
        return Err(fault());
    }
    out.push(format);
    if format == 0 {
        return push_pairs(rest, out).ok_or_else(fault);
    }
    let digits = rest.iter().filter(|octet| **octet != b'.');
    if digits.clone().any(|octet| !octet.is_ascii_digit()) {
        return Err(fault());
    }
    out.extend(digits);
    Ok(())
}

/// Hexadecimal digits in pairs, dots left out; at least one pair.
fn push_pairs(text: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let digits: Vec<u8> = text.iter().filter(|octet| **octet != b'.').copied().collect();
    if digits.is_empty() {
        return None;
    }
    digits.chunks(2).try_for_each(|pair| {
        out.push(pair_of_digits(pair)?);
        Some(())
    })
}

fn pair_of_digits(pair: &[u8]) -> Option<u8> {
    let [high, low] = pair else { return None };
    Some(hex(*high)? << 4 | hex(*low)?)
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}
