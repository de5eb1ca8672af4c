//! Known answers of MAYO: the files that the submissions' program writes, regenerated.

use fieldtest_kinds::signature::Signature;

use super::super::hex;
use crate::kat::{KnownAnswers, equal, nist};
use crate::{KatResult, KatError};

/// A known-answer file and the SHA-256 of what is regenerated of it.
pub(super) struct File {
    origin: &'static str,
    title: &'static str,
    digest: &'static str,
}

/// MAYO-one and -two: whole files (PQCMayo/MAYO-C, commit 4b7cd94, directory `KAT`).
pub(super) const ROUND_2: [File; 2] = [
    File {
        origin: "PQCsignKAT_24_MAYO_1.rsp of the round-2 submission",
        title: "MAYO_1",
        digest: "4e56d600d7c0027952dd40725cb9ff05c0b5b10550dcdd72b17ce904f70e86de",
    },
    File {
        origin: "PQCsignKAT_24_MAYO_2.rsp of the round-2 submission",
        title: "MAYO_2",
        digest: "a68435c4f30e4b0ed64ce8c82eb1d732fbad91399accf3416409542e57bdc966",
    },
];

/// MAYO-one and -two: the first entry alone, of which the authors state the digest (`nistkat-sha256` in
/// `integration/liboqs` of PQCMayo/MAYO-C, commit 74de637).
pub(super) const ROUND_3: [File; 2] = [
    File {
        origin: "count 0 of the round-3 submission's answers for MAYO-one (nistkat-sha256)",
        title: "",
        digest: "860cb113d7f5d7c8cb34d8f2a4845eea3480d6a0add3c8aada3186061c9e1288",
    },
    File {
        origin: "count 0 of the round-3 submission's answers for MAYO-two (nistkat-sha256)",
        title: "",
        digest: "fd06cbf912ccf0d146760cb539149d536ac52c73192ad2fcd7957a3bc844cb69",
    },
];

/// All of it, byte for byte: 100 key pairs, 100 signatures.
pub(super) fn whole_file(file: &File, code: &dyn Signature) -> Result<KatResult, KatError> {
    let mut cases = KnownAnswers::from(file.origin);
    let mut text = format!("# {}\n\n", file.title);
    for start in nist::starts() {
        cases.case(start.count, || {
            text += &nist::write(&start, &nist::answer(&start, code)?);
            text.push('\n');
            Ok(())
        })?;
    }
    compared(file, &text, &mut cases)?;
    Ok(KatResult::of([cases]))
}

pub(super) fn first_entry(file: &File, code: &dyn Signature) -> Result<KatResult, KatError> {
    let mut cases = KnownAnswers::from(file.origin);
    let mut text = String::new();
    for start in nist::starts().iter().take(1) {
        cases.case(start.count, || {
            text += &nist::write(start, &nist::answer(start, code)?);
            Ok(())
        })?;
    }
    compared(file, &text, &mut cases)?;
    Ok(KatResult::of([cases]))
}

fn compared(file: &File, text: &str, cases: &mut KnownAnswers) -> Result<(), KatError> {
    equal("SHA-256 of what was regenerated", &hex(file.digest), &nist::sha256(text.as_bytes()))
        .map_err(|mismatch| cases.failure("all", mismatch.0))
}
