//! What the tests of signing and validation share.
#![allow(dead_code, missing_docs, unreachable_pub, clippy::print_stderr)]

mod classic;

use std::path::Path;
use std::process::{Command, Stdio};

use fieldtest_dnssec::codepoints::CodePoint;
use fieldtest_dnssec::denial::{Denial, Nsec3};
use fieldtest_dnssec::keys::{KeyUse, ZoneKey};
use fieldtest_dnssec::sign::{Counts, Form, Plan, SignError, Signer};
use fieldtest_dnssec::verify::{Options, Report, verify};
use fieldtest_dnssec::{Name, ReadError, Rtype, Zone, ZoneBuilder};
use fieldtest_kinds::signature::Signature;
use fieldtest_kinds::toy::Toy;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// Inside the validity of every test plan.
pub const NOW: u32 = 1_790_000_000;

pub const TOY: CodePoint = CodePoint::Number(200);
pub const TOY_TOO: CodePoint = CodePoint::Number(201);

pub static KEYED_HASH: Toy = Toy { hash: |parts| Sha256::digest(parts.concat()).to_vec() };

/// The classic algorithms by IANA's numbers, and the toy by two more and a private name.
pub fn resolve(code_point: &CodePoint) -> Option<&'static dyn Signature> {
    match code_point {
        CodePoint::Number(8) => Some(&classic::RSA_2048),
        CodePoint::Number(13) => Some(&classic::P256),
        CodePoint::Number(14) => Some(&classic::P384),
        CodePoint::Number(15) => Some(&classic::ED25519),
        CodePoint::Number(200 | 201) | CodePoint::Private(_) | CodePoint::Object(_) => Some(&KEYED_HASH),
        _ => None,
    }
}

pub fn name(text: &str) -> Name {
    text.parse::<Name>().unwrap()
}

pub fn read(zone: &str) -> Zone {
    read_bytes(zone.as_bytes())
}

pub fn read_bytes(zone: &[u8]) -> Zone {
    fieldtest_dnssec::read(zone, Path::new("test"), None).unwrap()
}

pub fn key(zone: &Zone, key_use: KeyUse, code_point: CodePoint) -> ZoneKey {
    let implementation = resolve(&code_point).unwrap();
    ZoneKey::generate(*zone.apex(), key_use, code_point, implementation).unwrap()
}

/// A key-signing and a zone-signing key.
pub fn key_pair(zone: &Zone, code_point: CodePoint) -> Vec<ZoneKey> {
    vec![key(zone, KeyUse::KeySigning, code_point.clone()), key(zone, KeyUse::ZoneSigning, code_point)]
}

pub fn plan(keys: Vec<ZoneKey>, denial: Denial) -> Plan {
    Plan { denial, ..Plan::new(keys, [NOW - 3600, NOW + 86_400]) }
}

pub fn nsec3(opt_out: bool) -> Denial {
    Denial::Nsec3(Nsec3 { opt_out, ..Nsec3::default() })
}

pub fn write(zone: &Zone, plan: &Plan, form: Form) -> Result<(Vec<u8>, Counts), SignError> {
    let mut out = Vec::new();
    let counts = Signer::new(zone, plan)?.write(form, &mut out)?;
    assert_eq!(counts.octets, out.len() as u64);
    Ok((out, counts))
}

/// Signs and reads back.
pub fn signed(zone: &Zone, plan: &Plan) -> Zone {
    read_bytes(&write(zone, plan, Form::Raw).unwrap().0)
}

pub fn check(zone: &Zone) -> Report {
    verify(zone, &Options { resolve: &resolve, now: Some(NOW), anchors: &[] })
}

pub fn assert_secure(zone: &Zone) -> Report {
    let report = check(zone);
    assert!(report.is_secure(), "{report}");
    report
}

#[derive(Debug, Clone)]
pub struct Record {
    pub owner: Name,
    pub rtype: Rtype,
    pub ttl: u32,
    pub rdata: Vec<u8>,
}

