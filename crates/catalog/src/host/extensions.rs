//! Libraries as on a smaller machine: which of them can be restricted as our own code is, and how.

use std::ffi::CStr;

use fieldtest_cpu::Extensions;
pub use fieldtest_cpu::{Level, Refused};
use fieldtest_text::own::OWN;

/// The environment variable with the word of a level, for a program and all that it starts.
pub const VARIABLE: &str = "FIELDTEST_EXTENSIONS";

/// What a level lacks that the one above it has, in the words of libraries. Those that a library's release does not know
/// have no effect.
struct Lacks {
    level: Level,
    /// Bits of five words by number, as OPENSSL_ia32cap(3) of 3.5 counts them; AWS-LC 1.x reads the first two words.
    openssl: &'static [usize],
    /// For BOTAN_CLEAR_CPUID, as 2.19 and 3 name them.
    botan: &'static str,
    /// For GCRYCTL_DISABLE_HWF, as 1.11 names them.
    libgcrypt: &'static [&'static CStr],
}

const LACKS: [Lacks; 3] = [
    Lacks {
        level: Level::Avx2,
        // AVX512F, DQ, IFMA, PF, ER, CD, BW, VL, VBMI, VBMI2, VNNI, BITALG, VPOPCNTDQ; AVX10 and its widths.
        openssl: &[80, 81, 85, 90, 91, 92, 94, 95, 97, 102, 107, 108, 110, 211, 304, 305, 306],
        botan: "avx512,avx512f,avx512_icelake,avx512_aes,avx512_clmul",
        libgcrypt: &[c"intel-avx512"],
    },
    Lacks {
        level: Level::Sse,
        // XOP, FMA, AVX, F16C; BMI1, AVX2, BMI2, ADX, GFNI, VAES, VPCLMULQDQ; SHA512, SM3, SM4, AVX-VNNI, AVX-IFMA, APX.
        openssl: &[43, 44, 60, 61, 67, 69, 72, 83, 104, 105, 106, 160, 161, 162, 164, 183, 213],
        botan: "avx2,avx2_aes,avx2_clmul,bmi1,bmi2,adx,gfni,sha512,sm3,sm4",
        libgcrypt: &[
            c"intel-avx",
            c"intel-avx2",
            c"intel-bmi2",
            c"intel-fast-vpgather",
            c"intel-gfni",
            c"intel-vaes-vpclmul",
        ],
    },
    Lacks {
        level: Level::None,
        // PCLMULQDQ, SSSE3, SSE4.1, SSE4.2, AES; SHA.
        openssl: &[33, 41, 51, 52, 57, 93],
        botan: "ssse3,sse41,sse42,aesni,aes_ni,clmul,sha,intel_sha",
        libgcrypt: &[c"all"],
    },
];

fn lacking(level: Level) -> impl Iterator<Item = &'static Lacks> {
    LACKS.iter().filter(move |it| level <= it.level)
}

/// Leaves code of this process, as far as it [keeps to it](is_kept_by), no more than the level of this name.
///
/// # Errors
/// As [`Extensions::restrict`].
pub fn restrict(level: &str) -> Result<Level, Refused> {
    Extensions::restrict(level)
}

/// What this process is restricted to.
pub fn restriction() -> Option<Level> {
    Extensions::restriction()
}

/// The variables that a process needs from its start, since libraries read them when they are loaded.
pub fn environment(level: Level) -> Vec<(&'static str, String)> {
    let mut all = vec![(VARIABLE, level.word().to_owned())];
    if cfg!(not(target_arch = "x86_64")) {
        all.push(("OPENSSL_armcap", "0".to_owned()));
    } else if level < Level::Avx512 {
        let mut words = [0_u64; 5];
        for bit in lacking(level).flat_map(|it| it.openssl) {
            words[bit / 64] |= 1 << (bit % 64);
        }
        all.push(("OPENSSL_ia32cap", words.map(|word| format!("~{word:#x}")).join(":")));
        all.push(("BOTAN_CLEAR_CPUID", lacking(level).map(|it| it.botan).collect::<Vec<_>>().join(",")));
    }
    if level == Level::None {
        all.push(("NETTLE_FAT_OVERRIDE", "none".to_owned()));
    }
    all
}

/// What libgcrypt is told when it is loaded.
pub(super) fn libgcrypt() -> impl Iterator<Item = &'static CStr> {
    Extensions::restriction().into_iter().flat_map(lacking).flat_map(|it| it.libgcrypt).copied()
}

/// Algorithms that our code computes with a crate's help which chooses instructions by itself, by a part of their names,
/// and the least level at which that makes no difference: the crate `aes` for the portable path, `sha2` for ECDSA.
const HELPED: [(&str, Level); 4] =
    [("aes", Level::Sse), ("antrag", Level::Sse), ("mayo", Level::Sse), ("ecdsa", Level::Avx2)];

/// Whether code keeps to the restriction of this process, if there is one. Of an engine nothing is known.
pub fn is_kept_by(algorithm: &str, implementation: &str) -> bool {
    Extensions::restriction().is_none_or(|level| keeps(level, algorithm, implementation))
}

fn keeps(level: Level, algorithm: &str, implementation: &str) -> bool {
    // There is nothing above that anything here uses.
    if level == Level::Avx512 {
        return true;
    }
    match implementation {
        own if own.starts_with(OWN) => {
            !HELPED.iter().any(|(part, least)| level < *least && algorithm.contains(part))
        }
        // Nettle has nothing above SSE.
        "aws-lc" | "openssl-host" | "libgcrypt-host" | "nettle-host" => true,
        "botan-host" => cfg!(target_arch = "x86_64"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn libraries_lack_what_the_level_lacks() {
        let of = |level| environment(level).into_iter().map(|(_, value)| value).collect::<Vec<_>>();
        assert_eq!(of(Level::Avx512), ["avx512"]);
        let avx2 = of(Level::Avx2);
        // Bits of CPUID's leaf 7: EBX, and ECX above it.
        assert_eq!(avx2[1], "~0x0:~0x5842dc230000:~0x0:~0x80000:~0x7000000000000");
        let none = of(Level::None);
        assert!(none[1].starts_with("~0x3218") && none[2].starts_with(&avx2[2]), "{none:?}");
        assert_eq!(none[3], "none");
        assert!(none[2].contains("aesni") && !of(Level::Sse)[2].contains("aesni"));
    }

    #[test]
    fn code_keeps_to_a_level_or_not() {
        let kept = |algorithm, code| Level::ALL.map(|level| keeps(level, algorithm, code));
        assert_eq!(kept("ml-dsa-44", OWN), [true; 4]);
        assert_eq!(kept("aes-256-xts", "fieldtest-portable"), [false, true, true, true]);
        assert_eq!(kept("ml-dsa-44-ecdsa-p256", OWN), [false, false, true, true]);
        assert_eq!(kept("sha-256", "openssl-host"), [true; 4]);
        assert_eq!(kept("sha-256", "ring"), [false, false, false, true]);
        let kept = super::super::HOSTS.iter().filter(|host| keeps(Level::Sse, "sha-256", host.name)).count();
        assert_eq!(kept, if cfg!(target_arch = "x86_64") { 4 } else { 3 });
        assert!(is_kept_by("sha-256", "ring"), "nothing is restricted here");
    }
}
