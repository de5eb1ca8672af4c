//! The words of this study's records: written by the study, read by its chapter of a report.

use std::fmt;

use fieldtest_measure::words;

words! {
    /// What a record is a result of.
    #[non_exhaustive]
    pub enum Operation {
        /// A page encrypted; the subject is [`Sectors`]. Its lead has the same subject.
        Encrypt = "encrypt",
        /// A page decrypted; the subject is [`Sectors`]. Its lead has the same subject.
        Decrypt = "decrypt",
        /// A page sealed by a cipher that authenticates; the subject is [`Sectors`]. Its lead has the same subject.
        Seal = "seal",
        /// A page opened again, its tags verified; the subject is [`Sectors`]. Its lead has the same subject.
        Open = "open",
        /// A page encrypted by somebody else's results; the subject is [`Published`].
        EncryptPublished = "encrypt-published",
        /// A page decrypted by somebody else's results; the subject is [`Published`].
        DecryptPublished = "decrypt-published",
        /// A large buffer encrypted; the subject is [`Threads`].
        Throughput = "throughput",
        /// Bytes of a sector that change with one bit; the subject is [`ONE_BIT`].
        Diffusion = "diffusion",
        /// A container made, filled and read; the subject is a [`Container`].
        Container = "container",
        /// Bytes that a container takes beside its data, or a sector; the subject is [`BESIDE`] or [`BESIDE_A_SECTOR`].
        Overhead = "overhead",
        /// A container opened with its passphrase; the subject is the key derivation with its cost.
        Unlock = "unlock",
        /// Whether a specification protects a disk; the subject is the specification.
        DmCrypt = "dm-crypt",
        /// Whether an implementation's time is independent of its secrets.
        ConstantTime = "constant-time",
        /// The cipher of the disk that is measured on; the subject is its specification.
        InUse = "in-use",
        /// A disk read; the subject is [`ReadFrom`].
        ReadRate = "read-rate",
        /// All data of a disk decrypted with the cipher in use and encrypted; the subject is a time.
        Reencrypt = "reencrypt",
    }
}

words! {
    /// Where what is read of a disk comes from.
    pub enum ReadFrom {
        /// From under the page cache.
        Device = "device",
        /// From the page cache.
        Cache = "page cache",
    }
}

/// What [`Operation::Diffusion`] is told of.
pub const ONE_BIT: &str = "one bit of ciphertext";
/// What [`Operation::Overhead`] is told of: of a container …
pub const BESIDE: &str = "LUKS2 header and key slots";
/// … and of each sector under a cipher that authenticates.
pub const BESIDE_A_SECTOR: &str = "tag and nonce of a sector";

/// To the disk or from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To the disk.
    Encrypt,
    /// From the disk.
    Decrypt,
}

impl Direction {
    /// Both of them.
    pub const BOTH: [Direction; 2] = [Direction::Encrypt, Direction::Decrypt];

    /// What is measured of it.
    pub const fn operation(self) -> Operation {
        match self {
            Direction::Encrypt => Operation::Encrypt,
            Direction::Decrypt => Operation::Decrypt,
        }
    }

    /// What others published of it.
    pub const fn published(self) -> Operation {
        match self {
            Direction::Encrypt => Operation::EncryptPublished,
            Direction::Decrypt => Operation::DecryptPublished,
        }
    }

    /// Its word, which is that of its operation.
    pub const fn word(self) -> &'static str {
        self.operation().word()
    }
}

/// To the disk with a tag or from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sealing {
    /// To the disk.
    Seal,
    /// From the disk.
    Open,
}

impl Sealing {
    /// Both of them.
    pub const BOTH: [Sealing; 2] = [Sealing::Seal, Sealing::Open];

    /// What is measured of it.
    pub const fn operation(self) -> Operation {
        match self {
            Sealing::Seal => Operation::Seal,
            Sealing::Open => Operation::Open,
        }
    }

    /// Its word, which is that of its operation.
    pub const fn word(self) -> &'static str {
        self.operation().word()
    }
}

words! {
    /// How many sectors come with one call.
    pub enum Way {
        /// Those of a page of 4096 bytes.
        Page = "page",
        /// Those of 256 KiB.
        Bulk = "bulk",
    }
}

/// Sectors of one size that come in one way: `512 page`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sectors {
    /// Bytes of a sector.
    pub size: u32,
    /// The way.
    pub way: Way,
}

impl Sectors {
    /// Reads a subject.
    pub fn read(subject: &str) -> Option<Sectors> {
        let (size, way) = subject.split_once(' ')?;
        Some(Sectors { size: size.parse().ok()?, way: Way::from_word(way)? })
    }
}

impl fmt::Display for Sectors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.size, self.way)
    }
}

