use std::io;
use std::path::{Path, PathBuf};

use crate::spec::{CipherSpec, SpecError};

/// Why something could not be done with a container.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A system call on a file.
    #[error("{path}: {action} failed: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// The medium, or the way to it, did not do what it was told.
    #[error(
        "{path}: {action}{} failed: {source}; the disk or the way to it is faulty, and the kernel's log says more (dmesg): \
         save what can be read to a sound disk with ddrescue, and go on with that copy",
        at_byte(*offset)
    )]
    Medium {
        /// The file or device.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// Where in the file or device, if it was at one place.
        offset: Option<u64>,
        /// Why it failed.
        source: io::Error,
    },
    /// The operating system gave no random bytes.
    #[error("the operating system gives no random bytes ({0}); keys cannot be made here")]
    Randomness(getrandom::Error),
    /// No header of LUKS at any place where one can be.
    #[error(
        "{0} is no LUKS container: neither header is there; give the container itself; data that has its header in \
         another file is mapped with: cryptsetup open --header HEADER DATA NAME"
    )]
    NotLuks(PathBuf),
    /// The one header of a container of the older format is unusable.
    #[error(
        "{path}: the header of LUKS1 is damaged: {reason}; restore it with: cryptsetup luksHeaderRestore \
         --header-backup-file BACKUP FILE"
    )]
    Luks1Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A version that nobody has defined yet.
    #[error("{path} is a LUKS container of version {version}, and only versions 1 and 2 are known here")]
    Version {
        /// The file.
        path: PathBuf,
        /// As the header states it.
        version: u16,
    },
    /// Both headers are unusable.
    #[error(
        "{path}: both headers are damaged ({}); restore one with: cryptsetup luksHeaderRestore --header-backup-file \
         BACKUP FILE",
        damages(first, second)
    )]
    BothHeadersDamaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with the first.
        first: String,
        /// What is wrong with the second.
        second: String,
    },
    /// The JSON area, or a change of it, breaks a rule of the format.
    #[error("the header's metadata is not usable: {0}")]
    Metadata(String),
    /// A re-encryption that somebody began who has not both keys.
    #[error(
        "the header's metadata is not usable: what it says of its re-encryption is not what the owner of its keys began; \
         do not go on with it, and restore a backup of the header"
    )]
    ForeignReencryption,
    /// One of the two keys of a re-encryption does not open.
    #[error(
        "the passphrase or key file opens one of the two keys of the re-encryption and not the other one ({}); give that with \
         which it was begun, or restore a backup of the header",
        closed_slots(closed)
    )]
    OneKey {
        /// The key slots that it does not open.
        closed: Vec<u32>,
    },
    /// A re-encryption without protection that was killed.
    #[error(
        "cannot resume the re-encryption of {0}: it has no protection (resilience 'none') and was killed, so its header does not \
         say which sectors have the new key; restore a backup"
    )]
    Unprotected(PathBuf),
    /// Mandatory requirements that this program does not meet.
    #[error("{path} requires '{name}': {}", requirement(name, *is_resumed))]
    Requirement {
        /// The file of the header.
        path: PathBuf,
        /// The first of them.
        name: String,
        /// Whether it is a re-encryption that this crate goes on with.
        is_resumed: bool,
    },
    /// A specification of a cipher that cannot be read.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A specification that is refused for new containers.
    #[error("'{spec}' is refused for a new container: {reason}; {remedy}")]
    RefusedSpec {
        /// As it was given.
        spec: String,
        /// Why.
        reason: String,
        /// What to use instead.
        remedy: String,
    },
    /// Nobody offers the cipher.
    #[error(
        "no implementation of '{spec}' with a key of {} bits is at hand; choose another one, or add an adapter",
        key_len * 8
    )]
    NoCipher {
        /// The specification.
        spec: CipherSpec,
        /// Bytes of the key that is to be used with it.
        key_len: usize,
    },
    /// The cipher failed.
    #[error("the cipher of {what} failed: {source}")]
    Cipher {
        /// What was being processed.
        what: &'static str,
        /// Why.
        source: fieldtest_kinds::Error,
    },
    /// A part of the format that is not offered here.
    #[error("{what} is not offered here; {remedy}")]
    Unsupported {
        /// The part.
        what: String,
        /// What helps.
        remedy: &'static str,
    },
    /// A key derivation with costs outside what the format or this machine allows.
    #[error("the key derivation cannot be done: {0}")]
    KeyDerivation(String),
    /// No key slot opens with this passphrase.
    #[error(
        "no key slot opens with this passphrase or key file ({tried} tried); check the keyboard layout, and that a \
         key file has no newline too many"
    )]
    WrongPassphrase {
        /// Key slots that were tried.
        tried: usize,
    },
    /// There is no key slot to try: of these, each is left out unless it is named.
    #[error("{}", no_slot_tried(.0))]
    NoSlotTried(Vec<u32>),
    /// A key slot that is not there.
    #[error("there is no key slot {0} that holds a key; the dump of the header lists those there are")]
    NoSuchSlot(u32),
    /// Removing the last one would lose the data.
    #[error("key slot {0} is the last one, and without it the data is lost; add another key first")]
    LastSlot(u32),
    /// Writing over it where it lies might lose the data.
    #[error(
        "key slot {0} is the only one that opens the data, and there is no room to make another one beside it: a power failure \
         while it is written over would lose the data; make a backup of the header (cryptsetup luksHeaderBackup), then change \
         it with: cryptsetup luksChangeKey"
    )]
    NoRoomBeside(u32),
    /// A volume key of another container.
    #[error(
        "the volume key does not belong to this container: no digest of the header matches it; give one that was saved of \
         it, or a passphrase or key file"
    )]
    WrongVolumeKey,
    /// A volume key of another length than that of this container.
    #[error(
        "the volume key has {} bits, and that of this container has {}; give all of the key that was saved of it, and nothing \
         else",
        found * 8,
        in_bits(expected)
    )]
    KeyLength {
        /// Bytes that were given.
        found: usize,
        /// Bytes that it can have, in rising order.
        expected: Vec<usize>,
    },
    /// A volume key under which nothing is encrypted any more.
    #[error(
        "{0} has a key whose two halves are equal, which FIPS 140-3 forbids for XTS (implementation guidance C.I): it is \
         read and not written; give it another key by a re-encryption, or copy its content into a new container"
    )]
    EqualHalves(PathBuf),
    /// A key file with fewer bytes than were asked for.
    #[error("{path} has {found} bytes, and {}; give the whole key file", key_place(*wanted, *offset))]
    KeyFileTooShort {
        /// The key file.
        path: PathBuf,
        /// Where the key begins.
        offset: u64,
        /// Bytes that were asked for; all that there are, but behind an offset at least one, if no number was given.
        wanted: Option<u64>,
        /// Bytes of the file.
        found: u64,
    },
    /// A key file of more than 8 MiB.
    #[error(
        "{0} is longer than 8 MiB, which cryptsetup would not take as a key file; keep the key in a file of its own"
    )]
    KeyFileTooLong(PathBuf),
    /// Somebody else has the container open.
    #[error("{0} is in use by another process; close it there (or wait) and try again")]
    InUse(PathBuf),
    /// A device that has the same bytes, such as a loop device, is mounted, mapped, or not to be opened.
    #[error(
        "{path} is in use through {device}, which has the same bytes; unmount or close what is on it, and detach a loop \
         device with: losetup -d {device}"
    )]
    Attached {
        /// The file or device that would be written to.
        path: PathBuf,
        /// The other one.
        device: PathBuf,
    },
    /// A header whose data lies in another file. Where the data would begin, the header itself is.
    #[error(
        "{0} is a detached header, and its data is in another file: what is written to it would destroy the header; \
         map the data with: cryptsetup open --header HEADER DATA NAME"
    )]
    DetachedHeader(PathBuf),
    /// Two names for the same storage where one is read and the other written.
    #[error("{one} and {other} lie on the same storage, and the one would be destroyed; choose another name")]
    SameStorage {
        /// What is read.
        one: PathBuf,
        /// What would be written.
        other: PathBuf,
    },
    /// Data of which nothing fits to its re-encryption.
    #[error(
        "{0} is not the data whose re-encryption the header is about: of the zone in which it was ended nothing is as it was or \
         as it was to be; nothing was written; name the data that it was begun with, or bring a backup of it back"
    )]
    OtherData(PathBuf),
    /// A file with a header of its own, where data was expected that has it elsewhere.
    #[error(
        "{0} is a LUKS container with a header of its own, and not the data of another header; name that data"
    )]
    OwnHeader(PathBuf),
    /// One header is not whole, and the storage bears marks of other formats.
    #[error(
        "{path} has one whole header of LUKS and the labels of other formats too ({}): if it is theirs now, whatever \
         is done with the container destroys them; look with wipefs, and remove what is not in use",
        labels.join(", ")
    )]
    Labels {
        /// The file.
        path: PathBuf,
        /// The formats, as `blkid` calls them.
        labels: Vec<&'static str>,
    },
    /// A pipe, a socket, a character device or a directory.
    #[error(
        "{0} is neither a file nor a block device, which containers and images are; copy it to a file first"
    )]
    NoStorage(PathBuf),
    /// The file ends before the data does.
    #[error("{path} is truncated{}", ends(*found, *needed, *header_only))]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Bytes that it has.
        found: u64,
        /// Bytes that it needs.
        needed: u64,
        /// Whether it ends where the data should begin.
        header_only: bool,
    },
    /// What dm-integrity keeps beside the data cannot be read.
    #[error("{path}: {reason}; look at it with cryptsetup, or bring a backup back")]
    Integrity {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A sector that is not what was written: its tag says so.
    #[error(
        "{path}: sector {sector} of the content, {length} bytes from byte {offset} on, was changed or never written: its \
         tag does not fit; write it anew, or bring a backup back"
    )]
    Altered {
        /// The file.
        path: PathBuf,
        /// Its number.
        sector: u64,
        /// Where it begins in the content.
        offset: u64,
        /// Its bytes.
        length: usize,
    },
    /// A new container would replace something.
    #[error("{0} exists already; choose another name")]
    Exists(PathBuf),
    /// Parameters of a new container that contradict each other or the format.
    #[error("a container cannot be made so: {0}")]
    Parameters(String),
    /// What a container that is there has no room for, or cannot have as it is.
    #[error("{0}")]
    Unfit(String),
    /// An image that is longer than what it is to be brought into.
    #[error("{image} has {bytes} bytes, and the content of {container} {size}; make a larger container")]
    TooLarge {
        /// The image.
        image: PathBuf,
        /// The file of the content.
        container: PathBuf,
        /// Bytes of the image.
        bytes: u64,
        /// Bytes of the content.
        size: u64,
    },
    /// Bytes that the volume does not have.
    #[error("{length} bytes at offset {offset} are outside the volume, which has {size} bytes")]
    OutOfRange {
        /// Where they begin.
        offset: u64,
        /// How many.
        length: u64,
        /// Bytes of the volume.
        size: u64,
    },
    /// A write to a container that was opened for reading.
    #[error("the container is open for reading only; open it for writing")]
    ReadOnly,
    /// An image that came into a volume in part only. Both numbers count from the beginning of the volume.
    #[error(
        "{source}; the volume has the first {whole} bytes of the image, up to byte {reached} some of it and some of what it \
         had, and behind that what it had"
    )]
    Incomplete {
        /// Why.
        source: Box<Error>,
        /// Bytes that are all there.
        whole: u64,
        /// Behind the last byte that was perhaps written.
        reached: u64,
    },
    /// The caller ended the run.
    #[error("interrupted after {done} of {total} bytes")]
    Interrupted {
        /// Bytes that were done.
        done: u64,
        /// Bytes in all.
        total: u64,
    },
}

