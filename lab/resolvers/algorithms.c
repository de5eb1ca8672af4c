/* Signature algorithms by their DNSSEC number; algorithms.h says what for. */
#include "algorithms.h"

#include <ctype.h>
#include <fieldtest.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PRIVATE_DNS = 253, PRIVATE_OID = 254, LONGEST_PREFIX = 255, MOST_PRIVATE = 16 };

struct entry {
    struct fieldtest_algorithm algorithm; /* without code: no algorithm of that number */
    int number;
    uint8_t prefix[LONGEST_PREFIX];
};

/* Filled once, then only read. */
static struct entry entries[256], privates[MOST_PRIVATE];
static size_t all_privates;
static pthread_once_t filled = PTHREAD_ONCE_INIT;

/* Where a server starts: its log is not open yet, standard error still is. */
static void complain(const char *what)
{
    fprintf(stderr, "libfieldtest: %s: %s\n", what, ft_error_detail());
}

__attribute__((weak)) void fieldtest_complain(const char *algorithm)
{
    complain(algorithm);
}

void fieldtest_failed(const char *algorithm)
{
    static time_t told;
    time_t now = time(NULL);
    if (__atomic_exchange_n(&told, now, __ATOMIC_RELAXED) != now)
        fieldtest_complain(algorithm);
}

static void add(struct entry *entry, int number, const ft_algorithm *algorithm, size_t prefix)
{
    struct fieldtest_algorithm found = {.prefix = entry->prefix, .prefix_length = prefix, .is_name = number == PRIVATE_DNS,
                                        .name = ft_algorithm_name(algorithm)};
    int secret_form, public_form;
    if (entry->algorithm.code != NULL)
        return;
    if (ft_implementation_find(algorithm, NULL, &found.code) != FT_OK)
        return; /* known by its sizes alone */
    if (ft_key_forms(found.code, &secret_form, &public_form) != FT_OK || secret_form != FT_FORM_PLAIN ||
        public_form != FT_FORM_PLAIN)
        return;
    if (ft_algorithm_size(algorithm, "public-key", &found.sizes.public_key) != FT_OK ||
        ft_algorithm_size(algorithm, "secret-key", &found.sizes.secret_key) != FT_OK ||
        ft_algorithm_size(algorithm, "signature", &found.sizes.signature) != FT_OK)
        return;
    found.sizes.public_key += prefix;
    found.sizes.signature += prefix;
    if (found.sizes.public_key > FIELDTEST_LONGEST_PUBLIC || found.sizes.secret_key > FIELDTEST_LONGEST_SECRET ||
        found.sizes.signature > FIELDTEST_LONGEST_SIGNATURE)
        return;
    entry->number = number;
    entry->algorithm = found;
}

/* "toy.example." on the wire, in lower case and without escapes; 0 if it is none. */
static size_t name_prefix(const char *text, uint8_t *out)
{
    size_t length = 0;
    while (*text != '\0') {
        size_t label = strcspn(text, ".");
        if (label == 0 || label > 63 || length + label + 2 > LONGEST_PREFIX || memchr(text, '\\', label) != NULL)
            return 0;
        out[length++] = (uint8_t)label;
        for (size_t i = 0; i < label; i++)
            out[length++] = (uint8_t)tolower((unsigned char)text[i]);
        text += label + (text[label] == '.');
    }
    out[length] = 0;
    return length > 0 ? length + 1 : 0;
}

/* "1.3.6.1.4.1.32473.1" in DER, behind an octet of its length; 0 if it is none. */
static size_t oid_prefix(const char *text, uint8_t *out)
{
    size_t length = 3, arcs = 0;
    unsigned long first = 0;
    for (;; arcs++) {
        char *end;
        unsigned long arc = strtoul(text, &end, 10);
        if (!isdigit((unsigned char)*text) || arc > 0xffffffff || (arcs == 0 && arc > 2) ||
            (arcs == 1 && first < 2 && arc > 39) || length > 60)
            return 0;
        if (arcs == 0) {
            first = arc;
        } else {
            unsigned long value = arcs == 1 ? 40 * first + arc : arc;
            int digits = 1;
            while (digits < 5 && value >> (7 * digits) != 0)
                digits++;
            for (; digits > 0; digits--)
                out[length++] = (uint8_t)((value >> (7 * (digits - 1)) & 0x7f) | (digits > 1 ? 0x80 : 0));
        }
        text = end;
        if (*text == '\0')
            break;
        if (*text++ != '.')
            return 0;
    }
    out[0] = (uint8_t)(length - 1);
    out[1] = 6;
    out[2] = (uint8_t)(length - 3);
    return arcs > 0 ? length : 0;
}

