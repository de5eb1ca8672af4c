//! RDATA in which one field says what another one is: IPSECKEY, AMTRELAY, HIP and A6.

use std::net::{Ipv4Addr, Ipv6Addr};

use data_encoding::{BASE64, HEXUPPER_PERMISSIVE};

use super::octets::{Malformed, push_encoding, push_number, take};
use super::token::{Fault, Token, next, push_encoded, some};
use crate::name::{self, CasedName};
use crate::rtype::Rtype;

/// The high bit of AMTRELAY's type: the relay wants to be discovered first (RFC 8777, section 4.2.2).
const DISCOVERY: u8 = 0x80;

/// Gateway type, algorithm, gateway, key (RFC 4025, section 3.1).
pub(super) fn parse_ipsec(
    tokens: &mut &[Token<'_>],
    origin: Option<&CasedName>,
    out: &mut Vec<u8>,
) -> Result<(), Fault> {
    let kind = next(tokens, Rtype::IPSECKEY)?;
    let number: u8 = kind.number()?;
    let algorithm: u8 = next(tokens, Rtype::IPSECKEY)?.number()?;
    out.extend_from_slice(&[number, algorithm]);
    parse_gateway(&kind, number, &next(tokens, Rtype::IPSECKEY)?, origin, out)?;
    // Algorithm 0 means that there is no key (section 2.4).
    let key = if algorithm == 0 { std::mem::take(tokens) } else { some(tokens, Rtype::IPSECKEY)? };
    push_encoded(key, &BASE64, "Base64", out)
}

pub(super) fn push_ipsec(rest: &mut &[u8], out: &mut Vec<u8>) -> Result<(), Malformed> {
    let [kind, algorithm] = *take(rest, 2)? else { return Err(Malformed) };
    push_number(kind.into(), out);
    out.push(b' ');
    push_number(algorithm.into(), out);
    out.push(b' ');
    let gateway = take(rest, gateway_len(kind, rest).ok_or(Malformed)?)?;
    match (kind, gateway) {
        (0, _) => out.push(b'.'),
        (1, [a, b, c, d]) => out.extend_from_slice(Ipv4Addr::new(*a, *b, *c, *d).to_string().as_bytes()),
        (2, _) => {
            let octets: [u8; 16] = gateway.try_into().map_err(|_| Malformed)?;
            out.extend_from_slice(Ipv6Addr::from(octets).to_string().as_bytes());
        }
        _ => name::push_text(gateway, out),
    }
    let key = std::mem::take(rest);
    if key.is_empty() {
        // Without a key, tools do not read the text form.
        return Err(Malformed);
    }
    out.push(b' ');
    push_encoding(&BASE64, key, out);
    Ok(())
}

pub(super) fn ipsec_fits(rest: &[u8]) -> bool {
    matches!(rest, [kind, _, after @ ..] if gateway_len(*kind, after).is_some_and(|len| len <= after.len()))
}

/// Discovery flag, relay type, relay (RFC 8777, section 4.3.1).
pub(super) fn parse_relay(
    tokens: &mut &[Token<'_>],
    origin: Option<&CasedName>,
    out: &mut Vec<u8>,
) -> Result<(), Fault> {
    let discovery = next(tokens, Rtype::AMTRELAY)?;
    let flag = match discovery.text {
        b"0" => 0,
        b"1" => DISCOVERY,
        _ => return Err(discovery.not("0 or 1")),
    };
    let kind = next(tokens, Rtype::AMTRELAY)?;
    let number: u8 = kind.number()?;
    out.push(number | flag);
    parse_gateway(&kind, number, &next(tokens, Rtype::AMTRELAY)?, origin, out)
}

/// Whether relay type and relay fit. Types that are not assigned may have any.
pub(super) fn relay_fits(rest: &[u8]) -> bool {
    match rest {
        [kind, after @ ..] => match kind & !DISCOVERY {
            0..=3 => gateway_len(kind & !DISCOVERY, after) == Some(after.len()),
            _ => true,
        },
        [] => false,
    }
}

/// A gateway of a type: none, an address, or a name, which keeps its case.
fn parse_gateway(
    kind: &Token<'_>,
    number: u8,
    token: &Token<'_>,
    origin: Option<&CasedName>,
    out: &mut Vec<u8>,
) -> Result<(), Fault> {
    match number {
        0 if token.text == b"." => {}
        0 => return Err(token.not("a single dot, which means no gateway")),
        1 => out.extend_from_slice(&token.parse::<Ipv4Addr>("an IPv4 address")?.octets()),
        2 => out.extend_from_slice(&token.parse::<Ipv6Addr>("an IPv6 address")?.octets()),
        3 => {
            let name = CasedName::parse(token.text, origin).map_err(|e| e.to_string())?;
            out.extend_from_slice(name.as_wire());
        }
        _ => return Err(kind.not("a gateway type from 0 to 3")),
    }
    Ok(())
}

fn gateway_len(kind: u8, rest: &[u8]) -> Option<usize> {
    match kind {
        0 => Some(0),
        1 => Some(4),
        2 => Some(16),
        3 => name::wire_len(rest),
        _ => None,
    }
}

/// Algorithm, host identity tag and key (RFC 8005, section 6); the wire has both lengths in front.
pub(super) fn parse_host_identity(tokens: &mut &[Token<'_>], out: &mut Vec<u8>) -> Result<(), Fault> {
    let algorithm: u8 = next(tokens, Rtype::HIP)?.number()?;
    let at = out.len();
    out.extend_from_slice(&[0, algorithm, 0, 0]);
    let tag = next(tokens, Rtype::HIP)?;
    push_encoded(&[tag], &HEXUPPER_PERMISSIVE, "hexadecimal", out)?;
    out[at] = u8::try_from(out.len() - at - 4).map_err(|_| tag.not("at most 255 bytes"))?;
    let key_at = out.len();
    let key = next(tokens, Rtype::HIP)?;
    push_encoded(&[key], &BASE64, "Base64", out)?;
    let length = u16::try_from(out.len() - key_at).map_err(|_| key.not("at most 65,535 bytes"))?;
    out[at + 2..at + 4].copy_from_slice(&length.to_be_bytes());
    if out[at] == 0 || length == 0 {
        return Err("neither the host identity tag nor the key may be empty".into());
    }
    Ok(())
}

/// The length of tag and key with what stands in front of them; neither is empty.
pub(super) fn host_identity_len(rest: &[u8]) -> Option<usize> {
    let [tag, _, high, low] = *rest.first_chunk::<4>()?;
    let key = u16::from_be_bytes([high, low]);
    (tag > 0 && key > 0).then_some(4 + usize::from(tag) + usize::from(key))
}

/// Prefix length, address suffix unless it is 128, prefix name unless it is 0 (RFC 2874, section 3.2).
pub(super) fn parse_suffix(
    tokens: &mut &[Token<'_>],
    origin: Option<&CasedName>,
    out: &mut Vec<u8>,
) -> Result<(), Fault> {
    let token = next(tokens, Rtype::A6)?;
    let prefix = token.number().ok().filter(|prefix: &u8| *prefix <= 128);
    let prefix = prefix.ok_or_else(|| token.not("a prefix length from 0 to 128"))?;
    out.push(prefix);
    if prefix < 128 {
        let mut octets = next(tokens, Rtype::A6)?.parse::<Ipv6Addr>("an IPv6 address")?.octets();
        let first = usize::from(prefix / 8);
        octets[first] &= 0xff >> (prefix % 8);
        out.extend_from_slice(&octets[first..]);
    }
    if prefix > 0 {
        let token = next(tokens, Rtype::A6)?;
        let name = CasedName::parse(token.text, origin).map_err(|e| e.to_string())?;
        out.extend_from_slice(name.lower().as_wire());
    }
    Ok(())
}

/// Where the prefix name begins, if the RDATA fits; its end if there is none.
pub(super) fn suffix_name_at(rest: &[u8]) -> Option<usize> {
    let prefix = *rest.first().filter(|prefix| **prefix <= 128)?;
    let at = 1 + 16 - usize::from(prefix / 8);
    let name = match prefix {
        0 => 0,
        _ => name::wire_len(rest.get(at..)?)?,
    };
    (at + name == rest.len()).then_some(at)
}
