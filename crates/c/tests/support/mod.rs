//! What the tests of the C functions share: calling them from Rust.
// Not every test uses all of it.
#![allow(dead_code)]

pub(crate) mod calls;

use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr;

use fieldtest_c::*;

pub(crate) fn text(text: *const c_char) -> String {
    assert!(!text.is_null());
    // SAFETY: the library's texts end with a NUL and stay for as long as it takes to copy them.
    unsafe { CStr::from_ptr(text) }.to_str().expect("UTF-8").to_owned()
}

/// What the library says of the last failure.
pub(crate) fn detail() -> String {
    text(ft_error_detail())
}

/// That a call went well, or what the library says.
#[track_caller]
pub(crate) fn well(code: c_int) {
    assert_eq!(code, FT_OK, "{}: {}", text(ft_error_text(code)), detail());
}

/// The handle that a function gives out by its last argument.
#[track_caller]
pub(crate) fn given<T>(function: impl FnOnce(*mut *mut T) -> c_int) -> *mut T {
    let mut handle = ptr::null_mut();
    well(function(&mut handle));
    assert!(!handle.is_null());
    handle
}

/// As [`given`], for the library's own handles.
#[track_caller]
pub(crate) fn found<T>(function: impl FnOnce(*mut *const T) -> c_int) -> *const T {
    let mut handle = ptr::null();
    well(function(&mut handle));
    assert!(!handle.is_null());
    handle
}

/// The output of a function, for which there is that much room.
#[track_caller]
pub(crate) fn output(room: usize, function: impl FnOnce(*mut u8, usize, *mut usize) -> c_int) -> Vec<u8> {
    let (mut bytes, mut length) = (vec![0xee; room], usize::MAX);
    well(function(bytes.as_mut_ptr(), room, &mut length));
    assert!(bytes[length..].iter().all(|byte| *byte == 0xee), "written behind the end");
    bytes.truncate(length);
    bytes
}

#[track_caller]
pub(crate) fn serving(name: &str) -> (*const Algorithm, *const Implementation) {
    let name = CString::new(name).expect("a name");
    // SAFETY: texts and places of the test's own, here and below.
    let algorithm = found(|place| unsafe { ft_algorithm_find(name.as_ptr(), place) });
    // SAFETY: as above.
    let code = found(|place| unsafe { ft_implementation_find(algorithm, ptr::null(), place) });
    (algorithm, code)
}

#[track_caller]
pub(crate) fn size(algorithm: *const Algorithm, name: &CStr) -> usize {
    let mut size = 0;
    // SAFETY: a handle, a text and a place of the test's own.
    well(unsafe { ft_algorithm_size(algorithm, name.as_ptr(), &mut size) });
    size
}

/// A key pair, the secret key first.
#[track_caller]
pub(crate) fn pair(code: *const Implementation) -> (Vec<u8>, Vec<u8>) {
    let mut secret = Vec::new();
    let public = output(8192, |public, public_room, public_length| {
        let mut result = FT_OK;
        secret = output(8192, |secret, room, length| {
            // SAFETY: a handle and room of the test's own.
            result = unsafe { ft_generate(code, secret, room, length, public, public_room, public_length) };
            result
        });
        result
    });
    (secret, public)
}

pub(crate) fn list(messages: &[Vec<u8>]) -> Vec<Bytes> {
    messages.iter().map(|message| Bytes { data: message.as_ptr(), length: message.len() }).collect()
}
