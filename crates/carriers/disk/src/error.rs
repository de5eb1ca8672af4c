use std::io;
use std::path::{Path, PathBuf};

use crate::spec::{CipherSpec, SpecError};

/// Why something could not be done with a container. Remedies name no command or option of the program,
/// since other programs use this library: the workbench adds those.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum Error {
    /// A system call on a file.
    #[error("cannot {action} {path}: {source}")]
    Io { path: PathBuf, action: &'static str, source: io::Error },
    /// The medium, or the way to it, did not do what it was told.
    #[error(
        "cannot {action} {path}{}: {source}; the disk or its connection is faulty (details: dmesg): rescue the data to a \
         sound disk with ddrescue, then continue with that copy",
        at_byte(*offset)
    )]
    Medium { path: PathBuf, action: &'static str, offset: Option<u64>, source: io::Error },
    #[error(
        "cannot generate keys: the operating system provides no random bytes ({0}); allow getrandom(2) or /dev/urandom"
    )]
    Randomness(getrandom::Error),
    /// No header of LUKS at any place where one can be.
    #[error(
        "{0} is not a LUKS container: both headers are missing; give the container itself; if the data's header is \
         in another file: cryptsetup open --header HEADER DATA NAME"
    )]
    NotLuks(PathBuf),
    /// The one header of a container of the older format is unusable.
    #[error(
        "{path}: the LUKS1 header is damaged: {reason}; restore it with: cryptsetup luksHeaderRestore \
         --header-backup-file BACKUP FILE"
    )]
    Luks1Damaged { path: PathBuf, reason: String },
    /// A version that nobody has defined yet.
    #[error(
        "cannot open {path}: LUKS version {version} is not supported; give a container of version 1 or 2"
    )]
    Version { path: PathBuf, version: u16 },
    #[error(
        "{path}: both headers are damaged ({}); restore one with: cryptsetup luksHeaderRestore --header-backup-file \
         BACKUP FILE",
        damages(first, second)
    )]
    BothHeadersDamaged { path: PathBuf, first: String, second: String },
    /// The JSON area, or a change of it, breaks a rule of the format.
    #[error("invalid header metadata: {0}; restore a backup of the header (cryptsetup luksHeaderRestore)")]
    Metadata(String),
    /// A re-encryption that somebody began who has not both keys.
    #[error(
        "invalid header metadata: its re-encryption was not started by the owner of the keys; do not resume it, and restore \
         a backup of the header"
    )]
    ForeignReencryption,
    #[error(
        "the passphrase or key file opens only one of the two keys of the re-encryption (not: {}); give the one with which it \
         was started, or restore a backup of the header",
        closed_slots(closed)
    )]
    OneKey { closed: Vec<u32> },
    #[error(
        "cannot resume the re-encryption of {0}: it ran without protection (resilience 'none') and was killed, so its header \
         does not record which sectors have the new key; restore a backup"
    )]
    Unprotected(PathBuf),
    /// Mandatory requirements that this program does not meet.
    #[error("{path} requires '{name}': {}", requirement(name, *is_resumed))]
    Requirement {
        path: PathBuf,
        name: String,
        /// Whether it is a re-encryption that this crate goes on with.
        is_resumed: bool,
    },
    /// A specification of a cipher that cannot be read.
    #[error(transparent)]
    Spec(#[from] SpecError),
    #[error("cannot create a container with '{spec}': {reason}; {remedy}")]
    RefusedSpec { spec: String, reason: String, remedy: String },
    /// Nobody offers the cipher.
    #[error(
        "no implementation of '{spec}' with a {}-bit key is available; choose another cipher, or add an adapter",
        key_len * 8
    )]
    NoCipher { spec: CipherSpec, key_len: usize },
    #[error("the cipher cannot process {what}: {source}; choose another implementation")]
    Cipher { what: &'static str, source: fieldtest_kinds::Error },
    /// A part of the format that is not offered here.
    #[error("{what} is not supported; {remedy}")]
    Unsupported { what: String, remedy: &'static str },
    /// A key derivation with costs outside what the format or this machine allows.
    #[error("cannot derive the key: {0}")]
    KeyDerivation(String),
    #[error(
        "no keyslot opens with this passphrase or key file ({tried} tried); check the keyboard layout, and that the \
         key file has no extra newline"
    )]
    WrongPassphrase { tried: usize },
    /// There is no key slot to try: of these, each is left out unless it is named.
    #[error("{}", no_slot_tried(.0))]
    NoSlotTried(Vec<u32>),
    #[error("no keyslot {0} holds a key; the dump of the header lists all keyslots")]
    NoSuchSlot(u32),
    /// Removing the last one would lose the data.
    #[error("keyslot {0} is the last one: without it the data is lost; add another key first")]
    LastSlot(u32),
    /// Writing over it where it lies might lose the data.
    #[error(
        "cannot change keyslot {0}: it is the only one that opens the data, and there is no space for a second one, so a power \
         failure while it is overwritten would lose the data; back up the header (cryptsetup luksHeaderBackup), then use: \
         cryptsetup luksChangeKey"
    )]
    NoRoomBeside(u32),
    #[error(
        "the volume key does not belong to this container: no digest of the header matches it; give a volume key saved from \
         this container, or a passphrase or key file"
    )]
    WrongVolumeKey,
    #[error(
        "the given volume key has {} bits, but this container's has {}; give exactly the bytes that were saved",
        found * 8,
        in_bits(expected)
    )]
    KeyLength { found: usize, expected: Vec<usize> },
    /// A volume key under which nothing is encrypted any more.
    #[error(
        "cannot write to {0}: the two halves of its key are equal, which FIPS 140-3 forbids for XTS (implementation \
         guidance C.I), so it can only be read; re-encrypt it with another key, or copy its data into a new container"
    )]
    EqualHalves(PathBuf),
    /// A key file with fewer bytes than were asked for.
    #[error("{path} has only {found} bytes, but {}; give the whole key file", key_place(*wanted, *offset))]
    KeyFileTooShort {
        path: PathBuf,
        offset: u64,
        /// Bytes that were asked for; all that there are, but behind an offset at least one, if no number was given.
        wanted: Option<u64>,
        found: u64,
    },
    /// A key file of more than 8 MiB.
    #[error(
        "{0} is longer than 8 MiB, the limit of cryptsetup for key files; store the key in a separate file"
    )]
    KeyFileTooLong(PathBuf),
    /// Somebody else has the container open.
    #[error("{0} is in use by another process; close it there (or wait), then retry")]
    InUse(PathBuf),
    /// A device that has the same bytes, such as a loop device, is mounted, mapped, or not to be opened.
    #[error(
        "{path} is in use through {device}, which has the same bytes; unmount or close that device, and detach a loop \
         device with: losetup -d {device}"
    )]
    Attached { path: PathBuf, device: PathBuf },
    /// A header whose data lies in another file. Where the data would begin, the header itself is.
    #[error(
        "{0} is a detached header: its data is in another file, and writing data here would destroy the header; map the \
         data with: cryptsetup open --header HEADER DATA NAME"
    )]
    DetachedHeader(PathBuf),
    /// Two names for the same storage where one is read and the other written.
    #[error("cannot write {other}: it shares storage with the input {one}; choose another output")]
    SameStorage { one: PathBuf, other: PathBuf },
    #[error(
        "{0} is not the data that this header re-encrypts: the zone where it stopped has neither its old nor its new content; \
         nothing was written; name the right data, or restore a backup of it"
    )]
    OtherData(PathBuf),
    /// A file with a header of its own, where data was expected that has it elsewhere.
    #[error("{0} is a LUKS container with its own header, not the data of a detached header; name that data")]
    OwnHeader(PathBuf),
    /// One header is not whole, and the storage bears marks of other formats.
    #[error(
        "{path} has one intact LUKS header, but labels of other formats too ({}): if they own the storage now, writing to \
         the container destroys them; check with wipefs, and remove the labels that are not in use",
        labels.join(", ")
    )]
    Labels {
        path: PathBuf,
        /// The formats, as `blkid` calls them.
        labels: Vec<&'static str>,
    },
    /// A pipe, a socket, a character device or a directory.
    #[error("{} is {}", .0.display(), no_storage(.0))]
    NoStorage(PathBuf),
    /// The file ends before the data does.
    #[error("{path} is truncated{}", ends(*found, *needed, *header_only))]
    Truncated {
        path: PathBuf,
        found: u64,
        needed: u64,
        /// Whether it ends where the data should begin.
        header_only: bool,
    },
    /// What dm-integrity keeps beside the data cannot be read.
    #[error("{path}: {reason}; inspect it with cryptsetup, or restore a backup")]
    Integrity { path: PathBuf, reason: String },
    #[error(
        "cannot read {path}: sector {sector} of the data ({length} bytes at byte {offset}) was changed or never written: its \
         tag does not match; write it again, or restore a backup"
    )]
    Altered { path: PathBuf, sector: u64, offset: u64, length: usize },
    /// A new container would replace something.
    #[error("{0} already exists; choose another name")]
    Exists(PathBuf),
    /// Parameters of a new container that contradict each other or the format.
    #[error("cannot create a container: {0}")]
    Parameters(String),
    /// What a container that is there has no room for, or cannot have as it is.
    #[error("{0}")]
    Unfit(String),
    /// An image that is longer than what it is to be brought into.
    #[error("{image} has {bytes} bytes, but {container} holds only {size}; make a larger container")]
    TooLarge { image: PathBuf, container: PathBuf, bytes: u64, size: u64 },
    #[error("{length} bytes at offset {offset} are outside the volume ({size} bytes)")]
    OutOfRange { offset: u64, length: u64, size: u64 },
    #[error("the container is open for reading only; open it for writing")]
    ReadOnly,
    /// An image that came into a volume in part only. Both numbers count from the beginning of the volume.
    #[error(
        "{source}; the volume contains the first {whole} bytes of the image, then up to byte {reached} a mix of image and old \
         data, and only old data after that"
    )]
    Incomplete { source: Box<Error>, whole: u64, reached: u64 },
    /// The caller ended the run.
    #[error("interrupted after {done} of {total} bytes; run the same command to start again")]
    Interrupted { done: u64, total: u64 },
}

