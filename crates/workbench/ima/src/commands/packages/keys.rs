//! The keys that packages are signed by. Which one signs a package follows from what the package holds, and not from who works on
//! it: so a package that is begun anew, here or elsewhere, has the same signatures.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use fieldtest_frame::input;
use fieldtest_frame::job::digest;
use fieldtest_ima::certificate;
use fieldtest_ima::store::Store;
use fieldtest_ima::tree::Job;

use super::super::shown;
use super::super::sign::Maker;
use crate::args::ImaPackages;
use crate::outcome::usage;
use crate::output::{self, Existing, Output};

pub(super) struct Key {
    path: PathBuf,
    /// By which the kernel looks for it.
    pub(super) id: String,
    /// The public key, and in which version it signs.
    pub(super) told: String,
    /// The certificate, or the public key where there is none.
    public: Vec<u8>,
    pub(super) archive: Vec<Job>,
    /// Signatures for a list.
    pub(super) tree: Vec<Job>,
}

/// All keys of a job, at least one.
pub(super) struct Keys(Vec<Key>);

impl Keys {
    /// Reads those that were named.
    ///
    /// # Errors
    /// One cannot be read or does not sign; two have one id, by which no kernel could tell them apart.
    pub(super) fn read(args: &ImaPackages) -> Result<Keys> {
        let named = match (&args.key, &args.keys) {
            (Some(key), _) => vec![(key.clone(), args.certificate.clone())],
            (None, Some(folder)) => in_folder(folder)?,
            (None, None) => return Err(usage("signing needs a key; give --key KEY")),
        };
        let mut keys: Vec<Key> = Vec::new();
        for (path, certificate) in named {
            let maker = Maker::new(&path, certificate.as_deref(), &args.how)?;
            let key = Key::new(path, certificate.as_deref(), &maker, &args.walk.attribute)?;
            if let Some(other) = keys.iter().find(|other| other.id == key.id) {
                bail!(
                    "{} and {} have the same id {}, so kernels cannot distinguish them; remove one of them",
                    shown::path(&other.path),
                    shown::path(&key.path),
                    key.id
                );
            }
            maker.warn();
            keys.push(key);
        }
        Ok(Keys(keys))
    }

    /// The key for a package with this content. With one key less only that one's packages get others, and with one more only those
    /// that it takes.
    pub(super) fn of(&self, content: &str) -> Option<&Key> {
        self.0.iter().max_by_key(|key| digest(&[key.id.as_bytes(), content.as_bytes()]))
    }

    /// Refuses a directory for [`publish`](Self::publish) in which something else has the name of a file, or that a key lies in.
    ///
    /// # Errors
    /// Which file or key it is; the system refuses.
    pub(super) fn check_place(&self, folder: &Path) -> Result<()> {
        for key in &self.0 {
            output::check_beside(("the directory of the public keys", folder), ("the key", &key.path))?;
            key.is_published(folder)?;
        }
        Ok(())
    }

    /// Leaves what verifies the signatures in a directory: a file ID.der, or ID.pem, for each key. What is there stays.
    ///
    /// # Errors
    /// Something else has the name of a file; the system refuses.
    pub(super) fn publish(&self, folder: &Path) -> Result<()> {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot create the directory {}", shown::path(folder)))?;
        for key in &self.0 {
            if !key.is_published(folder)? {
                let mut out = Output::create(&key.published(folder), Existing::Refuse)?;
                out.write_all(&key.public)?;
                out.commit()?;
            }
        }
        Ok(())
    }
}

impl Key {
    fn new(path: PathBuf, certificate: Option<&Path>, maker: &Maker<'_>, attribute: &str) -> Result<Key> {
        let signer = maker.signer()?;
        let public = match certificate {
            Some(path) => input::read(path, 16 << 20)
                .with_context(|| format!("cannot read the certificate {}", shown::path(path)))?,
            None => certificate::public_key_der(&maker.key.file.algorithm, signer.public_key())?,
        };
        let told = format!("{} {:?}", maker.key.file.algorithm, maker.version);
        Ok(Key {
            path,
            id: signer.id().to_string(),
            told: digest(&[told.as_bytes(), signer.public_key()]),
            public,
            archive: vec![maker.job(Store::Attribute(attribute.to_owned()))?],
            tree: vec![maker.job(Store::Returned)?],
        })
    }

    /// Where what verifies its signatures belongs.
    fn published(&self, folder: &Path) -> PathBuf {
        let form = if self.public.starts_with(b"-----BEGIN ") { "pem" } else { "der" };
        folder.join(format!("{}.{form}", self.id))
    }

    /// Whether that is there already.
    fn is_published(&self, folder: &Path) -> Result<bool> {
        let path = self.published(folder);
        let found = match fs::symlink_metadata(&path) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => {
                return Err(error).with_context(|| format!("cannot inspect {}", shown::path(&path)));
            }
        };
        // A link is none, wherever it leads.
        let same = found.is_file() && found.len() == self.public.len() as u64;
        match same && fs::read(&path).is_ok_and(|there| there == self.public) {
            true => Ok(true),
            false => bail!(
                "{} already exists, and is not the public key that belongs there; move it away, or choose another destination",
                shown::path(&path)
            ),
        }
    }
}

/// The keys of a directory, as `ima keygen` writes them, in the order of their names.
fn in_folder(folder: &Path) -> Result<Vec<(PathBuf, Option<PathBuf>)>> {
    let unread = || format!("cannot read the directory of keys {}", shown::path(folder));
    let entries =
        fs::read_dir(folder).with_context(unread)?.collect::<Result<Vec<_>, _>>().with_context(unread)?;
    let mut keys: Vec<PathBuf> = entries
        .iter()
        .map(fs::DirEntry::path)
        .filter(|path| path.extension() == Some(OsStr::new("pem")))
        .collect();
    keys.sort();
    if keys.is_empty() {
        return Err(usage(format!(
            "{} has no key; give a directory with files NAME.pem, or a key with --key",
            shown::path(folder)
        )));
    }
    let with_certificate = |key: PathBuf| {
        let certificate = key.with_extension("der");
        let is_there = certificate.exists();
        (key, is_there.then_some(certificate))
    };
    Ok(keys.into_iter().map(with_certificate).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_more_takes_its_share_and_changes_no_others() {
        let key = |id: &str| Key {
            path: PathBuf::new(),
            id: id.to_owned(),
            told: String::new(),
            public: Vec::new(),
            archive: Vec::new(),
            tree: Vec::new(),
        };
        let few = Keys(["a", "b", "c"].map(key).into());
        let more = Keys(["d", "c", "a", "b"].map(key).into());
        let mut taken = [0; 4];
        for content in (0..1_000).map(|number| number.to_string()) {
            let [before, after] = [&few, &more].map(|keys| keys.of(&content).unwrap().id.as_str());
            assert!(after == before || after == "d", "{content}: {before}, {after}");
            taken[usize::from(after.as_bytes()[0] - b'a')] += 1;
        }
        assert!(taken.iter().all(|share| (190..310).contains(share)), "{taken:?}");
        assert!(Keys(Vec::new()).of("").is_none());
    }
}
