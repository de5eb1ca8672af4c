# shellcheck shell=bash disable=SC2034,SC2154
# Sources of others' programs and Debian's packages, from wherever this machine's apt takes them. No mirror is named here:
# locations, keys and proxies are those of apt's own configuration. Only the suite may be another one than this host's, as stable
# where the host is oldstable. Everything that apt writes lies in a folder of the lab's cache; the system's lists stay as they are.
#
# For lab/builder.sh, which sets `cache`. apt_from, apt_newest and apt_fetch return 1 and leave the cause in `apt_why` if they fail.
apt_why='' apt_release='' apt_conf='' apt_folder='' apt_stale=''

# What apt is configured to look for, one suite at one location in a line: URI, suite, and the options as fields of a stanza,
# separated by vertical tabs. Both formats, one-line and deb822. Left out are cdrom lines and repositories without suites.
apt_entries() {
    local list='' parts='' files=() file
    eval "$(apt-config shell list Dir::Etc::sourcelist/f parts Dir::Etc::sourceparts/d)"
    for file in "$list" "${parts%/}"/*.list "${parts%/}"/*.sources; do
        [[ ! -f $file ]] || files+=("$file")
    done
    [[ ${#files[@]} -eq 0 ]] || awk '
        function entry(uri, suite, options) {
            sub(/\/+$/, "", uri)
            sub(/:\/\/\//, ":/", uri) # as apt says it
            if (uri !~ /^cdrom:/ && suite !~ /\/$/ && suite != "" && !seen[uri, suite]++) print uri "\t" suite "\t" options
        }
        function stanza(    uris, suites, options, name, i, j, m, n) {
            if (tolower(field["enabled"]) !~ /^(no|false|without|off|disable|0)$/) {
                for (name in field)
                    if (name !~ /^(types|uris|suites|components|enabled|targets|x-.*)$/)
                        options = options (options == "" ? "" : "\v") name ": " field[name]
                gsub(/\v/, " ", field["uris"]); gsub(/\v/, " ", field["suites"])
                n = split(field["uris"], uris, /[ \t]+/); m = split(field["suites"], suites, /[ \t]+/)
                for (i = 1; i <= n; i++) for (j = 1; j <= m; j++) if (uris[i] != "") entry(uris[i], suites[j], options)
            }
            split("", field)
        }
        FNR == 1 { stanza(); deb822 = FILENAME ~ /\.sources$/ }
        deb822 && /^#/ { next }
        deb822 && /^[ \t]*$/ { stanza(); next }
        deb822 && /^[ \t]/ { field[last] = field[last] "\v" $0; next }
        deb822 {
            colon = index($0, ":")
            last = tolower(substr($0, 1, colon - 1))
            field[last] = substr($0, colon + 1)
            gsub(/^[ \t]+|[ \t]+$/, "", field[last])
            next
        }
        { sub(/#.*/, "") }
        $1 !~ /^deb(-src)?$/ { next }
        {
            options = ""
            sub(/^[ \t]*deb(-src)?[ \t]+/, "")
            if (match($0, /^\[[^]]*\]/)) {
                n = split(substr($0, 2, RLENGTH - 2), pairs, /[ \t]+/)
                $0 = substr($0, RLENGTH + 1)
                for (i = 1; i <= n; i++) {
                    equals = index(pairs[i], "=")
                    if (!equals) continue
                    name = substr(pairs[i], 1, equals - 1); value = substr(pairs[i], equals + 1)
                    ending = sub(/\+$/, "", name) ? "-Add" : sub(/-$/, "", name) ? "-Remove" : ""
                    if (name == "arch") name = "Architectures"
                    if (name == "lang") name = "Languages"
                    gsub(/,/, " ", value)
                    if (name != "target") options = options (options == "" ? "" : "\v") name ending ": " value
                }
            }
            entry($1, $2, options)
        }
        END { stanza() }' "${files[@]}"
}

