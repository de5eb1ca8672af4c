//! Every record type of IANA's registry: its own text form, the RDATA that this stands for, and the way back.

use crate::common::*;
use data_encoding::{HEXLOWER, HEXUPPER_PERMISSIVE};
use fieldtest_dnssec::format::{raw, text};
use fieldtest_dnssec::{ReadError, Rtype, Zone};
use proptest::prelude::*;

/// Type, RDATA as people write it, RDATA on the wire in hexadecimal. The values are worked out by hand from the
/// specification of each type; where it has an example, that is taken.
const RECORDS: &[(&str, &str, &str)] = &[
    ("A", "192.0.2.1", "c0000201"),
    ("NS", "A.b.", "0161016200"),
    ("MD", "A.", "016100"),
    ("MF", "A.", "016100"),
    ("CNAME", "A.", "016100"),
    ("MB", "A.", "016100"),
    ("MG", "A.", "016100"),
    ("MR", "A.", "016100"),
    ("NULL", "\\# 2 0102", "0102"),
    ("WKS", "192.0.2.1 TCP smtp 0 TELNET", "c00002010680000140"),
    ("PTR", "A.", "016100"),
    ("HINFO", "a \"b c\"", "01610362 2063"),
    ("MINFO", "A. B.", "016100016200"),
    ("MX", "10 A.", "000a016100"),
    ("TXT", "a \"\"", "016100"),
    ("RP", "A. B.", "016100016200"),
    ("AFSDB", "1 A.", "0001016100"),
    ("X25", "311061700956", "0c333131303631373030393536"),
    ("ISDN", "150862028003217 004", "0f31353038363230323830303332313703303034"),
    ("ISDN", "1", "0131"),
    ("RT", "10 A.", "000a016100"),
    ("NSAP", "0x47.0005.80", "47000580"),
    ("NSAP-PTR", "A.", "014100"),
    (
        "SIG",
        "A 1 3 3600 20261231235959 20260101000000 2143 Foo. AQID",
        "00010103 00000e10 6b36ec7f 6955b900 085f 03666f6f00 010203",
    ),
    ("KEY", "512 255 1 AQID", "0200ff01010203"),
    ("KEY", "NOKEY|ZONE|SIG3 DNSSEC RSASHA1", "c1030305"),
    ("PX", "10 A. B.", "000a016100016200"),
    ("GPOS", "-32.6882 116.8652 10.0", "082d33322e36383832083131362e383635320431302e30"),
    ("AAAA", "2001:db8::1", "20010db8000000000000000000000001"),
    // The example of RFC 1876, appendix A, for yahoo's predecessor: 42 21 54 N, 71 06 18 W, -24 m, 30 m.
    ("LOC", "42 21 54 N 71 06 18 W -24m 30m", "00331613 89172dd0 70be15f0 00988d20"),
    ("LOC", "1 N 1 E 0", "00121613 8036ee80 8036ee80 00989680"),
    ("LOC", "90 0 0.000 S 180 W -100000.00 0 90000000.00m 1.5m", "00009912 6cb02700 59604e00 00000000"),
    ("NXT", "A. A SOA 30", "01610042000002"),
    ("NXT", "A.", "016100"),
    ("EID", "12 89ab", "1289ab"),
    ("NIMLOC", "1289ab", "1289ab"),
    ("SRV", "1 2 3 A.", "000100020003016100"),
    ("ATMA", "01.23.45", "00012345"),
    ("ATMA", "+123.45", "013132333435"),
    ("NAPTR", "1 2 \"S\" \"X\" \"\" A.", "0001000201530158 00016100"),
    ("KX", "10 A.", "000a016100"),
    ("CERT", "PKIX 1 0 AQID", "0001000100010203"),
    ("A6", "0 2001:db8::1", "0020010db8000000000000000000000001"),
    ("A6", "64 2001:db8::1 A.", "400000000000000001016100"),
    ("A6", "3 ffff::1 A.", "031fff0000000000000000000000000001016100"),
    ("A6", "128 A.", "80016100"),
    ("DNAME", "A.", "016100"),
    ("SINK", "1 2 3 AQID", "010203010203"),
    ("SINK", "1 2 3", "010203"),
    (
        "APL",
        "1:192.0.2.0/24 !1:10.0.0.1/32 2:2001:db8::/32 1:0.0.0.0/0",
        "000118 03c00002 000120 840a000001 000220 0420010db8 00010000",
    ),
    ("APL", "", ""),
    ("DS", "1 13 200 0102", "00010dc80102"),
    (
        "DS",
        "1 13 1 d4b7d520e7bb5f0f67674a0cceb1e3e0614b93c4",
        "00010d01d4b7d520e7bb5f0f67674a0cceb1e3e0614b93c4",
    ),
    (
        "DS",
        "1 13 2 d4b7d520e7bb5f0f67674a0cceb1e3e0614b93c4f9e99b8383f6a1e4469da50a",
        "00010d02d4b7d520e7bb5f0f67674a0cceb1e3e0614b93c4f9e99b8383f6a1e4469da50a",
    ),
    ("SSHFP", "1 200 0102", "01c80102"),
    ("SSHFP", "1 1 d4b7d520e7bb5f0f67674a0cceb1e3e0614b93c4", "0101d4b7d520e7bb5f0f67674a0cceb1e3e0614b93c4"),
    ("IPSECKEY", "10 1 2 192.0.2.38 AQID", "0a0102c0000226010203"),
    ("IPSECKEY", "10 0 2 . AQID", "0a0002010203"),
    ("IPSECKEY", "10 0 0 .", "0a0000"),
    ("IPSECKEY", "10 2 2 2001:db8::1 AQID", "0a020220010db8000000000000000000000001010203"),
    ("IPSECKEY", "10 3 2 A.b. AQID", "0a0302014101620 0010203"),
    (
        "RRSIG",
        "A 1 3 3600 20261231235959 20260101000000 2143 Foo. AQID",
        "00010103 00000e10 6b36ec7f 6955b900 085f 03666f6f00 010203",
    ),
    ("NSEC", "A. A NXNAME CAA", "014100 001140000000000000000000000000000000 80 010140"),
    ("DNSKEY", "257 3 13 AQID", "0101030d010203"),
    ("DHCID", "AQID", "010203"),
    (
        "NSEC3",
        "1 1 12 aabb 2t7b4g4vsa5smi47k61mv5bv1a22bojr A",
        "0101000c02aabb1417 4eb2409fe28bcb4887a1836f957f0a8425e27b000140",
    ),
    ("NSEC3PARAM", "1 0 0 -", "0100000000"),
    ("TLSA", "3 1 1 0102", "0301010102"),
    ("SMIMEA", "3 1 1 0102", "0301010102"),
    ("HIP", "2 0102 AQID A. b.", "020200030102010203014100016200"),
    ("HIP", "2 0102 AQID", "020200030102010203"),
    ("NINFO", "a b", "01610162"),
    ("RKEY", "0 255 1 AQID", "0000ff01010203"),
    ("TALINK", "A. .", "01410000"),
    ("CDS", "0 0 0 00", "0000000000"),
    ("CDNSKEY", "0 3 0 AA==", "0000030000"),
    ("OPENPGPKEY", "AQID", "010203"),
    ("CSYNC", "66 3 A NS AAAA", "0000004200030004 60000008"),
    ("ZONEMD", "1 1 240 010203040506070809101112", "0000000101f0010203040506070809101112"),
    ("SVCB", "1 A. port=53", "000101410000030002 0035"),
    ("HTTPS", "0 A.", "0000014100"),
    // Behind keyN= stand the octets of the wire, whatever the key (RFC 9460, section 2.1).
    ("SVCB", "1 A. key1=\\002h2", "0001014100 0001 0003 026832"),
    ("SVCB", "1 A. key1=\"\\002h2\\005h3-19\"", "0001014100 0001 0009 026832 0568332d3139"),
    ("SVCB", "1 A. key3=\\0005", "0001014100 0003 0002 0035"),
    ("SVCB", "1 A. key3=53", "0001014100 0003 0002 3533"),
    ("SVCB", "1 A. key4=\\192\\000\\002\\001", "0001014100 0004 0004 c0000201"),
    ("SVCB", "1 A. key5=AQID", "0001014100 0005 0004 41514944"),
    ("SVCB", "1 A. ech=AQID", "0001014100 0005 0003 010203"),
    ("SVCB", "1 A. ech", "0001014100 0005 0000"),
    ("SVCB", "1 A. key6=abcdefghijklmnop", "0001014100 0006 0010 6162636465666768696a6b6c6d6e6f70"),
    ("SVCB", "1 A. key0=\\000\\001 alpn=h2", "0001014100 0000 0002 0001 0001 0003 026832"),
    ("SVCB", "1 A. key2 alpn=h2", "0001014100 0001 0003 026832 0002 0000"),
    ("SVCB", "1 A. no-default-alpn=\"\" alpn=h2", "0001014100 0001 0003 026832 0002 0000"),
    ("SVCB", "1 A. key7=/{?dns}", "0001014100 0007 0007 2f7b3f646e737d"),
    ("SVCB", "1 A. key8", "0001014100 0008 0000"),
    ("SVCB", "1 A. key65535=x key9", "0001014100 0009 0000 ffff 0001 78"),
    (
        "SVCB",
        "1 A. mandatory=key667,alpn,key3 alpn=h2 key667 port=1",
        "0001014100 0000 0006 00010003029b 0001 0003 026832 0003 0002 0001 029b 0000",
    ),
    // The examples of RFC 9460, appendix D.
    ("HTTPS", "0 foo.example.com.", "000003666f6f076578616d706c6503636f6d00"),
    ("HTTPS", "1 .", "000100"),
    ("HTTPS", "16 foo.example.com. port=53", "001003666f6f076578616d706c6503636f6d00000300020035"),
    ("HTTPS", "1 foo.example.com. key667=hello", "000103666f6f076578616d706c6503636f6d00029b000568656c6c6f"),
    (
        "HTTPS",
        "1 foo.example.com. key667=\"hello\\210qoo\"",
        "000103666f6f076578616d706c6503636f6d00029b000968656c6c6fd2716f6f",
    ),
    (
        "HTTPS",
        "1 foo.example.com. ipv6hint=\"2001:db8::1,2001:db8::53:1\"",
        "000103666f6f076578616d706c6503636f6d000006002020010db800000000000000000000000120010db8000000000000000000530001",
    ),
    (
        "HTTPS",
        "16 foo.example.org. alpn=h2,h3-19 mandatory=ipv4hint,alpn ipv4hint=192.0.2.1",
        "001003666f6f076578616d706c65036f7267000000000400010004000100090268320568332d313900040004c0000201",
    ),
    (
        "HTTPS",
        "16 foo.example.org. alpn=\"f\\\\\\\\oo\\\\,bar,h2\"",
        "001003666f6f076578616d706c65036f7267000001000c08665c6f6f2c626172026832",
    ),
    // The example of RFC 9859, section 2.3.
    ("DSYNC", "CDS NOTIFY 5359 A.", "003b0114ef014100"),
    ("DSYNC", "59 129 5359 A.", "003b8114ef014100"),
    ("HHIT", "AQID", "010203"),
    ("BRID", "AQID", "010203"),
    ("SPF", "a", "0161"),
    ("UINFO", "\\# 1 01", "01"),
    ("UID", "\\# 1 01", "01"),
    ("GID", "\\# 1 01", "01"),
    ("UNSPEC", "\\# 1 01", "01"),
    // The examples of RFC 6742, section 3.
    ("NID", "10 0014:4fff:ff20:ee64", "000a00144fffff20ee64"),
    ("L32", "10 10.1.2.0", "000a0a010200"),
    ("L64", "10 2001:DB8:1140:1000", "000a20010db811401000"),
    ("LP", "10 A.", "000a014100"),
    // The examples of RFC 7043, sections 3.2 and 4.2.
    ("EUI48", "00-00-5e-00-53-2a", "00005e00532a"),
    ("EUI64", "00-00-5E-EF-10-00-00-2a", "00005eef1000002a"),
    ("URI", "10 1 \"ftp://x\"", "000a00016674703a2f2f78"),
    ("CAA", "0 issue \"x\"", "0005697373756578"),
    ("AVC", "a", "0161"),
    ("DOA", "1 2 3 \"t\" AQID", "0000000100000002030174010203"),
    ("DOA", "1 2 3 \"\" -", "00000001000000020300"),
    // The examples of RFC 8777, section 4.3.2.
    ("AMTRELAY", "10 0 1 203.0.113.15", "0a01cb00710f"),
    ("AMTRELAY", "10 0 2 2001:db8::15", "0a0220010db8000000000000000000000015"),
    ("AMTRELAY", "128 1 3 A.", "8083014100"),
    ("AMTRELAY", "10 1 0 .", "0a80"),
    ("RESINFO", "qnamemin", "08716e616d656d696e"),
    ("WALLET", "BTC x", "034254430178"),
    ("CLA", "a", "0161"),
    ("IPN", "3149", "0000000000000c4d"),
    ("TA", "1 13 200 0102", "00010dc80102"),
    ("DLV", "1 13 200 0102", "00010dc80102"),
    ("TYPE65280", "\\# 2 0102", "0102"),
];

