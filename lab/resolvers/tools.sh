# BIND's tools, ldns' verifier and fieldtest with each other's zones and keys, for lab/resolvers.sh, which has sourced common.sh and set ours.

number_of() { # signed zone
    awk '$4 == "DNSKEY" { print $7; exit }' "$1"
}

accept() { # what command...
    if "${@:2}" > "$lab/log" 2>&1; then pass "$1"; else fail "$1" "$lab/log"; fi
}
refuse() { # what command...
    if "${@:2}" > "$lab/log" 2>&1; then fail "$1" "$lab/log"; else pass "$1"; fi
}

# Whether a command says something, on either output, however it ends.
expect() { # what wanted command...
    "${@:3}" > "$lab/log" 2>&1 || true
    if grep -qi -- "$2" "$lab/log"; then pass "$1"; else fail "$1" "$lab/log"; fi
}

# Runs a command and leaves the seconds that it took, of all processors, in `seconds`.
timed() { # command...
    local TIMEFORMAT='%U %S' status=0
    { time "$@" > "$lab/log" 2>&1; } 2> "$lab/time" || status=$?
    seconds=$(awk '{ print $1 + $2 }' "$lab/time")
    return $status
}

# One line of a table of CPU seconds.
row() { # algorithm fieldtest dnssec-signzone
    [[ -z ${table:-} ]] || printf '%-20s %12s %16s\n' "$@" >> "$table"
}

tools() { # algorithm origin plain-zone
    local algorithm=$1 origin=$2 plain=$3 work=$lab/tools theirs keys name number took ksk zsk secret nsec3=yes
    # Denial by NSEC3 takes four signatures, and these are more than a message holds.
    [[ $algorithm != slh-dsa-* ]] || nsec3=
    rm -rf "$work"
    mkdir -p "$work"/{ours,theirs}

    if ! timed "$fieldtest" dnssec sign "$plain" --algorithm "$algorithm" --key-directory "$work/ours" --output "$work/signed"; then
        fail "$algorithm: fieldtest signs" "$lab/log"
        return
    fi
    took=$seconds
    number=$(number_of "$work/signed")
    accept "$algorithm ($number): dnssec-verify takes what fieldtest signs" "$ours/dnssec-verify" -o "$origin" "$work/signed"
    accept "$algorithm: and so does ldns-verify-zone" "$ours/ldns-verify-zone" "$work/signed"
    [[ -z ${table:-} ]] || served "$algorithm" "$origin" "$work/signed"

    # Keys of dnssec-keygen. Signing is not checked by the signer itself (-P): that is fieldtest's part here.
    for name in ksk zsk; do
        "$ours/dnssec-keygen" -q -a "$number" $([[ $name == zsk ]] || echo -f KSK) -K "$work/theirs" "$origin" \
            > "$work/$name" 2> "$lab/log" || { fail "$algorithm: dnssec-keygen" "$lab/log"; return; }
    done
    theirs=("$ours/dnssec-signzone" -P -S -o "$origin" -d "$work")
    accept "$algorithm: dnssec-signzone signs" timed "${theirs[@]}" -K "$work/theirs" -f "$work/signed" "$plain"
    row "$algorithm" "$took" "$seconds"
    accept "$algorithm: fieldtest takes it" "$fieldtest" dnssec verify "$work/signed"
    if [[ -z ${table:-} ]]; then
        sed 's/192\.0\.2\.6$/192.0.2.7/' "$work/signed" > "$work/flipped"
        refuse "$algorithm: and not a flipped bit" "$fieldtest" dnssec verify "$work/flipped"
    fi

    # Each with the other's keys, with NSEC3.
    accept "$algorithm: dnssec-signzone signs with fieldtest's keys" \
        "${theirs[@]}" ${nsec3:+-3 -} -K "$work/ours" -f "$work/signed" "$plain"
    accept "$algorithm: and fieldtest takes it" "$fieldtest" dnssec verify "$work/signed"
    accept "$algorithm: and ldns-verify-zone" "$ours/ldns-verify-zone" "$work/signed"
    keys=()
    for name in ksk zsk; do keys+=(--key "$work/theirs/$(< "$work/$name").key"); done
    accept "$algorithm: fieldtest signs with dnssec-keygen's keys" \
        "$fieldtest" dnssec sign "$plain" "${keys[@]}" ${nsec3:+--nsec3} --output "$work/signed"
    accept "$algorithm: and dnssec-verify takes it" "$ours/dnssec-verify" -o "$origin" "$work/signed"

    # A secret beside another key's public half, which BIND does not look for in its own algorithms.
    case $number in 8 | 13 | 14 | 15) return ;; esac
    read -r ksk < "$work/ksk"
    read -r zsk < "$work/zsk"
    secret=$(grep '^PrivateKey:' "$work/theirs/$ksk.private")
    sed -i "s|^PrivateKey:.*|$secret|" "$work/theirs/$zsk.private"
    expect "$algorithm: dnssec-signzone refuses a secret of another key" 'private key is invalid' \
        "${theirs[@]}" -K "$work/theirs" -f "$work/signed" "$plain" "$work/theirs/$zsk"
    expect "$algorithm: and so does fieldtest" 'does not belong to the public key' \
        "$fieldtest" dnssec sign "$plain" "${keys[@]}" --output "$work/signed"
}

# The same with a zone of somebody's, and a table of what signing it took.
with_zone() { # file
    local origin table=$lab/table
    # dnssec-signzone keeps what it finds, and would leave a ZONEMD as it was.
    awk '{ type = toupper($4) } type != "ZONEMD" && type != "RRSIG" && type != "NSEC" && type != "DNSKEY"' "$1" > "$lab/plain"
    origin=$(awk 'toupper($4) == "SOA" { print $1; exit }' "$lab/plain")
    : > "$table"
    row 'CPU seconds to sign' fieldtest dnssec-signzone
    for algorithm in "${algorithms[@]}"; do
        tools "$algorithm" "$origin" "$lab/plain"
    done
    cat "$table"
}
