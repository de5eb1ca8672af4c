//! Sectors of a segment: which vector each one has, and the cipher with its key.

use std::path::Path;
use std::sync::Arc;

use fieldtest_cpu::constant_time_eq;
use fieldtest_kinds::cipher::{Cipher, CipherKey, Tweaks};

use crate::error::{Error, Result};
use crate::file::Access;
use crate::hash::Hash;
use crate::header::json::{self, Metadata};
use crate::integrity::{Authenticated, Integrity, Place, Sealer};
use crate::secret::{VolumeKey, lock};
use crate::spec::{CipherSpec, Ciphers, Iv, Prepare};

/// The unit in which dm-crypt counts.
const UNIT: u64 = 512;

/// How the sectors of a segment are numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Numbering {
    /// Bytes of a sector: 512, 1024, 2048 or 4096.
    pub sector_size: usize,
    /// Added to each number, in units of 512 bytes.
    pub iv_tweak: u64,
    /// Numbers count sectors instead of units of 512 bytes (dm-crypt's flag `iv_large_sectors`). LUKS2 has no such
    /// segments.
    pub large_sectors: bool,
}

/// A cipher that fits a specification, with the way to its vectors, and without a key.
pub struct SectorCipher {
    cipher: Arc<dyn Cipher>,
    iv: Vectors,
    /// Of ESSIV: the hash function, and the cipher that encrypts the numbers.
    essiv: Option<(Hash, Arc<dyn Cipher>)>,
    numbering: Numbering,
}

/// The same with a key: encrypts and decrypts sectors by their place in the segment.
pub struct SectorKey {
    /// Given up before the memory is.
    _locked: Option<region::LockGuard>,
    key: Box<dyn CipherKey>,
    iv: Vectors,
    essiv: Option<Essiv>,
    numbering: Numbering,
}

/// The numbers' cipher under the hash of the key (Fruhwirth, “New Methods in Hard Disk Encryption”, 2005, section 4.2).
struct Essiv {
    _locked: Option<region::LockGuard>,
    key: Box<dyn CipherKey>,
}

#[derive(Debug, Clone, Copy)]
enum Vectors {
    Null,
    Plain,
    Plain64,
    Plain64Be,
    Essiv,
}

impl SectorCipher {
    /// Looks a specification up for segments whose sectors are numbered from 0.
    ///
    /// # Errors
    /// [`Error::NoCipher`]; [`Error::Unsupported`] for a vector that is not offered here.
    pub fn find(
        spec: &CipherSpec,
        key_len: usize,
        sector_size: usize,
        ciphers: &dyn Ciphers,
    ) -> Result<Self> {
        Self::find_numbered(
            spec,
            key_len,
            Numbering { sector_size, iv_tweak: 0, large_sectors: false },
            ciphers,
        )
    }

    /// Looks a specification up.
    ///
    /// # Errors
    /// As [`find`](Self::find).
    pub fn find_numbered(
        spec: &CipherSpec,
        key_len: usize,
        numbering: Numbering,
        ciphers: &dyn Ciphers,
    ) -> Result<Self> {
        let iv = match spec.iv() {
            _ if spec.keys() != 1 => None,
            Iv::Null => Some(Vectors::Null),
            Iv::Missing if spec.mode() == "ecb" => Some(Vectors::Null),
            Iv::Plain => Some(Vectors::Plain),
            Iv::Plain64 => Some(Vectors::Plain64),
            // It is written at the end of the vector, and only these are known to have one of 16 bytes.
            Iv::Plain64Be if matches!(spec.mode(), "xts" | "cbc" | "ctr") => Some(Vectors::Plain64Be),
            Iv::Essiv(_) if matches!(spec.mode(), "cbc" | "xts") => Some(Vectors::Essiv),
            Iv::Missing | Iv::Plain64Be | Iv::Essiv(_) | Iv::Random | Iv::Other(_) => None,
        };
        let iv = iv.ok_or_else(|| Error::Unsupported {
            what: format!("the vector '{}' of {spec}", spec.iv()),
            remedy: "use plain64, plain, null or plain64be with XTS, CBC or CTR, or essiv with CBC or XTS",
        })?;
        if !matches!(numbering.sector_size, 512 | 1024 | 2048 | 4096) {
            return Err(Error::Parameters(format!(
                "sectors have 512, 1024, 2048 or 4096 bytes, not {}",
                numbering.sector_size
            )));
        }
        let cipher = ciphers
            .find(spec, key_len)
            .filter(|cipher| cipher.key_len() == key_len)
            .ok_or_else(|| Error::NoCipher { spec: spec.clone(), key_len })?;
        let essiv = match spec.iv() {
            Iv::Essiv(hash) => Some(essiv(spec, Hash::from_name(hash)?, ciphers)?),
            _ => None,
        };
        Ok(SectorCipher { cipher, iv, essiv, numbering })
    }

