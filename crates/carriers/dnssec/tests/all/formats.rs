//! Zone files: every type survives text and raw form, faults name their line, and no input panics.

use std::path::Path;

use fieldtest_dnssec::format::{raw, text};
use fieldtest_dnssec::zone::ZoneError;
use fieldtest_dnssec::{Name, ReadError, Rtype, Zone, ZoneBuilder};
use proptest::prelude::*;

/// One record of every type that has a text form, as it is printed.
const ALL_TYPES: &str = r#"example. 3600 IN NS ns.example.
example. 3600 IN SOA ns.example. admin.example. 1 7200 3600 1209600 300
example. 3600 IN MX 10 mail.example.
example. 3600 IN TXT "one" "two \"quoted\" \\ \195\164"
example. 3600 IN RRSIG SOA 13 1 3600 20261231235959 20260101000000 4711 example. AQIDBA==
example. 3600 IN NSEC a.example. NS SOA MX TXT RRSIG NSEC DNSKEY ZONEMD CAA
example. 3600 IN DNSKEY 257 3 13 AQIDBA==
example. 3600 IN NSEC3PARAM 1 0 0 -
example. 3600 IN ZONEMD 1 1 1 D4B7D520E7BB5F0F67674A0CCEB1E3E0614B93C4F9E99B8383F6A1E4469DA50AD4B7D520E7BB5F0F67674A0CCEB1E3E0
example. 3600 IN CAA 0 issue "ca.example; policy=ev"
a.example. 60 IN A 192.0.2.1
a.example. 60 IN AAAA 2001:db8::1
a.example. 60 IN TYPE731 \# 6 ABCDEF012345
a.example. 60 IN TYPE732 \# 0
b.example. 60 IN CNAME a.example.
c.example. 60 IN HINFO "CPU" "OS"
c.example. 60 IN RP admin.example. txt.example.
c.example. 60 IN AFSDB 1 a.example.
c.example. 60 IN SRV 1 2 443 a.example.
c.example. 60 IN NAPTR 100 50 "s" "http" "!^.*$!x!" _http.example.
c.example. 60 IN KX 10 a.example.
c.example. 60 IN CERT 1 4711 13 AQIDBA==
c.example. 60 IN MINFO a.example. b.example.
c.example. 60 IN RT 10 a.example.
c.example. 60 IN TYPE26 \# 24 000A0161076578616D706C65000162076578616D706C6500
c.example. 60 IN TYPE7 \# 11 0161076578616D706C6500
c.example. 60 IN SSHFP 4 2 D4B7D520E7BB5F0F67674A0CCEB1E3E0614B93C4F9E99B8383F6A1E4469DA50A
c.example. 60 IN TLSA 3 1 1 0102AB
c.example. 60 IN SMIMEA 3 1 1 0102AB
c.example. 60 IN OPENPGPKEY AQIDBA==
c.example. 60 IN CSYNC 66 3 A NS AAAA
c.example. 60 IN SPF "v=spf1 -all"
c.example. 60 IN URI 10 1 "ftp://ftp.example/public"
d.example. 60 IN DNAME other.
e.example. 60 IN NS ns.e.example.
e.example. 60 IN DS 4711 13 2 D4B7D520E7BB5F0F67674A0CCEB1E3E0614B93C4F9E99B8383F6A1E4469DA50A
e.example. 60 IN CDS 0 0 0 00
e.example. 60 IN CDNSKEY 0 3 0 AA==
f.example. 60 IN PTR a.example.
0p9mhaveqvm6t7vbl5lop2u3t2rp3tom.example. 300 IN NSEC3 1 1 12 AABBCCDD 2T7B4G4VSA5SMI47K61MV5BV1A22BOJR A RRSIG
"#;

fn read(input: &[u8]) -> Result<Zone, ReadError> {
    fieldtest_dnssec::read(input, Path::new("test.zone"), None)
}

