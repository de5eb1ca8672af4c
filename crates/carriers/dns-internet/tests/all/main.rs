//! All tests of the crate that use its public interface: one program, so that the libraries are linked once.

mod zones;
