//! AES and ARIA in all modes against values computed with OpenSSL 3.0.22 (CCM with its block ciphers, by a separate
//! implementation of SP 800-38C that agrees with OpenSSL's AES-CCM), ARIA against its authors' vectors, and LEA against
//! Crypto++ 8.7.

mod common;

use common::{block, counting, digits, hex, sha256};
use fieldtest_aes::Aes;
use fieldtest_aria::Aria;
use fieldtest_lea::Lea;
use fieldtest_xts::{BlockCipher16, Cbc, Ccm, Cmac, Ctr, Gcm};

/// Values for one key length. The key counts from 0, initialisation vector, counter and nonces from 0x40; the message
/// is the first 1000 bytes (992 for CBC) of 0, 1, … 255, 0, …, and the associated data its first 77. Ciphertexts are
/// given by their SHA-256.
struct Expected {
    key: usize,
    cbc: &'static str,
    ctr: &'static str,
    /// Length of the nonce, ciphertext, tag.
    gcm: [(usize, &'static str, &'static str); 2],
    /// Length of the nonce, ciphertext, tag.
    ccm: [(usize, &'static str, &'static str); 2],
}

const AES: [Expected; 3] = [
    Expected {
        key: 16,
        cbc: "d326c169d8d481849fbdafd5ce9e8b036532572d01de3c0674af2c5ad3b4e27d",
        ctr: "45f9b73313fa1808c6037bbf1922fae34f0a425ce1288c278322188d97e40a94",
        gcm: [
            (
                12,
                "d78b19d09c561edd7ceb8f775845992df0c2bacc4ea1381d2a9e442f207d9487",
                "72d0d3a2172d11d1dbcc485dc61c9e44",
            ),
            (
                16,
                "49cfeba6b361271c975de8630534fb85fef1256bacf329ae43aa956c31855659",
                "88a0f8373e1540d0f8f9d73162166fa9",
            ),
        ],
        ccm: [
            (
                13,
                "1cbe961c96edfde0526b3e743ead3af2a8e7f8505aa43be7038fc0b0cc6bfd4a",
                "757739095617a7e5d642f2654bec0fe8",
            ),
            (7, "1341a0d4182b6f75f563030f85c97a6f9d1385005e20d07003ff828992110675", "2efc4c79ed834162"),
        ],
    },
    Expected {
        key: 24,
        cbc: "6233b258915be46dc3596f8c9aad498239b86f4a2c180218dad5c47eed2e407c",
        ctr: "dca7a6dea2d5a47ef73789a2686ad487110a4d107a3dc96529a6dd2e9c2230cb",
        gcm: [
            (
                12,
                "53987c4e2a962cc6dd866cdc5d303199b2fcd06ec36356d948a8e26c5deff940",
                "9a91f70c8622f981e7512c94c07e5d7d",
            ),
            (
                16,
                "2232d6a6b6b61bb8be4159d73fed40fb4ec2409d5a7bffafac375228216fc386",
                "84e091ce6ad938cb96f74de4adc54020",
            ),
        ],
        ccm: [
            (
                13,
                "88203e89091a5327fb0a6b9f6940d0786fce15cc2279718ac56e5b82b3d38737",
                "b9118bdd7b8c73d303615c69a6ee1374",
            ),
            (7, "36b24e51c78c168f06b87bb8e8cfee389f715b09f4a63fcb529168c10880419f", "f8d40ef22db5e1b9"),
        ],
    },
    Expected {
        key: 32,
        cbc: "eb3beb39c3d8e0ce436de6c85ba5fe87532c302137c5dd4ba24888d560b25fcd",
        ctr: "10fbb5464f4a2187f7a5a228969a1c8eeed64d2e5005977bee172b4c041fe5fd",
        gcm: [
            (
                12,
                "b0c9b394bf0ee00438fd61d451efaa51acde1050f927484cdeb1308bdc03664d",
                "e6287884f412e2ee69815a56dc406a9f",
            ),
            (
                16,
                "98f02e831219747a80c51e11596966a973aef1aebcaf5010d4a81fe37536035e",
                "5ca1559872db3c5a1abd195691d37f46",
            ),
        ],
        ccm: [
            (
                13,
                "5f6254d953785292309972ecff469082b00bd69c57ea55bfa0a2deb8864b9fd2",
                "62b3a35610e30af6eedbf4a418fa0277",
            ),
            (7, "4b9220b6040cf2f5c597a2b23e887be7a2a22b23723c257916e3e8bbe7cbb413", "d3d3c492e0b64c61"),
        ],
    },
];

