//! Zone files, raw and as text, and key files.

use std::path::Path;

use fieldtest_dnssec::codepoints::CodePoint;
use fieldtest_dnssec::format::{raw, text};
use fieldtest_dnssec::keys::ZoneKey;
use fieldtest_dnssec::verify::{self, Options};
use fieldtest_dnssec::{Name, Zone};
use fieldtest_kinds::signature::{PublicKeyForm, Signature};

use super::{Target, halves, texts};
use crate::fakes::FakeSignature;
use crate::scratch;

pub(super) const TARGETS: &[Target] = &[
    Target { name: "zone-text", run: zone_text, seeds: zone_texts },
    Target { name: "zone-raw", run: zone_raw, seeds: raw_zones },
    Target { name: "dns-keys", run: dns_keys, seeds: key_files },
];

/// A directory that is not there, so that `$INCLUDE` finds nothing.
const NOWHERE: &str = "/nonexistent/fuzz.zone";

const PLAIN: FakeSignature = FakeSignature(PublicKeyForm::Plain);

fn resolve(_: &CodePoint) -> Option<&'static dyn Signature> {
    Some(&PLAIN)
}

fn origin() -> Name {
    Name::parse(b"example.", None).expect("a name")
}

fn read(zone: &[u8]) -> Option<Zone> {
    match fieldtest_dnssec::read(zone, Path::new(NOWHERE), Some(origin())) {
        Ok(zone) => Some(zone),
        Err(error) => {
            let _ = error.to_string();
            None
        }
    }
}

/// The zone in raw format, which has everything that a zone is.
fn as_raw(zone: &Zone) -> Vec<u8> {
    let mut out = Vec::new();
    raw::push_header(0, &mut out);
    for owner in zone.owners() {
        for rrset in owner.rrsets() {
            raw::push_rrset(owner.wire(), rrset.ttl(), rrset.rtype(), 0, rrset.rdata(), &mut out);
        }
    }
    out
}

/// What is read from text is written as text that is the same zone.
fn zone_text(input: &[u8]) {
    let Some(zone) = (if raw::is_raw(input) { None } else { read(input) }) else { return };
    let mut written = Vec::new();
    for owner in zone.owners() {
        for rrset in owner.rrsets() {
            for rdata in rrset.rdata() {
                text::push_record(owner.wire(), rrset.ttl(), rrset.rtype(), rdata, &mut written);
            }
        }
    }
    let again = fieldtest_dnssec::read(&written[..], Path::new(NOWHERE), None);
    let again = again.unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&written)));
    assert!(as_raw(&again) == as_raw(&zone), "another zone: {}", String::from_utf8_lossy(&written));
    validate(&zone);
}

/// What is read from raw is written as raw that is the same zone.
fn zone_raw(input: &[u8]) {
    let Some(zone) = (if raw::is_raw(input) { read(input) } else { None }) else { return };
    let written = as_raw(&zone);
    let again = read(&written).expect("what was written");
    assert!(as_raw(&again) == written, "another zone");
    validate(&zone);
}

/// Validation meets whatever a zone file may say of signatures and chains.
fn validate(zone: &Zone) {
    let options = Options { resolve: &resolve, now: Some(1_800_000_000), anchors: &[] };
    let _ = verify::verify(zone, &options);
}

/// A `.key` and a `.private` file, with a zero byte between them.
fn dns_keys(input: &[u8]) {
    let (public, private) = halves(input, &[0]);
    let path = scratch::file("Kfuzz.key", public);
    scratch::file("Kfuzz.private", private);
    if let Err(error) = ZoneKey::read_public(&path) {
        let _ = error.to_string();
    }
    for form in [PublicKeyForm::Plain, PublicKeyForm::RsaPkcs1, PublicKeyForm::EcPoint] {
        let implementation = FakeSignature(form);
        match ZoneKey::read(&path, &|_| Some(&implementation)) {
            Ok(key) => assert!(key.signing().is_some(), "a key that was read signs"),
            Err(error) => drop(error.to_string()),
        }
    }
}

