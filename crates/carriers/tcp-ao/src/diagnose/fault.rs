//! What can be wrong with a TCP-AO segment or with the keys, one by one: RFC 9235, section 8 names most of these.

use std::net::IpAddr;

use thiserror::Error;

use super::master_key::OtherKey;
use super::stripped::Stripped;
use crate::flows::Ends;
use crate::pair::SocketPair;

/// One deviation between what a capture's sender did and what is expected of it. Printed, it is the end of a sentence that
/// begins with “verifies if”.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum Fault {
    #[error("the key is for other addresses too")]
    OtherAddresses,
    #[error("the key has the identifier that the segments name")]
    OtherKeyId,
    /// The same, and the other way round in the other direction.
    #[error("the key has the identifier that the segments name, and so in the other direction")]
    Exchanged,
    /// The key that the segment names has the master key of another one.
    #[error("key {id} has the master key of key {of}")]
    SecretOf { id: u8, of: u8 },
    /// The MAC has another length than the key's.
    #[error("the MAC has the length that the segments show")]
    MacLength,
    /// The MAC covers all options where the key says the TCP-AO option alone, or the other way round.
    #[error("the flag for the options that the MAC covers is inverted")]
    Coverage,
    #[error("the MAC covers no option at all")]
    NoOptions,
    /// The MAC leaves out the padding behind the last option, as some routers do.
    #[error("the MAC omits the padding after the last option")]
    PaddingLeftOut,
    #[error("the master key {0}")]
    MasterKey(OtherKey),
    /// Another algorithm, by its place among the alternatives.
    #[error("the algorithm is {name}")]
    Algorithm { index: usize, name: String },
    /// The key derivation's input is put together differently.
    #[error("{0}")]
    Derivation(OtherDerivation),
    /// The key derivation's context is put together differently.
    #[error("{0}")]
    Context(OtherContext),
    /// The sequence number extension is another.
    #[error("{0}")]
    Sne(OtherSne),
    /// An end has another address than the capture shows.
    #[error("the address {seen} is really {real}")]
    Address { seen: IpAddr, real: IpAddr },
    /// An end has another port than the capture shows.
    #[error("the port {seen} is really {real}")]
    Port { seen: u16, real: u16 },
    /// The maximum segment size was changed on the way.
    #[error("the maximum segment size of {seen} was {real} when the segment was signed")]
    SegmentSize { seen: u16, real: u16 },
    /// An option was taken out on the way.
    #[error("the segment had {0} when it was signed")]
    Stripped(Stripped),
    /// The sequence numbers of one or both ends were changed on the way.
    #[error("the initial sequence number{}", changed(seen, real))]
    Numbers { seen: Ends<u32>, real: Ends<u32> },
    /// The checksum was not zero in the MAC's input.
    #[error("{0}")]
    Checksum(OtherChecksum),
    /// The option's MAC field was not in the MAC's input, instead of being zero there.
    #[error("the MAC's input leaves the MAC field out")]
    MacLeftOut,
    #[error("the MAC's input has no pseudo-header")]
    NoPseudoHeader,
    /// The pseudo-header's length did not count the TCP-AO option.
    #[error("the pseudo-header's length does not count the TCP-AO option")]
    LengthWithoutOption,
    /// The connection's initial sequence numbers, which the capture does not show, are these.
    #[error("the initial sequence numbers are {}={opener:#x},{}={answerer:#x}", pair.local(), pair.remote())]
    Isns { pair: SocketPair, opener: u32, answerer: u32 },
}

/// How the input of the key derivation can differ: `counter || label || context || length`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum OtherDerivation {
    #[error("the key derivation counts from 0")]
    CounterZero,
    #[error("the key derivation has no counter")]
    NoCounter,
    #[error("the key derivation's label ends with a zero byte")]
    LabelWithNul,
    #[error("the key derivation has no label")]
    NoLabel,
    #[error("the key derivation states its output's length in bytes")]
    LengthInBytes,
    #[error("the key derivation states the length of the MAC")]
    LengthOfMac,
    #[error("the key derivation states no length")]
    NoLength,
}

/// How the context of the key derivation can differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OtherContext {
    /// The ends are exchanged.
    #[error("the key derivation has the ends exchanged")]
    SwappedEnds,
    /// The initial sequence numbers are exchanged, and the addresses and ports are not.
    #[error("the key derivation has the initial sequence numbers exchanged")]
    SwappedIsns,
    /// The segment's own sequence and acknowledgement numbers in place of the initial ones.
    #[error("the key derivation has the current numbers, not the initial ones")]
    CurrentNumbers,
    /// The numbers of the first bytes, each one more than the initial ones.
    #[error("the key derivation has the numbers after the SYN, not the SYN's own")]
    NumbersAfterSyn,
    /// The peer's initial sequence number is always zero.
    #[error("the key derivation has zero for the peer's initial sequence number")]
    NoPeerIsn,
    /// Ports and initial sequence numbers have the bytes of a little-endian host.
    #[error("the key derivation has ports and numbers in little-endian order")]
    HostOrder,
}

/// How the sequence number extension can differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OtherSne {
    /// One more.
    #[error("the sequence number extension is one more")]
    More,
    /// One less.
    #[error("the sequence number extension is one less")]
    Less,
    /// There is none in the MAC's input.
    #[error("the MAC's input has no sequence number extension")]
    Missing,
}

/// What the checksum field can hold when the MAC is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OtherChecksum {
    /// The one on the wire.
    #[error("the MAC's input has the checksum of the wire")]
    OnWire,
    /// The right one for a MAC of zeros.
    #[error("the MAC's input has the checksum from before the MAC was filled in")]
    BeforeMac,
    /// The sum over the pseudo-header, which offloading network cards want there.
    #[error("the MAC's input has the sum over the pseudo-header as checksum")]
    PseudoHeaderOnly,
}

