// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests LEA through the crypto API when it is loaded: the official answers,
 * then random requests against the modes as their specifications write them.
 * Both the fastest implementation and the templates over the generic cipher
 * are asked. What is wrong is logged, and loading fails.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <crypto/lea.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "lea-vectors.h"
#include "modes.h"
#include "requests.h"

/* More than a page, so that a walk goes over pages' ends. */
#define MAX_TEXT	6000
#define MAX_ASSOC	64

static unsigned int requests = 100;
module_param(requests, uint, 0444);
MODULE_PARM_DESC(requests, "random texts per algorithm and key length");

/**
 * struct mode_test - a length-preserving mode
 * @names: the fastest implementation, and the template over generic code
 * @encrypt: the mode as its specification writes it
 * @vectors: known answers
 * @count: how many
 * @keys: keys in a key: XTS has two
 * @min: least number of bytes in a text
 * @unit: what a text's length is a multiple of
 * @chains: whether a text goes on with the IV that is handed back
 */
struct mode_test {
	const char *names[2];
	lea_mode_fn encrypt;
	const struct cipher_testvec *vectors;
	unsigned int count;
	unsigned int keys;
	unsigned int min;
	unsigned int unit;
	bool chains;
};

static const struct mode_test mode_tests[] = {
	{
		.names = { "ecb(lea)", "ecb(lea-generic)" },
		.encrypt = lea_mode_ecb_encrypt,
		.vectors = lea_tv_template,
		.count = ARRAY_SIZE(lea_tv_template),
		.keys = 1, .min = 16, .unit = 16,
	}, {
		.names = { "cbc(lea)", "cbc(lea-generic)" },
		.encrypt = lea_mode_cbc_encrypt,
		.vectors = lea_cbc_tv_template,
		.count = ARRAY_SIZE(lea_cbc_tv_template),
		.keys = 1, .min = 16, .unit = 16, .chains = true,
	}, {
		.names = { "ctr(lea)", "ctr(lea-generic)" },
		.encrypt = lea_mode_ctr_encrypt,
		.vectors = lea_ctr_tv_template,
		.count = ARRAY_SIZE(lea_ctr_tv_template),
		.keys = 1, .min = 1, .unit = 1, .chains = true,
	}, {
		.names = { "xts(lea)", "xts(ecb(lea-generic))" },
		.encrypt = lea_mode_xts_encrypt,
		.vectors = lea_xts_tv_template,
		.count = ARRAY_SIZE(lea_xts_tv_template),
		.keys = 2, .min = 16, .unit = 1,
	},
};

/* One allocation for all of a test's texts and keys. */
struct buffers {
	u8 key[2 * LEA_MAX_KEY_SIZE];
	u8 iv[LEA_BLOCK_SIZE];
	u8 plain[MAX_ASSOC + MAX_TEXT + GCM_TAG_SIZE];
	u8 cipher[MAX_ASSOC + MAX_TEXT + GCM_TAG_SIZE];
	u8 text[MAX_ASSOC + MAX_TEXT + GCM_TAG_SIZE];
};

static unsigned int answers, agreements;

static int complain(const char *what, const struct test_request *r, int err)
{
	pr_err("%s: %s, key of %u bytes, text of %u: %s %d\n", what,
	       r->encrypt ? "encryption" : "decryption", r->keylen, r->len,
	       err ? "error" : "another result,", err);
	return err ?: -EBADMSG;
}

/* Both directions of a text whose ciphertext is known. */
static int compare(struct crypto_skcipher *tfm, const char *name,
		   struct buffers *b, struct test_request *r)
{
	int err;

	r->text = b->text;
	r->encrypt = true;
	memcpy(b->text, b->plain, r->len);
	err = request_skcipher(tfm, r);
	if (err || memcmp(b->text, b->cipher, r->len))
		return complain(name, r, err);
	r->encrypt = false;
	err = request_skcipher(tfm, r);
	if (err || memcmp(b->text, b->plain, r->len))
		return complain(name, r, err);
	return 0;
}

/* A text in two requests, the second with the IV that the first hands back. */
static int compare_chained(struct crypto_skcipher *tfm, const char *name,
			   struct buffers *b, const struct test_request *r)
{
	unsigned int cut = round_down(test_below(r->len), LEA_BLOCK_SIZE);
	u8 iv[LEA_BLOCK_SIZE];
	unsigned int i;

