//! Ten thousand messages of each cipher, mode and key length, as Crypto++ 8.7 (Debian 12) encrypts them. `lab/cryptopp.sh` makes the
//! messages as [`Messages`] does, and the SHA-256 of all ciphertexts and tags by its `ECB_Mode`, `CBC_Mode`, `CTR_Mode`, `XTS_Mode`, `GCM`,
//! `CCM` and `CMAC`, and looks for them here. Of LEA in XTS there are no official vectors; in GCM, CCM and CMAC KISA's are short.

use crate::common::digits;
use fieldtest_aes::Aes;
use fieldtest_aria::Aria;
use fieldtest_lea::Lea;
use fieldtest_modes::{AeadMode, BlockCipher16, Cbc, Ccm, Cmac, Ctr, Ecb, Gcm, SectorMode, Xts};
use sha2::{Digest, Sha256};

/// Keys, nonces and messages by SplitMix64 (Steele, Lea and Flood 2014), seeded with the bytes of a key.
struct Messages(u64);

impl Messages {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Eight bytes of each number, the last cut off.
    fn bytes(&mut self, length: usize) -> Vec<u8> {
        let mut bytes: Vec<u8> = (0..length.div_ceil(8)).flat_map(|_| self.next().to_le_bytes()).collect();
        bytes.truncate(length);
        bytes
    }

    /// A number below the bound.
    fn below(&mut self, bound: u64) -> usize {
        (self.next() % bound) as usize
    }

    /// The length of message `number`: short ones, and a long one in a hundred.
    fn length(&mut self, number: usize) -> usize {
        if number % 100 == 99 { 4096 + self.below(4096) } else { self.below(300) }
    }

    /// The same in whole blocks.
    fn blocks(&mut self, number: usize) -> usize {
        16 * if number % 100 == 99 { 256 + self.below(256) } else { 1 + self.below(40) }
    }
}

const COUNT: usize = 10_000;

/// Messages of whole blocks, under a mode of so many keys.
fn mode<M: SectorMode>(key: usize, keys: usize, prepare: impl Fn(&[u8]) -> M) -> String {
    let (mut messages, mut all) = (Messages(key as u64), Sha256::new());
    for number in 0..COUNT {
        let mode = prepare(&messages.bytes(keys * key));
        let iv = messages.bytes(16).try_into().expect("16 bytes");
        let length = messages.blocks(number);
        let mut message = messages.bytes(length);
        mode.encrypt_sectors(u128::from_le_bytes(iv), 0, length, &mut message).expect("encrypted");
        all.update(&message);
    }
    digits(&all.finalize())
}

fn aead<M: AeadMode>(key: usize, prepare: impl Fn(&[u8]) -> M) -> String {
    let (mut messages, mut all) = (Messages(key as u64), Sha256::new());
    for number in 0..COUNT {
        let mode = prepare(&messages.bytes(key));
        let nonce = messages.bytes(12);
        let length = messages.below(48);
        let associated = messages.bytes(length);
        let length = messages.length(number);
        let mut message = messages.bytes(length);
        let mut tag = [0; 16];
        mode.seal(&nonce, &associated, &mut message, &mut tag).expect("sealed");
        all.update(&message);
        all.update(tag);
    }
    digits(&all.finalize())
}

fn cmac<C: BlockCipher16>(key: usize) -> String {
    let (mut messages, mut all) = (Messages(key as u64), Sha256::new());
    for number in 0..COUNT {
        let cmac = Cmac::<C>::new(&messages.bytes(key)).expect("a key");
        let length = messages.length(number);
        let mut tag = [0; 16];
        cmac.tag(&messages.bytes(length), &mut tag).expect("a tag");
        all.update(tag);
    }
    digits(&all.finalize())
}

/// Each row: bytes of the key, and the digests of ECB, CBC, CTR, XTS, GCM, CCM and CMAC.
fn agrees<C: BlockCipher16>(rows: [(usize, [&str; 7]); 3]) {
    for (key, expected) in rows {
        let found = [
            mode(key, 1, |key| Ecb::<C>::new(key).expect("a key")),
            mode(key, 1, |key| Cbc::<C>::new(key).expect("a key")),
            mode(key, 1, |key| Ctr::<C>::new(key).expect("a key")),
            mode(key, 2, |key| Xts::<C>::new(key).expect("a key")),
            aead(key, |key| Gcm::<C>::new(key).expect("a key")),
            aead(key, |key| Ccm::<C>::new(key).expect("a key")),
            cmac::<C>(key),
        ];
        assert_eq!(found, expected, "keys of {key} bytes");
    }
}

