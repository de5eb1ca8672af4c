//! What goes over the wires of a private network: packets and octets, counted by who talks with whom.

use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use crate::namespace::MTU;
use crate::{InternetError, sys};

/// What one side sent to the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Direction {
    /// IP packets, as an Ethernet would have them.
    pub packets: u64,
    /// Octets of these, IP headers included.
    pub octets: u64,
    /// Those over UDP.
    pub datagrams: u64,
    /// Answers over UDP with the TC bit.
    pub truncated: u64,
    /// Connections that were begun.
    pub connections: u64,
}

/// What two sides sent each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Hop {
    /// From who asks.
    pub up: Direction,
    /// From who answers.
    pub down: Direction,
}

/// Everything so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Between clients and the resolver.
    pub clients: Hop,
    /// Between the resolver and each level's name servers, from the root down.
    pub levels: [Hop; 3],
    /// Packets that could not be counted, as they came too fast.
    pub lost: u64,
}

impl Counts {
    /// What was counted since `earlier`.
    pub fn since(&self, earlier: &Counts) -> Counts {
        let mut levels = self.levels;
        for (level, earlier) in levels.iter_mut().zip(&earlier.levels) {
            *level = level.since(earlier);
        }
        Counts { clients: self.clients.since(&earlier.clients), levels, lost: self.lost - earlier.lost }
    }

    /// Between the resolver and all name servers.
    pub fn servers(&self) -> Hop {
        self.levels.iter().fold(Hop::default(), |sum, level| sum.combined(level, u64::wrapping_add))
    }
}

impl Hop {
    /// What was counted since `earlier`.
    pub fn since(&self, earlier: &Hop) -> Hop {
        self.combined(earlier, u64::wrapping_sub)
    }

    fn combined(&self, other: &Hop, by: fn(u64, u64) -> u64) -> Hop {
        Hop { up: self.up.combined(&other.up, by), down: self.down.combined(&other.down, by) }
    }

    /// Both ways together.
    pub fn both(&self) -> Direction {
        self.up.combined(&self.down, u64::wrapping_add)
    }
}

impl Direction {
    fn combined(&self, other: &Direction, by: fn(u64, u64) -> u64) -> Direction {
        Direction {
            packets: by(self.packets, other.packets),
            octets: by(self.octets, other.octets),
            datagrams: by(self.datagrams, other.datagrams),
            truncated: by(self.truncated, other.truncated),
            connections: by(self.connections, other.connections),
        }
    }
}

/// Counts in a thread of its own until it is dropped.
#[derive(Debug)]
pub struct Watch {
    counts: Arc<Mutex<Counts>>,
    end: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// Begins to count what goes to and from the resolver, and which level's servers are where.
    ///
    /// # Errors
    /// The system gives no such socket; that needs a namespace of the program's own.
    pub fn begin(resolver: Ipv4Addr, levels: [Ipv4Addr; 3]) -> Result<Watch, InternetError> {
        let told = |source| InternetError::System { what: "counting packets", source };
        let socket = sys::packet_socket().map_err(told)?;
        let (counts, end) = (Arc::<Mutex<Counts>>::default(), Arc::<AtomicBool>::default());
        let (of_thread, asked) = (Arc::clone(&counts), Arc::clone(&end));
        let work = move || {
            let mut buffer = [0; 128];
            while !asked.load(Ordering::Relaxed) {
                if count(&socket, &mut buffer, &of_thread, resolver, levels).is_err() {
                    break;
                }
            }
        };
        let thread = std::thread::Builder::new().name("wire".to_owned()).spawn(work).map_err(told)?;
        Ok(Watch { counts, end, thread: Some(thread) })
    }

