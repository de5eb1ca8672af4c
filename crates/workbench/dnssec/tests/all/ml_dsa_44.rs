//! The example of draft-westerbaan-dnssec-mldsa, byte for byte: algorithm 18 from seed to signature.
//!
//! The draft (repository `bwesterb/draft-westerbaan-dnssec-mldsa`, commit 3baca10) prints a key made from the seed
//! 00…1f, its DS, and a deterministic RRSIG over an MX RRset. Key and signature are typed in as SHA-256 digests.

use std::path::Path;

use fieldtest_dnssec::codepoints::CodePoint;
use fieldtest_dnssec::keys::{DsDigest, KeyUse, ZoneKey};
use fieldtest_dnssec::sign::{Form, Plan, Signer, Zonemd};
use fieldtest_dnssec::verify::{Options, verify};
use fieldtest_dnssec::{Name, Rtype, Zone};
use fieldtest_kinds::signature::Signature;
use sha2::{Digest, Sha256};

const PUBLIC_KEY: &str = "9f107644c1084526af3bc8098680b05499a2325a644e388fb4f970e058d19d46";
const SIGNATURE: &str = "63e07047c8679b84871f05f38771d4a728f0da4a005417c4270c1ce19443e8aa";
const DS: &str = "e9b51202812cb1a22af04380e2f72d91c06c14eb1a918cf30037a8a9c67497e9264b4bfa";
const INCEPTION: u32 = 1_438_207_200;
const EXPIRATION: u32 = 1_440_021_600;
/// After both.
const NOW: u32 = 1_790_000_000;

const ZONE: &str = "example.com. 3600 IN SOA ns.example.com. admin.example.com. 1 7200 3600 1209600 3600\n\
                    example.com. 3600 IN MX 10 mail.example.com.\n";

fn implementation(library: &str) -> &'static dyn Signature {
    let algorithm = fieldtest_catalog::signature::find("ml-dsa-44").expect("in the catalog");
    algorithm.implementation(library).expect("in the catalog").code.as_ref()
}

fn name(text: &str) -> Name {
    text.parse().expect("a name")
}

fn read(zone: &[u8]) -> Zone {
    fieldtest_dnssec::read(zone, Path::new("test"), None).expect("a zone")
}

fn key(library: &str) -> ZoneKey {
    let seed: Vec<u8> = (0..32).collect();
    let flags = KeyUse::KeySigning.flags();
    ZoneKey::from_secret(
        name("example.com."),
        flags,
        CodePoint::Number(18),
        implementation(library),
        seed.into(),
    )
    .expect("a key from the draft's seed")
}

fn hex(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(bytes)
}

#[test]
fn key_tag_and_ds() {
    for library in ["aws-lc", "libcrux", "rustcrypto"] {
        let key = key(library);
        assert_eq!(hex(&Sha256::digest(key.public_field())), PUBLIC_KEY, "{library}");
        assert_eq!(key.tag(), 59829, "{library}");
        assert_eq!(hex(&key.ds(DsDigest::Sha256)), DS, "{library}");
    }
}

#[test]
fn deterministic_signature() {
    for library in ["libcrux", "rustcrypto"] {
        let plan = Plan {
            deterministic: true,
            zonemd: Zonemd::Remove,
            ..Plan::new(vec![key(library)], [INCEPTION, EXPIRATION])
        };
        let mut signed = Vec::new();
        Signer::new(&read(ZONE.as_bytes()), &plan)
            .and_then(|signer| signer.write(Form::Raw, &mut signed))
            .expect("signed");
        let zone = read(&signed);
        let rrsigs = zone.rrset(name("example.com.").as_wire(), Rtype::RRSIG).expect("signed");
        let of_mx =
            rrsigs.rdata().find(|rdata| rdata.starts_with(&Rtype::MX.0.to_be_bytes())).expect("signed");
        let signature = &of_mx[18 + name("example.com.").as_wire().len()..];
        assert_eq!(signature.len(), 2420);
        assert_eq!(hex(&Sha256::digest(signature)), SIGNATURE, "{library}");

        // Every implementation accepts the draft's own signature.
        for verifier in ["aws-lc", "libcrux", "rustcrypto"] {
            let code = implementation(verifier);
            let resolve = |asked: &CodePoint| (*asked == CodePoint::Number(18)).then_some(code);
            let anchors = [key(library).ds(DsDigest::Sha256)];
            let valid = Options { resolve: &resolve, now: Some(INCEPTION + 1), anchors: &anchors };
            let report = verify(&zone, &valid);
            assert!(report.is_secure(), "{verifier}: {report}");
            let late = Options { resolve: &resolve, now: Some(NOW), anchors: &anchors };
            assert!(!verify(&zone, &late).is_secure());
        }
    }
}