    /// Prepares a key.
    ///
    /// # Errors
    /// [`Error::Cipher`] if the cipher refuses it.
    pub fn with_key(&self, key: &[u8]) -> Result<SectorKey> {
        self.keyed(key, |cipher, key| cipher.prepare(key))
    }

    /// Prepares a key to decrypt what others wrote, also one that the standard forbids.
    ///
    /// # Errors
    /// [`Error::Cipher`] if the cipher refuses it.
    pub fn with_key_to_read(&self, key: &[u8]) -> Result<SectorKey> {
        self.keyed(key, |cipher, key| cipher.prepare_to_read(key))
    }

    fn keyed(&self, key: &[u8], prepare: Prepare) -> Result<SectorKey> {
        let essiv = match &self.essiv {
            Some((hash, cipher)) => {
                let prepared = hash.digest(&[key], |salt| cipher.prepare(salt));
                let key = prepared.map_err(Error::cipher("vectors"))?;
                Some(Essiv { _locked: lock(&*key), key })
            }
            None => None,
        };
        let key = prepare(&*self.cipher, key).map_err(Error::cipher("a key"))?;
        Ok(SectorKey { _locked: lock(&*key), key, iv: self.iv, essiv, numbering: self.numbering })
    }
}

/// Whether the cipher's part of a volume key is two equal halves, of a mode that forbids it. Other keys take the same time.
pub fn has_equal_halves(spec: &CipherSpec, key: &[u8]) -> bool {
    let (data, tweak) = key.split_at(key.len() / 2);
    spec.mode() == "xts" && !data.is_empty() && constant_time_eq(data, tweak)
}

/// The cipher of ESSIV's vectors, whose key is as long as the digest: the one of the data, block by block.
fn essiv(spec: &CipherSpec, hash: Hash, ciphers: &dyn Ciphers) -> Result<(Hash, Arc<dyn Cipher>)> {
    let block = spec.block_cipher();
    let found = ciphers.find(&block, hash.length()).filter(|cipher| cipher.key_len() == hash.length());
    let found = found.ok_or_else(|| Error::NoCipher { spec: block, key_len: hash.length() })?;
    Ok((hash, found))
}

impl Essiv {
    fn vector(&self, number: u64) -> std::result::Result<u128, fieldtest_kinds::Error> {
        let mut block = u128::from(number).to_le_bytes();
        let length = block.len();
        self.key.encrypt(Tweaks { first: 0, step: 0 }, length, &mut block)?;
        Ok(u128::from_le_bytes(block))
    }
}

impl SectorKey {
    /// Bytes of a sector.
    pub fn sector_size(&self) -> usize {
        self.numbering.sector_size
    }

    /// Encrypts whole sectors in place, the first of which is number `sector` of the segment.
    ///
    /// # Errors
    /// [`Error::Cipher`]
    pub fn encrypt(&self, sector: u64, data: &mut [u8]) -> Result<()> {
        self.each_run(sector, data, |tweaks, data| self.key.encrypt(tweaks, self.sector_size(), data))
    }

    /// Decrypts whole sectors in place.
    ///
    /// # Errors
    /// [`Error::Cipher`]
    pub fn decrypt(&self, sector: u64, data: &mut [u8]) -> Result<()> {
        self.each_run(sector, data, |tweaks, data| self.key.decrypt(tweaks, self.sector_size(), data))
    }

