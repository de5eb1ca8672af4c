/* A toy library with the calls of NIST's interface as PQClean has them. It mixes key and message and calls that a signature: whoever
 * can verify can sign, and the mixing is no cryptography either.
 *
 *     cc -O2 -shared -fPIC -o libtoy.so toy.c
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>

enum { KEY = 32, SIGNATURE = 32 };

static void mix(uint64_t state[4], const uint8_t *octets, size_t length)
{
	for (size_t at = 0; at <= length; at++) {
		uint64_t next = at < length ? octets[at] : 256 + length;
		for (int lane = 0; lane < 4; lane++) {
			state[lane] = (state[lane] ^ next ^ (state[(lane + 3) % 4] >> 29)) * 0x9e3779b97f4a7c15u;
			state[lane] ^= state[lane] >> 32;
		}
	}
}

int toy_crypto_sign_keypair(uint8_t *pk, uint8_t *sk)
{
	if (getrandom(sk, KEY, 0) != KEY)
		return -1;
	memcpy(pk, sk, KEY); /* what no signature may do */
	return 0;
}

int toy_crypto_sign_signature(uint8_t *sig, size_t *siglen, const uint8_t *m, size_t mlen, const uint8_t *sk)
{
	uint64_t state[4] = {1, 2, 3, 4};
	mix(state, sk, KEY);
	mix(state, m, mlen);
	for (int at = 0; at < SIGNATURE; at++)
		sig[at] = (uint8_t)(state[at / 8] >> 8 * (at % 8));
	*siglen = SIGNATURE;
	return 0;
}

int toy_crypto_sign_verify(const uint8_t *sig, size_t siglen, const uint8_t *m, size_t mlen, const uint8_t *pk)
{
	uint8_t own[SIGNATURE];
	size_t length;
	toy_crypto_sign_signature(own, &length, m, mlen, pk);
	return siglen == length && memcmp(own, sig, length) == 0 ? 0 : -1;
}