# Sets `apt_conf`, a configuration with these entries only: indexes of one kind of them, or with `none` no more than the signed
# Release files. All else is as the host has it, except for hooks, which would touch the host.
apt_configure() { # none|Packages|Sources, entries on stdin
    local folder=$apt_folder text type=deb uri suite options up sandbox=''
    [[ $1 != Sources ]] || type=deb-src
    mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial"
    : > "$folder/status"
    # apt's own user for downloads gets no further than the first folder that others may not enter.
    up=$folder
    while [[ $(id -u) -eq 0 && $up != / ]]; do
        up=$(dirname "$up")
        [[ $(stat -c %A "$up") == *x ]] || sandbox='APT::Sandbox::User "root";'
    done
    text=$(while IFS=$'\t' read -r uri suite options; do
        printf 'Types: %s\nURIs: %s\nSuites: %s\nComponents: main\nTargets: %s\n%s\n\n' "$type" "$uri" "$suite" "$1" \
            "${options//$'\v'/$'\n'}"
    done | sed '/^$/N; /^\n$/D')
    apt_conf=$folder/$(sha256sum <<< "$text" | cut -c 1-16)
    # Written once and moved, since others may read the same.
    echo "$text" > "$apt_conf.$$" && mv "$apt_conf.$$" "$apt_conf.sources"
    {
        apt-config dump | grep -vE '^(APT::Update::|DPkg::)'
        echo 'Dir::Etc::parts "/dev/null"; Dir::Etc::main "/dev/null";'
        echo 'Dir::Etc::preferences "/dev/null"; Dir::Etc::preferencesparts "/dev/null";'
        echo "Dir::Etc::sourcelist \"$apt_conf.sources\"; Dir::Etc::sourceparts \"/dev/null\";"
        echo "Dir::State::lists \"$folder/lists\"; Dir::State::status \"$folder/status\"; Dir::Cache \"$folder/cache\";"
        echo "APT::Update::Error-Mode \"any\"; APT::Get::List-Cleanup \"false\"; $sandbox"
        echo 'Acquire::Languages "none"; Acquire::Retries "1"; Acquire::http::Timeout "20"; Acquire::https::Timeout "20";'
    } > "$apt_conf.$$" && mv "$apt_conf.$$" "$apt_conf.conf"
}

# apt's programs with that configuration, one at a time.
apt() { # program argument...
    LC_ALL=C APT_CONFIG=$apt_conf.conf flock "$apt_folder/lock" "$@"
}

# Fetches the lists of `apt_conf` unless that was done within the hour. What cannot be had is only noted: a suite may be missing
# at one location and be there at another, and without a network there may be lists from before.
apt_update() {
    local log=$apt_conf.log
    apt_stale=''
    [[ -z $(find "$apt_conf.updated" -mmin -60 2> /dev/null) ]] || return 0
    if apt apt-get -q update > "$log" 2>&1; then
        touch "$apt_conf.updated"
    # Suites that the location does not have (404) are no reason to ask again.
    elif ! grep -E '^(E|W):' "$log" | grep -vq 'does not have a Release file'; then
        touch "$apt_conf.updated"
    else
        apt_stale=$(apt_said)
    fi
}

# Why the last update did not bring everything, in apt's words.
apt_said() {
    local line
    line=$(grep -hE '^(E|W|Err).*(NO_PUBKEY|not signed|EXPKEYSIG|REVKEYSIG)' "$apt_conf.log" 2> /dev/null | head -n 1)
    [[ -n $line ]] || line=$(grep -hE '^E: ' "$apt_conf.log" 2> /dev/null | head -n 1)
    [[ -n $line ]] || line=$(grep -hE '^W: ' "$apt_conf.log" 2> /dev/null | head -n 1)
    echo "${line#?: }"
}

# A field of the Release file of a suite at a location, whose signature apt has verified.
apt_fact() { # URI suite field
    local lists=$apt_folder/lists file
    file=$(APT_CONFIG=$apt_conf.conf apt-get update --print-uris 2> /dev/null |
        awk -v wanted="'$1/dists/$2/InRelease'" '$1 == wanted { print $2; exit }')
    [[ -n $file ]] || return 0
    [[ -f $lists/$file ]] || file=${file%InRelease}Release
    [[ ! -f $lists/$file ]] || sed -n "s/^$3: //p;/^[A-Z].*:\$/q" "$lists/$file" | head -n 1
}

