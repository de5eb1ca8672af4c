//! Known answers: RFC 5794 and those of the Korean validation programme KCMVP.

use data_encoding::HEXLOWER;
use fieldtest_aria::{Aria, Block, Path};
use sha2::{Digest, Sha256};

/// RFC 5794, appendix A: the keys begin with the bytes 00, 01, 02, …
#[test]
fn rfc_5794() {
    let plaintext: Block = core::array::from_fn(|i| 0x11 * i as u8);
    for (bytes, ciphertext) in [
        (16, "d718fbd6ab644c739da95f3be6451778"),
        (24, "26449c1805dbe7aa25a468ce263a9e79"),
        (32, "f92bd7c79fb72e2f2b8f80c1972d24fc"),
    ] {
        let key: Vec<u8> = (0..bytes).collect();
        for path in Path::available() {
            let aria = Aria::new_on(path, &key).unwrap();
            let mut block = [plaintext];
            aria.encrypt(&mut block);
            assert_eq!(HEXLOWER.encode(&block[0]), ciphertext, "{}", path.name());
            aria.decrypt(&mut block);
            assert_eq!(block, [plaintext], "{}", path.name());
        }
    }
}

/// The files `ARIA128(ECB)KAT.txt`, `ARIA196(ECB)KAT.txt` and `ARIA256(ECB)KAT.txt` of KCMVP's validation criteria,
/// version 3.0, as RyuaNerin/go-krypto has them: of each file, what the plaintexts are that follow no rule, the SHA-256
/// of all ciphertexts one after another, and the first and the last of them.
///
/// Before those plaintexts, which stand under the key zero, come all blocks that begin with 1 to 128 ones and have zeros
/// after them, under the same key, and then all keys of that shape with the block zero.
#[test]
fn kcmvp() {
    for (key_bytes, irregular, digest, first, last) in [
        (16, &IRREGULAR_128[..], DIGEST_128, FIRST_128, LAST_128),
        (24, &IRREGULAR_192, DIGEST_192, FIRST_192, LAST_192),
        (32, &IRREGULAR_256, DIGEST_256, FIRST_256, LAST_256),
    ] {
        for path in Path::available() {
            let ciphertexts = answers(path, key_bytes, irregular);
            assert_eq!(ciphertexts.len(), 128 + 8 * key_bytes + irregular.len());
            assert_eq!(ciphertexts.first().map(|block| HEXLOWER.encode(block)).as_deref(), Some(first));
            assert_eq!(ciphertexts.last().map(|block| HEXLOWER.encode(block)).as_deref(), Some(last));
            let hash = Sha256::digest(ciphertexts.as_flattened());
            assert_eq!(HEXLOWER.encode(&hash), digest, "{} bytes, {}", key_bytes, path.name());
        }
    }
}

fn answers(path: Path, key_bytes: usize, irregular: &[u128]) -> Vec<Block> {
    let zero = Aria::new_on(path, &vec![0; key_bytes]).unwrap();
    let zero_key = |plaintexts: &mut dyn Iterator<Item = u128>| {
        let mut blocks: Vec<Block> = plaintexts.map(u128::to_be_bytes).collect();
        let plaintexts = blocks.clone();
        zero.encrypt(&mut blocks);
        let mut back = blocks.clone();
        zero.decrypt(&mut back);
        assert_eq!(back, plaintexts);
        blocks
    };
    let mut ciphertexts = zero_key(&mut (0..128).map(|place| u128::MAX << (127 - place)));
    for ones in 1..=8 * key_bytes {
        let mut key = vec![0; key_bytes];
        (0..ones).for_each(|bit| key[bit / 8] |= 0x80 >> (bit % 8));
        let mut block = [[0; 16]];
        Aria::new_on(path, &key).unwrap().encrypt(&mut block);
        ciphertexts.extend(block);
    }
    ciphertexts.extend(zero_key(&mut irregular.iter().copied()));
    ciphertexts
}