	if (!cut)
		return 0;
	for (i = 0; i < 2; i++) {
		const u8 *from = i ? b->cipher : b->plain;
		const u8 *to = i ? b->plain : b->cipher;
		struct test_request first = *r, second;
		int err;

		memcpy(b->text, from, r->len);
		first.encrypt = !i;
		first.text = b->text;
		first.len = cut;
		first.iv_out = iv;
		second = first;
		second.iv = iv;
		second.text = b->text + cut;
		second.len = r->len - cut;
		err = request_skcipher(tfm, &first) ?:
		      request_skcipher(tfm, &second);
		if (err || memcmp(b->text, to, r->len))
			return complain(name, &second, err);
	}
	return 0;
}

static int test_vectors(const struct mode_test *test, const char *name,
			struct crypto_skcipher *tfm, struct buffers *b)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < test->count && !err; i++) {
		const struct cipher_testvec *v = &test->vectors[i];
		struct test_request r = {
			.key = v->key, .keylen = v->klen,
			.iv = b->iv, .len = v->len,
		};

		memset(b->iv, 0, sizeof(b->iv));
		if (v->iv)
			memcpy(b->iv, v->iv, sizeof(b->iv));
		memcpy(b->plain, v->ptext, v->len);
		memcpy(b->cipher, v->ctext, v->len);
		err = compare(tfm, name, b, &r);
		answers += !err;
	}
	return err;
}

/* Counters wrap at each of their bytes once in a while. */
static void random_iv(u8 *iv)
{
	unsigned int wrapping = test_below(2) ? test_below(LEA_BLOCK_SIZE + 1) : 0;

	get_random_bytes(iv, LEA_BLOCK_SIZE);
	memset(iv + LEA_BLOCK_SIZE - wrapping, 0xff, wrapping);
	if (wrapping)
		iv[LEA_BLOCK_SIZE - 1] -= test_below(40);
}

static unsigned int random_length(unsigned int min, unsigned int unit)
{
	unsigned int len = min + test_below(test_below(2) ? 600 - min :
							    MAX_TEXT + 1 - min);

	return len - len % unit;
}

static int test_random(const struct mode_test *test, const char *name,
		       struct crypto_skcipher *tfm, unsigned int keylen,
		       struct buffers *b)
{
	struct test_request r = { .key = b->key, .keylen = keylen, .iv = b->iv };
	unsigned int i;
	int err = 0;

	for (i = 0; i < requests && !err; i++) {
		r.len = random_length(test->min, test->unit);
		r.busy = !test_below(8);
		get_random_bytes(b->key, keylen);
		get_random_bytes(b->plain, r.len);
		random_iv(b->iv);
		memcpy(b->cipher, b->plain, r.len);
		err = test->encrypt(b->key, keylen, b->iv, b->cipher, r.len) ?:
		      compare(tfm, name, b, &r);
		if (!err && test->chains)
			err = compare_chained(tfm, name, b, &r);
		agreements += !err;
		cond_resched();
	}
	return err;
}

/* Lengths that LEA has not. */
static int test_refusals(const struct mode_test *test, const char *name,
			 struct crypto_skcipher *tfm, struct buffers *b)
{
	unsigned int len;

	get_random_bytes(b->key, sizeof(b->key));
	for (len = 1; len <= sizeof(b->key); len++) {
		unsigned int one = len / test->keys;
		bool right = len % test->keys == 0 &&
			     (one == 16 || one == 24 || one == 32);

		if (!crypto_skcipher_setkey(tfm, b->key, len) != right) {
			pr_err("%s: a key of %u bytes is %s\n", name, len,
			       right ? "refused" : "taken");
			return -EBADMSG;
		}
	}
	return 0;
}

static int test_mode(const struct mode_test *test, const char *name,
		     struct buffers *b)
{
	struct crypto_skcipher *tfm = crypto_alloc_skcipher(name, 0, 0);
	unsigned int keylen;
	int err;

	if (IS_ERR(tfm)) {
		pr_err("%s: cannot be had: %ld\n", name, PTR_ERR(tfm));
		return PTR_ERR(tfm);
	}
	err = test_vectors(test, name, tfm, b) ?:
	      test_refusals(test, name, tfm, b);
	for (keylen = LEA_MIN_KEY_SIZE; keylen <= LEA_MAX_KEY_SIZE && !err;
	     keylen += 8)
		err = test_random(test, name, tfm, test->keys * keylen, b);
	if (!err)
		pr_info("%s: %s agrees\n", name,
			crypto_skcipher_driver_name(tfm));
	crypto_free_skcipher(tfm);
	return err;
}

