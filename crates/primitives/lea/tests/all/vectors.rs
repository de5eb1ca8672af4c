//! The standard's examples, and vectors of KISA's reference implementation in three modes built from single blocks.

use data_encoding::HEXLOWER;
use fieldtest_lea::{Block, KeyLength, Lea, Path};

use Mode::{Cbc, Ctr, Ecb};

fn bytes(hex: &str) -> Vec<u8> {
    HEXLOWER.decode(hex.as_bytes()).unwrap()
}

fn blocks(hex: &str) -> Vec<Block> {
    bytes(hex).as_chunks().0.to_vec()
}

/// KS X 3246 and ISO/IEC 29192-2:2019: the key, the plaintext and the ciphertext of one block per key size.
#[test]
fn the_standards_examples() {
    let key = "0f1e2d3c4b5a69788796a5b4c3d2e1f0f0e1d2c3b4a5968778695a4b3c2d1e0f";
    for (key_bytes, plaintext, ciphertext) in [
        (16, "101112131415161718191a1b1c1d1e1f", "9fc84e3528c6c6185532c7a704648bfd"),
        (24, "202122232425262728292a2b2c2d2e2f", "6fb95e325aad1b878cdcf5357674c6f2"),
        (32, "303132333435363738393a3b3c3d3e3f", "d651aff647b189c13a8900ca27f9e197"),
    ] {
        let key = Lea::new(&bytes(key)[..key_bytes]).unwrap();
        for path in Path::available() {
            for count in 1..50 {
                let mut text = blocks(plaintext).repeat(count);
                key.encrypt_on(path, &mut text);
                assert_eq!(text, blocks(ciphertext).repeat(count), "{}, {count} blocks", path.name());
                key.decrypt_on(path, &mut text);
                assert_eq!(text, blocks(plaintext).repeat(count), "{}, {count} blocks", path.name());
            }
        }
    }
}

#[test]
fn other_key_lengths_are_refused() {
    for length in (0..70).filter(|length| ![16, 24, 32].contains(length)) {
        assert_eq!(Lea::new(&vec![0; length]).unwrap_err(), KeyLength { bytes: length });
    }
    let message = KeyLength { bytes: 17 }.to_string();
    assert!(message.contains("17 bytes"), "{message}");
}

enum Mode {
    Ecb,
    /// The counter is the whole block, in big-endian order.
    Ctr,
    Cbc,
}

struct Vector {
    mode: Mode,
    key: &'static str,
    iv: &'static str,
    plaintext: &'static str,
    ciphertext: &'static str,
}

fn xor(texts: &mut [Block], others: &[Block]) {
    for (text, other) in texts.as_flattened_mut().iter_mut().zip(others.as_flattened()) {
        *text ^= other;
    }
}

/// The first and the third of the ten vectors that KISA's lea_vs.c has for each key size and mode, as Crypto++ carries
/// them in TestVectors/lea.txt (the file is in the public domain).
#[test]
fn lea_vs() {
    for Vector { mode, key, iv, plaintext, ciphertext } in VECTORS {
        let (key, plaintext, ciphertext) =
            (Lea::new(&bytes(key)).unwrap(), blocks(plaintext), blocks(ciphertext));
        for path in Path::available() {
            match mode {
                Ecb => {
                    let mut text = plaintext.clone();
                    key.encrypt_on(path, &mut text);
                    assert_eq!(text, ciphertext, "{}", path.name());
                    key.decrypt_on(path, &mut text);
                    assert_eq!(text, plaintext, "{}", path.name());
                }
                Ctr => {
                    let first = u128::from_be_bytes(blocks(iv)[0]);
                    let mut text: Vec<_> =
                        (0..plaintext.len()).map(|n| (first.wrapping_add(n as u128)).to_be_bytes()).collect();
                    key.encrypt_on(path, &mut text);
                    xor(&mut text, &plaintext);
                    assert_eq!(text, ciphertext, "{}", path.name());
                }
                Cbc => {
                    let chain = [blocks(iv), ciphertext.clone()].concat();
                    let mut text = ciphertext.clone();
                    key.decrypt_on(path, &mut text);
                    xor(&mut text, &chain);
                    assert_eq!(text, plaintext, "{}", path.name());
                    xor(&mut text, &chain);
                    key.encrypt_on(path, &mut text);
                    assert_eq!(text, ciphertext, "{}", path.name());
                }
            }
        }
    }
}

