//! Master key tuples (RFC 5925, section 3.1): which connections a master key protects, and how.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;
use std::sync::Arc;

use fieldtest_kinds::mac::Mac;
use zeroize::Zeroizing;

use crate::message::Coverage;
use crate::option::MAX_MAC;
use crate::pair::SocketPair;

/// A range of addresses: all that share the first `length` bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Prefix {
    address: IpAddr,
    length: u8,
}

/// Why a text or a pair is not an address prefix.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PrefixError {
    /// More bits than the address has.
    #[error("a prefix of {length} bits is longer than the address {address}; IPv4 has 32 bits, IPv6 128")]
    Length {
        /// The address.
        address: IpAddr,
        /// The length given.
        length: u8,
    },
    /// Not an address with an optional length.
    #[error("invalid address or prefix '{0}': expected one such as 192.0.2.0/24 or 2001:db8::1")]
    Text(String),
}

impl Prefix {
    /// The addresses that share the first `length` bits of `address`; what the address has behind them is cleared.
    ///
    /// # Errors
    /// [`PrefixError::Length`].
    pub fn new(address: IpAddr, length: u8) -> Result<Prefix, PrefixError> {
        let address = masked(address, length).ok_or(PrefixError::Length { address, length })?;
        Ok(Prefix { address, length })
    }

    /// One address alone.
    pub fn host(address: IpAddr) -> Prefix {
        Prefix { address, length: if address.is_ipv4() { 32 } else { 128 } }
    }

    /// Whether `address` is one of them.
    pub fn contains(&self, address: IpAddr) -> bool {
        address.is_ipv4() == self.address.is_ipv4() && masked(address, self.length) == Some(self.address)
    }

    /// Whether both have an address in common: one then lies in the other.
    pub fn overlaps(&self, other: &Prefix) -> bool {
        if self.length <= other.length { self.contains(other.address) } else { other.contains(self.address) }
    }
}

/// `address` with all but its first `length` bits cleared, or `None` where it has fewer.
fn masked(address: IpAddr, length: u8) -> Option<IpAddr> {
    let length = u32::from(length);
    Some(match address {
        IpAddr::V4(address) => {
            let low = u32::MAX.checked_shr(length).unwrap_or(0);
            (length <= 32).then(|| IpAddr::from((address.to_bits() & !low).to_be_bytes()))?
        }
        IpAddr::V6(address) => {
            let low = u128::MAX.checked_shr(length).unwrap_or(0);
            (length <= 128).then(|| IpAddr::from((address.to_bits() & !low).to_be_bytes()))?
        }
    })
}

impl FromStr for Prefix {
    type Err = PrefixError;

    fn from_str(text: &str) -> Result<Prefix, PrefixError> {
        let wrong = || PrefixError::Text(text.to_owned());
        match text.split_once('/') {
            Some((address, length)) => {
                Prefix::new(address.parse().map_err(|_| wrong())?, length.parse().map_err(|_| wrong())?)
            }
            None => Ok(Prefix::host(text.parse().map_err(|_| wrong())?)),
        }
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.length)
    }
}

/// Why a tuple cannot be made or cannot join others.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum MktError {
    #[error("invalid MAC length '{asked}': expected 1 to {most} bytes")]
    MacLength { asked: usize, most: usize },
    /// A key that everybody knows.
    #[error("the master key is empty; give both ends one of at least one byte")]
    EmptyMasterKey,
    /// The algorithm takes no such master key.
    #[error("cannot use the master key: {0}")]
    MasterKey(#[from] fieldtest_kinds::Error),
    /// RFC 5925, section 3.1: identifiers of MKTs that overlap must not overlap.
    #[error(
        "two master key tuples for overlapping connections both have {which} {id}; give one of them another \
         identifier"
    )]
    Overlap { which: &'static str, id: u8 },
}

/// A master key tuple. It is for every connection and covers all options until [`Mkt::with_remote`] and the other
/// `with_` methods say otherwise.
#[derive(Clone)]
pub struct Mkt {
    remote: Option<Prefix>,
    remote_port: Option<u16>,
    send_id: u8,
    receive_id: u8,
    coverage: Coverage,
    mac_len: usize,
    master_key: Zeroizing<Vec<u8>>,
    mac: Arc<dyn Mac>,
}

