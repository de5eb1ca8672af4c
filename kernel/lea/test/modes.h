/* SPDX-License-Identifier: GPL-2.0-only */
/* The modes as their specifications write them, block by block. */

#ifndef LEA_TEST_MODES_H
#define LEA_TEST_MODES_H

#include <linux/types.h>

#define GCM_IV_SIZE	12
#define GCM_TAG_SIZE	16

/**
 * lea_mode_fn - one direction of a mode, in place
 * @key: the key; for XTS, both
 * @keylen: its length in bytes
 * @iv: the initialisation vector; not changed
 * @text: takes the result
 * @len: bytes in @text
 */
typedef int (*lea_mode_fn)(const u8 *key, unsigned int keylen, const u8 *iv,
			   u8 *text, unsigned int len);

int lea_mode_ecb_encrypt(const u8 *key, unsigned int keylen, const u8 *iv,
			 u8 *text, unsigned int len);
int lea_mode_cbc_encrypt(const u8 *key, unsigned int keylen, const u8 *iv,
			 u8 *text, unsigned int len);
int lea_mode_ctr_encrypt(const u8 *key, unsigned int keylen, const u8 *iv,
			 u8 *text, unsigned int len);
int lea_mode_xts_encrypt(const u8 *key, unsigned int keylen, const u8 *iv,
			 u8 *text, unsigned int len);
int lea_mode_gcm_encrypt(const u8 *key, unsigned int keylen, const u8 *iv,
			 const u8 *assoc, unsigned int assoclen, u8 *text,
			 unsigned int len, u8 tag[GCM_TAG_SIZE]);

#endif /* LEA_TEST_MODES_H */
