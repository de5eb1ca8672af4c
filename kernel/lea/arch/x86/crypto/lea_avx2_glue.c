// SPDX-License-Identifier: GPL-2.0-only
/*
 * LEA in ECB, CBC, CTR and XTS with AVX2.
 *
 * Where the vector registers may not be used, and for what is left of less
 * than sixteen blocks, each block is done by the generic code.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <asm/fpu/api.h>
#include <asm/simd.h>
#include <crypto/algapi.h>
#include <crypto/gf128mul.h>
#include <crypto/internal/simd.h>
#include <crypto/internal/skcipher.h>
#include <crypto/lea.h>
#include <crypto/scatterwalk.h>
#include <crypto/xts.h>
#include <linux/build_bug.h>
#include <linux/cpufeature.h>
#include <linux/linkage.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/stddef.h>
#include <linux/string.h>
#ifdef LEA_OUT_OF_TREE
#include "known_answers.h"
#endif

#define LEA_WAYS	16
#define LEA_WIDE	(LEA_WAYS * LEA_BLOCK_SIZE)

asmlinkage void lea_avx2_ecb_enc_16way(const struct lea_ctx *ctx, u8 *dst,
				       const u8 *src);
asmlinkage void lea_avx2_ecb_dec_16way(const struct lea_ctx *ctx, u8 *dst,
				       const u8 *src);
asmlinkage void lea_avx2_cbc_dec_16way(const struct lea_ctx *ctx, u8 *dst,
				       const u8 *src, const u8 *iv);
asmlinkage void lea_avx2_ctr_16way(const struct lea_ctx *ctx, u8 *dst,
				   const u8 *src, const u8 *counters);
asmlinkage void lea_avx2_xts_enc_16way(const struct lea_ctx *ctx, u8 *dst,
				       const u8 *src, const le128 *tweaks);
asmlinkage void lea_avx2_xts_dec_16way(const struct lea_ctx *ctx, u8 *dst,
				       const u8 *src, const le128 *tweaks);

/**
 * struct lea_xts_ctx - an expanded key for XTS
 * @data: from the key's first half, for the data
 * @tweak: from its second half, for the sector's number
 */
struct lea_xts_ctx {
	struct lea_ctx data;
	struct lea_ctx tweak;
};

static bool lea_begin_wide(unsigned int nbytes)
{
	if (nbytes < LEA_WIDE || !crypto_simd_usable())
		return false;
	kernel_fpu_begin();
	return true;
}

static int lea_avx2_set_key(struct crypto_skcipher *tfm, const u8 *key,
			    unsigned int keylen)
{
	return lea_set_key(crypto_skcipher_ctx(tfm), key, keylen);
}

static __always_inline int
lea_ecb_crypt(struct skcipher_request *req,
	      void (*wide)(const struct lea_ctx *ctx, u8 *dst, const u8 *src),
	      void (*one)(const struct lea_ctx *ctx, u8 *dst, const u8 *src))
{
	struct crypto_skcipher *tfm = crypto_skcipher_reqtfm(req);
	const struct lea_ctx *ctx = crypto_skcipher_ctx(tfm);
	struct skcipher_walk walk;
	unsigned int nbytes;
	int err;

	err = skcipher_walk_virt(&walk, req, false);

	while ((nbytes = walk.nbytes) > 0) {
		const u8 *src = walk.src.virt.addr;
		u8 *dst = walk.dst.virt.addr;

		if (lea_begin_wide(nbytes)) {
			do {
				wide(ctx, dst, src);
				src += LEA_WIDE;
				dst += LEA_WIDE;
				nbytes -= LEA_WIDE;
			} while (nbytes >= LEA_WIDE);
			kernel_fpu_end();
		}
		while (nbytes >= LEA_BLOCK_SIZE) {
			one(ctx, dst, src);
			src += LEA_BLOCK_SIZE;
			dst += LEA_BLOCK_SIZE;
			nbytes -= LEA_BLOCK_SIZE;
		}
		err = skcipher_walk_done(&walk, nbytes);
	}
	return err;
}

