//! Changing the keys while connections run (RFC 5925, section 6.1).

use std::sync::Arc;

use fieldtest_cpu::constant_time_eq;
use fieldtest_kinds::Error;
use zeroize::Zeroizing;

use crate::mkt::{Mkt, MktSet};
use crate::session::Session;

/// What a change of the keys did to the connections that were open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KeyChanges {
    /// Keys that connections got.
    pub added: usize,
    /// Keys that connections lost.
    pub removed: usize,
    /// Connections that still use a key that is gone: until the other end follows, or the connection ends.
    pub waiting: usize,
    /// Keys that a connection cannot get, because it still uses another with the same identifier.
    pub conflicts: usize,
}

/// Gives a session the keys that are now for it, and asks the other end for the first of them. What is no longer for
/// it goes as soon as neither end uses it. Returns whether such a key remains.
pub(super) fn apply(session: &mut Session, keys: &MktSet, changes: &mut KeyChanges) -> bool {
    let wanted: Vec<Arc<Mkt>> = keys.matching(session.pair()).cloned().collect();
    for mkt in &wanted {
        if session.mkts().any(|have| same(have, mkt)) {
            continue;
        }
        // One with the same identifier may be in the way; it goes, if nothing uses it.
        let in_the_way: Vec<u8> =
            session.mkts().filter(|have| have.clash(mkt).is_some()).map(|have| have.send_id()).collect();
        for send_id in in_the_way {
            changes.removed += usize::from(session.remove(send_id).is_ok());
        }
        match session.add(Arc::clone(mkt)) {
            Ok(()) => changes.added += 1,
            Err(_) => changes.conflicts += 1,
        }
    }
    if let Some(preferred) = wanted.iter().find(|mkt| session.mkts().any(|have| same(have, mkt))) {
        // The session has it, so this cannot fail.
        let _ = session.set_rnext_key(preferred.receive_id());
    }
    retire(session, keys, changes)
}

/// Takes from a session the keys that are no longer for it and that it does not use. Returns whether one remains.
pub(super) fn retire(session: &mut Session, keys: &MktSet, changes: &mut KeyChanges) -> bool {
    let unwanted: Vec<u8> = session
        .mkts()
        .filter(|have| !keys.matching(session.pair()).any(|mkt| same(have, mkt)))
        .map(|have| have.send_id())
        .collect();
    let mut waiting = false;
    for send_id in unwanted {
        match session.remove(send_id) {
            Ok(_) => changes.removed += 1,
            Err(_) => waiting = true,
        }
    }
    changes.waiting += usize::from(waiting);
    waiting
}

/// Whether two tuples do the same to a segment: not only one tuple twice, but also one that was read from a file again.
/// Instead of the algorithms, which have no names here, what they derive is compared.
fn same(a: &Arc<Mkt>, b: &Arc<Mkt>) -> bool {
    let outside = |mkt: &Mkt| (mkt.send_id(), mkt.receive_id(), mkt.mac_len(), mkt.coverage());
    Arc::ptr_eq(a, b)
        || outside(a) == outside(b)
            && fingerprint(a).is_ok_and(|a| fingerprint(b).is_ok_and(|b| constant_time_eq(&a, &b)))
}

/// The traffic key of no connection.
fn fingerprint(mkt: &Mkt) -> Result<Zeroizing<Vec<u8>>, Error> {
    let mut key = Zeroizing::new(Vec::new());
    mkt.mac().derive(mkt.master_key(), &[0; 20], &mut key)?;
    Ok(key)
}
