//! What name servers read: NSD's configuration as text.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::Path;

use crate::plan::{Level, Plan};
use crate::zones::Files;

/// NSD for the zones of one level.
///
/// Response rate limiting is off, as a resolver that is loaded asks as fast as any attacker.
#[must_use]
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
