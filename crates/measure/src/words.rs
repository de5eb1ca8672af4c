//! The words of records that all studies share: who writes a record and who reads it take them from here.
//!
//! A record's operation and subject are text, so that a report can be made of what no version of this program has
//! written. Within the program they are types: [`words!`](crate::words!) makes an enum of which every variant has one word,
//! and what has parts writes itself (`Display`) and is read back (`read`). Those of one carrier stand in its workbench.

use std::fmt;

crate::words! {
    /// What can be timed of a signature algorithm by itself, in the order of a key's life.
    pub enum KeyOperation {
        /// A key pair from the system's randomness.
        Keygen = "keygen",
        /// A secret key's bytes to a key that is ready to sign.
        PrepareSign = "prepare-sign",
        /// One signature with a prepared key.
        Sign = "sign",
        /// A public key's bytes to a key that is ready to verify.
        PrepareVerify = "prepare-verify",
        /// One verification with a prepared key.
        Verify = "verify",
        /// A public key's bytes to the verdict on one signature: what a key costs that is seen once.
        VerifyOnce = "verify-once",
    }
}

impl KeyOperation {
    /// Those that a choice between algorithms rests on.
    pub const DECIDING: [KeyOperation; 4] =
        [KeyOperation::Keygen, KeyOperation::Sign, KeyOperation::Verify, KeyOperation::VerifyOnce];

    /// Those that are timed: all in a thorough run, else what decides.
    pub fn timed(thorough: bool) -> &'static [KeyOperation] {
        if thorough { &KeyOperation::ALL } else { &KeyOperation::DECIDING }
    }

    /// As [`has_ratio`].
    pub fn has_ratio(self) -> bool {
        KeyOperation::DECIDING.contains(&self)
    }
}

crate::words! {
    /// What can be timed of an algorithm that works on messages, by itself and with a prepared key.
    pub enum MessageOperation {
        /// The digest of a message.
        Hash = "hash",
        /// The tag of a message.
        Tag = "tag",
        /// Encryption in place.
        Encrypt = "encrypt",
        /// Decryption in place.
        Decrypt = "decrypt",
        /// A copy of a message encrypted, with its tag.
        Seal = "seal",
        /// A copy of a sealed message decrypted, and its tag verified.
        Open = "open",
    }
}

/// Whether results of this operation by itself are divided by each other. Preparing a key allocates, and takes twice as
/// long in some processes as in others: half of such ratios lay in the intervals of another run (`BIAS.md`).
pub fn has_ratio(operation: &str) -> bool {
    KeyOperation::from_word(operation).is_some_and(KeyOperation::has_ratio)
        || MessageOperation::from_word(operation).is_some()
}

crate::words! {
    /// The subject of a job that all cores do: which time is meant.
    pub enum Time {
        /// By the clock on the wall.
        Wall = "wall",
        /// Of all cores together.
        Cpu = "cpu",
    }
}

/// The study of operations without a carrier.
pub const SPEED: &str = "speed";
/// The operation of records that say that a carrier cannot hold an algorithm.
pub const UNFIT: &str = "unfit";
/// The operation of records that say that an operation, which is their subject, was not measured.
pub const UNMEASURED: &str = "unmeasured";
/// The operation of records that say whether a place has an algorithm; the subject is a [`Place`].
pub const AVAILABLE: &str = "available";
/// The estimator of results that others published.
pub const PUBLISHED: &str = "published";
/// The estimator of a mean of logarithms, as of multiples.
pub const GEOMETRIC_MEAN: &str = "geometric mean";

/// The finding of a run that its user ended before its time.
pub const INTERRUPTED: &str = "The run was interrupted: what is missing was not measured.";

/// The note of results that hold the way into the kernel and back: they are shown, and never called a library's.
pub const WITH_SYSTEM_CALL: &str = "with system call";

/// The note of results by code that starts threads: all of them ran on the worker's processor.
pub const WITH_THREADS: &str = "with threads of its own, all on one processor: their time counts";

/// The note of results by code that does not keep to its run's `--extensions`.
pub const UNRESTRICTED: &str = "not restricted: may use all extensions of the processor";

/// The note of results of contended windows, since too few were uncontended.
pub const CONTENDED: &str = "contended: another thread used the core in too many windows";
/// The note of results of windows in all of which the thread lost its core.
pub const CORE_LOST: &str = "contended: the thread lost its core in every window";
/// The note of results of whole jobs during which other programs used the processors.
pub const OTHER_LOAD: &str = "contended: other programs used the processors at the same time";

/// The notes of results that other threads or programs had a part in.
pub const DISTURBED: [&str; 3] = [CONTENDED, CORE_LOST, OTHER_LOAD];

const RATIO: &str = "-ratio";
const LEAD: &str = "-lead";
const RATE: &str = "-rate";

/// The operation of how an operation compares with the baseline; the subject is [`Against`].
pub fn ratio(operation: &str) -> String {
    format!("{operation}{RATIO}")
}

/// Of which operation this one is the ratio.
pub fn of_ratio(operation: &str) -> Option<&str> {
    operation.strip_suffix(RATIO)
}