const SOA: &str = "x. 60 IN SOA a. b. 1 2 3 4 5\n";

fn wire(hex: &str) -> Vec<u8> {
    let octets: String = hex.split_whitespace().collect();
    HEXUPPER_PERMISSIVE.decode(octets.as_bytes()).expect(hex)
}

fn only(zone: &Zone, rtype: Rtype) -> Vec<u8> {
    let rrset = zone.rrset(name("a.x.").as_wire(), rtype).expect("it is there");
    assert_eq!(rrset.rdata().len(), 1);
    rrset.rdata().next().expect("one").to_vec()
}

fn written(rtype: Rtype, rdata: &[u8]) -> String {
    let mut out = Vec::new();
    text::push_record(name("a.x.").as_wire(), 60, rtype, rdata, &mut out);
    String::from_utf8(out).expect("zone text is ASCII")
}

fn as_raw(rtype: Rtype, rdata: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    raw::push_header(0, &mut out);
    let soa = [b"\x01a\0\x01b\0".as_slice(), &[0; 20]].concat();
    raw::push_rrset(name("x.").as_wire(), 60, Rtype::SOA, 0, std::iter::once(&soa[..]), &mut out);
    let covered = match rtype {
        Rtype::RRSIG | Rtype::SIG if rdata.len() > 1 => u16::from_be_bytes([rdata[0], rdata[1]]),
        _ => 0,
    };
    raw::push_rrset(name("a.x.").as_wire(), 60, rtype, covered, std::iter::once(rdata), &mut out);
    out
}

