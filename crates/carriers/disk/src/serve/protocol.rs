//! Numbers and messages of the protocol, and what is offered. All numbers are big-endian.

use super::Export;
use crate::volume::Volume;

/// Begins a conversation.
pub(super) const NBD_MAGIC: u64 = 0x4e42_444d_4147_4943;
pub(super) const OPTION_MAGIC: u64 = 0x4948_4156_454f_5054;
pub(super) const OPTION_REPLY_MAGIC: u64 = 0x0003_e889_0455_65a9;
pub(super) const REQUEST_MAGIC: u32 = 0x2560_9513;
pub(super) const SIMPLE_REPLY_MAGIC: u32 = 0x6744_6698;
pub(super) const STRUCTURED_REPLY_MAGIC: u32 = 0x668e_33ef;

/// Flags of both sides in the handshake.
pub(super) mod handshake_flag {
    pub(in super::super) const FIXED_NEWSTYLE: u16 = 1;
    pub(in super::super) const NO_ZEROES: u16 = 1 << 1;
}

/// What the server can do in the transmission.
pub(super) mod transmission_flag {
    pub(in super::super) const HAS_FLAGS: u16 = 1;
    pub(in super::super) const READ_ONLY: u16 = 1 << 1;
    pub(in super::super) const SEND_FLUSH: u16 = 1 << 2;
    pub(in super::super) const SEND_FUA: u16 = 1 << 3;
    pub(in super::super) const SEND_TRIM: u16 = 1 << 5;
    pub(in super::super) const SEND_WRITE_ZEROES: u16 = 1 << 6;
    pub(in super::super) const CAN_MULTI_CONN: u16 = 1 << 8;
}

pub(super) mod option {
    pub(in super::super) const EXPORT_NAME: u32 = 1;
    pub(in super::super) const ABORT: u32 = 2;
    pub(in super::super) const LIST: u32 = 3;
    pub(in super::super) const STARTTLS: u32 = 5;
    pub(in super::super) const INFO: u32 = 6;
    pub(in super::super) const GO: u32 = 7;
    pub(in super::super) const STRUCTURED_REPLY: u32 = 8;
}

pub(super) mod reply {
    pub(in super::super) const ACK: u32 = 1;
    pub(in super::super) const SERVER: u32 = 2;
    pub(in super::super) const INFO: u32 = 3;
    const ERROR: u32 = 1 << 31;
    pub(in super::super) const ERR_UNSUP: u32 = ERROR + 1;
    pub(in super::super) const ERR_INVALID: u32 = ERROR + 3;
    pub(in super::super) const ERR_UNKNOWN: u32 = ERROR + 6;
    pub(in super::super) const ERR_TOO_BIG: u32 = ERROR + 9;
}

pub(super) mod info {
    pub(in super::super) const EXPORT: u16 = 0;
    pub(in super::super) const NAME: u16 = 1;
    pub(in super::super) const BLOCK_SIZE: u16 = 3;
}

pub(super) mod command {
    pub(in super::super) const READ: u16 = 0;
    pub(in super::super) const WRITE: u16 = 1;
    pub(in super::super) const DISC: u16 = 2;
    pub(in super::super) const FLUSH: u16 = 3;
    pub(in super::super) const TRIM: u16 = 4;
    pub(in super::super) const WRITE_ZEROES: u16 = 6;
}

/// How reads are answered, which a client says in the handshake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Replies {
    /// With an error or all the data: what fails behind the first piece can only end the connection.
    Simple,
    /// In chunks, of which each piece is one and an error is another.
    Structured,
}

pub(super) mod chunk {
    pub(in super::super) const NONE: u16 = 0;
    pub(in super::super) const OFFSET_DATA: u16 = 1;
    pub(in super::super) const ERROR: u16 = (1 << 15) + 1;
}

pub(super) const DONE: u16 = 1;

pub(super) mod command_flag {
    pub(in super::super) const FUA: u16 = 1;
    pub(in super::super) const NO_HOLE: u16 = 1 << 1;
}

/// Errors in replies; zero is none.
pub(super) mod errno {
    pub(in super::super) const EPERM: u32 = 1;
    pub(in super::super) const EIO: u32 = 5;
    pub(in super::super) const EINVAL: u32 = 22;
    pub(in super::super) const ENOSPC: u32 = 28;
    pub(in super::super) const ESHUTDOWN: u32 = 108;
}

/// The most bytes of one read or write: what every client may expect.
pub(super) const MOST_PAYLOAD: u32 = 32 << 20;

/// What clients are told of the volume.
#[derive(Debug, Clone)]
pub(super) struct Device {
    pub(super) name: String,
    pub(super) size: u64,
    pub(super) flags: u16,
    /// Requests that keep to multiples of it are the cheapest.
    pub(super) preferred_block: u32,
}

