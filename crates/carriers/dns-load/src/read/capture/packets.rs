//! Queries among the packets of pcap and pcapng: those to port 53 over UDP, or over TCP where a segment holds a whole one.

use std::io::Read;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::{Path, PathBuf};

use fieldtest_capture::{Captured, Item, Reader, network_layer};

use super::super::ReadError;
use super::{Recording, Seen};
use crate::message::{self, field};
use crate::query::Transport;

/// The port of DNS.
const PORT: u16 = 53;
const TCP: u8 = 6;
const UDP: u8 = 17;

/// A file of packets.
pub(super) struct Packets<R> {
    reader: Reader<R>,
    path: PathBuf,
    problem: Option<String>,
}

impl<R: Read> Packets<R> {
    pub(super) fn new(source: R, path: &Path) -> Result<Packets<R>, ReadError> {
        let path = path.to_path_buf();
        match Reader::new(source) {
            Ok(reader) => Ok(Packets { reader, path, problem: None }),
            Err(source) => Err(ReadError::Capture { path, source }),
        }
    }
}

impl<R: Read> Recording for Packets<R> {
    fn next(&mut self) -> Result<Option<Seen>, ReadError> {
        loop {
            let item = self.reader.next();
            let item = item.map_err(|source| ReadError::Capture { path: self.path.clone(), source })?;
            let found = match item {
                None => return Ok(None),
                Some(Item::Packet(packet)) => packet.time.and_then(|time| of_packet(&packet, time)),
                Some(Item::Problem(problem)) if !problem.fault.is_warning() => {
                    self.problem.get_or_insert_with(|| problem.to_string());
                    None
                }
                Some(_) => None,
            };
            if found.is_some() {
                return Ok(found);
            }
        }
    }

    fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }
}

/// Who asks what in a packet.
fn of_packet(packet: &Captured<'_>, time: u64) -> Option<Seen> {
    let at = network_layer(packet.link, packet.bytes).ok()?;
    let (source, protocol, payload) = of_ip(packet.bytes.get(at..)?)?;
    if field(payload, 2)? != PORT {
        return None;
    }
    let (transport, octets) = match protocol {
        UDP => (Transport::Udp, payload.get(8..usize::from(field(payload, 4)?))?),
        TCP => {
            let data = payload.get(usize::from(payload.get(12)? >> 4) * 4..)?;
            (Transport::Tcp, data.get(2..)?.get(..usize::from(field(data, 0)?))?)
        }
        _ => return None,
    };
    Some(Seen { time, client: Some(source), transport, asked: message::query(octets)? })
}

/// Source, protocol and payload of an IP packet that is no fragment.
fn of_ip(bytes: &[u8]) -> Option<(IpAddr, u8, &[u8])> {
    if bytes.first()? >> 4 == 4 {
        let header = bytes.first_chunk::<20>()?;
        let whole = bytes.get(..usize::from(field(bytes, 2)?))?;
        let fragment = field(bytes, 6)? & 0x3fff != 0;
        let source: [u8; 4] = *header[12..].first_chunk()?;
        let payload = whole.get((usize::from(header[0] & 0x0f) * 4).max(20)..)?;
        return (!fragment).then_some((Ipv4Addr::from(source).into(), header[9], payload));
    }
    let header = bytes.first_chunk::<40>()?;
    if header[0] >> 4 != 6 {
        return None;
    }
    let source: [u8; 16] = *header[8..].first_chunk()?;
    let mut payload = bytes.get(40..)?.get(..usize::from(field(bytes, 4)?))?;
    let mut next = header[6];
    // Hop-by-hop options, routing header, destination options (RFC 8200, section 4).
    while matches!(next, 0 | 43 | 60) {
        next = *payload.first()?;
        payload = payload.get((usize::from(*payload.get(1)?) + 1) * 8..)?;
    }
    Some((Ipv6Addr::from(source).into(), next, payload))
}

#[cfg(test)]
mod tests {
    use fieldtest_capture::{LinkType, Writer};
    use fieldtest_dnssec::{Name, Rtype};
    use proptest::prelude::*;

    use super::super::Replay;
    use super::*;
    use crate::query::{Edns, Flags, Query, Question};

    fn message(answer: bool) -> Vec<u8> {
        let name = Name::parse(b"a.example.", None).expect("a name");
        let edns = Some(Edns { size: 4096, dnssec_ok: true });
        let flags = Flags { recursion_desired: true, ..Flags::default() };
        let question = Question::new(&name, Rtype::A);
        let mut octets = Vec::new();
        Query { at: 0, client: 0, question, transport: Transport::Udp, edns, flags }.write(9, &mut octets);
        octets[2] |= if answer { 0x80 } else { 0 };
        octets
    }

