/* Unbound's validator with every algorithm, without a change of its source: the linker leads its two questions on algorithms here
 * (--wrap), and what is none of ours goes on to Unbound.
 */
#include "config.h"

#include <fieldtest.h>

#include "sldns/sbuffer.h"
#include "util/data/packed_rrset.h"
#include "util/log.h"

#include "algorithms.h"
#include "verifications.h"

int __real_dnskey_algo_id_is_supported(int number);
enum sec_status __real_verify_canonrrset(sldns_buffer *signed_data, int number, unsigned char *signature,
                                         unsigned int signature_length, unsigned char *key, unsigned int key_length,
                                         char **reason);

void fieldtest_complain(const char *algorithm)
{
    log_err("libfieldtest: %s: %s", algorithm, ft_error_detail());
}

int __wrap_dnskey_algo_id_is_supported(int number)
{
    return __real_dnskey_algo_id_is_supported(number) || fieldtest_sizes(number, NULL);
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
    uint64_t before = fieldtest_before();
    enum sec_status status = verify(signed_data, number, signature, signature_length, key, key_length, reason);
    fieldtest_after(before, 1);
    return status;
}