#[test]
fn lea() {
    agrees::<Lea>([
        (
            16,
            [
                "8d267bf3725f6a6afda54bfc2a2cbd0f57bdc764d179855065b68a6ea47faedc",
                "64cb5f3937daca588036015dfcb0972849d5edf5c0b74ad1cc267df794f450bd",
                "29c3abe2745dc2c5a2d6222c2eea43050b89bd6dded1bf5b087298323abeb8d8",
                "20a6f5a715dff6001e933422eea4b5cd84ef5f24b345147af3a4d3202979217e",
                "6a9ee9e572b1b7bc6441394a962e6727fce7b1b6a618cf044527c4dc365d6319",
                "29414c6b1218e7c3b58f44830bc90d0069c5e0b6a5a77d882eb411f12b36d489",
                "0132ab6e2dec403c75419d8b8ef55899c1d52c87926ca56f7e1175d1b9b2155f",
            ],
        ),
        (
            24,
            [
                "3d8117911410bcd8a53667b3dcd4271f26e4e6c35b78df5d8e527f94bd6d3b6e",
                "916637c2bf9bcb063cc052ad28273e105133726ec798faa3d95120b29825dceb",
                "4260fd2c6cc9c3b1f2a2b1d8988b926b5eb251a5f22aad1d38c64f6a4e15fa4b",
                "30707a6d61949bcac0087e9fcea127f8bd010f9dd357a88e4a1a37122866d983",
                "6b22c9d52ef2bc552ea32880c7ef42b997facd436f07a3c2806cc18c7ac2b972",
                "eed12e661e7705ed256fd63d7ccfc9244c97c1d0f5340acb0bc3f5c660c6193d",
                "7ddbb37364a75b165b7bd48f54afa31e7d3a4324b4c00f0cff77c2517cfd8f57",
            ],
        ),
        (
            32,
            [
                "e86e4ffbdd95434b5271c733368115340e8a85203d81c6072f71271fbc703812",
                "18b34de79b99767fa5d6a999d38007b916d3c4cf59c73beb2c4cb505713b989f",
                "d867d274451dc356b2e22d7d69bb563ae0ff9d118afd294c9fbd1c5db9a15d9e",
                "93c01b9c4b61761dc34f22e33a818710a906c13e14bf6390f714b580ceea52c3",
                "0759e8b744da4c1a9a5ab0baffdb327a137af0b0fa2b7b2f0a45e49444ec193f",
                "4b47af4b2b7fa4fba62a468ba41cb9f750a040aa23094f66cf881372371e14a9",
                "beeacc2b94c74c05f26b16dc793e2b2e845429bdbcd9d303e07487be21063869",
            ],
        ),
    ]);
}

