//! An engine that is a shared object: served by a process of this program, which speaks the [`protocol`] as any engine does. So nothing
//! that the library does, even to memory, reaches whoever asks. If it were loaded into this process, a
//! crash would end the study, and it would need a protocol of its own.
//!
//! Every name has a prefix before it, and a suffix behind the word of its kind (`crypto_hash_sha256`). `int` is 0 for success.
//!
//! | function | as |
//! |---|---|
//! | `crypto_sign_keypair(pk, sk)` | NIST's, PQClean's, liboqs's for most |
//! | `crypto_sign_signature(sig, *siglen, m, mlen, sk)` | PQClean's |
//! | `crypto_sign_verify(sig, siglen, m, mlen, pk)` | PQClean's |
//! | `crypto_hash(out, in, inlen)` | SUPERCOP's, NaCl's, libsodium's |
//! | `crypto_auth(out, in, inlen, k)` | the same |
//! | `crypto_auth_derive(k, master, masterlen, context, contextlen)` | our own: how a traffic key comes from a master key |
//! | `crypto_sector_encrypt(data, length, tweak, k)`, `crypto_sector_decrypt` | our own: a sector in place, a tweak of 16 octets |
//!
//! Signatures have no way from the secret key to the public one there, so a key is stored as both behind each other.

// Calls through a foreign interface are what this module exists for.
#![allow(unsafe_code)]

mod sign;
mod symmetric;

use std::ffi::c_int;
use std::io::{self, Read, Write};

use libloading::Library;
pub use sign::stored;
use zeroize::Zeroizing;

use crate::protocol::{self, LONGEST, Operation, Outcome, VERSION};
use crate::{mac, signature};

/// What is typed for the process that serves a library.
pub const COMMAND: &str = "engine-library";

/// Octets behind each buffer that no function may write.
const GUARD: usize = 4_096;
const MARK: u8 = 0xa5;

/// What a library implements, with the octets of what it writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Interface {
    /// Signatures; the secret key is the library's own.
    Signature(signature::Sizes),
    /// A MAC.
    Mac(mac::Sizes),
    /// A hash function, with the octets of a digest.
    Hash(usize),
    /// A cipher of storage, with the octets of a key.
    Cipher(usize),
}

/// Where the functions are and what they are called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names {
    /// The shared object.
    pub file: String,
    /// What stands before each name.
    pub prefix: String,
    /// What stands behind the word of the kind.
    pub suffix: String,
}

/// What a library is served by: `own` is the program that calls [`serve`] when it is given [`COMMAND`] and the words behind it.
pub fn words(own: &str, names: Names, interface: Interface) -> Vec<String> {
    let (word, sizes) = match interface {
        Interface::Signature(signature::Sizes { public_key, secret_key, signature }) => {
            ("signature", vec![public_key, secret_key, signature])
        }
        Interface::Mac(mac::Sizes { traffic_key, tag }) => ("mac", vec![traffic_key, tag]),
        Interface::Hash(digest) => ("hash", vec![digest]),
        Interface::Cipher(key) => ("cipher", vec![key]),
    };
    let fixed = [own, COMMAND, word].map(str::to_owned);
    let sizes = sizes.into_iter().map(|size| size.to_string());
    fixed.into_iter().chain([names.file, names.prefix, names.suffix]).chain(sizes).collect()
}

/// The words behind [`COMMAND`], read again.
fn read(typed: &[String]) -> Option<(Names, Interface)> {
    let [word, file, prefix, suffix, sizes @ ..] = typed else { return None };
    let sizes: Vec<usize> = sizes.iter().map(|size| size.parse().ok()).collect::<Option<_>>()?;
    let interface = match (word.as_str(), &sizes[..]) {
        ("signature", &[public_key, secret_key, signature]) => {
            Interface::Signature(signature::Sizes { public_key, secret_key, signature })
        }
        ("mac", &[traffic_key, tag]) => Interface::Mac(mac::Sizes { traffic_key, tag }),
        ("hash", &[digest]) => Interface::Hash(digest),
        ("cipher", &[key]) => Interface::Cipher(key),
        _ => return None,
    };
    let [file, prefix, suffix] = [file, prefix, suffix].map(String::clone);
    Some((Names { file, prefix, suffix }, interface))
}

type Answer = (Outcome, Vec<Zeroizing<Vec<u8>>>);

fn done(fields: impl Into<Vec<Zeroizing<Vec<u8>>>>) -> Result<Answer, String> {
    Ok((Outcome::Done, fields.into()))
}

trait Functions {
    /// Does what is asked; nothing where it is no request of this kind.
    fn answer(&self, operation: Operation, fields: &[&[u8]]) -> Option<Result<Answer, String>>;
}

