//! xattrs, key files and certificates, lists of xattrs, tar archives.

use std::convert::Infallible;

use fieldtest_ima::keys::{PrivateKey, PublicKey};
use fieldtest_ima::store::{Store, manifest};
use fieldtest_ima::tar::{self, TarOptions};
use fieldtest_ima::tree::{Job, Options};
use fieldtest_ima::{Digest, FileDigest, HashAlgorithm, KeyId, Keyring, Signer, Version, Xattr, certificate};
use fieldtest_kinds::signature::PublicKeyForm;

use super::{Target, texts};
use crate::fakes::FakeSignature;

pub(super) const TARGETS: &[Target] = &[
    Target { name: "ima-xattr", run: xattr, seeds: xattrs },
    Target { name: "ima-keys", run: keys, seeds: key_files },
    Target { name: "ima-manifest", run: list, seeds: lists },
    Target { name: "ima-tar", run: archive, seeds: archives },
];

const FORMS: [PublicKeyForm; 3] = [PublicKeyForm::Plain, PublicKeyForm::RsaPkcs1, PublicKeyForm::EcPoint];

const ID: KeyId = KeyId([1, 2, 3, 4]);

/// A key of each form, all with the same id.
fn ring() -> Keyring {
    let mut ring = Keyring::new();
    for form in FORMS {
        ring.add_as(ID, &FakeSignature(form), &[4; 65]).expect("a fake key");
    }
    ring
}

/// What is read is written as the same bytes, and the keyring judges whatever there is.
fn xattr(input: &[u8]) {
    match Xattr::parse(input) {
        Ok(xattr) => assert_eq!(xattr.encode().expect("what was read"), input),
        Err(error) => drop(error.to_string()),
    }
    let digest =
        |_, algorithm| Ok::<_, Infallible>(FileDigest::of_content(Digest::of(algorithm, b"content")));
    let Ok(verdict) = ring().verify(input, digest);
    let _ = verdict.to_string();
}

fn keys(input: &[u8]) {
    match PublicKey::read_all(input) {
        Ok(keys) => keys.iter().for_each(|key| {
            let _ = (key.algorithm.to_string(), key.algorithm.public_key_form());
            let mut ring = Keyring::new();
            for form in FORMS {
                let _ = ring.add(&FakeSignature(form), key);
            }
        }),
        Err(error) => drop(error.to_string()),
    }
    match PrivateKey::read(input) {
        Ok(key) => FORMS.iter().for_each(|form| {
            let _ = Signer::from_file(&FakeSignature(*form), &key, Version::V3);
        }),
        Err(error) => drop(error.to_string()),
    }
}

fn list(input: &[u8]) {
    for record in manifest::Reader::new(input) {
        match record {
            Ok(record) => drop(record.value("security.ima").map(<[u8]>::len)),
            Err(error) => return drop(error.to_string()),
        }
    }
}

fn job() -> Job {
    let fake = FakeSignature(PublicKeyForm::Plain);
    let signer = Signer::new(&fake, &[7; 32], Version::V3).expect("a fake key");
    let store = Store::Attribute("security.ima".to_owned());
    Job::new(&fake, signer, HashAlgorithm::Sha256, store).expect("a fake key")
}

/// A signed archive is signed already.
fn archive(input: &[u8]) {
    let options = TarOptions {
        run: Options { threads: std::num::NonZeroUsize::new(1), ..Options::default() },
        spool: None,
    };
    let _ = tar::verify(input, &ring(), "security.ima", &options, |_| Ok(()));
    let jobs = [job()];
    let mut signed = Vec::new();
    match tar::sign(input, &mut signed, &jobs, &options, |_| Ok(())) {
        Err(error) => drop(error.to_string()),
        Ok(_) => {
            let mut again = Vec::new();
            tar::sign(&signed[..], &mut again, &jobs, &options, |_| Ok(())).expect("what was signed");
            assert!(signed == again, "signed twice, and not the same");
        }
    }
}

fn xattrs() -> Vec<Vec<u8>> {
    let signature = |covers: u8, version: u8, hash: u8| {
        let head = [covers, version, hash, 1, 2, 3, 4, 0, 64];
        [&head[..], &[9; 64]].concat()
    };
    let mut seeds = vec![
        [&[1][..], &[0; 20]].concat(),
        [&[1][..], &[0; 16]].concat(),
        [&[2][..], &[0; 20]].concat(),
        [&[4, 4][..], &[0; 32]].concat(),
        [&[3, 1][..], &[0; 4], &[0, 1], &[1; 8], &[1, 0, 64], &[1; 8]].concat(),
    ];
    for covers in [3, 5, 6] {
        for version in [2, 3] {
            seeds.extend([2, 4, 5, 6].map(|hash| signature(covers, version, hash)));
        }
    }
    let message = FileDigest::of_content(Digest::of(HashAlgorithm::Sha256, b"content"));
    let signer =
        Signer::new(&FakeSignature(PublicKeyForm::Plain), &[4; 65], Version::V3).expect("a fake key");
    seeds.push(signer.with_id(ID).sign(&message).expect("a fake signature"));
    seeds
}

