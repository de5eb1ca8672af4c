//! Annotated tags: the tagged object is renamed, and the signatures over the two forms change places.

use super::lines::lines;
use super::{Converter, Names, Refusal};

/// How a line begins that begins a signature: OpenPGP, X.509, SSH (git-config(1), `gpg.format`).
const SIGNATURES: [&[u8]; 4] = [
    b"-----BEGIN PGP SIGNATURE-----",
    b"-----BEGIN PGP MESSAGE-----",
    b"-----BEGIN SIGNED MESSAGE-----",
    b"-----BEGIN SSH SIGNATURE-----",
];

/// Appends the new form of a tag. `offset` is where the tag begins in what holds it, for messages.
pub(super) fn convert(
    converter: &Converter,
    content: &[u8],
    offset: usize,
    names: &dyn Names,
    new: &mut Vec<u8>,
) -> Result<(), Refusal> {
    let hex_len = 2 * converter.from.id_len;
    let object = content
        .strip_prefix(b"object ")
        .filter(|rest| rest.get(hex_len) == Some(&b'\n'))
        .and_then(|rest| rest.get(..hex_len))
        .ok_or(Refusal::Malformed { what: "a tag does not begin with its object", offset })?;
    let rest = content.get(b"object ".len() + hex_len + 1..).unwrap_or_default();

    let (body, own_signature) = rest.split_at_checked(signature_start(rest)).unwrap_or((rest, &[]));
    let body = Body::read(converter, body)?;
    if !own_signature.is_empty() && (own_signature.contains(&0) || body.headers.contains(&0)) {
        // Git moves the signature by functions that end at a zero byte, and would lose what comes after it.
        return Err(Refusal::Lossy { what: "a signed tag has a zero byte in its headers or signature" });
    }

    new.extend_from_slice(b"object ");
    converter.rename("object", object, offset, names, new)?;
    new.push(b'\n');
    new.extend_from_slice(&body.headers);
    for (at, (_, line)) in lines(own_signature).enumerate() {
        if at == 0 {
            new.extend_from_slice(&converter.from.signature_header);
        }
        new.push(b' ');
        new.extend_from_slice(line);
    }
    new.extend_from_slice(body.message);
    new.extend_from_slice(&body.new_signature);
    Ok(())
}

/// Where the signature at the end of a tag begins: at the last line that looks like the beginning of one, as Git has it.
fn signature_start(text: &[u8]) -> usize {
    lines(text)
        .filter(|(_, line)| SIGNATURES.iter().any(|begin| line.starts_with(begin)))
        .last()
        .map_or(text.len(), |(offset, _)| offset)
}

/// A tag after its first line and without the signature at its end.
struct Body<'a> {
    /// The headers, without the signature over the new form.
    headers: Vec<u8>,
    /// The empty line and the message.
    message: &'a [u8],
    /// The signature over the new form, which stood in a header.
    new_signature: Vec<u8>,
}

impl<'a> Body<'a> {
    fn read(converter: &Converter, text: &'a [u8]) -> Result<Body<'a>, Refusal> {
        let mut body = Body { headers: Vec::new(), message: &[], new_signature: Vec::new() };
        let mut in_signature = false;
        for (at, line) in lines(text) {
            if line.first() == Some(&b'\n') {
                body.message = text.get(at..).unwrap_or_default();
                break;
            }
            if let Some(first) = header_value(line, &converter.to.signature_header) {
                in_signature = true;
                body.new_signature.extend_from_slice(first);
            } else if let Some(next) = line.strip_prefix(b" ").filter(|_| in_signature) {
                body.new_signature.extend_from_slice(next);
            } else if header_value(line, &converter.from.signature_header).is_some() {
                let header = String::from_utf8_lossy(&converter.from.signature_header).into_owned();
                return Err(Refusal::OwnSignatureInHeader { header });
            } else {
                // Signatures over further forms stay. Git, which knows two formats, has no such case.
                in_signature = false;
                body.headers.extend_from_slice(line);
            }
        }
        Ok(body)
    }
}

fn header_value<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    line.strip_prefix(name)?.strip_prefix(b" ")
}
