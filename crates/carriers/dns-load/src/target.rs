//! Where queries may go: to this machine, and elsewhere only where somebody has said so twice.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use thiserror::Error;

/// A server that may be loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    address: SocketAddr,
    here: bool,
}

/// A server that may not.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum TargetError {
    #[error("{0} is not an address of this machine; sending load elsewhere needs a confirmation")]
    Elsewhere(IpAddr),
    #[error("{0} is not the address of a single host; give a server's own")]
    NoHost(IpAddr),
    #[error("'{typed}' is not {address}; nothing was sent")]
    Unconfirmed {
        /// What was to be confirmed.
        address: IpAddr,
        /// What was typed.
        typed: String,
    },
}

impl Target {
    /// A server on this machine.
    ///
    /// # Errors
    /// The address belongs to another one, or to no single host.
    pub fn here(address: SocketAddr) -> Result<Target, TargetError> {
        let ip = one_host(address.ip())?;
        if is_here(ip) { Ok(Target { address, here: true }) } else { Err(TargetError::Elsewhere(ip)) }
    }

    /// A server anywhere, whose address somebody typed again to confirm that it may be loaded.
    ///
    /// # Errors
    /// The address does not stand in `typed`, or it belongs to no single host.
    pub fn beyond(address: SocketAddr, typed: &str) -> Result<Target, TargetError> {
        let ip = one_host(address.ip())?;
        if typed.trim().parse() != Ok(ip) {
            return Err(TargetError::Unconfirmed { address: ip, typed: typed.trim().to_owned() });
        }
        Ok(Target { address, here: is_here(ip) })
    }

    /// Address and port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Whether it is on this machine.
    pub fn is_here(&self) -> bool {
        self.here
    }
}

fn one_host(ip: IpAddr) -> Result<IpAddr, TargetError> {
    let many = ip.is_unspecified() || ip.is_multicast() || ip == IpAddr::V4(Ipv4Addr::BROADCAST);
    if many { Err(TargetError::NoHost(ip)) } else { Ok(ip) }
}

/// Whether an address is this machine's: a socket that is to send there gets the same one for its own. Nothing is sent.
fn is_here(ip: IpAddr) -> bool {
    let any: IpAddr = if ip.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let own = UdpSocket::bind((any, 0)).and_then(|socket| {
        socket.connect((ip, 9))?;
        socket.local_addr()
    });
    ip.is_loopback() || own.is_ok_and(|own| own.ip() == ip)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> SocketAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn this_machine_and_no_other() {
        for here in ["127.0.0.1:53", "127.8.9.1:5300", "[::1]:53"] {
            assert!(Target::here(address(here)).is_ok_and(|target| target.is_here()), "{here}");
        }
        // Documentation, RFC 5737 and 3849: nobody's.
        for elsewhere in ["192.0.2.1:53", "[2001:db8::1]:53"] {
            let address = address(elsewhere);
            assert_eq!(Target::here(address), Err(TargetError::Elsewhere(address.ip())));
        }
        for no_host in ["0.0.0.0:53", "[::]:53", "255.255.255.255:53", "224.0.0.251:53", "[ff02::1]:53"] {
            let address = address(no_host);
            assert_eq!(Target::here(address), Err(TargetError::NoHost(address.ip())));
            assert_eq!(
                Target::beyond(address, &address.ip().to_string()),
                Err(TargetError::NoHost(address.ip()))
            );
        }
    }

    #[test]
    fn elsewhere_is_typed_again() {
        let there = address("192.0.2.1:53");
        assert!(Target::beyond(there, " 192.0.2.1\n").is_ok_and(|target| !target.is_here()));
        for typed in ["", "y", "yes", "192.0.2.10", "192.0.2.1:53"] {
            assert!(matches!(Target::beyond(there, typed), Err(TargetError::Unconfirmed { .. })), "{typed}");
        }
    }
}
