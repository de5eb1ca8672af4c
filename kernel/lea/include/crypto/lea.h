/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * LEA, a 128-bit block cipher for 32-bit processors.
 *
 * KS X 3246; ISO/IEC 29192-2:2019.
 */

#ifndef _CRYPTO_LEA_H
#define _CRYPTO_LEA_H

#include <linux/types.h>

#define LEA_BLOCK_SIZE		16
#define LEA_MIN_KEY_SIZE	16
#define LEA_MAX_KEY_SIZE	32
#define LEA_MAX_ROUNDS		32
#define LEA_ROUND_KEY_WORDS	6

/**
 * struct lea_ctx - an expanded LEA key
 * @rk: the round keys in the order of encryption, six words each; the assembly
 *	code relies on it that they come first
 * @rounds: 24, 28 or 32 for keys of 128, 192 or 256 bits
 */
struct lea_ctx {
	u32 rk[LEA_MAX_ROUNDS][LEA_ROUND_KEY_WORDS];
	u32 rounds;
};

int lea_set_key(struct lea_ctx *ctx, const u8 *key, unsigned int keylen);
void lea_encrypt(const struct lea_ctx *ctx, u8 *dst, const u8 *src);
void lea_decrypt(const struct lea_ctx *ctx, u8 *dst, const u8 *src);

#endif /* _CRYPTO_LEA_H */
