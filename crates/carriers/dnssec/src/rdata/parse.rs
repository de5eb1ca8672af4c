//! RDATA as people write it becomes its wire form.

use std::net::{Ipv4Addr, Ipv6Addr};

use data_encoding::{BASE32HEX_NOPAD, BASE64, HEXUPPER_PERMISSIVE};
use jiff::civil::{DateTime, Time, date};

use super::token::{
    Fault, Token, ends_too_early, next, push_character_string, push_encoded, push_unescaped, record_type,
    some,
};
use super::{addresses, digests, gateways, location, params, sets, words};
use crate::bitmap;
use crate::name::CasedName;
use crate::rtype::{self, Field, Rtype};

/// Reads the RDATA of a record from its tokens and appends its wire form to `out`.
pub(crate) fn parse(
    rtype: Rtype,
    tokens: &[Token<'_>],
    origin: Option<&CasedName>,
    out: &mut Vec<u8>,
) -> Result<(), Fault> {
    let start = out.len();
    let fields = rtype.fields();
    // As in BIND, what no number follows is the escaped text “#”.
    let is_length = |token: &Token<'_>| token.text.iter().all(u8::is_ascii_digit);
    if let [Token { text: b"\\#", quoted: false }, rest @ ..] = tokens
        && (fields.is_none() || rest.first().is_none_or(is_length))
    {
        parse_opaque(rest, out)?;
        if out.len() - start > usize::from(u16::MAX) {
            return Err(format!("{rtype} RDATA of more than 65,535 bytes"));
        }
        // A known type must make sense even when it is written as opaque octets.
        digests::check(rtype, &out[start..])?;
        return match super::fits(rtype, &out[start..]) {
            true => Ok(()),
            false => Err(format!("the bytes are not {rtype} RDATA")),
        };
    }
    let fields = fields
        .ok_or_else(|| format!("{rtype} has no text format; write it as '\\# LENGTH HEX' (RFC 3597)"))?;
    let mut tokens = tokens;
    for &field in fields {
        parse_field(rtype, field, &mut tokens, origin, out)?;
    }
    if let [extra, ..] = tokens {
        return Err(format!("'{}' is left over after the {rtype} RDATA", extra.shown()));
    }
    if out.len() - start > usize::from(u16::MAX) {
        return Err(format!("{rtype} RDATA of more than 65,535 bytes"));
    }
    digests::check(rtype, &out[start..])
}

/// RFC 3597, section 5: a length and that many octets in hexadecimal.
fn parse_opaque(tokens: &[Token<'_>], out: &mut Vec<u8>) -> Result<(), Fault> {
    let [length, hex @ ..] = tokens else {
        return Err("a length must follow '\\#'".into());
    };
    let length: usize = length.number()?;
    let start = out.len();
    push_encoded(hex, &HEXUPPER_PERMISSIVE, "hexadecimal", out)?;
    match out.len() - start {
        found if found == length => Ok(()),
        found => {
            let octets = if found == 1 { "byte" } else { "bytes" };
            Err(format!("'\\# {length}' is followed by {found} {octets}"))
        }
    }
}

fn parse_field(
    rtype: Rtype,
    field: Field,
    tokens: &mut &[Token<'_>],
    origin: Option<&CasedName>,
    out: &mut Vec<u8>,
) -> Result<(), Fault> {
    // Fields that take whatever is left.
    match field {
        Field::Texts => {
            if tokens.is_empty() {
                return Err(format!("{rtype} needs at least one text"));
            }
            for token in std::mem::take(tokens) {
                push_character_string(token, out)?;
            }
            return Ok(());
        }
        Field::CasedNames => {
            for token in std::mem::take(tokens) {
                let name = CasedName::parse(token.text, origin).map_err(|e| e.to_string())?;
                out.extend_from_slice(name.as_wire());
            }
            return Ok(());
        }
        Field::TextOrEnd if tokens.is_empty() => return Ok(()),
        Field::Base64OrEnd => return push_encoded(std::mem::take(tokens), &BASE64, "Base64", out),
        Field::Base64OrHyphen => {
            return match some(tokens, rtype)? {
                [Token { text: b"-", .. }] => Ok(()),
                tokens => push_encoded(tokens, &BASE64, "Base64", out),
            };
        }
        Field::OldTypes => return sets::parse_old_types(tokens, out),
        Field::Services => return sets::parse_services(tokens, out),
        Field::Prefixes => return sets::parse_prefixes(tokens, out),
        Field::Location => return location::parse(tokens, out),
        Field::AddressSuffix => return gateways::parse_suffix(tokens, origin, out),
        Field::IpsecGateway => return gateways::parse_ipsec(tokens, origin, out),
        Field::Relay => return gateways::parse_relay(tokens, origin, out),
        Field::HostIdentity => return gateways::parse_host_identity(tokens, out),
        Field::Hex => return push_encoded(some(tokens, rtype)?, &HEXUPPER_PERMISSIVE, "hexadecimal", out),
        Field::Base64 => return push_encoded(some(tokens, rtype)?, &BASE64, "Base64", out),
        Field::Params => return params::parse(std::mem::take(tokens), out),
        Field::Types => {
            let mut types = Vec::new();
            for token in std::mem::take(tokens) {
                types.push(record_type(token)?);
            }
            bitmap::push(&mut types, out);
            return Ok(());
        }
        _ => {}
    }
    let token = &next(tokens, rtype)?;
    match field {
        Field::Name => {
            let name = CasedName::parse(token.text, origin).map_err(|e| e.to_string())?;
            out.extend_from_slice(name.lower().as_wire());
        }
        Field::CasedName => {
            let name = CasedName::parse(token.text, origin).map_err(|e| e.to_string())?;
            out.extend_from_slice(name.as_wire());
        }
        Field::U8 => out.push(token.number()?),
        Field::U16 => out.extend_from_slice(&token.number::<u16>()?.to_be_bytes()),
        Field::U64 => out.extend_from_slice(&token.number::<u64>()?.to_be_bytes()),
        Field::U32 => out.extend_from_slice(&token.number::<u32>()?.to_be_bytes()),
        Field::Ttl => out
            .extend_from_slice(&ttl(token.text).ok_or_else(|| token.not("a time in seconds"))?.to_be_bytes()),
        Field::Ipv4 => out.extend_from_slice(&token.parse::<Ipv4Addr>("an IPv4 address")?.octets()),
        Field::Ipv6 => out.extend_from_slice(&token.parse::<Ipv6Addr>("an IPv6 address")?.octets()),
        Field::Locator => addresses::parse_locator(token, out)?,
        Field::Eui(octets) => addresses::parse_eui(token, octets, out)?,
        Field::DottedHex => addresses::parse_dotted_hex(token, out)?,
        Field::AtmAddress => addresses::parse_atm(token, out)?,
        Field::Digits(least) => {
            if token.text.len() < least || !token.text.iter().all(u8::is_ascii_digit) {
                return Err(token.not(&format!("at least {least} digits")));
            }
            push_character_string(token, out)?;
        }
        Field::Text | Field::TextOrEnd => push_character_string(token, out)?,
        Field::Word => {
            let start = out.len() + 1;
            push_character_string(token, out)?;
            if !super::is_word(&out[start..]) {
                return Err(token.not("a tag of letters and digits (RFC 8659, section 4.1.1)"));
            }
        }
        Field::LongText => push_unescaped(token, out)?,
        Field::Salt if token.text == b"-" => out.push(0),
        Field::Hash if token.text.is_empty() => return Err(ends_too_early(rtype)),
        Field::Salt | Field::Hash => {
            let at = out.len();
            out.push(0);
            match field {
                Field::Salt => push_encoded(&[*token], &HEXUPPER_PERMISSIVE, "a salt in hexadecimal", out)?,
                _ => {
                    let upper = token.text.to_ascii_uppercase();
                    push_encoded(
                        &[Token { text: &upper, quoted: false }],
                        &BASE32HEX_NOPAD,
                        "Base32hex",
                        out,
                    )?;
                }
            }
            out[at] = u8::try_from(out.len() - at - 1).map_err(|_| token.not("at most 255 bytes"))?;
        }
        Field::Type => {
            let number = token.number().map(Rtype);
            out.extend_from_slice(&number.or_else(|_| record_type(token))?.0.to_be_bytes());
        }
        Field::Certificate => {
            out.extend_from_slice(&words::number(token, words::CERTIFICATES)?.to_be_bytes());
        }
        Field::KeyFlags => out.extend_from_slice(&words::key_flags(token)?.to_be_bytes()),
        Field::KeyProtocol => out.push(words::octet(token, words::KEY_PROTOCOLS)?),
        Field::Scheme => out.push(words::octet(token, words::SCHEMES)?),
        Field::Algorithm => {
            let number = token.utf8().and_then(rtype::algorithm_number);
            out.push(number.ok_or_else(|| token.not("a DNSSEC algorithm number or mnemonic"))?);
        }
        Field::Time => {
            let time = token.utf8().and_then(seconds);
            let time = time.ok_or_else(|| token.not("a time YYYYMMDDHHmmSS or seconds since 1970"))?;
            // A serial number (RFC 4034, section 3.1.5): modulo 2³², whatever the year, as BIND reads it.
            out.extend_from_slice(&(time as u32).to_be_bytes());
        }
        // The rest was read above.
        _ => {}
    }
    Ok(())
}

/// Reads a time to live: seconds, or numbers with the units of BIND (`1w2d3h4m5s`).
pub(crate) fn ttl(text: &[u8]) -> Option<u32> {
    let (mut total, mut number) = (0u32, None::<u32>);
    for octet in text {
        let unit = match octet.to_ascii_lowercase() {
            digit @ b'0'..=b'9' => {
                number = Some(number.unwrap_or(0).checked_mul(10)?.checked_add(u32::from(digit - b'0'))?);
                continue;
            }
            b's' => 1,
            b'm' => 60,
            b'h' => 3_600,
            b'd' => 86_400,
            b'w' => 604_800,
            _ => return None,
        };
        total = total.checked_add(number.take()?.checked_mul(unit)?)?;
    }
    match number {
        Some(seconds) if total == 0 => Some(seconds),
        None if !text.is_empty() => Some(total),
        _ => None,
    }
}

/// Reads a moment as RRSIG writes it: fourteen digits are a date `YYYYMMDDHHmmSS` in UTC, fewer are seconds since 1970
/// (RFC 4034, section 3.2). A date that 32 bits do not hold, which is one after 2106-02-07 06:28:15 or before 1970, is
/// none: it would silently mean another one.
pub fn parse_time(text: &str) -> Option<u32> {
    u32::try_from(seconds(text)?).ok()
}

/// As [`parse_time`], of any year.
fn seconds(text: &str) -> Option<i64> {
    if !text.bytes().all(|octet| octet.is_ascii_digit()) {
        return None;
    }
    if text.len() != 14 {
        return text.parse::<u32>().ok().map(i64::from);
    }
    let number = |range: std::ops::Range<usize>| text[range].parse::<i8>().ok();
    let year = text[..4].parse::<i16>().ok()?;
    let civil = DateTime::new(
        year,
        number(4..6)?,
        number(6..8)?,
        number(8..10)?,
        number(10..12)?,
        number(12..14)?,
        0,
    )
    .ok()?;
    Some(civil.duration_since(date(1970, 1, 1).to_datetime(Time::midnight())).as_secs())
}

#[cfg(test)]
mod tests {
    use super::{parse_time, seconds};

    #[test]
    fn dates_fit_32_bits() {
        assert_eq!(parse_time("19700101000000"), Some(0));
        assert_eq!(parse_time("21060207062815"), Some(u32::MAX));
        assert_eq!(parse_time("4294967295"), Some(u32::MAX));
        for none in ["21060207062816", "21700101000000", "19691231235959", "4294967296", "20260230000000"] {
            assert_eq!(parse_time(none), None, "{none}");
        }
        // What `named-checkzone -D` (BIND 9.18.49) makes of these times in an RRSIG.
        for (years, serial) in [
            ("21220101000000", "19851124173144"),
            ("00100101000000", "20510714010400"),
            ("00000101000000", "20410713010400"),
            ("99991231235959", "19691223021215"),
        ] {
            assert_eq!(seconds(years).unwrap() as u32, seconds(serial).unwrap() as u32, "{years}");
        }
    }
}
