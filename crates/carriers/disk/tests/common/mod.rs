//! Reference ciphers, small containers, and programs that may be missing.
#![allow(dead_code, missing_docs, unreachable_pub, clippy::print_stderr)]

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use aes::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, BlockSizeUser, KeyInit, consts::U16};
use fieldtest_disk::format::{NewContainer, Parameters};
use fieldtest_disk::reencrypt::{Plan, Resilience};
use fieldtest_disk::{Access, CipherSpec, Container, Cost, KeyslotParameters, Volume, VolumeKey};
use fieldtest_kinds::Error;
use fieldtest_kinds::cipher::{Cipher, CipherKey, Tweaks};
use sha2::{Digest as _, Sha256};
use xts_mode::Xts128;

pub const PASSPHRASE: &[u8] = b"correct horse";

/// AES-XTS by the crates `aes` and `xts-mode`, with a key of 32 or 64 bytes.
struct AesXts(usize);

struct Key<C: BlockCipherEncrypt + BlockCipherDecrypt + BlockSizeUser<BlockSize = U16>>(Xts128<C>);

impl Cipher for AesXts {
    fn key_len(&self) -> usize {
        self.0
    }

    fn prepare(&self, key: &[u8]) -> Result<Box<dyn CipherKey>, Error> {
        if key.len() != self.0 {
            return Err(Error::MalformedKey(format!("{} bytes instead of {}", key.len(), self.0)));
        }
        let (data, tweak) = key.split_at(key.len() / 2);
        Ok(match key.len() {
            32 => Box::new(Key(Xts128::new(
                aes::Aes128::new_from_slice(data).unwrap(),
                aes::Aes128::new_from_slice(tweak).unwrap(),
            ))),
            _ => Box::new(Key(Xts128::new(
                aes::Aes256::new_from_slice(data).unwrap(),
                aes::Aes256::new_from_slice(tweak).unwrap(),
            ))),
        })
    }
}

impl<C: BlockCipherEncrypt + BlockCipherDecrypt + BlockSizeUser<BlockSize = U16> + Send + Sync> CipherKey
    for Key<C>
{
    fn encrypt(&self, tweaks: Tweaks, sector_size: usize, data: &mut [u8]) -> Result<(), Error> {
        for (number, sector) in (0..).zip(data.chunks_exact_mut(sector_size)) {
            self.0.encrypt_sector(sector, tweaks.of(number).into());
        }
        Ok(())
    }

    fn decrypt(&self, tweaks: Tweaks, sector_size: usize, data: &mut [u8]) -> Result<(), Error> {
        for (number, sector) in (0..).zip(data.chunks_exact_mut(sector_size)) {
            self.0.decrypt_sector(sector, tweaks.of(number).into());
        }
        Ok(())
    }
}

/// AES-256 block by block, or chained where `chained` is set.
struct AesBlocks {
    chained: bool,
}

struct Blocks {
    aes: aes::Aes256,
    chained: bool,
}

impl Cipher for AesBlocks {
    fn key_len(&self) -> usize {
        32
    }

    fn prepare(&self, key: &[u8]) -> Result<Box<dyn CipherKey>, Error> {
        Ok(Box::new(Blocks { aes: aes::Aes256::new_from_slice(key).unwrap(), chained: self.chained }))
    }
}

impl CipherKey for Blocks {
    fn encrypt(&self, tweaks: Tweaks, sector_size: usize, data: &mut [u8]) -> Result<(), Error> {
        for (number, sector) in (0..).zip(data.chunks_exact_mut(sector_size)) {
            let mut before: [u8; 16] = tweaks.of(number);
            for block in sector.chunks_exact_mut(16) {
                if self.chained {
                    block.iter_mut().zip(before).for_each(|(byte, before)| *byte ^= before);
                }
                self.aes.encrypt_block(block.try_into().unwrap());
                before = (&*block).try_into().unwrap();
            }
        }
        Ok(())
    }

