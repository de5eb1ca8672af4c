//! Record types: their numbers, their names, and how the RDATA of each is written.

use std::fmt;

/// A record type by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rtype(pub u16);

/// One field of a record's RDATA, in the order of the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Field {
    /// A name that the canonical form lowers (RFC 4034, section 6.2, with RFC 6840, section 5.1).
    Name,
    /// A name that keeps its case.
    CasedName,
    /// Names up to the end, which keep their case.
    CasedNames,
    /// An octet.
    U8,
    /// Two octets, big endian.
    U16,
    /// Four octets, big endian.
    U32,
    /// Eight octets, big endian.
    U64,
    /// Four octets, written as a number or with units (`1h30m`).
    Ttl,
    /// An IPv4 address.
    Ipv4,
    /// An IPv6 address.
    Ipv6,
    /// Eight octets as four groups of hexadecimal digits between colons (RFC 6742, section 2.1.1).
    Locator,
    /// This many octets in hexadecimal with hyphens between them (RFC 7043).
    Eui(usize),
    /// One character-string: a length octet and up to 255 octets.
    Text,
    /// A character-string that may be missing at the end.
    TextOrEnd,
    /// A character-string of digits, at least so many (RFC 1183, section 3.1).
    Digits(usize),
    /// One character-string that is written without quotes (the tag of CAA, RFC 8659, section 4.1.1).
    Word,
    /// One or more character-strings up to the end.
    Texts,
    /// Octets up to the end, written as one quoted text (CAA, URI).
    LongText,
    /// Octets up to the end in hexadecimal, spaces allowed.
    Hex,
    /// Octets up to the end in hexadecimal behind `0x`, dots allowed (RFC 1706, section 5).
    DottedHex,
    /// A format octet and an address up to the end: 0 for hexadecimal, 1 for digits behind a plus sign (ATMA).
    AtmAddress,
    /// A length octet and octets in hexadecimal, `-` for none (the salt of NSEC3).
    Salt,
    /// A length octet and octets in Base32hex without padding (the next hashed owner of NSEC3).
    Hash,
    /// Octets up to the end in Base64, spaces allowed.
    Base64,
    /// As `Base64`, possibly none.
    Base64OrEnd,
    /// As `Base64`, `-` for none (RFC draft-durand-doa-over-dns).
    Base64OrHyphen,
    /// Service parameters up to the end (RFC 9460, section 2.2).
    Params,
    /// A type bitmap up to the end (RFC 4034, section 4.1.2).
    Types,
    /// The bitmap of types up to 127 up to the end (RFC 2535, section 5.2).
    OldTypes,
    /// A protocol number and the bitmap of its ports up to the end (RFC 1035, section 3.4.2).
    Services,
    /// Address prefixes up to the end (RFC 3123, section 4).
    Prefixes,
    /// A version octet, sizes and coordinates up to the end (RFC 1876, section 2).
    Location,
    /// Prefix length, address suffix and prefix name up to the end (RFC 2874, section 3.1).
    AddressSuffix,
    /// Gateway type, algorithm, gateway and key up to the end (RFC 4025, section 2.1).
    IpsecGateway,
    /// Discovery flag, relay type and relay up to the end (RFC 8777, section 4.2).
    Relay,
    /// Algorithm, host identity tag and public key, with the lengths in front of them (RFC 8005, section 5).
    HostIdentity,
    /// A record type by mnemonic (the Type Covered of RRSIG).
    Type,
    /// The flags of a key, by number or by the mnemonics of RFC 2535, section 7.1.
    KeyFlags,
    /// The protocol of a key, by number or mnemonic (RFC 2535, section 7.1).
    KeyProtocol,
    /// The scheme of DSYNC, by number or mnemonic (RFC 9859, section 2.2).
    Scheme,
    /// A DNSSEC algorithm, by number or registered mnemonic.
    Algorithm,
    /// A certificate type, by number or registered mnemonic (RFC 4398, section 2.1).
    Certificate,
    /// Seconds since 1970, written `YYYYMMDDHHmmSS` or as a number.
    Time,
}

