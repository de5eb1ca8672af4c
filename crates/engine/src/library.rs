//! An engine that is a shared object with the functions of NIST's calls: served by a process of this program, which speaks the
//! [`protocol`] as any engine does. So nothing that the library does, even to memory, reaches whoever asks.
//!
//! | function | as |
//! |---|---|
//! | `int PREFIXcrypto_sign_keypair(pk, sk)` | NIST's, PQClean's, liboqs's for most |
//! | `int PREFIXcrypto_sign_signature(sig, *siglen, m, mlen, sk)` | PQClean's |
//! | `int PREFIXcrypto_sign_verify(sig, siglen, m, mlen, pk)` | PQClean's |
//!
//! They have no way from the secret key to the public one, so a key is stored as both behind each other.

// Calls through a foreign interface are what this module exists for.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::io::{self, Read, Write};

use libloading::Library;
use zeroize::Zeroizing;

use crate::Sizes;
use crate::protocol::{self, LONGEST, Operation, Outcome, VERSION};

/// What is typed for the process that serves a library.
pub const COMMAND: &str = "engine-library";

/// Octets behind each buffer that no function may write.
const GUARD: usize = 4_096;
/// What they hold.
const MARK: u8 = 0xa5;

/// What a library is served by: `own` is the program that calls [`serve`] when it is given [`COMMAND`] and the words behind it.
#[must_use]
pub fn words(own: &str, file: &str, prefix: &str, sizes: Sizes) -> Vec<String> {
    let sizes = [sizes.public_key, sizes.secret_key, sizes.signature].map(|size| size.to_string());
    [own, COMMAND, file, prefix].map(str::to_owned).into_iter().chain(sizes).collect()
}

/// Octets of a secret key as it is stored, for a library's own: with the public key behind it.
#[must_use]
pub fn stored(sizes: Sizes) -> Sizes {
    Sizes { secret_key: sizes.secret_key + sizes.public_key, ..sizes }
}

type Keypair = unsafe extern "C" fn(*mut u8, *mut u8) -> c_int;
type Sign = unsafe extern "C" fn(*mut u8, *mut usize, *const u8, usize, *const u8) -> c_int;
type Verify = unsafe extern "C" fn(*const u8, usize, *const u8, usize, *const u8) -> c_int;

struct Functions {
    keypair: Keypair,
    sign: Sign,
    verify: Verify,
    sizes: Sizes,
    /// They are of no use without it.
    _library: Library,
}

/// What is answered: the outcome and its fields.
type Answer = (Outcome, Vec<Zeroizing<Vec<u8>>>);

impl Functions {
    fn load(file: &str, prefix: &str, sizes: Sizes) -> Result<Functions, String> {
        // SAFETY: a library may do anything when it is loaded; whoever attached it trusts it as far as a program that is run.
        let library = unsafe { Library::new(file) }.map_err(|error| error.to_string())?;
        fn of<T: Copy>(library: &Library, name: String) -> Result<T, String> {
            // SAFETY: the types are those of the interface that docs/engines.md asks for; no more can be known of a library.
            let found = unsafe { library.get::<T>(name.as_bytes()) };
            found.map(|it| *it).map_err(|error| format!("no function {name}: {error}"))
        }
        Ok(Functions {
            keypair: of(&library, format!("{prefix}crypto_sign_keypair"))?,
            sign: of(&library, format!("{prefix}crypto_sign_signature"))?,
            verify: of(&library, format!("{prefix}crypto_sign_verify"))?,
            sizes,
            _library: library,
        })
    }

    fn answer(&self, operation: u8, fields: &[&[u8]]) -> Result<Answer, String> {
        let Sizes { public_key, secret_key, signature } = self.sizes;
        let done = |fields: Vec<Zeroizing<Vec<u8>>>| Ok((Outcome::Done, fields));
        match (Operation::of(operation), fields) {
            (Some(Operation::Hello), [[VERSION], name]) => {
                done(vec![Zeroizing::new(vec![VERSION]), Zeroizing::new(name.to_vec())])
            }
            (Some(Operation::Hello), _) => Err(format!("only version {VERSION} is spoken here")),
            (Some(Operation::Nothing), []) => done(vec![]),
            (Some(Operation::Generate), [_]) => {
                let (mut public, mut secret) = (guarded(public_key), guarded(secret_key));
                // SAFETY: both are as long as the description says, and have room behind.
                let code = unsafe { (self.keypair)(public.as_mut_ptr(), secret.as_mut_ptr()) };
                checked("crypto_sign_keypair", code)?;
                unguarded("crypto_sign_keypair", &mut public, public_key)?;
                unguarded("crypto_sign_keypair", &mut secret, secret_key)?;
                secret.extend_from_slice(&public);
                done(vec![secret, public])
            }
            (Some(Operation::Public), [secret]) if secret.len() == secret_key + public_key => {
                done(vec![Zeroizing::new(secret[secret_key..].to_vec())])
            }
            (Some(Operation::Sign), [secret, message]) if secret.len() == secret_key + public_key => {
                let (mut found, mut length) = (guarded(signature), 0);
                // SAFETY: the buffer is as long as the description says, and has room behind; the others are read.
                let code = unsafe {
                    let (to, of) = (found.as_mut_ptr(), message.as_ptr());
                    (self.sign)(to, &raw mut length, of, message.len(), secret.as_ptr())
                };
                checked("crypto_sign_signature", code)?;
                unguarded("crypto_sign_signature", &mut found, signature)?;
                if length > signature {
                    return Err(format!(
                        "crypto_sign_signature says {length} octets, where {signature} are said to be the most"
                    ));
                }
                found.truncate(length);
                done(vec![found])
            }
            (Some(Operation::Verify), [public, message, signature]) if public.len() == public_key => {
                // SAFETY: all are read only, and as long as is said.
                let code = unsafe {
                    let (of, key) = (message.as_ptr(), public.as_ptr());
                    (self.verify)(signature.as_ptr(), signature.len(), of, message.len(), key)
                };
                Ok((if code == 0 { Outcome::Done } else { Outcome::Invalid }, vec![]))
            }
            _ => Err(format!("no request: operation {operation} with {} fields", fields.len())),
        }
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
        return Err(format!("{function} wrote behind the {length} octets that it has"));
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
    let wrong =
        || io::Error::other("this is for processes that serve a library, which fieldtest starts itself");
    let [file, prefix, sizes @ ..] = typed else { return Err(wrong()) };
    let sizes: Vec<usize> =
        sizes.iter().map(|size| size.parse()).collect::<Result<_, _>>().map_err(|_| wrong())?;
    let [public_key, secret_key, signature] = sizes[..] else { return Err(wrong()) };
    let answers = rustix::io::dup(io::stdout())?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    let functions = Functions::load(file, prefix, Sizes { public_key, secret_key, signature });
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
        let answer = functions.as_ref().map_err(Clone::clone).and_then(|functions| {
            let (operation, fields) = protocol::parts(&request)?;
            functions.answer(operation, &fields)
        });
        let (outcome, fields) =
            answer.unwrap_or_else(|why| (Outcome::Failed, vec![Zeroizing::new(why.into_bytes())]));
        let fields: Vec<&[u8]> = fields.iter().map(|field| field.as_slice()).collect();
        let message = Zeroizing::new(protocol::message(outcome as u8, &fields).map_err(io::Error::other)?);
        answers.write_all(&message)?;
    }
}