#[test]
fn aria() {
    agrees::<Aria>([
        (
            16,
            [
                "6d70158ea819bbfef7ecd1a573e7854580858b899bd4be1212da91670b22870d",
                "db181a6a5a7fdd962ee542f73600ff3ff970a5c306b899046eecf8a97a7a8162",
                "78aae7913a85507e836d4617fd726a4f0806419e51bdd9ab1e935560826ddd98",
                "cdfb2a95a970505c9f57bed6f6c7c62f9252bb17179e95cca65717ee6987bdaf",
                "404a0b7e21343018d1fc17a43daffd4e079e8e26faa568068a8d30a5100b7535",
                "2661e1737f70cfe15ebaeb85e61002d357e6e64c788fbe302b8813bdb06ffd32",
                "c7f1af2a513b3758bdd36bb896ef1a9c18fee14e7338b75605eba386a632fe21",
            ],
        ),
        (
            24,
            [
                "6616a73fe8d4b266d65d3b51e900a51f9277f309898633d86b064b7014b00200",
                "0a7e6a5c37a15aab93b5e86134102d5c32683ad9a76b0fafe3dddcc49b97b65b",
                "cde3261adddd763af76e9a9f3bbc6f79fef946ab173069d00e16b69c753e1cb4",
                "f6f72fecf81e0dfb166fcda1d6f44024197de09b94af583386d1698e798b4a1d",
                "84ebcb670d5e6195b7326f6b136f85ebebf8960bfb97977ba604da45b9c19498",
                "331a0bbbeb7ee67f5ae4771c2b36c6b663881d0498aba5265d03c9dc757e3ac0",
                "6f35675fdadaa027a92345af1cc8e1bff9340a957634bbe65e801e4c9b0d7452",
            ],
        ),
        (
            32,
            [
                "db6976345e934b1b0f2ef86304bf4fe72d1161d4b7ea160046a604fe1bc7a48f",
                "55f19620b389cabde0ace14b3b71a22c51a0a108a0315f4a2350bd610393249d",
                "d20f0ba622a92cdd2faa75fd5ba37ec69e0de81984a36dfe038e15845e66bc29",
                "052861e0bef7fb7820bd45e5634604e52f54167f3d6e93b3ee4def609a36eced",
                "7938eac96a9c00d3d7e7e16c3ba2003696595b278e104ca4a45241f84dd41b80",
                "2a3be1d5b79ae49b3eeb2bc2a4d8ab022737c29f79d3b2206b3c3275ce91353b",
                "994a65337a9a44f1e18f28f7896217ebfe614726f6b88e6b65875a52da34eade",
            ],
        ),
    ]);
}

#[test]
fn aes() {
    agrees::<Aes>([
        (
            16,
            [
                "0782f72fe2c9bec87b6e1c7458eebe5da338d60662eb843a5259c622df636c68",
                "f251e39ce9b24a3e3845b7a583d26df97d3ebe4d145140642585c8adc3d4860c",
                "ae38aedc07b9878d5e9b1f20c14e778e298ca4c3f257e1d434579bf181943013",
                "107977d7c7bc258f768bb8b3e2104fa8e08faf56e31dbf7ec67c9f2117f594a0",
                "db0ea05af8eab1c14fe2ba228a6800e38794deadc4f5ac1371f16096ed8afbb5",
                "94af25edc70b631e9f78a3bb50ab53d0a1ccd0060cdd45f1f1b83ee8a6e98b06",
                "bd668b58618d9ff4e6f6d3d71c1259a7674286a31c7715ebd2d17c595f46bb5f",
            ],
        ),
        (
            24,
            [
                "eb065a9ac1a7ddc7b09fb688a0feed124c74eedc59e762fea7e63551dbe22870",
                "fbcc4077921895732e3dd2e4fc77fea0dcd97d69290aab3f98c04850886b529d",
                "e52eb27b066eba50c44377b4a23b12ee8ce28b36bff493e511f39c85dda8bc7b",
                "2a6e5aa119ee50f060ddb7f0ba6860ad7000637094a640e5ccf95177f1e8fada",
                "822a197ef619052903f45f0ef4c3573acc52e6f6491fb6ed124fbcddafa831f1",
                "5f1ced376167d537be1d231183335506e8e27ea16d8dc3cfb21a8e9434184810",
                "9dca7f87de18953f963672e087c42ca3d8304e25fafedd6fbfde5c548f78cfed",
            ],
        ),
        (
            32,
            [
                "6c97a522ac9067e784af00fb4c1401c6a4f2699c8cfd25627761a903d2b4ae55",
                "61ac390fd6a3720459879178c6736fe7d25c0dd37c602b4eab457850ac60984b",
                "d89e9ae0017f79a753d79e2942961abb0d57c04fbb811a88abf6dd03b06455eb",
                "60469f4b964f481372c12074dfa12fe35d4de2935e6e5162457881f3ecd27e8f",
                "6c244783c551407188d91a47893118853591e1d84e3ded20de9126ecebc7de95",
                "8736e153b3d5996e99bd348090aed45709c31327060c334e3ad9282b71454f0a",
                "0c9de29550cb27151517ba9497a39e0703bdcf5c5e280b759936c52d20f3bae4",
            ],
        ),
    ]);
}
