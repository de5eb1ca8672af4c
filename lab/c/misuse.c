/* Wrong use from C itself: every call must end with its code. For valgrind, which sees what is read and written meanwhile. */
#include <fieldtest.h>
#include <stdio.h>
#include <string.h>

static int wrong;

static void expect(int line, int found, int expected)
{
    if (found == expected)
        return;
    wrong++;
    fprintf(stderr, "line %d: %d (%s) where %d was expected\n", line, found, ft_error_text(found), expected);
}
#define EXPECT(call, code) expect(__LINE__, call, code)

int main(void)
{
    const ft_algorithm *algorithm;
    const ft_implementation *code;
    uint8_t secret[64], public_key[64], signature[64], exact[63];
    size_t secret_length, public_length, length;
    EXPECT(ft_algorithm_find("ed25519", &algorithm), FT_OK);
    EXPECT(ft_implementation_find(algorithm, NULL, &code), FT_OK);
    EXPECT(ft_generate(code, secret, sizeof secret, &secret_length, public_key, sizeof public_key, &public_length), FT_OK);

    ft_signing_key *signing;
    ft_verifying_key *verifying;
    EXPECT(ft_signing_key_new(code, secret, 5, &signing), FT_EKEY);
    EXPECT(ft_signing_key_new(code, secret, secret_length, &signing), FT_OK);
    EXPECT(ft_verifying_key_new(code, public_key, public_length, &verifying), FT_OK);
    EXPECT(ft_sign(signing, NULL, 1, signature, sizeof signature, &length), FT_ENULL);
    EXPECT(ft_sign(signing, NULL, 0, exact, sizeof exact, &length), FT_EBUFFER);
    EXPECT(length == 64 ? FT_OK : FT_EINTERNAL, FT_OK);
    EXPECT(ft_sign(signing, NULL, 0, signature, sizeof signature, NULL), FT_ENULL);
    EXPECT(ft_sign(signing, NULL, 0, signature, sizeof signature, &length), FT_OK);
    EXPECT(ft_verify(verifying, NULL, 0, signature, length), FT_OK);
    EXPECT(ft_verify(verifying, NULL, 0, signature, length - 1), FT_EWRONG);
    EXPECT(ft_verify((ft_verifying_key *)(void *)signing, NULL, 0, signature, length), FT_EHANDLE);
    EXPECT(ft_verify((const ft_verifying_key *)(const void *)"no handle at all", NULL, 0, signature, length), FT_EHANDLE);
    EXPECT(ft_digest(code, NULL, 0, signature, sizeof signature, &length), FT_EKIND);
    EXPECT(ft_signing_key_free((ft_signing_key *)(void *)verifying), FT_EHANDLE);
    EXPECT(ft_algorithm_find("no such thing", &algorithm), FT_EUNKNOWN);
    EXPECT(strlen(ft_error_detail()) > 0 ? FT_OK : FT_EINTERNAL, FT_OK);
    EXPECT(ft_signing_key_free(NULL), FT_OK);
    EXPECT(ft_signing_key_free(signing), FT_OK);
    EXPECT(ft_verifying_key_free(verifying), FT_OK);
    return wrong != 0;
}
