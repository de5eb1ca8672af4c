//! dm-integrity's superblock, and where journal, tags and data lie behind it.
//!
//! Behind the superblock, of 4,096 bytes, lies the journal, and then areas: the tags of so many sectors, and these
//! sectors. All of it counts from where the segment begins. The form is that of Linux,
//! `Documentation/admin-guide/device-mapper/dm-integrity.rst` and `drivers/md/dm-integrity.c` (“On disk structures”,
//! `calculate_device_limits`, `initialize_superblock`); numbers are little endian and count units of 512 bytes.

use super::Extent;

/// The unit in which everything is counted.
const UNIT: u64 = 512;

/// Bytes of the superblock.
pub(super) const SUPERBLOCK: usize = 4096;

const MAGIC: &[u8; 8] = b"integrt\0";

/// The areas' tags fill whole pieces of 4,096 bytes rather than of 128 KiB.
const FIXED_PADDING: u32 = 8;

/// Sectors of a journal's section in front of its data, which hold the entries.
pub(super) const ENTRY_SECTORS: usize = 8;

/// Bytes of a sector of the journal that are not its commit number.
pub(super) const SECTOR_DATA: usize = 504;

/// The default of dm-integrity: tags of so many units of data lie together.
const INTERLEAVE: u8 = 15;

/// The default of dm-integrity: the journal has this part of the device, 2^−7, and at most 64 MiB.
const JOURNAL_FACTOR: u32 = 7;
const LARGEST_JOURNAL: u64 = 131_072;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Bytes of a tag.
    pub(super) tag: usize,
    /// Binary logarithm of the units of a sector: 0 to 3.
    units: u8,
    /// Binary logarithm of the units of data in an area.
    interleave: u8,
    pub(super) sections: u32,
    /// Units of data.
    data: u64,
    fixed_padding: bool,
}

impl Layout {
    /// For sectors of `sector` bytes with tags of `tag`, reckoned as dm-integrity does it.
    pub(super) fn new(sector: usize, tag: usize, extent: Extent) -> Result<Self, String> {
        let units = u8::try_from((sector as u64 / UNIT).trailing_zeros()).unwrap_or(u8::MAX);
        let mut layout =
            Layout { tag, units, interleave: INTERLEAVE, sections: 1, data: 0, fixed_padding: true };
        layout.check()?;
        let (Extent::Data(bytes) | Extent::Within(bytes)) = extent;
        let journal = ((bytes / UNIT) >> JOURNAL_FACTOR).min(LARGEST_JOURNAL);
        layout.sections = u32::try_from(journal / layout.section_units()).unwrap_or(1).max(1);
        let size = match extent {
            Extent::Data(data) => return Ok(Layout { data: data / UNIT, ..layout }),
            Extent::Within(size) => size,
        };
        for bit in (3..u64::BITS).rev() {
            let more = Layout { data: layout.data | 1 << bit, ..layout };
            if more.end().is_some_and(|end| end <= size) {
                layout = more;
            }
        }
        match layout.data {
            0 => Err(format!("{size} bytes are too few for tags and a journal; give at least 1 MiB more")),
            _ => Ok(layout),
        }
    }

    pub(super) fn read(bytes: &[u8; SUPERBLOCK]) -> Result<Self, String> {
        if !bytes.starts_with(MAGIC) {
            return Err("there is no dm-integrity superblock where the data begins".to_owned());
        }
        let version = bytes[8];
        if !matches!(version, 1..=6) {
            return Err(format!(
                "its dm-integrity superblock has version {version}: only 1 to 6 are supported"
            ));
        }
        let flags = u32::from_le_bytes(array(bytes, 24));
        let known = match flags & !FIXED_PADDING {
            0 => Ok(()),
            1 => Err("a journal with its own authentication codes"),
            2 => Err("tags that are being recalculated"),
            4 => Err("a bitmap instead of the journal"),
            0x20 => Err("tags stored by the disk itself"),
            _ => Err("what only dm-integrity knows"),
        };
        known.map_err(|what| {
            format!("its dm-integrity superblock announces {what} (flags {flags:#x}), which is not supported")
        })?;
        let layout = Layout {
            tag: u16::from_le_bytes(array(bytes, 10)).into(),
            units: bytes[28],
            interleave: bytes[9],
            sections: u32::from_le_bytes(array(bytes, 12)),
            data: u64::from_le_bytes(array(bytes, 16)),
            fixed_padding: flags & FIXED_PADDING != 0,
        };
        layout.check()?;
        if layout.sections == 0 || layout.data == 0 || !layout.data.is_multiple_of(1 << layout.units) {
            return Err("its dm-integrity superblock has no journal, or no whole sectors of data".to_owned());
        }
        Ok(layout)
    }

    pub(super) fn superblock(&self) -> [u8; SUPERBLOCK] {
        let mut bytes = [0; SUPERBLOCK];
        let flags = if self.fixed_padding { FIXED_PADDING } else { 0 };
        let tag = u16::try_from(self.tag).unwrap_or(u16::MAX);
        let fields: [(usize, &[u8]); 8] = [
            (0, MAGIC),
            // The first that has this padding.
            (8, &[4]),
            (9, &[self.interleave]),
            (10, &tag.to_le_bytes()),
            (12, &self.sections.to_le_bytes()),
            (16, &self.data.to_le_bytes()),
            (24, &flags.to_le_bytes()),
            (28, &[self.units]),
        ];
        for (at, field) in fields {
            bytes.iter_mut().skip(at).zip(field).for_each(|(to, from)| *to = *from);
        }
        bytes
    }

