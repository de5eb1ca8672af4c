//! What is signed here is accepted by `evmctl`, and the other way round; fs-verity digests are those of `fsverity`.
//!
//! A tool that is not installed is named and its tests are skipped; with `FIELDTEST_PEERS=required` in the
//! environment its absence is a failure. Signatures go through `.sig` files, so that neither root nor a file system
//! with xattrs is needed.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::keys::*;
use crate::common::*;
use crate::tree_support::{self, installed};
use data_encoding::HEXLOWER_PERMISSIVE;
use fieldtest_ima::evm::{Owner, portable_digest};
use fieldtest_ima::verity::{Parameters, digest_of_reader};
use fieldtest_ima::{
    Digest, FileDigest, HashAlgorithm, SignatureType, Verdict, Version, Xattr, hash_algorithm,
};

const KEYS: [(&str, &str); 3] = [("rsa-2048", RSA_2048), ("p-256", P256), ("p-384", P384)];

/// What `evmctl` 1.4 has of our hashes.
const HASHES: [HashAlgorithm; 3] = [HashAlgorithm::Sha256, HashAlgorithm::Sha384, HashAlgorithm::Sha512];

#[track_caller]
fn run(directory: &Path, tool: &str, arguments: &[&str]) -> String {
    tree_support::run(Command::new(tool).args(arguments).current_dir(directory))
}

fn has_tools() -> bool {
    installed("evmctl") && installed("openssl")
}

/// A directory with a file, our keys, and their certificates as `evmctl` takes them.
fn directory(content: &[u8]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("file"), content).unwrap();
    for (name, key) in KEYS {
        fs::write(path.join(format!("{name}.pem")), key).unwrap();
        let (key, certificate) = (format!("{name}.pem"), format!("{name}.der"));
        let make = ["req", "-x509", "-new", "-key", &key, "-subj", "/CN=test", "-outform", "DER", "-out"];
        run(path, "openssl", &[&make[..], &[certificate.as_str()]].concat());
    }
    directory
}

#[test]
fn evmctl_accepts_our_signatures_and_refuses_them_over_another_file() {
    if !has_tools() {
        return;
    }
    let content = b"signed here, verified there".repeat(10_000);
    let directory = directory(&content);
    let path = directory.path();
    for ((name, key), hash) in KEYS.into_iter().flat_map(|key| HASHES.map(|hash| (key, hash))) {
        let file = FileDigest::of_content(Digest::of(hash, &content));
        let xattr = signer(key.as_bytes(), Version::V2).sign(&file).unwrap();
        fs::write(path.join("file.sig"), &xattr).unwrap();
        let certificate = format!("{name}.der");
        let verify = ["ima_verify", "--sigfile", "--key", &certificate, "file"];
        run(path, "evmctl", &verify);
        fs::write(path.join("file"), b"changed").unwrap();
        let changed = Command::new("evmctl").args(verify).current_dir(path).output().unwrap();
        assert!(!changed.status.success(), "{name}: a changed file is accepted");
        fs::write(path.join("file"), &content).unwrap();
    }
}

#[test]
fn we_accept_the_signatures_of_evmctl() {
    if !has_tools() {
        return;
    }
    let content = b"signed there, verified here".repeat(10_000);
    let directory = directory(&content);
    let path = directory.path();
    for ((name, key), hash) in KEYS.into_iter().flat_map(|key| HASHES.map(|hash| (key, hash))) {
        let (private, hash_name) = (format!("{name}.pem"), hash_algorithm::name(hash));
        let sign = ["ima_sign", "-n", "--sigfile", "--hashalgo", hash_name, "--key", &private, "file"];
        run(path, "evmctl", &sign);
        let xattr = fs::read(path.join("file.sig")).unwrap();
        let ours = signer(key.as_bytes(), Version::V2);
        let ring = ring(&[&fs::read(path.join(format!("{name}.der"))).unwrap()]);
        assert_eq!(judge(&ring, &xattr, &content), Verdict::Good(ours.id()), "{name} {hash_name}");
        assert_eq!(judge(&ring, &xattr, b"changed"), Verdict::Wrong(ours.id()));
        if name == "rsa-2048" {
            let file = FileDigest::of_content(Digest::of(hash, &content));
            assert_eq!(ours.sign(&file).unwrap(), xattr, "RSA signatures have no choice");
        }
    }
}

