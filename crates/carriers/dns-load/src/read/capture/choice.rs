//! Whose queries of a capture are replayed, and what is changed of them.

use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use thiserror::Error;

use crate::clients::Clients;
use crate::left_out::Why;
use crate::query::Transport;

const PORT: u16 = 53;

/// What of a capture is replayed, and how. Everything as it was captured by default.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// The servers of which the queries are replayed; where none is named, of all that are asked at port 53.
    pub servers: Vec<Server>,
    /// What all queries are sent over.
    pub transport: Option<Transport>,
    /// What queries have [instead](Clients::change) of what was captured.
    pub clients: Option<Clients>,
}

/// A server in a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Server {
    address: IpAddr,
    /// Without one it is 53 in packets; dnstap and C-DNS hold nothing but DNS, whatever its port is.
    port: Option<u16>,
}

/// What names no server of a capture.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "invalid address '{0}': expected one, with a port up to 65535 or none, such as 192.0.2.53, 192.0.2.53:5353 or [2001:db8::53]:5353"
)]
pub struct NoServer(String);

impl FromStr for Server {
    type Err = NoServer;

    fn from_str(typed: &str) -> Result<Server, NoServer> {
        let with_port =
            typed.parse::<SocketAddr>().map(|it| Server { address: it.ip(), port: Some(it.port()) });
        with_port
            .or_else(|_| typed.parse().map(|address| Server { address, port: None }))
            .map_err(|_| NoServer(typed.to_owned()))
    }
}

impl Choice {
    pub(super) fn has_port(&self, port: u16) -> bool {
        let mut ports = self.servers.iter().map(|server| server.port.unwrap_or(PORT));
        if self.servers.is_empty() { port == PORT } else { ports.any(|it| it == port) }
    }

    /// Refuses queries to servers that were not chosen. `usual` is the port of those that were named without one, if that matters.
    pub(super) fn check(
        &self,
        server: Option<IpAddr>,
        port: Option<u16>,
        usual: Option<u16>,
    ) -> Result<(), Why> {
        if self.servers.is_empty() {
            return Ok(());
        }
        let address = server.ok_or(Why::NotKept)?;
        let is_it =
            |it: &Server| it.address == address && it.port.or(usual).is_none_or(|it| Some(it) == port);
        if self.servers.iter().any(is_it) { Ok(()) } else { Err(Why::OtherServer) }
    }

    pub(super) fn check_packet(&self, to: SocketAddr) -> Result<(), Why> {
        self.check(Some(to.ip()), Some(to.port()), Some(PORT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_by_address_and_port() -> Result<(), Box<dyn std::error::Error>> {
        let choice = Choice {
            servers: vec!["192.0.2.53".parse()?, "[2001:db8::1]:5353".parse()?],
            ..Choice::default()
        };
        for (to, is_chosen) in [
            ("192.0.2.53:53", true),
            ("192.0.2.53:5353", false),
            ("[2001:db8::1]:5353", true),
            ("[2001:db8::1]:53", false),
            ("192.0.2.54:53", false),
        ] {
            let to: SocketAddr = to.parse()?;
            assert_eq!(choice.check_packet(to).is_ok(), is_chosen, "{to}");
            assert!(choice.has_port(to.port()));
        }
        assert_eq!(choice.check(Some("192.0.2.53".parse()?), Some(853), None), Ok(()), "no packet");
        assert_eq!(choice.check(None, None, None), Err(Why::NotKept));
        assert!(!choice.has_port(54) && Choice::default().has_port(53) && !Choice::default().has_port(5353));
        for typed in ["", "ns.example", "192.0.2.53:", "2001:db8::1:99999", "192.0.2.53/24"] {
            assert_eq!(typed.parse::<Server>(), Err(NoServer(typed.to_owned())));
        }
        Ok(())
    }
}
