//! Zone keys: made, read from and written to BIND's key files, published as DNSKEY and DS.

mod der;
mod field;
mod file;
mod private;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use fieldtest_kinds::signature::{PublicKeyForm, SecretKeyForm, Signature, SigningKey, VerifyingKey};
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha384};
use zeroize::Zeroizing;

use crate::codepoints::{CodePoint, Resolver};
use crate::name::Name;
use crate::remedied;

/// DNSKEY flag: the key signs zone data (RFC 4034, section 2.1.1).
pub const ZONE_KEY: u16 = 0x0100;
/// DNSKEY flag: a secure entry point, which the parent's DS names (RFC 4034, section 2.1.1).
pub const SECURE_ENTRY_POINT: u16 = 0x0001;
/// DNSKEY flag: the key is revoked (RFC 5011, section 2.1).
pub const REVOKED: u16 = 0x0080;
/// The only value that DNSKEY's Protocol field may have (RFC 4034, section 2.1.2).
pub const PROTOCOL: u8 = 3;

/// What a zone key is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyUse {
    /// Flags 256: signs the zone's data.
    ZoneSigning,
    /// Flags 257: signs the DNSKEY RRset, or, where it is the only key of its algorithm, everything.
    KeySigning,
}

impl KeyUse {
    /// The Flags field of DNSKEY.
    pub fn flags(self) -> u16 {
        match self {
            KeyUse::ZoneSigning => ZONE_KEY,
            KeyUse::KeySigning => ZONE_KEY | SECURE_ENTRY_POINT,
        }
    }
}

/// The digest of a DS record (IANA's registry of DS digest algorithms).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DsDigest {
    /// Number 2.
    Sha256,
    /// Number 4.
    Sha384,
}

/// Moments of a key's life in seconds since 1970, as key files note them. Signing does not look at them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KeyTimes {
    /// When the key was made.
    pub created: Option<u32>,
    /// From when on it is in the zone.
    pub publish: Option<u32>,
    /// From when on it signs.
    pub activate: Option<u32>,
    /// From when on it signs no more.
    pub inactive: Option<u32>,
    /// From when on it is not in the zone.
    pub delete: Option<u32>,
}

impl KeyTimes {
    /// The moments that are noted, by the names that they have in key files.
    fn noted(self) -> impl Iterator<Item = (&'static str, u32)> {
        let KeyTimes { created, publish, activate, inactive, delete } = self;
        let named = ["Created", "Publish", "Activate", "Inactive", "Delete"];
        named
            .into_iter()
            .zip([created, publish, activate, inactive, delete])
            .filter_map(|(name, time)| Some((name, time?)))
    }
}

/// Why there is no such key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum KeyError {
    /// The file system refused.
    #[error("cannot use {}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error(
        "cannot read the key {}: there is no {}; give its K*.key or K*.private file",
        typed.display(),
        path.display()
    )]
    NoFile { typed: PathBuf, path: PathBuf },
    #[error(
        "cannot read the key {}, line {line}: {what}{}",
        path.display(),
        remedied(what, "correct the line, or generate another key")
    )]
    File { path: PathBuf, line: usize, what: String },
    /// A file of that name exists, and keys are never overwritten.
    #[error("{} already exists, and keys are never overwritten; remove it or choose another directory", .0.display())]
    Exists(PathBuf),
    /// The bytes make no key of this algorithm.
    #[error("algorithm {code_point}: {what}")]
    Key { code_point: CodePoint, what: String },
    /// Only the public half is known.
    #[error("the private key of {0} is missing; give its K*.private file")]
    PublicOnly(String),
}

/// A key of a zone: its DNSKEY record and, where it can sign, the prepared secret key.
///
/// The secret's bytes are wiped when the last clone is dropped.
#[derive(Clone)]
pub struct ZoneKey {
    owner: Name,
    code_point: CodePoint,
    rdata: Vec<u8>,
    secret: Option<Arc<Secret>>,
    times: KeyTimes,
}

struct Secret {
    form: SecretKeyForm,
    bytes: Zeroizing<Vec<u8>>,
    prepared: Box<dyn SigningKey>,
}

