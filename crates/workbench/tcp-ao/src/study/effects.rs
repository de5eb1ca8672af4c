//! What an authentication option does to the segments of a capture: whether there is room, what gives way, what grows too long.

use fieldtest_catalog::Facts;
use fieldtest_catalog::kind::Mac;
use fieldtest_measure::record::Input;
use fieldtest_study::RecordWriter;
use fieldtest_tcp_ao::{Packet, md5, option};

use crate::words::{Effect, Operation};

/// TCP header without options.
const FIXED_HEADER: usize = 20;
/// Bytes of an IP packet where the other end's SYN is not in the capture: what Ethernet carries.
const MTU: usize = 1500;

/// Bytes of a segment at most.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limit(usize);

impl Limit {
    /// By the maximum segment size that the receiver announced, which options count against (RFC 6691), or else by the MTU.
    pub(super) fn of(packet: &Packet<'_>, mss: Option<u16>) -> Limit {
        Limit(match mss {
            Some(mss) => usize::from(mss) + FIXED_HEADER,
            None => MTU.saturating_sub(packet.network_header().len()),
        })
    }
}

/// What options with a MAC of one length do.
#[derive(Debug, Clone)]
pub(super) struct Effects {
    mac_len: usize,
    no_room: u64,
    sack_blocks: u64,
    too_long: u64,
    /// Segments that were too long before, as those that a network card has joined.
    joined: u64,
    added: u64,
    signed: Vec<u8>,
}

/// Bytes of the tag by which the option of this MAC is made: TCP-MD5's takes as much room as one of TCP-AO with as long a tag.
pub(super) fn mac_len(facts: &Facts<Mac>) -> usize {
    if facts.kind.is_tcp_md5() { md5::DIGEST } else { facts.kind.tag }
}

impl Effects {
    pub(super) fn new(mac_len: usize) -> Effects {
        Effects { mac_len, no_room: 0, sack_blocks: 0, too_long: 0, joined: 0, added: 0, signed: Vec::new() }
    }

    pub(super) fn add(&mut self, packet: &Packet<'_>, Limit(limit): Limit) {
        self.signed.clear();
        let before = packet.segment().bytes().len();
        self.joined += u64::from(before > limit);
        let Ok(inserted) = option::append_unsummed(packet, 0, 0, self.mac_len, &mut self.signed) else {
            self.no_room += 1;
            return;
        };
        let after = self.signed.len() - packet.network_header().len();
        self.sack_blocks += u64::from(inserted.sack_blocks_dropped > 0);
        self.too_long += u64::from(before <= limit && after > limit);
        self.added += after.saturating_sub(before) as u64;
    }
}

/// Enters what the option of this MAC does to a capture.
pub(super) fn enter(
    writer: &mut RecordWriter,
    facts: &Facts<Mac>,
    all: &[Effects],
    (input, notes): (&Input, &[String]),
) {
    let Some(effects) = all.iter().find(|effects| effects.mac_len == mac_len(facts)) else {
        return;
    };
    let of = [
        (Effect::NoRoom, effects.no_room, "count"),
        (Effect::SackBlocks, effects.sack_blocks, "count"),
        (Effect::TooLong, effects.too_long, "count"),
        (Effect::Added, effects.added, "bytes"),
    ];
    for (effect, value, unit) in of {
        let mut record =
            writer.result(&facts.name, Operation::CaptureOptions.word(), effect.word(), value as f64, unit);
        record.input = Some(input.clone());
        if effect == Effect::Added {
            record.notes.extend(notes.iter().cloned());
        }
        if effect == Effect::TooLong && effects.joined > 0 {
            record.notes.push(format!(
                "{} more were already too long, such as those that a network card joins",
                effects.joined
            ));
        }
        writer.record(record);
    }
}
