//! A TCP segment's parts (RFC 9293, section 3.1).

use crate::malformed::Malformed;

/// Bytes of the TCP header without options.
pub const FIXED_HEADER: usize = 20;
/// The most bytes that all options of a segment may take together: the data offset has four bits.
pub const MAX_OPTIONS: usize = 40;
/// Where the checksum stands in the TCP header.
pub(crate) const CHECKSUM: usize = 16;

/// The option kinds that this crate looks at (the IANA registry “TCP Option Kind Numbers”).
pub mod kind {
    /// End of option list: what follows is padding.
    pub const END: u8 = 0;
    /// No operation, one byte.
    pub const NOP: u8 = 1;
    /// Maximum segment size.
    pub const MSS: u8 = 2;
    /// Window scale.
    pub const WINDOW_SCALE: u8 = 3;
    /// Selective acknowledgement permitted.
    pub const SACK_PERMITTED: u8 = 4;
    /// Selective acknowledgement blocks.
    pub const SACK: u8 = 5;
    /// Timestamps.
    pub const TIMESTAMPS: u8 = 8;
    /// TCP-MD5 signature (RFC 2385).
    pub const MD5: u8 = 19;
    /// TCP-AO (RFC 5925).
    pub const AO: u8 = 29;
}

/// A TCP segment whose header is complete; the options are not yet checked.
#[derive(Debug, Clone, Copy)]
pub struct Segment<'a> {
    bytes: &'a [u8],
    header_len: usize,
}

impl<'a> Segment<'a> {
    /// Splits a segment, header and payload, into its parts.
    ///
    /// # Errors
    /// [`Malformed::ShortSegment`] and [`Malformed::DataOffset`].
    #[inline(always)]
    pub fn parse(bytes: &'a [u8]) -> Result<Segment<'a>, Malformed> {
        let fixed =
            bytes.first_chunk::<FIXED_HEADER>().ok_or(Malformed::ShortSegment { found: bytes.len() })?;
        let header_len = usize::from(fixed[12] >> 4) * 4;
        if header_len < FIXED_HEADER || header_len > bytes.len() {
            return Err(Malformed::DataOffset { header: header_len, segment: bytes.len() });
        }
        Ok(Segment { bytes, header_len })
    }

    /// The whole segment, header and payload.
    #[inline]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The header's first 20 bytes.
    #[inline(always)]
    pub fn fixed_header(&self) -> &'a [u8; FIXED_HEADER] {
        // `parse` has seen that they are there.
        self.bytes.first_chunk().unwrap_or(&[0; FIXED_HEADER])
    }

    /// Bytes of the header with its options.
    #[inline]
    pub fn header_len(&self) -> usize {
        self.header_len
    }

