//! What smaller machines have.

use crate::Extensions;

/// The most that code may use of a processor, so that it runs as on a smaller machine. Those of x86-64 are what real
/// machines have; elsewhere there is [`None`](Self::None) only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What every processor of the architecture has, on x86-64 SSE2.
    None,
    /// 128 bits in encodings from before AVX, with AES-NI, PCLMULQDQ and SHA-NI: Intel's Goldmont (2016).
    Sse,
    /// 256 bits: also AVX, AVX2, BMI, GFNI, VAES and VPCLMULQDQ. Intel's Alder Lake (2021), and AMD's Zen 3 but for GFNI.
    Avx2,
    /// 512 bits: all that primitives choose by.
    Avx512,
}

impl Level {
    /// All of them, the smallest first.
    pub const ALL: [Self; 4] = [Self::None, Self::Sse, Self::Avx2, Self::Avx512];

    /// What is typed for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Sse => "sse",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// The extensions that it leaves.
    #[must_use]
    pub fn extensions(self) -> Extensions {
        let [least, rest] = self.bounds();
        least | rest
    }

    /// Whether a processor is of this level or above, which it is without AES or the like.
    pub(crate) fn is_in(self, there: Extensions) -> bool {
        there.has(self.bounds()[0])
    }

    /// What a processor of this level has in any case, and what it may have.
    fn bounds(self) -> [Extensions; 2] {
        use Extensions as E;
        let ([least, rest], more) = match self {
            Self::None => return [E::NONE; 2],
            Self::Sse => (Self::None.bounds(), [E::SSSE3 | E::SSE41, E::AES | E::PCLMULQDQ | E::SHA]),
            Self::Avx2 => {
                let least = E::AVX | E::AVX2 | E::BMI1 | E::BMI2;
                (Self::Sse.bounds(), [least, E::VAES | E::VPCLMULQDQ | E::GFNI])
            }
            Self::Avx512 => (Self::Avx2.bounds(), [E::AVX512F | E::AVX512BW | E::AVX512VL, E::NONE]),
        };
        [least | more[0], rest | more[1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_level_leaves_what_its_machines_have() {
        let leaves = Level::ALL.map(Level::extensions);
        let sse =
            Extensions::SSSE3 | Extensions::SSE41 | Extensions::AES | Extensions::PCLMULQDQ | Extensions::SHA;
        assert_eq!((leaves[0], leaves[1]), (Extensions::NONE, sse));
        for taken in [Extensions::AVX512F, Extensions::AVX512BW, Extensions::AVX512VL] {
            assert!(leaves[3].has(taken) && !leaves[2].has(taken));
        }
        // The fifteen that there are.
        assert_eq!((leaves[2].0.count_ones(), leaves[3].0), (12, 0x7fff));
    }

    #[test]
    fn machines_are_of_their_level_and_below() {
        let zen_3 = Extensions(Level::Avx2.extensions().0 & !Extensions::GFNI.0);
        assert_eq!(Level::ALL.map(|level| level.is_in(zen_3)), [true, true, true, false]);
        assert_eq!(Level::ALL.map(|level| level.is_in(Extensions::NONE)), [true, false, false, false]);
    }
}
