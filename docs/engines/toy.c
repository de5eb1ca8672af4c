/* A toy library: signatures with the calls of NIST's interface as PQClean has them, a hash function and a MAC with those of SUPERCOP and
 * NaCl, a cipher with our own. It mixes key and message and calls that a signature: whoever can verify can sign, and the mixing is no
 * cryptography either.
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

static void put(const uint64_t state[4], uint8_t *octets, size_t length)
{
	for (size_t at = 0; at < length; at++)
		octets[at] = (uint8_t)(state[at / 8 % 4] >> 8 * (at % 8));
}

int toy_crypto_sign_signature(uint8_t *sig, size_t *siglen, const uint8_t *m, size_t mlen, const uint8_t *sk)
{
	uint64_t state[4] = {1, 2, 3, 4};
	mix(state, sk, KEY);
	mix(state, m, mlen);
	put(state, sig, SIGNATURE);
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

int toy_crypto_hash(uint8_t *out, const uint8_t *in, unsigned long long inlen)
{
	uint64_t state[4] = {5, 6, 7, 8};
	mix(state, in, inlen);
	put(state, out, 32);
	return 0;
}

int toy_crypto_auth(uint8_t *out, const uint8_t *in, unsigned long long inlen, const uint8_t *k)
{
	uint64_t state[4] = {1, 2, 3, 4};
	mix(state, k, KEY);
	mix(state, in, inlen);
	put(state, out, 16);
	return 0;
}

int toy_crypto_auth_derive(uint8_t *k, const uint8_t *master, unsigned long long masterlen, const uint8_t *context,
                           unsigned long long contextlen)
{
	uint64_t state[4] = {9, 10, 11, 12};
	mix(state, master, masterlen);
	mix(state, context, contextlen);
	put(state, k, KEY);
	return 0;
}

/* A Feistel network: a sector's halves mask each other, there and, in the other order, back. */
static int sector(uint8_t *data, unsigned long long length, const uint8_t *tweak, const uint8_t *k, int first, int step)
{
	size_t half = length / 2;
	for (int round = first; round >= 0 && round < 4; round += step) {
		uint8_t *masked = round % 2 ? data + half : data, *other = round % 2 ? data : data + half;
		size_t length_of[2] = {half, length - half};
		uint64_t state[4] = {round, 2, 3, 4};
		mix(state, k, KEY);
		mix(state, tweak, 16);
		mix(state, other, length_of[1 - round % 2]);
		for (size_t at = 0; at < length_of[round % 2]; at += 32) {
			uint8_t mask[32];
			mix(state, tweak, 16);
			put(state, mask, sizeof mask);
			for (size_t i = at; i < length_of[round % 2] && i < at + sizeof mask; i++)
				masked[i] ^= mask[i - at];
		}
	}
	return 0;
}

int toy_crypto_sector_encrypt(uint8_t *data, unsigned long long length, const uint8_t *tweak, const uint8_t *k)
{
	return sector(data, length, tweak, k, 0, 1);
}

int toy_crypto_sector_decrypt(uint8_t *data, unsigned long long length, const uint8_t *tweak, const uint8_t *k)
{
	return sector(data, length, tweak, k, 3, -1);
}
