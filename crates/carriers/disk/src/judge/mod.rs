//! Judges a specification of a cipher for a disk: what is safe, what works but should be known, and what is refused.
//!
//! Every finding has its reason, a remedy and a source. What is judged is the use on a disk: an adversary sees the
//! ciphertext, perhaps at several times, and may have chosen some of the plaintext. Beside that each finding says whether
//! dm-crypt maps a disk with such a specification, as Linux 7.3 does. The kernel was asked
//! (`tests/dm-crypt.txt`): before that, 20 of 74 specifications were judged wrongly.
mod keys;
mod known;
mod modes;
mod sectors;
mod tags;
#[cfg(test)]
mod tests;
mod vectors;

pub(crate) use known::key_bits;

use crate::integrity::Integrity;
use crate::spec::{CipherSpec, Iv};

const DM_CRYPT: &str =
    "Linux, drivers/md/dm-crypt.c and Documentation/admin-guide/device-mapper/dm-crypt.rst";
const SP_800_38E: &str = "NIST SP 800-38E and IEEE 1619-2018, section 5.1";

/// How the cipher is to be used. What is not given is not judged.
#[derive(Debug, Clone, Default)]
pub struct Use {
    /// Bits of the volume key, of XTS both halves together.
    pub key_bits: Option<u32>,
    /// Bytes of a sector of the container.
    pub sector_size: Option<u32>,
    /// Bytes of a block of the file system, or of a physical sector of the disk, whichever is smaller.
    pub block_size: Option<u32>,
    /// Bytes of a page of memory where it is to be opened; 4096 if not given.
    pub page_size: Option<u32>,
    /// Bytes of data.
    pub device_size: Option<u64>,
    /// What makes the tags that dm-integrity keeps (`cryptsetup luksFormat --integrity`). The MAC's key is none of
    /// [`key_bits`](Self::key_bits), unless the specification names the MAC.
    pub integrity: Option<Integrity>,
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Nothing speaks against it.
    Safe,
    /// It works, and there is something to know.
    WorksBut,
    /// It does not work, or does not protect.
    Refused,
}

/// One thing that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// How bad it is.
    pub verdict: Verdict,
    /// Whether dm-crypt maps a disk all the same.
    pub is_mapped: bool,
    /// A short name for programs, such as `stream-cipher`.
    pub name: &'static str,
    /// Why.
    pub reason: String,
    /// What to do instead.
    pub remedy: String,
    /// Where it can be read.
    pub source: &'static str,
}

/// All that was found about a specification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The worst of the findings, or safe.
    pub verdict: Verdict,
    /// The worst first.
    pub findings: Vec<Finding>,
}

impl Judgement {
    /// Whether dm-crypt maps a disk with this specification, as far as is known here.
    pub fn is_mapped(&self) -> bool {
        self.findings.iter().all(|finding| finding.is_mapped)
    }
}

/// Judges a specification for a use.
pub fn judge(text: &str, intended: &Use) -> Judgement {
    let mut found = Findings(Vec::new());
    let handed_on = intended.integrity.map(|integrity| tags::handed_on(text, integrity));
    match (text.parse::<CipherSpec>(), handed_on.as_deref().map(str::parse::<CipherSpec>)) {
        (Err(error), _) | (_, Some(Err(error))) => {
            found.unmapped("unreadable", error.to_string(), "write it as cipher-mode-vector", DM_CRYPT)
        }
        (Ok(_), None) if text.contains('(') && !text.starts_with("capi:") => found.unmapped(
            "unreadable",
            format!("'{text}' has parentheses, which dm-crypt accepts only after 'capi:'"),
            "add the prefix capi:",
            DM_CRYPT,
        ),
        (Ok(spec), tagged) => {
            match tagged {
                Some(Ok(tagged)) => found.tagged(text, &tagged, intended),
                _ => found.encrypting(&spec, intended, 0),
            }
            found.options(&spec);
            found.sectors(&spec, intended);
        }
    }
    let Findings(mut findings) = found;
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.verdict));
    let verdict = findings.first().map_or(Verdict::Safe, |finding| finding.verdict);
    Judgement { verdict, findings }
}

struct Findings(Vec<Finding>);

impl Findings {
    /// Of a cipher that makes no tags; `beside` are bits of the key that are none of its own.
    fn encrypting(&mut self, spec: &CipherSpec, intended: &Use, beside: u32) {
        let Some(chained) = vectors::encrypted(spec) else {
            self.mode_and_vector(spec, intended);
            self.vector(spec, intended);
            return self.cipher_and_key(spec, intended, beside);
        };
        // What ESSIV makes of a vector is as good as what it makes of a number, if there is any.
        self.vector(spec, intended);
        match spec.iv() {
            Iv::Null | Iv::Missing => self.same_vector(spec),
            _ => self.range_of_numbers(spec, intended),
        }
        self.mode_and_vector(&chained, intended);
        self.vector(&chained, intended);
        self.cipher_and_key(&chained, intended, beside);
    }

    /// What does not protect, and works.
    fn refuse(&mut self, name: &'static str, reason: String, remedy: &str, source: &'static str) {
        self.add((Verdict::Refused, true), name, reason, remedy, source);
    }

    fn unmapped(&mut self, name: &'static str, reason: String, remedy: &str, source: &'static str) {
        self.add((Verdict::Refused, false), name, reason, remedy, source);
    }

    fn note(&mut self, name: &'static str, reason: String, remedy: &str, source: &'static str) {
        self.add((Verdict::WorksBut, true), name, reason, remedy, source);
    }

    fn add(
        &mut self,
        (verdict, is_mapped): (Verdict, bool),
        name: &'static str,
        reason: String,
        remedy: &str,
        source: &'static str,
    ) {
        self.0.push(Finding { verdict, is_mapped, name, reason, remedy: remedy.to_owned(), source });
    }
}
