//! The code paths, and which of them this processor can take.

fieldtest_cpu::paths! {
    /// One way to compute with polynomials.
    portable: /// Plain Rust: the reference for the others.
    Avx2 "AVX2" needs AVX2 BMI1 BMI2;
    Avx512 "AVX-512" needs AVX2 BMI1 BMI2 AVX512F AVX512BW AVX512VL;
}

impl Path {
    /// Whether eight states of the hash function cost less side by side than twice four.
    pub(crate) fn has_eight(self) -> bool {
        match self.kind() {
            Kind::Portable => false,
            #[cfg(target_arch = "x86_64")]
            kind => matches!(kind, Kind::Avx512),
        }
    }

    /// The path of the hash function that fits.
    pub(crate) fn keccak(self) -> fieldtest_keccak::Path {
        match self.kind() {
            Kind::Portable => fieldtest_keccak::Path::PORTABLE,
            #[cfg(target_arch = "x86_64")]
            _ => fieldtest_keccak::Path::available()
                .find(|path| path.name() == self.name())
                .unwrap_or(fieldtest_keccak::Path::PORTABLE),
        }
    }
}
