/* Several threads sign and verify under one prepared key of an algorithm. */
#include <fieldtest.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 2, ROUNDS = 200 };

static ft_signing_key *signing;
static ft_verifying_key *verifying;

static void check(int code, int expected)
{
    if (code == expected)
        return;
    fprintf(stderr, "%s: %s\n", ft_error_text(code), ft_error_detail());
    exit(1);
}

static void *work(void *number)
{
    static _Thread_local uint8_t signature[32768];
    size_t length;
    for (int round = 0; round < ROUNDS; round++) {
        uint8_t message[2] = {*(uint8_t *)number, (uint8_t)round};
        check(ft_sign(signing, message, 2, signature, sizeof signature, &length), FT_OK);
        check(ft_verify(verifying, message, 2, signature, length), FT_OK);
        message[0] ^= 0x80;
        check(ft_verify(verifying, message, 2, signature, length), FT_EWRONG);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static uint8_t secret[16384], public_key[16384];
    size_t secret_length, public_length;
    const ft_algorithm *algorithm;
    const ft_implementation *code;
    check(ft_algorithm_find(argc > 1 ? argv[1] : "ml-dsa-44", &algorithm), FT_OK);
    check(ft_implementation_find(algorithm, NULL, &code), FT_OK);
    check(ft_generate(code, secret, sizeof secret, &secret_length, public_key, sizeof public_key, &public_length), FT_OK);
    check(ft_signing_key_new(code, secret, secret_length, &signing), FT_OK);
    check(ft_verifying_key_new(code, public_key, public_length, &verifying), FT_OK);

    pthread_t threads[THREADS];
    uint8_t numbers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = (uint8_t)i;
        if (pthread_create(&threads[i], NULL, work, &numbers[i]) != 0)
            return 1;
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    check(ft_signing_key_free(signing), FT_OK);
    check(ft_verifying_key_free(verifying), FT_OK);
    return 0;
}
