//! Keys of signature algorithms, signatures, and whether they are right.
//!
//! Keys are stored and sent as bytes, in a form that ft_key_forms() tells, and prepared once for many signatures. What a
//! prepared key costs and what it saves depends on the implementation. ECDSA signatures are r and s behind each other, as long as
//! the curve's order each (IEEE P1363); RSA is PKCS #1 v1.5 with SHA-256; every other signature is the byte string of its
//! specification. Signing is hedged or randomised where the specification offers that.

use std::cell::RefCell;
use std::ffi::c_int;

use fieldtest_kinds::Error;
use fieldtest_kinds::signature::{self, PublicKeyForm, SecretKeyForm};
use zeroize::Zeroizing;

use crate::catalog::Implementation;
use crate::error::{FT_EWRONG, Failure, call};
use crate::handle::{Handle, borrow, free, give};
use crate::memory::{Bytes, Output, bytes, copy, list, no_room, put, room_of};

/// A form of keys: the byte string that the algorithm's specification defines; of a secret key the seed, where it allows one.
pub const FT_FORM_PLAIN: c_int = 0;
/// A form of keys: RSAPublicKey and RSAPrivateKey of PKCS #1 in DER (RFC 8017, appendix A.1).
pub const FT_FORM_RSA: c_int = 1;
/// A form of keys: a point of an elliptic curve as its coordinates X and Y, and a secret number as long as the curve's order, big
/// endian.
pub const FT_FORM_EC: c_int = 2;

/// A secret key that is prepared for many signatures.
pub struct SigningKey {
    _opaque: [u8; 0],
}

/// A public key that is prepared for many verifications.
pub struct VerifyingKey {
    _opaque: [u8; 0],
}

impl Handle for SigningKey {
    type Inner = Box<dyn signature::SigningKey>;
    const TAG: [u8; 8] = *b"ft-signk";
}

impl Handle for VerifyingKey {
    type Inner = Box<dyn signature::VerifyingKey>;
    const TAG: [u8; 8] = *b"ft-verik";
}

/// The forms of the bytes of keys: FT_FORM_PLAIN, FT_FORM_RSA or FT_FORM_EC.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_key_forms(
    implementation: *const Implementation,
    secret_form: *mut c_int,
    public_form: *mut c_int,
) -> c_int {
    call(|| {
        // SAFETY: a handle, as this function asks for.
        let code = unsafe { borrow(implementation) }?.signature()?;
        let secret = match code.secret_key_form() {
            SecretKeyForm::Plain => FT_FORM_PLAIN,
            SecretKeyForm::RsaPkcs1 => FT_FORM_RSA,
            SecretKeyForm::EcScalar => FT_FORM_EC,
            _ => return Err(Error::Unsupported("keys of a form that this library does not know").into()),
        };
        let public = match code.public_key_form() {
            PublicKeyForm::Plain => FT_FORM_PLAIN,
            PublicKeyForm::RsaPkcs1 => FT_FORM_RSA,
            PublicKeyForm::EcPoint => FT_FORM_EC,
            _ => return Err(Error::Unsupported("keys of a form that this library does not know").into()),
        };
        // SAFETY: places for numbers, as this function asks for.
        unsafe {
            put(secret_form, secret)?;
            put(public_form, public)
        }
    })
}

/// Makes a key pair from the operating system's randomness. The sizes "secret-key" and "public-key" of the algorithm are room
/// enough, but for secret keys of RSA, for which 1200 bytes are.
///
/// Returns FT_EBUFFER if one of both has not enough room; no key is written then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_generate(
    implementation: *const Implementation,
    secret: *mut u8,
    secret_capacity: usize,
    secret_length: *mut usize,
    public_key: *mut u8,
    public_capacity: usize,
    public_length: *mut usize,
) -> c_int {
    call(|| {
        let secret = Output { data: secret, capacity: secret_capacity, length: secret_length }.check()?;
        let public = Output { data: public_key, capacity: public_capacity, length: public_length }.check()?;
        // SAFETY: a handle, as this function asks for.
        let pair = unsafe { borrow(implementation) }?.signature()?.generate()?;
        let kept = Zeroizing::new(pair.secret);
        // SAFETY: room for output, as this function asks for.
        unsafe {
            let room = [secret.reserve(kept.len()), public.reserve(pair.public.len())];
            room.into_iter().collect::<Result<(), Failure>>()?;
            secret.write(&kept)?;
            public.write(&pair.public)
        }
    })
}

/// Prepares a secret key for many signatures. ft_signing_key_free() frees it.
///
/// Returns FT_EKEY if the bytes are no secret key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_signing_key_new(
    implementation: *const Implementation,
    secret: *const u8,
    secret_length: usize,
    key: *mut *mut SigningKey,
) -> c_int {
    call(|| {
        let made = || {
            // SAFETY: a handle and bytes, as this function asks for.
            let (code, secret) =
                unsafe { (borrow(implementation)?.signature()?, bytes(secret, secret_length)?) };
            Ok(code.signing_key(secret)?)
        };
        // SAFETY: a place for a handle, as this function asks for.
        unsafe { give(key, made) }
    })
}

/// The public key that belongs to a secret one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_signing_key_public(
    key: *const SigningKey,
    public_key: *mut u8,
    public_capacity: usize,
    public_length: *mut usize,
) -> c_int {
    call(|| {
        let output = Output { data: public_key, capacity: public_capacity, length: public_length }.check()?;
        // SAFETY: a handle and room for output, as this function asks for.
        unsafe { output.write(&borrow(key)?.public_key()) }
    })
}

