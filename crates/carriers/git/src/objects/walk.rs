//! The walk over all objects: along the delta trees from their roots, so that every entry is inflated once.

use std::io::Read;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::{Forest, Objects};
use crate::pack::inflate::Inflater;
use crate::threads::on_threads;
use crate::{Error, ObjectId, ObjectType, Problem};

/// One object of a walk.
#[derive(Debug, Clone, Copy)]
pub struct Object<'a> {
    /// Its number.
    pub number: u32,
    /// Its type.
    pub kind: ObjectType,
    /// Its content, without the header.
    pub content: &'a [u8],
    /// The instructions that made it of its base, inflated, if it is stored as a delta.
    pub delta: Option<&'a [u8]>,
}

/// One thread's view of a walk. Every delta is visited after its base, on the same thread; what the visitor keeps of
/// the base is at hand.
pub trait Visitor: Send {
    /// What is kept of an object as long as deltas on it are to come. It makes the map quick, and is why
    /// this is no walk of `gix` (0.90.0), which has no place for it.
    type Kept;

    /// An object whose content is in memory.
    ///
    /// # Errors
    /// Whatever ends the walk.
    fn visit(&mut self, object: &Object<'_>, base: Option<&Self::Kept>) -> Result<Self::Kept, Error>;

    /// A blob too large for memory ([`Objects::LARGE`]), on which nothing is a delta: its content comes in pieces. If
    /// reading fails, the object is damaged, whatever is returned here.
    ///
    /// # Errors
    /// Whatever ends the walk.
    fn visit_large(&mut self, number: u32, size: u64, content: &mut dyn Read) -> Result<(), Error>;

    /// Whether objects of this type are wanted at all; chains of others are not inflated.
    fn wants(&self, _kind: ObjectType) -> bool {
        true
    }

    /// Whether another copy does where the first one of an object cannot be read; otherwise the object is damaged.
    fn takes_copies(&self) -> bool {
        true
    }

    /// An object that cannot be read: `Ok` goes on with the others. All objects that are deltas on it come here too.
    ///
    /// # Errors
    /// Whatever ends the walk; the error itself where this is not overridden.
    fn damaged(&mut self, _number: u32, error: Error) -> Result<(), Error> {
        Err(error)
    }
}

impl Objects {
    /// Visits every object once: `start` makes one visitor on each thread, and they come back.
    ///
    /// At any time each thread has the contents of at most as many objects in memory as their number has bits.
    ///
    /// # Errors
    /// The first error of a visitor.
    pub fn walk<V: Visitor>(
        &self,
        threads: NonZeroUsize,
        start: impl Fn() -> V + Sync,
    ) -> Result<Vec<V>, Error> {
        self.walk_wanted(threads, &|_| true, start)
    }

    /// Visits the wanted objects, and those that they are deltas on, directly or not; other chains are not inflated.
    ///
    /// # Errors
    /// The first error of a visitor.
    pub fn walk_wanted<V: Visitor>(
        &self,
        threads: NonZeroUsize,
        wanted: &dyn Fn(u32) -> bool,
        start: impl Fn() -> V + Sync,
    ) -> Result<Vec<V>, Error> {
        let (visitors, result) = self.walk_in(&Forest::new(self, wanted), threads, start);
        result.map(|()| visitors)
    }

    /// The same in a forest that is known already. The visitors come back from a walk that ended early, too.
    pub(crate) fn walk_in<V: Visitor>(
        &self,
        forest: &Forest,
        threads: NonZeroUsize,
        start: impl Fn() -> V + Sync,
    ) -> (Vec<V>, Result<(), Error>) {
        let walk = Walk { objects: self, forest, next: AtomicUsize::new(0), ended: AtomicBool::new(false) };
        let work = || {
            let mut worker = Worker {
                walk: &walk,
                visitor: start(),
                inflater: Inflater::new(),
                delta: Vec::new(),
                unused: Vec::new(),
            };
            let result = worker.run();
            if result.is_err() {
                walk.ended.store(true, Ordering::Relaxed);
            }
            (worker.visitor, result)
        };
        let (visitors, results): (Vec<V>, Vec<_>) = on_threads(threads, &work).into_iter().unzip();
        (visitors, results.into_iter().collect())
    }
}

struct Walk<'a> {
    objects: &'a Objects,
    forest: &'a Forest,
    /// The next portion of roots that no thread has taken.
    next: AtomicUsize,
    /// Whether another thread failed.
    ended: AtomicBool,
}

struct Worker<'a, V> {
    walk: &'a Walk<'a>,
    visitor: V,
    inflater: Inflater,
    delta: Vec<u8>,
    /// Buffers for contents.
    unused: Vec<Vec<u8>>,
}

/// An object whose children are being made.
struct Base<K> {
    number: u32,
    content: Vec<u8>,
    kept: K,
    /// How many of its children are done.
    done: usize,
}

