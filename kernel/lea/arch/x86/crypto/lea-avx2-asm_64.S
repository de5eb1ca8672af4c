/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * LEA with AVX2, sixteen blocks at a time.
 *
 * The same word of eight blocks lies in one register. Two such groups are
 * processed in turns, so that each hides the other's latency and both share
 * the broadcast round keys. Rounds are unrolled by four, after which each word
 * is in its register again; 24, 28 and 32 are all multiples of four.
 */

#include <linux/linkage.h>
#include <asm/frame.h>

#define CTX	%rdi
#define DST	%rsi
#define SRC	%rdx
#define AUX	%rcx

#define ROUNDS	%eax
#define RK	%r8

/* struct lea_ctx */
#define CTX_ROUNDS	768
#define ROUND_KEY	24

/* The words of blocks 0 to 7 and of blocks 8 to 15. */
#define A0	%ymm0
#define A1	%ymm1
#define A2	%ymm2
#define A3	%ymm3
#define B0	%ymm4
#define B1	%ymm5
#define B2	%ymm6
#define B3	%ymm7

#define K0	%ymm8
#define K1	%ymm9
#define TA	%ymm10
#define TB	%ymm11

/* Rows to columns and back, in both halves of the registers. */
.macro transpose r0, r1, r2, r3
	vpunpckldq	\r1, \r0, %ymm8
	vpunpckhdq	\r1, \r0, %ymm9
	vpunpckldq	\r3, \r2, %ymm10
	vpunpckhdq	\r3, \r2, %ymm11
	vpunpcklqdq	%ymm10, %ymm8, \r0
	vpunpckhqdq	%ymm10, %ymm8, \r1
	vpunpcklqdq	%ymm11, %ymm9, \r2
	vpunpckhqdq	%ymm11, %ymm9, \r3
.endm

.macro rotate_left a, b, bits
	vpslld		$(\bits), \a, TA
	vpslld		$(\bits), \b, TB
	vpsrld		$(32 - \bits), \a, \a
	vpsrld		$(32 - \bits), \b, \b
	vpor		TA, \a, \a
	vpor		TB, \b, \b
.endm

.macro broadcast offset
	vpbroadcastd	(\offset)(RK), K0
	vpbroadcastd	(\offset + 4)(RK), K1
.endm

/* y = ((x ^ rk[offset]) + (y ^ rk[offset + 4])) <<< bits */
.macro mix offset, xa, xb, ya, yb, bits
	broadcast	\offset
	vpxor		K0, \xa, TA
	vpxor		K0, \xb, TB
	vpxor		K1, \ya, \ya
	vpxor		K1, \yb, \yb
	vpaddd		TA, \ya, \ya
	vpaddd		TB, \yb, \yb
	rotate_left	\ya, \yb, \bits
.endm

/* y = ((y <<< bits) - (x ^ rk[offset])) ^ rk[offset + 4] */
.macro unmix offset, xa, xb, ya, yb, bits
	rotate_left	\ya, \yb, \bits
	broadcast	\offset
	vpxor		K0, \xa, TA
	vpxor		K0, \xb, TB
	vpsubd		TA, \ya, \ya
	vpsubd		TB, \yb, \yb
	vpxor		K1, \ya, \ya
	vpxor		K1, \yb, \yb
.endm

/* Leaves the new words 0 to 3 in the registers of words 1, 2, 3 and 0. */
.macro encrypt_round round, a0, a1, a2, a3, b0, b1, b2, b3
	mix		(\round * ROUND_KEY + 16), \a2, \b2, \a3, \b3, 29
	mix		(\round * ROUND_KEY + 8), \a1, \b1, \a2, \b2, 27
	mix		(\round * ROUND_KEY), \a0, \b0, \a1, \b1, 9
.endm

/* Leaves the old words 0 to 3 in the registers of words 3, 0, 1 and 2. */
.macro decrypt_round round, a0, a1, a2, a3, b0, b1, b2, b3
	unmix		(\round * ROUND_KEY), \a3, \b3, \a0, \b0, 23
	unmix		(\round * ROUND_KEY + 8), \a0, \b0, \a1, \b1, 5
	unmix		(\round * ROUND_KEY + 16), \a1, \b1, \a2, \b2, 3
.endm

.macro transpose_all
	transpose	A0, A1, A2, A3
	transpose	B0, B1, B2, B3
.endm

.macro load from
	vmovdqu		0*32(\from), A0
	vmovdqu		1*32(\from), A1
	vmovdqu		2*32(\from), A2
	vmovdqu		3*32(\from), A3
	vmovdqu		4*32(\from), B0
	vmovdqu		5*32(\from), B1
	vmovdqu		6*32(\from), B2
	vmovdqu		7*32(\from), B3
.endm

.macro xor_all with
	vpxor		0*32(\with), A0, A0
	vpxor		1*32(\with), A1, A1
	vpxor		2*32(\with), A2, A2
	vpxor		3*32(\with), A3, A3
	vpxor		4*32(\with), B0, B0
	vpxor		5*32(\with), B1, B1
	vpxor		6*32(\with), B2, B2
	vpxor		7*32(\with), B3, B3
.endm

.macro store
	vmovdqu		A0, 0*32(DST)
	vmovdqu		A1, 1*32(DST)
	vmovdqu		A2, 2*32(DST)
	vmovdqu		A3, 3*32(DST)
	vmovdqu		B0, 4*32(DST)
	vmovdqu		B1, 5*32(DST)
	vmovdqu		B2, 6*32(DST)
	vmovdqu		B3, 7*32(DST)
