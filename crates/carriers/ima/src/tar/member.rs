//! Reading an archive, member by member, with all its bytes.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use super::TarError;
use super::block::{BLOCK, Block};
use super::data::Data;
use super::sparse::{Map, Records};
use super::{foreign, pax};
use crate::tree::Skip;

/// The longest extended header that is read. It must hold every xattr of a file, and each has at most 64 KiB.
const LONGEST_EXTENSION: u64 = 16 << 20;

/// The most zeros of an archive without members: one of tar's has 10 KiB, `/dev/zero` has no end.
const LONGEST_EMPTY: u64 = 1 << 20;

/// The longest member that is kept in memory.
const LONGEST_IN_MEMORY: u64 = 4 << 20;

/// A header that belongs to the member after it: of PAX (`x`) or of GNU (`L` and `K`, long names).
pub(super) struct Extension {
    pub header: Block,
    /// Its bytes without their padding.
    pub data: Vec<u8>,
    pub padding: Vec<u8>,
}

impl Extension {
    /// Puts other data in the place of its own, zeros being the padding.
    pub(super) fn replace(&mut self, data: Vec<u8>) {
        self.header.set_size(data.len() as u64);
        self.padding = vec![0; data.len().next_multiple_of(BLOCK) - data.len()];
        self.data = data;
    }

    pub(super) fn is_pax(&self) -> bool {
        is_pax(&self.header)
    }
}

/// Whether this is the header of records of PAX. Solaris wrote them with an `X` before POSIX had an `x`, which GNU tar and
/// libarchive read alike.
fn is_pax(header: &Block) -> bool {
    matches!(header.type_flag(), b'x' | b'X')
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    /// A file without its holes whose map says nothing that could be.
    FileWithHoles,
    Folder,
    Other(Skip),
    /// No member, but settings for those that follow.
    Global,
}

pub(super) struct Member {
    pub path: PathBuf,
    pub kind: Kind,
    pub extensions: Vec<Extension>,
    pub header: Block,
    /// Blocks between the header and the data, which old GNU formats have for files with many holes.
    pub maps: Vec<u8>,
    /// Where the data belongs, of a file that is stored without its holes.
    pub holes: Option<Map>,
    pub data: Data,
    pub padding: Vec<u8>,
}

impl Member {
    pub(super) fn size(&self) -> u64 {
        self.holes.as_ref().map_or(self.data.length(), |holes| holes.size)
    }
}

pub(super) enum Part {
    Member(Box<Member>),
    /// What follows the end of the members, in pieces.
    Rest(Vec<u8>),
}

impl Part {
    pub(super) fn memory(&self) -> u64 {
        match self {
            Part::Rest(bytes) => bytes.len() as u64,
            Part::Member(member) => {
                let data = match &member.data {
                    Data::Memory(bytes) => bytes.len(),
                    Data::Spooled(..) => 0,
                };
                let extensions: usize = member.extensions.iter().map(|extension| extension.data.len()).sum();
                (size_of::<Member>() + 2 * BLOCK + data + extensions) as u64
            }
        }
    }
}

pub(super) struct Members<'a, R> {
    input: R,
    offset: u64,
    spool: Option<&'a Path>,
    ended: bool,
    any: bool,
}

impl<'a, R: Read> Members<'a, R> {
    pub(super) fn new(input: R, spool: Option<&'a Path>) -> Self {
        Members { input, offset: 0, spool, ended: false, any: false }
    }