/// Larger buffers are given back: a few of them would keep as much memory as all the others.
const LARGEST_UNUSED: usize = 8 << 20;

impl<V: Visitor> Worker<'_, V> {
    fn run(&mut self) -> Result<(), Error> {
        let Walk { objects, forest, next, .. } = self.walk;
        while let Some(roots) = forest.portion(next.fetch_add(1, Ordering::Relaxed)) {
            for root in roots.iter().copied() {
                if self.walk.ended.load(Ordering::Relaxed) {
                    return Ok(());
                }
                if self.visitor.wants(objects.kind(root)) {
                    self.tree(root)?;
                }
            }
        }
        Ok(())
    }

    /// Goes through the tree of a root, depth first.
    fn tree(&mut self, root: u32) -> Result<(), Error> {
        let Walk { objects, forest, .. } = self.walk;
        let leaf = forest.children(root).is_empty();
        if leaf && objects.kind(root) == ObjectType::Blob {
            match objects.size(root) {
                Ok(size) if size > Objects::LARGE => return self.large(root),
                Ok(_) => {}
                Err(_) if self.visitor.takes_copies() => {}
                Err(error) => return self.visitor.damaged(root, error),
            }
        }
        let mut content = self.unused.pop().unwrap_or_default();
        if let Err(error) = objects.read_root(root, &mut self.inflater, &mut content)
            && !self.copy(root, &mut content)
        {
            self.give_back(content);
            return self.damaged(root, error);
        }
        let object = Object { number: root, kind: objects.kind(root), content: &content, delta: None };
        let kept = self.visitor.visit(&object, None)?;
        let mut bases = Vec::new();
        self.descend(&mut bases, root, content, kept);
        while let Some(base) = bases.last_mut() {
            let children = forest.children(base.number);
            let Some(child) = children.get(base.done).copied() else { break };
            base.done += 1;
            let last = base.done == children.len();
            let mut content = self.unused.pop().unwrap_or_default();
            let made = objects
                .read_delta(child, &mut self.inflater, &mut self.delta)
                .and_then(|()| objects.apply(child, &self.delta, &base.content, &mut content));
            let kept = match made {
                Ok(()) => {
                    let delta = Some(self.delta.as_slice());
                    let object =
                        Object { number: child, kind: objects.kind(child), content: &content, delta };
                    Ok(self.visitor.visit(&object, Some(&base.kept))?)
                }
                Err(_) if self.copy(child, &mut content) => {
                    let object =
                        Object { number: child, kind: objects.kind(child), content: &content, delta: None };
                    Ok(self.visitor.visit(&object, Some(&base.kept))?)
                }
                Err(error) => Err(error),
            };
            if last && let Some(base) = bases.pop() {
                self.give_back(base.content);
            }
            match kept {
                Ok(kept) => self.descend(&mut bases, child, content, kept),
                Err(error) => {
                    self.give_back(content);
                    self.damaged(child, error)?;
                }
            }
            if self.walk.ended.load(Ordering::Relaxed) {
                break;
            }
        }
        Ok(())
    }

    fn copy(&self, number: u32, content: &mut Vec<u8>) -> bool {
        let kind = self.walk.objects.kind(number);
        self.visitor.takes_copies() && self.walk.objects.read_copy(number, content) == Some(kind)
    }

    /// Keeps an object for its children, if it has any.
    fn descend(&mut self, bases: &mut Vec<Base<V::Kept>>, number: u32, content: Vec<u8>, kept: V::Kept) {
        if self.walk.forest.children(number).is_empty() {
            self.give_back(content);
        } else {
            bases.push(Base { number, content, kept, done: 0 });
        }
    }

    fn large(&mut self, number: u32) -> Result<(), Error> {
        let visitor = &mut self.visitor;
        let read = self
            .walk
            .objects
            .read_in_pieces(number, |size, content| visitor.visit_large(number, size, content));
        match read {
            Ok(passed) => passed,
            Err(error) => self.visitor.damaged(number, error),
        }
    }

    /// Reports an object and all that are deltas on it, directly or not.
    fn damaged(&mut self, number: u32, error: Error) -> Result<(), Error> {
        let Walk { objects, forest, .. } = self.walk;
        self.visitor.damaged(number, error)?;
        let mut bases = vec![number];
        while let Some(base) = bases.pop() {
            let Some(id) = ObjectId::from_bytes(objects.id(base)) else { continue };
            for child in forest.children(base).iter().copied() {
                self.visitor.damaged(child, objects.error(child, Problem::UnreadableBase(id)))?;
                bases.push(child);
            }
        }
        Ok(())
    }

    fn give_back(&mut self, content: Vec<u8>) {
        if content.capacity() <= LARGEST_UNUSED {
            self.unused.push(content);
        }
    }
}
