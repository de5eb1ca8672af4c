//! A repository in the new format, with all objects, references and `HEAD` of the old one.
//!
//! Notes (`refs/notes`) are carried over as any tree; the names of their entries are old IDs, for which Git has no
//! conversion. Hooks, reflogs, the index and settings other than the format are not carried over.

mod pack;
mod references;
mod tree_delta;

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process;

pub use pack::Contents;

use crate::map::{Conversion, Options};
use crate::pack::index_write::write_index;
use crate::{Error, Repository};

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// The objects.
    pub contents: Contents,
    /// Bytes of the pack.
    pub pack_len: u64,
    /// Bytes of its index.
    pub index_len: u64,
    /// How many references there are.
    pub references: usize,
}

/// Writes a bare repository at `path`, where nothing may be yet. `options` are those of the conversion.
///
/// Everything is written under another name beside it, brought to the disk, and renamed at last, so that whatever has the
/// name `path` is whole.
///
/// # Errors
/// [`Error::Repository`] if there is something at `path`, if Git has no such format, or if a reference names an object
/// that has no new ID; [`Error::Io`].
pub fn write(
    conversion: &Conversion<'_>,
    repository: &Repository,
    path: &Path,
    options: &Options<'_>,
) -> Result<Written, Error> {
    if !matches!(conversion.to.name.as_str(), "sha1" | "sha256") {
        return Err(Error::Repository {
            path: path.to_path_buf(),
            problem: format!("Git has no repositories of the format {:?}", conversion.to.name),
            remedy: "write the map of the IDs instead",
        });
    }
    if path.symlink_metadata().is_ok() {
        return Err(Error::Repository {
            path: path.to_path_buf(),
            problem: "there is something already".to_owned(),
            remedy: "remove it or choose another place",
        });
    }
    let partial = Partial::create(path)?;
    let written = partial.fill(conversion, repository, options)?;
    partial.rename_to(path)?;
    Ok(written)
}

/// A folder that is removed unless it is renamed.
struct Partial {
    path: PathBuf,
}

impl Partial {
    /// A folder beside `path`, named so that it does not look like a repository that is ready.
    fn create(path: &Path) -> Result<Partial, Error> {
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(format!(".partial-{}", process::id()));
        let partial = path.with_file_name(name);
        fs::create_dir(&partial).map_err(at(&partial))?;
        Ok(Partial { path: partial })
    }

    fn fill(
        &self,
        conversion: &Conversion<'_>,
        repository: &Repository,
        options: &Options<'_>,
    ) -> Result<Written, Error> {
        let folder = |name: &str| {
            let folder = self.path.join(name);
            fs::create_dir_all(&folder).map_err(at(&folder)).map(|()| folder)
        };
        let packs = folder("objects/pack")?;
        folder("objects/info")?;
        folder("refs/heads")?;
        folder("refs/tags")?;
        // References first: a repository that cannot have them is not worth a pack.
        let references = references::write(conversion, repository, &self.path)?;
        let head = references::head(conversion, repository)?;
        let config = format!(
            "[core]\n\trepositoryformatversion = {}\n\tfilemode = true\n\tbare = true\n{}",
            u8::from(conversion.to.name != "sha1"),
            match conversion.to.name.as_str() {
                "sha1" => String::new(),
                name => format!("[extensions]\n\tobjectFormat = {name}\n"),
            }
        );
        write_file(&self.path.join("config"), config.as_bytes())?;

        let new_pack = packs.join("tmp_pack");
        let out = BufWriter::with_capacity(1 << 20, File::create(&new_pack).map_err(at(&new_pack))?);
        let (packed, contents) = pack::write(conversion, options, out, &|source| at(&new_pack)(source))?;
        packed
            .out
            .into_inner()
            .map_err(|error| at(&new_pack)(error.into_error()))?
            .sync_all()
            .map_err(at(&new_pack))?;
        let mut entries = packed.entries;
        let index = packs.join(format!("pack-{}.idx", packed.trailer));
        let out = File::create(&index).map_err(at(&index))?;
        let index_len = write_index(&mut entries, &packed.trailer, &out).map_err(at(&index))?;
        out.sync_all().map_err(at(&index))?;
        let pack = packs.join(format!("pack-{}.pack", packed.trailer));
        fs::rename(&new_pack, &pack).map_err(at(&pack))?;
        for file in [&pack, &index] {
            let mut permissions = fs::metadata(file).map_err(at(file))?.permissions();
            permissions.set_readonly(true);
            fs::set_permissions(file, permissions).map_err(at(file))?;
        }
        // Without it Git takes the folder for no repository at all.
        write_file(&self.path.join("HEAD"), &head)?;
        for folder in [&packs, &self.path.join("objects"), &self.path] {
            File::open(folder).and_then(|folder| folder.sync_all()).map_err(at(folder))?;
        }
        Ok(Written { contents, pack_len: packed.len, index_len, references })
    }

    fn rename_to(self, path: &Path) -> Result<(), Error> {
        fs::rename(&self.path, path).map_err(at(path))?;
        if let Some(parent) = path.parent() {
            let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
            File::open(parent).and_then(|parent| parent.sync_all()).map_err(at(parent))?;
        }
        Ok(())
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // Once it was renamed there is nothing to remove, and what cannot be removed has a name that says what it is.
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_path_buf();
    move |source| Error::Io { path, source }
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let mut file = File::create(path).map_err(at(path))?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(at(path))
}
