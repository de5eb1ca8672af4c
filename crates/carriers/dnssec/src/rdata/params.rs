//! The parameters of SVCB and HTTPS records (RFC 9460, section 2.1 and appendix A), read from text.
//!
//! They are written in the form of RFC 3597, which every tool reads, so there is only one direction here.

use std::net::{Ipv4Addr, Ipv6Addr};

use data_encoding::BASE64;

use super::token::{Fault, Token, push_encoded, push_unescaped};

/// The keys by number in the registry of 2026-06-25: RFC 9460, 9461, 9540, draft-ietf-tls-key-share-prediction, RFC 9953,
/// draft-ietf-intarea-proxy-config, draft-johani-dnsop-svcb-oots.
const KEYS: [&[u8]; 13] = [
    b"mandatory",
    b"alpn",
    b"no-default-alpn",
    b"port",
    b"ipv4hint",
    b"ech",
    b"ipv6hint",
    b"dohpath",
    b"ohttp",
    b"tls-supported-groups",
    b"docpath",
    b"pvd",
    b"oots",
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
        let (key, form) = key(name)
            .filter(|_| !token.quoted)
            .ok_or_else(|| token.not("a service parameter such as alpn=h2 or key667=value"))?;
        let mut octets = Vec::new();
        parse_value(key, form, value, &mut octets).map_err(|fault| format!("{}: {fault}", token.shown()))?;
        params.push((key, octets));
    }
    params.sort();
    if let Some(pair) = params.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(format!("the service parameter {} appears twice", called(pair[0].0)));
    }
    let start = out.len();
    for (key, octets) in params {
        let len =
            u16::try_from(octets.len()).map_err(|_| format!("{} has more than 65,535 bytes", called(key)))?;
        out.extend_from_slice(&key.to_be_bytes());
        out.extend_from_slice(&len.to_be_bytes());
        out.extend_from_slice(&octets);
    }
    check(&out[start..])
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Behind a registered name, in the form of that key.
    Own,
    /// Behind `key` and a number, whether it is registered or not: the octets of the wire (RFC 9460, section 2.1).
    Wire,
}

/// The key that a name stands for: in lower case, and a number without leading zeros (RFC 9460, section 2.1).
fn key(name: &[u8]) -> Option<(u16, Form)> {
    if let Some(number) = KEYS.iter().position(|known| *known == name) {
        return Some((number as u16, Form::Own));
    }
    let digits = name.strip_prefix(b"key")?;
    let canonical = digits == b"0" || digits.first().is_some_and(|first| (b'1'..=b'9').contains(first));
    let number = std::str::from_utf8(digits).ok().filter(|_| canonical)?.parse().ok()?;
    Some((number, Form::Wire))
}

fn called(key: u16) -> String {
    match KEYS.get(usize::from(key)) {
        Some(name) => String::from_utf8_lossy(name).into_owned(),
        None => format!("key{key}"),
    }
}

fn parse_value(key: u16, form: Form, value: Option<Token<'_>>, out: &mut Vec<u8>) -> Result<(), Fault> {
    // Without a value it is empty, which not all keys allow.
    let value = value.unwrap_or(Token { text: b"", quoted: false });
    let mut octets = Vec::new();
    push_unescaped(&value, &mut octets)?;
    if form == Form::Wire || octets.is_empty() {
        out.extend_from_slice(&octets);
        return Ok(());
    }
    let items = || octets.split(|octet| *octet == b',').map(|text| Token { text, quoted: false });
    match key {
        0 => {
            let mut keys = Vec::new();
            for item in items() {
                keys.push(self::key(item.text).ok_or_else(|| item.not("a service parameter"))?.0);
            }
            keys.sort_unstable();
            out.extend(keys.iter().flat_map(|key| key.to_be_bytes()));
        }
        1 | 10 => {
            for protocol in protocols(&octets) {
                push_item(&protocol, out)?;
            }
        }
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
        9 => {
            for item in items() {
                out.extend_from_slice(&item.number::<u16>()?.to_be_bytes());
            }
        }
        12 => {
            for item in items() {
                let colon = item.text.iter().rposition(|octet| *octet == b':');
                let colon =
                    colon.ok_or_else(|| item.not("a transport with a share in percent, such as dot:10"))?;
                push_item(&item.text[..colon], out)?;
                out.push(Token { text: &item.text[colon + 1..], quoted: false }.number()?);
            }
        }
        _ => out.extend_from_slice(&octets),
    }
    Ok(())
}