/// Where a file ends that should go on.
fn ends(found: u64, needed: u64, header_only: bool) -> String {
    match header_only {
        true => format!(
            ", or a backup of a header (luksHeaderBackup): it has {found} bytes and ends where its data should begin; \
             copy the whole container again, or restore a backup with: cryptsetup luksHeaderRestore \
             --header-backup-file BACKUP FILE"
        ),
        false => {
            format!(": it has {found} bytes, and its header needs {needed}; copy the whole container again")
        }
    }
}

impl Error {
    /// Attaches the file and the action to an error of the system.
    pub(crate) fn io<'a>(path: &'a Path, action: &'static str) -> impl FnOnce(io::Error) -> Error + use<'a> {
        move |source| Self::of_system(path, action, None, source)
    }

    /// The same of what was read or written from this byte of the file on.
    pub(crate) fn io_at<'a>(
        path: &'a Path,
        action: &'static str,
        offset: u64,
    ) -> impl FnOnce(io::Error) -> Error + use<'a> {
        move |source| Self::of_system(path, action, Some(offset), source)
    }

    fn of_system(path: &Path, action: &'static str, offset: Option<u64>, source: io::Error) -> Error {
        let path = path.to_owned();
        match is_of_medium(&source) {
            true => Error::Medium { path, action, offset, source },
            false => Error::Io { path, action, source },
        }
    }

    /// That a volume key of so many bytes is not as long as one of these.
    pub(crate) fn key_length(found: usize, mut expected: Vec<usize>) -> Error {
        expected.sort_unstable();
        expected.dedup();
        Error::KeyLength { found, expected }
    }

    pub(crate) fn cipher(what: &'static str) -> impl Fn(fieldtest_kinds::Error) -> Error {
        move |source| Error::Cipher { what, source }
    }
}