impl Fault {
    /// Whether it is said of a connection as a whole: then it must hold for whatever verifies in it.
    pub(super) fn is_of_path(&self) -> bool {
        matches!(self, Self::Address { .. } | Self::Port { .. } | Self::Numbers { .. } | Self::Isns { .. })
    }

    /// Whether it is said of all that a sender signs with a key.
    pub(super) fn is_of_sender(&self) -> bool {
        matches!(
            self,
            Self::Coverage
                | Self::NoOptions
                | Self::PaddingLeftOut
                | Self::MasterKey(_)
                | Self::Algorithm { .. }
                | Self::MacLength
        )
    }

    /// Faults of one kind exclude each other; what was done to a master key can be done to the outcome.
    pub(super) fn goes_with(&self, other: &Self) -> bool {
        self.kind() != other.kind()
            || matches!((self, other), (Self::MasterKey(a), Self::MasterKey(b)) if a != b)
    }

    fn kind(&self) -> u8 {
        match self {
            Self::OtherAddresses | Self::OtherKeyId | Self::Exchanged | Self::SecretOf { .. } => 0,
            Self::MacLength => 1,
            Self::Coverage | Self::NoOptions | Self::PaddingLeftOut => 2,
            Self::MasterKey(_) => 3,
            Self::Algorithm { .. } => 4,
            Self::Derivation(_) => 5,
            Self::Context(_) => 6,
            Self::Sne(_) => 7,
            Self::Address { .. } => 8,
            Self::Port { .. } => 9,
            Self::Checksum(_) => 10,
            Self::MacLeftOut => 11,
            Self::NoPseudoHeader | Self::LengthWithoutOption => 12,
            Self::Isns { .. } | Self::Numbers { .. } => 13,
            Self::SegmentSize { .. } => 14,
            Self::Stripped(_) => 15,
        }
    }

    /// What to do about it, as a sentence.
    pub fn remedy(&self) -> String {
        let text = match self {
            Self::Algorithm { name, .. } => {
                return format!("Configure {name} at this end, or this end's algorithm at the sender.");
            }
            Self::Address { seen, real } => {
                return format!(
                    "Addresses are translated between {real} and {seen}, which breaks TCP-AO: take the NAT \
                     out of the path, or see RFC 6978."
                );
            }
            Self::Port { seen, real } => {
                return format!(
                    "Ports are translated between {real} and {seen}, which breaks TCP-AO: take the NAT out \
                     of the path, or see RFC 6978."
                );
            }
            Self::OtherAddresses => "Widen the addresses of the key.",
            Self::OtherKeyId => {
                "Give the key the identifier that the segments name: one end's SendID is the other's RecvID."
            }
            Self::Exchanged => {
                "Exchange SendID and RecvID at one end: one end's SendID is the other's RecvID."
            }
            Self::SecretOf { id, .. } => {
                return format!("Enter the same master key for the KeyID {id} at both ends.");
            }
            Self::SegmentSize { .. } | Self::Stripped(_) => {
                "A device on the way rewrites TCP options: take it out of the path, or exempt this connection; or \
                 exclude the options from the MAC at both ends."
            }
            Self::Numbers { .. } => {
                "A device on the way, such as a firewall that randomizes initial sequence numbers, rewrites them: exempt \
                 this connection."
            }
            Self::MacLength => "Configure the MAC length that the segments have, or the key's at the sender.",
            Self::Coverage => {
                "Set the same option flag at both ends: 'include TCP options' at one and 'exclude' at the \
                 other is the usual cause (some vendors exclude by default, Linux includes)."
            }
            Self::NoOptions => {
                "The sender must let the MAC cover the TCP-AO option even if the others are excluded (RFC 5925, \
                 section 5.1)."
            }
            Self::PaddingLeftOut => {
                "The sender omits the padding after the last option from the MAC (Cisco CSCvx41293): update it, or \
                 exclude the options at both ends."
            }
            Self::MasterKey(key) => key.remedy(),
            Self::Derivation(_) => {
                "The sender's key derivation is not that of RFC 5926, section 3.1.1; correct it there."
            }
            Self::Context(_) => {
                "The sender's key derivation context is not that of RFC 5926, section 3.1; correct it there."
            }
            Self::Sne(_) => {
                "The sender's sequence number extension is wrong; RFC 9187 describes how to maintain it."
            }
            Self::Checksum(_) => {
                "The sender must set the checksum to zero before it computes the MAC, and fill it in afterwards."
            }
            Self::MacLeftOut => {
                "The sender must set the MAC field to zero before it computes the MAC, not leave it out."
            }
            Self::NoPseudoHeader | Self::LengthWithoutOption => {
                "The sender's pseudo-header is not that of RFC 5925, section 5.1; correct it there."
            }
            Self::Isns { .. } => "Give these numbers with the capture, or capture from the SYN on.",
        };
        text.to_owned()
    }
}

fn changed(seen: &Ends<u32>, real: &Ends<u32>) -> String {
    let of_end = |seen: u32, real: u32, end| match seen == real {
        true => String::new(),
        false => format!(" of the end that {end} is really {real:#x} and not {seen:#x}"),
    };
    let first = of_end(seen.opener, real.opener, "opened");
    let second = of_end(seen.answerer, real.answerer, "answered");
    let both = if first.is_empty() || second.is_empty() { "" } else { ", and that" };
    format!("{first}{both}{second}")
}
