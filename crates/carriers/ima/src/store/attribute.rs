//! Signatures in the xattrs of open files.

use std::os::fd::AsFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::{self, XattrFlags};
use rustix::io::Errno;

use crate::files::report::Refusal;
use crate::space::full::is_full;
pub use crate::xattr::name::{EVM, IMA, USER_IMA};

/// Bytes that the signatures fit into that kernels verify.
const USUAL: usize = 8_192;

/// The value of an xattr, in `buffer`; none where the file, or its file system, has none.
pub(crate) fn get<'a>(file: impl AsFd, name: &str, buffer: &'a mut [u8]) -> Result<Option<&'a [u8]>, Errno> {
    // Linux clears memory for as much as is asked for before it looks: asking for 64 KiB takes longer than the value.
    let usual = buffer.len().min(USUAL);
    let got = match fs::fgetxattr(&file, name, buffer.get_mut(..usual).unwrap_or_default()) {
        Err(Errno::RANGE) => fs::fgetxattr(&file, name, &mut *buffer),
        other => other,
    };
    match got {
        Ok(length) => Ok(buffer.get(..length)),
        Err(Errno::NODATA | Errno::OPNOTSUPP) => Ok(None),
        Err(error) => Err(error),
    }
}

/// As many as there are, so that of the threads of the largest machines few wait for one that has nothing to do with them.
const TURNS: usize = 1024;

/// For the files with a content of this digest that are given several xattrs: one after the other, for as long as this is
/// held. What ext4 then finds equal are the files, not the states in between.
pub(crate) fn turn(digest: &[u8]) -> MutexGuard<'static, ()> {
    static FILES: [Mutex<()>; TURNS] = [const { Mutex::new(()) }; TURNS];
    taken(&FILES, digest)
}

fn taken(turns: &'static [Mutex<()>; TURNS], of: &[u8]) -> MutexGuard<'static, ()> {
    let start = of.iter().take(32).fold(0_usize, |sum, byte| sum.rotate_left(5) ^ usize::from(*byte));
    turns[start % TURNS].lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sets an xattr, all of it or nothing: a file system does so in one transaction.
///
/// Equal values are set one after the other. ext4 stores them once if it finds the first when it writes the second, and
/// would not of two that are written at the same moment.
///
/// The names are listed afterwards for the sake of ext4 too. With `ea_inode` it tries to put a value into the file's block
/// before it gives it an inode of its own, and when that fails it has forgotten the block: `ext4_xattr_block_set` takes it
/// out of the cache of those that can be shared, and puts it back only after a change. Whoever lists the names puts it
/// back (`ext4_xattr_block_list`; Linux 6.18, measured).
pub(crate) fn set(file: impl AsFd, name: &str, value: &[u8]) -> Result<(), Refusal> {
    static VALUES: [Mutex<()>; TURNS] = [const { Mutex::new(()) }; TURNS];
    // The first bytes of a signature differ where any do, behind its header and that of DER.
    let turn = taken(&VALUES, value.get(9..).unwrap_or_default());
    let set = fs::fsetxattr(&file, name, value, XattrFlags::empty());
    // What they are is of no interest.
    let _ = fs::flistxattr(&file, &mut [0; 0][..]);
    drop(turn);
    set.map_err(|error| Refusal::of(error, || is_full(&file, name, value.len())))
}

/// Gives an xattr the value that it had; none if it was not there.
pub(crate) fn put_back(file: impl AsFd, name: &str, value: Option<&[u8]>) -> Result<(), Refusal> {
    match value {
        Some(value) => set(file, name, value),
        None => match fs::fremovexattr(&file, name) {
            Ok(()) | Err(Errno::NODATA) => Ok(()),
            Err(error) => Err(Refusal::of(error, || false)),
        },
    }
}
