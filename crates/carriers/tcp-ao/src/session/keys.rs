//! The traffic keys of one connection under one master key tuple (RFC 5925, sections 3.2 and 5.2).

use std::sync::Arc;

use fieldtest_kinds::Error;
use fieldtest_kinds::mac::{Mac, MacKey};
use zeroize::Zeroizing;

use crate::context::Context;
use crate::message::Coverage;
use crate::mkt::Mkt;
use crate::pair::SocketPair;

/// Derives and prepares one traffic key, once per connection; Linux 7.2 prepares it for every segment. The
/// traffic key itself is wiped; what is prepared from it stays.
pub(crate) fn derive(mkt: &Mkt, context: &Context) -> Result<Box<dyn MacKey>, Error> {
    let mut traffic_key = Zeroizing::new(Vec::new());
    mkt.mac().derive(mkt.master_key(), context.as_bytes(), &mut traffic_key)?;
    mkt.mac().prepare(&traffic_key)
}

/// The key of a SYN without ACK, which depends on one initial sequence number only.
pub(crate) struct SynKey {
    pub(crate) isn: u32,
    pub(crate) key: Box<dyn MacKey>,
}

/// The keys of all other segments, SYN-ACK included: RFC 9235 calls its key Receive_SYN, but the values of
/// sections 4.1.2 and 4.1.4 are equal, and the context has both initial sequence numbers.
pub(crate) struct OtherKeys {
    pub(crate) send: Box<dyn MacKey>,
    pub(crate) receive: Box<dyn MacKey>,
}

/// One tuple with what was derived from it so far. What every segment needs of the tuple stands beside the keys.
pub(crate) struct Keys {
    pub(crate) mkt: Arc<Mkt>,
    pub(crate) mac: Arc<dyn Mac>,
    pub(crate) send_id: u8,
    pub(crate) receive_id: u8,
    pub(crate) coverage: Coverage,
    pub(crate) mac_len: usize,
    pub(crate) send_syn: Option<SynKey>,
    pub(crate) receive_syn: Option<SynKey>,
    pub(crate) other: Option<OtherKeys>,
}

impl Keys {
    pub(crate) fn new(mkt: Arc<Mkt>) -> Keys {
        Keys {
            mac: Arc::clone(mkt.mac()),
            send_id: mkt.send_id(),
            receive_id: mkt.receive_id(),
            coverage: mkt.coverage(),
            mac_len: mkt.mac_len(),
            send_syn: None,
            receive_syn: None,
            other: None,
            mkt,
        }
    }

    pub(crate) fn derive_other(
        &self,
        pair: &SocketPair,
        local: u32,
        remote: u32,
    ) -> Result<OtherKeys, Error> {
        Ok(OtherKeys {
            send: derive(&self.mkt, &Context::new(pair, local, remote))?,
            receive: derive(&self.mkt, &Context::new(&pair.reversed(), remote, local))?,
        })
    }
}
