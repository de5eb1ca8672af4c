//! What devices on the way change: the search through all ports, maximum segment sizes, options that are taken out,
//! addresses and sequence numbers.
//!
//! Each has too many values for the catalogue, and is tried alone on one failing segment of its kind. What cannot be
//! tried is a timestamp that was taken out (2^32 values at least) and numbers that nothing in the capture shows.

use std::net::{IpAddr, Ipv4Addr};

use super::fault::Fault;
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

impl Hunt<'_> {
    /// Tries what devices on the way do, on segments that nothing explains yet.
    pub(super) fn search_path(&mut self) {
        let catalogue = std::mem::replace(&mut self.trials, self.search.trials.saturating_mul(3) / 2);
        let open = |hunt: &Self, syn: bool| {
            let of_kind = |place: &usize| {
                let flags = hunt.specimens.get(*place).map(|it| it.packet.segment().flags());
                flags.is_some_and(|flags| flags.syn() == syn)
            };
            let unexplained = |place: &usize| !hunt.found.iter().any(|(places, _)| places.contains(place));
            hunt.probes.iter().copied().find(|place| of_kind(place) && unexplained(place))
        };
        if let Some(place) = open(self, true) {
            self.search_options(place);
        }
        // A SYN says nothing of the other end's numbers.
        for syn in [false, true] {
            if let Some(place) = open(self, syn).filter(|place| !self.is_witnessed(*place)) {
                self.search_numbers(place);
            }
        }
        // A SYN has its numbers in itself, so that nothing else can be wrong with it.
        let probe = open(self, true).or_else(|| open(self, false));
        if let Some(place) = probe.filter(|place| !self.is_witnessed(*place)) {
            self.search_ends(place);
        }
        self.trials = catalogue;
    }

    /// Whether segments of the same connection verify: then no device changes its ends or numbers.
    fn is_witnessed(&self, place: usize) -> bool {
        let connection = self.specimens.get(place).map(|it| it.sample.connection);
        self.witnesses.iter().any(|(it, _)| Some(it.sample.connection) == connection)
    }

    /// Notes these faults if they explain the segment.
    fn try_path(&mut self, place: usize, faults: &[&Fault]) -> bool {
        let explained = self.explains(place, faults).is_some();
        if explained {
            self.attempt(faults);
        }
        explained
    }

    fn search_options(&mut self, place: usize) {
        let Some(specimen) = self.specimens.get(place) else { return };
        let segment = *specimen.packet.segment();
        let size =
            segment.options().flatten().find(|option| option.kind == kind::MSS && option.bytes.len() == 4);
        let seen = size.map(|option| u16::from_be_bytes([option.bytes[2], option.bytes[3]]));
        let sizes =
            |real: u16| seen.filter(|seen| *seen != real).map(|seen| Fault::SegmentSize { seen, real });
        for size in (1..=u16::MAX).filter_map(sizes) {
            if self.try_path(place, &[&size]) {
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
                if self.try_path(place, &[&stripped]) {
                    return;
                }
                for size in USUAL_SIZES.into_iter().filter_map(sizes) {
                    if self.try_path(place, &[&stripped, &size]) {
                        return;
                    }
                }
            }
        }
    }

    /// Tries the numbers that the user gave and those of other connections between the same ends: a capture on both
    /// sides of a firewall shows the same connection with two pairs of numbers.
    fn search_numbers(&mut self, place: usize) {
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
                if real != seen && self.try_path(place, &[&Fault::Numbers { seen, real }]) {
                    return;
                }
            }
        }
    }

    fn search_ends(&mut self, place: usize) {
        let Some(specimen) = self.specimens.get(place) else { return };
        let (source, destination) = (specimen.packet.source(), specimen.packet.destination());
        let segment = specimen.packet.segment();
        let ports = [segment.source_port(), segment.destination_port()];
        let every_port = || {
            let faults = ports.into_iter().flat_map(|seen| {
                (1..=u16::MAX).filter(move |real| *real != seen).map(move |real| Fault::Port { seen, real })
            });
            faults.collect::<Vec<_>>()
        };
        let every_port = every_port();
        for port in &every_port {
            if self.try_path(place, &[port]) {
                return;
            }
        }
        let mut real: Vec<IpAddr> = Vec::new();
        for address in &self.search.addresses {
            add_new(&mut real, [*address, *address]);
        }
        let together: Vec<IpAddr> = real.iter().copied().take(MOST_TOGETHER).collect();
        let ends = [source, destination];
        let translated = |seen: IpAddr, others: &[IpAddr]| {
            let others = others.iter().filter(|real| **real != seen && real.is_ipv4() == seen.is_ipv4());
            others.map(|&real| Fault::Address { seen, real }).collect::<Vec<_>>()
        };
        let (sources, destinations) = (translated(source, &together), translated(destination, &together));
        for first in &sources {
            for second in &destinations {
                if self.try_path(place, &[first, second]) {
                    return;
                }
            }
        }
        // The range that most small networks have (RFC 1918).
        let private = (0..=u16::MAX).map(|low| {
            let [third, fourth] = low.to_be_bytes();
            IpAddr::V4(Ipv4Addr::new(192, 168, third, fourth))
        });
        real.extend(private.filter(|_| source.is_ipv4()));
        for seen in [source, destination] {
            for address in translated(seen, &real) {
                if self.try_path(place, &[&address]) {
                    return;
                }
            }
        }
        let is_another =
            |fault: &&Fault| !matches!(fault, Fault::Address { real, .. } if ends.contains(real));
        for address in sources.iter().chain(&destinations).filter(is_another) {
            for port in &every_port {
                if self.trials == 0 || self.try_path(place, &[address, port]) {
                    return;
                }
            }
        }
    }
}
