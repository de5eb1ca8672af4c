// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests to the crypto API over memory that is scattered at random. Each
 * piece is an allocation of its own that ends where the piece ends: KASAN sees
 * a byte too much, and what lies before the piece is looked at afterwards.
 */

#include <crypto/aead.h>
#include <crypto/skcipher.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "modes.h"
#include "requests.h"

#if defined(CONFIG_X86_64) && !defined(CONFIG_UML)
#include <asm/fpu/api.h>
#else
static void kernel_fpu_begin(void) {}
static void kernel_fpu_end(void) {}
#endif

#define GUARD_BYTE	0xa5

/**
 * test_below() - a random number
 * @limit: what it is less than; not 0
 *
 * Return: a number from 0 to @limit - 1.
 */
u32 test_below(u32 limit)
{
	u32 number;

	get_random_bytes(&number, sizeof(number));
	return number % limit;
}

/**
 * scatter() - a copy of a text in pieces
 * @s: takes it; to be given to scatter_free() in any case
 * @text: the text
 * @len: its length in bytes
 *
 * Return: 0 or -ENOMEM.
 */
int scatter(struct scattered *s, const u8 *text, unsigned int len)
{
	unsigned int parts = 1 + test_below(SCATTER_PARTS);

	memset(s, 0, sizeof(*s));
	sg_init_table(s->list, SCATTER_PARTS);
	while (len) {
		unsigned int part = len, before;
		u8 *memory;

		if (s->parts + 1 < parts)
			part = 1 + test_below(test_below(2) ? len : min(len, 40U));
		/* What lies before the piece moves it to any alignment. */
		before = SCATTER_GUARD + test_below(SCATTER_GUARD);
		memory = kmalloc(before + part, GFP_KERNEL);
		if (!memory)
			return -ENOMEM;
		memset(memory, GUARD_BYTE, before);
		memcpy(memory + before, text, part);
		sg_set_buf(&s->list[s->parts], memory + before, part);
		s->memory[s->parts++] = memory;
		text += part;
		len -= part;
	}
	if (s->parts)
		sg_mark_end(&s->list[s->parts - 1]);
	return 0;
}

/**
 * gather() - the text again
 * @s: the pieces
 * @text: takes as many bytes as scatter() was given
 *
 * Return: whether nothing before a piece was changed.
 */
bool gather(struct scattered *s, u8 *text)
{
	unsigned int i;
	bool intact = true;

	for (i = 0; i < s->parts; i++) {
		const u8 *piece = sg_virt(&s->list[i]), *guard;

		for (guard = s->memory[i]; guard < piece; guard++)
			intact &= *guard == GUARD_BYTE;
		memcpy(text, piece, s->list[i].length);
		text += s->list[i].length;
	}
	return intact;
}

/**
 * scatter_free() - give the memory back
 * @s: the pieces
 */
void scatter_free(struct scattered *s)
{
	unsigned int i;

	for (i = 0; i < s->parts; i++)
		kfree(s->memory[i]);
	s->parts = 0;
}

/*
 * Source and destination: the same pieces, or others.
 */
struct places {
	struct scattered from, to;
	bool in_place;
};

/* Tests run one after another, when the module is loaded. */
static struct places places;

static int places_make(const u8 *text, unsigned int len)
{
	places.in_place = test_below(2);
	places.to.parts = 0;
	return scatter(&places.from, text, len) ?:
	       places.in_place ? 0 : scatter(&places.to, text, len);
}

static int places_take(u8 *text, int err)
{
	if (!err && !gather(places.in_place ? &places.from : &places.to, text))
		err = -EOVERFLOW;
	scatter_free(&places.from);
	scatter_free(&places.to);
	return err;
}

static struct scatterlist *destination(void)
{
	return places.in_place ? places.from.list : places.to.list;
}

/**
 * request_skcipher() - encrypt or decrypt
 * @tfm: the algorithm
 * @r: what is asked
 *
 * Return: 0, -EOVERFLOW if memory beside the text was changed, or the
 * algorithm's error.
 */
int request_skcipher(struct crypto_skcipher *tfm, const struct test_request *r)
{
	u32 sleep = r->busy ? 0 : CRYPTO_TFM_REQ_MAY_SLEEP;
	struct skcipher_request *req;
	DECLARE_CRYPTO_WAIT(wait);
	u8 iv[16];
	int err;

	req = skcipher_request_alloc(tfm, GFP_KERNEL);
	err = req ? places_make(r->text, r->len) : -ENOMEM;
	if (err)
		goto out;
	err = crypto_skcipher_setkey(tfm, r->key, r->keylen);
	if (err)
		goto out;
	memcpy(iv, r->iv, sizeof(iv));
	skcipher_request_set_callback(req, sleep | CRYPTO_TFM_REQ_MAY_BACKLOG,
				      crypto_req_done, &wait);
	skcipher_request_set_crypt(req, places.from.list, destination(),
				   r->len, iv);
	if (r->busy)
		kernel_fpu_begin();
	err = r->encrypt ? crypto_skcipher_encrypt(req) :
			   crypto_skcipher_decrypt(req);
	if (r->busy)
		kernel_fpu_end();
	err = crypto_wait_req(err, &wait);
	if (r->iv_out)
		memcpy(r->iv_out, iv, sizeof(iv));
out:
	err = places_take(r->text, err);
	skcipher_request_free(req);
	return err;
}

/**
 * request_aead() - encrypt or decrypt with a tag
 * @tfm: the algorithm
 * @r: what is asked
 *
 * Return: as request_skcipher(); -EBADMSG for a tag that does not belong to
 * the text.
 */
int request_aead(struct crypto_aead *tfm, const struct test_request *r)
{
	unsigned int all = r->assoclen + r->len + GCM_TAG_SIZE;
	u32 sleep = r->busy ? 0 : CRYPTO_TFM_REQ_MAY_SLEEP;
	DECLARE_CRYPTO_WAIT(wait);
	struct aead_request *req;
	u8 iv[16] = {};
	int err;

	req = aead_request_alloc(tfm, GFP_KERNEL);
	err = req ? places_make(r->text, all) : -ENOMEM;
	if (err)
		goto out;
	err = crypto_aead_setkey(tfm, r->key, r->keylen) ?:
	      crypto_aead_setauthsize(tfm, GCM_TAG_SIZE);
	if (err)
		goto out;
	memcpy(iv, r->iv, GCM_IV_SIZE);
	aead_request_set_callback(req, sleep | CRYPTO_TFM_REQ_MAY_BACKLOG,
				  crypto_req_done, &wait);
	aead_request_set_crypt(req, places.from.list, destination(),
			       r->encrypt ? r->len : r->len + GCM_TAG_SIZE, iv);
	aead_request_set_ad(req, r->assoclen);
	if (r->busy)
		kernel_fpu_begin();
	err = r->encrypt ? crypto_aead_encrypt(req) : crypto_aead_decrypt(req);
	if (r->busy)
		kernel_fpu_end();
	err = crypto_wait_req(err, &wait);
out:
	err = places_take(r->text, err);
	aead_request_free(req);
	return err;
}
