//! Objects that no old one becomes, deflated for a pack.

use libdeflater::{CompressionLvl, Compressor};

use crate::{ObjectId, ObjectType};

/// How hard the deflating tries. Trees and deltas of trees consist mostly of IDs, on which nothing is to be gained: level 9
/// makes the pack of git.git 0.2 % smaller than this one and takes half as long again.
const LEVEL: i32 = 1;

pub(super) struct Made {
    pub(super) id: ObjectId,
    pub(super) kind: ObjectType,
    /// The one of those made before that it is a delta on.
    pub(super) base: Option<ObjectId>,
    /// Bytes of the content or of the delta.
    pub(super) size: u64,
    pub(super) deflated: Vec<u8>,
}

impl Made {
    pub(super) fn empty_tree(id: ObjectId) -> Made {
        let deflated = deflate(&mut compressor(), b"");
        Made { id, kind: ObjectType::Tree, base: None, size: 0, deflated }
    }
}

pub(super) fn compressor() -> Compressor {
    Compressor::new(CompressionLvl::new(LEVEL).unwrap_or_default())
}

pub(super) fn deflate(compressor: &mut Compressor, content: &[u8]) -> Vec<u8> {
    let mut deflated = vec![0; compressor.zlib_compress_bound(content.len())];
    // The bound leaves no room for the only error there is, too little space.
    let len = compressor.zlib_compress(content, &mut deflated).unwrap_or(0);
    deflated.truncate(len);
    deflated.shrink_to_fit();
    deflated
}