/* "200=falcon-512 253:toy.example.=toy" */
static void add_named(const char *text)
{
    char *copy = strdup(text), *rest = copy, *one;
    while (copy != NULL && (one = strtok_r(rest, " ,", &rest)) != NULL) {
        char *behind, *name = strrchr(one, '=');
        const ft_algorithm *algorithm;
        unsigned long number = strtoul(one, &behind, 10);
        struct entry *entry = NULL;
        size_t prefix = 0;
        if (name != NULL && behind == name && number > 0 && number < 252) {
            entry = &entries[number];
        } else if (name != NULL && *behind == ':' && (number == PRIVATE_DNS || number == PRIVATE_OID) &&
                   all_privates < MOST_PRIVATE) {
            *name = '\0';
            entry = &privates[all_privates];
            prefix = (number == PRIVATE_DNS ? name_prefix : oid_prefix)(behind + 1, entry->prefix);
            *name = '=';
        }
        if (entry == NULL || (number >= 252 && prefix == 0))
            fprintf(stderr,
                    "FIELDTEST_DNSSEC: '%s' is not NUMBER=ALGORITHM with a number from 1 to 251, 253:NAME=ALGORITHM or 254:OID=ALGORITHM\n",
                    one);
        else if (ft_algorithm_find(name + 1, &algorithm) != FT_OK)
            complain("FIELDTEST_DNSSEC");
        else {
            add(entry, (int)number, algorithm, prefix);
            all_privates += prefix > 0 && entry->algorithm.code != NULL;
            if (entry->algorithm.code == NULL)
                fprintf(stderr, "FIELDTEST_DNSSEC: '%s': no signature algorithm that can be run, with keys as they are in a record\n", one);
        }
    }
    free(copy);
}

static void fill(void)
{
    static const char *const registries[] = {"dnssec-iana", "dnssec-private"};
    const char *named = getenv("FIELDTEST_DNSSEC");
    const ft_algorithm *none;
    /* Of engines that could not be attached, once: a name that nothing has asks for it, and is told before. */
    if (ft_algorithm_find("-", &none) == FT_EENGINE) {
        const char *why = strstr(ft_error_detail(), "FIELDTEST_ENGINES");
        fprintf(stderr, "libfieldtest: %s\n", why != NULL ? why : ft_error_detail());
    }
    if (named != NULL)
        add_named(named);
    for (size_t i = 0; i < sizeof registries / sizeof *registries; i++) {
        for (unsigned number = 1; number < 252; number++) {
            const ft_algorithm *algorithm;
            if (ft_algorithm_find_number(registries[i], number, &algorithm) == FT_OK)
                add(&entries[number], (int)number, algorithm, 0);
        }
    }
}

/* A relative path is meant from where the server was started, and not from its own folder or its chroot, where it first asks for an
 * algorithm. Programs go by IANA's numbers and our own without that. */
__attribute__((constructor)) static void fill_early(void)
{
    if (getenv("FIELDTEST_ENGINES") != NULL)
        pthread_once(&filled, fill);
}

int fieldtest_sizes(int number, struct fieldtest_sizes *sizes)
{
    struct fieldtest_sizes longest = {0, 0, 0};
    pthread_once(&filled, fill);
    if (number > 0 && number < 252 && entries[number].algorithm.code != NULL)
        longest = entries[number].algorithm.sizes;
    for (size_t i = 0; i < all_privates; i++) {
        const struct fieldtest_sizes *own = &privates[i].algorithm.sizes;
        if (privates[i].number != number)
            continue;
        longest.public_key = own->public_key > longest.public_key ? own->public_key : longest.public_key;
        longest.secret_key = own->secret_key > longest.secret_key ? own->secret_key : longest.secret_key;
        longest.signature = own->signature > longest.signature ? own->signature : longest.signature;
    }
    if (sizes != NULL)
        *sizes = longest;
    return longest.signature > 0;
}

int fieldtest_has_prefix(const struct fieldtest_algorithm *algorithm, const uint8_t *field, size_t length)
{
    if (length < algorithm->prefix_length)
        return 0;
    for (size_t i = 0; i < algorithm->prefix_length; i++) {
        /* Names have no case; an identifier's octets are no letters. */
        int octet = algorithm->is_name ? tolower(field[i]) : field[i];
        if (octet != algorithm->prefix[i])
            return 0;
    }
    return 1;
}

const struct fieldtest_algorithm *fieldtest_algorithm(int number, const uint8_t *key, size_t length)
{
    pthread_once(&filled, fill);
    if (number > 0 && number < 252 && entries[number].algorithm.code != NULL)
        return &entries[number].algorithm;
    for (size_t i = 0; i < all_privates; i++) {
        if (privates[i].number == number &&
            (key == NULL || fieldtest_has_prefix(&privates[i].algorithm, key, length)))
            return &privates[i].algorithm;
    }
    return NULL;
}

int fieldtest_verify(int number, const uint8_t *public_key, size_t public_length, const uint8_t *message,
                     size_t message_length, const uint8_t *signature, size_t signature_length)
{
    const struct fieldtest_algorithm *algorithm = fieldtest_algorithm(number, public_key, public_length);
    size_t prefix = algorithm != NULL ? algorithm->prefix_length : 0;
    ft_verifying_key *key;
    if (algorithm == NULL ||
        ft_verifying_key_new(algorithm->code, public_key + prefix, public_length - prefix, &key) != FT_OK)
        return -1;
    int result = FT_EWRONG;
    if (fieldtest_has_prefix(algorithm, signature, signature_length))
        result = ft_verify(key, message, message_length, signature + prefix, signature_length - prefix);
    if (result == FT_ELIBRARY)
        fieldtest_failed(algorithm->name); /* an engine that fails its proof, ended or hung: the signature is not proven right */
    ft_verifying_key_free(key);
    return result == FT_OK;
}
