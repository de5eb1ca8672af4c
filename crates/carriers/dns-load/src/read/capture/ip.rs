//! Packets of IP, as much of each as a capture has.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::left_out::Why;
use crate::message::field;

/// How much of a packet one is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    All,
    First,
    Later,
}

impl Piece {
    fn of(offset: u16, more: bool) -> Piece {
        match (offset, more) {
            (0, false) => Piece::All,
            (0, true) => Piece::First,
            _ => Piece::Later,
        }
    }
}

pub(super) struct Ip<'a> {
    pub(super) source: IpAddr,
    pub(super) destination: IpAddr,
    pub(super) protocol: u8,
    pub(super) piece: Piece,
    /// As much of it as the capture has.
    pub(super) payload: &'a [u8],
    /// Octets that it had.
    pub(super) length: usize,
}

impl Ip<'_> {
    pub(super) fn read_v4(bytes: &[u8], cut: Why) -> Result<Ip<'_>, Why> {
        let header = bytes.first_chunk::<20>().ok_or(cut)?;
        let begins = (usize::from(header[0] & 0x0f) * 4).max(20);
        let whole = usize::from(field(bytes, 2).ok_or(cut)?);
        let fragment = field(bytes, 6).ok_or(cut)?;
        let address =
            |at: usize| Ipv4Addr::from(<[u8; 4]>::try_from(&header[at..at + 4]).unwrap_or_default());
        Ok(Ip {
            source: address(12).into(),
            destination: address(16).into(),
            protocol: header[9],
            piece: Piece::of(fragment & 0x1fff, fragment & 0x2000 != 0),
            payload: bytes.get(begins..whole.min(bytes.len())).ok_or(cut)?,
            length: whole.checked_sub(begins).ok_or(Why::NoMessage)?,
        })
    }

    pub(super) fn read_v6(bytes: &[u8], cut: Why) -> Result<Ip<'_>, Why> {
        let header = bytes.first_chunk::<40>().ok_or(cut)?;
        let mut length = usize::from(field(bytes, 4).ok_or(cut)?);
        let mut payload = bytes.get(40..).ok_or(cut)?;
        payload = payload.get(..length).unwrap_or(payload);
        let (mut next, mut piece) = (header[6], Piece::All);
        // Hop-by-hop options, routing header, fragment header, destination options (RFC 8200, section 4).
        while matches!(next, 0 | 43 | 44 | 60) && piece != Piece::Later {
            let mut octets = 8;
            if next == 44 {
                let field = field(payload, 2).ok_or(cut)?;
                piece = Piece::of(field >> 3, field & 1 != 0);
            } else {
                octets += usize::from(*payload.get(1).ok_or(cut)?) * 8;
            }
            next = *payload.first().ok_or(cut)?;
            payload = payload.get(octets..).ok_or(cut)?;
            length = length.checked_sub(octets).ok_or(Why::NoMessage)?;
        }
        let address =
            |at: usize| Ipv6Addr::from(<[u8; 16]>::try_from(&header[at..at + 16]).unwrap_or_default());
        Ok(Ip {
            source: address(8).into(),
            destination: address(24).into(),
            protocol: next,
            piece,
            payload,
            length,
        })
    }
}
