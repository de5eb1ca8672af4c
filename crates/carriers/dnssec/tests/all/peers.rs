//! What BIND, ldns and Knot DNS sign is accepted here, and the other way round, key files included.
//!
//! A tool that is not installed is named and its tests are skipped; with `FIELDTEST_PEERS=required` in the
//! environment its absence is a failure.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::common::*;
use fieldtest_dnssec::codepoints::CodePoint;
use fieldtest_dnssec::denial::Denial;
use fieldtest_dnssec::keys::{KeyUse, ZoneKey};
use fieldtest_dnssec::sign::{Form, Plan};
use fieldtest_dnssec::verify::{Options, Report, verify};
use fieldtest_dnssec::{Zone, load};

/// RSA with SHA-256, ECDSA P-256, Ed25519.
const ALGORITHMS: [(u8, &str); 3] = [(8, "RSASHA256"), (13, "ECDSAP256SHA256"), (15, "ED25519")];

/// Nothing that a tool refuses for reasons other than signatures.
const PEER_ZONE: &str = r#"
$ORIGIN example.
$TTL 3600
@ IN SOA ns.example. admin.example. 42 7200 3600 1209600 3600
@ IN NS ns
@ IN MX 10 mail
@ IN TXT "text"
@ IN CAA 0 issue "ca.example"
ns IN A 192.0.2.1
ns IN AAAA 2001:db8::1
mail 60 IN A 192.0.2.2
mail 60 IN A 192.0.2.3
*.wild IN A 192.0.2.4
a.b.c.deep IN TXT "three empty non-terminals"
sub IN NS ns.sub
sub IN NS ns.other.
ns.sub IN A 192.0.2.5
secure IN NS ns.secure
secure IN DS 60485 13 2 D4B7D520E7BB5F0F67674A0CCEB1E3E0614B93C4F9E99B8383F6A1E4469DA50A
ns.secure IN AAAA 2001:db8::5
far.below.empty IN NS ns.other.
dname IN DNAME other.
a\.b IN A 192.0.2.8
\000x IN A 192.0.2.9
unknown IN TYPE65280 \# 3 010203
"#;

fn now() -> u32 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() as u32
}

fn plan_now(keys: Vec<ZoneKey>, denial: Denial) -> Plan {
    Plan { inception: now() - 3600, expiration: now() + 86_400, ..plan(keys, denial) }
}

fn check_now(zone: &Zone) -> Report {
    verify(zone, &Options { resolve: &resolve, now: Some(now()), anchors: &[] })
}

#[track_caller]
fn assert_secure_now(path: &Path) {
    let report = check_now(&load(path, Some(name("example."))).unwrap());
    assert!(report.is_secure(), "{report}");
    assert!(report.signatures > 20);
}

fn sign_to(path: &Path, zone: &Zone, plan: &Plan, form: Form) {
    let mut out = std::fs::File::create(path).unwrap();
    fieldtest_dnssec::sign::Signer::new(zone, plan).unwrap().write(form, &mut out).unwrap();
}

/// Signs the sample with every algorithm and denial, and shows each file to the tool.
fn accepts_ours(tool: &str, arguments: &[&str]) {
    if !installed(tool) {
        return;
    }
    let directory = directory();
    let zone = read(PEER_ZONE);
    for (number, _) in ALGORITHMS {
        for denial in [Denial::Nsec, nsec3(false), nsec3(true)] {
            let keys = key_pair(&zone, CodePoint::Number(number));
            sign_to(&directory.path().join("signed"), &zone, &plan_now(keys, denial), Form::Text);
            run(directory.path(), tool, arguments);
        }
    }
}

#[test]
fn dnssec_verify_accepts_ours() {
    accepts_ours("dnssec-verify", &["-x", "-o", "example.", "signed"]);
}

#[test]
fn ldns_verify_zone_accepts_ours() {
    accepts_ours("ldns-verify-zone", &["signed"]);
}

#[test]
fn kzonecheck_accepts_ours() {
    accepts_ours("kzonecheck", &["-d", "on", "-o", "example.", "signed"]);
}

