/* Makes a key pair of an algorithm, signs a message, and verifies it.
 *
 *     cc sign.c $(pkg-config --cflags --libs fieldtest) -o sign && ./sign ml-dsa-44
 */
#include <fieldtest.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the program where a call failed, with what the library says. */
static void check(int code, const char *what)
{
    if (code == FT_OK)
        return;
    fprintf(stderr, "%s: %s: %s\n", what, ft_error_text(code), ft_error_detail());
    exit(1);
}

static size_t size_of(const ft_algorithm *algorithm, const char *name)
{
    size_t size;
    check(ft_algorithm_size(algorithm, name, &size), name);
    return size;
}

static unsigned char *room(size_t size)
{
    unsigned char *bytes = (unsigned char *)malloc(size);
    if (bytes == NULL)
        abort();
    return bytes;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "ml-dsa-44";
    const ft_algorithm *algorithm;
    const ft_implementation *code;
    check(ft_algorithm_find(name, &algorithm), name);
    check(ft_implementation_find(algorithm, argc > 2 ? argv[2] : NULL, &code), name);

    const char *title, *standard;
    uint32_t number;
    check(ft_algorithm_fact(algorithm, "title", &title), "title");
    check(ft_algorithm_fact(algorithm, "standard", &standard), "standard");
    printf("%s (%s), by %s %s\n", title, standard, ft_implementation_name(code), ft_implementation_version(code));
    if (ft_algorithm_number(algorithm, "dnssec-iana", &number) == FT_OK)
        printf("number %u in DNSSEC\n", (unsigned)number);

    /* A stored secret key of RSA is of no fixed length, but never longer than this. */
    size_t secret_length = size_of(algorithm, "secret-key") + 1200, public_length = size_of(algorithm, "public-key");
    size_t signature_length = size_of(algorithm, "signature");
    unsigned char *secret = room(secret_length), *public_key = room(public_length);
    unsigned char *signature = room(signature_length);
    check(ft_generate(code, secret, secret_length, &secret_length, public_key, public_length, &public_length),
          "generate");

    const unsigned char message[] = "a message";
    ft_signing_key *signing;
    ft_verifying_key *verifying;
    check(ft_signing_key_new(code, secret, secret_length, &signing), "signing key");
    check(ft_verifying_key_new(code, public_key, public_length, &verifying), "verifying key");
    check(ft_sign(signing, message, sizeof message, signature, signature_length, &signature_length), "sign");
    check(ft_verify(verifying, message, sizeof message, signature, signature_length), "verify");
    printf("secret key %zu bytes, public key %zu, signature %zu: right\n", secret_length, public_length,
           signature_length);

    signature[signature_length / 2] ^= 1;
    int code_of_wrong = ft_verify(verifying, message, sizeof message, signature, signature_length);
    printf("one bit flipped: %s\n", ft_error_text(code_of_wrong));

    check(ft_signing_key_free(signing), "free");
    check(ft_verifying_key_free(verifying), "free");
    free(secret);
    free(public_key);
    free(signature);
    return code_of_wrong == FT_EWRONG ? 0 : 1;
}