fn no_storage(path: &std::path::Path) -> &'static str {
    let other = "neither a file nor a block device; give one of these";
    if path.is_dir() { "a directory; give a file or a block device" } else { other }
}

/// Where a file ends that should go on.
fn ends(found: u64, needed: u64, header_only: bool) -> String {
    match header_only {
        true => format!(
            ", or is a header backup (luksHeaderBackup): it has {found} bytes and ends where its data should begin; \
             copy the whole container again, or restore the backup with: cryptsetup luksHeaderRestore \
             --header-backup-file BACKUP FILE"
        ),
        false => {
            let missing = needed.saturating_sub(found);
            format!(
                ": it has {found} bytes, but its header needs {needed}, so {missing} are missing; \
                 copy the whole container again"
            )
        }
    }
}

impl Error {
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
        true => "there is no keyslot".to_owned(),
        false => format!("keyslot {}", slots.join(", ")),
    }
}

fn no_slot_tried(slots: &[u32]) -> String {
    match slots.is_empty() {
        true => "there is no keyslot; give the volume key instead of a passphrase".to_owned(),
        false => format!(
            "no keyslot is tried by default, since each has the priority 'ignore' or opens no data; name one with \
             --key-slot ({})",
            closed_slots(slots)
        ),
    }
}

/// What a requirement is, and what helps (cryptsetup 2.8, `luks2_json_metadata.c`, and its release notes of 2.7 and 2.8).
fn requirement(name: &str, is_resumed: bool) -> &'static str {
    match name {
        _ if is_resumed => "a re-encryption is under way; resume and finish it",
        "opal" => {
            "the disk itself encrypts (OPAL); open it with cryptsetup 2.7 or later on the machine that has the disk"
        }
        "inline-hw-tags" => {
            "its tags are stored in the sectors of a special disk; open it with cryptsetup 2.8 or later on the machine that has the disk"
        }
        name if name.starts_with("online-reencrypt") => {
            "it is being encrypted, decrypted or re-encrypted in an unsupported way; finish it with: cryptsetup reencrypt \
             --resume-only"
        }
        _ => "unknown requirement; open it with a version of cryptsetup that supports it",
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

fn key_place(wanted: Option<u64>, offset: u64) -> String {
    match wanted {
        Some(wanted) => format!("the key is {wanted} bytes at offset {offset}"),
        None => format!("the key begins at offset {offset}"),
    }
}
