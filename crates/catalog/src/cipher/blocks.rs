//! Block ciphers with blocks of 16 bytes in XTS, which is what disks are encrypted with, and in the modes that they are measured
//! in: AES (FIPS 197), ARIA (KS X 1213, RFC 5794) and LEA (KS X 3246, ISO/IEC 29192-2); and what cryptsetup offers beside AES, in
//! XTS with 256-bit keys: Serpent, a finalist of the competition that AES won, and Camellia.

use ::aes::{Aes128, Aes192, Aes256};
use ::aria::{Aria128, Aria192, Aria256};
use camellia::Camellia256;
use fieldtest_aes::Aes;
use fieldtest_aria::Aria;
use fieldtest_block::BlockCipher16;
use fieldtest_kinds::cipher::Cipher;
use fieldtest_text::own::{OWN, OWN_PORTABLE};
use fieldtest_lea::Lea;
use serpent::Serpent;

use super::own::Portable;
use super::kats::block::Kat;
use super::kats::{by_key, for_key, made_up, wycheproof, xts_rows};
use super::rustcrypto::{Block16, cipher};
use super::{Family, List, Mode, Prove, own, published_lea};
use crate::kat::KnownAnswers;
use crate::{KatResult, KatError, host};

pub(super) fn family() -> Family {
    let mut all = of::<Aes>();
    all.extend(of::<Lea>());
    all.extend(of::<Aria>());
    all.push(xts::<Serpent>("serpent-256-xts", "serpent", |cipher| {
        made_up_xts(cipher, "Serpent", include_str!("../../vectors/cipher/xts-serpent.txt"))
    }));
    all.push(xts::<Camellia256>("camellia-256-xts", "camellia", |cipher| {
        made_up_xts(cipher, "Camellia", include_str!("../../vectors/cipher/xts-camellia.txt"))
    }));
    all
}

