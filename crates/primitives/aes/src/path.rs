//! The code paths, and which of them this processor can take.

fieldtest_cpu::paths! {
    /// One way to compute AES. A key is prepared for a path, because the portable one has round keys of its own form.
    portable: /// The crate `aes` of RustCrypto, for every processor: bit-sliced and constant-time. It uses the
    /// processor's own instructions where it knows them.
    AesNi "AES-NI" needs AES AVX;
    Vaes256 "VAES-256" needs AES AVX AVX2 VAES;
    Vaes512 "VAES-512" needs AES AVX AVX2 VAES VPCLMULQDQ AVX512F AVX512BW AVX512VL;
}