static int test_gcm_vector(struct crypto_aead *tfm,
			   const struct aead_testvec *v, struct buffers *b)
{
	struct test_request r = {
		.key = v->key, .keylen = v->klen, .iv = v->iv, .text = b->text,
		.len = v->plen, .assoclen = v->alen, .encrypt = true,
	};
	u8 *text = b->text + v->alen;
	int err;

	memcpy(b->text, v->assoc, v->alen);
	memset(text, 0, v->clen);
	memcpy(text, v->ptext, v->plen);
	err = request_aead(tfm, &r);
	if (err || memcmp(text, v->ctext, v->clen))
		return complain("gcm(lea)", &r, err);
	r.encrypt = false;
	memcpy(b->text, v->assoc, v->alen);
	err = request_aead(tfm, &r);
	if (err || memcmp(text, v->ptext, v->plen))
		return complain("gcm(lea)", &r, err);
	answers++;
	return 0;
}

static int test_gcm_once(struct crypto_aead *tfm, unsigned int keylen,
			 struct buffers *b)
{
	struct test_request r = {
		.key = b->key, .keylen = keylen, .iv = b->iv, .text = b->text,
		.len = random_length(0, 1), .assoclen = test_below(MAX_ASSOC + 1),
		.busy = !test_below(8), .encrypt = true,
	};
	unsigned int all = r.assoclen + r.len + GCM_TAG_SIZE;
	int err;

	get_random_bytes(b->key, keylen);
	get_random_bytes(b->iv, sizeof(b->iv));
	get_random_bytes(b->plain, all);
	memcpy(b->cipher, b->plain, all);
	err = lea_mode_gcm_encrypt(b->key, keylen, b->iv, b->cipher, r.assoclen,
				   b->cipher + r.assoclen, r.len,
				   b->cipher + r.assoclen + r.len);
	if (err)
		return err;

	memcpy(b->text, b->plain, all);
	err = request_aead(tfm, &r);
	/* With another destination the associated data need not be there. */
	if (err || memcmp(b->text + r.assoclen, b->cipher + r.assoclen,
			  all - r.assoclen))
		return complain("gcm(lea)", &r, err);

	r.encrypt = false;
	memcpy(b->text, b->cipher, all);
	err = request_aead(tfm, &r);
	if (err || memcmp(b->text + r.assoclen, b->plain + r.assoclen, r.len))
		return complain("gcm(lea)", &r, err);

	memcpy(b->text, b->cipher, all);
	b->text[test_below(all)] ^= 1 << test_below(8);
	err = request_aead(tfm, &r);
	if (err != -EBADMSG)
		return complain("gcm(lea), with a changed bit", &r, err);
	agreements++;
	return 0;
}

static int test_gcm(struct buffers *b)
{
	struct crypto_aead *tfm = crypto_alloc_aead("gcm(lea)", 0, 0);
	unsigned int keylen, i;
	int err = 0;

	if (IS_ERR(tfm)) {
		pr_err("gcm(lea): cannot be had: %ld\n", PTR_ERR(tfm));
		return PTR_ERR(tfm);
	}
	for (i = 0; i < ARRAY_SIZE(lea_gcm_tv_template) && !err; i++)
		err = test_gcm_vector(tfm, &lea_gcm_tv_template[i], b);
	for (keylen = LEA_MIN_KEY_SIZE; keylen <= LEA_MAX_KEY_SIZE; keylen += 8)
		for (i = 0; i < requests && !err; i++) {
			err = test_gcm_once(tfm, keylen, b);
			cond_resched();
		}
	if (!err)
		pr_info("gcm(lea): %s agrees\n", crypto_aead_driver_name(tfm));
	crypto_free_aead(tfm);
	return err;
}

static int __init lea_test_init(void)
{
	struct buffers *b = kmalloc(sizeof(*b), GFP_KERNEL);
	unsigned int i, j;
	int err = b ? 0 : -ENOMEM;

	for (i = 0; i < ARRAY_SIZE(mode_tests) && !err; i++)
		for (j = 0; j < ARRAY_SIZE(mode_tests[i].names) && !err; j++)
			err = test_mode(&mode_tests[i], mode_tests[i].names[j], b);
	if (!err)
		err = test_gcm(b);
	if (!err)
		pr_info("%u known answers, %u random texts agree\n", answers,
			agreements);
	kfree(b);
	return err;
}

static void __exit lea_test_exit(void)
{
}

module_init(lea_test_init);
module_exit(lea_test_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Tests of the LEA block cipher");
