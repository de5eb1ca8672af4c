//! The parameter sets.

use core::fmt;

use crate::schedule::{self, Position};

/// A parameter set of MAYO: which round's document it is of, its sizes and its constants.
#[derive(Clone, Copy)]
pub struct ParameterSet(&'static Parameters);

pub(crate) struct Parameters {
    pub(crate) name: &'static str,
    pub(crate) round: u8,
    /// Variables.
    pub(crate) n: usize,
    /// Equations.
    pub(crate) m: usize,
    /// Dimension of the oil space.
    pub(crate) o: usize,
    /// Copies of the map.
    pub(crate) k: usize,
    /// Bytes of the secret seed, of the salt and of the randomiser.
    pub(crate) salt: usize,
    /// Bytes of the message's digest.
    pub(crate) digest: usize,
    /// f(z) = z^m + tail\[3\] z³ + … + tail\[0\].
    pub(crate) tail: [u8; 4],
    /// Which pair (i, j) the power zˡ belongs to: entry l.
    pub(crate) schedule: &'static [Position],
    /// Whether the map has the linear term of round 3.
    pub(crate) linear: bool,
}

/// Bytes of the seed of P1 and P2 in a public key.
pub(crate) const PUBLIC_SEED: usize = 16;

impl Parameters {
    /// n - o, the vinegar variables.
    #[inline(always)]
    pub(crate) const fn v(&self) -> usize {
        self.n - self.o
    }

    /// 64-bit words of m nibbles.
    #[inline(always)]
    pub(crate) const fn limbs(&self) -> usize {
        self.m.div_ceil(16)
    }

    /// Bytes that m nibbles take in the arithmetic: whole words.
    #[inline(always)]
    pub(crate) const fn half(&self) -> usize {
        8 * self.limbs()
    }

    /// Bytes of two m-vectors whose entries share bytes; see `grid.rs`.
    #[inline(always)]
    pub(crate) const fn width(&self) -> usize {
        16 * self.limbs()
    }

    /// Which bits of the last word belong to m nibbles.
    #[inline(always)]
    pub(crate) const fn last_limb(&self) -> u64 {
        match self.m % 16 {
            0 => u64::MAX,
            nibbles => (1 << (4 * nibbles)) - 1,
        }
    }

    /// Pairs of vinegar variables.
    #[inline(always)]
    pub(crate) const fn v_pairs(&self) -> usize {
        self.v().div_ceil(2)
    }

    /// Pairs of copies.
    #[inline(always)]
    pub(crate) const fn k_pairs(&self) -> usize {
        self.k.div_ceil(2)
    }

    /// Pairs of oil variables.
    #[inline(always)]
    pub(crate) const fn o_pairs(&self) -> usize {
        self.o.div_ceil(2)
    }

    /// Bytes of the encoded oil space.
    pub(crate) const fn oil_bytes(&self) -> usize {
        (self.v() * self.o).div_ceil(2)
    }

    pub(crate) const fn p3_bytes(&self) -> usize {
        self.o * (self.o + 1) / 2 * self.m / 2
    }

    /// Bytes of s, the signature without its salt.
    pub(crate) const fn solution_bytes(&self) -> usize {
        (self.n * self.k).div_ceil(2)
    }
}

macro_rules! sets {
    ($($(#[$about:meta])* $constant:ident: $name:literal, round $round:literal, n $n:literal, m $m:literal, o $o:literal,
        k $k:literal, salt $salt:literal, digest $digest:literal, tail $tail:expr, $schedule:expr;)*) => {
        impl ParameterSet {
            $(
                $(#[$about])*
                pub const $constant: Self = Self(&Parameters {
                    name: $name, round: $round, n: $n, m: $m, o: $o, k: $k, salt: $salt, digest: $digest, tail: $tail,
                    schedule: $schedule, linear: $round > 2,
                });
            )*

            /// All sets, those of round 2 first.
            pub const ALL: &'static [Self] = &[$(Self::$constant),*];
        }
    };
}

// The tables of parameters of round 2 (February 2025) and round 3 (August 2026), and their polynomials f(z).
sets! {
    /// MAYO-one of round 2: public keys of 1,420 bytes, signatures of 454.
    ONE: "MAYO-one", round 2, n 86, m 78, o 8, k 10, salt 24, digest 32, tail [8, 1, 1, 0], &schedule::ROWS_10;
    /// MAYO-two of round 2: public keys of 4,912 bytes, signatures of 186. An attack takes about 2^113 operations
    /// (ePrint 2025/1143), so that the set misses its security level.
    TWO: "MAYO-two", round 2, n 81, m 64, o 17, k 4, salt 24, digest 32, tail [8, 0, 2, 8], &schedule::ROWS_4;
    /// MAYO-three of round 2: public keys of 2,986 bytes, signatures of 681.
    THREE: "MAYO-three", round 2, n 118, m 108, o 10, k 11, salt 32, digest 48, tail [8, 0, 1, 7], &schedule::ROWS_11;
    /// MAYO-five of round 2: public keys of 5,554 bytes, signatures of 964.
    FIVE: "MAYO-five", round 2, n 154, m 142, o 12, k 12, salt 40, digest 64, tail [4, 0, 8, 1], &schedule::ROWS_12;
    /// MAYO-one of round 3: public keys of 1,456 bytes, signatures of 464.
    ROUND3_ONE: "MAYO-one of round 3", round 3, n 88, m 80, o 8, k 10, salt 24, digest 32, tail [2, 0, 4, 2],
        &schedule::WHIPPED_10;
    /// MAYO-two of round 3: public keys of 2,928 bytes, signatures of 239.
    ROUND3_TWO: "MAYO-two of round 3", round 3, n 86, m 64, o 13, k 5, salt 24, digest 32, tail [8, 0, 2, 8],
        &schedule::WHIPPED_5;
    /// MAYO-three of round 3: as large as that of round 2.
    ROUND3_THREE: "MAYO-three of round 3", round 3, n 118, m 108, o 10, k 11, salt 32, digest 48, tail [8, 0, 1, 7],
        &schedule::WHIPPED_11;
    /// MAYO-five of round 3: as large as that of round 2.
    ROUND3_FIVE: "MAYO-five of round 3", round 3, n 154, m 142, o 12, k 12, salt 40, digest 64, tail [4, 0, 8, 1],
        &schedule::WHIPPED_12;
}

impl ParameterSet {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.0.name
    }

    /// The round of NIST's call whose document defines it: 2 or 3. Keys and signatures of one round are nothing to the
    /// other.
    #[must_use]
    pub const fn round(self) -> u8 {
        self.0.round
    }

    /// Bytes of a secret key, which is the seed of everything.
    #[must_use]
    pub const fn secret_key_len(self) -> usize {
        self.0.salt
    }

    /// Bytes of a public key.
    #[must_use]
    pub const fn public_key_len(self) -> usize {
        PUBLIC_SEED + self.0.p3_bytes()
    }

    /// Bytes of a signature.
    #[must_use]
    pub const fn signature_len(self) -> usize {
        self.0.solution_bytes() + self.0.salt
    }

    /// Bytes of a randomiser, the random bytes that signing takes.
    #[must_use]
    pub const fn randomizer_len(self) -> usize {
        self.0.salt
    }

    #[inline(always)]
    pub(crate) const fn parameters(self) -> &'static Parameters {
        self.0
    }
}

impl PartialEq for ParameterSet {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for ParameterSet {}

impl fmt::Debug for ParameterSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}

impl fmt::Display for ParameterSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}