impl Device {
    pub(super) fn of(volume: &Volume, export: &Export) -> Self {
        use transmission_flag::*;
        let read_only = export.read_only || !volume.is_writable();
        let trim = if export.discard { SEND_TRIM } else { 0 };
        let access = if read_only { READ_ONLY } else { SEND_FLUSH | SEND_FUA | SEND_WRITE_ZEROES | trim };
        Device {
            name: export.name.clone(),
            size: volume.size(),
            flags: HAS_FLAGS | CAN_MULTI_CONN | access,
            preferred_block: u32::try_from(volume.sector_size()).unwrap_or(4096).max(4096),
        }
    }

    pub(super) fn is_read_only(&self) -> bool {
        self.flags & transmission_flag::READ_ONLY != 0
    }

    pub(super) fn takes_trims(&self) -> bool {
        self.flags & transmission_flag::SEND_TRIM != 0
    }

    pub(super) fn is_named(&self, name: &[u8]) -> bool {
        name.is_empty() || name == self.name.as_bytes()
    }
}

/// A request's 28 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) flags: u16,
    pub(super) command: u16,
    pub(super) cookie: u64,
    pub(super) offset: u64,
    pub(super) length: u32,
}

impl Request {
    /// Bytes of a request without its payload.
    pub(super) const LENGTH: usize = 28;

    /// Reads a request, or nothing if it does not begin as one.
    pub(super) fn parse(bytes: &[u8; Self::LENGTH]) -> Option<Self> {
        let mut fields = Fields(bytes);
        if fields.u32()? != REQUEST_MAGIC {
            return None;
        }
        let (flags, command) = (fields.u16()?, fields.u16()?);
        Some(Request { flags, command, cookie: fields.u64()?, offset: fields.u64()?, length: fields.u32()? })
    }
}

pub(super) fn simple_reply(cookie: u64, error: u32) -> [u8; 16] {
    let mut reply = [0; 16];
    let bytes =
        SIMPLE_REPLY_MAGIC.to_be_bytes().into_iter().chain(error.to_be_bytes()).chain(cookie.to_be_bytes());
    reply.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
    reply
}

pub(super) fn chunk_header(cookie: u64, flags: u16, kind: u16, length: u32) -> Vec<u8> {
    [
        &STRUCTURED_REPLY_MAGIC.to_be_bytes()[..],
        &flags.to_be_bytes(),
        &kind.to_be_bytes(),
        &cookie.to_be_bytes(),
        &length.to_be_bytes(),
    ]
    .concat()
}

/// What `NBD_OPT_INFO` and `NBD_OPT_GO` ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct InfoRequest<'a> {
    pub(super) name: &'a [u8],
    pub(super) wanted: Vec<u16>,
}

impl<'a> InfoRequest<'a> {
    /// Reads the option's data, or nothing if the lengths in it do not agree.
    pub(super) fn parse(data: &'a [u8]) -> Option<Self> {
        let mut fields = Fields(data);
        let length = usize::try_from(fields.u32()?).ok()?;
        let name = fields.take(length)?;
        let count = fields.u16()?;
        let wanted = (0..count).map(|_| fields.u16()).collect::<Option<Vec<u16>>>()?;
        fields.0.is_empty().then_some(InfoRequest { name, wanted })
    }
}

/// Takes big-endian numbers from the front.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_be_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_be_bytes)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn requests_are_read_as_they_were_written(
            flags: u16, command: u16, cookie: u64, offset: u64, length: u32,
        ) {
            let mut bytes = [0; Request::LENGTH];
            let parts = [
                &REQUEST_MAGIC.to_be_bytes()[..], &flags.to_be_bytes(), &command.to_be_bytes(),
                &cookie.to_be_bytes(), &offset.to_be_bytes(), &length.to_be_bytes(),
            ];
            bytes.copy_from_slice(&parts.concat());
            prop_assert_eq!(Request::parse(&bytes), Some(Request { flags, command, cookie, offset, length }));
            bytes[0] ^= 1;
            prop_assert_eq!(Request::parse(&bytes), None);
        }

        #[test]
        fn nothing_panics(data in prop::collection::vec(any::<u8>(), 0..64)) {
            let _ = InfoRequest::parse(&data);
        }
    }

    #[test]
    fn lengths_that_disagree_are_noticed() {
        let good = [&3_u32.to_be_bytes()[..], b"abc", &1_u16.to_be_bytes(), &3_u16.to_be_bytes()].concat();
        assert_eq!(InfoRequest::parse(&good), Some(InfoRequest { name: b"abc", wanted: vec![3] }));
        assert_eq!(InfoRequest::parse(&good[..good.len() - 1]), None);
        assert_eq!(InfoRequest::parse(&[&good[..], &[0]].concat()), None);
        assert_eq!(InfoRequest::parse(&[0xff; 8]), None);
    }
}
