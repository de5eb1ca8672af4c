//! Generated segments to measure on: several connections, their data segments, all lengths the same.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use fieldtest_measure::Rng;
use fieldtest_measure::record::Input;
use fieldtest_study::StudyError;
use fieldtest_study::speed::hex;
use fieldtest_tcp_ao::SocketPair;
use fieldtest_tcp_ao::sample::{self, Head};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::fault;

/// Sequence number extension and pseudo-header in the MAC's input.
pub(super) const BEFORE_TCP: [usize; 2] = [4 + 12, 4 + 40];
/// TCP header without options, and the timestamps option.
const HEADER: usize = 20;
const TIMESTAMPS: usize = 12;
/// The longest option that signing adds.
const LONGEST_OPTION: usize = 28;
/// The initial sequence numbers of every connection, its client's and its server's.
pub(super) const ISNS: [u32; 2] = [0x1234_5678, 0x9abc_def0];
/// The longest input: a segment that IPv4 can carry.
const LONGEST: usize = 60_000;
/// Segments of one connection in a batch.
const PER_CONNECTION: usize = 4;

/// How long segments are, and over what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Shape {
    pub(super) mac_input: usize,
    v6: bool,
    /// Whether the segments have timestamps, without which they can be shorter.
    timestamps: bool,
}

impl Shape {
    /// The shapes of these lengths over IPv4 and IPv6, the shortest first.
    ///
    /// # Errors
    /// Lengths that no segment has, one that is there twice, or none at all.
    pub(super) fn all(ipv4: &[usize], ipv6: &[usize]) -> Result<Vec<Shape>, StudyError> {
        let of = |lengths: &[usize], v6| {
            lengths
                .iter()
                .map(|mac_input| Shape { mac_input: *mac_input, v6, timestamps: true })
                .collect::<Vec<_>>()
        };
        let mut shapes = [of(ipv4, false), of(ipv6, true)].concat();
        shapes.sort_by_key(|shape| shape.mac_input);
        if shapes.is_empty() {
            return Err(fault("no length of MAC input given; add one under ipv4 or ipv6"));
        }
        if let Some(shape) =
            shapes.iter().find(|shape| !(shape.shortest()..=LONGEST).contains(&shape.mac_input))
        {
            return Err(fault(format!(
                "invalid ipv{} '{}': expected {} to {LONGEST} bytes of MAC input",
                shape.version(),
                shape.mac_input,
                shape.shortest()
            )));
        }
        // Records name segments by their length alone.
        match shapes.windows(2).find(|pair| pair[0].mac_input == pair[1].mac_input) {
            Some(pair) => Err(fault(format!(
                "invalid ipv{} '{}': it is given twice; give lengths that differ, over IPv4 and IPv6 too",
                pair[1].version(),
                pair[1].mac_input
            ))),
            None => Ok(shapes),
        }
    }

    /// The shape that stands for segments of a capture, as long as those are or as near to it as every MAC fits.
    pub(super) fn near(mac_input: usize, v6: bool) -> Shape {
        let with = Shape { mac_input, v6, timestamps: true };
        let shape = if mac_input < with.shortest() { Shape { timestamps: false, ..with } } else { with };
        Shape { mac_input: mac_input.clamp(shape.shortest(), LONGEST), ..shape }
    }

    /// Bytes of the shortest MAC input that leaves room for the longest option.
    fn shortest(&self) -> usize {
        self.before_payload() + LONGEST_OPTION
    }

    /// Bytes of the MAC's input before the payload, the authentication option apart.
    fn before_payload(&self) -> usize {
        BEFORE_TCP[usize::from(self.v6)] + HEADER + if self.timestamps { TIMESTAMPS } else { 0 }
    }

    fn version(&self) -> u8 {
        if self.v6 { 6 } else { 4 }
    }

    /// Bytes of payload where the authentication option takes `option` bytes.
    fn payload(&self, option: usize) -> usize {
        self.mac_input - self.before_payload() - option
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of MAC input over IPv{}", self.mac_input, self.version())
    }
}

pub(super) struct Traffic {
    /// The connections, seen from the end that sends.
    pub(super) pairs: Vec<SocketPair>,
    /// Each segment with the place of its connection.
    pub(super) packets: Vec<(usize, Vec<u8>)>,
    pub(super) input: Input,
}

impl Traffic {
    /// `count` segments of `shape`. `extra` are options beside timestamps that the segments carry already, and `option`
    /// the bytes that signing will add.
    pub(super) fn new(
        shape: &Shape,
        count: usize,
        extra: &[u8],
        option: usize,
        seed: u64,
    ) -> Result<Traffic, StudyError> {
        let mut rng = Rng::new(seed);
        let mut payloads = rng.bytes(count + shape.mac_input);
        payloads.truncate(count + shape.payload(option + extra.len()));
        let pairs =
            (0..count.div_ceil(PER_CONNECTION)).map(|n| pair(shape, n)).collect::<Result<Vec<_>, _>>()?;
        let length = payloads.len() - count;
        let packets = (0..count).map(|n| {
            let timestamps = sample::timestamps(1000 + n as u32, 7);
            let timestamps = if shape.timestamps { &timestamps[..] } else { &[] };
            let options = [timestamps, extra].concat();
            let sequence = ISNS[0].wrapping_add(1 + (n * length) as u32);
            let head = Head {
                sequence,
                acknowledgment: ISNS[1].wrapping_add(1),
                flags: sample::DATA,
                options: &options,
            };
            (n / PER_CONNECTION, sample::packet(&pairs[n / PER_CONNECTION], &head, &payloads[n..n + length]))
        });
        let packets: Vec<_> = packets.collect();
        let mut digest = Sha256::new();
        packets.iter().for_each(|(_, packet)| digest.update(packet));
        let input = Input {
            name: format!("{count} generated segments of {} connections, {shape}, seed {seed}", pairs.len()),
            sha256: hex(&digest.finalize()),
            bytes: packets.iter().map(|(_, packet)| packet.len() as u64).sum(),
            items: count as u64,
        };
        Ok(Traffic { pairs, packets, input })
    }
}

/// What records say of segments of this shape: those that a tag of 12 bytes is added to stand for all.
pub(super) fn input(shape: &Shape, count: usize, seed: u64) -> Result<Input, StudyError> {
    Ok(Traffic::new(shape, count, &[], 16, seed)?.input)
}

/// The connection of this number: a BGP speaker and one of its neighbours.
fn pair(shape: &Shape, number: usize) -> Result<SocketPair, StudyError> {
    let host = number as u16 + 2;
    let address = |host: u16| match shape.v6 {
        true => IpAddr::from(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, host)),
        false => {
            let [high, low] = host.to_be_bytes();
            IpAddr::from(Ipv4Addr::new(198, 18, high, low))
        }
    };
    let (local, remote) = (SocketAddr::new(address(host), 50_000), SocketAddr::new(address(1), 179));
    SocketPair::new(local, remote).map_err(fault)
}
