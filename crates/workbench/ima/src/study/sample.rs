//! A tree of files to measure on where none is named: sizes as an installed system has them.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use fieldtest_measure::Rng;
use fieldtest_study::StudyError;

use super::fault;

const PER_FOLDER: u32 = 100;
/// The median of file sizes of a Debian installation's `/usr` is a little over 2 KiB, and they spread over many powers
/// of two; each file draws its power from this range.
const POWERS: std::ops::Range<u32> = 6..19;

/// A generated tree, which vanishes with this.
pub(super) struct Generated {
    directory: tempfile::TempDir,
}

impl Generated {
    pub(super) fn new(files: u32, seed: u64) -> Result<Generated, StudyError> {
        let directory = tempfile::Builder::new().prefix("fieldtest-ima-").tempdir().map_err(fault)?;
        let mut rng = Rng::new(seed);
        let mut content = Vec::new();
        for number in 0..files {
            let folder = directory.path().join(format!("folder-{:03}", number / PER_FOLDER));
            fs::create_dir_all(&folder).map_err(fault)?;
            content.clear();
            // The sum of two draws has its middle more often than its ends.
            let spread = POWERS.len() as u64;
            let power = u64::from(POWERS.start)
                + (rng.below(spread as usize) as u64 + rng.below(spread as usize) as u64) / 2;
            let size = (1u64 << power) + rng.below(1 << power) as u64;
            let word = rng.below(1 << 30).to_le_bytes();
            content.extend(word.iter().cycle().take(size as usize));
            let mut file = File::create(folder.join(format!("file-{number:05}"))).map_err(fault)?;
            file.write_all(&content).map_err(fault)?;
        }
        Ok(Generated { directory })
    }

    pub(super) fn root(&self) -> &Path {
        self.directory.path()
    }
}