/// What others published a result of: `4096 lea-avx2, Ryzen 9 5950X, May 2023`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Published<'a> {
    /// Bytes of a call.
    pub bytes: u32,
    /// The code and, behind a comma, the machine.
    pub by: &'a str,
}

impl<'a> Published<'a> {
    /// Reads a subject.
    pub fn read(subject: &'a str) -> Option<Published<'a>> {
        let (bytes, by) = subject.split_once(' ')?;
        Some(Published { bytes: bytes.parse().ok()?, by })
    }

    /// Core cycles per byte of so many ticks of the time-stamp counter, where a tick's length in them can be inferred: a Ryzen 9
    /// 5950X ticks at its nominal 3.4 GHz and boosts to 4.9 GHz.
    pub fn cycles_per_byte(&self, ticks: f64) -> Option<f64> {
        let is_known = self.by.contains("Ryzen 9 5950X");
        is_known.then(|| ticks * 4.9 / 3.4 / f64::from(self.bytes))
    }

    /// Whether the code is the kernel's generic one, in C without vectors.
    pub fn is_generic(&self) -> bool {
        self.by.split(',').next().is_some_and(|code| code.ends_with("-generic"))
    }
}

/// So many threads: `1 thread`, `16 threads`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Threads(
    /// At least one.
    pub usize,
);

impl Threads {
    /// Reads a subject.
    pub fn read(subject: &str) -> Option<Threads> {
        let (number, word) = subject.split_once(' ')?;
        number.parse().ok().map(Threads).filter(|it| it.word() == word)
    }

    fn word(self) -> &'static str {
        if self.0 == 1 { "thread" } else { "threads" }
    }
}

impl fmt::Display for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.0, self.word())
    }
}

words! {
    /// What a container took: parts of its time, and the whole of it.
    #[non_exhaustive]
    pub enum Container {
        /// Formatting it.
        Format = "format",
        /// Filling it with an image.
        Fill = "fill",
        /// Opening it, reading it back and comparing.
        Read = "read",
        /// All of it, by the clock on the wall.
        Wall = "wall",
        /// All of it, of all cores together.
        Cpu = "cpu",
    }
}

#[cfg(test)]
mod tests {
    use fieldtest_measure::words::Time;
    use fieldtest_testing::words::writes_what_is_read;

    use super::*;
    use crate::{DiskPart, STUDY_SECTION};

    fn is_known(operation: &str, subject: &str) -> Option<bool> {
        Some(match Operation::from_word(operation)? {
            Operation::Encrypt | Operation::Decrypt | Operation::Seal | Operation::Open => {
                Sectors::read(subject).is_some()
            }
            Operation::EncryptPublished | Operation::DecryptPublished => Published::read(subject).is_some(),
            Operation::Throughput => Threads::read(subject).is_some(),
            Operation::Diffusion => subject == ONE_BIT,
            Operation::Container => Container::from_word(subject).is_some(),
            Operation::Overhead => [BESIDE, BESIDE_A_SECTOR].contains(&subject),
            Operation::ReadRate => ReadFrom::from_word(subject).is_some(),
            Operation::Reencrypt => Time::from_word(subject).is_some(),
            Operation::Unlock | Operation::DmCrypt | Operation::InUse => !subject.is_empty(),
            Operation::ConstantTime => subject.is_empty(),
        })
    }

    #[test]
    fn what_is_written_is_read_back() {
        for way in Way::ALL {
            let sectors = Sectors { size: 512, way };
            assert_eq!(Sectors::read(&sectors.to_string()), Some(sectors));
        }
        for threads in [Threads(1), Threads(16)] {
            assert_eq!(Threads::read(&threads.to_string()), Some(threads));
        }
        let published = Published { bytes: 4096, by: "lea-avx2, Ryzen 9 5950X, May 2023" };
        assert_eq!(Published::read("4096 lea-avx2, Ryzen 9 5950X, May 2023"), Some(published));
        // 5,784 ticks of the mail's table.
        let cycles = published.cycles_per_byte(5_784.0).expect("a known machine");
        assert!((cycles - 2.035).abs() < 0.001 && !published.is_generic(), "{cycles}");
        assert!(Published { bytes: 4096, by: "lea-generic, i5" }.is_generic());
        assert_eq!(Sectors { size: 4096, way: Way::Bulk }.to_string(), "4096 bulk");
    }

    #[test]
    fn a_study_writes_nothing_that_its_study_section_does_not_know() {
        let names = ["aes-256-xts", "lea-256-xts", "aria-256-ecb", "lea-256-gcm"];
        let algorithms = names.map(str::to_owned).to_vec();
        writes_what_is_read(
            &[&STUDY_SECTION],
            &DiskPart { mebibytes: 1, algorithms, ..DiskPart::default() },
            is_known,
        );
    }
}
