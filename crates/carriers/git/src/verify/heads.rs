//! What references must not lead to, and must not be called.

use crate::refs::{has_valid_form, read_one};
use crate::repository::path;
use crate::symbolic::{ByName, End};
use crate::{Error, ObjectType, Objects, Reference, Repository};

/// Names the references that Git does not read, because of their names or of those that they lead through, and, as
/// `git fsck` does, those that lead to no other, the branches and the `HEAD` that lead to what is no commit and the
/// `HEAD`s that stand for no branch. Objects that are missing are not looked at.
pub(super) fn check(
    repository: &Repository,
    objects: &Objects,
    references: &[Reference],
    damaged: &mut Vec<Error>,
) {
    let by_name = ByName::new(references);
    for reference in references {
        let end = by_name.end(reference);
        let of_name = || {
            let wrong = !is_head(&reference.name) && !has_valid_form(&reference.name);
            wrong.then(|| "Git allows no such name (git-check-ref-format(1))".to_owned())
        };
        let of_end = || match &end {
            // A branch without commits has a `HEAD` that leads to it, and nothing else.
            End::Nothing { name, .. } if is_head(&reference.name) => stands_for_no_branch(reference, name),
            End::Nothing { name, .. } if !is_beside(repository, name) => {
                let name = String::from_utf8_lossy(name);
                Some(format!("it points to {name:?}, which is missing or unreadable"))
            }
            End::Id { holder, .. } if holder.name != reference.name => {
                stands_for_no_branch(reference, &holder.name)
            }
            _ => None,
        };
        let of_object = || match end {
            End::Id { id, .. } if reference.is_branch() => {
                let kind = objects.kind(objects.find(id.as_bytes())?);
                (kind != ObjectType::Commit)
                    .then(|| format!("it points to the {kind} {id}, but must point to a commit"))
            }
            _ => None,
        };
        let problem = of_name().or_else(|| end.problem()).or_else(of_end).or_else(of_object);
        damaged.extend(problem.map(|problem| Error::Reference { name: reference.name.clone(), problem }));
    }
}

/// The `HEAD` of any working tree has to stand for a branch, unless it holds an ID itself.
fn stands_for_no_branch(reference: &Reference, name: &[u8]) -> Option<String> {
    (is_head(&reference.name) && !name.starts_with(b"refs/heads/")).then(|| {
        let name = String::from_utf8_lossy(name);
        format!("it points to {name:?}, but must point to a branch or contain an ID")
    })
}

/// Whether Git finds a reference that is not among the others, such as `ORIG_HEAD`.
fn is_beside(repository: &Repository, name: &[u8]) -> bool {
    let common_dir = repository.common_dir();
    let (folder, file) = match name.strip_prefix(b"main-worktree/") {
        Some(file) => (common_dir, file),
        None if name.starts_with(b"worktrees/") => (common_dir, name),
        None => (repository.git_dir(), name),
    };
    !name.starts_with(b"refs/")
        && read_one(&folder.join(path(file)), name.to_vec(), repository.id_len()).is_ok()
}

/// Whether it is the `HEAD` of any working tree.
fn is_head(name: &[u8]) -> bool {
    name == b"HEAD" || name.starts_with(b"worktrees/")
}
