//! AES and ARIA in CBC and CTR against values computed with OpenSSL 3.0.22, ARIA against its authors' vectors, and LEA
//! against KISA's.

use crate::common::{block, counting, digits, hex, sha256};
use fieldtest_aes::Aes;
use fieldtest_aria::Aria;
use fieldtest_lea::Lea;
use fieldtest_modes::{BlockCipher16, Cbc, Ctr};

/// Values for one key length. The key counts from 0, initialisation vector and counter from 0x40; the message is the
/// first 1000 bytes (992 for CBC) of 0, 1, … 255, 0, …. Ciphertexts are given by their SHA-256.
struct Expected {
    key: usize,
    cbc: &'static str,
    ctr: &'static str,
}

const AES: [Expected; 3] = [
    Expected {
        key: 16,
        cbc: "d326c169d8d481849fbdafd5ce9e8b036532572d01de3c0674af2c5ad3b4e27d",
        ctr: "45f9b73313fa1808c6037bbf1922fae34f0a425ce1288c278322188d97e40a94",
    },
    Expected {
        key: 24,
        cbc: "6233b258915be46dc3596f8c9aad498239b86f4a2c180218dad5c47eed2e407c",
        ctr: "dca7a6dea2d5a47ef73789a2686ad487110a4d107a3dc96529a6dd2e9c2230cb",
    },
    Expected {
        key: 32,
        cbc: "eb3beb39c3d8e0ce436de6c85ba5fe87532c302137c5dd4ba24888d560b25fcd",
        ctr: "10fbb5464f4a2187f7a5a228969a1c8eeed64d2e5005977bee172b4c041fe5fd",
    },
];

const ARIA: [Expected; 3] = [
    Expected {
        key: 16,
        cbc: "73474a28906f388a6a1e61b0c095ab97e161b20b30a297fb3d55395f3e75eba1",
        ctr: "12b0b16dbc4a30c301b41bebd98fb51b602226ad999233a1ab51ebca525a8b76",
    },
    Expected {
        key: 24,
        cbc: "b33aaab44e6df05c5fbb55657235803f352750385b4ddbd9b962a1263dcc0be3",
        ctr: "cb2179747e7852bed84ea2b47052fbd3eb5d80d8d74f457cd0558a45a7c8b1e9",
    },
    Expected {
        key: 32,
        cbc: "a67b5f3aa8dc9a382e0f235f7d9a7a2f61e36c51ef1b6cd1ac51e4eeb58ee009",
        ctr: "bfcd2b4aab89738603096095b60efccdd9da14f5f2890e495f39aa834e4bd37d",
    },
];

fn all_modes<C: BlockCipher16>(table: &[Expected]) {
    let start = block("404142434445464748494a4b4c4d4e4f");
    let plain = counting(1000);
    for expected in table {
        let key = counting(expected.key);
        let mut message = plain[..992].to_vec();
        let cbc = Cbc::<C>::new(&key).unwrap();
        cbc.encrypt(&start, &mut message).unwrap();
        assert_eq!(sha256(&message), expected.cbc, "CBC, key of {} bytes", expected.key);
        cbc.decrypt(&start, &mut message).unwrap();
        assert_eq!(message, plain[..992], "CBC, key of {} bytes", expected.key);

        let mut message = plain.clone();
        Ctr::<C>::new(&key).unwrap().apply(&start, &mut message);
        assert_eq!(sha256(&message), expected.ctr, "CTR, key of {} bytes", expected.key);
    }
}

#[test]
fn aes() {
    all_modes::<Aes>(&AES);
}

#[test]
fn aria() {
    all_modes::<Aria>(&ARIA);
}