fn load(names: &Names, interface: Interface) -> Result<Box<dyn Functions>, String> {
    // SAFETY: a library may do anything when it is loaded; whoever attached it trusts it as far as a program that is run.
    let library = unsafe { Library::new(&names.file) }.map_err(told)?;
    Ok(match interface {
        Interface::Signature(sizes) => Box::new(sign::Sign::of(library, names, sizes)?),
        Interface::Mac(sizes) => Box::new(symmetric::Auth::of(library, names, sizes)?),
        Interface::Hash(digest) => Box::new(symmetric::Digest::of(library, names, digest)?),
        Interface::Cipher(key) => Box::new(symmetric::Sectors::of(library, names, key)?),
    })
}

/// A function of the library: `crypto_sign` and `_verify` are what stands before and behind the suffix.
///
/// # Safety
/// The function, if there is one, has the type `T`.
unsafe fn function<T: Copy>(library: &Library, names: &Names, word: &str, end: &str) -> Result<T, String> {
    let name = format!("{}{word}{}{end}", names.prefix, names.suffix);
    // SAFETY: as promised above.
    let found = unsafe { library.get::<T>(name.as_bytes()) };
    found.map(|it| *it).map_err(|error| format!("no function {name}: {}", told(error)))
}

/// What went wrong, with what the loader says of it: the file, the symbol, the cause.
fn told(error: libloading::Error) -> String {
    match std::error::Error::source(&error) {
        Some(cause) if !error.to_string().contains(&cause.to_string()) => format!("{error}: {cause}"),
        _ => error.to_string(),
    }
}

fn answer(functions: &dyn Functions, request: &[u8]) -> Result<Answer, String> {
    let (octet, fields) = protocol::parts(request)?;
    let operation = Operation::of(octet);
    match (operation, &fields[..]) {
        (Some(Operation::Hello), [[VERSION], name]) => {
            done([Zeroizing::new(vec![VERSION]), Zeroizing::new(name.to_vec())])
        }
        (Some(Operation::Hello), _) => Err(format!("only version {VERSION} is supported")),
        (Some(Operation::Nothing), []) => done([]),
        _ => operation
            .and_then(|operation| functions.answer(operation, &fields))
            .unwrap_or_else(|| Err(format!("no request: operation {octet} with {} fields", fields.len()))),
    }
}

fn guarded(length: usize) -> Zeroizing<Vec<u8>> {
    let mut octets = vec![0; length];
    octets.resize(length + GUARD, MARK);
    Zeroizing::new(octets)
}

/// Looks that nothing was written behind the end, and cuts it there.
fn unguarded(function: &str, octets: &mut Vec<u8>, length: usize) -> Result<(), String> {
    if octets[length..].iter().any(|octet| *octet != MARK) {
        return Err(format!("{function} wrote beyond its {length} bytes"));
    }
    octets.truncate(length);
    Ok(())
}

fn checked(function: &str, code: c_int) -> Result<(), String> {
    if code == 0 { Ok(()) } else { Err(format!("{function} gave {code}")) }
}

/// Answers requests until there are no more: what a process does that was started by the [`words`] of a library, given those behind
/// [`COMMAND`]. Standard output is kept from the library, which may print to it.
///
/// # Errors
/// A pipe that breaks, or words that are none. What is wrong with the library is answered to whoever asks.
pub fn serve(typed: &[String]) -> io::Result<()> {
    let wrong = || io::Error::other("this is internal: fieldtest starts such processes to serve a library");
    let (names, interface) = read(typed).ok_or_else(wrong)?;
    let answers = rustix::io::dup(io::stdout())?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    let functions = load(&names, interface);
    let (mut requests, mut answers) = (io::stdin().lock(), std::fs::File::from(answers));
    loop {
        let mut length = [0; 4];
        match requests.read_exact(&mut length) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            other => other?,
        }
        let length = u32::from_be_bytes(length) as usize;
        if length > LONGEST {
            return Err(wrong());
        }
        let mut request = Zeroizing::new(vec![0; length]);
        requests.read_exact(&mut request)?;
        let answer = functions
            .as_ref()
            .map_err(Clone::clone)
            .and_then(|functions| answer(functions.as_ref(), &request));
        let (outcome, fields) =
            answer.unwrap_or_else(|why| (Outcome::Failed, vec![Zeroizing::new(why.into_bytes())]));
        let fields: Vec<&[u8]> = fields.iter().map(|field| field.as_slice()).collect();
        let message = Zeroizing::new(protocol::message(outcome as u8, &fields).map_err(io::Error::other)?);
        answers.write_all(&message)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_again() {
        let [file, prefix, suffix] = ["libtoy.so", "toy_", ""].map(str::to_owned);
        let names = Names { file, prefix, suffix };
        let sizes = signature::Sizes { public_key: 1, secret_key: 2, signature: 3 };
        for interface in [
            Interface::Signature(sizes),
            Interface::Mac(mac::Sizes { traffic_key: 4, tag: 5 }),
            Interface::Hash(6),
            Interface::Cipher(7),
        ] {
            let words = words("fieldtest", names.clone(), interface);
            assert_eq!(read(&words[2..]), Some((names.clone(), interface)));
            assert_eq!(read(&words[2..words.len() - 1]), None);
        }
    }
}
