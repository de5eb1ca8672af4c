# Debian's own kernels, as apt has them: image and headers, unpacked and not installed. For lab/lea-kernel.sh.

# This host's release, or a later one, which is named: its lists are fetched beside this host's.
fetch_debian() { # directory [release]
    local version kbuild folder=$1 release=${2:-}
    mkdir -p "$folder"
    [[ -z $release ]] || apt_of "$folder" "$release"
    version=$(apt-cache depends linux-headers-amd64 | sed -n 's/.*Depends: linux-headers-//p' | head -n 1)
    [[ -n $version ]] || { echo "apt knows no linux-headers-amd64; run apt-get update" >&2; return 1; }
    if [[ -f $folder/.fetched && $(<"$folder/.fetched") == "$version" ]]; then return; fi
    rm -rf "$folder"/{packages,boot,lib,usr,libraries} && mkdir -p "$folder/packages"
    kbuild=$(apt-cache depends "linux-headers-$version" | sed -n 's/.*Depends: \(linux-kbuild-\)/\1/p' | head -n 1)
    (
        cd "$folder/packages"
        apt-get -q download "linux-headers-$version" "linux-headers-${version%-amd64}-common" "$kbuild" \
            "linux-image-$version-unsigned" ${release:+libc6 libelf1t64 zlib1g libzstd1}
    ) || return
    for package in "$folder"/packages/linux-*.deb; do dpkg-deb -x "$package" "$folder"; done
    # Where later releases have what was in /lib.
    [[ -d $folder/lib ]] || ln -s usr/lib "$folder/lib"
    # The only absolute path in them.
    sed -i "s#^include /usr/src/#include $folder/usr/src/#" "$folder/usr/src/linux-headers-$version/Makefile"
    if [[ -n $release ]]; then
        for package in "$folder"/packages/lib*.deb "$folder"/packages/zlib*.deb; do
            dpkg-deb -x "$package" "$folder/libraries"
        done
        by_its_libraries "$folder"/usr/lib/linux-kbuild-*/ "$folder/libraries"
    fi
    rm -r "$folder/packages"
    echo "$version" > "$folder/.fetched"
}

# From here on apt is asked for another release, with lists in a folder of their own.
apt_of() { # directory release
    mkdir -p "$1"/apt/{lists,cache/archives}/partial
    : > "$1/apt/status"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $2 main" \
        > "$1/apt/sources.list"
    {
        echo "Dir::Etc::sourcelist \"$1/apt/sources.list\"; Dir::Etc::sourceparts \"/dev/null\";"
        echo "Dir::State::lists \"$1/apt/lists\"; Dir::State::status \"$1/apt/status\"; Dir::Cache \"$1/apt/cache\";"
    } > "$1/apt/apt.conf"
    export APT_CONFIG=$1/apt/apt.conf
    [[ -n $(ls "$1"/apt/lists/*Packages* 2> /dev/null) ]] || apt-get -q update
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
