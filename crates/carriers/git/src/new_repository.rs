//! A bare repository that is being written: beside its place, brought to the disk, and renamed at last, so that whatever
//! has its name is whole.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process;

use crate::pack::index_write::write_index;
use crate::pack::write::Packed;
use crate::{Error, Format};

/// The directory of a repository that is not ready; removed unless it is [finished](Self::finish).
pub(crate) struct NewRepository {
    folder: PathBuf,
    path: PathBuf,
}

pub(crate) type PackFile = BufWriter<File>;

pub(crate) struct PackLens {
    pub(crate) pack: u64,
    pub(crate) index: u64,
}

impl NewRepository {
    /// The directory in which it is until it is finished.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// A repository without objects and `HEAD`, to be at `path` later, where nothing may be yet.
    ///
    /// # Errors
    /// [`Error::Repository`] if there is something at `path`, or if Git has no such format; [`Error::Io`].
    pub(crate) fn create(path: &Path, format: &Format) -> Result<NewRepository, Error> {
        let refused = |problem, remedy| Error::Repository { path: path.to_path_buf(), problem, remedy };
        let (version, extensions) = match format.name.as_str() {
            "sha1" => (0, ""),
            "sha256" => (1, "[extensions]\n\tobjectFormat = sha256\n"),
            other => {
                let problem = format!("Git has no repositories of the format {other:?}");
                return Err(refused(problem, "write the map of the IDs instead"));
            }
        };
        if path.symlink_metadata().is_ok() {
            return Err(refused("it already exists".to_owned(), "remove it or choose another place"));
        }
        let folder = partial_folder(path)?;
        let new = NewRepository { folder, path: path.to_path_buf() };
        for name in ["objects/pack", "objects/info", "refs/heads", "refs/tags"] {
            let folder = new.folder.join(name);
            fs::create_dir_all(&folder).map_err(at(&folder))?;
        }
        let core =
            format!("[core]\n\trepositoryformatversion = {version}\n\tfilemode = true\n\tbare = true\n");
        new.write(Path::new("config"), &[core.as_bytes(), extensions.as_bytes()].concat())?;
        Ok(new)
    }

    /// Writes a file, and the directories that it is in.
    pub(crate) fn write(&self, name: &Path, bytes: &[u8]) -> Result<(), Error> {
        let path = self.folder.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(at(parent))?;
        }
        let mut file = File::create(&path).map_err(at(&path))?;
        file.write_all(bytes).and_then(|()| file.sync_all()).map_err(at(&path))
    }

    /// Writes the pack that `write` makes, and its index. `write` is given the file, and what makes an error of the
    /// file's errors.
    pub(crate) fn write_pack<T>(
        &self,
        write: impl FnOnce(PackFile, &dyn Fn(io::Error) -> Error) -> Result<(Packed<PackFile>, T), Error>,
    ) -> Result<(PackLens, T), Error> {
        let packs = self.folder.join("objects/pack");
        let unnamed = packs.join("tmp_pack");
        let out = BufWriter::with_capacity(1 << 20, File::create(&unnamed).map_err(at(&unnamed))?);
        let (mut packed, made) = write(out, &|source| at(&unnamed)(source))?;
        let file = packed.out.into_inner().map_err(|error| at(&unnamed)(error.into_error()))?;
        file.sync_all().map_err(at(&unnamed))?;

        let named = |extension: &str| packs.join(format!("pack-{}.{extension}", packed.trailer));
        let (pack, index) = (named("pack"), named("idx"));
        let out = File::create(&index).map_err(at(&index))?;
        let index_len = write_index(&mut packed.entries, &packed.trailer, &out).map_err(at(&index))?;
        out.sync_all().map_err(at(&index))?;
        fs::rename(&unnamed, &pack).map_err(at(&pack))?;
        for file in [&pack, &index] {
            let mut permissions = fs::metadata(file).map_err(at(file))?.permissions();
            permissions.set_readonly(true);
            fs::set_permissions(file, permissions).map_err(at(file))?;
        }
        Ok((PackLens { pack: packed.len, index: index_len }, made))
    }

    /// Writes `HEAD`, without which Git takes the directory for no repository at all, and gives the repository its name.
    pub(crate) fn finish(self, head: &[u8]) -> Result<(), Error> {
        self.write(Path::new("HEAD"), head)?;
        for folder in ["objects/pack", "objects", ""] {
            sync(&self.folder.join(folder))?;
        }
        if let Err(error) = rename_to_nothing(&self.folder, &self.path) {
            if self.path.symlink_metadata().is_err() {
                return Err(at(&self.path)(error));
            }
            return Err(Error::Repository {
                path: self.path.clone(),
                problem:
                    "something was created there while the repository was written, and is left unchanged"
                        .to_owned(),
                remedy: "remove it or choose another place",
            });
        }
        match self.path.parent() {
            Some(parent) if parent.as_os_str().is_empty() => sync(Path::new(".")),
            Some(parent) => sync(parent),
            None => Ok(()),
        }
    }
}

/// Makes the directory in which a repository is written until it is ready: one that nothing had the name of before, that does not look
/// like that of a repository which is ready, and that is not too long where the repository's is as long as
/// can be. The process number alone is not unique: in containers every program is process 1, and the directory
/// of another one was removed.
fn partial_folder(path: &Path) -> Result<PathBuf, Error> {
    /// Characters, of up to 4 bytes each: the longest name is 255 bytes on every file system of Linux (limits.h, `NAME_MAX`).
    const ROOM: usize = 50;
    let name: String = path.file_name().unwrap_or_default().to_string_lossy().chars().take(ROOM).collect();
    for number in 0_u32.. {
        let folder = path.with_file_name(format!("{name}.partial-{}-{number}", process::id()));
        match fs::create_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|()| folder.clone()).map_err(at(&folder)),
        }
    }
    Err(at(path)(io::ErrorKind::AlreadyExists.into()))
}

/// Renames a directory, unless there is something at the new place: rename(2) alone would replace an empty directory there.
fn rename_to_nothing(folder: &Path, path: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(CWD, folder, CWD, path, RenameFlags::NOREPLACE) {
            // A file system, or a kernel, that cannot do it.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP | Errno::PERM) => {}
            renamed => return renamed.map_err(io::Error::from),
        }
    }
    if path.symlink_metadata().is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    fs::rename(folder, path)
}

impl Drop for NewRepository {
    fn drop(&mut self) {
        // Once it was renamed there is nothing to remove, and what cannot be removed has a name that says what it is.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn sync(folder: &Path) -> Result<(), Error> {
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(at(folder))
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> Error {
    move |source| Error::Io { path: path.to_path_buf(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_others_beside_a_repository_stay() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("r".repeat(250));
        let of_another = partial_folder(&path).unwrap();
        let folder = partial_folder(&path).unwrap();
        drop(NewRepository { folder: folder.clone(), path });
        assert!(of_another.is_dir() && !folder.exists());
    }
}
