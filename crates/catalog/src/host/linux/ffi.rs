//! AF_ALG sockets (Documentation/crypto/userspace-if.rst of the kernel), behind types that are safe to use.

// System calls are what this module exists for.
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::io;
use std::mem::{MaybeUninit, size_of, zeroed};
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::ptr::null_mut;

use fieldtest_kinds::Error;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A hash function, with a key or without.
    Hash,
    /// A cipher without authentication.
    Cipher,
    /// A cipher with tags of 16 bytes.
    Aead,
}

impl Kind {
    /// `salg_type`.
    fn word(self) -> &'static [u8] {
        match self {
            Kind::Hash => b"hash",
            Kind::Cipher => b"skcipher",
            Kind::Aead => b"aead",
        }
    }
}

/// What is to be done to a message that is sent whole.
pub(super) struct Task<'a> {
    pub(super) encrypt: bool,
    /// The initialisation vector, of at most 16 bytes.
    pub(super) iv: Option<&'a [u8]>,
    /// How many bytes the message begins with that are authenticated alone.
    pub(super) associated: Option<u32>,
}

/// Bytes of room for the operation, an initialisation vector of 16 bytes and a length, as control messages.
const CONTROL: usize = 128;
const TAG: usize = 16;

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
        let word = kind.word();
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
        let set = |what: libc::c_int, value: *const u8, length: usize, named: &str| {
            // SAFETY: the value is as long as stated where it is not NULL, and only read.
            let set = unsafe {
                libc::setsockopt(
                    socket.as_raw_fd(),
                    libc::SOL_ALG,
                    what,
                    value.cast(),
                    length as libc::socklen_t,
                )
            };
            if set == 0 { Ok(()) } else { Err(failed(named)) }
        };
        if let Some(key) = key {
            set(libc::ALG_SET_KEY, key.as_ptr(), key.len(), "the key")?;
        }
        if kind == Kind::Aead {
            // The length alone says it.
            set(libc::ALG_SET_AEAD_AUTHSIZE, std::ptr::null(), TAG, "tags of 16 bytes")?;
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

    /// Sends one message, which lies in several parts, with what is to be done to it.
    pub(super) fn send_whole(&self, task: &Task<'_>, parts: &[&[u8]]) -> Result<(), Error> {
        #[repr(C, align(8))]
        struct Control([MaybeUninit<u8>; CONTROL]);

        let operation = if task.encrypt { libc::ALG_OP_ENCRYPT } else { libc::ALG_OP_DECRYPT } as u32;
        // `struct af_alg_iv`: a length, and the bytes.
        let (mut iv, iv_len) = ([0; 4 + 16], task.iv.map_or(0, <[u8]>::len));
        iv[..4].copy_from_slice(&(iv_len as u32).to_ne_bytes());
        iv[4..][..iv_len].copy_from_slice(task.iv.unwrap_or_default());
        let associated = task.associated.map(u32::to_ne_bytes);
        let control_messages = [
            Some((libc::ALG_SET_OP, &operation.to_ne_bytes()[..])),
            task.iv.map(|_| (libc::ALG_SET_IV, &iv[..4 + iv_len])),
            associated.as_ref().map(|length| (libc::ALG_SET_AEAD_ASSOCLEN, &length[..])),
        ];
        let mut control = Control([MaybeUninit::zeroed(); CONTROL]);
        let mut data: Vec<libc::iovec> = (parts.iter())
            .map(|part| libc::iovec { iov_base: part.as_ptr().cast_mut().cast(), iov_len: part.len() })
            .collect();
        // SAFETY: the structure is plain numbers and pointers, for which zeros are a value.
        let mut message: libc::msghdr = unsafe { zeroed() };
        message.msg_iov = data.as_mut_ptr();
        message.msg_iovlen = data.len() as _;
        message.msg_control = control.0.as_mut_ptr().cast();
        // SAFETY: `CMSG_SPACE` reckons with numbers alone. The room is aligned as control messages are, is zeroed, and is
        // longer than all together, so that no pointer is NULL; each is written within the length that it is given.
        // The kernel reads data that live during the call, and changes none.
        let sent = unsafe {
            let space = |bytes: usize| libc::CMSG_SPACE(bytes as u32) as usize;
            let there = control_messages.iter().flatten();
            message.msg_controllen = there.clone().map(|(_, bytes)| space(bytes.len())).sum::<usize>() as _;
            let mut header: *mut libc::cmsghdr = null_mut();
            for (kind, bytes) in there {
                header = match header.is_null() {
                    true => libc::CMSG_FIRSTHDR(&raw const message),
                    false => libc::CMSG_NXTHDR(&raw const message, header),
                };
                (*header).cmsg_level = libc::SOL_ALG;
                (*header).cmsg_type = *kind;
                (*header).cmsg_len = libc::CMSG_LEN(bytes.len() as u32) as _;
                libc::CMSG_DATA(header).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            }
            libc::sendmsg(self.0.as_raw_fd(), &raw const message, 0)
        };
        whole(sent, parts.iter().map(|part| part.len()).sum(), "a message")
    }

    /// The digest of the message, which ends it, or what was made of a message, into several parts.
    ///
    /// # Errors
    /// [`Error::InvalidTag`], of what is to be opened.
    pub(super) fn receive<const PARTS: usize>(&self, parts: [&mut [u8]; PARTS]) -> Result<(), Error> {
        let wanted = parts.iter().map(|part| part.len()).sum();
        let mut data =
            parts.map(|part| libc::iovec { iov_base: part.as_mut_ptr().cast(), iov_len: part.len() });
        // The kernel opens nothing for whoever has no room, be the message empty.
        let mut spare = 0_u8;
        if let (0, [first, ..]) = (wanted, &mut data[..]) {
            *first = libc::iovec { iov_base: (&raw mut spare).cast(), iov_len: 1 };
        }
        // SAFETY: each buffer is as long as stated, and lives during the call.
        let received = unsafe { libc::readv(self.0.as_raw_fd(), data.as_ptr(), PARTS as libc::c_int) };
        if received < 0 && io::Error::last_os_error().raw_os_error() == Some(libc::EBADMSG) {
            return Err(Error::InvalidTag);
        }
        whole(received, wanted, "a result")
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
