//! A directory that is a job's.

use std::collections::HashSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::error::failed;
use crate::ledger::{self, Ledger};
use crate::plan::{plan_file, planned};
use crate::{Job, JobError, Plan, files};

/// The file that is locked as long as a process has the job. A directory with it is a job's.
const LOCK: &str = "lock";

/// A directory that this process alone has for a job of some kind, until this is dropped or the process ends.
/// One lock for all items: a job of several processes on several hosts (by Slurm) needed locks and a re-read
/// ledger for each item, and was dropped, since a batch system inside a benchmark is not worth its lines.
#[derive(Debug)]
pub struct Claim {
    folder: PathBuf,
    before: Option<Plan>,
    lock: File,
}

impl Claim {
    /// Takes a directory that is missing, empty, or holds a job of the same `what` already.
    ///
    /// # Errors
    ///
    /// [`JobError::Taken`]: what others left there is in no danger. [`JobError::Foreign`], [`JobError::Other`],
    /// [`JobError::Running`]. The file system refuses.
    pub fn of(folder: &Path, what: &Value) -> Result<Claim, JobError> {
        files::check(folder)?;
        let lock = folder.join(LOCK);
        if !plan_file(folder).exists() && !lock.exists() {
            let mut entries = match fs::read_dir(folder) {
                Ok(entries) => Some(entries),
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(source) => return Err(failed("read", folder, source)),
            };
            if let Some(found) = entries.as_mut().and_then(Iterator::next) {
                let found = found.map_err(|source| failed("read", folder, source))?.file_name().into();
                return Err(JobError::Taken { folder: folder.to_path_buf(), found });
            }
        }
        let open = || {
            files::make_folder(folder)?;
            File::options().create(true).truncate(false).write(true).open(&lock)
        };
        let lock = open().map_err(|source| failed("write", &lock, source))?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => JobError::Running(folder.to_path_buf()),
            TryLockError::Error(source) => failed("lock", folder, source),
        })?;
        let folder = fs::canonicalize(folder).map_err(|source| failed("read", folder, source))?;
        let before = planned(&folder)?;
        match before.as_ref().filter(|before| before.what != *what) {
            Some(before) => Err(JobError::other(&folder, &before.what, what)),
            None => Ok(Claim { folder, before, lock }),
        }
    }

    /// The plan of the last time, if there was one.
    pub fn before(&self) -> Option<&Plan> {
        self.before.as_ref()
    }

    /// Begins a job, or goes on with it: these items take the place of those of the last time, and what the ledger says of the ones
    /// that are still there holds.
    ///
    /// # Errors
    ///
    /// Two items have one name and state; the ledger cannot be read or written.
    pub fn begin(self, plan: Plan) -> Result<Job, JobError> {
        let mut ids = HashSet::new();
        if let Some(twice) = plan.items.iter().find(|item| !ids.insert(&item.id)) {
            return Err(JobError::Twice(twice.name.clone()));
        }
        if self.before.as_ref() != Some(&plan) {
            write_plan(&self.folder, &plan)?;
        }
        Ok(Job {
            ledger: Ledger::open(ledger::place(&self.folder))?,
            plan,
            folder: self.folder,
            _lock: self.lock,
        })
    }
}

fn write_plan(folder: &Path, plan: &Plan) -> Result<(), JobError> {
    let path = plan_file(folder);
    // Not a new name each time, of which killed runs would leave many. `lock` keeps others away.
    let fresh = path.with_extension("json.new");
    let write = || -> io::Result<()> {
        let mut file = File::create(&fresh)?;
        serde_json::to_writer_pretty(&mut file, plan)?;
        file.write_all(b"\n")?;
        file.sync_all()?;
        fs::rename(&fresh, &path)
    };
    write().map_err(|source| failed("write", &path, source))
}
