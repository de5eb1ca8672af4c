//! Keys: read, written, made, checked and used.

use std::ffi::{CStr, c_char, c_int, c_long, c_uint, c_void};
use std::marker::PhantomData;
use std::mem;
use std::ptr::{null, null_mut};

use fieldtest_kinds::Error;
use zeroize::Zeroizing;

use super::context::{Prepared, Signs, Verifies};
use super::{Digest, Libcrypto, Parameter};
use crate::host::library::Object;

/// `OSSL_PARAM_INTEGER` and its like.
const INTEGER: c_uint = 1;
const UNSIGNED_INTEGER: c_uint = 2;
const UTF8_STRING: c_uint = 4;
const OCTET_STRING: c_uint = 5;
/// `EVP_PKEY_PUBLIC_KEY`: the key with its domain parameters.
const PUBLIC_KEY: c_int = 0x86;
/// `RSA_PKCS1_PADDING`.
const PKCS1_PADDING: c_int = 1;

/// `i2d_PUBKEY` and its like.
type Writer = unsafe extern "C" fn(*const c_void, *mut *mut u8) -> c_int;
/// `EVP_PKEY_get_raw_public_key` and its counterpart.
type Raw = unsafe extern "C" fn(*const c_void, *mut u8, *mut usize) -> c_int;
/// `EVP_DigestSignInit_ex` and its counterpart.
type MessageInit = unsafe extern "C" fn(
    *mut c_void,
    *mut *mut c_void,
    *const c_char,
    *mut c_void,
    *const c_char,
    *mut c_void,
    *const Parameter,
) -> c_int;

/// What a new key has beside its type.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Of<'a> {
    /// Nothing.
    Type,
    /// The elliptic curve.
    Group(&'a CStr),
    /// The bits of RSA's modulus.
    Bits(u16),
}

/// An `EVP_PKEY`.
pub(crate) struct Key {
    libcrypto: &'static Libcrypto,
    key: Object,
}

// SAFETY: a complete EVP_PKEY is only read, and what it caches is behind a lock (`man 7 openssl-threads`).
unsafe impl Sync for Key {}

impl Key {
    /// # Safety
    /// The key is NULL or nobody else's.
    unsafe fn owned(libcrypto: &'static Libcrypto, key: *mut c_void) -> Result<Self, Error> {
        // SAFETY: as for this function.
        let key = unsafe { Object::owned(key, libcrypto.functions.EVP_PKEY_free) };
        key.map(|key| Key { libcrypto, key }).ok_or_else(|| Error::MalformedKey(libcrypto.error()))
    }

    /// A public key that is bytes without a structure. Name servers read theirs in this way: by `d2i_PUBKEY`, OpenSSL 3.0
    /// takes longer than for a verification, as it looks for a decoder by name.
    pub(crate) fn from_raw_public(
        libcrypto: &'static Libcrypto,
        key_type: &CStr,
        bytes: &[u8],
    ) -> Result<Self, Error> {
        let new = libcrypto.functions.EVP_PKEY_new_raw_public_key_ex;
        // SAFETY: the key type is a C string, NULL stands for what is the default, and the bytes are as many as stated; the
        // result is owned by the new value.
        unsafe {
            let key = new(null_mut(), key_type.as_ptr(), null(), bytes.as_ptr(), bytes.len());
            Key::owned(libcrypto, key)
        }
    }

    /// A public key of this curve, from an encoded point.
    pub(crate) fn from_point(
        libcrypto: &'static Libcrypto,
        group: &'static CStr,
        point: &[u8],
    ) -> Result<Self, Error> {
        let group = Parameter::of(c"group", UTF8_STRING, group.to_bytes());
        let point = Parameter::of(c"pub", OCTET_STRING, point);
        // SAFETY: the bytes outlive the call.
        unsafe { Key::from_data(libcrypto, c"EC", [group, point, Parameter::END]) }
    }

