//! What devices on the way change: the search through all ports, maximum segment sizes, options that are taken out,
//! addresses and sequence numbers.
//!
//! Each has too many values for the catalogue, and is tried alone on one failing segment of its kind. What cannot be
//! tried is a timestamp that was taken out (2^32 values at least) and numbers that nothing in the capture shows.

use std::net::{IpAddr, Ipv4Addr};

use super::fault::Fault;
use super::master_key::OtherKey;
use super::{Hunt, Stripped, add_new};
use crate::flows::{Ends, Side};
use crate::tcp::kind;

/// Maximum segment sizes of usual links, to try together with options that were taken out: Ethernet, tunnels over it,
/// jumbo frames, loopback, the least ones.
const USUAL_SIZES: [u16; 22] = [
    1460, 1440, 1448, 1428, 1420, 1412, 1400, 1380, 1370, 1360, 1350, 1300, 1240, 1220, 1452, 1432, 536,
    1436, 8960, 8940, 9176, 65_495,
];

/// Addresses that are tried together with every port, and in pairs.
const MOST_TOGETHER: usize = 64;

/// Faults of a key that are met most, which are tried together with those of the path.
const LIKELY: [Fault; 4] = [
    Fault::Coverage,
    Fault::MasterKey(OtherKey::TrailingLineFeed),
    Fault::MasterKey(OtherKey::HexText),
    Fault::OtherKeyId,
];

