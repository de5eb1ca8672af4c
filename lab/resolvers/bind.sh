# shellcheck shell=bash disable=SC2034,SC2154
# BIND 9 with every algorithm, for build.sh: its table of algorithms gets entries of ours (bind.c), buffers get room for the longest
# key and signature, and a key's length is not asked for where there is none to choose.

bind_sources() {
    source_package=bind9
    made=(named delv dnssec-keygen dnssec-signzone dnssec-verify dnssec-dsfromkey)
    ours=(verifications.h verifications.c bind.h bind.c bind.sh)
}

bind_needs() {
    need perl perl
    need xz xz-utils
    need pkg-config pkg-config
    need_header uv.h libuv1-dev
    need_header sys/capability.h libcap-dev
    dpkg --compare-versions "$(upstream)" lt 9.20 || need_header urcu.h liburcu-dev
}

bind_edit() {
    local dns=lib/dns
    # The table, and what is asked of an algorithm beside it.
    edit $dns/dst_api.c 1 '0,/^\tdst_initialized = true;/s//\tfieldtest_add(dst_t_func);\n&/'
    edit $dns/dst_api.c 2 '/^dst_key_sigsize\(/,/^\}/s/^\t\treturn DST_R_UNSUPPORTEDALG;/\t\t*n = fieldtest_longest_signature(key->key_alg);\n\t\treturn *n > 0 ? ISC_R_SUCCESS : DST_R_UNSUPPORTEDALG;/'
    edit $dns/dst_parse.c 1 '/^check_data\(/,/^\}/s/return DST_R_UNSUPPORTEDALG;/return fieldtest_sizes(alg, NULL) ? 0 : DST_R_UNSUPPORTEDALG;/'
    # What reading a key and verifying takes.
    edit $dns/dst_api.c 2 '/^frombuffer\(/,/^\}/s/^(\t+)result = key->func->fromdns\(key, source\);/\1uint64_t before = fieldtest_before();\n&\n\1fieldtest_after(before, 0);/'
    edit $dns/dnssec.c 2 's/^(\t+)ret = dst_context_verify2\(ctx, maxbits, &r\);/\1uint64_t before = fieldtest_before();\n&\n\1fieldtest_after(before, 1);/'
    # A signature may be shorter than the longest.
    edit $dns/dnssec.c 3 '/^dns_dnssec_sign\(/,/^\}/{
        s/^\tif \(r\.length != sig\.siglen\) \{/\tif (fieldtest_sizes(sig.algorithm, NULL))\n\t\tsig.siglen = r.length;\n&/
        s/(isc_mem_put\(mctx, sig\.signature, )sig\.siglen\)/\1sigsize)/
    }'
    # There is no length to choose.
    edit $dns/kasp.c 1 '/^dns_kasp_key_size\(/,/^\}/s|/\* unsupported \*/|size = FIELDTEST_BITS;|'
    edit bin/dnssec/dnssec-keygen.c 3 's/^(\t*)(fatal\("key size not specified \(-b option\)"\);)/\1if (!fieldtest_sizes(ctx->alg, NULL))\n\1\t\2\n\1ctx->size = FIELDTEST_BITS;/'
    edit bin/dnssec/dnssec-keygen.c 1 's/^(\t*)(fatal\("algorithm %s is incompatible with NSEC3")/\1if (!fieldtest_sizes(ctx->alg, NULL))\n\1\2/'
    # Room for keys, as records and as text, and for secret keys.
    edit $dns/include/dst/dst.h 2 's/^(#define DST_KEY_MAXSIZE[ \t]).*/\1FIELDTEST_LONGEST_DNSKEY/
        s/^(#define DST_KEY_MAXTEXTSIZE[ \t]).*/\1(2 * FIELDTEST_LONGEST_DNSKEY)/'
    edit $dns/dst_parse.h 1 's/^(#define MAXFIELDSIZE[ \t]).*/\1FIELDTEST_LONGEST_SECRET/'
    local check=lib/isccfg/check.c file lines
    [[ -f $check ]] || check=lib/bind9/check.c # up to 9.18
    while read -r file lines; do
        edit "$file" "$lines" 's/^(\t+unsigned char )((rr)?data|data1|key_buf)\[4096\]/\1\2[FIELDTEST_LONGEST_DNSKEY]/
            s/(, data2)\[4096\]/\1[FIELDTEST_LONGEST_DNSKEY]/'
    done << FILES
$dns/keytable.c 1
$dns/view.c 1
$dns/zone.c 7
$check 1
bin/delv/delv.c 2
bin/named/server.c 2
FILES
    # Room for signatures.
    edit $dns/update.c 1 's/^(\tunsigned char data)\[1024\];/\1[FIELDTEST_LONGEST_RRSIG];/'
    edit $dns/zone.c 2 's/^(\tunsigned char data)\[1024\];/\1[FIELDTEST_LONGEST_RRSIG];/'
    [[ ! -f bin/dnssec/dnssec-ksr.c ]] ||
        edit bin/dnssec/dnssec-ksr.c 1 's/(unsigned char rdatabuf)\[SIG_FORMATSIZE\];/\1[FIELDTEST_LONGEST_RRSIG];/'
    edit bin/dnssec/dnssec-signzone.c 1 's/^(#define BUFSIZE[ \t]).*/\1FIELDTEST_LONGEST_RRSIG/'
}

# In the unpacked source; what is made goes to $output/bin and $output/lib/bind.
bind_build() {
    bind_edit
    # In a folder of their own, so that whoever links with libfieldtest in $output/lib does not come across them.
    local folders=(--prefix="$output" --bindir="$output/bin" --sbindir="$output/bin" --libdir="$output/lib/bind"
        --sysconfdir="$output/etc" --localstatedir="$output/var")
    local without=(--disable-doh --disable-geoip --disable-dnstap --disable-dependency-tracking --without-gssapi
        --without-libxml2 --without-json-c --without-lmdb --without-zlib --without-readline --without-libidn2
        --without-cmocka --without-jemalloc)
    quietly "$work/log" ./configure "${folders[@]}" "${without[@]}" CFLAGS=-O2
    local folder make makefile=lib/dns/Makefile
    make=(make -j"$jobs" CPPFLAGS="$(setting CPPFLAGS $makefile) -I$here -include $here/bind.h" LDFLAGS="$(setting LDFLAGS $makefile) -Wl,-rpath,$output/lib"
        LIBS="$(setting LIBS $makefile) -L$PWD/ours -lours -Wl,--as-needed -L$output/lib -lfieldtest")
    # BIND makes some of the headers that ours needs.
    quietly "$work/log" "${make[@]}" -C lib/dns include/dns/{enumtype,enumclass,rdatastruct}.h
    local source includes="-I. -I$output/include"
    for source in dns isc; do includes+=" -Ilib/$source -Ilib/$source/include"; done
    mkdir ours
    for source in bind algorithms verifications; do
        # shellcheck disable=SC2086
        quietly "$work/log" cc -O2 -fPIC -Wall -Wextra $includes -c "$here/$source.c" -o ours/$source.o
    done
    ar rcs ours/libours.a ours/{bind,algorithms,verifications}.o
    quietly "$work/log" make bind.keys.h
    for folder in lib bin/dnssec bin/delv bin/named; do
        quietly "$work/log" "${make[@]}" -C "$folder" all
        quietly "$work/log" "${make[@]}" -C "$folder" install-exec
    done
}