static int lea_ecb_encrypt(struct skcipher_request *req)
{
	return lea_ecb_crypt(req, lea_avx2_ecb_enc_16way, lea_encrypt);
}

static int lea_ecb_decrypt(struct skcipher_request *req)
{
	return lea_ecb_crypt(req, lea_avx2_ecb_dec_16way, lea_decrypt);
}

/* Each block needs the one before: there is nothing to do in parallel. */
static int lea_cbc_encrypt(struct skcipher_request *req)
{
	struct crypto_skcipher *tfm = crypto_skcipher_reqtfm(req);
	const struct lea_ctx *ctx = crypto_skcipher_ctx(tfm);
	struct skcipher_walk walk;
	unsigned int nbytes;
	int err;

	err = skcipher_walk_virt(&walk, req, false);

	while ((nbytes = walk.nbytes) > 0) {
		const u8 *src = walk.src.virt.addr;
		u8 *dst = walk.dst.virt.addr;

		while (nbytes >= LEA_BLOCK_SIZE) {
			crypto_xor(walk.iv, src, LEA_BLOCK_SIZE);
			lea_encrypt(ctx, walk.iv, walk.iv);
			memcpy(dst, walk.iv, LEA_BLOCK_SIZE);
			src += LEA_BLOCK_SIZE;
			dst += LEA_BLOCK_SIZE;
			nbytes -= LEA_BLOCK_SIZE;
		}
		err = skcipher_walk_done(&walk, nbytes);
	}
	return err;
}

static int lea_cbc_decrypt(struct skcipher_request *req)
{
	struct crypto_skcipher *tfm = crypto_skcipher_reqtfm(req);
	const struct lea_ctx *ctx = crypto_skcipher_ctx(tfm);
	struct skcipher_walk walk;
	u8 next_iv[LEA_BLOCK_SIZE];
	unsigned int nbytes;
	int err;

	err = skcipher_walk_virt(&walk, req, false);

	while ((nbytes = walk.nbytes) > 0) {
		const u8 *src = walk.src.virt.addr;
		u8 *dst = walk.dst.virt.addr;

		if (lea_begin_wide(nbytes)) {
			do {
				memcpy(next_iv, src + LEA_WIDE - LEA_BLOCK_SIZE,
				       LEA_BLOCK_SIZE);
				lea_avx2_cbc_dec_16way(ctx, dst, src, walk.iv);
				memcpy(walk.iv, next_iv, LEA_BLOCK_SIZE);
				src += LEA_WIDE;
				dst += LEA_WIDE;
				nbytes -= LEA_WIDE;
			} while (nbytes >= LEA_WIDE);
			kernel_fpu_end();
		}
		while (nbytes >= LEA_BLOCK_SIZE) {
			memcpy(next_iv, src, LEA_BLOCK_SIZE);
			lea_decrypt(ctx, dst, src);
			crypto_xor(dst, walk.iv, LEA_BLOCK_SIZE);
			memcpy(walk.iv, next_iv, LEA_BLOCK_SIZE);
			src += LEA_BLOCK_SIZE;
			dst += LEA_BLOCK_SIZE;
			nbytes -= LEA_BLOCK_SIZE;
		}
		err = skcipher_walk_done(&walk, nbytes);
	}
	return err;
}

