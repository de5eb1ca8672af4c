//! The catalogue of faults: everything that is tried alone and in pairs.

use std::net::IpAddr;

use super::fault::{Fault, OtherChecksum, OtherContext, OtherDerivation, OtherSne};
use super::master_key::{self, OtherKey};
use super::specimen::Specimen;
use super::{Alternative, MOST_ADDRESSES, Search, add_new};

/// All faults to try, the likelier ones first.
pub(super) fn catalogue(specimens: &[Specimen<'_>], search: &Search) -> Vec<Fault> {
    use Fault::{Checksum, Context, Derivation, MasterKey, Sne};
    let mut faults = vec![Fault::Coverage, Fault::OtherKeyId, Fault::MacLength, Fault::PaddingLeftOut];
    let alternatives = search.alternatives.iter().enumerate();
    faults.extend(
        alternatives.map(|(index, Alternative { name, .. })| Fault::Algorithm { index, name: name.clone() }),
    );
    faults.extend(
        [
            OtherKey::TrailingNul,
            OtherKey::TrailingLineFeed,
            OtherKey::TrailingCrLf,
            OtherKey::Trimmed,
            OtherKey::HexText,
            OtherKey::UpperHexText,
            OtherKey::PrefixedHexText,
            OtherKey::FromHexText,
            OtherKey::TrailingBlank,
            OtherKey::Quoted,
            OtherKey::Unquoted,
            OtherKey::Base64Text,
            OtherKey::FromBase64Text,
            OtherKey::FromType7Text,
        ]
        .into_iter()
        .chain(master_key::SIZES.map(OtherKey::Sized))
        .chain((0..master_key::TYPE_7_SEEDS).map(OtherKey::Type7Text))
        .map(MasterKey),
    );
    faults.extend([OtherSne::More, OtherSne::Less, OtherSne::Missing].map(Sne));
    faults.extend(
        [
            OtherContext::SwappedEnds,
            OtherContext::SwappedIsns,
            OtherContext::CurrentNumbers,
            OtherContext::NumbersAfterSyn,
            OtherContext::NoPeerIsn,
            OtherContext::HostOrder,
        ]
        .map(Context),
    );
    faults.extend(
        [OtherChecksum::OnWire, OtherChecksum::BeforeMac, OtherChecksum::PseudoHeaderOnly].map(Checksum),
    );
    faults.extend([Fault::MacLeftOut, Fault::NoOptions, Fault::NoPseudoHeader, Fault::LengthWithoutOption]);
    faults.extend(
        [
            OtherDerivation::CounterZero,
            OtherDerivation::NoCounter,
            OtherDerivation::LabelWithNul,
            OtherDerivation::NoLabel,
            OtherDerivation::LengthInBytes,
            OtherDerivation::LengthOfMac,
            OtherDerivation::NoLength,
        ]
        .map(Derivation),
    );
    let (mut addresses, mut ports) = (Vec::new(), Vec::new());
    for specimen in specimens {
        let segment = specimen.packet.segment();
        add_new(&mut addresses, [specimen.packet.source(), specimen.packet.destination()]);
        add_new(&mut ports, [segment.source_port(), segment.destination_port()]);
    }
    let real: Vec<IpAddr> =
        search.addresses.iter().chain(addresses.iter().take(MOST_ADDRESSES)).copied().collect();
    for seen in addresses.into_iter().take(MOST_ADDRESSES) {
        let others = real.iter().filter(|real| **real != seen && real.is_ipv4() == seen.is_ipv4());
        faults.extend(others.map(|&real| Fault::Address { seen, real }));
    }
    for seen in ports.into_iter().take(MOST_ADDRESSES) {
        let others = search.ports.iter().filter(|real| **real != seen);
        faults.extend(others.map(|&real| Fault::Port { seen, real }));
    }
    faults
}
