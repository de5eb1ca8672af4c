//! Known answers of RSA: RFC 7515, appendix A.2, and the Wycheproof project's signatures.

use base64ct::{Base64UrlUnpadded, Encoding as _};
use der::Encode as _;
use der::asn1::UintRef;
use fieldtest_kinds::Error;
use fieldtest_kinds::signature::Signature;
use pkcs1::RsaPrivateKeyRef;
use wycheproof::rsa_pkcs1_verify::TestSet;

use super::super::wycheproof as shared;
use crate::der::rsa_public_key;
use crate::kat::wycheproof::{load, origin};
use crate::kat::{KnownAnswers, Mismatch, accepted, equal};
use crate::{KatResult, KatError};

/// The signing key of RFC 7515, appendix A.2.1: `n`, `e`, `d`, `p`, `q`, `dp`, `dq` and `qi`.
const KEY: [&str; 8] = [
    "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ",
    "AQAB",
    "Eq5xpGnNCivDflJsRQBXHx1hdR1k6Ulwe2JZD50LpXyWPEAeP88vLNO97IjlA7_GQ5sLKMgvfTeXZx9SE-7YwVol2NXOoAJe46sui395IW_GO-pWJ1O0BkTGoVEn2bKVRUCgu-GjBVaYLU6f3l9kJfFNS3E0QbVdxzubSu3Mkqzjkn439X0M_V51gfpRLI9JYanrC4D4qAdGcopV_0ZHHzQlBjudU2QvXt4ehNYTCBr6XCLQUShb1juUO1ZdiYoFaFQT5Tw8bGUl_x_jTj3ccPDVZFD9pIuhLhBOneufuBiB4cS98l2SR_RQyGWSeWjnczT0QU91p1DhOVRuOopznQ",
    "4BzEEOtIpmVdVEZNCqS7baC4crd0pqnRH_5IB3jw3bcxGn6QLvnEtfdUdiYrqBdss1l58BQ3KhooKeQTa9AB0Hw_Py5PJdTJNPY8cQn7ouZ2KKDcmnPGBY5t7yLc1QlQ5xHdwW1VhvKn-nXqhJTBgIPgtldC-KDV5z-y2XDwGUc",
    "uQPEfgmVtjL0Uyyx88GZFF1fOunH3-7cepKmtH4pxhtCoHqpWmT8YAmZxaewHgHAjLYsp1ZSe7zFYHj7C6ul7TjeLQeZD_YwD66t62wDmpe_HlB-TnBA-njbglfIsRLtXlnDzQkv5dTltRJ11BKBBypeeF6689rjcJIDEz9RWdc",
    "BwKfV3Akq5_MFZDFZCnW-wzl-CCo83WoZvnLQwCTeDv8uzluRSnm71I3QCLdhrqE2e9YkxvuxdBfpT_PI7Yz-FOKnu1R6HsJeDCjn12Sk3vmAktV2zb34MCdy7cpdTh_YVr7tss2u6vneTwrA86rZtu5Mbr1C1XsmvkxHQAdYo0",
    "h_96-mK1R_7glhsum81dZxjTnYynPbZpHziZjeeHcXYsXaaMwkOlODsWa7I9xXDoRwbKgB719rrmI2oKr6N3Do9U0ajaHF-NKJnwgjMd2w9cjz3_-kyNlxAr2v4IKhGNpmM5iIgOS1VZnOZ68m6_pbLBSp3nssTdlqvd0tIiTHU",
    "IYd7DHOhrWvxkwPQsRM2tOgrjbcrfvtQJipd-DlcxyVuuM9sQLdgjVk2oy26F0EmpScGLq2MowX7fhd_QJQ3ydy5cY7YIBi87w93IKLEdfnbJtoOPLUW0ITrJReOgo1cq9SbsxYawBgfp_gh6A5603k2-ZQwVK0JKSHuLFkuQ3U",
];

/// What is signed there, and the signature.
const MESSAGE: &str = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
const SIGNATURE: &str = "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw";

/// Wycheproof's files for SHA-256 and the moduli that zones use.
const WYCHEPROOF: [&str; 3] =
    ["rsa_signature_2048_sha256", "rsa_signature_3072_sha256", "rsa_signature_4096_sha256"];

/// The RFC's message signed bit for bit and its signature verified; then Wycheproof's edge cases.
pub(super) fn prove(rsa: &dyn Signature) -> Result<KatResult, KatError> {
    let mut rfc = KnownAnswers::from("RFC 7515, appendix A.2");
    rfc.case("A.2.1", || {
        let (secret, public) = published_key()?;
        let published = base64url(SIGNATURE)?;
        let signing = rsa.signing_key(&secret)?;
        equal("public key", &public, &signing.public_key())?;
        let mut signed = Vec::new();
        signing.sign(MESSAGE.as_bytes(), &mut signed)?;
        equal("signature", &published, &signed)?;
        accepted(rsa.verifying_key(&public)?.verify(MESSAGE.as_bytes(), &published))
    })?;
    let mut sets = vec![rfc];
    for name in WYCHEPROOF {
        sets.push(wycheproof(rsa, name)?);
    }
    Ok(KatResult::of(sets))
}

/// The edge cases of one of Wycheproof's files.
pub(super) fn wycheproof(rsa: &dyn Signature, name: &str) -> Result<KnownAnswers, KatError> {
    let mut answers = KnownAnswers::from(origin(name));
    let set = load::<TestSet>(name).map_err(|e| answers.failure("all", e))?;
    for group in set.test_groups {
        let key = rsa_public_key(&group.key.n, &group.key.e)
            .and_then(|public| rsa.verifying_key(&public))
            .map_err(|e| answers.failure(format!("public key of {} bits", group.key_size), e))?;
        for test in group.tests {
            shared::signature(&mut answers, key.as_ref(), test.tc_id, test.result, &test.msg, &test.sig)?;
        }
    }
    Ok(answers)
}

fn published_key() -> Result<(Vec<u8>, Vec<u8>), Mismatch> {
    let numbers = KEY.map(base64url).into_iter().collect::<Result<Vec<_>, _>>()?;
    let integer = |at: usize| UintRef::new(&numbers[at]).map_err(unreadable);
    let secret = RsaPrivateKeyRef {
        modulus: integer(0)?,
        public_exponent: integer(1)?,
        private_exponent: integer(2)?,
        prime1: integer(3)?,
        prime2: integer(4)?,
        exponent1: integer(5)?,
        exponent2: integer(6)?,
        coefficient: integer(7)?,
        other_prime_infos: None,
    };
    Ok((secret.to_der().map_err(unreadable)?, rsa_public_key(&numbers[0], &numbers[1])?))
}

fn base64url(text: &str) -> Result<Vec<u8>, Mismatch> {
    Base64UrlUnpadded::decode_vec(text).map_err(unreadable)
}

fn unreadable(error: impl std::fmt::Display) -> Mismatch {
    Mismatch::from(Error::MalformedKey(error.to_string()))
}
