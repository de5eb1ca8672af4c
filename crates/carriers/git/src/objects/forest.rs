//! The deltas of a repository as trees: what is no delta is a root, and deltas on an object are its children.

use super::Objects;

/// The children of each object, the roots in the order that they are worked on, and what is known of the chains.
pub(crate) struct Forest {
    /// Where each object's children begin in `children`; one more at the end.
    first: Vec<u32>,
    children: Vec<u32>,
    /// Roots, and where each portion of them ends.
    roots: Vec<u32>,
    portions: Vec<u32>,
    longest_chain: u32,
}

/// A portion is about this many bytes of a pack: many for the cost of taking one, few for threads to end together.
const PORTION: u64 = 256 << 10;

/// What an entry costs beside its bytes, as bytes.
const ENTRY: u64 = 64;

impl Forest {
    /// The trees of the wanted objects: these and all that they are deltas on, directly or not.
    pub(crate) fn new(objects: &Objects, wanted: &dyn Fn(u32) -> bool) -> Forest {
        let count = objects.len();
        let needed = needed(objects, wanted);
        let numbers = (0..count as u32).filter(|number| needed.get(*number as usize) == Some(&true));
        let mut first = vec![0_u32; count + 1];
        for base in numbers.clone().filter_map(|number| objects.base(number)) {
            bump(&mut first, base as usize + 1);
        }
        let mut sum = 0;
        for slot in &mut first {
            sum += *slot;
            *slot = sum;
        }
        let mut children = vec![0_u32; sum as usize];
        let mut next = first.clone();
        for number in numbers.clone() {
            if let Some(slot) = objects.base(number).and_then(|base| next.get_mut(base as usize)) {
                if let Some(child) = children.get_mut(*slot as usize) {
                    *child = number;
                }
                *slot += 1;
            }
        }
        drop(next);
        let roots: Vec<u32> = numbers.filter(|number| objects.base(*number).is_none()).collect();
        let mut forest = Forest { first, children, roots, portions: Vec::new(), longest_chain: 0 };
        forest.arrange(objects);
        forest
    }

    /// The objects that are deltas on this one.
    pub(crate) fn children(&self, number: u32) -> &[u32] {
        self.children.get(self.range(number)).unwrap_or_default()
    }

    /// The roots of a portion; none behind the last one.
    pub(crate) fn portion(&self, nth: usize) -> Option<&[u32]> {
        let end = *self.portions.get(nth)?;
        let begin = nth.checked_sub(1).and_then(|before| self.portions.get(before)).copied().unwrap_or(0);
        self.roots.get(begin as usize..end as usize)
    }

    /// Deltas from the most distant object to its root.
    pub(crate) fn longest_chain(&self) -> u32 {
        self.longest_chain
    }

    fn range(&self, number: u32) -> std::ops::Range<usize> {
        let at = |at: usize| self.first.get(at).copied().unwrap_or(0) as usize;
        at(number as usize)..at(number as usize + 1)
    }

    /// Puts the child with the most descendants last, and the roots into portions.
    ///
    /// The content of an object is needed until its last child is made. With the largest child last, whoever goes down
    /// the trees holds the contents of no more objects than their number has bits, however long the chains are.
    fn arrange(&mut self, objects: &Objects) {
        // Every object behind its base, by generations.
        let mut order = self.roots.clone();
        order.reserve_exact(self.children.len());
        let (mut begin, mut generations) = (0, 0);
        while begin < order.len() {
            let end = order.len();
            for at in begin..end {
                let Some(number) = order.get(at).copied() else { break };
                order.extend_from_slice(self.children(number));
            }
            begin = end;
            generations += 1;
        }
        self.longest_chain = u32::max(generations, 1) - 1;

        let mut descendants = vec![0_u32; objects.len()];
        let mut weights: Vec<u64> = objects.places.iter().map(|place| place.len + ENTRY).collect();
        for number in order.into_iter().rev() {
            let range = self.range(number);
            if let Some(children) = self.children.get_mut(range) {
                let size = |child: &u32| descendants.get(*child as usize).copied().unwrap_or(0);
                let all = children.len() as u32 + children.iter().map(size).sum::<u32>();
                let largest = (0..children.len()).max_by_key(|at| children.get(*at).map(size)).unwrap_or(0);
                if let Some(behind) = children.get_mut(largest..) {
                    behind.rotate_left(usize::from(!behind.is_empty()));
                }
                let weight = |child: &u32| weights.get(*child as usize).copied().unwrap_or(0);
                let further = children.iter().map(weight).sum::<u64>();
                if let Some(slot) = descendants.get_mut(number as usize) {
                    *slot = all;
                }
                if let Some(slot) = weights.get_mut(number as usize) {
                    *slot += further;
                }
            }
        }

        // The heaviest trees come first, so that none of them is begun when all other threads are about to end.
        let weight = |root: &u32| weights.get(*root as usize).copied().unwrap_or(0);
        let heavy = |root: &u32| weight(root) > 16 * PORTION;
        self.roots.sort_by_key(|root| if heavy(root) { u64::MAX - weight(root) } else { u64::MAX });
        let mut sum = 0;
        for (end, root) in (1..).zip(&self.roots) {
            sum += weight(root);
            if sum >= PORTION {
                self.portions.push(end);
                sum = 0;
            }
        }
        if sum > 0 {
            self.portions.push(self.roots.len() as u32);
        }
    }
}

fn needed(objects: &Objects, wanted: &dyn Fn(u32) -> bool) -> Vec<bool> {
    let mut needed = vec![false; objects.len()];
    for number in (0..objects.len() as u32).filter(|number| wanted(*number)) {
        let mut link = Some(number);
        while let Some(slot) =
            link.and_then(|number| needed.get_mut(number as usize)).filter(|known| !**known)
        {
            *slot = true;
            link = link.and_then(|number| objects.base(number));
        }
    }
    needed
}

fn bump(counts: &mut [u32], at: usize) {
    if let Some(count) = counts.get_mut(at) {
        *count += 1;
    }
}
