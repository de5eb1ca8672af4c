//! The tag that a merge of a signed tag embeds in its commit: a whole tag object, each line of it after a space.

use super::lines::lines;
use super::{Converter, Names, Refusal, tag};

/// Appends the header `mergetag` with the new form of the tag, which may have more or fewer lines than the old one.
pub(super) fn convert(
    converter: &Converter,
    first_line: &[u8],
    continuation: &[u8],
    offset: usize,
    names: &dyn Names,
    new: &mut Vec<u8>,
) -> Result<(), Refusal> {
    let mut converted = Vec::new();
    tag::convert(converter, &unfold(first_line, continuation), offset, names, &mut converted)?;
    new.extend_from_slice(b"mergetag");
    for (_, line) in lines(&converted) {
        new.push(b' ');
        new.extend_from_slice(line);
    }
    if converted.last().is_some_and(|&byte| byte != b'\n') {
        new.push(b'\n');
    }
    Ok(())
}

/// The tag that a header embeds, given the rest of the header's first line and the lines that continue it.
pub(super) fn unfold(first_line: &[u8], continuation: &[u8]) -> Vec<u8> {
    let mut tag = first_line.to_vec();
    tag.push(b'\n');
    for (_, line) in lines(continuation) {
        tag.extend_from_slice(line.strip_prefix(b" ").unwrap_or(line));
    }
    tag
}
