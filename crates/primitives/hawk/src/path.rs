//! The code paths, and which of them this processor can take.

fieldtest_cpu::paths! {
    /// One way to compute with polynomials.
    portable: /// Plain Rust: the reference for the others.
    Avx2 "AVX2" needs AVX2 BMI1 BMI2 PCLMULQDQ;
}

impl Path {
    /// The path of the hash function that fits.
    pub(crate) fn keccak(self) -> fieldtest_keccak::Path {
        match self.kind() {
            Kind::Portable => fieldtest_keccak::Path::PORTABLE,
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => fieldtest_keccak::Path::best(),
        }
    }
}
