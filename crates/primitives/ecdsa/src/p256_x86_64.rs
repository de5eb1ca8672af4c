//! Products modulo the prime of P-256, with instructions that every x86-64 has. The compiler turns carries into bytes and
//! spills limbs: its products take a quarter more time, its squares a half more.
#![allow(unsafe_code)] // inline assembly

/// `a b / 2^256` modulo the prime, for values below it.
#[inline(always)]
pub(crate) fn multiply(&[mut a0, mut a1, a2, a3]: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
    let (l0, l1, l2, l3, l4, l5);
    // SAFETY: only reads the four limbs of b.
    unsafe {
        core::arch::asm!(
            "xor {l2:e}, {l2:e}; xor {l3:e}, {l3:e}; xor {l4:e}, {l4:e}; xor {l5:e}, {l5:e}",
            "mov rax, {a0}; mul qword ptr [{b}]; mov {l0}, rax; mov {l1}, rdx",
            "mov rax, {a0}; mul qword ptr [{b} + 8]; add {l1}, rax; adc {l2}, rdx; adc {l3}, 0",
            "mov rax, {a1}; mul qword ptr [{b}]; add {l1}, rax; adc {l2}, rdx; adc {l3}, 0",
            "mov rax, {a0}; mul qword ptr [{b} + 16]; add {l2}, rax; adc {l3}, rdx; adc {l4}, 0",
            "mov rax, {a1}; mul qword ptr [{b} + 8]; add {l2}, rax; adc {l3}, rdx; adc {l4}, 0",
            "mov rax, {a2}; mul qword ptr [{b}]; add {l2}, rax; adc {l3}, rdx; adc {l4}, 0",
            "mov rax, {a0}; mul qword ptr [{b} + 24]; add {l3}, rax; adc {l4}, rdx; adc {l5}, 0",
            "mov rax, {a1}; mul qword ptr [{b} + 16]; add {l3}, rax; adc {l4}, rdx; adc {l5}, 0",
            "mov rax, {a2}; mul qword ptr [{b} + 8]; add {l3}, rax; adc {l4}, rdx; adc {l5}, 0",
            "mov rax, {a3}; mul qword ptr [{b}]; add {l3}, rax; adc {l4}, rdx; adc {l5}, 0",
            // From here on, a0 is limb 6; later, a1 is limb 7.
            "xor {a0:e}, {a0:e}; mov rax, {a1}; mul qword ptr [{b} + 24]; add {l4}, rax; adc {l5}, rdx; adc {a0}, 0",
            "mov rax, {a2}; mul qword ptr [{b} + 16]; add {l4}, rax; adc {l5}, rdx; adc {a0}, 0",
            "mov rax, {a3}; mul qword ptr [{b} + 8]; add {l4}, rax; adc {l5}, rdx; adc {a0}, 0",
            "xor {a1:e}, {a1:e}; mov rax, {a2}; mul qword ptr [{b} + 24]; add {l5}, rax; adc {a0}, rdx; adc {a1}, 0",
            "mov rax, {a3}; mul qword ptr [{b} + 16]; add {l5}, rax; adc {a0}, rdx; adc {a1}, 0",
            "mov rax, {a3}; mul qword ptr [{b} + 24]; add {a0}, rax; adc {a1}, rdx",
            b = in(reg) b.as_ptr(), out("rax") _, out("rdx") _,
            a0 = inout(reg) a0, a1 = inout(reg) a1, a2 = in(reg) a2, a3 = in(reg) a3,
            l0 = out(reg) l0, l1 = out(reg) l1, l2 = out(reg) l2, l3 = out(reg) l3, l4 = out(reg) l4, l5 = out(reg) l5,
            options(pure, readonly, nostack),
        );
    }
    reduce([l0, l1, l2, l3], [l4, l5, a0, a1])
}

