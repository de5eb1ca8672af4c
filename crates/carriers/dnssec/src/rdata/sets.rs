//! Sets in RDATA: address prefixes (APL), services (WKS), and the types of NXT.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::octets::Malformed;
use super::token::{Fault, Token, next, record_type};
use super::words;
use crate::rtype::Rtype;

/// The negation flag, beside the length of an address (RFC 3123, section 4).
const NEGATED: u8 = 0x80;

/// `[!]family:address/prefix` any number of times (RFC 3123, section 5).
pub(super) fn parse_prefixes(tokens: &mut &[Token<'_>], out: &mut Vec<u8>) -> Result<(), Fault> {
    for token in std::mem::take(tokens) {
        let (family, prefix, octets, negated) = prefix(token)
            .ok_or_else(|| token.not("an address prefix such as 1:192.0.2.0/24 or !2:2001:db8::/32"))?;
        // Trailing zeros of the address are left out.
        let used = octets.iter().rposition(|octet| *octet != 0).map_or(0, |last| last + 1);
        out.extend_from_slice(&[0, family, prefix, used as u8 | if negated { NEGATED } else { 0 }]);
        out.extend_from_slice(&octets[..used]);
    }
    Ok(())
}

fn prefix(token: &Token<'_>) -> Option<(u8, u8, Vec<u8>, bool)> {
    let text = token.utf8()?;
    let (negated, text) = text.strip_prefix('!').map_or((false, text), |text| (true, text));
    let (family, rest) = text.split_once(':')?;
    let (address, prefix) = rest.split_once('/')?;
    let (family, octets): (u8, Vec<u8>) = match family {
        "1" => (1, address.parse::<Ipv4Addr>().ok()?.octets().to_vec()),
        "2" => (2, address.parse::<Ipv6Addr>().ok()?.octets().to_vec()),
        _ => return None,
    };
    let prefix: u8 = prefix.parse().ok().filter(|_| !prefix.starts_with('+'))?;
    (usize::from(prefix) <= 8 * octets.len()).then_some((family, prefix, octets, negated))
}

/// The length of the prefixes up to the end, if they are well-formed.
pub(super) fn prefixes_len(rest: &[u8]) -> Option<usize> {
    let mut at = 0;
    while at < rest.len() {
        let [high, low, prefix, length] = *rest[at..].first_chunk::<4>()?;
        let length = usize::from(length & !NEGATED);
        let address = rest.get(at + 4..at + 4 + length)?;
        let most = match u16::from_be_bytes([high, low]) {
            1 => 4,
            2 => 16,
            _ => 127,
        };
        let too_long = most < 127 && usize::from(prefix) > 8 * most;
        if length > most || too_long || address.last() == Some(&0) {
            return None;
        }
        at += 4 + length;
    }
    Some(at)
}

/// Appends prefixes of the two families that have a text form.
pub(super) fn push_prefixes(rest: &mut &[u8], out: &mut Vec<u8>) -> Result<(), Malformed> {
    let mut rdata = std::mem::take(rest);
    prefixes_len(rdata).ok_or(Malformed)?;
    let mut first = true;
    while let [high, family, prefix, length, after @ ..] = rdata {
        let used = usize::from(length & !NEGATED);
        let mut octets = [0u8; 16];
        octets.get_mut(..used).ok_or(Malformed)?.copy_from_slice(&after[..used]);
        let address = match (high, family) {
            (0, 1) => Ipv4Addr::from([octets[0], octets[1], octets[2], octets[3]]).to_string(),
            (0, 2) => Ipv6Addr::from(octets).to_string(),
            _ => return Err(Malformed),
        };
        let (space, sign) = (if first { "" } else { " " }, if length & NEGATED != 0 { "!" } else { "" });
        out.extend_from_slice(format!("{space}{sign}{family}:{address}/{prefix}").as_bytes());
        (rdata, first) = (&after[used..], false);
    }
    Ok(())
}

/// A protocol and its services, by number or name (RFC 1035, section 3.4.2).
pub(super) fn parse_services(tokens: &mut &[Token<'_>], out: &mut Vec<u8>) -> Result<(), Fault> {
    let protocol = next(tokens, Rtype::WKS)?;
    out.push(words::octet(&protocol, words::PROTOCOLS)?);
    let start = out.len();
    for token in std::mem::take(tokens) {
        set(words::number(token, words::SERVICES)?, start, out);
    }
    Ok(())
}

/// Types up to 127, by mnemonic or number (RFC 2535, section 5.2).
pub(super) fn parse_old_types(tokens: &mut &[Token<'_>], out: &mut Vec<u8>) -> Result<(), Fault> {
    let start = out.len();
    for token in std::mem::take(tokens) {
        let Rtype(number) = token.number().map(Rtype).or_else(|_| record_type(token))?;
        if !(1..128).contains(&number) {
            return Err(token.not("a type from 1 to 127, the only ones in NXT"));
        }
        set(number, start, out);
    }
    Ok(())
}

fn set(bit: u16, start: usize, out: &mut Vec<u8>) {
    let octet = start + usize::from(bit / 8);
    out.resize(out.len().max(octet + 1), 0);
    out[octet] |= 0x80 >> (bit % 8);
}
