//! Words that stand for numbers in RDATA, as the RFCs define them and BIND reads them.

use super::token::{Fault, Token};

/// Certificate types (RFC 4398, section 2.1).
pub(super) const CERTIFICATES: &[(u16, &str)] = &[
    (1, "PKIX"),
    (2, "SPKI"),
    (3, "PGP"),
    (4, "IPKIX"),
    (5, "ISPKI"),
    (6, "IPGP"),
    (7, "ACPKIX"),
    (8, "IACPKIX"),
    (253, "URI"),
    (254, "OID"),
];

/// Protocols of KEY (RFC 2535, section 7.1); DNSKEY has one of them.
pub(super) const KEY_PROTOCOLS: &[(u16, &str)] =
    &[(0, "NONE"), (1, "TLS"), (2, "EMAIL"), (3, "DNSSEC"), (4, "IPSEC"), (255, "ALL")];

/// Schemes of DSYNC (RFC 9859, section 2.2).
pub(super) const SCHEMES: &[(u16, &str)] = &[(1, "NOTIFY")];

/// Protocols that WKS is used with (RFC 1010).
pub(super) const PROTOCOLS: &[(u16, &str)] = &[(1, "ICMP"), (6, "TCP"), (17, "UDP")];

/// The services that zone files name, by port. Others are written as numbers: the table of a host would make the same
/// file mean another zone on another host.
pub(super) const SERVICES: &[(u16, &str)] = &[
    (7, "ECHO"),
    (9, "DISCARD"),
    (11, "SYSTAT"),
    (13, "DAYTIME"),
    (15, "NETSTAT"),
    (17, "QOTD"),
    (19, "CHARGEN"),
    (20, "FTP-DATA"),
    (21, "FTP"),
    (22, "SSH"),
    (23, "TELNET"),
    (25, "SMTP"),
    (37, "TIME"),
    (43, "WHOIS"),
    (53, "DOMAIN"),
    (67, "BOOTPS"),
    (68, "BOOTPC"),
    (69, "TFTP"),
    (70, "GOPHER"),
    (79, "FINGER"),
    (80, "HTTP"),
    (88, "KERBEROS"),
    (110, "POP3"),
    (111, "SUNRPC"),
    (113, "AUTH"),
    (119, "NNTP"),
    (123, "NTP"),
    (143, "IMAP2"),
    (161, "SNMP"),
    (194, "IRC"),
    (389, "LDAP"),
    (443, "HTTPS"),
    (514, "SYSLOG"),
];

/// Flags of KEY and DNSKEY (RFC 2535, section 7.1); several stand between bars.
const KEY_FLAGS: &[(u16, &str)] = &[
    (0x4000, "NOCONF"),
    (0x8000, "NOAUTH"),
    (0xC000, "NOKEY"),
    (0x2000, "FLAG2"),
    (0x1000, "EXTEND"),
    (0x0800, "FLAG4"),
    (0x0400, "FLAG5"),
    (0x0000, "USER"),
    (0x0100, "ZONE"),
    (0x0200, "HOST"),
    (0x0300, "NTYP3"),
    (0x0080, "FLAG8"),
    (0x0040, "FLAG9"),
    (0x0020, "FLAG10"),
    (0x0010, "FLAG11"),
    (0x0001, "KSK"),
];

/// The number that a token is, or that its word stands for.
pub(super) fn number(token: &Token<'_>, words: &[(u16, &str)]) -> Result<u16, Fault> {
    match find(token.text, words) {
        Some(number) => Ok(number),
        None => token.number(),
    }
}

/// As [`number`], for fields of one octet.
pub(super) fn octet(token: &Token<'_>, words: &[(u16, &str)]) -> Result<u8, Fault> {
    match find(token.text, words) {
        Some(number) => Ok(number as u8),
        None => token.number(),
    }
}

/// The flags of a key: a number, or words with bars between them.
pub(super) fn key_flags(token: &Token<'_>) -> Result<u16, Fault> {
    token
        .text
        .split(|octet| *octet == b'|')
        .try_fold(0, |flags, word| {
            // SIG0 to SIG15 are the four low bits.
            let signatory = || {
                let digits = word.get(3..).filter(|_| word[..3].eq_ignore_ascii_case(b"SIG"))?;
                std::str::from_utf8(digits).ok()?.parse::<u16>().ok().filter(|bits| *bits < 16)
            };
            Some(flags | find(word, KEY_FLAGS).or_else(signatory)?)
        })
        .map_or_else(|| token.number(), Ok)
}

fn find(word: &[u8], words: &[(u16, &str)]) -> Option<u16> {
    words.iter().find(|(_, called)| word.eq_ignore_ascii_case(called.as_bytes())).map(|(number, _)| *number)
}
