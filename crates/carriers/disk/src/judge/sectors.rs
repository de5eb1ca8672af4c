//! What is said about the sizes of sectors, pages and the disk.

use super::{DM_CRYPT, Findings, Use};
use crate::spec::{CipherSpec, Iv};

impl Findings {
    pub(super) fn sectors(&mut self, spec: &CipherSpec, intended: &Use) {
        let page = intended.page_size.unwrap_or(4096);
        let Some(sector) = intended.sector_size else { return };
        if !sector.is_power_of_two() || !(512..=4096).contains(&sector) {
            return self.unmapped(
                "sector-size",
                format!("invalid sector size {sector}: dm-crypt has 512, 1024, 2048 and 4096 bytes"),
                "use 4096",
                DM_CRYPT,
            );
        }
        if sector > page {
            self.refuse(
                "sector-size",
                format!("sectors of {sector} bytes are larger than a page of {page} bytes"),
                "use sectors no larger than a page",
                DM_CRYPT,
            );
        }
        let block = intended.block_size.unwrap_or(4096);
        if !block.is_power_of_two() || block < 512 {
            return self.unmapped(
                "block-size",
                format!("invalid block size {block}: expected a power of two from 512"),
                "use 4096",
                DM_CRYPT,
            );
        }
        if sector > block {
            self.note(
                "sector-over-block",
                format!(
                    "sectors of {sector} bytes are larger than the {block} bytes that are written at once: each \
                     such write reads and writes a whole sector, and a power cut may lose the rest of that sector"
                ),
                "use sectors no larger than the file system's blocks and the disk's physical sectors",
                "cryptsetup-luksFormat(8), --sector-size",
            );
        }
        if sector == 512 && block >= 4096 {
            self.note(
                "small-sectors",
                "a block of 4096 bytes becomes eight sectors, each with its own vector and, in wide-block \
                 modes, its own costs"
                    .into(),
                "use sectors of 4096 bytes where the disk writes 4096 bytes at once",
                "cryptsetup-luksFormat(8), --sector-size",
            );
        }
        if intended.device_size.is_some_and(|size| size == 0 || size % u64::from(sector) != 0) {
            self.unmapped(
                "size",
                format!("the data size is not a multiple of the sector size of {sector} bytes"),
                "use a size that is one, such as 16M",
                DM_CRYPT,
            );
        }
        if matches!(spec.iv(), Iv::Other(iv) if matches!(iv.as_str(), "lmk" | "tcw")) && sector != 512 {
            self.unmapped(
                "sector-size",
                format!("the vector '{}' is for sectors of 512 bytes", spec.iv()),
                "use --sector-size 512",
                DM_CRYPT,
            );
        }
    }
}
