//! Record types: their numbers, their names, and how the RDATA of each is written.

use std::fmt;

/// A record type by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rtype(pub u16);

/// One field of a record's RDATA, in the order of the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// A name that the canonical form lowers (RFC 4034, section 6.2, with RFC 6840, section 5.1).
    Name,
    /// A name that keeps its case.
    CasedName,
    /// An octet.
    U8,
    /// Two octets, big endian.
    U16,
    /// Four octets, big endian.
    U32,
    /// Four octets, written as a number or with units (`1h30m`).
    Ttl,
    /// An IPv4 address.
    Ipv4,
    /// An IPv6 address.
    Ipv6,
    /// One character-string: a length octet and up to 255 octets.
    Text,
    /// One character-string that is written without quotes (the tag of CAA, RFC 8659, section 4.1.1).
    Word,
    /// One or more character-strings up to the end.
    Texts,
    /// Octets up to the end, written as one quoted text (CAA, URI).
    LongText,
    /// Octets up to the end in hexadecimal, spaces allowed.
    Hex,
    /// A length octet and octets in hexadecimal, `-` for none (the salt of NSEC3).
    Salt,
    /// A length octet and octets in Base32hex without padding (the next hashed owner of NSEC3).
    Hash,
    /// Octets up to the end in Base64, spaces allowed.
    Base64,
    /// Service parameters up to the end (RFC 9460, section 2.2).
    Params,
    /// A type bitmap up to the end (RFC 4034, section 4.1.2).
    Types,
    /// A record type by mnemonic (the Type Covered of RRSIG).
    Type,
    /// A DNSSEC algorithm, by number or registered mnemonic.
    Algorithm,
    /// A certificate type, by number or registered mnemonic (RFC 4398, section 2.1).
    Certificate,
    /// Seconds since 1970, written `YYYYMMDDHHmmSS` or as a number.
    Time,
}

macro_rules! types {
    ($($name:ident = $number:literal: $($field:ident)*;)*) => {
        impl Rtype {
            $(#[doc = concat!("Type ", stringify!($number), ".")] pub const $name: Rtype = Rtype($number);)*

            /// The type's mnemonic, where this table has it.
            pub fn mnemonic(self) -> Option<&'static str> {
                match self.0 {
                    $($number => Some(stringify!($name)),)*
                    _ => None,
                }
            }

            /// The fields of the type's RDATA; `None` for a type that is only handled as opaque octets (RFC 3597).
            pub fn fields(self) -> Option<&'static [Field]> {
                match self.0 {
                    $($number => Some(&[$(Field::$field),*]),)*
                    _ => None,
                }
            }

            fn by_mnemonic(upper: &[u8]) -> Option<Rtype> {
                $(if upper == stringify!($name).as_bytes() {
                    return Some(Rtype::$name);
                })*
                None
            }
        }
    };
}

types! {
    A = 1: Ipv4;
    NS = 2: Name;
    MD = 3: Name;
    MF = 4: Name;
    CNAME = 5: Name;
    SOA = 6: Name Name U32 Ttl Ttl Ttl Ttl;
    MB = 7: Name;
    MG = 8: Name;
    MR = 9: Name;
    PTR = 12: Name;
    HINFO = 13: Text Text;
    MINFO = 14: Name Name;
    MX = 15: U16 Name;
    TXT = 16: Texts;
    RP = 17: Name Name;
    AFSDB = 18: U16 Name;
    RT = 21: U16 Name;
    PX = 26: U16 Name Name;
    AAAA = 28: Ipv6;
    SRV = 33: U16 U16 U16 Name;
    NAPTR = 35: U16 U16 Text Text Text Name;
    KX = 36: U16 Name;
    CERT = 37: Certificate U16 Algorithm Base64;
    DNAME = 39: Name;
    DS = 43: U16 Algorithm U8 Hex;
    SSHFP = 44: U8 U8 Hex;
    RRSIG = 46: Type Algorithm U8 Ttl Time Time U16 Name Base64;
    NSEC = 47: CasedName Types;
    DNSKEY = 48: U16 U8 Algorithm Base64;
    NSEC3 = 50: U8 U8 U16 Salt Hash Types;
    NSEC3PARAM = 51: U8 U8 U16 Salt;
    TLSA = 52: U8 U8 U8 Hex;
    SMIMEA = 53: U8 U8 U8 Hex;
    CDS = 59: U16 Algorithm U8 Hex;
    CDNSKEY = 60: U16 U8 Algorithm Base64;
    OPENPGPKEY = 61: Base64;
    CSYNC = 62: U32 U16 Types;
    ZONEMD = 63: U32 U8 U8 Hex;
    SVCB = 64: U16 CasedName Params;
    HTTPS = 65: U16 CasedName Params;
    SPF = 99: Texts;
    URI = 256: U16 U16 LongText;
    CAA = 257: U8 Word LongText;
}

impl Rtype {
    /// Reads a mnemonic in any case, or the `TYPE123` form of RFC 3597, section 5.
    pub fn parse(text: &[u8]) -> Option<Rtype> {
        let mut upper = [0u8; 16];
        let upper = upper.get_mut(..text.len())?;
        upper.copy_from_slice(text);
        upper.make_ascii_uppercase();
        // The types that fill every zone come first; the rest are searched in turn.
        match &*upper {
            b"NS" => Some(Rtype::NS),
            b"A" => Some(Rtype::A),
            b"AAAA" => Some(Rtype::AAAA),
            b"DS" => Some(Rtype::DS),
            b"RRSIG" => Some(Rtype::RRSIG),
            b"NSEC" => Some(Rtype::NSEC),
            other => match other.strip_prefix(b"TYPE") {
                // Rust also reads a plus sign.
                Some([b'+', ..]) => None,
                Some(digits) => std::str::from_utf8(digits).ok()?.parse().ok().map(Rtype),
                None => Rtype::by_mnemonic(other),
            },
        }
    }
}

impl fmt::Display for Rtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mnemonic() {
            Some(mnemonic) => f.write_str(mnemonic),
            None => write!(f, "TYPE{}", self.0),
        }
    }
}

/// The mnemonics of IANA's registry of DNSSEC algorithm numbers, for reading zone and key files.
pub fn algorithm_number(text: &str) -> Option<u8> {
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let upper = text.to_ascii_uppercase();
    ALGORITHMS.iter().find(|(_, mnemonic)| *mnemonic == upper).map(|(number, _)| *number)
}

/// IANA's mnemonic of a DNSSEC algorithm number.
pub fn algorithm_mnemonic(number: u8) -> Option<&'static str> {
    ALGORITHMS.iter().find(|(n, _)| *n == number).map(|(_, mnemonic)| *mnemonic)
}

const ALGORITHMS: &[(u8, &str)] = &[
    (5, "RSASHA1"),
    (7, "NSEC3RSASHA1"),
    (8, "RSASHA256"),
    (10, "RSASHA512"),
    (13, "ECDSAP256SHA256"),
    (14, "ECDSAP384SHA384"),
    (15, "ED25519"),
    (16, "ED448"),
    (18, "MLDSA44"),
    (253, "PRIVATEDNS"),
    (254, "PRIVATEOID"),
];
