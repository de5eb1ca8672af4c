//! What else has to fit where a mark is found. A mark of two bytes alone is there by accident once in a while, since what
//! is searched may be encrypted.
//!
//! Each function gets the place of the mark, or 0 where a format has none that could be looked for.

use std::io;

use super::{Place, Storage};

pub(super) fn lvm2(storage: &Storage<'_>, at: u64) -> io::Result<bool> {
    Ok(storage.bytes(Place::Start(at - 24), 8)?.is_some_and(|label| label == b"LABELONE"))
}

/// The size of blocks (1 to 64 KiB) and the revision.
pub(super) fn ext(storage: &Storage<'_>, _: u64) -> io::Result<bool> {
    Ok(storage.number::<4>(1048)?.is_some_and(|exponent| exponent <= 6)
        && storage.number::<4>(1100)?.is_some_and(|revision| revision <= 1))
}

/// Both maps have blocks, and zones are blocks. The superblock of erofs has other things at these places.
pub(super) fn minix(storage: &Storage<'_>, at: u64) -> io::Result<bool> {
    let maps = if at == 1040 { 1028 } else { 1030 };
    let erofs = storage.number::<4>(1024)? == Some(0xe0f5_e1e2);
    let number = |at| Ok::<_, io::Error>(storage.number::<2>(at)?.unwrap_or(0));
    Ok(!erofs && number(maps)? > 0 && number(maps + 2)? > 0 && number(maps + 6)? == 0)
}

/// Allocation blocks are whole sectors.
pub(super) fn hfs(storage: &Storage<'_>, _: u64) -> io::Result<bool> {
    let size = storage.big::<4>(1044)?;
    Ok(size.is_some_and(|size| size > 0 && size.is_multiple_of(512)))
}

/// What every FAT has, with a name or without: the jump, sectors and clusters of powers of two, reserved sectors, tables,
/// a known medium (Microsoft FAT Specification, section 3.1).
pub(super) fn fat(storage: &Storage<'_>, _: u64) -> io::Result<bool> {
    let number = |at| Ok::<_, io::Error>(storage.number::<1>(at)?.unwrap_or(0));
    let sector = storage.number::<2>(11)?.unwrap_or(0);
    let foreign = storage.bytes(Place::Start(54), 8)?.unwrap_or_default();
    Ok(matches!(number(0)?, 0xeb | 0xe9)
        && sector.is_power_of_two()
        && (512..=4096).contains(&sector)
        && number(13)?.is_power_of_two()
        && storage.number::<2>(14)?.is_some_and(|reserved| reserved > 0)
        && number(16)? > 0
        && matches!(number(21)?, 0xf0 | 0xf8..)
        // OS/2 has the same in front of others.
        && foreign != *b"JFS     "
        && foreign != *b"HPFS    ")
}

/// A header with its own place and checksum, in sectors of 512 or 4096 bytes (UEFI Specification 2.10, section 5.3.2): what lost
/// either is no table any more to `blkid` and the kernel. By its eight letters alone, one that was given up
/// long ago would keep a container closed.
pub(super) fn gpt(storage: &Storage<'_>, at: u64) -> io::Result<bool> {
    let number = |behind| storage.number::<4>(at + behind);
    let length = match number(12)? {
        Some(length @ 92..=512) => usize::try_from(length).unwrap_or(512),
        _ => return Ok(false),
    };
    let Some(mut header) = storage.bytes(Place::Start(at), length)? else { return Ok(false) };
    header.iter_mut().skip(16).take(4).for_each(|byte| *byte = 0);
    let place = storage.number::<8>(at + 24)?;
    let is_here = [512, 4096].iter().any(|sector| at.is_multiple_of(*sector) && place == Some(at / sector));
    Ok(is_here && number(16)? == Some(u64::from(crc32(&header))))
}

/// The checksum of ISO 3309 and Ethernet.
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| (sum >> 1) ^ (0xedb8_8320 * (sum & 1)))
    })
}

pub(super) fn dos(storage: &Storage<'_>, _: u64) -> io::Result<bool> {
    let table = storage.bytes(Place::Start(446), 64)?.unwrap_or_default();
    let mut some = false;
    for entry in table.chunks(16) {
        // Active or not, of a type, and of some sectors.
        if !matches!(entry.first(), Some(0 | 0x80)) {
            return Ok(false);
        }
        let sectors = entry.get(12..).is_some_and(|sectors| sectors != [0; 4]);
        some |= entry.get(4) != Some(&0) && sectors;
    }
    Ok(some)
}

/// The map begins in the second block, whose size the first one says.
pub(super) fn mac(storage: &Storage<'_>, _: u64) -> io::Result<bool> {
    let Some(block) = storage.big::<2>(2)?.filter(|&size| size >= 512) else { return Ok(false) };
    let map = storage.bytes(Place::Start(block), 2)?;
    Ok(map.is_some_and(|map| map == *b"PM" || map == *b"TS"))
}

