//! What an operator decides.

use std::time::Duration;

/// What happens to TCP connections for which there is no key (RFC 5925, section 7.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Policy {
    /// They are dropped in both directions: every TCP connection through this gateway is protected.
    #[default]
    Required,
    /// They go on as they are. The RFC's default for a host with connections of many kinds.
    Optional,
}

/// The behaviour of a gateway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// TCP connections without a key.
    pub policy: Policy,
    /// Whether what is neither TCP nor ICMP about TCP goes on: ping, UDP, neighbour discovery.
    pub pass_other_protocols: bool,
    /// Whether ICMP errors may end protected connections. RFC 5925, section 7.8, has `false` as the default.
    pub accept_icmp_errors: bool,
    /// Whether “packet too big” goes on to protected connections, where it quotes a sequence number that is under
    /// way. RFC 5925, section 7.8, counts IPv4's “fragmentation needed” among what is ignored by default; without it, a
    /// connection stalls on a path that carries less than its ends' links, as RFC 5927, section 7, explains.
    pub accept_packet_too_big: bool,
    /// Whether the gateway counts as a hop and takes one from the time to live. To leave it alone is for sessions
    /// that check it, such as BGP with the TTL security of RFC 5082.
    pub count_hop: bool,
    /// Whether the inner host gets a reset for a connection whose handshake the gateway has not seen, which it can
    /// neither sign nor verify: so that the host opens a new one soon, after a restart of the gateway.
    pub reset_unknown: bool,
    /// The most connections at a time. A connection takes about 1 KiB.
    pub max_connections: usize,
    /// After this silence an established connection is forgotten. Longer than the keepalive interval of what runs on
    /// it.
    pub idle_timeout: Duration,
    /// After this silence a connection that never came about is forgotten.
    pub handshake_timeout: Duration,
    /// After this silence a connection that was closed or reset is forgotten.
    pub closing_timeout: Duration,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            policy: Policy::Required,
            pass_other_protocols: true,
            accept_icmp_errors: false,
            accept_packet_too_big: true,
            count_hop: true,
            reset_unknown: true,
            max_connections: 65_536,
            // As long as RFC 5382, section 5, asks of a NAT, which forgets connections too.
            idle_timeout: Duration::from_secs(2 * 3600 + 4 * 60),
            handshake_timeout: Duration::from_secs(240),
            closing_timeout: Duration::from_secs(240),
        }
    }
}
