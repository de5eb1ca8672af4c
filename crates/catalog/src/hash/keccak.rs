//! SHA3-256, SHAKE128 with 32 bytes of output (FIPS 202) and KT128 with as many (KangarooTwelve, RFC 9861).

use fieldtest_text::own::{OWN, OWN_PORTABLE};
use ::k12::Kt128;
use ::sha3::Sha3_256;
use ::shake::Shake128;
use fieldtest_keccak::Path;
use fieldtest_kinds::hash::Hash;

#[cfg(feature = "aws-lc")]
use super::libraries::AwsLc;
use super::own::Keccak;
use super::kats::{MonteCarlo, Vector, cavp, counting, digests};
use super::rustcrypto::{Extendable, RustCrypto};
use super::{Family, List};
use crate::host;
use crate::kat::{KnownAnswers, table};
use crate::{KatResult, KatError};

pub(super) fn family() -> Family {
    let mut sha3 = List::proven_by(prove_sha3_256);
    sha3.add(OWN, "fieldtest-keccak", Keccak::<fieldtest_keccak::Sha3_256>::on(Path::best()));
    sha3.add(OWN_PORTABLE, "fieldtest-keccak", Keccak::<fieldtest_keccak::Sha3_256>::on(Path::PORTABLE));
    #[cfg(feature = "aws-lc")]
    sha3.add("aws-lc", "aws-lc-rs", AwsLc(&aws_lc_rs::digest::SHA3_256));
    sha3.add("rustcrypto", "sha3 0.12", RustCrypto::<Sha3_256>::new());
    sha3.add_hosts(|host| host::hash(host, "sha3-256"));

    let mut shake = List::proven_by(prove_shake128);
    shake.add(OWN, "fieldtest-keccak", Keccak::<fieldtest_keccak::Shake128>::on(Path::best()));
    shake.add(OWN_PORTABLE, "fieldtest-keccak", Keccak::<fieldtest_keccak::Shake128>::on(Path::PORTABLE));
    shake.add("rustcrypto", "shake", Extendable::<Shake128, 32>::new());
    shake.add_hosts(|host| host::hash(host, "shake128-256"));

    let mut kt = List::proven_by(prove_kt128);
    kt.add(OWN, "fieldtest-keccak", Keccak::<fieldtest_keccak::Kt128>::on(Path::best()));
    kt.add(OWN_PORTABLE, "fieldtest-keccak", Keccak::<fieldtest_keccak::Kt128>::on(Path::PORTABLE));
    kt.add("rustcrypto", "k12", Extendable::<Kt128, 32>::new());
    vec![("sha3-256", sha3.all), ("shake128-256", shake.all), ("kt128-256", kt.all)]
}

const SHA3_256_MONTE_CARLO: MonteCarlo = MonteCarlo {
    file: "SHA3_256Monte.rsp",
    digests_per_message: 1,
    seed_and_checkpoints: include_str!("../../vectors/hash/cavp-sha3-256-monte-carlo.txt"),
};

fn prove_sha3_256(hash: &dyn Hash) -> Result<KatResult, KatError> {
    let mut files = KnownAnswers::from("NIST CAVP SHA3_256ShortMsg.rsp and SHA3_256LongMsg.rsp");
    digests(&mut files, hash, cavp(include_str!("../../vectors/hash/cavp-sha3-256.txt")))?;
    Ok(KatResult::of([files, SHA3_256_MONTE_CARLO.prove(hash)?]))
}

/// NIST's Monte Carlo test of SHAKE128 asks for outputs of many lengths, which a function with one length cannot give.
fn prove_shake128(hash: &dyn Hash) -> Result<KatResult, KatError> {
    let mut files =
        KnownAnswers::from("NIST CAVP SHAKE128ShortMsg.rsp and SHAKE128LongMsg.rsp, the first 16 bytes");
    digests(&mut files, hash, cavp(include_str!("../../vectors/hash/cavp-shake128.txt")))?;
    let mut outputs = KnownAnswers::from("NIST CAVP SHAKE128VariableOut.rsp, the first 32 bytes");
    let rows = table::rows(include_str!("../../vectors/hash/cavp-shake128-output.txt"));
    digests(&mut outputs, hash, rows.map(|row| Vector { message: row.bytes(1), digest: row.bytes(2) }))?;
    Ok(KatResult::of([files, outputs]))
}

fn prove_kt128(hash: &dyn Hash) -> Result<KatResult, KatError> {
    let mut set = KnownAnswers::from("RFC 9861, section 5, KT128 without customization");
    let rows = table::rows(include_str!("../../vectors/hash/kt128.txt"));
    digests(&mut set, hash, rows.map(|row| Vector { message: counting(row.count(0)), digest: row.bytes(1) }))?;
    Ok(KatResult::of([set]))
}