#[test]
fn text_means_this_rdata() {
    for (rtype, text, hex) in RECORDS {
        let zone = read(&format!("{SOA}a.x. 60 IN {rtype} {text}\n"));
        let rtype = Rtype::parse(rtype.as_bytes()).expect("a type");
        let rdata = only(&zone, rtype);
        assert_eq!(HEXLOWER.encode(&rdata), HEXLOWER.encode(&wire(hex)), "{rtype} {text}");
        // The way back: text and raw form, and the form of RFC 3597 by mnemonic and by number.
        let opaque = format!("\\# {} {}", rdata.len(), HEXLOWER.encode(&rdata));
        for again in [
            written(rtype, &rdata),
            format!("a.x. 60 IN {rtype} {opaque}\n"),
            format!("a.x. CLASS1 60 TYPE{} {opaque}\n", rtype.0),
        ] {
            assert_eq!(only(&read(&format!("{SOA}{again}")), rtype), rdata, "{again}");
        }
        assert_eq!(only(&read_bytes(&as_raw(rtype, &rdata)), rtype), rdata, "{rtype} {text}");
    }
}

#[test]
fn every_type_of_the_registry_is_here() {
    for rtype in Rtype::ALL.iter().filter(|rtype| **rtype != Rtype::SOA) {
        let meta = matches!(rtype.0, 41 | 128..=255);
        let here = RECORDS.iter().any(|(text, ..)| Some(*text) == rtype.mnemonic());
        assert!(here != meta, "{rtype}");
        // A meta type is refused in every form.
        if meta {
            for text in [format!("{rtype} \\# 0"), format!("TYPE{} \\# 0", rtype.0)] {
                let zone = format!("{SOA}a.x. 60 IN {text}\n");
                let fault = fieldtest_dnssec::read(zone.as_bytes(), "test".as_ref(), None).expect_err(&text);
                assert!(matches!(fault, ReadError::Syntax { line: 2, .. }), "{fault}");
            }
            let fault = fieldtest_dnssec::read(&as_raw(*rtype, &[])[..], "test".as_ref(), None);
            assert!(matches!(fault, Err(ReadError::Raw { .. })), "{rtype}");
        }
    }
}

