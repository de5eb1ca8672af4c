//! How long the segments of a capture are, and which lengths stand for them.

use std::collections::BTreeMap;
use std::fmt;

use fieldtest_tcp_ao::{Packet, space};

use super::traffic::{BEFORE_TCP, Shape};

/// The tag that lengths are told with: that of RFC 5926.
const TAG: usize = 12;

/// How many segments have which MAC input.
#[derive(Debug, Default)]
pub(super) struct Lengths {
    /// By version and bytes: the shortest first.
    of: [BTreeMap<usize, u64>; 2],
}

/// A length that stands for others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Chosen {
    word: &'static str,
    mac_input: usize,
    v6: bool,
}

impl Lengths {
    pub(super) fn add(&mut self, packet: &Packet<'_>) {
        let v6 = usize::from(packet.is_v6());
        let mac_input = BEFORE_TCP[v6] + packet.segment().bytes().len() + space::ao_len(TAG);
        *self.of[v6].entry(mac_input).or_default() += 1;
    }

    /// Shortest, median, most frequent and longest of the version that most segments have, and the median of the other.
    fn chosen(&self) -> Vec<Chosen> {
        let [four, six] = [0, 1].map(|v6: usize| self.of[v6].values().sum::<u64>());
        let most = six > four;
        let mut chosen = Vec::new();
        let own = &self.of[usize::from(most)];
        let mut choose = |word, mac_input: Option<usize>, v6| {
            chosen.extend(mac_input.map(|mac_input| Chosen { word, mac_input, v6 }));
        };
        let frequent = own.iter().max_by_key(|(_, count)| **count).map(|(length, _)| *length);
        choose("shortest", own.keys().next().copied(), most);
        choose("median", median(own), most);
        choose("most frequent", frequent, most);
        choose("longest", own.keys().next_back().copied(), most);
        choose("median", median(&self.of[usize::from(!most)]), !most);
        chosen
    }

    /// The shapes that stand for them, the shortest first, no length twice.
    pub(super) fn shapes(&self) -> Vec<Shape> {
        let mut shapes: Vec<Shape> = Vec::new();
        for Chosen { mac_input, v6, .. } in self.chosen() {
            let shape = Shape::near(mac_input, v6);
            if shapes.iter().all(|known| known.mac_input != shape.mac_input) {
                shapes.push(shape);
            }
        }
        shapes.sort_by_key(|shape| shape.mac_input);
        shapes
    }
}

/// The length that half of the segments do not exceed.
fn median(of: &BTreeMap<usize, u64>) -> Option<usize> {
    let half = of.values().sum::<u64>().div_ceil(2);
    let mut below = 0;
    of.iter().find_map(|(length, count)| {
        below += count;
        (below >= half).then_some(*length)
    })
}

impl fmt::Display for Lengths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, Chosen { word, mac_input, v6 }) in self.chosen().into_iter().enumerate() {
            let before = if at == 0 { "" } else { ", " };
            let version = if v6 { 6 } else { 4 };
            write!(f, "{before}{word} {mac_input} over IPv{version}")?;
            let timed = Shape::near(mac_input, v6).mac_input;
            if timed != mac_input {
                write!(f, " (timed with {timed}, which every tag fits)")?;
            }
        }
        Ok(())
    }
}