impl Record {
    /// The Type Covered field of an RRSIG.
    pub fn covers(&self, rtype: Rtype) -> bool {
        self.rtype == Rtype::RRSIG && self.rdata[..2] == rtype.0.to_be_bytes()
    }

    pub fn is(&self, owner: &str, rtype: Rtype) -> bool {
        self.owner == name(owner) && self.rtype == rtype
    }
}

/// The zone with its records changed.
pub fn edited(zone: &Zone, edit: impl FnOnce(&mut Vec<Record>)) -> Zone {
    let mut records: Vec<Record> = zone
        .owners()
        .flat_map(|owner| owner.rrsets())
        .flat_map(|rrset| {
            rrset.records().map(move |(ttl, rdata)| Record {
                owner: rrset.owner().name(),
                rtype: rrset.rtype(),
                ttl,
                rdata: rdata.to_vec(),
            })
        })
        .collect();
    edit(&mut records);
    let mut builder = ZoneBuilder::new();
    for record in &records {
        builder.push_as_is(&record.owner, record.rtype, record.ttl, &record.rdata).unwrap();
    }
    builder.finish().unwrap()
}

/// Whether a peer is there; says so if it is not, and fails if it is demanded.
pub fn installed(tool: &str) -> bool {
    let found = Command::new(tool).arg("-h").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !found {
        assert!(
            std::env::var_os("FIELDTEST_PEERS").is_none_or(|wanted| wanted != "required"),
            "{tool} is not installed, and FIELDTEST_PEERS=required demands it"
        );
        eprintln!("SKIPPED: {tool} is not installed");
    }
    found
}

/// Runs a peer that must succeed.
#[track_caller]
pub fn run(directory: &Path, tool: &str, arguments: &[&str]) {
    let output = Command::new(tool).args(arguments).current_dir(directory).output().unwrap();
    assert!(
        output.status.success(),
        "{tool} {arguments:?}: {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// A directory that is removed when it is dropped.
pub fn directory() -> TempDir {
    TempDir::new().unwrap()
}

/// What is said of a zone that cannot be read.
#[track_caller]
pub fn fault(zone: impl AsRef<[u8]>) -> ReadError {
    fieldtest_dnssec::read(zone.as_ref(), Path::new("test"), None).unwrap_err()
}

/// Everything that a signer must get right: wildcards, empty non-terminals, delegations with and without DS, glue,
/// a DNAME, escaped names, many types, and a digest.
pub const ZONE: &str = r#"
$ORIGIN example.
$TTL 3600
@ 7200 IN SOA ns.example. admin.example. 42 7200 3600 1209600 300
@ IN NS ns
@ IN NS ns.sub
@ IN MX 10 mail
@ IN TXT "text"
@ IN CAA 0 issue "ca.example"
@ IN ZONEMD 42 1 1 000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
ns IN A 192.0.2.1
ns IN AAAA 2001:db8::1
mail 60 IN A 192.0.2.2
mail 60 IN A 192.0.2.3
* IN TXT "wild"
*.wild IN A 192.0.2.4
a.b.c.deep IN TXT "three empty non-terminals"
x.b.c.deep IN TXT "none more"
sub IN NS ns.sub
sub IN NS ns.other.
ns.sub IN A 192.0.2.5
sub IN A 192.0.2.55
secure IN NS ns.secure
secure IN DS 60485 5 2 D4B7D520E7BB5F0F67674A0CCEB1E3E0614B93C4F9E99B8383F6A1E4469DA50A
ns.secure IN AAAA 2001:db8::5
far.below.empty IN NS ns.other.
ns.far.below.empty IN A 192.0.2.6
half.mixed IN NS ns.other.
whole.mixed IN TXT "x"
dname IN DNAME other.
hidden.dname IN A 192.0.2.7
a\.b IN A 192.0.2.8
\000x IN A 192.0.2.9
\200\@\( IN A 192.0.2.10
unknown IN TYPE65280 \# 3 010203
"#;