    /// The options' bytes, padding included; at most 40.
    #[inline]
    pub fn option_bytes(&self) -> &'a [u8] {
        self.bytes.get(FIXED_HEADER..self.header_len).unwrap_or_default()
    }

    /// What the segment carries.
    #[inline]
    pub fn payload(&self) -> &'a [u8] {
        self.bytes.get(self.header_len..).unwrap_or_default()
    }

    /// The port that it comes from.
    #[inline]
    pub fn source_port(&self) -> u16 {
        let &[a, b, ..] = self.fixed_header();
        u16::from_be_bytes([a, b])
    }

    /// The port that it goes to.
    #[inline]
    pub fn destination_port(&self) -> u16 {
        let &[_, _, a, b, ..] = self.fixed_header();
        u16::from_be_bytes([a, b])
    }

    /// The sequence number; of a SYN, the initial one.
    #[inline]
    pub fn sequence(&self) -> u32 {
        let &[_, _, _, _, a, b, c, d, ..] = self.fixed_header();
        u32::from_be_bytes([a, b, c, d])
    }

    /// The acknowledgement number; it means something only where [`Flags::ack`] is set.
    #[inline]
    pub fn acknowledgement(&self) -> u32 {
        let &[_, _, _, _, _, _, _, _, a, b, c, d, ..] = self.fixed_header();
        u32::from_be_bytes([a, b, c, d])
    }

    /// The control bits.
    #[inline]
    pub fn flags(&self) -> Flags {
        Flags(self.fixed_header()[13])
    }

    /// The checksum that the header holds; [`Packet::tcp_checksum`](crate::Packet::tcp_checksum) computes what it
    /// should be.
    #[inline]
    pub fn checksum(&self) -> u16 {
        let fixed = self.fixed_header();
        u16::from_be_bytes([fixed[CHECKSUM], fixed[CHECKSUM + 1]])
    }

    /// Walks the options up to the end of the list; no-operations are left out.
    #[inline]
    pub fn options(&self) -> Options<'a> {
        Options { rest: self.option_bytes(), place: FIXED_HEADER }
    }

    /// Sequence numbers that the segment takes: its payload, and one each for SYN and FIN.
    pub fn sequence_len(&self) -> u32 {
        self.payload().len() as u32 + u32::from(self.flags().syn()) + u32::from(self.flags().fin())
    }

    /// Whether this acknowledges the SYN of that number, and with it what the SYN may carry (RFC 7413).
    pub(crate) fn acknowledges_syn(&self, isn: u32) -> bool {
        self.acknowledgement().wrapping_sub(1).wrapping_sub(isn) <= 0xffff
    }

    /// Whether this is what a TCP sends in answer to a SYN that it does not want: a reset with the sequence number 0 and
    /// an acknowledgement (RFC 9293, section 3.10.7.1).
    pub(crate) fn refuses_syn(&self) -> bool {
        self.flags().rst() && self.flags().ack() && self.sequence() == 0
    }
}

/// The control bits of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flags(pub u8);

impl Flags {
    /// No more data from the sender.
    #[inline]
    pub fn fin(self) -> bool {
        self.0 & 0x01 != 0
    }
    /// A connection is asked for or granted.
    #[inline]
    pub fn syn(self) -> bool {
        self.0 & 0x02 != 0
    }
    /// The connection is reset.
    #[inline]
    pub fn rst(self) -> bool {
        self.0 & 0x04 != 0
    }
    /// The acknowledgement number counts.
    #[inline]
    pub fn ack(self) -> bool {
        self.0 & 0x10 != 0
    }
}

/// One option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TcpOption<'a> {
    /// What it is; see [`kind`].
    pub kind: u8,
    /// The whole option with its kind and length: at least two bytes.
    pub bytes: &'a [u8],
    /// Where it begins, counted from the start of the TCP header.
    pub place: usize,
}

/// The options of a segment, made by [`Segment::options`]. After an error the walk is over.
#[derive(Debug, Clone)]
pub struct Options<'a> {
    rest: &'a [u8],
    place: usize,
}

impl Options<'_> {
    /// Where the next option would begin, counted from the start of the TCP header; after the walk, the end of the
    /// options or the end-of-list byte.
    pub(crate) fn place(&self) -> usize {
        self.place
    }
}

impl<'a> Iterator for Options<'a> {
    type Item = Result<TcpOption<'a>, Malformed>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let kind = match *self.rest.first()? {
                kind::END => return None,
                kind::NOP => {
                    self.rest = self.rest.get(1..)?;
                    self.place += 1;
                    continue;
                }
                kind => kind,
            };
            let place = self.place;
            let length = self.rest.get(1).copied().map_or(0, usize::from);
            return match self.rest.split_at_checked(length) {
                Some((bytes, rest)) if length >= 2 => {
                    self.rest = rest;
                    self.place += length;
                    Some(Ok(TcpOption { kind, bytes, place }))
                }
                _ => {
                    self.rest = &[];
                    Some(Err(Malformed::Option { kind, place, length }))
                }
            };
        }
    }
}
