# shellcheck shell=bash disable=SC2034,SC2154
# Unbound with every algorithm, for build.sh. Its source is not changed: the linker leads its questions on algorithms to ours (unbound.c).

unbound_sources() {
    source_package=unbound
    made=(unbound unbound-host)
    ours=(verifications.h verifications.c unbound.c unbound.sh)
}

unbound_needs() {
    need flex flex
    need bison bison
    need_header expat.h libexpat1-dev
}

# In the unpacked source.
unbound_build() {
    # Static, so that its validator is linked with ours in one step.
    quietly "$work/log" ./configure --disable-shared --without-libevent --disable-flto
    local source objects=
    for source in unbound algorithms verifications; do
        quietly "$work/log" cc -O2 -Wall -Wextra -I. -I"$here" -I"$output/include" -c "$here/$source.c" -o "$source.ours.o"
        objects+="$PWD/$source.ours.o "
    done
    local link="$objects-L$output/lib -lfieldtest -Wl,-rpath,$output/lib"
    link+=' -Wl,--wrap=dnskey_algo_id_is_supported -Wl,--wrap=verify_canonrrset'
    quietly "$work/log" make -j"$jobs" "${made[@]}" LIBS="$link $(setting LIBS Makefile)"
    # A name that the linker does not find is left alone in silence.
    local program
    for program in "${made[@]}"; do
        nm "$program" | grep '__wrap_verify_canonrrset' > /dev/null || { echo "$program asks none of ours" >&2; exit 1; }
    done
    mkdir -p "$output/bin"
    install -m 755 "${made[@]}" "$output/bin"
}
