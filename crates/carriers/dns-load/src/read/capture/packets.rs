//! Queries among the packets of pcap and pcapng: those to port 53, or to the servers that were chosen, over UDP, and over TCP wherever its
//! segments begin and end.

use std::collections::VecDeque;
use std::io::Read;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;

use fieldtest_capture::{CaptureError, Captured, Item, Reader, Unframed, network_layer};

use super::super::ReadError;
use super::ip::{Ip, Piece};
use super::streams::Streams;
use super::{Choice, Notes, Recording, Seen};
use crate::left_out::Why;
use crate::message::{self, Asked, field};
use crate::query::Transport;

const TCP: u8 = 6;
const UDP: u8 = 17;
/// IP protocols and UDP ports (IANA's registries) that carry packets of others: mirrored ports and clouds deliver just that.
const CARRIERS: [(u8, &str); 5] = [(4, "IP"), (41, "IP"), (47, "GRE"), (50, "ESP"), (137, "MPLS")];
const CARRIER_PORTS: [(u16, &str); 5] =
    [(2152, "GTP-U"), (4789, "VXLAN"), (8472, "VXLAN"), (4790, "VXLAN"), (6081, "Geneve")];

pub(super) struct Packets<R> {
    reader: Reader<R>,
    streams: Streams,
    /// Queries of the packet that was read last.
    waiting: VecDeque<Seen>,
    ended: bool,
}

impl<R: Read> Packets<R> {
    pub(super) fn new(source: R, path: &Path) -> Result<Packets<R>, ReadError> {
        let path = path.to_path_buf();
        let reader = match Reader::new(source) {
            Ok(reader) => reader,
            Err(CaptureError::NotACapture(_)) => {
                let what = format!("it has none of these formats: {}; check the path", super::FORMATS);
                return Err(ReadError::Format { path, what });
            }
            Err(source) => return Err(ReadError::Capture { path, source }),
        };
        Ok(Packets { reader, streams: Streams::default(), waiting: VecDeque::new(), ended: false })
    }

    /// Reads the next packet; false at the end.
    fn read(&mut self, notes: &mut Notes) -> Result<bool, ReadError> {
        let item = self.reader.next();
        let item = item.map_err(|source| ReadError::Capture { path: notes.path.clone(), source })?;
        match item {
            None => {
                (0..self.streams.unfinished()).for_each(|_| notes.left_out.count(Why::Piece));
                return Ok(false);
            }
            Some(Item::Packet(packet)) => {
                let found = of_packet(&packet, &notes.choice, &mut self.streams);
                let (ends, transport, asked) =
                    found.unwrap_or_else(|why| (None, Transport::Udp, vec![Err(why)]));
                let [client, server] = [ends.map(|ends| ends.0), ends.map(|ends| ends.1)];
                for asked in asked {
                    match asked.and_then(|asked| Ok((asked, packet.time.ok_or(Why::NoMoment)?))) {
                        Ok((asked, time)) => {
                            self.waiting.push_back(Seen { time, client, server, transport, asked })
                        }
                        Err(why) => notes.left_out.count(why),
                    }
                }
            }
            Some(Item::Problem(problem)) if !problem.fault.is_warning() => {
                notes.left_out.count(Why::Unreadable);
                notes.problem.get_or_insert_with(|| problem.to_string());
            }
            Some(_) => {}
        }
        Ok(true)
    }
}

impl<R: Read> Recording for Packets<R> {
    fn next(&mut self, notes: &mut Notes) -> Result<Option<Seen>, ReadError> {
        while self.waiting.is_empty() && !self.ended {
            self.ended = !self.read(notes)?;
        }
        Ok(self.waiting.pop_front())
    }
}

/// Who asks whom over what, and each message that ends in a packet.
type Found = (Option<(IpAddr, IpAddr)>, Transport, Vec<Result<Asked, Why>>);

