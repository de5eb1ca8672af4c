//! GCM, of which Nettle has descriptions, and CCM over any of its block ciphers.

use std::ffi::{c_char, c_uint, c_void};

use fieldtest_cpu::constant_time_eq;
use fieldtest_kinds::Error;

use super::{Block, Cipher, Digest, Keys, Nettle, SetKey, Update};
use crate::cipher::check_key;
use crate::host::library::{functions, too_old};
use crate::host::plain::Memory;
use crate::host::pooled::Direction;
use crate::host::pooled_aead::AeadWorker;

/// `struct nettle_aead`.
#[repr(C)]
struct Aead {
    name: *const c_char,
    context_size: c_uint,
    block_size: c_uint,
    key_size: c_uint,
    nonce_size: c_uint,
    digest_size: c_uint,
    set_encrypt_key: SetKey,
    set_decrypt_key: SetKey,
    set_nonce: SetKey,
    update: Update,
    encrypt: Crypt,
    decrypt: Crypt,
    digest: Digest,
}

/// `nettle_crypt_func`: in one context, in place if both pointers are the same.
type Crypt = unsafe extern "C" fn(*mut c_void, usize, *mut u8, *const u8);

functions! {
    fn nettle_ccm_set_nonce(*mut c_void, *const c_void, super::Crypt, usize, *const u8, usize, usize, usize);
    fn nettle_ccm_update(*mut c_void, *const c_void, super::Crypt, usize, *const u8);
    fn nettle_ccm_encrypt(*mut c_void, *const c_void, super::Crypt, usize, *mut u8, *const u8);
    fn nettle_ccm_decrypt(*mut c_void, *const c_void, super::Crypt, usize, *mut u8, *const u8);
    fn nettle_ccm_digest(*mut c_void, *const c_void, super::Crypt, usize, *mut u8);
}

/// More than the context of GCM with AES-256, whose table of the hash key has 4,096 bytes, and than that of CCM.
const GCM_ROOM: usize = 5120;
const CCM_ROOM: usize = 128;
const TAG: usize = 16;

/// A context that makes the tag in either direction and compares none.
trait Crypting: Send + 'static {
    /// Encrypts or decrypts in place.
    fn crypt(
        &mut self,
        direction: Direction,
        nonce: &[u8; 12],
        associated: &[u8],
        message: &mut [u8],
    ) -> [u8; TAG];
}

impl<C: Crypting> AeadWorker for C {
    fn seal(
        &mut self,
        nonce: &[u8; 12],
        associated: &[u8],
        message: &mut [u8],
        tag: &mut [u8],
    ) -> Result<(), Error> {
        tag.copy_from_slice(&self.crypt(Direction::Encryption, nonce, associated, message));
        Ok(())
    }

    fn unseal(
        &mut self,
        nonce: &[u8; 12],
        associated: &[u8],
        message: &mut [u8],
        tag: &[u8],
    ) -> Result<(), Error> {
        let found = self.crypt(Direction::Decryption, nonce, associated, message);
        if constant_time_eq(&found, tag) { Ok(()) } else { Err(Error::InvalidTag) }
    }
}

/// GCM over a block cipher.
#[derive(Clone, Copy)]
pub(crate) struct Gcm(&'static Aead);

// SAFETY: a description is constant, and so is what it points to.
unsafe impl Send for Gcm {}
// SAFETY: as above.
unsafe impl Sync for Gcm {}

impl Gcm {
    /// By the symbol of its description.
    pub(crate) fn of(nettle: &Nettle, symbol: &[u8], key: usize) -> Option<Gcm> {
        let code = nettle.description::<Aead>(symbol)?;
        let fits = code.context_size as usize <= GCM_ROOM
            && code.key_size as usize == key
            && (code.nonce_size, code.digest_size as usize) == (12, TAG);
        fits.then_some(Gcm(code))
    }

    pub(crate) fn context(self, key: &[u8]) -> Result<GcmContext, Error> {
        check_key(self.0.key_size as usize, key)?;
        let mut context = Box::new(Memory::new());
        // SAFETY: the memory has room for the context, and the key is as long as the function reads.
        unsafe { (self.0.set_encrypt_key)(context.at(), key.as_ptr()) };
        Ok(GcmContext { code: self, context })
    }
}

/// A context that has its key.
pub(crate) struct GcmContext {
    code: Gcm,
    context: Box<Memory<GCM_ROOM>>,
}

impl Crypting for GcmContext {
    fn crypt(
        &mut self,
        direction: Direction,
        nonce: &[u8; 12],
        associated: &[u8],
        message: &mut [u8],
    ) -> [u8; TAG] {
        let (code, at) = (self.code.0, self.context.at());
        let crypt = if direction == Direction::Encryption { code.encrypt } else { code.decrypt };
        let mut tag = [0; TAG];
        // SAFETY: the context has its key and is this call's own; the nonce is as long as the description says, all else as
        // stated, and the message is worked on in place. A nonce begins a message.
        unsafe {
            (code.set_nonce)(at, nonce.as_ptr());
            (code.update)(at, associated.len(), associated.as_ptr());
            crypt(at, message.len(), message.as_mut_ptr(), message.as_ptr());
            (code.digest)(at, TAG, tag.as_mut_ptr());
        }
        tag
    }
}

impl Drop for GcmContext {
    fn drop(&mut self) {
        self.context.wipe();
    }
}

/// CCM over a block cipher with its key.
pub(crate) struct CcmContext {
    functions: Functions,
    keys: Keys,
}

impl CcmContext {
    pub(crate) fn new(block: &Block, key: &[u8]) -> Result<CcmContext, Error> {
        check_key(block.code.key_size as usize, key)?;
        let functions =
            Functions::load(block.nettle.library).map_err(|error| Error::Library(too_old(error)))?;
        Ok(CcmContext { functions, keys: block.keys(key, key) })
    }
}

impl Crypting for CcmContext {
    fn crypt(
        &mut self,
        direction: Direction,
        nonce: &[u8; 12],
        associated: &[u8],
        message: &mut [u8],
    ) -> [u8; TAG] {
        let (functions, key) = (&self.functions, self.keys.encrypting.read());
        let Cipher { encrypt, .. } = *self.keys.code;
        let crypt = match direction {
            Direction::Encryption => functions.nettle_ccm_encrypt,
            Direction::Decryption => functions.nettle_ccm_decrypt,
        };
        let mut state = Memory::<CCM_ROOM>::new();
        let mut tag = [0; TAG];
        // SAFETY: the memory has room for a `struct ccm_ctx`, two blocks and a number; the key is of the cipher whose function this
        // is; nonce, associated data, message and tag are as long as stated, and the message is worked on in place.
        unsafe {
            let at = state.at();
            (functions.nettle_ccm_set_nonce)(
                at,
                key,
                encrypt,
                nonce.len(),
                nonce.as_ptr(),
                associated.len(),
                message.len(),
                TAG,
            );
            (functions.nettle_ccm_update)(at, key, encrypt, associated.len(), associated.as_ptr());
            crypt(at, key, encrypt, message.len(), message.as_mut_ptr(), message.as_ptr());
            (functions.nettle_ccm_digest)(at, key, encrypt, TAG, tag.as_mut_ptr());
        }
        tag
    }
}
