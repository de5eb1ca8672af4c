/* What a server's verifications take, for whoever measures it from outside.
 *
 * Where the environment variable FIELDTEST_VERIFICATIONS names a file of 16 octets, that has how many signatures were verified by now and how
 * many nanoseconds of processor that took, as two integers of the machine's own order: the server's own algorithms, which its OpenSSL
 * verifies, as well as those of libfieldtest.
 */
#ifndef FIELDTEST_RESOLVERS_VERIFICATIONS_H
#define FIELDTEST_RESOLVERS_VERIFICATIONS_H

#include <stdint.h>

/* The processor time of this thread, in nanoseconds; 0 where nobody asked for it. */
uint64_t fieldtest_before(void);

/* Adds what was taken since then, and so many signatures. */
void fieldtest_after(uint64_t before, unsigned int signatures);

#endif
