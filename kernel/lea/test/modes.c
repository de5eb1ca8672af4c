// SPDX-License-Identifier: GPL-2.0-only
/*
 * The modes as their specifications write them: slow, on flat memory, one
 * block at a time, so that they have nothing in common with what is tested but
 * the block cipher, which the standard's answers have judged.
 */

#include <crypto/algapi.h>
#include <crypto/lea.h>
#include <linux/string.h>
#include <linux/types.h>
#include "modes.h"

/* NIST SP 800-38A, 6.1 */
int lea_mode_ecb_encrypt(const u8 *key, unsigned int keylen, const u8 *iv,
			 u8 *text, unsigned int len)
{
	struct lea_ctx ctx;
	int err = lea_set_key(&ctx, key, keylen);

	for (; !err && len; text += LEA_BLOCK_SIZE, len -= LEA_BLOCK_SIZE)
		lea_encrypt(&ctx, text, text);
	return err;
}

/* NIST SP 800-38A, 6.2 */
int lea_mode_cbc_encrypt(const u8 *key, unsigned int keylen, const u8 *iv,
			 u8 *text, unsigned int len)
{
	struct lea_ctx ctx;
	int err = lea_set_key(&ctx, key, keylen);

	for (; !err && len; text += LEA_BLOCK_SIZE, len -= LEA_BLOCK_SIZE) {
		crypto_xor(text, iv, LEA_BLOCK_SIZE);
		lea_encrypt(&ctx, text, text);
		iv = text;
	}
	return err;
}

/* The last @bytes of a block, as a number that begins with its high byte. */
static void increment(u8 *counter, unsigned int bytes)
{
	u8 *digit = counter + LEA_BLOCK_SIZE;

	while (bytes-- && !++*--digit)
		;
}

static void xor_counters(const struct lea_ctx *ctx, const u8 *iv,
			 unsigned int bytes, u8 *text, unsigned int len)
{
	u8 counter[LEA_BLOCK_SIZE], mask[LEA_BLOCK_SIZE];
	unsigned int i;

	memcpy(counter, iv, LEA_BLOCK_SIZE);
	for (i = 0; i < len; i++) {
		if (i % LEA_BLOCK_SIZE == 0) {
			lea_encrypt(ctx, mask, counter);
			increment(counter, bytes);
		}
		text[i] ^= mask[i % LEA_BLOCK_SIZE];
	}
}

/* NIST SP 800-38A, 6.5; the counter is the whole block. */
int lea_mode_ctr_encrypt(const u8 *key, unsigned int keylen, const u8 *iv,
			 u8 *text, unsigned int len)
{
	struct lea_ctx ctx;
	int err = lea_set_key(&ctx, key, keylen);

	if (!err)
		xor_counters(&ctx, iv, LEA_BLOCK_SIZE, text, len);
	return err;
}

/* IEEE 1619-2018, 5.2: by x, the first byte holds the lowest powers. */
static void double_tweak(u8 *tweak)
{
	u8 carry = tweak[15] >> 7;
	int i;

	for (i = 15; i > 0; i--)
		tweak[i] = tweak[i] << 1 | tweak[i - 1] >> 7;
	tweak[0] = tweak[0] << 1 ^ carry * 0x87;
}

/* IEEE 1619-2018, 5.3.2 */
int lea_mode_xts_encrypt(const u8 *key, unsigned int keylen, const u8 *iv,
			 u8 *text, unsigned int len)
{
	u8 tweak[LEA_BLOCK_SIZE];
	struct lea_ctx ctx;
	unsigned int i;
	int err;

	err = lea_set_key(&ctx, key + keylen / 2, keylen / 2);
	if (err)
		return err;
	lea_encrypt(&ctx, tweak, iv);
	err = lea_set_key(&ctx, key, keylen / 2);
	while (!err && len) {
		unsigned int block = min_t(unsigned int, len, LEA_BLOCK_SIZE);

		if (block < LEA_BLOCK_SIZE) {
			/* Steal: what is left goes where the block before was. */
			for (i = 0; i < block; i++)
				swap(text[i], text[(int)i - LEA_BLOCK_SIZE]);
			text -= LEA_BLOCK_SIZE;
		}
		crypto_xor(text, tweak, LEA_BLOCK_SIZE);
		lea_encrypt(&ctx, text, text);
		crypto_xor(text, tweak, LEA_BLOCK_SIZE);
		double_tweak(tweak);
		text += LEA_BLOCK_SIZE;
		len -= block;
	}
	return err;
}

/* NIST SP 800-38D, 6.3: y * h, bit by bit; the first bit is the lowest power. */
static void multiply(u8 *y, const u8 *h)
{
	u8 product[LEA_BLOCK_SIZE] = {}, v[LEA_BLOCK_SIZE];
	int i, j;

	memcpy(v, h, sizeof(v));
	for (i = 0; i < 128; i++) {
		u8 lost = v[15] & 1;

		if (y[i / 8] >> (7 - i % 8) & 1)
			crypto_xor(product, v, LEA_BLOCK_SIZE);
		for (j = 15; j > 0; j--)
			v[j] = v[j] >> 1 | v[j - 1] << 7;
		v[0] = v[0] >> 1 ^ lost * 0xe1;
	}
	memcpy(y, product, LEA_BLOCK_SIZE);
}

/* NIST SP 800-38D, 6.4: the last block is filled up with zeroes. */
static void ghash(u8 *y, const u8 *h, const u8 *data, unsigned int len)
{
	while (len) {
		unsigned int n = min_t(unsigned int, len, LEA_BLOCK_SIZE);

		crypto_xor(y, data, n);
		multiply(y, h);
		data += n;
		len -= n;
	}
}

/* NIST SP 800-38D, 7.1, with an initialisation vector of 96 bits. */
int lea_mode_gcm_encrypt(const u8 *key, unsigned int keylen, const u8 *iv,
			 const u8 *assoc, unsigned int assoclen, u8 *text,
			 unsigned int len, u8 tag[GCM_TAG_SIZE])
{
	__be64 bits[2] = { cpu_to_be64(8ULL * assoclen), cpu_to_be64(8ULL * len) };
	u8 h[LEA_BLOCK_SIZE] = {}, counter[LEA_BLOCK_SIZE] = {};
	struct lea_ctx ctx;
	int err = lea_set_key(&ctx, key, keylen);

	if (err)
		return err;
	lea_encrypt(&ctx, h, h);
	memcpy(counter, iv, GCM_IV_SIZE);
	counter[15] = 2;
	xor_counters(&ctx, counter, 4, text, len);

	memset(tag, 0, GCM_TAG_SIZE);
	ghash(tag, h, assoc, assoclen);
	ghash(tag, h, text, len);
	ghash(tag, h, (const u8 *)bits, sizeof(bits));
	counter[15] = 1;
	xor_counters(&ctx, counter, 4, tag, GCM_TAG_SIZE);
	return 0;
}
