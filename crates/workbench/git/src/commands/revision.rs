//! From what people call an object to its ID (gitrevisions(7)): references, IDs and how they begin, and `^{type}`.

use std::fmt::Write;

use anyhow::{Result, anyhow, bail};
use fieldtest_git::convert::for_each_reference;
use fieldtest_git::{Error, Format, ObjectId, ObjectType, Objects, Reference, Repository, Target};

use crate::outcome::usage;

/// Digits of an abbreviated ID that Git takes at least.
const SHORTEST: usize = 4;

/// The object of a revision.
///
/// # Errors
/// A usage error if it is written in a way that is not read here; what is missing, or several things at once, if there
/// is no such object.
pub(super) fn resolve(
    repository: &Repository,
    objects: &Objects,
    format: &Format,
    text: &str,
) -> Result<ObjectId> {
    let (name, peelings) = split(text)?;
    let mut id = named(repository, objects, name)?;
    for peeling in peelings {
        id = peel(objects, format, id, peeling)?;
    }
    Ok(id)
}

/// What is between the braces of `^{}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Peeling {
    /// Nothing: whatever is behind all tags.
    Tags,
    /// The word `object`: whatever it is.
    Nothing,
    /// A type.
    To(ObjectType),
}

fn split(text: &str) -> Result<(&str, Vec<Peeling>)> {
    let unread = || {
        usage(format!(
            "'{text}' is no revision that is read here: give a branch, a tag, HEAD or an ID, with ^{{tree}}, ^{{commit}} \
             or ^{{}} after it if need be; `git rev-parse` makes an ID of anything else"
        ))
    };
    let (name, mut rest) = text.split_at(text.find("^{").unwrap_or(text.len()));
    if name.is_empty() || name.contains(['^', '~', ':', '?', '*', '[', '\\', ' ']) || name.contains("@{") {
        return Err(unread());
    }
    let mut peelings = Vec::new();
    while !rest.is_empty() {
        let (word, behind) =
            rest.strip_prefix("^{").and_then(|rest| rest.split_once('}')).ok_or_else(unread)?;
        peelings.push(match word {
            "" => Peeling::Tags,
            "object" => Peeling::Nothing,
            word => Peeling::To(ObjectType::from_word(word.as_bytes()).ok_or_else(unread)?),
        });
        rest = behind;
    }
    Ok((name, peelings))
}

fn named(repository: &Repository, objects: &Objects, name: &str) -> Result<ObjectId> {
    let id = name.parse().ok().filter(|id: &ObjectId| id.as_bytes().len() == repository.id_len());
    if let Some(id) = id {
        return Ok(id);
    }
    let mut references = repository.references()?;
    references.push(repository.head()?);
    let name = if name == "@" { "HEAD" } else { name };
    // The places where Git looks, in its order.
    let places =
        ["", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"].map(|place| format!("{place}{name}"));
    let places = places.into_iter().chain([format!("refs/remotes/{name}/HEAD")]);
    for place in places {
        if let Some(reference) = find(&references, place.as_bytes()) {
            return follow(&references, reference);
        }
    }
    abbreviated(objects, name)?.ok_or_else(|| {
        anyhow!(
            "{} has no branch, tag or object that is called '{name}'; `git for-each-ref` lists all references",
            repository.git_dir().display()
        )
    })
}

fn find<'r>(references: &'r [Reference], name: &[u8]) -> Option<&'r Reference> {
    references.iter().find(|reference| reference.name == name)
}

/// The object that a reference leads to, through others.
fn follow(references: &[Reference], reference: &Reference) -> Result<ObjectId> {
    /// As many as Git follows.
    const DEEPEST: usize = 5;
    let name = |name: &[u8]| String::from_utf8_lossy(name).escape_debug().to_string();
    let mut last = reference;
    for _ in 0..=DEEPEST {
        match &last.target {
            Target::Id(id) => return Ok(*id),
            Target::Symbolic(next) => {
                last = find(references, next).ok_or_else(|| {
                    anyhow!(
                        "{} stands for {}, which does not exist yet; commit something first",
                        name(&last.name),
                        name(next)
                    )
                })?;
            }
        }
    }
    bail!(
        "{} leads from reference to reference without an end; correct it with `git symbolic-ref`",
        name(&reference.name)
    )
}

