//! The code paths, and which of them this processor can take.

fieldtest_cpu::paths! {
    /// One way to compute the permutation.
    portable: /// Plain Rust, one message after another: the reference for the others.
    Avx2 "AVX2" needs AVX2 BMI1 BMI2;
    Avx512 "AVX-512" needs AVX2 BMI1 BMI2 AVX512F AVX512VL;
}
