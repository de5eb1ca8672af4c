/* BIND 9 with every algorithm: the functions by which its table of algorithms (lib/dns/dst_api.c) signs, verifies, reads and writes keys,
 * by libfieldtest. A key is prepared once, when BIND makes or reads it. Private keys are files of BIND's format with the one field
 * PrivateKey, as those of EdDSA are (RFC 8080), and hold the secret key as its specification has it.
 */
#include <config.h>

#include <fieldtest.h>
#include <stdbool.h>
#include <string.h>

#include <isc/mem.h>
#include <isc/safe.h>
#include <isc/util.h>

#include <dns/log.h>

#include "dst_internal.h"
#include "dst_parse.h"

#include "bind.h"

/* What BIND holds as a key. */
struct key {
    const struct fieldtest_algorithm *algorithm;
    ft_verifying_key *public_key;
    ft_signing_key *signing_key; /* NULL: there is no secret, nor the bytes of one */
    size_t public_length, secret_length;
    uint8_t bytes[]; /* public as in a record, with what stands before; then secret */
};

void fieldtest_complain(const char *algorithm)
{
    isc_log_write(dns_lctx, DNS_LOGCATEGORY_GENERAL, DNS_LOGMODULE_CRYPTO, ISC_LOG_WARNING, "libfieldtest: %s: %s",
                  algorithm, ft_error_detail());
}

static isc_result_t complain(const struct fieldtest_algorithm *algorithm, isc_result_t result)
{
    fieldtest_complain(algorithm->name);
    return result;
}

static size_t size_of(const struct key *key)
{
    return sizeof(*key) + key->public_length + key->secret_length;
}

static void drop(isc_mem_t *memory, struct key *key)
{
    size_t size = size_of(key);
    ft_verifying_key_free(key->public_key);
    ft_signing_key_free(key->signing_key);
    isc_safe_memwipe(key, size);
    isc_mem_put(memory, key, size);
}

/* Gives a key of BIND its bytes, prepared. Without a public key it is made of the secret one; secret is NULL for a public key alone. */
static isc_result_t hold(dst_key_t *whose, const struct fieldtest_algorithm *algorithm, const uint8_t *public_key,
                         size_t public_length, const uint8_t *secret, size_t secret_length)
{
    uint8_t derived[FIELDTEST_LONGEST_PUBLIC];
    ft_signing_key *signing_key = NULL;
    ft_verifying_key *verifying_key = NULL;
    if (algorithm == NULL)
        return DST_R_UNSUPPORTEDALG;
    const ft_implementation *code = algorithm->code;
    size_t prefix = algorithm->prefix_length;
    if (secret != NULL && ft_signing_key_new(code, secret, secret_length, &signing_key) != FT_OK)
        return complain(algorithm, DST_R_INVALIDPRIVATEKEY);
    if (public_key == NULL) {
        if (ft_signing_key_public(signing_key, derived, sizeof(derived), &public_length) != FT_OK) {
            ft_signing_key_free(signing_key);
            return complain(algorithm, DST_R_INVALIDPRIVATEKEY);
        }
        public_key = derived;
    }
    if (ft_verifying_key_new(code, public_key, public_length, &verifying_key) != FT_OK) {
        ft_signing_key_free(signing_key);
        return DST_R_INVALIDPUBLICKEY; /* without a line in the log, as anyone can send such keys */
    }
    struct key *key = isc_mem_get(whose->mctx, sizeof(*key) + prefix + public_length + secret_length);
    *key = (struct key){algorithm, verifying_key, signing_key, prefix + public_length, secret_length};
    memcpy(key->bytes, algorithm->prefix, prefix);
    memcpy(key->bytes + prefix, public_key, public_length);
    if (secret != NULL)
        memcpy(key->bytes + prefix + public_length, secret, secret_length);
    whose->keydata.generic = key;
    whose->key_size = FIELDTEST_BITS;
    return ISC_R_SUCCESS;
}

/* A message, which BIND gives piece by piece. */
struct message {
    size_t length, room;
    uint8_t *bytes;
};

