//! The packets of RFC 9235: context, traffic key, MAC input and MAC, one by one and through a session of each end.
//! The TCP checksums of the RFC's IPv4 packets are wrong, so nothing here looks at checksums.

mod vectors;

use std::sync::Arc;

use crate::common;
use crate::stack::parse;
use fieldtest_tcp_ao::session::{Refusal, Session};
use fieldtest_tcp_ao::{Context, Coverage, Mkt, Packet, SocketPair, message, option};
use vectors::{VECTORS, Vector};

const MASTER_KEY: &[u8] = b"testvector";
const CLIENT_ID: u8 = 61;
const SERVER_ID: u8 = 84;

fn hex(text: &str) -> Vec<u8> {
    let digit = |digit: u8| char::from(digit).to_digit(16).expect("a hexadecimal digit") as u8;
    text.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

impl Vector {
    fn by_client(&self, packet: &Packet<'_>) -> bool {
        packet.segment().destination_port() == 179
    }

    fn coverage(&self) -> Coverage {
        if self.all_options { Coverage::AllOptions } else { Coverage::AoOnly }
    }

    /// The tuple as the client or the server has it.
    fn mkt(&self, client: bool) -> Arc<Mkt> {
        let mac = if self.aes { common::cmac() } else { common::sha1() };
        let (send, receive) = if client { (CLIENT_ID, SERVER_ID) } else { (SERVER_ID, CLIENT_ID) };
        Arc::new(Mkt::new(send, receive, MASTER_KEY, mac, 12).unwrap().with_coverage(self.coverage()))
    }

    /// The end that sends the packet, or the one that receives it, at the moment of this packet.
    fn session(&self, packet: &Packet<'_>, sends: bool) -> Session {
        let client = self.by_client(packet) == sends;
        let pair = if sends { SocketPair::of_sender(packet) } else { SocketPair::of_receiver(packet) };
        let (local, remote) = if client { self.isns } else { (self.isns.1, self.isns.0) };
        if packet.segment().flags().syn() && !packet.segment().flags().ack() {
            Session::new(pair, [self.mkt(client)]).unwrap()
        } else {
            Session::established(pair, [self.mkt(client)], local, remote).unwrap()
        }
    }
}

#[test]
fn every_step_on_the_way_to_the_mac() {
    for vector in &VECTORS {
        let bytes = hex(vector.packet);
        let packet = parse(&bytes);
        let flags = packet.segment().flags();
        let (client, server) = vector.isns;
        let (source, destination) = match (vector.by_client(&packet), flags.syn() && !flags.ack()) {
            (true, true) => (client, 0),
            (true, false) => (client, server),
            (false, _) => (server, client),
        };
        let context = Context::new(&SocketPair::of_sender(&packet), source, destination);
        assert_eq!(context.as_bytes(), hex(vector.context), "context of {}", vector.section);

        let mkt = vector.mkt(true);
        let mut traffic_key = Vec::new();
        mkt.mac().derive(MASTER_KEY, context.as_bytes(), &mut traffic_key).unwrap();
        assert_eq!(traffic_key, hex(vector.traffic_key), "traffic key of {}", vector.section);

        let ao = option::find(packet.segment()).unwrap().unwrap();
        let mut input = Vec::new();
        message::append(&packet, &ao, 0, vector.coverage(), &mut input);
        assert_eq!(input, hex(vector.message), "MAC input of {}", vector.section);

        let mut mac = [0; 12];
        mkt.mac().prepare(&traffic_key).unwrap().tag(&input, &mut mac).unwrap();
        assert_eq!(mac, hex(vector.mac)[..], "MAC of {}", vector.section);
        assert_eq!(mac, ao.mac, "MAC in {}", vector.section);
    }
}

#[test]
fn the_receiving_session_accepts_each_packet_and_no_changed_one() {
    for vector in &VECTORS {
        let bytes = hex(vector.packet);
        let packet = parse(&bytes);
        let mut session = vector.session(&packet, false);
        let last = bytes.len() - 1;
        for (place, bit) in [(last, 1), (last, 0x80)] {
            let mut changed = bytes.clone();
            changed[place] ^= bit;
            let refusal = session.verify(&changed).unwrap_err();
            assert!(matches!(refusal, Refusal::MacDiffers(_)), "{}: {refusal}", vector.section);
        }
        let accepted =
            session.verify(&bytes).unwrap_or_else(|refusal| panic!("{}: {refusal}", vector.section));
        assert_eq!(accepted.sne, 0);
    }
}

#[test]
fn the_sending_session_signs_each_packet_with_the_same_mac() {
    for vector in &VECTORS {
        let bytes = hex(vector.packet);
        let packet = parse(&bytes);
        let (mut bare, mut signed) = (Vec::new(), Vec::new());
        option::strip(&packet, &mut bare).unwrap();
        vector.session(&packet, true).sign(&bare, &mut signed).unwrap();
        let signed = parse(&signed);
        let ao = option::find(signed.segment()).unwrap().unwrap();
        assert_eq!(ao.mac, hex(vector.mac), "MAC of {}", vector.section);
        assert_eq!(signed.segment().option_bytes(), packet.segment().option_bytes(), "{}", vector.section);
        assert_eq!(signed.segment().checksum(), signed.tcp_checksum());

        let mut sealed = bytes.clone();
        let place = packet.network_header().len() + ao.place;
        sealed[place + 2..place + 16].fill(0xee);
        vector.session(&packet, true).seal(&mut sealed).unwrap();
        assert_eq!(sealed, bytes, "{} sealed in place", vector.section);
    }
}
