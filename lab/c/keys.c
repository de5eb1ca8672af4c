/* Makes and frees so many keys of an algorithm and looks whether the process grows. */
#include <fieldtest.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static void check(int code)
{
    if (code == FT_OK)
        return;
    fprintf(stderr, "%s: %s\n", ft_error_text(code), ft_error_detail());
    exit(1);
}

/* The largest resident memory so far, in KiB: it grows with every leak. */
static long resident(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static void one(const ft_implementation *code)
{
    static uint8_t secret[16384], public_key[16384], signature[32768];
    size_t secret_length, public_length, length;
    ft_signing_key *signing;
    ft_verifying_key *verifying;
    check(ft_generate(code, secret, sizeof secret, &secret_length, public_key, sizeof public_key, &public_length));
    check(ft_signing_key_new(code, secret, secret_length, &signing));
    check(ft_verifying_key_new(code, public_key, public_length, &verifying));
    check(ft_sign(signing, secret, 1, signature, sizeof signature, &length));
    check(ft_verify(verifying, secret, 1, signature, length));
    check(ft_signing_key_free(signing));
    check(ft_verifying_key_free(verifying));
}

int main(int argc, char **argv)
{
    const ft_algorithm *algorithm;
    const ft_implementation *code;
    if (argc != 3)
        return 2;
    check(ft_algorithm_find(argv[1], &algorithm));
    check(ft_implementation_find(algorithm, NULL, &code));
    long count = atol(argv[2]);
    for (long i = 0; i < count / 10; i++)
        one(code);
    long before = resident();
    for (long i = 0; i < count; i++)
        one(code);
    long grown = resident() - before;
    printf("%ld keys of %s: grown by %ld KiB\n", count, argv[1], grown);
    return grown > 256; /* a leak of 32 bytes a key would be more */
}