    /// The next part; nothing at the end of the input.
    pub(super) fn next(&mut self) -> Result<Option<Part>, TarError> {
        if self.ended {
            let mut rest = Vec::new();
            (&mut self.input).take(1 << 16).read_to_end(&mut rest).map_err(TarError::Input)?;
            if let Some(more) = rest.iter().position(|byte| *byte != 0) {
                let at = self.offset + more as u64;
                return Err(match foreign::format(self.offset, &rest).filter(|_| !self.any) {
                    Some(format) => TarError::Foreign(format),
                    None if !self.any => {
                        malformed(at, "zeros without a member before them; not a tar archive")
                    }
                    // Whoever joins archives has members there, which `tar -i` unpacks.
                    None => malformed(
                        at,
                        "data after its end, which would not be signed; if archives were joined, `tar -i` unpacks all of \
                         them, to be packed as one",
                    ),
                });
            }
            self.offset += rest.len() as u64;
            if !self.any && self.offset > LONGEST_EMPTY {
                return Err(malformed(self.offset, "zeros without a member before them; not a tar archive"));
            }
            return Ok((!rest.is_empty()).then_some(Part::Rest(rest)));
        }
        let mut extensions = Vec::new();
        loop {
            let at = self.offset;
            let Some(header) = self.header()? else {
                self.ended = true;
                return match extensions.is_empty() {
                    // GNU tar refuses it too: something before it in the pipe failed.
                    true if at == 0 => Err(malformed(at, "it is empty; check the path")),
                    true => Ok(None),
                    false => Err(malformed(at, "extended headers without a member after them")),
                };
            };
            if header.is_zero() {
                if !extensions.is_empty() {
                    return Err(malformed(at, "extended headers without a member after them"));
                }
                self.ended = true;
                return Ok(Some(Part::Rest(header.0.to_vec())));
            }
            if !header.is_checksum_right() {
                return Err(self.no_header(at, &header));
            }
            let size = header.size().ok_or_else(|| malformed(at, "the member's size is not a number"))?;
            if !is_pax(&header) && !matches!(header.type_flag(), b'L' | b'K') {
                return self.member(at, extensions, header, size).map(Some);
            }
            if size > LONGEST_EXTENSION {
                return Err(malformed(at, "an extended header of more than 16 MiB"));
            }
            let data = self.bytes(size)?;
            let padding = self.padding(size)?;
            extensions.push(Extension { header, data, padding });
        }
    }

    fn member(
        &mut self,
        at: u64,
        extensions: Vec<Extension>,
        header: Block,
        mut size: u64,
    ) -> Result<Part, TarError> {
        self.any = true;
        let mut path = header.path();
        let mut records_of_holes = Records::default();
        let mut star = false;
        // GNU's long names first: what PAX says goes before them.
        for extension in extensions.iter().filter(|extension| extension.header.type_flag() == b'L') {
            path = extension.data.split(|byte| *byte == 0).next().unwrap_or_default().to_vec();
        }
        for extension in extensions.iter().filter(|extension| extension.is_pax()) {
            let records = pax::parse(&extension.data)
                .ok_or_else(|| malformed(at, "the extended header before it is damaged"))?;
            for record in records {
                match record.key {
                    b"path" => path = record.value.to_vec(),
                    b"size" => {
                        let text = std::str::from_utf8(record.value).ok();
                        size = text
                            .and_then(|text| text.parse().ok())
                            .ok_or_else(|| malformed(at, "the member's size is not a number"))?;
                    }
                    b"GNU.sparse.name" => {
                        path = record.value.to_vec();
                        records_of_holes.any = true;
                    }
                    // star's map lies elsewhere, and is not read.
                    b"SCHILY.realsize" => star = true,
                    key => {
                        if let Some(key) = key.strip_prefix(b"GNU.sparse.") {
                            records_of_holes.add(key, record.value);
                        }
                    }
                }
            }
        }
        let with_holes = header.type_flag() == b'S' || records_of_holes.any || star;
        let mut kind = match header.type_flag() {
            b'1' => Kind::Other(Skip::FurtherName),
            b'2' => Kind::Other(Skip::SymbolicLink),
            b'3' | b'4' => Kind::Other(Skip::Device),
            b'5' | b'D' => Kind::Folder,
            b'6' => Kind::Other(Skip::Fifo),
            b'g' => Kind::Global,
            // The name of the volume, which GNU tar and libarchive pass over.
            b'V' if size == 0 => Kind::Other(Skip::UnknownKind),
            // Before POSIX a directory was a file whose name ends with a slash.
            b'0' | 0 | b'7' if path.ends_with(b"/") => Kind::Folder,
            _ if is_whiteout(&path) => Kind::Other(Skip::Whiteout),
            _ if with_holes => Kind::FileWithHoles,
            // What is of no known type is extracted as a regular file (POSIX.1-2024, pax, "ustar Interchange Format",
            // typeflag), by GNU tar, libarchive and Python alike.
            _ => Kind::File,
        };
        // Links, devices and directories have no data, whatever size old programs wrote.
        if matches!(header.type_flag(), b'1'..=b'6') {
            size = 0;
        }
        let maps = if header.type_flag() == b'S' { self.maps(&header)? } else { Vec::new() };
        let mut data = self.data(size)?;
        let padding = self.padding(size)?;
        if kind == Kind::Global {
            check_global(at, &data)?;
        }
        let path = PathBuf::from(OsString::from_vec(path));
        let holes = match kind {
            Kind::FileWithHoles if header.is_gnu() && header.type_flag() == b'S' => {
                Map::of_headers(&header, &maps, size)
            }
            Kind::FileWithHoles => records_of_holes.map(&mut data).map_err(TarError::Spool)?,
            _ => None,
        };
        if holes.is_some() {
            kind = Kind::File;
        }
        Ok(Part::Member(Box::new(Member { path, kind, extensions, header, maps, holes, data, padding })))
    }