    fn check(&self) -> Result<(), String> {
        if self.units > 3 {
            return Err("its sectors have more than 4,096 bytes".to_owned());
        }
        if !(3..=31).contains(&self.interleave) {
            return Err(format!("tags of 2^{} sectors lie together, and 2^3 to 2^31 can", self.interleave));
        }
        match self.entries_per_sector() {
            0 => Err(format!("tags of {} bytes do not fit into its journal", self.tag)),
            _ if self.tag == 0 => Err("its tags have no bytes".to_owned()),
            _ => Ok(()),
        }
    }

    /// Bytes of a sector.
    pub(super) fn sector(&self) -> usize {
        512 << self.units
    }

    pub(super) fn units(&self) -> usize {
        1 << self.units
    }

    pub(super) fn sectors(&self) -> u64 {
        self.data >> self.units
    }

    /// Bytes of data.
    pub(crate) fn size(&self) -> u64 {
        self.data * UNIT
    }

    pub(super) fn area(&self) -> u64 {
        1 << (self.interleave - self.units)
    }

    /// Bytes of an entry in the journal: a sector's number, what its units have in place of their commit numbers, its tag.
    pub(super) fn entry(&self) -> usize {
        (8 + 8 * self.units() + self.tag).next_multiple_of(8)
    }

    fn entries_per_sector(&self) -> usize {
        SECTOR_DATA / self.entry()
    }

    pub(super) fn section_sectors(&self) -> usize {
        self.entries_per_sector() * ENTRY_SECTORS
    }

    fn section_units(&self) -> u64 {
        ((self.section_sectors() << self.units) + ENTRY_SECTORS) as u64
    }

    /// Bytes of a section of the journal.
    pub(super) fn section(&self) -> usize {
        ((self.section_sectors() << self.units) + ENTRY_SECTORS) * UNIT as usize
    }

    pub(super) fn section_at(&self, number: u32) -> u64 {
        SUPERBLOCK as u64 + u64::from(number) * self.section() as u64
    }

    /// Bytes of an area's tags.
    fn run(&self) -> u64 {
        let padding = if self.fixed_padding { 4096 } else { 128 << 10 };
        (self.tag as u64 * self.area()).next_multiple_of(padding)
    }

    /// Where a sector's area begins, and its number in that.
    fn place(&self, sector: u64) -> Option<(u64, u64)> {
        let area = sector / self.area();
        let all = (UNIT << self.interleave).checked_add(self.run())?.checked_mul(area)?;
        Some((self.section_at(self.sections).checked_add(all)?, sector % self.area()))
    }

    /// Where a sector's tag lies. The layout was found to fit into its file, so no sum is too large.
    pub(super) fn tag_at(&self, sector: u64) -> u64 {
        self.place(sector).map_or(u64::MAX, |(area, number)| area + number * self.tag as u64)
    }

    pub(super) fn data_at(&self, sector: u64) -> u64 {
        self.place(sector)
            .map_or(u64::MAX, |(area, number)| area + self.run() + number * self.sector() as u64)
    }

    /// Behind the last byte of all, if there is such a number.
    pub(super) fn end(&self) -> Option<u64> {
        let last = self.sectors().checked_sub(1)?;
        let (area, number) = self.place(last)?;
        area.checked_add(self.run())?.checked_add((number + 1).checked_mul(self.sector() as u64)?)
    }
}

fn array<const N: usize>(bytes: &[u8; SUPERBLOCK], at: usize) -> [u8; N] {
    let mut array = [0; N];
    array.iter_mut().zip(bytes.iter().skip(at)).for_each(|(to, from)| *to = *from);
    array
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `integritysetup dump` and the kernel said of a container that cryptsetup 2.6.1 made; see the journal's tests.
    #[test]
    fn sections_are_those_of_dm_integrity() {
        let layout = Layout::new(512, 28, Extent::Within(64 << 20)).unwrap();
        // 8 + 8 + 28, rounded up to eights: 48 bytes, 10 in a sector, 80 in a section of 88 units.
        assert_eq!((layout.entry(), layout.section_sectors(), layout.section()), (48, 80, 88 * 512));
        assert_eq!(layout.sections, 1024 / 88);
        let layout = Layout::new(4096, 48, Extent::Within(64 << 20)).unwrap();
        assert_eq!((layout.entry(), layout.section_sectors()), (120, 32));
        assert!(layout.end().unwrap() <= 64 << 20);
    }

    #[test]
    fn a_superblock_is_read_as_it_was_written() {
        for (sector, tag, size) in
            [(512, 28, 1 << 20), (4096, 28, 64 << 20), (1024, 48, 1 << 40), (4096, 64, 3 << 20)]
        {
            let layout = Layout::new(sector, tag, Extent::Within(size)).unwrap();
            assert_eq!(Layout::read(&layout.superblock()), Ok(layout));
            assert!(layout.end().is_some_and(|end| end <= size), "{layout:?}");
            let exact = Layout::new(sector, tag, Extent::Data(1 << 20)).unwrap();
            assert_eq!(exact.size(), 1 << 20);
        }
        assert!(
            Layout::new(512, 28, Extent::Within(4096)).is_err()
                && Layout::new(512, 600, Extent::Within(1 << 30)).is_err()
        );
    }

    #[test]
    fn hostile_superblocks_are_refused_or_have_an_end() {
        let good = Layout::new(4096, 28, Extent::Within(64 << 20)).unwrap().superblock();
        for at in 0..32 {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut bytes = good;
                bytes[at] = value;
                if let Ok(layout) = Layout::read(&bytes) {
                    let _ = layout.end();
                }
            }
        }
    }
}
