//! BLAKE2b and BLAKE2bp by `blake2b_simd`.

use blake2b_simd::many::{self, HashManyJob, update_many};
use blake2b_simd::{Params, State as Blake2bState, blake2bp};
use fieldtest_kinds::Error;
use fieldtest_kinds::hash::Job;

use super::super::function::{Function, State, write};

const DIGEST: usize = 32;

/// Messages of a batch up to this many bytes are joined with their heads. The library hashes whole messages side by
/// side, but those that come in two parts only between their first and last block; copying a long message would cost
/// more than these two.
const JOINED: usize = 8 << 10;

/// BLAKE2b with digests of 32 bytes.
pub(super) struct Blake2b(Params);

impl Blake2b {
    pub(super) fn new() -> Self {
        let mut parameters = Params::new();
        parameters.hash_length(DIGEST);
        Blake2b(parameters)
    }

    fn hash_joined(&self, jobs: &mut [&mut Job<'_>]) -> Result<(), Error> {
        let bytes = jobs.iter().map(|job| job.head.len() + job.body.len()).sum();
        let mut joined = Vec::with_capacity(bytes);
        for job in jobs.iter() {
            joined.extend_from_slice(job.head);
            joined.extend_from_slice(job.body);
        }
        let mut rest = joined.as_slice();
        let mut lanes = Vec::with_capacity(jobs.len());
        for job in jobs.iter() {
            let (message, after) = rest.split_at(job.head.len() + job.body.len());
            lanes.push(HashManyJob::new(&self.0, message));
            rest = after;
        }
        many::hash_many(&mut lanes);
        jobs.iter_mut().zip(&lanes).try_for_each(|(job, lane)| write(lane.to_hash().as_bytes(), job.digest))
    }

    fn hash_apart(&self, jobs: &mut [&mut Job<'_>]) -> Result<(), Error> {
        let mut states: Vec<Blake2bState> = jobs
            .iter()
            .map(|job| {
                let mut state = self.0.to_state();
                state.update(job.head);
                state
            })
            .collect();
        update_many(states.iter_mut().zip(jobs.iter().map(|job| job.body)));
        jobs.iter_mut()
            .zip(&states)
            .try_for_each(|(job, state)| write(state.finalize().as_bytes(), job.digest))
    }
}

impl Function for Blake2b {
    type State = Blake2bState;

    fn several_at_once(&self) -> bool {
        true
    }

    fn digest_len(&self) -> usize {
        DIGEST
    }

    fn start(&self) -> Blake2bState {
        self.0.to_state()
    }

    fn digest_many(&self, jobs: &mut [Job<'_>]) -> Result<(), Error> {
        let (mut short, mut long): (Vec<_>, Vec<_>) =
            jobs.iter_mut().partition(|job| job.head.len() + job.body.len() <= JOINED);
        self.hash_joined(&mut short)?;
        self.hash_apart(&mut long)
    }
}

impl State for Blake2bState {
    fn update(&mut self, piece: &[u8]) {
        self.update(piece);
    }

    fn finish(self, digest: &mut [u8]) -> Result<(), Error> {
        write(self.finalize().as_bytes(), digest)
    }
}

/// BLAKE2bp with digests of 32 bytes.
pub(super) struct Blake2bp(blake2bp::Params);

impl Blake2bp {
    pub(super) fn new() -> Self {
        let mut parameters = blake2bp::Params::new();
        parameters.hash_length(DIGEST);
        Blake2bp(parameters)
    }
}

impl Function for Blake2bp {
    type State = blake2bp::State;

    fn digest_len(&self) -> usize {
        DIGEST
    }

    fn start(&self) -> blake2bp::State {
        self.0.to_state()
    }
}

impl State for blake2bp::State {
    fn update(&mut self, piece: &[u8]) {
        self.update(piece);
    }

    fn finish(self, digest: &mut [u8]) -> Result<(), Error> {
        write(self.finalize().as_bytes(), digest)
    }
}