/// What BIND 9.18 does not read in a type's own form: types that it calls obsolete or does not know, and an IPSECKEY
/// without a key.
fn unknown_to_bind(rtype: &str, text: &str) -> bool {
    matches!(rtype, "MD" | "MF" | "CLA" | "IPN") || text.contains("NXNAME") || text == "10 0 0 ."
}

/// Every record at a name of its own.
fn zone_of(records: impl Iterator<Item = (usize, String)>) -> String {
    let head = "$TTL 60\nx. IN SOA ns.x. b. 1 2 3 4 5\nx. IN NS ns.x.\nns.x. IN A 192.0.2.1\n".to_owned();
    records.fold(head, |zone, (at, record)| format!("{zone}r{at}.x. IN {record}\n"))
}

fn compile(directory: &Directory, zone: &str) -> Zone {
    std::fs::write(directory.0.join("zone"), zone).expect("a file");
    run(
        &directory.0,
        "named-compilezone",
        &["-i", "none", "-k", "ignore", "-F", "raw", "-o", "raw", "x.", "zone"],
    );
    fieldtest_dnssec::load(&directory.0.join("raw"), None).expect("BIND's raw form")
}

fn all_of(zone: &Zone) -> Vec<(String, Rtype, Vec<u8>)> {
    let rrsets = zone.owners().flat_map(|owner| owner.rrsets());
    rrsets
        .flat_map(|rrset| rrset.rdata().map(move |rdata| (rrset, rdata.to_vec())))
        .map(|(rrset, rdata)| (rrset.owner().name().to_string(), rrset.rtype(), rdata))
        .collect()
}

