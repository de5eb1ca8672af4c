// SPDX-License-Identifier: GPL-2.0-only
/*
 * LEA, a 128-bit block cipher for 32-bit processors.
 *
 * KS X 3246; ISO/IEC 29192-2:2019. Section numbers are those of
 * D. Hong et al., "LEA: A 128-Bit Block Cipher for Fast Encryption on Common
 * Processors", WISA 2013.
 *
 * Additions, rotations and XOR only: neither a branch nor an address depends
 * on key or data.
 */

#include <crypto/algapi.h>
#include <crypto/lea.h>
#include <linux/bitops.h>
#include <linux/crypto.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/string.h>
#ifdef LEA_OUT_OF_TREE
#include "known_answers.h"
#endif

/* Section 3.1: the key schedule's constants. */
static const u32 lea_delta[8] = {
	0xc3efe9db, 0x44626b02, 0x79e27c8a, 0x78df30ec,
	0x715ea49e, 0xc785da0a, 0xe04ef22a, 0xe5c40957,
};

/* Section 3.1: by how much each word of the schedule's state is rotated. */
static const u8 lea_rotation[LEA_ROUND_KEY_WORDS] = { 1, 3, 6, 11, 13, 17 };

/* Which of the four words of a 128-bit key makes which word of a round key. */
static const u8 lea_128_word[LEA_ROUND_KEY_WORDS] = { 0, 1, 2, 1, 3, 1 };

static void lea_load(u32 words[4], const u8 *src)
{
	__le32 le[4];
	int i;

	memcpy(le, src, sizeof(le));
	for (i = 0; i < 4; i++)
		words[i] = le32_to_cpu(le[i]);
}

static void lea_store(u8 *dst, const u32 words[4])
{
	__le32 le[4];
	int i;

	for (i = 0; i < 4; i++)
		le[i] = cpu_to_le32(words[i]);
	memcpy(dst, le, sizeof(le));
}

/**
 * lea_set_key() - expand a key
 * @ctx: takes the round keys
 * @key: the key, at any alignment
 * @keylen: its length in bytes: 16, 24 or 32
 *
 * Return: 0, or -EINVAL for another length.
 */
int lea_set_key(struct lea_ctx *ctx, const u8 *key, unsigned int keylen)
{
	/* 128-bit keys have four words of state, 192-bit six, 256-bit eight. */
	const unsigned int words = keylen / 4;
	/* 256-bit keys use six words of eight a round; the others use all. */
	const unsigned int step = min_t(unsigned int, words, 6);
	u32 t[8];
	unsigned int i, j;

	if (keylen != 16 && keylen != 24 && keylen != 32)
		return -EINVAL;

	lea_load(t, key);
	if (words == 6)
		lea_load(t + 2, key + 8);
	else if (words == 8)
		lea_load(t + 4, key + 16);

	ctx->rounds = 16 + 2 * words;
	for (i = 0; i < ctx->rounds; i++) {
		u32 delta = lea_delta[i % words];

		for (j = 0; j < step; j++) {
			u32 *word = &t[(step * i + j) % words];

			*word = rol32(*word + rol32(delta, (i + j) % 32),
				      lea_rotation[j]);
			if (words != 4)
				ctx->rk[i][j] = *word;
		}
		for (j = 0; words == 4 && j < LEA_ROUND_KEY_WORDS; j++)
			ctx->rk[i][j] = t[lea_128_word[j]];
	}
	memzero_explicit(t, sizeof(t));
	return 0;
}
EXPORT_SYMBOL_GPL(lea_set_key);

/**
 * lea_encrypt() - encrypt a block, section 3.2
 * @ctx: the expanded key
 * @dst: takes 16 bytes, at any alignment
 * @src: 16 bytes, at any alignment; may be @dst
 */
void lea_encrypt(const struct lea_ctx *ctx, u8 *dst, const u8 *src)
{
	u32 x[4];
	unsigned int i;

	lea_load(x, src);
	for (i = 0; i < ctx->rounds; i++) {
		const u32 *rk = ctx->rk[i];
		u32 first = x[0];

		x[0] = rol32((x[0] ^ rk[0]) + (x[1] ^ rk[1]), 9);
		x[1] = ror32((x[1] ^ rk[2]) + (x[2] ^ rk[3]), 5);
		x[2] = ror32((x[2] ^ rk[4]) + (x[3] ^ rk[5]), 3);
		x[3] = first;
	}
	lea_store(dst, x);
}
EXPORT_SYMBOL_GPL(lea_encrypt);

/**
 * lea_decrypt() - decrypt a block, section 3.3
 * @ctx: the expanded key
 * @dst: takes 16 bytes, at any alignment
 * @src: 16 bytes, at any alignment; may be @dst
 */
void lea_decrypt(const struct lea_ctx *ctx, u8 *dst, const u8 *src)
{
	u32 x[4];
	unsigned int i;

	lea_load(x, src);
	for (i = ctx->rounds; i-- > 0;) {
		const u32 *rk = ctx->rk[i];
		u32 first = x[3];
		u32 second = (ror32(x[0], 9) - (first ^ rk[0])) ^ rk[1];
		u32 third = (rol32(x[1], 5) - (second ^ rk[2])) ^ rk[3];

		x[3] = (rol32(x[2], 3) - (third ^ rk[4])) ^ rk[5];
		x[2] = third;
		x[1] = second;
		x[0] = first;
	}
	lea_store(dst, x);
}
EXPORT_SYMBOL_GPL(lea_decrypt);

static int lea_cipher_set_key(struct crypto_tfm *tfm, const u8 *key,
			      unsigned int keylen)
{
	return lea_set_key(crypto_tfm_ctx(tfm), key, keylen);
}

static void lea_cipher_encrypt(struct crypto_tfm *tfm, u8 *dst, const u8 *src)
{
	lea_encrypt(crypto_tfm_ctx(tfm), dst, src);
}

static void lea_cipher_decrypt(struct crypto_tfm *tfm, u8 *dst, const u8 *src)
{
	lea_decrypt(crypto_tfm_ctx(tfm), dst, src);
}

static struct crypto_alg lea_alg = {
	.cra_name		= "lea",
	.cra_driver_name	= "lea-generic",
	.cra_priority		= 100,
	.cra_flags		= CRYPTO_ALG_TYPE_CIPHER,
	.cra_blocksize		= LEA_BLOCK_SIZE,
	.cra_ctxsize		= sizeof(struct lea_ctx),
	.cra_module		= THIS_MODULE,
	.cra_u			= {
		.cipher = {
			.cia_min_keysize	= LEA_MIN_KEY_SIZE,
			.cia_max_keysize	= LEA_MAX_KEY_SIZE,
			.cia_setkey		= lea_cipher_set_key,
			.cia_encrypt		= lea_cipher_encrypt,
			.cia_decrypt		= lea_cipher_decrypt,
		},
	},
};

static int __init lea_init(void)
{
#ifdef LEA_OUT_OF_TREE
	int err = lea_known_answers(lea_encrypt, lea_decrypt, 1);

	if (err)
		return err;
#endif
	return crypto_register_alg(&lea_alg);
}

static void __exit lea_exit(void)
{
	crypto_unregister_alg(&lea_alg);
}

module_init(lea_init);
module_exit(lea_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("LEA block cipher (KS X 3246, ISO/IEC 29192-2), generic");
MODULE_ALIAS_CRYPTO("lea");
MODULE_ALIAS_CRYPTO("lea-generic");