fn push_item(text: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
    let len = u8::try_from(text.len()).ok().filter(|len| *len > 0);
    out.push(len.ok_or("each part of the list has 1 to 255 bytes")?);
    out.extend_from_slice(text);
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

/// Says what is wrong with parameters on the wire: keys in strictly ascending order, each with a value of its form
/// (RFC 9460, sections 2.2 and 7), and what one key demands of the others (sections 7.1.1 and 8).
pub(super) fn check(mut rest: &[u8]) -> Result<(), Fault> {
    let mut params: Vec<(u16, &[u8])> = Vec::new();
    while let Some((head, after)) = rest.split_first_chunk::<4>() {
        let key = u16::from_be_bytes([head[0], head[1]]);
        let len = usize::from(u16::from_be_bytes([head[2], head[3]]));
        let (value, after) = after.split_at_checked(len).ok_or("a service parameter is cut off")?;
        if params.last().is_some_and(|(last, _)| key <= *last) {
            return Err("the keys of the service parameters do not ascend".into());
        }
        if let Some(what) = misformed(key, value) {
            return Err(format!("the service parameter {} {what}", called(key)));
        }
        params.push((key, value));
        rest = after;
    }
    if !rest.is_empty() {
        return Err("a service parameter is cut off".into());
    }
    let has = |wanted: u16| params.binary_search_by_key(&wanted, |(key, _)| *key).is_ok();
    if let Some((0, value)) = params.first() {
        let mut last = 0;
        for key in value.chunks_exact(2).map(|key| u16::from_be_bytes([key[0], key[1]])) {
            match key {
                0 => return Err("mandatory names itself (RFC 9460, section 8)".into()),
                _ if key == last => {
                    return Err(format!("mandatory names {} twice (RFC 9460, section 8)", called(key)));
                }
                _ if key < last => {
                    return Err("the keys in mandatory do not ascend (RFC 9460, section 8)".into());
                }
                _ if !has(key) => {
                    let key = called(key);
                    return Err(format!("mandatory names {key}, which is missing (RFC 9460, section 8)"));
                }
                _ => last = key,
            }
        }
    }
    if has(2) && !has(1) {
        return Err("no-default-alpn appears without alpn (RFC 9460, section 7.1.1)".into());
    }
    Ok(())
}

/// What is wrong with the value of a registered key.
fn misformed(key: u16, value: &[u8]) -> Option<&'static str> {
    let (fits, otherwise) = match key {
        0 => (!value.is_empty() && value.len().is_multiple_of(2), "needs keys of two bytes each"),
        1 => (are_items(value), "needs protocols, each of 1 to 255 bytes after its length"),
        2 | 8 | 11 => (value.is_empty(), "does not take a value"),
        3 => (value.len() == 2, "needs a number of two bytes"),
        4 => (!value.is_empty() && value.len().is_multiple_of(4), "needs IPv4 addresses of four bytes each"),
        6 => (!value.is_empty() && value.len().is_multiple_of(16), "needs IPv6 addresses of 16 bytes each"),
        7 => (is_template(value), "needs a path with the variable dns, such as /dns-query{?dns} (RFC 9461)"),
        // The root has no segment.
        10 => {
            (value.is_empty() || are_items(value), "needs segments, each of 1 to 255 bytes after its length")
        }
        // Among them those of drafts, which may still change.
        _ => (true, ""),
    };
    (!fits).then_some(otherwise)
}

/// Whether these are texts of 1 to 255 octets, each behind its length; at least one.
fn are_items(mut rest: &[u8]) -> bool {
    if rest.is_empty() {
        return false;
    }
    while let [len, after @ ..] = rest {
        match after.get(usize::from(*len)..) {
            Some(after) if *len > 0 => rest = after,
            _ => return false,
        }
    }
    true
}

/// A path with an expression that has the variable `dns` (RFC 9461, section 5; RFC 6570, section 2).
fn is_template(value: &[u8]) -> bool {
    let Some(text) = std::str::from_utf8(value).ok().filter(|text| text.starts_with('/')) else {
        return false;
    };
    let mut expressions = text.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
    expressions.any(|(variables, _)| {
        // An operator may stand in front, and a modifier behind each name.
        let names = variables.strip_prefix(['+', '#', '.', '/', ';', '?', '&']).unwrap_or(variables);
        names.split(',').any(|name| name.split([':', '*']).next() == Some("dns"))
    })
}