static int lea_ctr_crypt(struct skcipher_request *req)
{
	struct crypto_skcipher *tfm = crypto_skcipher_reqtfm(req);
	const struct lea_ctx *ctx = crypto_skcipher_ctx(tfm);
	u8 counters[LEA_WIDE];
	u8 keystream[LEA_BLOCK_SIZE];
	struct skcipher_walk walk;
	unsigned int nbytes, i;
	int err;

	err = skcipher_walk_virt(&walk, req, false);

	while ((nbytes = walk.nbytes) > 0) {
		const u8 *src = walk.src.virt.addr;
		u8 *dst = walk.dst.virt.addr;

		if (lea_begin_wide(nbytes)) {
			do {
				for (i = 0; i < LEA_WIDE; i += LEA_BLOCK_SIZE) {
					memcpy(counters + i, walk.iv,
					       LEA_BLOCK_SIZE);
					crypto_inc(walk.iv, LEA_BLOCK_SIZE);
				}
				lea_avx2_ctr_16way(ctx, dst, src, counters);
				src += LEA_WIDE;
				dst += LEA_WIDE;
				nbytes -= LEA_WIDE;
			} while (nbytes >= LEA_WIDE);
			kernel_fpu_end();
		}
		/* Only the last step may end within a block. */
		while (nbytes >= LEA_BLOCK_SIZE ||
		       (nbytes > 0 && walk.nbytes == walk.total)) {
			unsigned int n = min_t(unsigned int, nbytes,
					       LEA_BLOCK_SIZE);

			lea_encrypt(ctx, keystream, walk.iv);
			crypto_inc(walk.iv, LEA_BLOCK_SIZE);
			crypto_xor_cpy(dst, src, keystream, n);
			src += n;
			dst += n;
			nbytes -= n;
		}
		err = skcipher_walk_done(&walk, nbytes);
	}
	memzero_explicit(keystream, sizeof(keystream));
	return err;
}

static int lea_xts_set_key(struct crypto_skcipher *tfm, const u8 *key,
			   unsigned int keylen)
{
	struct lea_xts_ctx *ctx = crypto_skcipher_ctx(tfm);
	int err;

	err = xts_verify_key(tfm, key, keylen);
	if (err)
		return err;
	keylen /= 2;
	err = lea_set_key(&ctx->data, key, keylen);
	if (err)
		return err;
	return lea_set_key(&ctx->tweak, key + keylen, keylen);
}

static void lea_xts_block(const struct lea_ctx *ctx, u8 *dst, const u8 *src,
			  const le128 *tweak, bool enc)
{
	crypto_xor_cpy(dst, src, (const u8 *)tweak, LEA_BLOCK_SIZE);
	if (enc)
		lea_encrypt(ctx, dst, dst);
	else
		lea_decrypt(ctx, dst, dst);
	crypto_xor(dst, (const u8 *)tweak, LEA_BLOCK_SIZE);
}

/* Whole blocks; @tweak is that of the block that follows, afterwards. */
static int lea_xts_blocks(struct skcipher_request *req,
			  const struct lea_ctx *ctx, le128 *tweak, bool enc)
{
	le128 tweaks[LEA_WAYS];
	struct skcipher_walk walk;
	unsigned int nbytes, i;
	int err;

	err = skcipher_walk_virt(&walk, req, false);

	while ((nbytes = walk.nbytes) > 0) {
		const u8 *src = walk.src.virt.addr;
		u8 *dst = walk.dst.virt.addr;

		if (lea_begin_wide(nbytes)) {
			do {
				for (i = 0; i < LEA_WAYS; i++) {
					tweaks[i] = *tweak;
					gf128mul_x_ble(tweak, tweak);
				}
				if (enc)
					lea_avx2_xts_enc_16way(ctx, dst, src,
							       tweaks);
				else
					lea_avx2_xts_dec_16way(ctx, dst, src,
							       tweaks);
				src += LEA_WIDE;
				dst += LEA_WIDE;
				nbytes -= LEA_WIDE;
			} while (nbytes >= LEA_WIDE);
			kernel_fpu_end();
		}
		while (nbytes >= LEA_BLOCK_SIZE) {
			lea_xts_block(ctx, dst, src, tweak, enc);
			gf128mul_x_ble(tweak, tweak);
			src += LEA_BLOCK_SIZE;
			dst += LEA_BLOCK_SIZE;
			nbytes -= LEA_BLOCK_SIZE;
		}
		err = skcipher_walk_done(&walk, nbytes);
	}
	memzero_explicit(tweaks, sizeof(tweaks));
	return err;
}

