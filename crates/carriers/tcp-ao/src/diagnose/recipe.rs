//! How a segment's MAC is computed, right or with faults.

use std::net::IpAddr;
use std::sync::Arc;

use fieldtest_cpu::constant_time_eq;
use fieldtest_kinds::mac::{Mac, MacKey};
use zeroize::Zeroizing;

use super::Alternative;
use super::fault::{Fault, OtherChecksum, OtherContext, OtherDerivation, OtherSne};
use super::master_key::other_key;
use crate::checksum::Sum;
use crate::flows::{Side, is_first_syn};
use crate::ip::{Packet, TCP};
use crate::message::Coverage;
use crate::option::{self, AoOption, HEAD};
use crate::recover::Signing;
use crate::tcp::{CHECKSUM, Segment, kind};
use crate::verify::Key;

pub(super) struct Recipe<'a> {
    mac: &'a Arc<dyn Mac>,
    master_key: Zeroizing<Vec<u8>>,
    coverage: Coverage,
    faults: &'a [&'a Fault],
}

/// A segment with what its MAC depends on besides itself.
pub(super) struct Subject<'a> {
    pub(super) packet: &'a Packet<'a>,
    pub(super) ao: &'a AoOption<'a>,
    pub(super) sne: u32,
    /// Initial sequence numbers of sender and peer.
    pub(super) isns: (u32, u32),
    pub(super) sender: Side,
}

