# Servers of zones, for lab/resolvers.sh: configurations, starting, asking, ending. Ports are those from `port` on: NSD, Unbound, BIND as a
# resolver, the installed BIND, BIND as a signer.

servers=()
run() { # log program options...
    "${@:2}" > "$lab/$1.log" 2>&1 &
    servers+=($!)
}
stop() {
    local server
    for server in ${servers[@]+"${servers[@]}"}; do
        kill "$server" 2> /dev/null || true
        wait "$server" 2> /dev/null || true
    done
    servers=()
}

# What lies below a zone is forwarded to NSD, as name servers that the zones name are asked at port 53. Anchors are records in $lab/anchors.
unbound_conf() { # zone
    cat << CONF
server:
    username: ""
    chroot: ""
    directory: "$lab"
    pidfile: "$lab/unbound.pid"
    use-syslog: no
    interface: 127.0.0.1@$((port + 1))
    num-threads: 2
    do-not-query-localhost: no
    do-ip6: no
    val-max-restart: 0 # there is no other server to ask again
    trust-anchor-signaling: no
    access-control: 127.0.0.0/8 allow
    trust-anchor-file: "$lab/anchors"
    local-zone: "test." nodefault
forward-zone:
    name: "$1"
    forward-addr: 127.0.0.1@$port
CONF
}

# The same of BIND. Anchors are digests in $lab/digests.
named_conf() { # port
    cat << CONF
options { directory "$lab"; pid-file none; session-keyfile none; listen-on port $1 { 127.0.0.1; }; listen-on-v6 { none; };
    dnssec-validation yes; trust-anchor-telemetry no; forward only; forwarders port $port { 127.0.0.1; }; };
controls { };
trust-anchors {
$(awk '{ printf "\"%s\" static-ds %s %s %s \"%s\";\n", $1, $4, $5, $6, $7 }' "$lab/digests")
};
CONF
}

ask() { dig "@127.0.0.1" -p "$1" +dnssec +nocookie +time=20 +tries=2 "${@:2}"; }
secure='flags:[^;]* ad'

# Waits until servers answer for a name; their places behind the first port.
until_they_answer() { # name place...
    local place
    for place in "${@:2}"; do
        for _ in $(seq 100); do
            ask $((port + place)) +tcp +time=1 +tries=1 "$1" SOA 2> /dev/null | grep -q NOERROR && break
            sleep 0.1
        done
    done
}

# One signed zone, served alone: its data is secure to both resolvers, as is that there is none, and bogus once a digit of it is another.
served() { # algorithm origin signed-zone
    local algorithm=$1 origin=$2 server name first last rtype
    awk '$4 == "DNSKEY" && $5 == 257' "$3" > "$lab/anchors"
    "$ours/dnssec-dsfromkey" -2 -f "$3" "$origin" > "$lab/digests" 2> "$lab/log" || { fail "$algorithm: a DS record" "$lab/log"; return; }
    # Two owners with a signature over one of these types.
    read -r rtype first last < <(awk '$4 == "RRSIG" && ($5 == "DS" || $5 == "A") { if (!($5 in first)) first[$5] = $1; last[$5] = $1 }
        END { type = "DS" in first ? "DS" : "A"; print type, first[type], last[type] }' "$3")
    [[ -n $last && $first != "$last" ]] || { fail "$algorithm: no two names with DS or A records to ask for" "$3"; return; }
    awk -v owner="$last" -v type="$rtype" '$1 == owner && $4 == type { sub(/.$/, ($NF ~ /1$/) ? "2" : "1") } { print }' "$3" > "$lab/served.zone"
    nsd_conf nsd "$port" 'tcp-count: 200'
    nsd_zone nsd "$origin" served.zone
    unbound_conf "$origin" > "$lab/unbound.conf"
    named_conf $((port + 2)) > "$lab/named.conf"
    run nsd nsd -d -c "$lab/nsd.conf"
    run unbound "$ours/unbound" -d -c "$lab/unbound.conf"
    run named "$ours/named" -g -c "$lab/named.conf"
    until_they_answer "$origin" 0 1 2
    for server in 1 2; do
        name=$([[ $server == 1 ]] && echo Unbound || echo BIND)
        expect "$algorithm: $rtype of $first is secure to $name" "$secure" ask $((port + server)) "$first" "$rtype"
        expect "$algorithm: that there is no such name too" "$secure" ask $((port + server)) "no-such-name.${origin#.}"
        expect "$algorithm: and $rtype of $last, with another digit, is bogus" 'status: SERVFAIL' ask $((port + server)) "$last" "$rtype"
    done
    stop
}
