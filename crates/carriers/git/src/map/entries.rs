//! Trees as short lists: an entry takes 8 bytes instead of some 40, and most are copied from another tree's list.

use super::heads::Heads;
use crate::convert::{Refusal, first_entry};
use crate::links::is_mistyped;
use crate::pack::delta::{Delta, Instruction};
use crate::{ObjectId, ObjectType, Objects};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The number of its head in the thread's [`Heads`].
    pub(crate) head: u32,
    child: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Child {
    /// An object of the repository that is no tree.
    Object(u32),
    Tree(u32),
    /// A place in the thread's list of IDs that are not in the repository: submodules' commits, missing objects.
    Elsewhere(u32),
}

const TREE: u32 = 1 << 31;
const ELSEWHERE: u32 = 1 << 30;

impl Entry {
    /// Repositories of more objects cannot be converted.
    pub(crate) const MOST_OBJECTS: usize = ELSEWHERE as usize;

    fn new(head: u32, child: Child) -> Entry {
        let child = match child {
            Child::Object(number) => number,
            Child::Tree(number) => number | TREE,
            Child::Elsewhere(place) => place | ELSEWHERE,
        };
        Entry { head, child }
    }

    #[inline]
    pub(crate) fn child(self) -> Child {
        match (self.child & TREE != 0, self.child & ELSEWHERE != 0) {
            (true, _) => Child::Tree(self.child & !TREE),
            (_, true) => Child::Elsewhere(self.child & !ELSEWHERE),
            _ => Child::Object(self.child),
        }
    }

    /// The number of the object, of whatever type; none if it is elsewhere.
    #[inline]
    pub(crate) fn number(self) -> Option<u32> {
        (self.child & ELSEWHERE == 0).then_some(self.child & !TREE)
    }

    #[inline]
    pub(crate) fn tree(self) -> Option<u32> {
        (self.child & TREE != 0).then_some(self.child & !TREE)
    }
}

/// Makes lists of trees, with what they have in common.
pub(crate) struct Lister<'a> {
    objects: &'a Objects,
    pub(crate) heads: Heads,
    /// IDs that are not in the repository.
    pub(crate) elsewhere: Vec<ObjectId>,
    /// Whether entries of an object of another type than their mode says are refused.
    pub(super) is_strict: bool,
}

impl<'a> Lister<'a> {
    pub(crate) fn new(objects: &'a Objects) -> Lister<'a> {
        Lister { objects, heads: Heads::default(), elsewhere: Vec::new(), is_strict: true }
    }

    pub(crate) fn old_id(&self, number: u32) -> Option<ObjectId> {
        ObjectId::from_bytes(self.objects.id(number))
    }

    /// Lists a tree of which nothing is known.
    pub(crate) fn list(&mut self, content: &[u8], list: &mut Vec<Entry>) -> Result<(), Refusal> {
        let mut at = 0;
        while at < content.len() {
            at = self.parse(content, at, list)?;
        }
        Ok(())
    }

    /// Lists a tree that a delta made of another, whose list is `base`. What the delta copies is copied from there, as far
    /// as whole entries go; a delta is made of bytes and may cut an entry anywhere.
    pub(crate) fn list_delta(
        &mut self,
        content: &[u8],
        delta: &[u8],
        base: &[Entry],
        list: &mut Vec<Entry>,
    ) -> Result<(), Refusal> {
        let Ok(mut delta) = Delta::parse(delta) else { return self.list(content, list) };
        let mut base = Cursor { entries: base, at: 0, offset: 0, rewinds: 0 };
        // Where in the content the next entry begins, and where the instruction at hand ends.
        let (mut at, mut end) = (0, 0);
        while let Ok(Some(instruction)) = delta.next_instruction() {
            let begin = end;
            let offset = match instruction {
                Instruction::Insert(bytes) => {
                    end += bytes.len();
                    continue;
                }
                Instruction::Copy { offset, len } => {
                    end += len;
                    offset
                }
            };
            while at < begin {
                at = self.parse(content, at, list)?;
            }
            while at < end {
                if base.seek(offset + (at - begin), &self.heads, self.objects.id_len()) {
                    let copied = base.take(offset + (end - begin), &self.heads, self.objects.id_len(), list);
                    at += copied;
                    if copied > 0 {
                        continue;
                    }
                }
                at = self.parse(content, at, list)?;
            }
        }
        while at < content.len() {
            at = self.parse(content, at, list)?;
        }
        Ok(())
    }

    /// Lists one entry, and returns where the next begins.
    fn parse(&mut self, content: &[u8], at: usize, list: &mut Vec<Entry>) -> Result<usize, Refusal> {
        let id_len = self.objects.id_len();
        let malformed = Refusal::Malformed { what: "a tree's entry is malformed", offset: at };
        let entry = content.get(at..).and_then(|rest| first_entry(rest, id_len)).ok_or(malformed)?;
        let head = self.heads.intern(entry.head, entry.mode);
        let found = if self.heads.is_gitlink(head) { None } else { self.objects.find(entry.id) };
        if self.is_strict
            && let Some((id, wanted, found)) = is_mistyped(self.objects, found, self.heads.kind(head))
        {
            return Err(Refusal::Type { id, wanted, found });
        }
        let child = match found {
            Some(number) if self.objects.kind(number) == ObjectType::Tree => Child::Tree(number),
            Some(number) => Child::Object(number),
            None => {
                self.elsewhere.extend(ObjectId::from_bytes(entry.id));
                Child::Elsewhere(self.elsewhere.len() as u32 - 1)
            }
        };
        list.push(Entry::new(head, child));
        Ok(at + entry.head.len() + id_len)
    }
}

/// A place between the entries of a base.
struct Cursor<'b> {
    entries: &'b [Entry],
    /// The next entry, and where it begins in the base's content.
    at: usize,
    offset: usize,
    rewinds: usize,
}

impl Cursor<'_> {
    /// Git's deltas of trees copy forward. One that was made to jump back all the time is parsed instead.
    const MOST_REWINDS: usize = 16;

    /// Goes to the entry that begins at `offset`; false if none does.
    fn seek(&mut self, offset: usize, heads: &Heads, id_len: usize) -> bool {
        if offset < self.offset {
            if self.rewinds == Self::MOST_REWINDS {
                return false;
            }
            *self = Cursor { entries: self.entries, at: 0, offset: 0, rewinds: self.rewinds + 1 };
        }
        while self.offset < offset
            && let Some(entry) = self.entries.get(self.at)
        {
            self.offset += heads.len_of(entry.head) + id_len;
            self.at += 1;
        }
        self.offset == offset
    }

    /// Copies the entries from here on that end at `end` or before, and returns how many bytes they are.
    fn take(&mut self, end: usize, heads: &Heads, id_len: usize, list: &mut Vec<Entry>) -> usize {
        let (first, begin) = (self.at, self.offset);
        while let Some(entry) = self.entries.get(self.at) {
            let next = self.offset + heads.len_of(entry.head) + id_len;
            if next > end {
                break;
            }
            self.offset = next;
            self.at += 1;
        }
        list.extend_from_slice(self.entries.get(first..self.at).unwrap_or_default());
        self.offset - begin
    }
}
