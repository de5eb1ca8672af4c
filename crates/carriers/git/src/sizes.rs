//! How large a repository's objects are: what a study of hash functions on messages of real sizes is made from.

use crate::ObjectType;

/// Buckets for each doubling of the size.
const STEPS: usize = 4;
const BUCKETS: usize = 252;

/// The distribution of sizes, in buckets four of which span a doubling. Sizes below 8 have a bucket each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sizes {
    buckets: Vec<(u64, u64)>,
    largest: u64,
}

/// Objects of similar sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bucket {
    /// The smallest size that belongs here; the largest is below that of the next bucket.
    pub from: u64,
    /// How many objects.
    pub count: u64,
    /// Bytes of their contents.
    pub bytes: u64,
}

impl Default for Sizes {
    fn default() -> Self {
        Sizes { buckets: vec![(0, 0); BUCKETS], largest: 0 }
    }
}

impl Sizes {
    /// Adds an object of so many bytes.
    pub fn add(&mut self, size: u64) {
        let at = if size < STEPS as u64 {
            size as usize
        } else {
            let log = size.ilog2();
            STEPS * (log as usize - 1) + ((size >> (log - 2)) & 3) as usize
        };
        if let Some((count, bytes)) = self.buckets.get_mut(at) {
            *count += 1;
            *bytes += size;
        }
        self.largest = self.largest.max(size);
    }

    /// Adds what another thread has found.
    pub fn merge(&mut self, other: &Sizes) {
        for ((count, bytes), (more, more_bytes)) in self.buckets.iter_mut().zip(&other.buckets) {
            *count += more;
            *bytes += more_bytes;
        }
        self.largest = self.largest.max(other.largest);
    }

    /// How many objects.
    pub fn count(&self) -> u64 {
        self.buckets.iter().map(|(count, _)| count).sum()
    }

    /// Bytes of all contents.
    pub fn bytes(&self) -> u64 {
        self.buckets.iter().map(|(_, bytes)| bytes).sum()
    }

    /// The largest size.
    pub fn largest(&self) -> u64 {
        self.largest
    }

    /// The buckets that are not empty, from the smallest sizes on.
    pub fn buckets(&self) -> impl Iterator<Item = Bucket> {
        let from = |at: usize| {
            if at < STEPS { at as u64 } else { ((STEPS + at % STEPS) as u64) << (at / STEPS - 1) }
        };
        let all = self.buckets.iter().enumerate();
        all.filter(|(_, (count, _))| *count > 0).map(move |(at, &(count, bytes))| Bucket {
            from: from(at),
            count,
            bytes,
        })
    }
}

/// The sizes of each type.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SizesByType([Sizes; 4]);

impl SizesByType {
    /// Those of one type.
    pub fn of(&self, kind: ObjectType) -> &Sizes {
        let [commits, trees, blobs, tags] = &self.0;
        match kind {
            ObjectType::Commit => commits,
            ObjectType::Tree => trees,
            ObjectType::Blob => blobs,
            ObjectType::Tag => tags,
        }
    }

    /// Adds an object.
    pub fn add(&mut self, kind: ObjectType, size: u64) {
        let [commits, trees, blobs, tags] = &mut self.0;
        match kind {
            ObjectType::Commit => commits,
            ObjectType::Tree => trees,
            ObjectType::Blob => blobs,
            ObjectType::Tag => tags,
        }
        .add(size);
    }

    /// Adds what another thread has found.
    pub fn merge(&mut self, other: &SizesByType) {
        self.0.iter_mut().zip(&other.0).for_each(|(sizes, more)| sizes.merge(more));
    }

    /// Those of all types together.
    pub fn all(&self) -> Sizes {
        let mut all = Sizes::default();
        self.0.iter().for_each(|sizes| all.merge(sizes));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_is_in_the_bucket_that_begins_at_or_before_it() {
        let sizes = (0..200)
            .chain((8..64).flat_map(|bit| [(1 << bit) - 1, 1 << bit, (1 << bit) + 1]))
            .chain([u64::MAX]);
        for size in sizes {
            let mut one = Sizes::default();
            one.add(size);
            let bucket = one.buckets().next().unwrap();
            assert_eq!((bucket.count, bucket.bytes, one.largest()), (1, size, size));
            assert!(
                bucket.from <= size && size - bucket.from <= bucket.from / STEPS as u64,
                "{size}: {bucket:?}"
            );
            let mut before = Sizes::default();
            before.add(bucket.from.saturating_sub(1));
            assert!(bucket.from == 0 || before.buckets().next().unwrap().from < bucket.from);
        }
    }

    #[test]
    fn threads_add_up() {
        let (mut one, mut two, mut both) =
            (SizesByType::default(), SizesByType::default(), SizesByType::default());
        for size in 0..100 {
            let kind = ObjectType::ALL[size as usize % 4];
            if size % 3 == 0 {
                one.add(kind, size)
            } else {
                two.add(kind, size)
            }
            both.add(kind, size);
        }
        one.merge(&two);
        assert_eq!(one, both);
        assert_eq!((one.all().count(), one.all().bytes(), one.of(ObjectType::Tag).count()), (100, 4950, 25));
    }
}
