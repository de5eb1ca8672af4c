//! AF_ALG sockets (Documentation/crypto/userspace-if.rst of the kernel), behind types that are safe to use.

// System calls are what this module exists for.
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::io;
use std::mem::{MaybeUninit, size_of, zeroed};
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::ptr::null_mut;

use fieldtest_kinds::Error;

/// What a transformation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A hash function, with a key or without.
    Hash,
    /// A cipher without authentication.
    Cipher,
}

/// Bytes of room for the operation and an initialisation vector of 16 bytes, as control messages.
const CONTROL: usize = 128;

fn failed(what: &str) -> Error {
    Error::Library(format!("the kernel refuses {what}: {}", io::Error::last_os_error()))
}

/// The kernel's release, if there are such sockets at all; sandboxes often have none.
pub(super) fn release() -> Result<String, io::Error> {
    socket()?;
    // SAFETY: the structure is plain bytes, for which zeros are a value.
    let mut names: libc::utsname = unsafe { zeroed() };
    // SAFETY: it is written to during the call alone.
    if unsafe { libc::uname(&raw mut names) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel ends each name with a NUL.
    Ok(unsafe { CStr::from_ptr(names.release.as_ptr()) }.to_string_lossy().into_owned())
}

fn socket() -> Result<OwnedFd, io::Error> {
    // SAFETY: takes numbers, and returns a descriptor or a negative number.
    let socket = unsafe { libc::socket(libc::AF_ALG, libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC, 0) };
    if socket < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor was opened just now, and is nobody else's.
    Ok(unsafe { OwnedFd::from_raw_fd(socket) })
}

/// A function of the kernel with its key.
pub(super) struct Transformation(OwnedFd);

impl Transformation {
    /// The function by the kernel's name for it, with its key if it has one.
    pub(super) fn of(kind: Kind, name: &CStr, key: Option<&[u8]>) -> Result<Self, Error> {
        let socket = socket().map_err(|error| Error::Library(error.to_string()))?;
        // SAFETY: the structure is plain bytes, for which zeros are a value.
        let mut address: libc::sockaddr_alg = unsafe { zeroed() };
        address.salg_family = libc::AF_ALG as u16;
        let word: &[u8] = if kind == Kind::Hash { b"hash" } else { b"skcipher" };
        address.salg_type[..word.len()].copy_from_slice(word);
        let name = name.to_bytes_with_nul();
        let room = address.salg_name.get_mut(..name.len());
        room.ok_or_else(|| Error::Library("a name too long for the kernel".to_owned()))?
            .copy_from_slice(name);
        let at: *const libc::sockaddr_alg = &raw const address;
        // SAFETY: the address lives during the call, and is as long as stated.
        let bound = unsafe {
            libc::bind(socket.as_raw_fd(), at.cast(), size_of::<libc::sockaddr_alg>() as libc::socklen_t)
        };
        if bound != 0 {
            return Err(failed("the function"));
        }
        if let Some(key) = key {
            // SAFETY: the key lives during the call, and is as long as stated.
            let set = unsafe {
                libc::setsockopt(
                    socket.as_raw_fd(),
                    libc::SOL_ALG,
                    libc::ALG_SET_KEY,
                    key.as_ptr().cast(),
                    key.len() as libc::socklen_t,
                )
            };
            if set != 0 {
                return Err(failed("the key"));
            }
        }
        Ok(Transformation(socket))
    }

    /// A socket for messages; any number of them may be used at once.
    pub(super) fn operation(&self) -> Result<Operation, Error> {
        // SAFETY: the address of the other side is not asked for.
        let socket = unsafe { libc::accept4(self.0.as_raw_fd(), null_mut(), null_mut(), libc::SOCK_CLOEXEC) };
        if socket < 0 {
            return Err(failed("an operation"));
        }
        // SAFETY: the descriptor was opened just now, and is nobody else's.
        Ok(Operation(unsafe { OwnedFd::from_raw_fd(socket) }))
    }
}

/// A socket for one message after the other.
pub(super) struct Operation(OwnedFd);

impl Operation {
    /// Appends to a message, which goes on.
    pub(super) fn send(&self, mut piece: &[u8]) -> Result<(), Error> {
        while !piece.is_empty() {
            // SAFETY: the piece is as long as stated.
            let sent =
                unsafe { libc::send(self.0.as_raw_fd(), piece.as_ptr().cast(), piece.len(), libc::MSG_MORE) };
            piece = usize::try_from(sent)
                .ok()
                .and_then(|sent| piece.get(sent..))
                .ok_or_else(|| failed("data"))?;
        }
        Ok(())
    }

    /// Sends one sector, with what is to be done to it.
    pub(super) fn send_sector(
        &self,
        encrypt: bool,
        iv: Option<&[u8; 16]>,
        sector: &[u8],
    ) -> Result<(), Error> {
        #[repr(C, align(8))]
        struct Control([MaybeUninit<u8>; CONTROL]);

        /// `struct af_alg_iv`.
        #[repr(C)]
        struct Iv {
            length: u32,
            bytes: [u8; 16],
        }

        let operation = if encrypt { libc::ALG_OP_ENCRYPT } else { libc::ALG_OP_DECRYPT } as u32;
        let mut control = Control([MaybeUninit::zeroed(); CONTROL]);
        let mut data = libc::iovec { iov_base: sector.as_ptr().cast_mut().cast(), iov_len: sector.len() };
        // SAFETY: the structure is plain numbers and pointers, for which zeros are a value.
        let mut message: libc::msghdr = unsafe { zeroed() };
        message.msg_iov = &raw mut data;
        message.msg_iovlen = 1;
        message.msg_control = control.0.as_mut_ptr().cast();
        // SAFETY: `CMSG_SPACE` reckons with numbers alone. The room is aligned as control messages are, is zeroed, and is
        // longer than both together, so that neither pointer is NULL; each is written within the length that it is given.
        // The kernel reads data that live during the call, and changes none.
        let sent = unsafe {
            let space = |bytes: usize| libc::CMSG_SPACE(bytes as u32) as usize;
            let with_iv = iv.map_or(0, |_| space(size_of::<Iv>()));
            message.msg_controllen = (space(size_of::<u32>()) + with_iv) as _;
            let first = libc::CMSG_FIRSTHDR(&raw const message);
            (*first).cmsg_level = libc::SOL_ALG;
            (*first).cmsg_type = libc::ALG_SET_OP;
            (*first).cmsg_len = libc::CMSG_LEN(size_of::<u32>() as u32) as _;
            libc::CMSG_DATA(first).cast::<u32>().write_unaligned(operation);
            if let Some(iv) = iv {
                let second = libc::CMSG_NXTHDR(&raw const message, first);
                (*second).cmsg_level = libc::SOL_ALG;
                (*second).cmsg_type = libc::ALG_SET_IV;
                (*second).cmsg_len = libc::CMSG_LEN(size_of::<Iv>() as u32) as _;
                libc::CMSG_DATA(second).cast::<Iv>().write_unaligned(Iv { length: 16, bytes: *iv });
            }
            libc::sendmsg(self.0.as_raw_fd(), &raw const message, 0)
        };
        whole(sent, sector.len(), "a sector")
    }

    /// The digest of the message, which ends it, or the sector.
    pub(super) fn receive(&self, output: &mut [u8]) -> Result<(), Error> {
        // SAFETY: the buffer is as long as stated.
        let received = unsafe { libc::recv(self.0.as_raw_fd(), output.as_mut_ptr().cast(), output.len(), 0) };
        whole(received, output.len(), "a result")
    }
}

fn whole(done: isize, wanted: usize, what: &str) -> Result<(), Error> {
    match usize::try_from(done) {
        Ok(done) if done == wanted => Ok(()),
        Ok(done) => {
            Err(Error::Library(format!("the kernel took or gave {done} of {wanted} bytes of {what}")))
        }
        Err(_) => Err(failed(what)),
    }
}