const ARIA: [Expected; 3] = [
    Expected {
        key: 16,
        cbc: "73474a28906f388a6a1e61b0c095ab97e161b20b30a297fb3d55395f3e75eba1",
        ctr: "12b0b16dbc4a30c301b41bebd98fb51b602226ad999233a1ab51ebca525a8b76",
        gcm: [
            (
                12,
                "66636da3a9964b82f495258dbbfb9db0a5dfee6d121712a4ab0720d65fe2ad05",
                "217d4599d3ece72b412823b79ba66565",
            ),
            (
                16,
                "4631499dd9b0b7772a7b1e102c117645f78cbfea5a448d637e936ced54b8eca0",
                "d50fb2419c586fc162262d86375efe4e",
            ),
        ],
        ccm: [
            (
                13,
                "d3f22cc99065c6c91e0cc524fc3f400a2f98123801fa1d99b2aedffa9dc7e1df",
                "25a0fa9f92e1b60f48638f0a3f252075",
            ),
            (7, "abd6772d637ccaa66f6aa2fbd25a480a5b4dc66940fe0a1448534bec1041f3c5", "2a1c01bc43aea038"),
        ],
    },
    Expected {
        key: 24,
        cbc: "b33aaab44e6df05c5fbb55657235803f352750385b4ddbd9b962a1263dcc0be3",
        ctr: "cb2179747e7852bed84ea2b47052fbd3eb5d80d8d74f457cd0558a45a7c8b1e9",
        gcm: [
            (
                12,
                "cfe9d53631b581e072e5f4793271b8826085c45bf30aba4e8b4bd83a993d1ac8",
                "29de54046f09c4daa1d86eb5d8979b8e",
            ),
            (
                16,
                "4e5c79b1141b3b964903c5592fb3cbea5f41a76c9777836dc7e1ba0c9af227d9",
                "046784c6d061141ced54ca905480977d",
            ),
        ],
        ccm: [
            (
                13,
                "d77242378efcd9b6f0af8347ed2a41630f08ddf391b8574b654bea457f96bb3e",
                "b8f2f7d4fbb7eef0638cc3822e280264",
            ),
            (7, "41f9b6e05be327062f9f0c61428ba235100cf5263bf44c4d16137f1aff956572", "9a5584366bd60e7c"),
        ],
    },
    Expected {
        key: 32,
        cbc: "a67b5f3aa8dc9a382e0f235f7d9a7a2f61e36c51ef1b6cd1ac51e4eeb58ee009",
        ctr: "bfcd2b4aab89738603096095b60efccdd9da14f5f2890e495f39aa834e4bd37d",
        gcm: [
            (
                12,
                "31255ec865c9a36f0cd8325ea28bdf2345873974e8edff44475ed6ded511be6d",
                "220dcaa118768f11f389729caeda4322",
            ),
            (
                16,
                "c35261bce1b703c261e04aabbe5b0f1ee1986e6accc2e2ecb10355fa2f138860",
                "2e2595d9849b7d7e45d2576215fd18a7",
            ),
        ],
        ccm: [
            (
                13,
                "67737e8bb3389bd041719976125ae6ab989038d12fd4a29d76d714f80a1e49d8",
                "d6011a916898b52bba1248b753c2ef5b",
            ),
            (7, "69dac6a5f7ffb51c1bf11dfc02cdd75c7ec05c6146589886d7c3566f64c1403c", "9771559e1ff0a9ea"),
        ],
    },
];

fn all_modes<C: BlockCipher16>(table: &[Expected]) {
    let start = block("404142434445464748494a4b4c4d4e4f");
    let plain = counting(1000);
    let associated = &plain[..77];
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

        for (nonce, cipher, tag) in expected.gcm {
            let gcm = Gcm::<C>::new(&key).unwrap();
            let mut message = plain.clone();
            let found = gcm.encrypt(&start[..nonce], associated, &mut message).unwrap();
            assert_eq!((&*sha256(&message), &*digits(&found)), (cipher, tag), "GCM, nonce of {nonce} bytes");
            gcm.decrypt(&start[..nonce], associated, &mut message, &found).unwrap();
            assert_eq!(message, plain);
        }
        for (nonce, cipher, tag) in expected.ccm {
            let ccm = Ccm::<C>::new(&key).unwrap();
            let (mut message, mut found) = (plain.clone(), vec![0; tag.len() / 2]);
            ccm.encrypt(&start[..nonce], associated, &mut message, &mut found).unwrap();
            assert_eq!((&*sha256(&message), &*digits(&found)), (cipher, tag), "CCM, nonce of {nonce} bytes");
            ccm.decrypt(&start[..nonce], associated, &mut message, &found).unwrap();
            assert_eq!(message, plain);
        }
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

/// LEA-256 with the key 00 01 02 …, nonce and message of zeros; and the first values of KISA's lea_vs for CBC and CTR.
#[test]
fn lea() {
    let key = counting(32);
    let mut message = [0; 16];
    let tag = Gcm::<Lea>::new(&key).unwrap().encrypt(&[0; 12], &[], &mut message).unwrap();
    assert_eq!(digits(&message), "88d16a9905018c7196d4d21774b198a8");
    assert_eq!(digits(&tag), "e85857403b8e07e0b269dbe3972e63a6");
    let mut message = [0; 16];
    Ccm::<Lea>::new(&key).unwrap().encrypt(&[0; 12], &[], &mut message, &mut [0; 16]).unwrap();
    assert_eq!(digits(&message), "86686282d8e4d6f45bdf04c8c233704e");
    assert_eq!(digits(&Cmac::<Lea>::new(&key).unwrap().tag(&[0; 16])), "bdc6df955bd13a812d15f9f049b5a430");

    let mut message = block("139d4eff8d35b76e85bf06fe997163cb");
    let cbc = Cbc::<Lea>::new(&hex("87f1424f1a1483cc1fd0354e18a994ab")).unwrap();
    cbc.encrypt(&block("cf584e6ef6d642880ab787427db9b076"), &mut message).unwrap();
    assert_eq!(digits(&message), "49b9f3226da54b4a0d385a9c4870524b");
    let mut message = block("d0e9dfe703452d166b6ecf20c248e62c");
    let key = hex("aa5b8dd64b302313dce418464eae92908be9533711218456e06eb1d397001692");
    Ctr::<Lea>::new(&key).unwrap().apply(&block("dafc19e8f6871753c81f6368db328c0c"), &mut message);
    assert_eq!(digits(&message), "fc9a78ba8f08aea82f9a37e5bd2c04d8");
}