const VECTORS: &[Vector] = &[
    Vector {
        mode: Ecb,
        key: "07ab6305b025d83f79addaa63ac8ad00",
        iv: "",
        plaintext: "f28ae3256aad23b415e028063b610c60",
        ciphertext: "64d908fcb7ebfef90fd670106de7c7c5",
    },
    Vector {
        mode: Ecb,
        key: "54068dd268a46b55ca03fcd4f4c62b1c",
        iv: "",
        plaintext: "d72e069a7a307910e5cb5c8c3d98b19b30a326ba9479e20d4a827d546991501a98baf02fbc64f559d49e004720b7fcc6",
        ciphertext: "6c83d52a769b4146f77efb6f64193d9ab4763140cb560574792788d8d051a6f842a3c6a731a9d88ad0aaf959f82309c3",
    },
    Vector {
        mode: Ecb,
        key: "1437af533069bd7525c1560c78bad2a1e534671c007ef27c",
        iv: "",
        plaintext: "1cb4f4cb6c4bdb5168ea8409727bfd51",
        ciphertext: "69725c6df912f8b70eb511e6663c5870",
    },
    Vector {
        mode: Ecb,
        key: "9f65b0ae082b9a73683929e014a0f3c1f5b5ce242e1f9310",
        iv: "",
        plaintext: "fe2e2174e86fa45e127d176dec190789117d9ad172eed1d5b1910a06cb7fc96bfa1bb795daa4ebd4ca0669ab95f6e882",
        ciphertext: "b465597f4dd76e342f8fca5d0d095ca9479f6ab6ec86ac51f9f372448ab3cab73f051704fbd350b2d2eb2b270b416a4d",
    },
    Vector {
        mode: Ecb,
        key: "4f6779e2bd1e9319c63015acffefd7a791f0ed59df1b700769fe82e2f0668c35",
        iv: "",
        plaintext: "dc31cae3da5e0a11c966b020d7cffede",
        ciphertext: "eda2042098f667e857a02db8caa7dff2",
    },
    Vector {
        mode: Ecb,
        key: "d612b382eb6161e9a3b23f150de977193fd8617df65548eb7c8f712acfa25951",
        iv: "",
        plaintext: "ff683f34d892e223c1f88cd4e42e4f9d8f588fe6da3fc1df8ba4716e36d48a6ca97cd21087bfb4ab32864296ee177a69",
        ciphertext: "7bc5e4e4d9c4b5c4694f5580896671b5f58324b62005c8f8a52a65aa8e1a9b01dc90bac0817013ad6c9dd0f216403d6b",
    },
    Vector {
        mode: Ctr,
        key: "7ad36a75d55f3022094e06f7c897d8bb",
        iv: "0c5f04e8b512195e74b3de57e970979e",
        plaintext: "087a83fcc113a9f3e0e9d5af32a2dd3a",
        ciphertext: "2b73497c4fc9ef38be7a0bcb1aab87a4",
    },
    Vector {
        mode: Ctr,
        key: "8a760bf04374d77a20b2de6790f4a0c9",
        iv: "b7e0fc8f1010f6415766b9f1a69fd86e",
        plaintext: "de2bd9ba483cf4be7c1e183d82c62f0738ada36ff3df21fe694e9d69cf6d96c13efa9bea5b1b0e4e37ad28d274d93d0a",
        ciphertext: "fd38dbf913fd39d26e13870189354a6ddc90fa4944bd2040c224ef2d4f5265b9d7ea188a08aa90c836cd2177b569047b",
    },
    Vector {
        mode: Ctr,
        key: "bb93a2643e84a41a23fa12a54d5e7ed694391ea3684987d8",
        iv: "b7d5b909113d5ccb0bd54924e1f34c3f",
        plaintext: "5f472864016bdc2859bb25e1b167445d",
        ciphertext: "c6357abd1d3824f2c72ed6ef4b76d897",
    },
    Vector {
        mode: Ctr,
        key: "c5b672479d49aef0cb84eda49b976d3ccc54883736407d68",
        iv: "b1ea73ec337bbb5f388f564f6743b7f1",
        plaintext: "728fc9133ed7345244bcdd8d3738ab9ae6ea913765aec94367715d2eef44ecae28aeabb39047aa9e5c8259ad19cb4aba",
        ciphertext: "58774d0a113657dbdc24cb928d201717b30c5bdc5fcb041bd6c8351d2e84e3db2d17460c9ee75b78c975b40794dbdc50",
    },
    Vector {
        mode: Ctr,
        key: "aa5b8dd64b302313dce418464eae92908be9533711218456e06eb1d397001692",
        iv: "dafc19e8f6871753c81f6368db328c0c",
        plaintext: "d0e9dfe703452d166b6ecf20c248e62c",
        ciphertext: "fc9a78ba8f08aea82f9a37e5bd2c04d8",
    },
    Vector {
        mode: Ctr,
        key: "457d4f1502b2ac509c3d3e401a19e7d009b037de1ef034ef1da25621f9f7d661",
        iv: "3d6429ddaab0c7bc224c300dc5e231fe",
        plaintext: "5930634fef17f606c3efac63651e281616e969b0758a92585b82ecbf03302d566ea3fbbe05adac7f813850fe08ddf1a9",
        ciphertext: "4189ce26e8c1dd4ee0ede9e95a21c24250e916153254b5c8ec6245322d5293eac5fee44458c604659e01d3039d8cf378",
    },
    Vector {
        mode: Cbc,
        key: "87f1424f1a1483cc1fd0354e18a994ab",
        iv: "cf584e6ef6d642880ab787427db9b076",
        plaintext: "139d4eff8d35b76e85bf06fe997163cb",
        ciphertext: "49b9f3226da54b4a0d385a9c4870524b",
    },
    Vector {
        mode: Cbc,
        key: "691c4c90361d4fb58153aedc87123823",
        iv: "3d901f8beff7b4ad27b972a9d0243e60",
        plaintext: "9b36ede3a2b2072a4c73ca0a70017261bd62b8945933993bc8f7581a10aec6541aaac1db5c9efb2bb5f8fd3898706ba4",
        ciphertext: "a7f2ae1e830a3302c062cf51646ce76056e6b05615eba8de9e5331ac653718b31c6f65a626c0992528354f651a98751c",
    },
    Vector {
        mode: Cbc,
        key: "68d218650e96e10771d4361a4185fc8127c3b54164da4a35",
        iv: "b5a10703790be74e15f9122d9852a4dc",
        plaintext: "9b56b0b26c2f85536bc92f27b3e4410b",
        ciphertext: "72866aa8e3f1a4449618c8cf623d9bbe",
    },
    Vector {
        mode: Cbc,
        key: "6c07b2eb870ed51f53b01cfbe9b01469d96f69f7cc03aa87",
        iv: "68884b4774bbf0e43dc5e9fb3854f8d1",
        plaintext: "e8f05b43028d0600d05c31f5d3e71209ac5dec0b3d2a48e80bcb8222e6e1887dcd84dffc0cd9e70ba7e75ffefba62bba",
        ciphertext: "3e7b2c78618484a725827087be67794699179ed0a9b1dc80a9cb425c15d594bac3b3f41fec947360636e4aa9ecfba17b",
    },
    Vector {
        mode: Cbc,
        key: "1a4ee82b1f3784946df2a18fc749b34fe226cf2811a66a47226e64a182424529",
        iv: "a8d4c646b1d9938448624f8ac96ad84c",
        plaintext: "a6abcd8109b74e58bb43036644c660e3",
        ciphertext: "91ee72e8e26fa4234977e464ca4872ca",
    },
    Vector {
        mode: Cbc,
        key: "164d15289c68fc0397107a70e0ccc069d299aedef3f59962d7374c2542214c22",
        iv: "8db861994b5351c02cf3efb621d254b8",
        plaintext: "c03f6d97eba8b669acf9447f64250998250154545c5997ecb33e6d1f359ddb70b316d68e670a0614d8f6ca72fd007c2b",
        ciphertext: "e5cffb9af35f2ef4099a0587a38851c37ebeb3dd3f24a58cf5522465de01c59808c4e9eb40c13219d618c84b3348dfa9",
    },
];
