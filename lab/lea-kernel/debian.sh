# Debian's own kernel, as apt has it: its image and headers, unpacked and not installed. For lab/lea-kernel.sh.

fetch_debian() { # directory
    local version folder=$1
    version=$(apt-cache depends linux-headers-amd64 | sed -n 's/.*Depends: linux-headers-//p' | head -n 1)
    [[ -n $version ]] || { echo "apt knows no linux-headers-amd64; run apt-get update" >&2; return 1; }
    if [[ -f $folder/.fetched && $(<"$folder/.fetched") == "$version" ]]; then return; fi
    rm -rf "$folder" && mkdir -p "$folder/packages"
    (
        cd "$folder/packages"
        apt-get -q download "linux-headers-$version" "linux-headers-${version%-amd64}-common" \
            "linux-kbuild-$(cut -d. -f1,2 <<< "$version")" "linux-image-$version-unsigned"
    ) || return
    for package in "$folder"/packages/*.deb; do dpkg-deb -x "$package" "$folder"; done
    # The only absolute path in them.
    sed -i "s#^include /usr/src/#include $folder/usr/src/#" "$folder/usr/src/linux-headers-$version/Makefile"
    rm -r "$folder/packages"
    echo "$version" > "$folder/.fetched"
}
