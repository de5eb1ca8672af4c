//! RDATA in wire form becomes text.

use std::net::{Ipv4Addr, Ipv6Addr};

use data_encoding::{BASE32HEX_NOPAD, BASE64, HEXUPPER};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::octets::{Malformed, push_encoding, push_number, take, take_u16, take_u32};
use super::{addresses, gateways, location, sets};
use crate::bitmap;
use crate::name;
use crate::rtype::{Field, Rtype};

/// Appends the text of RDATA in wire form; a type that not all tools know is written as RFC 3597 writes it.
pub(crate) fn push_text(rtype: Rtype, rdata: &[u8], out: &mut Vec<u8>) -> Result<(), Malformed> {
    let Some(fields) = rtype.fields().filter(|_| rtype.is_written_in_own_form()) else {
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
        Field::U8 | Field::Algorithm | Field::KeyProtocol => {
            push_number(u32::from(take(rest, 1)?[0]), out);
        }
        Field::U16 | Field::Certificate | Field::KeyFlags => push_number(u32::from(take_u16(rest)?), out),
        Field::U32 | Field::Ttl => push_number(take_u32(rest)?, out),
        Field::Time => push_time(take_u32(rest)?, out),
        Field::Type => Rtype(take_u16(rest)?).push_text(out),
        Field::Locator => addresses::push_locator(take(rest, 8)?, out),
        Field::Eui(octets) => addresses::push_eui(take(rest, octets)?, out),
        Field::Location => location::push_text(rest, out)?,
        Field::IpsecGateway => gateways::push_ipsec(rest, out)?,
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
            if !super::is_word(word) {
                return Err(Malformed);
            }
            out.extend_from_slice(word);
        }
        Field::Texts => {
            push_field(Field::Text, rest, out)?;
            while !rest.is_empty() {
                out.push(b' ');
                push_field(Field::Text, rest, out)?;
            }
        }
        // Of types that are written as RFC 3597 writes unknown ones, by the caller.
        Field::CasedNames
        | Field::U64
        | Field::TextOrEnd
        | Field::Digits(_)
        | Field::DottedHex
        | Field::AtmAddress
        | Field::Base64OrHyphen
        | Field::Params
        | Field::OldTypes
        | Field::Services
        | Field::AddressSuffix
        | Field::Relay
        | Field::HostIdentity
        | Field::Scheme => return Err(Malformed),
        Field::LongText => push_quoted(std::mem::take(rest), out),
        Field::Hex => push_encoding(&HEXUPPER, std::mem::take(rest), out),
        // Nothing at all is read by few tools where they expect something.
        Field::Base64OrEnd | Field::Prefixes if rest.is_empty() => return Err(Malformed),
        Field::Prefixes => sets::push_prefixes(rest, out)?,
        Field::Base64 | Field::Base64OrEnd => push_encoding(&BASE64, std::mem::take(rest), out),
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
                rtype.map_err(|_| Malformed)?.push_text(out);
            }
        }
    }
    Ok(())
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
