/* libfieldtest: algorithms of fieldtest's catalog for C. See libfieldtest(3).
 * Made by cbindgen from the sources of the crate fieldtest-c; changes belong there. */

#ifndef FIELDTEST_H
#define FIELDTEST_H

#include <stddef.h>
#include <stdint.h>

/*
 A kind of algorithm: digital signatures.
 */
#define FT_SIGNATURE 1

/*
 A kind of algorithm: message authentication codes with their key derivation.
 */
#define FT_MAC 2

/*
 A kind of algorithm: hash functions.
 */
#define FT_HASH 3

/*
 A kind of algorithm: ciphers of storage.
 */
#define FT_CIPHER 4

/*
 A flag of ft_engine_attach(): shared objects may be attached as well.
 */
#define FT_ENGINE_LIBRARIES 1

/*
 All is well.
 */
#define FT_OK 0

/*
 The signature or the tag is wrong, or is none at all.
 */
#define FT_EWRONG -1

/*
 A pointer that is needed is NULL.
 */
#define FT_ENULL -2

/*
 The handle is of another kind, or none.
 */
#define FT_EHANDLE -3

/*
 There is less room than the output needs; how much it needs was written.
 */
#define FT_EBUFFER -4

/*
 There is nothing of that name, number or place.
 */
#define FT_EUNKNOWN -5

/*
 The algorithm is of a kind that has no such operation, such as a hash function that is to sign.
 */
#define FT_EKIND -6

/*
 The algorithm is known by its facts alone: nobody's code for it is here.
 */
#define FT_ENOCODE -7

/*
 The bytes are no key of this algorithm.
 */
#define FT_EKEY -8

/*
 This implementation lacks the operation.
 */
#define FT_EUNSUPPORTED -9

/*
 The message was made to collide with another under this hash function.
 */
#define FT_ECOLLISION -10

/*
 A known answer was not reproduced.
 */
#define FT_EPROOF -11

/*
 A number or a text is none that the function takes.
 */
#define FT_EARGUMENT -12

/*
 The handle is used up: its message was finished.
 */
#define FT_EFINISHED -13

/*
 The implementation failed for a reason of its own.
 */
#define FT_ELIBRARY -14

/*
 A defect of this library.
 */
#define FT_EINTERNAL -15

/*
 It is too late: an algorithm was looked for already.
 */
#define FT_ELATE -16

/*
 The description of an engine is of no use, or what it claims is taken.
 */
#define FT_EENGINE -17

/*
 A form of keys: the byte string that the algorithm's specification defines; of a secret key the seed, where it allows one.
 */
#define FT_FORM_PLAIN 0

/*
 A form of keys: RSAPublicKey and RSAPrivateKey of PKCS #1 in DER (RFC 8017, appendix A.1).
 */
#define FT_FORM_RSA 1

/*
 A form of keys: a point of an elliptic curve as its coordinates X and Y, and a secret number as long as the curve's order, big
 endian.
 */
#define FT_FORM_EC 2

/*
 An algorithm: what is known of it, and its implementations. The library owns it.
 */
typedef struct ft_algorithm ft_algorithm;

/*
 A key that is prepared for many sectors.
 */
typedef struct ft_cipher_key ft_cipher_key;

/*
 Code for an algorithm. The library owns it.
 */
typedef struct ft_implementation ft_implementation;

/*
 A key that is prepared for many messages.
 */
typedef struct ft_mac_key ft_mac_key;

/*
 A secret key that is prepared for many signatures.
 */
typedef struct ft_signing_key ft_signing_key;

/*
 A message in pieces, on its way to a digest. Pieces of several threads come in the order in which the threads call.
 */
typedef struct ft_stream ft_stream;

/*
 A public key that is prepared for many verifications.
 */
typedef struct ft_verifying_key ft_verifying_key;

/*
 A run of bytes, for functions that take many of them.
 */
typedef struct {
    /*
     Where it begins; may be NULL where there are none.
     */
    const uint8_t *data;
    /*
     How many there are.
     */
    size_t length;
} ft_bytes;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 How many algorithms there are, of all kinds.
 */
size_t ft_algorithm_count(void);

/*
 The algorithm at a place from 0, in the catalog's order: kind by kind, the most settled first. NULL behind the last.
 */
const ft_algorithm *ft_algorithm_at(size_t place);

/*
 Finds an algorithm by its name.

 Returns FT_EUNKNOWN where nothing has that name, and FT_EENGINE where that may be since what FIELDTEST_ENGINES names could not be
 attached.
 */
