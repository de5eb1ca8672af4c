//! Which objects others lead to.

use super::graph::{Graph, refused};
use crate::convert::{Refusal, for_each_reference};
use crate::{Error, ObjectId, ObjectType};

/// Which objects `starts` lead to, themselves included, by number. Objects that are missing are passed over here; the
/// conversion says who names them.
///
/// # Errors
/// [`Error::Missing`] if one of `starts` is not in the repository.
pub(crate) fn reachable(graph: &Graph<'_>, starts: &[ObjectId]) -> Result<Vec<bool>, Error> {
    let objects = graph.objects;
    let mut marked = vec![false; objects.len()];
    let mut waiting = Vec::new();
    let mut mark = |number: u32, waiting: &mut Vec<u32>| {
        if let Some(mark) = marked.get_mut(number as usize)
            && !*mark
        {
            *mark = true;
            if objects.kind(number) != ObjectType::Blob {
                waiting.push(number);
            }
        }
    };
    for start in starts {
        mark(objects.find(start.as_bytes()).ok_or(Error::Missing(*start))?, &mut waiting);
    }
    while let Some(number) = waiting.pop() {
        if let Some(tree) = graph.tree(number) {
            tree.entries
                .iter()
                .filter_map(|entry| entry.number())
                .for_each(|child| mark(child, &mut waiting));
        } else if let Some((kind, content)) = graph.content(number) {
            for_each_reference(kind, content, objects.id_len(), &mut |id| {
                if let Some(named) = objects.find(id) {
                    mark(named, &mut waiting);
                }
            });
        }
    }
    Ok(marked)
}

/// Trees by level: those that name no trees, then those that name none but these, and so on.
///
/// # Errors
/// [`Error::Convert`] for a tree that contains itself, which the collision of two IDs would make.
pub(super) fn levels(graph: &Graph<'_>, wanted: impl Fn(u32) -> bool) -> Result<Vec<Vec<u32>>, Error> {
    const UNKNOWN: u16 = u16::MAX;
    const OPEN: u16 = u16::MAX - 1;
    let mut level_of = vec![UNKNOWN; graph.objects.len()];
    let mut levels: Vec<Vec<u32>> = Vec::new();
    for start in graph.trees().map(|tree| tree.number).filter(|&number| wanted(number)) {
        // Each with the place of its next entry and the highest level among those before it.
        let mut path = vec![(start, 0, 0)];
        while let Some((number, at, level)) = path.last_mut() {
            let number = *number;
            let slot = number as usize;
            if *at == 0 && level_of.get(slot).is_some_and(|&known| known < OPEN) {
                path.pop();
                continue;
            }
            if let Some(known) = level_of.get_mut(slot) {
                *known = OPEN;
            }
            let entries = graph.tree(number).map_or(&[][..], |tree| tree.entries);
            let mut deeper = None;
            for entry in entries.get(*at..).unwrap_or_default() {
                let child = entry.tree().filter(|&child| wanted(child) && graph.tree(child).is_some());
                match child.and_then(|child| Some((child, *level_of.get(child as usize)?))) {
                    Some((child, UNKNOWN)) => {
                        deeper = Some(child);
                        break;
                    }
                    Some((_, OPEN)) => {
                        let what = "a tree contains itself";
                        return Err(refused(graph.objects, number, Refusal::Malformed { what, offset: 0 }));
                    }
                    Some((_, known)) => *level = (*level).max(known + 1),
                    None => {}
                }
                *at += 1;
            }
            if let Some(child) = deeper {
                // Entered again at the child, whose level is known then; 0 would read as not yet entered.
                path.push((child, 0, 0));
                continue;
            }
            let level = *level;
            if usize::from(level) >= usize::from(OPEN) - 1 {
                let what = "trees are nested too deeply";
                return Err(refused(graph.objects, number, Refusal::Malformed { what, offset: 0 }));
            }
            if let Some(known) = level_of.get_mut(slot) {
                *known = level;
            }
            if levels.len() <= usize::from(level) {
                levels.resize_with(usize::from(level) + 1, Vec::new);
            }
            levels[usize::from(level)].push(number);
            path.pop();
        }
    }
    Ok(levels)
}
