//! The NSEC chain (RFC 4034, section 4, and RFC 4035, section 2.3).

use super::View;
use crate::rtype::Rtype;
use crate::zone::Owner;

impl<'z> View<'z> {
    /// The name that an NSEC record at `owner` points to: the next one with data of the zone's own, after the last
    /// one the apex.
    pub(crate) fn nsec_next(&self, owner: Owner<'z>) -> &'z [u8] {
        let after = owner.id().index() + 1..self.zone.owner_count();
        let next = self.zone.owners_in(after).find(|next| self.in_chain(*next));
        next.unwrap_or_else(|| self.zone.owner(self.apex)).wire()
    }

    pub(crate) fn push_nsec_types(&self, owner: Owner<'z>, out: &mut Vec<Rtype>) {
        self.push_types(owner, out);
        out.extend_from_slice(&[Rtype::RRSIG, Rtype::NSEC]);
    }
}
