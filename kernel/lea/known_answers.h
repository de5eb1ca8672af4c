/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The standard's answers, before anything is registered: out of the tree,
 * testmgr has none for LEA and passes what it does not know.
 */

#ifndef LEA_KNOWN_ANSWERS_H
#define LEA_KNOWN_ANSWERS_H

#include <crypto/lea.h>
#include <linux/errno.h>
#include <linux/printk.h>
#include <linux/string.h>

/* The longest run of blocks that an implementation takes at once. */
#define LEA_KNOWN_WAYS	16

/* KS X 3246 and ISO/IEC 29192-2:2019: one key, of which each length is a part. */
static const u8 lea_known_key[LEA_MAX_KEY_SIZE] = {
	0x0f, 0x1e, 0x2d, 0x3c, 0x4b, 0x5a, 0x69, 0x78,
	0x87, 0x96, 0xa5, 0xb4, 0xc3, 0xd2, 0xe1, 0xf0,
	0xf0, 0xe1, 0xd2, 0xc3, 0xb4, 0xa5, 0x96, 0x87,
	0x78, 0x69, 0x5a, 0x4b, 0x3c, 0x2d, 0x1e, 0x0f,
};

/* The same: plaintexts count up from 0x10, 0x20 and 0x30. */
static const u8 lea_known_ciphertext[3][LEA_BLOCK_SIZE] = {
	{ 0x9f, 0xc8, 0x4e, 0x35, 0x28, 0xc6, 0xc6, 0x18,
	  0x55, 0x32, 0xc7, 0xa7, 0x04, 0x64, 0x8b, 0xfd },
	{ 0x6f, 0xb9, 0x5e, 0x32, 0x5a, 0xad, 0x1b, 0x87,
	  0x8c, 0xdc, 0xf5, 0x35, 0x76, 0x74, 0xc6, 0xf2 },
	{ 0xd6, 0x51, 0xaf, 0xf6, 0x47, 0xb1, 0x89, 0xc1,
	  0x3a, 0x89, 0x00, 0xca, 0x27, 0xf9, 0xe1, 0x97 },
};

/**
 * lea_known_answers() - compare an implementation with the standard
 * @encrypt: encrypts @blocks blocks at once
 * @decrypt: decrypts as many
 * @blocks: how many, at most LEA_KNOWN_WAYS
 *
 * Return: 0, or -EBADMSG for a wrong answer.
 */
static inline int
lea_known_answers(void (*encrypt)(const struct lea_ctx *, u8 *, const u8 *),
		  void (*decrypt)(const struct lea_ctx *, u8 *, const u8 *),
		  unsigned int blocks)
{
	static struct lea_ctx ctx;
	static u8 text[LEA_KNOWN_WAYS * LEA_BLOCK_SIZE];
	unsigned int length, i;
	int err = 0;

	for (length = 0; length < 3 && !err; length++) {
		const u8 *ciphertext = lea_known_ciphertext[length];

		err = lea_set_key(&ctx, lea_known_key, 16 + 8 * length);
		for (i = 0; i < blocks * LEA_BLOCK_SIZE; i++)
			text[i] = 0x10 * (length + 1) + i % LEA_BLOCK_SIZE;
		encrypt(&ctx, text, text);
		for (i = 0; i < blocks * LEA_BLOCK_SIZE; i++)
			if (text[i] != ciphertext[i % LEA_BLOCK_SIZE])
				err = -EBADMSG;
		decrypt(&ctx, text, text);
		for (i = 0; i < blocks * LEA_BLOCK_SIZE; i++)
			if (text[i] !=
			    0x10 * (length + 1) + i % LEA_BLOCK_SIZE)
				err = -EBADMSG;
	}
	if (err)
		pr_err("lea: the standard's answers do not come out: %d\n", err);
	return err;
}

#endif /* LEA_KNOWN_ANSWERS_H */
