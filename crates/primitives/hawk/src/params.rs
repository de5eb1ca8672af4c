//! The three parameter sets (HAWK 1.0, section 3.1).

use crate::arithmetic::{Roots, Tables};

/// The degree of the largest.
pub(crate) const MOST: usize = 1024;

/// The two primes modulo which a norm is computed (algorithms 13 and 20).
pub(crate) const P1: u32 = 2_147_473_409;
pub(crate) const P2: u32 = 2_147_389_441;

/// One row of a table of the distribution: 15 high bits and 63 low ones of a probability times 2^78, for each of the two
/// cosets.
pub(crate) type Row = [(u16, u64); 2];

/// How many bits of a coefficient Golomb's and Rice's code keeps as they are, and how many bits all may have.
#[derive(Clone, Copy)]
pub(crate) struct Code {
    pub(crate) low: usize,
    pub(crate) high: usize,
}

/// The constants that are this crate's own business, named as the specification has them.
pub(crate) trait Constants {
    /// The binary logarithm of the degree.
    const LOG: usize;
    const SALT: usize;
    const HPUB: usize;
    const Q00: Code;
    const Q01: Code;
    const S1: Code;
    /// Bits of coefficients of q11 and s0.
    const HIGH11: usize;
    const HIGHS0: usize;
    /// 2 n σ² for σ_krsec, rounded up: what the squared norm of a key must have.
    const LEAST_NORM: u32;
    /// 8 n σ² for σ_verify, rounded down: what the squared norm of a signature may have.
    const MOST_NORM: u32;
    /// 1/β0.
    const BETA: u32;
    const DISTRIBUTION: &'static [Row];
    const TABLES1: &'static Tables;
    const TABLES2: &'static Tables;
    const ROOTS: &'static Roots;

    const N: usize = 1 << Self::LOG;
    const SEED: usize = Self::N / 32 + 8;
}

/// A parameter set of HAWK: [`Hawk256`], [`Hawk512`] or [`Hawk1024`].
#[allow(private_bounds)] // the trait is sealed: what it needs is this crate's own
pub trait ParameterSet: Constants + 'static {
    /// Its name.
    const NAME: &'static str;
    /// Bytes of a private key.
    const PRIVATE_KEY: usize;
    /// Bytes of a public key.
    const PUBLIC_KEY: usize;
    /// Bytes of a signature.
    const SIGNATURE: usize;
    /// Bytes of a seed that key generation tries.
    const KEY_SEED: usize;
}

/// The tables of the specification (algorithm 14) with the two cosets side by side.
const fn rows<const COUNT: usize>(t0: [u128; COUNT], t1: [u128; COUNT]) -> [Row; COUNT] {
    const LOW: u128 = (1 << 63) - 1;
    let mut rows = [[(0, 0); 2]; COUNT];
    let mut at = 0;
    while at < COUNT {
        rows[at] =
            [((t0[at] >> 63) as u16, (t0[at] & LOW) as u64), ((t1[at] >> 63) as u16, (t1[at] & LOW) as u64)];
        at += 1;
    }
    rows
}

macro_rules! parameter_set {
    ($name:ident, $title:literal, $about:literal, log $log:literal, salt $salt:literal, hpub $hpub:literal,
     q00 $low00:literal $high00:literal, q01 $low01:literal $high01:literal, s1 $lows1:literal $highs1:literal,
     q11 $high11:literal, s0 $highs0:literal, norms $least:literal $most:literal, beta $beta:literal,
     public $public:literal, signature $signature:literal, $t0:expr, $t1:expr) => {
        #[doc = $about]
        #[derive(Clone, Copy, Debug)]
        pub enum $name {}

        impl Constants for $name {
            const LOG: usize = $log;
            const SALT: usize = $salt;
            const HPUB: usize = $hpub;
            const Q00: Code = Code { low: $low00, high: $high00 };
            const Q01: Code = Code { low: $low01, high: $high01 };
            const S1: Code = Code { low: $lows1, high: $highs1 };
            const HIGH11: usize = $high11;
            const HIGHS0: usize = $highs0;
            const LEAST_NORM: u32 = $least;
            const MOST_NORM: u32 = $most;
            const BETA: u32 = $beta;
            const DISTRIBUTION: &'static [Row] = &rows($t0, $t1);
            const TABLES1: &'static Tables = {
                static TABLES: Tables = Tables::new(P1, $log);
                &TABLES
            };
            const TABLES2: &'static Tables = {
                static TABLES: Tables = Tables::new(P2, $log);
                &TABLES
            };
            const ROOTS: &'static Roots = {
                static ROOTS: Roots = Roots::new($log);
                &ROOTS
            };
        }

        impl ParameterSet for $name {
            const NAME: &'static str = $title;
            const PRIVATE_KEY: usize = Self::SEED + Self::N / 4 + Self::HPUB;
            const PUBLIC_KEY: usize = $public;
            const SIGNATURE: usize = $signature;
            const KEY_SEED: usize = Self::SEED;
        }
    };
}