# From here on apt is asked for one release of Debian with its updates: `host`, the one that runs here; or a suite (stable), a
# code name, or a number (13). Sets `apt_release` to its code name. With `-backports`, that suite of it as well.
apt_from() { # Packages|Sources release [-backports]
    local kind=$1 wanted=$2 entries uri suite options archives='' security='' others='' tried codename said
    apt_release='' apt_why=''
    command -v apt-get > /dev/null || { apt_why='this machine has no apt'; return 1; }
    if [[ $wanted == host ]]; then
        wanted=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release | tr -d '"')
        if ! grep -qE '^ID="?debian"?$' /etc/os-release || [[ -z $wanted ]]; then
            apt_why="this machine runs $(sed -n 's/^PRETTY_NAME=//p' /etc/os-release), not a release of Debian; name one"
            return 1
        fi
    fi
    entries=$(apt_entries)
    [[ -n $entries ]] || { apt_why='apt has no suite in its configuration'; return 1; }
    # Each configuration has lists of its own, since each may trust other keys.
    apt_folder=$cache/apt/$(sha256sum <<< "$entries" | cut -c 1-16)
    # Which of them are Debian's, be it in the words of their own signed files.
    apt_configure none <<< "$entries"
    apt_update
    while IFS=$'\t' read -r uri suite options; do
        case $(apt_fact "$uri" "$suite" Origin)/$(apt_fact "$uri" "$suite" Label) in
            Debian/Debian)
                grep -qF "$uri"$'\t' <<< "$archives" || archives+=$uri$'\t'$options$'\n'
                [[ -n $apt_release ]] || ! apt_is "$uri" "$suite" "$wanted" || apt_release=$(apt_fact "$uri" "$suite" Codename)
                ;;
            Debian/Debian-Security) grep -qF "$uri"$'\t' <<< "$security" || security+=$uri$'\t'$options$'\n' ;;
            ?*/*) others=$(apt_fact "$uri" "$suite" Origin) ;;
        esac
    done <<< "$entries"
    if [[ -z $archives ]]; then
        apt_why=$(apt_said)
        [[ -z $others || -n $apt_why ]] || apt_why="apt is configured for $others on this machine, not for Debian"
        apt_why=${apt_why:-none of the suites that apt is configured for is Debian}
        return 1
    fi
    if [[ -z $apt_release ]]; then
        tried=(stable oldstable testing oldoldstable)
        [[ $wanted != *stable && $wanted != testing ]] || tried=("$wanted")
        entries=$(apt_cross "$archives" "${tried[@]}")
        apt_configure none <<< "$entries"
        apt_update
        while IFS=$'\t' read -r uri suite options; do
            [[ -n $apt_release ]] || ! apt_is "$uri" "$suite" "$wanted" || apt_release=$(apt_fact "$uri" "$suite" Codename)
        done <<< "$entries"
        said=$(apt_said)
        [[ -n $apt_release ]] || { apt_why="there is no release '$wanted' where apt looks for Debian${said:+: $said}"; return 1; }
    fi
    codename=$apt_release
    entries=$(apt_cross "$archives" "$codename" "$codename-updates" ${3:+"$codename$3"}
        apt_cross "$security" "$codename-security")
    apt_configure "$kind" <<< "$entries"
    apt_update
    [[ -z $apt_stale ]] || echo "apt's lists are those of before: $apt_stale" >&2
}

# Whether a suite is the one that is asked for, by its name, its code name or its number.
apt_is() { # URI suite wanted
    local version
    version=$(apt_fact "$1" "$2" Version)
    [[ $3 == "$(apt_fact "$1" "$2" Codename)" || $3 == "$(apt_fact "$1" "$2" Suite)" || $version == "$3" || $version == "$3".* ]]
}

# Every location with every suite.
apt_cross() { # locations suite...
    local uri options suite
    while IFS=$'\t' read -r uri options; do
        [[ -n $uri ]] || continue
        for suite in "${@:2}"; do printf '%s\t%s\t%s\n' "$uri" "$suite" "$options"; done
    done <<< "$1"
}

# The newest version of a package in these lists. Sets `package`, `version` and `digest`: of a source package the SHA-256 of its
# files, of a binary one that of its file, as the signed lists have them.
apt_newest() { # Packages|Sources name
    local records sum found said
    package=$2 version='' digest=''
    if [[ $1 == Sources ]]; then
        records=$(apt apt-cache showsrc --only-source "$2" 2> /dev/null | awk '
            /^[^ ]/ { sums = 0 }
            /^Version: / { version = $2 }
            /^Checksums-Sha256:/ { sums = 1; all = ""; next }
            sums { all = all " " $1 }
            /^$/ && version { print version, all; version = "" }
            END { if (version) print version, all }')
    else
        records=$(apt apt-cache show "$2" 2> /dev/null | awk '
            /^Version: / { version = $2 }
            /^SHA256: / { print version, $2 }')
    fi
    while read -r found sum; do
        [[ -n $found ]] || continue
        if [[ -z $version ]] || dpkg --compare-versions "$found" gt "$version"; then version=$found digest=$sum; fi
    done <<< "$records"
    [[ -n $version ]] || { said=$(apt_said); apt_why="there is no $2 in Debian $apt_release${said:+: $said}"; return 1; }
}

# A binary package or upstream source archives into a folder, as the signed lists name them; without a version the newest one.
# Debian's own changes of a source are left where they are.
apt_fetch() { # Packages|Sources name version folder
    local ask=(download "$2${3:+=$3}")
    [[ $1 != Sources ]] || ask=(source --download-only --tar-only --only-source "$2=$3")
    mkdir -p "$4"
    if ! (cd "$4" && apt apt-get -q "${ask[@]}") > "$apt_conf.log" 2>&1; then
        # Perhaps the lists are not the newest any more.
        rm -f "$apt_conf.updated"
        apt_why="apt cannot fetch $2${3:+ $3} of Debian $apt_release: $(apt_said)"
        return 1
    fi
}