    /// Cuts the sectors into runs whose vectors are an arithmetic progression, and does each with one call.
    fn each_run(
        &self,
        sector: u64,
        mut data: &mut [u8],
        mut run: impl FnMut(Tweaks, &mut [u8]) -> std::result::Result<(), fieldtest_kinds::Error>,
    ) -> Result<()> {
        let size = self.sector_size();
        let units = size as u64 / UNIT;
        let mut sector = sector;
        while !data.is_empty() {
            // As dm-crypt does it: the place in units, the tweak added, and for large sectors the sum divided.
            let number = sector.wrapping_mul(units).wrapping_add(self.numbering.iv_tweak);
            let (number, step) =
                if self.numbering.large_sectors { (number / units, 1) } else { (number, units) };
            let (first, step, most) = match self.iv {
                Vectors::Null => (0, 0, u64::MAX),
                Vectors::Plain => {
                    (number & 0xffff_ffff, step, ((1 << 32) - (number & 0xffff_ffff)).div_ceil(step))
                }
                Vectors::Plain64 => (number, step, ((u64::MAX - number) / step).saturating_add(1)),
                Vectors::Plain64Be | Vectors::Essiv => (number, 0, 1),
            };
            let first = match (&self.essiv, self.iv) {
                (Some(essiv), _) => essiv.vector(number).map_err(Error::cipher("vectors"))?,
                (None, Vectors::Plain64Be) => u128::from(first.swap_bytes()) << 64,
                (None, _) => u128::from(first),
            };
            let sectors = (data.len() as u64).div_ceil(size as u64).min(most);
            let length = usize::try_from(sectors).unwrap_or(usize::MAX).saturating_mul(size).min(data.len());
            let (now, rest) = data.split_at_mut(length);
            run(Tweaks { first, step }, now).map_err(Error::cipher("sectors"))?;
            data = rest;
            sector = sector.wrapping_add(sectors);
        }
        Ok(())
    }
}

/// A piece of a volume.
pub(crate) struct Segment {
    /// Bytes, a whole number of sectors.
    pub(crate) size: u64,
    /// Where they lie, and what decrypts them.
    pub(crate) content: Content,
}

/// What a piece is. Offsets are where its bytes begin in the file.
pub(crate) enum Content {
    Plain {
        offset: u64,
    },
    Encrypted {
        offset: u64,
        key: SectorKey,
    },
    /// With tags among them.
    Authenticated(Box<Authenticated>),
}

impl Content {
    pub(crate) fn sector_size(&self) -> Option<usize> {
        match self {
            Content::Plain { .. } => None,
            Content::Encrypted { key, .. } => Some(key.sector_size()),
            Content::Authenticated(sealed) => Some(sealed.sector_size()),
        }
    }
}

/// The segments of a container, prepared for a volume key that digest `digest` recognised.
///
/// # Errors
/// [`Error::Unsupported`] for types of segments that are not offered here, [`Error::Truncated`] if the file is too
/// short, and as [`SectorCipher::find`].
// What it leaves on the stack must lie below its caller, who wipes that.
#[inline(never)]
pub(crate) fn prepare(
    metadata: &Metadata,
    digest: u32,
    key: &VolumeKey,
    place: Place<'_>,
    file_size: u64,
    access: Access,
    ciphers: &dyn Ciphers,
) -> Result<Vec<Segment>> {
    let path = place.path;
    let ours = metadata.digests().get(&digest).map_or(&[][..], |digest| &digest.segments);
    let data = metadata.segments().iter().filter(|(_, segment)| !segment.is_backup());
    data.map(|(number, segment)| {
        let sector_size = segment.sector_size.map_or(UNIT, u64::from);
        let needed = segment.offset.saturating_add(segment.size.unwrap_or(sector_size));
        if file_size < needed {
            let header_only = file_size <= segment.offset;
            return Err(Error::Truncated { path: path.to_owned(), found: file_size, needed, header_only });
        }
        let size = segment.size.unwrap_or_else(|| {
            let all = file_size.saturating_sub(segment.offset);
            all - all % sector_size
        });
        let offset = segment.offset;
        let content = match segment.kind.as_str() {
            // cryptsetup has them in the middle of a re-encryption alone. Whoever added one could read what is written to it.
            "linear" if access == Access::Write => {
                return Err(Error::Unsupported {
                    what: format!("writing to a container whose segment {number} is not encrypted ('linear')"),
                    remedy: "copy its data into a new container, and ask the creator of the header for the reason",
                });
            }
            "linear" => Content::Plain { offset },
            "crypt" if ours.contains(number) => match segment.authenticated_by()? {
                Some(integrity) => {
                    let sealed = authenticated(segment, integrity, key, place, file_size, access, ciphers)?;
                    return Ok(Segment {
                        size: sealed.size(),
                        content: Content::Authenticated(Box::new(sealed)),
                    });
                }
                None => Content::Encrypted { offset, key: crypt(segment, key, path, access, ciphers)? },
            },
            "crypt" => return Err(Error::WrongVolumeKey),
            other => {
                return Err(Error::Unsupported {
                    what: format!("the segment type '{other}'"),
                    remedy: "open the container with cryptsetup",
                });
            }
        };
        Ok(Segment { size, content })
    })
    .collect()
}