    /// A public key of RSA, from modulus and exponent, the most significant byte first.
    pub(crate) fn from_modulus(
        libcrypto: &'static Libcrypto,
        modulus: &[u8],
        exponent: &[u8],
    ) -> Result<Self, Error> {
        let native = |number: &[u8]| -> Vec<u8> {
            if cfg!(target_endian = "big") { number.to_vec() } else { number.iter().rev().copied().collect() }
        };
        let numbers = [native(modulus), native(exponent)];
        let [n, e] = [(c"n", &numbers[0]), (c"e", &numbers[1])]
            .map(|(name, number)| Parameter::of(name, UNSIGNED_INTEGER, number));
        // SAFETY: the numbers outlive the call.
        unsafe { Key::from_data(libcrypto, c"RSA", [n, e, Parameter::END]) }
    }

    /// # Safety
    /// The last parameter has a NULL key, and the data of the others is valid during the call.
    unsafe fn from_data(
        libcrypto: &'static Libcrypto,
        key_type: &CStr,
        parameters: [Parameter; 3],
    ) -> Result<Self, Error> {
        let functions = &libcrypto.functions;
        let mut key = null_mut();
        // SAFETY: the context belongs to this call, the caller answers for the parameters, and the result, NULL where this
        // fails, is owned by the new value.
        unsafe {
            let context = (functions.EVP_PKEY_CTX_new_from_name)(null_mut(), key_type.as_ptr(), null());
            let context = libcrypto.owned(context, functions.EVP_PKEY_CTX_free)?;
            libcrypto.expect((functions.EVP_PKEY_fromdata_init)(context.at()))?;
            (functions.EVP_PKEY_fromdata)(context.at(), &mut key, PUBLIC_KEY, parameters.as_ptr());
            Key::owned(libcrypto, key)
        }
    }

    pub(crate) fn from_pkcs8(libcrypto: &'static Libcrypto, der: &[u8]) -> Result<Self, Error> {
        let length = c_long::try_from(der.len())
            .map_err(|_| Error::MalformedKey("a key too long for OpenSSL".to_string()))?;
        let mut at = der.as_ptr();
        // SAFETY: `at` points to as many bytes as stated; the result is owned by the new value.
        let key = unsafe {
            Key::owned(libcrypto, (libcrypto.functions.d2i_AutoPrivateKey)(null_mut(), &mut at, length))
        }?;
        // Readers that tried other formats first leave their errors behind, which a later failure would report.
        libcrypto.forget_errors();
        Ok(key)
    }

    pub(crate) fn generate(
        libcrypto: &'static Libcrypto,
        key_type: &CStr,
        of: Of<'_>,
    ) -> Result<Self, Error> {
        let functions = &libcrypto.functions;
        // SAFETY: the key type is a C string; the context is nobody else's.
        let context = unsafe {
            let context = (functions.EVP_PKEY_CTX_new_from_name)(null_mut(), key_type.as_ptr(), null());
            libcrypto.owned(context, functions.EVP_PKEY_CTX_free)
        }?;
        let at = context.at();
        // SAFETY: the context is valid, used by this call only, and initialised in the order the manual asks for.
        unsafe {
            libcrypto.expect((functions.EVP_PKEY_keygen_init)(at))?;
            libcrypto.expect(match of {
                Of::Type => 1,
                Of::Group(group) => (functions.EVP_PKEY_CTX_set_group_name)(at, group.as_ptr()),
                Of::Bits(bits) => (functions.EVP_PKEY_CTX_set_rsa_keygen_bits)(at, bits.into()),
            })?;
            let mut key = null_mut();
            libcrypto.expect((functions.EVP_PKEY_generate)(at, &mut key))?;
            Key::owned(libcrypto, key)
        }
    }

    /// The algorithm's own private key structure: PKCS #1 for RSA, SEC 1 for ECDSA.
    pub(crate) fn private_der(&self) -> Result<Zeroizing<Vec<u8>>, Error> {
        self.write(self.libcrypto.functions.i2d_PrivateKey).map(Zeroizing::new)
    }

    pub(crate) fn spki(&self) -> Result<Vec<u8>, Error> {
        self.write(self.libcrypto.functions.i2d_PUBKEY)
    }

