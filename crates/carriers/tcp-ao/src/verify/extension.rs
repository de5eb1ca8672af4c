//! The sequence number extension (RFC 5925, section 6.2) of a segment, found by trying.

use fieldtest_cpu::constant_time_eq;

use super::Key;
use crate::context::Context;
use crate::ip::Packet;
use crate::message;
use crate::option::AoOption;
use crate::pair::SocketPair;

/// The highest sequence number extension that is tried: 16 TiB in one direction.
pub(crate) const EXTENSIONS: u32 = 4096;

/// The extension that a segment verifies with, with this key and these numbers (its sender's first).
pub(crate) fn extension_of(
    packet: &Packet<'_>,
    ao: &AoOption<'_>,
    key: &Key,
    isns: (u32, u32),
    extensions: impl Iterator<Item = u32>,
) -> Option<u32> {
    let context = Context::new(&SocketPair::of_sender(packet), isns.0, isns.1);
    let traffic_key = key.traffic_key(&context).ok()?;
    let mut input = Vec::new();
    message::append(packet, ao, 0, key.coverage(), &mut input);
    let mut tag = vec![0; ao.mac.len()];
    for extension in extensions {
        input.get_mut(..4)?.copy_from_slice(&extension.to_be_bytes());
        traffic_key.tag(&input, &mut tag).ok()?;
        if constant_time_eq(&tag, ao.mac) {
            return Some(extension);
        }
    }
    None
}