thread_local! {
    /// Where a signature is made before it goes to the caller: signing allocates nothing anew.
    static SIGNATURE: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Signs a message. The size "signature" of the algorithm is room enough.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_sign(
    key: *const SigningKey,
    message: *const u8,
    message_length: usize,
    signature: *mut u8,
    signature_capacity: usize,
    signature_length: *mut usize,
) -> c_int {
    call(|| {
        let output =
            Output { data: signature, capacity: signature_capacity, length: signature_length }.check()?;
        // SAFETY: a handle and bytes, as this function asks for.
        let (key, message) = unsafe { (borrow(key)?, bytes(message, message_length)?) };
        let mut made = SIGNATURE.try_with(RefCell::take).unwrap_or_default();
        let signed = key.sign(message, &mut made);
        // SAFETY: room for output, as this function asks for.
        let written = signed.map_err(Failure::from).and_then(|()| unsafe { output.write(&made) });
        let _ = SIGNATURE.try_with(|kept| kept.replace(made));
        written
    })
}

/// Signs many messages under one key, which some implementations do several at once. Signature i begins at signatures + i * stride,
/// and its length is number i of lengths.
///
/// Returns FT_EBUFFER if a signature is longer than the stride; no signature is written then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_sign_many(
    key: *const SigningKey,
    messages: *const Bytes,
    count: usize,
    signatures: *mut u8,
    stride: usize,
    lengths: *mut usize,
) -> c_int {
    call(|| {
        // SAFETY: a handle and messages, as this function asks for.
        let (key, messages) = unsafe { (borrow(key)?, list(messages, count)?) };
        room_of(count, stride)?;
        let mut made = vec![Vec::new(); count];
        key.sign_many(&messages, &mut made)?;
        if let Some(long) = made.iter().find(|it| it.len() > stride) {
            return Err(no_room(stride, long.len()));
        }
        for (place, made) in made.iter().enumerate() {
            // SAFETY: room for so many signatures and lengths, as this function asks for; NULL is looked for first.
            unsafe {
                put(if lengths.is_null() { lengths } else { lengths.add(place) }, made.len())?;
                copy(made, if signatures.is_null() { signatures } else { signatures.add(place * stride) })?;
            }
        }
        Ok(())
    })
}

/// Frees a prepared key and wipes it, as far as the implementation does so. NULL is nothing to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_signing_key_free(key: *mut SigningKey) -> c_int {
    // SAFETY: a handle that nobody uses any more, as this function asks for.
    call(|| unsafe { free(key) })
}

/// Prepares a public key for many verifications. ft_verifying_key_free() frees it.
///
/// Returns FT_EKEY if the bytes are no public key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_verifying_key_new(
    implementation: *const Implementation,
    public_key: *const u8,
    public_length: usize,
    key: *mut *mut VerifyingKey,
) -> c_int {
    call(|| {
        let made = || {
            // SAFETY: a handle and bytes, as this function asks for.
            let (code, public) =
                unsafe { (borrow(implementation)?.signature()?, bytes(public_key, public_length)?) };
            Ok(code.verifying_key(public)?)
        };
        // SAFETY: a place for a handle, as this function asks for.
        unsafe { give(key, made) }
    })
}

/// More octets than any signature has: code behind the trait may make room by a length that came from
/// outside.
const LONGEST_SIGNATURE: usize = 16 << 20;

/// Refuses what is too long for a signature before anything is made of its length.
fn is_possible(signature: &[u8]) -> Result<(), Failure> {
    match signature.len() > LONGEST_SIGNATURE {
        true => Err(Failure::new(FT_EWRONG, format!("no signature has {} bytes", signature.len()))),
        false => Ok(()),
    }
}

/// Verifies a signature over a message.
///
/// Returns FT_OK if it is right and FT_EWRONG if it is not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_verify(
    key: *const VerifyingKey,
    message: *const u8,
    message_length: usize,
    signature: *const u8,
    signature_length: usize,
) -> c_int {
    call(|| {
        // SAFETY: a handle and bytes, as this function asks for.
        let (key, message, signature) =
            unsafe { (borrow(key)?, bytes(message, message_length)?, bytes(signature, signature_length)?) };
        is_possible(signature)?;
        Ok(key.verify(message, signature)?)
    })
}

/// Verifies many signatures under one key, which some implementations do several at once.
///
/// Returns FT_OK if all are right. Otherwise the place of the first that is not is written, if first_wrong is not NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_verify_many(
    key: *const VerifyingKey,
    messages: *const Bytes,
    signatures: *const Bytes,
    count: usize,
    first_wrong: *mut usize,
) -> c_int {
    call(|| {
        // SAFETY: a handle, messages and signatures, as this function asks for.
        let (key, messages, signatures) =
            unsafe { (borrow(key)?, list(messages, count)?, list(signatures, count)?) };
        signatures.iter().try_for_each(|it| is_possible(it))?;
        let pairs: Vec<(&[u8], &[u8])> = messages.into_iter().zip(signatures).collect();
        key.verify_many(&pairs).map_err(|(place, error)| {
            if !first_wrong.is_null() {
                // SAFETY: a place for a number, as this function asks for. It was looked at for NULL.
                let _ = unsafe { put(first_wrong, place) };
            }
            match error {
                Error::InvalidSignature => Failure::new(FT_EWRONG, format!("signature {place} is wrong")),
                other => Failure::from(other),
            }
        })
    })
}

/// Frees a prepared key. NULL is nothing to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_verifying_key_free(key: *mut VerifyingKey) -> c_int {
    // SAFETY: a handle that nobody uses any more, as this function asks for.
    call(|| unsafe { free(key) })
}