    fn write(&self, function: Writer) -> Result<Vec<u8>, Error> {
        // SAFETY: with NULL the length is computed, and nothing written.
        let length = unsafe { function(self.key.at(), null_mut()) };
        let length = usize::try_from(length).map_err(|_| self.libcrypto.failed())?;
        let mut der = vec![0; length];
        let mut at = der.as_mut_ptr();
        // SAFETY: the buffer has the length that was asked for.
        let written = unsafe { function(self.key.at(), &mut at) };
        if usize::try_from(written) == Ok(length) { Ok(der) } else { Err(self.libcrypto.failed()) }
    }

    /// The private key's bytes, for key types that have no structure.
    pub(crate) fn raw_private(&self) -> Result<Zeroizing<Vec<u8>>, Error> {
        self.raw(self.libcrypto.functions.EVP_PKEY_get_raw_private_key)
    }

    /// The public key's bytes, for key types that have no structure.
    pub(crate) fn raw_public(&self) -> Result<Vec<u8>, Error> {
        self.raw(self.libcrypto.functions.EVP_PKEY_get_raw_public_key).map(|mut key| mem::take(&mut *key))
    }

    fn raw(&self, function: Raw) -> Result<Zeroizing<Vec<u8>>, Error> {
        let mut length = 0;
        // SAFETY: with NULL the length is computed, and nothing written.
        self.libcrypto.expect(unsafe { function(self.key.at(), null_mut(), &mut length) })?;
        let mut bytes = Zeroizing::new(vec![0; length]);
        // SAFETY: the buffer is as long as stated.
        self.libcrypto.expect(unsafe { function(self.key.at(), bytes.as_mut_ptr(), &mut length) })?;
        bytes.truncate(length);
        Ok(bytes)
    }

    /// The public key of an elliptic curve, uncompressed unless the key says otherwise.
    pub(crate) fn point(&self) -> Result<Vec<u8>, Error> {
        let mut point = vec![0; 133]; // Of P-521, the longest.
        let mut length = 0;
        let function = self.libcrypto.functions.EVP_PKEY_get_octet_string_param;
        // SAFETY: the name is a C string, and the buffer is as long as stated.
        self.libcrypto.expect(unsafe {
            function(self.key.at(), c"pub".as_ptr(), point.as_mut_ptr(), point.len(), &mut length)
        })?;
        point.truncate(length);
        Ok(point)
    }

    /// The private key of an elliptic curve, in so many bytes.
    pub(crate) fn scalar(&self, length: usize) -> Result<Zeroizing<Vec<u8>>, Error> {
        let functions = &self.libcrypto.functions;
        let mut number = null_mut();
        // SAFETY: the name is a C string; the number is made by the call and belongs to this one.
        let number = unsafe {
            self.libcrypto.expect((functions.EVP_PKEY_get_bn_param)(
                self.key.at(),
                c"priv".as_ptr(),
                &mut number,
            ))?;
            self.libcrypto.owned(number, functions.BN_clear_free)
        }?;
        let mut scalar = Zeroizing::new(vec![0; length]);
        // SAFETY: the buffer is as long as stated.
        let written = c_int::try_from(length)
            .map(|length| unsafe { (functions.BN_bn2binpad)(number.at(), scalar.as_mut_ptr(), length) });
        if written.is_ok_and(|written| usize::try_from(written) == Ok(length)) {
            Ok(scalar)
        } else {
            Err(self.libcrypto.failed())
        }
    }

    /// Whether the secret part is in its range, which reading it does not check.
    pub(crate) fn check_private(&self) -> Result<(), Error> {
        let context = self.context()?;
        // SAFETY: the context belongs to this call.
        let outcome = unsafe { (self.libcrypto.functions.EVP_PKEY_private_check)(context.at()) };
        self.libcrypto.expect(outcome).map_err(|error| Error::MalformedKey(error.to_string()))
    }

    fn context(&self) -> Result<Object, Error> {
        let functions = &self.libcrypto.functions;
        // SAFETY: the key is valid, and the context takes a reference of its own.
        unsafe {
            let context = (functions.EVP_PKEY_CTX_new_from_pkey)(null_mut(), self.key.at(), null());
            self.libcrypto.owned(context, functions.EVP_PKEY_CTX_free)
        }
    }

