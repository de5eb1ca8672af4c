//! RDATA between its wire form and its text, driven by the field table in [`crate::rtype`].

mod addresses;
mod digests;
mod gateways;
mod location;
mod octets;
mod params;
mod parse;
mod print;
mod sets;
mod token;
mod words;

use crate::bitmap;
use crate::name;
use crate::rtype::{Field, Rtype};

pub(crate) use octets::push_number;
pub use parse::parse_time;
pub(crate) use parse::{parse, ttl};
pub(crate) use print::{push_text, push_time};
pub(crate) use token::{Fault, Token, form_of};

pub(crate) const UNFIT: &str = "the RDATA does not have the fields of its type";
/// The longest time to live in seconds (RFC 2181, section 8).
pub(crate) const MAX_TTL: u32 = (1 << 31) - 1;

/// The octets of RDLENGTH (RFC 1035, section 3.2.1); [`check`] has refused what is longer.
pub(crate) fn rdlength(rdata: &[u8]) -> [u8; 2] {
    u16::try_from(rdata.len()).expect("RDATA of at most 65,535 bytes").to_be_bytes()
}

/// Refuses what no zone can have, whatever its fields are: types that are not in zones, RDATA of more than 65,535
/// octets, TTLs that are out of range.
pub(crate) fn check(rtype: Rtype, ttl: u32, rdata: &[u8]) -> Result<(), Fault> {
    if ttl > MAX_TTL {
        return Err(format!("a TTL of {ttl} seconds; the most is {MAX_TTL} (RFC 2181, section 8)"));
    }
    if let Some(why) = rtype.not_in_zones() {
        return Err(why);
    }
    if rdata.len() > usize::from(u16::MAX) {
        return Err(format!("RDATA of {} bytes; the most is 65,535 (RFC 1035, section 3.2.1)", rdata.len()));
    }
    Ok(())
}

/// Lowers the names in RDATA in wire form that the canonical form lowers (RFC 4034, section 6.2).
pub(crate) fn lower_names(rtype: Rtype, rdata: &mut [u8]) {
    let lowers = |field: &Field| matches!(field, Field::Name | Field::AddressSuffix);
    let Some(fields) = rtype.fields().filter(|fields| fields.iter().any(lowers)) else { return };
    let mut at = 0;
    for field in fields {
        let Some(rest) = rdata.get_mut(at..) else { return };
        let Some(len) = field_len(*field, rest) else { return };
        // Length octets are at most 63 and thus never letters.
        match field {
            Field::Name => rest[..len].make_ascii_lowercase(),
            Field::AddressSuffix => {
                if let Some(name) = gateways::suffix_name_at(rest) {
                    rest[name..].make_ascii_lowercase();
                }
            }
            _ => {}
        }
        at += len;
    }
}

/// Whether RDATA in wire form has the fields of its type, no more and no less, and digests of the length of their own.
/// Unknown types may have any.
pub(crate) fn fits(rtype: Rtype, rdata: &[u8]) -> bool {
    let Some(fields) = rtype.fields() else { return true };
    let mut rest = rdata;
    for field in fields {
        let Some(after) = field_len(*field, rest).and_then(|len| rest.get(len..)) else { return false };
        rest = after;
    }
    rest.is_empty() && digests::check(rtype, rdata).is_ok()
}

/// The length of the field that `rest` begins with, as far as it can be told; it may be longer than `rest`.
fn field_len(field: Field, rest: &[u8]) -> Option<usize> {
    let counted = |rest: &[u8]| rest.first().map(|len| 1 + usize::from(*len));
    // For fields that take all that is left.
    let all = |fits: bool| fits.then_some(rest.len());
    match field {
        Field::Name | Field::CasedName => name::wire_len(rest),
        Field::CasedNames => {
            let mut at = 0;
            while at < rest.len() {
                at += name::wire_len(&rest[at..])?;
            }
            Some(at)
        }
        Field::U8 | Field::Algorithm | Field::KeyProtocol | Field::Scheme => Some(1),
        Field::U16 | Field::Type | Field::Certificate | Field::KeyFlags => Some(2),
        Field::U32 | Field::Ttl | Field::Time | Field::Ipv4 => Some(4),
        Field::U64 | Field::Locator => Some(8),
        Field::Eui(octets) => Some(octets),
        Field::Ipv6 => Some(16),
        Field::TextOrEnd if rest.is_empty() => Some(0),
        Field::Text | Field::TextOrEnd | Field::Salt | Field::Hash => counted(rest),
        Field::Word => counted(rest).filter(|len| rest.get(1..*len).is_some_and(is_word)),
        Field::Digits(least) => counted(rest).filter(|len| *len > least),
        Field::Texts => {
            let mut at = counted(rest)?;
            while at < rest.len() {
                at += counted(&rest[at..])?;
            }
            Some(at)
        }
        Field::LongText | Field::Base64OrEnd | Field::Base64OrHyphen => Some(rest.len()),
        Field::Params => all(params::check(rest).is_ok()),
        // These have no text form when they are empty.
        Field::Hex | Field::DottedHex | Field::Base64 => all(!rest.is_empty()),
        Field::AtmAddress => all(rest.len() > 1),
        Field::Types => all(bitmap::iter(rest).all(|rtype| rtype.is_ok())),
        // A bitmap of up to 128 bits that does not end in a zero (RFC 2535, section 5.2).
        Field::OldTypes => all(rest.len() <= 16 && rest.last() != Some(&0)),
        // 65,536 ports.
        Field::Services => all((1..=1 + 8192).contains(&rest.len())),
        Field::Prefixes => sets::prefixes_len(rest),
        Field::Location => all(location::fits(rest)),
        Field::AddressSuffix => all(gateways::suffix_name_at(rest).is_some()),
        Field::IpsecGateway => all(gateways::ipsec_fits(rest)),
        Field::Relay => all(gateways::relay_fits(rest)),
        Field::HostIdentity => gateways::host_identity_len(rest),
    }
}

/// Letters and digits, at least one of them (RFC 8659, section 4.1.1).
fn is_word(octets: &[u8]) -> bool {
    !octets.is_empty() && octets.iter().all(u8::is_ascii_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rdata_has_the_fields_of_its_type() {
        for (rtype, rdata) in [
            (Rtype::A, &[1u8, 2, 3, 4][..]),
            (Rtype::MX, b"\0\x0a\x01a\0"),
            (Rtype::TXT, b"\0\x01a"),
            (Rtype::NSEC, b"\x01a\0\0\x01\x40"),
            (Rtype::NSEC, b"\x01a\0"),
            (Rtype::NSEC3PARAM, b"\x01\0\0\0\0"),
            (Rtype(65280), b""),
        ] {
            assert!(fits(rtype, rdata), "{rtype} {rdata:?}");
        }
        for (rtype, rdata) in [
            (Rtype::A, &[1u8, 2, 3][..]),
            (Rtype::A, &[1, 2, 3, 4, 5]),
            (Rtype::MX, b"\0\x0a\x01a"),
            (Rtype::TXT, b""),
            (Rtype::TXT, b"\x02a"),
            (Rtype::NSEC, b"\x01a\0\0\x01\0"),
            (Rtype::DS, b"\0\x01\x0d\x02"),
            (Rtype::NSEC3PARAM, b"\x01\0\0\0\x01"),
        ] {
            assert!(!fits(rtype, rdata), "{rtype} {rdata:?}");
        }
    }
}
