/* Signature algorithms by their DNSSEC number, for a server that knows none of them itself: libfieldtest behind three functions.
 *
 * Numbers are those that the catalog has: assigned ones (dnssec-iana), and those that fieldtest uses meanwhile (dnssec-private). The
 * environment variable FIELDTEST_DNSSEC adds others and goes before them: "200=falcon-512 201=mayo-2".
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

/* Whether there is an algorithm of that number; its sizes, if that is not NULL. */
int fieldtest_sizes(int number, struct fieldtest_sizes *sizes);

/* The code that serves that algorithm, with which libfieldtest makes keys and prepares them; NULL if there is none. */
const struct ft_implementation *fieldtest_implementation(int number);

/* Whether a signature is right, under a key that is prepared for this one. 1, 0, or -1 if the key is none. */
int fieldtest_verify(int number, const uint8_t *public_key, size_t public_length, const uint8_t *message,
                     size_t message_length, const uint8_t *signature, size_t signature_length);

#endif
