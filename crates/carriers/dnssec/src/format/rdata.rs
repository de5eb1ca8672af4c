//! RDATA between its wire form and its text, driven by the field table in [`crate::rtype`].

use std::net::{Ipv4Addr, Ipv6Addr};

use data_encoding::{BASE32HEX_NOPAD, BASE64, HEXUPPER, HEXUPPER_PERMISSIVE};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::scan::Token;
use crate::bitmap;
use crate::name::{self, Name};
use crate::rtype::{self, Field, Rtype};

/// What is wrong with a record's RDATA, in words that end a sentence “line 7: …”.
pub(super) type Fault = String;

/// Reads the RDATA of a record from its tokens and appends its wire form to `out`.
pub(super) fn parse(
    rtype: Rtype,
    tokens: &[Token<'_>],
    origin: Option<&Name>,
    out: &mut Vec<u8>,
) -> Result<(), Fault> {
    let start = out.len();
    if let [Token { text: b"\\#", quoted: false }, rest @ ..] = tokens {
        parse_opaque(rest, out)?;
        // A known type must make sense even when it is written as opaque octets.
        if rtype.fields().is_some() {
            let mut ignored = Vec::new();
            push_text(rtype, &out[start..], &mut ignored)
                .map_err(|_| format!("the octets are no {rtype} RDATA"))?;
        }
        return Ok(());
    }
    let fields = rtype.fields().ok_or_else(|| {
        format!("no text form is known for {rtype}; write it as “\\# LENGTH HEX” (RFC 3597)")
    })?;
    let mut tokens = tokens;
    for &field in fields {
        parse_field(rtype, field, &mut tokens, origin, out)?;
    }
    if let [extra, ..] = tokens {
        return Err(format!("“{}” is left over after the {rtype} RDATA", extra.shown()));
    }
    if out.len() - start > usize::from(u16::MAX) {
        return Err(format!("{rtype} RDATA of more than 65,535 octets"));
    }
    Ok(())
}

/// RFC 3597, section 5: a length and that many octets in hexadecimal.
fn parse_opaque(tokens: &[Token<'_>], out: &mut Vec<u8>) -> Result<(), Fault> {
    let [length, hex @ ..] = tokens else {
        return Err("a length must follow “\\#”".into());
    };
    let length: usize = length.number()?;
    let start = out.len();
    push_encoded(hex, &HEXUPPER_PERMISSIVE, "hexadecimal", out)?;
    match out.len() - start {
        found if found == length => Ok(()),
        found => Err(format!("“\\# {length}” is followed by {found} octets")),
    }
}

fn parse_field(
    rtype: Rtype,
    field: Field,
    tokens: &mut &[Token<'_>],
    origin: Option<&Name>,
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
        Field::Hex => return push_encoded(some(tokens, rtype)?, &HEXUPPER_PERMISSIVE, "hexadecimal", out),
        Field::Base64 => return push_encoded(some(tokens, rtype)?, &BASE64, "Base64", out),
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
    let [token, rest @ ..] = *tokens else {
        return Err(format!("the {rtype} RDATA ends too early"));
    };
    *tokens = rest;
    match field {
        Field::Name => {
            let name = Name::parse(token.text, origin).map_err(|e| e.to_string())?;
            out.extend_from_slice(name.as_wire());
        }
        Field::CasedName => {
            // RFC 6840, section 5.1 keeps the case of NSEC's next name; this workbench only knows lower-case owners.
            let name = Name::parse(token.text, origin).map_err(|e| e.to_string())?;
            out.extend_from_slice(name.as_wire());
        }
        Field::U8 => out.push(token.number()?),
        Field::U16 => out.extend_from_slice(&token.number::<u16>()?.to_be_bytes()),
        Field::U32 => out.extend_from_slice(&token.number::<u32>()?.to_be_bytes()),
        Field::Ttl => out
            .extend_from_slice(&ttl(token.text).ok_or_else(|| token.not("a time in seconds"))?.to_be_bytes()),
        Field::Ipv4 => out.extend_from_slice(&token.parse::<Ipv4Addr>("an IPv4 address")?.octets()),
        Field::Ipv6 => out.extend_from_slice(&token.parse::<Ipv6Addr>("an IPv6 address")?.octets()),
        Field::Text | Field::Word => push_character_string(token, out)?,
        Field::LongText => push_unescaped(token, out)?,
        Field::Salt if token.text == b"-" => out.push(0),
        Field::Salt | Field::Hash => {
            let at = out.len();
            out.push(0);
            match field {
                Field::Salt => push_encoded(&[*token], &HEXUPPER_PERMISSIVE, "hexadecimal", out)?,
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
            out[at] = u8::try_from(out.len() - at - 1).map_err(|_| token.not("at most 255 octets"))?;
        }
        Field::Type => out.extend_from_slice(&record_type(token)?.0.to_be_bytes()),
        Field::Algorithm => {
            let number = token.utf8().and_then(rtype::algorithm_number);
            out.push(number.ok_or_else(|| token.not("a DNSSEC algorithm number or mnemonic"))?);
        }
        Field::Time => out.extend_from_slice(
            &token
                .utf8()
                .and_then(parse_time)
                .ok_or_else(|| token.not("a time YYYYMMDDHHmmSS"))?
                .to_be_bytes(),
        ),
        Field::Texts | Field::Hex | Field::Base64 | Field::Types => {}
    }
    Ok(())
}

fn some<'t, 'a>(tokens: &mut &'t [Token<'a>], rtype: Rtype) -> Result<&'t [Token<'a>], Fault> {
    match std::mem::take(tokens) {
        [] => Err(format!("the {rtype} RDATA ends too early")),
        tokens => Ok(tokens),
    }
}

fn record_type(token: &Token<'_>) -> Result<Rtype, Fault> {
    Rtype::parse(token.text).ok_or_else(|| token.not("a record type"))
}

/// Decodes the tokens as one text without the spaces between them.
fn push_encoded(
    tokens: &[Token<'_>],
    encoding: &data_encoding::Encoding,
    called: &str,
    out: &mut Vec<u8>,
) -> Result<(), Fault> {
    let joined;
    let text = match tokens {
        [one] => one.text,
        many => {
            joined = many.iter().flat_map(|token| token.text).copied().collect::<Vec<u8>>();
            &joined
        }
    };
    let fault = |detail: &dyn std::fmt::Display| format!("invalid {called}: {detail}");
    let at = out.len();
    let most = encoding.decode_len(text.len()).map_err(|e| fault(&e))?;
    out.resize(at + most, 0);
    let len = encoding.decode_mut(text, &mut out[at..]).map_err(|e| fault(&e.error))?;
    out.truncate(at + len);
    Ok(())
}

fn push_character_string(token: &Token<'_>, out: &mut Vec<u8>) -> Result<(), Fault> {
    let at = out.len();
    out.push(0);
    push_unescaped(token, out)?;
    out[at] = u8::try_from(out.len() - at - 1).map_err(|_| token.not("a text of at most 255 octets"))?;
    Ok(())
}

fn push_unescaped(token: &Token<'_>, out: &mut Vec<u8>) -> Result<(), Fault> {
    let mut rest = token.text;
    while let [octet, after @ ..] = rest {
        rest = after;
        if *octet != b'\\' {
            out.push(*octet);
            continue;
        }
        let (escaped, used) = name::unescape(rest).ok_or_else(|| token.not("a text with valid escapes"))?;
        out.push(escaped);
        rest = &rest[used..];
    }
    Ok(())
}

/// Reads a time to live: seconds, or numbers with the units of BIND (`1w2d3h4m5s`).
pub(super) fn ttl(text: &[u8]) -> Option<u32> {
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
/// modulo 2³² (RFC 4034, section 3.2).
pub fn parse_time(text: &str) -> Option<u32> {
    if text.len() != 14 {
        return text.parse().ok();
    }
    if !text.bytes().all(|octet| octet.is_ascii_digit()) {
        return None;
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
    let seconds = civil.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second();
    Some(seconds as u32)
}

/// A moment as RRSIG writes it, `YYYYMMDDHHmmSS` in UTC.
pub(crate) fn push_time(seconds: u32, out: &mut Vec<u8>) {
    let civil =
        Timestamp::from_second(i64::from(seconds)).map(|t| TimeZone::UTC.to_datetime(t)).unwrap_or_default();
    push_digits(civil.year() as u32, 4, out);
    for part in [civil.month(), civil.day(), civil.hour(), civil.minute(), civil.second()] {
        push_digits(part as u32, 2, out);
    }
}

fn push_digits(value: u32, digits: u32, out: &mut Vec<u8>) {
    for place in (0..digits).rev() {
        out.push(b'0' + (value / 10u32.pow(place) % 10) as u8);
    }
}

/// Lowers the names in RDATA in wire form that the canonical form lowers (RFC 4034, section 6.2).
pub(crate) fn lower_names(rtype: Rtype, rdata: &mut [u8]) {
    let Some(fields) = rtype.fields().filter(|fields| fields.contains(&Field::Name)) else { return };
    let mut at = 0;
    for field in fields {
        let Some(rest) = rdata.get_mut(at..) else { return };
        at += match field {
            Field::Name => {
                let Some(len) = name::wire_len(rest) else { return };
                // Length octets are at most 63 and thus never letters.
                rest[..len].make_ascii_lowercase();
                len
            }
            Field::U8 | Field::Algorithm => 1,
            Field::U16 | Field::Type => 2,
            Field::U32 | Field::Ttl | Field::Time | Field::Ipv4 => 4,
            Field::Ipv6 => 16,
            Field::Text | Field::Word | Field::Salt | Field::Hash => {
                1 + rest.first().map_or(0, |len| usize::from(*len))
            }
            // No type has a name behind these.
            Field::CasedName | Field::Texts | Field::LongText | Field::Hex | Field::Base64 | Field::Types => {
                return;
            }
        };
    }
}

/// The RDATA is shorter or longer than its type's fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Malformed;

/// Appends the text of RDATA in wire form; a type without a field table is written as RFC 3597 writes it.
pub(super) fn push_text(rtype: Rtype, rdata: &[u8], out: &mut Vec<u8>) -> Result<(), Malformed> {
    let Some(fields) = rtype.fields() else {
        out.extend_from_slice(format!("\\# {}", rdata.len()).as_bytes());
        if !rdata.is_empty() {
            out.push(b' ');
            push_encoding(&HEXUPPER, rdata, out);
        }
        return Ok(());
    };
    let mut rest = rdata;
    for (at, &field) in fields.iter().enumerate() {
        if at > 0 {
            out.push(b' ');
        }
        push_field(field, &mut rest, out)?;
    }
    if rest.is_empty() { Ok(()) } else { Err(Malformed) }
}

fn push_field(field: Field, rest: &mut &[u8], out: &mut Vec<u8>) -> Result<(), Malformed> {
    match field {
        Field::Name | Field::CasedName => {
            let len = name::wire_len(rest).ok_or(Malformed)?;
            name::push_text(take(rest, len)?, out);
        }
        Field::U8 => push_number(u32::from(take(rest, 1)?[0]), out),
        Field::Algorithm => push_number(u32::from(take(rest, 1)?[0]), out),
        Field::U16 => push_number(u32::from(take_u16(rest)?), out),
        Field::U32 | Field::Ttl => push_number(take_u32(rest)?, out),
        Field::Time => push_time(take_u32(rest)?, out),
        Field::Type => out.extend_from_slice(Rtype(take_u16(rest)?).to_string().as_bytes()),
        Field::Ipv4 => {
            let octets: [u8; 4] = take(rest, 4)?.try_into().map_err(|_| Malformed)?;
            out.extend_from_slice(Ipv4Addr::from(octets).to_string().as_bytes());
        }
        Field::Ipv6 => {
            let octets: [u8; 16] = take(rest, 16)?.try_into().map_err(|_| Malformed)?;
            out.extend_from_slice(Ipv6Addr::from(octets).to_string().as_bytes());
        }
        Field::Text => {
            let len = usize::from(take(rest, 1)?[0]);
            push_quoted(take(rest, len)?, out);
        }
        Field::Word => {
            let len = usize::from(take(rest, 1)?[0]);
            let word = take(rest, len)?;
            // Other tools refuse quotes here, but something must stand for what is no word.
            if !word.is_empty() && word.iter().all(u8::is_ascii_alphanumeric) {
                out.extend_from_slice(word);
            } else {
                push_quoted(word, out);
            }
        }
        Field::Texts => {
            push_field(Field::Text, rest, out)?;
            while !rest.is_empty() {
                out.push(b' ');
                push_field(Field::Text, rest, out)?;
            }
        }
        Field::LongText => push_quoted(std::mem::take(rest), out),
        Field::Hex => push_encoding(&HEXUPPER, std::mem::take(rest), out),
        Field::Base64 => push_encoding(&BASE64, std::mem::take(rest), out),
        Field::Salt => match usize::from(take(rest, 1)?[0]) {
            0 => out.push(b'-'),
            len => push_encoding(&HEXUPPER, take(rest, len)?, out),
        },
        Field::Hash => {
            let len = usize::from(take(rest, 1)?[0]);
            push_encoding(&BASE32HEX_NOPAD, take(rest, len)?, out);
        }
        Field::Types => {
            for (at, rtype) in bitmap::iter(std::mem::take(rest)).enumerate() {
                if at > 0 {
                    out.push(b' ');
                }
                out.extend_from_slice(rtype.map_err(|_| Malformed)?.to_string().as_bytes());
            }
        }
    }
    Ok(())
}

fn take<'a>(rest: &mut &'a [u8], len: usize) -> Result<&'a [u8], Malformed> {
    let (taken, left) = rest.split_at_checked(len).ok_or(Malformed)?;
    *rest = left;
    Ok(taken)
}

fn take_u16(rest: &mut &[u8]) -> Result<u16, Malformed> {
    take(rest, 2).map(|b| u16::from_be_bytes([b[0], b[1]]))
}

fn take_u32(rest: &mut &[u8]) -> Result<u32, Malformed> {
    take(rest, 4).map(|b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]))
}

/// Appends a number in decimal.
pub(super) fn push_number(value: u32, out: &mut Vec<u8>) {
    let mut digits = [0u8; 10];
    let (mut at, mut left) = (digits.len(), value);
    loop {
        at -= 1;
        digits[at] = b'0' + (left % 10) as u8;
        left /= 10;
        if left == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

fn push_encoding(encoding: &data_encoding::Encoding, octets: &[u8], out: &mut Vec<u8>) {
    let at = out.len();
    out.resize(at + encoding.encode_len(octets.len()), 0);
    encoding.encode_mut(octets, &mut out[at..]);
}

fn push_quoted(octets: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for &octet in octets {
        match octet {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', octet]),
            0x20..=0x7e => out.push(octet),
            _ => {
                out.push(b'\\');
                push_digits(u32::from(octet), 3, out);
            }
        }
    }
    out.push(b'"');
}
