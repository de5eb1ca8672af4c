# shellcheck shell=bash disable=SC2034,SC2154
# Fetches sources and packages of Debian with this machine's apt. The lab names no mirror: locations, keys and proxies come from
# apt's configuration, and apt verifies signatures. Only the suite may differ, for example stable on a host with oldstable. apt
# writes into a folder of the lab's cache and leaves the system's lists alone.
#
# For lab/builder.sh, which sets `cache`. apt_from, apt_newest and apt_fetch return 1 and leave the cause in `apt_why` if they fail.
apt_why='' apt_release='' apt_conf='' apt_folder='' apt_stale=''

# Prints apt's configured sources, one suite at one location a line: URI, suite, and the options as fields of a stanza, separated
# by vertical tabs. Reads both formats, one-line and deb822. Skips cdrom lines and repositories without suites.
apt_entries() {
    local list='' parts='' files=() file
    eval "$(apt-config shell list Dir::Etc::sourcelist/f parts Dir::Etc::sourceparts/d)"
    for file in "$list" "${parts%/}"/*.list "${parts%/}"/*.sources; do
        [[ ! -f $file ]] || files+=("$file")
    done
    [[ ${#files[@]} -eq 0 ]] || awk '
        # Whatever the host trusts without a signature, we do not.
        function verified(options,    parts, n, i, kept) {
            n = split(options, parts, "\v")
            for (i = 1; i <= n; i++)
                if (tolower(parts[i]) !~ /^(trusted|allow-(insecure|weak|downgrade-to-insecure))(-add|-remove)?:/)
                    kept = kept (kept == "" ? "" : "\v") parts[i]
            return kept
        }
        function entry(uri, suite, options) {
            options = verified(options)
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

# Sets `apt_conf`, a configuration with these entries only. It fetches indexes of one kind, or with `none` only the signed Release
# files. Everything else is the host's configuration without its hooks, which would change the host.
apt_configure() { # none|Packages|Sources, entries on stdin
    local folder=$apt_folder text type=deb uri suite options up sandbox=''
    [[ $1 != Sources ]] || type=deb-src
    mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial"
    : > "$folder/status"
    # apt downloads as a user of its own, which cannot write below a folder that others may not enter.
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
    # Written and moved, since another process may read the same file.
    echo "$text" > "$apt_conf.$$" && mv "$apt_conf.$$" "$apt_conf.sources"
    {
        apt-config dump | grep -vE '^(APT::Update::|DPkg::)'
        echo 'Dir::Etc::parts "/dev/null"; Dir::Etc::main "/dev/null";'
        echo 'Dir::Etc::preferences "/dev/null"; Dir::Etc::preferencesparts "/dev/null";'
        echo "Dir::Etc::sourcelist \"$apt_conf.sources\"; Dir::Etc::sourceparts \"/dev/null\";"
        echo "Dir::State::lists \"$folder/lists\"; Dir::State::status \"$folder/status\"; Dir::Cache \"$folder/cache\";"
        echo "APT::Update::Error-Mode \"any\"; APT::Get::List-Cleanup \"false\"; $sandbox"
        echo 'Acquire::AllowInsecureRepositories "false"; Acquire::AllowDowngradeToInsecureRepositories "false";'
        echo 'Acquire::AllowWeakRepositories "false"; APT::Get::AllowUnauthenticated "false";'
        echo 'Acquire::Languages "none"; Acquire::Retries "1"; Acquire::http::Timeout "20"; Acquire::https::Timeout "20";'
    } > "$apt_conf.$$" && mv "$apt_conf.$$" "$apt_conf.conf"
}

# Runs a program of apt with that configuration, one at a time.
apt() { # program argument...
    LC_ALL=C APT_CONFIG=$apt_conf.conf flock "$apt_folder/lock" "$@"
}

# Fetches the lists of `apt_conf`, at most once an hour. A failure is no error here: one location may have a suite that another
# lacks, and without a network there may be older lists.
apt_update() {
    local log=$apt_conf.log
    apt_stale=''
    [[ -z $(find "$apt_conf.updated" -mmin -60 2> /dev/null) ]] || return 0
    if apt apt-get -q update > "$log" 2>&1; then
        touch "$apt_conf.updated"
    # Asking again does not help if a location lacks a suite (404).
    elif ! grep -E '^(E|W):' "$log" | grep -vq 'does not have a Release file'; then
        touch "$apt_conf.updated"
    else
        apt_stale=$(apt_said)
    fi
}

# Prints why the last update or download was incomplete, in apt's words.
apt_said() {
    local line
    line=$(grep -hE '^(E|W|Err).*(NO_PUBKEY|not signed|EXPKEYSIG|REVKEYSIG)' "$apt_conf.log" 2> /dev/null | head -n 1)
    [[ -n $line ]] || line=$(grep -hE '^E: ' "$apt_conf.log" 2> /dev/null | head -n 1)
    [[ -n $line ]] || line=$(grep -hE '^W: ' "$apt_conf.log" 2> /dev/null | head -n 1)
    echo "${line#?: }"
}

# Prints a field of a suite's Release file, whose signature apt has verified.
apt_fact() { # URI suite field
    local lists=$apt_folder/lists file
    file=$(APT_CONFIG=$apt_conf.conf apt-get update --print-uris 2> /dev/null |
        awk -v wanted="'$1/dists/$2/InRelease'" '$1 == wanted { print $2; exit }')
    [[ -n $file ]] || return 0
    [[ -f $lists/$file ]] || file=${file%InRelease}Release
    [[ ! -f $lists/$file ]] || sed -n "s/^$3: //p;/^[A-Z].*:\$/q" "$lists/$file" | head -n 1
}

# Selects a release of Debian with its updates for the functions below: `host` (the release of this machine), a suite (stable), a
# code name, or a number (13). With `-backports`, its backports too. Sets `apt_release` to its code name.
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
    # Debian's are those whose signed Release file says so.
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
    [[ -z $apt_stale ]] || echo "apt's lists may be incomplete or old: $apt_stale" >&2
}

# Whether a suite is the wanted one, by its name, its code name or its number.
apt_is() { # URI suite wanted
    local version
    version=$(apt_fact "$1" "$2" Version)
    [[ $3 == "$(apt_fact "$1" "$2" Codename)" || $3 == "$(apt_fact "$1" "$2" Suite)" || $version == "$3" || $version == "$3".* ]]
}

# Prints entries of every location with every suite.
apt_cross() { # locations suite...
    local uri options suite
    while IFS=$'\t' read -r uri options; do
        [[ -n $uri ]] || continue
        for suite in "${@:2}"; do printf '%s\t%s\t%s\n' "$uri" "$suite" "$options"; done
    done <<< "$1"
}

# Finds the newest version of a package in these lists. Sets `package`, `version` and `digest`, the SHA-256 sums of its files as the
# signed lists have them.
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

# Downloads a binary package, or a source package's archives without Debian's patches, into a folder. apt compares them with the
# signed lists. Without a version, takes the newest.
apt_fetch() { # Packages|Sources name version folder
    local ask=(download "$2${3:+=$3}")
    [[ $1 != Sources ]] || ask=(source --download-only --tar-only --only-source "$2=$3")
    mkdir -p "$4"
    if ! (cd "$4" && apt apt-get -q "${ask[@]}") > "$apt_conf.log" 2>&1; then
        # The lists may be outdated: ask for them next time.
        rm -f "$apt_conf.updated"
        apt_why="apt cannot fetch $2${3:+ $3} of Debian $apt_release: $(apt_said)"
        return 1
    fi
}