fn key_files() -> Vec<Vec<u8>> {
    let mut seeds = texts(&[
        // Ed25519 (RFC 8410, sections 10.1 and 10.3), whose files are short.
        "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n",
        "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----\n",
        "-----BEGIN RSA PUBLIC KEY-----\nMAYCAQMCAQM=\n-----END RSA PUBLIC KEY-----\n",
        "-----BEGIN EC PRIVATE KEY-----\nMAcCAQEEAgEB\n-----END EC PRIVATE KEY-----\n",
        "-----BEGIN RSA PRIVATE KEY-----\nMBsCAQACAQMCAQMCAQMCAQMCAQMCAQMCAQMCAQM=\n-----END RSA PRIVATE KEY-----\n",
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMAA=\n-----END ENCRYPTED PRIVATE KEY-----\n",
    ]);
    let der: [&[u8]; 4] = [
        // SubjectPublicKeyInfo of RSA with a modulus of one byte.
        b"\x30\x1b\x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00\x03\x0a\x00\x30\x07\x02\x02\x00\xff\x02\x01\x03",
        // And of a P-256 point that is cut short.
        b"\x30\x18\x30\x13\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07\x03\x01\x00",
        b"\x30\x05\x02\x01\x00\x04\x00",
        b"\x30\x82\x01\x00",
    ];
    seeds.extend(der.map(<[u8]>::to_vec));
    let public = PublicKey::read_all(&seeds[0]).expect("the public key of RFC 8410").remove(0);
    let fake = FakeSignature(PublicKeyForm::Plain);
    let terms =
        certificate::Terms { common_name: "fuzz", serial: &[1], not_before: 0, not_after: 4_000_000_000 };
    seeds.push(
        certificate::self_signed(&fake, &public.algorithm, &[7; 32], &terms).expect("a fake certificate"),
    );
    seeds
}

fn lists() -> Vec<Vec<u8>> {
    texts(&[
        "# file: usr/bin/true\nsecurity.ima=0x030304\nsecurity.evm=\"a\\012b\"\nuser.x=0sAAEC\n\n# file: b\\040c\nuser.y\n",
        "# file: a\n# file: b\nsecurity.ima=0x\n",
        "security.ima=0x00\n",
    ])
}

fn archives() -> Vec<Vec<u8>> {
    let end = [0; 1024];
    let file = |name: &str, content: &[u8]| member(name, b'0', content);
    let pax = |records: &str| member("PaxHeaders/a", b'x', records.as_bytes());
    let xattr = "30 SCHILY.xattr.security.ima=";
    vec![
        [&file("a", b"content")[..], &file("b", b""), &member("d/", b'5', b""), &end].concat(),
        [&pax(&format!("{xattr}\n"))[..], &file("a", b"content"), &end].concat(),
        [&pax("12 path=a/b\n11 size=7\n20 atime=1.123456789\n")[..], &file("a", b"content"), &end].concat(),
        [&member("g", b'g', b"13 comment=ab\n")[..], &file("a", b"x"), &member("l", b'1', b""), &end]
            .concat(),
        [&member("././@LongLink", b'L', b"a-long-name\0")[..], &file("a", b"x"), &end].concat(),
        [&pax("22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n")[..], &file("s", b"1\n0\n1\n"), &end].concat(),
        [&member("s", b'S', b"")[..], &end].concat(),
        [&member("v7", 0, b"x")[..], &end, &file("behind", b"the end")].concat(),
        end.to_vec(),
    ]
}

/// A member with its header of 512 bytes (POSIX.1-2024, pax, "ustar Interchange Format") and its padding.
fn member(name: &str, kind: u8, content: &[u8]) -> Vec<u8> {
    let mut header = [0; 512];
    let mut put = |at: usize, text: &[u8]| header[at..at + text.len()].copy_from_slice(text);
    put(0, name.as_bytes());
    put(100, b"0000644\x000000000\x000000000\0");
    put(124, format!("{:011o}\0", content.len()).as_bytes());
    put(136, b"00000000000\0        ");
    put(156, &[kind]);
    put(257, b"ustar\x0000");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let mut out = [&header[..], content].concat();
    out.resize(out.len().next_multiple_of(512), 0);
    out
}
