/* SPDX-License-Identifier: GPL-2.0-only */
/* What a known answer is, as crypto/testmgr.h has it. */

#ifndef LEA_TESTVEC_H
#define LEA_TESTVEC_H

#include <linux/types.h>

/**
 * struct cipher_testvec - a known answer
 * @key: the key
 * @iv: the initialisation vector, 16 bytes, or NULL
 * @ptext: the plaintext
 * @ctext: the ciphertext
 * @klen: bytes of key
 * @len: bytes of text
 */
struct cipher_testvec {
	const char *key;
	const char *iv;
	const char *ptext;
	const char *ctext;
	unsigned short klen;
	unsigned int len;
};

/**
 * struct aead_testvec - a known answer with a tag
 * @key: the key
 * @iv: the initialisation vector, 12 bytes
 * @assoc: what is authenticated only
 * @ptext: the plaintext
 * @ctext: the ciphertext and the tag
 * @klen: bytes of key
 * @alen: bytes of @assoc
 * @plen: bytes of plaintext
 * @clen: bytes of ciphertext and tag
 */
struct aead_testvec {
	const char *key;
	const char *iv;
	const char *assoc;
	const char *ptext;
	const char *ctext;
	unsigned char klen;
	unsigned int alen;
	unsigned int plen;
	unsigned int clen;
};

#endif
