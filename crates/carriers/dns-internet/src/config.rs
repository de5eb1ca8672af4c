//! What name servers read: configurations of NSD and Knot as text.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::Path;

use crate::online;
use crate::plan::{Level, Plan};
use crate::zones::Files;

/// NSD for the zones of one level.
///
/// Response rate limiting is off, as a resolver that is loaded asks as fast as any attacker.
pub fn nsd(plan: &Plan, files: &Files, level: Level, address: SocketAddr, directory: &Path) -> String {
    let (ip, port, directory) = (address.ip(), address.port(), directory.display());
    let mut text = format!(
        "server:\n    ip-address: {ip}@{port}\n    username: \"\"\n    chroot: \"\"\n    zonesdir: \"{zones}\"\n    database: \"\"\n    \
         pidfile: \"\"\n    xfrdfile: \"{directory}/{level}.xfrd\"\n    xfrdir: \"{directory}\"\n    zonelistfile: \
         \"{directory}/{level}.list\"\n    rrl-ratelimit: 0\n    server-count: 1\n    tcp-count: 1000\nremote-control:\n    \
         control-enable: no\n",
        zones = files.directory.display()
    );
    for (place, zone) in plan.of_level(level) {
        let _ = write!(
            text,
            "zone:\n    name: \"{}\"\n    zonefile: \"{}\"\n",
            zone.name,
            files.of(place).display()
        );
        if files.keys.contains_key(&place) {
            // What it becomes from version to version is to be weighed.
            text.push_str("    provide-xfr: 127.0.0.0/8 NOKEY\n    store-ixfr: yes\n    create-ixfr: yes\n");
        }
    }
    text
}

/// Knot for the zones of one level, with a directory of its own for what it writes.
pub(crate) fn knot(
    plan: &Plan,
    files: &Files,
    level: Level,
    address: SocketAddr,
    directory: &Path,
) -> String {
    let (ip, port, directory) = (address.ip(), address.port(), directory.display());
    let mut text = format!(
        "server:\n    listen: {ip}@{port}\n    rundir: \"{directory}\"\n    udp-workers: 1\n    tcp-workers: 1\n    \
         background-workers: 1\ndatabase:\n    storage: \"{directory}\"\n    kasp-db: \"{keys}\"\nlog:\n  - target: stderr\n    any: info\n\
         policy:\n  - id: own\n    manual: on\n    single-type-signing: on\nmod-onlinesign:\n  - id: own\n    policy: own\nzone:\n",
        keys = online::keys_of(&files.directory, level).display()
    );
    for (place, zone) in plan.of_level(level) {
        let _ = write!(
            text,
            "  - domain: \"{}\"\n    file: \"{}\"\n    module: mod-onlinesign/own\n    zonefile-sync: -1\n    journal-content: none\n    \
             semantic-checks: off\n",
            zone.name,
            files.of(place).display()
        );
    }
    text
}