const DIGEST_128: &str = "44b45be6a86c522d3c6b67e0924174467f0f603b820edc13597f50adff7f2939";
const FIRST_128: &str = "92e51e737dabb6bfd0eabc8d32224f77";
const LAST_128: &str = "ea727dca26305cb6887533954d3b919a";
const IRREGULAR_128: [u128; 20] = [
    0x0b862596_8082c927_c38beb98_712c3f50,
    0x991a7073_9b014281_c80273e4_d16cb673,
    0xfc717f68_90ae6a2b_b8f0c3e6_e30fea26,
    0x0fb2d6c3_3a935a88_5542819e_773ab2d6,
    0x1c2326ce_69c0c28a_382fdef2_de557b78,
    0x7866abe7_cff16b46_2292edb8_484faf9c,
    0xdb31ef82_956b9f8a_3a23bd2e_4ccf2b4c,
    0x91634f3c_b26603d3_f5f23e51_6f071a8f,
    0x23943c00_c065f8cf_f71184ff_602f1673,
    0x27a870bb_b37a40c4_aea007d6_21e60e57,
    0x4e30817c_55ba6303_81e132e9_f211c1b3,
    0x4c83c9b2_e1ef168e_062e7884_136d801e,
    0x893f897d_1c103543_1c91bbe3_6917fc49,
    0x1c994cfd_b55b3560_2b29746d_2d2f7dda,
    0x58520556_6672ba9d_cae0fe60_62afdf88,
    0xc1b7ff6c_0c040944_45490ee9_5eba83de,
    0x5f472d94_947062cf_c0a9d39b_85169e7c,
    0x9b6f208f_08cbf316_38e3ab2e_ccfce113,
    0x2e5bc5c3_6670416f_48457654_380ff935,
    0xba8c2b53_f29b7fd6_d3377fba_2912217d,
];

const DIGEST_192: &str = "c359b711563f50d2d3a7b315bdc7723bf3a95a99c91086b0d7da42d2988933b9";
const FIRST_192: &str = "ae56bf59874ed4dbd7b905878894adee";
const LAST_192: &str = "6cefc4aab805325ff774ccb95600b5f3";
const IRREGULAR_192: [u128; 18] = [
    0x46230cd4_358d3764_147f5593_2c57a80b,
    0x87ec4c14_643c0b34_d9fa13c9_3a1421c5,
    0x4835204c_2180779c_03b24194_4b586dd6,
    0x4f31dcf9_63303109_ffde69ea_0c5a816a,
    0xf51f8eae_9922d8e8_88d7d443_7c9dc981,
    0x206cd565_84a8fbd6_db93c5f5_00031398,
    0xed277450_201782ce_f2583009_f2034789,
    0x9f1b7348_eabaa95f_db88162b_5971e978,
    0xde8500cb_0f37528b_cce7f66b_157e2f06,
    0x2d949803_4a4c6bdb_041fafd8_f289684e,
    0x7d5ffa85_b9723f09_9ed13a65_268994af,
    0xd82d8d88_19fcc3c8_5121c8cb_1d3bb773,
    0xb9743f44_f44467cf_834f8b1f_4f753386,
    0x58a85b68_0e003b9d_390f0735_da8fe33b,
    0xb50b618f_70e5feeb_94c8f2e8_f6a118b9,
    0x05997613_283e4dfb_797bd698_c80536a8,
    0x83f7a9e9_1771806d_6641e6fb_5a20c521,
    0xa759154d_0d4a56ea_affd36d1_c650909d,
];

const DIGEST_256: &str = "a7ca007e62c93031ab7668641d71d3e4843e9b2ed239aa15fb808b7aed703721";
const FIRST_256: &str = "209acf63ce6dfb56b1f9821ddbfe86e3";
const LAST_256: &str = "56b6d73d346d402e639a0d696c85b9ec";
const IRREGULAR_256: [u128; 16] = [
    0xb2b3727a_c06d1926_c849269c_4ed7882c,
    0x9dc1e984_b5b2f7ef_66ea9144_b8c748a4,
    0x2eaa79b1_72a25a3a_e15c6e80_64062385,
    0x05d6d5a7_5dc32167_d5933b70_d70eecd7,
    0x2ebe32f3_21248186_ae8d7bb4_51cb7352,
    0xa61edd1a_a781af2a_a9d8e6e0_74d2b510,
    0xdf6f6571_69406e4d_2ec50e97_902f00f4,
    0x0d2fa39d_3345f64b_18516f5a_48e82fac,
    0x87b9ac83_ad5d0273_3233eb25_4c8ba35a,
    0xcafdad4f_a89a0b7a_9bcfbcd8_e84fecd0,
    0xf3e53e43_d6cc80b6_d3fd9959_215cc6ea,
    0x0f416c16_e7fa4400_a3895117_ec5fed61,
    0x221f771b_0d48af08_007f3d8c_e20f6a03,
    0xff3a583d_f29ca796_64e277ed_ab8924b9,
    0x6d9ac21b_5a50d6c0_20e11465_70233b4f,
    0x009406d6_67b0337a_048e5a21_b6042070,
];