/// The operation of how much of an operation's message a second has time for.
pub fn rate(operation: &str) -> String {
    format!("{operation}{RATE}")
}

/// Of which operation this one is the rate.
pub fn of_rate(operation: &str) -> Option<&str> {
    operation.strip_suffix(RATE)
}

/// The operation of how far this project's code is ahead of the best library in an operation; the subject is [`Over`].
pub fn lead(operation: &str) -> String {
    format!("{operation}{LEAD}")
}

/// Of which operation this one is the lead.
pub fn of_lead(operation: &str) -> Option<&str> {
    operation.strip_suffix(LEAD)
}

/// The subject of a ratio: `against ecdsa-p256 (aws-lc)`, `256 bytes against sha-1 (fieldtest)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Against<'a> {
    /// The subject of the operation itself.
    pub of: &'a str,
    /// The baseline, with its implementation.
    pub baseline: &'a str,
}

impl<'a> Against<'a> {
    /// Reads a subject.
    pub fn read(subject: &'a str) -> Option<Against<'a>> {
        let (of, baseline) = subject.split_once("against ")?;
        Some(Against { of: of.trim_end(), baseline })
    }
}

impl fmt::Display for Against<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        between(f, self.of, "against", self.baseline)
    }
}

/// The subject of a lead, `144 single over aws-lc`; `over aws-lc` where the operation says all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Over<'a> {
    /// The subject of the operation itself.
    pub of: &'a str,
    /// The best other implementation.
    pub rival: &'a str,
}

impl<'a> Over<'a> {
    /// Reads a subject.
    pub fn read(subject: &'a str) -> Option<Over<'a>> {
        let (of, rival) = subject.split_once("over ")?;
        Some(Over { of: of.trim_end(), rival })
    }
}

impl fmt::Display for Over<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        between(f, self.of, "over", self.rival)
    }
}

fn between(f: &mut fmt::Formatter<'_>, of: &str, word: &str, other: &str) -> fmt::Result {
    let space = if of.is_empty() { "" } else { " " };
    write!(f, "{of}{space}{word} {other}")
}

/// A place that may have an algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place<'a> {
    /// A library or a system, by what its makers publish.
    Known(&'a str),
    /// What the host that was measured on has installed: `this host's OpenSSL`.
    Here(&'a str),
}

/// What the subjects begin with that are about the host that was measured on.
const HOST: &str = "this host's ";

impl<'a> Place<'a> {
    /// Reads a subject; every one is some place.
    pub fn read(subject: &'a str) -> Place<'a> {
        subject.strip_prefix(HOST).map_or(Place::Known(subject), Place::Here)
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Known(place) => f.write_str(place),
            Place::Here(place) => write!(f, "{HOST}{place}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        for operation in KeyOperation::ALL {
            assert_eq!(of_ratio(&ratio(operation.word())), Some(operation.word()));
            assert_eq!(of_lead(&lead(operation.word())), Some(operation.word()));
        }
        for over in [Over { of: "144 single", rival: "aws-lc" }, Over { of: "", rival: "aws-lc" }] {
            assert_eq!(Over::read(&over.to_string()), Some(over));
        }
        for place in [Place::Known("Linux"), Place::Here("OpenSSL")] {
            assert_eq!(Place::read(&place.to_string()), place);
        }
        for of in ["", "256 bytes"] {
            let against = Against { of, baseline: "ecdsa-p256 (aws-lc)" };
            assert_eq!(Against::read(&against.to_string()), Some(against));
        }
    }

    #[test]
    fn preparing_a_key_decides_nothing_and_is_not_divided() {
        use KeyOperation::{Keygen, PrepareSign, PrepareVerify, Sign, Verify, VerifyOnce};
        assert_eq!(KeyOperation::timed(false), [Keygen, Sign, Verify, VerifyOnce]);
        assert_eq!(KeyOperation::timed(true), [Keygen, PrepareSign, Sign, PrepareVerify, Verify, VerifyOnce]);
        let divided = KeyOperation::ALL.into_iter().filter(|operation| operation.has_ratio());
        assert_eq!(divided.collect::<Vec<_>>(), [Keygen, Sign, Verify, VerifyOnce]);
    }

    /// Records of all versions have these words.
    #[test]
    fn words_are_what_they_were() {
        assert_eq!(
            KeyOperation::ALL.map(KeyOperation::word).join(" "),
            "keygen prepare-sign sign prepare-verify verify verify-once"
        );
        assert_eq!(Over { of: "", rival: "aws-lc" }.to_string(), "over aws-lc");
        assert_eq!(Over { of: "512 page", rival: "aws-lc" }.to_string(), "512 page over aws-lc");
        assert_eq!((ratio("sign"), lead("segment")), ("sign-ratio".into(), "segment-lead".into()));
        assert_eq!((of_ratio("sign"), of_lead("sign-ratio"), Against::read("ed25519")), (None, None, None));
        assert!(*"wall" == Time::Wall && *"wall" != Time::Cpu);
    }
}
