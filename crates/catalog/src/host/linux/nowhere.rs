//! Where there is no Linux there are no such sockets: nothing of all this can be made.

use std::ffi::CStr;
use std::io;

use fieldtest_kinds::Error;

pub(super) enum Kind {
    Hash,
    Cipher,
    Aead,
}

pub(super) struct Task<'a> {
    pub(super) encrypt: bool,
    pub(super) iv: Option<&'a [u8]>,
    pub(super) associated: Option<u32>,
}

pub(super) fn release() -> Result<String, io::Error> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(super) enum Transformation {}

impl Transformation {
    pub(super) fn of(_: Kind, _: &CStr, _: Option<&[u8]>) -> Result<Self, Error> {
        Err(Error::Library("not Linux".to_owned()))
    }

    pub(super) fn operation(&self) -> Result<Operation, Error> {
        match *self {}
    }
}

pub(super) enum Operation {}

impl Operation {
    pub(super) fn send(&self, _: &[u8]) -> Result<(), Error> {
        match *self {}
    }

    pub(super) fn send_whole(&self, _: &Task<'_>, _: &[&[u8]]) -> Result<(), Error> {
        match *self {}
    }

    pub(super) fn receive<const PARTS: usize>(&self, _: [&mut [u8]; PARTS]) -> Result<(), Error> {
        match *self {}
    }
}
