# What the builds of others' sources have in common: what has to be installed, a download that is checked, and changes of it.
source "$(dirname "${BASH_SOURCE[0]}")/options.sh"

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

# A file with this SHA-256 at this place, from the first mirror that has it.
fetch() { # digest file url...
    local digest=$1 file=$2 url
    shift 2
    echo "$digest  $file" | sha256sum --check --status 2> /dev/null && return
    for url in "$@"; do
        curl --fail --silent --show-error --location --retry 3 --output "$file.part" "$url" || continue
        if echo "$digest  $file.part" | sha256sum --check --status; then
            mv "$file.part" "$file"
            return
        fi
        echo "$url is not what it was, as its SHA-256 differs from $digest" >&2
    done
    echo "$(basename "$file") is not to be had; if Debian has a newer version by now, name it in $(dirname "$0")" >&2
    exit 1
}

# A source archive's content in a new directory.
unpack() { # archive directory
    rm -rf "$2"
    mkdir -p "$2"
    tar -xf "$1" -C "$2" --strip-components=1
}

# Changes a file, and looks that it has as many new lines as it should: sed is silent where it finds nothing.
edit() { # file lines sed-expression
    sed -E "$3" "$1" > "$1.new"
    local lines
    lines=$(diff "$1" "$1.new" | grep -c '^>' || true)
    if [[ $lines -ne $2 ]]; then
        echo "$1: $lines lines changed, not $2, by: $3" >&2
        exit 1
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