    fn decrypt(&self, tweaks: Tweaks, sector_size: usize, data: &mut [u8]) -> Result<(), Error> {
        for (number, sector) in (0..).zip(data.chunks_exact_mut(sector_size)) {
            let mut before: [u8; 16] = tweaks.of(number);
            for block in sector.chunks_exact_mut(16) {
                let own: [u8; 16] = (&*block).try_into().unwrap();
                self.aes.decrypt_block(block.try_into().unwrap());
                if self.chained {
                    block.iter_mut().zip(before).for_each(|(byte, before)| *byte ^= before);
                }
                before = own;
            }
        }
        Ok(())
    }
}

/// Knows AES-256 in CBC and ECB and AES-XTS, and takes that for LEA-XTS too: of a container it matters here only what its header says.
pub fn ciphers(spec: &CipherSpec, key_len: usize) -> Option<Arc<dyn Cipher>> {
    if spec.cipher() == "aes" && matches!(spec.mode(), "cbc" | "ecb") {
        return (key_len == 32).then(|| Arc::new(AesBlocks { chained: spec.mode() == "cbc" }) as _);
    }
    let known = matches!(spec.cipher(), "aes" | "lea") && spec.mode() == "xts" && matches!(key_len, 32 | 64);
    known.then(|| Arc::new(AesXts(key_len)) as Arc<dyn Cipher>)
}

/// A key derivation that takes no time.
pub fn cheap(pbkdf2: bool) -> KeyslotParameters {
    let cost = if pbkdf2 {
        Cost::Pbkdf2 { hash: fieldtest_disk::Hash::Sha256, iterations: 1000 }
    } else {
        Cost::Argon2 { id: true, time: 4, memory: 64, lanes: 2 }
    };
    KeyslotParameters::new(cost)
}

/// Cheap parameters for a specification.
pub fn parameters(spec: &str, key_len: usize, sector_size: u32) -> Parameters {
    let mut parameters = Parameters::new(spec.parse().unwrap(), key_len);
    parameters.sector_size = sector_size;
    parameters.keyslot = cheap(false);
    parameters.digest_iterations = Some(1000);
    parameters
}

/// Those that most tests have.
pub fn usual() -> Parameters {
    parameters("aes-xts-plain64", 64, 4096)
}

/// A container with a size of data under [`PASSPHRASE`].
pub fn create(path: &Path, data: u64, parameters: &Parameters) -> VolumeKey {
    let key = VolumeKey::generate(parameters.key_len).unwrap();
    let new = NewContainer::create(path, data, PASSPHRASE, key, parameters, &ciphers).unwrap();
    new.keep(false).unwrap()
}

/// A container with these data.
pub fn filled(path: &Path, data: &[u8], parameters: &Parameters) -> VolumeKey {
    let key = create(path, data.len() as u64, parameters);
    let container = Container::open(path, Access::Write).unwrap();
    container.into_volume(&key, &ciphers).unwrap().write_at(data, 0).unwrap();
    key
}

/// The content of a container, by its passphrase.
pub fn volume_of(path: &Path, access: Access) -> Volume {
    let container = Container::open(path, access).unwrap();
    let key = container.unlock(PASSPHRASE, None, &ciphers).unwrap().key;
    container.into_volume(&key, &ciphers).unwrap()
}

/// The first bytes of a content.
pub fn beginning(volume: &Volume, length: usize) -> Vec<u8> {
    let mut data = vec![0; length];
    volume.read_at(&mut data, 0).unwrap();
    data
}

/// A re-encryption in sectors as they are, with costs that take no time.
pub fn plan(resilience: Resilience) -> Plan {
    Plan {
        encryption: "aes-xts-plain64".parse().unwrap(),
        sector_size: None,
        resilience,
        keyslot: cheap(true),
        digest_iterations: Some(1000),
    }
}

/// The document in the header of a container.
pub fn metadata(path: &Path) -> serde_json::Value {
    let container = Container::open(path, Access::Read).unwrap();
    serde_json::from_slice(&container.header().metadata.to_json()).unwrap()
}

/// Puts other metadata into both copies of a header of 16 KiB, with the right checksums.
pub fn replace_metadata(path: &Path, json: &str) {
    let mut file = std::fs::read(path).unwrap();
    for copy in file[..32_768].chunks_mut(16_384) {
        copy[4096..].fill(0);
        copy[4096..4096 + json.len()].copy_from_slice(json.as_bytes());
        copy[448..512].fill(0);
        let checksum = Sha256::digest(&copy);
        copy[448..480].copy_from_slice(&checksum);
    }
    std::fs::write(path, file).unwrap();
}