impl ZoneKey {
    /// Makes a new key with the implementation's own randomness, published and active from this moment on.
    pub fn generate(
        owner: Name,
        key_use: KeyUse,
        code_point: CodePoint,
        implementation: &dyn Signature,
    ) -> Result<ZoneKey, KeyError> {
        let pair = implementation.generate().map_err(|source| KeyError::Key {
            code_point: code_point.clone(),
            what: format!("cannot generate a key: {source}"),
        })?;
        let secret = Zeroizing::new(pair.secret);
        let key = Self::from_secret(owner, key_use.flags(), code_point, implementation, secret)?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as u32);
        let now = Some(now);
        let times = KeyTimes { created: now, publish: now, activate: now, ..KeyTimes::default() };
        Ok(ZoneKey { times, ..key })
    }

    /// The key that belongs to a secret in the form that the implementation states.
    pub fn from_secret(
        owner: Name,
        flags: u16,
        code_point: CodePoint,
        implementation: &dyn Signature,
        secret: Zeroizing<Vec<u8>>,
    ) -> Result<ZoneKey, KeyError> {
        let fault = |what: String| KeyError::Key { code_point: code_point.clone(), what };
        code_point.check().map_err(|error| fault(error.to_string()))?;
        let prepared = implementation.signing_key(&secret).map_err(|e| fault(e.to_string()))?;
        let public =
            implementation_field(implementation.public_key_form(), prepared.as_ref()).map_err(&fault)?;
        let octets = 4 + code_point.prefix().len() + public.len();
        if public.is_empty() || octets > usize::from(u16::MAX) {
            return Err(fault(format!(
                "a public key of {} bytes; a DNSKEY record holds at least one, and at most 65,535 with its other fields",
                public.len()
            )));
        }
        let mut rdata = Vec::with_capacity(octets);
        rdata.extend_from_slice(&flags.to_be_bytes());
        rdata.extend_from_slice(&[PROTOCOL, code_point.number()]);
        rdata.extend_from_slice(code_point.prefix());
        rdata.extend_from_slice(&public);
        let secret = Secret { form: implementation.secret_key_form(), bytes: secret, prepared };
        Ok(ZoneKey { owner, code_point, rdata, secret: Some(Arc::new(secret)), times: KeyTimes::default() })
    }

    /// A key of which only the DNSKEY record is known: it is published, and signs nothing.
    pub fn from_dnskey(owner: Name, rdata: Vec<u8>) -> Result<ZoneKey, KeyError> {
        let bad = |number: u8, what: &str| KeyError::Key {
            code_point: CodePoint::Number(number),
            what: what.to_owned(),
        };
        let [_, _, protocol, number, public @ ..] = &rdata[..] else {
            return Err(bad(0, "DNSKEY RDATA of fewer than four bytes"));
        };
        if *protocol != PROTOCOL {
            return Err(bad(*number, "the Protocol field of a DNSKEY must be 3"));
        }
        let (code_point, _) = CodePoint::of_record(*number, public).ok_or_else(|| {
            bad(*number, "a private algorithm's key must begin with a name or object identifier")
        })?;
        Ok(ZoneKey { owner, code_point, rdata, secret: None, times: KeyTimes::default() })
    }

    /// The zone's name.
    pub fn owner(&self) -> &Name {
        &self.owner
    }

    /// The DNSKEY's Flags field: 256 for a zone-signing key, 257 with the SEP bit.
    pub fn flags(&self) -> u16 {
        u16::from_be_bytes([self.rdata[0], self.rdata[1]])
    }

    /// Whether the SEP bit is set.
    pub fn is_secure_entry_point(&self) -> bool {
        self.flags() & SECURE_ENTRY_POINT != 0
    }

    /// The algorithm's code point.
    pub fn code_point(&self) -> &CodePoint {
        &self.code_point
    }

    /// The RDATA of its DNSKEY record.
    pub fn dnskey(&self) -> &[u8] {
        &self.rdata
    }

    /// The DNSKEY's Public Key field.
    pub fn public_field(&self) -> &[u8] {
        &self.rdata[4..]
    }

    /// The key tag (RFC 4034, appendix B).
    pub fn tag(&self) -> u16 {
        tag(&self.rdata)
    }

    /// The prepared secret key, unless only the public half is known.
    pub fn signing(&self) -> Option<&dyn SigningKey> {
        self.secret.as_ref().map(|secret| secret.prepared.as_ref())
    }

    /// What an implementation finds wrong with its public half, of which nothing is known after
    /// [`from_dnskey`](Self::from_dnskey) alone.
    pub fn fault(&self, resolve: &Resolver<'_>) -> Option<String> {
        let field = &self.public_field()[self.code_point.prefix().len()..];
        prepared(resolve(&self.code_point)?, field).err()
    }

    /// The noted moments of its life.
    pub fn times(&self) -> KeyTimes {
        self.times
    }

    /// Notes moments of its life.
    pub fn set_times(&mut self, times: KeyTimes) {
        self.times = times;
    }

    /// The RDATA of its DS record (RFC 4034, section 5.1).
    pub fn ds(&self, digest: DsDigest) -> Vec<u8> {
        ds(&self.owner, &self.rdata, digest)
    }

    /// The base name of its files, `K<zone>+<algorithm>+<tag>`.
    pub fn file_name(&self) -> String {
        file::base_name(&self.owner, self.code_point.number(), self.tag())
    }
}

