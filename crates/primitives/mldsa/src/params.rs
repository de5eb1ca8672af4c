//! The three parameter sets (FIPS 204, section 4, tables 1 and 2).

use core::fmt::Debug;

/// The prime modulus q = 2^23 - 2^13 + 1.
pub(crate) const Q: i32 = 8_380_417;
/// Bits that are dropped from t.
pub(crate) const D: usize = 13;
/// The largest k or l of a parameter set.
pub(crate) const MOST: usize = 8;

/// The range of low bits, by which `HighBits` and `LowBits` divide.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gamma2 {
    /// (q - 1) / 88
    Of88,
    /// (q - 1) / 32
    Of32,
}

impl Gamma2 {
    pub(crate) const fn value(self) -> i32 {
        match self {
            Gamma2::Of88 => (Q - 1) / 88,
            Gamma2::Of32 => (Q - 1) / 32,
        }
    }

    /// How many values `HighBits` has.
    pub(crate) const fn high_values(self) -> i32 {
        (Q - 1) / (2 * self.value())
    }
}

/// The constants that are this crate's own business.
pub(crate) trait Constants {
    /// Rows of the matrix A.
    const K: usize;
    /// Columns of the matrix A.
    const L: usize;
    /// The largest coefficient of the secret polynomials.
    const ETA: i32;
    /// Coefficients of the challenge that are not zero.
    const TAU: usize;
    /// γ1 = 2 to the power of this.
    const GAMMA1_BITS: usize;
    const GAMMA2: Gamma2;
    /// Coefficients of the hint that are not zero, at most.
    const OMEGA: usize;
    /// Bytes of the commitment's hash, λ / 4.
    const CHALLENGE: usize;

    const GAMMA1: i32 = 1 << Self::GAMMA1_BITS;
    const BETA: i32 = Self::TAU as i32 * Self::ETA;
    /// Bits of a coefficient of s1 and s2.
    const ETA_BITS: usize = if Self::ETA == 2 { 3 } else { 4 };
    /// Bits of a coefficient of w1.
    const W1_BITS: usize = match Self::GAMMA2 {
        Gamma2::Of88 => 6,
        Gamma2::Of32 => 4,
    };
}

/// A parameter set of ML-DSA: [`MlDsa44`], [`MlDsa65`] or [`MlDsa87`].
#[allow(private_bounds)] // the trait is sealed: what it needs is this crate's own
pub trait ParameterSet: Constants + Copy + Debug + Eq + 'static {
    /// The name that FIPS 204 gives it.
    const NAME: &'static str;
    /// Its object identifier (RFC 9881, section 2).
    const OID: &'static str;
    /// Bytes of a public key.
    const PUBLIC_KEY: usize;
    /// Bytes of a private key in its expanded form (FIPS 204, algorithm 24).
    const EXPANDED_KEY: usize;
    /// Bytes of a signature.
    const SIGNATURE: usize;
}

macro_rules! parameter_set {
    ($name:ident, $title:literal, $oid:literal, $category:literal, $k:literal, $l:literal, $eta:literal, $tau:literal,
     $gamma1:literal, $gamma2:ident, $omega:literal, $challenge:literal) => {
        #[doc = concat!($title, ", of security category ", $category, ".")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {}

        impl Constants for $name {
            const K: usize = $k;
            const L: usize = $l;
            const ETA: i32 = $eta;
            const TAU: usize = $tau;
            const GAMMA1_BITS: usize = $gamma1;
            const GAMMA2: Gamma2 = Gamma2::$gamma2;
            const OMEGA: usize = $omega;
            const CHALLENGE: usize = $challenge;
        }

        impl ParameterSet for $name {
            const NAME: &'static str = $title;
            const OID: &'static str = concat!("2.16.840.1.101.3.4.3.", $oid);
            const PUBLIC_KEY: usize = 32 + 320 * Self::K;
            const EXPANDED_KEY: usize = 128 + 32 * ((Self::K + Self::L) * Self::ETA_BITS + D * Self::K);
            const SIGNATURE: usize =
                Self::CHALLENGE + 32 * (Self::GAMMA1_BITS + 1) * Self::L + Self::OMEGA + Self::K;
        }
    };
}

parameter_set!(MlDsa44, "ML-DSA-44", 17, "2", 4, 4, 2, 39, 17, Of88, 80, 32);
parameter_set!(MlDsa65, "ML-DSA-65", 18, "3", 6, 5, 4, 49, 19, Of32, 55, 48);
parameter_set!(MlDsa87, "ML-DSA-87", 19, "5", 8, 7, 2, 60, 19, Of32, 75, 64);

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 204, table 2.
    #[test]
    fn lengths() {
        fn of<P: ParameterSet>() -> [usize; 3] {
            [P::EXPANDED_KEY, P::PUBLIC_KEY, P::SIGNATURE]
        }
        assert_eq!(of::<MlDsa44>(), [2560, 1312, 2420]);
        assert_eq!(of::<MlDsa65>(), [4032, 1952, 3309]);
        assert_eq!(of::<MlDsa87>(), [4896, 2592, 4627]);
    }
}