    /// The blocks with the map of a file with holes (GNU tar, `struct sparse_header`), each of which says at its end
    /// whether there is another.
    fn maps(&mut self, header: &Block) -> Result<Vec<u8>, TarError> {
        let mut maps = Vec::new();
        let mut more = header.0[482] != 0;
        while more {
            let at = self.offset;
            let block = self.header()?.ok_or_else(|| malformed(at, "it ends within a member"))?;
            if maps.len() as u64 > LONGEST_EXTENSION {
                return Err(malformed(at, "a map of holes of more than 16 MiB"));
            }
            maps.extend(block.0);
            more = block.0[504] != 0;
        }
        Ok(maps)
    }

    /// A block, or nothing at the end of the input.
    fn header(&mut self) -> Result<Option<Block>, TarError> {
        let mut block = [0; BLOCK];
        let mut filled = 0;
        while let Some(rest) = block.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match self.input.read(rest) {
                Ok(0) if filled == 0 => return Ok(None),
                Ok(0) => return Err(self.no_header(self.offset, &Block(block))),
                Ok(length) => filled += length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(TarError::Input(error)),
            }
        }
        self.offset += BLOCK as u64;
        Ok(Some(Block(block)))
    }

    fn no_header(&self, at: u64, block: &Block) -> TarError {
        if at == 0
            && let Some(name) = foreign::compressor(&block.0)
        {
            return TarError::Compressed(name);
        }
        match foreign::format(at, &block.0).filter(|_| at == 0) {
            Some(format) => TarError::Foreign(format),
            None if at == 0 => malformed(at, "it is not a tar archive; check the path"),
            None => malformed(at, "not a member's header; the archive was cut or overwritten"),
        }
    }

    fn bytes(&mut self, size: u64) -> Result<Vec<u8>, TarError> {
        let mut bytes = Vec::new();
        let read = (&mut self.input).take(size).read_to_end(&mut bytes).map_err(TarError::Input)? as u64;
        self.offset += read;
        if read == size { Ok(bytes) } else { Err(malformed(self.offset, "it ends within a member")) }
    }

    fn padding(&mut self, size: u64) -> Result<Vec<u8>, TarError> {
        self.bytes((BLOCK as u64 - size % BLOCK as u64) % BLOCK as u64)
    }

    fn data(&mut self, size: u64) -> Result<Data, TarError> {
        if size <= LONGEST_IN_MEMORY {
            return self.bytes(size).map(Data::Memory);
        }
        let mut file = match self.spool {
            Some(folder) => tempfile::tempfile_in(folder),
            None => tempfile::tempfile(),
        }
        .map_err(TarError::Spool)?;
        let mut left = size;
        let mut buffer = vec![0; 1 << 17];
        while left > 0 {
            let wanted = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
            let piece = buffer.get_mut(..wanted).unwrap_or_default();
            self.input.read_exact(piece).map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => malformed(self.offset, "it ends within a member"),
                _ => TarError::Input(error),
            })?;
            file.write_all(piece).map_err(TarError::Spool)?;
            self.offset += wanted as u64;
            left -= wanted as u64;
        }
        Ok(Data::Spooled(file, size))
    }
}

/// Refuses settings for all members that change which bytes are a member's: tools differ in what they make of them.
fn check_global(at: u64, data: &Data) -> Result<(), TarError> {
    let Data::Memory(bytes) = data else { return Err(malformed(at, "a global header of more than 4 MiB")) };
    let records = pax::parse(bytes).ok_or_else(|| malformed(at, "the global header is damaged"))?;
    let moves = |key: &[u8]| key == b"size" || key == b"SCHILY.realsize" || key.starts_with(b"GNU.sparse.");
    match records.iter().any(|record| moves(record.key)) {
        true => Err(malformed(at, "a global header that sets the size of every member after it")),
        false => Ok(()),
    }
}

/// Whether it says that a file of a lower layer is gone, and is none itself (OCI image specification, "Whiteouts").
fn is_whiteout(path: &[u8]) -> bool {
    path.rsplit(|byte| *byte == b'/').next().is_some_and(|name| name.starts_with(b".wh."))
}

fn malformed(offset: u64, what: &'static str) -> TarError {
    TarError::Malformed { offset, what }
}
