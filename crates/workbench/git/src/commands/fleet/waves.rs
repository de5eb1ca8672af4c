//! The order of a fleet: each behind what it needs, those that need each other together.

use std::collections::{HashMap, HashSet};

/// Some that need each other, or one, and the wave that they are in: above all that they need.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Group {
    pub(super) members: Vec<usize>,
    pub(super) wave: u32,
}

/// All groups of what needs these others each, by their numbers, the innermost first.
pub(super) fn groups(needs: &[Vec<usize>]) -> Vec<Group> {
    let mut group: Vec<usize> = (0..needs.len()).collect();
    let settled = in_order(needs, &group);
    if settled.len() < needs.len() {
        let settled: HashSet<usize> = settled.iter().map(|(at, _)| *at).collect();
        let open: Vec<usize> = (0..needs.len()).filter(|at| !settled.contains(at)).collect();
        let reached: HashMap<usize, Vec<bool>> = open.iter().map(|&at| (at, reached(at, needs))).collect();
        for &at in &open {
            // The first of them stands for all.
            let needs_and_is_needed = |other: &usize| reached[&at][*other] && reached[other][at];
            group[at] = open.iter().copied().find(needs_and_is_needed).unwrap_or(at);
        }
    }
    let mut members: HashMap<usize, Vec<usize>> = HashMap::new();
    for (at, &first) in group.iter().enumerate() {
        members.entry(first).or_default().push(at);
    }
    let in_order = in_order(needs, &group).into_iter();
    in_order.filter_map(|(first, wave)| Some(Group { members: members.remove(&first)?, wave })).collect()
}

fn reached(start: usize, needs: &[Vec<usize>]) -> Vec<bool> {
    let mut reached = vec![false; needs.len()];
    let mut waiting = vec![start];
    while let Some(at) = waiting.pop() {
        for &need in &needs[at] {
            if !reached[need] {
                reached[need] = true;
                waiting.push(need);
            }
        }
    }
    reached
}

/// The groups that can be ordered, by the first of each, with their waves.
fn in_order(needs: &[Vec<usize>], group: &[usize]) -> Vec<(usize, u32)> {
    let mut needed_by: Vec<Vec<usize>> = vec![Vec::new(); needs.len()];
    let mut open: Vec<usize> = vec![0; needs.len()];
    let mut waves: Vec<u32> = vec![0; needs.len()];
    for (at, needs) in needs.iter().enumerate() {
        for &need in needs.iter().filter(|&&need| group[need] != group[at]) {
            open[group[at]] += 1;
            needed_by[group[need]].push(group[at]);
        }
    }
    let mut in_order: Vec<usize> = (0..needs.len()).filter(|&at| group[at] == at && open[at] == 0).collect();
    let mut next = 0;
    while let Some(&at) = in_order.get(next) {
        next += 1;
        for &above in &needed_by[at] {
            waves[above] = waves[above].max(waves[at] + 1);
            open[above] -= 1;
            if open[above] == 0 {
                in_order.push(above);
            }
        }
    }
    in_order.into_iter().map(|at| (at, waves[at])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(needs: &[&[usize]]) -> Vec<(Vec<usize>, u32)> {
        let needs: Vec<Vec<usize>> = needs.iter().map(|needs| needs.to_vec()).collect();
        let groups = groups(&needs);
        let place = |wanted| groups.iter().position(|group| group.members.contains(&wanted)).unwrap();
        for (at, needs) in needs.iter().enumerate() {
            assert!(needs.iter().all(|&need| place(need) <= place(at)));
        }
        let mut sorted: Vec<_> = groups.into_iter().map(|group| (group.members, group.wave)).collect();
        sorted.sort();
        sorted
    }

    #[test]
    fn waves_are_innermost_first() {
        let found = sorted(&[&[1, 2], &[2], &[], &[0], &[2]]);
        let wanted = [2, 1, 0, 3, 1].into_iter().enumerate().map(|(at, wave)| (vec![at], wave));
        assert_eq!(found, wanted.collect::<Vec<_>>());
    }

    #[test]
    fn those_that_need_each_other_are_together() {
        // 0 → 1 → 2 → 0, 3 → 0, 4 → 4, 5 → 3, 6 alone, 7 → 6, 8 and 9 each other and 8 → 5.
        let found = sorted(&[&[1], &[2], &[0], &[0], &[4], &[3], &[], &[6], &[5, 9], &[8]]);
        let wanted =
            [(vec![0, 1, 2], 0), (vec![3], 1), (vec![4], 0), (vec![5], 2), (vec![6], 0), (vec![7], 1)];
        assert_eq!(found[..6], wanted);
        assert_eq!(found[6..], [(vec![8, 9], 3)]);
    }
}
