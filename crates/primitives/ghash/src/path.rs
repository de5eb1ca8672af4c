//! The code paths, and which of them this processor can take.

fieldtest_cpu::paths! {
    /// One way to compute GHASH. A key is prepared for a path, because the portable one keeps no powers of it.
    portable: /// Plain Rust, for every processor: multiplications of integers with gaps between their bits, in constant time
    /// where those are.
    Pclmul "PCLMULQDQ" needs PCLMULQDQ AVX;
    Vpclmul256 "VPCLMULQDQ-256" needs PCLMULQDQ AVX AVX2 VPCLMULQDQ;
    Vpclmul512 "VPCLMULQDQ-512" needs PCLMULQDQ AVX AVX2 VPCLMULQDQ AVX512F AVX512BW AVX512VL;
}