#[test]
fn ldns_verify_zone_accepts_our_digest() {
    if !installed("ldns-verify-zone") {
        return;
    }
    let directory = directory();
    let zone = read(PEER_ZONE);
    for denial in [Denial::Nsec, nsec3(false)] {
        let mut plan = plan_now(key_pair(&zone, CodePoint::Number(13)), denial);
        plan.zonemd = fieldtest_dnssec::sign::Zonemd::Compute;
        sign_to(&directory.path().join("signed"), &zone, &plan, Form::Text);
        run(directory.path(), "ldns-verify-zone", &["-ZZ", "signed"]);
        assert_secure_now(&directory.path().join("signed"));
    }
}

/// Has BIND sign a zone in this directory with the keys that are there.
fn signzone(directory: &Path, origin: &str, form: &str, denial: &[&str]) {
    let fixed = ["-S", "-x", "-o", origin, "-O", form, "-f", "signed"];
    run(directory, "dnssec-signzone", &[&fixed[..], denial, &["zone"]].concat());
}

#[test]
fn dnssec_signzone_uses_our_keys() {
    if !installed("dnssec-signzone") {
        return;
    }
    for (number, _) in ALGORITHMS {
        let directory = directory();
        let zone = read(PEER_ZONE);
        fs::write(directory.path().join("zone"), PEER_ZONE).unwrap();
        for key in key_pair(&zone, CodePoint::Number(number)) {
            key.write(directory.path()).unwrap();
        }
        let denials: [&[&str]; 3] = [&[], &["-3", "-", "-H", "0"], &["-3", "AABB", "-H", "5", "-A"]];
        for denial in denials {
            for form in ["text", "raw"] {
                signzone(directory.path(), "example.", form, denial);
                assert_secure_now(&directory.path().join("signed"));
            }
        }
    }
}

/// BIND keeps the case of owner names in next names, which are signed as they are (RFC 6840, section 5.1), and lowers
/// names in the RDATA of old types, which are written opaquely here.
#[test]
fn capitals_in_zones_of_bind() {
    if !installed("dnssec-signzone") {
        return;
    }
    let directory = directory();
    let capitals = "$ORIGIN Example.\n$TTL 3600\n@ IN SOA NS Admin 42 7200 3600 1209600 3600\n@ IN NS NS\n\
                    NS IN A 192.0.2.1\nA.Wild IN MX 10 MAIL\n*.Wild IN TXT \"Text\"\nMail IN A 192.0.2.2\n\
                    Sub IN NS NS.Sub\nNS.Sub IN A 192.0.2.3\nZ IN NAPTR 1 2 \"S\" \"X\" \"\" Target\n\
                    Minfo IN TYPE14 \\# 6 014100014200\nRt IN TYPE21 \\# 5 000A014100\n\
                    Px IN TYPE26 \\# 8 000A014100014200\nMb IN TYPE7 \\# 3 014100\n\
                    Https IN TYPE65 \\# 5 0001014100\nCert IN CERT PKIX 1 13 AQIDBA==\n";
    let zone = read(capitals);
    let keys = key_pair(&zone, CodePoint::Number(15));
    keys.iter().for_each(|key| drop(key.write(directory.path()).unwrap()));
    let denials: [&[&str]; 2] = [&[], &["-3", "AABB", "-H", "1", "-A"]];
    for form in ["raw", "text"] {
        // BIND writes HTTPS in a notation that is not read here.
        let readable = |line: &&str| form == "raw" || !line.starts_with("Https");
        let lines: Vec<&str> = capitals.lines().filter(readable).collect();
        fs::write(directory.path().join("zone"), lines.join("\n") + "\n").unwrap();
        for denial in denials {
            signzone(directory.path(), "Example.", form, denial);
            let octets = fs::read(directory.path().join("signed")).unwrap();
            assert!(octets.windows(4).any(|part| part == b"Wild"), "BIND keeps capitals");
            assert_secure_now(&directory.path().join("signed"));
        }
    }
    for (form, called) in [(Form::Text, "text"), (Form::Raw, "raw")] {
        sign_to(&directory.path().join("ours"), &zone, &plan_now(keys.clone(), Denial::Nsec), form);
        run(directory.path(), "dnssec-verify", &["-x", "-I", called, "-o", "Example.", "ours"]);
    }
}

