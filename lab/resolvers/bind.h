/* What the lines that build.sh changes in BIND 9 ask for; the compiler puts this before each of BIND's own files. bind.c has the rest. */
#ifndef FIELDTEST_RESOLVERS_BIND_H
#define FIELDTEST_RESOLVERS_BIND_H

#include "algorithms.h"
#include "verifications.h"

enum {
    /* Flags, protocol and algorithm before the key (RFC 4034, section 2.1), and the three times of BIND's own KEYDATA. */
    FIELDTEST_LONGEST_DNSKEY = 12 + 4 + FIELDTEST_LONGEST_PUBLIC,
    /* 18 octets and the signer's name before the signature (RFC 4034, section 3.1). */
    FIELDTEST_LONGEST_RRSIG = 18 + 255 + FIELDTEST_LONGEST_SIGNATURE,
    /* What is said to be a key's length where BIND asks for one; none at all would be a null key. */
    FIELDTEST_BITS = 256
};

struct dst_func;

/* Adds the functions for every algorithm that BIND lacks to its table, which goes by number. */
void fieldtest_add(struct dst_func *functions[]);

/* How long a signature can be; 0 if there is no algorithm of that number. */
unsigned int fieldtest_longest_signature(unsigned int number);

#endif
