//! Many segments of many sessions at once, for implementations that tag several messages in the time of one or two
//! ([`Mac::tag_many`](fieldtest_kinds::mac::Mac::tag_many)).
//!
//! A batch is gone through twice. First the MAC inputs of all packets are assembled one behind the other in one
//! buffer, with the sessions as they are, and tagged with one call per implementation. Then the packets are taken in
//! order: where those before have changed a session so that a MAC input is stale, and where there is none, the packet
//! is looked at alone. So the outcome of every packet is the one that it would have had alone, in the order of the
//! batch. Buffers are kept: once they have grown, nothing is allocated.

mod queue;
mod seal;
mod sign;
mod verify;

pub use sign::SignedPacket;

/// The buffers of a batch, to be used again for the next.
#[derive(Default)]
pub struct Batch {
    buffers: queue::Buffers,
    verifying: Vec<Option<verify::Slot>>,
    signing: Vec<Option<seal::Slot>>,
}

impl Batch {
    /// Empty buffers.
    pub fn new() -> Batch {
        Batch::default()
    }
}