fn as_text(zone: &Zone) -> String {
    let mut out = Vec::new();
    for rrset in zone.owners().flat_map(|owner| owner.rrsets()) {
        for rdata in rrset.rdata() {
            text::push_record(rrset.owner().wire(), rrset.ttl(), rrset.rtype(), rdata, &mut out);
        }
    }
    String::from_utf8(out).expect("zone text is ASCII")
}

fn as_raw(zone: &Zone) -> Vec<u8> {
    let mut out = Vec::new();
    raw::push_header(1_790_000_000, &mut out);
    for rrset in zone.owners().flat_map(|owner| owner.rrsets()) {
        let mut push = |covered: u16, ttl: u32, rdata: &[&[u8]]| {
            let (owner, rtype) = (rrset.owner().wire(), rrset.rtype());
            raw::push_rrset(owner, ttl, rtype, covered, rdata.iter().copied(), &mut out);
        };
        // Signatures are RRsets by what they cover.
        match rrset.rtype() {
            Rtype::RRSIG | Rtype::SIG => rrset.records().for_each(|(ttl, rdata)| {
                push(u16::from_be_bytes([rdata[0], rdata[1]]), ttl, &[rdata]);
            }),
            _ => push(0, rrset.ttl(), &rrset.rdata().collect::<Vec<_>>()),
        }
    }
    out
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

#[test]
fn every_type_survives_both_forms() {
    let zone = read(ALL_TYPES.as_bytes()).expect("a zone");
    assert_eq!(sorted(&as_text(&zone)), sorted(ALL_TYPES));
    let again = read(&as_raw(&zone)).expect("our own raw form");
    assert_eq!(as_text(&again), as_text(&zone));
}

#[test]
fn directives_defaults_and_case() {
    let input = "$ORIGIN Example.\n$TTL 1h\n@ SOA ns admin 1 2h 1h 2w 5m\n  NS ns\nWWW 5 IN A 192.0.2.1\n\tIN 6 AAAA ::1\n";
    let zone = read(input.as_bytes()).expect("a zone");
    let expected = "example. 3600 IN NS ns.example.\n\
                    example. 3600 IN SOA ns.example. admin.example. 1 7200 3600 1209600 300\n\
                    www.example. 5 IN A 192.0.2.1\n\
                    www.example. 6 IN AAAA ::1\n";
    assert_eq!(as_text(&zone), expected);
}

/// The canonical form lowers the names in the RDATA of these types (RFC 4034, section 6.2), however they are written;
/// of NSEC it does not (RFC 6840, section 5.1), nor of types it does not know (RFC 3597, section 7).
#[test]
fn case_of_names_in_rdata() {
    let input = "$ORIGIN Example.\n$TTL 60\n@ SOA NS Admin 1 2 3 4 5\n\
                 A NSEC B.C NS\n\
                 A RRSIG NSEC 13 1 60 20261231235959 20260101000000 4711 Example. AQIDBA==\n\
                 A TYPE14 \\# 6 014100014200\n\
                 A TYPE21 \\# 5 0041014100\n\
                 A TYPE26 \\# 8 0041014100014200\n\
                 A TYPE7 \\# 3 014100\n\
                 A HTTPS \\# 5 0001014100\n\
                 B NAPTR 100 10 \"S\" \"X\" \"!^.*$!A!\" Target\n";
    let zone = read(input.as_bytes()).expect("a zone");
    let printed = as_text(&zone);
    for line in [
        "example. 60 IN SOA ns.example. admin.example. 1 2 3 4 5\n",
        "a.example. 60 IN NSEC B.C.Example. NS\n",
        "4711 example. AQIDBA==\n",
        "a.example. 60 IN MINFO a. b.\n",
        "a.example. 60 IN RT 65 a.\n",
        "a.example. 60 IN TYPE26 \\# 8 0041016100016200\n",
        "a.example. 60 IN TYPE7 \\# 3 016100\n",
        "a.example. 60 IN HTTPS \\# 5 0001014100\n",
        "b.example. 60 IN NAPTR 100 10 \"S\" \"X\" \"!^.*$!A!\" target.example.\n",
    ] {
        assert!(printed.contains(line), "{line} is not in {printed}");
    }
    assert_eq!(as_text(&read(&as_raw(&zone)).expect("our own raw form")), printed);
}

/// CLASS1 is IN (RFC 3597, section 5), and PKIX is certificate type 1 (RFC 4398, section 2.1).
#[test]
fn other_spellings() {
    let input = "x. 60 CLASS1 SOA a. b. 1 2 3 4 5\nx. CLASS1 60 CERT pkix 4711 ECDSAP256SHA256 AQIDBA==\n";
    let printed = as_text(&read(input.as_bytes()).expect("a zone"));
    assert!(printed.contains("x. 60 IN CERT 1 4711 13 AQIDBA=="), "{printed}");
}

/// An included file leaves origin and owner as they were, and its $TTL stays in force.
#[test]
fn included_files() {
    let temporary = crate::common::directory();
    let directory = temporary.path();
    let write = |file: &str, text: &str| std::fs::write(directory.join(file), text).expect("a file");
    write(
        "zone",
        "$ORIGIN x.\n$TTL 60\n@ SOA a b 1 2 3 4 5\na A 192.0.2.1\n$INCLUDE part y\n AAAA ::1\nc A 192.0.2.3\n",
    );
    write("part", "$TTL 7\nb A 192.0.2.2\n$ORIGIN z.\n");
    let zone = fieldtest_dnssec::load(&directory.join("zone"), None).expect("a zone");
    let expected = "x. 60 IN SOA a.x. b.x. 1 2 3 4 5\na.x. 60 IN A 192.0.2.1\na.x. 7 IN AAAA ::1\n\
                    c.x. 7 IN A 192.0.2.3\nb.y.x. 7 IN A 192.0.2.2\n";
    assert_eq!(as_text(&zone), expected);
    // Relative to the file that includes, also from a directory further down, and not to where the program runs.
    std::fs::create_dir_all(directory.join("down/further")).expect("directories");
    write("down/zone", "x. 1 SOA a. b. 1 2 3 4 5\n$INCLUDE further/part\n$INCLUDE ../beside x.\n");
    write("down/further/part", "$INCLUDE next\n");
    write("down/further/next", "further.x. A 192.0.2.1\n");
    write("beside", "beside A 192.0.2.2\n");
    let zone = fieldtest_dnssec::load(&directory.join("down/zone"), None).expect("a zone");
    assert_eq!(zone.record_count(), 3, "{}", as_text(&zone));
    let files = ["down/../beside", "down/further/next", "down/further/part"].map(|file| directory.join(file));
    assert!(zone.included().iter().eq(&files), "{:?}", zone.included());
    // A file that includes itself, and a few that include each other very often.
    write("loop", "$INCLUDE loop\n");
    let fault =
        |file: &str| fieldtest_dnssec::load(&directory.join(file), None).expect_err("no end").to_string();
    assert!(fault("loop").contains("16 levels deep"));
    for depth in 0..12 {
        write(&format!("{depth}"), &format!("$INCLUDE {}\n", depth + 1).repeat(4));
    }
    write("12", "");
    assert!(fault("0").contains("more than 65536 files"));
}

/// What a parenthesis that is never closed swallows is bounded, and so are messages.
#[test]
fn endless_entries() {
    let soa = "x. 1 SOA a. b. 1 2 3 4 5\n";
    let long = "a".repeat(5 << 20);
    for text in [
        format!("{soa}{long}\n"),
        format!("{soa}x. TXT {long}"),
        format!("{soa}x. TXT \"{long}\""),
        format!("{soa}x. TXT ( {}", "a\n".repeat(10 << 20)),
        format!("{soa}x. TXT {}", "(".repeat(20 << 20)),
    ] {
        let fault = read(text.as_bytes()).expect_err("too long");
        let ReadError::Syntax { line: 2, what, .. } = fault else { panic!("{fault}") };
        assert!(what.contains("4 MiB"), "{what}");
    }
    // Blank lines and comments are no entry.
    let padded = format!("{}{}{soa}", "\n".repeat(5 << 20), "; comment\n".repeat(1 << 19));
    assert!(read(padded.as_bytes()).is_ok());
    let name = read(format!("{soa}{}. A 192.0.2.1\n", "a".repeat(100_000)).as_bytes());
    assert!(name.expect_err("a long name").to_string().len() < 500);
    let many = format!("{soa}x. TXT {} a {}\n", "(".repeat(1_000_000), ")".repeat(1_000_000));
    assert!(read(many.as_bytes()).is_ok());
}

/// A raw file has what its text form could say, and nothing else.
#[test]
fn raw_rdata_fits_its_type() {
    let raw = |rtype: Rtype, ttl: u32, rdata: &[u8]| {
        let mut out = as_raw(&read(b"x. 60 SOA a. b. 1 2 3 4 5\n").expect("a zone"));
        raw::push_rrset(b"\x01x\0", ttl, rtype, 0, [rdata].into_iter(), &mut out);
        read(&out)
    };
    assert!(raw(Rtype::A, 60, &[192, 0, 2, 1]).is_ok());
    assert!(raw(Rtype::A, 60, &[192, 0, 2]).is_err());
    assert!(raw(Rtype::DNAME, 60, b"\x01").is_err());
    assert!(raw(Rtype::TXT, 60, b"\x03ab").is_err());
    let long = raw(Rtype::A, 1 << 31, &[192, 0, 2, 1]).expect("a zone");
    assert_eq!(long.long_ttls(), Some((&"x.".parse().expect("a name"), 1)));
}

/// RFC 2181, section 8: what is longer than a TTL can be is 0, wherever it comes from.
#[test]
fn long_ttls_are_none() {
    let text = "x. IN SOA a. b. 1 2 3 4 4294967295\n$TTL 2147483648\na.x. A 192.0.2.1\n\
                b.x. 4294967295 A 192.0.2.1\nc.x. 2147483647 A 192.0.2.1\n";
    let zone = read(text.as_bytes()).expect("a zone");
    let ttls: Vec<u32> = zone.owners().flat_map(|owner| owner.rrsets()).map(|rrset| rrset.ttl()).collect();
    assert_eq!(ttls, [0, 0, 0, (1 << 31) - 1]);
    assert_eq!(zone.long_ttls(), Some((&"x.".parse().expect("a name"), 3)));
}

/// Times of signatures are serial numbers: no year makes a zone unreadable (RFC 4034, section 3.1.5).
#[test]
fn times_of_signatures_of_any_year() {
    let rrsig = "a.x. 60 IN RRSIG A 13 2 60 21220101000000 00100101000000 1 x. AA==\n";
    let zone = read(format!("x. 60 IN SOA a. b. 1 2 3 4 5\n{rrsig}").as_bytes()).expect("a zone");
    let rrset = zone.rrset(b"\x01a\x01x\0", Rtype::RRSIG).expect("an RRset");
    let mut text = Vec::new();
    text::push_rdata(Rtype::RRSIG, rrset.rdata().next().expect("RDATA"), &mut text);
    assert_eq!(text, b"A 13 2 60 19851124173144 20510714010400 1 x. AA==");
}

/// The covered type of a raw file's RRset is that of its signatures, and no other RRset has one.
#[test]
fn raw_rrsets_cover_what_they_say() {
    let rrsig = |covered: Rtype| [&covered.0.to_be_bytes()[..], &[13, 1], &[0; 14], &[0], &[1; 64]].concat();
    let raw = |rtype: Rtype, covered: Rtype, rdata: &[&[u8]]| {
        let mut out = as_raw(&read(b"x. 60 SOA a. b. 1 2 3 4 5\n").expect("a zone"));
        let at = out.len();
        raw::push_rrset(b"\x01x\0", 60, rtype, covered.0, rdata.iter().copied(), &mut out);
        (at, read(&out))
    };
    let none = Rtype(0);
    let (soa, a) = (rrsig(Rtype::SOA), rrsig(Rtype::A));
    assert!(raw(Rtype::RRSIG, Rtype::SOA, &[&soa]).1.is_ok());
    assert!(raw(Rtype::SIG, Rtype::A, &[&a]).1.is_ok());
    for (rtype, covered, rdata, named) in [
        (Rtype::RRSIG, Rtype::A, &[&soa[..]][..], "A"),
        (Rtype::RRSIG, none, &[&soa], "TYPE0"),
        (Rtype::RRSIG, Rtype::SOA, &[&soa, &a], "SOA"),
        (Rtype::SIG, Rtype::SOA, &[&a], "SOA"),
        (Rtype::A, Rtype::A, &[&[192, 0, 2, 1]], "A"),
        (Rtype::TXT, Rtype(65_535), &[b"\x01a"], "TYPE65535"),
        (Rtype::NSEC, Rtype::SOA, &[b"\x01x\0\0\x01\x40"], "SOA"),
    ] {
        let (at, read) = raw(rtype, covered, rdata);
        let fault = read.expect_err(named);
        let ReadError::Raw { at: there, what, .. } = fault else { panic!("{fault}") };
        assert!(there == at as u64 && what.starts_with(&format!("x. {rtype}: ")), "{at}: {what}");
        assert!(what.contains(&format!("covering {named},")), "{what}");
    }
}

#[test]
fn a_known_type_may_be_written_opaquely() {
    let soa = "example. 60 IN SOA a. b. 1 2 3 4 5\n";
    let zone = read(format!("{soa}a.example. 60 IN TYPE1 \\# 4 C0000201\n").as_bytes()).expect("a zone");
    assert!(as_text(&zone).contains("a.example. 60 IN A 192.0.2.1\n"));
    let fault = read(format!("{soa}a.example. 60 IN A \\# 3 C00002\n").as_bytes()).expect_err("no address");
    assert!(matches!(&fault, ReadError::Syntax { line: 2, what, .. } if what.contains("A RDATA")), "{fault}");
}

#[test]
fn faults_name_file_line_and_value() {
    for (line, expected) in [
        ("a.example. 60 IN A 192.0.2", "'192.0.2'"),
        ("a.example. 60 IN A", "A RDATA"),
        ("a.example. 60 IN A 192.0.2.1 x", "'x'"),
        ("a.example. 60 IN FOO x", "'FOO'"),
        ("a.example. 60 IN TYPE731 x", "TYPE731"),
        ("a.example. 60 IN TYPE731 \\# 3 ABCD", "2 bytes"),
        ("a.example. 60 CH A 192.0.2.1", "class CH"),
        ("a 60 IN A 192.0.2.1", "origin"),
        ("a.example. 60 IN", "a.example."),
        ("a..example. 60 IN A 192.0.2.1", "empty label"),
        ("a.example. 60 IN DNSKEY 256 3 13 A=B", "Base64"),
        ("a.example. 60 IN DS 1 13 2 0G", "hexadecimal"),
        ("a.example. 60 IN TXT \"x", "quoted"),
        ("a.example. 60 IN ( A", "parenthesis"),
        ("$GENERATE 9-1 a$ A 192.0.2.$", "'9-1'"),
        ("$GENERATE 1-9 a$", "$GENERATE"),
        ("$GENERATE 0-2147483647 a$. 1 A 192.0.2.1", "4194304"),
        ("$GENERATE 1-9 ${0,1,z}. 1 A 192.0.2.1", "'${0,1,z}.'"),
        ("$GENERATE 1-9 a$. 1 A 192.0.2", "'192.0.2'"),
        ("$GENERATE 1-9 a$. 1 A", "A RDATA"),
        ("$GENERATE 1-9 a$. 1 ANY x", "ANY"),
        ("a.example. 60 IN AXFR \\# 0", "AXFR"),
        ("a.example. 60 IN TYPE0 \\# 0", "TYPE0"),
        ("a.example. 60 IN TYPE200 \\# 0", "TYPE200"),
        ("a.example. 60 IN NULL x", "NULL"),
        ("$INCLUDE /dev/null", "/dev/null: "),
        ("$INCLUDE /", " /: "),
        ("$ORIGN x.", "$ORIGN"),
        ("$TTL 4294967296", "4294967296"),
        ("a.example. 4294967296 IN A 192.0.2.1", "4294967296"),
        ("a.example. 60 IN MX +1 a.", "'+1'"),
        ("a.example. 60 IN TYPE+1 x", "'TYPE+1'"),
        ("a.example. 60 CLASS3 A 192.0.2.1", "'CLASS3'"),
        ("$INCLUDE no-such-file", "no-such-file"),
        ("a.example. 60 IN RRSIG A 13 1 60 20261331000000 20260101000000 1 x. AA==", "20261331000000"),
    ] {
        let input = format!("example. 60 IN SOA a. b. 1 2 3 4 5\n{line}");
        let fault = read(input.as_bytes()).expect_err(line).to_string();
        assert!(fault.contains("test.zone, line 2: ") && fault.contains(expected), "{line}: {fault}");
    }
    assert!(matches!(read(b""), Err(ReadError::Zone { source: ZoneError::NoSoa, .. })));
}

#[test]
fn a_cut_raw_file_is_noticed_at_every_length() {
    let whole = as_raw(&read(ALL_TYPES.as_bytes()).expect("a zone"));
    let mut complete = Vec::new();
    for end in 4..whole.len() {
        let mut builder = ZoneBuilder::new();
        if raw::read(&whole[..end], Path::new("cut.raw"), &mut builder).is_ok() {
            complete.push(end);
        }
    }
    // Only between RRsets is a cut invisible.
    let rrsets = read(ALL_TYPES.as_bytes()).expect("a zone").rrset_count();
    assert_eq!(complete.len(), rrsets);
}

fn zone_text() -> impl Strategy<Value = String> {
    const PIECES: &str = "example. a @ ( ) ; \" \\ \\# 60 1h IN CH A NS SOA TXT RRSIG NSEC NSEC3 DNSKEY DS TYPE65535 $TTL \
                          $ORIGIN $INCLUDE - AA== 192.0.2.1 :: 20260101000000 0p9m \u{e4} \0 99999999999";
    let pieces: Vec<&str> = PIECES.split(' ').chain([" ", "\n", "\t"]).collect();
    let pieces = prop::sample::select(pieces);
    prop::collection::vec(pieces, 0..60).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_text_panics(input in zone_text()) {
        let _ = read(input.as_bytes());
    }

    #[test]
    fn no_mutated_zone_panics(at in 0..ALL_TYPES.len(), byte: u8, cut in 0..ALL_TYPES.len()) {
        let mut input = ALL_TYPES.as_bytes().to_vec();
        input[at] = byte;
        let _ = read(&input);
        input.truncate(cut);
        let _ = read(&input);
    }

    #[test]
    fn no_mutated_raw_file_panics(at in 0..2000usize, byte: u8) {
        let mut input = as_raw(&read(ALL_TYPES.as_bytes()).expect("a zone"));
        let at = at % input.len();
        input[at] = byte;
        let _ = read(&input);
    }

    /// What is read is printed so that it reads the same.
    #[test]
    fn text_is_a_fixed_point(labels in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..20), 1..6), text: Vec<u8>) {
        let mut name = Name::ROOT;
        for label in &labels {
            name = name.child(label).expect("short labels");
        }
        let mut builder = ZoneBuilder::new();
        builder.push(&name, Rtype::SOA, 60, &[0; 22]).expect("a SOA record");
        let text = &text[..text.len().min(255)];
        let mut rdata = vec![text.len() as u8];
        rdata.extend_from_slice(text);
        builder.push(&name, Rtype::TXT, 60, &rdata).expect("a text");
        let zone = builder.finish().expect("a zone");
        let printed = as_text(&zone);
        let again = read(printed.as_bytes()).expect("our own text");
        prop_assert_eq!(as_text(&again), printed);
        prop_assert_eq!(again.rrset(name.as_wire(), Rtype::TXT).expect("kept").rdata().next(), Some(&rdata[..]));
    }
}