impl<'a> Recipe<'a> {
    /// `None` if the faults make no difference to this key.
    pub(super) fn new(
        key: &'a Key,
        faults: &'a [&'a Fault],
        alternatives: &'a [Alternative],
    ) -> Option<Self> {
        let mut recipe = Self {
            mac: key.mac(),
            master_key: Zeroizing::new(key.master_key().to_vec()),
            coverage: key.coverage(),
            faults,
        };
        for fault in faults {
            match fault {
                Fault::MasterKey(other) => recipe.master_key = other_key(&recipe.master_key, *other)?,
                Fault::Algorithm { index, .. } => {
                    let alternative = alternatives.get(*index)?;
                    if Arc::ptr_eq(&alternative.mac, recipe.mac) {
                        return None;
                    }
                    recipe.mac = &alternative.mac;
                }
                Fault::Coverage => {
                    recipe.coverage = match recipe.coverage {
                        Coverage::AllOptions => Coverage::AoOnly,
                        Coverage::AoOnly => Coverage::AllOptions,
                    }
                }
                _ => {}
            }
        }
        Some(recipe)
    }

    /// How segments are signed, apart from what is wrong with their input.
    pub(super) fn signing(&self) -> Signing {
        let (mac, master_key) = (Arc::clone(self.mac), self.master_key.clone());
        Signing { mac, master_key, coverage: self.coverage }
    }

    /// Whether the segment has this MAC. What the algorithm refuses does not.
    pub(super) fn fits(&self, subject: &Subject<'_>) -> bool {
        self.tag(subject).is_some_and(|tag| constant_time_eq(&tag, subject.ao.mac))
    }

    fn tag(&self, subject: &Subject<'_>) -> Option<Vec<u8>> {
        let context = self.context(subject)?;
        let mut traffic_key = Zeroizing::new(Vec::new());
        self.mac.derive(&self.master_key, &context, &mut traffic_key).ok()?;
        let derivation = self.faults.iter().find_map(|fault| match fault {
            Fault::Derivation(derivation) => Some(*derivation),
            _ => None,
        });
        if let Some(derivation) = derivation {
            self.derive_otherwise(derivation, &context, subject.ao.mac.len(), &mut traffic_key)?;
        }
        let mut tag = vec![0; subject.ao.mac.len()];
        self.mac.prepare(&traffic_key).ok()?.tag(&self.message(subject)?, &mut tag).ok()?;
        Some(tag)
    }

    fn has(&self, fault: &Fault) -> bool {
        self.faults.contains(&fault)
    }

    /// Derives with another input, for algorithms whose derivation is their own function over RFC 5926's input: that
    /// is seen from the right input giving the right traffic key.
    fn derive_otherwise(
        &self,
        derivation: OtherDerivation,
        context: &[u8],
        mac_len: usize,
        traffic_key: &mut [u8],
    ) -> Option<()> {
        const LABEL: &[u8] = b"TCP-AO";
        let bits = |bytes: usize| u16::try_from(bytes * 8).ok().map(u16::to_be_bytes);
        let length = bits(traffic_key.len())?;
        let input = |counter: &[u8], label: &[u8], length: &[u8]| [counter, label, context, length].concat();
        let right = input(&[1], LABEL, &length);
        let derives = |function: &dyn MacKey| {
            let mut output = Zeroizing::new(vec![0; traffic_key.len()]);
            function.tag(&right, &mut output).is_ok() && constant_time_eq(&output, traffic_key)
        };
        let function = [Some(self.master_key.clone()), self.extracted(traffic_key.len())]
            .into_iter()
            .flatten()
            .filter_map(|key| self.mac.prepare(&key).ok())
            .find(|function| derives(&**function))?;
        let other = match derivation {
            OtherDerivation::CounterZero => input(&[0], LABEL, &length),
            OtherDerivation::NoCounter => input(&[], LABEL, &length),
            OtherDerivation::LabelWithNul => input(&[1], b"TCP-AO\0", &length),
            OtherDerivation::NoLabel => input(&[1], &[], &length),
            OtherDerivation::LengthInBytes => {
                input(&[1], LABEL, &u16::try_from(traffic_key.len()).ok()?.to_be_bytes())
            }
            OtherDerivation::LengthOfMac => input(&[1], LABEL, &bits(mac_len)?),
            OtherDerivation::NoLength => input(&[1], LABEL, &[]),
        };
        function.tag(&other, traffic_key).ok()
    }

    /// The master key brought to the length of the function's own keys (RFC 5926, section 3.1.1.2), if it has another.
    fn extracted(&self, length: usize) -> Option<Zeroizing<Vec<u8>>> {
        let mut key = Zeroizing::new(vec![0; length]);
        self.mac.prepare(&key).ok()?.tag(&self.master_key, &mut key).ok()?;
        Some(key)
    }

    fn context(&self, subject: &Subject<'_>) -> Option<Vec<u8>> {
        let segment = subject.packet.segment();
        let first_syn = is_first_syn(subject.packet);
        let (mut own, mut peer) = subject.isns;
        if let Some((real, _)) = self.numbers(subject) {
            (own, peer) = real;
        }
        if first_syn {
            (own, peer) = (self.sequences(subject).0, 0);
        }
        let mut ends = self.addresses(subject.packet);
        let mut ports = self.ports(subject.packet);
        let context = self.faults.iter().find_map(|fault| match fault {
            Fault::Context(context) => Some(*context),
            _ => None,
        });
        match context {
            None => {}
            Some(OtherContext::SwappedEnds) => {
                (ends, ports, own, peer) = ((ends.1, ends.0), (ports.1, ports.0), peer, own);
            }
            Some(OtherContext::SwappedIsns) => (own, peer) = (peer, own),
            Some(OtherContext::CurrentNumbers) if segment.flags().ack() => {
                (own, peer) = (segment.sequence(), segment.acknowledgement());
            }
            Some(OtherContext::CurrentNumbers) => own = segment.sequence(),
            Some(OtherContext::NumbersAfterSyn) if first_syn => own = own.wrapping_add(1),
            Some(OtherContext::NumbersAfterSyn) => (own, peer) = (own.wrapping_add(1), peer.wrapping_add(1)),
            Some(OtherContext::NoPeerIsn) => peer = 0,
            Some(OtherContext::HostOrder) => {
                ports = (ports.0.swap_bytes(), ports.1.swap_bytes());
                (own, peer) = (own.swap_bytes(), peer.swap_bytes());
            }
        }
        let mut bytes = Vec::with_capacity(44);
        push_address(&mut bytes, ends.0);
        push_address(&mut bytes, ends.1);
        bytes.extend(ports.0.to_be_bytes());
        bytes.extend(ports.1.to_be_bytes());
        bytes.extend(own.to_be_bytes());
        bytes.extend(peer.to_be_bytes());
        // Both addresses of one family: 20 or 44 bytes.
        matches!(bytes.len(), 20 | 44).then_some(bytes)
    }

    fn message(&self, subject: &Subject<'_>) -> Option<Vec<u8>> {
        let (packet, ao) = (subject.packet, subject.ao);
        let segment = packet.segment();
        let sne = self.faults.iter().find_map(|fault| match fault {
            Fault::Sne(sne) => Some(*sne),
            _ => None,
        });
        let mut message = Vec::with_capacity(44 + segment.bytes().len());
        match sne {
            None => message.extend(subject.sne.to_be_bytes()),
            Some(OtherSne::More) => message.extend(subject.sne.wrapping_add(1).to_be_bytes()),
            Some(OtherSne::Less) => message.extend(subject.sne.wrapping_sub(1).to_be_bytes()),
            Some(OtherSne::Missing) => {}
        }
        let pseudo_header = self.pseudo_header(subject);
        if !self.has(&Fault::NoPseudoHeader) {
            message.extend_from_slice(&pseudo_header);
        }
        let mut fixed = *segment.fixed_header();
        let (sequence, acknowledgement) = self.sequences(subject);
        fixed.get_mut(4..8)?.copy_from_slice(&sequence.to_be_bytes());
        fixed.get_mut(8..12)?.copy_from_slice(&acknowledgement.to_be_bytes());
        let restored = self.options(segment.option_bytes())?;
        let header_len = fixed.len() + restored.as_ref().map_or(segment.option_bytes().len(), Vec::len);
        fixed[12] = (fixed[12] & 0x0f) | ((header_len / 4) << 4) as u8;
        let ports = self.ports(packet);
        let checksum = self.checksum(subject, &pseudo_header)?;
        for (place, value) in [(0, ports.0), (2, ports.1), (CHECKSUM, checksum)] {
            fixed.get_mut(place..place + 2)?.copy_from_slice(&value.to_be_bytes());
        }
        message.extend_from_slice(&fixed);
        let whole = restored.map(|options| [&fixed[..], &options, segment.payload()].concat());
        let restored = whole.as_deref().and_then(|bytes| Segment::parse(bytes).ok());
        let segment = restored.as_ref().unwrap_or(segment);
        // The option stands elsewhere among those that were there.
        let ao = &match &restored {
            Some(restored) => option::find(restored).ok()??,
            None => *ao,
        };
        let mac = ao.mac_range();
        let zeros = if self.has(&Fault::MacLeftOut) { 0 } else { ao.mac.len() };
        let header = segment.bytes().get(..segment.header_len())?;
        if !self.has(&Fault::NoOptions) {
            let (from, to) = match self.coverage {
                Coverage::AllOptions => (fixed.len(), header.len()),
                Coverage::AoOnly => (ao.place, mac.end),
            };
            message.extend_from_slice(header.get(from..ao.place + HEAD)?);
            message.resize(message.len() + zeros, 0);
            let behind = header.get(mac.end..to)?;
            let padding = if self.has(&Fault::PaddingLeftOut) { padding(segment) } else { 0 };
            message.extend_from_slice(behind.get(..behind.len().checked_sub(padding)?)?);
        }
        message.extend_from_slice(segment.payload());
        Some(message)
    }

    fn pseudo_header(&self, subject: &Subject<'_>) -> Vec<u8> {
        let (source, destination) = self.addresses(subject.packet);
        let mut length = subject.packet.segment().bytes().len();
        let options = subject.packet.segment().option_bytes();
        if let Some(Some(restored)) = self.options(options) {
            length = length + restored.len() - options.len();
        }
        if self.has(&Fault::LengthWithoutOption) {
            length -= HEAD + subject.ao.mac.len();
        }
        let mut bytes = Vec::with_capacity(40);
        push_address(&mut bytes, source);
        push_address(&mut bytes, destination);
        // A segment has at most 65,535 bytes.
        let [.., high, low] = length.to_be_bytes();
        if subject.packet.is_v6() {
            bytes.extend([0, 0, high, low, 0, 0, 0, TCP]);
        } else {
            bytes.extend([0, TCP, high, low]);
        }
        bytes
    }

    fn checksum(&self, subject: &Subject<'_>, pseudo_header: &[u8]) -> Option<u16> {
        let kind = self.faults.iter().find_map(|fault| match fault {
            Fault::Checksum(kind) => Some(*kind),
            _ => None,
        });
        Some(match kind {
            None => 0,
            Some(OtherChecksum::OnWire) => subject.packet.segment().checksum(),
            Some(OtherChecksum::BeforeMac) => {
                let mut bytes = subject.packet.bytes().to_vec();
                let network = subject.packet.network_header().len();
                let mac = subject.ao.mac_range();
                bytes.get_mut(network + mac.start..network + mac.end)?.fill(0);
                Packet::parse(&bytes).ok()??.tcp_checksum()
            }
            Some(OtherChecksum::PseudoHeaderOnly) => !Sum::of(pseudo_header).finish(),
        })
    }

    /// The options as they were before a device on the way changed them; `Some(None)` if none did, `None` if these cannot
    /// have been changed so.
    fn options(&self, options: &[u8]) -> Option<Option<Vec<u8>>> {
        let mut restored = None;
        for fault in self.faults {
            let now = restored.as_deref().unwrap_or(options);
            restored = match fault {
                Fault::Stripped(stripped) => Some(stripped.restored(now)?),
                Fault::SegmentSize { seen, real } => {
                    let [high, low] = seen.to_be_bytes();
                    let field = [kind::MSS, 4, high, low];
                    let place = now.windows(field.len()).position(|bytes| bytes == field)?;
                    let mut other = now.to_vec();
                    other.get_mut(place + 2..place + 4)?.copy_from_slice(&real.to_be_bytes());
                    Some(other)
                }
                _ => continue,
            };
        }
        Some(restored)
    }

    /// The real initial sequence numbers of sender and peer, and those in the capture, where a device changed them.
    fn numbers(&self, subject: &Subject<'_>) -> Option<((u32, u32), (u32, u32))> {
        let (side, other) = (subject.sender, subject.sender.other());
        self.faults.iter().find_map(|fault| match fault {
            Fault::Numbers { seen, real } => {
                Some(((*real.of(side), *real.of(other)), (*seen.of(side), *seen.of(other))))
            }
            _ => None,
        })
    }

    /// Sequence and acknowledgment number as the sender wrote them.
    fn sequences(&self, subject: &Subject<'_>) -> (u32, u32) {
        let segment = subject.packet.segment();
        let (sequence, acknowledgement) = (segment.sequence(), segment.acknowledgement());
        match self.numbers(subject) {
            None => (sequence, acknowledgement),
            Some((real, seen)) => {
                let back = |number: u32, seen: u32, real: u32| number.wrapping_sub(seen).wrapping_add(real);
                let acknowledged = if segment.flags().ack() {
                    back(acknowledgement, seen.1, real.1)
                } else {
                    acknowledgement
                };
                (back(sequence, seen.0, real.0), acknowledged)
            }
        }
    }

    fn addresses(&self, packet: &Packet<'_>) -> (IpAddr, IpAddr) {
        let translated = |address: IpAddr| {
            let found = self.faults.iter().find_map(|fault| match fault {
                Fault::Address { seen, real } if *seen == address => Some(*real),
                _ => None,
            });
            found.unwrap_or(address)
        };
        (translated(packet.source()), translated(packet.destination()))
    }

    fn ports(&self, packet: &Packet<'_>) -> (u16, u16) {
        let translated = |port: u16| {
            let found = self.faults.iter().find_map(|fault| match fault {
                Fault::Port { seen, real } if *seen == port => Some(*real),
                _ => None,
            });
            found.unwrap_or(port)
        };
        let segment = packet.segment();
        (translated(segment.source_port()), translated(segment.destination_port()))
    }
}

fn push_address(bytes: &mut Vec<u8>, address: IpAddr) {
    match address {
        IpAddr::V4(address) => bytes.extend(address.octets()),
        IpAddr::V6(address) => bytes.extend(address.octets()),
    }
}

fn padding(segment: &Segment<'_>) -> usize {
    let last = segment.options().flatten().last();
    segment.header_len() - last.map_or(segment.header_len(), |option| option.place + option.bytes.len())
}