#[test]
fn a_signature_of_version_1_is_read() {
    if !has_tools() {
        return;
    }
    let directory = directory(b"content");
    let path = directory.path();
    run(path, "openssl", &["rsa", "-traditional", "-in", "rsa-2048.pem", "-out", "pkcs1.pem"]);
    run(path, "evmctl", &["ima_sign", "-n", "--sigfile", "--rsa", "--key", "pkcs1.pem", "file"]);
    let xattr = fs::read(path.join("file.sig")).unwrap();
    let Ok(Xattr::SignatureV1(read)) = Xattr::parse(&xattr) else { panic!("{xattr:?}") };
    assert_eq!((read.algorithm, read.hash, read.integer.len()), (0, 1, 256));
    assert_eq!(Xattr::SignatureV1(read).encode().unwrap(), xattr);
}

#[test]
fn evmctl_makes_the_same_portable_evm_signature() {
    if !has_tools() {
        return;
    }
    let directory = directory(b"content");
    let path = directory.path();
    let label = b"system_u:object_r:bin_t:s0\0";
    let owner = Owner { uid: 1000, gid: 100, mode: 0o100_644 };
    for (name, key) in KEYS {
        let signer = signer(key.as_bytes(), Version::V2);
        let ima =
            signer.sign(&FileDigest::of_content(Digest::of(HashAlgorithm::Sha256, b"content"))).unwrap();
        let (private, ima_text) = (format!("{name}.pem"), HEXLOWER_PERMISSIVE.encode(&ima));
        let mode = owner.mode.to_string();
        let mut sign = vec!["sign", "-n", "--portable", "--hashalgo", "sha256", "--ima", &ima_text];
        sign.extend(["--selinux", "system_u:object_r:bin_t:s0", "--uid", "1000", "--gid", "100"]);
        sign.extend(["--mode", &mode, "--caps=", "--key", &private, "file"]);
        let xattr = run(path, "evmctl", &sign);
        let xattr = HEXLOWER_PERMISSIVE.decode(xattr.trim().as_bytes()).unwrap();
        assert_eq!(xattr[..3], [5, 2, 4]);
        let xattrs = [("security.ima", &ima[..]), ("security.selinux", label)];
        let ring = ring(&[&fs::read(path.join(format!("{name}.der"))).unwrap()]);
        let digest = |covers, algorithm| {
            assert_eq!(covers, SignatureType::EvmPortable);
            portable_digest(algorithm, xattrs, &owner)
        };
        assert_eq!(ring.verify(&xattr, digest).unwrap(), Verdict::Good(signer.id()), "{name}");
        if name == "rsa-2048" {
            let ours = signer.sign(&portable_digest(HashAlgorithm::Sha256, xattrs, &owner).unwrap()).unwrap();
            assert_eq!(ours, xattr, "RSA signatures have no choice");
        }
    }
}

#[test]
fn fsverity_computes_the_same_digests() {
    if !installed("fsverity") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    // No block, one, two; one full level of hashes, and one more block; three levels of the smallest blocks.
    for length in [0, 1, 4096, 4097, 128 * 4096, 128 * 4096 + 1, 3_000_000] {
        let content: Vec<u8> = (0..length).map(|at| (at / 3) as u8).collect();
        fs::write(path.join("file"), &content).unwrap();
        for hash in [HashAlgorithm::Sha256, HashAlgorithm::Sha512] {
            for (block_size, salt) in [(4096, &[][..]), (1024, &[1, 2, 3]), (4096, &[9; 32])] {
                let parameters = Parameters::new(hash).unwrap();
                let parameters = parameters.with_block_size(block_size).unwrap().with_salt(salt).unwrap();
                let hash = format!("--hash-alg={}", hash_algorithm::name(hash));
                let block = format!("--block-size={block_size}");
                let salt = format!("--salt={}", HEXLOWER_PERMISSIVE.encode(salt));
                let mut arguments = vec!["digest", "--compact", &hash, &block, "file"];
                if !parameters.salt().is_empty() {
                    arguments.push(&salt);
                }
                let theirs = run(path, "fsverity", &arguments);
                let ours = digest_of_reader(&content[..], &parameters).unwrap();
                let theirs = HEXLOWER_PERMISSIVE.decode(theirs.trim().as_bytes()).unwrap();
                assert_eq!(ours.digest.bytes(), theirs, "{length} bytes, {arguments:?}");
            }
        }
    }
}
