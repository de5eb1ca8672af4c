//! dnstap: what a name server says of its messages (`dnstap.proto` of dnstap.info), in [Frame Streams](super::frames).
//!
//! Replayed are the queries that came to a server, `CLIENT_QUERY` of a resolver and `AUTH_QUERY` of an authority. What the server asked
//! itself (`RESOLVER_QUERY`, `FORWARDER_QUERY`), and what tools and stubs say of theirs, would be the same question once more.

use std::io::{self, ErrorKind, Read};

use prost::Message as _;

use super::super::{ReadError, shown};
use super::frames::{Frame, Frames};
use super::{Choice, Notes, Recording, Seen, address};
use crate::left_out::Why;
use crate::message;
use crate::query::Transport;

const CONTENT: &[u8] = b"protobuf:dnstap.Dnstap";

/// `dnstap.Dnstap`: the fields that are read.
#[derive(prost::Message)]
struct Envelope {
    #[prost(message, optional, tag = "14")]
    message: Option<Message>,
}

/// `dnstap.Message`: the fields that are read, with the names of the specification.
#[derive(prost::Message)]
struct Message {
    #[prost(int32, optional, tag = "1")]
    r#type: Option<i32>,
    #[prost(int32, optional, tag = "2")]
    socket_family: Option<i32>,
    #[prost(int32, optional, tag = "3")]
    socket_protocol: Option<i32>,
    #[prost(bytes = "vec", optional, tag = "4")]
    query_address: Option<Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "5")]
    response_address: Option<Vec<u8>>,
    #[prost(uint32, optional, tag = "7")]
    response_port: Option<u32>,
    #[prost(uint64, optional, tag = "8")]
    query_time_sec: Option<u64>,
    #[prost(fixed32, optional, tag = "9")]
    query_time_nsec: Option<u32>,
    #[prost(bytes = "vec", optional, tag = "10")]
    query_message: Option<Vec<u8>>,
}

/// `AUTH_QUERY` and `CLIENT_QUERY` of `Message.Type`.
const QUERIES: [i32; 2] = [1, 5];
/// `UDP` and `DNSCryptUDP` of `SocketProtocol`; the others are streams.
const DATAGRAMS: [i32; 2] = [1, 5];
/// `INET6` of `SocketFamily`.
const INET6: i32 = 2;

impl Message {
    fn seen(self, choice: &Choice) -> Result<Seen, Why> {
        let kind = self.r#type.ok_or(Why::NotKept)?;
        if !QUERIES.contains(&kind) {
            // Queries have odd numbers, and their answers the even ones behind them.
            return Err(if kind % 2 == 0 { Why::Answer } else { Why::Own });
        }
        let seconds = self.query_time_sec.and_then(|seconds| seconds.checked_mul(1_000_000_000));
        let time = seconds.and_then(|time| time.checked_add(self.query_time_nsec.unwrap_or(0).into()));
        let datagram = self.socket_protocol.is_none_or(|protocol| DATAGRAMS.contains(&protocol));
        let is_v6 = self.socket_family == Some(INET6);
        let server = self.response_address.and_then(|octets| address(&octets, is_v6));
        choice.check(server, self.response_port.and_then(|port| port.try_into().ok()), None)?;
        Ok(Seen {
            time: time.ok_or(Why::NoMoment)?,
            client: self.query_address.and_then(|octets| address(&octets, is_v6)),
            server,
            transport: if datagram { Transport::Udp } else { Transport::Tcp },
            asked: message::query(&self.query_message.ok_or(Why::NotKept)?)?,
        })
    }
}

pub(super) struct Dnstap<R> {
    frames: Frames<R>,
    ended: bool,
}

impl<R: Read> Dnstap<R> {
    pub(super) fn new(source: R) -> Dnstap<R> {
        Dnstap { frames: Frames::new(source), ended: false }
    }

    /// Nothing behind a frame that cannot be read can be found.
    fn end(&mut self, error: io::Error, notes: &mut Notes) -> Result<Option<Seen>, ReadError> {
        self.ended = true;
        if !matches!(error.kind(), ErrorKind::UnexpectedEof | ErrorKind::InvalidData) {
            return Err(ReadError::Io { path: notes.path.clone(), source: error });
        }
        notes.problem.get_or_insert_with(|| error.to_string());
        Ok(None)
    }
}