/// What is wrong with both headers. Somebody who writes them writes them alike.
fn damages(first: &str, second: &str) -> String {
    match first == second {
        true => format!("each: {first}"),
        false => format!("the first: {first}; the second: {second}"),
    }
}

fn closed_slots(slots: &[u32]) -> String {
    let slots: Vec<String> = slots.iter().map(u32::to_string).collect();
    match slots.is_empty() {
        true => "it has no key slot".to_owned(),
        false => format!("key slot {}", slots.join(", ")),
    }
}

fn no_slot_tried(slots: &[u32]) -> String {
    match slots.is_empty() {
        true => "there is no key slot; give the volume key in place of a passphrase".to_owned(),
        false => format!(
            "no key slot is tried unless it is named, since each has the priority 'ignore' or opens no data; name one with \
             --key-slot ({})",
            closed_slots(slots)
        ),
    }
}

/// What a requirement is, and what helps (cryptsetup 2.8, `luks2_json_metadata.c`, and its release notes of 2.7 and 2.8).
fn requirement(name: &str, is_resumed: bool) -> &'static str {
    match name {
        _ if is_resumed => "a re-encryption is under way; resume and finish it",
        "opal" => "the disk itself encrypts (OPAL); open it with cryptsetup 2.7 or later where that disk is",
        "inline-hw-tags" => {
            "its tags are stored in the sectors of a special disk; open it with cryptsetup 2.8 or later where that disk is"
        }
        name if name.starts_with("online-reencrypt") => {
            "it is being encrypted, decrypted or re-encrypted in a way that is not supported here; finish it with: cryptsetup \
             reencrypt --resume-only"
        }
        _ => "this requirement is unknown here; open it with a cryptsetup that knows it",
    }
}

fn at_byte(offset: Option<u64>) -> String {
    offset.map_or_else(String::new, |offset| format!(" at byte {offset}"))
}

/// Whether it is what block devices and file systems say of a medium that fails (Linux, `blk_errors` in
/// `block/blk-core.c`; a checksum of a file system that does not fit is `EBADMSG` or `EUCLEAN`).
fn is_of_medium(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let all = [
        Errno::IO,
        Errno::NODATA,
        Errno::REMOTEIO,
        Errno::NOLINK,
        Errno::ILSEQ,
        Errno::TIMEDOUT,
        Errno::BADMSG,
        Errno::UCLEAN,
    ];
    Errno::from_io_error(error).is_some_and(|error| all.contains(&error))
}

fn in_bits(bytes: &[usize]) -> String {
    let bits: Vec<String> = bytes.iter().map(|bytes| (bytes * 8).to_string()).collect();
    bits.join(" or ")
}

/// A result with this crate's error.
pub type Result<T> = std::result::Result<T, Error>;

/// Where a key was looked for.
fn key_place(wanted: Option<u64>, offset: u64) -> String {
    match wanted {
        Some(wanted) => format!("the key is {wanted} bytes at offset {offset}"),
        None => format!("the key begins at offset {offset}"),
    }
}
