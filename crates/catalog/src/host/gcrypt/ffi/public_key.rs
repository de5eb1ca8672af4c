//! S-expressions, as which libgcrypt takes keys, data and signatures, and `gcry_pk_…`, which works on them.

use std::ffi::{CStr, c_int, c_void};
use std::ptr::{NonNull, from_ref, null, null_mut};

use fieldtest_kinds::Error;
use zeroize::Zeroizing;

use super::{Algorithm, Libgcrypt};

/// `enum gcry_pk_algos`: what elliptic curves are looked up by.
const ECC: c_int = 18;
/// `GCRY_PK_GET_PUBKEY`.
const PUBLIC: c_int = 1;

/// A `gcry_sexp_t`.
pub(in super::super) struct Sexp {
    library: &'static Libgcrypt,
    at: NonNull<c_void>,
}

// SAFETY: nothing writes to an S-expression once it is made, and it is released once.
unsafe impl Send for Sexp {}
// SAFETY: as above.
unsafe impl Sync for Sexp {}

impl Sexp {
    fn made(library: &'static Libgcrypt, at: *mut c_void) -> Result<Self, Error> {
        NonNull::new(at)
            .map(|at| Sexp { library, at })
            .ok_or_else(|| Error::Library("libgcrypt made no S-expression".to_owned()))
    }

    /// What a format of libgcrypt's says, whose only conversion is `%b`, one for each part.
    pub(in super::super) fn build<const N: usize>(
        library: &'static Libgcrypt,
        format: &CStr,
        parts: [&[u8]; N],
    ) -> Result<Self, Error> {
        let text = format.to_bytes();
        let conversions = text.iter().filter(|byte| **byte == b'%').count();
        if conversions != N || text.windows(2).filter(|two| two == b"%b").count() != N {
            return Err(Error::Library(format!("{format:?} does not have {N} parts")));
        }
        let mut lengths = [0; N];
        for (length, part) in lengths.iter_mut().zip(parts) {
            *length = c_int::try_from(part.len())
                .map_err(|_| Error::Library("libgcrypt takes less than 2 GiB at once".to_owned()))?;
        }
        let starts = parts.map(<[u8]>::as_ptr);
        let mut arguments: [[*mut c_void; 2]; N] = [[null_mut(); 2]; N];
        for ((argument, length), start) in arguments.iter_mut().zip(&lengths).zip(&starts) {
            *argument = [from_ref::<c_int>(length).cast_mut().cast(), from_ref(start).cast_mut().cast()];
        }
        let mut made = null_mut();
        // SAFETY: for each `%b`, of which there are as many as parts, the array points to an `int` and to a pointer to that
        // many bytes; all of it is read and copied in this call. NULL asks for no place of an error.
        library.expect(unsafe {
            (library.functions.gcry_sexp_build_array)(
                &mut made,
                null_mut(),
                format.as_ptr(),
                arguments.as_mut_ptr().cast(),
            )
        })?;
        Sexp::made(library, made)
    }

    /// What follows this token in the first list that begins with it.
    pub(in super::super) fn value(&self, token: &CStr) -> Result<Zeroizing<Vec<u8>>, Error> {
        let functions = &self.library.functions;
        let missing = || Error::Library(format!("libgcrypt gave no {token:?}"));
        // SAFETY: the expression is alive, the token is a C string, and the result is one's own to release.
        let list = unsafe { (functions.gcry_sexp_find_token)(self.at.as_ptr(), token.as_ptr(), 0) };
        let list = Sexp::made(self.library, list).map_err(|_| missing())?;
        let mut length = 0;
        // SAFETY: the list is alive; the bytes lie within it, as many as are stated.
        let start = unsafe { (functions.gcry_sexp_nth_data)(list.at.as_ptr(), 1, &mut length) };
        if start.is_null() {
            return Err(missing());
        }
        // SAFETY: not NULL, of that length, and copied before the list is released.
        Ok(Zeroizing::new(unsafe { std::slice::from_raw_parts(start.cast::<u8>(), length) }.to_vec()))
    }
}

impl Drop for Sexp {
    fn drop(&mut self) {
        // SAFETY: owned by this value, and released here only.
        unsafe { (self.library.functions.gcry_sexp_release)(self.at.as_ptr()) };
    }
}

impl Libgcrypt {
    /// Whether it has the curve.
    pub(in super::super) fn has_curve(&'static self, name: &CStr) -> bool {
        self.curve(name).is_ok()
    }

    /// The parameters of a curve, of which `n` is the order.
    pub(in super::super) fn curve(&'static self, name: &CStr) -> Result<Sexp, Error> {
        // SAFETY: takes a number and a C string; the result is one's own to release.
        Sexp::made(self, unsafe { (self.functions.gcry_pk_get_param)(ECC, name.as_ptr()) })
    }