/// How a zone file that is written here has records of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    /// In the type's own form, which BIND 9.18, NSD 4.6, Knot 3.2 and ldns 1.8 read.
    Own,
    /// By its mnemonic, with RDATA in the form of RFC 3597: tools differ in what they read and write of its own form.
    Opaque,
    /// As `TYPE123` with RDATA in the form of RFC 3597, since not all tools know the type.
    Unknown,
    /// Not at all: the type stands in messages only (RFC 6895, section 3.1).
    Never,
}

macro_rules! types {
    ($($name:ident $text:literal = $number:literal $written:ident $(: $($field:ident$(($count:literal))?)*)?;)*) => {
        impl Rtype {
            $(#[doc = concat!("Type ", $text, ".")] pub const $name: Rtype = Rtype($number);)*

            /// Every type of IANA's registry that a zone may have records of.
            pub const ALL: &'static [Rtype] = &[$(Rtype::$name),*];

            /// The type's mnemonic in IANA's registry.
            pub fn mnemonic(self) -> Option<&'static str> {
                match self.0 {
                    $($number => Some($text),)*
                    _ => None,
                }
            }

            /// The fields of the type's RDATA; `None` for a type that is only handled as opaque octets (RFC 3597).
            pub fn fields(self) -> Option<&'static [Field]> {
                match self.0 {
                    $($($number => Some(&[$(Field::$field$(($count))?),*]),)?)*
                    _ => None,
                }
            }

            fn written(self) -> Written {
                match self.0 {
                    $($number => Written::$written,)*
                    _ => Written::Unknown,
                }
            }

            fn by_mnemonic(upper: &str) -> Option<Rtype> {
                match upper {
                    $($text => Some(Rtype::$name),)*
                    _ => None,
                }
            }
        }
    };
}

