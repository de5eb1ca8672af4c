# shellcheck shell=bash disable=SC2154
# Fetches Debian's own kernels with apt: image and headers, unpacked and not installed. For lab/lea-kernel.sh.
# shellcheck source=../builder.sh
source "$here/builder.sh"

# The kernel of this host's release, or of a named one.
fetch_debian() { # directory [release]
    local version kbuild folder=$1 release=${2:-} packages libraries=() name
    mkdir -p "$folder"
    if ! apt_from Packages "${release:-host}"; then
        [[ ! -f $folder/.fetched ]] || return 0 # the one of before, without a network
        echo "$apt_why"
        return 1
    fi
    version=$(apt apt-cache depends linux-headers-amd64 | sed -n 's/.*Depends: linux-headers-//p' | head -n 1)
    [[ -n $version ]] || { echo "there is no linux-headers-amd64 in Debian $apt_release"; return 1; }
    if [[ -f $folder/.fetched && $(< "$folder/.fetched") == "$version" ]]; then return; fi
    rm -rf "${folder:?}"/{packages,boot,lib,usr,libraries}
    kbuild=$(apt apt-cache depends "linux-headers-$version" | sed -n 's/.*Depends: \(linux-kbuild-\)/\1/p' | head -n 1)
    packages=("linux-headers-$version" "linux-headers-${version%-amd64}-common" "$kbuild" "linux-image-$version-unsigned")
    [[ -z $release ]] || mapfile -t libraries < <(apt apt-cache depends --recurse --no-pre-depends --no-recommends --no-suggests \
        --no-conflicts --no-breaks --no-replaces --no-enhances "$kbuild" | grep -E '^(lib|zlib)' | sort -u)
    for name in "${packages[@]}" "${libraries[@]}"; do
        apt_fetch Packages "$name" '' "$folder/packages" || { echo "$apt_why"; return 1; }
    done
    for name in "$folder"/packages/linux-*.deb; do dpkg-deb -x "$name" "$folder"; done
    # Where later releases have what was in /lib.
    [[ -d $folder/lib ]] || ln -s usr/lib "$folder/lib"
    # The only absolute path in them.
    sed -i "s#^include /usr/src/#include $folder/usr/src/#" "$folder/usr/src/linux-headers-$version/Makefile"
    if [[ -n $release ]]; then
        for name in "$folder"/packages/{lib,zlib}*.deb; do dpkg-deb -x "$name" "$folder/libraries"; done
        by_its_libraries "$folder"/usr/lib/linux-kbuild-*/ "$folder/libraries"
    fi
    rm -r "$folder/packages"
    echo "$version" > "$folder/.fetched"
}

# The tools of a later release want its C library, so each is started by that one's loader.
by_its_libraries() { # linux-kbuild's-directory libraries
    local tool file loader
    loader=$(find "$2" -name 'ld-linux-x86-64.so.2' | head -n 1)
    for tool in scripts/basic/fixdep scripts/genksyms/genksyms scripts/mod/modpost tools/objtool/objtool; do
        file=$1$tool
        # These two are chosen by the architecture.
        case $tool in
            */modpost) mv "$file.real-lsb-64" "$file.program" ;;
            */objtool) mv "$file.real-x86" "$file.program" ;;
            *) mv "$file" "$file.program" ;;
        esac
        rm -f "$file"
        printf '#!/bin/sh\nexec "%s" --library-path "%s" "%s" "$@"\n' "$loader" \
            "$2/usr/lib/x86_64-linux-gnu" "$file.program" > "$file"
        chmod 755 "$file"
    done
}