parameter_set!(
    Hawk256, "HAWK-256", "HAWK-256, a challenge that was never meant for use.",
    log 8, salt 14, hpub 16, q00 5 9, q01 8 11, s1 5 9, q11 13, s0 12, norms 556 2223, beta 250,
    public 450, signature 249,
    [
        0x26B8_71FB_D584_85D4_5050, 0x07C0_5411_4F1D_C2FA_7AC9, 0x00A2_42F7_4ADD_A0B5_AE61,
        0x0005_252E_2152_AB5D_758B, 0x0000_0FDE_6219_6C17_18FC, 0x0000_0012_7325_DDF8_CEBA,
        0x0000_0000_0810_0822_C548, 0x0000_0000_0001_52A6_E9AE, 0x0000_0000_0000_0014_DA4A,
        0x0000_0000_0000_0000_007B,
    ],
    [
        0x1345_9408_A4B1_81C7_18B1, 0x027D_6145_69CC_5472_2DC9, 0x0020_951C_5CDC_BAFF_49A3,
        0x0000_A346_0C30_AC39_8322, 0x0000_0135_5A83_30C4_4097, 0x0000_0000_DC8D_E401_FD12,
        0x0000_0000_003B_0FFB_28F0, 0x0000_0000_0000_05EF_CD99, 0x0000_0000_0000_0000_3953,
        0,
    ]
);

parameter_set!(
    Hawk512, "HAWK-512", "HAWK-512, meant for category 1.",
    log 9, salt 24, hpub 32, q00 5 9, q01 9 12, s1 5 9, q11 15, s0 13, norms 2080 8317, beta 1000,
    public 1024, signature 555,
    [
        0x2C05_8C27_920A_04F8_F267, 0x0E9A_1C4F_F17C_204A_A058, 0x02DB_DE63_263B_E009_8FFD,
        0x0051_56AE_DFB0_876A_3BD8, 0x0005_061E_21D5_88CC_61CC, 0x0000_2BA5_68D9_2EEC_18E7,
        0x0000_00CF_0F86_87D3_B009, 0x0000_0002_16A0_C344_EB45, 0x0000_0000_02ED_F0B9_8A84,
        0x0000_0000_0002_3AF3_B2E7, 0x0000_0000_0000_00EB_CC6A, 0x0000_0000_0000_0000_34CF,
        0x0000_0000_0000_0000_0006,
    ],
    [
        0x1AFC_BC68_9D92_1344_9DC9, 0x06EB_FB90_8C81_FCE3_524F, 0x0106_4EBE_FD8F_F4F0_7378,
        0x0015_C628_BC6B_2388_7196, 0x0000_FF76_9211_F07B_326F, 0x0000_0668_F461_693D_FF8F,
        0x0000_0016_70DB_6596_4485, 0x0000_0000_2AB6_E11C_2552, 0x0000_0000_002C_253C_7E81,
        0x0000_0000_0000_18C1_4ABF, 0x0000_0000_0000_0007_876E, 0x0000_0000_0000_0000_013D,
        0,
    ]
);

parameter_set!(
    Hawk1024, "HAWK-1024", "HAWK-1024, meant for category 5.",
    log 10, salt 40, hpub 64, q00 6 10, q01 10 14, s1 6 10, q11 17, s0 14, norms 7981 20218, beta 3000,
    public 2440, signature 1221,
    [
        0x2C58_3AAA_2EB7_6504_E560, 0x0F1D_70E1_C03E_49BB_683E, 0x0319_55CD_A662_EF2D_1C48,
        0x005E_31E8_74B3_5542_1BB7, 0x0006_57C0_676C_0298_95A7, 0x0000_3D4D_6769_6E51_F820,
        0x0000_014A_1A8A_93F2_0738, 0x0000_0003_DAF4_7E8D_FB21, 0x0000_0000_0663_4617_B3FF,
        0x0000_0000_0005_DBEF_B646, 0x0000_0000_0000_02F9_3038, 0x0000_0000_0000_0000_D5A7,
        0x0000_0000_0000_0000_0021,
    ],
    [
        0x1B7F_01AE_2B17_728D_F2DE, 0x0750_6A00_B82C_6962_4C93, 0x0125_2685_DB30_3486_56A4,
        0x001A_4301_9277_0E20_5503, 0x0001_5353_BD40_91AA_96DB, 0x0000_0991_5A53_D866_7BEE,
        0x0000_0026_6700_3016_0D5F, 0x0000_0000_557C_D1C5_F797, 0x0000_0000_0069_65E1_5B13,
        0x0000_0000_0000_47E9_AB38, 0x0000_0000_0000_001B_2445, 0x0000_0000_0000_0000_05AA,
        0,
    ]
);

#[cfg(test)]
mod tests {
    use super::*;

    /// The bounds as the specification gives them: by σ_krsec and σ_verify, in thousandths.
    #[test]
    fn bounds_and_lengths() {
        fn of<P: ParameterSet>(krsec: u64, verify: u64, lengths: [usize; 4]) {
            let n = P::N as u64;
            assert_eq!(u64::from(P::LEAST_NORM), (2 * n * krsec * krsec).div_ceil(1_000_000));
            assert_eq!(u64::from(P::MOST_NORM), 8 * n * verify * verify / 1_000_000);
            assert_eq!([P::KEY_SEED, P::PRIVATE_KEY, P::PUBLIC_KEY, P::SIGNATURE], lengths);
        }
        of::<Hawk256>(1042, 1042, [16, 96, 450, 249]);
        of::<Hawk512>(1425, 1425, [24, 184, 1024, 555]);
        of::<Hawk1024>(1974, 1571, [40, 360, 2440, 1221]);
    }
}
