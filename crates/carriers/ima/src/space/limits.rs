//! Limits beside the file system: a package's signature header, and the kernel's measurement list.

/// The most bytes of an RPM signature header: `dl_max` in rpm's `lib/header.cc` (rpm 4.14 to 6.1).
pub const RPM_SIGNATURE_HEADER_MAX: u64 = 64 * 1024 * 1024;

/// The most files of one RPM package whose attributes have `length` bytes.
///
/// Derived from rpm's source, not seen to happen: file signatures stand in the signature header as an array of
/// hexadecimal strings (`RPMSIGTAG_FILESIGNATURES`), each `2 × length` digits and a terminating zero. The header's other
/// entries, some hundreds of bytes, are left out, so the true figure may be lower by one.
pub fn rpm_files_max(length: u64) -> u64 {
    RPM_SIGNATURE_HEADER_MAX / length.saturating_mul(2).saturating_add(1)
}

/// What one entry of IMA's measurement list takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeasurementMemory {
    /// Kernel memory that is never swapped, in bytes.
    pub slab: u64,
    /// A line of `ascii_runtime_measurements`, in bytes.
    pub ascii: u64,
}

/// What a measured file adds to the measurement list under the template `ima-sig` (Debian's default), which carries
/// the attribute.
///
/// The attribute is a `kmalloc` of its own, so it takes the next size class: from 2 KiB to 4 KiB all cost 4 KiB,
/// and ML-DSA-44 as much as ML-DSA-65. The rest of an entry (the entry, its queue, the digests of the banks, the
/// file's digest and a path of some 30 bytes) was measured as 420 bytes on Linux 7.3 by the growth of the slab
/// over 27,346 files; the ASCII line's rest is some 136 bytes.
pub fn measurement_memory(length: u64) -> MeasurementMemory {
    MeasurementMemory { slab: 420 + kmalloc_size(length), ascii: 136 + 2 * length }
}

/// The size class of `kmalloc` (`include/linux/slab.h`): powers of two, and 96 and 192 between them.
fn kmalloc_size(bytes: u64) -> u64 {
    match bytes {
        0..=8 => 8,
        65..=96 => 96,
        129..=192 => 192,
        _ => bytes.next_power_of_two(),
    }
}

#[cfg(test)]
mod tests {
    use super::{measurement_memory, rpm_files_max};

    #[test]
    fn rpm_takes_so_many_files() {
        let limits = [112, 2429, 3318, 4636].map(rpm_files_max);
        assert_eq!(limits, [298_261, 13_811, 10_111, 7_237]);
    }

    /// Measured on Linux 7.3.4: 0.55, 4.4 and 8.4 KiB of slab; 0.36, 6.8 and 9.4 KB of text.
    #[test]
    fn the_measurement_list_is_near_what_was_measured() {
        for (length, slab_kib, ascii_kb) in [(112, 0.55, 0.36), (3318, 4.4, 6.8), (4636, 8.4, 9.4)] {
            let memory = measurement_memory(length);
            assert!((memory.slab as f64 / 1024.0 - slab_kib).abs() < 0.05, "{length}: {memory:?}");
            assert!((memory.ascii as f64 / 1000.0 - ascii_kb).abs() < 0.05, "{length}: {memory:?}");
        }
    }
}
