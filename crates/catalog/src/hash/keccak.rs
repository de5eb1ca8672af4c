//! SHA3-256, SHAKE128 with 32 bytes of output (FIPS 202) and KT128 with as many (KangarooTwelve, RFC 9861).

use fieldtest_kinds::own::{OWN, OWN_PORTABLE};
use ::k12::Kt128;
use ::sha3::Sha3_256;
use ::shake::Shake128;
use fieldtest_keccak::Path;
use fieldtest_kinds::hash::Hash;

#[cfg(feature = "aws-lc")]
use super::libraries::AwsLc;
use super::own::Keccak;
use super::proofs::{MonteCarlo, Vector, cavp, counting, digests};
use super::rustcrypto::{Extendable, RustCrypto};
use super::{Family, List};
use crate::host;
use crate::proof::{KnownAnswers, table};
use crate::adapt::hex;
use crate::{Proof, ProofError};

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

fn prove_sha3_256(hash: &dyn Hash) -> Result<Proof, ProofError> {
    let mut files = KnownAnswers::from("NIST CAVP SHA3_256ShortMsg.rsp and SHA3_256LongMsg.rsp");
    digests(&mut files, hash, cavp(include_str!("../../vectors/hash/cavp-sha3-256.txt")))?;
    Ok(Proof::of([files, SHA3_256_MONTE_CARLO.prove(hash)?]))
}

/// NIST's Monte Carlo test of SHAKE128 asks for outputs of many lengths, which a function with one length cannot give.
fn prove_shake128(hash: &dyn Hash) -> Result<Proof, ProofError> {
    let mut files =
        KnownAnswers::from("NIST CAVP SHAKE128ShortMsg.rsp and SHAKE128LongMsg.rsp, the first 16 bytes");
    digests(&mut files, hash, cavp(include_str!("../../vectors/hash/cavp-shake128.txt")))?;
    let mut outputs = KnownAnswers::from("NIST CAVP SHAKE128VariableOut.rsp, the first 32 bytes");
    let rows = table::rows(include_str!("../../vectors/hash/cavp-shake128-output.txt"));
    digests(&mut outputs, hash, rows.map(|row| Vector { message: row.bytes(1), digest: row.bytes(2) }))?;
    Ok(Proof::of([files, outputs]))
}

/// RFC 9861, section 5: bytes of the message ptn, and KT128 of it with an empty customization string.
const KT128: [(usize, &str); 10] = [
    (0, "1ac2d450fc3b4205d19da7bfca1b37513c0803577ac7167f06fe2ce1f0ef39e5"),
    (1, "2bda92450e8b147f8a7cb629e784a058efca7cf7d8218e02d345dfaa65244a1f"),
    (17, "6bf75fa2239198db4772e36478f8e19b0f371205f6a9a93a273f51df37122888"),
    (289, "0c315ebcdedbf61426de7dcf8fb725d1e74675d7f5327a5067f367b108ecb67c"),
    (4913, "cb552e2ec77d9910701d578b457ddf772c12e322e4ee7fe417f92c758f0d59d0"),
    (8191, "1b577636f723643e990cc7d6a659837436fd6a103626600eb8301cd1dbe553d6"),
    (8192, "48f256f6772f9edfb6a8b661ec92dc93b95ebd05a08a17b39ae3490870c926c3"),
    (83_521, "8701045e22205345ff4dda05555cbb5c3af1a771c2b89baef37db43d9998b9fe"),
    (1_419_857, "844d610933b1b9963cbdeb5ae3b6b05cc7cbd67ceedf883eb678a0a8e0371682"),
    (24_137_569, "3c390782a8a4e89fa6367f72feaaf13255c8d95878481d3cd8ce85f58e880af8"),
];

fn prove_kt128(hash: &dyn Hash) -> Result<Proof, ProofError> {
    let mut set = KnownAnswers::from("RFC 9861, section 5, KT128 without customization");
    let vectors = KT128.map(|(length, digest)| Vector { message: counting(length), digest: hex(digest) });
    digests(&mut set, hash, vectors)?;
    Ok(Proof::of([set]))
}
