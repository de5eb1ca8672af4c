use super::names::has_vanished;
use super::open::{or_vanished, vanished};
use super::{Objects, Place, Stored};
use crate::mapped::Mapped;
use crate::pack::delta::Delta;
use crate::pack::entry::Header;
use crate::pack::inflate::Inflater;
use crate::pack::stream::{self, Inflating};
use crate::{Error, ObjectId, ObjectType, Problem, loose};

impl Objects {
    /// Bytes of its content. Of a delta, the first few bytes have to be inflated; it takes microseconds.
    ///
    /// # Errors
    /// [`Error::Object`]; [`Error::Io`] of a loose one.
    pub fn size(&self, number: u32) -> Result<u64, Error> {
        let size = match self.source(number)? {
            Source::Packed(_, deflated) if self.base(number).is_some() => {
                let mut room = [0; Delta::LONGEST_SIZES];
                stream::beginning(deflated, &mut room).and_then(Delta::parse).map(|delta| delta.result_size)
            }
            Source::Packed(header, _) => Ok(header.inflated_size),
            Source::Loose(file) => loose::header(file.bytes()).map(|(_, size, _)| size),
            Source::Moved(later, number) => return later.size(number),
        };
        size.map_err(|problem| self.error(number, problem))
    }

    /// An object as it is stored.
    pub fn stored(&self, number: u32) -> Stored<'_> {
        if self.is_from_copy(number) {
            return Stored { base: None, inflated_size: 0, deflated: None };
        }
        let base = self.base(number);
        match self.packed(number) {
            Some(Ok((header, deflated))) => {
                Stored { base, inflated_size: header.inflated_size, deflated: Some(deflated) }
            }
            _ => Stored { base, inflated_size: 0, deflated: None },
        }
    }

    /// Reads one object with its delta chain, or another copy of it; `content` is overwritten. Whoever wants many of them walks
    /// instead.
    ///
    /// # Errors
    /// [`Error::Object`]; [`Error::Io`] of a loose one.
    pub fn read(&self, number: u32, content: &mut Vec<u8>) -> Result<ObjectType, Error> {
        self.read_first(number, content).or_else(|error| self.read_copy(number, content).ok_or(error))
    }

    fn read_first(&self, number: u32, content: &mut Vec<u8>) -> Result<ObjectType, Error> {
        let mut inflater = Inflater::new();
        let mut chain = Vec::new();
        let mut root = number;
        while let Some(base) = self.base(root) {
            chain.push(root);
            root = base;
        }
        let unreadable = |at: u32, error: Error| match ObjectId::from_bytes(self.id(at)) {
            Some(id) if at != number => self.error(number, Problem::UnreadableBase(id)),
            _ => error,
        };
        self.read_root(root, &mut inflater, content).map_err(|error| unreadable(root, error))?;
        let (mut delta, mut result) = (Vec::new(), Vec::new());
        for link in chain.into_iter().rev() {
            self.read_delta(link, &mut inflater, &mut delta)
                .and_then(|()| self.apply(link, &delta, content, &mut result))
                .map_err(|error| unreadable(link, error))?;
            std::mem::swap(content, &mut result);
        }
        Ok(self.kind(number))
    }

    pub(super) fn read_root(
        &self,
        number: u32,
        inflater: &mut Inflater,
        content: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let read = match self.source(number)? {
            Source::Packed(header, deflated) => inflater.inflate_all(deflated, header.inflated_size, content),
            Source::Loose(file) => loose::read(file.bytes(), inflater, content).map(|_| ()),
            Source::Moved(later, number) => return later.read(number, content).map(|_| ()),
        };
        read.map_err(|problem| self.error(number, problem))
    }

    pub(super) fn read_delta(
        &self,
        number: u32,
        inflater: &mut Inflater,
        delta: &mut Vec<u8>,
    ) -> Result<(), Error> {
        match self.packed(number).transpose() {
            Ok(Some((header, deflated))) => inflater.inflate_all(deflated, header.inflated_size, delta),
            Ok(None) => Err(Problem::Header("it is not a delta")),
            Err(problem) => Err(problem),
        }
        .map_err(|problem| self.error(number, problem))
    }

    pub(super) fn apply(
        &self,
        number: u32,
        delta: &[u8],
        base: &[u8],
        content: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let applied = Delta::parse(delta).and_then(|delta| delta.apply(base, content));
        applied.map_err(|problem| self.error(number, problem))
    }

    /// Gives the content of an object that is no delta in pieces to `reader`, whose result is passed on; then checks
    /// what that has not read.
    pub(super) fn read_in_pieces(
        &self,
        number: u32,
        reader: impl FnOnce(u64, &mut Inflating<'_>) -> Result<(), Error>,
    ) -> Result<Result<(), Error>, Error> {
        let source = self.source(number)?;
        let damaged = |problem| self.error(number, problem);
        let (deflated, size, header_len) = match &source {
            Source::Packed(header, deflated) => (*deflated, header.inflated_size, 0),
            Source::Loose(file) => {
                let (_, size, header_len) = loose::header(file.bytes()).map_err(damaged)?;
                (file.bytes(), size, header_len)
            }
            // As a delta it is in no pieces.
            Source::Moved(later, number) if later.base(*number).is_some() => {
                return Err(vanished(later.whereabouts(*number).0));
            }
            Source::Moved(later, number) => return later.read_in_pieces(*number, reader),
        };
        let mut content = Inflating::new(deflated, size.saturating_add(header_len as u64));
        let mut header = [0; crate::Header::LONGEST];
        content.fill(header.get_mut(..header_len).unwrap_or_default()).map_err(damaged)?;
        let passed = reader(size, &mut content);
        match (passed, content.problem().cloned()) {
            (_, Some(problem)) => Err(damaged(problem)),
            (Ok(()), None) => content.finish().map(Ok).map_err(damaged),
            (Err(error), None) => Ok(Err(error)),
        }
    }

    /// An entry's header and deflated bytes, or what is known to be wrong with an object of any kind. None of a loose
    /// object otherwise, and of a number that nothing has.
    fn packed(&self, number: u32) -> Option<Result<(Header, &[u8]), Problem>> {
        let Place { offset, len, source, .. } = *self.places.get(number as usize)?;
        if let Some(problem) = self.damaged.get(&number) {
            return Some(Err(problem.clone()));
        }
        let pack = self.packs.get(source as usize)?;
        let entry = pack.entry(offset, len);
        Some(Header::parse(entry, offset, self.id_len).map(|header| {
            let deflated = entry.get(header.len..).unwrap_or_default();
            (header, deflated)
        }))
    }

    fn source(&self, number: u32) -> Result<Source<'_>, Error> {
        match self.packed(number) {
            Some(Ok((header, deflated))) => Ok(Source::Packed(header, deflated)),
            Some(Err(problem)) => Err(self.error(number, problem)),
            None if (number as usize) < self.len() => match Mapped::open(&self.whereabouts(number).0) {
                Ok(file) => Ok(Source::Loose(file)),
                Err(error) if has_vanished(&error) => match self.moved(number) {
                    Some((later, number)) => Ok(Source::Moved(later, number)),
                    None => Err(or_vanished(error)),
                },
                Err(error) => Err(error),
            },
            None => Err(Error::NoSuchNumber(number)),
        }
    }
}

/// What an object that is no delta is read of.
enum Source<'a> {
    Packed(Header, &'a [u8]),
    Loose(Mapped),
    /// It was loose, and is elsewhere by now.
    Moved(&'a Objects, u32),
}
