//! libfieldtest: the algorithms of fieldtest's catalog for programs in C and whatever can call C.
//!
//! An algorithm is found by its name or by its number in a registry, and one implementation of it by name or as the
//! catalog thinks best. Both are handles that the library owns; they are valid until the process ends. What a program
//! makes of an implementation (a prepared key, a message in pieces) is a handle of its own, which it frees.
//!
//! Functions return FT_OK, which is 0, or a negative code, for which ft_error_text() has a sentence and ft_error_detail()
//! the particulars. Functions that give out a name, a count or a handle of the library's own return that, and NULL or 0
//! where there is none. A signature or a tag that is wrong is the code FT_EWRONG and never FT_OK.
//!
//! Output goes into memory of the caller: a pointer, its capacity in bytes, and where to write how many bytes there are.
//! Where the capacity is too small nothing is written but that number, and the code is FT_EBUFFER. Input is a pointer and a
//! length; the pointer may be NULL where the length is 0. Text is UTF-8 and ends with a NUL.
//!
//! All functions may be called by several threads at once, also with the same handle; a handle must not be freed while it is
//! in use. A handle of another kind is found out (FT_EHANDLE). One that was freed cannot be found out reliably, nor a
//! pointer to something else.
//!
//! A thread that calls needs 512 KiB of stack; with less, some signature algorithms end the process by SIGSEGV, for which there is no code. Threads of
//! musl and of some servers have less where nobody asks for more (pthread_attr_setstacksize()).
//!
//! Libraries that the host has installed are not loaded into the process: implementations are those that were compiled in, and
//! engines that were attached.
//! Secrets in memory of the library are wiped when they are freed, as far as the implementation does so.

// A foreign interface is made of raw pointers.
#![allow(unsafe_code)]
// What a caller owes is the same everywhere and stands above, for readers of C.
#![allow(clippy::missing_safety_doc)]

mod catalog;
mod cipher;
mod engine;
mod error;
mod extensions;
mod handle;
mod hash;
mod mac;
mod memory;
mod signature;

pub use catalog::*;
pub use cipher::*;
pub use engine::*;
pub use error::*;
pub use extensions::*;
pub use hash::*;
pub use mac::*;
pub use memory::Bytes;
pub use signature::*;
