/* Signature algorithms by their DNSSEC number; algorithms.h says what for. */
#include "algorithms.h"

#include <fieldtest.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    const ft_implementation *code; /* NULL: no algorithm of that number */
    struct fieldtest_sizes sizes;
};

/* Filled once, then only read. */
static struct entry entries[256];
static pthread_once_t filled = PTHREAD_ONCE_INIT;

static void complain(const char *what)
{
    fprintf(stderr, "libfieldtest: %s: %s\n", what, ft_error_detail());
}

static void add(unsigned long number, const ft_algorithm *algorithm)
{
    struct entry entry;
    int secret_form, public_form;
    if (number >= 256 || entries[number].code != NULL)
        return;
    if (ft_implementation_find(algorithm, NULL, &entry.code) != FT_OK)
        return; /* known by its sizes alone */
    if (ft_key_forms(entry.code, &secret_form, &public_form) != FT_OK || secret_form != FT_FORM_PLAIN ||
        public_form != FT_FORM_PLAIN)
        return;
    if (ft_algorithm_size(algorithm, "public-key", &entry.sizes.public_key) != FT_OK ||
        ft_algorithm_size(algorithm, "secret-key", &entry.sizes.secret_key) != FT_OK ||
        ft_algorithm_size(algorithm, "signature", &entry.sizes.signature) != FT_OK)
        return;
    if (entry.sizes.public_key > FIELDTEST_LONGEST_PUBLIC || entry.sizes.secret_key > FIELDTEST_LONGEST_SECRET ||
        entry.sizes.signature > FIELDTEST_LONGEST_SIGNATURE)
        return;
    entries[number] = entry;
}

/* "200=falcon-512 201=mayo-2" */
static void add_named(const char *text)
{
    char *copy = strdup(text), *rest = copy, *one;
    while (copy != NULL && (one = strtok_r(rest, " ,", &rest)) != NULL) {
        char *name;
        const ft_algorithm *algorithm;
        unsigned long number = strtoul(one, &name, 10);
        if (*name != '=' || number == 0 || number >= 252)
            fprintf(stderr, "FIELDTEST_DNSSEC: '%s' is not NUMBER=ALGORITHM with a number from 1 to 251\n", one);
        else if (ft_algorithm_find(name + 1, &algorithm) != FT_OK)
            complain("FIELDTEST_DNSSEC");
        else
            add(number, algorithm);
    }
    free(copy);
}

static void fill(void)
{
    static const char *const registries[] = {"dnssec-iana", "dnssec-private"};
    const char *named = getenv("FIELDTEST_DNSSEC");
    const ft_algorithm *none;
    /* Of engines that could not be attached, once: a name that nothing has asks for it. */
    if (ft_algorithm_find("-", &none) == FT_EENGINE)
        complain("engines");
    if (named != NULL)
        add_named(named);
    for (size_t i = 0; i < sizeof registries / sizeof *registries; i++) {
        for (unsigned number = 1; number < 252; number++) {
            const ft_algorithm *algorithm;
            if (ft_algorithm_find_number(registries[i], number, &algorithm) == FT_OK)
                add(number, algorithm);
        }
    }
}

static const struct entry *entry_of(int number)
{
    pthread_once(&filled, fill);
    return number > 0 && number < 256 && entries[number].code != NULL ? &entries[number] : NULL;
}

int fieldtest_sizes(int number, struct fieldtest_sizes *sizes)
{
    const struct entry *entry = entry_of(number);
    if (entry != NULL && sizes != NULL)
        *sizes = entry->sizes;
    return entry != NULL;
}

const ft_implementation *fieldtest_implementation(int number)
{
    const struct entry *entry = entry_of(number);
    return entry != NULL ? entry->code : NULL;
}

int fieldtest_verify(int number, const uint8_t *public_key, size_t public_length, const uint8_t *message,
                     size_t message_length, const uint8_t *signature, size_t signature_length)
{
    const struct entry *entry = entry_of(number);
    ft_verifying_key *key;
    if (entry == NULL || ft_verifying_key_new(entry->code, public_key, public_length, &key) != FT_OK)
        return -1;
    int result = ft_verify(key, message, message_length, signature, signature_length);
    if (result == FT_ELIBRARY)
        complain("verifying"); /* an engine that ended, hung or lied: the signature is not proven right */
    ft_verifying_key_free(key);
    return result == FT_OK;
}