fn crypt(
    segment: &json::Segment,
    key: &VolumeKey,
    path: &Path,
    access: Access,
    ciphers: &dyn Ciphers,
) -> Result<SectorKey> {
    let (spec, sector_size) = described(segment)?;
    let numbering = Numbering { sector_size, iv_tweak: segment.iv_tweak, large_sectors: false };
    let cipher = SectorCipher::find_numbered(&spec, key.bytes().len(), numbering, ciphers)?;
    match access {
        Access::Read => cipher.with_key_to_read(key.bytes()),
        Access::Write if has_equal_halves(&spec, key.bytes()) => Err(Error::EqualHalves(path.to_owned())),
        Access::Write => cipher.with_key(key.bytes()),
    }
}

fn described(segment: &json::Segment) -> Result<(CipherSpec, usize)> {
    if let Some(flag) = segment.flags.first() {
        return Err(Error::Unsupported {
            what: format!("the segment flag '{flag}'"),
            remedy: "open the container with cryptsetup",
        });
    }
    let spec = segment.encryption.as_deref().unwrap_or_default().parse()?;
    let sector_size = segment.sector_size.unwrap_or(512) as usize;
    if !matches!(sector_size, 512 | 1024 | 2048 | 4096) {
        return Err(Error::Unsupported {
            what: format!("a sector size of {sector_size} bytes"),
            remedy: "those that are: 512, 1024, 2048 and 4096",
        });
    }
    Ok((spec, sector_size))
}