fn of_packet(packet: &Captured<'_>, choice: &Choice, streams: &mut Streams) -> Result<Found, Why> {
    let cut = if packet.is_snapped() { Why::Cut } else { Why::NoMessage };
    let at = network_layer(packet.link, packet.bytes).map_err(|unframed| match unframed {
        Unframed::UnknownLink(link) => Why::Link(link.0),
        Unframed::Short => cut,
        Unframed::Within(protocol) => Why::Within(protocol),
        _ => Why::NotIp(packet.link.0),
    })?;
    let bytes = packet.bytes.get(at..).ok_or(cut)?;
    let ip = match bytes.first().ok_or(cut)? >> 4 {
        4 => Ip::read_v4(bytes, cut),
        6 => Ip::read_v6(bytes, cut),
        _ => Err(Why::NotIp(packet.link.0)),
    }?;
    if ip.piece == Piece::Later {
        return Err(Why::LaterFragment);
    }
    if ![TCP, UDP].contains(&ip.protocol) {
        let carrier = CARRIERS.iter().find(|(protocol, _)| *protocol == ip.protocol);
        return Err(carrier.map_or(Why::OtherProtocol, |(_, name)| Why::Within(name)));
    }
    let payload = ip.payload;
    let [from, to] = [field(payload, 0).ok_or(cut)?, field(payload, 2).ok_or(cut)?];
    if !choice.has_port(to) {
        let carrier = CARRIER_PORTS.iter().find(|(port, _)| *port == to && ip.protocol == UDP);
        let other = carrier.map_or(Why::OtherPort, |(_, name)| Why::Within(name));
        return Err(if choice.has_port(from) { Why::Answer } else { other });
    }
    choice.check_packet(SocketAddr::new(ip.destination, to))?;
    if ip.piece == Piece::First {
        return Err(Why::Fragment);
    }
    let between = (ip.source, ip.destination);
    if ip.protocol == TCP {
        let ends = [(ip.source, from), (ip.destination, to)];
        return Ok((Some(between), Transport::Tcp, streams.segment(ends, payload, (ip.length, cut))));
    }
    let length = usize::from(field(payload, 4).ok_or(cut)?);
    let message =
        payload.get(8..length).ok_or(if length < 8 || length > ip.length { Why::NoMessage } else { cut })?;
    Ok((Some(between), Transport::Udp, vec![message::query(message)]))
}

#[cfg(test)]
mod tests {
    use fieldtest_capture::{LinkType, Writer};
    use fieldtest_dnssec::{Name, Rtype};
    use proptest::prelude::*;

    use super::super::tests::{read, read_damaged, replayed};
    use super::*;
    use crate::query::{Edns, Flags, Query, Question};