/// The header of a GPT in this sector of 512 bytes (UEFI Specification 2.10, section 5.3.2), with its checksum by zlib.
pub fn gpt(sector: u64) -> Vec<u8> {
    let checksum: u32 = match sector {
        1 => 0x537f_ce5a,
        36_863 => 0xb4fb_ac72,
        other => panic!("{other}"),
    };
    let mut header = b"EFI PART\0\0\x01\0\x5c\0\0\0".to_vec();
    header.extend(checksum.to_le_bytes());
    header.extend([0; 4]);
    header.extend(sector.to_le_bytes());
    header.resize(92, 0);
    header
}

/// Bytes that do not repeat.
pub fn pattern(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    let mut bytes: Vec<u8> = (0..length.div_ceil(8)).flat_map(|_| next()).collect();
    bytes.truncate(length);
    bytes
}

/// A directory in memory where the system has one: cryptsetup waits for the disk after each piece that it reencrypts.
pub fn quick_folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

/// The same with the passphrase in the file `key`.
pub fn folder_with_key() -> tempfile::TempDir {
    let folder = quick_folder();
    std::fs::write(folder.path().join("key"), PASSPHRASE).unwrap();
    folder
}

/// cryptsetup's words for a key derivation that takes no time.
pub const FAST: &str = "--batch-mode --pbkdf pbkdf2 --pbkdf-force-iterations 1000";

/// Runs cryptsetup with arguments that have no spaces.
#[track_caller]
pub fn cryptsetup(directory: &Path, arguments: &str) -> String {
    run(directory, "cryptsetup", &arguments.split(' ').collect::<Vec<_>>())
}

/// Whether cryptsetup shows this volume key of the file `container`.
#[track_caller]
pub fn shows_key(directory: &Path, key: &VolumeKey) {
    let dump = cryptsetup(directory, "luksDump --dump-volume-key --batch-mode --key-file key container");
    let (_, shown) = dump.split_once("MK dump:").unwrap();
    let shown: String = shown.chars().filter(char::is_ascii_hexdigit).collect();
    assert_eq!(shown, data_encoding::HEXLOWER.encode(key.bytes()));
}

/// The beginning of what cryptsetup makes of the file `container` when it takes the encryption away, which of AES it does in
/// user space.
#[track_caller]
pub fn decrypted(directory: &Path, length: usize) -> Vec<u8> {
    let decrypt = "reencrypt --decrypt --force-offline-reencrypt --batch-mode";
    cryptsetup(directory, &format!("{decrypt} --header header --key-file key container"));
    let mut plaintext = std::fs::read(directory.join("container")).unwrap();
    plaintext.truncate(length);
    plaintext
}

/// Whether a program is there. One that is missing is named; with `FIELDTEST_PEERS=required` in the environment its
/// absence is a failure.
pub fn installed(tool: &str) -> bool {
    let found =
        Command::new(tool).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !found {
        missing(&format!("{tool} is not installed"));
    }
    found
}

/// Whether this process may do what only root may.
pub fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n")
}

/// Says that a test is skipped for want of something.
pub fn missing(what: &str) {
    assert!(
        std::env::var_os("FIELDTEST_PEERS").is_none_or(|wanted| wanted != "required"),
        "{what}, and FIELDTEST_PEERS=required demands it"
    );
    eprintln!("SKIPPED: {what}");
}

/// Runs a program that must succeed and gives its output.
#[track_caller]
pub fn run(directory: &Path, tool: &str, arguments: &[&str]) -> String {
    let Output { status, stdout, stderr } =
        Command::new(tool).args(arguments).current_dir(directory).output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{tool} {arguments:?}: {status}\n{stdout}{stderr}");
    stdout.into_owned()
}

/// Ends a server even if a test panics, which would wait for it else.
pub struct Raise<'a>(pub &'a AtomicBool);

impl Drop for Raise<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