static isc_result_t begin(dst_key_t *key, dst_context_t *context)
{
    UNUSED(key);
    struct message *message = isc_mem_get(context->mctx, sizeof(*message));
    *message = (struct message){.room = 2048};
    message->bytes = isc_mem_get(context->mctx, message->room);
    context->ctxdata.generic = message;
    return ISC_R_SUCCESS;
}

static void end(dst_context_t *context)
{
    struct message *message = context->ctxdata.generic;
    isc_mem_put(context->mctx, message->bytes, message->room);
    isc_mem_put(context->mctx, message, sizeof(*message));
    context->ctxdata.generic = NULL;
}

static isc_result_t append(dst_context_t *context, const isc_region_t *piece)
{
    struct message *message = context->ctxdata.generic;
    if (piece->length > message->room - message->length) {
        size_t room = 2 * message->room + piece->length;
        uint8_t *bytes = isc_mem_get(context->mctx, room);
        memcpy(bytes, message->bytes, message->length);
        isc_mem_put(context->mctx, message->bytes, message->room);
        message->bytes = bytes;
        message->room = room;
    }
    memcpy(message->bytes + message->length, piece->base, piece->length);
    message->length += piece->length;
    return ISC_R_SUCCESS;
}

static isc_result_t sign(dst_context_t *context, isc_buffer_t *signature)
{
    const struct key *key = context->key->keydata.generic;
    const struct message *message = context->ctxdata.generic;
    isc_region_t room;
    size_t length;
    size_t prefix = key->algorithm->prefix_length;
    isc_buffer_availableregion(signature, &room);
    if (room.length < prefix)
        return ISC_R_NOSPACE;
    memcpy(room.base, key->algorithm->prefix, prefix);
    if (ft_sign(key->signing_key, message->bytes, message->length, room.base + prefix, room.length - prefix, &length) !=
        FT_OK)
        return complain(key->algorithm, DST_R_SIGNFAILURE);
    isc_buffer_add(signature, prefix + length);
    return ISC_R_SUCCESS;
}

static isc_result_t verify(dst_context_t *context, const isc_region_t *signature)
{
    const struct key *key = context->key->keydata.generic;
    const struct message *message = context->ctxdata.generic;
    size_t prefix = key->algorithm->prefix_length;
    if (!fieldtest_has_prefix(key->algorithm, signature->base, signature->length))
        return DST_R_VERIFYFAILURE;
    int result = ft_verify(key->public_key, message->bytes, message->length, signature->base + prefix,
                           signature->length - prefix);
    if (result == FT_ELIBRARY)
        fieldtest_failed(key->algorithm->name);
    return result == FT_OK ? ISC_R_SUCCESS : DST_R_VERIFYFAILURE;
}

static bool is_private(const dst_key_t *whose)
{
    const struct key *key = whose->keydata.generic;
    return key != NULL && key->signing_key != NULL;
}

static bool same(const dst_key_t *one, const dst_key_t *other)
{
    const struct key *a = one->keydata.generic, *b = other->keydata.generic;
    if (a == NULL || b == NULL)
        return a == b;
    return a->public_length == b->public_length && memcmp(a->bytes, b->bytes, a->public_length) == 0 &&
           is_private(one) == is_private(other) &&
           (!is_private(one) || (a->secret_length == b->secret_length &&
                                 isc_safe_memequal(a->bytes + a->public_length, b->bytes + b->public_length,
                                                   a->secret_length)));
}

static isc_result_t generate(dst_key_t *whose, int unused, void (*progress)(int))
{
    UNUSED(unused);
    UNUSED(progress);
    const struct fieldtest_algorithm *algorithm = fieldtest_algorithm(whose->key_alg, NULL, 0);
    uint8_t public_key[FIELDTEST_LONGEST_PUBLIC], secret[FIELDTEST_LONGEST_SECRET];
    size_t public_length, secret_length;
    if (algorithm == NULL)
        return DST_R_UNSUPPORTEDALG;
    if (ft_generate(algorithm->code, secret, sizeof(secret), &secret_length, public_key, sizeof(public_key), &public_length) !=
        FT_OK)
        return complain(algorithm, DST_R_OPENSSLFAILURE);
    isc_result_t result = hold(whose, algorithm, public_key, public_length, secret, secret_length);
    isc_safe_memwipe(secret, sizeof(secret));
    return result;
}

