//! A zone of the form of a top-level domain.

use super::labels::Labels;
use super::{Sample, Sink, below};
use crate::name::Name;
use crate::rtype::Rtype;

/// Hosters whose servers stand outside the zone.
const HOSTERS: u64 = 2000;
/// Delegations that host others, with servers below their own name.
const HOSTING: u64 = 500;

pub(super) fn make<E, F>(sample: &Sample, mut sink: Sink<F>) -> Result<(), E>
where
    F: FnMut(&Name, Rtype, u32, &[u8]) -> Result<(), E>,
{
    let apex = below(&Name::ROOT, &[b"test"]);
    let nic = below(&apex, &[b"nic"]);
    sink.soa(&apex, &below(&nic, &[b"a"]), &below(&nic, &[b"hostmaster"]))?;
    for letter in [b"a", b"b", b"c", b"d"] {
        let server = below(&nic, &[letter]);
        sink.ns(&apex, &server)?;
        sink.addresses(&server, (1, 1))?;
    }

    let mut labels = Labels::new(sink.seeded.next());
    let mut hosting: Vec<Name> = Vec::new();
    for _ in 0..sample.delegations.max(1) {
        // Two dice: lengths from 4 to 20, most of them near 12.
        let length = 4 + sink.seeded.below(9) + sink.seeded.below(9);
        let delegation = below(&apex, &[&labels.next(length as usize, false)]);
        let count = match sink.seeded.below(100) {
            0..75 => 2,
            75..88 => 3,
            _ => 4,
        };
        let own = (hosting.len() as u64) < HOSTING.min(u64::from(sample.delegations) / 20);
        let own = own || sink.seeded.below(100) < 5;
        if own && (hosting.len() as u64) < HOSTING {
            hosting.push(delegation);
        }
        let sibling = !own && !hosting.is_empty() && sink.seeded.below(100) < 15;
        let host = match (own, sibling) {
            (true, _) => delegation,
            (_, true) => hosting[sink.seeded.below(hosting.len() as u64) as usize],
            // The smallest of two draws: some hosters are larger than others.
            _ => hoster(sink.seeded.below(HOSTERS).min(sink.seeded.below(HOSTERS))),
        };
        for at in 0..count {
            let server = below(&host, &[&[b'n', b's', b'1' + at]]);
            sink.ns(&delegation, &server)?;
        }
        if own {
            // All four, since others may use them.
            for at in 0..4 {
                let server = below(&host, &[&[b'n', b's', b'1' + at]]);
                sink.addresses(&server, (1, 1))?;
            }
        }
        if sink.seeded.below(2) == 0 {
            sink.ds(&delegation, 2)?;
        }
    }
    Ok(())
}

fn hoster(number: u64) -> Name {
    let label = Labels::new(number * 7).next(6 + (number % 7) as usize, false);
    below(&Name::ROOT, &[&label, b"example"])
}
