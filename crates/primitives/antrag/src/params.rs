//! The parameters of Antrag-512 (ePrint 2023/1335, and `param.h` of the authors' program of 18 September 2023, which has
//! the same).

/// Degree of the ring Z[x] / (x^n + 1).
pub(crate) const N: usize = 512;
/// n / 2: embeddings of the ring, one of each conjugate pair.
pub(crate) const HALF: usize = N / 2;
/// The modulus, Falcon's.
pub(crate) const Q: i32 = 12289;
/// [`Q`] among floating-point numbers.
pub(crate) const Q_F64: f64 = Q as f64;
/// α: in every embedding the length of (f, g) is between √q / α and α √q.
pub(crate) const ALPHA: f64 = 1.15;
/// ξ: candidates come from a ring that is narrower than the one they have to end up in by this factor, since rounding
/// moves them.
pub(crate) const XI: f64 = 1.0 / 3.0;
/// r²: of the Gaussian over the integers. Its width r = 1.32 is above the smoothing parameter.
pub(crate) const R_SQUARED: f64 = R_SQUARED_TEN_THOUSANDTHS as f64 / 10_000.0;
/// 10,000 r².
pub(crate) const R_SQUARED_TEN_THOUSANDTHS: u128 = 132 * 132;
/// σ² = r² α² q: of a signature's coefficients.
pub(crate) const SIGMA_SQUARED: f64 = R_SQUARED * ALPHA * ALPHA * Q_F64;
/// γ: a signature is at most so many times longer than σ √(2 n).
const SLACK: f64 = 1.042;
/// The largest square of the length of a signature (s₁, s₂), γ² σ² 2 n, rounded down.
pub(crate) const BOUND: u32 = (SLACK * SLACK * SIGMA_SQUARED * (2 * N) as f64) as u32;

/// Bytes of a seed from which a key is made.
pub const SEED: usize = 32;
/// Bytes of a public key: 14 bits for each coefficient.
pub const PUBLIC_KEY: usize = N * 14 / 8;
/// Bytes of a secret key: f and g with 6 bits for each coefficient, F with 8.
pub const SECRET_KEY: usize = N * (6 + 6 + 8) / 8;
/// Bytes of the salt: 320 bits.
pub const SALT: usize = 40;
/// Bytes of a signature: the salt and s₁, compressed and filled up.
pub const SIGNATURE: usize = SALT + COMPRESSED;
/// Bytes of s₁, compressed.
pub(crate) const COMPRESSED: usize = 622;
/// Bytes of what makes signatures of one message differ.
pub const RANDOMIZER: usize = 32;
