/* Signature algorithms by their DNSSEC number, for a server that knows none of them itself: libfieldtest behind a few functions.
 *
 * Numbers are those that the catalog has: assigned ones (dnssec-iana), and those that fieldtest uses meanwhile (dnssec-private). The
 * environment variable FIELDTEST_DNSSEC adds others and goes before them: "200=falcon-512 201=mayo-2". Under 253 and 254 a name or an object
 * identifier stands before each key and signature (RFC 4034, appendix A.1.1): "253:falcon.example.=falcon-512 254:1.3.6.1.4.1.32473.1=mayo-2".
 *
 * Keys and signatures are in DNSSEC what they are in their specifications, so algorithms whose keys have another form (RSA, ECDSA)
 * are not here; every server has them.
 */
#ifndef FIELDTEST_RESOLVERS_ALGORITHMS_H
#define FIELDTEST_RESOLVERS_ALGORITHMS_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the longest key and signature of any algorithm, for buffers of a fixed size. SLH-DSA has the longest signatures. */
enum { FIELDTEST_LONGEST_PUBLIC = 8192, FIELDTEST_LONGEST_SECRET = 16384, FIELDTEST_LONGEST_SIGNATURE = 32768 };

struct fieldtest_sizes {
    size_t public_key, secret_key, signature; /* the longest, where a length varies */
};

/* Whether there is an algorithm of that number; its sizes, if that is not NULL: the longest of those that share it. */
int fieldtest_sizes(int number, struct fieldtest_sizes *sizes);

struct fieldtest_algorithm {
    const char *name;
    const struct ft_implementation *code; /* with which libfieldtest makes keys and prepares them */
    struct fieldtest_sizes sizes;         /* what stands before included */
    const uint8_t *prefix;                /* what stands before keys and signatures; usually nothing */
    size_t prefix_length;
    int is_name;                          /* the prefix, which has no case then */
};

/* The algorithm of that number whose key begins so, or without a key the first one of that number; NULL if there is none. */
const struct fieldtest_algorithm *fieldtest_algorithm(int number, const uint8_t *key, size_t length);

/* Whether a key or a signature begins as those of this algorithm do. */
int fieldtest_has_prefix(const struct fieldtest_algorithm *algorithm, const uint8_t *field, size_t length);

/* Tells whoever runs the server whose last call of libfieldtest failed, and by what: an engine's fault, that is. Servers have their own, which
 * writes into their log, as standard error is closed in the background. */
void fieldtest_complain(const char *algorithm);

/* The same for a signature that was not verified, at most once a second: anybody can have a resolver meet many. */
void fieldtest_failed(const char *algorithm);

/* Whether a signature is right, under a key that is prepared for this one. 1, 0, or -1 if the key is none. */
int fieldtest_verify(int number, const uint8_t *public_key, size_t public_length, const uint8_t *message,
                     size_t message_length, const uint8_t *signature, size_t signature_length);

#endif