/// The XOR of all words is zero.
pub(super) fn sun(storage: &Storage<'_>, _: u64) -> io::Result<bool> {
    let label = storage.bytes(Place::Start(0), 512)?.unwrap_or_default();
    let sum = label.chunks(2).fold([0; 2], |sum, word| match word {
        [high, low] => [sum[0] ^ high, sum[1] ^ low],
        _ => sum,
    });
    Ok(!label.is_empty() && sum == [0; 2])
}

/// Atari's root sector has no mark: a size in sectors at byte 450, and four entries of a flag, three letters, a first
/// sector and a number of sectors, of which one lies within that size (Linux, block/partitions/atari.c).
pub(super) fn atari(storage: &Storage<'_>, _: u64) -> io::Result<bool> {
    let Some(size) = storage.big::<4>(450)?.filter(|&size| size >= 2) else { return Ok(false) };
    if size > storage.size / 512 {
        return Ok(false);
    }
    let entries = storage.bytes(Place::Start(454), 48)?.unwrap_or_default();
    let number = |bytes: &[u8]| bytes.iter().fold(0, |number, &byte| number << 8 | u64::from(byte));
    Ok(entries.chunks(12).any(|entry| match entry {
        [flag, a, b, c, place @ ..] => {
            let (first, sectors) = place.split_at_checked(4).unwrap_or_default();
            let (first, sectors) = (number(first), number(sectors));
            let letters = [a, b, c].into_iter().all(u8::is_ascii_alphanumeric);
            flag & 1 == 1 && letters && first > 0 && sectors > 0 && first + sectors <= size
        }
        _ => false,
    }))
}

/// A level of RAID, and words whose sum is 0 or 1.
pub(super) fn jmicron(storage: &Storage<'_>, at: u64) -> io::Result<bool> {
    let sector = storage.bytes(Place::Start(at), 128)?.unwrap_or_default();
    Ok(sector.get(0x30).is_some_and(|&level| level <= 5) && matches!(words(&sector), 0 | 1))
}

/// A number of a disk, and words whose sum is 0 up to the checksum at byte 0x13e.
pub(super) fn silicon(storage: &Storage<'_>, at: u64) -> io::Result<bool> {
    let sector = storage.bytes(Place::Start(at - 0x60), 0x140)?.unwrap_or_default();
    Ok(sector.get(0x116).is_some_and(|&disk| disk < 8) && words(&sector) == 0)
}

/// A version, and a checksum behind 50 bytes.
pub(super) fn via(storage: &Storage<'_>, at: u64) -> io::Result<bool> {
    let sector = storage.bytes(Place::Start(at), 51)?.unwrap_or_default();
    let (summed, sum) = sector.split_at_checked(50).unwrap_or_default();
    let found = summed.iter().fold(0_u8, |sum, &byte| sum.wrapping_add(byte));
    Ok(sector.get(2).is_some_and(|&version| version <= 2) && sum == [found])
}

/// The sum of words of 16 bits, little-endian.
fn words(bytes: &[u8]) -> u16 {
    let word = |pair: &[u8]| pair.try_into().map_or(0, u16::from_le_bytes);
    bytes.chunks(2).fold(0, |sum: u16, pair| sum.wrapping_add(word(pair)))
}

/// A record of a log, which has a version, at a sector of the first 256 KiB, and no file system before it.
pub(super) fn xfs_log(storage: &Storage<'_>, _: u64) -> io::Result<bool> {
    const RECORD: &[u8] = b"\xfe\xed\xba\xbe";
    let length = storage.size.min(256 << 10) as usize;
    let sectors = storage.bytes(Place::Start(0), length)?.unwrap_or_default();
    let first = sectors.chunks(512).find(|sector| sector.starts_with(RECORD) || sector.starts_with(b"XFSB"));
    Ok(first
        .and_then(|sector| sector.strip_prefix(RECORD))
        .is_some_and(|record| matches!(record.get(4..8), Some([0, 0, 0, 1 | 2]))))
}

pub(super) fn zfs(storage: &Storage<'_>, _: u64) -> io::Result<bool> {
    const MAGIC: u64 = 0x00ba_b10c;
    const LABEL: u64 = 256 << 10;
    let halves = [
        Place::Start(LABEL / 2),
        Place::Start(LABEL + LABEL / 2),
        Place::AlignedEnd(LABEL, LABEL + LABEL / 2),
        Place::AlignedEnd(LABEL, LABEL / 2),
    ];
    for half in halves {
        let uberblocks = storage.bytes(half, (LABEL / 2) as usize)?.unwrap_or_default();
        let is =
            |block: &[u8]| block.starts_with(&MAGIC.to_le_bytes()) || block.starts_with(&MAGIC.to_be_bytes());
        // They have 1 KiB or more.
        if uberblocks.chunks(1024).any(is) {
            return Ok(true);
        }
    }
    Ok(false)
}
