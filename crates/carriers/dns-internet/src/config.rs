//! What servers read: configurations of NSD and Unbound as text.

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
    }
    text
}

/// Where a resolver finds the name servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finds {
    /// By a root hint and by delegations, as elsewhere.
    Hints,
    /// Told zone by zone, as ports other than 53 stand in no delegation.
    Stubs,
}

/// Unbound with one thread, validating from the root's key on, with the caches and limits that it has by default but for connections of
/// clients, of which large answers take more than ten.
#[must_use]
pub fn unbound(
    plan: &Plan,
    resolver: SocketAddr,
    servers: &dyn Fn(Level) -> SocketAddr,
    finds: Finds,
    directory: &Path,
) -> String {
    let (ip, port, directory) = (resolver.ip(), resolver.port(), directory.display());
    let mut text = format!(
        "server:\n    username: \"\"\n    chroot: \"\"\n    directory: \"{directory}\"\n    pidfile: \"\"\n    use-syslog: no\n    \
         interface: {ip}@{port}\n    outgoing-interface: {ip}\n    access-control: 127.0.0.0/8 allow\n    do-ip6: no\n    \
         do-not-query-localhost: no\n    num-threads: 1\n    outgoing-range: 500\n    num-queries-per-thread: 250\n    \
         incoming-num-tcp: 100\n    outgoing-num-tcp: 50\n    trust-anchor-signaling: no\n    trust-anchor-file: \
         \"{directory}/anchor\"\n",
    );
    match finds {
        Finds::Hints => {
            let _ = writeln!(text, "    root-hints: \"{directory}/hints\"");
        }
        Finds::Stubs => {
            for zone in plan.zones() {
                let server = servers(zone.level);
                let _ = write!(
                    text,
                    "stub-zone:\n    name: \"{}\"\n    stub-addr: {}@{}\n",
                    zone.name,
                    server.ip(),
                    server.port()
                );
            }
        }
    }
    text.push_str("remote-control:\n    control-enable: no\n");
    text
}

/// The root's name server, for a resolver that is to find all else by itself.
#[must_use]
pub fn hints(root: SocketAddr) -> String {
    format!(". 3600000 IN NS a.root.\na.root. 3600000 IN A {}\n", root.ip())
}
