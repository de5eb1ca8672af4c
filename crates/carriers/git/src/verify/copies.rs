//! Further copies of objects: the walk reads the first of each, and Git may read any. A damaged one would
//! show when the good one is packed away.

use std::collections::HashMap;
use std::io::Read;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use super::Settings;
use crate::mapped::Mapped;
use crate::objects::{Copied, has_vanished};
use crate::pack::Pack;
use crate::pack::entry;
use crate::pack::entry::Kind;
use crate::pack::inflate::Inflater;
use crate::pack::stream::Inflating;
use crate::threads::Portions;
use crate::{Error, Header, ObjectId, ObjectType, Objects, Problem, loose};

/// Decodes and hashes every copy; what is wrong is returned, in the order of the sources.
///
/// # Errors
/// [`Error::Interrupted`].
pub(super) fn check(objects: &Objects, settings: &Settings<'_>) -> Result<Vec<Error>, Error> {
    let sources: Vec<&[Copied]> =
        objects.copies().chunk_by(|one, other| one.source == other.source).collect();
    let portions = Portions::new(&sources, 1);
    let found = Mutex::new(Vec::new());
    let work = || -> Result<(), Error> {
        while let Some((nth, sources)) = portions.take() {
            for copies in sources {
                let mut reader = Reader::new(objects, settings);
                for copy in *copies {
                    super::check::goes_on(settings)?;
                    if let Err(error) = reader.check(copy) {
                        found.lock().unwrap_or_else(PoisonError::into_inner).push((nth, copy.offset, error));
                    }
                }
            }
        }
        Ok(())
    };
    portions.on_threads(settings.threads, &work).into_iter().collect::<Result<(), Error>>()?;
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_by_key(|(nth, offset, _)| (*nth, *offset));
    Ok(found.into_iter().map(|(.., error)| error).collect())
}

struct Reader<'a> {
    objects: &'a Objects,
    settings: &'a Settings<'a>,
    inflater: Inflater,
    /// Contents by the offsets of their entries: deltas come soon after what they are made of.
    known: HashMap<u64, (ObjectType, Vec<u8>)>,
    known_bytes: usize,
}

impl<'a> Reader<'a> {
    fn new(objects: &'a Objects, settings: &'a Settings<'a>) -> Reader<'a> {
        Reader { objects, settings, inflater: Inflater::new(), known: HashMap::new(), known_bytes: 0 }
    }

    fn check(&mut self, copy: &Copied) -> Result<(), Error> {
        let pack = self.objects.packs().get(copy.source as usize);
        let path = match (pack, self.objects.folder(copy.source)) {
            (Some(pack), _) => pack.path().to_path_buf(),
            (None, Some(folder)) => loose::path(folder, self.objects.id(copy.number)),
            (None, None) => PathBuf::new(),
        };
        let id =
            ObjectId::from_bytes(self.objects.id(copy.number)).ok_or(Error::NoSuchNumber(copy.number))?;
        let digest = match pack {
            Some(pack) => self.packed(pack, copy),
            None => self.loose(&path),
        };
        let damaged = |problem| Error::Object { id, path: path.clone(), offset: copy.offset, problem };
        match digest {
            Ok(digest) if digest == id => Ok(()),
            Ok(digest) => Err(damaged(Problem::Name(digest))),
            Err(Fault::Problem(problem)) => Err(damaged(problem)),
            Err(Fault::Hash(source)) => Err(Error::Hash { id, source }),
            // Somebody packed it, and removed what there was twice.
            Err(Fault::Error(error)) if has_vanished(&error) => Ok(()),
            Err(Fault::Error(error)) => Err(error),
        }
    }

    fn loose(&mut self, path: &std::path::Path) -> Result<ObjectId, Fault> {
        let file = Mapped::open(path)?;
        let (kind, size, header_len) = loose::header(file.bytes())?;
        if size > Objects::LARGE {
            let mut content = Inflating::new(file.bytes(), size.saturating_add(header_len as u64));
            let mut header = [0; Header::LONGEST];
            content.fill(header.get_mut(..header_len).unwrap_or_default())?;
            return self.large(kind, size, content);
        }
        let mut content = Vec::new();
        let kind = loose::read(file.bytes(), &mut self.inflater, &mut content)?;
        self.digest(kind, &content)
    }

    fn packed(&mut self, pack: &Pack, copy: &Copied) -> Result<ObjectId, Fault> {
        let bytes = pack.entry(copy.offset, copy.len);
        let header = entry::Header::parse(bytes, copy.offset, self.objects.id_len())?;
        if let Kind::Whole(kind) = header.kind
            && header.inflated_size > Objects::LARGE
        {
            let deflated = bytes.get(header.len..).unwrap_or_default();
            return self.large(kind, header.inflated_size, Inflating::new(deflated, header.inflated_size));
        }
        let known = &self.known;
        let (kind, content) = pack.content(copy.offset, &mut self.inflater, |at| known.get(&at).cloned())?;
        let digest = self.digest(kind, &content);
        self.keep(copy.offset, kind, content);
        digest
    }

    fn keep(&mut self, offset: u64, kind: ObjectType, content: Vec<u8>) {
        const MOST: usize = 64 << 20;
        self.known_bytes += content.len();
        if self.known_bytes > MOST {
            self.known.clear();
            self.known_bytes = content.len();
        }
        self.known.insert(offset, (kind, content));
    }

    fn digest(&self, kind: ObjectType, content: &[u8]) -> Result<ObjectId, Fault> {
        let mut digest = vec![0; self.settings.hash.digest_len()];
        let header = Header::new(kind, content.len() as u64);
        self.settings.hash.digest(header.as_bytes(), content, &mut digest).map_err(Fault::Hash)?;
        Ok(ObjectId::from_bytes(&digest).ok_or(Problem::Header("its digest is too long"))?)
    }

    fn large(&self, kind: ObjectType, size: u64, mut content: Inflating<'_>) -> Result<ObjectId, Fault> {
        let mut stream = self.settings.hash.start();
        stream.update(Header::new(kind, size).as_bytes());
        let mut piece = vec![0; 1 << 18];
        while let Ok(len @ 1..) = content.read(&mut piece) {
            super::check::goes_on(self.settings)?;
            stream.update(piece.get(..len).unwrap_or_default());
        }
        content.finish()?;
        let mut digest = vec![0; self.settings.hash.digest_len()];
        stream.finish(&mut digest).map_err(Fault::Hash)?;
        Ok(ObjectId::from_bytes(&digest).ok_or(Problem::Header("its digest is too long"))?)
    }
}

enum Fault {
    Problem(Problem),
    Hash(fieldtest_kinds::Error),
    Error(Error),
}

impl From<Problem> for Fault {
    fn from(problem: Problem) -> Fault {
        Fault::Problem(problem)
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        Fault::Error(error)
    }
}