    /// Makes a key pair by `(genkey …)`.
    pub(in super::super) fn generate(&'static self, parameters: &Sexp) -> Result<Sexp, Error> {
        let mut made = null_mut();
        // SAFETY: the expression is alive, and the result is one's own to release.
        self.expect(unsafe { (self.functions.gcry_pk_genkey)(&mut made, parameters.at.as_ptr()) })?;
        Sexp::made(self, made)
    }

    /// Refuses an inconsistent secret key.
    pub(in super::super) fn check_secret(&self, key: &Sexp) -> Result<(), Error> {
        // SAFETY: the expression is alive, and only read.
        let outcome = unsafe { (self.functions.gcry_pk_testkey)(key.at.as_ptr()) };
        self.expect(outcome).map_err(|error| Error::MalformedKey(error.to_string()))
    }

    /// Signs `(data …)`.
    pub(in super::super) fn sign(&'static self, data: &Sexp, key: &Sexp) -> Result<Sexp, Error> {
        let mut made = null_mut();
        // SAFETY: both expressions are alive and only read, and the result is one's own to release.
        self.expect(unsafe { (self.functions.gcry_pk_sign)(&mut made, data.at.as_ptr(), key.at.as_ptr()) })?;
        Sexp::made(self, made)
    }

    /// Whether `(sig-val …)` is a signature over `(data …)`. Whatever the reason is why not, it is not.
    pub(in super::super) fn accepts(&self, signature: &Sexp, data: &Sexp, key: &Sexp) -> bool {
        // SAFETY: all three are alive and only read.
        let outcome = unsafe {
            (self.functions.gcry_pk_verify)(signature.at.as_ptr(), data.at.as_ptr(), key.at.as_ptr())
        };
        outcome == 0
    }

    /// The digest of a message by a function whose digests have `N` bytes.
    pub(in super::super) fn digest<const N: usize>(
        &self,
        algorithm: Algorithm,
        message: &[u8],
    ) -> Result<[u8; N], Error> {
        let mut digest = [0; N];
        // SAFETY: takes a number and returns one.
        if unsafe { (self.functions.gcry_md_get_algo_dlen)(algorithm) } as usize != N {
            return Err(Error::Library("libgcrypt has no digest of this length".to_owned()));
        }
        // SAFETY: the digest is as long as was asked just now, and the message as long as stated.
        unsafe {
            (self.functions.gcry_md_hash_buffer)(
                algorithm,
                digest.as_mut_ptr().cast(),
                message.as_ptr(),
                message.len(),
            );
        }
        Ok(digest)
    }
}

/// A `gcry_ctx_t` for a curve and what is known of a key on it.
pub(in super::super) struct Curve {
    library: &'static Libgcrypt,
    at: NonNull<c_void>,
}

impl Curve {
    /// Of a key that names its curve.
    ///
    /// # Errors
    /// [`Error::MalformedKey`] if its numbers cannot be read.
    pub(in super::super) fn of(library: &'static Libgcrypt, key: &Sexp) -> Result<Self, Error> {
        let make = library.functions.gcry_mpi_ec_new;
        // SAFETY: the expression is alive and only read; the context is released when this value is dropped.
        let opened = library.opened(|at| unsafe { make(at, key.at.as_ptr(), null()) });
        let at = opened.map_err(|error| Error::MalformedKey(error.to_string()))?;
        Ok(Curve { library, at })
    }

    /// The public key as the curve writes it; of a secret key it is computed.
    pub(in super::super) fn public(&self) -> Result<Zeroizing<Vec<u8>>, Error> {
        let mut made = null_mut();
        // SAFETY: the context is alive, and the result is one's own to release.
        self.library.expect(unsafe {
            (self.library.functions.gcry_pubkey_get_sexp)(&mut made, PUBLIC, self.at.as_ptr())
        })?;
        Sexp::made(self.library, made)?.value(c"q")
    }

    /// Whether the public key is a point of the curve.
    pub(in super::super) fn holds_its_point(&self) -> bool {
        let functions = &self.library.functions;
        // SAFETY: the context is alive, and a copy is asked for, which is released once.
        unsafe {
            let point = (functions.gcry_mpi_ec_get_point)(c"q".as_ptr(), self.at.as_ptr(), 1);
            if point.is_null() {
                return false;
            }
            let holds = (functions.gcry_mpi_ec_curve_point)(point, self.at.as_ptr()) != 0;
            (functions.gcry_mpi_point_release)(point);
            holds
        }
    }
}

impl Drop for Curve {
    fn drop(&mut self) {
        // SAFETY: made by `of`, and released here only.
        unsafe { (self.library.functions.gcry_ctx_release)(self.at.as_ptr()) };
    }
}