static void destroy(dst_key_t *whose)
{
    if (whose->keydata.generic != NULL)
        drop(whose->mctx, whose->keydata.generic);
    whose->keydata.generic = NULL;
}

static isc_result_t to_dns(const dst_key_t *whose, isc_buffer_t *out)
{
    struct key *key = whose->keydata.generic;
    isc_region_t bytes = {key->bytes, key->public_length};
    return isc_buffer_copyregion(out, &bytes);
}

static isc_result_t from_dns(dst_key_t *whose, isc_buffer_t *in)
{
    isc_region_t bytes;
    isc_buffer_remainingregion(in, &bytes);
    if (bytes.length == 0)
        return ISC_R_SUCCESS; /* a null key, as with every algorithm of BIND's own */
    const struct fieldtest_algorithm *algorithm = fieldtest_algorithm(whose->key_alg, bytes.base, bytes.length);
    if (algorithm == NULL)
        return DST_R_UNSUPPORTEDALG;
    size_t prefix = algorithm->prefix_length;
    isc_result_t result = hold(whose, algorithm, bytes.base + prefix, bytes.length - prefix, NULL, 0);
    if (result == ISC_R_SUCCESS)
        isc_buffer_forward(in, bytes.length);
    return result;
}

static isc_result_t to_file(const dst_key_t *whose, const char *directory)
{
    struct key *key = whose->keydata.generic;
    dst_private_t fields = {.nelements = 0};
    if (key == NULL)
        return DST_R_NULLKEY;
    if (is_private(whose) && !whose->external) {
        fields.elements[0].tag = TAG_EDDSA_PRIVATEKEY;
        fields.elements[0].length = key->secret_length;
        fields.elements[0].data = key->bytes + key->public_length;
        fields.nelements = 1;
    }
    return dst__privstruct_writefile(whose, &fields, directory);
}

static isc_result_t from_file(dst_key_t *whose, isc_lex_t *in, dst_key_t *public_key)
{
    dst_private_t fields;
    isc_result_t result = dst__privstruct_parse(whose, DST_ALG_ED25519, in, whose->mctx, &fields);
    if (result != ISC_R_SUCCESS)
        return result;
    const struct key *known = public_key != NULL ? public_key->keydata.generic : NULL;
    const struct fieldtest_algorithm *algorithm =
        known != NULL ? known->algorithm : fieldtest_algorithm(whose->key_alg, NULL, 0);
    if (whose->external) {
        result = known == NULL ? DST_R_INVALIDPRIVATEKEY
                               : hold(whose, algorithm, known->bytes + algorithm->prefix_length,
                                      known->public_length - algorithm->prefix_length, NULL, 0);
    } else if (fields.nelements != 1 || fields.elements[0].tag != TAG_EDDSA_PRIVATEKEY) {
        result = DST_R_INVALIDPRIVATEKEY;
    } else {
        result = hold(whose, algorithm, NULL, 0, fields.elements[0].data, fields.elements[0].length);
        const struct key *key = whose->keydata.generic;
        if (result == ISC_R_SUCCESS && known != NULL &&
            (key->public_length != known->public_length ||
             memcmp(key->bytes, known->bytes, known->public_length) != 0))
            result = DST_R_INVALIDPRIVATEKEY; /* who made the structure takes the key away */
    }
    dst__privstruct_free(&fields, whose->mctx);
    isc_safe_memwipe(&fields, sizeof(fields));
    return result;
}

static struct dst_func functions_of_all = {
    .createctx = begin,
    .destroyctx = end,
    .adddata = append,
    .sign = sign,
    .verify = verify,
    .compare = same,
    .generate = generate,
    .isprivate = is_private,
    .destroy = destroy,
    .todns = to_dns,
    .fromdns = from_dns,
    .tofile = to_file,
    .parse = from_file,
};

void fieldtest_add(struct dst_func *functions[])
{
    for (int number = 1; number < DST_MAX_ALGS; number++) {
        if (functions[number] == NULL && fieldtest_sizes(number, NULL))
            functions[number] = &functions_of_all;
    }
}

unsigned int fieldtest_longest_signature(unsigned int number)
{
    struct fieldtest_sizes sizes;
    return fieldtest_sizes((int)number, &sizes) ? sizes.signature : 0;
}