/// `a^2 / 2^256` modulo the prime, for a value below it: the products of unlike limbs once, doubled, and the squares.
#[inline(always)]
pub(crate) fn square(&[mut a0, a1, a2, a3]: &[u64; 4]) -> [u64; 4] {
    let (l1, l2, l3, l4, l5, l6, l7);
    // SAFETY: works on registers alone.
    unsafe {
        core::arch::asm!(
            "mov rax, {a0}; mul {a1}; mov {l1}, rax; mov {l2}, rdx",
            "mov rax, {a0}; mul {a2}; add {l2}, rax; adc rdx, 0; mov {l3}, rdx",
            "mov rax, {a0}; mul {a3}; add {l3}, rax; adc rdx, 0; mov {l4}, rdx",
            "mov rax, {a1}; mul {a2}; xor {l5:e}, {l5:e}; xor {l7:e}, {l7:e}",
            "add {l3}, rax; adc {l4}, rdx; adc {l5}, 0; mov rax, {a1}; mul {a3}; add {l4}, rax; adc {l5}, rdx",
            "mov rax, {a2}; mul {a3}; add {l5}, rax; adc rdx, 0; mov {l6}, rdx",
            "add {l1}, {l1}; adc {l2}, {l2}; adc {l3}, {l3}; adc {l4}, {l4}",
            "adc {l5}, {l5}; adc {l6}, {l6}; adc {l7}, {l7}",
            "mov rax, {a0}; mul rax; mov {a0}, rax; mov {t}, rdx", // from here on limb 0
            "mov rax, {a1}; mul rax; add {l1}, {t}; adc {l2}, rax; adc rdx, 0; mov {t}, rdx",
            "mov rax, {a2}; mul rax; add {l3}, {t}; adc {l4}, rax; adc rdx, 0; mov {t}, rdx",
            "mov rax, {a3}; mul rax; add {l5}, {t}; adc {l6}, rax; adc {l7}, rdx",
            a0 = inout(reg) a0, a1 = in(reg) a1, a2 = in(reg) a2, a3 = in(reg) a3, t = out(reg) _,
            l1 = out(reg) l1, l2 = out(reg) l2, l3 = out(reg) l3, l4 = out(reg) l4,
            l5 = out(reg) l5, l6 = out(reg) l6, l7 = out(reg) l7, out("rax") _, out("rdx") _,
            options(pure, nomem, nostack),
        );
    }
    reduce([a0, l1, l2, l3], [l4, l5, l6, l7])
}

/// Montgomery's reduction.
#[inline(always)]
fn reduce([l0, l1, l2, l3]: [u64; 4], [mut h0, mut h1, mut h2, mut h3]: [u64; 4]) -> [u64; 4] {
    // SAFETY: works on registers alone.
    unsafe {
        core::arch::asm!(
            // As `P256Coordinate::reduce`, but the high limbs wait, so that no step carries out of four limbs.
            "mov rax, {l0}; mul {top}; mov {t}, {l0}; shl {t}, 32; shr {l0}, 32",
            "add {l1}, {t}; adc {l2}, {l0}; adc {l3}, rax; adc rdx, 0; mov {l0}, rdx",
            "mov rax, {l1}; mul {top}; mov {t}, {l1}; shl {t}, 32; shr {l1}, 32",
            "add {l2}, {t}; adc {l3}, {l1}; adc {l0}, rax; adc rdx, 0; mov {l1}, rdx",
            "mov rax, {l2}; mul {top}; mov {t}, {l2}; shl {t}, 32; shr {l2}, 32",
            "add {l3}, {t}; adc {l0}, {l2}; adc {l1}, rax; adc rdx, 0; mov {l2}, rdx",
            "mov rax, {l3}; mul {top}; mov {t}, {l3}; shl {t}, 32; shr {l3}, 32",
            "add {l0}, {t}; adc {l1}, {l3}; adc {l2}, rax; adc rdx, 0; mov {l3}, rdx",
            "add {h0}, {l0}; adc {h1}, {l1}; adc {h2}, {l2}; adc {h3}, {l3}; sbb rdx, rdx",
            "mov {l0}, {h0}; mov {l1}, {h1}; mov {l2}, {h2}; mov {l3}, {h3}; mov {t:e}, -1",
            "sub {l0}, -1; sbb {l1}, {t}; sbb {l2}, 0; sbb {l3}, {top}",
            // Zero unless there was a borrow but no carry: then the sum was below the prime.
            "adc rdx, 0; cmovz {h0}, {l0}; cmovz {h1}, {l1}; cmovz {h2}, {l2}; cmovz {h3}, {l3}",
            out("rax") _, out("rdx") _, t = out(reg) _, top = in(reg) 0xffff_ffff_0000_0001_u64,
            l0 = inout(reg) l0 => _, l1 = inout(reg) l1 => _, l2 = inout(reg) l2 => _, l3 = inout(reg) l3 => _,
            h0 = inout(reg) h0, h1 = inout(reg) h1, h2 = inout(reg) h2, h3 = inout(reg) h3,
            options(pure, nomem, nostack),
        );
    }
    [h0, h1, h2, h3]
}
