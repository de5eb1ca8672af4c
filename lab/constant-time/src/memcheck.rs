//! What a program can ask of valgrind's memcheck (valgrind.h, memcheck.h): the requests are instructions without effect
//! on the processor itself.

#![allow(unsafe_code)] // inline assembly

use std::arch::asm;

const RUNNING_ON_VALGRIND: u64 = 0x1001;
const COUNT_ERRORS: u64 = 0x1201;
const MAKE_MEM_UNDEFINED: u64 = (b'M' as u64) << 24 | (b'C' as u64) << 16 | 1;
const MAKE_MEM_DEFINED: u64 = MAKE_MEM_UNDEFINED + 1;

fn request(number: u64, first: u64, second: u64) -> u64 {
    let arguments = [number, first, second, 0, 0, 0];
    let mut answer = 0_u64;
    // SAFETY: four rotations by 128 in all leave RDI as it was, and RBX is exchanged with itself; valgrind reads the
    // arguments and writes RDX.
    unsafe {
        asm!(
            "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
            in("rax") arguments.as_ptr(), inout("rdx") answer, options(nostack),
        );
    }
    answer
}

/// Whether valgrind runs this program.
pub(crate) fn is_there() -> bool {
    request(RUNNING_ON_VALGRIND, 0, 0) > 0
}

/// Branches and addresses so far that depended on what is undefined.
pub(crate) fn errors() -> u64 {
    request(COUNT_ERRORS, 0, 0)
}

/// Marks a secret: whatever is computed of it is undefined too.
pub(crate) fn hide(secret: &mut [u8]) {
    request(MAKE_MEM_UNDEFINED, secret.as_ptr() as u64, secret.len() as u64);
}

/// Marks what is public.
pub(crate) fn publish(public: &mut [u8]) {
    request(MAKE_MEM_DEFINED, public.as_ptr() as u64, public.len() as u64);
}
