//! Digests of files: read once in pieces, hashed by several algorithms at the same time.

use std::fmt;
use std::io::{self, Read};

use sha1::Sha1;
use sha2::{Digest as _, Sha256, Sha384, Sha512};
use sha3::{Sha3_256, Sha3_384, Sha3_512};

use crate::hash_algorithm::{self, HashAlgorithm};

/// Bytes that are read at once.
pub const PIECE: usize = 128 * 1024;

/// The longest digest there is, in bytes.
const LONGEST: usize = 64;

/// A digest and its algorithm.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest {
    algorithm: HashAlgorithm,
    /// Zero after the digest's length.
    bytes: [u8; LONGEST],
}

/// A digest of another length than its algorithm's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a {} digest has {} bytes, but this one has {found}", hash_algorithm::name(*.algorithm), .algorithm.length())]
pub struct WrongDigestLength {
    /// The algorithm it was said to be of.
    pub algorithm: HashAlgorithm,
    /// Its bytes.
    pub found: usize,
}

impl Digest {
    /// A digest that was computed elsewhere.
    ///
    /// # Errors
    /// [`WrongDigestLength`].
    pub fn new(algorithm: HashAlgorithm, digest: &[u8]) -> Result<Self, WrongDigestLength> {
        let mut bytes = [0; LONGEST];
        match bytes.get_mut(..digest.len()) {
            Some(start) if digest.len() == algorithm.length() => start.copy_from_slice(digest),
            _ => return Err(WrongDigestLength { algorithm, found: digest.len() }),
        }
        Ok(Digest { algorithm, bytes })
    }

    /// The digest of bytes in memory.
    pub fn of(algorithm: HashAlgorithm, bytes: &[u8]) -> Self {
        let mut hasher = Hasher::new(algorithm);
        hasher.update(bytes);
        hasher.finish()
    }

    /// The algorithm.
    pub fn algorithm(&self) -> HashAlgorithm {
        self.algorithm
    }

    /// The digest's bytes, as many as the algorithm has.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.algorithm.length()]
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Display for Digest {
    /// As tools write it: `sha256:` and the digest in hexadecimal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", hash_algorithm::name(self.algorithm))?;
        self.bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Calls `each` with the reader's bytes, at most [`PIECE`] at once, until the end.
pub(crate) fn for_each_piece(reader: &mut impl Read, mut each: impl FnMut(&[u8])) -> io::Result<()> {
    let mut buffer = vec![0; PIECE];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(length) => each(buffer.get(..length).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// A digest that is being computed.
///
/// A caller that reads a file itself gives each piece to one of these for each algorithm.
#[derive(Clone)]
pub struct Hasher(State);

#[derive(Clone)]
enum State {
    Sha1(Sha1),
    Sha256(Sha256),
    Sha384(Sha384),
    Sha512(Sha512),
    Sha3_256(Sha3_256),
    Sha3_384(Sha3_384),
    Sha3_512(Sha3_512),
}

impl Hasher {
    /// Of nothing so far.
    pub fn new(algorithm: HashAlgorithm) -> Self {
        Hasher(match algorithm {
            HashAlgorithm::Sha1 => State::Sha1(Sha1::new()),
            HashAlgorithm::Sha256 => State::Sha256(Sha256::new()),
            HashAlgorithm::Sha384 => State::Sha384(Sha384::new()),
            HashAlgorithm::Sha512 => State::Sha512(Sha512::new()),
            HashAlgorithm::Sha3_256 => State::Sha3_256(Sha3_256::new()),
            HashAlgorithm::Sha3_384 => State::Sha3_384(Sha3_384::new()),
            HashAlgorithm::Sha3_512 => State::Sha3_512(Sha3_512::new()),
        })
    }

    /// Hashes the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        match &mut self.0 {
            State::Sha1(state) => state.update(bytes),
            State::Sha256(state) => state.update(bytes),
            State::Sha384(state) => state.update(bytes),
            State::Sha512(state) => state.update(bytes),
            State::Sha3_256(state) => state.update(bytes),
            State::Sha3_384(state) => state.update(bytes),
            State::Sha3_512(state) => state.update(bytes),
        }
    }

    /// The digest of all bytes that were given.
    pub fn finish(self) -> Digest {
        match self.0 {
            State::Sha1(state) => finished(HashAlgorithm::Sha1, &state.finalize()),
            State::Sha256(state) => finished(HashAlgorithm::Sha256, &state.finalize()),
            State::Sha384(state) => finished(HashAlgorithm::Sha384, &state.finalize()),
            State::Sha512(state) => finished(HashAlgorithm::Sha512, &state.finalize()),
            State::Sha3_256(state) => finished(HashAlgorithm::Sha3_256, &state.finalize()),
            State::Sha3_384(state) => finished(HashAlgorithm::Sha3_384, &state.finalize()),
            State::Sha3_512(state) => finished(HashAlgorithm::Sha3_512, &state.finalize()),
        }
    }
}

fn finished(algorithm: HashAlgorithm, digest: &[u8]) -> Digest {
    let mut bytes = [0; LONGEST];
    bytes[..algorithm.length()].copy_from_slice(digest);
    Digest { algorithm, bytes }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_digests_of_abc() {
        // SHA-1 and SHA-2: NIST's examples with intermediate values, one-block messages. SHA-3: OpenSSL 3.0.
        let text = HashAlgorithm::ALL.map(|algorithm| Digest::of(algorithm, b"abc").to_string());
        let expected = [
            "sha1:a9993e364706816aba3e25717850c26c9cd0d89d",
            "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "sha384:cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed\
             8086072ba1e7cc2358baeca134c825a7",
            "sha512:ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
             2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
            "sha3-256:3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532",
            "sha3-384:ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c2596da7cf0e49be4b2\
             98d88cea927ac7f539f1edf228376d25",
            "sha3-512:b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e\
             10e116e9192af3c91a7ec57647e3934057340b4cf408d5a56592f8274eec53f0",
        ];
        assert_eq!(text, expected);
    }

    #[test]
    fn a_digest_of_another_length_is_refused() {
        for length in [0, 31, 33, 64, 65] {
            let refused = Digest::new(HashAlgorithm::Sha256, &vec![0; length]);
            assert_eq!(refused, Err(WrongDigestLength { algorithm: HashAlgorithm::Sha256, found: length }));
        }
        let digest = Digest::new(HashAlgorithm::Sha256, &[5; 32]).unwrap();
        assert_eq!(digest.bytes(), [5; 32]);
    }

    /// Gives few bytes at a time, and is interrupted in between.
    struct Hesitant<'a>(&'a [u8], bool);

    impl Read for Hesitant<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let length = buffer.len().min(self.0.len()).min(4099);
            let (now, later) = self.0.split_at(length);
            buffer[..length].copy_from_slice(now);
            self.0 = later;
            Ok(length)
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        #[test]
        fn pieces_do_not_matter(length in 0..3 * PIECE, byte in any::<u8>()) {
            let content: Vec<u8> = (0..length).map(|at| (at % 251) as u8 ^ byte).collect();
            let mut hashers = HashAlgorithm::ALL.map(Hasher::new);
            for_each_piece(&mut Hesitant(&content, false), |piece| {
                hashers.iter_mut().for_each(|hasher| hasher.update(piece));
            }).unwrap();
            for (hasher, algorithm) in hashers.into_iter().zip(HashAlgorithm::ALL) {
                prop_assert_eq!(hasher.finish(), Digest::of(algorithm, &content));
            }
        }
    }
}