/// With the same keys, BIND's raw file and ours are of the same length, so nothing is missing and nothing is extra.
#[test]
fn raw_files_are_as_long_as_those_of_bind() {
    if !installed("dnssec-signzone") {
        return;
    }
    let directory = directory();
    let zone = read(PEER_ZONE);
    fs::write(directory.path().join("zone"), PEER_ZONE).unwrap();
    let keys = key_pair(&zone, CodePoint::Number(15));
    keys.iter().for_each(|key| drop(key.write(directory.path()).unwrap()));
    let denials: [(&[&str], Denial); 2] = [(&[], Denial::Nsec), (&["-3", "-", "-H", "0"], nsec3(false))];
    for (arguments, denial) in denials {
        signzone(directory.path(), "example.", "raw", arguments);
        sign_to(&directory.path().join("ours"), &zone, &plan_now(keys.clone(), denial), Form::Raw);
        let length = |file: &str| fs::metadata(directory.path().join(file)).unwrap().len();
        assert_eq!(length("ours"), length("signed"), "{arguments:?}");
    }
}

#[test]
fn ldns_signzone_uses_our_keys() {
    if !installed("ldns-signzone") {
        return;
    }
    for (number, _) in ALGORITHMS {
        let directory = directory();
        let zone = read(PEER_ZONE);
        fs::write(directory.path().join("zone"), PEER_ZONE).unwrap();
        let keys = key_pair(&zone, CodePoint::Number(number));
        let names: Vec<String> = keys.iter().map(ZoneKey::file_name).collect();
        for key in &keys {
            key.write(directory.path()).unwrap();
        }
        let denials: [&[&str]; 3] = [&[], &["-n", "-t", "0"], &["-n", "-p", "-t", "2", "-s", "AABB"]];
        for denial in denials {
            let last = ["zone", &names[0], &names[1]];
            run(
                directory.path(),
                "ldns-signzone",
                &[&["-o", "example.", "-f", "signed"], denial, &last].concat(),
            );
            assert_secure_now(&directory.path().join("signed"));
        }
    }
}

/// Knot DNS signs with keys of its own.
#[test]
fn zones_of_kzonesign_are_secure() {
    if !installed("kzonesign") {
        return;
    }
    for (_, algorithm) in ALGORITHMS {
        for nsec3 in ["off", "on"] {
            let directory = directory();
            fs::write(directory.path().join("zone"), PEER_ZONE).unwrap();
            let storage = directory.path().display();
            let configuration = format!(
                "database:\n  storage: {storage}\npolicy:\n  - id: p\n    algorithm: {algorithm}\n    \
                 nsec3: {nsec3}\nzone:\n  - domain: example.\n    storage: {storage}\n    file: zone\n    \
                 dnssec-signing: on\n    dnssec-policy: p\n"
            );
            fs::write(directory.path().join("knot.conf"), configuration).unwrap();
            run(directory.path(), "kzonesign", &["-c", "knot.conf", "-o", "signed", "example."]);
            let signed: Vec<PathBuf> = match directory.path().join("signed") {
                path if path.is_dir() => {
                    fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect()
                }
                path => vec![path],
            };
            assert_eq!(signed.len(), 1);
            assert_secure_now(&signed[0]);
        }
    }
}

/// Keys of dnssec-keygen sign here, and BIND accepts the zone.
#[test]
fn keys_of_dnssec_keygen() {
    if !installed("dnssec-keygen") {
        return;
    }
    for (number, algorithm) in ALGORITHMS {
        let directory = directory();
        let size: &[&str] = if number == 8 { &["-b", "2048"] } else { &[] };
        for which in [&["-f", "KSK", "example."][..], &["example."]] {
            run(directory.path(), "dnssec-keygen", &[&["-q", "-a", algorithm], size, which].concat());
        }
        let mut keys: Vec<ZoneKey> = fs::read_dir(directory.path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "key"))
            .map(|path| {
                let key = ZoneKey::read(&path, &resolve).unwrap();
                assert_eq!(path.file_stem().unwrap().to_str().unwrap(), key.file_name());
                assert!(key.times().created.is_some() && key.times().activate.is_some());
                key
            })
            .collect();
        keys.sort_by_key(ZoneKey::flags);
        assert_eq!(keys.iter().map(ZoneKey::flags).collect::<Vec<_>>(), [256, 257]);
        assert!(!keys[0].is_secure_entry_point() && KeyUse::KeySigning.flags() == keys[1].flags());
        let path = directory.path().join("signed");
        sign_to(&path, &read(PEER_ZONE), &plan_now(keys, Denial::Nsec), Form::Raw);
        run(directory.path(), "dnssec-verify", &["-x", "-I", "raw", "-o", "example.", "signed"]);
    }
}