    /// A context that signs digests with this key, any number of times.
    pub(crate) fn digest_signer(&self, digest: &Digest, rsa: bool) -> Result<Prepared<Signs>, Error> {
        self.prepared(self.libcrypto.functions.EVP_PKEY_sign_init, digest, rsa)
    }

    /// A context that verifies signatures of digests with this key, any number of times.
    pub(crate) fn digest_verifier(&self, digest: &Digest, rsa: bool) -> Result<Prepared<Verifies>, Error> {
        self.prepared(self.libcrypto.functions.EVP_PKEY_verify_init, digest, rsa)
    }

    fn prepared<Purpose>(
        &self,
        initialise: unsafe extern "C" fn(*mut c_void) -> c_int,
        digest: &Digest,
        rsa: bool,
    ) -> Result<Prepared<Purpose>, Error> {
        let functions = &self.libcrypto.functions;
        let context = self.context()?;
        let at = context.at();
        // SAFETY: the context is valid, owned here, and initialised in the order the manual asks for.
        unsafe {
            self.libcrypto.expect(initialise(at))?;
            if rsa {
                self.libcrypto.expect((functions.EVP_PKEY_CTX_set_rsa_padding)(at, PKCS1_PADDING))?;
            }
            let method = digest.0.object.at();
            self.libcrypto.expect((functions.EVP_PKEY_CTX_set_signature_md)(at, method))?;
        }
        let longest = self.longest_signature()?;
        Ok(Prepared { libcrypto: self.libcrypto, context, longest, purpose: PhantomData })
    }

    fn longest_signature(&self) -> Result<usize, Error> {
        // SAFETY: the key is valid.
        let longest = unsafe { (self.libcrypto.functions.EVP_PKEY_get_size)(self.key.at()) };
        usize::try_from(longest).map_err(|_| self.libcrypto.failed())
    }

    /// Signs a whole message, for algorithms that hash it themselves.
    pub(crate) fn sign_message(
        &self,
        message: &[u8],
        deterministic: bool,
        signature: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let mut on: c_int = 1;
        let parameters = [
            Parameter {
                key: c"deterministic".as_ptr(),
                data_type: INTEGER,
                data: (&raw mut on).cast(),
                data_size: size_of::<c_int>(),
                return_size: 0,
            },
            Parameter::END,
        ];
        let parameters = if deterministic { parameters.as_ptr() } else { null() };
        let functions = &self.libcrypto.functions;
        // SAFETY: the parameters end with a NULL key and outlive the call.
        let context = unsafe { self.message_context(functions.EVP_DigestSignInit_ex, parameters) }?;
        signature.resize(self.longest_signature()?, 0);
        let mut length = signature.len();
        // SAFETY: the context is this call's own; the buffers are as long as stated.
        self.libcrypto.expect(unsafe {
            (functions.EVP_DigestSign)(
                context.at(),
                signature.as_mut_ptr(),
                &mut length,
                message.as_ptr(),
                message.len(),
            )
        })?;
        signature.truncate(length);
        Ok(())
    }

    pub(crate) fn verify_message(&self, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        let functions = &self.libcrypto.functions;
        // SAFETY: there are no parameters.
        let context = unsafe { self.message_context(functions.EVP_DigestVerifyInit_ex, null()) }?;
        // SAFETY: the context is this call's own; the buffers are as long as stated.
        self.libcrypto.verdict(unsafe {
            (functions.EVP_DigestVerify)(
                context.at(),
                signature.as_ptr(),
                signature.len(),
                message.as_ptr(),
                message.len(),
            )
        })
    }

    /// A context for one message, with the key's own hash function and the default library context.
    ///
    /// # Safety
    /// `parameters` is NULL, or an array that ends with a NULL key and outlives the call.
    unsafe fn message_context(
        &self,
        initialise: MessageInit,
        parameters: *const Parameter,
    ) -> Result<Object, Error> {
        let context = self.libcrypto.message_context()?;
        let (at, key) = (context.at(), self.key.at());
        // SAFETY: context and key are valid, the caller answers for the parameters, and the other NULLs mean defaults.
        let outcome = unsafe { initialise(at, null_mut(), null(), null_mut(), null(), key, parameters) };
        self.libcrypto.expect(outcome)?;
        Ok(context)
    }
}