int ft_algorithm_find(const char *name,
                      const ft_algorithm **algorithm);

/*
 Finds an algorithm by its number in a registry: "dnssec-iana" and "dnssec-private" have the algorithm numbers of DNSSEC, those
 that are assigned and those that fieldtest uses meanwhile; "git" has the object formats of Git.

 Returns FT_EUNKNOWN where nothing has that number there, or FT_EENGINE as ft_algorithm_find() does.
 */
int ft_algorithm_find_number(const char *registry,
                             uint32_t number,
                             const ft_algorithm **algorithm);

/*
 The algorithm's name, such as "ml-dsa-44". NULL if this is no algorithm.
 */
const char *ft_algorithm_name(const ft_algorithm *algorithm);

/*
 The algorithm's kind: FT_SIGNATURE, FT_MAC, FT_HASH or FT_CIPHER. 0 if this is no algorithm.
 */
int ft_algorithm_kind(const ft_algorithm *algorithm);

/*
 The NIST post-quantum security category that is claimed, from 1 to 5. 0 where none is, or if this is no algorithm.
 */
int ft_algorithm_level(const ft_algorithm *algorithm);

/*
 A size in bytes by its name: "public-key", "secret-key" and "signature", "tag" and "traffic-key", "digest", or "key" and "tweak".
 Where a length varies it is the largest, but for secret keys of RSA, whose size is typical.

 Returns FT_EUNKNOWN where the algorithm has no such size.
 */
int ft_algorithm_size(const ft_algorithm *algorithm,
                      const char *name,
                      size_t *size);

/*
 The algorithm's number in a registry; ft_algorithm_find_number() has their names.

 Returns FT_EUNKNOWN where it has none there.
 */
int ft_algorithm_number(const ft_algorithm *algorithm, const char *registry, uint32_t *number);

/*
 A fact by its name, such as "title", "family", "status", "standard" or "hardness". The library owns the text.

 Returns FT_EUNKNOWN where none is stated.
 */
int ft_algorithm_fact(const ft_algorithm *algorithm, const char *name, const char **fact);

/*
 The fact at a place from 0, with its name. The library owns both texts.

 Returns FT_EUNKNOWN behind the last.
 */
int ft_algorithm_fact_at(const ft_algorithm *algorithm, size_t place, const char **name, const char **fact);

/*
 The dated remark on the algorithm's security at a place from 0, the newest first: its date, "info", "changed" (the specification
 changed because of an attack), "warning" or "broken", one sentence, and where it is published. The library owns the texts.

 Returns FT_EUNKNOWN behind the last.
 */
int ft_algorithm_note_at(const ft_algorithm *algorithm,
                         size_t place,
                         const char **date,
                         const char **severity,
                         const char **sentence,
                         const char **source);

/*
 How many implementations the algorithm has; 0 where only facts are known, or if this is no algorithm.
 */
size_t ft_implementation_count(const ft_algorithm *algorithm);

/*
 The algorithm's implementation at a place from 0. NULL behind the last, or if this is no algorithm.
 */
const ft_implementation *ft_implementation_at(const ft_algorithm *algorithm, size_t place);

/*
 Finds the algorithm's implementation by its name, such as "aws-lc"; with NULL for the name, the one that the catalog
 thinks best.

 Returns FT_EUNKNOWN where the algorithm has none of that name, and FT_ENOCODE where it has none at all.
 */
int ft_implementation_find(const ft_algorithm *algorithm,
                           const char *name,
                           const ft_implementation **implementation);

/*
 The implementation's name, such as "aws-lc". NULL if this is no implementation.
 */
const char *ft_implementation_name(const ft_implementation *implementation);

/*
 The version that the implementation states of itself. NULL if this is no implementation.
 */
const char *ft_implementation_version(const ft_implementation *implementation);

/*
 Reproduces the algorithm's official known answers with this very code, in this process, and says how many they were; 0 where
 there are none. It may take seconds.

 Returns FT_EPROOF if an answer is not reproduced; ft_error_detail() says which.
 */
int ft_implementation_prove(const ft_implementation *implementation,
                            uint64_t *answers);

/*
 Prepares a key for many sectors. ft_cipher_key_free() frees it.

 Returns FT_EKEY if the bytes are no key, or one that the standard forbids, such as two equal halves for XTS.
 */