/// The texts of the files of a cipher, for its three key lengths.
type Texts = [&'static str; 3];

/// A block cipher of which this project has code, with all that it is proven by.
trait Known: BlockCipher16 + Sized + Send + Sync + 'static {
    /// Those in XTS with keys of 16 and 32 bytes, then those in CBC, CTR and ECB with keys of 16, 24 and 32.
    const NAMES: [&'static str; 11];
    /// Its known answers by itself.
    const KATS: [Kat; 3];
    /// Where the known answers of CBC, CTR and ECB are from, and these.
    const MODES: [(&'static str, Texts); 3];
    /// Wycheproof's file of the cipher in CBC.
    const WYCHEPROOF_CBC: Option<&'static str>;

    fn xts(cipher: &dyn Cipher) -> Result<Vec<KnownAnswers>, KatError>;

    /// Adds code of other libraries, for keys of so many bytes.
    fn others(list: &mut List, mode: Mode, key: usize);
}

fn of<C: Known>() -> Family
where
    Portable<C>: BlockCipher16 + Send + Sync + 'static,
{
    let modes = [
        (Mode::Xts, &[16, 32][..], prove_xts::<C> as Prove),
        (Mode::Cbc, &[16, 24, 32], prove_cbc::<C>),
        (Mode::Ctr, &[16, 24, 32], |cipher| prove_mode::<C>(cipher, Mode::Ctr, 1)),
        (Mode::Ecb, &[16, 24, 32], |cipher| prove_mode::<C>(cipher, Mode::Ecb, 2)),
    ];
    let rows = modes.iter().flat_map(|(mode, keys, prove)| keys.iter().map(|key| (*mode, *key, *prove)));
    let listed = C::NAMES.into_iter().zip(rows).map(|(name, (mode, key, prove))| {
        let mut list = List::proven_by(prove);
        list.add(OWN, "fieldtest-modes", own::cipher::<C>(mode, key));
        list.add(OWN_PORTABLE, "fieldtest-modes", own::cipher::<Portable<C>>(mode, key));
        C::others(&mut list, mode, key);
        (name, list.with_hosts(|host| host::cipher(host, name)))
    });
    listed.collect()
}

fn prove_xts<C: Known>(cipher: &dyn Cipher) -> Result<KatResult, KatError> {
    let [short, _, long] = C::KATS;
    let kat = if cipher.key_len() == 2 * short.key { short } else { long };
    let mut sets = C::xts(cipher)?;
    sets.push(kat.prove(cipher, Mode::Xts)?);
    Ok(KatResult::of(sets))
}

fn prove_cbc<C: Known>(cipher: &dyn Cipher) -> Result<KatResult, KatError> {
    let proof = prove_mode::<C>(cipher, Mode::Cbc, 0)?;
    match C::WYCHEPROOF_CBC {
        Some(file) => Ok(proof.and(wycheproof::cbc(file, cipher)?)),
        None => Ok(proof),
    }
}

/// The rows for keys of the cipher's length, in rising order of these, and the known answers of the block cipher by itself.
fn prove_mode<C: Known>(cipher: &dyn Cipher, mode: Mode, at: usize) -> Result<KatResult, KatError> {
    let (origin, texts) = C::MODES[at];
    let rows = by_key(cipher, origin, texts)?;
    Ok(KatResult::of([rows, for_key(cipher, C::KATS).prove(cipher, mode)?]))
}

/// The names of a cipher's algorithms, in the order of [`Known::NAMES`].
macro_rules! names {
    ($cipher:literal) => {
        names!($cipher: "128-xts", "256-xts", "128-cbc", "192-cbc", "256-cbc",
            "128-ctr", "192-ctr", "256-ctr", "128-ecb", "192-ecb", "256-ecb")
    };
    ($cipher:literal: $($rest:literal),*) => { [$(concat!($cipher, "-", $rest)),*] };
}

/// The known answers of a cipher by itself: of each key length where they are from.
macro_rules! kats {
    ($cipher:literal: $short:literal, $middle:literal, $long:literal) => {
        kats!($cipher; 16 "128" $short, 24 "192" $middle, 32 "256" $long)
    };
    ($cipher:literal; $($key:literal $bits:literal $origin:literal),*) => {
        [$(Kat {
            origin: $origin,
            key: $key,
            text: include_str!(concat!("../../vectors/cipher/kat-", $cipher, "-", $bits, ".txt")),
        }),*]
    };
}

/// The known answers of a cipher in CBC, CTR and ECB, and where they are from.
macro_rules! modes {
    ($cipher:literal: $cbc:literal, $ctr:literal, $ecb:literal) => {
        [
            ($cbc, modes!($cipher; "cbc"; "128", "192", "256")),
            ($ctr, modes!($cipher; "ctr"; "128", "192", "256")),
            ($ecb, modes!($cipher; "ecb"; "128", "192", "256")),
        ]
    };
    ($cipher:literal; $mode:literal; $($bits:literal),*) => {
        [$(include_str!(concat!("../../vectors/cipher/modes-", $cipher, "-", $bits, "-", $mode, ".txt"))),*]
    };
}

impl Known for Aes {
    const NAMES: [&'static str; 11] = names!("aes");
    const KATS: [Kat; 3] = kats!("aes":
        "NIST AESAVS: ECBVarTxt128, ECBVarKey128 and ECBGFSbox128",
        "NIST AESAVS: ECBVarTxt192, ECBVarKey192 and ECBGFSbox192",
        "NIST AESAVS: ECBVarTxt256, ECBVarKey256 and ECBGFSbox256");
    const MODES: [(&'static str, Texts); 3] = modes!("aes":
        "NIST SP 800-38A, F.2", "NIST SP 800-38A, F.5", "NIST SP 800-38A, F.1, and FIPS 197, appendix C");
    const WYCHEPROOF_CBC: Option<&'static str> = Some("aes_cbc_pkcs5");

    fn xts(cipher: &dyn Cipher) -> Result<Vec<KnownAnswers>, KatError> {
        let ieee = include_str!("../../vectors/cipher/ieee-1619.txt");
        let cavp = include_str!("../../vectors/cipher/cavp-xts.txt");
        Ok(vec![
            xts_rows("IEEE 1619-2007, Annex B", cipher, ieee)?,
            xts_rows("NIST CAVP, XTSGenAES128 and XTSGenAES256", cipher, cavp)?,
            wycheproof::xts(cipher)?,
        ])
    }

    fn others(list: &mut List, mode: Mode, key: usize) {
        #[cfg(feature = "aws-lc")]
        if let Some(code) = super::aws_lc::aes(mode, mode.key_len(key)) {
            list.add("aws-lc", "aws-lc-rs", code);
        }
        list.add("rustcrypto", "aes", rustcrypto::<Aes128, Aes192, Aes256>(mode, key));
    }
}

impl Known for Aria {
    const NAMES: [&'static str; 11] = names!("aria");
    const KATS: [Kat; 3] = kats!("aria":
        "KCMVP criteria V3.0, ARIA128(ECB)KAT.txt",
        "KCMVP criteria V3.0, ARIA192(ECB)KAT.txt",
        "KCMVP criteria V3.0, ARIA256(ECB)KAT.txt");
    const MODES: [(&'static str, Texts); 3] = modes!("aria":
        "ARIA Test Vectors, 5 May 2004, and RFC 5794",
        "ARIA Test Vectors, 5 May 2004, and RFC 5794",
        "ARIA Test Vectors, 5 May 2004, and RFC 5794");
    const WYCHEPROOF_CBC: Option<&'static str> = Some("aria_cbc_pkcs5");

    fn xts(cipher: &dyn Cipher) -> Result<Vec<KnownAnswers>, KatError> {
        let mut set =
            KnownAnswers::unofficial("sectors made with the ARIA of OpenSSL 3.0 under a separate XTS");
        made_up(&mut set, cipher, include_str!("../../vectors/cipher/xts-aria.txt"))?;
        Ok(vec![set])
    }

    fn others(list: &mut List, mode: Mode, key: usize) {
        list.add("rustcrypto", "aria", rustcrypto::<Aria128, Aria192, Aria256>(mode, key));
    }
}

impl Known for Lea {
    const NAMES: [&'static str; 11] = names!("lea");
    const KATS: [Kat; 3] = kats!("lea":
        "KCMVP criteria V3.0, LEA128(ECB)KAT.txt",
        "KCMVP criteria V3.0, LEA192(ECB)KAT.txt",
        "KCMVP criteria V3.0, LEA256(ECB)KAT.txt");
    const MODES: [(&'static str, Texts); 3] = modes!("lea":
        "KISA's reference vectors (lea_vs.c)",
        "KISA's reference vectors (lea_vs.c)",
        "KISA's reference vectors (lea_vs.c)");
    const WYCHEPROOF_CBC: Option<&'static str> = None;

    fn xts(cipher: &dyn Cipher) -> Result<Vec<KnownAnswers>, KatError> {
        let mut set = KnownAnswers::unofficial("sectors made with Crypto++ 8.7");
        made_up(&mut set, cipher, include_str!("../../vectors/cipher/xts-lea.txt"))?;
        Ok(vec![set])
    }

    fn others(list: &mut List, mode: Mode, key: usize) {
        if mode == Mode::Ecb && key == 32 {
            list.add("lea", "lea", published_lea::ecb());
        }
    }
}

/// RustCrypto's, of which each key length is a type.
fn rustcrypto<Short: Block16, Middle: Block16, Long: Block16>(
    mode: Mode,
    key: usize,
) -> std::sync::Arc<dyn Cipher> {
    match key {
        16 => cipher::<Short>(mode, key),
        24 => cipher::<Middle>(mode, key),
        _ => cipher::<Long>(mode, key),
    }
}

/// A cipher in XTS with 256-bit keys, by RustCrypto and the host's libraries.
fn xts<C: Block16>(
    name: &'static str,
    package: &str,
    prove: Prove,
) -> (&'static str, Vec<super::Implementation>) {
    let mut list = List::proven_by(prove);
    list.add("rustcrypto", package, cipher::<C>(Mode::Xts, 32));
    (name, list.with_hosts(|host| host::cipher(host, name)))
}

fn made_up_xts(cipher: &dyn Cipher, name: &str, text: &'static str) -> Result<KatResult, KatError> {
    let mut set = KnownAnswers::unofficial(format!("{name}-XTS sectors made with libgcrypt 1.10"));
    made_up(&mut set, cipher, text)?;
    Ok(KatResult::of([set]))
}
