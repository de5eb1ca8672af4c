//! Commits: the tree, the parents and the tags that merges embed are renamed.

use super::lines::{Header, first_header};
use super::{Converter, Kept, Names, Refusal, mergetag};

/// Appends the new form of a commit, by the rules of Git's conversion (hash-function-transition, "Object format").
pub(super) fn convert(
    converter: &Converter,
    content: &[u8],
    names: &dyn Names,
    new: &mut Vec<u8>,
) -> Result<(), Refusal> {
    let mut rest = content;
    // All of them are named before anything else that hinders: whoever keeps one is not to come upon the next.
    let (mut unknown, mut unmapped): (Vec<String>, _) = (Vec::new(), Ok(()));
    let mut but_unmapped = |renamed: Result<(), Refusal>| match renamed {
        Err(refusal @ Refusal::Unmapped { .. }) => {
            if unmapped.is_ok() {
                unmapped = Err(refusal);
            }
            Ok(())
        }
        renamed => renamed,
    };
    loop {
        let offset = content.len() - rest.len();
        if rest.is_empty() || rest.first() == Some(&b'\n') {
            // The message is no concern of a conversion: IDs that it mentions stay as they were written.
            new.extend_from_slice(rest);
            return if unknown.is_empty() {
                unmapped
            } else {
                Err(Refusal::UnknownHeader { headers: unknown })
            };
        }
        let header =
            first_header(rest).ok_or(Refusal::Malformed { what: "a header's line has no end", offset })?;
        if let Some(tag) = header.value(b"mergetag") {
            but_unmapped(mergetag::convert(converter, tag, header.continuation(), offset, names, new))?;
        } else if let Some((role, hex)) =
            ["tree", "parent"].into_iter().find_map(|role| Some((role, header.value(role.as_bytes())?)))
        {
            new.extend_from_slice(role.as_bytes());
            new.push(b' ');
            but_unmapped(converter.rename(role, hex, offset, names, new))?;
            new.push(b'\n');
            new.extend_from_slice(header.continuation());
        } else if is_kept(&header, &converter.kept) {
            new.extend_from_slice(header.whole);
        } else {
            let name = header.name();
            if !unknown.contains(&name) {
                unknown.push(name);
            }
        }
        rest = rest.get(header.whole.len()..).unwrap_or_default();
    }
}

/// Headers that other programs than Git write and that are known to name no Git object. Git's own conversion refuses
/// them. Who writes which, and where that can be read, stands in `docs/git.md`, “Unknown headers”.
pub(super) const HARMLESS: [&str; 10] = [
    "change-id",
    "gitbutler-headers-version",
    "gitbutler-change-id",
    "gitbutler-conflicted",
    "jj:conflict-labels",
    "HG:extra",
    "HG:rename",
    "HG:rename-source",
    "kilnhgusername",
    "kilnhgrawdescription",
];

/// Whether a header is known to name no objects.
fn is_kept(header: &Header<'_>, kept: &Kept) -> bool {
    const ALWAYS: [&[u8]; 4] = [b"author ", b"committer ", b"encoding ", b"gpgsig"];
    let line = header.first_line;
    ALWAYS.iter().any(|name| line.starts_with(name))
        || HARMLESS.iter().any(|name| line.strip_prefix(name.as_bytes()).is_some_and(ends_name))
        || match kept {
            Kept::Only(names) => {
                names.iter().any(|name| line.strip_prefix(name.as_slice()).is_some_and(ends_name))
            }
            Kept::All => true,
        }
}

fn ends_name(rest: &[u8]) -> bool {
    rest.first().is_none_or(|&byte| byte == b' ')
}
