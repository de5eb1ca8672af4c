//! `fieldtest ima keygen`: a private key, and the certificate by which the kernel knows it.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use fieldtest_catalog::signature::{self, Algorithm, Implementation};
use fieldtest_frame::measuring;
use fieldtest_ima::HashAlgorithm;
use fieldtest_ima::certificate::{CertificateError, Terms, private_key_pem, self_signed};
use fieldtest_ima::keys::{KeyAlgorithm, ObjectIdentifier, PublicKey};
use fieldtest_kinds::signature::PublicKeyForm;
use zeroize::Zeroizing;

use super::shown;
use crate::algorithms;
use crate::args::ImaKeygen;
use crate::interrupt::Unfinished;
use crate::outcome::{Outcome, coded, named, usage};
use crate::output::{self, Directory};

/// A key is valid from an hour ago, for clocks that are behind.
const BEFORE: u64 = 3_600;
const DAY: u64 = 86_400;

pub(crate) fn run(args: &ImaKeygen) -> Result<Outcome> {
    measuring::known_implementation(args.implementation.as_deref())?;
    let algorithm = signature::find(&args.algorithm).map_err(usage)?;
    let name = &algorithm.facts.name;
    let implementation =
        algorithms::signer(algorithm, args.implementation.as_deref(), None, HashAlgorithm::Sha256)
            .map_err(usage)?;
    let key_algorithm = key_algorithm(algorithm, implementation)?;
    let code = implementation.code.as_ref();
    let pair = code.generate()?;
    let secret = Zeroizing::new(pair.secret.clone());
    let now = u64::try_from(jiff::Timestamp::now().as_second()).unwrap_or(0);
    let terms = Terms {
        common_name: args.common_name.as_deref().unwrap_or(&algorithm.facts.title),
        serial: &serial()?,
        not_before: now.saturating_sub(BEFORE),
        not_after: now.saturating_add(u64::from(args.days) * DAY),
    };
    let certificate = self_signed(code, &key_algorithm, &secret, &terms).map_err(|error| match error {
        CertificateError::CommonName(_) => {
            let name = terms.common_name;
            coded(
                named(&error),
                usage(format!("invalid --common-name '{name}': expected 1 to 64 characters")),
            )
        }
        error => usage(error),
    })?;
    let private = private_key_pem(&key_algorithm, &pair)?;

    let _place = Directory::make(&args.output)?;
    let unfinished = Unfinished::new();
    let (key_path, certificate_path) =
        (args.output.join(format!("{name}.pem")), args.output.join(format!("{name}.der")));
    create(&key_path, 0o600, private.as_bytes())?;
    create(&certificate_path, 0o644, &certificate)?;
    unfinished.keep();
    let id = PublicKey::from_certificate(&certificate)?.id;
    output::message(&format!(
        "{} for `fieldtest ima sign`, {} for the kernel and for `fieldtest ima verify`; key {id}",
        shown::path(&key_path),
        shown::path(&certificate_path)
    ));
    if algorithm.facts.kind.ima.is_none() {
        let title = &algorithm.facts.title;
        output::message(&format!("Linux does not verify {title} in IMA; this key is for experiments"));
    }
    // So that scripts can take the names from standard output.
    output::data(&format!("{}\n{}\n", key_path.display(), certificate_path.display()))?;
    Ok(Outcome::Fine)
}

/// How key files name the algorithm.
fn key_algorithm(algorithm: &Algorithm, implementation: &Implementation) -> Result<KeyAlgorithm> {
    let facts = algorithm.facts;
    let oid = facts.kind.oid.as_deref().ok_or_else(|| {
        usage(format!(
            "{} has no object identifier, which key files and certificates need; choose another algorithm",
            facts.name
        ))
    })?;
    let oid = ObjectIdentifier::new(oid)
        .map_err(|error| anyhow!("invalid object identifier {oid} of {}: {error}", facts.name))?;
    Ok(match implementation.code.public_key_form() {
        PublicKeyForm::RsaPkcs1 => KeyAlgorithm::Rsa { bits: 8 * facts.kind.signature },
        PublicKeyForm::EcPoint => KeyAlgorithm::Ec { curve: oid },
        PublicKeyForm::Plain => KeyAlgorithm::Named(oid),
        _ => {
            return Err(usage(format!(
                "key files cannot contain {}'s public keys; choose another algorithm",
                facts.name
            )));
        }
    })
}

/// A serial number that nobody else has: 126 random bits after a first that is 1, so that it is positive and all its
/// bytes count.
fn serial() -> Result<[u8; 16]> {
    let mut serial = [0; 16];
    getrandom::fill(&mut serial).map_err(|error| anyhow!("cannot generate keys: the system provides no random bytes ({error}); allow getrandom(2) or /dev/urandom"))?;
    let [first, ..] = &mut serial;
    *first = *first & 0x3f | 0x40;
    Ok(serial)
}

/// Writes a file that is not there yet: a key that is overwritten is lost.
fn create(path: &Path, mode: u32, content: &[u8]) -> Result<()> {
    let file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path);
    let mut file = file.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            anyhow!("{} already exists and is kept; give another directory with --output", shown::path(path))
        }
        _ => anyhow!(error).context(format!("cannot write {}", shown::path(path))),
    })?;
    Unfinished::add(path);
    file.write_all(content).with_context(|| format!("cannot write {}", shown::path(path)))
}
