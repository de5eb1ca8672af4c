//! What stands in the files of references (gitrepository-layout(5), git-pack-refs(1)).

use super::Target;
use crate::ObjectId;

/// How the first line of a `packed-refs` begins, if it is no reference.
const HEADER: &[u8] = b"# pack-refs with:";

pub(super) fn parse_loose(text: &[u8], id_len: usize) -> Option<Target> {
    if let Some(name) = text.strip_prefix(b"ref:") {
        let name = name.trim_ascii();
        return (!name.is_empty()).then(|| Target::Symbolic(name.to_vec()));
    }
    let hex = text.get(..2 * id_len)?;
    let ends = text.get(2 * id_len).is_none_or(u8::is_ascii_whitespace);
    ObjectId::from_hex(hex).filter(|_| ends).map(Target::Id)
}

pub(super) type Named = (Vec<u8>, ObjectId);

/// The references of a `packed-refs`, or at which byte what is wrong. What tags lead to (`^` lines) is checked to be
/// an ID and not kept, since it stands in the tags themselves. A line that Git does not know makes it end, wherever that
/// is: there are no comments but the header. Where that says that names are sorted, Git looks for them in halves, and
/// does not find all if they are not.
pub(super) fn parse_packed(text: &[u8], id_len: usize) -> Result<Vec<Named>, (usize, &'static str)> {
    let mut found: Vec<Named> = Vec::new();
    let mut offset = 0;
    // Whether a `^` may follow.
    let mut of_tag = false;
    let mut is_sorted = false;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let begin = offset;
        offset += line.len();
        let line = line.strip_suffix(b"\n").ok_or((begin, "the file is cut off in this line"))?;
        let id_of = |hex: &[u8]| ObjectId::from_hex(hex).filter(|id| id.as_bytes().len() == id_len);
        if line.starts_with(b"#") {
            match begin == 0 && line.starts_with(HEADER) {
                true => {
                    is_sorted = line.split(|byte| *byte == b' ').any(|word| word == b"sorted");
                    continue;
                }
                false => {
                    return Err((begin, "this line is a comment, but Git allows only its own header"));
                }
            }
        }
        if let Some(peeled) = line.strip_prefix(b"^") {
            if !std::mem::take(&mut of_tag) || id_of(peeled).is_none() {
                return Err((begin, "this line is not ^ and an object ID after a tag"));
            }
            continue;
        }
        of_tag = true;
        let parts = line.split_at_checked(2 * id_len);
        let parts = parts.and_then(|(hex, rest)| match rest {
            // Git writes a space, and reads what it calls one.
            [b' ' | b'\t' | b'\r', name @ ..] => Some((id_of(hex)?, name)),
            _ => None,
        });
        match parts {
            Some((_, name)) if is_sorted && found.last().is_some_and(|(last, _)| last.as_slice() > name) => {
                return Err((begin, "this name sorts before the last one, but the header says `sorted`"));
            }
            Some((id, name)) if !name.is_empty() => found.push((name.to_vec(), id)),
            _ => return Err((begin, "this line is not an object ID, a space and a name")),
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ONE: &str = "165e5ad3169d0fd26637da3383a4514f1a9d1e72";
    const TWO: &str = "0bbf741030a758db45206e865ab58b9886f15dc8";

    #[test]
    fn packed_references() {
        let text = format!(
            "# pack-refs with: peeled fully-peeled sorted \n{ONE} refs/tags/a b\n^{TWO}\n{TWO} refs/x\n"
        );
        let found = parse_packed(text.as_bytes(), 20).unwrap();
        let wanted =
            [(b"refs/tags/a b".to_vec(), ONE.parse().unwrap()), (b"refs/x".to_vec(), TWO.parse().unwrap())];
        assert_eq!(found, wanted);
        for text in [
            format!("^{ONE}\n"),
            format!("{ONE} refs/x"),
            format!("{ONE}\n"),
            format!("{ONE} \n"),
            "x\n".into(),
            "# hello\n".into(),
            "#pack-refs with:\n".into(),
            format!("{ONE} refs/x\n# pack-refs with: \n"),
            format!("{ONE} refs/x\n^{TWO}\n^{TWO}\n"),
        ] {
            assert!(parse_packed(text.as_bytes(), 20).is_err(), "{text:?}");
        }
        assert_eq!(parse_packed(format!("{ONE} refs/x\n{TWO}\n").as_bytes(), 20).unwrap_err().0, 48);
    }

    #[test]
    fn loose_references() {
        assert_eq!(parse_loose(format!("{ONE}\n").as_bytes(), 20), Some(Target::Id(ONE.parse().unwrap())));
        assert_eq!(parse_loose(b"ref: refs/heads/x\n", 20), Some(Target::Symbolic(b"refs/heads/x".to_vec())));
        for text in [&b""[..], b"ref: \n", &ONE.as_bytes()[1..], format!("{ONE}00\n").as_bytes()] {
            assert_eq!(parse_loose(text, 20), None);
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..120), text in "[0-9a-f#^ \\nr]{0,120}") {
            for input in [&bytes, text.as_bytes()] {
                let _ = (parse_packed(input, 20), parse_packed(input, 1), parse_loose(input, 20));
            }
        }
    }
}