impl<R: Read> Recording for Dnstap<R> {
    fn next(&mut self, notes: &mut Notes) -> Result<Option<Seen>, ReadError> {
        while !self.ended {
            let frame = match self.frames.next() {
                Ok(Some(frame)) => frame,
                Ok(None) => return Ok(None),
                Err(error) => return self.end(error, notes),
            };
            match frame {
                Frame::Content(content) if content != CONTENT => {
                    let what = format!(
                        "its frames contain {}, but only {} is supported",
                        shown(&content),
                        shown(CONTENT)
                    );
                    return Err(ReadError::Format { path: notes.path.clone(), what });
                }
                Frame::Content(_) => {}
                Frame::Data(data) => match Envelope::decode(&data[..]) {
                    Ok(envelope) => {
                        match envelope.message.ok_or(Why::NotKept).and_then(|it| it.seen(&notes.choice)) {
                            Ok(seen) => return Ok(Some(seen)),
                            Err(why) => notes.left_out.count(why),
                        }
                    }
                    Err(_) => {
                        notes.left_out.count(Why::Unreadable);
                        let place = self.frames.place();
                        notes.problem.get_or_insert_with(|| format!("no dnstap: {place}"));
                    }
                },
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Replay;
    use super::super::tests::{read, read_damaged, replayed};
    use super::*;
    use crate::query::Query;

    /// A control frame; with a content type if it has one.
    fn control(kind: u8, content: &[u8]) -> Vec<u8> {
        let fields = [&[0, 0, 0, 1, 0, 0, 0, content.len() as u8], content].concat();
        let fields = if content.is_empty() { &[][..] } else { &fields };
        [&[0, 0, 0, 0, 0, 0, 0, 4 + fields.len() as u8, 0, 0, 0, kind], fields].concat()
    }

    /// A frame of a query for `. NS` that a client sent so many seconds after another moment, over UDP (1) or TCP (2).
    fn frame(kind: u8, second: u8, client: u8, protocol: u8) -> Vec<u8> {
        let query = [&[0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1][..]].concat();
        let message = [
            &[0x08, kind, 0x10, 1, 0x18, protocol, 0x22, 4, 192, 0, 2, client][..],
            &[0x2a, 4, 192, 0, 2, 53, 0x38, 53, 0x40, second],
            &[0x4d, 0, 0x65, 0xcd, 0x1d, 0x52, 17], // 500,000,000 ns, little endian
            &query,
        ]
        .concat();
        // The identity of the server, which is passed over; the message; the type MESSAGE.
        let whole = [&b"\x0a\x02ns\x72"[..], &[message.len() as u8], &message, &[0x78, 1]].concat();
        [&[0, 0, 0, whole.len() as u8], &whole[..]].concat()
    }

    #[test]
    fn queries_to_the_server_in_files_of_one_and_of_two_directions() -> Result<(), ReadError> {
        let data = [frame(5, 10, 1, 1), frame(3, 11, 9, 1), frame(6, 11, 1, 1), frame(1, 12, 2, 2)].concat();
        let one = [control(2, CONTENT), data.clone(), control(3, b"")].concat();
        let two =
            [control(4, CONTENT), control(1, CONTENT), one.clone(), control(5, b""), one.clone()].concat();
        let seen = |queries: Vec<Query>| -> Vec<_> {
            queries.iter().map(|query| (query.at / 1_000_000_000, query.client, query.transport)).collect()
        };
        let expected = [(0, 0, Transport::Udp), (2, 1, Transport::Tcp)];
        assert_eq!(seen(read(&one)?), expected);
        assert_eq!(seen(read(&[control(2, b""), data].concat())?), expected, "nobody said what it is");
        let twice = [expected[0], expected[0], expected[1], expected[1]];
        assert_eq!(seen(read(&two)?), twice, "a second stream of the same time behind the first");
        let (queries, replay) = replayed(&one, &Choice::default())?;
        assert!(replay.left_out().by_reason().eq([(Why::Answer, 1), (Why::Own, 1)]));
        let query = &queries[0];
        assert_eq!((query.question.name().to_string(), query.question.rtype().0), (".".to_owned(), 2));
        assert!(query.flags.recursion_desired && query.edns.is_none());
        Ok(())
    }

    #[test]
    fn whose_queries_are_replayed_is_chosen() -> Result<(), Box<dyn std::error::Error>> {
        let file = [control(2, CONTENT), frame(5, 10, 1, 1)].concat();
        for (server, queries) in
            [("192.0.2.53", 1), ("192.0.2.53:53", 1), ("192.0.2.53:853", 0), ("192.0.2.1", 0)]
        {
            let choice = Choice { servers: vec![server.parse()?], ..Choice::default() };
            let mut replay = Replay::new(&file[..], "c".as_ref(), &choice)?;
            assert_eq!(replay.by_ref().filter(Result::is_ok).count(), queries, "{server}");
            assert_eq!(replay.left_out().by_reason().any(|it| it == (Why::OtherServer, 1)), queries == 0);
        }
        Ok(())
    }

    #[test]
    fn what_is_not_read() {
        let other = control(2, b"protobuf:other");
        let error = read(&other).expect_err("another content").to_string();
        assert!(error.contains("'protobuf:other'") && error.contains("protobuf:dnstap.Dnstap"), "{error}");
        let none = read(&[control(2, CONTENT), frame(3, 1, 1, 1)].concat());
        assert!(matches!(none, Err(ReadError::Empty { .. })), "{none:?}");
        let cut = [control(2, CONTENT), frame(5, 1, 1, 1), frame(5, 1, 1, 1)].concat();
        let (queries, replay) = replayed(&cut[..cut.len() - 3], &Choice::default()).expect("a stream");
        assert_eq!(queries.len(), 1);
        assert!(replay.problem().is_some_and(|problem| problem.contains("is cut off")));
        let mut bad = frame(5, 1, 1, 1);
        bad[8] = 0xff;
        let bad = [control(2, CONTENT), bad, frame(5, 1, 1, 1)].concat();
        let (queries, replay) = replayed(&bad, &Choice::default()).expect("a stream");
        assert_eq!(queries.len(), 1, "the frame behind one that is no dnstap");
        assert!(replay.problem().is_some_and(|problem| problem.starts_with("no dnstap: frame 1")));
    }

    proptest! {
        #[test]
        fn damage_does_no_harm(at in 0_usize..200, to: u8, cut in 0_usize..240) {
            let file = [control(2, CONTENT), frame(5, 1, 1, 1), frame(1, 2, 2, 2)].concat();
            read_damaged(file, at, to, cut);
        }
    }
}