/// The only object whose ID begins so; nothing if there is none or this is not how an ID begins.
fn abbreviated(objects: &Objects, digits: &str) -> Result<Option<ObjectId>> {
    let is_hex = digits.len() >= SHORTEST && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_hex || digits.len() > 2 * objects.id_len() {
        return Ok(None);
    }
    let wanted = digits.to_ascii_lowercase();
    let mut shown = String::new();
    let begins_so = |id: &ObjectId| {
        shown.clear();
        // Writing to a string does not fail.
        let _ = write!(shown, "{id}");
        shown.starts_with(&wanted)
    };
    let all = (0..objects.len() as u32).filter_map(|number| ObjectId::from_bytes(objects.id(number)));
    let mut found: Vec<ObjectId> = all.filter(begins_so).collect();
    found.sort_unstable();
    match *found.as_slice() {
        [] => Ok(None),
        [id] => Ok(Some(id)),
        _ => {
            let ids: Vec<String> = found.iter().take(5).map(ToString::to_string).collect();
            let more = if found.len() > ids.len() { ", …" } else { "" };
            bail!(
                "the IDs of {} objects begin with {digits}; give more digits: {}{more}",
                found.len(),
                ids.join(", ")
            )
        }
    }
}

fn peel(objects: &Objects, format: &Format, start: ObjectId, peeling: Peeling) -> Result<ObjectId> {
    let mut id = start;
    let mut content = Vec::new();
    loop {
        let number = objects.find(id.as_bytes());
        let kind = match number {
            Some(number) => objects.kind(number),
            // Git has it built in.
            None if format.id_of(ObjectType::Tree, b"").is_ok_and(|empty| empty == id) => ObjectType::Tree,
            None => return Err(Error::Missing(id).into()),
        };
        let is_there = match peeling {
            Peeling::Nothing => true,
            Peeling::Tags => kind != ObjectType::Tag,
            Peeling::To(wanted) => kind == wanted,
        };
        if is_there {
            return Ok(id);
        }
        let leads_on =
            kind == ObjectType::Tag || kind == ObjectType::Commit && peeling == Peeling::To(ObjectType::Tree);
        let mut next = None;
        if let Some(number) = number.filter(|_| leads_on) {
            objects.read(number, &mut content)?;
            // A tag names its object first, and a commit its tree.
            for_each_reference(kind, &content, objects.id_len(), &mut |id| {
                next = next.or(ObjectId::from_bytes(id));
            });
        }
        id = match (next, peeling) {
            (Some(next), _) => next,
            (None, Peeling::To(wanted)) => bail!("{start} leads to the {kind} {id}, and to no {wanted}"),
            (None, _) => bail!("the {kind} {id} names nothing; `git fsck` tells more"),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read() {
        let split = |text| split(text).expect("a revision");
        assert_eq!(split("v1.0"), ("v1.0", vec![]));
        assert_eq!(split("@"), ("@", vec![]));
        assert_eq!(split("HEAD^{tree}"), ("HEAD", vec![Peeling::To(ObjectType::Tree)]));
        let twice = vec![Peeling::Tags, Peeling::To(ObjectType::Commit)];
        assert_eq!(split("a/b^{}^{commit}"), ("a/b", twice));
    }

    #[test]
    fn what_is_not() {
        for text in
            ["", "^{tree}", "a^", "a~1", "a:b", "a^{", "a^{tree", "a^{tree}x", "a^{nonsense}", "a@{1}"]
        {
            assert!(split(text).is_err(), "{text}");
        }
    }
}