    fn udp(port: u16, message: &[u8]) -> Vec<u8> {
        let length = 8 + message.len() as u16;
        [&[0xc0, 0], &port.to_be_bytes()[..], &length.to_be_bytes(), &[0, 0], message].concat()
    }

    fn tcp(data: &[u8]) -> Vec<u8> {
        let mut segment = vec![0; 20];
        (segment[3], segment[12]) = (53, 0x50);
        segment.extend((data.len() as u16).to_be_bytes());
        segment.extend(data);
        segment
    }

    fn v4(source: [u8; 4], protocol: u8, payload: &[u8]) -> Vec<u8> {
        let mut packet = vec![0; 20];
        packet[0] = 0x45;
        packet[2..4].copy_from_slice(&(20 + payload.len() as u16).to_be_bytes());
        packet[9] = protocol;
        packet[12..16].copy_from_slice(&source);
        packet.extend(payload);
        packet
    }

    fn v6(payload: &[u8]) -> Vec<u8> {
        let behind = [&[17, 0, 1, 4, 0, 0, 0, 0][..], payload].concat();
        let mut packet = vec![0; 40];
        (packet[0], packet[6], packet[23]) = (0x60, 60, 1);
        packet[4..6].copy_from_slice(&(behind.len() as u16).to_be_bytes());
        packet.extend(behind);
        packet
    }

    /// A capture of raw IP packets, each with its moment in milliseconds.
    fn capture(packets: &[(u64, Vec<u8>)]) -> Vec<u8> {
        let mut file = Vec::new();
        let mut writer = Writer::pcap(&mut file, LinkType::RAW).expect("a header");
        for (time, packet) in packets {
            writer.write(1_700_000_000_000_000_000 + time * 1_000_000, packet).expect("a packet");
        }
        file
    }

    fn read(file: &[u8]) -> Result<Vec<Query>, ReadError> {
        Replay::new(file, "c".as_ref(), None)?.collect()
    }

    #[test]
    fn clients_gaps_and_properties_are_kept() -> Result<(), ReadError> {
        let file = capture(&[
            (0, v4([192, 0, 2, 1], UDP, &udp(5353, &message(false)))),
            (10, v4([192, 0, 2, 1], UDP, &udp(53, &message(false)))),
            (11, v4([192, 0, 2, 53], UDP, &udp(53, &message(true)))),
            (30, v6(&udp(53, &message(false)))),
            (29, v4([192, 0, 2, 1], TCP, &tcp(&message(false)))),
            (40, v4([192, 0, 2, 1], UDP, &udp(53, &message(false))[..30])),
            (41, vec![0x45]),
        ]);
        let queries = read(&file)?;
        let seen: Vec<_> = queries.iter().map(|query| (query.at, query.client, query.transport)).collect();
        let ms = 1_000_000;
        assert_eq!(
            seen,
            [(0, 0, Transport::Udp), (20 * ms, 1, Transport::Udp), (20 * ms, 0, Transport::Tcp)]
        );
        for query in queries {
            assert_eq!(query.edns, Some(Edns { size: 4096, dnssec_ok: true }));
            assert!(query.flags.recursion_desired && !query.flags.checking_disabled);
            assert_eq!(query.question.name().to_string(), "a.example.");
        }
        Ok(())
    }

    #[test]
    fn what_has_no_query() {
        let error = read(b"no capture at all").expect_err("none");
        assert_eq!(error.to_string(), "cannot read c");
        let error = read(&capture(&[(0, vec![0x45])])).expect_err("none");
        assert!(error.to_string().contains("c has no query"), "{error}");
    }

    #[test]
    fn what_was_cut_is_told() -> Result<(), ReadError> {
        let one = || v4([192, 0, 2, 1], UDP, &udp(53, &message(false)));
        let file = capture(&[(0, one()), (10, one())]);
        let mut replay = Replay::new(&file[..file.len() - 5], "c".as_ref(), None)?;
        assert_eq!(replay.by_ref().collect::<Result<Vec<_>, _>>()?.len(), 1);
        assert!(
            replay.problem().is_some_and(|problem| problem.contains("record 2")),
            "{:?}",
            replay.problem()
        );
        let error = read(&file[..40]).expect_err("no query is whole").to_string();
        assert!(error.starts_with("c has no query that can be read: "), "{error}");
        Ok(())
    }

    proptest! {
        #[test]
        fn damage_does_no_harm(at in 0_usize..160, to: u8, cut in 0_usize..200) {
            let mut file = capture(&[
                (0, v4([192, 0, 2, 1], UDP, &udp(53, &message(false)))),
                (1, v6(&udp(53, &message(false)))),
            ]);
            if let Some(octet) = file.get_mut(at) {
                *octet = to;
            }
            file.truncate(cut);
            let _ = read(&file);
        }
    }
}