int ft_cipher_key_new(const ft_implementation *implementation,
                      const uint8_t *key_bytes,
                      size_t key_length,
                      ft_cipher_key **key);

/*
 Encrypts consecutive sectors in place. first_tweak has 16 bytes.

 Returns FT_EARGUMENT if the data is no whole number of sectors or a sector is of no bytes, and FT_ELIBRARY if the cipher has
 no sectors of that size.
 */
int ft_cipher_encrypt(const ft_cipher_key *key,
                      const uint8_t *first_tweak,
                      uint64_t step,
                      size_t sector_size,
                      uint8_t *data,
                      size_t data_length);

/*
 Decrypts consecutive sectors in place. All is as with ft_cipher_encrypt().
 */
int ft_cipher_decrypt(const ft_cipher_key *key,
                      const uint8_t *first_tweak,
                      uint64_t step,
                      size_t sector_size,
                      uint8_t *data,
                      size_t data_length);

/*
 Frees a prepared key and wipes it, as far as the implementation does so. NULL is nothing to free.
 */
int ft_cipher_key_free(ft_cipher_key *key);

/*
 Attaches the algorithms that a description file, or every file .toml of a folder, describes. Nothing is started yet. To be called before any
 other function but those of errors and the version; flags are 0 or FT_ENGINE_LIBRARIES.

 Returns FT_EENGINE where a description is of no use or what it claims is taken, and FT_ELATE where an algorithm was looked for already.
 */
int ft_engine_attach(const char *path,
                     int flags);

/*
 The sentence for a code, in lower case and without a full stop. Never NULL; the library owns it.
 */
const char *ft_error_text(int code);

/*
 The particulars of the last failure of this thread, such as the length that a key should have had; an empty text before
 there was any. Never NULL. It is valid until a function fails in this thread again.
 */
const char *ft_error_detail(void);

/*
 The library's version, such as "0.1.0". The library owns it.
 */
const char *ft_version(void);

/*
 Restricts our own code to a level of the processor's extensions, as on a smaller machine, until the process ends: "avx512", "avx2", "sse"
 (AES-NI, PCLMULQDQ and SHA-NI on 128 bits) or "none". To be called before any other function but those of errors and the version.
 Other libraries have words of their own: AWS-LC reads OPENSSL_ia32cap from the environment when it is loaded.

 Returns FT_EARGUMENT where there is no such level, or the processor is below it, and FT_ELATE where code chose by them already.
 */
int ft_restrict_extensions(const char *level);

/*
 The digest of a message.
 */
int ft_digest(const ft_implementation *implementation,
              const uint8_t *message,
              size_t message_length,
              uint8_t *digest,
              size_t digest_capacity,
              size_t *digest_length);

/*
 The digests of many messages, which some implementations make several at once. Digest i begins at digests + i * stride.

 Returns FT_EBUFFER if a digest is longer than the stride.
 */
int ft_digest_many(const ft_implementation *implementation,
                   const ft_bytes *messages,
                   size_t count,
                   uint8_t *digests,
                   size_t stride);

/*
 Begins a message that comes in pieces. ft_stream_free() frees it.
 */
int ft_stream_new(const ft_implementation *implementation, ft_stream **stream);

/*
 Appends to the message.

 Returns FT_EFINISHED after ft_stream_finish().
 */
int ft_stream_update(const ft_stream *stream, const uint8_t *piece, size_t piece_length);

/*
 Ends the message and writes its digest. The handle is then good for ft_stream_free() alone, unless the code is FT_EBUFFER.

 Returns FT_EFINISHED if that was done before.
 */
int ft_stream_finish(const ft_stream *stream,
                     uint8_t *digest,
                     size_t digest_capacity,
                     size_t *digest_length);

/*
 Frees a message in pieces, finished or not. NULL is nothing to free.
 */
int ft_stream_free(ft_stream *stream);

/*
 Derives a traffic key from a master key and a context.

 Returns FT_EKEY if there are no master keys of that length.
 */
int ft_mac_derive(const ft_implementation *implementation,
                  const uint8_t *master_key,
                  size_t master_length,
                  const uint8_t *context,
                  size_t context_length,
                  uint8_t *traffic_key,
                  size_t traffic_capacity,
                  size_t *traffic_length);

/*
 Prepares a key for many messages. ft_mac_key_free() frees it.

 Returns FT_EKEY if there are no keys of that length.
 */
