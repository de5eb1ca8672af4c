//! The examples of RFC 6979, A.2.5 and A.2.6, with the three hash functions of this crate.

use data_encoding::HEXUPPER;
use fieldtest_ecdsa::{Curve, Hash, P256, P384, SigningKey, VerifyingKey};
use sha2::{Digest, Sha256, Sha384, Sha512};

fn hex(digits: &str) -> Vec<u8> {
    let digits: String = digits.split_whitespace().collect();
    HEXUPPER.decode(digits.as_bytes()).unwrap()
}

/// The message, its hash function, r and s.
type Example = (&'static str, Hash, &'static str, &'static str);

fn check<C: Curve>(private: &str, public: [&str; 2], examples: &[Example]) {
    let key = SigningKey::<C>::new(&hex(private)).unwrap();
    assert_eq!(key.public().as_ref(), hex(&public.concat()));
    let public = VerifyingKey::<C>::new(key.public().as_ref()).unwrap();
    for (message, hash, r, s) in examples {
        let digest = match hash {
            Hash::Sha256 => Sha256::digest(message).to_vec(),
            Hash::Sha384 => Sha384::digest(message).to_vec(),
            Hash::Sha512 => Sha512::digest(message).to_vec(),
            _ => unreachable!("RFC 6979 has examples of these three and of smaller ones"),
        };
        let expected = [hex(r), hex(s)].concat();
        let mut signature = vec![0; expected.len()];
        key.sign_digest(*hash, &digest, &mut signature).unwrap();
        assert_eq!(signature, expected, "{message}, {hash:?}");
        public.verify_digest(&digest, &signature).unwrap();
    }
}

#[test]
fn p256() {
    check::<P256>(
        "C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721",
        [
            "60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6",
            "7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299",
        ],
        &[
            (
                "sample",
                Hash::Sha256,
                "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716",
                "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8",
            ),
            (
                "sample",
                Hash::Sha384,
                "0EAFEA039B20E9B42309FB1D89E213057CBF973DC0CFC8F129EDDDC800EF7719",
                "4861F0491E6998B9455193E34E7B0D284DDD7149A74B95B9261F13ABDE940954",
            ),
            (
                "sample",
                Hash::Sha512,
                "8496A60B5E9B47C825488827E0495B0E3FA109EC4568FD3F8D1097678EB97F00",
                "2362AB1ADBE2B8ADF9CB9EDAB740EA6049C028114F2460F96554F61FAE3302FE",
            ),
            (
                "test",
                Hash::Sha256,
                "F1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367",
                "019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083",
            ),
            (
                "test",
                Hash::Sha384,
                "83910E8B48BB0C74244EBDF7F07A1C5413D61472BD941EF3920E623FBCCEBEB6",
                "8DDBEC54CF8CD5874883841D712142A56A8D0F218F5003CB0296B6B509619F2C",
            ),
            (
                "test",
                Hash::Sha512,
                "461D93F31B6540894788FD206C07CFA0CC35F46FA3C91816FFF1040AD1581A04",
                "39AF9F15DE0DB8D97E72719C74820D304CE5226E32DEDAE67519E840D1194E55",
            ),
        ],
    );
}

#[test]
fn p384() {
    check::<P384>(
        "6B9D3DAD2E1B8C1C05B19875B6659F4DE23C3B667BF297BA9AA47740787137D8 96D5724E4C70A825F872C9EA60D2EDF5",
        [
            "EC3A4E415B4E19A4568618029F427FA5DA9A8BC4AE92E02E06AAE5286B300C64 DEF8F0EA9055866064A254515480BC13",
            "8015D9B72D7D57244EA8EF9AC0C621896708A59367F9DFB9F54CA84B3F1C9DB1 288B231C3AE0D4FE7344FD2533264720",
        ],
        &[
            (
                "sample",
                Hash::Sha256,
                "21B13D1E013C7FA1392D03C5F99AF8B30C570C6F98D4EA8E354B63A21D3DAA33 BDE1E888E63355D92FA2B3C36D8FB2CD",
                "F3AA443FB107745BF4BD77CB3891674632068A10CA67E3D45DB2266FA7D1FEEB EFDC63ECCD1AC42EC0CB8668A4FA0AB0",
            ),
            (
                "sample",
                Hash::Sha384,
                "94EDBB92A5ECB8AAD4736E56C691916B3F88140666CE9FA73D64C4EA95AD133C 81A648152E44ACF96E36DD1E80FABE46",
                "99EF4AEB15F178CEA1FE40DB2603138F130E740A19624526203B6351D0A3A94F A329C145786E679E7B82C71A38628AC8",
            ),
            (
                "sample",
                Hash::Sha512,
                "ED0959D5880AB2D869AE7F6C2915C6D60F96507F9CB3E047C0046861DA4A799C FE30F35CC900056D7C99CD7882433709",
                "512C8CCEEE3890A84058CE1E22DBC2198F42323CE8ACA9135329F03C068E5112 DC7CC3EF3446DEFCEB01A45C2667FDD5",
            ),
            (
                "test",
                Hash::Sha256,
                "6D6DEFAC9AB64DABAFE36C6BF510352A4CC27001263638E5B16D9BB51D451559 F918EEDAF2293BE5B475CC8F0188636B",
                "2D46F3BECBCC523D5F1A1256BF0C9B024D879BA9E838144C8BA6BAEB4B53B47D 51AB373F9845C0514EEFB14024787265",
            ),
            (
                "test",
                Hash::Sha384,
                "8203B63D3C853E8D77227FB377BCF7B7B772E97892A80F36AB775D509D7A5FEB 0542A7F0812998DA8F1DD3CA3CF023DB",
                "DDD0760448D42D8A43AF45AF836FCE4DE8BE06B485E9B61B827C2F13173923E0 6A739F040649A667BF3B828246BAA5A5",
            ),
            (
                "test",
                Hash::Sha512,
                "A0D5D090C9980FAF3C2CE57B7AE951D31977DD11C775D314AF55F76C676447D0 6FB6495CD21B4B6E340FC236584FB277",
                "976984E59B4C77B0E8E4460DCA3D9F20E07B9BB1F63BEEFAF576F6B2E8B22463 4A2092CD3792E0159AD9CEE37659C736",
            ),
        ],
    );
}
