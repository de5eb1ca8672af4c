//! Studies as data: which algorithms on which inputs within which time, in TOML.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fieldtest_catalog as catalog;
use fieldtest_catalog::kind::{Cipher, Hash, Kind, Mac, Signature};
use serde::Deserialize;

use crate::{StudyError, disk, selection, tcp_ao};

/// The study that runs when no other is named; `studies/default.toml` in the repository.
const DEFAULT: &str = include_str!("../../../studies/default.toml");

/// A study.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Plan {
    /// How it is measured.
    #[serde(default)]
    pub measure: Measure,
    /// The DNSSEC carrier's part, if it takes part.
    pub dnssec: Option<Dnssec>,
    /// The TCP-AO carrier's part, if it takes part.
    pub tcp_ao: Option<TcpAo>,
    /// The IMA carrier's part, if it takes part.
    pub ima: Option<Ima>,
    /// The Git carrier's part, if it takes part.
    pub git: Option<Git>,
    /// The disk carrier's part, if it takes part.
    pub disk: Option<Disk>,
}

/// How a study is measured.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Measure {
    /// Decides every random choice.
    pub seed: u64,
    /// Each ratio's 95 % interval is to be within ± this share.
    pub target: f64,
    /// Time for the whole study, in seconds.
    pub budget_seconds: f64,
}

impl Default for Measure {
    fn default() -> Self {
        Measure { seed: 1, target: 0.005, budget_seconds: 100.0 }
    }
}

impl Measure {
    /// Refuses values that no measurement can follow; the text says which and why.
    pub fn check(&self) -> Result<(), String> {
        if !(self.target > 0.0 && self.target < 1.0) {
            return Err(format!("the target {} is not a share between 0 and 1", self.target));
        }
        match Duration::try_from_secs_f64(self.budget_seconds) {
            Ok(_) => Ok(()),
            Err(_) => Err(format!("the budget of {} seconds is not a time", self.budget_seconds)),
        }
    }

    /// Time for the whole study.
    pub fn budget(&self) -> Duration {
        Duration::try_from_secs_f64(self.budget_seconds).unwrap_or(Duration::ZERO)
    }
}

/// The part of the DNSSEC carrier.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Dnssec {
    /// A zone file, relative to the study's file; a generated zone where there is none.
    pub zone: Option<PathBuf>,
    /// Completes relative names in the zone file.
    pub origin: Option<String>,
    /// Delegations of the generated zone.
    pub delegations: u32,
    /// The algorithms; empty for all.
    pub algorithms: Vec<String>,
    /// The implementations by name; empty for all.
    pub implementations: Vec<String>,
    /// The algorithm that ratios refer to.
    pub baseline: String,
}

impl Default for Dnssec {
    fn default() -> Self {
        Dnssec {
            zone: None,
            origin: None,
            delegations: 1438,
            algorithms: Vec::new(),
            implementations: Vec::new(),
            baseline: "ecdsa-p256".to_owned(),
        }
    }
}

/// The part of the TCP-AO carrier.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct TcpAo {
    /// Bytes of the MAC's input over IPv4: sequence number extension, pseudo-header, TCP header and payload.
    pub ipv4: Vec<usize>,
    /// The same over IPv6.
    pub ipv6: Vec<usize>,
    /// Segments per batch.
    pub batch: usize,
    /// The algorithms; empty for all.
    pub algorithms: Vec<String>,
    /// The implementations by name; empty for all.
    pub implementations: Vec<String>,
}

impl Default for TcpAo {
    fn default() -> Self {
        TcpAo {
            // A BGP KEEPALIVE, the case of the kernel's own figures, a full segment.
            ipv4: vec![83, 144, 1496],
            // The second over IPv6.
            ipv6: vec![172],
            batch: 64,
            algorithms: Vec::new(),
            implementations: Vec::new(),
        }
    }
}

/// The part of the IMA carrier.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Ima {
    /// A tree of files, relative to the study's file, which is read and never written to; a generated one where there
    /// is none.
    pub tree: Option<PathBuf>,
    /// Files of the generated tree.
    pub files: u32,
    /// The algorithms; empty for all.
    pub algorithms: Vec<String>,
    /// The algorithm that ratios refer to.
    pub baseline: String,
}

impl Default for Ima {
    fn default() -> Self {
        Ima { tree: None, files: 2000, algorithms: Vec::new(), baseline: "ecdsa-p256".to_owned() }
    }
}

