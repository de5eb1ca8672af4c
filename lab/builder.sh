# shellcheck shell=bash
# Common parts of the scripts that build peers: required packages, sources (lab/apt.sh), a cache of results, edits of sources.
#
# The cache is FIELDTEST_CACHE [default: fieldtest/lab in XDG_CACHE_HOME or ~/.cache]. All checkouts of a user share it. A result is
# stored under the digest of its inputs, and removed after 60 days without use.
# shellcheck source=options.sh
source "$(dirname "${BASH_SOURCE[0]}")/options.sh"
# shellcheck source=apt.sh
source "$(dirname "${BASH_SOURCE[0]}")/apt.sh"

cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
cache=${FIELDTEST_CACHE:-${cache:+$cache/fieldtest/lab}}
# A user without a home folder, such as a service, keeps results in the checkout.
if [[ -z $cache ]] || ! mkdir -p "$cache" 2> /dev/null || [[ ! -w $cache ]]; then
    if [[ -n ${FIELDTEST_CACHE:-} ]]; then
        echo "cannot write to FIELDTEST_CACHE=$cache; name a folder of your own" >&2
        exit 2
    fi
    cache=$(dirname "${BASH_SOURCE[0]}")/../target/lab/cache
    mkdir -p "$cache"
fi
cache=$(realpath "$cache")

missing=()
need() { # program package
    command -v "$1" > /dev/null || missing+=("$2")
}
need_header() { # header package
    echo "#include <$1>" | cc -E - > /dev/null 2>&1 || missing+=("$2")
}
# After all of these: goes on if nothing is missing.
needed() {
    [[ ${#missing[@]} -eq 0 ]] && return
    echo "missing: install with: apt-get install ${missing[*]}" >&2
    exit 1
}

# Reports what is not built, and why. Labs then skip the checks that need it. With FIELDTEST_PEERS=required it is a failure.
skipped() { # what cause
    echo "SKIPPED $1: $2" >&2
    [[ ${FIELDTEST_PEERS:-} != required ]] || exit 1
}

# Prints the digest of a result's inputs: the package that apt_newest found, files, words, the compiler and the architecture.
# Comments in scripts do not count.
stamp_of() { # file or word...
    local part
    {
        echo "$package $version $digest $(uname -m) $(cc --version 2> /dev/null | head -n 1)"
        for part in "$@"; do
            case $part in
                *.sh) grep -v '^ *#' "$part" ;;
                */* | *.[ch]) cat "$part" ;;
                *) echo "$part" ;;
            esac
        done
    } | sha256sum | cut -c 1-32
}

# Whether the cache has a result of this name and stamp. Sets `stored` to its folder. One process at a time may go on to build it.
stored() { # name stamp
    mkdir -p "$cache/$1"
    exec {store_lock}> "$cache/$1/lock"
    flock -n "$store_lock" || { echo "waiting for another build of $1" >&2; flock "$store_lock"; }
    stored=$cache/$1/$2
    [[ -d $stored ]] || return
    touch "$stored"
}
# Where apt has no answer it cannot be known whether a result is of this checkout's inputs. CI does not go on with it.
unknown_inputs() { # result
    [[ ${FIELDTEST_PEERS:-} != required ]] || { echo "cannot tell whether $1 is up to date: $apt_why" >&2; exit 1; }
}
# Sets `stored` to the result of this name that was used last, with any stamp.
any_stored() { # name
    # shellcheck disable=SC2012
    stored=$(ls -td "$cache/$1"/*/ 2> /dev/null | head -n 1)
    stored=${stored%/}
    [[ -n $stored ]]
}
# Moves a folder into the cache as the result `stored`, and removes old results of its name.
store() { # folder
    local new
    new=$(dirname "$stored")/.new
    rm -rf "$stored" "$new"
    # First to the cache's file system: what is moved between two is copied, and a copy that is cut off must not have the name.
    mv "$1" "$new"
    mv "$new" "$stored"
    find "$(dirname "$stored")" -mindepth 1 -maxdepth 1 -type d -mtime +60 -exec rm -rf {} +
}

# Installs a version of a Rust program into the cache once, and prints its path. It is not optimised: that would take longer than
# its runs do.
tool() { # name version
    local name=$1 rustc new=$cache/$1/new
    rustc=$(rustc --version | cut -d ' ' -f 2)
    if ! stored "$name" "$2-rustc-$rustc-$(uname -m)"; then
        rm -rf "$new"
        if ! CARGO_TARGET_DIR=$new/target CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_LTO=off \
            CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 cargo install --quiet --locked --root "$new" "$name@$2" >&2 ||
            [[ ! -x $new/bin/$name ]]; then
            echo "cannot install $name $2: cargo failed; without a network, install it into $stored/bin" >&2
            return 1
        fi
        rm -rf "$new/target"
        store "$new"
    fi
    echo "$stored/bin/$name"
}

# A source archive's content in a new directory.
unpack() { # archive directory
    rm -rf "$2"
    mkdir -p "$2"
    tar -xf "$1" -C "$2" --strip-components=1
}

# Fetches the upstream source of the package that apt_newest found, and unpacks it into a new directory.
unpack_source() { # directory
    local downloads=$1.downloads archive=
    rm -rf "$downloads"
    apt_fetch Sources "$package" "$version" "$downloads" || return
    archive=$(find "$downloads" -name '*.orig.tar.*' ! -name '*.asc' | head -n 1)
    unpack "$archive" "$1"
    rm -r "$downloads"
}

# Prints the upstream part of `version`.
upstream() {
    local bare=${version#*:}
    bare=${bare%-*}
    echo "${bare%%+*}"
}

# Edits a file and compares the number of changed lines, since sed is silent if nothing matches. A newer version of a program may
# not match: the message names the version, and the caller recognises the exit code.
otherwise=3
edit() { # file lines sed-expression
    local lines=no
    if [[ -f $1 ]]; then
        sed -E "$3" "$1" > "$1.new"
        lines=$(diff "$1" "$1.new" | grep -c '^>' || true)
    fi
    if [[ $lines != "$2" ]]; then
        echo "cannot change $1 of $package $version: $lines lines fit, not $2; adapt $(basename "${BASH_SOURCE[1]}"): $3" >&2
        exit "$otherwise"
    fi
    mv "$1.new" "$1"
}

# What configure has set in a Makefile.
setting() { # name Makefile
    sed -n "s/^$1[ \t]*=[ \t]*//p" "$2"
}

# Runs a step whose output is of interest only if it fails.
quietly() { # log command...
    local log=$1
    shift
    "$@" > "$log" 2>&1 || { tail -n 20 "$log" >&2; exit 1; }
}