// IANA's registry of resource record types, without those that it only reserves. Types without fields have no text
// form of their own.
types! {
    A "A" = 1 Own: Ipv4;
    NS "NS" = 2 Own: Name;
    MD "MD" = 3 Unknown: Name;
    MF "MF" = 4 Unknown: Name;
    CNAME "CNAME" = 5 Own: Name;
    SOA "SOA" = 6 Own: Name Name U32 Ttl Ttl Ttl Ttl;
    MB "MB" = 7 Unknown: Name;
    MG "MG" = 8 Unknown: Name;
    MR "MR" = 9 Unknown: Name;
    NULL "NULL" = 10 Unknown;
    WKS "WKS" = 11 Unknown: Ipv4 Services;
    PTR "PTR" = 12 Own: Name;
    HINFO "HINFO" = 13 Own: Text Text;
    MINFO "MINFO" = 14 Own: Name Name;
    MX "MX" = 15 Own: U16 Name;
    TXT "TXT" = 16 Own: Texts;
    RP "RP" = 17 Own: Name Name;
    AFSDB "AFSDB" = 18 Own: U16 Name;
    X25 "X25" = 19 Unknown: Digits(4);
    ISDN "ISDN" = 20 Unknown: Text TextOrEnd;
    RT "RT" = 21 Own: U16 Name;
    NSAP "NSAP" = 22 Unknown: DottedHex;
    NSAP_PTR "NSAP-PTR" = 23 Unknown: CasedName;
    SIG "SIG" = 24 Unknown: Type Algorithm U8 Ttl Time Time U16 Name Base64;
    KEY "KEY" = 25 Own: KeyFlags KeyProtocol Algorithm Base64OrEnd;
    PX "PX" = 26 Unknown: U16 Name Name;
    GPOS "GPOS" = 27 Unknown: Text Text Text;
    AAAA "AAAA" = 28 Own: Ipv6;
    LOC "LOC" = 29 Own: Location;
    NXT "NXT" = 30 Unknown: Name OldTypes;
    EID "EID" = 31 Unknown: Hex;
    NIMLOC "NIMLOC" = 32 Unknown: Hex;
    SRV "SRV" = 33 Own: U16 U16 U16 Name;
    ATMA "ATMA" = 34 Unknown: AtmAddress;
    NAPTR "NAPTR" = 35 Own: U16 U16 Text Text Text Name;
    KX "KX" = 36 Own: U16 Name;
    CERT "CERT" = 37 Own: Certificate U16 Algorithm Base64;
    A6 "A6" = 38 Unknown: AddressSuffix;
    DNAME "DNAME" = 39 Own: Name;
    SINK "SINK" = 40 Unknown: U8 U8 U8 Base64OrEnd;
    OPT "OPT" = 41 Never;
    APL "APL" = 42 Own: Prefixes;
    DS "DS" = 43 Own: U16 Algorithm U8 Hex;
    SSHFP "SSHFP" = 44 Own: U8 U8 Hex;
    IPSECKEY "IPSECKEY" = 45 Own: U8 IpsecGateway;
    RRSIG "RRSIG" = 46 Own: Type Algorithm U8 Ttl Time Time U16 Name Base64;
    NSEC "NSEC" = 47 Own: CasedName Types;
    DNSKEY "DNSKEY" = 48 Own: KeyFlags KeyProtocol Algorithm Base64;
    DHCID "DHCID" = 49 Own: Base64;
    NSEC3 "NSEC3" = 50 Own: U8 U8 U16 Salt Hash Types;
    NSEC3PARAM "NSEC3PARAM" = 51 Own: U8 U8 U16 Salt;
    TLSA "TLSA" = 52 Own: U8 U8 U8 Hex;
    SMIMEA "SMIMEA" = 53 Own: U8 U8 U8 Hex;
    HIP "HIP" = 55 Unknown: HostIdentity CasedNames;
    NINFO "NINFO" = 56 Unknown: Texts;
    RKEY "RKEY" = 57 Unknown: KeyFlags KeyProtocol Algorithm Base64;
    TALINK "TALINK" = 58 Unknown: CasedName CasedName;
    CDS "CDS" = 59 Own: U16 Algorithm U8 Hex;
    CDNSKEY "CDNSKEY" = 60 Own: KeyFlags KeyProtocol Algorithm Base64;
    OPENPGPKEY "OPENPGPKEY" = 61 Own: Base64;
    CSYNC "CSYNC" = 62 Own: U32 U16 Types;
    ZONEMD "ZONEMD" = 63 Own: U32 U8 U8 Hex;
    SVCB "SVCB" = 64 Opaque: U16 CasedName Params;
    HTTPS "HTTPS" = 65 Opaque: U16 CasedName Params;
    DSYNC "DSYNC" = 66 Unknown: Type Scheme U16 CasedName;
    HHIT "HHIT" = 67 Unknown: Base64;
    BRID "BRID" = 68 Unknown: Base64;
    SPF "SPF" = 99 Own: Texts;
    UINFO "UINFO" = 100 Unknown;
    UID "UID" = 101 Unknown;
    GID "GID" = 102 Unknown;
    UNSPEC "UNSPEC" = 103 Unknown;
    NID "NID" = 104 Own: U16 Locator;
    L32 "L32" = 105 Own: U16 Ipv4;
    L64 "L64" = 106 Own: U16 Locator;
    LP "LP" = 107 Own: U16 CasedName;
    EUI48 "EUI48" = 108 Own: Eui(6);
    EUI64 "EUI64" = 109 Own: Eui(8);
    NXNAME "NXNAME" = 128 Never;
    TKEY "TKEY" = 249 Never;
    TSIG "TSIG" = 250 Never;
    IXFR "IXFR" = 251 Never;
    AXFR "AXFR" = 252 Never;
    MAILB "MAILB" = 253 Never;
    MAILA "MAILA" = 254 Never;
    ANY "ANY" = 255 Never;
    URI "URI" = 256 Own: U16 U16 LongText;
    CAA "CAA" = 257 Own: U8 Word LongText;
    AVC "AVC" = 258 Unknown: Texts;
    DOA "DOA" = 259 Unknown: U32 U32 U8 Text Base64OrHyphen;
    AMTRELAY "AMTRELAY" = 260 Unknown: U8 Relay;
    RESINFO "RESINFO" = 261 Unknown: Texts;
    WALLET "WALLET" = 262 Unknown: Texts;
    CLA "CLA" = 263 Unknown: Texts;
    IPN "IPN" = 264 Unknown: U64;
    TA "TA" = 32768 Unknown: U16 Algorithm U8 Hex;
    DLV "DLV" = 32769 Unknown: U16 Algorithm U8 Hex;
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
                None => Rtype::by_mnemonic(std::str::from_utf8(other).ok()?),
            },
        }
    }

    /// Why no zone can have records of this type: it is reserved, or one of messages and questions (RFC 6895,
    /// section 3.1).
    pub(crate) fn not_in_zones(self) -> Option<String> {
        let what = match self.0 {
            0 => "reserved (RFC 6895, section 3.1)",
            41 | 128..=255 => "a meta type, which occurs only in messages (RFC 6895, section 3.1)",
            _ => return None,
        };
        Some(format!("{self} is {what}"))
    }

    /// Appends the type as zone files that are written here have it.
    pub(crate) fn push_text(self, out: &mut Vec<u8>) {
        match self.mnemonic().filter(|_| matches!(self.written(), Written::Own | Written::Opaque)) {
            Some(mnemonic) => out.extend_from_slice(mnemonic.as_bytes()),
            None => out.extend_from_slice(format!("TYPE{}", self.0).as_bytes()),
        }
    }

    /// Whether zone files that are written here have RDATA of this type in its own form.
    pub(crate) fn is_written_in_own_form(self) -> bool {
        self.written() == Written::Own
    }

    /// Whether servers compress the names in RDATA of this type: it is one of RFC 1035 (RFC 3597, section 4).
    pub(crate) fn compresses(self) -> bool {
        matches!(
            self,
            Rtype::NS
                | Rtype::MD
                | Rtype::MF
                | Rtype::CNAME
                | Rtype::SOA
                | Rtype::MB
                | Rtype::MG
                | Rtype::MR
                | Rtype::PTR
                | Rtype::MINFO
                | Rtype::MX
        )
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
    (1, "RSAMD5"),
    (2, "DH"),
    (3, "DSA"),
    (5, "RSASHA1"),
    (6, "DSA-NSEC3-SHA1"),
    (7, "NSEC3RSASHA1"),
    (8, "RSASHA256"),
    (10, "RSASHA512"),
    (12, "ECC-GOST"),
    (13, "ECDSAP256SHA256"),
    (14, "ECDSAP384SHA384"),
    (15, "ED25519"),
    (16, "ED448"),
    (17, "SM2SM3"),
    (18, "MLDSA44"),
    (23, "ECC-GOST12"),
    (252, "INDIRECT"),
    (253, "PRIVATEDNS"),
    (254, "PRIVATEOID"),
    // Other names that zone files have: those of BIND, and of IANA's registry for 7.
    (6, "NSEC3DSA"),
    (7, "RSASHA1-NSEC3-SHA1"),
    (12, "ECCGOST"),
    (13, "ECDSA256"),
    (14, "ECDSA384"),
];

/// What a message adds about an algorithm that nobody should use any more.
pub(crate) fn algorithm_status(number: u8) -> Option<&'static str> {
    match number {
        1 | 3 | 6 | 12 => Some("must not be used (RFC 8624, section 3.1; RFC 9904)"),
        5 | 7 => Some("must not be used for signing (RFC 9905, section 2)"),
        _ => None,
    }
}