/// The part of the Git carrier.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Git {
    /// A repository, relative to the study's file, which is read and never written to; a generated one where there is
    /// none.
    pub repository: Option<PathBuf>,
    /// Commits of the generated repository.
    pub commits: u32,
    /// The algorithms; empty for all.
    pub algorithms: Vec<String>,
    /// The implementations by name; empty for all.
    pub implementations: Vec<String>,
}

impl Default for Git {
    fn default() -> Self {
        Git { repository: None, commits: 1000, algorithms: Vec::new(), implementations: Vec::new() }
    }
}

/// The part of the disk carrier.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Disk {
    /// Bytes per sector.
    pub sector_sizes: Vec<usize>,
    /// Mebibytes of the sample container.
    pub mebibytes: u32,
    /// The algorithms; empty for all.
    pub algorithms: Vec<String>,
    /// The implementations by name; empty for all.
    pub implementations: Vec<String>,
}

impl Default for Disk {
    fn default() -> Self {
        Disk {
            sector_sizes: vec![512, 4096],
            mebibytes: 64,
            algorithms: Vec::new(),
            implementations: Vec::new(),
        }
    }
}

/// The shares of the study's time by carrier, of those that take part.
const SHARES: Shares<f64> = Shares { dnssec: 3.0, tcp_ao: 1.0, ima: 1.0, git: 1.0, disk: 1.0 };

/// Something for each carrier.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shares<T> {
    /// The DNSSEC carrier's.
    pub dnssec: T,
    /// The TCP-AO carrier's.
    pub tcp_ao: T,
    /// The IMA carrier's.
    pub ima: T,
    /// The Git carrier's.
    pub git: T,
    /// The disk carrier's.
    pub disk: T,
}

impl<T: Copy> Shares<T> {
    fn map<U>(self, each: impl Fn(T) -> U) -> Shares<U> {
        self.zip(self, |value, _| each(value))
    }

    fn zip<U: Copy, V>(self, other: Shares<U>, each: impl Fn(T, U) -> V) -> Shares<V> {
        Shares {
            dnssec: each(self.dnssec, other.dnssec),
            tcp_ao: each(self.tcp_ao, other.tcp_ao),
            ima: each(self.ima, other.ima),
            git: each(self.git, other.git),
            disk: each(self.disk, other.disk),
        }
    }

    fn all(self) -> [T; 5] {
        [self.dnssec, self.tcp_ao, self.ima, self.git, self.disk]
    }
}

impl Plan {
    /// Finds out what is wrong with any carrier's part, before another's costs its time.
    ///
    /// # Errors
    /// Unknown algorithms, and data that cannot be.
    pub fn check(&self) -> Result<(), StudyError> {
        if let Some(part) = &self.dnssec {
            selection::algorithms::<Signature>(&part.algorithms)?;
        }
        self.tcp_ao.as_ref().map_or(Ok(()), tcp_ao::check)?;
        self.disk.as_ref().map_or(Ok(()), disk::check)
    }

    /// The same plan, checked, with every algorithm by the catalog's name, however it was spelled.
    ///
    /// # Errors
    /// As [`check`](Self::check), and baselines that the catalog does not have.
    pub fn settled(&self) -> Result<Plan, StudyError> {
        self.check()?;
        fn settle<K: Kind>(names: &mut [String]) -> Result<(), StudyError> {
            for name in names {
                *name = catalog::find::<K>(name)?.facts.name.clone();
            }
            Ok(())
        }
        let mut plan = self.clone();
        if let Some(part) = &mut plan.dnssec {
            settle::<Signature>(&mut part.algorithms)?;
            settle::<Signature>(std::slice::from_mut(&mut part.baseline))?;
        }
        if let Some(part) = &mut plan.ima {
            settle::<Signature>(&mut part.algorithms)?;
            settle::<Signature>(std::slice::from_mut(&mut part.baseline))?;
        }
        if let Some(part) = &mut plan.tcp_ao {
            settle::<Mac>(&mut part.algorithms)?;
        }
        if let Some(part) = &mut plan.git {
            settle::<Hash>(&mut part.algorithms)?;
        }
        if let Some(part) = &mut plan.disk {
            settle::<Cipher>(&mut part.algorithms)?;
        }
        Ok(plan)
    }

    /// Which carriers take part.
    pub fn carriers(&self) -> Shares<bool> {
        Shares {
            dnssec: self.dnssec.is_some(),
            tcp_ao: self.tcp_ao.is_some(),
            ima: self.ima.is_some(),
            git: self.git.is_some(),
            disk: self.disk.is_some(),
        }
    }

