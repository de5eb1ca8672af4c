//! The blocks of a PEM file (RFC 7468).

use pem_rfc7468::Decoder;
use zeroize::Zeroizing;

use super::KeyError;

pub(super) struct Block {
    /// `PRIVATE KEY`, `CERTIFICATE`, …
    pub(super) label: String,
    pub(super) der: Zeroizing<Vec<u8>>,
}

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END ";

/// All blocks of a file, in order; none if the file is not PEM.
pub(super) fn blocks(file: &[u8]) -> Result<Vec<Block>, KeyError> {
    let mut blocks = Vec::new();
    let mut open: Option<(usize, usize)> = None;
    let mut offset = 0;
    for (number, line) in file.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let end = offset + line.len();
        if line.starts_with(BEGIN) {
            open = Some((number + 1, offset));
        } else if line.starts_with(END)
            && let Some((first, start)) = open.take()
        {
            blocks.push(block(first, file.get(start..end).unwrap_or_default())?);
        }
        offset = end;
    }
    match open {
        Some((line, _)) => Err(KeyError::Pem { line, reason: "its END line is missing".to_string() }),
        None => Ok(blocks),
    }
}

fn block(line: usize, text: &[u8]) -> Result<Block, KeyError> {
    // The header of RFC 1421 that OpenSSL writes into an encrypted key of its old forms.
    if text.windows(10).any(|part| part == b"Proc-Type:") {
        return Err(KeyError::Encrypted);
    }
    decode(text).map_err(|error| KeyError::Pem { line, reason: error.to_string() })
}

fn decode(text: &[u8]) -> Result<Block, pem_rfc7468::Error> {
    // The specification's 64 characters to a line are not what every tool writes.
    let mut decoder = Decoder::new_detect_wrap(text)?;
    let mut der = Zeroizing::new(Vec::with_capacity(decoder.remaining_len()));
    decoder.decode_to_end(&mut der)?;
    Ok(Block { label: decoder.type_label().to_string(), der })
}
