//! One implementation at work on the segments of several connections: what a round times.

use std::sync::Arc;

use fieldtest_catalog::kind::Mac;
use fieldtest_kinds::mac::{Job, MacKey};
use fieldtest_measure::{Benchmark, Estimator, Failure, operation};
use fieldtest_study::group::{Act, Order, Stage};
use fieldtest_study::{StudyError, Subject};
use fieldtest_tcp_ao::batch::Batch;
use fieldtest_tcp_ao::{Context, Coverage, Mkt, Packet, Session, md5, message, option, space};
use serde::{Deserialize, Serialize};

use super::fault;
use super::traffic::{ISNS, Shape, Traffic};
use crate::NAME;
use crate::words::{Operation, Segments, Way};

/// A master key that every algorithm takes: 32 bytes.
pub(super) const MASTER_KEY: &[u8; 32] = b"a master key for the segments...";
/// The connection's key identifiers.
pub(super) const IDS: (u8, u8) = (61, 84);

/// What [`SegmentStage`] sets up.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Task {
    pub(super) shape: Shape,
    pub(super) batch: usize,
    pub(super) seed: u64,
}

/// Sets up the receiving ends of connections.
#[derive(Debug)]
pub(crate) struct SegmentStage;

impl Stage for SegmentStage {
    fn name(&self) -> &'static str {
        NAME
    }

    fn set_up(&self, order: &Order, act: &mut Act<'_>) -> Result<(), StudyError> {
        let way = Segments::read(&order.subject).map(|segments| segments.way);
        let benchmark: for<'s, 'a> fn(&'s mut Stream<'a>) -> Benchmark<'s> =
            match (Operation::from_word(&order.operation), way) {
                (Some(Operation::Segment), Some(Way::Single)) => |it| it.single(),
                (Some(Operation::Segment), Some(Way::Batched)) => |it| it.batched(),
                (Some(Operation::SegmentUnprepared), _) => |it| it.unprepared(),
                (Some(Operation::Derive), _) => |it| it.derive(),
                (Some(Operation::Prepare), _) => |it| it.prepare(),
                _ => return Err(order.unknown()),
            };
        let Task { shape, batch, seed } = order.task()?;
        let subjects = order.subjects_of()?;
        let streams = subjects.iter().map(|subject| Stream::new(subject, &shape, batch, seed));
        let mut streams = streams.collect::<Result<Vec<_>, _>>()?;
        act(&mut streams.iter_mut().map(benchmark).collect::<Vec<_>>())
    }
}

/// A receiver and the signed segments that reach it.
struct Stream<'a> {
    subject: &'a Subject<Mac>,
    receiver: Receiver,
    /// Signed segments, each with the place of its connection.
    packets: Vec<(usize, Vec<u8>)>,
    traffic_key: Vec<u8>,
    context: Context,
}

enum Receiver {
    Ao(Vec<Session>),
    Md5 { key: Box<dyn MacKey>, message: Vec<u8> },
}

