# Unbound with every algorithm, for build.sh. Its source is not changed: the linker leads its questions on algorithms to ours (unbound.c).

unbound_sources() {
    # Debian 12's as bookworm lists it, in the Checksums-Sha256 field of its .dsc. 1.22.0 lies in Debian's pool and in no list that
    # could be had any more: its digest is that of what was fetched, so that it stays what it was.
    case $debian in
        12)
            archive=unbound_1.17.1.orig.tar.gz
            digest=ee4085cecce12584e600f3d814a28fa822dfaacec1f94c84bfd67f8a5571a5f4
            ;;
        13)
            archive=unbound_1.22.0.orig.tar.gz
            digest=c5dd1bdef5d5685b2cedb749158dd152c52d44f65529a34ac15cd88d4b1b3d43
            ;;
    esac
    mirrors=(https://deb.debian.org/debian/pool/main/u/unbound/$archive)
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
