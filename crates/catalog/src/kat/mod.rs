//! Proofs: the known answers an implementation must reproduce before anything of it is timed.
//!
//! A family's `prove` function builds one `KnownAnswers` per set of vectors, runs every case through it, and joins
//! them with `KatResult::of`. The first case that fails ends the proof with an error that names it.

pub(crate) mod nist;
pub(crate) mod table;
pub(crate) mod wycheproof;

use std::fmt::Display;

use fieldtest_kinds::Error;
use fieldtest_kinds::signature::Signature;

/// What an implementation reproduced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KatResult {
    /// How many official known answers; 0 where none exist for the algorithm.
    pub vectors: u64,
    /// Their origins, one each; with 0 vectors, what the code was held against instead.
    pub origins: Vec<String>,
}

impl KatResult {
    pub(crate) fn of(sets: impl IntoIterator<Item = KnownAnswers>) -> Self {
        let sets: Vec<KnownAnswers> = sets.into_iter().filter(|set| set.passed > 0).collect();
        KatResult {
            vectors: sets.iter().filter(|set| set.official).map(|set| set.passed).sum(),
            origins: sets.iter().map(KnownAnswers::describe).collect(),
        }
    }

    pub(crate) fn and(mut self, set: KnownAnswers) -> Self {
        let more = KatResult::of([set]);
        self.vectors += more.vectors;
        self.origins.extend(more.origins);
        self
    }
}

/// The first known answer that an implementation did not reproduce.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{origin}{}{case}: {what}", if case.is_empty() { "" } else { ", case " })]
pub struct KatError {
    /// The set the case belongs to; that an engine cannot be asked at all.
    pub origin: String,
    /// The case, by its number in that set; empty if none was run.
    pub case: String,
    /// What was expected and what came.
    pub what: String,
}

/// One set of known answers while it is being worked through.
pub(crate) struct KnownAnswers {
    origin: String,
    official: bool,
    passed: u64,
    skipped: Option<(u64, String)>,
}

impl KnownAnswers {
    /// An official set; `origin` names the publication.
    pub(crate) fn from(origin: impl Into<String>) -> Self {
        KnownAnswers { origin: origin.into(), official: true, passed: 0, skipped: None }
    }

    /// Checks that are not official vectors (agreement with another implementation, say): said, but not counted.
    pub(crate) fn unofficial(origin: impl Into<String>) -> Self {
        KnownAnswers { official: false, ..Self::from(origin) }
    }

    /// Runs one case, and counts it if it passes.
    pub(crate) fn case(
        &mut self,
        case: impl Display,
        check: impl FnOnce() -> Result<(), Mismatch>,
    ) -> Result<(), KatError> {
        check().map_err(|Mismatch(what)| self.failure(case, what))?;
        self.passed += 1;
        Ok(())
    }

    /// Leaves cases out, for a reason that the proof will state.
    pub(crate) fn skip(&mut self, cases: u64, reason: &str) {
        if cases > 0 {
            let before = self.skipped.take().map_or(0, |(n, _)| n);
            self.skipped = Some((before + cases, reason.to_string()));
        }
    }

    pub(crate) fn failure(&self, case: impl Display, what: impl Display) -> KatError {
        KatError { origin: self.origin.clone(), case: case.to_string(), what: what.to_string() }
    }

    fn describe(&self) -> String {
        match &self.skipped {
            None => self.origin.clone(),
            Some((cases, reason)) => format!("{} ({cases} left out: {reason})", self.origin),
        }
    }
}

/// Why a case failed, in words. Every error of an implementation becomes one through `?`.
#[derive(Debug)]
pub(crate) struct Mismatch(pub(crate) String);

impl From<Error> for Mismatch {
    fn from(error: Error) -> Self {
        Mismatch(error.to_string())
    }
}

/// `found` must be the published bytes.
pub(crate) fn equal(what: &str, expected: &[u8], found: &[u8]) -> Result<(), Mismatch> {
    if expected == found {
        return Ok(());
    }
    Err(Mismatch(format!("the {what} should be {}, and is {}", shortened(expected), shortened(found))))
}

pub(crate) fn accepted(verified: Result<(), Error>) -> Result<(), Mismatch> {
    verified.map_err(|error| match error {
        Error::Engine(_) => error.into(),
        error => Mismatch(format!("a valid signature was refused: {error}")),
    })
}

pub(crate) fn refused(verified: Result<(), Error>) -> Result<(), Mismatch> {
    match verified {
        Ok(()) => Err(Mismatch("an invalid signature was accepted".to_string())),
        Err(_) => Ok(()),
    }
}

/// What can be checked of an algorithm without official vectors: that an implementation agrees with itself, and that
/// it refuses another message, another key and damaged signatures. `origin` says why there is no more.
pub(crate) fn round_trip(origin: &str, code: &dyn Signature) -> Result<KatResult, KatError> {
    let mut set = KnownAnswers::unofficial(origin);
    set.case("round trip", || {
        let (pair, other) = (code.generate()?, code.generate()?);
        let signing = code.signing_key(&pair.secret)?;
        equal("public key", &pair.public, &signing.public_key())?;
        let (key, other) = (code.verifying_key(&pair.public)?, code.verifying_key(&other.public)?);
        let mut signature = Vec::new();
        signing.sign(b"message", &mut signature)?;
        accepted(key.verify(b"message", &signature))?;
        refused(key.verify(b"massage", &signature))?;
        refused(other.verify(b"message", &signature))?;
        for at in [0, signature.len() / 2, signature.len() - 1] {
            let mut damaged = signature.clone();
            damaged[at] ^= 1;
            refused(key.verify(b"message", &damaged))?;
        }
        Ok(())
    })?;
    Ok(KatResult::of([set]))
}

fn shortened(bytes: &[u8]) -> String {
    let hex: String = bytes.iter().take(16).map(|b| format!("{b:02x}")).collect();
    if bytes.len() > 16 { format!("{hex}… ({} bytes)", bytes.len()) } else { hex }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_official_cases_and_states_the_rest() {
        let mut official = KnownAnswers::from("RFC 1");
        official.case(1, || equal("digest", b"a", b"a")).unwrap();
        official.case(2, || refused(Err(Error::InvalidSignature))).unwrap();
        official.skip(3, "too weak");
        let mut other = KnownAnswers::unofficial("agreement with another implementation");
        other.case("x", || accepted(Ok(()))).unwrap();
        let unused = KnownAnswers::from("RFC 2");
        let proof = KatResult::of([official, other, unused]);
        assert_eq!(proof.vectors, 2);
        assert_eq!(proof.origins.len(), 2);
        assert_eq!(proof.origins[0], "RFC 1 (3 left out: too weak)");
    }

    #[test]
    fn a_failure_names_set_and_case() {
        let mut set = KnownAnswers::from("RFC 1");
        let error = set.case(7, || equal("digest", &[1], &[2; 20])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "RFC 1, case 7: the digest should be 01, and is 02020202020202020202020202020202… (20 bytes)"
        );
    }
}