    /// Everything so far.
    pub fn counts(&self) -> Counts {
        *lock(&self.counts)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.end.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn lock(counts: &Mutex<Counts>) -> MutexGuard<'_, Counts> {
    counts.lock().unwrap_or_else(PoisonError::into_inner)
}

fn count(
    socket: &OwnedFd,
    buffer: &mut [u8],
    counts: &Mutex<Counts>,
    resolver: Ipv4Addr,
    levels: [Ipv4Addr; 3],
) -> io::Result<()> {
    let Some(length) = sys::receive(socket, buffer)? else {
        lock(counts).lost += u64::from(sys::lost(socket)?);
        return Ok(());
    };
    let Some(packet) = buffer.get(..length).and_then(Packet::read) else { return Ok(()) };
    let mut counts = lock(counts);
    let level = |address| levels.iter().position(|level| *level == address);
    let (hop, up) = if packet.from == resolver
        && let Some(level) = level(packet.to)
    {
        (&mut counts.levels[level], true)
    } else if packet.to == resolver
        && let Some(level) = level(packet.from)
    {
        (&mut counts.levels[level], false)
    } else if packet.to == resolver {
        (&mut counts.clients, true)
    } else if packet.from == resolver {
        (&mut counts.clients, false)
    } else {
        return Ok(());
    };
    packet.enter(if up { &mut hop.up } else { &mut hop.down });
    Ok(())
}

#[derive(Debug, PartialEq, Eq)]
struct Packet {
    from: Ipv4Addr,
    to: Ipv4Addr,
    octets: u64,
    /// How many an Ethernet would have.
    packets: u64,
    udp: bool,
    truncated: bool,
    begins: bool,
}

impl Packet {
    /// Reads IPv4 (RFC 791) with UDP (RFC 768) or TCP (RFC 9293) and a DNS header (RFC 1035, section 4.1.1).
    fn read(packet: &[u8]) -> Option<Packet> {
        const TCP: u8 = 6;
        const UDP: u8 = 17;
        let field = |at: usize| Some(u16::from_be_bytes(*packet.get(at..)?.first_chunk()?));
        let address = |at: usize| Some(Ipv4Addr::from(*packet.get(at..)?.first_chunk::<4>()?));
        let first = packet.first()?;
        let header = usize::from(first & 0x0f) * 4;
        let octets = u64::from(field(2)?);
        let protocol = *packet.get(9)?;
        let whole = Packet {
            from: address(12)?,
            to: address(16)?,
            octets,
            packets: 1,
            udp: protocol == UDP,
            truncated: false,
            begins: false,
        };
        match protocol {
            UDP => {
                // Behind the port's header and the ID: QR and TC.
                let flags = field(header + 8 + 2).unwrap_or(0);
                Some(Packet { truncated: flags & 0x8200 == 0x8200, ..whole })
            }
            TCP => {
                // The loopback interface has no need to cut what is handed down whole.
                let headers = header as u64 + u64::from(packet.get(header + 12)? >> 4) * 4;
                let (payload, room) = (octets.saturating_sub(headers), u64::from(MTU) - headers);
                let packets = payload.div_ceil(room).max(1);
                const SYN_ALONE: u8 = 0x02;
                let begins = packet.get(header + 13)? & 0x12 == SYN_ALONE;
                Some(Packet { packets, octets: octets + (packets - 1) * headers, begins, ..whole })
            }
            _ => Some(whole),
        }
    }

    fn enter(&self, direction: &mut Direction) {
        direction.packets += self.packets;
        direction.octets += self.octets;
        direction.datagrams += u64::from(self.udp);
        direction.truncated += u64::from(self.truncated);
        direction.connections += u64::from(self.begins);
    }
}

/// The address of a server as IPv4, which is all that is counted.
pub(crate) fn ipv4(address: IpAddr) -> Ipv4Addr {
    match address {
        IpAddr::V4(address) => address,
        IpAddr::V6(_) => Ipv4Addr::UNSPECIFIED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(protocol: u8, length: u16, rest: &[u8]) -> Vec<u8> {
        let length = length.to_be_bytes();
        let header =
            [0x45, 0, length[0], length[1], 0, 0, 0, 0, 64, protocol, 0, 0, 127, 0, 0, 1, 127, 0, 0, 2];
        [&header[..], rest].concat()
    }

    #[test]
    fn datagrams_and_segments() {
        let answer = ip(17, 60, &[0, 53, 1, 2, 0, 40, 0, 0, 9, 9, 0x82, 0]);
        let read = Packet::read(&answer).expect("a packet");
        assert!(read.truncated && read.udp && read.octets == 60 && read.packets == 1);
        assert_eq!((read.from, read.to), (Ipv4Addr::new(127, 0, 0, 1), Ipv4Addr::new(127, 0, 0, 2)));
        let mut tcp = vec![0; 32];
        (tcp[12], tcp[13]) = (0x80, 0x02);
        let read = Packet::read(&ip(6, 52, &tcp)).expect("a packet");
        assert!(read.begins && read.packets == 1 && read.octets == 52);
        // 10,000 octets of data in segments of 1,448.
        (tcp[12], tcp[13]) = (0x80, 0x10);
        let read = Packet::read(&ip(6, 10_052, &tcp)).expect("a packet");
        assert!(!read.begins && read.packets == 7 && read.octets == 10_052 + 6 * 52);
        for length in 0..answer.len() {
            let _ = Packet::read(&answer[..length]);
        }
        assert_eq!(Packet::read(&[]), None);
    }
}
