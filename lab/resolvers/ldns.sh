# shellcheck shell=bash disable=SC2034,SC2154
# The verifier of zones of ldns with every algorithm, for build.sh: its two questions on algorithms have ours as their last answer. Its
# keys and its signer ask in more places, and stay as they are.

ldns_sources() {
    source_package=ldns
    made=(ldns-verify-zone)
    ours=(ldns.sh)
}

ldns_needs() { :; }

# In the unpacked source.
ldns_build() {
    # A signature as its record has it, and whether it is right.
    edit dnssec_verify.c 2 '/^ldns_rrsig2rawsig_buffer\(/,/^\}/s/^\t\treturn LDNS_STATUS_CRYPTO_UNKNOWN_ALGO;/\t\tif (fieldtest_sizes(sig_algo, NULL) \&\& ldns_rr_rdf(rrsig, 8))\n\t\t\treturn ldns_rdf2buffer_wire(rawsig_buf, ldns_rr_rdf(rrsig, 8));\n&/'
    edit dnssec_verify.c 3 '/^ldns_verify_rrsig_buffers_raw\(/,/^\}/s/^\t\treturn LDNS_STATUS_CRYPTO_UNKNOWN_ALGO;/\t\tif (fieldtest_sizes(algo, NULL))\n\t\t\treturn fieldtest_verify(algo, key, keylen, ldns_buffer_begin(verify_buf), ldns_buffer_position(verify_buf),\n\t\t\t\tsig, siglen) == 1 ? LDNS_STATUS_OK : LDNS_STATUS_CRYPTO_BOGUS;\n&/'
    quietly "$work/log" ./configure --disable-shared --with-examples --without-drill --disable-dane-ta-usage
    quietly "$work/log" cc -O2 -Wall -Wextra -I"$output/include" -c "$here/algorithms.c" -o algorithms.ours.o
    quietly "$work/log" make setup-builddir
    quietly "$work/log" make -j"$jobs" lib "examples/${made[0]}" CPPFLAGS="$(setting CPPFLAGS Makefile) -include $here/algorithms.h" \
        LIBSSL_LIBS="$(setting LIBSSL_LIBS Makefile) $PWD/algorithms.ours.o -L$output/lib -lfieldtest -Wl,-rpath,$output/lib"
    mkdir -p "$output/bin"
    install -m 755 "examples/${made[0]}" "$output/bin"
}