    fn message(answer: bool) -> Vec<u8> {
        let name = Name::parse(b"a.example.", None).expect("a name");
        let edns = Some(Edns::new(4096, true));
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

    fn segment(sequence: u32, data: &[u8]) -> Vec<u8> {
        let mut segment = vec![0; 20];
        (segment[3], segment[12]) = (53, 0x50);
        segment[4..8].copy_from_slice(&sequence.to_be_bytes());
        segment.extend(data);
        segment
    }

    fn with_length(message: &[u8]) -> Vec<u8> {
        [&(message.len() as u16).to_be_bytes()[..], message].concat()
    }

    fn tcp(message: &[u8]) -> Vec<u8> {
        segment(0, &with_length(message))
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

    fn asked(client: u8) -> Vec<u8> {
        v4([192, 0, 2, client], UDP, &udp(53, &message(false)))
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

    /// How many queries are replayed, and the rest in words.
    fn told_by(file: &[u8], choice: &Choice) -> Result<(usize, Vec<(Why, u64)>), ReadError> {
        let (queries, replay) = replayed(file, choice)?;
        Ok((queries.len(), replay.left_out().by_reason().collect()))
    }

    fn told(file: &[u8]) -> Result<(usize, Vec<(Why, u64)>), ReadError> {
        told_by(file, &Choice::default())
    }

    #[test]
    fn clients_gaps_and_properties_are_kept() -> Result<(), ReadError> {
        let file = capture(&[
            (0, v4([192, 0, 2, 1], UDP, &udp(5353, &message(false)))),
            (10, asked(1)),
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
            [(0, 0, Transport::Udp), (19 * ms, 0, Transport::Tcp), (20 * ms, 1, Transport::Udp)],
            "in the order of their moments"
        );
        for query in queries {
            assert_eq!(query.edns, Some(Edns::new(4096, true)));
            assert!(query.flags.recursion_desired && !query.flags.checking_disabled);
            assert_eq!(query.question.name().to_string(), "a.example.");
        }
        Ok(())
    }

    /// As tcpdump takes it on a resolver: clients ask, it asks others, and what runs on it asks it.
    #[test]
    fn whose_queries_are_replayed_is_chosen() -> Result<(), Box<dyn std::error::Error>> {
        let asks = |from: u8, to: u8, port: u16| {
            let mut packet = v4([192, 0, 2, from], UDP, &udp(port, &message(false)));
            packet[16..20].copy_from_slice(&[192, 0, 2, to]);
            packet
        };
        let packets =
            [asks(1, 53, 53), asks(53, 53, 53), asks(2, 53, 53), asks(53, 9, 53), asks(3, 53, 5353)];
        let file = |packets: &[Vec<u8>]| capture(&(0..).zip(packets.iter().cloned()).collect::<Vec<_>>());
        let resolver: IpAddr = "192.0.2.53".parse()?;
        let error = read(&file(&packets)).expect_err("both sides");
        assert!(matches!(&error, ReadError::BothSides { address, .. } if *address == resolver), "{error}");
        assert_eq!(told(&file(&packets[..3]))?, (3, vec![]), "it asks nobody else");
        for (servers, expected) in [
            (&["192.0.2.53"][..], (3, vec![(Why::OtherServer, 1), (Why::OtherPort, 1)])),
            (&["192.0.2.9"], (1, vec![(Why::OtherServer, 3), (Why::OtherPort, 1)])),
            (&["192.0.2.9", "192.0.2.53:5353"], (2, vec![(Why::OtherServer, 3)])),
        ] {
            let servers = servers.iter().map(|it| it.parse()).collect::<Result<_, _>>()?;
            let choice = Choice { servers, ..Choice::default() };
            assert_eq!(told_by(&file(&packets), &choice)?, expected, "{choice:?}");
        }
        Ok(())
    }

    #[test]
    fn what_has_no_query() {
        let error = read(b"no capture\x1b at all").expect_err("none").to_string();
        assert!(error.contains("dnstap") && error.contains("C-DNS"), "{error}");
        let error = read(&capture(&[(0, vec![0x45])])).expect_err("none");
        let ReadError::Empty { remedy, .. } = error else { panic!("{error}") };
        assert!(remedy.contains(" 1 not DNS "), "{remedy}");
    }

    #[test]
    fn what_is_not_replayed_is_counted() -> Result<(), ReadError> {
        let with = |at: usize, octet: u8| {
            let mut message = message(false);
            message[at] = octet;
            v4([192, 0, 2, 1], UDP, &udp(53, &message))
        };
        let fragment = |field: u16, port: u16| {
            let mut packet = v4([192, 0, 2, 1], UDP, &udp(port, &message(false)));
            packet[6..8].copy_from_slice(&field.to_be_bytes());
            packet
        };
        let mut answer = v4([192, 0, 2, 1], UDP, &udp(5353, &message(true)));
        answer[20..22].copy_from_slice(&[0, 53]);
        let file = capture(&[
            (0, with(0, 0)),
            (1, with(2, 0x20)),
            (2, with(2, 0x28)),
            (3, with(2, 0x10)),
            (4, with(5, 2)),
            (5, with(9, 1)),
            // Another record behind that of EDNS, as TSIG is.
            (5, with(11, 2)),
            (6, with(2, 0x80)),
            (7, fragment(0x2000, 53)),
            (7, fragment(0x2000, 54)),
            (8, fragment(0x0005, 53)),
            (9, answer),
            (10, v4([192, 0, 2, 1], 1, &[8; 8])),
            (10, v4([192, 0, 2, 1], 47, &[0; 8])),
            (10, v4([192, 0, 2, 1], UDP, &udp(4789, &[8; 60]))),
            (11, vec![0x10; 40]),
            (12, v4([192, 0, 2, 1], TCP, &segment(0, b""))),
            (13, v4([192, 0, 2, 1], UDP, &udp(53, &message(false)[..20]))),
        ]);
        let expected = [
            (Why::Fragment, 1),
            (Why::Within("GRE"), 1),
            (Why::Within("VXLAN"), 1),
            (Why::Questions, 1),
            (Why::Opcode(2), 1),
            (Why::Opcode(4), 1),
            (Why::Opcode(5), 1),
            (Why::Records, 2),
            (Why::NoMessage, 1),
            (Why::NoData, 1),
            (Why::LaterFragment, 1),
            (Why::Answer, 2),
            (Why::OtherPort, 1),
            (Why::OtherProtocol, 1),
            (Why::NotIp(LinkType::RAW.0), 1),
        ];
        assert_eq!(told(&file)?, (1, expected.to_vec()));
        Ok(())
    }

    /// As `tcpdump -s 60` leaves them: some of their queries are whole.
    #[test]
    fn what_the_capture_cut_is_counted() -> Result<(), ReadError> {
        let mut file = capture(&[(0, asked(1))]);
        let whole = asked(2);
        for (length, kept) in [(whole.len(), 40), (whole.len(), 15), (1_500, whole.len())] {
            file.extend(
                [[0; 4], [0; 4], (kept as u32).to_le_bytes(), (length as u32).to_le_bytes()].concat(),
            );
            file.extend(&whole[..kept]);
        }
        let stream = v4([192, 0, 2, 3], TCP, &tcp(&message(false)));
        file.extend([[0; 4], [0; 4], 50_u32.to_le_bytes(), (stream.len() as u32).to_le_bytes()].concat());
        file.extend(&stream[..50]);
        // A packet that was cut behind its query is replayed.
        assert_eq!(told(&file)?, (2, vec![(Why::Cut, 3)]));
        Ok(())
    }

    #[test]
    fn a_link_header_that_is_not_read_is_named() {
        let mut file = Vec::new();
        let mut writer = Writer::pcap(&mut file, LinkType(147)).expect("a header");
        writer.write(0, &asked(1)).expect("a packet");
        let error = read(&file).expect_err("no query");
        assert!(matches!(&error, ReadError::Empty { remedy, .. } if remedy.contains("type 147,")), "{error}");
    }

    #[test]
    fn tcp_is_followed_over_its_segments() -> Result<(), ReadError> {
        let one = with_length(&message(false));
        let two = [&one[..], &one].concat();
        let of = |sequence: usize, data: &[u8]| v4([192, 0, 2, 1], TCP, &segment(sequence as u32, data));
        let at = |parts: &[(usize, &[u8])]| -> Vec<(u64, Vec<u8>)> {
            (0..).zip(parts).map(|(time, (sequence, data))| (time, of(*sequence, data))).collect()
        };
        let length = one.len();
        for (parts, queries, rest) in [
            (&[(7, &two[..])][..], 2, None),
            (&[(7, &two[..]), (7, &two[..])], 2, Some(Why::Again)),
            (&[(7, &one[..5]), (12, &one[5..])], 1, None),
            (&[(7, &one[..1]), (8, &two[1..]), (7, &one[..1])], 2, Some(Why::Again)),
            // The second segment has what the first had, and more.
            (&[(7, &one[..]), (7, &two[..])], 2, None),
            (&[(7, &one[..]), (6, &one[..1])], 1, Some(Why::Again)),
            (&[(7, &one[..9]), (7 + length, &one[..])], 1, Some(Why::Piece)),
            (&[(7, &one[..]), (7 + length, &one[..9])], 1, Some(Why::Piece)),
            (
                &[(0xffff_fff0, &one[..]), (0xffff_fff0_usize.wrapping_add(length) & 0xffff_ffff, &one[..])],
                2,
                None,
            ),
            // A port that another connection had before it.
            (&[(1 << 30, &one[..]), (7, &two[..])], 3, None),
            (&[(7, &one[..]), (7 + length, &[0xff; 9])], 1, Some(Why::Piece)),
        ] {
            assert_eq!(
                told(&capture(&at(parts)))?,
                (queries, rest.map(|why| (why, 1)).into_iter().collect())
            );
        }
        Ok(())
    }

    #[test]
    fn disorder_is_put_in_order_or_refused() -> Result<(), ReadError> {
        let file = capture(&[(200, asked(1)), (500, asked(2)), (300, asked(3)), (300, asked(4))]);
        let (queries, replay) = replayed(&file, &Choice::default())?;
        let moments: Vec<u64> = queries.iter().map(|query| query.at / 1_000_000).collect();
        assert_eq!(moments, [0, 100, 100, 300]);
        assert_eq!(replay.out_of_order(), 2);
        let mut far: Vec<(u64, Vec<u8>)> = (0..1 << 16).map(|number| (1_000 + number, asked(1))).collect();
        far.push((0, asked(2)));
        assert_eq!(read(&capture(&far[1..]))?.len(), 1 << 16);
        let error = read(&capture(&far)).expect_err("too far");
        assert!(matches!(error, ReadError::Order { queries: 65_536, .. }), "{error}");
        Ok(())
    }

    #[test]
    fn what_was_cut_is_told() -> Result<(), ReadError> {
        let file = capture(&[(0, asked(1)), (10, asked(1))]);
        let (queries, replay) = replayed(&file[..file.len() - 5], &Choice::default())?;
        let problem = replay.problem().unwrap_or("none");
        assert!(queries.len() == 1 && problem.contains("record 2"), "{problem}");
        let error = read(&file[..40]).expect_err("no query is whole");
        assert!(matches!(error, ReadError::Damaged { .. }), "{error}");
        Ok(())
    }

    proptest! {
        #[test]
        fn damage_does_no_harm(at in 0_usize..300, to: u8, cut in 0_usize..320) {
            let file = capture(&[
                (0, asked(1)),
                (1, v6(&udp(53, &message(false)))),
                (2, v4([192, 0, 2, 1], TCP, &tcp(&message(false)))),
            ]);
            read_damaged(file, at, to, cut);
        }
    }
}
