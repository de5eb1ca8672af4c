//! What references must not lead to.

use std::collections::HashMap;

use crate::{Error, ObjectId, ObjectType, Objects, Reference, Target};

/// Names the branches and the `HEAD` that lead to what is no commit and the `HEAD`s that stand for no branch, as `git fsck`
/// does, and symbolic references that lead in a circle. What is missing is not looked at.
pub(super) fn check(objects: &Objects, references: &[Reference], damaged: &mut Vec<Error>) {
    let by_name: HashMap<&[u8], &Target> =
        references.iter().map(|reference| (reference.name.as_slice(), &reference.target)).collect();
    for reference in references {
        let (target, id) = match end(&reference.target, &by_name) {
            End::Circle => (None, None),
            End::Id { name, id } => (Some(name), Some(id)),
            End::Nothing(name) => (Some(Some(name)), None),
        };
        let problem = match (target, is_head(&reference.name)) {
            (None, _) => Some("it leads from reference to reference without an end".to_owned()),
            (Some(Some(name)), true) if !name.starts_with(b"refs/heads/") => {
                let name = String::from_utf8_lossy(name);
                Some(format!("it stands for {name:?}, and has to stand for a branch or hold an ID"))
            }
            _ if reference.is_branch() => id.and_then(|id| {
                let kind = objects.kind(objects.find(id.as_bytes())?);
                (kind != ObjectType::Commit)
                    .then(|| format!("it leads to the {kind} {id}, and has to lead to a commit"))
            }),
            _ => None,
        };
        damaged.extend(problem.map(|problem| Error::Reference { name: reference.name.clone(), problem }));
    }
}

/// Whether it is the `HEAD` of any working tree.
fn is_head(name: &[u8]) -> bool {
    name == b"HEAD" || name.starts_with(b"worktrees/")
}

/// Where a reference leads to, through others.
enum End<'r> {
    /// An object, which the last of the others holds if there are any.
    Id { name: Option<&'r [u8]>, id: ObjectId },
    /// A name that nothing has.
    Nothing(&'r [u8]),
    /// No end.
    Circle,
}

fn end<'r>(target: &'r Target, by_name: &HashMap<&[u8], &'r Target>) -> End<'r> {
    /// As many as Git follows (`SYMREF_MAXDEPTH`).
    const DEEPEST: usize = 5;
    let (mut name, mut last) = (None, target);
    for _ in 0..=DEEPEST {
        match last {
            Target::Id(id) => return End::Id { name, id: *id },
            Target::Symbolic(next) => match by_name.get(next.as_slice()) {
                Some(target) => (name, last) = (Some(next.as_slice()), target),
                None => return End::Nothing(next),
            },
        }
    }
    End::Circle
}
