//! What references must not lead to.

use std::collections::HashMap;

use crate::{Error, ObjectType, Objects, Reference, Target};

/// Names the branches and the `HEAD` that lead to what is no commit, as `git fsck` does, and symbolic references that lead
/// in a circle. What is missing is not looked at.
pub(super) fn check(objects: &Objects, references: &[Reference], damaged: &mut Vec<Error>) {
    let by_name: HashMap<&[u8], &Target> =
        references.iter().map(|reference| (reference.name.as_slice(), &reference.target)).collect();
    for reference in references {
        let problem = match &reference.target {
            Target::Id(id) if reference.is_branch() => objects
                .find(id.as_bytes())
                .map(|number| objects.kind(number))
                .filter(|kind| *kind != ObjectType::Commit)
                .map(|kind| format!("it leads to the {kind} {id}, and has to lead to a commit")),
            Target::Id(_) => None,
            Target::Symbolic(_) => goes_in_a_circle(&reference.target, &by_name)
                .then(|| "it leads from reference to reference without an end".to_owned()),
        };
        damaged.extend(problem.map(|problem| Error::Reference { name: reference.name.clone(), problem }));
    }
}

/// Whether a symbolic reference never comes to an end.
fn goes_in_a_circle(target: &Target, by_name: &HashMap<&[u8], &Target>) -> bool {
    /// As many as Git follows (`SYMREF_MAXDEPTH`).
    const DEEPEST: usize = 5;
    let mut last = target;
    for _ in 0..DEEPEST {
        let Target::Symbolic(name) = last else { return false };
        let Some(next) = by_name.get(name.as_slice()) else { return false };
        last = next;
    }
    matches!(last, Target::Symbolic(name) if by_name.contains_key(name.as_slice()))
}