fn authenticated(
    segment: &json::Segment,
    integrity: Integrity,
    key: &VolumeKey,
    place: Place<'_>,
    file_size: u64,
    access: Access,
    ciphers: &dyn Ciphers,
) -> Result<Authenticated> {
    let (spec, sector_size) = described(segment)?;
    let sealer = Sealer::find(&spec, integrity, key.bytes().len(), ciphers)?;
    let own = key.bytes().get(..sealer.key_len()).unwrap_or_default();
    if access == Access::Write && has_equal_halves(&spec, own) {
        return Err(Error::EqualHalves(place.path.to_owned()));
    }
    let seal = match access {
        Access::Read => sealer.with_key_to_read(key.bytes(), sector_size, segment.iv_tweak)?,
        Access::Write => sealer.with_key(key.bytes(), sector_size, segment.iv_tweak)?,
    };
    Authenticated::open(place, file_size, segment.offset, sector_size, sealer.tag_len(), seal, access)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Outcome<T> = std::result::Result<T, fieldtest_kinds::Error>;

    /// Writes each sector's vector to its beginning.
    struct Show;

    impl Cipher for Show {
        fn key_len(&self) -> usize {
            1
        }

        fn prepare(&self, _: &[u8]) -> Outcome<Box<dyn CipherKey>> {
            Ok(Box::new(Show))
        }
    }

    impl CipherKey for Show {
        fn encrypt(&self, tweaks: Tweaks, sector: usize, data: &mut [u8]) -> Outcome<()> {
            for (number, sector) in (0..).zip(data.chunks_mut(sector)) {
                sector[..16].copy_from_slice(&tweaks.of(number));
            }
            Ok(())
        }

        fn decrypt(&self, tweaks: Tweaks, sector: usize, data: &mut [u8]) -> Outcome<()> {
            self.encrypt(tweaks, sector, data)
        }
    }

    fn vectors(spec: &str, sector: u64, numbering: Numbering) -> Vec<u128> {
        let ciphers = |_: &CipherSpec, _| Some(Arc::new(Show) as Arc<dyn Cipher>);
        let cipher = SectorCipher::find_numbered(&spec.parse().unwrap(), 1, numbering, &ciphers).unwrap();
        let mut data = vec![0; 3 * numbering.sector_size];
        cipher.with_key(&[0]).unwrap().encrypt(sector, &mut data).unwrap();
        let first = |sector: &[u8]| u128::from_le_bytes(sector[..16].try_into().unwrap());
        data.chunks(numbering.sector_size).map(first).collect()
    }

    #[test]
    fn numbers_count_units_of_512_bytes_unless_sectors_are_large() {
        let small = Numbering { sector_size: 512, iv_tweak: 0, large_sectors: false };
        let big = Numbering { sector_size: 4096, ..small };
        assert_eq!(vectors("a-xts-plain64", 5, small), [5, 6, 7]);
        assert_eq!(vectors("a-xts-plain64", 5, big), [40, 48, 56]);
        assert_eq!(vectors("a-xts-plain64", 5, Numbering { iv_tweak: 3, ..big }), [43, 51, 59]);
        let large = Numbering { large_sectors: true, iv_tweak: 16, ..big };
        assert_eq!(vectors("a-xts-plain64", 5, large), [7, 8, 9]);
    }

    #[test]
    fn numbers_wrap_where_their_vector_ends() {
        let small = Numbering { sector_size: 512, iv_tweak: 0, large_sectors: false };
        assert_eq!(vectors("a-xts-plain", (1 << 32) - 1, small), [0xffff_ffff, 0, 1]);
        assert_eq!(vectors("a-xts-plain64", (1 << 32) - 1, small), [0xffff_ffff, 1 << 32, (1 << 32) + 1]);
        assert_eq!(
            vectors("a-xts-plain64", u64::MAX - 1, small),
            [u128::from(u64::MAX) - 1, u64::MAX.into(), 0]
        );
        let big = Numbering { sector_size: 1024, ..small };
        assert_eq!(vectors("a-xts-plain", (1 << 31) - 1, big), [0xffff_fffe, 0, 2]);
    }

    #[test]
    fn big_endian_numbers_stand_at_the_end() {
        let small = Numbering { sector_size: 512, iv_tweak: 0, large_sectors: false };
        let expected: Vec<u128> =
            [0x0102_u128, 0x0103, 0x0104].iter().map(|number| number.swap_bytes()).collect();
        assert_eq!(vectors("a-xts-plain64be", 0x0102, small), expected);
    }

    #[test]
    fn halves_are_equal_where_there_are_two() {
        let halves = |spec: &str, key: &[u8]| has_equal_halves(&spec.parse().unwrap(), key);
        assert!(halves("aes-xts-plain64", &[7; 64]));
        assert!(!halves("aes-cbc-plain64", &[7; 64]));
        assert!(!halves("aes-xts-plain64", &[]) && !halves("aes-xts-plain64", &[7; 63]));
    }

    #[test]
    fn what_is_not_offered_is_said() {
        let ciphers = |_: &CipherSpec, _| Some(Arc::new(Show) as Arc<dyn Cipher>);
        for spec in [
            "a-hctr2-essiv:sha256",
            "a-cbc-essiv:tiger",
            "a-cbc-benbi",
            "a:64-cbc-plain64",
            "a-adiantum-plain64be",
        ] {
            let found = SectorCipher::find(&spec.parse().unwrap(), 1, 512, &ciphers);
            assert!(matches!(found, Err(Error::Unsupported { .. })), "{spec}");
        }
        let nothing = |_: &CipherSpec, _| None;
        let found = SectorCipher::find(&"a-xts-plain64".parse().unwrap(), 1, 512, &nothing);
        assert!(matches!(found, Err(Error::NoCipher { .. })));
    }
}