    /// Whether no carrier takes part.
    pub fn is_empty(&self) -> bool {
        self.carriers().all() == [false; 5]
    }

    /// Each carrier's part of `budget`; none for one that takes no part.
    pub fn shares(&self, budget: Duration) -> Shares<Duration> {
        let weights = self.carriers().zip(SHARES, |takes, weight| if takes { weight } else { 0.0 });
        let all = weights.all().iter().sum::<f64>().max(1.0);
        weights.map(|weight| budget.mul_f64(weight / all))
    }

    /// The study that runs when no other is named.
    pub fn built_in() -> Result<Plan, StudyError> {
        Plan::parse(DEFAULT, Path::new("studies/default.toml"))
    }

    /// Reads a study file.
    pub fn read(path: &Path) -> Result<Plan, StudyError> {
        let text = fs::read_to_string(path)
            .map_err(|source| StudyError::Read { path: path.to_path_buf(), source })?;
        Plan::parse(&text, path)
    }

    fn parse(text: &str, path: &Path) -> Result<Plan, StudyError> {
        let fault = |text: String| StudyError::Plan { path: path.to_path_buf(), text };
        let mut plan: Plan = toml::from_str(text).map_err(|e| fault(located(text, &e)))?;
        if plan.is_empty() {
            return Err(fault(
                "no carrier takes part; add a [dnssec], [tcp-ao], [ima], [git] or [disk] table".to_owned(),
            ));
        }
        plan.measure.check().map_err(fault)?;
        plan = plan.settled().map_err(|error| fault(error.to_string()))?;
        // Inputs are named relative to the file that names them.
        let beside = path.parent().unwrap_or(Path::new(""));
        let zone = plan.dnssec.as_mut().and_then(|part| part.zone.as_mut());
        let tree = plan.ima.as_mut().and_then(|part| part.tree.as_mut());
        let repository = plan.git.as_mut().and_then(|part| part.repository.as_mut());
        for input in zone.into_iter().chain(tree).chain(repository) {
            *input = beside.join(&input);
        }
        Ok(plan)
    }
}

/// What the parser says, in one line with its place.
fn located(text: &str, error: &toml::de::Error) -> String {
    let line = error.span().map(|span| 1 + text[..span.start.min(text.len())].matches('\n').count());
    let what = error.message().replace('\n', ", ");
    line.map_or_else(|| what.clone(), |line| format!("line {line}: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_study_is_one() {
        let plan = Plan::built_in().expect("the embedded file");
        assert_eq!(plan.dnssec.expect("takes part").delegations, 1438);
    }

    #[test]
    fn faults_are_named() {
        let fault = |text: &str| Plan::parse(text, Path::new("x.toml")).expect_err("refused").to_string();
        assert!(fault("measure = 1").contains("x.toml"));
        assert!(fault("").contains("no carrier takes part"));
        assert!(fault("[dnssec]\nzones = 'x'").contains("zones"));
        assert!(fault("[measure]\ntarget = 2.0\n[dnssec]").contains("target"));
        assert!(fault("[measure]\nbudget-seconds = -1.0\n[dnssec]").contains("budget"));
    }

    #[test]
    fn names_are_found_however_they_are_spelled() {
        let text = "[dnssec]\nalgorithms = ['ML-DSA-44', 'Ed25519']\nbaseline = 'ECDSA P-256'\n\
                    [git]\nalgorithms = ['sha256']\n[disk]\nalgorithms = ['AES_256_XTS']";
        let plan = Plan::parse(text, Path::new("x.toml")).expect("a study");
        let dnssec = plan.dnssec.expect("takes part");
        assert_eq!(
            (dnssec.algorithms, &*dnssec.baseline),
            (vec!["ml-dsa-44".into(), "ed25519".into()], "ecdsa-p256")
        );
        assert_eq!(plan.git.expect("takes part").algorithms, ["sha-256"]);
        assert_eq!(plan.disk.expect("takes part").algorithms, ["aes-256-xts"]);
        let refused = |text: &str| Plan::parse(text, Path::new("x.toml")).expect_err("refused").to_string();
        assert!(refused("[git]\nalgorithms = ['sha2']").contains("did you mean"));
        assert!(refused("[ima]\nbaseline = 'dilithium2'").contains("standardised as ml-dsa-44"));
    }

    #[test]
    fn inputs_are_relative_to_the_file() {
        let plan = Plan::parse("[dnssec]\nzone = 'z'", Path::new("dir/x.toml")).expect("a study");
        assert_eq!(plan.dnssec.expect("takes part").zone, Some(PathBuf::from("dir/z")));
    }
}