.endm

.text

/* Sixteen blocks in A0..B3, in place. Clobbers %ymm8 to 11, ROUNDS and RK. */
SYM_FUNC_START_LOCAL(lea_avx2_encrypt_registers)
	transpose_all
	mov		CTX_ROUNDS(CTX), ROUNDS
	mov		CTX, RK
.Lencrypt_rounds:
	encrypt_round	0, A0, A1, A2, A3, B0, B1, B2, B3
	encrypt_round	1, A1, A2, A3, A0, B1, B2, B3, B0
	encrypt_round	2, A2, A3, A0, A1, B2, B3, B0, B1
	encrypt_round	3, A3, A0, A1, A2, B3, B0, B1, B2
	add		$(4 * ROUND_KEY), RK
	sub		$4, ROUNDS
	jnz		.Lencrypt_rounds
	transpose_all
	RET
SYM_FUNC_END(lea_avx2_encrypt_registers)

SYM_FUNC_START_LOCAL(lea_avx2_decrypt_registers)
	transpose_all
	mov		CTX_ROUNDS(CTX), ROUNDS
	imul		$ROUND_KEY, ROUNDS, %r8d
	lea		(-4 * ROUND_KEY)(CTX, RK), RK
.Ldecrypt_rounds:
	decrypt_round	3, A0, A1, A2, A3, B0, B1, B2, B3
	decrypt_round	2, A3, A0, A1, A2, B3, B0, B1, B2
	decrypt_round	1, A2, A3, A0, A1, B2, B3, B0, B1
	decrypt_round	0, A1, A2, A3, A0, B1, B2, B3, B0
	sub		$(4 * ROUND_KEY), RK
	sub		$4, ROUNDS
	jnz		.Ldecrypt_rounds
	transpose_all
	RET
SYM_FUNC_END(lea_avx2_decrypt_registers)

/* void lea_avx2_ecb_enc_16way(const struct lea_ctx *, u8 *dst, const u8 *src) */
SYM_FUNC_START(lea_avx2_ecb_enc_16way)
	FRAME_BEGIN
	load		SRC
	call		lea_avx2_encrypt_registers
	store
	vzeroupper
	FRAME_END
	RET
SYM_FUNC_END(lea_avx2_ecb_enc_16way)

/* void lea_avx2_ecb_dec_16way(const struct lea_ctx *, u8 *dst, const u8 *src) */
SYM_FUNC_START(lea_avx2_ecb_dec_16way)
	FRAME_BEGIN
	load		SRC
	call		lea_avx2_decrypt_registers
	store
	vzeroupper
	FRAME_END
	RET
SYM_FUNC_END(lea_avx2_ecb_dec_16way)

/*
 * void lea_avx2_cbc_dec_16way(const struct lea_ctx *, u8 *dst, const u8 *src,
 *			       const u8 *iv)
 *
 * All of src is read before anything is stored: dst may be src.
 */
SYM_FUNC_START(lea_avx2_cbc_dec_16way)
	FRAME_BEGIN
	load		SRC
	call		lea_avx2_decrypt_registers
	vmovdqu		(AUX), %xmm8
	vinserti128	$1, (SRC), %ymm8, %ymm8
	vpxor		%ymm8, A0, A0
	vpxor		(1*32 - 16)(SRC), A1, A1
	vpxor		(2*32 - 16)(SRC), A2, A2
	vpxor		(3*32 - 16)(SRC), A3, A3
	vpxor		(4*32 - 16)(SRC), B0, B0
	vpxor		(5*32 - 16)(SRC), B1, B1
	vpxor		(6*32 - 16)(SRC), B2, B2
	vpxor		(7*32 - 16)(SRC), B3, B3
	store
	vzeroupper
	FRAME_END
	RET
SYM_FUNC_END(lea_avx2_cbc_dec_16way)

/*
 * void lea_avx2_ctr_16way(const struct lea_ctx *, u8 *dst, const u8 *src,
 *			   const u8 *counters)
 *
 * dst = src ^ encrypt(counters), sixteen counter blocks.
 */
SYM_FUNC_START(lea_avx2_ctr_16way)
	FRAME_BEGIN
	load		AUX
	call		lea_avx2_encrypt_registers
	xor_all		SRC
	store
	vzeroupper
	FRAME_END
	RET
SYM_FUNC_END(lea_avx2_ctr_16way)

/*
 * void lea_avx2_xts_enc_16way(const struct lea_ctx *, u8 *dst, const u8 *src,
 *			       const u8 *tweaks)
 *
 * dst = encrypt(src ^ tweaks) ^ tweaks, sixteen encrypted tweaks.
 */
SYM_FUNC_START(lea_avx2_xts_enc_16way)
	FRAME_BEGIN
	load		SRC
	xor_all		AUX
	call		lea_avx2_encrypt_registers
	xor_all		AUX
	store
	vzeroupper
	FRAME_END
	RET
SYM_FUNC_END(lea_avx2_xts_enc_16way)

/*
 * void lea_avx2_xts_dec_16way(const struct lea_ctx *, u8 *dst, const u8 *src,
 *			       const u8 *tweaks)
 */
SYM_FUNC_START(lea_avx2_xts_dec_16way)
	FRAME_BEGIN
	load		SRC
	xor_all		AUX
	call		lea_avx2_decrypt_registers
	xor_all		AUX
	store
	vzeroupper
	FRAME_END
	RET
SYM_FUNC_END(lea_avx2_xts_dec_16way)