impl<'a> Stream<'a> {
    /// Signs `count` segments with the algorithm's first implementation, so that every other one has to agree with it,
    /// and makes a receiver with the subject's own.
    fn new(
        subject: &'a Subject<Mac>,
        shape: &Shape,
        count: usize,
        seed: u64,
    ) -> Result<Stream<'a>, StudyError> {
        let kind = &subject.algorithm.facts.kind;
        let first = &subject.judge().code;
        let own = &subject.implementation.code;
        let failed = |error| subject.failed("preparing segments", error);
        let mut traffic_key = Vec::new();
        if kind.is_tcp_md5() {
            let traffic = Traffic::new(shape, count, &md5_option(), 0, seed)?;
            let context = Context::new(&traffic.pairs[0], ISNS[0], ISNS[1]);
            own.derive(MASTER_KEY, context.as_bytes(), &mut traffic_key).map_err(failed)?;
            let key = first.prepare(&traffic_key).map_err(failed)?;
            let mut packets = traffic.packets;
            for (_, packet) in &mut packets {
                md5::seal(packet, key.as_ref(), &mut Vec::new()).map_err(fault)?;
            }
            let key = own.prepare(&traffic_key).map_err(failed)?;
            let receiver = Receiver::Md5 { key, message: Vec::new() };
            return Ok(Stream { subject, receiver, packets, traffic_key, context });
        }
        let traffic = Traffic::new(shape, count, &[], space::ao_len(kind.tag), seed)?;
        let mkt = |code: &Arc<_>, (send, receive)| {
            Mkt::new(send, receive, MASTER_KEY, Arc::clone(code), kind.tag).map(Arc::new).map_err(fault)
        };
        let (sending, receiving) = (mkt(first, IDS)?, mkt(own, (IDS.1, IDS.0))?);
        let mut senders = Vec::new();
        let mut receivers = Vec::new();
        for pair in &traffic.pairs {
            let sender = Session::established(*pair, [Arc::clone(&sending)], ISNS[0], ISNS[1]);
            let receiver = Session::established(pair.reversed(), [Arc::clone(&receiving)], ISNS[1], ISNS[0]);
            senders.push(sender.map_err(fault)?);
            receivers.push(receiver.map_err(fault)?);
        }
        let packets = traffic.packets.iter().map(|(connection, packet)| {
            let mut signed = Vec::new();
            senders[*connection].sign(packet, &mut signed).map_err(fault)?;
            Ok((*connection, signed))
        });
        let packets = packets.collect::<Result<Vec<_>, StudyError>>()?;
        let context = Context::new(&traffic.pairs[0], ISNS[0], ISNS[1]);
        own.derive(MASTER_KEY, context.as_bytes(), &mut traffic_key).map_err(failed)?;
        Ok(Stream { subject, receiver: Receiver::Ao(receivers), packets, traffic_key, context })
    }

    /// One segment after the other: parse, find option and key, assemble the message, compute the MAC, compare.
    fn single(&mut self) -> Benchmark<'_> {
        let packets = &self.packets;
        let count = packets.len() as u64;
        let prepare = move |index: u64| Ok((index % count) as usize);
        let name = self.subject.name();
        match &mut self.receiver {
            Receiver::Ao(sessions) => {
                let run = move |at: &mut usize| {
                    let (connection, packet) = &packets[*at];
                    sessions[*connection].verify(packet).map(drop).map_err(Failure::from)
                };
                Benchmark::new(name, Estimator::Median, operation(prepare, run, accepted))
            }
            Receiver::Md5 { key, message } => {
                let run = move |at: &mut usize| {
                    let packet = Packet::parse(&packets[*at].1)?.ok_or("not TCP")?;
                    md5::verify(&packet, key.as_ref(), message).map_err(Failure::from)
                };
                Benchmark::new(name, Estimator::Median, operation(prepare, run, accepted))
            }
        }
    }

    /// All segments as one batch; the result is for the whole batch.
    fn batched(&mut self) -> Benchmark<'_> {
        let packets = &self.packets;
        let code = &self.subject.implementation.code;
        let name = self.subject.name();
        match &mut self.receiver {
            Receiver::Ao(sessions) => {
                let (mut batch, mut outcomes) = (Batch::new(), Vec::new());
                let run = move |_: &mut u64| {
                    let mut received = Vec::with_capacity(packets.len());
                    for (connection, packet) in packets {
                        received.push((*connection, Packet::parse(packet)?.ok_or("not TCP")?));
                    }
                    batch.verify(sessions, &received, &mut outcomes);
                    let refused = outcomes.iter().find_map(|outcome| outcome.as_ref().err());
                    refused.map_or(Ok(()), |refusal| Err(Failure::from(refusal.to_string())))
                };
                Benchmark::new(name, Estimator::Median, operation(Ok, run, accepted))
            }
            Receiver::Md5 { key, message } => {
                let run = move |_: &mut u64| md5_batch(code.as_ref(), key.as_ref(), packets, message);
                Benchmark::new(name, Estimator::Median, operation(Ok, run, accepted))
            }
        }
    }

    /// The message assembled and tagged with a key that is prepared for this one segment, as Linux does.
    fn unprepared(&mut self) -> Benchmark<'_> {
        let (packets, traffic_key) = (&self.packets, &self.traffic_key);
        let code = &self.subject.implementation.code;
        let is_md5 = matches!(self.receiver, Receiver::Md5 { .. });
        let tag_len = self.subject.algorithm.facts.kind.tag;
        let count = packets.len() as u64;
        let mut buffer = Vec::new();
        let run = move |at: &mut usize| {
            let packet = Packet::parse(&packets[*at].1)?.ok_or("not TCP")?;
            buffer.clear();
            if is_md5 {
                message::append_md5(&packet, &mut buffer);
            } else {
                let ao = option::find(packet.segment())?.ok_or("no option")?;
                message::append(&packet, &ao, 0, Coverage::AllOptions, &mut buffer);
            }
            let mut tag = [0; option::MAX_MAC];
            code.prepare(traffic_key)?.tag(&buffer, &mut tag[..tag_len])?;
            Ok(tag)
        };
        let check = |_, tag: Result<[u8; option::MAX_MAC], Failure>| tag.map(drop);
        Benchmark::new(
            self.subject.name(),
            Estimator::Median,
            operation(move |index: u64| Ok((index % count) as usize), run, check),
        )
    }

    /// A master key and a connection to a traffic key.
    fn derive(&mut self) -> Benchmark<'_> {
        let code = &self.subject.implementation.code;
        let run = |out: &mut Vec<u8>| code.derive(MASTER_KEY, self.context.as_bytes(), out);
        let check = |out: Vec<u8>, derived: Result<(), fieldtest_kinds::Error>| {
            derived?;
            if out == self.traffic_key { Ok(()) } else { Err("another traffic key".into()) }
        };
        let prepare = |_| Ok(Vec::with_capacity(64));
        Benchmark::new(self.subject.name(), Estimator::Median, operation(prepare, run, check))
    }

    /// A traffic key to a key that is ready to tag.
    fn prepare(&mut self) -> Benchmark<'_> {
        let code = &self.subject.implementation.code;
        let run = |_: &mut u64| code.prepare(&self.traffic_key);
        let check = |_, key: Result<Box<dyn MacKey>, fieldtest_kinds::Error>| Ok(key.map(drop)?);
        Benchmark::new(self.subject.name(), Estimator::Median, operation(Ok, run, check))
    }
}

