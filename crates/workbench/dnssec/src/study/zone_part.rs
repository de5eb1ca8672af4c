//! As many of a zone's signatures as time allows, made and verified on all cores.

use fieldtest_dnssec::sign::Plan;
use fieldtest_kinds::signature::{SigningKey, VerifyingKey};
use fieldtest_study::whole_job::extent::Needs;
use fieldtest_study::whole_job::{Cost, in_both_orders};
use fieldtest_study::{StudyError, Subject};
use rayon::prelude::*;

use crate::NAME;

/// What is quicker than this at first, in seconds, may owe most of its time to cold caches and is done again.
const FIRST_CALL: f64 = 0.01;

/// The prepared zone-signing key of one subject, and what it signs in the zone.
pub(super) struct Kit<'a> {
    subject: &'a Subject,
    signing: &'a dyn SigningKey,
    verifying: Box<dyn VerifyingKey>,
    messages: &'a [Vec<u8>],
}

impl<'a> Kit<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        subject: &'a Subject,
        messages: &'a [Vec<u8>],
    ) -> Result<Kit<'a>, StudyError> {
        let signing = plan.keys[1]
            .signing()
            .ok_or_else(|| refused(subject, "the key was made without its secret half"))?;
        let verifying = subject
            .implementation
            .code
            .verifying_key(&signing.public_key())
            .map_err(|error| subject.failed("preparing a public key", error))?;
        Ok(Kit { subject, signing, verifying, messages })
    }

    /// What one signature takes, and one verification.
    pub(super) fn one(&self) -> Result<Needs, StudyError> {
        let twice = |work: &dyn Fn() -> Result<Vec<Vec<u8>>, StudyError>| {
            let (signatures, first) = Cost::of(work)?;
            let cost = if first.wall < FIRST_CALL { Cost::of(work)?.1 } else { first };
            Ok::<_, StudyError>((signatures, cost.wall))
        };
        let message = self.messages.first().map(Vec::as_slice).into_iter().collect::<Vec<_>>();
        let (signatures, sign) = twice(&|| self.sign(&message))?;
        let (_, verify) =
            twice(&|| self.verify(&message, &signatures, message.len() as u64).map(|()| vec![]))?;
        Ok(Needs { beside: 0.0, sign, verify, signatures: self.messages.len() as u64 })
    }

    /// What it takes to sign so many messages and to verify so many signatures, for two numbers of each. Every round has
    /// other messages, and another of the numbers first.
    pub(super) fn measure(
        &self,
        sign: [u64; 2],
        verify: [u64; 2],
        round: usize,
    ) -> Result<[[(u64, Cost); 2]; 2], StudyError> {
        let drawn: Vec<&[u8]> = self.drawn(sign[1] as usize, round);
        let mut signatures = Vec::new();
        let of_signing = in_both_orders(sign, round, |count| {
            let made = self.sign(&drawn[..count as usize])?;
            if made.len() > signatures.len() {
                signatures = made;
            }
            Ok(())
        })?;
        let of_verifying = in_both_orders(verify, round, |count| self.verify(&drawn, &signatures, count))?;
        Ok([of_signing, of_verifying])
    }

    /// So many messages, evenly spread and in an order in which any beginning is so as well; others for each round.
    fn drawn(&self, count: usize, round: usize) -> Vec<&'a [u8]> {
        let all = self.messages.len();
        // Steps of the golden section fill the zone evenly however many they are; they never meet twice if they share no
        // divisor with its length.
        let mut step = (all as f64 * 0.618_033_988_749_895) as usize;
        while step > 1 && divisor(step, all) > 1 {
            step -= 1;
        }
        let from = round * count;
        (from..from + count)
            .filter_map(|at| self.messages.get(at * step.max(1) % all))
            .map(Vec::as_slice)
            .collect()
    }

    fn sign(&self, messages: &[&[u8]]) -> Result<Vec<Vec<u8>>, StudyError> {
        let one = |message: &&[u8]| {
            let mut signature = Vec::new();
            self.signing
                .sign(message, &mut signature)
                .map_err(|error| self.subject.failed("signing", error))?;
            Ok(signature)
        };
        messages.par_iter().with_max_len(1).map(one).collect()
    }

    /// Verifies `count` signatures, each of them more than once where there are fewer.
    fn verify(&self, messages: &[&[u8]], signatures: &[Vec<u8>], count: u64) -> Result<(), StudyError> {
        let few = messages.len().min(signatures.len()).max(1);
        (0..count as usize).into_par_iter().try_for_each(|at| {
            let (message, signature) = (messages[at % few], &signatures[at % few]);
            let verified = self.verifying.verify(message, signature);
            verified.map_err(|error| self.subject.failed("verifying", error))
        })
    }
}

fn divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { divisor(b, a % b) }
}

pub(super) fn refused(subject: &Subject, error: impl std::fmt::Display) -> StudyError {
    StudyError::of(NAME, format!("{}: {error}", subject.name()))
}
