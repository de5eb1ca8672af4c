//! Every record type of IANA's registry: its own text form, the RDATA that this stands for, and the way back.

use std::sync::LazyLock;

use crate::common::*;
use data_encoding::{HEXLOWER, HEXUPPER_PERMISSIVE};
use fieldtest_dnssec::format::{raw, text};
use fieldtest_dnssec::{ReadError, Rtype, Zone};
use proptest::prelude::*;
use tempfile::TempDir;

/// Type, RDATA as people write it, RDATA on the wire in hexadecimal.
static RECORDS: LazyLock<Vec<[&str; 3]>> = LazyLock::new(|| {
    let lines = include_str!("types.txt").lines().filter(|line| !line.starts_with(';'));
    let parts = |line: &'static str| {
        let (record, hex) = line.rsplit_once(" ;")?;
        let (rtype, text) = record.split_once(' ').unwrap_or((record, ""));
        Some([rtype, text, hex])
    };
    lines.map(|line| parts(line).expect(line)).collect()
});

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
    for [rtype, text, hex] in RECORDS.iter() {
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
        let here = RECORDS.iter().any(|[text, ..]| Some(*text) == rtype.mnemonic());
        assert!(here != meta, "{rtype}");
        // A meta type is refused in every form.
        if meta {
            for text in [format!("{rtype} \\# 0"), format!("TYPE{} \\# 0", rtype.0)] {
                let fault = fault(format!("{SOA}a.x. 60 IN {text}\n"));
                assert!(matches!(fault, ReadError::Syntax { line: 2, .. }), "{fault}");
            }
            assert!(matches!(fault(as_raw(*rtype, &[])), ReadError::Raw { .. }), "{rtype}");
        }
    }
}

/// What BIND 9.18 does not read in a type's own form: types that it calls obsolete or does not know, newer service
/// parameters, and an IPSECKEY without a key.
fn unknown_to_bind(rtype: &str, text: &str) -> bool {
    const PARAMETERS: [&str; 3] = ["tls-supported-groups", "docpath", "oots"];
    if PARAMETERS.iter().any(|name| text.contains(name)) {
        return true;
    }
    matches!(rtype, "MD" | "MF" | "CLA" | "IPN") || text.contains("NXNAME") || text == "10 0 0 ."
}

/// Every record at a name of its own.
fn zone_of(records: impl Iterator<Item = (usize, String)>) -> String {
    let head = "$TTL 60\nx. IN SOA ns.x. b. 1 2 3 4 5\nx. IN NS ns.x.\nns.x. IN A 192.0.2.1\n".to_owned();
    records.fold(head, |zone, (at, record)| format!("{zone}r{at}.x. IN {record}\n"))
}

fn compile(directory: &TempDir, zone: &str) -> Zone {
    std::fs::write(directory.path().join("zone"), zone).expect("a file");
    run(
        directory.path(),
        "named-compilezone",
        &["-i", "none", "-k", "ignore", "-F", "raw", "-o", "raw", "x.", "zone"],
    );
    fieldtest_dnssec::load(&directory.path().join("raw"), None).expect("BIND's raw form")
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
    let directory = directory();
    let known = RECORDS.iter().enumerate().filter(|(_, [rtype, text, _])| !unknown_to_bind(rtype, text));
    let zone = zone_of(known.map(|(at, [rtype, text, _])| (at, format!("{rtype} {text}"))));
    assert_eq!(all_of(&compile(&directory, &zone)), all_of(&read(&zone)));
}

/// What is written here, every name server and tool reads, and BIND as what it was.
#[test]
fn everybody_reads_what_is_written() {
    let directory = directory();
    let known = RECORDS.iter().enumerate().filter(|(_, [rtype, text, _])| {
        // BIND has no form at all for these.
        !matches!(*rtype, "MD" | "MF") && *text != "10 0 0 ."
    });
    let written = zone_of(known.map(|(at, [rtype, _, hex])| {
        let rtype = Rtype::parse(rtype.as_bytes()).expect("a type");
        let line = written(rtype, &wire(hex));
        (at, line.split_once(" IN ").expect("a class").1.trim_end().to_owned())
    }));
    if installed("named-compilezone") {
        assert_eq!(all_of(&compile(&directory, &written)), all_of(&read(&written)));
    }
    std::fs::write(directory.path().join("zone"), &written).expect("a file");
    if installed("ldns-read-zone") {
        run(directory.path(), "ldns-read-zone", &["zone"]);
    }
    if installed("nsd-checkzone") {
        run(directory.path(), "nsd-checkzone", &["x.", "zone"]);
    }
    if installed("kzonecheck") {
        // Knot judges what it reads, too: no resolver knows this DS record's digest.
        let is_known = |line: &&str| !line.contains(" DS 1 13 200 ");
        let known: String = written.split_inclusive('\n').filter(is_known).collect();
        std::fs::write(directory.path().join("zone"), known).expect("a file");
        run(directory.path(), "kzonecheck", &["-o", "x.", "zone"]);
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
    let directory = directory();
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
            prop::sample::select(RECORDS.iter().map(|[.., hex]| wire(hex)).collect::<Vec<_>>()),
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

    #[test]
    fn random_words(
        rtype in prop::sample::select(RECORDS.iter().map(|[rtype, ..]| *rtype).collect::<Vec<_>>()),
        words in prop::collection::vec("[-+!0-9a-zA-Z.:/$|\\\\]{0,12}", 0..8),
    ) {
        let zone = format!("{SOA}a.x. 60 IN {rtype} {}\n", words.join(" "));
        let _ = fieldtest_dnssec::read(zone.as_bytes(), "test".as_ref(), None);
    }
}
