//! A zone of the form of the root.

use std::collections::HashSet;

use super::labels::Labels;
use super::statistics as facts;
use super::{Sample, Sink, below};
use crate::name::Name;
use crate::rtype::Rtype;
use crate::seeded::Seeded;

/// Hands out each item as often as the statistics count it, in random order, and then all over again: so that a zone of
/// the real size has exactly the real counts.
struct Deck<T> {
    cards: Vec<T>,
    at: usize,
}

impl<T: Copy> Deck<T> {
    fn new(counts: impl Iterator<Item = (T, u16)>) -> Self {
        let cards: Vec<T> =
            counts.flat_map(|(item, count)| std::iter::repeat_n(item, usize::from(count))).collect();
        Deck { at: cards.len(), cards }
    }

    fn draw(&mut self, seeded: &mut Seeded) -> T {
        if self.at == self.cards.len() {
            seeded.shuffle(&mut self.cards);
            self.at = 0;
        }
        self.at += 1;
        self.cards[self.at - 1]
    }
}

/// A name of the length of `a.root-servers.net`.
const ROOT_SERVERS: [&[u8]; 2] = [b"root-srv", b"example"];
/// A mailbox of the length of the root's; it shares no label with the servers, as there.
const MAILBOX: [&[u8]; 3] = [b"hostmaster", b"sample", b"test"];
const LETTERS: &[u8; 26] = b"abcdefghijklmnopqrstuvwxyz";

pub(super) fn make<E, F>(sample: &Sample, mut sink: Sink<F>) -> Result<(), E>
where
    F: FnMut(&Name, Rtype, u32, &[u8]) -> Result<(), E>,
{
    let mut labels = Labels::new(sink.seeded.next());
    let plain = facts::LABEL_LENGTHS.map(|(length, count)| ((length, false), count));
    let international = facts::INTERNATIONALISED_LENGTHS.map(|(length, count)| ((length, true), count));
    let mut lengths = Deck::new(plain.into_iter().chain(international));
    let mut servers = Deck::new(facts::SERVERS.iter().map(|(all, own, count)| ((*all, *own), *count)));
    let mut digests = Deck::new(facts::DS.iter().copied());
    let mut addresses = Deck::new(facts::ADDRESSES.iter().copied());

    let zone_servers = below(&Name::ROOT, &ROOT_SERVERS);
    let first = below(&zone_servers, &[b"a"]);
    sink.soa(&Name::ROOT, &first, &below(&Name::ROOT, &MAILBOX))?;
    for letter in LETTERS[..13].chunks(1) {
        let server = below(&zone_servers, &[letter]);
        sink.ns(&Name::ROOT, &server)?;
        sink.addresses(&server, (1, 1))?;
    }

    // All servers outside their own delegation stand below “example.”, which is therefore delegated, as the real root's
    // servers stand below a delegation. It takes the place of a
    // label of its length, or the last place of a small zone that has no such label.
    let mut example = Some(below(&Name::ROOT, &[b"example"]));
    let mut known: HashSet<(u8, u64)> = HashSet::new();
    let last = sample.delegations.max(1) - 1;
    for number in 0..=last {
        let (length, international) = lengths.draw(&mut sink.seeded);
        let delegation = match example.take_if(|_| number == last || length == 7 && !international) {
            Some(example) => example,
            None => below(&Name::ROOT, &[&labels.next(usize::from(length), international)]),
        };
        let (count, own) = servers.draw(&mut sink.seeded);
        let style = sink.seeded.next();
        for at in 0..own {
            let server = own_server(&delegation, style, own, at);
            sink.ns(&delegation, &server)?;
            let has = addresses.draw(&mut sink.seeded);
            sink.addresses(&server, has)?;
        }
        let shared = count - own;
        if shared > 0 {
            let set = pick_set(shared, &mut sink.seeded);
            let is_new = known.insert((shared, set));
            for at in 0..shared {
                let server = shared_server(shared, set, at);
                sink.ns(&delegation, &server)?;
                if is_new {
                    let has = addresses.draw(&mut sink.seeded);
                    sink.addresses(&server, has)?;
                }
            }
        }
        for digest in digests.draw(&mut sink.seeded) {
            sink.ds(&delegation, *digest)?;
        }
    }
    Ok(())
}

/// A server below its delegation, named as the real ones of delegations with so many are.
fn own_server(delegation: &Name, style: u64, count: u8, at: u8) -> Name {
    let nic = below(delegation, &[b"nic"]);
    let letter = LETTERS[usize::from(at) % 26];
    let digit = b'0' + at % 10;
    match (count, style % 100) {
        (6, 0..57) => below(&nic, &[&[b'v', b'0' + (at / 4) * 2, b'n', b'0' + at % 4]]),
        (6, 57..80) if at >= 3 => below(&nic, &[&[b'n', b's', digit - 2], b"dns"]),
        (4, 0..56) => below(&nic, &[&[b"aabc"[usize::from(at) % 4], b"0200"[usize::from(at) % 4]]]),
        (8, 0..89) => {
            let last = if at < 4 { digit + 1 } else { LETTERS[usize::from(at) % 4] };
            below(&nic, &[&[b'd', b'n', b's', last]])
        }
        (..4, _) => below(&nic, &[&[b'n', b's', digit + 1]]),
        _ => below(&nic, &[&[letter]]),
    }
}

/// Which of the sets of so many shared servers: a few serve many delegations, most of them one or two.
fn pick_set(count: u8, seeded: &mut Seeded) -> u64 {
    let with: u64 = facts::SERVERS
        .iter()
        .filter(|(all, own, _)| *own == 0 && *all == count)
        .map(|(_, _, delegations)| u64::from(*delegations))
        .sum();
    let (sets, delegations) = facts::SHARED_SETS;
    let sets = (with * u64::from(sets)).div_ceil(u64::from(delegations)).max(1);
    // The smallest of three draws.
    (0..3).map(|_| seeded.below(sets)).min().unwrap_or(0)
}

/// A server of a shared set, below “example.”.
fn shared_server(count: u8, set: u64, at: u8) -> Name {
    let provider = Labels::new(set * 31 + u64::from(count)).next(5 + (set % 8) as usize, false);
    let letter = usize::from(at) % 26;
    below(&Name::ROOT, &[&LETTERS[letter..=letter], &provider, b"dns-sample", b"example"])
}