/*
 * The last whole block and the partial one after it, from @offset on, by
 * ciphertext stealing: IEEE 1619-2018, 5.3.2 and 5.4.2.
 */
static void lea_xts_steal(struct skcipher_request *req,
			  const struct lea_ctx *ctx, unsigned int offset,
			  const le128 *tweak, bool enc)
{
	unsigned int tail = req->cryptlen % LEA_BLOCK_SIZE;
	u8 in[2 * LEA_BLOCK_SIZE], out[2 * LEA_BLOCK_SIZE];
	le128 next;

	gf128mul_x_ble(&next, tweak);
	scatterwalk_map_and_copy(in, req->src, offset, LEA_BLOCK_SIZE + tail,
				 0);
	/* Decryption takes the two tweaks the other way round. */
	lea_xts_block(ctx, out, in, enc ? tweak : &next, enc);
	memcpy(out + LEA_BLOCK_SIZE, out, tail);
	memcpy(out, in + LEA_BLOCK_SIZE, tail);
	lea_xts_block(ctx, out, out, enc ? &next : tweak, enc);
	scatterwalk_map_and_copy(out, req->dst, offset, LEA_BLOCK_SIZE + tail,
				 1);
	memzero_explicit(in, sizeof(in));
	memzero_explicit(out, sizeof(out));
}

static int lea_xts_crypt(struct skcipher_request *req, bool enc)
{
	struct crypto_skcipher *tfm = crypto_skcipher_reqtfm(req);
	const struct lea_xts_ctx *ctx = crypto_skcipher_ctx(tfm);
	unsigned int tail = req->cryptlen % LEA_BLOCK_SIZE;
	unsigned int whole = req->cryptlen - tail;
	struct skcipher_request subreq;
	le128 tweak;
	int err;

	if (req->cryptlen < LEA_BLOCK_SIZE)
		return -EINVAL;

	lea_encrypt(&ctx->tweak, (u8 *)&tweak, req->iv);
	if (!tail)
		return lea_xts_blocks(req, &ctx->data, &tweak, enc);

	whole -= LEA_BLOCK_SIZE;
	skcipher_request_set_tfm(&subreq, tfm);
	skcipher_request_set_callback(&subreq, skcipher_request_flags(req),
				      NULL, NULL);
	skcipher_request_set_crypt(&subreq, req->src, req->dst, whole, req->iv);
	err = lea_xts_blocks(&subreq, &ctx->data, &tweak, enc);
	if (!err)
		lea_xts_steal(req, &ctx->data, whole, &tweak, enc);
	return err;
}

static int lea_xts_encrypt(struct skcipher_request *req)
{
	return lea_xts_crypt(req, true);
}

static int lea_xts_decrypt(struct skcipher_request *req)
{
	return lea_xts_crypt(req, false);
}