impl Mkt {
    /// A tuple for every connection. `send_id` is the KeyID of what this end sends, `receive_id` the KeyID of what it
    /// receives; at the other end they are exchanged. MACs are `mac_len` bytes long (RFC 5926 has 12).
    ///
    /// # Errors
    /// [`MktError::MacLength`], [`MktError::EmptyMasterKey`], and [`MktError::MasterKey`] where the algorithm does not take
    /// such a key.
    pub fn new(
        send_id: u8,
        receive_id: u8,
        master_key: &[u8],
        mac: Arc<dyn Mac>,
        mac_len: usize,
    ) -> Result<Mkt, MktError> {
        let most = mac.longest_tag().min(MAX_MAC);
        if !(1..=most).contains(&mac_len) {
            return Err(MktError::MacLength { asked: mac_len, most });
        }
        if master_key.is_empty() {
            return Err(MktError::EmptyMasterKey);
        }
        // Tried at once: a key that cannot be used should be found where it is typed, not where the first SYN
        // arrives.
        mac.derive(master_key, &[0; 20], &mut Zeroizing::new(Vec::new()))?;
        Ok(Mkt {
            remote: None,
            remote_port: None,
            send_id,
            receive_id,
            coverage: Coverage::AllOptions,
            mac_len,
            master_key: Zeroizing::new(master_key.to_vec()),
            mac,
        })
    }

    /// Only connections whose remote address is in `prefix`.
    pub fn with_remote(self, prefix: Prefix) -> Mkt {
        Mkt { remote: Some(prefix), ..self }
    }

    /// Only connections with this remote port.
    pub fn with_remote_port(self, port: u16) -> Mkt {
        Mkt { remote_port: Some(port), ..self }
    }

    /// Which options the MAC covers.
    pub fn with_coverage(self, coverage: Coverage) -> Mkt {
        Mkt { coverage, ..self }
    }

    /// The KeyID of segments that this end sends.
    #[inline]
    pub fn send_id(&self) -> u8 {
        self.send_id
    }

    /// The KeyID of segments that this end receives.
    #[inline]
    pub fn receive_id(&self) -> u8 {
        self.receive_id
    }

    /// Which options the MAC covers.
    #[inline]
    pub fn coverage(&self) -> Coverage {
        self.coverage
    }

    /// Bytes of the MAC on the wire.
    #[inline]
    pub fn mac_len(&self) -> usize {
        self.mac_len
    }

    /// The master key.
    pub fn master_key(&self) -> &[u8] {
        &self.master_key
    }

    /// The implementation that derives, prepares and tags.
    #[inline]
    pub fn mac(&self) -> &Arc<dyn Mac> {
        &self.mac
    }

    /// The range of remote addresses; `None` is any.
    pub fn remote(&self) -> Option<Prefix> {
        self.remote
    }

    /// Whether the tuple is for this connection.
    pub fn matches(&self, pair: &SocketPair) -> bool {
        self.remote.is_none_or(|prefix| prefix.contains(pair.remote().ip()))
            && self.remote_port.is_none_or(|port| port == pair.remote().port())
    }

    /// Whether some connection would match both.
    pub fn overlaps(&self, other: &Mkt) -> bool {
        self.remote.zip(other.remote).is_none_or(|(one, other)| one.overlaps(&other))
            && self.remote_port.zip(other.remote_port).is_none_or(|(one, other)| one == other)
    }

    /// The identifier that keeps two tuples of one connection apart from each other, if there is one that does not.
    pub(crate) fn clash(&self, other: &Mkt) -> Option<MktError> {
        if self.send_id == other.send_id {
            Some(MktError::Overlap { which: "SendID", id: self.send_id })
        } else if self.receive_id == other.receive_id {
            Some(MktError::Overlap { which: "RecvID", id: self.receive_id })
        } else {
            None
        }
    }
}

/// The master key stays out.
impl fmt::Debug for Mkt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mkt")
            .field("send_id", &self.send_id)
            .field("receive_id", &self.receive_id)
            .field("remote", &self.remote)
            .field("remote_port", &self.remote_port)
            .field("coverage", &self.coverage)
            .field("mac_len", &self.mac_len)
            .finish_non_exhaustive()
    }
}

/// The tuples of one host, in the order in which they were added.
#[derive(Debug, Clone, Default)]
pub struct MktSet {
    mkts: Vec<Arc<Mkt>>,
}

impl MktSet {
    /// A set without tuples.
    pub fn new() -> MktSet {
        MktSet::default()
    }

    /// Adds a tuple.
    ///
    /// # Errors
    /// [`MktError::Overlap`] if one that is in the set already is for some of the same connections and has the same
    /// SendID or the same RecvID.
    pub fn add(&mut self, mkt: Mkt) -> Result<Arc<Mkt>, MktError> {
        for other in &self.mkts {
            if let Some(clash) = mkt.clash(other).filter(|_| mkt.overlaps(other)) {
                return Err(clash);
            }
        }
        let mkt = Arc::new(mkt);
        self.mkts.push(Arc::clone(&mkt));
        Ok(mkt)
    }

    /// All tuples.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Mkt>> {
        self.mkts.iter()
    }

    /// The tuples of a connection, in the order in which they were added.
    pub fn matching<'s>(&'s self, pair: &SocketPair) -> impl Iterator<Item = &'s Arc<Mkt>> {
        let pair = *pair;
        self.mkts.iter().filter(move |mkt| mkt.matches(&pair))
    }
}
