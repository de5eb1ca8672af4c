//! The parameters of SVCB and HTTPS records (RFC 9460, section 2.1 and appendix A), read from text.
//!
//! They are written in the form of RFC 3597, which every tool reads, so there is only one direction here.

use std::net::{Ipv4Addr, Ipv6Addr};

use data_encoding::BASE64;

use super::parse::{Fault, push_encoded, push_unescaped};
use crate::format::scan::Token;

/// The registered keys by number (RFC 9460, section 14.3.2; RFC 9461; RFC 9540).
const KEYS: [&[u8]; 9] = [
    b"mandatory",
    b"alpn",
    b"no-default-alpn",
    b"port",
    b"ipv4hint",
    b"ech",
    b"ipv6hint",
    b"dohpath",
    b"ohttp",
];

/// Reads all parameters and appends them in ascending order of their keys, as the wire wants them.
pub(super) fn parse(tokens: &[Token<'_>], out: &mut Vec<u8>) -> Result<(), Fault> {
    let mut params: Vec<(u16, Vec<u8>)> = Vec::new();
    let mut rest = tokens;
    while let [token, after @ ..] = rest {
        rest = after;
        let (name, value) = match token.text.iter().position(|octet| *octet == b'=') {
            None => (token.text, None),
            // A quoted value is a token of its own, right behind the sign.
            Some(at) if at + 1 == token.text.len() => match rest {
                [value @ Token { quoted: true, .. }, after @ ..] => {
                    rest = after;
                    (&token.text[..at], Some(*value))
                }
                _ => (&token.text[..at], Some(Token { text: b"", quoted: false })),
            },
            Some(at) => (&token.text[..at], Some(Token { text: &token.text[at + 1..], quoted: false })),
        };
        let key =
            key(name).ok_or_else(|| token.not("a service parameter such as alpn=h2 or key667=value"))?;
        let mut octets = Vec::new();
        parse_value(key, value, &mut octets).map_err(|fault| format!("{}: {fault}", token.shown()))?;
        params.push((key, octets));
    }
    params.sort();
    if let Some(pair) = params.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(format!("the service parameter key{} stands twice", pair[0].0));
    }
    for (key, octets) in params {
        let len = u16::try_from(octets.len()).map_err(|_| format!("key{key} has more than 65,535 octets"))?;
        out.extend_from_slice(&key.to_be_bytes());
        out.extend_from_slice(&len.to_be_bytes());
        out.extend_from_slice(&octets);
    }
    Ok(())
}

fn key(name: &[u8]) -> Option<u16> {
    let lower = name.to_ascii_lowercase();
    match KEYS.iter().position(|known| *known == lower) {
        Some(number) => Some(number as u16),
        None => std::str::from_utf8(lower.strip_prefix(b"key")?).ok()?.parse().ok(),
    }
}

fn parse_value(key: u16, value: Option<Token<'_>>, out: &mut Vec<u8>) -> Result<(), Fault> {
    let Some(value) = value else {
        // Only flags stand without a value; an empty value of an unknown key may be left out too.
        let needs = [0, 1, 3, 4, 5, 6, 7].contains(&key);
        return if needs { Err("a value must follow the parameter".into()) } else { Ok(()) };
    };
    let mut octets = Vec::new();
    push_unescaped(&value, &mut octets)?;
    let items = || octets.split(|octet| *octet == b',').map(|text| Token { text, quoted: false });
    match key {
        0 => {
            let mut keys = Vec::new();
            for item in items() {
                keys.push(self::key(item.text).ok_or_else(|| item.not("a service parameter"))?);
            }
            keys.sort_unstable();
            out.extend(keys.iter().flat_map(|key| key.to_be_bytes()));
        }
        1 => {
            for protocol in protocols(&octets) {
                let len = u8::try_from(protocol.len()).ok().filter(|len| *len > 0);
                out.push(len.ok_or("a protocol has 1 to 255 octets")?);
                out.extend_from_slice(&protocol);
            }
        }
        2 | 8 if octets.is_empty() => {}
        2 | 8 => return Err("the parameter takes no value".into()),
        3 => out.extend_from_slice(&Token { text: &octets, quoted: false }.number::<u16>()?.to_be_bytes()),
        4 => {
            for item in items() {
                out.extend_from_slice(&item.parse::<Ipv4Addr>("an IPv4 address")?.octets());
            }
        }
        5 => push_encoded(&[Token { text: &octets, quoted: false }], &BASE64, "Base64", out)?,
        6 => {
            for item in items() {
                out.extend_from_slice(&item.parse::<Ipv6Addr>("an IPv6 address")?.octets());
            }
        }
        _ => out.extend_from_slice(&octets),
    }
    Ok(())
}

/// Splits at commas that no backslash escapes (RFC 9460, appendix A.1).
fn protocols(list: &[u8]) -> Vec<Vec<u8>> {
    let mut protocols = vec![Vec::new()];
    let mut escaped = false;
    for &octet in list {
        match octet {
            b'\\' if !escaped => {
                escaped = true;
                continue;
            }
            b',' if !escaped => protocols.push(Vec::new()),
            _ => {
                if let Some(last) = protocols.last_mut() {
                    last.push(octet);
                }
            }
        }
        escaped = false;
    }
    protocols
}

/// Whether these octets are parameters: keys in strictly ascending order, each with as many octets as it says.
pub(super) fn fits(mut rest: &[u8]) -> bool {
    let mut last = None;
    while let Some((head, after)) = rest.split_first_chunk::<4>() {
        let key = u16::from_be_bytes([head[0], head[1]]);
        let len = usize::from(u16::from_be_bytes([head[2], head[3]]));
        if last.is_some_and(|last| key <= last) || after.len() < len {
            return false;
        }
        last = Some(key);
        rest = &after[len..];
    }
    rest.is_empty()
}
