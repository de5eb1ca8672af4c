//! Where a zone ends: what each name is to it.

use super::Role;
use crate::name::{self, Name};
use crate::rtype::Rtype;

/// The latest name that hides what is below it. Canonical order puts every name right behind its ancestors, so one pass
/// is enough.
pub(crate) struct Cuts {
    /// Order key of the apex.
    apex: Vec<u8>,
    /// Order key of the name below which everything is hidden.
    cut: Option<Vec<u8>>,
}

impl Cuts {
    /// Before the first name.
    pub(crate) fn new(apex: &Name) -> Cuts {
        let mut key = Vec::new();
        name::push_order_key(apex.as_wire(), &mut key);
        Cuts { apex: key, cut: None }
    }

    /// The role of the next name in canonical order, given its order key and which types it has.
    pub(crate) fn role(&mut self, key: &[u8], has: impl Fn(Rtype) -> bool) -> Role {
        if !key.starts_with(&self.apex) {
            Role::Outside
        } else if self.hides(key) {
            Role::Occluded
        } else if key.len() > self.apex.len() && has(Rtype::NS) {
            self.cut = Some(key.to_vec());
            Role::Delegation
        } else {
            if has(Rtype::DNAME) {
                self.cut = Some(key.to_vec());
            }
            Role::Authoritative
        }
    }

    /// Whether a name that comes next is hidden.
    pub(crate) fn hides(&self, key: &[u8]) -> bool {
        self.cut.as_ref().is_some_and(|cut| key.starts_with(cut))
    }
}