int ft_mac_key_new(const ft_implementation *implementation,
                   const uint8_t *traffic_key,
                   size_t traffic_length,
                   ft_mac_key **key);

/*
 Tags a message. The tag has as many bytes as are asked for.

 Returns FT_EARGUMENT if there are no tags of that length.
 */
int ft_mac_tag(const ft_mac_key *key,
               const uint8_t *message,
               size_t message_length,
               uint8_t *tag,
               size_t tag_length);

/*
 Tags many messages under one key, which some implementations do several at once. Tag i begins at tags + i * tag_length.

 Returns FT_EARGUMENT if there are no tags of that length.
 */
int ft_mac_tag_many(const ft_mac_key *key,
                    const ft_bytes *messages,
                    size_t count,
                    uint8_t *tags,
                    size_t tag_length);

/*
 Verifies a tag over a message, in a time that does not depend on where it is wrong.

 Returns FT_OK if it is right and FT_EWRONG if it is not, and FT_EARGUMENT if there are no tags of that length.
 */
int ft_mac_verify(const ft_mac_key *key,
                  const uint8_t *message,
                  size_t message_length,
                  const uint8_t *tag,
                  size_t tag_length);

/*
 Frees a prepared key and wipes it, as far as the implementation does so. NULL is nothing to free.
 */
int ft_mac_key_free(ft_mac_key *key);

/*
 The forms of the bytes of keys: FT_FORM_PLAIN, FT_FORM_RSA or FT_FORM_EC.
 */
int ft_key_forms(const ft_implementation *implementation, int *secret_form, int *public_form);

/*
 Makes a key pair from the operating system's randomness. The sizes "secret-key" and "public-key" of the algorithm are room
 enough, but for secret keys of RSA, for which 1200 bytes are.

 Returns FT_EBUFFER if one of both has not enough room; no key is written then.
 */
int ft_generate(const ft_implementation *implementation,
                uint8_t *secret,
                size_t secret_capacity,
                size_t *secret_length,
                uint8_t *public_key,
                size_t public_capacity,
                size_t *public_length);

/*
 Prepares a secret key for many signatures. ft_signing_key_free() frees it.

 Returns FT_EKEY if the bytes are no secret key.
 */
int ft_signing_key_new(const ft_implementation *implementation,
                       const uint8_t *secret,
                       size_t secret_length,
                       ft_signing_key **key);

/*
 The public key that belongs to a secret one.
 */
int ft_signing_key_public(const ft_signing_key *key,
                          uint8_t *public_key,
                          size_t public_capacity,
                          size_t *public_length);

/*
 Signs a message. The size "signature" of the algorithm is room enough.
 */
int ft_sign(const ft_signing_key *key,
            const uint8_t *message,
            size_t message_length,
            uint8_t *signature,
            size_t signature_capacity,
            size_t *signature_length);

/*
 Signs many messages under one key, which some implementations do several at once. Signature i begins at signatures + i * stride,
 and its length is number i of lengths.

 Returns FT_EBUFFER if a signature is longer than the stride; no signature is written then.
 */
int ft_sign_many(const ft_signing_key *key,
                 const ft_bytes *messages,
                 size_t count,
                 uint8_t *signatures,
                 size_t stride,
                 size_t *lengths);

/*
 Frees a prepared key and wipes it, as far as the implementation does so. NULL is nothing to free.
 */
int ft_signing_key_free(ft_signing_key *key);

/*
 Prepares a public key for many verifications. ft_verifying_key_free() frees it.

 Returns FT_EKEY if the bytes are no public key.
 */
int ft_verifying_key_new(const ft_implementation *implementation,
                         const uint8_t *public_key,
                         size_t public_length,
                         ft_verifying_key **key);

/*
 Verifies a signature over a message.

 Returns FT_OK if it is right and FT_EWRONG if it is not.
 */
int ft_verify(const ft_verifying_key *key,
              const uint8_t *message,
              size_t message_length,
              const uint8_t *signature,
              size_t signature_length);

/*
 Verifies many signatures under one key, which some implementations do several at once.

 Returns FT_OK if all are right. Otherwise the place of the first that is not is written, if first_wrong is not NULL.
 */
int ft_verify_many(const ft_verifying_key *key,
                   const ft_bytes *messages,
                   const ft_bytes *signatures,
                   size_t count,
                   size_t *first_wrong);

/*
 Frees a prepared key. NULL is nothing to free.
 */
int ft_verifying_key_free(ft_verifying_key *key);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* FIELDTEST_H */