/// BIND makes the same RDATA of every type's own form as we do.
#[test]
fn bind_means_the_same() {
    if !installed("named-compilezone") {
        return;
    }
    let directory = Directory::new("types-bind");
    let known = RECORDS.iter().enumerate().filter(|(_, (rtype, text, _))| !unknown_to_bind(rtype, text));
    let zone = zone_of(known.map(|(at, (rtype, text, _))| (at, format!("{rtype} {text}"))));
    assert_eq!(all_of(&compile(&directory, &zone)), all_of(&read(&zone)));
}

/// What is written here, every name server and tool reads, and BIND as what it was.
#[test]
fn everybody_reads_what_is_written() {
    let directory = Directory::new("types-written");
    let known = RECORDS.iter().enumerate().filter(|(_, (rtype, text, _))| {
        // BIND has no form at all for these.
        !matches!(*rtype, "MD" | "MF") && *text != "10 0 0 ."
    });
    let written = zone_of(known.map(|(at, (rtype, _, hex))| {
        let rtype = Rtype::parse(rtype.as_bytes()).expect("a type");
        let line = written(rtype, &wire(hex));
        (at, line.split_once(" IN ").expect("a class").1.trim_end().to_owned())
    }));
    if installed("named-compilezone") {
        assert_eq!(all_of(&compile(&directory, &written)), all_of(&read(&written)));
    }
    std::fs::write(directory.0.join("zone"), &written).expect("a file");
    if installed("ldns-read-zone") {
        run(&directory.0, "ldns-read-zone", &["zone"]);
    }
    if installed("nsd-checkzone") {
        run(&directory.0, "nsd-checkzone", &["x.", "zone"]);
    }
    if installed("kzonecheck") {
        // Knot judges what it reads, too: no resolver knows this DS record's digest.
        let known: String = written
            .lines()
            .filter(|line| !line.contains(" DS 1 13 200 "))
            .map(|line| format!("{line}\n"))
            .collect();
        std::fs::write(directory.0.join("zone"), known).expect("a file");
        run(&directory.0, "kzonecheck", &["-o", "x.", "zone"]);
    }
}