static struct skcipher_alg lea_algs[] = {
	{
		.base.cra_name		= "ecb(lea)",
		.base.cra_driver_name	= "ecb-lea-avx2",
		.base.cra_priority	= 500,
		.base.cra_blocksize	= LEA_BLOCK_SIZE,
		.base.cra_ctxsize	= sizeof(struct lea_ctx),
		.base.cra_module	= THIS_MODULE,
		.min_keysize		= LEA_MIN_KEY_SIZE,
		.max_keysize		= LEA_MAX_KEY_SIZE,
		.setkey			= lea_avx2_set_key,
		.encrypt		= lea_ecb_encrypt,
		.decrypt		= lea_ecb_decrypt,
	}, {
		.base.cra_name		= "cbc(lea)",
		.base.cra_driver_name	= "cbc-lea-avx2",
		.base.cra_priority	= 500,
		.base.cra_blocksize	= LEA_BLOCK_SIZE,
		.base.cra_ctxsize	= sizeof(struct lea_ctx),
		.base.cra_module	= THIS_MODULE,
		.min_keysize		= LEA_MIN_KEY_SIZE,
		.max_keysize		= LEA_MAX_KEY_SIZE,
		.ivsize			= LEA_BLOCK_SIZE,
		.setkey			= lea_avx2_set_key,
		.encrypt		= lea_cbc_encrypt,
		.decrypt		= lea_cbc_decrypt,
	}, {
		.base.cra_name		= "ctr(lea)",
		.base.cra_driver_name	= "ctr-lea-avx2",
		.base.cra_priority	= 500,
		.base.cra_blocksize	= 1,
		.base.cra_ctxsize	= sizeof(struct lea_ctx),
		.base.cra_module	= THIS_MODULE,
		.min_keysize		= LEA_MIN_KEY_SIZE,
		.max_keysize		= LEA_MAX_KEY_SIZE,
		.ivsize			= LEA_BLOCK_SIZE,
		.chunksize		= LEA_BLOCK_SIZE,
		.setkey			= lea_avx2_set_key,
		.encrypt		= lea_ctr_crypt,
		.decrypt		= lea_ctr_crypt,
	}, {
		.base.cra_name		= "xts(lea)",
		.base.cra_driver_name	= "xts-lea-avx2",
		.base.cra_priority	= 500,
		.base.cra_blocksize	= LEA_BLOCK_SIZE,
		.base.cra_ctxsize	= sizeof(struct lea_xts_ctx),
		.base.cra_module	= THIS_MODULE,
		.min_keysize		= 2 * LEA_MIN_KEY_SIZE,
		.max_keysize		= 2 * LEA_MAX_KEY_SIZE,
		.ivsize			= LEA_BLOCK_SIZE,
		.setkey			= lea_xts_set_key,
		.encrypt		= lea_xts_encrypt,
		.decrypt		= lea_xts_decrypt,
	}
};

#ifdef LEA_OUT_OF_TREE
static void lea_known_encrypt(const struct lea_ctx *ctx, u8 *dst, const u8 *src)
{
	kernel_fpu_begin();
	lea_avx2_ecb_enc_16way(ctx, dst, src);
	kernel_fpu_end();
}

static void lea_known_decrypt(const struct lea_ctx *ctx, u8 *dst, const u8 *src)
{
	kernel_fpu_begin();
	lea_avx2_ecb_dec_16way(ctx, dst, src);
	kernel_fpu_end();
}

#endif
static int __init lea_avx2_init(void)
{
#ifdef LEA_OUT_OF_TREE
	int err;
#endif
	BUILD_BUG_ON(offsetof(struct lea_ctx, rk) != 0);
	BUILD_BUG_ON(offsetof(struct lea_ctx, rounds) != 768);

	if (!boot_cpu_has(X86_FEATURE_AVX2) ||
	    !boot_cpu_has(X86_FEATURE_OSXSAVE) ||
	    !cpu_has_xfeatures(XFEATURE_MASK_SSE | XFEATURE_MASK_YMM, NULL)) {
		pr_info("AVX2 is not available\n");
		return -ENODEV;
	}
#ifdef LEA_OUT_OF_TREE
	err = lea_known_answers(lea_known_encrypt, lea_known_decrypt, LEA_WAYS);
	if (err)
		return err;
#endif
	return crypto_register_skciphers(lea_algs, ARRAY_SIZE(lea_algs));
}

static void __exit lea_avx2_exit(void)
{
	crypto_unregister_skciphers(lea_algs, ARRAY_SIZE(lea_algs));
}

module_init(lea_avx2_init);
module_exit(lea_avx2_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("LEA block cipher (KS X 3246, ISO/IEC 29192-2), AVX2");
MODULE_ALIAS_CRYPTO("lea");
MODULE_ALIAS_CRYPTO("lea-avx2");