fn accepted<I>(_: I, outcome: Result<(), Failure>) -> Result<(), Failure> {
    outcome
}

/// Two no-operations and the TCP-MD5 option with an empty digest.
fn md5_option() -> [u8; 2 + md5::OPTION] {
    let mut bytes = [0; 2 + md5::OPTION];
    bytes[..4].copy_from_slice(&[1, 1, 19, md5::OPTION as u8]);
    bytes
}

/// Assembles all messages, tags them with one call, and compares.
fn md5_batch(
    code: &dyn fieldtest_kinds::mac::Mac,
    key: &dyn MacKey,
    packets: &[(usize, Vec<u8>)],
    messages: &mut Vec<u8>,
) -> Result<(), Failure> {
    messages.clear();
    let mut ends = Vec::with_capacity(packets.len());
    for (_, packet) in packets {
        message::append_md5(&Packet::parse(packet)?.ok_or("not TCP")?, messages);
        ends.push(messages.len());
    }
    let mut tags = vec![[0u8; md5::DIGEST]; packets.len()];
    let mut start = 0;
    let mut jobs = Vec::with_capacity(packets.len());
    for (end, tag) in ends.iter().zip(&mut tags) {
        jobs.push(Job { key, message: &messages[start..*end], tag });
        start = *end;
    }
    code.tag_many(&mut jobs)?;
    let differs = |((_, packet), tag): (&(usize, Vec<u8>), &[u8; md5::DIGEST])| {
        // The digest is the last option, followed by the payload.
        let found = Packet::parse(packet)
            .ok()
            .flatten()
            .and_then(|p| p.segment().option_bytes().last_chunk().copied());
        found != Some(*tag)
    };
    match packets.iter().zip(&tags).any(differs) {
        false => Ok(()),
        true => Err("an MD5 digest differs".into()),
    }
}