/// "ARIA Test Vectors" (5 May 2004): ten blocks in CBC and CTR with keys of 128, 192 and 256 bits.
#[test]
fn aria_by_its_authors() {
    let key = hex("00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff");
    let plain: Vec<u8> = (0x11..=0x55)
        .step_by(0x11)
        .flat_map(|row| {
            [0xaa, 0xbb, 0xcc, 0xdd].map(|column| [row, row, row, row, column, column, column, column])
        })
        .flatten()
        .collect();
    let cbc = [
        (
            16,
            "49d61860b14909109cef0d22a9268134fadf9fb23151e9645fba75018bdb1538\
             b53334634bbf7d4cd4b5377033060c155fe3948ca75de1031e1d85619e0ad61e\
             b419a866b3c2dbfd10a4ed18b22149f75897f0b8668b0c1c542c687778835fb7\
             cd46e45f85eaa7072437dd9fa6793d6f8d4ccefc4eb1ac641ac1bd30b18c6d64\
             c49bca137eb21c2e04da62712ca2b4f540c57112c38791852cfac7a5d19ed83a",
        ),
        (
            24,
            "afe6cf23974b533c672a826264ea785f4e4f7f780dc7f3f1e0962b80902386d5\
             14e9c3e77259de92dd1102ffab086c1ea52a71260db5920a83295c25320e4211\
             47ca45d532f327b856ea947cd2196ae2e040826548b4c891b0ed0ca6e714dbc4\
             631998d548110d666b3d54c2a091955c6f05beb4f62309368696c9791fc4c551\
             564a2637f194346ec45fbca6c72a5b4612e208d531d6c34cc5c64eac6bd0cf8c",
        ),
        (
            32,
            "523a8a806ae621f155fdd28dbc34e1ab7b9b42432ad8b2efb96e23b13f0a6e52\
             f36185d50ad002c5f601bee5493f118b243ee2e313642bffc3902e7b2efd9a12\
             fa682edd2d23c8b9c5f043c18b17c1ec4b5867918270fbec1027c19ed6af833d\
             a5d620994668ca22f599791d292dd6273b2959082aafb7a996167cce1eec5f0c\
             fd15f610d87e2dda9ba68ce1260ca54b222491418374294e7909b1e8551cd8de",
        ),
    ];
    let ctr = [
        (
            16,
            "ac5d7de805a0bf1c57c854501af60fa11497e2a34519dea1569e91e5b5ccae2f\
             f3bfa1bf975f4571f48be191613546c3911163c085f871f0e7ae5f2a085b8185\
             1c2a3ddf20ecb8fa51901aec8ee4ba32a35dab67bb72cd9140ad188a967ac0fb\
             bdfa94ea6cce47dcf8525ab5a814cfeb2bb60ee2b126e2d9d847c1a9e96f9019\
             e3e6a7fe40d3829afb73db1cc245646addb62d9b907baaafbe46a73dbc131d3d",
        ),
        (
            24,
            "08625ca8fe569c19ba7af3760a6ed1cef4d199263e999dde14082dbba7560b79\
             a4c6b456b8707dce751f9854f18893dfdb3f4e5afa539733e6f1e70b98ba3789\
             1f8f81e95df8efc26c7ce043504cb18958b865e4e316cd2aa1c97f31bf23dc04\
             6ef326b95a692a191ba0f2a41c5fe9ae070f236ff7078e703b42666caafbdd20\
             bad74ac4c20c0f46c7ca24c151716575c947da16c90cfe1bf217a41cfebe7531",
        ),
        (
            32,
            "30026c329666141721178b99c0a1f1b2f06940253f7b3089e2a30ea86aa3c88f\
             5940f05ad7ee41d71347bb7261e348f18360473fdf7d4e7723bffb4411cc13f6\
             cdd89f3bc7b9c768145022c7a74f14d7c305cd012a10f16050c23f1ae5c23f45\
             998d13fbaa041e51619577e0772764896a5d4516d8ffceb3bf7e05f613edd9a6\
             0cdcedaff9cfcaf4e00d445a54334f73ab2cad944e51d266548e61c6eb0aa1cd",
        ),
    ];
    for ((length, cbc), (_, ctr)) in cbc.into_iter().zip(ctr) {
        let mut message = plain.clone();
        let iv = block("0f1e2d3c4b5a69788796a5b4c3d2e1f0");
        Cbc::<Aria>::new(&key[..length]).unwrap().encrypt(&iv, &mut message).unwrap();
        assert_eq!(digits(&message), cbc);
        let mut message = plain.clone();
        Ctr::<Aria>::new(&key[..length]).unwrap().apply(&[0; 16], &mut message);
        assert_eq!(digits(&message), ctr);
    }
}

/// The first values of KISA's lea_vs for CBC and CTR.
#[test]
fn lea() {
    let mut message = block("139d4eff8d35b76e85bf06fe997163cb");
    let cbc = Cbc::<Lea>::new(&hex("87f1424f1a1483cc1fd0354e18a994ab")).unwrap();
    cbc.encrypt(&block("cf584e6ef6d642880ab787427db9b076"), &mut message).unwrap();
    assert_eq!(digits(&message), "49b9f3226da54b4a0d385a9c4870524b");
    let mut message = block("d0e9dfe703452d166b6ecf20c248e62c");
    let key = hex("aa5b8dd64b302313dce418464eae92908be9533711218456e06eb1d397001692");
    Ctr::<Lea>::new(&key).unwrap().apply(&block("dafc19e8f6871753c81f6368db328c0c"), &mut message);
    assert_eq!(digits(&message), "fc9a78ba8f08aea82f9a37e5bd2c04d8");
}