impl Hunt<'_> {
    /// Tries what devices on the way do, on segments that nothing explains yet: alone, then together with what explains
    /// other segments of the sender or is met most. It may use so many of the trials that are left.
    pub(super) fn search_path(&mut self, share: u64) {
        let complete = self.complete;
        self.stage(share, |hunt| {
            let of_sender = |finding: &super::Finding| match &finding.faults[..] {
                [fault] if fault.is_of_sender() => Some(fault.clone()),
                _ => None,
            };
            let mut besides: Vec<Fault> =
                hunt.found.iter().filter_map(|(_, finding)| of_sender(finding)).collect();
            let known = besides.len();
            let likely: Vec<Fault> = LIKELY.into_iter().filter(|fault| !besides.contains(fault)).collect();
            besides.extend(likely);
            hunt.search_path_with(None, true);
            let (known, likely) = besides.split_at(known);
            known.iter().for_each(|fault| hunt.search_path_with(Some(fault), true));
            if let Some(place) = hunt.open(true).or_else(|| hunt.open(false)) {
                hunt.stage(hunt.trials / 3, |hunt| hunt.search_address_and_port(place));
            }
            likely.iter().for_each(|fault| hunt.search_path_with(Some(fault), false));
        });
        // Not counted as incomplete: addresses with ports are never all tried.
        self.complete = complete;
    }

    /// A failing segment that nothing explains yet, a SYN or another one.
    fn open(&self, syn: bool) -> Option<usize> {
        let of_kind = |place: &usize| {
            let flags = self.specimens.get(*place).map(|it| it.packet.segment().flags());
            flags.is_some_and(|flags| flags.syn() == syn)
        };
        let unexplained = |place: &usize| !self.found.iter().any(|(places, _)| places.contains(place));
        self.probes.iter().copied().find(|place| of_kind(place) && unexplained(place))
    }

    /// The same with another fault besides; `every_size` says that all maximum segment sizes are tried, not the usual ones.
    fn search_path_with(&mut self, besides: Option<&Fault>, every_size: bool) {
        if self.trials == 0 {
            return;
        }
        if let Some(place) = self.open(true) {
            self.search_options(place, besides, every_size);
        }
        // A SYN says nothing of the other end's numbers.
        for syn in [false, true] {
            if let Some(place) = self.open(syn).filter(|place| !self.is_witnessed(*place)) {
                self.search_numbers(place, besides);
            }
        }
        // A SYN has its numbers in itself, so that nothing else can be wrong with it.
        let probe = self.open(true).or_else(|| self.open(false));
        if let Some(place) = probe.filter(|place| !self.is_witnessed(*place)) {
            self.search_ends(place, besides);
        }
    }

    /// Whether segments of the same connection verify, as they are or under another finding: then no device changes its
    /// ends or numbers.
    fn is_witnessed(&self, place: usize) -> bool {
        let connection = self.specimens.get(place).map(|it| it.sample.connection);
        let explained = self.found.iter().flat_map(|(places, _)| places);
        let mut explained = explained.filter_map(|place| self.specimens.get(*place));
        self.witnesses.iter().any(|(it, _)| Some(it.sample.connection) == connection)
            || explained.any(|it| Some(it.sample.connection) == connection)
    }

    /// Notes these faults, with the other one, if they explain the segment; true if so, or if no trials are left.
    fn try_path(&mut self, place: usize, faults: &[&Fault], besides: Option<&Fault>) -> bool {
        if self.trials == 0 {
            // Ends the caller's loop, too: it would go on through hundreds of thousands of candidates without
            // a MAC, which made the fuzzer's inputs slow whatever `trials` they had.
            return true;
        }
        let faults: Vec<&Fault> = faults.iter().copied().chain(besides).collect();
        let explained = self.explains(place, &faults).is_some();
        if explained {
            self.attempt(&faults);
        }
        explained
    }

    fn search_options(&mut self, place: usize, besides: Option<&Fault>, every_size: bool) {
        let Some(specimen) = self.specimens.get(place) else { return };
        let segment = *specimen.packet.segment();
        let size =
            segment.options().flatten().find(|option| option.kind == kind::MSS && option.bytes.len() == 4);
        let seen = size.map(|option| u16::from_be_bytes([option.bytes[2], option.bytes[3]]));
        let sizes =
            |real: u16| seen.filter(|seen| *seen != real).map(|seen| Fault::SegmentSize { seen, real });
        let tried = if every_size { (1..=u16::MAX).collect() } else { USUAL_SIZES.to_vec() };
        for size in tried.into_iter().filter_map(sizes) {
            if self.try_path(place, &[&size], besides) {
                return;
            }
        }
        let scales = (0..=14).map(|shift| vec![kind::WINDOW_SCALE, 3, shift]);
        let gone: Vec<Vec<u8>> = std::iter::once(vec![kind::SACK_PERMITTED, 2]).chain(scales).collect();
        for option in gone {
            if segment.options().flatten().any(|other| other.kind == option[0]) {
                continue;
            }
            for form in 0..Stripped::forms(segment.option_bytes(), &option) {
                let stripped = Fault::Stripped(Stripped { option: option.clone(), form });
                if self.try_path(place, &[&stripped], besides) {
                    return;
                }
                for size in USUAL_SIZES.into_iter().filter_map(sizes) {
                    if self.try_path(place, &[&stripped, &size], besides) {
                        return;
                    }
                }
            }
        }
    }

    /// Tries the numbers that the user gave and those of other connections between the same ends: a capture on both
    /// sides of a firewall shows the same connection with two pairs of numbers.
    fn search_numbers(&mut self, place: usize, besides: Option<&Fault>) {
        let Some(specimen) = self.specimens.get(place) else { return };
        let Some((own, peer)) = specimen.isns.first().copied().filter(|_| !specimen.guessed) else { return };
        let side = specimen.sample.sender;
        let mut seen = Ends::default();
        (*seen.of_mut(side), *seen.of_mut(side.other())) = (own, peer);
        let pair = match side {
            Side::Opener => crate::SocketPair::of_sender(&specimen.packet),
            Side::Answerer => crate::SocketPair::of_receiver(&specimen.packet),
        };
        let (mut openers, mut answerers) = (vec![seen.opener], vec![seen.answerer]);
        for (other, local, remote) in &self.search.numbers {
            let (opener, answerer) = match *other {
                other if other == pair => (*local, *remote),
                other if other.reversed() == pair => (*remote, *local),
                _ => continue,
            };
            openers.extend(opener);
            answerers.extend(answerer);
        }
        openers.truncate(MOST_TOGETHER);
        answerers.truncate(MOST_TOGETHER);
        for opener in &openers {
            for answerer in &answerers {
                let real = Ends { opener: *opener, answerer: *answerer };
                if real != seen && self.try_path(place, &[&Fault::Numbers { seen, real }], besides) {
                    return;
                }
            }
        }
    }

    fn search_ends(&mut self, place: usize, besides: Option<&Fault>) {
        let Some(ends) = self.ends(place) else { return };
        for port in &ends.every_port() {
            if self.try_path(place, &[port], besides) {
                return;
            }
        }
        let (sources, destinations) = (ends.translated(ends.source), ends.translated(ends.destination));
        for first in &sources {
            for second in &destinations {
                if self.try_path(place, &[first, second], besides) {
                    return;
                }
            }
        }
        let all = self.search.addresses.clone();
        for seen in [ends.source, ends.destination] {
            // The range that most small networks have (RFC 1918).
            let private = (0..=u16::MAX).map(|low| {
                let [third, fourth] = low.to_be_bytes();
                IpAddr::V4(Ipv4Addr::new(192, 168, third, fourth))
            });
            let real = all.iter().copied().chain(private);
            for real in real.filter(|real| *real != seen && real.is_ipv4() == seen.is_ipv4()) {
                if self.try_path(place, &[&Fault::Address { seen, real }], besides) {
                    return;
                }
            }
        }
    }

    /// Tries every port together with the addresses that the user gave and those of other connections.
    fn search_address_and_port(&mut self, place: usize) {
        let Some(ends) = self.ends(place).filter(|_| !self.is_witnessed(place)) else { return };
        let is_another = |fault: &&Fault| !matches!(fault, Fault::Address { real, .. } if [ends.source, ends.destination].contains(real));
        let every_port = ends.every_port();
        let addresses = [ends.translated(ends.source), ends.translated(ends.destination)].concat();
        for address in addresses.iter().filter(is_another) {
            for port in &every_port {
                if self.try_path(place, &[address, port], None) {
                    return;
                }
            }
        }
    }

    fn ends(&self, place: usize) -> Option<Shown> {
        let packet = &self.specimens.get(place)?.packet;
        let mut together: Vec<IpAddr> = Vec::new();
        for address in &self.search.addresses {
            add_new(&mut together, [*address, *address]);
        }
        together.truncate(MOST_TOGETHER);
        let segment = packet.segment();
        let ports = [segment.source_port(), segment.destination_port()];
        Some(Shown { source: packet.source(), destination: packet.destination(), ports, together })
    }
}

/// The ends that a segment shows, and addresses that may be theirs.
struct Shown {
    source: IpAddr,
    destination: IpAddr,
    ports: [u16; 2],
    together: Vec<IpAddr>,
}

impl Shown {
    fn every_port(&self) -> Vec<Fault> {
        let faults = self.ports.into_iter().flat_map(|seen| {
            (1..=u16::MAX).filter(move |real| *real != seen).map(move |real| Fault::Port { seen, real })
        });
        faults.collect()
    }

    fn translated(&self, seen: IpAddr) -> Vec<Fault> {
        let others = self.together.iter().filter(|real| **real != seen && real.is_ipv4() == seen.is_ipv4());
        others.map(|&real| Fault::Address { seen, real }).collect()
    }
}