fn zone_texts() -> Vec<Vec<u8>> {
    let mut seeds = texts(&[
        "$ORIGIN example.\n$TTL 3600\n@ IN SOA ns mail 1 7200 3600 1209600 3600\n@ NS ns\nns A 192.0.2.1\nns AAAA 2001:db8::1\n",
        "@ 3600 IN SOA ns.example. mail.example. ( 1 ; serial\n 2h 1h 2w 1h )\n NS ns\nns 5 A 192.0.2.1\n* MX 10 ns\n\"q\\\"\" TXT \"a b\" c\\032d \\255\n",
        "@ 0 SOA . . 0 0 0 0 0\nx TYPE65280 \\# 4 01020304\ny CAA 0 issue \"ca.example\"\nz SRV 1 2 3 t\nn NAPTR 1 2 \"u\" \"s\" \"!r!s!\" .\n",
        "@ 60 SOA . . 1 1 1 1 1\n@ DNSKEY 257 3 13 AAEC\n@ DS 1 13 2 00112233445566778899AABBCCDDEEFF00112233445566778899AABBCCDDEEFF\n@ NSEC a A NS SOA RRSIG NSEC DNSKEY TYPE1234\na NSEC @ A RRSIG\na A 192.0.2.1\n",
        "@ 60 SOA . . 1 1 1 1 1\n@ NSEC3PARAM 1 0 2 AB\nN5J0CP0MLEJE6D0MJ1E6FDVH0PMHJ57S NSEC3 1 1 2 AB T8K2O7QDE5KNJ1HQ00CGO5CNOBJ8GRD9 A RRSIG\n@ ZONEMD 1 1 240 000102030405060708090A0B\n@ CDS 0 0 0 00\n@ CDNSKEY 0 3 0 AA==\n",
        "@ 60 SOA . . 1 1 1 1 1\n@ RRSIG SOA 13 1 60 20270101000000 20260101000000 1 example. AAECAwQFBgc=\n@ SVCB 1 . alpn=h2,h3 port=443 ipv4hint=192.0.2.1 key65000=x\n@ HTTPS 0 a\n@ LOC 51 30 12.748 N 0 7 39.611 W 0m 1m 2m 3m\n",
        "$TTL 1h\n$ORIGIN x.\n@ SOA a b 1 2 3 4 5\n$GENERATE 1-3 h$ A 192.0.2.$\n$INCLUDE other.zone x.\n",
        "@ 60 SOA . . 1 1 1 1 1\n@ TLSA 3 1 1 00\n@ SSHFP 1 3 00\n@ SMIMEA 3 0 0 00\n@ OPENPGPKEY AAAA\n@ URI 1 1 \"u\"\n@ CERT 1 2 3 AAAA\n@ HINFO a b\n@ DNAME d\nc CNAME d\n@ PTR d\n@ RP a b\n@ AFSDB 1 a\n@ EUI48 00-00-5e-00-53-2a\n@ CSYNC 1 3 A NS\n@ IPSECKEY 1 1 1 192.0.2.1 AAAA\n",
    ]);
    seeds.push(b"@ SOA a b 1 2 3 4 5\r\n".to_vec());
    seeds
}

fn raw_zones() -> Vec<Vec<u8>> {
    zone_texts().iter().filter_map(|text| read(text)).map(|zone| as_raw(&zone)).collect()
}

fn key_files() -> Vec<Vec<u8>> {
    texts(&[
        "; a comment\nexample. 3600 IN DNSKEY 257 3 13 AAEC\n\0Private-key-format: v1.3\nAlgorithm: 13 (ECDSAP256SHA256)\nPrivateKey: AAEC\nCreated: 20260101000000\nPublish: 20260101000000\nActivate: 20260101000000\n",
        "example. IN DNSKEY 256 3 8 AwEAAQ==\n\0Private-key-format: v1.3\nAlgorithm: 8 (RSASHA256)\nModulus: AQAB\nPublicExponent: AQAB\nPrivateExponent: AQAB\nPrime1: AQAB\nPrime2: AQAB\nExponent1: AQAB\nExponent2: AQAB\nCoefficient: AQAB\n",
        ". IN DNSKEY 257 3 253 A2ZvbwAAAQI=\n\0Private-key-format: v1.2\nAlgorithm: 253 (PRIVATEDNS)\nPrivateKey: A2ZvbwAAAQI=\n",
        "example. DNSKEY 257 3 PRIVATEDNS BG5hbWUAAA==\n\0Private-key-format: v1.3\n\nAlgorithm: 18 (?)\n",
    ])
}
