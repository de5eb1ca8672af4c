/* Unbound's validator with every algorithm, without a change of its source: the linker leads its two questions on algorithms here
 * (--wrap), and what is none of ours goes on to Unbound.
 *
 * Where the environment variable FIELDTEST_VERIFICATIONS names a file of 16 octets, it has how many signatures were verified by now and how
 * many nanoseconds of processor that took, as two integers of the machine's own order, Unbound's own algorithms among them.
 */
#include "config.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sldns/sbuffer.h"
#include "util/data/packed_rrset.h"

#include "algorithms.h"

int __real_dnskey_algo_id_is_supported(int number);
enum sec_status __real_verify_canonrrset(sldns_buffer *signed_data, int number, unsigned char *signature,
                                         unsigned int signature_length, unsigned char *key, unsigned int key_length,
                                         char **reason);

int __wrap_dnskey_algo_id_is_supported(int number)
{
    return __real_dnskey_algo_id_is_supported(number) || fieldtest_sizes(number, NULL);
}

struct verifications {
    uint64_t number, nanoseconds;
};

/* Mapped once; NULL where nobody asked for it. */
static struct verifications *verifications;
static pthread_once_t mapped = PTHREAD_ONCE_INIT;

static void map(void)
{
    const char *path = getenv("FIELDTEST_VERIFICATIONS");
    struct stat status;
    int file = path != NULL ? open(path, O_RDWR | O_CLOEXEC) : -1;
    void *memory = MAP_FAILED;
    if (path == NULL)
        return;
    /* A file that is shorter would end the program at the first write. */
    if (file >= 0 && fstat(file, &status) == 0 && status.st_size >= (off_t) sizeof *verifications)
        memory = mmap(NULL, sizeof *verifications, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED)
        verifications = memory;
    else
        fprintf(stderr, "FIELDTEST_VERIFICATIONS: %s is no file of %zu octets\n", path, sizeof *verifications);
    if (file >= 0)
        close(file);
}

static uint64_t processor(void)
{
    struct timespec time;
    return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0
        ? (uint64_t) time.tv_sec * 1000000000 + (uint64_t) time.tv_nsec : 0;
}

static enum sec_status verify(sldns_buffer *signed_data, int number, unsigned char *signature,
                              unsigned int signature_length, unsigned char *key, unsigned int key_length,
                              char **reason)
{
    if (__real_dnskey_algo_id_is_supported(number) || !fieldtest_sizes(number, NULL))
        return __real_verify_canonrrset(signed_data, number, signature, signature_length, key, key_length, reason);
    switch (fieldtest_verify(number, key, key_length, sldns_buffer_begin(signed_data), sldns_buffer_limit(signed_data),
                             signature, signature_length)) {
    case 1:
        return sec_status_secure;
    case 0:
        *reason = "signature crypto failed";
        return sec_status_bogus;
    default:
        *reason = "use of key for crypto failed";
        return sec_status_unchecked;
    }
}

enum sec_status __wrap_verify_canonrrset(sldns_buffer *signed_data, int number, unsigned char *signature,
                                         unsigned int signature_length, unsigned char *key, unsigned int key_length,
                                         char **reason)
{
    pthread_once(&mapped, map);
    if (verifications == NULL)
        return verify(signed_data, number, signature, signature_length, key, key_length, reason);
    uint64_t begun = processor();
    enum sec_status status = verify(signed_data, number, signature, signature_length, key, key_length, reason);
    __atomic_fetch_add(&verifications->nanoseconds, processor() - begun, __ATOMIC_RELAXED);
    __atomic_fetch_add(&verifications->number, 1, __ATOMIC_RELAXED);
    return status;
}
