//! The code paths, and which of them this processor can take.

fieldtest_cpu::paths! {
    /// One way to do MAYO's arithmetic. All paths compute the same; a key that was prepared on one can be used only on it,
    /// as the type of the key sees to.
    portable: /// Plain Rust.
    Avx2 "AVX2" needs AVX2;
    Avx512 "AVX-512 and GFNI" needs AVX2 AVX512F AVX512BW AVX512VL GFNI;
}