/// Names the key; never shows the secret.
impl fmt::Debug for ZoneKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ZoneKey({}, flags {})", self.file_name(), self.flags())
    }
}

fn implementation_field(form: PublicKeyForm, key: &dyn SigningKey) -> Result<Vec<u8>, String> {
    field::from_public(form, &key.public_key())
}

/// The key in a DNSKEY's Public Key field, without what stands in front of it for a private algorithm.
pub(crate) fn prepared(code: &dyn Signature, field: &[u8]) -> Result<Box<dyn VerifyingKey>, String> {
    let public = field::to_public(code.public_key_form(), field)?;
    code.verifying_key(&public).map_err(|error| error.to_string())
}

/// The key tag of DNSKEY RDATA (RFC 4034, appendix B).
pub fn tag(rdata: &[u8]) -> u16 {
    let sum: u32 = rdata
        .chunks(2)
        .map(|pair| u32::from(pair[0]) << 8 | u32::from(pair.get(1).copied().unwrap_or(0)))
        .fold(0, u32::wrapping_add);
    (sum.wrapping_add(sum >> 16) & 0xffff) as u16
}

/// The RDATA of the DS record for a DNSKEY (RFC 4034, section 5.1.4).
pub fn ds(owner: &Name, dnskey: &[u8], digest: DsDigest) -> Vec<u8> {
    let mut rdata = tag(dnskey).to_be_bytes().to_vec();
    rdata.push(dnskey.get(3).copied().unwrap_or(0));
    match digest {
        DsDigest::Sha256 => {
            rdata.push(2);
            rdata.extend_from_slice(
                &Sha256::new().chain_update(owner.as_wire()).chain_update(dnskey).finalize(),
            );
        }
        DsDigest::Sha384 => {
            rdata.push(4);
            rdata.extend_from_slice(
                &Sha384::new().chain_update(owner.as_wire()).chain_update(dnskey).finalize(),
            );
        }
    }
    rdata
}

/// Whether DS RDATA means this key; `None` if tag and algorithm are the key's and the kind of digest is not known here.
pub(crate) fn ds_means(owner: &Name, dnskey: &[u8], given: &[u8]) -> Option<bool> {
    let [high, low, algorithm, digest, ..] = given else { return Some(false) };
    let algorithm_of_key = dnskey.get(3);
    if u16::from_be_bytes([*high, *low]) != tag(dnskey) || Some(algorithm) != algorithm_of_key {
        return Some(false);
    }
    match digest {
        1 => {
            let digest = Sha1::new().chain_update(owner.as_wire()).chain_update(dnskey).finalize();
            Some(given[4..] == digest[..])
        }
        2 => Some(ds(owner, dnskey, DsDigest::Sha256) == given),
        4 => Some(ds(owner, dnskey, DsDigest::Sha384) == given),
        _ => None,
    }
}

/// The type of a DS record's digest, if it is not known here.
pub(crate) fn unknown_digest(ds: &[u8]) -> Option<u8> {
    ds.get(3).copied().filter(|digest| ![1, 2, 4].contains(digest))
}

#[cfg(test)]
mod tests {
    use data_encoding::{BASE64, HEXUPPER};

    use super::*;

    /// The DNSKEY of RFC 4034, section 5.4, whose key tag there is 60485; its DS with SHA-256 is in RFC 4509,
    /// section 2.3.
    #[test]
    fn key_tag_and_ds_of_the_rfcs() {
        let public = "AQOeiiR0GOMYkDshWoSKz9XzfwJr1AYtsmx3TGkJaNXVbfi/2pHm822aJ5iI9BMzNXxeYCmZDRD99WYwYqUSdjMm\
                      mAphXdvxegXd/M5+X7OrzKBaMbCVdFLUUh6DhweJBjEVv5f2wwjM9XzcnOf+EPbtG9DMBmADjFDc2w/rljwvFw==";
        let mut rdata = vec![1, 0, 3, 5];
        rdata.extend_from_slice(&BASE64.decode(public.as_bytes()).unwrap());
        let owner = Name::parse(b"dskey.example.com.", None).unwrap();
        let key = ZoneKey::from_dnskey(owner, rdata).unwrap();
        assert_eq!(key.tag(), 60485);
        assert_eq!(key.file_name(), "Kdskey.example.com.+005+60485");
        let ds = key.ds(DsDigest::Sha256);
        assert_eq!(ds[..4], [0xec, 0x45, 5, 2]);
        assert_eq!(
            HEXUPPER.encode(&ds[4..]),
            "D4B7D520E7BB5F0F67674A0CCEB1E3E0614B93C4F9E99B8383F6A1E4469DA50A"
        );
        assert_eq!(key.ds(DsDigest::Sha384).len(), 4 + 48);
    }
}
