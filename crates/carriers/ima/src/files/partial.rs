//! Names of files that are not whole yet.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

/// What stands in the names of files that are not whole, before the process and a number.
pub(crate) const PARTIAL: &[u8] = b".partial-";

/// Whether this could be the name of a file that another process has not finished, and that is gone when it has.
pub(crate) fn is_partial(name: &OsStr) -> bool {
    whole(name).is_some()
}

/// The name that such a file is to have, or its beginning.
pub(crate) fn whole(name: &OsStr) -> Option<&OsStr> {
    let name = name.as_bytes();
    let end = name.windows(PARTIAL.len()).rposition(|part| part == PARTIAL)?;
    let numbers = name.get(end + PARTIAL.len()..).filter(|it| !it.is_empty())?;
    let is_of_numbers = numbers.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-');
    name.get(..end).filter(|_| is_of_numbers).map(OsStr::from_bytes)
}
