/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests to the crypto API over memory that is scattered at random. */

#ifndef LEA_TEST_REQUESTS_H
#define LEA_TEST_REQUESTS_H

#include <crypto/aead.h>
#include <crypto/skcipher.h>
#include <linux/scatterlist.h>
#include <linux/types.h>

/* Entries of a scatterlist, and bytes before each that must stay as they are. */
#define SCATTER_PARTS	8
#define SCATTER_GUARD	32

u32 test_below(u32 limit);

/**
 * struct scattered - text in pieces of odd lengths at odd addresses
 * @list: the pieces
 * @memory: one allocation for each piece, of its guard and its length
 * @parts: how many there are
 */
struct scattered {
	struct scatterlist list[SCATTER_PARTS];
	u8 *memory[SCATTER_PARTS];
	unsigned int parts;
};

int scatter(struct scattered *s, const u8 *text, unsigned int len);
bool gather(struct scattered *s, u8 *text);
void scatter_free(struct scattered *s);

/**
 * struct test_request - what is asked of an algorithm
 * @key: the key
 * @keylen: its length in bytes
 * @iv: an initialisation vector of 16 bytes, or of 12 for an AEAD
 * @iv_out: takes the 16 bytes that a cipher hands back, unless it is NULL
 * @text: takes the result in place: @assoclen bytes that stay, then the text,
 *	then an AEAD's tag
 * @len: bytes of text, without @assoclen and tag
 * @assoclen: bytes that an AEAD authenticates only
 * @encrypt: the direction
 * @busy: ask while the vector registers are taken by somebody else
 */
struct test_request {
	const u8 *key;
	unsigned int keylen;
	const u8 *iv;
	u8 *iv_out;
	u8 *text;
	unsigned int len;
	unsigned int assoclen;
	bool encrypt;
	bool busy;
};

int request_skcipher(struct crypto_skcipher *tfm, const struct test_request *r);
int request_aead(struct crypto_aead *tfm, const struct test_request *r);

#endif /* LEA_TEST_REQUESTS_H */