/// `$GENERATE` as BIND expands it.
#[test]
fn bind_generates_the_same() {
    if !installed("named-compilezone") {
        return;
    }
    let zone = zone_of(std::iter::empty())
        + "$ORIGIN x.\n$GENERATE 1-5 a$ A 192.0.2.$\n$GENERATE 0-20/7 b-${3,4,d} 7 IN TXT \"x$ \\$ $$ ${-9,5}\"\n\
           $GENERATE 250-258 ${0,3,x}.${0,3,o}.${0,0,X} IN 7 MX \"$ mail${1}\"\n$GENERATE 17-33/4 ${0,7,n} PTR ${0,0,N}.y.\n\
           $GENERATE 1-3 ${1000,8,n}ip6 CNAME a$\n";
    let directory = Directory::new("generate");
    assert_eq!(all_of(&compile(&directory, &zone)), all_of(&read(&zone)));
    assert_eq!(read(&zone).record_count(), 3 + 5 + 3 + 9 + 5 + 3);
}

proptest! {
    /// Whatever RDATA is taken from a raw file is written as text that means the same.
    #[test]
    fn random_rdata_survives_text(
        rtype in prop::sample::select(Rtype::ALL.to_vec()),
        mut rdata in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..40),
            // Small octets make lengths, labels, families and gateway types that fit more often.
            prop::collection::vec(0u8..4, 0..24),
            prop::sample::select(RECORDS.iter().map(|(.., hex)| wire(hex)).collect::<Vec<_>>()),
        ],
        at in any::<prop::sample::Index>(),
        octet in any::<u8>(),
    ) {
        if !rdata.is_empty() && octet % 2 == 0 {
            let at = at.index(rdata.len());
            rdata[at] = octet;
        }
        let zone = fieldtest_dnssec::read(&as_raw(rtype, &rdata)[..], "test".as_ref(), None);
        if let Ok(zone) = zone && rtype != Rtype::SOA {
            let kept = only(&zone, rtype);
            let text = written(rtype, &kept);
            prop_assert_eq!(only(&read(&format!("{SOA}{text}")), rtype), kept, "{}", text);
        }
    }

    /// No text makes a type's reader panic.
    #[test]
    fn random_words(
        rtype in prop::sample::select(RECORDS.iter().map(|(rtype, ..)| *rtype).collect::<Vec<_>>()),
        words in prop::collection::vec("[-+!0-9a-zA-Z.:/$|\\\\]{0,12}", 0..8),
    ) {
        let zone = format!("{SOA}a.x. 60 IN {rtype} {}\n", words.join(" "));
        let _ = fieldtest_dnssec::read(zone.as_bytes(), "test".as_ref(), None);
    }
}
