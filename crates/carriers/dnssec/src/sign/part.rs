//! A zone that is signed range by range: each range as it would stand in the whole, and the whole put together.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::Links;
use super::chain::{self, Chain};
use super::stream::{Covered, Writer};
use super::{Counts, Form, Plan, SignError, Signer, check_places};
use crate::ReadError;
use crate::denial::Denial;
use crate::denial::nsec3::HASH;
use crate::ranges::Part;

/// A range that is signed: what [`Signer::write_part`] wrote.
#[derive(Debug, Clone)]
pub struct Piece {
    /// Its records.
    pub signed: PathBuf,
    /// What a digest of the zone covers of it.
    pub covered: PathBuf,
}

impl<'a> Signer<'a> {
    /// As [`new`](Self::new), for one range of the zone. Its links are empty with NSEC, and where no more is asked for than
    /// the names that a chain has.
    pub fn of_part(part: &'a Part, plan: &'a Plan, links: Links) -> Result<Signer<'a>, SignError> {
        let mut signer = Signer::without_chain(part.zone(), plan, part.own())?;
        signer.chain = Chain::Links(links);
        signer.check_chain()?;
        check_places(&signer.view)?;
        Ok(signer)
    }

    /// Whether the whole chain and all names are not known here.
    pub(super) fn is_part(&self) -> bool {
        matches!(self.chain, Chain::Links(_))
    }

    /// The hashes of the names in this range that an NSEC3 chain must have, each with its bitmap, in any order.
    pub(crate) fn for_each_hash(&self, mut take: impl FnMut(&[u8; HASH], &[u8])) {
        let Denial::Nsec3(parameters) = &self.plan.denial else { return };
        let (mut types, mut bitmap) = (Vec::new(), Vec::new());
        for name in self.view.names_of(&self.own, parameters.opt_out) {
            bitmap.clear();
            chain::push_bitmap(&name, &self.view, &mut types, &mut bitmap);
            take(&parameters.hash(name.name(&self.view)), &bitmap);
        }
    }

    /// Writes the range as it stands in the signed zone, and apart from it what a digest of the zone covers, if there is to
    /// be one.
    pub fn write_part(
        &self,
        form: Form,
        out: &mut (impl Write + Send),
        covered: &mut (impl Write + Send),
    ) -> Result<Counts, SignError> {
        let mut writer = Writer { out, covered, counts: Counts::default() };
        self.write_owners(form, &mut writer)?;
        writer.out.flush()?;
        writer.covered.flush()?;
        Ok(writer.counts)
    }

    /// Writes the whole zone of which all ranges are signed, octet for octet as [`write`](Self::write) does. Of the counts,
    /// octets are those of the whole, and the others those that this adds to what the pieces have.
    pub fn join(&self, form: Form, pieces: &[Piece], out: &mut impl Write) -> Result<Counts, SignError> {
        let mut writer = Writer { out, covered: &mut io::sink(), counts: Counts::default() };
        self.write_beginning(form, &mut writer)?;
        let mut digest = Covered::default();
        for piece in pieces {
            writer.counts.octets += copy(&piece.signed, writer.out)?;
            if self.zonemd_ttl.is_some() {
                copy(&piece.covered, &mut digest)?;
            }
        }
        self.write_digest(form, &digest.finish(), &mut writer)?;
        writer.out.flush()?;
        Ok(writer.counts)
    }
}

fn copy(path: &Path, out: &mut impl Write) -> Result<u64, SignError> {
    let mut file = File::open(path).map_err(|source| ReadError::Io { path: path.to_path_buf(), source })?;
    Ok(io::copy(&mut file, out)?)
}
