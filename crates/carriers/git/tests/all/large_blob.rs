//! A blob larger than memory should be: it is read in pieces, loose and packed.

use std::fs;
use std::io::Write;

use crate::packs::*;
use crate::repositories::{check, empty};
use fieldtest_git::{Error, Header, ObjectId, ObjectType};
use sha1::{Digest, Sha1};

/// More than a signed number of 32 bits holds.
const SIZE: u64 = (2 << 30) + 5;

/// Zeros behind a head, deflated, and the SHA-1 of the header and the zeros.
fn zeros(head: &[u8]) -> (Vec<u8>, ObjectId) {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut digest = Sha1::new().chain_update(Header::new(ObjectType::Blob, SIZE).as_bytes());
    encoder.write_all(head).unwrap();
    let piece = vec![0; 1 << 20];
    let mut rest = SIZE;
    while rest > 0 {
        let piece = &piece[..rest.min(1 << 20) as usize];
        encoder.write_all(piece).unwrap();
        digest.update(piece);
        rest -= piece.len() as u64;
    }
    (encoder.finish().unwrap(), ObjectId::from_bytes(&digest.finalize()).unwrap())
}

#[test]
fn two_gib_are_read_in_pieces() {
    let folder = empty();
    let (mut bytes, id) = zeros(Header::new(ObjectType::Blob, SIZE).as_bytes());
    let path = write_loose_file(folder.path(), id, &bytes);
    let report = check(folder.path());
    assert!(report.is_good(), "{report:?}");
    assert_eq!(report.sizes.of(ObjectType::Blob).largest(), SIZE);

    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, &bytes).unwrap();
    assert_eq!(check(folder.path()).damaged.len(), 1);
    fs::remove_file(path).unwrap();

    let (bytes, id) = zeros(&[]);
    let mut pack = Builder::new();
    let offset = pack.bytes.len() as u64;
    // The header: type 3 and 4 bits of the size, then 7 bits a byte.
    pack.bytes.push(3 << 4 | 0x80 | (SIZE & 15) as u8);
    let mut size = SIZE >> 4;
    while size > 0x7f {
        pack.bytes.push(size as u8 | 0x80);
        size >>= 7;
    }
    pack.bytes.push(size as u8);
    pack.bytes.extend(&bytes);
    pack.entries.push((id, offset));
    let path = pack.write(folder.path());
    let report = check(folder.path());
    assert!(report.is_good(), "{report:?}");
    assert_eq!(report.sizes.all().bytes(), SIZE);

    let mut whole = fs::read(&path).unwrap();
    let middle = whole.len() / 2;
    whole[middle] ^= 1;
    fs::write(&path, whole).unwrap();
    let report = check(folder.path());
    let wanted = |error: &Error| matches!(error, Error::Object { id: found, .. } if *found == id);
    assert!(report.damaged.iter().any(wanted), "{report:?}");

    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
    if let Some(peak) = peak {
        let kib: u64 = peak.trim().parse().unwrap();
        assert!(kib < 256 << 10, "{kib} KiB at the peak");
    }
}
