//! The facts of a machine that stand in every record: what is there, as opposed to how busy it is.

use crate::{
    affinity,
    record::Host,
    tree::{Tree, field},
};
use sha2::{Digest, Sha256};

/// The compiler and target that built this crate, for instance
/// `rustc 1.95.0 (…), x86_64-unknown-linux-gnu`, with a remark where debug assertions are on.
pub fn compiler() -> String {
    let compiler = env!("FIELDTEST_COMPILER");
    if cfg!(debug_assertions) { format!("{compiler}, with debug assertions") } else { compiler.to_owned() }
}

/// Reads the facts below `tree`; what is not there is `unknown`. `counter` is the primary counter's unit.
pub fn facts(tree: &Tree, counter: &str) -> Host {
    let mut host = Host {
        id: String::new(),
        cpu: processor(tree),
        cores: affinity::allowed().map_or(1, |processors| processors.len()),
        features: features(),
        kernel: kernel(tree),
        system: system(tree),
        compiler: compiler(),
        counter: counter.to_owned(),
        extensions: None,
    };
    host.id = identifier(&host);
    host
}

/// The smaller machine that implementations see which are restricted to a level of extensions. It has an identifier of its
/// own, so results of both are never taken for those of one machine.
pub fn restricted(mut host: Host, level: &str) -> Host {
    host.extensions = Some(level.to_owned());
    host.id = identifier(&host);
    host
}

fn unknown() -> String {
    "unknown".to_owned()
}

fn processor(tree: &Tree) -> String {
    let text = tree.read("/proc/cpuinfo").unwrap_or_default();
    if let Some(name) = field(&text, "model name") {
        return name.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    // Arm: numbers of implementer and part, which tables elsewhere turn into names.
    match (field(&text, "CPU implementer"), field(&text, "CPU part")) {
        (Some(implementer), Some(part)) => {
            format!("{} implementer {implementer} part {part}", std::env::consts::ARCH)
        }
        _ => field(&text, "cpu").or(field(&text, "uarch")).map_or_else(unknown, str::to_owned),
    }
}

fn kernel(tree: &Tree) -> String {
    let name = tree.read("/proc/sys/kernel/ostype");
    let release = tree.read("/proc/sys/kernel/osrelease");
    match (name, release) {
        (Some(name), Some(release)) => format!("{name} {release}"),
        _ => unknown(),
    }
}

fn system(tree: &Tree) -> String {
    let text = tree.read("/etc/os-release").or_else(|| tree.read("/usr/lib/os-release")).unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    name.map_or_else(unknown, |name| name.trim_matches(['"', '\'']).to_owned())
}

/// The extensions of this processor among those that cryptographic implementations dispatch on.
#[cfg(target_arch = "x86_64")]
fn features() -> Vec<String> {
    macro_rules! detected {
        ($($name:tt),* $(,)?) => {
            [$(($name, std::arch::is_x86_feature_detected!($name))),*]
        };
    }
    let all = detected![
        "sse2",
        "ssse3",
        "sse4.1",
        "sse4.2",
        "pclmulqdq",
        "aes",
        "sha",
        "avx",
        "avx2",
        "fma",
        "bmi1",
        "bmi2",
        "adx",
        "rdrand",
        "rdseed",
        "gfni",
        "vaes",
        "vpclmulqdq",
        "avx512f",
        "avx512bw",
        "avx512dq",
        "avx512vl",
        "avx512ifma",
        "avx512vbmi",
        "avx512vbmi2",
        "avx512bitalg",
    ];
    all.into_iter().filter(|(_, present)| *present).map(|(name, _)| name.to_owned()).collect()
}

/// The extensions of this processor among those that cryptographic implementations dispatch on.
#[cfg(target_arch = "aarch64")]
fn features() -> Vec<String> {
    macro_rules! detected {
        ($($name:tt),* $(,)?) => {
            [$(($name, std::arch::is_aarch64_feature_detected!($name))),*]
        };
    }
    let all = detected!["neon", "aes", "pmull", "sha2", "sha3", "sm4", "sve", "sve2", "dit"];
    all.into_iter().filter(|(_, present)| *present).map(|(name, _)| name.to_owned()).collect()
}

/// No extensions are looked for on this architecture.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn features() -> Vec<String> {
    Vec::new()
}

/// The first 12 hex digits of SHA-256 over processor, cores, features, kernel, system, counter and restriction, if any, each
/// with its length before it. Nothing that identifies a person or a network goes in.
fn identifier(host: &Host) -> String {
    let mut hash = Sha256::new();
    let cores = host.cores.to_string();
    let features = host.features.join(" ");
    let parts = [&host.cpu, &cores, &features, &host.kernel, &host.system, &host.counter];
    for part in parts.into_iter().chain(&host.extensions) {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::FakeTree;

    #[test]
    fn facts_of_a_fake_machine() {
        let fake = FakeTree::with(&[
            ("proc/cpuinfo", "processor\t: 0\nmodel name\t: Some   Processor @ 3 GHz\n"),
            ("proc/sys/kernel/ostype", "Linux\n"),
            ("proc/sys/kernel/osrelease", "6.12.1-amd64\n"),
            ("etc/os-release", "NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 13 (trixie)\"\n"),
        ]);
        let host = facts(&fake.tree(), "ns");
        assert_eq!(host.cpu, "Some Processor @ 3 GHz");
        assert_eq!(host.kernel, "Linux 6.12.1-amd64");
        assert_eq!(host.system, "Debian GNU/Linux 13 (trixie)");
        assert!(host.cores >= 1 && host.compiler.contains("rustc"), "{host:?}");
        assert_eq!(host.id.len(), 12);
        // SHA-256 of what does not change by the hour, as another program computes it.
        let host = Host { cores: 8, features: vec!["avx".into(), "avx2".into()], ..host };
        assert_eq!(identifier(&host), "d553b6c41b2c");
        let smaller = ["avx2", "sse"].map(|level| restricted(host.clone(), level));
        assert_eq!(smaller[0].processor(), "Some Processor @ 3 GHz restricted to avx2");
        assert!(smaller[0].id != smaller[1].id && smaller[0].id != identifier(&host));
    }

    #[test]
    fn a_bare_tree_is_unknown_and_not_an_error() {
        let fake = FakeTree::with(&[("proc/cpuinfo", "nothing of use")]);
        let host = facts(&fake.tree(), "ns");
        assert_eq!(
            (host.cpu.as_str(), host.kernel.as_str(), host.system.as_str()),
            ("unknown", "unknown", "unknown")
        );
    }

    #[test]
    fn an_arm_processor_has_numbers() {
        let fake = FakeTree::with(&[("proc/cpuinfo", "CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n")]);
        assert!(facts(&fake.tree(), "ns").cpu.ends_with("implementer 0x41 part 0xd0c"));
    }
}
