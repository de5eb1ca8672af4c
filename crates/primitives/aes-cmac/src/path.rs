//! Which code paths this processor has.

fieldtest_cpu::paths! {
    /// One way to tag: with AES-NI and in plain Rust eight messages at once, with VAES sixteen, of which two or four
    /// share a register. The paths share a prepared key.
    portable: /// The rounds of the `aes` crate, for every processor.
    AesNi "AES-NI" needs AES AVX;
    Vaes256 "VAES-256" needs AES AVX AVX2 VAES;
    Vaes512 "VAES-512" needs AES AVX AVX2 VAES AVX512F AVX512VL;
}
